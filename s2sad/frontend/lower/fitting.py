"""The question of a generated module whether arguments fit the program that was made for a guess (``runtime.fits``), answered
where their kinds tell: of sizes that are equal in the call that a program is made for, it takes that for granted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from s2sad.frontend.entities import Entity
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import UNKNOWN, Array, Kind, Scalar, Size, all_equal, floor_divided, plus, times
from s2sad.ir.nodes import Const
from s2sad.runtime.arguments import Axes, Terms, floored, told_of

DTYPES = {"float": "float64", "int": "int64", "bool": "bool", "complex": "complex128"}


def fits(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """``fits(told, *arguments)`` as a literal, or None where only the run tells."""
    told, *given = args
    answer = fitting(told.payload, [ctx.kind(x) for x in given]) if isinstance(told, Const) and not kwargs else None
    return None if answer is None else Const(answer)


def fitting(told: str, kinds: Sequence[Kind]) -> bool | None:
    """The answer for arguments of these kinds, where they tell."""
    wanted, conditions = told_of(told)
    answers = {_alike(dtype, axes, kind) for (_, dtype, axes), kind in zip(wanted, kinds, strict=True)}
    if answers != {True}:
        return False if False in answers else None
    sizes: dict[str, Size] = {"": 1}
    pairs: list[tuple[Size, Terms]] = []
    for (name, _, axes), kind in zip(wanted, kinds, strict=True):
        if isinstance(kind, Scalar):
            sizes[name] = kind.size
        elif isinstance(kind, Array):
            pairs += [(n, axis) for n, axis in zip(kind.shape or (), axes or (), strict=True) if axis is not None]
    sizes.update({terms[0][0]: size for size, terms in reversed(pairs) if len(terms) == 1 and terms[0][1] == 1 and terms[0][0]})
    equal = [(size, _size(terms, sizes)) for size, terms in pairs]
    equal += [(_size(one, sizes), _size(other, sizes)) for sign, one, other in conditions if sign == "=="]
    return True if len(equal) == len(pairs) + len(conditions) and all_equal(equal) else None


def _alike(dtype: str, axes: Axes | None, kind: Kind) -> bool | None:
    """The answer about an argument without its sizes."""
    unsure = None in (kind.dtype, kind.shape) if isinstance(kind, Array) else isinstance(kind, Scalar) and kind.mixed
    if unsure or kind == UNKNOWN:
        return None
    if axes is None and dtype in DTYPES:
        return isinstance(kind, Scalar) and kind.weak and kind.dtype == DTYPES[dtype]
    if axes is None:
        return True if str(kind) == dtype else False if isinstance(kind, Scalar | Array) else None
    return isinstance(kind, Array) and kind.dtype == dtype and kind.rank == len(axes)


def _size(terms: Terms, sizes: Mapping[str, Size]) -> Size:
    total: Size = 0
    for name, factor in terms:
        part = floored(name)
        total = plus(total, times(sizes[name] if part is None else floor_divided(_size(part[0], sizes), part[1]), factor))
    return total


