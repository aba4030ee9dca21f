"""Memories of earlier calls that stand in for what a function computes: there, derivatives would be lost.

    if abs(x - memo.x) > 0:                  where x is what it was, the value is that of the earlier call, and has the slope 0,
        memo.x, memo.value = x, g(x)         whatever g is; beside it (x + h) it is g(x)
    return memo.value

A field of an object outside, or of an argument, *remembers* what depends on the variables if something that does is left there;
so does an array or list that is outside, or in such an object, if something that does is written into it.
A **decision** is a value without a derivative (a truth value, a whole number) that is computed of both what the function is given
and what it remembers. Where a decision chooses between something remembered and something computed of the variables, and a result
depends on which, the derivative is refused.

    if value < best.value: best.value, best.x = value, x       comparisons of one with the other (**half** a decision) divide the
                                                               numbers in two halves, and take no point out: two of them may
    tank.left -= x                                             sums and differences of both are such comparisons, too, and are
    if tank.left < 0.5: ...                                    not **tangled**, as abs(x - memo.x) is, which is 0 at one point
    total.sum += x                                             what is remembered is part of what is computed: no choice
    if total.sum > 3: total.sum -= 3
    for j in near.neighbours: ...                              whole numbers and truths that are remembered have no derivative
                                                               that could be lost: they decide, and stand in for nothing
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from operator import or_

from s2sad.analysis.activity import Activity, flows
from s2sad.analysis.alias import Aliases, Node
from s2sad.analysis.outside import KEEP, READ, field_of, path_of, path_of_field
from s2sad.analysis.views import holds_references
from s2sad.errors import NonDifferentiableError
from s2sad.ir.kinds import Array, List, StructKind, Tuple, dtype_of, is_differentiable
from s2sad.ir.nodes import LITERALS, Block, Call, Function, Loop, Op, Straight, Value, With
from s2sad.ir.walk import blocks_of, definers, ops_of
from s2sad.rules.buffers import PUT
from s2sad.rules.effects import effects
from s2sad.rules.traits import having

# Where a decision is made, whether it is only half of one, and the fields and variables that it hangs on.
Decision = tuple[Op, bool, frozenset[str], frozenset[str]]


@dataclass(frozen=True, slots=True)
class Facts:
    """Dependence of a value.

    ``given``: on which variables; ``varied``: with a derivative; ``fields``: what is remembered; ``decided``: which decisions it
    tells; ``gated``: by which it was multiplied; ``chosen``: which chose it; ``tangled``: what is remembered is part of it, and
    what is given, and it is no sum of the one and the other.
    """

    given: frozenset[str] = frozenset()
    varied: bool = False
    fields: frozenset[str] = frozenset()
    decided: frozenset[Decision] = frozenset()
    gated: frozenset[Decision] = frozenset()
    chosen: frozenset[Decision] = frozenset()
    tangled: bool = False

    def __or__(self, other: Facts) -> Facts:
        if self == other or other == NOTHING:
            return self
        return Facts(
            self.given | other.given, self.varied or other.varied, self.fields | other.fields,
            self.decided | other.decided, self.gated | other.gated, self.chosen | other.chosen, self.tangled or other.tangled,
        )  # fmt: skip


NOTHING = Facts()


def note_remembered(functions: list[Function]) -> None:
    """Write down what functions remember in arguments, and in arrays and lists outside; what lowering has marked of the former
    loses its marks."""
    for function in functions:
        marked = any(isinstance(op, Call) and op.target == PUT for op in ops_of(function.body))
        made = definers(function)
        containers = [v for v in made if holds_references(v) and isinstance(v.kind, Array | List | Tuple) and _outlasts(v, made)]
        if not marked and not containers:
            continue
        aliases = Aliases(function)
        if not marked and not any(aliases.reach(aliases.node(v)) & aliases.written for v in containers):
            continue
        activity = Activity(function, aliases, function.values, [])
        walk = _Walk(function, activity, {}, _variables(activity))
        walk.block(function.body)
        remembers = {path: names for path, names in walk.left.items() if isinstance(path, str)}
        for value in containers:
            reached = {node.find() for node in aliases.reach(aliases.node(value))}
            if names := frozenset().union(*(names for node, names in walk.wrote.items() if node.find() in reached)):
                remembers[path_of(value, made)] = names
        function.remembers = remembers
        for block in blocks_of(function.body):
            block.ops = [op for op in block.ops if not (isinstance(op, Call) and op.target == PUT)]


def _outlasts(value: Value, made: Mapping[Value, Op]) -> bool:
    """Test for a read of what is outside, or of an object that is an argument."""
    op = made.get(value)
    if not isinstance(op, Call) or op.callee is not None:
        return False
    if op.target == READ:
        return True
    owner = op.args[0] if op.args else None
    if op.target not in ("s2sad.attribute", "operator.getitem", "s2sad.unpack") or not isinstance(owner, Value):
        return False
    if not owner.kind.container:
        return False
    return owner not in made and isinstance(owner.kind, StructKind) or _outlasts(owner, made)


def refuse_remembered(activity: Activity) -> None:
    """Raise NonDifferentiableError where a decision chooses between what is remembered and what is computed."""
    function = activity.function
    reads = [op for op in ops_of(function.body) if isinstance(op, Call) and op.target == READ]
    left = {field_of(op) for op in ops_of(function.body) if isinstance(op, Call) and op.target == KEEP}
    outside = any(field_of(op) in left for op in reads)
    if not outside and not function.remembers:
        return
    given, made = _variables(activity), definers(function)
    remembered: dict[Value, str] = {}
    numbers: set[str] = set()
    if outside:
        alone = _Walk(function, activity, {}, given)
        alone.block(function.body)
        remembered |= {op.result: path_of(op.result, made) for op in reads if field_of(op) in alone.left}
        kept = {field_of(op) for op in ops_of(function.body) if isinstance(op, Call) and _keeps_numbers(op)}
        numbers |= {path_of(op.result, made) for op in reads if field_of(op) in kept or is_differentiable(op.result.kind)}
    names = {p.name for p in function.params if p.value in given}
    paths = {path for path, theirs in function.remembers.items() if not theirs.isdisjoint(names)}
    for value in made if paths else ():
        if (path := path_of(value, made)) in paths and _owner(value, made) not in given:
            remembered[value] = path
            numbers.add(path)
    if remembered:
        _Walk(function, activity, remembered, given, numbers=frozenset(numbers)).block(function.body)


def _owner(value: Value, made: Mapping[Value, Op]) -> Value:
    """The argument that something is read from: by what is differentiated, nothing in it stands in for something else."""
    while isinstance(op := made.get(value), Call) and op.args:
        value = op.args[0]
    return value


def _variables(activity: Activity) -> dict[Value, Facts]:
    varied = (p for p in activity.function.params if activity.is_varied(p.value))
    return {p.value: Facts(frozenset([p.name]), True) for p in varied}


class _Walk:
    """One function, statement by statement; loops until nothing is new, the first iteration by itself."""

    def __init__(
        self, function: Function, activity: Activity, remembered: Mapping[Value, str], given: Mapping[Value, Facts],
        callers: frozenset[Function] = frozenset(), control: Facts = NOTHING, numbers: frozenset[str] = frozenset(),
    ) -> None:  # fmt: skip
        """``numbers``: what is remembered that may have a derivative."""
        self.function, self.activity, self.aliases = function, activity, activity.aliases
        self.remembered, self.callers, self.numbers = remembered, callers, numbers
        self.facts: dict[Value | Node, Facts] = {}
        self.control = control  # of the tests around
        self.computing = NOTHING  # what was computed since an attempt began
        self.left: dict[object, frozenset[str]] = {}  # fields in which something is left: on which variables it depends
        self.wrote: dict[Node, frozenset[str]] = {}  # the same of memory into which something is written
        for value, facts in given.items():
            self.add(value, facts)

    def key(self, value: Value) -> Value | Node:
        if holds_references(value) and (isinstance(value.kind, List) or self.aliases.mutable(value)):
            return self.aliases.node(value)
        return value

    def of(self, value: Value) -> Facts:
        return NOTHING if isinstance(value, LITERALS) else self.facts.get(self.key(value), NOTHING)

    def add(self, value: Value, facts: Facts) -> None:
        """Join facts to those of a value; it varies only if it may."""
        if isinstance(value, LITERALS):
            return
        if facts.varied and not is_differentiable(value.kind):
            facts = replace(facts, varied=False)
        if value in self.remembered:
            facts = replace(facts, fields=facts.fields | {self.remembered[value]})
        key = self.key(value)
        self.facts[key] = self.facts.get(key, NOTHING) | facts

    def block(self, block: Block) -> None:
        for op in block.ops:
            if isinstance(op, Call):
                self.call(op)
            elif isinstance(op, Loop):
                self.loop(op)
            elif isinstance(op, With):
                self.attempt(op)
            elif isinstance(op, Straight):
                self.branch(op)

    def hand(self, sources: list[Value], targets: list[Value]) -> None:
        for source, target in zip(sources, targets, strict=True):
            self.add(target, self.of(source))

    def inside(self, block: Block, test: Facts) -> None:
        """A block that is entered or not as a test tells."""
        outer, self.control = self.control, self.control | test
        self.block(block)
        self.control = outer

    def attempt(self, op: With) -> None:
        """An attempt: whether it fails may hang on all that is computed there."""
        outer, self.computing = self.computing, NOTHING
        self.block(op.body)
        self.hand(op.body.yields, op.results)
        self.add(op.context, Facts(decided=self.truth(op, self.computing).decided))
        self.computing |= outer

    def truth(self, op: Op, facts: Facts) -> Facts:
        """The decisions that are told by whether a number is zero, or a computation fails."""
        if facts.given and facts.fields:
            return facts | Facts(decided=frozenset([(op, False, facts.fields, facts.given)]))
        return facts

    def test(self, op: Op, value: Value) -> Facts:
        facts = self.of(value)
        return facts if dtype_of(value.kind) == "bool" else self.truth(op, facts)

    def branch(self, op: Straight) -> None:
        test = self.test(op, op.head)
        for block in op.blocks():
            self.inside(block, test)
        for result, *arms in zip(op.results, *(block.yields for block in op.blocks()), strict=True):
            self.choose(op, test, result, *arms)

    def loop(self, op: Loop) -> None:
        entered = [op.carried, *(block.params for block in op.tests)]
        over = functools.reduce(or_, map(self.of, op.over), NOTHING)
        for params in entered:
            self.hand(op.init, params)
        for param in op.given:
            self.add(param, over)
        before: dict[Value | Node, Facts] | None = None
        test = broken = NOTHING
        while self.facts != before:
            before = dict(self.facts)
            test |= functools.reduce(or_, map(self.of, op.over), NOTHING)
            for block in op.tests:
                self.block(block)
                test |= self.test(op, block.yields[0])
            self.inside(op.body, test | broken)
            for result, init, end in zip(op.results, op.init, op.carried_yields, strict=True):
                self.choose(op, test, result, init, end)
            if op.breaks:
                broken |= self.of(op.body.yields[0])
            for params in entered:
                self.hand(op.carried_yields, params)

    def choose(self, op: Op, test: Facts, result: Value, *arms: Value) -> None:
        """A result that is one or the other, as a test tells."""
        found = [*map(self.of, arms)]
        for a, b in itertools.combinations(found, 2):
            self.check(op, test.decided | a.chosen | b.chosen if test.decided else frozenset(), [result], a, b)
        both = functools.reduce(or_, found)
        chosen = both.chosen | test.decided
        if not both.varied:
            both |= Facts(test.given, False, test.fields, test.decided, tangled=bool(test.given or test.fields))
        self.add(result, replace(both, chosen=chosen))

    def check(self, op: Op, decisions: frozenset[Decision], results: list[Value], a: Facts, b: Facts) -> None:
        """Refuse a choice of what is remembered and what is computed that matters, unless by half a decision."""
        if not decisions or len(decisions) == 1 and all(half for _, half, *_ in decisions):
            return
        if not any(self.stands_in(one, other) for one, other in ((a, b), (b, a))):
            return
        if any(is_differentiable(result.kind) and self.activity.is_useful(result) for result in results):
            made, _, fields, _ = min(decisions, key=lambda decision: decision[1])
            raise NonDifferentiableError(
                f"{min(fields)}, which remembers what an earlier call was given, is compared with what a derivative is taken of",
                location=made.loc or op.loc, instead="what is computed without it, or an object that the function itself makes",
                why="where they are equal, the result is that of the earlier call, without a derivative",
            )  # fmt: skip

    def stands_in(self, one: Facts, other: Facts) -> bool:
        """Test for one in which a number is remembered, where the other is computed of the variables."""
        if not one.varied:
            return bool(one.fields) and other.varied
        return bool((one.fields & self.numbers) - other.fields) and other.varied

    def call(self, op: Call) -> None:
        if op.callee is None and op.target in (KEEP, PUT):
            self.leave(op)
            return
        looked_at = effects(op).looks if op.callee is None else ()
        sources = [v for v in op.operands() if not isinstance(v, LITERALS) and not any(v is looked for looked in looked_at)]
        found = [self.of(v) for v in sources]
        found += [Facts(decided=facts.decided | facts.gated) for facts in map(self.of, looked_at)]  # it may be their number
        self.pairs(op, sources, found)
        self.written(op, sources, found)
        if op.callee is not None and self.inner(op):
            return
        self.computed(op, found)

    def leave(self, op: Call) -> None:
        """A store that is left in a field: it depends on the variables by itself, and by the tests around."""
        names = self.variables(self.of(op.args[-1]))
        if names:
            place = field_of(op) if op.target == KEEP else path_of_field(op, definers(self.function))
            self.left[place] = self.left.get(place, frozenset()) | names

    def variables(self, facts: Facts) -> frozenset[str]:
        """The variables that what is written here depends on, by the tests around, too."""
        facts |= self.control
        return facts.given.union(*(given for *_, given in facts.decided))

    def pairs(self, op: Call, sources: list[Value], found: list[Facts]) -> None:
        """Pairs of a call's operands: one that tells a decision, beside what it chooses from; sums of what decisions gated."""
        results = [*op.results, *self.containers(op)]
        for teller, told in zip(sources, found, strict=False):
            others = [f for v, f in zip(sources, found, strict=False) if v is not teller]
            for a, b in itertools.combinations(others, 2) if told.decided and not _is_inexact(teller) else ():
                self.check(op, told.decided, results, a, b)
        for a, b in itertools.combinations(found, 2):
            self.check(op, a.gated & b.gated, results, a, b)

    def containers(self, op: Call) -> Iterator[Value]:
        """The operands through which a call reaches what it writes."""
        written = self.aliases.own_writes(op)
        references = (v for v in op.operands() if holds_references(v) and not isinstance(v, LITERALS))
        yield from (v for v in references if self.aliases.reach(self.aliases.node(v)) & written)

    def written(self, op: Call, sources: list[Value], found: list[Facts]) -> None:
        nodes = self.aliases.own_writes(op)
        if not nodes:
            return
        targets = list(self.containers(op))
        value = NOTHING
        for source, facts in zip(sources, found, strict=False):
            if not any(source is target for target in targets):
                value |= facts
        for target in targets:
            self.check(op, self.control.decided, [target], self.of(target), value)
        names = self.variables(value)
        for node in nodes:
            self.wrote[node] = self.wrote.get(node, frozenset()) | names
            both = self.facts.get(node, NOTHING) | value
            plain = _is_linear(op, found) or op.target in having("writes items")
            self.facts[node] = both if plain else replace(both, tangled=both.tangled or bool(both.given and both.fields))

    def computed(self, op: Call, found: list[Facts]) -> None:
        """Facts of the results of a call of which only the operands are known."""
        varied = {target for source, target in flows(op) if self.of(source).varied}
        every = NOTHING
        for facts in found:
            every |= facts
        self.computing |= every
        gates = every.gated
        if len(found) > 1:
            gates = gates.union(*(facts.decided for facts in found if not facts.varied))
        truths = all(dtype_of(v.kind) == "bool" for v in op.operands())
        tangled = every.tangled or bool(every.given and every.fields) and not _is_linear(op, found)
        for result in op.results:
            if result in varied and is_differentiable(result.kind):
                self.add(result, Facts(every.given, True, every.fields, gated=gates, tangled=tangled))
            elif every.given and every.fields and not is_differentiable(result.kind) and not truths:
                half = op.callee is None and op.target in having("orders") and not any(f.tangled for f in found)
                self.add(result, Facts(decided=every.decided | {(op, half, every.fields, every.given)}))
            else:
                self.add(result, Facts(every.given, False, every.fields, every.decided, gates, tangled=tangled))

    def inner(self, op: Call) -> bool:
        """Success in following what a function of the program does with both."""
        assert op.callee is not None
        callee = op.callee
        given = {p.value: self.of(v) for p, v in zip(callee.params, op.operands(), strict=False)}
        every = NOTHING
        for facts in given.values():
            every |= facts
        if not (every.given and every.fields or every.decided or self.control.decided) or len(given) != len(callee.params):
            return False
        if callee in self.callers:
            return False
        inputs = [value for value, facts in given.items() if facts.varied]
        activity = Activity(callee, Aliases(callee), inputs, callee.body.yields)
        walk = _Walk(callee, activity, {}, given, self.callers | {callee}, self.control, self.numbers)
        walk.block(callee.body)
        if len(op.results) != len(callee.body.yields):
            return False
        for result, value in zip(op.results, callee.body.yields, strict=True):
            self.add(result, walk.of(value))
        self.computing |= walk.computing
        return True


def _is_linear(op: Call, found: list[Facts]) -> bool:
    """Test for sums, differences and items of what an operation is given, or that times what is neither given nor remembered."""
    if op.callee is not None:
        return False
    if op.target in having("multiplies"):
        return sum(facts != NOTHING for facts in found) <= 1
    return op.target in having("adds") | having("sums") | having("arranges") | having("copies")


def _keeps_numbers(op: Call) -> bool:
    """Test for what leaves something outside that may have a derivative: an integer that is found there stands for such.

    An empty list has none.
    """
    return op.target == KEEP and is_differentiable(op.args[-1].kind)


def _is_inexact(value: Value) -> bool:
    dtype = dtype_of(value.kind)
    return dtype is not None and is_differentiable(value.kind)
