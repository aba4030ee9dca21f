"""The options that all entry points share, and what these are called with: ``entry``."""

from __future__ import annotations

import functools
import importlib.util
import inspect
import numbers
import os
import reprlib
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from s2sad.errors import ArgumentError, S2sadError, SettingError, meant

F = TypeVar("F", bound=Callable[..., Any])
Test = Callable[[Any], bool]

SETTINGS = {  # of single entry points, beside the options of all
    "wrt": "name what is differentiated by where the derivative is asked for",
    "of": "grad, vjp, jvp, jacobian and differentiate take it",
    "has_aux": "grad, value_and_grad, vjp, jacobian and hessian take it",
    "mode": "grad and vjp are reverse mode, jvp is forward mode; jacobian, hessian and hvp take mode=",
    "chunk_size": "jacobian and hessian take it",
}


@dataclass(frozen=True)
class Machine:
    """Numba's way to compile a program: ``parallel``, loops whose iterations are proved independent, on several threads;
    ``fastmath``, sums and products in any order, with what processors approximate. Infinities and NaNs keep their meaning."""

    parallel: bool = False
    fastmath: bool = False


@dataclass(frozen=True)
class Options:
    """``backend`` "numpy", or "numba" for compiled loops; ``style`` "compact" or "ssa"; ``cache_dir`` where generated modules go.
    ``parallel`` and ``fastmath``: settings of a ``Machine``, of "numba" alone.

    Raises SettingError for values that are not known, ModuleNotFoundError where Numba is asked for and not installed.
    """

    backend: str = "numpy"
    style: str = "compact"
    cache_dir: str | os.PathLike[str] | None = None
    parallel: bool = False
    fastmath: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.backend, str) or self.backend not in ("numpy", "numba"):
            raise SettingError(f"backend={self.backend!r} is unknown; use 'numpy' or 'numba'")
        if self.backend == "numba" and importlib.util.find_spec("numba") is None:
            raise ModuleNotFoundError("backend='numba' needs Numba, which is not installed: pip install 's2sad[numba]'")
        if not isinstance(self.style, str) or self.style not in ("compact", "ssa"):
            raise SettingError(f"style={self.style!r} is unknown; use 'compact' or 'ssa'")
        if not isinstance(self.cache_dir, str | os.PathLike | None):
            raise SettingError(f"cache_dir={self.cache_dir!r} is no path", instead="a str, or a pathlib.Path")
        for name in ("parallel", "fastmath"):
            given = getattr(self, name)
            if not isinstance(given, bool):
                raise SettingError(f"{name}={given!r} is unknown; use True or False")
            if given and self.backend != "numba":
                raise SettingError(f"{name}=True is about compiled programs; it needs backend='numba'")

    @property
    def machine(self) -> Machine | None:
        """The way to compile programs; None if they are not."""
        return Machine(self.parallel, self.fastmath) if self.backend == "numba" else None

    def plain(self) -> Options:
        """The same, of programs for NumPy."""
        return replace(self, backend="numpy", parallel=False, fastmath=False)


NAMES = tuple(each.name for each in fields(Options))


def make_options(given: dict[str, Any]) -> Options:
    """Options from keyword arguments. Raises ArgumentError for unknown ones."""
    for name in given:
        _known_option(name, "", ())
    return Options(**given)


def _known_option(name: str, title: str, own: tuple[str, ...]) -> None:
    """Raise ArgumentError for what is no option, nor a setting of the function ``title`` whose settings are ``own``."""
    if name in NAMES or name in own:
        return
    if name in SETTINGS:
        options = ", ".join(NAMES)
        raise ArgumentError(
            f"{title}the setting {name!r} is not one of this function, whose options are {options}; {SETTINGS[name]}"
        )
    hint = meant(name, [*own, *NAMES, *SETTINGS], f"there are {', '.join((*own, *NAMES))}")
    raise ArgumentError(f"{title}the option {name!r} is unknown; {hint}")


# --- entry points

