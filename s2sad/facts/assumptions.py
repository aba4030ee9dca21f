"""Assumptions about the sizes of arguments while a program is made for them, which are asked for before each use of it.

    u: float64[n], v: float64[m], N: int          N - 1 <= n, n == m
    u[1:N - 1] * v[:N - 2]                        has N - 2 items

Each axis has a symbol of its own. Where it matters whether two sizes are equal, and those of the call that a program is made for
are, they count as equal from then on, and the program serves calls where they are. A no costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from s2sad.facts.sizes import (
    ANY_INT,
    Dim,
    Product,
    Size,
    Sum,
    expanded,
    floor_divided,
    larger,
    minus,
    not_negative,
    plus,
    product,
    renamed,
    same_size,
    spelled,
    terms_of,
    times,
    without_factor,
)

MADE = ("slice", "floor", "max0")  # tags of symbols that are made of others
HEAD = ("axis", "int")  # tags of the symbols of arguments: (tag, (name,) or ((name,), key) ..., axis)
APART = "apart"  # the tag of what is 1 where the items of an argument lie apart in memory
Symbol = tuple[Any, ...]


@dataclass(frozen=True)
class Condition:
    """A test of sizes: Python with ``{0}``, ``{1}`` ... in place of the symbols."""

    text: str
    symbols: tuple[Symbol, ...]


@dataclass
class Assumptions:
    """Those of one program. ``look``: the size, in the call that it is made for, that a symbol stands for; None where no test
    can ask for it.

    Of sizes by their sums of symbols, the ``equal`` ones are 0, and ``ordered`` ones are not negative.
    ``silent``: nothing is taken for granted, and a reader is told what is alike. ``supposes``: there is no call, and axes of
    arguments are as long as others, or as integers say, where that helps and nothing speaks against it.
    """

    look: Callable[[Symbol], int | None]
    silent: bool = False
    supposes: bool = False
    equal: dict[Any, Dim] = field(default_factory=dict)
    ordered: dict[Any, Dim] = field(default_factory=dict)
    alike: set[tuple[Symbol, Symbol]] = field(default_factory=set)  # the program fails where these differ
    inside: dict[Any, set[Any]] = field(default_factory=dict)  # the same, by the symbols that a function has for its arguments
    forms: dict[Any, Dim] = field(default_factory=dict)  # of integers that are sums of others
    bounds: dict[Any, tuple[Size, Size]] = field(default_factory=dict)  # the least and the most that a loop counts
    apart: dict[Symbol, None] = field(default_factory=dict)  # arguments that are copied, so that each item has a place of its own

    # --- questions

    def are_equal(self, pairs: Iterable[tuple[Size, Size]], met: bool = False) -> bool:
        """Equality of the sizes of each pair; a yes may become conditions. ``met``: of arrays that NumPy stretches together."""
        found = _Answer(self, met)
        if self.silent or not all(found.equal(a, b) for a, b in pairs):
            return False
        self.equal.update(found.same)
        for key, size in found.ordered.items():
            self.ordered[key] = min(size, self.ordered.get(key, size), key=lambda one: one.offset)
        return True

    def note_alike(self, a: Size, b: Size) -> None:
        """The program fails where these sizes differ: nobody has to ask, but a reader wants to know."""
        if not isinstance(a, Dim) or not isinstance(b, Dim) or a.offset != b.offset or a.key == b.key:
            return
        if (a.key, b.key) in self.alike:
            return
        if is_head(a.key) and is_head(b.key) and self.value(a) == self.value(b):
            self.alike.add((a.key, b.key))
        elif type(a.key) is type(b.key) is object:
            self.inside.setdefault(a.key, set()).add(b.key)

    def lies_apart(self, name: str) -> bool | None:
        """Test for an argument whose items lie apart in memory; a yes is a condition. Of a guess it is taken for granted, as in
        programs for whoever calls them. None where no test can ask for it."""
        if self.supposes:
            return True
        symbol = (APART, (name,))
        found = self.look(symbol)
        if found:
            self.apart[symbol] = None
        return None if found is None else bool(found)

    # --- answers

    def value(self, size: Size) -> int | None:
        """The size in the call that the program is made for; None where it hangs on more than the arguments."""
        try:
            return _folded(size, self._number, _NUMBERS)  # type: ignore[no-any-return]
        except _NotTold:
            return None

    def _number(self, symbol: Symbol) -> int:
        found = self.look(symbol)
        if found is None:
            raise _NotTold
        return found

    def conditions(self) -> tuple[Condition, ...]:
        """The tests before the program is used again."""
        pairs = [*(("==", size) for size in self.equal.values()), *((">=", size) for size in self.ordered.values())]
        return (*(_condition(size, sign) for sign, size in pairs), *(Condition("{0}", (symbol,)) for symbol in self.apart))

    def solved(self, zeros: Iterable[Size] | None = None) -> tuple[dict[Symbol, Size], list[Dim]]:
        """Axes whose size is that of others, or of integers; and the equations that no axis solves. ``zeros``: what is 0."""
        found: dict[Symbol, Size] = {}
        left: list[Dim] = []
        alike = (minus(Dim(a), Dim(b)) for a, b in sorted(self.alike, key=repr))
        for size in [*self.equal.values(), *alike] if zeros is None else zeros:
            zero = _put(size, found)
            if not isinstance(zero, Dim):
                continue
            terms = dict(terms_of(zero))
            axes = sorted((s for s, factor in terms.items() if is_head(s) and s[0] == "axis" and abs(factor) == 1), key=repr)
            if not axes or not all(map(is_head, terms)):
                left.append(zero)
                continue
            axis = axes[-1]
            own = plus(Dim(axis), times(zero, -terms[axis]))
            found = {symbol: _put(n, {axis: own}) for symbol, n in found.items()} | {axis: own}
        return found, left


def _put(size: Size, table: dict[Symbol, Size]) -> Size:
    """A size with those of a table in place of its symbols."""
    return renamed(size, lambda symbol: table.get(symbol, Dim(symbol, least=ANY_INT))) if isinstance(size, Dim) else size


class _Answer:
    """One question, and the conditions under which the answer is yes."""

    def __init__(self, known: Assumptions, met: bool) -> None:
        self.known, self.met = known, met
        self.same: dict[Any, Dim] = {}
        self.ordered: dict[Any, Dim] = {}

    def equal(self, a: Size, b: Size) -> bool:
        if a is None or b is None or same_size(a, b):
            return a is not None and b is not None
        a, b = self.resolved(a), self.resolved(b)
        left = minus(a, b)
        if not isinstance(left, Dim):
            return left == 0
        value = self.known.value(left)
        if value is not None:
            if value == 0:
                first = min(terms_of(left), key=repr)
                left = times(left, -1) if first[1] < 0 else left
                assert isinstance(left, Dim)
                self.same[left.key] = left
            return value == 0
        if self.known.supposes and (found := self.supposed(left)) is not None:
            return found
        terms = dict(terms_of(left))
        if left.offset or sorted(terms.values()) != [-1, 1]:
            return False
        one, other = sorted(terms, key=lambda symbol: terms[symbol])
        return self.alike(one, other) or self.met and (self.complementary(one, other) or self.complementary(other, one))

    def complementary(self, one: Any, other: Any) -> bool:
        """Test for ``x[k:]`` and ``y[:-k]``, of several items: if k is 0, these do not fit together."""
        slices = [key[1:] for key in (one, other) if isinstance(key, tuple) and key[0] == "slice" and key[4] in (None, 1)]
        if len(slices) != 2 or slices[0][1] is None or slices[0][2] is not None or slices[1][1] not in (None, 0):
            return False
        start, stop = (part if isinstance(part, Dim | int) else Dim(part) for part in (slices[0][1], slices[1][2]))
        return plus(start, stop) == 0 and self.equal(slices[0][0], slices[1][0]) and self.reaches(slices[0][0], 2)

    def supposed(self, left: Dim) -> bool | None:
        """The answer for what is 0 if an axis of an argument is as long as the rest says, and no single item; None for others."""
        zero = self.told(left)
        if not isinstance(zero, Dim):
            return zero == 0
        zero = times(zero, -1) if min(terms_of(zero), key=repr)[1] < 0 else zero
        assert isinstance(zero, Dim)
        if (known := self.same.get(zero.key, self.known.equal.get(zero.key))) is not None:
            return zero == known
        terms = dict(terms_of(zero))
        axes = [s for s, factor in terms.items() if is_head(s) and s[0] == "axis" and abs(factor) == 1]
        if not axes or not all(map(is_head, terms)):
            found = is_divided(zero) or None
            self.same |= {zero.key: zero} if found else {}
            return found
        if len(terms) == 1 and -zero.offset * terms[axes[0]] < 2 or self.contradicts(zero):
            return False
        self.same[zero.key] = zero
        return True

    def alike(self, one: Any, other: Any) -> bool:
        """Test for two symbols, or parts of them, that are made of equal sizes in the same way."""
        if isinstance(one, Dim) or isinstance(other, Dim):
            return isinstance(one, Dim | int) and isinstance(other, Dim | int) and self.equal(one, other)
        if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other) and one[0] == other[0] in MADE:
            return all(map(self.alike, one[1:], other[1:]))
        return type(one) is type(other) and bool(one == other)

    def resolved(self, size: Size) -> Size:
        """A size without limits, as far as the call tells that they are kept."""
        return expanded(renamed(size, self.symbol)) if isinstance(size, Dim) else size

    def symbol(self, key: Any) -> Size:
        tag = key[0] if isinstance(key, tuple) else None
        if tag == "max0":
            inner = self.resolved(key[1])
            return inner if self.reaches(inner, 0, True) else not_negative(inner)
        if tag == "floor":
            return floor_divided(self.resolved(key[1]), key[2])
        if tag == "max":
            one, other = sorted(map(self.resolved, key[1]), key=repr)
            found = next((m for m, n in ((one, other), (other, one)) if self.reaches(m, n)), None)
            return larger(one, other) if found is None else found
        if tag == "slice":
            return self.slice(*key[1:])
        if tag == "item":
            common = self.resolved(key[2])
            return common if is_of_arguments(common) else Dim(key)
        return self.known.forms.get(key, Dim(key, least=_least(key)))

    def slice(self, size: Size, start: Any, stop: Any, step: Any) -> Size:
        size = self.resolved(size)
        parts = [self.part(start), self.part(stop)]
        unsliced = Dim(("slice", size, *parts, step))
        forwards = step is None or type(step) is int and step > 0
        if not forwards or size is None or not all(part is None or isinstance(part, Dim | int) for part in parts):
            return unsliced
        before = dict(self.ordered)
        first, last = (self.from_front(size, part) for part in parts)
        first, last = first or 0, size if last is None else last
        if self.reaches(first, 0, True) and self.reaches(last, first, True) and self.reaches(size, last, True):
            return floor_divided(plus(minus(last, first), (step or 1) - 1), step or 1)
        self.ordered = before
        return unsliced

    def part(self, part: Any) -> Any:
        """An end of a slice: as a size, if it is an integer of which something is known."""
        known = part in self.known.forms or part in self.known.bounds
        return self.resolved(Dim(part, least=ANY_INT) if known else part) if known or isinstance(part, Dim) else part

    def from_front(self, size: Size, part: Any) -> Any:
        """An end of a slice, counted from the beginning of the axis."""
        negative = part < 0 if isinstance(part, int) else isinstance(part, Dim) and self.reaches(-1, part)
        return plus(size, part) if negative else part

    def innermost(self, size: Dim) -> Any:
        """What the innermost of the loops counts that count terms of a size; its limits may hang on what those around count."""
        found = {atom for symbol, _ in terms_of(size) if (atom := self.counted(symbol)) is not None}
        return next((atom for atom in reversed(self.known.bounds) if atom in found), None)

    def least(self, size: Dim, atom: Any) -> Size:
        """The least that a size is in all iterations of the loop that counts an atom."""
        total: Size = size.offset
        for symbol, factor in terms_of(size):
            counted = self.counted(symbol) == atom
            low, high = self.known.bounds[atom] if counted else (Dim(symbol, least=_least(symbol)),) * 2
            scale: Size = 1
            if isinstance(symbol, Product) and counted:
                scale = product([Dim(other, least=ANY_INT) for other, n in symbol.powers if other != atom for _ in range(n)])
            total = plus(total, self.resolved(product([times(low if factor > 0 else high, factor), scale])))
        return total

    def counted(self, symbol: Any) -> Any:
        """What a loop counts in a term: the symbol, or a factor of one that is not negative otherwise; None if there is none."""
        if not isinstance(symbol, Product):
            return symbol if symbol in self.known.bounds else None
        found = [atom for atom, power in symbol.powers if power == 1 and atom in self.known.bounds]
        others = [atom for atom, _ in symbol.powers if atom not in found]
        return found[0] if len(found) == 1 and all(self.reaches(Dim(atom, least=_least(atom)), 0) for atom in others) else None

    def reaches(self, a: Size, b: Size, cuts: bool = False) -> bool:
        """Test for ``a >= b``; a yes is a condition, unless it is certain. ``cuts``: of an axis and an end of a slice of it."""
        left = minus(a, b)
        if not isinstance(left, Dim):
            return left is not None and left >= 0
        if left.least >= 0 or is_not_negative(left):
            return True
        before = dict(self.ordered)
        for _ in range(LEVELS):
            least = next((symbol for symbol, _ in terms_of(left) if isinstance(symbol, tuple) and symbol[0] == "min"), None)
            atom = self.innermost(left)
            if least is not None and self.reaches_with_each(left, least, cuts):
                return True
            if atom is None:
                if least is not None:
                    return False
                break
            self.ordered = dict(before)
            left = self.least(left, atom)
            if not isinstance(left, Dim):
                return left is not None and left >= 0
        left = without_factor(left)
        if is_not_negative(left):
            return True
        if self.known.supposes and not isinstance(told := self.told(left), Dim):
            return told is not None and told >= 0
        value = self.known.value(left)
        if not self.may_reach(left, cuts) if value is None else value < 0:
            return False
        self.ordered[left.key] = min(left, self.ordered.get(left.key, left), key=lambda one: one.offset)
        return True

    def reaches_with_each(self, size: Dim, least: Any, cuts: bool) -> bool:
        """Test for a size that is not negative, whichever of several is the least one; where that is taken away, one will do."""
        factor = dict(terms_of(size))[least]
        others = (plus(size, times(minus(self.resolved(part), Dim(least)), factor)) for part in least[1:])
        return (all if factor > 0 else any)(self.reaches(other, 0, cuts) for other in others)


    def may_reach(self, left: Dim, cuts: bool) -> bool:
        """Test for a size of arguments that is supposed not to be negative: an axis is long enough, for an integer, too, or for
        what is cut out of it by the size of another one."""
        told = self.told(left) if self.known.supposes else None
        if not isinstance(told, Dim) or not all(is_head(s) or is_part(s) for s, _ in terms_of(told)):
            return False
        terms = dict(terms_of(told))
        known = (plus(told, self.told(size)) for size in (*self.known.ordered.values(), *self.ordered.values()))
        if sum(factor > 0 for factor in terms.values()) != 1 or any(isinstance(both, int) and both < 0 for both in known):
            return False
        sorts = sorted(symbol[0] for symbol in terms)
        return sorts in (["axis"], ["int"], ["axis", "int"]) or cuts and sorts in (["axis", "axis"], ["axis", "floor"])

    def told(self, size: Size) -> Size:
        """A size with axes that are supposed to be as long as others in their place."""
        return _put(size, self.known.solved([*self.known.equal.values(), *self.same.values()])[0])

    def contradicts(self, zero: Dim) -> bool:
        """Test for what cannot be 0 where axes are as long as is supposed already."""
        table = self.known.solved([*self.known.equal.values(), *self.same.values(), zero])[0]
        known = (_put(size, table) for size in (*self.known.ordered.values(), *self.ordered.values()))
        return any(isinstance(size, int) and size < 0 for size in known)


def is_part(symbol: Any) -> bool:
    """Test for ``n // 2``, of one axis and a literal."""
    return isinstance(symbol, tuple) and symbol[0] == "floor" and isinstance(symbol[1], Dim) and type(symbol[2]) is int


