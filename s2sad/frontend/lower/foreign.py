"""Functions from outside the program: what wraps them, whose they are, and how generated code can name them."""

from __future__ import annotations

import types
from typing import Any

from s2sad.frontend.entities import (
    Known,
)
from s2sad.frontend.lower.state import Lowering
from s2sad.frontend.resolve import LiveScope
from s2sad.frontend.source import Source
from s2sad.rules import registry


def unwrap(function: Any) -> Any:
    """The function behind objects that only wrap it: ``lru_cache``, ``njit``, our own decorator.

    A plain function made by a decorator is itself: its body says what it does with the function inside.
    """
    for _ in range(16):
        if isinstance(function, types.FunctionType | types.MethodType):
            return function
        inner = getattr(function, "py_func", None) or getattr(function, "__wrapped__", None)
        if inner is None:
            return function
        function = inner
    return function


def source_and_scope(lw: Lowering, function: types.FunctionType) -> tuple[Source, LiveScope]:
    """The text of a live function, which becomes a part of the program, and where its names are looked up."""

    def capture(name: str, value: Any) -> None:
        lw.program.captured[(id(function.__globals__), name)] = (function.__globals__, value)

    source = lw.program.source_of(function)
    lw.program.sources[f"{source.file}:{source.name}"] = source.text
    return source, LiveScope(function, capture)


def is_library(function: Any) -> bool:
    """Whether a Python function belongs to NumPy or SciPy, whose sources are not transformed."""
    return str(function.__module__).partition(".")[0] in ("numpy", "scipy")


def importable_path(function: Known) -> str | None:
    """The dotted path under which a library function without a rule can be called from generated code.

    What it does is not known; of the built-in functions only those are called that look at nothing but their arguments.
    """
    payload = function.payload
    if any(payload is one for one in PURE):
        return f"builtins.{payload.__name__}"
    module = getattr(payload, "__module__", None) or ""
    paths = (function.path, f"{module}.{getattr(payload, '__qualname__', '')}")
    return next((path for path in paths if _is_of_library(path) and registry.find_object(path) is payload), None)


def _is_of_library(path: str) -> bool:
    root, dot, _ = path.partition(".")
    return bool(dot) and root in ("numpy", "math", "scipy", "cmath", "itertools", "operator")


# Built-in functions without a rule: their results are made of their arguments, and nothing else is seen or changed.
PURE = (ascii, bin, bytes, callable, chr, format, frozenset, hex, issubclass, object, oct, ord)

# Functions of NumPy (by their own names) that write into an argument, and have no rule.
MUTATORS = {
    "put",
    "place",
    "putmask",
    "fill_diagonal",
    "shuffle",
    "put_along_axis",
    "at",
    "setfield",
    "resize",
    "setitem",
    "delitem",
    "iadd",
    "isub",
    "imul",
    "itruediv",
    "ifloordiv",
    "imod",
    "ipow",
    "iconcat",
    "iand",
    "ior",
    "ixor",
    "imatmul",
    "ilshift",
    "irshift",
}
