"""Value and gradient by machine code (``backend="numba"``) beside others, on the programs of ``kernels.py``, all of float64.

All gradients are compared first. Columns: the milliseconds of the compiled gradient; how many times as long NumPy's program, JAX
(``jit``; as users write it, and as experts do), torch, autograd and an adjoint by hand (Numba) take, where there is one; the
compiled gradient over the compiled function; the seconds of processor time until the first gradient, with an empty cache and with
a filled one, without imports; the same of JAX as users write it. Compilation is in no other column. All run in one process, with
the same settings of the C library's allocator (freed memory is kept: ``ALLOCATOR``), on as many threads as each takes by itself
(ours: one). Medians, taken in turns. ``python benchmarks/compiled.py [--plot FILE.svg] [PROGRAM ...]``
"""

from __future__ import annotations

import contextlib
import math
import os
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
from jax_loops import jax_loops
from kernels import PROGRAMS
from others import BY_HAND, jax_programs, torch_programs
from plot import dots
from timing import medians

from s2sad import differentiate, value_and_grad
from s2sad.native import NotCompiledWarning

OTHERS = ("NumPy", "JAX, users", "JAX, experts", "torch", "autograd", "by hand")
HEAD = f"| program | ms | {' | '.join(OTHERS)} | gradient / function | first, s | from disk, s | JAX first, s |"
SLOW = 0.5  # seconds; what takes longer is timed once
ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": str(2**30), "MALLOC_TRIM_THRESHOLD_": str(2**30), "MALLOC_TOP_PAD_": str(2**26)}
BY_ARRAYS = {"heat_by_slices", "wave_by_slices", "chain", "recurrent", "bodies_by_arrays", "softmax_rows", "hidden_states"}
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


def of_torch(program: Callable[..., Any], args: tuple[Any, ...]) -> Candidate:
    """torch's, eager."""
    import torch

    given = [torch.from_numpy(a) if isinstance(a, np.ndarray) else a for a in args]

    def call() -> tuple[Any, Any]:
        x = given[0].detach().requires_grad_()
        value = program(x, *given[1:])
        (bar,) = torch.autograd.grad(value, x)
        return value.item(), bar.numpy()

    return call


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


def row(name: str, others: dict[str, dict[str, Callable[..., Any]]], folder: str) -> dict[str, float]:
    """Print one row of the table; its ratios."""
    function, args = PROGRAMS[name]
    new, fast = first(name, folder)
    plain = value_and_grad(function)
    candidates: dict[str, Candidate] = {"ours": lambda: fast(*args), "NumPy": lambda: plain(*args)}
    known = function.__name__
    for other, programs in others.items():
        if known in programs:
            candidates[other] = (of_torch if other == "torch" else of_jax)(programs[known], args)
    if (found := of_autograd(function, args)) is not None:
        candidates["autograd"] = found
    if known in BY_HAND:
        candidates["by hand"] = lambda: BY_HAND[known](*args)
    value, gradient = plain(*args)
    compiling = ""
    for other, call in candidates.items():
        start = time.process_time()
        got = call()
        if other == "JAX, users":
            compiling = f"{time.process_time() - start:.1f}"
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
    cells = [f"{ratios[k]:.3g}" if k in ratios else "" for k in OTHERS]
    cells += [own, f"{new:.1f}", f"{from_disk(name, folder):.2f}", compiling]
    print(f"| {name} | {times['ours'] * 1e3:.3g} | {' | '.join(cells)} |", flush=True)  # noqa: T201
    return ratios


def main() -> None:
    """Print the table."""
    if sys.argv[1:2] == ["--first"]:
        print(first(*sys.argv[2:])[0])  # noqa: T201
        return
    if not ALLOCATOR.items() <= os.environ.items():
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | ALLOCATOR)
    names = sys.argv[1:]
    picture = Path(names.pop(names.index("--plot") + 1)) if "--plot" in names else None
    names = [n for n in names if n != "--plot"]
    warnings.simplefilter("error", NotCompiledWarning)  # a program that runs as NumPy is no row of this table
    users, experts = jax_loops(), jax_programs()
    others = {"JAX, users": experts | users, "JAX, experts": experts, "torch": torch_programs()}
    print(HEAD + "\n|" + "---|" * (HEAD.count("|") - 1))  # noqa: T201
    chosen = {n: p[0].__name__ for n, p in PROGRAMS.items() if p[0].__name__ in names or not names}
    with tempfile.TemporaryDirectory() as folder:
        rows = {name: row(name, others, folder) for name in chosen}
    loops = {n for n, function in chosen.items() if function not in BY_ARRAYS}
    _summary({n: r for n, r in rows.items() if n in loops}, "programs of loops")
    _summary({n: r for n, r in rows.items() if n not in loops}, "programs of arrays")
    _summary(rows, "all")
    if picture is not None:
        picture.write_text(dots({n: {k: r[k] for k in OTHERS if k in r} for n, r in rows.items()}, OTHERS))


def _summary(rows: dict[str, dict[str, float]], what: str) -> None:
    for other in (*OTHERS, "function"):
        ratios = [r[other] for r in rows.values() if other in r]
        if ratios:
            mean, least = math.exp(np.mean(np.log(ratios))), min(ratios)
            print(f"\n{what}, {other}: {mean:.3g} x as a geometric mean of {len(ratios)}, {least:.3g} x at least")  # noqa: T201


if __name__ == "__main__":
    main()
