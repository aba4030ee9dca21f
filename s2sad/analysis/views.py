"""Which values refer to memory, and which operations make windows: into their base certainly, or perhaps.

    row = a[i]              a window, where a has two axes; a number, where it has one
    flat = a.reshape(-1)    a window or a copy, whichever the strides allow
"""

from __future__ import annotations

from s2sad.ir.kinds import UNKNOWN, Array, Dict, List, Other, Scalar, Slice, Tuple, index_parts, is_number
from s2sad.ir.nodes import Call, Op, Value
from s2sad.rules import registry


def holds_references(value: Value) -> bool:
    """Whether a value may be, or contain, a reference to memory."""
    kind = value.kind
    return kind == UNKNOWN or (isinstance(kind, Array | List | Tuple | Dict) and not is_number(kind))


def is_window(call: Call) -> bool:
    """Whether a subscript yields a window into its base (and not a number, or a gathered copy)."""
    result = call.results[0].kind
    if is_number(result):
        return False
    base, items = call.args[0].kind, index_parts(call.args[1].kind)
    if isinstance(base, List | Tuple | Dict):
        return False
    if result == UNKNOWN and not any(isinstance(k, Slice) for k in items):
        return False
    return all(isinstance(k, Slice) or (isinstance(k, Scalar) and k.dtype != "bool") or isinstance(k, Other) for k in items)


def is_unsure(op: Op) -> bool:
    """Whether only running the program tells if a result is a window: a subscript of an array of unknown rank, a reshape."""
    return is_unsure_item(op) or (isinstance(op, Call) and _may_copy(op) and view_base(op) is not None)


def _may_copy(op: Call) -> bool:
    primitive = registry.lookup(op.target)
    return op.callee is None and primitive is not None and primitive.maybe_view


def is_unsure_item(op: Op) -> bool:
    """Whether a subscript of an array may be a number or a window into it, as its rank is not known."""
    if not isinstance(op, Call) or op.callee is not None or op.target != "operator.getitem":
        return False
    unsure = op.results[0].kind == UNKNOWN and not isinstance(op.args[0].kind, List | Tuple | Dict)
    return unsure and not is_window(op)


def view_base(op: Op) -> Value | None:
    """The reference that the result of ``op`` is a window of (or may be), if any."""
    if not isinstance(op, Call) or op.callee is not None:
        return None
    primitive = registry.lookup(op.target)
    if primitive is None or primitive.view is None or not op.results or is_number(op.results[0].kind):
        return None
    if op.target == "operator.getitem":
        return op.args[0] if is_window(op) or is_unsure_item(op) else None
    base = primitive.bind(op.args, op.kwargs)[primitive.view]
    sequence = primitive.maybe_view and isinstance(base.kind, List | Tuple | Scalar)
    return None if sequence else base  # what NumPy makes of a list or a number is a new array
