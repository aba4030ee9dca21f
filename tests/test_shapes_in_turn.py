"""Programs that are called with arrays of equal shapes, of shapes that broadcast, and of others again, by the same name.

Where a shape is taken to be that of another array, nothing is summed: each call must get a program that is right for its own.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from thinning import thinned

from s2sad import grad, jvp
from s2sad.testing import check_grads

Function = Callable[..., Any]


def mixed(x, y):
    z = x * y
    return z * x + y


def in_helpers(x, y):
    return np.sum(mixed(x, y) * mixed(y, x) * mixed(x, x))


def in_a_loop(x, y):
    state = x * 1.0
    for k in range(3):
        state = mixed(state, y) * 0.5 + k
    return np.sum(state**2)


def repeated(x, y, n):
    if n == 0:
        return x * y
    return repeated(x * 0.5, y, n - 1) + y


def in_a_recursion(x, y):
    return np.sum(repeated(x, y, 2) * x)


def widening(x, y, n):
    if n == 0:
        return x
    return widening(x * y, y, n - 1) * x


def in_a_recursion_that_stretches(x, y):
    return np.sum(widening(x, y, 2) ** 2)


def exchanged(x, y, n):
    if n == 0:
        return x + 2 * y
    return exchanged(y, x, n - 1) * x


def in_a_recursion_that_exchanges(x, y):
    return np.sum(exchanged(x, y, 3) ** 2)


def one_of_two(x, y, c):
    return x * c if c > 0 else (x * y) * c


def by_either_way(x, y):
    return np.sum(one_of_two(x, y, 1.5) * one_of_two(x, y, -0.5) * one_of_two(y, x, -1.5))


def positive(x, y):
    hot = x > 0.6
    return np.sum((x[hot] * y[hot]) ** 2) + np.sum(x[hot])


def where_positive(x, y):
    kept = np.zeros(x.shape)
    hot = x > 0.6
    kept[hot] = x[hot] ** 2
    kept += y
    kept[hot] += 1.0 / x[hot]
    return np.sum(kept**2)


def masks_that_change(x, y):
    hot = x > 0.6
    total = np.sum(x[hot] ** 2)
    hot[0] = not hot[0]
    return total + np.sum(x[hot] * y[hot] ** 2)


def gathered(x, y):
    rows = np.array([0, 0, len(x) - 1])
    total = np.sum((x[rows] * y[rows] ** 2) ** 2)
    for k in range(2):
        total += np.sum(x[rows[k:]] * y[rows[k:]] + x[rows[:1]])
    return total


def masked_columns(x, y):
    hot = x[:, 0] > 0.6
    return np.sum((x[hot, 0] * y[hot, 0]) ** 2) + np.sum(x[hot] * y[hot] * x[hot, :1]) + np.sum(x[0, hot] * y[hot, 0])


def windows(x, y):
    total = 0.0
    for k in range(2):
        total += np.sum((x[k:] * y[k:] ** 2) * x[: len(x) - k])
    return total + np.sum(x[::2] * y[::2])


def differences(x, y):
    return np.sum(np.diff(x * y) ** 2) + np.sum(np.diff(x) * y[1:]) + np.sum(np.diff(y, n=2) ** 2)


def stored(x, y):
    out = np.ones((3, 3))
    out[...] = x * y
    out *= y
    out -= x
    return np.sum(out**2)


ANY = [
    ((3, 3), (3,)), ((3,), (3,)), ((1, 3), (3, 1)), ((3, 3), (3, 3)), ((3,), ()), ((), ()), ((0,), (1,)), ((0,), (0,)),
    ((2,), (1,)), ((2,), (2,)), ((3, 1), (3,)), ((1, 3), (1, 3)),
]  # fmt: skip
ROWS = [
    ((3,), (3,)), ((2,), (2,)), ((1,), (1,)), ((9,), (9,)), ((3, 3), (3, 3)), ((3, 1), (3, 3)), ((3, 3), (3, 1)),
    ((1, 3), (1, 3)),
]  # fmt: skip
SQUARE = [((3, 3), (3,)), ((3,), (3,)), ((1, 3), (3, 1)), ((3, 3), (3, 3)), ((3,), ()), ((1, 3), (1, 3)), ((), ())]
SHAPES: dict[Function, list[tuple[tuple[int, ...], tuple[int, ...]]]] = {
    in_helpers: ANY, in_a_loop: ANY, in_a_recursion: ANY, in_a_recursion_that_stretches: ANY, in_a_recursion_that_exchanges: ANY,
    by_either_way: ANY,
    positive: [((3,), (3,)), ((2,), (2,)), ((3, 3), (3, 3)), ((0,), (0,)), ((9,), (9,)), ((1, 3), (1, 3))],
    where_positive: [((3,), (3,)), ((3,), ()), ((3, 3), (3,)), ((2,), (1,)), ((0,), (0,)), ((3, 3), (3, 3)), ((1, 3), (1, 1))],
    masks_that_change: [((3,), (3,)), ((2,), (2,)), ((9,), (9,)), ((1,), (1,))],
    gathered: ROWS, masked_columns: [((3, 3), (3, 3)), ((2, 2), (2, 2)), ((3, 3), (3, 1)), ((1, 1), (1, 4))],
    windows: ROWS, stored: SQUARE,
    differences: [((n,), (n,)) for n in (3, 2, 9, 1)],
}  # fmt: skip
FUNCTIONS = pytest.mark.parametrize("function", SHAPES, ids=lambda f: f.__name__)
ONE_WAY = (positive, where_positive, masks_that_change, gathered, masked_columns, windows)


def calls(function: Function) -> list[tuple[np.ndarray, np.ndarray]]:
    """Arguments in turn, in both orders where the function takes them."""
    made = []
    for m, n in SHAPES[function]:
        x, y = (0.4 + np.linspace(0.1, 1.0, int(np.prod(shape))).reshape(shape) ** 1.5 for shape in (m, n))
        made += [(x, y), (y, x)] if function not in ONE_WAY else [(x, y)]
    return [*made, *made[:5]]


def check(function: Function) -> None:
    for x, y in calls(function):
        check_grads(function, (x, y), wrt=(0, 1))
        assert [np.shape(bar) for bar in grad(function, wrt=(0, 1))(x, y)] == [x.shape, y.shape]


@FUNCTIONS
def test_each_call_is_right(function: Function) -> None:
    check(function)


def test_differences_of_nothing() -> None:
    for n in (3, 0, 2, 0):
        x = np.linspace(0.5, 1.5, n)
        assert [np.shape(bar) for bar in grad(differences, wrt=(0, 1))(x, x + 1)] == [x.shape, x.shape]


@pytest.mark.parametrize("function", thinned(SHAPES, 4, lambda f: f.__name__))
def test_second_derivatives(function: Function) -> None:
    for x, y in calls(function)[::2]:
        u, v, step = np.cos(x), np.sin(y), 1e-6
        ahead, behind = (grad(function, wrt=(0, 1))(x + h * u, y + h * v) for h in (step, -step))
        forward = jvp(grad(function, wrt=(0, 1)), (x, y), (u, v))[1]

        def slope(x: Any, y: Any, u: Any, v: Any) -> Any:
            x_bar, y_bar = grad(function, wrt=(0, 1))(x, y)
            return np.sum(x_bar * u) + np.sum(y_bar * v)

        reverse = grad(slope, wrt=(0, 1))(x, y, u, v)
        for a, b, one, other in zip(ahead, behind, forward, reverse, strict=True):
            wanted = (a - b) / (2 * step)
            assert np.shape(one) == np.shape(other) == np.shape(wanted)
            np.testing.assert_allclose(one, wanted, rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(other, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("function", [in_helpers, in_a_recursion_that_exchanges, positive, gathered], ids=lambda f: f.__name__)
def test_from_the_disk(function: Function, tmp_path: Path) -> None:
    script = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        f"import test_shapes_in_turn as t\nt.check(t.{function.__name__})\n"
    )
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=False,
            env={"S2SAD_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[1]), "PATH": ""},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
