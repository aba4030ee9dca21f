"""Windows become places in their arrays, and sizes that are the same become one: so what neighbouring loops share shows.

    v1 = u[1:-1]                            n = max(u.shape[0] - 2, 0)
    v2 = v.copy()[2:]                       common(w.shape[0], n)
    common(v1.shape[0], v2.shape[0])   ==>  for k in range(n):
    for k in range(v1.shape[0]):                u[k + 1] += w[k + 2]
        v1[k] += v2[k]

Places count from 0 here: only what a loop counts from 0 on, and what was looked at, is moved into the array of a window. A size
is computed once where it is known, and what was compared is not compared again.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from s2sad.ir.builder import Builder
from s2sad.ir.kinds import Array, Scalar, Tuple, rank_of
from s2sad.ir.nodes import Block, Call, Const, For, Function, Op, Value
from s2sad.ir.walk import definers, ops_of, substitute, substitute_all
from s2sad.loops.numbers import LOOPS
from s2sad.rules import registry

ITEMS = {"operator.getitem", "operator.setitem", "s2sad.additem", "s2sad.subitem"}
MADE = {"numpy.empty", "numpy.zeros", "numpy.ones", "numpy.full"}
ALIKE = {"numpy.copy", "ndarray.copy", "numpy.zeros_like", "numpy.ones_like", "numpy.empty_like"}


@dataclass(frozen=True)
class Part:
    """An axis of an array as a window has it: one place of it, or what lies from ``start`` on, as its axis ``axis``."""

    place: Value | None = None
    start: int = 0
    stop: int | None = None
    axis: int = -1

    @property
    def extent(self) -> tuple[int | None, int]:
        """The most that its size can be, with the number of items that are cut off then."""
        behind = self.stop is not None and self.stop < 0
        return None if behind else self.stop, self.start - (self.stop or 0) * behind


@dataclass(frozen=True)
class Window:
    """A window: its array, the parts of that array's axes, and the number of its own axes."""

    base: Value
    parts: tuple[Part, ...]
    rank: int


def run(function: Function) -> None:
    """Rewrite a lowered function in place."""
    Spaces(function).run()


