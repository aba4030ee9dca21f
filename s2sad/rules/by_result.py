"""Functions with several results, each of which has formulas of its own.

    declare(
        "numpy.linalg.eigh(a)",
        push={"a": ("the tangent of the eigenvalues", "that of the eigenvectors")},
        pull={"a": ("what the eigenvalues contribute to the adjoint of a", "what the eigenvectors contribute")},
    )

In a pullback ``g`` is the adjoint of one result. Results to which nothing is due contribute nothing: no formula of
theirs is expanded. None (or a formula "0.0") stands for a result that is constant, or an integer. A ``guard`` writes a
check of the adjoints ``g[0]``, ``g[1]``, ... of all results from the call and the numbers of the results that have one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from s2sad.ir.builder import Builder
from s2sad.ir.kinds import Scalar
from s2sad.ir.nodes import Call, Const, Op, Value
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import literal, parsed
from s2sad.rules.language import Derivative, General, KindRule, Partial, Primitive, Spec, spec_of
from s2sad.rules.registry import add

ZEROS = "s2sad.runtime.zeros"
Parts = Mapping[str, Sequence[Partial | None]]
Guard = Callable[[Application, frozenset[int]], str | None]


@dataclass(frozen=True)
class ByResult(Derivative):
    """A pushforward and a pullback for each argument and each result."""

    pushed: dict[str, tuple[Spec | None, ...]]
    pulled: dict[str, tuple[Spec | None, ...]]
    guard: Guard | None = None  # what checks, before a pullback, that the adjoints of the results allow it

    @property
    def params(self) -> tuple[str, ...]:  # type: ignore[override]
        """The differentiable parameters."""
        return tuple(self.pulled)

    def pushforward(self, app: Application, dots: Mapping[str, Value]) -> Value:
        count = len(next(iter(self.pushed.values())))
        return app.tangent(app.builder.call("builtins.tuple", *(self._dot(app, dots, k) for k in range(count))))

    def _dot(self, app: Application, dots: Mapping[str, Value], k: int) -> Value:
        specs = [(self.pushed[p][k], dot) for p, dot in dots.items()]
        terms = [app.expand(spec, dot) for spec, dot in specs if spec is not None]
        terms = [term for term in terms if not isinstance(term, Const)]
        if terms:
            return app.add(terms)
        result = app.builder.call("operator.getitem", app.value("out"), Const(k))
        return Const(0.0) if isinstance(result.kind, Scalar) else app.builder.call(ZEROS, result)

    def pullback(self, app: Application, g: Value, param: str) -> Value:
        parts = {k: contribution(app.builder, g, k) for k in range(len(self.pulled[param]))}
        check = (
            None
            if self.guard is None
            else self.guard(app, frozenset(k for k in parts if parts[k] is not None))
        )
        if check is not None:
            app.expand(parsed(check), g)
        specs = [(spec, parts[k]) for k, spec in enumerate(self.pulled[param])]
        terms = [
            app.expand(spec, part) for spec, part in specs if spec is not None and part is not None
        ]
        terms = [term for term in terms if not isinstance(term, Const)]
        return app.mended(app.add(terms), param) if terms else app.zeros(param)

    def reads(self, app: Application, active: frozenset[str]) -> frozenset[str]:
        specs = [spec for p in active for spec in self.pulled[p] if spec is not None]
        check = None if self.guard is None else self.guard(app, frozenset(range(len(specs))))
        return app.contents(specs if check is None else [*specs, parsed(check)])


def contribution(builder: Builder, g: Value, k: int) -> Value | None:
    """The adjoint of result ``k``; None where it is a zero that stands for nothing having been contributed."""
    made = _maker(builder, g)
    if not (isinstance(made, Call) and made.target == "builtins.tuple"):
        return builder.call("operator.getitem", g, Const(k))
    item = made.args[k]
    op = _maker(builder, item)
    zero = isinstance(item, Const) and isinstance(item.payload, int | float) and item.payload == 0
    nothing = zero or (isinstance(op, Call) and op.target == ZEROS)
    return None if nothing else item


def _maker(builder: Builder, value: Value) -> Op | None:
    """The operation that made a value a moment ago."""
    return next((op for op in reversed(builder.block.ops) if value in op.results), None)


class Picked(Derivative):
    """One of several derivatives by the same parameters, which ``pick`` chooses for each call."""

    def __init__(self, params: tuple[str, ...], pick: Callable[[Application], Derivative]) -> None:
        self.params, self.pick = params, pick

    def chosen(self, app: Application) -> Derivative:
        """The derivative for this call. Raises NoRuleError where none is written down."""
        return self.pick(app)

    def pushforward(self, app: Application, dots: Mapping[str, Value]) -> Value:
        return self.chosen(app).pushforward(app, dots)

    def pullback(self, app: Application, g: Value, param: str) -> Value:
        return self.chosen(app).pullback(app, g, param)

    def reads(self, app: Application, active: frozenset[str]) -> frozenset[str]:
        return self.chosen(app).reads(app, active)


def switched(param: str, table: Mapping[Any, Derivative], refused: Callable[[Application], None] = lambda app: None) -> Picked:
    """Several results or one alone, as a literal argument says (``compute_uv``, ``mode``)."""

    def pick(app: Application) -> Derivative:
        value = literal(app, param)
        if isinstance(value, Value) or value not in table:
            refused(app)
        return table[value]

    return Picked(next(iter(table.values())).params, pick)


def results(push: Parts, pull: Parts, guard: Guard | None = None) -> ByResult:
    """The derivative of a function with several results."""

    def specs(parts: Parts) -> dict[str, tuple[Spec | None, ...]]:
        return {p: tuple(None if f is None else spec_of(f) for f in items) for p, items in parts.items()}

    return ByResult(specs(push), specs(pull), guard)


def one(push: Mapping[str, Partial], pull: Mapping[str, Partial]) -> General:
    """The derivative of a function with one result."""
    return General({p: spec_of(f) for p, f in push.items()}, {p: spec_of(f) for p, f in pull.items()})


def declare(head: str, derivative: Derivative, kind: KindRule) -> None:
    """Enter a function with such a derivative."""
    name, _, rest = head.partition("(")
    add(Primitive(name=name, signature=rest[:-1], kind=kind, derivative=derivative, effects="fresh"))
