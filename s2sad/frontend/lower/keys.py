"""Items of records by keys that are computed: a choice among the keys that may be meant.

    w = params["W" + str(k)]        ==>     if key not in ("W1", "W2"): raise KeyError(key)
                                            w = W1 if key == "W1" else W2

What is known of the text of a key tells which keys these are, so that weights and biases, which differ in kind, are told
apart: of strings that are put together, a pattern is kept (``W-?\\d+``).
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable
from typing import Any

from s2sad.frontend.entities import Entity, ObjectKey, Record, Static, Struct, flatten, same_structure
from s2sad.frontend.lower import control, maps
from s2sad.frontend.lower.arithmetic import arithmetic
from s2sad.frontend.lower.objects import find
from s2sad.frontend.lower.parts import as_struct
from s2sad.frontend.lower.selection import by_label, is_selection
from s2sad.frontend.lower.state import Lowering
from s2sad.frontend.observe import LITERALS
from s2sad.ir.kinds import BOTTOM, STR, UNKNOWN, Kind, Scalar, join
from s2sad.ir.nodes import Const, Value

MOST = 8  # comparisons


def constant(entity: Entity) -> Entity:
    """A member of an enumeration, which is the same whenever the program runs, as the constant key that it is in a dict; and an
    object that the program makes, which no other is equal to."""
    if isinstance(entity, Record) and entity.kind == "object" and entity.origin is None and not entity.sealed:
        by_identity = all(find(entity.cls, name) is find(object, name) for name in ("__hash__", "__eq__"))
        return Const(ObjectKey(entity)) if by_identity else entity
    if not isinstance(entity, Static) or not isinstance(entity.payload, enum.Enum):
        return entity
    cls = type(entity.payload)
    plain = any(all(find(cls, name) is find(base, name) for name in ("__hash__", "__eq__")) for base in (enum.Enum, int, str))
    return Const(entity.payload) if plain else entity


def changing(ctx: Lowering, box: Record, key: Entity, node: Any) -> Entity:
    """The same of a key that is put in, or taken out. Refuses objects where one name stands for another object in each turn."""
    found = constant(key)
    if isinstance(found, Const) and isinstance(found.payload, ObjectKey) and box.loops != tuple(ctx.loops):
        why = "which objects are its keys then is known only when the program runs"
        ctx.refuse(node, "an object as a key of what is made outside of this loop", why, "a loop over objects that are listed")
    return found


def given(ctx: Lowering, key: Any) -> Entity:
    """A key of a record as the program gets it: a member of an enumeration is again what its name stands for."""
    if isinstance(key, ObjectKey):
        return key.box
    if isinstance(key, enum.Enum):
        cls = type(key)
        found = ctx.frame.scope.resolve(cls.__name__)
        path = found.path if isinstance(found, Static) and found.payload is cls else ""
        return Static(key, path and f"{path}.{key.name}")
    if isinstance(key, tuple) and any(isinstance(part, enum.Enum) for part in key):
        return Struct([given(ctx, part) for part in key])
    return Const(key)


def chosen(ctx: Lowering, box: Record, index: Entity, node: Any) -> Entity:
    """``box[index]`` with a computed key: compared with those that it may be, if they are few and alike."""
    if ctx.kind(index) == BOTTOM:
        return index
    keys = [key for key in ctx.keys(box, node) if _may_be(ctx, index, key)]
    if box.factory is not None or not keys:
        maps.compute(ctx, box, node)
    items = [ctx.variables[(box, key)] for key in keys]
    free = box.place is not None and not box.sealed and all(map(is_data, items))
    if free and (len(keys) > MOST or not _mergeable(ctx, items)):
        maps.compute(ctx, box, node)
    _check_written(ctx, box, keys, node)
    key = maps.key_value(ctx, index, node)
    _ensure(ctx, key, tuple(keys), node)
    if is_selection(ctx, items):
        return by_label(ctx, key, tuple(keys), items, node)

    def among(k: int) -> Entity:
        if k == len(keys) - 1:
            return items[k]
        test = arithmetic(ctx, "operator.eq", key, Const(keys[k]))
        return control.choose(ctx, test, lambda: items[k], lambda: among(k + 1), node)

    return among(0)


def has(ctx: Lowering, box: Record, index: Entity, node: Any) -> Value:
    """``index in box``."""
    if ctx.kind(index) == BOTTOM:  # an item of an empty list: nobody gets here
        return Const(False)
    if isinstance(index, Const) and isinstance(index.payload, enum.Enum | ObjectKey):
        return Const(index.payload in ctx.keys(box, node))
    if box.factory is not None:
        maps.compute(ctx, box, node)
    _check_written(ctx, box, ctx.keys(box, node), node)
    return ctx.builder.call(
        "operator.contains", Const(tuple(ctx.keys(box, node))), maps.key_value(ctx, index, node)
    )


def is_data(item: Entity) -> bool:
    """Test for an item that is a value, or a tuple or list of values."""
    return all(isinstance(leaf, Value) for leaf in flatten(item))


def _mergeable(ctx: Lowering, items: list[Entity]) -> bool:
    """Test for items among which a branch can choose: structures of one form, numbers, arrays."""
    forms = [as_struct(ctx, item) for item in items]
    if not all(same_structure(forms[0], form) for form in forms[1:]):
        return False
    if all(isinstance(item, Value) for item in items):
        found: Kind = BOTTOM
        for item in items:
            found = join(found, ctx.kind(item))
        return found != UNKNOWN
    return True


def _ensure(ctx: Lowering, key: Value, keys: tuple[Any, ...], node: Any) -> None:
    """Python's error for a key that is not there."""

    def fail() -> None:
        ctx.builder.call("s2sad.raise", ctx.builder.call("builtins.KeyError", key))

    found = ctx.builder.call("operator.contains", Const(keys), key)
    control.branch(ctx, arithmetic(ctx, "operator.not_", found), fail, lambda: None, node)


