"""Time to transform a function of about 50 statements, to load it from the cache, and to dispatch a call.

Run: ``python benchmarks/compile_time.py``.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
import types
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table
from timing import least

from s2sad import grad


def fifty(x, y):
    a = x * y
    b = a + x
    for i in range(10):
        c = np.sin(a) * b
        d = c + a
        e = d * c
        a = e * 0.1
        b = d * 0.5
        if c > 0:
            b = b * a
            c = c - b
            d = d * c
        else:
            b = b + a
            c = c * c
            d = d - a
        e = d + c
        a = a + e * 0.01
        b = b * 0.3
        for j in range(3):
            p = a * b
            q = p + c * j
            r = q * d
            s = r + p
            a = a + s * 0.01
            b = b + r * 0.01
            if p > q:
                a = a * 0.5
                b = b * 0.7
            else:
                a = a * 0.6
                b = b * 0.9
        u = a * b
        v = u + c * i
        w = v * d
        z = w + u
        a = a + z * 0.001
        b = b - z * 0.001
        c = z * w
        d = w * u
        e = u + v
        p = a + b
        q = p * c
        r = q + d
        s = r * e
        a = a + s * 0.001
    return a * b


def once(call: Callable[[], object]) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def fresh_process(body: str) -> float:
    """Median seconds that a fresh interpreter reports, whose modules have been compiled, as those of a package are."""
    code = f"import time; t = time.perf_counter(); {body}; print(time.perf_counter() - t)"
    with tempfile.TemporaryDirectory() as folder:
        surroundings = {**os.environ, "PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
        runs = [
            subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=surroundings).stdout
            for _ in range(8)
        ]
    return statistics.median(map(float, runs[1:]))


def main() -> None:
    """Measure and print."""
    table = Table("what", "milliseconds")
    with tempfile.TemporaryDirectory() as first:
        grad(np_square, cache_dir=first)(1.0)  # rules are loaded
        times = []
        for _ in range(5):
            with tempfile.TemporaryDirectory() as folder:
                times.append(once(lambda f=folder: grad(fifty, cache_dir=f)(1.0, 2.0)))
        table.add_row("transform about 50 statements, run once", f"{1e3 * statistics.median(times):.1f}")
        grad(fifty, cache_dir=first)(1.0, 2.0)
        cached = []
        for _ in range(15):  # a new function of the same source: as in a new process
            again = types.FunctionType(fifty.__code__, fifty.__globals__, fifty.__name__)
            again.__module__ = fifty.__module__
            cached.append(once(lambda f=again: grad(f, cache_dir=first)(1.0, 2.0)))
        table.add_row("the same from the cache, run once", f"{1e3 * statistics.median(cached):.1f}")
        gradient = grad(np_square, cache_dir=first)
        compiled = gradient.__s2sad__[1].compiled(gradient.__s2sad__[2], [2.0]).function
        calls = least({"grad": lambda: gradient(2.0), "direct": lambda: compiled(2.0)})
        table.add_row("dispatch of a call", f"{1e3 * (calls['grad'] - calls['direct']):.4f}")
        gradient = grad(observing, cache_dir=first)
        compiled = gradient.__s2sad__[1].compiled(gradient.__s2sad__[2], [2.0]).function
        calls = least({"grad": lambda: gradient(2.0), "direct": lambda: compiled(2.0)})
        table.add_row("dispatch with ten observations", f"{1e3 * (calls['grad'] - calls['direct']):.4f}")
    numpy_time = fresh_process("import numpy")
    table.add_row("import s2sad, beyond numpy", f"{1e3 * (fresh_process('import s2sad') - numpy_time):.1f}")
    Console().print(table)


def np_square(x):
    return np.sin(x) * x


RATE, SHIFT, act = 0.5, 0.25, np.tanh


class Model:
    SCALE = 2.0


def helper(x, k=3.0):
    return k * x


def observing(x):
    """Its code, three numbers, three functions, a built-in (which no global hides), a class's constant, a default."""
    return Model.SCALE * act(RATE * x) + abs(helper(x)) + SHIFT


if __name__ == "__main__":
    main()
