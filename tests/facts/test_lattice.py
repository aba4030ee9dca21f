"""The laws of the join, over generated facts; that a join is true of all that either fact is true of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from s2sad.facts.kinds import (
    ANY_SLICE,
    BOTTOM,
    NONE,
    OBJECT,
    RANGE,
    STR,
    UNKNOWN,
    Array,
    DictOf,
    Kind,
    List,
    Other,
    Scalar,
    Singleton,
    Slice,
    StructKind,
    Tuple,
    is_differentiable,
    promote,
    promoted_types,
)
from s2sad.facts.lattice import join, join_all, join_keys
from s2sad.facts.sizes import Anonymous, Dim, Size, is_many, least_of
from s2sad.facts.values import kind_of

TYPES = [("bool", True), ("int64", True), ("float64", True), ("complex128", True)]
TYPES += [(dtype, False) for dtype in ("bool", "int32", "int64", "float32", "float64", "complex64")]
SYMBOLS = [object(), object()]

numbers = st.builds(
    lambda types, size: Scalar(types=types, size=size),
    st.one_of(st.none(), st.frozensets(st.sampled_from(TYPES), min_size=1, max_size=3)),
    st.sampled_from([None, 2, Dim(SYMBOLS[0])]),
)
sizes: st.SearchStrategy[Size] = st.one_of(
    st.none(), st.integers(0, 3), st.builds(Dim, st.sampled_from(SYMBOLS), st.integers(-1, 1), st.booleans(), st.integers(0, 8))
)
arrays = st.builds(
    Array, st.sampled_from([None, "bool", "int64", "float32", "float64"]),
    st.one_of(st.none(), st.lists(sizes, max_size=2).map(tuple)),
)  # fmt: skip
atoms = st.sampled_from([
    NONE, STR, RANGE, OBJECT, Other("function"), Singleton("function", len), Singleton("function", max), BOTTOM, UNKNOWN,
    ANY_SLICE, Slice(None, 2, None), Slice(0, None, None), Slice(1, Dim(SYMBOLS[1]), None),
])  # fmt: skip


def _structures(items: st.SearchStrategy[Kind]) -> st.SearchStrategy[Kind]:
    several = st.lists(items, max_size=2).map(tuple)
    return st.one_of(
        st.builds(Tuple, several, st.booleans()),
        st.builds(List, items),
        st.builds(DictOf, items, st.sampled_from([STR, Scalar("int64"), Scalar("float64"), OBJECT, UNKNOWN])),
        several.map(lambda kinds: StructKind(tuple("ab"[: len(kinds)]), kinds)),
    )


facts = st.recursive(st.one_of(numbers, arrays, atoms), _structures, max_leaves=4)


def known(kind: Any) -> Any:
    """A fact, with what equality leaves out of sizes that a join has made: these have no names, as each join makes its own.

    What else is known of a symbol is true of it wherever it is met.
    """
    if isinstance(kind, Dim):
        return ("joined", is_many(kind), least_of(kind)) if isinstance(kind.key, Anonymous) else (kind.key, kind.offset)
    if isinstance(kind, tuple):
        return tuple(map(known, kind))
    if isinstance(kind, Singleton):
        return kind
    parts = [name for cls in type(kind).__mro__ for name in getattr(cls, "__slots__", ())] if isinstance(kind, Kind) else []
    return (type(kind), *(known(getattr(kind, name)) for name in sorted(parts))) if parts else kind


@given(facts)
def test_a_join_of_the_same_is_the_same(a: Kind) -> None:
    assert known(join(a, a)) == known(a)


@given(facts, facts)
def test_joins_commute(a: Kind, b: Kind) -> None:
    assert known(join(a, b)) == known(join(b, a))


@given(facts, facts, facts)
def test_joins_associate(a: Kind, b: Kind, c: Kind) -> None:
    assert known(join(join(a, b), c)) == known(join(a, join(b, c)))


@given(facts)
def test_the_least_is_neutral_and_the_highest_absorbs(a: Kind) -> None:
    assert known(join(a, BOTTOM)) == known(join(BOTTOM, a)) == known(a)
    assert join(a, UNKNOWN) == join(UNKNOWN, a) == UNKNOWN


@given(facts, facts)
@example(List(NONE), List(BOTTOM))
def test_what_either_could_carry_the_join_could(a: Kind, b: Kind) -> None:
    both = join(a, b)
    assert is_differentiable(both) or not (is_differentiable(a) or is_differentiable(b))


@given(st.lists(facts, max_size=4))
def test_the_order_of_many_does_not_matter(kinds: list[Kind]) -> None:
    assert known(join_all(kinds)) == known(join_all(kinds[::-1]))


KEYS = st.one_of(numbers, atoms, st.lists(st.one_of(numbers, atoms), max_size=2).map(lambda items: Tuple(tuple(items))))


@given(KEYS, KEYS, KEYS)
def test_keys_obey_the_same_laws(a: Kind, b: Kind, c: Kind) -> None:
    assert known(join_keys(a, a)) == known(a) and known(join_keys(a, b)) == known(join_keys(b, a))
    assert known(join_keys(join_keys(a, b), c)) == known(join_keys(a, join_keys(b, c)))


def test_keys_of_three_sorts() -> None:
    a, b, c = (Tuple((kind,)) for kind in (Scalar("int64"), STR, Scalar("float64")))
    assert join_keys(join_keys(a, b), c) == join_keys(a, join_keys(b, c)) == UNKNOWN and join_keys(a, b) == OBJECT


VALUES = [True, 2, 0.5, 1j, np.float64(0.5), np.float32(0.5), np.int64(3), np.bool_(True)]


def test_promotion_is_that_of_numpy_for_all_numbers_that_there_may_be() -> None:
    for a in VALUES:
        for b in VALUES:
            kind = kind_of(a + b)
            assert isinstance(kind, Scalar) and (promote(kind_of(a), kind_of(b)) == kind.dtype or kind.dtype == "int64")
            for other in VALUES:
                types = promoted_types(join(kind_of(a), kind_of(other)), kind_of(b))
                assert types is not None and (kind.dtype in {dtype for dtype, _ in types} or kind.dtype == "int64")
    assert promote(join(Scalar("int64"), Scalar("float64")), Array("float32", None)) == "float32"
    assert promote(join(Scalar("int64"), Scalar("float64")), Array("int32", None)) is None


def test_a_number_knows_what_it_may_be() -> None:
    both = join(Scalar("int64"), Scalar("float32", weak=False))
    assert isinstance(both, Scalar) and both.dtype is None and both.mixed and not both.weak
    assert both.is_of("if") and not both.is_of("f") and is_differentiable(both) and both.widest == "float32"
    assert str(join(Scalar("int64"), Scalar("float64"))) == "float | int"
    same: Callable[[], Scalar] = lambda: Scalar("float64", size=2)
    assert same() == same() and hash(same()) == hash(same()) and not Scalar().is_of("biufc")