def is_not_negative(size: Dim) -> bool:
    """Certainty of a sum of sizes that it is not below zero: ``n - n // 2 + 1``."""
    terms = dict(terms_of(size))
    parts = [s for s in terms if is_part(s)]
    whole = math.lcm(*(s[2] for s in parts))
    least: Size = plus(times(Dim(Sum(frozenset((s, n) for s, n in terms.items() if s not in parts))), whole), size.offset * whole)
    for symbol in parts:  # what is left of a division is not less than 0, and less than what it is divided by
        factor = terms[symbol] * whole // symbol[2]
        least = plus(least, times(plus(symbol[1], 1 - symbol[2] if factor > 0 else 0), factor))
    if not isinstance(least, Dim):
        return least is not None and least > -whole
    return least.offset > -whole and all(n > 0 and _least(symbol) >= 0 for symbol, n in terms_of(least))


def is_divided(zero: Dim) -> bool:
    """Test for what is 0 where an axis can be divided by literals without a remainder: ``n - 2 * (n // 2)``, of two halves, or
    ``(n + 1) // 2 - n // 2``, of every other item; or where another one is as long: ``m - 2 * (n // 2)``."""
    terms = dict(terms_of(zero))
    floors = [*filter(is_part, terms)]
    inside = {symbol for floor in floors for symbol, _ in terms_of(floor[1])}
    outside = terms.keys() - set(floors)
    if len(inside) != 1 or not all(is_head(s) and s[0] == "axis" for s in inside | outside):
        return False
    if others := outside - inside:
        return len(others) == 1 and abs(terms[next(iter(others))]) == 1
    axis, whole = next(iter(inside)), math.lcm(*(s[2] for s in floors))
    return all(_folded(zero, {axis: n}.__getitem__, _NUMBERS) == 0 for n in (whole, 2 * whole, 3 * whole))


