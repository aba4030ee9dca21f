"""Buffers that the reverse parts of recursive functions get, and that none of them reads, are not handed over.

Before::

    def scan_reverse(tape, a_bar, a):
        v1, rest = tape
        scan_reverse(rest, a_bar[1:], a[1:])

After::

    def scan_reverse(tape, a_bar):
        v1, rest = tape
        scan_reverse(rest, a_bar[1:])
"""

from __future__ import annotations

from collections.abc import Iterable

from s2sad.analysis.views import view_base
from s2sad.ir.nodes import Call, Function, Path
from s2sad.ir.walk import blocks_of, ops_of
from s2sad.optimize import dead_code
from s2sad.optimize.memory_effects import Memory

Place = tuple[Function, int]


def run(functions: Iterable[Function]) -> None:
    """Drop them from all functions of a program."""
    functions = list(functions)
    places = {(f, k) for f in functions for k in range(len(f.params) - f.handed, len(f.params))}
    while read := {place for place in places if _is_read(*place, places)}:
        places -= read
    if not places:
        return
    for function in functions:
        calls = [op for op in ops_of(function.body) if isinstance(op, Call) and op.callee is not None]
        changed = [op for op in calls if any(f is op.callee for f, _ in places)]
        for op in changed:
            assert op.callee is not None
            op.args = [a for k, a in enumerate(op.args) if (op.callee, k) not in places]
        if changed:
            dead_code.run(function, Memory(function))
    for function in {f for f, _ in places}:
        function.params = [p for k, p in enumerate(function.params) if (function, k) not in places]
        function.handed, function.sharing = 0, _shared(function, {k for f, k in places if f is function})


def _is_read(function: Function, position: int, places: set[Place]) -> bool:
    """Test for a parameter that is read, or a window of it, other than to be handed over to who does not read it."""
    names = {function.params[position].value}
    for op in ops_of(function.body):
        if names.isdisjoint(op.operands()):
            continue
        if not isinstance(op, Call):
            return True
        if op.callee is not None:
            if any(a in names and (op.callee, k) not in places for k, a in enumerate(op.args)):
                return True
        elif view_base(op) in names and len(names.intersection(op.operands())) == 1:
            names.update(op.results)
        else:
            return True
    return any(not names.isdisjoint(block.yields) for block in blocks_of(function.body))


def _shared(function: Function, gone: set[int]) -> tuple[tuple[Path, ...], ...]:
    """The groups that share memory, without the parameters that are gone."""
    moved = {k: k - sum(other < k for other in gone) for k in range(len(function.params) + len(gone)) if k not in gone}
    groups = (tuple((moved[first], *rest) for first, *rest in group if first in moved) for group in function.sharing)
    return tuple(group for group in groups if len(group) > 1)
