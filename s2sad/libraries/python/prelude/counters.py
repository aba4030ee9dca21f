"""Methods of Counters that other dicts do not have."""

from __future__ import annotations

from typing import Any

__all__ = ["most_common", "total"]


def most_common(counts: Any, n: Any = None) -> list[Any]:
    """The keys with their counts, those that occur most often first; of equal ones the one that was there first."""
    found = sorted(counts.items(), key=lambda pair: pair[1], reverse=True)
    return found if n is None else found[: max(n, 0)]


def total(counts: Any, /) -> Any:
    """The sum of all counts."""
    return sum(counts.values())
