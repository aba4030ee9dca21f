"""``copy.copy`` and ``copy.deepcopy`` in programs."""

import copy

import numpy as np
import pytest
from verdicts import assert_refused, assert_right


class OO:
    def __init__(self, v):
        self.v = v


class Own:
    def __init__(self, v):
        self.v = v

    def __deepcopy__(self, memo):
        return Own(self.v * 2.0)

    def __copy__(self):
        return Own(self.v * 3.0)


W = {"w": np.array([1.0, 2.0])}


def with_copy(s):
    return copy.copy(s) * s


def with_deepcopy(x):
    return np.sum(copy.deepcopy(x) * x)


def with_copy_arr(x):
    y = copy.copy(x)
    y[0] = 3.0
    return np.sum(y * x)


def with_copy_list(s):
    l = [s, s * s]
    m = copy.copy(l)
    m[0] = 1.0
    return l[0] + m[1] * m[0]


def with_deepcopy_list(s):
    l = [[s], [s * s]]
    m = copy.deepcopy(l)
    m[0][0] = 1.0
    return l[0][0] + m[1][0] * m[0][0]


def with_shallow_list(s):
    l = [[s], [s * s]]
    m = copy.copy(l)
    m[0][0] = 1.0
    return l[0][0] + m[1][0] * m[0][0]


def with_copy_obj(s):
    o = OO(s)
    q = copy.copy(o)
    q.v = q.v * s
    return o.v + q.v


def with_copy_obj_shared(x):
    o = OO(x * 1.0)
    q = copy.copy(o)
    q.v[0] = 2.0
    return np.sum(o.v * x) + np.sum(q.v)


def with_deepcopy_dict(s):
    o = {"a": np.array([s, 1.0])}
    q = copy.deepcopy(o)
    q["a"][0] = s * s
    return o["a"][0] + q["a"][0]


def with_own(s):
    return copy.copy(OO(1.0)).v * copy.copy(Own(s)).v * copy.deepcopy(Own(s)).v


def with_deep_shared(s):
    a = np.array([s, s])
    o = {"x": a, "y": a}
    q = copy.deepcopy(o)
    q["x"][0] = 1.0
    return q["y"][0] * s + a[0]


def with_deep_list_arr(x):
    l = [x * 1.0, x * x]
    m = copy.deepcopy(l)
    m[0][0] = 7.0
    return np.sum(l[0]) + np.sum(m[0] * m[1])


def with_deep_tuple(x):
    t = (x * 1.0, [x[0]])
    q = copy.deepcopy(t)
    q[0][1] = 5.0
    q[1].append(x[1])
    return np.sum(t[0]) + np.sum(q[0] * x) + len(t[1]) + q[1][1]


def with_deep_map(s):
    d = {}
    for i in range(3):
        d[i] = s * i
    e = copy.copy(d)
    e[1] = s * s
    return sum(d.values()) + 2 * sum(e.values())


def with_cycle(s):
    o = OO(s)
    o.me = o
    q = copy.deepcopy(o)
    q.v = s * s
    return q.me.v + o.me.v


def with_deep_global(s):
    q = copy.deepcopy(W)
    q["w"][0] = s
    return q["w"][0] * W["w"][0] + q["w"][1] * s


def with_deep_list_shared(x):
    a = x * 1.0
    l = [a, a]
    m = copy.deepcopy(l)
    m[0][0] = 7.0
    return np.sum(l[0]) + np.sum(m[0] * m[1])


class History:
    def __init__(self, v):
        self.v, self.all = v, [v]


def with_deep_object_and_list(x):
    o = History(x * 1.0)
    e = copy.deepcopy(o)
    e.all[0][2] *= 2
    return np.sum(e.v * x)


def with_deep_dict_and_list(x):
    e = copy.deepcopy({"x": x, "z": [x]})
    e["z"][0][2] *= 2
    return np.sum(e["x"] * x)


def with_deep_one_of_two(x):
    b = x if np.sum(x) > -1e3 else x * 2.0
    e = copy.deepcopy({"x": x, "y": b})
    e["x"] *= 2
    return np.sum(e["y"] * x)


def with_deep_parts(x):
    e = copy.deepcopy({"x": [x[:2], x[2:]], "y": x})
    e["x"][0][0] = 2.0
    return np.sum(e["y"] * x) + np.sum(e["x"][0]) * np.sum(e["x"][1])


RIGHT = [
    with_deep_parts,
    with_copy,
    with_deepcopy,
    with_copy_arr,
    with_copy_list,
    with_deepcopy_list,
    with_shallow_list,
    with_copy_obj,
    with_copy_obj_shared,
    with_deepcopy_dict,
    with_own,
    with_deep_shared,
    with_deep_list_arr,
    with_deep_tuple,
    with_deep_map,
    with_cycle,
    with_deep_global,
]
REFUSED = [
    with_deep_list_shared,
    with_deep_object_and_list,
    with_deep_dict_and_list,
    with_deep_one_of_two,
]


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_is_right(function):
    assert_right(function)


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
@pytest.mark.parametrize("mode", ["tangent", "adjoint"])
def test_is_refused(function, mode):
    assert_refused(function, mode)
