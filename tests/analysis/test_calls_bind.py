"""A call binds together what the function shares, and opens no container for anything else."""

from __future__ import annotations

from s2sad.analysis.alias import Aliases
from s2sad.analysis.containers import ITEM
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import Array, Tuple
from s2sad.ir.nodes import Block, Function, Param, Value
from s2sad.rules import registry

VECTOR = Array("float64", (None,))
PAIR = Tuple((VECTOR, VECTOR))
HELD = Tuple((PAIR, PAIR, VECTOR))


def started(name: str, **kinds: Array | Tuple) -> tuple[Function, Builder]:
    function = Function(name, [Param(Value(kind, key)) for key, kind in kinds.items()], Block())
    return function, Builder(function.body, registry.infer)


def maker() -> Function:
    """``return ((copy(a), copy(a)), (copy(a), a), copy(a))``."""
    function, build = started("maker", a=VECTOR)
    (a,) = function.values
    first, second, third, fourth = (build.call("numpy.copy", a) for _ in range(4))
    pairs = [build.call("builtins.tuple", first, second), build.call("builtins.tuple", third, a)]
    function.body.yields = [build.call("builtins.tuple", *pairs, fourth)]
    return function


def filler() -> Function:
    """``held[0][1][...] = 0.0``."""
    function, build = started("filler", held=HELD)
    pair = build.call("operator.getitem", function.values[0], 0)
    build.call("operator.setitem", build.call("operator.getitem", pair, 1), ..., 0.0)
    function.body.yields = [pair]
    return function


def test_what_shares_nothing_is_not_opened() -> None:
    function, build = started("caller", a=VECTOR)
    (held,) = build.call_function(maker(), function.values, [HELD])
    function.body.yields = [held]
    aliases = Aliases(function)
    opened = aliases.node(held).fields
    assert [*opened] == [1]
    assert [*opened[1].find().fields] == [1]
    assert opened[1].find().fields[1].find() is aliases.node(function.values[0])
    assert ITEM not in opened


def test_what_is_taken_out_has_a_class_of_its_own() -> None:
    function, build = started("caller", a=VECTOR)
    (held,) = build.call_function(maker(), function.values, [HELD])
    pair = build.call("operator.getitem", held, 0)
    items = [build.call("operator.getitem", pair, k) for k in (0, 1)]
    again = build.call("operator.getitem", build.call("operator.getitem", held, 0), 1)
    build.call("operator.setitem", items[1], 0, 1.0)
    function.body.yields = [held]
    aliases = Aliases(function)
    assert aliases.mutable(items[1])
    assert aliases.node(again) is aliases.node(items[1])
    assert not aliases.mutable(items[0])
    assert aliases.holds_written(held)
    assert not aliases.mutable(function.values[0])


def test_what_another_call_writes_is_found() -> None:
    function, build = started("caller", a=VECTOR)
    (held,) = build.call_function(maker(), function.values, [HELD])
    build.call_function(filler(), [held], [PAIR])
    pair = build.call("operator.getitem", held, 0)
    items = [build.call("operator.getitem", pair, k) for k in (0, 1)]
    function.body.yields = [*items]
    aliases = Aliases(function)
    assert [aliases.mutable(item) for item in items] == [False, True]
    assert aliases.holds_written(held)
    assert not aliases.mutable(function.values[0])
