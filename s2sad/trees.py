"""Arguments with structure: nested tuples, named tuples, lists, dicts and objects of users' classes, as trees of leaves.

What a derivative is given and gives back has the structure of the argument; these are the walks over it.
"""

from __future__ import annotations

import collections
import enum
import types
import weakref
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from s2sad.errors import ActivityError
from s2sad.runtime.structures import fields, hides, is_record, record, twins

Path = tuple[str | int, ...]
STILL = bool | int | str | bytes | range | slice | types.EllipsisType | types.ModuleType | np.dtype | None

IDENTIFIED: weakref.WeakSet[type] = weakref.WeakSet()  # classes whose objects some program compares by ``is``


class finite:
    """A walk over trees: within, what holds itself is an ActivityError."""

    def __init__(self, what: str) -> None:
        self.what = what

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, *_: object) -> None:
        if kind is RecursionError:
            raise ActivityError(
                f"{self.what} holds itself",
                why="its parts are taken apart, and there is no end to them", instead="an object without a way back to itself",
            ) from None  # fmt: skip


def parts(value: Any) -> dict[Hashable, Any] | None:
    """The items of a container or object by key; None for a leaf."""
    if hides(value):
        return None
    if isinstance(value, tuple | list):
        return dict(enumerate(value))
    if isinstance(value, dict):
        return dict(value)
    return dict(fields(value).items()) if is_record(value) else None


def leaves(value: Any) -> Iterator[Any]:
    """The leaves in order. Raises ActivityError for what holds itself."""
    with finite(f"a {type(value).__name__}"):
        yield from _leaves(value)


def _leaves(value: Any) -> Iterator[Any]:
    inner = parts(value)
    if inner is None:
        yield value
    else:
        for item in inner.values():
            yield from _leaves(item)


def rebuilt(like: Any, items: dict[Hashable, Any]) -> Any:
    """A container or object of the type of ``like`` that holds ``items``."""
    if isinstance(like, tuple):
        return tuple.__new__(type(like), items.values())
    if isinstance(like, list):
        return list(items.values())
    if isinstance(like, dict):
        return dict(items)
    return record(like, tuple(map(str, items)), *items.values())


def in_precision(given: Any, like: Any) -> Any:
    """A tangent or adjoint in the dtype of what it is of, item by item; complex ones of real numbers stay complex.

    Whoever makes directions of ``numpy.ones`` gets derivatives in the precision of the arguments.
    """
    inner, items = parts(like), parts(given)
    if inner is not None and items is not None:
        found = {key: in_precision(item, inner[key]) if key in inner else item for key, item in items.items()}
        return given if all(found[key] is items[key] for key in items) else rebuilt(given, found)
    if isinstance(like, np.inexact) and type(given) in (int, float):
        return type(like)(given)  # no 0 divides one of Python's
    typed = isinstance(given, np.ndarray) and isinstance(like, np.ndarray | np.inexact) and like.dtype.kind in "fc"
    if typed and given.dtype != like.dtype and given.dtype.kind in "biufc"[: 5 if like.dtype.kind == "c" else 4]:
        given = given.astype(like.dtype)
    number = isinstance(given, np.ndarray) and given.ndim == 0 and inner is None and not isinstance(like, np.ndarray)
    return given[()] if number else given  # which nobody adds to in place


def mapped(change: Callable[..., Any], first: Any, *rest: Any) -> Any:
    """``change`` applied to corresponding leaves of values of one structure."""
    with finite(f"a {type(first).__name__}"):
        return _mapped(change, first, rest)


def _mapped(change: Callable[..., Any], first: Any, rest: Sequence[Any]) -> Any:
    inner = parts(first)
    if inner is None:
        return change(first, *rest)
    others = [parts(other) or {} for other in rest]
    return rebuilt(
        first, {key: _mapped(change, item, [o[key] for o in others]) for key, item in inner.items()}
    )


def identify(things: Iterable[Any]) -> None:
    """Note that objects of these classes are compared by ``is``."""
    IDENTIFIED.update(type(thing) for thing in things if is_record(thing))


def copied(value: Any) -> Any:
    """The value with new arrays, containers and objects, of which one that stands twice does so again; its arrays lie in memory
    as they did, and share what they shared.

    Objects of which nothing can be changed stay, and so do those that somebody asks who they are (``IDENTIFIED``).
    """
    with finite(f"a {type(value).__name__}"):
        arrays = {id(leaf): leaf for leaf in _leaves(value) if isinstance(leaf, np.ndarray)}
        made = dict(zip(arrays, twins(list(arrays.values())), strict=True))
        return _copied(value, made)


def _copied(value: Any, made: dict[int, Any]) -> Any:
    if id(value) in made:
        return made[id(value)]
    inner = None if type(value) in IDENTIFIED else parts(value)
    if inner is None:
        return value
    items = {key: _copied(item, made) for key, item in inner.items()}
    if all(items[key] is inner[key] for key in inner) and _is_constant(value, inner):
        return value
    made[id(value)] = _refilled(value, items) if isinstance(value, list | dict) else rebuilt(value, items)
    return made[id(value)]


def _is_constant(value: Any, inner: dict[Hashable, Any]) -> bool:
    """Test for what no assignment changes: a tuple, an object of a frozen class, or a mark that has no attributes."""
    if isinstance(value, list | dict):
        return False
    settings = getattr(type(value), "__dataclass_params__", None)
    return isinstance(value, tuple) or not inner or settings is not None and settings.frozen


def _refilled(like: Any, items: dict[Hashable, Any]) -> Any:
    """A list or dict of the class of ``like``, with its attributes; what the class says about items is not asked."""
    cls = type(like)
    base: Any = next(base for base in (list, collections.OrderedDict, dict) if issubclass(cls, base))
    made: Any = base.__new__(cls)
    if cls.__dictoffset__:
        made.__dict__.update(like.__dict__)
    if issubclass(cls, collections.defaultdict):
        made.default_factory = like.default_factory
    if base is list:
        list.extend(made, items.values())
    else:
        for key, item in items.items():
            base.__setitem__(made, key, item)
    return made


def filled(value: Any, number: float) -> Any:
    """A tangent of this structure: one number everywhere."""
    return mapped(lambda leaf: np.full_like(leaf, number) if isinstance(leaf, np.ndarray) else number, value)


def at(value: Any, path: Path) -> Any:
    """The part of a value under a path of attribute names, keys and positions. Raises LookupError where there is none."""
    for key in path:
        inner = parts(value) or {}
        if key not in inner:
            raise LookupError(key)
        value = inner[key]
    return value


def is_inexact(leaf: Any) -> bool:
    """Test for a floating number or an array of them."""
    if isinstance(leaf, np.ndarray):
        return leaf.dtype.kind in "fc"
    return isinstance(leaf, float | complex | np.floating | np.complexfloating)


def is_discrete(value: Any) -> bool:
    """Test for a value without derivative: numbers that are no floats, functions, and what holds nothing else."""
    if type(value) is np.ndarray:
        return value.dtype.kind in "biu"
    if parts(value) is not None:
        return all(map(is_discrete, leaves(value)))
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype.kind in "biu"
    known = isinstance(value, STILL) or callable(value) or type(value) is object
    return known or (isinstance(value, enum.Enum) and not is_inexact(value))
