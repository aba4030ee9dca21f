"""Random programs mean the same as text: results, what the caller's arrays hold, and what is printed."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from emit_programs import SIZE, Generator
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ir_interpreter import run

from s2sad.emit.module import emit_module
from s2sad.ir.printer import print_function
from s2sad.ir.verifier import verify


def arguments() -> list[Any]:
    """Two numbers and two arrays."""
    rng = np.random.default_rng(3)
    return [0.7, -1.3, rng.normal(size=SIZE), rng.normal(size=SIZE)]


def observed(function: Callable[..., Any]) -> tuple[list[Any], str]:
    """Everything that a caller can see of a call."""
    given = arguments()
    printed = io.StringIO()
    with np.errstate(all="ignore"), contextlib.redirect_stdout(printed):
        first, (second, array) = function(*given)
    return [first, second, array.copy(), *given], printed.getvalue()


@pytest.mark.parametrize("style", ["compact", "ssa"])
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(random=st.randoms(use_true_random=False))
def test_text_means_what_the_program_means(style: str, random: Random) -> None:
    generator = Generator(random.choice, length=8)
    function = generator.function()
    verify(function, "generation")
    before = print_function(function)
    expected, spoken = observed(lambda *args: run(function, *args))
    text = emit_module([generator.pair, generator.smooth, function], style=style)
    assert print_function(function) == before, "the program itself has changed"
    assert emit_module([generator.pair, generator.smooth, function], style=style) == text
    namespace: dict[str, Any] = {}
    exec(compile(text, "<emitted>", "exec"), namespace)
    found, printed = observed(namespace["f"])
    for a, b in zip(expected, found, strict=True):
        assert np.array_equal(a, b, equal_nan=True), f"{before}\n{text}"
    assert printed == spoken, f"{before}\n{text}"
