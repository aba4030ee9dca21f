"""Orders and choices of items (Python's own ``sorted``, ``min``, ``max``, ``itertools``) as indices; lists as arrays, and numbers
of NumPy's as Python's."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from s2sad.runtime.guards import UnsupportedError


def order(keys: Sequence[Any], reverse: bool = False) -> list[int]:
    """The positions of the keys in sorted order; equal keys keep theirs, also with ``reverse``, as in ``sorted``."""
    return sorted(range(len(keys)), key=lambda k: keys[k], reverse=reverse)


def first_smallest(keys: Sequence[Any]) -> int:
    """The position of the smallest key, of equal ones the first. Raises ValueError of no keys."""
    return min(range(len(keys)), key=lambda k: keys[k])


def first_largest(keys: Sequence[Any]) -> int:
    """The position of the largest key, of equal ones the first. Raises ValueError of no keys."""
    return max(range(len(keys)), key=lambda k: keys[k])


def insertion_place(index: int, length: int) -> int:
    """Where ``items.insert(index, ...)`` puts an item into a list of this length: at the nearest end if it is outside."""
    return slice(index, None).indices(length)[0]


def choices(kind: str, count: int, size: int) -> NDArray[np.int64]:
    """The index tuples of ``itertools.<kind>(range(count), size)``, shape (number of choices, size)."""
    rows = list(getattr(itertools, kind)(range(count), size))
    return np.array(rows, dtype=np.int64).reshape(len(rows), size)


def gathered(items: Iterable[Any]) -> list[Any]:
    """The items of a deque or set, as they are now."""
    return list(items)


def python_number(x: Any) -> Any:
    """The number of Python's own that ``item`` makes of a number of NumPy's; others as they are."""
    return x.item() if isinstance(x, np.generic | np.ndarray) else x


def items_array(items: Sequence[Any], dtype: str | None = None) -> NDArray[Any]:
    """The results of a function as ``np.vectorize`` makes an array of them: in the type of the first one.

    items: numbers, or arrays of one shape. dtype: that of the result, where it is known. Raises UnsupportedError where the
    type of the first result cannot hold the others, which NumPy would truncate without a word, and ValueError where there is
    no result.
    """
    if not len(items):
        raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
    found = np.array(items)
    first = np.asarray(items[0]).dtype
    if not np.can_cast(found.dtype, first, "same_kind"):
        raise UnsupportedError(
            f"the first result is of type {first} and others are of type {found.dtype}, which NumPy would truncate: "
            "return numbers of one type (0.0 in place of 0), or give otypes"
        )
    return found.astype(first if dtype is None else dtype, copy=False)
