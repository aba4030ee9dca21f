"""Users' own rules, in both modes and through the public API."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad import NoRuleError, S2sadError, check_grads, grad, jvp, nondifferentiable, rule, stop_gradient, vjp
from s2sad.rules import registry, user
from s2sad.testing import check_rule, dot_product_test


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    """The rules of one test are none of the next one's business."""
    registry.load_tables()
    saved = [dict(table) for table in (registry._primitives, registry._objects, user._described, user._injected)]
    yield
    for table, old in zip((registry._primitives, registry._objects, user._described, user._injected), saved, strict=True):
        table.clear()
        table.update(old)
    registry._modules_seen = -1
    registry.revision += 1


def cube(x):
    return x * x * x


def solve(a, b):
    return functools.partial(np.linalg.solve)(a, b)


def solve_vjp(out_bar, out, a, b):
    b_bar = np.linalg.solve(a.T, out_bar)
    return -np.outer(b_bar, out), b_bar


def solve_jvp(out, args, dots):
    return np.linalg.solve(args[0], dots[1] - dots[0] @ out)


def through_cube(x, y):
    return np.sum(cube(x * y)) + x[0]


def through_solve(a, b):
    return solve(a + 0.1, np.sin(b))


def test_formula_of_an_elementwise_function() -> None:
    rule(cube, x="3 * g * x ** 2")
    check_grads(through_cube, (np.array([0.3, 0.7]), 1.4))
    check_rule(cube, 0.7)


def test_the_rule_is_used_and_not_the_source() -> None:
    before = grad(through_cube)(np.array([1.0, 2.0]), 1.0)
    assert np.allclose(before, [4.0, 12.0])
    rule(cube, x="100 * g")
    assert np.allclose(grad(through_cube)(np.array([1.0, 2.0]), 1.0), [101.0, 100.0])


def test_a_rule_overrides_the_built_in_one() -> None:
    def f(x):
        return np.sin(x)

    assert grad(f)(0.3) == pytest.approx(math.cos(0.3))
    rule(np.sin, x="2 * g * cos(x)")
    assert grad(f)(0.3) == pytest.approx(2 * math.cos(0.3))


def test_a_rule_wrong_by_a_twentieth_of_a_percent_is_seen() -> None:
    rule(cube, x="3 * 1.0005 * g * x ** 2")
    for mode in ("tangent", "adjoint"):
        with pytest.raises(AssertionError, match=rf"the {mode} of through_cube with respect to 'x' is wrong.*e-04"):
            check_grads(through_cube, (np.array([0.3, 0.7]), 1.4), modes=(mode,))
    with pytest.raises(AssertionError):
        check_rule(cube, 0.7)


def test_linear_function() -> None:
    def turned(u, scale=2.0):
        return scale * np.array(list(reversed(u)))

    def f(u):
        return np.sum(turned(np.sin(u)) * np.array([1.0, 2.0]))

    rule(turned, linear=True, like="u", u="scale * g[::-1]")
    check_grads(f, (np.array([0.3, 0.7]),))


def test_a_function_that_is_linear_in_each_parameter_alone() -> None:
    def product(A, B):
        return A.dot(B)

    def f(A, B):
        return np.sum(product(np.sin(A), B) ** 2)

    rule(product, linear=True, A="g @ B.T", B="A.T @ g")
    args = (np.array([[0.3, 0.7], [1.1, -0.4]]), np.array([[0.9, 0.2], [-0.5, 1.3]]))
    check_grads(f, args)
    dot_product_test(f, args)
    check_grads(f, args, order=2)


def test_functions_that_compute_the_derivative() -> None:
    rule(solve, vjp=solve_vjp, jvp=solve_jvp)
    args = (np.array([[2.0, 0.3], [0.1, 1.5]]), np.array([0.3, 0.7]))
    check_grads(through_solve, args)
    dot_product_test(through_solve, args)
    check_grads(through_solve, args, wrt="b")


def test_as_a_decorator() -> None:
    @rule(x="2 * g * x")
    def square(x):
        return math.pow(x, 2)

    @rule(vjp=lambda out_bar, out, x: (out_bar * out,), jvp=lambda out, args, dots: out * dots[0])
    def exponential(x):
        return math.exp(x)

    def f(x):
        return square(x) * exponential(x)

    assert square(3.0) == 9.0
    check_grads(f, (0.7,))


def test_a_missing_mode_is_refused_by_name() -> None:
    rule(solve, vjp=solve_vjp)
    args = (np.eye(2), np.ones(2))
    vjp(through_solve, *args)[1](np.ones(2))
    with pytest.raises(NoRuleError, match="has no jvp"):
        jvp(through_solve, args, args)


def test_functions_without_a_name_of_their_own() -> None:
    steps = nondifferentiable(lambda x: np.round(x * 3.0))
    twice = rule(lambda x: 2.0 * x, x="2.0 * g")
    x = np.array([0.4, 1.3])
    np.testing.assert_allclose(grad(lambda x: np.sum(steps(x) * twice(x)))(x), 2.0 * np.round(x * 3.0))


