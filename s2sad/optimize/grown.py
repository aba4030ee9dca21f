"""Records that take far more memory than what they are made of: it is recorded instead, and the reverse sweep makes them again.

Before::

    for _ in v1 carrying (q = a):                     forward sweep
        for i in v2:
            for j in v3:
                d = operator.sub(operator.getitem(q, j), operator.getitem(q, i))
                list.append(d_tape, d)
    for _ in v4:                                      reverse sweep
        for i.1 in v5:
            for j.1 in v6:
                d.1 = list.pop(d_tape)

After::

    for _ in v1 carrying (q = a):
        list.append(q_tape, q)
        for i in v2: ...
    for _ in v4:
        q.1 = list.pop(q_tape)
        for i.1 in v5:
            for j.1 in v6:
                d.1 = operator.sub(operator.getitem(q.1, j.1), operator.getitem(q.1, i.1))

So it is where there are fewer loops around what is recorded instead, or where it has fewer axes (``q[None, :] - q[:, None]``),
and all that is computed again takes no longer than to look at it; ``analysis/repeated.py`` says the same of calls. Of an array
that is written, a copy is recorded, if nothing writes into it between the copy and what reads it; what is certainly still there
is read where it is (``analysis/windows.py``). ``recall.py`` makes the values again; here it is decided which.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from s2sad.analysis.alias import Node, is_droppable
from s2sad.analysis.attempts import attempted
from s2sad.analysis.repeated import is_brief, is_light
from s2sad.analysis.tapes import Tape
from s2sad.analysis.windows import Windows
from s2sad.ir.kinds import Array, List, Scalar, Slice, Tuple
from s2sad.ir.nodes import LITERALS, Call, Loop, Value
from s2sad.ir.walk import ops_of
from s2sad.optimize.common import is_unique
from s2sad.optimize.memory_effects import is_proper_array, is_window
from s2sad.rules.traits import having, spelled

if TYPE_CHECKING:
    from s2sad.optimize.recall import Places, Recall

ARRAY = 4  # the time of an operation on an array, at least, in operations on numbers
MOST = 32 * ARRAY  # the time of what is computed again in a block
EACH = 8  # operations in place of one record: on arrays, or on numbers


@dataclass
class Again:
    """What is to be made again: by these operations of the forward sweep, of these values, which are recorded or there anyway;
    of the written ones, a copy is recorded where that is given."""

    ops: dict[Call, None] = field(default_factory=dict)
    leaves: dict[Value, None] = field(default_factory=dict)
    copied: dict[Value, int] = field(default_factory=dict)  # with the level at which it is

    @property
    def time(self) -> int:
        """The time that its operations take, in operations on numbers."""
        return sum(map(_time, self.ops))

    def makes(self, value: Value) -> bool:
        """Test for a value that is made again."""
        return any(value is op.result for op in self.ops)

    def joined(self, other: Again) -> Again:
        """Both."""
        return Again({**self.ops, **other.ops}, {**self.leaves, **other.leaves}, {**self.copied, **other.copied})


class Grown:
    """The records of two blocks, which are pushed in one and popped in the other; ``chain``: these, and those around them."""

    def __init__(self, work: Recall, chain: list[Places], tapes: list[Tape]) -> None:
        self.work, self.memory = work, work.memory
        self.chain = chain
        self.levels = {block: k for k, (block, _) in enumerate(chain)}
        self.around = [work.parents[block][0] for block, _ in chain if block in work.parents]  # innermost first
        place = {value: k for k, op in enumerate(chain[0][0].ops) for value in op.results}
        own = [tape for tape in tapes if not tape.counts and not isinstance(tape.recorded, LITERALS)]
        self.tapes = sorted(own, key=lambda tape: place.get(tape.recorded, -1))
        self.there = work.linked(chain)
        self.recorded = {tape.recorded for tape in tapes}
        self.known: dict[Value, Again | None] = {}
        self.candidates = [(tape, again) for tape in self.tapes if (again := self.again(tape.recorded)) and self.varies(again)]

    def choose(self) -> Again | None:
        """What is made again, if that pays."""
        if not self.tapes or len(self.around) < len(self.chain) or attempted(self.work.function):
            return None
        made, gone, spared = Again(), 0, 0
        for tape, again in self.candidates:
            if self.is_grown(tape.recorded, again) and self.is_short(tape, again):
                made, gone, spared = made.joined(again), gone + 1, spared + _worth(tape)
        made = self.without_leaves(made)
        if not gone or made.time > spared:
            return None
        for tape, again in self.candidates:
            more = made.joined(again)
            if not made.makes(tape.recorded) and self.follows(again, made) and more.time - made.time <= _worth(tape):
                made, gone = more, gone + 1
        fresh = sum(not self.is_there(v) for v in made.leaves) + len(made.copied)
        return made if made.time <= MOST and fresh <= gone else None

    def without_leaves(self, made: Again) -> Again:
        """The same without those leaves that the others make."""
        for leaf in [*made.leaves]:
            again = self.again(leaf)
            rest = Again(made.ops, {v: None for v in made.leaves if v is not leaf}, made.copied)
            if again is not None and self.follows(again, rest) and again.time <= EACH * ARRAY:
                made = rest.joined(again)
        return made

    def follows(self, again: Again, made: Again) -> bool:
        """Test for what needs nothing more to be recorded."""
        needed = {v for v in again.leaves if v not in made.leaves and not self.is_there(v)}
        return not needed and again.copied.keys() <= made.copied.keys()

    # --- what a value is made of

    def again(self, value: Value) -> Again | None:
        """What makes a value again in the innermost block; None if it is recorded itself."""
        if value not in self.known:
            self.known[value] = None
            self.known[value] = self._again(value)
        return self.known[value]

    def _again(self, value: Value) -> Again | None:
        op = self.work.definer.get(value)
        if not isinstance(op, Call) or self.work.owner[value] not in self.levels or not self.is_light(op):
            return None
        found = self.reading(op)
        if found is None:
            return None
        found.ops[op] = None
        for operand in op.operands():
            if isinstance(operand, LITERALS) or operand in found.copied:
                continue
            inner = None if self.is_origin(operand, op) else self.again(operand)
            if inner is None and not self.may_be_recorded(operand):
                return None
            found = found.joined(inner or Again(leaves={operand: None}))
            if found.time > MOST:
                return None
        found.leaves = {v: None for v in found.leaves if v not in found.copied}
        return found if self.is_of_copies(found) else None

    def is_light(self, op: Call) -> bool:
        """Test for a call that takes no longer than to look at its operands and its result, and does nothing else."""
        if len(op.results) != 1 or not is_droppable(op) or is_unique(op):
            return False
        if op.callee is not None:
            return is_brief(op.callee) and not self.memory.mutable(op.result)
        if isinstance(op.result.kind, Array) and op.target == "operator.getitem":
            return is_window(op) or isinstance(op.args[0].kind, List) and not self.memory.mutable(op.result)
        dot = op.target in having("multiplies matrices") and all(_axes(v) == 1 for v in op.args)
        return (is_light(op) or dot) and not self.memory.mutable(op.result)

    def is_origin(self, value: Value, op: Call) -> bool:
        """Test for a value that is not made again for an operation: it is there, stems from around, or has fewer axes."""
        if value in self.work.seen or self.is_index(value):
            return True
        mine, its = self.levels[self.work.owner[op.result]], self.levels.get(self.work.owner[value], len(self.chain))
        axes, fewer = _axes(op.result), _axes(value)
        maker = self.work.definer.get(value)
        smaller = bool(fewer) and axes is not None and fewer is not None and fewer < axes
        return its > mine or smaller and not (maker is not None and is_window(maker))

    def is_index(self, value: Value) -> bool:
        """Test for the index of a loop, which the reversed one has, too, or a number that is recorded around."""
        return value in self.there and value not in self.recorded and isinstance(value.kind, Scalar)

    def is_there(self, value: Value) -> bool:
        """Test for a value that the innermost block of the reverse sweep has anyway."""
        return value in self.work.seen or value in self.there

    def varies(self, again: Again) -> bool:
        """Test for a value that is not the same in every iteration: of those that are, one is kept (``recall.py``)."""
        read = any(self.memory.own_reads(op) & self.memory.written for op in again.ops)
        return read or not all(v in self.work.seen for v in again.leaves)

    def may_be_recorded(self, value: Value) -> bool:
        """Certainty that a value is there in the reverse sweep, or may be recorded where it is made."""
        if self.is_there(value):
            return True
        kept = isinstance(value.kind, Scalar) or is_proper_array(value.kind) and not self.memory.mutable(value)
        return kept and self.work.owner.get(value) in self.levels

    # --- memory that is written

    def reading(self, op: Call) -> Again | None:
        """The arrays of which an operation is to read copies; None if what it reads may change, however it is kept."""
        found = Again()
        for node in self.memory.own_reads(op) & self.memory.written:
            root = self.memory.aliases.root_of(node)
            if root is None or not isinstance(root.kind, Array) or root not in self.work.owner:
                return None
            if not self.is_steady(op, node):
                level = self.level(node, root)
                if level is None:
                    return None
                found.copied[root] = level
        return found

    def is_of_copies(self, again: Again) -> bool:
        """Certainty that no leaf is a window into an array of which copies are read."""
        copied = {self.memory.node(root) for root in again.copied}
        return all(self.memory.reach(v).isdisjoint(copied) for v in again.leaves)

    def level(self, node: Node, root: Value) -> int | None:
        """The outermost level at which a copy of an array may be made for all inside, which does not write into it."""
        loops = False
        for k, op in enumerate(self.around):
            if node in self.memory.writes(op):
                visible = self.levels.get(self.work.owner[root], k) >= k
                return k if loops and visible else None
            loops |= isinstance(op, Loop)
        return None

    def is_steady(self, op: Call, node: Node) -> bool:
        """Certainty that nothing is written, after an operation, into what it reads of a class."""
        windows = self.windows
        read = [v for v in op.operands() if not isinstance(v, LITERALS) and node in self.memory.reach(v)]
        load = op.target == "operator.getitem" and len(read) == 1
        places = [windows.load_place(op)] if load else [windows.window(v) for v in read]
        stores = [*windows.that_may_follow(op, self.stores.get(node, []))]
        pairs = ((place, store) for store in stores for place in places)
        return all(windows.disjoint_after(op, place, store, windows.store_place(store), node) for place, store in pairs)

    @cached_property
    def windows(self) -> Windows:
        """The windows of the function."""
        return Windows(self.work.function, self.memory.aliases)

    @cached_property
    def stores(self) -> dict[Node, list[Call]]:
        """The operations that write into each class."""
        found: dict[Node, list[Call]] = {}
        for op in ops_of(self.work.function.body):
            if isinstance(op, Call):
                for node in self.memory.own_writes(op):
                    found.setdefault(node, []).append(op)
        return found

    # --- does it pay?

    def depth(self, value: Value) -> int:
        """The number of loops around a value."""
        return self.depth_at(self.levels.get(self.work.owner.get(value, self.work.function.body), len(self.chain)))

    def depth_at(self, level: int) -> int:
        """The number of loops around what stands at a level."""
        return sum(isinstance(op, Loop) for op in self.around[level:])

    def is_grown(self, value: Value, again: Again) -> bool:
        """Certainty that a record takes more memory than what it is made of: that has fewer loops around it, or fewer axes."""
        loops, mine = self.depth(value), _axes(value)
        origins = [(self.depth(v), _axes(v)) for v in again.leaves if not self.is_index(v)]
        origins += [(self.depth_at(k), _axes(v)) for v, k in again.copied.items()]
        return mine is not None and all(axes is not None and _is_less(depth, axes, loops, mine) for depth, axes in origins)

    def is_short(self, tape: Tape, again: Again) -> bool:
        """Test for an array, or for a number that is made of few numbers and items."""
        if not isinstance(tape.recorded.kind, Scalar):
            return is_proper_array(tape.recorded.kind)
        return all(isinstance(op.result.kind, Scalar | Tuple | Slice) for op in again.ops) and again.time <= 2 * EACH

    # --- what is recorded instead

    def record(self, again: Again) -> dict[Value, Value]:
        """Record what is not there; the copies that stand for arrays that are written, as they are in the forward sweep."""
        for value in again.leaves:
            if not self.is_there(value):
                block = self.work.owner[value]
                made = next((k for k, op in enumerate(block.ops) if value in op.results), -1)
                self._push(self.levels[block], value, made + 1, value.name)
        copies: dict[Value, Value] = {}
        for value, k in again.copied.items():
            block, _ = self.chain[k]
            copy = Call(target=spelled("copies"), args=[value], results=[Value(value.kind)])
            copy.loc, copy.primal = self.tapes[0].push.loc, self.tapes[0].push.primal
            at = block.ops.index(self.around[k - 1])
            block.ops.insert(at, copy)
            self.work.owner[copy.result], self.work.definer[copy.result] = block, copy
            copies[value] = copy.result
            self._push(k, copy.result, at + 1, value.name)
        return copies

    def _push(self, k: int, value: Value, at: int, name: str | None) -> None:
        block, back = self.chain[k]
        first = self.tapes[0]
        items = replace(first.items, results=[Value(List(value.kind), f"{name or 'v'}_tape")])
        push = replace(first.push, args=[items.result, value], results=[Value(v.kind) for v in first.push.results])
        pop = replace(first.pop, args=[items.result], results=[Value(value.kind, value.name)])
        body = self.work.function.body.ops
        body.insert(body.index(first.items), items)
        block.ops.insert(at, push)
        inner = self.chain[k - 1][1] if k else None
        before = next((n for n, op in enumerate(back.ops) if inner is not None and inner in op.blocks()), 0)
        back.ops.insert(before, pop)
        self.work.owner[pop.result], self.work.definer[pop.result] = back, pop
        self.work.groups.setdefault((block, back), []).append(Tape(items, [(push, block)], [(pop, back)]))


def _worth(tape: Tape) -> int:
    """The time that may be spent in place of a record."""
    return EACH if isinstance(tape.recorded.kind, Scalar) else EACH * ARRAY


def _time(op: Call) -> int:
    if op.callee is not None:
        return sum(_time(inner) for inner in op.callee.body.ops if isinstance(inner, Call))
    if isinstance(op.result.kind, Tuple | Slice) or is_window(op):
        return 0
    numbers = (op.result,) if op.target == "operator.getitem" else (op.result, *op.args)
    return 1 if all(isinstance(v.kind, Scalar) for v in numbers) else ARRAY


def _axes(value: Value) -> int | None:
    if isinstance(value.kind, Array):
        return value.kind.rank
    return 0 if isinstance(value.kind, Scalar | Tuple | Slice) else None


def _is_less(depth: int, axes: int, loops: int, mine: int) -> bool:
    """Test for less memory: an item of an array takes less than a record of its own, so that a loop counts as an axis."""
    return depth < loops and axes + depth <= mine + loops or depth == loops and axes < mine


__all__ = ["Again", "Grown"]
