"""Signatures: a function's effects on memory, in one line like those of primitives (``rules.effects``), as callers rely upon.

    def step(s, x):
        s.u += x                ==>    step(s, x) -> (same(s), view(s.u)?, fresh); writes s.u
        return s, s.u[1:], x * 2.0

It is read off the facts that aliasing keeps of each function (``analysis.alias.facts``), and says no more than they do: what
is called a window may be a copy after all, what is called ``fresh`` shares nothing with what the function was given.
"""

from __future__ import annotations

from s2sad.analysis.alias import Aliases, Node, facts
from s2sad.analysis.containers import ITEM
from s2sad.analysis.views import holds_references
from s2sad.ir.kinds import StructKind
from s2sad.ir.nodes import LITERALS, Function, Global, Value


def signature(function: Function) -> str:
    """The line of a function: for each value that it returns what that may share memory with, and what it writes."""
    aliases = facts(function)
    places = _places(function, aliases)
    results: list[str] = []
    returned: dict[Node, int] = {}
    for k, value in enumerate(function.body.yields):
        origins = aliases.origins(value) or [value]
        results.append(" or ".join(dict.fromkeys(_result(v, function, aliases, places, returned) for v in origins)))
        for v in origins:
            if holds_references(v) and not isinstance(v, LITERALS):
                returned.setdefault(aliases.node(v), k)
    text = results[0] if len(results) == 1 else f"({', '.join(results)})" if results else "none"
    written = [place for node, found in places.items() if node in aliases.written for place in found]
    writes = f"; writes {', '.join(written)}" if written else ""
    return f"{function.name}({', '.join(p.name for p in function.params)}) -> {text}{writes}"


def _places(function: Function, aliases: Aliases) -> dict[Node, list[str]]:
    """The places of each class among the parameters, and in what they hold: ``s``, ``s.u``, ``xs[*]``."""
    found: dict[Node, list[str]] = {}
    queue = [(aliases.node(p.value), p.name, p.value.kind) for p in function.params if holds_references(p.value)]
    for node, place, kind in queue:  # which grows
        known = node in found
        found.setdefault(node, []).append(place)
        for key, inner in node.fields.items() if not known else ():
            attribute = isinstance(kind, StructKind) and kind.cls is not None
            name = f"{place}.{key}" if attribute else f"{place}[{'*' if key == ITEM else repr(key)}]"
            held = dict(zip(kind.keys, kind.inner, strict=False)).get(key)
            queue.append((inner.find(), name, held or kind))
    return found


def _result(value: Value, function: Function, aliases: Aliases, places: dict[Node, list[str]], returned: dict[Node, int]) -> str:
    """The memory that one returned value may be."""
    if isinstance(value, Global):
        return "unknown"
    if not holds_references(value) or isinstance(value, LITERALS):
        return "fresh"
    if value in function.values:
        return f"same({value.name})"
    node = aliases.node(value)
    if node in places:
        return f"view({', '.join(places[node])})?"
    held = [place for inner in aliases.reach(node) if inner in places for place in places[inner]]
    if held:
        return f"holds({', '.join(sorted(held))})"
    return f"view(result {returned[node]})?" if node in returned else "fresh"
