"""A time loop with few states: how often steps are computed, how many states are kept, and how long it takes.

    python benchmarks/checkpoints.py [steps [snapshots]]

Steps forward are counted in the adjoint program as it is, and compared with the least number that is possible with as many states
(Griewank & Walther 2000); times are the least of the processor, beside the same loop that records every step, where it fits.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Callable
from math import comb
from typing import Any

import numpy as np

from s2sad import checkpointed, differentiate

SIZE = 1000


@differentiate
def kept(u, steps, snapshots):
    """A nonlinear stencil in place; few states."""
    for _ in checkpointed(range(steps), snapshots=snapshots):
        u[1:-1] += 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * u[1:-1]
    return np.sum(u * u)


@differentiate
def ended(u, steps, snapshots):
    """The same by a loop of which nobody knows how long it runs."""
    k = 0
    while checkpointed(k < steps, snapshots=snapshots):
        u[1:-1] += 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * u[1:-1]
        k += 1
    return np.sum(u * u)


@differentiate
def recorded(u, steps):
    """The same, recorded."""
    for _ in range(steps):
        u[1:-1] += 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * u[1:-1]
    return np.sum(u * u)


def fewest(steps: int, snapshots: int) -> int:
    """The least number of steps forward by which as many steps are reversed."""
    again = 0
    while comb(snapshots + again, again) < steps:
        again += 1
    return again * steps - comb(snapshots + again, again - 1) if again else 0


def steps_forward(program: Any, *args: Any) -> int:
    """How often the adjoint program computes a step forward, apart from those that it reverses at once."""
    text = program.source("adjoint", *args)
    namespace: dict[str, Any] = {}
    exec(text, namespace)  # noqa: S102 - our own text
    name = program.function.__name__
    step, count = namespace[f"{name}_step"], 0

    def counting(*given: Any) -> Any:
        nonlocal count
        count += 1
        return step(*given)

    namespace[f"{name}_step"] = counting
    namespace[f"{name}_adjoint"](*args)
    return count


def least_time(run: Callable[[], Any], repeats: int) -> float:
    """The least processor time of some runs."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def peak(run: Callable[[], Any]) -> float:
    """The most memory at a time, in arrays of SIZE numbers."""
    tracemalloc.start()
    run()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / (8 * SIZE)


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")


def main(steps: int, snapshots: int) -> None:
    """Print the figures."""
    u = np.random.default_rng(0).uniform(0.5, 1.0, SIZE)
    least = fewest(steps + 1, snapshots)
    for program in (kept, ended):
        count = steps_forward(program, u, steps, snapshots)
        states = max(row.items for row in program.tape(u, steps, snapshots) if row.name == "kept")
        say(
            f"{program.function.__name__:9} {steps} steps, {snapshots} snapshots: {count / steps:.3f} steps forward a step, "
            f"the least is {least / steps:.3f}, ratio {count / least:.3f}; states at the turn: {states}"
        )
    for n in (steps // 1000, steps // 100, steps // 10):
        value, bar = kept.value_and_grad(u, n, snapshots)
        other, expected = recorded.value_and_grad(u, n)
        assert value == other
        assert np.array_equal(bar, expected)
        few = least_time(lambda: kept.grad(u, n, snapshots), 3)  # noqa: B023
        all_ = least_time(lambda: recorded.grad(u, n), 3)  # noqa: B023
        arrays = peak(lambda: kept.grad(u, n, snapshots)), peak(lambda: recorded.grad(u, n))  # noqa: B023
        say(
            f"{n} steps: checkpointed {few:.3f} s, recorded {all_:.3f} s, ratio {few / all_:.2f}; "
            f"peak memory in arrays: {arrays[0]:.0f} and {arrays[1]:.0f}"
        )


if __name__ == "__main__":
    given = [int(text) for text in sys.argv[1:]]
    main(*[*given, *(100_000, 50)[len(given) :]])
