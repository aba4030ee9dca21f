"""What is recorded, and what is computed again: never from memory that has changed in between."""

from __future__ import annotations

import ast
import copy
import importlib.util
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from s2sad import check_grads, differentiate, grad, hvp
from s2sad.cli import main

RNG = np.random.default_rng(7)


def windows_of_what_is_recorded(x, n):
    for _ in range(n):
        y = np.sin(x)
        x = y + np.concatenate((y[1:] * y[:-1], y[:1] * y[-1:]))
    return np.sum(x * x)


def a_number_from_memory_that_changes(x, n):
    total = 0.0
    for i in range(n):
        first = x[0]
        total = total + first * first * x[i]
        x[0] = np.sin(first + x[i])
    return total


def a_number_from_memory_that_stays(x, w, n):
    total = 1.0
    for i in range(n):
        scale = w[i] * 2.0
        total = np.sin(total * scale) + x * scale
    return total


def a_window_bound_before_it_is_written(x, n):
    total = 0.0
    for i in range(n):
        part = x[i : i + 2]
        square = part * part
        x[i] = np.sum(square) * 0.3
        total += part[1] * square[1]
    return total + x[0]


def products_of_matrices(P, F, Q, n):
    total = 0.0
    for _ in range(n):
        before = F @ P @ F.T + Q
        K = before @ np.linalg.inv(before + Q)
        P = before - K @ F @ before
        total += np.sum(P * P)
    return total


def newtons_steps(anomalies, e):
    total = 0.0
    for M in anomalies:
        E, step = M, 1.0
        while abs(step) > 1e-3:
            step = (E - e * np.sin(E) - M) / (1.0 - e * np.cos(E))
            E = E - step
        total += np.cos(E)
    return total


def conditions_from_records(x, n):
    total = 0.0
    for i in range(n):
        total += x[i] * x[i]
        if total > 1.0:
            total = np.sin(total) * x[i]
    return total


def loops_in_each_other(x, n):
    total = 0.0
    for i in range(n):
        a = x[i] * 1.5
        for j in range(i, n):
            b = a * x[j]
            total = np.sin(total + b) + b * a
    return total


def rows(items, x):
    for k in range(len(items)):
        x = np.tanh(items[k] * x + x)
    return np.sum(x)


def rows_that_move(items, x):
    items = list(items)
    for k in range(len(items)):
        row = items[k]
        x = np.tanh(row * x + x)
        items[k] = x * 2.0
        items.reverse()
    return np.sum(x) + np.sum(items[0])


def halved(x, y):
    z = x * y
    return np.sin(z) * (z + x), z * 2.0


def through_calls(x, n):
    total = x
    for _ in range(n):
        a, b = halved(total, x)
        total = a + 0.1 * b
    return total


def first_squared(x):
    first = x[0]
    return np.sin(first * first) * first


def a_call_before_its_argument_is_written(x, n):
    total = 0.0
    for i in range(n):
        total += first_squared(x)
        x[0] = x[0] * 0.5 + x[i]
    return total


def until_small(x, y):
    while abs(x) > 0.1:
        z = x * y
        x = np.sin(z) * 0.7 * z
    return x * y


def straight(x):
    x[0] = x[1] * x[1]
    y = np.sin(x) * x
    x[1] = np.sum(y) * x[0]
    return np.sum(x * y)


def jacobi(a, steps):
    for _ in range(steps):
        a[1:-1, 1:-1] = 0.25 * (a[2:, 1:-1] + a[:-2, 1:-1] + a[1:-1, 2:] + a[1:-1, :-2])
    return np.sum(a**2)


def stretched_on_the_way(a, b, c, n):
    """Sums of a row, a column and numbers, scaled and stored in turns."""
    total = np.zeros_like(c)
    for k in range(n):
        d = 2.0 * (a * 0.5 + b) - c[k]
        total += d * (k + 1.0)
        c[k] = np.sum(d) * 0.01
        a = a + 0.1 * d[0]
    return np.sum(total * total)


def weighted_windows(x, w, b):
    found = np.zeros(x.shape[0] - w.shape[0] + 1)
    for i in range(found.shape[0]):
        found[i] = np.sum(x[i : i + w.shape[0]] * w) + b
    return np.sum(found**2)


def masses(p, m):
    return np.sum(m[:, None] * p**2) + np.sum(np.tanh(p) * m[:, None])


