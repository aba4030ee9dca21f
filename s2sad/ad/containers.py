"""Derivatives of operations on containers: of all of them, by what they do with places (``rules.containers``).

A container of tangents stands beside each container, and the same is done to it. A container of adjoints, its shadow, has what
is due to the items; the reverse of an operation does the opposite to it::

    xs.append(v)              ==>    v_bar = xs_bar.pop()
    v = xs.pop()              ==>    xs_bar.append(v_bar)
    v = xs[i]                 ==>    xs_bar[i] = xs_bar[i] + v_bar
    xs[i] = v                 ==>    v_bar = xs_bar[i]; xs_bar[i] = 0.0

What is due to the items of a tuple, or of an object, is kept item by item while the reverse sweep is made. A dict of adjoints
has the keys to which something is due; what is missing counts as zero, so that it need not be filled, and a key that comes to
hold a value of another shape does no harm::

    hs[t] = f(hs[t - 1])      ==>    h_bar = hs_bar.pop(t, 0.0)
                                     hs_bar[t - 1] = hs_bar.get(t - 1, 0.0) + h_bar * df
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from s2sad.errors import KindError, NoRuleError
from s2sad.ir.kinds import UNKNOWN, Array, List, Scalar, Slice, dtype_of
from s2sad.ir.nodes import Call, Const, Value
from s2sad.rules.application import typed
from s2sad.rules.containers import (
    ADDS,
    EACH,
    INSERTS,
    MAKES,
    READS,
    REMOVES,
    TAKING,
    WRITES,
    Move,
    made_items,
    move_of,
)
from s2sad.rules.structures import take_item

if TYPE_CHECKING:
    from s2sad.ad.adjoint import Adjoint
    from s2sad.ad.tangent import Tangent


def in_place_of(op: Call, table: dict[int, Value]) -> list[Value]:
    """The arguments of an operation, with others at some positions."""
    return [table.get(k, v) for k, v in enumerate(op.args)]


# --- tangent


def tangent(sweep: Tangent, op: Call) -> None:
    """The same of the tangents. What is put in comes first: the primal's contents may be what it reads."""
    move = move_of(op)
    assert move is not None
    container = move.within(op)
    if move.does in TAKING:
        if sweep.active(container):
            _tangent_put(sweep, op, move)
        sweep.builder.append(op)
        return
    sweep.builder.append(op)
    active = [sweep.active(r) for r in op.results]
    if move.does == MAKES:
        if active[0]:
            first = move.items or 0
            dot = sweep.builder.call(op.target, *op.args[:first], *map(sweep.dot, op.args[first:]))
            dot.kind = op.result.kind
            sweep.bind(op.result, dot)
    elif any(active) or (move.does == REMOVES and sweep.active(container)):
        for result, dot, wanted in zip(op.results, _tangent_given(sweep, op, move), active, strict=True):
            if wanted:
                sweep.bind(result, dot)


def _tangent_put(sweep: Tangent, op: Call, move: Move) -> None:
    (value,), container = move.put(op), move.within(op)
    if sweep.active(value) or (move.does != ADDS and isinstance(container.kind, List)):
        dot = sweep.dot(value)
    elif move.does == ADDS:
        return
    else:
        dot = Const(0.0)
    assert move.container is not None and move.items is not None
    sweep.builder.call(op.target, *in_place_of(op, {move.container: sweep.dot(container), move.items: dot}))


def _tangent_given(sweep: Tangent, op: Call, move: Move) -> list[Value]:
    """The tangents of what comes out; a default that is a literal has none."""
    container, place = move.within(op), move.at(op)
    dots = sweep.dot(container)
    if move.place == EACH:
        return sweep.builder.unpack(dots, [r.kind for r in op.results])
    if container.kind.fixed and isinstance(place, Const) and not isinstance(place.payload, slice):
        return [take_item(sweep.builder, dots, place.payload, op.result.kind)]
    assert move.container is not None
    table = {move.container: dots}
    if move.default is not None and move.default < len(op.args):
        default = op.args[move.default]
        table[move.default] = Const(0.0) if isinstance(default, Const) and default.payload is not None else default
    dot = sweep.builder.call(op.target, *in_place_of(op, table))
    if isinstance(container.kind, List):
        dot.kind = op.result.kind
    return [dot]


