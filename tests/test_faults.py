"""Exceptions of derivatives: those of the function, as it raises them; what only the derivative raises is a fault of ours."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad import CompilerError, grad, hessian, hvp, jvp, rule, runtime, value_and_grad, vjp

X = np.array([0.4, 0.7])
WAYS: dict[str, Callable[[Any], Any]] = {
    "grad": lambda f: grad(f)(X),
    "value_and_grad": lambda f: value_and_grad(f)(X),
    "vjp": lambda f: vjp(f, X)[1](1.0),
    "jacobian": lambda f: s2sad.jacobian(f, mode="rev")(X),
    "hessian": lambda f: hessian(f)(X),
    "hvp": lambda f: hvp(f, (X,), (X,)),
    "jvp of grad": lambda f: jvp(grad(f), (X,), (X,)),
    "grad of grad": lambda f: grad(lambda x: np.sum(grad(f)(x)))(X),
    "vmap of grad": lambda f: s2sad.vmap(grad(f))(np.array([X, X])),
}




@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake in what derivatives call, and functions do not."""
    space: dict[str, Any] = {"__name__": runtime.__name__}
    exec("def prod_of_others(*_):\n    raise ValueError('shapes do not fit')", space)
    monkeypatch.setattr(runtime, "prod_of_others", space["prod_of_others"])


def quiet(x):
    return np.prod(x)


def printing(x):
    print("once")
    return np.prod(x)


seen = SimpleNamespace(count=0)


def counting(x):
    seen.count += 1
    return np.prod(x)


class Model:
    def __init__(self) -> None:
        self.calls = 0

    def loss(self, x):
        self.calls += 1
        return np.prod(x)


PROGRAMS = {"quiet": quiet, "printing": printing, "counting": counting, "method": Model().loss}


FORWARD = ("hvp", "jvp of grad", "grad of grad")  # the gradient is no longer behind the mark of a reverse sweep


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_what_only_the_derivative_raises_is_a_fault(program: str, way: str) -> None:
    if program != "quiet" and way in FORWARD:
        with pytest.raises((ValueError, CompilerError)) as doubted:
            WAYS[way](PROGRAMS[program])
        notes = getattr(doubted.value, "__notes__", [""])
        assert isinstance(doubted.value, CompilerError) or "itself raises this" in notes[-1]
        return
    with pytest.raises(CompilerError, match="raises ValueError, which a call of .* does not") as caught:
        WAYS[way](PROGRAMS[program])
    text = str(caught.value)
    assert "shapes do not fit" in text and "report" in text and f'File "{__file__}", line ' in text
    assert isinstance(caught.value.__cause__, ValueError)


@pytest.mark.usefixtures("broken")
def test_what_cannot_be_called_again_and_is_not_behind_the_reverse_sweep_says_so() -> None:
    with pytest.raises(ValueError, match="shapes do not fit") as caught:
        jvp(counting, (X,), (X,))
    assert "s2sad has not checked that counting itself raises this" in caught.value.__notes__[-1]
    with pytest.raises(CompilerError):
        jvp(printing, (X,), (X,))


closed = io.StringIO()
closed.close()


def printing_in_vain(x):
    print(x[0], file=closed)
    return x[0] * x[1]


@pytest.mark.parametrize("way", WAYS)
def test_what_printing_raises_passes(way: str) -> None:
    with pytest.raises(ValueError, match="closed file"):
        WAYS[way](printing_in_vain)


def raising(x):
    return math.sqrt(-x[0]) * x[1]


def raising_in_words(x):
    if x[0] < 1.0:
        raise LookupError(f"{x[0]} is too small")
    return x[0] * x[1]


def raising_while_handling(x):
    try:
        y = math.log(-x[0])
    except ValueError as error:
        raise RuntimeError("no logarithm") from error
    return y


def printing_and_raising(x):
    print("once")
    raise KeyError("as the user says")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("program", [raising, raising_in_words, raising_while_handling, printing_and_raising])
def test_what_the_function_raises_passes_as_it_is(program: Callable[[Any], Any], way: str) -> None:
    with pytest.raises(Exception) as plain:  # noqa: PT011  (compared)
        program(X)
    with pytest.raises(Exception) as found:  # noqa: PT011  (compared)
        WAYS[way](program)
    assert (type(found.value), str(found.value)) == (type(plain.value), str(plain.value))
    assert type(found.value.__cause__) is type(plain.value.__cause__)
    assert not any("has not checked" in note for note in getattr(found.value, "__notes__", ()))


def loads_an_item_first(x):
    print("once")
    v = np.array([x[0], x[1]])
    v[int(x[0] * 9)] *= math.log(-x[0])
    return v[0]


def loads_an_item_of_a_list_first(x):
    print("once")
    v = [x[0], x[1]]
    v[int(x[0] * 9)] += math.log(-x[0])
    return v[0] * math.log(-x[0])


def reads_what_is_not_bound(x):
    print("once")
    if x[0] < 0:
        y = 1.0
    return y * x[0]


def takes_out_what_is_not_there(x):
    print("once")
    items = [x[0], x[1]]
    items.remove(3.0)
    return items[0]


def runs_over_too_few(x):
    print("once")
    return sum(a * b for a, b in zip(x, x[:1], strict=True))


def runs_over_too_many(x):
    print("once")
    items = [y for y in x if y > 0.5]
    return sum(a * b for a, b in zip(items, x, strict=True))


