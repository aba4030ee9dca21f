"""THE ordered list of stages, from source to the text of a derivative module.

    source → normal form → SSA            frontend
           → activity, alias, recorded    analysis
           → tangent | adjoint            ad
           → optimised                    optimize
           → text                         emit
"""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from s2sad.ad.expected import expects_of, looks, may_run_twice
from s2sad.ad.pairs import derive_adjoint, derive_callee_adjoint, derive_callee_pair, derive_recomputing
from s2sad.ad.protect import protect_parameters
from s2sad.ad.request import CalleeDerivatives, Pair, Request, fresh_name, parameter
from s2sad.ad.tangent import derive_callee_tangent, derive_tangent
from s2sad.ad.unbound import bind_passed_on, bind_results
from s2sad.analysis.acting import changes, does_more, written_apart
from s2sad.analysis.alias import Aliases, returns_parameters, writes_parameters, written_names
from s2sad.analysis.at_calls import AtCalls
from s2sad.analysis.attempts import is_attempt, settle_attempts
from s2sad.analysis.checks import leave_unmarked, mark_checks, unmark
from s2sad.analysis.editions import Settled, in_turn, settled
from s2sad.analysis.endless import has_infinities
from s2sad.analysis.identity import refuse_made_anew
from s2sad.analysis.items import settle_items
from s2sad.analysis.iterating import outdated
from s2sad.analysis.outside import check_outside, drop_unread, writes_items
from s2sad.analysis.read_only import check_read_only
from s2sad.analysis.rebinding import accept_rebinding, check_rebinding, guard_rebinding
from s2sad.analysis.references import is_recursive, obstacle, unsaved
from s2sad.analysis.remembered import note_remembered
from s2sad.analysis.repeatable import check_repeatable
from s2sad.analysis.shapes import drop_stretches
from s2sad.analysis.spoiled import refuse_spoiled
from s2sad.analysis.views import holds_references
from s2sad.directions.lifting import Unstated
from s2sad.directions.samples import check as check_samples
from s2sad.directions.samples import many
from s2sad.directions.statements import lifts
from s2sad.emit.module import emitted
from s2sad.errors import ActivityError, AliasError, CompilerError, S2sadError
from s2sad.frontend import originals
from s2sad.frontend.entities import Static
from s2sad.frontend.fence import KnownFailure
from s2sad.frontend.files import StaticScope
from s2sad.frontend.kept import Keeping
from s2sad.frontend.lower.callees import may_be_none
from s2sad.frontend.lower.functions import shared_defaults
from s2sad.frontend.lower.keeping import check_kept
from s2sad.frontend.lower.language import lower_function
from s2sad.frontend.lower.lists import SHARED
from s2sad.frontend.lower.outside import check_unread
from s2sad.frontend.lower.state import Findings, Place, Program
from s2sad.frontend.observe import VALUES
from s2sad.frontend.resolve import Scope
from s2sad.frontend.source import Source
from s2sad.ir.again import Again
from s2sad.ir.builder import Builder
from s2sad.ir.code import identifier
from s2sad.ir.depth import check_levels, with_room
from s2sad.ir.kinds import BOOL, NONE, STR, Array, Condition, Kind, Scalar
from s2sad.ir.nodes import (
    EXPECTED,
    LEAF,
    OTHERWISE,
    Block,
    Call,
    Const,
    Function,
    FunctionRef,
    Global,
    Made,
    Value,
)
from s2sad.ir.printer import print_function
from s2sad.ir.size_names import Told
from s2sad.ir.verifier import verify
from s2sad.ir.walk import clone_function, ops_of, program_of
from s2sad.loops import fusion, spaces, tapes
from s2sad.loops.independent import spread
from s2sad.loops.lowering import as_loops
from s2sad.loops.refusal import NotCompiled, not_compiled, refuse
from s2sad.optimize import (
    accumulation,
    ahead,
    algebra,
    dead_code,
    donors,
    handed,
    hooks,
    optimise,
    recall,
    tidy,
    unread,
)
from s2sad.optimize.memory_effects import Memory
from s2sad.optimize.results import own_results
from s2sad.optimize.silent import silence, tells
from s2sad.options import Machine
from s2sad.patterns.statements import patterns
from s2sad.patterns.varied import varied, varied_parameters
from s2sad.rules import registry
from s2sad.rules.singular import has_steep
from s2sad.rules.traits import spelled
from s2sad.storage import first_stores, in_place, item_sums, together


