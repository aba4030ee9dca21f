"""What a global name stands for: one interface, for live functions and for files that are never executed."""

from __future__ import annotations

import ast
import builtins
import importlib
import re
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import gast

from s2sad.errors import SourceError
from s2sad.frontend.entities import Aggregate, Entity, Known, Static
from s2sad.frontend.source import Source, make_source
from s2sad.ir.kinds import UNKNOWN, kind_of
from s2sad.ir.nodes import Const, Global

# Libraries that the static resolver may import: never the user's own modules.
LIBRARIES = {"numpy", "math", "cmath", "scipy", "functools", "itertools", "operator", "builtins", "typing", "dataclasses",
             "collections", "s2sad", "abc", "__future__"}  # fmt: skip
LITERAL_TYPES = (bool, int, float, complex, str, type(None))


class Scope(Protocol):
    """Resolves the names that a function does not bind itself."""

    def resolve(self, name: str) -> Entity | None:
        """The entity behind a name; None if it is not defined."""


def entity_of(value: Any, path: str) -> Entity:
    """A live object as an entity: numbers and arrays become values, everything else is known at compile time."""
    import numpy as np

    if isinstance(value, LITERAL_TYPES) or value is ...:
        return Const(value) if not path else Global(path, kind_of(value), value, resolved=True)
    if is_tree(value):
        return Aggregate([entity_of(item, "") for item in value])
    if isinstance(value, np.ndarray | np.generic | list | tuple | dict):
        return Global(path, kind_of(value), value, resolved=True)
    return Known(value, path)


def default_name(function: types.FunctionType, parameter: str) -> str:
    """The name by which generated modules refer to a default that is no literal."""
    return re.sub(r"\W", "", f"{function.__name__}_{parameter}_default")


def is_tree(value: Any) -> bool:
    """Whether a value is a tuple of literals and tuples of those, with text in it: what it says decides what is done."""
    leaves = list(_leaves(value)) if type(value) is tuple else []
    return any(isinstance(v, str) for v in leaves) and all(isinstance(v, LITERAL_TYPES) for v in leaves)


def _leaves(value: Any) -> Iterator[Any]:
    if type(value) is tuple:
        for item in value:
            yield from _leaves(item)
    else:
        yield value


class LiveScope:
    """The closure, globals and builtins of a live function; remembers what it captured, so that changes are noticed."""

    def __init__(
        self, function: types.FunctionType, capture: Callable[[str, Any], None] | None = None
    ) -> None:
        self.function = function
        self.capture = capture
        self.cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))

    def resolve(self, name: str) -> Entity | None:
        if name in self.cells:
            try:
                value = self.cells[name].cell_contents
            except ValueError:
                return None
        elif name in self.function.__globals__:
            value = self.function.__globals__[name]
        elif hasattr(builtins, name):
            return Known(getattr(builtins, name), f"builtins.{name}")
        else:
            return None
        if self.capture is not None and not isinstance(value, types.ModuleType):
            self.capture(name, value)
        path = getattr(value, "__name__", name) if isinstance(value, types.ModuleType) else name
        return entity_of(value, path)


class StaticScope:
    """The imports and definitions of a file, which is read and never executed."""

    def __init__(self, file: str, text: str | None = None) -> None:
        self.file = file
        self.text = Path(file).read_text(encoding="utf-8") if text is None else text
        try:
            self.tree = ast.parse(self.text)
        except SyntaxError as error:
            raise SourceError(f"{file}:{error.lineno} cannot be parsed: {error.msg}") from error
        self.names: dict[str, Callable[[], Entity | None]] = {}
        self.found: dict[str, Entity | None] = {}  # a name stands for the same object wherever it is read
        for statement in self.tree.body:
            self._enter(statement)

    def _enter(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Import):
            for item in statement.names:
                bound = item.asname or item.name.partition(".")[0]
                target = item.name if item.asname else bound
                self.names[bound] = lambda target=target: self._module(target)  # type: ignore[misc]
        elif isinstance(statement, ast.ImportFrom):
            for item in statement.names:
                bound, name, module = item.asname or item.name, item.name, statement.module or ""
                level = statement.level
                self.names[bound] = lambda m=module, n=name, k=level: self._member(m, n, k)  # type: ignore[misc]
        elif isinstance(statement, ast.FunctionDef):
            self.names[statement.name] = lambda node=statement: Static(self.source(node), self)  # type: ignore[misc]
        elif isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for place in targets:
                if isinstance(place, ast.Name):
                    self.names[place.id] = lambda v=statement.value, n=place.id: self._constant(n, v)  # type: ignore[misc]

    def resolve(self, name: str) -> Entity | None:
        if name in self.names:
            if name not in self.found:
                self.found[name] = self.names[name]()
            return self.found[name]
        return Known(getattr(builtins, name), f"builtins.{name}") if hasattr(builtins, name) else None

    def functions(self) -> list[ast.FunctionDef]:
        """The functions defined at the top level of the file, in order."""
        return [s for s in self.tree.body if isinstance(s, ast.FunctionDef)]

    def source(self, node: ast.FunctionDef) -> Source:
        """The source of one of the file's functions."""
        text = "\n".join(self.text.splitlines()[node.lineno - 1 : node.end_lineno]) + "\n"
        bare = gast.parse(text).body[0]
        bare.decorator_list = []
        return make_source(bare, self.file, text, node.lineno)

    def _module(self, path: str) -> Entity | None:
        if path.partition(".")[0] in LIBRARIES:
            return Known(importlib.import_module(path), path)
        near = self._file_of(path, 0)
        return (
            Static(_no_source(path, self.file), StaticScope(str(near)))
            if near
            else Known(_Unread(path), path)
        )

    def _member(self, module: str, name: str, level: int) -> Entity | None:
        if not level and module.partition(".")[0] in LIBRARIES:
            return entity_of(getattr(importlib.import_module(module), name), f"{module}.{name}")
        near = self._file_of(module, level)
        if near is not None:
            return StaticScope(str(near)).resolve(name)
        return Known(_Unread(f"{module}.{name}"), f"{module}.{name}")

    def _file_of(self, module: str, level: int) -> Path | None:
        base = Path(self.file).resolve().parent
        for _ in range(max(0, level - 1)):
            base = base.parent
        candidate = base.joinpath(*module.split(".")).with_suffix(".py") if module else base / "__init__.py"
        return candidate if candidate.is_file() else None

    def _constant(self, name: str, node: ast.expr) -> Entity | None:
        try:
            value = ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return Global(name, UNKNOWN)
        return Global(name, kind_of(value), value, resolved=True)


class _Unread:
    """Stands for an import that is neither a known library nor a file beside the transformed one."""

    def __init__(self, path: str) -> None:
        self.path = path


def _no_source(path: str, file: str) -> Source:
    node = gast.parse("def _(): pass").body[0]
    return Source(node, file, path)
