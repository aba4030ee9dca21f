"""``ravel(tree)`` in a differentiated function: its numbers in one vector, and the way back, both written out.

    flat, back = ravel(grads)      ==>      flat = np.concatenate([np.ravel(grads_w), np.ravel(grads_b)])
    step = back(-0.1 * flat)                step_w = v1[:grads_w.size].reshape(grads_w.shape).astype(np.float64) ...
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import gast
import numpy as np

from s2sad.frontend.entities import Asked, Choice, Entity, Partial, Static, Struct, flatten, rebuild
from s2sad.frontend.lower import transformation_programs as programs
from s2sad.frontend.lower.copying import as_now
from s2sad.frontend.lower.parts import as_record, as_struct, whole
from s2sad.frontend.lower.prelude_calls import program
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import Array, Kind, Scalar
from s2sad.ir.nodes import Const, Value


def raveled(ctx: Lowering, args: list[Entity], node: gast.AST) -> Entity:
    """``ravel(tree)``: the vector, and a partial of ``unravel``."""
    (tree,) = args
    now = as_struct(ctx, tree)
    leaves = list(flatten(now))
    order = [k for k in _in_order(ctx, now, iter(range(len(leaves))), node) if _is_inexact(ctx, leaves[k], node)]
    rows: list[Entity] = [ctx.builder.call("numpy.ravel", whole(ctx, leaves[k], node)) for k in order]
    put = ("numpy.concatenate", whole(ctx, Struct(rows), node)) if rows else ("numpy.zeros", Const(0))
    vector = ctx.builder.call(*put)
    like = [Const(None) if k in order else as_now(ctx, leaf, node) for k, leaf in enumerate(leaves)]
    extents = [program(ctx, programs.extent, [leaves[k]], node) for k in order]
    kinds = tuple((k, whole(ctx, leaves[k], node).kind) for k in order)
    back = Partial(Static(Asked("unravel", kinds)), [rebuild(now, iter(like)), Struct(extents)], {})
    return Struct([vector, back])


def unraveled(ctx: Lowering, ask: Asked, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity:
    """A call of the way back: the tree with the numbers of a vector."""
    like, extents, *given = (as_struct(ctx, arg) for arg in (*args, *kwargs.values()))
    assert isinstance(extents, Struct)
    if len(given) != 1:
        ctx.refuse(node, "this call of the way back of a ravel", f"{len(given)} arguments are given", "one vector")
    vector = whole(ctx, given[0], node)
    if not isinstance(vector.kind, Array):
        ctx.refuse(node, "this call of the way back of a ravel", f"a {vector.kind} is given", "an array of one axis")
    if not all(_is_complex(kind) for _, kind in ask.wrt):
        if _is_complex(vector.kind):
            ctx.refuse(node, "numbers with imaginary parts for real leaves", "they have no place there", "np.real(vector)")
        if vector.kind.dtype is None:
            program(ctx, programs.of_reals, [vector], node)
    leaves = list(flatten(like))
    start: Entity = Const(0)
    starts = [start]
    for extent in extents.items:
        assert isinstance(extent, Struct)
        start = program(ctx, programs.after, [start, extent.items[0]], node)
        starts.append(start)
    program(ctx, programs.of_size, [vector, start], node)
    for (k, kind), extent, start in zip(ask.wrt, extents.items, starts, strict=False):
        assert isinstance(extent, Struct) and isinstance(kind, Array | Scalar) and kind.dtype is not None
        if isinstance(kind, Array):
            written = programs.part if kind.dtype == vector.kind.dtype else programs.part_of_type
            dtype = [Static(np.dtype(kind.dtype).type)] if written is programs.part_of_type else []
            found = program(ctx, written, [vector, start, *extent.items, *dtype], node)
        else:
            number = (complex if _is_complex(kind) else float) if kind.weak else np.dtype(kind.dtype).type
            found = program(ctx, programs.item, [vector, start, Static(number)], node)
        leaves[k] = found
    return as_record(ctx, rebuild(like, iter(leaves)))


def _is_complex(kind: Kind) -> bool:
    return isinstance(kind, Array | Scalar) and kind.dtype is not None and np.dtype(kind.dtype).kind == "c"


def _is_inexact(ctx: Lowering, leaf: Entity, node: gast.AST) -> bool:
    """Test for a leaf whose numbers are in the vector. Refuses one of which that is not known before the program runs."""
    if isinstance(leaf, Const):
        return isinstance(leaf.payload, float | complex | np.inexact)
    if not isinstance(leaf, Value):
        return False
    kind = leaf.kind
    if not isinstance(kind, Array | Scalar) or kind.dtype is None or (isinstance(kind, Scalar) and kind.mixed):
        why = f"it is not known before the program runs which numbers of a {kind} are in the vector"
        ctx.refuse(node, "this tree for ravel", why, "a tree of arrays and numbers, of lists and dicts that do not change")
    return np.dtype(kind.dtype).kind in "fc"


def _in_order(ctx: Lowering, entity: Entity, places: Iterator[int], node: gast.AST) -> list[int]:
    """The leaves' places among all leaves, as they lie in the vector: items of dicts by their keys (``s2sad.vectors``)."""
    if isinstance(entity, Choice):
        ctx.refuse(node, "this tree for ravel", "it is one of several, as the program runs", "one ravel for each")
    if not isinstance(entity, Struct):
        return [next(places)]
    items = [_in_order(ctx, item, places, node) for item in entity.items]
    if entity.kind == "dict":
        by_key = dict(zip(entity.keys, items, strict=True))
        with contextlib.suppress(TypeError):  # keys that cannot be compared
            items = [by_key[key] for key in sorted(by_key)]
    return [place for item in items for place in item]
