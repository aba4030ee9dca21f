"""``adjoint_of``: the user's code in the reverse sweep, against gradients worked out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad import S2sadError, adjoint_of, check_grads, differentiate, grad, jvp

X = np.array([0.4, 1.3, -2.0])
SEEN: list[Any] = []


def clipped(x, c):
    y = np.sin(x) * x
    with adjoint_of(y) as y_bar:
        y_bar = np.clip(y_bar, -c, c)
    return np.sum(y**2)


def test_what_the_body_sets_goes_on_as_the_adjoint() -> None:
    y = np.sin(X) * X
    expected = np.clip(2 * y, -0.5, 0.5) * (np.cos(X) * X + np.sin(X))
    np.testing.assert_allclose(grad(clipped)(X, 0.5), expected)


def test_the_value_and_the_tangent_are_those_of_the_function() -> None:
    value, tangent = jvp(clipped, (X, 0.5), (np.ones(3), 0.0))
    y = np.sin(X) * X
    np.testing.assert_allclose(value, np.sum(y**2))
    np.testing.assert_allclose(tangent, np.sum(2 * y * (np.cos(X) * X + np.sin(X))))
    assert clipped(X, 0.5) == pytest.approx(value)


def doubled(x):
    y = x * x
    with adjoint_of(y) as g:
        g = 2.0 * g
    return y * y


def test_the_gradient_that_was_changed_is_what_is_differentiated_again() -> None:
    assert grad(doubled)(3.0) == pytest.approx(2 * 4 * 3.0**3)
    assert grad(grad(doubled))(3.0) == pytest.approx(2 * 12 * 3.0**2)


def scaled_by_what_it_was(x):
    for k in range(3):
        x = np.sin(x) + x
        with adjoint_of(x) as bar:
            bar = bar * (k + 1) + 0.0 * x
    return x


def test_the_body_sees_the_variables_of_its_iteration() -> None:
    steps, x = [], 0.7
    for _ in range(3):
        steps.append(np.cos(x) + 1)
        x = np.sin(x) + x
    assert grad(scaled_by_what_it_was)(0.7) == pytest.approx(np.prod(steps) * 1 * 2 * 3)


def norm_limited(w, xs, limit=0.1):
    h = np.zeros(2)
    for t in range(len(xs)):
        h = np.tanh(w @ h + xs[t])
        with s2sad.adjoint_of(h) as h_bar:
            norm = np.linalg.norm(h_bar)
            if norm > limit:
                h_bar *= limit / norm
    return np.sum(h)


def test_a_body_with_a_branch_may_change_the_adjoint_in_place() -> None:
    w, xs = np.array([[0.5, 0.2], [0.1, 0.4]]), np.linspace(-1.0, 1.0, 6).reshape(3, 2)
    hs = [np.zeros(2)]
    for x in xs:
        hs.append(np.tanh(w @ hs[-1] + x))
    bar, expected = np.ones(2), np.zeros((2, 2))
    for before, after in zip(hs[-2::-1], hs[:0:-1], strict=True):
        norm = np.linalg.norm(bar)
        bar = bar * 0.1 / norm if norm > 0.1 else bar
        expected += np.outer(bar * (1 - after**2), before)
        bar = w.T @ (bar * (1 - after**2))
    np.testing.assert_allclose(grad(norm_limited)(w, xs), expected)


def heat(u, steps):
    for _ in range(steps):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        with adjoint_of(u) as u_bar:
            u_bar[0] = 0.0
    return np.sum(u**2)


def test_the_adjoint_of_memory_that_is_written_changes_where_it_is() -> None:
    u, step = np.arange(5.0) ** 2, np.eye(5)
    for k in range(1, 4):
        step[k, k - 1 : k + 2] += [0.1, -0.2, 0.1]
    cut = np.diag([0.0, 1, 1, 1, 1])
    final = step @ step @ u
    np.testing.assert_allclose(grad(heat)(u, 2), step.T @ cut @ step.T @ cut @ (2 * final))
    assert "_tape" not in differentiate(heat).source("adjoint", u, 2)


def watched(x):
    y = x * x
    with adjoint_of(y) as y_bar:
        print("the adjoint is", y_bar)
        SEEN.append(y_bar)
    return y * y


def test_printing_and_collecting_change_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    SEEN.clear()
    assert grad(watched)(3.0) == pytest.approx(108.0)
    assert SEEN == [18.0]
    assert capsys.readouterr().out == "the adjoint is 18.0\n"


def test_without_a_derivative_the_body_runs_with_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert watched(3.0) == 81.0
    assert capsys.readouterr().out == "the adjoint is 1.0\n"


def unconcerned(x, k):
    y = k * 2.0
    with adjoint_of(y) as y_bar:
        print(y_bar)
    return y * x


def test_what_has_no_adjoint_has_none_to_look_at(capsys: pytest.CaptureFixture[str]) -> None:
    check_grads(unconcerned, (2.0, 3.0), wrt=0, modes=("tangent",))
    capsys.readouterr()
    assert grad(unconcerned)(2.0, 3.0) == 6.0
    assert capsys.readouterr().out == ""
    assert grad(unconcerned, 1)(2.0, 3.0) == 4.0
    assert capsys.readouterr().out == "2.0\n"


def of_an_expression(x):
    with adjoint_of(x * x) as bar:
        print(bar)
    return x


def without_a_name(x):
    with adjoint_of(x):
        print(x)
    return x


def of_an_integer(x, n):
    with adjoint_of(n) as bar:
        print(bar)
    return x * n


def used_afterwards(x):
    y = x * x
    with adjoint_of(y) as bar:
        norm = abs(bar)
    return y * norm


def writes_into_variables(x):
    seen = np.zeros(2)
    with adjoint_of(x) as bar:
        seen[0] = bar
    return x * x + seen[1]


@pytest.mark.parametrize(
    ("function", "args", "words"),
    [
        (of_an_expression, (2.0,), "adjoint_of"),
        (without_a_name, (2.0,), "adjoint_of"),
        (of_an_integer, (2.0, 3), "adjoint_of"),
        (used_afterwards, (2.0,), "reverse sweep"),
        (writes_into_variables, (2.0,), "reverse sweep"),
    ],
)
def test_refusals_say_why(function: Any, args: tuple[Any, ...], words: str) -> None:
    with pytest.raises(S2sadError, match=words) as caught:
        grad(function)(*args)
    assert caught.value.location is not None


def wrong_shape(x):
    y = x * x
    with adjoint_of(y) as bar:
        bar = np.sum(bar) * np.ones(2)
    return np.sum(y)


def test_an_adjoint_of_another_shape_is_refused() -> None:
    with pytest.raises(S2sadError, match="shape"):
        grad(wrong_shape)(X)
