"""Evaluation traces: the statements of a program in the order in which they are executed, with what each computes.

    v3 = np.log(x1)            primal    v3      np.log(x1)       0.693
    v4 = x1 * x2         ==>   primal    v4      x1 * x2         10.000
    ...                        adjoint   x1_bar  v4_bar * x2      5.000

The statements are those of a derivative program in which every operation, tangent and adjoint has a name of its own
(``pipeline.traced``); a copy of it that also writes down each value is executed once. Loops give a row for each iteration.
(The tables are those of Griewank & Walther, "Evaluating Derivatives", 2nd ed., chapters 1 and 3.)
"""

from __future__ import annotations

import ast
import html
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad.errors import ActivityError, S2sadError
from s2sad.runtime.guards import SeedError
from s2sad.trees import copied

REVERSE = "# reverse sweep"
RECORD = "__record_row__"  # no name of a generated program begins like that
SWEEPS = ("primal", "tangent", "adjoint")
LONGEST = 100_000  # rows; a program that runs longer is not read as a table


@dataclass(frozen=True)
class Row:
    """One executed statement: which sweep it belongs to, the name that it sets, by which formula, and the value.

    ``sweep``: "primal", "tangent" or "adjoint". ``function``: the name of the generated function that it stands in.
    """

    sweep: str
    name: str
    formula: str
    value: Any
    function: str


class Trace:
    """A table of executed statements; it prints itself, and notebooks show it as HTML."""

    def __init__(self, title: str, rows: Sequence[Row], result: Any) -> None:
        self.title = title
        self.rows = tuple(rows)
        self.result = result  # what the program returned

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, sweep: str) -> list[Row]:
        """The rows of one sweep: "primal", "tangent" or "adjoint"."""
        return [row for row in self.rows if row.sweep == sweep]

    def values(self) -> dict[str, Any]:
        """The last value of every name."""
        return {row.name: row.value for row in self.rows}

    def cells(self) -> list[tuple[str, str, str, str]]:
        """The table as text: sweep, name, formula, value."""
        return [(row.sweep, row.name, row.formula, shown(row.value)) for row in self.rows]

    def __str__(self) -> str:
        cells = self.cells()
        widths = [max((len(row[k]) for row in cells), default=0) for k in range(4)]
        lines = [self.title]
        for sweep in [each for each in SWEEPS if self.column(each)]:
            lines += ["", f"{sweep} trace"]
            for row in cells:
                if row[0] == sweep:
                    lines.append(f"  {row[1]:{widths[1]}} = {row[2]:{widths[2]}}  {row[3]:>{widths[3]}}".rstrip())
        return "\n".join(lines)

    def markdown(self) -> str:
        """The table in Markdown."""
        lines = ["| sweep | name | formula | value |", "|---|---|---|---:|"]
        for sweep, name, formula, value in self.cells():
            escaped = [f"`{text}`".replace("|", "\\|") for text in (name, formula)]
            lines.append(f"| {sweep} | {escaped[0]} | {escaped[1]} | {value} |")
        return f"{self.title}\n\n" + "\n".join(lines) + "\n"

    def html(self) -> str:
        """The table as an HTML fragment."""
        rows = []
        for sweep, name, formula, value in self.cells():
            code = "".join(f"<td><code>{html.escape(text)}</code></td>" for text in (name, formula))
            rows.append(f"<tr><td>{sweep}</td>{code}<td style='text-align:right'>{html.escape(value)}</td></tr>")
        head = "".join(f"<th>{title}</th>" for title in ("sweep", "name", "formula", "value"))
        caption = f"<caption>{html.escape(self.title)}</caption>"
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"

    def _repr_html_(self) -> str:
        return self.html()


def shown(value: Any) -> str:
    """A value as a table shows it: numbers with three decimals, long arrays by their shape."""
    if isinstance(value, bool | np.bool_) or value is None or isinstance(value, str):
        return str(value)
    if isinstance(value, float | np.floating):
        size = abs(float(value))
        return f"{value:.3f}" if size == 0 or 1e-3 <= size < 1e6 or not np.isfinite(size) else f"{value:.3e}"
    if isinstance(value, np.ndarray):
        if value.size > 6:
            return f"{value.dtype}{list(value.shape)}"
        return np.array2string(value, precision=3, separator=", ").replace("\n", "")
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def check_seeded(program: Any, given: int, name: str) -> None:
    """Raise ActivityError for a program of ``name`` that takes more by position than is given: adjoints of what is no number."""
    declared = [p for p in program.params if not p.keyword_only][given:]
    if len(declared) > 1 or any(p.default is None for p in declared):
        raise no_number(name, " and ".join(p.name for p in declared))


def no_number(name: str, seed: str) -> ActivityError:
    """The error for an adjoint of which the seed is not one number."""
    return ActivityError(
        f"the result of {name} is no number, so that nothing says what {seed} is",
        instead="a function that returns one number; or mode='tangent'",
    )


