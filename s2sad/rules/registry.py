"""The registry: canonical names to primitives, and the statements with which tables fill it."""

from __future__ import annotations

import importlib
import math
import os
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from s2sad.ir.kinds import (
    BOTTOM,
    UNKNOWN,
    Array,
    Kind,
    Other,
    Scalar,
    Tuple,
    dtype_of,
    is_differentiable,
    rank_of,
)
from s2sad.ir.nodes import Call, Const, Value
from s2sad.rules import kind_rules
from s2sad.rules.kind_arrays import array_kind, shape_alone
from s2sad.rules.language import (
    Elementwise,
    General,
    KindRule,
    Linear,
    Nothing,
    Partial,
    Primitive,
    spec_of,
)
from s2sad.rules.rooms import room_of_helper, rooms

TABLES = (  # of what no library knows: memory, failures, and the helpers of generated programs
    "s2sad.rules.buffers",
    "s2sad.rules.failures",
    "s2sad.rules.helpers",
    "s2sad.rules.memory_helpers",
    "s2sad.rules.directions_helpers",
    "s2sad.rules.index_set_helpers",
    "s2sad.rules.loop_helpers",
    "s2sad.rules.adjoint_hooks",
)
_primitives: dict[str, Primitive] = {}
_by_identity: dict[int, tuple[object, str]] = {}
_owners: dict[int, tuple[object, str]] = {}  # of methods that are made anew at each look
_modules_seen = -1  # how many modules were imported when the two were filled
_homes: frozenset[str] = frozenset()  # what names of primitives begin with
_names_seen = -1  # and how many names the modules among them had
_originals: dict[str, object] = {}  # the functions of libraries by canonical name, as they were found first
_objects: dict[str, object] = {}  # the functions of users' rules, which need not be importable
OWN = "s2sad.rules"
_begun: set[str] = set()  # tables look up what others have entered: what is begun counts for the thread that loads them
_loaded: set[str] = set()  # and what is loaded for all others
_modules_looked_at = -1  # how many modules were imported when all tables of libraries that are used were there
_lock = threading.RLock()  # of tables, and of what is found in them
revision = 0  # counts users' rules: programs made under other rules are outdated


def load_tables() -> None:
    """Import the tables, each once, on first use: ``import s2sad`` stays fast. Those of a library wait for the library."""
    global _modules_looked_at
    count = len(sys.modules)
    if _modules_looked_at == count:
        return  # no library has been imported since
    if OWN not in _loaded:
        _load(OWN, TABLES)
    for room in rooms():
        if room.package not in _loaded and room.is_used:
            _load(room.package, room.tables)
    if OWN in _loaded and all(room.package in _loaded for room in rooms() if room.is_used):  # and none is being loaded
        _modules_looked_at = count


def _load(key: str, tables: Sequence[str]) -> None:
    with _lock:
        if key not in _begun:
            _begun.add(key)
            for table in tables:
                importlib.import_module(table)
            _loaded.add(key)


def _renew_lock() -> None:
    """In a forked child, where the thread that held the lock does not exist."""
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


def lookup(name: str) -> Primitive | None:
    """The primitive with this canonical name."""
    if OWN in _loaded and (found := _primitives.get(name)) is not None:
        return found  # no table replaces what another one has entered
    load_tables()
    room = room_of_helper(name)
    if room is not None and room.package not in _begun:
        _load(room.package, room.tables)  # of a program that has not imported the library itself
    return _primitives.get(name)


def all_primitives() -> dict[str, Primitive]:
    """All primitives by canonical name; those of a library once it has been imported."""
    load_tables()
    return dict(_primitives)


def add(primitive: Primitive, function: object = None) -> None:
    """Enter a primitive; a later one of the same name replaces it (a user's rule wins).

    ``function``: the live function that it stands for, where its name is not that under which it is found.
    """
    global revision, _modules_seen
    with _lock:
        _primitives[primitive.name] = primitive
        if function is not None:
            revision += 1
            _objects[primitive.name] = function
        _modules_seen = -1


def edition() -> tuple[int, int]:
    """A number that tells that rules have been added."""
    return revision, len(_primitives)


def name_of(target: object) -> str | None:
    """The canonical name of a live function, if it is a registered primitive."""
    load_tables()
    if not _by_identity or _modules_seen != len(sys.modules):
        _renew()
    entry = _by_identity.get(id(target))
    return entry[1] if entry is not None and entry[0] is target else _name_of_method(target)


