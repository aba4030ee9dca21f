"""Which names of a file count: those that its text leaves no doubt about. All others are refused by name."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from s2sad.cli import main
from s2sad.frontend.files import StaticScope
from s2sad.ir.kinds import UNKNOWN, kind_of

CALL = "def f(x: float):\n    return g(x)\n"
SINE = "def f(x: float):\n    return np.sin(x)\n"
ACT = "def f(x: float):\n    return act(x)\n"
USE = "def f(x: float) -> float:\n    return x * K\n"
# What makes K, and what a word of the refusal is. The others' functions are written all the same.
DOUBTS = {
    "augmented": ("K = 2.0\nK *= 3\n", "K"),
    "twice": ("K = 2.0\nK = 3.0\n", "more than once"),
    "under if": ("if 1:\n    K = 2.0\n", "K"),
    "in else": ("K = 2.0\nif 0:\n    pass\nelse:\n    K = 3.0\n", "K"),
    "for": ("for K in (1.0, 2.0):\n    pass\n", "K"),
    "while": ("K = 2.0\nwhile K < 5:\n    K = 6.0\n", "K"),
    "try": ("try:\n    K = 2.0\nexcept ValueError:\n    pass\n", "K"),
    "except": ("K = 1.0\ntry:\n    raise ValueError\nexcept ValueError as K:\n    pass\n", "K"),
    "with": ("K = 2.0\nwith open('x') as K:\n    pass\n", "K"),
    "walrus": ("K = 2.0\nprint(K := 3.0)\n", "K"),
    "walrus in a comprehension": ("K = 2.0\n[K := k for k in (1.0, 3.0)]\n", "K"),
    "walrus in a default": ("K = 2.0\ndef g(y=(K := 3.0)):\n    return y\n", "K"),
    "walrus in a decorator": ("K = 2.0\n@(K := print)\ndef g(y):\n    return y\n", "K"),
    "walrus in a lambda's default": ("K = 2.0\ng = lambda y=(K := 3.0): y\n", "K"),
    "walrus in an annotation": ("K = 2.0\ndef g(y: (K := 3.0)):\n    return y\n", "K"),
    "walrus in a subscript": ("K = 2.0\nL = [1, 2]\nL[(K := 1)] = 0\n", "K"),
    "unpacking": ("K, L = 2.0, 3.0\n", "K"),
    "starred": ("K = 2.0\n*L, K = 2.0, 3.0\n", "K"),
    "nested targets": ("K = 2.0\n(L, [M, K]) = 1, [2, 3.0]\n", "K"),
    "del": ("K = 2.0\ndel K\n", "K"),
    "global in a function": ("K = 2.0\ndef g():\n    global K\n    K = 3.0\n", "global"),
    "global in a method": ("K = 2.0\nclass C:\n    def g(self):\n        global K\n        K += 3.0\n", "global"),
    "global in a nested function": ("K = 2.0\ndef g():\n    def h():\n        global K\n        K = 3\n    h()\n", "global"),
    "global import": ("K = 2.0\ndef g():\n    global K\n    import math as K\n", "global"),
    "global for": ("K = 2.0\ndef g():\n    global K\n    for K in range(3):\n        pass\n", "global"),
    "class body": ("K = 2.0\nclass C:\n    global K\n    K = 3.0\n", "global"),
    "match": ("K = 2.0\nmatch 3.0:\n    case K:\n        pass\n", "K"),
    "match rest": ("K = 2.0\nmatch {}:\n    case {**K}:\n        pass\n", "K"),
    "match star": ("K = 2.0\nmatch [1]:\n    case [*K]:\n        pass\n", "K"),
    "import again": ("K = 2.0\nimport math as K\n", "K"),
    "import under try": ("try:\n    import math as K\nexcept ImportError:\n    pass\n", "K"),
    "star import": ("K = 2.0\nfrom math import *\n", "star"),
    "star import under if": ("K = 2.0\nif 0:\n    from other import *\n", "star"),
    "exec": ("K = 2.0\nexec('K = 3.0')\n", "exec"),
    "eval in a function": ("K = 2.0\ndef g(t):\n    return eval(t)\n", "eval"),
    "globals": ("K = 2.0\nglobals()['K'] = 3.0\n", "globals"),
    "globals in a function": ("K = 2.0\ndef g():\n    globals().update(K=3.0)\n", "globals"),
    "vars": ("K = 2.0\nvars()['K'] = 3.0\n", "vars"),
    "locals": ("K = 2.0\nlocals()['K'] = 3.0\n", "locals"),
    "sys.modules": ("import sys\nK = 2.0\nsetattr(sys.modules[__name__], 'K', 3.0)\n", "modules"),
    "builtins": ("import builtins\nK = 2.0\nbuiltins.__dict__['abs'] = 1\n", "__dict__"),
    "a class": ("class K:\n    pass\n", "class"),
    "an async function": ("async def K():\n    pass\n", "async"),
    "an unknown module": ("import pandas as K\n", "pandas"),
    "from an unknown module": ("from pandas import K\n", "pandas"),
    "a private member": ("from numpy import _core as K\n", "public"),
    "what a module imported": ("from s2sad.cache import os as K\n", "s2sad.cache"),
    "a module's module": ("from dataclasses import sys as K\n", "sys"),
    "a module of ours": ("from s2sad import cache as K\n", "cache"),
    "a submodule that runs": ("import numpy.f2py.__main__ as K\n", "f2py"),
    "a lazy submodule": ("from numpy import testing as K\n", "testing"),
    "declared only": ("K: float\n", "declared"),
    "a name of the module": ("", "K"),
}


def refused(folder: Path, text: str, word: str, name: str = "f") -> None:
    """The function of that name is refused by name, ``other`` is written."""
    (folder / "mine.py").write_text(text + "\ndef other(x: float) -> float:\n    return x * x\n")
    result = CliRunner().invoke(main, ["transform", str(folder / "mine.py"), "-o", str(folder / "out")])
    assert result.exit_code == 1, result.output
    assert word in result.output and "mistake of s2sad" not in result.output, result.output
    names = {path.name for path in (folder / "out").iterdir()} if (folder / "out").exists() else set()
    assert f"mine_{name}_adjoint.py" not in names
    if "what the names of" not in result.output:
        assert "mine_other_adjoint.py" in names, result.output


@pytest.mark.parametrize("what", DOUBTS)
def test_a_name_in_doubt_is_refused(what: str, tmp_path: Path) -> None:
    text, word = DOUBTS[what]
    refused(tmp_path, text + USE, word)


# What concerns the function itself, or what it calls.
FUNCTIONS = {
    "an unknown decorator": ("import mine2\n@mine2.twice\ndef f(x: float):\n    return x\n", "decorator"),
    "a decorator of the file": ("def d(g):\n    return lambda x: 3 * g(x)\n@d\ndef f(x: float):\n    return x\n", "decorator"),
    "a false differentiate": (
        "def differentiate(g):\n    return abs\n@differentiate\ndef f(x: float):\n    return x\n",
        "decorator",
    ),
    "a rebound lru_cache": (
        "from functools import lru_cache\ndef lru_cache(g):\n    return abs\n@lru_cache\ndef f(x: float):\n    return x\n",
        "lru_cache",
    ),
    "under if": ("if 1:\n    def g(x):\n        return x\n" + CALL, "g"),
    "defined twice": ("def f(x: float):\n    return x\ndef f(x: float):\n    return 3 * x\n", "more than once"),
    "rebound": ("def f(x: float):\n    return x\nf = abs\n", "f"),
    "rebound by name": ("def g(x):\n    return x\ndef f(x: float):\n    return g(x)\ng = abs\n", "g"),
    "a changed default": ("def g(x, n=2):\n    return x * n\ng.__defaults__ = (3,)\n" + CALL, "__defaults__"),
    "changed code": ("def g(x):\n    return x\ng.__code__ = (lambda x: 3 * x).__code__\n" + CALL, "__code__"),
    "an attribute": ("def g(x):\n    return x * g.k\ng.k = 3\n" + CALL, "stored"),
    "a patched library": ("import numpy as np\nnp.sin = np.cos\n" + SINE, "stored"),
    "patched by setattr": ("import numpy as np\nsetattr(np, 'sin', np.cos)\n" + SINE, "stored"),
    "a patched alias": ("import numpy as np\nact = np.sin\nnp.sin = np.cos\n" + ACT, "act"),
    "a rebound alias": ("import numpy as np\nact = np.sin\nact = np.cos\n" + ACT, "more than once"),
    "an alias of a built-in that is bound later": ("act = abs\ndef abs(x):\n    return 3 * x\n" + ACT, "act"),
    "an alias under if": ("import numpy as np\nif 1:\n    act = np.sin\n" + ACT, "act"),
    "an alias of a decorated function": (
        "import mine2\n@mine2.twice\ndef g(x):\n    return x\nact = g\n" + ACT,
        "",
    ),
    "an alias of what is hidden": ("import numpy as np\nact = np.f2py.os.system\n" + ACT, ""),
    "patched elsewhere": (
        "import numpy as np, numpy as onp\ndef patch():\n    onp.sin = onp.cos\n" + SINE,
        "stored",
    ),
    "patched through an alias": ("import numpy as np\nm = np\nm.sin = np.cos\n" + SINE, "stored"),
    "a rule": ("import s2sad\ndef g(x):\n    return x\ns2sad.rule(g, x='7 * g')\n" + CALL, "rule"),
    "a rule by another name": ("from s2sad import rule as teach\ndef g(x):\n    return x\nteach(x='7 * g')(g)\n" + CALL, "rule"),
    "a rule for an alias": ("import s2sad\nt = s2sad.rule\ndef g(x):\n    return x\nh = g\nt(h, x='7 * g')\n" + CALL, "rule"),
    "a function that is constant": (
        "from s2sad import nondifferentiable\ndef g(x):\n    return x\nconstant = nondifferentiable(g)\n" + CALL, "rule"
    ),
    "a rule for a library": ("import numpy as np, s2sad\ns2sad.rule(np.sin, x='7 * g')\n" + SINE, "rule"),
    "a computed default": ("def g(x, k=max(2, 3)):\n    return x * k\n" + CALL, "default"),
    "a default of the caller's name": (
        "def g(x, k=y0):\n    return x * k\ndef f(x: float):\n    y0 = 3 * x\n    return g(x)\n",
        "default",
    ),
    "a mutable default": ("def g(x, a=[]):\n    a.append(x)\n    return a[0]\n" + CALL, "default"),
    "a class's method": ("class C:\n    def g(self, x):\n        return x\ndef f(x: float):\n    return C().g(x)\n", "class"),
    "a call of a member": (
        """from s2sad.api import Differentiable as D
