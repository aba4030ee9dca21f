"""``bisect``: insertion, at a place that carries no derivative."""

from __future__ import annotations

from typing import Any

__all__ = ["insort_left", "insort_right"]


def insort_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
    """Behind what is equal."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    own = x if key is None else key(x)
    high = len(a) if hi is None else hi
    while lo < high:
        middle = (lo + high) // 2
        if own < (a[middle] if key is None else key(a[middle])):
            high = middle
        else:
            lo = middle + 1
    a.insert(lo, x)


def insort_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
    """Before what is equal."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    own = x if key is None else key(x)
    high = len(a) if hi is None else hi
    while lo < high:
        middle = (lo + high) // 2
        if (a[middle] if key is None else key(a[middle])) < own:
            lo = middle + 1
        else:
            high = middle
    a.insert(lo, x)