def _renew() -> None:
    """Look all primitives up again, if a module in which one may be has been imported, or is further on with that."""
    global _modules_seen
    with _lock:
        count = len(sys.modules)
        if not _by_identity or _modules_seen < 0 or _names_in_homes() != _names_seen:
            _find_all()
        _modules_seen = count


def _names_in_homes() -> int:
    return sum(len(vars(sys.modules[home])) for home in _homes if home in sys.modules)


def _find_all() -> None:
    """Look up all primitives, in the modules that have been imported until now.

    What a name stands for is found once: a function that is put in its place later is another one.
    """
    global _by_identity, _owners, _homes, _names_seen
    with _lock:
        parts = [name.split(".") for name in _primitives]
        _homes = frozenset(".".join(path[:k]) for path in parts for k in range(1, len(path)))
        _names_seen = _names_in_homes()
        by_identity: dict[int, tuple[object, str]] = {}
        owners: dict[int, tuple[object, str]] = {}
        for name in _primitives:
            found = _objects[name] if name in _objects else _original(name)
            if found is None:
                continue
            by_identity.setdefault(id(found), (found, name))
            owner = _owner(found)
            if owner is not None:
                owners.setdefault(id(owner), (owner, name.rpartition(".")[0]))
        _by_identity, _owners = by_identity, owners


def _original(name: str) -> object:
    """The library's object under a name, as it was when it was found first; None for what is not the library's own."""
    found = _originals.get(name)
    if found is None:
        found = find_object(name)
        if not is_own(name, found):
            return None
        _originals[name] = found
    return found


# Names of functions in NumPy, SciPy and Python that the function itself does not have.
ALIASES = {
    "true_divide": "divide", "pow": "power", "mod": "remainder", "asin": "arcsin", "acos": "arccos", "atan": "arctan",
    "atan2": "arctan2", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "abs": "absolute", "conj": "conjugate",
    "bitwise_not": "invert", "bitwise_invert": "invert", "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift", "permute_dims": "transpose", "concat": "concatenate", "digamma": "psi", "jn": "jv",
}  # fmt: skip


CONSTANTS = {"pi": math.pi, "e": math.e, "tau": math.tau, "inf": math.inf, "nan": math.nan}
DISPATCHER = type(np.concatenate)  # what NumPy's functions are, around the one that is written
IMMUTABLE = 1 << 8  # flag of a class whose attributes nobody can set


def is_own(name: str, found: object) -> bool:
    """Test that what stands under a name of a library is the library's own.

    What a program puts there before the first look could not be told from the original otherwise. Of a primitive, identity
    decides: a library defines what it has in private modules below, which hold the same object. Others say what they are.
    """
    owner, _, last = name.rpartition(".")
    if name in _primitives and not name.startswith("s2sad.") and not isinstance(found, ModuleType):
        return _is_defined(owner, last, found)
    if last in CONSTANTS and owner in ("numpy", "math", "cmath"):
        return type(found) is float and repr(found) == repr(CONSTANTS[last])
    called, module = getattr(found, "__name__", None), getattr(found, "__module__", None)
    if isinstance(found, type | ModuleType) or not callable(found) or not isinstance(called, str):
        return True
    root = name.partition(".")[0]
    told = module.partition(".")[0] if isinstance(module, str) else root
    return called in (last, ALIASES.get(last)) and told in (root, f"_{root}")


def _is_defined(owner: str, last: str, found: object) -> bool:
    """Test for an object that a library defines under ``owner.last``: by identity, or by what nobody can give another thing."""
    names = (last, ALIASES.get(last, last))
    holder = getattr(found, "__self__", None)
    if isinstance(found, type) and owner == "builtins":
        return found.__module__ == owner and (found.__name__ == last or issubclass(found, OSError))
    if isinstance(found, type) and found.__flags__ & IMMUTABLE:
        return found.__name__ in names
    if isinstance(found, BuiltinFunctionType) and isinstance(holder, ModuleType) and holder.__name__ in (owner, f"_{owner}"):
        return found.__name__ in names
    if holder is not None and not isinstance(holder, ModuleType):  # a method
        written = found.__func__.__globals__["__name__"] if isinstance(found, MethodType) else owner
        of_library = str(written).partition(".")[0] == owner.partition(".")[0]
        above, _, name = owner.rpartition(".")
        return of_library and getattr(found, "__name__", "") == last and _is_defined(above, name, holder)
    module = getattr(found, "__module__", None)
    written = getattr(found, "_implementation", found) if isinstance(found, DISPATCHER) else found
    if isinstance(found, type) and found.__name__ == last:
        written = vars(found).get("__init__")
    if isinstance(written, FunctionType) and f"{owner}.".startswith(f"{module}."):
        home, code = sys.modules.get(str(module)), written.__code__
        called = code.co_name in names or written is not found
        if home is not None and written.__globals__ is vars(home) and code.co_filename == home.__file__ and called:
            return True
    below = str(module).removeprefix(f"{owner}.").split(".")
    if module is not None and module != owner and not any(part.startswith("_") for part in below):
        return False  # another public module's
    return any(table.get(n) is found for table in _private_modules(owner) for n in names)


