"""Programs that draw by ``random``: from the module, from sources outside, and from ones that they make."""

import math
import random

import numpy as np

RNG = random.Random(11)


def each_distribution(s):
    rng = random.Random(5)
    t = rng.uniform(s, 2 * s) + rng.gauss(s, s * s) + rng.normalvariate(s, 2.0) + rng.lognormvariate(s, 0.3 * s)
    t += rng.expovariate(s) + rng.paretovariate(s + 1) + rng.weibullvariate(s, 2 * s)
    t += rng.triangular(0.0, s, 0.3 * s) + rng.triangular(0.0, s)
    return t * rng.betavariate(2.0, 3.0) + rng.gammavariate(2.0, 1.0) * s + rng.vonmisesvariate(0.0, 1.0) * s


def items_that_are_drawn(s):
    items = [s, s * s, 3.0 * s, 1.0]
    random.shuffle(items)
    some = random.sample(items, 2)
    more = random.choices(items, weights=[1, 2, 3, 4], k=3)
    pair = random.choices(items, k=2)
    return items[0] * items[1] + some[0] * some[1] + sum(more) * s + pair[0] * pair[1] * random.choice((s, 2 * s))


def by_words_that_are_drawn(s):
    total = s
    for _ in range(5):
        if random.choice(["up", "down"]) == "up":
            total += s * s
        else:
            total *= s
    return total


def in_an_order_that_is_shuffled(s):
    order = list(range(5))
    random.shuffle(order)
    for k in order:
        s = s * 0.5 + k * math.sin(s)
    return s


def rows_that_are_shuffled(x):
    rows = x * np.arange(1.0, 4.0)
    random.shuffle(rows)
    return np.sum(rows * x)


def stochastic_descent(s):
    w = s
    for _ in range(4):
        i, j = RNG.randrange(3), RNG.randint(0, 2)
        w = w - 0.1 * (w * (i + 1) - j) * w
    return w


def metropolis(s):
    random.seed(42)
    at, total = s, 0.0
    for _ in range(10):
        new = at + random.gauss(0, 1) * 0.3
        if random.random() < math.exp(-((0.3 * new) ** 2)):
            at = new
        total += at * at * s
    return total


class Walker:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.steps = 0

    def step(self, v):
        self.steps += 1
        return v + self.rng.gauss(0.0, 1.0) * v


def a_walk(s):
    walker = Walker(3)
    for _ in range(3):
        s = walker.step(s)
    return s * s * walker.steps


WALKER = Walker(4)


def a_walk_outside(s):
    for _ in range(3):
        s = WALKER.step(s)
    return s * s * WALKER.steps


def noisy(v, rng):
    return v * rng.random()


def sources_that_are_passed_on(s):
    return noisy(s * s, random) + noisy(s * s * s, RNG)
