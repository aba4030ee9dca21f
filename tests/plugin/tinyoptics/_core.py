"""The functions of the library. They note in a file that they are called, which no transformed program may do."""

import os

import numpy as np


def _note():
    with open(os.devnull, "a") as file:
        file.writelines(["called"])


def refracted(angle, ratio):
    _note()
    return np.arcsin(np.sin(angle) / ratio)


def blurred(x, weight=0.25):
    _note()
    return (1 - weight) * x + weight * np.roll(x, 1)


def inner(x):
    _note()
    return x[1:-1]


def defocus(x, y, power=2):
    _note()
    return np.sum(np.abs(x - y) ** power)


def catalogue(name):
    _note()
    return {"water": 1.333, "glass": 1.52}[name]


def focused(x, p):
    _note()
    return x * np.exp(-p * x)


def turned(x):
    _note()
    return x[::-1]
