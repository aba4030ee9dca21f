"""What a function whose results ``lru_cache`` keeps may see: only what cannot change, as we compute anew what Python keeps.

    @lru_cache                                    @lru_cache
    def fib(n):                                   def scaled(n):
        return fib(n - 1) + fib(n - 2) ...            return K * n      # refused: the cache would not see that K changes

A cache of a module may hold what was computed before anybody looked. Hence a name counts here as it does where files are only
read: the text of the module binds it once, and what it stands for is what that text says.
"""

from __future__ import annotations

import ast
import functools
import linecache
import math
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from s2sad.errors import S2sadError
from s2sad.frontend import observe
from s2sad.frontend.bindings import Binding, Names, names_of
from s2sad.frontend.entities import Entity, Known, Static
from s2sad.frontend.resolve import LiveScope, Scope
from s2sad.ir.kinds import BOTTOM, NONE, STR, Kind, Scalar, Tuple
from s2sad.ir.nodes import Const, Global
from s2sad.runtime.structures import IMMUTABLE

LIBRARIES = ("numpy", "scipy", "math", "cmath", "operator", "itertools", "functools")
RANDOM = "numpy.random"
# What these give depends on the values of their arguments alone, and not on whether 2 was written as 2.0: a cache may take
# the one for the other.
BUILTINS = (
    abs, all, any, bool, complex, dict, divmod, enumerate, filter, float, frozenset, int, len, list, map, max, min, pow, range,
    reversed, round, set, slice, sorted, sum, tuple, zip,
)  # fmt: skip
NUMBERS: dict[str, object] = {
    "pi": math.pi, "e": math.e, "tau": math.tau, "inf": math.inf, "nan": math.nan, "euler_gamma": np.euler_gamma,
    "newaxis": None, "infj": complex(0, math.inf),
}  # fmt: skip


@dataclass(frozen=True)
class Keeping:
    """The function whose results are kept; ``lasting``: beyond one run of the program, in a cache of a module."""

    name: str
    lasting: bool

    def refuse(self, name: str, why: str = "", instead: str = "") -> NoReturn:
        """Raise S2sadError for what the function reads under a name."""
        raise S2sadError(
            f"{self.name}, whose results a cache keeps, cannot be followed",
            why=why or f"it reads {name}, and the cache does not see that change",
            instead=instead or f"pass {name} as an argument, or leave the cache out",
        )  # fmt: skip

    def read(self, name: str, found: Entity, scope: Scope) -> None:
        """Check what a free name stands for. Raises S2sadError."""
        if isinstance(scope, LiveScope) and observe.is_ours(scope.function):
            return
        if isinstance(found, Global | Const) and not self.lasting:  # of one run: a number does not change
            good = isinstance(found.kind, Scalar) or found.kind in (STR, NONE)
        elif isinstance(found, Known):
            good = self._is_steady(name, found.payload, scope)
        else:
            good = isinstance(found, Static)  # bound once, or it is not found
        if not good:
            self.refuse(name)

    def member(self, owner: Any, name: str, found: Any, scope: Scope) -> None:
        """Check an attribute of what is known. Raises S2sadError."""
        if isinstance(scope, LiveScope) and observe.is_ours(scope.function):
            return
        constant = isinstance(owner, types.ModuleType) and name in NUMBERS and observe.same(found, NUMBERS[name])
        if not constant and not is_fixed(found) and not (is_fixed(owner) and type(found) is types.BuiltinMethodType):
            self.refuse(f"{getattr(owner, '__name__', type(owner).__name__)}.{name}")

    def _is_steady(self, name: str, payload: Any, scope: Scope) -> bool:
        if any(payload is one for one in BUILTINS) or isinstance(payload, type) and issubclass(payload, BaseException):
            return True
        function = observe.unwrap(payload)
        users = isinstance(function, types.FunctionType) and not observe.is_library(function)
        if isinstance(payload, types.ModuleType) or not users:
            plain = is_fixed(payload)
        else:
            plain = True
        if not plain or not self.lasting or isinstance(payload, types.ModuleType) or not isinstance(scope, LiveScope):
            return plain
        reader = scope.function
        if function is reader:
            return True  # itself
        return name not in reader.__code__.co_freevars and _says(reader.__code__.co_filename, name, function)


def is_fixed(thing: Any) -> bool:
    """Whether this is a module of the table, or what one defines: a function, or a type."""
    if isinstance(thing, types.ModuleType):
        return _is_listed(thing.__name__) and sys.modules.get(thing.__name__) is thing
    if isinstance(thing, type):
        return bool(thing.__flags__ & IMMUTABLE) or observe.is_library(thing)
    return callable(thing) and _is_listed((observe.home_of(thing) or "").partition(":")[0])


def _is_listed(module: str) -> bool:
    return module.partition(".")[0] in LIBRARIES and not module.startswith(RANDOM)


# --- what the text of a module says


@functools.lru_cache(maxsize=16)
def _names(text: str) -> Names | None:
    try:
        return names_of(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError):
        return None


def _bound_once(file: str, name: str) -> Binding | None:
    names = _names("".join(linecache.getlines(file)))
    if names is None or names.obstacle or name in names.written or len(names.bound.get(name, ())) != 1:
        return None
    found = names.bound[name][0]
    return None if found.obstacle else found


def _says(file: str, name: str, function: Callable[..., Any]) -> bool:
    """Whether the text of a file binds a name once, to this function: its definition, an import, or the library's."""
    binding = _bound_once(file, name)
    statement = None if binding is None else binding.statement
    if not isinstance(function, types.FunctionType) or observe.is_library(function):
        return isinstance(statement, ast.Import | ast.ImportFrom | ast.Assign)
    code = function.__code__
    if isinstance(statement, ast.ImportFrom):
        item = next(i for i in statement.names if (i.asname or i.name) == name)
        file, name = code.co_filename, item.name
        binding = _bound_once(file, name)
        statement = None if binding is None else binding.statement
    if not isinstance(statement, ast.FunctionDef) or code.co_filename != file:
        return False
    first = min([statement.lineno, *(d.lineno for d in statement.decorator_list)])
    return code.co_name == name and code.co_firstlineno == first


def is_itself(function: types.FunctionType) -> bool:
    """Whether a function still has the code that it was defined with, as far as it can be told."""
    return function.__code__.co_qualname == function.__qualname__


# --- arguments and results


def is_steady_kind(kind: Kind, argument: bool) -> bool:
    """Whether what a value is cannot be written into; as an ``argument`` also that a cache finds it by its value.

    Numbers of 32 bits and NumPy's integers equal Python's, and give other results.
    """
    if isinstance(kind, Tuple):
        return not kind.listed and kind.cls is None and all(is_steady_kind(k, argument) for k in kind.items)
    if isinstance(kind, Scalar):
        return not argument or kind.weak or kind.dtype in ("float64", "complex128")
    return kind in (STR, NONE) or (kind == BOTTOM and not argument)  # of a recursion: what it gives is being found
