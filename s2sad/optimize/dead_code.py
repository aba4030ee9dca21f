"""Removing what nothing observes: operations, stores, recordings, and values that loops and branches carry.

Before::

    tape = builtins.list()                     x_bar is not asked for
    y, unused = for i in range(n) carrying (v = x, w = 0.0):
        list.append(tape, v)
        u = v * w
        yield v * 2, u
    x_bar = numpy.zeros_like(x)
    s2sad.additem(x_bar, 0, y)
    return y

After::

    y = for i in range(n) carrying (v = x):
        yield v * 2
    return y

One optimistic marking finds what is live, starting from what the function returns and from effects. A store is live
when live code reads the class of memory that it writes, or the caller can; so a buffer that is only written to, a tape
that is pushed but never read, and carried values that only feed themselves disappear together with all that fed them.
``while`` loops stay, whatever they compute, since whether they end cannot be known.
"""

from __future__ import annotations

from s2sad.analysis.alias import Node
from s2sad.analysis.attempts import attempted
from s2sad.ir.kinds import RANGE, Array, List, Scalar, Tuple
from s2sad.ir.nodes import Block, Call, Function, Loop, Op, Value, With
from s2sad.ir.walk import blocks_of, ops_of
from s2sad.optimize.memory_effects import Memory
from s2sad.optimize.rewriting import keeps_border, remove_slots


@keeps_border
def run(function: Function, memory: Memory | None = None) -> bool:
    """Remove everything that is not live."""
    return _sweep(function, Liveness(function, memory or Memory(function)))


class Liveness:
    """The live operations of a function, and the live results (as (operation, position)) of control flow."""

    def __init__(self, function: Function, memory: Memory) -> None:
        self.memory = memory
        self.ops: set[Op] = set()
        self.slots: set[tuple[Op, int]] = set()
        self._observed: set[Node] = set()
        self._parent: dict[Op, Op] = {}
        self._source: dict[Value, tuple[Op, int]] = {}  # the operation that binds a value; the slot, or -1
        self._stores: dict[Node, list[Op]] = {}
        self._work: list[Op] = []
        self._index(function.body)
        self._start(function)
        while self._work:
            self._trace(self._work.pop())

    # --- tables

    def _index(self, body: Block) -> None:
        for op in ops_of(body):
            if isinstance(op, Call):
                for result in op.results:
                    self._source[result] = (op, -1)
                for node in self.memory.own_writes(op):
                    self._stores.setdefault(node.find(), []).append(op)
                continue
            for block in op.blocks():
                shift = len(block.params) - len(op.results)
                for k, param in enumerate(block.params):
                    self._source[param] = (op, k - shift)
                for inner in block.ops:
                    self._parent[inner] = op
            for k, result in enumerate(op.results):
                self._source[result] = (op, k)

    def _start(self, function: Function) -> None:
        for op in ops_of(function.body):
            if self.memory.must_run(op) if isinstance(op, Call) else self._must_run(op):
                self._mark(op)
        for op in attempted(function):
            self._mark(op)
        for node in self.memory.given:
            self._observe(node)
        for value in function.body.yields:
            self._need(value)
            self._observe_all(value)

    def _must_run(self, op: Op) -> bool:
        if isinstance(op, Loop):  # what decides by itself may have no end, and what gives from an iterator changes that
            lasting = all(isinstance(v.kind, Array | List | Tuple | Scalar) or v.kind == RANGE for v in op.over)
            return bool(op.tests) or not lasting
        if isinstance(op, With):
            context = self._source.get(op.context)
            maker = context[0] if context else None
            return not (isinstance(maker, Call) and maker.target.startswith("numpy."))
        return False

    # --- marking

    def _mark(self, op: Op) -> None:
        if op not in self.ops:
            self.ops.add(op)
            self._work.append(op)

    def _need(self, value: Value) -> None:
        pending = [value]
        while pending:
            source = self._source.get(pending.pop())  # literals have none
            if source is None:
                continue
            op, slot = source
            self._mark(op)
            if slot >= 0 and source not in self.slots:
                self.slots.add(source)
                pending += slot_values(op, slot)

    def _observe(self, node: Node) -> None:
        node = node.find()
        if node not in self._observed:
            self._observed.add(node)
            for store in self._stores.get(node, ()):
                self._mark(store)

    def _observe_all(self, value: Value) -> None:
        for node in self.memory.reach(value):
            self._observe(node)

    def _trace(self, op: Op) -> None:
        """Marks on all that a live operation needs."""
        parent = self._parent.get(op)
        if parent is not None:
            self._mark(parent)
        for node in self.memory.own_reads(op):
            self._observe(node)
        if isinstance(op, Call) and op.check:  # of a list, how long it is tells whether it raises
            for value in op.args:
                if isinstance(value.kind, List):
                    self._observe_all(value)
        for value in control_values(op):
            self._need(value)


def control_values(op: Op) -> list[Value]:
    """The values that an operation needs in order to run at all: carried values apart."""
    if isinstance(op, Loop):
        return [*op.steering, *([] if op.snapshots is None else [op.snapshots])]
    return op.operands()


def slot_values(op: Op, slot: int) -> list[Value]:
    """The values that flow into one result of control flow."""
    if isinstance(op, Loop):
        return [op.init[slot], op.carried_yields[slot]]
    return [block.yields[slot] for block in op.blocks()]


def _sweep(function: Function, live: Liveness) -> bool:
    """Remove operations and slots that are not live."""
    changed = False
    for block in list(blocks_of(function.body)):
        kept = [op for op in block.ops if op in live.ops]
        changed |= len(kept) != len(block.ops)
        block.ops = kept
        for op in kept:
            if not isinstance(op, Call):
                dead = {k for k in range(len(op.results)) if (op, k) not in live.slots}
                changed |= bool(dead)
                remove_slots(op, dead)
    return changed
