"""Structures (tuples, dicts with known keys, objects) by their items: taken apart, and put together again.

    t = builtins.tuple(x, y)
    a, b = s2sad.unpack(t)                  t = builtins.tuple(x, y)
    v1 = operator.getitem(t, 0)      ==>    v2 = operator.mul(x, x)
    v2 = operator.mul(a, v1)

Where it is known what they are made of, their items are used themselves: a tuple never changes. Where they cross a border (of a
branch, a loop or a call), or stand in a list, ``parts`` takes them apart on one side of it, and ``whole`` makes them again on
the other. The tangent and the adjoint of a structured value have its structure: those of an object are objects of its class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from s2sad.ir.builder import Builder
from s2sad.ir.kinds import Kind, StructKind, Tuple
from s2sad.ir.nodes import LITERALS, Call, Const, Function, Op, Undef, Value
from s2sad.ir.walk import blocks_of, substitute_all
from s2sad.rules import registry
from s2sad.rules.containers import EACH, MAKES, READS, made_items, moves, taken

RECORD = "s2sad.runtime.record"
Apart = Callable[[Kind], bool]  # the structures that are taken apart
Items = Mapping[object, Value]

# --- one item, one structure


def is_object(kind: Kind) -> bool:
    """Test for an object, whose items are attributes."""
    return isinstance(kind, StructKind) and kind.cls is not None


def item(value: Value, key: object, kind: Kind | None = None) -> Call:
    """The operation ``value[key]``, or ``value.key`` of an object."""
    made = Call(target="s2sad.attribute" if is_object(value.kind) else "operator.getitem", args=[value, Const(key)])
    made.results = [Value(kind or registry.infer(made))]
    return made


def made_of(kind: Tuple | StructKind, items: Sequence[Value], name: str | None = None, like: Value | None = None) -> Call:
    """The operation that makes a structure; ``like`` is one whose class an object takes (without it, a tuple has none)."""
    if like is not None and kind.cls is not None:
        target, first = RECORD, [like, Const(kind.names if isinstance(kind, Tuple) else tuple(kind.keys))]
    elif isinstance(kind, StructKind):
        assert kind.cls is None, "of an object, whose class that is"
        target, first = "s2sad.dict", [Const(tuple(kind.keys))]
    else:
        target, first = "s2sad.items" if kind.listed else "builtins.tuple", []
    return Call(target=target, args=[*first, *items], results=[Value(kind, name)])


def take_item(builder: Builder, value: Value, key: object, kind: Kind | None = None) -> Value:
    """Append ``value[key]``, or ``value.key`` of an object."""
    made = item(value, key, kind)
    builder.append(made)
    return made.result


def put_together(
    builder: Builder, kind: Tuple | StructKind, like: Value, items: Sequence[Value], name: str | None = None
) -> Value:
    """Append what makes a value of this structure of items, whose own kinds count."""
    made = made_of(kind, items, name, like)
    made.result.kind = registry.infer(made)
    builder.append(made)
    return made.result


# --- on the sides of a border


def parts(value: Value, kind: Kind, apart: Apart, ops: list[Op]) -> Iterator[Value]:
    """The values that pass a border in place of one of this kind: itself, or its items, which ``ops`` take out."""
    if not apart(kind):
        yield value
        return
    for key, own, inner in _items(value, kind):
        yield from parts(_taken_out(value, key, own, ops), inner, apart, ops)


def whole(value: Value, kind: Kind, apart: Apart, ops: list[Op]) -> Iterator[Value]:
    """The values that arrive behind a border in place of one of this kind: itself, or items, of which ``ops`` make it."""
    if not apart(kind):
        yield value
        return
    fresh: list[Value] = []
    for key, own, inner in _items(value, kind):
        fresh.append(Value(own, f"{value.name}_{key}" if value.name else None))
        yield from whole(fresh[-1], inner, apart, ops)
    assert isinstance(kind, Tuple | StructKind)
    made = made_of(value.kind if type(value.kind) is type(kind) else kind, fresh)
    made.results = [value]
    ops.append(made)


def _items(value: Value, kind: Kind) -> Iterator[tuple[object, Kind, Kind]]:
    """The keys of a structure with the kinds of its items: as the value's kind tells them, and that on which both sides agree."""
    if not value.kind.fixed and not isinstance(value, LITERALS):
        value.kind = kind  # it is one, which the other side alone knows
    own = value.kind.inner if value.kind.fixed and value.kind.keys == kind.keys else kind.inner
    return zip(kind.keys, own, kind.inner, strict=True)


def _taken_out(value: Value, key: object, kind: Kind, ops: list[Op]) -> Value:
    if isinstance(value, Undef):
        return Undef()
    if isinstance(value, Const):
        return Const(None if value.payload is None else value.payload[key])
    made = item(value, key, kind)
    made.result.name = f"{value.name}_{key}" if value.name else None
    ops.append(made)
    return made.result


# --- what is known of the items


def forward_items(
    function: Function,
    apart: Apart = lambda kind: kind.fixed,
    known: Callable[[Value, Call], Items | None] = lambda value, op: None,
) -> dict[Value, Value]:
    """Use the items of structures in place of what is taken out of these; which items, and in place of which values.

    ``apart``: of those that are made here. ``known``: the items of another one, for an operation that takes some out.
    """
    made: dict[Value, Items] = {}
    table: dict[Value, Value] = {}
    dead: set[Op] = set()
    everywhere = set(function.body.ops)  # what they define is in scope in all that follows
    for op, move in moves(function, MAKES, READS):
        source = move.within(op)
        while source in table:
            source = table[source]
        if move.does == MAKES:
            if source.kind.fixed and apart(source.kind):
                made[source] = made_items(op)
            continue
        held = made[source] if source in made else known(source, op)
        items = taken(op, held) if held is not None else None
        if items is not None:
            table.update(zip(op.results, items, strict=True))
            dead.add(op)
        elif held is None and move.place == EACH and op in everywhere and isinstance(source.kind, Tuple) and apart(source.kind):
            made[source] = dict(enumerate(op.results))  # from here on: ``w, v = eigh(a)``, and later ``result[1]``
    substitute_all(function.body, table)
    for block in [*blocks_of(function.body)] if dead else ():
        block.ops = [op for op in block.ops if op not in dead]
    return table
