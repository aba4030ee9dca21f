"""Kinds of the results of NumPy's functions: dtypes by NumPy's own tables, shapes with their symbolic sizes.

``kind_rules`` holds what all tables share; here is what follows from single functions' conventions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from s2sad.ir.kinds import (
    INT,
    UNKNOWN,
    Array,
    Dim,
    Kind,
    List,
    Other,
    Scalar,
    Size,
    Tuple,
    dtype_of,
    is_many,
    same_size,
)
from s2sad.ir.nodes import Const, Value
from s2sad.rules import kind_rules
from s2sad.rules.kind_rules import Bound, KindRule, broadcast_shapes, make, shape_of, sizes_of

Shape = tuple[Size, ...]
ARRAY = Array(None, None)
PYTHON = {"int64": int, "float64": float, "complex128": complex}


# --- what NumPy makes of an argument


def array_kind(kind: Kind) -> Kind:
    """The kind of ``np.asarray(x)``, a scalar where it has no axes; tuples and lists of numbers are arrays."""
    if isinstance(kind, Tuple):
        items = [array_kind(item) for item in kind.items]
        shape = items and broadcast_equal([shape_of(item) for item in items])
        return Array(strong_dtype(items), None if shape is None else (len(items), *shape))
    if isinstance(kind, List):
        item = array_kind(kind.item)
        inner = shape_of(item)
        return Array(dtype_of(item), None if inner is None else (None, *inner))
    return kind


def broadcast_equal(shapes: list[Shape | None]) -> Shape | None:
    """The common shape of items that are stacked."""
    known = [shape for shape in shapes if shape is not None]
    if not known or any(len(shape) != len(known[0]) for shape in known):
        return None
    return tuple(next((n for n in sizes if n is not None), None) for sizes in zip(*known, strict=True))


def strong_dtype(kinds: Iterable[Kind]) -> str | None:
    """The dtype of arrays put together: Python's numbers count as the arrays that they would become."""
    names = [dtype_of(kind) for kind in kinds]
    found = [name for name in names if name is not None]
    return str(np.result_type(*found)) if found and len(found) == len(names) else None


def first(bound: Bound) -> Kind:
    """The kind that NumPy sees of the first argument."""
    return array_kind(next(iter(bound.values())).kind)


def literal_of(value: Value | None, default: Any = None) -> Any:
    """The value of a literal argument; ``default`` where it is not literal."""
    return value.payload if isinstance(value, Const) else default


# --- ufuncs


@lru_cache(maxsize=None)
def _resolved(name: str, inputs: tuple[Any, ...]) -> str | None:
    ufunc = getattr(np, name)
    try:
        dtypes = ufunc.resolve_dtypes((*inputs, *(None,) * ufunc.nout))
    except TypeError:
        return None
    return str(dtypes[ufunc.nin])


def ufunc(name: str) -> KindRule:
    """The result of the ufunc ``numpy.<name>``, its dtype by NumPy's own resolution."""

    def rule(bound: Bound) -> Kind:
        kinds = [array_kind(value.kind) for value in bound.values()]
        if any(not isinstance(kind, Scalar | Array) for kind in kinds):
            return UNKNOWN
        shape = broadcast_shapes([shape_of(kind) for kind in kinds])
        inputs = tuple(map(_input, kinds))
        dtype = None if None in inputs else _resolved(name, inputs)
        return make(dtype, shape)

    return rule


def _input(kind: Kind) -> Any:
    name = dtype_of(kind)
    if name is None:
        return None
    return PYTHON.get(name, np.dtype(name)) if isinstance(kind, Scalar) and kind.weak else np.dtype(name)


def broadcast_array(*params: str) -> KindRule:
    """Broadcasting of the named arguments to an array, also from numbers: ``numpy.where``."""

    def rule(bound: Bound) -> Kind:
        kinds = [array_kind(value.kind) for value in bound.values()]
        if any(not isinstance(kind, Scalar | Array) for kind in kinds):
            return ARRAY
        shape = broadcast_shapes([shape_of(kind) for kind in kinds])
        inputs = tuple(_input(array_kind(bound[p].kind)) for p in params)
        return Array(None if None in inputs else _resolved("add", inputs), shape)

    return rule


def real_dtype(dtype: str) -> str:
    """The dtype of the absolute value."""
    return {"complex128": "float64", "complex64": "float32"}.get(dtype, dtype)