@dataclass
class Result:
    """A derivative module: its text, the name of its main function, and the stages that led to it."""

    name: str
    text: str
    functions: list[Function]
    injected: dict[str, Any] = field(default_factory=dict)  # what the loader binds, by the names in the module
    spelled: dict[str, str] = field(default_factory=dict)  # the same, of what is known by its spelling alone
    library: list[str] = field(default_factory=list)  # what it mentions of imported modules
    outside: tuple[Any, ...] = ()  # the objects outside that it writes into
    results: Any = 0  # where the seeds of its result go (``seeds.Places``)
    expects: bool = False  # whether it looks at shapes as it runs, and raises Stretched where they are not equal
    changes: bool = False  # whether the function changes what its first argument holds, or what another one does
    tells: bool = False  # whether the function prints, logs or warns
    replays: bool = False  # whether a call of the function comes first, and leaves outside what is left there
    spares: bool = False  # whether arrays among its arguments, its object apart, stay as they are in a call
    conditions: tuple[Condition, ...] = ()  # of the sizes of arguments, under which it may be used


def acts(function: Function, program: Program, first: str, silent: bool) -> tuple[bool, bool, frozenset[str]]:
    """Three answers: a function changes what its first parameter holds; it prints or logs; the parameters into whose memory it
    writes. ``silent``: it no longer prints."""
    functions = program_of(function)
    told = tells(functions)
    if silent:
        silence(functions)
    written = written_names(function)
    return program.assigned or first in written, told, written


def must_inline(function: Function) -> bool:
    """Test for a callee that shares memory with its caller, so that it must be lowered at the place of the call."""
    with settled([function]):
        return writes_parameters(function) or returns_parameters(function)


@with_room
def lower(
    source: Source, scope: Scope, kinds: Mapping[str, Any], live: Any = None, free: Mapping[str, Kind] = {}, kept: str = "",
    replayable: bool = False, exported: bool = False,
) -> tuple[Function, Program]:
    """Source → SSA; again where it turns out that loops run over what changes on the way, or that objects outside are written.

    ``kept``: a cache keeps its results, by TYPES or VALUES; ``replayable``: the function itself may be called before;
    ``exported``: the program is for a module.
    """
    originals.check()
    findings = Findings()
    while True:
        try:
            return _lower(source, scope, kinds, live, free, kept, replayable, exported, findings)
        except KnownFailure as failure:
            raise failure.refused() from None
        except Again as signal:
            for root in signal.more.get("outside", ()):
                if any(known.payload is root.payload for known in findings.outside):
                    raise AliasError(
                        f"{root.path} holds an object that the program writes into, and is not followed there",
                        why=f"its fields are not looked at: it is a {type(root.payload).__name__}",
                        instead="the object itself, as an argument or a name of its own",
                    ) from None
            findings = findings.joined(signal.more)


def hold_sizes(function: Function, sizes: Mapping[str, tuple[Any, ...]]) -> None:
    """Check at entry that the arguments have the sizes that the program was made for: its text may be called by anybody."""
    guard = Block()
    builder = Builder(guard, registry.infer)
    for value in function.values:
        if any(sizes.get(value.name or "", ())):
            builder.call("s2sad.runtime.assert_sizes", Const(value.name), Const(sizes[value.name or ""]), value)
    function.body.ops[:0] = guard.ops


def _lower(
    source: Source, scope: Scope, kinds: Mapping[str, Any], live: Any, free: Mapping[str, Kind], kept: str, replayable: bool,
    exported: bool, findings: Findings,
) -> tuple[Function, Program]:
    program = Program(
        from_files=isinstance(scope, StaticScope),
        inline=must_inline,
        writes=writes_parameters,
        written=written_apart,
        writes_items=writes_items,
        changes=changes,
        acts=does_more,
        obstacle=obstacle,
        unsaved=unsaved,
        repeatable=check_repeatable,
        gradient=gradient_program,
        replayable=replayable,
        exported=exported,
        keeping=Keeping(source.name, lasting=True, types=kept == VALUES, zeros=True) if kept else None,
        **vars(findings),
    )
    program.settle = lambda inner: settle_items(program_of(inner))
    program.derive = functools.partial(derivative_program, program)
    name = program.unique(source.name if live is None else identifier(live.__name__))  # a wrapper has that of what it wraps
    try:
        function, _ = lower_function(program, source, scope, dict(kinds), name, live, free, whole=True)
    except KnownFailure as failure:
        raise failure.refused() from None
    if program.keeping is not None:
        check_kept(program.keeping, function, live)
    functions = program_of(function)
    _name_as_wished(functions, program.wished)
    _settle(functions, program)
    _check_defaults(function, live)
    for lowered in in_turn(functions):
        if findings.outside or findings.attributes:
            drop_unread(lowered)
        hooks.settle(lowered)
        tidy(lowered)
        bind_passed_on(lowered)
        checkpoint(lowered, "ssa")
    return function, program


