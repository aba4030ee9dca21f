"""Every rule on arrays that do not lie in memory one item behind the other, and on arrays without items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from samples import SAMPLES, Sample
from sampling import spread
from test_formulas import Trial, close, failures, precision, random_like, same_shapes
from test_single_precision import leaves


def changed(value: Any, change: Callable[[Any], Any]) -> Any:
    """A structure with its arrays changed."""
    if isinstance(value, tuple | list):
        return type(value)(changed(item, change) for item in value)
    if isinstance(value, dict):
        return {key: changed(item, change) for key, item in value.items()}
    return change(value) if isinstance(value, np.ndarray) and value.ndim else value


def strided(x: Any) -> Any:
    """The same items with gaps between them, along all axes, and the last axis outermost."""
    room = np.zeros([2 * n for n in reversed(x.shape)], x.dtype)
    found = room[(slice(None, None, 2),) * x.ndim].T
    found[...] = x
    return found


def of_sample(sample: Sample, change: Callable[[Any], Any]) -> Sample:
    return sample._replace(args=changed(sample.args, change), kwargs=changed(sample.kwargs, change))


def arrays(value: Any) -> list[Any]:
    if isinstance(value, tuple | list):
        return [found for item in value for found in arrays(item)]
    if isinstance(value, dict):
        return arrays(list(value.values()))
    return [value] if isinstance(value, np.ndarray) and value.ndim else []


CASES = {
    name: found
    for name, samples in SAMPLES.items()
    if name.startswith(("numpy.", "ndarray."))
    if (found := [(k, sample) for k, sample in enumerate(samples) if arrays([sample.args, sample.kwargs])])
}


def derivatives(trial: Trial) -> list[Any]:
    """Both derivatives by each argument, along directions that depend on shapes alone."""
    found = []
    for param in trial.active:
        found.append(trial.push({param: random_like(trial.argument(param), np.random.default_rng(1))}))
        found.append(trial.pull(random_like(trial.out, np.random.default_rng(2)), param))
    return found


@pytest.mark.parametrize("name", CASES)
def test_derivatives_do_not_depend_on_how_arrays_lie_in_memory(name: str) -> None:
    def tried(sample: Sample) -> None:
        with np.errstate(all="ignore"):
            expected = derivatives(Trial(name, sample))
            found = derivatives(Trial(name, of_sample(sample, strided)))
        for a, b in zip(found, expected, strict=True):
            close(a, b, 1e-3 if precision(sample) > (1e-6, 1e-5) else 1e-9)

    assert failures([case for _, case in spread(CASES[name], 3)], tried) == {}


def emptied(x: Any) -> Any:
    return x[:0]


# What makes no sense of nothing: NumPy gives a number or a shape that says so in its own way.
OF_SOMETHING = {
    **dict.fromkeys(
        ("linalg.norm", "linalg.pinv", "linalg.svd"), "a matrix without rows has no such norm or factor"
    ),
    **dict.fromkeys(("polyval", "polymul"), "a polynomial has a coefficient"),
    **dict.fromkeys(
        ("quantile", "percentile", "nanquantile", "nanpercentile"), "of no levels, and of no items at a level"
    ),
    "cov": "there is no weight of an observation",
    "ediff1d": "it counts one difference less than items, and none of none",
    "cumulative_prod": "what it begins with is all that is there",
    "bincount": "NumPy counts, whatever the weights",
}


@pytest.mark.parametrize("name", [name for name in CASES if name.removeprefix("numpy.") not in OF_SOMETHING])
def test_arrays_without_items_have_derivatives_without_items(name: str) -> None:
    @np.errstate(all="ignore")
    def tried(sample: Sample) -> None:
        try:
            trial = Trial(name, of_sample(sample, emptied))
        except (ValueError, IndexError, TypeError, ArithmeticError, np.linalg.LinAlgError):
            return  # NumPy refuses it
        if not all(np.isfinite(found).all() for found in leaves(trial.out)):
            return  # it is a statistic of nothing
        for param in trial.active:
            same_shapes(trial.push({param: trial.argument(param)}), trial.out)
            same_shapes(trial.pull(trial.out, param), trial.argument(param))

    assert failures(CASES[name], tried) == {}
