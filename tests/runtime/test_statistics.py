"""The helpers of statistics and differences, against the functions of NumPy that they transpose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from s2sad import runtime

RNG = np.random.default_rng(3)
A = RNG.permutation(12).reshape(3, 4) + RNG.uniform(0.1, 0.9, (3, 4))
METHODS = [
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "linear",
    "median_unbiased",
    "normal_unbiased",
    "lower",
    "higher",
    "midpoint",
    "nearest",
]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1)])
@pytest.mark.parametrize("q", [0.0, 0.13, 0.5, 0.77, 1.0, np.array([0.2, 0.9])])
def test_the_weights_of_a_quantile_give_the_quantile(method: str, axis: Any, q: Any) -> None:
    found = runtime.quantile_push(A, A, q, axis, False, method)
    np.testing.assert_allclose(found, np.quantile(A, q, axis=axis, method=method), rtol=1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("order", [0, 1, 2])
def test_push_and_pull_are_transposes(method: str, keepdims: bool, order: int) -> None:
    q, x = np.array([[0.2, 0.9, 0.41]]), RNG.normal(size=A.shape)
    pushed = runtime.quantile_push(x, A, q, 0, keepdims, method, False, order)
    assert pushed.shape == np.quantile(A, q, axis=0, keepdims=keepdims).shape
    bar = RNG.normal(size=pushed.shape)
    pulled = runtime.quantile_pull(bar, A, q, 0, keepdims, method, False, order)
    assert pulled.shape == A.shape
    np.testing.assert_allclose(np.sum(pushed * bar), np.sum(pulled * x), atol=1e-12)


def test_equal_items_share_the_weight_of_a_quantile() -> None:
    np.testing.assert_allclose(
        runtime.quantile_pull(1.0, np.array([1.0, 2.0, 2.0, 2.0, 5.0]), 0.5), [0, 1 / 3, 1 / 3, 1 / 3, 0]
    )


def test_lanes_with_nan() -> None:
    a = np.array([[1.0, np.nan, 2.0, 4.0], [1.0, 2.0, 3.0, 5.0], [np.nan] * 4])
    np.testing.assert_array_equal(
        runtime.quantile_pull(np.ones(3), a, 0.5, 1), [[np.nan] * 4, [0, 0.5, 0.5, 0], [np.nan] * 4]
    )
    np.testing.assert_array_equal(
        runtime.quantile_pull(np.ones(3), a, 0.5, 1, ignore_nan=True),
        [[0, 0, 1, 0], [0, 0.5, 0.5, 0], [np.nan] * 4],
    )


def test_many_levels_of_many_items_agree_with_a_sort() -> None:
    a, q = RNG.normal(size=501), np.linspace(0.0, 1.0, 41)
    bar = RNG.normal(size=41)
    place = q * 500
    low = np.minimum(place.astype(int), 499)
    expected, order = np.zeros(501), np.argsort(a)
    np.add.at(expected, order[low], (1 - (place - low)) * bar)
    np.add.at(expected, order[low + 1], (place - low) * bar)
    np.testing.assert_allclose(runtime.quantile_pull(bar, a, q), expected, atol=1e-9)


def test_counts_have_the_dtype_of_what_they_divide() -> None:
    mask = np.array([True, False, True, True])
    found = runtime.count_where(mask, A.astype("float32"), 1, True)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, [[3], [3], [3]])


def test_shares_with_a_start_and_a_mask() -> None:
    x, mask = np.array([3.0, 1.0, 3.0, 3.0]), np.array([True, True, True, False])
    np.testing.assert_allclose(runtime.item_shares(x, 3.0, mask, 3.0), [1 / 3, 0, 1 / 3, 0])
    np.testing.assert_allclose(runtime.item_shares(x, 9.0, mask, 9.0), [0, 0, 0, 0])


X = np.array([0.1, 0.4, 0.5, 0.9])
LINEAR = [
    ("gradient_adjoint", lambda f: np.gradient(f), ()),
    ("gradient_adjoint", lambda f: np.gradient(f, 0.3, edge_order=2), (0.3, None, 2)),
    ("gradient_adjoint", lambda f: np.gradient(f, X, edge_order=1), (X,)),
    ("gradient_adjoint", lambda f: np.gradient(f, X, edge_order=2), (X, None, 2)),
    ("trapezoid_adjoint", lambda y: np.trapezoid(y, X), (X, X)),
    ("trapezoid_adjoint", lambda y: np.trapezoid(y, dx=0.3), (X, None, 0.3)),
    ("reduceat_adjoint", lambda a: np.add.reduceat(a, [1, 3, 0, 2]), (X, [1, 3, 0, 2])),
    ("histogram_adjoint", lambda w: np.histogram(X, 3, weights=w)[0], (X, X, 3)),
    (
        "histogram_adjoint",
        lambda w: np.histogram(X, [0.2, 0.5, 0.9], weights=w)[0],
        (X, X, np.array([0.2, 0.5, 0.9])),
    ),
    ("histogram_adjoint", lambda w: np.histogram(X, 2, (0.0, 0.5), weights=w)[0], (X, X, 2, (0.0, 0.5))),
]


@pytest.mark.parametrize("k", range(len(LINEAR)))
def test_adjoints_are_transposes(k: int) -> None:
    name, function, options = LINEAR[k]
    matrix = np.array([function(row) for row in np.eye(4)]).T
    bar = RNG.normal(size=matrix.shape[:-1])
    np.testing.assert_allclose(getattr(runtime, name)(bar, *options), np.dot(bar, matrix), atol=1e-12)


def test_a_gradient_along_all_axes_is_refused() -> None:
    with pytest.raises(ValueError, match="give an axis"):
        runtime.gradient_adjoint(np.ones((2, 3)))


@pytest.mark.parametrize("k", [0, 1, 2])
@pytest.mark.parametrize("axis", [0, 1])
def test_parts_of_a_difference(k: int, axis: int) -> None:
    parts = [0.3, A, np.take(A, [0], axis)]
    shape = list(A.shape)
    shape[axis] += 2
    bar = RNG.normal(size=shape)
    part = runtime.diff_part(bar, k, A, parts[0], parts[2], axis)
    assert np.shape(part) == np.shape(parts[k])
    whole = runtime.diff_part_adjoint(part, k, A, parts[0], parts[2], axis)
    assert whole.shape == bar.shape
    if k:
        np.testing.assert_array_equal(whole[whole != 0], bar[whole != 0])


def test_parts_of_numbers() -> None:
    x = np.array([-2.75, 0.3, 8.0])
    np.testing.assert_array_equal(runtime.fraction(x), np.modf(x)[0])
    np.testing.assert_array_equal(runtime.mantissa(x) * 2.0 ** runtime.exponent(x), x)


def test_running_places() -> None:
    x = np.array([[1.0, 3.0, 3.0, 2.0], [5.0, 4.0, 6.0, 6.0]])
    out = np.maximum.accumulate(x, axis=1)
    np.testing.assert_array_equal(runtime.running_place(x, out, 1), [[0, 1, 1, 1], [0, 0, 2, 2]])
    np.testing.assert_array_equal(runtime.running_place(x, out, 1, True), [[0, 1, 2, 2], [0, 0, 2, 3]])


def test_variables_are_rows() -> None:
    assert runtime.variables(X).shape == (1, 4)
    assert runtime.variables(A, False).shape == (4, 3)
    np.testing.assert_array_equal(runtime.variables_adjoint(runtime.variables(A, False), A, False), A)
