"""What is done with an adjoint that only one arm of a branch gives is done in that arm, with what it needs and what is recorded.

Before::

    d_bar = if v1:                            for ...:
        yield best_bar                            v2 = operator.sub(p, q)
    else:                                         list.append(v2_tape, v2)
        yield 0.0                                 best.1 = if v1:
    v2 = list.pop(v2_tape)                            yield d
    v3 = operator.mul(d_bar, v2)                  else:
    s2sad.additem(p_bar, i, v3)                       yield best

After::

    if v1:                                    for ...:
        v2 = list.pop(v2_tape)                    v2 = operator.sub(p, q)
        v3 = operator.mul(best_bar, v2)           best.1 = if v1:
        s2sad.additem(p_bar, i, v3)                   list.append(v2_tape, v2)
                                                      yield d
                                                  else:
                                                      yield best

In the other arm the adjoint is zero, and so is all that is linear in it: nothing is added anywhere. (Infinite factors make no
difference: what has not been chosen has no part in the result.) What stands between the branch and the statements that move
must neither read what they add to, nor write what they read.
"""

from __future__ import annotations

from s2sad.analysis.alias import is_droppable
from s2sad.analysis.attempts import attempted
from s2sad.analysis.tapes import Tape, tapes_of
from s2sad.ir.kinds import Scalar, join
from s2sad.ir.nodes import LITERALS, Block, Call, Const, For, Function, If, Op, Value
from s2sad.ir.walk import blocks_of, ops_of, reads_of, substitute_all
from s2sad.optimize.memory_effects import Memory
from s2sad.optimize.recall import is_function
from s2sad.optimize.rewriting import keeps_border, remove_slots, uses_of
from s2sad.rules.traits import having

PRODUCTS = ("multiplies", "multiplies matrices")  # zero where one of the two is
OF_FIRST = ("arranges", "sums")  # zero where the first is
FIRST = {"operator.truediv", "operator.neg", "s2sad.runtime.unbroadcast"}
LAST = {"s2sad.runtime.strong_zero", "s2sad.runtime.strong_slope"}  # where the last one is
SUMS = {"operator.add", "operator.sub"}
ADDS = {"s2sad.additem", "s2sad.subitem"}
ALONG = {"axis", "keepdims"}  # what a sum may be told besides


@keeps_border
def run(function: Function, memory: Memory | None = None) -> bool:
    """Move what follows branches of the reverse sweep into their arms."""
    ends = {op for op in ops_of(function.body) if isinstance(op, If) and op.primal is not None and _zeros(op) is not None}
    if not ends:
        return False
    memory = memory or Memory(function)
    pops = {tape.pop for tape in tapes_of(function)}
    moved: list[tuple[If, Block]] = []
    for block in blocks_of(function.body):
        begin = function.reverse_at or 0 if block is function.body else 0
        for op in [op for op in block.ops[begin:] if op in ends]:
            if not isinstance(op, If) or op not in block.ops:
                continue  # in the arm of another one by now, which comes later
            if (arm := _Following(function, memory, block, op, pops).move()) is not None:
                moved.append((op, arm))
    for op, arm in moved:
        _sink(function, memory, op, arm)
    return bool(moved)


def _is_zero(value: Value) -> bool:
    return isinstance(value, Const) and type(value.payload) in (int, float) and value.payload == 0


def _zeros(op: If) -> tuple[Block, Block, set[int]] | None:
    """The arm that gives adjoints, the one that gives zeros in their place, and which results these are."""
    for arm, other in ((op.then, op.orelse), (op.orelse, op.then)):
        pairs = enumerate(zip(arm.yields, other.yields, op.results, strict=True))
        found = {k for k, (a, b, r) in pairs if _is_zero(b) and not _is_zero(a) and isinstance(r.kind, Scalar)}
        if found and not other.ops:
            return arm, other, found
    return None


