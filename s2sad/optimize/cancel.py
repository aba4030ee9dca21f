"""Adjoints of what cancels are not formed: of a quotient, all parts of its divisor times it are its dividend.

Before::

    d = operator.sub(1.0, v)                     v = e * cos(E)
    q = operator.truediv(g, d)
    v1 = operator.add(g, h)
    v2 = operator.sub(v1, q)                     g + h - q + q * v: g - q * (1.0 - v) is nothing
    v3 = operator.mul(q, v)
    E_bar = operator.add(v2, v3)

After::

    E_bar = h

A step of Newton's method is such a program. Of numbers of derivatives alone: what is left out is rounding, but where ``d`` is
zero, and there the function itself has a pole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import NamedTuple

from s2sad.ir.kinds import Scalar
from s2sad.ir.nodes import Block, Call, Const, Function, Op, Value
from s2sad.ir.walk import blocks_of, definers, ops_of, substitute_all, use_counts
from s2sad.optimize.algebra import ADD, DIV, MUL, NEG, SUB
from s2sad.optimize.memory_effects import Memory
from s2sad.optimize.rewriting import const_key, drop, insert, is_derivative, is_float, keeps_border

FACTORS = 64  # of a product that is told from others by its factors: a longer one is a factor of others, as a whole


class Term(NamedTuple):
    """A term of a sum: added or subtracted, and its own sign and factors."""

    value: Value
    outer: int
    own: int
    factors: Counter[object]

    @property
    def signed(self) -> Hashable:
        """The sign and the factors."""
        return signed(self.outer * self.own, self.factors)


def signed(sign: int, factors: Counter[object]) -> Hashable:
    """Equal for products that are."""
    return sign, frozenset(factors.items())


@keeps_border
def run(function: Function, memory: Memory | None = None) -> bool:
    """Leave out the terms of sums that cancel."""
    if not any(isinstance(op, Call) and op.target == DIV for op in ops_of(function.body)):
        return False
    work = _Cancel(function)
    sums = [op for block in blocks_of(function.body) for op in block.ops if work.is_sum(op)]
    inner = {part for op in sums for part in work.parts(op)}
    for op in sums:
        if op not in inner:
            work.sum(op)
    insert(function, work.before)
    substitute_all(function.body, work.table)
    drop(function, work.dead)
    return work.changed


class _Cancel:
    def __init__(self, function: Function) -> None:
        self.uses = use_counts(function)
        self.maker = definers(function)
        self.owner: dict[Op, Block] = {op: block for block in blocks_of(function.body) for op in block.ops}
        self.products: dict[Value, tuple[int, Counter[object]]] = {}
        self.before: dict[Op, list[Op]] = {}
        self.table: dict[Value, Value] = {}
        self.dead: set[Op] = set()
        self.changed = False

    def is_sum(self, op: Op) -> bool:
        """Test for a sum of numbers in a derivative."""
        numbers = isinstance(op, Call) and op.target in (ADD, SUB) and isinstance(op.result.kind, Scalar)
        return numbers and is_float(op.results[0].kind) and is_derivative(op)

    def sum(self, op: Op) -> None:
        """Leave out what cancels in one sum."""
        assert isinstance(op, Call)
        terms = every = list(self.terms(op))
        known = {term.signed: term for term in reversed(terms)}
        for quotient in dict.fromkeys(factor for term in every for factor in term.factors):
            gone = self.cancelled(quotient, known) if isinstance(quotient, Value) else []
            if gone and len(gone) < len(terms):
                terms = [term for term in terms if not any(term is one for one in gone)]
                known = {term.signed: term for term in reversed(terms)}
        if len(terms) < len(every):
            self.changed = True
            self.write(op, terms)

    def write(self, op: Call, terms: list[Term]) -> None:
        """The sum of some terms, in place of that of all."""
        made = self.before[op] = []

        def step(target: str, *args: Value) -> Value:
            made.append(replace(op, target=target, args=[*args], results=[Value(op.result.kind, op.result.name)]))
            return made[-1].results[0]

        first, *rest = sorted(terms, key=lambda term: -term.outer)  # one that is added, if there is any
        total = first.value if first.outer > 0 else step(NEG, first.value)
        for term in rest:
            total = step(ADD if term.outer > 0 else SUB, total, term.value)
        self.table[op.result] = total
        self.drop(op)

    def drop(self, op: Call) -> None:
        self.dead.add(op)
        for part in self.parts(op):
            self.drop(part)

    def terms(self, op: Call) -> Iterator[Term]:
        """The terms of a sum, and those of its parts, which nothing else reads."""
        rest: list[tuple[Value | Call, int]] = [(op, 1)]
        while rest:
            found, outer = rest.pop()
            if isinstance(found, Value):
                yield Term(found, outer, *self.product(found))
                continue
            parts = {part.result: part for part in self.parts(found)}
            for k, value in reversed([*enumerate(found.args)]):
                rest.append((parts.get(value, value), -outer if k and found.target == SUB else outer))

    def parts(self, op: Op) -> Iterator[Call]:
        """The sums that are parts of another one, and that nothing else reads."""
        for value in op.operands():
            part = self.maker.get(value)
            if isinstance(part, Call) and self.uses[value] == 1 and self.owner[part] is self.owner[op] and self.is_sum(part):
                yield part

    def product(self, value: Value) -> tuple[int, Counter[object]]:
        """A value as a sign and factors; 1.0 is no factor."""
        if value not in self.products:
            sign, factors = self._product(value)
            self.products[value] = (sign, factors) if factors.total() <= FACTORS else (1, Counter([value]))
        return self.products[value]

    def _product(self, value: Value) -> tuple[int, Counter[object]]:
        op = self.maker.get(value)
        if isinstance(value, Const):
            return 1, Counter() if value.payload == 1 else Counter([const_key(value)])
        if isinstance(op, Call) and isinstance(value.kind, Scalar) and op.target == NEG:
            sign, factors = self.product(op.args[0])
            return -sign, factors
        if isinstance(op, Call) and isinstance(value.kind, Scalar) and op.target == MUL:
            (sign, factors), (other, more) = map(self.product, op.args)
            return sign * other, factors + more
        return 1, Counter([value])

    def cancelled(self, quotient: Value, known: dict[Hashable, Term]) -> list[Term]:
        """The terms of a sum that are a quotient's dividend, and its divisor's parts times the quotient, which are that again."""
        op = self.maker.get(quotient)
        divisor = self.maker.get(op.args[1]) if isinstance(op, Call) and op.target == DIV else None
        if divisor is None or not self.is_difference(divisor):
            return []
        assert isinstance(op, Call) and isinstance(divisor, Call)
        sign, dividend = self.product(op.args[0])
        parts = [(term.outer * term.own, term.factors + Counter([quotient])) for term in self.terms(divisor)]
        for turn in (1, -1):
            wanted = [signed(-sign * turn, dividend), *(signed(turn * s, factors) for s, factors in parts)]
            found = [known[one] for one in wanted if one in known]
            if len(found) == len(set(wanted)) == len(wanted):
                return found
        return []

    def is_difference(self, op: Op) -> bool:
        """Test for a sum of numbers."""
        return isinstance(op, Call) and op.target in (ADD, SUB) and isinstance(op.result.kind, Scalar)
