"""Calls of users' functions as functions of their own, which get a derivative pair each; one for each choice of kinds.

    y = layer(x, w)        ==>    y = layer(x, w)          # beside it: layer, lowered for the kinds of x and w

What a recursive function returns is found by iteration. At first its recursive calls give nothing, so that what the
paths without recursion return is what it returns; then it is lowered again, knowing that, until nothing changes
(Kleene's theorem: the least fixed point; Cousot & Cousot, "Abstract interpretation", POPL 1977).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Set
from dataclasses import replace
from typing import Any

import gast

from s2sad.errors import Location, S2sadError, UnsupportedSyntaxError
from s2sad.frontend.entities import Entity, Struct, flatten, rebuild, structure_entity, structure_of
from s2sad.frontend.lower import nesting
from s2sad.frontend.lower.arithmetic import known_shape
from s2sad.frontend.lower.changed_in_place import written_names
from s2sad.frontend.lower.choices import is_settled
from s2sad.frontend.lower.functions import lower_function
from s2sad.frontend.lower.lists import bound_writable, lists_in
from s2sad.frontend.lower.maybe import MAYBE
from s2sad.frontend.lower.parts import as_record, holds_records
from s2sad.frontend.lower.signatures import bind_arguments, normal_form
from s2sad.frontend.lower.state import (
    Callee,
    Deepens,
    Diverges,
    Lowering,
    Place,
    Program,
    Repeats,
    Returned,
    ReturnsFunctions,
    Varies,
)
from s2sad.frontend.normal.generators import is_generator
from s2sad.frontend.resolve import Scope
from s2sad.frontend.source import Source
from s2sad.ir.kinds import (
    BOTTOM,
    UNKNOWN,
    Array,
    Cell,
    Dim,
    Kind,
    List,
    Other,
    Size,
    Slice,
    StructKind,
    Tuple,
    equal_sizes,
    floor_of,
    forget_sizes,
    forgotten,
    is_lasting,
    is_made_of,
    is_many,
    join,
    least_of,
    with_symbols,
)
from s2sad.ir.nodes import LEAF, Const, Function, Global, Structure, Undef, Value
from s2sad.ir.walk import raises

Equal = tuple[int, ...]  # numbers for sizes of arguments, which are the same where those are
Build = Callable[[str], tuple[Function, Structure]]  # lowers the function under a name
ROUNDS = 12
GIVEN_BACK = "a recursive function gives it back, and what it was taken from would not see that"
NOTHING = Returned(LEAF, (BOTTOM,), (None,))
ANYTHING = Returned(LEAF, (UNKNOWN,), (None,))


def call_as_pair(
    ctx: Lowering,
    source: Source,
    scope: Scope,
    args: list[Entity],
    kwargs: dict[str, Entity],
    node: gast.AST,
    live: Any,
) -> Entity | None:
    """Call a function that gets its own derivative pair; None if it has to be inlined."""
    if source.node.args.vararg is not None or source.node.args.kwarg is not None or is_generator(source.node):
        return None
    place = place_of(source.node, source)
    followed = ctx.progress is not None and ctx.progress.deep
    if followed or place in ctx.program.repeating:  # its arguments are taken apart
        return None
    written = written_names(normal_form(source.node, source))
    given = bind_arguments(ctx, source.node, args, kwargs, node, live, home=(source, scope))
    bound = bound_writable(ctx, given, written)
    if not all(isinstance(leaf, Value) for entity in bound.values() for leaf in flatten(entity)):
        return None
    if any(isinstance(entity, Global) and isinstance(entity.kind, StructKind) for entity in bound.values()):
        return None  # a default that is a dict or an object: it is looked into where it is used
    if _decides(ctx, place, list(bound.values())):
        return None
    if any(not is_settled(entity) or may_be_none(structure_of(entity)) for entity in bound.values()):
        return None
    within = any(callee.function is None and callee.place == place for callee in ctx.program.callees.values())
    if ctx.program.unrolled and not within and any(isinstance(e, Value) and e.kind == UNKNOWN for e in bound.values()):
        raise _too_deep(f"what {source.node.name} is given here", source.location(node), "it holds structures of several depths")

    def attempt(fixed: Mapping[str, Const] = {}) -> Callee:
        left = {name: entity for name, entity in bound.items() if name not in fixed}
        known = known_kinds(ctx, place, map(_argument_kind, left.values()))
        kinds = dict(zip(left, known, strict=True))

        def build(name: str) -> tuple[Function, Structure]:
            return lower_function(ctx.program, source, scope, {**kinds, **fixed}, name, live)

        literals = tuple((name, type(const.payload), const.payload) for name, const in fixed.items())
        key = (place, id(live), tuple((name, key_of(kind)) for name, kind in kinds.items()), literals)
        likeness = (place, id(live), tuple((name, key_of(without_sizes(kind))) for name, kind in kinds.items()), literals)
        return callee_for(ctx, key, known, likeness, place, source.location(source.node), build)

    constants = [isinstance(leaf, Const) for entity in bound.values() for leaf in flatten(entity)]
    tells = any(constants) or any(known_shape(leaf) for entity in bound.values() for leaf in flatten(entity))
    if any(constants) and place in ctx.program.unrolled:
        return None
    names, callees = dict(ctx.program.names), dict(ctx.program.callees)
    try:
        callee = knowing_varying(ctx, place, attempt)
    except ReturnsFunctions:
        return None
    except Deepens:
        if not any(constants):
            raise
        ctx.program.unrolled.add(place)  # perhaps what is known here says how deep it goes
        ctx.program.names = names
        return None
    except UnsupportedSyntaxError:
        if not tells or any(at == place for at, _ in ctx.stack):
            raise
        ctx.program.names = names
        return None  # what it does may depend on what is known here: a flag, a number of dimensions, a size
    if callee.inline:
        return None
    fixed = _telling(callee, bound)
    if fixed:
        known = ctx.program.callees, ctx.program.names
        ctx.program.callees, ctx.program.names = callees, names
        telling = _knowing(ctx, place, lambda: attempt(fixed))
        if telling is None:
            ctx.program.callees, ctx.program.names = known
        else:
            callee, bound = telling, {name: entity for name, entity in bound.items() if name not in fixed}
    return call(ctx, callee, [ctx.value(entity, node) for entity in bound.values()])


def _telling(callee: Callee, bound: Mapping[str, Entity]) -> dict[str, Const]:
    """The literal arguments of a call that may tell what a function returns, where nothing else does: an axis, a flag."""
    returned = callee.returned
    if callee.function is None or callee.recursive or returned is None or all(map(_is_told, returned.kinds)):
        return {}
    if not all(_is_told(kind) for entity in bound.values() for kind in [_argument_kind(entity)]):
        return {}
    return {name: entity for name, entity in bound.items() if isinstance(entity, Const) and _is_literal(entity.payload)}


def _is_literal(payload: Any) -> bool:
    return payload is None or type(payload) in (int, bool) or type(payload) is tuple and all(type(n) is int for n in payload)


def _is_told(kind: Kind) -> bool:
    """Test for a kind that tells how many axes there are of what."""
    if isinstance(kind, Array):
        return kind.shape is not None and kind.dtype is not None
    return kind != UNKNOWN and all(map(_is_told, kind.inner))


def _knowing(ctx: Lowering, place: Place, attempt: Callable[[], Callee]) -> Callee | None:
    """The function for these literals, if what it returns is told then; None: they tell nothing."""
    try:
        found = knowing_varying(ctx, place, attempt)
    except S2sadError:
        return None
    told = found.function is not None and not found.inline and found.returned is not None
    return found if told and all(map(_is_told, found.returned.kinds)) else None  # type: ignore[union-attr]


def _too_deep(what: str, location: Location | None, why: str) -> Deepens:
    return Deepens(
        f"{what} is not the same from call to call", location=location, why=why,
        instead="return a list, an array or a number, or call the recursion with a literal depth",
    )  # fmt: skip


def _decides(ctx: Lowering, place: Place, entities: list[Entity]) -> bool:
    """Test for text that decides what is done, or for findings of calls that were written out: in a tree that is known, and is
    followed down to its leaves."""
    telling = (str, bool) if ctx.program.unrolled else str
    trees = [entity for entity in entities if isinstance(entity, Struct)]
    if any(isinstance(leaf, Const) and isinstance(leaf.payload, telling) for tree in trees for leaf in flatten(tree)):
        return True
    return any(isinstance(entity, Const) for entity in entities) and any(at == place for at, _ in ctx.stack)


def place_of(definition: gast.FunctionDef, source: Source) -> Place:
    """Where a definition stands."""
    return (source.file, definition.lineno, definition.col_offset, definition.name)


def knowing_varying(ctx: Lowering, place: Place, attempt: Callable[[], Callee]) -> Callee:
    """Lower a definition again, with sizes forgotten, when it turns out that it calls itself with others."""
    while True:
        names = dict(ctx.program.names)
        try:
            return attempt()
        except Varies as signal:
            if signal.place != place or any(c.function is None and c.place == place for c in ctx.program.callees.values()):
                raise  # there is a call further out
            (ctx.program.unlike if signal.unlike else ctx.program.varying).add(place)
            ctx.program.names = names


def known_kinds(ctx: Lowering, place: Place, kinds: Iterable[Kind]) -> list[Kind]:
    """The kinds of the arguments of a call as a function may rely on them."""
    sizes = _Sizes(place in ctx.program.unlike, place in ctx.program.varying)
    return [with_symbols(sizes.kind(kind)) for kind in kinds]


class _Sizes:
    """The symbols of a function for the sizes of arguments: one for sizes that are equal at the call."""

    def __init__(self, unlike: bool, varying: bool) -> None:
        self.unlike, self.varying = unlike, varying
        self.known: list[tuple[Size, Dim]] = []

    def kind(self, kind: Kind) -> Kind:
        """A kind with the function's symbols."""
        if isinstance(kind, Array) and kind.shape is not None:
            return Array(kind.dtype, tuple(map(self.size, kind.shape)))
        if isinstance(kind, Tuple):
            return Tuple(tuple(map(self.kind, kind.items)), kind.listed, kind.names, kind.cls)
        return without_sizes(kind) if self.varying else forget_sizes(kind)

    def size(self, size: Size) -> Size:
        """The function's symbol for a size; None for one of which nothing is known."""
        if size == 1 and not self.varying or not is_lasting(size):
            return None if self.varying else forgotten(size)
        found = None if self.unlike else next((own for given, own in self.known if equal_sizes(given, size)), None)
        if found is None:
            many = is_many(size) and not self.varying
            found = Dim(object(), many=many, least=floor_of(least_of(size)) if many else 0)
            self.known.append((size, found))
        return found


