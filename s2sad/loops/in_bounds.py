"""Places in arrays that surely lie within: what is counted by loops over the array's own sizes.

    for i in range(1, n):               inside(n, x.shape[0])
        for j in range(i):      ==>     for i in range(1, n):
            s += x[j] * x[i - 1]            for j in range(i):
                                                s += x[j] * x[i - 1]

An index is bounded from below by a number, from above by the end of the range of an enclosing loop. If that end is known to be a
size of the array, or if the loop uses the place at each turn, the places are not looked at one by one; that they exist is looked
at once, before that loop.
"""

from __future__ import annotations

from dataclasses import dataclass

from s2sad.ir.builder import Builder
from s2sad.ir.kinds import RANGE, Array, Dim, Scalar, Size
from s2sad.ir.nodes import Block, Call, Const, For, Function, Op, Value
from s2sad.loops.numbers import LOOPS, WORD, Bits

DEPTH = 24


@dataclass(frozen=True)
class Bound:
    """Less than ``end + offset``, as ``loop`` counts; ``end`` is a size, or an end of the loop's own range."""

    loop: For
    end: Value
    offset: int


class InBounds:
    """The bounds of a function's integers, and what the loops of these bounds have to look at first. ``here``: the block whose
    operations ask."""

    def __init__(self, function: Function, bits: Bits) -> None:
        self.bits = bits
        self.around: dict[Value, tuple[For, ...]] = {}
        self.here: Block | None = None
        self.before: dict[For, dict[tuple[Value, int, Value, int], None]] = {}
        for p in function.params:
            self.around[p.value] = ()
        self._visit(function.body, ())

    def _visit(self, block: Block, loops: tuple[For, ...]) -> None:
        self.around.update(dict.fromkeys(block.params, loops))
        for op in block.ops:
            self.around.update(dict.fromkeys(op.results, loops))
            inner = (*loops, op) if isinstance(op, For) else loops
            for nested in op.blocks():
                self._visit(nested, inner)

    def inside(self, index: Value, array: Value, axis: int) -> bool:
        """Test for an index that needs no look: neither negative nor too large."""
        kind, low = array.kind, self.least(index)
        if not isinstance(kind, Array) or kind.shape is None or axis >= len(kind.shape) or low is None or low < 0:
            return False
        bound = self.most(index)
        if bound is None or not self._fits(bound, kind.shape[axis]):
            bound = self._own(index)
        if bound is None or array not in self.around or bound.loop in self.around[array]:
            return False
        self.before.setdefault(bound.loop, {})[array, axis, bound.end, bound.offset] = None
        return True

    @staticmethod
    def _fits(bound: Bound, size: Size) -> bool:
        """Certainty that the end is within a size."""
        end = bound.end.kind.size  # type: ignore[attr-defined]
        return isinstance(end, Dim) and isinstance(size, Dim) and end.key == size.key and end.offset + bound.offset <= size.offset

    def _own(self, index: Value, depth: int = DEPTH) -> Bound | None:
        """The bound of an index by the range of the loop that counts it, if each turn comes to the operation that asks."""
        if depth and (summed := self._sum(index)) is not None:
            bound = self._own(summed[0], depth - 1)
            return None if bound is None else Bound(bound.loop, bound.end, bound.offset + summed[1])
        counted = self._counts(index)
        parts = None if counted is None else self._parts(counted[1])
        if counted is None or parts is None or counted[0].body is not self.here or counted[0].breaks:
            return None
        end, offset = (parts[1], 0) if parts[2] == 1 else (parts[0], 1)
        return Bound(counted[0], end, offset) if self.bits.of(end) < WORD else None

    def look(self, loop: For, b: Builder) -> None:
        """Append what is looked at before a loop: never that an empty one exceeds an array."""
        asked = self.before.get(loop, {})
        for array, axis, end, offset in asked:
            if any((array, axis, end) == other[:3] and offset < other[3] for other in asked):
                continue
            last = b.call("operator.add" if offset > 0 else "operator.sub", end, abs(offset)) if offset else end
            b.call(f"{LOOPS}inside", last, b.call("operator.getitem", b.call("ndarray.shape", array), axis))

    def _counts(self, value: Value) -> tuple[For, Call] | None:
        """The loop that counts by a value, and its range."""
        loop = self.bits.from_.get(value)
        if not isinstance(loop, For) or value is not loop.body.params[0]:
            return None
        items: Op | None = self.bits.from_.get(loop.iterable)
        if isinstance(items, Call) and items.target == "builtins.reversed":
            items = self.bits.from_.get(items.args[0])
        if isinstance(items, Call) and items.target == "builtins.range" and items.results[0].kind == RANGE:
            return loop, items
        return None

    @staticmethod
    def _parts(items: Call) -> tuple[Value, Value, int] | None:
        """Start, stop and step (1 or -1) of a range."""
        start, stop = items.args[:2] if len(items.args) > 1 else (Const(0), items.args[0])
        step = items.args[2] if len(items.args) > 2 else Const(1)
        return (start, stop, step.payload) if isinstance(step, Const) and step.payload in (1, -1) else None

    def _sum(self, value: Value) -> tuple[Value, int] | None:
        """``value`` as another one and a number to be added."""
        op = self.bits.from_.get(value)
        if not isinstance(op, Call) or op.target not in ("operator.add", "operator.sub") or len(op.args) != 2:
            return None
        left, right = op.args
        if isinstance(right, Const) and type(right.payload) is int:
            return left, right.payload if op.target == "operator.add" else -right.payload
        if op.target == "operator.add" and isinstance(left, Const) and type(left.payload) is int:
            return right, left.payload
        return None

    def least(self, value: Value, depth: int = DEPTH) -> int | None:
        """A number that an integer is not smaller than."""
        if isinstance(value, Const):
            return value.payload if type(value.payload) is int else None
        if not isinstance(value.kind, Scalar) or value.kind.dtype != "int64" or not depth:
            return None
        if (counted := self._counts(value)) is not None:
            parts = self._parts(counted[1])
            if parts is None:
                return None
            start, stop, step = parts
            low = self.least(start if step == 1 else stop, depth - 1)
            return None if low is None else low + (step == -1)
        if (summed := self._sum(value)) is not None:
            low = self.least(summed[0], depth - 1)
            return None if low is None else low + summed[1]
        return 0 if self._is_size(value) else None

    def _is_size(self, value: Value) -> bool:
        """Test for the length of something, as it was read."""
        op = self.bits.from_.get(value)
        if not isinstance(op, Call) or not op.args:
            return False
        whole = self.bits.from_.get(op.args[0])
        part = op.target in ("operator.getitem", "s2sad.unpack") and isinstance(whole, Call) and whole.target == "ndarray.shape"
        return part or op.target == "builtins.len"

    def most(self, value: Value, depth: int = DEPTH) -> Bound | None:
        """A bound that an integer which a loop counts stays below."""
        if not depth:
            return None
        if (summed := self._sum(value)) is not None and not isinstance(getattr(value.kind, "size", None), Dim):
            bound = self.most(summed[0], depth - 1)
            return None if bound is None else Bound(bound.loop, bound.end, bound.offset + summed[1])
        counted = self._counts(value)
        parts = None if counted is None else self._parts(counted[1])
        if counted is None or parts is None:
            return None
        loop, (start, stop, step) = counted[0], parts
        end, offset = (stop, 0) if step == 1 else (start, 1)
        if isinstance(end.kind, Scalar) and isinstance(end.kind.size, Dim):
            return Bound(loop, end, offset)
        bound = self.most(end, depth - 1)
        return None if bound is None else Bound(bound.loop, bound.end, bound.offset + offset - 1)
