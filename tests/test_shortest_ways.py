"""``jvp`` and ``hvp`` run a program again by one look at arguments and tangents: what does not fit goes the long way."""

from __future__ import annotations

import types

import numpy as np
import pytest

from s2sad import ActivityError, grad, hessian, hvp, jacfwd, jacobian, jacrev, jvp
from s2sad import api as inner

FACTOR = 2.0


def cubes(x, y):
    return np.sum(FACTOR * x**3) * y


def scaled(x, k=2):
    return k * x * x


X, V = np.array([1.0, 2.0, -0.5]), np.array([0.5, -1.0, 2.0])


@pytest.fixture(autouse=True)
def _without_watch(monkeypatch):
    monkeypatch.setenv("S2SAD_VERIFY", "0")  # under watch there is no short way


@pytest.fixture
def counted(monkeypatch):
    """How often the long way was gone."""
    found = types.SimpleNamespace(times=0)
    long_way = inner.directions

    def directions(*args):
        found.times += 1
        return long_way(*args)

    monkeypatch.setattr(inner, "directions", directions)
    return found


def expected(x, y, v, w):
    return FACTOR * np.sum(x**3) * y, FACTOR * (np.sum(3 * x**2 * v) * y + np.sum(x**3) * w)


def test_the_second_call_goes_the_short_way(counted):
    for k in range(4):
        value, tangent = jvp(cubes, (X * k, 2.0), (V, 0.5))
        assert np.allclose([value, tangent], expected(X * k, 2.0, V, 0.5))
    assert counted.times == 1
    for _ in range(3):
        gradient, product = hvp(cubes, (X, 2.0), (V, None))
        assert np.allclose(gradient[0], FACTOR * 6 * X**2) and np.allclose(product[0], FACTOR * 12 * X * V)
        assert np.isclose(product[1], FACTOR * np.sum(3 * X**2 * V))
    assert counted.times == 2


@pytest.mark.parametrize(
    ("primals", "tangents"),
    [
        ((X, 2.0), (V, None)), ((X, 2.0), (None, 1.0)), ((X[:2], 2.0), (V[:2], 0.5)), ((X, 2.0), (V.astype(np.float32), 0.5)),
        ((X, 2.0), (V, np.float64(0.5))), ((X, 2.0), (V, 1)), ((X.astype(np.float32), 2.0), (V, 0.5)), ((X, 2), (V, 0)),
        ((X[::-1], 2.0), (V, 0.5)), ([X, 2.0], [V, 0.5]),
    ],
)  # fmt: skip
def test_other_tangents_are_those_of_the_long_way(primals, tangents):
    for _ in range(2):
        jvp(cubes, (X, 2.0), (V, 0.5))  # what is known now is of these
        found = jvp(cubes, primals, tangents)
        given = [np.zeros_like(p) if t is None else t for p, t in zip(primals, tangents, strict=True)]
        assert np.allclose(found, expected(*primals, *given), rtol=1e-5)


def test_what_does_not_fit_is_refused_as_before():
    for _ in range(3):
        assert np.allclose(jvp(cubes, (X, 2.0), (V, 0.5)), expected(X, 2.0, V, 0.5))
    with pytest.raises(ActivityError, match="shape"):
        jvp(cubes, (X, 2.0), (V[:2], 0.5))
    with pytest.raises(ActivityError, match="tangents"):
        jvp(cubes, (X, 2.0), (V,))
    with pytest.raises(ActivityError, match="tangents"):
        hvp(cubes, (X, 2.0), (V,))
    with pytest.raises(TypeError):
        jvp(cubes, (X, 2.0, 3.0), (V, 0.5, 1.0))


def test_matrices_keep_their_layout():
    def product(a):
        return np.sum(a.reshape(-1)[:3] ** 3)

    a, v = np.arange(6.0).reshape(2, 3), np.ones((2, 3))
    for turned in (v, np.asfortranarray(v), v, v[::-1], np.asfortranarray(v)):
        for at in (a, np.asfortranarray(a)):
            assert np.isclose(jvp(product, (at,), (turned,))[1], 15.0)
            assert np.allclose(hvp(product, (at,), (turned,))[1], [[0, 6, 12], [0, 0, 0]])


