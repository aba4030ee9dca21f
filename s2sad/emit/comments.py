"""Comments on statements of a gast tree, and the way from gast to ast that keeps them.

A comment is a plain attribute of the statement node, so that passes which copy or move the node carry it
along. gast's own conversion rebuilds every node and would drop it; ``to_ast`` hands it over:

    statement = gast.parse("y = f(x)").body[0]
    leading(statement, "", "reverse sweep")     ->   (blank line)
    trailing(statement, "from the user's f")         # reverse sweep
                                                     y = f(x)  # from the user's f
"""

from __future__ import annotations

import ast
from typing import Any
from unicodedata import category

import gast
from gast.ast3 import GAstToAst3

_ABOVE = "comment_above"
_AFTER = "comment_after"


def leading(node: Any, *lines: str) -> None:
    """Add comment lines above a statement, below those that it already has; an empty one is a blank line."""
    # A line break inside a comment would turn the rest of it into code.
    added = [printable(part).rstrip() for line in lines for part in (line.splitlines() or [""])]
    setattr(node, _ABOVE, [*comment_lines(node), *added])


def trailing(node: Any, text: str) -> None:
    """Set the comment that stands behind a statement, or behind the header of a compound one."""
    setattr(node, _AFTER, printable(" ".join(text.splitlines())).strip())


def printable(text: str) -> str:
    """A comment as everybody sees it: characters that end lines somewhere, reverse the order of others or control a terminal
    are escaped."""
    return "".join(c if c.isprintable() or c.isspace() and category(c) == "Zs" else ascii(c)[1:-1] for c in text.expandtabs(4))


def comment_lines(node: Any) -> list[str]:
    """The comment lines above a statement, in either kind of tree."""
    lines: list[str] = getattr(node, _ABOVE, [])
    return lines


def comment_after(node: Any) -> str:
    """The comment behind a statement, in either kind of tree; empty where there is none."""
    text: str = getattr(node, _AFTER, "")
    return text


# Most of what is printed: nodes of one name and the same fields in both, without a place in a file.
_ALIKE = {
    getattr(gast, name): getattr(ast, name)
    for name in ("Assign", "AugAssign", "Attribute", "BinOp", "Compare", "Expr", "Return", "Subscript", "Tuple", "UnaryOp")
}
_MARKS: dict[type, Any] = {
    getattr(gast, name): mark()
    for name, mark in vars(ast).items()
    if isinstance(mark, type) and issubclass(mark, ast.operator | ast.unaryop | ast.expr_context) and hasattr(gast, name)
}


class _WithComments(GAstToAst3):  # type: ignore[misc]  # gast has no type information
    """gast's conversion, and the comments come along."""

    def visit(self, node: Any) -> Any:
        converted: Any
        cls = type(node)
        if cls is gast.Name:
            return ast.Name(node.id, _MARKS[type(node.ctx)])
        if cls in _MARKS:
            return _MARKS[cls]
        if cls in _ALIKE:
            converted = _ALIKE[cls]()
            given, made = vars(node), vars(converted)
            for field in converted._fields:
                part = given.get(field)
                made[field] = self.visit(part) if isinstance(part, gast.AST) else self._visit(part)
        else:
            converted = super().visit(node)
        if isinstance(node, gast.stmt):
            setattr(converted, _ABOVE, comment_lines(node))
            setattr(converted, _AFTER, comment_after(node))
        return converted

    def visit_Constant(self, node: Any) -> Any:
        """A constant tuple, as folding makes it, is written as the tuple that it is."""
        if isinstance(node.value, tuple):
            return self.visit(gast.Tuple([gast.Constant(value, None) for value in node.value], gast.Load()))
        return self.generic_visit(node)


def to_ast(node: Any) -> ast.AST:
    """The same tree in Python's own node classes, comments included."""
    converted: ast.AST = _WithComments().visit(node)
    return converted
