"""Shapes that are expected to be equal, where only the run tells: the forward sweep looks once, and no sum undoes a broadcast.

    y = p[:k] + p[k:]     ==>     y = p[:k] + as_long_as(p[k:], p[:k])          forward sweep
                                  p_bar[:k] += y_bar; p_bar[k:] += y_bar        reverse sweep, without unbroadcast

Sizes of arguments are guarded before a program is used (``facts.assumptions``); those here hang on more: on halves of halves, on
what recursive calls return, on what loops carry. ``as_long_as(x, like)`` is ``x``, and of its kind but for the sizes, which are
those of ``like``; ``as_a_row_of(b, y)``, in ``y + b``, looks at as many of the last axes as ``b`` has. Sizes that it has found
equal are equal behind it in its block, and in the reverse of that. Where shapes differ it raises Stretched, and the general
program runs from the start (``s2sad/expecting.py``). A look is made for calls alone through which derivatives pass back to an
operand that may have been stretched; there are never more looks than sums that they spare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from s2sad.analysis.activity import Activity
from s2sad.analysis.alias import Aliases
from s2sad.analysis.axes import MET
from s2sad.analysis.shapes import Shapes
from s2sad.analysis.views import holds_references
from s2sad.ir.kinds import (
    UNKNOWN,
    Array,
    Dim,
    Kind,
    Other,
    Scalar,
    Size,
    Slice,
    Sum,
    as_looked,
    dtype_of,
    index_parts,
    is_many,
    looked,
    may_be_equal,
    rank_of,
    symbols_of,
)
from s2sad.ir.nodes import AS_A_ROW_OF, AS_LONG_AS, AS_NUMBER, LOOKS, Block, Call, Const, Function, Op, Value
from s2sad.ir.walk import calls_within, ops_of, substitute
from s2sad.rules import registry
from s2sad.rules.application import fits_stretched
from s2sad.rules.containers import ADDS, WRITES, move_of
from s2sad.rules.effects import effects
from s2sad.rules.language import Elementwise
from s2sad.rules.traits import having

DTYPES = ("float64", "float32", "complex128", "complex64")
TOLD = {
    AS_LONG_AS: "arrays that meet are as long as each other where as_long_as is told so",
    AS_A_ROW_OF: "arrays are as long as the last axes of others where as_a_row_of is told so",
    AS_NUMBER: "what is computed with is a number where as_number is told so",
}
Table = dict[Value, Value]
Looked = dict[Block, dict[Any, Size]]


def looks(function: Function) -> bool:
    """Test for a program that gives up where shapes are not equal."""
    return any(isinstance(op, Call) and op.target in LOOKS for op in ops_of(function.body))


def expects_of(functions: Iterable[Function]) -> str:
    """What a reader of a program wants to know of its looks; empty if it has none."""
    used = {op.target for function in functions for op in ops_of(function.body) if isinstance(op, Call)}
    told = "; ".join(text for target, text in TOLD.items() if target in used)
    return f"{told[0].upper()}{told[1:]}: for others it raises Stretched." if told else ""


def may_run_twice(function: Function) -> bool:
    """Test for a program that leaves nothing: it tells nobody anything, draws no random numbers, runs no code that nobody knows,
    and writes into no memory of others."""
    if any(op.callee is None and effects(op).once for op in calls_within(function.body)):
        return False
    aliases = Aliases(function)
    others = (aliases.node(v) for v in (*function.values, *aliases.named.values()) if holds_references(v))
    written = {node.find() for node in aliases.written}
    return written.isdisjoint(node.find() for other in others for node in aliases.reach(other))


def expect_sizes(function: Function, activity: Activity) -> Looked:
    """Put looks at shapes in front of calls that may stretch what is active, in place; what they tell of sizes, by block."""
    found = _Expected(function, activity)
    found.block(function.body, _Seen({}, {}))
    return found.looked


@dataclass
class _Seen:
    """The looks of a block so far, and of those around it: what stands for a value from then on, and for the symbol of a size."""

    values: Table
    sizes: dict[Any, Size]

    def inside(self) -> _Seen:
        """The same at the beginning of a block within."""
        return _Seen(dict(self.values), dict(self.sizes))

    def value(self, value: Value) -> Value:
        """The value that stands for another one."""
        return self.values.get(value, value)

    def note(self, size: Size, like: Size) -> None:
        """Note two sizes that are equal behind a look, if one of them is a symbol."""
        with looked(self.sizes):
            size, like = as_looked(size), as_looked(like)
        symbol = isinstance(size, Dim) and not size.offset and not isinstance(size.key, Sum) and like is not None
        if symbol and not (isinstance(like, Dim) and size.key in symbols_of(like.key)):  # type: ignore[union-attr]
            found = {size.key: like}  # type: ignore[union-attr]
            with looked(found):
                self.sizes = {key: as_looked(known) for key, known in self.sizes.items()} | found


class _Expected:
    """The walk through a function, which refines kinds on its way."""

    def __init__(self, function: Function, activity: Activity) -> None:
        self.function = function
        self.activity = activity
        self.origin: Table = {}  # what a look has returned again
        self.made: dict[Value, Block] = {}  # the results of calls, so far: each is made once in an iteration of its block
        self.tuples: dict[Value, Call] = {}  # of them, what puts a tuple together
        self.here = function.body
        self.refined: set[Value] = set()
        self.looked: Looked = {}

    @cached_property
    def shapes(self) -> Shapes:
        """The shapes as they are known without a look."""
        return Shapes(self.function, self.activity.aliases.mutable)

    def block(self, block: Block, seen: _Seen) -> None:
        """The operations of a block, with what was looked at before it in place of itself."""
        found: list[Op] = []
        for op in block.ops:
            self.here = block
            if isinstance(op, Call) and op.callee is None:
                with looked(seen.sizes):
                    self.call(op, seen, found.append)
            for inner in op.blocks():
                self.block(inner, seen.inside())
            self.made.update(dict.fromkeys(op.results if isinstance(op, Call) else (), block))
            if isinstance(op, Call) and op.target == "builtins.tuple":
                self.tuples[op.result] = op
            found.append(op)
        block.ops[:] = found
        self.looked[block] = seen.sizes

    def call(self, op: Call, seen: _Seen, put: Callable[[Op], None]) -> None:
        """Refine a call, with looks at its operands in front of it, where these are worth it."""
        if _stretches(op) or op.target in having("reads items"):
            substitute(op, seen.value)
        elif _stores(op):
            op.args[2] = seen.value(op.args[2])
        self.refine(op)
        like, others = self.pair(op, put) or (Const(None), [])
        self.refined.update([like] * bool(others))
        for value in others:
            target = AS_LONG_AS if rank_of(value.kind) == rank_of(like.kind) else AS_A_ROW_OF
            look = Call(target=target, args=[value, like], loc=op.loc, primal=op.primal)
            look.results = [Value(_of_sizes(value, _last(like, value)), value.name)]
            put(look)
            self.origin[look.result] = value
            self.refined.add(look.result)
            seen.values[value] = look.result
            for size, known in zip(_sizes(value), _last(like, value), strict=True):
                seen.note(size, known)
            substitute(op, lambda v: look.result if v is value else v)  # noqa: B023  (called at once)
        self.refine(op)

    def refine(self, op: Call) -> None:
        """Tell more of the sizes of a result, where more is known of operands."""
        if len(op.results) != 1 or self.refined.isdisjoint(op.operands()) or not _is_plain(op.result):
            return
        found, before = registry.infer(op), _sizes(op.result)
        if isinstance(found, Array) and found.rank == len(before) and found.dtype == dtype_of(op.result.kind):
            shape = [old if new is None else new for old, new in zip(before, found.shape or (), strict=True)]
            op.result.kind = _of_sizes(op.result, shape)
            self.refined.add(op.result)

    # --- which looks

    def pair(self, op: Call, put: Callable[[Op], None]) -> tuple[Value, list[Value]] | None:
        """The operand that the others of a call are expected to be as long as, and those of which nobody knows that they are."""
        if _stretches(op) and _is_plain(op.result) and self.is_active(op.result):
            arrays = [v for v in dict.fromkeys(op.operands()) if isinstance(v.kind, Array)]
            summed = [v for v in arrays if self.is_active(v) and not _fits_last(op.result.kind, v.kind)]
            if len(arrays) < 2:
                return None
            like = max(arrays, key=self.known)
            if summed:
                self.name(like, arrays)
            return self.looked_at(like, arrays, len(summed))
        if _stores(op) and self.is_active(op.args[0]) and self.is_active(op.args[2]) and _is_plain(op.args[2]):
            window = Call(target="operator.getitem", args=op.args[:2], loc=op.loc, primal=op.primal, results=[Value(UNKNOWN)])
            window.result.kind = registry.infer(window)
            if _is_plain(window.result) and not fits_stretched(window.result.kind, op.args[2].kind):
                places = self.places(op)
                if places is not None:
                    return self.looked_at(places, [places, op.args[2]], 1)
                if all(map(_leaves_a_window, index_parts(op.args[1].kind))):
                    self.made[window.result] = self.here
                    like, others = self.looked_at(window.result, [window.result, op.args[2]], 1)
                    if others:
                        put(window)
                    return like, others
        return None

    def places(self, op: Call) -> Value | None:
        """The integers that a store gathers by, one for each item: along one axis, with a number for all others."""
        base, index = op.args[:2]
        made = self.tuples.get(index)
        parts = [index] if made is None else made.args
        arrays = [part for part in parts if isinstance(part.kind, Array)]
        rest = [part for part in parts if not isinstance(part.kind, Array)]
        single = all(isinstance(part.kind, Scalar) and part.kind.is_of("iu") for part in rest)
        if len(arrays) != 1 or not single or rank_of(base.kind) != len(parts):
            return None
        like = arrays[0]
        if made is not None and None in _sizes(like) and self.made.get(like) is self.made[index] and self.tells(like):
            index.kind = registry.infer(made)
        return like if str(dtype_of(like.kind)).startswith(("int", "uint")) else None

    def looked_at(self, like: Value, arrays: list[Value], summed: int) -> tuple[Value, list[Value]]:
        """The same, where so many sums are spared: none, where some operand is stretched for certain, or looks would be more."""
        if not summed or not all(_is_plain(v) and _may_be_as_long(v, like) for v in arrays):
            return like, []
        others = [v for v in arrays if v is not like and not self.is_as_long(v, like)]
        worth = 0 < len(others) <= summed and all(dtype_of(v.kind) in DTYPES for v in others)
        return like, others if worth and self.tells(like) else []

    def name(self, like: Value, arrays: list[Value]) -> None:
        """Have the kinds tell of arrays that are as long as one for certain, for what is made of them to be looked at."""
        here = [v for v in arrays if v is not like and self.made.get(v) is self.here]
        same = [v for v in here if None in _sizes(v) and self.is_as_long(v, like)]
        if same and self.made.get(like) is self.here and self.tells(like):
            for value in same:
                value.kind = _of_sizes(value, _last(like, value))
                self.refined.add(value)

    def is_as_long(self, value: Value, like: Value) -> bool:
        """Certainty of equal shapes, where NumPy stretches the two together."""
        if rank_of(value.kind) != rank_of(like.kind):
            return _fits_last(like.kind, value.kind)
        told = fits_stretched(value.kind, like.kind) and fits_stretched(like.kind, value.kind)
        return told or self.shapes.same(self.origin.get(value, value), self.origin.get(like, like))

    def known(self, value: Value) -> tuple[int, int, int, int]:
        """How much is known of the sizes of a value: the more, the more is told by it; what has the most axes comes first, then
        what cannot be looked at."""
        sizes = _sizes(value)
        many = sum(isinstance(n, int) or is_many(n) for n in sizes)
        return len(sizes), dtype_of(value.kind) not in DTYPES, sum(n is not None for n in sizes), many

    def tells(self, like: Value) -> bool:
        """Test for an array of which each size has a symbol; what a call has made gets its own where that is not so."""
        if None in _sizes(like) and like in self.made:
            like.kind = _of_sizes(like, [Dim((MET, object())) if n is None else n for n in _sizes(like)])
            self.refined.add(like)
        return None not in _sizes(like)

    def is_active(self, value: Value) -> bool:
        """Test for a value that carries a derivative that matters."""
        return self.activity.active(self.origin.get(value, value))


def _stretches(op: Call) -> bool:
    """Test for an elementwise function, whose operands NumPy stretches to one shape."""
    primitive = registry.lookup(op.target)
    return primitive is not None and isinstance(primitive.derivative, Elementwise) and not op.kwargs and len(op.results) == 1


def _stores(op: Call) -> bool:
    """Test for a store into an array, whose item NumPy stretches."""
    move = move_of(op)
    return move is not None and move.does in (WRITES, ADDS) and len(op.args) == 3 and isinstance(op.args[0].kind, Array)


def _leaves_a_window(part: Kind) -> bool:
    """Test for a part of an index that gathers nothing."""
    return isinstance(part, Slice | Other) or isinstance(part, Scalar) and part.is_of("iu")


def _is_plain(value: Value) -> bool:
    """Test for an array of a known number of axes."""
    return isinstance(value.kind, Array) and bool(value.kind.shape)


def _may_be_as_long(value: Value, like: Value) -> bool:
    one, other = _sizes(value), _last(like, value)
    return len(one) == len(other) and all(map(may_be_equal, one, other))


def _fits_last(kind: Kind, value: Kind) -> bool:
    """Certainty that a value, which has been stretched to a kind at most, has the shape of its last axes."""
    if isinstance(kind, Array) and isinstance(value, Array) and kind.shape and value.shape and kind.rank != value.rank:
        return fits_stretched(replace(kind, shape=kind.shape[-len(value.shape) :]), value)
    return fits_stretched(kind, value)


def _last(like: Value, value: Value) -> tuple[Size, ...]:
    """The sizes of as many of the last axes of an array as another one has."""
    return _sizes(like)[-len(_sizes(value)) :]


def _sizes(value: Value) -> tuple[Size, ...]:
    return value.kind.shape or () if isinstance(value.kind, Array) else ()


def _of_sizes(value: Value, sizes: Sequence[Size]) -> Kind:
    """The kind of an array, with other sizes."""
    assert isinstance(value.kind, Array)
    return replace(value.kind, shape=tuple(sizes))
