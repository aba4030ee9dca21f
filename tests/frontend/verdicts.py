"""What programs of one parameter come to: right in both modes, refused by name, or failing as Python does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import (
    CompilerError,
    S2sadError,
    check_grads,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    linearize,
    vjp,
    vmap,
)


def arguments(function: Callable[..., Any]) -> tuple[Any, ...]:
    """A number, or an array where the parameter is called x."""
    parameters = function.__code__.co_varnames[: function.__code__.co_argcount]
    return (np.array([1.3, 0.7, 2.1]),) if "x" in parameters else (1.7,)


def assert_right(function: Callable[..., Any]) -> None:
    check_grads(function, arguments(function), wrt=0, modes=("tangent", "adjoint"))


def assert_refused(function: Callable[..., Any], mode: str) -> None:
    """A refusal, and no mistake of s2sad's own that is reported as one."""
    args = arguments(function)
    with pytest.raises(S2sadError) as caught:
        grad(function)(*args) if mode == "adjoint" else jvp(function, args, args)
    assert not isinstance(caught.value, CompilerError)


def assert_raises(function: Callable[..., Any], error: type[Exception]) -> None:
    """What the program itself raises, in both modes, and no refusal."""
    args = arguments(function)
    for run in (lambda: function(*args), lambda: grad(function)(*args), lambda: jvp(function, args, args)):
        with pytest.raises(error) as caught:
            run()
        assert not isinstance(caught.value, S2sadError)


# How a derivative is taken of a function that changes things outside, and what is wanted: by gradient, Hessian and argument.
TAKEN: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any, Any, Any], Any]]] = {
    "grad": (lambda f, x: grad(f)(x), lambda g, h, x: g),
    "jvp": (lambda f, x: jvp(f, (x,), (x,))[1], lambda g, h, x: g @ x),
    "vjp": (lambda f, x: vjp(f, x)[1](1.0)[0], lambda g, h, x: g),
    "linearize": (lambda f, x: linearize(f, x)[1](x), lambda g, h, x: g @ x),
    "jacobian": (lambda f, x: jacobian(f)(x), lambda g, h, x: g),
    "hessian": (lambda f, x: hessian(f)(x), lambda g, h, x: h),
    "hvp": (lambda f, x: hvp(f, (x,), (x,))[1], lambda g, h, x: h @ x),
    "jvp of jvp": (lambda f, x: jvp(lambda a: jvp(f, (a,), (x,))[1], (x,), (x,))[1], lambda g, h, x: x @ h @ x),
    "jvp of grad": (lambda f, x: jvp(grad(f), (x,), (x,))[1], lambda g, h, x: h @ x),
    "grad in it": (lambda f, x: grad(lambda a: grad(f)(a) @ a)(x), lambda g, h, x: g + h @ x),
    "vjp in it": (lambda f, x: grad(lambda a: vjp(f, a)[1](1.0)[0] @ a)(x), lambda g, h, x: g + h @ x),
    "jacobian in it": (lambda f, x: grad(lambda a: jacobian(f)(a) @ a)(x), lambda g, h, x: g + h @ x),
    "linearize in it": (lambda f, x: grad(lambda a: linearize(f, a)[1](a))(x), lambda g, h, x: g + h @ x),
    "check_grads": (lambda f, x: check_grads(f, (x,), order=2), lambda g, h, x: None),
    "vmap in it": (lambda f, x: grad(twice(f))(x), lambda g, h, x: None),
}
FIRST = ("grad", "jvp", "vjp", "linearize", "jacobian")
ONCE = (*FIRST, "hessian", "hvp", "jvp of grad", "grad in it")  # the function runs once for it


def twice(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda a: np.sum(vmap(f)(np.array([a, a])))


def assert_as_called(make: Callable[[], tuple[Any, Any]], x: Any, name: str, refused: bool | None = False) -> None:
    """A derivative that is right, and leaves what one plain call leaves; or a refusal that leaves nothing.

    ``make``: a function, with what it changes, both new each time. ``refused``: whether this must be refused; None: it may be.
    """
    take, wanted = TAKEN[name]
    twin, left = make()
    (twice(twin) if name == "vmap in it" else twin)(x.copy())
    expected = repr(left)
    function, outside = make()
    before = repr(outside)
    try:
        found = take(function, x.copy())
    except S2sadError as error:
        assert not isinstance(error, CompilerError)
        assert refused is not False, error
        assert repr(outside) == before
        return
    assert refused is not True
    assert repr(outside) == expected

    def slopes(a: Any, step: float = 1e-4) -> Any:
        return np.array([_value(make, a + e) - _value(make, a - e) for e in step * np.eye(a.size)]) / (2 * step)

    if name == "vmap in it":
        outer, step = (lambda: (twice(make()[0]), None)), 1e-4
        rise = [(_value(outer, x + e) - _value(outer, x - e)) / (2 * step) for e in step * np.eye(x.size)]
        np.testing.assert_allclose(found, rise, rtol=1e-4, atol=1e-5)
    elif name != "check_grads":
        ahead = () if name in FIRST else 1e-3 * np.eye(x.size)
        second = np.array([slopes(x + e, 1e-3) - slopes(x - e, 1e-3) for e in ahead]) / 2e-3
        np.testing.assert_allclose(found, wanted(slopes(x), second, x), rtol=1e-4, atol=1e-5)


def _value(make: Callable[[], tuple[Any, Any]], x: Any) -> Any:
    return make()[0](x)
