"""Kinds of the results of ``numpy.fft``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from s2sad.ir.kinds import Array, Kind, Scalar, Size, floor_divided, plus, times
from s2sad.ir.nodes import Value
from s2sad.rules.kind_arrays import first, literal_of
from s2sad.rules.kind_rules import Bound, KindRule, shape_of, sizes_of


@cache
def _dtype_after(dtype: str, last: str) -> str:
    """The dtype that NumPy makes of one: its versions differ in what single precision becomes."""
    transform = np.fft.irfft if last == "whole" else np.fft.fft
    return str(transform(np.zeros(2, dtype)).dtype)


def spectrum(last: str = "") -> KindRule:
    """A Fourier transform. ``last``: "half" of a real signal's frequencies are kept along the last axis, or the
    "whole" signal is made of those."""

    def rule(bound: Bound) -> Kind:
        source = first(bound)
        if isinstance(source, Scalar):
            return Array(None, None)  # along no axes nothing is transformed
        dtype = getattr(source, "dtype", None)
        shape = shape_of(source)
        sizes = None if shape is None else _transformed(bound, list(shape), last)
        untold = dtype is None or (dtype == "float16" and last == "whole")  # along several axes, a wider one
        return Array(None if untold else _dtype_after(dtype, last), sizes)

    return rule


def _transformed(bound: Bound, shape: list[Size], last: str) -> tuple[Size, ...] | None:
    given = _given_sizes(bound)
    axes = _transformed_axes(bound, given, len(shape))
    if axes is None or any(not -len(shape) <= k < len(shape) for k in axes):
        return None
    for k, size in zip(axes, given or (), strict=False):
        shape[k] = size
    if axes and last == "half":
        shape[axes[-1]] = _half(shape[axes[-1]])
    elif axes and last == "whole" and given is None:
        shape[axes[-1]] = _whole(shape[axes[-1]])
    return tuple(shape)


def _given_sizes(bound: Bound) -> Sequence[Size] | None:
    """The sizes of ``n`` or ``s``, None where neither is given."""
    value = bound["n"] if "n" in bound else bound["s"]
    if literal_of(value, value) is None:
        return None
    return sizes_of(value) or (None,) * 32  # of which nothing is known


def _transformed_axes(bound: Bound, given: Sequence[Size] | None, rank: int) -> tuple[int, ...] | None:
    """The transformed axes, None where they are not literal."""
    value: Value = bound["axis"] if "axis" in bound else bound["axes"]
    axes = literal_of(value, value)
    if axes is None:
        return tuple(range(rank) if given is None else range(-len(given), 0))
    if isinstance(axes, int):
        return (axes,)
    return tuple(axes) if isinstance(axes, tuple) else None


def _half(size: Size) -> Size:
    return plus(floor_divided(size, 2), 1)


def _whole(size: Size) -> Size:
    if isinstance(size, int):
        return 2 * (size - 1) if size > 1 else None
    return times(plus(size, -1), 2)


def frequencies(half: bool) -> KindRule:
    """``fftfreq(n)``, ``rfftfreq(n)``."""

    def rule(bound: Bound) -> Kind:
        (size,) = sizes_of(bound["n"]) or (None,)
        dtype = getattr(bound["d"].kind, "dtype", None)
        dtype = None if dtype is None else str(np.result_type("float64", dtype))
        return Array(dtype, (_half(size) if half else size,))

    return rule
