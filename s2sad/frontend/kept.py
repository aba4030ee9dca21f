"""The sight of a function whose results ``lru_cache`` keeps: only what cannot change, as we compute anew what Python keeps.

    @lru_cache                                    @lru_cache
    def fib(n):                                   def scaled(n):
        return fib(n - 1) + fib(n - 2) ...            return K * n      # refused: the cache would not see that K changes

A cache of a module may hold what was computed before anybody looked. Hence a name counts here as it does where files are only
read: the text of the module binds it once, and what it stands for is what that text says. What was computed of ``1`` or ``True``
may be given for ``1.0``; so where the cache does not tell types apart (``typed=True``), and unless its key is one integer,
or text alone, only that may be done which gives equal numbers for equal ones of Python's, up to rounding.
"""

from __future__ import annotations

import ast
import functools
import linecache
import math
import sys
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import gast
import numpy as np

from s2sad.errors import S2sadError
from s2sad.frontend import observe
from s2sad.frontend.bindings import Binding, Names, names_of
from s2sad.frontend.entities import Entity, SourceFunction, Static
from s2sad.frontend.resolve import LiveScope, Scope
from s2sad.ir.kinds import BOTTOM, NONE, STR, Kind, Scalar, Tuple
from s2sad.ir.nodes import Const, Global
from s2sad.rules.traits import having
from s2sad.runtime.structures import IMMUTABLE

LIBRARIES = ("numpy", "scipy", "math", "cmath", "operator", "itertools", "functools")
RANDOM = "numpy.random"
# What these give depends on the values of their arguments alone, and not on whether 2 was written as 2.0: a cache may take
# the one for the other.
BUILTINS = (
    abs, all, any, bool, complex, dict, divmod, enumerate, filter, float, frozenset, int, len, list, map, max, min, pow, range,
    reversed, round, set, slice, sorted, sum, tuple, zip,
)  # fmt: skip
# What these give depends on types, too: no matter where all is text.
OF_TYPES = (ascii, bytes, chr, format, isinstance, issubclass, ord, repr, str, type)
NUMBERS: dict[str, object] = {
    "pi": math.pi, "e": math.e, "tau": math.tau, "inf": math.inf, "nan": math.nan, "euler_gamma": np.euler_gamma,
    "newaxis": None, "infj": complex(0, math.inf),
}  # fmt: skip


# What is done without regard to types.
OPERATORS = (
    "add", "and_", "contains", "eq", "floordiv", "ge", "getitem", "gt", "invert", "le", "lshift", "lt", "mod", "mul", "ne", "neg",
    "not_", "or_", "pos", "pow", "rshift", "setitem", "sub", "truediv", "xor",
)  # fmt: skip
ALIKE = frozenset((
    "list.append", "list.pop", "s2sad.items", "s2sad.unpack", *(f"operator.{name}" for name in OPERATORS),
    *(f"math.{name}" for name in vars(math)), *(f"builtins.{function.__name__}" for function in BUILTINS),
))  # fmt: skip
TELLING = (gast.JoinedStr, gast.FormattedValue, gast.Try)  # what becomes of a number as text, and what it raises


@dataclass(frozen=True)
class Keeping:
    """The function whose results are kept; ``lasting``: beyond one run of the program, in a cache of a module.

    ``types``: what was computed of an equal number of another type is given, too; ``zeros``: what was, of a zero of another sign;
    ``text``: it is given text alone.
    """

    name: str
    lasting: bool
    types: bool
    zeros: bool
    text: bool = False

    def refuse(self, name: str, why: str = "", instead: str = "") -> NoReturn:
        """Raise S2sadError for what the function reads under a name."""
        raise S2sadError(
            f"{self.name}, whose results a cache keeps, cannot be followed",
            why=why or f"it reads {name}, and the cache does not see that change",
            instead=instead or f"pass {name} as an argument, or leave the cache out",
        )  # fmt: skip

    def within(self, outer: Keeping | None) -> Keeping:
        """The rules for a function that is called by one whose results are kept, too."""
        if outer is None:
            return self
        types, zeros = self.types or outer.types, self.zeros or outer.zeros
        return Keeping(self.name, self.lasting or outer.lasting, types, zeros, self.text and outer.text)

    def computes(self, target: str, args: Sequence[Any]) -> None:
        """Check an operation. Raises S2sadError for what gives something else for an equal number."""
        text = target == "operator.mod" and args[0].kind == STR
        if self.types and (target not in ALIKE or text):
            self.refuse("", f"1, 1.0 and True are one key of the cache, and {target} may tell them apart", APART)
        if self.zeros and target in having("tells zeros apart"):
            self.refuse("", f"0.0 and -0.0 are one key of the cache, and {target} tells them apart", "no cache")

    def syntax(self, node: gast.AST) -> None:
        """Check a statement or expression. Raises S2sadError for what can tell the types of equal numbers apart."""
        if self.types and (isinstance(node, TELLING) or _asks_for_identity(node)):
            what = type(node).__name__
            self.refuse("", f"1, 1.0 and True are one key of the cache, and a {what} may tell them apart", APART)

    def read(self, name: str, found: Entity, scope: Scope) -> None:
        """Check what a free name stands for. Raises S2sadError."""
        if isinstance(scope, LiveScope) and observe.is_ours(scope.function):
            return
        if isinstance(found, Global | Const) and not self.lasting:  # of one run: a number does not change
            good = isinstance(found.kind, Scalar) or found.kind in (STR, NONE)
        elif isinstance(found, Static):
            if self.types and any(found.payload is one for one in OF_TYPES):
                self.refuse("", f"1, 1.0 and True are one key of the cache, and {name} may tell them apart", APART)
            good = self._is_steady(name, found.payload, scope)
        else:
            good = isinstance(found, SourceFunction)  # bound once, or it is not found
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
        known = (*BUILTINS, *OF_TYPES) if self.text else BUILTINS
        if any(payload is one for one in known) or isinstance(payload, type) and issubclass(payload, BaseException):
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


APART = "lru_cache(typed=True), or no cache"


def _asks_for_identity(node: gast.AST) -> bool:
    """Test for a comparison by ``is``, and not with None."""
    if not isinstance(node, gast.Compare):
        return False
    asked = [right for op, right in zip(node.ops, node.comparators, strict=True) if isinstance(op, gast.Is | gast.IsNot)]
    return not all(isinstance(right, gast.Constant) and right.value is None for right in asked)


def is_fixed(thing: Any) -> bool:
    """Test for a module of the table, or what one defines: a function, or a type."""
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
    """Test for a file's text that binds a name once, to this function: its definition, an import, or the library's."""
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
    """Test for a function that still has the code that it was defined with, as far as it can be told."""
    return function.__code__.co_qualname == function.__qualname__


# --- arguments and results


def is_steady_kind(kind: Kind, argument: bool) -> bool:
    """Test for values that cannot be written into; as an ``argument`` also for ones that a cache finds by their value.

    Numbers of 32 bits and NumPy's integers equal Python's, and give other results; so do complex numbers, with zeros of either
    sign.
    """
    if isinstance(kind, Tuple):
        return not kind.listed and kind.cls is None and all(is_steady_kind(k, argument) for k in kind.items)
    if isinstance(kind, Scalar):
        found = kind.types is not None and all(weak and dtype != "complex128" or dtype == "float64" for dtype, weak in kind.types)
        return not argument or found
    return kind in (STR, NONE) or (kind == BOTTOM and not argument)  # of a recursion: what it gives is being found
