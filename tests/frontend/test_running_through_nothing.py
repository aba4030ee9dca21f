"""Iterators, lengths and operators of what cannot be run through, or may be None, of which nobody makes use: Python raises."""

import itertools

import numpy as np
import pytest
from mode_pairs import load
from thinning import thinned

from s2sad import CompilerError, S2sadError, grad, hvp, jvp

V = np.array([0.7, 1.3, 2.1])
DERIVATIVES = (
    lambda f: jvp(f, (V,), (np.ones(3),)),
    lambda f: grad(f)(V),
    lambda f: hvp(f, (V,), (np.ones(3),)),
)
HEAD = """
import collections, functools, itertools
import numpy as np

class C:
    def __init__(self, a):
        self.a = a

def add(*a):
    return 1.0

def f(x):
    {given}
    {statement}
    return np.sum(x * x)
"""
MAYBE = {
    "a list": "[x[0], x[1]]", "a tuple": "(x[0], x[1])", "a dict": "{'k': x[0]}",
    "a list made in a loop": "[v * v for v in x if v > 0]",
    "a dict made in a loop": "{k: x[k] for k in range(len(x))}", "an object": "C(x[0])", "an array": "x", "a number": "x[0]",
}  # fmt: skip
NONE = {name: f"a = None\n    if x[0] > 10:\n        a = {value}" for name, value in MAYBE.items()}
NO_ITEMS = {"an object": "a = C(x[0])", "a function": "a = np.sin", "a class": "a = C", "a module": "a = np", "a number": "a = 3"}
NO_ITEMS |= {"a lambda": "a = lambda: 0", "None": "a = None"}
RUNNING = (
    "enumerate(a)", "zip(a)", "zip(x, a)", "iter(a)", "map(add, a)", "filter(None, a)", "itertools.accumulate(a)",
    "itertools.islice(a, 2)", "itertools.cycle(a)", "itertools.zip_longest(a, x)", "itertools.pairwise(a)",
    "itertools.takewhile(None, a)", "itertools.starmap(add, a)", "itertools.chain.from_iterable(a)",
)  # fmt: skip
TAKING = (
    "len(a)", "for v in a: pass", "tuple(a)", "list(a)", "reversed(a)", "sorted(a)", "min(a)", "[v for v in a]", "dict(a)",
    "a + a", "a * 2", "[1] + a", "(1,) + a", "a[0] = 1", "functools.reduce(add, a)", "itertools.product(a)", "a < a", "-a",
)  # fmt: skip
COUNTING = {
    "a = x[0]": (
        "range(a)", "~a", "a | 1", "a & 1", "itertools.repeat(2, a)", "isinstance(a, a)", "isinstance(a, [float])", "sum(a)",
        "__import__('math').fsum(a)", "np.ix_(a)",
    ),
    "a = {1}": ("reversed(a)", "itertools.repeat(2, a)", "itertools.count(a)", "x[a:]", "x[:a]"),
    "a = zip(x, x)": ("reversed(a)",), "a = (v for v in x)": ("reversed(a)", "np.ix_(a)"),
    "a = {k: x[k] for k in range(len(x))}": ("np.ix_(a)", "np.sin(a)", "itertools.count(a)"),
    "a = [[1, 2]]": ("np.ix_(a)", "np.ix_(a, [0])", "itertools.count(a)"),
}  # fmt: skip
CASES = [(given, one) for given, one in itertools.product(NO_ITEMS.values(), RUNNING)]
CASES += [(given, one) for given, one in itertools.product(NONE.values(), (*RUNNING, *TAKING))]
CASES += [(given, one) for given, several in COUNTING.items() for one in several]


@pytest.mark.parametrize(("given", "statement"), thinned(CASES, 2, "-".join))
def test_what_python_raises_is_raised_or_refused(given: str, statement: str) -> None:
    function = load(HEAD.format(given=given, statement=statement))
    with pytest.raises((TypeError, ValueError)) as plain:
        function(V)
    for derive in DERIVATIVES:
        with pytest.raises((S2sadError, type(plain.value))) as ours:
            derive(function)
        assert not isinstance(ours.value, CompilerError)


def compared(x):
    total = x[0] * 0
    for k in range(3):
        pair = (x[0], k) if k > 0 else None
        if pair == (x[0], 1):
            total = total + pair[0] * x[1]
        if pair != (x[0], 2):
            total = total + x[2] ** 2
    return total


def counted(x):
    best = None
    for k in range(3):
        if best is not None and len(best) == 2 and best[0] < x[k]:
            best = (x[k] * best[0], k)
        elif best is None:
            best = (x[k], k)
    return sum(best) + best[0] * best[1]


@pytest.mark.parametrize("function", [compared, counted])
def test_what_may_be_none_and_is_not(function) -> None:
    step = 1e-6
    basis = np.eye(3) * step
    slopes = [(function(V + e) - function(V - e)) / (2 * step) for e in basis]
    np.testing.assert_allclose(grad(function)(V), slopes, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose([jvp(function, (V,), (e / step,))[1] for e in basis], slopes, rtol=1e-6, atol=1e-8)
