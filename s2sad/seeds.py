"""Tangents and seeds as users give them: whether they fit what they are of."""

from __future__ import annotations

import functools
import types
from collections.abc import Hashable
from typing import Any

import numpy as np

from s2sad.errors import ActivityError
from s2sad.ir.kinds import check_type
from s2sad.ir.nodes import Structure
from s2sad.trees import is_discrete, is_inexact, leaves, parts, rebuilt

FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type, functools.partial, np.ufunc)

# Where the seeds of a result go: the number of a leaf among a program's seeds, None for one that has none, and for what is put
# together the same of each item, by its key as text. (Lists in place of tuples: it is kept on disk.)
Places = int | None | list[Any]


def places_of(returns: Structure, outputs: tuple[int, ...]) -> Places:
    """Where the seeds of what a function returns go, of which a program takes one for each of the leaves ``outputs``."""
    number = {leaf: k for k, leaf in enumerate(outputs)}
    leaf = iter(range(returns.leaves()))

    def walk(part: Structure) -> Places:
        if part.kind == "leaf":
            return number.get(next(leaf))
        keys = part.keys or range(len(part.items))
        return [[as_text(key), walk(item)] for key, item in zip(keys, part.items, strict=True)]

    return walk(returns)


def as_text(key: Hashable) -> str:
    """The key of an item, told apart from others by type and value."""
    return f"{type(key).__name__} {key!r}"


def spread(given: Any, value: Any, places: Places, nothing: Any = 0.0) -> tuple[Any, ...]:
    """The seeds that a program takes, from those for a value; ``nothing`` where that has come out as what has no derivative.

    Raises ActivityError for a value that is put together in another way than the program's result.
    """
    found: dict[int, Any] = {}

    def walk(given: Any, value: Any, places: Places) -> None:
        if isinstance(places, int):
            found[places] = _active(given, value, nothing)
        elif places is not None:
            inner = {as_text(key): key for key in parts(value) or {}}
            if set(inner) != {key for key, _ in places} and not is_discrete(value):
                raise ActivityError(
                    f"the value is {named(value)} with other items than its derivative is for",
                    why="what the function returns consists of other parts on another path", instead="the same parts on each",
                )  # fmt: skip
            items, values = parts(given) or {}, parts(value) or {}
            for text, place in places:
                key = inner.get(text)
                walk(items.get(key), values.get(key), place)

    walk(given, value, places)
    return tuple(found[k] for k in sorted(found))


def _active(given: Any, value: Any, nothing: Any) -> Any:
    """A seed, with ``nothing`` where what it is of has no derivative, whatever stands there."""
    if parts(value) is None:
        return nothing if is_discrete(value) else given
    if not any(map(is_discrete, leaves(value))):
        return given
    items = parts(given) or {}
    return rebuilt(value, {key: _active(items.get(key), item, nothing) for key, item in (parts(value) or {}).items()})


def check_fits(what: str, given: Any, like: Any, counts: dict[int, str] | None = None) -> None:
    """Raise ActivityError unless a tangent or seed has the structure, the shapes and the kind of numbers of what it is of, and
    KindError for an array with operators of its own.

    Where that has no derivative (integers, text, None), anything may stand, or nothing; of tangents ``check_still`` asks more.
    With ``counts``, of several, one a row of each array: there it is entered how many there are, and of what.
    """
    inner = parts(like)
    if inner is None:
        if is_inexact(like):
            _check_numbers(what, given, like, counts)
        return
    items = parts(given)
    if items is None or isinstance(given, dict) != isinstance(like, dict):
        if any(map(is_inexact, leaves(like))):
            raise ActivityError(f"{what} is {named(given)}, but {named(like)} is expected", instead="the same structure")
        return
    for key, item in inner.items():
        if key in items:
            check_fits(f"{what}, at {key!r},", items[key], item, counts)
        elif any(map(is_inexact, leaves(item))):
            raise ActivityError(f"{what} has nothing at {key!r}", instead="the same structure, with zeros for what stays")
    if more := [key for key in items if key not in inner]:
        raise ActivityError(f"{what} has {more[0]!r}, which what it is of has not", instead="the same structure")


def check_still(what: str, given: Any, like: Any) -> None:
    """Raise ActivityError for a tangent that is not zero, of an argument without a derivative: the program would leave it out.

    In dicts and objects settings stand beside what is differentiated; there anything may stand.
    """
    if isinstance(like, tuple | list):
        for key, (item, inner) in enumerate(zip(given if isinstance(given, tuple | list) else (), like, strict=False)):
            check_still(f"{what}, at {key!r},", item, inner)
    elif parts(like) is None and _tells_of_a_change(given, like):
        raise ActivityError(
            f"{what} is not zero, but {named(like)} has no derivative",
            why="integers, booleans and what is no number are not differentiated", instead="a float, or zero",
        )  # fmt: skip


def _tells_of_a_change(given: Any, like: Any) -> bool:
    """Test for a tangent that is not zero: numbers, or an object like the one that it is of, if that is no function."""
    if isinstance(given, np.ndarray | np.generic | int | float | complex):
        return bool(np.any(given))
    return given is not None and type(given) is type(like) and callable(like) and not isinstance(like, FUNCTIONS)


def _check_numbers(what: str, given: Any, like: Any, counts: dict[int, str] | None) -> None:
    shape = np.shape(like)
    expected = f"an array of shape {shape}" if isinstance(like, np.ndarray) else "a number"
    if counts is not None:
        expected = f"an array of shape ({', '.join(map(str, ('k', *shape)))})"
    if not isinstance(given, np.ndarray | np.generic | int | float | complex):
        instead = "numpy.asarray(..., float)" if isinstance(given, list | tuple) else "zeros for what stays as it is"
        raise ActivityError(f"{what} is {named(given)}, but {expected} is expected", instead=instead)
    check_type(given)
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


def named(value: Any) -> str:
    """A value in a message, by its type."""
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
