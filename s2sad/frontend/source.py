"""From a live function, or a file, to a syntax tree that knows where it stands."""

from __future__ import annotations
import __future__

import ast
import functools
import hashlib
import inspect
import io
import linecache
import operator
import os
import re
import sys
import textwrap
import tokenize
import types
import weakref
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gast

from s2sad.errors import Location, SourceError, UnsupportedSyntaxError
from s2sad.frontend.grammar import refusal
from s2sad.ir.code import code_of
from s2sad.ir.depth import with_room


@dataclass(eq=False)
class Source:
    """The definition of one function: its gast tree (line numbers as in ``file``), text lines and comments."""

    node: gast.FunctionDef
    file: str
    name: str
    lines: dict[int, str] = field(default_factory=dict)
    comments: dict[int, list[str]] = field(default_factory=dict)
    doc: str = ""
    text: str = ""

    def location(self, node: object) -> Location:
        """The place of a syntax node in the user's file."""
        line = getattr(node, "lineno", self.node.lineno)
        column = getattr(node, "col_offset", 0)
        return Location(self.file, line, column, self.lines.get(line, ""), self.name)


@with_room
def source_of(function: types.FunctionType) -> Source:
    """The source of a live function, lambdas and notebook cells included.

    Raises SourceError where there is none, and where it is not what the function runs (a file that was edited since).
    """
    code = function.__code__
    file = file_of(code)
    linecache.checkcache(file)
    text = linecache.cache.get(file)
    known = _sources.get(code)
    if known is None or text is None or known[0] != (function.__qualname__, file) or known[1] is not text:
        found = _checked(function, known[2] if known is not None else None)
        text = linecache.cache.get(file)
        known = _sources[code] = (function.__qualname__, file), text, found
    return known[2][1]


FROZEN = "<frozen "
_BEGINS = re.compile(r"\s*(def\s|async\s+def\s|@)|.*(?<!\w)lambda[:\s]")  # how a line begins, or holds, what Python compiled


def file_of(code: types.CodeType) -> str:
    """The file that a code object says it comes from; of a module that Python was built with, the file beside the library."""
    name = code.co_filename
    if not name.startswith(FROZEN):
        return name
    module = sys.modules.get(name.removeprefix(FROZEN).rstrip(">"))
    found = getattr(module, "__file__", None) if type(module) is types.ModuleType else None
    return found if isinstance(found, str) else name


def _lines_of(code: types.CodeType) -> tuple[str, list[str], int]:
    """The file, the lines and the first line of what was compiled to a code object."""
    file = file_of(code)
    if file != code.co_filename:
        first = code.co_firstlineno
        return file, inspect.getblock(linecache.getlines(file)[first - 1 :]), first
    if file.endswith(".py") and os.path.exists(file):
        text, first = linecache.getlines(file), code.co_firstlineno
        if first <= len(text) and _BEGINS.match(text[first - 1]):
            return file, inspect.getblock(text[first - 1 :]), first
    lines, first = inspect.getsourcelines(code)  # of the code itself: not of what it wraps; asks all modules where they stand
    return inspect.getsourcefile(code) or file, lines, first


def _checked(function: types.FunctionType, known: tuple[tuple[Any, ...], Source] | None) -> tuple[tuple[Any, ...], Source]:
    """Where a function stands, and its source, which is the known one as long as nothing of that changes."""
    code = function.__code__
    try:
        file, lines, first = _lines_of(code)
    except Exception as error:  # inspect asks all modules, also those with a __getattr__ that raises
        raise SourceError(
            f"the source of {function.__qualname__} cannot be found",
            why="s2sad transforms source text; functions made by exec(), by C code or in a plain '-c' command have none",
            instead="define the function in a file or a notebook cell, or give it a rule with s2sad.rule",
        ) from error
    place = (function.__qualname__, file, first, lines)
    if known is None or known[0] != place:
        known = place, _read(code, *place)
    if not compiles_to(code, file):
        raise SourceError(
            f"the source of {function.__qualname__} at {file}:{first} is not what the function runs",
            why="the file was edited after it was imported, or something rewrote the code on import",
            instead="import the module again (importlib.reload, or a new process)",
        )
    return known


