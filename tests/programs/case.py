"""How a corpus declares its programs.

A program stays an ordinary function. Beside it stands a call that says how to make arguments for it and what
to differentiate:

    def heat(u, alpha):
        u[1:-1] += alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])

    CASES = (
        case(heat, lambda rng: (rng.normal(size=6), 0.2), of="u"),
    )
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Case:
    """A program and its test point."""

    function: Callable[..., Any]
    # fresh arguments at each call: programs may write into them
    make: Callable[[np.random.Generator], tuple[Any, ...]]
    wrt: tuple[int, ...]  # the positions of the differentiated arguments
    of: str | None  # the written argument whose final contents are the result; None: the return value
    name: str


def case(
    function: Callable[..., Any],
    make: Callable[[np.random.Generator], tuple[Any, ...]],
    of: str | None = None,
    *,
    wrt: tuple[int, ...] | None = None,
) -> Case:
    """Declare a program; `wrt` is left out where every argument that holds floats is meant."""
    if wrt is None:
        arguments = make(np.random.default_rng(0))
        wrt = tuple(position for position, argument in enumerate(arguments) if holds_floats(argument))
    return Case(function, make, wrt, of, function.__name__)


def holds_floats(value: object) -> bool:
    """True for a float, a float array, and containers of nothing else."""
    if isinstance(value, np.ndarray):
        return np.issubdtype(value.dtype, np.floating)
    if isinstance(value, Mapping):
        return bool(value) and all(map(holds_floats, value.values()))
    if isinstance(value, (list, tuple)):
        return bool(value) and all(map(holds_floats, value))
    return isinstance(value, (float, np.floating))


def all_cases() -> list[Case]:
    """Every case of the in-place corpus, sorted by name."""
    package = f"{__package__}.inplace"
    topics = sorted(path.stem for path in (Path(__file__).parent / "inplace").glob("[!_]*.py"))
    found = [entry for topic in topics for entry in import_module(f"{package}.{topic}").CASES]
    return sorted(found, key=lambda entry: entry.name)