def doubled(x):
    return 2.0 * x


@pytest.mark.parametrize(
    "make",
    [
        lambda f: f, s2sad.vmap, s2sad.checkpoint, s2sad.differentiate, s2sad.jacobian,
        lambda f: grad(lambda x: np.sum(f(x) * x)), lambda f: functools.wraps(f)(lambda x: f(x)),
    ],
)  # fmt: skip
def test_a_rule_comes_before_all_that_is_known_of_a_function(make: Any) -> None:
    x = np.array([0.4, 1.3])
    taught = rule(make(lambda x: doubled(x)), jvp=lambda out, args, dots: 7.0 * dots[0])
    assert jvp(lambda x: np.sum(taught(x)), (x,), (np.ones(2),))[1] == 14.0
    constant = nondifferentiable(make(lambda x: doubled(x)))
    np.testing.assert_array_equal(grad(lambda x: np.sum(constant(x)))(x), 0.0)


def test_a_rule_for_what_is_inside_holds_for_what_calls_it() -> None:
    x = np.array([0.4, 1.3])
    for outer in (s2sad.vmap, s2sad.differentiate, functools.partial):
        inner = nondifferentiable(lambda x: doubled(x))
        called = outer(inner)
        np.testing.assert_array_equal(grad(lambda x, called=called: np.sum(called(x)))(x), 0.0)


def test_a_rule_for_a_function_that_keeps_results() -> None:
    kept = nondifferentiable(functools.lru_cache(lambda x: doubled(x)))
    assert grad(lambda x: kept(x) * x)(3.0) == 6.0


def test_static_methods() -> None:
    class Scaling:
        @nondifferentiable
        @staticmethod
        def by_two(x):
            return 2.0 * x

        @rule(x="7.0 * g")
        @staticmethod
        def by_three(x):
            return 3.0 * x

    x = np.array([0.4, 1.3])
    np.testing.assert_array_equal(grad(lambda x: np.sum(Scaling.by_two(x)))(x), 0.0)
    np.testing.assert_array_equal(grad(lambda x: np.sum(Scaling().by_three(x)))(x), 7.0)


class Doubling:
    def __call__(self, x):
        return 2.0 * x


@pytest.mark.parametrize("thing", [functools.partial(doubled), Doubling(), Doubling().__call__], ids=lambda t: type(t).__name__)
def test_what_is_known_by_its_parts_has_no_rule(thing: Any) -> None:
    with pytest.raises(S2sadError, match="can have no rule of its own"):
        nondifferentiable(thing)
    with pytest.raises(S2sadError, match="can have no rule of its own"):
        rule(thing, x="7.0 * g")


def test_rules_are_not_registered_inside() -> None:
    def f(x):
        @nondifferentiable
        def inner(y):
            return 2.0 * y

        return np.sum(inner(x))

    with pytest.raises(s2sad.UnsupportedSyntaxError, match="nondifferentiable inside"):
        grad(f)(np.ones(2))


def test_a_rule_for_what_is_a_program_of_ours() -> None:
    """``np.trapezoid`` is written out, where nobody has a rule for it."""
    rule(np.trapezoid, vjp=lambda bar, out, y, x, dx, axis: (7.0 * bar * np.ones_like(y), None, None, None))
    np.testing.assert_array_equal(grad(lambda x: np.trapezoid(x))(np.ones(3)), 7.0)


def test_second_derivatives_by_functions_are_refused_by_name() -> None:
    rule(cube, vjp=lambda out_bar, out, x: (3.0 * x * x * out_bar,), jvp=lambda out, args, dots: 3.0 * args[0] ** 2 * dots[0])

    def f(x):
        return np.sum(cube(x) * x)

    np.testing.assert_allclose(grad(f)(np.ones(2)), 4.0)
    with pytest.raises(NoRuleError, match="the second derivative of .*cube is not known"):
        s2sad.hessian(f)(np.ones(2))


def test_patterns_ask_what_a_function_does() -> None:
    def flipped(x):
        return x[::-1]

    def f(x):
        return flipped(x * x) * 2.0

    rule(flipped, linear=True, like="x", x="np.flip(g)")
    with pytest.raises(s2sad.ActivityError, match="what flipped does beside its result is not known"):
        s2sad.sparse_jacobian(f)(np.ones(3))
    rule(flipped, linear=True, like="x", effects="view(x)", x="np.flip(g)")
    x = np.arange(1.0, 4.0)
    np.testing.assert_array_equal(s2sad.sparse_jacobian(f)(x).toarray(), s2sad.jacobian(f)(x))


