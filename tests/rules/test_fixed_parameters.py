"""What the samples hold fixed: a rule that has a derivative there refuses it in both modes, or it is right after all."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from samples import SAMPLES, Sample
from test_formulas import Trial, check

from s2sad.errors import NoRuleError
from s2sad.rules import registry
from s2sad.rules.language import SHAPE_ONLY_ARGUMENTS, Derivative

# No differences without leaving the domain: of symmetric matrices, and of points of the simplex.
ON_MANIFOLDS = {
    *(f"scipy.linalg.solve_{kind}_are-{param}" for kind in ("continuous", "discrete") for param in "qr"),
    *(f"scipy.stats.dirichlet.{kind}-x" for kind in ("pdf", "logpdf")),
}


def cases() -> Any:
    """The first sample of each rule that holds a parameter fixed for which the rule has a derivative.

    Of SciPy's, whose samples are made by the dozen, one in eight by default.
    """
    for name, samples in SAMPLES.items():
        derivative = getattr(registry.lookup(name), "derivative", None)
        seen: set[str] = set()
        for sample in samples if isinstance(derivative, Derivative) else ():
            for param in sorted(sample.fixed & set(derivative.params) - seen):
                seen.add(param)
                case = f"{name}-{param}"
                deep = name.startswith("scipy") and sum(map(ord, case)) % 8
                if case not in ON_MANIFOLDS:
                    yield pytest.param(name, sample, param, id=case, marks=[pytest.mark.deep] if deep else [])


@pytest.mark.parametrize(("name", "sample", "param"), list(cases()))
def test_what_is_held_fixed_is_refused_or_right(name: str, sample: Sample, param: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trial = Trial(name, sample._replace(fixed=frozenset()))
        trial.active = [p for p in trial.active if p == param]
        if not trial.active:
            return  # a whole number
        direction = np.ones(np.shape(trial.argument(param)))[()]
        try:
            trial.push({param: direction})
        except NoRuleError:
            with pytest.raises(NoRuleError):
                trial.pull(trial.out, param)
            return
        check(trial, sample)


def test_no_rule_has_a_derivative_by_what_only_its_shape_is_read_of() -> None:
    for name, primitive in registry.all_primitives().items():
        scope, _, short = name.rpartition(".")
        if scope not in ("numpy", "s2sad.runtime", "builtins") or not isinstance(primitive.derivative, Derivative):
            continue
        params = [p.split("=")[0].strip("* ") for p in primitive.signature.split(",")]
        looked_at = {params[k] for k in SHAPE_ONLY_ARGUMENTS.get(short, ()) if k < len(params)}
        assert not looked_at & set(primitive.derivative.params), name
