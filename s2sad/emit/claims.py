"""The memory that variables of a generated function are taken to refer to: alias classes, for the checked mode to compare with
what the program does when it runs (``s2sad.checked``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from s2sad.analysis.alias import Aliases, Node
from s2sad.analysis.containers import ITEM
from s2sad.analysis.views import holds_references
from s2sad.checked import ITEM as ANY_ITEM
from s2sad.checked import Claims
from s2sad.ir.nodes import LITERALS, Function, Value
from s2sad.ir.walk import blocks_of


def claims_of(function: Function, identifiers: Mapping[Value, str]) -> Claims:
    """The claims of a function whose values have been given names."""
    aliases = Aliases(function)
    numbers: dict[Node, int] = {}
    classes: dict[str, set[int]] = {}
    for value in _values(function):
        if value in identifiers and holds_references(value) and not isinstance(value, LITERALS):
            node = aliases.node(value)
            for reached in aliases.reach(node):
                numbers.setdefault(reached, len(numbers))
            classes.setdefault(identifiers[value], set()).add(numbers[node])
    held = {
        k: {ANY_ITEM if key == ITEM else key: numbers[item.find()] for key, item in node.fields.items()}
        for node, k in numbers.items()
    }
    written = frozenset(numbers[node] for node in aliases.written if node in numbers)
    return Claims({name: frozenset(found) for name, found in classes.items()}, held, written)


def _values(function: Function) -> Iterator[Value]:
    yield from function.values
    for block in blocks_of(function.body):
        yield from block.params
        for op in block.ops:
            yield from op.results
