"""Forward mode: the tangent program, statement by statement beside the primal one.

    v = x * y        ==>    v = x * y
                            v_dot = x_dot * y + x * y_dot

Tangents mirror memory: what is fresh has a fresh tangent, a window the same window of the tangent, and a buffer that
receives something active, here or from whoever gets it, has one tangent buffer from its birth on. A store into a buffer is
preceded by the store into its tangent. (Copies that nobody needs the optimiser takes away.) A value that is not active has
no tangent; where it meets one that has, at a join, a zero takes its place.
(Griewank & Walther, "Evaluating Derivatives", 2nd ed., section 3.1.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from s2sad.ad.memory import tangent_of
from s2sad.ad.protect import guard_calls, lying_as_given, protect_parameters, refuse_sequences
from s2sad.ad.recomputed import write_out_recomputed
from s2sad.ad.request import (
    CalleeDerivatives,
    Pair,
    Request,
    derivative_of,
    fresh_name,
    outputs_of,
    parameter,
    refuse_unknown,
    refuse_untold,
    refuse_writing,
    zero_of,
)
from s2sad.ad.truncating import check_given, guard_stores, may_be_untyped
from s2sad.ad.written_out import write_out_shared
from s2sad.analysis.activity import Activity
from s2sad.analysis.alias import Aliases
from s2sad.analysis.endless import endless
from s2sad.analysis.hidden import refuse_hidden
from s2sad.analysis.remembered import refuse_remembered
from s2sad.analysis.shifts import shifts
from s2sad.analysis.views import holds_references, is_unsure, may_subscript_number, view_base
from s2sad.errors import AliasError, CompilerError
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import UNKNOWN, Array, List, Scalar, dtype_of, is_differentiable, may_refer
from s2sad.ir.nodes import (
    LEAF,
    LITERALS,
    Block,
    Call,
    Const,
    DerivativeName,
    Function,
    Loop,
    Op,
    Param,
    Path,
    Straight,
    Structure,
    Undef,
    Value,
    With,
    dot_of,
)
from s2sad.ir.walk import clone_function, ops_of, program_of, substitute_all
from s2sad.rules import registry
from s2sad.rules.application import Application
from s2sad.rules.containers import MAKES, move_of
from s2sad.rules.effects import effects
from s2sad.rules.language import Nothing
from s2sad.rules.traits import spelled


class Tangent:
    """Adds tangents to a copy of a function."""

    def __init__(
        self, function: Function, aliases: Aliases, activity: Activity, family: CalleeDerivatives, main: bool
    ) -> None:
        self.function = function
        self.aliases = aliases
        self.activity = activity
        self.family = family
        self.lying = lying_as_given(function, aliases)
        self.endless = endless(function, aliases, main, family.infinite)
        self.dots: dict[Value, Value] = {}
        self.builder = Builder(function.body, registry.infer)
        self.replaced: dict[Value, Value] = {}  # results of calls by those of tangent functions

    # --- tangents of values

    def active(self, value: Value) -> bool:
        """Test for a value that has a tangent."""
        return self.activity.active(value)

    def name(self, value: Value) -> str | None:
        """The tangent's name."""
        return dot_of(value.name)

    def dot(self, value: Value) -> Value:
        """The tangent of a value; a zero for one that has none."""
        found = self.dots.get(value)
        if found is not None:
            return found
        if isinstance(value, Undef):
            return Undef()
        if isinstance(value.kind, Scalar) or isinstance(value, Const):
            return Const(_zero_of(value.payload) if isinstance(value, Const) else 0.0)
        if self.active(value) and self.is_held(value):
            raise CompilerError(f"{value.name or 'a buffer'} is written, and has got no tangent", location=self.builder.loc)
        found = self.builder.call("s2sad.runtime.zeros", value, name=self.name(value))
        found.kind = value.kind
        return found

    def bind(self, value: Value, dot: Value) -> None:
        """Set the tangent of a value."""
        if dot.name is None and not isinstance(dot, LITERALS):
            dot.name = self.name(value)
        self.dots[value] = dot

    # --- operations

    def block(self, block: Block) -> None:
        """Add tangents to a block."""
        ops, block.ops = block.ops, []
        with self.builder.inside(block):
            for op in ops:
                self.builder.loc = op.loc
                self.op(op)

    def op(self, op: Op) -> None:
        """Emit an operation with its tangent."""
        if isinstance(op, Call):
            self.call(op)
        elif isinstance(op, Loop):
            self.loop(op)
        elif isinstance(op, With):  # what its body makes stays
            self.block(op.body)
            self.builder.append(op)
            self.results(op.results, op.results, [op.body])
        elif isinstance(op, Straight):
            self.branches(op)

    def call(self, op: Call) -> None:
        """A call: by its rule, or as a move between buffers."""
        if op.callee is not None:
            self.user_call(op)
            return
        refuse_untold(op, self.activity)
        handler = tangent_of(op)
        if handler is not None:
            handler(self, op)
            return
        refuse_unknown(op, self.activity)
        refuse_writing(op, self.activity)
        self.builder.append(op)
        if not op.results or not self.active(op.result):
            return
        base = view_base(op)
        primitive = registry.lookup(op.target)
        derivative = derivative_of(op)
        if isinstance(derivative, Nothing) or primitive is None:
            if self.is_held(op.result):
                self.bind(op.result, self.zeros_like(op.result, op))
            return
        app = Application(op, primitive, self.builder, lambda v: v, self.derived, self.family.steep, self.endless)
        dots = {
            p: self.dot(app.bound[p])
            for p in derivative.parameters(app.bound)
            if p in app.bound and self.active(app.bound[p])
        }
        if not dots:
            if self.is_held(op.result):
                self.bind(op.result, self.zeros_like(op.result, op))
            return
        before = len(self.builder.block.ops)
        dot = derivative.pushforward(app, dots)
        for of_it in self.builder.block.ops[before:]:
            of_it.tangent = True
        shares = effects(op).shares
        if isinstance(op.result.kind, Scalar) and isinstance(dot.kind, Array) and not dot.kind.shape:
            dot = self.number(dot)
        if not shares:
            wide = self.widened(dot, op)
            dot = self.fresh(dot, _made(self.builder.block.ops[before:])) if wide is None else wide
        elif base is None and any(share.how in ("same", "view") for share in shares) and self.is_held(op.result):
            raise AliasError(
                f"which of its arguments {op.target} returns is not known", location=op.loc,
                why="memory that it may share with them is written", instead="copy its result",
            )  # fmt: skip
        elif base is not None and is_unsure(op) and self.aliases.mutable(op.result):
            self.builder.call("s2sad.runtime.assert_window", dot, self.dot(base), op.result, base)
            made = self.builder.call("s2sad.runtime.window_as", dot, op.result, base)
            made.kind, dot = dot.kind, made
        self.bind(op.result, dot)

    def number(self, dot: Value) -> Value:
        """The tangent of a number as one, which nobody writes into: of an array without axes ``+x`` is one."""
        found = self.builder.call("operator.pos", dot)
        found.kind = Scalar(dot.kind.dtype, weak=False) if isinstance(dot.kind, Array) and dot.kind.dtype else UNKNOWN
        return found

    def fresh(self, dot: Value, made: Mapping[Value, Op]) -> Value:
        """A tangent as memory of its own: itself if the operations ``made`` have made it, else a copy.

        The tangent of ``x + 1.0`` is that of ``x``; but of the two only one changes where ``x`` is written into.
        """
        op = made.get(dot)
        move = move_of(op) if isinstance(op, Call) else None
        if isinstance(op, Call) and move is not None and move.does == MAKES and not isinstance(dot.kind, List):
            op.args[move.items :] = [self.fresh(item, made) for item in move.put(op)]
            self.builder.block.ops.remove(op)
            self.builder.append(op)  # behind the copies of its items
            return dot
        if isinstance(dot, LITERALS) or not holds_references(dot) or _is_new(dot, made):
            return dot
        copied = self.builder.call(spelled("copies") if isinstance(dot.kind, Array) else "s2sad.runtime.copy_of", dot)
        copied.kind = dot.kind
        return copied

    def widened(self, dot: Value, op: Call) -> Value | None:
        """The tangent of a buffer that is written, of a dtype that holds all that the buffer does; None if it has that already.

        ``a = x + 1j`` is complex, and its tangent, which is that of ``x``, gets complex numbers where ``a`` does.
        """
        own, whole = dtype_of(dot.kind), dtype_of(op.result.kind)
        array = isinstance(op.result.kind, Array) or op.result.kind == UNKNOWN
        if not array or isinstance(dot, LITERALS) or not self.is_held(op.result):
            return None
        # The kind of a tangent that went through a list or a join is that of what it is of, which may be complex alone.
        real = whole is not None and not whole.startswith("complex")
        if real and own is not None and np.result_type(own, whole) == own or whole is None and not self.family.widens:
            return None
        made = self.builder.call("s2sad.runtime.wide", dot, op.result)
        made.kind = op.result.kind
        return made

    def zeros_like(self, value: Value, op: Op | None = None) -> Value:
        """The tangent of a constant buffer: of a fresh one, which ``op`` makes, or one that others hand over."""
        target = spelled("makes zeros") if isinstance(value.kind, Array) and op is not None else "s2sad.runtime.zeros"
        if value in self.lying:
            target = "s2sad.runtime.zero_twin"
        made = self.builder.call(target, value)
        made.kind = value.kind
        return made

    def is_held(self, value: Value) -> bool:
        """Test for a value behind which memory is written, or behind what it holds."""
        if not holds_references(value) or isinstance(value, LITERALS):
            return False
        return bool(self.aliases.reach(self.aliases.node(value)) & self.aliases.written)

    def user_call(self, op: Call) -> None:
        """A user's function is called through its own tangent function; it makes the tangents of the buffers that it makes."""
        assert op.callee is not None
        inputs = tuple(p.name for p, a in zip(op.callee.params, op.args, strict=True) if self.active(a))
        outputs = tuple(k for k, r in enumerate(op.results) if self.active(r))
        written = self.aliases.written_by(op.callee)
        shared = tuple(p.name for k, p in enumerate(op.callee.params) if k in written and p.name in inputs)
        held = tuple(k for k in outputs if self.is_held(op.results[k]))
        if not (inputs or held) or not (outputs or shared):
            self.builder.append(op)
            return

        tangent = self.tangent_of(op.callee, Request(inputs, outputs, None, shared, held=held))
        dots = [self.dot(a) for p, a in zip(op.callee.params, op.args, strict=True) if p.name in inputs]
        kinds = [r.kind for r in op.results] + [op.results[k].kind for k in outputs]
        fresh = self.builder.call_known(tangent, [*op.args, *dots], kinds)
        table = dict(zip(op.results, fresh, strict=False))
        for old, new in table.items():
            new.name = old.name
        self.replaced.update(table)
        for k, dot in zip(outputs, fresh[len(op.results) :], strict=True):
            self.bind(op.results[k], dot)

    def tangent_of(self, callee: Function, wanted: Request) -> Function:
        """The tangent function of a callee."""

        first = len(callee.params)
        dots = {first + k for k, name in enumerate(wanted.inputs) if name in wanted.shared}

        def make(name: str) -> Pair:
            writes = self.aliases.written_by(callee) | dots
            return Pair(wanted, Function(f"{name}_tangent", [], Block(), writes=writes))

        return self.family.pair(callee, wanted, make).forward

    def derived(self, function: Function, inputs: tuple[str, ...], outputs: tuple[int, ...]) -> Function:
        """The tangent function of one that an operation is given."""
        return self.tangent_of(function, Request(inputs, outputs))

    # --- control flow

    def branches(self, op: Straight) -> None:
        """Both arms, with the tangents of the results as further results."""
        before = dict(self.dots)
        for inner in op.blocks():
            self.block(inner)
        primal = list(op.results)
        self.builder.append(op)
        self.results(op.results, primal, [*op.blocks()])
        self.dots = before | {r: self.dots[r] for r in primal if r in self.dots}

    def results(self, results: list[Value], primal: list[Value], blocks: list[Block]) -> None:
        """Add the tangents of the active results to what the blocks yield."""
        for k, result in enumerate(list(primal)):
            if self.active(result):
                for inner in blocks:
                    with self.builder.inside(inner):
                        inner.yields.append(self.dot(inner.yields[k]))
                dot = Value(result.kind, self.name(result))
                results.append(dot)
                self.dots[result] = dot

    def loop(self, op: Loop) -> None:
        """A loop carries the tangents of what it carries."""
        slots = [
            k
            for k, (p, r) in enumerate(zip(op.carried, op.results, strict=False))
            if self.active(p) or self.active(r)
        ]
        offset = len(op.body.params) - len(op.results)
        op.init += [self.dot(op.init[k]) for k in slots]
        for k in slots:
            param = op.body.params[offset + k]
            self.dots[param] = Value(param.kind, self.name(param))
        op.body.params += [self.dots[op.body.params[offset + k]] for k in slots]
        for test in op.tests:
            test.params += [Value(test.params[k].kind, self.name(test.params[k])) for k in slots]
        self.block(op.body)
        shift = len(op.body.yields) - len(op.results)
        with self.builder.inside(op.body):
            op.body.yields += [self.dot(op.body.yields[shift + k]) for k in slots]
        primal = list(op.results)
        for k in slots:
            dot = Value(primal[k].kind, self.name(primal[k]))
            op.results.append(dot)
            self.dots[primal[k]] = dot
        self.builder.append(op)


