"""Flags that are made of numbers for which there is none: Python's exception."""

import enum

import pytest

from s2sad import S2sadError, grad


class Terms(enum.Flag):
    LINEAR = enum.auto()
    SQUARE = enum.auto()


class Lenient(enum.Flag):
    ONE = 1

    @classmethod
    def _missing_(cls, value):
        return cls.ONE


def unknown(x):
    if x > 1.0:
        return x if Terms(9) else x * x
    return x**3


class Modes(enum.Enum):
    FAST = "fast"

    @classmethod
    def _missing_(cls, value):
        return cls.FAST


def lenient(x):
    return x**2 if x > 1.0 and Lenient(8) is Lenient.ONE else x**3


def lenient_by_words(x):
    return x**2 if x > 1.0 and Modes("FAST") is Modes.FAST else x**3


def test_a_number_of_which_there_is_no_flag():
    assert grad(unknown)(0.5) == pytest.approx(0.75)
    with pytest.raises(ValueError, match="invalid value 9") as plain:
        unknown(2.0)
    with pytest.raises(ValueError, match="invalid value 9") as ours:
        grad(unknown)(2.0)
    assert str(ours.value) == str(plain.value)


@pytest.mark.parametrize("f", [lenient, lenient_by_words])
def test_a_class_that_says_itself_what_it_takes(f):
    assert f(2.0) == 4.0
    with pytest.raises(S2sadError, match="of its own"):
        grad(f)(2.0)
