"""Where regions bind names that some path through them leaves unbound."""

from __future__ import annotations

from collections.abc import Iterable

from s2sad.ir.nodes import Block, Const, Function, Loop, Op, Straight, Undef, Value
from s2sad.ir.walk import ops_of


def is_absent(value: Value) -> bool:
    """Test for a value that stands for one that is not there."""
    return isinstance(value, Undef) or (isinstance(value, Const) and value.payload is None)


def sources(op: Op) -> Iterable[tuple[Value, list[Value], Block | None, int]]:
    """For each value that a region binds: the value, what it may come from, and where an unbound one would stand."""
    if isinstance(op, Straight):
        for block in op.blocks():
            for k, result in enumerate(op.results):
                yield result, [block.yields[k]], block, k
    elif isinstance(op, Loop):
        shift = 1 if op.breaks else 0
        for k, (result, param) in enumerate(zip(op.results, op.carried, strict=True)):
            yield result, [op.init[k], param], None, k
            yield param, [op.init[k]], None, k
            yield param, [op.body.yields[k + shift]], op.body, k + shift


def unbound_values(function: Function, others: Iterable[Value] = ()) -> set[Value]:
    """The values that some path leaves unbound, or binds to one of the others."""
    regions = [op for op in ops_of(function.body) if op.blocks()]
    found = set(others)
    count = -1
    while count != len(found):
        count = len(found)
        for op in regions:
            for value, origins, _, _ in sources(op):
                if any(is_absent(v) or v in found for v in origins):
                    found.add(value)
    return found


def bind_to_none(block: Block, wanted: set[Value]) -> None:
    """Bind these values to None on the paths that leave them unbound."""
    regions = [op for op in ops_of(block) if op.blocks()]
    count = -1
    while count != len(wanted):
        count = len(wanted)
        for op in regions:
            for value, origins, _, _ in sources(op):
                if value in wanted:
                    wanted.update(v for v in origins if not isinstance(v, Const | Undef))
    for op in regions:
        for value, _, place, k in sources(op):
            if value not in wanted:
                continue
            if place is not None and isinstance(place.yields[k], Undef):
                place.yields[k] = Const(None)
            elif place is None and isinstance(op, Loop) and isinstance(op.init[k], Undef):
                op.init[k] = Const(None)
