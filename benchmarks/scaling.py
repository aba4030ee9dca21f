"""How cost grows: element loops that gather and scatter, and time loops in place, beside autograd and torch.

Run: ``python benchmarks/scaling.py``. For each program: the slope of log time on log size (1: as the primal's cost grows),
and the time over the primal's at the largest size that all were asked for. Then the memory of time loops: peak over the
primal's, in arrays of N numbers. autograd and torch are optional; a dash says that they cannot run the program at all,
or that it takes more than a few seconds.
"""

from __future__ import annotations

import tempfile
import time
import tracemalloc
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from timing import medians

from s2sad import value_and_grad

Function = Callable[..., Any]
PATIENCE = 2.0  # seconds a call


def gather(a: Any, idx: Any) -> Any:
    """The sum of squares of chosen items, one by one."""
    s = 0.0
    for i in range(len(idx)):
        s += a[idx[i]] ** 2
    return s


def scatter(a: Any, idx: Any) -> Any:
    """The same sums by cell: the twin that writes."""
    b = np.zeros(len(a))
    for i in range(len(idx)):
        b[idx[i]] += a[i] ** 2
    return np.sum(b * b)


def diffuse(u: Any, steps: int, c: float) -> Any:
    """A linear time loop in place."""
    for _ in range(steps):
        u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def advect(u: Any, steps: int, c: float) -> Any:
    """A nonlinear time loop in place."""
    for _ in range(steps):
        u[1:] -= c * u[1:] * (u[1:] - u[:-1])
    return np.sum(u * u)


def by_indices(n: int) -> tuple[Any, ...]:
    """An array and places in it."""
    rng = np.random.default_rng(0)
    return rng.normal(size=n), rng.integers(0, n, size=n)


def wave(n: int) -> Any:
    """A smooth and positive start, from which both time loops stay bounded."""
    return 1.0 + 0.5 * np.sin(np.linspace(0.0, 6.0, n))


def by_steps(n: int) -> tuple[Any, ...]:
    """A short array and many steps."""
    return wave(64), n, 1e-3


def by_points(n: int) -> tuple[Any, ...]:
    """A long array and a few steps."""
    return wave(n), 40, 1e-3


CASES: list[tuple[str, Function, Callable[[int], tuple[Any, ...]], Sequence[int]]] = [
    ("gather in a loop", gather, by_indices, (2000, 4000, 8000, 16000, 32000)),
    ("scatter in a loop", scatter, by_indices, (2000, 4000, 8000, 16000, 32000)),
    ("linear time loop, steps", diffuse, by_steps, (500, 1000, 2000, 4000, 8000)),
    ("nonlinear time loop, steps", advect, by_steps, (500, 1000, 2000, 4000, 8000)),
    ("linear time loop, points", diffuse, by_points, (20000, 40000, 80000, 160000)),
    ("nonlinear time loop, points", advect, by_points, (20000, 40000, 80000, 160000)),
]


def for_autograd(function: Function) -> Function | None:
    """The same program on autograd's NumPy; None where autograd cannot run it (it has no stores)."""
    try:
        import autograd
        import autograd.numpy as anp
    except ImportError:
        return None
    if function is not gather:
        return None
    return autograd.value_and_grad(types.FunctionType(function.__code__, {"np": anp}))  # type: ignore[no-any-return]


def for_torch(function: Function) -> Function | None:
    """The same program on tensors."""
    try:
        import torch
    except ImportError:
        return None

    class Names:
        """The two functions of NumPy that the programs call."""

        sum = staticmethod(torch.sum)

        @staticmethod
        def zeros(n: int) -> Any:
            return torch.zeros(n, dtype=torch.float64)

    on_tensors = types.FunctionType(function.__code__, {"np": Names, "len": len, "range": range})

    def run(a: Any, *rest: Any) -> Any:
        leaf = torch.tensor(a, requires_grad=True)
        value = on_tensors(leaf if function in (gather, scatter) else leaf.clone(), *rest)
        value.backward()
        return float(value.detach()), leaf.grad.numpy()

    return run


def slope(sizes: Sequence[int], times: Sequence[float]) -> float:
    """The least-squares slope of log time on log size."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def measure(
    function: Function, make: Callable[[int], tuple[Any, ...]], sizes: Sequence[int]
) -> dict[str, list[float]]:
    """Median times of each candidate at each size; shorter lists where patience ran out."""
    found: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        others = {"autograd": for_autograd(function), "torch": for_torch(function)}
        candidates: dict[str, Function] = {
            "primal": lambda a, *rest: function(a.copy(), *rest),
            "s2sad": value_and_grad(function, cache_dir=folder),
            **{name: run for name, run in others.items() if run is not None},
        }
        for n in sizes:
            args = make(n)
            expected = candidates["s2sad"](*args)[1]
            for name in list(candidates):
                start = time.perf_counter()
                try:
                    result = candidates[name](*args)
                except (
                    RuntimeError
                ):  # torch: a leaf's view, or what the reverse sweep needs, was changed in place
                    del candidates[name]
                    continue
                if time.perf_counter() - start > PATIENCE:
                    del candidates[name]
                elif name not in ("primal", "s2sad"):
                    np.testing.assert_allclose(result[1], expected, rtol=1e-8, atol=1e-10)
            times: dict[str, float] = {}
            for group in (["primal", "s2sad"], ["autograd"], ["torch"]):  # apart: torch's graphs push all else out of caches
                chosen = {name: candidates[name] for name in group if name in candidates}
                times |= medians({name: lambda run=run, args=args: run(*args) for name, run in chosen.items()}, rounds=7)
            for name, seconds in times.items():
                found.setdefault(name, []).append(seconds)
    return found


def peak(call: Callable[[], object]) -> int:
    """The most bytes allocated at a time during a call."""
    call()
    tracemalloc.start()
    call()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def memory(function: Function, steps: Sequence[int], points: int) -> list[float]:
    """Peak memory of value and gradient over the primal's, in arrays of ``points`` numbers."""
    u = wave(points)
    with tempfile.TemporaryDirectory() as folder:
        ours = value_and_grad(function, cache_dir=folder)
        ours(u, 2, 1e-3)
        return [
            (peak(lambda t=t: ours(u, t, 1e-3)) - peak(lambda t=t: function(u.copy(), t, 1e-3)))
            / (8 * points)
            for t in steps
        ]


def main() -> None:
    """Measure and print."""
    names = ("s2sad", "autograd", "torch")
    table = Table(
        "program", "primal", *names, *(f"{n} / primal" for n in names), title="slope of log time on log size"
    )
    for title, function, make, sizes in CASES:
        times = measure(function, make, sizes)
        row = [slope(sizes, times["primal"])]
        row += [
            slope(sizes[: len(times[n])], times[n]) if len(times.get(n, ())) > 1 else np.nan for n in names
        ]
        last = min(len(times[n]) for n in names if times.get(n)) - 1
        row += [times[n][last] / times["primal"][last] if times.get(n) else np.nan for n in names]
        table.add_row(title, *("-" if np.isnan(x) else f"{x:.3g}" for x in row))
    console = Console(width=150)
    console.print(table)
    steps = (100, 200, 400)
    table = Table(
        "program", *(f"{t} steps" for t in steps), title="peak memory beyond the primal's, in arrays of N"
    )
    for title, function in (("linear time loop", diffuse), ("nonlinear time loop", advect)):
        table.add_row(title, *(f"{x:.2f}" for x in memory(function, steps, 20000)))
    console.print(table)


if __name__ == "__main__":
    main()