_private: dict[str, list[dict[str, object]]] = {}  # what the private modules below a module define
_scanned: dict[str, int] = {}  # the modules that have been asked, by identity; how many there were altogether
_modules_then = -1


# What later versions mark by an underscore: NumPy below 2.
UNMARKED = ("numpy.core", "numpy.lib", "numpy.linalg.linalg", "numpy.fft.helper") if np.__version__.startswith("1.") else ()


def _is_private(parts: Sequence[str], k: int) -> bool:
    """Test for a part of a module's path that says that what is below is not for users."""
    return bool(parts[k].strip("_")) and (parts[k].startswith("_") or ".".join(parts[: k + 1]) in UNMARKED)


def _private_modules(owner: str) -> list[dict[str, object]]:
    """The definitions in private modules below a module: ``numpy._core.fromnumeric``, ``numpy.lib._shape_base_impl`` of NumPy."""
    global _modules_then
    if _modules_then == len(sys.modules):
        return _private.get(owner, [])
    present = {path: module for path, module in list(sys.modules.items()) if not path.startswith("s2sad_generated")}
    if any(id(present.get(path)) != known for path, known in _scanned.items()):  # replaced, or gone
        _private.clear()
        _scanned.clear()
    for path, module in present.items():
        if path in _scanned:
            continue
        _scanned[path] = id(module)
        parts = path.split(".")
        marked = [k for k, part in enumerate(parts) if _is_private(parts, k)]
        if not marked or not isinstance(module, ModuleType):
            continue
        first = marked[0]
        beside = ".".join([*parts[:first], parts[first].strip("_").removesuffix("_impl")])  # numpy.lib.stride_tricks
        for above in [beside, *(".".join(parts[:k]) for k in range(1, marked[-1] + 1))]:
            _private.setdefault(above, []).append(vars(module))
    _modules_then = len(sys.modules)
    return _private.get(owner, [])


def _owner(target: object) -> object:
    """The object of which this is a method, but no module: ``math.sin`` is as good as a function."""
    owner = getattr(target, "__self__", None)
    return None if isinstance(owner, ModuleType) else owner


def _name_of_method(target: object) -> str | None:
    """``numpy.add.reduce``, ``scipy.stats.norm.pdf``: made anew at each look, so that their owners are looked up."""
    owner = _owner(target)
    entry = None if owner is None else _owners.get(id(owner))
    if entry is None or entry[0] is not owner:
        return None
    return next(
        (name for name in (f"{entry[1]}.{getattr(target, '__name__', '')}",) if name in _primitives), None
    )


def owner_name(target: object) -> str | None:
    """The canonical name of an object of which a method is a primitive: ``numpy.add``, ``scipy.stats.norm``."""
    entry = _owners.get(id(target))
    return entry[1] if entry is not None and entry[0] is target else None


def find_object(name: str) -> Any:
    """The live object behind a dotted name, if its module has been imported; None otherwise.

    Nothing is imported on the way, also where a package would do that when a submodule is looked up.
    """
    parts = name.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        module = sys.modules.get(".".join(parts[:cut]))
        if module is not None:
            found: Any = vars(module).get(parts[cut])
            for part in parts[cut + 1 :]:
                found = getattr(found, part, None)
            return found
    return None


def original(name: str) -> Any:
    """The library's object under a name when it was looked up first; None if it never was."""
    return _originals.get(name)


def infer(call: Call, bound: Mapping[str, Value] | None = None) -> Kind:
    """The kind of a call's result; ``bound``: its arguments by parameter, where these are known."""
    primitive = lookup(call.target)
    if primitive is None:
        return UNKNOWN
    if any(isinstance(value.kind, Other) and value.kind == BOTTOM for value in call.operands()):
        return BOTTOM  # of what is not computed yet, while kinds of loops and recursions are being found
    bound = primitive.bind(call.args, call.kwargs) if bound is None else bound
    kind = primitive.kind(bound)
    return _of_linear_algebra(primitive, bound, kind) if primitive.axes or primitive.widens else kind