def _check_written(ctx: Lowering, box: Record, keys: Iterable[Any], node: Any) -> None:
    """Refuse keys that the program cannot compare with, as they have no literals."""
    for key in keys:
        if not _is_literal(key):
            if maps.outlasts(box):
                maps.refuse_cache(ctx, node)
            ctx.refuse(node, "a computed key here", f"{key!r} is no literal to compare it with", "numbers or text for keys")


def _is_literal(key: Any) -> bool:
    return all(map(_is_literal, key)) if type(key) is tuple else type(key) in LITERALS


# --- which keys may be meant


def _may_be(ctx: Lowering, index: Entity, key: Any) -> bool:
    if isinstance(index, Const):
        return bool(index.payload == key)
    if isinstance(index, Struct):
        fits = isinstance(key, tuple) and len(key) == len(index.items)
        return fits and all(_may_be(ctx, part, k) for part, k in zip(index.items, key, strict=True))
    if isinstance(index, Value) and index.kind == STR:
        return isinstance(key, str) and re.fullmatch(pattern(ctx, index), key, re.DOTALL) is not None
    if isinstance(index, Value) and isinstance(index.kind, Scalar):
        return isinstance(key, int | float)
    return True


def pattern(ctx: Lowering, part: Value) -> str:
    """The text that a value is, or has in a string, as far as is known: a regular expression."""
    if isinstance(part, Const) and isinstance(part.payload, str):
        return re.escape(part.payload)
    if isinstance(part.kind, Scalar) and part.kind.is_of("i"):
        return r"-?\d+"
    return ctx.texts.get(part, ".*")


def put_together(ctx: Lowering, text: Value, parts: list[Value]) -> Value:
    """Keep what is known of a string that is made of these parts."""
    text.kind = STR
    ctx.texts[text] = "".join(pattern(ctx, part) for part in parts)
    return text


def formatted(ctx: Lowering, template: str, value: Value) -> Value:
    """``template % value``, which is a string; what it inserts is not looked at, but for integers."""
    text = ctx.builder.call("operator.mod", Const(template), value)
    text.kind = STR
    ctx.texts[text] = "".join(_inserted(piece) for piece in re.split(r"(%[^a-zA-Z%]*[a-zA-Z%])", template))
    return text


def _inserted(piece: str) -> str:
    if not piece.startswith("%"):
        return re.escape(piece)
    return {"%%": "%", "%d": r"-?\d+", "%i": r"-?\d+"}.get(piece, ".*")
