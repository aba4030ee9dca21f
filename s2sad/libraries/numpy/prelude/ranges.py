"""Ranges along another axis, or of another dtype."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

__all__ = ["geomspace", "logspace"]
Given = Annotated[Any, "given"]


def logspace(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, base: Any = 10.0, dtype: Given = None, axis: Given = None
) -> Any:
    """Powers of the base."""
    return _put(np.logspace(start, stop, num, endpoint, base), dtype, axis)


def geomspace(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, dtype: Given = None, axis: Given = None
) -> Any:
    """A geometric progression."""
    return _put(np.geomspace(start, stop, num, endpoint), dtype, axis)


def _put(found: Any, dtype: Any, axis: Any) -> Any:
    typed = found if dtype is None else found.astype(dtype)
    return typed if axis is None else np.moveaxis(typed, 0, axis)
