"""Every public name of NumPy has a rule, or a reason why it has none."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad.errors import NonDifferentiableError, NoRuleError
from s2sad.frontend.lower import language  # noqa: F401  (fills the tables)
from s2sad.frontend.lower.calls import WRITTEN_OUT
from s2sad.libraries.numpy.calls import CALLS
from s2sad.libraries.numpy.calls.methods import METHODS
from s2sad.libraries.numpy.not_written import NOT_NUMERICAL, NOT_WRITTEN, full_names
from s2sad.rules import registry
from s2sad.rules.language import Derivative, Nothing
from s2sad.rules.preludes import form_of
from s2sad.rules.rooms import rooms

# What is walked: the prefix of canonical names, and where they live. SciPy's tables have a test of their own.
NAMESPACES: dict[str, Any] = {
    "numpy": np,
    "numpy.linalg": np.linalg,
    "numpy.fft": np.fft,
    "ndarray": np.ndarray,
}
UNSEEN = set().union(*map(full_names, NOT_NUMERICAL.values()))


def public(namespace: str) -> Iterator[str]:
    """The canonical names of what is public and can be called, or is an attribute of arrays."""
    owner = NAMESPACES[namespace]
    for name in getattr(owner, "__all__", None) or dir(owner):
        found = getattr(owner, name, None)
        usable = callable(found) or namespace == "ndarray"
        if not name.startswith("_") and usable and not isinstance(found, types.ModuleType):
            yield f"{namespace}.{name}"


def live(name: str) -> Any:
    owner, _, last = name.rpartition(".")
    return getattr(NAMESPACES[owner], last)


def written_out(name: str) -> bool:
    """Whether the front end writes a call of it in terms of others, or refuses it by name."""
    if name.startswith("ndarray."):
        return name.removeprefix("ndarray.") in METHODS
    tables = (*WRITTEN_OUT, CALLS.written_out)
    return name in CALLS.table or any(live(name) in table for table in tables) or form_of(live(name)) is not None


def method_of_function(name: str) -> str:
    """The front end takes the method ``x.f()`` for ``np.f(x)``."""
    return name.replace("ndarray.", "numpy.") if name.startswith("ndarray.") else name


def classes(name: str) -> list[str]:
    """All that is said about a name; it should be one thing."""
    found = []
    canonical = registry.name_of(live(name)) or method_of_function(name)
    primitive = registry.lookup(name) or registry.lookup(canonical)
    if written_out(name):
        found.append("written out")
    elif primitive is not None:
        kinds = {Derivative: "differentiable", Nothing: "no derivative", type(None): "memory"}
        found.append(next(word for cls, word in kinds.items() if isinstance(primitive.derivative, cls)))
    elif isinstance(live(name), type) and issubclass(live(name), np.generic | BaseException):
        found.append("type")
    found += ["not written"] * (name in NOT_WRITTEN) + ["not numerical"] * (name in UNSEEN)
    return found


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_every_public_name_is_classified_once(namespace: str) -> None:
    said = {name: classes(name) for name in public(namespace)}
    assert len(said) > 10
    assert {
        name: words for name, words in said.items() if len(words) != 1 and words != ["type", "not numerical"]
    } == {}


def test_tables_of_names_without_rules_are_not_stale() -> None:
    known = {name for namespace in NAMESPACES for name in public(namespace)}
    assert set(NOT_WRITTEN) | UNSEEN <= known | {"numpy.ScalarType", "numpy.sctypeDict", "numpy.typecodes"}


def missing(x: Any) -> Any:
    return np.sort_complex(x)[0]


def text(x: Any) -> Any:
    return np.array2string(x)


def distinct(x: Any) -> Any:
    return np.sum(np.unique(x))


def test_refusals_say_which_of_the_reasons_it_is() -> None:
    x = np.array([0.3, 0.7])
    with pytest.raises(NoRuleError, match=r"not written yet(.|\n)*@s2sad\.rule"):
        s2sad.grad(missing)(x)
    with pytest.raises(NoRuleError, match="not a numerical function: it makes or reads text"):
        s2sad.grad(text)(x)
    with pytest.raises(NonDifferentiableError, match="has no derivative"):
        s2sad.grad(distinct)(x)


def degrees_of_freedom(x: Any) -> Any:
    return np.var(x, ddof=x[0])


def test_an_argument_without_a_formula_is_refused_and_not_taken_for_a_constant() -> None:
    x = np.array([0.3, 0.7])
    for derivative in (
        lambda: s2sad.grad(degrees_of_freedom)(x),
        lambda: s2sad.jvp(degrees_of_freedom, (x,), (x,)),
    ):
        with pytest.raises(NoRuleError, match="by its argument 'ddof'"):
            derivative()
    pytest.importorskip("scipy.linalg")
    unknown = [
        (name, p)
        for room in rooms()
        for name, params in getattr(room.corner("not_written"), "CONSTANT_ARGUMENTS", {}).items()
        for p in params
        if (primitive := registry.lookup(name)) is None or p not in [n for n, _, _ in primitive.parameters]
    ]
    assert unknown == []
