"""Common subexpressions: what has been computed before, from the same operands and the same memory, is not computed again.

Before::

    v1 = numpy.cos(x)                  v3 = operator.getitem(a, 0)
    v2 = numpy.cos(x)                  operator.setitem(a, 0, v3)
    v = operator.mul(v1, v2)           v4 = operator.getitem(a, 0)

After::

    v1 = numpy.cos(x)                  v3 = operator.getitem(a, 0)
    v = operator.mul(v1, v1)           operator.setitem(a, 0, v3)
                                       v4 = operator.getitem(a, 0)

Blocks are walked in order. An earlier computation is available where its block encloses the later one. Each class of
memory has a version, which every store changes, and a computation that reads memory is known by the versions it saw.
Buffers that are written keep their identity: two calls of ``zeros`` stay two; nor do two results that the caller
gets become one array. What reads best where it stands (``i - 1`` in an index, ``x.T``, ``x.shape``) is recognised as
equal but left alone.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from itertools import count

from s2sad.analysis.alias import Node, is_droppable
from s2sad.ir.kinds import NUMERIC, UNKNOWN, Array, List, Scalar, StructKind, rank_of
from s2sad.ir.nodes import Block, Call, Const, Function, FunctionRef, Global, If, Loop, Op, Value
from s2sad.ir.walk import stand_in, substitute, substitute_all
from s2sad.optimize.memory_effects import Memory, is_window
from s2sad.optimize.rewriting import const_key, drop, keeps_border, pass_name
from s2sad.rules.traits import having

INDEX_ARITHMETIC = {"operator.add", "operator.sub", "operator.neg"}
# Displays, which make an object with an identity.
OURS = {"s2sad.dict", "s2sad.runtime.record"}


def is_unique(op: Call) -> bool:
    """Test for a call that makes an object of its own, so that two that read alike are two."""
    return op.target in OURS or op.target in having("one of a kind")


@keeps_border
def run(function: Function, memory: Memory | None = None) -> bool:
    """Replace repeated computations by the first one."""
    return _Numbering(function, memory or Memory(function)).run()


class _Numbering:
    """One walk over a function, in order."""

    def __init__(self, function: Function, memory: Memory) -> None:
        self.function = function
        self.memory = memory
        self.available: dict[Hashable, Call] = {}
        self.alike: dict[Hashable, Value] = {}  # what is left in place, by its key
        self.number: dict[Value, Value] = {}  # a value in place, by the first one equal to it
        self.versions: dict[Node, int] = {}
        self.clock = count(1)
        self.table: dict[Value, Value] = {}
        self.dead: set[Op] = set()
        self.unique, self.commutes = having("one of a kind") | OURS, having("commutes")
        self.inner = having("commutes for vectors")

    def run(self) -> bool:
        """Walk, then replace; whether anything changed."""
        self.block(self.function.body)
        substitute_all(self.function.body, self.table)
        drop(self.function, self.dead)
        return bool(self.dead)

    def block(self, block: Block) -> None:
        """Walk a block; what it computes is forgotten behind it."""
        added: list[Hashable] = []
        for op in block.ops:
            if self.table:
                substitute(op, partial(stand_in, self.table))
            if isinstance(op, Call):
                self.call(op, added)
            else:
                self.nested(op)
            self.written(op)
        for key in added:
            del self.available[key]

    def nested(self, op: Op) -> None:
        """Walk the blocks of control flow: a loop's body may run after itself, a branch not after the other."""
        if isinstance(op, Loop):
            self.written(op)
        before = dict(self.versions)
        for inner in op.blocks():
            if isinstance(op, If):
                self.versions = dict(before)
            self.block(inner)

    def written(self, op: Op) -> None:
        """New versions for the memory that an operation writes."""
        for node in self.memory.writes(op):
            self.versions[node.find()] = next(self.clock)

    # --- calls

    def call(self, op: Call, added: list[Hashable]) -> None:
        """Look a call up, or enter it."""
        if not self.is_function(op):
            return
        key = self.key(op)
        if self.stays_in_place(op):
            self.number[op.result] = self.alike.setdefault(key, op.result)
            return
        if not self.has_no_identity(op):
            return
        earlier = self.available.get(key)
        if earlier is None:
            self.available[key] = op
            added.append(key)
        elif not (self.is_own_array(op) and self.memory.escapes(earlier.result) and self.memory.escapes(op.result)):
            self.merge(op, earlier)

    def merge(self, op: Call, earlier: Call) -> None:
        """The result of the earlier call stands for that of the later."""
        value = earlier.result
        self.memory.merge(value, op.result)
        earlier.check = earlier.check or op.check
        self.table[op.result] = value
        pass_name(op.result, value, earlier)
        if value.kind == UNKNOWN:
            value.kind = op.result.kind
        self.dead.add(op)

    def is_function(self, op: Call) -> bool:
        """Test for a call that computes its one result from its operands and does nothing else."""
        if op.callee is not None or len(op.results) != 1 or op.target in self.unique or "out" in op.kwargs:
            return False
        return is_droppable(op)

    def stays_in_place(self, op: Call) -> bool:
        """Test for a repeated call that is better left where it stands: cheap, and the same wherever it stands."""
        if op.target in having("reads well in place"):
            return not self.reads_written(op)
        index = isinstance(op.result.kind, Scalar) and op.result.kind.dtype == "int64"
        return op.target in INDEX_ARITHMETIC and index and any(isinstance(v, Const) for v in op.args)

    def has_no_identity(self, op: Call) -> bool:
        """Test for a result that nobody can tell from an equal one."""
        if isinstance(op.result.kind, List | StructKind):
            return False
        return is_window(op) and not self.memory.is_told_apart(op.result) or not self.memory.mutable(op.result)

    def is_own_array(self, op: Call) -> bool:
        """Possibility that the result is a new array (or holds one), and not a number or a window."""
        return not isinstance(op.result.kind, Scalar) and not is_window(op)

    # --- keys

    def key(self, op: Call) -> Hashable:
        """Equal for calls that compute the same."""
        operands = [self.operand(v) for v in op.args]
        if op.target in self.commutes and all(isinstance(v.kind, NUMERIC) for v in op.args) or self.is_inner(op):
            operands.sort(key=_order)
        named = tuple(sorted((k, self.operand(v)) for k, v in op.kwargs.items())) if op.kwargs else ()
        return (op.target, tuple(operands), named, self.version(op))

    def is_inner(self, op: Call) -> bool:
        """Test for the inner product of two vectors of real numbers."""
        return op.target in self.inner and len(op.args) == 2 and all(map(_is_real_vector, op.args))

    def operand(self, value: Value) -> tuple[str, Hashable]:
        """The same for operands that are the same."""
        if isinstance(value, Const):
            return ("literal", const_key(value))
        if isinstance(value, Global):
            return ("global", value.identity)
        if isinstance(value, FunctionRef):
            return ("function", value.function)
        return ("value", self.number.get(value, value))

    def reads_written(self, op: Call) -> bool:
        """Test for a call that reads memory which some store writes."""
        return not self.memory.written.isdisjoint(self.memory.own_reads(op))

    def version(self, op: Call) -> int:
        """The time at which the memory that the call reads was last written."""
        if not self.versions:
            return 0
        return max((self.versions.get(node.find(), 0) for node in self.memory.own_reads(op)), default=0)


def _is_real_vector(value: Value) -> bool:
    return isinstance(value.kind, Array) and rank_of(value.kind) == 1 and value.kind.dtype in ("float64", "float32")


def _order(operand: tuple[str, Hashable]) -> tuple[str, str | int]:
    what, item = operand
    return what, item if isinstance(item, str) else id(item)
