"""Lowering statements of the normal form."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable

import gast

from s2sad.frontend import libraries, observe
from s2sad.frontend.entities import Closure, Entity, Known
from s2sad.frontend.lower import calls, control, recomputed
from s2sad.frontend.lower.assignment import loop_over
from s2sad.frontend.lower.dispatch import apply, block, lower
from s2sad.frontend.lower.iteration import iteration
from s2sad.frontend.lower.operators import tested
from s2sad.frontend.lower.progress import RESULT, Following
from s2sad.frontend.lower.signatures import defaults_of
from s2sad.frontend.lower.state import Lowering
from s2sad.frontend.resolve import LiveScope, entity_of
from s2sad.ir.kinds import Other
from s2sad.ir.nodes import Const, Value


def if_statement(lw: Lowering, node: gast.If) -> None:
    test = tested(lw, node.test)
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
    over, snapshots = recomputed.snapshots_of(lw, node.iter)
    it = iteration(lw, over)
    run: Callable[[], None] = functools.partial(block, lw, body)
    if isinstance(lw.progress, Following):
        run, flag = lw.progress.loop(lw, run, flag, node)
    loop_over(lw, it, node.target, run, node, flag, snapshots)


def while_statement(lw: Lowering, node: gast.While) -> None:
    body, flag = split_break(node.body)
    run: Callable[[], None] = functools.partial(block, lw, body)
    if isinstance(lw.progress, Following):
        run, flag = lw.progress.loop(lw, run, flag, node)
    condition, snapshots = recomputed.snapshots_of(lw, node.test)

    def broken() -> Value | None:
        return None if flag is None else lw.value(lw.lookup(flag, node), node)

    def test() -> Value:
        entity = tested(lw, condition)
        known = control.truth(lw, entity) if not isinstance(entity, Value) else None
        return Const(known) if known is not None else lw.value(entity, node)

    control.while_loop(lw, test, run, node, broken, snapshots)


def expression_statement(lw: Lowering, node: gast.Expr) -> None:
    if isinstance(node.value, gast.Constant):
        return
    lw.alone = node.value
    lower(lw, node.value)


def return_statement(lw: Lowering, node: gast.Return) -> None:
    lw.frame.result = lower(lw, node.value) if node.value is not None else Const(None)
    if isinstance(lw.progress, Following):
        lw.variables[(lw.frame, RESULT)] = lw.frame.result


def function_statement(lw: Lowering, node: gast.FunctionDef) -> None:
    """A nested function, with what its decorators make of it."""
    lw.frame.defines = True
    entity: Entity = Closure(node, lw.frame, defaults_of(lw, node))
    for decorator in reversed(node.decorator_list):
        if _only_compiles(lw, decorator):
            continue
        entity = apply(lw, lower(lw, decorator), [entity], {}, decorator)
    lw.bind(node.name, entity)


def nonlocal_statement(lw: Lowering, node: gast.Nonlocal) -> None:
    """Assignments to these names bind the variables of the function around."""
    if lw.frame.outer is None:
        lw.refuse(
            node, "nonlocal here", "the function around is not part of the program", "return the new value"
        )
    lw.frame.shared |= frozenset(node.names)
    lw.frame.locals -= lw.frame.shared


def _only_compiles(lw: Lowering, decorator: gast.expr) -> bool:
    """Whether a decorator only compiles what it decorates: ``@njit``, ``@njit(cache=True)``."""
    maker = lower(lw, decorator.func if isinstance(decorator, gast.Call) else decorator)
    home = observe.home_of(maker.payload) if isinstance(maker, Known) else None
    return str(home).partition(".")[0] == "numba"


def global_statement(lw: Lowering, node: gast.Global) -> None:
    """``global name`` of names that are only read."""
    for name in node.names:
        if name in lw.frame.locals:
            lw.refuse(
                node, "assigning a global name", "a derivative call may not change module state",
                "pass the value in and return it",
            )  # fmt: skip


def import_statement(lw: Lowering, node: gast.Import) -> None:
    """``import a.b as c`` of a library, as at the top of the file."""
    for item in node.names:
        module = _library(lw, item.name, node)
        root = item.name.partition(".")[0]
        lw.bind(item.asname or root, Known(module, item.name) if item.asname else Known(_library(lw, root, node), root))


def import_from(lw: Lowering, node: gast.ImportFrom) -> None:
    """``from a import b`` of a library."""
    name = node.module or ""
    module = _library(lw, "." * node.level + name, node)
    for item in node.names:
        try:
            found = libraries.member(module, item.name)
        except AttributeError as error:
            lw.refuse(node, f"importing {item.name!r}", str(error), "an existing name")
        observe.attribute(module, item.name)
        lw.bind(item.asname or item.name, entity_of(found, f"{name}.{item.name}"))


def _library(lw: Lowering, name: str, node: gast.AST) -> types.ModuleType:
    try:
        found = libraries.module(name)
    except ImportError as error:
        lw.refuse(node, "this import", str(error), "an installed library")
    if found is not None and isinstance(lw.frame.scope, LiveScope):
        found = observe.module(lw.frame.scope.function, name)
    if not isinstance(found, types.ModuleType):
        lw.refuse(
            node, "importing this inside a function", "the module would be executed to know its names",
            "import it at module level",
        )  # fmt: skip
    return found


def assert_statement(lw: Lowering, node: gast.Assert) -> None:
    test = tested(lw, node.test)
    if control.truth(lw, test):
        return
    if node.msg is None or isinstance(node.msg, gast.Constant):
        message = [] if node.msg is None else [Const(node.msg.value)]
        lw.builder.call("s2sad.assert", lw.value(test, node), *message)
        return

    def fail() -> None:
        name = gast.copy_location(gast.Name("AssertionError", gast.Load(), None, None), node)
        lw.builder.call("s2sad.raise", calls.exception(lw, name, [node.msg]))

    control.branch(lw, test, lambda: None, fail, node)


def raise_statement(lw: Lowering, node: gast.Raise) -> None:
    """``raise``: a new exception, a caught one again, or one from another."""
    cause = [] if node.cause is None else [_exception(lw, node.cause)]
    if node.exc is not None:
        lw.builder.call("s2sad.raise", _exception(lw, node.exc), *cause)
    elif lw.caught:
        lw.builder.call("s2sad.raise", lw.builder.call("s2sad.runtime.error_of", lw.caught[-1]))
    else:
        lw.refuse(node, "a bare raise here", "there is no exception to raise again", "raise a new one")


def _exception(lw: Lowering, node: gast.expr) -> Value:
    """The exception that an expression makes or names."""
    if isinstance(node, gast.Constant) and node.value is None:
        return Const(None)
    if isinstance(node, gast.Call) and isinstance(lower(lw, node.func), Known):
        if node.keywords:
            lw.refuse(
                node, "keyword arguments of an exception", "they are not followed", "positional arguments"
            )
        return calls.exception(lw, node.func, node.args)
    entity = lower(lw, node)
    if isinstance(entity, Known) and isinstance(entity.payload, type):
        return calls.exception(lw, node, [])
    if isinstance(entity, Value) and entity.kind == Other("object"):
        return entity
    lw.refuse(node, "raising this", "it is no call of an exception's class", "raise ValueError('...')")


def pass_statement(lw: Lowering, node: gast.Pass) -> None:
    """Nothing."""
