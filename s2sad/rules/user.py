"""Users' own derivative rules: ``rule``, ``nondifferentiable``.

A rule makes a function, in Python or in C, a primitive: its source is not looked at, and calls of it stay calls::

    s2sad.rule(softplus, x="g / (1 + exp(-x))")          # partial derivatives, as in the tables of this package
    s2sad.rule(smooth, linear=True, u="smooth(g)")       # a linear function, and its adjoint
    s2sad.rule(solve, vjp=solve_vjp, jvp=solve_jvp)      # functions that compute the derivative

    def solve_vjp(out_bar, out, a, b):                   # the adjoint of each argument; None: zero
        b_bar = np.linalg.solve(a.T, out_bar)
        return -np.outer(b_bar, out), b_bar

    def solve_jvp(out, args, dots):                      # the tangent; dots are zeros where nothing varies
        return np.linalg.solve(args[0], dots[1] - dots[0] @ out)

Registering again replaces, the rules of s2sad included. Derivative programs made before are made anew.
"""

from __future__ import annotations

import ast
import builtins
import functools
import re
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, overload

import numpy as np

from s2sad.errors import NoRuleError, S2sadError
from s2sad.ir.code import code_of, identifier, signature_of
from s2sad.ir.kinds import UNKNOWN
from s2sad.ir.nodes import Const, Value
from s2sad.options import entry
from s2sad.rules import kind_rules, registry
from s2sad.rules.application import Application
from s2sad.rules.effects import WORDS, parsed
from s2sad.rules.language import (
    SHAPE_ONLY_ARGUMENTS,
    Derivative,
    Elementwise,
    Formula,
    Linear,
    Nothing,
    Primitive,
)
from s2sad.rules.rooms import helper_packages
from s2sad.rules.shown_writes import shown_write
from s2sad.runtime import assert_unwritten, contents
from s2sad.runtime.structures import hides, is_record

Function = Callable[..., Any]
Marked = TypeVar("Marked", bound=Function)
READABLE = (
    ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Tuple, ast.Attribute, ast.Slice, ast.Subscript, ast.Call,
    ast.keyword, ast.operator, ast.unaryop, ast.cmpop, ast.expr_context,
)  # fmt: skip
_described: dict[str, str] = {}  # what each rule says, by canonical name: part of the key of cached programs
_injected: dict[str, Any] = {}  # what generated modules call by a name that the loader binds


