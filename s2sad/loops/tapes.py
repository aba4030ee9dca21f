"""Tapes of numbers whose length is known before the loops that fill them: arrays, made once.

    tape = []                               tape = np.empty(max(n, 0)); at = 0
    for i in range(n):                      for i in range(n):
        tape.append(x)              ==>         tape[at] = x; at += 1
    for i in range(n):                      for i in range(n):
        x = tape.pop()                          at -= 1; x = tape[at]

Loops within loops count together; where the inner one is not as long at each turn of the outer (triangles), a loop before them
adds up how long it is. What a loop that may end early records, or one branch of two, stays in a list: its array might be much
longer than what is recorded.
"""

from __future__ import annotations

from itertools import pairwise

from s2sad.analysis.tapes import Tape, tapes_of
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import INT, RANGE, Array, Scalar
from s2sad.ir.nodes import LITERALS, Block, Call, Const, For, Function, Op, Value
from s2sad.ir.walk import definers, ops_of, owners, reads_of
from s2sad.loops.arrays import dtype_told
from s2sad.loops.numbers import DTYPES, dtype
from s2sad.loops.paths import insert
from s2sad.rules import registry

PLACE = "at"
WHOLE = {"operator.add", "operator.sub", "operator.mul", "builtins.max", "builtins.min"}  # what ends of ranges are computed by


def run(function: Function) -> None:
    """Keep what counted loops record of numbers in arrays."""
    groups: dict[tuple[Block, Block], list[Tape]] = {}
    for tape in tapes_of(function):
        kind = tape.recorded.kind
        if isinstance(kind, Scalar) and kind.widest in DTYPES and not tape.counts:
            groups.setdefault(tape.places, []).append(tape)
    for (pushed, popped), tapes in groups.items():
        there, back = _nest(function, pushed), _nest(function, popped)
        if there and back and all(_is_counted(loop) for loop in there):
            size = _Length(function, there).value()
            if size is not None:
                _as_arrays(function, tapes, there, back, size)


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


class _Length:
    """The number of turns that the innermost of some loops within each other takes in all, computed before the first one."""

    def __init__(self, function: Function, nest: list[For]) -> None:
        self.nest = nest
        self.made, self.home = definers(function), owners(function)
        self.function = function
        self.before = set(function.body.ops[: function.body.ops.index(nest[0])])
        self.block = Block()
        self.builder = Builder(self.block, registry.infer)
        self.table: dict[Value, Value] = {}

    def value(self) -> tuple[Value, list[Op]] | None:
        """The number, and what computes it; None where it is not known before."""
        found = self._turns(0)
        return None if found is None else (found, self.block.ops)

    def _turns(self, level: int) -> Value | None:
        """The turns that all loops from a level on take in one turn of those around."""
        made = self.made.get(self.nest[level].iterable)
        if not isinstance(made, Call) or made.target != "builtins.range":
            return None
        args = [self._known(v) for v in made.args]
        if any(v is None for v in args):
            return None
        known, b = [v for v in args if v is not None], self.builder
        if level + 1 == len(self.nest):
            return _count(b, known)
        i, total, sum_ = Value(INT), Value(INT, "size"), Value(INT, "size")
        body = Block([i, total])
        self.table[self.nest[level].body.params[0]] = i
        with b.inside(body):
            inner = self._turns(level + 1)
            if inner is None:
                return None
        if not any(i in reads_of(op) for op in body.ops):  # as many at each turn
            b.block.ops += body.ops
            return _times(b, _count(b, known), inner)
        body.ops.append(Call(target="operator.add", args=[total, inner], results=[sum_]))
        body.yields = [sum_]
        loop = For(iterable=b.call("builtins.range", *known), init=[Const(0)], body=body, results=[Value(INT, "size")])
        b.append(loop)
        return loop.results[0]

    def _known(self, value: Value) -> Value | None:
        """An integer as it is known before the loops, or as one of their counters tells it."""
        if isinstance(value, LITERALS) or value in self.table:
            return self.table.get(value, value)
        made = self.made.get(value)
        if self.home.get(value) is self.function.body and (made is None or made in self.before):
            return value
        if not isinstance(made, Call) or made.target not in WHOLE or dtype(value) != "int64":
            return None
        args = [self._known(v) for v in made.args]
        return None if any(v is None for v in args) else self.builder.call(made.target, *args)


def _count(b: Builder, args: list[Value]) -> Value:
    """The number of integers in a range."""
    if all(isinstance(v, Const) for v in args):
        return Const(len(range(*(v.payload for v in args if isinstance(v, Const)))))
    if len(args) == 1:
        return b.call("builtins.max", args[0], 0)
    return b.call("builtins.len", b.call("builtins.range", *args))


def _times(b: Builder, n: Value, m: Value) -> Value:
    if isinstance(n, Const) and isinstance(m, Const):
        return Const(n.payload * m.payload)
    return m if isinstance(n, Const) and n.payload == 1 else b.call("operator.mul", n, m)


def _as_arrays(
    function: Function, tapes: list[Tape], there: list[For], back: list[For], length: tuple[Value, list[Op]]
) -> None:  # fmt: skip
    size, computing = length
    start = Block(ops=list(computing))
    b = Builder(start, registry.infer)
    arrays = {}
    for tape in tapes:
        kind = Array(dtype(tape.recorded), (None,))
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
