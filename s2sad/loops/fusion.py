"""Neighbouring loops over the same places become one, and what only that one reads needs no array.

    t = np.empty(n)
    for i in range(n):                      for i in range(n):
        t[i] = 0.5 * v[i + 1]       ==>         t_i = 0.5 * v[i + 1]
    for i in range(n):                          u[i] += t_i
        u[i] += t[i]

One level of a nest at a time. Two loops are fused if no iteration of the second one needs, or destroys, what a later iteration of
the first one computes or reads. That is decided by the distances of the places that both touch, in the same array: 0, or, where
the second one overwrites what the first one has read, places that the first one has passed. What is not known is not fused. (Sums
into places at other distances might be, and are not: each iteration would wait for the one before.) What stands between them
stands before or behind the fused loop then, whose order with it does not matter: exceptions end the program, which NumPy runs
from the start.

Buffers, sizes and looks at places that are the same in all iterations of a loop are made once, before it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass

from s2sad.analysis.alias import Node
from s2sad.analysis.views import holds_references
from s2sad.emit.motion import Motion
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import RANGE, Array, Scalar, Tuple
from s2sad.ir.nodes import SAME, Block, Call, Const, For, Function, Loop, Op, Value
from s2sad.ir.walk import blocks_of, definers, ops_of, reads_of, substitute, substitute_all, use_counts
from s2sad.loops.numbers import LOOPS
from s2sad.rules import registry
from s2sad.rules.effects import effects

CHECKS = {f"{LOOPS}{name}" for name in ("common", "inside", "at", "ahead", "stretched")} | {"s2sad.assert"}
WRITES = {"operator.setitem": None, "s2sad.additem": "operator.add", "s2sad.subitem": "operator.sub"}
AT = f"{LOOPS}at"
NEW = {f"numpy.{name}" for name in ("empty", "zeros", "ones", "full", "copy", "zeros_like", "ones_like", "empty_like")}
PAIRS = 8  # of arrays, one of them written, that LLVM compares before it computes several items at once
FAR = 40  # operations between two loops that are fused
SIZES = {"ndarray.shape", "operator.getitem", "operator.sub", "builtins.max", "builtins.min", "builtins.tuple", "numpy.empty",
         f"{LOOPS}common", f"{LOOPS}step", f"{LOOPS}stretched"}  # fmt: skip
Place = tuple[tuple[Value | None, int], ...]


@dataclass(frozen=True)
class Access:
    """An item, or, without a place, any items of an array, that are read or written."""

    node: Node
    array: Value
    place: Place | None
    writes: bool


def run(function: Function, sums_apart: bool = False) -> None:
    """Rewrite a lowered function in place.

    ``sums_apart``: loops that carry something from one iteration to the next are not fused with those that do not.
    """
    _Fusion(function, sums_apart).block(function.body)
    _forward(function)
    _Invariant(function).block(function.body)


def place_of(index: Value, made: dict[Value, Op]) -> Place | None:
    """The parts of an index, each as a value and a number to be added; None of what is no place of one item."""
    parts: list[Value] | None = [index]
    if isinstance(index.kind, Tuple):
        op = made.get(index)
        built = isinstance(op, Call) and op.target == "builtins.tuple"
        parts = [Const(part) for part in index.payload] if isinstance(index, Const) else list(op.args) if built else None  # type: ignore[union-attr]
    if parts is None or not all(isinstance(p.kind, Scalar) and p.kind.dtype == "int64" for p in parts):
        return None
    return tuple(offset_of(part, made) for part in parts)


def offset_of(value: Value, made: Mapping[Value, Op]) -> tuple[Value | None, int]:
    """An integer as another one, None for 0, and a number that is added."""
    if isinstance(value, Const):
        return None, value.payload
    op = made.get(value)
    if isinstance(op, Call) and op.target in ("operator.add", "operator.sub") and isinstance(op.args[1], Const):
        root, offset = offset_of(op.args[0], made)
        return root, offset + (op.args[1].payload if op.target == "operator.add" else -op.args[1].payload)
    return value, 0


class _Fusion:
    """The fusion of one function's loops."""

    def __init__(self, function: Function, sums_apart: bool = False) -> None:
        self.function = function
        self.sums_apart = sums_apart
        self.motion = Motion(function)
        self.made = definers(function)
        self.counts = use_counts(function)
        self._accesses: dict[For, list[Access] | None] = {}
        self.around: dict[Value, tuple[Block, ...]] = {}  # of what is new: where it is made; of what a block is given: that
        self._visit(function.body, (), [p.value for p in function.params])

    def _visit(self, block: Block, around: tuple[Block, ...], given: list[Value]) -> None:
        around = (*around, block)
        self.around.update(dict.fromkeys(given, (block,)))
        for op in block.ops:
            if isinstance(op, Call) and op.target in NEW:
                self.around[op.result] = around
            for inner in op.blocks():
                self._visit(inner, around, inner.params)

    def distinct(self, one: Value, other: Value) -> bool:
        """Certainty that two arrays are not the same memory: both are new, or one of them since the other is there."""
        if one is other or one not in self.around or other not in self.around:
            return False
        new = [v for v in (one, other) if isinstance(self.made.get(v), Call)]
        if len(new) < 2 and new:
            (given,) = {one, other} - set(new)
            return self.around[given][0] in self.around[new[0]]
        return bool(new)

    # --- what loops touch

    def accesses(self, op: Op) -> list[Access] | None:
        """The reads and writes of a loop over numbers; None of one that does more, or that nobody knows."""
        if not isinstance(op, For):
            return None
        if op not in self._accesses:
            items = self.made.get(op.iterable)
            counts = isinstance(items, Call) and items.target == "builtins.range" and not op.breaks and op.snapshots is None
            carried = not any(map(holds_references, op.results))
            self._accesses[op] = self._inside(op.body) if counts and carried else None
        return self._accesses[op]

    def _inside(self, block: Block) -> list[Access] | None:
        found: list[Access] = []
        for op in block.ops:
            inner = self._item(op) if isinstance(op, Call) else self.accesses(op)
            if inner is None:
                return None
            found += inner
        return found

    def _item(self, op: Call) -> list[Access] | None:
        """The reads and writes of a call within a loop."""
        array = op.args[0] if op.args else None
        if array is not None and isinstance(array.kind, Array) and (op.target in WRITES or op.target == "operator.getitem"):
            place = place_of(op.args[1], self.made)
            item = place is not None and len(place) == array.kind.rank
            if item and not any(map(holds_references, [*op.args[2:], *op.results])):
                return [Access(self.motion.aliases.node(array), array, place, op.target in WRITES)]
        if op.callee is not None or not (op.target in CHECKS or self.motion.is_pure(op)):
            return None
        if any(map(holds_references, op.results)) and op.target != "ndarray.shape" and not isinstance(op.results[0].kind, Tuple):
            return None
        if op.target == "ndarray.shape":
            return []
        return [Access(node.find(), Const(None), None, writes=False) for node in self.motion.reads(op)]

    # --- which may be fused

    def space(self, loop: For) -> tuple[Hashable, ...]:
        """The numbers that a loop counts through: equal ones are the same."""
        items = self.made[loop.iterable]
        assert isinstance(items, Call)
        return _told(items)

    def _forwards(self, loop: For) -> bool:
        items = self.made[loop.iterable]
        assert isinstance(items, Call)
        return len(items.args) < 3

    def allowed(self, first: For, second: For) -> bool:
        """Permission for the second of two loops to run along with the first one."""
        one, other = self.accesses(first), self.accesses(second)
        if one is None or other is None or self.space(first) != self.space(second):
            return False
        if self.sums_apart and bool(first.results) != bool(second.results):
            return False
        given = set(first.results)
        if any(v in given for v in reads_of(second)):
            return False
        i, j = first.body.params[0], second.body.params[0]
        forwards = self._forwards(first)
        return all(
            self._keeps(a, b, i, j, forwards)
            for a in one for b in other
            if (a.writes or b.writes) and a.node.find() is b.node.find() and not self.distinct(a.array, b.array)
        )  # fmt: skip

    @staticmethod
    def _keeps(a: Access, b: Access, i: Value, j: Value, forwards: bool) -> bool:
        """Test that two accesses to memory that may be the same happen in their order in the fused loop, too."""
        if a.array is not b.array or a.place is None or b.place is None:
            return False
        for (one, at), (other, to) in zip(a.place, b.place, strict=True):
            if one is i and other is j:
                if at == to or (at > to and forwards and not a.writes):
                    return True
            elif one is other and at != to:
                return True
        return False

    def crowded(self, first: For, second: For) -> bool:
        """Excess of arrays that a loop of both would touch: too many for several items to be computed at once.

        What only they use will need no array.
        """
        one, other = self.accesses(first) or [], self.accesses(second) or []
        inside = list(ops_of(first.body)) + list(ops_of(second.body))
        uses: dict[Value, int] = {}
        for op in inside:
            for value in op.operands():
                uses[value] = uses.get(value, 0) + 1
        arrays: dict[Value, bool] = {}
        for a in (*one, *other):
            if self.counts.get(a.array, 0) != uses.get(a.array, 0):
                arrays[a.array] = arrays.get(a.array, False) or a.writes
        written = sum(arrays.values())
        return written * (len(arrays) - written) + written * (written - 1) // 2 > PAIRS

    # --- fusing

    def block(self, block: Block) -> None:
        """Fuse the loops of a block, and those inside of them."""
        at = 0
        while at < len(block.ops):
            op = block.ops[at]
            if self.accesses(op) is None or not self._joined(block, at):
                at += 1
        for op in block.ops:
            for inner in op.blocks():
                self.block(inner)

    def _joined(self, block: Block, at: int) -> bool:
        """Join a loop with one before it, if there is one that allows it."""
        loop = block.ops[at]
        assert isinstance(loop, For)
        for before in range(at - 1, max(-1, at - FAR), -1):
            first = block.ops[before]
            if isinstance(first, For) and self.allowed(first, loop) and not self.crowded(first, loop):
                order = self._order(first, block.ops[before + 1 : at], loop)
                if order is not None:
                    self._join(block, before, at, *order)
                    return True
        return False

    def _order(self, first: For, between: list[Op], second: For) -> tuple[list[Op], list[Op]] | None:
        """Operations between two loops: those that come before both, and those after; None if one has to stay between."""
        up: list[Op] = []
        stay: list[Op] = []
        bound, written = self._binds(first), self._nodes(self.motion.aliases.writes(first))
        read: set[Node] = set()
        for op in between:
            check = isinstance(op, Call) and op.target in CHECKS
            reads = self._nodes(self.motion.reads(op))
            pure = isinstance(op, Call) and (check or self.motion.is_pure(op))
            if pure and not any(v in bound for v in op.operands()) and not reads & written:
                up.append(op)
            elif check:
                return None
            else:
                stay.append(op)
                bound |= self._binds(op)
                read |= reads
                written |= self._nodes(self.motion.aliases.writes(op))
        moved, own = self._nodes(self.motion.aliases.writes(second)), self._nodes(self.motion.reads(second))
        for op in stay:
            writes = self._nodes(self.motion.aliases.writes(op))
            if writes & (own | moved) or moved & self._nodes(self.motion.reads(op)):
                return None
        inner = {v for v in bound if v not in self._binds(first)}
        return None if any(v in inner for v in reads_of(second)) else (up, stay)

    @staticmethod
    def _nodes(nodes: set[Node]) -> set[Node]:
        return {node.find() for node in nodes}

    @staticmethod
    def _binds(op: Op) -> set[Value]:
        return set(op.results)

    def _join(self, block: Block, before: int, at: int, up: list[Op], stay: list[Op]) -> None:
        first, second = block.ops[before], block.ops[at]
        assert isinstance(first, For) and isinstance(second, For)
        turn = self.function.reverse_at
        if block is self.function.body and turn is not None and turn > before:
            early = set(block.ops[:turn])
            kept = sum(op in early for op in stay) + max(0, turn - at - 1)
            self.function.reverse_at = before + len(up) + 1 + kept
        substitute_all(second.body, {second.body.params[0]: first.body.params[0]})
        first.body.params += second.carried
        first.body.ops += second.body.ops
        first.body.yields += second.body.yields
        first.init += second.init
        first.results += second.results
        block.ops[before : at + 1] = [*up, first, *stay]
        for op in (first, *ops_of(first.body)):
            if isinstance(op, For):
                self._accesses.pop(op, None)


