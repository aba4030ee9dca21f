"""Helpers of programs that carry index sets: beside each array one of the same shape, of the numbers that each entry depends on.

A set is a number, its name: 0 is the empty set, 1 ... n hold one number of the argument each, and later ones are unions of
earlier ones, which ``Unions`` keeps. So windows, reshapes, gathers and stores do with sets what they do with numbers, zeros are
empty sets, and what an operation costs does not depend on how much the sets hold.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.runtime.guards import SeedError
from s2sad.runtime.structures import fields, is_record, record

FEW = 16  # members up to which a union of single sets is known by its members, so that equal ones are one


class Unions:
    """The unions that were made, as pairs (a union, a member), of ``count`` numbers. Members have smaller names."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.next = count + 1
        self.parents: list[Any] = []
        self.children: list[Any] = []
        self.known: dict[frozenset[int], int] = {}
        self.members: dict[int, frozenset[int]] = {}

    def of(self, sets: Any) -> int:
        """The union of these."""
        sets = {*map(int, sets)} - {0}
        if len(sets) < 2:
            return sets.pop() if sets else 0
        inner = frozenset().union(*(self.members.get(s) or (s,) for s in sets))
        if len(inner) > FEW:
            inner = frozenset(sets)
        found = self.known.get(inner)
        if found is None:
            found = self.known[inner] = self.next
            if len(inner) <= FEW:
                self.members[found] = inner
            self.next += 1
            self.parents.append([found] * len(inner))
            self.children.append(list(inner))
        return found

    def make(self, members: np.ndarray) -> np.ndarray:
        """A union for each column, as an array. Of columns with one member at most there is nothing to be united."""
        most = members.max(axis=0, initial=0)
        new = ((members != most) & (members != 0)).any(axis=0)
        count = int(np.count_nonzero(new))
        if count == 0:
            return np.asarray(most)
        most[new] = names = np.arange(self.next, self.next + count)
        self.next += count
        inner = members[:, new] if count < most.size else members
        self.parents.append(np.broadcast_to(names, inner.shape))
        self.children.append(inner)
        return np.asarray(most)

    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """All (union, member), but for empty members, as two arrays."""
        if not self.parents:
            return np.zeros(0, int), np.zeros(0, int)
        parents, children = (
            np.ravel(each[0]) if len(each) == 1 else np.concatenate([np.ravel(p) for p in each])
            for each in (self.parents, self.children)
        )
        there = children != 0
        return (parents, children) if there.all() else (parents[there], children[there])


def union(unions: Unions, *sets: Any) -> Any:
    """The unions of sets, entry by entry, broadcast: a new array, or a set."""
    if any(isinstance(s, list | tuple | dict) for s in sets):
        raise SeedError("the pattern cannot be found: a list stands where numbers are expected")
    if not any(isinstance(s, np.ndarray) for s in sets):
        return unions.of(sets)
    shape = np.broadcast_shapes(*map(np.shape, sets))
    members = np.empty((len(sets), *shape), np.int64)
    for k, each in enumerate(sets):
        members[k] = each
    return unions.make(members.reshape(len(sets), members[0].size)).reshape(shape)


