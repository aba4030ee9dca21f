"""Programs that expect shapes to be equal where only the run tells, called with such arrays, with others, and with such again.

The gradients are held against finite differences of the function each time; ``expecting`` tells which program ran.
"""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.language.recursion_more import fft_parts, karatsuba, strassen

import s2sad
from s2sad import checkpoint, differentiate, grad, hvp, jacobian, jvp, linearize, value_and_grad, vjp, vmap
from s2sad.api import derivatives_of, make_options
from s2sad.derivatives import Ask
from s2sad.expecting import Expecting
from s2sad.testing import check_grads


def spectrum(x):
    re, im = fft_parts(x, np.zeros(len(x)))
    return np.sum((re**2 + im**2) * np.arange(len(re)))


def product_at(p, q):
    return np.polyval(karatsuba(p, q), 0.7)


def trace(a, b):
    return np.trace(strassen(a, b) ** 2)


def haar(a, n):
    if n < 2:
        return
    h = n // 2
    odd = a[1 : 2 * h : 2] - a[0 : 2 * h : 2]
    even = a[0 : 2 * h : 2] + 0.5 * odd * odd
    a[:h] = even
    a[h : 2 * h] = odd
    haar(a, h)


def halved(x):
    """A sum of halves, whose parts fit for an even number of items, and for three: two items and one."""
    if len(x) < 2:
        return np.sum(x**2)
    k = len(x) // 2
    return halved(x[:k] * x[k:] + x[k:])


def once(x, w):
    """A loop that carries an array, which in one iteration is stretched by what it meets."""
    acc = w * 1.0
    for k in range(3):
        part = x[k:] if k == 1 else x[: len(acc)]
        acc = acc * part + np.sin(part)
    return np.sum(acc**2)


def carried(x, n):
    """A loop that carries an array of another size each time."""
    acc = x[:1]
    for k in range(1, n):
        acc = np.concatenate([acc * x[k : k + len(acc)], x[:1]])
    return np.sum(acc**3)


