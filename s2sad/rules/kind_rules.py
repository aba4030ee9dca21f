"""Kinds of results, from the kinds of the arguments (and their values, where they are literals)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.ir.kinds import (
    ANY_PART,
    ELLIPSIS,
    FLOAT,
    INT,
    NONE,
    OBJECT,
    RANGE,
    STR,
    UNKNOWN,
    Array,
    Dim,
    Kind,
    List,
    Other,
    Scalar,
    Size,
    Slice,
    StructKind,
    Tuple,
    Types,
    all_equal,
    dtype_of,
    dtypes_of_items,
    fewer,
    floor_divided,
    index_parts,
    is_many,
    join,
    join_all,
    least_of,
    not_negative,
    note_alike,
    plus,
    product,
    promote,
    promoted_types,
    quotient,
    same_size,
    shifted,
    times,
    with_own_sizes,
)
from s2sad.ir.nodes import Const, Value

Bound = Mapping[str, Value]
KindRule = Callable[[Bound], Kind]


def unknown(_: Bound) -> Kind:
    """Nothing is known."""
    return UNKNOWN


def always(kind: Kind) -> KindRule:
    """The same kind for all arguments."""
    return lambda _: kind


def like(param: str) -> KindRule:
    """The kind of an argument."""
    return lambda bound: bound[param].kind


# --- shapes


def shape_of(kind: Kind) -> tuple[Size, ...] | None:
    """The symbolic shape: () of a scalar, None where unknown."""
    if isinstance(kind, Scalar):
        return ()
    return kind.shape if isinstance(kind, Array) else None


def make(dtype: str | None, shape: tuple[Size, ...] | None, weak: bool = False) -> Kind:
    """An array, or a scalar where the shape is (); nothing is known of what may be either, nor of a number of unknown dtype."""
    if shape == ():
        return UNKNOWN if dtype is None else Scalar(dtype, weak)
    return UNKNOWN if shape is None else Array(dtype, shape)


def number(types: Types | None, rule: Callable[[str], str | None] = lambda dtype: dtype, weak: bool = False) -> Scalar:
    """A number of what a rule makes of each type; ``weak``: what is Python's own stays so."""
    found = [(rule(dtype), weak and own) for dtype, own in types or ()]
    known = frozenset((dtype, own) for dtype, own in found if dtype is not None)
    return Scalar(types=known if types is not None and all(dtype is not None for dtype, _ in found) else None)


def array(dtype: str | None, shape: tuple[Size, ...] | None) -> Array:
    """An array, even if it has no axes: it can be written into (see ``is_number``)."""
    return Array(dtype, None if shape == () and dtype is None else shape)


def stretch_sizes(a: Size, b: Size) -> Size:
    """The size of an axis of a broadcast result."""
    if same_size(a, b):
        return b if is_many(b) else a
    if is_many(a) and is_many(b):
        note_alike(a, b)
    if a == 1 or is_many(b):
        return b
    if b == 1 or is_many(a):
        return a
    return a if all_equal([(a, b)], met=True) else None


def broadcast_shapes(shapes: Iterable[tuple[Size, ...] | None]) -> tuple[Size, ...] | None:
    """The shape of a broadcast result."""
    result: tuple[Size, ...] = ()
    for shape in shapes:
        if shape is None:
            return None
        longer, shorter = (result, shape) if len(result) >= len(shape) else (shape, result)
        padded = (1,) * (len(longer) - len(shorter)) + shorter
        result = tuple(map(stretch_sizes, longer, padded))
    return result


OPTIONS = {"out", "where", "dtype", "casting", "order", "subok"}


def operands(bound: Bound) -> list[Kind]:
    """The kinds of the operands of a ufunc: all arguments but its options."""
    return [v.kind for k, v in bound.items() if k not in OPTIONS]


def as_array_kind(kind: Kind) -> Kind:
    """The kind that NumPy sees: (nested) tuples and lists of numbers are arrays."""
    if isinstance(kind, Tuple):
        return of_items(as_array_kind(join_all(kind.items)), len(kind.items))
    if isinstance(kind, List):
        return of_items(as_array_kind(kind.item), None)
    return kind


