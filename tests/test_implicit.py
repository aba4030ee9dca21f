"""Roots, fixed points and minima by any solver: their derivatives against differences of the solver's solutions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import ActivityError, argmin, check_grads, differentiate, errors, fixed_point, grad, jvp, root

RNG = np.random.default_rng(0)
W, B = 0.3 * RNG.standard_normal((3, 3)), RNG.standard_normal(3)
A, Y = RNG.standard_normal((4, 2)), RNG.standard_normal(4)


def secant(f, x):
    """A solver that no compiler could follow: it ends by an exception."""
    before = x + 1e-3
    try:
        while True:
            x, before = x - f(x) * (x - before) / (f(x) - f(before)), x
    except ZeroDivisionError:
        return x


def iterate(step, x):
    for _ in range(400):
        x = step(x)
    return x


def one(f, x):
    return 1.0


def cube(x, c):
    return x**3 - c


def cube_root(c):
    return root(cube, 1.0, c)


def cube_root_by_secants(c):
    return root(cube, 1.0, c, solver=secant) * c


def system(c, d):
    return np.sum(root(lambda x: np.array([x[0] ** 2 + x[1] - c, x[1] ** 3 - x[0] * d]), np.ones(2)) ** 2)


def layer(x, w, b):
    return np.tanh(w @ x + b)


def deep_equilibrium(w, b):
    return np.sum(fixed_point(layer, np.zeros(3), w, b) ** 2)


def by_iteration(w, b):
    return np.sum(fixed_point(lambda x: np.tanh(w @ x + b), np.zeros(3), solver=iterate) ** 2)


def ridge(x, a, y, weight):
    return np.sum((a @ x - y) ** 2) + weight * np.sum(x * x) + 0.1 * np.sum(x**4)


def least(weight, a, y):
    return np.sum(argmin(ridge, np.zeros(2), a, y, weight) ** 3)


def least_of_number(c):
    return argmin(lambda x: (x - c) ** 2 + np.exp(x), 0.0)


def nested(c):
    return root(lambda x: x - 0.5 * np.cos(root(cube, 1.0, c + x**2)), 0.3)


def through_a_loop(c):
    x = 1.0
    for k in range(3):
        x = root(cube, x, c + x * k)
    return x


PROGRAMS: tuple[tuple[Any, tuple[Any, ...], Any, int], ...] = (
    (cube_root, (2.0,), 0, 2), (cube_root_by_secants, (2.0,), 0, 2), (system, (2.0, 1.5), (0, 1), 2),
    (deep_equilibrium, (W, B), (0, 1), 2), (by_iteration, (W, B), (0, 1), 1), (least, (0.7, A, Y), (0, 1, 2), 2),
    (least_of_number, (0.5,), 0, 2), (nested, (1.5,), 0, 1), (through_a_loop, (1.5,), 0, 1),
)  # fmt: skip


@pytest.mark.parametrize(("f", "args", "wrt", "order"), PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_derivatives_of_solutions(f: Any, args: tuple[Any, ...], wrt: Any, order: int) -> None:
    check_grads(f, args, wrt=wrt, order=order)


def test_the_third_derivative() -> None:
    assert grad(grad(grad(cube_root)))(2.0) == pytest.approx(10.0 / 27.0 * 2.0 ** (-8.0 / 3.0), rel=1e-10)


def test_what_they_find() -> None:
    assert root(cube, 1.0, 8.0) == pytest.approx(2.0)
    assert isinstance(root(cube, 1.0, 8.0), float)
    found = fixed_point(layer, np.zeros(3), W, B)
    np.testing.assert_allclose(found, layer(found, W, B), atol=1e-13)
    assert root(lambda x: x - 1.0, np.zeros((2, 2))).shape == (2, 2)
    assert argmin(lambda x: np.sum((x - 3.0) ** 2), np.zeros((2, 1))) == pytest.approx(3.0 * np.ones((2, 1)))
    assert argmin(eval("lambda x: (x - 3.0) ** 2"), 0.0) == pytest.approx(3.0, abs=1e-6)  # without source: by differences


def test_what_they_do_not_find() -> None:
    with pytest.raises(ArithmeticError):
        root(lambda x: x * x + 1.0, 0.5)
    with pytest.raises(ArithmeticError):
        fixed_point(lambda x: x + 1.0, 0.0)
    with pytest.raises(ArithmeticError):
        argmin(lambda x: x, 0.0)


def triple(c):
    return root(lambda x: (x - c) ** 3, 0.3, solver=one)


def singular_system(c):
    return np.sum(root(lambda x: np.array([x[0] + x[1] - c, 2.0 * x[0] + 2.0 * x[1] - 2.0 * c]), np.zeros(2), solver=halves))


def halves(f, x):
    return np.array([0.5, 0.5])


def flat(c):
    return argmin(lambda x: (x - c) ** 4, 1.0, solver=one)


@pytest.mark.parametrize("f", [triple, singular_system, flat], ids=lambda f: f.__name__)
def test_a_singular_jacobian_is_an_error(f: Any) -> None:
    for derivative in (lambda: grad(f)(1.0), lambda: jvp(f, (1.0,), (1.0,))):
        with pytest.raises(ActivityError, match="singular"):
            derivative()


def no_root(c):
    return root(cube, 1.0, c, solver=one)


def test_what_is_no_solution_is_an_error() -> None:
    assert grad(no_root)(1.0) == pytest.approx(1.0 / 3.0)
    with pytest.raises(ActivityError, match="not converged"):
        grad(no_root)(5.0)


def test_what_is_refused() -> None:
    def own_solver(c):
        return root(cube, 1.0, c, solver=lambda f, x: secant(f, x))

    def no_start(c):
        return root(cube, method=c)

    for f in (own_solver, no_start):
        with pytest.raises(errors.UnsupportedSyntaxError):
            grad(f)(2.0)


def test_the_program_can_be_read() -> None:
    text = differentiate(cube_root).source("adjoint", 2.0)
    assert "solved_root(cube, 1.0, args=(c,))" in text


FIRST = """
import numpy as np
import s2sad
def f(p): return s2sad.{call}
print(s2sad.grad(f)(0.5))
"""
CALLS = {
    "root(lambda x, p: x**3 + x - p, 1.0, p)": lambda p: 1 / (3 * 0.4238537990697**2 + 1),
    "fixed_point(lambda x, p: p * np.cos(x), 1.0, p)": lambda p: np.cos(0.45018361129) / (1 + p * np.sin(0.45018361129)),
    "argmin(lambda x, p: (x - p) ** 2 * (2 + p), 1.0, p)": lambda p: 1.0,
}


@pytest.mark.parametrize("call", CALLS)
def test_the_first_derivative_of_a_process(call: str, tmp_path: Path) -> None:
    script = tmp_path / "first.py"
    script.write_text(FIRST.format(call=call))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert np.isclose(float(done.stdout), CALLS[call](0.5), rtol=1e-6)
