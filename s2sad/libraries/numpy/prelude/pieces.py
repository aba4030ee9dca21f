"""Pieces of arrays: cutting, putting together, other axes and shapes."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

__all__ = [
    "append", "astype", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "diagflat", "dsplit", "dstack", "hsplit",
    "rollaxis", "unstack", "vsplit",
]  # fmt: skip

# --- cutting


def hsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Along the columns; of a vector along its only axis."""
    if np.ndim(ary) == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return np.split(ary, indices_or_sections, 1 if np.ndim(ary) > 1 else 0)


def vsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Along the rows."""
    if np.ndim(ary) < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return np.split(ary, indices_or_sections, 0)


def dsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Along the third axis."""
    if np.ndim(ary) < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return np.split(ary, indices_or_sections, 2)


def unstack(x: Any, /, *, axis: Any = 0) -> Any:
    """The windows along an axis."""
    return tuple(np.moveaxis(np.asarray(x), axis, 0))


# --- putting together


def append(arr: Any, values: Any, axis: Any = None) -> Any:
    """One behind the other."""
    return np.concatenate((np.asarray(arr), np.asarray(values)), axis=axis)


def dstack(tup: Any) -> Any:
    """One behind the other along the third axis."""
    return np.concatenate([np.atleast_3d(one) for one in tup], axis=2)


# --- other axes, other shapes


def atleast_1d(*arys: Any) -> Any:
    """Of several arguments a tuple."""
    return np.atleast_1d(arys[0]) if len(arys) == 1 else tuple([np.atleast_1d(one) for one in arys])


def atleast_2d(*arys: Any) -> Any:
    """Of several arguments a tuple."""
    return np.atleast_2d(arys[0]) if len(arys) == 1 else tuple([np.atleast_2d(one) for one in arys])


def atleast_3d(*arys: Any) -> Any:
    """Of several arguments a tuple."""
    return np.atleast_3d(arys[0]) if len(arys) == 1 else tuple([np.atleast_3d(one) for one in arys])


def rollaxis(a: Any, axis: Any, start: Any = 0) -> Any:
    """An axis before another one."""
    count = np.ndim(a)
    source, target = axis + count if axis < 0 else axis, start + count if start < 0 else start
    return np.moveaxis(a, source, target - 1 if source < target else target)


def astype(x: Any, dtype: Any, /, *, copy: Literal[True] = True, device: Any = None) -> Any:
    """The method."""
    return x.astype(dtype)


def diagflat(v: Any, k: Any = 0) -> Any:
    """The matrix with these on a diagonal."""
    return np.diag(np.ravel(v), k)


def broadcast_arrays(*args: Any, subok: Any = False) -> Any:
    """All in one shape."""
    given = [np.asarray(one) for one in args]
    shape = np.broadcast_shapes(*[np.shape(one) for one in given])
    return tuple([np.broadcast_to(one, shape) for one in given])
