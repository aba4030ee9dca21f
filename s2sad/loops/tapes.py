"""Tapes of numbers whose length is known before the loops that fill them: arrays, made once.

    tape = []                               tape = np.empty(max(n, 0)); at = 0
    for i in range(n):                      for i in range(n):
        tape.append(x)              ==>         tape[at] = x; at += 1
    for i in range(n):                      for i in range(n):
        x = tape.pop()                          at -= 1; x = tape[at]

Loops within loops count together, where the inner one is as long at each turn of the outer. What a loop that may end early
records, or one branch of two, stays in a list: its array might be much longer than what is recorded.
"""

from __future__ import annotations

from itertools import pairwise

from s2sad.analysis.tapes import Tape, tapes_of
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import INT, RANGE, Array, Scalar
from s2sad.ir.nodes import LITERALS, Block, Call, Const, For, Function, Op, Value
from s2sad.ir.walk import definers, ops_of, owners
from s2sad.loops.arrays import dtype_told
from s2sad.loops.numbers import DTYPES
from s2sad.loops.paths import insert
from s2sad.rules import registry

PLACE = "at"


def run(function: Function) -> None:
    """Keep what counted loops record of numbers in arrays."""
    groups: dict[tuple[Block, Block], list[Tape]] = {}
    for tape in tapes_of(function):
        kind = tape.recorded.kind
        if isinstance(kind, Scalar) and kind.dtype in DTYPES and not tape.counts:
            groups.setdefault(tape.places, []).append(tape)
    for (pushed, popped), tapes in groups.items():
        there, back = _nest(function, pushed), _nest(function, popped)
        if there and back and all(_is_counted(loop) for loop in there):
            sizes = _sizes(function, there)
            if sizes is not None:
                _as_arrays(function, tapes, there, back, sizes)


def _nest(function: Function, block: Block) -> list[For]:
    """The loops around a block, the outermost first; none where something else stands around it, too."""
    around = {inner: op for op in ops_of(function.body) for inner in op.blocks()}
    homes = {op: home for home in (function.body, *around) for op in home.ops}
    loops: list[For] = []
    while block is not function.body:
        loop = around[block]
        if not isinstance(loop, For):
            return []
        loops.insert(0, loop)
        block = homes[loop]
    return loops


def _is_counted(loop: For) -> bool:
    return loop.iterable.kind == RANGE and not loop.breaks and loop.snapshots is None


def _sizes(function: Function, nest: list[For]) -> list[Call] | None:
    """The ranges that loops within each other go through, all as calls of what is known before the first; None: they are not."""
    made, home = definers(function), owners(function)
    before = set(function.body.ops[: function.body.ops.index(nest[0])])

    def early(value: Value) -> bool:
        known = home.get(value) is function.body and (value not in made or made[value] in before)
        return known or isinstance(value, LITERALS)

    ranges = [made.get(loop.iterable) for loop in nest]
    found = [op for op in ranges if isinstance(op, Call) and op.target == "builtins.range" and all(map(early, op.args))]
    return found if len(found) == len(nest) else None


def _count(b: Builder, made: Call) -> Value:
    """How many integers a range has."""
    if all(isinstance(v, Const) for v in made.args):
        return Const(len(range(*(v.payload for v in made.args if isinstance(v, Const)))))
    if len(made.args) == 1:
        return b.call("builtins.max", made.args[0], 0)
    return b.call("builtins.len", b.call("builtins.range", *made.args))


def _as_arrays(function: Function, tapes: list[Tape], there: list[For], back: list[For], sizes: list[Call]) -> None:
    start = Block()
    b = Builder(start, registry.infer)
    size: Value = Const(1)
    for made in sizes:
        count = _count(b, made)
        if isinstance(size, Const) and isinstance(count, Const):
            size = Const(size.payload * count.payload)
        else:
            size = count if isinstance(size, Const) and size.payload == 1 else b.call("operator.mul", size, count)
    arrays = {}
    for tape in tapes:
        kind = Array(tape.recorded.kind.dtype, (None,))  # type: ignore[attr-defined]
        arrays[tape] = Value(kind, tape.items.result.name)
        b.append(Call(target="numpy.empty", args=[size], kwargs=dtype_told(kind), results=[arrays[tape]]))
        _remove(function, tape.items)
    for op in start.ops:
        insert(function, function.body, there[0], op)
    place = _carried(there, Const(0))
    last = max(there[-1].body.ops.index(tape.push) for tape in tapes)
    there[-1].body.ops.insert(last + 1, _step("operator.add", place, there))
    for tape, array in arrays.items():
        push = tape.push
        push.target, push.args, push.results = "operator.setitem", [array, place, tape.recorded], []
    place = _carried(back, there[0].results[-1])
    first = min(back[-1].body.ops.index(tape.pop) for tape in tapes)
    step = _step("operator.sub", place, back)
    back[-1].body.ops.insert(first, step)
    for tape, array in arrays.items():
        pop = tape.pop
        pop.target, pop.args = "operator.getitem", [array, step.result]


def _remove(function: Function, old: Op) -> None:
    at = function.body.ops.index(old)
    del function.body.ops[at]
    if function.reverse_at is not None and at < function.reverse_at:
        function.reverse_at -= 1


def _carried(nest: list[For], start: Value) -> Value:
    """Carry an integer through loops; the innermost one's parameter."""
    for loop in nest:
        loop.init.append(start)
        start = Value(INT, PLACE)
        loop.body.params.append(start)
        loop.results.append(Value(INT, PLACE))
    for outer, inner in pairwise(nest):
        outer.body.yields.append(inner.results[-1])
    return start


def _step(target: str, place: Value, nest: list[For]) -> Call:
    """The place's next value, which the innermost loop carries on."""
    step = Call(target=target, args=[place, Const(1)], results=[Value(INT, PLACE)])
    nest[-1].body.yields.append(step.result)
    return step
