"""Tuples are taken apart before the reverse sweep is made, wherever control flow lies between them and their use.

    w, v = pair = eigh(a)                         pair = eigh(a)
    for i in range(n):                            w = pair[0]
        s += pair[0][i]              ==>          for i in range(n):
        t += f(pair)                                  s += w[i]
                                                      t += f((w, v))

    p = if c: yield q else: yield r  ==>          p0, p1 = if c: yield q[0], q[1] else: yield r[0], r[1]
                                                  p = (p0, p1)

    t = eigh(a)                                   t = eigh(a); w = t[0]; v = t[1]
    t[0][0] = 2.0                    ==>          w[0] = 2.0
    y = f(t) + t[0]                               y = f((w, v)) + w

Control flow carries the adjoints of numbers and arrays; with this it never meets another structure. In straight-line
code a tuple may stay whole while nothing is written into its items: their adjoints are collected one by one. What is
written has one adjoint, and so one name.
"""

from __future__ import annotations

from s2sad.analysis.alias import Aliases
from s2sad.ir.kinds import Tuple, is_differentiable
from s2sad.ir.nodes import LITERALS, Block, Call, Const, For, Function, Op, Straight, Undef, Value, While
from s2sad.ir.walk import blocks_of, owners, substitute, substitute_all
from s2sad.rules.containers import made_items, makes_fixed, taken


def take_apart_tuples(function: Function) -> None:
    """Rewrite a function so that no tuple with a derivative crosses the border of a branch or loop, or holds what is written."""
    table: dict[Value, Value] = {}
    for block in [*blocks_of(function.body)]:
        _flatten_regions(block, table)
    substitute_all(function.body, table)
    _Localise(function).run()


def crosses(value: Value) -> bool:
    """Test for a tuple that may carry a derivative."""
    return isinstance(value.kind, Tuple) and not isinstance(value, LITERALS) and is_differentiable(value.kind)


def made_of(items: list[Value], kind: Tuple, name: str | None) -> Call:
    """The operation that makes a tuple."""
    return Call(target="s2sad.items" if kind.listed else "builtins.tuple", args=list(items), results=[Value(kind, name)])


def item(value: Value, k: int) -> Call:
    """The operation that takes an item out."""
    assert isinstance(value.kind, Tuple)
    name = f"{value.name}_{k}" if value.name else None
    return Call(target="operator.getitem", args=[value, Const(k)], results=[Value(value.kind.items[k], name)])


# --- what branches and loops give


def _flatten_regions(block: Block, table: dict[Value, Value]) -> None:
    """Make the tuples among the results of regions from results for their items."""
    ops: list[Op] = []
    for op in block.ops:
        before: list[Op] = []
        after: list[Op] = []
        while not isinstance(op, Call) and any(map(crosses, op.results)):
            k = next(k for k, r in enumerate(op.results) if crosses(r))
            after = [_flatten_result(op, k, before, table), *after]
        ops += [*before, op, *after]
    block.ops = ops


def _flatten_result(op: Op, k: int, before: list[Op], table: dict[Value, Value]) -> Op:
    """Replace the tuple that is result ``k`` of a region by its items; the operation that makes it of them."""
    result = op.results[k]
    assert isinstance(result.kind, Tuple)
    fresh = [Value(kind, f"{result.name}_{j}" if result.name else None) for j, kind in enumerate(result.kind.items)]
    op.results[k : k + 1] = fresh
    if isinstance(op, Straight):
        for inner in op.blocks():
            _yield_items(inner, k, result.kind)
    elif isinstance(op, For | While):
        op.init[k : k + 1] = _items_of(op.init[k], result.kind, before)
        _carry_items(op.body, k + isinstance(op, For), result.kind, table)
        if isinstance(op, While):
            _carry_items(op.test, k, result.kind, table)
        _yield_items(op.body, k + op.breaks, result.kind)
    made = made_of(fresh, result.kind, result.name)
    table[result] = made.result
    return made


def _yield_items(block: Block, k: int, kind: Tuple) -> None:
    block.yields[k : k + 1] = _items_of(block.yields[k], kind, block.ops)


def _items_of(value: Value, kind: Tuple, ops: list[Op]) -> list[Value]:
    """The items of a tuple; operations that take them out are appended to ``ops``."""
    if isinstance(value, Undef):
        return [Undef() for _ in kind.items]
    if isinstance(value, Const):
        return [Const(None if value.payload is None else value.payload[j]) for j in range(len(kind.items))]
    value.kind = kind
    taken = [item(value, j) for j in range(len(kind.items))]
    ops += taken
    return [op.result for op in taken]


