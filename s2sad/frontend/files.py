"""The meaning of a global name of a file. The file is read, and never executed.

A name counts only if its file leaves no doubt: a single statement of the top level binds it, and nothing that the text shows
may bind it again or change what it stands for (``bindings``). Libraries are looked into through ``libraries`` alone.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import copy
import importlib.util
import keyword
import logging
import os
import re
import types
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import gast

from s2sad.errors import SourceError
from s2sad.frontend import libraries
from s2sad.frontend.bindings import Binding, names_of
from s2sad.frontend.constants import NO_LITERAL, kind_of_array, literal, number
from s2sad.frontend.entities import Entity, SourceFunction, Static, Unexecuted
from s2sad.frontend.observe import TYPES, VALUES
from s2sad.frontend.resolve import entity_of
from s2sad.frontend.source import Source, comments_in
from s2sad.ir.depth import with_room
from s2sad.ir.kinds import UNKNOWN, Kind, kind_of
from s2sad.ir.nodes import Global

MAX_BYTES = 8_000_000
RECOMPUTED = "s2sad.checkpoint"
KEEPERS = ("functools.lru_cache", "functools.cache")
# Decorators after which a function is what its definition says, by the names under which they are imported.
TRANSPARENT = {
    "s2sad.differentiate", RECOMPUTED, *KEEPERS, "functools.wraps", "numba.njit", "numba.jit", "numba.extending.register_jitable",
}  # fmt: skip


@dataclass
class Program:
    """The files of one program, each read once, and the names under which a derivative module imports what they compute."""

    scopes: dict[Path, StaticScope] = field(default_factory=dict)
    homes: dict[str, tuple[str, str]] = field(default_factory=dict)  # name in the derivative module: module, name there

    @with_room
    def scope(self, path: Path) -> StaticScope:
        """The names of a file."""
        place = Path(os.path.abspath(path))
        if place not in self.scopes:
            self.scopes[place] = StaticScope(str(path), program=self)
        return self.scopes[place]

    def name_for(self, module: str, name: str) -> str:
        """A name that stands for ``module.name`` alone, in the derivative module: usually its own."""
        base = name if not hasattr(builtins, name) else f"{name}_"
        candidate, count = base, 1
        while self.homes.setdefault(candidate, (module, name)) != (module, name):
            count += 1
            candidate = f"{base}_{count}"
        return candidate


class StaticScope:
    """The imports and definitions of a file, which is read and never executed. Raises SourceError where it cannot be read."""

    def __init__(self, file: str, text: str | None = None, program: Program | None = None) -> None:
        self.file = file
        self.path = Path(os.path.abspath(file))
        self.program = Program({self.path: self}) if program is None else program
        self.text = read(Path(file)) if text is None else text
        self.lines = dict(enumerate(self.text.split("\n"), 1))  # as Python's tokenizer does; splitlines knows other ends
        self.tree = parsed(self.text, file)
        self.names = names_of(self.tree)
        self.found: dict[str, Entity | SourceError | None] = {}  # a name stands for the same object wherever it is read
        self.pending: set[str] = set()

    def resolve(self, name: str) -> Entity | None:
        """The entity behind a name; None if it is not defined. Raises SourceError where the text leaves a doubt."""
        for one in reversed(self._chain(name)):
            if one in self.pending:
                self._refuse(one, "its imports go round in a circle")
            self.pending.add(one)
            try:
                self.found[one] = self._entity(one)
            except SourceError as error:
                self.found[one] = copy.copy(error)  # each place where it is raised has its own line
            finally:
                self.pending.discard(one)
        found = self.found[name]
        if isinstance(found, SourceError):
            raise copy.copy(found)
        return found

    def _chain(self, name: str) -> list[str]:
        """A name, and the names of which it is another name, one by one, up to what is known: there may be thousands."""
        chain: dict[str, None] = {}
        while name not in self.found and name not in chain:
            chain[name] = None
            bound = self.names.bound.get(name, ())
            value = getattr(bound[0].statement, "value", None) if len(bound) == 1 else None
            if not isinstance(value, ast.Name):
                break
            name = value.id
        return list(chain)

    def member(self, owner: Any, name: str) -> Any:
        """The public attribute of an object of a library. Raises AttributeError for all others."""
        if owner is LOGGER and not isinstance(getattr(LOGGER, name, None), types.MethodType):
            raise AttributeError(f"what {name} of a logger is, is known only as the program runs")
        return libraries.member(owner, name)

    def functions(self) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        """The functions that the file binds, in order, also those under conditions and async ones, which ``checked`` refuses."""
        return [*_functions_of(self.tree.body)]

    def source(self, node: ast.FunctionDef) -> Source:
        """The source of one of the file's functions, without its decorators."""
        bare = gast.ast_to_gast(ast.Module([node], [])).body[0]
        bare.decorator_list = []
        last = node.end_lineno or node.lineno
        text = "\n".join(self.lines[k] for k in range(node.lineno, last + 1)) + "\n"
        return Source(bare, self.file, node.name, self.lines, comments_in(text, node.lineno), ast.get_docstring(node) or "", text)

    def check(self) -> None:
        """Raise SourceError if no name of the file can be trusted."""
        if self.names.obstacle:
            raise SourceError(
                f"what the names of {self.file} stand for is not known", why=f"{self.names.obstacle}; the file is not executed",
                instead="what is to be differentiated in a file of its own",
            )  # fmt: skip

    def checked(self, name: str) -> Binding | None:
        """The one statement that binds a name; None if none does. Raises SourceError where there is a doubt."""
        self.check()
        found = self.names.bound.get(name)
        if not found:
            return None
        last = found[-1]
        if len(found) > 1 and not _same_package(found, name):
            others = "".join(f"; on line {b.line} it is {b.obstacle}" for b in found if b.obstacle)
            self._refuse(name, f"it is bound more than once, on lines {', '.join(map(str, _lines(found)))}{others}")
        if last.obstacle:
            known = "import the file, and have the module written: differentiate(f).write('adjoint', path); or tuples and dicts"
            instead = known if isinstance(last.statement, ast.ClassDef) else ""
            self._refuse(name, f"on line {last.line} it is {last.obstacle}", instead)
        if name in self.names.written:
            self._refuse(name, f"on line {self.names.written[name]} something is stored into it, or it gets a derivative rule")
        return last

    @cached_property
    def module(self) -> str | None:
        """The name under which the file can be imported; None if it cannot."""
        parts = [] if self.path.stem == "__init__" else [self.path.stem]
        folder = self.path.parent
        while (folder / "__init__.py").is_file():
            parts.insert(0, folder.name)
            folder = folder.parent
        return ".".join(parts) if parts and all(map(is_name, parts)) else None

    @cached_property
    def root(self) -> Path:
        """The folder from which the file's absolute imports start: around the packages that it is in."""
        folder = self.path.parent
        while (folder / "__init__.py").is_file() and folder != folder.parent:
            folder = folder.parent
        return folder

    def imported_path(self, node: ast.expr) -> str:
        """The dotted name of what an expression names by way of an import; empty where it does not."""
        if isinstance(node, ast.Attribute):
            owner = self.imported_path(node.value)
            return f"{owner}.{node.attr}" if owner else ""
        binding = self.checked(node.id) if isinstance(node, ast.Name) else None
        statement = binding.statement if binding is not None else None
        if not isinstance(node, ast.Name) or not isinstance(statement, ast.Import | ast.ImportFrom):
            return ""
        item = next(i for i in statement.names if (i.asname or i.name.partition(".")[0]) == node.id)
        if isinstance(statement, ast.Import):
            path = item.name if item.asname else node.id
        else:
            path = f"{statement.module}.{item.name}" if not statement.level else ""
        return "" if self._near(path.partition(".")[0]) else path

    # --- what a name stands for

    def _entity(self, name: str) -> Entity | None:
        binding = self.checked(name)
        if binding is None:
            known = not name.startswith("_") and hasattr(builtins, name)
            return Static(getattr(builtins, name), f"builtins.{name}") if known else None
        statement = binding.statement
        if isinstance(statement, ast.Import):
            item = next(i for i in reversed(statement.names) if (i.asname or i.name.partition(".")[0]) == name)
            return self._module(name, item.name if item.asname else name)
        if isinstance(statement, ast.ImportFrom):
            item = next(i for i in statement.names if (i.asname or i.name) == name)
            return self._member(name, statement.module or "", item.name, statement.level)
        if isinstance(statement, ast.FunctionDef):
            makers = self.check_decorators(statement)
            return SourceFunction(self.source(statement), self, RECOMPUTED in makers, self._kept(statement, makers))
        assert isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None
        return self._constant(name, statement.value)

    def _kept(self, node: ast.FunctionDef, makers: list[str]) -> str:
        """By what caches keep a function's results; empty where none does."""
        keepers = [d for d, maker in zip(node.decorator_list, makers, strict=True) if maker in KEEPERS]
        return (TYPES if all(map(_is_typed, keepers)) else VALUES) if keepers else ""

    def check_decorators(self, node: ast.FunctionDef) -> list[str]:
        """The decorators of a function. Raises SourceError if one may make something else of it."""
        makers: list[str] = []
        for decorator in node.decorator_list:
            maker = decorator.func if isinstance(decorator, ast.Call) else decorator
            makers.append(self.imported_path(maker))
            if makers[-1] not in TRANSPARENT:
                self._refuse(node.name, f"what the decorator on line {decorator.lineno} makes of it is not known")
        return makers

    def _module(self, name: str, path: str) -> Entity:
        near = self._near(path.partition(".")[0])
        if near is None:
            return self._library(name, path)
        target = self._near(path)
        if "." in path or target is None:
            self._refuse(name, f"{path} is one of several modules of a package", f"from {path} import what is needed")
        return Unexecuted(self.program.scope(target))

    def _member(self, bound: str, module: str, name: str, level: int) -> Entity | None:
        if not level and self._near(module.partition(".")[0]) is None:
            owner = self._library(bound, module)
            try:
                return entity_of(self.member(owner.payload, name), f"{module}.{name}")
            except AttributeError as error:
                self._refuse(bound, str(error))
        near = self._near(module, level)
        below = self._near(f"{module}.{name}" if module else name, level)
        if near is not None:
            other = self.program.scope(near)
            if other.checked(name) is not None:
                if below is not None and near.name == "__init__.py":
                    self._refuse(bound, f"it is a name of {near} and the module {below}, whichever was bound last")
                return other.resolve(name)
        if below is not None and (near is None or near.name == "__init__.py"):
            return Unexecuted(self.program.scope(below))
        self._refuse(bound, f"{'.' * level}{module} has no {name}")

    def _library(self, name: str, path: str) -> Static:
        try:
            found = libraries.module(path)
        except ImportError as error:
            self._refuse(name, str(error), "an installed library")
        if found is None:
            self._refuse(name, f"{path} is neither a library that is known nor a file beside this one")
        return Static(found, path)

    def _near(self, module: str, level: int = 0) -> Path | None:
        """The file of a module of the user's; a library that such a file hides is a doubt."""
        base = self.root if not level else self.path.parent
        for _ in range(level - 1):
            base = base.parent
        parts = module.split(".") if module else []
        places = [base.joinpath(*parts, "__init__.py"), *([base.joinpath(*parts[:-1], f"{parts[-1]}.py")] if parts else [])]
        found = next((place for place in places if place.is_file()), None)
        if found is None or level or parts[0] not in libraries.roots():
            return found
        spec = importlib.util.find_spec(parts[0])
        if spec is not None and spec.origin is not None and base.joinpath(parts[0]) in (
            Path(spec.origin).parent, Path(spec.origin).with_suffix("")
        ):  # fmt: skip
            return None  # the file is one of the library's own
        self._refuse(parts[0], f"the library of this name is hidden by {found}", "another name for that file")

    def _constant(self, name: str, node: ast.expr) -> Entity:
        """A literal, another name of something, or what the user's module has computed when the derivative module imports it."""
        value = literal(node)
        if value is not NO_LITERAL:
            return entity_of(value, name)
        with contextlib.suppress(SourceError, AttributeError):  # its value may be known all the same when its module is imported
            alias = self.named(node)
            if isinstance(alias, Static | SourceFunction | Unexecuted):
                return alias
        if self.module is None or not is_name(name):
            why = "its value is computed, and its file cannot be imported by name"
            self._refuse(name, why, "a name for the file that is an identifier")
        path = self.program.name_for(self.module, name)
        if isinstance(node, ast.Call) and self.imported_path(node.func) == "logging.getLogger":
            return Static(LOGGER, path)
        found = number(node, self._alone)
        return Global(path, self._kind_of_array(node) if found is NO_LITERAL else kind_of(found))

    def _kind_of_array(self, node: ast.expr) -> Kind:
        return UNKNOWN if self.resizes else kind_of_array(node, self._alone)

    @cached_property
    def resizes(self) -> bool:
        """Possibility that an array gets another number of axes where it is: ``K.resize(2, 3)``. Stores (``K.shape = ...``) are
        refused."""
        owners = (n.value for n in ast.walk(self.tree) if isinstance(n, ast.Attribute) and n.attr == "resize")
        return any(not self._is_imported(owner) for owner in owners)

    def _is_imported(self, node: ast.expr) -> bool:
        found = self.names.bound.get(node.id, []) if isinstance(node, ast.Name) else []
        return bool(found) and all(isinstance(binding.statement, ast.Import | ast.ImportFrom) for binding in found)

    def _alone(self, node: ast.expr) -> Entity | None:
        """The entity of a name, or of an attribute of a module; None where the text leaves a doubt."""
        with contextlib.suppress(SourceError, AttributeError):
            return self.named(node)
        return None

    def named(self, node: ast.expr) -> Entity | None:
        """The entity that a name, or an attribute of a module, stands for at the top level; None for other expressions.

        Raises SourceError where the text leaves a doubt, AttributeError for what a library does not have.
        """
        if isinstance(node, ast.Name):
            binding = self.checked(node.id)
            statement = None if binding is None else binding.statement
            if statement is not None and (statement.lineno, statement.col_offset) > (node.lineno, node.col_offset):
                self._refuse(node.id, f"on line {node.lineno} it is not bound yet")  # and may be a built-in there
            return self.resolve(node.id)
        owner = self.named(node.value) if isinstance(node, ast.Attribute) else None
        if not isinstance(node, ast.Attribute) or owner is None:
            return None
        if isinstance(owner, Unexecuted):
            found: Entity | None = owner.scope.resolve(node.attr)
            return found
        if isinstance(owner, Static) and isinstance(owner.payload, types.ModuleType):
            return entity_of(self.member(owner.payload, node.attr), f"{owner.path}.{node.attr}")
        return None

    def _refuse(self, name: str, why: str, instead: str = "") -> NoReturn:
        raise SourceError(
            f"what the name {name!r} stands for in {self.file} is not known",
            why=f"{why}; the file is not executed",
            instead=instead or f"bind {name} once, by a plain statement at the top level, or pass it as an argument",
        )


