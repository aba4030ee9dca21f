"""Every public name of SciPy's namespaces of numerical functions has a rule or a form, or a reason why it has none."""

from __future__ import annotations

import importlib
import types

import pytest

from s2sad.libraries.scipy.not_written import NOT_NUMERICAL, NOT_WRITTEN, full_names
from s2sad.rules import registry
from s2sad.rules.preludes import form_of

pytest.importorskip("scipy")
UNWRITTEN = set().union(*map(full_names, NOT_WRITTEN.values()))
UNSEEN = set().union(*map(full_names, NOT_NUMERICAL.values()))


def public(namespace: str) -> set[str]:
    owner = importlib.import_module(namespace)
    found = {name: getattr(owner, name) for name in owner.__all__}
    return {
        f"{namespace}.{name}"
        for name, value in found.items()
        if callable(value) and not isinstance(value, types.ModuleType)
    }


def has_rule(name: str) -> bool:
    function = registry.find_object(name)
    known = registry.lookup(name) is not None or registry.name_of(function) is not None
    return known or form_of(function) is not None


NAMESPACES = {  # and how many names they have at least
    "scipy.special": 300,
    "scipy.linalg": 90,
    "scipy.fft": 40,
    "scipy.ndimage": 60,
    "scipy.signal": 120,
    "scipy.interpolate": 40,
    "scipy.spatial.distance": 20,
}


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_every_public_name_is_classified_once(namespace: str) -> None:
    said = {n: (has_rule(n), n in UNWRITTEN, n in UNSEEN) for n in public(namespace)}
    assert len(said) >= NAMESPACES[namespace]
    assert {name: words for name, words in said.items() if sum(words) != 1} == {}


def test_tables_of_names_without_rules_are_not_stale() -> None:
    """Names that this version of SciPy does not have any more should go, too."""
    assert UNWRITTEN | UNSEEN <= set().union(*map(public, NAMESPACES))
