"""Of SciPy's namespaces of numerical functions, what has no rule or form is told apart by what is no numerical function."""

from __future__ import annotations

import importlib
import types

import pytest

from s2sad.libraries.scipy.not_written import NOT_NUMERICAL, NUMERICAL, full_names, reason
from s2sad.rules import registry
from s2sad.rules.not_written import ADD, EXISTS
from s2sad.rules.preludes import form_of

pytest.importorskip("scipy")
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
# How many of their functions have a derivative that nobody has written down: a release of SciPy may add some, of which one is
# to see whether they are numerical. Fewer: lower the number at times.
NOT_WRITTEN = 297


def test_all_namespaces_are_walked() -> None:
    assert set(NAMESPACES) == {*NUMERICAL}


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_what_has_a_rule_is_numerical(namespace: str) -> None:
    names = public(namespace)
    assert len(names) >= NAMESPACES[namespace]
    assert {name for name in names if has_rule(name)} & UNSEEN == set()


def test_what_is_not_written_is_told_to_exist() -> None:
    left = {n for namespace in NAMESPACES for n in public(namespace) if not has_rule(n)} - UNSEEN
    assert len(left) <= NOT_WRITTEN, sorted(left)
    assert {reason(name) for name in left} == {(EXISTS, ADD)}


def test_tables_of_names_without_rules_are_not_stale() -> None:
    """Names that this version of SciPy does not have any more should go, too."""
    assert UNSEEN <= set().union(*map(public, NAMESPACES))
