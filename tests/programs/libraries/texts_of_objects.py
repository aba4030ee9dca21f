"""Objects that say what they are (`__str__`, `__repr__`, `__format__`), in logs; named tuples that are made of sequences."""

import math
from collections import namedtuple
from typing import NamedTuple

LOG = []
IN_ORDER, BY_NUMBER, BY_NAME, ALONE = "{} {:4} {!r}", "{0} {0!s:>7} {1:.1f}", "{} {:4} {!s:>7} {p}", "{}"


class Spot:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __repr__(self):
        return f"Spot({self.x}, {self.y})"

    def __str__(self):
        return "spot"

    def __format__(self, spec):
        return f"S<{spec}>"


class Plain:
    def __init__(self, x):
        self.x = x

    def __str__(self):
        return "plain"


Pair = namedtuple("Pair", "a b")


class Sides(NamedTuple):
    a: float
    b: float = 2.0

    def area(self):
        return self.a * self.b


def said_by_str(s):
    p = Spot(s, 2)
    LOG.append(str(p))
    return p.x * s


def formatted_in_every_way(s):
    p = Spot(2, 3)
    LOG.append(f"{p} {p!r} {p!s:>6} {p:3} {p:}")
    LOG.append(format(p) + format(p, "x"))
    LOG.append(BY_NAME.format(p, p, p, p=p))
    return p.x * s * s


def formatted_by_template(s):
    p = Spot(2, 3)
    LOG.append(IN_ORDER.format(p, p, p))
    LOG.append(BY_NUMBER.format(p, 2.0))
    return p.y * s * s


def formatted_without_a_way_of_its_own(s):
    p = Plain(s)
    LOG.append(f"{p} {p!s:>8} " + ALONE.format(p))
    return p.x * s


def with_widths_of_the_program(s):
    p = Spot(2, 3)
    for width in (3, 4):
        LOG.append(f"{p:{width}}")
    return p.x * s**3


def pairs_of_lists(s):
    pair = Pair._make([s, s * s])
    return pair.a * pair.b


def pairs_of_parts(x):
    pair = Pair._make(x[:2])
    return pair.a * pair.b**2


def pairs_of_rows(s):
    total = 0.0
    for pair in map(Pair._make, [(s, 2.0), (3.0, s)]):
        total += pair.a**2 * pair.b
    return total


def sides_of_a_generator(s):
    return Sides._make(v * s for v in (1.0, s)).area()


def too_few_for_a_pair(s):
    try:
        pair = Pair._make([s])
    except TypeError as error:
        LOG.append(str(error))
        return s * s
    return pair.a


def too_many_for_a_pair(x):
    try:
        pair = Pair._make([v for v in x])
    except TypeError as error:
        LOG.append(str(error))
        return x[0] * x[1]
    return pair.a


def every_way_of_named_tuples(s):
    pair = Pair._make([s, s * s])._replace(a=s * 2)
    total = pair._asdict()["b"]
    for name in pair._fields:
        total += getattr(pair, name) ** 2
    return total


def in_two_parts(s):
    fraction, whole = math.modf(s)
    return fraction * fraction * s + whole * s


def in_two_parts_in_a_loop(s):
    total = 0.0
    for k in range(-2, 3):
        fraction, whole = math.modf(s * k)
        total += fraction**3 * (whole + 1)
    return total


def mantissa_and_exponent(s):
    mantissa, exponent = math.frexp(s * 3)
    return mantissa * mantissa * exponent * s + math.ldexp(mantissa, exponent + 1)


def mantissas_in_a_loop(s):
    total = 0.0
    for k in (0.1, 1.0, 30.0):
        mantissa, exponent = math.frexp(s * k)
        total += mantissa**2 * 2.0**exponent * s
    return total
