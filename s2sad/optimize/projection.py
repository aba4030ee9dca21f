"""Tuples that are taken apart where they were made, or more than once: the items themselves.

Before::

    t = builtins.tuple(x, y)
    a, b = s2sad.unpack(t)
    v1 = operator.getitem(t, 0)
    v2 = operator.mul(a, v1)

After::

    t = builtins.tuple(x, y)
    v2 = operator.mul(x, x)

A tuple never changes, so that its items are what they were. ``dead_code`` removes tuples that are then unused.
"""

from __future__ import annotations

from s2sad.ir.kinds import Tuple
from s2sad.ir.nodes import LITERALS, Call, Const, Function, Op, Value
from s2sad.ir.walk import ops_of, substitute_all
from s2sad.optimize.memory_effects import Memory
from s2sad.optimize.rewriting import drop, keeps_border


@keeps_border
def run(function: Function, _: Memory | None = None) -> bool:
    """Use the items of tuples directly."""
    made: dict[Value, list[Value]] = {}
    table: dict[Value, Value] = {}
    dead: set[Op] = set()
    everywhere = set(function.body.ops)  # what they define is in scope in all that follows
    for op in ops_of(function.body):
        if not isinstance(op, Call):
            continue
        if op.target == "builtins.tuple" and isinstance(op.result.kind, Tuple):
            made[op.result] = op.args
        items = taken(op, made)
        if (
            items is None
            and op.target == "s2sad.unpack"
            and op in everywhere
            and isinstance(op.args[0].kind, Tuple)
        ):
            made[op.args[0]] = op.results  # from here on: ``w, v = eigh(a)``, and later ``result[1]``
        if items is not None:
            table.update(zip(op.results, items, strict=True))
            dead.add(op)
    for value, item in table.items():
        if not isinstance(item, LITERALS):
            item.name = item.name or value.name
    substitute_all(function.body, table)
    drop(function, dead)
    return bool(dead)


def taken(op: Call, made: dict[Value, list[Value]]) -> list[Value] | None:
    """The items that a call takes out of a tuple made here."""
    items = made.get(op.args[0]) if op.args and op.callee is None else None
    if items is None:
        return None
    if op.target == "s2sad.unpack" and len(op.results) == len(items):
        return items
    if op.target == "operator.getitem" and isinstance(op.args[1], Const):
        index = op.args[1].payload
        if type(index) is int and -len(items) <= index < len(items):
            return [items[index]]
    return None
