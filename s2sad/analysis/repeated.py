"""Calls that are better computed again in the reverse sweep than recorded, without being asked to be.

    def growth(x, a):                     numbers, with few operations: their adjoints read the arguments alone, or almost
        return a * x * (1.0 - x)

    def attraction(q):                    n points, and arrays of n * n items to record at each call
        apart = q[None, :] - q[:, None]
        return np.sum(apart / (apart**2 + 1.0), axis=1)

A tape of such a call holds its arguments, or far more memory than they take.
"""

from __future__ import annotations

from s2sad.analysis.alias import is_droppable
from s2sad.analysis.views import is_window
from s2sad.ir.kinds import Array, Scalar
from s2sad.ir.nodes import LITERALS, Call, Function, Value
from s2sad.rules import registry
from s2sad.rules.language import Elementwise
from s2sad.rules.traits import having

MOST_NUMBERS = 16  # operations on numbers
MOST_ARRAYS = 32  # operations on arrays


def repeated(callee: Function) -> bool:
    """Choice to compute calls of a function again in the reverse sweep: as the user asks, or as it pays."""
    return callee.checkpointed or pays(callee)


def pays(callee: Function) -> bool:
    """Test for a call that costs no more to compute again than to record, or far less memory."""
    ops = callee.body.ops
    if len(ops) > MOST_ARRAYS or not all(isinstance(op, Call) and _is_light(op) for op in ops):
        return False
    params = callee.values
    made = [value for op in ops for value in op.results]
    if all(isinstance(value.kind, Scalar) for value in (*params, *made)):
        return len(ops) <= MOST_NUMBERS and all(isinstance(op, Call) and _is_cheap(op) for op in ops)
    given = [_rank(value) for value in params]
    grown = max((_rank(op.result) or 0 for op in ops if isinstance(op, Call) and not is_window(op)), default=0)
    return all(rank is not None and rank < grown for rank in given) and all(_rank(value) is not None for value in made)


def _is_light(op: Call) -> bool:
    """Test for a call that makes one value, does nothing else, and takes no longer than to look at its arguments."""
    if op.callee is not None or len(op.results) != 1 or not is_droppable(op):
        return False
    primitive = registry.lookup(op.target)
    elementwise = primitive is not None and isinstance(primitive.derivative, Elementwise)
    return elementwise or is_window(op) or _is_cheap(op) or op.target in having("sums")


def _is_cheap(op: Call) -> bool:
    primitive = registry.lookup(op.target)
    return primitive is not None and primitive.cheap


def _rank(value: Value) -> int | None:
    """The number of axes, None where that is not known."""
    if isinstance(value, LITERALS) or isinstance(value.kind, Scalar):
        return 0
    return value.kind.rank if isinstance(value.kind, Array) else None