TYPES: dict[str, tuple[Test, str]] = {  # as signatures write them: what fits, and what to say
    "None": (lambda given: given is None, "None"),
    "bool": (lambda given: isinstance(given, bool), "True or False"),
    "int": (lambda given: isinstance(given, numbers.Integral) and not isinstance(given, bool), "an integer"),
    "float": (lambda given: isinstance(given, numbers.Real) and not isinstance(given, bool), "a number"),
    "str": (lambda given: isinstance(given, str), "a str"),
    "Path": (lambda given: isinstance(given, os.PathLike), "a path"),
    "Sequence[Any]": (lambda given: isinstance(given, tuple | list), "a tuple of arguments, (x,),"),
    "Sequence[str]": (lambda given: isinstance(given, tuple | list | set | frozenset), "a tuple"),
    "Callable[P, R]": (  # a decorator's: also what a class makes a method of
        lambda given: (callable(given) or hasattr(given, "__get__")) and not isinstance(given, type), "a function",
    ),
    **dict.fromkeys(("Callable", "Function", "Marked", "Solver"), (callable, "a function")),
}  # fmt: skip


def _test(annotation: str) -> tuple[Test, str] | None:
    """A test for values of a type, and the expectation in words; None for a type that is looked at elsewhere."""
    known = [TYPES.get(part) or TYPES.get(part.partition("[")[0]) for part in annotation.split(" | ")]
    found = [each for each in known if each is not None]
    if len(found) < len(known):
        return None
    tests, words = [test for test, _ in found], " or ".join(word for _, word in found)
    return (tests[0] if len(tests) == 1 else lambda given: any(test(given) for test in tests)), words


def entry(function: F) -> F:
    """An entry point: a call is checked by the signature, and the values of settings by their types as they are written there.

    Raises ArgumentError, a TypeError, for arguments that are missing, too many, unknown or no functions, and SettingError, a
    ValueError, for settings of another type.
    """
    signature = inspect.signature(function)
    title = f"{function.__qualname__.removesuffix('.__call__').lstrip('_')}(): "
    tests = {p.name: test for p in signature.parameters.values() if (test := _test(str(p.annotation))) is not None}
    gathered = next((p for p in signature.parameters.values() if p.kind is p.VAR_KEYWORD), None)
    rest = None if gathered is None else tests.pop(gathered.name, None)
    own = tuple(p.name for p in signature.parameters.values() if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD))
    optional = gathered is not None and gathered.name == "options"
    by_position = tuple(p.name for p in signature.parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))
    placed = tuple((k, name, tests[name][0]) for k, name in enumerate(by_position) if name in tests)

    def refuse(name: str, value: Any, words: str) -> S2sadError:
        error = ArgumentError if "a function" in words else SettingError
        return error(f"{title}{name}={reprlib.repr(value)}, but {words} is expected")

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        for k, name, test in placed:
            if k < len(args) and not test(args[k]):
                raise refuse(name, args[k], tests[name][1])
        for name, value in kwargs.items():
            known = tests.get(name, None if name in own else rest)
            if known is not None and not known[0](value):
                raise refuse(name, value, known[1])
            if optional:
                _known_option(name, title, own)
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            if isinstance(error, S2sadError) or (mistake := misfit(args, kwargs)) is None:
                raise
        raise ArgumentError(mistake)

    def misfit(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
        """The fault of a call; None if the function itself has raised the error."""
        try:
            signature.bind(*args, **kwargs)
        except TypeError as error:
            hints = (meant(name, own) for name in kwargs if name not in own)
            hint = next(filter(None, hints), "") or f"it is {title[:-4]}{_shown(signature)}"
            return f"{title}{error}; {hint}"
        return None

    _entries.append(called)
    return called  # type: ignore[return-value]


_entries: list[Any] = []


def is_entry(thing: Any) -> bool:
    """Test for an entry point itself, whose source nobody follows."""
    return any(thing is one for one in _entries)


def _shown(signature: inspect.Signature) -> str:
    """A signature without types, of a method without the object."""
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values() if p.name != "self"]
    return str(signature.replace(parameters=bare, return_annotation=signature.empty))
