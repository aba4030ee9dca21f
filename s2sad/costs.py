"""The costs of a derivative: what the forward sweep keeps for the reverse sweep, and how much is computed and stored.

Both run the program that was generated. ``recorded`` looks at its variables where the reverse sweep begins; ``counted`` runs a
copy of its text in which operators and calls also count themselves. Times and peaks are measured on the program as it is.
"""

from __future__ import annotations

import ast
import contextlib
import operator
import statistics
import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad.trace import REVERSE

LOOK = "__look__"  # no name of a generated program begins like these
BINARY, UNARY, CALL, DONE = "__binary__", "__unary__", "__call__", "__done__"
OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.MatMult: operator.matmul,
    ast.Pow: operator.pow, ast.Mod: operator.mod, ast.FloorDiv: operator.floordiv, ast.USub: operator.neg, ast.UAdd: operator.pos,
}  # fmt: skip


COMPUTING = {"abs", "max", "min", "pow", "round", "sum"}  # built-in functions
ARRAY_METHODS = {name for name in dir(np.ndarray) if not name.startswith("_")} - set(dir(list)) | {"copy"}


@dataclass(frozen=True)
class Kept:
    """One name that the reverse sweep reads: how many arrays and numbers it holds, and the bytes of their memory."""

    name: str
    items: int
    bytes: int


class Tape:
    """The tape of one run: what it keeps for its reverse sweep; it prints as a table."""

    def __init__(self, title: str, rows: Sequence[Kept]) -> None:
        self.title = title
        self.rows = tuple(rows)

    def __iter__(self) -> Iterator[Kept]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def bytes(self) -> int:
        """The bytes of all rows."""
        return sum(row.bytes for row in self.rows)

    def __str__(self) -> str:
        cells = [("name", "items", "bytes"), *((r.name, f"{r.items:,}", f"{r.bytes:,}") for r in self.rows)]
        return _table(self.title, [*cells, ("in all", "", f"{self.bytes:,}")])


@dataclass(frozen=True)
class Run:
    """The needs of one program. ``operations``, ``written`` are counted, ``peak`` and ``seconds`` measured."""

    operations: int
    written: int
    peak: int
    seconds: float


@dataclass(frozen=True)
class Cost:
    """The primal and the adjoint program at the same arguments; it prints as a table."""

    title: str
    primal: Run
    adjoint: Run

    @property
    def predicted(self) -> float:
        """Operations of the adjoint program over those of the primal."""
        return self.adjoint.operations / max(self.primal.operations, 1)

    @property
    def measured(self) -> float:
        """The time of the adjoint program over that of the primal."""
        return self.adjoint.seconds / self.primal.seconds

    def __str__(self) -> str:
        def cells(name: str, run: Run) -> tuple[str, ...]:
            return name, f"{run.operations:,}", f"{run.written:,}", f"{run.peak:,}", f"{run.seconds:.6f}"

        ratio = ("ratio", f"{self.predicted:.2f}", "", "", f"{self.measured:.2f}")
        head = ("program", "operations", "bytes written", "peak bytes", "seconds")
        return _table(self.title, [head, cells("primal", self.primal), cells("adjoint", self.adjoint), ratio])


