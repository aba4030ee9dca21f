"""``x op= e`` where nobody knows whether ``x`` is an array: right where no one else sees ``x``, refused elsewhere."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad import pipeline
from s2sad.ad.request import Request
from s2sad.errors import KindError
from s2sad.frontend.files import StaticScope
from s2sad.ir.kinds import UNKNOWN
from s2sad.runtime.guards import SharedMemoryError

RIGHT = {
    "own": """
def f(A, b):
    v = A @ b
    v -= 0.5 * b
    v *= v
    v /= 2.0
    return np.sum(v)
""",
    "recorded": """
def f(A, b):
    v = A @ b
    z = v * v
    v += b
    return np.sum(z * v)
""",
    "loop": """
def f(A, b):
    v = A @ b
    s = 1.0
    for k in range(3):
        s *= v[k]
        v += s * b
    return np.sum(v * s)
""",
    "parameter": """
def f(A, b):
    b *= b
    return np.sum(A @ b)
""",
    "branch": """
def f(A, b):
    v = A @ b
    if v[0] > 0:
        v += b
    else:
        v -= b
    return np.sum(v * v)
""",
}
SHARED = {
    "another name": """
def f(A, b):
    v = A @ b
    w = v
    v += b
    return np.sum(w)
""",
    "a list": """
def f(A, b):
    v = A @ b
    box = [v]
    v += b
    return np.sum(box[0])
""",
    "a tuple": """
def f(A, b):
    v = A @ b
    pair = (v, b)
    v *= b
    return np.sum(pair[0])
""",
    "a window": """
def f(A, b):
    v = A @ b
    w = v[1:]
    v += b
    return np.sum(w)
""",
    "the last turn of a loop": """
def f(A, b):
    v = A @ b
    w = b
    for k in range(2):
        v += b * w
        w = v
    return np.sum(w)
""",
    "a caller": """
def bump(x, b):
    x += b

def f(A, b):
    v = A @ b
    bump(v, b)
    return np.sum(v)
""",
}


def derivative(text: str, mode: str) -> tuple[Any, Any]:
    """The program itself, and its derivative by ``b``, made without knowing what its arguments are."""
    whole = f"import numpy as np\n{text}"
    scope = StaticScope("program.py", whole)
    node = next(n for n in scope.functions() if n.name == "f")
    assert isinstance(node, ast.FunctionDef)
    function, _ = pipeline.lower(scope.source(node), scope, {"A": UNKNOWN, "b": UNKNOWN})
    generated = pipeline.differentiate(function, mode, Request(("b",), (0,), None)).text
    names: dict[str, Any] = {}
    exec(whole, names)
    exec(generated, names)
    return names["f"], names[f"f_{mode}"]


@pytest.mark.parametrize("name", RIGHT)
def test_it_is_as_good_as_a_new_value(name: str) -> None:
    rng = np.random.default_rng(1)
    A, b, direction = rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=3)
    f, adjoint = derivative(RIGHT[name], "adjoint")
    _, tangent = derivative(RIGHT[name], "tangent")
    kept = b.copy()
    slope = (f(A, b + 1e-6 * direction) - f(A, b - 1e-6 * direction)) / 2e-6
    value, bar = adjoint(A, b)
    assert np.array_equal(b, kept)
    assert np.isclose(value, f(A, b.copy()))
    assert np.isclose(bar @ direction, slope, rtol=1e-6)
    assert np.isclose(tangent(A, b, direction)[1], slope, rtol=1e-6)


@pytest.mark.parametrize("mode", ["tangent", "adjoint"])
@pytest.mark.parametrize("name", SHARED)
def test_what_others_see_is_refused(name: str, mode: str) -> None:
    with pytest.raises(KindError, match="in place is not known"):
        derivative(SHARED[name], mode)


def kept_sums(x):
    total, kept = 0.0, []
    for i in range(3):
        total += x * (i + 1)
        kept.append(total)
    return np.sum(kept[0] * kept[2])


def found_window(x, whole=False):
    y = x.copy()
    w = y if whole else None
    if w is None:
        w = y[1:]
    w += x[0]
    return np.sum(y**2)


def plain_sum(x):
    total = 0.0
    for i in range(3):
        total += x * (i + 1)
    return np.sum(total**3)


INSIDE = {
    "hvp": lambda f, x: s2sad.hvp(f, (x,), (x,)),
    "jvp of grad": lambda f, x: s2sad.jvp(s2sad.grad(f), (x,), (x,)),
    "grad of value_and_grad": lambda f, x: s2sad.grad(lambda z: s2sad.value_and_grad(f)(z)[0])(x),
    "jvp of vjp": lambda f, x: s2sad.jvp(lambda z: s2sad.vjp(f, z)[1](1.0)[0], (x,), (x,)),
    "vmap of grad": lambda f, x: s2sad.vmap(s2sad.grad(f))(np.stack([x, x])),
    "sparse_hessian": lambda f, x: s2sad.sparse_hessian(f)(x),
}


@pytest.mark.parametrize("way", sorted({*INSIDE} - {"vmap of grad"}))
def test_what_others_see_is_refused_inside_of_derivatives_too(way: str) -> None:
    with pytest.raises(KindError, match="in place is not known"):
        INSIDE[way](found_window, np.array([0.7, 1.1, 0.9]))


def test_one_at_a_time_the_flag_that_decides_is_known() -> None:
    x = np.array([0.7, 1.1, 0.9])
    s2sad.check_grads(found_window, (x,))
    s2sad.check_grads(found_window, (x, True))
    both = s2sad.vmap(s2sad.grad(found_window))(np.stack([x, 2 * x]))
    np.testing.assert_allclose(both, [s2sad.grad(found_window)(x), s2sad.grad(found_window)(2 * x)], rtol=1e-14)


@pytest.mark.parametrize("way", sorted({*INSIDE} - {"sparse_hessian"}))
@pytest.mark.parametrize("program", [plain_sum, kept_sums])
def test_what_is_an_array_from_then_on_is_followed_inside_of_derivatives(program: Callable[..., Any], way: str) -> None:
    x = np.array([0.7, 1.1, 0.9])
    slope = (program(x * (1 + 1e-6)) - program(x * (1 - 1e-6))) / 2e-6
    gradient = s2sad.grad(program)(x)
    assert gradient @ x == pytest.approx(slope, rel=1e-6)
    INSIDE[way](program, x)
    assert np.allclose(INSIDE["vmap of grad"](program, x), [gradient, gradient])
    s2sad.check_grads(program, (x,), order=2)


TWICE = {
    "whole": "def f(A, b):\n    A += b\n    return A[0] * b[1]\n",
    "with a number": "def f(A, b):\n    A *= 2.0\n    return A[0] * b[1]\n",
    "in a loop": "def f(A, b):\n    for _ in range(2):\n        A += b\n    return A[0] * b[1]\n",
}


@pytest.mark.parametrize("mode", ["tangent", "adjoint"])
@pytest.mark.parametrize("name", TWICE)
def test_arguments_that_are_one_array_are_refused(name: str, mode: str) -> None:
    _, derived = derivative(TWICE[name], mode)
    x, y = np.array([1.5, 2.0]), np.array([0.5, -1.0])
    ends = (y,) if mode == "tangent" else ()
    derived(x, y, *ends)
    derived(x, x * 1.0, *ends)
    for a, b in ((x, x), (x, x[::-1])):
        with pytest.raises(SharedMemoryError, match="share memory"):
            derived(a, b, *ends)
