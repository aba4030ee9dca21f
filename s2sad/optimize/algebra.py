"""Algebra: signs are moved into sums and stores, constants are gathered and folded, neutral elements vanish.

Before::

    v1 = operator.mul(1.0, out_bar)            v4 = operator.neg(v3)
    v2 = operator.mul(0.5, v1)                 s2sad.additem(x_bar, 0, v4)
    v3 = operator.mul(2.0, v2)

After::

    s2sad.subitem(x_bar, 0, out_bar)

Results change by no more than rounding: signs are exact in floating point, and constants are gathered only where their
product is exact. NaN and infinity stay what they are, so ``0 * x`` stays. ``0.0 + x`` would turn -0.0 into 0.0; the
zero is dropped in derivative code only, where it is the start of an accumulation.

Moving a sign drops an operation between a value and its use, so the use reads memory later than the operation did:
allowed for numbers, and for arrays that no store reaches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from s2sad.ir.kinds import UNKNOWN, Array, Kind, Scalar, dtype_of, promote, rank_of
from s2sad.ir.nodes import LITERALS, Block, Call, Const, Function, Op, Value
from s2sad.ir.pure import OPERATORS, compute
from s2sad.ir.walk import stand_in, substitute, substitute_all, use_counts
from s2sad.optimize.bounds import least
from s2sad.optimize.memory_effects import Memory, Nodes
from s2sad.optimize.rewriting import drop, insert, is_derivative, is_float, keeps_border, pass_name
from s2sad.rules import registry
from s2sad.rules.containers import move_by
from s2sad.rules.traits import having

ADD, SUB, MUL, DIV, NEG, POW = (f"operator.{name}" for name in ("add", "sub", "mul", "truediv", "neg", "pow"))
ARITHMETIC = {ADD, SUB, MUL, DIV, NEG, POW}
MATMUL, T = "operator.matmul", "ndarray.T"
OPPOSITE = {
    ADD: SUB, SUB: ADD,
    "s2sad.additem": "s2sad.subitem", "s2sad.subitem": "s2sad.additem",
}  # fmt: skip
FOLDED: dict[str, Callable[..., Any]] = {
    name: OPERATORS[name]
    for name in (ADD, SUB, MUL, NEG, "operator.floordiv", "operator.mod", "operator.eq", "operator.ne", "operator.lt",
                 "operator.le", "operator.gt", "operator.ge", "operator.not_")
}  # fmt: skip


def opposite(target: str) -> str:
    """The call that subtracts where this one adds, or the other way round; the lines of effects say it of what scatters."""
    if target in OPPOSITE:
        return OPPOSITE[target]
    adds = {name: not move.negated for name in having("scatters") if (move := move_by(registry.all_primitives()[name]))}
    return next(name for name in adds if adds[name] != adds[target])


def odd_by(target: str) -> tuple[int, ...]:
    """The arguments through which a sign passes: f(-x) is -f(x), exactly."""
    return tuple(k for k in (0, 1) if target in having(f"odd by {k}"))


Rule = Callable[["_Algebra", Call], bool]
Rules = dict[str, tuple[Rule, ...]]


@keeps_border
def run(function: Function, memory: Memory | None = None) -> bool:
    """Simplify all calls."""
    return _Algebra(function, memory or Memory(function), RULES, WITHOUT_LITERALS, OF_TRAITS).run()


@keeps_border
def arrange_factors(function: Function, memory: Memory | None = None) -> bool:
    """Put powers of two first, and out of sums of products."""
    return _Algebra(function, memory or Memory(function), FACTORS, {}, OF_FACTORS).run()


class _Algebra:
    """One walk over a function, in order; ``table`` maps results that are gone to what stands for them."""

    def __init__(self, function: Function, memory: Memory, rules: Rules, without_literals: Rules, of_traits: Rules) -> None:
        self.rules, self.without_literals, self.of_traits = rules, without_literals, of_traits
        self.function = function
        self.memory = memory
        self.uses = use_counts(function)
        self.maker: dict[Value, Call] = {}
        self.home: dict[Value, Block] = {}
        self.table: dict[Value, Value] = {}
        self.dead: set[Op] = set()
        self.before: dict[Op, list[Op]] = {}  # what is new, by what it stands before
        self.previous: Op | None = None  # right before the call in hand
        self.place: Block | None = None  # the block of the call in hand
        self.since: dict[Value, int] = {}  # how many stores there were before a value was made
        self.stores: list[Nodes] = []  # what they have written
        self.changed = False
        self.found: dict[tuple[str, bool], tuple[Rule, ...]] = {}

    def run(self) -> bool:
        """Simplify all calls; whether anything changed."""
        self.block(self.function.body)
        insert(self.function, self.before)
        substitute_all(self.function.body, self.table)
        drop(self.function, self.dead)
        return self.changed

    def block(self, block: Block) -> None:
        """Simplify the calls of a block and of those nested in it."""
        self.previous = None
        for op in block.ops:
            self.place = block
            if self.table:
                substitute(op, partial(stand_in, self.table))
            if isinstance(op, Call) and op.callee is None:
                self.call(op, block)
            for inner in op.blocks():
                self.block(inner)
            if isinstance(op, Call) and (written := self.memory.own_writes(op)):
                self.stores.append(written)
            self.previous = op

    def call(self, op: Call, block: Block) -> None:
        """Apply rules to a call until none applies."""
        for result in op.results:
            self.maker[result] = op
            self.home[result] = block
            self.since[result] = len(self.stores)
        while op not in self.dead and self.apply(op):
            self.changed = True

    def apply(self, op: Call) -> bool:
        """Apply the first rule that changes a call; whether there is one."""
        literal = any(isinstance(v, Const) for v in op.args)
        rules = self.found.get((op.target, literal))
        if rules is None:
            rules = self.found[op.target, literal] = self.rules_for(op.target, literal)
        return any(rule(self, op) for rule in rules)

    def rules_for(self, target: str, literal: bool) -> tuple[Rule, ...]:
        """The rules for calls of a function, of which an argument is a literal."""
        table = self.rules if literal else self.without_literals
        return table.get(target) or next((rules for trait, rules in self.of_traits.items() if target in having(trait)), ())

    # --- questions

    def negated(self, value: Value) -> Value | None:
        """The operand of which a value is certainly the negation, also by now: neither has been written since."""
        op = self.maker.get(value)
        if op is None or op.target != NEG:
            return None
        bare = op.args[0]
        if op is not self.previous and (self.memory.mutable(value) or self.memory.mutable(bare)):
            if self.home[value] is not self.place or self.written_since(value, bare):
                return None
        return bare if has_sign(bare.kind) or is_derivative(op) and dtype_of(bare.kind) is None else None

    def is_still(self, value: Value, source: Value) -> bool:
        """Test that the source of a value that was made in this block may as well be read now."""
        if self.home[value] is not self.place:
            return False
        return not self.memory.mutable(source) or not self.written_since(value, source)

    def written_since(self, value: Value, source: Value) -> bool:
        """Test for a value that was made in this block, and that has been written into since, or what it was made from."""
        nodes = [*self.memory.reach(value), *self.memory.reach(source)]
        late = [other.find() for written in self.stores[self.since[value] :] for other in written]
        return any(node.find() is other for node in nodes for other in late)

    def is_temporary(self, value: Value, user: Call | None = None) -> bool:
        """Test for an intermediate result with one use, whose meaning may change.

        A partial sum, which has the name of the sum that uses it, is none that a reader knows.
        """
        partial = user is not None and user.results[0].name == value.name
        return self.uses.get(value, 0) == 1 and (value.name is None or partial)

    def unwritten(self, value: Value) -> Call | None:
        """The call that gave a value, if that is what it gave: nothing has been written into it."""
        return None if self.memory.mutable(value) else self.maker.get(value)

    def replaceable(self, result: Value, value: Value) -> bool:
        """Permission for ``value`` to stand for ``result``, which was an array of its own if it was one."""
        if isinstance(result.kind, Scalar) and isinstance(value.kind, Scalar):
            return True
        if not isinstance(value.kind, Array) or not isinstance(result.kind, Array):
            return False
        return not self.memory.mutable(result) and not self.memory.mutable(value) and not self.memory.escapes(result)

    def is_own(self, value: Value) -> bool:
        """Test for a number or an array that arithmetic has made, and that nothing writes."""
        op = self.maker.get(value)
        return op is not None and op.target in ARITHMETIC and not self.memory.mutable(value)

    # --- edits

    def replace(self, op: Call, value: Value) -> bool:
        """``value`` stands for the only result of ``op``, which is dropped."""
        self.uses[value] = self.uses.get(value, 0) + self.uses.get(op.result, 0)
        self.forget(op.operands())
        if not isinstance(value, LITERALS):
            self.memory.merge(op.result, value)
            pass_name(op.result, value, self.maker.get(value))
        self.table[op.result] = value
        self.dead.add(op)
        return True

    def rewrite(self, op: Call, target: str, *args: Value) -> bool:
        """Another call with the same results."""
        for value in args:
            self.uses[value] = self.uses.get(value, 0) + 1
        self.forget(op.operands())
        op.target, op.args, op.kwargs = target, list(args), {}
        return True

    def set_arg(self, op: Call, k: int, value: Value) -> None:
        """Another argument at one position."""
        self.uses[value] = self.uses.get(value, 0) + 1
        self.forget([op.args[k]])
        op.args[k] = value

    def split(self, op: Call, factor: Const) -> None:
        """A call multiplies by a factor what it has given, and what a new one before it gives."""
        fresh = replace(op, args=op.args, kwargs=op.kwargs, results=[Value(op.result.kind, None)])
        self.maker[fresh.result], self.home[fresh.result] = fresh, self.home[op.result]
        self.since[fresh.result], self.uses[fresh.result] = len(self.stores), 1
        self.uses[factor] = self.uses.get(factor, 0) + 1
        self.before.setdefault(op, []).append(fresh)
        op.target, op.args, op.kwargs = MUL, [factor, fresh.result], {}

    def forget(self, values: Iterable[Value]) -> None:
        """One use less of each; arithmetic that has none left goes, and with it its own uses."""
        for value in values:
            self.uses[value] -= 1
            op = self.maker.get(value)
            if self.uses[value] == 0 and op is not None and op not in self.dead and op.target in ARITHMETIC:
                self.dead.add(op)
                self.forget(op.operands())

    # --- signs

    def without_sign(self, value: Value, user: Call) -> Value | None:
        """A value that is exactly ``-value`` at no cost: a negation's operand, or a product that drops its sign for ``user``."""
        if isinstance(value, Const):
            return Const(-value.payload) if is_number(value) and value.payload < 0 else None
        bare = self.negated(value)
        op = self.maker.get(value)
        if bare is not None or op is None or not self.is_temporary(value, user) or not may_have_sign(value.kind):
            return bare
        for k in odd_by(op.target)[: len(op.args)]:
            bare = self.without_sign(op.args[k], op)
            if bare is not None:
                self.set_arg(op, k, bare)
                return value
        return None

    # --- constants

    def may_scale(self, op: Call, value: Value, factor: Const) -> bool:
        """Permission for a temporary that takes over a factor to stand for the result of ``op``: made as often as that is."""
        once = isinstance(value.kind, Scalar) or self.home.get(value) is self.home[op.result]
        return once and is_number(factor) and keeps_kind(value.kind, factor)

    def absorb(self, factor: Const, value: Value, user: Call | None = None, depth: int = 4) -> bool:
        """Multiply a temporary product by a constant that it already contains; False where that is not exact."""
        op = self.maker.get(value)
        if op is None or not self.is_temporary(value, user) or depth == 0 or not is_float(value.kind):
            return False
        if op.target not in (MUL, DIV):
            return False
        for k in (0, 1) if op.target == MUL else (0,):
            constant, other = op.args[k], op.args[1 - k]
            if isinstance(constant, Const) and is_float(other.kind):
                product = exact_product(factor, constant)
                if product is not None:
                    self.set_arg(op, k, product)
                    return True
        return any(self.absorb(factor, arg, None, depth - 1) for arg in op.args[: 1 + (op.target == MUL)])


    def without_factor(self, value: Value) -> tuple[Const, Value] | None:
        """A power of two by which a temporary product of arrays is multiplied, and the product without it."""
        op = self.maker.get(value)
        if op is None or op.target != MUL or not isinstance(value.kind, Array) or not self.is_temporary(value):
            return None
        for k in (0, 1):
            factor, other = op.args[k], op.args[1 - k]
            if isinstance(factor, Const) and is_binary(factor) and is_float(other.kind) and isinstance(other.kind, Array):
                return (factor, other) if self.is_still(value, other) else None
        for k in (0, 1):
            if (found := self.without_factor(op.args[k])) is not None:
                if found[1] is not op.args[k]:
                    self.set_arg(op, k, found[1])
                return found[0], value
        return None


