"""Functions that give iterators ask what they run through for one at once: what has none fails there, used or not."""

from __future__ import annotations

import itertools
from typing import Any

import gast

from s2sad.frontend.entities import Closure, Entity, Record, SourceFunction, Static
from s2sad.frontend.lower import built_on, control, objects
from s2sad.frontend.lower.arithmetic import check_sequence
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import NONE, STR, UNKNOWN, Array, Scalar, dtype_of
from s2sad.ir.nodes import Value

NOT_ITERABLE = "'NoneType' object is not iterable"
# Which arguments of these are run through.
ALL, FIRST, REST = slice(None), slice(1), slice(1, None)
ASKING: dict[Any, slice] = {
    zip: ALL, enumerate: FIRST, map: REST, filter: REST, itertools.accumulate: FIRST, itertools.islice: FIRST,
    itertools.cycle: FIRST, itertools.zip_longest: ALL, itertools.takewhile: REST, itertools.dropwhile: REST,
    itertools.filterfalse: REST, itertools.starmap: REST, itertools.compress: ALL, itertools.pairwise: FIRST,
    itertools.groupby: FIRST, itertools.chain.from_iterable: FIRST,
}  # fmt: skip


# Which arguments of these are whole numbers.
COUNTING: dict[Any, slice] = {itertools.repeat: slice(1, 2), range: ALL}


def check_arguments(ctx: Lowering, payload: Any, args: list[Entity], node: gast.AST) -> list[Entity]:
    """The arguments of such a function, which are no None. Fails as Python does for what cannot be run through."""
    asked = FIRST if payload is iter and len(args) == 1 else ASKING.get(payload, slice(0))
    chosen = range(len(args))[asked]
    for arg in args[COUNTING.get(payload, slice(0))]:
        _check_number(ctx, arg, "iub", "cannot be interpreted as an integer", node)
    for arg in args if payload is itertools.count else ():
        _check_number(ctx, arg, "iubfc", "is no number", node)
    return [_checked(ctx, arg, node) if k in chosen else arg for k, arg in enumerate(args)]


def _checked(ctx: Lowering, arg: Entity, node: gast.AST) -> Entity:
    arg = control.present(ctx, arg, NOT_ITERABLE, node)
    if isinstance(arg, Value):
        check_sequence(ctx, arg)
    name = _name_of_type(arg)
    if name is not None:
        ctx.fail(node, TypeError(f"{name!r} object is not iterable"), "running through this", "a list, or an array")
    return arg


def _check_number(ctx: Lowering, arg: Entity, letters: str, text: str, node: gast.AST) -> None:
    """Fail, as Python does, for what is certainly no number of a dtype whose letter is one of these."""
    kind = arg.kind if isinstance(arg, Value) else None
    others = "".join(set("iubfc") - set(letters))
    if isinstance(kind, Array) or kind == UNKNOWN or isinstance(kind, Scalar) and not kind.is_of(others):
        return
    name = _name_of_type(arg) or ("str" if kind == STR else type(arg).__name__.lower())
    ctx.fail(node, TypeError(f"{name!r} object {text}"), "counting by this", "a number")


def _name_of_type(arg: Entity) -> str | None:
    """The name of the type of a number, None, a function or an object, which cannot be run through; None of all else."""
    if isinstance(arg, Value) and (isinstance(arg.kind, Scalar) or arg.kind == NONE):
        return "NoneType" if arg.kind == NONE else (dtype_of(arg.kind) or "float").rstrip("0123456789")
    if isinstance(arg, Closure | SourceFunction):
        return "function"
    if isinstance(arg, Static):
        return _unless_iterable(type(arg.payload))
    is_plain = isinstance(arg, Record) and arg.kind == "object" and arg.cls is not None and not built_on.is_based(arg)
    return _unless_iterable(arg.cls) if is_plain else None  # type: ignore[union-attr, arg-type]


def _unless_iterable(cls: type) -> str | None:
    """The name of a class of objects that cannot be run through."""
    return None if any(objects.find(cls, name) is not None for name in ("__iter__", "__getitem__")) else cls.__name__
