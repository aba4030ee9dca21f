"""What the reverse sweep computes of records alone is computed ahead, in the forward sweep, where less is recorded then.

Before::

    for ...:                                  forward sweep
        v1 = operator.matmul(W, x)
        g = numpy.tanh(operator.getitem(v1, n:))
        list.append(v1_tape, v1)
        list.append(i_tape, i)
    for ...:                                  reverse sweep
        i = list.pop(i_tape)
        v1 = list.pop(v1_tape)
        v2 = operator.mul(c_bar, i)
        v3 = s2sad.runtime.sech2(operator.getitem(v1, n:))
        v4 = operator.mul(v2, v3)

After::

    for ...:
        ...
        v5 = operator.mul(i, s2sad.runtime.sech2(operator.getitem(v1, n:)))
        list.append(v5_tape, v5)
    for ...:
        v5 = list.pop(v5_tape)
        v4 = operator.mul(c_bar, v5)

One record takes the place of several, or of a larger one; at least one of them is memory that nothing else keeps. Factors
are gathered only if all but one of them are certainly between -1 and 1, so that no product overflows that did not.
``across_cut`` does the same for what the forward sweep of a callee hands to its reverse sweep.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from s2sad.analysis.alias import Node
from s2sad.analysis.attempts import attempted
from s2sad.analysis.tapes import Tape, tapes_of
from s2sad.ir.kinds import Array, List, Scalar, dtype_of
from s2sad.ir.nodes import LITERALS, Block, Call, DerivativeName, Function, Op, Value
from s2sad.ir.walk import blocks_of, clone_op, definers, ops_of, substitute_all
from s2sad.optimize.algebra import MUL
from s2sad.optimize.bounds import is_within_one
from s2sad.optimize.donors import Looks
from s2sad.optimize.memory_effects import Memory, is_proper_array, is_window
from s2sad.optimize.recall import is_function
from s2sad.optimize.rewriting import drop, is_derivative, keeps_border, same_literal, uses_of
from s2sad.rules import registry

Candidate = tuple[list[Value], list[Call]]  # what is multiplied, if there are several, and the multiplications that are left out


@keeps_border
def run(function: Function, memory: Memory | None = None) -> bool:
    """Compute ahead of the tapes of loops; whether anything is."""
    if function.reverse_at is None:
        return False
    memory, changed = memory or Memory(function), False
    while any(_OfTapes(function, memory, places, tapes).run() for places, tapes in _groups(function).items()):
        changed = True
    return changed


def _groups(function: Function) -> dict[tuple[Block, Block], list[Tape]]:
    """The tapes of loops, by where they are pushed and popped, if any of them records arrays."""
    found: dict[tuple[Block, Block], list[Tape]] = {}
    for tape in tapes_of(function):
        if function.body not in tape.places and not tape.counts and not isinstance(tape.recorded, LITERALS):
            found.setdefault(tape.places, []).append(tape)
    some = {places: tapes for places, tapes in found.items() if any(is_proper_array(tape.recorded.kind) for tape in tapes)}
    return {} if some and attempted(function) else some


def across_cut(whole: Function, memory: Memory) -> bool:
    """Compute ahead of what crosses the place at which a callee is to be cut."""
    changed = False
    while _AcrossCut(whole, memory).run():
        changed = True
    return changed


class _Ahead:
    """One block of the reverse sweep; ``recorded``: what it reads of the forward sweep, by what that is there."""

    def __init__(self, function: Function, memory: Memory, block: Block, ops: list[Op]) -> None:
        self.function, self.memory = function, memory
        self.block, self.ops = block, ops
        self.recorded: dict[Value, Value] = {}
        self.known: set[Value] = set()  # what both sweeps may read
        self.forward: list[Op] = []  # where values may be made ahead
        self.maker = definers(function)
        self.uses = uses_of(function)
        self.looks = Looks(memory, self.uses)
        self.primal: dict[Value, Call] = {}

    def run(self) -> bool:
        """Have one value computed ahead; whether there is one."""
        self.primal = self.of_records()
        return any(self.apply(*candidate) for candidate in self.candidates())

    # --- what follows from records

    def of_records(self) -> dict[Value, Call]:
        """The values of the block that follow from records and from what both sweeps know, with their operations."""
        found: dict[Value, Call] = {}
        for op in self.ops:
            if isinstance(op, Call) and len(op.results) == 1 and op.result not in self.recorded and self.follows(op, found):
                found[op.result] = op
        return found

    def follows(self, op: Call, found: dict[Value, Call]) -> bool:
        """Test for a function of records."""
        read = [v for v in op.operands() if not isinstance(v, LITERALS) and v not in self.known]
        return all(v in found or v in self.recorded for v in read) and is_function(op, self.memory)

    def readers(self, value: Value) -> list[Op | None]:
        """The operations that read more of a value than its shape."""
        return [op for op in self.uses.get(value, ()) if op is None or not self.looks.only(value, [op])]

    def makers(self, values: list[Value]) -> list[Call]:
        """The operations of which values are made, in order."""
        wanted = {*values}
        found = []
        for value, op in reversed(self.primal.items()):
            if value in wanted:
                found.append(op)
                wanted.update(op.operands())
        return found[::-1]

    # --- candidates

    def candidates(self) -> Iterator[Candidate]:
        """The products of what is known, then what else is read by what varies."""
        for op in self.ops:
            if isinstance(op, Call) and op.target == MUL and len(op.results) == 1 and op.result not in self.primal:
                chain, factors = self.factors(op)
                own = [v for v in factors if (v in self.primal or v in self.recorded) and is_proper_array(v.kind)]
                if len(own) > 1 and len(own) < len(factors) and self.may_gather(op, own, factors):
                    yield own, chain
        for value in self.primal:
            varied = any(op is None or self.primal.keys().isdisjoint(op.results) for op in self.readers(value))
            if varied and not is_window(self.primal[value]):
                yield [value], []

    def factors(self, op: Call) -> tuple[list[Call], list[Value]]:
        """The multiplications of a product that nothing else reads, the last one first; its factors."""
        chain, found = [op], []
        for value in op.args:
            part = self.maker.get(value)
            inner = isinstance(part, Call) and part.target == MUL and value not in self.primal and is_derivative(part)
            if isinstance(part, Call) and inner and part in self.ops and len(self.uses[value]) == 1:
                more, factors = self.factors(part)
                chain += more
                found += factors
            else:
                found.append(value)
        return chain, found

    def may_gather(self, op: Call, own: list[Value], factors: list[Value]) -> bool:
        """Permission to multiply known factors first: of one dtype, none of them is written, all but one are small."""
        dtype = dtype_of(op.result.kind)
        read = [v for v in factors if not isinstance(v, LITERALS) and not isinstance(v.kind, Scalar)]
        plain = dtype is not None and {dtype_of(v.kind) for v in own} == {dtype} and not any(map(self.memory.mutable, read))
        return plain and sum(not is_within_one(v, self.made) for v in own) <= 1

    def made(self, value: Value) -> Call | None:
        """The call that gave a value, here or in the forward sweep, if nothing has been written into it."""
        op = self.maker.get(self.recorded.get(value, value))
        return op if isinstance(op, Call) and op.callee is None and not self.memory.mutable(value) else None

    # --- one of them

    def apply(self, values: list[Value], chain: list[Call]) -> bool:
        """Record a value, or the product of some, in place of what they are made of, if that is less."""
        makers = self.makers(values)
        spare = {*chain} if chain else {self.primal[values[0]]}
        for op in reversed(makers):
            if self.is_read_within(op.result, spare):
                spare.add(op)
        gone = [v for v in self.recorded if self.is_read_within(v, spare)]
        product = self.multiplied(sorted(values, key=lambda v: is_within_one(v, self.made)), chain)  # the large one first
        whole = product[-1].result if product else values[0]
        if not self.gains(whole, values, makers, gone):
            return False
        there = {**self.recorded}
        made = self.cloned([*makers, *product], there)
        back = self.record(made, there[whole], gone, spare)
        if chain:
            self.write(chain, [v for v in self.factors(chain[0])[1] if v not in values], back)
        else:
            substitute_all(self.block, {whole: back})
        drop(self.function, {*spare})
        return True

    def cloned(self, ops: list[Call], there: dict[Value, Value]) -> list[Call]:
        """Operations of the forward sweep, where it does not compute the same; ``there`` gets their results."""
        made: list[Call] = []
        for op in ops:
            copy = clone_op(op, there)
            assert isinstance(copy, Call)
            copy.result.name = None
            same = next((other.result for other in self.forward if _is_same(copy, other)), None)
            if same is not None:
                there[op.result] = same
            else:
                made.append(copy)
        return made

    def is_read_within(self, value: Value, readers: set[Call]) -> bool:
        """Test for a value that is read, and by these operations alone."""
        found = self.readers(value)
        return bool(found) and all(op in readers for op in found)

    def multiplied(self, values: list[Value], chain: list[Call]) -> list[Call]:
        """The product of factors, as far as there are several."""
        first, *rest = values
        made: list[Call] = []
        for value in rest:
            step = replace(chain[0], args=[made[-1].result if made else first, value], results=[])
            step.results = [Value(registry.infer(step))]
            made.append(step)
        return made

    def write(self, chain: list[Call], others: list[Value], back: Value) -> None:
        """The product of what varies and of what is recorded, in place of a chain, where its first factor varied."""
        made = self.multiplied([*others, back], chain)
        made[-1].results = chain[0].results
        read = {v for op in made for v in op.operands()}
        ops = self.block.ops
        ready = max((k + 1 for k, op in enumerate(ops) if not read.isdisjoint(op.results)), default=0)
        at = max(ready, min(ops.index(op) for op in chain))
        ops[at:at] = made

    def record(self, made: list[Call], value: Value, gone: list[Value], spare: set[Call]) -> Value:
        """Have the forward sweep compute a value and record it in place of others; what it is in the reverse sweep."""
        raise NotImplementedError

    # --- is it worth it?

    def gains(self, value: Value, factors: list[Value], makers: list[Call], gone: list[Value]) -> bool:
        """Test for one record in place of several, or of a larger one, of which one was memory of its own, and as large."""
        if not gone or not is_proper_array(value.kind):
            return False
        gone_there = {self.recorded[v] for v in gone}
        rest = [v for v in self.kept() if v not in gone_there]
        held: set[Node] = {*self.memory.escaping, *(node for v in rest for node in self.memory.reach(v))}
        own = [v for v in gone if is_proper_array(v.kind) and self.memory.reach(self.recorded[v]).isdisjoint(held)]
        windows = [op.result for op in makers if is_window(op) and op.args[0] in own]
        return any(_is_like(v, value, v in factors) for v in (*windows, *(own if len(gone) > 1 else ())))

    def kept(self) -> Iterable[Value]:
        """What is kept whatever is recorded, and what is recorded."""
        raise NotImplementedError


def _is_like(old: Value, new: Value, factor: bool) -> bool:
    """Certainty that two arrays have one dtype, and as many items as far as kinds tell; a factor has the sizes of a product."""
    a, b = old.kind, new.kind
    if not isinstance(a, Array) or not isinstance(b, Array) or dtype_of(a) != dtype_of(b) or a.rank != b.rank:
        return False
    sizes = [*zip(a.shape or (), b.shape or (), strict=True)]
    return all(m == n or None in (m, n) or factor and not isinstance(m, int) for m, n in sizes)


def _is_same(op: Call, other: Op) -> bool:
    """Test for two calls, the first one a function, that compute the same."""
    calls = isinstance(other, Call) and other.callee is None and (op.target, [*op.kwargs]) == (other.target, [*other.kwargs])
    same = calls and len(op.operands()) == len(other.operands()) and len(other.results) == 1
    return same and all(map(same_literal, op.operands(), other.operands()))


class _OfTapes(_Ahead):
    """The block in which tapes are popped, which are pushed in one block."""

    def __init__(self, function: Function, memory: Memory, places: tuple[Block, Block], tapes: list[Tape]) -> None:
        self.pushed, popped = places
        super().__init__(function, memory, popped, [*popped.ops])
        self.forward = self.pushed.ops
        self.tapes = {tape.pop.result: tape for tape in tapes}
        self.recorded = {value: tape.recorded for value, tape in self.tapes.items()}
        self.known.update(v for v in function.values if not isinstance(v.name, DerivativeName))
        for op in function.body.ops:
            if any(block is self.pushed for inner in op.blocks() for block in blocks_of(inner)):
                break
            self.known.update(op.results)

    def kept(self) -> Iterator[Value]:
        """What is recorded, and what blocks hand on."""
        tapes = {tape.items.result for tape in self.tapes.values()}
        pushes = (op for op in ops_of(self.function.body) if isinstance(op, Call) and op.target == "list.append")
        yield from (op.args[1] for op in pushes)
        for block in blocks_of(self.function.body):
            yield from (v for v in block.yields if v not in tapes)

    def record(self, made: list[Call], value: Value, gone: list[Value], spare: set[Call]) -> Value:
        """A tape more, and those less that nobody looks at any more."""
        first, body = self.tapes[gone[0]], self.function.body.ops
        items = replace(first.items, results=[Value(List(value.kind))])
        push = replace(first.push, args=[items.result, value], results=[Value(v.kind) for v in first.push.results])
        pop = replace(first.pop, args=[items.result], results=[Value(value.kind)])
        body.insert(body.index(first.items), items)
        read = {value, *(v for op in made for v in op.operands())}
        ready = max((k + 1 for k, op in enumerate(self.pushed.ops) if not read.isdisjoint(op.results)), default=0)
        self.pushed.ops[ready:ready] = [*made, push]
        self.block.ops.insert(self.block.ops.index(first.pop), pop)
        unread = [self.tapes[v] for v in gone if all(op in spare for op in self.uses[v])]
        drop(self.function, {op for tape in unread for op in (tape.items, tape.push, tape.pop)})
        return pop.result


class _AcrossCut(_Ahead):
    """The reverse sweep of a callee, which is to be cut off."""

    def __init__(self, whole: Function, memory: Memory) -> None:
        assert whole.reverse_at is not None
        super().__init__(whole, memory, whole.body, whole.body.ops[whole.reverse_at :])
        self.forward = whole.body.ops[: whole.reverse_at]
        made = [v for op in whole.body.ops[: whole.reverse_at] for v in op.results]
        made += [v for v in whole.values if not isinstance(v.name, DerivativeName)]
        gradients = whole.body.yields[whole.returns.items[0].leaves() :]
        self.uses = uses_of(replace(whole, body=Block([], self.ops, gradients)))
        self.looks = Looks(memory, self.uses)
        self.recorded = {v: v for v in made if self.uses.get(v)}

    def kept(self) -> Iterable[Value]:
        """What crosses the cut."""
        return self.recorded

    def record(self, made: list[Call], value: Value, gone: list[Value], spare: set[Call]) -> Value:
        """One value more crosses the cut."""
        at = self.function.reverse_at
        assert at is not None
        self.function.body.ops[at:at] = made
        self.function.reverse_at = at + len(made)
        return value