def float_dtype(dtype: str) -> str:
    """The dtype of a mean: integers become floats."""
    return "float64" if np.dtype(dtype).kind in "biu" else dtype


def real_float(dtype: str) -> str:
    """The dtype of a norm."""
    return real_dtype(float_dtype(dtype))


def sum_dtype(dtype: str) -> str:
    """The dtype of a sum: small integers become the platform's."""
    kind, size = np.dtype(dtype).kind, np.dtype(dtype).itemsize
    if kind == "b" or (kind == "i" and size < 8):
        return "int64"
    return "uint64" if kind == "u" else dtype


def same(rule: Callable[[str], str] = lambda dtype: dtype) -> KindRule:
    """The shape of the first argument, a number for a number."""

    def kind(bound: Bound) -> Kind:
        source = first(bound)
        if not isinstance(source, Scalar | Array):
            return UNKNOWN
        return make(None if source.dtype is None else rule(source.dtype), shape_of(source))

    return kind


# --- reductions


def reduced(rule: Callable[[str], str] = lambda dtype: dtype) -> KindRule:
    """``axis`` and ``keepdims`` decide the shape, ``dtype`` the dtype where it is given."""
    shapes = kind_rules.reduction(rule)

    def kind(bound: Bound) -> Kind:
        found = shapes({**bound, next(iter(bound)): Value(first(bound))})
        given = bound.get("dtype", Const(None))
        if literal_of(given, given) is None or not isinstance(found, Scalar | Array):
            return found
        dtype = kind_rules.dtype_argument(given)
        return UNKNOWN if dtype is None and isinstance(found, Scalar) else make(dtype, shape_of(found))

    return kind


def cumulative(bound: Bound) -> Kind:
    """``cumsum``: along an axis the shape stays, without one the array is flattened."""
    source = first(bound)
    if not isinstance(source, Scalar | Array):
        return ARRAY
    dtype = None if source.dtype is None else sum_dtype(source.dtype)
    shape = shape_of(source)
    axis = bound["axis"]
    if literal_of(axis, axis) is None:
        return Array(dtype, (product_size(shape),))
    return Array(dtype, shape if isinstance(axis, Const) else None)


def product_size(shape: Shape | None) -> Size:
    """The number of items of an array."""
    if shape is None or any(n is None for n in shape):
        return None
    symbols = [n for n in shape if isinstance(n, Dim)]
    count = 1
    for n in shape:
        count *= n if isinstance(n, int) else 1
    if not symbols or count == 0:
        return count
    if len(symbols) == 1 and count == 1:
        return symbols[0]
    return Dim(("product", shape), many=any(map(is_many, shape)))


def sum_of_sizes(sizes: list[Size]) -> Size:
    """The size of pieces put end to end."""
    if any(n is None for n in sizes):
        return None
    if all(isinstance(n, int) for n in sizes):
        return sum(n for n in sizes if isinstance(n, int))
    return sizes[0] if len(sizes) == 1 else Dim(("sum", tuple(sizes)))


# --- arrays from arrays


def shaped(function: Callable[[Shape, Bound], Shape | None], param: str | None = None) -> KindRule:
    """An array of the first argument's dtype whose shape ``function`` finds."""

    def rule(bound: Bound) -> Kind:
        source = first(bound) if param is None else array_kind(bound[param].kind)
        if not isinstance(source, Scalar | Array):
            return ARRAY
        shape = shape_of(source)
        try:
            return Array(source.dtype, None if shape is None else function(shape, bound))
        except (IndexError, ValueError, TypeError):  # a call that NumPy refuses at run time
            return Array(source.dtype, None)

    return rule


same_shape = shaped(lambda shape, _: shape)


def _unknown(shape: Shape) -> Shape:
    return (None,) * len(shape)


def reshape(shape: Shape, bound: Bound) -> Shape | None:
    """``reshape(a, shape)``: a size of -1 is what remains."""
    wanted = sizes_of(bound["shape"])
    payload = literal_of(bound["shape"])
    if wanted is None:
        return None
    holes = [k for k, n in enumerate(_entries(payload, len(wanted))) if n == -1]
    if not holes and isinstance(bound["shape"].kind, Tuple) and wanted.count(None) == 1:
        return wanted  # an unknown entry may be -1 or a size
    if len(holes) == 1:
        rest = list(shape)
        for size in (n for k, n in enumerate(wanted) if k != holes[0]):
            match = next((k for k, n in enumerate(rest) if same_size(n, size)), None)
            if match is None and size != 1:
                return _divided(shape, wanted, holes[0])
            if match is not None:
                rest.pop(match)
        return tuple(product_size(tuple(rest)) if k == holes[0] else n for k, n in enumerate(wanted))
    return wanted


