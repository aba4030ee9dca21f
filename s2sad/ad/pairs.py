"""Whole adjoint functions: one for the function that is asked about, and a pair for each function that it calls.

    out, tape = layer_forward(x, w, b)              # in the forward sweep
    w_bar, b_bar = layer_reverse(tape, out_bar)     # in the reverse sweep

A pair is derived as one program and cut where its reverse sweep begins; what crosses the cut is the tape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from s2sad.ad.adjoint import Adjoint
from s2sad.ad.apart import take_apart
from s2sad.ad.beside_none import tell_beside_none
from s2sad.ad.buffered import buffer_numbers
from s2sad.ad.complete import settle_values
from s2sad.ad.expected import expect_sizes, looks
from s2sad.ad.expected_numbers import expect_numbers
from s2sad.ad.made_again import make_again
from s2sad.ad.protect import guard_calls, protect_parameters, refuse_sequences
from s2sad.ad.recomputed import leave_out_failures, save_written
from s2sad.ad.request import CalleeDerivatives, Pair, Request, fresh_name, outputs_of, parameter, zero_of
from s2sad.ad.shadows import ShadowPass
from s2sad.ad.stepwise import outline_steps
from s2sad.ad.truncating import check_given, guard_stores
from s2sad.ad.unbound import read_unbound
from s2sad.ad.written_out import write_out_shared
from s2sad.analysis.activity import Activity
from s2sad.analysis.alias import Aliases, facts
from s2sad.analysis.axes import STORES
from s2sad.analysis.checks import unmark
from s2sad.analysis.hidden import refuse_hidden
from s2sad.analysis.mixed_lists import refuse_mixed_lists, refuse_mixed_paths
from s2sad.analysis.references import handed_over
from s2sad.analysis.remembered import refuse_remembered
from s2sad.analysis.shapes import Shapes
from s2sad.analysis.shifts import shifts
from s2sad.analysis.views import holds_references
from s2sad.errors import Location
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import (
    UNKNOWN,
    Array,
    Kind,
    List,
    Scalar,
    StructKind,
    Tuple,
    are_asked,
    index_parts,
    rank_of,
)
from s2sad.ir.nodes import (
    LEAF,
    LITERALS,
    Block,
    Call,
    Const,
    DerivativeName,
    Function,
    If,
    Op,
    Param,
    Path,
    Structure,
    Value,
    bar_of,
)
from s2sad.ir.unbound import bind_to_none, unbound_values
from s2sad.ir.walk import clone_function, ops_of, reads_of, substitute_all
from s2sad.rules import registry
from s2sad.rules.application import fits_stretched
from s2sad.rules.containers import READS, moves
from s2sad.rules.structures import put_together, take_item
from s2sad.rules.traits import spelled


def derive_adjoint(
    function: Function, wanted: Request, family: CalleeDerivatives, name: str, protect: bool = True, seeded: bool = True
) -> Function:
    """``f_adjoint(x, ..., out_bar)`` → (what f returns, adjoints of the wanted parameters).

    ``seeded=False``: without the parameters ``out_bar``, whose value is 1.
    """
    copy, _, _ = clone_function(function)
    family.at_calls.settle(function, copy)
    write_out_shared(copy)
    take_apart(copy, family.flat)
    settle_values(copy)
    untold = {*filter(_uncertain, copy.body.yields)}  # to whoever gives a seed
    tell_beside_none(copy)
    steps = outline_steps(copy)
    copies = protect_parameters(copy) if protect else {}
    aliases = Aliases(copy, split=True)
    guard_calls(copy, aliases)
    saved = save_written(copy, aliases, steps, family)
    if buffer_numbers(copy, aliases) or any(saved.values()):
        aliases = Aliases(copy, split=True)
    inputs = [parameter(copy, n) for n in wanted.inputs]
    outputs = outputs_of(copy, wanted, copies)
    shared = [parameter(copy, n) for n in wanted.shared]
    useful = [*outputs, *(v for v in shared if aliases.mutable(v) or isinstance(v.kind, List))]
    activity = Activity(copy, aliases, inputs, useful, inert=shifts(copy, aliases))
    if family.expects and expect_numbers(copy, activity):
        aliases = Aliases(copy, split=True)
        activity = Activity(copy, aliases, inputs, useful, inert=shifts(copy, aliases))
    told = expect_sizes(copy, activity) if family.expects else {}
    if family.expects and looks(copy):
        aliases = Aliases(copy, split=True)
        activity = Activity(copy, aliases, inputs, useful, inert=shifts(copy, aliases))
    refuse_hidden(activity)
    refuse_remembered(activity)
    refuse_mixed_lists(activity)
    refuse_mixed_paths(activity)
    guard_stores(copy, activity)
    if protect:
        refuse_sequences(copy, copies)
    shadows = ShadowPass(copy, aliases, activity)
    shadow_of = shadows.run()
    if shadow_of or shadows.before:
        aliases = Aliases(copy, split=True)
    restored = copy.values if wanted.restores else []
    sweep = Adjoint(copy, aliases, activity, shadow_of, shadows.replaced, shadows.before, family, not protect, restored)
    sweep.saved, sweep.looked, sweep.filling = saved, told, _filling(copy, aliases)
    bars = [Value(v.kind, fresh_name(DerivativeName(f"{v.name}_bar"), [p.name for p in copy.params])) for v in shared]
    for value, bar in zip(shared, bars, strict=True):
        sweep.share(value, bar, _where(copy))
    seeds = (
        [Value(_seed_kind(v), _seed_name(k, outputs, wanted)) for k, v in enumerate(outputs)]
        if seeded
        else []
    )
    for seed in seeds:
        taken = [p.name for p in copy.params] + [bar.name or "" for bar in bars]  # a shadow of a parameter called out, too
        seed.name = fresh_name(seed.name or DerivativeName("out_bar"), taken)
    given: list[Value] = list(seeds) or [Const(1.0) for _ in outputs]
    returned_before = set[Value]()  # what is returned twice has one shadow
    numbers = all(rank_of(v.kind) == 0 or (_uncertain(v) and len(outputs) == 1) for v in outputs)
    for value, seed in zip(outputs, given, strict=True):
        if not protect and isinstance(value.kind, List) and value not in sweep.shadow_of and value not in returned_before:
            sweep.share(value, seed, _where(copy))  # the caller's shadow: what the list itself holds by now, nobody knows
            returned_before.add(value)
            continue
        sweep.accumulate(value, _checked(sweep, seed, value) if protect and not (_fits(value) and value not in untold) else seed)
    sweep.reverse(copy.body)
    sweep.hand_back()
    sweep.check_settled()
    gradients = [_gradient(sweep, v) for v in inputs if v not in shared]
    if shared and not gradients:
        gradients = [Const(None)]
    forward = sweep.forward.function
    reverse = sweep.builder.block
    sweep.forward.scopes.pop().finish(reverse)
    begin = sweep.forward.entry.block.ops
    returned = _kept_results(sweep, copy)
    _bind_unbound(sweep, [*begin, *forward.body.ops], reverse, cut=not protect)
    cut = len(begin) + len(forward.body.ops)
    body = Block([], [*begin, *forward.body.ops, *reverse.ops])
    body.yields = [*returned, *gradients]
    params = [replace(p, default=None) for p in forward.params if not p.keyword_only]
    defaults = [p.default for p in forward.params if not p.keyword_only]
    if numbers:
        params = [replace(p, default=d) for p, d in zip(params, defaults, strict=True)]
    results = [sweep.forward.table.get(v, v) if _fits(v) and v not in untold else None for v in outputs]
    params += [Param(s, Const(1.0) if numbers else None, of=v) for s, v in zip(seeds, results, strict=bool(seeds))]
    params += [Param(bar) for bar in bars]
    params += [p for p in forward.params if p.keyword_only]
    if protect:
        _settle_sharing(family)
        check_given(body, [sweep.forward.table.get(v, v) for v in inputs if activity.active(v)])
    shape = LEAF if len(gradients) == 1 else Structure("tuple", (LEAF,) * len(gradients))
    returns = Structure("tuple", (function.returns, shape))
    return replace(forward, name=name, params=params, body=body, returns=returns, reverse_at=cut)


def _filling(function: Function, aliases: Aliases) -> set[Op]:
    """The stores of arrays by arrays that stretch nothing: by the same mask as what is stored, say."""
    stores = [op for op in ops_of(function.body) if isinstance(op, Call) and op.target in STORES and _may_stretch(op)]
    axes = Shapes(function, aliases.mutable).axes if stores else None
    return {op for op in stores if axes is not None and axes.fills(op)}


def _may_stretch(op: Call) -> bool:
    """Test for a store of an array into places of which kinds do not tell how many they are."""
    gathers = any(isinstance(part, Array) for part in index_parts(op.args[1].kind))
    return gathers and isinstance(op.args[0].kind, Array) and isinstance(op.args[2].kind, Array) and bool(op.args[2].kind.shape)


def _where(function: Function) -> Location | None:
    """The first statement of a function."""
    return next((op.loc for op in function.body.ops if op.loc is not None), None)


def _bind_unbound(sweep: Adjoint, forward: list[Op], reverse: Block, cut: bool) -> None:
    """Bind to None what a path leaves unbound, where the reverse sweep or a tape mentions it on that path; where the sweeps
    are cut apart, all that the reverse sweep mentions."""
    loose = unbound_values(sweep.forward.function)
    if not loose:
        return
    primal = set(sweep.forward.clones.values())
    mentioned = {v for op in ops_of(Block([], forward)) if op not in primal for v in op.operands()}
    mentioned |= {v for op in reverse.ops for v in reads_of(op)} if cut else read_unbound(sweep.forward.function, reverse, loose)
    bind_to_none(sweep.forward.function.body, mentioned & loose)


def _kept_results(sweep: Adjoint, primal: Function) -> list[Value]:
    """The results of the primal, as the forward sweep leaves them: copied where the reverse sweep restores into them."""
    end = Builder(sweep.forward.function.body, registry.infer)
    kept: list[Value] = []
    for value in primal.body.yields:
        result = sweep.forward.table.get(value, value)
        origins = sweep.aliases.origins(value)
        if any(sweep.in_memory(v) and not sweep.recording.keeps(v) for v in origins):
            target = spelled("copies") if isinstance(value.kind, Array) else "s2sad.runtime.copy_of"
            copied = end.call(target, result, name=value.name)
            copied.kind = value.kind
            result = copied
        kept.append(result)
    return kept


def _uncertain(value: Value) -> bool:
    """Test for what only running the program tells to be a number."""
    return value.kind == UNKNOWN or (isinstance(value.kind, Array) and value.kind.rank is None)


def _fits(value: Value) -> bool:
    """Certainty that the seed of this has its shape: that is asked for before the program begins."""
    return not _uncertain(value) and (not isinstance(value.kind, Array) or are_asked(value.kind.shape or ()))


def _checked(sweep: Adjoint, seed: Value, value: Value) -> Value:
    return sweep.builder.call("s2sad.runtime.seed", seed, sweep.primal(value), name=seed.name)


def _seed_kind(value: Value) -> Kind:
    kind = value.kind
    if isinstance(kind, Array) and kind.shape == ():  # also of an array without axes, a number will do
        return Scalar(kind.dtype or "float64")
    if not isinstance(kind, Scalar) or kind.types is None:
        return kind
    return Scalar(types=frozenset((dtype, True) for dtype, _ in kind.types), size=kind.size)


def _seed_name(k: int, outputs: list[Value], wanted: Request) -> str:
    if wanted.of is not None:
        return DerivativeName(f"{wanted.of}_bar")
    return DerivativeName("out_bar" if len(outputs) == 1 else f"out{k}_bar")


def _gradient(sweep: Adjoint, value: Value) -> Value:
    """The adjoint of a parameter, of its structure."""
    if value.kind.fixed:
        return _structured(sweep, value, sweep.primal(value))
    found = sweep.take(value)
    if found is None:
        return zero_of(sweep.builder, value, sweep.primal(value), bar_of(value.name))
    if (
        not isinstance(value.kind, Scalar | List)
        and not fits_stretched(found.kind, value.kind)
        and value not in sweep.shadows
    ):
        found = sweep.builder.call("s2sad.runtime.unbroadcast", found, sweep.primal(value))
    number = isinstance(value.kind, Scalar) and value.kind.weak and value.kind.widest == "float64"
    if number and sweep.narrow:
        found = sweep.builder.call("builtins.float", found, name=bar_of(value.name))
    return found


def _structured(sweep: Adjoint, value: Value, primal: Value) -> Value:
    """A tuple, dict or object of the adjoints of the items."""
    assert isinstance(value.kind, Tuple | StructKind)
    parts = sweep.take_parts(value)
    items: list[Value] = []
    for key, kind in zip(value.kind.keys, value.kind.inner, strict=True):
        inner = _item_of(sweep, value, key)
        if key in parts:
            items.append(parts[key])
        elif inner is not None and kind.fixed:
            items.append(_structured(sweep, inner, sweep.primal(inner)))
        else:
            item = take_item(sweep.builder, primal, key)
            items.append(sweep.builder.call("s2sad.runtime.zeros", item))
    return put_together(sweep.builder, value.kind, primal, items, bar_of(value.name))


def _item_of(sweep: Adjoint, value: Value, key: object) -> Value | None:
    """The value that took an item out of a tuple parameter."""
    for op, move in moves(sweep.forward.primal, READS):
        place = move.at(op)
        if op.args[0] is value and isinstance(place, Const) and place.payload == key:
            return op.result
    return None


# --- callees


def _settle_sharing(family: CalleeDerivatives) -> None:
    """Say what reverse parts are given that may be the same memory by what the forward parts do, all of which are known now:
    while a recursive function is derived, its tape may hold anything."""
    for (callee, wanted), pair in family.pairs.items():
        if pair.reverse is None:
            continue
        function, reverse = family.callees[callee], pair.reverse
        names = [function.params[k].name for k in handed_over(function, wanted.shared)]
        given = {p.name: p.value for p in pair.forward.params}
        first = len(reverse.params) - len(names)
        parts: list[tuple[Path, Value]] = [((0,), pair.forward.body.yields[-1])]
        parts += [((first + k,), given[name]) for k, name in enumerate(names)]
        shared = facts(pair.forward).sharing(parts)
        if shared != reverse.sharing:
            reverse.sharing = shared
            family.changed()


def derive_callee_pair(
    function: Function, wanted: Request, family: CalleeDerivatives, pair: Pair, optimise: Callable[[Function], None] | None = None
) -> None:
    """Fill the forward and reverse function of a callee; ``optimise``: what is done to both as one, before they are cut apart."""
    assert pair.reverse is not None
    whole = derive_adjoint(function, wanted, family, function.name, protect=False)
    own = family.recurs(function) and not family.compiled
    if own:
        make_again(whole, function.returns.leaves())
    if optimise is not None:
        optimise(whole)
    buffers = [function.params[k].name for k in handed_over(function, wanted.shared)]
    split(whole, function, pair.forward, pair.reverse, buffers, own)
    pair.forward.writes = pair.reverse.writes = None  # now to be seen


def derive_callee_adjoint(function: Function, wanted: Request, family: CalleeDerivatives, pair: Pair) -> None:
    """Fill the adjoint function of one that is handed over, and called with seeds at once."""
    derived = derive_adjoint(function, wanted, family, pair.forward.name, protect=False)
    pair.forward.become(derived)


def derive_recomputing(
    function: Function, wanted: Request, family: CalleeDerivatives, pair: Pair, optimise: Callable[[Function], None]
) -> None:
    """Fill the adjoint function of one whose calls are computed again: it gives the adjoints alone, and takes what they read.

    The call in the forward sweep has raised what it may raise.
    """
    function, _, _ = clone_function(function)
    leave_out_failures(function.body)
    derive_callee_adjoint(function, wanted, family, pair)
    main, count = pair.forward, function.returns.leaves()
    main.body.yields, main.reverse_at = main.body.yields[count:], None
    main.returns = main.returns.items[1]
    unmark([main])
    optimise(main)
    if not function.checkpointed:  # and so not recursive: nobody calls it yet
        read = {v for op in ops_of(main.body) for v in reads_of(op)} | {*main.body.yields}
        given = {p.name for p in function.params}
        main.params = [p for p in main.params if p.value in read or p.name not in given]


def _own_tapes(forward: list[Op], reverse: Block, table: Mapping[Value, Value]) -> list[Op]:
    """Copies of the tapes from which a reverse part pops: it writes into no part of its tape, so that it can be differentiated
    where it calls itself. ``table``: what crosses, by what it is in the forward part."""
    others = {v for op in ops_of(Block([], forward)) if not _is_call(op, "list.append") for v in op.operands()}
    others |= {op.args[1] for op in ops_of(Block([], forward)) if _is_call(op, "list.append") and isinstance(op, Call)}
    made = {op.result for op in forward if _is_call(op, "builtins.list") and not op.operands()} - others
    popped = {op.args[0] for op in ops_of(reverse) if isinstance(op, Call) and op.target == "list.pop"}
    own = {taped: Value(taped.kind, taped.name) for v, taped in table.items() if v in made and taped in popped}
    substitute_all(reverse, dict(own))
    return [Call(target="operator.getitem", args=[taped, Const(slice(None))], results=[copy]) for taped, copy in own.items()]


def _copy_buffers(taped: Iterable[Value], reverse: Block) -> None:
    """Give a reverse part copies of arrays of its tape, made in the branch that uses them: on other paths they may be None."""
    for value in taped:
        block = _branch_of(reverse, value)
        copied = Value(value.kind)  # by another name, which does not leave the branch
        substitute_all(block, {value: copied})
        block.ops.insert(0, Call(target=spelled("copies"), args=[value], results=[copied]))


def _branch_of(block: Block, value: Value) -> Block:
    """The innermost block, of branches alone, in which all that mentions a value is."""
    users = [op for op in block.ops if value in reads_of(op)]
    if len(users) != 1 or not isinstance(users[0], If) or users[0].cond is value or value in block.yields:
        return block
    arms = [arm for arm in users[0].blocks() if value in arm.yields or any(value in reads_of(op) for op in arm.ops)]
    return _branch_of(arms[0], value) if len(arms) == 1 else block


def _own_buffers(whole: Function, tape: Sequence[Value]) -> set[Value]:
    """The arrays of a tape that the reverse part writes into, each of which is memory that nothing else that crosses shares."""
    assert whole.reverse_at is not None
    aliases = Aliases(whole)
    written = {node for op in ops_of(Block([], whole.body.ops[whole.reverse_at :])) for node in aliases.own_writes(op)}
    reached = [node for v in (*tape, *whole.values) if holds_references(v) for node in aliases.reach(aliases.node(v))]
    return {v for v in tape if isinstance(v.kind, Array) and aliases.node(v) in written and reached.count(aliases.node(v)) == 1}


def _is_call(op: Op, target: str) -> bool:
    return isinstance(op, Call) and op.callee is None and op.target == target


def split(
    whole: Function, primal: Function, forward: Function, reverse: Function, buffers: Sequence[str] = (), own: bool = False
) -> None:
    """Cut an adjoint program where its reverse sweep begins; what crosses is the tape, but for the parameters ``buffers``.

    ``own``: the reverse part pops from copies.
    """
    assert whole.reverse_at is not None
    count = primal.returns.leaves()
    first, second = whole.body.ops[: whole.reverse_at], whole.body.ops[whole.reverse_at :]
    params = [p for p in whole.params if any(p.name == q.name for q in primal.params)]
    seeds = [p.value for p in whole.params if p not in params]
    made = {v for op in first for v in op.results} | {p.value for p in params}
    gradients = whole.body.yields[count:]
    handed_over: dict[Value, None] = {}
    for value in [*(v for op in second for v in reads_of(op)), *gradients]:
        if value in made and not isinstance(value, LITERALS):
            handed_over[value] = None
    handed = [p.value for name in buffers for p in params if p.name == name]
    tape = [v for v in handed_over if v not in handed]
    bind_to_none(whole.body, unbound_values(whole) & {*tape})
    aliases = Aliases(whole)
    buffered = _own_buffers(whole, tape) if own else set()
    forward.sharing = whole.sharing
    packs = len(tape) != 1
    parts: list[tuple[Path, Value]] = [((0, k) if packs else (0,), value) for k, value in enumerate(tape)]
    parts += [((1 + len(seeds) + k,), value) for k, value in enumerate(handed)]
    reverse.sharing = aliases.sharing(parts)
    forward.params = params
    forward.body = Block([], first, [])
    packed = (
        tape[0] if len(tape) == 1 else Builder(forward.body, registry.infer).call("builtins.tuple", *tape)
    )
    forward.body.yields = [*whole.body.yields[:count], packed]
    forward.returns = Structure("tuple", (primal.returns, LEAF))
    forward.doc, forward.file, forward.comments = primal.doc, primal.file, primal.comments
    forward.reverse_at = None
    table: dict[Value, Value] = {}
    meant = {op.result: op.args[0].name for op in first if isinstance(op, Call) and op.target == "s2sad.runtime.stand_in"}
    for value in [*tape, *handed]:
        table[value] = Value(value.kind, meant.get(value, value.name))
    held = Value(packed.kind, "tape")
    if len(tape) == 1:
        table[tape[0]] = held
        held.kind, held.name = tape[0].kind, tape[0].name
    held.name = fresh_name(held.name or "tape", [s.name or "" for s in seeds])
    unpack: list[Op] = []
    if len(tape) > 1:
        unpack = [Call(target="s2sad.unpack", args=[held], results=[table[v] for v in tape])]
    body = Block([], second, list(gradients))
    substitute_all(body, dict(table))
    if own:
        unpack += _own_tapes(whole.body.ops[: whole.reverse_at], body, table)
        _copy_buffers([table[v] for v in buffered], body)
    body.ops[:0] = unpack
    reverse.params = [Param(held), *(Param(s) for s in seeds), *(Param(table[v]) for v in handed)]
    reverse.body, reverse.handed = body, len(handed)
    reverse.returns = LEAF if len(gradients) == 1 else Structure("tuple", (LEAF,) * len(gradients))
    reverse.file = primal.file
