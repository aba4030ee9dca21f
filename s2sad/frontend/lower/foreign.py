"""Functions from outside the program: what wraps them, whose they are, and how generated code can name them."""

from __future__ import annotations

import decimal
import fractions
import struct
import types
from typing import Any

from s2sad.errors import S2sadError
from s2sad.frontend import observe
from s2sad.frontend.entities import Closure, Entity, Partial, SourceFunction, Static
from s2sad.frontend.lower.state import Lowering
from s2sad.frontend.resolve import LiveScope
from s2sad.frontend.source import Source
from s2sad.rules import registry
from s2sad.rules.rooms import prelude_packages


def source_and_scope(ctx: Lowering, function: types.FunctionType) -> tuple[Source, LiveScope]:
    """The text of a live function, which becomes a part of the program, and where its names are looked up."""
    ours = (*prelude_packages(), "s2sad.frontend.lower.")  # the programs that stand for functions of libraries
    if ctx.program.from_files and not function.__module__.startswith(ours):
        raise S2sadError(
            f"calling {function.__qualname__} is not supported where files are only read",
            why="it is written in Python, and what it looks at with these arguments is not known", instead="NumPy's functions",
        )  # fmt: skip
    return ctx.program.source_of(function), LiveScope(function)


def importable_path(function: Static) -> str | None:
    """The dotted path under which a library function without a rule can be called from generated code.

    What it does is not known; of the built-in functions only those are called that look at nothing but their arguments.
    """
    payload = function.payload
    pure = next((path for path, one in PURE.items() if payload is one), None)
    if pure is not None:
        return pure
    paths = (function.path, (observe.home_of(payload) or "").replace(":", "."))
    return next((p for p in paths if _is_of_library(p) and observe.same(registry.find_object(p), payload)), None)


def refuse_functions(ctx: Lowering, path: str, args: list[Entity], node: Any) -> None:
    """Refuse to hand a function over to a library: whoever calls it there, nobody differentiates it."""
    for arg in args:
        live = isinstance(arg, Static) and isinstance(arg.payload, types.FunctionType)
        if live or isinstance(arg, Closure | SourceFunction | Partial):
            ctx.refuse(
                node,
                f"giving a function to {path}",
                "its derivative would be needed there, and no rule for that is written yet",
                "a loop of your own, or a function with a rule (s2sad.rule)",
            )


def _is_of_library(path: str) -> bool:
    root, dot, _ = path.partition(".")
    return bool(dot) and root in ("numpy", "math", "scipy", "cmath", "itertools", "operator")


# Functions without a rule: their results are made of their arguments, and nothing else is changed.
PURE: dict[str, Any] = {
    f"builtins.{f.__name__}": f
    for f in (ascii, bin, bytes, callable, chr, format, frozenset, hex, issubclass, object, oct, ord)
} | {
    "decimal.Decimal": decimal.Decimal, "fractions.Fraction": fractions.Fraction, "struct.calcsize": struct.calcsize,
    "struct.pack": struct.pack, "struct.unpack": struct.unpack,
}  # fmt: skip

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
