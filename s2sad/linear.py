"""The derivative at a point as a linear map: ``linearize``, and SciPy's ``LinearOperator``.

    y, push = linearize(f, x)            push(v) = J v, push.T(w) = J^T w, any number of times
    A = as_linear_operator(push)         for scipy.sparse.linalg: gmres(A, b), svds(A), eigsh(...)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.api import Function, Pullback, checked_mark, directions, laid_out, pulled_back
from s2sad.derivatives import Ask
from s2sad.errors import ActivityError, ArgumentError
from s2sad.options import entry
from s2sad.portable import packed, unpacked
from s2sad.rules.transformations import transformation
from s2sad.seeds import named
from s2sad.trees import copied, is_discrete, mapped
from s2sad.vectors import ravel


@transformation("linearize")
@entry
def linearize(function: Function, *primals: Any, wrt: Any = None, of: str | None = None, **options: Any) -> tuple[Any, LinearMap]:
    """``(value, map)``: ``map(*tangents)`` is the tangent of the value at ``primals``, ``map.T(seed)`` the adjoint.

    A map takes one tangent for each primal (None: zero), or with ``wrt`` one for each of those, and may be called any number
    of times; the primals are copied, and what the function reads outside, and draws, is that of this call, as for ``vjp``.
    ``map.T`` is the pullback of ``vjp``, whose seeds have the shape of the value. ``of`` as for ``jvp``.
    Raises ActivityError for tangents that do not fit. (As in JAX.)
    """
    value, pullback = pulled_back(function, primals, wrt, of, False, options, modes=("tangent",))
    return value, LinearMap(function, tuple(map(copied, primals)), wrt, of, options, pullback)


class LinearMap:
    """The derivative of a function at a point: called with tangents, it gives the tangent of the value."""

    def __init__(
        self, function: Function, primals: tuple[Any, ...], wrt: Any, of: str | None, options: dict[str, Any], pullback: Pullback
    ) -> None:
        self.function, self.primals, self.wrt, self.of, self.options = function, primals, wrt, of, options
        self.T = pullback

    @entry
    def __call__(self, *tangents: Any) -> Any:
        """The tangent of the value along these directions. Raises ActivityError for ones that do not fit."""
        derivatives, values = self.T.derivatives, self.T.values
        given = directions(derivatives, self.primals, tangents, self.wrt)
        with self.T.at_its_moment():
            program = self.T.program(Ask("tangent", tuple(given), self.of))
            return derivatives.invoke(program, values, laid_out(derivatives, values, given))[1]

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (packed(self.function), self.primals, self.wrt, self.of, self.options, self.T.mark())

    def arguments(self) -> list[Any]:
        """The arguments, at the point, in which it is linear; None for primals without derivative."""
        if self.wrt is None:
            return [None if is_discrete(p) else p for p in self.primals]
        with self.T.before:
            return [self.T.derivatives._value_of(name, self.T.values) for name in self.T.ask.inputs]


def _again(
    function: Any, primals: tuple[Any, ...], wrt: Any, of: str | None, options: dict[str, Any], mark: str
) -> LinearMap:
    found = linearize(unpacked(function), *primals, wrt=wrt, of=of, **options)[1]
    checked_mark(found.T, mark)
    return found


@entry
def as_linear_operator(linear: LinearMap) -> Any:
    """A map of ``linearize`` as a ``scipy.sparse.linalg.LinearOperator`` on vectors (``ravel``) of its arguments and value.

    Its shape is (how many numbers the value holds, how many the arguments hold). ``matvec`` and ``matmat`` go forward,
    ``rmatvec`` and ``rmatmat`` back. Raises ActivityError for maps from real to complex numbers and the other way, which are
    not linear over the complex numbers. Source as for ``linearize``.
    """
    from scipy.sparse.linalg import LinearOperator

    if not isinstance(linear, LinearMap):
        raise ArgumentError(f"as_linear_operator(): {named(linear)} is given", instead="a map of linearize: linearize(f, x)[1]")
    inputs = linear.arguments()
    x, to_inputs = ravel([p for p in inputs if p is not None])
    y, to_value = ravel(linear.T.shown)
    if np.iscomplexobj(x) != np.iscomplexobj(y):
        raise ActivityError(
            "this derivative is no linear operator: it maps real numbers to complex ones, or complex ones to real ones",
            instead="real and imaginary parts as functions of their own",
        )

    def forward(vector: Any) -> Any:
        given = iter(to_inputs(np.asarray(vector, x.dtype).reshape(-1)))
        tangent = linear(*(None if p is None else next(given) for p in inputs))
        return ravel(mapped(_like, linear.T.shown, tangent))[0]

    def back(vector: Any) -> Any:
        bars = linear.T(to_value(np.conj(np.asarray(vector, y.dtype).reshape(-1))))
        found = bars if isinstance(bars, tuple) and (linear.wrt is None or isinstance(linear.wrt, tuple | list)) else (bars,)
        kept = [mapped(_like, p, bar) for p, bar in zip(inputs, found, strict=True) if p is not None]
        return np.conj(ravel(kept)[0])

    def many(one: Any, block: Any) -> Any:
        return np.stack([one(column) for column in np.asarray(block).T], axis=-1)

    return LinearOperator(
        (y.size, x.size), matvec=forward, rmatvec=back, dtype=np.result_type(x, y),
        matmat=lambda block: many(forward, block), rmatmat=lambda block: many(back, block),
    )  # fmt: skip


def _like(primal: Any, derivative: Any) -> Any:
    """A tangent or adjoint with numbers where its primal has them, so that both are vectors of one length."""
    return primal if is_discrete(primal) else derivative
