"""The run-time helpers of `try`, `sorted`, `min`, `max` and `itertools`."""

from __future__ import annotations

import collections
import itertools

import numpy as np
import pytest

from s2sad.runtime import (
    Attempt,
    attempt_copy,
    choices,
    error_of,
    first_largest,
    first_smallest,
    handler_of,
    order,
)


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


def test_attempts_copy_what_they_do_not_know_as_its_class_defines_it() -> None:
    attempt, shared = Attempt(KeyError), np.ones(2)
    queue, generator = collections.deque([shared, 1.0]), np.random.default_rng(0)
    first, again, array = attempt_copy(attempt, queue), attempt_copy(attempt, queue), attempt_copy(attempt, shared)
    assert first is again and first is not queue and first[0] is array and array is not shared
    drawn = attempt_copy(attempt, generator).random()
    assert generator.random() == drawn
    assert attempt_copy(attempt, np.sin) is np.sin and attempt_copy(attempt, "text") == "text"
    with pytest.raises(ValueError, match="a generator cannot be copied"):
        attempt_copy(attempt, (k for k in range(3)))


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


def test_copies_share_memory_as_the_originals_do() -> None:
    a = np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1)
    items = {"a": [a, a[1:, ::-1]], "n": (1.5, "text"), "s": {1, 2}}
    frozen = a[0]
    frozen.flags.writeable = False
    attempt = Attempt(ValueError)
    copies, window, still = (attempt_copy(attempt, v) for v in (items, a[::2, 1], frozen))
    copies["a"][0][2, 1, 2] = -1.0
    copies["s"].add(3)
    copies["a"].append(7)
    assert a[2, 1, 2] == 22.0 and items["s"] == {1, 2} and len(items["a"]) == 2
    assert window[1, 2] == -1.0 and copies["a"][1][1, 0, 2] == -1.0
    assert copies["a"][1].strides == items["a"][1].strides and copies["n"] == items["n"]
    assert not still.flags.writeable and np.shares_memory(still, window)
