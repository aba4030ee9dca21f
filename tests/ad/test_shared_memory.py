"""Memory that goes over the border of a call in two ways: results that share it, tapes with windows of what is restored.

Each program is differentiated as it stands, called by a helper, and by a helper in a loop, in both modes; and twice.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, grad, jvp
from s2sad.errors import AliasError

X = np.array([0.7, 0.3, -0.45, 1.1])
Pair = namedtuple("Pair", "u v")


class Parts:
    def __init__(self, a):
        self.whole = np.sin(a)
        self.rest = self.whole[1:]


def windows_on_a_tape(a):
    b = np.sin(a)
    y1 = b[:3] ** 3
    b *= 2.0
    y2 = b[:3] ** 3
    b *= 1.5
    return np.sum(y1 * y2) + np.sum(b**3)


def a_second_name_on_a_tape(a):
    b = np.sin(a)
    c = b
    y1 = c**3
    b *= 2.0
    y2 = c[1:] ** 2 * b[1:]
    c *= 3.0
    return np.sum(y1) + np.sum(y2**2) + np.sum(b**2)


def a_row_on_a_tape(a):
    m = np.outer(a, a)
    r = m[1]
    d = r**2
    m *= 2.0
    e = r**3
    m[1] += 1.0
    return np.sum(d * e) + np.sum(m * m)


def an_item_on_a_tape(a):
    xs = [np.sin(a), np.cos(a)]
    u = xs[0]
    y1 = u**3
    xs[0] *= 2.0
    y2 = u[1:] * xs[1][1:]
    u *= 3.0
    xs[1] *= u
    return np.sum(y1) + np.sum(y2**2) + np.sum(xs[1] ** 2)


def a_written_window_on_a_tape(a):
    b = np.sin(a)
    w = b[1:3]
    t = np.sum(w**2)
    b[1] = t
    s = w * w
    b[2] = 0.5 * b[1]
    w += s
    return np.sum(b**3) * t


def a_strided_window_on_a_tape(a):
    b = np.cos(a)
    w, v = b[::2], b[::-1]
    y = w**3
    b *= a
    z = v**2
    w += y
    return np.sum(b**2 * z) + np.sum(v)


def whole_and_rest(a):
    b = np.sin(a)
    return b, b[1:]


def a_pair_that_shares(x):
    p, q = whole_and_rest(x)
    p *= x
    return np.sum(q**3)


def twice_the_same(a):
    b = np.sin(a)
    return [b] * 2


def a_list_of_one_array(x):
    p, q = twice_the_same(x)
    p *= x
    return np.sum(q**3)


def listed(a):
    b = np.sin(a)
    return [b, b[1:]]


def a_list_that_shares(x):
    ps = listed(x)
    ps[0][1] = x[1] ** 2
    return np.sum(ps[1] ** 3) + np.sum(ps[0] ** 2)


def by_name(a):
    b = np.sin(a)
    return {"p": b, "q": b[1:]}


def a_dict_that_shares(x):
    d = by_name(x)
    d["p"] *= x
    return np.sum(d["q"] ** 3)


def made(a):
    return Parts(a)


def an_object_that_shares(x):
    o = made(x)
    o.whole *= x
    return np.sum(o.rest**3)


def two_windows(a):
    b = np.sin(a)
    return b[::2], b[1:]


def windows_that_overlap(x):
    p, q = two_windows(x)
    p *= 3.0
    q *= x[1:]
    return np.sum(q**3) + np.sum(p)


def nested(a):
    b = np.sin(a)
    return b, (b[1:], b[:2])


def a_nested_tuple(x):
    p, (q, r) = nested(x)
    p *= x
    r *= 2.0
    return np.sum(q**3)


def rows_of(a):
    b = np.sin(a)
    rows = []
    for k in range(3):
        rows.append(b[k:])
    return rows


def rows_that_share(x):
    rows = rows_of(x)
    rows[0][:] = rows[0] * x
    return np.sum(rows[2] ** 3) + np.sum(rows[1] ** 2)


def separate_rows(a):
    rows = []
    for k in range(3):
        rows.append(np.sin(a * k))
    return rows


def rows_of_their_own(x):
    rows = separate_rows(x)
    rows[0][:] = rows[0] * x
    rows[1] *= rows[2]
    return np.sum(rows[2] ** 3) + np.sum(rows[1] ** 2) + np.sum(rows[0])


def halves(a):
    b = np.sin(a)
    return b[1:], b[:-1]


def windows_through_two_calls(a):
    u, v = halves(a)
    w = u * v
    u *= 2.0
    return np.sum(w * v * u)


def reshaped(a):
    b = a * 1.0
    return b, b.reshape(2, 2)


def another_shape(x):
    p, q = reshaped(x)
    p[0] = x[1] * x[2]
    q *= 2.0
    return np.sum(p**3)


def named(a):
    b = np.sin(a)
    return Pair(b, b[1:])


def a_named_tuple(x):
    r = named(x)
    r.u[1] = x[0] ** 3
    return np.sum(r.v**3)


def on_a_branch(a, k):
    b = np.sin(a)
    return (b, b[k:]) if k else (b, a * 1.0)


def shared_on_one_branch(x):
    p, q = on_a_branch(x, 1)
    r, s = on_a_branch(x, 0)
    p *= x
    r *= x
    return np.sum(q**3) + np.sum(s * r)


def kept(a):
    b = np.sin(a)
    y = b**2 + b * 0.5
    return np.sum(b * y), b


def a_result_that_is_on_its_tape(x):
    e, p = kept(x)
    p[0] = x[1] * p[2]
    return e + np.sum(p**2)


def a_written_buffer_in_a_list(a):
    b = a * 1.0
    b[2] = a[2] ** 2 + b[2]
    return [b, b * 1.0]


def an_item_of_a_list(x):
    items = a_written_buffer_in_a_list(x)
    return np.sum(items[0] ** 2) + np.sum(items[1] ** 3)


def a_written_buffer_twice_in_a_list(a, s):
    b = a * 1.0
    b[1:3] += b[:2] * s
    return [b, b]


def items_of_lists(x):
    p, q = a_written_buffer_twice_in_a_list(x * 1.0, 1.3)
    items = a_written_buffer_twice_in_a_list(q, 0.7)
    return np.sum(items[1] * p)


def a_window_of_a_written_buffer_in_a_list(a):
    b = a * a
    b[0] *= b[1]
    return [b[::-1], b[1:]]


def windows_in_a_list(x):
    p, q = a_window_of_a_written_buffer_in_a_list(x)
    return np.sum(p**2) + np.sum(q**3)


def fill_first(items, y):
    first = items[0]
    first *= y * y


def a_list_that_is_written_by_a_callee(x):
    b, c = np.ones(4), x * 1.0
    fill_first([b, c], x)
    return np.sum(b**2 * c)


def a_tuple_that_is_written_by_a_callee(x):
    b, c = np.ones(4), x * 1.0
    fill_first((b, c), x)
    return np.sum(b**2 * c)


TAPES = [windows_on_a_tape, a_second_name_on_a_tape, a_row_on_a_tape, an_item_on_a_tape, a_written_window_on_a_tape,
         a_strided_window_on_a_tape]  # fmt: skip
RESULTS = [a_pair_that_shares, a_list_of_one_array, a_list_that_shares, a_dict_that_shares, an_object_that_shares,
           windows_that_overlap, a_nested_tuple, rows_that_share, rows_of_their_own, windows_through_two_calls, another_shape,
           a_named_tuple, shared_on_one_branch, a_result_that_is_on_its_tape, an_item_of_a_list, items_of_lists,
           windows_in_a_list, a_list_that_is_written_by_a_callee, a_tuple_that_is_written_by_a_callee]  # fmt: skip


def plain(h: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return h


def in_a_helper(h: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: h(x * 1.5) * 2.0 + np.sum(x)


def in_a_loop(h: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def looped(x):
        s = 0.0
        for k in range(2):
            s += h(x + 0.1 * k) * (k + 1.0)
        return s

    return looped


@pytest.mark.parametrize("place", [plain, in_a_helper, in_a_loop], ids=lambda f: f.__name__)
@pytest.mark.parametrize("program", [*TAPES, *RESULTS], ids=lambda f: f.__name__)
def test_both_modes(program: Callable[[Any], Any], place: Callable[[Any], Any]) -> None:
    check_grads(place(program), (X,))


# What is refused says so; what the second derivative of a reshape would need is the tangent mode's business.
TWICE = [f for f in (*TAPES, *RESULTS) if f is not another_shape]


@pytest.mark.parametrize("program", TWICE, ids=lambda f: f.__name__)
def test_second_derivatives_of_calls(program: Callable[[Any], Any]) -> None:
    check_grads(grad(in_a_helper(program)), (X,))


def again(a, n):
    b = np.sin(a)
    if n == 0:
        return b, b
    p, q = again(a * 2.0, n - 1)
    return p, q


def shared_by_recursion(x):
    p, q = again(x, 2)
    p *= x
    return np.sum(q**3)


def test_results_of_recursion_that_share_are_refused_in_reverse_mode() -> None:
    check_grads(shared_by_recursion, (X,), modes=("tangent",))
    with pytest.raises(AliasError, match="returns shares memory"):
        grad(shared_by_recursion)(X)


def deeper(a, n):
    b = np.sin(a)
    y1 = b[:3] ** 3
    b *= 2.0
    y2 = b[:3] ** 3
    b *= 1.5
    rest = np.sum(y1 * y2) + np.sum(b**3)
    return deeper(b, n - 1) + rest if n > 0 else rest


def test_windows_on_the_tapes_of_a_recursion() -> None:
    check_grads(lambda x: deeper(x, 2), (X,))


def zero_last(t, k):
    if k > 0:
        t[0] = np.sin(t[0]) * t[1]
        zero_last(t, k - 1)
    t[1] = t[1] * t[0]
    t[0] = 0.0


def test_zeros_that_a_recursion_stores_last_are_seen_by_its_caller() -> None:
    def f(x):
        t = x.copy()
        zero_last(t, 2)
        return np.sum(t) * t[0] + np.exp(t[0]) * t[1]

    check_grads(f, (X,))


def test_what_is_not_written_may_be_given_twice() -> None:
    def scale(u: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
        u *= a
        return float(np.sum(u * a * b))

    u, a = np.array([1.0, 2.0]), np.array([3.0, 5.0])
    slopes = grad(scale, wrt=("u", "a", "b"))(u, a, a)
    np.testing.assert_allclose(slopes[0], a**3)
    np.testing.assert_allclose(slopes[1], 2 * u * a**2)
    np.testing.assert_allclose(slopes[2], u * a**2)
    assert u.tolist() == [1.0, 2.0]
    np.testing.assert_allclose(jvp(scale, (u, a, a), (a, a, a))[1], np.sum(a**4 + 3 * u * a**3))
    for given in [(u, u, a), (u, a, u)]:
        with pytest.raises(AliasError, match="share memory"):
            grad(scale)(*given)


def test_what_a_program_leaves_outside_says_nothing_of_its_arguments() -> None:
    x, outside = np.array([0.7, 1.3]), np.zeros(2)

    def function(y: np.ndarray) -> float:
        outside[:] = y
        return float(np.sum(y**3))

    value, slope = jvp(lambda a: jvp(function, (a,), (x,))[1], (x,), (x,))
    np.testing.assert_allclose([value, slope], [3 * np.sum(x**3), 6 * np.sum(x**3)])
    assert outside.tolist() == x.tolist()
    with pytest.raises(AliasError, match="share memory"):
        grad(function)(outside)
