"""Classes of exceptions whose objects are made without further ado: a ``try`` may make them twice, or not at all."""

from __future__ import annotations

import builtins
import types

import gast

from s2sad.errors import S2sadError
from s2sad.frontend import observe

KEPT = (
    gast.Name, gast.Constant, gast.JoinedStr, gast.FormattedValue, gast.Tuple, gast.List, gast.Dict, gast.expr_context,
)  # fmt: skip


def are_plainly_made(cls: type) -> bool:
    """Test for an exception's class whose objects Python makes, or an ``__init__`` that only keeps what it is given."""
    if not issubclass(cls, BaseException) or type(cls) is not type:
        return False
    own = [base for base in cls.__mro__ if base.__module__ != "builtins"]
    of_python = next(base for base in cls.__mro__ if base.__module__ == "builtins")
    if any(observe.member(cls, name) is not observe.member(of_python, name) for name in ("__new__", "__setattr__")):
        return False
    makers = {observe.member(base, "__init__") for base in own}
    return all(_is_pythons(init) or isinstance(init, types.FunctionType) and _keeps(init, cls) for init in makers)


def _is_pythons(init: object) -> bool:
    home = getattr(init, "__objclass__", None)
    return isinstance(init, types.WrapperDescriptorType) and home is not None and home.__module__ == "builtins"


def _keeps(init: types.FunctionType, cls: type) -> bool:
    try:
        node = observe.source(init).node
    except S2sadError:
        return False
    if init.__closure__ and init.__code__.co_freevars != ("__class__",):
        return False
    itself = node.args.args[0].id if node.args.args else ""
    return all(_is_kept(statement, itself, init, cls) for statement in node.body)


def _is_kept(statement: gast.stmt, itself: str, init: types.FunctionType, cls: type) -> bool:
    """Test for a statement that binds plain fields of the object, or hands arguments on to the class above."""
    value = getattr(statement, "value", None)
    if isinstance(statement, gast.Pass) or isinstance(statement, gast.Expr) and isinstance(value, gast.Constant):
        return True
    if isinstance(statement, gast.Expr) and isinstance(value, gast.Call):
        given = [*value.args, *(keyword.value for keyword in value.keywords)]
        return _is_handed_on(value, init) and all(map(_is_put_together, given))
    pairs = assigned(statement)
    return bool(pairs) and all(_is_put_together(value) and _is_field(target, itself, cls) for target, value in pairs)


def assigned(statement: gast.stmt) -> list[tuple[gast.expr, gast.expr]]:
    """The targets of an assignment, each with what it is bound to: ``self.x, self.y = x, y`` has two."""
    if isinstance(statement, gast.AnnAssign) and statement.value is not None:
        return [(statement.target, statement.value)]
    found: list[tuple[gast.expr, gast.expr]] = []
    for target in statement.targets if isinstance(statement, gast.Assign) else ():
        both = [target, statement.value]
        shown = all(isinstance(one, gast.Tuple | gast.List) for one in both) and len({len(one.elts) for one in both}) == 1
        found += zip(target.elts, statement.value.elts, strict=True) if shown else [(target, statement.value)]
    return found


def _is_field(target: gast.expr, itself: str, cls: type) -> bool:
    own = isinstance(target, gast.Attribute) and isinstance(target.value, gast.Name) and target.value.id == itself
    return own and observe.member(cls, target.attr) is observe.ABSENT


def _is_handed_on(call: gast.Call, init: types.FunctionType) -> bool:
    """``super().__init__(...)``."""
    function = call.func
    parent = function.value if isinstance(function, gast.Attribute) and function.attr == "__init__" else None
    named = isinstance(parent, gast.Call) and not parent.args and isinstance(parent.func, gast.Name) and parent.func.id == "super"
    return named and observe.name_of(init, "super")[0] is builtins.super


def _is_put_together(node: gast.expr | None) -> bool:
    return node is not None and all(isinstance(inner, KEPT) for inner in gast.walk(node))
