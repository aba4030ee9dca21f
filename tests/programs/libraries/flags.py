"""Flags of enumerations, put together and asked for; members with methods and properties."""

import enum


class Terms(enum.Flag):
    NONE = 0
    LINEAR = enum.auto()
    SQUARE = enum.auto()
    CUBE = enum.auto()
    ALL = LINEAR | SQUARE | CUBE

    def both(self):
        return Terms.LINEAR in self and Terms.SQUARE in self

    @property
    def weight(self):
        return 2.0 if self & Terms.CUBE else 1.0


class Bits(enum.IntFlag):
    LOW = 1
    HIGH = 2


class Model:
    def __init__(self, terms):
        self.terms = terms
        self.scale = 2.0

    def value(self, s):
        total = 0.0
        if self.terms & Terms.LINEAR:
            total += s
        if Terms.SQUARE in self.terms:
            total += self.scale * s * s
        if bool(self.terms & Terms.CUBE):
            total += s**3
        return total


MODEL = Model(Terms.LINEAR | Terms.SQUARE)


def put_together(s):
    terms = Terms.LINEAR | Terms.SQUARE
    return s * s if terms.both() else s


def without_one(s):
    terms = Terms.ALL & ~Terms.SQUARE
    return s if terms.both() else s * s * terms.weight


def in_an_object(s):
    return Model(Terms.ALL ^ Terms.CUBE).value(s) * s


def outside(s):
    return MODEL.value(s) * s


def by_an_option(s, terms=Terms.CUBE):
    return s**3 * terms.weight if Terms.CUBE in terms else s


def none_of_them(s):
    return s if Terms.LINEAR & Terms.CUBE else s * s


def run_over(s):
    total = 0.0
    for term in (Terms.LINEAR, Terms.CUBE):
        total += s ** (term.value + (term in Terms.ALL))
    return total


def whole_numbers(s):
    bits = Bits.LOW | Bits.HIGH
    return s * s * int(bits) if bits & Bits.HIGH else s


def compared(s):
    terms = Terms.LINEAR
    terms |= Terms.SQUARE
    return s * s if terms == Terms.LINEAR | Terms.SQUARE and terms is not Terms.ALL else s


def keys_of_a_table(s):
    table = {Terms.LINEAR: s, Terms.LINEAR | Terms.CUBE: s * s}
    return table[Terms.CUBE | Terms.LINEAR] * table[Terms.LINEAR]


def stored_under_flags(s):
    table = {}
    table[Terms.LINEAR | Terms.CUBE] = s * s
    table[Terms.SQUARE] = s
    return table[Terms.CUBE | Terms.LINEAR] * table[Terms.SQUARE] * len(table)


def by_their_values(s):
    chosen, none = Terms(3), Terms(0)
    if s > 0.0:
        none |= Terms(4)
    return s**2 * Model(chosen).value(s) if none & Terms.CUBE and chosen == Terms.LINEAR | Terms.SQUARE else s


def one_by_one(s):
    return sum(s**flag.value * (2.0 if flag is Terms.SQUARE else 1.0) for flag in Terms.ALL) * s ** len(Terms(3))
