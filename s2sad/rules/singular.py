"""Functions that are finite where their slope is not: ``sqrt`` at 0, ``arcsin`` at 1, ``arctan2`` at the origin.

There an adjoint (or tangent) that is exactly zero contributes nothing, instead of the NaN that 0 times infinity is (a "strong
zero", as Enzyme calls it). The machinery does that, in both modes: no rule's author sees it.

Where such a function is about, an adjoint (or tangent) may be infinite, and a choice (``maximum``, ``clip``, a product with a
mask) passes nothing of it to what it did not choose: there a share that is exactly zero contributes nothing, either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from s2sad.ir.kinds import Scalar, dtype_of
from s2sad.ir.nodes import Call, Const, Function, Value
from s2sad.ir.walk import ops_of
from s2sad.rules import registry
from s2sad.rules.traits import having


def is_singular(primitive: str, param: str, bound: Mapping[str, Value]) -> bool:
    """Possibility of an infinite slope in ``param`` where the function is finite."""
    if primitive not in having("steep in the base"):
        return primitive in having("steep")
    exponent = bound["y"]
    if isinstance(exponent, Const) and isinstance(exponent.payload, int | float):
        return param == "x" and 0 < exponent.payload < 1
    whole = isinstance(exponent.kind, Scalar) and exponent.kind.is_of("biuc")
    return param == "x" and not whole


def has_steep(functions: Iterable[Function]) -> bool:
    """Presence of calls of functions that are finite where their slope is not, so that adjoints and tangents may be infinite."""
    return any(_is_steep(op) for function in functions for op in ops_of(function.body) if isinstance(op, Call))


def _is_steep(op: Call) -> bool:
    primitive = registry.lookup(op.target) if op.callee is None else None
    if primitive is None or primitive.name not in having("steep") | having("steep in the base"):
        return False
    return is_singular(primitive.name, "x", primitive.bind(op.args, op.kwargs))


def passes_share(primitive: str, param: str, bound: Mapping[str, Value]) -> bool:
    """Test for a parameter that gets what the result gets, times a share: of a choice, or in a product with a mask."""
    if primitive in having("multiplies"):
        return any(dtype_of(value.kind) == "bool" for other, value in bound.items() if other != param)
    return primitive in having("shares")
