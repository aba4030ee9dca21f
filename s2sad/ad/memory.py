"""How operations on memory are differentiated: moves between buffers and their tangents or shadows.

Reverse, for ``a[w] = v`` (in this order)::

    v_bar = a_bar[w].copy()     # read: what is below may touch this window
    a_bar[w] = 0.0              # the old contents did not flow past this store
    a[w] = a_tape.pop()         # only if the reverse sweep still reads the old contents
    ...                         # v_bar goes on into the operands of v

The tables map the canonical names of ``rules.buffers`` (and of lists and tuples) to handlers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from s2sad.ad import maps
from s2sad.ad.request import derivative_of
from s2sad.ad.structures import LEADING, RECORD, made_items, take_item
from s2sad.analysis.views import is_unsure, view_base
from s2sad.errors import KindError
from s2sad.ir.kinds import UNKNOWN, Array, DictOf, List, Scalar, Slice, StructKind, Tuple, index_parts
from s2sad.ir.nodes import Call, Const, Value
from s2sad.rules.language import Derivative

if TYPE_CHECKING:
    from s2sad.ad.adjoint import Adjoint
    from s2sad.ad.tangent import Tangent

NEGATED = {"s2sad.subitem", "numpy.subtract.at"}


# --- tangent


def _tangent_getitem(sweep: Tangent, op: Call) -> None:
    sweep.builder.append(op)
    if sweep.active(op.result):
        sweep.bind(op.result, sweep.builder.call("operator.getitem", sweep.dot(op.args[0]), op.args[1]))


def _tangent_store(sweep: Tangent, op: Call) -> None:
    """The tangent's store comes first: the primal's contents may be what its value reads."""
    base, index, value = op.args
    if sweep.active(base):
        if sweep.active(value):
            sweep.builder.call(op.target, sweep.dot(base), index, _stretched(sweep, value))
        elif op.target == "operator.setitem":
            zero = sweep.dot(value) if isinstance(base.kind, List) else Const(0.0)
            sweep.builder.call(op.target, sweep.dot(base), index, zero)
    sweep.builder.append(op)


def _stretched(sweep: Tangent, value: Value) -> Value:
    return sweep.dot(value)


def _tangent_sequence(sweep: Tangent, op: Call) -> None:
    sweep.builder.append(op)
    if sweep.active(op.result):
        items = [
            item if k < LEADING.get(op.target, 0) else sweep.dot(item)
            for k, item in enumerate(op.args)
        ]
        dot = sweep.builder.call(op.target, *items)
        dot.kind = op.result.kind
        sweep.bind(op.result, dot)


def _tangent_append(sweep: Tangent, op: Call) -> None:
    if sweep.active(op.args[0]):
        sweep.builder.call("list.append", sweep.dot(op.args[0]), sweep.dot(op.args[1]))
    sweep.builder.append(op)


def _tangent_insert(sweep: Tangent, op: Call) -> None:
    if sweep.active(op.args[0]):
        sweep.builder.call("list.insert", sweep.dot(op.args[0]), op.args[1], sweep.dot(op.args[2]))
    sweep.builder.append(op)


def _tangent_pop(sweep: Tangent, op: Call) -> None:
    sweep.builder.append(op)
    if sweep.active(op.args[0]):
        dot = sweep.builder.call("list.pop", sweep.dot(op.args[0]), *op.args[1:])
        dot.kind = op.result.kind
        if sweep.active(op.result):
            sweep.bind(op.result, dot)


def _tangent_unpack(sweep: Tangent, op: Call) -> None:
    sweep.builder.append(op)
    active = [sweep.active(r) for r in op.results]
    if any(active):
        dots = sweep.builder.unpack(sweep.dot(op.args[0]), [r.kind for r in op.results])
        for result, dot, wanted in zip(op.results, dots, active, strict=True):
            if wanted:
                sweep.bind(result, dot)


def _tangent_attribute(sweep: Tangent, op: Call) -> None:
    sweep.builder.append(op)
    if sweep.active(op.result):
        key = op.args[1].payload if isinstance(op.args[1], Const) else None
        sweep.bind(op.result, take_item(sweep.builder, sweep.dot(op.args[0]), key, op.result.kind))


def _tangent_flat(sweep: Tangent, op: Call) -> None:
    """``a.flat`` writes through, and is no array: that of the tangent does the same for the tangent."""
    sweep.builder.append(op)
    if sweep.active(op.result):
        sweep.bind(op.result, sweep.builder.call(op.target, sweep.dot(op.args[0])))


def _tangent_of_writer(sweep: Tangent, op: Call) -> None:
    """What is linear in all that it writes and writes from: the same of the tangents."""
    target, place, value = op.args
    sweep.builder.append(op)
    if sweep.active(target):
        sweep.builder.call(op.target, sweep.dot(target), place, sweep.dot(value))


def _tangent_added_items(sweep: Tangent, op: Call) -> None:
    sweep.builder.append(op)
    if sweep.active(op.result):
        dot = sweep.builder.call(op.target, sweep.dot(op.args[0]), *op.args[1:])
        dot.kind = op.result.kind
        sweep.bind(op.result, dot)


TANGENT: dict[str, Callable[[Tangent, Call], None]] = {
    "s2sad.runtime.added_items": _tangent_added_items,
    "operator.getitem": _tangent_getitem,
    "s2sad.runtime.add_items": _tangent_of_writer,
    "s2sad.runtime.add_into_items": _tangent_of_writer,
    "s2sad.runtime.put_back": _tangent_of_writer,
    "s2sad.attribute": _tangent_attribute,
    "ndarray.flat": _tangent_flat,
    "operator.setitem": _tangent_store,
    "s2sad.additem": _tangent_store,
    "s2sad.subitem": _tangent_store,
    "numpy.add.at": _tangent_store,
    "numpy.subtract.at": _tangent_store,
    "builtins.tuple": _tangent_sequence,
    "s2sad.items": _tangent_sequence,
    "s2sad.dict": _tangent_sequence,
    RECORD: _tangent_sequence,
    "builtins.list": _tangent_sequence,
    "list.append": _tangent_append,
    "list.insert": _tangent_insert,
    "list.pop": _tangent_pop,
    "s2sad.unpack": _tangent_unpack,
    **maps.TANGENT,
}


# --- adjoint


def gathers(op: Call) -> bool:
    """Whether a subscript's index is an array (or list) that may name a cell more than once."""
    return any(map(_repeats, index_parts(op.args[1].kind)))


