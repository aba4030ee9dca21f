"""What is known of the size of an axis: a number, a symbol that is equal wherever it is met, or nothing."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Dim:
    """A symbolic size: equal dims are equal sizes. ``many`` says that the size is known not to be 1, ``least`` that it is
    not smaller than that (``ANY_INT``: of an argument that is an integer).

    ``key`` is any hashable that stands for the size; ``offset`` is added to it. A literal size is a plain int, an
    unknown one None (which equals nothing).
    """

    key: Any
    offset: int = 0
    many: bool = field(default=False, compare=False)
    least: int = field(default=0, compare=False)


Size = Dim | int | None


def same_size(a: Size, b: Size) -> bool:
    """Whether two sizes are certainly equal."""
    return a is not None and a == b


def is_many(size: Size) -> bool:
    """Whether a size is certainly not 1, so that the axis cannot be one that NumPy stretches."""
    return size.many or size.least > 1 if isinstance(size, Dim) else size is not None and size != 1


def least_of(size: Size) -> int:
    """A number that the size of an axis is certainly not smaller than."""
    return max(0, size.least) if isinstance(size, Dim) else size or 0


def floor_of(n: int) -> int:
    """What a program may rely on of an argument's axis of n items: sizes share a program where this is the same, and
    1 is an axis that NumPy stretches. Stencils of one or three neighbours leave more than one item of 4 or 8."""
    return 8 if n >= 8 else 4 if n >= 4 else int(n == 1)


def shifted(size: Dim, n: int) -> Dim:
    """``size + n``, of a size or of an integer that may be negative."""
    return Dim(size.key, size.offset + n, least=size.least + n)


def fewer(size: Dim, n: int) -> Dim:
    """The size of an axis without n of its items: ``max(0, size - n)``, one symbol for equal numbers of dropped items."""
    if n <= size.least or not n:
        return shifted(size, -n) if n else size
    return Dim(("dropped", size.key, size.offset), -n)


ANY_INT = -sys.maxsize  # the least of an integer that may be negative


class Anonymous:
    """The key of a size that control flow joined: known not to be 1, and equal to nothing but itself."""


def is_kept(size: Size) -> bool:
    """Whether an axis of what a loop carries certainly keeps its size."""
    return size is not None and not (isinstance(size, Dim) and isinstance(size.key, Anonymous))


def forgotten(size: Size) -> Size:
    """What one may rely on of another size that is known as much of: a literal 1, and whether it may be 1."""
    if size == 1:
        return 1
    return Dim(object(), many=True, least=floor_of(least_of(size))) if is_many(size) else None