def of_items(inner: Kind, size: Size) -> Array:
    """The array of so many items of one kind."""
    shape = shape_of(inner)
    among = inner.among if isinstance(inner, Array) else None
    if isinstance(inner, Scalar) and inner.types is not None and inner.dtype is None:
        among = dtypes_of_items(inner.types)
    return Array(dtype_of(inner), None if shape is None else (size, *shape), among)


def _broadcast(bound: Bound, dtype_rule: Callable[[str], str], weak: bool) -> Kind:
    kinds = operands(bound)
    if all(isinstance(k, Scalar) for k in kinds):
        return number(promoted_types(*kinds), dtype_rule, weak)
    kinds = list(map(as_array_kind, kinds))
    if any(not isinstance(k, Scalar | Array) for k in kinds):
        constant = all(isinstance(v, Const) or v.kind == OBJECT for v in bound.values())
        return OBJECT if constant and OBJECT in kinds else UNKNOWN
    shape = broadcast_shapes(shape_of(k) for k in kinds)
    if shape == () and (types := promoted_types(*kinds)) is not None:
        return number(types, dtype_rule)
    dtype = promote(*kinds)
    return make(None if dtype is None else dtype_rule(dtype), shape)


def multiplied(bound: Bound) -> Kind:
    """``x * y``; a tuple times an integer is a tuple (``(2,) * x.ndim``)."""
    x, y = bound.values()
    if isinstance(y.kind, Tuple):
        x, y = y, x
    if isinstance(x.kind, Tuple) and isinstance(y.kind, Scalar) and y.kind.is_of("biu"):
        count = y.payload if isinstance(y, Const) else None
        return UNKNOWN if count is None else Tuple(_counts(x) * count, x.kind.listed)
    return _sized(broadcast(bound), bound, lambda m, n: product((m, n)))


def _to_float(dtype: str) -> str:
    return "float64" if np.dtype(dtype).kind in "biu" else dtype


def broadcast(bound: Bound) -> Kind:
    """Broadcast shape, promoted dtype: Python's and NumPy's arithmetic. Weak numbers stay weak."""
    return _broadcast(bound, lambda dtype: "int64" if dtype == "bool" else dtype, weak=True)


def counted(sign: int) -> KindRule:
    """``x + y`` or ``x - y``: a size and a literal are a size again; two tuples are one (``x.shape + y.shape``)."""

    def rule(bound: Bound) -> Kind:
        x, y = bound.values()
        if isinstance(x.kind, Tuple) and isinstance(y.kind, Tuple):
            return Tuple((*_counts(x), *_counts(y)), x.kind.listed and y.kind.listed) if sign > 0 else UNKNOWN
        return _sized(broadcast(bound), bound, lambda m, n: plus(m, times(n, sign)))

    return rule


def negated(bound: Bound) -> Kind:
    """``-x``: of a size it is one again, which may be negative."""
    kind = broadcast(bound)
    size = counted_by(bound["x"])
    return replace(kind, size=times(size, -1)) if isinstance(kind, Scalar) and isinstance(size, Dim) else kind


def counted_by(value: Value) -> Size:
    """The size that an integer is known to equal."""
    if isinstance(value, Const):
        return value.payload if type(value.payload) is int else None
    return value.kind.size if isinstance(value.kind, Scalar) and value.kind.is_of("i") else None


def _counts(value: Value) -> tuple[Kind, ...]:
    """The kinds of a tuple's items; integers that are literal are sizes."""
    assert isinstance(value.kind, Tuple)
    if not isinstance(value, Const):
        return value.kind.items
    sizes = (counted_by(Const(part)) for part in value.payload)
    return tuple(
        kind if size is None else replace(kind, size=size)  # type: ignore[call-arg]
        for kind, size in zip(value.kind.items, sizes, strict=True)
    )


def _sized(kind: Kind, bound: Bound, found: Callable[[Size, Size], Size]) -> Kind:
    """The kind of an integer that is computed of sizes."""
    m, n = map(counted_by, bound.values())
    counts = isinstance(kind, Scalar) and (isinstance(m, Dim) or isinstance(n, Dim))
    return replace(kind, size=found(m, n)) if counts else kind  # type: ignore[call-arg]


def quotient_of(bound: Bound) -> Kind:
    """``x // y``: of a size by a literal a size again."""
    return _sized(broadcast(bound), bound, lambda m, n: floor_divided(m, n) if isinstance(n, int) and n > 0 else None)


