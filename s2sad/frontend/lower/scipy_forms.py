"""SciPy's functions and classes that stand for a program over NumPy, and over what has rules: their *forms*.

stats.iqr(x, axis=1)            the call of s2sad.scipy_forms.stats.iqr, whose source is transformed as a user's
CubicSpline(x, y)               an object of s2sad.scipy_forms.interpolate.CubicSpline

A form has the name, the parameters and the result of what it stands for, in the module of that name. Options that it does
not cover are no parameters of it, or annotated with the values that are (``mode: Literal["full"]``): a call with others is
left to SciPy, and refused where it would have to be differentiated.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from s2sad.frontend.entities import Entity, Known
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.foreign import source_and_scope
from s2sad.frontend.lower.inlining import inline
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import dtype_of
from s2sad.ir.nodes import Const, Value

# The modules of forms, with the modules of SciPy of which they have functions.
TOPICS = {
    "integrate": ("scipy.integrate",),
    "interpolate": ("scipy.interpolate",),
    "linalg": ("scipy.linalg",),
    "ndimage": ("scipy.ndimage",),
    "optimize": ("scipy.optimize",),
    "signal": ("scipy.signal",),
    "sparse": ("scipy.sparse.linalg",),
    "spatial": ("scipy.spatial.distance",),
    "stats": ("scipy.stats",),
}
_LINALG = "s2sad.scipy_forms.linalg"


def form_of(payload: Any) -> Any:
    """The form of a live function or class of SciPy, None where there is none."""
    package, _, rest = str(getattr(payload, "__module__", None) or "").partition(".")
    name = getattr(payload, "__name__", None)
    topic = rest.partition(".")[0]
    if package != "scipy" or not isinstance(name, str) or topic not in TOPICS:
        return None
    if not any(getattr(sys.modules.get(owner), name, None) is payload for owner in TOPICS[topic]):
        return None
    return (
        vars(importlib.import_module(f"s2sad.scipy_forms.{topic}")).get(name)
        if name in names(topic)
        else None
    )


@cache
def names(topic: str) -> frozenset[str]:
    """What a module has forms of."""
    return frozenset(importlib.import_module(f"s2sad.scipy_forms.{topic}").__all__)


def form_of_call(payload: Any, args: list[Entity], kwargs: dict[str, Entity]) -> Known | None:
    """The form that a call may be replaced with, None where there is none or it does not cover the arguments."""
    form = form_of(payload)
    if form is None:
        return None
    function = vars(form)["__init__"] if isinstance(form, type) else form
    signature = inspect.signature(form)
    try:
        bound = signature.bind(*args, **kwargs).arguments
    except TypeError:
        return None
    hints = _hints(function)
    covered = all(_allowed(hints.get(p), signature.parameters[p], entity) for p, entity in bound.items())
    if form.__module__ == _LINALG and any(isinstance(e, Value) and dtype_of(e.kind) == "float16" for e in bound.values()):
        return None  # SciPy computes in single precision, and NumPy's functions refuse
    return Known(form, f"{form.__module__}.{form.__name__}") if covered else None


def written_out(
    lw: Lowering, form: Known, args: list[Entity], kwargs: dict[str, Entity], node: Any
) -> Entity:
    """The result of a form, lowered at the place of the call, where literal options are known; an object of a class."""
    if isinstance(form.payload, type):
        return apply(lw, form, args, kwargs, node)
    source, scope = source_and_scope(lw, form.payload)
    return inline(lw, source.node, None, (source, scope, form.payload), args, kwargs, node)


@cache
def _hints(function: Any) -> dict[str, Any]:
    return get_type_hints(function)


def _allowed(hint: Any, parameter: inspect.Parameter, entity: Any) -> bool:
    """Whether an argument is one of the literal values of an annotation; what must be given must not be None."""
    known = isinstance(entity, Const | Known)
    if get_origin(hint) is Literal:
        return known and any(entity.payload is v or entity.payload == v for v in get_args(hint))
    return not (known and entity.payload is None and parameter.default is parameter.empty)
