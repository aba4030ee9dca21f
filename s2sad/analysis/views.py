"""Values that refer to memory, and operations that make windows: into their base certainly, or perhaps.

    row = a[i]              a window, where a has two axes; a number, where it has one
    flat = a.reshape(-1)    a window or a copy, whichever the strides allow
"""

from __future__ import annotations

from collections.abc import Mapping

from s2sad.ir.kinds import UNKNOWN, Array, is_number, may_refer
from s2sad.ir.nodes import Call, Const, Op, Value
from s2sad.rules import registry
from s2sad.rules.effects import NOTHING, effects
from s2sad.rules.traits import having

STORES = {"operator.setitem", "s2sad.additem", "s2sad.subitem"}  # a[i] = v, a[i] += v, a[i] -= v


def writes_items(target: str) -> bool:
    """Test for a store at an index, or a sum at one, also of cells that are named more than once."""
    return target in STORES or target in having("scatters")


def holds_references(value: Value) -> bool:
    """Possibility that a value is, or contains, a reference to memory."""
    kind = value.kind
    return may_refer(kind) and not (isinstance(kind, Array) and is_number(kind))


def may_subscript_number(op: Op) -> bool:
    """Test for a subscript that takes the whole of what may be one of NumPy's numbers: ``s[None]``, ``s[...]``, ``s[()]``."""
    if not isinstance(op, Call) or op.target != "operator.getitem" or op.args[0].kind != UNKNOWN:
        return False
    index = op.args[1]
    if not isinstance(index, Const):
        return False
    places = index.payload if isinstance(index.payload, tuple) else (index.payload,)
    return all(place is None or place is ... for place in places)


def is_window(call: Call) -> bool:
    """Certainty that a subscript yields a window into its base (and not a number, or a gathered copy)."""
    found = effects(call)
    return found.certain and found.shares[0].how == "view"


def is_unsure(op: Op) -> bool:
    """Test for a result of which only the run tells if it is a window: a subscript of an array of unknown rank, a reshape."""
    return view_base(op) is not None and isinstance(op, Call) and not effects(op).certain


def view_base(op: Op) -> Value | None:
    """The reference that the result of ``op`` is a window of (or may be), if it is one."""
    if not isinstance(op, Call) or op.callee is not None or not op.results:
        return None
    found = effects(op)
    if found is NOTHING:
        return None
    windows = all(share.how in ("same", "view") for share in found.shares)
    return found.shares[0].value if len(found.shares) == 1 and windows and not found.unknown else None


def is_base_itself(op: Call) -> bool:
    """Test for a result that is its base itself, an array that is only looked at: both have one shadow."""
    found = effects(op)
    return isinstance(op.result.kind, Array) and found.certain and found.shares[0].how == "same" and not found.once


def mirror_of(op: Call) -> str:
    """The function that makes a window of the shadow, like the window that a call makes; nothing where none is like it."""
    primitive = registry.lookup(op.target)
    if effects(op).frozen:
        return primitive.mirror if primitive is not None else ""
    return "" if op.target in having("imaginary part") | having("by contents") else op.target


def is_mirrored(value: Value, definer: Mapping[Value, Op]) -> bool:
    """Test for a value, or a window of a window of one, that windows of the shadow are like."""
    op = definer.get(value)
    base = view_base(op) if op is not None else None
    return base is None or not isinstance(op, Call) or bool(mirror_of(op)) and is_mirrored(base, definer)


def reads_through(value: Value, definer: Mapping[Value, Op]) -> bool:
    """Test for a window that cannot be written (a diagonal, a broadcast), or a part of one.

    No window of the base's shadow mirrors it, so that its adjoint goes to its base at once. The imaginary part is
    one of them as its adjoint is not that part of the adjoint of the whole, but of -1j times that. What may be a copy of
    such a window is no part of it: its adjoint is that of the window as it was when it was copied.
    """
    op = definer.get(value)
    base = view_base(op) if op is not None else None
    if base is None or not isinstance(op, Call):
        return False
    return effects(op).frozen or op.target in having("imaginary part") or (
        not is_unsure(op) and reads_through(base, definer)
    )
