"""Modules made without knowing what is passed: sums to shapes are left out only where they are none, whatever that is."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from s2sad.cli import main

PROGRAMS = {
    "once": "def f(x, y):\n    z = x * y\n    return np.sum(np.sin(z) * z)\n",
    "two": "def f(x, y):\n    z = np.exp(x) + 1.0\n    w = z * y\n    return np.sum(w * z - 2.0 * y)\n",
    "divided": "def f(x, y):\n    z = x / y\n    return np.sum(z * np.tanh(z) + x)\n",
    "windows": "def f(x, y):\n    z = x[1:, :] - x[:-1, :]\n    return np.sum(z * z) + np.sum(z * y[1:, :])\n",
    "across": "def f(x, y):\n    return np.sum(x[:, 1:] * x[:, :-1] * y[:, :1])\n",
    "stored": (
        "def f(x, y):\n    u = x.copy()\n    for _ in range(3):\n        v = u.copy()\n"
        "        v[1:, :] = 0.5 * (u[1:, :] + u[:-1, :] * y[1:, :])\n        u = v\n    return np.sum(u * u)\n"
    ),
    "carried": (
        "def f(x, y):\n    u = x * 1.0\n    for k in range(3):\n        u = np.sin(u) * y\n    return np.sum(u * np.cos(u))\n"
    ),
    "averaged": (
        "def f(x, y):\n    m = v = 0.0\n    for k in range(3):\n        g = x * x\n        m = 0.9 * m + 0.1 * g\n"
        "        v = 0.5 * v + g * g\n        x = x - m / (v + 2.0)\n    return np.sum(x * m) + np.sum(y)\n"
    ),
    "stretched": (
        "def f(x, y):\n    m = 0.0\n    for k in range(3):\n        m = m + x * y\n        x = np.sin(x) - 0.1 * m\n"
        "    return np.sum(x * m)\n"
    ),
    "one_later": (
        "def f(x, y):\n    m = n = 0.0\n    for k in range(3):\n        for _ in range(2):\n            m = np.sin(m) + n\n"
        "            n = n * n + x\n        x = x + m * y[:1, :]\n    return np.sum(m * x)\n"
    ),
    "chosen": (
        "def f(x, y):\n    if np.sum(x) > 0.0:\n        u = x * y\n    else:\n        u = y * 2.0\n"
        "    return np.sum(u * np.sin(u))\n"
    ),
}
SHAPES = [(), (1,), (3,), (0,), (1, 1), (2, 3), (2, 1), (1, 3), (3, 1), (1, 2, 3), (0, 3)]
DTYPES = (np.float64, np.float32)


@pytest.mark.parametrize("name", PROGRAMS)
def test_adjoints_have_the_form_of_the_arguments_and_agree_with_differences(name: str, tmp_path: Path) -> None:
    source = "import numpy as np\n\n\n" + PROGRAMS[name]
    (tmp_path / "programs.py").write_text(source)
    result = CliRunner().invoke(main, ["transform", str(tmp_path / "programs.py"), "-o", "-"])
    assert result.exit_code == 0, result.output
    scope: dict[str, Any] = {}
    exec(source + result.output, scope)
    tried = 0
    for one, other, first, second in itertools.product(SHAPES, SHAPES, DTYPES, DTYPES):
        rng = np.random.default_rng(len(one) + 7 * len(other))
        x, y = rng.uniform(0.5, 1.5, one).astype(first), rng.uniform(0.5, 1.5, other).astype(second)
        args = [x if one else float(x), y if other else float(y)]
        try:
            scope["f"](*(np.copy(a) if isinstance(a, np.ndarray) else a for a in args))
        except (ValueError, TypeError, IndexError, AttributeError):
            continue  # the program itself refuses them
        _, bars = scope["f_adjoint"](*args)
        tried += 1
        for k, (arg, bar) in enumerate(zip(args, bars, strict=True)):
            assert np.shape(bar) == np.shape(arg), (one, other)
            assert not isinstance(arg, np.ndarray) or bar.dtype == arg.dtype, (one, other, first, second)
            exact = [np.asarray(a, float) if np.ndim(a) else float(a) for a in args]
            step = 1e-6 * (rng.standard_normal(np.shape(arg)) if np.ndim(arg) else 1.0)
            up, down = list(exact), list(exact)
            up[k], down[k] = exact[k] + step, exact[k] - step
            with np.errstate(all="ignore"):
                difference = (scope["f"](*up) - scope["f"](*down)) / 2
            np.testing.assert_allclose(np.sum(bar * step), difference, rtol=3e-3, atol=1e-11)
    assert tried > 8


STENCIL = """import numpy as np


def f(u, steps):
    for _ in range(steps):
        v = u.copy()
        v[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        u = v
    return np.sum(u)
"""


def test_what_begins_as_a_number_has_the_shape_that_is_added(tmp_path: Path) -> None:
    (tmp_path / "programs.py").write_text("import numpy as np\n\n\n" + PROGRAMS["averaged"])
    result = CliRunner().invoke(main, ["transform", str(tmp_path / "programs.py"), "-o", "-"])
    loop = result.output.partition("# reverse sweep")[2].partition("for k")[2]
    assert re.findall(r"unbroadcast\(.*?, (\w+)\)", loop.partition("return")[0]) == ["v", "m"]


def test_a_stencil_records_nothing_for_shapes(tmp_path: Path) -> None:
    (tmp_path / "programs.py").write_text(STENCIL)
    result = CliRunner().invoke(main, ["transform", str(tmp_path / "programs.py"), "-o", "-"])
    loop = result.output.partition("# reverse sweep")[2].partition("for _")[2].partition("u_bar = ")[0]
    assert "stand_in" not in result.output
    assert loop
    assert "unbroadcast" not in loop
