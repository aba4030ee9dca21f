"""The memory that variables of a generated function are taken to refer to: alias classes, for the checked mode to compare with
what the program does when it runs (``s2sad.checked``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from s2sad.analysis.alias import Aliases, Node
from s2sad.analysis.containers import ITEM
from s2sad.analysis.views import holds_references, is_unsure, view_base
from s2sad.checked import ITEM as ANY_ITEM
from s2sad.checked import Claims
from s2sad.ir.kinds import Array
from s2sad.ir.nodes import LITERALS, Function, Op, Value
from s2sad.ir.walk import blocks_of, definers


def claims_of(function: Function, identifiers: Mapping[Value, str]) -> Claims:
    """The claims of a function whose values have been given names."""
    aliases = Aliases(function)
    numbers: dict[Node, int] = {}
    classes: dict[str, list[int]] = {}  # of the values that have a name
    for value in _values(function):
        if value in identifiers and holds_references(value) and not isinstance(value, LITERALS):
            node = aliases.node(value)
            for reached in aliases.reach(node):
                numbers.setdefault(reached, len(numbers))
            classes.setdefault(identifiers[value], []).append(numbers[node])  # that of an argument first
    held = {
        k: {ANY_ITEM if key == ITEM else key: numbers[item.find()] for key, item in node.fields.items()}
        for node, k in numbers.items()
    }
    written = frozenset(numbers[node] for node in aliases.written if node in numbers)
    given = {identifiers[v] for v in function.values if v in identifiers and holds_references(v)} & classes.keys()
    return Claims(
        {name: frozenset(found) for name, found in classes.items()}, held, written, _windows(function, identifiers),
        {name: classes[name][0] for name in given if classes[name].count(classes[name][0]) == 1 < len(classes[name])},
    )  # fmt: skip


def _windows(function: Function, identifiers: Mapping[Value, str]) -> dict[str, frozenset[str]]:
    """The names that windows of arrays have, and nothing else has, with the names of those arrays."""
    made = definers(function)
    bases: dict[str, set[str]] = {}
    for value in _values(function):
        if value in identifiers:
            bases.setdefault(identifiers[value], set()).add(_base(value, made, identifiers))
    return {name: frozenset(found) for name, found in bases.items() if not found & {"", name}}


def _base(value: Value, made: Mapping[Value, Op], identifiers: Mapping[Value, str]) -> str:
    """The name of the array that a value is certainly a window of; empty where there is none."""
    op = made.get(value)
    base = None if op is None or is_unsure(op) else view_base(op)
    if base is None or not isinstance(base.kind, Array):
        return ""
    return identifiers.get(base) or _base(base, made, identifiers)


def _values(function: Function) -> Iterator[Value]:
    yield from function.values
    for block in blocks_of(function.body):
        yield from block.params
        for op in block.ops:
            yield from op.results