# By a code object, equal ones of which may stand in several files: of which function and file, with the text that the file had.
Entry = tuple[tuple[str, str], Any, tuple[tuple[Any, ...], Source]]
_sources: weakref.WeakKeyDictionary[types.CodeType, Entry] = weakref.WeakKeyDictionary()


def _read(code: types.CodeType, name: str, file: str, first: int, lines: list[str]) -> Source:
    """The source at the place that a code object says that it comes from."""
    if code.co_name == "<lambda>":
        return _lambda_source(code, file, lines, first)
    text = textwrap.dedent("".join(lines))
    tree = _parse(text, file, first)
    node = next((n for n in tree.body if isinstance(n, gast.FunctionDef) and n.name == code.co_name), None)
    waiting = next((n for n in tree.body if isinstance(n, gast.AsyncFunctionDef)), None)
    if node is None and waiting is not None:
        known = refusal("AsyncFunctionDef")
        raise UnsupportedSyntaxError(
            f"{known.what} is not supported in a differentiated function", why=known.why, instead=known.instead,
            location=Location(file, first + waiting.lineno - 1, waiting.col_offset, lines[0].rstrip("\n"), waiting.name),
        )  # fmt: skip
    if node is None:
        raise SourceError(f"the source of {name} holds no plain function definition of that name")
    indent = len(lines[0]) - len(lines[0].lstrip())
    return make_source(node, file, text, first, indent)


# --- is it what the function runs?

FUTURE = functools.reduce(operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names))
OURS = Path(__file__).parents[1]
REWRITTEN = "@pytest_ar"  # the name by which rewritten assertions of pytest reach their helpers


def compiles_to(code: types.CodeType, file: str) -> bool:
    """Test for the text of a file, as it is now, that compiles to this code object, positions included."""
    if OURS in Path(file).parents:
        return True
    lines = linecache.getlines(file)
    known = _codes("".join(lines), file, code.co_flags & FUTURE, REWRITTEN in code.co_names)
    return code in known.get((code.co_name, code.co_firstlineno), ())


