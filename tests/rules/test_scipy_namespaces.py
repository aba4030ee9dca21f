"""Every public name of scipy.special and scipy.linalg has a rule, or a reason why it has none."""

from __future__ import annotations

import importlib
import types

import pytest

from s2sad.rules import registry
from s2sad.rules.scipy_not_written import NOT_NUMERICAL, NOT_WRITTEN, full_names

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
    return registry.lookup(name) is not None or registry.name_of(registry.find_object(name)) is not None


@pytest.mark.parametrize("namespace", ["scipy.special", "scipy.linalg"])
def test_every_public_name_is_classified_once(namespace: str) -> None:
    said = {n: (has_rule(n), n in UNWRITTEN, n in UNSEEN) for n in public(namespace)}
    assert len(said) > 90
    assert {name: words for name, words in said.items() if sum(words) != 1} == {}


def test_tables_of_names_without_rules_are_not_stale() -> None:
    """Names that this version of SciPy does not have any more should go, too."""
    assert UNWRITTEN | UNSEEN <= public("scipy.special") | public("scipy.linalg")
