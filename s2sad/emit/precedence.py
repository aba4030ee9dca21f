"""The precedence of Python's operators: where parentheses are needed, and nowhere else.

Every expression has a level of its own, every place demands one; an expression that binds less tightly than
its place demands is parenthesised. So ``-x**2`` and ``(-x)**2``: what is raised to a power must bind tighter
than a sign.
"""

from __future__ import annotations

import ast
from enum import IntEnum

from s2sad.emit.spelling import Number, number


class Level(IntEnum):
    """Levels of binding, the loosest first; the names are those of what first appears on a level."""

    WALRUS = 0
    YIELD = 1
    TUPLE = 2  # without its parentheses: a, b
    TEST = 3  # lambda and the conditional expression; what most places take
    OR = 4
    AND = 5
    NOT = 6
    COMPARE = 7
    BIT_OR = 8
    BIT_XOR = 9
    BIT_AND = 10
    SHIFT = 11
    SUM = 12
    PRODUCT = 13
    SIGN = 14
    POWER = 15
    AWAIT = 16
    ATOM = 17  # what may be called or subscripted
    DOTTED = 18  # what may stand before a dot: an atom, but 1.real is a syntax error

    @property
    def tighter(self) -> Level:
        """The next level: what the right operand of a left-associative operator must have."""
        return Level(self + 1)


BINARY: dict[type[ast.operator], Level] = {
    ast.BitOr: Level.BIT_OR,
    ast.BitXor: Level.BIT_XOR,
    ast.BitAnd: Level.BIT_AND,
    ast.LShift: Level.SHIFT,
    ast.RShift: Level.SHIFT,
    ast.Add: Level.SUM,
    ast.Sub: Level.SUM,
    ast.Mult: Level.PRODUCT,
    ast.MatMult: Level.PRODUCT,
    ast.Div: Level.PRODUCT,
    ast.FloorDiv: Level.PRODUCT,
    ast.Mod: Level.PRODUCT,
    ast.Pow: Level.POWER,
}

_BY_NODE: dict[type[ast.AST], Level] = {
    ast.NamedExpr: Level.WALRUS,
    ast.Yield: Level.YIELD,
    ast.YieldFrom: Level.YIELD,
    ast.Lambda: Level.TEST,
    ast.IfExp: Level.TEST,
    ast.Compare: Level.COMPARE,
    ast.Await: Level.AWAIT,
}


def level_of(node: ast.AST) -> Level:
    """The level of an expression that is written without parentheses."""
    match node:
        case ast.BinOp():
            return BINARY[type(node.op)]
        case ast.BoolOp():
            return Level.OR if isinstance(node.op, ast.Or) else Level.AND
        case ast.UnaryOp():
            return Level.NOT if isinstance(node.op, ast.Not) else Level.SIGN
        case ast.Tuple(elts=[_, *_]):
            return Level.TUPLE
        case ast.Constant(value=bool()):
            return Level.DOTTED
        case ast.Constant(value=int() | float() | complex() as value):
            return _level_of_number(value)
    return _BY_NODE.get(type(node), Level.DOTTED)


def _level_of_number(value: Number) -> Level:
    text = number(value)
    if isinstance(value, complex) and not text.endswith(")") and " " in text:
        return Level.SUM
    if text.startswith("-"):
        return Level.SIGN
    return Level.ATOM if isinstance(value, int) else Level.DOTTED


def needs_parentheses(node: ast.AST, place: Level) -> bool:
    """Need for parentheses around an expression in a place that demands a level."""
    own = level_of(node)
    # A place that takes a walrus (the test of an if) does not take a bare tuple or yield.
    return own < place or (place is Level.WALRUS and own in (Level.YIELD, Level.TUPLE))