class _Following:
    """What follows a branch in its block, and is linear in adjoints that are zero if the other arm is taken."""

    def __init__(self, function: Function, memory: Memory, block: Block, branch: If, pops: set[Call]) -> None:
        self.function, self.memory, self.block, self.branch, self.pops = function, memory, block, branch, pops
        told = _zeros(branch)
        assert told is not None
        self.arm, self.other, slots = told
        self.zeros = {branch.results[k] for k in slots}
        self.same: dict[Value, Value] = {}  # what a value is if these are zero
        self.place = {value: k for k, op in enumerate(block.ops) for value in op.results}
        self.at = block.ops.index(branch)
        self.moving: dict[Op, None] = {}
        self.early: set[Op] = set()  # what these need, and can be had before

    def move(self) -> Block | None:
        """Move it; the arm in which it is then."""
        later = self.block.ops[self.at + 1 :]
        for op in later:
            if self.touches(op):
                if not self.is_linear(op):
                    return None
                self.moving[op] = None
        if not self.moving:
            return None
        self.take_along(later)
        if not self.may_move():
            return None
        self.write()
        return self.arm

    # --- what is linear

    def is_zero(self, value: Value) -> bool:
        return value in self.zeros or _is_zero(value)

    def root(self, value: Value) -> Value:
        while value in self.same:
            value = self.same[value]
        return value

    def touches(self, op: Op) -> bool:
        """Test for an operation that reads, itself or inside, what is zero then."""
        return any(v in self.zeros for v in reads_of(op))

    def is_linear(self, op: Op) -> bool:
        """Certainty that an operation does nothing but give zeros, or what it was given, if the adjoints are zero."""
        if isinstance(op, For):
            return self.is_linear_loop(op)
        if isinstance(op, If):
            return op.cond not in self.zeros and op.cond not in self.same and self.is_linear_branch(op)
        return isinstance(op, Call) and op.callee is None and not op.check and self.is_linear_call(op)

    def is_linear_call(self, op: Call) -> bool:
        zero = [k for k, v in enumerate(op.args) if v in self.zeros]
        if not op.kwargs.keys() <= ALONG or any(v in self.zeros for v in op.kwargs.values()):
            return False
        if op.target in ADDS:
            return zero == [2]
        if len(op.results) != 1:
            return False
        if op.target in SUMS and len(op.args) == 2:
            others = [v for v in op.args if not self.is_zero(v)]
            if others:
                other = others[0]
                if op.target == "operator.sub" and other is op.args[1]:
                    return False
                self.same[op.result] = self.root(other)
                return isinstance(op.result.kind, Scalar) and isinstance(other.kind, Scalar)
        elif not self.is_product(op, zero):
            return False
        self.zeros.add(op.result)
        return True

    def is_product(self, op: Call, zero: list[int]) -> bool:
        """Test for a call whose result is zero if these arguments are."""
        if any(op.target in having(trait) for trait in PRODUCTS):
            return len(op.args) == 2
        if op.target in FIRST or any(op.target in having(trait) for trait in OF_FIRST):
            return zero == [0]
        return op.target in LAST and len(op.args) - 1 in zero

    def is_linear_block(self, block: Block) -> bool:
        """The same of operations inside; others there must do nothing but compute."""
        for op in block.ops:
            if self.touches(op):
                if not self.is_linear(op):
                    return False
            elif self.memory.writes(op) or any(map(self.memory.must_run, ops_of(Block([], [op])))):
                return False
        return True

    def is_linear_loop(self, op: For) -> bool:
        if op.breaks or op.snapshots is not None or op.iterable in self.zeros or op.iterable in self.same:
            return False
        begun = [*zip(op.init, op.carried, op.results, strict=True)]
        zero = [self.is_zero(init) for init, _, _ in begun]
        self.zeros.update(param for (_, param, _), z in zip(begun, zero, strict=True) if z)
        if not self.is_linear_block(op.body):
            return False
        for (init, param, result), left, z in zip(begun, op.carried_yields, zero, strict=True):
            if z and not self.is_zero(left) or not z and (self.root(left) is not param or not isinstance(param.kind, Scalar)):
                return False
            if z:
                self.zeros.add(result)
            else:
                self.same[result] = self.root(init)
        return True

    def is_linear_branch(self, op: If) -> bool:
        if not all(map(self.is_linear_block, op.blocks())):
            return False
        for result, *ends in zip(op.results, *(inner.yields for inner in op.blocks()), strict=True):
            if all(map(self.is_zero, ends)):
                self.zeros.add(result)
                continue
            roots = {self.root(end) for end in ends}
            if len(roots) != 1 or not isinstance(result.kind, Scalar) or isinstance(ends[0], LITERALS):
                return False
            self.same[result] = roots.pop()
        return True

    # --- what may move

    def take_along(self, later: list[Op]) -> None:
        """Move what nothing else reads, and what has nothing to do with memory that changes."""
        uses = uses_of(self.function)
        inside = {*ops_of(Block([], [*self.moving]))}
        left = {self.root(value) for value in self.same}  # in the other arm
        for op in reversed(later):
            readers = uses.get(op.results[0], []) if len(op.results) == 1 else []
            if op in self.moving or not readers or not inside.issuperset(readers) or not left.isdisjoint(op.results):
                continue
            droppable = isinstance(op, Call) and not op.check and op.callee is None and is_droppable(op)
            if droppable and self.memory.written.isdisjoint(self.memory.own_reads(op)):
                inside.add(op)
        self.moving = {op: None for op in later if op in inside}

    def may_move(self) -> bool:
        """Permission to have it done in the arm, before all else that follows the branch."""
        made = {v for op in self.moving for v in op.results}
        given = {*self.branch.results}
        for op in self.moving:
            if not all(v in made or v in given or self.is_ready(v) for v in reads_of(op)):
                return False
        if not all(self.root(v) in made or self.root(v) in given or self.is_ready(self.root(v)) for v in made if v in self.same):
            return False
        ops = self.block.ops
        outside = {v for op in ops if op not in self.moving for v in reads_of(op)} | {*self.block.yields}
        if not all(isinstance(v.kind, Scalar) for v in made & outside):
            return False
        last = max(map(ops.index, self.moving))
        between = [op for op in ops[self.at + 1 : last] if op not in self.moving and op not in self.early]
        writes = frozenset().union(*map(self.memory.writes, self.moving))
        reads = frozenset().union(*(self.reads(op) for op in self.moving))
        written = frozenset().union(*map(self.memory.writes, between))
        return written.isdisjoint(writes | reads) and writes.isdisjoint(frozenset().union(*map(self.reads, between)))

    def reads(self, op: Op) -> frozenset[object]:
        return frozenset().union(*map(self.memory.own_reads, ops_of(Block([], [op]))))

    def is_ready(self, value: Value) -> bool:
        """Certainty that a value is there before the branch, or can be."""
        place = self.place.get(value, -1)
        if place < self.at:
            return True
        op = self.block.ops[place]
        if op in self.early:
            return True
        if place == self.at or op in self.moving or not isinstance(op, Call):
            return False
        if (op in self.pops or is_function(op, self.memory)) and not op.check and all(map(self.is_ready, op.operands())):
            self.early.add(op)
            return True
        return False

    # --- the move

    def write(self) -> None:
        branch, block = self.branch, self.block
        made = [v for op in self.moving for v in op.results]
        rest = [op for op in block.ops if op not in self.moving]
        read = {v for op in rest for v in reads_of(op)} | {*block.yields}
        table = dict(zip(branch.results, self.arm.yields, strict=True))
        ops = [*self.moving]
        substitute_all(Block([], ops), table)
        self.arm.ops += ops
        ends = dict(zip(branch.results, self.other.yields, strict=True))
        for value in (v for v in made if v in read):
            end = self.root(value)
            inside = Value(value.kind, value.name)
            for op in ops:
                op.results = [inside if v is value else v for v in op.results]
            substitute_all(Block([], ops), {value: inside})
            branch.results.append(value)
            self.arm.yields.append(inside)
            left = ends.get(end, end) if value in self.same else Const(0.0)
            value.kind = join(value.kind, left.kind)
            self.other.yields.append(left)
        early = [op for op in block.ops if op in self.early]
        before = block.ops[: self.at]
        after = [op for op in block.ops[self.at + 1 :] if op not in self.moving and op not in self.early]
        block.ops[:] = [*before, *early, branch, *after]
        remove_slots(branch, {k for k, v in enumerate(branch.results) if v not in read})


