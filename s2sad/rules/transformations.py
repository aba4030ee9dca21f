"""Functions of ours that make derivatives: the front end follows their calls in a differentiated function.

A function is known by itself, and by no name: the modules that define them enter them here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
_names: dict[Any, str] = {}


def transformation(name: str) -> Callable[[F], F]:
    """Enter the function that is decorated."""

    def enter(function: F) -> F:
        _names[function] = name
        return function

    return enter


def name_of(function: Any) -> str | None:
    """The name of what a function of ours does, if it is one of these."""
    try:
        return _names.get(function)
    except TypeError:  # it has no hash
        return None