def _settle(functions: list[Function], program: Program) -> None:
    """The last questions to functions before anything is derived of them, in the program or of it; the primal is the last one."""
    refuse_spoiled(functions)
    note_remembered(functions)
    settle_items(functions)
    settle_attempts(functions)
    mark_checks(functions)
    _check_lengths(functions, program)
    check_unread(program, functions)
    _check_renewed(program, functions[-1])
    refuse_made_anew(functions)
    through = hooks.hooks_of(functions)
    followed = {id(root.payload) for root in program.outside} if program.replayed else set()
    for lowered in in_turn(functions):
        check_rebinding(lowered, lowered is not functions[-1], program.apart)
        if lowered not in through:
            check_outside(lowered, functools.partial(_met, program), followed)
        check_read_only(lowered)
        if may_be_none(lowered.returns):
            bind_results(lowered)
    guard_rebinding(functions[-1])


def _check_renewed(program: Program, function: Function) -> None:
    """Refuse what writes into arrays of a list that a derivative in the program has written again: they have other names."""
    if any(writes_items(function, items) for items in program.renewed):
        raise AliasError(
            f"{function.title} writes into an array of a list that a function changes whose derivative it takes",
            why="which other names the array has is not followed", instead="a copy of the array, or the list as an argument",
        )  # fmt: skip


def _met(program: Program, root: Global) -> None:
    """A store into what is outside: a call of the function comes first, and the program stores into copies of it."""
    program.after_a_call()
    known = program.replayed and root.resolved and not program.from_files
    if known and not any(root.payload is r.payload for r in program.outside):
        raise Again(outside=(Static(root.payload, root.path),))


def _check_lengths(functions: list[Function], program: Program) -> None:
    """Raise ``Again`` where a loop relies on a length that may be another one before it ends.

    In what is derived, the loops of the reverse sweep rely on no list any more: they run as often as the others did.
    """
    found: set[Place] = set().union(*map(outdated, functions))
    places = frozenset(found) - program.growing
    if places:
        raise Again(growing=places)
    for op in (op for function in functions for op in ops_of(function.body) if isinstance(op, Call)):
        op.relied = ()


def _check_defaults(function: Function, live: Any) -> None:
    """Refuse a write into a default: the original function keeps it for its next call, and a derivative call does not.

    Of a file, such a default is left out.
    """
    if all(isinstance(param.value.kind, Scalar) for param in function.params):
        return  # nothing can be written into: no need to look at the defaults before each call
    if live is None:
        known = [p for p in function.params if isinstance(p.default, Const)]
        displays = [p for p in known if isinstance(getattr(p.default, "payload", None), list | dict | Made)]
        written = Aliases(function).written_parameters() if displays else ()
        for param in displays:
            param.default = None if function.params.index(param) in written else param.default  # to be passed
        return
    shared = shared_defaults(live)
    written = Aliases(function).written_parameters() if shared else ()
    for name in (function.params[k].name for k in written if function.params[k].name in shared):
        raise AliasError(f"this writes into the default of {name!r}", why=SHARED, instead=f"None as the default, or pass {name}")


def _name_as_wished(functions: list[Function], wished: Mapping[Function, str]) -> None:
    """Functions that are handed over are called what the user calls them, unless another one is."""
    taken = {function.name for function in functions if function not in wished}
    for function in functions:
        if function in wished:
            function.name = fresh_name(wished[function], taken)
            taken.add(function.name)


def _name_apart(functions: list[Function], *asked: Function) -> None:
    """Give functions that were made for different derivatives names of their own; the last one, and these, keep theirs."""
    kept = {functions[-1], *asked}
    taken = {function.name for function in kept}
    for function in (f for f in functions if f not in kept):
        stem, mark, kind = function.name.rpartition("_")
        split = mark and kind in ("forward", "reverse", "tangent", "adjoint")
        count, name = 0, function.name
        while name in taken:
            count += 1
            name = f"{stem}_{count}_{kind}" if split else f"{function.name}_{count}"
        function.name = name
        taken.add(name)


