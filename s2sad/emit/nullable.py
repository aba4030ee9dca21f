"""Arrays that the text does not show to be arrays: on some path there is None in their place, or where they come from.

    v_bar = w_bar.pop(0, None)
    v_bar[...] += 2.0 * v          `v_bar += ...` would leave open whether a number gets another value
"""

from __future__ import annotations

from collections.abc import Iterator

from s2sad.ir.nodes import Call, Const, Function, Loop, Op, Straight, Value
from s2sad.ir.walk import ops_of
from s2sad.rules.effects import effects

BUFFER = "s2sad.runtime.buffer_for"  # whose kind is that of what it is made for: a number, an array, or nothing yet


def nullable_values(function: Function) -> set[Value]:
    """The values in whose place None may be, for all that the text says, and what is taken from where such values are put."""
    passed = [pair for op in ops_of(function.body) for pair in _passed(op)]
    found: set[Value] = {source for source, _ in passed if isinstance(source, Const) and source.payload is None}
    found |= {op.result for op in ops_of(function.body) if isinstance(op, Call) and op.target == BUFFER}
    count = 0
    while count < len(found):
        count = len(found)
        found.update(target for source, target in passed if source in found)
    return found


def _passed(op: Op) -> Iterator[tuple[Value, Value]]:
    """The values that an operation hands on, each with its target."""
    if isinstance(op, Straight):
        for block in op.blocks():
            yield from zip(block.yields, op.results, strict=True)
    elif isinstance(op, Loop):
        yield from zip(op.init, op.carried, strict=True)
        yield from zip(op.carried_yields, op.carried, strict=True)
        yield from zip(op.init, op.results, strict=True)
        yield from zip(op.carried_yields, op.results, strict=True)
    elif isinstance(op, Call) and op.callee is None:
        does = effects(op)
        yield from ((share.value, result) for share in does.shares for result in op.results)
        yield from does.puts
