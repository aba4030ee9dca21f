"""Sizes of arrays that are equal since a program has computed with them.

    v1 = operator.matmul(F, P)          F: [a, b], P: [c, d]; b is c
    v2 = operator.add(v1, Q)            Q: [e, f]; a is e and d is f, none of which is 1

A program that had others would have raised an error, if it had come there: this may be asked of what a program costs, not of
what it gives.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Any

from s2sad.ir.kinds import Array, is_many
from s2sad.ir.nodes import Call, Function, Op, Value
from s2sad.ir.walk import ops_of

ELEMENTWISE = ("operator.add", "operator.sub", "operator.mul", "operator.truediv")
MATMUL = "operator.matmul"


class SizesMet:
    """The sizes of a function's arrays, by one representative for all that are equal."""

    def __init__(self, function: Function) -> None:
        self.same: dict[Hashable, Hashable] = {}
        for op in ops_of(function.body):
            if isinstance(op, Call) and op.callee is None and len(op.args) == 2:
                self._meet(op.target, *map(_shape, op.args))

    def of_product(self, op: Op) -> Hashable:
        """The three sizes whose product is the work of a product of matrices; None: it is none, or they are not known."""
        if not isinstance(op, Call) or op.target != MATMUL or op.callee is not None:
            return None
        x, y = map(_shape, op.args)
        if len(x) != 2 or len(y) != 2 or None in (*x, y[1]):
            return None
        return frozenset(Counter(map(self._find, (*x, y[1]))).items())

    def _meet(self, target: str, x: tuple[Any, ...], y: tuple[Any, ...]) -> None:
        if target == MATMUL and x and y:
            self._join(x[-1], y[-2:][0])
        if target in ELEMENTWISE:
            for m, n in zip(reversed(x), reversed(y), strict=False):
                if is_many(m) and is_many(n):
                    self._join(m, n)

    def _join(self, m: Hashable, n: Hashable) -> None:
        m, n = self._find(m), self._find(n)
        if None not in (m, n) and m != n:
            self.same[m] = n

    def _find(self, size: Hashable) -> Hashable:
        while size in self.same:
            size = self.same[size]
        return size


def _shape(value: Value) -> tuple[Any, ...]:
    return value.kind.shape or () if isinstance(value.kind, Array) else ()
