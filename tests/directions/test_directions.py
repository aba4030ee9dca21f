"""Several directions in one sweep: the interface, the programs as text, and what falls back to a loop."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.linalg

from s2sad import ActivityError, UnsupportedSyntaxError, differentiate, grad, jvp, vjp
from s2sad.api import derivatives_of
from s2sad.derivatives import Ask
from s2sad.options import make_options

RNG = np.random.default_rng(5)


def source(f: Any, *args: Any, mode: str = "tangents", wrt: Any = 0) -> str:
    derivatives = derivatives_of(f, make_options({}))
    return derivatives.compiled(Ask(mode, derivatives.inputs(wrt)), list(args)).entry.source


def stencil(u, c):
    v = u.copy()
    for _ in range(3):
        v[1:-1] += c * (v[2:] - 2 * v[1:-1] + v[:-2])
    return v


def branches(x, s):
    total = x[0] * s
    for k in range(1, len(x)):
        if x[k] > 0:
            total += x[k] * s
        else:
            total -= x[k] ** 2
    return total * x


def layers(w, x):
    h = np.tanh(x @ w)
    return np.sum(h, axis=0) / np.linalg.norm(h)


def norm_of(x):
    return np.sqrt(np.sum(x * x))


def through_calls(x, y):
    return norm_of(x) * y + norm_of(y) * x


def step(u, k):
    u[k] = u[k - 1] * u[k]


def written_in_calls(u):
    for k in range(1, len(u)):
        step(u, k)
    return u


def swapped(a):
    first = a[0]
    a[0] = a[1]
    a[1] = first
    return a


def lists(xs):
    ys = []
    for k in range(len(xs)):
        ys.append(xs[k] * xs[0])
    ys[0] += ys[1]
    return ys[0] * ys[-1]


def solved(A, b):
    return np.linalg.solve(A + A.T, b) @ b


def own_loop(x):
    return scipy.linalg.expm(np.outer(x, x))[0]  # of which nothing is stated for several directions


CASES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "stencil": (stencil, (RNG.standard_normal(7), 0.2)),
    "branches": (branches, (RNG.standard_normal(6), 0.7)),
    "layers": (layers, (RNG.standard_normal((4, 3)), RNG.standard_normal((5, 4)))),
    "calls": (through_calls, (RNG.standard_normal(4), RNG.standard_normal(4))),
    "calls that write": (written_in_calls, (RNG.standard_normal(5),)),
    "numbers taken out of memory": (swapped, (RNG.standard_normal(3),)),
    "lists": (lists, ([1.0, 2.0, -0.5],)),
    "systems": (solved, (RNG.standard_normal((3, 3)), RNG.standard_normal(3))),
    "a loop": (own_loop, (0.3 * RNG.standard_normal(3),)),
    "column order": (layers, (np.asfortranarray(RNG.standard_normal((4, 3))), RNG.standard_normal((4, 5)).T)),
}


def rows(x: Any, count: int) -> Any:
    if isinstance(x, list):
        return [rows(item, count) for item in x]
    return RNG.standard_normal((count, *np.shape(x)))


def row(r: Any, k: int) -> Any:
    return [row(item, k) for item in r] if isinstance(r, list) else float(r[k]) if r.ndim == 1 else r[k]


@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("name", CASES)
def test_tangents_are_those_of_the_loop(name: str, count: int) -> None:
    f, args = CASES[name]
    tangents = tuple(rows(x, count) for x in args)
    value, found = jvp(f, args, tangents, batched=True)
    singles = [jvp(f, args, tuple(row(t, k) for t in tangents)) for k in range(count)]
    np.testing.assert_array_equal(value, singles[0][0])
    np.testing.assert_allclose(found, np.stack([s[1] for s in singles]), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("name", CASES)
def test_adjoints_are_those_of_the_loop(name: str, count: int) -> None:
    f, args = CASES[name]
    value, pullback = vjp(f, *args)
    seeds = RNG.standard_normal((count, *np.shape(value)))
    found = pullback(seeds, batched=True)
    singles = [pullback(float(s) if s.ndim == 0 else s) for s in seeds]
    for k, bar in enumerate(found):
        if isinstance(bar, list):
            np.testing.assert_allclose(np.transpose(bar), [s[k] for s in singles], rtol=1e-12, atol=1e-13)
        else:
            np.testing.assert_allclose(bar, np.stack([s[k] for s in singles]), rtol=1e-12, atol=1e-13)


def test_no_direction_at_all() -> None:
    value, tangents = jvp(stencil, (np.ones(5), 0.1), (np.ones((0, 5)), np.ones(0)), batched=True)
    assert value.shape == (5,)
    assert tangents.shape == (0, 5)
    bars = vjp(stencil, np.ones(5), 0.1)[1](np.ones((0, 5)), batched=True)
    assert [b.shape for b in bars] == [(0, 5), (0,)]


def test_the_seeds_are_not_changed() -> None:
    tangents = np.ones((2, 5))
    jvp(written_in_calls, (np.arange(1.0, 6.0),), (tangents,), batched=True)
    vjp(written_in_calls, np.arange(1.0, 6.0))[1](tangents, batched=True)
    np.testing.assert_array_equal(tangents, np.ones((2, 5)))


@pytest.mark.parametrize(
    "tangents",
    [(np.ones(5), np.ones(1)), (np.ones((2, 4)), np.ones(2)), (np.ones((2, 5)), np.ones(3)), (np.ones((2, 5)), 1.0)],
    ids=["a single one", "another shape", "different numbers", "a number"],
)
def test_directions_of_another_shape_are_refused(tangents: Any) -> None:
    with pytest.raises(ActivityError):
        jvp(stencil, (np.ones(5), 0.1), tangents, batched=True)


def test_in_differentiated_functions_it_is_refused() -> None:
    def along(x):
        return np.sum(jvp(norm_of, (x,), (np.eye(3),), batched=True)[1])

    def back(x):
        return np.sum(vjp(norm_of, x)[1](np.ones(2), batched=True)[0])

    for f in (along, back):
        assert np.isfinite(f(np.ones(3)))
        with pytest.raises(UnsupportedSyntaxError):
            grad(f)(np.ones(3))


def test_seeds_of_another_shape_are_refused() -> None:
    pullback = vjp(stencil, np.ones(5), 0.1)[1]
    for seeds in (np.ones(5), np.ones((2, 4)), np.ones((2, 1, 5))):
        with pytest.raises(ActivityError):
            pullback(seeds, batched=True)


def test_one_tangent_beside_none() -> None:
    u_dot = RNG.standard_normal((3, 5))
    found = jvp(stencil, (np.arange(5.0), 0.1), (u_dot, None), batched=True)[1]
    np.testing.assert_allclose(found, [jvp(stencil, (np.arange(5.0), 0.1), (d, None))[1] for d in u_dot])
    by_name = jvp(stencil, (np.arange(5.0), 0.1), (u_dot,), wrt=("u",), batched=True)[1]
    np.testing.assert_array_equal(found, by_name)


class Layer(NamedTuple):
    w: np.ndarray
    b: float


def of_a_tree(p, q):
    return {"y": p["layer"].w * p["scale"] + p["layer"].b, "z": (q * p["scale"], 3)}


def test_trees_of_directions() -> None:
    p = {"layer": Layer(RNG.standard_normal(3), 0.5), "scale": 2.0}
    p_dot = {"layer": Layer(RNG.standard_normal((2, 3)), RNG.standard_normal(2)), "scale": RNG.standard_normal(2)}
    q_dot = RNG.standard_normal(2)
    found = jvp(of_a_tree, (p, 1.5), (p_dot, q_dot), batched=True)[1]
    for k in range(2):
        one = {"layer": Layer(p_dot["layer"].w[k], float(p_dot["layer"].b[k])), "scale": float(p_dot["scale"][k])}
        single = jvp(of_a_tree, (p, 1.5), (one, float(q_dot[k])))[1]
        np.testing.assert_allclose(found["y"][k], single["y"])
        np.testing.assert_allclose(found["z"][0][k], single["z"][0])
    bars = vjp(of_a_tree, p, 1.5)[1]({"y": RNG.standard_normal((4, 3)), "z": (np.ones(4), None)}, batched=True)
    assert bars[0]["layer"].w.shape == (4, 3)
    assert bars[0]["scale"].shape == bars[1].shape == (4,)


def quartic(x):
    return np.sum((x[1:] - x[:-1] ** 2) ** 2) + np.sum(x**4)


def test_the_gradient_along_directions() -> None:
    x, v = RNG.standard_normal(6), np.eye(6)
    found = jvp(grad(quartic), (x,), (v,), batched=True)[1]
    np.testing.assert_allclose(found, [jvp(grad(quartic), (x,), (d,))[1] for d in v], rtol=1e-12)
    np.testing.assert_allclose(found, found.T, rtol=1e-12)
    assert "one_by_one" not in source(derivatives_of(grad(quartic), make_options({})).function, x)


def test_a_method_and_an_argument_that_is_written() -> None:
    class Model:
        def __init__(self, k):
            self.k = k

        def fill(self, a, x):
            a[1:] = self.k * x[:-1] * x[1:]

    model, x, x_dot = Model(0.4), RNG.standard_normal(4), RNG.standard_normal((3, 4))
    found = jvp(model.fill, (np.zeros(4), x), (x_dot,), wrt=("x",), of="a", batched=True)
    singles = [jvp(model.fill, (np.zeros(4), x), (d,), wrt=("x",), of="a") for d in x_dot]
    np.testing.assert_allclose(found[1], [s[1] for s in singles])


def test_single_precision_stays() -> None:
    x = RNG.standard_normal(4).astype(np.float32)
    found = jvp(branches, (x, 0.5), (np.ones((2, 4), np.float32), np.ones(2)), batched=True)[1]
    assert found.dtype == np.float32
    assert [b.dtype for b in vjp(branches, x, 0.5)[1](np.ones((2, 4), np.float32), batched=True)] == [np.float32, np.float64]


def test_the_program_is_as_readable() -> None:
    assert re.sub(r'"""(.|\n)*?"""', '"""..."""', source(stencil, np.ones(5), 0.1, wrt=(0, 1))) == '''\
def stencil_tangents(u, c, u_dot, c_dot):
    """..."""
    v_dot = u_dot.copy()
    v = u.copy()
    for _ in range(3):
        v1 = v_dot[:, 1:-1] * 2
        v2 = v[2:] - 2 * v[1:-1] + v[:-2]
        v_dot[:, 1:-1] += c_dot[:, None] * v2 + (v_dot[:, 2:] - v1 + v_dot[:, :-2]) * c
        v[1:-1] += c * v2
    return v, v_dot
'''


def test_the_source_of_both_modes_is_shown() -> None:
    f = differentiate(stencil)
    assert "def stencil_tangents(u, c, u_dot):" in f.source("tangents", np.ones(5), 0.1)
    assert "def stencil_adjoints(u, c, out_bar):" in f.source("adjoints", np.ones(5), 0.1)
    with pytest.raises(ActivityError):
        f.source("directions", np.ones(5), 0.1)


def window(a):
    d = np.diagonal(np.diag(a))  # a window in memory that is written, of which nothing is stated
    b = np.diag(a).copy()
    b[0, 0] = a[1] * d[0]
    row = np.lib.stride_tricks.sliding_window_view(b[0], 2)
    b[0, 1] = 2.0 * a[0]
    return row.sum() * a


def test_what_is_not_stated_takes_one_direction_after_the_other_and_says_so() -> None:
    x = RNG.standard_normal(3)
    text = source(window, x)
    assert "one after the other" in text
    assert "Nothing is stated of" in text
    found = jvp(window, (x,), (np.eye(3),), batched=True)[1]
    np.testing.assert_allclose(found, [jvp(window, (x,), (d,))[1] for d in np.eye(3)], rtol=1e-12)
