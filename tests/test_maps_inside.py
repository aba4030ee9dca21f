"""``vmap`` and ``linearize`` in programs that are differentiated: against differences, in all pairs of modes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, errors, grad, hessian, linearize, vmap

RNG = np.random.default_rng(0)
W, XS, YS = RNG.standard_normal(3), RNG.standard_normal((4, 3)), RNG.standard_normal(4)


def loss(w, x, y):
    return (np.tanh(w @ x) - y) ** 2


each = vmap(grad(loss), (None, 0, 0))


def total(w, xs, ys):
    return np.sum(vmap(loss, (None, 0, 0))(w, xs, ys) ** 2)


def norms_of_gradients(w, xs, ys):
    return np.sum(vmap(grad(loss), (None, 0, 0))(w, xs, ys) ** 2)


def by_one_made_outside(w, xs, ys):
    return np.sum(each(w, xs, ys) ** 2)


def along_columns(a):
    return np.sum(vmap(lambda column: column * np.sum(column), 1, 1)(a) * XS)


def branches(x):
    return np.sum(vmap(lambda t: t**2 if t > 0 else -3.0 * t)(x))


def nested(a):
    return np.sum(vmap(vmap(lambda t: t**3))(a))


def pushed(x, v):
    value, push = linearize(lambda z: z**2 * np.sum(z), x)
    return np.sum(push(v) ** 2) + np.sum(push(2.0 * v)) + np.sum(value)


def pulled(x, v):
    value, push = linearize(lambda z: z**2 * np.sum(z), x)
    return np.sum(push.T(v)[0] ** 2) + np.sum(value)


def at_a_point_that_moves_on(x):
    z = np.copy(x)
    _, push = linearize(lambda a: a**3, z)
    z[:] = 0.0
    return np.sum(push(x))


PROGRAMS: tuple[tuple[Any, tuple[Any, ...], Any], ...] = (
    (total, (W, XS, YS), (0, 1, 2)), (norms_of_gradients, (W, XS, YS), (0, 1)), (by_one_made_outside, (W, XS, YS), 0),
    (along_columns, (XS,), 0), (branches, (YS,), 0), (nested, (XS,), 0), (pushed, (W, XS[0]), (0, 1)),
    (pulled, (W, XS[0]), (0, 1)), (at_a_point_that_moves_on, (W,), 0),
)  # fmt: skip


@pytest.mark.parametrize(("f", "args", "wrt"), PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_derivatives(f: Any, args: tuple[Any, ...], wrt: Any) -> None:
    check_grads(f, args, wrt=wrt, order=1)


def test_second_derivatives() -> None:
    def slope(w: Any) -> Any:
        return grad(norms_of_gradients)(w, XS, YS)

    wanted = np.stack([(slope(W + step) - slope(W - step)) / 2e-6 for step in 1e-6 * np.eye(3)])
    np.testing.assert_allclose(hessian(norms_of_gradients)(W, XS, YS), wanted, rtol=1e-6, atol=1e-7)


def test_several_results() -> None:
    np.testing.assert_allclose(grad(lambda x: np.sum(vmap(lambda t: (t * t, t))(x)[0]))(YS), 2 * YS)


def test_what_is_refused() -> None:
    def trees(x):
        return np.sum(vmap(lambda t: t, {"a": 0})(x))

    with pytest.raises(errors.UnsupportedSyntaxError):
        grad(trees)(YS)
    with pytest.raises(errors.ActivityError, match="one number of samples"):
        grad(total)(W, XS, YS[:3])


def written_row(r):
    r[0] *= r[1]
    return r


def rows_that_are_written(m):
    rows = vmap(written_row)(m)
    rows[0] *= 2.0
    return np.sum(m**2) + np.sum(rows**2)


def rows_handed_back(m):
    rows = vmap(lambda r: r[::-1])(m)
    rows[0] *= 2.0
    return np.sum(m**2) + np.sum(rows**2)


@pytest.mark.parametrize("function", [rows_that_are_written, rows_handed_back], ids=lambda f: f.__name__)
def test_samples_are_copies(function):
    m = np.array([[2.0, 3.0], [5.0, 7.0]])
    assert grad(function)(m).shape == (2, 2)
    check_grads(function, (m,), order=2)
