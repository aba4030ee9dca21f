"""What programs of one parameter come to: right in both modes, refused by name, or failing as Python does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import CompilerError, S2sadError, check_grads, grad, jvp


def arguments(function: Callable[..., Any]) -> tuple[Any, ...]:
    """A number, or an array where the parameter is called x."""
    parameters = function.__code__.co_varnames[: function.__code__.co_argcount]
    return (np.array([1.3, 0.7, 2.1]),) if "x" in parameters else (1.7,)


def assert_right(function: Callable[..., Any]) -> None:
    check_grads(function, arguments(function), wrt=0, modes=("tangent", "adjoint"))


def assert_refused(function: Callable[..., Any], mode: str) -> None:
    """A refusal, and no mistake of s2sad's own that is reported as one."""
    args = arguments(function)
    with pytest.raises(S2sadError) as caught:
        grad(function)(*args) if mode == "adjoint" else jvp(function, args, args)
    assert not isinstance(caught.value, CompilerError)


def assert_raises(function: Callable[..., Any], error: type[Exception]) -> None:
    """What the program itself raises, in both modes, and no refusal."""
    args = arguments(function)
    for run in (lambda: function(*args), lambda: grad(function)(*args), lambda: jvp(function, args, args)):
        with pytest.raises(error) as caught:
            run()
        assert not isinstance(caught.value, S2sadError)
