"""What strong zeros cost: gradients as they are, beside the same text without them.

Run: ``python benchmarks/strong_zero.py``. A contribution whose adjoint is exactly zero is zero even where the slope is infinite
(``s2sad/rules/CONVENTIONS.md``); that takes one look at each contribution of ``sqrt``, powers and their like, and another one
where there is a zero to be put (``bodies``). Ratios of medians of the processor's time, interleaved in one process; 1.00 where
there is none of these.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import programs
from rich.console import Console
from rich.table import Table

from s2sad import differentiate


def bodies(p, m):
    """The potential energy of bodies: square roots of distances, which are 0 between a body and itself."""
    d = p[:, None, :] - p[None, :, :]
    r = np.sqrt(np.sum(d * d, axis=2))
    inverse = np.where(r > 0, 1.0 / np.where(r > 0, r, 1.0), 0.0)
    return -0.5 * np.sum(m[:, None] * m[None, :] * inverse)


def waves(u, dx):
    """A shallow-water flux: one square root for each cell."""
    h, q = 1.0 + u[0] ** 2, u[1]
    speed = np.abs(q / h) + np.sqrt(9.81 * h)
    flux = q * q / h + 4.9 * h * h
    change = (flux[1:] - flux[:-1]) / dx - 0.5 * (speed[1:] * q[1:] - speed[:-1] * q[:-1]) / dx
    return np.sum(change**2)


def lengths(w, x):
    """Norms of the rows of a product, as in a layer that normalises."""
    y = x @ w
    n = np.linalg.norm(y, axis=1)
    return np.sum(y / (1.0 + n[:, None]))


def variance(x):
    """Standard scores and a power below one."""
    z = (x - np.mean(x, axis=0)) / np.std(x, axis=0)
    return np.sum(np.abs(z) ** 1.5) + np.sum((1.0 + x * x) ** 0.25)


def margins(w, x):
    """A rectified layer, whose rows are normalised: choices where adjoints may be infinite."""
    y = np.maximum(x @ w, 0.0)
    return np.sum(np.sqrt(np.maximum(np.sum(y * y, axis=1), 1e-12))) + np.sum(np.clip(y, 0.0, 1.0))


def text_of(function: Callable[..., Any], args: tuple[Any, ...]) -> str:
    return differentiate(function).source("adjoint", *args)


def loaded(text: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that a generated text defines last."""
    scope = dict(vars(programs)) | {"np": np}
    exec(text, scope)  # noqa: S102  (text of our own)
    found: Callable[..., Any] = scope[f"{function.__name__}_adjoint"]
    return found


def medians(candidates: dict[str, Callable[[], object]], rounds: int = 41, seconds: float = 0.02) -> dict[str, float]:
    """Median seconds of the processor for a call of each candidate; other work on the machine hardly counts."""
    found: dict[str, list[float]] = {name: [] for name in candidates}
    for k in range(rounds):
        for name in sorted(candidates, reverse=bool(k % 2)):
            start, calls = time.process_time(), 0
            while time.process_time() - start < seconds:
                candidates[name]()
                calls += 1
            found[name].append((time.process_time() - start) / calls)
    return {name: statistics.median(times) for name, times in found.items()}


def main() -> None:
    """Measure and print."""
    rng = np.random.default_rng(0)
    cases: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
        "bodies (200)": (bodies, (rng.normal(size=(200, 3)), rng.uniform(1, 2, 200))),
        "waves (100,000)": (waves, (rng.normal(size=(2, 100_000)), 0.1)),
        "lengths (500 x 200)": (lengths, (rng.normal(size=(200, 200)), rng.normal(size=(500, 200)))),
        "margins (500 x 200)": (margins, (rng.normal(size=(200, 200)), rng.normal(size=(500, 200)))),
        "variance (1,000 x 50)": (variance, (rng.normal(size=(1_000, 50)),)),
    }
    cases |= {name: (function, args) for name, (function, args, _) in programs.arguments().items()}
    table = Table("program", "strong zeros", "with / without", title="what strong zeros cost")
    ratios = []
    for name, (function, args) in cases.items():
        text = text_of(function, args)
        count = sum(line.count("strong_zero(") for line in text.splitlines())
        ratio = 1.0
        if count:
            weak = "def strong_zero(x, seed):\n    return x\n\n\n"
            start = text.index("\ndef ") + 1
            calls = {"with": loaded(text, function), "without": loaded(text[:start] + weak + text[start:], function)}
            given = [np.copy(x) if isinstance(x, np.ndarray) else x for x in args]
            run = {key: lambda f=f, a=given: f(*a) for key, f in calls.items()}
            with np.errstate(all="ignore"):
                times = medians(run)
            ratio = times["with"] / times["without"]
        ratios.append(ratio)
        table.add_row(name, str(count), f"{ratio:.3f}")
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    table.add_row("geometric mean", "", f"{mean:.3f}")
    Console().print(table)


if __name__ == "__main__":
    main()
