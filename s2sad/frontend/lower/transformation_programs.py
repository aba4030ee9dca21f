"""Dense Jacobians of arrays as programs: ``push`` gives the tangent along a direction, ``pull`` the adjoint of a seed; what
``vmap`` does for each ``sample``; and the leaves of a ``ravel``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def by_columns(push: Callable[[Any], Any], x: Any, out: Any) -> Any:
    """``out.shape + x.shape``."""
    found = np.zeros((np.size(out), np.size(x)), dtype=out.dtype)
    for k in range(np.size(x)):
        direction = np.zeros(np.size(x))
        direction[k] = 1.0
        found[:, k] = np.ravel(push(direction.reshape(np.shape(x))))
    return found.reshape(np.shape(out) + np.shape(x))


def by_rows(pull: Callable[[Any], Any], x: Any, out: Any) -> Any:
    """``out.shape + x.shape``."""
    found = np.zeros((np.size(out), np.size(x)), dtype=out.dtype)
    for k in range(np.size(out)):
        seed = np.zeros(np.size(out))
        seed[k] = 1.0
        found[k] = np.ravel(pull(seed.reshape(np.shape(out))))
    return found.reshape(np.shape(out) + np.shape(x))


def gradient_by_columns(push: Callable[[Any], Any], x: Any, out: Any) -> Any:
    """That of a number, by columns."""
    found = np.zeros(np.size(x))
    for k in range(np.size(x)):
        direction = np.zeros(np.size(x))
        direction[k] = 1.0
        found[k] = push(direction.reshape(np.shape(x)))
    return found.reshape(np.shape(x))


def of_number(along: Callable[[Any], Any], x: Any, out: Any) -> Any:
    """That by a number in one tangent, or that of a number in one adjoint."""
    return along(1.0)


def by_number_by_rows(pull: Callable[[Any], Any], x: Any, out: Any) -> Any:
    """That by a number, by rows."""
    found = np.zeros(np.size(out), dtype=out.dtype)
    for k in range(np.size(out)):
        seed = np.zeros(np.size(out))
        seed[k] = 1.0
        found[k] = pull(seed.reshape(np.shape(out)))
    return found.reshape(np.shape(out))


def as_many(xs: Any, ys: Any) -> None:
    """Two arguments of a vmap have as many samples."""
    if len(xs) != len(ys):
        raise ValueError("vmap needs one number of samples")


def for_each(sample: Callable[[int], Any], xs: Any) -> Any:
    """The results for all samples, stacked."""
    return np.array([sample(k) for k in range(len(xs))])


def all_samples(sample: Callable[[int], Any], xs: Any) -> Any:
    """The results for all samples, tuples of their leaves."""
    return [sample(k) for k in range(len(xs))]


def each_leaf(rows: Any, place: int) -> Any:
    """One leaf of all samples, stacked."""
    return np.array([row[place] for row in rows])


def extent(leaf: Any) -> Any:
    """The number of a leaf's numbers, and their shape."""
    return np.size(leaf), np.shape(leaf)


def after(start: int, size: int) -> int:
    """Where the next leaf starts."""
    return start + size


def of_size(vector: Any, size: int) -> None:
    """A vector of this size is given."""
    if np.shape(vector) != (size,):
        raise ValueError("a vector of another size is given to the way back of a ravel")


def of_reals(vector: Any) -> None:
    """A vector of real numbers is given."""
    if np.iscomplexobj(vector):
        raise ValueError("a real leaf of the tree is given complex numbers")


def part(vector: Any, start: int, size: int, shape: tuple[int, ...]) -> Any:
    """An array whose numbers lie in a vector."""
    return np.copy(vector[start : start + size]).reshape(shape)


def part_of_type(vector: Any, start: int, size: int, shape: tuple[int, ...], dtype: Any) -> Any:
    """An array whose numbers lie in a vector of another type."""
    return vector[start : start + size].astype(dtype).reshape(shape)


def item(vector: Any, start: int, number: Any) -> Any:
    """A number that lies in a vector."""
    return number(vector[start])


def renewed(items: list[Any], contents: list[Any]) -> None:
    """A list with other items."""
    items.clear()
    for item in contents:
        items.append(item)


def renewed_keys(items: dict[Any, Any], contents: dict[Any, Any]) -> None:
    """A dict with other items."""
    items.clear()
    for key, item in contents.items():
        items[key] = item
