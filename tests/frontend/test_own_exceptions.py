"""Exceptions of users' classes within ``try``: made twice, or not at all, where that does nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import UnsupportedSyntaxError, check_grads, grad, hvp, jvp
from s2sad.runtime import UnsupportedError, assert_told, held_by

X = np.array([1.2, 2.3, 0.7])
SEEN: list[float] = []


class Bad(Exception):
    """Nothing of its own."""


class Worse(Bad, ValueError):
    def __init__(self, value, limit=3):
        """What was given."""
        super().__init__(f"bad: {value}")
        self.value = value
        self.limits = [limit, "none"]


class Told(Exception):
    def __init__(self, value):
        SEEN.append(1.0)
        super().__init__(value)


class BelowTold(Told):
    pass


class Checked(Exception):
    def __init__(self, value):
        self.value = value

    @property
    def value(self):
        return 1.0

    @value.setter
    def value(self, new):
        SEEN.append(1.0)


def root(v, error):
    if v < 0:
        raise error("negative") if error is not Worse else Worse(v)
    return np.sqrt(v)


def without_arguments(x):
    s = 0.0
    for v in x:
        try:
            if v < 1.5:
                raise Bad
            s += np.sqrt(v - 1.5)
        except Bad:
            s += v**2
    return s


def from_a_callee(x):
    s = 0.0
    for v in x:
        try:
            s += root(v - 1.5, Bad)
        except Bad:
            s += v**2
    return s


def by_a_class_above(x):
    s = 0.0
    for v in x:
        try:
            s += root(v - 1.5, Worse)
        except (KeyError, Bad):
            s += v**2
        else:
            s *= v
        finally:
            s += v
    return s


def raised_again(x):
    try:
        try:
            r = root(x[0] - 9.0, Worse)
        except ValueError as e:
            raise Bad("again") from e
    except Bad as e:
        r = x[1] * (2.0 if str(e) == "again" else 3.0)
    return r * x[2]


def _root(v, n):
    if v < 0:
        raise Worse(value=v * n, limit=n)
    if n < 0:
        raise Worse(v, limit=[n, v])
    return np.sqrt(v)


def by_keyword(x):
    s = 0.0
    for v in x:
        try:
            s += _root(v - 1.5, 2) + _root(v, -1 if v > 2.0 else 3)
        except Worse:
            s += v**3
    return s


RIGHT = [without_arguments, from_a_callee, by_a_class_above, raised_again, by_keyword]


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_is_right(function: Callable[..., Any]) -> None:
    check_grads(function, (X,), order=2, rtol=2e-4, atol=2e-6)


def test_it_leaves_the_derivative() -> None:
    with pytest.raises(Worse, match="bad: -0.5") as caught:
        grad(root)(-0.5, Worse)
    assert caught.value.limits == [3, "none"]


def test_its_keywords_reach_it() -> None:
    ways = [grad(_root), lambda v, n: jvp(_root, (v, n), (1.0, None)), lambda v, n: hvp(_root, (v, n), (1.0, None))]
    for derive in ways:
        with pytest.raises(Worse, match="bad: -1.0") as caught:
            derive(-0.5, 2)
        assert caught.value.limits == [2, "none"]
        with pytest.raises(Worse, match="bad: 4.0") as caught:
            derive(4.0, -2)
        assert caught.value.limits == [[-2, 4.0], "none"]


@pytest.mark.parametrize("error", [Told, BelowTold, Checked])
def test_what_does_more_is_refused(error: type[Exception]) -> None:
    def tried(x):
        try:
            if x < 1.5:
                raise error(1)
            y = x
        except error:
            y = x * x
        return y

    def named(x):
        try:
            if x < 1.5:
                raise error(value=1)
            y = x
        except error:
            y = x * x
        return y

    for function in (tried, named):
        with pytest.raises(UnsupportedSyntaxError, match="would be called twice"):
            grad(function)(1.2)
    assert not SEEN


def test_what_a_class_does_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    class Own(Exception):
        pass

    def tried(x):
        try:
            if x < 1.5:
                raise Own(1)
            y = x
        except Own:
            y = x * x
        return y

    derivative = grad(tried)
    assert derivative(1.2) == 2.4
    monkeypatch.setattr(Own, "__init__", Told.__init__)
    with pytest.raises(UnsupportedSyntaxError, match="would be called twice"):
        derivative(1.2)


def test_what_it_holds_is_refused_by_name() -> None:
    def held(x):
        try:
            return root(x - 9.0, Worse)
        except Worse as e:
            return e.value * x

    with pytest.raises(UnsupportedSyntaxError, match="the attribute 'value' of an exception"):
        grad(held)(1.0)


class Moody(Exception):
    def __init__(self, level):
        self.__dict__["level"] = level

    @property
    def level(self):
        return 2.5

    @level.setter
    def level(self, new):
        SEEN.append(1.0)


class Odd(Bad):
    level = property(lambda self: 3)


@pytest.mark.parametrize("error", [Odd, Bad])
def test_what_is_no_field_of_it_is_refused_by_name(error: Any) -> None:
    def held(x):
        try:
            return root(x - 9.0, error)
        except Bad as e:
            return e.level * x

    with pytest.raises(UnsupportedSyntaxError, match="the attribute 'level' of an exception is no field"):
        grad(held)(1.0)


def test_a_field_behind_a_property_is_not_read() -> None:
    with pytest.raises(UnsupportedError, match="the attribute 'level' of an exception is no field"):
        held_by(Moody(3), "level")


def test_compiled() -> None:
    pytest.importorskip("numba")

    def rooted(x):
        if x < 0:
            raise Bad("negative")
        return np.sqrt(x)

    derivative = grad(rooted, backend="numba")
    assert derivative(4.0) == 0.25
    with pytest.raises(Bad, match="negative"):
        derivative(-1.0)


def test_what_no_statement_has_raised_is_refused_as_it_runs() -> None:
    assert_told(ValueError(1), "args", True)
    with pytest.raises(UnsupportedError, match="no statement that is followed has raised"):
        assert_told(ValueError(1), "args", False)


def test_an_argument_that_a_function_of_the_users_computes_is_refused() -> None:
    class Told(ValueError):
        def __init__(self, x: Any) -> None:
            self.x = x

    def counted(x: Any) -> Any:
        SEEN.append(1.0)
        return x * x

    def held(x: Any) -> Any:
        try:
            raise Told(counted(x))
        except Told as e:
            return e.x * x

    with pytest.raises(UnsupportedSyntaxError, match="computed in the raise statement"):
        grad(held)(1.0)


def test_an_argument_that_fails_itself() -> None:
    class Told(ValueError):
        def __init__(self, x: Any) -> None:
            self.x = x

    def held(x: Any, k: int) -> Any:
        try:
            raise Told([x, x * x][k])
        except Told as e:
            return e.x * x
        except IndexError:
            return x * 3.0

    assert [grad(held)(2.0, k) for k in (0, 1, 2)] == [4.0, 12.0, 3.0]
