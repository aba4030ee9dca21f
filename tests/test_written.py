"""Programs that are written as modules: right in another process, where nothing of this one is left."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from s2sad import SourceError, differentiate

PROGRAMS = """
import numpy as np
from scipy import special

WEIGHTS, BIASES, TABLE = np.arange(6.0).reshape(2, 3), [1.0, 2.0], {"k": 3.0, "w": np.array([1.0, np.inf])}
EPS, TURN, FLAGS = np.float64(1e-9), 1 + 2j, np.array([True, False, True])

class Model:
    def __init__(self):
        self.w = np.array([1.0, 2.0, 3.0])

    def energy(self, x):
        return np.sum(np.tanh(self.w * x))

MODEL = Model()

def act(x):
    return np.tanh(x)

def values(x):
    return np.sum(WEIGHTS @ x) * BIASES[1] + TABLE["k"] * np.sum(x[FLAGS]) + EPS + abs(TURN * x[0])

def methods(x):
    return MODEL.energy(x)

def loops(x):
    s = 0.0
    for k in range(len(x)):
        if x[k] > 0.5:
            s = s + special.gammaln(x[k]) * WEIGHTS[0, k]
        else:
            s = s * x[k] + act(x[k])
    return s

def tables(x):
    d = {}
    for i in range(3):
        d[i] = x[i] ** 2
    return sum(d.values())

def scaled(k, a):
    def g(x):
        return np.sum(k * x * a)
    return g

closed = scaled(2.0, np.array([1.0, np.nan, 3.0])[::2])
closed_over = scaled(2.0, np.ones(3))
"""
CHECK = """
import sys
sys.path.insert(0, sys.argv[1])
if sys.argv[2] == "alone":
    sys.modules["s2sad"] = None
import numpy as np
X = np.array([0.3, 0.7, 1.1])
for name in ("values", "methods", "loops", "tables", "closed_over"):
    adjoint, tangent, primal = (
        [v for k, v in vars(__import__(f"{name}_{mode}")).items() if k.endswith(mode) or mode == "primal" and callable(v)][-1]
        for mode in ("adjoint", "tangent", "primal")
    )
    value, slope = adjoint(X)
    print(name, value == primal(X), np.allclose(tangent(X, np.ones(3)), (value, np.sum(slope))), *slope)
"""


@pytest.mark.parametrize("alone", [True, pytest.param(False, marks=pytest.mark.deep)])
def test_programs_are_right_in_another_process(alone: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "written_programs.py").write_text(PROGRAMS)
    (tmp_path / "check.py").write_text(CHECK)
    monkeypatch.syspath_prepend(str(tmp_path))
    import written_programs  # type: ignore[import-not-found]

    x, gradients = np.array([0.3, 0.7, 1.1]), {}
    for name in ("values", "methods", "loops", "tables", "closed_over"):
        f = differentiate(getattr(written_programs, name))
        gradients[name] = f.grad(x)
        for mode in ("adjoint", "tangent", "primal"):
            f.write(mode, tmp_path / f"{name}_{mode}.py", x, standalone=alone)
    command = [sys.executable, str(tmp_path / "check.py"), str(tmp_path), "alone" if alone else "with"]
    said = subprocess.run(command, capture_output=True, text=True, check=True, cwd="/").stdout
    lines = [line.split() for line in said.splitlines()]
    assert [line[:3] for line in lines] == [[name, "True", "True"] for name in gradients]
    for line, gradient in zip(lines, gradients.values(), strict=True):
        np.testing.assert_allclose([float(number) for number in line[3:]], gradient, rtol=1e-12)


def test_what_has_no_literal_and_no_module_is_named(tmp_path: Path) -> None:
    class Local:
        w = 2.0

        def __init__(self) -> None:
            self.v = np.ones(3)

    model = Local()
    f = differentiate(lambda x: np.sum(model.v * x))
    with pytest.raises(SourceError, match="model, which <lambda> finds outside, cannot be written"):
        f.write("adjoint", tmp_path / "f.py", np.ones(3))
    assert not (tmp_path / "f.py").exists()
