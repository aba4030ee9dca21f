"""The rule language: what one primitive function is, and how its derivative is written down.

A rule is a statement in a table (``libraries/numpy/rules/elementwise.py``, ...)::

    elementwise("numpy.sin(x)", x="g * cos(x)")
    elementwise("numpy.exp(x)", x="g * out")
    linear("numpy.negative(x)", x="-g")
    multilinear("numpy.outer(x, y)", x="...", y="...")

A formula is a Python expression. It may mention

    g      what is propagated: the tangent of the argument, or the adjoint of the result
    out    the result of the primal call
    x ...  the arguments by their names in the signature
    cos    functions: of NumPy, of ``s2sad.runtime``, or by dotted name; of ``math`` in rules for ``math``

and is linear in ``g``. The names that it mentions are exactly what must be recorded. An elementwise partial serves
both modes, as a diagonal matrix is its own transpose; broadcasting, dtypes and scalar seeds are the machinery's.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from s2sad.ir.kinds import Kind
from s2sad.ir.nodes import Const, Value
from s2sad.rules.rooms import helper_packages

if TYPE_CHECKING:
    from s2sad.rules.application import Application

# Functions that look only at the shape (or dtype) of some arguments: their contents need not be kept.
SHAPE_ONLY_ARGUMENTS = {
    "unbroadcast": (1,),
    "in_place": (0,),
    "seed": (1,),
    "typed": (1,),
    "unboxed": (1,),
    "zeros_like": (0,),
    "ones_like": (0,),
    "full_like": (0,),
    "shape": (0,),
    "size": (0,),
    "ndim": (0,),
    "len": (0,),
    "size_along": (0,),
    "dot_axes": (0, 1),
    "inner_axes": (0, 1),
    "weights_along_adjoint": (1, 2),
    "count_where": (1,),
    "diff_part": (2, 3, 4),
    **dict.fromkeys(("columns", "without_columns"), (1,)),
    **dict.fromkeys(("fitted", "without_rest", "fftn_adjoint", "ifftn_adjoint", "rfftn_adjoint", "irfftn_adjoint"), (1,)),
    "trigonometric_adjoint": (1,),
    **dict.fromkeys(("correlate1d_adjoint", "gaussian_filter_adjoint", "gaussian_filter1d_adjoint"), (1,)),
    **dict.fromkeys(("uniform_filter_adjoint", "spline_filter1d_adjoint"), (1,)),
    "correlate1d_adjoint_weights": (2,),
    **dict.fromkeys(("variables_adjoint", "reduceat_adjoint", "trapezoid_adjoint"), (1,)),
    **dict.fromkeys(("trapezoid_adjoint_x", "trapezoid_adjoint_dx", "histogram_adjoint"), (2,)),
    **dict.fromkeys(("simpson_adjoint", "cumulative_trapezoid_adjoint", "convolve_adjoint_1", "fftconvolve_adjoint_1"), (1,)),
    **dict.fromkeys(("convolve_adjoint_2", "fftconvolve_adjoint_2"), (2,)),
    **dict.fromkeys(("broadcast_like", "spread", "weights_along", "unconcatenate", "reconcatenate", "untile", "unrepeat"), (1,)),
    **dict.fromkeys(("take_adjoint", "take_along_adjoint", "pad_adjoint", "diag_adjoint", "diagonal_adjoint"), (1,)),
    **dict.fromkeys(("matmul_adjoint_x", "tensordot_adjoint_x", "kron_adjoint_x", "convolve_adjoint_x", "cross_adjoint"), (1,)),
    **dict.fromkeys(("matmul_adjoint_y", "tensordot_adjoint_y", "kron_adjoint_y"), (2,)),
    **dict.fromkeys(("polyval_adjoint", "polyder_adjoint", "polyint_adjoint", "polyint_adjoint_k"), (1,)),
    **dict.fromkeys(("lowest", "lowest_adjoint"), (1,)),
    **dict.fromkeys(("interp_adjoint", "interp_slope_adjoint"), (3,)),
    "insert_adjoint": (1, 3),
    "windows_adjoint": (1,),
    "einsum_windows_adjoint": (0,),
    "window_as": (1, 2),
    "einsum_adjoint": (3,),
    "added_items": (2,),
    "shadow_of": (1, 2),
    "last_written_adjoint": (1,),
    "choose_adjoint": (2,),
}
SHAPE_ONLY_ATTRIBUTES = {"shape", "ndim", "size", "dtype"}


class Formula:
    """A parsed formula; ``contents`` are the names whose values it reads, ``names`` includes those read for shape."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def tree(self) -> ast.expr:
        """The expression's syntax tree."""
        return ast.parse(self.text, mode="eval").body

    @cached_property
    def names(self) -> frozenset[str]:
        """All names that the formula mentions, functions included."""
        return frozenset(node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name))

    @cached_property
    def contents(self) -> frozenset[str]:
        """The names whose contents are read, not only their shape."""
        found: set[str] = set()
        _collect_contents(self.tree, found)
        return frozenset(found)


