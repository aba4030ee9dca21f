"""The third derived program: the tangent program with, in place of each tangent, the numbers of the argument that it depends on.

    v_dot = x_dot[1:] * c + y_dot        v_set = union(unions, x_set[1:], y_set)
    a_dot[0] = v_dot[2]                  a_set[0] = v_set[2]
    s_dot = np.sum(v_dot)                s_set = united(unions, v_set)

A set is the integer that names it (``s2sad.runtime.index_sets``), so that what moves numbers moves sets, by the same call.
``statements`` tells what primitives do with sets. The result of any other may depend on all that its arguments depend on.
Of the values of the program remain those that decide where something goes.

A pattern for all points does not follow the point: of a condition that depends on it both arms are done, and what one of them
stores is united with what was there; an entry that is chosen by it may be any one.

    if x[0] > 0:                        v_set = x_set[1]
        v_dot = x_dot[1] * c            w_set = x_set[2]
    else:                       ==>     v_set = joined_sets(unions, v_set, w_set)
        v_dot = x_dot[2]
"""

from __future__ import annotations

from dataclasses import replace

from s2sad.analysis.shapes import Shapes
from s2sad.analysis.views import view_base
from s2sad.directions.lifting import Lifter
from s2sad.ir.kinds import (
    UNKNOWN,
    Array,
    Kind,
    Other,
    Scalar,
    is_differentiable,
)
from s2sad.ir.nodes import (
    Block,
    Call,
    Const,
    DerivativeName,
    Function,
    If,
    Loop,
    Op,
    Straight,
    Undef,
    Value,
)
from s2sad.ir.walk import ops_of, use_counts
from s2sad.patterns.varied import varied
from s2sad.rules.effects import effects
from s2sad.rules.language import Primitive

RUNTIME = "s2sad.runtime."
# What writes into sets, and has a statement that unites with what was there.
STORES = {"operator.setitem", "s2sad.additem", "s2sad.subitem", "numpy.add.at", "numpy.subtract.at", "numpy.copyto"}
UNIONS = Other("unions")


def set_kind(kind: Kind) -> Kind:
    """The kind of the index sets of a value."""
    if not is_differentiable(kind):
        return kind
    if isinstance(kind, Scalar):
        return Scalar("int64")
    if isinstance(kind, Array):
        return Array("int64", kind.shape)
    return kind.mapped(set_kind) if kind.container else UNKNOWN


def set_name(name: str | None) -> str | None:
    """The name of the sets that stand for ``x_dot``."""
    return DerivativeName(f"{name[:-4]}_set") if isinstance(name, DerivativeName) and name.endswith("_dot") else name


