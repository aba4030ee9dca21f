"""Specialisation: what is known of the arguments of a call when a program is made for it.

Programs are found again by the keys of the arguments, ``frontend.observe.key_of``.
"""

from __future__ import annotations

import enum
import functools
import numbers
import types
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy import _NoValue

from s2sad.errors import ActivityError
from s2sad.frontend.entities import Entity, Static
from s2sad.frontend.observe import FLAGS, NESTED_FLAGS, Detail, is_short
from s2sad.ir.kinds import (
    ANY_INT,
    BOUND,
    PARTIAL,
    UNKNOWN,
    Array,
    Dim,
    Kind,
    List,
    Scalar,
    Singleton,
    StructKind,
    Tuple,
    check_type,
    floor_of,
    join_all,
    kind_of,
    sort_of,
)
from s2sad.runtime.guards import MOST_ITEMS
from s2sad.runtime.structures import fields, is_record
from s2sad.trees import leaves


@dataclass(frozen=True)
class ArgumentFacts:
    """Facts about arguments besides their kinds: values of these types, and sizes of small arrays and lists."""

    flags: Sequence[type] = ()
    sizes: bool = False

    def within(self) -> ArgumentFacts:
        """The same of what dicts and objects hold: there, values of ``NESTED_FLAGS``."""
        return ArgumentFacts(NESTED_FLAGS if self.flags else (), self.sizes)


FACTS_OF = {
    Detail.KINDS: ArgumentFacts(), Detail.FLAGS: ArgumentFacts(FLAGS), Detail.SIZES: ArgumentFacts(FLAGS, sizes=True),
    Detail.WRITTEN: ArgumentFacts(FLAGS, sizes=True), Detail.LATE: ArgumentFacts(FLAGS),
}  # fmt: skip


def kind_for(value: Any, name: str, key: Hashable = None, known: ArgumentFacts = FACTS_OF[Detail.KINDS]) -> Kind | Entity:
    """The kind of an argument, with symbolic sizes named after it; a function is known at compile time."""
    key = key or (name,)
    if type(value) in known.flags:
        return Singleton(f"always {value!r}", value)
    check_type(value)
    if isinstance(value, enum.Enum):
        return kind_of(value)
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biufc":
            return UNKNOWN
        if known.sizes and all(n <= MOST_ITEMS for n in value.shape):
            return Array(value.dtype.name, value.shape)
        sizes = tuple(
            1 if n == 1 else Dim(("axis", key, k), many=True, least=floor_of(n)) for k, n in enumerate(value.shape)
        )
        return Array(value.dtype.name, sizes)
    if isinstance(value, bool):
        return kind_of(value)
    if isinstance(value, int):
        return Scalar("int64", size=Dim(("int", key), least=ANY_INT))
    if type(value) is tuple:
        return Tuple(tuple(_kind(v, name, (key, k), known) for k, v in enumerate(value)))
    known = known.within()
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        kinds = tuple(_kind(v, name, (key, k), known) for k, v in enumerate(value))
        return Tuple(kinds, names=value._fields, cls=type(value))
    if isinstance(value, list):
        return _list_kind(value, name, key, known)
    if isinstance(value, dict):
        kinds = tuple(_kind(v, name, (key, k), known) for k, v in value.items())
        return StructKind(tuple(value), kinds, sort=sort_of(value))
    if is_record(value):
        inner = fields(value)
        return StructKind(tuple(inner), tuple(_kind(v, name, (key, k), known) for k, v in inner.items()), type(value))
    if isinstance(value, functools.partial):
        kinds = tuple(_kind(getattr(value, part), name, (key, part), known) for part in PARTIAL)
        return StructKind(PARTIAL, kinds, functools.partial)
    if isinstance(value, types.MethodType) and isinstance(value.__func__, types.FunctionType):
        kinds = tuple(_kind(getattr(value, part), name, (key, part), known) for part in BOUND)
        return StructKind(BOUND, kinds, types.MethodType)
    if callable(value) and not isinstance(value, type):
        return Static(value, getattr(value, "__name__", name))
    if value is _NoValue:
        return Static(value, "numpy._NoValue")
    return kind_of(value)


def _kind(value: Any, name: str, key: Hashable, known: ArgumentFacts = FACTS_OF[Detail.KINDS]) -> Kind:
    found = kind_for(value, name, key, known)
    return found if isinstance(found, Kind) else kind_of(value)


