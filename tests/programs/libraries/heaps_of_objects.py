"""Heaps and sorted lists of objects that compare themselves; objects that are asked whether they are true."""

import heapq
from dataclasses import dataclass, field


@dataclass(order=True)
class Event:
    time: float
    kind: str = field(compare=False)
    amount: float = field(compare=False, default=1.0)


def a_simulation(s):
    queue = []
    heapq.heappush(queue, Event(1.0 / s, "arrive", s))
    at, total, count = 0.0, 0.0, 0
    while queue and count < 5:
        event = heapq.heappop(queue)
        at, count = event.time, count + 1
        if event.kind == "arrive":
            heapq.heappush(queue, Event(at + 1.5 / s, "leave", event.amount * 2))
            heapq.heappush(queue, Event(at + 1.0 / s, "arrive", event.amount + 0.1))
        else:
            total += event.amount * at
    return total + at


class State:
    def __init__(self, cost, steps):
        self.cost, self.steps = cost, steps

    def __lt__(self, other):
        return self.cost < other.cost


def a_search(s):
    queue, total = [State(0.0, 0)], 0.0
    while queue:
        state = heapq.heappop(queue)
        total = total + state.cost
        if state.steps < 3:
            for k in (1, 2):
                heapq.heappush(queue, State(state.cost + s * k**0.5, state.steps + k))
    return total


def a_list_that_is_sorted_again_and_again(s):
    queue, total = [], 0.0
    queue.append(State(s, 0))
    for _ in range(4):
        state = queue.pop(0)
        queue.append(State(state.cost * s, state.steps + 1))
        queue.append(State(state.cost + 0.1, state.steps + 2))
        queue.sort()
        total += state.cost * state.steps
    return total


class Queue:
    def __init__(self, items):
        self.items = [v for v in items]

    def pop(self):
        return self.items.pop()

    def __bool__(self):
        return bool(self.items)


def while_an_object_is_true(x):
    queue, total = Queue(x), 0.0
    while queue:
        total = total * 0.5 + queue.pop() ** 2
    return total
