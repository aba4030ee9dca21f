"""Programs that take sizes of arguments to be equal, called with equal ones, with ones that broadcast, and with equal ones again.

Arrays of 2 and 3 items have the same key, so that nothing but what is assumed tells these calls apart.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from thinning import thinned

from s2sad import checkpoint, differentiate, grad, hvp, jacobian, jvp, linearize, value_and_grad, vjp, vmap
from s2sad.testing import check_grads


def tails(x, y):
    return np.sum((x[1:] * y[1:]) ** 2)


def halves(x, y):
    half = len(x) // 2
    return np.sum((x[:half] * x[half:]) ** 2) * np.sum(y)


def windows(x, y, n):
    return np.sum((x[1 : n - 1] * y[: n - 2]) ** 2)


def rows(x, y):
    total = 0.0
    for k in range(2):
        total += np.sum((x[k:] * y[k:]) ** 2)
    return total


def branches(x, y):
    if x[0] > 0:
        return np.sum((x[1:] * y[1:]) ** 2)
    return np.sum(x) * np.sum(y**2)


def inner(x, y):
    return x[1:] * y[1:]


def through_a_callee(x, y):
    return np.sum(inner(x, y) ** 2)


def again(x, y):
    return np.sum(checkpoint(inner)(x, y) ** 2)


def steps(x, y):
    total = 0.0
    for i in range(1, len(x)):
        total += np.sum((x[i - 1 : i + 1] * y[i : i + 2]) ** 2)
    return total


def backwards(x, y):
    v = x * 1.0
    for i in range(len(x) - 1, 0, -1):
        v[:i] = v[1 : i + 1] * y[i - 1 : 2 * i - 1] + v[:i]
    return v[0] ** 2


def every_other(x, y):
    total = 0.0
    for i in range(3):
        s = i % 2
        total += np.sum((x[s::2] * y[s::2]) ** 2)
    return total


def joined(x, n):
    h = np.zeros(n)
    for _ in range(3):
        h = np.tanh(h + x[n - 1 :])
    return np.sum(h**2)


def either(x, y):
    w = x[1:] if x[0] > 0.7 else y[1:]
    return np.sum(w * y[1:] * x[-1])


def items_of_one_size(x, n):
    parts = [np.tanh(x[k * n : (k + 1) * n]) for k in range(3)]
    h = np.zeros(n)
    for k in range(2):
        h = parts[0] * h + parts[k + 1] * x[3 * n :]
    return np.sum(h**2)


def items_of_a_dict(x, n):
    parts, h = {}, np.zeros(n)
    for t in range(2):
        for k in range(3):
            parts[k, t] = x[k * n : (k + 1) * n]
        h = parts[0, t] * h + parts[1, t] * x[3 * n :]
    return np.sum(h**2) + np.sum(parts[2, 1] * parts[0, 0])


def items_of_several_sizes(x, n):
    parts, total = [], 0.0
    for k in range(1, 3):
        parts.append(x[: k * n])
        for part in parts:
            total += np.sum((part * x[-k * n :]) ** 2)
        total += np.sum((parts[0] * parts[-1]) ** 2)
    return total


def from_the_end(x, y):
    total = 0.0
    for k in range(1, len(x)):
        total += np.sum((x[k:] * y[:-k]) ** 2) + np.sum(x[-k:] * y[len(y) - k :] ** 3)
    return total


def blocks(x, y, n):
    total = 0.0
    for i in range(2):
        for j in range(2):
            total += np.sum((x[i * n : (i + 1) * n] * y[(i + j) * n : (i + j + 1) * n]) ** 2)
    return total


def folded(x):
    m, total = len(x) // 2, 0.0
    for k in range(m):
        total = total + np.sum((x[k : k + m] * x[m : 2 * m]) ** 2)
    return total


def counted_down(x, n):
    return np.sum((np.sin(x[0] * np.arange(n, -n - 1, -2)) * (x[1] * np.ones(n + 1))) ** 2)


def diagonals(x, y):
    return np.sum((np.diag(x) * y) ** 2)


def counted_to_two(x, n):
    s = x * 1.0
    while n > 2:
        s[: n - 2] -= (s[1 : n - 1] - s[: n - 2]) ** 2 / (s[2:n] + s[: n - 2])
        n -= 2
    return s[0]


def doubled(x, y):
    step, total = 1, 0.0
    while step < len(x):
        total += np.sum((x[step:] * y[:-step]) ** 2)
        step *= 2
    return total


def shifted(x, shifts, n):
    best = x[0] * np.ones(n)
    for k in range(len(shifts)):
        w = shifts[k]
        best[w:] = best[w:] * x[1] + best[:-w] ** 2
    return np.sum(best) + np.sum((best[w:] * best[:-w]) ** 2)


def shifted_in_place(x, shifts):
    best = x * 1.0
    for k in range(len(shifts)):
        w = shifts[k]
        best[w:] = best[w:] * 2.0 + best[:-w] ** 2
    return np.sum(best)


def banded(x, y, width):
    n, total = len(x), 0.0
    for j in range(n):
        m = min(width - 1, n - 1 - j)
        total += np.sum((x[j + 1 : j + m + 1] * y[1 : m + 1]) ** 2) * x[j]
    return total


def banded_twice(x, y, width):
    n, total = len(x), 0.0
    for j in range(n):
        m = min(width - 1, n - 1 - j)
        for k in range(1, m + 1):
            total += np.sum((y[: m + 1 - k] * x[k : m + 1]) ** 2) * x[j]
    return total


def to_and_fro(x, n):
    k, total = 0, 0.0
    while 3 > k:
        total += np.sum((x[n : n + 2] * x[k : k + 2]) ** 2)
        n = 2 - n
        k += 1
    return total


def of_a_tuple(pair, scale):
    x, y = pair
    return np.sum((x[1:] * y[1:] * scale) ** 2)


def of_a_dict(d):
    return np.sum((d["x"][1:] * d["y"][1:]) ** 2)


class Layer:
    def __init__(self, w, b):
        self.w, self.b = w, b

    def loss(self, x):
        return np.sum((self.w[1:] * x[1:] + self.b[1:]) ** 2)


def of_an_object(layer, x):
    return layer.loss(x)


def ramp(n: int, start: float = 0.5) -> np.ndarray:
    return start + np.linspace(0.0, 1.0, n) ** 2


PAIRS = [(ramp(m), ramp(n, start)) for m, n, start in ((3, 3, 1.0), (2, 3, 1.0), (3, 2, 1.0), (2, 2, 1.0), (3, 3, 0.2))]
CALLS: dict[Callable[..., Any], list[tuple[Any, ...]]] = {
    tails: PAIRS,
    halves: [(ramp(2), ramp(3)), (ramp(3), ramp(3)), (ramp(2), ramp(2)), (ramp(8), ramp(2)), (ramp(10), ramp(2))],
    windows: [(ramp(3), ramp(3), 4), (ramp(2), ramp(3), 4), (ramp(3), ramp(2), 3), (ramp(3), ramp(3), 4), (ramp(9), ramp(9), 9)],
    rows: [PAIRS[0], PAIRS[3], PAIRS[0]],
    branches: [*PAIRS, (-ramp(3), ramp(2)), PAIRS[0], PAIRS[1]],
    through_a_callee: PAIRS,
    again: PAIRS,
    steps: [(ramp(m), ramp(n)) for m, n in ((2, 3), (3, 3), (3, 4), (9, 10), (9, 9), (2, 2))],
    backwards: [(ramp(3), ramp(3)), (ramp(3), ramp(2)), (ramp(2), ramp(2)), (ramp(3), ramp(3)), (ramp(2), ramp(3))],
    every_other: [PAIRS[0], (ramp(2), ramp(2)), PAIRS[0], (ramp(9), ramp(9))],
    joined: [(ramp(3), 2), (ramp(2), 2), (ramp(3), 3), (ramp(3), 2), (ramp(9), 5)],
    either: [*PAIRS, (ramp(3, 0.9), ramp(3)), (ramp(3, 0.9), ramp(2)), (ramp(2, 0.9), ramp(3))],
    items_of_one_size: [(ramp(m), n) for m, n in ((8, 2), (4, 1), (5, 1), (12, 3), (8, 2), (5, 1))],
    items_of_a_dict: [(ramp(m), n) for m, n in ((8, 2), (4, 1), (5, 1), (12, 3), (8, 2), (5, 1))],
    items_of_several_sizes: [(ramp(m), n) for m, n in ((4, 1), (9, 1), (4, 1))],
    from_the_end: PAIRS,
    blocks: [(ramp(m), ramp(m, 1.0), n) for m, n in ((6, 2), (3, 1), (6, 2), (9, 2), (12, 4))]
    + [(ramp(2), ramp(4), 1), (ramp(2), ramp(3), 1), (ramp(3), ramp(3), 1), (ramp(9), ramp(9), 3), (ramp(4), ramp(4), 0)],
    folded: [(ramp(n),) for n in (2, 3, 1, 7, 8)],
    counted_down: [(ramp(2), n) for n in (2, 1, 0, -1, 3)],
    diagonals: [(ramp(m * n).reshape(m, n), ramp(k)) for m, n, k in ((3, 3, 3), (2, 3, 2), (3, 2, 2), (2, 2, 2), (9, 9, 9))],
    counted_to_two: [(ramp(m), n) for m, n in ((5, 5), (3, 4), (3, 3), (4, 4), (9, 5), (5, 5))],
    doubled: [*PAIRS, (ramp(9), ramp(9))],
    shifted: [(ramp(2), np.array(w), n) for w, n in (([1, 2], 4), ([1, 1], 1), ([1, -3], 9), ([2, 12], 9), ([1, 0], 0))],
    shifted_in_place: [(ramp(n), np.array(w)) for w, n in (([1, 2], 4), ([1, 1], 1), ([1, -3], 9), ([1, 0], 0), ([2, 12], 9))],
    banded: [(ramp(m), ramp(n), k) for m, n, k in ((5, 3, 3), (3, 2, 3), (2, 2, 9), (9, 9, 1), (9, 9, 4), (5, 3, 3))],
    banded_twice: [(ramp(m), ramp(n), k) for m, n, k in ((5, 3, 3), (3, 1, 3), (2, 2, 9), (9, 9, 4), (3, 3, 9), (4, 1, 3))],
    to_and_fro: [(ramp(m), n) for m, n in ((4, 0), (3, 0), (4, 2), (9, 1), (3, 1))],
    of_a_tuple: [(pair, 2.0) for pair in PAIRS],
    of_a_dict: [({"x": x, "y": y},) for x, y in PAIRS],
    of_an_object: [(Layer(x, x + 1), y) for x, y in PAIRS],
}
FUNCTIONS = pytest.mark.parametrize("function", CALLS, ids=lambda f: f.__name__)


def shapes(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: shapes(item) for key, item in tree.items()}
    if isinstance(tree, tuple | list):
        return [shapes(item) for item in tree]
    return shapes(vars(tree)) if isinstance(tree, Layer) else np.shape(tree)


@FUNCTIONS
def test_each_call_gets_the_program_for_its_sizes(function: Callable[..., Any]) -> None:
    for args in [*CALLS[function], *reversed(CALLS[function])]:
        check_grads(function, args, wrt=0)
        assert shapes(grad(function)(*args)) == shapes(args[0])


@pytest.mark.parametrize("function", [tails, windows, steps, of_an_object], ids=lambda f: f.__name__)
def test_two_processes_with_one_cache(function: Callable[..., Any], tmp_path: Path) -> None:
    script = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        f"import test_assumed_sizes as t\nfrom s2sad.testing import check_grads\n"
        f"for k in map(int, sys.argv[1:]):\n    check_grads(t.{function.__name__}, t.CALLS[t.{function.__name__}][k], wrt=0)\n"
    )
    for order in ("0", "1 0", "0 1 2"):
        done = subprocess.run(
            [sys.executable, "-c", script, *order.split()], capture_output=True, text=True, check=False,
            env={"S2SAD_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[1]), "PATH": ""},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


SECOND = [
    tails, windows, branches, through_a_callee, steps, backwards, joined, items_of_one_size, items_of_a_dict, from_the_end,
    blocks, counted_to_two, doubled,
]  # fmt: skip


@pytest.mark.parametrize("function", thinned(SECOND, 3, lambda f: f.__name__))
def test_second_order(function: Callable[..., Any]) -> None:
    for args in [*CALLS[function], CALLS[function][0]]:
        x, *others = args
        v, step = np.ones_like(x), 1e-6
        wanted = (grad(function)(x + step * v, *others) - grad(function)(x - step * v, *others)) / (2 * step)
        _, found = hvp(lambda x, *others: function(x, *others), (x, *others), (v,)) if not others else hvp(
            function, args, (v, *(np.zeros_like(o) if isinstance(o, np.ndarray) else None for o in others))
        )  # fmt: skip
        found = found[0] if isinstance(found, tuple) else found
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
        twice = grad(lambda x, *others: np.sum(grad(function)(x, *others)))
        np.testing.assert_allclose(twice(x, *others), wanted, rtol=1e-5, atol=1e-6)


def test_pullbacks_are_held_across_calls() -> None:
    held = []
    for x, y in PAIRS:
        value, back = vjp(inner, x, y)
        linear = linearize(inner, x, y)[1]
        held.append((x, y, value, back, linear))
    for x, y, value, back, linear in [*held, *held[::-1]]:
        seed = ramp(len(value))
        x_bar, y_bar = back(seed)
        assert (x_bar.shape, y_bar.shape) == (x.shape, y.shape)
        many, _ = back(np.stack([seed, 2 * seed]), batched=True)
        np.testing.assert_allclose(many, [x_bar, 2 * x_bar])
        x_dot, y_dot = ramp(len(x)), ramp(len(y), 0.1)
        dot = linear(x_dot, y_dot)
        np.testing.assert_allclose(dot, jvp(inner, (x, y), (x_dot, y_dot))[1])
        np.testing.assert_allclose(dot @ seed, x_dot @ x_bar + y_dot @ y_bar)


def test_jacobians_and_maps() -> None:
    for x, y in [*PAIRS, *PAIRS]:
        for mode in ("fwd", "rev"):
            found = jacobian(inner, wrt=(0, 1), mode=mode)(x, y)
            assert [one.shape for one in found] == [(len(inner(x, y)), len(x)), (len(inner(x, y)), len(y))]
        each = vmap(grad(tails))(np.stack([x, 2 * x]), np.stack([y, y]))
        np.testing.assert_allclose(each, [grad(tails)(x, y), grad(tails)(2 * x, y)])


def test_samples_with_integers_of_their_own() -> None:
    x = np.stack([ramp(9), ramp(9, 1.0)])
    found = vmap(grad(windows), (0, None, 0))(x, ramp(9), np.array([9, 4]))
    np.testing.assert_allclose(found, [grad(windows)(x[0], ramp(9), 9), grad(windows)(x[1], ramp(9), 4)])


def test_what_does_not_broadcast_is_the_users_error() -> None:
    derivative = value_and_grad(tails)
    before = derivative(*PAIRS[0])
    for bad in ((ramp(5), ramp(3)), (ramp(3), ramp(6))):
        with pytest.raises(ValueError, match="broadcast"):
            derivative(*bad)
        with pytest.raises(ValueError, match="broadcast"):
            tails(*bad)
    after = derivative(*PAIRS[0])
    assert before[0] == after[0]
    np.testing.assert_array_equal(before[1], after[1])


OUTSIDE = ramp(3)


def of_outside(y):
    return np.sum((OUTSIDE[1:] * y[1:]) ** 2)


def test_arrays_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for x, y in [*PAIRS, *PAIRS]:
        monkeypatch.setitem(globals(), "OUTSIDE", x)
        check_grads(of_outside, (y,))

    def closed(x: np.ndarray) -> Callable[[Any], Any]:
        def inside(y: Any) -> Any:
            return np.sum((x[1:] * y[1:]) ** 2)

        return inside

    for x, y in [*PAIRS, *PAIRS]:
        check_grads(closed(x), (y,))
        found, wanted = grad(closed(x), ("x", "y"))(y), grad(tails, (0, 1))(x, y)
        np.testing.assert_allclose(found[0], wanted[0])
        np.testing.assert_allclose(found[1], wanted[1])


@pytest.mark.parametrize("function", [tails, windows, halves, steps, backwards, every_other, joined], ids=lambda f: f.__name__)
def test_compiled(function: Callable[..., Any]) -> None:
    pytest.importorskip("numba")
    compiled, plain = grad(function, backend="numba"), grad(function)
    for args in [*CALLS[function], *CALLS[function]]:
        np.testing.assert_allclose(compiled(*args), plain(*args))
        check_grads(function, args, wrt=0)


def test_a_yes_is_a_guard_and_a_no_costs_nothing() -> None:
    f = differentiate(wrt=("x", "y"))(tails)
    x, y = PAIRS[0]
    equal = f.source("adjoint", x, y)
    assert "unbroadcast" not in equal
    assert "x: float64[n]; y: float64[n]" in equal
    different = f.source("adjoint", ramp(2), y)
    assert "unbroadcast" in different
    assert "x: float64[n]; y: float64[m]" in different
    assert f.source("adjoint", ramp(2), ramp(2)) == equal
    assert f.source("adjoint", ramp(9), ramp(9)) != different


LEAN = {
    items_of_one_size: "x: float64[4*n]; n: int; n >= 0", items_of_a_dict: "x: float64[4*n]; n: int; n >= 0",
    from_the_end: "x: float64[n]; y: float64[n]", blocks: "n: int; n >= 0; m >= 2 * n; k >= 3 * n",
    folded: "x: float64[n]\n", counted_down: "n: int; n + 1 >= 0", items_of_several_sizes: None,
    counted_to_two: "n: int; n >= 2; m >= n", doubled: "x: float64[n]; y: float64[n]", to_and_fro: None,
    banded: "width: int; width >= 1; ", banded_twice: "m + 1 >= width; n >= width",
    shifted_in_place: "x: float64[n]; shifts: int64[m]\n",
}  # fmt: skip


@pytest.mark.parametrize("function", LEAN, ids=lambda f: f.__name__)
def test_sizes_that_are_computed_are_compared(function: Callable[..., Any]) -> None:
    text = differentiate(wrt=0)(function).source("adjoint", *CALLS[function][0])
    assert "unbroadcast" not in text
    assert ("as_long_as" in text) == (LEAN[function] is None)  # nobody knows before: it is asked as the program runs
    assert (LEAN[function] or "") in text


def test_written_modules_take_nothing_for_granted(tmp_path: Path) -> None:
    f = differentiate(wrt=("x", "y"))(tails)
    path = f.write("adjoint", tmp_path / "tails_adjoint.py", *PAIRS[0])
    scope: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    for x, y in PAIRS:
        _, (x_bar, y_bar) = scope["tails_adjoint"](x, y)
        wanted = grad(tails, (0, 1))(x, y)
        np.testing.assert_allclose(x_bar, wanted[0])
        np.testing.assert_allclose(y_bar, wanted[1])