def _collect_contents(node: ast.AST, found: set[str]) -> None:
    if isinstance(node, ast.Name):
        found.add(node.id)
        return
    if isinstance(node, ast.Attribute) and node.attr in SHAPE_ONLY_ATTRIBUTES:
        return
    skipped: set[ast.AST] = set()
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
        scope, _, function = ast.unparse(node.func).rpartition(".")
        places = SHAPE_ONLY_ARGUMENTS.get(function, ()) if scope in ("", "numpy", "ndarray", *helper_packages()) else ()
        skipped = {node.args[k] for k in places if k < len(node.args)}
    for child in ast.iter_child_nodes(node):
        if child not in skipped:
            _collect_contents(child, found)


@dataclass(frozen=True)
class CallFormula:
    """Formulas to choose from by what is statically known; ``pick`` returns a key of ``table`` (or None)."""

    pick: Callable[[Application], object]
    table: Mapping[object, str]
    otherwise: str

    @cached_property
    def formulas(self) -> dict[object, Formula]:
        """The parsed alternatives, with ``otherwise`` under None."""
        return {None: Formula(self.otherwise)} | {key: Formula(text) for key, text in self.table.items()}

    def formula(self, app: Application) -> Formula:
        """The alternative for this call."""
        return self.formulas.get(self.pick(app), self.formulas[None])


def by_rank(*params: str, table: Mapping[Any, str], otherwise: str) -> CallFormula:
    """Choose by the ranks of arguments where all are known (a single int where one parameter is named)."""

    def pick(app: Application) -> object:
        ranks = tuple(app.rank(p) for p in params)
        return ranks[0] if len(ranks) == 1 else ranks

    return CallFormula(pick, dict(table), otherwise)


def by_constant(param: str, table: Mapping[object, str], otherwise: str) -> CallFormula:
    """Choose by the value of an argument that is a literal."""

    def pick(app: Application) -> object:
        value = app.bound[param]
        return value.payload if isinstance(value, Const) and value.payload in table else None

    return CallFormula(pick, dict(table), otherwise)


Partial = str | CallFormula
Spec = Formula | CallFormula


def spec_of(partial: Partial) -> Spec:
    """A formula from its text; choices stay."""
    return Formula(partial) if isinstance(partial, str) else partial


class Derivative:
    """The differentiation of one primitive: the interface that both modes use, and nothing else.

    ``active`` names the parameters that carry derivatives in the call at hand.
    """

    params: tuple[str, ...] = ()

    def parameters(self, bound: Mapping[str, Value]) -> tuple[str, ...]:
        """The parameters with a derivative in a call: all of ``params``, unless their number depends on the call."""
        return self.params

    def pullbacks(self, app: Application, g: Value, params: list[str]) -> Iterator[tuple[str, Value]]:
        """The adjoints of several arguments, one after the other, unless they come out of one computation."""
        for param in params:
            yield param, self.pullback(app, g, param)

    def pushforward(self, app: Application, dots: Mapping[str, Value]) -> Value:
        """The tangent of the result from those of the active arguments."""
        raise NotImplementedError

    def pullback(self, app: Application, g: Value, param: str) -> Value:
        """The adjoint of one argument from that of the result, before un-broadcasting."""
        raise NotImplementedError

    def reads(self, app: Application, active: frozenset[str]) -> frozenset[str]:
        """The names whose contents the pullbacks of ``active`` read."""
        raise NotImplementedError


