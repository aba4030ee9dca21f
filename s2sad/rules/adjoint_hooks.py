"""``adjoint_of``, and the primitive that it becomes: a value whose adjoint passes through a function on its way back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad.errors import ActivityError
from s2sad.ir.nodes import FunctionRef, Value
from s2sad.options import entry
from s2sad.rules import kind_rules
from s2sad.rules.application import Application
from s2sad.rules.language import Derivative
from s2sad.rules.registry import plain


@entry
@contextmanager
def adjoint_of(x: Any) -> Iterator[Any]:
    """Code for the reverse sweep: ``with adjoint_of(x) as x_bar:`` runs where the adjoint of ``x`` passes this place.

    The body may look at ``x_bar`` (an array of the shape of ``x``, or a number), print it, stop in a debugger, or set it:
    then that goes on as the adjoint. It may read the variables of the function, which have the values that they had here.
    The tangent program leaves it out. Where the function itself is called (``vjp`` does that, for the value) there is no
    adjoint, and the body runs with ones in its place. Raises UnsupportedSyntaxError, when the derivative is made, for anything
    but a variable that holds a real number or array. (The idea is that of Tangent: van Merriënboer, Moldovan, Wiltschko
    2018.)
    """
    if not isinstance(x, np.ndarray | np.number | int | float):
        what = f"adjoint_of(): x is of type {type(x).__name__}"
        raise ActivityError(what, instead="a variable that holds a real number or array")
    yield np.ones_like(x) if isinstance(x, np.ndarray) else type(x)(1)


@dataclass(frozen=True)
class Hooked(Derivative):
    """The tangent is that of the value; the adjoint is what the function makes of the result's."""

    params: tuple[str, ...] = ("x",)

    def pushforward(self, app: Application, dots: Mapping[str, Value]) -> Value:
        return dots["x"]

    def pullback(self, app: Application, g: Value, param: str) -> Value:
        hook = app.bound["hook"]
        assert isinstance(hook, FunctionRef)
        (passed,) = app.builder.write_out(hook.function, [g, *(app.value(name) for name in self._captured(app))])
        return passed

    def reads(self, app: Application, active: frozenset[str]) -> frozenset[str]:
        return frozenset(self._captured(app))

    def _captured(self, app: Application) -> list[str]:
        return [name for name in app.bound if name not in ("x", "hook")]


plain("s2sad.hooked(x, hook, *captured)", kind=kind_rules.like("x"), derivative=Hooked(), effects="same(x); world")
