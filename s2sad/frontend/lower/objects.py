"""Objects: records whose fields are variables of the lowering, with the methods of their class inlined.

``self.w`` is the variable (box, "w"); a method call is the class's function with the record as its first argument;
``Point(x, y)`` makes a record and runs ``__init__``. Fields that a function assigns are merged at branches and loops as
local names are; the caller's object is never changed.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
from typing import Any

import gast

from s2sad.frontend.entities import Box, Entity, Known, Method
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.inlining import inline
from s2sad.frontend.lower.state import Lowering
from s2sad.frontend.resolve import LiveScope, entity_of
from s2sad.frontend.source import source_of
from s2sad.ir.nodes import Const, Value

REFLECTED = {"add", "sub", "mul", "truediv", "pow", "matmul", "floordiv", "mod"}


def is_python_class(cls: type) -> bool:
    """Whether a class was made by a class statement, outside the libraries."""
    return bool(cls.__flags__ & (1 << 9)) and cls.__module__.partition(".")[0] not in ("numpy", "scipy")


def _overrides(cls: type, name: str) -> bool:
    """Whether a class replaces one of the methods by which attributes are found and set."""
    return getattr(cls, name) is not getattr(object, name)


def attribute(lw: Lowering, box: Box, attr: str, node: gast.AST) -> Entity:
    """``box.attr``: a field, a property, a constant of the class, or a method to be called."""
    if box.kind == "dict":
        return Method(box, attr)
    if box.cls and _overrides(box.cls, "__getattribute__"):
        lw.refuse(
            node, f"the attribute {attr!r}", "the class has its own way to find it", "a plain attribute"
        )
    found = inspect.getattr_static(box.cls, attr, None) if box.cls else None
    if (box, attr) in lw.variables and not isinstance(found, property):
        return lw.variables[(box, attr)]
    if isinstance(found, property) and found.fget is not None:
        return _call(lw, found.fget, [box], {}, node)
    if isinstance(found, types.FunctionType | staticmethod | classmethod):
        return Method(box, attr)
    if found is None:
        name = box.cls.__name__ if box.cls else "this object"
        lw.refuse(node, f"the attribute {attr!r}", f"{name} has no such attribute here", "set it in __init__")
    return entity_of(found, "" if isinstance(found, int | float | str) else f"{box.label}.{attr}")


def set_attribute(lw: Lowering, owner: Entity, attr: str, entity: Entity, node: gast.AST) -> None:
    """``owner.attr = entity``."""
    if not isinstance(owner, Box) or owner.kind != "object":
        lw.refuse(
            node,
            f"assigning the attribute {attr!r}",
            "a derivative call may not change objects outside",
            "return the value",
        )
    found = inspect.getattr_static(owner.cls, attr, None) if owner.cls else None
    if isinstance(found, property):
        if found.fset is None:
            lw.refuse(
                node, f"assigning the property {attr!r}", "it has no setter", "assign the attribute behind it"
            )
        _call(lw, found.fset, [owner, entity], {}, node)
        return
    described = hasattr(type(found), "__set__") and not isinstance(found, types.MemberDescriptorType)
    if described or (owner.cls and _overrides(owner.cls, "__setattr__")):
        lw.refuse(
            node,
            f"assigning the attribute {attr!r}",
            "the class has its own way to set it",
            "a plain attribute",
        )
    if isinstance(entity, Value) and entity.name is None and not isinstance(entity, Const):
        entity.name = attr
    if attr not in owner.keys:
        owner.keys.append(attr)
    lw.variables[(owner, attr)] = entity


def call_method(
    lw: Lowering, box: Box, name: str, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    """``box.name(...)``."""
    if (box, name) in lw.variables:
        return apply(lw, lw.variables[(box, name)], args, kwargs, node)
    found = inspect.getattr_static(box.cls, name, None) if box.cls else None
    if isinstance(found, types.FunctionType):
        return _call(lw, found, [box, *args], kwargs, node)
    if isinstance(found, staticmethod):
        return apply(lw, Known(found.__func__), args, kwargs, node)
    if isinstance(found, classmethod):
        return _call(lw, found.__func__, [Known(box.cls, ""), *args], kwargs, node)
    lw.refuse(
        node, f"the method {name!r}", f"its source in {box.cls} cannot be found", "a method written in Python"
    )


def _call(
    lw: Lowering, function: Any, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    source = source_of(function)
    lw.program.sources[f"{source.file}:{source.node.lineno}"] = source.text
    return inline(lw, source.node, None, (source, LiveScope(function), function), args, kwargs, node)


def construct(
    lw: Lowering, cls: type, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    """``cls(*args)``: a record whose fields ``__init__`` sets."""
    box = Box(cls.__name__, "object", cls)
    initial = inspect.getattr_static(cls, "__init__")
    if dataclasses.is_dataclass(cls) and "__init__" in vars(cls) and not _has_source(initial):
        return _construct_dataclass(lw, box, cls, args, kwargs, node)
    if issubclass(cls, tuple | list | dict | BaseException):
        lw.refuse(
            node,
            f"making a {cls.__name__}",
            "classes on top of built-in ones are not followed",
            "a plain class or a tuple",
        )
    if isinstance(initial, types.FunctionType):
        _call(lw, initial, [box, *args], kwargs, node)
    elif args or kwargs:
        lw.refuse(
            node,
            f"making a {cls.__name__}",
            "its __init__ has no source",
            "a class with an __init__ written in Python",
        )
    return box


def _has_source(function: Any) -> bool:
    return isinstance(function, types.FunctionType) and not function.__code__.co_filename.startswith("<")


def _construct_dataclass(
    lw: Lowering, box: Box, cls: Any, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    given = list(args)
    for field in dataclasses.fields(cls):
        if not field.init:
            continue
        if given:
            entity = given.pop(0)
        elif field.name in kwargs:
            entity = kwargs[field.name]
        elif field.default is not dataclasses.MISSING:
            entity = entity_of(
                field.default, "" if isinstance(field.default, int | float | str) else field.name
            )
        else:
            lw.refuse(node, f"making a {cls.__name__}", f"the field {field.name!r} is missing", "pass it")
        box.keys.append(field.name)
        lw.variables[(box, field.name)] = entity
    after = inspect.getattr_static(cls, "__post_init__", None)
    if after is not None:
        _call(lw, after, [box], {}, node)
    return box


def operator(lw: Lowering, name: str, left: Entity, right: Entity, node: gast.AST) -> Entity:
    """``left op right`` by the methods of the operands' classes."""
    for owner, other, method in ((left, right, f"__{name}__"), (right, left, f"__r{name}__")):
        if (
            isinstance(owner, Box)
            and owner.cls
            and inspect.getattr_static(owner.cls, method, None) is not None
        ):
            return call_method(lw, owner, method, [other], {}, node)
    lw.refuse(node, "this operator on an object", f"its class has no __{name}__", "a method")


def captured(lw: Lowering, value: Any, path: str, node: gast.AST) -> Entity:
    """An object from outside the function, whose numbers are constants of the program."""
    lw.refuse(
        node,
        f"the object behind {path or type(value).__name__}",
        "it is reached from outside",
        "pass it as an argument",
    )
