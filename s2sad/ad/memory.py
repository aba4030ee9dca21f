"""Derivatives of operations on memory: moves between buffers and their tangents or shadows.

Reverse, for ``a[w] = v`` (in this order)::

    v_bar = a_bar[w].copy()     # read: what is below may touch this window
    a_bar[w] = 0.0              # the old contents did not flow past this store
    a[w] = a_tape.pop()         # only if the reverse sweep still reads the old contents
    ...                         # v_bar goes on into the operands of v

Containers have a room of their own (``ad.containers``); the tables are for arrays, by the canonical names of ``rules.buffers``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from s2sad.ad import containers
from s2sad.ad.request import derivative_of
from s2sad.analysis.views import is_unsure, view_base, writes_items
from s2sad.ir.kinds import UNKNOWN, Array, List, Scalar, Slice, Tuple, equal_sizes, index_parts, rank_of
from s2sad.ir.nodes import Call, Const, Value
from s2sad.rules.application import typed
from s2sad.rules.containers import WRITES, move_of
from s2sad.rules.language import Derivative
from s2sad.rules.traits import having, spelled

if TYPE_CHECKING:
    from s2sad.ad.adjoint import Adjoint
    from s2sad.ad.tangent import Tangent

# --- tangent


def _tangent_flat(sweep: Tangent, op: Call) -> None:
    """``a.flat`` writes through, and is no array: that of the tangent does the same for the tangent."""
    sweep.builder.append(op)
    if sweep.active(op.result):
        sweep.bind(op.result, sweep.builder.call(op.target, sweep.dot(op.args[0])))


def _tangent_added_items(sweep: Tangent, op: Call) -> None:
    sweep.builder.append(op)
    if sweep.active(op.result):
        dot = sweep.builder.call(op.target, sweep.dot(op.args[0]), *op.args[1:])
        dot.kind = op.result.kind
        sweep.bind(op.result, dot)


TANGENT: dict[str, Callable[[Tangent, Call], None]] = {
    "s2sad.runtime.added_items": _tangent_added_items,
    "ndarray.flat": _tangent_flat,
}


def tangent_of(op: Call) -> Callable[[Tangent, Call], None] | None:
    """The differentiation of an operation on memory or containers in forward mode."""
    return TANGENT.get(op.target) or (containers.tangent if move_of(op) is not None else None)


# --- adjoint


def gathers(op: Call) -> bool:
    """Test for a subscript whose index is an array (or list) that may name a cell more than once."""
    return any(map(_repeats, index_parts(op.args[1].kind)))


def _repeats(kind: object) -> bool:
    if isinstance(kind, Array):
        return kind.dtype != "bool"
    return kind == UNKNOWN or isinstance(kind, List | Tuple)


def _names_once(sweep: Adjoint, index: Value) -> bool:
    """Certainty that an index names no cell more than once: 0, 1, 2 ... along an axis, and one place beside each of these."""
    made = sweep.forward.definer.get(index)
    several = isinstance(made, Call) and made.callee is None and made.target == "builtins.tuple"
    parts = made.args if several and isinstance(made, Call) else [index]
    makers = {v: op for v in parts if isinstance(op := sweep.forward.definer.get(v), Call) and not sweep.aliases.mutable(v)}
    counts = [v for v, op in makers.items() if op.target in having("counts") and len(op.operands()) == 1 and rank_of(v.kind) == 1]
    return any(all(_beside(v, count) for v in parts if v is not count) for count in counts)


def _beside(part: Value, count: Value) -> bool:
    """Certainty that another part of an index is not longer than one, so that it does not repeat it."""
    shapes = [v.kind.shape for v in (part, count) if isinstance(v.kind, Array)]
    sizes = [shape[0] for shape in shapes if shape is not None and len(shape) == 1]
    alike = len(sizes) == 2 and equal_sizes(*sizes)
    return alike or isinstance(part, Const) or isinstance(part.kind, Scalar | Slice)


def _adjoint_getitem(sweep: Adjoint, op: Call) -> None:
    base, index = op.args
    if sweep.in_memory(op.result) and view_base(op) is not None:
        if is_unsure(op):
            sweep.give_back(op)
        return  # a window: what was due to it went straight into the base's shadow
    g = sweep.take(op.result)
    if g is None or not sweep.active(base):
        return
    again = gathers(op) and not _names_once(sweep, index)
    if sweep.reads_through(base):
        sweep.accumulate(base, sweep.scattered(base, index, g, again))
        return
    if again and not isinstance(op.result.kind, Scalar):
        target = "s2sad.runtime.add_at" if base.kind == UNKNOWN else spelled("scatters")
        sweep.builder.call(target, sweep.shadow(base), sweep.primal(index), g)
    else:
        sweep.add_to_item(base, index, g)


def _adjoint_flat(sweep: Adjoint, op: Call) -> None:
    """The adjoint of ``a.flat`` has the items of that of ``a``; it is the same memory where ``a`` is written."""
    if sweep.is_view_in_memory(op):
        return
    g = sweep.take(op.result)
    if g is not None:
        shape = sweep.builder.call("ndarray.shape", sweep.primal(op.args[0]))
        sweep.accumulate(op.args[0], sweep.builder.call("numpy.reshape", g, shape))


def _adjoint_store(sweep: Adjoint, op: Call) -> None:
    base, index, value = op.args
    if not sweep.active(base):
        sweep.restore(op)
        return
    move = move_of(op)
    assert move is not None
    shadow, place = sweep.shadow(base), sweep.primal(index)
    g = sweep.window(shadow, place, base, op) if sweep.active(value) else None
    if move.does == WRITES:
        sweep.builder.call("operator.setitem", shadow, place, Const(0.0))
    sweep.restore(op)
    if g is not None:
        g = sweep.builder.call("operator.neg", g) if move.negated else g
        if op in sweep.filling and isinstance(g.kind, Array) and isinstance(value.kind, Array) and g.kind.rank == value.kind.rank:
            g.kind = replace(g.kind, shape=value.kind.shape)
            sweep.accumulate(value, typed(sweep.builder, g, value.kind))
        else:
            sweep.accumulate(value, sweep.unbroadcast(g, value))


def _adjoint_added_items(sweep: Adjoint, op: Call) -> None:
    items, index, _ = op.args
    g = sweep.take(op.result)
    if g is not None and sweep.active(items):
        sweep.builder.call("s2sad.runtime.add_items", sweep.shadow(items), sweep.primal(index), g)


def _adjoint_hooked(sweep: Adjoint, op: Call) -> None:
    """The adjoint collected so far passes through a function; that of a reference into memory stays where it is."""
    x = op.args[0]
    in_memory = sweep.active(x) and sweep.in_memory(x)
    bar = sweep.shadow(x) if in_memory else sweep.take(op.result)
    if bar is None:
        return
    derivative = derivative_of(op)
    assert isinstance(derivative, Derivative)
    passed = derivative.pullback(sweep.application(op), bar, "x")
    if not in_memory:
        sweep.accumulate(x, passed)
    elif passed is not bar:
        sweep.builder.call("operator.setitem", bar, ..., passed)


ADJOINT: dict[str, Callable[[Adjoint, Call], None]] = {
    "s2sad.runtime.added_items": _adjoint_added_items,
    "ndarray.flat": _adjoint_flat,
    "s2sad.hooked": _adjoint_hooked,
}


def adjoint_of(op: Call) -> Callable[[Adjoint, Call], None] | None:
    """The differentiation of an operation on memory or containers in reverse mode."""
    move = move_of(op)
    if move is None:
        return ADJOINT.get(op.target)
    if not move.within(op).kind.container:
        if op.target == "operator.getitem":
            return _adjoint_getitem
        if writes_items(op.target):
            return _adjoint_store
    return containers.adjoint
