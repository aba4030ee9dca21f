"""Stores into parameters that the source of a function shows: one with a user's rule must write into none.

    def scaled(x, c):
        x[:] = c * x          # shown: x is never bound again, so that this is the caller's array
        return x.sum()

What is bound again (``x = x.copy()``), reached by another name, or written by a callee is left to the check of contents as
the program runs.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from typing import Any

PARTS = ast.Subscript | ast.Attribute
METHODS = ("fill", "partition", "sort")  # which write whatever has them


def shown_write(function: Any) -> tuple[str, str] | None:
    """A parameter and a line of the function that writes into it; None where none is seen."""
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    definition = next((n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == code.co_name), None)
    if definition is None:  # a lambda, for one, which holds no statements
        return None
    bound = {n.id for n in ast.walk(definition) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    arguments = definition.args
    own = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)} - bound
    for statement in _own_statements(definition):
        for target in _written(statement):
            if (name := _root(target)) in own:
                return name, ast.unparse(statement).split("\n")[0]
    return None


def _own_statements(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function that are not in functions inside, whose parameters may have the same names."""
    for inner in ast.iter_child_nodes(node):
        if not isinstance(inner, ast.FunctionDef | ast.Lambda | ast.ClassDef | ast.AsyncFunctionDef):
            yield inner
            yield from _own_statements(inner)


def _written(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions into whose memory a statement or call writes."""
    if isinstance(node, ast.Assign | ast.Delete):
        yield from (t for t in node.targets if isinstance(t, PARTS))
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, PARTS):
        yield node.target
    elif isinstance(node, ast.Call):
        yield from (k.value for k in node.keywords if k.arg == "out")
        if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            yield node.func.value


def _root(node: ast.expr) -> str | None:
    """The name of what a subscript or attribute is a part of."""
    while isinstance(node, PARTS):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
