"""``scipy.interpolate``: splines with constant knots and values, as functions of the place.

The front end writes the call of a spline as ``spline_value(spline, x)``, and the forms of ``splev`` and ``bisplev`` call
``tck_value`` and ``surface_value``, so that their derivatives have names.
"""

from __future__ import annotations

from s2sad.ir.kinds import Array, Kind, Scalar
from s2sad.libraries.scipy.rules.names import no_slope, scope
from s2sad.rules.kind_arrays import array_kind
from s2sad.rules.kind_rules import Bound, shape_of
from s2sad.rules.registry import elementwise


def _values(bound: Bound) -> Kind:
    """An array, of a number one without axes."""
    kind = array_kind(bound["x"].kind)
    return Array("float64", shape_of(kind)) if isinstance(kind, Scalar | Array) else Kind()


NUMBER = Scalar(types=frozenset([("float64", False)]))  # of NumPy
CONSTANT = no_slope("tck", "the derivative of a spline by its knots and coefficients is not written")


elementwise(
    "s2sad.libraries.scipy.runtime.spline_value(spline, x, nu=0)",
    x="g * spline_value(spline, x, nu + 1)",
    kind=_values,
    facts=scope("scipy.interpolate"),
)
elementwise(
    "s2sad.libraries.scipy.runtime.tck_value(x, tck, der=0, ext=0)",
    x="g * tck_slope(x, tck, der + 1, ext)",
    tck=CONSTANT,
    kind=_values,
    facts=scope("scipy.interpolate"),
)
elementwise(
    "s2sad.libraries.scipy.runtime.tck_slope(x, tck, der, ext=0)",
    x="g * tck_slope(x, tck, der + 1, ext)",
    tck=CONSTANT,
    kind=_values,
    facts=scope("scipy.interpolate"),
)
elementwise(
    "s2sad.libraries.scipy.runtime.surface_value(x, y, tck)",
    x="g * surface_slope(x, y, tck, 1, 0)",
    y="g * surface_slope(x, y, tck, 0, 1)",
    tck=CONSTANT,
    kind=lambda _: NUMBER,
    facts=scope("scipy.interpolate"),
)
elementwise(
    "s2sad.libraries.scipy.runtime.surface_slope(x, y, tck, dx, dy)",
    x="g * surface_slope(x, y, tck, dx + 1, dy)",
    y="g * surface_slope(x, y, tck, dx, dy + 1)",
    tck=CONSTANT,
    kind=lambda _: NUMBER,
    facts=scope("scipy.interpolate"),
)
