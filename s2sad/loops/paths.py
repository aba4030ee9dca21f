"""Distinctions that machine code lacks, since a variable has one type there: names that some path leaves unbound, and whole
numbers where other paths have floats.

    if n > 2:                           y_bound = False
        y = x * x           ==>         if n > 2:
    return y                                y = x * x
                                            y_bound = True
                                        assert y_bound
                                        return y

    k = 3 ** n                          k = 3 ** n
    if x > 1.0:             ==>         if x > 1.0:
        k = 0.5                             k = 0.5
                                        else:
                                            k = exact(k)

Python raises an exception where a name is not bound, and counts exactly with integers of any size.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from s2sad.ir.kinds import BOOL, Kind, List, Other, Scalar, Tuple
from s2sad.ir.nodes import SAME, Block, Call, Const, For, Function, If, Loop, Op, Undef, Value
from s2sad.ir.unbound import is_absent
from s2sad.ir.walk import ops_of, raises
from s2sad.loops.refusal import refuse
from s2sad.rules.containers import INSERTS, MAKES, TAKING, WRITES, gives, move_of

KEEPING = {f"operator.{name}" for name in ("add", "sub", "mul", "neg", "pos", "floordiv", "mod", "pow")} | {
    SAME, "builtins.abs", "builtins.min", "builtins.max"}  # fmt: skip
CHOOSING = {"builtins.min", "builtins.max"}  # an integer among floats may be what they give
PASSING = {SAME, "s2sad.runtime.stand_in"}  # what they are given, whatever it is


def groups(op: Op) -> list[list[Value]]:
    """The values that a region binds: lists in one order, of what it gives and of what its blocks carry."""
    if isinstance(op, Loop):
        return [op.results, op.carried, *(block.params for block in op.tests)]
    return [op.results] if isinstance(op, If) else []


def origins(op: Op) -> Iterator[tuple[Value, Value, Block | None]]:
    """Each value that a region binds, one of what it may come from, and the block that hands that over; None: what is before.

    What a block that ends by raising would hand over is nothing.
    """
    if isinstance(op, If):
        for block in op.blocks():
            if not raises(block):
                yield from zip(op.results, block.yields, [block] * len(op.results), strict=True)
    elif isinstance(op, Loop):
        for values in groups(op):
            yield from zip(values, op.init, [None] * len(values), strict=True)
            yield from zip(values, op.carried_yields, [op.body] * len(values), strict=True)


def insert(function: Function, block: Block, before: Op | None, op: Op) -> None:
    """Insert an operation into a block of a function, before another one or at the end."""
    at = len(block.ops) if before is None else block.ops.index(before)
    block.ops.insert(at, op)
    if block is function.body and function.reverse_at is not None and at < function.reverse_at:
        function.reverse_at += 1


def closure(edges: Iterable[tuple[Value, Value]], found: set[Value]) -> set[Value]:
    """``found``, and all values with an edge to one of it."""
    edges, count = list(edges), -1
    while count != len(found):
        count = len(found)
        found.update(value for value, origin in edges if origin in found)
    return found


# --- names that are not bound


def _read(op: Op) -> list[Value]:
    """The values that an operation itself reads: regions hand the rest over."""
    return op.over if isinstance(op, Loop) else [op.cond] if isinstance(op, If) else op.operands() if isinstance(op, Call) else []


class Bound:
    """Flags beside the names of a function: whether they are bound, as the program knows when it runs.

    ``lax``: operations whose operands need not be bound.
    """

    def __init__(self, function: Function, lax: Collection[Op] = ()) -> None:
        self.function = function
        self.lax = lax
        edges = [edge[:2] for op in ops_of(function.body) for edge in origins(op)]
        self.loose = closure(edges, {value for value, origin in edges if is_absent(origin)})
        self.unset = closure(edges, {value for value, origin in edges if isinstance(origin, Undef)})
        self.regions: dict[Value, tuple[Op, int]] = {}
        for op in ops_of(function.body):
            for values in groups(op):
                self.regions.update((value, (op, k)) for k, value in enumerate(values))
        self.flags: dict[Value, Value] = {}

    def watch(self) -> None:
        """Look before a name is read that may be unbound there."""
        if self.loose:
            seen = self._block(self.function.body, {}, set())
            self._before(self.function.body, None, [v for v in self.function.body.yields if v in self.unset], {}, seen)

    def _block(self, block: Block, holding: dict[Value, bool], outside: set[Value]) -> set[Value]:
        """``outside``: what was looked at before this block; with what is looked at in it, it is the result."""
        seen = set(outside)
        for op in list(block.ops):
            moves = isinstance(op, Call) and (op.target in PASSING or op.callee is not None or _hands_on(op))
            if op not in self.lax and not (isinstance(op, Call) and op.target == "s2sad.runtime.zeros"):
                self._before(block, op, [v for v in _read(op) if v in (self.unset if moves else self.loose)], holding, seen)
            for inner in op.blocks():
                self._block(inner, {**holding, op.cond: inner is op.then} if isinstance(op, If) else holding, seen)
        return seen

    def _before(self, block: Block, op: Op | None, values: list[Value], holding: dict[Value, bool], seen: set[Value]) -> None:
        for value in dict.fromkeys(values):
            if value not in seen and not self._is_bound(value, holding):
                seen.add(value)
                test = Call(target="s2sad.assert", args=[self.flag(value)], results=[Value(Other("none"))])
                test.loc, test.primal = (op.loc, op.primal) if op is not None else (None, None)
                insert(self.function, block, op, test)

    def _is_bound(self, value: Value, holding: dict[Value, bool]) -> bool:
        """Test for a value that the branches that are taken bind."""
        if value not in self.loose:
            return not is_absent(value)
        op, k = self.regions[value]
        if not isinstance(op, If) or op.cond not in holding:
            return False
        return self._is_bound((op.then if holding[op.cond] else op.orelse).yields[k], holding)

    def flag(self, value: Value) -> Value:
        """The truth value that says whether a value is bound."""
        if value not in self.loose:
            return Const(not is_absent(value))
        if value not in self.flags:
            op, k = self.regions[value]
            for values in groups(op):
                self.flags[values[k]] = Value(BOOL, f"{value.name}_bound" if value.name else None)
            if isinstance(op, If):
                for block in op.blocks():
                    block.yields.append(Const(True) if raises(block) else self.flag(block.yields[k]))
            elif isinstance(op, Loop):
                op.init.append(self.flag(op.init[k]))
                op.body.yields.append(self.flag(op.carried_yields[k]))
                for block in op.blocks():
                    own = (op.carried if block is op.body else block.params)[k]
                    block.params.append(self.flags[own])
            op.results.append(self.flags[op.results[k]])
        return self.flags[value]


# --- whole numbers among floats


def _dtype(value: Value) -> str | None:
    return value.kind.widest if isinstance(value.kind, Scalar) else None


def maybe_whole(functions: Iterable[Function]) -> set[Value]:
    """The floats of machine code that may be integers in Python."""
    functions = list(functions)
    edges: list[tuple[Value, Value]] = []
    computed: list[Call] = []
    mixed, taken = False, list[Value]()  # whether lists of floats get integers, and what is taken out of lists
    for function in functions:
        for op in ops_of(function.body):
            edges += [edge[:2] for edge in origins(op)]
            if isinstance(op, Call) and op.callee is not None:
                edges += zip(op.callee.values, op.args, strict=False)
                edges += zip(op.results, op.callee.body.yields, strict=False)
            elif isinstance(op, Call) and op.target in KEEPING and len(op.results) == 1 and _dtype(op.result) == "float64":
                computed.append(op)
            elif isinstance(op, Call):
                item, values = placed(op)
                mixed |= any(turns_into(item, value) for value in values)
                taken += op.results if gives(op) and isinstance(op.args[0].kind, List) else []
            elif isinstance(op, For) and isinstance(op.iterable.kind, List):
                taken.append(op.body.params[0])
    edges = [edge for edge in edges if _dtype(edge[0]) == "float64"]
    found = {value for value, origin in edges if _dtype(origin) == "int64"}
    found |= {op.result for op in computed if op.target in CHOOSING and any(_dtype(v) == "int64" for v in op.args)}
    found |= {value for value in taken if mixed and _dtype(value) == "float64"}
    count = -1
    while found and count != len(found):
        count = len(closure(edges, found))
        found.update(op.result for op in computed if _is_whole(op, found))
    return found


def _is_whole(op: Call, found: set[Value]) -> bool:
    """Possibility that a result is an integer, as ``found`` of the values may be."""
    enough = any if op.target in CHOOSING else all
    return enough(value in found or _dtype(value) in ("int64", "bool") for value in op.args)


def placed(op: Call) -> tuple[Kind | None, list[Value]]:
    """The kind of a list's items, and what a call puts into that list or makes it of."""
    move = move_of(op)
    items = move.within(op).kind if move is not None and move.does in (MAKES, *TAKING) else None
    return (items.item, move.put(op)) if move is not None and isinstance(items, List) else (None, [])