def _table(title: str, cells: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
    lines: list[str] = []
    for first, *others in cells:
        lines.append(f"{first:{widths[0]}}  " + "  ".join(f"{c:>{w}}" for c, w in zip(others, widths[1:], strict=True)))
    return "\n".join([title, "", *(line.rstrip() for line in lines)])


# --- what is kept


class _Reached(Exception):
    """The reverse sweep would begin."""


def recorded(
    text: str, name: str, args: Sequence[Any], keywords: Mapping[str, Any], scope: Mapping[str, Any], title: str
) -> Tape:
    """Run the forward sweep of an adjoint module's function ``name``, and look at what the rest of it reads."""
    module = ast.parse(text)
    (main,) = (node for node in module.body if isinstance(node, ast.FunctionDef) and node.name == name)
    turns = [k for k, line in enumerate(text.splitlines(), 1) if line.strip() == REVERSE and k > main.lineno]
    cut = next((k for k, s in enumerate(main.body) if turns and s.lineno > turns[0]), len(main.body) - 1)
    names = _read_first(main.body[cut:])
    look = ast.Expr(
        ast.Call(ast.Name(LOOK, ast.Load()), [ast.Call(ast.Name("locals", ast.Load()), [], [])], [])
    )
    main.body.insert(cut, look)
    found: dict[str, Any] = {}

    def seen(variables: dict[str, Any]) -> None:
        found.update((n, variables[n]) for n in names if n in variables)
        raise _Reached

    namespace = _executed(module, name, {**scope, LOOK: seen})
    with contextlib.suppress(_Reached):
        namespace[name](*args, **keywords)
    memory: set[int] = set()
    given = [*args, *keywords.values()]
    for value in given:
        _size(value, memory)
    columns = _columns(main)
    rows: list[Kept] = []
    for n, v in found.items():
        parts = columns.get(n, [])
        if parts and isinstance(v, list) and all(isinstance(item, tuple) and len(item) == len(parts) for item in v):
            rows += [Kept(f"{part} on {n}", *_size([item[k] for item in v], memory)) for k, part in enumerate(parts)]
        elif not any(v is a for a in given):
            rows.append(Kept(n, *_size(v, memory)))
    return Tape(title, [row for row in rows if row.items])


def _columns(program: ast.FunctionDef) -> dict[str, list[str]]:
    """Of tapes of tuples, ``tape.append((x, v1))``: what stands in their items."""
    found: dict[str, list[str]] = {}
    for node in ast.walk(program):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[ast.Tuple(elts=parts)]):
                found[name] = [ast.unparse(part) for part in parts]
    return found


def _executed(module: ast.Module, name: str, scope: Mapping[str, Any]) -> dict[str, Any]:
    namespace: dict[str, Any] = {"__name__": f"s2sad.costs.{name}", **scope}
    code = compile(ast.fix_missing_locations(module), f"<cost of {name}>", "exec", dont_inherit=True)
    exec(code, namespace)  # noqa: S102 - text of our own, just generated
    return namespace


def _size(value: Any, memory: set[int]) -> tuple[int, int]:
    """The number of arrays and numbers that something holds, and the bytes of memory that are not in ``memory`` yet."""
    if isinstance(value, np.ndarray):
        owner = value
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        known = id(owner) in memory
        memory.add(id(owner))
        return 1, 0 if known else owner.nbytes
    if isinstance(value, np.generic):
        return 1, value.nbytes
    if isinstance(value, bool | int | float | complex):
        return 1, np.asarray(value).nbytes
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        sizes = [_size(item, memory) for item in value]
        return sum(n for n, _ in sizes), sum(b for _, b in sizes)
    inner = getattr(value, "__dict__", None)
    return _size(inner, memory) if isinstance(inner, dict) and not callable(value) else (0, 0)


def _read_first(statements: Sequence[ast.stmt]) -> list[str]:
    """The names that statements read before they have set them; what the last one returns as the value does not count."""
    found: dict[str, None] = {}

    def read(node: ast.AST | None, known: set[str]) -> None:
        for inner in ast.walk(node) if node is not None else ():
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load) and inner.id not in known:
                found[inner.id] = None

    def walk(body: Sequence[ast.stmt], known: set[str]) -> None:
        for statement in body:
            if isinstance(statement, ast.For | ast.While):
                inside = set(known)
                read(statement.iter if isinstance(statement, ast.For) else statement.test, known)
                if isinstance(statement, ast.For):
                    inside |= _set_by(statement.target)
                walk(statement.body, inside)
            elif isinstance(statement, ast.If):
                read(statement.test, known)
                arms = [set(known), set(known)]
                walk(statement.body, arms[0])
                walk(statement.orelse, arms[1])
                known |= arms[0] & arms[1]
            elif isinstance(statement, ast.With):
                for item in statement.items:
                    read(item.context_expr, known)
                walk(statement.body, known)
            elif isinstance(statement, ast.Return) and isinstance(statement.value, ast.Tuple):
                for part in statement.value.elts[1:]:
                    read(part, known)
            elif isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
                read(statement.value, known)
                read(ast.Name(statement.target.id, ast.Load()), known)
            else:
                read(statement, known)
                for target in getattr(statement, "targets", ()):
                    known |= _set_by(target)

    walk(statements, set())
    return list(found)


