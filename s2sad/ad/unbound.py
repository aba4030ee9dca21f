"""Names that some path through the primal leaves unbound, where the derivative program mentions them on every path.

    if c:                              if c:
        w = 2 * x                          w = 2 * x
        done = False           ==>         done = False
    else:                              else:
        done = True                        done = True
                                           w = None
    if not done:                       ...
        y = sum(w)                     w_bar = zeros(w)      # None, and not used, where w is None

The primal reads them only where they are bound; zeros of their shape, and tapes, are made before that is known.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from s2sad.ir.kinds import List
from s2sad.ir.nodes import Block, Call, Const, Function, If, Loop, Straight, Undef, Value, With
from s2sad.ir.unbound import bind_to_none, is_absent, unbound_values
from s2sad.ir.walk import ops_of
from s2sad.rules.containers import GIVING, move_of


def absent_items(function: Function, class_of: Callable[[Value], Hashable]) -> tuple[set[Value], set[Hashable]]:
    """The values that may be None as a path leaves them unbound, also as items of lists; and the alias classes of such lists."""
    moves = [(op, move) for op in ops_of(function.body) if isinstance(op, Call) and (move := move_of(op)) is not None]
    found, lists = unbound_values(function), set[Hashable]()
    count = -1
    while found and count != len(found):
        count = len(found)
        for op, move in moves:
            items = move.within(op)
            if not isinstance(items.kind, List):
                continue
            if any(v in found for v in move.put(op)):
                lists.add(class_of(items))
            if move.does in GIVING and class_of(items) in lists:
                found.update(op.results)
        found |= unbound_values(function, found)
    return found, lists


def read_unbound(function: Function, block: Block, loose: set[Value]) -> set[Value]:
    """The values that a block reads on a path where they may be unbound: not those of a branch that it takes again.

    ``loose``: all that may be unbound.
    """
    regions = [op for op in ops_of(function.body) if isinstance(op, Straight)]
    made = {result: (op, k) for op in regions if isinstance(op, If) for k, result in enumerate(op.results)}
    inside = {v: inner for op in regions if isinstance(op, With) for v, inner in zip(op.results, op.body.yields, strict=True)}

    def origin(value: Value) -> Value:
        """What has left contexts under this name."""
        while value in inside:
            value = inside[value]
        return value

    found: set[Value] = set()

    def read(value: Value, holding: dict[Value, bool]) -> None:
        op, k = made.get(origin(value), (None, 0))
        if op is None or origin(op.cond) not in holding:
            found.add(value)
            return
        given = (op.then if holding[origin(op.cond)] else op.orelse).yields[k]
        if is_absent(given):
            found.add(value)
        elif given in loose:
            read(given, holding)

    def walk(block: Block, holding: dict[Value, bool]) -> None:
        for op in block.ops:
            for value in op.operands():
                if value in loose:
                    read(value, holding)
            for inner in op.blocks():
                arm = {origin(op.cond): inner is op.then} if isinstance(op, If) else {}
                walk(inner, {**holding, **arm})
        for value in block.yields:
            if value in loose:
                read(value, holding)

    walk(block, {})
    return found & loose


def bind_passed_on(function: Function) -> None:
    """Bind to None what a loop begins without, where it hands that on, in a branch or under another name: a copy would read an
    unbound name."""
    for op in ops_of(function.body):
        if isinstance(op, Loop):
            for k, value in enumerate(op.init):
                if isinstance(value, Undef) and _hands_on(op, k):
                    op.init[k] = Const(None)


def _hands_on(loop: Loop, k: int) -> bool:
    """Possibility that a loop gives another name to what it begins an iteration with."""
    param = loop.carried[k]
    last = loop.body.yields[1 if loop.breaks else 0 :]
    if any(value is param for j, value in enumerate(last) if j != k):
        return True
    for op in ops_of(loop.body):
        if isinstance(op, If) and any(value is param for arm in op.blocks() for value in arm.yields):
            return True
        if isinstance(op, Loop) and any(value is param and _hands_on(op, j) for j, value in enumerate(op.init)):
            return True
    return False


def bind_results(function: Function) -> None:
    """Bind to None what a function returns and some path leaves unbound: the items of a result that may be None."""
    function.body.yields = [Const(None) if isinstance(v, Undef) else v for v in function.body.yields]
    bind_to_none(function.body, unbound_values(function) & set(function.body.yields))
