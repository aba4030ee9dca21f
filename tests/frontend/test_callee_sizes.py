"""A function that is called with axes of size 1, which NumPy stretches, and with longer ones is lowered once for each."""

from __future__ import annotations

import numpy as np

from s2sad import check_grads, differentiate


def reduced(place, mode):
    if mode == "short":
        return np.asarray(place, dtype=int) % 4
    return np.asarray(place, dtype=int) % 3


def gathered(x, c):
    i = reduced(c[None], "long")
    j = reduced(np.stack((c, c + 1)), "long")
    return np.sum(c * c * x[i, 0]) + np.sum(np.stack((c, c)) * x[j, 0])


def test_a_size_of_1_is_no_other_size() -> None:
    check_grads(gathered, (np.arange(12.0).reshape(4, 3) ** 1.3, np.array([0.2, 1.3, 2.1])))


def cut(x, c):
    y = x
    if c > 0:
        y = x[1:]
    return y * c


def cut_twice(x, c):
    one, other = cut(x, c), cut(x, -c)
    return np.sum(one[2:] * other[2:] ** 2)


def test_what_a_branch_joins_is_another_size_at_each_call() -> None:
    for x in (np.linspace(0.5, 1.5, 4), np.linspace(0.5, 1.5, 4) ** 2):
        for c in (1.3, -1.3):
            check_grads(cut_twice, (x, c))


def smoothed(u, f):
    r = f - u * u
    if len(u) < 3:
        return u + r[-1:] * u[-1:]
    return u + np.repeat(smoothed(np.zeros_like(r[1:]) + u[1:], r[1:]), 2)[: len(u)] * r


def energy(u, f):
    return np.sum(smoothed(u, f) ** 2)


def blended(points, t):
    if len(points) == 1:
        return points[0]
    return (1 - t) * blended(points[:-1], t) + t * blended(points[1:], t)


def length(points, t):
    return np.sum(blended(points, t) ** 2)


def test_sizes_that_are_equal_at_a_call_are_equal_in_a_recursion() -> None:
    f = np.linspace(0.5, 1.5, 6)
    for u in (np.cos(f), np.cos(f[:1]), np.cos(f)):
        for args in ((u, f), (f, u)):
            check_grads(energy, args)
    text = differentiate(energy, wrt=("u", "f")).source("adjoint", np.cos(f), f)
    assert "unbroadcast(-r_bar" not in text
    assert "u: float64[n]; f: float64[n]" in text


def test_results_of_recursions_have_sizes() -> None:
    for shape in ((4, 2), (4, 1), (1, 3), (3, 2)):
        check_grads(length, (np.linspace(0.5, 1.5, shape[0] * shape[1]).reshape(shape), 0.3))
    assert "unbroadcast" not in differentiate(length).source("adjoint", np.ones((4, 2)), 0.3)


def log_of_sum(x, axis=None, keep=False):
    largest = np.max(x, axis=axis, keepdims=True)
    spread = np.log(np.sum(np.exp(x - largest), axis=axis, keepdims=True)) + largest
    return spread if keep else np.squeeze(spread, axis=axis)


def by_columns_and_rows(x, w):
    total = np.sum(log_of_sum(x * x, axis=0) * w) + np.sum(log_of_sum(x, 1) ** 2) + np.sum(log_of_sum(x * w, axis=0))
    for k in range(2):
        total += log_of_sum(x, k)[0] * log_of_sum(x, 1, True)[0, 0]
    return total * log_of_sum(w)


def test_a_literal_that_tells_what_a_function_returns_is_the_functions_own() -> None:
    x, w = np.linspace(0.5, 1.5, 6).reshape(2, 3) ** 2, np.array([0.3, -0.2, 1.1])
    for args in ((x, w), (x[:, :1], w[:1]), (x, w[:1]), (x, w)):
        check_grads(by_columns_and_rows, args)

    def columns(x, w):
        return np.sum(log_of_sum(x * x, axis=0) * w) + np.sum(log_of_sum(x * w, axis=0))

    text = differentiate(columns, wrt=("x", "w")).source("adjoint", x, w)
    assert "unbroadcast" not in text and "log_of_sum_forward(x)" in text
