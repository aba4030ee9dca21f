"""The names in the tables of SciPy: where formulas look for them, and parameters without a formula.

No table imports SciPy: kinds ask the modules that the user's program has imported. Generated programs call SciPy's own
functions, those of NumPy, and the helpers in ``s2sad.libraries.scipy.runtime``.
"""

from __future__ import annotations

from typing import Any

from s2sad.ir.kinds import dtype_of
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import Written, refuse, written
from s2sad.rules.kind_arrays import ufunc
from s2sad.rules.language import Partial
from s2sad.rules.registry import elementwise

HELPERS = "s2sad.libraries.scipy.runtime."
OURS = (HELPERS.removesuffix("."), "s2sad.runtime", "numpy", "builtins")


def scope(module: str, **facts: Any) -> dict[str, Any]:
    """The facts of a primitive whose formulas mention functions of a module of SciPy by their plain names."""
    return {"scope": (module, *OURS), **facts}


SPECIAL = scope("scipy.special")


def smooth(head: str, **partials: Partial) -> None:
    """A ufunc of ``scipy.special``, by its own table of dtypes."""
    name = head.partition("(")[0]
    elementwise(f"scipy.special.{head}", kind=ufunc(name, "scipy.special"), facts=SPECIAL, **partials)


def no_slope(param: str, why: str = "", instead: str = "") -> Written:
    """A parameter in which the function varies, though nobody knows how: it must be constant."""

    def write(app: Application) -> None:
        refuse(
            app,
            f"with respect to {param}",
            why or "no closed form of that derivative is known",
            instead
            or f"a {param} that does not depend on the variables of differentiation, or a rule of your own (s2sad.rule)",
        )

    return written(write)


def of_whole(param: str, formula: str) -> Written:
    """A formula of an order that SciPy takes for a whole number: of others it drops the fraction."""

    def write(app: Application) -> str:
        whole = (dtype_of(app.kind(param)) or "float")[0] in "biu"
        return formula.replace("{" + param + "}", param if whole else f"trunc({param})")

    return written(write)


def real_only(param: str, formula: str) -> Written:
    """A formula that holds for real arguments alone."""

    def write(app: Application) -> str:
        if "complex" in (getattr(app.kind(param), "dtype", None) or ""):
            refuse(app, "of complex numbers", "its formula is known for real ones", "real arguments")
        return formula

    return written(write)