def _sink(function: Function, memory: Memory, branch: If, arm: Block) -> None:
    """Compute, and take off tapes, in an arm what nothing else reads."""
    outside = next(block for block in blocks_of(function.body) if branch in block.ops)
    tapes = {} if attempted(function) else {t.pop: t for t in tapes_of(function) if not t.counts and t.places[1] is outside}
    uses = uses_of(function)
    inside = {*ops_of(arm)}
    ends = [v for block in blocks_of(arm) for v in block.yields]
    begin = function.reverse_at or 0 if outside is function.body else 0
    for op in reversed(outside.ops[begin : outside.ops.index(branch)]):
        if not isinstance(op, Call) or len(op.results) != 1 or op.check:
            continue
        readers = uses.get(op.result, [])
        if not readers or not all(r in inside or r is None for r in readers) or readers.count(None) != ends.count(op.result):
            continue
        if _push_there(function, tapes[op], branch, arm) if op in tapes else is_function(op, memory):
            outside.ops.remove(op)
            arm.ops.insert(0, op)
            inside.add(op)


def _push_there(function: Function, tape: Tape, branch: If, arm: Block) -> bool:
    """Have a tape pushed in the arm that the forward sweep has for one of the reverse sweep; whether it can be."""
    pushed, popped = tape.places
    there = [op for op in pushed.ops if isinstance(op, If) and op.loc is not None and op.loc == branch.primal]
    back = [op for op in popped.ops if isinstance(op, If) and op.primal == branch.primal]
    if len(there) != 1 or len(back) != 1:
        return False
    (first,) = there
    by = {t.pop.result: t.recorded for t in tapes_of(function)}
    if by.get(branch.cond) is not first.cond:
        return False
    made = max((k for k, op in enumerate(pushed.ops) if tape.recorded in op.results), default=-1)
    if made >= pushed.ops.index(first):
        return False
    pushed.ops.remove(tape.push)
    (first.then if arm is branch.then else first.orelse).ops.append(tape.push)
    return True
