"""Accumulation: a first contribution is assigned, not added to zeros.

Before::

    x_bar = numpy.zeros_like(x)                    operator.setitem(a_bar, i, 0.0)
    v1 = operator.mul(g, y)                        v2 = operator.mul(v1, c)
    s2sad.additem(x_bar, ..., v1)                  s2sad.additem(a_bar, i, v2)
    w = operator.getitem(x_bar, 1:-1)
    s2sad.additem(w, ..., v3)

After::

    x_bar = operator.mul(g, y)                     v2 = operator.mul(v1, c)
    s2sad.additem(x_bar, 1:-1, v3)                 operator.setitem(a_bar, i, v2)

What was added to some items before it was all is added afterwards.
The buffer of zeros may be replaced when nothing uses it before the addition, and the contribution certainly has its
shape and dtype: by the contribution itself if that is an array of its own, by a copy of it otherwise, and by
``full_like`` where the contribution is a number.
"""

from __future__ import annotations

from functools import cached_property

from s2sad.analysis.shapes import FILL, Shapes
from s2sad.analysis.views import STORES
from s2sad.ir.kinds import ELLIPSIS, Array, Scalar, dtype_of, rank_of
from s2sad.ir.nodes import Block, Call, Const, Function, Op, Value
from s2sad.ir.walk import ops_of, reads_of, substitute_all, use_counts
from s2sad.optimize.memory_effects import (
    Memory,
    depends_on_layout,
    is_proper_array,
    is_window,
    is_zeroing,
    touched,
)
from s2sad.optimize.rewriting import const_key, drop, keeps_border
from s2sad.rules import registry
from s2sad.rules.application import fits
from s2sad.rules.traits import having, spelled


@keeps_border
def run(function: Function, memory: Memory | None = None) -> bool:
    """Turn first additions into assignments."""
    return _Accumulation(function, memory or Memory(function)).run()


