"""Variables that are None first and a list or dict later, in loops of any length."""

import zlib

import numpy as np
import pytest

from s2sad import check_grads

MODES = ("tangent", "adjoint")


def grows_many_rounds(x):
    acc = None
    for k in range(150):
        if acc is None:
            acc = [x[0]]
        else:
            acc.append(acc[-1] * x[1] * 0.9)
    return acc[5] + acc[2]


def made_and_grown(x):
    acc = None
    for k in range(150):
        if acc is None:
            acc = [x[0]]
        acc.append(acc[-1] * x[1] * 0.9)
    return acc[5] + acc[2]


def made_in_the_first_round(x):
    acc = None
    n = len(x) * 2
    for k in range(n):
        if k == 0:
            acc = []
        acc.append(x[0] * k)
    return acc[2] * acc[3]


def made_again(x):
    acc = None
    s = 0.0
    n = len(x) * 2
    for k in range(n):
        if k % 2 == 0:
            acc = [x[0] * k, x[1]]
        s += acc[0] * acc[1]
    return s


def read_before_it_is_made(x):
    acc = None
    s = 0.0
    n = len(x) * 2
    for k in range(n):
        if acc is not None:
            s += acc[0] * acc[1]
        acc = [x[0] * k, x[1]]
    return s


def items_written(x):
    last = None
    s = 0.0
    for v in x:
        if last is not None:
            s += last[0] * v
            last[0] = v * v
        else:
            last = [v, 2 * v]
    return s + last[0] * last[1]


def a_number(x):
    last = None
    s = 0.0
    for v in x:
        if last is not None and v > 1:
            s += last * v
        last = v
    return s


def the_best_so_far(x):
    best = None
    for v in x:
        cand = [v, v * v]
        if best is None or cand[0] > best[0]:
            best = cand
    return best[0] * best[1]


def joined(x):
    hist = None
    for v in x:
        if hist is None:
            hist = [v]
        else:
            hist = hist + [v * hist[-1]]
    return sum(hist)


def in_a_while_loop(x):
    hist = None
    i = 0
    while i < 3:
        if hist is None:
            hist = [x]
        else:
            hist.append(np.sin(hist[-1]))
        i += 1
    return np.sum(hist[-1]) + np.sum(hist[0])


def a_dict(x):
    d = None
    for v in x:
        if d is None:
            d = {}
        d["a"] = v * 2
    return d["a"]


def augmented_and_shortened(x):
    acc = None
    for v in x:
        if acc is None:
            acc = [v]
        else:
            acc += [v * acc[-1]]
    acc += [acc[0], 1.0]
    del acc[0]
    return acc[0] * acc[1] * len(acc)


def fill(a, v):
    a.append(v)
    return a


def through_a_helper(x):
    acc = None
    for v in x:
        if acc is None:
            acc = []
        acc = fill(acc, v * v)
    return sum(acc) * acc[0]


def perhaps_never(x):
    acc = None
    for v in x:
        if v > 1:
            if acc is None:
                acc = []
            acc.append(v)
    if acc is None:
        return x[0]
    return np.array(acc) * 2


def two_names(x):
    acc = None
    keep = None
    for v in x:
        if acc is None:
            acc = [v]
            keep = acc
        acc[0] = acc[0] * v
    return keep[0] + acc[0]


class M:
    def __init__(self):
        self.hist = None

    def add(self, v):
        if self.hist is None:
            self.hist = []
        self.hist.append(v)


def a_field(x):
    m = M()
    for v in x:
        m.add(v * v)
    return sum(m.hist) * m.hist[0]


def on_one_path(x):
    out = None
    if x[0] > 0:
        out = [x[0]]
    if out is not None:
        for v in out:
            x = x * v
        out.append(x[1])
    return out[1] * x


def not_made(x):
    out = None
    if x[0] > 5:
        out = [x[0]]
    return x * (2.0 if out is None else out[0])


def rows(x):
    rows = None
    for v in x:
        row = [v, v * 2]
        rows = [row] if rows is None else rows + [row]
    return np.array(rows)


def a_dict_with_computed_keys(x):
    d = None
    for k in range(4):
        key = k % 2
        if d is None:
            d = {}
        d[key] = x[0] * k
    return d[0] * d[1]


PROGRAMS = [
    f
    for f in list(globals().values())
    if getattr(f, "__module__", "") == __name__ and f.__name__ not in ("M", "fill")
]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_is_right(function):
    mode = MODES[zlib.crc32(function.__name__.encode()) % 2]
    check_grads(function, (np.array([0.7, 1.3, 2.1]),), modes=(mode,), rtol=2e-4, atol=2e-7)


@pytest.mark.parametrize("mode", MODES)
def test_the_ones_that_crashed(mode):
    for function in (made_again, a_dict):
        check_grads(function, (np.array([0.7, 1.3, 2.1]),), modes=(mode,))
