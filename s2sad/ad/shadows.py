"""Shadows of buffers whose references are dynamic.

Where control flow binds a name to different buffers (``a, b = b, a`` in a loop, ``buf = x if flag else y``), or buffers
live in lists, the shadow travels with its reference: it is made where the buffer is made and goes wherever the
reference goes::

    a = np.zeros(n)                 a = np.zeros(n); a_bar = np.zeros_like(a)
    for t in range(steps):   ==>    for t in range(steps):
        a, b = b, a                     a, b, a_bar, b_bar = b, a, b_bar, a_bar

In the adjoint program these are references like others, recorded as pointers; the tangent program needs none of this,
since its tangents travel anyway.
"""

from __future__ import annotations

from s2sad.ad.buffered import BUFFERED
from s2sad.ad.containers import in_place_of
from s2sad.ad.protect import lying_as_given
from s2sad.analysis.activity import Activity
from s2sad.analysis.alias import Aliases, returns_parameters
from s2sad.analysis.references import is_recursive
from s2sad.analysis.resizing import Resizing
from s2sad.analysis.views import (
    holds_references,
    is_base_itself,
    is_mirrored,
    is_unsure,
    mirror_of,
    reads_through,
    view_base,
)
from s2sad.errors import AliasError, Location, UnsupportedSyntaxError
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import UNKNOWN, Array, List, Scalar, Slice
from s2sad.ir.nodes import (
    LITERALS,
    Block,
    Call,
    Const,
    Function,
    Loop,
    Op,
    Straight,
    Undef,
    Value,
    bar_of,
)
from s2sad.ir.walk import definers, ops_of
from s2sad.rules import registry
from s2sad.rules.containers import INSERTS, MAKES, READS, REMOVES, WRITES, Move, made_items, move_of
from s2sad.rules.effects import effects
from s2sad.rules.traits import having, spelled

STEERING = (MAKES, INSERTS, REMOVES, WRITES)  # what is done to references, and so to their shadows


def _later(function: Function) -> dict[Op, list[Op]]:
    """For each call of a user's function, the operations that may run after it."""
    ops = list(ops_of(function.body))
    loops = [{inner for block in op.blocks() for inner in ops_of(block)} for op in ops if isinstance(op, Loop)]
    found: dict[Op, list[Op]] = {}
    for k, op in enumerate(ops):
        if isinstance(op, Call) and op.callee is not None:
            again = [other for inside in loops if op in inside for other in inside]
            found[op] = [*ops[k + 1 :], *again]
    return found


def refuse_unmirrored(op: Call, loc: Location | None) -> None:
    """Refuse to write into a window that no window of the shadow mirrors, or to pass it on with its shadow."""
    if op.target in having("imaginary part"):
        raise UnsupportedSyntaxError(
            "writing into the imaginary part of an array, or passing it on, is not supported where its array is written",
            location=loc, why="its adjoint is no part of the adjoint of the array",
            instead="z.imag = ... or z.imag[index] = ..., and np.copy(z.imag) to pass it on",
        )  # fmt: skip
    if op.target in having("by contents"):
        raise UnsupportedSyntaxError(
            f"writing into what {op.target} returns, or into its array, is not supported in reverse mode",
            location=loc, why="which part it is depends on what the array holds at that moment", instead="a copy of it",
        )  # fmt: skip
    if effects(op).frozen:
        raise AliasError(
            f"passing on what {op.target} returns is not supported in reverse mode where its array is written",
            location=loc, why="it cannot be written, and neither could the window that mirrors it", instead="a copy of it",
        )  # fmt: skip


def own_shadow(builder: Builder, op: Call, item: Value, base: Value) -> Value:
    """The shadow of a copy of a window that nothing mirrors; where it is none, the derivative is refused as the program runs."""
    builder.call("s2sad.runtime.assert_own_memory", op.target, item, base)
    made = builder.call("s2sad.runtime.zero_twin" if isinstance(item.kind, Array) else "s2sad.runtime.buffer_for", item)
    made.kind = op.result.kind
    return made


