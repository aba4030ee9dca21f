"""``backend="numba"``: compiled programs give what NumPy's give, and hand over to them where they cannot."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from both_backends import NotNative, assert_same, both, leaves
from census import KEPT, census
from click.testing import CliRunner
from loop_programs import AS_NUMPY, PROGRAMS
from pairs import AGREES, DIFFERS, MODES, SLOW, run
from programs.case import all_cases

from s2sad import (
    ActivityError,
    AliasError,
    differentiate,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    value_and_grad,
    vjp,
)
from s2sad.cache import Cache
from s2sad.cli import main
from s2sad.ir.builder import Builder
from s2sad.ir.nodes import Block, Call, Value
from s2sad.loops.arrays import Arrays
from s2sad.loops.refusal import NotCompiled
from s2sad.native import Native, NotCompiledWarning, progress
from s2sad.rules import registry
from s2sad.specialise import kind_for

pytest.importorskip("numba")
QUICK = ("logistic_map", "kicked", "records", "weighted", "two_lists")  # the others are run by `pytest -m deep`


@pytest.mark.parametrize("name", [pytest.param(n, marks=[] if n in QUICK else [pytest.mark.deep]) for n in PROGRAMS])
@pytest.mark.parametrize("mode", ["adjoint", "tangent"])
def test_programs_agree(name: str, mode: str) -> None:
    function, args = PROGRAMS[name]
    why = AS_NUMPY.get((name, mode))
    if why is None:
        assert_same(*both(function, args, mode))
        return
    with pytest.raises(NotNative, match=why):
        both(function, args, mode)


@pytest.mark.deep
def test_the_in_place_corpus_agrees(tmp_path: Path) -> None:
    """What compiles of it, by ``pairs.py``; S2SAD_PAIRS is a folder that keeps what was compared, to go on where it stopped."""
    results = run(Path(os.environ.get("S2SAD_PAIRS", tmp_path)))
    assert len(results) == 2 * len(all_cases())
    assert not [r for r in results if r["outcome"] in (DIFFERS, SLOW)]
    for mode in MODES:
        of_mode = [r["outcome"] for r in results if r["mode"] == mode]
        assert of_mode.count(AGREES) >= 0.85 * len(of_mode)


@pytest.mark.deep
def test_what_is_not_lowered_is_listed() -> None:
    """``python tests/loops/census.py`` writes the list anew."""
    assert census() == KEPT.read_text()
    assert all(int(lowered) >= 0.85 * int(total) for lowered, total in re.findall(r"(\d+) of (\d+) programs", KEPT.read_text()))


def square(x):
    return x * x * x


@pytest.fixture(scope="module")
def cube():
    return differentiate(square, backend="numba")


def test_every_entry_point_takes_the_backend(cube) -> None:
    assert grad(square, backend="numba")(2.0) == 12.0
    assert value_and_grad(square, backend="numba")(2.0) == (8.0, 12.0)
    assert jvp(square, (2.0,), (1.0,), backend="numba") == (8.0, 12.0)
    value, pullback = vjp(square, 2.0, backend="numba")
    assert (value, pullback(1.0)) == (8.0, (12.0,)) or (value, pullback(1.0)) == (8.0, 12.0)
    assert cube.grad(2.0) == 12.0
    assert hessian(square, backend="numba")(2.0) == 12.0
    assert jacobian(square, backend="numba")(2.0) == 12.0
    assert "loop_runtime.compiled" in cube.source("adjoint", 2.0)


def filled(x):
    x[0] = 1.0
    return x.sum()


def test_the_function_itself_is_compiled(cube) -> None:
    assert cube.compiled(2.0) == 8.0
    function, args = PROGRAMS["bodies"]
    np.testing.assert_allclose(differentiate(function).compiled(*args), function(*args), rtol=1e-12)
    x = np.array([3.0, 4.0])
    with pytest.warns(NotCompiledWarning, match="filled writes into an argument"):
        assert differentiate(filled).compiled(x) == 5.0
    assert x[0] == 1.0


def test_traces_and_costs_are_those_of_numpys_program() -> None:
    function, args = PROGRAMS["logistic_map"]
    one, other = (differentiate(function, backend=b).tape(*args).bytes for b in ("numpy", "numba"))
    assert one == other > 0


def test_a_backend_that_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match="'numpy' or 'numba'"):
        grad(square, backend="torch")


def power(n, x):
    k = 1
    for _ in range(n):
        k = k * 3
    return x * (k % 1000)


def divided(x, y):
    return x / y


def taken(x, i):
    return x[i] * 2.0


def checked(x):
    assert x > 0.0, "x is negative"
    if x > 10.0:
        raise ValueError(f"{x} is large")
    return x * x


def rooted(x):
    return x**0.5


def test_integers_that_outgrow_64_bits_are_exact() -> None:
    assert grad(power, 1, backend="numba")(100, 1.0) == float(3**100 % 1000)
    assert grad(power, 1, backend="numba")(2, 1.0) == 9.0


def drilled(x, n):
    return x if n == 0 else drilled(x * 1.001, n - 1) + 1.0


def test_recursion_ends_before_the_stack_does() -> None:
    """Machine code has no limit of its own, and would end the process."""
    compiled = differentiate(drilled).compiled
    np.testing.assert_allclose(compiled(2.0, 100), drilled(2.0, 100), rtol=1e-12)
    with pytest.raises(RecursionError):
        compiled(2.0, 10**7)


@pytest.mark.parametrize(
    ("function", "args"),
    [(divided, (1.0, 0.0)), (taken, (np.arange(3.0), 3)), (taken, (np.arange(3.0), -4)), (checked, (-1.0,)), (checked, (11.0,)),
     (rooted, (-1.0,))],
)  # fmt: skip
def test_errors_are_those_of_the_program(function, args) -> None:
    raised = []
    for backend in ("numpy", "numba"):
        with pytest.raises(Exception) as caught:  # noqa: PT011
            grad(function, backend=backend)(*args)
        raised.append((type(caught.value), str(caught.value)))
    assert raised[0] == raised[1]


def test_infinities_of_numpys_numbers_stay_unless_numpy_is_told_to_raise() -> None:
    for backend in ("numpy", "numba"):
        slope = grad(divided, backend=backend)
        with np.errstate(divide="ignore"):
            assert slope(np.float64(1.0), np.float64(0.0)) == np.inf
        with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
            slope(np.float64(1.0), np.float64(0.0))


WEIGHTS = np.array([1.0, 2.0])


def weigh(x, i):
    return x[i] * WEIGHTS[i]


def weighed(x):
    s = 0.0
    for i in range(len(x)):
        s += weigh(x, i)
    return s


def test_arrays_outside_are_those_of_the_call(monkeypatch) -> None:
    made, x = differentiate(weighed, backend="numba"), np.array([3.0, 4.0])
    slope = made.grad
    assert slope(x).tolist() == [1.0, 2.0]
    monkeypatch.setitem(globals(), "WEIGHTS", np.array([5.0, 6.0]))
    assert slope(x).tolist() == [5.0, 6.0]
    WEIGHTS[0] = 7.0
    assert slope(x).tolist() == [7.0, 6.0]
    assert "def weighed_adjoint_loops(x, out_bar, WEIGHTS):" in made.source("adjoint", x)


def dropping(x, n):
    held = [x * 1.0, x * 2.0]
    for k in range(n):
        held.append(held[-1] * x)
        if k % 2:
            held.pop(0)
    return np.sum(held[0] * held.pop(-2))


def test_lists_lose_arrays_in_the_midst() -> None:
    """Numba's own way to do so corrupts memory."""
    compiled, x = differentiate(dropping).compiled, np.array([0.3, 0.5, 0.7])
    for _ in range(50):
        assert compiled(x, 5) == pytest.approx(dropping(x, 5), rel=1e-12)


