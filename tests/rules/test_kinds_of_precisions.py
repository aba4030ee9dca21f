"""What is told of kinds is true, and derivatives have the dtypes of what they belong to, in every precision: all rules, by hand.

No program is generated: formulas are run by the small interpreter, so that thousands of calls take seconds.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from interpreter import described, fits
from product import FORMS
from samples import SAMPLES, Sample
from test_formulas import Trial, failures, random_like
from test_single_precision import leaves

from s2sad.errors import NoRuleError
from s2sad.runtime import SeedError

LIBRARIES = ("numpy.", "ndarray.", "scipy.")
PRECISIONS = ("single", "half", "complex", "first single", "others single")
# Helpers are called with arguments of one precision, and those of real arguments with such alone.
OF_HELPERS = ("single", "half")
SCIPY = "s2sad.libraries.scipy.runtime."
NOT_IN = {  # where a sample in another precision is none of the library's: indices, flags, and what only doubles have
    "numpy.nan_to_num": "complex infinities have no sign, NumPy says",
    "s2sad.runtime.choose_adjoint": "its choices are indices",
    "scipy.linalg.lu_solve": "its pivots are indices",
    **{f"{SCIPY}{name}": "its places are indices" for name in ("sparse_product", "paired_sums", "sparse_solution", "iterated")},
    f"{SCIPY}correlate1d_adjoint_weights": "SciPy has no half precision here",
    f"{SCIPY}spline_filter1d_adjoint": "nor here",
}


def in_precision(sample: Sample, form: str) -> Sample:
    """A sample with its numbers and arrays in another precision, counted in their order."""
    count = iter(range(1000))

    def changed(value: Any) -> Any:
        if isinstance(value, tuple | list):
            return type(value)(map(changed, value))
        return FORMS[form](value, next(count))

    return sample._replace(args=changed(sample.args), kwargs={p: changed(v) for p, v in sample.kwargs.items()})


def tried(name: str, sample: Sample) -> None:
    """Both modes by each argument; nothing where the library refuses, or no rule is written for these numbers."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            trial = Trial(name, sample)
        except Exception:  # the library's own
            return
        kind, out = trial.call.result.kind, trial.out
        assert fits(kind, out), f"{kind!r} but {described(out)}"
        rng = np.random.default_rng(1)
        for param in trial.active:
            argument = trial.argument(param)
            try:
                same_dtypes(trial.push({param: random_like(argument, rng)}), out)
                same_dtypes(trial.pull(random_like(out, rng), param), argument)
            except (NoRuleError, SeedError, np.linalg.LinAlgError):
                continue


def same_dtypes(derivative: Any, value: Any) -> None:
    """Array by array, where there is one for each; of real ones an adjoint may be complex here, the machinery sees to that."""
    for d, x in zip(leaves(derivative), leaves(value), strict=False):
        if isinstance(x, np.ndarray) and x.dtype.kind in "fc":
            assert np.asarray(d).real.dtype == x.real.dtype, f"{np.asarray(d).dtype} for {x.dtype}"


CASES = [
    (name, form) for name in SAMPLES for form in (PRECISIONS if name.startswith(LIBRARIES) else OF_HELPERS)
    if name not in NOT_IN
]  # fmt: skip


def test_a_sample_of_every_rule_in_single_precision() -> None:
    assert {name: bad for name, form in CASES if form == "single" and (bad := of(name, form, SAMPLES[name][-1:]))} == {}


@pytest.mark.deep
@pytest.mark.parametrize(("name", "form"), CASES)
def test_all_samples(name: str, form: str) -> None:
    assert of(name, form, SAMPLES[name]) == {}


def of(name: str, form: str, samples: list[Sample]) -> dict[str, str]:
    """What fails of samples."""
    given = [in_precision(sample, form) for sample in samples]
    return failures(enumerate(given), lambda sample: tried(name, sample))


def test_a_wrong_kind_would_be_seen() -> None:
    from sampling import call

    with pytest.raises(AssertionError, match="float64 for float32"):
        same_dtypes(np.ones(2), np.ones(2, "float32"))
    assert in_precision(call(np.ones(2), 3), "single").args[0].dtype == "float32"
