"""Derivative programs for several directions at once: values once, what depends on the direction with one axis more, in front.

    v_dot = x_dot[1:] * c            v_dot = x_dot[:, 1:] * c          x_dot: one direction a row
    s_dot = np.sum(v_dot)       ==>  s_dot = np.sum(v_dot, axis=1)
    w_dot = s_dot * v                w_dot = s_dot[:, None] * v

The axis stands in front, so that broadcasting, products of matrices and axes counted from the end stay as they are.
``statements`` tells for each primitive how; one without a statement is called for one direction after the other. Control flow
never depends on the direction. Called functions are lifted by what of their arguments depends.

Raises Unstated for what is not known to be right; the caller then takes one direction after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NoReturn

from s2sad.analysis.views import view_base
from s2sad.directions.dependence import Dependence, Summaries, looked_at
from s2sad.errors import S2sadError
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import (
    Array,
    Dim,
    Kind,
    List,
    Scalar,
    Tuple,
    is_differentiable,
    rank_of,
)
from s2sad.ir.nodes import Block, Call, Const, For, Function, Loop, Op, Param, Straight, Undef, Value
from s2sad.ir.walk import clone_function, definers, ops_of, substitute_all
from s2sad.rules import registry
from s2sad.rules.effects import effects
from s2sad.rules.language import Primitive

DIRECTIONS = Dim("directions")
EVERY = slice(None)
Statement = Callable[["Lifter", Call, Primitive], Value | None]  # None: it has done all itself


class Unstated(S2sadError):
    """Something of which it is not known how to do it for several directions at once."""


def lifted_kind(kind: Kind) -> Kind:
    """The kind of as many values as there are directions. Raises Unstated where the number of axes is unknown."""
    if not is_differentiable(kind):
        return kind
    if isinstance(kind, Scalar):
        return Array(kind.dtype, (DIRECTIONS,))
    if isinstance(kind, Array) and kind.shape is not None:
        return Array(kind.dtype, (DIRECTIONS, *kind.shape))
    if kind.container:
        return kind.mapped(lifted_kind)
    raise Unstated(f"a derivative of kind {kind} for several directions at once")


def counted(function: Function, positions: frozenset[int]) -> bool:
    """Need of a called function to be told the number of directions: none of the arguments that depend is an array then."""
    return not any(isinstance(function.values[k].kind, Scalar | Array) for k in positions)


class Lifts:
    """The lifted functions of one request, by function and the parameters that depend."""

    def __init__(
        self, statement: Callable[[str], Statement | None], makers: frozenset[Statement], lifter: type[Lifter] | None = None
    ) -> None:
        self.statement = statement
        self.lifter = lifter or Lifter
        self.makers = makers  # the statements of calls that make memory, of what need not depend
        self.summaries = Summaries(make=self.lifter.facts_of)
        self.made: dict[tuple[Function, frozenset[int]], Function] = {}
        self.points: dict[Function, frozenset[int]] = {}  # the parameters of each function that decide, where that counts

    def main(self, function: Function, seeds: frozenset[int], wanted: list[int], name: str) -> Function:
        """``function`` for several directions: the parameters at ``seeds`` and the results at ``wanted`` get the axis."""
        self.summaries.settle(function, seeds)
        params, *_ = self.summaries.of(function, seeds)
        if params != seeds:
            other = function.values[min(params - seeds)].name
            raise Unstated(f"{other} is written with what depends on the direction")
        return self._lifted(function, seeds, name, wanted, main=True)

    def callee(self, function: Function, positions: frozenset[int]) -> tuple[Function, frozenset[int], frozenset[int]]:
        """A called function for several directions, and the positions of its parameters and results that depend."""
        params, results, *_ = self.summaries.of(function, positions)
        if params != positions:
            return self.callee(function, params)
        return self._lifted(function, params, self.lifter.name_of(function), sorted(results)), params, results

    def _lifted(
        self, function: Function, positions: frozenset[int], name: str, wanted: list[int], main: bool = False
    ) -> Function:
        key = (function, positions)
        if key not in self.made:
            made = self.made[key] = Function(name, [], Block())
            self.lifter(self, function, positions, wanted, main).fill(made)
        return self.made[key]


class Lifter:
    """Rewrites a copy of one function."""

    facts_of: type[Dependence] = Dependence

    def __init__(self, lifts: Lifts, function: Function, positions: frozenset[int], wanted: list[int], main: bool) -> None:
        self.lifts = lifts
        self.original = function
        self.function, _, _ = clone_function(function)
        self.wanted = wanted
        self.seeds = [self.function.values[k] for k in sorted(positions)]
        self.facts = self.facts_of(self.function, self.seeds, lifts.summaries)
        self.facts.find()
        self.definer = definers(self.function)
        self.builder = Builder(self.function.body, registry.infer)
        self.core: dict[Value, Kind] = {}  # of what is lifted: its kind for one direction
        self.replaced: dict[Value, Value] = {}
        self.current = ""
        self.entry: list[Op] = []
        self._count: Value | None = None
        self.main = main
        self.begin(positions)

    def begin(self, positions: frozenset[int]) -> None:
        """Give the function the parameters that it needs besides."""
        if not self.main and counted(self.function, positions):
            self._count = self.parameter(Value(Scalar("int64", size=DIRECTIONS), "directions"))

    def parameter(self, value: Value) -> Value:
        """A further parameter, by a name of its own."""
        while any(p.name == value.name for p in self.function.params):
            value.name = f"{value.name}_"
        params = self.function.params
        params.insert(next((k for k, p in enumerate(params) if p.keyword_only), len(params)), Param(value))
        return value

    # --- what other things than directions do otherwise

    @staticmethod
    def name_of(function: Function) -> str:
        """The name of a lifted function."""
        kind = function.name.rpartition("_")[2]
        return f"{function.name}s" if kind in ("tangent", "adjoint", "reverse") else f"{function.name}_directions"

    def raised(self, kind: Kind) -> Kind:
        """The kind of what stands for a value that depends."""
        return lifted_kind(kind)

    def further(self, callee: Function, params: frozenset[int]) -> list[Value]:
        """The further arguments of a called function."""
        return [self.count()] if counted(callee, params) else []

    def fill(self, made: Function) -> None:
        """Rewrite the function, into ``made``."""
        calls = (op for op in ops_of(self.function.body) if isinstance(op, Call))
        self.asserts_windows = any(op.target == "s2sad.runtime.assert_window" for op in calls)
        for value in self.function.values:
            self._raise_kind(value)
        self.block(self.function.body)
        with self.builder.inside(self.function.body):
            for k in self.wanted:
                self.function.body.yields[k] = self.lifted(self.function.body.yields[k])
        self.function.body.ops[:0] = self.entry
        substitute_all(self.function.body, self.replaced)
        made.become(self.function)
        made.reverse_at = None

    # --- what statements ask for

    def refuse(self, what: str) -> NoReturn:
        """Raise Unstated at the current place."""
        raise Unstated(what, location=self.builder.primal or self.builder.loc)

    def has(self, value: Value) -> bool:
        """Dependence of a value on the direction."""
        return value in self.core or self.facts.has(value)

    def kind(self, value: Value) -> Kind:
        """The kind of a value for one direction."""
        return self.core.get(value, value.kind)

    def rank(self, value: Value) -> int:
        """The number of axes for one direction. Raises Unstated where it is not known."""
        rank = rank_of(self.kind(value))
        if rank is None:
            self.refuse(f"an array of which the number of axes is not known ({self.kind(value)})")
        return rank

    def get(self, value: Value) -> Value:
        """The stand-in of a value by now."""
        while value in self.replaced:
            value = self.replaced[value]
        return value

    def count(self) -> Value:
        """The number of directions."""
        if self._count is None:
            first = next((v for v in self.seeds if isinstance(self.kind(v), Scalar | Array)), None)
            start = Builder(Block([], self.entry), registry.infer)
            if first is not None:
                self._count = start.call("builtins.len", first, name="directions")
            else:
                together = start.call("builtins.tuple", *self.seeds)
                self._count = start.call("s2sad.runtime.directions_of", together, name="directions")
            self._count.kind = Scalar("int64", size=DIRECTIONS)
        return self._count

    def shape(self, like: Value) -> Value:
        """The shape of as many values like this one as there are directions."""
        own = self.builder.call("numpy.shape", self.single(like) if self.has(like) else self.get(like))
        return self.behind_count(own)

    def behind_count(self, shape: Value) -> Value:
        """A shape behind the number of directions."""
        made = self.builder.call("operator.add", self.builder.call("builtins.tuple", self.count()), shape)
        if isinstance(shape.kind, Tuple):
            made.kind = Tuple((self.count().kind, *shape.kind.items))
        return made

    def single(self, value: Value) -> Value:
        """Of what depends on the direction, that of the first one."""
        made = self.builder.call("operator.getitem", self.get(value), Const(0))
        made.kind = self.kind(value)
        return made

    def up(self, value: Value, rank: int) -> Value:
        """An operand of an operation that broadcasts to this many axes (for one direction)."""
        if not self.has(value):
            return self.get(value)
        missing = rank - self.rank(value)
        if missing <= 0:
            return self.get(value)
        return self.builder.call("operator.getitem", self.get(value), Const((EVERY,) + (None,) * missing))

    def lifted(self, value: Value) -> Value:
        """A value as one that depends on the direction: the same for each, in new memory."""
        if self.has(value):
            return self.get(value)
        if isinstance(value, Undef):
            return value
        if isinstance(value, Const) and value.payload is None:
            return value
        value = self.get(value)
        if isinstance(value.kind, Scalar):
            kind = lifted_kind(value.kind if is_differentiable(value.kind) else Scalar("float64"))
            zero = isinstance(value, Const) and not value.payload
            target, fill = ("numpy.zeros", ()) if zero else ("numpy.full", (value,))
            made = self.builder.call(target, self.count(), *fill)
            made.kind = kind
            return made
        return self.repeated(value)

    def repeated(self, value: Value) -> Value:
        """An array that does not depend, once for each, in new memory."""
        if not isinstance(value.kind, Array):
            self.refuse(f"what is the same for all, of kind {value.kind}, beside what is not")
        made = self.builder.call("numpy.copy", self.builder.call("numpy.broadcast_to", value, self.shape(value)))
        made.kind = self.raised(value.kind)
        return made

    def again(self, op: Call, changed: Mapping[str, Value] = {}) -> Value:
        """The call with what stands for its arguments by now, some of them replaced."""
        primitive = registry.lookup(op.target)
        assert primitive is not None
        places = primitive.places(op.args, op.kwargs)
        args, kwargs = list(map(self.get, op.args)), {k: self.get(v) for k, v in op.kwargs.items()}
        for param, value in changed.items():
            place = places.get(param, param)
            if isinstance(place, int):
                args[place] = value
            else:
                kwargs[place] = value
        made = self.builder.call(op.target, *args, **kwargs)
        if op.results and self.has(op.results[0]):
            made.kind = self.raised(self.kind(op.results[0]))
        return made

    def fresh(self, value: Value) -> Value:
        """A number, which is a value, taken out of memory that may change."""
        return self.builder.call("numpy.copy", value)

    # --- the walk

    def _raise_kind(self, value: Value) -> None:
        if value not in self.core and self.facts.has(value):
            self.core[value] = value.kind
            value.kind = self.raised(value.kind)

    def block(self, block: Block) -> None:
        """Rewrite a block."""
        for value in block.params:
            self._raise_kind(value)
        ops, block.ops = block.ops, []
        with self.builder.inside(block):
            for op in ops:
                self.builder.loc, self.builder.primal = op.loc, op.primal
                self.op(op)

    def op(self, op: Op) -> None:
        """Rewrite one operation."""
        depends = [self.facts.has(v) for v in op.results]
        if isinstance(op, Call):
            for value in op.results:
                self._keep_core(value)
            if op.callee is not None:
                self.call(op, op.callee)
            elif any(depends) or any(map(self.has, op.operands())):
                self.primitive(op)
            else:
                self.builder.append(op)
            return
        for value in op.results:
            self._raise_kind(value)
        self.region(op)

    def _keep_core(self, value: Value) -> None:
        if self.facts.has(value):
            self.core.setdefault(value, value.kind)

    def replace(self, old: Value, new: Value) -> None:
        """From now on ``new`` stands for the result ``old`` of an operation."""
        if new is old:
            return
        if new.name is None and not isinstance(new, Const):
            new.name = old.name
        self.replaced[old] = new
        if self.has(old):
            self.core.setdefault(new, self.core.get(old, old.kind))

    def primitive(self, op: Call) -> None:
        """A call of a primitive, some of whose arguments or results depend on the direction."""
        primitive = registry.lookup(op.target)
        if primitive is None:
            self.refuse(f"{op.target}, of which nothing is known")
        operands = [v for v in op.operands() if self.has(v)]
        statement = self.lifts.statement(op.target)
        if not operands and statement not in self.lifts.makers:  # memory that is made here, and written with what depends
            self.replace(op.results[0], self.spread_out(op))
            return
        if statement is None and all(v in looked_at(op) for v in operands):
            self.of_the_first(op)
            return
        made = self.one_by_one(op, primitive) if statement is None else statement(self, op, primitive)
        if made is not None:
            self.replace(op.result, made)

    def of_the_first(self, op: Call) -> Value:
        """A call that looks at no more than the shapes of what depends: those of the first direction are those of all."""
        table = {v: self.single(v) for v in op.args if self.has(v)}
        op.args = [table.get(v, v) for v in op.args]
        self.builder.append(op)
        return op.result

    def spread_out(self, op: Call) -> Value:
        """A call that does not depend on the direction, whose result is written with what does: as many copies of it."""
        if len(op.results) != 1 or effects(op).shares or effects(op).unknown:
            self.refuse("memory that does not depend on the direction, written with what does")
        plain = Value(self.kind(op.result))
        self.builder.append(replace(op, results=[plain]))
        return self.lifted(plain)

    def one_by_one(self, op: Call, primitive: Primitive) -> Value:
        """The call for one direction after the other, the results stacked; once, where only shapes are looked at."""
        done = effects(op)
        if not self.facts.has(op.result) and all(v in looked_at(op) for v in op.operands() if self.has(v)):
            return self.of_the_first(op)
        if done.writes or done.changes or done.world or len(op.results) != 1:
            self.refuse(f"{op.target} for several directions at once")
        if view_base(op) is not None and self.facts.aliases.mutable(op.result):
            self.refuse(f"{op.target}, a window of memory that is written, for several directions at once")
        core = self.kind(op.result)
        kind = self.raised(core)
        if not isinstance(core, Scalar | Array | Tuple) or not self.facts.carries(core):
            self.refuse(f"{op.target}, which gives a {core}, for several directions at once")
        items = self.builder.call("builtins.list")
        items.kind = List(core)
        self.current = op.target
        body = Block([Value(Scalar("int64"), "k")])
        with self.builder.inside(body):
            single = Call(target=op.target, args=[self._item(v, body.params[0]) for v in op.args], loc=op.loc, primal=op.primal)
            single.kwargs = {k: self._item(v, body.params[0]) for k, v in op.kwargs.items()}
            single.results = [Value(core)]
            self.builder.append(single)
            self.builder.call("list.append", items, single.result)
        self.builder.append(For(iterable=self.builder.call("builtins.range", self.count()), body=body))
        made = self.builder.call("s2sad.runtime.stacked" if isinstance(core, Tuple) else "numpy.stack", items)
        made.kind = kind
        return made

    def _item(self, value: Value, k: Value) -> Value:
        """The operand for direction ``k``."""
        if not self.has(value):
            return self.get(value)
        kind = self.kind(value)
        if isinstance(kind, Scalar | Array):
            made = self.builder.call("operator.getitem", self.get(value), k)
            made.kind = kind
            return made
        maker = self.definer.get(value)
        if isinstance(maker, Call) and maker.target in ("builtins.tuple", "s2sad.items") and not isinstance(kind, List):
            made = self.builder.call(maker.target, *(self._item(v, k) for v in maker.args))
            made.kind = kind
            return made
        self.refuse(f"a {kind} that depends on the direction, in a call of {self.current}")

    def call(self, op: Call, callee: Function) -> None:
        """A call of a function."""
        positions = frozenset(k for k, arg in enumerate(op.args) if self.has(arg))
        if not positions:
            if any(map(self.facts.has, op.results)):
                self.refuse("memory that a function makes, written with what depends on the direction")
            self.builder.append(op)
            return
        lifted, params, results = self.lifts.callee(callee, positions)
        op.args = [self.lifted(arg) if k in params else self.get(arg) for k, arg in enumerate(op.args)]
        op.args += self.further(callee, params)
        op.callee, op.target = lifted, lifted.name
        self.builder.append(op)
        for k, value in enumerate(op.results):
            if self.facts.has(value) and k not in results:
                self.refuse("memory that a function makes, written with what depends on the direction")
            if k in results:
                self.core.setdefault(value, value.kind)
                value.kind = self.raised(self.core[value])

    def region(self, op: Op) -> None:
        """Control flow, which is the same for all directions."""
        if isinstance(op, Straight) and self.has(op.head):
            self.refuse("a condition that depends on the direction")
        if isinstance(op, For) and self.has(op.iterable) and isinstance(self.kind(op.iterable), Array):
            op.iterable = self.builder.call("numpy.swapaxes", self.get(op.iterable), Const(0), Const(1))
        self.blocks_of(op)

    def blocks_of(self, op: Op) -> None:
        """Agreement of all that goes in and out of the blocks of control flow."""
        if isinstance(op, Loop):
            pairs = zip(op.init, op.carried, strict=True)
            op.init = [self.lifted(v) if self.has(p) else self.get(v) for v, p in pairs]
        for block in op.blocks():
            self.block(block)
        for block in op.blocks() if isinstance(op, Straight) else (op.body,) if isinstance(op, Loop) else ():
            shift = len(block.yields) - len(op.results)
            with self.builder.inside(block):
                for k, result in enumerate(op.results):
                    if self.has(result):
                        block.yields[shift + k] = self.lifted(block.yields[shift + k])
        self.builder.append(op)

