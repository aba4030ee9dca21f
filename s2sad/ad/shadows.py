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

from s2sad.analysis.activity import Activity
from s2sad.analysis.alias import Aliases, holds_references, is_unsure, view_base
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import UNKNOWN, Array, List
from s2sad.ir.nodes import LITERALS, Block, Call, Const, For, Function, If, Op, Undef, Value, While, With
from s2sad.rules import registry

LIST_OPS = {"builtins.list", "list.append", "list.pop", "operator.setitem"}


class ShadowPass:
    """Adds shadows to a function in place; ``shadow_of`` maps each dynamic reference to its shadow."""

    def __init__(self, function: Function, aliases: Aliases, activity: Activity) -> None:
        self.function = function
        self.aliases = aliases
        self.activity = activity
        self.shadow_of: dict[Value, Value] = {}
        self.replaced: dict[Call, Value] = {}
        self.builder = Builder(function.body, registry.infer)

    def dynamic(self, value: Value) -> bool:
        """Whether the reference's shadow has to travel with it."""
        if (
            isinstance(value, LITERALS)
            or not holds_references(value)
            or not isinstance(value.kind, Array | List)
            and value.kind != UNKNOWN
        ):
            return False
        if not self.activity.active(value):
            return False
        if isinstance(value.kind, List):
            nested = isinstance(value.kind.item, List) or value.kind.item == UNKNOWN
            return nested or self.aliases.static_root(value) is None or self.aliases.holds_written(value)
        return self.aliases.mutable(value) and self.aliases.static_root(value) is None

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
        target = "numpy.zeros_like" if isinstance(value.kind, Array) else "s2sad.runtime.zeros"
        fresh = self.builder.call(target, value, name=self.name(value))
        fresh.kind = value.kind
        return fresh

    def name(self, value: Value) -> str | None:
        """The shadow's name."""
        return f"{value.name}_bar" if value.name else None

    def shadow(self, value: Value) -> Value:
        """The shadow of a dynamic reference; of an undefined one, nothing."""
        if isinstance(value, Undef):
            return Undef()
        found = self.shadow_of.get(value)
        if found is None:
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
        elif isinstance(op, If):
            for inner in op.blocks():
                self.block(inner)
            for k, result in enumerate(list(op.results)):
                if self.dynamic(result):
                    self.add_result(op.results, result)
                    for inner in op.blocks():
                        with self.builder.inside(inner):
                            inner.yields.append(self.shadow(inner.yields[k]))
        elif isinstance(op, For | While):
            self.loop(op)
        elif isinstance(op, With):
            self.block(op.body)
            for k, result in enumerate(list(op.results)):
                if self.dynamic(result):
                    self.add_result(op.results, result)
                    op.body.yields.append(self.shadow(op.body.yields[k]))

    def add_result(self, results: list[Value], primal: Value) -> None:
        """A further result for the shadow of a result."""
        self.shadow_of[primal] = Value(primal.kind, self.name(primal))
        results.append(self.shadow_of[primal])

    def loop(self, op: For | While) -> None:
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
        if isinstance(op, While):
            op.test.params += [Value(op.test.params[k].kind, self.name(op.test.params[k])) for k in slots]
        self.block(op.body)
        shift = len(op.body.yields) - len(op.results)
        with self.builder.inside(op.body):
            op.body.yields += [self.shadow(op.body.yields[shift + k]) for k in slots]
        for k in slots:
            self.add_result(op.results, op.results[k])

    def call(self, op: Call) -> None:
        """Shadows of what a call makes, windows of shadows, and lists of shadows."""
        if (
            op.target in LIST_OPS
            and op.callee is None
            and isinstance(op.args[0].kind if op.args else op.result.kind, List)
        ):
            self.list_call(op)
            return
        if op.target == "builtins.list" and self.dynamic(op.result):
            self.list_call(op)
            return
        base = view_base(op)
        for result in op.results:
            if not self.dynamic(result):
                continue
            from_list = op.target == "operator.getitem" and isinstance(op.args[0].kind, List)
            if base is not None or (from_list and self.dynamic(op.args[0])):
                fresh = Call(target=op.target, args=list(op.args), kwargs=dict(op.kwargs), loc=op.loc)
                at = next(k for k, v in enumerate(fresh.args) if v is (base or op.args[0]))
                fresh.args[at] = self.shadow(fresh.args[at])
                fresh.results = [Value(result.kind, self.name(result))]
                self.builder.append(fresh)
                self.shadow_of[result] = fresh.result
                if base is not None and is_unsure(op):
                    self.shadow_of[result] = self.builder.call("s2sad.runtime.shadow_of", fresh.result, result, base)
                    self.shadow_of[result].kind = result.kind
            else:
                self.shadow_of[result] = self.zeros(result)

    def list_call(self, op: Call) -> None:
        """Lists hold references: a list of their shadows is kept beside them."""
        container = op.result if op.target == "builtins.list" else op.args[0]
        if not self.dynamic(container):
            return
        if op.target == "builtins.list":
            shadow = self.builder.call(
                "builtins.list", *[self.item(v) for v in op.args], name=self.name(container)
            )
            shadow.kind = container.kind
            self.shadow_of[container] = shadow
        elif op.target == "list.append":
            self.builder.call("list.append", self.shadow(container), self.item(op.args[1]))
        elif op.target == "list.pop":
            popped = self.builder.call("list.pop", self.shadow(container), *op.args[1:])
            if self.dynamic(op.result):
                popped.kind, popped.name = op.result.kind, self.name(op.result)
                self.shadow_of[op.result] = popped
        elif self.dynamic(op.args[2]):
            old = self.builder.call("operator.getitem", self.shadow(container), op.args[1])
            old.kind = op.args[2].kind
            self.replaced[op] = old
            self.builder.call("operator.setitem", self.shadow(container), op.args[1], self.shadow(op.args[2]))

    def item(self, value: Value) -> Value:
        """What the list of shadows holds for an item."""
        if self.dynamic(value):
            return self.shadow(value)
        if isinstance(value, Const):
            return Const(0.0)
        return self.builder.call("s2sad.runtime.zeros", value)