def test_what_a_vjp_returns_is_checked() -> None:
    rule(solve, vjp=lambda out_bar, out, a, b: out_bar)
    _, pullback = vjp(through_solve, np.eye(2), np.ones(2))
    with pytest.raises(S2sadError, match="must return a tuple of 2 adjoints"):
        pullback(np.ones(2))
    rule(solve, vjp=lambda out_bar, out, a, b: (None, out_bar[:1]))
    _, pullback = vjp(through_solve, np.eye(2), np.ones(2))
    with pytest.raises(S2sadError, match="argument 1"):
        pullback(np.ones(2))


def test_a_changed_callable_is_another_rule() -> None:
    def f(x):
        return cube(x)

    for factor in (1.0, 2.0):
        rule(cube, vjp=lambda out_bar, out, x, factor=factor: (factor * out_bar,))
        assert grad(f)(3.0) == factor


def test_function_in_c() -> None:
    counts = {"calls": 0}

    def f(x):
        return math.lgamma(x) * x

    rule(math.lgamma, x="g * 0.25")
    assert grad(f)(3.0) == pytest.approx(math.lgamma(3.0) + 0.75)
    assert counts["calls"] == 0


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"z": "g"}, "no parameter 'z'"),
        ({"x": "g *"}, "cannot be read"),
        ({"x": "3 * x"}, "does not mention g"),
        ({"x": "g * sine(x)"}, "mentions sine"),
        ({"x": "g * w"}, "mentions w"),
        ({"x": "sum([g, g])"}, "uses List"),
        ({}, "formulas by parameter names"),
        ({"x": "g", "vjp": solve_vjp}, "formulas by parameter names"),
        ({"vjp": solve_vjp, "linear": True}, "linear=True"),
        ({"x": "2 * g * x", "linear": True}, "reads x, so that cube is not linear in x"),
        ({"x": "where(out > 0, g, 0)", "linear": True}, "reads out"),
    ],
)
def test_rules_that_make_no_sense(facts: dict, message: str) -> None:
    with pytest.raises(S2sadError, match=message):
        rule(cube, **facts)


def test_nondifferentiable() -> None:
    @nondifferentiable
    def level(x):
        return round(x * 10) / 10

    def f(x):
        return level(x) * x

    assert level(0.33) == 0.3
    assert grad(f)(0.33) == pytest.approx(0.3)
    assert jvp(f, (0.33,), (1.0,))[1] == pytest.approx(0.3)


def test_stop_gradient() -> None:
    def f(x):
        return stop_gradient(x * x) * x

    def g(x):
        return s2sad.stop_gradient(x) * x

    assert stop_gradient(3.0) == 3.0
    assert grad(f)(3.0) == pytest.approx(9.0)
    assert grad(g)(3.0) == pytest.approx(3.0)
    assert jvp(f, (3.0,), (1.0,))[1] == pytest.approx(9.0)


def spread(x: Any, y: Any) -> Any:
    return x * y


def cubed(x: Any) -> Any:
    return x**3


def lowest(a: Any, b: Any) -> Any:
    return 3 * b**2


def test_functions_of_users_rules_may_be_called_as_helpers_of_ours() -> None:
    s2sad.rule(spread, x="g * y", y="g * x")
    s2sad.rule(lowest, b="g * 6 * b")
    s2sad.rule(cubed, x="g * lowest(1.0, x)")  # ours looks only at the shape of its second argument

    @s2sad.differentiate
    def f(x: Any) -> Any:
        y = x * 1.0
        z = cubed(y)
        y[0] = 5.0
        return np.sum(z) + np.sum(np.tile(y, 2)) + np.sum(spread(y, z))

    x = np.array([1.0, 2.0])
    steps = [(f(x + 1e-6 * e) - f(x - 1e-6 * e)) / 2e-6 for e in np.eye(2)]
    np.testing.assert_allclose(f.grad(x), steps, rtol=1e-6)


TEXT = """
def make(k):
    def pullback(out_bar, out, x):
        def inner():
            return {k} * x * x * out_bar
        return (inner(),)
    return pullback
"""


def test_what_a_rule_says_is_the_same_text_in_all_processes_and_changes_with_nested_code() -> None:
    def told(text: str) -> str:
        scope: dict[str, Any] = {}
        exec(text, scope)
        rule(cube, vjp=scope["make"](1.0))
        return user.described_rules()[user._canonical(cube)]

    text = TEXT.replace("{k}", "3.0")
    assert told(text) == told("\n\n" + text)
    assert told(text) != told(TEXT.replace("{k}", "4.0"))
    assert " at 0x" not in told(text)
    rule(cube, vjp=functools.partial(lambda k, out_bar, out, x: (k * x * x * out_bar,), 3.0))
    assert " at 0x" not in user.rules_in_words()


def test_a_rule_takes_what_its_function_takes() -> None:
    @functools.wraps(cube)
    def gathers(*args, **kwargs):
        return args[0]

    with pytest.raises(S2sadError, match="no rule can describe"):
        rule(gathers, x="g")