def derivative_program(
    program: Program, inner: Function, own: frozenset[int], mode: str, inputs: tuple[str, ...], outputs: tuple[int, ...],
    of: str | None, seeded: bool,
) -> Function:  # fmt: skip
    """The derivative of a function that a program calls, to be written out in the program, which may be differentiated itself.

    ``own``: which of its parameters are arguments, that are copied where they are written; the others it may not write into.
    ``mode``: "tangent", "adjoint" (``seeded``: its seeds are parameters), or "primal", which only leaves its parameters as they
    are, and returns none of their memory. Derivatives are memory of their own; values share what the function's results share.
    """
    _settle(program_of(inner), program)
    hooks.settle(inner)
    tidy(inner)
    for k in Aliases(inner, split=True).written_parameters():
        if k not in own:
            raise AliasError(
                f"{inner.title} writes into {inner.params[k].name}, which is not an argument of it",
                why="a derivative call leaves the memory outside as it is", instead="copy it first, or pass it as an argument",
            )  # fmt: skip
    wanted, name = Request(inputs, outputs, of), program.unique(f"{inner.name}_{mode}")
    if mode == "tangent":
        with settled() as made:
            main = derive_tangent(inner, wanted, _family(inner, _callee_tangent, made), name)
    elif mode == "adjoint":
        with settled() as made:
            main = derive_adjoint(inner, wanted, _family(inner, _callee_pair, made), name, seeded=seeded)
    else:
        main, _, _ = clone_function(inner)
        copies = protect_parameters(main)
        if of is not None:
            main.body.yields, main.returns = [copies.get(of) or parameter(main, of)], LEAF
    refine(main)
    if mode == "primal":
        _let_go(main)
    else:
        own_results(main, main.returns.items[0].leaves())
    leave_unmarked(program_of(main))
    for derived in program_of(main):
        accept_rebinding(derived)
    return main


def _family(function: Function, derive: Callable[..., None], made: Settled, **how: Any) -> CalleeDerivatives:
    """The derivatives of what a function calls: neither that nor those that are ``made`` change before all are."""
    functions = program_of(function)
    made.add(functions)
    deep = {inner for f in functions if is_recursive(f) for inner in program_of(f)}
    return CalleeDerivatives(
        derive, steep=has_steep(functions), infinite=has_infinities(functions), recursive=frozenset(deep), settled=made,
        at_calls=AtCalls(functions, deep), **how,
    )  # fmt: skip


def _let_go(function: Function) -> None:
    """Copy what a function returns of its parameters' memory."""
    aliases = Aliases(function)
    given = {node for p in function.values if holds_references(p) for node in aliases.reach(aliases.node(p))}
    end = Builder(function.body, registry.infer)
    for k, value in enumerate(function.body.yields):
        if isinstance(value.kind, Array) and aliases.reach(aliases.node(value)) & given:
            copied = end.call(spelled("copies"), value, name=value.name)
            copied.kind = value.kind
            function.body.yields[k] = copied


def gradient_program(function: Function, name: str) -> Function:
    """The gradient of a function of one number with respect to its first parameter, as a function of the same parameters.

    It is differentiated in turn where a minimum is: there it is zero.
    """
    copy, _, _ = clone_function(function)
    settle_items(program_of(copy))
    settle_attempts(program_of(copy))
    tidy(copy)
    wanted = Request((copy.params[0].name,))
    with settled() as made:
        main = derive_adjoint(copy, wanted, _family(copy, _callee_pair, made), name, seeded=False)
    main.body.yields, main.returns, main.reverse_at = main.body.yields[-1:], LEAF, None
    main.doc, main.file = "", function.file
    refine(main)
    leave_unmarked(program_of(main))
    return main


@with_room
def primal(
    function: Function, style: str = "ssa", machine: Machine | None = None, standalone: bool = False
) -> Result:
    """SSA → its own text as Python."""
    functions = program_of(function)
    for each in functions:
        hooks.run(each)
        unread.run(each)
    functions = program_of(function)
    if machine is not None:
        for each in functions:
            refine(each)
        return _result(function, style="compact", machine=machine, unwritten=True)
    module = emitted(functions, style=style, standalone=standalone)
    return Result(function.name, module.text, functions, module.injected, module.spelled, module.library)


@with_room
def differentiate(
    function: Function,
    mode: str,
    wanted: Request,
    style: str = "compact",
    standalone: bool = False,
    homes: Mapping[str, tuple[str, str]] | None = None,
    machine: Machine | None = None,
    expects: bool = False,
) -> Result:
    """SSA → the derivative module. ``mode`` is 'tangent' or 'adjoint', or 'tangents' or 'adjoints' for several directions at
    once; ``homes``: where the user's global names come from; ``expects``: an adjoint may be for arrays of equal shapes, and raise
    Stretched for others, if it may run twice."""
    if mode in ("tangents", "adjoints"):
        try:
            return _derived(function, mode, wanted, style, standalone, homes, machine)
        except Unstated as error:
            single = _derived(function, mode.removesuffix("s"), wanted, style, standalone, homes)
            return one_by_one(single, function, error, wanted.bare)
    if mode in ("pattern", "local_pattern"):
        return pattern(function, mode, wanted, style, standalone)
    if mode == "samples":
        return samples(function, wanted, style, standalone)
    if expects:
        main, looking = expecting(function, mode, wanted, homes)
        main.doc += f"\n\n{expects_of(program_of(main))}" if looking else ""
        return replace(_result(main, style=style, standalone=standalone, homes=homes), expects=looking)
    return _derived(function, mode, wanted, style, standalone, homes, machine)