def _serving(program: Program, key: Hashable, equal: Equal) -> Callee | None:
    """The callee of that key; or one that is being lowered, and relies on fewer equal sizes."""
    weaker = (c for c in program.callees.values() if c.key == key and c.function is None and _follows(c.equal, equal))
    return program.callees.get((key, equal)) or next(weaker, None)


def _follows(less: Equal, more: Equal) -> bool:
    """Test for sizes that are equal wherever ``less`` says it."""
    return len(less) == len(more) and all(more[k] == more[less.index(n)] for k, n in enumerate(less))


def alike(kinds: Iterable[Kind]) -> Equal:
    """Equal numbers for sizes of arguments that are equal."""
    first: dict[Any, int] = {}
    return tuple(first.setdefault(symbol, len(first)) for kind in kinds for symbol in _symbols(kind))


def _symbols(kind: Kind) -> Iterator[Any]:
    if isinstance(kind, Array):
        yield from (n.key for n in kind.shape or () if isinstance(n, Dim))
    for item in kind.items if isinstance(kind, Tuple) else ():
        yield from _symbols(item)


def callee_for(
    ctx: Lowering, key: Hashable, kinds: list[Kind], likeness: Hashable, place: Place, location: Location | None, build: Build,
) -> Callee:  # fmt: skip
    """The callee of that key, lowered if need be: it knows its arguments by these kinds. ``likeness``: the key but for sizes."""
    equal = alike(kinds)
    if ctx.program.keeping is not None:  # it is checked that what it sees cannot change
        key = (key, replace(ctx.program.keeping, name=""))
    callee = _serving(ctx.program, key, equal)
    if callee is None:
        for further in ctx.program.callees.values():
            if further.function is None and further.likeness == likeness:
                raise Varies(place, unlike=further.key == key)
        callee = Callee(ctx.program.unique(place[-1]), place=place, key=key, equal=equal, likeness=likeness, params=kinds)
        before = set(ctx.program.callees)
        ctx.program.callees[key, equal] = callee
        try:
            return _lower_callee(ctx, callee, location, build)
        finally:
            if callee.function is None:  # it failed: whoever tries it again begins anew, with what refers to it
                for other in [k for k in ctx.program.callees if k not in before]:
                    del ctx.program.callees[other]
    if callee.function is None:
        callee.recursive = True
    return callee


