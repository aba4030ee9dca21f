"""First stores: what is added to items of an array that are zero since it was made, is assigned to them.

Before (n is the size of an axis)::

    z_bar = numpy.zeros_like(z)
    s2sad.additem(z_bar, :n, v1)
    s2sad.additem(z_bar, n:2*n, v2)
    s2sad.additem(z_bar, 2*n:, v3)

After::

    z_bar = numpy.empty_like(z)
    operator.setitem(z_bar, :n, v1)
    operator.setitem(z_bar, n:2*n, v2)
    operator.setitem(z_bar, 2*n:, v3)

An addition is assigned if all stores before it are to other places; so is a number that is subtracted, with its sign. Where the
places are all that there is, and nothing else looks at the array before, it begins without zeros.

It comes last of all: a sum is linear, and a store would have to be taken back where the program is differentiated again.
"""

from __future__ import annotations

from s2sad.analysis.alias import Node
from s2sad.analysis.views import STORES
from s2sad.analysis.windows import Affine, Range, Windows
from s2sad.ir.kinds import Array, Scalar, dtype_of
from s2sad.ir.nodes import Block, Call, Const, Function, Op, Value
from s2sad.ir.walk import blocks_of, definers, ops_of
from s2sad.optimize.accumulation import NEG, is_whole
from s2sad.optimize.memory_effects import Memory, touched
from s2sad.optimize.rewriting import insert, is_derivative, keeps_border
from s2sad.rules import registry
from s2sad.rules.traits import having, spelled

ADDS, SUBTRACTS, SETS = "s2sad.additem", "s2sad.subitem", "operator.setitem"


@keeps_border
def run(function: Function, memory: Memory | None = None) -> bool:
    """Assign first contributions; whether there are any."""
    zeros = {*having("makes zeros")}
    calls = [op for op in ops_of(function.body) if isinstance(op, Call) and op.callee is None]
    made = {op.result for op in calls if op.target in zeros and is_derivative(op) and dtype_of(op.result.kind) is not None}
    if not any(op.target in (ADDS, SUBTRACTS) and op.args[0] in made and not is_whole(op.args[1]) for op in calls):
        return False
    work = _FirstStores(function, made, memory or Memory(function))
    for block in blocks_of(function.body):
        work.block(block)
    insert(function, work.before)
    return work.changed


class _FirstStores:
    def __init__(self, function: Function, made: set[Value], memory: Memory) -> None:
        self.memory = memory
        self.before: dict[Op, list[Op]] = {}
        self.windows = Windows(function, self.memory.aliases)
        self.definer = definers(function)
        self.made = made  # arrays of zeros
        self.changed = False

    def block(self, block: Block) -> None:
        """Assign what is added first to the arrays of zeros that a block makes."""
        made = [op for op in block.ops if isinstance(op, Call) and not self.made.isdisjoint(op.results)]
        if not made:
            return
        writers: dict[Node, list[Op]] = {}
        for op in block.ops:
            for node in self.memory.writes(op):
                writers.setdefault(node.find(), []).append(op)
        places = touched(block)
        for zeros in made:
            stores = self.first(zeros.result, writers.get(self.memory.node(zeros.result).find(), []))
            users = [block.ops[k] for k in places.get(zeros.result, ())]
            if users[: len(stores)] == stores and self.is_all(zeros, stores):
                zeros.target = spelled("makes room")

    def first(self, buffer: Value, writers: list[Op]) -> list[Call]:
        """The first stores into an array, each to places of its own; additions among them become assignments."""
        found: list[Call] = []
        for op in writers:
            if not isinstance(op, Call) or op.target not in STORES or op.args[0] is not buffer or not self.is_apart(op, found):
                break
            if self.may_assign(op):
                self.assign(op)
            found.append(op)
        return found

    def is_apart(self, op: Call, others: list[Call]) -> bool:
        """Test for a store to a part of an array, to other items than those of all others."""
        if is_whole(op.args[1]):
            return False
        place = self.windows.index_place(op)
        return place is not None and all(self.windows.are_apart(op, place, self.windows.index_place(o)) for o in others)

    def assign(self, op: Call) -> None:
        """Turn an addition to zero into an assignment."""
        if op.target == SUBTRACTS:
            turned = Call(target=NEG, args=[op.args[2]], loc=op.loc, primal=op.primal)
            turned.results = [Value(registry.infer(turned))]
            self.before[op], op.args[2] = [turned], turned.result
        op.target, self.changed = SETS, True

    def may_assign(self, op: Call) -> bool:
        """Permission to assign a value in place of adding it to zero: no conversion, no overlap; negated, if it is a number."""
        base, index, value = op.args
        held = self.memory.reach(value) | self.memory.reach(index)
        same = dtype_of(value.kind) == dtype_of(base.kind)
        adds = op.target == ADDS or op.target == SUBTRACTS and isinstance(value.kind, Scalar)
        return adds and same and self.memory.node(base) not in held and not self.memory.mutable(index)

    # --- all of an array

    def is_all(self, zeros: Call, stores: list[Call]) -> bool:
        """Certainty that stores are to all items of an array, which was made like another one."""
        kind = zeros.result.kind
        alone = zeros.target == spelled("makes zeros") and len(zeros.args) == 1 and not zeros.kwargs
        ranges = [self.item_of(op) or self.range_of(op) for op in stores]
        sets = all(op.target == SETS for op in stores)
        if not (alone and sets and isinstance(kind, Array) and kind.shape) or None in ranges:
            return False
        ends = {_begin(part): part.high for part in ranges if part is not None}
        at: Affine | None = Affine()
        for _ in ranges:
            if at is None or at not in ends:
                break
            at = ends.pop(at)
        return at is None or isinstance(kind.shape[0], int) and at == Affine((), kind.shape[0])

    def item_of(self, op: Call) -> Range | None:
        """The item of the first axis that a store names by a literal."""
        at = op.args[1].payload if isinstance(op.args[1], Const) else None
        return Range(Affine((), at), Affine((), at + 1)) if type(at) is int and at >= 0 else None

    def range_of(self, op: Call) -> Range | None:
        """The items of the first axis that a store names by a slice without a step."""
        index = op.args[1]
        made = self.definer.get(index)
        if isinstance(index, Const):
            plain = isinstance(index.payload, slice) and index.payload.step is None
        else:
            parts = made.args if isinstance(made, Call) and made.target == "builtins.slice" else ()
            plain = len(parts) == 3 and isinstance(parts[2], Const) and parts[2].payload is None
        place = self.windows.index_place(op) if plain else None
        return place[0] if place and (place[0].low, place[0].high) != (None, None) else None


def _begin(part: Range) -> Affine:
    return Affine() if part.low is None else part.low
