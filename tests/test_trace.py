"""Evaluation traces: the textbook's table, loops, callees, and that the adjoints in the table are derivatives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_allclose

from s2sad import S2sadError, differentiate
from s2sad.cli import main

TEXTBOOK = """\
import numpy as np


def y(x1: float, x2: float) -> float:
    v1 = np.log(x1)
    v2 = x1 * x2
    return v1 + v2 - np.sin(x2)
"""


@differentiate(wrt=("x1", "x2"))
def textbook(x1, x2):
    return np.log(x1) + x1 * x2 - np.sin(x2)


def square(x):
    return x * x


@differentiate
def looped(x, n):
    s = x
    for _ in range(n):
        s = np.sin(s) * x
        if s > 0.5:
            s = square(s)
    return s


@differentiate(wrt=("x", "w"))
def arrays(x, w):
    hidden = np.tanh(w @ x)
    hidden[0] *= 2.0
    return np.sum(hidden**2)


def test_every_intermediate_has_its_adjoint() -> None:
    rows = [(row.name, row.formula, round(float(row.value), 3)) for row in textbook.trace(2.0, 5.0).column("adjoint")]
    assert rows == [
        ("v5_bar", "out_bar", 1.0), ("v4_bar", "-v5_bar", -1.0), ("x2_bar", "v4_bar * np.cos(x2)", -0.284),
        ("v3_bar", "v5_bar", 1.0), ("v2_bar", "v3_bar", 1.0), ("x1_bar", "v2_bar * x2", 5.0),
        ("x2_bar", "x2_bar + v2_bar * x1", 1.716), ("v1_bar", "v3_bar", 1.0),
        ("x1_bar", "x1_bar + (v1_bar / x1 if x1 else ratio(v1_bar, x1))", 5.5),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("program", "args"),
    [
        (textbook, (2.0, 5.0)),
        (looped, (1.3, 4)),
        (arrays, (np.array([0.3, -0.2]), np.array([[1.0, 2.0], [0.5, -1.0], [0.1, 0.2]]))),
    ],
    ids=lambda item: getattr(item, "__name__", ""),
)
def test_the_last_adjoint_of_an_input_is_its_gradient(program: Any, args: tuple[Any, ...]) -> None:
    before = [np.copy(arg) for arg in args]
    table = program.trace(*args)
    gradient = program.grad(*args)
    names = program.derivatives.inputs(program.wrt)
    for name, expected in zip(names, gradient if len(names) > 1 else (gradient,), strict=True):
        assert_allclose(table.values()[f"{name}_bar"], expected, rtol=1e-13)
    assert_allclose(table.result[0], program(*[np.copy(arg) if np.ndim(arg) else arg for arg in args]))
    for arg, kept in zip(args, before, strict=True):
        assert_allclose(arg, kept)


@pytest.mark.parametrize("direction", [(1.0, 0.0), (0.0, 1.0), (0.5, -2.0)])
def test_tangents_along_a_direction(direction: tuple[float, float]) -> None:
    table = textbook.trace(2.0, 5.0, mode="tangent", tangents=direction)
    expected = textbook.jvp((2.0, 5.0), direction)[1]
    assert_allclose(table.column("tangent")[-1].value, expected)


def test_without_a_direction_the_tangent_is_along_the_first_input() -> None:
    assert_allclose(textbook.trace(2.0, 5.0, mode="tangent").column("tangent")[-1].value, 5.5)


def test_a_loop_has_a_row_for_each_iteration() -> None:
    rows = looped.trace(1.3, 4, mode="primal").column("primal")
    assert sum("np.sin" in row.formula for row in rows) == 4


def test_values_are_those_at_the_time() -> None:
    rows = arrays.trace(np.array([0.3, -0.2]), np.eye(2), mode="primal").column("primal")
    first = next(row for row in rows if row.formula.startswith("np.tanh"))
    assert_allclose(first.value, np.tanh([0.3, -0.2]))


def test_a_trace_that_nobody_can_read_is_refused() -> None:
    with pytest.raises(S2sadError, match="rows"):
        looped.trace(1.3, 200_000)


def test_forms() -> None:
    table = textbook.trace(2.0, 5.0)
    assert "adjoint trace\n" in str(table)
    assert "| adjoint | `x1_bar` |" in table.markdown()
    assert table.html().count("<tr>") == len(table) + 1
    assert table._repr_html_() == table.html()


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_the_command_line(tmp_path: Path, form: str) -> None:
    file = tmp_path / "program.py"
    file.write_text(TEXTBOOK + "raise SystemExit('the file is executed')\n", encoding="utf-8")
    done = CliRunner().invoke(main, ["trace", f"{file}:y", "--at", "x1=2,x2=5", "--wrt", "x1,x2", "--format", form])
    assert done.exit_code == 0, done.output
    assert "5.500" in done.output and "1.716" in done.output and "-0.284" in done.output


@pytest.mark.parametrize(
    ("at", "code", "message"),
    [
        ("x1=2", 1, "no value for 'x2'"), ("x1=2,x2=5,x3=1", 1, "no parameter 'x3'"),
        ("x1=__import__('os')", 2, "no list of values"), ("2,5", 2, "no list of values"), ("**{}", 2, "no list of values"),
    ],
)  # fmt: skip
def test_points_that_do_not_fit(tmp_path: Path, at: str, code: int, message: str) -> None:
    file = tmp_path / "program.py"
    file.write_text(TEXTBOOK, encoding="utf-8")
    done = CliRunner().invoke(main, ["trace", f"{file}:y", "--at", at])
    assert done.exit_code == code
    assert message in done.output


def by_name(x, *, scale=2.0):
    for _ in range(2):
        x = x * scale
    return x


class Line:
    def __init__(self, w):
        self.w = w

    @differentiate(wrt="self.w")
    def loss(self, x):
        return (self.w * x - 1.0) ** 2


@pytest.mark.parametrize(
    ("program", "args", "named"),
    [
        (textbook, (), {"x2": 5.0, "x1": 2.0}), (looped, (1.3,), {"n": 4}), (differentiate(by_name), (1.5,), {"scale": 3.0}),
        (differentiate(by_name, wrt="scale"), (), {"x": 1.5}), (Line(3.0).loss, (2.0,), {}), (Line(3.0).loss, (), {"x": 2.0}),
    ],
)  # fmt: skip
def test_arguments_by_name(program: Any, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    value, gradient = program.value_and_grad(*args, **named)
    assert program.trace(*args, **named).result == (value, gradient)
    assert program.trace(*args, mode="primal", **named).result == value
    first = gradient[0] if isinstance(gradient, tuple) else gradient
    assert_allclose(program.trace(*args, mode="tangent", **named).result, (value, first))
    for mode in ("primal", "tangent", "adjoint"):
        assert program.graph(*args, mode=mode, **named).svg() == program.graph(*args, mode=mode, **named).svg()
    assert program.cost(*args, repeats=1, **named).primal.operations > 0
    assert program.tape(*args, **named).bytes >= 0


def both(x, y):
    return x * y, x + y * y


@differentiate(wrt=(0, 1))
def through_a_call(x, y):
    a, b = both(x, y)
    kept = [a, b * b]
    kept.append(a * b)
    return kept[0] * kept[2]


def test_adjoints_of_called_functions_and_lists_stand_in_the_adjoint_trace() -> None:
    """With x = 1 and y = 2 the value is (a b) a, of a = 2 and b = 5."""
    table = through_a_call.trace(1.0, 2.0)
    inner = [row for row in table if row.function == "both_reverse"]
    assert inner and all(row.sweep == "adjoint" for row in inner)
    assert [row.sweep for row in table] == sorted((row.sweep for row in table), key=("primal", "adjoint").index)
    assert [row.value for row in table if row.name == "kept"] == [[2.0, 25.0]]  # as it was then
    found = {row.name: row.value for row in table if row.function == "through_a_call_adjoint"}
    assert (found["a_bar"], found["b_bar"], found["v2_bar"]) == (20.0, 4.0, 2.0)
    along = through_a_call.trace(1.0, 2.0, mode="tangent")
    assert {row.name for row in along.column("primal")}.isdisjoint(row.name for row in along.column("tangent"))
    assert {"a", "b"} <= {row.name for row in along.column("primal")} and "a_dot" in {row.name for row in along.column("tangent")}


def test_what_is_no_picture_or_no_number_is_refused(tmp_path: Path) -> None:
    with pytest.raises(S2sadError, match="SVG"):
        textbook.graph(2.0, 5.0).save(tmp_path / "picture.png")
    file = tmp_path / "program.py"
    file.write_text(
        "import numpy as np\n\n\ndef two(x: float):\n    return x * 2, x**2\n\n\n"
        "def rows(x: np.ndarray, n):\n    for _ in range(n):\n        x = x * x\n    return x\n\n\n"
        "def named(x: float, *, k: float = 2.0):\n    return x * k\n\n\n"
        "def tree(p, x):\n    a, b = p['ab']\n    return a * x + b\n"
    )
    for given, words in (
        ("two --at x=2", "is no number"),
        ("rows --at x=[1,2],n=2", "is no number"),
        ("two --at x=0 -o a.png", "SVG"),
    ):
        name, *options = given.split()
        done = CliRunner().invoke(main, ["graph" if "-o" in options else "trace", f"{file}:{name}", *options])
        assert done.exit_code != 0 and words in done.output and "mistake" not in done.output
    shown = CliRunner().invoke(main, ["trace", f"{file}:named", "--at", "x=3,k=4"])
    assert "x_bar  = v1_bar * k   4.000" in shown.output
    for mode, line in (("adjoint", "{'ab': (3.0, 1.0)}"), ("tangent", "v1_dot + p_ab_1_dot                   4.000")):
        shown = CliRunner().invoke(main, ["trace", f"{file}:tree", "--at", "p={'ab': (2.0, 5.0)},x=3", "--mode", mode])
        assert shown.exit_code == 0 and line in shown.output, shown.output
