"""Interleaved timing: medians of several candidates, measured in turns in one process."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def medians(
    candidates: dict[str, Callable[[], object]], rounds: int = 15, seconds: float = 0.02,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:  # fmt: skip
    """Median seconds a call of each candidate; all are timed once in every round."""
    repeats: dict[str, int] = {}
    for name, call in candidates.items():
        call()
        start = clock()
        call()
        repeats[name] = max(1, int(seconds / max(clock() - start, 1e-9)))
    found: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, call in candidates.items():
            start = clock()
            for _ in range(repeats[name]):
                call()
            found[name].append((clock() - start) / repeats[name])
    return {name: statistics.median(times) for name, times in found.items()}


def least(
    candidates: dict[str, Callable[[], object]], rounds: int = 1000, calls: int = 100,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:  # fmt: skip
    """Least seconds a call of each candidate in many short rounds, taken in turns: without what a busy machine adds."""
    found = dict.fromkeys(candidates, float("inf"))
    for _ in range(rounds):
        for name, call in candidates.items():
            start = clock()
            for _ in range(calls):
                call()
            found[name] = min(found[name], (clock() - start) / calls)
    return found
