"""Programs that once made s2sad fail in a way of its own: each has a derivative, or is refused by name."""

import sys

import numpy as np
import pytest
from scipy.special import logsumexp

from s2sad import S2sadError, UnsupportedSyntaxError, grad
from s2sad.testing import check_grads

WEIGHTS = np.array([1.0, 2.0, 0.5])


def applied(f, v):
    return f(v) if callable(f) else f * v


def asks_whether_callable(s):
    return applied(lambda v: v * v, s) + applied(2.0, s) + applied(Square(), s)


class Square:
    def __call__(self, v):
        return v * v


def scaled(f, v):
    return f * v if isinstance(f, (int, float)) else f(v)


def asks_for_the_class(s):
    return scaled(lambda v: v * v, s) + scaled(3, s)


def asks_for_attributes(s):
    def f(v):
        return v * s

    return f(s) if hasattr(f, "__call__") and type(f) is not float else s


def weights_outside(x):
    return logsumexp(x, b=WEIGHTS)


def convolution(x):
    k = np.array([[1.0, 2.0], [3.0, 4.0]])
    padded = np.outer(np.arange(1.0, 6.0), np.array([1.0, 0.5, 0.2, 0.1, 0.7])) * x[0]
    out = np.zeros((4, 4))
    for i in range(2):
        for j in range(2):
            out += k[i, j] * padded[i : i + out.shape[0], j : j + 4]
    return np.sum(out * out)


def slices_in_a_list(x):
    a = [slice(n, n + 2) for n in range(2)]
    return np.sum(x[a[0]] * x[a[1]])


def slices_appended(x):
    a = []
    for n in range(2):
        a.append(slice(n, n + 2))
    total = 0.0
    for part in a:
        total += np.sum(x[part] ** 2)
    return total


def a_slice_that_changes(x):
    part = slice(0, 1)
    total = 0.0
    for i in range(3):
        total += np.sum(x[part] ** 2)
        part = slice(0, i + 1)
    return total


class Private:
    def __init__(self, v):
        self.__v = v
        self.__count = 0

    def __scaled(self, x):
        self.__count += 1
        return self.__v * x

    def run(self):
        return self.__scaled(2.0) * self.__v * self.__count


class Derived(Private):
    def __scaled(self, x):
        return 7.0

    def both(self):
        return self.run() + self.__scaled(1.0)


def private_names(s):
    return Derived(s).both()


def makes_an_array(n):
    return np.zeros(n)


def fills_what_a_function_made(s):
    a, b = makes_an_array(3), makes_an_array(3)
    a[0] = s
    b[0] = s * s
    return a[0] * 2 + b[0]


RIGHT = [asks_whether_callable, asks_for_the_class, asks_for_attributes, weights_outside, convolution, slices_in_a_list,
         slices_appended, a_slice_that_changes, private_names, fills_what_a_function_made]  # fmt: skip


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_is_right(function):
    args = (np.array([1.3, 0.7, 2.1]),) if "x" in function.__code__.co_varnames[:1] else (1.7,)
    check_grads(function, args, modes=("tangent", "adjoint"))


def long_program(tmp_path, body):
    """A function of a number whose body is written down."""
    file = tmp_path / "long_program.py"
    text = f"def f(s):\n{body}"
    file.write_text(text)
    namespace = {"__name__": "long_program"}
    exec(compile(text, str(file), "exec"), namespace)
    return namespace["f"]


def test_long_sums_and_products(tmp_path):
    limit = sys.getrecursionlimit()
    assert grad(long_program(tmp_path, "    return " + " + ".join(f"s * {k}.0" for k in range(300))))(1.0) == sum(range(300))
    assert grad(long_program(tmp_path, "    return " + " * ".join(["s"] * 300)))(1.0) == 300.0
    assert sys.getrecursionlimit() == limit


@pytest.mark.parametrize("body", [
    "    return " + "-" * 2000 + "s",
    "".join(f"    if s < {-k}.0:\n        return s * {k}.0\n" for k in range(200)) + "    return s * s",
    "    return s * (2.0 if " + " and ".join(f"s > -{k}.0" for k in range(200)) + " else 3.0)",
], ids=["signs", "returns", "conditions"])  # fmt: skip
def test_what_is_nested_too_deeply_is_refused(tmp_path, body):
    with pytest.raises(UnsupportedSyntaxError, match="nested too deeply"):
        grad(long_program(tmp_path, body))(1.0)


def test_results_without_a_derivative_are_named():
    with pytest.raises(S2sadError, match="carries no derivative"):
        grad(lambda x: int(x))(1.5)

    def differs(s):
        if s > 3.0:
            return s, s * s
        return s

    with pytest.raises(S2sadError, match="a result"):
        grad(differs)(1.5)


def smallest_of(x, *others):
    try:
        low = min(others)
    except ValueError:
        low = 2.0
    return x * low


def test_the_smallest_of_nothing_is_what_python_says_it_is() -> None:
    assert grad(smallest_of)(3.0) == 2.0
    assert grad(smallest_of)(3.0, 5.0) == 5.0
    with pytest.raises(S2sadError, match="no item"):
        grad(lambda x, *others: x * min(others))(3.0)


def hash_of_computed_tuple(x):
    signs = [float(v > 0.5) for v in x]
    return x[0] * (hash(tuple(signs)) % 7)


def computed_tuple_as_a_key(x):
    signs = tuple([float(v > 0.5) for v in x])
    return {signs: x[1]}[signs] * x[0]


def computed_tuple_as_a_new_key(x):
    signs, found = [float(v > 0.5) for v in x], {}
    found[tuple(signs)] = x[1]
    return found[tuple(signs)] * x[0]


@pytest.mark.parametrize("function", [hash_of_computed_tuple, computed_tuple_as_a_key, computed_tuple_as_a_new_key])
def test_tuples_of_unknown_length_have_no_hash(function):
    with pytest.raises(S2sadError, match="tuple of unknown length.*(?s:.*)tobytes"):
        grad(function)(np.linspace(0.3, 1.3, 100))


@pytest.mark.parametrize("function", [computed_tuple_as_a_key, computed_tuple_as_a_new_key])
def test_tuples_of_few_computed_items_are_keys(function):
    check_grads(function, (np.array([0.3, 0.8, 1.3]),))
