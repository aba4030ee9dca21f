"""Calls that look as if they made an array, and give one that shares memory with their argument, or is it.

np.einsum('ijk->kij', a)              np.transpose(a, (2, 0, 1))
np.einsum('ii->i', a)                 diagonal_window(a), np.diagonal(a) that can be written
np.array(a, copy=None)                np.asarray(a)
np.asarray(a)                         a, where that is an array
a.astype(float, copy=False)           np.asarray(a, float)
np.nan_to_num(a, copy=False)          a[...] = np.nan_to_num(a); a

Written out like this, every analysis sees what is shared.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.frontend.entities import Entity
from s2sad.frontend.lower import subscripts
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import Array
from s2sad.ir.nodes import Const, Value
from s2sad.libraries.numpy.calls.handlers import ABSENT, YES, ZERO, array, literal, operand, written_out


def einsum_window(ctx: Lowering, node: Any, text: str, operands: tuple[Entity, ...]) -> Entity | None:
    """The window that ``einsum`` gives of one array where it only puts axes in another order, or takes a diagonal;
    None where it computes."""
    before, arrow, after = text.replace(" ", "").partition("->")
    moved = before.isalpha() and set(before) == set(after) and len(after) == len(set(after))
    if len(operands) != 1 or not arrow or not moved or len(before) - len(after) > 1:
        return None
    window = array(ctx, node, operands[0])
    twice = next((k for k in before if before.count(k) == 2), None)
    if twice is not None:
        first, second = before.index(twice), before.rindex(twice)
        window = ctx.builder.call("s2sad.runtime.diagonal_window", window, axis1=first, axis2=second)
        before = before.replace(twice, "") + twice
    return ctx.builder.call("numpy.transpose", window, Const(tuple(map(before.index, after))))


@written_out(np.array)
def _array(
    ctx: Lowering, node: Any, object: Entity, dtype: Entity = ABSENT, *, copy: Entity = YES, **options: Entity
) -> Entity | None:
    """``copy=None`` and ``copy=False`` are those of ``asarray``."""
    if literal(ctx, node, copy, "copy"):
        return None
    if options:
        ctx.refuse(node, "these options of np.array without a copy", "they decide whether it copies", "np.asarray")
    return _as_array(ctx, node, operand(ctx, node, object), dtype)


def _as_array(ctx: Lowering, node: Any, value: Value, dtype: Entity) -> Value:
    wanted = operand(ctx, node, dtype)
    given = () if isinstance(wanted, Const) and wanted.payload is None else (wanted,)
    return ctx.builder.call("numpy.asarray", value, *given)


@written_out(np.asarray)
def _asarray(ctx: Lowering, node: Any, a: Entity, *dtype: Entity, **options: Entity) -> Entity | None:
    """An array is one already."""
    return a if isinstance(a, Value) and isinstance(a.kind, Array) and not dtype and not options else None


@written_out(np.nan_to_num)
def _nan_to_num(
    ctx: Lowering, node: Any, x: Entity, copy: Entity = YES, nan: Entity = ZERO, posinf: Entity = ABSENT, neginf: Entity = ABSENT
) -> Entity | None:
    """Without a copy it writes into its argument."""
    if literal(ctx, node, copy, "copy"):
        return None
    target = subscripts.writable(ctx, x, node)
    named = [operand(ctx, node, value) for value in (nan, posinf, neginf)]
    subscripts.store(ctx, target, Const(...), ctx.builder.call("numpy.nan_to_num", target, Const(True), *named), node)
    return target


def _astype(ctx: Lowering, value: Value, args: list[Value], kwargs: dict[str, Entity], node: Any) -> Entity:
    """With ``copy=False`` the array itself, where it has that dtype."""
    options = dict(kwargs)
    if not literal(ctx, node, options.pop("copy", YES), "copy") and len(args) + ("dtype" in options) == 1:
        return _as_array(ctx, node, value, options.get("dtype", args[0] if args else ABSENT))
    named = {key: operand(ctx, node, entity) for key, entity in kwargs.items()}
    return ctx.builder.call("ndarray.astype", value, *args, **named)


METHODS: dict[str, Any] = {"astype": _astype}
