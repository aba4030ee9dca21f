"""Arrays that each iteration of a loop makes anew: what later iterations write is other memory, so that nothing is saved of these."""

from __future__ import annotations

import numpy as np

from s2sad import check_grads, differentiate

X, C = np.linspace(0.2, 1.3, 5), np.linspace(1.0, 1.4, 5)


def built_in_place(u, c, steps):
    for _ in range(steps):
        lap = -2.0 * u
        lap[1:] += u[:-1]
        lap[:-1] += u[1:]
        u = u + 0.1 * c * lap
    return np.sum(u**2)


def written_again_after_it_was_read(u, c, steps):
    for _ in range(steps):
        lap = -2.0 * u
        lap[1:] += u[:-1]
        v = c * lap
        lap[:-1] *= u[1:]
        u = u + 0.1 * v * lap
    return np.sum(u**2)


def made_before_the_loop(u, c, steps):
    lap = -2.0 * u
    for _ in range(steps):
        lap[1:] += 0.1 * u[:-1]
        u = u + 0.1 * c * lap
    return np.sum(u**2)


def handed_to_the_next_iteration(u, c, steps):
    lap = np.zeros_like(u)
    for _ in range(steps):
        lap[1:] += u[:-1] * lap[:-1]
        w = 0.3 * u + c * lap
        lap = np.cos(w)
        u = u + 0.1 * c * lap
    return np.sum(u**2)


def made_by_the_outer_loop(u, c, steps):
    for _ in range(steps):
        lap = -2.0 * u
        for k in range(1, 4):
            u = u + 0.1 * c * lap
            lap[k:] += 0.2 * u[:-k]
    return np.sum(u**2)


def an_item_of_a_tuple(u, c, steps):
    pair = (np.zeros_like(u), c)
    for _ in range(steps):
        held = pair[0]
        u = u + 0.1 * c * np.sin(held)
        held[1:] += u[:-1]
    return np.sum(u**2)


def forward_sweep(f):
    return differentiate(f, wrt=(0, 1)).source("adjoint", X, C, 3).split("# reverse sweep")[0].replace("u = np.copy(u)", "")


def test_what_builds_it_saves_nothing() -> None:
    assert "copy" not in forward_sweep(built_in_place)


def test_what_is_read_before_is_saved() -> None:
    for f in (written_again_after_it_was_read, made_before_the_loop, handed_to_the_next_iteration, made_by_the_outer_loop):
        assert "copy" in forward_sweep(f), f.__name__


def test_derivatives() -> None:
    for f in (built_in_place, written_again_after_it_was_read, made_before_the_loop, handed_to_the_next_iteration,
              made_by_the_outer_loop, an_item_of_a_tuple):  # fmt: skip
        check_grads(f, (X, C, 3), wrt=(0, 1))