@pytest.mark.parametrize("way", ["grad", "vjp", "hessian", "jvp of grad"])
@pytest.mark.parametrize(
    "program",
    [
        loads_an_item_first, loads_an_item_of_a_list_first, reads_what_is_not_bound, takes_out_what_is_not_there,
        runs_over_too_few, runs_over_too_many,
    ],
)  # fmt: skip
def test_of_two_exceptions_the_first_is_raised_where_the_function_prints(
    program: Callable[[Any], Any], way: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Exception) as plain:  # noqa: PT011  (compared)
        program(X)
    capsys.readouterr()
    with pytest.raises(Exception) as found:  # noqa: PT011  (compared)
        WAYS[way](program)
    assert (type(found.value), str(found.value)) == (type(plain.value), str(plain.value))
    assert capsys.readouterr().out == "once\n"


def counted(x):
    seen.count += 1
    return x * 2.0


def adds_to_what_is_not_there(x):
    v = np.array([x[0], x[1]])
    v[int(x[0] * 9)] += counted(x[0])
    return v[0]


def adds_to_an_item_of_a_list(x):
    v = [x[0], x[1]]
    seen.count += 1
    v[int(x[0] * 9)] -= math.log(-x[1])
    return v[0] * math.log(-x[1])


@pytest.mark.parametrize("way", ["grad", "vjp", "hessian", "hvp", "jvp of grad"])
@pytest.mark.parametrize("program", [adds_to_what_is_not_there, adds_to_an_item_of_a_list])
def test_what_is_added_to_is_looked_for_before_what_is_added(program: Callable[[Any], Any], way: str) -> None:
    seen.count = 0
    with pytest.raises(IndexError) as plain:
        program(X)
    left, seen.count = seen.count, 0
    with pytest.raises(IndexError) as found:
        WAYS[way](program)
    assert str(found.value) == str(plain.value)
    assert seen.count == left


def test_axes_that_numpy_takes_for_a_tuple_are_one() -> None:
    matrix = np.array([[1.0, 2.0], [4.0, 3.0]])
    assert np.array_equal(grad(lambda x: np.sum(np.quantile(x, 0.5, axis={})))(matrix), np.ones((2, 2)))
    first = {0}
    assert np.array_equal(grad(lambda x: np.sum(np.quantile(x, 1.0, axis=first)))(matrix), [[0, 0], [1, 1]])


rng = np.random.default_rng(3)
table = np.array([1.0, 2.0])
calls: list[float] = []


@s2sad.nondifferentiable
def unknown(x):
    calls.append(float(x))
    return 2.0


def drawing(x):
    return math.sqrt(-1.0 - rng.random()) * x[0]


def unknown_first(x):
    return unknown(x[0]) * math.sqrt(-x[1]) * x[0]


def scaled(x):
    table[0] *= 2.0
    return math.sqrt(-table[0]) * x[0]


def in_arguments(x, model):
    x[0] = 5.0
    model.calls += 1
    return np.linalg.cholesky(-np.eye(2))[0, 0] * x[1]


def test_nothing_is_done_twice_to_tell() -> None:
    state = rng.bit_generator.state
    with pytest.raises(ValueError, match="math domain error"):
        drawing(X)
    once, rng.bit_generator.state = rng.bit_generator.state, state
    for program in (drawing, unknown_first, scaled):
        with pytest.raises(ValueError, match="math domain error"):
            grad(program)(X)
    assert rng.bit_generator.state == once and calls == [0.4] and table[0] == 2.0
    x, model = X.copy(), Model()
    with pytest.raises(np.linalg.LinAlgError):
        grad(in_arguments)(x, model)
    assert np.array_equal(x, X) and model.calls == 0


@rule(x="g * np.reshape(y, 7)", y="0.0 * g")
def with_a_wrong_formula(x, y):
    return x * y


@rule(vjp=lambda out_bar, out, x: {}["slope"])
def with_a_raising_rule(x):
    return np.sum(x)


def test_rules_of_users_may_be_at_fault() -> None:
    with pytest.raises(CompilerError, match="or of a rule of yours"):
        grad(lambda x: np.sum(with_a_wrong_formula(x, x)))(X)
    with pytest.raises(KeyError, match="slope"):
        grad(lambda x: with_a_raising_rule(x))(X)


def told_to_raise(x):
    return np.sum(np.sqrt(x))


def test_what_numpy_is_told_to_raise_is_raised() -> None:
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        grad(told_to_raise)(np.array([0.0, 1.0]))


def powers(x):
    return math.sqrt((x[0] - 1.0) ** 0.5) + x[1]


def test_what_became_complex_is_told_only_where_the_function_passes() -> None:
    with pytest.raises(TypeError, match="must be real number"):
        powers([0.4, 0.7])
    with pytest.raises(TypeError, match="must be real number"):
        grad(powers)([0.4, 0.7])


ledger: list[float] = []


def an_array_that_is_not_there(x):
    ledger.append(1.0)
    y = x * math.log(-x[0])
    ledger.append(2.0)
    return y


def a_pair_that_is_not_there(x):
    ledger.append(1.0)
    return x * math.log(-x[0]), x


@pytest.mark.parametrize("way", [way for way in WAYS if way not in ("hvp", "vmap of grad")])
@pytest.mark.parametrize("program", [an_array_that_is_not_there, a_pair_that_is_not_there])
def test_an_exception_leaves_what_the_call_leaves(program: Callable[[Any], Any], way: str) -> None:
    """Also where the result could not be differentiated: the call comes first, to see what it gives."""
    ledger.clear()
    with pytest.raises((ValueError, s2sad.S2sadError)) as caught:
        WAYS[way](program)
    assert ledger == ([] if isinstance(caught.value, s2sad.S2sadError) else [1.0])


@pytest.mark.usefixtures("broken")
def test_programs_behind_machine_code_are_asked_about() -> None:
    for _ in range(2):
        with pytest.raises(CompilerError, match="which a call of quiet does not"):
            grad(quiet, backend="numba")(X)