def _repeats(kind: object) -> bool:
    if isinstance(kind, Array):
        return kind.dtype != "bool"
    return kind == UNKNOWN or isinstance(kind, List | Tuple)


def _adjoint_getitem(sweep: Adjoint, op: Call) -> None:
    base, index = op.args
    if isinstance(base.kind, Tuple | StructKind):
        _adjoint_part(sweep, op)
        return
    if isinstance(base.kind, List) and isinstance(index.kind, Slice):
        g = sweep.take(op.result)
        if g is not None and _holds_unknown(base) and not sweep.aliases.holds_written(base):
            raise KindError(
                "a part of a list whose items may be numbers or arrays is not supported", location=op.loc,
                why="what is due to numbers would have to be added to the list's, and to arrays not",
                instead="annotate the parameters (x: float, or a: Float[np.ndarray, 'n m']), or call with arguments",
            )  # fmt: skip
        if g is not None and not sweep.holds_shadows(base):
            sweep.builder.call("s2sad.runtime.add_items", sweep.shadow(base), sweep.primal(index), g)
        return
    if sweep.in_memory(op.result) and (isinstance(base.kind, List) or view_base(op) is not None):
        if is_unsure(op):
            sweep.give_back(op)
        return  # a window: what was due to it went straight into the base's shadow
    g = sweep.take(op.result)
    if g is None or not sweep.active(base):
        return
    if isinstance(base.kind, DictOf):
        maps.add(sweep, base, index, g)
        return
    if isinstance(base.kind, List):
        _add_to_list(sweep, base, index, g)
        return
    if sweep.reads_through(base):
        sweep.accumulate(base, sweep.around(base, index, g, gathers(op)))
        return
    place = sweep.primal(index)
    if gathers(op) and not isinstance(op.result.kind, Scalar):
        sweep.builder.call("numpy.add.at", sweep.shadow(base), place, g)
    else:
        sweep.builder.call("s2sad.additem", sweep.shadow(base), place, g)


def _adjoint_flat(sweep: Adjoint, op: Call) -> None:
    """The adjoint of ``a.flat`` has the items of that of ``a``; it is the same memory where ``a`` is written."""
    if sweep.is_view_in_memory(op):
        return
    g = sweep.take(op.result)
    if g is not None:
        shape = sweep.builder.call("ndarray.shape", sweep.primal(op.args[0]))
        sweep.accumulate(op.args[0], sweep.builder.call("numpy.reshape", g, shape))


