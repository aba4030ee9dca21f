"""Stores into arrays of which only the running program knows whether they hold floats.

    m = 1 if coarse else 2.5
    z = np.full(3, m)        # of integers, where coarse
    z[0] = x                 # which keeps no fraction: its derivative there is zero, and not that of x

Such a store is guarded in derivative programs. The name of NumPy's arrays of unknown dtype is all that is looked at: what may be
a list as well keeps what is put into it.
"""

from __future__ import annotations

from s2sad.analysis.activity import Activity
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import Array
from s2sad.ir.nodes import Block, Call, Function, Op
from s2sad.ir.walk import blocks_of
from s2sad.rules import registry


def guard_stores(function: Function, activity: Activity) -> None:
    """Check, before something active is stored into an array of unknown dtype, that it holds no integers."""
    for block in blocks_of(function.body):
        if any(_is_due(op, activity) for op in block.ops):
            _guard(block, activity)


def _is_due(op: Op, activity: Activity) -> bool:
    if not isinstance(op, Call) or op.target != "operator.setitem":
        return False
    kind = op.args[0].kind
    return isinstance(kind, Array) and kind.dtype is None and activity.active(op.args[0]) and activity.active(op.args[2])


def _guard(block: Block, activity: Activity) -> None:
    ops, block.ops = block.ops, []
    checks = Builder(block, registry.infer)
    for op in ops:
        if _is_due(op, activity):
            assert isinstance(op, Call)
            checks.loc = op.loc
            checks.call("s2sad.runtime.assert_keeps_fractions", op.args[0])
        block.ops.append(op)
