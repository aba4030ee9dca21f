"""Generator functions as loops turned inside out: the statements behind each ``yield`` know whether their consumer has left.

Before::

    def evens(n):
        for k in range(n):
            yield 2 * k
        yield from [n]

After, where the consumer may leave early (``yield`` then stands for what the consumer does with the item, and gives
whether it has left; without a way to leave, there is nothing but the ``yield``)::

    def evens(n):
        for k in range(n):
            left = yield 2 * k
            if left:
                return
        for item in [n]:
            left = yield item
            if left:
                return

A generator that is left is closed, as by a ``return`` where it stands: ``finally`` blocks run, and nothing else does.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterator

import gast

from s2sad.errors import UnsupportedSyntaxError

from .names import FreshNames
from .syntax import LOOPS, TRIES, Block, assign, blocks_of, branch, constant, expand, load, located

YIELDS = (gast.Yield, gast.YieldFrom)
INNER = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef, gast.Lambda)
ITEMS = "items"  # the parameter of a generator expression


@functools.lru_cache(maxsize=4096)
def is_generator(func: gast.FunctionDef) -> bool:
    """Test for a definition that yields itself, and not only functions in it."""
    return any(isinstance(node, YIELDS) for node in _own(func))


@functools.lru_cache(maxsize=4096)
def may_not_end(func: gast.FunctionDef) -> bool:
    """Possibility that a generator goes on for ever, as far as its text says."""
    calls = {getattr(n.func, "attr", getattr(n.func, "id", "")) for n in gast.walk(func) if isinstance(n, gast.Call)}
    return any(isinstance(node, gast.While) for node in _own(func)) or bool(calls & {"count", "cycle", "repeat", "iter"})


def _own(func: gast.FunctionDef) -> Iterator[gast.AST]:
    """The nodes of a definition, functions in it aside."""
    stack: list[gast.AST] = list(func.body)
    while stack:
        node = stack.pop()
        yield node
        stack += [] if isinstance(node, INNER) else list(gast.iter_child_nodes(node))


@functools.lru_cache(maxsize=4096)
def run_through(func: gast.FunctionDef, leaves: bool) -> gast.FunctionDef:
    """The definition that is lowered where a generator is consumed; ``leaves``: by something that may end early."""
    declared = [n for n in _own(func) if isinstance(n, (gast.Nonlocal, gast.Global))]
    _check(func.body, leaves, frozenset(name for n in declared for name in n.names))
    func = copy.deepcopy(func)
    names = FreshNames(func)
    left = names.fresh("left") if leaves else ""

    def handed_over(value: gast.expr | None, origin: gast.AST) -> Block:
        made = located(gast.Yield(value), origin)
        if not leaves:
            return [located(gast.Expr(made), origin)]
        leave = branch(load(left), [located(gast.Return(None), origin)], [], origin)
        return [assign(left, made, origin), leave]

    def step(node: gast.stmt) -> Block:
        value = node.value if isinstance(node, (gast.Expr, gast.Assign)) else None
        if isinstance(value, gast.Yield):
            sent = [assign(target, constant(None), node) for target in getattr(node, "targets", [])]
            return [*handed_over(value.value, node), *sent]
        if isinstance(value, gast.YieldFrom) and isinstance(node, gast.Expr):
            item = names.fresh("item")
            target = gast.Name(item, gast.Store(), None, None)
            return [located(gast.For(target, value.value, handed_over(load(item), node), [], None), node)]
        return [node]

    func.body = expand(func.body, step)
    return func


def _check(body: Block, leaves: bool, shared: frozenset[str], protected: bool = False) -> None:
    """Refuse yields that are more than a place where an item is handed over."""
    for node in body:
        if protected:
            _refuse(
                node, "yield inside try with except", "it does not catch what the consumer of the item raises",
                "the try statement around what may fail, and yield after it",
            )  # fmt: skip
        parts = [] if isinstance(node, INNER) else [n for n in gast.iter_child_nodes(node) if isinstance(n, gast.expr)]
        value = node.value if isinstance(node, (gast.Expr, gast.Assign)) else None
        if isinstance(value, gast.Yield) or isinstance(value, gast.YieldFrom) and isinstance(node, gast.Expr):
            parts = [value.value] if value.value is not None else []
        for part in parts:
            _refuse(part, "yield as a part of an expression", "what is sent to a generator is not followed",
                    "yield as a statement of its own")  # fmt: skip
        if isinstance(node, TRIES) and node.finalbody:
            _refuse_block(node.finalbody, "yield in a finally block", "whether it is reached depends on who closes the generator",
                          "yield after the try statement")  # fmt: skip
            if leaves and _yields([node]) and not all(_is_private(late, shared) for late in node.finalbody):
                _refuse(node, "leaving this generator early", "when its finally block runs depends on who else refers to it",
                        "a loop that runs to the end, or a list of the items", always=True)  # fmt: skip
        for owner, field in blocks_of(node):
            inside = isinstance(node, TRIES) and owner is node and field == "body" and bool(node.handlers)
            _check(getattr(owner, field), leaves, shared, protected or inside)


def _yields(nodes: list[gast.AST]) -> bool:
    holder = gast.FunctionDef("", None, nodes, [], None, None, [])
    return any(isinstance(node, YIELDS) for node in _own(holder))


def _refuse_block(nodes: Block, what: str, why: str, instead: str) -> None:
    for node in nodes:
        _refuse(node, what, why, instead)


def _refuse(node: gast.AST, what: str, why: str, instead: str, always: bool = False) -> None:
    if always or _yields([node]):
        raise UnsupportedSyntaxError(what, node=node, why=why, instead=instead)


def _is_private(node: gast.stmt, shared: frozenset[str]) -> bool:
    """Test for a statement that does nothing that others see."""
    if isinstance(node, gast.Pass):
        return True
    target = node.targets[0] if isinstance(node, gast.Assign) and len(node.targets) == 1 else None
    calls = any(isinstance(n, gast.Call) for n in gast.walk(node))
    return isinstance(target, gast.Name) and target.id not in shared and not calls


# --- what else hands over one item after the other


@functools.lru_cache(maxsize=4096)
def of_expression(node: gast.GeneratorExp) -> gast.FunctionDef:
    """``(elt for target in items if condition)`` as a generator function of what the first loop runs over."""
    body: Block = [gast.Expr(gast.Yield(node.elt))]
    for k, loop in reversed(list(enumerate(node.generators))):
        for condition in reversed(loop.ifs):
            body = [gast.If(condition, body, [])]
        body = [gast.For(loop.target, load(ITEMS) if k == 0 else loop.iter, body, [], None)]
    return _definition("generator", [ITEMS], body, node)


@functools.lru_cache(maxsize=1024)
def of_next(func: gast.FunctionDef) -> gast.FunctionDef:
    """``__next__`` as a generator function: its body again and again, until it raises ``StopIteration``.

    ``return v`` becomes ``yield v`` and ``continue``; ``raise StopIteration`` becomes ``return``.
    """
    func = copy.deepcopy(func)
    _check_next(func.body, in_loop=False)

    def step(node: gast.stmt) -> Block:
        if isinstance(node, gast.Return):
            return [located(gast.Expr(gast.Yield(node.value)), node), located(gast.Continue(), node)]
        return [located(gast.Return(None), node)] if ends(node) else [node]

    body = [*expand(func.body, step), located(gast.Expr(gast.Yield(constant(None))), func)]
    func.body = [located(gast.While(constant(True), body, []), func)]
    return func


def ends(node: gast.stmt) -> bool:
    """Test for ``raise StopIteration``."""
    raised = node.exc if isinstance(node, gast.Raise) else None
    raised = raised.func if isinstance(raised, gast.Call) else raised
    return isinstance(raised, gast.Name) and raised.id == "StopIteration"


def _check_next(body: Block, in_loop: bool) -> None:
    for node in body:
        if in_loop and isinstance(node, gast.Return) or isinstance(node, (gast.With, *TRIES)):
            raise UnsupportedSyntaxError(
                "this in __next__ of a class that is iterated over", node=node,
                why="only returns and raises outside of loops, with and try are followed", instead="a generator function",
            )  # fmt: skip
        for owner, field in blocks_of(node):
            _check_next(getattr(owner, field), in_loop or isinstance(node, LOOPS))


def _definition(name: str, parameters: list[str], body: Block, origin: gast.AST) -> gast.FunctionDef:
    names = [gast.Name(parameter, gast.Param(), None, None) for parameter in parameters]
    arguments = gast.arguments(names, [], None, [], [], None, [])
    return located(gast.FunctionDef(name, arguments, body, [], None, None, []), origin)
