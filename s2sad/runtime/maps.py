"""Dicts whose keys are computed while the program runs, and the dicts of adjoints beside them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from s2sad.runtime.broadcasting import unbroadcast
from s2sad.runtime.last_stores import add
from s2sad.runtime.structures import zeros


def keys_of(items: dict[Hashable, Any]) -> list[Any]:
    """The keys of a dict as they are now, in the order in which they came; a loop over them may change the dict."""
    return list(items)


def take_out(bars: dict[Hashable, Any], key: Hashable, like: Any) -> Any:
    """The entry of ``bars`` under a key, which it loses, in the shape of ``like``; where it has nothing, zeros.

    What is due to all items of an array alike may be there as a number. Raises ValueError where shapes do not fit.
    """
    bar = bars.pop(key, None)
    if bar is None:
        return zeros(like)
    if isinstance(like, np.ndarray):
        return bar if np.shape(bar) == like.shape else np.broadcast_to(bar, like.shape).copy()
    return add(zeros(like), bar) if isinstance(like, tuple | list | dict) else bar


def give_back(bars: dict[Hashable, Any], key: Hashable, old: Any, bar: Any) -> None:
    """Undo ``take_out`` from a dict of adjoints: what stood there (``old``, None for nothing) does so again, and gets ``bar``,
    what is due to the result by now, unless that is the same memory."""
    if old is None:
        put_back(bars, key, bar)
        return
    if bar is not None and bar is not old:
        old += unbroadcast(bar, old)
    bars[key] = old


def put_back(items: dict[Hashable, Any], key: Hashable, old: Any) -> None:
    """Undo a store into a dict: ``old`` is what was there, None for nothing."""
    if old is None:
        items.pop(key, None)
    else:
        items[key] = old
