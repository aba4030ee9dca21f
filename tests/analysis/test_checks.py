"""What may raise is kept, whether anybody reads what it computes or not; what cannot raise is not."""

from __future__ import annotations

import ast
import itertools
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from thinning import thinned

from s2sad import differentiate, grad, hessian, hvp, jvp, value_and_grad

V = np.array([1.0, 2.0])


# Statements of which nobody reads anything.


def logarithm(x):
    y = math.log(x - 1)  # noqa: F841
    return x**2


def index(v):
    last = v[5]  # noqa: F841
    return v[0] ** 2


def condition(x):
    if not math.isfinite(math.log(-x)):
        pass
    return x**2


def store(v):
    w = np.zeros(2)
    w[3] = v[0]
    return v @ v


def definite(v):
    np.linalg.cholesky(np.diag(-v))  # must be positive definite
    return v @ v


def shapes(v):
    v + np.ones(3)
    return v @ v


def reshaped(v):
    v.reshape(3, 3)
    return v @ v


def key(x):
    d = {"a": x}
    d["abc"[int(x) + 1]]
    return x**2


def quotient(x):
    n = int(x)
    1 / n
    return x**2


def items(x):
    found = [x]
    found[int(x) + 3]
    return x**2


def popped(x):
    found = [x]
    found.pop()
    found.pop()
    return x**2


def _check(a):
    np.linalg.cholesky(a)


def _factor(a):
    return np.linalg.cholesky(a)


def by_a_helper(v):
    _check(np.diag(-v))
    return v @ v


def by_a_helper_that_returns(v):
    _factor(np.diag(-v))
    return v @ v


def in_a_loop(v):
    s = 0.0
    for k in range(4):
        v[k]
        s += k * v[0] ** 2
    return s


def in_a_branch(v):
    if v[0] > 0.5:
        np.linalg.inv(np.zeros((2, 2)))
    return v @ v


def _down(v, n):
    if n == 0:
        v[7]
        return 0.0
    return v[0] ** 2 + _down(v, n - 1)


def in_a_recursion(v):
    return _down(v, 3)


# What the value needs, and its derivatives do not.


def by_value(x):
    return math.log(x - 1) + x**3


def by_artanh(x):
    return math.atanh(x + 1)


def of_items(v):
    s = 0.0
    for a in v:
        s += math.log(1.5 - a)
    return s


def sum_of_shapes(v):
    return np.sum(v**2) + np.sum(v + np.ones(3))


def sum_reshaped(v):
    return np.sum(v**2) + np.sum(v.reshape(3, -1))


def stacked(v):
    return v[0] ** 2 + np.stack([v, v[:1]]).sum()


def whole_store(v):
    w = v.copy()
    w[:] = np.ones(3)
    return v @ v + w.sum()


def inverse(v):
    return np.sum(v**2) + np.linalg.inv(np.zeros((2, 2)))[0, 0]


def division(x):
    n = int(x)
    return x**2 + 1.0 / n


def remainder(x):
    return x**2 + x % 0


def floor(x):
    return x**2 + x // 0


def unbound(x):
    if x > 1:
        y = x
    return x**2 + y


def unbound_in_a_loop(x):
    for _ in range(int(x)):
        y = x
    return x**2 + y


def combinations(x):
    return x**2 + math.comb(-1, 2)


def dot(v):
    return v @ v + v @ np.ones(3)


def linear(v):
    return v[0] ** 2 + v[4]


def power(x):
    n = int(x)
    return x**2 + n**-1


def largest_of_none(v):
    max(v[2:])
    return np.sum(v**2)


def count_of_places(v):
    np.linspace(0.0, 1.0, -int(v.size))
    return np.sum(v**2)


def added_to_no_item(x):
    w = np.ones(3)
    w[int(x * 9)] += 2.0
    return x**2


def taken_from_no_item(x):
    w = np.ones(3)
    w[7] -= x
    return x**2


def sum_in_place(v):
    w = np.ones(3)
    w += v
    return v @ v


def sum_into_a_window(v):
    w = np.ones(4)
    w[1:] += v
    return v @ v


def added_to_no_key(x):
    d = {}
    for k in range(2):
        d[k] = x
    d[7] += x
    return x**2


def added_by_a_helper(x):
    def put(w, k):
        w[k] += x

    w = np.ones(3)
    for k in range(4):
        put(w, k)
    return x**2


STATEMENTS = [largest_of_none, count_of_places, added_to_no_item, taken_from_no_item, sum_in_place, sum_into_a_window]
STATEMENTS += [added_to_no_key, added_by_a_helper]
STATEMENTS += [logarithm, index, condition, store, definite, shapes, reshaped, key, quotient, items, popped, by_a_helper]
STATEMENTS += [by_a_helper_that_returns, in_a_loop, in_a_branch, in_a_recursion]
VALUES = [by_value, by_artanh, of_items, sum_of_shapes, sum_reshaped, stacked, whole_store, inverse, division, remainder, floor]
VALUES += [unbound, unbound_in_a_loop, combinations, dot, linear, power]


