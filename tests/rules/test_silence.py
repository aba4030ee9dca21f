"""Silence means unknown: a primitive of which nothing is declared is refused where it matters, and is never harmless."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from s2sad import S2sadError, check_grads, grad, jvp
from s2sad.analysis.alias import is_droppable
from s2sad.analysis.views import is_window, view_base
from s2sad.errors import CompilerError
from s2sad.ir.kinds import UNKNOWN, Array
from s2sad.ir.nodes import Call, Value
from s2sad.rules import kind_rules, registry
from s2sad.rules.effects import effects
from s2sad.rules.language import Primitive

X = np.array([0.7, 0.3, 0.5])


def unheard(a):
    """Writes into its argument, and returns it: nobody has said so."""
    a[0] = 9.0
    return a


def filling(a):
    """Writes into its argument."""
    a[0] = 9.0
    return 1.0


NAME = f"{__name__}.unheard"


@pytest.fixture(autouse=True)
def _declared() -> Iterator[None]:
    functions = {NAME: unheard, f"{__name__}.filling": filling}
    for name, function in functions.items():
        registry.add(Primitive(name, "a", kind_rules.unknown), function)
    yield
    for name in functions:
        del registry._primitives[name], registry._objects[name]


def of_what_varies(x):
    return np.sum(unheard(x * 2.0) * x)


def for_its_effect(x):
    y = x * 2.0
    unheard(y)
    return np.sum(y**2)


def of_the_argument(x):
    unheard(x)
    return np.sum(x**2)


def in_a_helper(x):
    return for_its_effect(x * x) + x[0]


def in_a_loop(x):
    y = x * 1.0
    for _ in range(2):
        unheard(y)
        y = y * x
    return np.sum(y)


def a_shared_constant(x):
    c = np.ones(3)
    d = c[1:]
    unheard(c)
    d[0] = x[0]
    return np.sum(c * x**2)


PROGRAMS = [of_what_varies, for_its_effect, of_the_argument, in_a_helper, in_a_loop, a_shared_constant]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_it_is_refused_where_it_matters(function: Callable[..., Any]) -> None:
    for derivative in (grad(function), lambda x: jvp(function, (x,), (X,))):
        with pytest.raises(S2sadError) as found:
            derivative(X.copy())
        assert not isinstance(found.value, CompilerError)


def test_what_it_does_to_constants_is_done() -> None:
    def of_a_constant(x):
        c = np.ones(3)
        s = np.sum(c * x)
        filling(c)
        return s * np.sum(c * x**2)

    check_grads(of_a_constant, (X,))


def test_every_question_gets_the_careful_answer() -> None:
    a = Value(Array("float64", (None,)))
    call = Call(target=NAME, args=[a], results=[Value(UNKNOWN)])
    does = effects(call)
    assert does.unknown and does.world and does.changes == (a,) and does.shares[0].value is a and not does.certain
    assert not is_droppable(call) and not is_window(call) and view_base(call) is None
