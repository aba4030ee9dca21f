"""Both back ends give the same values, types and errors where machine code could easily give others."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from both_backends import built, leaves
from edge_programs import CALLS

from s2sad import jvp, value_and_grad
from s2sad.native import NotCompiledWarning

pytest.importorskip("numba")
QUICK = {"int_div_neg", "nan_compare", "oob", "oob2", "wh", "dup_store", "int_overflow", "mod_zero", "minmax",
         "longer_than_its_window", "from_both_ends", "emptied", "window_or_copy", "window_of_its_own",
         "out_of_domain", "returned_unbound", "whole_or_float", "floats_into_a_list_of_integers",
         "floats_into_rows_of_integers", "floats_into_a_copied_argument", "floats_into_a_part_of_an_argument",
         "large_integers_in_a_list", "stored_with_axes_in_front", "product_by_reduce", "logarithm_by_reduce",
         "one_of_two", "which_of_a_list", "which_list", "same_memory", "in_a_list", "equal_tuples"}
# Their result is of another type on another path: machine code has one type for it, which holds the same number.
ONE_TYPE = {"truth", "maybe_int"}


def outcome(function: Callable[..., Any], args: Sequence[Any], backend: str) -> tuple[Any, ...]:
    """Value, gradient and the arguments afterwards; or the error."""
    given = [a.copy(order="K") if isinstance(a, np.ndarray) and a.flags.c_contiguous else copy.copy(a) for a in args]
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", NotCompiledWarning)
            warnings.simplefilter("ignore", RuntimeWarning)
            return (*value_and_grad(function, backend=backend)(*given), *given)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        pytest.param(f, args, id=f"{f.__name__}-{k}", marks=() if f.__name__ in QUICK else pytest.mark.deep)
        for k, (f, *args) in enumerate(CALLS)
    ],
)
def test_both_back_ends_give_the_same(function: Callable[..., Any], args: list[Any]) -> None:
    expected, found = outcome(function, args, "numpy"), outcome(function, args, "numba")
    if isinstance(expected[0], type):
        assert found == expected
        return
    assert not isinstance(found[0], type), found
    for one, other in zip(expected, found, strict=True):
        assert type(one) is type(other) or function.__name__ in ONE_TYPE
        if isinstance(one, np.ndarray):
            assert one.dtype == other.dtype
        np.testing.assert_allclose(other, one, rtol=1e-10, atol=1e-13)


def tuple_of_a_list(x):
    return tuple([v * v for v in x])


def tuple_of_floats(x):
    return tuple([float(v) for v in x]), x[0]


def tuple_in_a_dict(x):
    return {"squares": tuple([v * v for v in x])}


@pytest.mark.parametrize("f", [tuple_of_a_list, tuple_of_floats, tuple_in_a_dict])
def test_tuples_of_unknown_length_are_tuples(f: Callable[..., Any]) -> None:
    x = np.array([0.7, 1.3, 2.1])
    with warnings.catch_warnings():
        warnings.simplefilter("error", NotCompiledWarning)
        found = jvp(f, (x,), (x,), backend="numba")
    expected = jvp(f, (x,), (x,))
    assert [built(part) for part in found] == [built(part) for part in expected]
    assert np.allclose(leaves(found), leaves(expected))
