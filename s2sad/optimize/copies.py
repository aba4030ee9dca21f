"""Copy elision: a copy that is read before its source changes is not needed.

Before::

    v1 = operator.getitem(a_bar, 1:-1)
    v2 = numpy.copy(v1)
    operator.setitem(a_bar, 1:-1, 0.0)         or behind the product
    v3 = operator.mul(v2, c)

After::

    v1 = operator.getitem(a_bar, 1:-1)
    v3 = operator.mul(v1, c)
    operator.setitem(a_bar, 1:-1, 0.0)

The copy must be read only: nothing writes into it, and it goes into no container, result, or user's function. Then its
source may stand for it if no store reaches the source at all, or if all reads of the copy, and of windows of it, come
before the first store into the source's memory in the same block. The store itself may be the last reader: NumPy
computes as if a statement's operands were read before its result is written. A zeroing, the only thing that happens to the
source in between, is moved behind them.
"""

from __future__ import annotations

from bisect import bisect_right

from s2sad.analysis.alias import Node
from s2sad.analysis.views import STORES, view_base
from s2sad.ir.kinds import Array, Other, Scalar, Slice, index_parts, rank_of
from s2sad.ir.nodes import Block, Call, Function, If, Loop, Op, Value
from s2sad.ir.walk import blocks_of, ops_of, reads_of, stand_in, substitute_all, use_counts
from s2sad.optimize.memory_effects import Memory, Nodes, is_window, is_zeroing, touched
from s2sad.optimize.rewriting import drop, keeps_border, pass_name
from s2sad.rules.effects import effects
from s2sad.rules.traits import having


@keeps_border
def run(function: Function, memory: Memory | None = None) -> bool:
    """Use the sources of copies in their place, where that cannot be told."""
    if not any(isinstance(op, Call) and op.target in having("copies") for op in ops_of(function.body)):
        return False
    found = _Copies(function, memory or Memory(function))
    for block in blocks_of(function.body):
        found.block(block)
    substitute_all(function.body, found.table)
    drop(function, found.dead)
    return bool(found.dead)


