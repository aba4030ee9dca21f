"""How many directions go in one sweep: by the sizes of arrays, and by what a further sweep would compute again."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

from s2sad import differentiate, jvp, vjp
from s2sad.directions.sweeps import fewest
from s2sad.runtime.directions import ROWS

RNG = np.random.default_rng(2)
W = RNG.standard_normal((4, 4))


def stencil(u):
    v = u.copy()
    for _ in range(3):
        v[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2]) * v[1:-1] ** 2
    return np.exp(-v) * u


def factored(u):
    return np.linalg.solve(np.outer(u, u) + np.eye(len(u)), np.ones(len(u)))


def special(u):
    return scipy.special.gammaln(u + 1.0)


@pytest.mark.parametrize(
    ("function", "least", "most"),
    [(stencil, 1, 2), (factored, 16, 10_000), (special, 256, 10_000), (lambda u: np.tanh(W @ u), 1, 64)],
)  # fmt: skip
def test_values_that_take_long_are_computed_for_many_directions(function, least, most):
    for mode in ("tangents", "adjoints"):
        assert least <= fewest(differentiate(function).source(mode, np.ones(4))) <= most


def tree(p, u):
    return {"v": stencil(u) * p["a"] + p["w"] @ p["w"], "n": 3, "s": np.sum(u) * p["a"]}


def test_sweeps_are_joined():
    """Of 7 directions, of which one sweep takes fewer."""
    n = ROWS // 3
    p, u = {"w": W[0], "a": 0.5, "k": 2}, RNG.uniform(0.5, 1.0, n)
    rows = {"w": RNG.standard_normal((7, 4)), "a": RNG.standard_normal(7), "k": None}
    along = RNG.standard_normal((7, n))
    value, found = jvp(tree, (p, u), (rows, along), batched=True)
    for k in range(7):
        one, tangent = jvp(tree, (p, u), ({"w": rows["w"][k], "a": rows["a"][k], "k": None}, along[k]))
        assert one["n"] == value["n"] and np.array_equal(one["v"], value["v"])
        np.testing.assert_allclose(found["v"][k], tangent["v"], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(found["s"][k], tangent["s"], rtol=1e-10)
    pullback = vjp(tree, p, u)[1]
    bars = pullback({"v": along, "n": None, "s": rows["a"]}, batched=True)
    for k in range(7):
        p_bar, u_bar = pullback({"v": along[k], "n": None, "s": rows["a"][k]})
        np.testing.assert_allclose(bars[1][k], u_bar, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(bars[0]["w"][k], p_bar["w"], rtol=1e-10, atol=1e-10)


def drawn(u, rng):
    return u * rng.standard_normal(len(u))


def test_what_draws_goes_in_one_sweep():
    u, rows = RNG.standard_normal(ROWS // 2), RNG.standard_normal((5, ROWS // 2))
    value, found = jvp(drawn, (u, np.random.default_rng(1)), (rows, None), batched=True)
    np.testing.assert_allclose(found * u, rows * value)