def outcome(call: Callable[[], Any]) -> Exception | None:
    """The exception of a call."""
    try:
        call()
    except Exception as error:
        return error
    return None


def around(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as a helper of another one, called twice."""

    def outer(x: Any) -> Any:
        s = 0.0
        for _ in range(2):
            s = s + function(x)
        return s

    return outer


MODES: dict[str, Callable[..., Any]] = {
    "grad": lambda f, x, t: grad(f)(x),
    "value_and_grad": lambda f, x, t: value_and_grad(f)(x),
    "jvp": lambda f, x, t: jvp(f, (x,), (t,)),
    "hvp": lambda f, x, t: hvp(f, (x,), (t,)),
    "hessian": lambda f, x, t: hessian(f)(x),
    "jvp of grad": lambda f, x, t: jvp(grad(f), (x,), (t,)),
    "jvp of jvp": lambda f, x, t: jvp(lambda a: jvp(f, (a,), (t,))[1], (x,), (t,)),
    "grad of grad": lambda f, x, t: grad(lambda a: np.sum(grad(f)(a)))(x),
    "numba": lambda f, x, t: grad(f, backend="numba")(x),
}


@pytest.mark.filterwarnings("ignore::s2sad.native.NotCompiledWarning")
@pytest.mark.parametrize(
    ("function", "within"),
    thinned(
        itertools.product(STATEMENTS + VALUES, [False, True]), 5,
        lambda case: f"{case[0].__name__}-{'in a helper' if case[1] else 'alone'}",
    ),
)  # fmt: skip
def test_what_the_plain_call_raises_comes(function: Callable[..., Any], within: bool) -> None:
    x = V if function.__code__.co_varnames[0] == "v" else 0.7
    program = around(function) if within else function
    plain = outcome(lambda: program(x))
    assert plain is not None
    for name, take in MODES.items():
        found = outcome(lambda: take(program, x, np.ones_like(x) if isinstance(x, np.ndarray) else 1.0))
        assert type(found) is type(plain), name
        assert str(found) == str(plain), name


# Programs whose second derivatives need less than the value: what cannot raise is left out.


def by_number(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    return s + x @ x


def differences(x):
    s = 0.0
    for i in range(1, len(x) - 1):
        s += (x[i + 1] - x[i]) ** 2 + x[i - 1]
    return s


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2) + np.sum(np.cumsum(x))


def largest(x):
    y = np.tanh(x.reshape(-1)) / 2.0
    return np.mean((y - x) ** 2) + 3.0 * x.sum()


def stored(x):
    w = np.zeros(len(x))
    for i in range(len(x)):
        w[i] = 2.0 * x[i]
    w[1:] = w[1:] + x[:-1]
    return w.sum() + x @ x


def added(x):
    w = np.zeros(len(x))
    for i in range(len(x)):
        w[i] += 2.0 * x[i]
    w[1:] += x[:-1]
    w += x
    return w.sum() + x @ x


@pytest.mark.parametrize("function", [by_number, differences, rosenbrock, largest, stored, added])
def test_what_cannot_raise_is_left_out(function: Callable[..., Any], tmp_path: Path) -> None:
    x = np.linspace(0.1, 0.9, 9)
    jvp(grad(function, cache_dir=tmp_path), (x,), (x,))
    hvp(function, (x,), (x,), cache_dir=tmp_path)
    texts = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.py")]
    assert texts
    for text in texts:
        alone = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Expr) and not isinstance(n.value, ast.Constant)]
        assert all(isinstance(n.value, ast.Call) and isinstance(n.value.func, ast.Attribute) for n in alone), text


MODULE = '''
import math

import numpy as np


def check(a):
    np.linalg.cholesky(a)


def f(v):
    check(np.diag(v))
    return v @ v


def g(x: float):
    y = math.log(x)
    return x * x
'''


def test_modules_of_the_command_line(tmp_path: Path) -> None:
    source, out = tmp_path / "checked.py", tmp_path / "out"
    source.write_text(MODULE, encoding="utf-8")
    command = [sys.executable, "-m", "s2sad", "transform", str(source), "--mode", "both", "-o", str(out)]
    subprocess.run(command, check=False, capture_output=True)  # ``check`` itself has no derivative
    for name, wrong, right in (("f", -V, V), ("g", -1.0, 1.0)):
        for mode in ("tangent", "adjoint"):
            path = out / f"checked_{name}_{mode}.py"
            space: dict[str, Any] = {}
            exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), space)
            derived = space[path.stem.removeprefix("checked_")]
            argument = "v" if name == "f" else "x"
            seeds = {f"{argument}_dot": right} if mode == "tangent" else {}
            derived(right, **seeds)
            with pytest.raises((ValueError, np.linalg.LinAlgError)):
                derived(wrong, **seeds)


def test_the_user_reads_the_check() -> None:
    source = differentiate(logarithm)
    source.grad(3.0)
    assert "y = math.log(x - 1)" in source.source("adjoint")
