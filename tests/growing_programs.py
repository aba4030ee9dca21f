"""Programs of any size, to see how the making of their derivatives grows; each is called ``f`` and takes numbers, mostly two."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

STATEMENTS = ("a = np.sin(a) * b", "b = b + a * 0.1", "c = a * c + b", "a = a - c * 0.01")
HEAD = ["import numpy as np", "def f(x, y):", "    a, b, c = x * y, x + y, x - y"]
ENDS = ["    return a * b + c"]


def indented(depth: int, *lines: str) -> list[str]:
    return ["    " * depth + line for line in lines]


def straight_line(n: int) -> list[str]:
    return [*HEAD, *(line for k in range(n) for line in indented(1, STATEMENTS[k % 4])), *ENDS]


def names_of_their_own(n: int) -> list[str]:
    forms = ("np.sin({0}) * {1}", "{0} + {1} * 0.1", "{0} * {1}", "{0} - 0.5 * {1}")
    lines = [f"v{k} = {forms[k % 4].format(f'v{k - 1}', f'v{k - 2}')}" for k in range(2, n)]
    return ["import numpy as np", "def f(x, y):", *indented(1, "v0, v1 = x, y", *lines, f"return v{n - 1}")]


def stores(n: int) -> list[str]:
    lines = [f"w[{k % 7 + 1}] = np.sin(w[{k % 7}]) * y" for k in range(n)]
    return ["import numpy as np", "def f(x, y):", *indented(1, "w = x * np.ones(9)", *lines, "return np.sum(w)")]


def products_of_products(n: int) -> list[str]:
    lines = indented(1, "a = a * b", "b = np.sin(b) * a") * n
    return [*HEAD, *lines, *indented(1, "return a / (1.0 - b)")]


def many_arguments(n: int) -> list[str]:
    names = [f"x{k}" for k in range(n)]
    lines = indented(1, "total = 0.0", *(f"total = total + np.sin({name})" for name in names), "return total")
    return ["import numpy as np", f"def f({', '.join(names)}):", *lines]


def windows(n: int) -> list[str]:
    lines = ["w[1:] = w[:-1] * y + np.sin(w[1:])"] * n
    return ["import numpy as np", "def f(x, y):", *indented(1, "w = x * np.ones(9)", *lines, "return np.sum(w)")]


def branches(n: int) -> list[str]:
    arms = (indented(1, f"if a > {k}:", "    a = a * b", "else:", "    a = np.sin(a) + y") for k in range(n))
    return [*HEAD, *(line for arm in arms for line in arm), *ENDS]


def loops(n: int) -> list[str]:
    return [*HEAD, *indented(1, "for k in range(3):", "    a = np.sin(a) + y") * n, *ENDS]


def nested(n: int, before: Callable[[int], list[str]], body: list[str]) -> list[str]:
    lines = [line for k in range(n) for line in indented(k + 1, *before(k), f"for i{k} in range(2):")]
    return [*HEAD, *indented(1, "best = None", "d = {'a': x, 'b': 0}"), *lines, *indented(n + 1, *body), *ENDS]


def nested_loops(n: int) -> list[str]:
    return nested(n, lambda _: [], ["a = np.sin(a) + y"])


def nested_loops_that_keep_the_best(n: int) -> list[str]:
    body = ["a = np.sin(a) + y", "if best is None or a > best[0]:", "    best = (a, i0)", "c = best[0]"]
    return nested(n, lambda _: [], body)


def nested_loops_with_names_of_their_own(n: int) -> list[str]:
    body = ["s0 = s0 + t0", "a = a * s0", "d['b'] = d['b'] + a", "b = d['b']"]
    return nested(n, lambda k: [f"s{k} = 0", f"t{k} = a * 0.5"], body)


def nested_while_loops(n: int) -> list[str]:
    lines = [line for k in range(n) for line in indented(k + 1, f"i{k} = 0", f"while i{k} < 2:", f"    i{k} += 1")]
    return [*HEAD, *lines, *indented(n + 1, "a = np.sin(a) + y"), *ENDS]


def calls_that_call_twice(n: int) -> list[str]:
    functions = [[f"def f{k}(x, y):", f"    return f{k - 1}(x, y) + f{k - 1}(y, x)"] for k in range(1, n)]
    first = ["import numpy as np", "def f0(x, y):", "    return np.sin(x) * y"]
    return [*first, *(line for lines in functions for line in lines), "def f(x, y):", f"    return f{n - 1}(x, y)"]


def loops_in_functions_that_are_called(n: int) -> list[str]:
    body = ["    for i in range(2):", "        x = f{}(x, y)", "    return x"]
    functions = [[f"def f{k}(x, y):", *(line.format(k - 1) for line in body)] for k in range(1, n)]
    first = ["import numpy as np", "def f0(x, y):", "    return np.sin(x) * y"]
    return [*first, *(line for lines in functions for line in lines), "def f(x, y):", f"    return f{n - 1}(x, y)"]


def program(lines: list[str], folder: Path, name: str) -> Callable[..., Any]:
    """The function ``f`` of a module with these lines."""
    file = folder / f"{name}.py"
    file.write_text("\n".join(lines) + "\n")
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[..., Any] = module.f
    return found