def test_the_world_is_asked_each_time(monkeypatch):
    g = grad(cubes)
    before = [jvp(g, (X, 1.0), (V, None))[1] for _ in range(3)][-1]
    monkeypatch.setitem(globals(), "FACTOR", 5.0)
    assert np.allclose(jvp(g, (X, 1.0), (V, None))[1], 2.5 * before)
    assert np.allclose(hvp(cubes, (X, 1.0), (V, None))[1][0], 2.5 * before)


def test_defaults_and_code_that_are_set_later():
    def changing(x, k=2.0):
        return k * x**3

    for _ in range(3):
        assert jvp(changing, (2.0,), (1.0,))[1] == 24.0
        assert hvp(changing, (2.0,), (1.0,)) == (24.0, 24.0)
    changing.__defaults__ = (3.0,)
    assert jvp(changing, (2.0,), (1.0,))[1] == 36.0
    assert hvp(changing, (2.0,), (1.0,)) == (36.0, 36.0)
    changing.__code__ = (lambda x, k=2.0: k * x).__code__
    assert jvp(changing, (2.0,), (1.0,))[1] == 3.0
    assert hvp(changing, (2.0,), (1.0,)) == (3.0, 0.0)


def test_selections_by_name_and_zero_tangents():
    for _ in range(3):
        assert np.isclose(jvp(cubes, (X, 2.0), (0.5,), wrt=("y",))[1], FACTOR * np.sum(X**3) * 0.5)
        assert np.isclose(jvp(cubes, (X, 2.0), (0.5, V), wrt=["y", "x"])[1], expected(X, 2.0, V, 0.5)[1])
        assert np.isclose(jvp(cubes, (X, 2.0), (0.5, None), wrt=["y", "x"])[1], FACTOR * np.sum(X**3) * 0.5)
        gradient, product = hvp(cubes, (X, 2.0), (V,), wrt="x")
        assert np.allclose(product, FACTOR * 12 * X * V) and np.allclose(gradient, FACTOR * 6 * X**2)
        assert np.allclose(hvp(cubes, (X, 2.0), (None, None))[1][0], 0.0)
        assert hvp(scaled, (1.5, 3), (2.0, None))[1] == (12.0, None)


def pairs(x, k):
    return x[1:] * x[:-1] ** k


def kept_parts(x):
    return x[x > 0.0] ** 2


@pytest.mark.parametrize(
    ("make", "function", "args"),
    [
        (jacfwd, pairs, (X, 2)), (jacrev, pairs, (X, 2)), (jacfwd, kept_parts, (X,)), (jacrev, kept_parts, (X,)),
        (hessian, cubes, (X, 2.0)),
    ],
)  # fmt: skip
def test_jacobians_go_the_short_way_and_leave_it_where_shapes_are_others(make, function, args):
    derived, first = make(function), grad(function) if make is hessian else function

    def slopes(x):
        steps = 1e-6 * np.eye(x.size)
        return np.stack([(first(x + h, *args[1:]) - first(x - h, *args[1:])) / 2e-6 for h in steps], -1)

    for x in (X, X, X + 0.1, np.array([0.5, 1.0, 2.0]), np.append(X, 0.3), X[::-1], X):
        assert np.allclose(derived(x, *args[1:]), slopes(x), atol=1e-6)
        assert derived.again is not None
    found = derived(X, *args[1:])
    found[...] = 0.0  # it is the caller's own
    assert np.allclose(derived(X, *args[1:]), slopes(X), atol=1e-6)


def test_a_jacobian_by_the_short_way_sees_what_changes(monkeypatch):
    derived = jacobian(cubes)
    assert np.allclose([derived(X, 2.0), derived(X, 2.0)], FACTOR * 6 * X**2)
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    assert np.allclose(derived(X, 2.0), 18 * X**2)
    assert np.allclose(derived(X.astype(np.float32), 2.0), 18 * X**2, rtol=1e-5)
    with pytest.raises(ActivityError):
        derived(X.astype(int), 2.0)


