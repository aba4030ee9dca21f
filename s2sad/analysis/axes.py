"""The sizes of axes that kinds do not tell, by where they come from.

    w = x[hot] * y[hot]       (the count of hot,)
    x_bar[rows, 1:]           (the size of rows, what 1: leaves of x)

An axis is a set of sources, to which NumPy stretches: that of size 1 has none. Two axes with the same sources are equal, and so
are two that share one that is known not to be 1. What comes off a tape has the sizes that it had when it was recorded, in the
same iteration; what a loop carries keeps those of its start if they stay as they are. Windows are of arrays, which keep
their sizes.

Of other calls the rules for kinds tell the sizes: they are asked again, with a symbol for each axis, and each integer, of which
nothing else is known.

    n = operator.getitem(v.shape, 0)      the size of v
    w = numpy.zeros(n)                    again
    m = numpy.mean(x, axis=1)             that of the first axis of x

How many items a mask lets through is as it was for as long as nothing has been written that may be one of truths.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from s2sad.ir.kinds import (
    ANY_INT,
    RANGE,
    UNKNOWN,
    Array,
    Dim,
    Kind,
    List,
    Scalar,
    Size,
    Slice,
    Tuple,
    assuming,
    dtype_of,
    is_lasting,
    is_many,
    renamed,
    settled,
    symbols_of,
)
from s2sad.ir.nodes import LITERALS, Block, Call, Const, Function, Loop, Op, Straight, Value
from s2sad.ir.size_names import Naming
from s2sad.ir.walk import definers, ops_of
from s2sad.rules import registry
from s2sad.rules.effects import effects
from s2sad.rules.traits import having

Axis = frozenset[Any]
Axes = tuple[Axis, ...] | None
WHOLE = slice(None)
Part = tuple[str, Any]  # of an index: a new axis, what drops one, a slice, an array, or a mask
READS = ("operator.getitem", "s2sad.runtime.last_written")
STORES = ("operator.setitem", "s2sad.additem", "s2sad.subitem")
SYMBOL = "sources"  # the tag of a size that stands for an axis, or an integer
MET = "met"  # the tag of one that was named for a value of which its kind told nothing (``ad/expected.py``)


class AxesOf:
    """The axes of the values of one function. ``mutable``: what may be written; ``recorded``: what is popped, by its pop;
    ``broadcasts``: calls whose result has the shape to which their arguments are stretched; ``like``: the argument whose shape
    a result has."""

    def __init__(
        self, function: Function, mutable: Callable[[Value], bool], recorded: Mapping[Call, Value],
        broadcasts: Callable[[Call], bool], like: Callable[[Call], Value | None],
    ) -> None:  # fmt: skip
        self.mutable, self.broadcasts, self.like = mutable, broadcasts, like
        self.definer = definers(function)
        self.recorded = {op.results[0]: value for op, value in recorded.items()}
        self.table: dict[Value, Axes] = {}
        self.kinds: dict[Value, Kind] = {}  # of what is no array, where symbols tell more
        self.alike: dict[Any, Axis] = {}  # of symbols that a call has made for sizes of its arguments
        self.changing: dict[Op, set[int]] = {}
        self.results = {seed: result for result, seeds in seeds_of(function).items() for seed in seeds}
        self.settled = settled()
        self.stored: dict[Call, Axes] = {}  # the axes of what a store writes into
        self.written: Any = None  # what may have written into a mask last: an operation, at which end of it
        self.writing = {op for op in ops_of(function.body) if _may_write_truths(op)}
        with assuming(None):
            self._block(function.body)

    def same(self, a: Value, b: Value) -> bool:
        """Certainty that two values have the same shape."""
        return self.stretched_alike([a], [b])

    def fills(self, store: Call) -> bool:
        """Certainty that a store puts as many items into an array as there are places for: it stretches nothing."""
        places, item = self.stored.get(store), self.of(store.args[2])
        return places is not None and item is not None and places == item

    def fits(self, value: Value, like: Value) -> bool:
        """The same of a value that has the shape to which ``like`` has been stretched."""
        one, other = self.of(value), self.of(like)
        return one is not None and other is not None and len(one) == len(other) and all(map(_fits, one, other))

    def stretched_alike(self, some: Iterable[Value], others: Iterable[Value]) -> bool:
        """Certainty that NumPy stretches some values together to the shape to which it stretches others."""
        one, other = broadcast(map(self.of, some)), broadcast(map(self.of, others))
        return one is not None and other is not None and len(one) == len(other) and all(map(_same, one, other))

    def of(self, value: Value) -> Axes:
        """The axes of a value; None where it may have any number of them."""
        if isinstance(value, Const):
            return () if type(value.payload) in (bool, int, float, complex) else None
        if value in self.results and self.results[value] in self.table:
            return self._told(value, self.table[self.results[value]])
        if value not in self.table:
            self.table[value] = self._own(value)
        return self.table[value]

    # --- the walk

    def _block(self, block: Block) -> None:
        for op in block.ops:
            if isinstance(op, Call) and op.callee is not None:
                self._called(op)
            elif isinstance(op, Call):
                if len(op.results) == 1:
                    found = self._call(op)
                    unsure = found is None or isinstance(op.result.kind, Scalar)
                    self.table[op.result] = self._told(op.result, self._inferred(op) if unsure else found)
                if op.target in STORES and isinstance(op.args[0].kind, Array):
                    self.stored[op] = self._window(self.of(op.args[0]), self._parts(op.args[1]))
            elif isinstance(op, Loop):
                self._loop(op)
            else:
                before = self.written
                for inner in op.blocks():
                    self.written = before
                    self._block(inner)
                self.written = before
                if isinstance(op, Straight):
                    for result, *ends in zip(op.results, *(inner.yields for inner in op.blocks()), strict=True):
                        axes = [self.of(end) for end in ends]
                        alike = all(one == axes[0] for one in axes)
                        self.table[result] = self._told(result, axes[0] if alike else None)
            if op in self.writing:
                self.written = op, "end"

    def _loop(self, op: Loop) -> None:
        """Axes of what a loop carries: those of the start if they are left as they are; else its own."""
        given = [self.of(value) for value in op.init]
        changing = self.changing.setdefault(op, set())  # in an outer loop's next round no less
        while True:
            for params in [op.carried, *(test.params for test in op.tests)]:
                for k, param in enumerate(params):
                    self.table[param] = self._told(param, None if k in changing else given[k])
            for block in op.blocks():
                self.written = (block, "begin") if op in self.writing else self.written
                self._block(block)
            found = {k for k, v in enumerate(op.carried_yields) if k not in changing and self.of(v) != self.of(op.carried[k])}
            if not found:
                break
            changing |= found
        for k, result in enumerate(op.results):
            self.table[result] = self._told(result, None if k in changing or k >= len(given) else given[k])

    def _call(self, op: Call) -> Axes:
        if op.result in self.recorded:
            return self.of(self.recorded[op.result])
        if op.callee is not None or op.kwargs:
            return None
        if op.target in READS and isinstance(op.args[0].kind, Array):
            base = self.of(op.args[0])
            window = self._window(base, self._parts(op.args[1]))
            return self._by_an_index(op, base) if window is None else window
        if self.broadcasts(op):
            return broadcast(map(self.of, op.args))
        like = self.like(op)
        return None if like is None else self.of(like)

    # --- by the rules for kinds

    def _called(self, op: Call) -> None:
        """Note the axes of what a function returns, where its sizes are those of its arguments."""
        assert op.callee is not None
        told = [isinstance(result.kind, Array) for result in op.results]
        if not any(told) or len(op.callee.body.yields) != len(op.results):
            return
        naming = Naming([p.kind for p in op.callee.values], map(self._kind, op.args))
        for result, own, open_ in zip(op.results, op.callee.body.yields, told, strict=True):
            axes = self._axes(result, naming.kind(own.kind)) if open_ else None
            for size, axis in zip(_sizes(result), axes or (), strict=False):
                made = isinstance(size, Dim) and type(size.key) is object and not size.offset
                if made and size.key not in naming.names and axis != _named(size):  # type: ignore[union-attr]
                    self.alike[size.key] = axis  # type: ignore[union-attr]

    def _inferred(self, op: Call) -> Axes:
        """The axes that the rule for a result tells, with symbols for those of the arguments; what is no array is noted."""
        told = op.result.kind
        if op.callee is not None or not _may_tell_more(told):
            return None
        kinds = [self._kind(value) for value in op.operands()]
        if all(kind is value.kind for kind, value in zip(kinds, op.operands(), strict=True)):
            return None
        given = [v if isinstance(v, LITERALS) else Value(kind) for v, kind in zip(op.operands(), kinds, strict=True)]
        named = dict(zip(op.kwargs, given[len(op.args) :], strict=True))
        found = registry.infer(Call(target=op.target, args=given[: len(op.args)], kwargs=named, loc=op.loc))
        if not isinstance(told, Array):
            self.kinds[op.result] = _finer(told, found)
        else:
            return self._axes(op.result, found)
        return None

    def _kind(self, value: Value) -> Kind:
        """The kind of a value, with symbols for sizes that it does not tell."""
        value = self.recorded.get(value, value)
        if isinstance(value, LITERALS):
            return value.kind
        if value in self.kinds:
            return self.kinds[value]
        kind = value.kind
        if isinstance(kind, Scalar) and kind.size is None and kind.is_of("i"):
            return Scalar(types=kind.types, size=Dim((SYMBOL, value), least=ANY_INT))
        axes = self.of(value) if isinstance(kind, Array) else None
        if axes is None or all(map(is_lasting, _sizes(value))):
            return kind
        sizes = _sizes(value) or [None] * len(axes)
        return Array(dtype_of(kind), tuple(n if is_lasting(n) else _size(axis) for n, axis in zip(sizes, axes, strict=True)))

    def _axes(self, value: Value, kind: Kind) -> Axes:
        """The axes of a value by a kind in which symbols may stand for others."""
        if not isinstance(kind, Array) or kind.shape is None:
            return None
        return tuple(self._source(size) or frozenset([(value, k)]) for k, size in enumerate(kind.shape))

    def _source(self, size: Size) -> Axis | None:
        """The axis of a size in which symbols may stand for others."""
        if isinstance(size, Dim) and not size.offset and isinstance(size.key, tuple) and size.key[0] == SYMBOL:
            return size.key[1] if isinstance(size.key[1], frozenset) else frozenset([size])
        return self._named(size) if is_lasting(size) else None

    def _own(self, value: Value) -> Axes:
        """The axes of a value that comes from nowhere else."""
        if isinstance(value.kind, Scalar):
            return ()
        if not isinstance(value.kind, Array) or value.kind.shape is None:
            return None
        return tuple(self._named(n) if is_lasting(n) else frozenset([(value, k)]) for k, n in enumerate(value.kind.shape))

    def _told(self, value: Value, axes: Axes) -> Axes:
        """The axes of a value of which they have been found, with those that its kind tells."""
        own = self._own(value)
        if own is None or axes is None or len(own) != len(axes):
            return own if own is not None or isinstance(value.kind, Scalar) else axes if isinstance(value.kind, Array) else None
        self._note_met(_sizes(value), axes)
        return tuple(map(_better, self._own(value) or own, axes, _sizes(value)))

    def _note_met(self, sizes: Iterable[Size], axes: Iterable[Axis]) -> None:
        """Note the axes of sizes that have got a name where an array was made."""
        for size, axis in zip(sizes, axes, strict=True):
            if isinstance(size, Dim) and not size.offset and isinstance(size.key, tuple) and size.key[0] == MET:
                self.alike.setdefault(size.key, axis)

    def _named(self, size: Size) -> Axis:
        """The axis of a size, with those of arguments in place of the symbols that a call has made for them, and one in place of
        those that count as equal."""
        if isinstance(size, Dim) and not self.settled.keys().isdisjoint(symbols_of(size.key)):
            size = renamed(size, lambda key: self.settled.get(key, Dim(key, least=ANY_INT)))
        if not isinstance(size, Dim) or self.alike.keys().isdisjoint(symbols_of(size.key)):
            return _named(size)
        if size.key in self.alike and not size.offset:
            return self.alike[size.key]
        return _named(renamed(size, lambda key: _size(self.alike[key]) if key in self.alike else Dim(key, least=ANY_INT)))

    # --- windows

    def _window(self, base: Axes, parts: list[Part] | None) -> Axes:
        """The axes of a window of an array."""
        if base is None or parts is None:
            return None
        used = sum(_taken(part) for part in parts)
        if used > len(base) or sum(part == ("fill", None) for part in parts) > 1:
            return None
        rest = [("slice", WHOLE)] * (len(base) - used)
        at = next((k for k, part in enumerate(parts) if part == ("fill", None)), len(parts))
        parts = [*parts[:at], *rest, *parts[at + 1 :]]
        gathers = any(tag in ("array", "mask") for tag, _ in parts)
        found: list[Axis] = []
        together: list[Axes] = []
        places: list[int] = []
        first, k = 0, 0
        for place, part in enumerate(parts):
            tag, what = part
            if tag == "item" and not gathers:
                pass
            elif tag in ("item", "array", "mask"):
                first = len(found) if not places else first
                places.append(place)
                together.append(what if tag == "array" else (frozenset([("count", *what)]),) if tag == "mask" else ())
            else:
                found.append(frozenset() if tag == "new" else _sliced(base[k], what))
            k += _taken(part)
        if not gathers:
            return tuple(found)
        axes = broadcast(together)
        first = first if places == [*range(places[0], places[-1] + 1)] else 0
        return None if axes is None else (*found[:first], *axes, *found[first:])

    def _by_an_index(self, op: Call, base: Axes) -> Axes:
        """The axes of a window by an index of which nothing is known but which it is."""
        index = self.recorded.get(op.args[1], op.args[1])
        kind = op.result.kind
        if base is None or self.mutable(index) or not isinstance(kind, Array) or kind.shape is None:
            return None
        return tuple(frozenset([("window", base, index, k)]) for k in range(len(kind.shape)))

    def _parts(self, index: Value) -> list[Part] | None:
        """The parts of an index of an array; None where nothing is known of one."""
        index = self.recorded.get(index, index)
        made = self.definer.get(index)
        if isinstance(index, Const):
            whole: list[Value] = [*map(Const, index.payload)] if isinstance(index.payload, tuple) else [index]
        else:
            listed = isinstance(made, Call) and made.callee is None and made.target == "builtins.tuple" and not made.kwargs
            whole = made.args if listed else [index]  # type: ignore[union-attr]
        parts = [self._part(part) for part in whole]
        return None if None in parts else parts  # type: ignore[return-value]

    def _part(self, part: Value) -> Part | None:
        part = self.recorded.get(part, part)
        if isinstance(part, Const):
            return _literal(part.payload)
        if isinstance(part.kind, Scalar) and part.kind.is_of("iu"):
            return "item", None
        if isinstance(part.kind, Slice):
            return "slice", self._slice(part)
        if isinstance(part.kind, List):
            return self._listed(part)
        if part.kind == RANGE:
            return self._counted(part)
        axes, dtype = self.of(part), dtype_of(part.kind)
        if not isinstance(part.kind, Array) or axes is None or dtype is None:
            return None
        if dtype == "bool":
            if not axes:
                return None
            return "mask", (part, len(axes), self.written) if self.mutable(part) else (self._contents(part), len(axes), None)
        return ("array", axes) if dtype.startswith(("int", "uint")) else None

    def _contents(self, part: Value) -> Hashable:
        """Equal for arrays that nobody writes into, and that are computed item by item in one way."""
        part = self.recorded.get(part, part)
        op = self.definer.get(part)
        if isinstance(part, Const):
            return type(part.payload), repr(part.payload)
        plain = isinstance(op, Call) and op.callee is None and not op.kwargs and op.target in having("fails by shapes")
        if not plain or any(self.mutable(v) for v in op.args if not isinstance(v, Const)):  # type: ignore[union-attr]
            return part
        return op.target, *map(self._contents, op.args)  # type: ignore[union-attr]

    def _listed(self, part: Value) -> Part | None:
        """A list of integers that nobody changes."""
        if self.mutable(part) or not isinstance(part.kind, List) or not _is_integer(part.kind.item):
            return None
        made = self.definer.get(part)
        display = isinstance(made, Call) and made.target == "builtins.list"
        size: Axis = _named(len(made.args)) if display else frozenset([("length", part)])  # type: ignore[union-attr]
        return "array", (size,)

    def _counted(self, part: Value) -> Part:
        """A range."""
        return "array", (frozenset([("length", self._made_by("builtins.range", part))]),)

    def _slice(self, part: Value) -> Any:
        return self._made_by("builtins.slice", part)

    def _made_by(self, target: str, part: Value) -> Any:
        """Equal for what is made by one function of equal arguments."""
        op = self.definer.get(part)
        if not isinstance(op, Call) or op.callee is not None or op.target != target or op.kwargs:
            return part
        return target, *((type(a.payload), a.payload) if isinstance(a, Const) else self.recorded.get(a, a) for a in op.args)


def _may_write_truths(op: Op) -> bool:
    """Test for an operation, with all that is in it, that may write into a mask."""
    if any(_may_write_truths(inner) for block in op.blocks() for inner in block.ops):
        return True
    if not isinstance(op, Call):
        return False
    if op.callee is not None or (does := effects(op)).world:
        return True
    return any(_may_hold_truths(v.kind) for v in (*does.writes, *does.changes) if not isinstance(v, Const))


def _may_hold_truths(kind: Kind) -> bool:
    if isinstance(kind, Array):
        return kind.dtype in ("bool", None)
    return kind == UNKNOWN or any(map(_may_hold_truths, kind.inner))


def seeds_of(function: Function) -> dict[Value, list[Value]]:
    """The seeds among the parameters of a function that have the shape of a result, an array, by that result."""
    found: dict[Value, list[Value]] = {}
    for p in function.params:
        if p.of is not None and isinstance(p.of.kind, Array) and isinstance(p.value.kind, Array):
            found.setdefault(p.of, []).append(p.value)
    return found


def broadcast(shapes: Iterable[Axes]) -> Axes:
    """The axes to which NumPy stretches arrays."""
    found: list[Axis] = []
    for axes in shapes:
        if axes is None:
            return None
        found[:0] = [frozenset()] * (len(axes) - len(found))
        for k, axis in enumerate(axes, len(found) - len(axes)):
            found[k] |= axis
    return tuple(found)


def count_left(part: slice) -> Hashable:
    """Equal for slices that leave as many items of any one axis."""
    start, stop = part.start or 0, part.stop or 0
    plain = part.step in (None, 1) and type(start) is int and start >= 0 and type(stop) is int and stop <= 0
    return ("without", start - stop) if plain and part.stop != 0 else ("slice", repr(part))


def _literal(part: Any) -> Part | None:
    if part is None or part is ...:
        return ("new", None) if part is None else ("fill", None)
    if isinstance(part, slice):
        return "slice", part
    return ("item", None) if type(part) is int else None


def _taken(part: Part) -> int:
    """The number of axes of an array that a part of an index is for."""
    return part[1][1] if part[0] == "mask" else int(part[0] not in ("new", "fill"))


def _sliced(axis: Axis, part: Any) -> Axis:
    if not isinstance(part, slice):
        return frozenset([("window", axis, part)])
    return axis if part in (WHOLE, slice(None, None, -1)) else frozenset([("window", axis, count_left(part))])


def _is_integer(kind: Kind) -> bool:
    return isinstance(kind, Scalar) and kind.is_of("iu")


def _may_tell_more(kind: Kind) -> bool:
    """Test for a kind of which symbols could tell more."""
    if isinstance(kind, Array):
        return not (kind.shape is not None and all(map(is_lasting, kind.shape)))
    if isinstance(kind, Tuple):
        return any(map(_may_tell_more, kind.items))
    return isinstance(kind, Slice) or _is_integer(kind) and kind.size is None  # type: ignore[attr-defined]


def _finer(told: Kind, found: Kind) -> Kind:
    """The kind that is told, with sizes that have been found."""
    if isinstance(told, Tuple) and isinstance(found, Tuple) and len(told.items) == len(found.items):
        return replace(told, items=tuple(map(_finer, told.items, found.items)))
    integer = isinstance(told, Scalar) and isinstance(found, Scalar) and told.size is None and told.types == found.types
    return found if integer or isinstance(told, Slice) and isinstance(found, Slice) else told


def _size(axis: Axis) -> Size:
    """The size that stands for an axis."""
    return Dim((SYMBOL, axis), many=any(map(is_told_many, axis))) if axis else 1


def _better(own: Axis, found: Axis, size: Size) -> Axis:
    """The size that the kind tells, or the other sources of an axis that are known to be equal to it."""
    return own if is_lasting(size) and not (is_many(size) and own <= found) else found


def _sizes(value: Value) -> tuple[Size, ...]:
    return (value.kind.shape if isinstance(value.kind, Array) else None) or ()


def _named(size: Size) -> Axis:
    return frozenset() if size == 1 else frozenset([size])


def _same(a: Axis, b: Axis) -> bool:
    return a == b or any(map(is_told_many, a & b))


def _fits(axis: Axis, like: Axis) -> bool:
    """Test for the size to which one that is the same, or not 1, has been stretched."""
    return axis == like or any(map(is_told_many, axis)) and any(map(is_told_many, like))


def is_told_many(source: Any) -> bool:
    """Certainty that a source is a size that is not 1."""
    return not isinstance(source, tuple) and is_many(source)
