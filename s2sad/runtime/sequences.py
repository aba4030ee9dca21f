"""Orders and choices of items: Python's own ``sorted``, ``min``, ``max`` and ``itertools``, as indices."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def order(keys: Sequence[Any], reverse: bool = False) -> list[int]:
    """The positions of the keys in sorted order; equal keys keep theirs, also with ``reverse``, as in ``sorted``."""
    return sorted(range(len(keys)), key=lambda k: keys[k], reverse=reverse)


def first_smallest(keys: Sequence[Any]) -> int:
    """The position of the smallest key, of equal ones the first. Raises ValueError of no keys."""
    return min(range(len(keys)), key=lambda k: keys[k])


def first_largest(keys: Sequence[Any]) -> int:
    """The position of the largest key, of equal ones the first. Raises ValueError of no keys."""
    return max(range(len(keys)), key=lambda k: keys[k])


def choices(kind: str, count: int, size: int) -> NDArray[np.int64]:
    """The index tuples of ``itertools.<kind>(range(count), size)``, shape (number of choices, size)."""
    rows = list(getattr(itertools, kind)(range(count), size))
    return np.array(rows, dtype=np.int64).reshape(len(rows), size)
