"""Names that stand for one of several things which are known at compile time: functions, objects of different classes.

    act = np.tanh if use_tanh else relu            act = "tanh" if use_tanh else "relu"
    h = act(w @ x)                         ==>     h = np.tanh(w @ x) if act == "tanh" else relu(w @ x)

A *choice* is made where such entities meet behind a branch or loop. Its tag exists when the program runs; what the
alternatives hold at run time (the arguments of a ``partial``, the fields of an object) is merged like other variables.
``selection`` makes choices by an index or key, and uses them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any

from s2sad.frontend.entities import (
    Asked,
    Choice,
    Closure,
    Entity,
    Iteration,
    Method,
    Partial,
    Record,
    SourceFunction,
    Static,
    Struct,
    View,
    flatten,
)
from s2sad.frontend.lower import maybe
from s2sad.frontend.lower.maybe import absent
from s2sad.frontend.lower.parts import take_apart
from s2sad.frontend.lower.state import Key, Lowering
from s2sad.ir.kinds import BOOL, Array, List, Tuple
from s2sad.ir.nodes import Block, Const, If, Undef, Value

CALLABLE = ("closure", "partial", "method")  # the kinds of aggregates that callables are while they are merged
MOST = 16  # alternatives


# --- callables as aggregates of what they hold


def callables_apart(entity: Entity) -> Entity:
    """The entity with aggregates in place of callables that hold values; the same one if there are none."""
    if isinstance(entity, Closure):
        return Struct(_opened(entity.defaults.values()), "closure", (entity.node, entity.frame, *entity.defaults))
    if isinstance(entity, Partial):
        items = [entity.function, *entity.args, *entity.kwargs.values()]
        return Struct(_opened(items), "partial", (len(entity.args), *entity.kwargs))
    if isinstance(entity, Method):
        return Struct(_opened([entity.owner]), "method", (entity.name,))
    return _with_items(entity, _opened(_items(entity)))


def _opened(entities: Iterable[Entity]) -> list[Entity]:
    return [callables_apart(entity) for entity in entities]


def callables_restored(entity: Entity) -> Entity:
    """The entity with the callables back in place."""
    items = [callables_restored(item) for item in _items(entity)]
    if not isinstance(entity, Struct) or entity.kind not in CALLABLE:
        return _with_items(entity, items)
    if entity.kind == "closure":
        node, frame, *names = entity.keys
        return Closure(node, frame, dict(zip(names, items, strict=True)))
    if entity.kind == "method":
        return Method(items[0], entity.keys[0])
    count, *names = entity.keys
    return Partial(items[0], items[1 : count + 1], dict(zip(names, items[count + 1 :], strict=True)))


def _items(entity: Entity) -> list[Entity]:
    if isinstance(entity, Struct):
        return entity.items
    return entity.alternatives if isinstance(entity, Choice) else []


def _with_items(entity: Entity, items: list[Entity]) -> Entity:
    """The same with other items; the same one if they are no others."""
    if all(new is old for new, old in zip(items, _items(entity), strict=True)):
        return entity
    if isinstance(entity, Choice):
        return Choice(entity.tag, entity.labels, items)
    assert isinstance(entity, Struct)
    return Struct(items, entity.kind, entity.keys, entity.cls, entity.sort)


def owners_behind(entity: Entity, variables: dict[Key, Entity]) -> set[object]:
    """The frames and records that functions in an entity refer to: their variables live as long as the functions do."""
    found: set[object] = set()

    def visit(part: Entity, held: bool) -> None:
        if isinstance(part, Record):
            if held and part not in found:
                found.add(part)
                visit_variables(part, held)
        elif isinstance(part, Closure):
            frame = part.frame
            while frame is not None and frame not in found:
                found.add(frame)
                visit_variables(frame, True)
                frame = frame.outer
        for item in _items(callables_apart(part)):
            visit(item, held or isinstance(part, Closure | Partial | Method))

    def visit_variables(owner: object, held: bool) -> None:
        for key in [key for key in variables if key[0] is owner]:
            visit(variables[key], held)

    visit(entity, False)
    return found


def sole_records(entity: Entity | None, variables: dict[Key, Entity], known: Container[object]) -> set[Record]:
    """The new records that are referred to in one place only: nobody would notice if others took their place."""
    if not any(isinstance(owner, Record) and owner not in known for owner, _ in variables):
        return set()
    seen: dict[Record, int] = {}

    def visit(part: Entity) -> None:
        if isinstance(part, Record):
            seen[part] = seen.get(part, 0) + 1
        for item in _items(callables_apart(part)):
            visit(item)

    roots = [*variables.values(), *([] if entity is None else [entity])]
    if any(isinstance(leaf, Iteration) for root in roots for leaf in flatten(root)):
        return set()  # what it gives is not known
    for root in roots:
        visit(root)
    return {box for box, count in seen.items() if count == 1 and box not in known and not box.sealed}


def holds_functions(entity: Entity) -> bool:
    """Presence of functions in an entity that refer to variables of the program."""
    return any(isinstance(leaf, Closure | Partial | Method) for leaf in flatten(entity))


def is_settled(entity: Entity) -> bool:
    """Test for an entity of values alone: no functions, iterators, or choices among several things."""
    if isinstance(entity, Static | SourceFunction | Closure | Partial | Method | Choice | Iteration):
        return False
    return all(map(is_settled, _items(entity)))


# --- what meets behind a branch or loop


def lists_met(ctx: Lowering, pairs: list[tuple[Entity, Entity]]) -> dict[tuple[Entity, Entity], Entity | None]:
    """The pairs of lists, named on two paths, that become one which may be changed: all names have both, or none."""
    found = {pair for pair in pairs if pair[0] is not pair[1] and all(part in ctx.displays for part in pair)}
    if not found:
        return {}
    others = {part for pair in pairs for entity in pair for part in _within(entity) if part is not entity or pair not in found}
    shared = {part for a in found for b in found if a != b for part in {*a} & {*b}}
    return {pair: None for pair in found if not {*pair} & (others | shared)}


def sole_lists(ctx: Lowering, variables: dict[Key, Entity]) -> set[Key]:
    """The variables that are lists of objects, known one by one, which may be changed, and which have no other name."""
    lists = {key: one for key, one in variables.items() if isinstance(one, Struct) and one in ctx.displays}
    if not any(isinstance(leaf, Record) for one in lists.values() for leaf in flatten(one)):
        return set()
    if any(isinstance(leaf, Iteration) for entity in variables.values() for leaf in flatten(entity)):
        return set()  # what it runs over is not known
    seen = Counter(part for entity in variables.values() for part in _within(entity) if isinstance(part, Struct))
    return {key for key, one in lists.items() if seen[one] == 1 and any(isinstance(leaf, Record) for leaf in flatten(one))}


def displays_in(*entities: Entity) -> set[Entity]:
    """Things that met another one behind a branch: what becomes of them would not be seen where they are one of two."""
    return {part for entity in entities for part in _within(entity)}


def _within(entity: Entity) -> Iterator[Entity]:
    """An entity, and all that it holds."""
    yield entity
    for part in _items(callables_apart(entity)):
        yield from _within(part)


def akin(a: Entity, b: Entity) -> bool:
    """Test for two entities that are the same but for what they hold."""
    if isinstance(a, Value) and isinstance(b, Value):
        return not any(isinstance(p.kind, List) and isinstance(q.kind, Array) for p, q in ((a, b), (b, a)))
    if isinstance(a, Static) and isinstance(b, Static):
        return a.payload is b.payload
    if isinstance(a, Struct) and isinstance(b, Struct):
        if (a.kind, a.keys, a.cls, a.sort, len(a.items)) != (b.kind, b.keys, b.cls, b.sort, len(b.items)):
            return False
        if a.kind == "partial" and _inner_of(a) is not _inner_of(b):
            return False  # pullbacks of functions that see different things
        pairs = zip(a.items, b.items, strict=True)
        return all(x is y for x, y in pairs if isinstance(x, Record) or isinstance(y, Record))  # owners of methods
    return a is b or isinstance(a, SourceFunction) and a == b


def _inner_of(called: Struct) -> object:
    """The function that a pullback is of."""
    known = called.items[0]
    return known.payload.inner if isinstance(known, Static) and isinstance(known.payload, Asked) else None


def alike(ctx: Lowering, a: Entity, b: Entity, blocks: tuple[Block, Block]) -> tuple[Entity, Entity]:
    """Two entities that meet behind a branch or loop, in one form if there is one; the same ones if they have it.

    ``blocks``: where what is computed for either is to stand.
    """
    a, b = _taken_apart(ctx, a, b, blocks[0]), _taken_apart(ctx, b, a, blocks[1])
    if a is not b and ctx.program.cells and maybe.are_values(a, b, ctx.tapes):
        return maybe.value_or_none(a), maybe.value_or_none(b)
    if a is b or isinstance(a, Value) and isinstance(b, Value) and not maybe.meets_none(a, b):
        return a, b
    if isinstance(a, Static) and isinstance(b, Static) and a.payload is b.payload:
        return a, a
    if isinstance(a, Undef) or isinstance(b, Undef):
        return _unbound(a, b)
    a, b = maybe.alike(a, b)
    if akin(a, b):
        pairs = [alike(ctx, x, y, blocks) for x, y in zip(_items(a), _items(b), strict=True)]
        return _with_items(a, [x for x, _ in pairs]), _with_items(b, [y for _, y in pairs])
    if _choosable(a) and _choosable(b):
        return _united(ctx, a, b, blocks)
    return a, b


def _taken_apart(ctx: Lowering, entity: Entity, other: Entity, block: Block) -> Entity:
    """A tuple that came out of a list, by its items, where it meets one whose items are known one by one, or None."""
    structured = isinstance(other, Struct) or maybe.is_none(other)
    if not structured or not isinstance(entity, Value) or not isinstance(entity.kind, Tuple):
        return entity
    with ctx.builder.inside(block):
        return take_apart(ctx, entity)


def _unbound(a: Entity, b: Entity) -> tuple[Entity, Entity]:
    """One that is not bound on one of the paths; whoever uses a function finds out that it is not."""
    other = b if isinstance(a, Undef) else a
    if not isinstance(other, Struct | Choice | Static | SourceFunction):
        return a, b
    if not isinstance(other, Struct) or other.kind in CALLABLE:
        other = _as_choice(other)
    return (absent(other), other) if isinstance(a, Undef) else (other, absent(other))


def _choosable(entity: Entity) -> bool:
    """Test for something that can be one of several: a function, an object, a number, a tuple (of another length or form)."""
    if isinstance(entity, Struct):
        return entity.cls is not None or entity.kind in CALLABLE or _is_tuple(entity) or _is_list(entity)
    return isinstance(entity, Value | Static | SourceFunction | Choice)


def _is_tuple(entity: Entity) -> bool:
    """Test for a tuple that is no choice inside: in a loop such ones could become deeper and deeper."""
    if isinstance(entity, Struct) and not isinstance(entity, View):
        return entity.kind == "tuple" and all(map(_is_tuple, entity.items))
    return isinstance(entity, Value | Static | SourceFunction)


def _is_list(entity: Struct) -> bool:
    """Test for a list of functions, and other things that are known one by one, and of no choices."""
    return entity.kind == "list" and all(isinstance(leaf, Value | Static | SourceFunction) for leaf in flatten(entity))


def _as_choice(entity: Entity) -> Choice:
    if isinstance(entity, Choice):
        return entity
    label = label_of(entity)
    return Choice(Const(label), (label,), [entity])


def _united(ctx: Lowering, a: Entity, b: Entity, blocks: tuple[Block, Block]) -> tuple[Entity, Entity]:
    """Both as choices among the alternatives of either."""
    left, right = _as_choice(a), _as_choice(b)
    if left.labels != right.labels:
        left, right = _named(ctx, left, blocks[0]), _named(ctx, right, blocks[1])
    labels, ours = list(left.labels), list(left.alternatives)
    theirs: list[Entity | None] = [None] * len(ours)
    names: dict[Any, Any] = {}
    for label, entity in zip(right.labels, right.alternatives, strict=True):
        same = [k for k, other in enumerate(ours) if theirs[k] is None and akin(other, entity)]
        if same:
            place = same[0]
            ours[place], theirs[place] = alike(ctx, ours[place], entity, blocks)
        else:
            place = len(labels)
            labels.append(_free(label_of(entity), labels))
            ours.append(absent(entity))
            theirs.append(entity)
        names[label] = labels[place]
    if len(labels) > MOST:
        return a, b
    rest = [absent(x) if y is None else y for x, y in zip(ours, theirs, strict=True)]
    with ctx.builder.inside(blocks[1]):
        tag = renamed(ctx, right.tag, names)
    same_left = tuple(labels) == left.labels and all(x is y for x, y in zip(ours, left.alternatives, strict=True))
    first = left if same_left else Choice(left.tag, tuple(labels), ours)
    return first, Choice(tag, tuple(labels), rest)


def _named(ctx: Lowering, choice: Choice, block: Block) -> Choice:
    """A choice by an index or key, with names for labels."""
    if all(isinstance(label, str) for label in choice.labels):
        return choice
    names: list[str] = []
    for entity in choice.alternatives:
        names.append(_free(label_of(entity), names))
    with ctx.builder.inside(block):
        tag = renamed(ctx, choice.tag, dict(zip(choice.labels, names, strict=True)))
    return Choice(tag, tuple(names), choice.alternatives)


def renamed(ctx: Lowering, tag: Value, names: Mapping[Any, Any]) -> Value:
    """A tag by the labels of another choice."""
    if isinstance(tag, Undef) or all(new == old for old, new in names.items()):
        return tag
    if isinstance(tag, Const):
        return Const(names[tag.payload])
    *rest, last = names.items()
    found: Value = Const(last[1])
    for old, new in rest:
        op = If(cond=is_label(ctx, tag, old), loc=ctx.builder.loc)
        op.then.yields, op.orelse.yields = [Const(new)], [found]
        found = Value(Const(new).kind, tag.name)
        op.results = [found]
        ctx.builder.append(op)
    return found


# --- labels


def is_label(ctx: Lowering, tag: Value, label: Any) -> Value:
    """A test, in the program, of the tag of a choice for this label."""
    test = ctx.builder.call("operator.eq", tag, Const(label))
    test.kind = BOOL
    return test


def label_of(entity: Entity) -> str:
    """The name of an alternative in generated code."""
    if isinstance(entity, Value):
        return "value"
    if isinstance(entity, SourceFunction):
        return entity.source.name
    if isinstance(entity, Static):
        name = getattr(entity.payload, "name", None) or getattr(entity.payload, "__name__", None)
        return _readable(name if isinstance(name, str) else type(entity.payload).__name__)
    if isinstance(entity, Struct) and entity.kind == "closure":
        return _readable(entity.keys[0].name)
    if isinstance(entity, Struct) and entity.kind == "method":
        return str(entity.keys[0])
    if isinstance(entity, Struct) and entity.kind == "partial":
        return label_of(entity.items[0])
    cls = getattr(entity, "cls", None)
    if isinstance(entity, Record) and entity.word:
        return entity.word
    if isinstance(entity, Struct) and entity.kind == "list":  # which may become longer
        return "list"
    if cls is None and isinstance(entity, Struct) and entity.kind == "tuple":
        return f"tuple of {len(entity.items)}"
    return cls.__name__ if cls else "other"


def _readable(name: str) -> str:
    return "lambda" if name in ("<lambda>", "lambda_") else name


def _free(label: str, taken: list[str]) -> str:
    """A label that is not taken."""
    names: Iterator[str] = (label if k == 1 else f"{label} {k}" for k in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)