@overload
def rule(
    function: Marked, /, *, vjp: Function | None = None, jvp: Function | None = None, linear: bool = False,
    like: str | None = None, effects: str | None = None, **partials: str,
) -> Marked: ...  # fmt: skip
@overload
def rule(
    function: None = None, /, *, vjp: Function | None = None, jvp: Function | None = None, linear: bool = False,
    like: str | None = None, effects: str | None = None, **partials: str,
) -> Callable[[Marked], Marked]: ...  # fmt: skip
@entry
def rule(
    function: Marked | None = None,
    /,
    *,
    vjp: Function | None = None,
    jvp: Function | None = None,
    linear: bool = False,
    like: str | None = None,
    effects: str | None = None,
    **partials: str,
) -> Any:
    """Register the derivative of a function, which is returned; without a function, a decorator.

    ``partials``: for each differentiable parameter an expression that is linear in ``g``, the tangent of the argument
    and the adjoint of the result; it may mention the parameters, the result ``out``, and NumPy's functions. They are
    the elementwise partial derivatives, or with ``linear=True`` the adjoints of a function that is linear in these parameters
    together, or in each of them alone where the formula of one reads another, as those of a product do.
    ``vjp(out_bar, out, *args)`` returns a tuple with the adjoint of every argument, ``jvp(out, args, dots)`` the tangent
    of the result; either may be left out if its mode is never used. ``like``: the parameter whose kind (shape, dtype)
    the result has, which makes generated programs leaner. ``effects``: what the function does to memory, in a line such as
    ``"fresh"`` (its result is an array of its own, and nothing else happens: the call may be left out where the result is not
    used), ``"view(x)"`` or ``"same(x)"`` (a window of the argument ``x``, or that itself), ``"fresh; world"`` (it does more),
    ``"fresh; tells"`` (it tells people something, as ``print`` does). Without it a call stays where it stands, and derivative
    programs check that its result is no part of its arguments where that matters. A function with a rule must not write into
    its arguments, nor ``vjp`` and ``jvp`` into theirs: where the source shows it, it is refused here, and what calls did is
    compared as derivative programs run (in the 1st, 2nd, 4th, 8th ... call of each), which raises
    AliasError. Raises S2sadError for a rule that makes no sense. (As ``defvjp`` of autograd, and ``custom_vjp`` of JAX.)
    """
    if function is None:
        return functools.partial(rule, vjp=vjp, jvp=jvp, linear=linear, like=like, effects=effects, **partials)
    if isinstance(function, staticmethod):
        rule(function.__func__, vjp=vjp, jvp=jvp, linear=linear, like=like, effects=effects, **partials)
        return function
    _refuse_parts(function)
    signature = _signature(function, partials)
    names = _parameter_names(function, signature)
    _check(function, names, partials, vjp, jvp, linear, like)
    line = _checked_line(function, names, effects)
    _refuse_shown_writes(function, vjp, jvp)
    name = _canonical(function)
    derivative: Derivative
    kind = kind_rules.unknown if like is None else kind_rules.like(like)
    if partials:
        formulas = {p: Formula(_formula(function, p, text, names)) for p, text in partials.items()}
        derivative = _linear(function, formulas) if linear else Elementwise(dict(formulas))
        if not linear and like is None:
            kind = kind_rules.broadcast_float
    else:
        label = name.replace(".", "_")
        derivative = Callables(
            name,
            tuple(names),
            vjp and _bound(f"{label}_vjp", Pullback(vjp, label), name),
            jvp and _bound(f"{label}_jvp", Taught(jvp, label), name),
        )
    _described[name] = f"{signature} {linear} {like} {line} {sorted(partials.items())} {_identity(vjp)} {_identity(jvp)}"
    registry.add(Primitive(name, signature, kind, derivative, line, watched=True), function)
    return function


@entry
def nondifferentiable(function: Marked) -> Marked:
    """Mark a function, which is returned: no derivative is taken of it, its results, of any shape, count as constants.

    It must not write into its arguments, which is checked as for ``rule``. What else it does is not known, so that each call of
    it stays where it stands. Raises S2sadError for a function whose source shows that it does, and AliasError where a call did.
    (As ``nograd_functions`` of autograd.)
    """
    if isinstance(function, staticmethod):
        nondifferentiable(function.__func__)
        return function
    _refuse_parts(function)
    _refuse_shown_writes(function)
    name = _canonical(function)
    _described[name] = "nondifferentiable"
    signature = _signature(function, {"*args": ""})
    registry.add(Primitive(name, signature, kind_rules.unknown, Nothing(zero=True), watched=True), function)
    return function


def rules_in_words() -> str:
    """All users' rules as text: programs made under other rules are other programs."""
    return "\n".join(f"{name}: {text}" for name, text in sorted(_described.items()))


def name_of(function: object) -> str | None:
    """The canonical name of a function for which a user has registered a rule; None of others."""
    name = registry.name_of(function)
    return name if name in _described else None


def described_rules() -> Mapping[str, str]:
    """The text of each user's rule, by canonical name."""
    return _described


def injected_objects() -> Mapping[str, Any]:
    """The objects that generated modules call by name, functions that cannot be imported and derivatives."""
    return _injected


# --- derivatives computed by users' functions