def bitwise(bound: Bound) -> Kind:
    """The same for ``&``, ``|`` and ``^``: of truth values a truth value."""
    return _broadcast(bound, lambda dtype: dtype, weak=True)


def inverted(bound: Bound) -> Kind:
    """``~x``: of arrays of truths such an array, of one of Python's an integer."""
    kind = bound["x"].kind
    return broadcast(bound) if isinstance(kind, Scalar) and kind.weak else bitwise(bound)


def broadcast_float(bound: Bound) -> Kind:
    """The same for functions whose result is never an integer: a NumPy number from numbers."""
    return _broadcast(bound, _to_float, weak=False)


def divide(bound: Bound) -> Kind:
    """True division."""
    return _broadcast(bound, _to_float, weak=True)


def one_of(bound: Bound) -> Kind:
    """``max`` and ``min`` of two: one of them as it is, which need not have the type of their sum."""
    x, y = (value.kind for value in bound.values())
    return join(x, y) if isinstance(x, Scalar) and isinstance(y, Scalar) else broadcast(bound)


def power(bound: Bound) -> Kind:
    """``x ** y``: an integer to a negative power is a float in Python; only literals tell."""
    kind = broadcast(bound)
    y = list(bound.values())[1]
    if isinstance(kind, Scalar) and kind.types is not None and ("int64", True) in kind.types:
        if not (isinstance(y, Const) and y.payload >= 0):
            return join(kind, FLOAT)
    return kind


def python_power(bound: Bound) -> Kind:
    """The operator: a fractional power of a literal below zero is complex (of a variable only the running program knows)."""
    x, y = (value.payload if isinstance(value, Const) else None for value in list(bound.values())[:2])
    if isinstance(x, int | float) and isinstance(y, float) and x < 0 and not y.is_integer():
        return Scalar("complex128")
    return power(bound)


def broadcast_bool(bound: Bound) -> Kind:
    """Comparisons and predicates."""
    return _broadcast(bound, lambda _: "bool", weak=True)


def magnitude(bound: Bound) -> Kind:
    """``abs``, ``real``, ``imag``: the real dtype that goes with a complex one."""
    real = {"complex128": "float64", "complex64": "float32"}
    return _broadcast(bound, lambda dtype: real.get(dtype, dtype), weak=True)


def weak_float(_: Bound) -> Kind:
    """Python's own float."""
    return Scalar("float64")


_OWN = {"f": "float64", "c": "complex128", "i": "int64", "u": "int64", "b": "bool"}


def own_number(bound: Bound) -> Kind:
    """A number of Python's own in place of one of NumPy's, whatever that is."""
    types = getattr(next(iter(bound.values())).kind, "types", None)
    return Scalar() if types is None else Scalar(types=frozenset((_OWN[np.dtype(dtype).kind], True) for dtype, _ in types))


# --- axes


def normal_axes(axis: Value, rank: int) -> tuple[int, ...] | None:
    """The axes that a literal ``axis`` argument names, counted from the front; None where not literal."""
    if not isinstance(axis, Const):
        return None
    if axis.payload is None:
        return tuple(range(rank))
    axes = axis.payload if isinstance(axis.payload, tuple) else (axis.payload,)
    return tuple(a % rank for a in axes) if rank else ()


def reduction(dtype_rule: Callable[[str], str | None] = lambda d: "int64" if d == "bool" else d) -> KindRule:
    """Sums, means, extrema: ``axis`` and ``keepdims`` decide the shape."""

    def rule(bound: Bound) -> Kind:
        source = as_array_kind(next(iter(bound.values())).kind)
        if isinstance(source, Scalar):
            return number(source.types, dtype_rule)
        if not isinstance(source, Array) or source.shape is None:
            axis = bound.get("axis")
            whole = isinstance(source, Array) and isinstance(axis, Const) and axis.payload is None
            kept = isinstance(k := bound.get("keepdims", Const(False)), Const) and not k.payload
            return number(_typesof_items(source), dtype_rule) if whole and kept else UNKNOWN
        axes = normal_axes(bound.get("axis", Const(None)), len(source.shape))
        keep = bound.get("keepdims", Const(False))
        if axes is None or not isinstance(keep, Const):
            return UNKNOWN
        shape: tuple[Size, ...]
        if keep.payload:
            shape = tuple(1 if k in axes else n for k, n in enumerate(source.shape))
        else:
            shape = tuple(n for k, n in enumerate(source.shape) if k not in axes)
        if shape == ():
            return number(_typesof_items(source), dtype_rule)
        return make(None if source.dtype is None else dtype_rule(source.dtype), shape)

    return rule


