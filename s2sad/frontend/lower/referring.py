"""Objects that stay what they are when the program chooses among them, so that their fields can be assigned afterwards.

    best = max(swarm, key=score)             best = ("Particle", "Particle 2")[largest([score_0, score_1])]
    best.x += step                    ==>    if best == "Particle": swarm_0.x += step
                                             else: swarm_1.x += step

Most programs only read what was chosen: there what stands for it is a new object, of what the chosen one holds then, which is
leaner, and may not be assigned. That one is assigned turns out on the way (``Again``); then the program is lowered again, with
*references*: choices whose alternatives are the objects themselves.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import TypeGuard

from s2sad.frontend.entities import Choice, Entity, Record, Struct
from s2sad.frontend.lower.choices import MOST, renamed
from s2sad.frontend.lower.maybe import MAYBE, is_none
from s2sad.frontend.lower.state import Key, Lowering
from s2sad.ir.again import Again
from s2sad.ir.nodes import Const, Undef, Value

SELECTED = "which object it is, is known only at run time"
MERGED = "which object it is depends on a branch or loop, and others may refer to the same one"


def refer(ctx: Lowering, *boxes: Record) -> None:
    """Lower the program again, with references, where objects are copies of those that were chosen, and that is not enough."""
    if not ctx.program.referring and any(box.sealed in (MERGED, SELECTED) for box in boxes):
        raise Again(referring=True)


def is_object(entity: Entity) -> TypeGuard[Record]:
    """Test for an object that the program has made, by name."""
    return isinstance(entity, Record) and entity.kind == "object"


def is_reference(entity: Entity) -> TypeGuard[Choice]:
    """Test for one of several objects, which are alternatives as they are."""
    return isinstance(entity, Choice) and all(map(is_object, entity.alternatives))


def refers(ctx: Lowering, items: Sequence[Entity]) -> bool:
    """Need for a reference where one of these items is chosen: objects that are assigned somewhere."""
    if not ctx.program.referring or not all(is_object(item) or is_reference(item) for item in items):
        return False
    return len(_objects_in(items)) <= MOST


def by_index(ctx: Lowering, items: Sequence[Entity], place: Value) -> Entity:
    """``items[place]`` of objects, and of references to such."""
    labels = {box: label(ctx, box) for box in _objects_in(items)}
    tags = [_word(ctx, item) for item in items]
    tag = ctx.builder.call("operator.getitem", ctx.builder.call("builtins.list", *tags), place)
    return Choice(tag, tuple(labels.values()), list(labels))


def _word(ctx: Lowering, item: Entity) -> Value:
    """The word of an object, or of one of several."""
    if isinstance(item, Choice):
        words = [label(ctx, box) for box in item.alternatives if isinstance(box, Record)]
        return renamed(ctx, item.tag, dict(zip(item.labels, words, strict=True)))
    return Const(label(ctx, item)) if isinstance(item, Record) else Undef()


def as_reference(ctx: Lowering, entity: Entity) -> Entity:
    """An object as a reference to it alone; anything else as it is."""
    if not is_object(entity):
        return entity
    return Choice(Const(label(ctx, entity)), (label(ctx, entity),), [entity])


def label(ctx: Lowering, box: Record) -> str:
    """The word by which references name an object: no other object has it."""
    if not box.word:
        name = box.cls.__name__ if box.cls else "object"
        count = ctx.words[name] = ctx.words.get(name, 0) + 1
        box.word = name if count == 1 else f"{name} {count}"
    return box.word


def meeting(ctx: Lowering, a: Entity, b: Entity, known: Container[object]) -> tuple[Entity, Entity]:
    """Two entities that meet behind a branch or loop, with references in place of objects among ``known`` ones that differ."""
    if a is b or not ctx.program.referring:
        return a, b
    if isinstance(a, Struct) and isinstance(b, Struct) and _are_alike(a, b):
        pairs = [_item_meeting(ctx, x, y, known) for x, y in zip(a.items, b.items, strict=True)]
        return _with_items(a, [x for x, _ in pairs]), _with_items(b, [y for _, y in pairs])
    if not all(isinstance(e, Undef) or is_none(e) or _is_maybe(e) or stays(e, known) for e in (a, b)):
        return a, b
    return as_reference(ctx, a), as_reference(ctx, b)


def _item_meeting(ctx: Lowering, a: Entity, b: Entity, known: Container[object]) -> tuple[Entity, Entity]:
    """Two items of tuples or lists that meet: the tuple is made anew, and one object in both stays what it is."""
    if a is b and stays(a, known):
        return as_reference(ctx, a), as_reference(ctx, b)
    return meeting(ctx, a, b, known)


def lasting(ctx: Lowering, *tables: Mapping[Key, Entity]) -> Container[object]:
    """The objects that are there on all paths, by the variables at the end of each, where references are made."""
    if not ctx.program.referring:
        return ()
    return set.intersection(*({box for box, _ in table if isinstance(box, Record)} for table in tables))


def stays(entity: Entity, known: Container[object]) -> bool:
    """Test for an object, or one of several, that is there on all paths: what refers to it can be followed."""
    boxes = [entity] if is_object(entity) else entity.alternatives if is_reference(entity) else []
    return bool(boxes) and all(box in known and not box.sealed for box in boxes if isinstance(box, Record))


def _is_maybe(entity: Entity) -> bool:
    return isinstance(entity, Struct) and entity.kind == MAYBE and is_reference(entity.items[1])


def _are_alike(a: Struct, b: Struct) -> bool:
    same = (a.kind, a.keys, a.cls, a.sort, len(a.items)) == (b.kind, b.keys, b.cls, b.sort, len(b.items))
    return same and type(a) is type(b) is Struct


def _with_items(entity: Struct, items: list[Entity]) -> Entity:
    if all(new is old for new, old in zip(items, entity.items, strict=True)):
        return entity
    return Struct(items, entity.kind, entity.keys, entity.cls, entity.sort)


def _objects_in(items: Sequence[Entity]) -> list[Record]:
    found = [item.alternatives if isinstance(item, Choice) else [item] for item in items]
    return list(dict.fromkeys(box for boxes in found for box in boxes if isinstance(box, Record)))
