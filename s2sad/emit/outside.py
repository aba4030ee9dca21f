"""The outside that generated code mentions: modules, builtins, helpers, functions, constants.

Every such thing is an ``Outside``: a root, which the module binds (``np``, ``range``, ``unbroadcast``,
``DT``), and attributes after it. ``outside_of`` finds it for a call's target or a ``Global``; the scan of a
whole function tells which names its own variables must avoid.
"""

from __future__ import annotations

import builtins
import math
import re
import sys
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from keyword import iskeyword
from types import ModuleType
from typing import Any

import numpy as np

from s2sad.ir.nodes import SAME, Call, Const, Function, FunctionRef, Global, Made, Param, Value, is_literal
from s2sad.ir.walk import blocks_of, ops_of
from s2sad.rules import registry
from s2sad.rules.rooms import helper_packages, rooms

PYTHON = ("math", "cmath", "operator", "itertools", "functools")  # modules of Python that generated code may import
MODULE_ALIASES = {"np": "numpy"}
DISPLAYS = {"builtins.tuple", "builtins.list", SAME}

Key = tuple[str, str, Hashable]  # kind, root, slot


@dataclass(frozen=True)
class Outside:
    """A root and its attributes; ``kind``: module, builtin, function, constant, injected, or a package of helpers.

    ``slot`` tells things apart that users spell alike: which object it is, or which literal.
    """

    kind: str
    root: str
    path: tuple[str, ...] = ()
    slot: Hashable = None

    @property
    def key(self) -> Key:
        """A key for what a module binds to one name."""
        return self.kind, self.root, self.slot


def outside_of_call(op: Call) -> Outside | None:
    """The outside that a call needs; None for operators, displays, methods and statements."""
    if op.callee is not None:
        return Outside("function", op.callee.name)
    return outside_of_target(op.target)


def outside_of_target(target: str) -> Outside | None:
    """The outside that the canonical name of a function stands for."""
    if target in DISPLAYS or target.startswith(("ndarray.", "list.", "dict.", "str.", "generator.", "source.", "int.", "float.")):
        return None
    head, _, rest = target.partition(".")
    if head == "operator":
        primitive = registry.lookup(target)
        return None if primitive is not None else Outside("module", "operator", (rest,))
    package, _, helper = target.rpartition(".")
    if package in helper_packages():
        return Outside(package, helper)
    if head == "s2sad" and registry.lookup(target) is not None:
        return None
    if head == "builtins":
        return Outside("builtin", rest)
    return _dotted(target)


def _dotted(path: str) -> Outside:
    parts = path.split(".")
    if len(parts) == 1:
        return Outside("builtin", path) if hasattr(builtins, path) else Outside("injected", path)
    if parts[0] in ("numpy", "math", "cmath"):
        return Outside("module", parts[0], tuple(parts[1:]))
    for cut in range(len(parts) - 1, 0, -1):
        if ".".join(parts[:cut]) in sys.modules:
            return Outside("module", ".".join(parts[:cut]), tuple(parts[cut:]))
    return Outside("module", ".".join(parts[:-1]), (parts[-1],))


def outside_of_global(value: Global) -> Outside:
    """The outside of a global name: part of a library, a literal, or an object bound on loading."""
    head, dot, rest = value.path.partition(".")
    head = MODULE_ALIASES.get(head, head)
    of_library = head in (*PYTHON, *(room.root for room in rooms()))
    if dot and of_library and (not value.resolved or _stands_for(f"{head}.{rest}", value.payload)):
        return _dotted(f"{head}.{rest}")
    if value.resolved and isinstance(value.payload, ModuleType) and _imports(value.path, value.payload):
        return Outside("module", value.path)
    if value.resolved and is_literal(value.payload):
        return Outside("constant", flat_name(value.path), slot=value.identity)
    if (
        not dot
        and hasattr(builtins, head)
        and (not value.resolved or value.payload is getattr(builtins, head))
    ):
        return Outside("builtin", head)
    if value.resolved:
        found = _library_path(value.payload)
        if found is not None:
            return found
    return Outside("injected", flat_name(value.path), slot=value.identity if value.resolved else None)


def _imports(path: str, module: ModuleType) -> bool:
    """Test for a module that a statement imports by this path: runpy and importlib load others, too (``01_model.py``)."""
    written = all(part.isidentifier() and not iskeyword(part) for part in path.split("."))
    return written and sys.modules.get(path) is module


def _stands_for(path: str, payload: Any) -> bool:
    """Test for a path of a library that leads to this object, and not to another one that a user calls so."""
    found = registry.find_object(path)
    if is_literal(found):
        return is_literal(payload) and repr(found) == repr(payload)
    return found is payload or (callable(found) and bool(found == payload))


def _library_path(payload: Any) -> Outside | None:
    """The path of a function or type that a library defines, where the user's own name hides it."""
    name = getattr(payload, "__name__", None)
    if isinstance(name, str) and callable(payload):
        if getattr(builtins, name, None) is payload:
            return Outside("builtin", name)
        for module in (np, math):
            if getattr(module, name, None) is payload:
                return Outside("module", module.__name__, (name,))
    return None


def flat_name(path: str) -> str:
    """A dotted path as one name; modules that importlib loads may be called ``01-model``."""
    name = re.sub(r"\W", "_", path)
    return name if name.isidentifier() and not iskeyword(name) else f"module_{name}"


def values_of(function: Function) -> Iterator[Value]:
    """All values that a function reads, constants included."""
    for param in function.params:
        yield from default_of(param)
    for block in blocks_of(function.body):
        yield from block.yields
        for op in block.ops:
            yield from op.operands()


def default_of(param: Param) -> list[Value]:
    """The default of a parameter, if there is one."""
    return [] if param.default is None else [param.default]


def outside_names(function: Function) -> list[Outside]:
    """Everything that a function needs from outside, in order of appearance, each once."""
    found: dict[Outside, None] = {}
    for value in values_of(function):
        if isinstance(value, Global):
            found.setdefault(outside_of_global(value))
        elif isinstance(value, FunctionRef):
            found.setdefault(Outside("function", value.function.name))
        elif isinstance(value, Const):
            found.update(dict.fromkeys(needs_of(value.payload)))
    for op in ops_of(function.body):
        if isinstance(op, Call):
            outside = outside_of_call(op)
            if outside is not None:
                found.setdefault(outside)
    return list(found)


def needs_of(payload: Any) -> Iterator[Outside]:
    """The outside that writing down an object needs."""
    if isinstance(payload, tuple | list):
        for item in payload:
            yield from needs_of(item)
    elif isinstance(payload, dict):
        yield from needs_of((*payload, *payload.values()))
    elif isinstance(payload, Made):
        yield Outside("module", "numpy")
        yield from needs_of((*payload.args, *(value for _, value in payload.kwargs)))
    elif isinstance(payload, slice):
        yield Outside("builtin", "slice")
        yield from needs_of((payload.start, payload.stop, payload.step))
    elif isinstance(payload, frozenset):
        yield Outside("builtin", "frozenset")
        yield from needs_of(tuple(payload))
    elif isinstance(payload, np.generic | np.dtype):
        yield Outside("module", "numpy")
    elif isinstance(payload, complex):
        yield Outside("builtin", "complex")
    if isinstance(payload, float | complex) and not (
        math.isfinite(payload.real) and math.isfinite(payload.imag)
    ):
        yield Outside("module", "numpy")
