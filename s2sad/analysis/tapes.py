"""The tapes of an adjoint program: lists that are pushed in one place of the forward sweep and popped in one of the reverse."""

from __future__ import annotations

from dataclasses import dataclass, field

from s2sad.ir.kinds import List
from s2sad.ir.nodes import Block, Call, Function, Loop, Value
from s2sad.ir.walk import blocks_of, ops_of


@dataclass(eq=False, slots=True)
class Tape:
    """A list that nothing but one push, one pop and the tests of loops (``counts``: these blocks yield it) mentions."""

    items: Call
    pushes: list[tuple[Call, Block]] = field(default_factory=list)
    pops: list[tuple[Call, Block]] = field(default_factory=list)
    counts: list[Block] = field(default_factory=list)

    @property
    def push(self) -> Call:
        """The operation that records."""
        return self.pushes[0][0]

    @property
    def pop(self) -> Call:
        """The operation that gives back what was recorded."""
        return self.pops[0][0]

    @property
    def recorded(self) -> Value:
        """The recorded value."""
        return self.push.args[1]

    @property
    def places(self) -> tuple[Block, Block]:
        """The blocks of push and pop."""
        return self.pushes[0][1], self.pops[0][1]


def tapes_of(function: Function) -> list[Tape]:
    """The tapes, in the order in which they are made, that push and pop once, in the sweeps of this function."""
    made = (op for op in function.body.ops if isinstance(op, Call) and op.target == "builtins.list" and not op.args)
    found = {op.result: Tape(op) for op in made if isinstance(op.result.kind, List)}
    others: set[Value] = set()
    if not found:
        return []
    tests = {block for op in ops_of(function.body) if isinstance(op, Loop) for block in op.tests}
    for block in blocks_of(function.body):
        for op in block.ops:
            call = op if isinstance(op, Call) and op.args and op.callee is None else None
            tape = found.get(call.args[0]) if call is not None else None
            if call is not None and tape is not None and call.target == "list.append" and not call.kwargs:
                tape.pushes.append((call, block))
                others |= {v for v in call.args[1:] if v in found}
            elif call is not None and tape is not None and call.target == "list.pop" and len(call.args) == 1:
                tape.pops.append((call, block))
            else:
                others.update(op.operands())
        if block in tests:
            for value in block.yields:
                if value in found:
                    found[value].counts.append(block)
        else:
            others.update(block.yields)
    return [t for v, t in found.items() if v not in others and len(t.pushes) == 1 and len(t.pops) == 1]
