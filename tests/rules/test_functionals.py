"""Functions given to SciPy: both modes against differences of the program, and against each other; what is refused."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from thinning import thinned

from s2sad import check_grads, differentiate, grad, jvp, value_and_grad
from s2sad.errors import ActivityError, NoRuleError, S2sadError, UnsupportedSyntaxError
from s2sad.libraries.scipy.runtime import root_of
from s2sad.testing import dot_product_test

pytest.importorskip("scipy")

from functional_programs import PROGRAMS, cube_root, decay, kepler, predators, roots_in_integrals
from scipy.integrate import odeint, quad, solve_ivp
from scipy.optimize import brentq, curve_fit, fixed_point, fsolve, minimize, minimize_scalar, root

# Values with few digits (minima, an integrand with a kink): larger steps, so that the differences tell more than that.
COARSE = {"valley", "bounded", "payoff", "squares", "weighted_fit"}
IDS = [f"{program.__name__}-{k}" for k, (program, _) in enumerate(PROGRAMS)]


@pytest.mark.parametrize("case", thinned(IDS, 2))
def test_program(case: str) -> None:
    program, args = PROGRAMS[IDS.index(case)]
    if program.__name__ in COARSE:
        check_grads(program, args, eps=1e-4, rtol=1e-4, atol=1e-5, together=True)
    else:
        check_grads(program, args, together=True)


@pytest.mark.parametrize("case", thinned(IDS, 4))
def test_modes_are_transposes_of_each_other(case: str) -> None:
    program, args = PROGRAMS[IDS.index(case)]
    dot_product_test(program, args, rtol=1e-6)


def test_generated_programs_hand_over_named_functions() -> None:
    text = differentiate(kepler, wrt=(0, 1)).source("adjoint", 0.8, 0.3)
    assert "def residual(x, " in text
    assert "scipy.optimize.newton(residual, anomaly, args=(" in text
    assert "= linear_root(residual_adjoint, 3, e, args=(e, " in text
    text = differentiate(predators, wrt=(0,)).source("tangent", 1.0, 0.5, 0.7, 0.3, 1.2, 0.8)
    assert "trajectory(lotka_volterra, 0, 2, " in text


def test_only_what_is_active_is_propagated() -> None:
    text = differentiate(decay, wrt="end").source("adjoint", 0.7, 2.0)
    assert "quad_pullback" not in text
    assert "integrand_adjoint" not in text


def loose(k: float) -> Any:
    return solve_ivp(lambda t, y: -k * y, (0.0, 1.0), [1.0, 2.0]).y[0, -1]


def test_loose_tolerances_give_derivatives_as_accurate() -> None:
    value, slope = value_and_grad(loose)(0.7)
    assert value == loose(0.7)
    assert slope == pytest.approx(-np.exp(-0.7), rel=5e-3)


def unconverged(a: float) -> Any:
    return fsolve(lambda x: x**2 + a, 1.0)[0]


def at_bound(a: float) -> Any:
    return minimize_scalar(lambda x: (x - a) ** 2, bounds=(0.0, 0.2), method="bounded").x


def double_root(a: float) -> Any:
    return brentq(lambda x: (x - a) ** 3, 0.0, 1.0, xtol=1e-3, rtol=1e-3)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", [unconverged, at_bound, double_root])
def test_what_is_no_isolated_solution_raises(program: Callable[..., Any]) -> None:
    for derive in (lambda: grad(program)(0.5), lambda: jvp(program, (0.5,), (1.0,))):
        with pytest.raises(ActivityError, match="no derivative"):
            derive()


def handled(a: float) -> Any:
    sol = root(lambda x: x**2 + a, np.ones(1))
    return sol.x[0] if sol.success else a * 2.0


def test_failures_that_the_program_handles_are_its_own_business() -> None:
    assert grad(handled)(0.5) == 2.0
    assert jvp(handled, (0.5,), (1.0,)) == (1.0, 2.0)


def unhandled(a: float) -> Any:
    return root(lambda x: x**2 + a, np.ones(1)).x[0]


def test_failures_that_it_does_not_handle_are_heard_of() -> None:
    assert np.isnan(jvp(unhandled, (0.5,), (1.0,))[1])
    with pytest.raises(ActivityError, match="no derivative"):
        grad(unhandled)(0.5)


def blow_up(a: float) -> Any:
    return solve_ivp(lambda t, y: a * y**2, (0.0, 5.0), [1.0], rtol=1e-8, atol=1e-8).y[0, -1]


@pytest.mark.filterwarnings("ignore")
def test_trajectories_that_do_not_reach_the_end_raise() -> None:
    with pytest.raises(UnsupportedSyntaxError, match="solve_ivp stopped at"):
        grad(blow_up)(1.0)


def counted(a: float) -> Any:
    count = 0

    def f(x: float) -> Any:
        nonlocal count
        count += 1
        return a * x

    return quad(f, 0, 1)[0] + count


def logged(a: float) -> Any:
    seen: list[float] = []

    def f(x: float) -> Any:
        seen.append(x)
        return a * x

    return quad(f, 0, 1)[0]


def buffered(a: float) -> Any:
    buffer = np.zeros(2)

    def f(x: float) -> Any:
        buffer[0] = a * x
        return buffer[0]

    return quad(f, 0, 1)[0]


def covariance(a: float) -> Any:
    popt, pcov = curve_fit(lambda t, p: a * p * t, np.arange(3.0), np.arange(3.0))
    return popt[0] + pcov[0, 0]


REFUSED: list[tuple[Callable[..., Any], str]] = [
    (counted, "which sets 'count' outside"),
    (logged, "writes into memory from outside"),
    (buffered, "writes into memory from outside"),
    (covariance, "covariance"),
    (lambda a: quad(lambda x: a * x, 0, 1, weight="cos", wvar=2.0)[0], "option weight"),
    (
        lambda a: solve_ivp(lambda t, y: -a * y, (0, 1), [1.0], events=lambda t, y: y[0]).y[0, 0],
        "option events",
    ),
    (lambda a: solve_ivp(lambda t, y: -a * y, (0, 1), [1.0], vectorized=True).y[0, 0], "option vectorized"),
    (lambda a: a * solve_ivp(lambda t, y: -a * y, (0, 1), [1.0]).nfev, "'nfev'"),
    (lambda a: solve_ivp(lambda t, y: -a * y, (0, 1), [1.0]), "returning this object"),
    (lambda a: odeint(lambda y, t: -a * y, 1.0, [0.0, 1.0], full_output=True)[0], "option full_output"),
    (lambda a: brentq(lambda x: x**3 - a, 0, 2, full_output=True)[0], "option full_output"),
    (lambda a: minimize(lambda x: (x[0] - a) ** 2, [0.0], constraints=({"type": "eq"},)).x[0], "constraints"),
]


def moving_bound(a: float) -> Any:
    return minimize(lambda x: (x[0] - 2.0) ** 2, [0.0], bounds=[(0.0, a)]).x[0]


def test_bounds_do_not_move() -> None:
    for derive in (lambda: grad(moving_bound)(0.5), lambda: jvp(moving_bound, (0.5,), (1.0,))):
        with pytest.raises(NoRuleError, match="with respect to bounds"):
            derive()


@pytest.mark.parametrize(("program", "words"), REFUSED, ids=[r[1] for r in REFUSED])
def test_what_has_no_rule_is_refused(program: Callable[..., Any], words: str) -> None:
    for derive in (lambda: grad(program)(0.5), lambda: jvp(program, (0.5,), (1.0,))):
        with pytest.raises(
            UnsupportedSyntaxError if words != "returning this object" else S2sadError, match=words
        ):
            derive()


def ended(b: float) -> Any:
    return odeint(lambda y, t: -b * y, 1.0, [0.0, 1.0])[-1, 0]


def test_second_derivatives_of_trajectories_are_refused_by_name() -> None:
    with pytest.raises(NoRuleError, match="second ones of functions that take functions"):
        grad(grad(ended))(0.5)


def weighted(k: float, end: float, w: Any) -> Any:
    return quad(lambda x: np.exp(-k * x) * np.sum(np.sin(w * x)), 0.2 * k, end)[0]


def nested(a: float, b: float) -> Any:
    return quad(lambda x: quad(lambda y: np.sin(x * y * a), 0, x)[0], 0, b)[0]


def unbounded(k: float, low: float) -> Any:
    return quad(lambda x: np.exp(-k * x * x), low, np.inf)[0] ** 2


def coupled(a: float, b: float) -> Any:
    x, y = fsolve(lambda z: [z[0] ** 2 + z[1] ** 2 - a, z[0] * z[1] - b], [1.5, 0.5], xtol=1e-13)
    return x + 2 * y * y


def fixed(w: Any) -> Any:
    return np.sum(fixed_point(lambda x: np.tanh(w * x[::-1] + 0.3), np.zeros(2), xtol=1e-14) ** 2)


SECOND = [
    (decay, (0.7, 2.0)),
    (weighted, (0.7, 1.3, np.array([0.4, 0.8]))),
    (nested, (0.7, 0.8)),
    (unbounded, (0.7, 0.3)),
    (cube_root, (1.3, 0.4)),
    (kepler, (0.8, 0.3)),
    (coupled, (4.0, 1.0)),
    (fixed, (np.array([0.4, 0.8]),)),
    (roots_in_integrals, (2.0, 0.7)),
]


@pytest.mark.parametrize("case", thinned([p[0].__name__ for p in SECOND], 3))
def test_second_derivatives(case: str) -> None:
    program, args = next(p for p in SECOND if p[0].__name__ == case)
    check_grads(program, args, order=2, together=True)


slope_of_cube_root = grad(cube_root)


def slope(c: float, d: float) -> Any:
    return slope_of_cube_root(c, d)


def test_derivatives_of_different_derivatives_have_names_of_their_own() -> None:
    names = re.findall(r"^def (\w+)", differentiate(slope).source("adjoint", 1.3, 0.4), re.MULTILINE)
    assert len(names) == len(set(names))


def best_line(p: float) -> Any:
    return minimize(lambda x: quad(lambda t: (x[0] * t - np.exp(p * t)) ** 2, 0, 1)[0], [0.5], tol=1e-11).x[0]


def test_minima_of_integrals() -> None:
    check_grads(best_line, (0.7,), eps=1e-4, rtol=1e-4)


def derived_text(x0: float) -> Any:
    return root_of(lambda x: x**2 - x0, np.ones(1))[0]


def test_generated_programs_with_solvers_are_not_differentiated_again() -> None:
    with pytest.raises(UnsupportedSyntaxError, match="root_of of a generated program"):
        grad(derived_text)(0.5)


PROGRAM = """import numpy as np
from scipy import integrate
from scipy.optimize import brentq, minimize


