"""Deques and sets that outlast the call, as globals and on objects: windows of what came last, queues, what was seen."""

import itertools
from collections import deque

import numpy as np

WINDOW = deque(maxlen=3)
FILLED = deque([1.0, 2.0, 3.0], maxlen=3)
QUEUE = deque()
PAIRS = deque([(1.0, 2.0)], maxlen=4)
SEEN = set()
NAMES = {"a", "b"}
LATELY = {"losses": deque([0.5], maxlen=2)}


class MovingAverage:
    def __init__(self, size):
        self.size = size
        self.window = deque(maxlen=size)

    def __call__(self, value):
        self.window.append(value)
        return sum(self.window) / len(self.window)


class Controller:
    def __init__(self, gain):
        self.gain = gain
        self.integral = 0.0
        self.errors = deque([0.0, 0.0], maxlen=2)

    def act(self, error):
        self.integral += error * 0.1
        self.errors.append(error)
        return self.gain * error + 0.5 * self.integral + 0.1 * (self.errors[-1] - self.errors[0])


class Delay:
    def __init__(self, steps):
        self.line = deque([0.0] * steps)

    def push(self, value):
        self.line.append(value)
        return self.line.popleft()


class Replay:
    def __init__(self, capacity):
        self.items = deque(maxlen=capacity)
        self.episodes = 0

    def add(self, state, reward):
        self.items.append((state, reward))

    def total(self):
        result = 0.0
        for state, reward in self.items:
            result += state * reward
        return result


class Visits:
    def __init__(self):
        self.seen = set()
        self.order = []

    def visit(self, node):
        if node in self.seen:
            return False
        self.seen.add(node)
        self.order.append(node)
        return True


class Smoothed:
    history = deque([1.0], maxlen=2)

    def __init__(self):
        self.last = None

    def step(self, value):
        self.history.append(value)
        if self.last is None:
            self.last = value
        self.last = 0.5 * self.last + 0.5 * max(self.history)
        return self.last


AVERAGE, OF_TWO, CONTROLLER, DELAY = MovingAverage(3), MovingAverage(2), Controller(2.0), Delay(2)
REPLAY, VISITS, SMOOTHED = Replay(3), Visits(), Smoothed()
FLEET = [MovingAverage(2), MovingAverage(3)]


def a_window(s):
    for k in range(5):
        WINDOW.append(s * k)
    return sum(WINDOW) * s


def a_full_window(s):
    FILLED.append(s * s)
    FILLED.appendleft(s)
    return FILLED[0] * FILLED[-1] + FILLED[1] * s


def a_queue(s):
    QUEUE.append(s)
    QUEUE.append(s * s)
    first = QUEUE.popleft()
    return first * QUEUE[0]


def a_queue_until_it_is_empty(s):
    QUEUE.extend([s, 2.0, s * s])
    total = 0.0
    while QUEUE:
        total += QUEUE.popleft() * (len(QUEUE) + s)
    return total


def turned(s):
    FILLED.append(s)
    FILLED.rotate(1)
    return FILLED[0] ** 2 + FILLED[1] * s


def cleared(s):
    QUEUE.append(s)
    y = QUEUE[0] * s
    QUEUE.clear()
    QUEUE.append(y)
    return QUEUE[-1] * s


def means_of_a_window(s):
    FILLED.append(s * s)
    return np.mean(FILLED) * s + max(FILLED) + np.array(FILLED)[2] * s


def read_before_it_is_changed(s):
    before = sum(FILLED) * s
    FILLED.append(s)
    return before * sum(FILLED)


def only_read(s):
    return sum(FILLED) * s * s + FILLED[0] * s + len(FILLED) * s


def in_parts_of_a_window(s):
    FILLED.append(s * s)
    total = 0.0
    for a, b in zip(FILLED, itertools.islice(FILLED, 1, None)):
        total += a * b
    for k, v in enumerate(reversed(FILLED)):
        total += k * v * s
    return total


def as_a_list(s):
    FILLED.append(s)
    items = list(FILLED)
    items[0] = s * s
    return sum(items) * sum(sorted(FILLED))


def how_long_it_may_be(s):
    if len(FILLED) == FILLED.maxlen:
        FILLED.popleft()
    FILLED.append(s * s)
    return sum(FILLED) * s


def pairs_in_a_window(s):
    PAIRS.append((s, s * s))
    total = 0.0
    for a, b in PAIRS:
        total += a * b
    return total * PAIRS[-1][0]


def a_window_in_a_dict(s):
    LATELY["losses"].append(s * s)
    return sum(LATELY["losses"]) * s


def moving_average(s):
    total = 0.0
    for k in range(5):
        total += AVERAGE(s * k * k) ** 2
    return total


def moving_average_of_arrays(x):
    total = x * 0
    for k in range(4):
        total = total + OF_TWO(x * k) ** 2
    return np.sum(total)


def several_averages(s):
    total = 0.0
    for k, average in enumerate(FLEET):
        total += average(s * (k + 1)) * average(s * s)
    return total


def controlled(s):
    y = 0.0
    for _ in range(4):
        y = y + 0.1 * CONTROLLER.act(s - y)
    return y * s


def delayed(s):
    total = 0.0
    for k in range(4):
        total += DELAY.push(s * k) * s
    return total


def replayed(s):
    for k in range(4):
        REPLAY.add(s * k, s)
    REPLAY.episodes += 1
    return REPLAY.total()


def smoothed(s):
    return SMOOTHED.step(s * s) + SMOOTHED.step(s) ** 2


def enclosed():
    recent = deque([2.0], maxlen=2)

    def program(s):
        recent.append(s * s)
        return recent[0] * recent[1] * s

    return program


in_a_closure = enclosed()


def helper(value):
    WINDOW.append(value)
    return sum(WINDOW)


def through_a_helper(s):
    return helper(s) * helper(s * s)


def seen_before(s):
    total = 0.0
    for k in (1, 2, 1):
        if k not in SEEN:
            SEEN.add(k)
            total += s**k
    SEEN.discard(1)
    return total * s


def names_that_are_added(s):
    NAMES.add("c")
    NAMES.discard("a")
    y = s if "a" in NAMES else s * s
    NAMES.update(["a", "d"])
    return y * len(NAMES)


def visited(s):
    total = 0.0
    for node in (0, 1, 0, 2, 1):
        if VISITS.visit(node):
            total += s ** (node + 1)
    return total * len(VISITS.seen)


VECTORS = deque([np.ones(3)], maxlen=3)
STARTED, TABLE = [np.ones(3)], {"seen": set(), "order": []}


def arrays_in_a_window(x):
    VECTORS.append(np.sin(x))
    VECTORS.append(x)
    return np.sum(np.mean(VECTORS, axis=0) ** 2) * np.sum(np.stack(VECTORS)) + np.sum(np.array(VECTORS)[0])


def arrays_in_a_list(x):
    STARTED.append(x * x)
    return np.sum(STARTED[0] * STARTED[-1] * x)


def a_set_in_a_dict(s):
    for k in (3, 1, 3):
        if k not in TABLE["seen"]:
            TABLE["seen"].add(k)
            TABLE["order"].append(k)
    TABLE["seen"].remove(1)
    return s ** len(TABLE["order"]) * (3 in TABLE["seen"])