from s2sad.cache import os
def f(x: float):
    g = D(os.system.__call__, 0, 0)
    return x
""",
        "s2sad.",
    ),
    "imports within": ("def f(x: float):\n    import numpy.f2py.__main__\n    return x\n", "import"),
    "imports of members within": ("def f(x: float):\n    from dataclasses import sys\n    return x\n", "sys"),
    "hidden members": ("import numpy as np\ndef f(x: float):\n    np.sin.__call__.__self__\n    return x\n", "public"),
    "another module's names": ("def f(x: float):\n    return x * __name__\n", "__name__"),
    "a circle": ("from mine import g\n" + CALL, "circle"),
    "a number that is too long": (f"K = 0x{'f' * 5000}\ndef f(x: float):\n    return x * 0x{'f' * 5000}\n", "bits"),
}


CACHED = "from functools import lru_cache\nimport numpy as np\nK = 3.0\n@lru_cache\ndef g(x):\n"
FUNCTIONS |= {
    "a cached function that reads a constant": (f"{CACHED}    return K * x\n{CALL}", "K"),
    "a cached function that returns a list": (f"{CACHED}    return [x]\ndef f(x: float):\n    return g(x)[0]\n", "written into"),
    "a cached function of arrays": (f"{CACHED}    return x\ndef f(x: np.ndarray):\n    return np.sum(g(x))\n", "arguments"),
    "a cached function of an array itself": (
        "import functools\nimport numpy as np\n@functools.lru_cache(typed=True)\ndef f(x: np.ndarray):\n    return np.sum(x)\n",
        "arguments",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", FUNCTIONS)
def test_a_function_in_doubt_is_refused(what: str, tmp_path: Path) -> None:
    text, word = FUNCTIONS[what]
    refused(tmp_path, text, word)


# f(x), its derivative at 2, with all that a file may say about the names in it.
RIGHT = {
    "a constant": ("K = 3.0\n" + USE, 3.0),
    "a negative constant": ("K = -3\n" + USE, -3.0),
    "declared": ("K: float = 3.0\n" + USE, 3.0),
    "computed": ("import math\nK = math.exp(0.5)\n" + USE, np.exp(0.5)),
    "a local of the same name elsewhere": (
        "K = 3.0\ndef g():\n    K = 4\n    K += 1\n    for K in 'ab':\n        pass\n" + USE,
        3.0,
    ),
    "a parameter of the same name": ("K = 3.0\ndef g(K):\n    K[0] = 1\n" + USE, 3.0),
    "a comprehension's variable": ("K = 3.0\nL = [K for K in range(3)]\n" + USE, 3.0),
    "a class's attribute": ("K = 3.0\nclass C:\n    K = 4.0\n    K += 1\n" + USE, 3.0),
    "read by global": ("K = 3.0\ndef g():\n    global K\n    return K\n" + USE, 3.0),
    "named as a built-in": ("max = 3.0\ndef f(x: float):\n    return x * max\n", 3.0),
    "computed, named as a built-in": ("import math\nabs = math.exp(0.5)\ndef f(x: float):\n    return x * abs\n", np.exp(0.5)),
    "submodules": (
        "import numpy.linalg\nimport numpy.fft\nimport numpy\ndef f(x: float):\n    return numpy.sin(x)\n",
        np.cos(2.0),
    ),
    "cached": ("from functools import lru_cache as c\n@c(maxsize=3)\ndef f(x: float):\n    return x * x\n", 4.0),
    "differentiate": ("import s2sad as s\n@s.differentiate\ndef f(x: float):\n    return x * x\n", 4.0),
    "compiled": ("from numba import njit\n@njit(cache=True)\ndef f(x: float):\n    return x * x\n", 4.0),
    "a default from outside": ("k = 2.0\ndef g(x, k=k):\n    return x * k\n" + CALL, 2.0),
    "a literal default": ("def g(x, n=-3):\n    return x * n\n" + CALL, -3.0),
    "form feeds": ("\f\nT = '''\f\x1c\u2028\x85'''\n\fdef g(x):\n    return 3 * x  # \f \u2028 y\n\f" + CALL, 3.0),
    "line separators": (
        "s = '\u2028\u2028\u2028'\ndef f(x: float):\n    t = '\u2028'  # \u2029\n    y = x * x\n    return y\n",
        4.0,
    ),
    "an alias": ("import numpy as np\nact = np.sin\n" + ACT, np.cos(2.0)),
    "an imported alias": ("from numpy import sin as act\n" + ACT, np.cos(2.0)),
    "an alias of an alias": ("import numpy as np\nm = np\none = m.sin\nact: object = one\n" + ACT, np.cos(2.0)),
    "an alias of a function": ("def g(x):\n    return x * x\nact = g\n" + ACT, 4.0),
    "an alias on one line": ("import numpy as np; act = np.sin\n" + ACT, np.cos(2.0)),
    "a deep alias": ("import numpy as np\nact = np.linalg.norm\n" + ACT.replace("(x)", "([x])"), 1.0),
    "an alias of a built-in": ("act = abs\n" + ACT, 1.0),
    "an alias of a number": ("import numpy as np\nK = np.pi\n" + USE, np.pi),
    "a multiple of a number": ("import numpy as np\nK = 2 * np.pi\n" + USE, 2 * np.pi),
    "an alias of what is bound twice": ("J = 2.0\nJ = 3.0\nK = J\n" + USE, 3.0),
    "four thousand aliases": (
        "import numpy as np\na0 = np.sin\n" + "".join(f"a{k + 1} = a{k}\n" for k in range(4000)) + "act = a4000\n" + ACT,
        np.cos(2.0),
    ),
    "a circle of aliases beside it": ("a = b\nb = a\ndef g(x: float):\n    return a(x)\nK = 3.0\n" + USE, 3.0),
    "writing at the end of a chain": ("".join(f"a{k + 1} = a{k}\n" for k in range(4000)) + "a4000.k = 1\nK = 3.0\n" + USE, 3.0),
    "cached, with helpers": (
        "import functools, math\ndef h(x):\n    return x * math.pi\n@functools.cache\ndef g(x, n=1):\n    return h(x) * n\n"
        + CALL,
        np.pi,
    ),
    "one line": ("def f(x: float): return x * x; K = 3\n", 4.0),
}


@pytest.mark.parametrize("what", RIGHT)
def test_a_name_without_doubt_counts(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, slope = RIGHT[what]
    name = "right_" + "".join(c if c.isalnum() else "_" for c in what)
    (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    result = CliRunner().invoke(main, ["transform", str(tmp_path / f"{name}.py"), "--function", "f", "-o", "-"])
    assert result.exit_code == 0, result.output
    monkeypatch.syspath_prepend(str(tmp_path))
    scope: dict[str, object] = {}
    exec(result.output, scope)
    _, bar = scope["f_adjoint"](2.0)  # type: ignore[operator]
    assert np.isclose(bar, slope), result.output


@pytest.mark.parametrize(
    ("what", "number"),
    [("math.log(2 * math.pi)", True), ("-math.sqrt(2.0) / 3", True), ("math.log(-1.0)", False), ("g(2.0)", False)],
)
def test_what_is_computed_of_literals_is_known_as_a_number(what: str, number: bool, tmp_path: Path) -> None:
    text = f"import math\ndef g(x):\n    return x\nK = {what}\ndef f(x: float, y: float):\n    return x * K + y * y\n"
    (tmp_path / "m.py").write_text(text)
    result = CliRunner().invoke(main, ["transform", str(tmp_path / "m.py"), "--function", "f", "-o", "-"])
    assert result.exit_code == 0 and ("unbroadcast" not in result.output) == number
    assert "from m import K" in result.output  # it is the user's module that computes it


ARRAYS = [
    "np.array([-1.0, 1.0]) / np.sqrt(3.0)", "np.array([[1, 2], [3, 4]])", "np.array([[1, 2], [3, 4.5]])", "np.zeros((2, 3))",
    "2 ** np.arange(4) @ np.eye(4)", "np.ones(3, dtype=int)", "-np.linspace(0, 1, 5)", "np.array([1, 2], dtype=np.float32) * 2.0",
    "np.array([1j, 2])", "np.linalg.inv(np.array([[2.0, 1.0], [1.0, 3.0]]))", "K0 * N0", "np.full((2, 2), 3)",
    "np.array([K0, K0])", "np.array([np.sqrt(3.0), 1])", "np.outer(K0, K0).T", "np.cumsum(K0)", "np.arange(6).cumsum() * 0.5",
    "np.array([-N0, math.pi])", "(" * 99 + "K0" + ".T)" * 99,
]  # fmt: skip
OTHERS = [
    "np.array([])[0:0].sum()", "np.array([[1], [2, 3]], dtype=object)", "np.array(['a'])", "np.array([True, False])",
    "np.array(None)", "K0.sum()", "K0.shape", "g(2.0)", "np.array(g(2.0))", "np.array([N0, g])", "np.array([*K0])",
]  # fmt: skip


@pytest.mark.parametrize("what", ARRAYS + OTHERS)
def test_the_kinds_of_arrays_that_a_file_makes(what: str, tmp_path: Path) -> None:
    before = "import math\nimport numpy as np\ndef g(x):\n    return np.zeros(2) * x\nK0 = np.array([1.5, 2.5])\nN0 = 3\n"
    (tmp_path / "m.py").write_text(f"{before}K = {what}\n")
    found: Any = StaticScope(str(tmp_path / "m.py"), f"{before}K = {what}\n").resolve("K")
    made: dict[str, Any] = {}
    exec(f"{before}K = {what}\n", made)
    assert found.kind == (kind_of(made["K"]) if what in ARRAYS else UNKNOWN)
    resized = StaticScope(str(tmp_path / "m.py"), f"{before}K = {what}\nL = K\nL.resize(1, 2)\n").resolve("K")
    assert resized.kind == UNKNOWN  # type: ignore[union-attr]


def test_what_a_tuple_with_words_says_is_done_when_the_module_is_made(tmp_path: Path) -> None:
    text = """RULE = ("mul", "x", ("add", "x", 1.5))
