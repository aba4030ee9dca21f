"""The forward sweep of an adjoint program: a copy of the primal, which hands over what the reverse sweep asks for.

``Forward.value(v)`` makes a primal value available in the reverse sweep, in the cheapest way that is right there: as a
variable that is still in scope, recomputed from such, read again from memory that nobody has overwritten, or from a
tape onto which each iteration pushes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from s2sad.analysis.alias import Aliases, is_droppable
from s2sad.analysis.recorded import Recording
from s2sad.analysis.views import is_unsure, reads_through, view_base
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import INT, Kind, List, Other, Scalar, Slice, Tuple
from s2sad.ir.nodes import (
    LITERALS,
    Block,
    Call,
    Const,
    Function,
    If,
    Loop,
    Op,
    Undef,
    Value,
    With,
)
from s2sad.ir.walk import clone_function, definers, ops_of, owners, raises
from s2sad.rules import registry
from s2sad.rules.kind_rules import index_items, subscript
from s2sad.rules.traits import spelled

MAX_RECOMPUTED = 4  # operations deep


@dataclass(eq=False)
class Scope:
    """The reverse of one primal block: where its values are found, and what it pops at its beginning."""

    block: Block | None
    values: dict[Value, Value] = field(default_factory=dict)  # seen from the current place on
    entry: dict[Value, Value] = field(default_factory=dict)  # seen from the beginning of the block on
    pops: list[Op] = field(default_factory=list)
    shadows: list[Op] = field(default_factory=list)

    def finish(self, block: Block) -> None:
        """Complete the reverse of the block: pops come first, then shadows, then the rest."""
        block.ops[:0] = [*self.pops, *self.shadows]


class Forward:
    """The forward sweep under construction, and the scopes of the reverse sweep."""

    def __init__(self, function: Function, aliases: Aliases, recording: Recording, cut: bool) -> None:
        self.absent: Value = (
            Const(None) if cut else Undef()
        )  # of a branch not taken, where the sweeps are cut apart
        self.primal = function
        self.aliases = aliases
        self.recording = recording
        self.definer = definers(function)
        self.owner = owners(function)
        self.function, self.table, self.blocks = clone_function(function)
        self.clones = dict(zip(ops_of(function.body), ops_of(self.function.body), strict=True))
        self.parents: dict[Block, tuple[Op, Block]] = {}
        for block in self.blocks:
            for op in block.ops:
                for inner in op.blocks():
                    self.parents[inner] = (op, block)
        calls = (op for block in self.blocks for op in block.ops if isinstance(op, Call))
        self.calls_of = Counter(op.callee.stem for op in calls if op.callee is not None)  # by the function's name
        self.entry = Builder(Block(), registry.infer)  # tapes are made here
        self.scopes = [Scope(function.body)]
        self.exposed: dict[Value, Value] = {}
        self.results = self._results()
        self.stored = self._stored_values()

    # --- where values live

    def _results(self) -> dict[Value, Value]:
        """The results of branches, by what gives them, where all other ways raise."""
        branches = [op for op in ops_of(self.primal.body) if isinstance(op, If)]
        sure = [(op, arms[0]) for op in branches if len(arms := [arm for arm in op.blocks() if not raises(arm)]) == 1]
        pairs = [(value, result, arm) for op, arm in sure for value, result in zip(arm.yields, op.results, strict=True)]
        return {value: result for value, result, arm in pairs if self.owner.get(value) is arm}

    def loops_around(self, block: Block) -> bool:
        """Test for a block that runs more than once."""
        while block in self.parents:
            op, block = self.parents[block]
            if isinstance(op, Loop):
                return True
        return False

    def scope_of(self, block: Block) -> Scope:
        """The reverse scope of a primal block."""
        for scope in reversed(self.scopes):
            if scope.block is block:
                return scope
        return self.scopes[-1]

    @contextmanager
    def at_entry(self, scope: Scope) -> Iterator[None]:
        """Look values up as from the beginning of the reverse of a block."""
        saved = self.scopes
        outer = saved[: saved.index(scope)]
        self.scopes = [*outer, Scope(scope.block, scope.entry, scope.entry, scope.pops, scope.shadows)]
        try:
            yield
        finally:
            self.scopes = saved

    def known(self, value: Value) -> Value | None:
        """The value in the reverse sweep, if it is there already."""
        if isinstance(value, LITERALS):
            return value
        for scope in reversed(self.scopes):
            if value in scope.values:
                return scope.values[value]
            if value in scope.entry:
                return scope.entry[value]
        if self.owner[value] is self.primal.body:
            return self.table[value]
        return self.known(self.results[value]) if value in self.results else self.exposed.get(value)

    def value(self, value: Value, builder: Builder) -> Value:
        """The value in the reverse sweep, made available if need be."""
        found = self.known(value)
        if found is not None:
            return found
        if self.recomputable(value, MAX_RECOMPUTED):
            return self.recompute(value, builder)
        if value in self.stored:
            return self.reread(value, builder)
        op = self.definer.get(value)
        if op is not None and reads_through(value, self.definer) and not is_unsure(op):
            for v in op.operands():  # a tape holds what is written, of which derivatives are windows
                self.value(v, builder)
            return self.recompute(value, builder)
        if value in self.results:
            return self.value(self.results[value], builder)
        block = self.owner[value]
        if not self.loops_around(block):
            return self.expose(value)
        return self.record(value)

    # --- the cheap ways

    def recomputable(self, value: Value, depth: int) -> bool:
        """Test for a value that can be had again from what is there, at less cost than a tape."""
        if self.known(value) is not None:
            return True
        op = self.definer.get(value)
        if depth == 0 or not isinstance(op, Call) or op.callee is not None:
            return False
        primitive = registry.lookup(op.target)
        window = view_base(op) is not None and not is_unsure(op)  # what is not one would be read too late
        if primitive is None or not (primitive.cheap or window) or not is_droppable(op):
            return False
        if not window and not isinstance(value.kind, Scalar | Tuple | Slice | Other):
            return False
        if not window and not self.readable(op):
            return False
        return all(self.recomputable(v, depth - 1) for v in op.operands())

    def readable(self, op: Call) -> bool:
        """Test for memory that an operation reads and that is, in the reverse sweep, as it was."""
        if op.target == "operator.getitem":
            if isinstance(op.args[0].kind, List):
                return not self.aliases.mutable(op.args[0])
            return self.recording.stable(op)
        return not any(node in self.aliases.written for node in self.aliases.reads(op))

    def recompute(self, value: Value, builder: Builder) -> Value:
        """Compute a value again at the current place of the reverse sweep."""
        found = self.known(value)
        if found is not None:
            return found
        op = self.definer[value]
        assert isinstance(op, Call)
        fresh = Call(target=op.target, args=[self.recompute(v, builder) for v in op.args])
        fresh.kwargs = {k: self.recompute(v, builder) for k, v in op.kwargs.items()}
        fresh.results = [Value(v.kind, v.name) for v in op.results]
        builder.append(fresh)
        scope = self.scopes[-1]
        scope.values.update(zip(op.results, fresh.results, strict=True))
        return scope.values[value]

    def _stored_values(self) -> dict[Value, Call]:
        """Numbers that a store has put where nobody overwrites them."""
        found: dict[Value, Call] = {}
        for op in ops_of(self.primal.body):
            if (
                isinstance(op, Call)
                and op.target == "operator.setitem"
                and isinstance(op.args[2].kind, Scalar)
            ):
                value = op.args[2]
                if (
                    isinstance(value, LITERALS)
                    or isinstance(op.args[0].kind, List)
                    or getattr(value.kind, "dtype", None) != getattr(op.args[0].kind, "dtype", None)
                ):
                    continue
                if (
                    op in self.owner[value].ops  # wherever there is the value, it has been stored
                    and self._names_a_cell(op)
                    and self.recording.keeps(op.args[0])
                    and self.recording.lasting_store(op)
                ):
                    found.setdefault(value, op)
        return {v: op for v, op in found.items() if all(self.recomputable_place(op.args[k]) for k in (0, 1))}

    def _names_a_cell(self, op: Call) -> bool:
        return isinstance(subscript(op.args[0].kind, index_items(op.args[1].kind)), Scalar)

    def recomputable_place(self, value: Value) -> bool:
        """Test for the place of a store that is made of loop variables and outer values."""
        if isinstance(value, LITERALS) or self.owner[value] is self.primal.body:
            return True
        op = self.definer.get(value)
        if op is None:
            parent = self.parents.get(self.owner[value])
            return parent is not None and isinstance(parent[0], Loop) and value in parent[0].given
        plain = isinstance(op, Call) and (op.target in ("builtins.tuple", "operator.add", "operator.sub"))
        return plain and all(map(self.recomputable_place, op.operands()))

    def reread(self, value: Value, builder: Builder) -> Value:
        """Read a number from where a store has put it."""
        store = self.stored[value]
        base, index = self.value(store.args[0], builder), self.value(store.args[1], builder)
        fresh = builder.call("operator.getitem", base, index, name=value.name)
        fresh.kind = value.kind
        self.scopes[-1].values[value] = fresh
        return fresh

    # --- values from branches

    def expose(self, value: Value) -> Value:
        """Make a value that was computed in a branch visible behind it."""
        block = self.owner[value]
        current = self.table[value]
        while block is not self.primal.body:
            op, outer = self.parents[block]
            clone = self.clones[op]
            result = Value(value.kind, value.name)
            for inner in op.blocks():
                mine = inner is block
                self.blocks[inner].yields.append(current if mine else self.absent)
            clone.results.append(result)
            current, block = result, outer
        self.exposed[value] = current
        return current

    # --- tapes

    def tape(self, name: str | None, kind: Kind) -> Value:
        """A new tape, made at the beginning of the program."""
        made = self.entry.call("builtins.list", name=f"{name or 'v'}_tape")
        made.kind = List(kind)
        return made

    def record(self, value: Value) -> Value:
        """Push the value at the end of its block in each forward iteration, pop it at the beginning of each reverse one."""
        block = self.owner[value]
        scope = self.scope_of(block)
        tape = self.tape(value.name, value.kind)
        self.push_at_end(self.blocks[block], tape, self.table[value])
        popped = self.pop(tape, value.kind, value.name)
        scope.pops.append(popped)
        scope.entry[value] = popped.result
        return popped.result

    def push_at_end(self, block: Block, tape: Value, value: Value) -> None:
        """Append a push to a forward block."""
        Builder(block, registry.infer).call("list.append", tape, value)

    def pop(self, tape: Value, kind: Kind, name: str | None) -> Call:
        """A pop, not yet placed."""
        return Call(target="list.pop", args=[tape], results=[Value(kind, name)])

    def save_before(self, op: Op, base: Value, index: Value, builder: Builder) -> Value:
        """The contents that a store is about to overwrite, at the current place of the reverse sweep: a variable, or popped."""
        block, within = self._block_of(op), Builder(Block(), registry.infer)
        within.loc = op.loc
        old = _contents(self.table.get(base, base), self.table.get(index, index), within)
        tape = self.tape(base.name, old.kind) if self.loops_around(block) else None
        if tape is not None:
            within.call("list.append", tape, old)
        ops = self.blocks[block].ops
        at = ops.index(self.clones[op])
        ops[at:at] = within.block.ops
        return self.expose(self.seen(old, block)) if tape is None else builder.append(self.pop(tape, old.kind, None)).results[0]

    def seen(self, made: Value, block: Block) -> Value:
        """A value of the primal that stands for what the forward sweep makes in a block."""
        shadow = Value(made.kind, made.name)
        self.table[shadow], self.owner[shadow] = made, block
        return shadow

    def _block_of(self, op: Op) -> Block:
        return next(block for block in self.blocks if op in block.ops)

    # --- trip counts

    def trips(self, op: Loop) -> Value:
        """A primal-side value that counts the iterations of a loop; counted only if asked for."""
        clone = self.clones[op]
        assert isinstance(clone, Loop)
        for known, made in self.counted.items():
            if known is op:
                return made
        count, result = Value(INT, "trips"), Value(INT, "trips")
        clone.init.append(Const(0))
        clone.body.params.append(count)
        for test in clone.tests:
            test.params.append(Value(INT, "trips"))
        clone.body.yields.append(
            Builder(clone.body, registry.infer).call("operator.add", count, Const(1), name="trips")
        )
        clone.results.append(result)
        self.counted[op] = self.seen(result, self._block_of(op))
        return self.counted[op]

    @property
    def counted(self) -> dict[Op, Value]:
        """The trip counts that were asked for."""
        table: dict[Op, Value] = self.__dict__.setdefault("_counted", {})
        return table


def _contents(base: Value, index: Value, builder: Builder) -> Value:
    """The contents of a place, as they are now."""
    if base.kind.keyed:
        return builder.call("dict.get", base, index, Const(None))
    old = builder.call("operator.getitem", base, index)
    if isinstance(old.kind, Scalar) or isinstance(base.kind, List):  # these hold references
        return old
    copied = builder.call(spelled("copies"), old)
    copied.kind = old.kind
    return copied


_ = (If, With)
