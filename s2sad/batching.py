"""``vmap``: a function of one sample as a function of many.

    vmap(grad(loss), (None, 0, 0))(w, xs, ys)            the gradient of each sample

Where the program is straight, all samples go through one program whose values have one axis more (``directions.samples``). Else,
and where that meets an error, they go one after the other: this is exact for any program, branches and loops included.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic

import numpy as np

from s2sad.api import Derived, Function, P, derivatives_of, own
from s2sad.derivatives import Ask, Compiled, Derivatives
from s2sad.errors import ActivityError, CompilerError, S2sadError
from s2sad.ir.kinds import check_type
from s2sad.options import Options, entry
from s2sad.rules.transformations import transformation
from s2sad.trees import finite, leaves, mapped, parts, rebuilt

HIGHEST = 64  # no array has as many axes
SLOW = 1024  # kinds of arguments that are remembered to go one after the other


@transformation("vmap")
@entry
def vmap(function: Callable[P, Any], in_axes: Any = 0, out_axes: Any = 0, *, axis_size: int | None = None) -> Batched[P]:
    """A function whose arguments have one axis more, and which gives the results of ``function`` for each sample, stacked: of
    results of shape s, arrays of shape (number of samples, *s).

    ``in_axes``: for each argument the axis over which it is mapped, None where all samples share it; a tree of those
    for an argument with structure, one number for all. Keywords are mapped over axis 0. ``out_axes``: where the new axis is
    in the results, None for one that is the same for all samples. ``axis_size``: the number of samples, where nothing tells.

    As in JAX. All samples are computed at once where nothing in the program but numbers depends on the sample: by a program that
    is generated when arguments of new kinds come, and agrees with the loop to rounding. Programs with branches, sizes or stores
    that depend on the sample, with random numbers, or without source, and all calls in which NumPy meets a division by zero, an
    overflow or an invalid number, are computed one sample after the other; ``vmap(f).why(*args)`` tells which it is.

    Raises ActivityError for sizes that do not agree, for no samples, and for results that cannot be stacked.
    """
    return Batched(function, in_axes, out_axes, axis_size)


class Batched(Derived, Generic[P]):
    """The function that ``vmap`` makes."""

    def __init__(self, function: Function, in_axes: Any, out_axes: Any, axis_size: int | None) -> None:
        super().__init__(type(self), function, in_axes, out_axes, axis_size)
        in_axes = _axes("in_axes", in_axes)
        self.in_axes = tuple(in_axes) if isinstance(in_axes, list) else in_axes
        self.out_axes, self.axis_size = _axes("out_axes", out_axes), axis_size
        self.transformation = ("vmap", {"in_axes": self.in_axes, "out_axes": self.out_axes, "axis_size": axis_size})

    @property
    def derivatives(self) -> Derivatives:
        """The programs of the function. Raises S2sadError where it is not followed."""
        return derivatives_of(self.function, Options())

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Any:
        axes, spread, named, count = self._samples(args, kwargs)
        try:
            return self._at_once(args, kwargs, axes, count, spread, named)
        except CompilerError:
            raise
        except Exception:  # the loop is what counts, its errors included
            pass
        results = [
            self.function(*(at(k) for at in spread), **{name: at(k) for name, at in named.items()}) for k in range(count)
        ]
        with finite("a result"):
            return _stacked(self.out_axes, results)

    def why(self, *args: P.args, **kwargs: P.kwargs) -> str:
        """The way of arguments like these, through one program at once or one after the other, and the reason."""
        axes, spread, named, count = self._samples(args, kwargs)
        try:
            self._at_once(args, kwargs, axes, count, spread, named)
        except CompilerError:
            raise
        except Exception as error:
            message = error.message if isinstance(error, S2sadError) else f"{type(error).__name__}: {error}"
            return f"one sample after the other: {message}"
        return f"all {count} samples at once"

    def _samples(self, args: Any, kwargs: Any) -> tuple[tuple[Any, ...], list[Any], dict[str, Any], int]:
        """The axes of the arguments, what gives a sample of each of them, and how many there are."""
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
        return axes, spread, named, count

    def _at_once(self, args: Any, kwargs: Any, axes: tuple[Any, ...], count: int, spread: Any, named: Any) -> Any:
        """The results of all samples. Raises an error where they have to be computed one after the other."""
        if count == 1 or _has_none(self.out_axes):
            raise ActivityError("there is one sample" if count == 1 else "out_axes has a None")
        derivatives = self.derivatives
        names = [name for name, axis in zip(derivatives.argument_names(len(args)), axes, strict=False) if _is_mapped(axis)]
        first = derivatives.arguments(tuple(at(0) for at in spread), {name: at(0) for name, at in named.items()})
        if not names and not named:
            raise ActivityError("nothing is mapped over")
        compiled = self._compiled(derivatives, Ask("samples", (*names, *named)), first)
        given = [_all(axis, value, count) for axis, value in zip(axes, args, strict=True)]
        values = derivatives.arguments(tuple(given), {name: _all(0, value, count) for name, value in kwargs.items()})
        with np.errstate(divide="raise", over="raise", invalid="raise"):  # Python's numbers raise errors where NumPy's go on
            found = derivatives.run(compiled, values, ())
        return _placed(self.out_axes, found, [leaf for leaf in leaves(values) if isinstance(leaf, np.ndarray)])

    def _compiled(self, derivatives: Derivatives, ask: Ask, first: list[Any]) -> Compiled:
        if any(name not in derivatives.names for name in ask.inputs):
            raise ActivityError("arguments of *args or **kwargs are mapped over")
        slow: dict[Any, str] = own(self.function).setdefault("one after the other", {})
        key = (ask, derivatives.key(first))
        if key in slow:
            raise ActivityError(slow[key])
        try:
            compiled = derivatives.compiled(ask, first)
            if derivatives.follows_a_call(compiled):
                raise ActivityError(f"{derivatives.function.__name__} changes its object", why="each sample finds it changed")
            return compiled
        except S2sadError as error:
            while len(slow) >= SLOW:
                slow.pop(next(iter(slow)))
            slow[key] = error.message  # the error itself holds on to what was there when it was raised
            raise


def _axes(what: str, given: Any) -> Any:
    """Axes as they are compared: a tree of Python's integers and None. Raises ActivityError for anything else."""

    def axis(leaf: Any) -> int | None:
        if leaf is None or (isinstance(leaf, int | np.integer) and not isinstance(leaf, bool) and abs(int(leaf)) < HIGHEST):
            return None if leaf is None else int(leaf)
        raise ActivityError(f"vmap(): {what}={given!r} holds {leaf!r}", instead="an axis, None, or a tree of those")

    return mapped(axis, given)


