"""Derivatives along several directions at once: tangents and seeds with one axis more, in front, and programs that take them.

The programs are those of ``source("tangents")`` and ``source("adjoints")``: values once, and what depends on the direction for
all directions in one sweep (Griewank & Walther, "Evaluating Derivatives", 2nd ed., section 3.1: vector mode).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.derivatives import Ask, Compiled, Derivatives
from s2sad.errors import ActivityError
from s2sad.moments import sources_in
from s2sad.runtime.directions import rows_like
from s2sad.seeds import check_real
from s2sad.trees import in_precision, is_inexact, mapped, parts

AT_ONCE = 2**16  # numbers that the directions of one sweep hold, where nothing else is asked: half a megabyte stays in caches
FEWEST = 4  # directions of a sweep, which computes the values again


def in_caches(count: int, size: int) -> int:
    """How many of so many directions of this size one sweep takes: as many as stay in caches, and sweeps of one length."""
    sweeps = max(1, -(-count * size // AT_ONCE))
    return max(FEWEST, -(-count // sweeps))


def along_all(
    derivatives: Derivatives, ask: Ask, values: list[Any], given: dict[str, Any], like: dict[str, Any],
    compiled: Compiled | None = None,
) -> Any:  # fmt: skip
    """``(value, derivatives)`` of the program for ``ask``, of mode "tangents" or "adjoints", for the directions ``given`` by
    name; ``like`` has what a direction is like. Raises ActivityError for directions of other shapes, or numbers that differ."""
    count = number_of_directions(given, like)
    rows = {
        name: mapped(lambda x, g: _rows(x, in_precision(g, x), max(count, 1)), like[name], given[name]) for name in given
    }
    compiled = compiled or derivatives.compiled(ask, values)
    if count > 1 and "one_by_one(" in compiled.entry.source and sources_in([*compiled.reads, *values]):
        raise ActivityError(
            f"{derivatives.function.__name__} draws random numbers, and would draw others for each direction",
            why="something in it is not known for several directions at once", instead="one direction at a time (chunk_size=1)",
        )  # fmt: skip
    result = derivatives.invoke(compiled, values, tuple(rows.values()))
    value, found = (None, result) if ask.bare else result
    return value, found if count else mapped(lambda x: x[:0] if isinstance(x, np.ndarray) else x, found)


def number_of_directions(given: dict[str, Any], like: dict[str, Any]) -> int:
    """How many rows the directions have. Raises ActivityError unless all have as many, each of the shape of what it is of."""
    counts: dict[int, str] = {}

    def check(name: str, x: Any, rows: Any) -> None:
        inner = parts(x)
        if inner is not None:
            others = parts(rows) or {}
            if list(others) != list(inner):
                raise ActivityError(f"the directions of {name} have another structure than {name}")
            for key, item in inner.items():
                check(name, item, others[key])
        elif is_inexact(x):
            shape = np.shape(rows)
            if shape[1:] != np.shape(x) or not shape:
                wanted = ", ".join(map(str, ("k", *np.shape(x))))
                raise ActivityError(f"the directions of {name} have shape {shape}, but ({wanted}) is expected")
            check_real(f"what is given for the directions of {name}", rows, x)
            counts.setdefault(shape[0], name)

    for name, rows in given.items():
        check(name, like[name], rows)
    if len(counts) != 1:
        found = ", ".join(f"{count} of {name}" for count, name in counts.items()) or "none"
        raise ActivityError(f"the numbers of directions differ: {found}")
    return next(iter(counts))


def _rows(x: Any, rows: Any, count: int) -> Any:
    """Directions as an array, in each row laid out in memory as what they are of, so that a reshape makes the same windows."""
    if isinstance(x, bool | int | str | type(None)) or (isinstance(x, np.ndarray) and x.dtype.kind not in "fc"):
        return rows
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


