"""Derivatives in single precision do no work in double: every operation of every rule, on all samples as float32."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from samples import SAMPLES, Sample
from test_formulas import Trial, failures, random_like

from s2sad import jvp, linearize, vjp
from s2sad.runtime.broadcasting import Stretched

NARROW = {"float64": "float32", "complex128": "complex64"}
# NumPy's polynomials and ``interp`` compute in double whatever they are given, and so do the rules made of them.
DOUBLE_IN_NUMPY = re.compile("poly|roots|interp|lowest")


def narrowed(value: Any) -> Any:
    """Arrays and NumPy's numbers in single precision; Python's numbers, which have none, as they are."""
    if isinstance(value, tuple | list):
        return type(value)(map(narrowed, value))
    if isinstance(value, dict):
        return {key: narrowed(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic) and value.dtype.name in NARROW:
        return value.astype(NARROW[value.dtype.name])
    return value


def leaves(value: Any) -> list[Any]:
    """The arrays and numbers of a structure."""
    return [leaf for item in value for leaf in leaves(item)] if isinstance(value, tuple | list) else [value]


def wide(value: Any) -> bool:
    """Whether an array of double precision is among the leaves."""
    return any(
        isinstance(leaf, np.ndarray) and leaf.ndim > 0 and leaf.dtype.name in NARROW for leaf in leaves(value)
    )


def asks_for_double(sample: Sample) -> bool:
    """Whether the call itself brings in double precision: by a dtype, or by a list, which NumPy makes doubles of."""
    given = [*sample.args, *sample.kwargs.values()]
    return any(isinstance(item, str) and item in NARROW for item in given) or any(
        isinstance(i, list) for i in given
    )


def single(sample: Sample) -> Sample:
    return sample._replace(args=narrowed(sample.args), kwargs=narrowed(sample.kwargs))


SINGLE = {
    name: found
    for name, samples in SAMPLES.items()
    if name.startswith(("numpy.", "ndarray.", "s2sad.runtime.")) and not DOUBLE_IN_NUMPY.search(name)
    if (found := [(k, single(sample)) for k, sample in enumerate(samples) if not asks_for_double(sample)])
}


def trial_of(name: str, sample: Sample) -> Trial | None:
    """The primal call, unless NumPy itself computes it in double precision, or it is refused in single."""
    try:
        trial = Trial(name, sample)
    except (TypeError, Stretched):
        return None
    return None if all(map(double, leaves(trial.out))) else trial


def double(out: Any) -> bool:
    """Whether a result is one of NumPy's in double precision."""
    return isinstance(out, np.ndarray | np.generic) and out.dtype.name in NARROW


def doubles(trial: Trial) -> list[str]:
    """The operations so far that gave arrays of double precision."""
    return [op.target for op in trial.machine.block.ops if wide(trial.machine.actual.get(op.result))]  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", SINGLE)
def test_no_operation_widens(name: str) -> None:
    @np.errstate(all="ignore")
    def tried(sample: Sample) -> None:
        trial = trial_of(name, sample)
        if trial is None:
            return  # NumPy computes it in double precision
        rng = np.random.default_rng(1)
        before = len(doubles(trial))
        for param in trial.active:
            trial.push({param: random_like(trial.argument(param), rng)})
            trial.pull(random_like(trial.out, rng), param)
        assert doubles(trial)[before:] == []

    assert failures(SINGLE[name], tried) == {}


def test_widening_would_be_seen() -> None:
    from sampling import call

    trial = Trial("numpy.multiply", call(np.ones(2, "float32"), np.ones(2, "float32")))
    trial.push({"x": np.ones(2)})
    assert doubles(trial) == ["operator.mul"]


X = np.array([0.3, -0.2, 0.7], "float32")


@pytest.mark.parametrize("direction", [np.ones(3), np.ones(3, int), np.ones(3, "float32")], ids=lambda d: str(d.dtype))
def test_directions_take_the_precision_of_what_they_are_of(direction: Any) -> None:
    def f(x: Any) -> Any:
        return np.sin(x) * 2

    value, pullback = vjp(f, X)
    rows = np.stack([direction, 2 * direction])
    _, tangent = jvp(f, (X,), (direction,))
    _, tangents = jvp(f, (X,), (rows,), batched=True)
    (bar,), (bars,) = pullback(direction), pullback(rows, batched=True)
    linear = linearize(f, X)[1]
    for found in (value, tangent, tangents, bar, bars, linear(direction)):
        assert found.dtype == "float32"
    np.testing.assert_allclose(tangent, 2 * np.cos(X), rtol=1e-6)
    np.testing.assert_allclose(bars, np.outer([1, 2], 2 * np.cos(X)), rtol=1e-6)


def test_directions_with_structure_do_so_item_by_item() -> None:
    def f(pair: Any) -> Any:
        return pair[0] * pair[1], np.sum(pair[1])

    pair = (X, X.astype("complex64"))
    _, (product, total) = jvp(f, (pair,), ((np.ones(3), np.ones(3)),))
    assert (product.dtype, total.dtype) == ("complex64", "complex64")
    ((real, whole),) = vjp(f, pair)[1]((np.ones(3), 1.0))
    assert (real.dtype, whole.dtype) == ("float32", "complex64")
