"""Methods of which ``singledispatchmethod`` chooses one by the class of the first argument."""

import functools

import numpy as np


class Angle:
    def __init__(self, degrees):
        self.degrees = degrees


class Wave:
    scale = 3.0

    def __init__(self, a=2.0):
        self.a = a

    @functools.singledispatchmethod
    def at(self, where):
        return 1.0 * self.a

    @at.register
    def _(self, where: float):
        return where**2 * self.a

    @at.register(np.ndarray)
    def of_array(self, where, factor=2):
        return np.sum(where**3) * factor

    @at.register
    def _(self, where: Angle, *, shift=1.0):
        return where.degrees**3 * shift + self.at(where.degrees)

    @at.register
    @classmethod
    def _(cls, where: list):
        return cls.scale * sum(where)


class Tide(Wave):
    pass


WAVE, TIDE = Wave(), Tide(3.0)


def of_numbers(s):
    return WAVE.at(s * 1.0) * TIDE.at(s * s) * Wave(s * 1.0).at(3)


def of_objects(s):
    return WAVE.at(Angle(s * 1.0)) + TIDE.at(Angle(s * s), shift=2.0)


def of_lists_and_text(s):
    return WAVE.at([s, s * s]) * TIDE.at("text")


def of_arrays(x):
    return WAVE.at(x, factor=3) + TIDE.at(x) * np.sum(x)