def expecting(
    function: Function, mode: str, wanted: Request, homes: Mapping[str, tuple[str, str]] | None = None
) -> tuple[Function, bool]:
    """SSA → the derivative program, as SSA; whether it looks at shapes, and raises Stretched where they are not equal."""
    if mode == "adjoint" and not any(is_attempt(op) for f in program_of(function) for op in ops_of(f.body)):
        main = derived(function, mode, wanted, homes, expects=True)
        looking = any(map(looks, program_of(main)))
        if not looking or may_run_twice(main):
            return main, looking
    return derived(function, mode, wanted, homes), False


def pattern(function: Function, mode: str, wanted: Request, style: str, standalone: bool) -> Result:
    """SSA → the module that carries index sets: the tangent program, rewritten. A "local_pattern" follows the point."""
    family = CalleeDerivatives(_callee_tangent, names={function.name})
    tangent = derive_tangent(function, wanted, family, f"{function.name}_tangent")
    given = {p.name for p in function.params}
    seeds = frozenset(k for k, p in enumerate(tangent.params) if p.name not in given)
    derived = list(range(tangent.returns.items[0].leaves(), len(tangent.body.yields)))
    request = patterns()
    if mode == "pattern":
        points = frozenset(k for k, p in enumerate(tangent.params) if p.name in wanted.inputs)
        request.points = varied_parameters(tangent, points)
    try:
        main = request.main(tangent, seeds, derived, f"{function.name}_{mode}")
    except Unstated as error:
        raise ActivityError(
            f"the pattern of {function.name} cannot be found: {error.message}", location=error.location,
            instead="sparse_jacobian(f, pattern), or jacobian(f)",
        ) from error  # fmt: skip
    main.body.yields, main.returns = [main.body.yields[k] for k in derived], tangent.returns.items[1]
    for param in main.params:
        param.default = param.default if param.keyword_only else None
    main.doc = describe(function, "pattern", wanted)
    unmark(program_of(main))
    for each in program_of(main):
        refine(each)
    for each in program_of(main):
        unread.run(each)
    points = frozenset(k for k, p in enumerate(main.params) if p.name in wanted.inputs)
    facts = varied(main, points)
    if mode == "pattern" and any(map(facts.has, main.body.yields)):
        raise ActivityError(
            f"the pattern of {function.name} is another one at another point",
            why="a condition, an index or a size depends on the values", instead="scope='local', for the pattern at this point",
        )  # fmt: skip
    functions = program_of(main)
    _name_apart(functions)
    module = emitted(functions, style=style, standalone=standalone)
    check_levels(module.text)
    return Result(main.name, module.text, functions, module.injected, module.spelled, module.library)


def samples(function: Function, wanted: Request, style: str, standalone: bool) -> Result:
    """SSA → the module of the function of many samples: the parameters ``wanted.inputs`` have one axis more. Raises Unstated."""
    positions = frozenset(k for k, p in enumerate(function.params) if p.name in wanted.inputs)
    for each in program_of(function):
        hooks.run(each)
        tidy(each)
    check_samples(function, positions)
    single, _, _ = clone_function(function)
    protect_parameters(single)
    main = many(single, positions, f"{function.name}_samples")
    for param in main.params:
        param.default = None
    main.doc = describe(function, "samples", wanted)
    for each in program_of(main):
        refine(each)
        unread.run(each)
    checkpoint(main, "samples")
    return _result(main, style=style, standalone=standalone)


def _derived(
    function: Function, mode: str, wanted: Request, style: str, standalone: bool, homes: Mapping[str, tuple[str, str]] | None,
    machine: Machine | None = None,
) -> Result:  # fmt: skip
    main = derived(function, mode, wanted, homes, machine is not None)
    return _result(main, style=style, standalone=standalone, homes=homes, machine=machine)


