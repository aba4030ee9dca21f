"""What the variables of a generated function are taken to refer to: the alias classes, for the checked mode to compare with what
the program does when it runs (``s2sad.checked``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from s2sad.analysis.alias import Aliases, Node
from s2sad.analysis.views import holds_references
from s2sad.checked import Claims
from s2sad.ir.nodes import LITERALS, Function, Value
from s2sad.ir.walk import blocks_of


def claims_of(function: Function, identifiers: Mapping[Value, str]) -> Claims:
    """The claims of a function whose values have been given names."""
    aliases = Aliases(function)
    numbers: dict[Node, int] = {}
    classes: dict[str, set[int]] = {}
    held: dict[str, set[int]] = {}
    for value in _values(function):
        if value in identifiers and holds_references(value) and not isinstance(value, LITERALS):
            node = aliases.node(value)
            classes.setdefault(identifiers[value], set()).add(numbers.setdefault(node, len(numbers)))
            inner = held.setdefault(identifiers[value], set())
            # what a container holds, which may be of its own class: nothing more is known of a recursion's tape
            held_nodes = {other for item in node.fields.values() for other in aliases.reach(item.find())}
            inner |= {numbers.setdefault(other, len(numbers)) for other in held_nodes}
    written = frozenset(numbers[node] for node in aliases.written if node in numbers)
    return Claims(_frozen(classes), _frozen(held), written)


def _frozen(table: dict[str, set[int]]) -> dict[str, frozenset[int]]:
    return {name: frozenset(found) for name, found in table.items()}


def _values(function: Function) -> Iterator[Value]:
    yield from function.values
    for block in blocks_of(function.body):
        yield from block.params
        for op in block.ops:
            yield from op.results
