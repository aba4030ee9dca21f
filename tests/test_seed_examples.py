"""The systems of the texts that the project comes from: each example's figures, and the command that runs them."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

import checkpointing
import computational_graph
import grad_operation
import gradient_of_gradient
import hessian_spectrum
import hessian_vector_product
import jacobian_modes
import multidimensional_scaling
import numpy as np
import pushforward_pullback
import pytest
import what_ad_is_not
import zero_order
from numpy.testing import assert_allclose

from s2sad import jacfwd, jacobian, jacrev, jvp, vjp

ROOT = Path(__file__).resolve().parent.parent


def test_every_example_is_listed_with_what_it_shows() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "examples", "list"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == sorted(
        path.stem for path in (ROOT / "examples").glob("*.py") if path.stem not in ("__main__", "pictures", "regenerate")
    )
    assert all(len(line.split()) > 3 for line in lines)


def test_an_example_runs_by_its_name_and_an_unknown_one_does_not() -> None:
    command = [sys.executable, "-m", "examples"]
    done = subprocess.run([*command, "worked_graph"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "reverse, once" in done.stdout
    assert subprocess.run([*command, "nothing"], cwd=ROOT, capture_output=True, check=False).returncode == 1


def test_the_textbook_graph_and_the_adjoint_graph_that_extends_it() -> None:
    primal, adjoint = computational_graph.graphs()
    assert (primal.count("input"), primal.count("operation")) == (2, 5)
    assert adjoint.count("operation") == 5
    assert adjoint.count("adjoint") > 0
    labels = {edge.label for edge in adjoint.edges}
    assert {"v3 = 0.693", "v4 = 10.000", "v5 = -0.959", "v6 = 10.693", "y = 11.652"} <= labels
    assert {"x1_bar = 5.500", "x2_bar = 1.716"} <= labels


def test_two_point_estimates_have_the_gradient_as_their_mean() -> None:
    rng, w = np.random.default_rng(0), np.array([1.0, -2.0, 0.5])
    mean = np.mean([zero_order.two_point(w, rng) for _ in range(20_000)], axis=0)
    assert_allclose(mean, zero_order.loss.grad(w), atol=0.08)
    assert_allclose(zero_order.differences(w), zero_order.loss.grad(w), atol=1e-8)


def test_without_gradients_descent_needs_the_more_steps_the_more_variables_there_are() -> None:
    rows = zero_order.table()
    first, zero = [row[1] for row in rows], [row[2] for row in rows]
    assert max(first) <= 6
    assert zero == sorted(zero)
    assert zero[-1] > 20 * first[-1]


def test_descents_by_differences_take_the_longer_the_more_variables_there_are() -> None:
    small, large = zero_order.times()[0], zero_order.times()[-1]
    assert large[3] > 4 * large[1]  # 128 evaluations a step for one gradient
    assert large[3] / large[1] > small[3] / small[1]


def test_points_come_back_from_their_distances() -> None:
    points, _, _ = multidimensional_scaling.data()
    found, first, zero = multidimensional_scaling.runs()
    assert first[-1] < 1e-12 < zero[-1]
    assert multidimensional_scaling.misfit(found, points) < 1e-8


@pytest.mark.parametrize("m", [5, 100, 200])
def test_both_modes_give_the_same_jacobian_and_the_cheaper_one_is_taken(m: int) -> None:
    x, a = jacobian_modes.data(m)
    expected = jacobian_modes.by_hand(x, a)
    for derivative in (jacfwd, jacrev, jacobian):
        assert_allclose(derivative(jacobian_modes.f)(x, a), expected, rtol=1e-12, atol=1e-14)
    reason = jacobian(jacobian_modes.f).why(x, a)
    assert reason.startswith("reverse" if m < jacobian_modes.INPUTS else "forward")


def test_hessian_vector_products() -> None:
    rng = np.random.default_rng(0)
    forward, reverse, full = hessian_vector_product.products(rng.normal(size=6), rng.normal(size=6))
    assert_allclose(forward, full, rtol=1e-10, atol=1e-9)
    assert_allclose(reverse, full, rtol=1e-10, atol=1e-9)


def test_newtons_method_by_products_finds_the_minimum() -> None:
    found, steps = hessian_vector_product.newton_cg(np.zeros(10))
    assert_allclose(found, np.ones(10), atol=1e-8)
    assert steps < 100


def test_the_trace_and_the_extreme_eigenvalues_of_a_networks_hessian() -> None:
    whole = hessian_spectrum.full()
    assert_allclose(whole, whole.T, atol=1e-12)
    size = whole.shape[0]
    assert_allclose(np.array([hessian_spectrum.product(e) for e in np.eye(size)]), whole, atol=1e-12)
    deviation = np.sqrt(2 * (np.sum(whole**2) - np.sum(np.diag(whole) ** 2)) / 300)
    assert abs(hessian_spectrum.hutchinson(300)[-1] - np.trace(whole)) < 4 * deviation
    pytest.importorskip("scipy")
    assert_allclose(hessian_spectrum.extremes(), np.linalg.eigvalsh(whole)[[0, -1]], rtol=1e-8)


def test_differences_lose_half_of_the_digits_and_programs_none() -> None:
    assert_allclose(what_ad_is_not.logistic.grad(0.2), what_ad_is_not.by_hand(0.2), rtol=1e-14)
    steps = np.logspace(-16, -1, 120)
    forward, central = what_ad_is_not.errors(steps)
    for errors in (forward, central):  # the V: bad at both ends, best in between
        best = int(errors.argmin())
        assert 0 < best < len(steps) - 1
        assert errors[0] > 1e3 * errors[best] and errors[-1] > 1e3 * errors[best]
    assert forward.min() > 1e-9 and central.min() > 1e-13


def test_symbolic_derivatives_swell() -> None:
    pytest.importorskip("sympy")
    operations = [row[1] for row in what_ad_is_not.swell()]
    assert all(later > 2 * earlier for earlier, later in itertools.pairwise(operations))


def test_gradients_of_gradients_to_third_order() -> None:
    derivatives = (gradient_of_gradient.first, gradient_of_gradient.second, gradient_of_gradient.third)
    for x in (0.3, 1.3, -2.0):
        assert_allclose([d(x) for d in derivatives], gradient_of_gradient.by_hand(x), rtol=1e-13)
    sizes = gradient_of_gradient.sizes()
    assert sizes == sorted(sizes)
    assert_allclose(gradient_of_gradient.slope.grad(1.3), gradient_of_gradient.by_hand(1.3)[1], rtol=1e-13)


def test_digits_are_recognised() -> None:
    pytest.importorskip("sklearn")
    import digits

    for curve, tested in digits.results().values():
        assert curve[-1] < 0.2 * curve[0]
        assert tested >= 0.95


@pytest.mark.parametrize(("asked", "found", "expected"), grad_operation.table())
def test_grad_operation(asked, found, expected) -> None:
    pairs = zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]
    for one, other in pairs:
        assert_allclose(one, other, rtol=1e-12, atol=1e-14)


def test_pushforward_and_pullback_are_one_linear_map() -> None:
    forward, reverse = pushforward_pullback.both()
    assert_allclose(forward, reverse, rtol=1e-12)
    point, v, w = pushforward_pullback.data()
    moved = [pushforward_pullback.chain(*(p + s * t for p, t in zip(point, v, strict=True))) for s in (1e-6, -1e-6)]
    assert_allclose(jvp(pushforward_pullback.chain, point, v)[1], (moved[0] - moved[1]) / 2e-6, rtol=1e-7)
    assert vjp(pushforward_pullback.chain, *point)[1](w)[0].shape == (3, 3)


def test_segments_cost_a_third_more_and_memory_of_the_order_of_the_root() -> None:
    shallow, deep = ({p: checkpointing.cost(p, n) for p in (checkpointing.recorded, checkpointing.segmented)} for n in (64, 256))
    for runs in (shallow, deep):
        ratio = runs[checkpointing.segmented].operations / runs[checkpointing.recorded].operations
        assert_allclose(ratio, 4 / 3, rtol=0.03)
    growth = {p: checkpointing.states(deep[p]) / checkpointing.states(shallow[p]) for p in deep}
    assert 3.5 < growth[checkpointing.recorded] < 4.1
    assert growth[checkpointing.segmented] < 2.1


def test_the_binomial_schedule_needs_logarithmically_many_states_and_evaluations() -> None:
    runs = {n: checkpointing.cost(checkpointing.binomial, n, int(np.log2(n))) for n in (64, 256)}
    assert checkpointing.states(runs[256]) - checkpointing.states(runs[64]) < 4.0
    assert checkpointing.layers_forward(64, 6) < 64 * 6
    assert round(checkpointing.layers_forward(64, 6)) == checkpointing.fewest(65, 6)
    kept = {row.name: row for row in checkpointing.binomial.tape(*checkpointing.data(), 256, 8)}
    assert kept["kept"].items == 8
    assert kept["x_tape"].bytes <= 8 * checkpointing.STATE


def test_all_ways_through_the_chain_have_one_gradient() -> None:
    expected = checkpointing.recorded.grad(*checkpointing.data(), 64)
    assert np.array_equal(checkpointing.binomial.grad(*checkpointing.data(), 64, 6), expected)
    assert_allclose(checkpointing.segmented.grad(*checkpointing.data(), 64), expected, rtol=1e-12)
