"""Lists of functions that were filled on conditions, copied, popped and reversed; ordered dicts; lists of lists turned over."""

from collections import OrderedDict

import numpy as np
import pytest

from s2sad import check_grads


def filled(x):
    fs = [np.sin]
    if x[0] > 1.0:
        fs.append(np.tanh)
    return fs


def reversed_once(x):
    fs = [np.sin]
    if x[0] > 1.0:
        fs.append(lambda t: t**3)
    turned = reversed(fs)
    fs.append(np.exp)  # is not seen: the iterator has begun at the end of before
    for f in turned:
        x = f(x) + 1.0
    return np.sum(x) + len(fs)


def reversed_and_counted(x):
    fs = filled(x)
    for k, f in enumerate(reversed(fs)):
        x = f(x) * (k + 2)
    return np.sum(x)


def copied(x):
    fs = filled(x)
    gs = fs.copy()
    gs.append(np.cos)
    return sum(np.sum(f(x)) for f in gs) + 2.0 * sum(np.sum(f(x)) for f in fs)


def popped(x):
    fs = filled(x)
    last = fs.pop()
    for f in fs:
        x = f(x)
    return np.sum(last(x)) * (len(fs) + 1)


def moved(x):
    d = OrderedDict([("a", x[0]), ("b", x[1] ** 2), ("c", x[2])])
    e = d
    e.move_to_end("a")
    if x[0] > 1.0:
        d["b"] = d["b"] * 3.0
    d.move_to_end("c", last=False)
    key, value = d.popitem(last=False)
    total = value if key == "c" else 100.0 * value
    for k, item in enumerate(d.values()):
        total = total + (k + 1) * item**2
    return total


def moved_under_computed_keys(x):
    d = OrderedDict()
    for k in range(len(x)):
        d[k] = x[k] * (k + 1)
    d.move_to_end(0)
    key, value = d.popitem()
    return value**2 + key + sum(d.values())


def moved_to_nowhere(x):
    d = OrderedDict([("a", x[0])])
    try:
        d.move_to_end("z")
    except KeyError:
        return np.sum(x**2)
    return d["a"]


def turned_over(x):
    rows = [[x[0] * (i + j) for j in range(3)] for i in range(len(x))]
    total = 0.0
    for k, column in enumerate(list(zip(*rows))):
        total = total + sum(column) * column[-1] * k
    return total


def turned_over_twice(x):
    rows = []
    for i in range(len(x)):
        rows.append([x[i] * i, 1.0, x[0] ** 2])
    columns = list(zip(*rows))
    again = [[v * 2.0 for v in row] for row in zip(*columns)]
    return again[2][0] + again[1][2] * columns[0][1]


def turned_over_displays(x):
    rows = [[x[0], x[1] ** 2, 1.0], [2.0, x[2], x[0] ** 3]]
    pairs = list(zip(*rows))
    return sum(a * b for a, b in pairs) + pairs[1][0]


PROGRAMS = (reversed_once, reversed_and_counted, copied, popped, moved, moved_under_computed_keys, moved_to_nowhere, turned_over,
            turned_over_twice, turned_over_displays)  # fmt: skip


@pytest.mark.parametrize("point", [0.7, 1.3], ids=["below", "above"])
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_is_right(function, point):
    check_grads(function, (np.array([point, 0.9, 2.1]),), modes=("tangent" if point < 1.0 else "adjoint",))
