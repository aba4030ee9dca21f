"""``sys.modules``, which a program asks for modules by name."""

from __future__ import annotations

import sys
import types
from sys import modules

import numpy as np
import pytest

from s2sad import S2sadError, derivatives, grad, hvp, jvp

ABSENT = "nobody_has_imported_this"


def by_get(x):
    frames = sys.modules.get("nobody_has_imported_this")
    return x * x if frames is None else frames.law(x)


def by_membership(x):
    return x * x if "nobody_has_imported_this" not in sys.modules else sys.modules["nobody_has_imported_this"].law(x)


def by_an_exception(x):
    try:
        frames = sys.modules["nobody_has_imported_this"]
    except KeyError:
        return x * x
    return frames.law(x)


def in_a_helper(x):
    return 0.5 * sum(map(by_get, (x, x)))


def in_a_loop(x):
    total = 0.0
    for _ in range(2):
        total = total + 0.5 * by_membership(x)
    return total


def by_another_name(x):
    found = modules.get("nobody_has_imported_this", np)
    return x * x if found is np else found.law(x)


ASKING = (by_get, by_membership, by_an_exception, in_a_helper, in_a_loop, by_another_name)


def of_a_library(x):
    return sys.modules["numpy"].sum(x * x)


@pytest.mark.parametrize("f", ASKING)
def test_a_derivative_is_of_the_modules_that_there_are(f, monkeypatch):
    def law(x):
        return 3.0 * x * x

    assert (grad(f)(1.0), jvp(f, (1.0,), (2.0,))[1], float(hvp(f, (1.0,), (1.0,))[1])) == (2.0, 4.0, 2.0)
    module = types.ModuleType(ABSENT)
    module.law = law
    monkeypatch.setitem(sys.modules, ABSENT, module)
    assert (grad(f)(1.0), jvp(f, (1.0,), (2.0,))[1], float(hvp(f, (1.0,), (1.0,))[1])) == (6.0, 12.0, 6.0)
    monkeypatch.delitem(sys.modules, ABSENT)
    assert grad(f)(1.0) == 2.0


@pytest.mark.parametrize("f", ASKING)
def test_another_module_makes_no_other_program(f, monkeypatch):
    derivative = grad(f)
    assert derivative(1.0) == 2.0
    monkeypatch.setattr(derivatives.Derivatives, "generate", lambda *_: pytest.fail("made again"))
    monkeypatch.setitem(sys.modules, "another_that_nobody_asks_for", types.ModuleType("another"))
    assert derivative(1.0) == 2.0


def test_a_module_of_a_library_is_that_library():
    np.testing.assert_array_equal(grad(of_a_library)(np.ones(2)), [2.0, 2.0])


def how_many(x):
    return x * len(sys.modules)


def test_how_many_there_are_is_asked_as_the_program_runs(monkeypatch):
    derivative = grad(how_many)
    assert derivative(1.0) == len(sys.modules)
    monkeypatch.setitem(sys.modules, ABSENT, types.ModuleType(ABSENT))
    assert derivative(1.0) == len(sys.modules)


def of_a_computed_name(x):
    return sys.modules[f"numpy{int(x)}"].sum(x)


def without_one(x):
    sys.modules.pop("nobody_has_imported_this", None)
    return x


@pytest.mark.parametrize(
    ("f", "why"), [(of_a_computed_name, "known only when the program runs"), (without_one, "sys.modules.pop")]
)
def test_what_is_not_asked_by_a_known_name_is_refused(f, why):
    with pytest.raises(S2sadError) as caught:
        grad(f)(1.0)
    assert why in str(caught.value)