# --- kinds


def is_number(value: Value) -> bool:
    """Test for a literal int or float."""
    return isinstance(value, Const) and type(value.payload) in (int, float)


def has_sign(kind: Kind) -> bool:
    """Certainty that ``a + (-b)`` is ``a - b``: not for bool, nor for integers of few bits, which wrap around."""
    dtype = dtype_of(kind)
    return dtype is not None and (is_float(kind) or dtype == "int64")


def may_have_sign(kind: Kind) -> bool:
    """The same for the other operand: the dtype may be unknown."""
    return has_sign(kind) or kind == UNKNOWN or (isinstance(kind, Array) and kind.dtype is None)


def is_binary(value: Value) -> bool:
    """Test for a literal power of two: 0.5, 2, 4.0."""
    return is_number(value) and value.payload > 0 and math.frexp(value.payload)[0] == 0.5  # type: ignore[attr-defined]


def keeps_kind(kind: Kind, literal: Const) -> bool:
    """Test that arithmetic of a float or integer (array) with a literal number yields the same kind."""
    dtype = dtype_of(kind)
    return dtype is not None and promote(kind, literal.kind) == dtype


def exact_product(a: Const, b: Const) -> Const | None:
    """The product of two literals where floating point represents it exactly."""
    if not (is_number(a) and is_number(b)):
        return None
    if not all(abs(x) < 2**53 for x in (a.payload, b.payload)) or not abs(product := a.payload * b.payload) < 2**53:
        return None
    return Const(product) if Fraction(a.payload) * Fraction(b.payload) == Fraction(product) else None


