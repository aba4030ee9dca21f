"""Sums that undo broadcasting, as plain NumPy; a sum of products is a dot product.

Before (x and y have shape (n,), z has shape (m, n))::

    v1 = operator.mul(x, y)
    c_bar = s2sad.runtime.unbroadcast(v1, c)
    x_bar = s2sad.runtime.unbroadcast(z, x)

After::

    c_bar = numpy.vdot(x, y)
    x_bar = numpy.sum(z, axis=0)

``unbroadcast`` looks at shapes and dtypes when the program runs; where kinds tell them, nothing is left to look at. A
dot product adds in another order than ``sum``, which is rounding. Only for real numbers; and as these sums are NumPy's
float64 where ``unbroadcast`` makes Python's float of a number that was one, only where no array has fewer bits.
"""

from __future__ import annotations

from functools import cached_property

from s2sad.analysis.shapes import FILL, Shapes
from s2sad.ir.kinds import UNKNOWN, Array, Scalar, all_equal, dtype_of, is_many
from s2sad.ir.nodes import Call, Const, Function, Op, Value
from s2sad.ir.walk import ops_of, substitute_all, use_counts
from s2sad.optimize.forms import Forms
from s2sad.optimize.memory_effects import Memory, is_proper_array
from s2sad.optimize.rewriting import Uses, drop, is_derivative, is_float, keeps_border, uses_of
from s2sad.rules.application import fits
from s2sad.rules.traits import spelled

UNBROADCAST = "s2sad.runtime.unbroadcast"
SUM = "numpy.sum"
STORES = ("operator.setitem", "s2sad.additem", "s2sad.subitem")


@keeps_border
def run(function: Function, memory: Memory | None = None) -> bool:
    """Write sums plainly."""
    calls = [op for op in ops_of(function.body) if isinstance(op, Call) and op.callee is None]
    sums = [op for op in calls if is_unbroadcast(op) or (is_whole_sum(op) and is_derivative(op))]
    if not sums:
        return False
    found = _Sums(function, calls, memory or Memory(function))
    for op in sums:
        found.call(op)
    substitute_all(function.body, found.table)
    drop(function, found.dead)
    return found.changed