# --- adjoint


def adjoint(sweep: Adjoint, op: Call) -> None:
    """The opposite of what the operation does, to the container of adjoints."""
    move = move_of(op)
    assert move is not None
    ADJOINT[move.does](sweep, op, move)


def _made(sweep: Adjoint, op: Call, move: Move) -> None:
    """The adjoints of the items, given to what was put in."""
    result = op.result
    if not isinstance(result.kind, List):
        parts = sweep.take_parts(result)
        items = made_items(op) if parts else {}
        for key, g in parts.items():
            if sweep.active(items[key]):
                sweep.accumulate(items[key], g)
    elif sweep.active(result) and sweep.has_shadow(result):
        for key, item in made_items(op).items():
            if sweep.active(item) and not sweep.in_memory(item):
                sweep.accumulate(item, _due(sweep, result, sweep.shadow(result), Const(key), item))


def _due(sweep: Adjoint, items: Value, shadow: Value, place: Value, value: Value) -> Value:
    """The adjoint of ``value``, which is at a place; a dict loses it, since before that another value was there, or none."""
    if not items.kind.keyed:
        g = sweep.builder.call("operator.getitem", shadow, place)
    elif isinstance(value.kind, Scalar):
        g = sweep.builder.call("dict.pop", shadow, place, Const(0.0))
    else:
        g = sweep.builder.call("s2sad.runtime.take_out", shadow, place, sweep.primal(value))
    return _seen(sweep, items, g, value)


def _seen(sweep: Adjoint, items: Value, g: Value, value: Value) -> Value:
    """The adjoint of an item, in a container of adjoints, which may be complex where another item is: the real part for a real
    item."""
    have, want = dtype_of(items.kind.item) if isinstance(items.kind, List) else None, dtype_of(value.kind)
    real = want is not None and want.startswith("float") and isinstance(value.kind, Array | Scalar)
    if not real or have is not None and not have.startswith("complex"):
        g.kind = value.kind
        return g
    g.kind = Array("complex128", value.kind.shape) if isinstance(value.kind, Array) else Scalar("complex128", weak=False)
    g = typed(sweep.builder, g, value.kind)
    g.kind = value.kind
    return g


def _read(sweep: Adjoint, op: Call, move: Move) -> None:
    base = move.within(op)
    if move.place == EACH:
        for k, result in enumerate(op.results):
            g = sweep.take(result)
            if g is not None:
                sweep.add_part(base, k, g)
        return
    place = move.at(op)
    assert place is not None
    if not isinstance(base.kind, List):  # its adjoint is kept as a part of the container's
        g = sweep.take(op.result)
        if g is not None and isinstance(place, Const):
            sweep.add_part(base, place.payload, g)
        return
    if isinstance(place.kind, Slice):
        _read_slice(sweep, op, base, place)
        return
    if sweep.in_memory(op.result):  # its shadow is the item's
        return
    g = sweep.take(op.result)
    if g is not None and sweep.active(base):
        _refuse_default(sweep, op, move)
        _add(sweep, base, place, g)


def _refuse_default(sweep: Adjoint, op: Call, move: Move) -> None:
    """Refuse a default that varies: only the running program knows whether it was given."""
    if move.default is not None and move.default < len(op.args) and sweep.active(op.args[move.default]):
        raise NoRuleError(
            f"{op.target} with a default that depends on the variables is not supported", location=op.loc,
            why="whether it was given is known only when the program runs", instead="if key in items: ... else: ...",
        )  # fmt: skip


