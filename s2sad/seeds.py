"""Tangents and seeds as users give them: whether they fit what they are of."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.errors import ActivityError
from s2sad.trees import is_inexact, leaves, parts


def check_fits(what: str, given: Any, like: Any, counts: dict[int, str] | None = None) -> None:
    """Raise ActivityError unless a tangent or seed has the structure, the shapes and the kind of numbers of what it is of.

    Where that has no derivative (integers, text, None), anything may stand, or nothing. With ``counts``, of several, one a row
    of each array: there it is entered how many there are, and of what.
    """
    inner = parts(like)
    if inner is None:
        if is_inexact(like):
            _check_numbers(what, given, like, counts)
        return
    items = parts(given)
    if items is None or isinstance(given, dict) != isinstance(like, dict):
        if any(map(is_inexact, leaves(like))):
            raise ActivityError(f"{what} is {_named(given)}, but {_named(like)} is expected", instead="the same structure")
        return
    for key, item in inner.items():
        if key in items:
            check_fits(f"{what}, at {key!r},", items[key], item, counts)
        elif any(map(is_inexact, leaves(item))):
            raise ActivityError(f"{what} has nothing at {key!r}", instead="the same structure, with zeros for what stays")
    if more := [key for key in items if key not in inner]:
        raise ActivityError(f"{what} has {more[0]!r}, which what it is of has not", instead="the same structure")


def _check_numbers(what: str, given: Any, like: Any, counts: dict[int, str] | None) -> None:
    shape = np.shape(like)
    expected = f"an array of shape {shape}" if isinstance(like, np.ndarray) else "a number"
    if counts is not None:
        expected = f"an array of shape ({', '.join(map(str, ('k', *shape)))})"
    if not isinstance(given, np.ndarray | np.generic | int | float | complex):
        instead = "numpy.asarray(..., float)" if isinstance(given, list | tuple) else "zeros for what stays as it is"
        raise ActivityError(f"{what} is {_named(given)}, but {expected} is expected", instead=instead)
    found = np.shape(given)
    if found != shape if counts is None else found[1:] != shape or not found:
        raise ActivityError(f"{what} has shape {found}, but {expected.removeprefix('an array of shape ')} is expected")
    if counts is not None:
        counts.setdefault(found[0], what)
    dtype = np.asarray(given).dtype
    if dtype.kind not in "biufc":
        raise ActivityError(f"{what} is of dtype {dtype}", instead="numbers")
    if dtype.kind == "c" and np.asarray(like).dtype.kind != "c":
        raise ActivityError(
            f"{what} is complex, and what it is of is real", instead="its real and its imaginary part, one after the other"
        )


def _named(value: Any) -> str:
    return "None" if value is None else f"a {type(value).__name__}"
