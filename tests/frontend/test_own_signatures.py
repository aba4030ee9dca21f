"""Calls of built-ins and methods that do not fit their signatures fail as in Python; what fits is understood, by name too."""

from __future__ import annotations

import collections
import functools
import itertools
import linecache
import math
import operator
from typing import Any

import numpy as np
import pytest

import s2sad

X = np.array([0.7, 1.3])
GIVEN = {"np": np, "math": math, "functools": functools, "itertools": itertools, "operator": operator, "collections": collections}
WRONG = """
len(x, foo=1) * x[0]
len(x, x) * x[0]
len() * x[0]
abs(x=x[0])
sum(x, strat=2)
sum(x, 0, 1)
sum(x, 2.0, start=2.0)
sum()
max(x, foo=1)
max(x, default=0.0, foo=1)
max(x[0], x[1], default=3.0)
max()
min(x, 1, foo=1)
sorted(x, foo=1)[0]
sorted(x, None)[0]
sorted()[0]
list(x, foo=1)[0]
list(x, x)[0]
x[0] * len(list(iterable=[1]))
tuple(x, foo=1)[0]
float(x[0], foo=1)
float(x=x[0])
x[0] * int(x=1)
x[0] * int(2, foo=1)
x[0] * len(str(3, foo=1))
x[0] if isinstance(x, np.ndarray, foo=1) else 0
x[0] if isinstance(x) else 0
x[0] if callable(x, 3) else x[1]
divmod(x[0], 2, 3)[1]
divmod(x[0])[0]
divmod(x=x[0], y=2)[0]
math.prod(x, 2)
math.prod(x, strat=2)
math.prod()
math.prod(iterable=x)
math.fsum(x, foo=2)
math.hypot(*x, foo=1)
functools.reduce(operator.add, x, initial=2)
functools.reduce(operator.add)
functools.partial()(x)
list(map(abs, x, foo=1))[0]
list(map(abs))[0]
list(zip(x, x, foo=1))[0][0]
list(enumerate(x, foo=1))[0][1]
list(enumerate(x, 1, 2))[0][1]
list(reversed(x, foo=1))[0]
list(filter(None, x, foo=1))[0]
x[range(2, foo=1)[0]]
x[0] * getattr(x, "ndim", 1, 2)
x[0] if hasattr(x, "ndim", 2) else 0
x[0] if hasattr(x) else 0
next(iter(x), 1, 2)
next(iter(x, foo=1))
x[slice(0, 1, foo=1)][0]
list(itertools.chain(x, foo=1))[0]
list(itertools.accumulate(x, foo=1))[1]
list(itertools.product(x, x, foo=1))[0][0]
list(itertools.islice(x, 2, foo=1))[0]
list(itertools.repeat(x[0], 2, foo=1))[0]
list(itertools.combinations(x, 2, foo=1))[0][0]
list(itertools.zip_longest(x, x, foo=1))[0][0]
x[0] * len(set([1, 2], foo=1))
operator.itemgetter(0, foo=1)(x)
collections.deque(x, foo=1)[0]
list(x).sort(foo=1) or x[0]
list(x).pop(0, 1)
list(x).append(x[0], foo=1) or x[0]
{"a": x[0]}.get("a", foo=1)
{"a": x[0]}.get("a", 0, 1)
{"a": x[0]}.pop("a", 0, 1)
list({"a": x[0]}.items(1))[0][1]
list({"a": x[0]}.values(foo=1))[0]
x[0] * len("a b".split(foo=1))
""".strip().splitlines()
RIGHT = """
sum(x, start=2.0)
max(x, key=None)
max(x, default=0.0)
max(*x)
math.prod(x, start=2.0)
math.hypot(*x)
list(enumerate(iterable=x, start=1))[0][1]
round(number=x[0], ndigits=1) * x[1]
pow(base=x[0], exp=2)
complex(real=x[0], imag=1).real
dict(a=x[0])["a"]
list(zip(x, x, strict=True))[1][0]
list(itertools.repeat(object=x[0], times=2))[1]
functools.partial(pow, exp=2)(x[0])
{"a": x[0]}.get("b", x[1])
list(x).pop(0)
sum(itertools.chain(x, x))
x[0] * len("a,b".split(","))
""".strip().splitlines()


def function(text: str) -> Any:
    """The function of ``x``, its source at hand."""
    file, source = f"<call in {text}>", f"def f(x):\n    return {text}\n"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    space = dict(GIVEN)
    exec(compile(source, file, "exec"), space)
    return space["f"]


@pytest.mark.parametrize("text", WRONG)
def test_what_does_not_fit_is_refused(text: str) -> None:
    f = function(text)
    with pytest.raises(TypeError):
        f(X)
    for derive in (lambda: s2sad.grad(f)(X), lambda: s2sad.jvp(f, (X,), (X,))):
        with pytest.raises((s2sad.S2sadError, TypeError)) as caught:
            derive()
        assert not isinstance(caught.value, s2sad.CompilerError)


@pytest.mark.parametrize("text", RIGHT)
def test_what_fits_is_differentiated(text: str) -> None:
    f = function(text)
    direction = np.array([0.3, -0.8])
    expected = (f(X + 1e-6 * direction) - f(X - 1e-6 * direction)) / 2e-6
    assert s2sad.grad(f)(X) @ direction == pytest.approx(expected, rel=1e-6)
    value, tangent = s2sad.jvp(f, (X,), (direction,))
    assert value == f(X)
    assert tangent == pytest.approx(expected, rel=1e-6)


def test_what_fails_is_caught_as_in_python() -> None:
    def f(x: Any) -> Any:
        try:
            return len(x, foo=1) * x[0]
        except TypeError:
            return x[1] ** 2

    assert s2sad.grad(f)(X).tolist() == [0.0, 2.6]


def test_the_refusal_says_which_function_and_why() -> None:
    with pytest.raises(s2sad.UnsupportedSyntaxError, match=r"TypeError: sum\(\): got an unexpected keyword argument 'strat'"):
        s2sad.grad(function("sum(x, strat=2)"))(X)