class _Accumulation:
    def __init__(self, function: Function, memory: Memory) -> None:
        self.function = function
        self.memory = memory
        self.uses = use_counts(function)
        self.zeros = {*having("makes zeros"), "s2sad.runtime.zeros"}
        self.maker: dict[Value, Call] = {}
        self.home: dict[Value, Block] = {}
        self.table: dict[Value, Value] = {}
        self.dead: set[Op] = set()
        self.changed = False
        self.stores: dict[object, int] = {}
        self.layouts: set[object] = set()  # classes of which a reshape may or may not be a window
        for op in ops_of(function.body):
            for node in self.memory.own_writes(op):
                self.stores[node] = self.stores.get(node, 0) + 1
            if depends_on_layout(op):
                self.layouts |= {node for v in op.operands() for node in self.memory.reach(v)}

    def run(self) -> bool:
        """Walk all blocks, then replace; whether anything changed."""
        self.block(self.function.body)
        substitute_all(self.function.body, self.table)
        drop(self.function, self.dead)
        return self.changed

    def block(self, block: Block) -> None:
        """Rewrite the stores of a block and of those nested in it."""
        for op in block.ops:
            if isinstance(op, Call) and len(op.results) == 1:
                self.maker[op.result] = op
                self.home[op.result] = block
            if isinstance(op, Call) and op.target in STORES:
                self.window(op)
                self.summed(op)
            for inner in op.blocks():
                self.block(inner)
        self.first_additions(block)
        self.after_zero(block)

    # --- additions to windows

    def window(self, op: Call) -> None:
        """``w = a[i]; w += v`` is ``a[i] += v``."""
        base, index, _ = op.args
        view = self.maker.get(base)
        if view is None or not is_whole(index) or view.target != "operator.getitem" or self.uses[base] != 1:
            return
        if base.name is None and is_window(view) and isinstance(view.args[0].kind, Array):
            op.args[:2] = view.args
            self.uses[base] = 0
            self.dead.add(view)
            self.changed = True

    def summed(self, op: Call) -> None:
        """``a[None, :] += sum(v, axis=0, keepdims=True)`` is ``a += sum(v, axis=0)``: the axes that are new were summed over."""
        base, index, value = op.args
        parts = index.payload if isinstance(index, Const) and isinstance(index.payload, tuple) else ()
        new = tuple(k for k, part in enumerate(parts) if part is None)
        if not adds_items(op.target) or not 0 < len(new) < len(parts) or any(p is not None and p != slice(None) for p in parts):
            return
        total = self.maker.get(value)
        if total is None or self.uses[value] != 1 or value.name is not None or not sums_along(total, new):
            return
        if rank_of(value.kind) == len(parts) and rank_of(base.kind) == len(parts) - len(new):
            del total.kwargs["keepdims"]
            op.args[1] = Const(...)
            value.kind = registry.infer(total)
            self.changed = True

    # --- additions to fresh zeros

    def first_additions(self, block: Block) -> None:
        """Assign where a whole array is added to zeros that nothing has used yet, or to the negation of something."""
        zeros = [op for op in block.ops if self.is_zeros(op)]
        signs = [op for op in block.ops if isinstance(op, Call) and op.target == NEG and self.memory.mutable(op.result)]
        if not zeros and not signs:
            return
        users = {value: [block.ops[k] for k in places] for value, places in touched(block).items()}
        for op in zeros:
            used = users.get(op.results[0], [])
            whole = next((k for k, user in enumerate(used) if not self.adds_some(user, op.results[0])), len(used))
            first = used[whole] if whole < len(used) else None
            if not isinstance(first, Call) or whole and not adds_items(first.target):
                continue
            if self.assign(op, first) and whole:
                moved, at = set(used[:whole]), block.ops.index(first) + 1
                block.ops[:at] = [*(inner for inner in block.ops[:at] if inner not in moved), *used[:whole]]

        for op in signs:
            first = next(iter(users.get(op.results[0], ())), None)
            if isinstance(first, Call) and first.target == "s2sad.additem":
                self.difference(op, first)

    def difference(self, negation: Call, first: Call) -> None:
        """``x = -v; x += w`` is ``x = w - v``."""
        (v,), buffer = negation.args, negation.result
        target, index, w = first.args
        if target is not buffer or not is_whole(index) or w in self.table or first in self.dead:
            return
        plain = dtype_of(w.kind) == dtype_of(buffer.kind) == dtype_of(v.kind) is not None and not self.memory.mutable(v)
        whole = isinstance(w.kind, Array) and fits(w.kind, buffer.kind) and fits(v.kind, buffer.kind) and rank_of(buffer.kind)
        if plain and whole and self.memory.node(buffer) not in self.layouts:
            self.become(negation, first, "operator.sub", w, v)

    def adds_some(self, op: Op, buffer: Value) -> bool:
        """Test for an operation that adds to some items of a buffer, and might as well do it later."""
        if not isinstance(op, Call) or not adds_items(op.target) or op.args[0] is not buffer or is_whole(op.args[1]):
            return False
        return not any(map(self.memory.mutable, op.operands()[1:]))

    def is_zeros(self, op: Op) -> bool:
        """Test for an operation that makes an array of zeros of known dtype."""
        known = isinstance(op, Call) and op.target in self.zeros and op.callee is None
        return known and isinstance(op.results[0].kind, Array) and op.results[0].kind.dtype is not None

    @cached_property
    def shapes(self) -> Shapes:
        """The shapes, and which values share them."""
        return Shapes(self.function, self.memory.mutable)

    def assign(self, zeros: Op, first: Call) -> bool:
        """Replace ``zeros`` by the contribution that ``first``, its first use, adds to all of it; whether that is possible."""
        buffer = zeros.results[0]
        if not (isinstance(zeros, Call) and first.target in STORES and len(first.args) == 3):
            return False
        target, index, value = first.args
        if target is not buffer or not is_whole(index) or value is buffer or value in self.table:
            return False
        if dtype_of(value.kind) != dtype_of(buffer.kind) or self.memory.node(buffer) in self.layouts:
            return False
        if isinstance(value.kind, Scalar):
            return self.fill(zeros, first, value)
        same = is_proper_array(value.kind) and self.shapes.same(value, buffer)
        if not (same or fits(value.kind, buffer.kind, checked=bool(first.check))):
            return False
        if first.target == "s2sad.subitem" and isinstance(buffer.kind, Array) and buffer.kind.shape == ():
            return False  # minus an array without axes is one of NumPy's numbers
        if first.target == "s2sad.subitem":
            self.become(zeros, first, NEG, value)
        elif self.is_handed_over(buffer, value):
            value.name = buffer.name or value.name
            self.take_over(zeros, first, value)
        elif self.is_only_read(buffer) and not self.memory.mutable(value):
            self.take_over(zeros, first, value)
        else:
            self.become(zeros, first, spelled("copies"), value)
        return True

    def is_handed_over(self, buffer: Value, value: Value) -> bool:
        """Test for a contribution that is a new array, made as often as the buffer, that nothing else uses."""
        once = self.uses[value] == 1 and self.home.get(value) is self.home[buffer]
        return once and self.memory.is_fresh(self.maker.get(value))

    def is_only_read(self, buffer: Value) -> bool:
        """Test for a buffer whose first addition is the only store, and that nobody else gets."""
        return self.stores.get(self.memory.node(buffer), 0) == 1 and not self.memory.escapes(buffer)

    def take_over(self, zeros: Call, first: Call, value: Value) -> None:
        """The contribution is the buffer."""
        buffer = zeros.result
        self.memory.merge(buffer, value)
        self.table[buffer] = value
        self.dead |= {zeros, first}
        self.changed = True

    def become(self, zeros: Call, first: Call, target: str, *args: Value) -> None:
        """The addition turns into the call that makes the buffer."""
        first.target, first.args, first.results = target, list(args), zeros.results
        self.dead.add(zeros)
        self.changed = True

    def fill(self, zeros: Call, first: Call, value: Value) -> bool:
        """``zeros_like(x) + number`` is ``full_like(x, number)``."""
        plain = zeros.target == spelled("makes zeros") and len(zeros.args) == 1 and not zeros.kwargs
        if not plain or first.target == "s2sad.subitem":
            return False
        self.become(zeros, first, FILL, zeros.args[0], value)
        return True

    # --- additions to a window that has just been zeroed

    def after_zero(self, block: Block) -> None:
        """``a[i] = 0.0; a[i] += v`` is ``a[i] = v``."""
        pending: list[Call] = []  # zeroings after which nothing has touched their class
        turn = self.function.reverse_at if block is self.function.body else None
        for k, op in enumerate(block.ops):
            if k == turn:  # where the program may be cut in two, whoever calls the first part sees memory as it is there
                pending = [zero for zero in pending if not self.memory.escapes(zero.args[0])]
            if op in self.dead:
                continue
            match = self.matching(op, pending)
            if match is not None:
                assert isinstance(op, Call)
                if op.target == "s2sad.additem":
                    op.target = "operator.setitem"
                self.dead.add(match)
                self.changed = True
            pending = [zero for zero in pending if not self.touches(op, zero)]
            if isinstance(op, Call) and is_zeroing(op):
                pending.append(op)

    def matching(self, op: Op, pending: list[Call]) -> Call | None:
        """The zeroing of the window to which ``op`` is the first to add."""
        if not isinstance(op, Call) or op.target not in ("s2sad.additem", "operator.setitem"):
            return None
        for zero in pending:
            if zero.args[0] is op.args[0] and self.same_index(zero.args[1], op.args[1]) and self.may_assign(op):
                return zero
        return None

    def may_assign(self, op: Call) -> bool:
        """Permission to assign a value in place of adding it to zero: no conversion, no overlap."""
        base, index, value = op.args
        held = self.memory.reach(value) | self.memory.reach(index)
        same = dtype_of(value.kind) == dtype_of(base.kind) and dtype_of(base.kind) is not None
        return same and self.memory.node(base) not in held and not self.memory.mutable(index)

    def touches(self, op: Op, zero: Call) -> bool:
        """Test for an operation that reads or writes the class of the zeroed window, or takes a window of it."""
        node = self.memory.node(zero.args[0])
        return any(node in self.memory.reach(value) for value in reads_of(op)) or node in self.memory.writes(op)

    def same_index(self, a: Value, b: Value) -> bool:
        """Equality of two indices, looking through the tuples and slices that make them."""
        if a is b:
            return True
        if isinstance(a, Const) and isinstance(b, Const):
            return const_key(a) == const_key(b)
        x, y = self.maker.get(a), self.maker.get(b)
        if x is None or y is None or x.target != y.target or x.target not in INDEX_PARTS or len(x.args) != len(y.args):
            return False
        return all(map(self.same_index, x.args, y.args)) and not x.kwargs and not y.kwargs


NEG = "operator.neg"
INDEX_PARTS = {"builtins.tuple", "builtins.slice", "operator.add", "operator.sub", "operator.neg"}


def adds_items(target: str) -> bool:
    """Test for a call that adds to items of an array, or subtracts from them."""
    return target in ("s2sad.additem", "s2sad.subitem") or target in having("scatters")


def sums_along(op: Call, axes: tuple[int, ...]) -> bool:
    """Test for a call that sums over these axes, and keeps them with one item."""
    if op.target not in having("sums") or len(op.args) != 1 or [*op.kwargs] != ["axis", "keepdims"]:
        return False
    along, kept = op.kwargs["axis"], op.kwargs["keepdims"]
    if not (isinstance(along, Const) and isinstance(kept, Const) and kept.payload is True):
        return False
    return bool(along.payload == (axes[0] if len(axes) == 1 else axes))


def is_whole(index: Value) -> bool:
    """Test for an index that takes all of an array."""
    return index.kind == ELLIPSIS
