"""Operations so cheap that they are written out wherever their results are used, however often that is.

    v1 = builtins.slice(1, n)
    v2 = operator.getitem(u, v1)      ==>     u[1:n] = f(u[1:n])
    ...
    operator.setitem(u, v1, v3)

These are subscripts (slices, tuples of them, ``i + 1``, and ``i + n`` where it is read in one place or two), the ranges of
loops (``range(len(x))``), windows that are read twice, and transposes.
"""

from __future__ import annotations

from s2sad.analysis.views import is_window, writes_items
from s2sad.emit.motion import Motion
from s2sad.emit.uses import Use, Uses
from s2sad.ir.kinds import Array, Tuple, is_scalar
from s2sad.ir.nodes import Call, Const, Function, Op, Value
from s2sad.ir.walk import blocks_of, ops_of
from s2sad.rules.traits import having

INDEX_PARTS = {"builtins.slice", "builtins.tuple"}
OFFSETS = {"operator.add", "operator.sub"}
PLACES = {*OFFSETS, "operator.mul"}
RANGES = {"builtins.range", "builtins.reversed"}


class Repeats:
    """``found`` maps the values to the operations that are printed in their place."""

    def __init__(self, function: Function, uses: Uses, motion: Motion, compact: bool) -> None:
        self.uses = uses
        self.motion = motion
        self.compact = compact
        self.rebound = _rebound(function)
        self.found: dict[Value, Op] = {}
        for op in reversed(list(ops_of(function.body))):
            if isinstance(op, Call) and op.callee is None and self._repeats(op):
                self.found[op.result] = op

    def _repeats(self, op: Call) -> bool:
        if len(op.results) != 1 or op.result.name is not None:
            return False
        uses = self.uses.of.get(op.result, [])
        if self._is_window(op, uses) or self._is_turned(op, uses):
            return True
        if self._is_subscript_part(op):
            elsewhere = self.motion.block_of[op] is not uses[0].block
            return len(uses) > 1 or not self.compact or elsewhere or self._in_repeated(uses[0])
        return self.compact and bool(uses) and self._is_range_part(op, uses)

    def _in_repeated(self, use: Use) -> bool:
        return use.op is not None and not self.found.keys().isdisjoint(use.op.results)

    # --- windows

    def _is_window(self, op: Call, uses: list[Use]) -> bool:
        """Test for an operation ``a[1:-1]``, read twice: a window shows what is there, whenever it is made."""
        if not self.compact or op.target != "operator.getitem" or len(uses) != 2 or not isinstance(op.args[1], Const):
            return False
        return is_window(op) and self._shows(op, uses)

    def _is_turned(self, op: Call, uses: list[Use]) -> bool:
        """Test for an operation ``a.T`` that is read several times."""
        return self.compact and len(uses) > 1 and _turns(op) and self._shows(op, uses)

    def _shows(self, op: Call, uses: list[Use]) -> bool:
        """Test for a window of a variable that stays, read in expressions of its own block."""
        if not isinstance(op.args[0].kind, Array) or op.args[0].name in {None, *self.rebound}:
            return False
        here = self.motion.block_of[op]
        return all(u.block is here and isinstance(u.op, Call) and self.motion.is_pure(u.op) for u in uses)

    # --- subscripts

    def _is_subscript_part(self, op: Call) -> bool:
        part = op.target in INDEX_PARTS or self.compact and (_is_offset(op) or self._is_place(op))
        return part and self._is_subscript(op.result)

    def _is_place(self, op: Call) -> bool:
        """Test for ``i + n`` or ``3 * n``, read in one place or two."""
        if op.target not in PLACES or not all(is_scalar(v.kind) and _is_leaf(v) for v in op.args):
            return False
        return len(self.uses.of.get(op.result, [])) <= 2

    def _is_subscript(self, value: Value) -> bool:
        """Test for a value that is read, and only as a subscript or a part of one."""
        uses = self.uses.of.get(value, [])
        return bool(uses) and all(isinstance(u.op, Call) and self._at_subscript(value, u.op) for u in uses)

    def _at_subscript(self, value: Value, op: Call) -> bool:
        if op.callee is not None:
            return False
        if op.target in INDEX_PARTS:
            return op.result.name is None and self._is_subscript(op.result)
        subscripted = op.target == "operator.getitem" or writes_items(op.target)
        return subscripted and op.args[1] is value and sum(v is value for v in op.operands()) == 1

    # --- ranges

    def _is_range_part(self, op: Call, uses: list[Use]) -> bool:
        """Test for an operation that makes the range of several loops, from numbers and shapes that stay."""
        if any(value.name in self.rebound for value in op.operands()):
            return False
        if op.target in RANGES:
            return len(uses) > 1 and self._is_loop_head(op.result)
        shape = op.target in having("tells sizes") and isinstance(op.args[0].kind, Array)
        item = op.target == "operator.getitem" and isinstance(op.args[0].kind, Tuple)
        known = shape or _is_offset(op) or item and isinstance(op.args[1], Const)
        return known and all(map(self._in_repeated, uses))

    def _is_loop_head(self, value: Value) -> bool:
        """Test for a value that loops run over, forwards or backwards, and that nothing else reads."""
        readers = [use.op for use in self.uses.of.get(value, []) if use.role != "iterable"]
        return all(isinstance(op, Call) and self._hands_on(op) for op in readers)

    def _hands_on(self, op: Call) -> bool:
        return op.target in RANGES and op.result.name is None and self._is_loop_head(op.result)


def _is_offset(op: Call) -> bool:
    """``i + 1``."""
    if op.target not in OFFSETS or not is_scalar(op.args[0].kind):
        return False
    return isinstance(op.args[1], Const) and type(op.args[1].payload) is int


def _is_leaf(value: Value) -> bool:
    """Test for a name of the user's, or a literal integer."""
    return type(value.payload) is int if isinstance(value, Const) else value.name is not None


def _rebound(function: Function) -> set[str | None]:
    """The names that several values have."""
    seen: set[str | None] = set()
    again: set[str | None] = set()
    for block in blocks_of(function.body):
        values = [*block.params, *(value for op in block.ops for value in op.results)]
        for value in values + (function.values if block is function.body else []):
            (again if value.name in seen else seen).add(value.name)
    return again - {None}


def _turns(op: Call) -> bool:
    """``a.T``."""
    return op.target in having("moves") and op.target in having("reads well in place")
