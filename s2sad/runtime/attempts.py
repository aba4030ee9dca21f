"""The outcome of a block that may fail: the run-time side of ``try``.

A generated program first runs what a ``try`` protects once for its failures alone, inside ``with attempt:``; which
handler is due then decides, as any other condition, what is computed and differentiated.
"""

from __future__ import annotations

import copy
from enum import Enum
from types import BuiltinFunctionType, FunctionType, ModuleType, WrapperDescriptorType
from typing import Any

import numpy as np

from s2sad.runtime.guards import Refusal, SharedMemoryError, UnsupportedError
from s2sad.runtime.structures import fields, is_record


class Attempt:
    """A context that swallows exceptions of the given classes, and remembers them.

    ``Attempt(A, (B, C))`` has two handlers: ``handler`` is 0 where nothing was raised, 1 for an A, 2 for a B or C, the first
    that fits, as in ``except``. ``error`` is the exception, or None. Other exceptions pass through.
    """

    def __init__(self, *classes: type[BaseException] | tuple[type[BaseException], ...]) -> None:
        self.classes = classes
        self.handler = 0
        self.error: BaseException | None = None
        self.steps = 0
        self.unfollowed = ""  # where, in this step, something was written that a failure may have left half-way
        self.copies: dict[int, tuple[Any, Any]] = {}  # by identity: what was copied, and the copy

    def __enter__(self) -> None:
        """Nothing to do."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        """Remember what was raised; True, which swallows it, if a handler fits. A refusal is no error of the program's."""
        if isinstance(error, Refusal):
            return False
        for number, classes in enumerate(self.classes, 1):
            if kind is not None and issubclass(kind, classes):
                if self.unfollowed:
                    raise UnsupportedError(f"{self.unfollowed} failed after it may have written into an array, list or object, "
                                           f"and a try statement goes on: what was written is not known")
                self.handler, self.error = number, error
                return True
        return False


def handler_of(attempt: Attempt) -> int:
    """The number of the handler that is due; 0 if nothing was raised."""
    return attempt.handler


def step(attempt: Attempt) -> None:
    """Count one more statement that is begun, or block that is completed."""
    attempt.steps += 1
    attempt.unfollowed = ""


def unfollowed(attempt: Attempt, place: str) -> None:
    """From here on this step may fail after it has written: if it does, the derivative is refused."""
    attempt.unfollowed = place


def steps_of(attempt: Attempt) -> int:
    """How many steps were begun, the one that failed included."""
    return attempt.steps


def error_of(attempt: Attempt) -> BaseException | None:
    """The exception that was raised, or None."""
    return attempt.error


def held_by(error: BaseException, name: str) -> int:
    """A whole number that an exception holds: what else it may be would have a derivative, or be an object."""
    cls = type(error)
    asked = not isinstance(cls.__getattribute__, WrapperDescriptorType) or hasattr(getattr(cls, name, None), "__set__")
    found = error if asked else vars(error).get(name, error)
    if type(found) is not int:
        sort = "no field of its own" if found is error else f"a {type(found).__name__}"
        raise UnsupportedError(f"the attribute {name!r} of an exception is {sort}, and of exceptions only whole numbers are "
                               f"read: what it is to tell, bound to a name before it is raised")
    return found


def name_of_class(cls: type, attribute: str) -> str:
    """What a class says of itself: ``__name__`` and its like."""
    return str(getattr(cls, attribute))


def is_of_class(error: BaseException, cls: type) -> bool:
    """Test for an exception of exactly this class."""
    return type(error) is cls


def assert_told(error: BaseException, name: str, told: bool) -> None:
    """Refuse to read what an exception holds that no statement of the program has given to it."""
    if not told:
        raise UnsupportedError(f"the attribute {name!r} of a {type(error).__name__} is read, which no statement that is followed "
                               f"has raised: what it is to tell, bound to a name before it is raised")


def attempt_copy(attempt: Attempt, value: Any) -> Any:
    """A copy of arrays, containers and objects, which shares memory with other copies of the attempt as the originals do."""
    if id(value) not in attempt.copies:
        attempt.copies[id(value)] = value, value  # what holds itself is met again
        attempt.copies[id(value)] = value, _copied(attempt, value)
    return attempt.copies[id(value)][1]


NOT_WRITTEN = (
    bool, int, float, complex, str, bytes, type(None), type(...), type, slice, range, frozenset, Enum, np.generic, np.dtype,
    FunctionType, BuiltinFunctionType, ModuleType, BaseException,
)  # fmt: skip


def _copied(attempt: Attempt, value: Any) -> Any:
    if isinstance(value, NOT_WRITTEN):
        return value
    if isinstance(value, np.ndarray):
        return _array(attempt, value)
    if type(value) in (list, set) or isinstance(value, dict) or is_record(value):
        made = copy.copy(value)
        attempt.copies[id(value)] = value, made
        if isinstance(value, list):
            made[:] = [attempt_copy(attempt, item) for item in value]
        elif isinstance(value, dict):
            made.update((key, attempt_copy(attempt, item)) for key, item in value.items())
        elif not isinstance(value, set):
            for name, item in fields(value).items():
                object.__setattr__(made, name, attempt_copy(attempt, item))
        return made
    if isinstance(value, tuple):
        items = [attempt_copy(attempt, item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return _deeply(attempt, value)


def _deeply(attempt: Attempt, value: Any) -> Any:
    """A copy of something else (a deque, a sparse matrix, a source of random numbers) as its class defines copies of it."""
    memo: dict[int, Any] = {key: made for key, (original, made) in attempt.copies.items() if original is not value}
    try:
        made = copy.deepcopy(value, memo)
    except Exception as error:
        raise SharedMemoryError(
            f"a try statement is followed on copies of what it may write into, and a {type(value).__name__} cannot be copied: "
            "make it inside of the try statement, or give its class a __deepcopy__"
        ) from error
    attempt.copies |= {id(part): (part, memo[id(part)]) for part in memo.get(id(memo), []) if id(part) in memo}
    return made


def _array(attempt: Attempt, value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A window of a copy of the memory that the array is a window of."""
    root = value
    while isinstance(root.base, np.ndarray):
        root = root.base
    if value is root or type(value) is not np.ndarray or value.dtype.hasobject:
        made = value.copy(order="K")
    else:
        whole = attempt_copy(attempt, root)
        order = sorted(range(root.ndim), key=lambda axis: -root.strides[axis])
        raw = whole.transpose(order)
        if whole.strides != root.strides or not raw.flags.c_contiguous:  # memory of others, with gaps
            return value.copy(order="K")
        start = value.__array_interface__["data"][0] - root.__array_interface__["data"][0]
        made = np.ndarray(value.shape, value.dtype, raw.reshape(-1).view(np.uint8), start, value.strides)
    made.flags.writeable = value.flags.writeable
    return made
