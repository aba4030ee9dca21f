"""Windows into buffers as boxes of affine index ranges, and when two of them are certainly disjoint.

A window is described down to its root: for each axis of the root a half-open range whose bounds are affine in loop
variables and other integers of the program. ``disjoint_after`` answers whether a store, in every execution that comes
after a given read, misses the window that was read: for each loop that both share, the read's iteration comes strictly
before the store's while outer ones are equal and inner ones are arbitrary in their ranges (the classical dependence
test by direction vectors; Allen & Kennedy, "Optimizing Compilers for Modern Architectures", chapter 3).
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from s2sad.analysis.alias import Aliases, Node
from s2sad.analysis.views import holds_references, is_window
from s2sad.ir.kinds import ANY_INT, Array, Dim, Scalar, Size, symbols_of, terms_of
from s2sad.ir.nodes import Block, Call, Const, For, Function, Loop, Op, Value
from s2sad.ir.walk import definers
from s2sad.rules.effects import effects


@dataclass(frozen=True)
class Affine:
    """A sum of integer multiples of symbols, and a constant."""

    terms: tuple[tuple[object, int], ...] = ()
    const: int = 0

    def plus(self, other: Affine, sign: int = 1) -> Affine:
        """Sum or difference."""
        table = dict(self.terms)
        for symbol, coefficient in other.terms:
            table[symbol] = table.get(symbol, 0) + sign * coefficient
        kept = tuple(sorted(((s, c) for s, c in table.items() if c), key=lambda item: (id(item[0]), item[1])))
        return Affine(kept, self.const + sign * other.const)

    def coefficient(self, symbol: object) -> int:
        """The factor of a symbol."""
        return dict(self.terms).get(symbol, 0)

    def replaced(self, symbol: object, by: Affine) -> Affine:
        """The expression with a symbol replaced by another expression."""
        factor = self.coefficient(symbol)
        if not factor:
            return self
        rest = Affine(tuple((s, c) for s, c in self.terms if s is not symbol and s != symbol), self.const)
        for _ in range(abs(factor)):
            rest = rest.plus(by, 1 if factor > 0 else -1)
        return rest


@dataclass(frozen=True)
class Range:
    """A half-open range of indices; a missing bound reaches to the end of the axis."""

    low: Affine | None
    high: Affine | None


FROM_END = "from end"  # the symbol of an axis's size in a negative literal index
def is_size(symbol: object) -> bool:
    """Test for a symbol that is the size of an axis, and so not negative (an integer argument may be)."""
    return isinstance(symbol, Dim) and symbol.least >= 0


COUNTING = ("axis", "named", "outside", "max0", "max", "slice", "reshaped")  # symbols of this sort count the items of axes


def _symbol(symbol: object) -> Dim:
    """A symbol of sizes; an integer may be negative, and so may what is not known to count the items of an axis."""
    return Dim(symbol, least=0 if all(map(_counts, symbols_of(symbol))) else ANY_INT)


def _counts(symbol: object) -> bool:
    """Test for a symbol that is not negative: of the items of an axis, or of a part of them."""
    if isinstance(symbol, tuple) and symbol[0] == "floor":
        _, whole, parts = symbol
        terms = terms_of(whole) if isinstance(whole, Dim) and whole.offset >= 0 and parts > 0 else ()
        return bool(terms) and all(factor > 0 and all(map(_counts, symbols_of(key))) for key, factor in terms)
    return not isinstance(symbol, tuple) or symbol[0] in COUNTING


def _affine(size: Dim | int) -> Affine:
    """The size of an axis as an affine expression."""
    if isinstance(size, int):
        return Affine((), size)
    return Affine(tuple((_symbol(symbol), factor) for symbol, factor in terms_of(size)), size.offset)


Place = list[Range]  # one for each leading axis of the root; missing axes are taken whole


@dataclass(eq=False)
class Turns:
    """A loop around an operation: its variable, bounds [low, high) and direction, where known."""

    op: Op
    variable: Value | None = None
    low: Affine | None = None
    high: Affine | None = None
    step: int = 0


@dataclass(eq=False)
class Spot:
    """Where an operation stands: position in the text, and the loops around it, outermost first."""

    position: int
    loops: list[Turns] = field(default_factory=list)


class Windows:
    """Windows, and orders of execution, of one function."""

    def __init__(self, function: Function, aliases: Aliases) -> None:
        self.aliases = aliases
        self.definer = definers(function)
        self.spots: dict[Op, Spot] = {}
        self._place(function.body, [])

    def _place(self, block: Block, loops: list[Turns]) -> None:
        for op in block.ops:
            self.spots[op] = Spot(len(self.spots), loops)
            inner = [*loops, self._loop(op)] if isinstance(op, Loop) else loops
            for nested in op.blocks():
                self._place(nested, inner)

    def _loop(self, op: Op) -> Turns:
        if not isinstance(op, For):
            return Turns(op)
        flip = 1
        span = self.definer.get(op.iterable)
        if isinstance(span, Call) and span.target == "builtins.reversed":
            flip, span = -1, self.definer.get(span.args[0])
        loop = Turns(op, op.body.params[0])
        if not (isinstance(span, Call) and span.target == "builtins.range"):
            return loop
        args = span.args
        start: Value = args[0] if len(args) > 1 else Const(0)
        stop = args[1] if len(args) > 1 else args[0]
        step = args[2].payload if len(args) > 2 and isinstance(args[2], Const) else 1 if len(args) < 3 else 0
        first, last = self.affine(start), self.affine(stop)
        if step:
            loop.step = flip * (1 if step > 0 else -1)
            one = Affine((), 1)
            loop.low, loop.high = (first, last) if step > 0 else (last.plus(one), first.plus(one))
        return loop

    # --- affine expressions

    def affine(self, value: Value) -> Affine:
        """An integer value as an affine expression of loop variables and opaque symbols."""
        if isinstance(value, Const):
            return Affine((), value.payload) if isinstance(value.payload, int) else Affine(((value, 1),))
        if isinstance(value.kind, Scalar) and value.kind.size is not None:
            return _affine(value.kind.size)
        op = self.definer.get(value)
        if isinstance(op, Call) and op.target in ("operator.add", "operator.sub"):
            return self.affine(op.args[0]).plus(self.affine(op.args[1]), 1 if op.target.endswith("add") else -1)
        if isinstance(op, Call) and op.target == "operator.mul":
            for factor, other in ((op.args[0], op.args[1]), (op.args[1], op.args[0])):
                if isinstance(factor, Const) and isinstance(factor.payload, int) and abs(factor.payload) <= 8:
                    total = Affine()
                    for _ in range(abs(factor.payload)):
                        total = total.plus(self.affine(other), 1 if factor.payload > 0 else -1)
                    return total
        return Affine(((value, 1),))

    # --- places

    def window(self, value: Value) -> Place | None:
        """The place of a reference in its root; None where it cannot be described (then it may be anywhere)."""
        root = self.aliases.static_root(value)
        if root is None:
            return None
        if root is value:
            return []
        op = self.definer.get(value)
        if not isinstance(op, Call) or op.target != "operator.getitem" or not is_window(op):
            return None
        outer = self.window(op.args[0])
        return outer if outer is None or outer else self.index_place(op)

    def load_place(self, load: Call) -> Place | None:
        """The place that a subscript reads."""
        outer = self.window(load.args[0])
        return outer if outer is None or outer else self.index_place(load)

    def store_place(self, store: Call) -> Place | None:
        """The place that a store writes; where its base is a window itself, all of that."""
        if store.callee is not None or len(store.args) < 3:
            return None
        return self.load_place(store)

    def index_place(self, op: Call) -> Place | None:
        """The ranges that the index of a subscript or store names."""
        place: Place = []
        for item in self._index_items(op.args[1]):
            found = self._range(item)
            if found is None:
                return None
            if found == "stop":
                break
            assert isinstance(found, Range)
            if not all(bound is None or self._counts_from_front(bound, op) for bound in (found.low, found.high)):
                found = Range(None, None)
            place.append(found)
        return place

    def _counts_from_front(self, bound: Affine, op: Op) -> bool:
        """Certainty that a bound is not negative at ``op``: a negative index would count from the end."""
        if bound.coefficient(FROM_END) == 1:
            return len(bound.terms) == 1
        return self._never_negative(bound, op)

    def is_inside(self, index: Value, size: Size, op: Op) -> bool:
        """Certainty that at ``op`` an integer is the number of an item, counted from the front, of an axis of this size."""
        at = self.affine(index)
        last = _affine(size).plus(Affine((), -1)) if size is not None else None
        return last is not None and self._never_negative(at, op) and self._never_negative(last.plus(at, -1), op)

    def _never_negative(self, bound: Affine, op: Op) -> bool:
        for loop in reversed(self.spots[op].loops):
            factor = bound.coefficient(loop.variable)
            if factor and loop.low is not None and loop.high is not None:
                bound = bound.replaced(loop.variable, loop.low if factor > 0 else loop.high.plus(Affine((), -1)))
        return bound.const >= 0 and all(is_size(s) and c > 0 for s, c in bound.terms)

    def _index_items(self, index: Value) -> list[Value]:
        if isinstance(index, Const) and isinstance(index.payload, tuple):
            return [Const(item) for item in index.payload]
        op = self.definer.get(index)
        if isinstance(op, Call) and op.target == "builtins.tuple":
            return list(op.args)
        return [index]

    def _range(self, item: Value) -> Range | str | None:
        """One axis of an index; "stop" at an ellipsis (the rest is taken whole); None where not describable."""
        if isinstance(item, Const):
            payload = item.payload
            if payload is ...:
                return "stop"
            if isinstance(payload, slice):
                return self._slice([Const(payload.start), Const(payload.stop), Const(payload.step)])
            if isinstance(payload, bool) or not isinstance(payload, int):
                return None
            if payload < 0:
                return Range(Affine(((FROM_END, 1),), payload), Affine(((FROM_END, 1),), payload + 1))
        op = self.definer.get(item)
        if isinstance(op, Call) and op.target == "builtins.slice":
            return self._slice(op.args)
        if isinstance(item.kind, Scalar) and item.kind.is_of("i"):
            at = self.affine(item)
            return Range(at, at.plus(Affine((), 1)))
        return Range(None, None) if not isinstance(item.kind, Scalar) and str(item.kind) != "none" else None

    def _slice(self, parts: list[Value]) -> Range | None:
        start, stop, step = parts
        if not (isinstance(step, Const) and (step.payload is None or (isinstance(step.payload, int) and step.payload > 0))):
            return Range(None, None)
        return Range(self._bound(start), self._bound(stop))

    def _bound(self, part: Value) -> Affine | None:
        if isinstance(part, Const) and part.payload is None:
            return None
        if isinstance(part, Const) and isinstance(part.payload, int) and part.payload < 0:
            return Affine(((FROM_END, 1),), part.payload)
        return self.affine(part)

    # --- order

    def common(self, a: Op, b: Op) -> list[Turns]:
        """The loops around both operations, outermost first."""
        pairs = itertools.takewhile(lambda pair: pair[0] is pair[1], zip(self.spots[a].loops, self.spots[b].loops, strict=False))
        return [loop for loop, _ in pairs]

    def that_may_follow(self, first: Op, ops: Sequence[Call]) -> Iterator[Call]:
        """Those of some operations, in the order of the text, of which an execution may come after one of ``first``: what stands
        behind it, or in a loop around it."""
        loops = self.spots[first].loops
        begin = self.spots[loops[0].op if loops else first].position
        start = bisect_right(ops, begin, key=lambda op: self.spots[op].position)
        return (ops[k] for k in range(start, len(ops)))

    def disjoint_after(
        self, read: Op, read_place: Place | None, store: Op, store_place: Place | None, node: Node | None = None
    ) -> bool:
        """Certainty that every execution of ``store`` after one of ``read`` misses what was read of ``node``, if that is given:
        in another iteration of the loops that make its buffer anew, it is another buffer."""
        shared = self.common(read, store)
        anew = self._loops_that_make(node, store)
        later = self.spots[store].position > self.spots[read].position
        if (read_place is None or store_place is None) and (later or anew < len(shared)):
            return False
        for level in range(anew, len(shared)):
            if not self._apart(read, read_place or [], store, store_place or [], shared, level):
                return False
        return not later or self._apart(read, read_place or [], store, store_place or [], shared, None)

    def _loops_that_make(self, node: Node | None, op: Op) -> int:
        """The number of loops around the making of the only buffer of a class, to which an operation refers in plain view."""
        root = self.aliases.root_of(node) if node is not None else None
        maker = self.definer.get(root) if root is not None else None
        if root is None or not isinstance(maker, Call) or maker.callee is not None or not isinstance(root.kind, Array):
            return 0
        does, nodes = effects(maker), self.aliases
        given = [v for v in op.operands() if holds_references(v) and node in nodes.reach(nodes.node(v))]
        plain = not does.shares and not does.unknown and all(nodes.node(v) is node for v in given)
        return len(self.spots[maker].loops) if plain else 0

    def disjoint_at(self, op: Op, a: Value, b: Value) -> bool:
        """Certainty that two references are to different items, where an operation is."""
        return self.are_apart(op, self.window(a), self.window(b))

    def are_apart(self, op: Op, one: Place | None, other: Place | None) -> bool:
        """Certainty that two places of one array are of different items, where an operation is."""
        return one is not None and other is not None and self._apart(op, one, op, other, self.spots[op].loops, None)

    def _apart(
        self, read: Op, read_place: Place, store: Op, store_place: Place, shared: list[Turns], level: int | None
    ) -> bool:
        """Disjoint when the loops before ``level`` are at the same iteration, and the read's is earlier at ``level``."""
        if level is not None and (shared[level].variable is None or shared[level].step == 0):
            return False
        for mine, theirs in zip(read_place, store_place, strict=False):
            for low, high, first_is_read in ((theirs.low, mine.high, True), (mine.low, theirs.high, False)):
                if low is None or high is None or low.coefficient(FROM_END) != high.coefficient(FROM_END):
                    continue
                if self._at_most(high, low, first_is_read, read, store, shared, level):
                    return True
        return False

    def _at_most(
        self, high: Affine, low: Affine, high_is_read: bool, read: Op, store: Op, shared: list[Turns], level: int | None
    ) -> bool:
        """Certainty that ``high <= low`` in all the iterations in question."""
        high_op, low_op = (read, store) if high_is_read else (store, read)
        fixed = len(shared) if level is None else level
        high = self._tagged(high, high_op, fixed, "high")
        low = self._tagged(low, low_op, fixed, "low")
        gap = low.plus(high, -1)  # want: gap >= 0
        gap = self._eliminate(gap, high_op, fixed, "high", level)
        gap = self._eliminate(gap, low_op, fixed, "low", level)
        if level is not None:
            gap = self._ordered(gap, shared[level], high_is_read)
        return gap.const >= 0 and all(is_size(s) and c > 0 for s, c in gap.terms)

    def _tagged(self, expression: Affine, op: Op, fixed: int, side: str) -> Affine:
        """Turns variables that may differ between the two executions get a side."""
        for loop in self.spots[op].loops[fixed:]:
            if loop.variable is not None:
                expression = expression.replaced(loop.variable, Affine((((side, loop.variable), 1),)))
        return expression

    def _eliminate(self, gap: Affine, op: Op, fixed: int, side: str, level: int | None) -> Affine:
        """Replace free loop variables by the bound of their range that makes the gap smallest, innermost first."""
        for depth in range(len(self.spots[op].loops) - 1, fixed - 1, -1):
            loop = self.spots[op].loops[depth]
            symbol = (side, loop.variable)
            factor = gap.coefficient(symbol)
            if not factor or (level is not None and depth == level) or loop.low is None or loop.high is None:
                continue
            bound = loop.low if factor > 0 else loop.high.plus(Affine((), -1))
            gap = gap.replaced(symbol, self._tagged(bound, op, fixed, side))
        return gap

    def _ordered(self, gap: Affine, loop: Turns, high_is_read: bool) -> Affine:
        """Use that the read's iteration of ``loop`` comes at least one before the store's."""
        read_side, store_side = ("high", "low") if high_is_read else ("low", "high")
        read, store = (read_side, loop.variable), (store_side, loop.variable)
        a, b = gap.coefficient(read), gap.coefficient(store)
        if a == 0 and b == 0:
            return gap
        if a == -b:
            # b * (store - read), and step * (store - read) >= 1
            gap = gap.replaced(read, Affine()).replaced(store, Affine())
            return gap.plus(Affine((), b * loop.step)) if b * loop.step > 0 else Affine((("unknown", 1),))
        return gap


__all__ = ["Affine", "Place", "Range", "Windows"]