class Carrier(Lifter):
    """Rewrites a copy of one function of a tangent program."""

    # --- in place of directions

    def begin(self, positions: frozenset[int]) -> None:
        """The unions are a parameter of each function."""
        self.unions = self.parameter(Value(UNIONS, "unions"))
        self.uses = use_counts(self.function)
        self.united: dict[Value, tuple[Block, int, list[Value]]] = {}  # what was united: where, after how many stores
        self.stores = 0
        self.shapes = Shapes(self.function, self.facts.aliases.mutable)
        self.doubts: list[Value] = []  # the conditions of the arms that are done one after the other
        points = self.lifts.points.get(self.original)
        self.points = varied(self.function, points) if points else None

    @staticmethod
    def name_of(function: Function) -> str:
        """The name of a function that carries index sets."""
        return f"{function.name.removesuffix('_tangent')}_pattern"

    def raised(self, kind: Kind) -> Kind:
        """The kind of the sets of a value."""
        return set_kind(kind)

    def further(self, callee: Function, params: frozenset[int]) -> list[Value]:
        """Functions share the unions."""
        return [self.unions]

    def fill(self, made: Function) -> None:
        """Rewrite the function; what were tangents are called sets."""
        super().fill(made)
        inner = (v for op in ops_of(made.body) for v in (*op.results, *(p for b in op.blocks() for p in b.params)))
        for value in (*made.values, *inner):
            if self.has(value):
                value.name = set_name(value.name)

    def single(self, value: Value) -> Value:
        """The value itself: sets have the axes of what they belong to."""
        return self.get(value)

    def up(self, value: Value, rank: int) -> Value:
        """Sets have the axes of what they belong to."""
        return self.get(value)

    def lifted(self, value: Value) -> Value:
        """The sets of a value: empty ones where it depends on nothing."""
        if self.has(value):
            return self.get(value)
        if isinstance(value, Undef) or not is_differentiable(value.kind):
            return self.get(value)
        if isinstance(value.kind, Scalar):
            return Const(0)
        return self.build("without_sets", self.get(value), of=value)

    def spread_out(self, op: Call) -> Value:
        """Memory that depends on nothing yet, and is written with what does."""
        done = effects(op)
        if len(op.results) != 1 or done.shares or done.unknown:
            self.refuse("memory that depends on nothing, written with what does")
        plain = Value(self.kind(op.result))
        self.builder.append(replace(op, results=[plain]))
        return self.build("without_sets", plain, of=op.result)

    # --- what depends on the point

    def chosen(self, value: Value) -> bool:
        """Test for a value that is another one at another point, where the pattern is to be one for all."""
        return self.points is not None and self.points.has(value)

    def both(self, op: If) -> None:
        """Both arms, one after the other: what they store into sets is united with what was there, and so are their results."""
        arms = [arm for arm in (op.then, op.orelse) if not _raises(arm)]
        self.doubts.append(self.get(op.cond))
        for arm in arms:
            for inner in arm.ops:
                self.builder.loc, self.builder.primal = inner.loc, inner.primal
                self.op(inner)
        self.doubts.pop()
        for k, result in enumerate(op.results):
            found = [arm.yields[k] for arm in arms if not isinstance(arm.yields[k], Undef)]
            given = list(dict.fromkeys(map(self.lifted if self.has(result) else self.get, found)))
            if len(given) == 1:  # also memory that is written later
                self.replace(result, given[0])
            elif self.has(result):
                self.replace(result, self.build("joined_sets", self.unions, *given, of=result))
            else:
                values = [Block(yields=[self.get(arm.yields[k])]) for arm in arms]
                self.builder.append(If(cond=self.get(op.cond), then=values[0], orelse=values[1], results=[result], loc=op.loc))

    def doubted(self, op: Call) -> None:
        """Dependence of stores on the condition, in an arm that may not be taken."""
        done = effects(op)
        for value in (*done.writes, *done.changes):
            for cond in self.doubts:
                self.builder.call("s2sad.runtime.doubted", self.get(value), cond)

    def _can_be_both(self, op: If) -> bool:
        arms = [arm for arm in (op.then, op.orelse) if not _raises(arm)]
        for k, result in enumerate(op.results):
            if self.has(result) and not isinstance(self.kind(result), Scalar | Array):
                return False
            if len({arm.yields[k] for arm in arms}) > 1 and self.facts.aliases.mutable(result):
                return False
        if not arms:
            return False
        return all(self._is_plain(inner) for arm in arms for inner in arm.ops)

    def _is_plain(self, op: Op) -> bool:
        """Test for an operation of an arm that may be done although the arm is not taken."""
        if isinstance(op, If):
            return all(self._is_plain(inner) for arm in op.blocks() if not _raises(arm) for inner in arm.ops)
        if isinstance(op, Loop):
            return not op.flags and not any(map(self.chosen, op.over)) and all(map(self._is_plain, op.body.ops))
        if not isinstance(op, Call):
            return False
        if op.callee is not None:
            return not self.facts.aliases.written_by(op.callee) and all(map(self._is_plain, ops_of(op.callee.body)))
        done = effects(op)
        written = [*done.writes, *done.changes]
        stores = op.target in STORES or not any(map(self.has, written))
        return not (done.world or done.puts) and stores and all(isinstance(self.kind(v), Array) for v in written)

    # --- what statements ask for

    def build(self, helper: str, *args: Value, of: Value, **kwargs: Value) -> Value:
        """A call of a helper, whose result stands for ``of``."""
        made = self.builder.call(f"{RUNTIME}{helper}", *args, **kwargs)
        made.kind = set_kind(self.kind(of))
        self.core.setdefault(made, self.kind(of))
        return made

    def union(self, operands: list[Value], of: Value) -> Value:
        """The unions of sets, for a result that may have memory of its own: of unions that are read here only, their members."""
        sets: dict[Value, None] = {}
        for value in operands:
            block, stores, members = self.united.get(self.get(value), (None, 0, []))
            inside = block is self.builder.block and stores == self.stores and self.uses.get(value, 1) == 1
            sets |= dict.fromkeys(members if inside else [self.get(value)])
        if len(sets) > 1 or next(iter(sets)).kind == UNKNOWN:
            made = self.build("union", self.unions, *sets, of=of)
        else:
            (made,) = sets
            made = made if isinstance(made.kind, Scalar) else self.builder.call("numpy.copy", made)
        self.united[made] = self.builder.block, self.stores, list(sets)
        return made

    def one_by_one(self, op: Call, primitive: Primitive) -> Value:
        """Of a function of which nothing is stated, each result may depend on all that the arguments depend on."""
        done = effects(op)
        name = "what is computed here" if op.target.startswith("s2sad.") else op.target  # users know none of our names
        if done.unknown and op.callee is None:
            self.refuse(f"what {name} does beside its result is not known; effects='fresh' in a rule of formulas says that")
        if done.writes or done.changes or done.world or len(op.results) != 1:
            self.refuse(f"{name} for index sets")
        if view_base(op) is not None and self.facts.aliases.mutable(op.result):
            self.refuse(f"{name}, a window of memory that is written, for index sets")
        if self.kind(op.result) == UNKNOWN:
            self.refuse(f"{name}, of which not even the kind of the result is known, for index sets")
        like = Value(self.kind(op.result))
        single = Call(target=op.target, args=[self._numbers(v) for v in op.args], results=[like], loc=op.loc, primal=op.primal)
        single.kwargs = {k: self._numbers(v) for k, v in op.kwargs.items()}
        self.builder.append(single)
        depends = [self.get(v) for v in op.operands() if self.has(v)]
        return self.build("all_of", self.unions, like, *depends, of=op.result)

    def _numbers(self, value: Value) -> Value:
        """Zeros in the place of an argument that depends: what the function then gives has the shape of its result."""
        if not self.has(value):
            return self.get(value)
        kind = self.kind(value)
        if isinstance(kind, Scalar):
            return Const(0.0)
        made = self.builder.call(f"{RUNTIME}zeros_for", self.get(value), Const(getattr(kind, "dtype", None) or "float64"))
        made.kind = kind
        return made

    # --- the walk

    def op(self, op: Op) -> None:
        """Rewrite one operation."""
        if isinstance(op, Call):
            written = effects(op) if op.callee is None else None
            if self.doubts and written is not None and not any(map(self.has, (*written.writes, *written.changes))):
                super().op(op)
                self.doubted(op)
                return
            self.stores += written is None or bool(written.writes or written.changes or written.world)
        super().op(op)

    def blocks_of(self, op: Op) -> None:
        """The same of index sets; where a branch binds nothing, None is bound: what is done of both arms later may ask."""
        super().blocks_of(op)
        for block in op.blocks() if isinstance(op, Straight) else ():
            for k, result in enumerate(op.results):
                if self.has(result) and isinstance(block.yields[k], Undef):
                    block.yields[k] = Const(None)

    def region(self, op: Op) -> None:
        """Control flow: whatever a condition depends on."""
        if isinstance(op, If) and self.chosen(op.cond) and self._can_be_both(op):
            self.both(op)
        else:
            self.blocks_of(op)


def _raises(block: Block) -> bool:
    """Test for a block that ends in an exception."""
    return any(isinstance(op, Call) and op.target == "s2sad.raise" for op in block.ops)