def united(unions: Unions, sets: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The unions of sets along axes, as ``np.sum`` takes them."""
    sets = np.asarray(sets)
    axes = tuple(range(sets.ndim)) if axis is None else tuple(k % sets.ndim for k in np.atleast_1d(axis).tolist())
    rest = tuple(k for k in range(sets.ndim) if k not in axes)
    shape = tuple(1 if k in axes else sets.shape[k] for k in range(sets.ndim) if keepdims or k in rest)
    if not rest:
        return np.reshape(unions.of(np.unique(sets).tolist()), shape) if shape else unions.of(np.unique(sets).tolist())
    size, count = (int(np.prod([sets.shape[k] for k in each])) for each in (axes, rest))
    columns = np.array(np.transpose(sets, (*axes, *rest)))  # of its own: what is kept must not change
    return unions.make(columns.reshape(size, count)).reshape(shape)


def joined_sets(unions: Unions, *sets: Any) -> Any:
    """The unions of what the arms of a branch give, entry by entry; one that gives nothing says None. Raises SeedError for
    arrays of different shapes."""
    sets = tuple(each for each in sets if each is not None)
    if len({np.shape(each) for each in sets}) != 1:
        raise SeedError("there is no pattern for all points: the shape of an array is decided by the values")
    return union(unions, *sets)


def union_anywhere(unions: Unions, target: Any, sets: Any) -> None:
    """A store at a place that is not known: it may be in each entry."""
    target[...] = union(unions, target, united(unions, sets))


def doubted(value: Any, cond: Any) -> None:
    """A mark for the compiler: what was stored into a value may not have been, as a condition tells."""


def union_at(unions: Unions, target: Any, index: Any, sets: Any) -> None:
    """``np.add.at`` for sets: what is added to one entry several times is united."""
    places = np.arange(target.size).reshape(target.shape)[index]
    given = np.broadcast_to(sets, places.shape).ravel()
    order = np.argsort(places, axis=None, kind="stable")
    touched, starts = np.unique(np.ravel(places)[order], return_index=True)
    before = target.flat[touched] if touched.size else touched
    names = np.arange(unions.next, unions.next + touched.size)
    unions.next += touched.size
    lengths = np.diff(np.append(starts, order.size))
    unions.parents += [np.repeat(names, lengths), names]
    unions.children += [given[order], before]
    target.flat[touched] = names


def sets_like(sets: Any, *others: Any) -> Any:
    """Sets stretched to the shape that an operation on these gives, in a new array."""
    shape = np.broadcast_shapes(np.shape(sets), *map(np.shape, others))
    return np.array(np.broadcast_to(sets, shape), np.int64) if shape or isinstance(sets, np.ndarray) else sets


def narrowed_sets(unions: Unions, sets: Any, like: Any) -> Any:
    """United over the axes along which ``like`` was stretched to this shape."""
    shape = np.shape(like)
    extra = np.ndim(sets) - len(shape)
    if extra > 0:
        sets = united(unions, sets, tuple(range(extra)))
    axes = tuple(k for k, size in enumerate(shape) if size == 1 and np.shape(sets)[k] != 1)
    if axes:
        sets = united(unions, sets, axes, True)
    return np.array(np.broadcast_to(sets, shape)) if shape else sets


def running_sets(unions: Unions, sets: Any, axis: Any = None) -> Any:
    """Each united with those before, as ``np.cumsum`` adds them."""
    made = np.array(sets if axis is not None else np.ravel(sets))
    lines = np.moveaxis(made, 0 if axis is None else axis, 0)
    for k in range(1, len(lines)):
        lines[k] = union(unions, lines[k - 1], lines[k])
    return made


def neighbouring_sets(unions: Unions, sets: Any, axis: int = -1) -> Any:
    """Each united with the next, as ``np.diff`` subtracts them."""
    lines = np.moveaxis(sets, axis, 0)
    return np.moveaxis(union(unions, lines[1:], lines[:-1]), 0, axis)


def outer_sets(unions: Unions, a: Any, b: Any, first: bool, second: bool) -> Any:
    """The sets of ``np.outer``; ``first`` and ``second`` tell which factors are sets."""
    a, b = np.ravel(a)[:, None], np.ravel(b)
    return union(unions, a if first else np.zeros(a.shape, int), b if second else np.zeros(b.shape, int))


def matmul_sets(unions: Unions, a: Any, b: Any, first: bool, second: bool) -> Any:
    """The sets of ``a @ b``; ``first`` and ``second`` tell which factors are sets. Of a sparse factor its entries count."""
    if not first and hasattr(a, "tocsr"):
        return _through(unions, a.tocsr(), b)
    if not second and hasattr(b, "tocsr"):
        return np.transpose(_through(unions, b.T.tocsr(), np.transpose(a)))
    if min(np.ndim(a), np.ndim(b)) == 0:
        raise ValueError("a product of matrices has no numbers as factors")
    shape = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    shape += a.shape[-2:-1] if a.ndim > 1 else ()
    shape += b.shape[-1:] if b.ndim > 1 else ()
    parts = []
    if first:
        part = np.asarray(united(unions, a, -1))
        parts.append(part[..., None] if b.ndim > 1 else part)
    if second:
        part = np.asarray(united(unions, b, 0 if b.ndim == 1 else -2))
        parts.append(part[..., None, :] if a.ndim > 1 and b.ndim > 1 else part)
    made = union(unions, *parts)
    return np.array(np.broadcast_to(made, shape)) if shape else int(made)


def _through(unions: Unions, matrix: Any, sets: np.ndarray) -> np.ndarray:
    """The sets of a product with a sparse matrix, in rows, from the left."""
    names = np.arange(unions.next, unions.next + matrix.shape[0] * sets[:1].size).reshape(matrix.shape[:1] + sets.shape[1:])
    unions.next += names.size
    unions.parents.append(np.repeat(names, np.diff(matrix.indptr), axis=0))
    unions.children.append(sets[matrix.indices])
    return names


def einsum_sets(unions: Unions, subscripts: str, *factors: Any) -> Any:
    """The sets of an ``np.einsum``; before each factor stands whether it is an array of sets."""
    terms, result = subscripts.replace(" ", "").split("->")
    sizes: dict[str, int] = {}
    found = []
    for term, depends, factor in zip(terms.split(","), factors[::2], factors[1::2], strict=True):
        sizes |= dict(zip(term, np.shape(factor), strict=True))
        if not depends:
            continue
        own = "".join(dict.fromkeys(term))
        sets = np.einsum(f"{term}->{own}", factor)  # a window of the diagonals where letters are repeated
        over = tuple(k for k, letter in enumerate(own) if letter not in result)
        sets = united(unions, sets, over) if over else sets
        own = "".join(letter for letter in own if letter in result)
        sets = np.transpose(sets, sorted(range(len(own)), key=lambda k: result.index(own[k])))
        found.append(np.reshape(sets, [sizes[letter] if letter in own else 1 for letter in result]))
    made = union(unions, *found)
    return np.array(np.broadcast_to(made, [sizes[letter] for letter in result])) if result else int(made)


def all_of(unions: Unions, like: Any, *sets: Any) -> Any:
    """In the structure of ``like``, for each number the union of all sets: it may depend on everything."""
    return _filled(like, unions.of({name for each in sets for name in _names(each)}))


def without_sets(value: Any) -> Any:
    """Empty sets in the structure of ``value``."""
    return _filled(value, 0)


def zeros_for(sets: Any, dtype: str) -> Any:
    """Zeros in the structure of these sets."""
    if isinstance(sets, np.ndarray):
        return np.zeros_like(sets, dtype)
    items = _items(sets)
    return 0.0 if items is None else _rebuilt(sets, [zeros_for(item, dtype) for item in items])


def _names(sets: Any) -> set[int]:
    if isinstance(sets, np.ndarray):
        return set(np.unique(sets).tolist())
    items = _items(sets)
    if items is None:
        return {int(sets)} if isinstance(sets, int | np.integer) else set()
    return set().union(*map(_names, items))


def _filled(like: Any, name: int) -> Any:
    if isinstance(like, np.ndarray):
        return np.full_like(like, name, np.int64, subok=False)
    items = _items(like)
    if items is None:
        return name if isinstance(like, bool | int | float | complex | np.generic) else None
    return _rebuilt(like, [_filled(item, name) for item in items])


def _rebuilt(like: Any, items: list[Any]) -> Any:
    if isinstance(like, tuple):
        return tuple.__new__(type(like), items)
    if isinstance(like, list):
        return items
    keys = tuple(like if isinstance(like, dict) else fields(like))
    return dict(zip(keys, items, strict=True)) if isinstance(like, dict) else record(like, keys, *items)


def _items(value: Any) -> list[Any] | None:
    if isinstance(value, tuple | list):
        return list(value)
    if isinstance(value, dict):
        return list(value.values())
    return list(fields(value).values()) if is_record(value) else None
