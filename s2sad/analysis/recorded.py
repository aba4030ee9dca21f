"""Recording: which stores have to save what they overwrite, and which reads stay valid.

The reverse sweep reads the contents of a buffer where a formula mentions an operand in it. Those contents are still
there unless a store that runs later in the forward sweep (in the text after it, or in a later iteration of a common
loop) overwrites the window that was read. So, for each such *content read*: if no later store overlaps it, nothing is
recorded (the buffer is its own history); otherwise the overlapping stores record and restore what they overwrite.
Numbers loaded from memory are recorded one by one instead, which needs no store's help.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from s2sad.analysis.activity import Activity
from s2sad.analysis.alias import Aliases, Node
from s2sad.analysis.repeated import repeated
from s2sad.analysis.views import holds_references, writes_items
from s2sad.analysis.windows import Place, Windows
from s2sad.ir.kinds import List
from s2sad.ir.nodes import LITERALS, Call, Function, Value
from s2sad.ir.walk import ops_of
from s2sad.rules import registry
from s2sad.rules.application import Application
from s2sad.rules.containers import ADDS, move_of
from s2sad.rules.language import Derivative


@dataclass(eq=False, slots=True)
class Read:
    """The reverse sweep reads the contents of ``value`` as they were at ``op``."""

    op: Call
    value: Value
    whole: bool = True  # or, of a list, only how long it is, and of which shapes its items are


class Recording:
    """The answers: ``restores(store)`` and ``stable(load)``."""

    def __init__(
        self,
        function: Function,
        aliases: Aliases,
        activity: Activity,
        restored: Iterable[Value] = (),
        repeats: Callable[[Function], bool] = repeated,
    ) -> None:
        self.repeats = repeats  # whether calls of a function are computed again in the reverse sweep
        self.aliases = aliases
        self.activity = activity
        self.windows = Windows(function, aliases)
        self.stores: dict[Node, list[Call]] = {}
        for op in ops_of(function.body):
            if isinstance(op, Call):
                for node in aliases.own_writes(op):
                    self.stores.setdefault(node, []).append(op)
        self.restored: dict[Call, set[Node]] = {}  # with the classes that are to be as they were before
        for value in restored:  # what has to be in the end as it was in the beginning
            for node in aliases.reach(aliases.node(value)):
                for store in self.stores.get(node, ()):
                    self.restored.setdefault(store, set()).add(node)
        for op in ops_of(function.body) if self.stores else ():
            if isinstance(op, Call):
                for read in self.reads(op):
                    for store, node in self.clobbering(read.op, read.value, read.whole):
                        self.restored.setdefault(store, set()).add(node)
        self.left_otherwise = {node for node, stores in self.stores.items() if not self.restored.keys().isdisjoint(stores)}

    def reads(self, op: Call) -> list[Read]:
        """The content reads that the adjoint of ``op`` will make, from memory that is written somewhere."""
        values: list[Value] = []
        lists: list[Value] = []
        if op.callee is None and (op.target == "operator.getitem" or writes_items(op.target)):  # by their second argument
            concerned = op.results[0] if op.target == "operator.getitem" else op.args[0]
            if self.activity.active(concerned):
                values = [op.args[1]]
        elif op.callee is not None:
            written = self.aliases.written_by(op.callee)
            varies = any(map(self.activity.active, [*op.results, *(op.args[k] for k in written)]))
            if self.repeats(op.callee):  # what it writes is saved before
                values = [a for k, a in enumerate(op.args) if varies and k not in written]
            else:
                values = [*op.args, *op.results] if varies else []  # what it returns may be on its tape, too
        elif op.results and any(map(self._memory, (*op.operands(), *op.results))) and self.activity.active(op.results[0]):
            values = self._formula_reads(op)
            lists = [v for v in self._joined(op) if v not in values]
        found = [*(Read(op, v) for v in values), *(Read(op, v, whole=False) for v in lists)]
        return [read for read in found if not isinstance(read.value, LITERALS) and self._memory(read.value)]

    def _memory(self, value: Value) -> bool:
        if not holds_references(value):
            return False
        return any(node in self.aliases.written for node in self.aliases.reach(self.aliases.node(value)))

    def _joined(self, op: Call) -> list[Value]:
        """The lists whose items get their parts of an adjoint by a formula: ``np.concatenate(xs)``."""
        primitive = registry.lookup(op.target)
        if primitive is None or not isinstance(primitive.derivative, Derivative):
            return []
        return [v for v in op.operands() if isinstance(v.kind, List) and self.activity.active(v)]

    def _formula_reads(self, op: Call) -> list[Value]:
        primitive = registry.lookup(op.target)
        if primitive is None or not isinstance(primitive.derivative, Derivative):
            return []
        app = Application(op, primitive, _NO_BUILDER, lambda v: v)
        params = [p for p in primitive.derivative.parameters(app.bound) if p in app.bound]
        active = frozenset(p for p in params if self.activity.active(app.bound[p]))
        names = primitive.derivative.reads(app, active)
        return [op.results[0] if name == "out" else app.bound[name] for name in sorted(names)]

    def clobbering(self, op: Call, value: Value, whole: bool = True) -> list[tuple[Call, Node]]:
        """The stores that may overwrite, after ``op``, the window that ``value`` refers to, and of which class."""
        found: list[tuple[Call, Node]] = []
        read = self.windows.window(value)
        for node in self.aliases.reach(self.aliases.node(value)) if whole else (self.aliases.node(value),):
            for store in self.windows.that_may_follow(op, self.stores.get(node, ())):
                if not whole and (move := move_of(store)) is not None and move.does == ADDS:
                    continue
                if not self.windows.disjoint_after(op, read, store, _target(self, store), node):
                    found.append((store, node))
        return found

    def stable(self, load: Call) -> bool:
        """Certainty that what a load read from memory is still there in the reverse sweep."""
        base = load.args[0]
        if not self._memory(base):
            return True
        place = self.windows.load_place(load)
        later = self.windows.that_may_follow(load, self.stores.get(self.aliases.node(base), ()))
        return all(self.windows.disjoint_after(load, place, store, _target(self, store)) for store in later)

    def lasting_store(self, store: Call) -> bool:
        """Certainty that what a store wrote is still there in the reverse sweep."""
        place = _target(self, store)
        later = self.windows.that_may_follow(store, self.stores.get(self.aliases.node(store.args[0]), ()))
        return all(self.windows.disjoint_after(store, place, other, _target(self, other)) for other in later)

    def keeps(self, base: Value) -> bool:
        """Certainty that the reverse sweep leaves the memory behind a reference as the forward sweep left it."""
        return self.aliases.node(base) not in self.left_otherwise

    def restores(self, store: Call) -> bool:
        """Need for a store to record and restore what it overwrites."""
        return store in self.restored


def _target(recording: Recording, store: Call) -> Place | None:
    return recording.windows.store_place(store)


class _NoBuilder:
    """Formulas are only inspected, never built, here."""


_NO_BUILDER: Any = _NoBuilder()