def _made(ops: list[Op]) -> dict[Value, Op]:
    """The values that operations, and those within them, make."""
    return {value: op for op in ops for value in op.results}


def _is_new(value: Value, made: Mapping[Value, Op]) -> bool:
    """Test for memory behind a value that operations have made, with no reference to older memory."""
    op = made.get(value)
    if not isinstance(op, Call):
        return op is not None
    if op.callee is not None:
        return True
    does = effects(op)
    return not does.unknown and all(_is_new(share.value, made) for share in does.shares if holds_references(share.value))


def _widens(function: Function, activity: Activity) -> bool:
    """Possibility of complex values with real tangents: where something without a tangent may be complex."""
    return any(
        _may_be_complex(v)
        for each in program_of(function)
        for op in ops_of(each.body)
        for v in op.operands()
        if isinstance(v, LITERALS) or each is function and not activity.active(v)
    )


def _may_be_complex(value: Value) -> bool:
    if isinstance(value, Const):
        return isinstance(value.payload, complex)
    dtype = dtype_of(value.kind)
    return is_differentiable(value.kind) if dtype is None else dtype.startswith("complex")


def _zero_of(payload: object) -> object:
    """A zero with the structure of a literal."""
    return tuple(map(_zero_of, payload)) if isinstance(payload, tuple) else 0.0


