"""Lowering statements of the normal form."""

from __future__ import annotations

from collections.abc import Callable

import gast

from s2sad.frontend.entities import Aggregate, Box, Closure, Entity, Iteration, Poison
from s2sad.frontend.lower import calls, control, objects, subscripts
from s2sad.frontend.lower.expressions import BINARY, arithmetic, attribute_of, extend, lower, lower_value
from s2sad.frontend.lower.iteration import iteration
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import UNKNOWN, Array, List, Tuple
from s2sad.ir.nodes import Const, Value


def block(lw: Lowering, statements: list[gast.stmt]) -> None:
    """Lower statements in order."""
    for node in statements:
        handler = TABLE.get(type(node).__name__)
        if handler is None:
            lw.refuse(node)
        lw.at(node)
        handler(lw, node)


def assign_statement(lw: Lowering, node: gast.Assign) -> None:
    value = lower(lw, node.value)
    for target in node.targets:
        assign(lw, target, value)


def assign(lw: Lowering, target: gast.expr, entity: Entity) -> None:
    """Bind or store into any target."""
    if isinstance(target, gast.Name):
        lw.bind(target.id, entity)
    elif isinstance(target, gast.Subscript):
        base = lower(lw, target.value)
        subscripts.store(lw, base, lower(lw, target.slice), entity, target)
    elif isinstance(target, gast.Attribute):
        objects.set_attribute(lw, lower(lw, target.value), target.attr, entity, target)
    elif isinstance(target, gast.Tuple | gast.List):
        _unpack(lw, target, entity)
    else:
        lw.refuse(target)


def _unpack(lw: Lowering, target: gast.Tuple, entity: Entity) -> None:
    star = next((k for k, t in enumerate(target.elts) if isinstance(t, gast.Starred)), None)
    items = unpacked(lw, entity, len(target.elts) if star is None else None, target)
    if star is None:
        if len(items) != len(target.elts):
            lw.refuse(target, "this unpacking", f"there are {len(items)} items for {len(target.elts)} names", "as many names")
        for inner, item in zip(target.elts, items, strict=True):
            assign(lw, inner, item)
        return
    after = len(target.elts) - star - 1
    for inner, item in zip(target.elts[:star], items[:star], strict=True):
        assign(lw, inner, item)
    from s2sad.frontend.lower.expressions import list_of

    assign(lw, target.elts[star].value, list_of(lw, items[star : len(items) - after]))
    for inner, item in zip(target.elts[star + 1 :], items[len(items) - after :], strict=True):
        assign(lw, inner, item)


def unpacked(lw: Lowering, entity: Entity, count: int | None, node: gast.AST) -> list[Entity]:
    """The items of an entity that is taken apart."""
    if isinstance(entity, Aggregate):
        return list(entity.items)
    if isinstance(entity, Value):
        if isinstance(entity, Const) and isinstance(entity.payload, tuple):
            return [Const(item) for item in entity.payload]
        if isinstance(entity.kind, Tuple):
            return list(lw.builder.unpack(entity, list(entity.kind.items)))
        if count is None and isinstance(entity.kind, Array) and entity.kind.shape and isinstance(entity.kind.shape[0], int):
            count = entity.kind.shape[0]
        if count is not None:
            return [lw.builder.call("operator.getitem", entity, Const(k)) for k in range(count)]
    lw.refuse(node, "this unpacking", "the number of items is not known", "index the items one by one")


def aug_assign(lw: Lowering, node: gast.AugAssign) -> None:
    op = BINARY[type(node.op)]
    target = node.target
    if isinstance(target, gast.Subscript):
        base = lower(lw, target.value)
        index = lower(lw, target.slice)
        subscripts.augment(lw, base, index, op, lower_value(lw, node.value), node)
        return
    if isinstance(target, gast.Attribute):
        owner = lower(lw, target.value)
        old = attribute_of(lw, owner, target.attr, target)
        fresh = _augmented(lw, old, op, lower(lw, node.value), node)
        if fresh is not None:
            objects.set_attribute(lw, owner, target.attr, fresh, target)
        return
    fresh = _augmented(lw, lw.lookup(target.id, target), op, lower(lw, node.value), node)
    if fresh is not None:
        lw.bind(target.id, fresh)


def _augmented(lw: Lowering, old: Entity, op: str, entity: Entity, node: gast.AugAssign) -> Entity | None:
    """``old op= entity``: in place for arrays and lists (None: nothing to rebind), a new value for numbers."""
    from s2sad.frontend.lower.expressions import binary_op

    if not isinstance(old, Value):
        return binary_op(lw, type(node.op), old, entity, node)
    if isinstance(old.kind, List) and op == "add":
        extend(lw, old, lw.value(entity, node))
        return None
    value = lw.value(entity, node)
    if isinstance(old.kind, Array):
        subscripts.augment_whole(lw, old, op, value)
        return None
    if old.kind == UNKNOWN:
        return lw.builder.call("operator.iadd" if op == "add" else "operator.isub", old, value) if op in ("add", "sub") else (
            lw.ask_for_kind(node, f"whether this {op}= changes an array in place is not known",
                            "for a number it rebinds the name; an array changes for everyone who sees it")
        )  # fmt: skip
    return arithmetic(lw, f"operator.{op}", old, value)


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


def loop_over(
    lw: Lowering, it: Iteration, target: gast.expr, body: Callable[[], None], node: gast.AST, flag: str | None = None
) -> None:
    """Run ``body`` for each item of an iteration, bound to ``target``."""
    if it.items is not None:
        _unrolled(lw, list(it.items), target, body, node, flag)
        return

    def broken() -> Value | None:
        return None if flag is None else lw.value(lw.lookup(flag, node), node)

    def each(entity: Entity) -> None:
        assign(lw, target, entity)
        body()

    if it.direct is not None:
        direct = it.direct
        name = target.id if isinstance(target, gast.Name) else None
        control.for_loop(lw, direct, name, each, node, broken)
        return
    assert it.length is not None and it.item is not None
    item = it.item
    span = lw.builder.call("builtins.range", it.length)
    control.for_loop(lw, span, None, lambda i: each(item(i)), node, broken)


def _unrolled(
    lw: Lowering, items: list[Entity], target: gast.expr, body: Callable[[], None], node: gast.AST, flag: str | None
) -> None:
    """One copy of the body for each item; after a break the rest is skipped."""
    if not items:
        return
    assign(lw, target, items[0])
    body()
    if len(items) == 1:
        return
    if flag is None:
        _unrolled(lw, items[1:], target, body, node, flag)
        return
    test = lw.lookup(flag, node)
    control.branch(lw, test, lambda: None, lambda: _unrolled(lw, items[1:], target, body, node, flag), node)


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
        lw.refuse(node, "a decorated nested function", "the decorator would have to run", "the plain function")
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


TABLE = {
    "Assign": assign_statement,
    "AugAssign": aug_assign,
    "If": if_statement,
    "For": for_statement,
    "While": while_statement,
    "Expr": expression_statement,
    "Return": return_statement,
    "FunctionDef": function_statement,
    "Assert": assert_statement,
    "Raise": raise_statement,
    "Delete": delete_statement,
    "Pass": pass_statement,
}
_ = Box
