"""Sets outside that are run over are refused by their name and sort, with what to write in their place; so are queues of
classes on top of Python's own."""

from __future__ import annotations

from collections import deque
from typing import Any

import pytest

from s2sad import grad
from s2sad.errors import UnsupportedSyntaxError


class Queue(deque[float]):
    """A class on top of a deque, which may do something else."""


QUEUE, MEMBERS = Queue([1.0, 2.0]), {1, 2}


def read(s: Any) -> Any:
    return s * QUEUE[0]


def run_over(s: Any) -> Any:
    for k in MEMBERS:
        s = s * k
    return s


def run_over_once_it_is_changed(s: Any) -> Any:
    MEMBERS.add(1)
    for k in MEMBERS:
        s = s * k
    return s


ASKED = [(read, "a list in its place"), (run_over, "a dict")]


@pytest.mark.parametrize(("program", "instead"), ASKED)
def test_what_to_write_in_their_place(program: Any, instead: str) -> None:
    with pytest.raises(UnsupportedSyntaxError) as caught:
        grad(program)(2.0)
    assert f"instead: {instead}" in str(caught.value)
    assert (list(QUEUE), MEMBERS) == ([1.0, 2.0], {1, 2})


def test_one_that_changes_is_not_run_over() -> None:
    with pytest.raises(UnsupportedSyntaxError, match="a set that changes"):
        grad(run_over_once_it_is_changed)(2.0)
    assert {1, 2} == MEMBERS
