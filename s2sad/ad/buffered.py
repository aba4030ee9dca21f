"""Numbers in the place of arrays that are written get buffers for their adjoints, as the arrays have.

    a = s if c else y         ==>         a = buffered(s) if c else y
    a_bar = ...                           a_bar = buffer_for(a) if c else y_bar

The adjoint of ``a`` is collected in whatever ``a_bar`` refers to; that of ``buffered(s)`` is the buffer, and goes to ``s`` from
there, where the number came into this place: the adjoint of ``s`` itself is a value, and can be in many such places.
"""

from __future__ import annotations

from collections.abc import Iterator

from s2sad.analysis.alias import Aliases
from s2sad.analysis.items import puts
from s2sad.ir.kinds import UNKNOWN, List, is_number
from s2sad.ir.nodes import Block, Call, Function, Loop, Op, Straight, Value
from s2sad.ir.walk import blocks_of

BUFFERED = "s2sad.runtime.buffered"


def buffer_numbers(function: Function, aliases: Aliases) -> bool:
    """Mark the numbers that come into the places of written arrays, in place; whether there were any."""
    found = False
    for block in [*blocks_of(function.body)]:
        ops: list[Op] = []
        for op in block.ops:
            for where, values, k in _places(op, block, aliases):
                if is_number(values[k].kind):
                    call = Call(target=BUFFERED, args=[values[k]], results=[Value(UNKNOWN)], loc=op.loc, primal=op.loc)
                    (ops if where is block else where.ops).append(call)
                    values[k] = call.result
                    found = True
            ops.append(op)
        block.ops = ops
    return found


def _places(op: Op, block: Block, aliases: Aliases) -> Iterator[tuple[Block, list[Value], int]]:
    """The places of values that an operation puts where an array may stand that is written, as a list and an index, with the
    block at whose end they come there, or in which the operation stands."""
    for items, item in puts(op):
        assert isinstance(op, Call)
        if isinstance(items.kind, List) and items.kind.item == UNKNOWN and aliases.holds_written(items):
            yield from ((block, op.args, k) for k, value in enumerate(op.args) if value is item)
    written = [k for k, r in enumerate(op.results) if r.kind == UNKNOWN and aliases.mutable(r)]
    for k in written:
        if isinstance(op, Straight):
            yield from ((inner, inner.yields, k) for inner in op.blocks())
        elif isinstance(op, Loop):
            yield block, op.init, k
            yield op.body, op.body.yields, len(op.body.yields) - len(op.results) + k
