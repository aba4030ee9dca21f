"""Names, fields and keys that some path leaves unbound: a flag beside the variable says whether this path has bound it.

    if x > 0:                      if x > 0:
        k = 0            ==>           k, k_is_bound = 0, True
    return np.sum(a, k)            if not k_is_bound:
                                       raise UnboundLocalError(...)
                                   return np.sum(a, k)

A flag is a variable like others, merged where paths meet. It comes into being where a variable is bound on one of them only,
and only for names that are read where nobody knows (``loose_names``); where there is none, the variable says it itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import gast

from s2sad.frontend.entities import Entity, Record
from s2sad.frontend.loose_names import reading
from s2sad.frontend.lower.state import TRUE, Bound, Frame, Key, Lowering, unbound_name
from s2sad.ir.nodes import Const, If, Undef, Value
from s2sad.ir.walk import raises

FALSE = Const(False)


def flag_of(variables: Mapping[Key, Entity], key: Key) -> Entity:
    """The flag of a variable."""
    found = variables.get((key[0], Bound(key[1])))
    if found is not None:
        return found
    return FALSE if isinstance(variables.get(key, Undef()), Undef) else TRUE


def flagged(key: Key) -> bool:
    """Test for a variable of which it counts whether it is bound."""
    owner, name = key
    return isinstance(owner, Record) and owner.kind in ("dict", "object") or isinstance(owner, Frame) and name in owner.watched


def meeting(keys: Iterable[Key], one: dict[Key, Entity], other: dict[Key, Entity]) -> list[Key]:
    """Further flags, of variables that change on paths that meet, and that one of these may not have bound: set on both.

    The paths are the arms of a branch, or the one to a loop and the one through its body.
    """
    found: list[Key] = []
    for key in filter(flagged, keys):
        here, there = flag_of(one, key), flag_of(other, key)
        if here is not TRUE or there is not TRUE:
            flag = (key[0], Bound(key[1]))
            one[flag], other[flag] = here, there
            found.append(flag)
    return [flag for flag in found if flag not in keys]


def unbind(ctx: Lowering, key: Key) -> None:
    """``del`` of a name."""
    ctx.variables[key] = Undef()
    if flagged(key):
        ctx.variables[key[0], Bound(key[1])] = FALSE


def read(ctx: Lowering, node: gast.Name) -> Entity:
    """The entity that a name stands for, where this path has bound it."""
    entity = ctx.lookup(node.id, node)
    if isinstance(entity, Undef) and not raises(ctx.builder.block):
        ctx.refuse(node, f"reading {node.id!r} here", "it is not bound on every path", "bind it before the branch or loop")
    _check_name(ctx, node)
    return entity


def _check_name(ctx: Lowering, node: gast.Name) -> None:
    """Raise what Python raises where a name is read, and this path has not bound it."""
    frame: Frame | None = ctx.frame
    while frame is not None and (frame, node.id) not in ctx.variables and node.id not in frame.locals:
        frame = frame.outer
    if frame is None or reading(node) not in frame.loose:
        return
    check(ctx, (frame, node.id), unbound_name(node.id, frame is not ctx.frame))


def flag(ctx: Lowering, owner: Entity, attr: str) -> Entity:
    """The flag of a field."""
    return flag_of(ctx.variables, (owner, attr)) if isinstance(owner, Record) else TRUE


def check_field(ctx: Lowering, box: Entity, attr: str) -> None:
    """Raise what Python raises where an attribute is read that this path has not set."""
    name = box.cls.__name__ if isinstance(box, Record) and box.cls else "object"
    check(ctx, (box, attr), AttributeError(f"{name!r} object has no attribute {attr!r}"))


def check(ctx: Lowering, key: Key, error: Exception) -> None:
    """Raise an error where this path has not bound a variable."""
    flag = ctx.variables.get((key[0], Bound(key[1])), TRUE)
    assert isinstance(flag, Value)
    if isinstance(flag, Const) and flag.payload:
        return
    op = If(cond=ctx.builder.call("operator.not_", flag), loc=ctx.builder.loc)
    with ctx.builder.inside(op.then):
        made = ctx.builder.call(f"builtins.{type(error).__name__}", *map(Const, error.args))
        made.name = "unbound"
        ctx.builder.call("s2sad.raise", made)
    ctx.builder.append(op)
