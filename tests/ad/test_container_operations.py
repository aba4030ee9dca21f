"""Each operation of the table of container operations, in both modes and the four pairs of the second order."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from container_programs import BODIES, MENDED, programs
from mode_pairs import MODES, check, check_pair, load
from thinning import thinned

from s2sad.ad import containers
from s2sad.errors import AliasError, UnsupportedSyntaxError
from s2sad.ir.nodes import Call
from s2sad.rules import registry
from s2sad.rules.containers import move_by

X = np.array([0.7, 0.4, 1.1, 0.9])
TABLE = sorted(name for name, primitive in registry.all_primitives().items() if move_by(primitive) is not None)
WAYS = list(programs(""))
# Of the second order, over the adjoint: objects in lists, whose class only the running program knows; tapes that hold dicts.
REFUSED = {
    **dict.fromkeys(itertools.product(("s2sad.attribute", "s2sad.runtime.record"), WAYS, MODES), "as a value|as an argument"),
    ("s2sad.runtime.put_back", "helper in a loop", "adjoint"): "a list of tuples that hold what is written later",
}


@pytest.fixture
def met(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """The operations that were differentiated."""
    found: set[str] = set()
    for name in ("tangent", "adjoint"):
        original = getattr(containers, name)

        def noted(sweep: object, op: Call, original: object = original) -> None:
            found.add(op.target)
            original(sweep, op)  # type: ignore[operator]

        monkeypatch.setattr(containers, name, noted)
    yield found


def test_every_operation_has_a_program() -> None:
    assert set(BODIES) == set(TABLE)


IN_OTHER_WAYS = thinned(itertools.product(TABLE, WAYS[1:]), 5, "-".join)


@pytest.mark.parametrize(("name", "way"), thinned([(n, "plain") for n in TABLE], 2, "-".join) + IN_OTHER_WAYS)
def test_an_operation(name: str, way: str, met: set[str]) -> None:
    function = load(programs(BODIES[name])[way])
    for mode in MODES:
        check(function, (X,), mode)
    for outer, inner in itertools.product(MODES, MODES):
        if (name, way, outer) in REFUSED and inner == "adjoint":
            with pytest.raises((AliasError, UnsupportedSyntaxError), match=REFUSED[name, way, outer]):
                check_pair(function, (X,), outer, inner)
        else:
            check_pair(function, (X,), outer, inner)
    assert name in met


READ_TWICE = "a dict that a helper and the program read, whose adjoints are added up"  # refused in a loop, by name


LOOPED = [(n, "loop") for n in MENDED if n != READ_TWICE]


@pytest.mark.parametrize(("name", "way"), thinned([(n, "plain") for n in MENDED], 2, "-".join) + thinned(LOOPED, 4, "-".join))
def test_what_was_mended(name: str, way: str) -> None:
    function = load(programs(MENDED[name])[way])
    for mode in MODES:
        check(function, (X,), mode)
    for outer, inner in itertools.product(MODES, MODES):
        check_pair(function, (X,), outer, inner)
