"""Writes into memory outside, wherever a derivative is taken: of the program, in it, or of a derivative.

They are what one call of the program leaves there, or refused, and then nothing is left."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from thinning import thinned
from verdicts import FIRST, ONCE, TAKEN, assert_as_called

from s2sad import S2sadError, grad, hvp, jvp

X = np.array([0.7, 1.3])


def _assigned() -> Any:
    outside = np.zeros(2)

    def write(x: Any) -> None:
        outside[:] = x

    return write, outside


def _a_view() -> Any:
    outside = np.zeros(4)
    view = outside[::2]

    def write(x: Any) -> None:
        view[:] = x

    return write, outside


def _by_out() -> Any:
    outside = np.zeros(2)

    def write(x: Any) -> None:
        np.add(x, 1.0, out=outside)

    return write, outside


def _filled() -> Any:
    outside = np.zeros(2)

    def write(x: Any) -> None:
        outside.fill(3.0)

    return write, outside


def _an_item() -> Any:
    outside = [1.0, 2.0]

    def write(x: Any) -> None:
        outside[0] = x[0]

    return write, outside


def _inserted() -> Any:
    outside = [1.0]

    def write(x: Any) -> None:
        for v in x:
            outside.insert(0, v)

    return write, outside


def _in_lists() -> Any:
    outside: Any = [[], []]

    def write(x: Any) -> None:
        outside[0].append(np.sum(x))

    return write, outside


def _a_deque() -> Any:
    outside = deque([1.0])

    def write(x: Any) -> None:
        outside.append(x[0])

    return write, outside


class Model:
    """An object with state."""

    def __init__(self) -> None:
        self.w, self.n, self.best, self.history = np.zeros(2), 0, None, [1.0]

    def __repr__(self) -> str:
        return repr(vars(self))


MAKERS = [_assigned, _a_view, _by_out, _filled, _an_item, _inserted, _in_lists, _a_deque]


def _of(write: Callable[[Any], None], outside: Any, reads: bool) -> tuple[Callable[[Any], Any], Any]:
    def program(x: Any) -> Any:
        write(x)
        return np.sum(x**2) + (np.sum(x * outside[0]) if reads else 0.0)

    return program, outside


@pytest.mark.parametrize(
    ("maker", "name", "reads"),
    thinned(
        itertools.product(MAKERS, TAKEN, [False, True]), 4,
        lambda c: f"{c[0].__name__.strip('_')}-{c[1]}-{'reads' if c[2] else 'only_writes'}",
    ),
)  # fmt: skip
def test_no_write_is_lost(maker: Callable[[], Any], name: str, reads: bool) -> None:
    apart = maker is not _a_view or not reads  # else it reads one name of what it writes by another one
    followed = FIRST if maker is _in_lists else ONCE  # nobody knows what a list holds that is empty in the beginning
    refused = False if name in followed and apart else None
    assert_as_called(lambda: _of(*maker(), reads=reads and maker is not _in_lists), X, name, refused)


def _default_list(x: Any, seen: Any = [1.0]) -> Any:
    seen.append(2.0)
    return np.sum(x**2) * len(seen)


def _default_list_in_a_helper(x: Any, seen: Any = [1.0]) -> Any:
    _grow(seen)
    return np.sum(x**2) * len(seen)


def _default_array(x: Any, seen: Any = np.ones(2)) -> Any:
    seen[0] += 1.0
    return np.sum(x**2) * seen[0]


def _default_dict(x: Any, seen: Any = {}) -> Any:
    seen["n"] = 2.0
    return np.sum(x**2)


def _default_by_keyword(x: Any, *, seen: Any = [1.0]) -> Any:
    seen[0] += 1.0
    return np.sum(x**2) * seen[0]


def _grow(seen: Any) -> None:
    seen.append(2.0)


DEFAULTS = [_default_list, _default_list_in_a_helper, _default_array, _default_dict, _default_by_keyword]
SOME = ["grad", "hvp", "jvp of grad", "hessian"]


@pytest.mark.parametrize("call", [TAKEN[k][0] for k in SOME], ids=SOME)
@pytest.mark.parametrize("function", DEFAULTS, ids=lambda f: f.__name__.strip("_"))
def test_nor_one_into_a_default(function: Any, call: Callable[[Any], Any]) -> None:
    before = repr((function.__defaults__, function.__kwdefaults__))
    with pytest.raises(S2sadError):
        call(function, X)
    assert repr((function.__defaults__, function.__kwdefaults__)) == before


def test_arguments_are_copied_as_ever() -> None:
    def first(x: Any, seen: Any) -> Any:
        seen[0] += 1.0
        return np.sum(x**2) * seen[0]

    seen = [1.0]
    assert hvp(first, (X, seen), (X,), wrt=0)[1].tolist() == (4 * X).tolist()
    assert seen == [1.0]


@pytest.mark.parametrize("name", TAKEN)
def test_what_is_appended_is_appended_once_for_each_run(name: str) -> None:
    def make() -> tuple[Any, Any]:
        log = [0.0]

        def program(x: Any) -> Any:
            log.append(1.0)
            return np.sum(x**2)

        return program, log

    assert_as_called(make, X, name, False if name in ONCE else None)


# Programs that take derivatives of functions that leave something outside, and look at it afterwards.


def _read_afterwards() -> Any:
    o = np.zeros(2)

    def inner(x: Any) -> Any:
        o[:] = x * x
        return np.sum(x**3)

    def program(x: Any) -> Any:
        seen = o[::-1]
        slope = grad(inner)(x)
        return np.sum(slope * o * seen)

    return program, o


def _in_a_loop() -> Any:
    o, items = np.ones(2), [1.0]

    def inner(x: Any) -> Any:
        o[:] = o * x
        items.append(items[-1] * x[0])
        return np.sum(x**3 * o) * items[-1]

    def program(x: Any) -> Any:
        for _ in range(3):
            x = x - 0.01 * grad(inner)(x)
        return np.sum(x * o) * items[-1] * len(items)

    return program, (o, items)


def _fields_in_a_loop() -> Any:
    model = Model()

    def inner(x: Any) -> Any:
        model.n += 1
        model.w = model.w + x**2
        return np.sum(x**3 * model.w) * model.n

    def program(x: Any) -> Any:
        for _ in range(3):
            x = x - 0.01 * grad(inner)(x)
        return np.sum(x * model.w) * model.n

    return program, model


def _on_one_path() -> Any:
    o, items = np.zeros(2), [1.0]

    def inner(x: Any) -> Any:
        items[0], o[0] = x[1], x[1] ** 2
        return np.sum(x**3 * items[0])

    def program(x: Any) -> Any:
        if x[0] > 0:
            x = x - 0.01 * jvp(inner, (x,), (x,))[1]
        else:
            items[0] = 2.0
        return np.sum(x * items[0]) + o[0]

    return program, (o, items)


def _a_new_key() -> Any:
    found: dict[str, Any] = {}

    def inner(x: Any) -> Any:
        found["n"] = x[0] * 2
        return np.sum(x**3)

    def program(x: Any) -> Any:
        return np.sum(grad(inner)(x)) * found["n"]

    return program, found


def _best_so_far() -> Any:
    model: Any = Model()

    def inner(x: Any) -> Any:
        value = np.sum(x**3)
        if model.best is None or value < model.best:
            model.best = value
        return value

    def program(x: Any) -> Any:
        return np.sum(grad(inner)(x) + grad(inner)(0.5 * x)) * model.best

    return program, model


def _in_try(most: float) -> Any:
    o = [5.0]

    def inner(x: Any) -> Any:
        o[0] = o[0] + 1
        if o[0] > most:
            raise ValueError
        return np.sum(x**3)

    def program(x: Any) -> Any:
        total = 0.0
        try:
            total = np.sum(grad(inner)(x))
        except ValueError:
            total = 3.0 * np.sum(x)
        return total * x[0] * o[0]

    return program, o


def _what_may_raise() -> Any:
    return _in_try(10.0)


def _second_order() -> Any:
    o = np.ones(2)

    def inner(x: Any) -> Any:
        o[:] = o + x * x
        return np.sum(x**3 * o)

    def program(x: Any) -> Any:
        slope, curved = hvp(inner, (x,), (x,))
        return np.sum(slope * o) + np.sum(curved * x)

    return program, o


def _two_windows() -> Any:
    whole = np.zeros(4)

    def inner(x: Any) -> Any:
        part = whole[::2]
        whole[:2] = x * x
        return np.sum(x**3) * part[0]

    def program(x: Any) -> Any:
        return np.sum(grad(inner)(x) * whole[::2])

    return program, whole


PROGRAMS = [
    _read_afterwards, _in_a_loop, _fields_in_a_loop, _on_one_path, _a_new_key, _best_so_far, _what_may_raise, _second_order,
    _two_windows,
]  # fmt: skip


@pytest.mark.parametrize("name", ["grad", "jvp", "hvp", "jvp of grad"])
@pytest.mark.parametrize("make", PROGRAMS, ids=lambda m: m.__name__.strip("_"))
def test_programs_see_what_derivatives_in_them_leave(make: Callable[[], Any], name: str) -> None:
    assert_as_called(make, X, name)


@pytest.mark.parametrize("name", ["grad", "jvp", "hvp"])
def test_what_has_raised_after_it_has_written_is_refused(name: str) -> None:
    assert_as_called(lambda: _in_try(5.0), X, name, refused=True)


def _a_part_of_what_is_written() -> Any:
    model = Model()
    work = np.zeros(2)

    def inner(x: Any) -> Any:
        work[:] = x
        model.w = work
        return np.sum(x**3)

    def program(x: Any) -> Any:
        slope = grad(inner)(x)
        work[0] = 5.0
        return np.sum(slope * model.w)

    return program, (model, work)


def _windows_from_around() -> Any:
    def program(x: Any) -> Any:
        whole = np.zeros(4)
        part = whole[::2]

        def inner(y: Any) -> Any:
            whole[:2] = y * y
            return np.sum(y**3) * part[0]

        return np.sum(grad(inner)(x) * part)

    return program, []


def _one_of_two_lists() -> Any:
    def program(x: Any) -> Any:
        a, b = [1.0], [2.0]
        c = a if x[0] > 0 else b

        def inner(y: Any) -> Any:
            a.append(y[0])
            return np.sum(y**3) * c[-1]

        return np.sum(grad(inner)(x)) * c[-1]

    return program, []


@pytest.mark.parametrize("name", ["grad", "jvp", "hvp"])
@pytest.mark.parametrize("make", [_a_part_of_what_is_written, _windows_from_around, _one_of_two_lists])
def test_two_names_of_what_is_copied_are_refused(make: Callable[[], Any], name: str) -> None:
    with pytest.raises(S2sadError, match="share memory|a part of what it writes"):
        TAKEN[name][0](make()[0], X)
