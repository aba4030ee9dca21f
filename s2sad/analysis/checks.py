"""Checks: operations of the user's that may raise, and are kept for that alone where nobody reads what they compute.

    last = v[5]                      IndexError, of a vector of three
    np.linalg.cholesky(A)            A has to be positive definite
    v + w                            of one shape

What cannot raise is not marked: sums and products of numbers, what shapes that are known to fit cannot make fail, views.
Functions say so by traits ("cannot fail", "fails by shapes" ...); silence means that they may. Overflow of Python's numbers,
sines of infinity, and what ``np.errstate`` makes raise, do not count. The marks are set before anything is derived, and go
with copies: the forward sweep of a second derivative raises what the function raises, though it needs no value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from s2sad.analysis.alias import Aliases
from s2sad.analysis.views import STORES
from s2sad.analysis.windows import Windows
from s2sad.ir.kinds import (
    Array,
    List,
    Scalar,
    Size,
    Slice,
    StructKind,
    Tuple,
    dtype_of,
    has_length,
    least_of,
    rank_of,
    same_size,
)
from s2sad.ir.nodes import Call, Const, Function, Loop, Straight, Undef, Value
from s2sad.ir.walk import ops_of, raises
from s2sad.rules.effects import effects
from s2sad.rules.kind_rules import index_items, shape_of, subscript
from s2sad.rules.traits import having

Shape = tuple[Size, ...]
SLICE = "builtins.slice"
BOUNDS = ("start", "stop", "step")


def mark_checks(functions: Iterable[Function]) -> None:
    """Mark the operations that may raise, of the primal: those of derivatives in it have been asked before."""
    for function in functions:
        checks = Checks(function)
        for op in ops_of(function.body):
            if isinstance(op, Call) and op.check is None:
                op.check = checks.reads_unbound(op) or op.callee is None and checks.may_raise(op)


def leave_unmarked(functions: Iterable[Function]) -> None:
    """What has been added to derive these functions raises nothing that the primal does not."""
    for op in (op for function in functions for op in ops_of(function.body) if isinstance(op, Call)):
        op.check = bool(op.check)


def unmark(functions: Iterable[Function]) -> None:
    """Have programs compute nothing for what it may raise alone: those that carry index sets, not values, or repeat calls."""
    for op in (op for function in functions for op in ops_of(function.body) if isinstance(op, Call)):
        op.check = False


class Checks:
    """The operations of a function that may raise."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.unbound = _unbound(function)
        self._windows: Windows | None = None

    @property
    def windows(self) -> Windows:
        """The ranges of the function's indices."""
        self._windows = self._windows or Windows(self.function, Aliases(self.function))
        return self._windows

    def reads_unbound(self, op: Call) -> bool:
        """Possibility that a name is read that no path has bound."""
        return not self.unbound.isdisjoint(op.operands())

    def may_raise(self, op: Call) -> bool:
        """Possibility that a call of a library's function raises, overflow apart."""
        target = op.target
        ours = target.startswith("s2sad.") and target.count(".") == 1 and target not in STORES
        if ours or target in having("cannot fail") or effects(op).world:
            return False
        if target.startswith("ndarray.") and op.args and _is_pythons(op.args[0]):
            return True  # Python's numbers have no attributes of arrays
        if target in having("tells sizes"):
            return not has_length(op.args[0].kind)
        if target in having("reads items"):
            return self._may_miss(op)
        if target in having("writes items") or target in STORES:
            new = op.args[0].kind.keyed and target in having("writes items")  # what is added to has to be there
            return not new and (self._may_miss(op) or not _goes_into(op.args[2], op.args[0], op.args[1]))
        if target in having("takes whole numbers") and not all(map(_is_whole, op.operands())):
            return True
        if target in having("orders") and any(isinstance(v.kind, Scalar) and v.kind.is_of("c") for v in op.args):
            return True
        if target in having("divides"):
            return _may_divide_by_zero(op)
        if target in having("raises to powers"):
            return not (_fit(op.args) and _has_power(*op.args[:2]))
        if target in having("fails by shapes"):
            return not _fit(op.args)
        if target in having("multiplies matrices"):
            return not _are_chained(*op.args[:2])
        if target in having("fails along axes"):
            return not _has_axis(op)
        if target in having("takes one item"):
            return isinstance(op.args[0].kind, Array) and op.args[0].kind.rank != 0
        if target in having("takes numbers"):
            return not all(_is_plain(v) and rank_of(v.kind) == 0 for v in op.operands()) or _may_stand_still(op.args)
        return not (target in having("fails by kinds") and all(map(_is_plain, op.operands())))

    def _may_miss(self, op: Call) -> bool:
        """Possibility that there is no item under an index or key."""
        base, index = op.args[:2]
        if isinstance(base.kind, Array):
            parts = self._parts(index)
            return base.kind.shape is None or len(parts) > len(base.kind.shape) or not all(
                self._is_there(part, size, op) for part, size in zip(parts, base.kind.shape, strict=False)
            )  # fmt: skip
        if isinstance(base.kind, StructKind):
            return not (isinstance(index, Const) and index.payload in base.kind.keys)
        if isinstance(base.kind, Tuple):
            keys = base.kind.names or range(-len(base.kind.items), len(base.kind.items))
            return not (isinstance(index, Const) and index.payload in keys)
        return not (isinstance(base.kind, List) and self._is_slice(index))

    def _parts(self, index: Value) -> list[Value]:
        if isinstance(index, Const):
            return [Const(k) for k in index.payload] if isinstance(index.payload, tuple) else [index]
        made = self.windows.definer.get(index) if isinstance(index.kind, Tuple) else None
        return list(made.args) if isinstance(made, Call) else [index]

    def _is_slice(self, part: Value) -> bool:
        """Certainty that a part of an index is a slice from and to whole numbers, whose step is not zero."""
        if isinstance(part, Const):
            return isinstance(part.payload, slice) and _is_proper([part.payload.start, part.payload.stop, part.payload.step])
        made = self.windows.definer.get(part) if isinstance(part.kind, Slice) else None
        if not isinstance(made, Call) or made.target != SLICE or not all(map(_is_bound, made.args)):
            return False
        return len(made.args) < len(BOUNDS) or isinstance(made.args[-1], Const) and made.args[-1].payload != 0

    def _is_there(self, part: Value, size: Size, op: Call) -> bool:
        """Certainty that a part of an index is a slice, or the number of an item."""
        if self._is_slice(part) or isinstance(part, Const) and part.payload is ...:
            return True
        if isinstance(part, Const) and type(part.payload) is int:
            return least_of(size) > (part.payload if part.payload >= 0 else -part.payload - 1)
        return isinstance(part.kind, Scalar) and part.kind.is_of("i") and self.windows.is_inside(part, size, op)


