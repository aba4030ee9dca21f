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

from collections.abc import Mapping

from s2sad.ir.kinds import Tuple
from s2sad.ir.nodes import LITERALS, Function, Op, Value
from s2sad.ir.walk import substitute_all
from s2sad.optimize.memory_effects import Memory
from s2sad.optimize.rewriting import drop, keeps_border
from s2sad.rules.containers import EACH, MAKES, READS, made_items, moves, taken


@keeps_border
def run(function: Function, _: Memory | None = None) -> bool:
    """Use the items of tuples directly."""
    made: dict[Value, Mapping[object, Value]] = {}
    table: dict[Value, Value] = {}
    dead: set[Op] = set()
    everywhere = set(function.body.ops)  # what they define is in scope in all that follows
    for op, move in moves(function, MAKES, READS):
        if move.does == MAKES:
            if isinstance(op.result.kind, Tuple):
                made[op.result] = made_items(op)
            continue
        whole = move.within(op)
        items = taken(op, made[whole]) if whole in made else None
        if items is not None:
            table.update(zip(op.results, items, strict=True))
            dead.add(op)
        elif move.place == EACH and op in everywhere and isinstance(whole.kind, Tuple) and whole not in made:
            made[whole] = dict(enumerate(op.results))  # from here on: ``w, v = eigh(a)``, and later ``result[1]``
    for value, item in table.items():
        if not isinstance(item, LITERALS):
            item.name = item.name or value.name
    substitute_all(function.body, table)
    drop(function, dead)
    return bool(dead)
