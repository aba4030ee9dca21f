"""Whatever HIPS autograd can differentiate, s2sad can, and in forward mode where autograd has one."""

from __future__ import annotations

from typing import Any

import pytest

from s2sad.frontend.lower import language  # noqa: F401  (fills the tables)
from s2sad.frontend.lower.calls import WRITTEN_OUT
from s2sad.libraries.numpy.calls.methods import STORES
from s2sad.rules import registry
from s2sad.rules.language import Derivative
from s2sad.rules.preludes import form_of

core = pytest.importorskip("autograd.core")
# The modules of autograd that wrap a library's; a case for each.
WRAPPERS = [
    "numpy",
    *(f"numpy.{name}" for name in ("linalg", "fft")),
    *(f"scipy.{name}" for name in ("special", "linalg", "signal", "integrate")),
    *(
        f"scipy.stats.{name}"
        for name in ("norm", "multivariate_normal", "gamma", "beta", "chi2", "poisson", "t", "dirichlet")
    ),
]
# What autograd has a rule for and s2sad has not, with the reason.
EXCEPTIONS: dict[str, str] = {
    "numpy.fft.truncate_pad": "autograd's own",
    "numpy.make_diagonal": "autograd's own",
    "numpy.concatenate_args": "autograd's own",
    "numpy.array_from_args": "autograd's own",
    "scipy.signal.convolve": "autograd's own: SciPy's convolve has other arguments",
}


def functions(library: str) -> dict[str, Any]:
    """The library's functions of which a module of autograd has a rule, for either mode, by name."""
    module = pytest.importorskip(f"autograd.{library}")
    found = {}
    for name, primitive in vars(module).items():
        raw = getattr(primitive, "fun", None)
        if raw is not None and (primitive in core.primitive_vjps or primitive in core.primitive_jvps):
            found[name] = raw
    return found


def differentiable(function: Any) -> bool:
    """Whether s2sad has a rule, which is one for both modes, or writes a call out in terms of others."""
    canonical = registry.name_of(function)
    if form_of(function) is not None:
        return True
    if canonical is None:
        return any(_has(table, function) for table in WRITTEN_OUT)
    primitive = registry.lookup(canonical)
    derivative = getattr(primitive, "derivative", None)
    return isinstance(derivative, Derivative) or getattr(derivative, "zero", False) or canonical in STORES


def _has(table: dict[Any, Any], function: Any) -> bool:
    try:
        return function in table
    except TypeError:  # what cannot be hashed
        return False


@pytest.mark.parametrize("library", WRAPPERS)
def test_everything_that_autograd_differentiates_has_a_rule(library: str) -> None:
    wanted = functions(library)
    assert wanted
    missing = {f"{library}.{name}" for name, function in wanted.items() if not differentiable(function)}
    assert missing == {name for name in EXCEPTIONS if name.rpartition(".")[0] == library}


@pytest.mark.parametrize("name", EXCEPTIONS)
def test_only_functions_of_autograds_own_are_excepted_for_good(name: str) -> None:
    library, _, last = name.rpartition(".")
    own = str(getattr(functions(library)[last], "__module__", "")).startswith("autograd.")
    assert own == EXCEPTIONS[name].startswith("autograd's own")