@dataclass(frozen=True)
class Elementwise(Derivative):
    """One partial per argument, for both modes."""

    partials: dict[str, Spec]

    @property
    def params(self) -> tuple[str, ...]:  # type: ignore[override]
        """The parameters with a partial."""
        return tuple(self.partials)

    def pushforward(self, app: Application, dots: Mapping[str, Value]) -> Value:
        terms = [app.strong(app.expand(self.partials[p], dot), self.partials[p], dot, p) for p, dot in dots.items()]
        return app.tangent(app.stretch(app.add(terms)))

    def pullback(self, app: Application, g: Value, param: str) -> Value:
        spec = self.partials[param]
        return app.unbroadcast(app.strong(app.expand(spec, g), spec, g, param), param)

    def reads(self, app: Application, active: frozenset[str]) -> frozenset[str]:
        return app.contents(self.partials[p] for p in active)


@dataclass(frozen=True)
class Linear(Derivative):
    """A function that is linear in all the named arguments together: its tangent is itself, applied to tangents."""

    adjoints: dict[str, Spec]
    jointly: bool = True  # False: multilinear, linear in each of them alone

    @property
    def params(self) -> tuple[str, ...]:  # type: ignore[override]
        """The parameters in which the function is linear."""
        return tuple(self.adjoints)

    def pushforward(self, app: Application, dots: Mapping[str, Value]) -> Value:
        app.agree(self.adjoints[p] for p in dots)
        return app.tangent(self.repeated(app, dots))

    def repeated(self, app: Application, dots: Mapping[str, Value]) -> Value:
        """The call again, for tangents."""
        if self.jointly:
            zeros = {p: app.zeros(p) for p in self.params if p not in dots and app.given(p)}
            return app.again({**zeros, **dots})
        return app.add([app.again({p: dot}) for p, dot in dots.items()])

    def pullback(self, app: Application, g: Value, param: str) -> Value:
        return app.mended(app.expand(self.adjoints[param], g), param)

    def reads(self, app: Application, active: frozenset[str]) -> frozenset[str]:
        return app.contents(self.adjoints[p] for p in active)


@dataclass(frozen=True)
class General(Derivative):
    """A pushforward and a pullback for each argument, where neither follows from the other."""

    pushes: dict[str, Spec]
    pulls: dict[str, Spec]

    @property
    def params(self) -> tuple[str, ...]:  # type: ignore[override]
        """The differentiable parameters."""
        return tuple(self.pulls)

    def pushforward(self, app: Application, dots: Mapping[str, Value]) -> Value:
        app.agree(self.pulls[p] for p in dots)
        return app.tangent(app.add([app.expand(self.pushes[p], dot) for p, dot in dots.items()]))

    def pullback(self, app: Application, g: Value, param: str) -> Value:
        app.agree([self.pushes[param]])
        return app.mended(app.expand(self.pulls[param], g), param)

    def reads(self, app: Application, active: frozenset[str]) -> frozenset[str]:
        return app.contents(self.pulls[p] for p in active)


@dataclass(frozen=True)
class Nothing:
    """No derivative, and why: it is ``zero`` everywhere (floor), or does not ``exist`` (argmax)."""

    zero: bool
    why: str = ""


KindRule = Callable[[Mapping[str, Value]], Kind]


