"""The fence: constructs that are refused, each with the reason and what to write instead."""

from __future__ import annotations

from typing import NoReturn

from s2sad.errors import UnsupportedSyntaxError
from s2sad.frontend.source import Source

# gast node name: (what, why, instead)
REFUSED: dict[str, tuple[str, str, str]] = {
    "AsyncFor": ("async for", "the reverse sweep cannot await again what has passed", "a plain for loop"),
    "AsyncWith": (
        "async with",
        "the reverse sweep cannot await again what has passed",
        "a plain with statement",
    ),
    "AsyncFunctionDef": (
        "async def",
        "the reverse sweep cannot await again what has passed",
        "a plain function",
    ),
    "Await": (
        "await",
        "the reverse sweep cannot await again what has passed",
        "compute the value before the call",
    ),
    "Yield": ("yield", "a generator's suspended state cannot be reversed", "build a list and return it"),
    "YieldFrom": (
        "yield from",
        "a generator's suspended state cannot be reversed",
        "build a list and return it",
    ),
    "ClassDef": (
        "a class inside a function",
        "its methods cannot be resolved",
        "define the class at module level",
    ),
    "Nonlocal": (
        "nonlocal",
        "the enclosing function's variable changes behind the call",
        "return the new value",
    ),
    "Global": ("global", "a derivative call may not change module state", "pass the value in and return it"),
    "Try": (
        "try",
        "which statements ran cannot be told when sweeping back",
        "test the condition with if beforehand",
    ),
    "TryStar": (
        "try ... except*",
        "which statements ran cannot be told when sweeping back",
        "test the condition with if",
    ),
    "Match": ("this match statement", "its patterns are not plain tests", "if and elif"),
    "Import": (
        "import inside a function",
        "names are resolved before the function runs",
        "import at module level",
    ),
    "ImportFrom": (
        "import inside a function",
        "names are resolved before the function runs",
        "import at module level",
    ),
    "Set": ("a set", "sets have no order to sweep back through", "a list or a tuple"),
    "SetComp": ("a set comprehension", "sets have no order to sweep back through", "a list comprehension"),
    "With": (
        "with",
        "the context would have to be entered again in the reverse sweep",
        "call the body without it",
    ),
    "Delete": ("del of an item", "removed items cannot be restored", "keep the item and ignore it"),
}


def refuse(source: Source, node: object, what: str = "", why: str = "", instead: str = "") -> NoReturn:
    """Raise ``UnsupportedSyntaxError`` at a node, with the table's text where none is given."""
    name = type(node).__name__
    known = REFUSED.get(name, (f"{name}", "this construct is not supported yet", "simpler statements"))
    raise UnsupportedSyntaxError(
        f"{what or known[0]} is not supported in a differentiated function",
        location=source.location(node),
        node=node,
        why=why or known[1],
        instead=instead or known[2],
    )