# --- scalars in place of arrays


def _forward(function: Function) -> None:
    """Have what loops store and read again in the same iteration be a variable."""
    fusion = _Fusion(function)
    table: dict[Value, Value] = {}
    for block in list(blocks_of(function.body)):
        for op in block.ops:
            if fusion.accesses(op) is not None:
                assert isinstance(op, For)
                _Forwarding(fusion, table).block(op.body, {})
    substitute_all(function.body, table)


Stored = tuple[Value, Place]


class _Forwarding:
    """Values that are known to stand in arrays, through the body of a loop."""

    def __init__(self, fusion: _Fusion, table: dict[Value, Value]) -> None:
        self.fusion = fusion
        self.table = table

    def block(self, block: Block, known: dict[Stored, Value]) -> None:
        """Rewrite a block, where ``known`` stands in arrays."""
        late: dict[Stored, Call] = {}  # stores that nobody has read
        dead: set[Op] = set()
        found: list[Op] = []
        ops, block.ops = block.ops, found
        b = Builder(block, registry.infer)
        for op in ops:
            b.loc, b.primal = op.loc, op.primal
            item = self._item(op)
            if item is None:
                if isinstance(op, For):
                    written = {n.find() for n in self.fusion.motion.aliases.writes(op)}
                    known = {k: v for k, v in known.items() if self._node(k[0]) not in written}
                    self.block(op.body, dict(known))
                read = {n.find() for n in self.fusion.motion.reads(op)}
                late = {k: v for k, v in late.items() if self._node(k[0]) not in read}
                found.append(op)
                continue
            assert isinstance(op, Call)
            if op.target == "operator.getitem":
                if item in known:
                    self.table[op.result] = known[item]
                    continue
                late = {k: v for k, v in late.items() if self._node(k[0]) is not self._node(item[0])}
            else:
                self._store(op, item, known, late, dead, b)
            found.append(op)
        block.ops = [op for op in block.ops if op not in dead]

    def _store(
        self, op: Call, item: Stored, known: dict[Stored, Value], late: dict[Stored, Call], dead: set[Op], b: Builder
    ) -> None:
        combine = WRITES[op.target]
        if combine is not None and item in known:
            op.target, op.args = "operator.setitem", [*op.args[:2], b.call(combine, known[item], op.args[2])]
            combine = None
        if combine is None and item in late:
            dead.add(late.pop(item))
        for key in [k for k in known if self._node(k[0]) is self._node(item[0]) and not self._apart(k, item)]:
            del known[key]
            late.pop(key, None)
        value, array = op.args[2], item[0].kind
        if combine is not None:
            late.pop(item, None)
        elif isinstance(value.kind, Scalar) and isinstance(array, Array) and value.kind.dtype == array.dtype:
            known[item] = value
            late[item] = op

    def _node(self, array: Value) -> Node:
        return self.fusion.motion.aliases.node(array)

    @staticmethod
    def _apart(one: Stored, other: Stored) -> bool:
        """Certainty that two places are different ones."""
        if one[0] is not other[0]:
            return False
        return any(a is b and at != to for (a, at), (b, to) in zip(one[1], other[1], strict=True))

    def _item(self, op: Op) -> Stored | None:
        if not isinstance(op, Call) or not op.args or not isinstance(op.args[0].kind, Array):
            return None
        if op.target not in WRITES and op.target != "operator.getitem":
            return None
        place = place_of(op.args[1], self.fusion.made)
        return None if place is None or len(place) != op.args[0].kind.rank else (op.args[0], place)


