"""A derivative call never changes the caller's arrays: what a function writes into is copied at entry.

    def heat(u, ...):              def heat(u, ...):
        u[1:-1] += ...      ==>        u = u.copy()
                                       u[1:-1] += ...

    def step(state, x):            def step(state, x):
        m = state["m"]      ==>        m = state["m"].copy()
        m *= 0.9                       m *= 0.9

Of a tuple, dict or object only the arrays that are written are copied; a list is copied with all that it holds. With
copies, two parameters on overlapping memory would no longer see each other's writes; a guard refuses them.
"""

from __future__ import annotations

from s2sad.analysis.alias import Aliases
from s2sad.analysis.distinct import called, distinct
from s2sad.analysis.outside import READ, is_bound
from s2sad.analysis.views import holds_references, is_unsure, view_base
from s2sad.errors import AliasError
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import (
    BOTTOM,
    STR,
    UNKNOWN,
    Array,
    Kind,
    List,
    Scalar,
    Tuple,
    is_number,
    lies_apart,
)
from s2sad.ir.nodes import Block, Call, Const, For, Function, Global, Op, Undef, Value
from s2sad.ir.walk import blocks_of, globals_of, ops_of, substitute, substitute_all
from s2sad.rules import registry
from s2sad.rules.containers import gives
from s2sad.rules.effects import LIBRARIES, effects
from s2sad.rules.traits import spelled
from s2sad.rules.user import described_rules

TWINS = ("s2sad.runtime.twin", "s2sad.runtime.twin_as", "s2sad.runtime.zero_twin")
CONTENTS = "s2sad.runtime.contents"


def protect_parameters(function: Function) -> dict[str, Value]:
    """Copy what is written of the parameters at entry, in place; returns the copies of whole parameters by name."""
    aliases = Aliases(function, split=True)
    if not any(_written(aliases, v) for v in (*function.values, *_read(function))):
        return {}
    found = _Copies(function, aliases)
    table: dict[Value, Value] = {}
    for value in [*function.values]:
        if _written(aliases, value) and not value.kind.fixed:
            found.whole = value
            table[value] = found.copy(value)
    substitute_all(function.body, table)
    entry = found.guard()
    function.body.ops[:0] = [*entry, *found.ops]
    found.items_of_structures()
    return {value.name or "_": copy for value, copy in table.items()}


def refuse_sequences(function: Function, copies: dict[str, Value]) -> None:
    """Check at entry that parameters of unknown kind which are written are no lists or tuples: ``+=`` makes a list longer."""
    told = [v for v in function.values if v.kind == UNKNOWN and v.name in copies]
    if told:
        guard = Block()
        names = ", ".join(v.name or "_" for v in told)
        Builder(guard, registry.infer).call("s2sad.runtime.assert_no_sequences", names, *told)
        function.body.ops[:0] = guard.ops


def layout_matters(function: Function, aliases: Aliases, value: Value) -> bool:
    """Test for strides that decide if something is a window of a parameter: then its copy lies in memory as it does."""
    reach = aliases.reach(aliases.node(value))
    unsure = (op for op in ops_of(function.body) if isinstance(op, Call) and op.target != "operator.getitem" and is_unsure(op))
    return any((base := view_base(op)) is not None and aliases.node(base) in reach for op in unsure)


def lying_as_given(function: Function, aliases: Aliases) -> set[Value]:
    """The arrays that lie in memory as a caller's do, where that decides what is a window: their shadows must lie so, too."""
    twins = [op.result for op in ops_of(function.body) if isinstance(op, Call) and op.target in TWINS]
    written = [v for v in (*function.values, *twins) if isinstance(v.kind, Array) and aliases.mutable(v)]
    return {v for v in written if layout_matters(function, aliases, v)}


def _outside(function: Function) -> list[Value]:
    """The arrays and lists from outside that a function and those that it calls read."""
    found: dict[str, Value] = {}
    seen: set[Function] = set()
    stack = [function]
    while stack:
        current = stack.pop()
        seen.add(current)
        returned = [v for v in current.body.yields if isinstance(v, Global)] if current is not function else []
        for value in (*globals_of(current.body), *returned):
            if is_bound(value) or holds_references(value) and value.kind != UNKNOWN:
                found.setdefault(value.path, value)
        for op in ops_of(current.body):
            if isinstance(op, Call) and op.callee is not None and op.callee not in seen:
                stack.append(op.callee)
    return list(found.values())


def guard_calls(function: Function, aliases: Aliases) -> None:
    """Check, before a call of a function that writes into an argument, that no other argument shares that memory; and of
    functions with users' rules, that they write into none, and return none where that matters."""
    for block in list(blocks_of(function.body)):
        ops: list[Op] = []
        for op in block.ops:
            if isinstance(op, Call) and op.callee is not None:
                ops += [*_guarded(aliases, op, op.callee), op]
            elif isinstance(op, Call):
                before = ops[-1] if ops else op
                watched = isinstance(before, Call) and before.target == CONTENTS  # a derivative's program has the check already
                first, last = ([], []) if watched else _unwritten(op)
                ops += [*first, op, *last, *_own_memory(aliases, op)]
            else:
                ops.append(op)
        block.ops = ops


