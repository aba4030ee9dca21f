"""NumPy's grids, and its objects that are subscripted, written out as ranges, broadcasts and concatenations.

gx, gy = np.meshgrid(x, y)            gx = np.copy(np.broadcast_to(x[None, :], (len(y), len(x)))); ...
np.mgrid[0:3, 0:4]                    np.stack(np.meshgrid(np.arange(0, 3), np.arange(0, 4), indexing='ij'))
np.ix_(x, y)                          x[:, None], y[None, :]
np.r_[x, y]                           np.concatenate((x, y))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.frontend.entities import Entity, Iteration, Struct
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import (
    NARROW,
    RANGE,
    UNKNOWN,
    Array,
    List,
    Scalar,
    Slice,
    Tuple,
    dtype_of,
    is_differentiable,
    rank_of,
)
from s2sad.ir.nodes import Const, Value
from s2sad.libraries.numpy.calls.handlers import (
    NO,
    YES,
    array,
    item,
    items_of,
    literal,
    operand,
    rank,
    written_out,
)
from s2sad.rules.kind_arrays import array_kind

CARTESIAN, COLUMN = Const("xy"), Const((slice(None), None))


@written_out(np.meshgrid)
def _meshgrid(
    ctx: Lowering,
    node: Any,
    *xi: Entity,
    copy: Entity = YES,
    sparse: Entity = NO,
    indexing: Entity = CARTESIAN,
) -> Entity:
    options = ((copy, "copy"), (sparse, "sparse"), (indexing, "indexing"))
    copied, thin, order = (literal(ctx, node, e, w) for e, w in options)
    if order not in ("xy", "ij"):
        error = ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
        ctx.fail(node, error, f"np.meshgrid with indexing={order!r}", "'xy' or 'ij'")
    given = [array(ctx, node, x) for x in xi]
    vectors = [x if rank_of(array_kind(x.kind)) == 1 else ctx.builder.call("numpy.reshape", x, Const(-1)) for x in given]
    axes = list(range(len(vectors)))
    if order == "xy":
        axes[:2] = axes[:2][::-1]
    lengths = [ctx.builder.call("builtins.len", vectors[axes[k]]) for k in range(len(vectors))]
    shape = ctx.builder.call("builtins.tuple", *lengths)
    grids: list[Entity] = []
    for k, vector in enumerate(vectors):
        index = tuple(slice(None) if axis == axes[k] else None for axis in range(len(vectors)))
        grid = item(ctx, vector, Const(index))
        grid = grid if thin else ctx.builder.call("numpy.broadcast_to", grid, shape)
        grids.append(ctx.builder.call("numpy.copy", grid) if copied else grid)
    return Struct(grids)


@written_out(np.ix_)
def _ix(ctx: Lowering, node: Any, *args: Entity) -> Entity | None:
    """Of numbers that may vary; of places, which have no derivative, as it stands."""
    given = [operand(ctx, node, entity) for entity in args]
    if any(rank_of(array_kind(value.kind)) not in (1, None) for value in given):
        error = ValueError("Cross index must be 1 dimensional")
        ctx.fail(node, error, "this call of np.ix_", "vectors")
    dtypes = [dtype_of(array_kind(value.kind)) for value in given]
    unknown = [value for value, dtype in zip(given, dtypes, strict=True) if dtype is None and value.kind != RANGE]
    if unknown:
        ctx.builder.call("s2sad.runtime.assert_places", Const("np.ix_"), *unknown)
    if unknown or "bool" in dtypes or not any(is_differentiable(value.kind) for value in given):
        return None
    vectors = [array(ctx, node, value) for value in given]
    keys = [tuple(slice(None) if k == own else None for k in range(len(vectors))) for own in range(len(vectors))]
    return Struct([item(ctx, vector, Const(key)) for vector, key in zip(vectors, keys, strict=True)])


# --- loops over all places of an array


@written_out(np.ndindex)
def _ndindex(ctx: Lowering, node: Any, *shape: Entity) -> Entity:
    sizes = items_of(ctx, shape[0]) if len(shape) == 1 else list(shape)
    values = [operand(ctx, node, size) for size in ([shape[0]] if sizes is None else sizes)]
    if any(not isinstance(size.kind, Scalar) for size in values):
        ctx.refuse(node, "np.ndindex of this", "its sizes are not known one by one", "np.ndindex(*x.shape)")
    count: Value = Const(1)
    for size in values:
        count = size if _is_one(count) else ctx.builder.call("operator.mul", count, size)
    whole = ctx.value(Struct(list(values)), node)
    return Iteration(length=count, item=lambda index: _place(ctx, index, whole), once=True)


@written_out(np.ndenumerate)
def _ndenumerate(ctx: Lowering, node: Any, arr: Entity) -> Entity:
    value = operand(ctx, node, arr)
    if not isinstance(value.kind, Array) or not rank(ctx, node, value, "np.ndenumerate"):
        ctx.refuse(node, "np.ndenumerate of this", "it is no array", "an array")
    shape = ctx.builder.call("ndarray.shape", value)

    def pair(index: Value) -> Entity:
        place = _place(ctx, index, shape)
        return Struct([place, item(ctx, value, place)])

    return Iteration(length=ctx.builder.call("ndarray.size", value), item=pair, once=True)


def _is_one(value: Value) -> bool:
    return isinstance(value, Const) and value.payload == 1


def _place(ctx: Lowering, index: Value, shape: Value) -> Value:
    return ctx.builder.call("numpy.unravel_index", index, shape)


# --- objects that are subscripted: np.r_[x, y], np.mgrid[0:3, 0:4]


def subscripted(ctx: Lowering, payload: Any, index: Entity, node: Any) -> Entity | None:
    """The value of ``np.r_[...]``, ``np.s_[...]`` and their like; None of other objects."""
    if payload is np.r_ or payload is np.c_:
        return _in_line(ctx, node, index, "np.r_" if payload is np.r_ else "np.c_")
    if payload is np.mgrid or payload is np.ogrid:
        return _grid(ctx, node, index, payload is np.ogrid)
    if payload is np.s_:
        return index
    if payload is np.index_exp:
        return index if isinstance(index, Struct) else Struct([index])
    return None


def _in_line(ctx: Lowering, node: Any, index: Entity, name: str) -> Value:
    """Numbers, ranges and arrays one behind the other, or side by side: numbers and vectors are columns then."""
    given = items_of(ctx, index) or [index]
    parts = [_ranged(ctx, node, operand(ctx, node, part)) for part in given]
    ranks = [rank_of(array_kind(part.kind)) for part in parts]
    if any(not _is_part(part, n, name == "np.r_") for part, n in zip(parts, ranks, strict=True)):
        ctx.refuse(node, f"{name} of this", "its parts are not all numbers, ranges or arrays", "np.concatenate, np.stack")
    parts = _in_one_type(ctx, parts)
    least = 2 if name == "np.c_" else 1
    lines = [
        ctx.builder.call("numpy.atleast_1d", part) if n is None else part if n >= least else _filled(ctx, part, n, least)
        for part, n in zip(parts, ranks, strict=True)
    ]
    whole = ctx.value(Struct(list(lines)), node)
    if name == "np.c_" and set(ranks) == {1}:
        return ctx.builder.call("numpy.column_stack", ctx.value(Struct(list(parts)), node))
    if name == "np.c_":
        return ctx.builder.call("numpy.concatenate", whole, axis=Const(-1))
    return ctx.builder.call("numpy.concatenate", whole)


def _is_part(part: Value, axes: int | None, any_rank: bool) -> bool:
    """Test for a part that stands behind others as one: numbers and arrays, of known ranks where these matter."""
    if axes is None:
        return any_rank and (isinstance(part.kind, Array) or part.kind == UNKNOWN)
    return isinstance(part.kind, Array | Scalar | List | Tuple)


def _in_one_type(ctx: Lowering, parts: list[Value]) -> list[Value]:
    """Python's numbers in the type that NumPy finds for all parts, of which theirs decides nothing but the field."""
    dtypes = [dtype_of(array_kind(part.kind)) for part in parts]
    weak = [isinstance(part.kind, Scalar) and part.kind.weak for part in parts]
    if not any(weak) or not any(dtype in NARROW for dtype in dtypes) or None in dtypes:
        return parts
    zeros = [np.zeros(1, dtype) for dtype in dtypes]
    example = tuple(
        zero[0].item() if loose else zero if isinstance(part.kind, Array) else zero[0]
        for zero, loose, part in zip(zeros, weak, parts, strict=True)
    )
    wanted = Const(np.r_[example].dtype.name)
    return [ctx.builder.call("numpy.asarray", p, wanted) if loose else p for p, loose in zip(parts, weak, strict=True)]


