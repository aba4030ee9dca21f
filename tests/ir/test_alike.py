"""Functions that are the same but for names and places have one form; all others have others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from s2sad.facts.kinds import FLOAT, Array, Kind
from s2sad.ir.alike import form_of
from s2sad.ir.builder import Builder
from s2sad.ir.nodes import Block, Call, Const, Function, Global, If, Param, Value
from s2sad.rules import registry

Body = Callable[[Builder, Value], Value]


def _function(body: Body, name: str = "f", kind: Kind = FLOAT) -> Function:
    x, block = Value(kind, "x"), Block()
    block.yields = [body(Builder(block, registry.infer), x)]
    return Function(name, [Param(x)], block)


def _sine(b: Builder, x: Value, name: str = "y", by: float = 2.0) -> Value:
    return b.call("operator.mul", b.call("numpy.sin", x, name=name), Const(by))


def _global(b: Builder, x: Value, live: object) -> Value:
    return b.call("operator.mul", x, Global("w", Array("float64", (2,)), live, resolved=True))


def _branch(b: Builder, x: Value, other: float) -> Value:
    op = If(cond=b.call("operator.gt", x, Const(0.0)), results=[Value(FLOAT)])
    op.then.yields, op.orelse.yields = [x], [Const(other)]
    b.append(op)
    return op.result


def _called(b: Builder, x: Value, by: float) -> Value:
    op = Call(target="g", args=[x], results=[Value(FLOAT)], callee=_function(lambda c, v: _sine(c, v, by=by), "g"))
    b.append(op)
    return op.result


W, V = np.ones(2), np.ones(2)
DIFFERENT: dict[str, tuple[Body, Body]] = {
    "another constant": (_sine, lambda b, x: _sine(b, x, by=3.0)),
    "an integer": (_sine, lambda b, x: _sine(b, x, by=2)),
    "the sign of zero": (lambda b, x: _sine(b, x, by=0.0), lambda b, x: _sine(b, x, by=-0.0)),
    "another object of one name": (lambda b, x: _global(b, x, W), lambda b, x: _global(b, x, V)),
    "another order": (lambda b, x: b.call("operator.sub", x, Const(1.0)), lambda b, x: b.call("operator.sub", Const(1.0), x)),
    "another path": (lambda b, x: _branch(b, x, 0.0), lambda b, x: _branch(b, x, 1.0)),
    "another function behind the name": (lambda b, x: _called(b, x, 1.0), lambda b, x: _called(b, x, 2.0)),
}


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT)
def test_what_differs(one: Body, other: Body) -> None:
    assert form_of(_function(one)) == form_of(_function(one, "another"))
    assert form_of(_function(one)) != form_of(_function(other))


def test_names_of_variables_say_nothing() -> None:
    assert form_of(_function(_sine)) == form_of(_function(lambda b, x: _sine(b, x, "z")))


def test_kinds_of_parameters_say_something() -> None:
    assert form_of(_function(_sine)) != form_of(_function(_sine, kind=Array("float64", (None,))))