def _unwritten(op: Call) -> tuple[list[Op], list[Op]]:
    """Operations before and after a call of a function with a user's rule, to check that it writes into no argument."""
    given = [a for a in op.operands() if holds_references(a) and not isinstance(a, Const)]
    if not given or op.target not in described_rules() or op.target.startswith(LIBRARIES):
        return [], []
    builder, name = Builder(Block(), registry.infer), Const(op.target)
    builder.loc = op.loc
    before = builder.call(CONTENTS, name, *given, name="held")
    builder.call("s2sad.runtime.assert_unwritten", name, before, *given)
    return builder.block.ops[:1], builder.block.ops[1:]


def _own_memory(aliases: Aliases, op: Call) -> list[Op]:
    """Check that what a function returns of which nothing is known is no part of its arguments, where either is written."""
    results = [r for r in op.results if holds_references(r) and not is_number(r.kind)]
    given = [a for a in op.operands() if holds_references(a) and not isinstance(a, Const)]
    if not given or not results or not effects(op).unknown or registry.lookup(op.target) is None:
        return []
    if not any(aliases.reach(aliases.node(v)) & aliases.written for v in (*results, *given)):
        return []
    guard = Block()
    builder = Builder(guard, registry.infer)
    builder.loc = op.loc
    builder.call("s2sad.runtime.assert_own_memory", op.target, *results, *given)
    return guard.ops


def _guarded(aliases: Aliases, op: Call, callee: Function) -> list[Op]:
    written = aliases.written_by(callee)
    reach = {k: aliases.reach(aliases.node(a)) for k, a in enumerate(op.args) if holds_references(a)}
    changed = {k: aliases.written_of(op, k) for k in written & set(reach)}
    due = {j for k in changed for j in reach if j != k and reach[j] & changed[k]}
    due |= {k for k in changed if any(reach[j] & changed[k] for j in due if j != k)}
    if not due:
        return []
    guard = Block()
    given = [op.args[k] for k in sorted(due)]
    names = [value.name or "" for value in given]
    if len({*names, ""}) <= len(names):
        names = [callee.params[k].name for k in sorted(due)]
    builder = Builder(guard, registry.infer)
    builder.loc = op.loc
    builder.call("s2sad.runtime.assert_distinct", f"{callee.title}: {', '.join(names)}", *given)
    return guard.ops


def _read(function: Function) -> list[Value]:
    """Reads at entry of objects outside that a call of the function has changed before."""
    return [op.result for op in function.body.ops if isinstance(op, Call) and op.target == READ]


def _written(aliases: Aliases, value: Value) -> bool:
    return holds_references(value) and bool(aliases.reach(aliases.node(value)) & aliases.written)


