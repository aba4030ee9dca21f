"""Structured values: tuples, dicts and objects, taken apart and put together again by their items.

The tangent and the adjoint of a structured value have its structure: those of an object are objects of its class.
"""

from __future__ import annotations

from collections.abc import Sequence

from s2sad.ir.builder import Builder
from s2sad.ir.kinds import Kind, Scalar, StructKind, Tuple
from s2sad.ir.nodes import Const, Value

RECORD = "s2sad.runtime.record"


def take_item(builder: Builder, value: Value, key: object, kind: Kind | None = None) -> Value:
    """``value[key]``, or ``value.key`` of an object."""
    attribute = isinstance(value.kind, StructKind) and value.kind.cls is not None
    made = builder.call("s2sad.attribute" if attribute else "operator.getitem", value, Const(key))
    made.kind = kind or made.kind
    return made


def put_together(
    builder: Builder, kind: Tuple | StructKind, like: Value, items: Sequence[Value], name: str | None = None
) -> Value:
    """A value of this structure; ``like`` is one whose class an object takes."""
    if kind.cls is not None:
        names = kind.names if isinstance(kind, Tuple) else tuple(kind.keys)
        made = builder.call(RECORD, like, Const(names), *items, name=name)
    elif isinstance(kind, StructKind):
        made = builder.call("s2sad.dict", Const(tuple(kind.keys)), *items, name=name)
    else:
        made = builder.call("s2sad.items" if kind.listed else "builtins.tuple", *items, name=name)
    return made


def zero_of(builder: Builder, value: Value, primal: Value, name: str | None) -> Value:
    """The result for a derivative that is zero: a number in single precision, or a complex one, has one of its type."""
    types = value.kind.types if isinstance(value.kind, Scalar) else None
    if types is not None and not any(dtype.startswith(("float16", "float32", "complex")) for dtype, _ in types):
        return Const(0.0)
    return builder.call("s2sad.runtime.zeros", primal, name=name)