class _Copies:
    def __init__(self, function: Function, memory: Memory) -> None:
        self.memory = memory
        self.body, self.turn = function.body, function.reverse_at
        self.uses = use_counts(function)
        self.table: dict[Value, Value] = {}
        self.dead: set[Op] = set()
        self.makers: dict[Value, tuple[Block, Op]] = {}
        # Of the block at hand: the places of operations, those that mention a value, directly or nested, and what they write.
        self.places: dict[Op, int] = {}
        self.readers: dict[Value, list[Op]] = {}
        self.stores: list[tuple[int, Nodes]] = []

    def block(self, block: Block) -> None:
        """Elide copies in one block."""
        self.makers.update((result, (block, op)) for op in block.ops for result in op.results)
        copies = [(k, op) for k, op in enumerate(block.ops) if isinstance(op, Call) and is_copy(op)]
        if not copies:
            return
        self.places = {op: k for k, op in enumerate(block.ops)}
        self.readers = {value: [block.ops[k] for k in found] for value, found in touched(block).items()}
        self.stores = [(k, written) for k, op in enumerate(block.ops) if (written := self.memory.writes(op))]
        for position, op in copies:
            if self.may_share(op, block, position):
                self.elide(op)
        zeroed = any(isinstance(op, Call) and is_zeroing(op) for op in block.ops)
        for op in [op for _, op in copies if zeroed and op not in self.dead]:
            if self.zero_later(op, block):
                self.elide(op)

    def zero_later(self, op: Call, block: Block) -> bool:
        """Move the zeroing of a window behind the last read of its copy, if that is all that is between the two."""
        source, copy = stand_in(self.table, op.args[0]), op.result
        if self.memory.mutable(copy) or self.memory.escapes(copy):
            return False
        start, last = self.places[op], self.last_read(copy, block)
        if last is None or block is self.body and self.turn is not None and start < self.turn <= last:
            return False
        node = self.memory.node(source)
        after = [other for other in block.ops[start + 1 : last + 1] if other not in self.dead]
        zeroing = next((other for other in after if self.touches(other, node)), None)
        if not isinstance(zeroing, Call) or not is_zeroing(zeroing) or self.memory.node(zeroing.args[0]) is not node:
            return False
        if sum(self.touches(other, node) for other in after) > 1 or self.memory.mutable(zeroing.args[1]):
            return False
        place = self.places[zeroing]
        block.ops.insert(last + 1, zeroing)
        del block.ops[place]
        self.places.update((moved, k) for k, moved in enumerate(block.ops[place : last + 1], place))
        return True

    def touches(self, op: Op, node: Node) -> bool:
        """Test for an operation that reads or writes the class, or takes a window of it."""
        return any(node in self.memory.reach(value) for value in reads_of(op)) or node in self.memory.writes(op)

    def elide(self, op: Call) -> None:
        """The source stands for the copy."""
        source = stand_in(self.table, op.args[0])
        self.memory.merge(source, op.result)
        self.uses[source] += self.uses.get(op.result, 0) - 1
        self.table[op.result] = source
        pass_name(op.result, source, self.makers.get(source, (None, None))[1])
        self.dead.add(op)

    def may_share(self, op: Call, block: Block, position: int) -> bool:
        """Permission for a copy to be its source: nobody can tell them apart."""
        source, copy = stand_in(self.table, op.args[0]), op.result
        if self.is_handed_over(source, block):
            return True
        if self.memory.mutable(copy) or self.memory.escapes(copy):
            return False
        if not self.memory.mutable(source):
            return True
        last = self.last_read(copy, block)
        return last is not None and not self.written_between(source, copy, block, position, last)

    def is_handed_over(self, source: Value, block: Block) -> bool:
        """Test for a source that is a new array, made in this block, that nothing but the copy uses."""
        home, maker = self.makers.get(source, (None, None))
        return home is block and self.uses[source] == 1 and self.memory.is_fresh(maker)

    def last_read(self, copy: Value, block: Block) -> int | None:
        """The position in the block of the last operation that reads the copy or a window of it.

        None where the copy is held by something that may be read later.
        """
        last, pending, seen = -1, [copy], {copy}
        outside = set(block.yields)
        while pending:
            value = pending.pop()
            if value in outside:
                return None
            for op in self.readers.get(value, ()):
                last = max(last, self.places[op])
                if op in self.dead:
                    continue
                held = self.held_by(op, value)
                if held is None:
                    return None
                pending += [v for v in held if v not in seen]
                seen |= set(held)
        return last

    def held_by(self, op: Op, value: Value) -> list[Value] | None:
        """The windows through which the value can be read after the operation; None where something else holds it."""
        node = self.memory.node(value)
        if isinstance(op, Call):
            if view_base(op) is not None:
                return list(op.results)
            return [] if self.lets_go(op, node) else None
        if any(node in self.memory.reach(r) for r in op.results) or isinstance(op, Loop) and value in op.over:
            return None
        inner = [o for block in op.blocks() for o in ops_of(block) if value in o.operands()]
        return [] if all(self.lets_go(o, node) for o in inner) else None

    def lets_go(self, op: Op, node: Node) -> bool:
        """Test for an operation on a member of the class that keeps no reference to it."""
        if not isinstance(op, Call) or op.callee is not None or self.memory.is_opaque(op):
            return isinstance(op, If)
        does = effects(op)
        stores = op.target in STORES and isinstance(op.args[0].kind, Array)
        keeps = (does.writes or does.changes) and not stores
        return not keeps and not any(node in self.memory.reach(r) for r in op.results)

    def written_between(self, source: Value, copy: Value, block: Block, start: int, end: int) -> bool:
        """Test for a store that reaches the source's memory while the copy is still to be read."""
        node = self.memory.node(source)
        first, behind = (bisect_right(self.stores, place, key=lambda store: store[0]) for place in (start, end))
        between = self.stores[first:behind]
        stores = [k for k, written in between if any(node is other.find() for other in written)]
        stores = [k for k in stores if not self.writes_later_memory(block.ops[k], source, block)]
        return bool(stores) and not (stores == [end] and stores_value(block.ops[end], copy))


    def writes_later_memory(self, op: Op, source: Value, block: Block) -> bool:
        """Test for an operation that writes only into what its block has made when the source was there already."""
        written = (*effects(op).writes, *effects(op).changes) if isinstance(op, Call) and op.callee is None else ()
        if not all(isinstance(value.kind, Array) for value in written):
            return False
        there = self.place(source, block)
        return bool(written) and all(self.place(self.root(value), block, made=True) > there for value in written)

    def root(self, value: Value) -> Value:
        """The array of which a value is a window, or a window of one."""
        _, op = self.makers.get(value, (None, None))
        base = view_base(op) if op is not None and is_window(op) else None
        return value if base is None else self.root(stand_in(self.table, base))

    def place(self, value: Value, block: Block, made: bool = False) -> int:
        """The place in a block where a value has come about, as memory of its own if ``made``; -1: not in it, or not so."""
        home, op = self.makers.get(value, (None, None))
        if home is not block or op is None or op in self.dead or made and not self.memory.is_fresh(op):
            return -1
        return self.places[op]


def stores_value(op: Op, value: Value) -> bool:
    """Test for an operation that stores the array in a window, and uses it for nothing else.

    NumPy takes no buffer for an assignment to a window of one axis, whose steps need not be those of the array.
    """
    if not isinstance(op, Call) or op.target not in STORES or op.args[2] is not value or op.args[0] is value:
        return False
    if op.target == "operator.setitem" and (rank_of(value.kind) or 0) < 2:
        return False
    return all(isinstance(k, Slice | Scalar | Other) for k in index_parts(op.args[1].kind))


def is_copy(op: Call) -> bool:
    """Test for an operation that copies an array and does nothing else."""
    plain = op.target in having("copies") and op.callee is None and len(op.args) == 1 and not op.kwargs
    return plain and isinstance(op.args[0].kind, Array)
