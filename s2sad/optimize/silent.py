"""Programs that tell nobody anything: what the function prints, logs and warns of was told by a call of its own.

    print("loss", v)            ==>
    log.info("step %d", k)

A derivative that belongs to a call which has been made runs the function once more, on what was before. The lines of effects
say what tells something.
"""

from __future__ import annotations

from collections.abc import Iterable

from s2sad.ir.nodes import Call, Function, Op
from s2sad.ir.walk import blocks_of, ops_of, use_counts
from s2sad.rules.effects import effects


def silence(functions: Iterable[Function]) -> None:
    """Remove the calls that tell something, and whose results nobody reads."""
    for function in functions:
        used = use_counts(function)
        for block in [*blocks_of(function.body)]:
            block.ops[:] = [op for op in block.ops if not (_tells(op) and used.keys().isdisjoint(op.results))]


def tells(functions: Iterable[Function]) -> bool:
    """Test for functions that print, log or warn."""
    return any(_tells(op) for function in functions for op in ops_of(function.body))


def _tells(op: Op) -> bool:
    return isinstance(op, Call) and op.callee is None and effects(op).tells
