"""Effects of operations on memory, as the passes of the optimiser need to know them.

``analysis.alias`` says which references may share memory. On top of it, ``Memory`` answers for each operation which
classes it reads and writes, whether it does something else that the outside world sees, and whether a result is a
buffer of its own. Where something is not known, the answer is the safe one: more reads, more writes, more effects.
"""

from __future__ import annotations

from collections.abc import Iterable

from s2sad.analysis.alias import Aliases, Node
from s2sad.analysis.editions import Search, lasting
from s2sad.analysis.outside import LEAVE
from s2sad.analysis.views import is_unsure, view_base
from s2sad.ir.kinds import Array, Kind, Other, Scalar, Slice
from s2sad.ir.nodes import Block, Call, Const, Function, Loop, Op, Straight, Undef, Value
from s2sad.ir.walk import ops_of, reads_of
from s2sad.rules.effects import NOTHING as QUIET
from s2sad.rules.effects import effects
from s2sad.rules.traits import having

Nodes = frozenset[Node]
NOTHING: Nodes = frozenset()
PLAIN = {Scalar, Slice, Other}  # kinds of values that hold no references
UNBOUND = {Const, Undef}



class Memory:
    """The memory facts of one function.

    They stay right, if not the best possible, while passes remove operations, replace values by others of their class,
    or report by ``merge`` which classes become one; after that, classes in sets obtained earlier have to be looked up
    again by ``find``. A pass that makes a new array gives it the value of one that it replaces.
    """

    def __init__(self, function: Function) -> None:
        self.function = function
        self.aliases = Aliases(function)
        self._effects: dict[Function, bool] = {}
        self._acts, self._asks_which = Search(_acts), Search(_asks_which)
        self._writes: dict[Op, Nodes] = {}
        calls = [op for op in ops_of(function.body) if isinstance(op, Call)]
        self._bind_own_calls(calls)
        self.written: set[Node] = set()
        left = (op.args[-1] for op in calls if op.target in LEAVE)
        self.given = self._reach_of([*function.values, *self.aliases.named.values(), *left])
        self.escaping = self.given | self._reach_of(function.body.yields)
        for op in self.aliases.storing:
            writes = self.own_writes(op)
            self.written |= writes
            if writes and self.is_opaque(op):
                self.escaping |= writes
        self.told_apart = self._reach_of(value for op in calls if self._tells_apart(op) for value in op.operands())
        self.written |= self.told_apart  # as if by a store: of two arrays, which one it is makes a difference

    def _bind_own_calls(self, calls: list[Call]) -> None:
        """Bind what the alias analysis leaves apart: all that a recursive call touches."""
        for op in calls:
            if op.callee is self.function:
                values = [*op.operands(), *op.results]
                for value in values[1:]:
                    self.aliases.unify(values[0], value)

    # --- classes

    def node(self, value: Value) -> Node:
        """The class of a reference."""
        return self.aliases.node(value)

    def reach(self, value: Value) -> Nodes:
        """The class of a value and those of everything that it contains; none for numbers and the like."""
        if type(value.kind) in PLAIN or type(value) in UNBOUND:
            return NOTHING
        node = self.node(value)
        return frozenset(self.aliases.reach(node)) if node.fields else frozenset((node,))

    def _reach_of(self, values: Iterable[Value]) -> set[Node]:
        return {node for value in values for node in self.reach(value)}

    def mutable(self, value: Value) -> bool:
        """Possibility of a store that reaches the memory behind a reference, or behind what it contains."""
        return not self.reach(value).isdisjoint(self.written)

    def is_told_apart(self, value: Value) -> bool:
        """Test for an object of which the program asks which one it is, or where it lies."""
        return bool(self.told_apart) and not self.reach(value).isdisjoint(self.told_apart)

    def escapes(self, value: Value) -> bool:
        """Possibility that the caller, or code that is not known, holds the reference too."""
        return not self.reach(value).isdisjoint(self.escaping)

    def merge(self, a: Value, b: Value) -> None:
        """From now on the two values are one: what holds for either holds for both."""
        both = self.reach(a) | self.reach(b)
        found = [nodes for nodes in (self.written, self.escaping, self.given, self.told_apart) if not both.isdisjoint(nodes)]
        self.aliases.unify(a, b)
        for nodes in found:
            nodes |= self.reach(a)

    # --- effects

    def is_opaque(self, op: Op) -> bool:
        """Test for a call of a function about which nothing is known."""
        return isinstance(op, Call) and op.callee is None and bool(effects(op).unknown)

    def must_run(self, op: Op) -> bool:
        """Test for an operation that does something itself, other than writing memory, that must happen, or may raise."""
        if not isinstance(op, Call):
            return False
        return _acts(op) or (op.callee is not None and self._callee_has_effects(op.callee))

    def _callee_has_effects(self, callee: Function) -> bool:
        if callee is self.function:
            return True
        if lasting(callee) is not None:
            return self._acts(callee)
        if callee not in self._effects:
            self._effects[callee] = True  # a recursive call stands for anything
            self._effects[callee] = any(map(self.must_run, ops_of(callee.body)))
        return self._effects[callee]

    def _tells_apart(self, op: Call) -> bool:
        """Test for a call that asks, or whose callee asks, which objects its operands are."""
        return _asks_which(op) if op.callee is None else self._asks_which(op.callee)

    # --- writes

    def own_writes(self, op: Op) -> Nodes:
        """The classes that the operation itself writes."""
        if not isinstance(op, Call):
            return NOTHING
        found = self._writes.get(op)
        if found is None:
            found = self._writes[op] = self._find_writes(op)
        return found

    def _find_writes(self, op: Call) -> Nodes:
        if op.callee is not None:
            if op.callee is self.function:
                return self._reach_of_all(op.operands())
            return frozenset(self.aliases.own_writes(op))
        does = effects(op)
        if does is QUIET:
            return NOTHING
        own = [self.node(value) for value in does.writes if type(value.kind) not in PLAIN]
        return self._reach_of_all(does.changes).union(own)

    def writes(self, op: Op) -> Nodes:
        """The classes that the operation writes, nested operations included."""
        if isinstance(op, Call):
            return self.own_writes(op)
        found = self._writes.get(op)
        if found is None:
            nested = [self.writes(inner) for block in op.blocks() for inner in block.ops]
            found = self._writes[op] = NOTHING.union(*nested)
        return found

    # --- reads

    def own_reads(self, op: Op) -> Nodes:
        """The classes whose contents the operation itself reads."""
        if isinstance(op, Call):
            return self._call_reads(op)
        if isinstance(op, Straight):
            return self.reach(op.head)
        return NOTHING.union(*map(self.reach, op.steering)) if isinstance(op, Loop) else NOTHING

    def _call_reads(self, op: Call) -> Nodes:
        read = (v for v in op.operands() if type(v.kind) not in PLAIN and type(v) not in UNBOUND)
        return NOTHING.union(*(self.aliases.reads_of(op, v) for v in read))

    def _reach_of_all(self, values: Iterable[Value]) -> Nodes:
        found = [self.reach(v) for v in values if type(v.kind) not in PLAIN]
        return NOTHING.union(*found) if found else NOTHING

    # --- results

    def is_fresh(self, op: Op | None) -> bool:
        """Certainty that the result is an array of its own, which nothing else holds yet."""
        if not isinstance(op, Call) or op.callee is not None or len(op.results) != 1 or not is_proper_array(op.result.kind):
            return False
        does = effects(op)
        return not (does.shares or does.unknown)


