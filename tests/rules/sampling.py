"""How sample calls are written: numbers, arrays of all shapes, and the calls that similar functions share."""

from __future__ import annotations

import copy
import linecache
import sys
import types
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np


class Sample(NamedTuple):
    """One call. ``fixed`` names parameters that are not differentiated though they hold real numbers."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    fixed: frozenset[str]

    def fresh(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, copied, as a test may write into them."""
        return copy.deepcopy(self.args), copy.deepcopy(self.kwargs)


class Literal(float):
    """A number that is written out in the call, where numbers otherwise stand for values."""


def spread(items: Sequence[Any], count: int) -> list[tuple[int, Any]]:
    """So many items, from all parts, with their numbers; the first and the last are among them."""
    places = range(len(items)) if len(items) <= count else {round(k * (len(items) - 1) / max(count - 1, 1)) for k in range(count)}
    return [(k, items[k]) for k in sorted(places)]


def options_of(primitive: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> set[str]:
    """The parameters that a call gives other values than their defaults."""
    places = [p for p, _, _ in primitive.parameters if p not in primitive.keyword_only]
    defaults = {p: default for p, optional, default in primitive.parameters if optional}
    given = {**dict(zip(places, args, strict=False)), **kwargs}
    return {p for p, value in given.items() if p in defaults and repr(value) != repr(defaults[p])}


def with_options(primitive: Any, items: Sequence[Sample], count: int) -> list[tuple[int, Sample]]:
    """So many samples of all parts, and those that have an option which none before them has, with their numbers."""
    found = spread(items, count)
    seen = set().union(*(options_of(primitive, s.args, s.kwargs) for _, s in found))
    for k, sample in enumerate(items):
        more = options_of(primitive, sample.args, sample.kwargs) - seen
        if more:
            found.append((k, sample))
            seen |= more
    return found


def call(*args: Any, fixed: str = "", **kwargs: Any) -> Sample:
    """A sample."""
    return Sample(args, kwargs, frozenset(fixed.split()))


def arr(*shape: int, low: float = -1.0, high: float = 1.0, seed: int = 0, dtype: str = "float64") -> Any:
    """Distinct numbers between ``low`` and ``high``, none of them near the ends or 0."""
    rng = np.random.default_rng(seed + 17 * len(shape) + sum(shape))
    count = int(np.prod(shape))
    steps = (rng.permutation(count) + rng.uniform(0.35, 0.65, count)) / max(1, count)
    values = low + (high - low) * steps
    values = np.where(np.abs(values) < 0.05, values + 0.1, values)
    if dtype.startswith("complex"):
        values = values + 1j * (low + (high - low) * rng.permutation(steps))
    return values.reshape(shape).astype(dtype)


def loaded(file: str, text: str, **given: Any) -> dict[str, Any]:
    """What a module of this text defines, its source at hand as that of a module on disk."""
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    module = types.ModuleType(file)
    vars(module).update(given, __file__=file)
    sys.modules[file] = module
    exec(compile(text, file, "exec"), vars(module))
    return vars(module)


def unary(low: float = -1.0, high: float = 1.0, complex: bool = True) -> list[Sample]:
    """A number, arrays of all ranks, an empty one, single precision, complex numbers."""
    found = [
        call(0.3 * low + 0.7 * high),
        call(np.float64(0.4 * low + 0.6 * high)),
        call(arr(4, low=low, high=high)),
        call(arr(2, 3, low=low, high=high)),
        call(np.zeros((0, 2)) + 0.5 * (low + high)),
        call(np.array(0.35 * low + 0.65 * high)),
        call(arr(5, low=low, high=high, dtype="float32")),
    ]
    return [*found, call(arr(3, low=low, high=high, dtype="complex128"))] if complex else found


def binary(
    low: float = -1.0, high: float = 1.0, complex: bool = True, second: tuple[float, float] | None = None
) -> list[Sample]:
    """Pairs of all shapes that broadcast against each other."""
    low_2, high_2 = second or (low, high)
    shapes = [
        ((), ()),
        ((3,), ()),
        ((), (3,)),
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((2, 1), (1, 3)),
        ((1,), (4,)),
        ((2, 3), (2, 1)),
        ((0, 3), (3,)),
    ]
    found = [call(_one(s, low, high, 1), _one(t, low_2, high_2, 5)) for s, t in shapes]
    found.append(
        call(
            arr(3, low=low, high=high, dtype="float32"),
            arr(2, 3, low=low_2, high=high_2, seed=3, dtype="float32"),
        )
    )
    found.append(call(arr(3, low=low, high=high, dtype="float32"), 0.5 * (low_2 + high_2) + 0.1))
    if complex:
        found.append(
            call(
                arr(3, low=low, high=high, dtype="complex128"),
                arr(2, 3, low=low_2, high=high_2, seed=3, dtype="complex128"),
            )
        )
        found.append(
            call(arr(3, low=low, high=high), arr(3, low=low_2, high=high_2, seed=4, dtype="complex128"))
        )
    return found


def _one(shape: tuple[int, ...], low: float, high: float, seed: int) -> Any:
    return (
        arr(*shape, low=low, high=high, seed=seed)
        if shape
        else float(0.5 * (low + high) + 0.21 * (high - low) * (seed - 2) / 3)
    )


def reductions(low: float = -1.0, high: float = 1.0, complex: bool = True, **options: Any) -> list[Sample]:
    """Every kind of axis, with and without keepdims."""
    x, y = arr(2, 3, 4, low=low, high=high), arr(3, 4, low=low, high=high)
    found = [
        call(arr(5, low=low, high=high), **options),
        call(y, **options),
        call(y, 0, **options),
        call(y, axis=1, **options),
        call(y, axis=-1, keepdims=True, **options),
        call(y, axis=None, keepdims=True, **options),
        call(x, axis=1, **options),
        call(x, axis=(0, 2), **options),
        call(x, axis=(-1, 0), keepdims=True, **options),
        call(x, axis=(1, 2), **options),
        call(arr(3, 1, low=low, high=high), axis=1, **options),
        call(arr(2, 3, low=low, high=high, dtype="float32"), axis=1, **options),
        call(arr(1, 3, low=low, high=high), axis=0, keepdims=True, **options),
    ]
    return (
        [*found, call(arr(2, 3, low=low, high=high, dtype="complex128"), axis=0, **options)]
        if complex
        else found
    )
