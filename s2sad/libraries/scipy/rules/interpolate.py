"""``scipy.interpolate``: splines with constant knots and values, as functions of the place.

The front end writes the call of a spline as ``spline_value(spline, x)``, so that its derivatives have a name.
"""

from __future__ import annotations

from s2sad.ir.kinds import Array, Kind, Scalar
from s2sad.libraries.scipy.rules.names import scope
from s2sad.rules.kind_arrays import array_kind
from s2sad.rules.kind_rules import Bound, shape_of
from s2sad.rules.registry import elementwise


def _values(bound: Bound) -> Kind:
    """An array, of a number one without axes."""
    kind = array_kind(bound["x"].kind)
    return Array("float64", shape_of(kind)) if isinstance(kind, Scalar | Array) else Kind()


elementwise(
    "s2sad.libraries.scipy.runtime.spline_value(spline, x, nu=0)",
    x="g * spline_value(spline, x, nu + 1)",
    kind=_values,
    facts=scope("scipy.interpolate"),
)
