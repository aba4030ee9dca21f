"""Facts about functions that are called are kept as long as nothing changes, and no longer: at whatever depth it changes.

For a time functions may be settled: they are not looked at again, and those that are not, or that take part in a recursion, are.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from s2sad.analysis import editions
from s2sad.analysis.alias import Aliases, facts, returns_parameters, writes_parameters
from s2sad.analysis.editions import Search, Settled, in_turn, lasting, settled
from s2sad.errors import CompilerError
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import FLOAT, Array, Tuple
from s2sad.ir.nodes import Block, Call, Function, If, Param, Value
from s2sad.rules import registry
from s2sad.rules.user import rule

VECTOR = Array("float64", (None,))


def function(name: str, callee: Function | None) -> Function:
    """``out = callee(a, b)``, or a sum where nothing is called, in a branch."""
    a, b, asked = Value(VECTOR, "a"), Value(VECTOR, "b"), Value(FLOAT, "asked")
    op = If([Value(VECTOR, "out")], cond=asked)
    for block in op.blocks():
        build = Builder(block, registry.infer)
        block.yields = [build.call("numpy.add", a, b)] if callee is None else build.call_function(callee, [a, b, asked], [VECTOR])
    return Function(name, [Param(a), Param(b), Param(asked)], Block([], [op], list(op.results)))


def arm(called: Function) -> Block:
    branch = called.body.ops[-1]
    assert isinstance(branch, If)
    return branch.then


def stores(called: Function) -> None:
    Builder(called.body, registry.infer).call("operator.setitem", called.values[0], 0, 1.0)
    called.body.ops.reverse()


def stores_in_an_arm(called: Function) -> None:
    Builder(arm(called), registry.infer).call("operator.setitem", called.values[1], 0, 1.0)


def returns_what_it_is_given(called: Function) -> None:
    called.body.yields = [called.values[0]]


def returns_it_from_an_arm(called: Function) -> None:
    arm(called).yields = [called.values[1]]


def calls_what_writes(called: Function) -> None:
    writer = function("writer", None)
    stores(writer)
    Builder(called.body, registry.infer).call_function(writer, called.values, [VECTOR])
    called.body.ops.reverse()


def writes_by_another_primitive(called: Function) -> None:
    op = Builder(arm(called), registry.infer).call("numpy.negative", called.values[0])
    call = arm(called).ops[-1]
    assert isinstance(call, Call) and call.results == [op]
    call.kwargs["out"] = called.values[0]


def is_said_to_write(called: Function) -> None:
    called.writes = frozenset({0})


CHANGES = (
    stores, stores_in_an_arm, returns_what_it_is_given, returns_it_from_an_arm, calls_what_writes, writes_by_another_primitive,
    is_said_to_write,
)  # fmt: skip


@pytest.mark.parametrize("depth", [0, 1, 3])
@pytest.mark.parametrize("change", CHANGES)
def test_facts_are_found_again_where_something_changed(change: Callable[[Function], None], depth: int) -> None:
    inner = outer = function("inner", None)
    for k in range(depth):
        outer = function(f"outer{k}", outer)
    before = facts(outer)
    assert facts(outer) is before
    assert not writes_parameters(outer) and not returns_parameters(outer)
    if depth or change is not is_said_to_write:
        change(inner)
        assert facts(outer) is not before
        assert writes_parameters(outer) or returns_parameters(outer)
        assert facts(outer).written_parameters() == Aliases(outer, split=True).written_parameters()


def test_kinds_belong_to_what_is_known() -> None:
    inner = function("inner", None)
    outer = function("outer", inner)
    before = facts(outer)
    inner.values[0].kind = Tuple((VECTOR,))
    assert facts(outer) is not before


def test_rules_belong_to_what_is_known() -> None:
    outer = function("outer", function("inner", None))
    before = facts(outer)

    @rule(x="g")
    def added_later(x: float) -> float:
        return float(np.sin(x))

    assert facts(outer) is not before


def test_what_happens_to_functions_that_are_not_called_changes_nothing() -> None:
    inner = function("inner", None)
    first, second = function("first", inner), function("second", inner)
    before = facts(first)
    stores(second)
    assert facts(first) is before and writes_parameters(second)


def test_recursion_is_followed() -> None:
    inner = function("inner", None)
    outer = function("outer", inner)
    stores_in_an_arm(inner)
    Builder(arm(inner), registry.infer).call_function(outer, inner.values, [VECTOR])
    assert writes_parameters(outer) and writes_parameters(inner)
    assert facts(outer) is facts(outer)


def test_tapes_of_tapes_are_told_apart_up_to_a_bound() -> None:
    """What is written deep in a structure that a call gives counts as written for all of it, and for nothing else."""
    made = Value(VECTOR, "a")
    build = Builder(Block(), registry.infer)
    items = [made]
    for _ in range(6):
        pairs = [build.call("builtins.tuple", item, build.call("numpy.copy", made)) for item in items]
        items = [*pairs, *(build.call("builtins.tuple", pair, build.call("numpy.copy", made)) for pair in pairs)][:40]
    whole = build.call("builtins.tuple", *items)
    build.block.yields = [whole]
    called = Function("called", [Param(made)], build.block)
    given, other = Value(VECTOR, "given"), Value(VECTOR, "other")
    outer = Builder(Block(), registry.infer)
    (tape,) = outer.call_function(called, [given], [whole.kind])
    kind = whole.kind
    item = tape
    while isinstance(kind, Tuple):
        item, kind = outer.call("operator.getitem", item, 0), kind.items[0]
        item.kind = kind
    outer.call("operator.setitem", item, 0, 1.0)
    outer.block.yields = [item]
    found = Aliases(Function("outer", [Param(given), Param(other)], outer.block))
    assert found.written_parameters() == {0}
    assert not found.mutable(other)


# --- settled functions


def chain(count: int) -> list[Function]:
    """Functions each of which calls the one before."""
    found = [function("f0", None)]
    for k in range(1, count):
        found.append(function(f"f{k}", found[-1]))
    return found


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[Function]:
    """The functions that are looked at, one after the other."""
    found: list[Function] = []
    content = editions._content

    def counted(looked: Function) -> tuple[list[object], tuple[Function, ...]]:
        found.append(looked)
        return content(looked)

    monkeypatch.setattr(editions, "_content", counted)
    monkeypatch.delenv("S2SAD_VERIFY", raising=False)
    return found


def test_settled_functions_are_looked_at_once(looks: list[Function]) -> None:
    functions = chain(30)
    with settled(functions):
        for _ in range(3):
            for each in functions:
                assert not writes_parameters(each)
    assert len(looks) == len(functions)


def test_facts_about_a_chain_look_at_each_function_once(looks: list[Function]) -> None:
    functions = chain(30)
    facts(functions[-1])
    assert len(looks) == len(functions)


def test_functions_that_are_changed_in_turn_are_looked_at_once_more_each(looks: list[Function]) -> None:
    functions = chain(30)
    for each in in_turn(functions):
        stores(each)
        assert writes_parameters(each)
    assert len(looks) <= 2 * len(functions)
    assert facts(functions[-1]).written_parameters() == {0}


def test_a_function_may_change_again_once_the_time_is_over() -> None:
    inner, outer = chain(2)
    with settled([outer]):
        assert lasting(outer) is not None and lasting(inner) is not None and not writes_parameters(outer)
    assert lasting(outer) is None
    stores_in_an_arm(inner)
    assert writes_parameters(outer)
    with settled([outer]):
        assert writes_parameters(outer)


def test_a_time_that_begins_anew_finds_what_has_changed() -> None:
    inner, outer = chain(2)
    with settled([outer]) as time:
        assert not writes_parameters(outer)
        is_said_to_write(inner)
        time.renew()
        assert writes_parameters(outer)


def test_what_calls_itself_does_not_last_nor_what_calls_that() -> None:
    inner, outer, above = chain(3)
    Builder(arm(inner), registry.infer).call_function(outer, inner.values, [VECTOR])
    with settled([above]):
        assert all(lasting(each) is None for each in (inner, outer, above))
        assert not writes_parameters(above)


def test_what_calls_an_unfinished_function_does_not_last() -> None:
    inner, outer = chain(2)
    with settled() as time:
        time.add([outer], {inner})
        assert lasting(outer) is None and not writes_parameters(outer)
        stores_in_an_arm(inner)
        assert writes_parameters(outer)


def test_what_lasts_for_a_shorter_time_lets_nothing_last_for_a_longer_one() -> None:
    inner, outer = chain(2)
    with settled() as longer:
        longer.add([outer], {inner})
        with settled([inner]):
            assert lasting(inner) is not None and lasting(outer) is None
        stores_in_an_arm(inner)
        assert writes_parameters(outer)


def test_a_time_ends_where_something_is_raised() -> None:
    functions = chain(3)
    with pytest.raises(ZeroDivisionError):
        _ = [1 / 0 for _ in in_turn(functions)]
    with pytest.raises(ZeroDivisionError), settled(functions):
        raise ZeroDivisionError
    assert all(each.settled is None for each in functions)


@pytest.mark.parametrize("change", CHANGES)
def test_settled_functions_that_change_are_found(change: Callable[[Function], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_VERIFY", "1")
    inner, outer = chain(2)
    with pytest.raises(CompilerError, match="settled"), settled([outer]):
        change(inner)


def test_a_call_is_found_wherever_it_stands() -> None:
    functions = chain(4)
    stores(functions[1])
    sought = Search(lambda op: op.target == "operator.setitem")
    with settled(functions[:3]):
        assert [sought(each) for each in functions] == [False, True, True, True]
    recursive = function("recursive", None)
    Builder(arm(recursive), registry.infer).call_function(recursive, recursive.values, [VECTOR])
    assert not sought(recursive)
    Builder(arm(recursive), registry.infer).call_function(functions[2], recursive.values, [VECTOR])
    assert Search(lambda op: op.target == "operator.setitem")(recursive)


def test_of_two_times_the_first_to_begin_is_the_last_to_end() -> None:
    assert Settled().begun < Settled().begun