@dataclass(frozen=True)
class Primitive:
    """A function that the compiler knows: signature, kind of its result, derivative, and what it does to memory.

    ``effects``: the line of ``rules.effects``; none means that nothing is known. ``watched``: that it writes into no argument
    is checked as it runs. ``spelling``: how generated code writes it. ``mirror``: by which the shadow has a window like one
    that NumPy lets nobody write into.
    """

    name: str
    signature: str
    kind: KindRule
    derivative: Derivative | Nothing | None = None
    effects: str = ""
    watched: bool = False
    cheap: bool = False
    mirror: str = ""
    spelling: str = "call"
    scope: tuple[str, ...] = ("numpy", "s2sad.runtime", "builtins")
    doc: str = field(default="", compare=False)
    refuses: Callable[[Application], None] | None = field(default=None, compare=False)  # raises NoRuleError, in both modes
    widens: bool = field(default=False, compare=False)  # it computes in single precision what it is given in half
    axes: Mapping[str, int] = field(default_factory=dict, compare=False)  # how many arguments have at most, or are guarded

    @cached_property
    def parameters(self) -> list[tuple[str, bool, Any]]:
        """(name, has a default, default) of each parameter; a name with ``*`` takes the remaining positions."""
        return _parse_signature(self.signature)

    @cached_property
    def keyword_only(self) -> frozenset[str]:
        """The parameters that no position fills."""
        arguments = ast.parse(f"lambda {self.signature}: 0", mode="eval").body.args  # type: ignore[attr-defined]
        return frozenset(a.arg for a in arguments.kwonlyargs)

    @cached_property
    def looks_at(self) -> tuple[int, ...]:
        """The positions of which a function of formulas looks at shape and dtype alone."""
        scope, _, name = self.name.rpartition(".")
        return SHAPE_ONLY_ARGUMENTS.get(name, ()) if scope in ("numpy", "s2sad.runtime", "builtins") else ()

    @cached_property
    def writes_by_request(self) -> bool:
        """Presence of parameters that tell it to write into arguments."""
        names = [name for name, _, _ in self.parameters]
        return any(name.startswith("overwrite_") or name == "output" for name in names)

    @cached_property
    def quiet(self) -> bool:
        """Freedom from effects of calls without keywords, whatever their arguments are."""
        return self.effects in ("fresh", "none") and not self.writes_by_request and not self.looks_at

    def bind(self, args: list[Value], kwargs: Mapping[str, Value]) -> dict[str, Value]:
        """The arguments by parameter name, defaults filled in. Raises TypeError as a call would."""
        bound: dict[str, Value] = {}
        rest = list(args)
        for name, optional, default in self.parameters:
            if name.startswith("*"):
                for k, value in enumerate(rest):
                    bound[f"{name[1:]}{k}"] = value
                rest = []
            elif rest and name not in self.keyword_only:
                bound[name] = _as_flag(rest.pop(0), default)
            elif name in kwargs:
                bound[name] = _as_flag(kwargs[name], default)
            elif optional:
                bound[name] = Const(default)
            else:
                raise TypeError(f"{self.name}() is called without its argument {name!r}")
        unknown = [k for k in kwargs if k not in bound]
        if rest or unknown:
            raise TypeError(f"{self.name}({self.signature}) is called with {unknown or 'too many arguments'}")
        return bound

    def places(self, args: list[Value], kwargs: Mapping[str, Value]) -> dict[str, int | str]:
        """Where each given argument stands in the call: a position or a keyword."""
        found: dict[str, int | str] = {}
        position = 0
        for name, _, _ in self.parameters:
            if name.startswith("*"):
                first = position
                while position < len(args):
                    found[f"{name[1:]}{position - first}"] = position
                    position += 1
            elif position < len(args) and name not in self.keyword_only:
                found[name] = position
                position += 1
            elif name in kwargs:
                found[name] = name
        return found


def _parse_signature(text: str) -> list[tuple[str, bool, Any]]:
    arguments = ast.parse(f"lambda {text}: 0", mode="eval").body.args  # type: ignore[attr-defined]
    positional = arguments.posonlyargs + arguments.args
    defaults = [None] * (len(positional) - len(arguments.defaults)) + arguments.defaults
    found = [(a.arg, d is not None, ast.literal_eval(d) if d else None) for a, d in zip(positional, defaults, strict=True)]
    if arguments.vararg:
        found.append((f"*{arguments.vararg.arg}", True, None))
    for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found.append((a.arg, d is not None, ast.literal_eval(d) if d else None))
    return found


def _as_flag(value: Value, default: object) -> Value:
    """The value given for a flag: 0 and 1 are False and True, as libraries take them."""
    flag = type(default) is bool and isinstance(value, Const) and type(value.payload) is int and value.payload in (0, 1)
    return Const(bool(value.payload)) if flag and isinstance(value, Const) else value
