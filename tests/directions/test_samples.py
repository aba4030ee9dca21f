"""All samples at once: what the loop over them gives, in shape, dtype and value; or the loop, where that is asked for by name."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from programs.case import Case, all_cases
from programs.language import language_cases
from thinning import thinned

from s2sad import grad, hessian, jacobian, jvp, value_and_grad, vmap
from s2sad.errors import CompilerError
from s2sad.trees import copied, leaves, mapped

RNG = np.random.default_rng(5)
XS = RNG.normal(size=(6, 4))
W = RNG.normal(size=(4, 4))
YS = RNG.normal(size=6)
MS = RNG.normal(size=(6, 4, 4))
NUMBERS = np.arange(6)


def recurrence(x):
    a = np.zeros(4)
    for i in range(1, 4):
        a[i] = a[i - 1] * x[i] + x[i - 1]
    return a, np.sum(a)


def written(x):
    x[0] = 5.0
    return x * 2, x


def counting(x):
    s = 0.0
    while s < 3.0:
        s += 1.0
    return x * s


def helper(w, x):
    return np.tanh(w @ x)


def layers(w, x):
    for _ in range(3):
        x = helper(w, x)
    return x


def distance(w, x, y):
    return (np.dot(w[0], x) - y) ** 2


def gathered(x, k):
    return x[k % 4] * 2.0


def picked(x, k):
    return x[k - k // 4 * 4]


def branches(x):
    return np.sum(x) if x[0] > 0 else np.sum(x**2)


def draws(x):
    return x + np.random.default_rng(3).normal()


def shared(w, x):
    w += 1.0
    return w @ x


def ignoring(y):
    with np.errstate(divide="ignore"):
        return 1.0 / y


def single(x):
    return (x.astype(np.float32) * 2.0).sum(), x.astype(np.float32) * x[0]


# functions, in_axes, arguments; all at once
STRAIGHT: list[tuple[Callable[..., Any], Any, tuple[Any, ...]]] = [
    (lambda x: np.sum(np.tanh(x) ** 2), 0, (XS,)),
    (helper, (None, 0), (W, XS)), (layers, (None, 0), (W, XS)), (layers, (0, None), (MS, XS[0])), (layers, 0, (MS, XS)),
    (distance, (None, 0, 0), (W, XS, YS)), (recurrence, 0, (XS,)), (written, 0, (XS,)), (counting, 0, (XS,)), (single, 0, (XS,)),
    (lambda y: math.sin(y) * y + abs(y) - math.atan2(y, 2.0), 0, (YS,)), (lambda x: np.where(x > 0, x, 0.1 * x), 0, (XS,)),
    (lambda A, b: np.linalg.solve(A, b), 0, (MS, XS)), (lambda A, b: np.linalg.solve(A, b), (None, 0), (W, XS)),
    (lambda A, b: np.linalg.solve(A, b), (0, None), (MS, XS[0])), (lambda A, b: (A @ b, A.T @ b, b @ A), 0, (MS, MS[::-1])),
    (lambda x: {"m": np.max(x), "s": np.sort(x), "k": 3, "c": np.cumsum(x), "n": None}, 0, (XS,)),
    (lambda x: (x, x, 2.5, True), 0, (XS,)), (lambda x: (np.mean(x), np.std(x), x / np.linalg.norm(x)), 0, (XS,)),
    (lambda x, v: (x[:, None] * v[None, :], np.outer(x, v), np.vdot(x, v)), 0, (XS, XS[::-1])),
    (lambda x: (np.concatenate([x, x[::-1]]), np.stack([x, x]), x.reshape(2, 2).T), 0, (XS,)),
    (lambda x: np.einsum("i,j,i->j", x, x, x), 0, (XS,)), (lambda x: [x, x[0]], 0, (XS,)), (lambda x, k: x * k, 0, (XS, NUMBERS)),
    (lambda p, x: p["w"] @ x * p["b"], ({"w": None, "b": 0}, 1), ({"w": W, "b": YS}, XS.T)), (lambda x: x > 0.5, 0, (XS,)),
    (grad(distance, (0, 1)), (None, 0, 0), (W, XS, YS)), (grad(lambda x: recurrence(x)[1]), 0, (XS,)),
    (value_and_grad(distance), (None, 0, 0), (W, XS, YS)), (hessian(lambda x: np.sum(np.sin(x) ** 2)), 0, (XS,)),
    (jacobian(layers, 1), (None, 0), (W, XS)), (vmap(lambda y: y * math.exp(y)), 0, (XS,)),
    (vmap(lambda x, y: x * y, (0, None)), (None, 0), (XS, YS)), (lambda x: x[np.argsort(x)] * (x > x[0]), 0, (XS,)),
    (lambda x, k: np.take(x, k), 0, (XS, NUMBERS % 4)),
]  # fmt: skip
# the same, one after the other, and why
STEPWISE: list[tuple[Callable[..., Any], Any, tuple[Any, ...], str]] = [
    (branches, 0, (XS,), "a condition that depends on the sample"), (gathered, 0, (XS, NUMBERS), "a whole number"),
    (picked, 0, (XS, NUMBERS), "a whole number"), (draws, 0, (XS,), "more than compute"),
    (lambda y: (y > 0) + (y > 1), 0, (YS,), "a whole number"),
    (lambda k: k * k // 2**40, 0, (NUMBERS + 2**33,), "a whole number"),
    (lambda x: np.sum(x[x > 0]), 0, (XS,), "ValueError"), (lambda x: np.argmax(x), 0, (XS,), "a whole number"),
    (ignoring, 0, (YS,), "with statement"), (lambda y: np.sqrt(y), 0, (np.array([1.0, np.inf, -np.inf]),), "FloatingPointError"),
    (lambda x: [i * x for i in range(int(x[0] * 0 + 2))], 0, (XS,), "depends on the sample"),
    (lambda *xs: xs[0], 0, (XS,), "args"), (lambda x: np.where(x > 0)[0].size * 1.0, 0, (XS,), "ValueError"),
    (lambda x: np.reshape(x, np.argsort(x[:1]) - 1), 0, (XS,), "a shape that depends"),
    (lambda y: y**0.5, 0, (YS,), "FloatingPointError"), (lambda x: x, 0, (XS[:1],), "one sample"),
]  # fmt: skip


def one_after_the_other(function: Callable[..., Any], in_axes: Any, args: tuple[Any, ...]) -> list[Any]:
    """The results of the loop, with arguments as ``vmap`` gives them."""
    axes = in_axes if isinstance(in_axes, tuple) else (in_axes,) * len(args)

    def at(axis: Any, value: Any, k: int) -> Any:
        if axis is None:
            return value
        if isinstance(value, dict):
            return {key: at(axis[key] if isinstance(axis, dict) else axis, item, k) for key, item in value.items()}
        taken = np.take(value, k, axis)
        return taken.item() if taken.ndim == 0 and taken.dtype in (np.float64, np.int64) else taken

    sizes = [np.shape(v)[a] for a, v in zip(axes, args, strict=True) if isinstance(a, int)]
    return [function(*(at(a, v, k) for a, v in zip(axes, copied(args), strict=True))) for k in range(sizes[0])]


def assert_stacked(singles: list[Any], together: Any) -> None:
    """Each leaf holds those of the samples, in their dtype."""
    found = list(leaves(together))
    for rows, whole in zip(zip(*map(list, map(leaves, singles)), strict=True), found, strict=True):
        if rows[0] is None:
            assert whole is None
            continue
        wanted = np.stack([np.asarray(row) for row in rows])
        assert whole.shape == wanted.shape
        assert whole.dtype == wanted.dtype
        np.testing.assert_allclose(whole, wanted, rtol=1e-5 if wanted.dtype.itemsize < 8 else 1e-10, atol=1e-12)


@pytest.mark.parametrize("number", range(len(STRAIGHT)))
def test_at_once(number: int) -> None:
    function, axes, args = STRAIGHT[number]
    given = copied(args)
    several = vmap(function, axes)
    assert "at once" in several.why(*given)
    together = several(*given)
    assert_stacked(one_after_the_other(function, axes, args), together)
    for before, after in zip(leaves(args), leaves(given), strict=True):
        np.testing.assert_array_equal(before, after)
    arrays = [leaf for leaf in leaves(together) if isinstance(leaf, np.ndarray)]
    assert not any(np.shares_memory(a, b) for a in arrays for b in leaves(given))
    assert not any(np.shares_memory(a, b) for k, a in enumerate(arrays) for b in arrays[:k])


@pytest.mark.parametrize("number", range(len(STEPWISE)))
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_one_after_the_other(number: int) -> None:
    function, axes, args, why = STEPWISE[number]
    found = vmap(function, axes).why(*args)
    assert found.startswith("one sample after the other: ")
    assert why in found
    assert_stacked(one_after_the_other(function, axes, args), vmap(function, axes)(*args))


def test_what_the_samples_share_is_written_once_each() -> None:
    w = W.copy()
    assert "w, which all samples share, is written" in vmap(shared, (None, 0)).why(w, XS)
    w = W.copy()
    found = vmap(shared, (None, 0))(w, XS)
    np.testing.assert_array_equal(w, W + 6.0)
    np.testing.assert_allclose(found[2], (W + 3.0) @ XS[2])


def test_python_errors_are_those_of_python() -> None:
    with pytest.raises(ZeroDivisionError):
        vmap(lambda y: 1.0 / y)(np.array([1.0, 0.0]))
    with pytest.raises(OverflowError):
        vmap(lambda y: math.exp(y))(np.array([1.0, 1000.0]))
    with pytest.raises(ValueError, match="domain"):
        vmap(lambda y: math.log(y))(np.array([1.0, -1.0]))


def test_an_array_of_one_item_is_no_number() -> None:
    found = vmap(lambda a: (a.item(), 1.0 * a))(XS[:, :1])
    assert [part.shape for part in found] == [(6,), (6, 1)]
    with pytest.raises(TypeError, match="0-dimensional"):  # by NumPy
        vmap(lambda a: float(a) * 2.0)(XS[:, :1])
    rows = jvp(lambda a: a.item() * np.ones(2), (XS[0, :1],), (XS[:, :1],), batched=True)[1]
    np.testing.assert_array_equal(rows, np.repeat(XS[:, :1], 2, axis=1))


def test_what_a_function_sees_may_change() -> None:
    scope = {"factor": 2.0}
    several = vmap(lambda x: x * scope["factor"])
    np.testing.assert_array_equal(several(XS), 2.0 * XS)
    scope["factor"] = 3.0
    np.testing.assert_array_equal(several(XS), 3.0 * XS)


def test_axes_of_results() -> None:
    found = vmap(lambda x: (x, {"a": np.sum(x)}), 0, (1, {"a": 0}))(XS)
    np.testing.assert_array_equal(found[0], XS.T)
    assert found[0].flags.c_contiguous
    np.testing.assert_allclose(found[1]["a"], XS.sum(1))


CASES = {f"{case.function.__module__.rpartition('.')[2]}.{case.name}": case for case in [*all_cases(), *language_cases()]}
SAMPLE = thinned(sorted(CASES), 80)


def moved(value: Any, k: int) -> Any:
    """Arguments of another sample."""

    def leaf(x: Any) -> Any:
        floating = isinstance(x, float) or (isinstance(x, np.ndarray) and x.dtype.kind in "fc")
        return x * (1.0 + 1e-3 * k) if floating else x

    return mapped(leaf, value)


@pytest.mark.parametrize("name", SAMPLE)
def test_the_corpora(name: str) -> None:
    """Programs that write into their arguments, and return nothing, included."""
    case: Case = CASES[name]
    count, places = 3, case.wrt
    samples = [moved(case.make(np.random.default_rng(1)), k) for k in range(count)]
    if any(not isinstance(x, float | np.ndarray) for sample in samples for k in places for x in leaves(sample[k])):
        return
    axes = tuple(0 if k in places else None for k in range(len(samples[0])))
    together = [
        mapped(lambda *xs: np.stack(xs), *(sample[k] for sample in samples)) if k in places else samples[0][k]
        for k in range(len(axes))
    ]
    with np.errstate(all="ignore"):
        several = vmap(case.function, axes)
        try:
            why = several.why(*copied(together))
        except CompilerError as error:
            raise AssertionError(f"{name}: {error}") from error
        if "at once" in why:
            singles = [case.function(*copied(sample)) for sample in samples]
            assert_stacked(singles, several(*copied(together)))


def stretched_over_what_is_not_sampled(a, b):
    total = 0.0
    for i in range(2):
        total = total + np.sum(b * a[i] + a[0]) * np.mean(b + a[1])
    return total


def test_fills_that_only_look_at_samples_are_made_once() -> None:
    a, b = np.array([[0.3, 0.8], [0.4, -0.1], [1.2, 0.5]]), np.array([[0.5, 0.1], [0.2, -0.4]])
    found = vmap(grad(stretched_over_what_is_not_sampled), in_axes=(0, None))(a, b)
    for row, x in zip(found, a, strict=True):
        for k, e in enumerate(1e-6 * np.eye(2)):
            ends = [stretched_over_what_is_not_sampled(x + s * e, b) for s in (1, -1)]
            assert row[k] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6, abs=1e-8)