@with_room
def derived(
    function: Function, mode: str, wanted: Request, homes: Mapping[str, tuple[str, str]] | None = None, compiled: bool = False,
    expects: bool = False,
) -> Function:  # fmt: skip
    """SSA → the derivative program, as SSA."""
    main = _derivation(function, mode, wanted, compiled=compiled, expects=expects)
    if homes is not None:
        _keep_defaults(main, function, wanted.inputs if mode == "tangent" else ())
    if mode in ("tangents", "adjoints"):
        main = lift(main, function)
        if wanted.bare:
            values = main.returns.items[0].leaves()
            main.body.yields, main.returns, main.reverse_at = main.body.yields[values:], main.returns.items[1], None
    checkpoint(main, mode)
    refine(main)
    main.doc = describe(function, mode, wanted)
    if wanted.outputs or wanted.of is not None:
        bare = wanted.bare and mode in ("tangents", "adjoints")
        own_results(main, 0 if bare else main.returns.items[0].leaves())
    handed.run(program_of(main))
    for each in program_of(main):
        unread.run(each)
    return main


def _keep_defaults(main: Function, function: Function, directions: Sequence[str]) -> None:
    """The defaults of a function of a file stay in its derivative: what has none, and stands behind them, is given by name.

    The tangents of the parameters ``directions``, which follow the function's own, are zero where these are numbers by default.
    In front of a parameter whose default is not known, and which has to be given by its position, there are none.
    """
    known = {p.name: p.default for p in function.params}
    places = [p.name for p in function.params if not p.keyword_only]
    given = max((k for k, name in enumerate(places) if known[name] is None), default=0)
    known |= dict.fromkeys(places[:given])
    added = [p.name for p in main.params if p.name not in known]
    dots = dict(zip(added, directions, strict=False))
    for dot, name in dots.items():
        if isinstance(default := known[name], Const) and isinstance(default.payload, float | complex):
            known[dot] = Const(0.0)
        elif isinstance(default, Const) and isinstance(default.payload, Made):
            known[dot] = Const(Made("zeros_like", (default.payload,)))
    behind = False
    for p in main.params:
        p.default = known.get(p.name) if p.name in places else known.get(p.name) or p.default
        p.keyword_only |= behind and (p.default is None or p.name in dots)
        behind = behind or p.default is not None
    main.params.sort(key=lambda p: p.keyword_only)


def _derivation(
    function: Function, mode: str, wanted: Request, traced: bool = False, compiled: bool = False, expects: bool = False
) -> Function:
    """The tangent or the adjoint, as it is derived."""
    results = function.body.yields
    backwards = mode in ("adjoint", "adjoints")
    nothing = not wanted.outputs if backwards else bool(results) and all(v.kind in (STR, NONE) for v in results)
    if nothing and wanted.of is None:
        raise ActivityError(
            f"what {function.title} returns carries no derivative",
            why="it is no float, no array of floats, and nothing that holds one", instead="return a float or an array",
        )  # fmt: skip
    with settled() as made:
        if mode in ("tangent", "tangents"):
            family = _family(function, _callee_tangent, made, names={function.name})
            return derive_tangent(function, wanted, family, f"{function.name}_tangent")
        names = {function.name}
        family = _family(function, _callee_pair, made, names=names, traced=traced, compiled=compiled, expects=expects)
        return derive_adjoint(function, wanted, family, f"{function.name}_adjoint")


def _result(main: Function, machine: Machine | None = None, unwritten: bool = False, **how: Any) -> Result:
    """The module of a function and all that it calls: for Numba, or, where that is not possible, for NumPy, which it says.

    ``unwritten``: it is compiled only if it writes into no argument, so that it can run twice.
    """
    functions = program_of(main)
    _name_apart(functions)
    note = ""
    if machine is not None:
        try:
            if unwritten and must_inline(main):
                refuse(f"{main.name} writes into an argument, or returns one")
            return _for_loops(functions, machine, **how)
        except NotCompiled as error:
            note = not_compiled(error)
    _store(functions, how.get("style", "compact"))
    with settled(functions):
        module = emitted(functions, **how)
    check_levels(module.text)
    return Result(main.name, note + module.text, functions, module.injected, module.spelled, module.library)


def _store(functions: list[Function], style: str) -> None:
    """How arrays are kept, in programs that nobody reads operation by operation."""
    for function in in_turn(functions) if style == "compact" else ():
        together.run(function)
        item_sums.run(function)
        first_stores.run(function)
        in_place.run(function)
        checkpoint(function, "stored")


