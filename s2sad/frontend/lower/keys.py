"""Items of records by keys that are computed: a choice among the keys that may be meant.

    w = params["W" + str(k)]        ==>     if key not in ("W1", "W2"): raise KeyError(key)
                                            w = W1 if key == "W1" else W2

What is known of the text of a key tells which keys these are, so that weights and biases, which differ in kind, are told
apart: of strings that are put together, a pattern is kept (``W-?\\d+``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from s2sad.frontend.entities import Aggregate, Box, Entity, flatten, same_structure
from s2sad.frontend.lower import control, maps
from s2sad.frontend.lower.arithmetic import arithmetic
from s2sad.frontend.lower.parts import frozen
from s2sad.frontend.lower.selection import by_label, is_selection
from s2sad.frontend.lower.state import Lowering
from s2sad.frontend.observe import LITERALS
from s2sad.ir.kinds import BOTTOM, STR, UNKNOWN, Kind, Scalar, join
from s2sad.ir.nodes import Const, Value

MOST = 8  # comparisons


def chosen(lw: Lowering, box: Box, index: Entity, node: Any) -> Entity:
    """``box[index]`` with a computed key: compared with those that it may be, if they are few and alike."""
    keys = [key for key in lw.keys(box, node) if _may_be(lw, index, key)]
    if box.factory is not None or not keys:
        maps.compute(lw, box, node)
    items = [lw.variables[(box, key)] for key in keys]
    free = box.place is not None and not box.sealed and all(map(is_data, items))
    if free and (len(keys) > MOST or not _mergeable(lw, items)):
        maps.compute(lw, box, node)
    _check_written(lw, keys, node)
    key = maps.key_value(lw, index, node)
    _ensure(lw, key, tuple(keys), node)
    if is_selection(lw, items):
        return by_label(lw, key, tuple(keys), items, node)

    def among(k: int) -> Entity:
        if k == len(keys) - 1:
            return items[k]
        test = arithmetic(lw, "operator.eq", key, Const(keys[k]))
        return control.choose(lw, test, lambda: items[k], lambda: among(k + 1), node)

    return among(0)


def has(lw: Lowering, box: Box, index: Entity, node: Any) -> Value:
    """``index in box``."""
    if box.factory is not None:
        maps.compute(lw, box, node)
    _check_written(lw, lw.keys(box, node), node)
    return lw.builder.call(
        "operator.contains", Const(tuple(lw.keys(box, node))), maps.key_value(lw, index, node)
    )


def is_data(item: Entity) -> bool:
    """Whether an item is a value, or a tuple or list of values."""
    return all(isinstance(leaf, Value) for leaf in flatten(item))


def _mergeable(lw: Lowering, items: list[Entity]) -> bool:
    """Whether a branch can choose among the items: structures of one form, numbers, arrays."""
    forms = [frozen(lw, item) for item in items]
    if not all(same_structure(forms[0], form) for form in forms[1:]):
        return False
    if all(isinstance(item, Value) for item in items):
        found: Kind = BOTTOM
        for item in items:
            found = join(found, lw.kind(item))
        return found != UNKNOWN
    return True


def _ensure(lw: Lowering, key: Value, keys: tuple[Any, ...], node: Any) -> None:
    """Python's error for a key that is not there."""

    def fail() -> None:
        lw.builder.call("s2sad.raise", lw.builder.call("builtins.KeyError", key))

    found = lw.builder.call("operator.contains", Const(keys), key)
    control.branch(lw, arithmetic(lw, "operator.not_", found), fail, lambda: None, node)


def _check_written(lw: Lowering, keys: Iterable[Any], node: Any) -> None:
    """Refuse keys that the program cannot compare with, as they have no literals."""
    for key in keys:
        if not _is_literal(key):
            lw.refuse(node, "a computed key here", f"{key!r} is no literal to compare it with", "numbers or text for keys")


def _is_literal(key: Any) -> bool:
    return all(map(_is_literal, key)) if type(key) is tuple else type(key) in LITERALS


# --- which keys may be meant


def _may_be(lw: Lowering, index: Entity, key: Any) -> bool:
    if isinstance(index, Const):
        return bool(index.payload == key)
    if isinstance(index, Aggregate):
        fits = isinstance(key, tuple) and len(key) == len(index.items)
        return fits and all(_may_be(lw, part, k) for part, k in zip(index.items, key, strict=True))
    if isinstance(index, Value) and index.kind == STR:
        return isinstance(key, str) and re.fullmatch(pattern(lw, index), key, re.DOTALL) is not None
    if isinstance(index, Value) and isinstance(index.kind, Scalar):
        return isinstance(key, int | float)
    return True


def pattern(lw: Lowering, part: Value) -> str:
    """What is known of the text that a value is, or has in a string, as a regular expression."""
    if isinstance(part, Const) and isinstance(part.payload, str):
        return re.escape(part.payload)
    if isinstance(part.kind, Scalar) and part.kind.dtype.startswith("int"):
        return r"-?\d+"
    return lw.texts.get(part, ".*")


def put_together(lw: Lowering, text: Value, parts: list[Value]) -> Value:
    """Keep what is known of a string that is made of these parts."""
    text.kind = STR
    lw.texts[text] = "".join(pattern(lw, part) for part in parts)
    return text


def formatted(lw: Lowering, template: str, value: Value) -> Value:
    """``template % value``, which is a string; what it inserts is not looked at, but for integers."""
    text = lw.builder.call("operator.mod", Const(template), value)
    text.kind = STR
    lw.texts[text] = "".join(_inserted(piece) for piece in re.split(r"(%[^a-zA-Z%]*[a-zA-Z%])", template))
    return text


def _inserted(piece: str) -> str:
    if not piece.startswith("%"):
        return re.escape(piece)
    return {"%%": "%", "%d": r"-?\d+", "%i": r"-?\d+"}.get(piece, ".*")
