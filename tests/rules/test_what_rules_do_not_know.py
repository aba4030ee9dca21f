"""Calls with arguments that a rule has no answer for: the library's own exception comes, where it has one, or a refusal.

Never is such a call told to be a mistake of ours, and where nobody comes to it, or where what it raises is caught, the program
has its derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from product import Program
from samples import SAMPLES, Sample
from thinning import thinned

from s2sad import grad, hvp, jvp, vjp
from s2sad.errors import CompilerError, NoRuleError, S2sadError, UnsupportedSyntaxError
from s2sad.rules import registry

X = np.array([0.7, 1.3, 2.1])


def in_a_helper(x):
    def along(v, axis):
        return np.diff(np.nanmean(v, axis=axis))

    return np.sum(along(x, "q"))


def in_a_loop(x):
    s = 0.0
    for _ in range(3):
        s += np.sum(np.nanmean(x, axis="q"))
    return s


def in_a_list(x):
    sums = [np.sum(x, axis="q") for _ in range(2)]
    return sums[0]


def unpacked(x):
    a, b = np.linalg.matrix_power(np.outer(x, x), "q")
    return np.sum(a + b)


def of_a_context(x):
    with np.errstate(all="ignore"):
        y = np.cumsum(x, axis="q")
    return np.sum(y)


def of_another_rank(x):
    return np.sum(np.einsum("ij->i", x))


def of_no_norm(x):
    return np.sum(np.abs(np.fft.fft(x, norm=slice(1))))


RAISED = [in_a_helper, in_a_loop, in_a_list, unpacked, of_a_context, of_another_rank, of_no_norm]


@pytest.mark.parametrize("f", RAISED)
def test_the_exception_of_the_library_comes(f: Callable[[Any], Any]) -> None:
    with pytest.raises((TypeError, ValueError)) as expected:
        f(X)
    for run in (grad(f), lambda x: jvp(f, (x,), (x,)), lambda x: hvp(f, (x,), (x,)), grad(lambda v: jvp(f, (v,), (v,))[1])):
        with pytest.raises(expected.type) as found:
            run(X)
        assert str(found.value) == str(expected.value)


def not_reached(x):
    return np.sum(x**2) if x[0] < 100.0 else np.sum(np.sort(x, axis="q"))


def caught(x):
    try:
        return np.sum(np.nanmean(x, axis="q"))
    except TypeError:
        return np.sum(x**2)


@pytest.mark.parametrize("f", [not_reached, caught])
def test_where_nobody_comes_to_it_there_is_a_derivative(f: Callable[[Any], Any]) -> None:
    assert np.allclose(grad(f)(X), 2 * X)
    assert np.isclose(jvp(f, (X,), (X,))[1], 2 * X @ X)
    assert np.allclose(hvp(f, (X,), (X,))[1], 2 * X)


def test_formulas_that_fail_are_refused() -> None:
    with pytest.raises(NoRuleError, match=r"numpy\.diff with these arguments"):
        grad(lambda x: np.sum(np.diff(x, axis=5)))(X)


def test_what_the_library_takes_and_no_rule_knows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    known = registry.lookup("numpy.sinh")
    assert known is not None

    def failing(_: Any) -> Any:
        raise IndexError("tuple index out of range")

    kind = known.kind
    object.__setattr__(known, "kind", failing)
    try:
        for run in (lambda: grad(lambda x: np.sum(np.sinh(x)))(X), lambda: jvp(lambda x: np.sinh(x), (X,), (X,))):
            with pytest.raises(UnsupportedSyntaxError, match=r"numpy\.sinh .* that its rule does not know"):
                run()
    finally:
        object.__setattr__(known, "kind", kind)


def test_places_that_are_floats_are_cut_off_as_by_the_library() -> None:
    f = lambda x: np.sum(np.take(x, 1.0) ** 2 + np.take(x, 0.9) ** 2)
    assert f(X) == X[1] ** 2 + X[0] ** 2
    assert np.allclose(grad(f)(X), [2 * X[0], 2 * X[1], 0.0])
    assert np.allclose(hvp(f, (X,), (X,))[1], [2 * X[0], 2 * X[1], 0.0])


ALONG = [
    name
    for name, primitive in registry.all_primitives().items()
    if name.startswith("numpy.") and name in SAMPLES and any(p == "axis" for p, _, _ in primitive.parameters)
]
NO_AXES = ("q", slice(1), 7, {})


def without_axis(name: str) -> Sample | None:
    """The first sample of a rule with an array, without its axis; None where that is given by position."""
    primitive = registry.lookup(name)
    assert primitive is not None
    place = [p for p, _, _ in primitive.parameters].index("axis")
    for sample in SAMPLES[name]:
        if isinstance(sample.args[0], np.ndarray) and len(sample.args) <= place:
            return sample._replace(kwargs={p: v for p, v in sample.kwargs.items() if p != "axis"})
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", thinned(ALONG, 8))
def test_what_is_no_axis_is_told_by_the_library_or_refused(name: str) -> None:
    sample = without_axis(name)
    for axis in NO_AXES if sample is not None else ():
        assert sample is not None
        program = Program(name, sample._replace(kwargs={**sample.kwargs, "axis": axis}))
        try:
            program.function(*program.values)
        except Exception as error:  # the library's own
            assert_raises(program, type(error))


def assert_raises(program: Program, expected: type[Exception]) -> None:
    """Both modes raise this, or refuse, and tell of no mistake of ours."""
    f, values, names = program.function, program.values, tuple(program.names[k] for k in program.active)
    tangents = tuple(values[k] for k in program.active)
    for run in (lambda: vjp(f, *values, wrt=names), lambda: jvp(f, tuple(values), tangents, wrt=names)):
        with pytest.raises((expected, S2sadError)) as found:
            run()
        assert not isinstance(found.value, CompilerError), (program.text, found.value)
