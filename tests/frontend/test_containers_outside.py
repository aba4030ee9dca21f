"""Sets and queues outside are refused by their name and sort, with what to write in their place."""

from __future__ import annotations

from collections import deque
from typing import Any

import pytest

from s2sad import grad
from s2sad.errors import UnsupportedSyntaxError

QUEUE, MEMBERS = deque([1.0, 2.0]), {1, 2}


def read(s: Any) -> Any:
    return s * QUEUE[0]


def run_over(s: Any) -> Any:
    for k in MEMBERS:
        s = s * k
    return s


def put_in(s: Any) -> Any:
    QUEUE.append(s)
    return s * s


def added_to(s: Any) -> Any:
    MEMBERS.add(3)
    return s * s


ASKED = [(read, "a list"), (run_over, "a dict"), (put_in, "a list"), (added_to, "a dict")]


@pytest.mark.parametrize(("program", "instead"), ASKED)
def test_what_to_write_in_their_place(program: Any, instead: str) -> None:
    with pytest.raises(UnsupportedSyntaxError, match="outside") as caught:
        grad(program)(2.0)
    assert f"instead: {instead}" in str(caught.value)
    assert (list(QUEUE), MEMBERS) == ([1.0, 2.0], {1, 2})