def _hands_on(op: Call) -> bool:
    """Test for an operation that puts things somewhere, and looks at none of them."""
    move = move_of(op)
    return move is not None and move.does in (MAKES, WRITES, INSERTS)


def check_types(function: Function) -> None:
    """Raise NotCompiled where paths or lists get what machine code would change: truth values as numbers, floats as
    integers, and parts of containers."""
    for op in ops_of(function.body):
        if isinstance(op, Call):
            for kind, given in _meetings(op):
                if _changed(kind, given, inner=True):
                    refuse(f"{given} where a list has {kind}", op)
        for value, origin, _ in origins(op):
            if not is_absent(origin) and _changed(value.kind, origin.kind):
                refuse(f"{value.name or 'a value'} is {origin.kind} on one path, {value.kind} on another", op)


def _meetings(op: Call) -> Iterator[tuple[Kind, Kind]]:
    """Kinds that a call makes one type of, in lists: what is put in, and what a list is made of."""
    item, values = placed(op)
    if item is not None:
        yield from ((item, value.kind) for value in values if not turns_into(item, value))
    elif op.callee is not None:
        pairs = [*zip(op.callee.values, op.args, strict=False), *zip(op.results, op.callee.body.yields, strict=False)]
        yield from ((own.kind, given.kind) for own, given in pairs if not isinstance(own.kind, Scalar))
    else:
        lists = [value.kind for value in op.operands() if isinstance(value.kind, List)]
        parts = [kind.item for kind in lists] if gives(op) else lists
        yield from ((value.kind, kind) for value in op.results for kind in parts if isinstance(value.kind, List))


