"""Values that are more than one array: tuples, lists, dictionaries, and objects of users' classes.

An object stands for its attributes, as a dictionary does for its items; one of a class with ``__slots__`` for those.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

MADE_BY_C = type(len)  # what makes objects that hold more than attributes: texts, dates, sources of random numbers
SLOT, FOUND_BY_C = types.MemberDescriptorType, types.WrapperDescriptorType  # what is written in C
DICTIONARY = vars(types.FunctionType)["__dict__"]  # what finds the attributes of an object, in all classes
IMMUTABLE = 1 << 8  # the flag of types whose attributes cannot be set


def fields(x: Any) -> dict[str, Any]:
    """The attributes of an object by name, in the order in which they were set. None is asked for that might be computed."""
    found: dict[str, Any] = {}
    for cls in type(x).__mro__[::-1]:
        for name in _slots(cls):
            try:  # noqa: SIM105  (standalone modules import little)
                found[name] = vars(cls)[name].__get__(x)
            except AttributeError:  # nothing is in it
                pass
    return found | x.__dict__ if type(x).__dictoffset__ else found


def _slots(cls: type) -> list[str]:
    return [name for name, slot in vars(cls).items() if type(slot) is SLOT] if "__slots__" in vars(cls) else []


def hides(x: Any) -> bool:
    """Test for an object whose class has its own way to say what its attributes, or its class, are: nobody may ask it."""
    cls = type(x)
    if cls.__flags__ & IMMUTABLE:
        return False
    if type(type.__getattribute__(cls, "__getattribute__")) is not FOUND_BY_C:
        return True
    members = [vars(base) for base in type.__getattribute__(cls, "__mro__")[:-1]]
    return any("__class__" in found or type(found.get("__dict__", DICTIONARY)) is not type(DICTIONARY) for found in members)


def is_record(x: Any) -> bool:
    """Test for an object of a class that a class statement has made, outside the libraries; no ``Enum`` is one.

    A ``SimpleNamespace`` is as good as one.
    """
    cls = type(x)
    if cls is SimpleNamespace:
        return True
    if hides(x):
        return False
    made = bool(cls.__flags__ & (1 << 9)) and not issubclass(cls, BUILT_IN)  # a heap type
    made = made and not any(type(vars(base).get("__new__")) is MADE_BY_C for base in cls.__mro__[:-1])
    if not made or cls.__module__.partition(".")[0] in LIBRARIES or hasattr(cls, "__members__"):
        return False
    if cls.__name__ == "cython_function_or_method":
        return False
    return bool(cls.__dictoffset__) or bool(fields(x))


def held(x: Any) -> Sequence[Any]:
    """The things that something holds: items, what stands under keys, attributes, the arguments of a partial, the object of a
    method."""
    if isinstance(x, tuple | list):
        return x
    if isinstance(x, dict):
        return [*x.values()]
    if type(x) is functools.partial:
        return (x.func, x.args, x.keywords)
    if type(x) is types.MethodType:
        return (x.__func__, x.__self__)
    return [*fields(x).values()] if is_record(x) else ()


LIBRARIES = ("builtins", "numpy", "scipy", "functools", "types", __name__.partition(".")[0], "fractions", "decimal",
             "_decimal", "datetime", "pathlib", "uuid", "re", "random", "threading", "logging", "io", "enum",
             "numba")  # fmt: skip
BUILT_IN = (
    type,
    tuple,
    list,
    dict,
    str,
    int,
    float,
    complex,
    set,
    frozenset,
    np.ndarray,
    np.generic,
    BaseException,
)


def record(like: Any, keys: tuple[str, ...], *items: Any) -> Any:
    """A new object of the class ``like`` (or of its class) with these attributes; ``__init__`` does not run.

    A named tuple has its fields for attributes; frozen classes are filled all the same. ``like`` is None where a dict of
    adjoints had nothing yet: nothing is due to that.
    """
    if like is None:
        return None
    cls = like if isinstance(like, type) else type(like)
    if issubclass(cls, tuple):
        return tuple.__new__(cls, items)
    made: Any = cls.__new__(cls) if cls is SimpleNamespace else object.__new__(cls)
    for name, item in zip(keys, items, strict=True):
        object.__setattr__(made, name, item)
    return made


def zeros(x: Any) -> Any:
    """A zero with the structure of ``x``: 0.0 for a number, new arrays of zeros; None for what is no number."""
    if isinstance(x, np.ndarray):
        return np.zeros_like(x) if x.dtype.kind in "fc" else np.zeros(x.shape)
    if isinstance(x, tuple | list):
        return type(x)(zeros(item) for item in x) if not hasattr(x, "_fields") else type(x)(*map(zeros, x))
    if isinstance(x, dict):
        return {key: zeros(item) for key, item in x.items()}
    if isinstance(x, np.inexact):
        return type(x)(0)
    if isinstance(x, bool | int | float | complex | np.generic):
        return 0j if isinstance(x, complex) else 0.0
    if is_record(x):
        named = fields(x)
        return record(x, tuple(named), *map(zeros, named.values()))
    return None


def tuple_of(items: Any) -> Any:
    """The items as a tuple: an index where a list would choose items."""
    return tuple(items)


def copy_of(x: Any) -> Any:
    """``x`` as memory of its own: arrays are copied, also those that lists, tuples, dicts and objects hold."""
    if isinstance(x, np.ndarray):
        return np.copy(x)
    if isinstance(x, tuple | list):
        return type(x)(*map(copy_of, x)) if hasattr(x, "_fields") else type(x)(map(copy_of, x))
    if isinstance(x, dict):
        return {key: copy_of(item) for key, item in x.items()}
    if is_record(x):
        named = fields(x)
        return record(x, tuple(named), *map(copy_of, named.values()))
    return x


def twin(x: Any) -> Any:
    """A copy of an array that lies in memory as it does, so that the same reshapes make windows of both."""
    return twins([x])[0] if isinstance(x, np.ndarray) else x


def wide(dot: Any, x: Any) -> Any:
    """A tangent as memory of its own, in a dtype that holds what the array ``x`` does, too."""
    return np.array(dot, np.result_type(dot, x))


def twin_as(x: Any, like: Any) -> Any:
    """A copy of ``x`` that lies in memory as ``like`` does, of the same shape."""
    if not isinstance(like, np.ndarray):
        return x
    made = np.empty_like(like, dtype=np.result_type(x)) if like.flags.forc else twin(like)
    made[...] = x
    return made


def zero_twin(x: Any) -> Any:
    """Zeros that lie in memory as an array does; those of ``zeros`` for what is no array."""
    return twin_as(np.zeros_like(x), x) if isinstance(x, np.ndarray) else zeros(x)


def stand_in(x: Any) -> Any:
    """A stand-in for an array of which only shape and dtype are read: one number, stretched. Anything else is itself."""
    if type(x) is not np.ndarray or x.dtype.kind not in "biufc":
        return x
    return np.ndarray(x.shape, x.dtype, bytes(x.itemsize), 0, (0,) * x.ndim)


def twins(arrays: Sequence[Any]) -> list[Any]:
    """Copies that lie in memory as the arrays do, strides and gaps included, and share with each other what these share."""
    made: list[Any] = [None] * len(arrays)
    spans = sorted((*bounds(x), k) for k, x in enumerate(arrays))
    while spans:
        low, high, k = spans.pop(0)
        group = [k]
        while spans and spans[0][0] < high:
            _, end, other = spans.pop(0)
            group.append(other)
            high = max(high, end)
        x = arrays[k]
        if (
            len(group) == 1
            and (x.flags.forc or x.size == 0 or type(x) is not np.ndarray)
            or any(arrays[j].dtype.hasobject for j in group)
        ):
            for j in group:
                made[j] = arrays[j].copy(order="K")
            continue
        memory = np.empty(high - low, dtype=np.uint8)
        for j in group:
            x = arrays[j]
            made[j] = np.ndarray(x.shape, x.dtype, memory, x.__array_interface__["data"][0] - low, x.strides)
            made[j][...] = x
    return made


def bounds(x: Any) -> tuple[int, int]:
    """Where an array begins and ends in memory."""
    start = end = x.__array_interface__["data"][0]
    if x.size == 0:
        return start, end
    for n, step in zip(x.shape, x.strides, strict=True):
        start, end = start + min(0, (n - 1) * step), end + max(0, (n - 1) * step)
    return start, end + x.itemsize


def stop_gradient(x: Any) -> Any:
    """``x`` as a constant, of which no derivative is taken."""
    return copy_of(x)
