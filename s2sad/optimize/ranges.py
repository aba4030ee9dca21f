"""Ranges are written where they are iterated over, for the reader.

Before::

    v1 = builtins.len(x)
    v2 = builtins.range(v1)
    for i in v2: ...
    v3 = builtins.reversed(v2)
    for j in v3: ...                           j is not used

After::

    v1 = builtins.len(x)
    v2 = builtins.range(v1)
    for i in v2: ...
    v4 = builtins.len(x)
    v5 = builtins.range(v4)
    for j in v5: ...

A range, and the size of an array in it, costs nothing to make again; as a value that two loops share it would have to be
given a name. The order does not matter to a loop that does not look at its items.
"""

from __future__ import annotations

from s2sad.ir.kinds import RANGE, Array, Tuple
from s2sad.ir.nodes import Block, Call, Const, For, Function, Op, Value
from s2sad.ir.walk import blocks_of, use_counts
from s2sad.optimize.memory_effects import Memory
from s2sad.optimize.rewriting import drop, insert, keeps_border
from s2sad.rules.traits import having

SPANS = {"builtins.range", "builtins.reversed"}
ARITHMETIC = {"operator.add", "operator.sub"}


@keeps_border
def run(function: Function, _: Memory | None = None) -> bool:
    """Give each loop its own range."""
    found = _Ranges(function)
    for block in list(blocks_of(function.body)):
        found.block(block)
    insert(function, found.before)
    drop(function, found.dead)
    return found.changed


class _Ranges:
    def __init__(self, function: Function) -> None:
        self.uses = use_counts(function)
        self.maker: dict[Value, Call] = {}
        self.claimed: set[Value] = set()  # ranges that some loop iterates over already
        self.before: dict[Op, list[Op]] = {}
        self.dead: set[Op] = set()
        self.changed = False

    def block(self, block: Block) -> None:
        """Treat the loops of one block."""
        for op in block.ops:
            if isinstance(op, Call) and len(op.results) == 1:
                self.maker[op.result] = op
            elif isinstance(op, For):
                self.loop(op)

    def loop(self, op: For) -> None:
        """Drop a reversal that nobody sees; make a range again that another loop has."""
        source = self.maker.get(op.iterable)
        flipped = source is not None and source.target == "builtins.reversed"
        span = source.args[0] if source is not None and flipped else op.iterable
        if span.kind != RANGE or span not in self.maker:
            return
        again = span in self.claimed and self.maker[span].target == "builtins.range" and span.name is None
        unseen = flipped and op.body.params[0] not in self.uses
        self.claimed.add(span)
        if again:
            span = self.copy(span, op)
        if again and flipped and not unseen:
            span = self.call("builtins.reversed", [span], op, span)
        if again or unseen:
            self.uses[span] = self.uses.get(span, 0) + 1
            self.forget(op.iterable)
            op.iterable = span
            self.changed = True

    def forget(self, value: Value) -> None:
        """One use less; a call that has none left goes."""
        self.uses[value] -= 1
        source = self.maker.get(value)
        if self.uses[value] == 0 and source is not None and (source.target in SPANS or is_size(source)):
            self.dead.add(source)
            for arg in source.args:
                self.forget(arg)

    def copy(self, value: Value, before: Op) -> Value:
        """A value made again before a loop, with what it is made from where that is as cheap."""
        source = self.maker.get(value)
        if source is None or value.name is not None or not (source.target == "builtins.range" or is_size(source)):
            return value
        return self.call(source.target, [self.copy(v, before) for v in source.args], before, value)

    def call(self, target: str, args: list[Value], before: Op, like: Value) -> Value:
        """The result of a new call before an operation."""
        fresh = Call(target=target, args=args, loc=before.loc, primal=before.primal)
        fresh.results = [Value(like.kind)]
        for arg in args:
            self.uses[arg] = self.uses.get(arg, 0) + 1
        self.before.setdefault(before, []).append(fresh)
        return fresh.result


def is_size(op: Call) -> bool:
    """Test for a call that tells a size: ``len(x)``, ``x.shape``, ``x.shape[0]``, or one of these and a literal."""
    if op.target in having("tells sizes"):
        return isinstance(op.args[0].kind, Array)
    if op.target == "operator.getitem":
        return isinstance(op.args[0].kind, Tuple) and isinstance(op.args[1], Const)
    return op.target in ARITHMETIC and any(isinstance(v, Const) for v in op.args)
