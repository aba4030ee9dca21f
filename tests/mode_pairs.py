"""One program under all modes: both of the first order, and the four pairs of the second, against differences.

The derivative programs of the first order are functions in the accepted language; the pairs are the tangent and the adjoint of
the tangent program, and those of the adjoint program.
"""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from s2sad import jvp, vjp
from s2sad.api import derivatives_of
from s2sad.derivatives import Ask
from s2sad.options import make_options

MODES = ("tangent", "adjoint")
STEPS = (1e-5, 1e-6)
_numbers = itertools.count()


def load(text: str, name: str = "f") -> Callable[..., Any]:
    """A function of a module given as text, whose source can be found as if it came from a file."""
    file = f"<program {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    namespace: dict[str, Any] = {"__name__": "program"}
    exec(compile(text, file, "exec"), namespace)
    function: Callable[..., Any] = namespace[name]
    return function


def leaves(value: Any) -> Iterator[Any]:
    """All numbers and arrays of a structure."""
    if isinstance(value, tuple | list):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, dict):
        yield from leaves(list(value.values()))
    elif hasattr(value, "__dict__") and not isinstance(value, np.ndarray | np.generic):
        yield from leaves(vars(value))
    elif value is not None:
        yield value


def flat(value: Any) -> Any:
    """All numbers of a result as one vector."""
    return np.concatenate([np.zeros(0), *(np.ravel(np.asarray(leaf, dtype=float)) for leaf in leaves(value))])


def shaped(weights: Any, like: Any) -> Any:
    """A vector of numbers with the structure of a result."""
    numbers = iter(weights)

    def build(x: Any) -> Any:
        if isinstance(x, tuple | list):
            return type(x)(map(build, x))
        if np.ndim(x) == 0:
            return float(next(numbers))
        return np.array([next(numbers) for _ in range(np.size(x))]).reshape(np.shape(x))

    return build(like)


def directions(args: Sequence[Any], seed: int = 7) -> tuple[Any, ...]:
    """A direction for each argument."""
    rng = np.random.default_rng(seed)
    return tuple(rng.normal(size=np.shape(a)) if np.shape(a) else float(rng.normal()) for a in args)


def copied(args: Sequence[Any]) -> tuple[Any, ...]:
    """Arguments that a program may write into, laid out in memory as these are, which share memory as these do."""
    twins: dict[int, Any] = {}

    def copy(a: Any) -> Any:
        if not isinstance(a, np.ndarray):
            return a
        root = a if a.base is None else a.base
        if not (isinstance(root, np.ndarray) and root.flags.forc):
            return laid_out_like(a, a)
        twin = twins.setdefault(id(root), root.copy(order="K").ravel(order="K"))
        made: Any = np.ndarray(a.shape, a.dtype, twin, a.ctypes.data - root.ctypes.data, a.strides)
        made.flags.writeable = a.flags.writeable
        return made

    return tuple(map(copy, args))


def laid_out_like(a: Any, like: Any) -> Any:
    """A copy of an array with the strides of another, and as read-only."""
    if like.size and not like.flags.forc:
        base = np.zeros(
            int(sum(abs(s) * (n - 1) for s, n in zip(like.strides, like.shape, strict=True))) // 8 + 1
        )
        made = np.lib.stride_tricks.as_strided(base, like.shape, tuple(map(abs, like.strides)))
        made = made[tuple(slice(None, None, -1 if s < 0 else 1) for s in like.strides)]
    else:
        made = np.empty_like(like)
    made[...] = a
    made.flags.writeable = like.flags.writeable
    return made


def moved(args: Sequence[Any], along: Sequence[Any], step: float) -> tuple[Any, ...]:
    """The arguments, moved along their directions."""
    return tuple(
        laid_out_like(a + step * d, a) if isinstance(a, np.ndarray) else a + step * d
        for a, d in zip(args, along, strict=True)
    )


