"""Value and gradient by machine code (``backend="numba"``) beside others, on the programs of ``kernels.py``, all of float64.

All gradients are compared first. Columns: the milliseconds of the compiled gradient; how many times as long NumPy's program, JAX
(``jit``, by one who knows it), autograd and an adjoint by hand (Numba) take, where there is one; the compiled gradient over the
compiled function; and the seconds of processor time until the first gradient, with an empty cache and with a filled one.
JAX's compilation is not in its time. Medians, taken in turns. ``python benchmarks/compiled.py [PROGRAM ...]``
"""

from __future__ import annotations

import contextlib
import math
import subprocess
import sys
import tempfile
import time
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from kernels import PROGRAMS
from others import BY_HAND, jax_programs
from timing import medians

from s2sad import differentiate, value_and_grad
from s2sad.native import NotCompiledWarning

HEAD = "| program | ms | NumPy | JAX | autograd | by hand | gradient / function | first, s | from disk, s |"
SLOW = 0.5  # seconds; what takes longer is timed once
Candidate = Callable[[], tuple[Any, Any]]


def of_autograd(function: Callable[..., Any], args: tuple[Any, ...]) -> Candidate | None:
    """The same text with autograd's NumPy; None of what writes into arrays or takes longer than is worth waiting for."""
    try:
        import autograd
        import autograd.numpy as agnp
    except ModuleNotFoundError:
        return None
    made = types.FunctionType(function.__code__, {**function.__globals__, "np": agnp}, function.__name__)
    call = autograd.value_and_grad(made)
    try:
        call(*args)
    except Exception:
        return None
    return lambda: call(*args)


def of_jax(program: Callable[..., Any], args: tuple[Any, ...]) -> Candidate:
    """JAX's, compiled, its arguments already where it wants them."""
    import jax

    static = tuple(k for k, a in enumerate(args) if isinstance(a, int))
    call = jax.jit(jax.value_and_grad(program), static_argnums=static)
    given = [a if k in static else jax.numpy.asarray(a) for k, a in enumerate(args)]
    return lambda: jax.block_until_ready(call(*given))


def from_disk(name: str, folder: str) -> float:
    """The processor time of another process until the first gradient, without imports."""
    command = [sys.executable, __file__, "--first", name, folder]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-1])


def first(name: str, folder: str) -> tuple[float, Any]:
    """The processor time until the first gradient."""
    import s2sad.loop_runtime  # noqa: F401

    function, args = PROGRAMS[name]
    fast = value_and_grad(function, backend="numba", cache_dir=folder)
    start = time.process_time()
    fast(*args)
    return time.process_time() - start, fast


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def row(name: str, others: dict[str, Callable[..., Any]], folder: str) -> dict[str, float]:
    """Print one row of the table; its ratios."""
    function, args = PROGRAMS[name]
    new, fast = first(name, folder)
    plain = value_and_grad(function)
    candidates: dict[str, Candidate] = {"ours": lambda: fast(*args), "NumPy": lambda: plain(*args)}
    known = function.__name__
    if known in others:
        candidates["JAX"] = of_jax(others[known], args)
    if (found := of_autograd(function, args)) is not None:
        candidates["autograd"] = found
    if known in BY_HAND:
        candidates["by hand"] = lambda: BY_HAND[known](*args)
    value, gradient = plain(*args)
    for other, call in candidates.items():
        got = call()
        np.testing.assert_allclose(got[0], value, rtol=1e-8, err_msg=other)
        np.testing.assert_allclose(got[1], gradient, rtol=1e-7, atol=1e-9, err_msg=other)
    once = {other: seconds for other, call in candidates.items() if (seconds := _seconds(call)) > SLOW}
    timed: dict[str, Callable[[], object]] = {other: call for other, call in candidates.items() if other not in once}
    with contextlib.suppress(NotCompiledWarning):  # of what writes into its arguments
        primal = differentiate(function, cache_dir=folder).compiled
        primal(*args)
        timed["function"] = lambda: primal(*args)
    times = medians(timed, rounds=7) | once
    ratios = {other: t / times["ours"] for other, t in times.items()}
    own = f"{1 / ratios['function']:.2f}" if "function" in ratios else ""
    cells = [f"{ratios[k]:.3g}" if k in ratios else "" for k in ("NumPy", "JAX", "autograd", "by hand")]
    cells += [own, f"{new:.1f}", f"{from_disk(name, folder):.2f}"]
    print(f"| {name} | {times['ours'] * 1e3:.3g} | {' | '.join(cells)} |", flush=True)  # noqa: T201
    return ratios


def main() -> None:
    """Print the table."""
    if sys.argv[1:2] == ["--first"]:
        print(first(*sys.argv[2:])[0])  # noqa: T201
        return
    warnings.simplefilter("error", NotCompiledWarning)  # a program that runs as NumPy is no row of this table
    others = jax_programs()
    print(HEAD + "\n|" + "---|" * (HEAD.count("|") - 1))  # noqa: T201
    with tempfile.TemporaryDirectory() as folder:
        chosen = [n for n, p in PROGRAMS.items() if p[0].__name__ in sys.argv[1:] or not sys.argv[1:]]
        rows = [row(name, others, str(Path(folder))) for name in chosen]
    for other in ("NumPy", "JAX", "autograd", "by hand"):
        ratios = [r[other] for r in rows if other in r]
        if ratios:
            mean, least = math.exp(np.mean(np.log(ratios))), min(ratios)
            print(f"\n{other}: {mean:.3g} x as a geometric mean of {len(ratios)}, {least:.3g} x at least")  # noqa: T201


if __name__ == "__main__":
    main()
