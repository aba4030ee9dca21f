"""``checkpoint`` and ``checkpointed``: calls and loops that are computed again in the reverse sweep instead of being recorded."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from s2sad.errors import ArgumentError, SettingError
from s2sad.ir.kinds import Lasting
from s2sad.options import entry
from s2sad.portable import named, packed, unpacked
from s2sad.rules.transformations import transformation

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class Checkpointed(Lasting):
    """A function whose calls are computed again: what ``checkpoint`` makes. Calling it calls the function itself."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.transformation = ("checkpoint", {})

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def __get__(self, owner: Any, cls: type | None = None) -> Any:
        return self if owner is None else Checkpointed(self.function.__get__(owner, cls))

    def __repr__(self) -> str:
        return f"<checkpointed {getattr(self.function, '__qualname__', self.function)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        found = named(self, self.function)
        return (unpacked, (found,)) if found is not None else (_made_again, (packed(self.function),))

    def __copy__(self) -> Checkpointed:
        return self

    def __deepcopy__(self, memo: object) -> Checkpointed:
        return self


def _made_again(function: Any) -> Checkpointed:
    return Checkpointed(unpacked(function))


@transformation("checkpoint")
@entry
def checkpoint(function: Callable[P, R]) -> Callable[P, R]:
    """``function``, whose calls in a differentiated program are computed again in the reverse sweep, and not recorded.

    A decorator, or ``checkpoint(f)(x)`` where the call stands. What is kept of a call until the reverse sweep is what it
    reads (arguments, and variables that a nested function sees), as far as that is not there anyway, and a copy of each array
    that it writes into, as it was before: memory for time, one more evaluation of the call.

    Values and derivatives are those of ``function``, shapes and dtypes included, in every mode and order; forward mode records
    nothing, and ignores it. Outside of differentiated programs it is the function. It may be nested. A function
    that is differentiated itself, ``grad(checkpoint(f))``, is differentiated as ``f``.

    Raises UnsupportedSyntaxError, when the derivative is made, for a call that does more than compute, or of which that is not
    known (it draws random numbers, prints, has a rule without ``effects``), since it would be done twice; and for one that
    changes lists, or returns a part of an array that it writes into.

    (``jax.checkpoint``; the joint mode of Griewank & Walther, "Evaluating Derivatives", 2nd ed., section 12.2.)
    """
    return Checkpointed(function)


@transformation("checkpointed")
@entry
def checkpointed(steps: T, *, snapshots: int | None = None, schedule: Any = None) -> T:
    """A mark on a loop's iterable or condition: a differentiated program keeps few of its states, and runs it again from them.

        for i in checkpointed(range(n), snapshots=20):            for item in checkpointed(items, snapshots=20):
        while checkpointed(error > tol, snapshots=20):

    Returns ``steps`` as it is. ``snapshots``: how many states of the loop are kept at a time, one or more. A state is what an
    iteration changes: a copy of each array that it writes into, and the variables that it sets. The reverse sweep runs parts
    of the loop again from the nearest state. In all they are the fewest steps that are possible with as many states, by the
    binomial schedule, where the loop runs over something whose length is known and has no ``break``; else the states are spread
    evenly at first. What is recorded of an iteration exists for that one alone. Forward mode records nothing, and ignores it.

    ``schedule``, in place of ``snapshots``: which states are kept, in memory or in temporary files, by an object of the package
    checkpoint_schedules, or by a function of the number of steps that makes one: ``def make(n): return HRevolve(n, 5, 20)``.
    It is a name outside of the program, serves any number of runs, and is for loops over something whose length is known,
    without ``break``. What it would keep for the reverse of single steps (``Mixed``) is kept as the states before these.
    Raises ValueError, when the derivative runs, for one of another number of steps.

    Raises UnsupportedSyntaxError or AliasError, when the derivative is made, for a loop whose body does more than compute (draws
    random numbers, prints), changes lists (one that grows with the steps would make every state as long as the loop; an array
    that is written into serves), or binds names to different arrays that are written into (``u, v = v, u`` works).

    (Griewank & Walther, "Algorithm 799: revolve", ACM TOMS 26, 2000; Dolci et al., "checkpoint_schedules", JOSS 9(95), 2024.)
    """
    if (snapshots is None) == (schedule is None):
        raise ArgumentError("checkpointed takes either snapshots or a schedule")
    if snapshots is not None and snapshots < 1:
        raise SettingError(f"checkpointed(): snapshots={snapshots}, but at least one state is kept")
    return steps
