"""The memory that only a reverse part uses, made where that begins: it writes into no such part of its tape.

    def rows_forward(u, n):                             def rows_forward(u, n):
        out, out_bar = [], []                               out = []
        for v in parts:                                     for v in parts:
            out.append(v)                                       out.append(v)
            out_bar.append(zeros(v))           ==>          return out, parts
        return out, (parts, out_bar)
                                                        def rows_reverse(tape, seed):
    def rows_reverse(tape, seed):                           out_bar = []
        ...                                                 for v in parts:
        v_bar = out_bar.pop()                                   out_bar.append(zeros(v))
                                                            ...

So it can be differentiated where it calls itself. Shadows that travel with references are such memory: the forward sweep makes
them, and hands them on as it does what they belong to. All that makes them or changes what they hold is done again, in loops and
branches as it was; what is read for that is a value of the forward sweep, or had again at little cost.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from s2sad.analysis.alias import Aliases, Node, is_droppable
from s2sad.analysis.tapes import tapes_of
from s2sad.analysis.views import holds_references, view_base
from s2sad.analysis.windows import Windows
from s2sad.ir.kinds import RANGE, Array, List, Scalar, Tuple, is_number
from s2sad.ir.nodes import LITERALS, Block, Call, Const, Function, If, Loop, Op, Value
from s2sad.ir.walk import clone_op, clone_value, ops_of, substitute_all, values_read
from s2sad.rules import registry
from s2sad.rules.effects import effects
from s2sad.rules.language import Nothing


def make_again(whole: Function, results: int) -> None:
    """Make what only the reverse sweep uses and writes into where that begins, in place; ``results``: how many are returned."""
    assert whole.reverse_at is not None
    cut = whole.reverse_at
    first, second = whole.body.ops[:cut], Block([], whole.body.ops[cut:], whole.body.yields[results:])
    aliases = Aliases(whole)
    written = {node for op in ops_of(second) for node in aliases.own_writes(op)}
    taped = {tape.items.result for tape in tapes_of(whole)}
    read = set(values_read(second))
    wanted = [v for op in first for v in op.results if v in read - taped and aliases.reach(aliases.node(v)) & written]
    if not wanted:
        return
    made = _MadeAgain(whole, aliases, first, whole.body.yields[:results])
    for value in wanted:
        made.try_all_of(value, written)
    table = made.copies()
    substitute_all(second, table)
    whole.body.ops[cut:] = [*made.again, *second.ops]
    whole.body.yields[results:] = second.yields


class _MadeAgain:
    """The operations of a forward sweep that are done again, and the values that these need."""

    def __init__(self, whole: Function, aliases: Aliases, first: list[Op], returned: list[Value]) -> None:
        self.first = first
        self.aliases = aliases
        self.ops = ops_of(Block([], first))
        self.inside: dict[Value, Op] = {}  # the region of a parameter of its blocks
        self.definer: dict[Value, Op] = {}
        self.around: dict[Op, Op] = {}
        for top in first:
            self._enter(top)
        self.windows = Windows(whole, aliases)
        self.stores: dict[Node, list[Call]] = {}
        for op in self.ops:
            for node in self._own_writes(op):
                self.stores.setdefault(node, []).append(op)  # type: ignore[arg-type]
        shared = [*whole.values, *returned, *(v for op in self.ops for v in op.operands() if isinstance(v, LITERALS))]
        self.others = {node for v in shared if holds_references(v) for node in self._reach(v)}
        self.reached = {v: self._reach(v) for v in (*self.definer, *self.inside) if holds_references(v)}
        self.classes: set[Node] = set()
        self.kept: set[Op] = set()
        self.needed: set[Value] = set()
        self.again: list[Op] = []

    def _enter(self, op: Op) -> None:
        self.definer.update(dict.fromkeys(op.results, op))
        for block in op.blocks():
            self.inside.update(dict.fromkeys(block.params, op))
            for inner in block.ops:
                self.around[inner] = op
                self._enter(inner)

    def _reach(self, value: Value) -> set[Node]:
        node = self.aliases.node(value)
        return {node} if isinstance(value.kind, List) and is_number(value.kind.item) else self.aliases.reach(node)

    def _is_made(self, value: Value) -> bool:
        return holds_references(value) and self.aliases.node(value) in self.classes

    # --- what is done again

    def try_all_of(self, value: Value, written: set[Node]) -> None:
        """Do again what makes a value and all that goes with it, if that is memory that the reverse sweep writes and may be."""
        before = set(self.classes), set(self.kept), set(self.needed)
        found = self._reach(value) & written
        if not found or found <= self.classes:
            return
        self.classes |= self._closed(found, written)
        made = self._makers()
        results = [v for op in made for v in op.results if self._is_made(v)]
        if self.classes & self.others or not all(map(self._keep, made)) or not all(map(self._need, results)):
            self.classes, self.kept, self.needed = before

    def _closed(self, classes: set[Node], written: set[Node]) -> set[Node]:
        """Classes, with those of what holds them, and of what is written in these."""
        while True:
            holding = [(v, nodes) for v, nodes in self.reached.items() if not nodes.isdisjoint(classes)]
            more = {self.aliases.node(v) for v, _ in holding} | {n for _, nodes in holding for n in nodes & written}
            if more <= classes:
                return classes
            classes = classes | more

    def _makers(self) -> list[Op]:
        """The operations that mention what is made."""
        return [
            op for op in self.ops if any(map(self._is_made, (*op.operands(), *op.results))) or self._own_writes(op) & self.classes
        ]

    def _own_writes(self, op: Op) -> set[Node]:
        return self.aliases.own_writes(op)

    def _keep(self, op: Op) -> bool:
        """Do an operation again, if that may be, where it stands, with what it reads."""
        if op in self.kept:
            return True
        self.kept.add(op)
        around = self.around.get(op)
        return (
            (self._may_be_called_again(op) if isinstance(op, Call) else isinstance(op, If | Loop))
            and self._finds_what_it_found(op)
            and all(map(self._need, self._steering(op)))
            and (not isinstance(op, Call) or all(map(self._need, op.operands())))
            and (around is None or self._keep(around))
        )

    def _may_be_called_again(self, op: Call) -> bool:
        if op.callee is not None or effects(op).world or not self._own_writes(op) <= self.classes:
            return False
        if any(map(self._is_made, op.results)) or self._own_writes(op):
            return True
        if any(map(self._is_made, op.operands())) or not is_droppable(op) or self._is_filled_later(op):
            return False
        primitive = registry.lookup(op.target)
        if primitive is None or primitive.cheap or isinstance(primitive.derivative, Nothing):
            return primitive is not None
        return view_base(op) is not None or not self.aliases.reads(op)

    def _is_filled_later(self, op: Call) -> bool:
        """Possibility that an operation makes something into which others write, which are not done again."""
        return not effects(op).certain and any(holds_references(r) and self.aliases.node(r) in self.stores for r in op.results)

    def _finds_what_it_found(self, op: Op) -> bool:
        """Certainty that what an operation reads is, at the end of the forward sweep, as it was."""
        read = self.aliases.reads(op) if isinstance(op, Call) else set()
        if isinstance(op, Loop):
            read = {node for value in op.over if holds_references(value) for node in self._reach(value)}
            if not all(isinstance(v.kind, Array | List | Tuple | Scalar) or v.kind == RANGE for v in op.over):
                return False
        return not any(self._is_stored_after(op, node) for node in read - self.classes)

    def _is_stored_after(self, op: Op, node: Node) -> bool:
        return any(True for _ in self.windows.that_may_follow(op, self.stores.get(node, ())))

    def _steering(self, op: Op) -> list[Value]:
        """The values that decide which blocks of an operation run, and how often."""
        return op.steering if isinstance(op, Loop) else [op.cond] if isinstance(op, If) else []

    def _need(self, value: Value) -> bool:
        """Have a value again: as it is, or by what defines it."""
        if value in self.needed or isinstance(value, LITERALS):
            return True
        region = self.inside.get(value)
        op = region or self.definer.get(value)
        if op is None or region is None and op not in self.around and not self._is_made(value):
            return True
        self.needed.add(value)
        kept = set(self.kept), set(self.needed)
        if self._keep(op) and all(map(self._need, _sources(op, value))):
            return True
        self.kept, self.needed = kept
        return region is None and not self._is_made(value) and self._is_of_a_branch(op)

    def _is_of_a_branch(self, op: Op) -> bool:
        """Test for an operation whose results can be handed out of the branches around it."""
        around = self.around.get(op)
        return around is None or isinstance(around, If) and self._is_of_a_branch(around)

    # --- the copies

    def copies(self) -> dict[Value, Value]:
        """Copies of the operations in ``again``; what is made by what it was."""
        found = [(v, op) for v, op in self.definer.items() if v in self.needed and op not in self.kept]
        table = {v: self._handed_out(v, op) for v, op in found}
        self.again = self._block(self.first, table)
        return {v: table[v] for op in self.first for v in op.results if self._is_made(v) and v in table}

    def _handed_out(self, value: Value, op: Op) -> Value:
        """A value of a branch as it is behind it; None on other paths."""
        around = self.around.get(op)
        if not isinstance(around, If):
            return value
        within = next(block for block in around.blocks() if op in block.ops)
        others = [block for block in around.blocks() if block is not within]
        for k, result in enumerate(around.results):
            if within.yields[k] is value and all(_is_none(block.yields[k]) for block in others):
                return self._handed_out(result, around)
        for block in around.blocks():
            block.yields.append(value if block is within else Const(None))
        around.results.append(Value(value.kind, value.name))
        return self._handed_out(around.results[-1], around)

    def _block(self, ops: list[Op], table: dict[Value, Value]) -> list[Op]:
        return [self._copy(op, table) for op in ops if op in self.kept]

    def _copy(self, op: Op, table: dict[Value, Value]) -> Op:
        if isinstance(op, Call):
            return clone_op(op, table)
        slots = [k for k, values in enumerate(_slots(op)) if any(v in self.needed for v in values)]
        copy: Op
        if isinstance(op, If):
            arms = [self._arm(block, [block.yields[k] for k in slots], table) for block in op.blocks()]
            copy = replace(op, cond=table.get(op.cond, op.cond), then=arms[0], orelse=arms[1])
        else:
            assert isinstance(op, Loop)
            copy = self._loop(op, slots, table)
        copy.results = [clone_value(op.results[k], table) for k in slots]
        return copy

    def _loop(self, op: Loop, slots: list[int], table: dict[Value, Value]) -> Loop:
        init = [table.get(op.init[k], op.init[k]) for k in slots]
        over: dict[str, Any] = {name: table.get(v, v) for name, v in zip(op.OVER, op.over, strict=True)}
        tests: dict[str, Any] = {
            name: self._arm(block, block.yields, table, [block.params[k] for k in slots])
            for name, block in zip(op.TESTS, op.tests, strict=True)
        }
        yields = [*op.body.yields[: op.breaks], *(op.carried_yields[k] for k in slots)]
        body = self._arm(op.body, yields, table, [*op.given, *(op.carried[k] for k in slots)])
        return replace(op, init=init, body=body, **over, **tests)

    def _arm(self, block: Block, yields: list[Value], table: dict[Value, Value], params: list[Value] | None = None) -> Block:
        copy = Block([clone_value(v, table) for v in params or []])
        copy.ops = self._block(block.ops, table)
        copy.yields = [table.get(v, v) for v in yields]
        return copy


def _is_none(value: Value) -> bool:
    return isinstance(value, Const) and value.payload is None


def _slots(op: Op) -> list[tuple[Value, ...]]:
    """The values that stand for each result of a region inside of it and behind it."""
    inside = [op.carried, *(block.params for block in op.tests)] if isinstance(op, Loop) else []
    return list(zip(op.results, *inside, strict=True))


def _sources(op: Op, value: Value) -> list[Value]:
    """The values that flow into a result of a region, or into a parameter of its blocks."""
    if isinstance(op, Call):
        return []
    found = [k for k, values in enumerate(_slots(op)) if value in values]
    if isinstance(op, Loop):
        return [v for k in found for v in (op.init[k], op.carried_yields[k])]
    return [block.yields[k] for k in found for block in op.blocks()]

