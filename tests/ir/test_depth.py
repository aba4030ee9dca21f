"""What of the process is changed while a program is made, and given back."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from s2sad.errors import UnsupportedSyntaxError
from s2sad.ir.depth import FRAMES, YOUNG, with_room


def settings() -> tuple[Any, ...]:
    return sys.getrecursionlimit(), gc.get_threshold()


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    limit, thresholds = settings()
    gc.set_threshold(700, 10, 10)
    yield
    sys.setrecursionlimit(limit)
    gc.set_threshold(*thresholds)


@with_room
def within() -> tuple[Any, ...]:
    return settings()


@with_room
def twice() -> tuple[Any, ...]:
    within()
    return settings()


@with_room
def endless(n: int) -> int:
    return endless.__wrapped__(n + 1) + 1  # type: ignore[attr-defined, no-any-return]


def test_there_is_more_room_within_and_the_same_afterwards() -> None:
    before = settings()
    expected = max(before[0], FRAMES), (YOUNG, *before[1][1:])
    assert within() == twice() == expected
    assert settings() == before
    with pytest.raises(UnsupportedSyntaxError):
        endless(0)
    assert settings() == before


def test_who_wants_no_collection_or_fewer_still_has_it() -> None:
    for first in (0, 10 * YOUNG):
        gc.set_threshold(first, 3, 4)
        assert within()[1] == (first, 3, 4) == gc.get_threshold()


def test_what_is_set_meanwhile_stays() -> None:
    with_room(lambda: gc.set_threshold(123, 4, 5))()
    assert gc.get_threshold() == (123, 4, 5)


def test_the_last_of_several_threads_gives_it_back() -> None:
    before, entered, leave, found = settings(), threading.Barrier(3), threading.Barrier(3), []

    @with_room
    def hold() -> None:
        entered.wait(10)
        leave.wait(10)

    threads = [threading.Thread(target=hold) for _ in range(2)]
    for thread in threads:
        thread.start()
    entered.wait(10)
    found.append(within())
    found.append(settings())
    leave.wait(10)
    for thread in threads:
        thread.join(10)
    assert found[0] == found[1] != before == settings()
