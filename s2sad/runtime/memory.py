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


def add_into_items(items: list[Any], index: slice, bars: Any) -> None:
    """Add ``bars`` into the arrays that a list holds, in place: others may refer to them."""
    for k, bar in zip(range(*index.indices(len(items))), bars, strict=True):
        items[k] += bar