def _set_by(target: ast.expr) -> set[str]:
    return {n.id for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


# --- what is computed


class _Counting(ast.NodeTransformer):
    """Has operators, calls of functions that the module imports, and methods of arrays count themselves."""

    def __init__(self, imported: set[str]) -> None:
        self.imported = imported

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if type(node.op) not in OPERATORS:
            return node
        return self._call(node, BINARY, ast.Constant(type(node.op).__name__), node.left, node.right)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if type(node.op) not in OPERATORS:
            return node
        return self._call(node, UNARY, ast.Constant(type(node.op).__name__), node.operand)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        root = node.func
        while isinstance(root, ast.Attribute):
            root = root.value
        computes = isinstance(root, ast.Name) and root.id in self.imported
        if isinstance(node.func, ast.Attribute) and not computes:
            computes = node.func.attr in ARRAY_METHODS
        if not computes:
            return node
        return ast.copy_location(
            ast.Call(ast.Name(CALL, ast.Load()), [node.func, *node.args], node.keywords), node
        )

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        target = ast.parse(ast.unparse(node.target), mode="eval").body
        return [node, ast.copy_location(ast.Expr(self._call(node, DONE, target)), node)]

    def _call(self, node: ast.AST, name: str, *args: ast.expr) -> ast.expr:
        return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), list(args), []), node)


def counted(
    text: str, name: str, args: Sequence[Any], keywords: Mapping[str, Any], scope: Mapping[str, Any]
) -> tuple[int, int]:
    """Operations, and bytes of results, of one run of a module's function ``name``."""
    module = ast.parse(text)
    imports = [node for node in module.body if isinstance(node, ast.Import | ast.ImportFrom)]
    imported = {item.asname or item.name.partition(".")[0] for node in imports for item in node.names} | COMPUTING
    for node in [n for n in module.body if isinstance(n, ast.FunctionDef)]:
        node.body = [_Counting(imported).visit(s) for s in node.body]
        node.body = [s for part in node.body for s in (part if isinstance(part, list) else [part])]
    total = [0, 0]

    def note(result: Any, operands: Sequence[Any], factor: int = 1) -> Any:
        if isinstance(result, np.ndarray | np.generic | int | float | complex):
            sizes = [
                np.size(v)
                for v in (result, *operands)
                if isinstance(v, np.ndarray | np.generic | int | float | complex)
            ]
            total[0] += np.size(result) * factor if factor > 1 else max(sizes)
            total[1] += np.asarray(result).nbytes
        return result

    def binary(kind: str, a: Any, b: Any) -> Any:
        inner = np.shape(a)[-1] if kind == "MatMult" else 1
        return note(OPERATORS[getattr(ast, kind)](a, b), (a, b), inner)

    helpers: dict[str, Callable[..., Any]] = {
        BINARY: binary,
        UNARY: lambda kind, a: note(OPERATORS[getattr(ast, kind)](a), (a,)),
        CALL: lambda function, *a, **k: note(function(*a, **k), (*a, *k.values())),
        DONE: lambda target: note(target, ()),
    }
    _executed(module, name, {**scope, **helpers})[name](*args, **keywords)
    return total[0], total[1]


def measured(run: Callable[[], Any], repeats: int) -> tuple[int, float]:
    """The most bytes that are allocated at a time while something runs, by ``tracemalloc``, and the median of its times."""
    run()
    times: list[float] = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    already = tracemalloc.is_tracing()
    if not already:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        run()
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        if not already:
            tracemalloc.stop()
    return peak, statistics.median(times)
