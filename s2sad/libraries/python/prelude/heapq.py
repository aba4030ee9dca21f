"""``heapq``: a heap is laid out as CPython's is, so that a program may look at ``heap[0]`` or run over the heap.

A parent is never greater than its two children, and sifting takes CPython's path (Knuth, "The Art of Computer Programming",
vol. 3, 5.2.3; Williams, "Algorithm 232: Heapsort", 1964).
"""

from __future__ import annotations

from typing import Any

__all__ = ["heapify", "heappop", "heappush", "heappushpop", "heapreplace", "nlargest", "nsmallest"]


def heappush(heap: list[Any], item: Any, /) -> None:
    """Append, and rise."""
    heap.append(item)
    _rise(heap, 0, len(heap) - 1, item)


def heappop(heap: list[Any], /) -> Any:
    """The first item; the last one takes its place, and sinks."""
    last = heap.pop()
    first = last
    if len(heap) > 0:
        first = heap[0]
        heap[0] = last
        _sink(heap, 0)
    return first


def heapify(heap: list[Any], /) -> None:
    """Let every parent sink, from the last one on."""
    for start in range(len(heap) // 2 - 1, -1, -1):
        _sink(heap, start)


def heapreplace(heap: list[Any], item: Any, /) -> Any:
    """The first item, in whose place another one sinks."""
    first = heap[0]
    heap[0] = item
    _sink(heap, 0)
    return first


def heappushpop(heap: list[Any], item: Any, /) -> Any:
    """The item, or the first one if that is less."""
    first = item
    if len(heap) > 0 and heap[0] < item:
        first = heapreplace(heap, item)
    return first


def nsmallest(n: Any, iterable: Any, key: Any = None) -> Any:
    """The first of those sorted."""
    return sorted(iterable, key=key)[: max(n, 0)]


def nlargest(n: Any, iterable: Any, key: Any = None) -> Any:
    """The first of those sorted the other way round."""
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


def _rise(heap: list[Any], start: int, place: int, item: Any) -> None:
    """Move an item up from a place to where it belongs."""
    while place > start and item < heap[(place - 1) // 2]:
        heap[place] = heap[(place - 1) // 2]
        place = (place - 1) // 2
    heap[place] = item


def _sink(heap: list[Any], start: int) -> None:
    """Move the item at ``start`` to where it belongs below: down to a leaf along smaller children, then up again."""
    item = heap[start]
    place = start
    child = 2 * place + 1
    while child < len(heap):
        if child + 1 < len(heap) and not heap[child] < heap[child + 1]:
            child = child + 1
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    _rise(heap, start, place, item)