def boxed(x):
    box = np.zeros(())
    box += np.sum(x**2)
    return float(box)


def test_what_is_not_compiled_warns_once_and_runs_as_numpy() -> None:
    x = np.array([2.0, 1.0])
    with pytest.warns(NotCompiledWarning, match=r"boxed runs as NumPy: .* an array without axes .*line \d+"):
        assert np.array_equal(grad(boxed, backend="numba")(x), 2 * x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(grad(boxed, backend="numba")(x), 2 * x)
        assert np.array_equal(value_and_grad(boxed, backend="numba")(x)[1], 2 * x)


def test_arguments_of_other_layouts_and_types(cube) -> None:
    function, _ = PROGRAMS["bodies"]
    rng = np.random.default_rng(1)
    q, m = rng.random((4, 3)), rng.random(8)[::2]
    got = grad(function, backend="numba")(q.copy(order="F"), m)
    np.testing.assert_allclose(got, grad(function)(q, m), rtol=1e-12)
    with pytest.warns(NotCompiledWarning, match="float32"):
        single = grad(function, backend="numba")(q.astype(np.float32), m.astype(np.float32))
    assert single.dtype == np.float32
    assert cube.grad(np.float64(2.0)) == 12.0


def test_written_arguments_must_not_share_memory() -> None:
    function, (a, b, c, d) = PROGRAMS["thomas"]
    with pytest.raises(AliasError):
        grad(function, backend="numba")(b[1:], b, c, d)


def test_seeds_that_do_not_fit_are_refused_alike() -> None:
    for backend in ("numpy", "numba"):
        _, pullback = vjp(PROGRAMS["rows"][0], *PROGRAMS["rows"][1], backend=backend)
        with pytest.raises(ActivityError, match="shape"):
            pullback(np.ones(4))


def test_the_machine_code_is_found_by_another_process(tmp_path: Path) -> None:
    """It is read where it was written, and what was altered is not executed."""
    (tmp_path / "own.py").write_text(
        textwrap.dedent(
            """
            import sys, warnings
            from s2sad import grad
            from s2sad.derivatives import Derivatives
            import numba.core.compiler as compiler

            def f(x):
                return x * x * x

            made = []
            compile_extra = compiler.compile_extra
            from numba.core.dispatcher import _FunctionCompiler
            inner = _FunctionCompiler._compile_core
            _FunctionCompiler._compile_core = lambda self, *a: made.append(self.py_func.__name__) or inner(self, *a)
            warnings.simplefilter("ignore")
            print(grad(f, backend="numba", cache_dir=sys.argv[1])(2.0), "f_adjoint_loops" in made)
            """
        )
    )
    folder = tmp_path / "cache"

    def run() -> str:
        found = subprocess.run([sys.executable, "own.py", str(folder)], cwd=tmp_path, capture_output=True, text=True, check=True)
        return found.stdout.strip()

    assert run() == "12.0 True"
    assert run() == "12.0 False"
    (kept,) = Cache(folder).machine.files()
    data = bytearray(kept.read_bytes())
    data[-1] ^= 1
    kept.write_bytes(bytes(data))
    assert run() == "12.0 True"


def through_a_dict(x, p):
    return np.sum((p["W"] @ x) ** 3)


def through_what_dicts_hold(x, p):
    layers = p["layers"]
    for layer in layers:
        x = np.tanh(layer["W"] @ x + layer["b"])
    return np.sum(x**2) * p["scale"]


@pytest.mark.parametrize("mode", ["fwd", "rev"])
def test_second_derivatives_through_dicts(mode: str) -> None:
    """Tuples are what machine code has in place of dicts: an array that stands in one is not unread for that."""
    W, x = np.array([[0.5, 0.7], [0.3, 0.2]]), np.array([0.4, -0.9])
    layer = {"W": W, "b": x / 2}
    for f, p in ((through_a_dict, {"W": W}), (through_what_dicts_hold, {"layers": (layer, layer), "scale": 2.0})):
        wanted = hvp(f, (x, p), (x, p), mode=mode)
        assert_same(leaves(hvp(f, (x, p), (x, p), mode=mode, backend="numba")), leaves(wanted))


def test_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("def f(x: float) -> float:\n    return x * x\n")
    shown = CliRunner().invoke(main, ["transform", str(tmp_path / "model.py"), "-o", "-", "--backend", "numba"])
    assert shown.exit_code == 0 and "loop_runtime.compiled" in shown.output
    scope: dict[str, object] = {}
    exec(shown.output, scope)
    assert scope["f_adjoint"](3.0) == (9.0, 6.0)  # type: ignore[operator]
    assert scope["f_adjoint"](2**40) == (2.0**80, 2.0**41)  # type: ignore[operator]  # no integer of 64 bits
    shown = CliRunner().invoke(main, ["show", f"{tmp_path / 'model.py'}:f", "--stage", "loops"])
    assert shown.exit_code == 0 and "f_adjoint_loops" in shown.output


def test_the_native_program_is_what_runs(cube) -> None:
    assert cube.grad(2.0) == 12.0
    made = next(iter(next(iter(cube.derivatives.tables.values())).values()))[0]
    assert isinstance(made.function, Native)


def test_a_terminal_is_told_of_long_compilations(monkeypatch, capsys) -> None:
    for terminal in (True, False):
        monkeypatch.setattr(sys.stderr, "isatty", lambda terminal=terminal: terminal)
        with progress("f_adjoint", after=30.0):
            pass
        assert capsys.readouterr().err == ""
        with progress("f_adjoint", after=0.01):
            time.sleep(0.2)
        told = capsys.readouterr().err
        assert re.fullmatch(r"s2sad: compiling f_adjoint \.\.\. \d+\.\d s\n", told) if terminal else told == ""


def test_adjoints_are_not_summed_up_for_tuples() -> None:
    """A tuple's adjoint has an item for each of its items; a number's is a total."""
    bar, like = (Value(kind_for(x, "x")) for x in (np.ones(2), (1.0, 2.0)))
    op = Call(target="s2sad.runtime.unbroadcast", args=[bar, like], results=[Value(bar.kind)])
    with pytest.raises(NotCompiled, match="unbroadcast of"):
        Arrays._unbroadcast(object.__new__(Arrays), op, Builder(Block(), registry.infer))


OUTSIDE = np.array([1.0, 2.0, 3.0])


def written_beside_an_array_outside(x):
    x *= 2.0
    return np.sum(x * OUTSIDE)


def test_arguments_that_are_written_beside_arrays_outside() -> None:
    x = np.ones(3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(grad(written_beside_an_array_outside, backend="numba")(x), 2.0 * OUTSIDE)
        value, tangent = jvp(written_beside_an_array_outside, (x,), (OUTSIDE,), backend="numba")
    assert value == 12.0
    assert tangent == 28.0
    with pytest.raises(AliasError):
        grad(written_beside_an_array_outside, backend="numba")(OUTSIDE)
