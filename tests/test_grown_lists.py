"""Lists of numbers and lists of lists that start as numbers: first and second order, and modules of the command line."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from s2sad import S2sadError, grad, jvp
from s2sad.cli import main
from s2sad.testing import check_grads


def counted(x):
    items = [0] * 3
    for i in range(3):
        items[i] += x[i] * x[0]
    items[0] += x[1]
    return items[0] * items[2]


def product_of_rows(x):
    rows = [[0] * 2 for _ in range(2)]
    for i in range(2):
        for j in range(2):
            for k in range(2):
                rows[i][j] += x[i + k] * x[j] + rows[i - 1][j]
    return rows[0][0] * rows[1][1] - rows[0][1]


def filled(x):
    rows = [[0.0] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(3):
            rows[i][j] = x[i] * x[j] ** 2
    return sum(sum(row) for row in rows) + rows[1][2] ** 2


def pascal(x):
    rows = [[1.0]]
    for _ in range(4):
        last = rows[-1]
        rows.append([1.0] + [last[i] + x[0] * last[i + 1] for i in range(len(last) - 1)] + [x[1]])
    return sum(rows[-1])


def chebyshev(x):
    rows = []
    rows.append([1.0, x[0]])
    while len(rows) < 5:
        r = rows[-1]
        rows.append([r[1], 2 * x[0] * r[1] - r[0]])
    return rows[-1][1]


PROGRAMS: list[Callable[..., Any]] = [counted, product_of_rows, filled, pascal, chebyshev]
X, V = np.array([0.7, 1.3, 2.1]), np.array([0.3, -1.1, 0.8])


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_both_modes(f: Callable[..., Any]) -> None:
    check_grads(f, (X,))


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_order(f: Callable[..., Any]) -> None:
    h = 1e-5
    expected = (grad(f)(X + h * V) - grad(f)(X - h * V)) / (2 * h)
    assert np.allclose(grad(lambda x: jvp(f, (x,), (V,))[1])(X), expected, rtol=1e-5)
    assert np.allclose(grad(lambda x: np.sum(grad(f)(x) * V))(X), expected, rtol=1e-5)


def modules(name: str, folder: Path) -> dict[str, Any]:
    """What the modules of the command line hold that are made of a program of this file."""
    result = CliRunner().invoke(main, ["transform", __file__, "--function", name, "--mode", "both", "-o", str(folder)])
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = {}
    for path in folder.glob("*.py"):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found |= vars(module)
    return found


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_modules(f: Callable[..., Any], tmp_path: Path) -> None:
    found = modules(f.__name__, tmp_path)
    slope = grad(f)(X)
    assert np.allclose(found[f"{f.__name__}_adjoint"](X)[1], slope)
    assert np.isclose(found[f"{f.__name__}_tangent"](X, V)[1], slope @ V)


def test_what_is_no_number_is_not_changed_in_place(tmp_path: Path) -> None:
    """``op=`` of an item that is an array would change it for all who see it."""
    with pytest.raises(ValueError, match="annotate the parameters"):
        modules("counted", tmp_path)["counted_adjoint"](np.ones((3, 2)))


def none_at_first(x):
    rows = [None] * 4
    rows[0] = [1.0, x[0]]
    for k in range(1, 4):
        r = rows[k - 1]
        rows[k] = [r[1], 2 * x[0] * r[1] - r[0]]
    return rows[3][1]


def an_array_at_first(x):
    rows = []
    rows.append(x)
    for _ in range(3):
        rows.append([rows[-1][1] * 2, rows[-1][0] * x[2]])
    return rows[-1][0]


def a_tuple_at_first(x):
    rows = []
    rows.append((x[0], x[1]))
    for _ in range(3):
        rows.append([rows[-1][1] * 2, rows[-1][0] * x[2]])
    return rows[-1][0]


def over_many(x):
    rows = []
    rows.append(x)
    for _ in range(40):
        rows.append([rows[-1][1] * 1.1, rows[-1][0] * x[2]])
    return rows[-1][0]


@pytest.mark.parametrize("f", [an_array_at_first, a_tuple_at_first], ids=lambda f: f.__name__)
def test_few_lists_among_other_items(f: Callable[..., Any]) -> None:
    check_grads(f, (X,), order=2)


@pytest.mark.parametrize("f", [none_at_first, over_many], ids=lambda f: f.__name__)
def test_lists_among_other_items(f: Callable[..., Any]) -> None:
    check_grads(f, (X,), modes=("tangent",))
    with pytest.raises(S2sadError, match="lists and other items in rows"):
        grad(f)(X)
