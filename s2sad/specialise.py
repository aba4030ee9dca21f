"""Specialisation: what of the arguments of a call decides which derivative program serves it.

The key of an argument is its type; of an array its dtype and, for each axis, whether its size is 1 (NumPy stretches
such axes, so other programs are right for them); of a function or a flag, the object itself.
"""

from __future__ import annotations

import contextlib
import dis
import enum
import functools
import inspect
import sys
import types
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from s2sad.errors import ActivityError, KindError, S2sadError
from s2sad.frontend.entities import Entity, Known
from s2sad.frontend.lower.foreign import is_library, unwrap
from s2sad.frontend.resolve import default_name
from s2sad.frontend.source import digest_of, source_of
from s2sad.ir.kinds import (
    FIXED,
    PARTIAL,
    UNKNOWN,
    Array,
    Dict,
    Dim,
    Fixed,
    Kind,
    List,
    Scalar,
    Tuple,
    check_type,
    join_all,
    kind_of,
)
from s2sad.rules import registry
from s2sad.rules.user import rules_in_words
from s2sad.runtime.structures import fields, is_record
from s2sad.trees import leaves, parts

LITERALS = (bool, int, float, complex, str, type(None), types.FunctionType)
PLAIN = (float, int, complex, bool)
EXTENDED_ARG = dis.opmap["EXTENDED_ARG"]
LOOKUPS = {dis.opmap["LOAD_GLOBAL"]: 1, dis.opmap["LOAD_NAME"]: 0}  # and how far the name's number is shifted
BOUND = ("__self__", "__func__")  # what a bound method consists of


def key_of(value: Any) -> Hashable:
    """The key of one argument."""
    kind: Hashable = type(value)  # type: ignore[assignment]  # every class is hashable
    if kind is np.ndarray:
        return (value.dtype, tuple([n == 1 for n in value.shape]))
    if kind in PLAIN:
        return kind
    if kind is tuple or kind is list:
        if kind is list and len(value) > 16 and all(type(v) is type(value[0]) for v in value) and type(value[0]) in PLAIN:
            return (list, type(value[0]))
        return (kind, tuple(map(key_of, value)))
    if kind is dict:
        return (dict, tuple((k, key_of(v)) for k, v in value.items()))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return (kind, tuple(map(key_of, value)))
    if is_record(value):
        return (kind, tuple((k, key_of(v)) for k, v in fields(value).items()))
    if isinstance(value, FIXED):
        return (kind, value) if isinstance(value, enum.Enum) else value
    if kind is slice:
        return (slice, *((type(v), v) if type(v) in PLAIN else type(v) for v in (value.start, value.stop, value.step)))
    if kind is functools.partial:
        return (kind, *(key_of(getattr(value, part)) for part in PARTIAL))
    if kind is types.MethodType:
        return (kind, *(key_of(getattr(value, part)) for part in BOUND))
    return _Same(value) if callable(value) else kind


