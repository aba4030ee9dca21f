"""The kinds that readers guess, function by function."""

from __future__ import annotations

import ast

import pytest

from s2sad import pipeline
from s2sad.analysis.guesses import guess
from s2sad.frontend.entities import SourceFunction
from s2sad.frontend.files import StaticScope
from s2sad.ir.kinds import UNKNOWN, Array

GUESSES = [
    ("f(x): return x * x", "x: float"),
    ("f(x): return math.exp(x[0]) * x[1]", "x: list[float]"),
    ("f(x): return np.exp(x[0]) * x[1]", "x: float64 1"),
    ("f(a): return a[0, 1] * np.sin(2.0)", "a: float64 2"),
    ("f(a): return np.sum(a[0] * a[:, 1])", "a: float64 2"),
    ("f(a, k): return a[k] * np.sin(2.0)", "a: float64 1; k: int"),
    ("f(a, k): return a[k + 1] * np.sin(2.0)", "a: float64 1; k: int"),
    ("f(A, b): return np.concatenate((A, b[:, None]), axis=1)[0, 1] * 2.0", "A: float64 2; b: float64 1"),
    ("f(A, b): r = b.copy(); Ap = A @ r; r -= Ap * (r @ Ap); return np.sum(r)", "A: float64 2; b: float64 1"),
    ("f(A, n): W = np.hstack([A, np.eye(n)]); return W[0, 1] * 2.0", "A: float64 2; n: int"),
    ("f(p, q): return np.sum(np.stack((p, q), axis=1)[:, 0, 1])", "p: float64 2; q: float64 2"),
    ("f(p, q): return np.sum(np.stack((p[0], q)) ** 2)", "p: float64 1; q: float"),
    ("f(x): y = x.copy(); return y[0, 1] * np.sin(2.0)", "x: float64 2"),
    ("f(x): y = np.zeros_like(x); y[0] = 1.0; return np.sum(y * x)", "x: float64 1"),
    ("f(x, c): k = np.floor(x).astype(int); return c[k[0, 1]] * np.sin(2.0)", "x: float64 2; c: float64 1"),
    ("f(a, k, n): return a[np.minimum(2 * k, n - 1)] * np.sin(2.0)", "a: float64 1; k: int; n: int"),
    ("f(x, c): return np.sum(x[x[:, 0] > c, 1] * c)", "x: float64 2; c: float"),
    ("f(a, i, k): return a[i[k]] * np.sin(2.0)", "a: float64 1; i: int64 1; k: int"),
    ("f(x, y): return np.sum(x * y)", "x: float64 1; y: float64 1"),
    ("f(x, c): return c * np.sum(x)", "x: float64 1; c: float"),
    ("f(x, y): return np.sum(x[1:] * y)", "x: float64 1; y: float"),
    ("f(A, x): return A @ x", "A: float64 2; x: float64 1"),
    ("f(w, x): return w @ x", "w: float64 1; x: float64 1"),
    ("f(w, x): return (w @ x)[0]", "w: float64 2; x: float64 1"),
    ("f(w, x, b): return np.tanh(w @ x + b)[0]", "w: float64 2; x: float64 1; b: float64 1"),
    ("f(K, M, c): return np.linalg.det(M) + np.sum(K + c * M)", "K: float64 2; M: float64 2; c: float"),
    ("f(x): return f(x[0]) * 2.0 if len(x) > 1 else 1.0", ""),
    ("f(x): n, m = x.shape; return x[0] * n", "x: float64 2"),
    ("f(x): return x.shape[2] * np.sum(x)", "x: float64 3"),
    ("f(x): return np.sum(x, axis=1)", "x: float64 2"),
    ("f(x): return x.mean()", "x: float64 1"),
    ("f(M, b): return np.linalg.solve(M, b)[0]", "M: float64 2; b: float64 1"),
    ("f(x): return np.linalg.det(x)", "x: float64 2"),
    ("f(x, n): return np.sum(np.zeros(n)) + x", "x: float; n: int"),
    ("f(x, n=3): return x**n", "x: float; n: int"),
    ("f(x, p=2.0): return x**p", "x: float; p: float"),
    ("f(x, kind): return x if kind == 'a' else 2 * x", "x: float"),
    ("f(x, w): return x if w is None else x * w", "x: float"),
    ("f(x, fast): return x if fast else 2.0 * x", "x: float"),
    ("f(x, d): return x * d['a']", "x: float"),
    ("f(x): return x if x > 0.0 else -x", "x: float"),
    ("f(x): return [2.0 * v for v in x][0]", "x: list[float]"),
    ("f(x): return sum(v * w for row in x for v, w in zip(row, row))", "x: list[list[float]]"),
    ("f(x): y = inner(x); return y", "x: float64 1"),
    ("f(u): u[1:-1] += u[2:]; return np.sum(u)", "u: float64 1"),
    ("f(u): u += 2.0; return u[0] + np.sin(1.0)", "u: float64 1"),
    ("f(x):\n    y = 0.0\n    for k in range(3):\n        y = y + x\n    return np.sin(y)", "x: float"),
    ("f(x):\n    for k in range(3):\n        x = x * 2.0\n    return x[0] + np.sin(1.0)", "x: float64 1"),
    ("f(x, c):\n    if c > 1:\n        y = x\n    else:\n        y = 2 * x\n    return np.sin(y[0])", "x: float64 1; c: float"),
]


def shown(kind: object) -> str:
    return f"{kind.dtype} {kind.rank}" if isinstance(kind, Array) else str(kind)


@pytest.mark.parametrize(("definition", "expected"), GUESSES)
def test_guesses(definition: str, expected: str) -> None:
    text = f"import math\nimport numpy as np\ndef inner(a):\n    return np.sum(a[1:])\ndef {definition}\n"
    scope = StaticScope("given.py", text)
    names = [a.arg for a in ast.parse(text).body[-1].args.args]  # type: ignore[attr-defined]
    found = scope.resolve("f")
    assert isinstance(found, SourceFunction)
    function, _ = pipeline.lower(found.source, scope, dict.fromkeys(names, UNKNOWN))
    kinds = guess(function, ["x"])
    assert "; ".join(f"{name}: {shown(kinds[name])}" for name in names if name in kinds) == expected
