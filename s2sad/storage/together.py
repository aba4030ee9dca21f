"""One tape for all that a block records at each of its iterations, as a tuple; what runs once needs no tape.

Before::

    x_tape = builtins.list()                  forward sweep
    v1_tape = builtins.list()
    for ...:
        list.append(x_tape, x)
        ...
        list.append(v1_tape, v1)
    for ...:                                  reverse sweep
        v1.1 = list.pop(v1_tape)
        x.1 = list.pop(x_tape)

After::

    tape = builtins.list()
    for ...:
        ...
        v2 = builtins.tuple(x, v1)
        list.append(tape, v2)
    for ...:
        v3 = list.pop(tape)
        x.1, v1.1 = s2sad.unpack(v3)

A tape holds references, so what comes off it does not depend on when it was pushed or popped within the block.
"""

from __future__ import annotations

from s2sad.analysis.attempts import attempted
from s2sad.analysis.tapes import Tape, tapes_of
from s2sad.ir.kinds import List, Tuple
from s2sad.ir.nodes import Block, Call, Function, Value
from s2sad.ir.walk import substitute_all
from s2sad.optimize.rewriting import drop

NAME = "tape"


def run(function: Function) -> None:
    """Store what the function records."""
    groups: dict[tuple[Block, Block], list[Tape]] = {}
    for tape in tapes_of(function):
        groups.setdefault(tape.places, []).append(tape)
    for (pushed, popped), tapes in groups.items():
        if pushed is function.body and popped is function.body:
            _as_variables(function, tapes)
        elif len(tapes) > 1:
            _as_tuples(function, pushed, popped, tapes[::-1])


def _as_variables(function: Function, tapes: list[Tape]) -> None:
    gone = {op for tape in tapes for op in (tape.items, tape.push, tape.pop)}
    _drop(function, gone)
    substitute_all(function.body, {tape.pop.result: tape.recorded for tape in tapes})


def _as_tuples(function: Function, pushed: Block, popped: Block, tapes: list[Tape]) -> None:
    """One tape of tuples: pushed when all items are there, popped where the first of them was."""
    kind = Tuple(tuple(tape.recorded.kind for tape in tapes))
    first = tapes[0]
    items = Call(target="builtins.list", results=[Value(List(kind), NAME)], loc=first.items.loc, primal=first.items.primal)
    pack = Call(target="builtins.tuple", args=[tape.recorded for tape in tapes], results=[Value(kind)], loc=first.push.loc)
    push = Call(target="list.append", args=[items.result, pack.result], loc=first.push.loc, primal=first.push.primal)
    push.results = [Value(first.push.results[0].kind)] if first.push.results else []
    pop = Call(target="list.pop", args=[items.result], results=[Value(kind)], loc=first.pop.loc, primal=first.pop.primal)
    unpack = Call(target="s2sad.unpack", args=[pop.result], results=[tape.pop.result for tape in tapes])
    unpack.loc, unpack.primal = first.pop.loc, first.pop.primal
    made = {tape.recorded for tape in tapes}
    last = max(pushed.ops.index(tape.push) for tape in tapes)
    if not attempted(function):  # as soon as all is there, so that a variable may have its next value: nothing fails half-way
        last = max((k for k, op in enumerate(pushed.ops) if not made.isdisjoint(op.results)), default=-1)
    soonest = min(popped.ops.index(tape.pop) for tape in tapes)
    # the last place first: the places of the others stay
    pushed.ops[last + 1 : last + 1] = [pack, push]
    popped.ops[soonest:soonest] = [pop, unpack]
    at = function.body.ops.index(first.items)
    function.body.ops.insert(at, items)
    if function.reverse_at is not None and at < function.reverse_at:
        function.reverse_at += 1
    substitute_all(function.body, {tape.items.result: items.result for tape in tapes})
    _drop(function, {op for tape in tapes for op in (tape.items, tape.push, tape.pop)})


def _drop(function: Function, gone: set[Call]) -> None:
    border = function.reverse_at
    if border is not None:
        function.reverse_at = border - sum(op in gone for op in function.body.ops[:border])
    drop(function, set(gone))
