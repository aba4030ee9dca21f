"""What a function whose results ``lru_cache`` keeps must not do: we compute anew what Python takes from the cache.

    @lru_cache                                    @lru_cache
    def fib(n):                                   def scaled(n):
        return fib(n - 1) + fib(n - 2) ...            return K * n      # refused: the cache would not see that K changes
"""

from __future__ import annotations

import types
from typing import Any

import gast

from s2sad.errors import S2sadError


def _bound(function: gast.AST) -> list[str]:
    """The names that a function binds, once for each place."""
    stored = [n.id for n in gast.walk(function) if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load)]
    return stored + [n.name for n in gast.walk(function) if isinstance(n, gast.FunctionDef) and n is not function]


def _writes(function: gast.AST) -> bool:
    """Whether a function stores into items, attributes, or names of others."""
    return any(
        isinstance(n, gast.Global | gast.Nonlocal)
        or (isinstance(n, gast.Subscript | gast.Attribute) and not isinstance(n.ctx, gast.Load))
        for n in gast.walk(function)
    )


def check_inner(definition: gast.FunctionDef, around: gast.AST) -> None:
    """Refuse a kept function within another where a variable that it reads is bound again, or written into. Raises S2sadError."""
    inner, outer = set(_bound(definition)), _bound(around)
    read = {n.id for n in gast.walk(definition) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Load)} - inner
    again = next((name for name in sorted(read) if outer.count(name) > 1), None)
    if again is not None or _writes(around) or _writes(definition):
        _refuse(definition.name, again or "what is written into")


def check_live(function: types.FunctionType) -> None:
    """The same of a function outside, which may read no data of its module or of a function around it. Raises S2sadError."""
    code: Any = function.__code__
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    for name in (*code.co_names, *code.co_freevars):
        try:
            found = cells[name].cell_contents if name in cells else function.__globals__.get(name, len)
        except ValueError:
            found = None
        if not callable(found) and not isinstance(found, types.ModuleType):
            _refuse(function.__name__, name)


def _refuse(function: str, name: str) -> None:
    raise S2sadError(
        f"{function}, whose results a cache keeps, cannot be followed",
        why=f"it reads {name}, and the cache does not see that change",
        instead=f"pass {name} as an argument, or leave the cache out",
    )  # fmt: skip
