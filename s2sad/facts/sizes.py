"""The size of an axis as it is known: a number, a sum of symbols that are equal wherever they are met, or nothing.

    n       n - 2       2*n + m       n*m       floor(n/2) + 1

Equal expressions are equal sizes; of others nothing is known.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, field
from functools import reduce
from typing import Any


@dataclass(frozen=True, slots=True)
class Dim:
    """A symbolic size: equal dims are equal sizes. ``many`` says that the size is known not to be 1, ``least`` that it is
    not smaller than that (``ANY_INT``: of an argument that is an integer).

    ``key`` is any hashable that stands for the size, or a ``Sum`` of such; ``offset`` is added to it. A literal size is a plain
    int, an unknown one None (which equals nothing).
    """

    key: Any
    offset: int = 0
    many: bool = field(default=False, compare=False)
    least: int = field(default=0, compare=False)
    code: int = field(init=False, repr=False, compare=False)  # half of a half of a half holds each of them more than once

    def __post_init__(self) -> None:
        """Compute the hash once."""
        object.__setattr__(self, "code", hash((self.key, self.offset)))

    def __hash__(self) -> int:
        """That of what is compared."""
        return self.code

    def __reduce__(self) -> tuple[Any, ...]:
        """Hashes are another process's business."""
        return Dim, (self.key, self.offset, self.many, self.least)


Size = Dim | int | None
ANY_INT = -sys.maxsize  # the least of an integer that may be negative


@dataclass(frozen=True, slots=True)
class Sum:
    """The key of a size that is a sum: symbols with their factors. None is 0, and one alone has another factor than 1."""

    terms: frozenset[tuple[Any, int]]


@dataclass(frozen=True, slots=True)
class Product:
    """A symbol that is a product: symbols, or sizes with an offset, with their powers. There are two at least."""

    powers: frozenset[tuple[Any, int]]


def same_size(a: Size, b: Size) -> bool:
    """Certainty that two sizes are equal."""
    return a is not None and a == b


def is_many(size: Size) -> bool:
    """Certainty that a size is not 1, so that the axis cannot be one that NumPy stretches."""
    return size.many or size.least > 1 if isinstance(size, Dim) else size is not None and size != 1


def least_of(size: Size) -> int:
    """A number that the size of an axis is certainly not smaller than."""
    return max(0, size.least) if isinstance(size, Dim) else size or 0


def floor_of(n: int) -> int:
    """The least size that a program may rely on, of an argument's axis of n items: sizes with the same one share a program, and
    1 is an axis that NumPy stretches. Stencils of one or three neighbours leave more than one item of 4 or 8."""
    return 8 if n >= 8 else 4 if n >= 4 else int(n == 1)


def shifted(size: Dim, n: int) -> Dim:
    """``size + n``, of a size or of an integer that may be negative."""
    return Dim(size.key, size.offset + n, least=max(ANY_INT, size.least + n))


def fewer(size: Dim, n: int) -> Dim:
    """The size of an axis without n of its items: ``max(0, size - n)``."""
    if n <= size.least or not n:
        return shifted(size, -n) if n else size
    inner = size.key[1] if not size.offset and isinstance(size.key, tuple) and size.key[0] == "max0" else size
    return Dim(("max0", shifted(inner, -n)))


def not_negative(size: Size) -> Size:
    """``max(0, size)``."""
    if not isinstance(size, Dim):
        return size if size is None else max(0, size)
    return size if size.least >= 0 else Dim(("max0", size))


def larger(a: Size, b: Size) -> Size:
    """``max(a, b)``, one symbol for both orders."""
    if a is None or b is None or same_size(a, b):
        return a if same_size(a, b) else None
    if isinstance(a, int) and isinstance(b, int):
        return max(a, b)
    for one, other in ((a, b), (b, a)):
        if isinstance(other, int) and isinstance(one, Dim) and one.least >= other:
            return one
    return Dim(("max", frozenset((a, b))), many=is_many(a) and is_many(b), least=max(map(least_of, (a, b))))


def smallest(sizes: Sequence[Size]) -> Size:
    """The least of several integers, a symbol of its own: ``("min", m, n)``."""
    known = len(sizes) > 1 and all(size is not None for size in sizes)
    return Dim(("min", *sizes), least=ANY_INT) if known else None


def terms_of(size: Dim) -> Iterable[tuple[Any, int]]:
    """The symbols of a size, with their factors."""
    return size.key.terms if isinstance(size.key, Sum) else ((size.key, 1),)


def _linear(terms: dict[Any, int], offset: int, many: bool, least: int) -> Dim | int:
    left = {symbol: factor for symbol, factor in terms.items() if factor}
    if not left:
        return offset
    alone = next(iter(left)) if len(left) == 1 and 1 in left.values() else None
    common = math.gcd(*left.values())
    many = many or common > 1 and (offset - 1) % common != 0  # 1 is not among its values
    return Dim(Sum(frozenset(left.items())) if alone is None else alone, offset, many, least)


