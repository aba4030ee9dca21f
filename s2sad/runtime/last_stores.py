"""Reading shadows as the stores of the primal wrote."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.runtime.guards import UnsupportedError
from s2sad.runtime.structures import copy_of, fields, held, is_record, record, zeros


def last_written(bar: Any, index: Any) -> Any:
    """The items of ``bar`` that ``a[index] = v`` has set from ``v``, as a new array of the shape of ``bar[index]``.

    Where an index names a cell more than once, only the last write counts; the earlier ones get zero.
    ``bar`` may be ``b.flat`` as well, or a list, whose items may be of several shapes.
    """
    if isinstance(bar, list) and np.ndim(index) == 0 and not isinstance(index, slice):
        return copy_of(bar[index])
    bar = np.asarray(bar)
    cells = np.arange(bar.size).reshape(bar.shape)[index]
    taken = np.array(bar[index])
    if np.ndim(cells) == 0:
        return taken
    flat = cells.ravel()
    _, last = np.unique(flat[::-1], return_index=True)
    won = np.zeros(flat.size, dtype=bool)
    won[flat.size - 1 - last] = True
    return np.where(won.reshape(taken.shape), taken, 0.0)


def last_written_adjoint(g: Any, bar: Any, index: Any) -> Any:
    """The adjoint of ``bar`` from ``g``, that of ``last_written(bar, index)``: a write into zeros, where the last one counts."""
    one = isinstance(bar, list) and np.ndim(index) == 0 and not isinstance(index, slice)
    made = zeros(bar) if one else np.zeros_like(np.asarray(bar))
    made[index] = g
    return made


def shadow_of(window: Any, item: Any, base: Any) -> Any:
    """Where the adjoint of ``item`` is collected: in ``window``, a window of the shadow of ``base``, if ``item`` is a
    window of ``base``; in zeros of its own, which lie in memory as it does, if it is a number or a copy. Of a list, item by item.

    Raises UnsupportedError where one of them is a list and the other is none.
    """
    if isinstance(item, list | tuple):
        if not isinstance(window, list | tuple):
            raise UnsupportedError("lists that hold lists and other items are not followed in reverse mode: jvp, or objects")
        return type(item)(shadow_of(w, x, base) for w, x in zip(window, item, strict=True))
    if isinstance(item, np.ndarray) and np.may_share_memory(item, base):
        return window
    return _zeros_as(item, np.shape(window), np.asarray(window).dtype)


def _zeros_as(item: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Zeros whose last axes lie in memory as those of ``item``, which is a number or a whole array."""
    lead = len(shape) - np.ndim(item)
    if lead < 0 or not isinstance(item, np.ndarray):
        return np.zeros(shape, dtype)
    order = [*range(lead), *(lead + k for k in sorted(range(item.ndim), key=lambda k: -abs(item.strides[k])))]
    return np.zeros([shape[k] for k in order], dtype).transpose(np.argsort(order))


def any_shares(pieces: Any, whole: Any) -> bool:
    """Possibility that one of the arrays in a list or tuple shares memory with an array."""
    if isinstance(pieces, list | tuple):
        return any(any_shares(piece, whole) for piece in pieces)
    return bool(np.may_share_memory(pieces, whole))


def copy_if_any(x: Any) -> Any:
    """A copy of the array ``x``; None for None, the default of an argument that is left out."""
    return None if x is None else np.copy(x)


def buffer_for(x: Any) -> Any:
    """Zeros of the structure of ``x`` to collect its adjoint in, in place: as ``zeros``, but for a number an array, too."""
    if isinstance(x, bool | int | float | complex | np.generic):
        return np.zeros((), dtype=np.result_type(x, 0.0))
    return zeros(x)


def lay_again(bars: Any, items: Any) -> None:
    """Make ``bars``, the zeros that were made for a list, those for what it is now that it is longer or shorter."""
    if items is not None:
        bars[:] = zeros(items)


def lay_back(bars: Any, items: Any) -> None:
    """Make ``bars``, the adjoint of what a call has made of a list, zeros for what the list was before it.

    Raises UnsupportedError where that adjoint is not zero: it would have had to pass through the call.
    """
    if items is None or len(bars) == len(items):
        return
    if not _is_zero(bars):
        raise UnsupportedError("what a function has made of a list that it makes longer or shorter is differentiated")
    bars[:] = zeros(items)


def _is_zero(bar: Any) -> bool:
    return not np.any(bar) if isinstance(bar, np.ndarray | np.generic | int | float | complex) else all(map(_is_zero, held(bar)))


