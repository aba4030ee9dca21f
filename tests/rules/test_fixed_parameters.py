"""What the samples hold fixed: a rule that has a derivative there refuses it in both modes, or it is right after all."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from samples import SAMPLES, Sample
from test_formulas import Trial, check, has_reals
from thinning import thinned

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
                if f"{name}-{param}" not in ON_MANIFOLDS and real(name, sample, param):
                    yield name, sample, param


def real(name: str, sample: Sample, param: str) -> bool:
    """Whether a parameter holds no whole number, of which there is no derivative to refuse."""
    args, kwargs = sample.fresh()
    primitive = registry.lookup(name)
    assert primitive is not None
    places = [p for p, _, _ in primitive.parameters if p not in primitive.keyword_only]
    given = {**dict(zip(places, args, strict=False)), **kwargs}.get(param)
    return has_reals(given) and _has_a_shape(given)


def _has_a_shape(given: Any) -> bool:
    """Test for numbers that have one direction; a tuple of knots, coefficients and a degree has none (``test_scipy_forms``)."""
    try:
        np.shape(given)
    except ValueError:
        return False
    return True


def ident(case: tuple[str, Sample, str]) -> str:
    return f"{case[0]}-{case[2]}"


NUMPYS = [case for case in cases() if not case[0].startswith("scipy")]
SCIPYS = [case for case in cases() if case[0].startswith("scipy")]


@pytest.mark.parametrize(("name", "sample", "param"), thinned(NUMPYS, 1, ident) + thinned(SCIPYS, 8, ident))
def test_what_is_held_fixed_is_refused_or_right(name: str, sample: Sample, param: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trial = Trial(name, sample._replace(fixed=frozenset()))
        trial.active = [p for p in trial.active if p == param]
        assert trial.active
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
