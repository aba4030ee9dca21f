"""Shapes are asked of what the reverse sweep reads anyway: what is only looked at ends with the forward sweep.

Before::

    v1 = operator.sub(y, z)                       forward sweep
    out = numpy.mean(v1)
    ...
    v2 = ndarray.size(v1)                         reverse sweep
    z_bar = operator.mul(v3, z)

After::

    out = numpy.mean(operator.sub(y, z))
    ...
    v2 = ndarray.size(z)
    z_bar = operator.mul(v3, z)

Of what comes off a tape, nothing is recorded then. Equal are shapes that certainly are (``analysis/shapes.py``), or sizes of
kinds that are the same wherever they are met; of what dtypes matter to, these as well.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Hashable, Iterator

from s2sad.analysis.shapes import FILL, Shapes
from s2sad.ir.kinds import Array, dtype_of, is_lasting
from s2sad.ir.nodes import LITERALS, Block, Call, Function, Op, Value
from s2sad.ir.unbound import unbound_values
from s2sad.ir.walk import ops_of
from s2sad.optimize.donors import UNBROADCAST, Looks
from s2sad.optimize.memory_effects import Memory, is_proper_array
from s2sad.optimize.rewriting import uses_of
from s2sad.rules.traits import having

Found = ChainMap[Hashable, Value]
LOOKS = (UNBROADCAST, FILL)


def run(function: Function, memory: Memory | None = None) -> bool:
    """Ask shapes of what is read."""
    if function.reverse_at is None:
        return False
    reverse = [op for top in function.body.ops[function.reverse_at :] for op in ops_of(Block([], [top]))]
    if not any(isinstance(op, Call) and _asks(op) for op in reverse):
        return False
    return _AtHand(function, memory or Memory(function), reverse).run()


def _asks(op: Call) -> bool:
    """Test for a call that may look at nothing but a shape."""
    return op.callee is None and (op.target in LOOKS or op.target in having("tells sizes") or op.target in having("makes zeros"))


class _AtHand:
    """What is read of the reverse sweep, and what is only looked at, by the place of the argument."""

    def __init__(self, function: Function, memory: Memory, reverse: list[Op]) -> None:
        self.function = function
        self.shapes = Shapes(function, memory.mutable)
        self.popped = {op.result for op in self.shapes.recorded}
        self.uses = uses_of(function)
        self.looks = Looks(memory, self.uses)
        self.reverse = set(reverse)
        self.asked: dict[Op, Value] = {}
        for op in reverse:
            if isinstance(op, Call) and (value := self.looked_at(op)) is not None:
                self.asked[op] = value
        read = {v for op in reverse for v in op.operands() if self.asked.get(op) is not v}
        tuples = (op for op in ops_of(function.body) if isinstance(op, Call) and op.target == "builtins.tuple")
        read.update(v for op in tuples if op.result in read for v in op.args)
        self.read = {v for v in read if not isinstance(v, LITERALS) and is_proper_array(v.kind)}
        self.read |= {*self.asked.values()} & {*function.values}  # of which nothing more is kept then
        self.read -= unbound_values(function)
        self.instead: dict[Op, Value] = {}

    def run(self) -> bool:
        """Find all, then replace what is wholly replaced; whether anything is."""
        self.block(self.function.body, ChainMap())
        changed = False
        for op, other in self.instead.items():
            value = self.asked[op]
            assert isinstance(op, Call)
            if all(reader in self.instead for reader in self.uses[value] if reader is None or reader in self.reverse):
                op.args = [other if v is value else v for v in op.args]
                changed = True
        return changed

    def looked_at(self, op: Call) -> Value | None:
        """The array of which a call only looks at the shape, or at shape and dtype."""
        for value in op.args if _asks(op) and not op.kwargs else ():
            if isinstance(value, LITERALS) or not is_proper_array(value.kind):
                continue
            if op.target in having("tells sizes") and len(op.args) == 1 or self.looks.only(value, [op]):
                return value
        return None

    def block(self, block: Block, found: Found) -> None:
        """Walk a block: what it makes is there for what follows, and for the blocks in it."""
        self.note(self.function.values if block is self.function.body else block.params, found)
        for op in block.ops:
            value = self.asked.get(op)
            if value is not None and value not in self.read and self.matters(value):
                keys = self.keys(value, exact=not (isinstance(op, Call) and op.target in having("tells sizes")))
                other = next((found[key] for key in keys if key in found), None)
                if other is not None:
                    self.instead[op] = other
            for inner in op.blocks():
                self.block(inner, found.new_child())
            self.note(op.results, found)

    def matters(self, value: Value) -> bool:
        """Test for a value that ends sooner then: it has no name, or it is recorded."""
        return value.name is None or value in self.popped

    def note(self, values: list[Value], found: Found) -> None:
        """Values that may be asked; those with names sooner."""
        for value in values:
            if value in self.read:
                for exact in (True, False):
                    for key in self.keys(value, exact):
                        if key not in found or found[key].name is None and value.name is not None:
                            found[key] = value

    def keys(self, value: Value, exact: bool) -> Iterator[Hashable]:
        """Equal for arrays of equal shapes, and of equal dtypes if ``exact``."""
        dtype = dtype_of(value.kind) if exact else None
        yield dtype, self.shapes.of(value)
        shape = value.kind.shape if isinstance(value.kind, Array) else None
        if shape and all(size is not None and is_lasting(size) for size in shape):
            yield dtype, shape
