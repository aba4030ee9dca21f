# ruff: noqa: F821, F841  (ruff takes no account of iterations)
"""Names that an iteration binds and the next one reads, where a condition or a handler sees to the first."""

import numpy as np


def under_a_guard(x):
    total = 0.0
    for k in range(len(x)):
        if k > 0:
            total += before * x[k] ** 2
        before = x[k] * x[k]
    return total


def in_the_other_branch(x):
    total = 0.0
    for k in range(len(x)):
        if k == 0:
            h = x[k]
        else:
            h = h * x[k]
        total = total + h * h
    return total


def within_a_loop(x):
    total = 0.0
    for a in range(len(x)):
        for b in range(len(x)):
            if a + b > 0:
                total += before * x[b] ** 2 * x[a]
            before = x[a] * x[b] ** 3
    return total


def caught(x):
    for k in range(len(x)):
        try:
            total = total + x[k] ** 2
        except NameError:
            total = x[k] ** 3
    return total


def asked_for_in_an_attempt(x):
    for k in range(len(x)):
        try:
            total
        except UnboundLocalError:
            total = x[k] ** 3
        total = total * x[k] ** 2
    return total


def of_a_generator(x):
    def products():
        for k in range(len(x)):
            if k > 0:
                yield before * x[k] ** 2
            before = x[k] * x[k]

    return sum(p * p for p in products())


def within_a_context(x):
    total = 0.0
    for k in range(len(x)):
        with np.errstate(all="ignore"):
            if k > 0:
                total += before * x[k] ** 2
            before = x[k] * x[k]
    return total


def of_the_function_around(x):
    def step(k):
        return before * x[k]

    total = 0.0
    for k in range(len(x)):
        if k > 0:
            total += step(k)
        before = x[k] * x[k]
    return total


def arrays(x):
    total = 0.0
    for k in range(3 * len(x)):
        y = np.sin(x * (k + 1))
        if k > 0:
            total += np.sum((y - before) ** 2)
        before = y
    return total


def lists(x):
    total = 0.0
    for k in range(len(x)):
        if k:
            found.append(x[k] * x[k - 1])
            total = total + found[-1] * found[0]
        else:
            found = [x[k]]
    return total


def tuples(x):
    total = 0.0
    for k, item in enumerate(x):
        if k > 0:
            a, b = pair
            total += a * b * item
        pair = (item, item * x[0])
    return total


def after_continue(x):
    total = 0.0
    for k in range(len(x)):
        if k == 0:
            before = x[k]
            continue
        total += before * x[k] ** 2
        before = before * x[k]
    return total


def that_may_be_none(x):
    total = 0.0
    for k in range(2 * len(x)):
        if k > 0 and before is not None:
            total += before * x[k % 3] ** 2
        before = x[k % 3] if k % 2 else None
    return total


def never_bound(x):
    for k in range(len(x)):
        if x[k] > 100.0:
            return before
        if x[k] > 50.0:
            before = x[k]
    return np.sum(x**3)
