"""Derivatives along several directions at once: tangents and seeds with one axis more, in front, and programs that take them.

The programs are those of ``source("tangents")`` and ``source("adjoints")``: values once, and what depends on the direction for
all directions of a sweep (Griewank & Walther, "Evaluating Derivatives", 2nd ed., section 3.1: vector mode).

A sweep takes as many directions as make arrays of less than 128 KiB. Larger ones the C library takes from the system and gives
back, each for itself, and the system clears them page by page: that took more than half of the time. A further sweep computes
the values again, so that it takes more directions where the values are the greater part of the work.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from s2sad.derivatives import Ask, Compiled, Derivatives
from s2sad.directions.sweeps import fewest
from s2sad.errors import ActivityError
from s2sad.moments import sources_in
from s2sad.runtime.directions import ROWS, rows_like
from s2sad.seeds import check_fits
from s2sad.trees import in_precision, is_inexact, leaves, mapped, parts, rebuilt

ONE_BY_ONE = "one_by_one("  # in the text of programs that take one direction after the other


def at_a_time(compiled: Compiled, count: int, size: int) -> int:
    """The number of directions, of so many in all, of so many numbers each, that one sweep takes."""
    if count * size <= ROWS:
        return max(count, 1)
    sweeps = -(-count // max(ROWS // size, 1))
    return max(fewest(compiled.entry.source), -(-count // sweeps))


def along_all(
    derivatives: Derivatives, ask: Ask, values: list[Any], given: dict[str, Any], like: dict[str, Any],
    compiled: Compiled | None = None, chunk: int | None = None,
) -> Any:  # fmt: skip
    """``(value, derivatives)`` of the program for ``ask``, of mode "tangents" or "adjoints", for the directions ``given`` by
    name; ``like`` has what a direction is like. Raises ActivityError for directions of other shapes, or numbers that differ.

    ``chunk``: how many directions a sweep takes, where that has been decided."""
    counts: dict[int, str] = {}
    for name, rows in given.items():
        check_fits(f"what is given for the directions of {name}", rows, like[name], counts)
    if len(counts) != 1:
        found = ", ".join(f"{count} in {what}" for count, what in counts.items()) or "none"
        raise ActivityError(f"the numbers of directions differ: {found}")
    (count,) = counts
    rows = [_laid_out(in_precision(given[name], like[name]), like[name], max(count, 1)) for name in given]
    compiled = compiled or derivatives.compiled(ask, values)
    apart = count > 1 and compiled.calls_users and ONE_BY_ONE in compiled.entry.source  # each finds what the first one has found
    draws = count > 1 and not apart and bool(sources_in([*compiled.sees(), *values]))
    writes = count > 1 and bool(compiled.outside) and not compiled.replays
    if writes and ONE_BY_ONE in compiled.entry.source:
        raise ActivityError(
            f"{derivatives.function.__name__} writes into objects outside, and would do so for each direction",
            why="something in it is not known for several directions at once", instead="one direction at a time (chunk_size=1)",
        )  # fmt: skip
    if draws and ONE_BY_ONE in compiled.entry.source:
        raise ActivityError(
            f"{derivatives.function.__name__} draws random numbers, and would draw others for each direction",
            why="something in it is not known for several directions at once", instead="one direction at a time (chunk_size=1)",
        )  # fmt: skip
    if chunk is None:
        inputs = [derivatives._value_of(name, values) for name in ask.inputs]
        chunk = at_a_time(compiled, count, max(_numbers([like[name] for name in given]), _numbers(inputs)))
    moment: AbstractContextManager[None] = nullcontext()
    if apart:
        chunk, moment = 1, derivatives.moment(compiled, values) or moment
    if count <= chunk or draws or writes or compiled.anew:
        value, found = _split(ask, derivatives.invoke(compiled, values, tuple(rows)))
        return value, found if count else mapped(lambda x: x[:0] if isinstance(x, np.ndarray) else x, found)
    pieces = []
    for k in range(0, count, chunk):
        part = mapped(lambda x: x[k : k + chunk] if isinstance(x, np.ndarray) else x, rows)  # noqa: B023  (called at once)
        with moment:
            pieces.append(_split(ask, derivatives.invoke(compiled, values, tuple(part))))
    return pieces[0][0], mapped(_joined, *(found for _, found in pieces))


def _split(ask: Ask, result: Any) -> Any:
    return (None, result) if ask.bare else result


def _joined(*pieces: Any) -> Any:
    return np.concatenate(pieces) if isinstance(pieces[0], np.ndarray) else pieces[0]


def _numbers(values: list[Any]) -> int:
    return sum(int(np.size(leaf)) for leaf in leaves(values))


def _laid_out(rows: Any, x: Any, count: int) -> Any:
    """Directions as arrays, in each row laid out in memory as what they are of, so that a reshape makes the same windows."""
    inner, items = parts(x), parts(rows)
    if inner is not None and items is not None:
        return rebuilt(rows, {key: _laid_out(item, inner[key], count) for key, item in items.items()})
    if not is_inexact(x):
        return rows if isinstance(x, str) else np.zeros((count, *np.shape(x)))
    found = np.asarray(rows)
    if not len(found):
        return np.zeros((count, *np.shape(x)), np.result_type(found, 0.0))
    if not isinstance(x, np.ndarray) or x.ndim < 2:
        return found
    laid = rows_like(x, count, found.dtype)
    if laid.strides[1:] == found.strides[1:]:
        return found
    laid[...] = found
    return laid