def is_literal(value: Value, number: float) -> bool:
    """Test for this number, and not -0.0 for 0."""
    return is_number(value) and value.payload == number and str(value.payload)[0] != "-"  # type: ignore[attr-defined]


# --- rules: each returns whether it changed the program



def _fold(self: _Algebra, op: Call) -> bool:
    payloads = [v.payload for v in op.args if isinstance(v, Const)]
    if len(payloads) != len(op.args) or any(type(p) not in (int, float, bool) for p in payloads):
        return False
    try:
        value = compute(op.target, *payloads)
    except (ArithmeticError, ValueError):
        return False
    if isinstance(value, float) and op.target in (ADD, SUB, MUL) and not _is_exact(op.target, payloads, value):
        return False
    return self.replace(op, Const(value))


def _is_exact(target: str, payloads: list[float], value: float) -> bool:
    if not all(abs(x) < 2**53 for x in (*payloads, value)):
        return False
    return bool(FOLDED[target](*map(Fraction, payloads)) == Fraction(value))


def _neutral(self: _Algebra, op: Call) -> bool:
    """``1 * x``, ``x / 1``, ``x ** 1``, ``x - 0``, ``x + 0`` where nothing else comes out."""
    for k in (1, 0) if op.target in (MUL, ADD) else (1,):
        literal, other = op.args[k], op.args[1 - k]
        zero = op.target in (ADD, SUB)
        neutral = is_literal(literal, 0 if zero else 1) and isinstance(literal, Const) and keeps_kind(other.kind, literal)
        exact = op.target in (SUB, MUL, POW) or not is_float(other.kind) or op.target == DIV or is_derivative(op)
        if neutral and exact and (op.target != DIV or is_float(other.kind)) and self.replaceable(op.result, other):
            return self.replace(op, other)
    return False


