"""Operations on the places of containers (tuples, lists, dicts, objects; of arrays, too): the lines of effects say it.

    builtins.tuple(*items) -> holds(items); at each                                  makes one, an item for each place
    operator.getitem(a, index) -> item(a); at index                                  reads what stands at a place
    s2sad.unpack(value) -> item(value); at each                                      ... and at all of them, in turn
    operator.setitem(a, index, value) -> none; writes a; puts value in a; at index   puts something in its stead
    s2sad.additem(a, index, value) -> none; changes a; adds value at index           adds to it
    list.append(items, value) -> none; writes items; puts value in items; longer at end
    list.pop(items, index=-1) -> item(items); writes items; shorter at index

This is all that the rest of the compiler knows of them. The tangent is the same operation of tangents; its reverse does the
opposite to a container of adjoints (``ad.containers``); what goes into what and comes out of it follows for activity, for
the kinds of items, for shadows, and for several directions at once. So one more operation is one more line beside its rule.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from s2sad.ir.kinds import List
from s2sad.ir.nodes import Call, Const, Function, Op, Value
from s2sad.ir.walk import ops_of
from s2sad.rules import registry
from s2sad.rules.effects import parsed
from s2sad.rules.language import Primitive

EACH, END = "each", "end"  # places that no argument says
MAKES, READS, WRITES, ADDS, INSERTS, REMOVES = "makes", "reads", "writes", "adds", "inserts", "removes"
GIVING = (READS, REMOVES)  # an item
TAKING = (WRITES, ADDS, INSERTS)  # an item


@dataclass(frozen=True, slots=True)
class Move:
    """The deed of one operation; arguments are told by their positions.

    ``container``: None for the result. ``place``: which argument says it, or ``EACH``, or ``END``. ``items``: from which
    argument on are items that are put in, or added. ``default``: what is given where nothing stands at the place.
    """

    does: str
    container: int | None
    place: int | str
    items: int | None = None
    default: int | None = None
    otherwise: Const | None = None  # the place, where no argument says it
    negated: bool = False  # what is "added" is subtracted
    back: bool = False  # what is put there was there before, or nothing was: None

    def within(self, op: Call) -> Value:
        """The container."""
        return op.result if self.container is None else op.args[self.container]

    def at(self, op: Call) -> Value | None:
        """The place; None for the end, and where there are several."""
        if not isinstance(self.place, int):
            return None
        return op.args[self.place] if self.place < len(op.args) else self.otherwise

    def put(self, op: Call) -> list[Value]:
        """The items that are put in, or added."""
        if self.items is None:
            return []
        return op.args[self.items :] if self.does == MAKES else [op.args[self.items]]


def move_of(op: Op) -> Move | None:
    """The deed of an operation at the places of a container (or an array); None if nothing."""
    if not isinstance(op, Call) or op.callee is not None:
        return None
    primitive = registry.lookup(op.target)
    return None if primitive is None else move_by(primitive)


def move_by(primitive: Primitive) -> Move | None:
    """The deed of a primitive's calls at the places of a container."""
    return _move(primitive.signature, primitive.effects) if " at " in primitive.effects else None


def gives(op: Op) -> bool:
    """Test for an operation that gives what stands in a container."""
    move = move_of(op)
    return move is not None and move.does in GIVING


def moves(function: Function, *does: str) -> Iterator[tuple[Call, Move]]:
    """The operations of a function that do such things, in order."""
    for op in ops_of(function.body):
        move = move_of(op)
        if move is not None and isinstance(op, Call) and move.does in does:
            yield op, move


@cache
def _move(signature: str, line: str) -> Move | None:
    said = parsed(line)
    if not said.at:
        return None
    arguments = ast.parse(f"lambda {signature}: 0", mode="eval").body.args  # type: ignore[attr-defined]
    names = [a.arg for a in (*arguments.args, *([arguments.vararg] if arguments.vararg else []))]
    defaults = dict(zip(reversed(arguments.args), reversed(arguments.defaults), strict=False))
    otherwise = next((Const(ast.literal_eval(value)) for a, value in defaults.items() if a.arg == said.at), None)
    place: int | str = said.at if said.at in (EACH, END) else names.index(said.at)
    parts = [node for node in ast.walk(said.result) if isinstance(node, ast.Call)]
    shares = {node.func.id: names.index(node.args[0].id) for node in parts}  # type: ignore[attr-defined]
    if "holds" in shares:
        return Move(MAKES, None, place, shares["holds"])
    written = next((names.index(name) for name, _ in (*said.writes, *said.changes)), None)
    if said.adds:
        return Move(ADDS, written, place, names.index(said.adds.lstrip("-")), negated=said.adds.startswith("-"))
    if said.puts:
        does = INSERTS if said.how == "longer" else WRITES
        return Move(does, written, place, names.index(said.puts[0][0]), back=said.how == "back")
    return Move(REMOVES if said.how == "shorter" else READS, shares["item"], place, None, shares.get("same"), otherwise)


# --- what stands where


def made_items(op: Call) -> dict[object, Value]:
    """The items that a container was made of, by key."""
    move = move_of(op)
    assert move is not None and move.does == MAKES
    kind, items = op.result.kind, move.put(op)
    if kind.keyed:
        keys: Iterable[object] = op.args[0].payload if isinstance(op.args[0], Const) else ()
    else:
        keys = kind.keys if kind.fixed else range(len(items))
    return dict(zip(keys, items, strict=True))


def makes_fixed(op: Op) -> bool:
    """Test for an operation that makes a container of which is known what stands where."""
    move = move_of(op)
    return move is not None and move.does == MAKES and not isinstance(op.results[0].kind, List)


def taken(op: Call, items: Mapping[object, Value]) -> list[Value] | None:
    """The items that an operation only reads from a container in which these items stand; None if it does something else, or only
    the running program knows the place."""
    move = move_of(op)
    if move is None or move.does != READS:
        return None
    if move.place == EACH:
        return list(items.values()) if len(op.results) == len(items) else None
    place = move.at(op)
    if not isinstance(place, Const) or isinstance(place.payload, slice | list):
        return None
    key = place.payload
    if type(key) is int and key < 0 and key not in items:
        key += len(items)
    return [items[key]] if key in items else None
