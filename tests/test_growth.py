"""How the work of making a derivative grows with the program: no clock is asked, calls of functions are counted."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import growing_programs as grown
import pytest

from s2sad import differentiate

# The programs, two sizes, and the power of the size with which the work may grow.
GROWTH = (
    (grown.straight_line, 25, 75, 1.1),
    (grown.names_of_their_own, 20, 60, 1.1),
    (grown.stores, 15, 45, 1.15),
    (grown.products_of_products, 6, 18, 1.1),
    (grown.many_arguments, 40, 120, 1.05),
    (grown.windows, 10, 30, 1.05),
    (grown.branches, 8, 24, 1.15),
    (grown.loops, 8, 24, 1.1),
    (grown.nested_loops, 5, 10, 1.05),
    (grown.nested_loops_that_keep_the_best, 4, 8, 1.05),
    (grown.nested_loops_with_names_of_their_own, 3, 6, 1.05),
    (grown.nested_while_loops, 4, 8, 1.1),
    (grown.calls_that_call_twice, 8, 32, 1.1),
    (grown.loops_in_functions_that_are_called, 10, 30, 1.15),
)


def work(function: Callable[..., Any]) -> int:
    """How many Python functions are called to make the adjoint of a function of numbers."""
    count, given = 0, [0.3 + 0.1 * k for k in range(function.__code__.co_argcount)]

    def step(_: FrameType, event: str, __: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(step)
    try:
        differentiate(function, wrt=tuple(range(len(given)))).source("adjoint", *given)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(("build", "small", "large", "power"), GROWTH, ids=[row[0].__name__ for row in GROWTH])
def test_work_grows_with_the_program(
    build: Callable[[int], list[str]], small: int, large: int, power: float, tmp_path: Path
) -> None:
    first, little, much = (grown.program(build(n), tmp_path, f"{build.__name__}_{n}") for n in (2, small, large))
    work(first)  # tables are loaded
    found = math.log(work(much) / work(little)) / math.log(large / small)
    assert found <= power
