"""The functions of the library. They count how often they are called, which no transformed program may do."""

import numpy as np

calls = 0


def _count():
    global calls  # noqa: PLW0603  as people write it
    calls += 1


def refracted(angle, ratio):
    _count()
    return np.arcsin(np.sin(angle) / ratio)


def blurred(x, weight=0.25):
    _count()
    return (1 - weight) * x + weight * np.roll(x, 1)


def inner(x):
    _count()
    return x[1:-1]


def defocus(x, y, power=2):
    _count()
    return np.sum(np.abs(x - y) ** power)


def catalogue(name):
    _count()
    return {"water": 1.333, "glass": 1.52}[name]


def focused(x, p):
    _count()
    return x * np.exp(-p * x)


def turned(x):
    _count()
    return x[::-1]