def spelled(size: Size) -> str:
    """A size as a reader sees it: a number, or in terms of the names that annotations give; ``:`` for others."""
    if not isinstance(size, Dim):
        return ":" if size is None else str(size)
    found = ""
    for symbol, factor in sorted(terms_of(size), key=repr):
        if not isinstance(symbol, tuple) or symbol[0] != "named":
            return ":"
        sign = " - " if factor < 0 and found else "-" if factor < 0 else " + " if found else ""
        found += sign + (f"{abs(factor)}*" if abs(factor) != 1 else "") + symbol[1]
    offset = size.offset
    return found + (f" {'-' if offset < 0 else '+'} {abs(offset)}" if offset else "")


def plus(a: Size, b: Size) -> Size:
    """``a + b``, of sizes or of integers that may be negative."""
    if a is None or b is None:
        return None
    if isinstance(a, int):
        return a + b if isinstance(b, int) else shifted(b, a) if a else b
    if isinstance(b, int):
        return plus(b, a)
    terms: Counter[Any] = Counter(dict(terms_of(a)))
    terms.update(dict(terms_of(b)))
    return _linear(terms, a.offset + b.offset, False, max(ANY_INT, a.least + b.least))


def times(a: Size, n: int) -> Size:
    """``a * n``, of a size or of an integer that may be negative."""
    if not isinstance(a, Dim):
        return None if a is None and n else (a or 0) * n
    terms = {symbol: factor * n for symbol, factor in terms_of(a)}
    return _linear(terms, a.offset * n, a.many and n == 1, max(ANY_INT, a.least * n) if n >= 0 else ANY_INT)


def minus(a: Size, b: Size) -> Size:
    """``a - b``, which may be negative."""
    return plus(a, times(b, -1))


def product(sizes: Iterable[Size]) -> Size:
    """The number of items of an array."""
    known = list(sizes)
    if None in known:
        return None
    count, symbols = 1, [n for n in known if isinstance(n, Dim)]
    atoms: Counter[Any] = Counter()
    for n in known:
        count *= n if isinstance(n, int) else 1
    if len(symbols) < 2 or not count:
        return times(symbols[0], count) if symbols else count
    for n in symbols:
        terms = [*terms_of(n)]
        if n.offset or len(terms) > 1:
            atoms[n] += 1
            continue
        ((symbol, factor),) = terms
        count *= factor
        atoms.update(dict(symbol.powers) if isinstance(symbol, Product) else {symbol: 1})
    least = abs(count) * math.prod(map(least_of, symbols)) if all(n.least >= 0 for n in symbols) else ANY_INT
    found = _linear({Product(frozenset(atoms.items())): count}, 0, False, least)
    many = least >= 0 and any(map(is_many, known))
    return Dim(found.key, found.offset, found.many or many, found.least) if isinstance(found, Dim) else found


