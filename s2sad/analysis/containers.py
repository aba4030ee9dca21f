"""The ways into containers and out of them, for the analysis of aliases.

    box = (a, b)      box[0] may share memory with a, box[1] with b
    xs.append(a)      every item of xs may share memory with a
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from s2sad.analysis.views import holds_references
from s2sad.ir.kinds import Array, Slice, Tuple
from s2sad.ir.nodes import Call, Const, Value
from s2sad.rules.containers import EACH, move_of

if TYPE_CHECKING:
    from s2sad.analysis.alias import Aliases

ITEM = "*"  # any item of a list


def take(aliases: Aliases, op: Call, container: Value) -> None:
    """The results may be what a container holds."""
    for k, result in enumerate(op.results):
        if not holds_references(result) or isinstance(container, Const):
            continue
        index = op.args[1] if len(op.args) > 1 else None
        if isinstance(container.kind, Array):
            aliases.unify(result, container)
        elif (move := move_of(op)) is not None and move.place == EACH:
            keys = container.kind.keys
            aliases.merge(aliases.node(result), aliases.field(container, keys[k] if k < len(keys) else k))
        elif pours(op):
            share_items(aliases, op, container)
        else:
            place = where_in(container, index, op.target == "s2sad.attribute")
            aliases.merge(aliases.node(result), aliases.field(container, place))


def where_in(container: Value, index: Value | None, attribute: bool) -> object:
    """Where a part is known to stand; anywhere, unless the container has a place of that name."""
    if not isinstance(index, Const) or not (attribute or container.kind.fixed):
        return ITEM
    key, kind = index.payload, container.kind
    if isinstance(kind, Tuple):
        key = kind.names.index(key) if key in kind.names else key + len(kind.items) if isinstance(key, int) and key < 0 else key
    return key if key in kind.keys or not kind.fixed else ITEM


def pours(op: Call) -> bool:
    """Test for a call that puts the items of a sequence into a list: where a slice says into which places."""
    return len(op.args) > 1 and isinstance(op.args[1].kind, Slice)


def share_items(aliases: Aliases, op: Call, container: Value) -> None:
    """The result is a container of its own that holds what another one holds."""
    if holds_references(op.results[0]) and not isinstance(container, Const):
        aliases.merge(aliases.field(op.results[0], ITEM), aliases.field(container, ITEM))


def hold(aliases: Aliases, op: Call, items: list[Value]) -> None:
    """The result is a container of its own that holds some values; where it has more places, in which is not known."""
    keys = op.results[0].kind.keys
    for key, item in zip(keys if len(keys) == len(items) else [ITEM] * len(items), items, strict=True):
        aliases.put(op.results[0], key, item)