def _entries(payload: Any, count: int) -> tuple[Any, ...]:
    if payload is None:
        return (None,) * count
    return tuple(payload) if isinstance(payload, tuple | list) else (payload,)


def _divided(shape: Shape, wanted: Shape, hole: int) -> Shape:
    total = product_size(shape)
    known = product_size(tuple(n for k, n in enumerate(wanted) if k != hole))
    size = total // known if isinstance(total, int) and isinstance(known, int) and known else None
    return tuple(size if k == hole else n for k, n in enumerate(wanted))


def flattened(shape: Shape, _: Bound) -> Shape:
    """``ravel``."""
    return (product_size(shape),)


def transposed(shape: Shape, bound: Bound) -> Shape:
    """``transpose(a, axes)``."""
    axes = bound.get("axes", Const(None))
    if not isinstance(axes, Const):
        return _unknown(shape)
    if axes.payload is None:
        return shape[::-1]
    return tuple(shape[k] for k in axes.payload)


def swapped(shape: Shape, bound: Bound) -> Shape:
    """``swapaxes``."""
    first_axis, second_axis = literal_of(bound["axis1"]), literal_of(bound["axis2"])
    if first_axis is None or second_axis is None:
        return _unknown(shape)
    sizes = list(shape)
    sizes[first_axis], sizes[second_axis] = sizes[second_axis], sizes[first_axis]
    return tuple(sizes)


def moved(shape: Shape, bound: Bound) -> Shape:
    """``moveaxis``."""
    source, target = literal_of(bound["source"]), literal_of(bound["destination"])
    if source is None or target is None:
        return _unknown(shape)
    sources, targets = (_entries(axes, 1) for axes in (source, target))
    rank = len(shape)
    order = [k for k in range(rank) if k not in {s % rank for s in sources}]
    for to, come in sorted((t % rank, s % rank) for t, s in zip(targets, sources, strict=True)):
        order.insert(to, come)
    return tuple(shape[k] for k in order)


def squeezed(shape: Shape, bound: Bound) -> Shape | None:
    """``squeeze``: without an axis, only known sizes tell."""
    axis = bound["axis"]
    if literal_of(axis, axis) is None:
        sure = all(n == 1 or is_many(n) for n in shape)
        return tuple(n for n in shape if n != 1) if sure else None
    axes = kind_rules.normal_axes(axis, len(shape))
    return None if axes is None else tuple(n for k, n in enumerate(shape) if k not in axes)


def expanded(shape: Shape, bound: Bound) -> Shape | None:
    """``expand_dims``."""
    axis = literal_of(bound["axis"])
    if axis is None:
        return None
    axes = _entries(axis, 1)
    places = {a % (len(shape) + len(axes)) for a in axes}
    sizes = iter(shape)
    return tuple(1 if k in places else next(sizes) for k in range(len(shape) + len(axes)))


def at_least(rank: int) -> Callable[[Shape, Bound], Shape]:
    """``atleast_1d``, ``atleast_2d``."""
    return lambda shape, _: (1,) * (rank - len(shape)) + shape


def rotated(shape: Shape, bound: Bound) -> Shape:
    """``rot90``."""
    times, axes = literal_of(bound["k"]), literal_of(bound["axes"])
    if times is None or axes is None:
        return _unknown(shape)
    if times % 2 == 0:
        return shape
    return swapped(shape, {"axis1": Const(axes[0]), "axis2": Const(axes[1])})


def _times(size: Size, count: Any) -> Size:
    if count == 1:
        return size
    return size * count if isinstance(size, int) and isinstance(count, int) else None


def tiled(shape: Shape, bound: Bound) -> Shape | None:
    """``tile``."""
    reps = literal_of(bound["reps"])
    if reps is None:
        return None
    counts = _entries(reps, 1)
    rank = max(len(counts), len(shape))
    counts = (1,) * (rank - len(counts)) + counts
    return tuple(map(_times, (1,) * (rank - len(shape)) + shape, counts))


