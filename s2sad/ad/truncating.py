"""Values that keep no fractions where only the running program knows it: integers for what varies, stores into such arrays.

    def f(x, n):
        b = np.zeros_like(n)     # of integers, where n holds integers
        b[0] = x / 2             # which keeps no fraction: its derivative there is zero, and not that of x / 2

Derivatives are of real and complex numbers, as are the formulas of rules: ``np.full_like(x, g)`` is an adjoint only where ``x``
holds no integers. So arrays of unknown dtype by which a function is differentiated are looked at on entry; after that what
varies is an integer only where it is stored into, or made one of, other integers, and this is looked at where it happens. Single
integers of Python's pass until an array is made of them, which is looked at, too.
What may be a list as well keeps what is put into it, and passes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from s2sad.analysis.activity import Activity
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import INT, UNKNOWN, Array, Kind
from s2sad.ir.nodes import Block, Call, Const, Function, Global, Loop, Op, Value
from s2sad.rules import registry
from s2sad.rules.effects import effects
from s2sad.rules.language import Primitive

KEEPS = "s2sad.runtime.assert_keeps_fractions"


def check_given(body: Block, values: Sequence[Value]) -> None:
    """Check on entry that none of these, what varies and directions, are or hold arrays of integers, nor, where nothing is known
    of them, lists or tuples: rules compute with tangents, and with what they are of, as with arrays."""
    guard = Block()
    told = [v for v in values if _may_hold_integers(v.kind)]
    for check, found in (
        ("s2sad.runtime.assert_floats", [v for v in told if v.kind == UNKNOWN]),
        ("s2sad.runtime.assert_no_integers", [v for v in told if v.kind != UNKNOWN]),
    ):
        if found:
            Builder(guard, registry.infer).call(check, ", ".join(v.name or "_" for v in found), *found)
    body.ops[:0] = guard.ops


def guard_stores(function: Function, activity: Activity) -> None:
    """Check, before something active is stored into an array of unknown dtype, and after something active was made an array of
    unknown dtype, that it holds no integers."""
    _Guards(activity).block(function.body, None, set())


class _Guards:
    """The guards of one function: an array is looked at before the first store of a block, and outside of loops that do not
    make it."""

    def __init__(self, activity: Activity) -> None:
        self.activity = activity

    def block(self, block: Block, born: set[Value] | None, seen: set[Value]) -> list[tuple[Value, Op]]:
        """Guard a block. ``born``: what the innermost loop has made by then, None outside of loops; ``seen``: what was looked
        at. Returns what is to be looked at before that loop, with the stores into it."""
        ops, block.ops = block.ops, []
        checks = Builder(block, registry.infer)
        before: list[tuple[Value, Op]] = []
        if born is not None:
            born.update(block.params)
        for op in ops:
            for value, store in self.due(op, born, seen):
                if born is not None and value not in born:
                    before.append((value, store))
                elif value not in seen:
                    seen.add(value)
                    checks.loc = store.loc
                    checks.call(KEEPS, value)
            block.ops.append(op)
            if born is not None:
                born.update(op.results)
            if isinstance(op, Call) and self.is_cast(op):
                seen.add(op.result)
                checks.loc = op.loc
                checks.call(KEEPS, op.result)
        return before

    def due(self, op: Op, born: set[Value] | None, seen: set[Value]) -> list[tuple[Value, Op]]:
        """The arrays that are to be looked at before an operation, with the stores into them; those inside of it are guarded."""
        if isinstance(op, Call):
            return [(v, op) for v in self.written(op)]
        loop = isinstance(op, Loop)
        return [found for inner in op.blocks() for found in self.block(inner, set() if loop else born, set(seen))]

    def written(self, op: Call) -> list[Value]:
        """The arrays of unknown dtype that something active is put into."""
        if op.callee is not None:
            return []
        active = self.activity.active
        written = [v for v in effects(op).writes if may_be_untyped(v) and active(v)]
        given = [v for v in op.operands() if active(v)]
        return [v for v in written if any(other is not v for other in given) or given.count(v) > 1]

    def is_cast(self, op: Call) -> bool:
        """Test for something active that is given a dtype that the program does not tell: ``np.asarray(x, dtype=a.dtype)``; or
        that of a number which may be an integer of Python's: ``np.asarray(x)``."""
        if op.callee is not None or len(op.results) != 1 or not may_be_untyped(op.result) or not self.activity.active(op.result):
            return False
        primitive = registry.lookup(op.target)
        if primitive is None or not any(self.activity.active(v) for v in op.operands()):
            return False
        casts = effects(op).casts
        if casts:
            return any(self.activity.active(v) for v in casts)
        bound = primitive.bind(op.args, op.kwargs)
        dtype = bound.get("dtype")
        if dtype is not None and not isinstance(dtype, Const | Global):
            return True
        return isinstance(op.result.kind, Array) and _of_integers(primitive, bound)


def _of_integers(primitive: Primitive, bound: Mapping[str, Value]) -> bool:
    """Test for an array of integers that is made where what is of unknown kind is an integer of Python's: ``np.asarray(x)``."""
    whole = {param: v if isinstance(v, Const | Global) else Value(_whole(v.kind)) for param, v in bound.items()}
    made = primitive.kind(whole)
    return isinstance(made, Array) and made.dtype is not None and made.dtype.startswith(("int", "uint"))


def _whole(kind: Kind) -> Kind:
    return INT if kind == UNKNOWN else kind.mapped(_whole)


def may_be_untyped(value: Value) -> bool:
    """Test for an array or number of which only the running program knows the dtype."""
    return _is_untyped(value.kind)


def _is_untyped(kind: Kind) -> bool:
    return kind == UNKNOWN or isinstance(kind, Array) and kind.dtype is None


def _may_hold_integers(kind: Kind) -> bool:
    """Possibility that what is of a kind is, or holds, an array of which it is not known if it holds integers."""
    return _is_untyped(kind) or any(map(_may_hold_integers, kind.inner))
