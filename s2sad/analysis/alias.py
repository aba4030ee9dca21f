"""Sharing of memory: the references that may do so.

Every reference (array, list, tuple of those) belongs to a *class*; two references in different classes never share
memory. Windows join the class of their base, block parameters the classes of all values that flow into them, items of
containers the item class of their container (Steensgaard's unification: near-linear, flow-insensitive, and safe).

A class that some store reaches is *mutable*: it has memory semantics, one shadow for each buffer. All others are plain
values, for which sharing does not matter.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

from s2sad.analysis.containers import ITEM, hold, pours, share_items, take
from s2sad.analysis.editions import Settled, Standing, lasting, present, reach, settled
from s2sad.analysis.exits import after, exits
from s2sad.analysis.views import holds_references, view_base
from s2sad.ir.kinds import UNKNOWN, Array, List, Other
from s2sad.ir.nodes import (
    Block,
    Call,
    Const,
    Function,
    Global,
    Loop,
    Op,
    Path,
    Straight,
    Undef,
    Value,
)
from s2sad.ir.walk import globals_of, ops_of
from s2sad.rules.effects import NOTHING, effects

DEPTH = 1
MOST_CONTAINERS = 16  # whose items are told apart in what a call is given and gives: tapes hold those of the calls in them
Positions = frozenset[int]  # of parameters
OPENS, JOINS, FOLDS = range(3)
Step = tuple[int, int, Any]  # in which a call binds its arguments and results together: what it does, at which place, with what


class Node:
    """A class of references, with the classes of what its members contain (by constant index, or any item)."""

    __slots__ = ("fields", "parent")

    def __init__(self) -> None:
        self.parent: Node = self
        self.fields: dict[object, Node] = {}

    def find(self) -> Node:
        """The representative."""
        node = self
        while node.parent is not node:
            node.parent = node.parent.parent
            node = node.parent
        return node


class Aliases:
    """The alias classes of one function, and which of them are written.

    ``within``: functions in whose analysis this one takes part, with the positions of the parameters that they are known to
    write so far. ``split``: what is only returned keeps a class of its own (``analysis.exits``); ``origins`` says what it is.
    ``outside``: values into whose memory the caller writes.
    """

    def __init__(
        self,
        function: Function,
        within: Mapping[Function, Positions] = {},
        split: bool = False,
        outside: Iterable[Value] = (),
    ) -> None:
        self.function = function
        self._time: Settled | None = None  # in which nothing changes
        self.within: dict[Function, Positions] = {**within, function: frozenset()}
        self.nodes: dict[Value, Node] = {}
        self.named: dict[Hashable, Global] = {}  # the names from outside, one for each object; those of callees, too
        self.exits = exits(function) if split else {}
        self.outside = [v for v in outside if holds_references(v) and not isinstance(v, Const | Undef)]
        self._inner: dict[tuple[Function, Positions], Aliases] = {}
        self._known_steps: dict[tuple[Value, ...], list[Step]] = {}
        with settled() as self._time:
            self._analyse()
        self._time = None

    def _analyse(self) -> None:
        self._changes = 0
        self._own_calls: list[Call] = []
        self.storing: list[Call] = []  # the calls that may write
        for value in filter(holds_references, globals_of(self.function.body)):
            self.node(value)
        self.block(self.function.body)
        for group in self.function.sharing:
            for place in group[1:]:
                self.merge(self._at(group[0]), self._at(place))
        self._tie_own_calls()
        self._find_written()
        self._keep_exits()
        self._roots = self._find_roots()  # now: passes that hold these facts change the program

    def _find_written(self) -> None:
        """The classes that are written, and so the parameters: by a recursive call, too."""
        self.written: set[Node] = set()
        outside = {node for v in self.outside for node in self.reach(self.node(v))}
        again = True
        while again:
            before = self.written
            self.written = outside.union(*map(self.own_writes, self.storing))
            found = self.written_parameters()
            again = found != self.within[self.function] or bool(self._own_calls) and self.written != before
            self.within[self.function] = found

    def _keep_exits(self) -> None:
        """Sharing of values that are only returned: with what they may be after all, where a later store reaches that."""
        again = True
        while again:
            again = False
            for value, (branch, sources) in list(self.exits.items()):
                late = {n.find() for op in after(self.function, branch) for n in self.writes(op)}
                if any(self.node(s) in late for v in sources for s in self.origins(v)):
                    del self.exits[value]
                    again = True
                    for source in sources:
                        self.unify(value, source)
            if again:
                self._find_written()

    def origins(self, value: Value) -> list[Value]:
        """The origins of a value that is only returned; any other is itself."""
        if value not in self.exits:
            return [] if isinstance(value, Const | Undef) else [value]
        return [origin for source in self.exits[value][1] for origin in self.origins(source)]

    def written_parameters(self) -> Positions:
        """The positions of the parameters whose memory is written."""
        return frozenset(
            k for k, v in enumerate(self.function.values) if holds_references(v) and self.reach(self.node(v)) & self.written
        )

    def written_by(self, callee: Function) -> Positions:
        """The positions of the parameters whose memory a function writes that is called."""
        if callee.writes is not None:
            return callee.writes
        return self.within[callee] if callee in self.within else self._inside(callee).within[callee]

    def _inside(self, callee: Function) -> Aliases:
        """The facts about a function that is called; where it calls one of those around in turn, by what is known so far."""
        known = self.within[self.function]
        if (callee, known) not in self._inner:
            with settled() as moment:
                (self._time or moment).add([callee])
                apart = lasting(callee) is not None or self.within.keys().isdisjoint(reach(callee))
                found = facts(callee) if apart else Aliases(callee, self.within, split=True)
            self._inner[callee, known] = found
        return self._inner[callee, known]

    # --- questions

    def node(self, value: Value) -> Node:
        """The class of a reference."""
        found = self.nodes.get(value)
        if found is None:
            found = self.nodes.setdefault(value, self._new(value))  # at once: facts that are kept may be asked by several threads
        return found.find()

    def _new(self, value: Value) -> Node:
        """The class of a reference that is met for the first time: that of the object, where it is a name from outside."""
        if not isinstance(value, Global) or not holds_references(value):
            return Node()
        first = self.named.setdefault(value.identity, value)
        return Node() if first is value else self.node(first)

    def mutable(self, value: Value) -> bool:
        """Possibility of a store that reaches the memory behind this reference."""
        return holds_references(value) and not isinstance(value, Const | Undef) and self.node(value) in self.written

    def holds_written(self, container: Value) -> bool:
        """Presence of references to memory that is written, or of further containers, in a container."""
        return any(node in self.written for node in self.reach(self.node(container)) - {self.node(container)})

    def static_root(self, value: Value) -> Value | None:
        """The only buffer of a class, where all its references are windows made from it in plain view; else None.

        References that control flow merges, or that come out of containers, may be different buffers at run time.
        """
        return self.root_of(self.node(value))

    def root_of(self, node: Node) -> Value | None:
        """The same, of a class."""
        return self._roots.get(node.find())

    def _find_roots(self) -> dict[Node, Value | None]:
        roots: dict[Node, Value | None] = {}

        def enter(value: Value, root: bool) -> None:
            if holds_references(value):
                node = self.node(value)
                roots[node] = value if root and roots.get(node, value) is value else None

        for value in self.function.values:
            enter(value, True)
        for op in ops_of(self.function.body):
            references = [value for value in op.results if holds_references(value)]
            if references and view_base(op) is None:
                root = isinstance(op, Call) and self._is_creation(op)
                for value in references:
                    enter(value, root)
            for block in op.blocks():
                for value in block.params:
                    enter(value, False)
        for value, node in list(self.nodes.items()):
            if isinstance(value.kind, List | Other) or value.kind == UNKNOWN:
                for inner in node.find().fields.values():
                    roots[inner.find()] = None
        return roots

    def _is_creation(self, op: Call) -> bool:
        """Test for a call whose result is memory of its own (items of a tuple parameter count as parameters)."""
        if op.callee is not None:
            given = [v for v in (*op.args, *self.named.values()) if holds_references(v)]
            return not any(self.node(r) is self.node(v) for r in op.results for v in given)
        taken = (share for share in effects(op).shares if share.how not in ("holds", "part"))
        return all(share.how == "item" and share.value.kind.fixed for share in taken)

    def writes(self, op: Op) -> set[Node]:
        """The classes whose contents the operation changes, nested operations included."""
        found = self.own_writes(op)
        for block in op.blocks():
            for inner in block.ops:
                found |= self.writes(inner)
        return found

    def reads(self, op: Op) -> set[Node]:
        """The classes whose contents the operation reads, nested operations included."""
        found: set[Node] = set()
        if isinstance(op, Call):
            for value in op.operands():
                if holds_references(value):
                    found |= self.reads_of(op, value)
        for block in op.blocks():
            for inner in block.ops:
                found |= self.reads(inner)
        return found

    def reads_of(self, op: Call, value: Value) -> set[Node]:
        """The classes whose contents a call reads of an operand, a reference: not those of what it only hands on, or that
        it changes and tells nobody about."""
        node = self.node(value)
        if op.callee is not None:
            return self.reach(node)
        does = effects(op)
        if does.world or sum(other is value for other in op.operands()) > 1:
            return self.reach(node)
        hows = {share.how for share in does.shares if share.value is value}
        if value in does.looks:
            return set() if isinstance(value.kind, Array) else {node} if value.kind.container else self.reach(node)
        if hows & {"item", "part"}:
            return {node} if value.kind.container else self.reach(node)
        if hows:
            handed_on = does.certain and (hows == {"holds"} or isinstance(value.kind, Array))
            return set() if handed_on else self.reach(node)
        if value in does.changes and value.kind.container:
            return self.reach(node)  # to find what it holds
        held = any(item is value and isinstance(c.kind, List) and not pours(op) for item, c in does.puts)
        return set() if held or value in (*does.writes, *does.changes) else self.reach(node)

    def reach(self, node: Node) -> set[Node]:
        """A class and the classes of everything that its members contain."""
        seen: set[Node] = set()
        stack = [node.find()]
        while stack:
            current = stack.pop()
            if current not in seen:
                seen.add(current)
                stack += [inner.find() for inner in current.fields.values()]
        return seen

    def own_writes(self, op: Op) -> set[Node]:
        """The classes that this operation itself writes."""
        if not isinstance(op, Call):
            return set()
        if op.callee is not None:
            return self._callee_writes(op)
        does = effects(op)
        if does is NOTHING:
            return set()
        found = {self.node(value) for value in does.writes if holds_references(value)}
        return found.union(*(self.reach(self.node(value)) for value in does.changes if holds_references(value)))

    def _callee_writes(self, op: Call) -> set[Node]:
        assert op.callee is not None
        positions = self.written_by(op.callee)
        given = (k for k, arg in enumerate(op.args) if k in positions and holds_references(arg))
        return {node for k in given for node in self.written_of(op, k)}

    def written_of(self, op: Call, k: int) -> set[Node]:
        """The classes of an argument that a called function writes: not the items of a list that it fills or empties."""
        own, callee = self.node(op.args[k]), op.callee
        if callee is self.function:
            return self.standing(self, self.written, self.node(callee.values[k]), own)
        if callee is None or callee.writes is not None or callee in self.within:
            return self.reach(own)
        inside = self._inside(callee)
        return self.standing(inside, inside.written, inside.node(callee.values[k]), own)

    def standing(self, inside: Aliases, marked: set[Node], theirs: Node, ours: Node) -> set[Node]:
        """The classes that stand, in what a callee is given, where its ``marked`` ones do: those that it writes, for instance."""
        found: set[Node] = set()
        seen: set[tuple[Node, Node]] = set()
        stack = [(theirs, ours)]
        while stack:
            theirs, ours = (node.find() for node in stack.pop())
            if (theirs, ours) in seen:
                continue
            seen.add((theirs, ours))
            if theirs in marked:
                found.add(ours)
            for key, inner in theirs.fields.items():
                held = ours.fields.get(ITEM, ours.fields.get(key))
                if held is not None:
                    stack.append((inner, held))
                elif not marked.isdisjoint(inside.reach(inner)):
                    found |= self.reach(ours)
        return found

    # --- unification

    def unify(self, a: Value, b: Value) -> None:
        """Two values may be references to the same memory."""
        literals = (Const, Undef)
        if holds_references(a) and holds_references(b) and not isinstance(a, literals) and not isinstance(b, literals):
            self.merge(self.node(a), self.node(b))

    def merge(self, a: Node, b: Node) -> None:
        """Make two classes one, and those of what their members hold in the same place."""
        pending = [(a, b)]
        while pending:
            a, b = pending.pop()
            a, b = a.find(), b.find()
            if a is b:
                continue
            self._changes += 1
            b.parent = a
            held, b.fields = b.fields, {}
            for key, inner in held.items():
                if key in a.fields:
                    pending.append((a.fields[key], inner))
                else:
                    a.fields[key] = inner
            if ITEM in a.fields and len(a.fields) > 1:
                pending += [(a.fields[ITEM], inner) for inner in a.fields.values()]

    def field(self, container: Value, key: object) -> Node:
        """The class of what a container holds under a key."""
        return self._field(self.node(container), key)

    def _at(self, path: Path) -> Node:
        """The class of what stands at a place in a parameter."""
        node = self.node(self.function.values[path[0]])
        for key in path[1:]:
            node = self._field(node, key)
        return node

    def _field(self, container: Node, key: object) -> Node:
        fields = container.find().fields
        found = fields.get(ITEM) or fields.get(key)
        if found is None:
            self._changes += 1
            found = fields[key] = Node()
            for inner in list(fields.values()) if key == ITEM else ():
                self.merge(found, inner)
        return found.find()

    def put(self, container: Value, key: object, item: Value) -> None:
        """``item`` may be held by ``container`` under ``key``."""
        if holds_references(item) and not isinstance(item, Const | Undef) and not isinstance(container, Const):
            self.merge(self.field(container, key), self.node(item))

    def sharing(self, places: Iterable[tuple[Path, Value]]) -> tuple[tuple[Path, ...], ...]:
        """The groups of places that may be the same memory, among these and all that stands in them."""
        found: dict[Node, list[Path]] = {}
        queue = [(path, self.node(value)) for path, value in places if holds_references(value)]
        for path, node in queue:  # which grows
            found.setdefault(node, []).append(path)
            if len(found[node]) == 1:  # what stands in it is found in one of its places
                queue += [((*path, key), inner.find()) for key, inner in node.fields.items()]
        return tuple(tuple(paths) for paths in found.values() if len(paths) > 1)

    def block(self, block: Block) -> None:
        """Unify what the operations of a block bind together."""
        for op in block.ops:
            if isinstance(op, Call):
                self.call(op)
                continue
            for inner in op.blocks():
                self.block(inner)
            for a, b in flows(op):
                if a not in self.exits:
                    self.unify(a, b)

    def call(self, op: Call) -> None:
        """Unify arguments and results of a call."""
        if op.callee is not None:
            self.storing.append(op)
            self._callee(op)
            return
        does = effects(op)
        if does is NOTHING:
            return
        if does.writes or does.changes:
            self.storing.append(op)
        held = [share.value for share in does.shares if share.how == "holds"]
        if held:
            hold(self, op, held)
        for share in does.shares:
            if share.how == "item":
                take(self, op, share.value)
            elif share.how == "part":
                share_items(self, op, share.value)
            elif share.how != "holds":
                for result in op.results:
                    self.unify(result, share.value)
        for item, container in does.puts:
            if isinstance(container.kind, List) and not pours(op):
                self.put(container, ITEM, item)
            elif isinstance(container.kind, List) and not isinstance(item, Const):
                self.merge(self.field(container, ITEM), self.field(item, ITEM))

    def _callee(self, op: Call) -> None:
        assert op.callee is not None
        if op.callee is self.function:
            self._own_calls.append(op)
        elif op.callee in self.within or op.callee.writes is not None:
            self._tie_all(op)
        else:
            self._tie(self._inside(op.callee), op)

    def _tie_all(self, op: Call) -> None:
        """Sharing by a function that is not known yet: a result may be what went in, or hold it, as a tape does."""
        for result in op.results:
            for arg in op.args:
                self.unify(result, arg)
            if result.kind == UNKNOWN:
                self.merge(self.field(result, ITEM), self.node(result))

    def _tie_own_calls(self) -> None:
        """Sharing by recursive calls: they bind together what the function does; that may be more, with what they bind."""
        for _ in range(4):
            before = self._changes
            for op in self._own_calls:
                self._tie(self, op)
            if self._changes == before:
                return
        for op in self._own_calls:
            self._tie_all(op)

    def _tie(self, inner: Aliases, op: Call) -> None:
        """Bind arguments and results together as a function binds its parameters and what it returns."""
        assert op.callee is not None
        returned = [(origin, r) for y, r in zip(op.callee.body.yields, op.results, strict=False) for origin in inner.origins(y)]
        pairs = [
            (theirs, ours)
            for theirs, ours in [*zip(op.callee.values, op.args, strict=False), *returned]
            if holds_references(theirs) and holds_references(ours) and not isinstance(ours, Const | Undef)
        ]
        if inner is not self:
            pairs += [(value, value) for value in list(inner.named.values())]
        places = [self.node(ours) for _, ours in pairs]
        for does, at, what in inner._steps_from([theirs for theirs, _ in pairs], inner is self):
            if does == OPENS:
                places.append(self._field(places[at], what))
            elif does == FOLDS:
                self.merge(self._field(places[at], ITEM), places[at])
            else:
                self.merge(what if isinstance(what, Node) else places[what], places[at])

    def _steps_from(self, values: list[Value], own: bool) -> Iterable[Step]:
        """The steps in which a call binds together what this function does: the same for each call, but for its own calls."""
        if own:
            return self._steps([(self.node(value), 0) for value in values], own)
        key = tuple(values)
        if key not in self._known_steps:
            self._known_steps[key] = self._binding([(self.node(value), 0) for value in values])
        return self._known_steps[key]

    def _binding(self, queue: list[tuple[Node, int]]) -> list[Step]:
        """The steps that bind something: what is opened, and neither joined with another thing nor written, is left out.

        A caller that takes it out of its container gives it a class then. So a tape of tapes, of calls in calls, costs callers no
        more than what it shares with their arguments.
        """
        given = len(queue)
        steps = [*self._steps(queue, False)]
        needed = {k for does, *ends in steps if does == JOINS for k in ends} | {*range(given)}
        needed |= {k for k, (node, _) in enumerate(queue) if not self.reach(node).isdisjoint(self.written)}
        opened = [at for does, at, _ in steps if does == OPENS]
        for k in range(len(queue) - 1, given - 1, -1):
            if k in needed:
                needed.add(opened[k - given])
        number = {k: count for count, k in enumerate(sorted(needed))}
        bound: list[Step] = []
        place = given
        for does, at, what in steps:
            if does == OPENS:
                bound += [(does, number[at], what)] if place in needed else []
                place += 1
            elif at in needed:
                bound.append((does, number[at], number[what] if does == JOINS else what))
        return bound

    def _steps(self, queue: list[tuple[Node, int]], own: bool) -> Iterator[Step]:
        partner: dict[Node, int] = {}
        opened = 0
        for place, (node, depth) in enumerate(queue):  # which grows
            theirs = node.find()
            if theirs in partner:
                yield JOINS, place, partner[theirs]
                continue
            partner[theirs] = place
            if depth == DEPTH:  # a structure that holds one like itself: a tape holds those of recursive calls
                yield JOINS, place, theirs
            elif theirs.fields and opened == MOST_CONTAINERS:  # all that it holds is one class, which holds itself
                yield FOLDS, place, None
                yield from ((JOINS, place, other) for n in self.reach(theirs) if (other := partner.setdefault(n, place)) != place)
            elif theirs.fields:
                opened += 1
                for key, item in list(theirs.fields.items()):
                    queue.append((item, depth + own))
                    yield OPENS, place, key


def flows(op: Op) -> Iterator[tuple[Value, Value]]:
    """The pairs of values that control flow binds together."""
    if isinstance(op, Straight):
        for result, *ends in zip(op.results, *(block.yields for block in op.blocks()), strict=True):
            for end in ends:
                yield result, end
    elif isinstance(op, Loop):
        carried = zip(op.results, op.init, op.carried, op.carried_yields, *(block.params for block in op.tests), strict=True)
        for result, *others in carried:
            for other in others:
                yield result, other
        yield from ((param, value) for value in op.over if not isinstance(value.kind, Other) for param in op.given)


def facts(function: Function) -> Aliases:
    """The alias classes of a function for its callers, which must not change them: kept as long as nothing in it changes."""
    with settled([function]):
        standing = lasting(function)
        if standing is None:
            return _facts(function)
        if facts not in standing.known:
            standing.known[facts] = _facts(function)
        found: Aliases = standing.known[facts]
        return found


def _facts(function: Function) -> Aliases:
    below = tuple(facts(f) if isinstance(now, Standing) else now for f, now in reach(function).items())
    edition = present(function)
    if edition.below != below or not isinstance(edition.facts, Aliases):
        edition.facts, edition.below = Aliases(function, split=True), below
    return edition.facts


def writes_parameters(function: Function) -> bool:
    """Test for a function that writes into memory that it got from its caller."""
    return bool(facts(function).within[function] if function.writes is None else function.writes)


def written_names(function: Function) -> frozenset[str]:
    """The parameters into whose memory a function writes, by name."""
    return frozenset(function.values[k].name or "" for k in facts(function).written_parameters())


def returns_parameters(function: Function) -> bool:
    """Possibility that the function returns memory that it got from its caller."""
    aliases = facts(function)
    given: set[Node] = set()
    for value in function.values:
        if holds_references(value):
            given |= aliases.reach(aliases.node(value))
    return any(
        given & aliases.reach(aliases.node(v))
        for y in function.body.yields
        for v in aliases.origins(y)
        if holds_references(v) and not isinstance(v, Global)
    )


def is_droppable(op: Call) -> bool:
    """Permission to drop a call when its results are unused."""
    if op.callee is not None:
        return not writes_parameters(op.callee)
    does = effects(op)
    return not does.writes and not does.changes and not does.world