@with_room
def guarded(
    lean: Function, general: Function, told: str, asked: Sequence[str], style: str, standalone: bool,
    homes: Mapping[str, tuple[str, str]],
) -> Result:  # fmt: skip
    """The module of two programs for one request: the first is for arguments as ``told`` of those that are ``asked``, and hands
    others to the second; one that looks at shapes is called by a function that also hands on those for which it gives up.

    def f_adjoint(x, y, out_bar=1.0):
        if not fits("x, y: float64[n]; out_bar: float", x, y, out_bar):
            return f_adjoint_general(x, y, out_bar)
    """
    functions = [*program_of(lean), *program_of(general)]
    names = {function.name for function in functions}
    general.name = fresh_name(f"{lean.name}_general", names)
    first = _expecting(lean, general, fresh_name(f"{lean.name}_lean", names)) if any(map(looks, program_of(lean))) else lean
    _name_apart(functions, lean, first)
    _store(functions, style)
    if told:
        test = Value(BOOL)
        first.body.ops[:0] = [
            Call(target="s2sad.runtime.fits", args=[Const(told), *(parameter(first, name) for name in asked)], results=[test]),
            Call(target=OTHERWISE, args=[test, FunctionRef(general), *first.values], results=[Value(NONE)]),
        ]
        first.reverse_at = None if first.reverse_at is None else first.reverse_at + 2
    first.doc += f"\n\nThe derivative for other arguments: {general.name}."
    functions += [first] * (first is not lean)
    module = emitted(functions, style=style, standalone=standalone, homes=homes, asked=[lean, general])
    check_levels(module.text)
    return Result(first.name, module.text, functions, module.injected, module.spelled, module.library)


def _expecting(lean: Function, general: Function, name: str) -> Function:
    """The function that the user calls, with a program that looks at shapes, which has another ``name``, and the one behind it.

    def f_adjoint(x, y, out_bar=1.0):
        try:
            return f_adjoint_lean(x, y, out_bar)
        except Exception:
            pass  # the other program tells what is right
        return f_adjoint_general(x, y, out_bar)
    """
    params = [replace(p, value=Value(p.value.kind, p.value.name)) for p in lean.params]
    first = Function(lean.name, params, Block(yields=[Const(None)]), LEAF, lean.doc, lean.file)
    given = [FunctionRef(lean), FunctionRef(general), *first.values]
    first.body.ops.append(Call(target=EXPECTED, args=given, results=[Value(NONE)]))
    lean.name, lean.doc = name, expects_of(program_of(lean))
    for p in lean.params:
        p.default = None
    return first


@with_room
def finished(main: Function, style: str, standalone: bool, homes: Mapping[str, tuple[str, str]]) -> Result:
    """The module of one derivative program."""
    return _result(main, style=style, standalone=standalone, homes=homes)


def _for_loops(functions: list[Function], machine: Machine, **how: Any) -> Result:
    loops = as_loops(functions)
    settings = {"fastmath": True} if machine.fastmath else {}
    compiled = {f: settings if result == "" else result for f, result in loops.compiled.items()}
    made: list[Function] = []
    for function in [*loops.compiled, loops.entry]:
        if loops.compiled.get(function) == "":  # and none that Python runs
            spaces.run(function)
            dead_code.run(function, Memory(function))
            fusion.run(function, sums_apart=machine.parallel)
            tapes.run(function)
        dead_code.run(function, Memory(function))
        if machine.parallel:
            threads = spread(function)
            dead_code.run(function, Memory(function))
            compiled.update({loop: {"parallel": True, **settings} for loop in threads})
            made += threads
        checkpoint(function, "loops")
        made.append(function)
    module = emitted(made, **how, compiled=compiled)
    check_levels(module.text)
    return Result(loops.entry.name, module.text, made, module.injected, module.spelled, module.library)


@with_room
def traced(
    function: Function, mode: str, wanted: Request, homes: Mapping[str, tuple[str, str]] | None = None
) -> Result:
    """SSA → a derivative module for an evaluation trace: every operation, every tangent and every adjoint has a name.

    ``mode`` is 'primal', 'tangent' or 'adjoint'. Nothing is merged, and adjoints are not cancelled against each other.
    """
    function, _, _ = clone_function(function)
    for callee in program_of(function):
        _name_all(callee)
    main = function if mode == "primal" else _derivation(function, mode, wanted, traced=True)
    memory = Memory(main)
    hooks.run(main, memory)
    if mode == "tangent":
        algebra.run(main, memory)  # sums of negated terms; in an adjoint it would take signs from the adjoints
    if mode != "primal":
        for run in (dead_code.run, accumulation.run, dead_code.run):
            run(main, memory)
    return _result(main, homes=homes, traced=True)


def _name_all(function: Function) -> None:
    """Name what the user left unnamed: v1, v2, ... in the order of the program."""
    values = [value for op in ops_of(function.body) for value in op.results]
    taken = {value.name for value in [*values, *(p.value for p in function.params)]}
    fresh = (name for k in itertools.count(1) if (name := f"v{k}") not in taken)
    for value in values:
        value.name = value.name or next(fresh)


