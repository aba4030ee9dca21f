"""Zeros for values that are more than one array: tuples, lists, dictionaries."""

from __future__ import annotations

from typing import Any

import numpy as np


def zeros(x: Any) -> Any:
    """A zero with the structure of ``x``: 0.0 for a number, new arrays of zeros; None stays None."""
    if isinstance(x, np.ndarray):
        return np.zeros_like(x) if x.dtype.kind in "fc" else np.zeros(x.shape)
    if isinstance(x, tuple | list):
        return type(x)(zeros(item) for item in x) if not hasattr(x, "_fields") else type(x)(*map(zeros, x))
    if isinstance(x, dict):
        return {key: zeros(item) for key, item in x.items()}
    if isinstance(x, np.inexact):
        return type(x)(0)
    return None if x is None else 0j if isinstance(x, complex) else 0.0


def stop_gradient(x: Any) -> Any:
    """``x`` itself, of which no derivative is taken."""
    return x
