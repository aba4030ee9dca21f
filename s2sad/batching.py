"""``vmap``: a function of one sample as a function of many, one after the other; the results are stacked.

    vmap(grad(loss), (None, 0, 0))(w, xs, ys)            the gradient of each sample

Exact for any program, branches and loops included: it is the loop that one would write.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.api import Derived, Function
from s2sad.errors import ActivityError
from s2sad.rules.transformations import transformation
from s2sad.trees import mapped, parts, rebuilt


@transformation("vmap")
def vmap(function: Function, in_axes: Any = 0, out_axes: Any = 0, *, axis_size: int | None = None) -> Batched:
    """A function whose arguments have one axis more, and which gives the results of ``function`` for each sample, stacked.

    ``in_axes``: for each argument the axis over which it is mapped, None where all samples share it; a tree of those
    for an argument with structure, one number for all. Keywords are mapped over axis 0. ``out_axes``: where the new axis is
    in the results, None for one that is the same for all samples. ``axis_size``: the number of samples, where nothing tells.
    As in JAX; the samples are computed one after the other. Raises ActivityError for sizes that do not agree, for
    no samples, and for results that cannot be stacked.
    """
    return Batched(function, in_axes, out_axes, axis_size)


class Batched(Derived):
    """What ``vmap`` makes."""

    def __init__(self, function: Function, in_axes: Any, out_axes: Any, axis_size: int | None) -> None:
        super().__init__(type(self), function, in_axes, out_axes, axis_size)
        self.in_axes = tuple(in_axes) if isinstance(in_axes, list) else in_axes
        self.out_axes, self.axis_size = out_axes, axis_size
        self.transformation = ("vmap", {"in_axes": self.in_axes, "out_axes": out_axes, "axis_size": axis_size})

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        axes = self.in_axes if isinstance(self.in_axes, tuple) else (self.in_axes,) * len(args)
        if len(axes) != len(args):
            raise ActivityError(f"vmap is given {len(args)} arguments, and in_axes for {len(axes)}")
        sizes: dict[int, str] = {}
        spread = [_spread(axis, value, f"argument {k}", sizes) for k, (axis, value) in enumerate(zip(axes, args, strict=True))]
        named = {name: _spread(0, value, f"argument {name!r}", sizes) for name, value in kwargs.items()}
        if self.axis_size is not None:
            sizes.setdefault(self.axis_size, "axis_size")
        if len(sizes) != 1:
            found = ", ".join(f"{size} ({what})" for size, what in sizes.items())
            raise ActivityError(f"vmap needs one number of samples: {found or 'nothing is mapped over'}")
        (count,) = sizes
        if count == 0:
            raise ActivityError("vmap is given no samples", why="what the function would return is not known")
        results = [
            self.function(*(at(k) for at in spread), **{name: at(k) for name, at in named.items()}) for k in range(count)
        ]
        return _stacked(self.out_axes, results)


def _spread(axes: Any, value: Any, what: str, sizes: dict[int, str]) -> Any:
    """What gives the sample of that number of an argument."""
    if axes is None:
        return lambda k: value
    inner = parts(value)
    if isinstance(axes, int) and inner is not None:
        leaves = mapped(lambda leaf: _Sample(leaf, axes, what, sizes), value)
    elif inner is None:
        leaves = _Sample(value, axes, what, sizes)
    else:
        given = parts(axes)
        if given is None or given.keys() != inner.keys():
            raise ActivityError(f"in_axes of {what} is {axes!r}, which has not its structure")
        each = {key: _spread(given[key], item, what, sizes) for key, item in inner.items()}
        return lambda k: rebuilt(value, {key: at(k) for key, at in each.items()})
    return lambda k: mapped(lambda sample: sample.at(k), leaves)


class _Sample:
    """A leaf that is mapped over."""

    __slots__ = ("array", "axis")

    def __init__(self, leaf: Any, axis: Any, what: str, sizes: dict[int, str]) -> None:
        self.array = np.asarray(leaf)
        if not isinstance(axis, int) or not -self.array.ndim <= axis < self.array.ndim:
            raise ActivityError(f"{what} has {self.array.ndim} axes, and is to be mapped over axis {axis!r}")
        self.axis = axis
        sizes.setdefault(self.array.shape[axis], what)

    def at(self, k: int) -> Any:
        """One sample: a number of Python where no axis is left, as the function would be called with."""
        found = np.take(self.array, k, axis=self.axis)
        return found.item() if found.ndim == 0 and found.dtype in (np.float64, np.int64, np.complex128, np.bool_) else found


def _stacked(axes: Any, results: list[Any]) -> Any:
    """The results as one, with a new axis at each leaf."""
    first = results[0]
    if axes is None:
        if any(not _same(first, other) for other in results[1:]):
            raise ActivityError("vmap's out_axes is None for a result that is not the same for all samples", instead="out_axes=0")
        return first
    inner = parts(first)
    if inner is None:
        return _stack(axes, results)
    given = dict.fromkeys(inner, axes) if isinstance(axes, int) else parts(axes)
    tables = [parts(result) or {} for result in results]
    if given is None or given.keys() != inner.keys() or any(table.keys() != inner.keys() for table in tables):
        raise ActivityError("the structure of vmap's results is not that of out_axes, or not the same for all samples")
    return rebuilt(first, {key: _stacked(given[key], [table[key] for table in tables]) for key in inner})


def _stack(axis: int, results: list[Any]) -> Any:
    if all(result is None for result in results):
        return None
    try:
        found = np.stack([np.asarray(result) for result in results], axis=axis)
    except ValueError as error:
        raise ActivityError(f"the results of the samples cannot be stacked: {error}") from error
    if found.dtype.kind not in "biufc":
        raise ActivityError(f"results of kind {type(results[0]).__name__} cannot be stacked", instead="numbers and arrays")
    return found


def _same(a: Any, b: Any) -> bool:
    inner, other = parts(a), parts(b)
    if inner is None or other is None:
        return type(a) is type(b) and np.array_equal(a, b)
    return inner.keys() == other.keys() and all(_same(inner[key], other[key]) for key in inner)
