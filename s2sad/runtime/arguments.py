"""The question of a program that was made for arguments of certain kinds and shapes, before it begins."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

NUMBERS = {"float": float, "int": int, "bool": bool, "complex": complex, "str": str}
LIST = "list["
Terms = tuple[tuple[str, int], ...]  # of a sum: names with their factors; without a name, a number
Axes = tuple[Terms | None, ...]  # None: of any size


@lru_cache(maxsize=1024)
def told_of(told: str) -> tuple[tuple[tuple[str, str, Axes | None], ...], tuple[tuple[str, Terms, Terms], ...]]:
    """Arguments, each with its type or dtype, and the sizes of its axes; and comparisons of sizes."""
    arguments, conditions = [], []
    for part in told.split("; "):
        names, colon, kind = part.partition(": ")
        if not colon:
            one, sign, other = part.partition(" >= " if " >= " in part else " == ")
            conditions.append((sign.strip(), terms_in(one), terms_in(other)))
            continue
        dtype, bracket, axes = (kind, "", "") if kind.startswith(LIST) else kind.removesuffix("]").partition("[")
        sizes = tuple(None if axis == ":" else terms_in(axis) for axis in axes.split(", ")) if bracket else None
        arguments += [(name, dtype, sizes) for name in names.split(", ")]
    return tuple(arguments), tuple(conditions)


def terms_in(text: str) -> Terms:
    """The terms of a sum: ``2*n - k + 1``, ``2*(n // 2)``."""
    found = []
    for term in _terms(text.replace(" ", "")):
        factor, star, name = term.partition("*")
        if not star or "(" in factor:  # a product may stand in the parentheses
            factor, name = "", term
        sign, name = (-1, name[1:]) if name.startswith("-") else (1, name)
        if name.isdigit():
            found.append(("", sign * int(name)))
        else:
            found.append((name, sign * int(factor or 1)))
    return tuple(found)


def _terms(text: str) -> list[str]:
    """The terms of a sum as text, each with its sign; what stands in parentheses is one."""
    found, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter in "+-" and not depth:
            found.append("-" if letter == "-" else "")
        else:
            found[-1] += letter
    return [term for term in found if term not in ("", "-")]


@lru_cache(maxsize=1024)
def floored(name: str) -> tuple[Terms, int] | None:
    """The sum and the number of ``(n // 2)`` or ``((n + 1) // 2)``; None for a name."""
    if not name.startswith("("):
        return None
    inner, _, by = name[1:-1].rpartition("//")
    return terms_in(inner.removeprefix("(").removesuffix(")")), int(by)


def names_in(terms: Terms) -> Iterator[str]:
    """The names in a sum."""
    for name, _ in terms:
        part = floored(name)
        yield from (name,) if part is None else names_in(part[0])


def _is_of(x: Any, kind: str) -> bool:
    """Test for a number of this type, or a list of such, or of lists."""
    if kind.startswith(LIST):
        return type(x) is list and all(_is_of(item, kind[len(LIST) : -1]) for item in x)
    return type(x) is NUMBERS[kind]


def fits(told: str, *arguments: Any) -> bool:
    """Test for arguments as ``told``: ``fits("u, v: float64[n, m]; k: int; n >= 2", u, v, k)``.

    Numbers and lists (``list[float]``) are of Python's own types, and arrays of NumPy's, of no class that is made from it; sizes
    of one name are equal, and ``:`` is of any size.
    """
    wanted, conditions = told_of(told)
    sizes: dict[str, Any] = {}
    shapes: list[tuple[Terms, int]] = []
    for (name, dtype, axes), x in zip(wanted, arguments, strict=True):
        if axes is None:
            if not _is_of(x, dtype):
                return False
            sizes[name] = x
        elif type(x) is not np.ndarray or x.dtype != np.dtype(dtype) or x.ndim != len(axes):
            return False
        else:
            shapes += [(axis, n) for axis, n in zip(axes, x.shape, strict=True) if axis is not None]
    sizes.update((axis[0][0], n) for axis, n in shapes if len(axis) == 1 and axis[0][1] == 1)
    sizes[""] = 1

    def size(terms: Terms) -> Any:
        return sum(factor * named(name) for name, factor in terms)

    def named(name: str) -> Any:
        part = floored(name)
        return sizes[name] if part is None else size(part[0]) // part[1]

    if any(size(axis) != n for axis, n in shapes):
        return False
    return all(size(one) >= size(other) if sign == ">=" else size(one) == size(other) for sign, one, other in conditions)
