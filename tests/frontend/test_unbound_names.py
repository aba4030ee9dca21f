"""Names that nothing is bound to: a path that reads one raises as the plain call does, the others have derivatives."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from s2sad import S2sadError, grad, hvp, jvp


def in_a_function_inside(x, full=False):
    if full:
        notes = {"steps": 0}

    def step(c, n):
        c = c * c
        if c > 100.0:
            notes["warning"] = "large"
        return step(c, n + 1) if n < 1 else c

    y = step(x, 0) + x
    return [y, notes] if full else y


def never_defined(x):
    if x > 4.0:
        return x * no_such_name  # noqa: F821
    return x * x


def caught(x):
    try:
        return x * no_such_name
    except NameError:
        return x * x * 3.0


def in_a_call_inside(x):
    def scaled(y):
        return y * factor

    if x > 4.0:
        return scaled(x)
    factor = x
    return scaled(x)


PROGRAMS = [in_a_function_inside, never_defined, caught, in_a_call_inside]
WAYS: dict[str, Callable[[Any, float], Any]] = {
    "grad": lambda f, x: grad(f)(x),
    "jvp": lambda f, x: jvp(f, (x,), (1.0,))[1],
    "hvp": lambda f, x: hvp(f, (x,), (1.0,))[0],
    "jvp of grad": lambda f, x: jvp(grad(f), (x,), (1.0,))[0],
    "grad of grad": lambda f, x: (grad(grad(f))(x), grad(f)(x))[1],
}


def outcome(call: Callable[[], Any]) -> str:
    """The exception of a call, with its text."""
    try:
        return repr(call())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_the_other_paths(program: Callable[[float], float], way: str) -> None:
    step = 1e-5
    slope = (program(1.2 + step) - program(1.2 - step)) / (2 * step)
    assert WAYS[way](program, 1.2) == pytest.approx(slope, rel=1e-8)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("program", [f for f in PROGRAMS if f is not caught], ids=lambda f: f.__name__)
def test_the_path_that_reads_it(program: Callable[[float], float], way: str) -> None:
    wanted = outcome(lambda: program(11.0))
    assert wanted.startswith(("NameError: ", "UnboundLocalError: "))
    assert outcome(lambda: WAYS[way](program, 11.0)) == wanted


def test_one_that_every_path_reads() -> None:
    def f(x):
        return x * no_such_name  # noqa: F821

    with pytest.raises(S2sadError, match="'no_such_name', which is not defined here"):
        grad(f)(1.0)


MODULE = """
def f(x: float) -> float:
    def grown(c: float) -> float:
        if c > 100.0:
            notes.append(c)
        return c * c
    if x > 50.0:
        return y * x
    r = grown(x)
    notes = [r]
    y = r
    return y

def g(x: float) -> float:
    if x > 100.0:
        return no_such_name
    return x
"""


def test_modules_of_the_command_line(tmp_path: Path) -> None:
    """A name of the function itself; what else may define one of the file is not known there."""
    source = tmp_path / "names.py"
    source.write_text(MODULE, encoding="utf-8")
    command = [sys.executable, "-m", "s2sad", "transform", str(source), "--mode", "adjoint", "-o", str(tmp_path / "out")]
    told = subprocess.run(command, check=False, capture_output=True, text=True)
    assert told.returncode == 1
    assert "no_such_name" in told.stderr + told.stdout
    space: dict[str, Any] = {}
    exec((tmp_path / "out" / "names_f_adjoint.py").read_text(encoding="utf-8"), space)
    assert space["f_adjoint"](3.0) == (9.0, 6.0)
    assert outcome(lambda: space["f_adjoint"](70.0)).startswith("UnboundLocalError: ")