LEVELS = 16  # of loops whose bounds hang on those further out


def is_head(key: Any) -> bool:
    """Test for the symbol of a size of an argument, or of one that is an integer."""
    return isinstance(key, tuple) and key[0] in HEAD


def place_of(symbol: Symbol) -> tuple[str, tuple[Any, ...]]:
    """The argument that a symbol is a size of, and the path to the array in it."""
    key: Any = symbol[1]
    path: tuple[Any, ...] = ()
    while len(key) > 1:
        key, path = key[0], (key[1], *path)
    return key[0], path


def is_of_arguments(part: Any) -> bool:
    """Test for a size, or a part of one, that hangs on arguments alone."""
    if isinstance(part, Dim):
        return is_of_arguments(part.key)
    if isinstance(part, Sum | Product):
        return all(is_of_arguments(symbol) for symbol, _ in (part.terms if isinstance(part, Sum) else part.powers))
    if is_head(part) or part is None or isinstance(part, str | int):
        return True
    return isinstance(part, tuple | frozenset) and all(map(is_of_arguments, part))


def _least(key: Any) -> int:
    return 0 if isinstance(key, tuple) and key[0] in ("axis", "slice", "item") else ANY_INT


# --- sizes as numbers, and as text


class _NotTold(Exception):
    """A size hangs on what only the run tells."""