def _read_slice(sweep: Adjoint, op: Call, base: Value, place: Value) -> None:
    g = sweep.take(op.result)
    unsure = holds_unknown(base)
    if g is not None and unsure and sweep.aliases.holds_written(base):
        raise KindError(
            "a part of a list whose items may be numbers or arrays is not supported where these are written", location=op.loc,
            why="what is due to numbers would have to be added to the list's, and to arrays not",
            instead="annotate the parameters (x: float, or a: Float[np.ndarray, 'n m']), or call with arguments",
        )  # fmt: skip
    if g is not None and sweep.active(base) and (unsure or not sweep.holds_shadows(base)):
        sweep.builder.call("s2sad.runtime.add_items", sweep.shadow(base), sweep.primal(place), g)


def _add(sweep: Adjoint, items: Value, index: Value, g: Value) -> None:
    """Add to what is due to an item."""
    place, shadow = sweep.primal(index), sweep.shadow(items)
    structured = g.kind.fixed  # a tuple, or None where nothing was yet
    if items.kind.keyed:
        structured |= g.kind == UNKNOWN
        old = sweep.builder.call("dict.get", shadow, place, Const(None if structured else 0.0))
        old.kind = g.kind
    else:
        structured |= holds_unknown(items) or sweep.aliases.node(items) in sweep.unbound_in
        old = sweep.builder.call("operator.getitem", shadow, place)
    total = sweep.builder.call("s2sad.runtime.add" if structured else "operator.add", old, g)
    sweep.builder.call("operator.setitem", shadow, place, total)


def holds_unknown(items: Value) -> bool:
    """Test for a list that may hold numbers, arrays, or anything."""
    return isinstance(items.kind, List) and items.kind.item == UNKNOWN


def _written(sweep: Adjoint, op: Call, move: Move) -> None:
    """The adjoint of an item, given to what was put there; what stood there before has none."""
    items, place, (value,) = move.within(op), move.at(op), move.put(op)
    assert place is not None
    if not sweep.active(items):
        sweep.restore(op)
        return
    index, shadow = place, sweep.shadow(items)
    place = sweep.primal(index)
    if op in sweep.replaced:  # of references: the shadow that stood here comes back, or None
        back = "s2sad.runtime.put_back" if items.kind.keyed else "operator.setitem"
        sweep.builder.call(back, shadow, place, sweep.primal(sweep.replaced[op]))
        sweep.restore(op)
        return
    g: Value | None = None
    if items.kind.keyed:
        if sweep.active(value):
            g = _due(sweep, items, shadow, place, value)
        else:
            sweep.builder.call("dict.pop", shadow, place, Const(None))
    else:
        if sweep.active(value):
            g = sweep.window(shadow, place, items, op)
        zero = sweep.zeros(sweep.before.get(op, value))
        if g is not None and holds_unknown(items):  # None where nothing was read after a placeholder was replaced
            g = sweep.builder.call("s2sad.runtime.add", g, sweep.zeros(value))
        sweep.builder.call("operator.setitem", shadow, place, zero)
    sweep.restore(op)
    if g is not None:
        whole = items.kind.keyed or value.kind.container
        sweep.accumulate(value, g if whole else sweep.unbroadcast(g, value))


def _added(sweep: Adjoint, op: Call, move: Move) -> None:
    """The adjoint of items, given to what was added to them."""
    items, index, (value,) = move.within(op), move.at(op), move.put(op)
    assert index is not None
    sweep.restore(op)
    if not sweep.active(items) or not sweep.active(value):
        return
    shadow, place = sweep.shadow(items), sweep.primal(index)
    one = not isinstance(index.kind, Slice)
    if one and items.kind.keyed:
        g = _seen(sweep, items, sweep.builder.call("dict.get", shadow, place, Const(0.0)), value)
    elif one:
        g = sweep.window(shadow, place, items, op)
    elif isinstance(value.kind, List) and not value.kind.keyed:  # how long it was, its shadow knows
        g = sweep.builder.call("s2sad.runtime.copy_of", sweep.builder.call("operator.getitem", shadow, place))
    else:
        g = sweep.builder.call("s2sad.runtime.added_items", shadow, place, sweep.primal(value))
    sweep.accumulate(value, sweep.builder.call("operator.neg", g) if move.negated else g)


