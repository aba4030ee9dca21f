"""Values that may hold an infinity that the program puts there: ``r[r == 0] = np.inf``, ``best = math.inf``.

What stands at such a place does not vary: its tangent is exactly zero, and so is what its adjoint hands on, while slopes there
(``3 * r**2``) are infinite. Rules make strong zeros of these (``rules.singular``); nothing else is asked of this analysis, so
that what it overlooks (an infinity that an argument brings along) is NaN, and never a wrong number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

from s2sad.analysis.activity import Activity, flows
from s2sad.analysis.alias import Aliases
from s2sad.ir.nodes import Call, Const, Function, Global, Op, Value
from s2sad.ir.walk import ops_of
from s2sad.rules.effects import effects


def has_infinities(functions: Iterable[Function]) -> bool:
    """Presence of an infinity that some function puts somewhere."""
    return any(True for function in functions for op in ops_of(function.body) for _ in _places(op))


def endless(function: Function, aliases: Aliases, main: bool, among: bool) -> Callable[[Value], bool]:
    """The question whether a value may hold an infinity.

    ``among``: some function of the program puts one somewhere, and those that are called (not ``main``) may be given it, and
    hand it on.
    """
    if not among:
        return lambda value: False
    calls = [op for op in ops_of(function.body) if isinstance(op, Call) and op.callee is not None]
    seeds = [*(place for op in ops_of(function.body) for place in _places(op)), *(r for op in calls for r in op.results)]
    reached = Activity(function, aliases, [*seeds, *(() if main else function.values)], ())
    return reached.is_varied


def _places(op: Op) -> Iterator[Value]:
    """Where an operation puts an infinity: its results, and what it writes into."""
    yield from (target for source, target in flows(op) if _is_infinite(source))
    if isinstance(op, Call) and op.callee is None and any(map(_is_infinite, op.operands())):
        yield from effects(op).writes


def _is_infinite(value: Value) -> bool:
    payload = value.payload if isinstance(value, Const | Global) else None
    return isinstance(payload, float) and math.isinf(payload)
