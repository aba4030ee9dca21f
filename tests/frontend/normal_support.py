"""What the tests of the normal form share: normalising text, checking the form, running programs."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import gast

from s2sad.frontend.normal import normalise

SCOPES = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)


def parse(source: str) -> gast.FunctionDef:
    """The one function in a text."""
    (func,) = gast.parse(textwrap.dedent(source)).body
    return func


def text(func: gast.FunctionDef) -> str:
    """The function as Python source."""
    return ast.unparse(gast.gast_to_ast(gast.Module([func], [])))


def normal_text(source: str) -> str:
    """The normal form of the one function in a text, checked to be normal."""
    func = normalise(parse(source))
    assert not list(faults(func)), text(func)
    return text(func)


def tidy(source: str) -> str:
    """Source as `text` would print it."""
    return ast.unparse(ast.parse(textwrap.dedent(source)))


def run(source: str, scope: dict[str, Any]) -> Callable[..., Any]:
    """The one function in a text, compiled in a scope."""
    names = dict(scope)
    exec(compile(source, "<normal form>", "exec"), names)
    return names[ast.parse(source).body[0].name]


def is_normal(func: gast.FunctionDef) -> bool:
    """Whether a function is in normal form, which the lowering relies on."""
    return not list(faults(func))


def faults(func: gast.FunctionDef) -> Iterator[str]:
    """What is not normal about a function."""
    *body, last = func.body
    if not isinstance(last, gast.Return) or last.value is None:
        yield "does not end with a return of a value"
    for node in own_nodes([last]):
        if not hasattr(node, "lineno") and "lineno" in node._attributes:
            yield f"{type(node).__name__} without a place"
    yield from _faults_in(body)


def _faults_in(block: list[gast.stmt]) -> Iterator[str]:
    for node in own_nodes(block):
        if "lineno" in node._attributes and not hasattr(node, "lineno"):
            yield f"{type(node).__name__} without a place"
        match node:
            case gast.Match() | gast.Continue() | gast.Return() | gast.AnnAssign():
                yield f"a {type(node).__name__} at line {node.lineno}"
            case gast.Assign() if len(node.targets) != 1:
                yield "a chained assignment"
            case gast.Expr() if isinstance(node.value, gast.Constant):
                yield "a constant as a statement"
            case gast.For() | gast.While():
                yield from _loop_faults(node)
        for field in ("body", "orelse", "finalbody"):
            inner = getattr(node, field, None)
            if (
                isinstance(inner, list)
                and len(inner) > 1
                and any(isinstance(part, gast.Pass) for part in inner)
            ):
                yield "a pass beside other statements"
    if breaks(block):
        yield "a break outside of a loop's last statement"


def _loop_faults(node: gast.For | gast.While) -> Iterator[str]:
    if node.orelse:
        yield "an else at a loop"
    *before, last = node.body
    leaves = breaks(node.body)
    if not leaves:
        return
    match last:
        case gast.If(test=gast.Name(id=flag), body=[gast.Break()], orelse=[]):
            stores = [
                n for n in own_nodes(before) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store)
            ]
            if flag not in {store.id for store in stores}:
                yield f"the flag {flag} is not assigned in the loop"
            if len(leaves) > 1:
                yield "a second break"
        case _:
            yield "a break that is not the last statement of its loop"


def breaks(block: list[gast.stmt]) -> list[gast.Break]:
    """The breaks that leave the loop around a block."""
    found = []
    for node in block:
        if isinstance(node, gast.Break):
            found.append(node)
        elif isinstance(node, (gast.For, gast.While)):
            found += breaks(node.orelse)
        elif not isinstance(node, SCOPES):
            found += [b for child in gast.iter_child_nodes(node) for b in breaks([child])]
    return found


def own_nodes(block: list[gast.stmt]) -> Iterator[gast.AST]:
    """All nodes of a block but those inside nested functions and classes."""
    for node in block:
        yield node
        if not isinstance(node, (*SCOPES, gast.Lambda)):
            yield from own_nodes(list(gast.iter_child_nodes(node)))
