"""Tuples that hold ones like themselves have a kind that refers to itself: the tapes of recursive functions.

    def power_forward(u, n):                       power_forward gives (number, T), where
        ...                                        T = (bool, number, number, T or None)
        return out, (v1, v2, u, power_tape)

Such a tuple is one value, packed where it is returned, and taken apart where it is unpacked. Without this its kind would be
larger with each attempt to find what the function returns, and no attempt the last.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NoReturn

from s2sad.errors import Location, UnsupportedSyntaxError
from s2sad.frontend.entities import Entity, Struct, flatten, rebuild, structure_of
from s2sad.frontend.lower.maybe import MAYBE, is_maybe
from s2sad.frontend.lower.state import Lowering, Returned
from s2sad.ir.kinds import UNKNOWN, Cell, Kind, List, Nested, Tuple, join, without_nesting
from s2sad.ir.nodes import LEAF, LITERALS, SAME, Call, Const, Function, If, Loop, Structure, Undef, Value
from s2sad.ir.unbound import bind_to_none
from s2sad.ir.walk import blocks_of, ops_of
from s2sad.rules.containers import GIVING, Move, move_of

Place = tuple[int, ...]  # of a part of what is returned


# --- where a tuple holds one like itself


def place_in(structure: Structure) -> Place | None:
    """Where the last tuple stands among several results: what is taped."""
    last = len(structure.items) - 1
    if structure.kind != "tuple" or last < 1 or structure.items[last].kind != "tuple" or structure.items[last].cls is not None:
        return None
    return (last,)


def part(returned: Returned, place: Place) -> tuple[Structure, tuple[Kind, ...]]:
    """A part of what is returned."""
    structure, first = returned.structure, 0
    for k in place:
        first += sum(item.leaves() for item in structure.items[:k])
        structure = structure.items[k]
    return structure, returned.kinds[first : first + structure.leaves()]


def grows(old: Returned, found: Returned) -> bool:
    """Test for a tuple that is deeper than the attempt before has found."""
    place = place_in(old.structure)
    if place is None or place_in(found.structure) != place or len(old.structure.items) != len(found.structure.items):
        return False
    (before, kinds), (after, more) = part(old, place), part(found, place)
    return _depth(after) > _depth(before) or max(map(_depth_of, more), default=0) > max(map(_depth_of, kinds), default=0)


def _depth(structure: Structure) -> int:
    return 1 + max(map(_depth, structure.items), default=0)


def _depth_of(kind: Kind) -> int:
    return 1 + max(map(_depth_of, kind.inner), default=0)


def folded(returned: Returned, place: Place, cell: Cell) -> tuple[Returned, Nested]:
    """The results with the tuple as one value, of which ``cell`` is to tell what it consists of."""
    (k,) = place
    first = sum(item.leaves() for item in returned.structure.items[:k])
    structure = Structure("tuple", (*returned.structure.items[:k], LEAF))
    cell.structure, cell.kinds = LEAF, ()
    kind = Nested(cell)
    return Returned(structure, (*returned.kinds[:first], kind), (*returned.same[:first], None)), kind


# --- packed and taken apart


def packed(ctx: Lowering, entity: Entity, nested: Mapping[Place, Nested], place: Place = ()) -> Entity:
    """The results of a function, with the tuples that hold ones like themselves as values."""
    if place in nested:
        return _packed(ctx, entity, nested[place])
    if not nested or not isinstance(entity, Struct):
        return entity
    items = [packed(ctx, item, nested, (*place, k)) for k, item in enumerate(entity.items)]
    return Struct(items, entity.kind, entity.keys, entity.cls, entity.sort)


def _packed(ctx: Lowering, entity: Entity, kind: Nested) -> Value:
    if isinstance(entity, Value) and entity.kind == kind:
        return entity
    leaves = [ctx.value(leaf, None, "what is taped") for leaf in flatten(entity)]
    kind.cell.found = (structure_of(entity), tuple(leaf.kind for leaf in leaves))
    made = _made(ctx, rebuild(entity, iter(leaves)))
    made.kind = kind
    return made


def _made(ctx: Lowering, entity: Entity) -> Value:
    """A tuple as a value: a number, array or list that may be None is that, or None; of what is known by its items, the flag
    stands beside them."""
    if isinstance(entity, Struct) and is_maybe(entity):
        flag, inner = entity.items
        if isinstance(inner, Struct):
            return _tuple(ctx, [ctx.value(flag, None), _made(ctx, inner)])
        if not isinstance(inner, LITERALS):
            return ctx.value(inner, None)
        chosen = If(cond=ctx.value(flag, None), results=[Value(UNKNOWN)], loc=ctx.builder.loc)  # a function that is known
        chosen.then.yields, chosen.orelse.yields = [inner], [Const(None)]
        ctx.builder.append(chosen)
        return chosen.result
    if not isinstance(entity, Struct) or entity.cls is not None or entity.kind not in ("tuple", "list"):
        return ctx.value(entity, None, "what is taped")
    return _tuple(ctx, [_made(ctx, item) for item in entity.items], "builtins.tuple" if entity.kind == "tuple" else "s2sad.items")


def _tuple(ctx: Lowering, items: list[Value], target: str = "builtins.tuple") -> Value:
    """A tuple, which is made on all paths: what one of them leaves unbound is None in it."""
    bind_to_none(ctx.block, set(items))
    return ctx.builder.call(target, *(Const(None) if isinstance(item, Undef) else item for item in items))


def settle(nested: Mapping[Place, Nested], widened: bool) -> bool:
    """Take what an attempt has found for what the tuples consist of; whether that is new. ``widened``: kinds that change are
    given up."""
    new = False
    for kind in nested.values():
        cell = kind.cell
        structure, kinds = cell.found
        if structure == cell.structure and cell.kinds:
            kinds = tuple(map(join, cell.kinds, kinds))
            if widened:
                kinds = tuple(a if a == b else UNKNOWN for a, b in zip(cell.kinds, kinds, strict=True))
        new = new or (structure, kinds) != (cell.structure, cell.kinds)
        cell.structure, cell.kinds = structure, kinds
    return new


def taken_apart(ctx: Lowering, value: Value) -> Struct | None:
    """The tuple that a value holds, item by item; None while nothing is known of it."""
    assert isinstance(value.kind, Nested)
    cell = value.kind.cell
    if not cell.kinds:
        return None
    made = _items(ctx, value, cell.structure, list(kinds_of_items(cell)))
    assert isinstance(made, Struct)
    return made


def _items(ctx: Lowering, value: Value, structure: Structure, kinds: list[Kind]) -> Entity:
    if structure.kind == "leaf":
        return value
    if structure.kind == MAYBE and structure.items[1].kind == "leaf":
        return Struct([ctx.builder.call("operator.is_not", value, Const(None)), value], MAYBE)
    values = ctx.builder.unpack(value, kinds)
    items = [
        _items(ctx, item, inner, list(item.kind.items) if isinstance(item.kind, Tuple) else [])
        for item, inner in zip(values, structure.items, strict=True)
    ]
    return Struct(items, structure.kind, structure.keys, structure.cls, structure.sort)


def flagged(kind: Kind) -> bool:
    """Test for a value that is, or holds, a tuple in which flags stand beside items: Python would give None in place of both."""
    return any(map(flagged, kind.inner)) or isinstance(kind, Nested) and _flagged(kind.cell.structure)


def _flagged(structure: Structure) -> bool:
    return structure.kind == MAYBE and structure.items[1].kind != "leaf" or any(map(_flagged, structure.items))


def kinds_of_items(cell: Cell) -> tuple[Kind, ...]:
    """The kinds of the items of a tuple that holds ones like itself."""
    leaves = iter(cell.kinds)
    return tuple(_kind(item, leaves) for item in cell.structure.items)


def _kind(structure: Structure, leaves: Iterator[Kind]) -> Kind:
    if structure.kind == "leaf":
        return next(leaves)
    if structure.kind == MAYBE and structure.items[1].kind == "leaf":
        next(leaves)
        return next(leaves)
    return Tuple(tuple(_kind(item, leaves) for item in structure.items), structure.kind == "list")


# --- afterwards


ALIKE = {SAME, "s2sad.unpack", "builtins.bool", "builtins.len", "builtins.isinstance", "operator.is_", "operator.is_not"}


def refuse_shown(function: Function, whole: bool) -> None:
    """Refuse to show whoever asks a tuple in which flags stand beside items. ``whole``: a user gets what it returns."""
    for op in ops_of(function.body):
        if isinstance(op, Loop) and any(flagged(v.kind) for v in op.over):
            _refuse_shown(op.loc)
        move = move_of(op)
        if isinstance(op, Call) and op.callee is None and op.target not in ALIKE and (move is None or move.does in GIVING):
            if not (move is not None and _holds_it(op, move)) and any(flagged(v.kind) for v in op.operands()):
                _refuse_shown(op.loc)
    if whole and any(flagged(v.kind) for v in function.body.yields):
        _refuse_shown(None)


def _holds_it(op: Call, move: Move) -> bool:
    """Test for a container that holds such a tuple, and is none: of a tuple, where a constant tells which item is given."""
    kind = move.within(op).kind
    return isinstance(kind, List) or isinstance(kind, Tuple) and isinstance(move.at(op), Const)


def _refuse_shown(location: Location | None) -> NoReturn:
    raise UnsupportedSyntaxError(
        "a tuple that holds ones like itself is not supported here", location=location,
        why="some of its items may be None, or tuples, lists and functions",
        instead="its items, or empty tuples in place of None",
    )  # fmt: skip


def forget(function: Function) -> None:
    """Leave in a lowered function what the other stages know: what a tuple consists of where it is made, given or taken apart,
    and nothing of those that it holds."""
    for op in ops_of(function.body):
        if isinstance(op, Call) and op.target == "s2sad.unpack":
            op.args[0].kind = _opened(op.args[0].kind)
    for param in function.params:
        param.value.kind = _opened(param.value.kind)
    for block in blocks_of(function.body):
        for op in block.ops:
            made = isinstance(op, Call) and op.target == "builtins.tuple"
            for value in op.results:
                value.kind = _opened(value.kind) if made else without_nesting(value.kind)
        for value in block.params:
            if value not in function.values:
                value.kind = without_nesting(value.kind)


def _opened(kind: Kind) -> Kind:
    return Tuple(tuple(map(without_nesting, kinds_of_items(kind.cell)))) if isinstance(kind, Nested) else without_nesting(kind)
