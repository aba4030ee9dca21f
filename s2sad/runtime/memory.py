"""Reading shadows as the stores of the primal wrote."""

from __future__ import annotations

from typing import Any

import numpy as np


def last_written(bar: Any, index: Any) -> Any:
    """The items of ``bar`` that ``a[index] = v`` has set from ``v``, as a new array of the shape of ``bar[index]``.

    Where an index names a cell more than once, only the last write counts; the earlier ones get zero.
    """
    cells = np.arange(bar.size).reshape(bar.shape)[index]
    taken = np.array(bar[index])
    if np.ndim(cells) == 0:
        return taken
    flat = cells.ravel()
    _, last = np.unique(flat[::-1], return_index=True)
    won = np.zeros(flat.size, dtype=bool)
    won[flat.size - 1 - last] = True
    return np.where(won.reshape(taken.shape), taken, 0.0)


def shadow_of(window: Any, item: Any, base: Any) -> Any:
    """Where the adjoint of ``item`` is collected: in ``window``, a window of the shadow of ``base``, if ``item`` is a
    window of ``base``; in zeros of its own if it is a number or a copy."""
    if isinstance(item, np.ndarray) and np.may_share_memory(item, base):
        return window
    return np.zeros(np.shape(item), dtype=np.result_type(window, 0.0))


def add_items(items: list[Any], index: slice, bars: Any) -> None:
    """Add ``bars`` to the items of a list that a slice selects; arrays among them are replaced, not changed."""
    for k, bar in zip(range(*index.indices(len(items))), bars, strict=True):
        if isinstance(items[k], list):
            add_items(items[k], slice(None), bar)
        else:
            items[k] = add(items[k], bar)


def add_into_items(items: list[Any], index: slice, bars: Any) -> None:
    """Add ``bars`` into the arrays and lists that a list holds, in place: others may refer to them."""
    for k, bar in zip(range(*index.indices(len(items))), bars, strict=True):
        if isinstance(items[k], list):
            add_into_items(items[k], slice(None), bar)
        elif isinstance(items[k], np.ndarray):
            items[k] += bar
        else:
            items[k] = add(items[k], bar)


def add(a: Any, b: Any) -> Any:
    """The sum of two adjoints of the same structure: numbers, arrays, tuples and dicts of those.

    None, and a number beside a structure, count as zero.
    """
    if a is None or b is None:
        return b if a is None else a
    structured = isinstance(a, tuple | dict | list), isinstance(b, tuple | dict | list)
    if structured[0] != structured[1]:
        return a if structured[0] else b
    if isinstance(a, tuple):
        return tuple(add(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict):
        return {key: add(x, b[key]) for key, x in a.items()}
    if isinstance(a, list):
        return [add(x, y) for x, y in zip(a, b, strict=True)]
    return a + b
