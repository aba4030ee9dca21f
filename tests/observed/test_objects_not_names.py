"""What is known belongs to an object: not to what it is called, nor to what it is taken for, nor to what else was looked at."""

from __future__ import annotations

import re
import sys
import types
from pathlib import Path
from typing import Any

import pytest

import s2sad
from observed.test_worlds import derivative, slope
from s2sad import derivatives, grad, jvp, rule
from s2sad.rules import registry, user

HEAD = """
import copy
import enum
import math
import numpy as np
class Matrix(np.ndarray):
    def __mul__(self, other):
        return 7.0 * other
class Number(float):
    def __mul__(self, other):
        return 7.0 * other
    __rmul__ = __mul__
class Items(list):
    def __getitem__(self, k):
        return 7.0
class Table(dict):
    def __getitem__(self, k):
        return 7.0
class Pair(tuple):
    def __getitem__(self, k):
        return 7.0
"""
# Programs whose names, classes or neighbours suggest something else than they do. Each is right in both modes, or refused.
PROGRAMS = {
    "lambdas on one line": "fs = [lambda x: x**2, lambda x: x**3]\ndef f(x):\n    return fs[1](x) - fs[0](x)",
    "lambdas of a dictionary": "fs = {'a': lambda x: x**2, 'b': lambda x: x**3}\ndef f(x):\n    return fs['b'](x) * fs['a'](x)",
    "functions of one name": "def make(k):\n    def g(x):\n        return k * x * x\n    return g\n"
    "a, b = make(2.0), make(np.array([3.0]))\ndef f(x):\n    return a(x) + np.sum(b(x))",
    "a module by another name": "import heapq as hq\ndef f(x):\n"
    "    a = [x, 3.0, x * x]\n    hq.heapify(a)\n    return hq.heappop(a) * 2.0",
    "a function by another name": "from heapq import heappop as take\ndef f(x):\n    a = [x * x, 3.0]\n    return take(a) * x",
    "names of derivatives": "def f(x):\n    theta_dot = x * x\n    x_bar = theta_dot * x\n"
    "    out_bar = x_bar + x\n    return out_bar * theta_dot",
    "names of ours": "def step(x):\n    return x * x\ndef f(x):\n    tape = step(x)\n"
    "    v1_tape = tape * x\n    return v1_tape + tape",
    "names of helpers": "def unbroadcast(x, like):\n    return x * like\n"
    "def f(x):\n    return np.sum(unbroadcast(np.array([x, x]), 3.0) * x)",
    "an alias of a library under a library's name": "sin = np.cos\ndef f(x):\n    return sin(x)",
    "a class called as one of a library": "class ndarray:\n    k = 3.0\ndef f(x):\n    return ndarray.k * x",
    "a function called as a primitive": "def tanh(x):\n    return 3.0 * x\ndef f(x):\n    return tanh(x)",
    "a module of one's own by a library's name": "import types\nmath = types.SimpleNamespace(sin=lambda x: 3.0 * x)\n"
    "def f(x):\n    return math.sin(x)",
    "a lie about what is wrapped": "class J:\n    def __init__(self, g):\n        self.py_func = g\n    def __call__(self, x):\n"
    "        return 5.0 * self.py_func(x)\ng = J(lambda x: x * x)\ndef f(x):\n    return g(x)",
    "a lie about a module": "def g(x):\n    return 3.0 * x\ng.__module__, g.__qualname__, g.__name__ = 'numpy', 'sin', 'sin'\n"
    "def f(x):\n    return g(x)",
    "a matrix": "M = np.matrix([[1.0, 2.0], [3.0, 4.0]])\ndef f(x):\n    return np.sum(np.asarray((M * x) * M))",
    "an array of one's own": "M = np.ones(2).view(Matrix)\ndef f(x):\n    return np.sum(M * x)",
    "a number of one's own": "M = Number(2.0)\ndef f(x):\n    return M * x",
    "a list of one's own": "M = Items([2.0])\ndef f(x):\n    return M[0] * x",
    "a dict of one's own": "M = Table(a=2.0)\ndef f(x):\n    return M['a'] * x",
    "a tuple of one's own": "M = Pair((2.0,))\ndef f(x):\n    return M[0] * x",
    "a table by type": "T = {float: np.sin, int: np.exp}\ndef f(x):\n    return T[type(x)](x)",
    "a table by members": "class E(enum.Enum):\n    A = 1\n    B = 2\nT = {E.A: np.sin, E.B: np.exp}\n"
    "def f(x):\n    return T[E(1 if x > 0.5 else 2)](x)",
    "a number of NumPy's": "M = np.float64(2.0)\nR = np.deg2rad(45)\ndef f(x):\n    return M * x + np.sin(R * x)",
    "a member of an IntEnum": "class E(enum.IntEnum):\n    A = 3\ndef f(x):\n    return x ** E.A + E.A * x",
    "names that are joined alike": "class A_b:\n    c = np.array([2.0])\nclass A:\n"
    "    b_c = np.array([3.0])\nA_b_c = np.array([5.0])\n"
    "def f(x):\n    return np.sum(A_b.c * x + A.b_c * x * x + A_b_c * x**3)",
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = made(PROGRAMS[name], name, tmp_path, monkeypatch)
    expected = slope(module.f)
    assert expected is not None
    for make in (grad, lambda f: lambda x: jvp(f, (x,), (1.0,))[1]):
        found = derivative(module.f, make)
        assert found is None or abs(found - expected) < 1e-6 * max(1.0, abs(expected))


def made(text: str, name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    label = "objects_" + re.sub(r"\W", "_", name)
    (folder / f"{label}.py").write_text(HEAD + text)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return __import__(label)


def slope_of_rule(out_bar: Any, out: Any, x: Any) -> Any:
    """A user's rule that has a helper with the name of one of ours."""
    return (copy_of(out_bar, x),)


def copy_of(out_bar: Any, x: Any) -> Any:
    return 10.0 * out_bar * x


def taught(x):
    return 5.0 * x * x


def uses_taught(x):
    s = 0.0
    for _ in range(2):
        x = x * 1.5
        s += taught(x) * x
    return s


def test_a_rule_whose_helper_is_called_as_one_of_ours() -> None:
    saved = [dict(table) for table in (registry._primitives, registry._objects, user._described, user._injected)]
    try:
        rule(taught, vjp=slope_of_rule, jvp=lambda out, args, dots: copy_of(dots[0], args[0]))
        assert abs(grad(uses_taught)(0.7) - slope(uses_taught)) < 1e-5  # type: ignore[operator]
        assert abs(jvp(uses_taught, (0.7,), (1.0,))[1] - slope(uses_taught)) < 1e-5  # type: ignore[operator]
    finally:
        for table, old in zip((registry._primitives, registry._objects, user._described, user._injected), saved, strict=True):
            table.clear()
            table.update(old)
        registry._modules_seen = -1
        registry.revision += 1


METHOD = """
import re
PATTERN = re.compile("a")
class Model:
    def __init__(self, w):
        self.w = w
    def loss(self, x):
        other = copy.copy(self)
        return other.w * x * x
model = Model(2.0)
def f(x):
    return model.loss(x)
"""


def test_what_others_do_generates_nothing_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was not looked at may change: regular expressions fill ``re._cache``, which ``copy`` and ``re`` know of."""
    module = made(METHOD, "method", tmp_path, monkeypatch)
    generate, calls = derivatives.Derivatives.generate, []

    def counted(self: Any, *args: Any, **options: Any) -> Any:
        calls.append(1)
        return generate(self, *args, **options)

    monkeypatch.setattr(derivatives.Derivatives, "generate", counted)
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path / "cache"))
    for process in range(3):  # each knows what lies on the disk alone
        derivatives._kept.clear()
        vars(module.f).pop("__s2sad_own__", None)
        for k in range(4):
            re.compile(f"{process}{k}")
            module.unrelated = k
            assert grad(module.f)(1.0) == 4.0
            assert s2sad.value_and_grad(module.f)(3.0) == (18.0, 12.0)
    assert calls == [1]
    assert len(list((tmp_path / "cache").glob("*.py"))) == 1
