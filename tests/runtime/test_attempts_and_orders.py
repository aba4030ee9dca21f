"""The run-time helpers of `try`, `sorted`, `min`, `max` and `itertools`."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from s2sad.runtime import Attempt, choices, error_of, first_largest, first_smallest, handler_of, order


def test_attempts_remember_the_first_handler_that_fits() -> None:
    for error, number in ((None, 0), (KeyError("a"), 1), (IndexError(), 2), (ValueError(), 2)):
        attempt = Attempt(KeyError, (LookupError, ValueError))
        with attempt:
            if error is not None:
                raise error
        assert handler_of(attempt) == number
        assert error_of(attempt) is error


def test_attempts_let_other_exceptions_pass() -> None:
    attempt = Attempt(KeyError)
    with pytest.raises(ValueError, match="other"), attempt:
        raise ValueError("other")
    assert handler_of(attempt) == 0 and error_of(attempt) is None


@pytest.mark.parametrize("reverse", [False, True])
def test_orders_are_those_of_sorted(reverse: bool) -> None:
    keys = [2.0, 1.0, 2.0, 3.0, 1.0]
    expected = sorted(enumerate(keys), key=lambda pair: pair[1], reverse=reverse)
    assert order(keys, reverse) == [k for k, _ in expected]


def test_the_first_of_equals_wins() -> None:
    keys = [2.0, 1.0, 3.0, 1.0, 3.0]
    assert (first_smallest(keys), first_largest(keys)) == (1, 2)
    with pytest.raises(ValueError, match="empty"):
        first_smallest([])


@pytest.mark.parametrize("kind", ["combinations", "permutations", "combinations_with_replacement"])
@pytest.mark.parametrize("count", [0, 1, 4])
def test_choices_are_those_of_itertools(kind: str, count: int) -> None:
    found = choices(kind, count, 2)
    assert found.shape[1] == 2 and found.dtype == np.int64
    assert [tuple(row) for row in found] == list(getattr(itertools, kind)(range(count), 2))