class _Copies:
    """The copies of one function."""

    def __init__(self, function: Function, aliases: Aliases) -> None:
        self.function = function
        self.aliases = aliases
        self.block = Block()
        self.builder = Builder(self.block, registry.infer)
        self.whole: Value = Undef()  # what is being copied, with all that it holds

    @property
    def ops(self) -> list[Op]:
        """The operations that copy parameters."""
        return self.block.ops

    def guard(self) -> list[Op]:
        """A check that no argument that is written, or a part of it, shares memory with another one."""
        arguments = [*(v for v in self.function.values if holds_references(v)), *_outside(self.function)]
        structured = any(not isinstance(v.kind, Array) and v.kind != UNKNOWN for v in arguments)
        if len(arguments) < 2 and not structured and all(map(self.lies_apart, arguments)):
            return []
        written = [v for v in arguments if self.may_be_written(v)]
        return distinct(arguments, written, self.written_parts)

    def written_parts(self, value: Value) -> str:
        """An argument, and where it is a structure, which of its parts are written (``assert_distinct``)."""
        name = called(value)
        places, found, reached = {value: name}, list[str](), set[object]()
        for op in self.function.body.ops if value.kind.fixed or isinstance(value, Global) else ():
            if not isinstance(op, Call) or op.target != READ and not gives(op) or len(op.results) != 1:
                continue
            owner = value if op.target == READ and called(op.args[0]) == name else op.args[0]
            if owner not in places:
                continue
            last = op.args[2 if op.target == READ else 1 :][:1]
            key = last[0].payload if last and isinstance(last[0], Const) else None
            if type(key) is not int and not (isinstance(key, str) and key.isidentifier()):
                return name
            place = f"{places[owner]}:{key}"
            if op.result.kind.fixed:
                places[op.result] = place
            elif _written(self.aliases, op.result):
                found.append(place)
                reached |= self.aliases.reach(self.aliases.node(op.result))
        known = reached.issuperset(self.aliases.reach(self.aliases.node(value)) & self.aliases.written)
        return "|".join(found) if found and known else name

    def may_be_written(self, value: Value) -> bool:
        """Test for an argument that is written, and for what is outside of the function, and is read as it was at entry."""
        if not isinstance(value, Global):
            return _written(self.aliases, value)
        found = [op.args[0] for op in self.function.body.ops if isinstance(op, Call) and op.target == READ]
        return is_bound(value) or any(isinstance(root, Global) and root.path == value.path for root in found)

    def lies_apart(self, value: Value) -> bool:
        """Test for an array that nobody has to look at as the program runs: no two items of it are one place, as in its copy."""
        found = lies_apart(value.name or "_")
        if found is False:
            raise AliasError(
                f"two items of the argument {value.name} are one place in memory, and it is written to",
                why="the array that a derivative call writes into in its place has a place for each item",
                instead=f"pass a copy: {value.name}.copy()",
            )  # fmt: skip
        return bool(found)

    def items_of_structures(self) -> None:
        """Copy the written arrays and lists where they are taken out of a tuple, dict or object parameter."""
        inside = {v for v in self.function.values if v.kind.fixed}
        table: dict[Value, Value] = {}
        ops: list[Op] = []
        copies: set[Op] = set()
        for op in self.function.body.ops:
            substitute(op, lambda v: table.get(v, v))
            ops.append(op)
            if not isinstance(op, Call) or op.callee is not None or not op.results:
                continue
            taken = op.target == READ or gives(op) and len(op.results) == 1 and op.args[0] in inside
            if taken and op.result.kind.fixed:
                inside.add(op.result)
            elif taken and _written(self.aliases, op.result):
                self.block = Block()
                self.whole = op.result
                with self.builder.inside(self.block):
                    table[op.result] = self.copy(op.result)
                ops += self.block.ops
                copies.update(self.block.ops)
        self.function.body.ops = ops
        for op in ops:
            for inner in () if op in copies else op.blocks():
                substitute_all(inner, dict(table))
        self.function.body.yields = [table.get(v, v) for v in self.function.body.yields]

    def copy(self, value: Value) -> Value:
        """A copy of an array, or of a list and what it holds."""
        if isinstance(value.kind, List):
            return self.copied_list(value)
        if not isinstance(value.kind, Array) and value.kind != UNKNOWN:
            raise AliasError(
                f"{self.function.title} writes into {value.name!r}, a {value.kind}",
                why="a derivative call must leave the caller's objects as they are, and cannot copy this one",
                instead=f"begin with a copy: {value.name} = [item for item in {value.name}]",
            )
        optional = any(p.value is value and isinstance(p.default, Const) for p in self.function.params)
        target = "s2sad.runtime.copy_if_any" if optional and value.kind == UNKNOWN else spelled("copies")
        if target == spelled("copies") and layout_matters(self.function, self.aliases, value):
            target = "s2sad.runtime.twin"
        made = self.builder.call(target, value, name=value.name)
        made.kind = value.kind
        return made

    def copied_list(self, items: Value) -> Value:
        """A new list; of arrays, one of new arrays."""
        assert isinstance(items.kind, List)
        item = items.kind.item
        empty = item in (BOTTOM, UNKNOWN) and not items.kind.keyed  # to the knowledge of whoever calls
        if not isinstance(item, Scalar | Array | List) and not _is_plain(item) and not empty:
            name = self.whole.name
            within = items is not self.whole
            raise AliasError(
                f"{self.function.title} writes into {'what its argument ' if within else 'its argument '}{name!r}"
                f"{' holds' if within else ''}, a {self.whole.kind}",
                why="a derivative call must leave the caller's objects as they are, and cannot copy these",
                instead=f"begin with a copy that holds lists of its own, such as {name} = [[a, list(b)] for a, b in {name}]"
                if within else f"begin with a copy: {name} = [item for item in {name}]",
            )  # fmt: skip
        keyed = items.kind.keyed
        target, given = ("s2sad.map", [Const(())]) if keyed else ("builtins.list", [])
        made = self.builder.call(target, *given, name=items.name)
        made.kind = items.kind
        if empty:
            self.builder.call("s2sad.runtime.assert_empty", Const(items.name or "a list"), items)
            return made
        keys = self.builder.call("s2sad.runtime.keys_of", items) if keyed else items
        index = Value(Scalar("int64"))
        length = self.builder.call("builtins.len", keys)
        loop = For(iterable=self.builder.call("builtins.range", length), body=Block([index]))
        self.builder.append(loop)
        with self.builder.inside(loop.body):
            place: Value = index
            if keyed:
                place = self.builder.call("operator.getitem", keys, index)
            old = self.builder.call("operator.getitem", items, place)
            old.kind = item
            if keyed:
                self.builder.call("operator.setitem", made, place, self.held(old, item))
            else:
                self.builder.call("list.append", made, self.held(old, item))
        return made

    def held(self, old: Value, kind: Kind) -> Value:
        """An item of a list as its copy holds it."""
        return old if _is_plain(kind) else self.copy(old)


def _is_plain(kind: Kind) -> bool:
    """Test for a number, text, or a tuple of nothing else, which nobody can write into."""
    return isinstance(kind, Scalar) or kind == STR or isinstance(kind, Tuple) and all(map(_is_plain, kind.items))
