"""The fact of an object: all that its type and structure tell, without symbolic sizes."""

from __future__ import annotations

import collections
import enum
import functools
import math
import random
import types
from collections.abc import Iterable
from typing import Any

import numpy as np

from s2sad.errors import KindError
from s2sad.facts.kinds import (
    BOOL,
    BOUND,
    COMPLEX,
    ELLIPSIS,
    FLOAT,
    FUNCTION,
    INT,
    NONE,
    OBJECT,
    PARTIAL,
    RANDOM,
    RANGE,
    STR,
    Array,
    Kind,
    List,
    Scalar,
    Singleton,
    Slice,
    Sort,
    StructKind,
    Tuple,
    is_fixed,
)
from s2sad.facts.lattice import join_all
from s2sad.runtime.structures import IMMUTABLE, fields, hides, is_record

# Types whose subclasses may have operators of their own, and the types that are known to have none.
BUILT_IN = (np.ndarray, np.generic, int, float, complex, str, tuple, list, dict)
ORDINARY = {
    np.ndarray, np.memmap, bool, int, float, complex, str, tuple, list, dict,
    collections.OrderedDict, collections.defaultdict, collections.Counter,
}  # fmt: skip
# What Python asks of the class of a named tuple, and we do not: its items are read as those of a tuple.
UNASKED = frozenset(
    {
        "__getitem__", "__iter__", "__len__", "__bool__", "__reversed__", "__getattribute__", "__setattr__", "__init__",
        "__neg__", "__pos__", "__invert__", "__index__", "__iadd__", "__isub__", "__imul__", "__itruediv__",
        "__ifloordiv__", "__imod__", "__ipow__", "__imatmul__", "__iand__", "__ior__", "__ixor__", "__ilshift__",
        "__irshift__", "__next__", "__length_hint__", "__array__", "__array_ufunc__", "__array_function__",
        "__array_interface__", "__array_struct__", "_fields", "_replace", "_asdict", "_make",
    }
)  # fmt: skip
WRITTEN_BY_NAMEDTUPLE = frozenset(("_fields", "_replace", "_asdict", "_make"))


def decided_by(cls: type) -> str:
    """The names under which the class of a named tuple does something of its own that would not be asked of it."""
    found: set[str] = set()
    for base in cls.__mro__:
        if base is not tuple and base is not object:
            names = UNASKED & vars(base).keys()
            found |= names - WRITTEN_BY_NAMEDTUPLE if base.__bases__ == (tuple,) else names
    return " ".join(sorted(found))


def is_sequence_of_c(cls: type) -> bool:
    """Test for a class of tuples with named items that is made in C, as that of ``sys.float_info``: no operator is its own."""
    return cls.__bases__ == (tuple,) and "n_sequence_fields" in vars(cls) and bool(cls.__flags__ & IMMUTABLE)


def check_type(value: Any) -> None:
    """Refuse what is not exactly of a built-in type: a subclass (``np.matrix``) may compute in another way.

    Scalars of NumPy, members of Enums, and named tuples that are read as tuples are known. Raises KindError.
    """
    cls = type(value)
    if hides(value):
        raise KindError(
            f"a {cls.__qualname__} cannot be followed", why="its class has its own way to find attributes, or what class it is",
            instead="plain attributes",
        )  # fmt: skip
    if cls in ORDINARY or not isinstance(value, BUILT_IN) or isinstance(value, enum.Enum):
        return
    if issubclass(cls, np.generic) and cls.__module__ == "numpy":
        return
    if issubclass(cls, tuple) and hasattr(cls, "_fields") and not decided_by(cls) or is_sequence_of_c(cls):
        return
    base = next(base for base in BUILT_IN if issubclass(cls, base))
    array = "x.filled(0.0), and weights 0 where it is masked" if isinstance(value, np.ma.MaskedArray) else "np.asarray(x)"
    raise KindError(
        f"a {cls.__qualname__} cannot be followed",
        why=f"it is a subclass of {base.__name__}, and may have operators of its own",
        instead=array if base is np.ndarray else f"a plain {base.__name__}",
    )


def sort_of(value: dict[Any, Any]) -> Sort | None:
    """The sort of a dict; None for a plain one."""
    factory = value.default_factory if isinstance(value, collections.defaultdict) else None
    return None if type(value) is dict else Sort(type(value), factory)


MOST_PARTS = 1_000_000  # containers and objects
LEAVES = (bool, int, float, complex, str, type(None), np.ndarray, np.float64)


def is_endless(value: Any) -> bool:
    """Test for something that holds itself, or so many parts, each as often as it is met, that no walk through them ends soon."""
    found: dict[int, float] = {}

    def count(part: Any) -> float:
        if type(part) in LEAVES:
            return 0
        if id(part) not in found:
            found[id(part)] = math.inf  # until it is counted: whoever meets it before is within it
            found[id(part)] = 1 + sum(map(count, _parts_of(part)))
        return found[id(part)]

    try:
        return count(value) > MOST_PARTS
    except RecursionError:
        return True


def _parts_of(value: Any) -> Iterable[Any]:
    """The parts of a container or object of which a kind is made."""
    if hides(value):
        return ()
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, tuple | list | set | collections.deque):
        return value
    if isinstance(value, functools.partial | types.MethodType):
        return [getattr(value, part) for part in (PARTIAL if isinstance(value, functools.partial) else BOUND)]
    return fields(value).values() if is_record(value) else ()


def kind_of(value: Any, within: tuple[int, ...] = ()) -> Kind:
    """The kind of a run-time value, without symbolic sizes; ``within`` are the objects around it, by identity.

    Raises KindError for objects of a subclass of a built-in type.
    """
    check_type(value)
    if isinstance(value, np.ndarray):
        return Array(value.dtype.name, (None,) * value.ndim)
    if value is None:
        return NONE
    if isinstance(value, np.generic):
        return Scalar(value.dtype.name, weak=False) if value.dtype.kind in "biufc" else OBJECT
    if isinstance(value, enum.Enum):
        return _other_kind(value)
    for python, kind in ((bool, BOOL), (int, INT), (float, FLOAT), (complex, COMPLEX)):
        if isinstance(value, python):
            return kind
    if type(value) is tuple:
        return Tuple(tuple(kind_of(v, within) for v in value))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return Tuple(tuple(kind_of(v, within) for v in value), names=value._fields, cls=type(value))
    if isinstance(value, tuple):
        return Tuple(tuple(kind_of(v, within) for v in value), names=vars(type(value))["__match_args__"])
    if isinstance(value, list):
        return List(join_all(kind_of(v, within) for v in value))
    if isinstance(value, dict):
        return StructKind(tuple(value), tuple(kind_of(v, within) for v in value.values()), sort=sort_of(value))
    if is_record(value) and id(value) not in within:
        named = fields(value)
        return StructKind(tuple(named), tuple(kind_of(v, (*within, id(value))) for v in named.values()), type(value))
    if isinstance(value, functools.partial):
        return StructKind(PARTIAL, tuple(kind_of(getattr(value, part), within) for part in PARTIAL), functools.partial)
    return _other_kind(value)


def _other_kind(value: Any) -> Kind:
    if isinstance(value, str):
        return STR
    if isinstance(value, slice):
        return Slice(value.start, value.stop, value.step)
    if value is ...:
        return ELLIPSIS
    if type(value) is random.Random:
        return RANDOM
    if isinstance(value, range):
        return RANGE
    if is_fixed(value):
        return Singleton("function" if callable(value) else "object", value)
    return FUNCTION if callable(value) else OBJECT