def unboxed(bar: Any, x: Any) -> Any:
    """``bar``, a buffer for the adjoint of ``x``, as the adjoint itself: a number for a number."""
    return bar[()] if isinstance(bar, np.ndarray) and not isinstance(x, np.ndarray) else bar


def buffered(x: Any) -> Any:
    """``x``, a number that comes where a written array may stand: it has a buffer of its own for its adjoint."""
    return x


def add_items(items: Any, index: slice, bars: Any) -> None:
    """Add ``bars`` to the items of a list that a slice selects, or by their keys to those of a dict; arrays among them are
    replaced, not changed."""
    for k, bar in _places(items, index, bars):
        old = _held(items, k)
        if isinstance(old, list):
            add_items(old, slice(None), bar)
        else:
            items[k] = _in_precision(add(old, bar), old)


def add_at(items: Any, index: Any, bars: Any) -> None:
    """Add ``bars`` to what an index names, each item as often as it does; or to that of a dict or list, by key or place."""
    if isinstance(items, np.ndarray):
        np.add.at(items, index, bars)
    else:
        items[index] = _in_precision(add(items[index], bars), items[index])


def add_into_items(items: Any, index: slice, bars: Any) -> None:
    """Add ``bars`` into the arrays, lists and dicts that a list or dict holds, in place: others may refer to them."""
    for k, bar in _places(items, index, bars):
        old = _held(items, k)
        if isinstance(old, list | dict):
            add_into_items(old, slice(None), bar)
        elif isinstance(old, np.ndarray):
            old += bar
        else:
            items[k] = _in_precision(add(old, bar), old)


def added_items(items: Any, index: slice, bars: Any) -> Any:
    """The adjoint of ``bars``, which ``add_items`` has added to ``items``, from the adjoints of those: new memory of its shape.

    None, and a number in place of an array, stand for as many zeros or numbers.
    """
    if isinstance(bars, dict):
        return {key: _as_large(items.get(key), bar) for key, bar in bars.items()}
    found = [_as_large(item, bar) for item, bar in zip(items[index], bars, strict=True)]
    return np.array(found).reshape(np.shape(bars)) if isinstance(bars, np.ndarray) else type(bars)(found)


def _as_large(item: Any, like: Any) -> Any:
    if isinstance(like, list | tuple | dict) and isinstance(item, list | tuple | dict):
        return added_items(item, slice(None), like)
    if isinstance(like, np.ndarray):
        return np.array(np.broadcast_to(0.0 if item is None else item, like.shape))
    return zeros(like) if item is None else item


def _places(items: Any, index: slice, bars: Any) -> list[tuple[Any, Any]]:
    if items is None and (bars is None or np.isscalar(bars)):  # of a list that is None on this path: nothing is due to it
        return []
    if isinstance(items, dict):
        return list(bars.items())
    if isinstance(items, np.ndarray):  # a row in the place of a list
        return list(zip(range(*index.indices(len(items))), bars, strict=True))
    if not items and index == slice(None):  # whoever got the list has taken all out of it: zeros stood for that
        items.extend(map(buffer_for, bars))
    return list(zip(range(*index.indices(len(items))), bars, strict=True))


def _in_precision(total: Any, old: Any) -> Any:
    """A sum in the dtype of what has been there, which is that of the item: others in the list may have more digits."""
    arrays = isinstance(old, np.ndarray) and isinstance(total, np.ndarray) and total.dtype.kind == old.dtype.kind
    return total.astype(old.dtype, copy=False) if arrays else total


def _held(items: Any, k: Any) -> Any:
    return items.get(k) if isinstance(items, dict) else items[k]


def add(a: Any, b: Any) -> Any:
    """The sum of two adjoints of the same structure: numbers, arrays, tuples, dicts and objects of those. Always new memory.

    None, and a number beside a structure, count as zero.
    """
    if a is None or b is None:
        return copy_of(b if a is None else a)
    structured = isinstance(a, tuple | dict | list), isinstance(b, tuple | dict | list)
    if structured[0] != structured[1]:
        items, other = (a, b) if structured[0] else (b, a)
        if not isinstance(other, np.ndarray) or other.ndim == 0 or isinstance(items, dict):
            return copy_of(items)
        b, a = list(other), list(items) if isinstance(items, list) else tuple(items)  # a row of np.array(items)
    if isinstance(a, tuple):
        return tuple(add(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict):
        return {key: add(x, b[key]) for key, x in a.items()}
    if isinstance(a, list):
        return [add(x, y) for x, y in zip(a, b, strict=True)]
    if is_record(a) and type(a) is type(b):
        mine, other = fields(a), fields(b)
        return record(a, tuple(mine), *(add(x, other[name]) for name, x in mine.items()))
    return a + b