def _zero_minus(self: _Algebra, op: Call) -> bool:
    """``0.0 - x`` as an accumulation begins."""
    zero, other = op.args
    if isinstance(zero, Const) and is_literal(zero, 0) and is_derivative(op) and keeps_kind(other.kind, zero):
        return self.rewrite(op, NEG, other)
    return False


def _twice(self: _Algebra, op: Call) -> bool:
    """``x + x`` is ``2.0 * x``; in derivatives, where contributions meet."""
    a, b = op.args
    if a is b and is_float(a.kind) and is_derivative(op):
        return self.rewrite(op, MUL, Const(2.0), a)
    return False


def _once_more(self: _Algebra, op: Call) -> bool:
    """``x_bar + v + v`` is ``x_bar + 2.0 * v``."""
    partial, v = op.args
    inner = self.maker.get(partial)
    if inner is None or inner.target != ADD or not is_derivative(op) or not self.is_temporary(partial, op):
        return False
    rest = next((a for a, b in (inner.args, inner.args[::-1]) if b is v), None)
    alike = v.kind == partial.kind == op.result.kind and is_float(v.kind) and self.home[partial] is self.home[op.result]
    if rest is None or not alike or self.memory.mutable(v) or self.memory.mutable(partial):
        return False
    self.rewrite(op, ADD, rest, partial)
    partial.name = None
    return self.rewrite(inner, MUL, Const(2.0), v)