def quotient(a: Size, b: Size) -> Size:
    """``a / b`` where it has no remainder, whatever the symbols are, but that b is not 0; else None."""
    if isinstance(a, int) and isinstance(b, int):
        return a // b if b and a % b == 0 else None
    if isinstance(a, Dim) and isinstance(b, int):
        if not b or a.offset % b or any(factor % b for _, factor in terms_of(a)):
            return None
        least = a.least // b if b > 0 and a.least > ANY_INT else ANY_INT
        return _linear({symbol: factor // b for symbol, factor in terms_of(a)}, a.offset // b, False, least)
    if a is None or not isinstance(b, Dim):
        return None
    if a == b or a == 0:
        return 1 if a == b else 0
    over, (symbols, factor) = _powers(a), _powers(b)
    left = Counter(over[0])
    left.subtract(symbols)
    if over[1] % factor or any(power < 0 for power in left.values()):
        return None
    return product([over[1] // factor, *(_as_size(atom) for atom in left.elements())])


def _powers(size: Size) -> tuple[Counter[Any], int]:
    if not isinstance(size, Dim):
        return Counter(), size or 0
    terms = [*terms_of(size)]
    if size.offset or len(terms) > 1:
        return Counter([size]), 1
    ((symbol, factor),) = terms
    return Counter(dict(symbol.powers) if isinstance(symbol, Product) else {symbol: 1}), factor


def _as_size(atom: Any) -> Dim:
    return atom if isinstance(atom, Dim) else Dim(atom, least=ANY_INT)


def without_factor(size: Dim) -> Dim:
    """A size that is below zero where this one is, with smaller factors."""
    common = math.gcd(*(factor for _, factor in terms_of(size)))
    found = _linear({symbol: factor // common for symbol, factor in terms_of(size)}, size.offset // common, False, ANY_INT)
    return found if isinstance(found, Dim) else size


def floor_divided(a: Size, n: int) -> Size:
    """``a // n`` of a size, for n > 0: exact, or a symbol of its own."""
    if not isinstance(a, Dim):
        return None if a is None else a // n
    exact = quotient(a, n)
    if exact is not None:
        return exact
    whole, rest = {s: f // n for s, f in terms_of(a) if f % n == 0}, {s: f for s, f in terms_of(a) if f % n}
    inner = _linear(rest, a.offset % n, False, ANY_INT)
    least = a.least // n if a.least > ANY_INT else ANY_INT
    symbol = ("floor", inner, n)
    return _linear({**whole, symbol: 1}, a.offset // n, False, least)


def renamed(size: Dim, name: Callable[[Any], Size]) -> Size:
    """The size with other sizes in place of its symbols."""
    total: Size = size.offset
    for symbol, factor in terms_of(size):
        if isinstance(symbol, Product):
            powers = Counter(dict(symbol.powers)).elements()
            found = product([renamed(atom, name) if isinstance(atom, Dim) else name(atom) for atom in powers])
        else:
            found = name(symbol)
        total = plus(total, times(found, factor))
    if not isinstance(total, Dim):
        return total
    return Dim(total.key, total.offset, total.many or size.many, max(total.least, size.least))


def symbols_of(key: Any) -> Iterable[Any]:
    """The symbols of which the key of a size consists."""
    if isinstance(key, Sum):
        for symbol, _ in key.terms:
            yield from symbols_of(symbol)
    elif isinstance(key, Product):
        for atom, _ in key.powers:
            yield from symbols_of(atom.key if isinstance(atom, Dim) else atom)
    else:
        yield key


class Anonymous:
    """The key of a size that control flow joined: known not to be 1, and equal to nothing but itself."""


def is_kept(size: Size) -> bool:
    """Certainty that an axis of what a loop carries keeps its size."""
    return size is not None and not (isinstance(size, Dim) and isinstance(size.key, Anonymous))


def is_lasting(size: Size) -> bool:
    """Certainty that a size is the same wherever its symbols are: control flow has joined none of them."""
    return size is not None and not _is_joined(size)


def _is_joined(part: Any) -> bool:
    if isinstance(part, Dim):
        return _is_joined(part.key)
    if isinstance(part, Sum | Product):
        return any(_is_joined(symbol) for symbol, _ in (part.terms if isinstance(part, Sum) else part.powers))
    return any(map(_is_joined, part)) if isinstance(part, tuple | frozenset) else isinstance(part, Anonymous)


def is_made_of(part: Any, symbols: Set[Any]) -> bool:
    """Certainty that a size, or a part of one, hangs on these symbols alone."""
    if isinstance(part, Dim):
        return is_made_of(part.key, symbols)
    if isinstance(part, Sum | Product):
        return all(is_made_of(symbol, symbols) for symbol, _ in (part.terms if isinstance(part, Sum) else part.powers))
    if isinstance(part, tuple | frozenset) and part not in symbols:
        return all(is_made_of(inner, symbols) for inner in part)
    return part is None or isinstance(part, str | int) or part in symbols


def of_an_item(size: Size) -> Size:
    """The size of one of several items, of which ``size`` tells what they have in common: the same, where that hangs on arguments
    alone (``("item", which, size)``)."""
    if not isinstance(size, Dim):
        return size
    common = size.key[2] if isinstance(size.key, tuple) and size.key[0] == "item" and not size.offset else size
    return Dim(("item", object(), common) if is_followed(common) else object(), 0, size.many, size.least)


def is_followed(part: Any) -> bool:
    """Test for a size, or a part of one, that hangs on arguments and integers of the program alone."""
    if isinstance(part, Dim):
        return is_followed(part.key)
    if isinstance(part, Sum | Product):
        return all(is_followed(symbol) for symbol, _ in (part.terms if isinstance(part, Sum) else part.powers))
    if isinstance(part, tuple | frozenset):
        return all(map(is_followed, part))
    return type(part) is not object and not isinstance(part, Anonymous)


def expanded(size: Size) -> Size:
    """The same size, without products of sums."""
    if not isinstance(size, Dim) or not any(isinstance(symbol, Product) for symbol, _ in terms_of(size)):
        return size
    total: Size = size.offset
    for symbol, factor in terms_of(size):
        found: Size = factor
        for atom in Counter(dict(symbol.powers)).elements() if isinstance(symbol, Product) else (symbol,):
            found = reduce(plus, (product(pair) for pair in itertools.product(_summands(found), _summands(_as_size(atom)))))
        total = plus(total, found)
    if not isinstance(total, Dim):
        return total
    return Dim(total.key, total.offset, total.many or size.many, max(total.least, size.least))


def _summands(size: Size) -> list[Size]:
    if not isinstance(size, Dim):
        return [size]
    return [*(times(_as_size(symbol), factor) for symbol, factor in terms_of(size)), size.offset]


def forgotten(size: Size) -> Size:
    """Another size that is known as much of: a literal 1, and whether it may be 1."""
    if size == 1:
        return 1
    return Dim(object(), many=True, least=floor_of(least_of(size))) if is_many(size) else None
