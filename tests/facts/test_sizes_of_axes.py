"""Sizes that are claimed equal are equal, and what is claimed of one is true, for all that its symbols may be."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from s2sad import grad
from s2sad.facts.sizes import (
    Dim,
    Size,
    expanded,
    fewer,
    floor_divided,
    is_many,
    larger,
    least_of,
    minus,
    plus,
    product,
    quotient,
    renamed,
    spelled,
    times,
    without_factor,
)
from s2sad.frontend.resolve import LiveScope
from s2sad.frontend.source import source_of
from s2sad.ir.kinds import Array, Slice
from s2sad.pipeline import lower
from s2sad.rules.kind_rules import slice_size

NAMES = ("n", "m", "k")
VALUES = st.fixed_dictionaries({name: st.integers(0, 12) for name in NAMES})
Built = tuple[Size, Callable[[dict[str, int]], Any]]  # a size, and the number that it should be; None where there is none


def _symbol(name: str) -> Built:
    return Dim(name), lambda values: values[name]


def _of(rule: Callable[..., Size], number: Callable[..., Any]) -> Callable[..., Built]:
    def build(*parts: Built) -> Built:
        def value(values: dict[str, int]) -> Any:
            given = [part[1](values) for part in parts]
            return None if None in given else number(*given)

        return rule(*(part[0] for part in parts)), value

    return build


def _with(rule: Callable[[Size, int], Size], number: Callable[[int, int], Any]) -> Callable[[Built, int], Built]:
    return lambda part, n: _of(lambda size: rule(size, n), lambda value: number(value, n))(part)


def _wider(inner: st.SearchStrategy[Built]) -> st.SearchStrategy[Built]:
    counts = st.integers(1, 4)
    return st.one_of(
        st.builds(_of(plus, lambda a, b: a + b), inner, inner),
        st.builds(_of(minus, lambda a, b: a - b), inner, inner),
        st.builds(_of(larger, max), inner, inner),
        st.builds(_of(lambda a, b: product((a, b)), lambda a, b: a * b), inner, inner),
        st.builds(_of(quotient, lambda a, b: a / b if b else None), inner, inner),
        st.builds(_with(times, lambda a, n: a * n), inner, st.integers(-3, 3)),
        st.builds(_with(floor_divided, lambda a, n: a // n), inner, counts),
        st.builds(_with(fewer, lambda a, n: max(0, a - n)), st.builds(_symbol, st.sampled_from(NAMES)), counts),  # type: ignore[arg-type]
    )


built = st.recursive(
    st.one_of(st.builds(_symbol, st.sampled_from(NAMES)), st.integers(0, 5).map(lambda n: (n, lambda _: n))), _wider, max_leaves=5
)


@given(built, built, VALUES)
def test_what_is_claimed_equal_is_equal(a: Built, b: Built, values: dict[str, int]) -> None:
    one, other = a[1](values), b[1](values)
    if a[0] is not None and a[0] == b[0] and None not in (one, other):
        assert one == other


@given(built, VALUES)
def test_what_is_claimed_of_a_size_is_true(a: Built, values: dict[str, int]) -> None:
    number = a[1](values)
    if number is None or a[0] is None:
        return
    assert evaluated(a[0], values) == number
    if number >= 0:
        assert least_of(a[0]) <= number
        assert not is_many(a[0]) or number != 1


@given(built, built, built)
def test_sums_and_products_take_their_parts_in_any_order(a: Built, b: Built, c: Built) -> None:
    (m, _), (n, _), (k, _) = a, b, c
    assert plus(m, n) == plus(n, m)
    assert plus(plus(m, n), k) == plus(m, plus(n, k))
    assert product((m, n)) == product((n, m))
    assert product((0, 1)) == 0
    if m is not None:
        assert minus(plus(m, n), n) == (None if n is None else m)


@given(built, VALUES)
def test_other_spellings_of_a_size(a: Built, values: dict[str, int]) -> None:
    number = a[1](values)
    if number is None or a[0] is None:
        return
    assert evaluated(expanded(a[0]), values) == number
    if isinstance(a[0], Dim):
        assert (evaluated(without_factor(a[0]), values) >= 0) == (number >= 0)


def test_products_of_sums_are_sums_of_products() -> None:
    n, m = Dim("n"), Dim("m")
    assert expanded(minus(product((plus(n, 1), m)), product((n, m)))) == m
    assert expanded(product((plus(n, 1), minus(n, 1)))) == plus(product((n, n)), -1)


def evaluated(size: Size, values: dict[Any, int]) -> Any:
    """The number that a size is, if its symbols are these."""

    def symbol(key: Any) -> int:
        if key in values:
            return values[key]
        what, *parts = key
        if what == "max0":
            return max(0, evaluated(parts[0], values))
        if what == "floor":
            return int(evaluated(parts[0], values) // parts[1])
        if what == "max":
            return max(evaluated(part, values) for part in parts[0])
        assert what == "slice"
        n, *bounds = (evaluated(part, values) if isinstance(part, Dim) else part for part in parts)
        return len(range(*slice(*bounds).indices(n)))

    return renamed(size, symbol) if isinstance(size, Dim) else size


def _pieces(x, y): return np.concatenate([x, y, x])
def _stacked(x, y): return np.vstack([np.outer(x, y), np.outer(x, y)])
def _tiled(x, y): return np.tile(x, 3)
def _repeated(x, y): return np.repeat(x, 2)
def _evens(x, y): return np.repeat(x, 2)[::2]
def _odds(x, y): return np.repeat(x, 2)[1::2]
def _full(x, y): return np.convolve(x, y)
def _same(x, y): return np.convolve(x, y, "same")
def _valid(x, y): return np.convolve(x, y, "valid")
def _flat(x, y): return np.outer(x, y).ravel()
def _shaped(x, y): return np.outer(x, y).reshape(-1, x.shape[0])
def _inner(x, y): return np.pad(x, 2)[1:-1]
def _twice(x, y): return x[1:][1:]
def _less(x, y): return np.diff(x, n=2)
def _half(x, y): return np.zeros(x.shape[0] // 2)
def _counted(x, y): return np.zeros((2 * x.shape[0] + 1, x.shape[0] * y.shape[0]))
def _diagonal(x, y): return np.diag(x, 1)
def _windows(x, y): return x[: y.shape[0]]
def _backwards(x, y): return x[::-2]
def _spectrum(x, y): return np.fft.rfft(x).real
def _evenly(x, y): return np.arange(x.shape[0], 3 * y.shape[0] + 2, 3)
def _down(x, y): return np.arange(x.shape[0], -y.shape[0] - 1, -2)
def _again(x, y): return np.fft.irfft(np.fft.rfft(x))


RULES = [
    _pieces, _stacked, _tiled, _repeated, _evens, _odds, _full, _same, _valid, _flat, _shaped, _inner, _twice, _less, _half,
    _counted, _diagonal, _windows, _backwards, _spectrum, _again, _evenly, _down,
]  # fmt: skip


@pytest.mark.parametrize("least", [0, 3])
@pytest.mark.parametrize("function", RULES, ids=[f.__name__ for f in RULES])
def test_the_sizes_of_results_are_those_of_numpy(function: Callable[..., Any], least: int) -> None:
    kinds = {name: Array("float64", (Dim(name, many=least > 1, least=least),)) for name in inspect.signature(function).parameters}
    lowered, _ = lower(source_of(function), LiveScope(function), kinds)
    kind = lowered.body.yields[0].kind
    assert isinstance(kind, Array) and kind.shape is not None and (None not in kind.shape or not least)
    for n in range(least, 9):
        for m in range(least, 8):
            try:
                found = function(np.ones(n), np.ones(m)).shape
            except ValueError:
                continue  # NumPy refuses what has no items
            for size, number in zip(kind.shape, found, strict=True):
                assert size is None or evaluated(size, {"x": n, "y": m}) == number, (n, m)
                assert least_of(size) <= number and not (is_many(size) and number == 1), (n, m)


def _multiplied(x, y, n): return np.sum(x.reshape(n) * y.reshape(n))


@pytest.mark.parametrize(("a", "b", "n"), [(1, 3, -1), (3, 1, -1), (3, 3, -1), (3, 3, 3), (1, 1, 1)])
def test_a_size_that_may_be_what_remains_is_not_one_size_of_two_arrays(a: int, b: int, n: int) -> None:
    found = grad(_multiplied, wrt=("x", "y"))(np.ones(a), np.ones(b), n)
    assert [part.tolist() for part in found] == [[max(a, b) / a] * a, [max(a, b) / b] * b]


def test_sizes_are_spelled_by_the_names_of_annotations() -> None:
    n, m = Dim(("named", "n")), Dim(("named", "m"))
    found = map(spelled, (3, None, n, plus(n, -2), plus(times(m, 2), n), minus(n, m), Dim(("axis", ("x",), 0)), product((n, m))))
    assert list(found) == ["3", ":", "n", "n - 2", "2*m + n", "-m + n", ":", ":"]


def test_a_step_back_from_the_beginning_is_another_one_than_from_the_end() -> None:
    n = Dim("n")
    assert slice_size(n, Slice(None, None, -2)) != slice_size(n, Slice(0, None, -2))


def test_a_size_of_sizes_is_compared_at_once() -> None:
    """Halves of what is left of halves hold each of them twice: its hash would take a time that doubles with each."""
    size: Size = Dim("n")
    other: Size = Dim("n")
    for _ in range(60):
        size, other = plus(size, times(floor_divided(size, 2), -1)), plus(other, times(floor_divided(other, 2), -1))
    assert hash(size) == hash(other)
    assert pickle.loads(pickle.dumps(floor_divided(Dim("n"), 2))) == floor_divided(Dim("n"), 2)
