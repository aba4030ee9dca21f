"""Arrays that are complete when they are handed on: values, recorded by reference, without shadows that travel."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import check_grads, differentiate

U = np.linspace(0.3, 1.1, 7) ** 2
C = np.linspace(0.1, 0.4, 7)


def leapfrog(u, c, steps):
    before, now = u, u.copy()
    for _ in range(steps):
        after = 2.0 * now - before
        after[1:-1] += c[1:-1] * (now[2:] - 2.0 * now[1:-1] + now[:-2])
        before, now = now, after
    return np.sum(now**2)


def nonlinear(u, c, steps):
    now = u
    for _ in range(steps):
        new = np.sin(now)
        new[1:] *= now[:-1]
        new[0] = c[0] * new[1]
        edge = new[-2:]
        edge += c[:2] * edge
        now = new
    return np.sum(now * c)


def by_elements(u, c, steps):
    now = u
    for _ in range(steps):
        new = np.zeros(len(now))
        for i in range(1, len(now)):
            new[i] = new[i - 1] * c[i] + now[i] * now[i - 1]
        now = new
    return np.sum(now)


def in_branches(u, c, steps):
    now = u
    for k in range(steps):
        if k % 2:
            new = now * c
            new[0] = now[1] * now[2]
        else:
            new = now + c
            new[::2] = np.exp(now[::2])
        now = new
    return np.sum(now**2)


def window_outlives(u, c, steps):
    now, seen = u, c[:2]
    for _ in range(steps):
        new = now * c
        edge = new[:2]
        new[1] = now[0] * now[3]
        seen = seen * edge
        now = new
    return np.sum(now) + np.sum(seen)


def held(u, c, steps):
    now, all_of_them = u, []
    for _ in range(steps):
        new = now * c
        all_of_them.append(new)
        new[1] = now[0] * now[3]
        now = new
    return np.sum(now) + np.sum(all_of_them[0] * c)


def written_later(u, c, steps):
    now = u.copy()
    for _ in range(steps):
        new = now * c
        new[1] = now[0] * now[3]
        now = new
        now[2] = now[2] * now[1]
    now[0] = 2.0 * now[1]
    return np.sum(now**2)


def kept_twice(u, c, steps):
    a, b = u, u
    for _ in range(steps):
        new = a * b
        new[2] = a[0] * c[1]
        a, b = new, new
    return np.sum(a * b)


def no_trip(u, c, steps):
    before, now = np.zeros(len(u)), np.zeros(len(u))
    before[0] = u[1]
    for _ in range(steps - 3):
        new = now * c
        new[0] = before[1]
        before, now = now, new
    return np.sum(before * u) + np.sum(now)


PROGRAMS = (leapfrog, nonlinear, by_elements, in_branches, window_outlives, held, written_later, kept_twice, no_trip)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_derivatives(program) -> None:
    check_grads(program, (U, C, 3), order=2 if program in (leapfrog, held, kept_twice) else 1)


@pytest.mark.parametrize("program", [leapfrog, by_elements, in_branches, kept_twice], ids=lambda p: p.__name__)
def test_what_is_handed_on_is_a_value(program) -> None:
    text = differentiate(program, wrt=("u", "c")).source("adjoint", U, C, 3)
    forward = text.partition("# reverse sweep")[0]
    assert "_bar" not in forward.partition("# forward sweep")[2] and "np.copy" not in forward


def test_two_arrays_take_turns_in_the_reverse_sweep() -> None:
    text = differentiate(leapfrog, wrt=("u", "c")).source("adjoint", U, C, 3)
    assert "np.copy" not in text and "assert_distinct" not in text