def derive_tangent(
    function: Function, wanted: Request, family: CalleeDerivatives, name: str, protect: bool = True
) -> Function:
    """The tangent function ``f_tangent(x, ..., x_dot, ...)`` → (what is differentiated, its tangent)."""
    copy, _, _ = clone_function(function)
    write_out_recomputed(copy)
    write_out_shared(copy, mirrored=True)
    copies = protect_parameters(copy) if protect else {}
    shared = [parameter(copy, n) for n in wanted.shared]
    held = [copy.body.yields[k] for k in wanted.held]
    aliases = Aliases(copy, split=not (shared or held), outside=[*shared, *held])
    guard_calls(copy, aliases)
    inputs = [parameter(copy, n) for n in wanted.inputs]
    outputs = outputs_of(copy, wanted, copies)
    activity = Activity(copy, aliases, inputs, [*outputs, *shared], held, shifts(copy, aliases))
    refuse_hidden(activity)
    refuse_remembered(activity)
    guard_stores(copy, activity)
    if protect:
        refuse_sequences(copy, copies)
    if protect:
        family.widens = _widens(copy, activity)
    sweep = Tangent(copy, aliases, activity, family, protect)
    params = [replace(p, default=p.default if p.keyword_only else None) for p in copy.params]
    given: list[Value] = []
    typing = protect and depends_on_types(copy)
    typed: list[Call] = []
    for value in inputs:
        dot = Value(value.kind, fresh_name(DerivativeName(f"{value.name}_dot"), [p.name for p in params]))
        params.append(Param(dot))
        if activity.active(value):
            given.append(dot)
            sweep.dots[value] = dot
            if typing and may_be_untyped(value):
                typed.append(Call(target="s2sad.runtime.typed", args=[dot, value], results=[Value(dot.kind, dot.name)]))
                sweep.dots[value] = typed[-1].result
    params = [p for p in params if not p.keyword_only] + [p for p in params if p.keyword_only]
    body, copy.body.ops = copy.body.ops, []
    for value in copy.values:
        if value not in sweep.dots and is_differentiable(value.kind) and sweep.is_held(value):
            sweep.bind(value, sweep.zeros_like(value))  # of what others hand over, too, from the beginning on
    born, copy.body.ops = copy.body.ops, body
    sweep.block(copy.body)
    copy.body.ops[:0] = [*typed, *born]
    if protect:
        active = [v for v in inputs if activity.active(v)]
        check_given(copy.body, [*active, *given])
    with sweep.builder.inside(copy.body):
        dots = [_returned(sweep, v) for v in outputs]
    shape = LEAF if len(dots) == 1 else Structure("tuple", (LEAF,) * len(dots))
    if protect and wanted.of is None:  # the tangent of what a user's call returns has its structure
        table = dict(zip(wanted.outputs, dots, strict=True))
        with sweep.builder.inside(copy.body):
            dots = [table[k] if k in table else _still(sweep, leaf) for k, leaf in enumerate(copy.body.yields)]
        shape = function.returns
    returned = function.returns
    if wanted.of is not None:  # and what the function returns besides is of no interest
        copy.body.yields, returned = list(outputs), LEAF
    copy.body.yields += dots
    substitute_all(copy.body, sweep.replaced)
    returns = Structure("tuple", (returned, shape)) if dots else returned
    sharing = (*copy.sharing, *_mirrored(copy, wanted))
    return replace(copy, name=name, params=params, returns=returns, reverse_at=None, sharing=sharing)


