"""Structures over a border: taken apart on one side, made again on the other, and their items used in their place."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from s2sad.ir.kinds import FLOAT, INT, Kind, List, StructKind, Tuple
from s2sad.ir.nodes import Block, Const, Function, Op, Param, Undef, Value
from s2sad.ir.verifier import verify
from s2sad.rules.structures import forward_items, made_of, parts, whole


@dataclass
class Point:
    x: float
    y: float


PAIR = Tuple((FLOAT, INT))
STRUCTURES: tuple[Tuple | StructKind, ...] = (
    PAIR, Tuple((FLOAT, FLOAT), listed=True), Tuple((PAIR, Tuple((List(FLOAT), PAIR)))), StructKind(("a", 2), (FLOAT, PAIR)),
)  # fmt: skip


def all_of_them(kind: Kind) -> bool:
    return kind.fixed


def leaves(kind: Kind) -> list[Kind]:
    return [leaf for item in kind.inner for leaf in leaves(item)] if kind.fixed else [kind]


@pytest.mark.parametrize("kind", STRUCTURES, ids=str)
def test_what_is_made_of_items_is_taken_apart_into_them(kind: Kind) -> None:
    ops: list[Op] = []
    value = Value(kind, "t")
    arrived = list(whole(value, kind, all_of_them, ops))
    sent = list(parts(value, kind, all_of_them, ops))
    function = Function("f", [Param(v) for v in arrived], Block([], ops, sent))
    assert [v.kind for v in arrived] == [v.kind for v in sent] == leaves(kind)
    assert len({v.name for v in arrived}) == len(arrived)
    assert forward_items(function)
    assert function.body.yields == arrived
    assert not forward_items(function)


@pytest.mark.parametrize("kind", STRUCTURES, ids=str)
def test_what_one_side_knows_better_stays_known(kind: Kind) -> None:
    ops: list[Op] = []
    vague = kind.mapped(lambda item: item if item.fixed else Kind())
    assert [v.kind for v in parts(Value(kind), vague, all_of_them, ops)] == leaves(kind)
    assert [v.kind for v in whole(Value(kind), vague, all_of_them, ops)] == leaves(kind)


def test_what_the_other_side_alone_knows_is_known_then() -> None:
    ops: list[Op] = []
    for border in (parts, whole):
        value = Value(Kind())
        assert [v.kind for v in border(value, PAIR, all_of_them, ops)] == [FLOAT, INT]
        assert value.kind == PAIR


def test_literals_have_literals_for_items() -> None:
    ops: list[Op] = []
    kind = Tuple((FLOAT, PAIR))
    assert [v.payload for v in parts(Const((1.0, (2.0, 3))), kind, all_of_them, ops) if isinstance(v, Const)] == [1.0, 2.0, 3]
    assert [v.payload for v in parts(Const(None), kind, all_of_them, ops) if isinstance(v, Const)] == [None] * 3
    assert all(isinstance(v, Undef) for v in parts(Undef(), kind, all_of_them, ops))
    assert not ops


def test_others_pass_as_they_are() -> None:
    ops: list[Op] = []
    for kind in (FLOAT, List(FLOAT), PAIR):
        value = Value(kind)
        assert list(parts(value, kind, lambda k: False, ops)) == list(whole(value, kind, lambda k: False, ops)) == [value]
    assert not ops


@pytest.mark.parametrize(("kind", "target"), [
    (PAIR, "builtins.tuple"), (Tuple((FLOAT,), listed=True), "s2sad.items"), (StructKind(("a",), (FLOAT,)), "s2sad.dict"),
    (StructKind(("x", "y"), (FLOAT, FLOAT), Point), "s2sad.runtime.record"),
])  # fmt: skip
def test_what_makes_a_structure(kind: Tuple | StructKind, target: str) -> None:
    items = [Value(item, f"x{k}") for k, item in enumerate(kind.items)]
    like = Value(kind, "like")
    made = made_of(kind, items, "t", like)
    assert made.target == target
    assert made.args[-len(items) :] == items
    verify(Function("f", [*map(Param, (*items, like))], Block([], [made], made.results)), "made")
