"""The helpers alone: structures, dtypes, identities with SciPy's functions, and what is a view."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.special

from s2sad import runtime


def test_unbroadcast_sums_to_the_shape_and_dtype() -> None:
    bar = np.arange(6.0).reshape(2, 3)
    assert runtime.unbroadcast(bar, np.zeros(3)).tolist() == [3, 5, 7]
    assert runtime.unbroadcast(bar, np.zeros((2, 1))).tolist() == [[3], [12]]
    single = runtime.unbroadcast(bar, np.zeros((1, 3), dtype="float32"))
    assert single.dtype == np.float32 and single.tolist() == [[3, 5, 7]]
    assert runtime.unbroadcast(bar + 1j, np.zeros((2, 3))).dtype == np.float64
    assert runtime.unbroadcast(bar, np.zeros(3, dtype=complex)).dtype == np.complex128


@pytest.mark.parametrize(
    ("bar", "like", "kind"),
    [
        (np.ones(3), 0.5, float),
        (2.0, 0.5, float),
        (np.ones(3), 1j, complex),
        (np.ones(3), np.float32(1), np.float32),
        (1 + 2j, 0.5, float),
    ],
)
def test_unbroadcast_of_a_number_has_its_type(bar: object, like: object, kind: type) -> None:
    assert type(runtime.unbroadcast(bar, like)) is kind


SAME = [np.ones(3), np.ones((2, 3), "float32"), np.ones(3, complex), np.array(1.0), 1.0, np.float64(1), np.complex64(1)]


@pytest.mark.parametrize("bar", SAME, ids=repr)
def test_unbroadcast_returns_the_adjoint_itself_where_nothing_is_to_be_done(bar: object) -> None:
    assert runtime.unbroadcast(bar, bar) is bar
    like = runtime.stand_in(np.zeros_like(bar) if isinstance(bar, np.ndarray) else bar)
    assert runtime.unbroadcast(bar, like) is bar


def test_unbroadcast_returns_arrays_for_what_is_none() -> None:
    masked = np.ma.masked_array(np.ones(3))
    assert type(runtime.unbroadcast(masked, masked)) is np.ndarray
    assert type(runtime.unbroadcast(np.array(1.0), np.float64(1))) is np.float64


def test_unbroadcast_to_a_list_of_numbers() -> None:
    assert runtime.unbroadcast(np.ones((2, 3)), [0.1, 0.2, 0.3]).tolist() == [2, 2, 2]


def test_results_do_not_share_memory_with_what_may_be_written() -> None:
    bar, x = np.ones(3), np.zeros((2, 3))
    for found in (
        runtime.spread(bar, x, 0),
        runtime.broadcast_like(bar, x),
        runtime.take_adjoint(bar, x, np.arange(3)),
    ):
        assert found.flags.writeable and not np.shares_memory(found, bar)


def test_zeros_have_the_structure_of_their_argument() -> None:
    found = runtime.zeros((1.5, [np.ones(2, dtype="float32"), 3], {"a": np.ones(2, dtype=int), "b": None}))
    assert found[0] == 0.0 and found[1][0].dtype == np.float32 and found[1][1] == 0.0
    assert found[2]["a"].dtype == np.float64 and found[2]["b"] is None
    assert isinstance(runtime.zeros(2j), complex) and type(runtime.zeros(np.float32(1))) is np.float32


def test_added_items_stay_in_their_list() -> None:
    items = [1.0, np.ones(2), 3.0]
    runtime.add_items(items, slice(1, None), [np.ones(2), 1.0])
    assert items[1].tolist() == [2, 2] and items[2] == 4.0


def test_arguments_that_share_memory_are_named() -> None:
    a = np.ones(4)
    runtime.assert_distinct("a, b, c", a[:2], a[2:], 1.0)
    with pytest.raises(ValueError, match="a and c"):
        runtime.assert_distinct("a, b, c", a[:3], np.ones(2), a[2:])
    with pytest.raises(ValueError, match="^a and c share memory, and f writes"):
        runtime.assert_distinct("f: a, b, c", a[:3], np.ones(2), a[2:])
    with pytest.raises(ValueError, match="^two parts of a share memory, and f writes"):
        runtime.assert_distinct("f: a", [a[:3], a[2:]])


def test_what_is_not_written_may_share_memory() -> None:
    a, items = np.ones(4), [1.0]
    runtime.assert_distinct("a; b, c", a[:2], a[2:], a[3:])
    runtime.assert_distinct("a; b, c", a, items, items)
    for given in [(a[:3], np.ones(2), a[2:]), (a[:3], a[2:], a[3:]), ([a], a, a), (items, items, a), (items, a, [items])]:
        with pytest.raises(ValueError, match="share memory"):
            runtime.assert_distinct("a; b, c", *given)


def test_parts_that_are_not_written_may_share_memory() -> None:
    a, b = np.ones(4), np.ones(2)
    runtime.assert_distinct("x:w", {"w": b, "u": a[:2], "v": [a, a]})
    runtime.assert_distinct("x:u:0|x:w; y", {"w": b, "u": [a[:2]]}, [a[2:], a[2:]])
    for given in [{"w": a, "u": a[1:]}, {"w": [a[:2]], "u": a}, {"w": b, "u": [[b]]}]:
        with pytest.raises(ValueError, match="two parts of the argument x share memory"):
            runtime.assert_distinct("x:w", given)
    with pytest.raises(ValueError, match="the arguments x and y share memory"):
        runtime.assert_distinct("x:u:0|x:w; y", {"w": b, "u": [a[:2]]}, [a])


@pytest.mark.parametrize("x", [-3.7, -0.2, 0.1, 0.9, 3.0, 11.9, 150.0])
def test_polygamma(x: float) -> None:
    assert math.isclose(runtime.digamma(x), scipy.special.digamma(x), rel_tol=1e-12)
    if x > 0:
        for n in (1, 2, 3):
            assert math.isclose(runtime.polygamma(n, x), float(scipy.special.polygamma(n, x)), rel_tol=1e-12)


def test_digamma_at_its_poles_is_not_a_number() -> None:
    assert math.isnan(runtime.digamma(0.0)) and math.isnan(runtime.digamma(-2.0))


@pytest.mark.parametrize("n", [-1, 0, 1, 4])
def test_bessel_functions(n: int) -> None:
    x = np.array([-20.0, -1.0, 0.0, 0.3, 5.0, 60.0])
    np.testing.assert_allclose(runtime.bessel_i(n, x), scipy.special.iv(n, x), rtol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_derivatives_of_sinc(n: int) -> None:
    x = np.array([-3.3, -1.2, -0.4, 0.6, 1.0, 1.26, 2.0, 7.7])
    step = 1e-4
    lower = np.sinc if n == 1 else lambda t: runtime.sinc_derivative(t, n - 1)
    np.testing.assert_allclose(
        runtime.sinc_derivative(x, n), (lower(x + step) - lower(x - step)) / (2 * step), atol=2e-5
    )


def test_sinc_at_zero() -> None:
    assert runtime.sinc_derivative(0.0, 1) == 0.0
    assert math.isclose(runtime.sinc_derivative(0.0, 2), -(math.pi**2) / 3)


def test_slopes_of_numbers_are_numbers() -> None:
    for found in (
        runtime.sign(-2.0),
        runtime.ge_share(1.0, 1.0),
        runtime.safe_divide(1.0, 0.0),
        runtime.power_dx(2.0, 3.0),
    ):
        assert type(found) is float
    assert math.isnan(runtime.sign(math.nan))


def test_powers_at_zero_and_below() -> None:
    assert (
        runtime.power_dx(0.0, 0.0) == 0.0
        and runtime.power_dx(0.0, 1) == 1.0
        and runtime.power_dx(-2.0, 2) == -4.0
    )
    assert runtime.power_dx(0.0, 0.5) == math.inf
    assert runtime.power_dy(0.0, 0.0) == 0.0
    assert np.isnan(runtime.power_dy(-2.0, 4.0))


def test_single_precision_stays() -> None:
    x = np.array([0.5, 2.0], dtype="float32")
    for found in (
        runtime.ge_share(x, 1.0),
        runtime.safe_divide(x, 2.0),
        runtime.safe_divide(1.0, x),
        runtime.power_dx(x, 1.5),
        runtime.power_dy(2.0, x),
        runtime.power_dy(x, x),
        runtime.sinc_derivative(x, 1),
        runtime.bessel_i(1, x),
        runtime.ties(x, x.max()),
        runtime.before(x),
        runtime.scan(x, x),
        runtime.prod_of_others(x),
    ):
        assert found.dtype == np.float32


def test_recurrences_follow_their_definitions() -> None:
    b, x = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.5, -1.0, 2.0, 3.0])
    forward, backward = [0.0], [0.0]
    for n in range(3):
        forward.append(b[n] + x[n] * forward[-1])
        backward.insert(0, b[3 - n] + x[3 - n] * backward[0])
    np.testing.assert_allclose(runtime.scan(b, x), forward)
    np.testing.assert_allclose(runtime.scan_back(b, x), backward)
    np.testing.assert_allclose(runtime.before(x), [1.0, 0.5, -0.5, -1.0])
    np.testing.assert_allclose(runtime.after(x), [-6.0, 6.0, 3.0, 1.0])


def test_products_of_others_with_zeros() -> None:
    x = np.array([[2.0, 0.0, 3.0], [0.0, 0.0, 1.0], [1.0, 2.0, 3.0]])
    assert runtime.prod_of_others(x, 1).tolist() == [[0, 6, 0], [0, 0, 0], [6, 3, 2]]


def test_pieces_are_cut_and_put_together_again() -> None:
    bar = np.arange(12.0).reshape(4, 3)
    pieces = runtime.unconcatenate(bar, (np.zeros((1, 3)), np.zeros(3), np.zeros((2, 3))))
    assert [p.shape for p in pieces] == [(1, 3), (3,), (2, 3)] and np.shares_memory(pieces[0], bar)
    np.testing.assert_array_equal(runtime.reconcatenate(pieces, bar), bar)
    assert isinstance(runtime.unconcatenate(bar, [np.zeros((4, 3))]), list)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize(("n", "m"), [(1, 1), (5, 2), (5, 3), (5, 4), (2, 5), (4, 4), (3, 4)])
def test_convolutions_of_all_sizes(mode: str, n: int, m: int) -> None:
    rng = np.random.default_rng(n + 10 * m)
    x, y = rng.normal(size=n), rng.normal(size=m)
    out = np.convolve(x, y, mode)
    bar, dot = rng.normal(size=out.shape), rng.normal(size=n)
    expected = bar @ np.convolve(dot, y, mode)
    assert math.isclose(runtime.convolve_adjoint_x(bar, x, y, mode) @ dot, expected, rel_tol=1e-12)
