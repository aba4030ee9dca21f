"""Lists of tuples that hold what is written become a list for each item, so that a list of shadows can stand beside each.

    tape = []                          a_tape, b_tape = [], []
    tape.append((a, b))         ==>    a_tape.append(a); b_tape.append(b)
    a, b = tape.pop()                  a, b = a_tape.pop(), b_tape.pop()

Such are the tapes on which derivative programs put the tapes of functions that they call in a loop.
"""

from __future__ import annotations

from collections.abc import Iterator

from s2sad.ad.tuples import item, made_of
from s2sad.analysis.alias import Aliases
from s2sad.analysis.views import holds_references
from s2sad.ir.kinds import DictOf, List, Tuple
from s2sad.ir.nodes import LITERALS, Call, Function, Op, Value, While
from s2sad.ir.walk import blocks_of, ops_of, substitute_all
from s2sad.rules.containers import EACH, GIVING, INSERTS, MAKES, forward_items, made_items, move_of, moves


def split_lists(function: Function) -> None:
    """Split all such lists that are made here, and go nowhere else, in place."""
    while True:
        candidates = list(_candidates(function))
        if not candidates:
            return
        aliases = Aliases(function)
        found = next((v for v in candidates if _holds_written(aliases, v)), None)
        if found is None:
            return
        _split(function, found)


def _candidates(function: Function) -> Iterator[Value]:
    """The lists of tuples that are made empty, and only filled, emptied and looked at."""
    made = [op.result for op, move in moves(function, MAKES) if not move.put(op) and _rows(op.result) is not None]
    if not made:
        return
    elsewhere = {v for block in blocks_of(function.body) for v in block.yields}
    for op in ops_of(function.body):
        if isinstance(op, While) and op.test.yields[0] not in op.test.params:
            elsewhere.discard(op.test.yields[0])
    for op in ops_of(function.body):
        elsewhere.update(v for v in op.operands() if not (isinstance(op, Call) and _handled(op, v)))
    yield from (v for v in made if v not in elsewhere)


def _rows(items: Value) -> Tuple | None:
    kind = items.kind.item if isinstance(items.kind, List) and not isinstance(items.kind, DictOf) else None
    if not isinstance(kind, Tuple) or kind.cls is not None or not kind.items:
        return None
    return kind if holds_references(Value(kind)) else None


def _handled(op: Call, value: Value) -> bool:
    if op.callee is not None or not op.args or op.args[0] is not value or value in op.args[1:]:
        return False
    move = move_of(op)
    if move is None:
        return op.target == "builtins.len"
    if move.does == INSERTS:
        return all(isinstance(v.kind, Tuple) and not isinstance(v, LITERALS) for v in move.put(op))
    return move.does in GIVING and move.place != EACH and isinstance(op.result.kind, Tuple)


def _holds_written(aliases: Aliases, items: Value) -> bool:
    node = aliases.node(items)
    return any(inner in aliases.written for inner in aliases.reach(node) - {node})


def _split(function: Function, items: Value) -> None:
    kind = _rows(items)
    assert kind is not None
    columns = [Value(List(k), f"{items.name}_{j}" if items.name else None) for j, k in enumerate(kind.items)]
    for block in [*blocks_of(function.body)]:
        block.ops = [new for op in block.ops for new in _rewritten(op, items, kind, columns)]
    substitute_all(function.body, {items: columns[0]})  # how long they are, and whether there is anything
    _forward_items(function)


def _forward_items(function: Function) -> None:
    """Use the items of tuples that are made here in place of what is taken out of these."""
    forward_items(function, {op.result: made_items(op) for op, _ in moves(function, MAKES) if isinstance(op.result.kind, Tuple)})


def _rewritten(op: Op, items: Value, kind: Tuple, columns: list[Value]) -> list[Op]:
    if not isinstance(op, Call) or op.callee is not None:
        return [op]
    if op.results == [items]:
        return [Call(target=op.target, results=[column], loc=op.loc, primal=op.loc) for column in columns]
    if not op.args or op.args[0] is not items:
        return [op]
    move = move_of(op)
    if move is not None and move.does == INSERTS:
        taken = [item(move.put(op)[0], k) for k in range(len(columns))]
        puts = [
            Call(target=op.target, args=[{0: c, move.items: t.result}.get(k, v) for k, v in enumerate(op.args)], loc=op.loc)
            for c, t in zip(columns, taken, strict=True)
        ]
        for put in puts:
            put.results = [Value(op.result.kind)] if op.results else []
        return [*taken, *puts]
    if move is not None and move.does in GIVING:
        rows = [
            Call(target=op.target, args=[column, *op.args[1:]], results=[Value(k)], loc=op.loc)
            for column, k in zip(columns, kind.items, strict=True)
        ]
        made = made_of([row.result for row in rows], kind, op.result.name)
        made.results = op.results
        return [*rows, made]
    return [op]