@functools.lru_cache(maxsize=64)
def _codes(text: str, file: str, flags: int, rewritten: bool) -> dict[tuple[str, int], list[types.CodeType]]:
    """The code objects of a text, by name and first line."""
    found: dict[tuple[str, int], list[types.CodeType]] = {}
    try:
        tree = ast.parse(text)
        if rewritten:
            _rewrite(tree, text, file)
        stack = [compile(tree, file, "exec", flags, dont_inherit=True)]
    except (SyntaxError, ValueError):
        return {}
    while stack:
        code = stack.pop()
        found.setdefault((code.co_name, code.co_firstlineno), []).append(code)
        stack += [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return found


# With the text that the file had; of a code object's file, as equal ones may stand in several.
_digests: weakref.WeakKeyDictionary[types.CodeType, dict[str, tuple[Any, str]]] = weakref.WeakKeyDictionary()


def digest_of(function: types.FunctionType) -> str:
    """A digest of what a function says and does: the same wherever its file lies, and whatever stands around it.

    Raises SourceError as ``source_of`` does.
    """
    code = function.__code__
    file = file_of(code)
    linecache.checkcache(file)
    text = linecache.cache.get(file)
    table = _digests.setdefault(code, {})
    known = table.get(file)
    if known is None or text is None or known[0] is not text:
        found = hashlib.sha256(source_of(function).text.encode("utf-8", "surrogatepass"))
        found.update(repr(code_of(code)).encode("utf-8", "surrogatepass"))
        known = linecache.cache.get(file), found.hexdigest()[:32]
        table[file] = known
    return known[1]


def _rewrite(tree: ast.Module, text: str, file: str) -> None:
    """Rewrite assertions as pytest did when it imported a test."""
    sys.modules["_pytest.assertion.rewrite"].rewrite_asserts(tree, text.encode(), file)


def make_source(node: gast.FunctionDef, file: str, text: str, first: int, indent: int = 0) -> Source:
    """A ``Source`` from a tree whose lines count from 1 in ``text``, which begins at line ``first`` of the file."""
    if first != 1 or indent:
        for inner in gast.walk(node):
            if hasattr(inner, "lineno"):
                inner.lineno += first - 1
                inner.col_offset += indent
    lines = {first + k: " " * indent + line for k, line in enumerate(text.split("\n"))}
    return Source(node, file, node.name, lines, comments_in(text, first), _docstring(node), text)


def _docstring(node: gast.FunctionDef) -> str:
    first = node.body[0]
    text = first.value.value if isinstance(first, gast.Expr) and isinstance(first.value, gast.Constant) else None
    return inspect.cleandoc(text) if isinstance(text, str) else ""


def _parse(text: str, file: str, first: int) -> gast.Module:
    try:
        return gast.parse(text)
    except SyntaxError as error:
        raise SourceError(f"the source at {file}:{first} cannot be parsed: {error.msg}") from error


@functools.lru_cache(maxsize=64)
def _file_tree(text: str) -> ast.Module:
    return ast.parse(text)


def _lambda_source(code: types.CodeType, file: str, lines: list[str], first: int) -> Source:
    """Find a lambda in its file by the position of its code (several may stand on one line)."""
    whole = linecache.getlines(file) or lines
    try:
        tree = _file_tree("".join(whole))
    except SyntaxError as error:
        raise SourceError(f"{file} cannot be parsed: {error.msg}") from error
    spots = [p for p in code.co_positions() if p[0] is not None and p[2] is not None and p[3] != 0]
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Lambda) and _covers(n.body, spots)]
    found = [n for n in found if n.lineno <= code.co_firstlineno <= (n.end_lineno or n.lineno)]
    found = [n for n in found if _parameter_names(n) == code.co_varnames[: len(_parameter_names(n))]]
    if not found:
        raise SourceError(f"the lambda at {file}:{first} cannot be found in its source")
    best = max(found, key=lambda n: (n.lineno, n.col_offset))
    definition = ast.FunctionDef(
        "lambda_", best.args, [ast.copy_location(ast.Return(best.body), best)], [], None, None
    )
    ast.copy_location(definition, best)
    node = gast.ast_to_gast(ast.Module([definition], [])).body[0]
    table = {k + 1: line.rstrip("\n") for k, line in enumerate(whole)}
    return Source(node, file, "lambda_", table, text=ast.unparse(best))


def _covers(body: ast.expr, spots: list[tuple[Any, ...]]) -> bool:
    """Test for instructions at these positions that belong to the body of a lambda."""
    start, end = (body.lineno, body.col_offset), (body.end_lineno or 0, body.end_col_offset or 0)
    return all(start <= (line, col) and (end_line, end_col) <= end for line, end_line, col, end_col in spots)


def _parameter_names(node: ast.Lambda) -> tuple[str, ...]:
    a = node.args
    return tuple(p.arg for p in a.posonlyargs + a.args + a.kwonlyargs)


def comments_in(text: str, first: int) -> dict[int, list[str]]:
    """The user's own-line comments, under the number of the next line of code."""
    found: dict[int, list[str]] = {}
    pending: list[str] = []
    if "#" not in text:
        return found
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                if token.line.lstrip().startswith("#"):
                    pending.append(token.string)
                else:
                    found.setdefault(-(token.start[0] + first - 1), []).append(token.string)
            elif (
                token.type not in (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
                and pending
            ):
                found[token.start[0] + first - 1] = pending
                pending = []
    except (tokenize.TokenError, IndentationError):
        return {}
    return found