def _inserted(sweep: Adjoint, op: Call, move: Move) -> None:
    """The adjoint of what was inserted, taken out of the shadow again, from where it went."""
    items, (value,) = move.within(op), move.put(op)
    sweep.restore(op)
    if sweep.active(items):
        shadow = sweep.shadow(items)
        g = sweep.builder.call("list.pop", shadow, *_inserted_at(sweep, move.at(op), shadow))
        if sweep.active(value) and not sweep.in_memory(value):
            sweep.accumulate(value, _seen(sweep, items, g, value))


def _inserted_at(sweep: Adjoint, index: Value | None, items: Value) -> list[Value]:
    """Where in a list an item is that was inserted; nothing for the last one."""
    if index is None:
        return []
    if isinstance(index, Const) and index.payload == 0:
        return [index]
    before = sweep.builder.call("operator.sub", sweep.builder.call("builtins.len", items), Const(1))
    return [sweep.builder.call("s2sad.runtime.insertion_place", sweep.primal(index), before)]


def _removed(sweep: Adjoint, op: Call, move: Move) -> None:
    """The item is there again, and what is due to it is what is due to the result."""
    items = move.within(op)
    keyed = items.kind.keyed
    if not keyed:
        sweep.restore(op)
    if not sweep.active(items):
        return
    in_memory = sweep.in_memory(op.result)
    if keyed:
        g = sweep.shadow(op.result) if in_memory else sweep.take(op.result)
        if g is not None:
            _refuse_default(sweep, op, move)
        place = move.at(op)
        assert place is not None
        shadow, place = sweep.shadow(items), sweep.primal(place)
        if op in sweep.replaced:
            sweep.builder.call("s2sad.runtime.give_back", shadow, place, sweep.primal(sweep.replaced[op]), g or Const(None))
            return
        sweep.builder.call(*(("dict.pop", shadow, place, Const(None)) if g is None else ("operator.setitem", shadow, place, g)))
        return
    shadow = sweep.shadow(items)
    where = _place_before(sweep, move.at(op), shadow)
    g = sweep.shadow(op.result) if in_memory else sweep.take(op.result) or sweep.zeros(op.result)
    sweep.builder.call("list.insert" if where else "list.append", shadow, *where, g)


def _place_before(sweep: Adjoint, index: Value | None, items: Value) -> list[Value]:
    """Where an item was that was taken out of a list; nothing for the last one."""
    if index is None or (isinstance(index, Const) and index.payload == -1):
        return []
    if isinstance(index, Const) and isinstance(index.payload, int) and index.payload >= 0:
        return [index]
    length = sweep.builder.call("operator.add", sweep.builder.call("builtins.len", items), Const(1))
    return [sweep.builder.call("operator.mod", sweep.primal(index), length)]


ADJOINT: dict[str, Callable[[Adjoint, Call, Move], None]] = {
    MAKES: _made,
    READS: _read,
    WRITES: _written,
    ADDS: _added,
    INSERTS: _inserted,
    REMOVES: _removed,
}


def undo(sweep: Adjoint, op: Call) -> bool:
    """Put a list that became longer or shorter back as it was; whether the operation did that."""
    move = move_of(op)
    if move is None or move.does not in (INSERTS, REMOVES) or move.within(op).kind.keyed:
        return False
    items = sweep.primal(move.within(op))
    if move.does == INSERTS:
        sweep.builder.call("list.pop", items, *_inserted_at(sweep, move.at(op), items))
    else:
        where = _place_before(sweep, move.at(op), items)
        sweep.builder.call("list.insert" if where else "list.append", items, *where, sweep.primal(op.result))
    return True
