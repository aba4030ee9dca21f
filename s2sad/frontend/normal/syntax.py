"""The few pieces of syntax that the passes write, and the way through the statements of one function.

Every new node carries the place of the statement that it came from, so that errors lead back to the user's
line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import gast

LOOPS = (gast.For, gast.While)
TRIES = (gast.Try, gast.TryStar)
SCOPES = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)
COMPOUND = (gast.If, gast.With, *LOOPS, *TRIES)

Block = list[gast.stmt]


def located(node: gast.AST, origin: gast.AST) -> gast.AST:
    """Give a new node, and the new nodes inside it, the place of the node that they came from."""
    if not hasattr(node, "lineno"):
        gast.copy_location(node, origin)
        for child in gast.iter_child_nodes(node):
            located(child, origin)
    return node


def copied(node: gast.AST) -> gast.AST:
    """A copy of a tree."""
    copy: gast.AST = gast.AST.__new__(type(node))
    vars(copy).update({name: _copied(part) for name, part in vars(node).items()})
    return copy


def _copied(part: object) -> object:
    if isinstance(part, list):
        return [_copied(item) for item in part]
    return copied(part) if isinstance(part, gast.AST) else part


def children(node: gast.AST) -> list[gast.AST]:
    """The nodes right inside a node: all that its attributes hold."""
    found: list[gast.AST] = []
    for part in vars(node).values():
        if isinstance(part, gast.AST):
            found.append(part)
        elif isinstance(part, list):
            found += [item for item in part if isinstance(item, gast.AST)]
    return found


def walk(node: gast.AST) -> Iterator[gast.AST]:
    """All nodes of a tree, in no order that matters."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        stack += children(node)


def load(name: str) -> gast.Name:
    """A name that is read."""
    return gast.Name(name, gast.Load(), None, None)


def constant(value: object) -> gast.Constant:
    """A literal."""
    return gast.Constant(value, None)


def assign(target: str | gast.expr, value: gast.expr, origin: gast.AST) -> gast.Assign:
    """``target = value``."""
    if isinstance(target, str):
        target = gast.Name(target, gast.Store(), None, None)
    return located(gast.Assign([target], value, None), origin)


def negate(test: gast.expr) -> gast.expr:
    """The opposite of a condition as to its truth. ``<`` never becomes ``>=``: neither holds of NaN."""
    if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
        return test.operand
    if isinstance(test, gast.Compare) and len(test.ops) == 1:
        opposite = _OPPOSITES.get(type(test.ops[0]))
        if opposite is not None:
            return gast.copy_location(gast.Compare(test.left, [opposite()], test.comparators), test)
    return located(gast.UnaryOp(gast.Not(), test), test)


_OPPOSITES = {gast.Is: gast.IsNot, gast.IsNot: gast.Is, gast.In: gast.NotIn, gast.NotIn: gast.In}


def any_of(tests: list[gast.expr]) -> gast.expr:
    """``a or b or ...``."""
    return tests[0] if len(tests) == 1 else gast.BoolOp(gast.Or(), tests)


def all_of(tests: list[gast.expr]) -> gast.expr:
    """``a and b and ...``; True of nothing."""
    if not tests:
        return constant(True)
    return tests[0] if len(tests) == 1 else gast.BoolOp(gast.And(), tests)


def branch(test: gast.expr, body: Block, orelse: Block, origin: gast.AST) -> gast.If:
    """``if test: body else: orelse``; turned around where only the else branch holds anything."""
    if not body and orelse:
        test, body, orelse = negate(test), orelse, []
    return located(gast.If(test, or_pass(body, origin), orelse), origin)


def or_pass(body: Block, origin: gast.AST) -> Block:
    """A body as Python wants it: at least ``pass``."""
    return body or [located(gast.Pass(), origin)]


def blocks_of(node: gast.stmt) -> Iterator[tuple[gast.AST, str]]:
    """Where the statement lists right inside a statement are kept, those of functions and classes aside."""
    if isinstance(node, SCOPES):
        return
    for field in ("body", "orelse", "finalbody"):
        if hasattr(node, field):
            yield node, field
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield part, "body"


def expand(block: Block, step: Callable[[gast.stmt], Block]) -> Block:
    """Replace every statement, innermost first, by the statements that ``step`` makes of it."""
    result: Block = []
    for node in block:
        for owner, field in blocks_of(node):
            inner = getattr(owner, field)
            new = expand(inner, step)
            setattr(owner, field, or_pass(new, inner[0]) if inner and field != "orelse" else new)
        result.extend(step(node))
    return result