def _carry_items(block: Block, k: int, kind: Tuple, table: dict[Value, Value]) -> None:
    carried = block.params[k]
    fresh = [Value(inner, f"{carried.name}_{j}" if carried.name else None) for j, inner in enumerate(kind.items)]
    block.params[k : k + 1] = fresh
    made = made_of(fresh, kind, carried.name)
    block.ops.insert(0, made)
    table[carried] = made.result


# --- what is used inside of branches and loops, and what is written


def _written(function: Function) -> set[Value]:
    """The tuples that hold what the function writes into."""
    defined = [*function.values, *(v for block in blocks_of(function.body) for op in block.ops for v in op.results)]
    tuples = [v for v in defined if crosses(v)]
    aliases = Aliases(function, split=True) if tuples else None
    return {v for v in tuples if aliases is not None and aliases.holds_written(v)}


class _Localise:
    """Gives each use inside a region, or of what is written, a tuple of its own, made of items from outside."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.written = _written(function)
        self.owner = owners(function)
        self.definer = {value: op for block in blocks_of(function.body) for op in block.ops for value in op.results}
        self.items: dict[Value, list[Value]] = {}
        self.behind: dict[Op | Block, list[Op]] = {}  # what is inserted after an operation, or at the start of a block
        self.table: dict[Value, Value] = {}

    def run(self) -> None:
        """Rewrite all uses, then insert what takes the items out."""
        for block in [*blocks_of(self.function.body)]:
            block.ops = [new for op in block.ops for new in self.rewritten(op, block)]
        self.given_back()
        for block in [*blocks_of(self.function.body)]:
            block.ops = [new for op in (*self.behind.get(block, []), *block.ops) for new in self.with_items(op)]
        substitute_all(self.function.body, self.table)

    def given_back(self) -> None:
        """Have the function return tuples that hold what is written item by item."""
        body = self.function.body
        known = [self.table.get(v, v) for v in body.yields]
        body.yields = [self.local(v, body, body.ops) if self.apart(v, body) else v for v in known]

    def with_items(self, op: Op) -> list[Op]:
        """An operation, and what takes its result apart; items that are tuples may be taken apart in turn."""
        return [op, *(new for inner in self.behind.get(op, []) for new in self.with_items(inner))]

    def rewritten(self, op: Op, block: Block) -> list[Op]:
        """An operation whose tuples from outside are replaced by local ones."""
        substitute(op, lambda v: self.table.get(v, v))
        outside = [v for v in op.operands() if self.apart(v, block)]
        if not outside:
            return [op]
        if isinstance(op, Call) and op.callee is None and op.args[0] in outside and self.taken(op):
            return []
        made: list[Op] = []
        local = {v: self.local(v, block, made) for v in outside}
        substitute(op, lambda v: local.get(v, v))
        return [*made, op]

    def apart(self, value: Value, block: Block) -> bool:
        """Test for a tuple that a block may only name the items of."""
        return crosses(value) and (self.owner[value] is not block or value in self.written)

    def taken(self, op: Call) -> bool:
        """Test for an operation that only takes items out, which are then used directly."""
        items = self.items_of(op.args[0])
        found = taken(op, dict(enumerate(items)))
        self.table.update(zip(op.results, found or [], strict=False))
        return found is not None

    def local(self, value: Value, block: Block, made: list[Op]) -> Value:
        """A tuple of the same items, made in ``block``."""
        assert isinstance(value.kind, Tuple)
        items = [self.local(v, block, made) if self.apart(v, block) else v for v in self.items_of(value)]
        made.append(made_of(items, value.kind, value.name))
        self.owner[made[-1].result] = block
        return made[-1].result

    def items_of(self, value: Value) -> list[Value]:
        """The items of a tuple as values of the block that it belongs to."""
        if value not in self.items:
            definer = self.definer.get(value)
            if isinstance(definer, Call) and makes_fixed(definer):
                self.items[value] = list(made_items(definer).values())
            else:
                assert isinstance(value.kind, Tuple)
                taken = [item(value, k) for k in range(len(value.kind.items))]
                self.behind.setdefault(definer or self.owner[value], []).extend(taken)
                self.items[value] = [op.result for op in taken]
                for op in taken:
                    self.owner[op.result] = self.owner[value]
                    self.definer[op.result] = op
                    if value in self.written and crosses(op.result):
                        self.written.add(op.result)
        return self.items[value]
