"""Arrays that are recorded only for their shapes take no memory: something stands in for them.

Before::

    v1 = operator.getitem(x, i)                     forward sweep
    list.append(v1_tape, v1)
    ...
    v2 = list.pop(v1_tape)                          reverse sweep
    c_bar = s2sad.runtime.unbroadcast(v3, v2)

After::

    v1 = operator.getitem(x, i)
    v4 = s2sad.runtime.stand_in(v1)                 shape and dtype, and one number
    list.append(v1_tape, v4)
    ...

Of what is looked at for a size alone, the size is recorded::

    list.append(v1_tape, v1)                        v4 = ndarray.shape(v1)
    ...                                             v5 = operator.getitem(v4, 0)
    v2 = list.pop(v1_tape)                          list.append(v1_tape, v5)
    v3 = ndarray.shape(v2)                 ==>      ...
    n = operator.getitem(v3, 0)                     n = list.pop(v1_tape)

Of a tape in a function, all that comes off it is looked at so, wherever it is read; ``outline_across_cut`` does the same for
what a callee's forward sweep hands to its reverse sweep.
"""

from __future__ import annotations

from collections.abc import Iterable

from s2sad.analysis.shapes import FILL, shaped_as
from s2sad.analysis.tapes import Tape, tapes_of
from s2sad.ir.kinds import UNKNOWN, Array, Kind, List, Tuple
from s2sad.ir.nodes import LITERALS, Call, Const, Function, Op, Value
from s2sad.ir.walk import blocks_of, ops_of, substitute, substitute_all
from s2sad.optimize.memory_effects import Memory, depends_on_layout
from s2sad.optimize.rewriting import Uses, drop, keeps_border, same_literal, uses_of
from s2sad.rules import registry
from s2sad.rules.traits import having

STAND_IN = "s2sad.runtime.stand_in"
# Where only shape and dtype count. Functions that only look at an argument may ask it more: what memory it shares.
UNBROADCAST = "s2sad.runtime.unbroadcast"


@keeps_border
def run(function: Function, memory: Memory | None = None) -> bool:
    """Push what stands in for arrays whose contents no pop is read for."""
    tapes = {op.result for op in ops_of(function.body) if isinstance(op, Call) and op.target == "builtins.list" and not op.args}
    if not tapes:
        return False
    uses, sized = uses_of(function), False
    for tape in tapes_of(function):
        while not tape.counts and _by_size(function, tape, uses):
            uses, sized = uses_of(function), True
    looks = Looks(memory or Memory(function), uses)
    found = {tape for tape in tapes if _is_for_shapes(tape, uses, looks)}
    for block in blocks_of(function.body) if found else ():
        for at, op in reversed([*enumerate(block.ops)]):
            if isinstance(op, Call) and op.target == "list.append" and op.args[0] in found:
                block.ops.insert(at, stand_in(op.args[1], op))
                op.args[1] = block.ops[at].results[0]
    return bool(found) or sized


def _by_size(function: Function, tape: Tape, uses: Uses) -> bool:
    """Record what all readers compute of an item, if they all compute one size of it."""
    (push, pushed), (pop, popped) = tape.pushes[0], tape.pops[0]
    readers, kind = uses.get(pop.result, []), push.args[1].kind
    first = readers[0] if readers else None
    if not isinstance(first, Call) or not all(op is not None and _is_same(op, first, pop.result, kind) for op in readers):
        return False
    size = Call(target=first.target, args=[push.args[1], *first.args[1:]], loc=push.loc, primal=push.primal)
    size.results = [Value(registry.infer(size))]
    pushed.ops.insert(pushed.ops.index(push), size)
    push.args[1] = size.result
    back = Call(target=pop.target, args=pop.args, results=[Value(size.result.kind, first.result.name)])
    back.loc, back.primal = pop.loc, pop.primal
    popped.ops[popped.ops.index(pop)] = back
    tape.pops[0] = back, popped
    tape.items.result.kind = List(size.result.kind)
    substitute_all(function.body, {op.result: back.result for op in readers if isinstance(op, Call)})
    drop(function, {op for op in readers if op is not None})
    return True


