"""``parallel=True`` and ``fastmath=True``: what runs on several threads is independent, and all else stays as it is."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from independent_programs import DEPENDENT, INDEPENDENT

from s2sad import differentiate, grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp
from s2sad.cli import main
from s2sad.native import NotCompiledWarning

pytest.importorskip("numba")


def arguments(n: int = 5000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    return rng.random(n), rng.integers(0, n, n)


def parallel_loops(text: str) -> int:
    return len(re.findall(r"= prange\(|in prange\(", text))


def nests(function, text: str) -> int:
    """The loops over ``prange`` that stem from the function's own ``for``, in contrast with those of array statements."""
    plain = text.count(" = np.int64(p")
    return plain - {"transposed": 1, "transposed_window": 1}.get(function.__name__, 0)  # np.outer is a loop of its own


@pytest.mark.parametrize("function", INDEPENDENT, ids=lambda f: f.__name__)
def test_independent_loops_are_spread(function) -> None:
    text = differentiate(function, backend="numba", parallel=True).source("primal", *arguments(50))
    assert "@loop_runtime.compiled(parallel=True)" in text
    assert nests(function, text) == 1 == parallel_loops(text), text


def diffused(u):
    u = u.copy()
    for _ in range(3):
        u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def tripled(a):
    f = np.zeros((len(a), 3))
    for i in range(len(a)):
        if a[i] > 0.0:
            f[i] += np.ones(3) * a[i]
            f[0] *= 0.5
    return np.sum(f)


def test_small_loops_that_are_started_again_and_again_are_not_spread() -> None:
    """The gradient of 40 bodies by rows ran for 5 s in place of 0.02: threads were started for three numbers each."""
    text = differentiate(diffused, backend="numba", parallel=True).source("primal", np.ones(5))
    assert text.count(">= 10000:") == parallel_loops(text) > 0, text
    assert parallel_loops(differentiate(tripled, backend="numba", parallel=True).source("primal", np.ones(5))) == 0
    for n in (50, 20000):
        u = np.random.default_rng(1).normal(size=n)
        value, slope = value_and_grad(diffused, backend="numba", parallel=True)(u)
        expected = value_and_grad(diffused, backend="numba")(u)
        assert value == expected[0] and np.array_equal(slope, expected[1])


@pytest.mark.parametrize("function", DEPENDENT, ids=lambda f: f.__name__)
def test_dependent_loops_are_not(function) -> None:
    warnings.simplefilter("ignore", NotCompiledWarning)  # of the one that may return its argument
    text = differentiate(function, backend="numba", parallel=True).source("primal", *arguments(50))
    assert "@loop_runtime.compiled\n" in text or "runs as NumPy" in text
    assert nests(function, text) == 0, text


@pytest.mark.deep
@pytest.mark.parametrize("mode", ["primal", "adjoint", "tangent"])
@pytest.mark.parametrize("function", [*INDEPENDENT, *DEPENDENT], ids=lambda f: f.__name__)
def test_threads_change_nothing(function, mode: str) -> None:
    """To the last bit, many times over: a race would be another number now and then."""
    import numba

    warnings.simplefilter("ignore", NotCompiledWarning)
    x, k = arguments(500)
    one, other = (differentiate(function, backend="numba", parallel=p) for p in (False, True))

    def once(made):
        if mode == "primal":
            return made.compiled(x, k)
        if mode == "tangent":
            return made.jvp((x, k), (np.cos(x), None))[1]
        value, pullback = made.vjp(x, k)
        return pullback(np.cos(np.arange(value.size, dtype=float)).reshape(value.shape))[0]

    expected = once(one)
    for threads in {1, numba.config.NUMBA_NUM_THREADS}:
        numba.set_num_threads(threads)
        for _ in range(20):
            np.testing.assert_array_equal(once(other), expected)


def window_kept(x):
    y = x
    for i in range(3):
        y = y if i == 1 else y * x
        z = y[1:]
        z[0] *= 2
    return np.sum(y * y)


def windows_of_a_list(x):
    y = x * x
    parts = [y[1:], y[:-1]]
    for part in parts:
        part[0] *= 3.0
    part = parts.pop()
    part[1] *= 2.0
    return np.sum(y * y)


def windows_of_pairs(x):
    y = x * x
    rest, first = (y[1:], y[2]), y[:1]
    window, _ = rest
    window[0] *= 3.0
    first *= window[0]
    return np.sum(y * y)


