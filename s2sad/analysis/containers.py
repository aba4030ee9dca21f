"""What goes into containers and comes out of them, for the analysis of aliases.

    box = (a, b)      box[0] may share memory with a, box[1] with b
    xs.append(a)      every item of xs may share memory with a
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from s2sad.analysis.views import holds_references
from s2sad.ir.kinds import List, Tuple
from s2sad.ir.nodes import Call, Const

if TYPE_CHECKING:
    from s2sad.analysis.alias import Aliases

ITEM = "*"  # any item of a list


def _attribute(aliases: Aliases, op: Call) -> None:
    if holds_references(op.results[0]) and isinstance(op.args[1], Const):
        aliases.merge(aliases.node(op.results[0]), aliases.field(op.args[0], op.args[1].payload))


def _tuple(aliases: Aliases, op: Call) -> None:
    for k, item in enumerate(op.args):
        aliases.put(op.results[0], k, item)


def _dict(aliases: Aliases, op: Call) -> None:
    keys = op.args[0].payload if isinstance(op.args[0], Const) else ()
    for key, item in zip(keys, op.args[1:], strict=True):
        aliases.put(op.results[0], key, item)


def _record(aliases: Aliases, op: Call) -> None:
    keys = op.args[1].payload if isinstance(op.args[1], Const) else ()
    named = isinstance(op.results[0].kind, Tuple)
    for key, item in zip(range(len(keys)) if named else keys, op.args[2:], strict=True):
        aliases.put(op.results[0], key, item)


def _list(aliases: Aliases, op: Call) -> None:
    for item in op.args:
        aliases.put(op.results[0], ITEM, item)


def _map(aliases: Aliases, op: Call) -> None:
    for item in op.args[1:]:
        aliases.put(op.results[0], ITEM, item)


def _append(aliases: Aliases, op: Call) -> None:
    aliases.put(op.args[0], ITEM, op.args[1])


def _insert(aliases: Aliases, op: Call) -> None:
    aliases.put(op.args[0], ITEM, op.args[2])


def _pop(aliases: Aliases, op: Call) -> None:
    if holds_references(op.results[0]):
        aliases.merge(aliases.node(op.results[0]), aliases.field(op.args[0], ITEM))


def _unpack(aliases: Aliases, op: Call) -> None:
    for k, result in enumerate(op.results):
        if holds_references(result):
            aliases.merge(aliases.node(result), aliases.field(op.args[0], k))


def _setitem(aliases: Aliases, op: Call) -> None:
    if isinstance(op.args[0].kind, List):
        aliases.put(op.args[0], ITEM, op.args[2])


CONTAINERS = {
    "s2sad.attribute": _attribute,
    "builtins.tuple": _tuple,
    "s2sad.items": _tuple,
    "s2sad.dict": _dict,
    "s2sad.runtime.record": _record,
    "builtins.list": _list,
    "list.append": _append,
    "list.insert": _insert,
    "list.pop": _pop,
    "s2sad.map": _map,
    "dict.get": _pop,
    "dict.pop": _pop,
    "s2sad.runtime.take_out": _pop,
    "s2sad.unpack": _unpack,
    "operator.setitem": _setitem,
}
