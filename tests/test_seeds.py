"""Tangents and seeds that do not fit what they are of, and inputs that are named twice, are refused with words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad import ActivityError, differentiate, grad, hvp, jacobian, jvp, linearize, vjp
from s2sad.seeds import check_fits


@dataclass
class Weights:
    w: Any
    k: Any = None


X = np.array([0.7, 1.1, 0.9])
TREE = {"a": 1.5, "b": X, "n": 3}
SINGLE = np.float32(2.0)


@pytest.mark.parametrize(
    ("like", "given"),
    [
        (1.5, 2), (1.5, np.array(2.0)), (1.5, SINGLE), (1j, 1.0), (X, np.ones(3, int)), (X + 1j, X), (np.array(1.0), 2.0),
        (TREE, {"a": 1.0, "b": X}), (TREE, {"a": 1.0, "b": X, "n": None}), ([X, (1.0, 3)], (X, [1.0])), (3, None), (None, None),
        (Weights(X, 2), Weights(X)),
    ],
)  # fmt: skip
def test_what_fits_is_taken(like: Any, given: Any) -> None:
    check_fits("it", given, like)


@pytest.mark.parametrize(
    ("like", "given", "words"),
    [
        (X, [1.0, 2.0, 3.0], "it is a list, but an array of shape (3,)"),
        (X, np.ones(2), "shape (2,), but (3,)"),
        (X, 1.0, "shape (), but (3,)"),
        (X, X * 1j, "complex"),
        (X, np.array(["a", "b", "c"]), "dtype <U1"),
        (1.5, np.ones(3), "shape (3,), but a number"),
        (1.5, 1j, "complex"),
        (SINGLE, None, "it is None"),
        (1.5, "a", "it is a str"),
        (TREE, {"a": 1.0}, "nothing at 'b'"),
        (TREE, {"a": 1.0, "b": X, "c": 1.0}, "has 'c'"),
        (TREE, [1.0, X, 0], "it is a list, but a dict"),
        (TREE, {"a": 1.0, "b": np.ones(2)}, "it, at 'b', has shape (2,)"),
        ([X, (1.0, 3)], [X, 1.0], "it, at 1, is a float, but a tuple"),
        ([X, 1.0], [X], "nothing at 1"),
        (Weights(X), {"w": X}, "it is a dict"),
    ],
)
def test_what_does_not_fit_is_refused(like: Any, given: Any, words: str) -> None:
    with pytest.raises(ActivityError) as found:
        check_fits("it", given, like)
    assert words in str(found.value)


def squares(x: Any) -> Any:
    return x**2


def product(p: Any) -> Any:
    return p["a"] * np.sum(p["b"])


def dot(a: Any, b: Any) -> Any:
    return a @ b


@pytest.mark.parametrize(
    "call",
    [
        lambda: jvp(squares, (X,), ([1.0, 2.0, 3.0],)),
        lambda: jvp(squares, (X,), (X * 1j,)),
        lambda: jvp(squares, (X,), (np.ones((2, 3)) * 1j,), batched=True),
        lambda: jvp(dot, (X, X), (X, X), wrt=(0,)),
        lambda: vjp(squares, X)[1]([1.0, 2.0, 3.0]),
        lambda: vjp(squares, X)[1](np.ones((2, 3)) * 1j, batched=True),
        lambda: vjp(dot, X, X)[1](np.ones(3)),
        lambda: hvp(product, (TREE,), ({"a": 1.0},)),
        lambda: linearize(product, TREE)[1]({"a": 1.0}),
    ],
)
def test_every_way_in_looks_at_what_is_given(call: Any) -> None:
    with pytest.raises(ActivityError):
        call()


@pytest.mark.parametrize("wrt", [(0, 0), (0, "a"), (0, -2), ("a", "a")])
def test_an_input_is_named_once(wrt: Any) -> None:
    for call in (grad, jacobian, s2sad.hessian, s2sad.value_and_grad):
        with pytest.raises(ActivityError, match="twice"):
            call(dot, wrt)(X, X)
    with pytest.raises(ActivityError, match="twice"):
        vjp(dot, X, X, wrt=wrt)


def weighted(a: Any, b: Any, *, c: Any) -> Any:
    return a * b * c


def of_several(a: Any, *others: Any) -> Any:
    return a * others[0]


def test_positions_from_the_last_one_on() -> None:
    assert grad(weighted, -1)(2.0, 3.0, c=5.0) == grad(weighted, "b")(2.0, 3.0, c=5.0)
    assert grad(weighted, np.int64(1))(2.0, 3.0, c=5.0) == 10.0
    assert grad(weighted, 2)(2.0, 3.0, c=5.0) == 6.0
    with pytest.raises(ActivityError, match=r"how many \*others gets"):
        grad(of_several, -1)(2.0, 3.0)


def test_a_part_and_the_whole_are_not_named_both() -> None:
    with pytest.raises(ActivityError, match="twice"):
        grad(product, ("p", "p['b']"))(TREE)
    a, b = grad(product, ("p['a']", "p['b']"))(TREE)
    assert (a, list(b)) == (pytest.approx(np.sum(X)), [1.5, 1.5, 1.5])


def test_an_input_may_be_what_is_written() -> None:
    def shift(u: Any, k: float) -> None:
        u[1:] += k * u[:-1]

    u_bar = differentiate(shift, wrt=("u", "k"), of="u").vjp(X, 0.5)[1](np.ones(3))[0]
    np.testing.assert_allclose(u_bar, [1.5, 1.5, 1.0])


@pytest.mark.parametrize("tree", [{"a": 2.0, "b": X}, {"a": 2.0, "b": X, "n": 3}])
def test_a_trace_of_a_tree_is_along_ones(tree: Any) -> None:
    traced = differentiate(product).trace(tree, mode="tangent")
    assert traced.result[1] == pytest.approx(np.sum(X) + 2.0 * 3)
    along = {**tree, "a": 0.0, "b": np.array([1.0, 0.0, 0.0])}
    assert differentiate(product).trace(tree, mode="tangent", tangents=(along,)).result[1] == pytest.approx(2.0)


def test_a_trace_says_that_its_result_is_no_number() -> None:
    for ask in (differentiate(squares).trace, lambda x: differentiate(squares).graph(x, mode="adjoint")):
        with pytest.raises(ActivityError, match="no number"):
            ask(X)


def test_numbers_that_are_counted_with() -> None:
    """NumPy's integers and booleans are as Python's: no seed is needed, and none is used."""
    value, pullback = vjp(lambda x: (np.sum(x * x), np.argmax(x), x[0] > 1.0), X)
    assert [*map(type, value[1:])] == [np.int64, np.bool_]
    for seed in ((1.0, None, None), (1.0, 0, False), value[:1] * 0 + (1.0, *value[1:])):
        np.testing.assert_allclose(pullback(seed)[0], 2 * X)
    mantissa = vjp(lambda s: np.frexp(s), 0.7)[1]
    assert mantissa((1.0, None)) == (1.0,)
    for k in (np.int64(3), np.True_, np.uint8(2)):
        found = vjp(lambda x, k: np.sum(x * k), X, k)[1](1.0)
        np.testing.assert_allclose(found[0], np.full(3, float(k)))
        assert found[1] is None


# --- results whose parts have no derivative on some path


def item_of_an_int(x):
    return x, x * x if x > 0 else 0


def item_of_none(x):
    a = None
    if x > 0:
        a = x**2
    return x, a


def item_of_text(x):
    a = "negative"
    if x > 0:
        a = x**2
    return x, (a, x)


def entry_of_an_int(x):
    a = False
    if x > 0:
        a = x**2
    return {"x": x, 3: a, "n": 3}


def row_of_integers(x):
    return (x * np.ones(2), np.arange(2)) if x < 0 else (x * np.ones(2), x * np.arange(2))


@pytest.mark.parametrize(
    ("function", "seed", "slopes"),
    [
        (item_of_an_int, (1.0, 1.0), (5.0, 1.0)), (item_of_an_int, (2.0, 0.5), (4.0, 2.0)),
        (item_of_none, (1.0, 1.0), (5.0, 1.0)), (item_of_text, (1.0, (1.0, 1.0)), (6.0, 2.0)),
        (entry_of_an_int, {"x": 1.0, 3: 1.0, "n": None}, (5.0, 1.0)),
        (row_of_integers, (np.ones(2), np.ones(2)), (3.0, 2.0)),
    ],
)  # fmt: skip
def test_seeds_go_where_the_program_says(function: Any, seed: Any, slopes: tuple[float, float]) -> None:
    """Also where a part has no derivative at this point, and whatever point the program was made at."""
    for points in ((2.0, -2.0), (-2.0, 2.0)):
        s2sad_function = differentiate(function)
        for x in points:
            value, pullback = s2sad_function.vjp(x)
            assert repr(value) == repr(function(x))
            assert pullback(seed)[0] == pytest.approx(slopes[x < 0])


def test_rows_of_seeds_and_jacobians() -> None:
    for function, there in ((item_of_an_int, (1.0, 4.0)), (item_of_none, (1.0, 4.0))):
        _, pullback = vjp(function, -2.0)
        rows = pullback((np.array([1.0, 2.0]), np.array([3.0, 4.0])), batched=True)[0]
        assert rows == pytest.approx(np.array([1.0, 2.0]))
        rows = vjp(function, 2.0)[1]((np.array([1.0, 2.0]), np.array([3.0, 4.0])), batched=True)[0]
        assert rows == pytest.approx(np.array([13.0, 18.0]))
        assert s2sad.jacrev(function)(2.0) == pytest.approx(there)
    assert s2sad.jacrev(item_of_an_int)(-2.0) == (1.0, 0.0)


def test_no_number_has_no_gradient() -> None:
    def nothing(x):
        return np.sum(x**2) if x[0] > 0 else None

    def text(x):
        return x**2 if x > 0 else "failed"

    def flagged(x, full=False):
        return (np.sum(x**2), x) if full else np.sum(x**2)

    assert grad(nothing)(X) == pytest.approx(2 * X)
    for call in (lambda: grad(nothing)(-X), lambda: grad(text)(-1.0), lambda: s2sad.value_and_grad(text)(-1.0),
                 lambda: grad(flagged)(X, True)):  # fmt: skip
        with pytest.raises(ActivityError, match="grad needs a number"):
            call()


@pytest.mark.parametrize(
    ("primals", "tangents"),
    [((3,), (1.0,)), ((np.array([1, 2]),), (np.ones(2),)), (([3, 4],), ([1.0, 0.0],)), ((2.0, 3), (0.0, 1.0)), ((True,), (1.0,))],
)
def test_tangents_of_integers_are_zero_or_refused(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> None:
    def total(*parts):
        return sum(np.sum(np.asarray(part)) for part in parts)

    with pytest.raises(ActivityError, match="has no derivative"):
        jvp(total, primals, tangents)


def test_tangents_of_integers_that_are_zero() -> None:
    assert jvp(lambda x, n: x**n, (2.0, 3), (1.0, 0)) == (8.0, 12.0)
    assert jvp(lambda x, n: x**n, (2.0, 3), (1.0, None)) == (8.0, 12.0)


def descended(s: Any) -> Any:
    w = s
    for _ in range(4):
        w = w - 0.1 * (w * 2 - 1) * w
    return w


def test_arrays_of_no_axes_stand_for_numbers_and_stay_as_they_are() -> None:
    one = np.ones(())
    slope, curvature = jvp(descended, (1.3,), (1.0,))[1], hvp(descended, (1.3,), (1.0,))[1]
    assert jvp(descended, (1.3,), (one,))[1] == slope
    assert hvp(descended, (1.3,), (one,))[1] == jvp(grad(descended), (1.3,), (one,))[1] == curvature
    assert vjp(descended, 1.3)[1](one)[0] == slope
    assert one == 1.0
