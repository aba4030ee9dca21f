"""What a library call returns several of, written into: an item has one adjoint however it is named, and the whole holds it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad, hvp, vjp
from s2sad.testing import check_grads

A = np.random.default_rng(0).random((3, 3)) + np.eye(3)
W = np.arange(9.0).reshape(3, 3)


def named_twice(a):
    t = np.linalg.eigh(a + a.T)
    t[0][1] *= 3
    return np.sum(t[0] * W[0])


def named_from_both_ends(a):
    t = np.linalg.qr(a)
    t[-1][0] = 2.0
    return np.sum(t[1] * W) + np.sum(t[-2])


def in_a_loop(a):
    t = np.linalg.eigh(a + a.T)
    for i in range(3):
        w = t[0]
        w[i] *= 2
        w[1] = np.sum(t[0])
    return np.sum(t[0] * W[0])


def made_again_in_a_loop(a):
    for i in range(3):
        t = np.linalg.qr(a)
        t[1][i] *= 2.0
        a = t[1] + t[0]
    return np.sum(t[1] * W)


def in_a_branch(a):
    t = np.linalg.qr(a) if a[0, 0] > 0 else np.linalg.qr(a.T)
    if a[1, 1] > 0:
        t[1][0] *= 2
    return np.sum(t[1] * W * t[0])


def written(t):
    t[1][0] = t[1][1] * 2


def by_a_function(a):
    t = np.linalg.qr(a)
    written(t)
    return np.sum(t[1] * W)


def in_a_dict(a):
    d = {"q": np.linalg.qr(a)}
    d["q"][1][0] *= 2
    return np.sum(d["q"][1] * W)


def under_two_names(a):
    q, r = t = np.linalg.qr(a)
    r[0] *= 2
    t[1][1] *= 3
    return np.sum(t.R * W * r + q)


def one_by_one(a):
    t = np.linalg.qr(a)
    for s in t:
        s[0] *= 2
    return np.sum(t[1] * W * t[0])


def by_windows(a):
    t = np.linalg.qr(a)
    r = t[1][0]
    r *= 2
    v = t[1][:, 1]
    v += r
    return np.sum(t[1] * W * t[0])


def in_another(a):
    t = (np.linalg.qr(a), 2.0)
    for k in range(2):
        u = t[0]
        for j in range(2):
            u[1][j, k] *= t[1]
    return np.sum(t[0][1] * W)


def whole(a):
    t = np.linalg.qr(a)
    t[1][0] *= 2
    return np.sum(np.stack(t) * np.stack([W, W + 1]))


PROGRAMS = (
    named_twice, named_from_both_ends, in_a_loop, made_again_in_a_loop, in_a_branch, by_a_function, in_a_dict, under_two_names,
    one_by_one, by_windows, in_another, whole,
)  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_both_modes(program: Callable[..., Any]) -> None:
    check_grads(program, (A,))


@pytest.mark.parametrize("program", [named_twice, named_from_both_ends, under_two_names, in_another, whole])
def test_second_order(program: Callable[..., Any]) -> None:
    """Also where the reverse sweep of a reverse sweep looks at a factor that was written (``regular``)."""
    forward, reverse = (hvp(program, (A,), (W,), mode=mode)[1] for mode in ("fwd", "rev"))
    step = 1e-5
    slopes = [grad(program)(A + h * W) for h in (step, -step)]
    np.testing.assert_allclose(forward, (slopes[0] - slopes[1]) / (2 * step), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(reverse, forward, rtol=1e-9, atol=1e-9)


def test_the_whole_is_returned_as_it_was_left() -> None:
    def program(a):
        t = np.linalg.qr(a)
        t[1][0] *= 2
        return t

    value, _ = vjp(program, A)
    for ours, theirs in zip(value, program(A), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    check_grads(program, (A,))


def test_it_is_passed_on_as_it_was_left() -> None:
    linalg = pytest.importorskip("scipy.linalg")

    def program(a):
        t = linalg.lu_factor(a)
        t[0][0, 2] *= 2
        return np.sum(linalg.lu_solve(t, W))

    check_grads(program, (A,))
