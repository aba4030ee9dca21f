"""Records that follow from other ones are not made: windows, cheap numbers, what the reverse sweep computes anyway.

Before::

    for ...:                                  forward sweep
        v1 = operator.getitem(x, 1:-1)
        v2 = numpy.sin(y)
        list.append(v1_tape, v1)
        list.append(v2_tape, v2)
        list.append(x_tape, x)
        list.append(y_tape, y)
    for ...:                                  reverse sweep
        y.1 = list.pop(y_tape)
        x.1 = list.pop(x_tape)
        v2.1 = list.pop(v2_tape)
        v1.1 = list.pop(v1_tape)
        v3 = numpy.sin(y.1)

After::

    for ...:
        list.append(x_tape, x)
        list.append(y_tape, y)
    for ...:
        x.1 = list.pop(x_tape)
        y.1 = list.pop(y_tape)
        v1.1 = operator.getitem(x.1, 1:-1)
        v3 = numpy.sin(y.1)                   also for v2.1

Numbers that follow from what the next iteration begins with follow from where the reverse sweep comes from::

    for ... carrying (x = a):                 for ... carrying (x = a):
        y = operator.mul(x, c)                    y = operator.mul(x, c)
        v1 = operator.sub(y, 1.0)                 list.append(x_tape, x)
        list.append(x_tape, x)                    yield y
        list.append(v1_tape, v1)         ==>  for ... carrying (y.1 = what the loop has left):
        yield y                                   v1.1 = operator.sub(y.1, 1.0)
                                                  x.1 = list.pop(x_tape)
                                                  yield x.1

An array that each iteration makes again, of what no iteration changes, is kept by the last one alone::

    for ... carrying (x = a):                 for ... carrying (x = a, last = ...):
        B = operator.mul(c, A)                    B = operator.mul(c, A)
        list.append(B_tape, B)           ==>      yield y, B
        yield y

A product of matrices is made again where the two sweeps make several others of matrices as large in each iteration: that takes
a small share of the time, and the tape is a matrix an iteration less.

While the sweeps are being made it is not known yet what else will be recorded. ``recompute_across_cut`` does the same for
what the forward sweep of a callee hands to its reverse sweep.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable
from functools import cached_property, partial

from s2sad.analysis.alias import is_droppable
from s2sad.analysis.tapes import Tape, tapes_of
from s2sad.ir.kinds import List, Scalar, Slice, Tuple
from s2sad.ir.nodes import (
    LITERALS,
    Block,
    Call,
    Const,
    For,
    Function,
    FunctionRef,
    Global,
    Loop,
    Op,
    Undef,
    Value,
)
from s2sad.ir.walk import (
    blocks_of,
    definers,
    ops_of,
    owners,
    reads_of,
    stand_in,
    substitute,
    substitute_all,
    use_counts,
)
from s2sad.optimize.common import is_unique
from s2sad.optimize.grown import Again as Made
from s2sad.optimize.grown import Grown
from s2sad.optimize.memory_effects import Memory, Nodes, is_proper_array, is_window
from s2sad.optimize.rewriting import const_key, drop, keeps_border, same_literal
from s2sad.optimize.sizes_met import SizesMet
from s2sad.rules import registry

MOST = 5  # operations in place of one record
OTHERS = 5  # products of matrices, beside which one more of that size counts little

Places = tuple[Block, Block]  # of the forward and of the reverse sweep


@keeps_border
def run(function: Function, memory: Memory | None = None) -> bool:
    """Take what follows from others off the tapes."""
    tapes = tapes_of(function) if function.reverse_at is not None else []
    if not tapes:
        return False
    work = Recall(function, memory or Memory(function), tapes)
    for places in [*work.groups]:
        work.group(places)
    substitute_all(function.body, work.table)
    drop(function, work.dead)
    return bool(work.dead)


def recompute_across_cut(whole: Function, memory: Memory) -> bool:
    """Compute again in the reverse sweep of a callee, which is to be cut off, what follows from the rest that it is handed."""
    assert whole.reverse_at is not None
    work = Recall(whole, memory, [])
    work.across(whole.reverse_at)
    return bool(work.table)


def is_function(op: Call, memory: Memory) -> bool:
    """Test for a call that computes one value, whenever it runs."""
    if op.callee is not None or len(op.results) != 1 or not is_droppable(op):
        return False
    if is_window(op):
        return True
    unread = memory.written.isdisjoint(memory.own_reads(op))
    return unread and not memory.mutable(op.result) and not is_unique(op)


class Recall:
    def __init__(self, function: Function, memory: Memory, tapes: list[Tape]) -> None:
        self.function = function
        self.memory = memory
        self.groups: dict[Places, list[Tape]] = {}
        for tape in tapes:
            self.groups.setdefault(tape.places, []).append(tape)
        self.definer = definers(function)
        self.owner = owners(function)
        self.parents = {inner: (op, block) for block in blocks_of(function.body) for op in block.ops for inner in op.blocks()}
        before = function.body.ops[: function.reverse_at]
        self.seen = {p.value for p in function.params} | {v for op in before for v in op.results}
        self.table: dict[Value, Value] = {}
        self.dead: set[Op] = set()

    @cached_property
    def sizes(self) -> SizesMet:
        """The sizes of the function's arrays, which are equal where they have met."""
        return SizesMet(self.function)

    # --- tapes

    def group(self, places: Places) -> None:
        """The tapes that are pushed and popped in the same two blocks."""
        pushed, popped = places
        chain = self.chain(pushed, popped)
        grown = Grown(self, chain, self.groups[places])
        chosen = grown.choose() or Made()
        copies = grown.record(chosen)
        there = self.linked(chain)
        place = {value: k for k, op in enumerate(pushed.ops) for value in op.results}
        tapes = sorted(self.groups[places], key=lambda tape: place.get(tape.recorded, -1))
        coming = self.coming(chain, {tape.recorded for tape in tapes})
        there.update({value: Value(value.kind, began.name) for value, (_, began) in coming.items() if value not in there})
        later = {there[value]: found for value, found in coming.items()}
        again = _Again(self, {block for block, _ in chain}, there, popped.ops, self.seen, chosen, copies)
        for tape in tapes:
            value, back = tape.recorded, tape.pop.result
            if tape.counts or isinstance(value, LITERALS):
                continue
            if there.get(value) is back:
                del there[value]
            if (found := again.make(value) or self.last(value, pushed)) is not None:
                self.table[back] = there[value] = found
                again.renamed(back)
                self.dead |= {tape.push, tape.pop}
            else:
                there[value] = back
        self.take_out(chain, again)
        if again.ahead:
            pops = [tape.pop for tape in tapes if tape.pop not in self.dead]
            first = {*pops, *again.ahead}
            soon = self.carry(chain, later, again)
            others = [op for op in again.ahead if op not in soon]
            rest = [op for op in popped.ops if op not in first]
            soon |= self.read_soon(soon, rest, popped.params)
            popped.ops[:] = [*soon, *pops, *others, *(op for op in rest if op not in soon)]

    # --- what every iteration computes again

    def last(self, value: Value, pushed: Block) -> Value | None:
        """What the last iteration of all loops around has computed, if each computes the same."""
        loops: list[Loop] = []
        block = pushed
        while block in self.parents:
            op, block = self.parents[block]
            if not isinstance(op, Loop) or op.snapshots is not None:
                return None
            loops.append(op)
        within = {loop.body for loop in loops}
        if not loops or not is_proper_array(value.kind) or not self.is_always(value, within, self.memory.writes(loops[-1])):
            return None
        for loop in loops:
            loop.init.append(Undef() if len(loops) == 1 else Const(None))  # handed to an inner one, it is read
            loop.body.params.append(Value(value.kind, value.name))
            for test in loop.tests:
                test.params.append(Value(value.kind, value.name))
            loop.body.yields.append(value)
            value = Value(value.kind, value.name)
            loop.results.append(value)
        for inner, outer in itertools.pairwise(loops):  # an inner loop that does not run leaves it as it is
            inner.init[-1] = outer.body.params[-1]
        return value

    def is_always(self, value: Value, within: set[Block], writes: Nodes) -> bool:
        """Certainty that a value is the same whenever these bodies of loops run, which write into ``writes``."""
        if isinstance(value, LITERALS) or self.owner.get(value, self.function.body) not in within:
            return True
        op = self.definer.get(value)
        if not isinstance(op, Call) or op.callee is not None or len(op.results) != 1 or not is_droppable(op) or is_unique(op):
            return False
        still = not self.memory.mutable(value) and writes.isdisjoint(self.memory.own_reads(op))
        return still and all(self.is_always(v, within, writes) for v in op.operands())

    def coming(self, chain: list[Places], recorded: set[Value]) -> dict[Value, tuple[int, Value]]:
        """The numbers with which the next iteration of a loop has begun, of those whose beginnings are recorded: what the reverse
        sweep comes from. With their places among what the loop carries, and what they were in this iteration."""
        pushed, popped = chain[0]
        if pushed not in self.parents or popped not in self.parents:
            return {}
        (loop, outside), (back, around) = self.parents[pushed], self.parents[popped]
        if not isinstance(loop, Loop) or not isinstance(back, For) or loop.breaks or back.breaks or loop.snapshots:
            return {}
        if not outside is around is self.function.body or back.primal is None or back.primal != loop.loc:
            return {}
        pairs = enumerate(zip(loop.body.yields, loop.carried, strict=True))
        made = {value for op in pushed.ops for value in op.results if isinstance(value.kind, Scalar)}
        return {y: (k, p) for k, (y, p) in pairs if y in made and p in recorded and y not in recorded}

    def carry(self, chain: list[Places], later: dict[Value, tuple[int, Value]], again: _Again) -> dict[Op, None]:
        """Have the reversed loop carry what is read of the next iteration; the operations that read nothing else but that."""
        read = {value for op in again.ahead for value in op.operands()} & later.keys()
        soon: dict[Op, None] = {}
        if not read:
            return soon
        loop, back = self.parents[chain[0][0]][0], self.parents[chain[0][1]][0]
        assert isinstance(loop, Loop) and isinstance(back, For)
        for value, (k, began) in later.items():
            if value in read:
                back.init.append(loop.results[k])
                back.body.params.append(value)
                back.body.yields.append(again.there[began])
                back.results.append(Value(value.kind, value.name))
        known = {*read, *self.seen}
        for op in again.ahead:
            if all(isinstance(value, LITERALS) or value in known for value in op.operands()):
                soon[op] = None
                known.update(op.results)
        return soon

    def read_soon(self, soon: dict[Op, None], ops: list[Op], params: list[Value]) -> dict[Op, None]:
        """The statements that read the results of such operations, and nothing that is popped: they stand there with them."""
        parts = {value for op in soon for value in op.results}  # what only parts of such a statement read
        if not parts:
            return {}
        uses = use_counts(self.function)
        known = {*self.seen, *params, *parts}
        possible: list[Call] = []
        for op in ops:
            read = {stand_in(self.table, v) for v in op.operands() if not isinstance(v, LITERALS)}
            if isinstance(op, Call) and read <= known and is_function(op, self.memory):
                known.add(op.result)
                possible.append(op)
        wanted: set[Value] = set()
        for op in possible:
            if not parts.isdisjoint(stand_in(self.table, v) for v in op.operands()):
                wanted.add(op.result)
                parts |= {op.result} if op.result.name is None and uses[op.result] == 1 else set()
        for op in reversed(possible):
            wanted.update(op.operands() if op.result in wanted else ())
        return dict.fromkeys(op for op in possible if op.result in wanted)

    def take_out(self, chain: list[Places], again: _Again) -> None:
        """Compute around a loop what a block there has computed and can compute again: once for all iterations inside."""
        level = {block: k for k, (block, _) in enumerate(chain)}
        around = [(back, self.parents[inner][0]) for (_, inner), (_, back) in itertools.pairwise(chain)]
        known: list[set[Value]] = [set() for _ in around]
        for k, (back, loop) in enumerate(around):
            before = back.ops[: back.ops.index(loop)]
            for inside in known[: k + 1]:
                inside.update(back.params, (v for op in before for v in op.results))
        for op in [op for op in again.ahead if op in again.home and level[again.home[op]]]:
            read = {v for v in op.operands() if not isinstance(v, LITERALS) and v not in self.seen}
            place = next((k for k in reversed(range(level[again.home[op]])) if read <= known[k]), None)
            if place is not None:
                back, loop = around[place]
                at = back.ops.index(loop)
                del again.ahead[op]
                if (same := self.same(op, back.ops[:at], again)) is not None:
                    self.table[op.result] = same
                    continue
                back.ops.insert(at, op)
                for inside in known[: place + 1]:
                    inside.update(op.results)

    def same(self, op: Op, others: list[Op], again: _Again) -> Value | None:
        """The result of another operation that computes the same."""
        assert isinstance(op, Call)
        calls = (other for other in others if isinstance(other, Call) and other.target == op.target)
        calls = (other for other in calls if is_function(other, self.memory))
        return next((other.result for other in calls if again.key(other, other.args) == again.key(op, op.args)), None)

    def chain(self, pushed: Block, popped: Block) -> list[Places]:
        """The blocks of both sweeps around a push and its pop, which run in step, innermost first."""
        found = [(pushed, popped)]
        while pushed in self.parents and popped in self.parents:
            (op, pushed), (back, popped) = self.parents[pushed], self.parents[popped]
            if back.primal is None or back.primal != op.loc or pushed is popped:
                break
            found.append((pushed, popped))
        return found

    def linked(self, chain: list[Places]) -> dict[Value, Value]:
        """The popped values of the reverse sweep, and the indices of its loops, by what they are in the forward sweep."""
        there: dict[Value, Value] = {}
        inner: Op | None = None
        for block, back in chain:
            upto = back.ops.index(inner) if inner is not None else len(back.ops)
            for tape in self.groups.get((block, back), ()):
                if tape.pop in back.ops[:upto] or tape.pop in self.dead and tape.pop.result in self.table:
                    there.setdefault(tape.recorded, stand_in(self.table, tape.pop.result))
            if block not in self.parents or back not in self.parents:
                break
            inner = self.parents[back][0]
        for block, back in reversed(chain):  # what an inner loop runs over may depend on the indices of outer ones
            loop, turned = (self.parents[b][0] if b in self.parents else None for b in (block, back))
            if isinstance(loop, For) and isinstance(turned, For) and self.is_reversed(loop, turned, there):
                there[loop.body.params[0]] = turned.body.params[0]
        return there

    def is_reversed(self, loop: For, turned: For, there: dict[Value, Value]) -> bool:
        """Test for a loop that runs backwards over what another one has run over."""
        op = self.definer.get(turned.iterable)
        back = isinstance(op, Call) and op.target == "builtins.reversed" and not loop.breaks
        return back and self.is_again(loop.iterable, op.args[0], there)  # type: ignore[union-attr]

    def is_again(self, value: Value, found: Value, there: dict[Value, Value]) -> bool:
        """Certainty that a value of the reverse sweep is what one of the forward sweep was."""
        if value is found or there.get(value) is found or same_literal(value, found):
            return True
        op, again = self.definer.get(value), self.definer.get(found)
        if not isinstance(op, Call) or not isinstance(again, Call) or not is_function(op, self.memory):
            return False
        same = (op.target, [*op.kwargs], len(op.args)) == (again.target, [*again.kwargs], len(again.args))
        return same and all(self.is_again(v, w, there) for v, w in zip(op.operands(), again.operands(), strict=True))

    # --- what crosses the cut

    def across(self, border: int) -> None:
        """Repetition, in the reverse sweep, of what the operations from ``border`` on mention of those before."""
        body = self.function.body
        reverse = body.ops[border:]
        read = {value for op in reverse for value in reads_of(op)}
        there = {value: value for value in read if value in self.seen}
        again = _Again(self, {body}, there, reverse, set())
        for value in [v for op in body.ops[:border] for v in op.results if v in read]:
            del there[value]
            if (found := again.make(value)) is not None:
                self.table[value] = found
                again.renamed(value)
            else:
                there[value] = value
        if not self.table:
            return
        rest = [op for op in reverse if op not in again.ahead]
        for op in [*again.ahead, *rest]:
            for inner in ops_of(Block([], [op])):
                substitute(inner, partial(stand_in, self.table))
                for block in inner.blocks():
                    block.yields = [stand_in(self.table, v) for v in block.yields]
        body.ops[border:] = [*again.ahead, *rest]


