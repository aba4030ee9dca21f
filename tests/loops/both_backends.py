"""A program through both back ends: the compiled one by itself, without what it would hand over to NumPy's."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from s2sad.derivatives import Ask, Derivatives
from s2sad.loops.refusal import reason
from s2sad.native import Native, NotCompiledWarning
from s2sad.options import Options
from s2sad.trees import copied


class NotNative(Exception):
    """The program runs as NumPy; the text says why."""


def like(value: Any, rng: np.random.Generator) -> Any:
    """Random numbers in the structure of a value."""
    if isinstance(value, np.ndarray):
        return rng.normal(size=value.shape)
    if isinstance(value, tuple | list):
        return type(value)(like(item, rng) for item in value)
    if isinstance(value, dict):
        return {key: like(item, rng) for key, item in value.items()}
    return float(rng.normal()) if isinstance(value, float | np.floating) else 0.0


def leaves(value: Any) -> list[Any]:
    """The parts of a result."""
    parts = list(value.values()) if isinstance(value, dict) else value
    return [leaf for item in parts for leaf in leaves(item)] if isinstance(parts, tuple | list) else [value]


def built(value: Any) -> Any:
    """What a result is put together of."""
    if isinstance(value, dict):
        return {key: built(item) for key, item in value.items()}
    return [type(value), *map(built, value)] if isinstance(value, tuple | list) else None


def compiled(function: Callable[..., Any], ask: Ask, values: Sequence[Any], backend: str) -> Any:
    """The program of a back end. Raises NotNative where it is not compiled."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotCompiledWarning)
        made = Derivatives(function, Options(backend=backend)).compiled(ask, values)
    if backend == "numba" and not isinstance(made.function, Native):
        raise NotNative(reason(made.entry.source))
    return made


@contextlib.contextmanager
def by_python(program: Callable[..., Any]) -> Iterator[None]:
    """A time in which Python runs the functions of a compiled program's module, and the helpers that they call."""
    scope = program.__globals__  # type: ignore[attr-defined]
    machines = {name: v for name, v in scope.items() if hasattr(v, "py_func") and v.py_func.__name__ == name}
    scope.update({name: v.py_func for name, v in machines.items()})
    try:
        yield
    finally:
        scope.update(machines)


def both(
    function: Callable[..., Any], args: Sequence[Any], mode: str, wrt: Any = 0, of: str | None = None, seed: int = 0,
    compile: bool = True,
) -> tuple[list[Any], list[Any]]:  # fmt: skip
    """What NumPy's program and the compiled one give, as lists of leaves. Raises NotNative.

    ``compile``: whether the latter is compiled; else Python runs its text.
    """
    rng = np.random.default_rng(seed)
    derivatives = Derivatives(function, Options())
    ask, args = Ask(mode, derivatives.inputs(wrt), of), derivatives.arguments(tuple(args), {})
    native = compiled(function, ask, args, "numba")
    plain = compiled(function, ask, args, "numpy")
    positions = wrt if isinstance(wrt, tuple) else (wrt,)
    if mode == "tangent":
        seeds = [like(args[k], rng) for k in positions]
    elif plain.scalar:
        seeds = [float(rng.normal())]
    else:
        forward = compiled(function, Ask("tangent", ask.inputs, of), args, "numpy")
        given, keywords = derivatives.passed(forward, copied(list(args)))
        _, dots = forward.function(*given, *[like(args[k], rng) for k in positions], **keywords)
        seeds = [like(leaf, rng) for leaf in leaves(dots)]
    given, keywords = derivatives.passed(plain, copied(list(args)))  # functions among them are known, and not passed
    expected = plain.function(*given, *copied(seeds), **keywords)
    before = copied(list(args))
    from numba.core.errors import NumbaError  # where it is missing, tests that come here are skipped

    try:
        with contextlib.nullcontext() if compile else by_python(native.function.function):
            given, keywords = derivatives.passed(native, args)
            found = native.function.function(*given, *seeds, **keywords)
    except NumbaError as error:  # a user's call runs as NumPy then, with a warning
        raise NotNative(f"Numba: {error}") from None
    for old, new in zip(leaves(before), leaves(list(args)), strict=True):
        np.testing.assert_array_equal(old, new)
    assert built(expected) == built(found)
    return leaves(expected), leaves(found)


def assert_same(expected: list[Any], found: list[Any]) -> None:
    """Equal to 1e-10, of equal types, dtypes and shapes."""
    assert len(expected) == len(found)
    for one, other in zip(expected, found, strict=True):
        if one is None:
            assert other is None
            continue
        assert isinstance(one, np.ndarray) == isinstance(other, np.ndarray), (type(one), type(other))
        assert np.shape(one) == np.shape(other)
        assert np.asarray(one).dtype == np.asarray(other).dtype, (one, other)
        scale = 1.0 + np.max(np.abs(one), initial=0.0) if np.asarray(one).dtype.kind == "f" else 1.0
        np.testing.assert_allclose(other, one, rtol=1e-10, atol=1e-12 * scale)