class _Same:
    """The key of an object that a program calls, which is known when it is compiled: equal to that of itself alone."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)

    def __repr__(self) -> str:
        return repr(type(self.value))


def kind_for(value: Any, name: str, key: Hashable = None) -> Kind | Entity:
    """The kind of an argument, with symbolic sizes named after it; a function is known at compile time."""
    key = key or (name,)
    check_type(value)
    if isinstance(value, enum.Enum):
        return kind_of(value)
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biufc":
            return UNKNOWN
        sizes = tuple(1 if n == 1 else Dim(("axis", key, k), many=True) for k, n in enumerate(value.shape))
        return Array(value.dtype.name, sizes)
    if isinstance(value, bool):
        return kind_of(value)
    if isinstance(value, int):
        return Scalar("int64", size=Dim(("int", key)))
    if type(value) is tuple:
        return Tuple(tuple(_kind(v, name, (key, k)) for k, v in enumerate(value)))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        kinds = tuple(_kind(v, name, (key, k)) for k, v in enumerate(value))
        return Tuple(kinds, names=value._fields, cls=type(value))
    if isinstance(value, list):
        return _list_kind(value, name, key)
    if isinstance(value, dict):
        return Dict(tuple(value), tuple(_kind(v, name, (key, k)) for k, v in value.items()))
    if is_record(value):
        inner = fields(value)
        return Dict(tuple(inner), tuple(_kind(v, name, (key, k)) for k, v in inner.items()), type(value))
    if isinstance(value, functools.partial):
        kinds = tuple(_kind(getattr(value, part), name, (key, part)) for part in PARTIAL)
        return Dict(PARTIAL, kinds, functools.partial)
    if isinstance(value, types.MethodType) and isinstance(value.__func__, types.FunctionType):
        kinds = tuple(_kind(getattr(value, part), name, (key, part)) for part in BOUND)
        return Dict(BOUND, kinds, types.MethodType)
    if callable(value) and not isinstance(value, type):
        return Known(value, getattr(value, "__name__", name))
    return kind_of(value)


def _kind(value: Any, name: str, key: Hashable) -> Kind:
    found = kind_for(value, name, key)
    return found if isinstance(found, Kind) else kind_of(value)


def _list_kind(value: list[Any], name: str, key: Hashable) -> Kind:
    """A list of numbers, of arrays of one kind, or of rows of numbers, is a list; of mixed things, as good as a tuple."""
    kinds = [_forget(kind_of(v)) for v in value]
    same = all(k == kinds[0] for k in kinds) and not any(isinstance(k, Tuple | Dict | List | Fixed) for k in kinds)
    numbers = all(isinstance(k, Scalar) for k in kinds)
    if same or numbers:
        return List(join_all(kinds))
    if all(isinstance(k, List) for k in kinds):
        return List(join_all(kinds))
    if kinds and all(map(_is_row, kinds)) and isinstance(row := join_all(kinds), Tuple):
        return List(row)
    return Tuple(tuple(_kind(v, name, (key, k)) for k, v in enumerate(value)), listed=True)


def _is_row(kind: Kind) -> bool:
    """Whether this is a tuple of numbers, or of such tuples."""
    return isinstance(kind, Tuple) and all(isinstance(item, Scalar) or _is_row(item) for item in kind.items)


def _forget(kind: Kind) -> Kind:
    return Scalar(kind.dtype, kind.weak) if isinstance(kind, Scalar) else kind


def check_differentiable(value: Any, name: str) -> None:
    """Refuse to differentiate with respect to what has no derivative."""
    if not any(map(_is_inexact, leaves(value))):
        shown = type(value).__name__ if not isinstance(value, np.ndarray) else f"array of {value.dtype}"
        article = "an" if shown[0] in "aeiou" else "a"
        raise ActivityError(
            f"the argument {name!r} is {article} {shown} and has no derivative",
            why="integers and booleans are not differentiated",
            instead=f"pass a float ({name}=2.0), or leave {name!r} out of wrt",
        )


def _is_inexact(leaf: Any) -> bool:
    if isinstance(leaf, float | complex | np.floating | np.complexfloating):
        return True
    return isinstance(leaf, np.ndarray) and leaf.dtype.kind in "fc"


class Surroundings:
    """What a function sees outside itself: the functions that it may call, and the values that it captured.

    Both are found from the names in its code, so that a cached program is recognised without lowering it again.
    """

    def __init__(self, function: types.FunctionType) -> None:
        self.functions: dict[types.FunctionType, None] = {}
        self.classes: dict[type, None] = {}
        self.captured: list[tuple[Any, str, Any, str]] = []  # where from, by which name, what, and its name in generated code
        self.members: list[tuple[type, str, Any]] = []  # of the classes
        self.layouts: list[tuple[Any, Hashable]] = []  # captured containers and objects, with their keys
        self.asked: list[str] = []  # of the derivatives that are differentiated in turn
        self.included: set[int] = set()  # the objects that are being visited, which may hold themselves
        self.revision = registry.revision
        self._visit(function)

    def include(self, value: Any) -> None:
        """Take the classes of an argument along, whose methods the function may call."""
        self._function(value)
        inner = parts(value)
        if inner is None or id(value) in self.included:
            return
        self.included.add(id(value))
        if is_record(value) or (isinstance(value, tuple) and hasattr(value, "_fields")):
            self._class(type(value))
        for item in inner.values():
            self.include(item)
        self.included.discard(id(value))

    def objects(self) -> dict[str, Any]:
        """The captured objects that are no literals and no functions, by name; none of two that share a name."""
        found: dict[str, Any] = {}
        shared: set[str] = set()
        for _, _, value, name in self.captured:
            if not isinstance(value, LITERALS) and found.setdefault(name, value) is not value:
                shared.add(name)
        return {name: value for name, value in found.items() if name not in shared}

    def defaults(self) -> dict[str, Any]:
        """The defaults of all functions by the names that generated modules use; none of two that share a name."""
        found: dict[str, Any] = {}
        shared: set[str] = set()
        for function in self.functions:
            for parameter in inspect.signature(function, follow_wrapped=False).parameters.values():
                name = default_name(function, parameter.name)
                if parameter.default is not parameter.empty:
                    shared |= {name} if found.setdefault(name, parameter.default) is not parameter.default else set()
        return {name: default for name, default in found.items() if name not in shared}

    def _class(self, cls: type) -> None:
        """The methods of a class and of those that it inherits from, and what they see."""
        if cls in self.classes or is_library(cls) or cls.__module__ == "builtins":
            return
        self.classes[cls] = None
        for base in cls.__bases__:
            self._class(base)
        for name, member in list(vars(cls).items()):
            if not name.startswith("__") or name in vars(object) or isinstance(member, types.FunctionType):
                self.members.append((cls, name, member))
            if isinstance(member, property):
                members = [member.fget, member.fset]
            else:
                members = [getattr(member, "__func__", member)]
            for function in members:
                if isinstance(function, types.FunctionType) and _has_file(function):
                    self._visit(function)

    def _visit(self, function: types.FunctionType) -> None:
        ours = str(function.__module__).partition(".")[0] == "s2sad"  # part of the compiler's version
        if function in self.functions or ours or is_library(function):
            return
        self.functions[function] = None
        names = set(_names(function.__code__))
        for name in sorted(set(_globals(function.__code__)) & set(function.__globals__)):
            self._captured(function.__globals__, name, function.__globals__[name], names)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            try:
                self._captured(cell, name, cell.cell_contents, names)
            except ValueError:
                continue
        for value in [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]:
            self._function(value)

    def _captured(self, place: Any, name: str, value: Any, names: set[str]) -> None:
        if isinstance(value, types.ModuleType):
            if value.__name__.partition(".")[0] not in ("numpy", "scipy", "math", "s2sad"):
                for inner in sorted(names & set(vars(value))):
                    member = vars(value)[inner]
                    if _is_installed(value):
                        self._function(member)
                    elif not isinstance(member, types.ModuleType):
                        self._value(vars(value), inner, f"{value.__name__}.{inner}".replace(".", "_"))
            return
        self._value(place, name, name)

    def _value(self, place: Any, name: str, bound: str) -> None:
        value = place[name] if type(place) is dict else place.cell_contents
        self.captured.append((place, name, value, bound))
        self._function(value)
        if parts(value) is not None:
            self.include(value)
            self.layouts.append((value, _layout(value)))

    def _function(self, value: Any) -> None:
        derived = getattr(value, "__s2sad__", None)
        found = derived[1].function if derived is not None else unwrap(value)
        if derived is not None:
            self.asked.append(f"{derived[0]} {derived[2]} {derived[3]}")
        if isinstance(found, functools.partial):
            for part in PARTIAL:
                self.include(getattr(found, part))
        if isinstance(found, types.MethodType):
            self.include(found.__self__)
            found = found.__func__
        if isinstance(found, types.FunctionType):
            self._visit(found)
        elif isinstance(found, type) and not is_library(found):
            self._class(found)

    def unchanged(self) -> bool:
        """Whether the captured values, and the rules, are still those that the programs were made for."""
        if self.revision != registry.revision:
            return False
        for place, name, value, _ in self.captured:
            if (place.get(name) if type(place) is dict else place.cell_contents) is not value:
                return False
        if any(vars(cls).get(name) is not member for cls, name, member in self.members):
            return False
        return all(_layout(value) == key for value, key in self.layouts)

    def text(self) -> str:
        """All of it as text, for the key of the cache."""
        found: list[str] = [rules_in_words(), *self.asked]
        for function in self.functions:
            try:
                found.append(f"{function.__module__}.{function.__qualname__} {digest_of(function, source_of(function))}")
            except S2sadError:
                found.append(function.__qualname__)
        for _, name, value, _ in self.captured:
            if isinstance(value, bool | int | float | complex | str | type(None)):
                found.append(f"{name}={value!r}")
            else:
                with contextlib.suppress(KindError):  # of what is seen and not used
                    found.append(f"{name}: {kind_of(value)}")
        found += [f"{cls.__module__}.{cls.__qualname__}: {_constants(cls)}" for cls in self.classes]
        found += [repr(key) for _, key in self.layouts]
        return "\n".join(found)


def _layout(value: Any) -> Hashable:
    """The key of something captured; of what holds itself, which cannot be followed, its identity."""
    try:
        return key_of(value)
    except RecursionError:
        return id(value)


def _has_file(function: types.FunctionType) -> bool:
    """Whether a function is written in a file, and not made by a decorator such as ``dataclass``."""
    return not function.__code__.co_filename.startswith("<string")


def _constants(cls: type) -> str:
    """The constants of a class, which are constants of the program, and the fields that its construction fills."""
    plain = {k: v for k, v in vars(cls).items() if isinstance(v, bool | int | float | complex | str | tuple | type(None))}
    return repr({k: v for k, v in plain.items() if not k.startswith("__") or k == "__match_args__"})


def _is_installed(module: types.ModuleType) -> bool:
    """Whether a module belongs to Python or an installed package, whose values nobody changes."""
    folders = {"site-packages", "dist-packages"} & set(Path(getattr(module, "__file__", None) or "").parts)
    return bool(folders) or module.__name__.partition(".")[0] in sys.stdlib_module_names


def _globals(code: types.CodeType) -> Iterator[str]:
    """The names that a function looks up outside itself; in ``helper.W`` that is ``helper``, and not ``W``."""
    high = 0
    for operation, low in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        argument, high = high | low, 0
        if operation == EXTENDED_ARG:
            high = argument << 8
        elif operation in LOOKUPS:
            yield code.co_names[argument >> LOOKUPS[operation]]
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _globals(constant)


def _names(code: types.CodeType) -> Iterator[str]:
    """All names of globals and attributes."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


__all__ = ["Known", "Surroundings", "check_differentiable", "key_of", "kind_for"]
