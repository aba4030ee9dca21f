"""Calls that are computed again in the reverse sweep because it pays: which, what is recorded, and that derivatives are right."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from s2sad import check_grads, differentiate, grad, hvp

RNG = np.random.default_rng(11)


def growth(x, y, a, unread):
    return a * x * (1.0 - y) + unread, a * y


def of_numbers(x, a, n):
    y = 0.3 * x
    for _ in range(n):
        x, y = growth(x, y, a, 2.0 * x)
    return x * y


def attraction(q, m):
    apart = q[None, :] - q[:, None]
    return np.sum(m * apart / (apart**2 + 1.0), axis=1)


def of_points(q, m, n):
    for _ in range(n):
        q = q + 0.1 * attraction(q, m)
    return np.sum(q**3)


def contracted_attraction(q, m):
    apart = q[np.newaxis, :, :] - q[:, np.newaxis, :]
    far = np.sqrt(np.einsum("ijk,ijk->ij", apart, apart) + 0.1)
    return np.einsum("ijk,ij,j->ik", apart, far**-3, m)


def of_contractions(q, m, n):
    q = np.stack((q, 0.5 * q), axis=1)
    for _ in range(n):
        q = q + 0.1 * contracted_attraction(q, m)
    return np.sum(q**3)


def moved_in_place(q, m, n):
    for _ in range(n):
        q += 0.1 * attraction(q, m)
        m[1:] *= 0.9
    return np.sum(q**3)


def in_a_branch(q, m, n):
    for k in range(n):
        if k % 2:
            q = q + 0.1 * attraction(q, m * q)
        else:
            q[k] = 0.5 * q[k + 1]
    return np.sum(q**3)


def result_is_written(q, m, n):
    for k in range(n):
        pull = attraction(q, m)
        pull[k] = q[0] * pull[k + 1]
        q = q + 0.1 * pull
    return np.sum(q**3)


POINTS = (RNG.normal(size=5), RNG.uniform(0.5, 1.0, 5), 3)
OF_POINTS = (of_points, of_contractions, moved_in_place, in_a_branch, result_is_written)
CASES = [(of_numbers, (0.4, 1.3, 4)), *((f, POINTS) for f in OF_POINTS)]


@pytest.mark.parametrize(("function", "args"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_derivatives(function, args) -> None:
    wrt = tuple(range(len(args) - 1))
    check_grads(function, args, wrt=wrt)
    text = differentiate(function, wrt=wrt).source("adjoint", *args)
    assert "_reverse(" not in text and "_forward(" not in text
    assert ("growth" if function is of_numbers else "attraction") + "_adjoint(" in text


def test_second_derivatives() -> None:
    (q, m, n), direction, h = POINTS, np.linspace(0.5, 1.0, 5), 1e-6
    _, found = hvp(of_points, POINTS, (direction,), wrt=0)
    moved = [grad(of_points)(q + s * h * direction, m, n) for s in (1, -1)]
    np.testing.assert_allclose(found, (moved[0] - moved[1]) / (2 * h), rtol=1e-6, atol=1e-8)


def test_arguments_are_recorded_and_what_nobody_reads_is_not() -> None:
    derived = differentiate(of_points, wrt=("q", "m"))
    names = derived.tape(*POINTS)
    assert "apart" not in str(names)
    head = inspect.cleandoc(differentiate(of_numbers).source("adjoint", 0.4, 1.3, 4))
    line = next(line for line in head.splitlines() if line.startswith("def growth_adjoint("))
    assert "unread" not in line


def rates(z, p):
    x, y = z
    a, b = p
    return np.array([a * x - b * x * y, b * x * y - a * y])


def of_few_items(z, p, n):
    for _ in range(n):
        z = z + 0.1 * rates(z, p)
    return np.sum(z**2)


def test_numbers_may_be_unpacked() -> None:
    args = np.array([1.0, 0.5]), np.array([0.4, 0.3]), 3
    check_grads(of_few_items, args, wrt=(0, 1))
    assert "rates_adjoint(" in differentiate(of_few_items, wrt=(0, 1)).source("adjoint", *args)
    with pytest.raises(ValueError, match="too many values to unpack"):
        grad(of_few_items)(np.array([1.0, 0.5, 2.0]), *args[1:])


def product(a, b):
    return np.sum((a @ b)[:, None, :] * a[:, :, None], axis=1)


def with_a_loop(x, a):
    for _ in range(3):
        x = a * x
    return x


def same_size(x):
    return np.sin(x) * np.exp(x)


def calls(a, b, x, n):
    total = 0.0
    for _ in range(n):
        x = with_a_loop(x, 0.3)
        total += np.sum(product(a, b) * same_size(b)) * x
    return total


def test_what_is_recorded_as_ever() -> None:
    """Products of matrices, loops, and what takes no more memory than the arguments."""
    args = RNG.normal(size=(3, 3)), RNG.normal(size=(3, 3)), 0.7, 2
    check_grads(calls, args, wrt=(0, 1, 2))
    text = differentiate(calls, wrt=(0, 1, 2)).source("adjoint", *args)
    assert all(f"{name}_reverse(" in text for name in ("product", "with_a_loop", "same_size"))
