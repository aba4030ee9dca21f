"""Functions of functions: how their derivatives are made of those of the functions that they are given.

    area = quad(f, a, b, args=(c,))[0]      ==>     c_bar = quad_derivative(f_adjoint, a, b, args=(c, area_bar))

A call has the function as an operand (a ``FunctionRef``) and, as its last operands, what the function gets behind its
own arguments: the items of ``args`` and what it captured. Only these, and the parameters named by the table, carry
derivatives. ``Application.derived`` gives the derivative function; the helpers of the library call it.

Derivatives are taken under the integral, along the trajectory, at the solution. Where a function jumps at a place that moves
with what is active, they know nothing of the jump (a kink does no harm).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from s2sad.errors import CompilerError
from s2sad.ir.kinds import NARROW, UNKNOWN, Array, Kind, Tuple, dtype_of
from s2sad.ir.nodes import Function, FunctionRef, Value
from s2sad.rules.application import Application
from s2sad.rules.language import Derivative


@dataclass(frozen=True)
class Functional(Derivative):
    """The derivative of a call that is given a function.

    ``params`` are the parameters with a derivative besides the further arguments of the function; ``given`` is the
    parameter that holds the function, and ``own`` the number of arguments that it does not get from the caller.
    ``options`` are handed to the helpers as they are, where the call gives them.
    """

    params: tuple[str, ...] = ()
    given: str = "func"
    own: int = 1
    options: tuple[str, ...] = ()

    def parameters(self, bound: Mapping[str, Value]) -> tuple[str, ...]:
        return (*self.params, *further(bound))

    def reads(self, app: Application, active: frozenset[str]) -> frozenset[str]:
        return frozenset(name for name, value in app.bound.items() if not isinstance(value, FunctionRef))

    # --- for the rules

    def function(self, app: Application) -> Function:
        """The function that the call is given."""
        ref = app.bound[self.given]
        assert isinstance(ref, FunctionRef)
        return ref.function

    def derived(
        self, app: Application, params: list[str], own: tuple[int, ...] = (), outputs: tuple[int, ...] = (0,)
    ) -> Value:
        """The derivative function by its own arguments of these numbers, and by the further ones among ``params``."""
        if app.derived is None:
            raise CompilerError(f"{app.primitive.name} is differentiated where no function can be")
        function, names = self.function(app), further(app.bound)
        numbers = [*own, *(self.position(app, names.index(p)) for p in params if p in names)]
        inputs = tuple(function.params[k].name for k in numbers)
        return FunctionRef(app.derived(function, inputs, outputs))

    def position(self, app: Application, index: int) -> int:
        """The place, among the arguments of the function, of the further one of this number."""
        return self.own + index

    def arguments(self, app: Application) -> Value:
        """The further arguments, as a tuple."""
        return app.builder.call("builtins.tuple", *(app.value(name) for name in further(app.bound)))

    def chosen(self, app: Application) -> dict[str, Value]:
        """The options that the call gives."""
        places = app.primitive.places(app.call.args, app.call.kwargs)
        return {name: app.value(name) for name in self.options if name in places}


def further(bound: Mapping[str, Value]) -> list[str]:
    """The names of what a function gets behind its own arguments."""
    return [name for name in bound if name.startswith("args") and name[4:].isdigit()]


def items(app: Application, made: Value, kinds: list[Kind]) -> list[Value]:
    """The results of a call, of these kinds: one value, or the items of a tuple."""
    if len(kinds) == 1:
        made.kind = kinds[0]
        return [made]
    made.kind = Tuple(tuple(kinds))
    return app.builder.unpack(made, kinds)


def taken_apart(app: Application, made: Value, params: list[str]) -> Iterator[tuple[str, Value]]:
    """The adjoints of arguments that a helper gives: one alone, or a tuple of them."""
    for param, bar in zip(params, items(app, made, [in_double(app.kind(p)) for p in params]), strict=True):
        yield param, app.mended(bar, param)


def in_double(kind: Kind) -> Kind:
    """The kind of an adjoint that was computed in double precision, maybe, and belongs to a value that is not in it."""
    if dtype_of(kind) not in NARROW:
        return kind
    return Array(None, kind.shape) if isinstance(kind, Array) else UNKNOWN