PROGRAMS: dict[Callable[..., Any], tuple[Any, ...]] = {
    newtons_steps: (np.array([0.4, 1.3, 2.0]), 0.3),
    products_of_matrices: (np.eye(2) + 0.1, 0.5 * RNG.normal(size=(2, 2)), 2.0 * np.eye(2), 3),
    windows_of_what_is_recorded: (RNG.normal(size=4), 3),
    a_number_from_memory_that_changes: (RNG.normal(size=4), 4),
    a_number_from_memory_that_stays: (0.4, RNG.normal(size=3), 3),
    a_window_bound_before_it_is_written: (RNG.normal(size=5), 4),
    conditions_from_records: (RNG.normal(size=5) + 0.3, 5),
    loops_in_each_other: (RNG.normal(size=3), 3),
    rows: ([RNG.normal(size=3), RNG.normal(size=3)], RNG.normal(size=3)),
    rows_that_move: ([RNG.normal(size=3), RNG.normal(size=3), RNG.normal(size=3)], RNG.normal(size=3)),
    through_calls: (0.7, 3),
    a_call_before_its_argument_is_written: (RNG.normal(size=4), 4),
    until_small: (1.9, 0.8),
    jacobi: (RNG.normal(size=(4, 5)), 3),
    stretched_on_the_way: (RNG.normal(size=(1, 3)), RNG.normal(size=(3, 1)), RNG.normal(size=(3, 3)), 3),
    weighted_windows: (RNG.normal(size=6), RNG.normal(size=3), 0.3),
    masses: (RNG.normal(size=(3, 2)), RNG.normal(size=3)),
    straight: (RNG.normal(size=3),),
}


@pytest.mark.parametrize(("function", "args"), PROGRAMS.items(), ids=lambda x: getattr(x, "__name__", ""))
def test_derivatives_of_both_orders(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check_grads(function, args)
    k = 1 if isinstance(args[0], list) else 0
    x = np.asarray(args[k], float)
    v = np.cos(np.arange(x.size)).reshape(x.shape)
    moved = []
    for h in (1e-5, -1e-5):
        other = [*args]
        other[k] = x + h * v if x.shape else float(x + h * v)
        moved.append(np.asarray(grad(function, k)(*other)))
    expected = (moved[0] - moved[1]) / 2e-5
    for mode in ("fwd", "rev"):
        _, product = hvp(function, args, (v if x.shape else float(v),), wrt=k, mode=mode)
        np.testing.assert_allclose(product, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("function", [until_small, a_window_bound_before_it_is_written])
def test_the_text_is_a_program_that_is_accepted(function: Callable[..., Any], tmp_path: Path) -> None:
    args = PROGRAMS[function]
    text = differentiate(function).source("adjoint", *args)
    (tmp_path / "written.py").write_text(text)
    spec = importlib.util.spec_from_file_location(f"written_{function.__name__}", tmp_path / "written.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    adjoint = getattr(module, f"{function.__name__}_adjoint")

    def size(x: np.ndarray, *rest: Any) -> Any:
        _, bar = adjoint(x, *rest)
        return np.sum(bar * bar)

    assert "tape.append((" in text
    check_grads(size, args)


def recorded(function: Callable[..., Any]) -> list[str]:
    """What the adjoint program pushes."""
    tree = ast.parse(differentiate(function).source("adjoint", *PROGRAMS[function]))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    return [ast.unparse(node.args[0]) for node in calls if node.func.attr == "append"]


def test_what_follows_from_records_is_not_recorded() -> None:
    assert len(recorded(a_number_from_memory_that_stays)) == 1
    assert recorded(rows) == ["(x, v2)"]  # no items of the list, which nobody writes
    assert recorded(windows_of_what_is_recorded) == ["(x, v1[0].shape[0], y)"]  # of the products, where they meet


def test_some_products_of_matrices_are_made_again() -> None:
    (items,) = recorded(products_of_matrices)
    assert "before" in items and len(items.split(",")) <= 5  # neither F @ P nor K @ F


def test_what_cancels_has_no_adjoint() -> None:
    source = differentiate(newtons_steps).source("adjoint", *PROGRAMS[newtons_steps])
    assert source.count("E_bar = ") == 2 and "E_bar = -v" in source


def test_what_changes_is_recorded() -> None:
    assert len(recorded(a_number_from_memory_that_changes)) == 1
    assert "first" in recorded(a_number_from_memory_that_changes)[0]


def test_what_runs_once_needs_no_list() -> None:
    assert "[]" not in differentiate(straight).source("adjoint", *PROGRAMS[straight])


@pytest.mark.parametrize(("function", "pushes"), [(jacobi, 0), (stretched_on_the_way, 1), (weighted_windows, 1)])
def test_without_annotations(function: Callable[..., Any], pushes: int, tmp_path: Path) -> None:
    """The command line's modules know nothing of their arguments: what is recorded for shapes, and that it is right."""
    source = "import numpy as np\n\n\n" + inspect.getsource(function)
    (tmp_path / "given.py").write_text(source)
    result = CliRunner().invoke(main, ["transform", str(tmp_path / "given.py"), "--mode", "adjoint", "-o", "-"])
    assert result.exit_code == 0, result.output
    assert result.output.count(".append(") <= pushes
    space: dict[str, Any] = {}
    exec(result.output, space)
    args = PROGRAMS[function]
    _, found = space[f"{function.__name__}_adjoint"](*copy.deepcopy(args))
    found = found if isinstance(found, tuple) else (found,)
    names = [n for n, a in zip(inspect.signature(function).parameters, args, strict=True) if not isinstance(a, int)]
    expected = grad(function, tuple(names))(*copy.deepcopy(args))
    for one, other in zip(found, expected, strict=False):
        np.testing.assert_allclose(one, other, rtol=1e-12)
