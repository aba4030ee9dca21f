"""Functions that are finite where their slope is not: ``sqrt`` at 0, ``arcsin`` at 1, ``arctan2`` at the origin.

There an adjoint (or tangent) that is exactly zero contributes nothing, instead of the NaN that 0 times infinity is (a "strong
zero", as Enzyme calls it). The machinery does that, in both modes: no rule's author sees it.
"""

from __future__ import annotations

from collections.abc import Mapping

from s2sad.ir.kinds import Scalar
from s2sad.ir.nodes import Const, Value
from s2sad.rules.traits import having


def is_singular(primitive: str, param: str, bound: Mapping[str, Value]) -> bool:
    """Whether the slope in ``param`` may be infinite where the function is finite."""
    if primitive not in having("steep in the base"):
        return primitive in having("steep")
    exponent = bound["y"]
    if isinstance(exponent, Const) and isinstance(exponent.payload, int | float):
        return param == "x" and 0 < exponent.payload < 1
    whole = isinstance(exponent.kind, Scalar) and not exponent.kind.dtype.startswith("float")
    return param == "x" and not whole
