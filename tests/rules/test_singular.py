"""Points where a function is finite and its slope is not: what is exactly zero contributes nothing, in both modes."""

import math

import numpy as np
import pytest

from s2sad import grad, hessian, jvp

AT = np.array([0.5, 1.3, 2.1])


def upper_distances(x):
    d = x[:, None] - x[None, :]
    return np.sum(np.triu(np.sqrt(d**2), 1) ** 2)


def inverse_distances(x):
    d = x[:, None] - x[None, :]
    r = np.sqrt(d**2)
    r[r > 0] = 1 / r[r > 0]
    return np.sum(np.triu(r, 1))


def scalar_distances(x):
    total = 0.0
    for i in range(3):
        for j in range(3):
            r = np.sqrt((x[i] - x[j]) ** 2)
            if r > 0:
                total += 1 / r
    return total


def masked_power(x):
    d = x[:, None] - x[None, :]
    return np.sum(np.where(d > 0, np.abs(d) ** 0.7, 0.0))


def masked_arcsin(x):
    inside = np.minimum(x / 1.3, 1.0)
    return np.sum(np.where(inside < 1.0, np.arcsin(inside), 0.0))


def masked_angle(x):
    d = np.maximum(x - 1.3, 0.0)
    return np.sum(np.where(d > 0, np.arctan2(d, 2.0 * d * x), 0.0))


PROGRAMS = [upper_distances, inverse_distances, scalar_distances, masked_power, masked_arcsin, masked_angle]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_both_modes_step_over_the_singular_points(program):
    at = AT if program is not masked_arcsin else np.array([0.5, 1.3, 0.7])
    h = 1e-6
    with np.errstate(all="ignore"):
        steps = np.array([(program(at + h * e) - program(at - h * e)) / (2 * h) for e in np.eye(3)])
    some = [0, 2] if program in (masked_angle, masked_arcsin) else [0, 1, 2]  # the others are at a kink
    backward = grad(program)(at)
    forward = np.array([jvp(program, (at,), (e,))[1] for e in np.eye(3)])
    assert np.all(np.isfinite(backward))
    np.testing.assert_allclose(backward[some], steps[some], rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(forward[some], steps[some], rtol=1e-5, atol=1e-7)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_not_zero_is_infinite():
    gradient = grad(lambda x: np.sum(np.sqrt(x)))(np.array([0.0, 4.0]))
    np.testing.assert_array_equal(gradient, [np.inf, 0.25])


def test_an_adjoint_that_is_zero_by_chance_still_varies():
    def f(w, x):
        return np.sum(w * np.sqrt(x))

    by_x = grad(f, 1)
    x = np.array([1.0, 4.0])
    np.testing.assert_allclose(jvp(lambda w: by_x(w, x), (np.zeros(2),), (np.ones(2),))[1], 0.5 / np.sqrt(x))


def rectified(x):
    return np.maximum(x, 0.0)


CHOICES = {
    "maximum": lambda x: np.sqrt(np.maximum(x, 0.0)).sum(),
    "in a helper": lambda x: np.sqrt(rectified(x)).sum(),
    "minimum": lambda x: np.arcsin(np.minimum(0.2 * x + 0.9, 1.0)).sum(),
    "fmax": lambda x: np.sqrt(np.fmax(x, 0.0)).sum(),
    "clip": lambda x: np.arccos(np.clip(0.5 * x + 0.9, -1.0, 1.0)).sum(),
    "method": lambda x: np.sqrt(x.clip(0)).sum(),
    "power": lambda x: (np.maximum(x, 0.0) ** 0.3).sum(),
    "between": lambda x: np.sqrt(3.0 * np.maximum(x, 0.0) ** 2).sum() + np.sum(x),
    "numbers": lambda x: math.sqrt(max(0.0, x[0])) + math.acos(min(1.0, max(-1.0, x[1]))) + x[1],
    "Python's numbers": lambda x: math.sqrt(max(0.0, float(x[0]))) + x[1],
    "loop": lambda x: sum(np.sqrt(max(v, 0.0)) for v in x),
    "reduction": lambda x: np.sqrt(np.max([0.0, x[0]])) + x[1],
    "mask": lambda x: np.sqrt(x * (x > 0)).sum(),
    "mask first": lambda x: np.sqrt((x > 0) * x).sum(),
    "infinite tangents": lambda x: np.maximum(np.sqrt(0.0 * x + np.array([0.0, 1.0]) * np.abs(x)), 1.5).sum(),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("program", CHOICES.values(), ids=CHOICES)
def test_what_is_not_chosen_has_no_slope(program, backend):
    at, h = np.array([-1.0, 4.0]), 1e-6
    steps = np.array([(program(at + h * e) - program(at - h * e)) / (2 * h) for e in np.eye(2)])
    np.testing.assert_allclose(grad(program, backend=backend)(at), steps, atol=1e-7)
    np.testing.assert_allclose([jvp(program, (at,), (e,))[1] for e in np.eye(2)], steps, atol=1e-7)
    assert np.all(np.isfinite(hessian(program)(at)))
