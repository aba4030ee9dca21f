"""Arrays filled with one number: the number takes the array's place wherever NumPy broadcasts it anyway.

Before::

    v1 = numpy.full_like(x, out_bar)           v4 = operator.getitem(v1, 1:-1)
    v2 = operator.mul(2.0, v1)                 s2sad.additem(a, 1:-1, v4)
    x_bar = operator.mul(v2, x)

After::

    v2 = operator.mul(2.0, out_bar)            s2sad.additem(a, 1:-1, out_bar)
    x_bar = operator.mul(v2, x)

A chain of products may be of a smaller shape until its last one, or the array to which it is added, stretches it. Such arrays
come from the adjoints of sums. What is left of them is used for its shape, and mostly nothing is.
"""

from __future__ import annotations

from functools import cached_property

from s2sad.analysis.shapes import FILL, Shapes
from s2sad.analysis.views import STORES
from s2sad.ir.kinds import Array, Kind, Scalar, dtype_of, promote, same_size
from s2sad.ir.nodes import Block, Call, Const, Function, Op, Value
from s2sad.ir.walk import ops_of
from s2sad.optimize.memory_effects import Memory, is_proper_array
from s2sad.optimize.rewriting import Uses, insert, is_float, keeps_border, uses_of
from s2sad.rules import registry
from s2sad.rules.application import fits
from s2sad.rules.traits import having, spelled

ELEMENTWISE = {"operator.add", "operator.sub", "operator.mul", "operator.truediv"}
ADDING = {"s2sad.additem", "s2sad.subitem"}
SCALING = {"operator.add", "operator.sub", "operator.mul"}
STRONG = {"s2sad.runtime.strong_zero", "s2sad.runtime.strong_slope"}  # the seed is their last argument


@keeps_border
def run(function: Function, memory: Memory | None = None) -> bool:
    """Use the numbers that arrays are filled with."""
    if not any(isinstance(op, Call) and op.target == FILL for op in ops_of(function.body)):
        return False
    found = _Fills(function, memory or Memory(function), uses_of(function))
    found.block(function.body)
    insert(function, found.before)
    return found.changed


class _Fills:
    """One walk over a function, in order; ``before`` collects new operations on numbers."""

    def __init__(self, function: Function, memory: Memory, readers: Uses) -> None:
        self.function = function
        self.memory = memory
        self.readers = readers
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
        if op.target == FILL:
            return self.refilled(op)
        if op.target in STRONG:
            return self.seeded(op)
        return op.target in (*STORES, spelled("scatters")) and self.stored(op)

    @cached_property
    def shapes(self) -> Shapes:
        """The shapes, and which values share them."""
        return Shapes(self.function, self.memory.mutable)

    # --- what an array is filled with

    def filler(self, value: Value) -> Call | None:
        """The call that fills an array which nothing writes afterwards."""
        op = self.maker.get(value)
        if op is None or op.target != FILL or len(op.args) != 2 or op.kwargs or self.memory.mutable(value):
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
            made: dict[Value, Kind] = {}
            whole = is_proper_array(other.kind) and self.stretches(value, other)
            whole = whole or self.spreads(op, [fill, other] if k == 0 else [other, fill], made)
            if whole or self.suffices(fill, value, other):
                op.args[k] = fill
                self.shapes.narrow(made)
                return True
        return False

    def stretches(self, value: Value, other: Value) -> bool:
        """Certainty that an array does not stretch another one."""
        return self.shapes.of(value) <= self.shapes.of(other) or self.shapes.same(value, other)

    def suffices(self, fill: Value, value: Value, other: Value) -> bool:
        """Certainty that what fills an array and another one are stretched together to the shape that the two have."""
        return is_proper_array(other.kind) and self.shapes.axes.stretched_alike((fill, other), (value, other))

    def spreads(self, op: Call, args: list[Value], made: dict[Value, Kind]) -> bool:
        """Certainty that nobody can tell that operands are smaller, since NumPy stretches them: the result has its shape all
        the same, or its only reader is such an operation, or adds it to an array of that shape. ``made``: smaller kinds."""
        kind = registry.infer(Call(target=op.target, args=args))
        if fits(kind, op.result.kind):
            return True
        readers = self.readers.get(op.result, [])
        reader = readers[0] if len(readers) == 1 else None
        if not isinstance(reader, Call) or reader.callee is not None or self.memory.mutable(op.result):
            return False
        if not isinstance(kind, Array) or kind.dtype != dtype_of(op.result.kind):
            return False
        made[op.result] = kind
        if reader.target in ELEMENTWISE:
            return self.spreads(reader, [Value(made.get(v, v.kind)) for v in reader.args], made)
        whole = reader.target in ADDING and isinstance(reader.args[1], Const) and reader.args[1].payload is ...
        return whole and reader.args[2] is op.result and self.has_shape(reader.args[0].kind, op.result.kind)

    def has_shape(self, kind: Kind, other: Kind) -> bool:
        """Certainty that two arrays have the same shape."""
        if not isinstance(kind, Array) or not isinstance(other, Array) or kind.shape is None or other.shape is None:
            return False
        return len(kind.shape) == len(other.shape) and all(map(same_size, kind.shape, other.shape))

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
                op.target, op.args = FILL, [filler.args[0], new.result]
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
        """``a[i] += full_like(x, c)`` is ``a[i] += c``, which NumPy stretches to the window as it did to ``x``."""
        base, _, value = op.args
        number = self.fill(value)
        if number is None or not isinstance(base.kind, Array) or dtype_of(base.kind) != dtype_of(value.kind):
            return False
        op.args[2] = number
        return True


def is_real_number(value: Value) -> bool:
    """Test for a float or an integer."""
    return isinstance(value.kind, Scalar) and value.kind.is_of("fi")