def value(rule, x):
    if rule == "x":
        return x
    if not isinstance(rule, tuple):
        return rule
    op, left, right = rule
    a, b = value(left, x), value(right, x)
    return a + b if op == "add" else a * b
def f(x: float):
    return value(RULE, x)
"""
    (tmp_path / "m.py").write_text(text)
    result = CliRunner().invoke(main, ["transform", str(tmp_path / "m.py"), "--function", "f", "-o", "-"])
    assert result.exit_code == 0 and " if rule" not in result.output and "def value" not in result.output
    scope: dict[str, Any] = {}
    exec(result.output, scope)
    assert scope["f_adjoint"](2.0) == (7.0, 5.5)


def test_tables_of_a_file_leave_nothing_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """import numpy as np
POINTS = np.array([-1.0, 1.0]) / np.sqrt(3)
WEIGHTS = np.array([[0.5, 1.5], [1.0, 2.0]])
def f(x: float, y: float):
    total = 0.0
    for i, p in enumerate(POINTS):
        for q in POINTS:
            total += WEIGHTS[i, 0] * np.exp(p * x) * (1 - q * y) ** 2
    return total
"""
    (tmp_path / "tables.py").write_text(text)
    result = CliRunner().invoke(main, ["transform", str(tmp_path / "tables.py"), "--function", "f", "-o", "-"])
    assert result.exit_code == 0 and "unbroadcast" not in result.output
    monkeypatch.syspath_prepend(str(tmp_path))
    scope: dict[str, Any] = {}
    exec(result.output, scope)
    value, bars = scope["f_adjoint"](0.7, 0.4)
    f = sys.modules["tables"].f
    slopes = [(f(0.7 + h, 0.4 + k) - f(0.7 - h, 0.4 - k)) / 2e-6 for h, k in ((1e-6, 0.0), (0.0, 1e-6))]
    assert value == f(0.7, 0.4) and np.allclose(bars, slopes)


def test_each_function_says_where_it_meets_a_doubt(tmp_path: Path) -> None:
    text = "K = 1\nK = 2.0\ndef f(x: float):\n    return x * K\ndef g(x: float):\n    y = x\n    return y * K\n"
    (tmp_path / "m.py").write_text(text)
    result = CliRunner().invoke(main, ["transform", str(tmp_path / "m.py"), "-o", "-"])
    assert "line 4, column" in result.output and "line 7, column" in result.output


def test_files_of_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is imported from packages is looked up where Python would find it, and refused where two things have the name."""
    package = tmp_path / "a_package"
    package.mkdir()
    (package / "__init__.py").write_text("K = 3.0\nfrom .inner import g\nfrom .both import both\n")
    (package / "inner.py").write_text("from math import exp\nfrom . import K\nC = exp(0.5)\ndef g(x):\n    return x * C * K\n")
    (package / "both.py").write_text("def both(x):\n    return x\n")
    text = """import a_package
from a_package import inner, g as renamed
from a_package import both
def one(x: float):
    return a_package.K * x
def two(x: float):
    return renamed(x) + inner.g(x)
def three(x: float):
    return both(x)
def four(x: float):
    return a_package.inner.g(x)
"""
    (tmp_path / "of_package.py").write_text(text)
    result = CliRunner().invoke(main, ["transform", str(tmp_path / "of_package.py"), "-o", str(tmp_path / "out")])
    assert result.exit_code == 1 and "whichever was bound last" in result.output
    written = {path.stem for path in (tmp_path / "out").iterdir()}
    assert written == {"of_package_one_adjoint", "of_package_two_adjoint"}
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path / "out"))
    _, bar = __import__("of_package_two_adjoint").two_adjoint(2.0)
    assert np.isclose(bar, 6 * np.exp(0.5))


def test_a_library_may_be_hidden(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text("raise SystemExit\n")
    refused(tmp_path, "import numpy as np\n" + SINE, "hidden")
