"""Kinds of the results of products: ``dot``, ``tensordot``, ``einsum``, ``linalg``."""

from __future__ import annotations

from s2sad.ir.kinds import UNKNOWN, Array, Kind, Scalar, Size, dtype_of, equal_sizes, larger, minus, plus
from s2sad.rules import kind_rules
from s2sad.rules.kind_arrays import (
    array_kind,
    entries,
    first,
    float_dtype,
    if_taken,
    literal_of,
    product_size,
    strong_dtype,
)
from s2sad.rules.kind_rules import Bound, broadcast_shapes, make, shape_of


def dot(bound: Bound) -> Kind:
    """``dot(a, b)``: the last axis of a with the last but one of b."""
    a, b = (array_kind(v.kind) for v in list(bound.values())[:2])
    if not (isinstance(a, Scalar | Array) and isinstance(b, Scalar | Array)):
        return UNKNOWN
    m, n = shape_of(a), shape_of(b)
    dtype = strong_dtype([a, b])
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
    dtype = strong_dtype([a, b])
    return make(dtype, m[:-1] + n[:-1]) if m and n else make(dtype, m + n)


def outer(bound: Bound) -> Kind:
    """``outer(a, b)``: both flattened."""
    a, b = (array_kind(v.kind) for v in list(bound.values())[:2])
    return Array(strong_dtype([a, b]), (product_size(shape_of(a)), product_size(shape_of(b))))


def number(bound: Bound) -> Kind:
    """A number of the promoted dtype: ``vdot``."""
    dtype = strong_dtype([array_kind(v.kind) for v in list(bound.values())[:2]])
    return UNKNOWN if dtype is None else Scalar(dtype, weak=False)


@if_taken
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
    of_a = {k % len(m) for k in entries(axes[0], 1)}
    of_b = {k % len(n) for k in entries(axes[1], 1)}
    free_a = tuple(s for k, s in enumerate(m) if k not in of_a)
    return Array(dtype, free_a + tuple(s for k, s in enumerate(n) if k not in of_b))


def kron(bound: Bound) -> Kind:
    """``kron(a, b)``: sizes multiply."""
    a, b = (array_kind(bound[p].kind) for p in ("a", "b"))
    m, n = shape_of(a), shape_of(b)
    dtype = strong_dtype([a, b])
    if m is None or n is None:
        return Array(dtype, None) if m or n else UNKNOWN  # numbers have a number as their product
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
    default = all(
        literal_of(bound[p]) == v for p, v in (("axisa", -1), ("axisb", -1), ("axisc", -1), ("axis", None))
    )
    if not default or not all(shape and equal_sizes(shape[-1], 3) for shape in shapes):
        return Array(dtype, None)
    outer_shape = broadcast_shapes([shape[:-1] for shape in shapes if shape])
    return Array(dtype, None if outer_shape is None else (*outer_shape, 3))


def convolved(bound: Bound) -> Kind:
    """``convolve``: a vector; known sizes add up."""
    a, v = (array_kind(bound[p].kind) for p in ("a", "v"))
    m, n = (product_size(shape_of(kind)) for kind in (a, v))
    mode = literal_of(bound["mode"])
    full, same = plus(plus(m, n), -1), larger(m, n)  # NumPy refuses vectors without items
    valid = plus(minus(same, m), plus(minus(same, n), 1))
    return Array(strong_dtype([a, v]), ({"full": full, "same": same, "valid": valid}.get(mode),))


def solved(bound: Bound) -> Kind:
    """``linalg.solve(a, b)``: the shape of b, with the batch axes of both."""
    a, b = (array_kind(bound[p].kind) for p in ("a", "b"))
    m, n = shape_of(a), shape_of(b)
    both = strong_dtype([a, b])
    dtype = None if both is None else float_dtype(both)
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
    dtype = dtype_of(a)
    return UNKNOWN if not shape else make(None if dtype is None else float_dtype(dtype), shape[:-2])
