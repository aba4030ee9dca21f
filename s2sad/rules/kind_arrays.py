"""Kinds of what NumPy makes of arguments: ufuncs, reductions, constructors, by NumPy's own tables of dtypes.

``kind_rules`` holds what all tables share; here and in ``kind_shapes`` and ``kind_products`` is what follows
from NumPy's conventions.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from s2sad.ir.kinds import (
    FLOAT,
    INT,
    NARROW,
    OBJECT,
    UNKNOWN,
    Array,
    Kind,
    List,
    Other,
    Scalar,
    Size,
    Tuple,
    dtype_of,
    floor_divided,
    is_differentiable,
    minus,
    not_negative,
    plus,
    product,
    promote,
    times,
)
from s2sad.ir.nodes import Const, Value
from s2sad.rules import kind_rules
from s2sad.rules.kind_rules import (
    Bound,
    KindRule,
    array,
    broadcast_shapes,
    counted_by,
    dtype_argument,
    make,
    number,
    of_items,
    shape_of,
    sizes_of,
)

Shape = tuple[Size, ...]
ARRAY = Array(None, None)
PYTHON = {"int64": int, "float64": float, "complex128": complex}
REFUSED = (ArithmeticError, LookupError, ValueError, TypeError)  # by rules that are asked of calls which the run refuses


# --- what NumPy makes of an argument


def array_kind(kind: Kind) -> Kind:
    """The kind of ``np.asarray(x)``, a scalar where it has no axes; lists of numbers are arrays."""
    if isinstance(kind, Tuple):
        items = [array_kind(item) for item in kind.items]
        shape = items and broadcast_equal([shape_of(item) for item in items])
        return Array(strong_dtype(items), None if shape is None else (len(items), *shape))
    if isinstance(kind, List):
        return of_items(array_kind(kind.item), None)
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


def entries(payload: Any, count: int) -> tuple[Any, ...]:
    """The items of a literal that is one item or several; None for each where it is not literal."""
    if payload is None:
        return (None,) * count
    return tuple(payload) if isinstance(payload, tuple | list) else (payload,)


# --- ufuncs


@cache
def _resolved(ufunc: Any, inputs: tuple[Any, ...]) -> str | None:
    try:
        dtypes = ufunc.resolve_dtypes((*inputs, *(None,) * ufunc.nout))
    except TypeError:
        return None
    return str(dtypes[ufunc.nin])


def ufunc(name: str, module: str = "numpy") -> KindRule:
    """The (first) result of a ufunc, its dtype by NumPy's own resolution; ``module`` has been imported by then."""

    def rule(bound: Bound) -> Kind:
        kinds = [array_kind(value.kind) for value in bound.values()]
        if any(not isinstance(kind, Scalar | Array) for kind in kinds):
            return UNKNOWN
        shape = broadcast_shapes([shape_of(kind) for kind in kinds])
        inputs = tuple(map(_inputs, kinds))
        found = getattr(sys.modules[module], name)  # something else, if a program has replaced it: refused by name later
        known = isinstance(found, np.ufunc) and all(inputs)
        dtypes = {_resolved(found, given) for given in itertools.product(*inputs)} if known else {None}
        if len(dtypes) > 1 and shape == () and None not in dtypes:
            return Scalar(types=frozenset((str(dtype), False) for dtype in dtypes))
        return make(next(iter(dtypes)) if len(dtypes) == 1 else None, shape)

    return rule


def _inputs(kind: Kind) -> tuple[Any, ...]:
    """The inputs by which a ufunc is asked for the dtype of its result; nothing where a type is not known."""
    if isinstance(kind, Scalar):
        return tuple(PYTHON.get(dtype, np.dtype(dtype)) if weak else np.dtype(dtype) for dtype, weak in kind.types or ())
    return (np.dtype(kind.dtype),) if isinstance(kind, Array) and kind.dtype is not None else ()


def promoted(params: Iterable[str], array: bool = False) -> KindRule:
    """Broadcasting of all arguments to the dtype of the named ones; with ``array`` numbers too become one."""

    def rule(bound: Bound) -> Kind:
        given = {p: array_kind(v.kind) for p, v in bound.items() if literal_of(v, v) is not None}
        if any(not isinstance(kind, Scalar | Array) for kind in given.values()):
            return ARRAY if array else UNKNOWN
        shape = broadcast_shapes([shape_of(kind) for kind in given.values()])
        dtype = promote(*(given[p] for p in params if p in given))
        return Array(dtype, shape) if array else make(dtype, shape)

    return rule


