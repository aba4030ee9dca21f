"""A loop whose index is for nothing but the items of one array runs over these, where the user has named them and not it.

    for i in range(len(xs)):                    for x in xs:
        x = xs[i]                  ==>              ...
        ...

    for i in reversed(range(len(xs))):          for x in reversed(xs):
        ...                        ==>              ...
        x = xs[i]                                   ...

Nothing in the loop writes into the array, so that its items are the same whenever they are taken.
"""

from __future__ import annotations

from functools import cached_property

from s2sad.emit.motion import Motion
from s2sad.ir.kinds import Array
from s2sad.ir.nodes import LITERALS, Block, Call, For, Function, Value
from s2sad.ir.walk import blocks_of, definers, ops_of, use_counts

RANGES = {"builtins.range", "builtins.reversed", "builtins.len"}


def run(function: Function) -> None:
    """Have loops run over items."""
    loops = [op for op in ops_of(function.body) if isinstance(op, For)]
    if loops:
        found = _Items(function)
        for loop in loops:
            found.loop(loop)
        found.drop()


class _Items:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.definer, self.uses = definers(function), use_counts(function)
        self.dead: set[Call] = set()

    @cached_property
    def motion(self) -> Motion:
        return Motion(self.function)

    def loop(self, loop: For) -> None:
        """Let one loop run over items, if it does."""
        backwards = self.made_by(loop.iterable, "builtins.reversed")
        span = self.made_by(backwards.args[0] if backwards else loop.iterable, "builtins.range")
        length = self.made_by(span.args[0], "builtins.len") if span and len(span.args) == 1 else None
        taken = self.taken(loop)
        if length is None or taken is None or taken.args[0] is not length.args[0] or self.is_written(taken.args[0], loop):
            return
        array = taken.args[0]
        self.forget(loop.iterable)
        loop.body.ops.remove(taken)
        loop.body.params[0] = taken.result
        loop.iterable = array
        if backwards is not None:
            turned = Call(target="builtins.reversed", args=[array], results=[Value(array.kind)], loc=loop.loc, primal=loop.primal)
            home = next(block for block in blocks_of(self.function.body) if loop in block.ops)
            self.insert(turned, home, home.ops.index(loop))
            loop.iterable = turned.result

    def made_by(self, value: Value, target: str) -> Call | None:
        """The call of a function that has made a value."""
        op = self.definer.get(value)
        return op if isinstance(op, Call) and op.callee is None and op.target == target else None

    def taken(self, loop: For) -> Call | None:
        """The operation that takes an item of an array, if nothing else reads the loop's index."""
        index = loop.body.params[0]
        if index.name is not None or self.uses.get(index, 0) != 1:
            return None
        reader = next((op for op in loop.body.ops if index in op.operands()), None)
        if not isinstance(reader, Call) or reader.target != "operator.getitem" or reader.args[1] is not index:
            return None
        return reader if isinstance(reader.args[0].kind, Array) and reader.result.name is not None else None

    def is_written(self, array: Value, loop: For) -> bool:
        """Test for stores of a loop into an array."""
        node = self.motion.aliases.node(array).find()
        return any(node is other.find() for op in loop.body.ops for other in self.motion.writes(op))

    # --- edits

    def forget(self, value: Value) -> None:
        """One use less; what made the range of a loop goes with its last."""
        self.uses[value] -= 1
        op = self.definer.get(value)
        if self.uses[value] == 0 and isinstance(op, Call) and op.target in RANGES and value.name is None:
            self.dead.add(op)
            for arg in op.args:
                if not isinstance(arg, LITERALS):
                    self.forget(arg)

    def insert(self, op: Call, block: Block, at: int) -> None:
        """Put an operation in its place; the sweeps stay apart."""
        block.ops.insert(at, op)
        turn = self.function.reverse_at
        if block is self.function.body and turn is not None and at < turn:
            self.function.reverse_at = turn + 1

    def drop(self) -> None:
        """Remove what is dead."""
        body, turn = self.function.body, self.function.reverse_at
        if turn is not None:
            self.function.reverse_at = turn - sum(op in self.dead for op in body.ops[:turn])
        for block in blocks_of(body):
            block.ops = [op for op in block.ops if op not in self.dead]
