"""What ``__exit__`` of a user's class does when an exception leaves the body is done in derivatives as in the plain call."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad


class Depth:
    """A context that counts, as libraries do that keep a stack of what is on."""

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        self.depth = 0
        self.scale = 1.0
        self.failed = ""
        self.last = 0.0

    def __enter__(self) -> float:
        self.depth += 1
        return self.scale

    def __exit__(self, raised: Any, error: Any, frames: Any) -> None:
        self.depth -= 1
        self.scale = self.scale * 2.0
        if raised is not None:
            self.failed = str(error)


class Commits(Depth):
    """One that does something else when all went well."""

    def __exit__(self, raised: Any, *_: Any) -> bool:
        if raised is None:
            self.last = self.last + 1.0
        else:
            self.last = self.last - 3.0
        return False


class Loud(Depth):
    """One that tells people."""

    def __exit__(self, *_: Any) -> None:
        print("left")


class Looks(Depth):
    """One that looks at what only the plain call has."""

    def __exit__(self, raised: Any, error: Any, frames: Any) -> None:
        self.depth = 5 if frames is None else 6


depth, other, commits, loud, looks = Depth(), Depth(), Commits(), Loud(), Looks()
NAMES: list[str] = []


class Named:
    """One that grows a list outside."""

    def __enter__(self) -> None:
        """Nothing."""

    def __exit__(self, *_: Any) -> None:
        NAMES.append("left")


named = Named()


def raises(x: float) -> float:
    with depth:
        if x > 1.0:
            raise ValueError("big")
        y = x * x
    return y


def binds(x: float) -> float:
    with depth as scale:
        y = math.sqrt(1.0 - x) * scale
    return y * x


def commit(x: float) -> float:
    with commits:
        y = math.log(2.0 - x)
    return y * x


def tells(x: float) -> float:
    with loud:
        y = math.sqrt(1.0 - x)
    return y


def grows(x: float) -> float:
    with named:
        y = math.sqrt(1.0 - x)
    return y


def two(x: float) -> float:
    with depth, other as scale:
        y = math.sqrt(1.0 - x) * scale
    return y


def the_second_is_not_entered(x: float) -> float:
    with depth:
        y = math.sqrt(1.0 - x)
        with other:
            y = y * x
    return y


def in_a_loop(x: float) -> float:
    y = x
    for k in range(3):
        with depth:
            y = y + math.sqrt(2.5 - k * x)
    return y


def returns(x: float) -> float:
    with depth:
        return math.sqrt(1.0 - x)


def helper(x: float) -> float:
    with depth:
        return math.sqrt(1.0 - x)


def in_a_helper(x: float) -> float:
    return helper(x) * helper(x + 0.1)


def before_it_is_caught(x: float) -> float:
    y = x
    try:
        with depth:
            y = math.sqrt(1.0 - x)
    except ValueError:
        y = 3.0 * x
    return y


def scaled_inside(x: float) -> float:
    with depth:
        depth.last = x
        y = math.sqrt(1.0 - x)
    return y * depth.last


def a_handler_raises_again(x: float) -> float:
    try:
        print("begins")
        depth.last = x
        y = math.sqrt(1.0 - x)
    except ValueError:
        depth.depth = 7
        raise
    return y * depth.last


PROGRAMS = [
    raises, binds, commit, tells, grows, two, the_second_is_not_entered, in_a_loop, returns, in_a_helper, before_it_is_caught,
    scaled_inside, a_handler_raises_again,
]  # fmt: skip
REFUSED = [(two, 1.5), (before_it_is_caught, 1.5)]  # one attempt in another, as it runs
DERIVATIVES: dict[str, Callable[[Any, float], Any]] = {
    "grad": lambda f, x: s2sad.grad(f)(x),
    "jvp": lambda f, x: s2sad.jvp(f, (x,), (1.0,))[1],
    "vjp": lambda f, x: s2sad.vjp(f, x)[1](1.0),
    "tape": lambda f, x: s2sad.differentiate(f).tape(x),
}


def outcome(run: Callable[[], Any], told: Any) -> list[Any]:
    """The exception that a call raises, and what it leaves behind."""
    for known in (depth, other, commits, loud, looks):
        known.start()
    NAMES.clear()
    told.readouterr()
    try:
        run()
        error = None
    except Exception as caught:
        error = f"{type(caught).__name__}: {caught}"
    state = [dict(vars(known)) for known in (depth, other, commits, loud, looks)]
    return [error, state, list(NAMES), told.readouterr().out]


@pytest.mark.parametrize("x", [0.5, 1.5])
@pytest.mark.parametrize("mode", DERIVATIVES)
@pytest.mark.parametrize("f", PROGRAMS)
def test_the_context_is_left_as_in_the_plain_call(f: Callable[..., Any], mode: str, x: float, capsys: Any) -> None:
    expected = outcome(lambda: f(x), capsys)
    found = outcome(lambda: DERIVATIVES[mode](f, x), capsys)
    refused = (f, x) in REFUSED and "was written is not known" in str(found[0])
    assert refused or found == expected


@pytest.mark.parametrize("f", PROGRAMS)
def test_the_derivative_is_that_of_the_body(f: Callable[..., Any], capsys: Any) -> None:
    h, x = 1e-6, 0.4

    def value(at: float) -> float:
        outcome(lambda: None, capsys)
        return f(at)

    expected = (value(x + h) - value(x - h)) / (2 * h)
    for mode in ("grad", "jvp"):
        outcome(lambda: None, capsys)
        assert DERIVATIVES[mode](f, x) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("derive", [s2sad.hessian, lambda f: s2sad.grad(s2sad.grad(f)), s2sad.jacfwd])
@pytest.mark.parametrize("f", [raises, binds, in_a_loop])
def test_the_second_order(f: Callable[..., Any], derive: Any, capsys: Any) -> None:
    untouched = outcome(lambda: None, capsys)
    expected = outcome(lambda: f(1.5), capsys)
    found = outcome(lambda: derive(f)(1.5), capsys)
    assert found[0] is not None
    assert found == expected or found[1:] == untouched[1:]  # what is refused changes nothing


def test_what_only_the_plain_call_has_is_refused() -> None:
    def f(x: float) -> float:
        with looks:
            y = math.sqrt(1.0 - x)
        return y

    with pytest.raises(s2sad.UnsupportedSyntaxError, match="its frames are those of a derivative"):
        s2sad.grad(f)(0.5)


def test_a_context_that_nobody_sees_costs_no_attempt() -> None:
    @s2sad.differentiate
    def f(x: np.ndarray) -> float:
        with Depth() as scale:
            y = np.sum(np.sqrt(x)) * scale
        return y

    assert f.grad(np.array([4.0])) == pytest.approx([0.25])
    assert "Attempt" not in f.source("adjoint")