def real_dtype(dtype: str) -> str:
    """The dtype of the absolute value."""
    return {"complex128": "float64", "complex64": "float32"}.get(dtype, dtype)


def ufunc_dtype(dtype: str) -> str | None:
    """The dtype of a function of ufuncs: small integers become small floats, which differs between functions."""
    kind, size = np.dtype(dtype).kind, np.dtype(dtype).itemsize
    return dtype if kind in "fc" else "float64" if kind in "iu" and size >= 4 else None


def inexact_dtype(dtype: str) -> str | None:
    """The dtype of what rounds, or chooses among its items: what it makes of integers differs."""
    return dtype if np.dtype(dtype).kind in "fc" else None


def float_dtype(dtype: str) -> str:
    """The dtype of a mean: integers become floats."""
    return "float64" if np.dtype(dtype).kind in "biu" else dtype


def double_dtype(dtype: str) -> str:
    """Double precision, complex for a complex dtype."""
    return "complex128" if dtype.startswith("complex") else "float64"


def if_double(rule: KindRule) -> KindRule:
    """The kind that a rule gives where all arguments are in double precision; else the shape alone, as libraries differ then."""

    def kind(bound: Bound) -> Kind:
        given = [array_kind(v.kind) for v in bound.values() if not isinstance(v, Const)]
        narrow = any(dtype_of(k) in (None, *NARROW) for k in given if is_differentiable(k))
        return shape_alone(rule(bound)) if narrow else rule(bound)

    return kind


def if_alike(rule: KindRule, *params: str) -> KindRule:
    """The kind that a rule gives where arguments are in one precision; else the shape alone."""

    def kind(bound: Bound) -> Kind:
        known = {dtype_of(array_kind(bound[p].kind)) for p in params if not isinstance(bound[p], Const)}
        return shape_alone(rule(bound)) if len(known) > 1 and known & {*NARROW} else rule(bound)

    return kind


def if_taken(rule: KindRule) -> KindRule:
    """The rule where the library takes such arguments; of a call that it refuses nothing is said."""

    def taken(bound: Bound) -> Kind:
        try:
            return rule(bound)
        except REFUSED:
            return UNKNOWN

    return taken


def shape_alone(kind: Kind) -> Kind:
    """A kind without its dtype, and so are the results of one that has several; places and flags are what they are."""
    if not is_differentiable(kind):
        return kind
    if isinstance(kind, Tuple):
        return replace(kind, items=tuple(map(shape_alone, kind.items)))
    return array(None, kind.shape) if isinstance(kind, Array) else UNKNOWN


def real_float(dtype: str) -> str:
    """The dtype of a norm."""
    return real_dtype(float_dtype(dtype))


def sum_dtype(dtype: str) -> str:
    """The dtype of a sum: small integers become the platform's."""
    kind, size = np.dtype(dtype).kind, np.dtype(dtype).itemsize
    if kind == "b" or (kind == "i" and size < 8):
        return "int64"
    return "uint64" if kind == "u" else dtype


def same(rule: Callable[[str], str | None] = lambda dtype: dtype) -> KindRule:
    """The shape of the first argument, a number for a number."""

    def kind(bound: Bound) -> Kind:
        source = first(bound)
        if isinstance(source, Scalar):
            return number(source.types, rule)
        if not isinstance(source, Array):
            return UNKNOWN
        return make(None if source.dtype is None else rule(source.dtype), shape_of(source))

    return kind


# --- reductions


def reduced(rule: Callable[[str], str | None] = lambda dtype: dtype) -> KindRule:
    """``axis`` and ``keepdims`` decide the shape, ``dtype`` the dtype where it is given."""
    shapes = kind_rules.reduction(rule)

    def kind(bound: Bound) -> Kind:
        found = shapes({**bound, next(iter(bound)): Value(first(bound))})
        given = bound.get("dtype", Const(None))
        if literal_of(given, given) is None or not isinstance(found, Scalar | Array):
            return found
        dtype = dtype_argument(given)
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
    if literal_of(axis, axis) is None or shape == ():  # a number becomes a vector
        return Array(dtype, (product_size(shape),))
    return Array(dtype, shape if isinstance(axis, Const) else None)


def product_size(shape: Shape | None) -> Size:
    """The number of items of an array."""
    return None if shape is None else product(shape)


def sum_of_sizes(sizes: list[Size]) -> Size:
    """The size of pieces put end to end."""
    total: Size = 0
    for size in sizes:
        total = plus(total, size)
    return total


# --- arrays


