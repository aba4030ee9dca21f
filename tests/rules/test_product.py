"""Every rule in every form of its arguments, through the compiler, in both modes: each on its own against differences.

By default a part, which is another one for each name; ``pytest -m deep`` runs the whole product.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from zlib import crc32

import pytest

pytest.importorskip("scipy")

from product import COMPUTED, FORMS, Case, Program, cases, flat_cases

from s2sad.rules import registry
from s2sad.rules.functionals import Functional
from s2sad.rules.language import Derivative


def _ids(found: Any) -> list[Any]:
    return [pytest.param(name, sample, form, id=f"{name}-{k}-{form}") for k, (name, sample, form) in enumerate(found)]


PART = 97  # one case of so many


@pytest.mark.parametrize(("name", "sample", "form"), _ids(c for c in cases() if crc32(f"{c[0]} {c[2]}".encode()) % PART == 0))
def test_form(name: str, sample: Any, form: str) -> None:
    case = Case(Program(name, sample, form == COMPUTED), FORMS.get(form, FORMS["as it is"]))
    assert list(case.problems()) == []


@pytest.mark.deep
@pytest.mark.parametrize("name", sorted({name for name, _, _ in cases()}))
def test_all_forms(name: str) -> None:
    """With three samples, and one for each option that there is in any."""
    assert problems(c for c in cases(3, options=True) if c[0] == name) == {}


@pytest.mark.parametrize("name", sorted({name for name, _, _ in flat_cases()}))
def test_zero_derivatives_have_the_dtype_and_shape_of_what_they_belong_to(name: str) -> None:
    assert problems(c for c in flat_cases() if c[0] == name) == {}


def problems(given: Iterable[Any]) -> dict[tuple[str, str], list[str]]:
    """What is wrong, by form and program."""
    found, program, last = {}, None, None
    for name, sample, form in given:
        if last != (id(sample), form == COMPUTED):
            program, last = Program(name, sample, form == COMPUTED), (id(sample), form == COMPUTED)
        assert program is not None
        wrong = list(Case(program, FORMS.get(form, FORMS["as it is"])).problems())
        if wrong:
            found[form, program.text] = wrong
    return found


def test_every_rule_of_the_libraries_has_a_case() -> None:
    ours = {name for name, _, _ in cases()}
    missing = [
        name
        for name, primitive in registry.all_primitives().items()
        if name.startswith(("numpy.", "ndarray.", "scipy.")) and not isinstance(primitive.derivative, Functional)
        if isinstance(primitive.derivative, Derivative) and name not in ours
        if not any(registry.lookup(o).derivative is primitive.derivative for o in ours)  # type: ignore[union-attr]
    ]
    assert missing == []


def test_a_wrong_dtype_would_be_seen() -> None:
    from calls import same_types
    from sampling import arr

    assert list(same_types("the gradient", arr(3), arr(3, dtype="float32")))
    assert not list(same_types("the gradient", arr(3), arr(3)))