def repeated(shape: Shape, bound: Bound) -> Shape | None:
    """``repeat``."""
    repeats, axis = literal_of(bound["repeats"]), bound["axis"]
    count = repeats if isinstance(repeats, int) else None
    if literal_of(axis, axis) is None:
        return (_times(product_size(shape), count),)
    if not isinstance(axis, Const):
        return _unknown(shape)
    return tuple(_times(n, count) if k == axis.payload % len(shape) else n for k, n in enumerate(shape))


def _diagonal_size(rows: Size, columns: Size, offset: Any) -> Size:
    if isinstance(rows, int) and isinstance(columns, int) and isinstance(offset, int):
        return max(0, min(rows + min(0, offset), columns - max(0, offset)))
    return rows if offset == 0 and same_size(rows, columns) else None


def diagonal(shape: Shape, bound: Bound) -> Shape | None:
    """``diagonal``."""
    axis1, axis2 = literal_of(bound["axis1"]), literal_of(bound["axis2"])
    if axis1 is None or axis2 is None:
        return (None,) * (len(shape) - 1)
    pair = {axis1 % len(shape), axis2 % len(shape)}
    size = _diagonal_size(shape[axis1], shape[axis2], literal_of(bound["offset"]))
    return (*(n for k, n in enumerate(shape) if k not in pair), size)


def diag(shape: Shape, bound: Bound) -> Shape | None:
    """``diag``: a matrix from a vector, a vector from a matrix."""
    offset = literal_of(bound["k"])
    if len(shape) == 2:
        return (_diagonal_size(shape[0], shape[1], offset),)
    size = shape[0] if offset == 0 else shape[0] + abs(offset) if isinstance(shape[0], int) and offset else None
    return (size, size)


def triangle(shape: Shape, _: Bound) -> Shape:
    """``tril``, ``triu``: a vector counts as rows."""
    return shape if len(shape) != 1 else (shape[0], shape[0])


def traced(bound: Bound) -> Kind:
    """``trace``: a number from a matrix."""
    found = shaped(diagonal)({k: v for k, v in bound.items() if k != "dtype"})
    if not isinstance(found, Array) or found.shape is None:
        return UNKNOWN
    return make(None if found.dtype is None else sum_dtype(found.dtype), found.shape[:-1])


def taken(bound: Bound) -> Kind:
    """``take``: the shape of the indices takes the place of the axis."""
    source, indices, axis = first(bound), array_kind(bound["indices"].kind), bound["axis"]
    if not (isinstance(source, Array | Scalar) and isinstance(indices, Array | Scalar)):
        return UNKNOWN
    shape, inner = shape_of(source), shape_of(indices)
    if literal_of(axis, axis) is None:
        return UNKNOWN if inner is None else make(source.dtype, inner)
    if shape is None or inner is None or not isinstance(axis, Const):
        return Array(source.dtype, None) if inner is None or inner else UNKNOWN
    at = axis.payload % len(shape)
    return make(source.dtype, (*shape[:at], *inner, *shape[at + 1 :]))


def padded(shape: Shape, bound: Bound) -> Shape:
    """``pad``: literal widths add up."""
    widths = literal_of(bound["pad_width"])
    if widths is None or isinstance(widths, dict):
        return _unknown(shape)
    pairs = np.broadcast_to(widths, (len(shape), 2)).tolist()
    return tuple(
        n + a + b if isinstance(n, int) else n if a + b == 0 else None for n, (a, b) in zip(shape, pairs, strict=True)
    )


def diffed(shape: Shape, bound: Bound) -> Shape:
    """``diff``: one item less a time."""
    n, axis = literal_of(bound["n"]), literal_of(bound["axis"])
    if n is None or axis is None:
        return _unknown(shape)
    return tuple(_less(size, n) if k == axis % len(shape) else size for k, size in enumerate(shape))


def _less(size: Size, n: int) -> Size:
    if isinstance(size, Dim):
        return Dim(("dropped", size.key, size.offset), -n)  # the token of x[n:], which has the same size
    return None if size is None else max(0, size - n)


# --- several arrays