def _is_proper(bounds: list[object]) -> bool:
    """Test for literal bounds and step of a slice that NumPy takes."""
    return all(bound is None or isinstance(bound, int) for bound in bounds) and bounds[-1] != 0


def _is_bound(value: Value) -> bool:
    """Certainty that a slice may begin or end at a value."""
    whole = isinstance(value.kind, Scalar) and (value.kind.is_of("i") or value.kind.is_of("b"))
    return whole or isinstance(value, Const) and value.payload is None


def _unbound(function: Function) -> set[Value]:
    """The values that no path may have bound: of branches and loops, and what these hand on."""
    found: set[Value] = set()
    before = -1
    while before < len(found):
        before = len(found)
        for op in ops_of(function.body):
            if isinstance(op, Straight):
                arms = [arm for arm in op.blocks() if not raises(arm)]
                given = [[arm.yields[k] for arm in arms] for k in range(len(op.results))]
                found.update(v for v, values in zip(op.results, given, strict=True) if _any_unbound(values, found))
            elif isinstance(op, Loop):
                carried = zip(op.results, op.carried, op.init, strict=True)
                found.update(v for result, param, first in carried if _any_unbound([first], found) for v in (result, param))
    return found


def _any_unbound(values: list[Value], found: set[Value]) -> bool:
    return any(isinstance(v, Undef) or v in found for v in values)


