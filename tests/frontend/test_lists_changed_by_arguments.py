"""``g.append(g.pop())``: what an argument does to a list whose items are known one by one is seen by the call around it.
And dicts that change while iterators run over their views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads

X = np.array([0.7, 1.3, -0.4, 0.9, 1.1, 0.5])


class Body:
    def __init__(self, t, w=None):
        self.t = t
        self.w = w


def rotated(x):
    g = [Body(v, x * v) for v in (x[3], x[4], x[5])]
    g.append(g.pop(0))
    g.insert(0, g.pop())
    g.extend([g.pop()])
    g += [g.pop(0)]
    g[0].t *= 2
    g[1].w[0] = 3 * x[1]
    return sum((i + 1) * b.t * np.sum(b.w) for i, b in enumerate(g)) + len(g)


def of_tuples(x):
    g = [(v, x * v) for v in x[3:]]
    g.append(g.pop())
    for pair in g[:2]:
        pair[1][0] *= x[1]
    return sum(pair[0] * np.sum(pair[1]) for pair in g)


def of_functions(x):
    g = [np.sin, np.cos, np.exp]
    append = g.append
    append(g.pop(0))
    found = [g, g.pop()]
    longer = g + [g.pop()]
    return sum(f(x[0]) * (i + 1) for i, f in enumerate(found[0])) * found[1](x[1]) * len(longer) + longer[-1](x[2])


def _weighted(bodies, last):
    return len(bodies) * last.t + bodies[0].t


def passed_on(x):
    g = [Body(x[0]), Body(x[1]), Body(x[2])]
    g[0].t = x[3]
    return _weighted(g, g.pop()) + len(g) * x[0] + _weighted(last=g.pop(), bodies=g)


def through_a_second_name(x):
    g = [Body(x[0]), Body(x[1]), Body(x[2])]
    h = g
    g[0].t = x[3]
    g.append(h.pop(0))
    return sum((i + 1) * b.t for i, b in enumerate(h)) * len(g)


def scaled_by_what_changes_it(x):
    values, chosen = [x[2], x[3], 0.3 * x[0]], [np.sin, np.cos]

    def first_changed(items):
        items[0] = items[0] * 0.5 + x[1]
        chosen.append(np.tanh)
        return items[-1]

    values[-1] *= first_changed(values)
    chosen[0] = chosen[len(chosen) - 1]
    return values[0] + values[1] * 2 + 3 * values[2] + chosen[0](x[0]) * len(chosen)


def indexed_by_what_changes_it(x):
    g = [np.sin, np.cos, np.exp]
    g[len([g.pop()]) - 1] = np.tanh
    f = g[(g.pop(), 0)[1]]
    pairs = [[np.sin, x[0]], [np.cos, x[1]]]
    pairs[0][1] *= pairs.pop()[1]
    return f(x[0]) * len(g) + pairs[0][0](pairs[0][1])


@pytest.mark.parametrize(
    "function",
    [
        rotated, of_tuples, of_functions, passed_on, through_a_second_name, scaled_by_what_changes_it,
        indexed_by_what_changes_it,
    ],
)  # fmt: skip
def test_the_list_is_the_changed_one(function: Callable[..., Any]) -> None:
    check_grads(function, (X,))


def next_of_a_view(x):
    d = {i: v for i, v in enumerate(x)}
    it, values = iter(d.items()), iter(d.values())
    next(it), next(values)
    d[1] = x[0] * 2
    k, v = next(it)
    return v * k + next(values) + sum(values)


def of_known_keys(x):
    d, s = {"a": x[0], "b": x[1], "c": x[2]}, 0.0
    for (_, v), w in zip(d.items(), [1.0, 2.0, 3.0], strict=True):
        d["c"] = w * x[4]
        s += v * w
    return s


def beside_an_array(x):
    d, s = {"a": x[0], "b": x[1], "c": x[2]}, 0.0
    for (_, v), w in zip(d.items(), x, strict=False):
        d["c"] = w * 0.5
        s += v * w
    return s


@pytest.mark.parametrize("function", [next_of_a_view, of_known_keys, beside_an_array])
def test_views_show_what_a_dict_holds_now(function: Callable[..., Any]) -> None:
    check_grads(function, (X,))
