"""Each compiled form by itself against NumPy: helpers at extreme numbers, array statements at shapes, layouts and NaNs that
hypothesis finds. All deep: each is compiled."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from s2sad import differentiate
from s2sad import runtime as numpys
from s2sad.api import derivatives_of
from s2sad.native import Native, NotCompiledWarning
from s2sad.options import Options

pytest.importorskip("numba")
from s2sad import loop_runtime

EXTREME = [0.0, -0.0, 1.0, -2.5, 3.0, 0.5, 1e300, np.inf, -np.inf, np.nan]
HELPERS = {"strong_zero": 2, "sign": 1, "ge_share": 2, "safe_divide": 2, "power_dx": 2, "sech2": 1, "heaviside": 2}


@pytest.mark.deep
@pytest.mark.parametrize("name", HELPERS)
def test_helpers_at_extreme_numbers(name: str) -> None:
    helper, reference = getattr(loop_runtime, name), getattr(numpys, name, None) or getattr(np, name)
    for numbers in itertools.product(EXTREME, repeat=HELPERS[name]):
        args = [np.float64(v) for v in numbers]
        with np.errstate(all="ignore"):
            try:
                expected = reference(*args)
            except ArithmeticError:
                continue  # what Python's numbers refuse
        np.testing.assert_allclose(helper(*args), expected, rtol=1e-12, err_msg=str(numbers))


def rows_and_numbers(a, b, s):
    return a * b + s


def columns(a, b, s):
    return a[:, :1] * s - a[:, ::-1]


def negative_steps(a, b, s):
    return a[::-1, ::-2] + s


def parts(a, b, s):
    return a[1:, 1:] - a[:-1, :-1]


def sums(a, b, s):
    return np.sum(a, axis=0) + b


def sums_that_keep(a, b, s):
    return a - np.sum(a, axis=1, keepdims=True)


def means(a, b, s):
    return a.mean(axis=-1)


def all_of_it(a, b, s):
    return np.sum(a * b) + np.sum(b) * s


def largest(a, b, s):
    return a.max(axis=1)


def smallest_that_keep(a, b, s):
    return np.min(a, axis=0, keepdims=True) + a


def chosen(a, b, s):
    return np.where(a > s, a, b)


def clipped(a, b, s):
    return np.maximum(np.minimum(a, 1.0), s)


def compared(a, b, s):
    return (a > b) == (a <= s)


def truth_as_numbers(a, b, s):
    return float(s > 0.5) + np.sum(b)


def products(a, b, s):
    return a @ b


def products_of_matrices(a, b, s):
    return a.T @ a


def outer_products(a, b, s):
    return np.outer(b, b * s)


def stored(a, b, s):
    c = a.copy()
    c[::-1] = a * s
    c[:, 0] += 1.0
    return c


def stored_over_itself(a, b, s):
    c = a.copy()
    c[1:] = c[:-1] + s
    c[:, ::-1] -= c * 0.5
    return c


def new_axes(a, b, s):
    return b[:, None] - b[None, :]


def differences(a, b, s):
    return np.diff(b) * s


def flipped(a, b, s):
    return np.flip(b) + b[::-1]


def lengths(a, b, s):
    return np.linalg.norm(b - s)


FORMS: tuple[Callable[..., Any], ...] = (
    rows_and_numbers, columns, negative_steps, parts, sums, sums_that_keep, means, all_of_it, largest, smallest_that_keep, chosen,
    clipped, compared, truth_as_numbers, products, products_of_matrices, outer_products, stored, stored_over_itself, new_axes,
    differences, flipped, lengths,
)  # fmt: skip


def laid_out(array: np.ndarray, layout: int) -> np.ndarray:
    """The same numbers: rows behind each other, columns, or every second place of something larger, backwards."""
    if layout == 0:
        return array.copy()
    if layout == 1:
        return np.asfortranarray(array)
    wide = np.full([2 * n for n in array.shape], 7.0)
    window = wide[tuple(slice(None, None, -2) for _ in array.shape)]
    window[...] = array
    return window


@pytest.mark.deep
@pytest.mark.parametrize("form", FORMS, ids=lambda f: f.__name__)
def test_forms_agree_with_numpy(form: Callable[..., Any]) -> None:
    """Where NumPy raises, so does the program; its machine code is what gives the rest."""
    derivatives = differentiate(form)
    numbers = st.sampled_from([0.0, 1.0, -1.0, 0.25, 3.5, np.nan, np.inf]) | st.floats(-10, 10)

    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.integers(0, 4), st.integers(0, 4), st.lists(numbers, min_size=20, max_size=20), st.integers(0, 2), numbers)
    def check(n: int, m: int, items: list[float], layout: int, s: float) -> None:
        a = laid_out(np.array(items[: n * m]).reshape(n, m), layout)
        b = laid_out(np.array(items[16 : 16 + m]), layout)
        raised: list[type | None] = []
        results: list[Any] = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            for call in (form, derivatives.compiled):
                try:
                    results.append(call(a, b, np.float64(s)))
                    raised.append(None)
                except (ValueError, IndexError) as error:
                    raised.append(type(error))
        assert raised[0] == raised[1]
        if results:
            one, other = results
            assert np.shape(one) == np.shape(other) and np.asarray(one).dtype == np.asarray(other).dtype
            assert type(one) is type(other)
            np.testing.assert_allclose(other, one, rtol=1e-12, atol=1e-12)

    with warnings.catch_warnings():
        warnings.simplefilter("error", NotCompiledWarning)
        check()
    tables = [made for each in derivatives_tables(form) for made in each]
    assert any(isinstance(made.function, Native) and made.function.compiled for made in tables)


def derivatives_tables(form: Callable[..., Any]) -> list[list[Any]]:
    """What was compiled of a function."""
    found = derivatives_of(form, Options(backend="numba")).tables.values()
    return [[made for made, *_ in table.values()] for table in found]