def call(ctx: Lowering, callee: Callee, values: list[Value]) -> Entity:
    """Call a function that has been lowered, or is being lowered further out."""
    returned, function, params = callee.returned, callee.function, None
    if function is None:
        params = callee.params
        if returned is None:
            raise Diverges(callee)
        if callee.placeholder is None:
            callee.placeholder = Function(callee.name, [], ctx.block)
        function = callee.placeholder
        callee.tried = callee.tried or bool(ctx.trying)
    assert returned is not None
    results = ctx.builder.call_function(function, values, list(returned.kinds), params)
    if raises(function.body):
        return Undef()
    leaves = [r if k is None else values[k] for r, k in zip(results, returned.same, strict=True)]
    made = as_record(ctx, rebuild(structure_entity(returned.structure), iter(leaves)), GIVEN_BACK if callee.gives_back else "")
    if any(_holds_list(value.kind) for value in values):
        ctx.either |= lists_in(ctx, made)  # it may be one that was given
    else:
        ctx.displays |= {one for one in lists_in(ctx, made) if holds_records(one)}  # made there, and nobody else has it
    return made


def _holds_list(kind: Kind) -> bool:
    return isinstance(kind, Tuple) and kind.listed or any(map(_holds_list, kind.inner))


def _lower_callee(ctx: Lowering, callee: Callee, location: Location | None, build: Build) -> Callee:
    """Lower a callee once for these kinds; a recursive one again, until what it returns is stable."""
    program, name = ctx.program, callee.name
    before, names = set(program.callees), dict(program.names)
    first: S2sadError | None = None
    growing = 0
    program.nested.pop(name, None)
    for attempt in range(ROUNDS):
        for other in [k for k in program.callees if k not in before]:
            del program.callees[other]  # lowered with another idea of what this one gives
        program.names = dict(names)
        try:
            function, structure = build(callee.name)
        except Diverges as signal:
            if signal.callee is not callee:
                raise
            callee.returned = NOTHING
            continue
        except S2sadError as error:
            first = first or error
            if not callee.recursive or callee.returned == ANYTHING:
                raise first from None
            if program.nested.pop(name, None) is None and _fold(program, callee):
                continue  # a list, say, would hold tuples that hold such lists
            callee.returned = NOTHING if callee.returned is None else ANYTHING
            continue
        for param in function.params:
            param.keyword_only = False  # it is called with all arguments in order
        found = _returned(function, structure)
        if not callee.recursive:
            callee.returned = found
            break
        if callee.tried and callee.placeholder is not None and not callee.placeholder.writes and program.writes(function):
            callee.placeholder.writes = frozenset(range(len(function.params)))
            continue
        if function.gives_back and not callee.gives_back:
            callee.gives_back = True
            continue
        growing += callee.returned is not None and nesting.grows(callee.returned, found)
        if growing == 2 and name not in program.nested and _fold(program, callee):
            continue
        new = nesting.settle(program.nested.get(name, {}), attempt > ROUNDS // 2)
        wider = _wider(callee, found, attempt)
        if wider == callee.returned and not new:
            break
        callee.returned = wider
    else:
        raise _too_deep(f"what the recursive function {name} returns", location, "its structure grows with each call")
    nesting.forget(function)
    versions = [c for k, c in program.callees.items() if k not in before and c.place == callee.place]
    loops = callee.recursive or any(c.recursive for c in versions)  # itself, or for other kinds of arguments
    callee.inline = not callee.recursive and (
        may_be_none(structure) or program.inline(function) or function.gives_back
    )
    obstacle = program.obstacle(function, callee.returned.same) if loops and callee.returned is not None else None
    if loops and obstacle is None and not may_be_none(structure):
        callee.inline = False
    structured = any(p.value.kind.fixed for p in function.params)
    if callee.recursive and obstacle is not None and structured and callee.place not in program.repeating:
        raise Repeats(callee.place)  # the arrays in it can be handed over one by one
    if callee.recursive and obstacle is not None:
        raise S2sadError(
            f"the recursive function {name} writes into its arguments in a way that is not supported", location=location,
            why=obstacle, instead="copy the argument, and return the result",
        )  # fmt: skip
    callee.function = _settled(callee, function)
    return callee


def _fold(program: Program, callee: Callee) -> bool:
    """Have what a recursive function tapes be one value, with a kind that refers to itself; whether there is such a thing."""
    place = nesting.place_in(callee.returned.structure) if callee.returned is not None else None
    if place is None:
        return False
    assert callee.returned is not None
    cell = program.cells.setdefault(callee.name, Cell(LEAF, ()))  # the same one when a caller is lowered again
    callee.returned, kind = nesting.folded(callee.returned, place, cell)
    program.nested[callee.name] = {place: kind}
    return True


def _returned(function: Function, structure: Structure) -> Returned:
    """The results of a function, as it was lowered."""
    positions = {value: k for k, value in enumerate(function.values)}
    yields = function.body.yields
    same = tuple(positions.get(v) if isinstance(v.kind, Array | List) else None for v in yields)
    return Returned(structure, tuple(v.kind for v in yields), same)


def _wider(callee: Callee, found: Returned, attempt: int) -> Returned:
    """Knowledge of a recursive function's results after one more attempt."""
    symbols = {symbol for kind in callee.params for symbol in _symbols(kind)}
    kinds = [_known_by(symbols, kind) for kind in found.kinds]
    old, same = callee.returned, found.same
    if old is not None and old.structure == found.structure:
        kinds = [join(a, b) for a, b in zip(old.kinds, kinds, strict=True)]
        if old != NOTHING:
            same = tuple(a if a == b else None for a, b in zip(old.same, same, strict=True))
        if attempt > ROUNDS // 2:
            kinds = [a if a == b else UNKNOWN for a, b in zip(old.kinds, kinds, strict=True)]
        kinds = [UNKNOWN if old == NOTHING and kind == BOTTOM else kind for kind in kinds]
    return Returned(found.structure, tuple(kinds), same)


def _known_by(symbols: Set[Any], kind: Kind) -> Kind:
    """A kind of a result with the sizes that follow from those of the arguments."""
    if isinstance(kind, Array) and kind.shape is not None:
        return Array(kind.dtype, tuple(_follows_from(symbols, n) for n in kind.shape))
    return kind.mapped(lambda item: _known_by(symbols, item)) if isinstance(kind, Tuple) else without_sizes(kind)


def _follows_from(symbols: Set[Any], size: Size) -> Size:
    """A size if it is made of these symbols alone; what else is known of it follows from what is known of them."""
    if not isinstance(size, Dim):
        return size
    return Dim(size.key, size.offset) if is_made_of(size, symbols) else None


def _settled(callee: Callee, function: Function) -> Function:
    """The function that recursive calls refer to."""
    assert callee.returned is not None
    if callee.placeholder is not None:  # recursive calls refer to it: it becomes the function
        callee.placeholder.become(function)
        function = callee.placeholder
    for k, leaf in enumerate(callee.returned.same):
        if leaf is not None:
            function.body.yields[k] = Const(None)  # callers know what it is
    return function


def may_be_none(structure: Structure) -> bool:
    """Test for a function that returns None on some paths and a structure on others."""
    return structure.kind == MAYBE or any(map(may_be_none, structure.items))


# --- kinds


def _argument_kind(entity: Entity) -> Kind:
    if isinstance(entity, Struct):
        kinds = tuple(map(_argument_kind, entity.items))
        return Tuple(kinds, entity.kind == "list", entity.keys, entity.cls)
    assert isinstance(entity, Value)
    return entity.kind


def without_sizes(kind: Kind) -> Kind:
    """A kind with nothing but the number of axes."""
    if isinstance(kind, Array):
        return Array(kind.dtype, None if kind.shape is None else (None,) * len(kind.shape))
    return kind.mapped(without_sizes) if kind.container else forget_sizes(kind)


def key_of(kind: Kind) -> Hashable:
    """A kind as a key: many-ness of sizes, not their symbols."""
    if isinstance(kind, Array) and kind.shape is not None:
        return ("array", kind.dtype, tuple("one" if n == 1 else (is_many(n), floor_of(least_of(n))) for n in kind.shape))
    if isinstance(kind, Tuple):
        return ("tuple", tuple(map(key_of, kind.items)), kind.cls)
    if kind.keyed:
        return (kind.mapped(lambda _: UNKNOWN), *map(key_of, kind.inner))
    if isinstance(kind, List):
        return ("list", key_of(kind.item))
    if isinstance(kind, Slice | Other):
        return repr(kind)
    return kind
