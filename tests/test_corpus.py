"""Every program of the corpora through the public API: both modes against differences of the program itself."""

from __future__ import annotations

import numpy as np
import pytest
from programs.case import Case, all_cases
from programs.language import language_cases

from s2sad import S2sadError, errors
from s2sad.testing import check_grads

SEED = 20240301
CASES = {f"{case.function.__module__.rpartition('.')[2]}.{case.name}": case for case in [*all_cases(), *language_cases()]}
# What is refused today, by the error that says so. A program that passes must be taken out; a wrong gradient never gets in.
REFUSED = {
    "calls.decorated": "UnsupportedSyntaxError",
    "calls.function_choice": "UnsupportedSyntaxError",
    "calls.generator_consumer": "UnsupportedSyntaxError",
    "calls.table_of_functions": "UnsupportedSyntaxError",
    "calls.variadic": "ActivityError",
    "containers.depth_first": "UnsupportedSyntaxError",
    "containers.dict_accumulate": "UnsupportedSyntaxError",
    "containers.dict_comprehension": "UnsupportedSyntaxError",
    "containers.digits_to_value": "UnsupportedSyntaxError",
    "containers.grouped": "UnsupportedSyntaxError",
    "containers.sliding_window": "UnsupportedSyntaxError",
    "containers.unpack_everything": "UnsupportedSyntaxError",
    "control.parse_and_apply": "UnsupportedSyntaxError",
    "densities.neals_funnel": "ActivityError",
    "flow.multigrid_poisson": "S2sadError",
    "integrators.damped_pendulum": "UnsupportedSyntaxError",
    "integrators.lotka_volterra": "UnsupportedSyntaxError",
    "objects.class_pattern": "UnsupportedSyntaxError",
    "objects.enthalpy": "UnsupportedSyntaxError",
    "objects.lattice_energy": "UnsupportedSyntaxError",
    "overloading.abcd_optics": "UnsupportedSyntaxError",
    "overloading.propagated_error": "UnsupportedSyntaxError",
    "physics.two_body_verlet": "UnsupportedSyntaxError",
    "recursion.bump_area": "UnsupportedSyntaxError",
    "recursion.merge_sort_weighted": "UnsupportedSyntaxError",
    "recursion.two_trees": "UnsupportedSyntaxError",
    "sequences.ctc_loss": "UnsupportedSyntaxError",
    "solvers.cesaro": "KindError",
}
# The same where one mode alone is refused, or each by another error.
REFUSED_IN_MODE: dict[tuple[str, str], str] = {}


def check(case: Case, mode: str) -> None:
    """Compare one mode with differences along a random direction; the caller's arguments must stay as they are."""
    args = case.make(np.random.default_rng(SEED))
    check_grads(case.function, args, wrt=case.wrt, of=case.of, modes=(mode,), rtol=2e-4, atol=2e-7, jointly=True)


def test_the_corpora_are_whole() -> None:
    assert len(CASES) == len(all_cases()) + len(language_cases()) > 200
    assert set(REFUSED) | {name for name, _ in REFUSED_IN_MODE} <= set(CASES)


@pytest.mark.parametrize("mode", ["tangent", "adjoint"])
@pytest.mark.parametrize("name", CASES)
def test_gradient(name: str, mode: str) -> None:
    refused = REFUSED.get(name) or REFUSED_IN_MODE.get((name, mode))
    if refused is None:
        check(CASES[name], mode)
        return
    with pytest.raises(S2sadError) as caught:
        check(CASES[name], mode)
    assert type(caught.value) is getattr(errors, refused)
