"""Paths that always raise: the program's own exception comes, whatever else would have been bound on them."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import grad, hvp, jacobian, jvp, value_and_grad


def by_mode(x, mode):
    if mode == "a":
        r = x**2
    elif mode == "b":
        r = x**3
    else:
        raise ValueError(f"unknown mode {mode!r}")
    return r


def missing(x, n):
    if n is None:
        raise TypeError("n is missing")
    r = x * 2
    return r


def matched(x, kind):
    q = x * 2
    match kind:
        case "a":
            r = q
        case _:
            raise KeyError("kind")
    return {"a": r}["a"]


def in_a_helper(x, mode):
    return x * by_mode(x, mode)


def in_a_list(x, mode):
    found = [by_mode(v, mode) for v in [x, x]]
    return found[0] if mode != "c" else x


def in_a_loop(x, mode):
    s = 0.0
    for i in range(3):
        if mode is None or mode != "a":
            raise ValueError(i)
        r = x
        s += r
    return s


def in_a_while(x, mode):
    i = 0
    while i < 3:
        if not isinstance(mode, float):
            raise ValueError("a")
        if mode > 3.0:
            break
        r = x
        i += 1
    return r


def within_with(x, mode):
    with np.errstate(all="ignore"):
        if mode is None or mode != "a":
            raise ValueError("a")
        r = x
        q = r * r
    return q


def always(x, mode):
    raise RuntimeError(mode)


def on_one_path(x, mode):
    def option():
        if mode is None:
            raise KeyError("m")
        k = 3.0
        return k

    if x > 5.0:
        r = x
    else:
        r = option() if mode is None else always(x, mode)
    return r * x


def one_of_two(x, mode):
    if x > 5.0:
        raise ValueError("large")
    return always(x, mode) + x


def _down(x, n, mode):
    if n == 0:
        raise ValueError("end")
    return _down(x * 2.0, n - 1, mode)


def in_a_recursion(x, mode):
    return _down(x, 3, mode) * x


def _until(x, mode):
    if x > 100.0:
        raise KeyError("k")
    _until(x * 2, mode)


def in_a_recursion_without_end(x, mode):
    _until(x, mode)
    return x


PROGRAMS = [in_a_recursion, in_a_recursion_without_end]
PROGRAMS += [by_mode, missing, matched, in_a_helper, in_a_list, in_a_loop, in_a_while, within_with, always]
PROGRAMS += [on_one_path, one_of_two]
MODES: dict[str, Callable[[Callable[[float], Any]], Any]] = {
    "grad": lambda f: grad(f)(0.7),
    "value_and_grad": lambda f: value_and_grad(f)(0.7),
    "jvp": lambda f: jvp(f, (0.7,), (1.0,)),
    "jacobian": lambda f: jacobian(f)(0.7),
    "hvp": lambda f: hvp(f, (0.7,), (1.0,)),
    "jvp of grad": lambda f: jvp(grad(f), (0.7,), (1.0,)),
    "grad of grad": lambda f: grad(grad(f))(0.7),
}


def outcome(call: Callable[[], Any]) -> str:
    """The exception of a call, with its text."""
    try:
        return repr(call())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("mode", [None, "A", ("a",), {"a": 1}], ids=repr)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_the_programs_own_exception_comes(program: Callable[..., Any], mode: Any) -> None:
    """An option that the program refuses: of another kind than those that it knows, the test for it is decided beforehand."""
    given = None if program is missing else mode
    wanted = outcome(lambda: program(0.7, given))
    assert "Error: " in wanted
    for name, take in MODES.items():
        assert outcome(lambda: take(lambda x: program(x, given))) == wanted, name
    assert outcome(lambda: grad(program)(0.7, given)) == wanted


def test_options_that_are_taken() -> None:
    assert grad(by_mode)(0.5, "a") == 1.0
    assert grad(matched)(0.5, "a") == 2.0
    assert grad(in_a_while)(0.5, 2.0) == 1.0
    assert grad(missing)(0.5, 3) == 2.0


MODULE = '''
def f(x: float, mode: str = "a") -> float:
    if x > 1.0:
        y = x * x
    else:
        raise ValueError("small")
    return y


def g(x: float) -> float:
    if x > 1.0:
        return x
    raise ValueError("small")


def h(x: float) -> float:
    raise ValueError("never")
'''


def test_modules_of_the_command_line(tmp_path: Path) -> None:
    source = tmp_path / "options.py"
    source.write_text(MODULE, encoding="utf-8")
    command = [sys.executable, "-m", "s2sad", "transform", str(source), "--mode", "both", "-o", str(tmp_path / "out")]
    subprocess.run(command, check=True, capture_output=True)
    for path in sorted((tmp_path / "out").glob("options_*.py")):
        space: dict[str, Any] = {}
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), space)
        derived = space[path.stem.removeprefix("options_")]
        seeds = {"x_dot": 1.0} if path.stem.endswith("tangent") else {}
        assert outcome(lambda: derived(0.5, **seeds)).startswith("ValueError: ")


def below(least, x):
    return KeyError("least") if x < least else ValueError("small")


@functools.lru_cache
def kept(message):
    return ValueError(message)


def of_its_class(error):
    return type(error)(*error.args)


WITHOUT_SOURCE = eval("lambda message: ValueError(message)")


def of_a_function(x):
    if x < 0.0:
        raise below(-1.0, x)
    return x * x


def of_a_cache(x):
    if x < 0.0:
        raise kept("small")
    return x * x


def of_no_source(x):
    if x < 0.0:
        raise WITHOUT_SOURCE("small")
    return x * x


def of_another(x):
    try:
        if x < 0.0:
            raise ValueError("small")
    except ValueError as error:
        raise of_its_class(error) from error
    return x * x


@pytest.mark.parametrize("function", [of_a_function, of_a_cache, of_no_source, of_another])
def test_exceptions_that_functions_make(function: Callable[[float], float]) -> None:
    assert grad(function)(0.5) == 1.0 and jvp(grad(function), (0.5,), (1.0,))[1] == 2.0
    for derivative in (grad(function), lambda x: jvp(function, (x,), (1.0,))):
        with pytest.raises(ValueError, match="small"):
            derivative(-0.5)


def caught(x):
    try:
        y = x * 2.0
        if x < 0.5:
            raise below(0.0, x)
        return y * x
    except KeyError:
        return 3.0 * x
    except ValueError as error:
        return len(str(error)) * x * x


def test_exceptions_that_functions_make_are_caught() -> None:
    for x, slope, second in ((-0.4, 3.0, 0.0), (0.3, 3.0, 10.0), (0.8, 3.2, 4.0)):
        assert grad(caught)(x) == pytest.approx(slope) and grad(grad(caught))(x) == pytest.approx(second)
