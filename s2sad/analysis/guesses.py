"""The kinds that parameters of unknown kind are likely to have, as a reader guesses them from what the function does with them.

    def f(A, x, c):                 A: float64[n, m]; x: float64[m]; c: float
        y = A @ x
        return np.sum(y**2) + c * A[0, 1]

An argument is a number unless something says otherwise. It is an array

    with as many axes as are indexed (``a[i, j]``), asked for (``n, m = a.shape``), summed along (``axis=1``), iterated over, or
    needed by linear algebra; and as what is made of it has, where nothing else could give these axes: ``y`` in ``(c * y)[i]``, or
    in ``concatenate([y, z])[i, j]``;
    with two where it is a factor of a matrix product, and its name is a capital letter (``W @ x``), or the product is a vector;
    with one axis where all of it is reduced to one number, and nothing else in what is reduced is an array: ``np.sum(x * y)``;
    of float64; of int64 where its items are places in others (``x[idx[k]]``);

and a list of numbers, or of such lists, where the function calls nothing of NumPy's, and computes with items alone.

A number is a float, and an integer where a place, a range or a shape is made of it. Numbers by default, arguments of ``math`` and
what decides conditions are numbers. Of what is asked whether it is None, of text, of flags and functions nothing is guessed, and
nothing where what is said does not agree. A guess need not be right: the program that is made for it asks first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field

from s2sad.ir.kinds import (
    ANY_INT,
    FLOAT,
    INT,
    NONE,
    SHAPE,
    STR,
    UNKNOWN,
    Array,
    Dim,
    Kind,
    List,
    Scalar,
    Slice,
    rank_of,
)
from s2sad.ir.nodes import SAME, Call, Const, For, Function, If, Loop, Op, Value, is_literal
from s2sad.ir.walk import ops_of, program_of
from s2sad.rules import registry
from s2sad.rules.traits import having
from s2sad.runtime.arguments import told_of

ROUNDS = 12  # of what follows from what has been found
WHOLE = {"shape", "size", "num", "N", "M", "k", "repeats", "shift", "axis"}  # parameters of library functions that take integers
EXACT = ("math.", "cmath.")  # modules of functions of numbers
METHODS = "ndarray."
ARRAYS = (METHODS, "numpy.", "scipy.")
KEEPS = (SAME, "s2sad.runtime.in_place")  # the result has the kind of the first argument
MOST_AXES = 4  # more of them are found where parts of a tree are asked for parts
MATRICES = 2  # axes
MATRIX = re.compile("[A-Z][a-z0-9]?")  # names that readers take for matrices


def guess(function: Function, inputs: Sequence[str]) -> dict[str, Kind]:
    """The likely kinds of the parameters of which nothing, or no number of axes, is known, where there is one.

    ``inputs``: those by which the function is differentiated, of which integers as defaults do not say that they are whole.
    """
    evidence = _Evidence(program_of(function))
    evidence.gather()
    found = {p.name: evidence.kind(p.name, p.value, p.default, p.name in inputs) for p in function.params}
    return {name: kind for name, kind in found.items() if kind != UNKNOWN}


def _is_open(value: Value) -> bool:
    """Test for a value whose number of axes is not known."""
    return value.kind == UNKNOWN or (isinstance(value.kind, Array) and value.kind.rank is None)


@dataclass
class _Evidence:
    """What is known of the values of a program: ``ranks``, the least numbers of axes; ``numbers``; ``whole``, those of which
    places are made; ``others``, which are neither numbers nor arrays."""

    functions: Sequence[Function]
    ranks: dict[Value, int] = field(default_factory=dict)
    numbers: set[Value] = field(default_factory=set)
    whole: set[Value] = field(default_factory=set)
    others: set[Value] = field(default_factory=set)
    makers: dict[Value, Op] = field(default_factory=dict)
    plain: bool = False  # nothing needs an array: what has items is a list
    changed: bool = False

    def gather(self) -> None:
        """Look until nothing new is found; then let reductions tell, one after the other."""
        self.makers = {value: op for f in self.functions for op in ops_of(f.body) for value in op.results}
        for f in self.functions:
            defaults = {p.value: p.default.payload for p in f.params if isinstance(p.default, Const)}
            self.numbers |= {value for value, default in defaults.items() if type(default) in (int, float)}
            self.others |= {p.value for p in f.params if p.default is not None and p.value not in self.numbers}
        self._look()
        reduced = having("fails along axes") | having("sums") | having("picks")
        for op in self._calls():
            if op.target in reduced and op.args and not self.rank(op.args[0]):
                for leaf in self._leaves(op.args[0]):
                    self.need(leaf, 1)
                self._look()
        self.plain = not any(map(self._is_of_arrays, self._calls()))

    def _is_of_arrays(self, op: Call) -> bool:
        """Test for a call of the library of arrays, or an operation on whole arrays."""
        whole = op.target in self._elementwise() | having("multiplies matrices") and any(map(self.rank, op.args))
        return op.target.startswith(ARRAYS) or whole

    def kind(self, name: str, value: Value, default: Value | None, varies: bool) -> Kind:
        """The likely kind of a parameter."""
        rank, whole = self.ranks.get(value, 0), value in self.whole
        if not _is_open(value) or value in self.others or (rank and value in self.numbers) or rank > MOST_AXES:
            return UNKNOWN
        if rank and self.plain:
            kind: Kind = INT if whole else FLOAT
            for _ in range(rank):
                kind = List(kind)
            return kind
        if rank:
            return Array("int64" if whole else "float64", tuple(Dim(("axis", (name,), k)) for k in range(rank)))
        if whole or (isinstance(default, Const) and type(default.payload) is int and not varies):
            return Scalar("int64", size=Dim(("int", (name,)), least=ANY_INT))
        return FLOAT

    # --- what is noted

    def rank(self, value: Value) -> int:
        """The number of axes of a value, at least."""
        return self.ranks.get(value, 0) if _is_open(value) else rank_of(value.kind) or 0

    def need(self, value: Value, rank: int) -> None:
        """Note that a value has so many axes at least."""
        if not is_literal(value) and _is_open(value) and value not in self.numbers and self.ranks.get(value, 0) < rank:
            self.ranks[value] = rank
            self.changed = True

    def note(self, found: set[Value], values: Iterable[Value]) -> None:
        """Note values of unknown kind in one of the sets."""
        new = {v for v in values if not is_literal(v) and v.kind == UNKNOWN} - found
        self.changed |= bool(new)
        found |= new

    # --- where one looks

    def _calls(self) -> Iterator[Call]:
        return (op for f in self.functions for op in ops_of(f.body) if isinstance(op, Call))

    def _look(self) -> None:
        for _ in range(ROUNDS):
            self.changed = False
            for f in self.functions:
                for op in ops_of(f.body):
                    self._operation(op)
            if not self.changed:
                return

    def _operation(self, op: Op) -> None:
        if isinstance(op, Call) and op.target in KEEPS:
            self._same(op.args[0], *op.results)
            self.note(self.numbers, op.args[:1] if op.results[0] in self.numbers else [])
        elif isinstance(op, Call):
            self._callee(op, op.callee) if op.callee is not None else self._call(op)
        elif isinstance(op, Loop):
            for value, start, end, out in zip(op.carried, op.init, op.carried_yields, op.results, strict=False):
                self._same(value, start, end, out)
            if isinstance(op, For):
                item = op.body.params[0]
                self.need(op.iterable, 1 + self.rank(item))
                self.need(item, self.rank(op.iterable) - 1)
                self.note(self.whole, [op.iterable] if item in self.whole else [])
        elif isinstance(op, If):
            self.note(self.numbers, [op.cond])
            for out, one, other in zip(op.results, op.then.yields, op.orelse.yields, strict=False):
                self._same(out, one, other)

    def _same(self, *values: Value) -> None:
        """Values of one kind."""
        rank = max(map(self.rank, values))
        for value in values:
            self.need(value, rank)

    def _callee(self, op: Call, callee: Function) -> None:
        for param, arg in zip(callee.values, op.args, strict=False):
            self._same(param, arg)
            for found in (self.numbers, self.whole, self.others):
                self.note(found, [arg] if param in found else [])
        for out, result in zip(callee.body.yields, op.results, strict=False):
            self._same(out, result)

    def _call(self, op: Call) -> None:
        for look in LOOKS:
            if look(self, op):
                return

    # --- what calls tell

    def asked(self, op: Call) -> bool:
        """What a generated module asks of its arguments."""
        if op.target != "s2sad.runtime.fits" or not isinstance(op.args[0], Const):
            return False
        for (_, dtype, axes), value in zip(told_of(op.args[0].payload)[0], op.args[1:], strict=True):
            self.need(value, len(axes or ()))
            self.note(self.whole, [value] if dtype.startswith("int") else [])
            self.note(self.numbers, [value] if dtype == "float" else [])
        return True

    def shapes(self, op: Call) -> bool:
        """``x.shape[1]``, ``len(x)``: an array of as many axes."""
        if op.target in having("reads items") and isinstance(made := self.makers.get(op.args[0]), Call):
            if made.target in having("tells sizes") and op.args[0].kind == SHAPE:
                if isinstance(op.args[1], Const) and type(op.args[1].payload) is int:
                    at = op.args[1].payload
                    self.need(made.args[0], at + 1 if at >= 0 else -at)
                return True
        if op.target in having("tells sizes"):
            self.need(op.args[0], 1)
            return True
        return False

    def items(self, op: Call) -> bool:
        """``x[i, :]``: as many axes as are indexed, and those that are left."""
        writes = op.target in having("writes items")
        if not writes and op.target not in having("reads items"):
            return False
        base, index, item = op.args[0], op.args[1], op.args[2] if writes else op.results[0]
        if index.kind == STR:
            self.note(self.others, [base])
            return True
        parts = self._parts(index)
        counted = [p for p in parts if p.kind != NONE and not (isinstance(p, Const) and p.payload is Ellipsis)]
        single = [p for p in counted if not isinstance(p.kind, Slice)]
        kept = len(counted) - len(single) + len(parts) - len(counted) + max(map(self.rank, single), default=0)
        self.note(self.whole, [p for p in single if p.kind == UNKNOWN])
        self._of_whole(single)
        self.need(base, len(counted) + max(0, self.rank(item) - kept))
        if not writes:
            self.need(item, self.rank(base) - len(counted) + kept)
        return True

    def _parts(self, index: Value) -> list[Value]:
        made = self.makers.get(index)
        if isinstance(made, Call) and made.target == "builtins.tuple":
            return made.args
        if isinstance(index, Const) and isinstance(index.payload, tuple):
            return [Const(part) for part in index.payload]
        return [index]

    def _of_whole(self, values: Iterable[Value]) -> None:
        """What whole numbers are sums and products of is whole, and what they are chosen of; not what is compared for masks."""
        items = having("reads items")
        made_of = having("adds") | having("multiplies") | having("shares") | having("takes whole numbers") | items
        for value in values:
            made = self.makers.get(value)
            if isinstance(made, Call) and value in self.whole and made.target in made_of:
                parts = made.args[:1] if made.target in items else made.args
                new = [part for part in parts if part not in self.whole]
                self.note(self.whole, parts)
                self._of_whole(new)

    def matrices(self, op: Call) -> bool:
        """``a @ b``: vectors, and a matrix where the product is a vector, or what is called as one is."""
        if op.target not in having("multiplies matrices") or len(op.args) < 2:
            return False
        a, b = op.args[:2]
        for factor in (a, b):
            self.need(factor, 2 if self._is_called_a_matrix(factor) else 1)
        if self.rank(op.results[0]) and max(self.rank(a), self.rank(b)) < 2:
            self.need(b if a in self.makers and b not in self.makers else a, 2)
        if self.rank(op.results[0]) > 1:
            self.need(a, 2)
            self.need(b, 2)
        return self.forwards(op)

    def _is_called_a_matrix(self, value: Value) -> bool:
        """Test for a name that readers take for a matrix; ``Ap = A @ p`` is a product, whatever that is."""
        made, name = self.makers.get(value), value.name or ""
        product = isinstance(made, Call) and made.target in having("multiplies matrices")
        return MATRIX.fullmatch(name) is not None and not (product and name[1:].isalpha())

    def joined(self, op: Call) -> bool:
        """``concatenate([a, b])`` and ``stack([a, b])``: arrays of as many axes, or of one less."""
        more = int(op.target in having("stacks"))
        if not more and op.target not in having("joins"):
            return False
        made = self.makers.get(op.args[0])
        items = made.args if isinstance(made, Call) and made.target in DISPLAYS else []
        axis = op.kwargs.get("axis")
        least = axis.payload if isinstance(axis, Const) and type(axis.payload) is int else 0
        rank = max(1 - more, least + 1 - more, self.rank(op.results[0]) - more, *map(self.rank, items))
        for item in items:
            self.need(item, rank)
        self.need(op.results[0], rank + more)
        return True

    def alike(self, op: Call) -> bool:
        """``x.copy()``, ``zeros_like(x)``: as many axes as the argument has."""
        if op.target not in having("copies") | having("shaped as 0"):
            return False
        self._same(op.args[0], op.results[0])
        return self.forwards(op)

    def algebra(self, op: Call) -> bool:
        """Linear algebra: as many axes as its first argument has."""
        if op.target in having("of a matrix"):
            self.need(op.args[0], 2)
        if op.target in having("solves"):
            self.need(op.args[1], max(1, self.rank(op.results[0])))
        primitive = registry.lookup(op.target)
        if primitive is None or not primitive.axes:
            return False
        for k, (name, axes) in enumerate(primitive.axes.items()):
            value = primitive.bind(op.args, op.kwargs).get(name)
            if value is not None:
                self.need(value, 1 if k else axes)
        return self.forwards(op)

    def numbered(self, op: Call) -> bool:
        """Functions of numbers."""
        if not op.target.startswith(EXACT) and op.target not in having("takes numbers") | RANGES:
            return False
        values = list(op.args)
        self.note(self.whole if op.target in RANGES else self.numbers, values)
        self._of_whole(values)
        self._of_numbers(values)
        return True

    def _of_numbers(self, values: Sequence[Value]) -> None:
        """What numbers are made of item by item are numbers."""
        for value in values:
            made = self.makers.get(value)
            if isinstance(made, Call) and made.target in self._elementwise():
                self.note(self.numbers, made.args)
                self._of_numbers(made.args)

    def truths(self, op: Call) -> bool:
        """What decides is a number, or a flag, of which nothing is guessed."""
        if op.target not in having("takes one item"):
            return False
        self.note(self.others if op.args[0] not in self.makers else self.numbers, op.args)
        self._of_numbers(op.args)
        return True

    def compared(self, op: Call) -> bool:
        """Comparisons with text, and questions of identity."""
        compared = op.target.startswith("operator.") and any(a.kind in (STR, NONE) for a in op.args)
        if compared or op.target in having("tells apart"):
            self.note(self.others, op.args)
            return True
        return False

    def forwards(self, op: Call) -> bool:
        """All else: the axes of the result, as rules tell them; what a method is called of is an array."""
        if op.target.startswith(METHODS):
            self.need(op.args[0], 1)
        primitive = registry.lookup(op.target)
        if primitive is None or not op.results:
            return True
        try:
            bound = primitive.bind(op.args, op.kwargs)
            self._shapes_of(bound)
            kind = registry.infer(Call(target=op.target, args=[*map(self._as_guessed, op.args)], kwargs=op.kwargs))
        except Exception:
            return True
        self.need(op.results[0], rank_of(kind) or 0)
        if op.target in self._elementwise():
            rank, given = self.rank(op.results[0]), [a for a in op.args if _is_open(a)]
            if rank > max(map(self.rank, op.args), default=0):
                for leaf in given:
                    self.need(leaf, rank)
            self._added(op)
        return True

    def _added(self, op: Call) -> None:
        """``A @ x + b``: a product that is a vector, and a vector, not a number; ``K + c * M``: what is called as a matrix is."""
        if op.target in having("multiplies") | having("divides") | having("raises to powers") or len(op.args) != 2:
            return
        for one, other in (op.args, op.args[::-1]):
            made = self.makers.get(one)
            if self.rank(other) == MATRICES and self._is_called_a_matrix(one):
                self.need(one, MATRICES)
            if isinstance(made, Call) and made.target in having("multiplies matrices"):
                if self.rank(other):
                    self.need(one, 1)
                elif self.rank(one):
                    self.need(other, 1)

    def _shapes_of(self, bound: dict[str, Value]) -> None:
        for name in WHOLE & bound.keys():
            self.note(self.whole, parts := self._parts(bound[name]))
            self._of_whole(parts)
        axis, first = bound.get("axis"), next(iter(bound.values()), None)
        if isinstance(axis, Const) and type(axis.payload) is int and first is not None:
            self.need(first, max(2, axis.payload + 1) if axis.payload >= 0 else -axis.payload)

    def _as_guessed(self, value: Value) -> Value:
        """A value of the kind that is guessed by now."""
        if is_literal(value) or not _is_open(value):
            return value
        rank = self.ranks.get(value, 0)
        return Value(Array("float64", (None,) * rank) if rank else FLOAT)

    def _elementwise(self) -> Set[str]:
        return having("fails by shapes") | having("divides") | having("raises to powers") | having("fails by kinds")

    def _leaves(self, value: Value) -> Iterator[Value]:
        """The values of which this one is made item by item."""
        made = self.makers.get(value)
        if isinstance(made, Call) and made.callee is None and made.target in self._elementwise():
            for arg in made.args:
                yield from self._leaves(arg)
        else:
            yield value


RANGES = {"builtins.range", "builtins.slice"}
DISPLAYS = {"builtins.tuple", "builtins.list", "s2sad.items"}
LOOKS = (
    _Evidence.asked, _Evidence.shapes, _Evidence.items, _Evidence.matrices, _Evidence.joined, _Evidence.alike, _Evidence.algebra,
    _Evidence.numbered,
    _Evidence.truths, _Evidence.compared, _Evidence.forwards,
)  # fmt: skip
