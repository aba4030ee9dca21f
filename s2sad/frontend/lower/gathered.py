"""Deques and sets outside that a program changes: a call of the function leaves them as it does, and comes first; the program
works on copies of what they held.

    def smooth(x):                      items = list(WINDOW)        # as it was
        WINDOW.append(x)        ==>     if len(items) >= 3:
        return sum(WINDOW)                  items.pop(0)
                                        items.append(x)
"""

from __future__ import annotations

from typing import Any

from s2sad.frontend import observe
from s2sad.frontend.entities import Bounded, Entity, Members
from s2sad.frontend.lower import control, maps
from s2sad.frontend.lower.lists import extend, new_list
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import BOTTOM, List, kind_of
from s2sad.ir.nodes import Const, Value


def copied(ctx: Lowering, value: Value, payload: Any, path: str) -> Entity:
    """The copy of a deque or set outside with which the program works."""
    observe.contents(payload)
    kind = kind_of([*payload]) if payload else List(BOTTOM)
    listed = ctx.builder.call("s2sad.runtime.gathered", value)
    listed.kind, listed.name = kind, path.rpartition(".")[2]
    if isinstance(payload, set):
        return _members(ctx, listed, path)
    items = new_list(ctx)
    extend(ctx, items, listed)
    return items if payload.maxlen is None else Bounded(items, Const(payload.maxlen))


def _members(ctx: Lowering, listed: Value, path: str) -> Members:
    """A set of these members that can change."""
    made = maps.new_map(ctx, ("outside", path))

    def one(index: Value) -> None:
        maps.store(ctx, made, ctx.builder.call("operator.getitem", listed, index), Const(True), None)

    control.counted_loop(ctx, ctx.builder.call("builtins.len", listed), one, None)
    return Members(made)