_NUMBERS: dict[str, Callable[..., Any]] = {
    "literal": lambda n: n, "sum": lambda terms, n: sum(k * v for v, k in terms) + n, "floor": lambda a, n: a // n,
    "product": lambda atoms: _product(atoms), "max": max, "slice": lambda n, a, b, c: len(range(n)[a:b:c]),
}  # fmt: skip


def _product(atoms: Iterable[int]) -> int:
    found = 1
    for n in atoms:
        found *= n
    return found


def _sum_text(terms: list[tuple[str, int]], n: int) -> str:
    text = ""
    for term, factor in terms:
        text += (" - " if factor < 0 else " + ") if text else "-" * (factor < 0)
        text += term if abs(factor) == 1 else f"{abs(factor)} * {term}"
    if not text or n:
        text += f" {'-' if n < 0 else '+'} {abs(n)}" if text else str(n)
    return text


_TEXTS: dict[str, Callable[..., Any]] = {
    "literal": str, "sum": _sum_text, "floor": lambda a, n: f"(({a}) // {n})" if " " in a else f"({a} // {n})",
    "product": lambda atoms: " * ".join(f"({a})" for a in atoms),
    "max": lambda a, b: f"max({a}, {b})", "slice": lambda n, a, b, c: f"len(range({n})[{a}:{b}:{c}])",
}  # fmt: skip