@dataclass(frozen=True)
class Callables(Derivative):
    """A pushforward and a pullback that are functions of the user, by the names under which modules call them."""

    function: str
    names: tuple[str, ...]
    vjp: str | None
    jvp: str | None

    @property
    def params(self) -> tuple[str, ...]:  # type: ignore[override]
        """All parameters: the functions deal with each."""
        return self.names

    def pushforward(self, app: Application, dots: Mapping[str, Value]) -> Value:
        if self.jvp is None:
            raise self._missing("jvp", "tangent", app)
        args = app.builder.call("builtins.tuple", *(app.value(p) for p in app.bound))
        tangents = [dots[p] if p in dots else app.zeros(p) for p in app.bound]
        return app.builder.call(self.jvp, app.value("out"), args, app.builder.call("builtins.tuple", *tangents))

    def pullback(self, app: Application, g: Value, param: str) -> Value:
        if self.vjp is None:
            raise self._missing("vjp", "adjoint", app)
        bars = app.builder.call(self.vjp, g, app.value("out"), *(app.value(p) for p in app.bound))
        bar = app.builder.call("operator.getitem", bars, Const(list(app.bound).index(param)))
        bar.kind = app.bound[param].kind
        return bar

    def reads(self, app: Application, active: frozenset[str]) -> frozenset[str]:
        return frozenset({"out", *app.bound})

    def _missing(self, which: str, mode: str, app: Application) -> NoRuleError:
        return NoRuleError(
            f"the rule for {self.function} has no {which}",
            location=app.call.loc,
            why=f"it is called in a program whose {mode} is asked for",
            instead=f"give it one: s2sad.rule({self.function}, vjp=..., jvp=...)",
        )


class Taught:
    """A user's ``jvp`` or ``vjp``, with a check that it writes into nothing that it is given."""

    def __init__(self, function: Function, label: str) -> None:
        self.__wrapped__ = function
        self.label = label

    def __call__(self, *args: Any) -> Any:
        name = f"the derivative {getattr(self.__wrapped__, '__name__', '')} of {self.label}"
        before = contents(name, *args)
        result = self.__wrapped__(*args)
        assert_unwritten(name, before, *args)
        return result


class Pullback(Taught):
    """A user's ``vjp``, with a check of what it returns, too."""

    def __call__(self, out_bar: Any, out: Any, *args: Any) -> tuple[Any, ...]:
        bars = super().__call__(out_bar, out, *args)
        if not isinstance(bars, tuple | list) or len(bars) != len(args):
            raise S2sadError(
                f"{self.label} must return a tuple of {len(args)} adjoints, one for each argument, and returned {bars!r}"
            )
        for k, (bar, arg) in enumerate(zip(bars, args, strict=True)):
            if bar is not None and isinstance(arg, np.ndarray | float) and np.shape(bar) != np.shape(arg):
                raise S2sadError(
                    f"{self.label} returned an adjoint of shape {np.shape(bar)} for argument {k} of shape {np.shape(arg)}"
                )
        return tuple(np.zeros_like(a) if b is None else b for a, b in zip(args, bars, strict=True))


@dataclass(frozen=True)
class Underived(Derivative):
    """A pushforward or pullback that is a function of the user: it is called, and no derivative of it is known."""

    of: str

    def parameters(self, bound: Mapping[str, Value]) -> tuple[str, ...]:
        return tuple(bound)

    def pushforward(self, app: Application, dots: Mapping[str, Value]) -> Value:
        raise self._refusal(app)

    def pullback(self, app: Application, g: Value, param: str) -> Value:
        raise self._refusal(app)

    def reads(self, app: Application, active: frozenset[str]) -> frozenset[str]:
        return frozenset(app.bound)

    def _refusal(self, app: Application) -> NoRuleError:
        return NoRuleError(
            f"the second derivative of {self.of} is not known",
            location=app.call.loc,
            why="its rule has functions for the first one, vjp and jvp, which are called as they are",
            instead=f"formulas, which are differentiated in turn: s2sad.rule({self.of}, x='g * ...')",
        )


def _bound(name: str, function: Any, of: str) -> str:
    """Give generated code a name for a function with which the user differentiates another one; the name in use."""
    _injected[name] = function
    registry.add(Primitive(name, "*args", lambda bound: UNKNOWN, Underived(of), watched=True))
    return name


# --- names and signatures


