"""``history.append(x)`` of lists outside: a derivative leaves there what a call of the function leaves, once."""

import numpy as np
import pytest
from verdicts import FIRST, TAKEN, assert_as_called

from s2sad import S2sadError, check_grads, grad, jacobian, jvp, value_and_grad, vjp
from s2sad.errors import CompilerError

history = []
alias = history
functions = [np.sin]
POINT = np.array([0.7, 1.3, 2.1])


class Recorder:
    def __init__(self):
        self.seen = []
        self.count = 0

    def __repr__(self):
        return repr(vars(self))

    def loss(self, x):
        self.seen.append(x * 2)
        self.count += 1
        return np.sum(x**3)

    def last(self, x):
        self.seen.append(x)
        return np.sum(self.seen[-1] ** 2)


recorder = Recorder()


def closed_over():
    log = []

    def inner(y):
        log.append(np.sum(y))
        return np.sum(y**2)

    return inner, log


inner, log = closed_over()


def once(x):
    history.append(np.sum(x))
    return np.sum(x * x)


def in_a_loop(x):
    total = 0.0
    for v in x:
        total += v * v
        history.append(total)
    return total


def helper(v):
    history.append(v)
    return v * v


def in_a_helper(x):
    return helper(x[0]) + helper(x[1]) * x[2]


def on_one_path(x):
    if x[0] > 100:
        history.append("large")
    return np.sum(x * x)


def of_an_object(x):
    return recorder.loss(x)


def of_a_function_around(x):
    return inner(x)


def length(x):
    history.append(1.0)
    return np.sum(x * x) * len(history)


def under_another_name(x):
    history.append(x[0])
    return np.sum(x * x) * alias[-1]


def read():
    return history[-1]


def by_a_helper(x):
    history.append(x[0])
    return read() * x[1]


def of_the_object(x):
    return recorder.last(x)


def written_later(x):
    y = x * 2
    history.append(y)
    y[0] = 7.0
    return np.sum(y * x)


def of_functions(x):
    functions.append(np.cos)
    return functions[0](x)


def in_a_try(x):
    try:
        history.append(x[0])
        y = np.sqrt(x[1])
    except ValueError:
        y = 0.0
    return y


def dicts(x):
    y = x * 1.0
    for k in range(3):
        y = y - 0.1 * np.cos(y)
        row = {"iteration": k, "loss": np.sum(y**2), "y": y.copy(), "where": {"first": y[0]}}
        history.append(row)
    return np.sum(y) + row["loss"]


class Row:
    def __init__(self, loss, x):
        self.loss, self.x = loss, x

    def __repr__(self):
        return repr(vars(self))


def objects(x):
    row = Row(np.sum(x**2), x * 2)
    history.append(row)
    return row.loss * row.x[1]


def dict_written_later(x):
    row = {"loss": np.sum(x**2)}
    history.append(row)
    row["loss"] = x[0]
    return row["loss"] * x[1]


def object_written_later(x):
    rows = [Row(x[0], x), Row(x[1], x)]
    for row in rows:
        history.append(row)
    rows[0].loss = x[2]
    return np.sum(x**2)


def one_dict_twice(x):
    row = {"loss": np.sum(x**2)}
    history.append(row)
    history.append(row)
    return row["loss"]


RIGHT = [once, in_a_loop, in_a_helper, on_one_path, of_an_object, of_a_function_around, in_a_try, dicts, objects]
READ = [length, under_another_name, by_a_helper, of_the_object, written_later]  # after a call of the function
REFUSED = [of_functions, dict_written_later, object_written_later, one_dict_twice]


@pytest.fixture(autouse=True)
def _fresh():
    forget()


def forget():
    for items in (history, recorder.seen, log):
        items.clear()
    recorder.count = 0


def left():
    return repr((history, recorder.seen, recorder.count, log))


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_the_gradient_is_right(function):
    check_grads(function, (POINT,))


def pulled_back_twice(function, x):
    _, pullback = vjp(function, x)
    pullback(1.0)
    pullback(2.0)


CALLS = {
    "grad": lambda f, x: grad(f)(x),
    "value_and_grad": lambda f, x: value_and_grad(f)(x),
    "jvp": lambda f, x: jvp(f, (x,), (x,)),
    "vjp": pulled_back_twice,
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_the_caller_sees_what_a_call_leaves(function, call):
    for _ in range(2):
        function(POINT)
    wanted = left()
    forget()
    for _ in range(2):
        CALLS[call](function, POINT.copy())
    assert left() == wanted


@pytest.mark.parametrize("name", TAKEN)
@pytest.mark.parametrize("function", READ, ids=lambda f: f.__name__)
def test_what_looks_at_the_list_is_right(function, name):
    def make():
        forget()
        return function, (history, recorder)

    assert_as_called(make, POINT, name, False if name in FIRST else None)


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_what_is_no_list_of_numbers_is_refused(function):
    with pytest.raises(S2sadError) as caught:
        grad(function)(POINT)
    assert not isinstance(caught.value, CompilerError)
    assert not history
    assert functions == [np.sin]


def test_what_runs_it_several_times_leaves_what_one_call_does():
    forget()
    jacobian(lambda x: x * once(x))(POINT)
    assert history == [np.sum(POINT)]
    forget()


PAIRS: list[tuple[int, float]] = []
ROWS: list[list[float]] = []


def pairs_in_a_row(x):
    PAIRS.append((1, float(np.sum(x))))
    return np.sum(x**2)


def rows_in_a_row(x):
    ROWS.append(x.tolist())
    return np.sum(x**2)


def pairs_that_are_read(x):
    PAIRS.append((1, float(np.sum(x))))
    return np.sum(x**2) * PAIRS[0][0]


@pytest.mark.parametrize(("function", "history"), [(pairs_in_a_row, PAIRS), (rows_in_a_row, ROWS)])
def test_lists_outside_of_tuples_and_lists_grow_call_by_call(function, history):
    history.clear()
    x = np.array([1.0, 2.0])
    for k in range(3):
        assert np.array_equal(grad(function)(x), 2 * x)
        assert jvp(function, (x,), (x,))[1] == 2 * x @ x
        assert len(history) == 2 * (k + 1)
    grown = list(history)
    history.clear()
    for _ in range(6):
        function(x)
    assert grown == history


def test_such_lists_are_not_read():
    PAIRS[:] = [(1, 1.0)]
    with pytest.raises(S2sadError):
        grad(pairs_that_are_read)(np.array([1.0, 2.0]))
    assert PAIRS == [(1, 1.0)]