class Spaces:
    """The windows and the sizes of one function.

    ``same``, ``held`` and ``equal`` are what is known where the rewriting has come to.
    """

    def __init__(self, function: Function) -> None:
        self.function = function
        self.made = definers(function)
        self.windows: dict[Value, Window | None] = {}
        self.counters = {op.body.params[0] for op in ops_of(function.body) if isinstance(op, For) and self._never_negative(op)}
        self.table: dict[Value, Value] = {}
        self.same: dict[Hashable, Hashable] = {}
        self.held: dict[Hashable, Value] = {}
        self.keys: dict[Value, Hashable] = {}  # of sizes that are computed here
        self.equal: dict[Value, Value] = {}  # what a size was found to be

    def run(self) -> None:
        """Rewrite the function."""
        self._block(self.function.body)
        substitute_all(self.function.body, self.table)

    def _never_negative(self, loop: For) -> bool:
        """Test for a loop that counts numbers which are never negative."""
        items = self.made.get(loop.iterable)
        if not isinstance(items, Call) or items.target != "builtins.range":
            return False
        start, stop, step = ((Const(0), *items.args, Const(1)) if len(items.args) == 1 else (*items.args, Const(1)))[:3]
        upwards = isinstance(step, Const) and step.payload > 0
        least = start if upwards else stop
        if not isinstance(step, Const) or not isinstance(least, Const) or type(least.payload) is not int:
            return False
        return least.payload >= (0 if upwards else -1)

    # --- windows

    def window(self, value: Value) -> Window | None:
        """The window that a value is, if that is known in numbers; windows of windows are those of the first array."""
        if value not in self.windows:
            self.windows[value] = self._window(value)
        return self.windows[value]

    def _window(self, value: Value) -> Window | None:
        op = self.made.get(value)
        view = isinstance(op, Call) and op.target == "operator.getitem" and isinstance(value.kind, Array)
        if not view or not isinstance(op, Call) or not isinstance(op.args[0].kind, Array):
            return None
        base, places = op.args[0], self.places(op.args[1])
        rank = rank_of(base.kind)
        if places is None or rank is None:
            return None
        parts: list[Part] = []
        axis = 0
        for place in places:
            if isinstance(place, Const) and isinstance(place.payload, slice):
                start, stop, step = place.payload.start, place.payload.stop, place.payload.step
                if step not in (None, 1) or not (start is None or start >= 0):
                    return None
                parts.append(Part(start=start or 0, stop=stop, axis=axis))
                axis += 1
            elif isinstance(place, Const) and place.payload is None:
                axis += 1
            elif self._counts_from_start(place):
                parts.append(Part(place))
            else:
                return None
        if len(parts) > rank:
            return None
        for _ in range(rank - len(parts)):
            parts.append(Part(axis=axis))
            axis += 1
        own = Window(base, tuple(parts), axis)
        outer = self.window(base)
        return own if outer is None else self._within(outer, own)

    @staticmethod
    def _within(outer: Window, inner: Window) -> Window | None:
        """A window of a window; None of one that leaves out what an end from behind cuts off."""
        parts: list[Part] = []
        for part in outer.parts:
            if part.place is not None:
                parts.append(part)
                continue
            own = inner.parts[part.axis]
            if own.place is not None:
                if part.start:
                    return None
                parts.append(own)
            elif part.start == 0 and part.stop is None:
                parts.append(own)
            elif own.start == 0 and own.stop is None:
                parts.append(Part(start=part.start, stop=part.stop, axis=own.axis))
            else:
                return None
        return Window(outer.base, tuple(parts), inner.rank)

    def places(self, index: Value) -> list[Value] | None:
        """The parts of an index."""
        if not isinstance(index.kind, Tuple):
            return [index]
        if isinstance(index, Const):
            return [Const(part) for part in index.payload]
        op = self.made.get(index)
        return list(op.args) if isinstance(op, Call) and op.target == "builtins.tuple" else None

    def _counts_from_start(self, place: Value) -> bool:
        """Certainty that a place is not counted from the end."""
        if isinstance(place, Const):
            return type(place.payload) is int and place.payload >= 0
        op = self.made.get(place)
        return place in self.counters or isinstance(op, Call) and op.target == f"{LOOPS}at"

    # --- sizes

    def _root(self, key: Hashable) -> Hashable:
        while key in self.same:
            key = self.same[key]
        return key

    def key(self, array: Value, axis: int) -> Hashable:
        """A key that tells the size of an axis from others that may differ."""
        seen = self.window(array)
        if seen is not None:
            part, where = next(((p, k) for k, p in enumerate(seen.parts) if p.axis == axis), (None, 0))
            if part is None:
                return self._root(1)
            whole = self.key(seen.base, where)
            limit, cut = part.extent
            return whole if (limit, cut) == (None, 0) else self._root(("part", whole, limit, cut))
        op = self.made.get(array)
        if not isinstance(op, Call):
            return self._root((array, axis))
        if op.target in ALIKE and isinstance(op.args[0].kind, Array):
            return self.key(op.args[0], axis)
        if op.target == "ndarray.T":
            return self.key(op.args[0], (rank_of(array.kind) or 0) - 1 - axis)
        if op.target in MADE:
            shape, sizes = self.made.get(op.args[0]), self.places(op.args[0])
            if isinstance(shape, Call) and shape.target == "ndarray.shape":
                return self.key(shape.args[0], axis)
            if sizes is not None and isinstance(sizes[axis].kind, Scalar):
                return self.number(sizes[axis])
        return self._root((array, axis))

    def number(self, n: Value) -> Hashable:
        """The same of a number."""
        n = self._now(n)
        if isinstance(n, Const):
            return self._root(n.payload)
        if n in self.keys:
            return self._root(self.keys[n])
        size = self._size(self.made.get(n))
        return self._root(n) if size is None else self.key(*size)

    def _size(self, op: Op | None) -> tuple[Value, int] | None:
        """The array and the axis of which an operation tells the size."""
        if isinstance(op, Call) and op.target in ("builtins.len", "ndarray.size") and isinstance(op.args[0].kind, Array):
            return (op.args[0], 0) if op.target == "builtins.len" or op.args[0].kind.rank == 1 else None
        if not isinstance(op, Call) or op.target != "operator.getitem" or not isinstance(op.args[1], Const):
            return None
        shape = self.made.get(op.args[0])
        if not isinstance(shape, Call) or shape.target != "ndarray.shape":
            return None
        axis, rank = op.args[1].payload, rank_of(shape.args[0].kind)
        if type(axis) is not int or rank is None or not -rank <= axis < rank:
            return None
        return shape.args[0], axis % rank

    def _known(self, array: Value, axis: int, b: Builder) -> Value:
        """The size of an axis, computed here if it is not at hand."""
        key = self.key(array, axis)
        if isinstance(key, int):
            return Const(key)
        if key not in self.held:
            self.held[key] = n = self._computed(array, axis, b)
            self.keys[n] = key
        return self.held[key]

    def _computed(self, array: Value, axis: int, b: Builder) -> Value:
        seen = self.window(array)
        if seen is None:
            return self._call(b, "operator.getitem", self._call(b, "ndarray.shape", array), axis)
        where, part = next((k, p) for k, p in enumerate(seen.parts) if p.axis == axis)
        n = self._known(seen.base, where, b)
        limit, cut = part.extent
        if limit is not None:
            n = self._call(b, "builtins.min", n, limit)
        return self._call(b, "builtins.max", self._call(b, "operator.sub", n, cut), 0) if cut else n

    def _call(self, b: Builder, target: str, *args: Value | int) -> Value:
        result = b.call(target, *args)
        self.made[result] = b.block.ops[-1]
        return result

    # --- the rewriting

    def _now(self, value: Value) -> Value:
        """The stand-in of a value here."""
        while value in self.table or value in self.equal:
            value = self.table[value] if value in self.table else self.equal[value]
        return value

    def _block(self, block: Block) -> None:
        before = dict(self.same), dict(self.held), dict(self.equal)
        ops, block.ops = block.ops, []
        b = Builder(block, registry.infer)
        turn = self.function.reverse_at if block is self.function.body else None
        for at, op in enumerate(ops):
            if at == turn:
                self.function.reverse_at = len(block.ops)
            b.loc, b.primal = op.loc, op.primal
            self._op(op, b)
            for inner in op.blocks():
                self._block(inner)
        self.same, self.held, self.equal = before

    def _op(self, op: Op, b: Builder) -> None:
        substitute(op, self._now)
        size = self._size(op)
        if size is not None:
            self.table[op.result] = self._known(*size, b)
        elif isinstance(op, Call) and op.target == f"{LOOPS}common":
            self._common(op, b)
        elif isinstance(op, Call) and (known := self._folded(op)) is not None:
            self.table[op.result] = known
        else:
            if isinstance(op, Call) and op.target in ITEMS and op.args:
                self._item(op, b)
            b.append(op)

    def _folded(self, op: Call) -> Value | None:
        """The value of a size, a step or a place, if that follows from what is known of sizes."""
        if op.target == f"{LOOPS}stretched":
            n, m = op.args
            one, other = self.number(n), self.number(m)
            return n if one == other or other == 1 else m if one == 1 else None
        if op.target == f"{LOOPS}step":
            size = self.number(op.args[0])
            return Const(int(size != 1)) if isinstance(size, int) else None
        if op.target == f"{LOOPS}at":
            i, size = self._now(op.args[0]), self.number(op.args[1])
            within = isinstance(i, Const) and isinstance(size, int) and type(i.payload) is int and 0 <= i.payload < size
            return i if within else None
        if op.target == "operator.mul" and isinstance(op.result.kind, Scalar) and op.result.kind.dtype == "int64":
            i, step = op.args
            if isinstance(step, Const) and step.payload in (0, 1) and isinstance(i.kind, Scalar) and i.kind.dtype == "int64":
                return i if step.payload else Const(0)
        return None

    def _common(self, op: Call, b: Builder) -> None:
        n, m = op.args
        one, other = self.number(n), self.number(m)
        if one != other:
            b.append(op)
            self.made[op.result] = op
            for key, size in ((one, n), (other, m)):
                self.held.setdefault(key, size)
            ages = list(self.held)
            one, other = sorted((one, other), key=ages.index)
            self.same[other] = one
            self.equal[self.held[other]] = self.held[one]
        self.table[op.result] = self.held.get(one, n)

    def _item(self, op: Call, b: Builder) -> None:
        """Have an item of a window be one of its array."""
        seen, places = self.window(op.args[0]), self.places(op.args[1])
        if seen is None or places is None or len(places) != seen.rank or not all(map(self._counts_from_start, places)):
            return
        found = [part.place or self._moved(places[part.axis], part.start, b) for part in seen.parts]
        op.args = [seen.base, found[0] if len(found) == 1 else self._call(b, "builtins.tuple", *found), *op.args[2:]]

    def _moved(self, place: Value, start: int, b: Builder) -> Value:
        if isinstance(place, Const):
            return Const(place.payload + start)
        return self._call(b, "operator.add", place, start) if start else place