def _returned(sweep: Tangent, value: Value) -> Value:
    """The tangent of what is returned."""
    dot = sweep.dot(value)
    zero = isinstance(dot, Const) and not isinstance(value, Const) and isinstance(value.kind, Scalar)
    return zero_of(sweep.builder, value, value, sweep.name(value)) if zero else dot


def _still(sweep: Tangent, value: Value) -> Value:
    """The tangent of a result that cannot have one: a zero with its structure."""
    return sweep.dot(value) if may_refer(value.kind) else Const(0.0)


def depends_on_types(function: Function) -> bool:
    """Test for a function in which tangents need the types of what they are of: where what may be a number is asked for what
    NumPy's numbers have, and Python's have not, methods and subscripts; and where something is stored where complex may be."""
    return any(_is_method(op) or _is_store(op) for each in program_of(function) for op in ops_of(each.body))


def _is_store(op: Op) -> bool:
    return isinstance(op, Call) and op.callee is None and any(map(may_be_untyped, effects(op).writes))


def _is_method(op: Op) -> bool:
    if not isinstance(op, Call) or not op.args or op.args[0].kind != UNKNOWN:
        return False
    return may_subscript_number(op) or op.target.startswith("ndarray.") and not isinstance(derivative_of(op), Nothing)


def _mirrored(function: Function, wanted: Request) -> Iterator[tuple[Path, ...]]:
    """Places in the tangents of parameters that share memory, as it is in these."""
    names = [p.name for p in function.params]
    dots = {names.index(name): len(names) + k for k, name in enumerate(wanted.inputs)}
    for group in function.sharing:
        yield tuple((dots[k], *rest) for k, *rest in group if k in dots)


def derive_callee_tangent(function: Function, wanted: Request, family: CalleeDerivatives, pair: Pair) -> None:
    """Fill the tangent function of a callee."""
    derived = derive_tangent(function, wanted, family, pair.forward.name, protect=False)
    pair.forward.writes = None  # now to be seen
    pair.forward.params, pair.forward.body = derived.params, derived.body
    pair.forward.returns, pair.forward.sharing = derived.returns, derived.sharing
    pair.forward.doc, pair.forward.file, pair.forward.comments = (
        function.doc,
        function.file,
        function.comments,
    )
