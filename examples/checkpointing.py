"""Checkpointing: memory against time, by recording all, by segments that are computed again, and by the binomial schedule.

A deep chain of layers, differentiated by its weights. Recording keeps something of every layer. With ``@checkpoint`` around
segments of sqrt(n) layers the adjoint keeps one state a segment, and computes each layer once more: about a third more work, as
the reverse of a layer is two products where its forward is one. ``checkpointed`` keeps as many states as it is told, and
computes the least number of layers that is possible with these (Griewank & Walther 2000): with log2(n) states that grows as
log2(n), too. Operations and peak memory are those of ``f.cost``. Run it::

    python examples/checkpointing.py
"""

from __future__ import annotations

from math import comb, log2
from pathlib import Path
from typing import Any

import numpy as np
import pictures

from s2sad import checkpoint, checkpointed, differentiate
from s2sad.costs import Run

WIDTH, BATCH = 16, 32
STATE = 8 * WIDTH * BATCH  # bytes of what a layer hands to the next


@differentiate(wrt="w")
def recorded(w: np.ndarray, x: np.ndarray, depth: int) -> float:
    """The chain; every layer is recorded."""
    for _ in range(depth):
        x = np.tanh(w @ x) + 0.5 * x
    return np.sum(x * x)


@checkpoint
def segment(w: np.ndarray, x: np.ndarray, length: int) -> np.ndarray:
    """Some layers, which are computed again in the reverse sweep."""
    for _ in range(length):
        x = np.tanh(w @ x) + 0.5 * x
    return x


@differentiate(wrt="w")
def segmented(w: np.ndarray, x: np.ndarray, depth: int) -> float:
    """The chain in segments of about sqrt(depth) layers; depth is a square."""
    length = int(np.sqrt(depth))
    for _ in range(length):
        x = segment(w, x, length)
    return np.sum(x * x)


@differentiate(wrt="w")
def binomial(w: np.ndarray, x: np.ndarray, depth: int, snapshots: int) -> float:
    """The chain with few states."""
    for _ in checkpointed(range(depth), snapshots=snapshots):
        x = np.tanh(w @ x) + 0.5 * x
    return np.sum(x * x)


def data() -> tuple[np.ndarray, np.ndarray]:
    """Weights and a batch of inputs."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(WIDTH, WIDTH)) / WIDTH, rng.normal(size=(WIDTH, BATCH))


def cost(program: Any, *settings: int) -> Run:
    """Operations and peak memory of value and gradient."""
    return program.cost(*data(), *settings, repeats=1).adjoint


def states(run: Run) -> float:
    """Peak memory in states of the chain."""
    return run.peak / STATE


def fewest(steps: int, snapshots: int) -> int:
    """The least number of steps forward by which as many are reversed."""
    again = 0
    while comb(snapshots + again, again) < steps:
        again += 1
    return again * steps - comb(snapshots + again, again - 1) if again else 0


def layers_forward(depth: int, snapshots: int) -> float:
    """How many layers are computed on the way, beside those that are reversed at once; with all states it is ``depth``."""
    layer = recorded.cost(*data(), depth + 1).primal.operations - recorded.cost(*data(), depth).primal.operations
    more = cost(binomial, depth, snapshots).operations - cost(binomial, depth, depth + 1).operations
    return depth + more / layer


def picture() -> Path:
    """Memory over operations for a chain of 1024 layers."""
    depth, all_ = 1024, cost(recorded, 1024)
    plot = pictures.axes("A chain of 1024 layers", "operations, over those with all recorded", "peak memory in states", y="log")
    runs = [cost(binomial, depth, n) for n in (3, 4, 5, 6, 8, 10, 15, 20, 32, 64, 128, 256, 512)]
    plot.plot([r.operations / all_.operations for r in runs], [states(r) for r in runs], "o-", label="binomial, 3 to 512 states")
    parts = cost(segmented, depth)
    plot.plot([parts.operations / all_.operations], [states(parts)], "s", label="32 segments")
    plot.plot([1.0], [states(all_)], "^", label="all recorded")
    return pictures.save(plot, "checkpointing")


def main() -> None:
    """Print operations and memory for chains of three depths."""
    print("operations over those with all recorded, and peak memory in states of the chain")
    print("depth      recorded        sqrt(n) segments      log2(n) states")
    for depth in (64, 256, 1024):
        all_, parts, few = cost(recorded, depth), cost(segmented, depth), cost(binomial, depth, int(log2(depth)))
        cells = [f"{run.operations / all_.operations:5.2f} {states(run):8.1f}" for run in (all_, parts, few)]
        print(f"{depth:5}  {cells[0]:>16}  {cells[1]:>16}  {cells[2]:>18}")
    print(f"\n256 layers with 8 states: {layers_forward(256, 8):.0f} layers forward, the least is {fewest(257, 8)}")
    print("bytes that are kept for the reverse sweep:")
    print(f"  {recorded.tape(*data(), 256).bytes:9,} recorded")
    print(f"  {segmented.tape(*data(), 256).bytes:9,} by 16 segments")
    print(f"  {binomial.tape(*data(), 256, 8).bytes:9,} by 8 states")


if __name__ == "__main__":
    main()
