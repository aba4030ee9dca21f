"""Tuples and dicts with known keys that are taken apart where they were made, or more than once: the items themselves.

Before::

    t = builtins.tuple(x, y)
    a, b = s2sad.unpack(t)
    v1 = operator.getitem(t, 0)
    v2 = operator.mul(a, v1)

After::

    t = builtins.tuple(x, y)
    v2 = operator.mul(x, x)

``dead_code`` removes tuples that are then unused.
"""

from __future__ import annotations

from s2sad.ir.nodes import LITERALS, Function
from s2sad.optimize.memory_effects import Memory
from s2sad.optimize.rewriting import keeps_border
from s2sad.rules.structures import forward_items


@keeps_border
def run(function: Function, _: Memory | None = None) -> bool:
    """Use the items of structures directly; those without a name get the first one that they were taken out under."""
    used = forward_items(function)
    for value, item in used.items():
        if not isinstance(item, LITERALS):
            item.name = item.name or value.name
    return bool(used)
