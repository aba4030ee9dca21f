"""Containers of which no kind tells that they are some: refused where what they hold is differentiated."""

from __future__ import annotations

import pytest

from s2sad import KindError
from s2sad.ad.pairs import derive_adjoint
from s2sad.ad.request import CalleeDerivatives, Request
from s2sad.ad.tangent import derive_tangent
from s2sad.ir.kinds import FLOAT, UNKNOWN, Kind, Tuple
from s2sad.ir.nodes import Block, Call, Const, Function, Param, Value


def program(target: str, kind: Kind, varies: bool) -> Function:
    """``t = (x, 2.0); return t[0] * x``, or of a constant."""
    x, made = Value(FLOAT, "x"), Value(kind, "t")
    leading = [Const(("a", "b"))] if target in ("s2sad.dict", "s2sad.map") else []
    item = Value(FLOAT if kind != UNKNOWN else UNKNOWN, "v")
    out = Value(FLOAT, "y")
    ops = [
        Call(target=target, args=[*leading, x if varies else Const(3.0), Const(2.0)], results=[made]),
        Call(target="operator.getitem", args=[made, Const("a" if leading else 0)], results=[item]),
        Call(target="operator.mul", args=[item, x], results=[out]),
    ]
    return Function("f", [Param(x)], Block([], [*ops], [out]))  # type: ignore[list-item]


def family() -> CalleeDerivatives:
    """Of a function that calls nobody."""
    return CalleeDerivatives(lambda *_: None)


@pytest.mark.parametrize("target", ["builtins.tuple", "s2sad.items", "s2sad.dict", "s2sad.map", "builtins.list"])
@pytest.mark.parametrize("derive", [derive_tangent, derive_adjoint])
def test_refused(target: str, derive: object) -> None:
    with pytest.raises(KindError, match="what t consists of is not known"):
        derive(program(target, UNKNOWN, True), Request(("x",)), family(), "g")  # type: ignore[operator]


@pytest.mark.parametrize("derive", [derive_tangent, derive_adjoint])
def test_of_constants_and_of_known_kinds_not(derive: object) -> None:
    derive(program("builtins.tuple", UNKNOWN, False), Request(("x",)), family(), "g")  # type: ignore[operator]
    derive(program("builtins.tuple", Tuple((FLOAT, FLOAT)), True), Request(("x",)), family(), "g")  # type: ignore[operator]
