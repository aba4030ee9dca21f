"""Values that are expected to be numbers, where nothing is known of them: the items of a tree, what a recursive call returns.

    def total(tree, decay):                                     value = as_number(tree[0]), an int or a float
        if tree is None:
            return 0.0
        value, left, right = tree
        return value**2 + decay * (total(left, decay) + total(right, decay))

A function that computes with operators and functions of numbers alone computes with numbers, as a reader takes it. Where what is
unknown is made of few values, and derivatives pass through many operations with it, these are looked at once, and nothing is
summed to shapes that nobody knows. Where one is no number, ``as_number`` raises Stretched, and the general program runs from
the start.
"""

from __future__ import annotations

from s2sad.ad.beside_none import refusing, tell_kinds
from s2sad.analysis.activity import Activity
from s2sad.ir.kinds import UNKNOWN, Scalar
from s2sad.ir.nodes import LITERALS, SAME, Call, Function, Loop, Op, Straight, Value, While
from s2sad.ir.walk import ops_of
from s2sad.rules import registry
from s2sad.rules.language import Elementwise
from s2sad.rules.traits import having

NUMBERS = ("operator.", "math.", "builtins.")  # modules of functions of numbers
HANDING = ("operator.is_", "operator.is_not", "builtins.tuple", "builtins.list", "list.append", "s2sad.items")


def expect_numbers(function: Function, activity: Activity) -> bool:
    """Put looks in front of what computes with values of which nothing is known, in place, where they are worth it."""
    found = _Groups(function)
    groups = {group for group in found.groups() if group.is_worth(activity)}
    if groups:
        tell_kinds(function, {value for group in groups for value in group.roots})
    return bool(groups)


class _Group:
    """Values of unknown kind that are computed of one another."""

    def __init__(self) -> None:
        self.roots: dict[Value, None] = {}  # those that come from elsewhere
        self.calls: list[Call] = []  # that compute with them
        self.other = False  # something else than a number is done with one of them

    def is_worth(self, activity: Activity) -> bool:
        """Test for more sums that are spared than looks."""
        active = [op for op in self.calls if activity.active(op.result) and _stretches(op)]
        sums = sum(activity.active(v) and not isinstance(v, LITERALS) for op in active for v in dict.fromkeys(op.operands()))
        return not self.other and 0 < len(self.roots) <= sums


class _Groups:
    """The groups of values of unknown kind in a function."""

    def __init__(self, function: Function) -> None:
        self.parent: dict[Value, Value] = {}
        self.made: set[Value] = set()  # by what computes with numbers, or handed on by control flow
        self.used: dict[Value, None] = {}  # that something is computed of
        self.other: set[Value] = set()
        self.calls: list[Call] = []
        for op in ops_of(function.body):
            self.operation(op)

    def groups(self) -> list[_Group]:
        """All of them."""
        found: dict[Value, _Group] = {}
        for value in self.used:
            group = found.setdefault(self.first(value), _Group())
            if value not in self.made:
                group.roots[value] = None
        for op in self.calls:
            for value in (*op.operands(), *op.results):
                if _is_open(value) and (known := found.get(self.first(value))) is not None:
                    known.calls.append(op)
                    break
        for value in self.other:
            if (known := found.get(self.first(value))) is not None:
                known.other = True
        return [*found.values()]

    def first(self, value: Value) -> Value:
        """The representative of a group."""
        while value in self.parent:
            value = self.parent[value]
        return value

    def join(self, values: list[Value]) -> None:
        """Put values into one group."""
        for value in values[1:]:
            one, other = self.first(values[0]), self.first(value)
            if one is not other:
                self.parent[other] = one

    def operation(self, op: Op) -> None:
        """Note what an operation does with values of unknown kind."""
        if isinstance(op, Call):
            self.call(op)
            return
        ends = [inner.yields for inner in op.blocks()] if isinstance(op, Straight) else []
        flows = [(r, [end[k] for end in ends if k < len(end)]) for k, r in enumerate(op.results)] if ends else []
        if isinstance(op, Loop):
            params = [op.carried, *([op.test.params] if isinstance(op, While) else []), op.results]
            for k, (start, end) in enumerate(zip(op.init, op.carried_yields, strict=False)):
                flows += [(values[k], [start, end]) for values in params]
        for result, sources in flows:
            if _is_open(result):
                self.made.add(result)
                self.join([result, *filter(_is_open, sources)])
                plain = all(_is_open(v) or isinstance(v.kind, Scalar) for v in sources)
                self.other |= set() if plain else {result}

    def call(self, op: Call) -> None:
        """Note what a call does with values of unknown kind."""
        if op.callee is not None or op.target in HANDING or op.target == SAME:
            return
        given = [v for v in op.operands() if _is_open(v)]
        computes = op.target.startswith(NUMBERS) and op.target in having("refuses None") | having("orders")
        if computes and all(isinstance(v.kind, Scalar) for v in op.operands() if not _is_open(v)):
            results = [r for r in op.results if _is_open(r) and op.target not in having("orders")]
            self.made.update(results)
            self.used |= dict.fromkeys(given if {*refusing(op)} else ())
            self.join([*given, *results])
            self.calls.append(op)
        else:
            self.other.update(given)


def _is_open(value: Value) -> bool:
    return value.kind == UNKNOWN and not isinstance(value, LITERALS)


def _stretches(op: Call) -> bool:
    primitive = registry.lookup(op.target)
    return primitive is not None and isinstance(primitive.derivative, Elementwise)
