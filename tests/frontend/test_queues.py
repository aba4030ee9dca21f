"""The queues of ``queue``, as one thread uses them."""

import queue
from queue import Empty, LifoQueue, PriorityQueue, Queue, SimpleQueue

import pytest
from verdicts import assert_refused, assert_right


def breadth_first(x):
    edges = {0: [1, 2], 1: [3], 2: [3], 3: []}
    waiting, seen, total = Queue(), [0], 0.0
    waiting.put((0, 1.0))
    while not waiting.empty():
        node, weight = waiting.get()
        total += weight * x[node % 3]
        for other in edges[node]:
            if other not in seen:
                seen.append(other)
                waiting.put((other, weight * x[other % 3]))
    return total


def of_numbers(x):
    waiting = queue.Queue()
    for v in x:
        waiting.put(v * v)
    first = waiting.get()
    waiting.put_nowait(first * x[1])
    total = 0.0
    while waiting.qsize() > 0:
        total = total * 0.5 + waiting.get()
    return total


def last_first(s):
    stack = LifoQueue()
    stack.put(s)
    stack.put(s * s)
    total = 0.0
    while not stack.empty():
        total = total * s + stack.get()
    return total


def smallest_first(x):
    waiting = PriorityQueue()
    for v in x:
        waiting.put(v)
    total = 0.0
    while not waiting.empty():
        total = total * 0.5 + waiting.get() ** 2
    return total


def simple(s):
    waiting = SimpleQueue()
    waiting.put(s)
    waiting.put(2.0 * s)
    return waiting.get() * waiting.get_nowait() ** 2


def until_it_is_empty(s):
    waiting = queue.Queue()
    waiting.put(s)
    waiting.put(s * s)
    total = 0.0
    try:
        total += waiting.get_nowait()
        total += waiting.get_nowait() ** 2
        total += waiting.get_nowait()
    except Empty:
        total = s**3
    return total


def class_of_a_queue(s):
    waiting = LifoQueue()
    return s**2 if isinstance(waiting, Queue) else s


def bounded(s):
    waiting = Queue(2)
    waiting.put(s)
    return waiting.get() ** 2


@pytest.mark.parametrize(
    "program",
    [breadth_first, of_numbers, last_first, smallest_first, simple, until_it_is_empty, class_of_a_queue],
    ids=lambda f: f.__name__,
)
def test_right(program):
    assert_right(program)


@pytest.mark.parametrize("mode", ["tangent", "adjoint"])
def test_one_that_may_be_full_is_refused(mode):
    assert_refused(bounded, mode)