def _changed(kind: Kind, given: Kind, inner: bool = False) -> bool:
    if isinstance(kind, Scalar) and isinstance(given, Scalar):
        return kind.dtype != given.dtype and (inner or given.dtype == "bool")
    if isinstance(kind, Tuple) and isinstance(given, Tuple) and len(kind.items) == len(given.items):
        return any(_changed(one, other, True) for one, other in zip(kind.items, given.items, strict=True))
    if isinstance(kind, List) and isinstance(given, List):
        return _changed(kind.item, given.item, True)
    return False


def entering(op: Op) -> Iterator[tuple[list[Value], int, Block | None]]:
    """Where integers become floats: the list that hands them over, the place, and the block at whose end; None: before."""
    if isinstance(op, If):
        for block in op.blocks():
            yield from ((block.yields, k, block) for k, value in enumerate(op.results) if _turns(value, block.yields[k]))
    elif isinstance(op, Loop):
        yield from ((op.init, k, None) for k, value in enumerate(op.carried) if _turns(value, op.init[k]))
        for k, value in enumerate(op.carried, int(op.breaks)):
            if _turns(value, op.body.yields[k]):
                yield op.body.yields, k, op.body


def _turns(value: Value, origin: Value) -> bool:
    return turns_into(value.kind, origin)


def turns_into(kind: Kind | None, origin: Value) -> bool:
    """Test for an integer that becomes a float of a kind."""
    return isinstance(kind, Scalar) and kind.widest == "float64" and _dtype(origin) == "int64"
