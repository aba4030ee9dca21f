"""Kinds of the results of functions that reshape, repeat, cut and put together; symbolic sizes are kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.ir.kinds import (
    UNKNOWN,
    Array,
    Dim,
    Kind,
    Scalar,
    Size,
    Tuple,
    dtype_of,
    equal_sizes,
    fewer,
    is_many,
    least_of,
    not_negative,
    plus,
    product,
    quotient,
    same_size,
    smallest,
    times,
)
from s2sad.ir.nodes import Const, Value
from s2sad.rules import kind_rules
from s2sad.rules.kind_arrays import (
    Shape,
    array_kind,
    entries,
    first,
    literal_of,
    product_size,
    shaped,
    sum_dtype,
)
from s2sad.rules.kind_rules import Bound, KindRule, make, shape_of, sizes_of

# --- arrays from arrays


def _unknown(shape: Shape) -> Shape:
    return (None,) * len(shape)


def reshape(shape: Shape, bound: Bound) -> Shape | None:
    """``reshape(a, shape)``: a size of -1 is what remains."""
    wanted = sizes_of(bound["shape"])
    payload = literal_of(bound["shape"])
    if wanted is None:
        return None
    wanted = tuple(_wanted(n, wanted, shape) for n in wanted)
    holes = [k for k, n in enumerate(entries(payload, len(wanted))) if n == -1]
    if not holes and isinstance(bound["shape"].kind, Tuple) and wanted.count(None) == 1:
        others = product([n for n in wanted if n is not None])  # an unknown entry may be -1 or a size
        size = quotient(product_size(shape), others) if least_of(others) else None
        return tuple(size if n is None else n for n in wanted)
    if len(holes) == 1:
        rest = list(shape)
        for size in (n for k, n in enumerate(wanted) if k != holes[0]):
            match = next((k for k, n in enumerate(rest) if same_size(n, size)), None)
            if match is None and size != 1:
                return _divided(shape, wanted, holes[0])
            if match is not None:
                rest.pop(match)
        return tuple(product_size(tuple(rest)) if k == holes[0] else n for k, n in enumerate(wanted))
    return wanted


def _wanted(size: Size, wanted: Shape, shape: Shape) -> Size:
    """An integer that is asked for as a size: it may be -1 (of one axis), and then what remains of this shape."""
    if not isinstance(size, Dim) or size.least >= 0 or wanted.count(size) > 1:
        return size
    total = product_size(shape)
    return None if total is None else Dim(("reshaped", total, wanted, size))


def _divided(shape: Shape, wanted: Shape, hole: int) -> Shape:
    total = product_size(shape)
    size = quotient(total, product_size(tuple(n for k, n in enumerate(wanted) if k != hole)))
    return tuple(size if k == hole else n for k, n in enumerate(wanted))


def flattened(shape: Shape, _: Bound) -> Shape:
    """``ravel``."""
    return (product_size(shape),)


def transposed(shape: Shape, bound: Bound) -> Shape:
    """``transpose(a, axes)``."""
    axes = bound.get("axes", Const(None))
    if not isinstance(axes, Const):
        return _unknown(shape)
    if axes.payload is None:
        return shape[::-1]
    return tuple(shape[k] for k in axes.payload)


def swapped(shape: Shape, bound: Bound) -> Shape:
    """``swapaxes``."""
    first_axis, second_axis = literal_of(bound["axis1"]), literal_of(bound["axis2"])
    if first_axis is None or second_axis is None:
        return _unknown(shape)
    sizes = list(shape)
    sizes[first_axis], sizes[second_axis] = sizes[second_axis], sizes[first_axis]
    return tuple(sizes)


def moved(shape: Shape, bound: Bound) -> Shape:
    """``moveaxis``."""
    source, target = literal_of(bound["source"]), literal_of(bound["destination"])
    if source is None or target is None:
        return _unknown(shape)
    sources, targets = (entries(axes, 1) for axes in (source, target))
    rank = len(shape)
    order = [k for k in range(rank) if k not in {s % rank for s in sources}]
    for to, come in sorted((t % rank, s % rank) for t, s in zip(targets, sources, strict=True)):
        order.insert(to, come)
    return tuple(shape[k] for k in order)


def squeezed(shape: Shape, bound: Bound) -> Shape | None:
    """``squeeze``: without an axis, only known sizes tell."""
    axis = bound["axis"]
    if literal_of(axis, axis) is None:
        sure = all(n == 1 or is_many(n) for n in shape)
        return tuple(n for n in shape if n != 1) if sure else None
    axes = kind_rules.normal_axes(axis, len(shape))
    return None if axes is None else tuple(n for k, n in enumerate(shape) if k not in axes)


def expanded(shape: Shape, bound: Bound) -> Shape | None:
    """``expand_dims``."""
    axis = literal_of(bound["axis"])
    if axis is None:
        return None
    axes = entries(axis, 1)
    places = {a % (len(shape) + len(axes)) for a in axes}
    sizes = iter(shape)
    return tuple(1 if k in places else next(sizes) for k in range(len(shape) + len(axes)))


def at_least(rank: int) -> Callable[[Shape, Bound], Shape]:
    """``atleast_1d``, ``atleast_2d``."""
    return lambda shape, _: (1,) * (rank - len(shape)) + shape


def at_least_three(shape: Shape, _: Bound) -> Shape:
    """``atleast_3d``: a vector lies along the middle axis, a matrix along the first two."""
    return ((1, 1, 1), (1, *shape, 1), (*shape, 1))[len(shape)] if len(shape) < 3 else shape


def rotated(shape: Shape, bound: Bound) -> Shape:
    """``rot90``."""
    times, axes = literal_of(bound["k"]), literal_of(bound["axes"])
    if times is None or axes is None:
        return _unknown(shape)
    if times % 2 == 0:
        return shape
    return swapped(shape, {"axis1": Const(axes[0]), "axis2": Const(axes[1])})


def _times(size: Size, count: Any) -> Size:
    if isinstance(count, Dim):
        return product([size, count]) if count.least >= 0 else None
    return times(size, count) if isinstance(count, int) and count >= 0 else None


def _counts(value: Value) -> tuple[Any, ...] | None:
    """Literal integers, one or several, or their sizes where kinds tell these; None where it is not known how many there are."""
    payload, kind = literal_of(value), value.kind
    if payload is not None:
        return entries(payload, 1)
    if isinstance(kind, Tuple) and all(isinstance(item, Scalar) and item.is_of("i") for item in kind.items):
        return tuple(item.size for item in kind.items if isinstance(item, Scalar))
    return (kind.size,) if isinstance(kind, Scalar) and kind.is_of("i") else None


def tiled(shape: Shape, bound: Bound) -> Shape | None:
    """``tile``."""
    counts = _counts(bound["reps"])
    if counts is None:
        return None
    rank = max(len(counts), len(shape))
    counts = (1,) * (rank - len(counts)) + counts
    return tuple(map(_times, (1,) * (rank - len(shape)) + shape, counts))


def repeated(shape: Shape, bound: Bound) -> Shape | None:
    """``repeat``."""
    repeats, axis = literal_of(bound["repeats"]), bound["axis"]
    count = repeats if isinstance(repeats, int) else None
    if literal_of(axis, axis) is None or not shape:
        return (_times(product_size(shape), count),)
    if not isinstance(axis, Const):
        return _unknown(shape)
    return tuple(_times(n, count) if k == axis.payload % len(shape) else n for k, n in enumerate(shape))


def diagonal_size(rows: Size, columns: Size, offset: Any) -> Size:
    if isinstance(rows, int) and isinstance(columns, int) and isinstance(offset, int):
        return max(0, min(rows + min(0, offset), columns - max(0, offset)))
    if offset != 0:
        return None
    return rows if equal_sizes(rows, columns) else not_negative(smallest((rows, columns)))


def diagonal(shape: Shape, bound: Bound) -> Shape | None:
    """``diagonal``."""
    axis1, axis2 = literal_of(bound["axis1"]), literal_of(bound["axis2"])
    if axis1 is None or axis2 is None:
        return (None,) * (len(shape) - 1)
    pair = {axis1 % len(shape), axis2 % len(shape)}
    size = diagonal_size(shape[axis1], shape[axis2], literal_of(bound["offset"]))
    return (*(n for k, n in enumerate(shape) if k not in pair), size)


def diag(shape: Shape, bound: Bound) -> Shape | None:
    """``diag``: a matrix from a vector, a vector from a matrix."""
    offset = literal_of(bound["k"])
    if len(shape) == 2:
        return (diagonal_size(shape[0], shape[1], offset),)
    size = plus(shape[0], abs(offset)) if isinstance(offset, int) else None
    return (size, size)


def triangle(shape: Shape, _: Bound) -> Shape:
    """``tril``, ``triu``: a vector counts as rows."""
    return shape if len(shape) != 1 else (shape[0], shape[0])


def traced(bound: Bound) -> Kind:
    """``trace``: a number from a matrix."""
    found = shaped(diagonal)({k: v for k, v in bound.items() if k != "dtype"})
    if not isinstance(found, Array) or found.shape is None:
        return UNKNOWN
    return make(None if found.dtype is None else sum_dtype(found.dtype), found.shape[:-1])


def taken(bound: Bound) -> Kind:
    """``take``: the shape of the indices takes the place of the axis."""
    source, indices, axis = first(bound), array_kind(bound["indices"].kind), bound["axis"]
    if not (isinstance(source, Array | Scalar) and isinstance(indices, Array | Scalar)):
        return UNKNOWN
    shape, inner = shape_of(source), shape_of(indices)
    if literal_of(axis, axis) is None:
        return UNKNOWN if inner is None else make(source.dtype, inner)
    if not shape or inner is None or not isinstance(axis, Const):
        return Array(source.dtype, None) if inner is None or inner else UNKNOWN
    at = axis.payload % len(shape)
    return make(source.dtype, (*shape[:at], *inner, *shape[at + 1 :]))


def taken_along(bound: Bound) -> Kind:
    """``take_along_axis``: the shape of the indices, with other axes stretched."""
    arr, indices = (array_kind(bound[p].kind) for p in ("arr", "indices"))
    shape, inner, axis = shape_of(arr), shape_of(indices), literal_of(bound["axis"])
    if shape is None or inner is None or axis is None or len(shape) != len(inner):
        return Array(dtype_of(arr), None)
    sizes = (kind_rules.stretch_sizes(m, n) for m, n in zip(shape, inner, strict=True))
    return Array(dtype_of(arr), tuple(inner[k] if k == axis % len(inner) else n for k, n in enumerate(sizes)))


def ordered(bound: Bound) -> Kind:
    """``sort``, ``argsort``: flattened without an axis."""
    axis = bound["axis"]
    if literal_of(axis, axis) is None or isinstance(first(bound), Scalar):  # a number becomes a vector
        return shaped(flattened)(bound)
    return shaped(lambda shape, _: shape if isinstance(axis, Const) else None)(bound)


def indices_of(rule: KindRule) -> KindRule:
    """The same shape, of indices."""

    def kind(bound: Bound) -> Kind:
        found = rule(bound)
        return Array("int64", found.shape) if isinstance(found, Array) else found

    return kind


def truths(bound: Bound) -> Kind:
    """``isin``: an array of truths, also of a number."""
    source = first(bound)
    return Array("bool", shape_of(source)) if isinstance(source, Array | Scalar) else UNKNOWN


def padded(shape: Shape, bound: Bound) -> Shape:
    """``pad``: literal widths add up."""
    widths = literal_of(bound["pad_width"])
    if widths is None or isinstance(widths, dict):
        return _unknown(shape)
    pairs = np.broadcast_to(widths, (len(shape), 2)).tolist()
    return tuple(plus(n, a + b) for n, (a, b) in zip(shape, pairs, strict=True))


def diffed(shape: Shape, bound: Bound) -> Shape:
    """``diff``: one item less a time."""
    n, axis = literal_of(bound["n"]), literal_of(bound["axis"])
    if type(n) is not int or type(axis) is not int:
        return _unknown(shape)
    return tuple(_less(size, n) if k == axis % len(shape) else size for k, size in enumerate(shape))


def _less(size: Size, n: int) -> Size:
    if isinstance(size, Dim):
        return fewer(size, n)  # the token of x[n:], which has the same size
    return None if size is None else max(0, size - n)
