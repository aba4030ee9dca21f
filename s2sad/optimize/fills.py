"""Arrays filled with one number: the number takes the array's place wherever NumPy broadcasts it anyway.

Before::

    v1 = numpy.full_like(x, out_bar)           v4 = operator.getitem(v1, 1:-1)
    v2 = operator.mul(2.0, v1)                 s2sad.additem(a, 1:-1, v4)
    x_bar = operator.mul(v2, x)

After::

    v2 = operator.mul(2.0, out_bar)            s2sad.additem(a, 1:-1, out_bar)
    x_bar = operator.mul(v2, x)

Such arrays come from the adjoints of sums. What is left of them is used for its shape, and mostly nothing is.
"""

from __future__ import annotations

from s2sad.analysis.views import STORES
from s2sad.ir.kinds import Array, Scalar, dtype_of, promote
from s2sad.ir.nodes import Block, Call, Function, Op, Value
from s2sad.optimize.memory_effects import Memory
from s2sad.optimize.rewriting import insert, is_float, keeps_border
from s2sad.rules import registry
from s2sad.rules.application import fits
from s2sad.rules.traits import having

ELEMENTWISE = {"operator.add", "operator.sub", "operator.mul", "operator.truediv"}
SCALING = {"operator.add", "operator.sub", "operator.mul"}
STRONG = {"s2sad.runtime.strong_zero", "s2sad.runtime.strong_slope"}  # the seed is their last argument


@keeps_border
def run(function: Function, memory: Memory | None = None) -> bool:
    """Use the numbers that arrays are filled with."""
    found = _Fills(memory or Memory(function))
    found.block(function.body)
    insert(function, found.before)
    return found.changed


class _Fills:
    """One walk over a function, in order; ``before`` collects new operations on numbers."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.maker: dict[Value, Call] = {}
        self.before: dict[Op, list[Op]] = {}
        self.changed = False

    def block(self, block: Block) -> None:
        """Rewrite the calls of a block and of those nested in it."""
        for op in block.ops:
            if isinstance(op, Call) and op.callee is None:
                self.changed |= self.call(op)
                if len(op.results) == 1:
                    self.maker[op.result] = op
            for inner in op.blocks():
                self.block(inner)

    def call(self, op: Call) -> bool:
        """Rewrite one call; whether it changed."""
        if op.target in ELEMENTWISE:
            return self.operand(op) or op.target in SCALING and self.scaled(op)
        if op.target == "operator.neg":
            return self.scaled(op)
        if op.target == "numpy.full_like":
            return self.refilled(op)
        if op.target in STRONG:
            return self.seeded(op)
        return op.target in (*STORES, "numpy.add.at") and self.stored(op)

    # --- what an array is filled with

    def filler(self, value: Value) -> Call | None:
        """The call that fills an array which nothing writes afterwards."""
        op = self.maker.get(value)
        if op is None or op.target != "numpy.full_like" or len(op.args) != 2 or op.kwargs or self.memory.mutable(value):
            return None
        return op if is_float(value.kind) and isinstance(value.kind, Array) else None

    def fill(self, value: Value) -> Value | None:
        """The number, or the smaller array of the same dtype, that an array is filled with."""
        op = self.filler(value)
        if op is not None and isinstance(op.args[1].kind, Array):
            same = dtype_of(op.args[1].kind) == dtype_of(value.kind)
            return op.args[1] if same and not self.memory.mutable(op.args[1]) else None
        return self.number(value)

    def number(self, value: Value) -> Value | None:
        """The number that all items of an array are."""
        op = self.filler(value)
        if op is not None:
            return op.args[1] if is_real_number(op.args[1]) else None
        source = self.maker.get(value)
        if source is None or source.target not in having("arranges") or not source.args or not isinstance(value.kind, Array):
            return None
        return None if self.memory.mutable(value) else self.number(source.args[0])

    # --- uses

    def operand(self, op: Call) -> bool:
        """``full_like(x, c) * y`` is ``c * y`` where that has the shape of the result."""
        for k, value in enumerate(op.args):
            other = op.args[1 - k]
            fill = self.fill(value) if isinstance(other.kind, Array) else None
            if fill is None or promote(fill.kind, other.kind) != dtype_of(op.result.kind) or dtype_of(op.result.kind) is None:
                continue
            bare = Call(target=op.target, args=[fill, other] if k == 0 else [other, fill])
            if fits(registry.infer(bare), op.result.kind):
                op.args[k] = fill
                return True
        return False

    def scaled(self, op: Call) -> bool:
        """``c * full_like(x, d)`` is ``full_like(x, c * d)``; likewise sums with numbers, and negation."""
        for k, value in enumerate(op.args):
            filler, fill = self.filler(value), self.fill(value)
            others = [v for v in op.args if v is not value]
            if filler is None or fill is None or not all(map(is_real_number, others)) or len(others) + 1 != len(op.args):
                continue
            if dtype_of(op.result.kind) == dtype_of(value.kind):
                new = Call(target=op.target, args=list(op.args), loc=op.loc, primal=op.primal)
                new.args[k] = fill
                new.results = [Value(registry.infer(new))]
                self.before[op] = [new]
                op.target, op.args = "numpy.full_like", [filler.args[0], new.result]
                return True
        return False

    def refilled(self, op: Call) -> bool:
        """``full_like(x, full_like(y, c)[...])`` is ``full_like(x, c)``."""
        number = self.number(op.args[1])
        if number is None or dtype_of(op.args[1].kind) != dtype_of(op.result.kind):
            return False
        op.args[1] = number
        return True

    def seeded(self, op: Call) -> bool:
        """A contribution is zero where all of ``full_like(x, c)`` is: where c is."""
        number = self.number(op.args[-1])
        if number is None:
            return False
        op.args[-1] = number
        return True

    def stored(self, op: Call) -> bool:
        """``a[i] += full_like(x, c)`` is ``a[i] += c``."""
        base, _, value = op.args
        number = self.number(value)
        if number is None or not isinstance(base.kind, Array) or dtype_of(base.kind) != dtype_of(value.kind):
            return False
        op.args[2] = number
        return True


def is_real_number(value: Value) -> bool:
    """Whether a value is a float or an integer."""
    return isinstance(value.kind, Scalar) and value.kind.dtype.startswith(("float", "int"))
