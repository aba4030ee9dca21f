"""A library with two operations on lists, which nothing in s2sad knows."""

from __future__ import annotations

from typing import Any


def put_in(items: list[Any], place: int, value: Any) -> None:
    """Put something into a list, before a place."""
    items[place:place] = [value]


def taken_from(items: list[Any], place: int) -> Any:
    """Take out of a list what stands at a place."""
    found = items[place]
    del items[place]
    return found
