"""Findings about inner loops and what they carry, for when the body of the loop around them is lowered once more.

    for i in range(n):            # lowered twice: once to see that it carries a, once with a carried
        for j in range(m):        # the second time it starts with what it was found to carry the first time
            a = np.sin(a) * x

A loop is lowered until what it carries, and its kinds, are stable; a loop in it would be lowered as often each time, and
one d levels deep to the power of d. Remembered, a loop in another takes one round at a time, and goes on from what it found
the last time: all loops in each other are lowered pass by pass, until one finds nothing new. What is remembered is a first
guess: the rounds of the loop (``control``) go on from it, so that nothing relies on its being right. It is taken only where
what a variable starts from is as general as it was then, or was not bound, and is by now since the loop around carries it, or
was None, and may be so: what a loop carries can only have become more general since.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from s2sad.frontend.entities import Entity, Top, flatten, values_of
from s2sad.frontend.lower.maybe import alike, is_maybe
from s2sad.frontend.lower.merging import Variables, mergeable
from s2sad.frontend.lower.state import Frame, Key, Lowering
from s2sad.ir.kinds import Kind, join
from s2sad.ir.nodes import Undef, Value

Owner = Hashable
Seen = Callable[[Lowering, Variables, Key], Entity]  # what a loop sees of a variable: records taken as what they hold


@dataclass(frozen=True)
class Found:
    """A variable of a loop: ``first`` bound to before it (None: not bound), ``start`` as the loop takes it; the kinds
    that it carries of that, or None where it carries nothing, since the variable cannot be used."""

    first: Entity | None
    start: Entity
    kinds: list[Kind] | None


@dataclass(eq=False)
class Visit:
    """A loop as it was lowered the last time, with the loops in its body, in order for each statement."""

    found: dict[tuple[Owner, object], Found] = field(default_factory=dict)
    inner: dict[tuple[object, int], Visit] = field(default_factory=dict)
    met: Counter[object] = field(default_factory=Counter)
    around: Visit | None = None
    passes: bool = False  # of the outermost loop: those in it take one round at a time
    settled: bool = True  # of the outermost loop: none of them has found anything new

    @property
    def whole(self) -> Visit:
        """The visit of the outermost loop."""
        return self if self.around is None else self.around.whole

    def begin(self) -> None:
        """Before the body is lowered."""
        self.met.clear()

    def next(self, statement: object) -> Visit:
        """The visit of the loop of a statement that is lowered now."""
        self.met[statement] += 1
        return self.inner.setdefault((statement, self.met[statement]), Visit(around=self))

    def remember(self, ctx: Lowering, at_first: Variables, before: Variables, slots: dict[Key, list[Kind]], seen: Seen) -> None:
        """Keep what a loop was found to carry, and which variables it made unusable."""
        self.found.clear()
        lost = [key for key, start in before.items() if isinstance(start, Top) and at_first.get(key) is not start]
        for key in [*slots, *lost]:
            first = seen(ctx, at_first, key) if key in at_first else None
            start = first if first is not None and before[key] is at_first[key] else before[key]
            self.found[_canonical(ctx, key)] = Found(first, start, slots.get(key))

    def recall(self, ctx: Lowering, before: Variables, seen: Seen) -> dict[Key, list[Kind]]:
        """The kinds to begin with of what the loop carries; ``before`` says from now on what it starts from."""
        slots: dict[Key, list[Kind]] = {}
        for canonical, found in self.found.items():
            key = _actual(ctx, canonical)
            now = seen(ctx, before, key) if key in before else None
            start = _present(found, now)
            if start is None:
                continue
            if start is not now:
                before[key] = start
            if found.kinds is not None:
                slots[key] = [join(kind, leaf.kind) for kind, leaf in zip(found.kinds, values_of(start), strict=True)]
        return slots


def _present(found: Found, now: Entity | None) -> Entity | None:
    """The entity from which a variable starts this time; None where what was found says nothing of that."""
    if found.first is None:
        unborn = all(isinstance(leaf, Undef) for leaf in flatten(found.start))
        if now is None:
            return found.start if unborn or found.kinds is None else None
        return now if unborn and found.kinds is not None and mergeable(found.start, now) else None  # carried by a loop around
    if now is None:
        return None
    if is_maybe(found.start) and not is_maybe(found.first) and found.kinds is not None:  # the loop binds what was None
        lifted, _ = alike(now, found.start)
        return lifted if mergeable(lifted, found.start) else None
    if not _risen(found.first, now):
        return None
    if found.kinds is None:
        return found.start
    return now if found.start is found.first else None


def _risen(then: Entity, now: Entity) -> bool:
    """Test for what is bound now that differs in nothing but run-time values, whose kinds are as general or more so."""
    if not mergeable(then, now):
        return False
    pairs = zip(flatten(then), flatten(now), strict=True)
    return all(
        join(a.kind, b.kind) == b.kind for a, b in pairs if isinstance(a, Value) and isinstance(b, Value) and a is not b
    )


def _frames(ctx: Lowering) -> list[Frame]:
    """The frames in sight, innermost first: those of calls that are followed are others each time."""
    found: list[Frame] = []
    frame: Frame | None = ctx.frame
    while frame is not None:
        found.append(frame)
        frame = frame.outer
    return found


def _canonical(ctx: Lowering, key: Key) -> tuple[Owner, object]:
    frames = _frames(ctx)
    return (frames.index(key[0]), key[1]) if key[0] in frames else key


def _actual(ctx: Lowering, canonical: tuple[Owner, object]) -> Key:
    owner, name = canonical
    return (_frames(ctx)[owner], name) if isinstance(owner, int) else (owner, name)
