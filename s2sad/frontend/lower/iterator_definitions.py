"""Iterators of ``itertools`` and ``builtins`` as generator functions, where items have to be computed one after the other.

They are lowered as a user's generator functions are (``generators``).
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np


def nothing_yet() -> Any:
    """What a variable is before it has a value, which nobody reads: any kind of thing."""


def filtered(function: Any, items: Any) -> Iterator[Any]:
    """``filter``."""
    for item in items:
        if function(item):
            yield item


def those_true(items: Any) -> Iterator[Any]:
    """``filter`` without a function."""
    for item in items:
        if item:
            yield item


def filterfalse(function: Any, items: Any) -> Iterator[Any]:
    """``itertools.filterfalse``."""
    for item in items:
        if not function(item):
            yield item


def takewhile(function: Any, items: Any) -> Iterator[Any]:
    """``itertools.takewhile``."""
    for item in items:
        if not function(item):
            break
        yield item


def dropwhile(function: Any, items: Any) -> Iterator[Any]:
    """``itertools.dropwhile``."""
    dropping = True
    for item in items:
        if dropping:
            dropping = bool(function(item))
        if not dropping:
            yield item


def chain(*parts: Any) -> Iterator[Any]:
    """``itertools.chain``."""
    for part in parts:
        yield from part


def chained(parts: Any) -> Iterator[Any]:
    """``itertools.chain.from_iterable``."""
    for part in parts:
        yield from part


def counted(items: Any, start: int) -> Iterator[Any]:
    """``enumerate``."""
    index = start
    for item in items:
        yield index, item
        index = index + 1


def mapped(function: Any, items: Any) -> Iterator[Any]:
    """``map`` of one iterable."""
    for item in items:
        yield function(item)


def compressed(data: Any, selectors: Any) -> Iterator[Any]:
    """``itertools.compress``."""
    for item, kept in zip(data, selectors, strict=False):
        if kept:
            yield item


def starmapped(function: Any, rows: Any) -> Iterator[Any]:
    """``itertools.starmap``, and ``map`` of several iterables."""
    for row in rows:
        yield function(*row)



def sliced(items: Any, start: int, stop: int, step: int) -> Iterator[Any]:
    """``itertools.islice`` with an end."""
    following = start
    if stop > 0:
        for index, item in enumerate(items):
            if index == following:
                yield item
                following += step
            if index + 1 >= stop:
                break


def rest(items: Any, start: int, step: int) -> Iterator[Any]:
    """``itertools.islice`` without an end."""
    following = start
    for index, item in enumerate(items):
        if index == following:
            yield item
            following += step


def pairwise(items: Any) -> Iterator[Any]:
    """``itertools.pairwise``."""
    first, before = True, None
    for item in items:
        if not first:
            yield before, item
        first, before = False, item


def through(items: Any) -> Iterator[Any]:
    """A run through the items, and nothing else."""
    yield from items


def longest(fill: Any, *parts: Any) -> Iterator[Any]:
    """``itertools.zip_longest`` of iterables whose lengths are known when the program runs."""
    columns = tuple([list(part) for part in parts])
    for k in range(max([len(column) for column in columns])):
        yield tuple([column[k] if k < len(column) else fill for column in columns])



def grouped(iterable: Any, key: Any = None) -> Iterator[Any]:
    """``itertools.groupby``; of a group that is kept, nothing is left when the next one comes."""
    first, mark, group = True, None, []
    for item in iterable:
        following = item if key is None else key(item)
        if first:
            first, mark, group = False, following, [item]
        elif mark == following:
            group.append(item)
        else:
            rest_of_it = iter(group)
            yield mark, rest_of_it
            for _ in rest_of_it:
                pass
            mark, group = following, [item]
    if not first:
        rest_of_it = iter(group)
        yield mark, rest_of_it
        for _ in rest_of_it:
            pass


def cycled(items: Any) -> Iterator[Any]:
    """``itertools.cycle``."""
    kept = []
    for item in items:
        yield item
        kept.append(item)
    while len(kept) > 0:
        yield from kept



def accumulated(iterable: Any, func: Any = None, *, initial: Any = None) -> Iterator[Any]:
    """``itertools.accumulate``."""
    function = operator.add if func is None else func
    first = initial is None
    total = nothing_yet() if first else initial
    if not first:
        yield total
    for item in iterable:
        if first:
            total, first = item, False
        else:
            total = function(total, item)
        yield total


def reduced(function: Any, items: Any) -> Any:
    """``functools.reduce``."""
    first, total = True, nothing_yet()
    for item in items:
        if first:
            total, first = item, False
        else:
            total = function(total, item)
    if first:
        raise TypeError("reduce() of empty iterable with no initial value")
    return total


def reduced_from(function: Any, items: Any, start: Any) -> Any:
    """``functools.reduce`` with a start."""
    total = start
    for item in items:
        total = function(total, item)
    return total


def any_of(items: Any) -> bool:
    """``any``, which the first true item decides."""
    found = False
    for item in items:
        found = bool(item)
        if found:
            break
    return found


def all_of(items: Any) -> bool:
    """``all``, which the first false item decides."""
    found = True
    for item in items:
        found = bool(item)
        if not found:
            break
    return found


def first_of(items: Any) -> Any:
    """``next`` of an iterator of which nobody asks for more."""
    for item in items:
        return item
    raise StopIteration


def first_or(items: Any, default: Any) -> Any:
    """``next`` of such an iterator, with a default."""
    for item in items:
        return item
    return default


def taken(iter: Any, dtype: Any, count: Any = -1) -> Any:
    """``np.fromiter``."""
    found = list(iter) if count < 0 else list(itertools.islice(iter, count))
    if len(found) < count:
        raise ValueError("iterator too short")
    return np.array(found, dtype=dtype)