# --- before loops


class _Invariant:
    """Moves sizes and buffers that are the same in each iteration out of loops, inner loops first."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.uses: dict[Value, list[Op | Block]] = {}
        for block in blocks_of(function.body):
            for value in block.yields:
                self.uses.setdefault(value, []).append(block)
            for op in block.ops:
                for value in op.operands():
                    self.uses.setdefault(value, []).append(op)

    def block(self, block: Block) -> None:
        """Move what stands in the loops of a block."""
        found: list[Op] = []
        turn = self.function.reverse_at if block is self.function.body else None
        for at, op in enumerate(block.ops):
            if at == turn:
                self.function.reverse_at = len(found)
            for inner in op.blocks():
                self.block(inner)
            if isinstance(op, Loop):
                found += self._moved(op)
            found.append(op)
        if turn is not None and turn >= len(block.ops):
            self.function.reverse_at = len(found) + turn - len(block.ops)
        block.ops = found

    def _moved(self, loop: Loop) -> Iterator[Op]:
        within = [block for outer in loop.blocks() for block in blocks_of(outer)]
        inside = {v for block in within for v in (*block.params, *(r for op in block.ops for r in op.results))}
        kept: list[Op] = []
        moved: list[Op] = []
        looked: dict[tuple[Hashable, ...], Value] = {}
        table: dict[Value, Value] = {}
        for op in loop.body.ops:
            substitute(op, lambda v: table.get(v, v))
            if isinstance(op, Call) and not any(v in inside for v in op.operands()) and (self._is_size(op) or _looks(op, loop)):
                inside -= set(op.results)
                if op.target == AT and isinstance(loop, For):
                    op.target, op.args = f"{LOOPS}ahead", [*op.args, loop.iterable]
                    twin = looked.setdefault(_told(op), op.result)
                    if twin is not op.result:
                        table[op.result] = twin
                        continue
                moved.append(op)
            else:
                kept.append(op)
        loop.body.ops = kept
        substitute_all(loop.body, table)
        return iter(moved)

    def _is_size(self, op: Call) -> bool:
        if op.target not in SIZES or op.callee is not None:
            return False
        if op.target == "numpy.empty":
            return self._is_local(op.result)
        return op.target == "ndarray.shape" or all(_counts(v) for v in (*op.args, *op.results))

    def _is_local(self, array: Value) -> bool:
        """Test for an array that is not handed on: whoever uses it reads or writes its items, or makes something new of them."""
        for use in self.uses.get(array, ()):
            if not isinstance(use, Call) or use.callee is not None or use.target == SAME:
                return False
            does = effects(use)
            if does.world or does.unknown or does.puts or does.changes or any(share.value is array for share in does.shares):
                return False
        return True


def _looks(op: Call, loop: Loop) -> bool:
    """Test for an operation that looks at a place in each turn of a loop that counts."""
    return op.target == AT and isinstance(loop, For) and loop.iterable.kind == RANGE and not loop.breaks


def _told(op: Call) -> tuple[Hashable, ...]:
    return tuple(("number", v.payload) if isinstance(v, Const) else v for v in op.args)


def _counts(value: Value) -> bool:
    """Test for an integer, or a tuple of such."""
    kind = value.kind
    if isinstance(kind, Tuple):
        return all(isinstance(item, Scalar) and item.dtype == "int64" for item in kind.items)
    return isinstance(kind, Scalar) and kind.dtype == "int64"
