"""The testers, tested: what is right passes, what is slightly wrong does not, and the message says where."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator

import numpy as np
import pytest

from s2sad import check_grads, rule
from s2sad.rules import registry, user
from s2sad.testing import check_rule, dot_product_test, taylor_test

LOGGER = logging.getLogger(__name__)


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    """The rules of one test are none of the next one's business."""
    registry.load_tables()
    tables = (registry._primitives, registry._objects, user._described, user._injected)
    saved = [dict(table) for table in tables]
    yield
    for table, old in zip(tables, saved, strict=True):
        table.clear()
        table.update(old)
    registry._modules_seen = -1
    registry.revision += 1


def cube(x):
    return x * x * x


def product(x, y, n):
    return np.sin(x) * cube(y) * n


def scale_rows(a, c):
    for row in a:
        row *= c
        row[0] += 1.0


def mixed(p, q):
    return p["w"] @ q[0] + q[1][1], {"last": p["b"] * 2.0}


X, Y = np.array([[0.2, 0.4, 0.9]]), np.array([0.3, 0.8, 1.2])


def test_right_derivatives_pass() -> None:
    check_grads(product, (X, Y, 2))
    check_grads(product, (X, Y, 2), wrt=1, modes=("rev",))
    check_grads(product, (0.3, 0.4, 2), wrt=("x", "y"), modes=("fwd", "rev"))
    dot_product_test(product, (X, Y, 2))
    assert taylor_test(product, (X, Y, 2))[-1] == pytest.approx(2.0, abs=0.05)


def test_single_precision() -> None:
    check_grads(product, (X.astype(np.float32), Y.astype(np.float32), 2))


def test_structured_arguments_and_results() -> None:
    args = ({"w": np.array([0.2, 0.3]), "b": 0.7}, (np.array([0.1, 0.9]), (1.0, 2.5)))
    check_grads(mixed, args)
    dot_product_test(mixed, args)
    assert taylor_test(mixed, args)


def test_functions_that_write_into_their_arguments() -> None:
    a = np.arange(6.0).reshape(2, 3)
    check_grads(scale_rows, (a, 0.7), of="a")
    dot_product_test(scale_rows, (a, 0.7), of="a")
    assert taylor_test(scale_rows, (a, 0.7), of="a")[-1] == pytest.approx(2.0, abs=0.05)
    assert np.array_equal(a, np.arange(6.0).reshape(2, 3))


class Keeps:
    def __init__(self) -> None:
        self.kept = np.ones(3)

    def all_of_it(self, x):
        self.kept[:] = self.kept * x
        return self.kept

    def a_window(self, x):
        self.kept *= x
        return self.kept[1:]


@pytest.mark.parametrize("name", ["all_of_it", "a_window"])
def test_what_a_method_keeps_and_returns(name: str) -> None:
    args = (np.array([0.5, 1.2, -0.3]),)
    check_grads(getattr(Keeps(), name), args)
    dot_product_test(getattr(Keeps(), name), args)
    taylor_test(getattr(Keeps(), name), args)


def test_second_order() -> None:
    def f(x, y):
        return np.sin(x) * y * y

    check_grads(f, (0.3, 0.4), order=2)
    check_grads(product, (X, Y, 2), order=2)  # of results that are no numbers, too


def test_linear_functions_leave_no_remainder() -> None:
    assert taylor_test(lambda x: 3.0 * x, (2.0,)) == []


@pytest.mark.parametrize("mode", ["tangent", "adjoint"])
def test_an_error_of_a_twentieth_of_a_percent_is_found(mode: str) -> None:
    rule(cube, x="3.0015 * g * x * x")
    check_grads(product, (X, Y, 2), wrt="x", modes=(mode,))
    with pytest.raises(AssertionError, match=rf"the {mode} of product with respect to 'y' is wrong.*relative error \d"):
        check_grads(product, (X, Y, 2), modes=(mode,))
    with pytest.raises(AssertionError, match=mode):
        check_rule(cube, 0.7, modes=(mode,))


def test_modes_that_disagree_are_found() -> None:
    rule(cube, vjp=lambda out_bar, out, x: (3.0015 * out_bar * x * x,), jvp=lambda out, args, dots: 3 * args[0] ** 2 * dots[0])
    check_grads(product, (0.3, 0.4, 2), modes=("tangent",))
    with pytest.raises(AssertionError, match="the two modes of product disagree"):
        dot_product_test(product, (0.3, 0.4, 2))


def test_a_wrong_tangent_has_first_order_remainders() -> None:
    rule(cube, x="3.3 * g * x * x")
    with pytest.raises(AssertionError, match=r"shrinks as h to the power (0\.9|1\.0)"):
        taylor_test(product, (0.3, 0.4, 2))


def test_a_gradient_of_the_wrong_shape_or_dtype_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    for bar in (np.zeros(2), np.zeros(3, np.float32)):
        monkeypatch.setattr("s2sad.testing.vjp", lambda f, x, bar=bar, **options: (f(x), lambda weights: (bar,)))
        with pytest.raises(AssertionError, match="the gradient for 'x' has shape"):
            check_grads(cube, (Y,), modes=("adjoint",))


def test_a_derivative_that_changes_its_arguments_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def spoiling(f, primals, tangents, **options):
        primals[0][0] += 1.0
        return f(*primals), tangents[0]

    monkeypatch.setattr("s2sad.testing.jvp", spoiling)
    with pytest.raises(AssertionError, match="has changed the caller's argument 'x'"):
        check_grads(cube, (Y,), modes=("tangent",))


def test_requests_that_make_no_sense() -> None:
    with pytest.raises(ValueError, match="unknown mode 'forward'"):
        check_grads(product, (X, Y, 2), modes=("forward",))
    with pytest.raises(ValueError, match="no argument 'z'"):
        check_grads(product, (X, Y, 2), wrt="z")
    with pytest.raises(ValueError, match="holds floats"):
        check_grads(product, (1, 2, 3))


@pytest.mark.parametrize(
    ("name", "args", "facts"),
    [
        ("numpy.sin", (0.3,), {}),
        ("numpy.sin", (np.array([0.3 + 0.2j]),), {}),
        ("ndarray.sum", (X,), {"axis": 1}),
        ("operator.mul", (2.0, 3.0), {}),
        ("numpy.linalg.solve", (np.eye(2) * 2 + 1, np.ones(2)), {}),
        (np.arctan2, (0.3, 0.4), {}),
        ("builtins.abs", (-0.3,), {}),
    ],
)
def test_rules(name, args, facts) -> None:
    check_rule(name, *args, **facts)


def test_arguments_are_a_tuple() -> None:
    for args in (1.5, np.ones(2), {"x": 1.5}):
        with pytest.raises(ValueError, match=r"a tuple of arguments, \(x,\), is expected"):
            check_grads(lambda x: x * x, args)


def test_a_function_tells_once(capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    """As one call does, though it is evaluated many times."""

    def f(x):
        print("printed")
        warnings.warn("warned", UserWarning, stacklevel=1)
        LOGGER.warning("logged")
        return x**2

    for order in (1, 2):
        with pytest.warns(UserWarning, match="warned") as warned:
            check_grads(f, (0.7,), order=order)
        assert capsys.readouterr().out == "printed\n"
        assert [str(one.message) for one in warned] == ["warned"]
        assert [record.message for record in caplog.records] == ["logged"]
        caplog.clear()