class ShadowPass:
    """Adds shadows to a function in place; ``shadow_of`` maps each dynamic reference to its shadow."""

    def __init__(self, function: Function, aliases: Aliases, activity: Activity) -> None:
        self.function = function
        self.aliases = aliases
        self.activity = activity
        self.shadow_of: dict[Value, Value] = {}
        self.replaced: dict[Call, Value] = {}
        self.before: dict[Call, Value] = {}  # the items that stores into other lists replace
        self.builder = Builder(function.body, registry.infer)
        self.later = _later(function)
        self.lying = lying_as_given(function, aliases)
        self.definer = definers(function)
        self.resizing = Resizing()

    def dynamic(self, value: Value) -> bool:
        """Test for a reference whose shadow has to travel with it."""
        if (
            isinstance(value, LITERALS)
            or not holds_references(value)
            or not isinstance(value.kind, Array | List)
            and value.kind != UNKNOWN
        ):
            return False
        if not self.activity.active(value) or value in self.aliases.exits or self.reads_through(value):
            return False
        if isinstance(value.kind, List):
            return self.aliases.static_root(value) is None or self.holds_shadows(value, value.kind)
        return self.aliases.mutable(value) and self.aliases.static_root(value) is None

    def reads_through(self, value: Value) -> bool:
        """Test for a window of what is written whose adjoint goes to its base at once."""
        return self.aliases.mutable(value) and reads_through(value, self.definer)

    def run(self) -> dict[Value, Value]:
        """Add all shadows."""
        body = Block()
        with self.builder.inside(body):
            for value in self.function.values:
                if self.dynamic(value):
                    self.shadow_of[value] = self.zeros(value)
        self.block(self.function.body)
        self.function.body.ops[:0] = body.ops
        return self.shadow_of

    def zeros(self, value: Value) -> Value:
        """A shadow for a fresh buffer."""
        target = spelled("makes zeros") if isinstance(value.kind, Array) else "s2sad.runtime.buffer_for"
        if value in self.lying:
            target = "s2sad.runtime.zero_twin"
        made = self.definer.get(value)
        number = made.args[0] if isinstance(made, Call) and made.target == BUFFERED else value
        fresh = self.builder.call(target, number, name=self.name(value))
        if not isinstance(number.kind, Scalar):  # whose buffer is an array without axes
            fresh.kind = value.kind
        return fresh

    def name(self, value: Value) -> str | None:
        """The shadow's name."""
        return bar_of(value.name)

    def shadow(self, value: Value) -> Value:
        """The shadow of a dynamic reference; of an undefined one, nothing."""
        if isinstance(value, Undef):
            return Undef()
        if isinstance(value, LITERALS):  # the same one may stand in branches of which neither sees what the other makes
            return self.zeros(value)
        found = self.shadow_of.get(value)
        made = self.definer.get(value)
        if found is None and isinstance(made, Call) and self.reads_through(value) and is_mirrored(value, self.definer):
            return self.window(made)
        if found is None:
            self.refuse_unmirrored(value)
            found = self.shadow_of[value] = self.zeros(value)
        return found

    def block(self, block: Block) -> None:
        """Add shadows for the references that a block defines."""
        ops, block.ops = block.ops, []
        with self.builder.inside(block):
            for op in ops:
                self.builder.loc = op.loc
                block.ops.append(op)
                self.op(op)

    def op(self, op: Op) -> None:
        """Add the shadows of one operation's results."""
        if isinstance(op, Call):
            self.call(op)
        elif isinstance(op, Straight):
            for inner in op.blocks():
                self.block(inner)
            for k, result in enumerate(list(op.results)):
                if self.dynamic(result):
                    self.add_result(op.results, result)
                    for inner in op.blocks():
                        with self.builder.inside(inner):
                            inner.yields.append(self.shadow(inner.yields[k]))
        elif isinstance(op, Loop):
            self.loop(op)

    def add_result(self, results: list[Value], primal: Value) -> None:
        """A further result for the shadow of a result."""
        self.shadow_of[primal] = Value(primal.kind, self.name(primal))
        results.append(self.shadow_of[primal])

    def loop(self, op: Loop) -> None:
        """Carry shadows along with the references that a loop carries."""
        slots = [k for k, result in enumerate(op.results) if self.dynamic(result)]
        offset = len(op.body.params) - len(op.results)
        init = []
        outer = self.builder.block.ops
        outer.pop()
        for k in slots:
            init.append(self.shadow(op.init[k]))
        outer.append(op)
        for k in slots:
            param = op.body.params[offset + k]
            self.shadow_of[param] = Value(param.kind, self.name(param))
        op.init += init
        op.body.params += [self.shadow_of[op.body.params[offset + k]] for k in slots]
        for test in op.tests:
            test.params += [Value(test.params[k].kind, self.name(test.params[k])) for k in slots]
        self.block(op.body)
        shift = len(op.body.yields) - len(op.results)
        with self.builder.inside(op.body):
            op.body.yields += [self.shadow(op.body.yields[shift + k]) for k in slots]
        for k in slots:
            self.add_result(op.results, op.results[k])

    def call(self, op: Call) -> None:
        """Shadows of what a call makes, windows of shadows, and lists of shadows."""
        move = move_of(op)
        if move is not None and move.does in STEERING and isinstance(move.within(op).kind, List):
            self.moved(op, move)
            return
        if op.callee is not None:
            self.resize(op, op.callee)
        base = view_base(op)
        for result in op.results:
            if not self.dynamic(result):
                continue
            if op.callee is not None:
                self.refuse_shared(op, result)
            if op.target in having("by contents"):
                refuse_unmirrored(op, op.loc)
            from_list = move is not None and move.does == READS and isinstance(op.args[0].kind, List)
            if base is not None and is_unsure(op) and not is_mirrored(base, self.definer):
                self.shadow_of[result] = own_shadow(self.builder, op, result, base)
            elif base is not None and is_base_itself(op):
                self.shadow_of[result] = self.shadow(base)
            elif base is not None or (from_list and self.dynamic(op.args[0])):
                window = self.window(op)
                self.shadow_of[result] = self.copied(window) if self.has_own_adjoints(op) else window
                if base is not None and is_unsure(op):
                    self.shadow_of[result] = self.builder.call("s2sad.runtime.shadow_of", window, result, base)
                    self.shadow_of[result].kind = result.kind
            else:
                self.shadow_of[result] = self.zeros(result)

    def window(self, op: Call) -> Value:
        """The window of a shadow that mirrors the one that a call makes."""
        fresh = Call(target=mirror_of(op) or op.target, args=list(op.args), kwargs=dict(op.kwargs), loc=op.loc)
        at = next(k for k, v in enumerate(fresh.args) if v is (view_base(op) or op.args[0]))
        fresh.args[at] = self.shadow(fresh.args[at])
        fresh.results = [Value(op.result.kind, self.name(op.result))]
        self.builder.append(fresh)
        return fresh.result

    def has_own_adjoints(self, op: Call) -> bool:
        """Test for a part of a list that has adjoints of arrays of its own, which are added to the list's in the end."""
        base = op.args[0]
        whole = isinstance(base.kind, List) and isinstance(op.args[1].kind, Slice)
        own = whole and (isinstance(base.kind.item, Array) or base.kind.item == UNKNOWN)  # type: ignore[attr-defined]
        return own and not self.aliases.holds_written(base)

    def copied(self, shadow: Value) -> Value:
        copy = self.builder.call("s2sad.runtime.copy_of", shadow)
        copy.kind = shadow.kind
        return copy

    def refuse_unmirrored(self, value: Value) -> None:
        """Refuse to pass on a window that has no shadow to go with it."""
        while self.activity.active(value) and self.reads_through(value):
            op = self.definer[value]
            assert isinstance(op, Call)
            refuse_unmirrored(op, op.loc)
            base = view_base(op)
            assert base is not None
            value = base

    def resize(self, op: Call, callee: Function) -> None:
        """Make the shadows of lists as long as a call has left these: they are zeros still. Refused where it is a recursive one,
        or where their items have shadows that travel themselves."""
        given = {k: v for k, v in enumerate(op.args) if not isinstance(v.kind, Array) and self.dynamic(v)}
        for value in [v for k, v in given.items() if k in self.resizing.positions(callee)]:
            if is_recursive(callee) or not isinstance(value.kind, List) or self.holds_shadows(value, value.kind):
                raise AliasError(
                    f"{callee.title} makes {value.name or 'a list'} longer or shorter", location=op.loc,
                    why="which list that is, or which list holds it, is known only at run time",
                    instead="give it a list of its own, list(items), and return what it has become",
                )  # fmt: skip
            self.builder.call("s2sad.runtime.lay_again", self.shadow(value), value)

    def holds_shadows(self, items: Value, kind: List) -> bool:
        """Possibility that what a list holds has shadows that travel, too."""
        return isinstance(kind.item, List) or kind.item == UNKNOWN or self.aliases.holds_written(items)

    def refuse_shared(self, op: Call, result: Value) -> None:
        """Refuse to write into what a function has returned, where that may be an argument itself."""
        assert op.callee is not None
        mine = self.aliases.node(result)
        given = any(mine in self.aliases.reach(self.aliases.node(a)) for a in op.args if holds_references(a))
        written = given and any(mine in self.aliases.own_writes(store) for store in self.later.get(op, ()))
        if written and returns_parameters(op.callee):  # and does not only share a name with it, as in x = f(x)
            raise AliasError(
                f"what {op.callee.title} returns may be its argument itself, or a part of it, and is written here",
                location=op.loc, why="which memory that is, is known only at run time",
                instead="copy the result before it is written" + ", or call it without checkpoint" * op.callee.checkpointed,
            )  # fmt: skip

    def moved(self, op: Call, move: Move) -> None:
        """Lists and dicts hold references: a container of their shadows is kept beside them, and changed as they are."""
        container, put = move.within(op), move.put(op)
        for item in put:
            self.refuse_written_parts(op, item)
        if not self.dynamic(container):
            if move.does == WRITES and self.activity.active(container) and _may_differ(op):
                self.look_before(op)
            return
        for item in put:
            self.refuse_unmirrored(item)
        keyed = container.kind.keyed
        if move.does == MAKES:
            self.shadow_of[container] = self.made(op, keyed)
        elif move.does == INSERTS:
            self.mirrored(op, move, self.item(put[0]))
        elif move.does == REMOVES:
            if not effects(op).certain:  # what is given may be new, and the shadow that stood there has to come back
                self.replaced[op] = self.builder.call("dict.get", self.shadow(container), op.args[1], Const(None))
                self.replaced[op].kind = op.result.kind
            if self.dynamic(op.result):
                self.shadow_of[op.result] = self.mirrored(op, move)
                self.shadow_of[op.result].kind, self.shadow_of[op.result].name = op.result.kind, self.name(op.result)
            elif not keyed or op in self.replaced:
                self.mirrored(op, move)
        elif self.dynamic(put[0]):
            none = [Const(None)] if keyed else []
            old = self.builder.call("dict.get" if keyed else "operator.getitem", self.shadow(container), op.args[1], *none)
            old.kind = put[0].kind
            self.replaced[op] = old
            self.mirrored(op, move, self.shadow(put[0]))
        elif _may_differ(op):
            self.look_before(op)
            self.mirrored(op, move, self.item(put[0]))

    def made(self, op: Call, keyed: bool) -> Value:
        """The container of the shadows of what is put into a new one; a dict has none of what is no reference."""
        items, name = made_items(op), self.name(op.result)
        if keyed:
            held = [(key, v) for key, v in items.items() if self.dynamic(v)]
            shadows = [self.shadow(v) for _, v in held]
            made = self.builder.call(op.target, Const(tuple(k for k, _ in held)), *shadows, name=name)
        else:
            made = self.builder.call(op.target, *map(self.item, items.values()), name=name)
        made.kind = op.result.kind
        return made

    def mirrored(self, op: Call, move: Move, item: Value | None = None) -> Value:
        """The same operation on the container of shadows; of what is no reference, that of a dict has nothing."""
        assert move.container is not None
        table = {move.container: self.shadow(op.args[move.container])}
        if item is not None and move.items is not None:
            table[move.items] = item
        if move.default is not None and move.default < len(op.args):
            table[move.default] = Const(None)
        return self.builder.call(op.target, *in_place_of(op, table))

    def look_before(self, op: Call) -> None:
        """Read the item that a store replaces: the adjoint of that has its shape, and not that of the new one."""
        items, index, _ = op.args
        assert isinstance(items.kind, List)
        ops = self.builder.block.ops
        ops.pop()
        self.before[op] = self.builder.call("operator.getitem", items, index)
        self.before[op].kind = items.kind.item
        ops.append(op)

    def refuse_written_parts(self, op: Call, item: Value) -> None:
        """Refuse a tuple in a list that holds lists or arrays which are written: its shadow would not travel with it."""
        if isinstance(item, LITERALS) or not item.kind.fixed or not self.activity.active(item):
            return
        if self.aliases.holds_written(item):
            raise AliasError(
                "a list of tuples that hold what is written later is not supported in reverse mode", location=op.loc,
                why="the adjoint of what a tuple in a list refers to is not followed through the list",
                instead="a list for each item of the tuples, or new values in place of what is changed",
            )  # fmt: skip

    def item(self, value: Value) -> Value:
        """The entry of the list of shadows for an item."""
        if self.dynamic(value):
            return self.shadow(value)
        if isinstance(value, Const):
            return Const(0.0)
        return self.builder.call("s2sad.runtime.zeros", value)


def _may_differ(store: Call) -> bool:
    """Possibility that what is stored into a list has another shape than what stood there."""
    items, index, _ = store.args
    if not isinstance(items.kind, List) or isinstance(index.kind, Slice):
        return False
    item = items.kind.item
    fixed = isinstance(item, Array) and item.shape is not None and all(isinstance(n, int) for n in item.shape)
    return not fixed and not isinstance(item, Scalar)