def _items(kind: Kind) -> tuple[list[Kind], bool] | None:
    """The kinds of the arrays that are put together, and whether these are all."""
    if isinstance(kind, Tuple):
        return [array_kind(item) for item in kind.items], True
    if isinstance(kind, List):
        return [array_kind(kind.item)], False
    if isinstance(kind, Array) and kind.shape:
        item = make(kind.dtype, kind.shape[1:])
        count = kind.shape[0]
        return ([item] * count, True) if isinstance(count, int) and 0 < count < 100 else ([item], False)
    return None


def stacked(bound: Bound) -> Kind:
    """``stack(arrays, axis)``: a new axis."""
    found = _items(next(iter(bound.values())).kind)
    if found is None:
        return ARRAY
    items, complete = found
    dtype = strong_dtype(items)
    shape = broadcast_equal([shape_of(item) for item in items])
    axis = literal_of(bound["axis"])
    if shape is None or axis is None:
        return Array(dtype, None if shape is None else (None,) * (len(shape) + 1))
    at = axis % (len(shape) + 1)
    return Array(dtype, (*shape[:at], len(items) if complete else None, *shape[at:]))


def concatenated(prepare: Callable[[Shape], Shape], axis_of: Callable[[Bound, int], int | None]) -> KindRule:
    """``concatenate`` and its relatives, which first give each array the shape that ``prepare`` says."""

    def rule(bound: Bound) -> Kind:
        found = _items(next(iter(bound.values())).kind)
        if found is None:
            return ARRAY
        items, complete = found
        dtype = strong_dtype(items)
        known = [shape_of(item) for item in items]
        shapes = [prepare(shape) for shape in known if shape is not None]
        ranks = {len(shape) for shape in shapes}
        if len(ranks) != 1:
            return Array(dtype, None)
        (rank,) = ranks
        axis = axis_of(bound, rank)
        if axis is None or not rank:
            return Array(dtype, (None,) * rank if rank else None)
        whole = complete and len(shapes) == len(known)
        return Array(
            dtype,
            tuple(
                (sum_of_sizes(list(sizes)) if whole else None) if k == axis % rank else next((n for n in sizes if n is not None), None)
                for k, sizes in enumerate(zip(*shapes, strict=True))
            ),
        )

    return rule


def _axis_argument(bound: Bound, rank: int) -> int | None:
    axis = literal_of(bound["axis"])
    return axis if isinstance(axis, int) else None


def concatenate(bound: Bound) -> Kind:
    """``concatenate(arrays, axis)``."""
    axis = bound["axis"]
    if literal_of(axis, axis) is None:
        found = _items(next(iter(bound.values())).kind)
        return ARRAY if found is None else Array(strong_dtype(found[0]), (None,))
    return concatenated(lambda shape: shape, _axis_argument)(bound)


vstack = concatenated(lambda shape: (1,) * (2 - len(shape)) + shape, lambda _, rank: 0)
hstack = concatenated(lambda shape: shape or (1,), lambda _, rank: min(1, rank - 1))
column_stack = concatenated(lambda shape: shape if len(shape) > 1 else (*(shape or (1,)), 1), lambda _, rank: 1)


# --- products


def dot(bound: Bound) -> Kind:
    """``dot(a, b)``: the last axis of a with the last but one of b."""
    a, b = (array_kind(v.kind) for v in list(bound.values())[:2])
    if not (isinstance(a, Scalar | Array) and isinstance(b, Scalar | Array)):
        return UNKNOWN
    m, n = shape_of(a), shape_of(b)
    dtype = kind_rules.promote(a, b)
    if m is None or n is None:
        return UNKNOWN
    if not m or not n:
        return make(dtype, m + n)
    return make(dtype, (*m[:-1], *n[:-2], *(n[-1:] if len(n) > 1 else ())))


def inner(bound: Bound) -> Kind:
    """``inner(a, b)``: the last axes of both."""
    a, b = (array_kind(v.kind) for v in list(bound.values())[:2])
    m, n = shape_of(a), shape_of(b)
    if m is None or n is None:
        return UNKNOWN
    dtype = kind_rules.promote(a, b)
    return make(dtype, m[:-1] + n[:-1]) if m and n else make(dtype, m + n)


def outer(bound: Bound) -> Kind:
    """``outer(a, b)``: both flattened."""
    a, b = (array_kind(v.kind) for v in list(bound.values())[:2])
    return Array(strong_dtype([a, b]), (product_size(shape_of(a)), product_size(shape_of(b))))