def _list_kind(value: list[Any], name: str, key: Hashable, known: ArgumentFacts) -> Kind:
    """A list of numbers, of arrays of one kind, or of rows of numbers, is a list; of mixed things, as good as a tuple.

    So is a short one whose length is known.
    """
    if known.sizes and len(value) <= MOST_ITEMS:
        known = known if is_short(value) else ArgumentFacts(sizes=True)
        return Tuple(tuple(_kind(v, name, (key, k), known) for k, v in enumerate(value)), listed=True)
    kinds = [_forget(kind_of(v)) for v in value]
    same = all(k == kinds[0] for k in kinds) and not any(k.container or isinstance(k, Singleton) for k in kinds)
    numbers = all(isinstance(k, Scalar) for k in kinds)
    if same and kinds and isinstance(kinds[0], Array):
        return List(join_all(map(_item_kind, value)))
    if same or numbers:
        return List(join_all(kinds))
    if all(isinstance(k, List) for k in kinds):
        return List(join_all(kinds))
    if kinds and all(map(_is_row, kinds)) and isinstance(row := join_all(kinds), Tuple):
        return List(row)
    known = known if is_short(value) else FACTS_OF[Detail.KINDS]
    return Tuple(tuple(_kind(v, name, (key, k), known) for k, v in enumerate(value)), listed=True)


def _item_kind(value: np.ndarray[Any, Any]) -> Kind:
    """The kind of an array that is an item of a list, whose items are told apart by their keys alone."""
    sizes = tuple(1 if n == 1 else Dim(object(), many=True, least=floor_of(n)) for n in value.shape)
    return Array(value.dtype.name, sizes)


def _is_row(kind: Kind) -> bool:
    """Test for a tuple of numbers, or of such tuples."""
    return isinstance(kind, Tuple) and all(isinstance(item, Scalar) or _is_row(item) for item in kind.items)


def _forget(kind: Kind) -> Kind:
    return Scalar(types=kind.types) if isinstance(kind, Scalar) else kind


def check_differentiable(value: Any, name: str) -> None:
    """Refuse to differentiate with respect to what has no derivative."""
    foreign = type(value).__module__.partition(".")[0] in FRAMES
    if foreign or not any(map(_is_inexact, leaves(value))):
        shown = type(value).__name__ if not isinstance(value, np.ndarray) else f"array of {value.dtype}"
        article = "an" if shown[0] in "aeiou" else "a"
        why, instead = (WHOSE, f"{name}.to_numpy()") if foreign else _advice(value, name)
        raise ActivityError(f"the argument {name!r} is {article} {shown} and has no derivative", why=why, instead=instead)


FRAMES = ("pandas", "polars", "xarray")  # tables, whose columns NumPy gets as arrays
WHOSE = "only its library knows what that means"


def _advice(value: Any, name: str) -> tuple[str, str]:
    """Why there is no derivative by a value, and what to pass."""
    elsewhere = f", or leave {name!r} out of wrt"
    if isinstance(value, str):
        return "text is no number", f"float({name})" + elsewhere
    if value is None:
        return "None is no number", f"a float ({name}=2.0)" + elsewhere
    if isinstance(value, np.ndarray) and value.dtype.kind in "OSU":
        return "its items are objects, and no numbers to NumPy", f"np.asarray({name}, float)" + elsewhere
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "mMV":
        return f"{value.dtype} is no number", f"numbers, as floats{elsewhere}"
    if isinstance(value, np.ndarray):
        return WHOLE, f"np.asarray({name}, float)" + elsewhere
    if isinstance(value, numbers.Number) and not isinstance(value, int):
        return "it is computed with exactly", f"float({name})" + elsewhere
    found = list(leaves(value))
    if isinstance(value, list | tuple) and found and all(isinstance(leaf, int) for leaf in found):
        return WHOLE, f"np.asarray({name}, float), or a {type(value).__name__} of floats" + elsewhere
    if isinstance(value, list | tuple | dict) or is_record(value):
        return "it holds no float, and no array of floats", f"floats in it, or leave {name!r} out of wrt"
    if isinstance(value, int | np.integer | np.bool_):
        return WHOLE, f"pass a float ({name}=2.0)" + elsewhere
    return f"a {type(value).__name__} is no number, and no array", f"a float, an array or a list of floats{elsewhere}"


WHOLE = "integers and booleans are not differentiated"


def _is_inexact(leaf: Any) -> bool:
    if isinstance(leaf, float | complex | np.floating | np.complexfloating):
        return True
    return isinstance(leaf, np.ndarray) and leaf.dtype.kind in "fc"
