"""Neighbouring loops: what is fused means the same, as Python runs it and as machine code."""

from __future__ import annotations

import re

import numpy as np
import pytest
from both_backends import assert_same, both, compiled
from fused_programs import LOOPS, PROGRAMS
from window_programs import PROGRAMS as WINDOWS

from s2sad import differentiate, grad
from s2sad.derivatives import Ask, Derivatives
from s2sad.options import Options

pytest.importorskip("numba")


def text(name: str) -> str:
    """The adjoint's loops."""
    function, args = PROGRAMS[name]
    return differentiate(function, backend="numba").source("adjoint", *args).partition("\n\n\ndef")[0]


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("mode", ["adjoint", pytest.param("tangent", marks=pytest.mark.deep)])
def test_the_loops_say_what_numpys_program_says(name: str, mode: str) -> None:
    function, args = PROGRAMS[name]
    assert_same(*both(function, args, mode, compile=False))


@pytest.mark.deep
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("mode", ["adjoint", "tangent"])
def test_machine_code_computes_the_same(name: str, mode: str) -> None:
    function, args = PROGRAMS[name]
    assert_same(*both(function, args, mode))


@pytest.mark.deep
@pytest.mark.parametrize("function", WINDOWS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("mode", ["adjoint", "tangent"])
def test_windows_keep_their_meaning(function, mode: str) -> None:
    rng = np.random.default_rng(1)
    assert_same(*both(function, (0.5 + rng.random(12), 0.5 + rng.random((5, 6))), mode, (0, 1), compile=False))


@pytest.mark.parametrize("name", LOOPS)
def test_what_is_fused(name: str) -> None:
    assert len(re.findall("for . in range", text(name))) == LOOPS[name], text(name)


def test_what_only_one_loop_reads_is_a_variable() -> None:
    assert "np.empty" not in text("elementwise").replace("x_bar = np.empty(", "")


def relaxed(u, n):
    for _ in range(n):
        d = u[2:] - 2.0 * u[1:-1] + u[:-2]
        u[1:-1] += 0.1 * d
    return np.sum(u * u)


def test_the_text() -> None:
    """Places in arrays, one size, one loop, a buffer that is made once."""
    made = compiled(relaxed, Ask("adjoint", Derivatives(relaxed, Options()).inputs(0), None), [np.ones(5), 3], "numba")
    forward = made.entry.source.partition("    # reverse sweep")[0].partition("    # forward sweep\n")[2]
    assert forward == (
        "    u = np.copy(u)\n"
        "    v1 = max(u.shape[0] - 2, 0)\n"
        "    v2 = np.empty(v1)\n"
        "    for _ in range(n):\n"
        "        for i in range(v1):\n"
        "            v2[i] = 0.1 * (u[i + 2] - 2.0 * u[i + 1] + u[i])\n"
        "        for i in range(v1):\n"
        "            u[i + 1] += v2[i]\n"
        "    v3 = u.shape[0]\n"
        "    v4 = np.empty(v3)  # return np.sum(u * u)\n"
        "    out = 0.0\n"
        "    for i in range(v3):\n"
        "        out = plus(out, u[i] * u[i])\n"
        "        v4[i] = out_bar * u[i]  # return np.sum(u * u)\n"
    )  # fmt: skip


def of_three(x):
    f = np.zeros((len(x), 3))
    for i in range(len(x) - 1, -1, -1):
        row = f[i]
        row[1] = x[i]
    return np.sum(f ** 2)


def test_sizes_that_are_written_as_numbers_are_known() -> None:
    source = differentiate(of_three, backend="numba").source("adjoint", np.ones(4)).partition("\n\n\ndef")[0]
    assert "step(3)" not in source and "stretched(3" not in source, source
    assert "f[i, 1] = " in source, source
    np.testing.assert_allclose(grad(of_three, backend="numba")(np.arange(4.0)), 2 * np.arange(4.0))


def beyond(x, y):
    t = x * 2.0
    s = 0.0
    for i in range(len(x)):
        t[i] = t[i] * y[i]
    for i in range(len(x)):
        s += t[i] * y[i + 1]
    return s


def unlike(x, y):
    t = x * 2.0
    u = y * t
    return np.sum(u * x)


@pytest.mark.parametrize(("function", "args"), [(beyond, (np.ones(3), np.ones(3))), (unlike, (np.ones(3), np.ones(4)))])
def test_errors_in_the_midst_are_those_of_the_program(function, args) -> None:
    raised = []
    for backend in ("numpy", "numba"):
        with pytest.raises((IndexError, ValueError)) as caught:
            grad(function, backend=backend)(*args)
        raised.append((type(caught.value), str(caught.value)))
    assert raised[0] == raised[1]
