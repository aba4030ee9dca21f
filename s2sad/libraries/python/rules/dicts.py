"""Dicts whose keys are computed while the program runs: made, read and written like lists, with keys for places.

Subscripts, stores, ``len`` and ``in`` are those of other containers. Keys carry no derivative.
"""

from __future__ import annotations

from s2sad.ir.kinds import BOTTOM, NONE, UNKNOWN, DictOf, Kind, List, join, join_keys, kind_of
from s2sad.ir.nodes import Const
from s2sad.rules import kind_rules
from s2sad.rules.kind_rules import Bound
from s2sad.rules.registry import nothing, plain


def _made(bound: Bound) -> Kind:
    keys, *items = bound.values()
    item: Kind = BOTTOM
    for value in items:
        item = join(item, value.kind)
    key: Kind = BOTTOM
    for payload in keys.payload if isinstance(keys, Const) else ():
        key = join_keys(key, kind_of(payload))
    return DictOf(item, key)


def _taken(bound: Bound) -> Kind:
    """The kind that ``get`` and ``pop`` give: of an item, or the default, which is a number if it is given."""
    item = kind_rules.item_of(bound["items"].kind)
    default = bound.get("default")
    return item if default is None or default.kind == NONE else join(item, default.kind)


def _keys(bound: Bound) -> Kind:
    kind = bound["items"].kind
    return List(kind.key if isinstance(kind, DictOf) else UNKNOWN)


plain("s2sad.map(keys, *items)", kind=_made, effects="holds(items); at each", spelling="dict")
plain("dict.get(items, key, default)", kind=_taken, effects="item(items), same(default); at key", spelling="method")
plain(
    "dict.pop(items, key, default=None)",
    kind=_taken,
    effects="item(items), same(default); writes items; shorter at key",
    spelling="method",
)
plain(
    "s2sad.runtime.put_back(items, key, old)", kind=lambda _: NONE, effects="none; writes items; puts old in items; back at key"
)
plain(
    "s2sad.runtime.take_out(bars, key, like)",
    kind=kind_rules.like("like"),
    effects="item(bars)?; writes bars; looks like; shorter at key",
)
plain(
    "s2sad.runtime.give_back(bars, key, old, bar)",
    kind=lambda _: NONE,
    effects="none; changes bars; changes old; puts old in bars; puts bar in bars",
)
nothing(["s2sad.runtime.keys_of(items)"], kind=_keys, zero=True)
