"""Lower bounds of numbers, by how they were computed: what is at least so much has a square root whose slope is finite.

    v1 = operator.mul(d, d)            at least 0
    v2 = operator.add(1.0, v1)         at least 1
    v3 = numpy.sqrt(v2)                at least 1

Some are also never larger than 1, nor less than -1, which bounds what they scale.

NaN is no number: what is said here of a value holds where it is none.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from s2sad.ir.kinds import dtype_of
from s2sad.ir.nodes import Call, Const, Value
from s2sad.rules.traits import having

UNBOUNDED = -math.inf
DEPTH = 8  # of the expressions that are looked into


def least(value: Value, made: Callable[[Value], Call | None], depth: int = DEPTH) -> float:
    """A number that a real value, or each item of an array, is never below; ``made`` tells the call that gave a value."""
    if isinstance(value, Const):
        return float(value.payload) if type(value.payload) in (int, float) else UNBOUNDED
    op = made(value)
    if op is None or depth == 0 or (dtype_of(value.kind) or "complex")[:5] not in ("float", "int64"):
        return UNBOUNDED

    def of(k: int) -> float:
        return least(op.args[k], made, depth - 1)

    if op.target == "operator.add":
        return of(0) + of(1)
    if op.target == "operator.mul":
        factors = [0.0, 0.0] if op.args[0] is op.args[1] else [of(0), of(1)]
        return factors[0] * factors[1] if min(factors) >= 0 else UNBOUNDED
    if op.target == "operator.pow":
        exponent = op.args[1]
        known = isinstance(exponent, Const) and type(exponent.payload) is int
        return 0.0 if known and exponent.payload > 0 and exponent.payload % 2 == 0 else UNBOUNDED  # type: ignore[attr-defined]
    if op.target in having("square root"):
        return math.sqrt(max(of(0), 0.0))
    if op.target in having("not negative"):
        return 0.0
    return 0.0 if op.target in having("sums") and of(0) >= 0 else UNBOUNDED


def is_within_one(value: Value, made: Callable[[Value], Call | None], depth: int = DEPTH) -> bool:
    """Certainty that a real value, or each item of an array, lies between -1 and 1."""
    if isinstance(value, Const):
        return type(value.payload) in (int, float) and abs(value.payload) <= 1
    op = made(value)
    if op is None or depth == 0 or (dtype_of(value.kind) or "complex")[:5] != "float":
        return False
    if op.target in having("multiplies"):
        return all(is_within_one(v, made, depth - 1) for v in op.args[:2])
    if op.target == "operator.truediv":
        return least(op.args[1], made) >= 1 and is_within_one(op.args[0], made, depth - 1)
    return op.target in having("within one") or op.target in having("moves") and is_within_one(op.args[0], made, depth - 1)