@pytest.mark.parametrize("function", [window_kept, windows_of_a_list, windows_of_pairs], ids=lambda f: f.__name__)
def test_stores_into_windows_out_of_lists_are_made(function) -> None:
    """Numba leaves out stores into what comes out of a list, in all that it compiles with parallel=True: the adjoint of a window
    was not scaled."""
    warnings.simplefilter("error", NotCompiledWarning)
    x, t = np.array([0.5, 0.7, 1.3, 1.1]), np.array([0.3, -0.2, 0.4, 0.1])
    ahead, behind = function(x + 1e-6 * t), function(x - 1e-6 * t)
    slope = grad(function, backend="numba", parallel=True)(x) @ t
    tangent = jvp(function, (x,), (t,), backend="numba", parallel=True)[1]
    assert slope == pytest.approx((ahead - behind) / 2e-6, rel=1e-6)
    assert tangent == pytest.approx(slope, rel=1e-12)


def test_parallel_are_only_the_functions_of_loops() -> None:
    text = differentiate(window_kept, backend="numba", parallel=True).source("adjoint", np.ones(4))
    parts = text.split("@loop_runtime.")[1:]
    assert [part.startswith("compiled(parallel=True)") for part in parts] == ["prange(" in part for part in parts]


def chained(x):
    y = np.tanh(x) * x
    return np.sum(y * y)


def run(call, **options):
    """What an entry point gives, or the function that it makes."""
    result = call(**options)
    return result(np.ones(3)) if callable(result) else result


def test_every_entry_point_takes_the_settings() -> None:
    """Wrong combinations are refused at once, by all alike."""
    x = np.ones(3)
    calls = [
        lambda **o: grad(chained, **o), lambda **o: value_and_grad(chained, **o), lambda **o: jvp(chained, (x,), (x,), **o),
        lambda **o: vjp(chained, x, **o), lambda **o: jacobian(chained, **o), lambda **o: hessian(chained, **o),
        lambda **o: hvp(chained, (x,), (x,), **o), lambda **o: differentiate(chained, **o),
    ]  # fmt: skip
    for call in calls:
        for name in ("parallel", "fastmath"):
            with pytest.raises(ValueError, match=f"{name}=True is about compiled programs; it needs backend='numba'"):
                run(call, **{name: True})
            with pytest.raises(ValueError, match="use True or False"):
                run(call, backend="numba", **{name: 4})


def poles(x):
    y = np.sqrt(x) * np.abs(x)
    return np.sum(np.where(x > 1.0, y, 0.0)) + np.sum(y)


def test_fastmath_keeps_infinities_and_nans() -> None:
    """The slope of sqrt at 0 is infinite; its product with a zero is a zero. NaNs are told."""
    x = np.array([0.0, 0.25, 4.0, np.nan, np.inf])
    made = differentiate(poles, backend="numba", fastmath=True)
    with np.errstate(all="ignore"):
        expected = grad(poles)(x)
    np.testing.assert_allclose(made.grad(x), expected, rtol=1e-12)
    assert "@loop_runtime.compiled(fastmath=True)" in made.source("adjoint", x)


def test_the_command_line_takes_the_settings(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("import numpy as np\n\n\ndef f(n: int, x: float):\n    return x * np.arange(n)\n")
    place = str(tmp_path / "model.py")
    refused = CliRunner().invoke(main, ["transform", place, "-o", "-", "--parallel"])
    assert refused.exit_code == 2 and "--parallel is about compiled programs; it needs --backend numba" in refused.output
    shown = CliRunner().invoke(main, ["transform", place, "-o", "-", "--backend", "numba", "--parallel", "--fastmath"])
    assert shown.exit_code == 0 and "@loop_runtime.compiled(parallel=True, fastmath=True)" in shown.output


@pytest.mark.deep
def test_another_process_finds_parallel_code(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        textwrap.dedent(
            """
            import sys
            import numpy as np
            from numba.core.dispatcher import _FunctionCompiler
            from s2sad import grad

            def f(x):
                y = np.tanh(x) * x
                return np.sum(y * y)

            made, inner = [], _FunctionCompiler._compile_core
            _FunctionCompiler._compile_core = lambda self, *a: made.append(self.py_func.__name__) or inner(self, *a)
            x = np.linspace(0.0, 1.0, 10000)
            found = grad(f, backend="numba", parallel=True, cache_dir=sys.argv[1])(x)
            print(np.abs(found - grad(f)(x)).max() < 1e-12, "f_adjoint_loops" in made)
            """
        )
    )
    command = [sys.executable, "own.py", str(tmp_path / "cache")]
    for made in ("True", "False"):
        found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert found.stdout.strip() == f"True {made}"
