"""Arguments of every memory layout, and arguments that share memory: what strides decide is decided in derivatives as in the
function itself."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from mode_pairs import MODES, check, check_pair, load

from s2sad import AliasError, grad, jvp, vjp
from s2sad.runtime.structures import twins

BIG = np.random.default_rng(4).uniform(0.2, 1.0, (6, 8))
LAYOUTS = {
    "C": BIG[:3, :4].copy(), "F": np.asfortranarray(BIG[:3, :4]), "steps": BIG[::2, ::2], "rows": BIG[:3, :4],
    "turned": BIG[:4, :3].T,
    "reversed": BIG[2::-1, 4:], "one row": BIG[:1, :4], "one column": BIG[:, :1], "both reversed": BIG[2::-1, 3::-1],
    "turned round": BIG[:3, :4].copy()[::-1, ::-1],
}  # fmt: skip
BODIES = [
    "B = A.reshape(-1)\n    B[0] = B[1] * 3.0",
    "B = A.ravel()\n    B[1:3] *= B[0]",
    "B = np.asarray(A)\n    B[0] *= B[0]",
    "B = A.T.reshape(-1)\n    B[2] = B[0] * B[1]",
    "B = np.reshape(A, (-1, 1))\n    B[1] += B[0] ** 2",
    "B = np.ravel(A, order='F')\n    B[0] = B[2] ** 2",
    "B = np.ascontiguousarray(A)\n    B[0] *= 2.0 * A[0]",
    "B = A[0].reshape(-1)\n    B *= B",
    "B = np.squeeze(A)\n    B[0] *= B[0]",
    "B = A.reshape(A.shape[1], A.shape[0])\n    B[0] = B[0] ** 2",
    "A = A[::-1, ::-1]\n    B = np.ravel(A)\n    A[0] = 0.3 * B[-2]\n    B[1] *= A[0, 0]",
    "C = A[::-1]\n    B = C.reshape(-1)\n    C[0] *= B[0]\n    B[-1] = C[0, 0] * A[0, 0]",
]


@pytest.mark.parametrize("pair", list(itertools.product(MODES, MODES)))
@pytest.mark.parametrize("around", ["f(A)", "f(A * 1.0)", "f(A[::-1]) + f(A)"])
@pytest.mark.parametrize("layout", ["turned round", "both reversed"])
def test_second_derivatives_where_strides_decide(layout: str, around: str, pair: tuple[str, str]) -> None:
    body = f"{BODIES[-2]}\n    return np.sum(A**2) + np.sum(B**3)"
    program = f"import numpy as np\n\n\ndef f(A):\n    {body}\n\n\ndef g(A):\n    return {around}\n"
    check_pair(load(program, "g"), (LAYOUTS[layout],), *pair)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout: str, body: str, mode: str) -> None:
    program = f"import numpy as np\n\n\ndef f(A):\n    {body}\n    return np.sum(A**2) + np.sum(B**3)\n"
    check(load(program), (LAYOUTS[layout],), mode)


def writes(a: Any, b: Any) -> Any:
    a *= 2.0
    return np.sum(a * b)


def reads(a: Any, b: Any) -> Any:
    return np.sum(a * b)


def test_arguments_that_share_memory() -> None:
    a = np.arange(1.0, 6.0)
    expected = reads(a[1:], a[:-1])
    value, pullback = vjp(reads, a[1:], a[:-1])
    assert value == expected
    assert np.array_equal(pullback(1.0)[0], a[:-1])
    assert np.array_equal(grad(reads, 1)(a[1:], a[:-1]), a[1:])
    for first, second in ((a[1:], a[:-1]), (a, a), (a[::2], a[::2])):
        with pytest.raises(AliasError):
            grad(writes)(first, second)
        with pytest.raises(AliasError):
            jvp(writes, (first, second), (np.ones(first.shape), np.ones(first.shape)))
        with pytest.raises(AliasError):
            vjp(writes, first, second)[1](1.0)
    assert np.array_equal(a, np.arange(1.0, 6.0))


def test_twins_lie_and_share_as_their_arrays_do() -> None:
    base = np.arange(24.0).reshape(4, 6)
    arrays = [base[::2, 1::2], base[1:, :2], base[:, 5], base.T]
    arrays += [np.arange(3), np.float32([1, 2])[::-1], np.zeros((0, 3)), np.array(2.0)]
    made = twins(arrays)
    assert all(np.array_equal(a, b) and a.strides == b.strides and a.dtype == b.dtype for a, b in zip(arrays, made, strict=True))
    for i, first in enumerate(arrays):
        for j, second in enumerate(arrays):
            assert np.shares_memory(first, second) == np.shares_memory(made[i], made[j])
            assert not np.shares_memory(first, made[j])
    made[0][0, 0] = 99.0
    assert made[3][1, 0] == 99.0 and base[0, 1] == 1.0


def flat_after_fortran(x):
    m = np.asfortranarray(x.reshape(3, 2))
    v = m.ravel("F")
    m[0] *= 2.0
    return np.sum(v**2) + np.sum(m)


def flat_after_contiguous(x):
    m = np.ascontiguousarray((x * 1.0).reshape(2, 3).T)
    v = m.reshape(-1)
    m[0] *= 2.0
    return np.sum(v**2) + np.sum(m)


def flat_after_order(x):
    m = np.asarray(np.outer(x[:3], x[3:5]), order="F")
    v = m.T.reshape(-1)
    v *= x[0]
    return np.sum(m**3)


def flat_after_requirements(x):
    m = np.require(x.reshape(3, 2) * 1.0, float, "F")
    v = m.T[:1].ravel()
    v *= x[0]
    return np.sum(m**3)


@pytest.mark.parametrize("function", [flat_after_fortran, flat_after_contiguous, flat_after_order, flat_after_requirements])
def test_shadows_of_copies_lie_as_the_copies(function):
    """A window of a converted array is one of its shadow, too."""
    x, v = np.linspace(0.6, 1.4, 6), np.array([0.3, -0.2, 0.5, 0.1, -0.4, 0.2])
    slope = (function(x + 1e-6 * v) - function(x - 1e-6 * v)) / 2e-6
    assert grad(function)(x) @ v == pytest.approx(slope, rel=1e-6)
    assert jvp(function, (x,), (v,))[1] == pytest.approx(slope, rel=1e-6)
    second = (grad(function)(x + 1e-6 * v) - grad(function)(x - 1e-6 * v)) / 2e-6
    assert jvp(grad(function), (x,), (v,))[1] == pytest.approx(second, rel=1e-5, abs=1e-5)
    assert grad(lambda y: grad(function)(y) @ v)(x) == pytest.approx(second, rel=1e-5, abs=1e-5)
