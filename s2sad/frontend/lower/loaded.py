"""``sys.modules``: a program asks it by name for modules that have been imported, or not.

    if "pandas" in sys.modules:             x = np.asarray(x)
        x = unframed(x)             ==>                                nobody has imported pandas
    x = np.asarray(x)

Each answer is in the log: a program is used as long as it is the same.
"""

from __future__ import annotations

import sys
from typing import Any

from s2sad.frontend import observe
from s2sad.frontend.entities import Entity, Method, Static
from s2sad.frontend.lower import strings
from s2sad.frontend.lower.state import Lowering
from s2sad.frontend.resolve import LiveScope, entity_of
from s2sad.ir.nodes import Const


def is_modules(entity: Entity) -> bool:
    """Test for ``sys.modules`` itself."""
    return isinstance(entity, Static) and entity.payload is sys.modules


def operation(ctx: Lowering, name: str, key: Entity, node: Any) -> Entity | None:
    """``sys.modules[key]``, or ``key in sys.modules``; None of other operators."""
    if name not in ("getitem", "contains"):
        return None
    found = _found(ctx, key, node)
    if name == "contains":
        return Const(found is not None)
    if found is None:
        error = KeyError(strings.constant_text(key))
        ctx.fail(node, error, f"sys.modules[{strings.constant_text(key)!r}]", "a module that has been imported")
    return found


def call_method(ctx: Lowering, bound: Method, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    """``sys.modules.get(key, default)``."""
    if bound.name != "get" or kwargs or not 1 <= len(args) <= 2:
        ctx.refuse(node, f"sys.modules.{bound.name}", "what it gives is not followed", "sys.modules.get of a name")
    found = _found(ctx, args[0], node)
    return found if found is not None else args[1] if args[1:] else Const(None)


def _found(ctx: Lowering, key: Entity, node: Any) -> Entity | None:
    name = strings.constant_text(key)
    if name is None or not isinstance(ctx.frame.scope, LiveScope):
        ctx.refuse(node, "sys.modules here", "which modules there are, is known only when the program runs", "an import")
    found = observe.loaded(name)
    return None if found is observe.ABSENT else entity_of(found, name)