def _folded(size: Any, symbol: Callable[[Symbol], Any], ways: dict[str, Callable[..., Any]]) -> Any:
    """A size, computed in one of two ways."""

    def of(part: Any) -> Any:
        return _folded(part, symbol, ways)

    if isinstance(size, int):
        return ways["literal"](size)
    if not isinstance(size, Dim):
        raise _NotTold
    terms = sorted(terms_of(size), key=lambda term: (term[1] < 0, repr(term[0])))
    return ways["sum"]([(_folded_symbol(key, symbol, of, ways), factor) for key, factor in terms], size.offset)


def _folded_symbol(
    key: Any, symbol: Callable[[Symbol], Any], of: Callable[[Any], Any], ways: dict[str, Callable[..., Any]]
) -> Any:
    if isinstance(key, Product):
        powers = sorted(key.powers, key=repr)
        atoms = [atom if isinstance(atom, Dim) else Dim(atom) for atom, power in powers for _ in range(power)]
        return ways["product"]([of(atom) for atom in atoms])
    tag = key[0] if isinstance(key, tuple) else None
    if tag in HEAD or tag == "named":
        return symbol(key)
    if tag == "max0":
        return ways["max"](ways["literal"](0), of(key[1]))
    if tag == "max":
        return ways["max"](*map(of, sorted(key[1], key=repr)))
    if tag == "floor":
        return ways["floor"](of(key[1]), key[2])
    if tag == "slice":
        return ways["slice"](of(key[1]), *(part if part is None else of(part) for part in key[2:]))
    raise _NotTold