def integrand(x, k):
    return np.exp(-k * x)


def slope(y, t, k):
    return [-k * y[0], y[0] - y[1]]


def program(k: float, end: float):
    area = integrate.quad(integrand, 0.0, end, args=(k,))[0]
    y = integrate.odeint(slope, [1.0, end], np.linspace(0.0, 1.0, 4), args=(k,))
    sol = integrate.solve_ivp(lambda t, y: -k * y, (0.0, end), np.array([1.0, 2.0]), rtol=1e-10, atol=1e-10)
    x = brentq(lambda x: x**3 - k, 0.0, 2.0)
    res = minimize(lambda x: (x[0] - k) ** 2, [0.0])
    return area * x + y[-1, 1] + sol.y[0, -1] * res.x[0]
"""


def load(path: Path, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("option", [pytest.param("", marks=pytest.mark.deep), "--standalone"])
def test_files_are_transformed_without_being_executed(tmp_path: Path, option: str) -> None:
    (tmp_path / "source.py").write_text(PROGRAM)
    command = [
        sys.executable,
        "-m",
        "s2sad",
        "transform",
        str(tmp_path / "source.py"),
        "--function",
        "program",
    ]
    command += ["--wrt", "k,end", "-o", "-", *([option] if option else [])]
    text = subprocess.run(command, check=True, timeout=60, capture_output=True, text=True).stdout
    assert ("import s2sad" in text or "from s2sad" in text) == (not option)
    (tmp_path / "derived.py").write_text(text)
    found, (k_bar, end_bar) = load(tmp_path / "derived.py", "derived").program_adjoint(0.7, 1.2)
    program, h = load(tmp_path / "source.py", "source").program, 1e-4
    assert found == pytest.approx(program(0.7, 1.2), rel=1e-12)
    assert k_bar == pytest.approx((program(0.7 + h, 1.2) - program(0.7 - h, 1.2)) / (2 * h), rel=1e-4)
    assert end_bar == pytest.approx((program(0.7, 1.2 + h) - program(0.7, 1.2 - h)) / (2 * h), rel=1e-4)
