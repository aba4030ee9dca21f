"""The helpers of ``s2sad.runtime`` and those of libraries as source text, for modules that are to run without it.

    from s2sad.runtime import sign      ==>     def sign(x):
                                                    if isinstance(x, np.ndarray | np.generic): ...

A helper comes with whatever it calls in turn and with the imports that it needs. Its type annotations stay
behind; its comments come along, since the text is cut from the file, not printed from a tree.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from dataclasses import dataclass, field
from functools import lru_cache

from s2sad.errors import CompilerError
from s2sad.rules.rooms import helper_packages

Definition = ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign
Edit = tuple[int, int, str]  # what to put in place of the text between two offsets


def helper_source(
    helpers: dict[str, dict[str, str]], modules: dict[str, str], taken: set[str]
) -> tuple[list[str], str]:
    """The import statements that helpers need, and their source.

    ``helpers`` maps the names in each of our packages to those that the generated module calls, ``modules``
    the modules that it imports to their names; ``taken`` are further names of its own, which nothing that
    comes along may hide.
    """
    collection = _Collection(helpers, modules, taken)
    for package, names in helpers.items():
        for helper in names:
            collection.need(package, helper)
    return collection.imports(), collection.text()


@dataclass
class _File:
    """A module of the runtime: its text, and what its names stand for."""

    text: str
    definitions: dict[str, Definition] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(
        default_factory=dict
    )  # module, and the item in it ("" for itself)

    def offset(self, line: int, column: int) -> int:
        """The offset of a place in the text, whose columns count bytes."""
        lines = self.text.splitlines(keepends=True)
        return sum(map(len, lines[: line - 1])) + len(lines[line - 1].encode()[:column].decode())


@lru_cache(maxsize=32)
def _read(module: str) -> _File:
    found = _File(inspect.getsource(importlib.import_module(module)))
    for node in ast.parse(found.text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.definitions[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    found.definitions[target.id] = node
        elif isinstance(node, ast.Import):
            found.imports.update((item.asname or item.name, (item.name, "")) for item in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
            found.imports.update(
                (item.asname or item.name, (node.module or "", item.name)) for item in node.names
            )
    return found


class _Collection:
    """The definitions that are needed, by module, with the names that they get."""

    def __init__(self, helpers: dict[str, dict[str, str]], modules: dict[str, str], taken: set[str]) -> None:
        self.wanted = {
            self.home(package, helper): name
            for package, names in helpers.items()
            for helper, name in names.items()
        }
        self.wanted |= {(module, ""): name for module, name in modules.items()}
        self.used = {*taken, *self.wanted.values()}
        self.names: dict[tuple[str, str], str] = {}
        self.order: list[str] = []

    def home(self, module: str, name: str) -> tuple[str, str]:
        """Where a name that the runtime's own modules pass on is defined."""
        found = _read(module)
        if name in found.definitions:
            return module, name
        if name not in found.imports:
            raise CompilerError(f"{module} defines no {name}")
        source, item = found.imports[name]
        return self.home(source, item) if source.startswith(helper_packages()) else (source, item)

    def need(self, module: str, name: str) -> None:
        """Take a definition along, after what it mentions."""
        key = self.home(module, name)
        if key in self.names:
            return
        source, item = key
        self.names[key] = self.wanted.get(key) or self.free_name(name)
        if not source.startswith(helper_packages()):
            return
        for mentioned in self.mentioned(source, _read(source).definitions[item]):
            self.need(source, mentioned)
        if source not in self.order:
            self.order.append(source)

    def free_name(self, name: str) -> str:
        """The name itself, or with a number where the module means something else by it."""
        found, count = name, 0
        while found in self.used:
            count += 1
            found = f"{name}_{count}"
        self.used.add(found)
        return found

    def mentioned(self, module: str, node: Definition) -> list[str]:
        """The names of its module that a definition mentions, apart from its annotations."""
        here = _read(module)
        names = {n.id for n in _evaluated(node) if isinstance(n, ast.Name)}
        return sorted(name for name in names if name in here.definitions or name in here.imports)

    def imports(self) -> list[str]:
        """The import statements."""
        lines = []
        for (source, item), name in self.names.items():
            if source.startswith(helper_packages()):
                continue
            head = f"from {source} import {item}" if item else f"import {source}"
            lines.append(head if name == (item or source) else f"{head} as {name}")
        return sorted(lines)

    def text(self) -> str:
        """The definitions, those that others need first."""
        parts = []
        for module in self.order:
            own = {item: name for (source, item), name in self.names.items() if source == module}
            renamed = {
                n: self.names[k] for n in self.known(module) if (k := self.home(module, n)) in self.names
            }
            definitions = _read(module).definitions
            parts += [_cut(_read(module), node, renamed) for item, node in definitions.items() if item in own]
        return "\n\n\n".join(parts)

    def known(self, module: str) -> list[str]:
        """All names of a module."""
        return [*_read(module).definitions, *_read(module).imports]


def _evaluated(node: ast.AST) -> list[ast.AST]:
    """All nodes but those of annotations."""
    found = [node]
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    found += _evaluated(child)
    return found


def _cut(file: _File, node: Definition, renamed: dict[str, str]) -> str:
    """The text of a definition with its names changed and its annotations removed."""
    start, end = (
        file.offset(node.lineno, node.col_offset),
        file.offset(node.end_lineno or 0, node.end_col_offset or 0),
    )
    edits: list[Edit] = []
    for inner in _evaluated(node):
        if isinstance(inner, ast.Name) and renamed.get(inner.id, inner.id) != inner.id:
            at = file.offset(inner.lineno, inner.col_offset)
            if not file.text.startswith(inner.id, at):
                raise CompilerError(
                    f"the name {inner.id} in line {inner.lineno} of a helper is not where it should be"
                )
            edits.append((at, at + len(inner.id), renamed[inner.id]))
        elif isinstance(inner, ast.FunctionDef):
            edits += _bare_signature(file, inner)
    if isinstance(node, ast.FunctionDef | ast.ClassDef) and renamed.get(node.name, node.name) != node.name:
        at = file.text.index(node.name, start)
        edits.append((at, at + len(node.name), renamed[node.name]))
    text = file.text
    for begin, stop, new in sorted(edits, reverse=True):
        text = text[:begin] + new + text[stop:]
        end += len(new) - (stop - begin)
    return text[start:end]


def _bare_signature(file: _File, node: ast.FunctionDef) -> list[Edit]:
    """The edits that remove annotations from a signature."""
    a = node.args
    edits: list[Edit] = []
    for parameter in [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]:
        if parameter.annotation is not None:
            begin = file.offset(parameter.lineno, parameter.col_offset) + len(parameter.arg)
            stop = file.offset(parameter.annotation.end_lineno or 0, parameter.annotation.end_col_offset or 0)
            default = file.text.startswith(" = ", stop)
            edits.append((begin, stop + 3 * default, "=" * default))
    if node.returns is not None:
        stop = file.offset(node.returns.end_lineno or 0, node.returns.end_col_offset or 0)
        edits.append((file.text.rindex(" ->", 0, stop), stop, ""))
    return edits