def _typesof_items(kind: Kind) -> Types | None:
    dtype = dtype_of(kind)
    return None if dtype is None else frozenset([(dtype, False)])




# --- shapes given as arguments


def sizes_of(value: Value) -> tuple[Size, ...] | None:
    """The shape that a shape argument names: an int, a tuple of ints, or ``x.shape``."""
    kind = value.kind
    if isinstance(value, Const):
        payload = value.payload
        entries = payload if isinstance(payload, tuple | list) else (payload,)
        return tuple(n if isinstance(n, int) and n >= 0 else None for n in entries)
    if isinstance(kind, Scalar):
        return (kind.size,)
    if isinstance(kind, Tuple):
        return tuple(k.size if isinstance(k, Scalar) else None for k in kind.items)
    return None


def dtype_argument(value: Value | None) -> str | None:
    """The dtype that a dtype argument names: a literal, a type, or the ``x.dtype`` of a known array."""
    if value is None:
        return None
    if isinstance(value.kind, Other) and value.kind.name.startswith("dtype "):
        return value.kind.name.removeprefix("dtype ")
    payload = getattr(value, "payload", None)
    try:
        return None if payload is None else str(np.dtype(payload))
    except TypeError:
        return None


def filled(default: str = "float64") -> KindRule:
    """``zeros(shape, dtype)`` and the like."""

    def rule(bound: Bound) -> Kind:
        dtype = bound.get("dtype")
        literal_none = dtype is None or (isinstance(dtype, Const) and dtype.payload is None)
        return array(default if literal_none else dtype_argument(dtype), sizes_of(bound["shape"]))

    return rule


def filled_like(param: str) -> KindRule:
    """``zeros_like(x, dtype)`` and the like: an array even for a number."""

    def rule(bound: Bound) -> Kind:
        kind = as_array_kind(bound[param].kind)
        dtype = bound.get("dtype")
        given = dtype is not None and not (isinstance(dtype, Const) and dtype.payload is None)
        if not isinstance(kind, Scalar | Array):
            return UNKNOWN
        found = array(dtype_argument(dtype) if given else kind.dtype, shape_of(kind))
        return found if given or isinstance(kind, Scalar) else replace(found, among=kind.among)

    return rule


def shape_tuple(bound: Bound) -> Kind:
    """``x.shape``: a tuple of ints that know their symbolic sizes."""
    kind = as_array_kind(next(iter(bound.values())).kind)
    shape = shape_of(kind)
    if shape is None:
        return Other("shape")
    return Tuple(tuple(Scalar("int64", size=n) for n in shape))


def rounded(bound: Bound) -> Kind:
    """``round(x, ndigits=None)``: a whole number where no digits are asked for."""
    if bound["ndigits"].kind == UNKNOWN:
        return UNKNOWN
    return INT if bound["ndigits"].kind == NONE else bound["x"].kind


def length(bound: Bound) -> Kind:
    """``len(x)``."""
    kind = next(iter(bound.values())).kind
    if isinstance(kind, Array) and kind.shape:
        return Scalar("int64", size=kind.shape[0])
    if kind.fixed:
        return Scalar("int64", size=len(kind.inner))
    return INT


# --- subscripts


def slice_kind(bound: Bound) -> Kind:
    """``slice(start, stop, step)``: literals stay literal, other parts become tokens of their values."""
    return Slice(*(_slice_part(v) for v in bound.values()))


def _slice_part(value: Value) -> Any:
    if isinstance(value, Const):
        return value.payload
    size = value.kind.size if isinstance(value.kind, Scalar) else None
    return value if size is None else size