def _condition(size: Dim, sign: str) -> Condition:
    """``size == 0`` or ``size >= 0``."""
    symbols: dict[Symbol, str] = {}
    return Condition(_spelled(size, sign, lambda symbol: symbols.setdefault(symbol, f"{{{len(symbols)}}}")), tuple(symbols))


def _spelled(size: Dim, sign: str, symbol: Callable[[Symbol], str]) -> str:
    """The same as text, with what is subtracted on the other side."""

    def side(turn: int) -> str:
        terms = frozenset((key, turn * factor) for key, factor in terms_of(size) if turn * factor > 0)
        return str(_folded(Dim(Sum(terms), max(0, turn * size.offset)), symbol, _TEXTS))

    return f"{side(1)} {sign} {side(-1)}"


class Reader:
    """Sizes as a docstring tells them: axes of equal size by one letter, integers by their names.

    ``taken``: names that mean something else.
    """

    def __init__(self, assumptions: Assumptions | None, taken: Iterable[str]) -> None:
        self._table, self._left = assumptions.solved() if assumptions is not None else ({}, [])
        self._ordered = [*assumptions.ordered.values()] if assumptions is not None else []
        used = set(taken)
        self._letters = (name for k in count() for one in LETTERS if (name := one + str(k or "")) not in used)
        self._named: dict[Symbol, Size] = {}

    def size(self, size: Size) -> Size:
        """A size in terms of names."""
        return renamed(size, self._symbol) if isinstance(size, Dim) else size

    def _symbol(self, symbol: Any) -> Size:
        if not is_head(symbol):
            return Dim(symbol, least=ANY_INT)
        if symbol in self._table:
            return self.size(self._table[symbol])
        if symbol not in self._named:
            root, path = place_of(symbol)
            name = root + "".join(f"[{key!r}]" for key in path) if symbol[0] == "int" else next(self._letters)
            self._named[symbol] = Dim(("named", name), least=ANY_INT)
        return self._named[symbol]

    def conditions(self) -> list[str]:
        """The other assumptions, as text."""
        zero = [size for size in map(self.size, self._left) if isinstance(size, Dim)]
        least: dict[Any, Dim] = {}
        for size in map(self.size, self._ordered):
            if isinstance(size, Dim) and not self._says_nothing(size):
                least[size.key] = min(size, least.get(size.key, size), key=lambda one: one.offset)
        pairs = [*(("==", size) for size in zero), *((">=", size) for size in least.values())]
        return list(dict.fromkeys(_spelled(size, sign, self._told) for sign, size in pairs))

    def _says_nothing(self, size: Dim) -> bool:
        """Test for a sum of sizes of axes, which is not below zero, whatever they are."""
        axes = {named.key for symbol, named in self._named.items() if isinstance(named, Dim) and symbol[0] != "int"}
        return size.offset >= 0 and all(factor > 0 and key in axes for key, factor in terms_of(size))

    def _told(self, symbol: Symbol) -> str:
        found = symbol[1] if symbol[0] == "named" else spelled(self._symbol(symbol))
        return f"({found})" if " " in found else str(found)


LETTERS = "nmklpqrst"


def reader(taken: Iterable[str]) -> Reader:
    """The names of sizes in the docstring of the program that is being made."""
    return Reader(_current.get(), taken)


# --- those of the program that is being made

