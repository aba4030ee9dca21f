"""Names of a function that stand for lists (or sets) which are changed in place.

stack = [(0, x)]                 # becomes a list that exists when the program runs,
while stack:
    depth, value = stack.pop()   # since this takes an item off it

for name, w in [("a", x)]:       # is unrolled: nobody changes it
"""

from __future__ import annotations

import functools

import gast

from s2sad.frontend.normal.syntax import walk

METHODS = {"append", "appendleft", "clear", "extend", "extendleft", "insert", "pop", "popleft", "remove", "reverse",
           "rotate", "sort"}  # fmt: skip
FUNCTIONS = {
    "heappush",
    "heappop",
    "heapify",
    "heapreplace",
    "heappushpop",
    "insort",
    "insort_left",
    "insort_right",
}


@functools.cache
def written_names(definition: gast.FunctionDef) -> frozenset[str]:
    """The names in a definition, those of nested functions included, whose lists (or lists in them) are changed."""
    found: set[str | None] = set()
    for node in walk(definition):
        if isinstance(node, gast.Subscript) and isinstance(node.ctx, gast.Store | gast.Del):
            found.add(_root(node.value))
        elif isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Subscript):
            found.add(_root(node.target.value))
        elif isinstance(node, gast.AugAssign):
            found.add(_root(node.target))
        elif isinstance(node, gast.Call):
            found.add(_changed_by(node))
    return frozenset(name for name in found if name is not None)


def _changed_by(call: gast.Call) -> str | None:
    """The name of the list that a call changes."""
    function = call.func
    name = function.attr if isinstance(function, gast.Attribute) else getattr(function, "id", "")
    if name in FUNCTIONS and call.args:
        return _root(call.args[0])
    return _root(function.value) if isinstance(function, gast.Attribute) and name in METHODS else None


def _root(node: gast.expr) -> str | None:
    """The name at the root of ``table[i][j]``."""
    while isinstance(node, gast.Subscript):
        node = node.value
    return node.id if isinstance(node, gast.Name) else None


SET_METHODS = {"add", "discard"}
SHARED_METHODS = {"remove", "update", "pop", "clear"}  # which lists or dicts have, too


@functools.cache
def changes_sets(definition: gast.FunctionDef) -> bool:
    """Possibility that a definition changes a set that is written down in it, under whichever name."""
    nodes = list(walk(definition))
    shown = {target.id for node in nodes if isinstance(node, gast.Assign) and isinstance(node.value, gast.Set | gast.SetComp)
             for target in node.targets if isinstance(target, gast.Name)}  # fmt: skip
    calls = [node.func for node in nodes if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute)]
    return any(f.attr in SET_METHODS or f.attr in SHARED_METHODS and _root(f.value) in shown for f in calls)
