"""What kinds say of the items that their values hold, whichever container it is."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from s2sad.facts.kinds import (
    FLOAT,
    INT,
    STR,
    UNKNOWN,
    Array,
    DictOf,
    Kind,
    List,
    StructKind,
    Tuple,
    TupleOf,
    forget_sizes,
    is_differentiable,
    with_own_sizes,
)
from s2sad.facts.sizes import Dim


@dataclass
class Point:
    x: float


ARRAY = Array("float64", (Dim("n"), 1))
CONTAINERS: tuple[Kind, ...] = (
    Tuple((ARRAY, ARRAY)), Tuple((ARRAY,), listed=True), Tuple((ARRAY,), names=("a",), cls=tuple), List(ARRAY), TupleOf(ARRAY),
    DictOf(ARRAY, STR), StructKind(("a", "b"), (ARRAY, ARRAY)), StructKind(("x",), (ARRAY,), Point),
)  # fmt: skip


@pytest.mark.parametrize("kind", CONTAINERS, ids=str)
def test_items(kind: Kind) -> None:
    assert kind.container
    assert set(kind.inner) == {ARRAY}
    assert len(kind.keys) == (len(kind.inner) if kind.fixed else 0)
    assert kind.fixed == isinstance(kind, Tuple | StructKind)
    assert kind.keyed == isinstance(kind, DictOf)


@pytest.mark.parametrize("kind", CONTAINERS, ids=str)
def test_the_same_container_of_other_items(kind: Kind) -> None:
    assert kind.mapped(lambda item: item) == kind
    mapped = kind.mapped(lambda item: INT)
    assert type(mapped) is type(kind)
    assert set(mapped.inner) == {INT}
    assert mapped.keys == kind.keys
    assert mapped.mapped(lambda item: ARRAY) == kind
    assert getattr(mapped, "names", ()) == getattr(kind, "names", ())
    assert is_differentiable(kind)
    assert not is_differentiable(mapped)


@pytest.mark.parametrize("kind", CONTAINERS, ids=str)
def test_sizes_are_forgotten_in_all_of_them(kind: Kind) -> None:
    for item in (part for whole in (kind, List(kind), Tuple((kind,))) for part in _leaves(forget_sizes(whole))):
        assert isinstance(item, Array)
        assert item.shape is not None
        assert item.shape[0] != Dim("n")
        assert item.shape[1] == 1


@pytest.mark.parametrize("kind", [kind for kind in CONTAINERS if kind.fixed], ids=str)
def test_each_of_several_structures_has_sizes_of_its_own(kind: Kind) -> None:
    assert not {with_own_sizes(kind).inner[0]} & {with_own_sizes(kind).inner[0], ARRAY}


@pytest.mark.parametrize("kind", [FLOAT, ARRAY, STR, UNKNOWN], ids=str)
def test_others_hold_nothing(kind: Kind) -> None:
    assert not (kind.container or kind.fixed or kind.keyed or kind.inner or kind.keys)
    assert kind.mapped(lambda item: INT) == kind


def _leaves(kind: Kind) -> list[Kind]:
    return [leaf for item in kind.inner for leaf in _leaves(item)] if kind.container else [kind]
