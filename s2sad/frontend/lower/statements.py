"""Lowering statements of the normal form."""

from __future__ import annotations

import gast

from s2sad.frontend.entities import Closure, Poison
from s2sad.frontend.lower import calls, control
from s2sad.frontend.lower.assignment import loop_over
from s2sad.frontend.lower.dispatch import block, lower
from s2sad.frontend.lower.iteration import iteration
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.nodes import Const, Value


def if_statement(lw: Lowering, node: gast.If) -> None:
    test = lower(lw, node.test)
    control.branch(lw, test, lambda: block(lw, node.body), lambda: block(lw, node.orelse), node)


def split_break(statements: list[gast.stmt]) -> tuple[list[gast.stmt], str | None]:
    """The body of a loop without its trailing ``if flag: break``, and the flag's name."""
    last = statements[-1] if statements else None
    if isinstance(last, gast.If) and len(last.body) == 1 and isinstance(last.body[0], gast.Break):
        assert isinstance(last.test, gast.Name)
        return statements[:-1], last.test.id
    return statements, None


def for_statement(lw: Lowering, node: gast.For) -> None:
    body, flag = split_break(node.body)
    loop_over(lw, iteration(lw, node.iter), node.target, lambda: block(lw, body), node, flag)


def while_statement(lw: Lowering, node: gast.While) -> None:
    body, flag = split_break(node.body)

    def broken() -> Value | None:
        return None if flag is None else lw.value(lw.lookup(flag, node), node)

    def test() -> Value:
        entity = lower(lw, node.test)
        known = control.truth(lw, entity) if not isinstance(entity, Value) else None
        return Const(known) if known is not None else lw.value(entity, node)

    control.while_loop(lw, test, lambda: block(lw, body), node, broken)


def expression_statement(lw: Lowering, node: gast.Expr) -> None:
    if isinstance(node.value, gast.Constant):
        return
    lower(lw, node.value)


def return_statement(lw: Lowering, node: gast.Return) -> None:
    lw.frame.result = lower(lw, node.value) if node.value is not None else Const(None)


def function_statement(lw: Lowering, node: gast.FunctionDef) -> None:
    if node.decorator_list:
        lw.refuse(
            node, "a decorated nested function", "the decorator would have to run", "the plain function"
        )
    lw.bind(node.name, Closure(node, lw.frame))


def assert_statement(lw: Lowering, node: gast.Assert) -> None:
    test = lower(lw, node.test)
    known = control.truth(lw, test)
    if known:
        return
    lw.builder.call("s2sad.assert", lw.value(test, node))


def raise_statement(lw: Lowering, node: gast.Raise) -> None:
    if node.exc is None:
        lw.refuse(node, "a bare raise", "there is no exception to raise again here", "raise a new one")
    text = gast.unparse(node.exc) if isinstance(node.exc, gast.Name) else None
    if text is not None:
        lw.builder.call("s2sad.raise", calls.exception(lw, node.exc, []))
        return
    if not isinstance(node.exc, gast.Call):
        lw.refuse(node, "raising this", "it is no call of an exception's class", "raise ValueError('...')")
    lw.builder.call("s2sad.raise", calls.exception(lw, node.exc.func, node.exc.args))


def delete_statement(lw: Lowering, node: gast.Delete) -> None:
    for target in node.targets:
        if not isinstance(target, gast.Name):
            lw.refuse(node)
        lw.variables[(lw.frame, target.id)] = Poison("it was deleted")


def pass_statement(lw: Lowering, node: gast.Pass) -> None:
    """Nothing."""
