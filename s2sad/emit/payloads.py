"""Python objects written down: as literals where Python has them, else as calls (``np.float32(0.5)``)."""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from s2sad.emit.bindings import Bindings
from s2sad.emit.outside import Outside
from s2sad.ir.nodes import Made


def literal(payload: Any, bindings: Bindings) -> gast.expr:
    """The expression for an object that can be written down."""
    if isinstance(payload, tuple):
        return gast.Tuple([literal(item, bindings) for item in payload], gast.Load())
    if isinstance(payload, list):
        return gast.List([literal(item, bindings) for item in payload], gast.Load())
    if isinstance(payload, dict):
        return gast.Dict([literal(key, bindings) for key in payload], [literal(item, bindings) for item in payload.values()])
    if isinstance(payload, slice):
        parts = (payload.start, payload.stop, payload.step)
        return call(bindings.expression(Outside("builtin", "slice")), [literal(p, bindings) for p in parts])
    if isinstance(payload, frozenset):
        items = literal(tuple(sorted(payload, key=repr)), bindings)
        return call(bindings.expression(Outside("builtin", "frozenset")), [items])
    if isinstance(payload, Made):
        kwargs = {key: literal(value, bindings) for key, value in payload.kwargs}
        return call(_numpy(bindings, payload.function), [literal(a, bindings) for a in payload.args], kwargs)
    if isinstance(payload, np.dtype):
        return call(_numpy(bindings, "dtype"), [constant(payload.name)])
    if isinstance(payload, np.generic):
        return call(_numpy(bindings, type(payload).__name__), [literal(payload.item(), bindings)])
    if isinstance(payload, complex):
        return _complex(payload, bindings)
    if isinstance(payload, int | float) and not isinstance(payload, bool):
        return _real(payload, bindings)
    return constant(payload)


def _real(number: float, bindings: Bindings) -> gast.expr:
    if str(number).startswith("-"):
        return gast.UnaryOp(gast.USub(), _real(-number, bindings))
    if number != number:
        return _numpy(bindings, "nan")
    return _numpy(bindings, "inf") if number == float("inf") else constant(number)


def _complex(number: complex, bindings: Bindings) -> gast.expr:
    if str(number.real) == "0.0" and not str(number.imag).startswith("-") and number.imag < float("inf"):
        return constant(complex(0.0, number.imag))
    parts = [_real(number.real, bindings), _real(number.imag, bindings)]
    return call(bindings.expression(Outside("builtin", "complex")), parts)


def _numpy(bindings: Bindings, attribute: str) -> gast.expr:
    return bindings.expression(Outside("module", "numpy", (attribute,)))


def constant(payload: object) -> gast.Constant:
    """A literal as it is."""
    return gast.Constant(payload, None)


def call(function: gast.expr, args: list[gast.expr], kwargs: dict[str, gast.expr] | None = None) -> gast.Call:
    """A call."""
    keywords = [gast.keyword(key, value) for key, value in (kwargs or {}).items()]
    return gast.Call(function, args, keywords)
