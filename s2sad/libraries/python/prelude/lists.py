"""Methods of lists, and of deques, which are lists that grow at both ends: what moves several items, item by item.

Taking items out and putting them in are operations whose reverse is the other one.
"""

from __future__ import annotations

from typing import Any

__all__ = ["appendleft", "clear", "copy", "extendleft", "popleft", "remove", "reverse", "rotate"]


def appendleft(items: list[Any], x: Any, /) -> None:
    """Put in front."""
    items.insert(0, x)


def popleft(items: list[Any], /) -> Any:
    """Take the first."""
    return items.pop(0)


def remove(items: list[Any], value: Any, /) -> None:
    """Take out the first that is equal."""
    if value not in items:
        raise ValueError("list.remove(x): x not in list")
    items.pop(items.index(value))


def clear(items: list[Any], /) -> None:
    """Take out all."""
    for _ in range(len(items)):
        items.pop()


def copy(items: list[Any], /) -> list[Any]:
    """The same items."""
    return items[:]


def extendleft(items: list[Any], iterable: Any, /) -> None:
    """Put one after the other in front."""
    for item in list(iterable):
        items.insert(0, item)


def reverse(items: list[Any], /) -> None:
    """Swap the ends, and what is inside."""
    count = len(items)
    for k in range(count // 2):
        items[k], items[count - 1 - k] = items[count - 1 - k], items[k]


def rotate(items: list[Any], n: Any = 1, /) -> None:
    """The last item becomes the first, n times; nothing of an empty one."""
    for _ in range(n % max(len(items), 1)):
        items.insert(0, items.pop())