def number(bound: Bound) -> Kind:
    """A number of the promoted dtype: ``vdot``."""
    dtype = kind_rules.promote(*(array_kind(v.kind) for v in list(bound.values())[:2]))
    return UNKNOWN if dtype is None else Scalar(dtype, weak=False)


def tensordot(bound: Bound) -> Kind:
    """``tensordot(a, b, axes)``, an array also without axes."""
    a, b = (array_kind(bound[p].kind) for p in ("a", "b"))
    m, n = shape_of(a), shape_of(b)
    dtype = strong_dtype([a, b])
    axes = literal_of(bound["axes"])
    if m is None or n is None or axes is None:
        return Array(dtype, None)
    if isinstance(axes, int):
        return Array(dtype, m[: len(m) - axes] + n[axes:])
    of_a = {k % len(m) for k in _entries(axes[0], 1)}
    of_b = {k % len(n) for k in _entries(axes[1], 1)}
    free_a = tuple(s for k, s in enumerate(m) if k not in of_a)
    return Array(dtype, free_a + tuple(s for k, s in enumerate(n) if k not in of_b))


def kron(bound: Bound) -> Kind:
    """``kron(a, b)``: sizes multiply."""
    a, b = (array_kind(bound[p].kind) for p in ("a", "b"))
    m, n = shape_of(a), shape_of(b)
    dtype = strong_dtype([a, b])
    if m is None or n is None:
        return Array(dtype, None)
    rank = max(len(m), len(n))
    if rank == 0:
        return UNKNOWN
    m, n = (1,) * (rank - len(m)) + m, (1,) * (rank - len(n)) + n
    return Array(dtype, tuple(product_size(pair) for pair in zip(m, n, strict=True)))


def einsum(bound: Bound) -> Kind:
    """``einsum`` with literal subscripts without an ellipsis; otherwise only the dtype."""
    kinds = [array_kind(v.kind) for k, v in bound.items() if k.startswith("operands")]
    dtype = strong_dtype(kinds)
    subscripts = literal_of(bound["subscripts"])
    if not isinstance(subscripts, str) or "..." in subscripts:
        return UNKNOWN
    left, arrow, result = subscripts.replace(" ", "").partition("->")
    if not arrow:
        result = "".join(sorted(c for c in set(left) - {","} if left.count(c) == 1))
    sizes: dict[str, Size] = {}
    for labels, kind in zip(left.split(","), kinds, strict=True):
        shape = shape_of(kind)
        if shape is None or len(shape) != len(labels):
            shape = (None,) * len(labels)
        for c, size in zip(labels, shape, strict=True):
            sizes[c] = kind_rules.stretch_sizes(sizes[c], size) if c in sizes else size
    return make(dtype, tuple(sizes.get(c) for c in result))


def crossed(bound: Bound) -> Kind:
    """``cross(a, b)`` of vectors with three components along the last axes."""
    kinds = [array_kind(bound[p].kind) for p in ("a", "b")]
    shapes = [shape_of(kind) for kind in kinds]
    dtype = strong_dtype(kinds)
    default = all(literal_of(bound[p]) == v for p, v in (("axisa", -1), ("axisb", -1), ("axisc", -1), ("axis", None)))
    if not default or any(not shape or shape[-1] != 3 for shape in shapes):
        return Array(dtype, None)
    outer_shape = broadcast_shapes([shape[:-1] for shape in shapes if shape])
    return Array(dtype, None if outer_shape is None else (*outer_shape, 3))


def convolved(bound: Bound) -> Kind:
    """``convolve``: a vector; known sizes add up."""
    a, v = (array_kind(bound[p].kind) for p in ("a", "v"))
    m, n = (product_size(shape_of(kind)) for kind in (a, v))
    mode = literal_of(bound["mode"])
    if not isinstance(m, int) or not isinstance(n, int):
        return Array(strong_dtype([a, v]), (None,))
    sizes = {"full": m + n - 1, "same": max(m, n), "valid": max(m, n) - min(m, n) + 1}
    return Array(strong_dtype([a, v]), (sizes.get(mode),))


def solved(bound: Bound) -> Kind:
    """``linalg.solve(a, b)``: the shape of b, with the batch axes of both."""
    a, b = (array_kind(bound[p].kind) for p in ("a", "b"))
    m, n = shape_of(a), shape_of(b)
    dtype = strong_dtype([a, b])
    if m is None or n is None or len(m) < 2 or not n:
        return Array(dtype, None)
    if len(n) == 1:
        return Array(dtype, m[:-1])
    batch = broadcast_shapes([m[:-2], n[:-2]])
    return Array(dtype, None if batch is None else (*batch, m[-2], n[-1]))