def _canonical(function: Any) -> str:
    """The name under which generated code calls a function: known already, importable, or bound by the loader."""
    known = registry.name_of(function)
    if known is not None:
        return known
    module, path = getattr(function, "__module__", None), getattr(function, "__qualname__", None)
    if module and module != "__main__" and path and registry.find_object(f"{module}.{path}") is function:
        return f"{module}.{path}"
    base = identifier(getattr(function, "__name__", type(function).__name__))
    name, count = base, 1
    while _is_taken(name):
        name, count = f"{base}_{count}", count + 1
    _injected[name] = function
    return name


def _is_taken(name: str) -> bool:
    """Test for a name by which formulas, those of s2sad included, mean something else."""
    scopes = ("", "numpy.", "math.", "builtins.", *(f"{package}." for package in helper_packages()))  # where formulas look
    ours = any(registry.lookup(scope + name) for scope in scopes)
    return hasattr(builtins, name) or name in _injected or name in SHAPE_ONLY_ARGUMENTS or ours


def _signature(function: Any, partials: Mapping[str, str]) -> str:
    """The parameters as text: of the known primitive, of the function, or as the partials name them."""
    known = registry.name_of(function)
    primitive = registry.lookup(known) if known else None
    if primitive is not None:
        return primitive.signature
    try:
        parameters = signature_of(function).parameters.values()
    except (TypeError, ValueError):
        return ", ".join(partials)
    parts: list[str] = []
    for p in parameters:
        if p.kind is p.VAR_KEYWORD:
            raise S2sadError(f"{function.__name__} takes **{p.name}, which no rule can describe", instead="name the keywords")
        if p.kind is p.KEYWORD_ONLY and not any(part.startswith("*") for part in parts):
            parts.append("*")
        star = "*" if p.kind is p.VAR_POSITIONAL else ""
        parts.append(f"{star}{p.name}" + ("" if p.default is p.empty else f"={p.default!r}"))
    return ", ".join(parts)


def _refuse_parts(function: Any) -> None:
    """Raise S2sadError for what programs know by what it consists of, and not as one thing: calls of it are calls of those."""
    parts = isinstance(function, functools.partial | types.MethodType | classmethod | property) or is_record(function)
    if parts or hides(function):
        raise S2sadError(
            f"a {type(function).__name__} can have no rule of its own",
            why="programs look into it, and would not find the rule",
            instead="a function (def f(x): return ...) that calls it, with the rule",
        )


def _checked_line(function: Any, names: list[str], line: str | None) -> str:
    """The line of effects, checked: it can be read, knows its parameters, and does not write."""
    if line is None:
        return ""
    title = getattr(function, "__name__", repr(function))
    try:
        found = parsed(line)
    except (ValueError, SyntaxError) as error:
        raise S2sadError(f"the effects {line!r} of {title} cannot be read: {error}", instead='"fresh", "view(x)"') from error
    unknown = [n.id for n in ast.walk(found.result) if isinstance(n, ast.Name) and n.id not in (*names, *WORDS)]
    if unknown:
        raise S2sadError(f"the effects {line!r} of {title} mention {unknown[0]}, which is no parameter")
    if found.writes or found.changes or found.puts:
        raise S2sadError(
            f"the effects {line!r} of {title} say that it writes into its arguments, which no rule can differentiate",
            instead="a function that returns what it computes",
        )
    return line


def _refuse_shown_writes(*functions: Any) -> None:
    """Raise S2sadError where the source of a function shows a store into a parameter."""
    for function in functions:
        found = shown_write(function)
        if found is not None:
            title = getattr(function, "__name__", repr(function))
            raise S2sadError(
                f"{title} writes into its argument {found[0]!r}: {found[1]}",
                why="a function with a rule is not looked into when programs that call it are differentiated",
                instead=f"{found[0]} = {found[0]}.copy() first, or return what it computes",
            )


