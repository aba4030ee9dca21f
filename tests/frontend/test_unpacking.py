"""Taking apart what can only be counted as the program runs: the derivative is right, or Python's own error is raised."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from verdicts import arguments, assert_raises, assert_right

from s2sad import CompilerError, S2sadError, differentiate, grad, jvp
from s2sad.cli.transform import transform


def appended(s, count):
    items = []
    for k in range(count):
        items.append(s * (k + 1))
    return items


def a_list(s):
    a, b = appended(s, 2)
    return a * b


def too_many(s):
    a, b = appended(s, 3)
    return a * b


def too_few(s):
    a, b, c = appended(s, 2)
    return a * b * c


def caught(s):
    try:
        a, b = appended(s, 3)
    except ValueError:
        a, b = s, s * s
    return a * b


def an_array(x):
    a, b, c = x
    return a * b * c


def too_many_in_an_array(x):
    a, b = x
    return a * b


def around(x):
    first, *rest, last = x
    return first * last * sum(rest)


def too_few_around(x):
    a, b, *rest, c, d = x
    return a * b * c * d + sum(rest)


def too_few_around_caught(s):
    try:
        a, *rest, b = (s,)
    except ValueError:
        a = b = s * s
        rest = []
    return a * b + len(rest)


def rows(x):
    total = 0.0
    for a, b, c in np.outer(x, x):
        total += a * b * c
    return total


def rows_that_are_longer(x):
    total = 0.0
    for a, b in np.outer(x, x):
        total += a * b
    return total


def nested(x):
    (a, b), (c, d) = x[:2, None] * x[None, :2]
    return a * d + 2.0 * b * c


def nested_that_is_longer(x):
    (a, b), (c, d) = x[:2, None] * x[None, :]
    return a * d + 2.0 * b * c


def keys_of_a_dict(x):
    table = {}
    for k in range(2):
        table[k + 1] = x[k]
    a, b = table
    return table[a] * table[b] * a


def more_keys_of_a_dict(x):
    table = {}
    for k in range(3):
        table[k + 1] = x[k]
    a, b = table
    return table[a] * table[b] * a


def an_iterator(x):
    it = iter(x)
    first = next(it)
    a, b = it
    return first * a * a * b


def an_iterator_with_more(x):
    it = iter(x)
    a, b = it
    return a * b


def mapped(x):
    a, b = map(np.sin, x)
    return a * b


def squares(x):
    for v in x:
        yield v * v


def a_generator(x):
    a, b = squares(x)
    return a * b


def decay(t, scale, rate, offset):
    return np.sum(scale * np.exp(-rate * t) + offset)


def spread_over_parameters(x):
    return decay(np.arange(3.0), *x) + decay(1.0, *x[:2], 3.0) + decay(2.0, *x[:2], offset=1.0)


def spread_too_thin(x):
    return decay(1.0, *x[:2])


def spread_too_thick(x):
    return decay(*x, 1.0, 2.0)


def first_of(first, *rest):
    return first * sum(rest)


def spread_over_some(x):
    return first_of(*x) + first_of(2.0, *x)


def spread_over_nothing(x):
    return first_of(*x[x > 9.0])


def windows(x):
    m = np.zeros((3, 3))
    a, *rest = m
    a[:] = x
    rest[0][:] = x * 2
    (b,) = x[None, :]
    return np.sum(m**2 * b)


def a_set_of_one(s):
    (a,) = {2.0}
    return s * a


def a_set_of_two(s):
    a, b = {2.0, 3.0}
    return s * a**b


RIGHT = [a_list, windows, a_set_of_one, caught, an_array, around, too_few_around_caught, rows, nested, keys_of_a_dict,
         an_iterator, spread_over_parameters, spread_over_some]  # fmt: skip
RAISES = [
    (too_many, ValueError), (too_few, ValueError), (too_many_in_an_array, ValueError), (too_few_around, ValueError),
    (rows_that_are_longer, ValueError), (nested_that_is_longer, ValueError), (more_keys_of_a_dict, ValueError),
    (an_iterator_with_more, ValueError), (mapped, ValueError), (a_generator, ValueError), (spread_too_thin, TypeError),
    (spread_over_nothing, TypeError),
]  # fmt: skip


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_right(function: Callable[..., Any]) -> None:
    assert_right(function)


@pytest.mark.parametrize(("function", "error"), RAISES, ids=lambda f: f.__name__)
def test_raises_what_python_raises(function: Callable[..., Any], error: type[Exception]) -> None:
    assert_raises(function, error)


@pytest.mark.parametrize("function", [spread_too_thick, a_set_of_two, lambda s: decay(*(s, s))])
def test_what_is_known_to_fail_is_refused_or_raises(function: Callable[..., Any]) -> None:
    with pytest.raises((S2sadError, TypeError)) as caught:
        grad(function)(*arguments(function))
    assert not isinstance(caught.value, CompilerError)


def test_the_text_says_it() -> None:
    text = differentiate(an_array).source("adjoint", np.ones(3))
    assert 'raise ValueError("too many values to unpack (expected 3)")' in text


def told_and_unpacked(x: Any) -> float:
    print("a call cannot be made again to tell")
    a, b, c = [v * v for v in x]
    return a * b * c


def told_and_unpacked_around(x: Any) -> float:
    print("a call cannot be made again to tell")
    a, b, *rest, c = [v * v for v in x]
    return a * b * c + sum(rest)


@pytest.mark.parametrize("mode", ["adjoint", "tangent"])
@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("function", [told_and_unpacked, told_and_unpacked_around])
def test_texts_are_pythons(function: Callable[..., Any], count: int, mode: str) -> None:
    x, told = np.arange(1.0, count + 1.0), []
    for run in (lambda: function(x), lambda: grad(function)(x) if mode == "adjoint" else jvp(function, (x,), (x,))):
        try:
            run()
        except ValueError as error:
            told.append(str(error))
    assert len(told) == (0 if function is told_and_unpacked_around and count == 4 else 2)
    assert len(set(told)) < 2


PART = """
def part(s{}):
    items = [s, s * s, s]
    return items[0] * sum(items[1:])
"""


def test_a_part_of_a_list_of_what_is_not_known(tmp_path: Path) -> None:
    """Its adjoint was lost: whether its items are numbers or arrays decides what is to be done."""
    for annotation in ("", ": float"):
        (tmp_path / "parts.py").write_text(PART.format(annotation))
        found = CliRunner().invoke(transform, [str(tmp_path / "parts.py"), "-o", "-"])
        assert found.exit_code == 0
        scope: dict[str, Any] = {}
        exec(found.output, scope)
        assert scope["part_adjoint"](1.3)[1] == pytest.approx(3 * 1.3**2 + 2 * 1.3)
