"""What the body of a ``try`` writes into arrays, lists and objects holds as far as it came before it failed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from verdicts import TAKEN, assert_as_called, assert_refused, assert_right

from s2sad import hvp


def fails_at_the_end(x):
    y = np.zeros(3)
    for i in range(5):
        try:
            y[i] = x[i % 3] ** 2
        except IndexError:
            y[i % 3] += x[1]
    return np.sum(y * x)


def fails_on_the_way(x):
    y = np.zeros(3)
    try:
        y[0] = x[0] ** 2
        y[7] = x[1]
        y[1] = x[1]
    except IndexError:
        y[2] = y[0] * 3
    return np.sum(y)


def appended_before(s):
    out = []
    for k in range(3):
        try:
            out.append(s * k)
            out.append(math.sqrt(1 - k) * s)
        except ValueError:
            out.append(s * s)
    return sum(out) * len(out)


def undone(x):
    y = x.copy()
    old = y.copy()
    try:
        y[0] *= 2
        y[1] = math.sqrt(-y[1])
    except ValueError:
        y[:] = old
    return np.sum(y**2)


def through_windows(x):
    a = x.copy()
    b, c = a.reshape(3, 1), a[::-1]
    try:
        b[1, 0] = c[0] * 2
        c[1] += math.sqrt(a[1] - 100)
    except ValueError:
        c[2] = a[1]
    return np.sum(a * x) + b[2, 0]


def within_lists(x):
    items = [x * 1, x * 2]
    w = items[0]
    try:
        items[0][1] = x[0] * x[1]
        items.append(w)
        items[3][0] = 1
    except IndexError:
        items[-1][2] = x[2] ** 2
    return np.sum(items[0] * items[1]) + np.sum(w)


class Ring:
    def __init__(self, n):
        self.data, self.k, self.seen = np.zeros(n), 0, []

    def push(self, v):
        self.seen.append(v)
        self.data[self.k] = v
        self.k += 1

    def store(self, v):
        try:
            self.push(v)
        except IndexError:
            self.k = 0
            self.push(v * 0.5)


def an_object(x):
    ring = Ring(2)
    for i in range(3):
        ring.store(x[i] ** 2)
    return np.sum(ring.data * x[:2]) + sum(ring.seen) + ring.k


def a_loop_that_fails(x):
    y = np.zeros(3)
    try:
        for i in range(5):
            if i % 2 == 0:
                y[i] = x[i] * i
            else:
                y[i] = y[i - 1] + x[i]
    except IndexError:
        y *= x
    return np.sum(y * y)


def a_helper(x):
    def put(y, i, v):
        y[i] = v

    y = np.zeros(3)
    for i in range(4):
        try:
            put(y, i, x[0] * i)
        except IndexError:
            y[0] = x[1]
    return np.sum(y**2)


def keys(s):
    d = {}
    for k in range(4):
        try:
            d[k % 2] += s * k
        except KeyError:
            d[k % 2] = s * s
    return d[0] * d[1]


def taken_from_a_list(s):
    items, total = [s, s * s], 0.0
    while True:
        try:
            total += items.pop() * 2
        except IndexError:
            break
    return total


def finally_writes(x):
    y = x * 2
    try:
        y[0] = x[1] / x[2]
    finally:
        y[1] = 0.0
    return np.sum(y * x)


def raised_further(x):
    y = np.zeros(3)
    try:
        y[0], y[1] = x[0], x[1]
        y += x
    except ValueError as error:
        raise RuntimeError("no") from error
    return np.sum(y * y)


def out_of_the_array(x):
    z = np.zeros(3)
    try:
        z[5] = 1.0  # nobody reads it: it fails all the same
        a = x[0]
    except IndexError:
        a = x[1]
    return a * x[0]


def check(s):
    math.sqrt(s - 5)  # nobody uses it: it fails all the same
    return s


def a_check(s):
    try:
        r = check(s)
    except ValueError:
        r = s * s
    return r


def checked_below(n, s):
    return check(s) if n == 0 else checked_below(n - 1, s) * 1.0


def a_check_far_below(s):
    try:
        r = checked_below(int(s) + 2, s)
    except ValueError:
        r = s * s
    return r


def longer_list_of_several_kinds(x):
    parts = [np.sin, x[0]]
    try:
        parts.append(x[1])
        raise ValueError("always")
    except ValueError:
        pass
    return parts[0](parts[1]) * parts[-1] * len(parts)


def item_of_several_kinds(x):
    parts = [np.sin, x[0]]
    try:
        parts[0] = np.cos
        parts[1] = parts[1] * x[2]
        parts[0] = math.sqrt(x[1] - 100.0)
    except ValueError:
        parts[1] = parts[1] * x[1]
    return parts[0](parts[1])


def bound_anew_at_the_end(x):
    parts = [np.sin, x[0]]
    try:
        parts.append(x[1])
        parts = [*parts, math.sqrt(x[0] - 100.0)]
    except ValueError:
        pass
    return parts[0](parts[-1]) * len(parts)


def longer_under_another_name(x):
    parts = [np.sin, x[0], x[1]]
    same = parts
    for k in (0, 1):
        try:
            same.append(x[k] * x[0])
            if k == 0:
                raise KeyError(k)
            same.append(x[2] * x[0])
        except KeyError:
            same.append(x[1] ** 2)
    return parts[0](parts[-1] * parts[3]) * len(parts)


class Kept:
    def __init__(self, items):
        self.items = items
        self.count = len(items)

    def total(self):
        return sum(self.items) * self.count


class Twice(Kept):
    def total(self):
        return super().total() * 2


def made_before_it_failed(x):
    kept = Twice([0.5, x[2]])
    try:
        kept = Twice([x[0]])
        raise ValueError("always")
    except ValueError:
        pass
    return kept.total() + x[1]


def made_of_its_parts(x):
    kept = Kept([0.5, x[2]])
    try:
        kept = Twice([*kept.items, x[0] ** 2])
        kept.count = kept.count * x[1]
        kept.items[0] = math.sqrt(x[1] - 1.0)
    except ValueError:
        pass
    return kept.total()


def made_while_it_fails(x):
    kept = Kept([x[2]])
    for k in range(3):
        try:
            kept = Kept([x[k], math.sqrt(1.5 - x[k])])
        except ValueError:
            kept = Kept([x[k] ** 2])
    return kept.total() * x[0]


def appended_what_a_method_gives(x):
    parts, kept = [np.sin, x[0]], Kept([x[1], x[2]])
    try:
        parts.append(kept.total())
        kept.count = math.sqrt(1.0 - kept.count)
    except ValueError:
        kept.count = 5
    return parts[0](parts[1]) * parts[-1] * kept.count


def shrunk(a, n):
    if n == 0:
        return a[0]
    a[0] = a[0] * 0.3
    if a[0] > 0.6:
        raise ValueError("large")
    return shrunk(a[1:], n - 1) + a[1]


def a_recursion_that_writes(x):
    a = x * 1.0
    try:
        c = shrunk(a, 2)
        if c > 0.5:
            raise ValueError("c")
    except ValueError:
        a[0] *= 2.0
        c = 0.1
    return c + np.sum(a**2)


def a_recursion_that_fails_half_way(x):
    a = np.array([x[0], 3.0 * x[1], x[2]])
    try:
        c = shrunk(a, 2)
    except ValueError:
        c = 0.1
    return c + np.sum(a**2)


RIGHT = [
    a_recursion_that_writes,
    fails_at_the_end, fails_on_the_way, appended_before, undone, through_windows, within_lists, an_object, a_loop_that_fails,
    a_helper, keys, taken_from_a_list, finally_writes, raised_further, out_of_the_array, a_check, a_check_far_below,
    appended_what_a_method_gives, made_before_it_failed, made_of_its_parts, made_while_it_fails,
    longer_list_of_several_kinds, item_of_several_kinds, bound_anew_at_the_end, longer_under_another_name,
]  # fmt: skip


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_right(function: Callable[..., Any]) -> None:
    assert_right(function)


def test_second_order() -> None:
    x, v = np.array([1.3, 0.7, 2.1]), np.array([0.3, -0.5, 0.9])
    _, found = hvp(through_windows, (x,), (v,))
    step = 1e-4
    assert v @ found == pytest.approx(
        (through_windows(x + step * v) - 2 * through_windows(x) + through_windows(x - step * v)) / step**2, rel=1e-4
    )


def test_prints_once(capsys: pytest.CaptureFixture[str]) -> None:
    def told(s):
        try:
            print("here")
            r = math.log(s - 10)
        except ValueError:
            print("there")
            r = s * s
        return r

    assert_right(told)
    told(1.0)
    lines = capsys.readouterr().out.split()
    assert lines == ["here", "there"] * (len(lines) // 2)


def two_at_once(x):
    z = np.zeros(3)
    try:
        z[0], z[7] = x[0], x[1]
    except IndexError:
        z[1] = 1.0
    return np.sum(z * x)


ARRAY = np.zeros(3)


def outside(x):
    try:
        ARRAY[0] = x[0]
    except IndexError:
        pass
    return np.sum(ARRAY * x)


@pytest.mark.parametrize("mode", ["adjoint", "tangent"])
@pytest.mark.parametrize("function", [two_at_once, a_recursion_that_fails_half_way], ids=lambda f: f.__name__)
def test_refused(function: Callable[..., Any], mode: str) -> None:
    assert_refused(function, mode)


@pytest.mark.parametrize("name", TAKEN)
def test_outside(name: str) -> None:
    def make() -> Any:
        ARRAY[:] = 0.5
        return outside, ARRAY

    assert_as_called(make, np.array([1.3, 0.7, 2.1]), name, None)  # whether it fails counts as a decision by what ARRAY holds
