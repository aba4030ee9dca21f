"""Our adjoints beside those written by hand: time, memory, statements, of the ten programs of ``hand_written.py``.

Run: ``python benchmarks/by_hand.py [NAME ...]``. Values and gradients are compared first. Times are medians of the processor's,
taken in turns; memory is the most that a call holds (``tracemalloc``); statements are those of both texts with all functions
that they define, docstrings and imports aside.
"""

from __future__ import annotations

import ast
import copy
import inspect
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
from hand_written import PROGRAMS, Pair
from rich.console import Console
from rich.table import Table
from timing import medians

from s2sad import differentiate

TARGETS = (1.1, 1.2, 1.3)  # of those by hand, at most


def statements(source: str) -> int:
    """The statements of all functions."""
    found = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt)]
    plain = [node for node in found if not isinstance(node, ast.FunctionDef | ast.Import | ast.ImportFrom)]
    return sum(not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)) for node in plain)


def held(call: Callable[[], object]) -> int:
    """The most bytes that a call holds at once, beyond what there was."""
    call()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def ratios(pair: Pair) -> tuple[float, float, float]:
    """Time, memory and statements of our adjoint over those of the one by hand. Raises AssertionError where they differ."""
    args = pair.arguments(np.random.default_rng(0), small=False)
    with tempfile.TemporaryDirectory() as folder:
        ours = differentiate(pair.function, wrt=pair.wrt, cache_dir=folder)
        text = ours.source("adjoint", *copy.deepcopy(args))
        value, gradients = ours.value_and_grad(*args)
        expected, by_hand = pair.by_hand(*args)
        np.testing.assert_allclose(value, expected, rtol=1e-9)
        for one, other in zip(gradients, by_hand, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9 * np.max(np.abs(other)))
        calls: dict[str, Callable[[], object]] = {
            "ours": lambda: ours.value_and_grad(*args), "by hand": lambda: pair.by_hand(*args),
        }  # fmt: skip
        times = medians(calls, seconds=0.1, clock=time.process_time)
        memory = {name: held(call) for name, call in calls.items()}
    lengths = statements(text), sum(statements(inspect.getsource(f)) for f in (pair.by_hand, *pair.used))
    return times["ours"] / times["by hand"], memory["ours"] / memory["by hand"], lengths[0] / lengths[1]


def main(names: list[str]) -> None:
    """Measure and print."""
    columns = [f"{what} (at most {t})" for what, t in zip(("time", "memory", "statements"), TARGETS, strict=True)]
    table = Table("program", *columns, title="value and gradient, over that by hand")
    for name in names or PROGRAMS:
        found = ratios(PROGRAMS[name])
        table.add_row(name, *(f"{r:.2f}{' !' * (r > t)}" for r, t in zip(found, TARGETS, strict=True)))
    Console().print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
