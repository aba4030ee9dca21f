"""``jvp`` and ``hvp`` run a program again by one look at arguments and tangents: what does not fit goes the long way."""

from __future__ import annotations

import types

import numpy as np
import pytest

from s2sad import ActivityError, grad, hvp, jvp
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