def slice_size(size: Size, part: Slice) -> Size:
    """The size of ``axis[start:stop:step]``."""
    start, stop, step = part.start, part.stop, part.step
    if step in (-1, 1, None) and start is None and stop is None:
        return size
    if size is None or ANY_PART in (start, stop, step):
        return None
    if isinstance(size, Dim):
        start, stop = _from_end(start, size), None if stop == size else _from_end(stop, size)
    literal = all(p is None or isinstance(p, int) for p in (start, stop, step))
    if isinstance(size, int):
        return len(range(*slice(start, stop, step).indices(size))) if literal else None
    if literal and step is not None and step > 1 and start in (None, *range(min(step, 8))) and stop is None:
        evenly = quotient(size, step)  # each block of so many items has one of them
        if evenly is not None:
            return evenly
    least, step_back = least_of(size), literal and (step or 1) < 0
    if literal and step != 0 and _within(start, least - step_back) and _within(stop, least - step_back):
        fewest = len(range(*slice(start, stop, step).indices(least)))
        ends = _from_the_end(start, step_back), _from_the_end(stop, not step_back)
        if ends[0] == ends[1]:
            return fewest
        least = fewest if ends == (step_back, not step_back) else 0  # more items of a longer axis, or fewer
    else:
        least = 0
    forwards = step is None or isinstance(step, int) and step > 0
    start = 0 if start is None and forwards else start  # a step back begins at the end
    counted = isinstance(start, int) and start >= 0 and (stop is None or (isinstance(stop, int) and stop < 0))
    if step in (1, None) and counted:
        return fewer(size, start - (stop or 0))
    if isinstance(step, int) and step > 1 and counted:
        return not_negative(floor_divided(shifted(size, step - 1 - start + (stop or 0)), step))
    if start == 0 and isinstance(stop, Dim) and step in (1, None):
        both = is_many(size) and is_many(stop) and stop.least >= 0
        return Dim(("slice", size, start, stop, step), many=both, least=min(least_of(size), least_of(stop)))
    return Dim(("slice", size, start, stop, step), least=least)


def _within(part: int | None, least: int) -> bool:
    """Certainty that an end of a slice lies within an axis of at least so many items."""
    return part is None or -least <= part <= least and least >= 0


def _from_the_end(part: int | None, outside: bool) -> bool:
    """Test for an end of a slice that is counted from the end of the axis; what is left out is the end, or the beginning."""
    return outside if part is None else part < 0


def _from_end(part: Any, size: Dim) -> Any:
    """A bound such as ``n - 1`` of an axis of size n, written as Python writes it from the end, unless it may be negative."""
    if isinstance(part, Dim) and part.key == size.key and part.offset < size.offset and part.least >= 0:
        return part.offset - size.offset
    return part


def subscript(base: Kind, index: list[tuple[str, Any]]) -> Kind:
    """The kind of ``base[index]``; each index item is (what, payload):

    ('int', None), ('slice', parts or None), ('none', None), ('ellipsis', None), ('array', kind), ('unknown', None).
    """
    if not isinstance(base, Array):
        return UNKNOWN
    if any(what == "unknown" for what, _ in index):
        return Array(base.dtype, None) if any(w == "slice" for w, _ in index) else UNKNOWN
    if base.shape is None:
        return Array(base.dtype, None) if any(w in ("slice", "array", "ellipsis", "none") for w, _ in index) else UNKNOWN
    consumed = sum(_axes_used(what, payload) for what, payload in index)
    if consumed > len(base.shape):
        return UNKNOWN
    missing = len(base.shape) - consumed
    explicit = any(what == "ellipsis" for what, _ in index)
    found = _subscript_shape(base, index if explicit else [*index, ("ellipsis", None)], missing)
    if found.shape == ():
        return array(base.dtype, ()) if explicit else _one_item(base)  # x[..., 0] is a window, x[0] a number
    return found if base.among is None else replace(found, among=base.among)


def _one_item(base: Array) -> Kind:
    """The kind of one item of an array."""
    if base.dtype is None and base.among is not None:
        return Scalar(types=frozenset((dtype, False) for dtype in base.among))
    return make(base.dtype, ())


def _axes_used(what: str, payload: Any) -> int:
    if what == "array" and isinstance(payload, Array) and payload.dtype == "bool":
        return payload.rank or 1
    return 0 if what in ("none", "ellipsis") else 1


