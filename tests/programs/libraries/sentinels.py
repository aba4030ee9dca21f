"""Objects that mean that nothing was given: ``object()``, objects of a class of their own, members of enumerations."""

import dataclasses
import enum

import numpy as np

MISSING = object()
OPTIONS = {"rate": 2.0}


class Nothing:
    """A class for one object alone."""


class Absent(enum.Enum):
    VALUE = 1


NOTHING = Nothing()


def scaled(x, factor=MISSING):
    if factor is MISSING:
        return np.sum(x**2)
    return np.sum(x**3) * factor


def shifted(x, by=MISSING):
    if by is not MISSING:
        x = x + by
    return np.sum(x**3)


def one_that_is_left_out(x):
    return scaled(x) * scaled(x, 2.0) * scaled(x, x[0]) + shifted(x) + shifted(x, x[1])


def moved(y, a=MISSING, b=MISSING):
    if a is MISSING and b is MISSING:
        return y
    if b is MISSING:
        return y * a
    return y + b if a is MISSING else y * a + b


def two_that_are_left_out(x):
    return np.sum(moved(x) ** 3 + moved(x, 2.0) ** 2 + moved(x, b=x[0]) ** 2 + moved(x, x[1], 3.0) ** 3)


def by_default(x, factor=MISSING):
    return np.sum(x**3) * factor if factor is not MISSING else np.sum(x**2)


def of_a_class_by_default(x, factor=NOTHING):
    if factor is NOTHING:
        return np.sum(x**2)
    return np.sum(x**3) * factor


def of_a_library_by_default(x, factor=dataclasses.MISSING):
    if factor is not dataclasses.MISSING:
        x = x * factor
    return np.sum(x**3)


def of_an_enumeration_by_default(x, factor=Absent.VALUE):
    if factor is Absent.VALUE:
        return np.sum(x**2)
    return np.sum(x**3) * factor


def equal_by_default(x, factor=MISSING):
    return np.sum(x**2) if factor == MISSING else np.sum(x**3) * factor


def under_no_key(x):
    rate = OPTIONS.get("decay", MISSING)
    made = {"u": x[0]}
    if rate is MISSING and made.get("u", MISSING) is not MISSING and made.get("w", MISSING) is MISSING:
        return np.sum(x**3) * made["u"]
    return x[0]


def by_no_keyword(x):
    def inner(**given):
        factor = given.get("factor", MISSING)
        return np.sum(x**2) if factor is MISSING else np.sum(x**3) * factor

    return inner() * inner(factor=x[0])


class Filled:
    def __init__(self, by=MISSING):
        self.by = by

    def total(self, x):
        if self.by is MISSING:
            return np.sum(x**2)
        return np.sum(x + self.by) ** 3


EMPTY, FULL = Filled(), Filled(3.0)


def in_fields_outside(x):
    return EMPTY.total(x) * FULL.total(x)


def in_fields(x):
    return Filled().total(x) * Filled(x[0]).total(x)


def in_tuples_by_default(x, factors=(MISSING, 2.0)):
    return sum(np.sum(x**2) if f is MISSING else np.sum(x**3) * f for f in factors)


def the_largest_so_far(x):
    largest = MISSING
    for v in x:
        if largest is MISSING or v * v > largest:
            largest = v * v
    return largest * x[0]


def folded(x):
    total = MISSING
    for v in x:
        total = v if total is MISSING else total * v + v
    return total


def at_the_end(x):
    items, total = iter([x[0], x[1] * x[1], x[2]]), 0.0
    while (v := next(items, MISSING)) is not MISSING:
        total = total + v * v
    return total


def of_no_attribute(x):
    found = getattr(EMPTY, "nothing", MISSING)
    return np.sum(x**3) if found is MISSING else found