def _is_plain(value: Value) -> bool:
    """Test for a number, an array of numbers, or a slice of them."""
    kind = value.kind
    if isinstance(value, Const) and isinstance(value.payload, str):
        return False
    return isinstance(kind, Scalar | Slice) or isinstance(kind, Array) and kind.dtype is not None


def _is_whole(value: Value) -> bool:
    """Test for a whole number or truth value, or an array of such."""
    return (dtype_of(value.kind) or "?").startswith(("int", "uint", "bool"))


def _may_stand_still(args: Sequence[Value]) -> bool:
    """Possibility of a range whose step is zero."""
    return len(args) == 3 and not (isinstance(args[2], Const) and args[2].payload)


def _fit(values: list[Value]) -> bool:
    """Certainty that numbers and arrays have shapes that fit: each axis the same, or one item long."""
    if not all(isinstance(v.kind, Scalar | Array) and _is_plain(v) for v in values):
        return False
    arrays = list(dict.fromkeys(v for v in values if isinstance(v.kind, Array)))
    known = [shape for v in arrays if (shape := shape_of(v.kind)) is not None]
    if len(arrays) < 2:
        return True
    longest = max(map(len, known), default=0)
    padded = [(1,) * (longest - len(shape)) + shape for shape in known]
    return len(known) == len(arrays) and all(_alike([s for s in axis if s != 1]) for axis in zip(*padded, strict=True))


def _alike(sizes: list[Size]) -> bool:
    return all(same_size(sizes[0], size) for size in sizes[1:])


def _goes_into(value: Value, base: Value, index: Value) -> bool:
    """Certainty that a value can be stored there: of the shape of the window, or stretched."""
    window = subscript(base.kind, index_items(index.kind))
    real = not (dtype_of(value.kind) or "complex").startswith("complex") or dtype_of(base.kind) == dtype_of(value.kind)
    if not (isinstance(base.kind, Array) and _is_plain(value) and real):
        return isinstance(base.kind, List)
    there, given = shape_of(window), shape_of(value.kind)
    if there is None or given is None or len(given) > len(there):
        return given == ()
    return all(same_size(a, b) or b == 1 for a, b in zip(there[len(there) - len(given) :], given, strict=True))


def _is_pythons(value: Value) -> bool:
    """Possibility of a number of Python's own, which does not divide by zero."""
    return isinstance(value.kind, Scalar) and (value.kind.types is None or any(weak for _, weak in value.kind.types))


def _may_divide_by_zero(op: Call) -> bool:
    divisor = op.args[1]
    known = isinstance(divisor, Const) and bool(divisor.payload)
    return not _fit(op.args) or not known and all(map(_is_pythons, op.args))


def _has_power(base: Value, exponent: Value) -> bool:
    """Certainty that there is a power: no negative one of zero, or of whole numbers."""
    positive = isinstance(exponent, Const) and isinstance(exponent.payload, int | float) and exponent.payload >= 0
    known = isinstance(base, Const) and isinstance(base.payload, int | float) and base.payload > 0
    floats = (dtype_of(base.kind) or "").startswith(("float", "complex"))
    return positive or known or floats and not all(map(_is_pythons, (base, exponent)))


def _are_chained(a: Value, b: Value) -> bool:
    """Certainty that two matrices or vectors can be multiplied."""
    first, second = shape_of(a.kind), shape_of(b.kind)
    if not first or not second or not (_is_plain(a) and _is_plain(b)) or max(len(first), len(second)) > 2:
        return False
    return a is b and len(first) == 1 or same_size(first[-1], second[-2 if len(second) == 2 else 0])


def _has_axis(op: Call) -> bool:
    """Certainty that an array has the axis that a reduction goes along."""
    if len(op.operands()) > 2 or not _is_plain(op.args[0]):
        return False
    axis = op.args[1] if len(op.args) == 2 else op.kwargs.get("axis")
    rank = rank_of(op.args[0].kind)
    if len(op.operands()) == 1 or isinstance(axis, Const) and axis.payload is None:
        return True
    return isinstance(axis, Const) and type(axis.payload) is int and rank is not None and -rank <= axis.payload < rank