def longer_weights(x, n):
    """What is not active may be longer: the array that is active is stretched."""
    weights = np.arange(1.0, n + 1.0)
    part = x
    for _ in range(2):
        part = part[: max(1, len(part) // 2)]
    return np.sum(part * weights[: len(weights) // 2] * part)


def option(x, n):
    """A loop that carries the values of an option, which meet as they are exercised; what cannot be looked at meets them, too."""
    values = np.maximum(x[: n + 1] - 1.2, 0.0)
    for step in range(n - 1, -1, -1):
        held = x[: step + 1] * 0.9
        values = 0.98 * (0.4 * values[1:] + 0.6 * values[:-1])
        values = np.where(held > values, held, values)
    return np.sum(values**2)


def kernel(xs, y):
    """An array that is made of lists, and is as long as another one: nothing stretches it."""
    made = np.array([[math.exp(-((a - b) ** 2)) for b in xs] for a in xs])
    return np.sum(np.linalg.inv(made + y[0] * np.eye(len(xs))) ** 2)


def scattered(x, places, ends):
    """Windows of one array, which go where those of another one say."""
    made = np.zeros((len(ends), len(places)))
    for i in range(len(ends) - 1):
        made[i, places[ends[i] : ends[i + 1]]] = x[ends[i] : ends[i + 1]] ** 2
    return np.sum(made**2)


def gathered(x, places, ends):
    """The same along the only axis, where some places are there twice."""
    made = np.zeros(len(places)) + x[0]
    for i in range(len(ends) - 1):
        made[places[ends[i] : ends[i + 1]]] = x[ends[i] : ends[i + 1]] * made[0]
    return np.sum(made**3)


def layers(flat, sizes, x, count):
    """Layers in a list: a bias is as long as the last axis of what it is added to, unless it has one item."""
    nets, start = [], 0
    for m, n in zip(sizes, sizes[1:]):  # noqa: RUF007
        nets.append((flat[start : start + m * n].reshape(m, n), flat[start + m * n : start + m * n + min(n, count)]))
        start += m * n + n
    for w, b in nets:
        x = np.tanh(x @ w + b)
    return np.sum(x**2)


def joined(rows, w):
    """Rows in a list, which change each other; their adjoints are added in place, to a list of arrays."""
    out = [r * w for r in rows]
    out[1][:] = out[0] + rows[2]
    last = out.pop()
    last *= out[1]
    out.append(last[::-1])
    return np.concatenate(out) + np.array(rows).ravel()


def items(count, *more):
    return np.random.default_rng(7).normal(size=(count, *more)) + 1.5


def varies(value):
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"


def program(function, *args, of=None):
    """The adjoint program that serves these arguments, by all arguments that are arrays."""
    derivatives = derivatives_of(function, make_options({}))
    values = derivatives.arguments(args, {})
    names = tuple(n for n, v in zip(derivatives.names, values, strict=True) if varies(v))
    return derivatives.compiled(Ask("adjoint", names, of), values).function


def expects(function, *args, of=None):
    return isinstance(program(function, *args, of=of), Expecting)


def check(function, *args, of=None):
    wrt = tuple(k for k, v in enumerate(args) if varies(v))
    check_grads(function, args, wrt=wrt, of=of, modes=("adjoint",), jointly=True)


CASES = [
    (spectrum, [(items(8),), (items(3),), (items(4),), (items(2),)]),
    (product_at, [(items(4), items(4)), (items(8), items(8)), (items(3), items(3)), (items(2), items(2))]),
    (trace, [(items(2, 2), items(2, 2)), (items(4, 4), items(4, 4)), (items(1, 1), items(1, 1))]),
    (halved, [(items(8),), (items(3),), (items(6),), (items(4),)]),
    (once, [(items(4), items(4)), (items(2), items(2)), (items(5), items(1)), (items(3), items(2))]),
    (carried, [(items(6), 3), (items(3), 3), (items(4), 4)]),
    (option, [(items(5), 4), (items(3), 2), (items(2), 4), (items(1), 0), (items(2), 1)]),
    (kernel, [([1.0, 2.0, 0.5], items(1)), ([1.0, 2.0], items(1)), ([1.0], items(2))]),
    (scattered, [(items(n), np.arange(m)[::-1], np.array(ends))
                 for n, m, ends in [(5, 5, [0, 2, 5]), (3, 5, [0, 2, 5]), (3, 3, [0, 3]), (2, 5, [0, 2, 5]), (6, 4, [0, 1, 3])]]),
    (gathered, [(items(n), np.arange(m) // 2, np.array(ends))
                for n, m, ends in [(5, 5, [0, 2, 5]), (3, 5, [0, 2, 5]), (3, 3, [0, 3]), (2, 5, [0, 2, 5]), (6, 4, [0, 1, 3])]]),
    (layers, [(items(40) - 1.5, sizes, items(5, sizes[0]), count)
              for sizes, count in [((3, 4, 2), 9), ((2, 3, 2), 9), ((3, 4, 2), 1), ((2, 2, 1), 2), ((2, 1, 3, 2), 9)]]),
    (joined, [([items(n), items(n)[::-1], items(n) ** 2], items(n)) for n in (4, 1, 2)]),
    (longer_weights, [(items(4), 2), (items(4), 9), (items(8), 4), (items(9), 1)]),
]


@pytest.mark.parametrize(("function", "calls"), CASES, ids=lambda part: getattr(part, "__name__", ""))
@pytest.mark.parametrize("order", [1, -1])
def test_gradients_are_right_in_any_order(function, calls, order):
    for args in [*calls[::order], *calls]:
        try:
            function(*args)
        except ValueError as error:
            with pytest.raises(ValueError, match=re.escape(str(error))):
                value_and_grad(function)(*args)
        else:
            check(function, *args)


@pytest.mark.parametrize("count", [4, 8, 3, 5, 6, 7, 2])
def test_arrays_that_are_written_into_are_copies(count):
    assert expects(haar, items(8), 8, of="a")
    check(haar, items(count), count, of="a")


@pytest.mark.parametrize(("function", "calls"), CASES, ids=lambda part: getattr(part, "__name__", ""))
def test_programs_expect(function, calls):
    assert expects(function, *calls[0])


def test_the_general_program_runs_once_for_what_is_stretched_and_stays():
    lean = program(halved, items(8))
    assert isinstance(lean, Expecting)
    lean(items(8), 1.0)
    assert not lean.stretched
    lean(items(6), 1.0)  # of three items, two and one
    assert lean.stretched
    made: list[Any] = []
    lean.lean = lambda *args: made.append(args)
    again = lean(items(8), 1.0)[1]
    assert not made
    assert np.array_equal(again, grad(halved)(items(8)))


def test_shapes_that_do_not_fit_raise_what_the_function_raises():
    def summed(x, n):
        part = x[:n]
        for _ in range(2):
            part = part[: len(part) // 2 + 1] * x[1:3]
        return np.sum(part)

    assert np.isfinite(grad(summed)(items(6), 2)).all()
    with pytest.raises(ValueError, match="operands could not be broadcast together"):
        grad(summed)(items(6), 4)


BUFFER = [0.0]


def stores_outside(x):
    y = halved(x)
    BUFFER[0] = y
    return y


def prints(x):
    print("halved")
    return halved(x)


def draws(x, rng):
    return halved(x * rng.normal())


def draws_by_the_module(x):
    return halved(x) * np.random.normal()


class Held:
    def __init__(self):
        self.sum = 0.0

    def add(self, x):
        self.sum = self.sum + halved(x)
        return self.sum


def attempts(x):
    try:
        return halved(x)
    except ValueError:
        return np.sum(x)


def fills(into, x):
    into.append(halved(x))
    return into[0]


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (stores_outside, (items(8),)), (prints, (items(8),)), (draws_by_the_module, (items(8),)), (attempts, (items(8),)),
        (draws, (items(8), np.random.default_rng(3))), (fills, ([], items(8))), (Held().add, (items(8),)),
    ],
    ids=lambda part: getattr(part, "__name__", ""),
)  # fmt: skip
def test_what_must_not_run_twice_expects_nothing(function, args):
    assert expects(halved, items(8))
    assert not expects(function, *args)


def test_a_list_of_a_closure_that_grows_expects_nothing():
    seen = []

    def noting(x):
        seen.append(len(x))
        return halved(x)

    assert not expects(noting, items(8))


calls: list[int] = []


def twice(x):
    calls.append(len(x))
    return 2.0 * x


s2sad.rule(twice, linear=True, x="2.0 * g")


def test_a_function_with_a_rule_of_which_nothing_else_is_known_expects_nothing():
    def through(x):
        return halved(twice(x))

    assert not expects(through, items(8))
    calls.clear()
    grad(through)(items(6))
    assert calls == [6]


@pytest.mark.parametrize("count", [8, 6, 3, 4])
def test_derivatives_of_other_sorts(count):
    x = items(count)
    d = items(count)[::-1].copy()
    value, gradient = value_and_grad(halved)(x)
    assert value == halved(x)
    assert np.allclose(vjp(halved, x)[1](1.0), gradient)
    assert np.allclose(jvp(halved, (x,), (d,))[1], gradient @ d)
    assert np.allclose(linearize(halved, x)[1](d), gradient @ d)
    assert np.allclose(jacobian(lambda x: np.array([halved(x), 2.0 * halved(x)]))(x), [gradient, 2.0 * gradient])
    assert np.allclose(vmap(grad(halved))(np.stack([x, d])), [gradient, grad(halved)(d)])
    step = 1e-6
    expected = (grad(halved)(x + step * d) - grad(halved)(x - step * d)) / (2 * step)
    assert np.allclose(hvp(halved, (x,), (d,))[1], expected, rtol=1e-5, atol=1e-4)
    assert np.allclose(jvp(grad(halved), (x,), (d,))[1], expected, rtol=1e-5, atol=1e-4)
    assert np.allclose(grad(lambda x: np.sum(grad(halved)(x) * d))(x), expected, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("count", [8, 6, 3])
def test_a_checkpoint(count):
    check(lambda x: np.sum(checkpoint(halved)(x) ** 2), items(count))


@pytest.mark.parametrize("count", [8, 6])
def test_texts_say_what_they_expect(count, tmp_path):
    d = differentiate(halved)
    text = d.source("adjoint", items(count))
    assert ("as_long_as" in text) == ("for others it raises Stretched" in text)
    d.write("adjoint", tmp_path / "plain.py", items(count))
    d.write("adjoint", tmp_path / "standalone.py", items(count), standalone=True)
    for name in ("plain", "standalone"):
        assert "as_long_as" not in (tmp_path / f"{name}.py").read_text()


@pytest.mark.parametrize("count", [8, 6, 3])
def test_tapes_costs_and_traces_are_told(count):
    d = differentiate(halved)
    assert d.tape(items(count)).bytes > 0
    assert d.cost(items(count), repeats=1).predicted > 1
    assert len(list(d.trace(items(count)))) > 0


SCRIPT = """
import sys
import numpy as np
from s2sad import grad
from s2sad.testing import check_grads
def halved(x):
    if len(x) < 2:
        return np.sum(x**2)
    k = len(x) // 2
    return halved(x[:k] * x[k:] + x[k:])
for count in map(int, sys.argv[1:]):
    check_grads(halved, (np.arange(1.0, count + 1.0) / 3,), modes=("adjoint",))
print("agree")
"""


@pytest.mark.parametrize("verified", ["0", "1"])
def test_another_process_with_the_same_cache(tmp_path: Path, verified):
    (tmp_path / "script.py").write_text(SCRIPT)
    settings = {**os.environ, "S2SAD_CACHE_DIR": str(tmp_path / "cache"), "XDG_STATE_HOME": str(tmp_path / "state")}
    for counts in (["8", "4"], ["6", "8", "3"], ["8", "6"]):
        done = subprocess.run(
            [sys.executable, "script.py", *counts], cwd=tmp_path, capture_output=True, text=True, check=False,
            env={**settings, "S2SAD_VERIFY": verified, "PYTHONPATH": str(Path(__file__).parents[1])},
        )  # fmt: skip
        assert done.stdout == "agree\n", done.stderr


@pytest.mark.parametrize("function", [option, kernel, scattered, gathered, layers, joined])
def test_nothing_is_summed_to_a_shape_that_is_there(function):
    calls = dict(CASES)[function]
    wrt = tuple(k for k, v in enumerate(calls[0]) if varies(v) or isinstance(v, list))
    text = differentiate(function, wrt=wrt).source("adjoint", *calls[0])
    assert re.search(r"as_(long_as|a_row_of)\(", text) and "unbroadcast(" not in text
