"""Refraction, a filter, and a window."""

from s2sad.ir.kinds import UNKNOWN, Array
from s2sad.rules import kind_rules
from s2sad.rules.registry import elementwise, linear, nothing

SCOPE = {"scope": ("tinyoptics", "s2sad_tinyoptics.runtime", "s2sad.runtime", "numpy", "builtins")}
HELPERS = "s2sad_tinyoptics.runtime."


def inner(bound):
    """All but the ends."""
    kind = bound["x"].kind
    sizes = kind.shape if isinstance(kind, Array) else None
    known = sizes is not None and isinstance(sizes[0], int)
    return UNKNOWN if sizes is None else Array(kind.dtype, (max(sizes[0] - 2, 0) if known else None, *sizes[1:]))


elementwise("tinyoptics.refracted(angle, ratio)", angle="g * bending(angle, ratio)", ratio="-g * tan(out) / ratio", facts=SCOPE)
elementwise(
    f"{HELPERS}bending(angle, ratio)",
    angle="g * tan(angle) * out * (out ** 2 - 1)",
    ratio="-g * ratio * out / (ratio ** 2 - sin(angle) ** 2)",
    facts=SCOPE,
)
linear("tinyoptics.blurred(x, weight=0.25)", x="blurred_back(g, weight)", kind=kind_rules.like("x"), facts=SCOPE)
linear(f"{HELPERS}blurred_back(bar, weight)", bar="blurred(g, weight)", kind=kind_rules.like("bar"), facts=SCOPE)
linear("tinyoptics.inner(x) -> view(x)", x="padded(g)", kind=inner, facts=SCOPE)
linear(f"{HELPERS}padded(bar)", bar="inner(g)", facts=SCOPE)
nothing(["tinyoptics.catalogue(name)"], zero=True)