def _sign_of_second(self: _Algebra, op: Call) -> bool:
    """``a + (-b)`` is ``a - b``; the same for stores."""
    last = len(op.args) - 1
    if not may_have_sign(op.args[0].kind):
        return False
    bare = self.without_sign(op.args[last], op)
    if bare is None:
        return False
    if bare is not op.args[last]:
        self.set_arg(op, last, bare)
    op.target = opposite(op.target)
    return True


def _sign_of_first(self: _Algebra, op: Call) -> bool:
    """``(-a) + b`` is ``b - a``."""
    a, b = op.args
    if isinstance(a, Const) or not may_have_sign(b.kind):
        return False
    bare = self.without_sign(a, op)
    return bare is not None and self.rewrite(op, SUB, b, bare)


def _double_negation(self: _Algebra, op: Call) -> bool:
    """``-(-x)``, ``-(y * -x)``, and ``-(c * x)``."""
    (x,) = op.args
    bare = self.negated(x)
    if bare is not None and self.replaceable(op.result, bare):
        return self.replace(op, bare)
    if bare is None and self.is_own(x) and not self.memory.mutable(op.result) and self.without_sign(x, op) is not None:
        return self.replace(op, x)
    if self.may_scale(op, x, Const(-1)) and self.absorb(Const(-1), x):
        return self.replace(op, x)
    return False


def _minus_one(self: _Algebra, op: Call) -> bool:
    """``-1 * x``, and ``c * (-x)``."""
    for k in (0, 1):
        constant, other = op.args[k], op.args[1 - k]
        if not (isinstance(constant, Const) and is_number(constant) and keeps_kind(other.kind, constant)):
            continue
        if constant.payload == -1:
            return self.rewrite(op, NEG, other)
        bare = self.negated(other)
        if bare is not None and is_float(bare.kind):
            self.set_arg(op, k, Const(-constant.payload))
            self.set_arg(op, 1 - k, bare)
            return True
    return False


def _gather_constants(self: _Algebra, op: Call) -> bool:
    """``c * (d * x)`` is ``(c * d) * x``."""
    for k in (0, 1):
        constant, other = op.args[k], op.args[1 - k]
        if isinstance(constant, Const) and self.may_scale(op, other, constant) and self.absorb(constant, other, op):
            return self.replace(op, other)
    return False


def _factor_first(self: _Algebra, op: Call) -> bool:
    """``2.0 * (c * x)`` is ``2.0 * c * x``, with the number c if x is an array; in derivatives, and by powers of two, exactly."""
    factor, value = op.args
    inner = self.maker.get(value)
    if not isinstance(factor, Const) or not is_binary(factor) or inner is None or inner.target not in (MUL, DIV):
        return False
    places = [k for k in ((0, 1) if inner.target == MUL else (0,)) if is_float(inner.args[k].kind)]
    k = next((k for k in places if isinstance(inner.args[k].kind, Scalar)), *places[:1] or (0,))
    first, rest = inner.args[k], inner.args[1 - k]
    plain = bool(places) and not any(isinstance(v, Const) for v in inner.args) and self.is_temporary(value, op)
    kept = plain and keeps_kind(value.kind, factor) and is_derivative(op) and is_derivative(inner)
    if not kept or not self.is_still(value, rest):
        return False
    self.uses[rest] -= 1
    self.rewrite(op, inner.target, value, rest)
    self.uses[factor] = self.uses.get(factor, 0) + 1
    inner.target, inner.args, value.name = MUL, [factor, first], None
    value.kind = registry.infer(inner)
    _factor_first(self, inner)
    return True


def _factor_out(self: _Algebra, op: Call) -> bool:
    """``vdot(2 * x, y)`` is ``2 * vdot(x, y)``: numbers are multiplied, and no array; in derivatives, by powers of two."""
    if not isinstance(op.result.kind, Scalar) or not is_float(op.result.kind) or not is_derivative(op):
        return False
    for k in odd_by(op.target)[: len(op.args)]:
        found = self.without_factor(op.args[k])
        if found is not None:
            factor, bare = found
            if bare is not op.args[k]:
                self.set_arg(op, k, bare)
            self.split(op, factor)
            return True
    return False


def _never_zero(self: _Algebra, op: Call) -> bool:
    """``strong_zero(x, 1.0)`` is ``x``: it would be another one where the seed is zero, which this number is not."""
    seed = op.args[-1]
    nonzero = isinstance(seed, Const) and is_number(seed) and seed.payload != 0
    return nonzero and self.replaceable(op.result, op.args[0]) and self.replace(op, op.args[0])


