"""Exceptions of generated programs: those of the function itself, and faults of its derivative.

    grad(f)(x)        ValueError, as f(x) raises it: with type and text of f(x)
    grad(f)(x)        CompilerError, a mistake of ours: the program raises, and f(x) passes

A call of the function tells which, once a program has raised; nothing is asked where none has. The call is made on copies of the
arguments, and what it finds outside is put back after it. A function that leaves more (it writes outside, prints, draws random
numbers, runs code that nobody has looked into) is not called, since it would leave that twice. Then the place may tell: in the
reverse sweep all that the function does has passed.
"""

from __future__ import annotations

import inspect
import linecache
import traceback
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

from s2sad.cache import PACKAGE
from s2sad.errors import CompilerError, Location, S2sadError
from s2sad.frontend import observe
from s2sad.rules.rooms import rooms

# Derivatives take more memory and depth, and may overflow or warn where the function does not: that is told to raise by users.
OF_THEIR_OWN = (S2sadError, MemoryError, RecursionError, FloatingPointError, Warning)
TURN = "    # reverse sweep"


def asks(error: Exception) -> bool:
    """Test for an exception that the function itself has to raise, too."""
    return not isinstance(error, OF_THEIR_OWN)


def raised_by(call: Callable[[], Any]) -> Exception | None:
    """The exception that a call raises; None if it passes."""
    try:
        call()
    except Exception as error:
        return error
    return None


def are_alike(one: Exception, other: Exception) -> bool:
    """Test for exceptions of one type that say the same."""
    return type(one) is type(other) and str(one) == str(other)


def throw(error: Exception) -> NoReturn:
    """Raise an exception in place of the one that is handled, with a history of its own."""
    history = error.__cause__, error.__context__, error.__suppress_context__
    try:
        raise error
    finally:
        error.__cause__, error.__context__, error.__suppress_context__ = history


def calls_users(space: Mapping[str, Any]) -> bool:
    """Test for a module that calls code of the user's, of which nobody knows what it does: functions with a rule."""
    return any(_is_users(thing) for thing in space.values() if getattr(thing, "__globals__", None) is not space)


def _is_users(thing: Any) -> bool:
    if isinstance(thing, types.ModuleType):
        return not is_known(thing.__name__)
    return callable(thing) and not isinstance(thing, type) and not is_known(str(getattr(thing, "__module__", None)))


def is_known(module: str) -> bool:
    """Test for a module of ours, of Python or a library with rules, or generated: none of them is the user's."""
    root = module.partition(".")[0]
    ours = root in ("s2sad", PACKAGE, "numba") or any(room.root == root for room in rooms())
    return ours or observe.is_versioned(module) and module != "__main__"


def in_users_code(error: Exception) -> bool:
    """Test for an exception out of code of the user's that a generated module has called: a rule, a hook, a solver."""
    _, *frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))  # the first one has caught it
    return not all(is_known(str(frame.f_globals.get("__name__"))) for frame in frames)


def is_raised_by_statement(error: Exception) -> bool:
    """Test for an exception of a statement of the user's that raises it."""
    *_, (frame, number) = traceback.walk_tb(error.__traceback__)
    return linecache.getline(frame.f_code.co_filename, number).strip().startswith(("raise", "assert "))


def in_reverse_sweep(error: Exception) -> bool:
    """Test for an exception behind all that the function does."""
    return any(TURN in lines for lines in _texts(error))


def in_printing(error: Exception) -> bool:
    """Test for an exception of a statement that prints, which silent programs leave out."""
    return any(lines and lines[-1].lstrip().startswith("print(") for lines in _texts(error))


def statement_of(error: Exception) -> str:
    """The statement of the user's that an error in a reverse sweep was about: the comment there quotes it."""
    quoted: list[str] = []
    for lines in _texts(error):
        if TURN in lines:
            after = lines[lines.index(TURN) + 1 :]
            quoted = [line.partition("  # ")[2].strip() for line in after if "  # " in line] or quoted
    return quoted[-1] if quoted else ""


def _texts(error: Exception) -> Iterator[list[str]]:
    """The lines of each function that an exception came through, up to the one it came from."""
    for frame, number in traceback.walk_tb(error.__traceback__):
        code = frame.f_code
        yield [linecache.getline(code.co_filename, k).rstrip() for k in range(code.co_firstlineno, number + 1)]


def line_of(statement: str, function: types.FunctionType) -> int | None:
    """The line of a function on which a quoted statement stands."""
    try:
        own, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return None
    statements = statement.split("; ")
    return next((first + k for k, line in enumerate(own) if statement and any(s in line for s in statements)), None)


def add_doubt(error: Exception, function: types.FunctionType) -> None:
    """Say of an error that nobody knows of the function: it cannot be called again."""
    if not is_raised_by_statement(error):
        why = "a call leaves something outside, or runs code that s2sad does not look into"
        error.add_note(f"s2sad has not checked that {function.__name__} itself raises this: {why}")


def add_place(error: Exception, function: types.FunctionType) -> None:
    """Say of an error in a reverse sweep which statement of the user's it was about."""
    statement = statement_of(error)
    if statement:
        line = line_of(statement, function)
        at = f', File "{function.__code__.co_filename}", line {line}' if line is not None else ""
        error.add_note(f"in the reverse sweep of {function.__name__}{at}: {statement}")


def fault(error: Exception, function: types.FunctionType, has_rules: bool = False) -> CompilerError:
    """The message to users of an exception that is ours: the function passes, and the program of its derivative does not."""
    code, statement = function.__code__, statement_of(error)
    line = line_of(statement, function) or code.co_firstlineno
    found = CompilerError(
        f"the derivative of {function.__name__} raises {type(error).__name__}, which a call of {function.__name__} does not",
        location=Location(code.co_filename, line, function=function.__name__),
        why=f"{type(error).__name__}: {error}; by a mistake of s2sad{', or of a rule of yours' if has_rules else ''}",
        instead="please report it, with the function and these arguments",
    )  # fmt: skip
    found.__cause__ = error
    return found
