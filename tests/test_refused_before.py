"""What entry points refuse, they refuse by name, and before anything has changed: what holds itself, shared memory, settings."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from s2sad import (
    CompilerError,
    S2sadError,
    checkpoint,
    differentiate,
    grad,
    hvp,
    jacobian,
    jvp,
    linearize,
    ravel,
    root,
    value_and_grad,
    vjp,
    vmap,
)
from s2sad.cli import main
from s2sad.derivatives import Ask, Derivatives, Program
from s2sad.errors import NoRuleError
from s2sad.moments import ClassAttribute
from s2sad.options import make_options
from s2sad.testing import check_grads

X = np.array([0.5, 2.0, 3.0])


class Circle:
    """An object with a way back to itself."""

    def __init__(self) -> None:
        self.me, self.n, self.w = self, 0, np.ones(3)

    def loss(self, x: Any) -> Any:
        self.n += 1
        return np.sum(x * x * self.w)


def weighted(circle: Any, x: Any) -> Any:
    return np.sum(x * circle.w)


def in_a_list() -> Any:
    items: list[Any] = [1.0]
    items.append(items)
    return items


OF_METHODS: dict[str, Callable[[Any], Any]] = {
    "vjp": lambda f: vjp(f, X), "linearize": lambda f: linearize(f, X), "grad": lambda f: grad(f)(X),
    "jvp": lambda f: jvp(f, (X,), (X,)), "jacobian": lambda f: jacobian(f)(X), "hvp": lambda f: hvp(f, (X,), (X,)),
    "check_grads": lambda f: check_grads(f, (X,)), "ravel": lambda f: ravel(f.__self__),
    "cost": lambda f: differentiate(f).cost(X),
}  # fmt: skip
OF_ARGUMENTS: dict[str, Callable[[Any], Any]] = {
    "vjp": lambda c: vjp(weighted, c, X), "linearize": lambda c: linearize(weighted, c, X),
    "grad": lambda c: grad(weighted, 1)(c, X), "jacobian": lambda c: jacobian(weighted, 0)(c, X),
    "vmap": lambda c: vmap(weighted)(c, X), "ravel": ravel,
    "check_grads": lambda c: check_grads(weighted, (c, X)), "seed": lambda c: vjp(np.sin, X)[1](c),
    "tangent": lambda c: jvp(np.sin, (X,), (c,)), "result": lambda c: vmap(lambda x: [x, c])(X),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_METHODS)
def test_a_method_of_what_holds_itself(name: str) -> None:
    circle = Circle()
    with pytest.raises(S2sadError, match="itself") as caught:
        OF_METHODS[name](circle.loss)
    assert not isinstance(caught.value, CompilerError)
    assert circle.n == 0


@pytest.mark.parametrize("make", [Circle, in_a_list], ids=["object", "list"])
@pytest.mark.parametrize("name", OF_ARGUMENTS)
def test_an_argument_that_holds_itself(name: str, make: Callable[[], Any]) -> None:
    with pytest.raises(S2sadError) as caught:
        OF_ARGUMENTS[name](make())
    assert not isinstance(caught.value, CompilerError)


class Windows:
    """Two arrays in one memory."""

    def __init__(self) -> None:
        both = np.arange(4.0) + 1
        self.w, self.v = both[:3], both[1:]

    def loss(self, x: Any) -> Any:
        self.w *= x
        return np.sum(self.w * self.v)


@pytest.mark.parametrize("act", [grad, vjp, linearize], ids=lambda f: f.__name__)
def test_shared_memory_is_asked_about_before_anything_changes(act: Any) -> None:
    windows = Windows()
    with pytest.raises(S2sadError, match="share"):
        act(windows.loss)(X) if act is grad else act(windows.loss, X)
    assert windows.w.tolist() == [1.0, 2.0, 3.0]


class Options:
    """Methods with defaults."""

    def power(self, x: Any, d: Any = 3) -> Any:
        return np.sum(x**3) * d

    def by_name(self, x: Any, *, d: Any = 3) -> Any:
        return np.sum(x**3) * d

    @classmethod
    def of_class(cls, x: Any, d: Any = 3) -> Any:
        return np.sum(x**3) * d


DECORATED = differentiate(Options.power).__get__(Options())


@pytest.mark.parametrize("f", [Options().power, Options().by_name, Options.of_class, DECORATED])
def test_a_derivative_of_a_method_has_its_defaults(f: Any) -> None:
    wanted = (18 * X).tolist()
    assert vjp(grad(f), X)[1](np.ones(3))[0].tolist() == wanted
    assert vjp(value_and_grad(f), X)[1]((0.0, np.ones(3)))[0].tolist() == wanted
    assert jvp(grad(f), (X,), (np.ones(3),))[1].tolist() == wanted
    assert jacobian(grad(f))(X).sum(0).tolist() == wanted


class Counted:
    count = 0

    def loss(self, x: Any) -> Any:
        Counted.count += 1
        return np.sum(x**2)


def test_cost_leaves_nothing() -> None:
    Counted.count = 3
    differentiate(Counted().loss).cost(X)
    assert Counted.count == 3


OUTSIDE = np.ones(3)


def changes(x: Any) -> Any:
    OUTSIDE[0] += 1.0
    Counted.count += 1
    return np.sum(x * OUTSIDE)


def test_programs_that_were_made_before_know_what_they_write_outside() -> None:
    ask = Ask("adjoint", ("x",))
    made = [Derivatives(changes, make_options({})).compiled(ask, [X]) for _ in range(2)]
    for compiled in made:
        assert compiled.replays
        assert compiled.outside[0] is OUTSIDE
        assert compiled.outside[1:] == (ClassAttribute(Counted, "count"),)
    kept = Program((), {}, "", 0, False, False, True, False, ((3, None), (4, "count")))
    assert Program.read(kept.written()) == kept


def test_orders_that_would_not_end() -> None:
    with pytest.raises(S2sadError, match="orders up to"):
        check_grads(lambda x: x @ x, (X,), order=10**30)


@pytest.mark.parametrize("solver", [5, lambda f, x: None])
def test_solvers_that_are_none(solver: Any) -> None:
    with pytest.raises(S2sadError):
        grad(lambda a: root(lambda y, a: y**3 - a, 1.0, a, solver=solver))(2.0)


def test_a_rule_that_is_not_there() -> None:
    found = CliRunner().invoke(main, ["rules", "numpy.sinn"])
    assert found.exit_code == 2
    assert "did you mean 'numpy.sin'" in found.output
    assert CliRunner().invoke(main, ["rules", "numpy.sin"]).exit_code == 0


NOTHING, TRUTH = None, True


def test_settings_that_are_none() -> None:
    a = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert math.isclose(grad(lambda x: np.linalg.norm(x, ord=NOTHING))(np.array([3.0, 4.0]))[0], 0.6)
    assert np.allclose(grad(lambda x: np.sum(np.cumprod(x, axis=NOTHING)))(a), grad(lambda x: np.sum(np.cumprod(x)))(a))
    for f in (lambda x: np.sum(np.sort(x, axis=TRUTH) ** 2), lambda x: np.sum(np.partition(x, 0, axis=TRUTH) ** 2)):
        with pytest.raises(NoRuleError, match="truth value"):
            grad(f)(a)


def test_a_checkpointed_partial_is_no_mistake_of_ours() -> None:
    model = Options()

    class Called:
        def __call__(self, x: Any) -> Any:
            return model.power(x)

    try:
        found = vjp(grad(checkpoint(Called())), X)[1](np.ones(3))[0]
    except S2sadError as error:
        assert not isinstance(error, CompilerError)
    else:
        assert found.tolist() == (18 * X).tolist()
