"""Records that take far more memory than what they are made of: that is recorded, and the reverse sweep makes them again."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, differentiate, grad

Q = np.random.default_rng(1).normal(size=(4, 2))
M = np.array([0.9, 0.4, 0.6, 0.8])


def pairs(q, m, steps):
    """n points, arrays of n * n."""
    p = 0.1 * q
    for _ in range(steps):
        apart = q[None, :, :] - q[:, None, :]
        r2 = np.sum(apart * apart, axis=-1) + 0.3
        w = m / (r2 * np.sqrt(r2))
        p = p + 0.1 * np.sum(w[:, :, None] * apart, axis=1)
        q = q + 0.1 * p
    return np.sum(q**2)


def moved_first(q, m, steps):
    """What is recorded is computed in the loop."""
    p = 0.1 * q
    for _ in range(steps):
        q = q + 0.1 * p
        apart = q[:, 0] - q[:, 0][:, None]
        w = np.exp(-(apart**2)) * m
        p = p + 0.1 * np.sum(w * apart, axis=0)[:, None]
    return np.sum(q**2)


def pair_by_pair(q, m, steps):
    p = 0.1 * q
    for _ in range(steps):
        force = np.zeros_like(q)
        for i in range(q.shape[0]):
            for j in range(q.shape[0]):
                if i != j:
                    d = q[j] - q[i]
                    r2 = d @ d + 0.3
                    force[i] += m[j] * d / (r2 * np.sqrt(r2))
        p = p + 0.1 * force
        q = q + 0.1 * p
    return np.sum(q**2)


def each_pair_once(q, m, steps):
    """The inner loop runs over what the outer one says."""
    p = 0.1 * q
    for _ in range(steps):
        force = np.zeros_like(q)
        for i in range(q.shape[0]):
            for j in range(i + 1, q.shape[0]):
                d = (q[j] - q[i]) * m[i] * m[j]
                f = d / (np.sum(d**2) + 0.3)
                force[i] += f
                force[j] -= f
        p = p + 0.1 * force
        q = q + 0.1 * p
    return np.sum(q**2)


def in_place(q, m, steps):
    """A copy is recorded of what the other loop writes into."""
    q = q.copy()
    p = 0.1 * q
    for _ in range(steps):
        force = np.zeros_like(q)
        for i in range(q.shape[0]):
            for j in range(q.shape[0]):
                dx = q[j, 0] - q[i, 0]
                dy = q[j, 1] - q[i, 1]
                w = m[j] / (dx * dx + dy * dy + 0.3)
                force[i, 0] += w * dx
                force[i, 1] += w * dy
        for i in range(q.shape[0]):
            p[i] += 0.1 * force[i]
            q[i] += 0.1 * p[i]
    return np.sum(q**2)


def rows_in_place(q, m, steps):
    q = q.copy()
    p = 0.1 * q
    for _ in range(steps):
        for i in range(q.shape[0]):
            d = q - q[i]
            r = np.sqrt(np.sum(d**2, axis=1) + 0.3)
            p[i] += 0.1 * np.sum((m / r**3)[:, None] * d, axis=0)
        q += 0.1 * p
    return np.sum(q**2)


def kept_in_a_path(q, m, steps):
    """What is read is there until the end."""
    path = np.zeros((steps + 1, q.shape[0]))
    path[0] = q[:, 0]
    for t in range(steps):
        w = np.zeros(q.shape[0])
        for k in range(q.shape[0]):
            near = path[t] - path[t, k]
            w[k] = np.sum(near / (near**2 + m[k]))
        path[t + 1] = path[t] + 0.1 * w
    return np.sum(path[-1] ** 2) + np.sum(path)


def rates(z, m):
    x, y = z
    return np.array([m[0] * x - m[1] * x * y, m[2] * x * y - m[3] * y])


def stages(q, m, steps):
    """A method of several stages: all of them follow from the path."""
    path = np.zeros((steps + 1, 2))
    path[0] = q[0]
    for t in range(steps):
        z = path[t]
        k = rates(z, m)
        l = rates(z + 0.05 * k, m)
        path[t + 1] = z + 0.1 * rates(z + 0.05 * l, m)
    return np.sum(path**2)


ALL = [pairs, moved_first, pair_by_pair, each_pair_once, in_place, rows_in_place, kept_in_a_path]


def moved_at_once(q, m, steps):
    """The next pair reads what this one has written: a copy would be none of what it read."""
    q = q.copy()
    s = 0.0
    for _ in range(steps):
        for i in range(q.shape[0]):
            for j in range(q.shape[0]):
                dx = q[j, 0] - q[i, 0] + m[j]
                w = 1.0 / (dx * dx + 0.3)
                s += w * dx
                q[i, 0] += 0.01 * w * dx
    return s + np.sum(q**2)


def window_from_outside(q, m, steps):
    """A window that is made before the loops shows what is there when it is read."""
    q = q.copy()
    first = q[:, 0]
    s = 0.0
    for _ in range(steps):
        for i in range(q.shape[0]):
            d = first - q[i, 0] * m
            s += np.sum(d / (d**2 + 0.5))
        q *= 0.9
    return s


def one_of_two(q, m, steps):
    """Either of two arrays may be written."""
    a, b = q.copy(), 2.0 * q
    s = 0.0
    for t in range(steps):
        c = a if t % 2 else b
        for i in range(q.shape[0]):
            d = c - c[i] * m[i]
            s += np.sum(d / (d**2 + 0.5))
        a *= 0.9
    return s


def until(q, m, steps):
    """Loops that end early, and a loop that says itself how often it runs."""
    s = 0.0
    k = 0
    while k < steps and s < 100.0:
        q = q * 1.1
        for i in range(q.shape[0]):
            d = q - q[i] * m[i]
            w = np.sum(d / (d**2 + 0.5))
            s += w * w
            if s > 50.0:
                break
        k += 1
    return s


def mean_of_all(q, m, steps):
    """What is computed of all pairs has as few items as what it is made of."""
    for _ in range(steps):
        mean = np.tanh(np.sum(q[:, None, 0] * q[None, :, 1], axis=1))
        q = q + (m * mean)[:, None]
    return np.sum(q**2)


def recursive(q, m, steps):
    for i in range(q.shape[0]):
        d = q - q[i]
        m = m + 0.1 * np.sum(d / (d**2 + 0.5), axis=1)
    return recursive(q * 0.9 + m[:, None] * 0.1, m, steps - 1) if steps > 1 else np.sum(m**2)


OTHERS = [moved_at_once, window_from_outside, one_of_two, until, mean_of_all, recursive]


@pytest.mark.parametrize("function", [*ALL, stages, *OTHERS])
@pytest.mark.parametrize("steps", [1, 3])
def test_derivatives(function: Callable[..., Any], steps: int) -> None:
    check_grads(function, (Q, M, steps))


@pytest.mark.parametrize("function", [pairs, in_place, each_pair_once])
def test_second_derivatives(function: Callable[..., Any]) -> None:
    check_grads(lambda q, m: np.sum(grad(function)(q, m, 2) * np.cos(q)), (Q, M))


@pytest.mark.parametrize("function", ALL)
def test_memory(function: Callable[..., Any]) -> None:
    """For n points it grows as n."""
    held = []
    for n in (8, 32):
        q, m = np.random.default_rng(1).normal(size=(n, 2)), np.full(n, 0.1)
        ours = differentiate(function)
        ours.grad(q, m, 4)
        space: dict[str, Any] = {}
        exec(ours.source("adjoint", q, m, 4), space)  # the text itself, which nothing watches
        adjoint = space[f"{function.__name__}_adjoint"]
        adjoint(q, m, 4)
        tracemalloc.start()
        adjoint(q, m, 4)
        held.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    at_once = 32 * 32 * 8 * 12 if function in (pairs, moved_first) else 0  # of one step, where all pairs are an array
    assert held[1] <= 8 * held[0] + at_once


def test_a_copy_is_read_where_an_array_changes() -> None:
    text = differentiate(in_place).source("adjoint", Q, M, 3)
    assert "q_tape.append(np.copy(q))" in text and text.count("append") == 1
    text = differentiate(pair_by_pair).source("adjoint", Q, M, 3)
    assert "q_tape.append(q)" in text and text.count("append") == 1
    for function in (kept_in_a_path, stages):
        assert "append" not in differentiate(function).source("adjoint", Q, M, 3)


def test_no_copy_where_it_would_be_none_of_what_was_read() -> None:
    for function in (moved_at_once, window_from_outside, one_of_two):
        assert ".append(np.copy(q))" not in differentiate(function).source("adjoint", Q, M, 3)
