"""The functions of ``cmath``, on Python's complex numbers; formulas use ``cmath`` too.

All but ``phase`` are analytic: one complex derivative serves both modes (the machinery's convention for complex numbers
is that of ``rules/CONVENTIONS.md``), and a real argument gets the real part.
"""

from __future__ import annotations

from s2sad.ir.kinds import BOOL, COMPLEX, FLOAT
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import field_of, literal, written
from s2sad.rules.kind_rules import always
from s2sad.rules.language import Partial
from s2sad.rules.registry import elementwise, general, nothing

FACTS = {"scope": ("cmath", "s2sad.runtime", "numpy", "builtins")}


def analytic(head: str, **partials: Partial) -> None:
    """A function of complex numbers to a Python complex."""
    elementwise(f"cmath.{head}", kind=always(COMPLEX), facts=FACTS, **partials)


# --- powers, exponentials and logarithms

analytic("sqrt(z)", z="0.5 * g / out")
analytic("exp(z)", z="g * out")
analytic(
    "log(z, base=None)",
    z=written(lambda app: "g / z" if literal(app, "base") is None else None, "g / z / log(base)"),
    base="-g * out / base / log(base)",
)
analytic("log10(z)", z="g / z / log(10.0)")

# --- trigonometric and hyperbolic

analytic("sin(z)", z="g * cos(z)")
analytic("cos(z)", z="-g * sin(z)")
analytic("tan(z)", z="g * (1 + out ** 2)")
analytic("asin(z)", z="g / cos(out)")
analytic("acos(z)", z="-g / sin(out)")
analytic("atan(z)", z="g / (1 + z ** 2)")
analytic("sinh(z)", z="g * cosh(z)")
analytic("cosh(z)", z="g * sinh(z)")
analytic("tanh(z)", z="g * sech2(z)")
analytic("asinh(z)", z="g / cosh(out)")
analytic("acosh(z)", z="g / sinh(out)")
analytic("atanh(z)", z="g / (1 - z ** 2)")

# --- polar coordinates


def _phase_pull(app: Application) -> str:
    return "-1j * divide(g, z)" if field_of(app, "z") == "complex" else "unbroadcast(-1j * divide(g, z), z)"


general(
    "cmath.phase(z)",
    push={"z": "imag(divide(g, z))"},
    pull={"z": written(_phase_pull)},
    kind=always(FLOAT),
    facts=FACTS,
)
analytic("rect(r, phi)", r="g * (numpy.cos(phi) + 1j * numpy.sin(phi))", phi="1j * g * out")

# --- questions

nothing(["cmath.isnan(z)", "cmath.isinf(z)", "cmath.isfinite(z)"], kind=always(BOOL), zero=True, cheap=True)
nothing(["cmath.isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0)"], kind=always(BOOL), zero=True)
