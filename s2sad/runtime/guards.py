"""What only the arguments can show: checks of generated programs, which refuse rather than give a wrong derivative."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np


class SharedMemoryError(ValueError):
    """Two arguments share memory that is written to (``AliasError`` where the derivative is called through the API)."""


class SeedError(ValueError):
    """The adjoint of a result does not fit it (``ActivityError`` where the derivative is called through the API)."""


def seed(bar: Any, out: Any) -> Any:
    """``bar``, the adjoint of ``out``: a number for a number, of the same shape for an array. Raises SeedError."""
    if isinstance(out, tuple | list | dict):
        raise SeedError(f"the result is a {type(out).__name__}: its adjoint cannot be one number")
    if np.shape(bar) != np.shape(out):
        raise SeedError(f"the result has shape {np.shape(out)}, its adjoint {np.shape(bar)}: give one of the same shape")
    return bar


def assert_distinct(names: str, *arrays: Any) -> None:
    """Raise SharedMemoryError if two of the arguments called ``names`` share memory."""
    for (k, a), (m, b) in combinations(enumerate(arrays), 2):
        if not (isinstance(a, np.ndarray) and isinstance(b, np.ndarray)):
            continue
        if np.may_share_memory(a, b) and np.shares_memory(a, b):
            first, second = names.split(", ")[k], names.split(", ")[m]
            raise SharedMemoryError(
                f"the arguments {first} and {second} share memory, and one of them is written to: "
                f"the derivative would depend on it; pass a copy of one: {second}.copy()"
            )


def window_of(window: Any, base: Any) -> Any:
    """``window``, which must be a view of ``base``: a reshape that copies has no window to write through."""
    if not np.may_share_memory(window, base):
        raise SharedMemoryError(
            "a reshape of an array that is written had to copy, so that it does not share the array's memory; "
            "write the copy out: np.reshape(a.copy(), shape)"
        )
    return window