def _is_same(op: Op, first: Call, item: Value, kind: Kind) -> bool:
    """Test for two operations that are the same look at a size of an item of a tape, or at one of several sizes."""
    if not isinstance(op, Call) or op.callee is not None or op.target != first.target or op.kwargs or op.args[0] is not item:
        return False
    literals = all(isinstance(v, Const) and same_literal(v, w) for v, w in zip(op.args[1:], first.args[1:], strict=False))
    if len(op.args) != len(first.args) or not literals:
        return False
    sizes = isinstance(kind, Array) and op.target in having("tells sizes")
    return sizes or isinstance(kind, Tuple) and op.target == "operator.getitem"


def outline_across_cut(whole: Function, memory: Memory) -> bool:
    """Let something stand in for what the reverse sweep of a callee, which is to be cut off, only looks at."""
    assert whole.reverse_at is not None
    border = whole.reverse_at
    made = [p.value for p in whole.params] + [v for op in whole.body.ops[:border] for v in op.results]
    reverse = {op for top in whole.body.ops[border:] for op in _with_nested(top)}
    uses = uses_of(whole)
    looks, changed = Looks(memory, uses), False
    for value in made:
        later = [op for op in uses.get(value, ()) if op is None or op in reverse]
        if value in whole.values and all(isinstance(op, Call) and op.target in having("tells sizes") for op in later):
            continue  # it is there anyway
        if later and all(op is not None for op in later) and _needs_memory(value) and looks.only(value, later):
            op = stand_in(value, None)
            whole.body.ops.insert(whole.reverse_at, op)
            whole.reverse_at += 1
            for reader in later:
                assert reader is not None
                substitute(reader, lambda v, old=value, new=op.result: new if v is old else v)  # type: ignore[misc]
            changed = True
    return changed


def stand_in(value: Value, beside: Op | None) -> Call:
    """The call that makes what stands in for a value."""
    op = Call(target=STAND_IN, args=[value], results=[Value(value.kind, None)])
    if beside is not None:
        op.loc, op.primal = beside.loc, beside.primal
    return op


class Looks:
    """The readings of values that are for shape and dtype alone."""

    def __init__(self, memory: Memory, uses: Uses) -> None:
        self.memory = memory
        self.uses = uses
        layouts = (op for op in ops_of(memory.function.body) if depends_on_layout(op))
        self.laid_out = {node for op in layouts for v in op.operands() for node in memory.reach(v)}

    def only(self, value: Value, readers: Iterable[Op | None]) -> bool:
        """Test that these operations look at the shape and dtype of a value, and at nothing else."""
        return all(op is not None and self._looks(op, value) for op in readers)

    def _looks(self, op: Op, value: Value) -> bool:
        if not isinstance(op, Call) or op.callee is not None or op.kwargs:
            return False
        if op.target in having("tells sizes"):
            return len(op.args) == 1
        if op.target not in (UNBROADCAST, FILL) and op.target not in having("makes zeros"):
            return False
        if [k for k, v in enumerate(op.args) if v is value] != [shaped_as(op.target)]:
            return False
        # an array that is like another one lies in memory as it does
        return op.target == UNBROADCAST or self.laid_out.isdisjoint(self.memory.reach(op.result))


def _is_for_shapes(tape: Value, uses: Uses, looks: Looks) -> bool:
    """Test for a tape that is pushed and popped alone, and whose popped items are looked at alone."""
    pushes: list[Call] = []
    pops: list[Call] = []
    for op in uses.get(tape, ()):
        if not isinstance(op, Call) or op.callee is not None or op.target not in ("list.append", "list.pop"):
            return False
        if op.target == "list.append" and (op.args[1] is tape or not _needs_memory(op.args[1])):
            return False
        (pushes if op.target == "list.append" else pops).append(op)
    read = [op.result for op in pops if uses.get(op.result)]
    return bool(pushes and read) and all(looks.only(value, uses[value]) for value in read)


def _needs_memory(value: Value) -> bool:
    return not isinstance(value, LITERALS) and (isinstance(value.kind, Array) or value.kind == UNKNOWN)


def _with_nested(op: Op) -> Iterable[Op]:
    yield op
    for block in op.blocks():
        yield from ops_of(block)