def _finite_slope(self: _Algebra, op: Call) -> bool:
    """``strong_zero(y / sqrt(1 + x * x), seed)`` is its first operand: what is at least 1 has a root whose slope is finite."""
    quotient = self.maker.get(op.args[0])
    root = self.maker.get(quotient.args[1]) if quotient is not None and quotient.target == DIV else None
    if root is None or root.target not in having("square root") or not least(root.args[0], self.unwritten) > 0:
        return False
    return not self.memory.mutable(root.result) and self.replaceable(op.result, op.args[0]) and self.replace(op, op.args[0])


def _never_by_zero(self: _Algebra, op: Call) -> bool:
    """``ratio(x, 1 + y * y)`` is the quotient."""
    return least(op.args[1], self.unwritten) > 0 and self.rewrite(op, DIV, *op.args)


def _constant_first(_: _Algebra, op: Call) -> bool:
    """``x * 2.0`` is written ``2.0 * x`` in derivatives, unless it scales a variable."""
    x, constant = op.args
    if not is_number(constant) or isinstance(x, Const) or not is_float(x.kind) or not is_derivative(op):
        return False
    if x.name is not None and x.name == op.result.name:
        return False
    op.args.reverse()
    return True


def _double_transpose(self: _Algebra, op: Call) -> bool:
    """``x.T.T`` is ``x``: the same memory."""
    inner = self.maker.get(op.args[0])
    apart = self.memory.is_told_apart(op.result)
    return inner is not None and inner.target == T and not apart and self.replace(op, inner.args[0])


def _transposed_product(self: _Algebra, op: Call) -> bool:
    """``(x.T @ y).T`` is ``y.T @ x``, and ``(x @ y.T).T`` is ``y @ x.T``; in derivatives, for it may round otherwise."""
    (x,) = op.args
    product = self.maker.get(x)
    if product is None or product.target != MATMUL or not self.is_temporary(x, op) or not is_derivative(op):
        return False
    if self.home[x] is not self.home[op.result]:
        return False
    a, b = product.args
    if rank_of(a.kind) != 2 or rank_of(b.kind) != 2 or self.memory.mutable(a) or self.memory.mutable(b):
        return False  # the product is computed later
    left, right = (maker if (maker := self.maker.get(v)) and maker.target == T else None for v in (a, b))
    if left is None and right is None:
        return False
    turned = b if left is not None else a
    self.rewrite(product, T, turned)
    self.memory.merge(x, turned)
    x.kind = registry.infer(product)
    return self.rewrite(op, MATMUL, *((x, left.args[0]) if left is not None else (right.args[0], x)))  # type: ignore[union-attr]


def _whole(self: _Algebra, op: Call) -> bool:
    """``x[...]`` is ``x``: the same memory."""
    base, index = op.args
    whole = isinstance(index, Const) and index.payload is ... and isinstance(base.kind, Array) and bool(base.kind.shape)
    return whole and is_derivative(op) and not self.memory.is_told_apart(op.result) and self.replace(op, base)


# Those that do nothing where no argument is a literal: most calls have none.
OF_LITERALS = {_fold, _neutral, _zero_minus, _minus_one, _gather_constants, _constant_first}
RULES: Rules = dict.fromkeys(FOLDED, (_fold,)) | {
    ADD: (_fold, _neutral, _twice, _once_more, _sign_of_second, _sign_of_first),
    SUB: (_fold, _neutral, _zero_minus, _sign_of_second),
    MUL: (_fold, _neutral, _minus_one, _gather_constants, _constant_first),
    DIV: (_neutral,),
    POW: (_neutral,),
    NEG: (_fold, _double_negation),
    "s2sad.runtime.strong_zero": (_never_zero, _finite_slope),
    "s2sad.runtime.strong_slope": (_never_zero,),
    "s2sad.runtime.ratio": (_never_by_zero,),
    T: (_double_transpose, _transposed_product),
    "operator.getitem": (_whole,),
    "s2sad.additem": (_sign_of_second,),
    "s2sad.subitem": (_sign_of_second,),
}
OF_TRAITS: Rules = {"scatters": (_sign_of_second,)}
# What is arranged once, when all else is done: another round would cost more than it gives.
FACTORS: Rules = {MUL: (_neutral, _gather_constants, _factor_first)}
OF_FACTORS: Rules = {"odd by 0": (_factor_out,)}
WITHOUT_LITERALS = {target: tuple(rule for rule in rules if rule not in OF_LITERALS) for target, rules in RULES.items()}