class _Sums:
    def __init__(self, function: Function, calls: list[Call], memory: Memory) -> None:
        self.function, self.memory = function, memory
        self.uses = use_counts(function)
        self.maker = {op.result: op for op in calls if len(op.results) == 1}
        self.double = all(map(is_double, [*function.values, *self.maker]))
        self.dead: set[Op] = set()
        self.table: dict[Value, Value] = {}
        self.changed = False

    def call(self, op: Call) -> None:
        """Rewrite one sum."""
        summed = op.args[0]
        if op.target == UNBROADCAST and (self.has_shape_of(summed, op.args[1]) or self.is_number(op)):
            self.table[op.result] = self.table.get(summed, summed)
            self.dead.add(op)
            self.changed = True
            return
        if op.target == UNBROADCAST and isinstance(op.args[1].kind, Array):
            axes = lost_axes(summed, op.args[1])
            if axes is not None:
                op.target, op.args, op.kwargs = SUM, [summed], axes
                self.changed = True
        elif self.double and dtype_of(summed.kind) == dtype_of(op.result.kind) == "float64" and isinstance(summed.kind, Array):
            if op.target == UNBROADCAST and isinstance(op.args[1].kind, Scalar):  # not for a list, which has a shape
                op.target, op.args = SUM, [summed]
                self.changed = True
            if op.target == SUM and is_derivative(op):
                self.product(op)

    def has_shape_of(self, value: Value, like: Value) -> bool:
        """Test for a sum of adjoints of ``like`` that have been brought to its shape and dtype already, or for an array
        of its dtype that was made, item by item, of arrays of its shape."""
        maker = self.maker.get(value)
        array = isinstance(like.kind, Array)
        if like.kind == UNKNOWN or array and (value.kind == UNKNOWN or dtype_of(like.kind) is None):
            if self.forms.same(value, like):
                return True
        if is_proper_array(value.kind) and is_float(value.kind) and dtype_of(value.kind) == dtype_of(like.kind):
            if self.shapes.fits(value, like):
                return True
        if maker is None:
            return False
        if is_unbroadcast(maker):
            return maker.args[1] is like
        return maker.target == "operator.add" and all(self.has_shape_of(term, like) for term in maker.args)

    def is_number(self, op: Call) -> bool:
        """Test for a number that is due to an array without axes, and is only written into others or copied: it will do."""
        number, like = op.args
        if not (isinstance(number.kind, Scalar) and isinstance(like.kind, Array) and like.kind.shape == ()):
            return False
        readers = self.readers.get(op.result, [None])
        if dtype_of(number.kind) != dtype_of(like.kind) or not is_float(number.kind) or not all(map(_takes_numbers, readers)):
            return False
        for reader in readers:
            if isinstance(reader, Call) and reader.target == spelled("copies"):
                reader.target, reader.args = FILL, [like, number]
        return True

    @cached_property
    def readers(self) -> Uses:
        """What reads each value."""
        return uses_of(self.function)

    @cached_property
    def shapes(self) -> Shapes:
        """The shapes, and which values share them."""
        return Shapes(self.function, self.memory.mutable)

    @cached_property
    def forms(self) -> Forms:
        """The forms, and which values of unknown kind share them."""
        return Forms(self.function, self.memory)

    def product(self, op: Call) -> None:
        """``sum(x * y)`` is ``vdot(x, y)``, computed where the product was."""
        product = self.maker.get(op.args[0])
        if product is None or product.target != "operator.mul" or self.uses[product.result] != 1 or product.result.name:
            return
        x, y = product.args
        arrays = isinstance(x.kind, Array) and isinstance(y.kind, Array) and bool(x.kind.shape)
        if arrays and fits(x.kind, y.kind) and dtype_of(x.kind) == dtype_of(y.kind) == "float64":
            product.target, product.results = "numpy.vdot", op.results
            self.dead.add(op)
            self.changed = True


def _takes_numbers(op: Op | None) -> bool:
    """Test for a store, or a copy."""
    return isinstance(op, Call) and op.target in (*STORES, spelled("copies"))


def is_unbroadcast(op: Call) -> bool:
    """Test for a call that undoes broadcasting."""
    return op.target == UNBROADCAST and len(op.args) == 2


def is_whole_sum(op: Call) -> bool:
    """Test for the sum of all items of an array."""
    return op.target == SUM and len(op.args) == 1 and not op.kwargs


def is_double(value: Value) -> bool:
    """Certainty that arithmetic with a value never has fewer bits than float64."""
    kind = value.kind
    if isinstance(kind, Scalar | Array):
        return kind.dtype is not None and kind.dtype not in ("float16", "float32", "complex64")
    return kind != UNKNOWN


def lost_axes(bar: Value, like: Value) -> dict[str, Value] | None:
    """The arguments of the sum that gives ``bar`` the shape of ``like``: leading axes, or some kept as axes of size 1."""
    have, want = bar.kind, like.kind
    if not (isinstance(have, Array) and isinstance(want, Array) and have.dtype == want.dtype and is_float(have)):
        return None
    if have.shape is None or not want.shape:
        return None
    extra = len(have.shape) - len(want.shape)
    if extra > 0:
        leading = Const(0 if extra == 1 else tuple(range(extra)))
        return {"axis": leading} if fits(Array(have.dtype, have.shape[extra:]), want) else None
    axes = [k for k, (m, n) in enumerate(zip(have.shape, want.shape, strict=True)) if n == 1 and m != 1] if extra == 0 else []
    pairs = enumerate(zip(have.shape, want.shape, strict=False))
    if not axes or not all_equal((m, n) for k, (m, n) in pairs if k not in axes and not (is_many(m) and is_many(n))):
        return None
    return {"axis": Const(axes[0] if len(axes) == 1 else tuple(axes)), "keepdims": Const(True)}
