"""What LLVM computes for several items at once: functions of our own, as exact as the C library's, and sums in any order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from both_backends import assert_same, both

pytest.importorskip("numba")
import numba

from s2sad import loop_runtime
from s2sad.loops.numbers import TOGETHER

EXTREME = np.array([
    0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 22.0, 22.1, -30.0, 709.78, 709.79, 710.5, -708.4, -745.1, -745.2, -746.5,
    1e300, -1e300, 5e-324, -5e-324, 1e-310, 2.2250738585072014e-308, 1.7976931348623157e308, 0.7071067811865475,
    0.7071067811865476, 1.4142135623730951,
])  # fmt: skip
NAMES = [name.removeprefix("numpy.") for name in TOGETHER]
ULPS = {"tanh": 3.0}


def of_items(function: Any) -> Callable[[np.ndarray], np.ndarray]:
    """A compiled loop that computes a function of each item."""

    @loop_runtime.compiled
    def loop(x, y):
        for i in range(x.shape[0]):
            y[i] = function(x[i])
        return y

    return lambda x: loop(x, np.empty_like(x))


@pytest.mark.parametrize("name", NAMES)
def test_functions_are_exact(name: str) -> None:
    rng = np.random.default_rng(0)
    x = np.concatenate([scale * rng.normal(size=5000) for scale in (1e-12, 1e-4, 0.1, 1.0, 10.0, 200.0)])
    x = np.abs(x) if name == "log" else x
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(x.astype(np.longdouble))
        usual = (np.abs(expected) > 1e-300) & (np.abs(expected) < 1.7e308)
        ulp = np.spacing(np.abs(expected.astype(float)))
        off = np.abs(of_items(getattr(loop_runtime, name))(x) - expected)[usual] / ulp[usual]
    assert np.max(off) < ULPS.get(name, 1.5)


@pytest.mark.parametrize("name", NAMES)
def test_functions_at_extreme_numbers(name: str) -> None:
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(EXTREME)
    found = of_items(getattr(loop_runtime, name))(EXTREME)
    np.testing.assert_allclose(found, expected, rtol=1e-15, atol=5e-324)
    np.testing.assert_array_equal(np.signbit(found)[~np.isnan(expected)], np.signbit(expected)[~np.isnan(expected)])


@pytest.mark.skipif(numba.core.config.CPU_NAME == "generic", reason="told to compile for any processor")
def test_llvm_computes_several_at_once() -> None:
    @loop_runtime.compiled
    def entropy(x, y):
        total = 0.0
        for i in range(x.shape[0]):
            y[i] = loop_runtime.tanh(loop_runtime.exp(x[i])) * loop_runtime.sech2(x[i])
            total = loop_runtime.plus(total, y[i] * loop_runtime.log(x[i]))
        return total

    x = np.linspace(0.1, 2.0, 101)
    assert entropy(x, np.empty_like(x)) == pytest.approx(np.sum(np.tanh(np.exp(x)) / np.cosh(x) ** 2 * np.log(x)), rel=1e-13)
    (text,) = entropy.inspect_llvm().values()
    assert "x double>" in text


def entropy(x):
    p = np.exp(x - np.max(x))
    p = p / np.sum(p)
    return np.sum(p * np.log(p)) + np.sum(np.tanh(x) ** 2) + x @ x


def sums(a):
    return np.sum(np.mean(a, axis=0) * np.sum(a * a, axis=0)) + np.mean(np.exp(a))


@pytest.mark.parametrize("mode", ["adjoint", "tangent"])
@pytest.mark.parametrize(("function", "shape"), [(entropy, 17), (sums, (6, 5))])
def test_both_back_ends_agree(function: Callable[..., Any], shape: Any, mode: str) -> None:
    assert_same(*both(function, [np.random.default_rng(1).normal(size=shape)], mode))


def test_text_has_the_functions_of_items_alone() -> None:
    """A number of the program's own is computed by the C library's function, as by NumPy."""
    from s2sad import differentiate

    def mixed(x):
        return np.sum(np.exp(x)) * np.exp(x[0])

    text = differentiate(mixed, backend="numba").source("adjoint", np.ones(3))
    assert "exp(x[i])" in text
    assert "np.exp(x[" in text
