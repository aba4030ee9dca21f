"""How operations on dicts with computed keys are differentiated: a dict of tangents, or of adjoints, beside each.

The tangent has the keys of the dict. The dict of adjoints has those to which something is due; what is missing counts as
zero, so that it need not be filled, and a key that comes to hold a value of another shape does no harm::

    hs[t] = f(hs[t - 1])       ==>     h_bar = hs_bar.pop(t, 0.0)
                                       hs_bar[t - 1] = hs_bar.get(t - 1, 0.0) + h_bar * df
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from s2sad.ir.kinds import UNKNOWN, Scalar, StructKind, Tuple
from s2sad.ir.nodes import Call, Const, Value

if TYPE_CHECKING:
    from s2sad.ad.adjoint import Adjoint
    from s2sad.ad.tangent import Tangent

MAKE = "s2sad.map"


# --- tangent


def _tangent_map(sweep: Tangent, op: Call) -> None:
    sweep.builder.append(op)
    if sweep.active(op.result):
        dot = sweep.builder.call(MAKE, op.args[0], *map(sweep.dot, op.args[1:]))
        dot.kind = op.result.kind
        sweep.bind(op.result, dot)


def _tangent_taken(sweep: Tangent, op: Call) -> None:
    """``get``, ``pop`` and ``take_out``: the same of the tangents; a default that is a literal has none."""
    sweep.builder.append(op)
    if not sweep.active(op.args[0]):
        return
    default = [_default_dot(v) for v in op.args[2:]]
    dot = sweep.builder.call(op.target, sweep.dot(op.args[0]), op.args[1], *default)
    dot.kind = op.result.kind
    if sweep.active(op.result):
        sweep.bind(op.result, dot)


def _default_dot(value: Value) -> Value:
    number = isinstance(value, Const) and value.payload is not None
    return Const(0.0) if number else value


TANGENT: dict[str, Callable[[Tangent, Call], None]] = {
    MAKE: _tangent_map,
    "dict.get": _tangent_taken,
    "dict.pop": _tangent_taken,
    "s2sad.runtime.take_out": _tangent_taken,
}


# --- adjoint


def add(sweep: Adjoint, items: Value, key: Value, g: Value) -> None:
    """Add to what is due to an item."""
    place, shadow = sweep.primal(key), sweep.shadow(items)
    structured = isinstance(g.kind, Tuple | StructKind) or g.kind == UNKNOWN
    old = sweep.builder.call("dict.get", shadow, place, Const(None if structured else 0.0))
    old.kind = g.kind
    total = sweep.builder.call("s2sad.runtime.add" if structured else "operator.add", old, g)
    sweep.builder.call("operator.setitem", shadow, place, total)


def take(sweep: Adjoint, shadow: Value, place: Value, value: Value) -> Value:
    """Take out what is due to ``value``, which was stored under a key: before it, another value was there, or none."""
    if isinstance(value.kind, Scalar):
        g = sweep.builder.call("dict.pop", shadow, place, Const(0.0))
    else:
        g = sweep.builder.call("s2sad.runtime.take_out", shadow, place, sweep.primal(value))
    g.kind = value.kind
    return g


def adjoint_store(sweep: Adjoint, op: Call) -> None:
    """``items[key] = value``."""
    items, key, value = op.args
    if not sweep.active(items):
        sweep.restore(op)
        return
    shadow, place = sweep.shadow(items), sweep.primal(key)
    if op in sweep.replaced:  # the shadow that stood here comes back, or None
        sweep.builder.call("operator.setitem", shadow, place, sweep.primal(sweep.replaced[op]))
        sweep.restore(op)
        return
    g: Value | None = None
    if sweep.active(value):
        g = take(sweep, shadow, place, value)
    else:
        sweep.builder.call("dict.pop", shadow, place, Const(None))
    sweep.restore(op)
    if g is not None:
        sweep.accumulate(value, g)


def adjoint_added(sweep: Adjoint, op: Call, negated: bool) -> None:
    """``items[key] += value`` of numbers."""
    items, key, value = op.args
    if sweep.active(items) and sweep.active(value):
        g = sweep.builder.call("dict.get", sweep.shadow(items), sweep.primal(key), Const(0.0))
        g.kind = value.kind
        sweep.accumulate(value, sweep.builder.call("operator.neg", g) if negated else g)
    sweep.restore(op)


def _adjoint_get(sweep: Adjoint, op: Call) -> None:
    if sweep.in_memory(op.result):  # its shadow is the item's
        return
    g = sweep.take(op.result)
    if g is not None and sweep.active(op.args[0]):
        add(sweep, op.args[0], op.args[1], g)


def _adjoint_pop(sweep: Adjoint, op: Call) -> None:
    """The item is there again, and what is due to it is what is due to the result."""
    items, key = op.args[:2]
    if not sweep.active(items):
        return
    in_memory = sweep.in_memory(op.result)
    g = sweep.shadow(op.result) if in_memory else sweep.take(op.result)
    shadow, place = sweep.shadow(items), sweep.primal(key)
    if g is None:
        sweep.builder.call("dict.pop", shadow, place, Const(None))
    else:
        sweep.builder.call("operator.setitem", shadow, place, g)


def _adjoint_map(sweep: Adjoint, op: Call) -> None:
    keys, *items = op.args
    if not sweep.active(op.result) or not sweep.has_shadow(op.result) or not isinstance(keys, Const):
        return
    for key, item in zip(keys.payload, items, strict=True):
        if sweep.active(item) and not sweep.in_memory(item):
            sweep.accumulate(item, take(sweep, sweep.shadow(op.result), Const(key), item))


ADJOINT: dict[str, Callable[[Adjoint, Call], None]] = {
    MAKE: _adjoint_map,
    "dict.get": _adjoint_get,
    "dict.pop": _adjoint_pop,
    "s2sad.runtime.take_out": _adjoint_pop,
}
