"""Building programs: a cursor in a block that appends operations and infers the kinds of their results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from s2sad.errors import Location
from s2sad.ir.kinds import (
    Kind,
    Scalar,
    Size,
    form_of,
    minus,
    note_bounds,
    note_call,
    note_form,
    plus,
    product,
    smallest,
    times,
)
from s2sad.ir.nodes import SAME, Block, Call, Const, Function, Op, Value
from s2sad.ir.size_names import Naming
from s2sad.ir.walk import clone_function, substitute_all

Infer = Callable[[Call], Kind]


class _Makers:
    """The calls that have made values, of a block that grows."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.count = 0
        self.last: Op | None = None
        self.calls: dict[Value, Call] = {}

    def hold(self, block: Block) -> bool:
        """Test for the makers of this block, of which nothing that was seen has been taken back."""
        there = self.count <= len(block.ops) and (not self.count or block.ops[self.count - 1] is self.last)
        return block is self.block and there

    def of(self, value: Value) -> Call | None:
        """The call that has made a value."""
        new = self.block.ops[self.count :]
        self.count, self.last = self.count + len(new), new[-1] if new else self.last
        self.calls.update((result, op) for op in new if isinstance(op, Call) for result in op.results)
        return self.calls.get(value)


class Builder:
    """Appends operations to ``block``; ``infer`` gives the kind of a call's result."""

    def __init__(self, block: Block, infer: Infer) -> None:
        self.block = block
        self.infer = infer
        self.loc: Location | None = None
        self.primal: Location | None = None
        self._makers = _Makers(block)

    @contextmanager
    def inside(self, block: Block) -> Iterator[Block]:
        """Build in another block for a while."""
        outer, makers, self.block = self.block, self._makers, block
        try:
            yield block
        finally:
            self.block, self._makers = outer, makers

    def maker(self, value: Value) -> Call | None:
        """The call in this block that has made a value."""
        if not self._makers.hold(self.block):
            self._makers = _Makers(self.block)
        return self._makers.of(value)

    def append(self, op: Op) -> Op:
        """Append an operation at the current source location."""
        op.loc = op.loc or self.loc
        op.primal = op.primal or self.primal
        self.block.ops.append(op)
        return op

    def call(self, target: str, *args: Any, name: Any = None, **kwargs: Any) -> Value:
        """Append a call with one result; plain Python objects among the arguments become constants."""
        op = Call(target=target, args=[value_of(a) for a in args])
        op.kwargs = {key: value_of(v) for key, v in kwargs.items()}
        op.loc = self.loc
        op.results = [Value(self.infer(op), name)]
        if target in NOTED:
            _note(op)
        self.append(op)
        return op.results[0]

    def bound(self, value: Value, name: str) -> Value:
        """Append a further name for a value."""
        op = Call(target=SAME, args=[value], results=[Value(value.kind, name)])
        self.append(op)
        return op.results[0]

    def call_function(
        self, callee: Function, args: list[Value], kinds: list[Kind], params: Sequence[Kind] | None = None
    ) -> list[Value]:
        """Append a call of a user's function, with a result for each leaf that it returns, of these kinds (as it knows them).

        ``params``: by which kinds one that has no parameters yet knows its arguments.
        """
        naming = Naming([p.kind for p in callee.values] if params is None else params, (a.kind for a in args))
        note_call(naming.names)
        return self.call_known(callee, args, [naming.kind(kind) for kind in kinds])

    def call_known(self, callee: Function, args: list[Value], kinds: list[Kind]) -> list[Value]:
        """The same, with results of these kinds as the caller knows them."""
        op = Call(target=callee.name, args=args, callee=callee, results=[Value(kind) for kind in kinds])
        self.append(op)
        return op.results

    def write_out(self, function: Function, args: list[Value]) -> list[Value]:
        """Append a copy of a function's body, for these arguments; what it yields."""
        copy, _, _ = clone_function(function)
        table: dict[Value, Value] = dict(zip((p.value for p in copy.params), args, strict=True))
        naming = Naming((p.kind for p in copy.values), (a.kind for a in args))
        substitute_all(copy.body, table)
        naming.body(copy.body)
        for op in copy.body.ops:
            self.append(op)
        return copy.body.yields

    def unpack(self, value: Value, kinds: list[Kind]) -> list[Value]:
        """Append ``a, b, ... = value``."""
        op = Call(target="s2sad.unpack", args=[value], results=[Value(kind) for kind in kinds])
        self.append(op)
        return op.results


FORMS: dict[str, Callable[..., Size]] = {
    "operator.add": plus, "operator.sub": minus, "operator.mul": lambda a, b: product([a, b]),
    "operator.neg": lambda a: times(a, -1), "builtins.min": lambda *sizes: smallest(sizes),
}  # fmt: skip
NOTED = (*FORMS, "operator.mod")


def _note(op: Call) -> None:
    """Note which sum an integer is, where this is not part of its kind; of a remainder, how much it is at most."""
    kind = op.result.kind
    if not isinstance(kind, Scalar) or kind.size is not None or not kind.is_of("i"):
        return
    found = [*map(counts, op.args)]
    if op.target in FORMS:
        note_form(op.result, FORMS[op.target](*found))
    elif isinstance(found[1], int) and found[1] > 0:
        note_bounds(op.result, 0, found[1] - 1)


def counts(value: Value) -> Size:
    """An integer as a size, or as a sum of integers of the program; None of what is none."""
    if isinstance(value, Const):
        return value.payload if type(value.payload) is int else None
    if not isinstance(value.kind, Scalar) or not value.kind.is_of("i"):
        return None
    return form_of(value) if value.kind.size is None else value.kind.size


def value_of(item: Any) -> Value:
    """A value as it is; anything else as a constant."""
    return item if isinstance(item, Value) else Const(item)
