"""How the time and the memory to make an adjoint grow with the program. Each is made in processes of its own, three times.

Run: ``python benchmarks/growth.py``. Times are those of the processor, medians; the slope is that of log time on log size.
"""

from __future__ import annotations

import json
import math
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import growing_programs as grown

from s2sad import differentiate, grad

SIZES = (
    (grown.straight_line, (50, 200, 800, 3200)),
    (grown.stores, (50, 200, 800)),
    (grown.branches, (50, 200, 800)),
    (grown.loops, (50, 200, 800)),
    (grown.nested_loops, (4, 8, 15)),
    (grown.nested_loops_with_names_of_their_own, (4, 8, 15)),
    (grown.calls_that_call_twice, (8, 15, 30)),
)
LONGEST = 600  # seconds for one program
TIMES = 3


def square(x: float) -> float:
    return float(np.sin(x) * x)


def peak() -> float:
    """The most memory that this process has had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 if sys.platform == "darwin" else 1024)


def make(name: str, size: int) -> None:
    """Make one adjoint, and write down the seconds and the megabytes that it took."""
    with tempfile.TemporaryDirectory() as folder:
        function = grown.program(getattr(grown, name)(size), Path(folder), name)
        grad(square, cache_dir=folder)(1.0)  # rules are loaded
        before, start = peak(), time.process_time()
        differentiate(function, cache_dir=folder).source("adjoint", 0.3, 0.4)
        sys.stdout.write(json.dumps([time.process_time() - start, peak() - before]))


def measured(name: str, size: int) -> tuple[float, float] | None:
    """The median seconds and megabytes of one program; None where it takes too long."""
    runs: list[tuple[float, float]] = []
    for _ in range(TIMES):
        try:
            run = subprocess.run(
                [sys.executable, __file__, name, str(size)], capture_output=True, text=True, check=True, timeout=LONGEST
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return None
        runs.append(json.loads(run.stdout))
    seconds, megabytes = (statistics.median(found) for found in zip(*runs, strict=True))
    return seconds, megabytes


def main() -> None:
    """Measure and print."""
    table = Table("program", "size", "seconds", "megabytes", "slope")
    for build, sizes in SIZES:
        last: tuple[int, float] | None = None
        for size in sizes:
            found = measured(build.__name__, size)
            if found is None:
                table.add_row(build.__name__, str(size), f"over {LONGEST}", "", "")
                break
            slope = "" if last is None else f"{math.log(found[0] / last[1]) / math.log(size / last[0]):.2f}"
            table.add_row(build.__name__.replace("_", " "), str(size), f"{found[0]:.2f}", f"{found[1]:.0f}", slope)
            last = size, found[0]
    Console().print(table)


if __name__ == "__main__":
    make(sys.argv[1], int(sys.argv[2])) if len(sys.argv) > 1 else main()
