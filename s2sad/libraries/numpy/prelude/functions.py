"""Functions of functions, and choices by conditions."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.rules.preludes import refuse

__all__ = ["apply_over_axes", "broadcast", "fromfunction", "piecewise", "select"]


class broadcast:
    """The shape that arrays have together."""

    def __init__(self, *args: Any) -> None:
        self.shape = np.broadcast_shapes(*[np.shape(a) for a in args])
        self.ndim = self.nd = len(self.shape)
        self.size = np.size(np.broadcast_to(0.0, self.shape))
        self.numiter = len(args)


def apply_over_axes(func: Any, a: Any, axes: Any) -> Any:
    """A function along one axis after the other, which are kept."""
    value, count = np.asarray(a), np.ndim(a)
    for axis in axes if isinstance(axes, (tuple, list)) else (axes,):
        found = func(value, axis % count)
        value = found if np.ndim(found) == count else np.expand_dims(found, axis % count)
    return value


def fromfunction(function: Any, shape: Any, *, dtype: Any = float, like: Any = None, **kwargs: Any) -> Any:
    """A function of the places."""
    grids = np.indices(shape, dtype=dtype)
    return function(*[grids[k] for k in range(len(shape))], **kwargs)


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """The choice of the first condition that holds."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if not len(condlist):
        raise ValueError("select with an empty condition list is not possible")
    result = default
    for k in range(len(condlist) - 1, -1, -1):
        result = np.where(condlist[k], choicelist[k], result)
    return result


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """Each function where its condition holds; one more function elsewhere."""
    if np.ndim(x) == 0:
        refuse("np.piecewise of a number", "its parts are chosen by masks", "if, or np.where")
    value, masks = np.asarray(x), condlist
    if len(funclist) == len(condlist) + 1:
        found = masks[0]
        for mask in masks[1:]:
            found = np.logical_or(found, mask)
        masks = [*masks, np.logical_not(found)]
    result = np.zeros_like(value)
    for k in range(len(masks)):
        function = funclist[k]
        result[masks[k]] = function(value[masks[k]], *args, **kw) if callable(function) else function
    return result