def run_traced(
    text: str, name: str, mode: str, args: Sequence[Any], keywords: Mapping[str, Any], scope: Mapping[str, Any], title: str
) -> Trace:
    """Execute the function ``name`` of a generated module's text, and write down what its statements compute.

    ``scope``: the objects that the module's loader binds. ``mode``: which program it is, "primal", "tangent" or "adjoint".
    Raises S2sadError for a program of more than 100,000 rows, and ActivityError for an adjoint of a result that is no number.
    """
    rows: list[Row] = []
    turns = [k for k, line in enumerate(text.splitlines(), 1) if line.strip() == REVERSE]
    module = ast.parse(text)
    functions = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
    tangents = {part for function in functions.values() for part in _tangents(function, functions)}

    def sweep_of(statement: ast.stmt, target: ast.expr, function: str) -> str:
        if mode == "tangent":
            return "tangent" if target in tangents else "primal"
        turned = any(functions[function].lineno < turn < statement.lineno for turn in turns)
        return "adjoint" if mode == "adjoint" and (turned or function.endswith("_reverse")) else "primal"

    def record(sweep: str, target: str, formula: str, function: str, value: Any) -> None:
        if len(rows) == LONGEST:
            raise S2sadError(
                f"the trace has more than {LONGEST} rows", why="every executed statement is one", instead="take a smaller case"
            )
        rows.append(Row(sweep, target, formula, copied(value), function))

    for function in functions.values():
        function.body = list(_recording(function.body, function.name, sweep_of))
    namespace: dict[str, Any] = {"__name__": f"s2sad.trace.{name}", **scope, RECORD: record}
    code = compile(ast.fix_missing_locations(module), f"<trace of {name}>", "exec", dont_inherit=True)
    exec(code, namespace)  # noqa: S102 - text of our own, just generated
    try:
        result = namespace[name](*args, **keywords)
    except SeedError as error:
        raise no_number(name.removesuffix("_adjoint"), "its adjoint") from error
    return Trace(title, rows, result)


def _tangents(function: ast.FunctionDef, functions: Mapping[str, Any]) -> Iterator[ast.expr]:
    """The targets that are tangents: named so, or computed from what is one by something else than a call of a derivative."""
    known: set[str] = set()
    for statement in ast.walk(function):
        if isinstance(statement, ast.Assign | ast.AugAssign):
            value = statement.value
            ours = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in functions
            along = any(isinstance(n, ast.Name) and (n.id.endswith("_dot") or n.id in known) for n in ast.walk(value))
            for target in _parts(statement.targets[0] if isinstance(statement, ast.Assign) else statement.target):
                name = ast.unparse(target).partition("[")[0]
                if name.endswith("_dot") or (along and not ours):
                    known.add(name)
                    yield target


def _parts(target: ast.expr) -> list[ast.expr]:
    """The names and places that an assignment sets."""
    return [p for part in target.elts for p in _parts(part)] if isinstance(target, ast.Tuple) else [target]


Sweep = Callable[[ast.stmt, ast.expr, str], str]


def _recording(body: list[ast.stmt], function: str, sweep_of: Sweep) -> Iterator[ast.stmt]:
    """The statements, each followed by one that writes down what it has set."""
    for statement in body:
        for field in ("body", "orelse", "finalbody"):
            inner = getattr(statement, field, None)
            if inner:
                setattr(statement, field, list(_recording(inner, function, sweep_of)))
        if isinstance(statement, ast.For) and isinstance(statement.target, ast.Name) and statement.target.id != "_":
            formula = f"next of {ast.unparse(statement.iter)}"
            statement.body[:0] = [_row(statement, statement.target, formula, function, sweep_of)]
        yield statement
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and not _recalls(statement.value):
            for part in _parts(statement.targets[0]):
                if not _is_tape(part):
                    yield _row(statement, part, ast.unparse(statement.value), function, sweep_of)
        elif isinstance(statement, ast.AugAssign):
            formula = ast.unparse(ast.BinOp(_loaded(statement.target), statement.op, statement.value))
            yield _row(statement, statement.target, formula, function, sweep_of)


def _recalls(value: ast.expr) -> bool:
    """Test for an expression that takes a value from a tape, or is called for its effect: nothing that is computed."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return value.func.attr == "append" or (value.func.attr == "pop" and _is_tape(value.func.value))
    return _is_tape(value)


def _is_tape(place: ast.expr) -> bool:
    return isinstance(place, ast.Name) and (place.id == "tape" or place.id.endswith("_tape"))


def _loaded(target: ast.expr) -> ast.expr:
    read = ast.parse(ast.unparse(target), mode="eval").body
    return read


def _row(statement: ast.stmt, target: ast.expr, formula: str, function: str, sweep_of: Sweep) -> ast.stmt:
    name = ast.unparse(target)
    place = [ast.Constant(part) for part in (sweep_of(statement, target, function), name, formula, function)]
    return ast.copy_location(ast.Expr(ast.Call(ast.Name(RECORD, ast.Load()), [*place, _loaded(target)], [])), statement)