def lift(main: Function, primal: Function) -> Function:
    """The derivative program for several directions at once: its seeds and its derivatives get one axis more, in front."""
    given = {p.name for p in primal.params}
    seeds = frozenset(k for k, p in enumerate(main.params) if p.name not in given)
    if not seeds:
        raise Unstated("nothing tells the number of directions")
    request = lifts()
    derived = range(main.returns.items[0].leaves(), len(main.body.yields)) if main.returns.kind == "tuple" else range(0)
    for each in program_of(main):
        drop_stretches(each, Aliases(each).mutable)
    lifted = request.main(main, seeds, list(derived), f"{main.name}s")
    for param in lifted.params:
        param.default = param.default if param.keyword_only else None
    for each in program_of(lifted)[:-1]:
        refine(each)
    return lifted


def one_by_one(single: Result, primal: Function, why: S2sadError, bare: bool) -> Result:
    """A derivative module with a function that takes one direction after the other."""
    params, given = single.functions[-1].params, {p.name for p in primal.params}
    plain = [p.name for p in params if not p.keyword_only and p.name in given]
    seeds = [p.name for p in params if p.name not in given]
    named = [p.name for p in params if p.keyword_only]
    head = ", ".join([*plain, *seeds, *(["*", *named] if named else [])])
    arguments, rows = (f"({', '.join(names)}{',' * (len(names) == 1)})" for names in (plain, seeds))
    keywords = "".join(f", {name}={name}" for name in named)
    place = f", line {why.location.line}" if why.location is not None else ""
    text = (
        f"from s2sad.runtime import one_by_one\n{single.text}\n\n"
        f"def {single.name}s({head}):\n"
        f'    """{single.name} along several directions, one a row: one after the other.\n\n'
        f"    Nothing is stated of {why.message}{place}.\n"
        f'    """\n'
        f"    return one_by_one({single.name}, {arguments}, {rows}{keywords}){'[1]' * bare}\n"
    )
    return replace(single, name=f"{single.name}s", text=text)


def refine(function: Function) -> None:
    """Optimise one derivative program."""
    optimise(function)
    checkpoint(function, "optimized")


def _refine_whole(function: Function) -> None:
    """Optimise an adjoint program that is to be cut into a pair."""
    refine(function)
    memory = Memory(function)
    for run in (recall.recompute_across_cut, ahead.across_cut, donors.outline_across_cut):
        memory = Memory(function) if run(function, memory) else memory


def _callee_pair(function: Function, wanted: Request, family: CalleeDerivatives, pair: Pair) -> None:
    if function.checkpointed or (pair.reverse is None and not wanted.whole):
        derive_recomputing(function, wanted, family, pair, refine)
        return
    if wanted.whole:
        derive_callee_adjoint(function, wanted, family, pair)
        refine(pair.forward)
        return
    derive_callee_pair(function, wanted, family, pair, _refine_whole)
    assert pair.reverse is not None
    for half in (pair.forward, pair.reverse):
        refine(half)


def _callee_tangent(function: Function, wanted: Request, family: CalleeDerivatives, pair: Pair) -> None:
    derive_callee_tangent(function, wanted, family, pair)
    refine(pair.forward)


def describe(function: Function, mode: str, wanted: Request) -> str:
    """The docstring of a derivative function."""
    inputs = ", ".join(wanted.inputs)
    what = f"the final contents of {wanted.of}" if wanted.of else f"what {function.name} returns"
    told = Told(p.name for p in function.params)
    shapes = "; ".join([*(f"{p.name}: {told.kind(p.value.kind)}" for p in function.params), *told.reader.conditions()])
    if mode == "samples":
        return f"{function.name} of many samples: {inputs} and all results have one axis more, in front.\n\n{shapes}"
    if mode.endswith("pattern"):
        return f"Index sets of {function.name}: the numbers of {inputs} on which each number of {what} depends.\n\n{shapes}"
    kind = "Tangent (pushforward)" if mode.startswith("tangent") else "Adjoint (pullback)"
    if mode.endswith("s"):
        kind = f"{kind.replace(' (', 's (')} along several directions, one a row"
    return f"{kind} of {function.name}: the derivative of {what} with respect to {inputs}.\n\n{shapes}"


def checkpoint(function: Function, stage: str) -> None:
    """Verify and dump a stage where the environment asks for it."""
    if os.environ.get("S2SAD_VERIFY") == "1":
        verify(function, stage)
    folder = os.environ.get("S2SAD_DUMP")
    if folder:
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
            (Path(folder) / f"{function.name}.{stage}.txt").write_text(print_function(function), encoding="utf-8")
        except OSError as error:
            raise CompilerError(f"S2SAD_DUMP={folder} cannot be written: {error}") from error