_current: ContextVar[Assumptions | None] = ContextVar("assumptions", default=None)


@contextmanager
def assuming(assumptions: Assumptions | None) -> Iterator[None]:
    """Questions are asked of the call that a program is made for; with None all that is uncertain is a no."""
    token = _current.set(assumptions)
    try:
        yield
    finally:
        _current.reset(token)


_looked: ContextVar[Mapping[Any, Size] | None] = ContextVar("looked", default=None)


@contextmanager
def looked(sizes: Mapping[Any, Size]) -> Iterator[None]:
    """Questions are asked where a program has looked: these symbols are equal to these sizes there."""
    token = _looked.set(sizes)
    try:
        yield
    finally:
        _looked.reset(token)


def as_looked(size: Size) -> Size:
    """A size in terms of those that it has been found equal to."""
    found = _looked.get()
    return renamed(size, lambda key: found.get(key, Dim(key, least=ANY_INT))) if found and isinstance(size, Dim) else size


def equal_sizes(a: Size, b: Size) -> bool:
    """Equality of two sizes: for certain, or where the program that is being made is used. Asked where a yes helps."""
    return same_size(a, b) or all_equal([(a, b)])


def all_equal(pairs: Iterable[tuple[Size, Size]], met: bool = False) -> bool:
    """The same of several pairs, of which a single yes does not help. ``met``: of arrays that NumPy has stretched together."""
    unsure = [(a, b) for a, b in pairs if not same_size(a, b) and not same_size(as_looked(a), as_looked(b))]
    current = _current.get() if unsure else None
    return not unsure or current is not None and current.are_equal(unsure, met)


def may_be_equal(a: Size, b: Size) -> bool:
    """Test for sizes that may be equal in the call that a program is made for, as far as that tells; of which none is 1 alone.

    Asked where a program may expect that they are, and look as it runs.
    """
    current = _current.get()
    if current is not None:
        a, b = (_Answer(current, True).resolved(size) for size in (a, b))
    values = [size if current is None else current.value(size) for size in (a, b)]
    known, left = [n for n in values if isinstance(n, int)], minus(a, b)
    return known[0] == known[1] if len(known) == 2 else 1 not in known and (left == 0 or not isinstance(left, int))


def settled() -> dict[Symbol, Size]:
    """The sizes of arguments that count as others in the program that is being made, by their symbols."""
    current = _current.get()
    return {} if current is None else current.solved(current.equal.values())[0]


def form_of(integer: Any) -> Size:
    """An integer of the program that is being made as a sum of others."""
    current = _current.get()
    return Dim(integer, least=ANY_INT) if current is None else current.forms.get(integer, Dim(integer, least=ANY_INT))


def note_form(integer: Any, form: Size) -> None:
    """An integer of the program is such a sum, or another one of the same iteration."""
    if (current := _current.get()) is not None and isinstance(form, Dim):
        current.forms[integer] = form


def note_bounds(integer: Any, low: Size, high: Size) -> None:
    """The limits of what a loop counts: never less than ``low``, and never more than ``high``."""
    if (current := _current.get()) is not None and low is not None and high is not None:
        current.bounds[integer] = low, high


def lies_apart(name: str) -> bool | None:
    """Test for an argument whose items lie apart in memory in the call that the program is made for, and in all that it serves.

    None where nobody asks before the program is used; of programs for whoever calls them it is taken for granted.
    """
    current = _current.get()
    return True if current is None else current.lies_apart(name)


def are_asked(sizes: Iterable[Size]) -> bool:
    """Test for sizes of a seed that a program can be asked about before it begins; those of programs for a call are looked at."""
    current = _current.get()
    if current is None or not current.supposes:
        return True
    return all(isinstance(n, int) or n is not None and all(is_head(symbol) for symbol, _ in terms_of(n)) for n in sizes)


def note_alike(a: Size, b: Size) -> None:
    """The program that is being made fails where these sizes differ."""
    if (current := _current.get()) is not None:
        current.note_alike(a, b)


def note_call(names: Mapping[Any, Size]) -> None:
    """A function with these symbols is called with arguments of these sizes, and fails where those differ that it needs alike."""
    if (current := _current.get()) is not None:
        for symbol in current.inside.keys() & names.keys():
            for other in current.inside[symbol] & names.keys():
                current.note_alike(names[symbol], names[other])
