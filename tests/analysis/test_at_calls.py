"""Facts that hold at every call of a function: which calls are made again for them, and derivatives where sizes differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from s2sad import check_grads, differentiate, hvp

RNG = np.random.default_rng(8)
Z, P = RNG.normal(size=2), RNG.normal(size=4)


def rates(z, p):
    return np.array([p[0] * z[0] - p[1] * z[0] * z[1], p[2] * z[0] * z[1] - p[3] * z[1]])


def steps(z, p):
    for _ in range(3):
        z = z + 0.1 * rates(z + 0.05 * rates(z, p), p)
    return np.sum(z**2)


def stored(z, p):
    path = np.zeros((4, 2))
    path[0] = z[:2]
    for k in range(3):
        path[k + 1] = path[k] + 0.1 * rates(path[k], p)
    return np.sum(path**2)


def overwritten(z, p):
    state = np.zeros(2)
    state[:] = z
    for _ in range(3):
        state += 0.1 * rates(state, p)
    return np.sum(state**2)


def stage(z, p):
    return z + 0.1 * rates(z, p)


def of_a_function(z, p):
    z = z * np.ones(2)
    for _ in range(3):
        z = stage(z, p)
    return np.sum(z**2)


def of_another_size(z, p):
    """The second call of ``rates`` is of as many items as the first one and one more."""
    z = z * np.ones(2)
    longer = np.concatenate([rates(z, p), np.ones(1)])
    return np.sum(rates(z, p) * rates(longer, p))


def of_any_size(z, p):
    """What is a new array in each call, of a size that nobody knows: numbers take less memory."""
    for k in range(3):
        z = np.concatenate([0.1 * rates(z, p), z])
    return np.sum(z**2)


def written_parameters(z, p):
    """The parameters change: arrays of any size would be copied."""
    z = z * np.ones(2)
    p = p * 1.0
    for _ in range(3):
        z = z + 0.1 * rates(z, p)
        p[0] = p[0] * z[1]
    return np.sum(z**2)


def one_step(f, z, p):
    return z + 0.1 * f(z, p)


def handed_over(z, p):
    z = z * np.ones(2)
    for _ in range(3):
        z = one_step(rates, z, p)
    return np.sum(z**2)


def halves(x):
    return x[0] * x[1] if len(x) == 2 else halves(x[: len(x) // 2]) * halves(x[len(x) // 2 :])


def recursive(z, p):
    return halves(np.array([p[0], z[0], p[1], z[1], z[0], p[2], z[1], p[3]]))


# Which calls of ``rates`` are made again in the reverse sweep.
PROGRAMS: dict[Callable[..., Any], bool | None] = {
    steps: True, stored: True, overwritten: True, of_a_function: True, of_another_size: False, of_any_size: False,
    written_parameters: False, handed_over: None, recursive: None,
}  # fmt: skip


@pytest.mark.parametrize("f", [f for f, again in PROGRAMS.items() if again is not None], ids=lambda f: f.__name__)
def test_which_calls_are_made_again(f: Callable[..., Any]) -> None:
    text = differentiate(f, wrt=("z", "p")).source("adjoint", Z.copy(), P.copy())
    assert ("rates_adjoint(" in text, "rates_forward(" in text) == (PROGRAMS[f], not PROGRAMS[f]), text


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives(f: Callable[..., Any]) -> None:
    check_grads(f, (Z.copy(), P.copy()), wrt=("z", "p"))
    u, h = RNG.normal(size=4), 1e-6
    ours = differentiate(f, wrt="p")
    product = hvp(lambda p: f(Z, p), (P,), (u,))[1]
    np.testing.assert_allclose(product, (ours.grad(Z, P + h * u) - ours.grad(Z, P - h * u)) / (2 * h), rtol=1e-6, atol=1e-7)


@settings(max_examples=15)
@given(st.lists(st.tuples(st.integers(2, 3), st.integers(4, 5), st.booleans()), min_size=2, max_size=3))
def test_one_program_and_arguments_of_other_sizes(sizes: list[tuple[int, int, bool]]) -> None:
    ours = differentiate(of_sizes, wrt=("z", "p"))
    for n, m, twice in sizes:
        z, p = RNG.normal(size=n), RNG.normal(size=m)
        found, u, h = ours.grad(z, p, twice), RNG.normal(size=m), 1e-6
        slope = (of_sizes(z, p + h * u, twice) - of_sizes(z, p - h * u, twice)) / (2 * h)
        np.testing.assert_allclose(found[1] @ u, slope, rtol=1e-6, atol=1e-8)
        assert found[0].shape == z.shape and found[1].shape == p.shape


def of_sizes(z, p, twice):
    """As ``steps``, of two items or more."""
    found = rates(z, p)
    for _ in range(2):
        found = found + 0.1 * rates(found, p)
    return np.sum(found**2) + (np.sum(rates(z, p[::-1])) if twice else 0.0) + np.sum(z)


def unread(z, p):
    rates(z * np.ones(2), p)
    return np.sum(z) * np.sum(p)


def test_what_raises_still_does() -> None:
    for f in (steps, unread):
        with pytest.raises(IndexError):
            differentiate(f, wrt=("z", "p")).grad(Z, P[:3])
