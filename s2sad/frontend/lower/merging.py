"""Merging: the two entities to which two paths through a branch bind a variable become one.

Run-time values become results of the branch; tuples, records and functions are merged item by item, of what differs at
compile time a choice is made (``choices``), and what cannot be told any more is poisoned: whoever uses it is told why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from s2sad.frontend.entities import (
    Entity,
    Record,
    Struct,
    Top,
    flatten,
    places_of_dicts,
    rebuild,
    same_structure,
)
from s2sad.frontend.lower import referring
from s2sad.frontend.lower.choices import alike, callables_apart, callables_restored
from s2sad.frontend.lower.maybe import absent
from s2sad.frontend.lower.parts import as_record, as_struct, records_in, seal
from s2sad.frontend.lower.referring import MERGED
from s2sad.frontend.lower.state import Bound, Key, Lowering
from s2sad.ir.kinds import NONE, Array, Kind, List, Scalar, TupleOf, is_differentiable, join
from s2sad.ir.nodes import Const, If, Undef, Value
from s2sad.ir.walk import raises

Variables = dict[Key, Entity]


def merge_arms(
    ctx: Lowering,
    op: If,
    arms: tuple[Entity, Entity],
    after: tuple[Variables, Variables],
    key: Key | None,
    fresh: set[Record],
) -> Entity:
    """The entity to which two paths bind a variable; objects of one class with the same fields are merged field by field.

    Fields may be assigned afterwards only of ``fresh`` objects, which were made in the arms and which nobody else refers to.
    """
    a, b = arms
    if a is b:
        return a
    left = b if raises(op.then) else a if raises(op.orelse) else None
    if isinstance(left, Record) and all((left, key) in variables for variables in after for key in left.keys):
        return left  # an object of before the branch: nothing comes from the path that raises
    lasting = referring.lasting(ctx, *after)
    a, b = referring.meeting(ctx, a, b, lasting)
    forms = [callables_apart(as_struct(ctx, e, now, lasting=lasting)) for e, now in ((a, after[0]), (b, after[1]))]
    merged = _merge(ctx, op, forms[0], forms[1], key)
    if isinstance(merged, Top):
        reasons = [e.why for e in (a, b) if isinstance(e, Top)]  # the older one says more
        merged = replace(merged, why=[*reasons, merged.why][0], dicts=places_of_dicts(a, b))
    if {*records_in(a, after[0]), *records_in(b, after[1])} <= fresh:
        return as_record(ctx, callables_restored(merged))
    seal(ctx, a, MERGED, lasting)
    seal(ctx, b, MERGED, lasting)
    return as_record(ctx, callables_restored(merged), MERGED)


def unlike(ctx: Lowering, a: Sequence[Entity], b: Sequence[Entity], looped: bool) -> bool:
    """Test for a list that would meet an array or a number, the adjoint of one is no adjoint of the other, or a tuple.

    What runs over an array's items (``a.flat``) has no windows, and meets nothing. Flags and counts have none, and may
    meet a list but in loops, which carry the list's adjoint past them.
    """
    return any(
        isinstance(x, Value)
        and isinstance(y, Value)
        and {type(x.kind), type(y.kind)} in ({List, Array}, {List, Scalar}, {TupleOf, Array}, {TupleOf, Scalar})
        and (looped or is_differentiable(x.kind) and is_differentiable(y.kind))
        or (x is not y and (x in ctx.flats or y in ctx.flats))
        or isinstance(x, Value)
        and isinstance(y, Value)
        and {type(x.kind), type(y.kind)} == {List, TupleOf}
        for x, y in zip(a, b, strict=True)
    )


def _merge(ctx: Lowering, op: If, a: Entity, b: Entity, key: Key | None) -> Entity:
    """The entity after a branch: the same one, a merged value, or one that may not be used."""
    if a is b:
        return a
    if (
        isinstance(a, Const)
        and isinstance(b, Const)
        and type(a.payload) is type(b.payload)
        and a.payload == b.payload
    ):
        return a
    if raises(op.then):
        a = absent(b)
    elif raises(op.orelse):
        b = absent(a)
    a, b = alike(ctx, a, b, (op.then, op.orelse))
    leaves_a, leaves_b = list(flatten(a)), list(flatten(b))
    if not mergeable(a, b) or unlike(ctx, leaves_a, leaves_b, looped=bool(ctx.loops)):
        return Top("it is bound to different things on the two paths of a branch")
    merged: list[Entity] = []
    for x, y in zip(leaves_a, leaves_b, strict=True):
        if x == y:  # values and records are equal only to themselves, functions known at compile time by what they are
            merged.append(x)
            continue
        assert isinstance(x, Value) and isinstance(y, Value)
        name = str(key[1]) if key is not None and isinstance(key[1], str | Bound) else None
        value = Value(_joined(ctx, x, y), name if not isinstance(a, Struct) else (x.name or y.name))
        op.then.yields.append(Undef() if x in ctx.dropped else x)
        op.orelse.yields.append(Undef() if y in ctx.dropped else y)
        op.results.append(value)
        merged.append(value)
    return rebuild(a, iter(merged))


def _joined(ctx: Lowering, x: Value, y: Value) -> Kind:
    """The kind of a merged value. What a recursive function tapes is read only where it is bound, and None elsewhere."""
    if ctx.tapes and NONE in (x.kind, y.kind):
        other = y.kind if x.kind == NONE else x.kind
        if isinstance(other, Array | Scalar | List):
            return other
    return join(x.kind, y.kind)


def mergeable(a: Entity, b: Entity) -> bool:
    """Test for two entities that differ in nothing but run-time values."""
    if not same_structure(a, b):
        return False
    return all(x == y or isinstance(x, Value) and isinstance(y, Value) for x, y in zip(flatten(a), flatten(b), strict=True))