LOGGER = logging.Logger("")  # stands for what logging.getLogger gives to the user's module


def read(path: Path) -> str:
    """The text of a Python file, decoded as Python does: its cookie or byte order mark, and all line ends."""
    try:
        if not path.is_file():
            raise SourceError(f"{path} is no file")
        if path.stat().st_size > MAX_BYTES:
            raise SourceError(f"{path} is too long", why=f"files of more than {MAX_BYTES:,} bytes are not read")
        data = path.read_bytes()
        return re.sub("\r\n?", "\n", importlib.util.decode_source(data))
    except (OSError, SyntaxError, LookupError, ValueError) as error:
        raise SourceError(f"{path} cannot be read: {error}") from error


def _functions_of(statements: Iterable[ast.AST]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions that statements define for the names of the file: what functions and classes define is their own."""
    for statement in statements:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            yield statement
        elif isinstance(statement, ast.stmt | ast.ExceptHandler | ast.match_case) and not isinstance(statement, ast.ClassDef):
            yield from _functions_of(ast.iter_child_nodes(statement))


def parsed(text: str, file: str) -> ast.Module:
    """The syntax tree of a text. Raises SourceError where it is no Python."""
    try:
        return ast.parse(text)
    except SyntaxError as error:
        line = "" if error.lineno is None else f":{error.lineno}"
        raise SourceError(f"{file}{line} cannot be parsed: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise SourceError(f"{file} cannot be parsed: {error or 'it is nested too deeply'}") from error


def is_name(part: str) -> bool:
    """Test for a text that an import statement can spell, and that means just itself."""
    return part.isidentifier() and not keyword.iskeyword(part) and unicodedata.normalize("NFKC", part) == part


def _same_package(found: list[Binding], name: str) -> bool:
    """``import a.b`` and ``import a.c`` bind one name to one thing."""
    statements = [binding.statement for binding in found if not binding.obstacle]
    imports = [s for s in statements if isinstance(s, ast.Import)]
    if len(imports) != len(found):
        return False
    return all(i.asname is None for s in imports for i in s.names if (i.asname or i.name.partition(".")[0]) == name)


def _lines(found: list[Binding]) -> list[int]:
    return sorted({binding.line for binding in found})


def _is_typed(decorator: ast.expr) -> bool:
    """Test for ``lru_cache(typed=True)``, in these words."""
    said = decorator.keywords if isinstance(decorator, ast.Call) else []
    return any(item.arg == "typed" and isinstance(item.value, ast.Constant) and item.value.value is True for item in said)
