"""Requests: derivatives by which parameters, of what; and the callees' derivatives that they need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NoReturn, TypeVar

from s2sad.analysis.activity import Activity
from s2sad.analysis.at_calls import AtCalls
from s2sad.analysis.editions import Settled
from s2sad.analysis.repeated import pays, pays_at_calls
from s2sad.errors import ActivityError, KindError, Location, NonDifferentiableError, NoRuleError
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import OBJECT, Scalar, is_differentiable, looked
from s2sad.ir.nodes import Call, Const, Function, Value
from s2sad.rules import not_written, registry
from s2sad.rules.containers import MAKES, move_of
from s2sad.rules.effects import effects, looked_at
from s2sad.rules.language import Derivative, Elementwise, Nothing, Primitive


@dataclass(frozen=True)
class Request:
    """Differentiate ``outputs`` of a function (leaf numbers of what it returns, or the name of a written parameter)
    with respect to ``inputs`` (parameter names).

    ``shared``: the inputs that a callee gets by reference, with their shadows. ``restores``: whether the reverse sweep has to
    leave the memory of the parameters as it was before the call. ``whole``: both sweeps in one function, not in a pair.
    ``held``: the outputs into which the caller writes, so that what they share memory with in the function has tangents from
    the beginning on. ``bare``: a program along several directions returns no value, but the derivatives alone."""

    inputs: tuple[str, ...]
    outputs: tuple[int, ...] = (0,)
    of: str | None = None
    shared: tuple[str, ...] = ()
    restores: bool = False
    whole: bool = False
    held: tuple[int, ...] = ()
    bare: bool = False


@dataclass(eq=False)
class Pair:
    """The derivative functions of a callee: forward and reverse sweep, or tangent; filled while being derived."""

    wanted: Request
    forward: Function
    reverse: Function | None = None


@dataclass(eq=False)
class CalleeDerivatives:
    """The derivative functions of all callees of one request, by callee and what is wanted of it."""

    derive: Callable[[Function, Request, CalleeDerivatives, Pair], None]
    pairs: dict[tuple[int, Request], Pair] = field(default_factory=dict)
    callees: dict[int, Function] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)  # of the functions of the module, without suffixes
    flat: dict[Function, Function] = field(default_factory=dict)  # callees that get the items of tuples one by one
    recursive: frozenset[Function] = frozenset()  # callees that call themselves, and all that those call
    widens: bool = True  # values may be complex while their tangents are real
    steep: bool = False  # adjoints and tangents may be infinite (``rules/singular.py``)
    infinite: bool = False  # some function puts an infinity somewhere (``analysis/endless.py``)
    traced: bool = False  # each adjoint is bound to a name of its own, for an evaluation trace
    compiled: bool = False  # for Numba: nobody differentiates it
    settled: Settled | None = None  # to which derivatives are added once they are made
    unfinished: set[Function] = field(default_factory=set)  # those that are being made
    expects: bool = False  # the program may look whether shapes are equal, and give up (``ad/expected.py``)
    at_calls: AtCalls = field(default_factory=AtCalls)  # what is known of the arguments of callees

    def repeats(self, callee: Function) -> bool:
        """Choice to compute calls of a function again in the reverse sweep; not in a trace, unless they must be."""
        return callee.checkpointed or not self.traced and (pays(callee) or pays_at_calls(callee, self.at_calls))

    def recurs(self, callee: Function) -> bool:
        """Test for a callee that takes part in a recursion: by its form before tuples were passed item by item."""
        return callee in self.recursive or any(flat is callee and given in self.recursive for given, flat in self.flat.items())

    def changed(self) -> None:
        """Note that a derivative has changed once more."""
        if self.settled is not None:
            self.settled.renew()

    def pair(self, callee: Function, wanted: Request, make: Callable[[str], Pair]) -> Pair:
        """The derivative of a callee, derived on first demand (recursion finds the unfinished one)."""
        key = (id(callee), wanted)
        if key not in self.pairs:
            name = fresh_name(callee.name, self.names)
            self.names.add(name)
            made = self.pairs[key] = make(name)
            parts = [made.forward] if made.reverse is None else [made.forward, made.reverse]
            for derived in parts:
                derived.called = callee.title
            made.forward.records = made.reverse is not None
            self.callees[id(callee)] = callee
            self.unfinished.update(parts)
            with looked({}):  # another call has other sizes under the same symbols
                self.derive(callee, wanted, self, self.pairs[key])
            self.unfinished.difference_update(parts)
            if self.settled is not None:
                self.settled.add(parts, self.unfinished)
        return self.pairs[key]


def parameter(function: Function, name: str) -> Value:
    """The parameter of that name."""
    for p in function.params:
        if p.name == name:
            return p.value
    raise ActivityError(
        f"{function.title} has no parameter {name!r}; it has {[p.name for p in function.params]}"
    )


Name = TypeVar("Name", bound=str)


def fresh_name(base: Name, taken: Iterable[str]) -> Name:
    """A parameter name that is not taken: the derivative of a derivative has seeds of its own."""
    used = set(taken)
    count, name = 0, base
    while name in used:
        count += 1
        name = type(base)(f"{base}_{count}")
    return name


def outputs_of(function: Function, wanted: Request, copies: Mapping[str, Value]) -> list[Value]:
    """The values whose derivative is asked for; a written parameter stands for its copy."""
    if wanted.of is not None:
        final = copies.get(wanted.of) or parameter(function, wanted.of)
        if final.kind.fixed:
            raise ActivityError(
                f"of={wanted.of!r}: the final contents of a {final.kind} are not followed as a whole",
                instead="return what is to be differentiated",
            )
        return [final]
    return [function.body.yields[k] for k in wanted.outputs]


def zero_of(builder: Builder, value: Value, primal: Value, name: str | None) -> Value:
    """The result for a derivative that is zero: a number in single precision, or a complex one, has one of its type."""
    types = value.kind.types if isinstance(value.kind, Scalar) else None
    if types is not None and not any(dtype.startswith(("float16", "float32", "complex")) for dtype, _ in types):
        return Const(0.0)
    return builder.call("s2sad.runtime.zeros", primal, name=name)


def derivative_of(call: Call) -> Derivative | Nothing:
    """The derivative of a primitive call. Raises NoRuleError, by name and place."""
    primitive = registry.lookup(call.target)
    if primitive is None or primitive.derivative is None:
        no_rule(call.target, call.loc)
    return primitive.derivative


def refuse_unknown(call: Call, activity: Activity) -> None:
    """Refuse functions that are given what is differentiated, and of which no derivative is known or exists.

    One without a rule is refused even if its result is not used: it may write into its arguments.
    """
    if not any(activity.is_varied(v) for v in call.operands()):
        return
    primitive = registry.lookup(call.target)
    if primitive is None or (primitive.derivative is None and not primitive.effects):
        no_rule(call.target, call.loc, tuple(call.kwargs))
    needed = any(map(activity.is_useful, call.results))
    if needed and isinstance(primitive.derivative, Elementwise) and any(v.kind == OBJECT for v in call.operands()):
        bound = primitive.bind(call.args, call.kwargs)
        if any(bound[p].kind == OBJECT for p in primitive.derivative.params if p in bound):
            foreign(call)
    _refuse_unwritten(call, primitive, activity)
    nothing = primitive.derivative
    jumps = isinstance(nothing, Nothing) and not nothing.zero
    if jumps and any(activity.is_useful(result) and is_differentiable(result.kind) for result in call.results):
        raise NonDifferentiableError(
            f"{call.target} has no derivative", location=call.loc, why=nothing.why,  # type: ignore[union-attr]
            instead="compute it from s2sad.stop_gradient(x) if its derivative is to count as zero",
        )  # fmt: skip


def refuse_untold(call: Call, activity: Activity) -> None:
    """Refuse a container of which no kind tells that it is one, where what is put in is differentiated: it would be taken for a
    number, whose derivative has no items."""
    move = move_of(call)
    if move is None or move.does != MAKES or call.result.kind.container:
        return
    if any(activity.is_varied(value) for value in move.put(call)):
        raise KindError(
            f"what {call.result.name or 'a tuple'} consists of is not known", location=call.loc,
            why="it holds what is differentiated", instead="tuples that are alike wherever they meet",
        )  # fmt: skip


def refuse_writing(call: Call, activity: Activity) -> None:
    """Refuse what writes something that is differentiated into its arguments, and has no handler that does it for the
    derivatives."""
    does = effects(call)
    changed = (*does.writes, *does.changes)
    if any(map(activity.is_useful, changed)) and any(map(activity.is_varied, call.operands())):
        no_rule(call.target, call.loc)


def foreign(call: Call) -> NoReturn:
    """Refuse arithmetic with an object that is no array: of a sparse matrix ``*`` may be a product of matrices."""
    raise NoRuleError(
        f"{call.target.removeprefix('operator.')} with an object that is no array has no derivative rule",
        location=call.loc,
        why="what it does is known only to the object",
        instead="@ for products of matrices, or an array",
    )


def _refuse_unwritten(call: Call, primitive: Primitive, activity: Activity) -> None:
    """Refuse an argument that is differentiated, and for which the rule of the function has no formula."""
    derivative = primitive.derivative
    if not isinstance(derivative, Derivative) or not any(activity.is_useful(r) for r in call.results):
        return
    bound = primitive.bind(call.args, call.kwargs)
    known = {*derivative.parameters(bound), *looked_at(primitive)}
    for name, value in bound.items():
        if name in known or not is_differentiable(value.kind) or not activity.is_varied(value):
            continue
        if name.rstrip("0123456789") not in not_written.constant_arguments(call.target):
            raise NoRuleError(
                f"{call.target} has no derivative rule by its argument {name!r}",
                location=call.loc,
                why="the argument depends on the variables of differentiation",
                instead="register a rule with s2sad.rule, or stop the derivative with s2sad.stop_gradient",
            )


def no_rule(target: str, loc: Location | None, options: tuple[str, ...] = ()) -> NoReturn:
    """Raise NoRuleError; ``options``: those that the call names, without which there may be a rule."""
    why, instead = not_written.reason(target)
    given = f" with {', '.join(f'{name}=' for name in options)}" if options else ""
    raise NoRuleError(
        f"no derivative rule is known for {target.removeprefix('operator.')}{given}",
        location=loc,
        why=why,
        instead=instead,
    )
