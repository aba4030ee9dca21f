"""``queue``: as one thread uses them. To ask an empty one for an item raises ``Empty``, also where one would wait for ever."""

from __future__ import annotations

import heapq
from collections import deque
from queue import Empty
from typing import Any, Literal

__all__ = ["LifoQueue", "PriorityQueue", "Queue", "SimpleQueue"]


class Queue:
    """First in, first out."""

    def __init__(self, maxsize: Literal[0] = 0) -> None:
        self.maxsize = maxsize
        self.queue: Any = deque()

    def qsize(self) -> Any:
        """The number of items."""
        return len(self.queue)

    def empty(self) -> Any:
        """True if there are no items."""
        return len(self.queue) == 0

    def full(self) -> Any:
        """True if no more items fit: never."""
        return False

    def put(self, item: Any, block: Any = True, timeout: Any = None) -> None:
        """Append an item."""
        self.queue.append(item)

    def get(self, block: Any = True, timeout: Any = None) -> Any:
        """Take the oldest item."""
        if len(self.queue) == 0:
            raise Empty
        return self.queue.popleft()

    def put_nowait(self, item: Any) -> None:
        """Append an item."""
        self.put(item)

    def get_nowait(self) -> Any:
        """Take the next item."""
        return self.get()


class SimpleQueue:
    """First in, first out; what is in it cannot be seen."""

    def __init__(self) -> None:
        self._items: Any = deque()

    def qsize(self) -> Any:
        """The number of items."""
        return len(self._items)

    def empty(self) -> Any:
        """True if there are no items."""
        return len(self._items) == 0

    def put(self, item: Any, block: Any = True, timeout: Any = None) -> None:
        """Append an item."""
        self._items.append(item)

    def get(self, block: Any = True, timeout: Any = None) -> Any:
        """Take the oldest item."""
        if len(self._items) == 0:
            raise Empty
        return self._items.popleft()

    def put_nowait(self, item: Any) -> None:
        """Append an item."""
        self.put(item)

    def get_nowait(self) -> Any:
        """Take the oldest item."""
        return self.get()


class LifoQueue(Queue):
    """Last in, first out."""

    def __init__(self, maxsize: Literal[0] = 0) -> None:
        self.maxsize = maxsize
        self.queue = []

    def get(self, block: Any = True, timeout: Any = None) -> Any:
        """Take the newest item."""
        if len(self.queue) == 0:
            raise Empty
        return self.queue.pop()


class PriorityQueue(Queue):
    """The smallest first."""

    def __init__(self, maxsize: Literal[0] = 0) -> None:
        self.maxsize = maxsize
        self.queue = []

    def put(self, item: Any, block: Any = True, timeout: Any = None) -> None:
        """Put an item at its place in the heap."""
        heapq.heappush(self.queue, item)

    def get(self, block: Any = True, timeout: Any = None) -> Any:
        """Take the smallest item."""
        if len(self.queue) == 0:
            raise Empty
        return heapq.heappop(self.queue)