def _is_mapped(axes: Any) -> bool:
    return any(axis is not None for axis in leaves(axes))


def _has_none(axes: Any) -> bool:
    return any(axis is None for axis in leaves(axes))


def _all(axes: Any, value: Any, count: int) -> Any:
    """An argument with its samples in front, laid out so in memory; what the samples share, as many times, in a mapped tree."""
    if not _is_mapped(axes):
        return value
    inner = parts(value)
    if inner is None:
        return np.ascontiguousarray(np.moveaxis(np.asarray(value), axes, 0))
    given = dict.fromkeys(inner, axes) if isinstance(axes, int) else parts(axes) or {}
    each = {key: _all if _is_mapped(given[key]) else _repeated for key in inner}
    return rebuilt(value, {key: each[key](given[key], item, count) for key, item in inner.items()})


def _repeated(axes: Any, value: Any, count: int) -> Any:
    return mapped(lambda leaf: np.array(np.broadcast_to(leaf, (count, *np.shape(leaf)))), value)


def _placed(axes: Any, found: Any, taken: list[np.ndarray]) -> Any:
    """The results with the new axis where it is wanted, in memory that nothing in ``taken`` shares."""
    inner = parts(found)
    if inner is not None:
        given = dict.fromkeys(inner, axes) if isinstance(axes, int) else parts(axes)
        if given is None or given.keys() != inner.keys():
            raise ActivityError("the structure of vmap's results is not that of out_axes, or not the same for all samples")
        return rebuilt(found, {key: _placed(given[key], item, taken) for key, item in inner.items()})
    if found is None:
        return None
    if not isinstance(found, np.ndarray) or found.dtype.kind not in "biufc":
        raise ActivityError(f"results of kind {type(found).__name__} cannot be stacked", instead="numbers and arrays")
    moved = np.moveaxis(found, 0, axes)
    alone = moved.flags.owndata and not any(np.may_share_memory(moved, other) for other in taken)
    made = moved if alone and moved.flags.c_contiguous else np.array(moved, order="C")
    taken.append(made)
    return made


def _spread(axes: Any, value: Any, what: str, sizes: dict[int, str]) -> Any:
    """A function that gives the sample of a number of an argument."""
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
        check_type(leaf)
        self.array = np.asarray(leaf)
        if self.array.dtype.kind == "O":
            raise ActivityError(f"{what} holds objects, and is to be mapped over", instead="np.asarray(x, float)")
        if self.array.dtype.kind not in "biufc" and self.array.ndim:
            raise ActivityError(f"{what} holds no numbers, and is to be mapped over", instead="places in a list outside")
        if not isinstance(axis, int) or not -self.array.ndim <= axis < self.array.ndim:
            number = leaf if isinstance(leaf, int | float | complex) else None
            found = f"holds the number {number!r}, of 0 axes" if number is not None else f"has {self.array.ndim} axes"
            raise ActivityError(
                f"{what} {found}, and is to be mapped over axis {axis!r}",
                instead="" if number is None else "an array, np.asarray(x), or None in in_axes for what all samples share",
            )
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
    if not isinstance(axis, int):
        raise ActivityError("the structure of vmap's results is not that of out_axes", instead="an axis for each part")
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
