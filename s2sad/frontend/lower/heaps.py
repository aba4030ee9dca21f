"""``heapq`` and ``bisect.insort``, written out in the accepted language and lowered where they are called.

The heap is laid out as CPython's is: a parent is never greater than its two children, and sifting takes the same path
(Knuth, "The Art of Computer Programming", vol. 3, 5.2.3; Williams, "Algorithm 232: Heapsort", 1964), so that a program
may look at ``heap[0]`` or run over the heap.
"""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Callable
from typing import Any

from s2sad.frontend.entities import Entity, Static, Struct
from s2sad.frontend.lower import objects
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.nodes import Const


def _push(heap: list[Any], item: Any) -> None:
    heap.append(item)
    place = len(heap) - 1
    while place > 0 and item < heap[(place - 1) // 2]:
        heap[place] = heap[(place - 1) // 2]
        place = (place - 1) // 2
    heap[place] = item


def _pop(heap: list[Any]) -> Any:
    last = heap.pop()
    first = last
    if len(heap) > 0:
        first = heap[0]
        heap[0] = last
        _sink(heap, 0)
    return first


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
    while place > start and item < heap[(place - 1) // 2]:
        heap[place] = heap[(place - 1) // 2]
        place = (place - 1) // 2
    heap[place] = item


def _heapify(heap: list[Any]) -> None:
    for start in range(len(heap) // 2 - 1, -1, -1):
        _sink(heap, start)


def _replace(heap: list[Any], item: Any) -> Any:
    first = heap[0]
    heap[0] = item
    _sink(heap, 0)
    return first


def _push_pop(heap: list[Any], item: Any) -> Any:
    first = item
    if len(heap) > 0 and heap[0] < item:
        first = heap[0]
        heap[0] = item
        _sink(heap, 0)
    return first


def _insert_right(items: list[Any], item: Any) -> None:
    low = 0
    high = len(items)
    while low < high:
        middle = (low + high) // 2
        if item < items[middle]:
            high = middle
        else:
            low = middle + 1
    items.insert(low, item)


def _insert_left(items: list[Any], item: Any) -> None:
    low = 0
    high = len(items)
    while low < high:
        middle = (low + high) // 2
        if items[middle] < item:
            low = middle + 1
        else:
            high = middle
    items.insert(low, item)


def _written_out(function: Callable[..., Any]) -> Callable[..., Entity]:
    """A call of one of these functions."""

    def handler(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
        if kwargs:
            ctx.refuse(
                node, "keyword arguments here", "the function is written out without them", "the plain call"
            )
        return objects.call_function(ctx, function, args, kwargs, node)

    return handler


def _some(reverse: bool) -> Callable[..., Entity]:
    """``nsmallest`` and ``nlargest``: the first of those sorted."""

    def handler(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
        count, items = args
        ordered = apply(
            ctx, Static(sorted, "builtins.sorted"), [items], {**kwargs, "reverse": Const(reverse)}, node
        )
        if isinstance(ordered, Struct) and isinstance(count, Const):
            return Struct(ordered.items[: count.payload], "list")
        stop = ctx.builder.call("builtins.max", ctx.value(count, node), Const(0))
        cut = ctx.builder.call("builtins.slice", Const(None), stop, Const(None))
        return ctx.builder.call("operator.getitem", ctx.value(ordered, node), cut)

    return handler


TABLE: dict[Any, Callable[..., Entity]] = {
    heapq.heappush: _written_out(_push),
    heapq.heappop: _written_out(_pop),
    heapq.heapify: _written_out(_heapify),
    heapq.heapreplace: _written_out(_replace),
    heapq.heappushpop: _written_out(_push_pop),
    heapq.nsmallest: _some(False),
    heapq.nlargest: _some(True),
    bisect.insort: _written_out(_insert_right),
    bisect.insort_right: _written_out(_insert_right),
    bisect.insort_left: _written_out(_insert_left),
}