def trimmed_like(param: str) -> KindRule:
    """The kind of an array whose borders are cut off; numbers have none, and stay."""

    def rule(bound: Bound) -> Kind:
        source = bound[param].kind
        if not isinstance(source, Array):
            return source if isinstance(source, Scalar) else UNKNOWN  # a slice of a list is one
        return Array(source.dtype, None if source.shape is None else (None,) * len(source.shape))

    return rule


def shaped(function: Callable[[Shape, Bound], Shape | None], param: str | None = None) -> KindRule:
    """An array of the first argument's dtype whose shape ``function`` finds; of a number it may be one of NumPy's numbers."""

    def _of_number(bound: Bound) -> Shape | None:
        try:
            return function((), bound)
        except REFUSED:
            return None

    def rule(bound: Bound) -> Kind:
        source = first(bound) if param is None else array_kind(bound[param].kind)
        if source == OBJECT:
            return OBJECT  # the transpose of a sparse matrix
        if not isinstance(source, Scalar | Array):
            return UNKNOWN if _of_number(bound) == () else ARRAY
        shape = shape_of(source)
        try:
            found = None if shape is None else function(shape, bound)
            return UNKNOWN if not found and isinstance(source, Scalar) else array(source.dtype, found)
        except REFUSED:
            return Array(source.dtype, None)

    return rule


same_shape = shaped(lambda shape, _: shape)


inverse = same(float_dtype)  # linalg.inv, cholesky


# --- constructors


def _dtype_or(bound: Bound, default: str | None) -> str | None:
    given = bound.get("dtype", Const(None))
    return default if literal_of(given, given) is None else dtype_argument(given)


def converted(param: str, least: int = 0) -> KindRule:
    """``array(x, dtype)``, ``asarray``: an array of the shape of x, with so many axes at least."""

    def rule(bound: Bound) -> Kind:
        kind = array_kind(bound[param].kind)
        if not isinstance(kind, Scalar | Array):
            return Array(_dtype_or(bound, None), None)
        shape = shape_of(kind)
        wanted = literal_of(bound.get("ndmin", Const(least)))
        if wanted is None or (wanted and shape is None):
            return Array(_dtype_or(bound, kind.dtype), None)
        found = array(_dtype_or(bound, kind.dtype), None if shape is None else (1,) * (wanted - len(shape)) + shape)
        told = found.dtype is not None or not isinstance(kind, Array) or not _is_left_out(bound.get("dtype"))
        return found if told else replace(found, among=kind.among)  # type: ignore[union-attr]

    return rule


def _is_left_out(argument: Value | None) -> bool:
    return argument is None or isinstance(argument, Const) and argument.payload is None


def cast(bound: Bound) -> Kind:
    """``x.astype(dtype)``; of a NumPy number a number."""
    kind = first(bound)
    dtype = dtype_argument(bound["dtype"])
    if isinstance(kind, Scalar):
        return UNKNOWN if dtype is None else Scalar(dtype, weak=False)
    return Array(dtype, kind.shape) if isinstance(kind, Array) else UNKNOWN


def full(bound: Bound) -> Kind:
    """``full(shape, value)``."""
    return array(_dtype_or(bound, dtype_of(array_kind(bound["fill_value"].kind))), sizes_of(bound["shape"]))


def counted(param: str) -> KindRule:
    """A vector of floats whose length an argument gives: ``linspace``."""

    def rule(bound: Bound) -> Kind:
        ends = [bound[p].kind for p in ("start", "stop")]
        if any(not isinstance(kind, Scalar) for kind in ends):
            return Array(_dtype_or(bound, None), None)
        return Array(_dtype_or(bound, promote(*ends, FLOAT)), sizes_of(bound[param]))

    return rule


def arange(bound: Bound) -> Kind:
    """``arange(n)`` has the size n, ``arange(m, n)`` the size n - m, with steps a part of it; other calls an unknown one."""
    limits = [
        v.kind for k, v in bound.items() if k in ("start", "stop", "step") and literal_of(v, v) is not None
    ]
    sure = all(isinstance(kind, Scalar) and kind.dtype in PYTHON for kind in limits)
    dtype = _dtype_or(bound, promote(*limits) if sure else None)
    alone = literal_of(bound["stop"], bound["stop"]) is None
    start = bound["start"]
    size = (
        sizes_of(start) if alone and isinstance(start.kind, Scalar) and start.kind.dtype == "int64" else None
    )
    step = literal_of(bound.get("step"), bound.get("step"))
    step = 1 if step is None else step
    if not alone and type(step) is int and step:
        counted = times(minus(counted_by(bound["stop"]), counted_by(start)), 1 if step > 0 else -1)
        size = (not_negative(floor_divided(plus(counted, abs(step) - 1), abs(step))),)
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
