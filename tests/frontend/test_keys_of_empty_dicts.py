"""A dict outside that is empty at first: keys that a loop or one path gives it are found as in the original."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from s2sad import S2sadError, hvp, jvp, value_and_grad

TABLE: dict[Any, Any] = {}
HELD: dict[str, dict[Any, Any]] = {"table": {}}


def by_length(x: float) -> Any:
    for i in range(3):
        TABLE[len(TABLE)] = i
    return x * x * len(TABLE)


def by_length_in_a_while_loop(x: float) -> Any:
    n = 0
    while n < 3:
        TABLE[len(TABLE)] = n
        n += 1
    return x * x * len(TABLE)


def by_update(x: float) -> Any:
    for i in range(3):
        TABLE.update({len(TABLE): i})
        TABLE.setdefault(len(TABLE), i)
    return x * x * len(TABLE)


def by_text(x: float) -> Any:
    for _ in range(3):
        TABLE[str(len(TABLE))] = 1
    return x * x * len(TABLE)


def in_another(x: float) -> Any:
    for i in range(2):
        HELD["table"][len(HELD["table"])] = i
    return x * x * len(HELD["table"])


def once(x: float) -> Any:
    for i in range(3):
        if not TABLE:
            TABLE["first"] = i
    return x * x * (TABLE["first"] + len(TABLE))


def many(x: float) -> Any:
    for i in range(50):
        TABLE[len(TABLE)] = i
    return x * x * len(TABLE)


def on_a_path(x: float) -> Any:
    if x < 0:
        TABLE["seen"] = 1
    return x * x * len(TABLE)


def on_the_other(x: float) -> Any:
    if x < 0:
        TABLE["seen"] = 1
    return x * x * (2.0 if "seen" in TABLE else 3.0)


PROGRAMS = [
    by_length, by_length_in_a_while_loop, by_update, by_text, in_another, once, many, on_a_path, on_the_other,
]  # fmt: skip
CALLS: dict[str, Callable[[Any], Any]] = {
    "value_and_grad": lambda f: value_and_grad(f)(2.0),
    "jvp": lambda f: jvp(f, (2.0,), (1.0,)),
    "hvp": lambda f: hvp(f, (2.0,), (1.0,)),
}


def _clear() -> None:
    TABLE.clear()
    HELD["table"].clear()


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_as_the_original_or_refused(program: Callable[[float], Any], call: Callable[[Any], Any]) -> None:
    _clear()
    value = program(2.0)
    left = dict(TABLE), dict(HELD["table"])
    _clear()
    try:
        found = call(program)
    except S2sadError:
        assert program in (many, on_a_path, on_the_other)
        assert (TABLE, HELD["table"]) == ({}, {})
        return
    slope = value / 2 if call is CALLS["hvp"] else value  # of c * x * x at 2: 2 c x, and 2 c
    assert tuple(map(float, found)) == (value, slope)
    assert (TABLE, HELD["table"]) == left
