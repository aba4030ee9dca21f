"""Arguments of every memory layout, and arguments that share memory: what strides decide is decided in derivatives as in the
function itself."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np
import pytest
from mode_pairs import MODES, check, check_pair, load
from numpy.lib.stride_tricks import as_strided

from s2sad import AliasError, grad, hvp, jvp, vjp
from s2sad.runtime.guards import lies_apart
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


def over(dtype: Any = float) -> Any:
    """Windows of three items as rows: most items stand in several places."""
    return as_strided(np.arange(1.0, 7.0).astype(dtype), (4, 3), (np.dtype(dtype).itemsize,) * 2)


def row(a):
    a[0] *= 2.0
    return np.sum(a**2)


def row_of_parts(p):
    p[0][0] *= 2.0
    return np.sum(p[0] ** 2)


def row_of_two(a, b):
    a[0] *= b[1]
    return np.sum(a**2)


def row_in_a_helper(a):
    return row(a) ** 2


class Holder:
    def __init__(self, a):
        self.a = a

    def first(self, x):
        return x * self.a[0]

    def scaled(self, x):
        self.a[0] *= x
        return np.sum(self.a**2)


OVERLAPPING = {
    "alone": (row, lambda a: (a,)), "in a helper": (row_in_a_helper, lambda a: (a,)),
    "in a list": (row_of_parts, lambda a: ([a],)), "in a tuple": (row_of_parts, lambda a: ((a, 1.0),)),
    "beside another": (row_of_two, lambda a: (a, np.ones((4, 3)))),
    "of an object": (lambda h, x: h.scaled(x), lambda a: (Holder(a), 2.0)),
}  # fmt: skip


@pytest.mark.parametrize("layout", [over, lambda: as_strided(np.ones(3), (4, 3), (0, 8)), lambda: over("complex"),
                                    lambda: as_strided(np.arange(9.0), (2, 3, 2), (24, 16, 8))[:, :, ::-1]])  # fmt: skip
@pytest.mark.parametrize("case", OVERLAPPING)
def test_arrays_that_overlap_themselves_are_refused_where_they_are_written(case: str, layout: Any) -> None:
    function, given = OVERLAPPING[case]
    grad(function)(*given(np.ones((4, 3))))  # what is made for others does not serve these
    (args,) = [given(layout())]
    tangents = given(np.ones(layout().shape))
    before = str(args)
    for call in (lambda: grad(function)(*args), lambda: jvp(function, args, tangents), lambda: hvp(function, args, tangents),
                 lambda: grad(lambda *p: np.sum(np.asarray(grad(function, len(p) - 1)(*p))))(*args)):  # fmt: skip
        with pytest.raises(AliasError, match="one place in memory"):
            call()
    assert str(args) == before
    grad(function)(*given(np.ones((4, 3))))


def test_arrays_that_overlap_themselves_are_read() -> None:
    for a in (over(), np.broadcast_to(np.arange(3.0), (4, 3))):
        value, slope = jvp(lambda a: np.sum(a**3), (a,), (np.ones((4, 3)),))
        assert value == np.sum(a**3) and slope == 3 * np.sum(a**2)
    held = Holder(over())
    with pytest.raises(AliasError, match="one place in memory"):
        grad(held.scaled)(2.0)
    with pytest.raises(AliasError, match="one place in memory"):
        grad(lambda x: row(x * 1.0) + held.scaled(x[0, 0]))(over())


def test_items_that_lie_apart_in_any_order() -> None:
    memory = np.arange(40.0)
    cases = [((4, 3), (8, 32), True), ((4, 2), (16, 48), False), ((3, 2), (16, 24), True), ((4, 1), (8, 8), True)]
    cases += [((3, 3), (8, 16), False), ((0, 3), (8, 8), True), ((3,), (4,), False)]
    for shape, strides, apart in cases:
        array = as_strided(memory, shape, strides)
        assert lies_apart(array) == apart and lies_apart(array[::-1]) == apart
        array.flags.writeable = False
        assert lies_apart(array)


def first_of(d, x):
    return x * d[0]


SHARED_BY_CALLS = {
    "a method": lambda c: Holder(c).first, "a partial": lambda c: functools.partial(first_of, c),
    "a partial by name": lambda c: functools.partial(lambda x, d: x * d[0], d=c),
    "a partial of a method": lambda c: functools.partial(lambda m, x: m(x), Holder(c).first),
}  # fmt: skip


@pytest.mark.parametrize("case", SHARED_BY_CALLS)
def test_what_methods_and_partials_hold_may_be_an_argument(case: str) -> None:
    a = np.linspace(0.4, 1.2, 5)
    held = SHARED_BY_CALLS[case](a)
    table = {"h": held}

    def captured(a):
        a[0] = held(a[1])
        return held(a[0]) + np.sum(a)

    def in_a_dict(a):
        a[0] = table["h"](a[1])
        return table["h"](a[0]) + np.sum(a)

    def given(a, h):
        a[0] = h(a[1])
        return h(a[0]) + np.sum(a)

    for function, more in ((captured, ()), (in_a_dict, ()), (given, (held,))):
        still = (None,) * len(more)
        grad(function)(a.copy(), *more)
        jvp(function, (a.copy(), *more), (a, *still))
        for window in (a, a[:3]):
            with pytest.raises(AliasError, match="share memory"):
                grad(function)(window, *more)
            with pytest.raises(AliasError, match="share memory"):
                jvp(function, (window, *more), (window, *still))
