"""SciPy's functions that are written as programs: their values are SciPy's, their derivatives right in both modes."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, differentiate, grad, value_and_grad
from s2sad.errors import S2sadError

pytest.importorskip("scipy")

from scipy import interpolate, stats
from scipy_form_programs import PROGRAMS, TWICE, A, X
from scipy_signal_programs import SIGNAL_PROGRAMS
from thinning import thinned

from s2sad.libraries.scipy.prelude import PRELUDE
from s2sad.rules import registry
from s2sad.rules.preludes import names

ALL = {**PROGRAMS, **SIGNAL_PROGRAMS}

PACKAGE = "s2sad.libraries.scipy.prelude"


@pytest.mark.parametrize("name", thinned(ALL, 6))
def test_form(name: str) -> None:
    program, args = ALL[name]
    value, _ = value_and_grad(program)(*args)
    np.testing.assert_allclose(value, program(*args), rtol=1e-9)
    check_grads(program, args, order=2 if program.__name__ in TWICE else 1, together=True)


@pytest.mark.parametrize("topic", PRELUDE.topics)
def test_forms_stand_for_what_there_is(topic: str) -> None:
    """Each has the name and the parameters of a function of SciPy, in the same order, and the same defaults."""
    for name in names(PACKAGE, topic):
        theirs = next(
            found for o in PRELUDE.topics[topic] if (found := registry.find_object(f"{o}.{name}")) is not None
        )
        ours = vars(__import__(f"s2sad.libraries.scipy.prelude.{topic}", fromlist=[name]))[name]
        known = inspect.signature(theirs).parameters
        for parameter in inspect.signature(ours).parameters.values():
            if parameter.kind is parameter.KEYWORD_ONLY and "kwargs" in known:
                continue
            assert parameter.name in known, (name, parameter.name)
            default = known[parameter.name].default
            assert parameter.default in (default, parameter.empty), (name, parameter)
        positional = [
            p.name for p in inspect.signature(ours).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD
        ]
        assert positional == list(known)[: len(positional)], name


@pytest.mark.parametrize("topic", PRELUDE.topics)
def test_forms_say_what_they_cover(topic: str) -> None:
    for name in names(PACKAGE, topic):
        ours = vars(__import__(f"s2sad.libraries.scipy.prelude.{topic}", fromlist=[name]))[name]
        hints = typing.get_type_hints(vars(ours)["__init__"] if isinstance(ours, type) else ours)
        assert set(inspect.signature(ours).parameters) <= set(hints), name
        assert ours.__doc__, name


def test_generated_programs_show_the_text_of_a_form() -> None:
    text = differentiate(lambda x: np.sum(stats.zscore(x) ** 3)).source("adjoint", X)
    assert "np.std(" in text
    assert "scipy" not in text


KNOTS = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0])
CURVE = (KNOTS, [np.arange(4.0), np.ones(4)], 3)
REFUSED: list[tuple[Callable[..., Any], Any, str]] = [
    (lambda x: np.sum(stats.zscore(x, nan_policy="omit")), X, "zscore"),
    (lambda x: stats.skew(x, nan_policy="omit"), X, "skew"),
    (lambda x: stats.pearsonr(x, X**2, alternative="less").statistic, X, "pearsonr"),
    (lambda x: interpolate.splev(0.3, (KNOTS, x, 3)), X[:4], "with respect to tck"),
    (lambda x: interpolate.bisplev(0.3, 0.4, (KNOTS, KNOTS, np.outer(x, x).ravel(), 3, 3)), X[:4], "with respect to tck"),
    (lambda x: interpolate.splev(x[0], CURVE)[1], X, "several dimensions"),
    (lambda x: np.sum(interpolate.bisplev(x, x, (KNOTS, KNOTS, np.arange(16.0), 3, 3))), X[:4], "bisplev"),
]


@pytest.mark.parametrize(("program", "x", "words"), REFUSED, ids=[r[2] for r in REFUSED])
def test_options_that_a_form_does_not_cover_are_refused(
    program: Callable[..., Any], x: Any, words: str
) -> None:
    with pytest.raises(S2sadError, match=words):
        grad(program)(x)


def test_options_that_a_form_does_not_cover_are_scipys_on_constants() -> None:
    data = np.array([0.3, np.nan, 1.2, 0.7])
    found = grad(lambda x: np.sum(x * np.nansum(stats.zscore(data, nan_policy="omit")[2:])))(X)
    np.testing.assert_allclose(found, np.nansum(stats.zscore(data, nan_policy="omit")[2:]))
    assert A.shape == (3, 5)