class _Again:
    """Operations that are computed ahead of everything else in one block of the reverse sweep."""

    def __init__(
        self, work: Recall, blocks: set[Block], there: dict[Value, Value], ops: list[Op], seen: set[Value],
        chosen: Made | None = None, copies: dict[Value, Value] | None = None,
    ) -> None:
        self.work = work
        self.memory = work.memory
        self.blocks = blocks  # of the forward sweep, in step with the block
        self.there = there
        self.seen = seen  # wherever the reverse sweep is
        self.chosen = (chosen or Made()).ops  # whatever they cost
        self.copies = copies or {}  # which these read
        self.ahead: dict[Op, None] = {}
        self.home: dict[Op, Block] = {}  # where the forward sweep has computed it
        self.computed: dict[Hashable, Call] = {}  # by the operations that are there anyway
        self.readers: dict[Value, list[Call]] = {}
        inside = [op for block in (*blocks, Block([], ops)) if block in work.parents or block not in blocks for op in block.ops]
        self.products = Counter(map(work.sizes.of_product, inside))
        for op in ops:
            if isinstance(op, Call) and is_function(op, self.memory):
                self.computed.setdefault(self.key(op, op.args), op)
                for value in op.operands():
                    self.readers.setdefault(value, []).append(op)

    def renamed(self, value: Value) -> None:
        """Another value stands for this one from now on."""
        for op in self.readers.get(value, ()):
            self.computed.setdefault(self.key(op, op.args), op)

    def make(self, value: Value) -> Value | None:
        """A value of the forward sweep, if it follows from what there is with few operations more."""
        trial: dict[Value, Value] = {}
        ops: dict[Op, None] = {}
        found = self.find(value, trial, ops)
        if found is not None:
            self.there.update(trial)
            self.ahead.update(ops)
        return found

    def find(self, value: Value, trial: dict[Value, Value], ops: dict[Op, None]) -> Value | None:
        """A value in the reverse sweep; ``trial`` and ``ops`` get what is needed for it."""
        if isinstance(value, LITERALS) or value in self.seen:
            return value
        if value in trial or value in self.there:
            return trial.get(value) or self.there[value]
        op = self.work.definer.get(value)
        if not isinstance(op, Call) or self.work.owner[value] not in self.blocks:
            return None
        chosen = op in self.chosen
        if not chosen and not is_function(op, self.memory):
            return None
        found = [self.find(self.copies.get(v, v) if chosen else v, trial, ops) for v in op.operands()]
        args = [v for v in found if v is not None]
        if len(args) < len(found):
            return None
        fresh = self.computed.get(self.key(op, args))
        if fresh is None:
            cheap = self.is_cheap(op) and self.seen.issuperset(self.read_by(op))
            if not chosen and (len(ops) >= MOST or not cheap and not self.is_small_share(op, ops)):
                return None
            fresh = Call(target=op.target, callee=op.callee, args=args[: len(op.args)])
            fresh.results = [Value(value.kind, value.name)]
            fresh.kwargs = dict(zip(op.kwargs, args[len(op.args) :], strict=True))
            self.home[fresh] = self.work.owner[value]
        if fresh not in self.ahead:
            ops[fresh] = None
        trial[value] = fresh.result
        return fresh.result

    def is_cheap(self, op: Call) -> bool:
        """Test for a call that costs less to compute than its result to keep."""
        primitive = registry.lookup(op.target)
        number = isinstance(op.result.kind, Scalar | Tuple | Slice)
        item = op.target == "operator.getitem" and isinstance(op.args[0].kind, List)
        return item or is_window(op) or number and primitive is not None and primitive.cheap

    def is_small_share(self, op: Call, ops: dict[Op, None]) -> bool:
        """Test for a product of matrices, beside which one more as large takes little time, in each iteration."""
        work = self.work.sizes.of_product(op)
        if work is None or self.work.owner[op.result] not in self.work.parents:
            return False
        again = sum(self.work.sizes.of_product(other) == work for other in (*self.ahead, *ops))
        return self.products[work] >= (OTHERS + 1) * (again + 1)

    def read_by(self, op: Call) -> list[Value]:
        """The arrays and lists whose contents a call reads: a record of one may be there for its shape alone."""
        read = () if is_window(op) or not self.memory.own_reads(op) else op.operands()
        return [v for v in read if not isinstance(v, LITERALS) and not isinstance(v.kind, Scalar | Tuple | Slice)]

    def key(self, op: Call, args: list[Value]) -> Hashable:
        """Equal for calls that compute the same from these operands."""
        operands = [*args[: len(op.args)], *(op.kwargs.values() if args is op.args else args[len(op.args) :])]
        return op.target, op.callee, tuple(op.kwargs), tuple(map(self.operand, operands))

    def operand(self, value: Value) -> Hashable:
        """Equal for operands that are the same by now."""
        if isinstance(value, Const):
            return "literal", const_key(value)
        if isinstance(value, Global):
            return "global", value.identity
        if isinstance(value, FunctionRef):
            return "function", value.function
        return "value", stand_in(self.work.table, value)
