"""The kinds of items of lists, once all that is put into them is known.

    xs = [0] * n                 # a list of ints, when this line is lowered
    for i in range(n):
        s += xs[i - 1] * x       # an int? it carries a derivative
        xs[i] = x + s            # for this is put into the same list

Lowering goes through a program once, and reads from a list before it has seen what is stored later, or through another
name. This pass joins what is put into each alias class of lists and hands the wider kinds on to all that is read from
it. Kinds only grow, so that it ends. Numbers may become numbers of another type and arrays lose their shape; anything
else would make what lowering has decided wrong, and is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from s2sad.analysis.activity import flows
from s2sad.analysis.alias import Aliases, Node
from s2sad.analysis.containers import ITEM
from s2sad.errors import CompilerError, UnsupportedSyntaxError
from s2sad.ir.kinds import (
    ANY_SLICE,
    BOTTOM,
    UNKNOWN,
    Array,
    Kind,
    List,
    Scalar,
    Slice,
    Tuple,
    is_differentiable,
    join,
)
from s2sad.ir.nodes import LITERALS, Block, Call, Function, Loop, Op, Value
from s2sad.ir.walk import blocks_of, ops_of
from s2sad.rules import registry
from s2sad.rules.containers import EACH, GIVING, INSERTS, MAKES, READS, WRITES, move_of

ROUNDS = 40
DEEPEST = 24  # levels of containers in containers
PASSING = {"builtins.len", "operator.add", "operator.mul", "list.copy"}


def settle_items(functions: Sequence[Function]) -> None:
    """Widen the kinds of lists, and of what is read from them, in place. Callees come before their callers.

    Raises UnsupportedSyntaxError where a list holds, say, numbers at first and arrays later.
    """
    widened: set[Value] = set()
    for _ in range(ROUNDS):
        rounds = [_Settling(function, widened) for function in functions]
        for each in rounds:
            each.run()
        if not any(each.grown for each in rounds):
            break
    else:
        raise CompilerError("what lists hold does not become stable")
    for function in functions:
        for op in ops_of(function.body):
            for result in op.results:
                if result.kind == BOTTOM:  # either nobody comes here, or nobody knows what it is
                    result.kind = UNKNOWN


def puts(op: Op, unknown: bool = False) -> Iterator[tuple[Value, Value]]:
    """The pairs (list, item) of what an operation puts where. ``unknown``: also into what is not known to be a list."""
    move = move_of(op)
    if isinstance(op, Call) and move is not None and move.does in (MAKES, INSERTS, WRITES) and not move.back:
        place, items = move.at(op), move.within(op)
        listed = isinstance(items.kind, List) or unknown and items.kind == UNKNOWN
        if move.does == INSERTS or listed and not (place is not None and isinstance(place.kind, Slice)):
            yield from ((items, item) for item in move.put(op))


def reads_item(op: Call) -> bool:
    """Test for an operation that reads an item of a list, of which lowering may have found out more since."""
    move = move_of(op)
    if move is None or move.does not in GIVING or not isinstance(op.args[0].kind, List):
        return False
    place = move.at(op)
    return move.default is None and place is not None and not isinstance(place.kind, Slice)


def _bound(op: Op) -> Iterator[tuple[Value, Value]]:
    """The pairs (source, target) that control flow binds together."""
    yield from flows(op)
    if isinstance(op, Loop):
        yield from (pair for block in op.tests for pair in zip(op.carried, block.params, strict=True))


class _Settling:
    """One round for one function; ``widened`` are the values, of all functions, whose kinds have grown."""

    def __init__(self, function: Function, widened: set[Value]) -> None:
        self.function = function
        self.widened = widened
        self.contents: dict[Node, Kind] = {}
        self.grown = False

    @cached_property
    def aliases(self) -> Aliases:
        """The sharing of memory; nobody asks where there are no containers."""
        return Aliases(self.function)

    def run(self) -> None:
        """Join what is put into lists, and hand it on."""
        found = [pair for op in ops_of(self.function.body) for pair in puts(op)]
        calls = any(isinstance(op, Call) and op.callee is not None for op in ops_of(self.function.body))
        if not found and not self.widened and not calls:
            return
        for items, item in found:
            node = self.aliases.node(items)
            self.contents[node] = join(self.contents.get(node, BOTTOM), _without_size(item.kind))
        for value in self._values():
            self._widen(value, self._refreshed(value.kind, self.aliases.node(value)), None)
        for op in ops_of(self.function.body):
            self._hand_on(op)

    def _values(self) -> Iterator[Value]:
        """All values of containers, in the order in which the program makes them."""
        found = [*self.function.values]
        for block in blocks_of(self.function.body):
            found += block.params
            found += [value for op in block.ops for value in op.results]
        return (v for v in found if v.kind.container)

    def _refreshed(self, kind: Kind, node: Node, depth: int = 0) -> Kind:
        """The kind of a container by what its class, and the classes within, are known to hold."""
        node = node.find()
        fields = node.fields
        if depth > 8 or not kind.container:
            return kind
        if isinstance(kind, List):
            item = join(kind.item, self.contents.get(node, BOTTOM))
            return replace(
                kind, item=self._refreshed(item, fields[ITEM], depth + 1) if ITEM in fields else item
            )
        keys = iter(kind.keys)
        return kind.mapped(lambda item: self._refreshed(item, fields.get(next(keys), fields.get(ITEM, Node())), depth + 1))

    def _hand_on(self, op: Op) -> None:
        """Kinds of results from those of operands that have grown."""
        if not isinstance(op, Call):
            for source, target in _bound(op):
                if source in self.widened:
                    self._widen(target, join(target.kind, source.kind), op)
            return
        if op.callee is not None:
            for param, arg in zip(op.callee.values, op.args, strict=False):
                if arg in self.widened:
                    self._widen(param, join(param.kind, arg.kind), op)
                if isinstance(param.kind, List) and isinstance(
                    arg.kind, List
                ):  # the callee puts items into the same list
                    self._widen(arg, join(arg.kind, param.kind), op)
            for result, end in zip(op.results, op.callee.body.yields, strict=False):
                if end in self.widened:
                    self._widen(result, join(result.kind, end.kind), op)
        elif op.results and (reads_item(op) or any(v in self.widened for v in op.operands())):
            self._infer(op)

    def _infer(self, op: Call) -> None:
        if op.target == "s2sad.runtime.tuple_of" and is_differentiable(op.args[0].kind):
            raise UnsupportedSyntaxError(
                "a tuple made of this list is not supported in a differentiated function", location=op.loc,
                why="the list held integers at first, and a tuple of those may be an index",
                instead="fill the list with floats: 0.0 in place of 0",
            )  # fmt: skip
        move = move_of(op)
        if move is not None and move.place == EACH and move.does == READS:
            kind = op.args[0].kind
            if isinstance(kind, Tuple):
                for result, item in zip(op.results, kind.items, strict=True):
                    self._widen(result, join(result.kind, item), op)
            return
        found = registry.infer(op)
        if found == UNKNOWN and reads_item(op) and op.args[0] in self.widened:
            found = self._held_at(op)
        elif found == UNKNOWN and op.result.kind != BOTTOM:
            return  # of what lowering alone knows the kind, that stands
        self._widen(op.result, join(op.result.kind, found), op)

    def _held_at(self, read: Call) -> Kind:
        """The kind of what a list may hold where an item is read: all that is put into it before, or in a loop with the read.

        In a list that the function is given, or that it gives to another before, all that anybody puts counts.
        """
        node = self.aliases.node(read.args[0])
        if node in self._given:
            return UNKNOWN
        held: Kind = BOTTOM
        later, around = False, self._loops_of(read)
        for op, loops in self._in_order:
            if op is read:
                later = True
            elif isinstance(op, Call) and op.callee is not None:
                if not later and any(self.aliases.node(v) is node for v in op.args if isinstance(v.kind, List)):
                    return UNKNOWN
            elif not later or loops & around:
                for items, item in puts(op):
                    if self.aliases.node(items) is node:
                        held = join(held, _without_size(item.kind))
        return held

    @cached_property
    def _given(self) -> set[Node]:
        """The classes of what the function is given, and of what that holds."""
        given = [v for v in self.function.values if v.kind.container]
        return {inner for v in given for inner in self.aliases.reach(self.aliases.node(v))}

    @cached_property
    def _in_order(self) -> list[tuple[Op, frozenset[Op]]]:
        """The operations in the order of the text, with the loops around each."""
        found: list[tuple[Op, frozenset[Op]]] = []

        def walk(block: Block, loops: frozenset[Op]) -> None:
            for op in block.ops:
                found.append((op, loops))
                for inner in op.blocks() if not isinstance(op, Call) else ():
                    walk(inner, loops | {op} if isinstance(op, Loop) else loops)

        walk(self.function.body, frozenset())
        return found

    def _loops_of(self, op: Op) -> frozenset[Op]:
        return next(loops for one, loops in self._in_order if one is op)

    def _is_passed_on(self, value: Value, op: Op | None) -> bool:
        """Test for a list that is only filled, handed on and read item by item: where it is given to a function, in there."""
        callee = op.callee if isinstance(op, Call) else None
        body = callee.body if callee is not None and any(v is value for v in callee.values) else self.function.body
        users = [op for op in ops_of(body) if any(v is value for v in op.operands())]
        return all(_passes_on(op) and not (isinstance(op, Loop) and value in op.over) for op in users)

    def _widen(self, value: Value, kind: Kind, op: Op | None) -> None:
        if isinstance(value, LITERALS) or isinstance(kind, Slice) or _says_no_less(value.kind, kind):
            return
        if not _fits(value.kind, kind) and not (_fits(value.kind, kind, loose=True) and self._is_passed_on(value, op)):
            ops = [*ops_of(self.function.body)]
            maker = op or next((o for o in ops if any(i is value for i, _ in puts(o))), None)
            source = next((o for o in ops if value in o.results), maker)
            taped = isinstance(source, Call) and source.callee is not None and value.name == f"{source.callee.title}_tape"
            what = f"what is recorded in {source.callee.title}" if taped else value.name or "this list"  # type: ignore[union-attr]
            why = f"it is a {_short(value.kind)} where it is read, and a {_short(kind)} after what is stored later"
            instead = "one list for each kind of items, or tuples whose items have the same kinds"
            if taped:
                why = "its calls within each other record what they are given and make, in other lists at each depth"
                instead = "a loop in place of the recursion, or a function of NumPy; first derivatives do without"
            raise UnsupportedSyntaxError(
                f"items of different kinds in {what} are not supported in a differentiated function",
                location=next((o.primal or o.loc for o in (maker, source, *ops) if o is not None and (o.primal or o.loc)), None),
                why=why, instead=instead,
            )  # fmt: skip
        if _levels(kind) > DEEPEST:
            raise UnsupportedSyntaxError(
                f"{value.name or 'a list'}, which may hold itself, is not supported in a differentiated function",
                location=op.loc if op else None, why=f"lists in it hold lists, and so on, for more than {DEEPEST} levels",
                instead="objects that are bound to names, or lists of the places of others",
            )  # fmt: skip
        value.kind = kind
        self.widened.add(value)
        self.grown = True


def _levels(kind: Kind) -> int:
    """The depth of containers in a container."""
    return 1 + max(map(_levels, kind.inner), default=0) if kind.container else 0


def _fits(old: Kind, new: Kind, loose: bool = False) -> bool:
    """Test that what lowering has decided for one kind is right for a wider one. ``loose``: of a list, as long as nothing is
    decided by what it holds: numbers and arrays may have become items of unknown kind."""
    if old in (BOTTOM, UNKNOWN):
        return True
    if type(old) is not type(new):
        return False
    if isinstance(old, List) and isinstance(new, List):
        return loose and new.item == UNKNOWN and isinstance(old.item, Scalar | Array) or _fits(old.item, new.item, loose)
    return len(old.inner) == len(new.inner) and all(map(_fits, old.inner, new.inner))


def _passes_on(op: Op) -> bool:
    """Test for an operation that decides nothing by the items of lists that it is given: its results are looked at themselves."""
    if not isinstance(op, Call) or op.callee is not None:
        return True
    return op.target in PASSING or move_of(op) is not None


def _says_no_less(old: Kind, new: Kind) -> bool:
    """Test for a kind that is as wide as another."""
    if isinstance(old, Slice) and isinstance(new, Slice):
        return old in (new, ANY_SLICE)
    if isinstance(old, List) and isinstance(new, List):
        return type(old) is type(new) and _says_no_less(old.item, new.item)
    if isinstance(old, Tuple) and isinstance(new, Tuple):
        same = replace(old, items=()) == replace(new, items=()) and len(old.items) == len(new.items)
        return same and all(map(_says_no_less, old.items, new.items))
    return old == new


def _without_size(kind: Kind) -> Kind:
    """A number as a list may hold it: another one may have been put there."""
    if isinstance(kind, Scalar):
        return Scalar(types=kind.types)
    return kind.mapped(_without_size) if isinstance(kind, Tuple) else kind


def _short(kind: Kind) -> str:
    """A kind in so many words as one may read."""
    text = str(kind)
    return text if len(text) <= 60 else f"{text[:60]}..."
