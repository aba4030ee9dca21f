"""Arguments of which NumPy makes arrays of objects: dicts, and ``d.values()``, which it does not look into.

np.max({"a": x}) is the dict, and np.array(d.values()) an array of one object, whose items have no derivatives.
"""

from __future__ import annotations

import gast
import numpy as np

from s2sad.frontend.entities import Entity, Iteration, Record, Struct, View
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import Kind, List, StructKind, Tuple
from s2sad.ir.nodes import Value
from s2sad.rules import registry
from s2sad.rules.language import Nothing


def refuse_objects(ctx: Lowering, target: str, args: list[Entity], node: gast.AST) -> None:
    """Refuse such arguments of a function of NumPy's that has a derivative. Its functions of numbers refuse them themselves."""
    found = registry.lookup(target)
    if target.partition(".")[0] != "numpy" or found is None or isinstance(found.derivative, Nothing):
        return
    if not isinstance(registry.find_object(target), np.ufunc):
        refuse_among(ctx, f"an argument of {target}", args, node)


def refuse_among(ctx: Lowering, what: str, args: list[Entity], node: gast.AST) -> None:
    """Refuse such things in the place of arrays."""
    if any(map(_is_object, args)):
        why = "NumPy takes it for one object, and does not look into it"
        ctx.refuse(node, f"a dict, or a view of one, as {what}", why, "list(d.values())")


def _is_object(entity: Entity) -> bool:
    """Test for a dict that holds something, or a view, or a list or tuple of such."""
    if isinstance(entity, View) or isinstance(entity, Iteration) and entity.over is not None:
        return True
    if isinstance(entity, Struct | Record):
        return entity.kind == "dict" and bool(entity.keys) or isinstance(entity, Struct) and any(map(_is_object, entity.items))
    return isinstance(entity, Value) and _is_object_kind(entity.kind)


def _is_object_kind(kind: Kind) -> bool:
    if kind.keyed or isinstance(kind, StructKind):
        return True
    return isinstance(kind, List | Tuple) and any(map(_is_object_kind, kind.inner))
