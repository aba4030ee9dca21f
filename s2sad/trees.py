"""Arguments with structure: nested tuples, named tuples, lists, dicts and objects of users' classes, as trees of leaves.

What a derivative is given and gives back has the structure of the argument; these are the walks over it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np

from s2sad.runtime.structures import fields, is_record, record

Path = tuple[str | int, ...]


def parts(value: Any) -> dict[Hashable, Any] | None:
    """The items of a container or object by key; None for a leaf."""
    if isinstance(value, tuple | list):
        return dict(enumerate(value))
    if isinstance(value, dict):
        return dict(value)
    return dict(fields(value).items()) if is_record(value) else None


def leaves(value: Any) -> Iterator[Any]:
    """The leaves in order."""
    inner = parts(value)
    if inner is None:
        yield value
    else:
        for item in inner.values():
            yield from leaves(item)


def rebuilt(like: Any, items: dict[Hashable, Any]) -> Any:
    """A container or object of the type of ``like`` that holds ``items``."""
    if isinstance(like, tuple):
        return tuple.__new__(type(like), items.values())
    if isinstance(like, list):
        return list(items.values())
    if isinstance(like, dict):
        return dict(items)
    return record(like, tuple(map(str, items)), *items.values())


def mapped(change: Callable[..., Any], first: Any, *rest: Any) -> Any:
    """``change`` applied to corresponding leaves of values of one structure."""
    inner = parts(first)
    if inner is None:
        return change(first, *rest)
    others = [parts(other) or {} for other in rest]
    return rebuilt(
        first, {key: mapped(change, item, *(o[key] for o in others)) for key, item in inner.items()}
    )


def copied(value: Any) -> Any:
    """The value with new arrays, containers and objects; an array that it holds twice is one array in the copy too."""
    seen: dict[int, Any] = {}

    def copy(leaf: Any) -> Any:
        if isinstance(leaf, np.ndarray):
            return seen.setdefault(id(leaf), leaf.copy())
        return leaf

    return mapped(copy, value)


def at(value: Any, path: Path) -> Any:
    """The part of a value under a path of attribute names, keys and positions. Raises LookupError where there is none."""
    for key in path:
        inner = parts(value) or {}
        if key not in inner:
            raise LookupError(key)
        value = inner[key]
    return value
