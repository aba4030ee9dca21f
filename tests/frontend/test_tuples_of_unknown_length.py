"""Tuples whose length only running the program tells: lists inside of it, but for who changes, compares or shows them."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from s2sad import UnsupportedSyntaxError, grad, jvp, value_and_grad, vjp

X = np.array([1.3, 0.7])
X_DOT = np.array([0.5, -2.0])


def added_to_under_another_name(x):
    t = tuple(x)
    u = t
    t += (1.0, x[1])
    return sum(u) * len(u) + sum(t) * len(t)


def repeated_under_another_name(x):
    t = u = tuple(v * v for v in x)
    t *= 2
    return sum(t) + sum(u) * len(u)


def added_to_in_a_loop(x):
    t = tuple(x)
    for k in range(3):
        u = t
        t += (x[0] * k,)
        u += (2.0,)
    return sum(t) * sum(u)


def added_to_as_arguments(x):
    def total(*values):
        whole = values
        values += (x[0],)
        return sum(values) * len(values) + sum(whole) * len(whole)

    return total(*x)


def joined(x):
    return sum(((2.0,) + tuple(x) + (x[0], 1.0) + tuple(v * v for v in x))[1:])


def stored_into(x):
    t = tuple(x)
    try:
        t[0] = 5.0
    except TypeError:
        return t[0] * 2.0
    return t[0]


def stored_into_part(x):
    t = tuple(x)
    try:
        t[0] += 5.0
        t[:] = [1.0]
    except TypeError:
        return t[0] * 2.0
    return t[0]


def deleted_from(x):
    t = tuple(x)
    try:
        del t[0]
    except TypeError:
        return t[0] * 2.0
    return t[0]


def appended_to(x):
    t = tuple(x)
    try:
        t.append(1.0)
    except AttributeError:
        return t[0] * 2.0
    return t[0]


def compared(x):
    t = tuple(x)
    same = (t == (x[0], x[1])) + 2 * (t != (x[0], x[1])) + 4 * (t < (5.0, 1.0)) + 8 * (t == [x[0], x[1]]) + 16 * (t == tuple(x))
    return x[0] * same


def found_among_tuples(x):
    return x[0] * (tuple(x) in [(1.0, 2.0), (x[0], x[1])]) + x[1]


def compared_with_an_array(x):
    return np.sum(x[::-1] * (tuple(x) > np.array([1.0, 1.0])))


def shown(x):
    t = tuple(v * 2.0 for v in x)
    texts = ["%.2f and %.3f" % t, f"{t}", f"{t!r:>40}", str(t), repr(t), format(t), "{} {}".format(t, 1)]  # noqa: UP031, UP032
    return x[0] * sum((text.count("(") - text.count("[")) * (k + 1) for k, text in enumerate(texts))


def asked_for_its_class(x):
    t = tuple(x)
    return x[0] * isinstance(t, tuple) + x[1] * isinstance(t, list) + 3.0 * x[1] * hasattr(t, "append")


def copied_into_lists(x):
    t = tuple(x)
    a, b, c = list(t), sorted(t), [*t]
    for changed in (a, b, c):
        changed += [x[0]]
        changed.append(1.0)
    return sum(a) * len(t) + sum(b) + sum(c) * t.index(x[1]) * t.count(x[0])


def on_some_path(x):
    t = tuple(x)
    if x[0] > 1.0:
        t = tuple(v * v for v in x)
        u = t
        t += (x[0],)
        return sum(t) * sum(u)
    return sum(t)


def of_rows(x):
    rows = tuple(tuple(v * w for w in x) for v in x)
    first = rows[0]
    first += (1.0,)
    return sum(sum(row) * len(row) for row in rows) + sum(first)


NUMBERS = [
    added_to_under_another_name, repeated_under_another_name, added_to_in_a_loop, added_to_as_arguments, joined, stored_into,
    stored_into_part, deleted_from, appended_to, compared, found_among_tuples, compared_with_an_array, shown,
    asked_for_its_class, copied_into_lists, on_some_path, of_rows,
]  # fmt: skip


@pytest.mark.parametrize("f", NUMBERS, ids=lambda f: f.__name__)
def test_what_python_computes_and_its_derivatives(f):
    step = 1e-6
    slope = (f(X + step * X_DOT) - f(X - step * X_DOT)) / (2 * step)
    primal, tangent = jvp(f, (X,), (X_DOT,))
    value, gradient = value_and_grad(f)(X)
    assert primal == value == f(X)
    assert np.allclose([tangent, gradient @ X_DOT], slope, rtol=1e-6)
    assert np.allclose(jvp(grad(f), (X,), (X_DOT,))[0], gradient)


RESULTS = {
    "of an array": lambda x: tuple(x),
    "of a generator": lambda x: tuple(v * v for v in x),
    "of a map": lambda x: tuple(map(np.sin, x)),
    "joined": lambda x: tuple(x) + (x[0],) + tuple(x),
    "by a star": lambda x: (x[1], *x, *x),
    "arguments": lambda x: (lambda *values: values)(*x),
    "a slice": lambda x: tuple(x)[::-1],
    "in a dict": lambda x: {"a": tuple(x), "b": (tuple(x), x[0])},
    "of pairs": lambda x: tuple(zip(x, x[::-1], strict=True)),
    "in a list": lambda x: [tuple(x), tuple(x * 2.0)],
    "of tuples": lambda x: tuple(tuple(row) for row in np.outer(x, x)),
    "lists of tuples of tuples": lambda x: [tuple(tuple(row) for row in np.outer(x, v * x)) for v in x],
    "by a helper": lambda x: functools.reduce(lambda t, k: tuple(v * k for v in t), range(1, 3), tuple(x)),
    "on some path": lambda x: tuple(x) if x[0] > 1.0 else tuple(x * x),
}


def sums(value):
    if isinstance(value, dict):
        return {key: sums(item) for key, item in value.items()}
    return type(value)(map(sums, value)) if isinstance(value, tuple | list) else 1.0


def total(value):
    if isinstance(value, dict):
        return sum(map(total, value.values()))
    return sum(map(total, value)) if isinstance(value, tuple | list) else value


@pytest.mark.parametrize("f", RESULTS.values(), ids=list(RESULTS))
def test_results_are_tuples(f):
    primal, tangent = jvp(f, (X,), (X_DOT,))
    assert repr(primal) == repr(f(X))
    assert repr(sums(tangent)) == repr(sums(primal))
    value, pullback = vjp(f, X)
    assert repr(value) == repr(f(X))
    assert np.allclose(total(tangent), pullback(sums(value))[0] @ X_DOT)
    step = 1e-6
    assert np.allclose(total(tangent), (total(f(X + step * X_DOT)) - total(f(X - step * X_DOT))) / (2 * step))


def test_a_tuple_or_a_list_is_refused():
    def f(x):
        t = list(x)
        if x[0] > 1.0:
            t = tuple(x)
        u = t
        t += (1.0,)
        return sum(u)

    with pytest.raises(UnsupportedSyntaxError):
        grad(f)(X)