def _parameter_names(function: Any, signature: str) -> list[str]:
    try:
        return [name.lstrip("*") for name, _, _ in Primitive("", signature, kind_rules.unknown).parameters]
    except (SyntaxError, ValueError) as error:
        raise S2sadError(
            f"the signature of {function.__name__}({signature}) has a default that is no literal",
            why="generated programs must be able to write it down",
            instead="None or a number as the default",
        ) from error


def _check(
    function: Any, names: list[str], partials: Mapping[str, str], vjp: Any, jvp: Any, linear: bool, like: str | None
) -> None:
    title = getattr(function, "__name__", repr(function))
    given = "" if callable(function) else f"{title} is no function"
    if bool(partials) == (vjp is not None or jvp is not None):
        given = f"a rule for {title} consists of formulas by parameter names, or of vjp and jvp"
    if linear and not partials:
        given = f"linear=True says that the formulas for {title} are adjoints, and there are none"
    unknown = [p for p in (*partials, *((like,) if like else ())) if p not in names]
    if unknown:
        given = f"{title} has no parameter {unknown[0]!r}"
    if given:
        raise S2sadError(given, instead='rule(f, x="g * cos(x)") or rule(f, vjp=..., jvp=...)')


def _formula(function: Any, param: str, text: str, names: list[str]) -> str:
    """The formula, checked: it can be parsed, is linear in ``g`` as far as one sees, and knows every name."""
    text = re.sub(r"\bnp\.", "numpy.", text)
    own: dict[str, str] = {name.rpartition(".")[2]: name for name in _described}
    own |= {str(getattr(found, "__name__", "")): name for name, found in _injected.items()}
    text = re.sub(r"(?<![\w.])(\w+)(?=\s*\()", lambda found: own.get(found[1], found[1]), text)
    try:
        formula = Formula(text)
        mentioned = formula.names
    except SyntaxError as error:
        raise S2sadError(f"the formula {text!r} for {param!r} cannot be read: {error.msg}") from error
    strange = [type(node).__name__ for node in ast.walk(formula.tree) if not isinstance(node, READABLE)]
    if strange:
        raise S2sadError(
            f"the formula {text!r} for {param!r} uses {strange[0]}", instead="operators, calls, subscripts and tuples"
        )
    calls = set(re.findall(r"([A-Za-z_][\w.]*)\s*\(", text))
    roots = {call.partition(".")[0] for call in calls}
    unknown = sorted(mentioned - {"g", "out", *names} - roots)
    scopes = ("", "numpy.", "s2sad.runtime.", "builtins.")
    methods = {c for c in calls if c.partition(".")[0] in names}
    unknown += [c for c in sorted(calls - methods) if not any(registry.lookup(s + c) for s in scopes)]
    if unknown or "g" not in mentioned:
        what = f"mentions {unknown[0]}" if unknown else "does not mention g, which it propagates"
        raise S2sadError(
            f"the formula {text!r} for {param!r} of {getattr(function, '__name__', function)} {what}",
            instead=f"an expression of g, out, {', '.join(names)}, and functions of NumPy",
        )
    return text


def _linear(function: Any, adjoints: dict[str, Formula]) -> Linear:
    """The rule of a linear function: what its adjoints read tells in what, for no adjoint reads what it is linear in."""
    read = {param: formula.contents & {*adjoints, "out"} for param, formula in adjoints.items()}
    for param, names in read.items():
        own = sorted(names & {param, "out"})
        if own:
            title = getattr(function, "__name__", repr(function))
            raise S2sadError(
                f"the formula {adjoints[param].text!r} reads {own[0]}, so that {title} is not linear in {param}",
                why="linear=True says that the function is its own tangent", instead="rule(f, vjp=..., jvp=...)",
            )  # fmt: skip
    return Linear(dict(adjoints), jointly=not any(read.values()))


def _identity(function: Any) -> str:
    """A function as text that changes with its code, the same in all processes."""
    if isinstance(function, types.FunctionType):
        return f"{function.__module__}.{function.__qualname__} {code_of(function.__code__)}"
    named = function if isinstance(function, type | types.BuiltinFunctionType) else type(function)
    return f"{named.__module__}.{named.__qualname__}"