def _adjoint_part(sweep: Adjoint, op: Call) -> None:
    """An item of a tuple parameter: its adjoint is kept as a part of the parameter's."""
    g = sweep.take(op.result)
    key = op.args[1]
    if g is not None and isinstance(key, Const):
        sweep.add_part(op.args[0], key.payload, g)


def _add_to_list(sweep: Adjoint, base: Value, index: Value, g: Value) -> None:
    place = sweep.primal(index)
    shadow = sweep.shadow(base)
    old = sweep.builder.call("operator.getitem", shadow, place)
    doubtful = isinstance(g.kind, Tuple | StructKind) or _holds_unknown(base)  # a tuple, or None where nothing was yet
    add = "s2sad.runtime.add" if doubtful else "operator.add"
    sweep.builder.call("operator.setitem", shadow, place, sweep.builder.call(add, old, g))


def _holds_unknown(items: Value) -> bool:
    return isinstance(items.kind, List) and items.kind.item == UNKNOWN


def _adjoint_store(sweep: Adjoint, op: Call) -> None:
    base, index, value = op.args
    if isinstance(base.kind, DictOf):
        if op.target == "operator.setitem":
            maps.adjoint_store(sweep, op)
        else:
            maps.adjoint_added(sweep, op, op.target in NEGATED)
        return
    if not sweep.active(base):
        sweep.restore(op)
        return
    shadow, place = sweep.shadow(base), sweep.primal(index)
    if op in sweep.replaced:  # a list of references: the shadow that stood here comes back
        sweep.builder.call("operator.setitem", shadow, place, sweep.primal(sweep.replaced[op]))
        sweep.restore(op)
        return
    g: Value | None = None
    if sweep.active(value):
        g = sweep.window(shadow, place, base, index, op)
    if op.target == "operator.setitem":
        zero = sweep.zeros(sweep.before.get(op, value)) if isinstance(base.kind, List) else Const(0.0)
        if g is not None and isinstance(base.kind, List) and _holds_unknown(base):
            # None where nothing was read after a placeholder was replaced
            g = sweep.builder.call("s2sad.runtime.add", g, sweep.zeros(value))
        sweep.builder.call("operator.setitem", shadow, place, zero)
    sweep.restore(op)
    if g is not None:
        if op.target in NEGATED:
            g = sweep.builder.call("operator.neg", g)
        # an item, which nothing stretches
        whole = isinstance(base.kind, List) and isinstance(value.kind, List | Tuple | StructKind)
        sweep.accumulate(value, g if whole else sweep.unbroadcast(g, value))


def _adjoint_append(sweep: Adjoint, op: Call) -> None:
    sweep.restore(op)
    if sweep.active(op.args[0]):
        _take_off(sweep, op.args[0], [], op.args[1])


def _adjoint_add_items(sweep: Adjoint, op: Call) -> None:
    """What was added to the items of a list gets what is due to those."""
    items, index, bars = op.args
    sweep.restore(op)
    if not sweep.active(items) or not sweep.active(bars):
        return
    shadow, place = sweep.shadow(items), sweep.primal(index)
    if isinstance(bars.kind, List) and not isinstance(bars.kind, DictOf):  # how long it was, its shadow knows
        g = sweep.builder.call("s2sad.runtime.copy_of", sweep.builder.call("operator.getitem", shadow, place))
    else:
        g = sweep.builder.call("s2sad.runtime.added_items", shadow, place, sweep.primal(bars))
    sweep.accumulate(bars, g)


def _adjoint_added_items(sweep: Adjoint, op: Call) -> None:
    items, index, _ = op.args
    g = sweep.take(op.result)
    if g is not None and sweep.active(items):
        sweep.builder.call("s2sad.runtime.add_items", sweep.shadow(items), sweep.primal(index), g)


def _adjoint_insert(sweep: Adjoint, op: Call) -> None:
    """What was inserted is taken out of the shadow again, from where it went."""
    items, index, value = op.args
    sweep.restore(op)
    if sweep.active(items):
        _take_off(sweep, items, [_inserted_at(sweep, index, sweep.shadow(items))], value)


def _inserted_at(sweep: Adjoint, index: Value, items: Value) -> Value:
    """Where in a list an item is that was inserted."""
    if isinstance(index, Const) and index.payload == 0:
        return index
    before = sweep.builder.call("operator.sub", sweep.builder.call("builtins.len", items), Const(1))
    return sweep.builder.call("s2sad.runtime.insertion_place", sweep.primal(index), before)