LAPACK = ("float32", "float64", "complex64", "complex128", "int64", None)


def _of_linear_algebra(primitive: Primitive, bound: Mapping[str, Value], kind: Kind) -> Kind:
    """The kind of matrices in precisions that LAPACK has: numbers become matrices, stacks are taken apart, and what is
    made of other integers and of half precision differs."""
    given = {p: array_kind(_first_of_several(value.kind)) for p, value in bound.items() if not isinstance(value, Const)}
    ranks = {p: rank_of(given[p]) for p in primitive.axes if p in given}
    if not all(n and n <= primitive.axes[p] for p, n in ranks.items()):
        return _untold(kind)
    if primitive.widens and isinstance(next(iter(given.values()), None), Scalar):
        return _untold(kind)
    return shape_alone(kind) if primitive.widens and any(dtype_of(k) not in LAPACK for k in given.values()) else kind


def _untold(kind: Kind) -> Kind:
    """The kind that is known where even the number of axes may be another."""
    if isinstance(kind, Tuple):
        return replace(kind, items=tuple(map(_untold, kind.items)))
    return Array(None if is_differentiable(kind) else kind.dtype, None) if isinstance(kind, Array) else UNKNOWN


def _first_of_several(kind: Kind) -> Kind:
    """A factor of matrices, with the pivots or flags that belong to it."""
    return kind.items[0] if isinstance(kind, Tuple) and kind.items and not kind.listed else kind


# --- the statements of tables


def _declare(head: str, kind: KindRule | None, fallback: KindRule, **facts: Any) -> None:
    """Enter a primitive. Its line of effects stands behind an arrow; of what computes, silence says ``fresh``.

    (``plain`` primitives and users' rules have no such default: of them, silence says that nothing is known.)
    """
    declared, arrow, line = head.partition(" -> ")
    name, _, rest = declared.partition("(")
    if arrow:
        facts["effects"] = line
    elif facts.get("derivative") is not None:
        facts.setdefault("effects", "fresh")
    add(Primitive(name=name.strip(), signature=rest.rstrip()[:-1], kind=kind or fallback, **facts))


def elementwise(
    head: str, *, kind: KindRule | None = None, facts: Mapping[str, Any] = {}, **partials: Partial
) -> None:
    """A broadcasting function, with its partial derivative for each argument."""
    derivative = Elementwise({p: spec_of(f) for p, f in partials.items()})
    _declare(head, kind, kind_rules.broadcast_float, derivative=derivative, **facts)


def linear(
    head: str, *, kind: KindRule | None = None, facts: Mapping[str, Any] = {}, **adjoints: Partial
) -> None:
    """A function linear in the named arguments together, with the adjoint for each."""
    derivative = Linear({p: spec_of(f) for p, f in adjoints.items()})
    _declare(head, kind, kind_rules.unknown, derivative=derivative, **facts)


def multilinear(
    head: str, *, kind: KindRule | None = None, facts: Mapping[str, Any] = {}, **adjoints: Partial
) -> None:
    """A function linear in each of the named arguments alone, with the adjoint for each."""
    derivative = Linear({p: spec_of(f) for p, f in adjoints.items()}, jointly=False)
    _declare(head, kind, kind_rules.unknown, derivative=derivative, **facts)


def general(
    head: str,
    *,
    push: Mapping[str, Partial],
    pull: Mapping[str, Partial],
    kind: KindRule | None = None,
    facts: Mapping[str, Any] = {},
) -> None:
    """A function with a pushforward and a pullback for each differentiable argument."""
    derivative = General({p: spec_of(f) for p, f in push.items()}, {p: spec_of(f) for p, f in pull.items()})
    _declare(head, kind, kind_rules.unknown, derivative=derivative, **facts)


def plain(head: str, *, kind: KindRule | None = None, **facts: Any) -> None:
    """A primitive without a derivative of its own: memory operations, which the machinery knows, and constructors."""
    _declare(head, kind, kind_rules.unknown, **facts)


def nothing(
    heads: Iterable[str], *, kind: KindRule | None = None, zero: bool = False, why: str = "", **facts: Any
) -> None:
    """Functions whose derivative is zero, or does not exist."""
    for head in heads:
        signature = head if "(" in head else f"{head}(*args)"
        _declare(signature, kind, kind_rules.unknown, derivative=Nothing(zero, why), **facts)


def alias(existing: str, *names: str, **changes: Any) -> None:
    """Other names of an existing primitive, with changed facts where given."""
    for name in names:
        add(replace(_primitives[existing], name=name, **changes))