def determinant(bound: Bound) -> Kind:
    """``linalg.det``: a number for a matrix."""
    a = first(bound)
    shape = shape_of(a)
    return UNKNOWN if not shape else make(dtype_of(a), shape[:-2])


# --- constructors


def _dtype_or(bound: Bound, default: str | None) -> str | None:
    given = bound.get("dtype", Const(None))
    return default if literal_of(given, given) is None else kind_rules.dtype_argument(given)


def converted(param: str) -> KindRule:
    """``array(x, dtype)``, ``asarray``: an array of the shape of x."""

    def rule(bound: Bound) -> Kind:
        kind = array_kind(bound[param].kind)
        if not isinstance(kind, Scalar | Array):
            return Array(_dtype_or(bound, None), None)
        shape = shape_of(kind)
        least = literal_of(bound.get("ndmin", Const(0)))
        if least is None or (least and shape is None):
            return Array(_dtype_or(bound, kind.dtype), None)
        return Array(_dtype_or(bound, kind.dtype), shape and (1,) * (least - len(shape)) + shape if shape else (1,) * least if shape == () else None)

    return rule


def cast(bound: Bound) -> Kind:
    """``x.astype(dtype)``; of a NumPy number a number."""
    kind = first(bound)
    dtype = kind_rules.dtype_argument(bound["dtype"])
    if isinstance(kind, Scalar):
        return UNKNOWN if dtype is None else Scalar(dtype, weak=False)
    return Array(dtype, shape_of(kind))


def full(bound: Bound) -> Kind:
    """``full(shape, value)``."""
    return Array(_dtype_or(bound, dtype_of(array_kind(bound["fill_value"].kind))), sizes_of(bound["shape"]))


def counted(param: str, default: str = "float64") -> KindRule:
    """A vector whose length an argument gives: ``linspace``."""

    def rule(bound: Bound) -> Kind:
        ends = [array_kind(bound[p].kind) for p in ("start", "stop")]
        if any(not isinstance(kind, Scalar) for kind in ends):
            return Array(_dtype_or(bound, None), None)
        names = [np.result_type(dtype_of(kind) or default, default) for kind in ends]
        return Array(_dtype_or(bound, str(np.result_type(*names))), sizes_of(bound[param]))

    return rule


def arange(bound: Bound) -> Kind:
    """``arange(n)`` has the size n; other calls an unknown one."""
    limits = [v.kind for k, v in bound.items() if k in ("start", "stop", "step") and literal_of(v, v) is not None]
    dtype = _dtype_or(bound, kind_rules.promote(*limits))
    alone = literal_of(bound["stop"], bound["stop"]) is None
    start = bound["start"]
    size = sizes_of(start) if alone and isinstance(start.kind, Scalar) and start.kind.dtype == "int64" else None
    return Array(dtype, size or (None,))


def square(rows: str, columns: str | None = None) -> KindRule:
    """``eye(N, M)``, ``identity(n)``, ``tri``."""

    def rule(bound: Bound) -> Kind:
        n = sizes_of(bound[rows])
        given = None if columns is None else bound[columns]
        m = n if given is None or literal_of(given, given) is None else sizes_of(given)
        return Array(_dtype_or(bound, "float64"), (*(n or (None,)), *(m or (None,))))

    return rule


# --- facts about shapes


def rank(bound: Bound) -> Kind:
    """``x.ndim``."""
    shape = shape_of(first(bound))
    return INT if shape is None else Scalar("int64", size=len(shape))


def size(bound: Bound) -> Kind:
    """``x.size``."""
    shape = shape_of(first(bound))
    axis = bound.get("axis", Const(None))
    if literal_of(axis, axis) is not None:
        known = shape is not None and isinstance(axis, Const) and isinstance(axis.payload, int)
        return Scalar("int64", size=shape[axis.payload]) if known and shape else INT  # type: ignore[attr-defined]
    return Scalar("int64", size=product_size(shape))


def dtype(bound: Bound) -> Kind:
    """``x.dtype``: its name is part of the kind."""
    name = dtype_of(first(bound))
    return Other("dtype") if name is None else Other(f"dtype {name}")