def _take_off(sweep: Adjoint, items: Value, place: list[Value], value: Value) -> None:
    """Hand what a list's shadow holds at a place, by default the last one, to what was put there."""
    g = sweep.builder.call("list.pop", sweep.shadow(items), *place)
    g.kind = value.kind
    if sweep.active(value) and not sweep.in_memory(value):
        sweep.accumulate(value, g)


def _adjoint_pop(sweep: Adjoint, op: Call) -> None:
    sweep.restore(op)
    if not sweep.active(op.args[0]):
        return
    shadow = sweep.shadow(op.args[0])
    place = _place_before(sweep, op, shadow)
    if sweep.in_memory(op.result):
        g: Value = sweep.shadow(op.result)
    else:
        g = sweep.take(op.result) or sweep.zeros(op.result)
    sweep.builder.call("list.insert" if place else "list.append", shadow, *place, g)


def _place_before(sweep: Adjoint, op: Call, shadow: Value) -> list[Value]:
    """Where the item was that a pop took, from a list without it; nothing for the last one."""
    index = op.args[1] if len(op.args) > 1 else Const(-1)
    if isinstance(index, Const) and index.payload == -1:
        return []
    if isinstance(index, Const) and isinstance(index.payload, int) and index.payload >= 0:
        return [index]
    rest = sweep.builder.call("builtins.len", shadow)
    length = sweep.builder.call("operator.add", rest, Const(1))
    return [sweep.builder.call("operator.mod", sweep.primal(index), length)]


def _adjoint_list(sweep: Adjoint, op: Call) -> None:
    if not sweep.active(op.result) or not sweep.has_shadow(op.result):
        return
    for k, item in enumerate(op.args):
        if sweep.active(item) and not sweep.in_memory(item):
            g = sweep.builder.call("operator.getitem", sweep.shadow(op.result), Const(k))
            g.kind = item.kind
            sweep.accumulate(item, g)


def _adjoint_tuple(sweep: Adjoint, op: Call) -> None:
    """Parts of a tuple that was made here go to its items."""
    parts = sweep.take_parts(op.result)
    items = made_items(op) if parts else {}
    for key, g in parts.items():
        if sweep.active(items[key]):
            sweep.accumulate(items[key], g)


def _adjoint_unpack(sweep: Adjoint, op: Call) -> None:
    for k, result in enumerate(op.results):
        g = sweep.take(result)
        if g is not None:
            sweep.add_part(op.args[0], k, g)


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


def _undo_append(sweep: Adjoint, op: Call) -> None:
    sweep.builder.call("list.pop", sweep.primal(op.args[0]))


def _undo_insert(sweep: Adjoint, op: Call) -> None:
    items = sweep.primal(op.args[0])
    sweep.builder.call("list.pop", items, _inserted_at(sweep, op.args[1], items))


def _undo_pop(sweep: Adjoint, op: Call) -> None:
    items = sweep.primal(op.args[0])
    place = _place_before(sweep, op, items)
    sweep.builder.call("list.insert" if place else "list.append", items, *place, sweep.primal(op.result))


UNDONE: dict[str, Callable[[Adjoint, Call], None]] = {
    "list.append": _undo_append,
    "list.insert": _undo_insert,
    "list.pop": _undo_pop,
}


ADJOINT: dict[str, Callable[[Adjoint, Call], None]] = {
    "operator.getitem": _adjoint_getitem,
    "s2sad.runtime.add_items": _adjoint_add_items,
    "s2sad.runtime.add_into_items": _adjoint_add_items,
    "s2sad.runtime.added_items": _adjoint_added_items,
    "ndarray.flat": _adjoint_flat,
    "s2sad.attribute": _adjoint_part,
    "operator.setitem": _adjoint_store,
    "s2sad.additem": _adjoint_store,
    "s2sad.subitem": _adjoint_store,
    "numpy.add.at": _adjoint_store,
    "numpy.subtract.at": _adjoint_store,
    "list.append": _adjoint_append,
    "list.insert": _adjoint_insert,
    "list.pop": _adjoint_pop,
    "builtins.list": _adjoint_list,
    "builtins.tuple": _adjoint_tuple,
    "s2sad.items": _adjoint_tuple,
    "s2sad.dict": _adjoint_tuple,
    RECORD: _adjoint_tuple,
    "s2sad.unpack": _adjoint_unpack,
    "s2sad.hooked": _adjoint_hooked,
    **maps.ADJOINT,
}
