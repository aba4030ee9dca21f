"""Functions of SciPy that are NumPy's with other options: they share NumPy's rule.

    adapted("scipy.linalg.eigvalsh(a, b=None, *, lower=True)", "numpy.linalg.eigvalsh", options=...)

``options`` refuses what NumPy's function doesn't do, and gives the options of NumPy's function that stand for the rest.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from s2sad.ir.kinds import Array, Kind, Scalar, Tuple, dtype_of
from s2sad.ir.nodes import Const, Value
from s2sad.rules import registry
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import is_literal, literal, refuse
from s2sad.rules.kind_rules import Bound, KindRule
from s2sad.rules.language import Derivative, Linear, Primitive

Options = Callable[[Application], Mapping[str, Any]]


def no_options(_: Application) -> Mapping[str, Any]:
    """All options mean the same in both."""
    return {}


@dataclass(frozen=True)
class Adapted(Derivative):
    """Another function's derivative, for calls whose options say the same; ``names``: its names of our parameters."""

    inner: Derivative
    options: Options = no_options
    names: dict[str, str] = field(default_factory=dict)

    @property
    def params(self) -> tuple[str, ...]:  # type: ignore[override]
        """The differentiable parameters, by their names here."""
        back = {theirs: ours for ours, theirs in self.names.items()}
        return tuple(back.get(p, p) for p in self.inner.params)

    def translated(self, app: Application) -> Application:
        """The call as the other function sees it. Raises NoRuleError for half precision, which NumPy's lacks."""
        half = [p for p, v in app.bound.items() if dtype_of(v.kind) == "float16"]
        if half:
            refuse(app, f"with {half[0]} in half precision", "numpy.linalg has no such functions", "single precision")
        other = copy.copy(app)
        consts = {name: Const(payload) for name, payload in self.options(app).items()}
        other.bound = {self.names.get(p, p): v for p, v in app.bound.items()} | consts
        return other

    def pushforward(self, app: Application, dots: Mapping[str, Value]) -> Value:
        if isinstance(self.inner, Linear):  # the call again
            self.translated(app).agree(self.inner.adjoints[self.names.get(p, p)] for p in dots)
            adjoints = dict(zip(self.params, self.inner.adjoints.values(), strict=True))
            return app.tangent(Linear(adjoints, self.inner.jointly).repeated(app, dots))
        dot = self.inner.pushforward(self.translated(app), {self.names.get(p, p): d for p, d in dots.items()})
        return _as_value(app, dot, app.value("out"), app.kind("out"))

    def pullback(self, app: Application, g: Value, param: str) -> Value:
        return self.inner.pullback(self.translated(app), g, self.names.get(param, param))

    def reads(self, app: Application, active: frozenset[str]) -> frozenset[str]:
        back = {theirs: ours for ours, theirs in self.names.items()}
        read = self.inner.reads(self.translated(app), frozenset(self.names.get(p, p) for p in active))
        return frozenset(back.get(p, p) for p in read) & (set(app.bound) | {"out"})


def _as_value(app: Application, dot: Value, out: Value, kind: Kind) -> Value:
    """A tangent in the dtype of the value, which SciPy may choose otherwise than NumPy; item by item."""
    if isinstance(kind, Tuple):
        items = []
        for k, own_kind in enumerate(kind.items):
            own_dot, own_out = (app.builder.call("operator.getitem", v, Const(k)) for v in (dot, out))
            items.append(_as_value(app, own_dot, own_out, own_kind))
        return app.builder.call("builtins.tuple", *items)
    if not isinstance(kind, Array | Scalar):
        return dot  # it may be several results
    own = dtype_of(kind)
    same = own is not None and own == dtype_of(dot.kind)
    return dot if same or isinstance(dot, Const) else app.builder.call("s2sad.runtime.unbroadcast", dot, out)


def adapted(
    head: str,
    existing: str,
    *,
    options: Options = no_options,
    kind: KindRule | None = None,
    refuses: Callable[[Application], None] | None = None,
    widens: bool = False,
    **names: str,
) -> None:
    """Enter a function that shares the rule of an ``existing`` one; ``names`` are the other's names of parameters."""
    declared, _, line = head.partition(" -> ")
    name, _, rest = declared.partition("(")
    known = registry.lookup(existing)
    assert known is not None and isinstance(known.derivative, Derivative)

    def renamed(bound: Bound) -> Kind:
        return known.kind({names.get(p, p): v for p, v in bound.items()})

    derivative = Adapted(known.derivative, options, names)
    registry.add(
        Primitive(
            name=name, signature=rest[:-1], kind=kind or renamed, derivative=derivative, scope=known.scope,
            effects=line or "fresh", refuses=refuses, widens=widens,
        )
    )


def only(app: Application, **allowed: Any) -> None:
    """Refuse the call unless each named option is a literal that is allowed: one value, or one of a set."""
    for param, values in allowed.items():
        choices = values if isinstance(values, set) else {values}
        if is_literal(app, param) and literal(app, param) in choices:
            continue
        what = f"{param}={literal(app, param)!r}" if is_literal(app, param) else f"a computed {param}"
        instead = " or ".join(f"{param}={value!r}" for value in sorted(choices, key=repr))
        refuse(app, f"with {what}", "no rule is written for it", instead)