def _acts(op: Call) -> bool:
    """Test for a call that does something itself, other than writing memory, that must happen, or may raise."""
    return bool(op.check) or (op.callee is None and effects(op).world)


def _asks_which(op: Call) -> bool:
    """Test for a call that asks itself which objects its operands are."""
    if op.callee is not None:
        return False
    return op.target in having("tells apart") and not any(isinstance(v, Const) for v in op.args)


def is_window(op: Op) -> bool:
    """Certainty that the result is a window into another array, and that making it reads no contents."""
    return (
        isinstance(op, Call)
        and view_base(op) is not None
        and isinstance(op.results[0].kind, Array)
        and effects(op).certain
    )


def depends_on_layout(op: Op) -> bool:
    """Test for strides that decide whether the result is a window or a copy."""
    return is_unsure(op) and isinstance(op, Call) and op.target.startswith(("numpy.", "ndarray."))


def is_zeroing(op: Call) -> bool:
    """Test for an operation that stores a literal zero in a window of an array."""
    if op.target != "operator.setitem" or not isinstance(op.args[0].kind, Array):
        return False
    value = op.args[2]
    return isinstance(value, Const) and type(value.payload) in (int, float) and value.payload == 0


def is_proper_array(kind: Kind) -> bool:
    """An array with known dtype and at least one axis: arithmetic on it yields arrays, never NumPy's numbers."""
    return isinstance(kind, Array) and kind.dtype is not None and bool(kind.shape)


def touched(block: Block) -> dict[Value, list[int]]:
    """For each value, the positions in the block of the operations that mention it, directly or nested."""
    table: dict[Value, list[int]] = {}
    for position, op in enumerate(block.ops):
        for value in reads_of(op):
            places = table.setdefault(value, [])
            if not places or places[-1] != position:
                places.append(position)
    return table