def _subscript_shape(base: Array, index: list[tuple[str, Any]], missing: int) -> Array:
    assert base.shape is not None
    sizes: list[Size] = []
    axis = 0
    advanced: list[tuple[Size, ...] | None] = []
    places: list[int] = []
    ints: list[int] = []
    for position, (what, payload) in enumerate(index):
        if what == "ellipsis":
            sizes += base.shape[axis : axis + missing]
            axis += missing
        elif what == "none":
            sizes.append(1)
        elif what == "slice":
            sizes.append(slice_size(base.shape[axis], payload))
            axis += 1
        elif what == "int":
            ints.append(position)
            axis += 1
        else:
            advanced.append((None,) if payload.dtype == "bool" else payload.shape)
            places.append(len(sizes))
            axis += _axes_used(what, payload)
    if advanced:
        block = broadcast_shapes(advanced)
        if block is None or (ints and len(index) > len(ints) + len(advanced) + 1):
            return Array(base.dtype, None)
        apart = any(p != places[0] for p in places)
        at = 0 if apart else places[0]
        return Array(base.dtype, (*sizes[:at], *block, *sizes[at:]))
    return Array(base.dtype, tuple(sizes))


def index_items(kind: Kind) -> list[tuple[str, Any]]:
    """Classify the kind of an index for ``subscript``."""
    return [_index_item(item) for item in index_parts(kind)]


def _index_item(kind: Kind) -> tuple[str, Any]:
    if kind == NONE:
        return ("none", None)
    if kind == ELLIPSIS:
        return ("ellipsis", None)
    if isinstance(kind, Slice):
        return ("slice", kind)
    if isinstance(kind, Scalar) and kind.is_of("iu"):
        return ("int", None)
    if isinstance(kind, Array):
        return ("array", kind)
    if isinstance(kind, Tuple | List):
        inner = as_array_kind(kind)
        return ("array", inner) if isinstance(inner, Array) and inner.dtype else ("unknown", None)
    return ("unknown", None)


def getitem(bound: Bound) -> Kind:
    """``base[index]``."""
    base, index = bound["a"].kind, bound["index"]
    if isinstance(base, List):
        return base if isinstance(index.kind, Slice) else with_own_sizes(base.item)
    if isinstance(base, Tuple | StructKind) and isinstance(index, Const):
        return _constant_item(base, index.payload)
    if base == RANGE:
        return RANGE if isinstance(index.kind, Slice) else INT
    if base == STR:
        return STR
    return subscript(base, index_items(index.kind))


def _constant_item(base: Tuple | StructKind, key: Any) -> Kind:
    if isinstance(base, StructKind):
        return base.items[base.keys.index(key)] if key in base.keys else UNKNOWN
    if isinstance(key, slice):
        return Tuple(base.items[key])
    return base.items[key] if isinstance(key, int) and -len(base.items) <= key < len(base.items) else UNKNOWN


def attribute(bound: Bound) -> Kind:
    """``owner.name``."""
    owner, name = bound["owner"].kind, bound["name"]
    return _constant_item(owner, name.payload) if isinstance(owner, StructKind) and isinstance(name, Const) else UNKNOWN


def item_of(kind: Kind) -> Kind:
    """The kind of the items that iterating over a value yields."""
    if isinstance(kind, Array):
        if kind.rank == 1:
            return _one_item(kind)
        return UNKNOWN if kind.shape is None else make(kind.dtype, kind.shape[1:])
    if isinstance(kind, List):
        return kind.item
    if isinstance(kind, Tuple):
        return join_all(kind.items)
    if isinstance(kind, Other) and kind.name == "range":
        return INT
    return UNKNOWN


# --- products


def matmul(bound: Bound) -> Kind:
    """``x @ y`` for all rank pairs."""
    x, y = list(bound.values())[:2]
    a, b = as_array_kind(x.kind), as_array_kind(y.kind)
    if not (isinstance(a, Array) and isinstance(b, Array)):
        return OBJECT if a == b == OBJECT else UNKNOWN
    dtype = promote(a, b)
    if not a.shape or not b.shape:
        return Array(dtype, None) if (a.rank or 0) > 1 or (b.rank or 0) > 1 else UNKNOWN  # of two vectors, a number
    rows = a.shape[-2:-1]
    columns = b.shape[-1:] if len(b.shape) > 1 else ()
    note_alike(a.shape[-1], b.shape[-2:][0])
    batch = broadcast_shapes([a.shape[:-2], b.shape[:-2]])
    return make(dtype, None if batch is None else (*batch, *rows, *columns))


def gathered(bound: Bound) -> Kind:
    """``bar[index]`` as a new array."""
    base, index = list(bound.values())[:2]
    return subscript(base.kind, index_items(index.kind))