def slopes(function: Callable[..., Any], args: Sequence[Any], along: Sequence[Any]) -> list[Any]:
    """Difference quotients along a direction, at several steps."""
    return [
        (flat(function(*moved(args, along, h))) - flat(function(*moved(args, along, -h)))) / (2 * h)
        for h in STEPS
    ]


def distance(found: Any, expected: Sequence[Any]) -> float:
    """How far a derivative is from the nearest of the difference quotients, relative to their size where that is large."""
    if any(np.shape(found) != np.shape(e) for e in expected) or not np.all(np.isfinite(found)):
        return np.inf
    return min(
        float(np.max(np.abs(found - e), initial=0.0) / (1 + np.max(np.abs(e), initial=0.0))) for e in expected
    )


def check(
    function: Callable[..., Any],
    args: Sequence[Any],
    mode: str,
    tolerance: float = 3e-5,
    judge: Callable[..., Any] | None = None,
) -> None:
    """Compare one mode with differences. What is returned must be memory of its own, and the arguments stay as they are.

    ``judge``: the function whose differences are right, where it is another one.
    """
    along = directions(args)
    expected = slopes(judge or function, args, along)
    kept, seeds = copied(args), copied(along)
    if mode == "tangent":
        value, tangent = jvp(function, kept, seeds)
        assert distance(flat(tangent), expected) < tolerance, (
            f"tangent: {flat(tangent)}, differences: {expected[0]}"
        )
        own(tangent, [*kept, *seeds])
    else:
        weights = np.random.default_rng(3).normal(size=expected[0].shape)
        value, pullback = vjp(function, *kept)
        seed, same = shaped(weights, value), shaped(weights, value)
        bars = pullback(seed)
        found = sum(float(np.sum(b * d)) for b, d in zip(bars, along, strict=True) if b is not None)
        wanted = [np.array([weights @ e]) for e in expected]
        scale = 1 + float(np.sum(np.abs(weights)))
        assert distance(np.array([found]), wanted) < tolerance * scale, (
            f"adjoint: {found}, differences: {wanted[0]}"
        )
        own(bars, [*kept, seed])
        assert np.array_equal(flat(seed), flat(same)), "the seed has changed"
    assert all(np.array_equal(a, b) for a, b in zip(kept, args, strict=True)), "the arguments have changed"


def own(results: Any, given: Any) -> None:
    """Assert that arrays can be written into, and share memory neither with each other nor with what was given."""
    arrays = [x for x in leaves(results) if isinstance(x, np.ndarray) and x.size]
    others = [x for x in leaves(given) if isinstance(x, np.ndarray) and x.size]
    assert all(x.flags.writeable for x in arrays), "a result cannot be written into"
    assert not any(np.shares_memory(x, y) for x in arrays for y in others), (
        "a result shares memory with what was given"
    )
    assert not any(np.shares_memory(x, y) for x, y in itertools.combinations(arrays, 2)), (
        "results share memory"
    )


def derivative(
    function: Callable[..., Any], args: Sequence[Any], mode: str
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The derivative program of a function by all its arguments, and arguments for it, as a function to differentiate."""
    derivatives = derivatives_of(function, make_options({}))
    names = tuple(derivatives.argument_names(len(args)))
    program = derivatives.compiled(Ask(mode, names, general=True), list(args)).function
    if mode == "tangent":
        return program, (*args, *directions(args, 11))
    value = function(*copied(args))
    seed = shaped(np.random.default_rng(5).normal(size=flat(value).shape), value)
    return program, (*args, *(seed if isinstance(seed, tuple) else (seed,)))


def check_pair(
    function: Callable[..., Any],
    args: Sequence[Any],
    outer: str,
    inner: str,
    judge: Callable[..., Any] | None = None,
) -> None:
    """Compare one mode of the derivative program of another with its differences, or those of the judge's program."""
    program, arguments = derivative(function, args, inner)
    check(program, arguments, outer, 2e-4, judge and derivative(judge, args, inner)[0])
