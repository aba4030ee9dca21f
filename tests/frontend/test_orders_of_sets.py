"""Sets that are known: what their order may change is refused, for text takes another one in each process; all else is right."""

from __future__ import annotations

import numpy as np
import pytest
from mode_pairs import load

from s2sad import UnsupportedSyntaxError, grad, jvp

X = np.array([0.5, 0.9, 1.3])
HEAD = """
import math
import numpy as np

def first(*items):
    return items[0]

def grown(s, k):
    s[0] = s[0] * 0.5 + k
    return s[0]

def f(x):
"""
ORDERED = (
    "t = 0.0\nfor k in {9, 1, 8}: t = t * 0.5 + x[k % 3]", "t = 0.0\nfor i, k in enumerate({9, 1, 8}): t = t + i * x[k % 3]",
    "d = {'a': x[0], 'b': x[1]}\nt = 0.0\nfor k in set(d): t = t * 0.5 + d[k] ** 2",
    "d = {'a': x[0], 'b': x[1], 'c': x[2]}\nt = 0.0\nfor k in d.keys() & {'a', 'b'}: t = t * 0.5 + d[k] ** 2",
    "t = x[list({2, 1})][0]", "t = x[0] * next(iter({9, 8, 1}))", "t = x[0] * tuple({9, 1, 8})[0]", "t = x[0] * [*{9, 1, 8}][0]",
    "t = x[0] * max({9, 1, 8}, key=lambda k: k % 2)", "t = x[0] * sorted({9, 1, 8}, key=lambda k: k % 2)[0]",
    "t = x[0] * list(zip({9, 1, 8}, x))[0][0]", "t = x[0] * list(map(abs, {9, 1, 8}))[0]", "t = x[0] * [k for k in {9, 1, 8}][0]",

    "s = 0.0\nt = x[0] * sum([s := s * 0.5 + k for k in {9, 1, 8}])",
    "s = [0.0]\nt = x[0] * sum(grown(s, k) for k in {9, 1, 8})",
    "t = x[0] * list({k: 1 for k in {9, 1, 8}})[0]", "t = x[0] * list(dict.fromkeys({9, 1, 8}, 2.0))[0]",
    "a, b = {9, 1}\nt = x[0] * a",
    "t = x[0] * float(','.join({'11', '7', '3'})[:1])", "t = x[0] * first(*{9, 1, 8})",
    "t = x[0] * list(filter(None, {9, 1, 8}))[0]",
    "rows = []\nrows.extend({9, 1, 8})\nt = x[0] * rows[0]", "t = x[0] * np.array(list({9, 1, 8}))[0]",
)  # fmt: skip
IN_ANY_ORDER = (
    "t = sum(x[k % 3] * 2 for k in {1, 2, 7})", "t = sum([x[k] for k in {2, 1}])", "t = x[0] * len({k % 3 for k in {1, 2, 7}})",
    "t = x[0] * max({1, 2, 7}) * len({1, 3}) * sum({2, 5}) * min({3, 4}) * math.fsum({2, 3})", "t = x[0] * sorted({9, 1, 8})[0]",
    "t = x[any(k > 3 for k in {1, 5}) + all([k > 0 for k in {1, 2}])]", "t = x[0]\nfor k in {3}: t = t * k",
    "a, = {4}\nt = x[0] * a",
    "t = 0.0\nfor k in sorted({'b', 'a'} | {'c'}): t = t * 0.5 + x[ord(k) % 3] ** 2", "t = np.sum(x[sorted({2, 1})])",
    "t = sum(x[k] for k in (0, 1, 2) if k in {1, 2})",
    "t = x[0] * max({9: 1, 1: 2, 8: 3}.keys() & {9, 8}) * min({1, 2}, default=3)",
    "t = x[0] * len(f'{ {9, 1, 8} }') * len(str({9, 1})) * len('{}'.format({1})) * len('%s' % ({9, 12},)) * len(repr({3}))",
)  # fmt: skip


def program(body: str):  # type: ignore[no-untyped-def]
    return load(HEAD + "".join(f"    {line}\n" for line in body.splitlines()) + "    return t\n")


@pytest.mark.parametrize("body", ORDERED)
def test_what_hangs_on_the_order_is_refused(body: str) -> None:
    f = program(body)
    assert np.isfinite(f(X))
    for derive in (lambda: grad(f)(X), lambda: jvp(f, (X,), (X,))):
        with pytest.raises(UnsupportedSyntaxError, match="set.*\n.*\n.*\n.*\n.*order"):
            derive()


@pytest.mark.parametrize("body", IN_ANY_ORDER)
def test_what_no_order_changes_is_right(body: str) -> None:
    f = program(body)
    slope = (f(X + 1e-6 * X) - f(X - 1e-6 * X)) / 2e-6
    assert np.allclose(jvp(f, (X,), (X,)), (f(X), slope)) and np.isclose(grad(f)(X) @ X, slope)
