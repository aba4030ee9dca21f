"""The imports of the package, read from its sources: what imports what, and where in the file."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).resolve().parent.parent / "s2sad"


class Import(NamedTuple):
    """An import: ``importer`` and ``imported`` are modules; ``late`` where it stands inside a function."""

    importer: str
    imported: str
    late: bool


def modules(package: Path = PACKAGE) -> dict[str, Path]:
    """The modules of the package by their dotted names."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = [package.name, *path.relative_to(package).with_suffix("").parts]
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(package: Path = PACKAGE) -> list[Import]:
    """All imports of the package; those for type checkers alone (``if TYPE_CHECKING:``) do not count."""
    files = modules(package)
    return [
        Import(name, _module_named(target, files), late)
        for name, path in files.items()
        for target, late in _targets(name, path)
    ]


def layer(module: str) -> str:
    """The layer of a module of ours: the folder or the file right below the package; of a library, the corner of its room."""
    parts = [*module.split("."), "", "", ""]
    return f"libraries/{parts[3]}".rstrip("/") if parts[1] == "libraries" else parts[1]


def cycles(edges: list[Import]) -> list[list[str]]:
    """The groups of modules that import each other, in a circle (Tarjan's strongly connected components)."""
    graph: dict[str, set[str]] = {}
    for edge in edges:
        graph.setdefault(edge.importer, set()).add(edge.imported)
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in order:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], order[other])
        if low[node] == order[node]:
            members = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(members) > 1 or node in graph.get(node, ()):
                found.append(sorted(members))

    for node in sorted(graph):
        if node not in order:
            visit(node)
    return sorted(found)


def _module_named(target: str, files: dict[str, Path]) -> str:
    """``s2sad.ir.nodes.Call`` names the module ``s2sad.ir.nodes``; what is not ours stays as it is."""
    shortened = target
    while shortened not in files and "." in shortened:
        shortened = shortened.rpartition(".")[0]
    return shortened if shortened in files else target


def _targets(name: str, path: Path) -> Iterator[tuple[str, bool]]:
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    todo: list[tuple[ast.AST, bool]] = [(ast.parse(path.read_text(encoding="utf-8")), False)]
    while todo:
        node, late = todo.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            todo += [(child, late) for child in node.orelse]
        elif isinstance(node, ast.Import):
            yield from ((alias.name, late) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((f"{base}.{alias.name}", late) for alias in node.names)
        else:
            inside = late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            todo += [(child, inside) for child in ast.iter_child_nodes(node)]
