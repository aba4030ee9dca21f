"""State that a program changes for a while: ``finally`` blocks, and contexts, that put back what was there before."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from verdicts import assert_as_called

X = np.array([0.7, 1.3])


class Model:
    """An object with a mode."""

    def __init__(self) -> None:
        self.rate, self.training, self.depth = 1.0, True, 0

    def __repr__(self) -> str:
        return repr(vars(self))

    def forward(self, x: Any) -> Any:
        return self.rate * (np.sum(x**3) if self.training else np.sum(x**2))

    def evaluated(self, x: Any) -> Any:
        before = self.training
        self.training = False
        try:
            return self.forward(x)
        finally:
            self.training = before

    @contextlib.contextmanager
    def at(self, rate: Any) -> Iterator[Any]:
        before = self.rate
        self.rate = rate
        self.depth += 1
        try:
            yield before
        finally:
            self.rate = before
            self.depth -= 1


class At:
    """A context that is a class."""

    def __init__(self, model: Model, rate: Any) -> None:
        self.model, self.rate = model, rate

    def __enter__(self) -> Any:
        self.before, self.model.rate = self.model.rate, self.rate
        return self

    def __exit__(self, *_: Any) -> None:
        self.model.rate = self.before


def _in_a_method() -> Any:
    model = Model()

    def program(x: Any) -> Any:
        return model.evaluated(x) * model.forward(x)

    return program, model


def _by_a_variable() -> Any:
    model = Model()

    def program(x: Any) -> Any:
        with model.at(x[0]) as before, model.at(x[1]) as between:
            y = model.forward(x) * before * between * model.depth
        return y * model.rate

    return program, model


def _by_a_class() -> Any:
    model = Model()

    def program(x: Any) -> Any:
        with At(model, x[0]) as context:
            y = model.forward(x) * context.rate
        return y * model.forward(x)

    return program, model


def _where_it_is_left_by_an_exception() -> Any:
    model = Model()

    def program(x: Any) -> Any:
        try:
            with model.at(3.0):
                if x[0] > 0.5:
                    raise ValueError
                y = np.sum(x**3) * model.rate
        except ValueError:
            y = np.sum(x**2) * model.rate
        return y * model.forward(x)

    return program, model


def _where_it_is_returned_from() -> Any:
    model = Model()

    def program(x: Any) -> Any:
        model.rate += 1
        try:
            if x[0] > 0:
                return np.sum(x**3) * model.rate
            return np.sum(x)
        finally:
            model.rate -= 1

    return program, model


def _an_array() -> Any:
    work = np.ones(2)

    def program(x: Any) -> Any:
        before = work.copy()
        work[:] = x * x
        try:
            y = np.sum(x**3 * work)
        finally:
            work[:] = before
        return y + np.sum(work * x)

    return program, work


def _a_list() -> Any:
    stack = [1.0]

    def program(x: Any) -> Any:
        stack.append(x[0])
        try:
            y = np.sum(x**3) * stack[-1]
        finally:
            stack.pop()
        return y * stack[-1]

    return program, stack


MAKERS = [
    _in_a_method, _by_a_variable, _by_a_class, _where_it_is_left_by_an_exception, _where_it_is_returned_from, _an_array, _a_list,
]  # fmt: skip


@pytest.mark.parametrize("name", ["grad", "jvp", "vjp", "hvp", "jvp of grad"])
@pytest.mark.parametrize("make", MAKERS, ids=lambda m: m.__name__.strip("_"))
def test_what_is_put_back(make: Callable[[], Any], name: str) -> None:
    assert_as_called(make, X, name)
