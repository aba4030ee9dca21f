"""Objects from outside that hold themselves, one in another, are refused at once: a walk through all ways in them has no end."""

import time

import pytest

from s2sad import S2sadError, grad, jvp


class Room:
    def __init__(self, house):
        self.house = house
        self.size = 2.0


class House:
    """Each room knows the house, which knows all rooms: there are as many ways through it as rooms to any power."""

    def __init__(self):
        self.rooms = [Room(self) for _ in range(6)]
        self.first = self.rooms[0]
        self.by_name = {str(k): room for k, room in enumerate(self.rooms)}


HOUSE = House()


class Length:
    house = HOUSE

    def __init__(self, size):
        self.size = size

    def __float__(self):
        return self.size * self.house.first.size


def reads(x):
    return x * HOUSE.first.size


def writes(x):
    HOUSE.first.size = x
    return x * x


def asks(x):
    return x * float(Length(2.0))


@pytest.mark.parametrize("function", [reads, writes, asks])
def test_what_holds_itself_is_refused_at_once(function):
    for derive in (lambda: grad(function)(3.0), lambda: jvp(function, (3.0,), (1.0,))):
        began = time.process_time()
        with pytest.raises(S2sadError, match="holds itself"):
            derive()
        assert time.process_time() - began < 15


def test_what_a_class_holds_of_an_argument():
    began = time.process_time()
    with pytest.raises(S2sadError, match="holds itself"):
        grad(lambda x, length: x * float(length))(3.0, Length(2.0))
    assert time.process_time() - began < 15


SHARED = {"a": 3.0}
PAIR = {"left": SHARED, "right": [SHARED, SHARED], "flag": "yes"}


def shared(x):
    return x * PAIR["left"]["a"] * PAIR["right"][1]["a"] if PAIR["flag"] == "yes" else x


def test_what_is_found_twice_is_followed():
    assert grad(shared)(2.0) == 9.0
