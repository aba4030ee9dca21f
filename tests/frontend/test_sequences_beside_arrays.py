"""Tuples and lists beside what is NumPy's are arrays; tuples are repeated by whole numbers; comparisons with None by item."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import S2sadError, grad, jvp, vjp

X = np.array([1.3, 0.7])
X_DOT = np.array([0.5, -2.0])
GOAL = np.array([1.0, 2.0])


def raised_in_place(x):
    r = x * 1.5
    r **= (1, 2)
    return r


def divided_in_place(x):
    r = x * 1.5
    alias = r
    r /= (x[0], 3.0)
    r -= [x[1], 1.0]
    return alias


def a_row_in_place(x):
    rows = np.outer(x, x)
    rows[0] *= (x[1], 2.0)
    rows[1] **= [2, 1]
    return rows


def repeated_by_a_computed_number(x):
    n = int(np.sum(x > 0.5))
    return np.array((x[0], 2.0 * x[1]) * n) + np.array(n * (x[1], 1.0))


PROGRAMS = {
    "array - tuple": lambda x: GOAL - (x[0], x[1]),
    "tuple - array": lambda x: (x[0], 3.0) - x,
    "array / tuple": lambda x: GOAL / (x[0], x[1]),
    "array % tuple": lambda x: GOAL % (x[0], x[1]),
    "array ** tuple": lambda x: x ** (1, 2),
    "tuple ** array": lambda x: (x[1], 2.0) ** x,
    "array + list": lambda x: GOAL + [x[0], 1.0],
    "array * tuple": lambda x: GOAL * (x[0], x[1]),
    "float64 - tuple": lambda x: np.float64(2.0) - (x[0], x[1]),
    "float64 + tuple": lambda x: x[0] + (x[0], x[1]),
    "int64 - list": lambda x: np.int64(2) - [x[0], x[1]],
    "int64 / list": lambda x: np.int64(2) / [x[0], x[1]],
    "float64 of the program - tuple": lambda x: x[0] - (x[1], 1.0),
    "array / tuple, both active": lambda x: x / (x[0], x[1]),
    "tuple @ matrix": lambda x: (x[0], x[1]) @ np.array([[1.0, 2.0], [3.0, 4.0]]),
    "matrix @ list": lambda x: np.outer(x, x) @ [x[1], 2.0],
    "array - nested tuples": lambda x: np.outer(x, x) - ((x[0], 1.0), (2.0, x[1])),
    "int * tuple": lambda x: 3 * (x[0], x[1]),
    "tuple * int": lambda x: (x[0], x[1]) * 2,
    "bool * tuple": lambda x: True * (x[0], x[1]),
    "by np.maximum's array": lambda x: np.maximum(x, 1.0) - (x[1], x[0]),
    "in place, powers": raised_in_place,
    "in place": divided_in_place,
    "a row in place": a_row_in_place,
    "repeated by a computed number": repeated_by_a_computed_number,
    "== None": lambda x: x * (x == None),  # noqa: E711
    "!= None": lambda x: x * (x != None),  # noqa: E711
    "None ==": lambda x: x * (None == x) + x[0] * (x[0] == None),  # noqa: E711
}


@pytest.mark.parametrize("f", PROGRAMS.values(), ids=list(PROGRAMS))
def test_operators(f):
    primal, tangent = jvp(f, (X,), (X_DOT,))
    assert type(primal) is type(f(X))
    assert np.array_equal(primal, f(X))
    step = 1e-6
    slope = np.subtract(f(X + step * X_DOT), f(X - step * X_DOT)) / (2 * step)
    assert np.allclose(tangent, slope, rtol=1e-6, atol=1e-9)
    seed = np.cos(np.arange(np.size(primal))).reshape(np.shape(primal))
    given = tuple(seed) if isinstance(primal, tuple) else seed
    assert np.allclose(vjp(f, X)[1](given)[0] @ X_DOT, np.sum(seed * slope), rtol=1e-6, atol=1e-9)


def test_a_distance_of_two_coordinates():
    def distance(px, py):
        return np.linalg.norm(GOAL - (px, py))

    expected = -(GOAL - [0.3, 0.4]) / distance(0.3, 0.4)
    assert np.allclose([grad(distance, wrt=k)(0.3, 0.4) for k in ("px", "py")], expected)


@pytest.mark.parametrize("name", ["**=", "*=", "/=", "-="])
def test_integers_in_place_do_not_drop_fractions(name):
    def raised(x):
        r = np.array([1, 2])
        if name == "**=":
            r **= x
        elif name == "*=":
            r *= x
        elif name == "/=":
            r /= x
        else:
            r -= x
        return r

    with pytest.raises(TypeError):
        raised(X)
    with pytest.raises((S2sadError, TypeError)):
        jvp(raised, (X,), (X,))
