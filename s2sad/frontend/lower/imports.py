"""Imports inside of functions: of libraries, and of modules that have been imported already.

    def f(x):                             def f(x):
        from .models import decay             return models.decay(x)
        return decay(x)

Nothing is executed to know what a module defines: one that nobody has imported yet is refused.
"""

from __future__ import annotations

import importlib.util
import types
from typing import Any

import gast

from s2sad.frontend import libraries, observe
from s2sad.frontend.entities import Entity, Static
from s2sad.frontend.lower import strings
from s2sad.frontend.lower.attributes import attribute_of
from s2sad.frontend.lower.state import Lowering
from s2sad.frontend.resolve import LiveScope, entity_of


def import_statement(ctx: Lowering, node: gast.Import) -> None:
    """``import a.b as c``, as at the top of the file."""
    for item in node.names:
        module = _module(ctx, item.name, node)
        root, *parts = item.name.split(".")
        if libraries.is_listed(item.name) and item.asname:
            ctx.bind(item.asname, Static(module, item.name))
            continue
        found: Entity = Static(_module(ctx, root, node), root)
        for part in parts if item.asname else ():
            found = attribute_of(ctx, found, part, node)
        ctx.bind(item.asname or root, found)


def import_from(ctx: Lowering, node: gast.ImportFrom) -> None:
    """``from a import b``."""
    name = _absolute(ctx, node)
    module = _module(ctx, name, node)
    member = _of_library if libraries.is_listed(name) else _of_module
    for item in node.names:
        ctx.bind(item.asname or item.name, member(ctx, module, name, item.name, node))


def import_module(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """``importlib.import_module("a.b")``."""
    name = strings.constant_text(args[0]) if len(args) == 1 and not kwargs else None
    if name is None or name.startswith("."):
        ctx.refuse(node, "importing this inside a function", "which module it is, is not known", "import it at module level")
    return Static(_module(ctx, name, node), name)


TABLE = {importlib.import_module: import_module}


def _absolute(ctx: Lowering, node: gast.ImportFrom) -> str:
    """The full name of the module that ``from .a import b`` asks for."""
    name: str = "." * node.level + (node.module or "")
    scope = ctx.frame.scope
    if not node.level or not isinstance(scope, LiveScope):
        return name
    package, _ = observe.name_of(scope.function, "__package__")
    try:
        return importlib.util.resolve_name(name, package if isinstance(package, str) else None)
    except ImportError as error:
        ctx.refuse(node, "this import", str(error), "an absolute name")


def _of_library(ctx: Lowering, module: types.ModuleType, path: str, name: str, node: gast.AST) -> Entity:
    try:
        found = libraries.member(module, name)
    except AttributeError as error:
        ctx.refuse(node, f"importing {name!r}", str(error), "an existing name")
    observe.attribute(module, name)
    return entity_of(found, f"{path}.{name}")


def _of_module(ctx: Lowering, module: types.ModuleType, path: str, name: str, node: gast.AST) -> Entity:
    if observe.attribute(module, name) is observe.ABSENT:  # a module of its own, of which this one does not know
        return Static(_module(ctx, f"{path}.{name}", node), f"{path}.{name}")
    return attribute_of(ctx, Static(module, path), name, node)


def _module(ctx: Lowering, name: str, node: gast.AST) -> types.ModuleType:
    """A module of a library, or one that has been imported: then the statement only looks it up."""
    try:
        found = libraries.module(name)
    except ImportError as error:
        ctx.refuse(node, "this import", str(error), "an installed library")
    if isinstance(ctx.frame.scope, LiveScope):
        found = observe.module(ctx.frame.scope.function, name)
    if not isinstance(found, types.ModuleType):
        ctx.refuse(
            node, "importing this inside a function", "the module would be executed to know its names",
            "import it at module level",
        )  # fmt: skip
    return found