def _ranged(ctx: Lowering, node: Any, part: Value) -> Value:
    """A slice as the range that it is here."""
    if isinstance(part, Const) and isinstance(part.payload, str):
        ctx.refuse(node, f"the directive {part.payload!r}", "it is not written out", "np.concatenate, np.stack")
    is_slice = isinstance(part.kind, Slice) or isinstance(part, Const) and isinstance(part.payload, slice)
    return _line(ctx, node, part) if is_slice else part


def _filled(ctx: Lowering, part: Value, rank: int, least: int) -> Value:
    """A number as an array of one item, a vector as a column."""
    value = part if isinstance(part.kind, Array) else ctx.builder.call("numpy.asarray", part)
    return item(ctx, value, COLUMN) if rank else ctx.builder.call("numpy.reshape", value, Const((1,) * least))


def _grid(ctx: Lowering, node: Any, index: Entity, thin: bool) -> Entity:
    """One line of numbers for each slice; crossed if there are several."""
    spans = items_of(ctx, index)
    lines = [_line(ctx, node, operand(ctx, node, span)) for span in spans or [index]]
    if spans is None:
        return lines[0]
    found = _meshgrid(ctx, node, *lines, sparse=YES if thin else NO, indexing=Const("ij"))
    return found if thin else ctx.builder.call("numpy.stack", ctx.value(found, node))


def _line(ctx: Lowering, node: Any, span: Value) -> Value:
    """``start:stop:step`` as a range; an imaginary step is a number of items, the last of them ``stop``."""
    parts = [Const(p) for p in _literal_parts(span)] if isinstance(span, Const) else _parts(ctx, node, span)
    start, stop, step = parts
    if not isinstance(step, Const):
        ctx.refuse(node, "a grid with a computed step", "an imaginary one is a number of items", "np.arange")
    start = Const(0) if isinstance(start, Const) and start.payload is None else start
    if isinstance(step.payload, complex):
        return ctx.builder.call("numpy.linspace", start, stop, int(abs(step.payload)))
    return ctx.builder.call("numpy.arange", start, stop, Const(1) if step.payload is None else step)


def _literal_parts(span: Const) -> tuple[Any, Any, Any]:
    parts = span.payload
    return (parts.start, parts.stop, parts.step) if isinstance(parts, slice) else (None, None, None)


def _parts(ctx: Lowering, node: Any, span: Value) -> list[Value]:
    """The bounds of a slice that was made in this place."""
    made = ctx.builder.maker(span)
    if made is None or made.target != "builtins.slice":
        ctx.refuse(node, "this index of a grid", "it is no slice written in its place", "start:stop")
    return list(made.args)
