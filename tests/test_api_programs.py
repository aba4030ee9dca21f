"""Programs that once went wrong, each against central differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from programs.inplace.searches import overwritten_on_one_path, stored_on_one_path

from s2sad import check_grads, grad, hvp, jvp, vjp


def sine_of_list(a: Any, b: Any) -> Any:
    items = []
    items.append(a * 2.0)
    items.append(b * a)
    return np.sum(np.sin(items))


def rows_in_a_list(x: Any) -> Any:
    rows = []
    for i in range(3):
        r = x[i]
        rows.append(r)
    rows[1] *= rows[0]
    return x.sum() * rows[1][0]


def either_buffer(u: Any, flag: Any) -> Any:
    buf = u if flag > 0 else u * 2
    buf[0] = 3.0 * buf[1]
    return u.sum() * buf[0]


def double_buffer(x: Any) -> Any:
    a = x.copy()
    b = np.zeros_like(x)
    for t in range(4):
        if t % 2:
            a, b = b, a
        b[1:-1] = a[:-2] * a[2:]
        b[0] = a[0]
        if b[1] > 100:
            break
    return a.sum() * b[1]


def repeated_indices(x: Any) -> Any:
    index = np.array([1, 1, 3, 0])
    y = np.zeros(5)
    y[index] += x
    y[index] *= 2
    np.add.at(y, index, x * x)
    y[index] = y[index] * x
    return (y**2).sum()


def negative_index(x: Any) -> Any:
    k = -2
    x[k] = x[k - 1] ** 2
    x[k + 1 :] = x[k + 1 :] * x[k]
    return x.sum() ** 2


def wrapped_neighbour(x: Any) -> Any:
    y = x.copy()
    for i in range(y.shape[0]):
        y[i] = y[i] * y[i - 1]
    return np.sum(y**2)


RNG = np.random.default_rng(0)
PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (sine_of_list, (RNG.random(3), RNG.random(3))),
    (rows_in_a_list, (RNG.random((3, 3)) + 0.5,)),
    (either_buffer, (RNG.random(3) + 1, 1.0)),
    (either_buffer, (RNG.random(3) + 1, -1.0)),
    (double_buffer, (RNG.random(5) + 0.5,)),
    (repeated_indices, (RNG.random(4) + 0.5,)),
    (negative_index, (RNG.random(5) + 0.5,)),
    (wrapped_neighbour, (RNG.random(5) + 0.5,)),
]


@pytest.mark.parametrize(("function", "args"), PROGRAMS)
def test_gradient(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check_grads(function, args)


def restored(x: Any) -> Any:
    y = x.copy()
    for i in range(1, 3):
        y[i] = y[i] * y[i - 1] ** 2
    return y


def test_value_of_an_adjoint_program_is_that_of_the_primal() -> None:
    from s2sad import differentiate

    x = np.arange(3.0) + 1
    scope: dict[str, Any] = {}
    exec(differentiate(restored).source("adjoint", x), scope)
    value, _ = scope["restored_adjoint"](x, np.ones(3))
    np.testing.assert_allclose(value, restored(x))


def cubic(x: Any) -> Any:
    s = 1.0
    for i in range(3):
        s = s * np.sin(x + i)
    while s > 10.0:
        s = 0.5 * s
    return s


def test_derivatives_of_derivatives() -> None:
    first, second, third = grad(cubic), grad(grad(cubic)), grad(grad(grad(cubic)))
    x, eps = 0.7, 1e-5
    np.testing.assert_allclose(second(x), (first(x + eps) - first(x - eps)) / (2 * eps), rtol=1e-6)
    np.testing.assert_allclose(third(x), (second(x + eps) - second(x - eps)) / (2 * eps), rtol=1e-6)
    np.testing.assert_allclose(jvp(first, (x,), (1.0,))[1], second(x), rtol=1e-12)
    np.testing.assert_allclose(vjp(first, x)[1](1.0)[0], second(x), rtol=1e-12)


# --- tuples and unbound names across branches and loops


def eigen_sum(a):
    pair = np.linalg.eigh(a @ a.T)
    s = 0.0
    for i in range(3):
        s += pair[0][i] ** 2 * pair[1][0, i] ** 2
    return s


def chosen_pair(a, c):
    pair = np.linalg.eigh(a @ a.T) if c > 0 else np.linalg.eigh(a + a.T)
    return np.sum(pair[0] ** 3)


def pair_in_a_branch(a):
    pair = np.linalg.eigh(a @ a.T)
    if a[0, 0] > 0:
        return np.sum(pair[0] ** 2)
    return np.sum(pair[0])


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_tuples_cross_branches_and_loops(sign: float) -> None:
    a = sign * np.random.default_rng(0).normal(size=(3, 3))
    check_grads(eigen_sum, (a,))
    check_grads(chosen_pair, (a, sign))
    check_grads(pair_in_a_branch, (a,))


def unbound_unless_taken(a, c):
    done = False
    if c > 0:
        w = a * 2
    else:
        done = True
    if not done:
        out = np.sum(np.log(np.diag(w)))
    else:
        out = np.sum(a)
    return out


def unbound_in_a_loop(a, c):
    s = 0.0
    for i in range(3):
        if c * (i - 1) > 0:
            w = np.sin(a[i]) * c
            taken = True
        else:
            taken = False
        if taken:
            s += np.sum(w**2) * s + np.sum(w**3)
        else:
            s += np.sum(a[i])
    return s


@pytest.mark.parametrize("c", [1.0, -1.0])
@pytest.mark.parametrize("function", [unbound_unless_taken, unbound_in_a_loop])
def test_names_that_a_path_leaves_unbound(function, c: float) -> None:
    check_grads(function, (np.random.default_rng(0).uniform(1, 2, size=(3, 3)), c))


def tree(x, w, depth):
    if depth == 0:
        return np.tanh(w * x)
    left = tree(x * 0.9, w, depth - 1)
    right = tree(x + w, w, depth - 1)
    return left * right + 0.1 * w


def even(n, x):
    return x if n == 0 else np.sin(odd(n - 1, x * 1.1))


def odd(n, x):
    return 0.5 * x if n == 0 else np.cos(even(n - 1, x))


@pytest.mark.parametrize("function", [lambda x: tree(x, 0.3 * x, 2), lambda x: even(3, x) * x])
def test_third_derivatives_of_recursions(function) -> None:
    second = grad(grad(function))
    x, step = 0.7, 1e-5
    assert np.isclose(grad(second)(x), (second(x + step) - second(x - step)) / (2 * step), rtol=1e-6)


# --- stores under conditions, items of unknown rank, indices kept in lists


def test_a_value_is_read_again_only_where_it_was_stored() -> None:
    x = np.array([0.3, 0.6, 0.8, 0.1])
    check_grads(stored_on_one_path, (x,))
    check_grads(overwritten_on_one_path, (x,))


def vector_or_matrix(x, k):
    xs = [np.outer(x, x), x * 2.0]
    a = xs[k]
    t = 0.0
    for i in range(3):
        v = a[i]
        u = a[2 - i]
        a[i] = np.sum(u * v) + v
        t = t + np.sum(v) * np.sum(u)
        a[2 - i] = t * u
    return np.sum(a * a)


def swapped_ranks(x, k):
    a = np.outer(x, x) if k else x * 2.0
    b = np.outer(x, x) if k else np.sin(x)
    for i in range(2):
        v = a[i]
        a[i + 1] += v * b[i]
        a, b = b, a
    return np.sum(a * a * b)


@pytest.mark.parametrize("k", [0, 1])
@pytest.mark.parametrize("function", [vector_or_matrix, swapped_ranks])
def test_items_that_are_numbers_or_windows(function, k: int) -> None:
    check_grads(function, (np.array([0.3, 0.5, 0.7]), k), wrt=(0,))


def differences_along_axes(a):
    out = np.zeros(a.shape)
    for d in range(2):
        ahead = [slice(None)] * a.ndim
        here = list(ahead)
        ahead[d] = slice(1, None)
        here[d] = slice(None, -1)
        out[tuple(here)] += (a[tuple(ahead)] - a[tuple(here)]) ** 2
    return out


def test_an_index_kept_in_a_list() -> None:
    check_grads(differences_along_axes, (np.random.default_rng(0).normal(size=(3, 4)),))


def becomes_a_list(c, sub, n):
    prev = c * np.arange(3)
    for i in range(n):
        cur = [prev[0] + c]
        for j in range(2):
            cur.append(prev[j + 1] + cur[j] * sub[i, j])
        prev = cur
    return prev[-1]


def test_a_name_that_is_an_array_and_then_a_list() -> None:
    for count in (1, 2, np.int64(2)):  # a whole number is known where it must be
        check_grads(becomes_a_list, (0.3, np.ones((2, 2)), count), wrt=0)
    for share in (0.0, 0.25, 0.5):
        check_grads(lambda c, sub: becomes_a_list(c, sub, int(np.sum(sub))), (0.3, np.full((2, 2), share)), wrt=0)


def becomes_a_list_twice(c, sub):
    prev = c * np.arange(3)
    for i in range(2):
        cur = [prev[0] + c]
        for j in range(2):
            cur.append(prev[j + 1] + cur[j] * sub[i, j])
        prev = cur
    return prev[-1]


def test_it_is_right_where_the_iterations_are_known() -> None:
    check_grads(becomes_a_list_twice, (0.3, np.array([[1.0, 0.5], [0.3, 2.0]])))


def test_parameters_may_end_in_an_underscore() -> None:
    assert grad(lambda open_, x: open_ * x, "open_")(2.0, 3.0) == 3.0


def horner(c, x):
    first, *rest = c
    acc = first
    for k in rest:
        acc = acc * x + k
    return acc


def log_sum_exp(*xs):
    m = max(xs)
    return m + np.log(sum(np.exp(x - m) for x in xs))


def forward_algorithm(e):
    alphas = list(e[0])
    for t in range(1, len(e)):
        alphas = [log_sum_exp(*[a * e[t, j] for a in alphas]) for j in range(e.shape[1])]
    return log_sum_exp(*alphas)


def pascal(x, rows=5):
    triangle = [[1.0]]
    for _ in range(rows):
        last = triangle[-1]
        triangle.append([1.0, *[x * (p + q) for p, q in zip(last, last[1:])], 1.0])  # noqa: RUF007 - the idiom is what is tested
    return sum(sum(row) for row in triangle)


def test_starred_lists_of_unknown_length() -> None:
    check_grads(horner, (np.array([0.3, 0.5, 0.7, 1.1]), 0.7))
    check_grads(forward_algorithm, (np.random.default_rng(0).normal(size=(3, 3)),))
    check_grads(pascal, (0.7,))


# --- reshapes that are windows or copies, orders, lists as arrays


def reshaped_in_columns(a):
    return np.sin(a).reshape((4, 3), order="F") * a.T.reshape(4, 3)


def extremes_of_lists(x):
    return np.max([x[0], x[1], 0.1]) * np.min([x[2], x[1]])


def writes_into_a_ravel(a):
    y = a.T.ravel()
    y[::2] *= 2.0
    return np.sum(a**2) + np.sum(y**3)


def writes_into_a_reshape_in_a_loop(a):
    t = 0.0
    for i in range(2):
        y = a.T.reshape(-1)
        y[i::2] *= 2.0 + t
        t = t + np.sum(y * y) * 0.1
    return np.sum(a**2) + t


def reshapes_what_was_written(a):
    x = (a * a).T
    x[0] *= 3
    return x.reshape(-1)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    "function",
    [reshaped_in_columns, writes_into_a_ravel, writes_into_a_reshape_in_a_loop, reshapes_what_was_written],
)
def test_reshapes_that_are_windows_or_copies(function, order: str) -> None:
    check_grads(function, (np.array(np.random.default_rng(0).normal(size=(3, 4)), order=order),))


def test_a_tangent_may_have_another_memory_layout() -> None:
    a, direction = np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.arange(6.0)[::-1].reshape(2, 3)
    expected = jvp(writes_into_a_ravel, (a,), (np.asfortranarray(direction),))
    assert jvp(writes_into_a_ravel, (a,), (direction,)) == expected


def test_lists_of_numbers_are_arrays() -> None:
    check_grads(extremes_of_lists, (np.array([0.3, 0.9, 0.5]),))


# --- structures chosen by a computed index, written lists inside of arguments


def written_list_in_a_tuple(bodies):
    p1, m1 = bodies[0]
    p1[0] += m1
    return p1[0] * p1[1]


def layers_by_index(layers, x):
    for i in range(len(layers)):
        W, b = layers[i]
        x = np.tanh(W @ x + b)
    return x


def pairs_by_index(pairs):
    s = 0.0
    for i in range(1, len(pairs)):
        s += pairs[i][0] * pairs[i - 1][1]
    return s


def bodies_by_index(x):
    bodies = [(x[0:2], 0.4), (x[1:3], 0.3), (x[2:4], 0.2)]
    e = 0.0
    for i in range(3):
        for j in range(i + 1, 3):
            (p1, m1), (p2, m2) = bodies[i], bodies[j]
            e += m1 * m2 * np.sum((p1 - p2) ** 2)
    return e


def writes_into_bodies(x):
    bodies = [[x[0:2].copy(), x[1:3].copy(), 0.4], [x[2:4].copy(), x[1:3] * 2, 0.3]]
    for s in range(2):
        for i in range(2):
            for j in range(i + 1, 2):
                p1, v1, m1 = bodies[i]
                p2, v2, m2 = bodies[j]
                d = p1 - p2
                v1 -= d * m2
                v2 += d * m1
        for i in range(2):
            p, v, m = bodies[i]
            p += 0.1 * v
    return np.sum(bodies[0][0] ** 2) + np.sum(bodies[1][0] ** 3)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (written_list_in_a_tuple, ([([1.0, 2.0], 0.4), ([1.5, 0.0], 0.3)],)),
        (
            layers_by_index,
            ([(np.eye(3) + 0.1, np.ones(3)), (np.ones((2, 3)), np.zeros(2))], np.array([0.3, -0.2, 0.5])),
        ),
        (pairs_by_index, ([(1.0, 2.0), (3.0, 4.0), (5.0, 6.0)],)),
        (bodies_by_index, (np.array([0.3, -0.2, 0.5, 1.0]),)),
        (writes_into_bodies, (np.array([0.3, -0.2, 0.5, 1.0]),)),
    ],
)
def test_structures_in_lists(function, args) -> None:
    check_grads(function, args)


def filled(u, a):
    u[1:] += a * u[:-1] ** 2
    return 3.0


def test_of_names_what_is_differentiated_in_both_modes() -> None:
    u = np.array([1.0, 2.0, -1.0])
    after = np.array([1.0, 2.5, 1.0])
    value, tangent = jvp(filled, (u, 0.5), (np.array([1.0, 0.0, 0.0]), 0.0), of="u")
    np.testing.assert_allclose(value, after)
    np.testing.assert_allclose(tangent, [1.0, 1.0, 0.0])
    value, pullback = vjp(filled, u, 0.5, of="u", wrt=("u", "a"))
    np.testing.assert_allclose(value, after)
    np.testing.assert_allclose(pullback(np.ones(3))[0], [2.0, 3.0, 1.0])


def test_a_list_beside_a_number_in_a_list() -> None:
    def product(parts):
        return parts[0][0] * parts[1]

    for mode in ("fwd", "rev"):
        gradient, moved = hvp(product, ([[1.5], 2.5],), ([[1.0], 1.0],), mode=mode)
        assert gradient == [[2.5], 1.5] and moved == [[1.0], 1.0]


def test_a_pullback_with_respect_to_nothing() -> None:
    assert vjp(lambda x: np.sum(x**2), np.ones(2), wrt=())[1](1.0) == ()