NOISE = np.random.default_rng(3)


def noisy(x):
    return x * NOISE.standard_normal(3)


@pytest.mark.parametrize("chunk_size", [None, 1])
def test_columns_of_what_draws_are_of_one_draw(chunk_size):
    derived = jacfwd(noisy, chunk_size=chunk_size)
    for _ in range(3):
        state = NOISE.bit_generator.state
        found = derived(X)
        NOISE.bit_generator.state = state
        assert np.array_equal(found, np.diag(NOISE.standard_normal(3)))


def test_several_directions_go_the_short_way(counted):
    rows = np.stack([V, 2 * V, X])
    for k in range(3):
        value, tangents = jvp(cubes, (X + k, 2.0), (rows, np.ones(3)), batched=True)
        wanted = [expected(X + k, 2.0, row, 1.0)[1] for row in rows]
        assert np.isclose(value, expected(X + k, 2.0, V, 0.0)[0]) and np.allclose(tangents, wanted)
    assert counted.times == 1
    for tangents in ((rows, np.ones(2)), (rows[:, :2], np.ones(3)), (rows * 1j, np.ones(3)), (rows[0], 1.0)):
        with pytest.raises(ActivityError):
            jvp(cubes, (X, 2.0), tangents, batched=True)
    assert jvp(cubes, (X, 2.0), (rows[:0], np.ones(0)), batched=True)[1].shape == (0,)
    assert np.allclose(jvp(cubes, (X, 2.0), (rows, None), batched=True)[1], [expected(X, 2.0, r, 0.0)[1] for r in rows])


@pytest.mark.parametrize(
    ("primals", "tangents", "wrt"),
    [
        ((X, 2.0), (V, 0.5), None), ((X, 2.0), (V, None), None), ((X, 2.0), (None, 1), None), ((X, 2), (V, None), None),
        ((X.astype(np.float32), 2.0), (V, 0.5), None), ((X[::2], 2.0), (V[::2], np.float64(0.5)), None), ((X, 2.0), (V,), (0,)),
        ((X, 2.0), (V,), 0), ((X, 2.0), (0.5,), "y"),
    ],
)  # fmt: skip
def test_products_in_reverse_are_of_one_run_and_those_of_the_forward_mode(primals, tangents, wrt, monkeypatch):
    wanted = hvp(cubes, primals, tangents, wrt=wrt)
    monkeypatch.setattr(inner, "pulled_back", None)  # which evaluates the gradient for itself
    for _ in range(3):
        found = hvp(cubes, primals, tangents, wrt=wrt, mode="rev")
        for one, other in zip(found, wanted, strict=True):
            assert type(one) is type(other)
            for a, b in zip(*((each if isinstance(each, tuple) else (each,)) for each in (one, other)), strict=True):
                assert (a is None and b is None) or (np.allclose(a, b, rtol=1e-5) and np.result_type(a) == np.result_type(b))


def test_seeds_of_products_in_reverse_are_looked_at():
    for _ in range(2):
        hvp(cubes, (X, 2.0), (V, 0.5), mode="rev")
        for tangents in ((V[:2], 0.5), ([1.0, 2.0, 3.0], 0.5), (V * 1j, 0.5), (V, V)):
            with pytest.raises(ActivityError):
                hvp(cubes, (X, 2.0), tangents, mode="rev")


def test_what_has_no_tangent_in_a_tree_is_zero_in_reverse():
    def weighted(p, d):
        return np.sum(p["w"] ** p["n"]) * d[0] ** 2

    args, along = ({"w": X, "n": 3, "s": "text"}, [2.0, 1]), ({"w": V, "n": None}, [1.0, None])
    forward, back = (hvp(weighted, args, along, mode=mode)[1] for mode in ("fwd", "rev"))
    assert np.allclose(forward[0]["w"], back[0]["w"]) and np.isclose(forward[1][0], back[1][0])
