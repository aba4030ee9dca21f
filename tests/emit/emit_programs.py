"""Random programs for the emitter: few names for many values, crosswise transfers, stores between loads.

``choose`` picks one item of a sequence; it is the only source of chance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from s2sad.ir.builder import Builder
from s2sad.ir.kinds import FLOAT, INT, Array, Kind, Scalar
from s2sad.ir.nodes import LEAF, Block, Const, For, Function, If, Param, Structure, Undef, Value, While
from s2sad.rules import registry

Choose = Callable[[Sequence[Any]], Any]
SIZE = 5
VECTOR = Array("float64", (SIZE,))
NAMES = [None, None, None, "x", "x", "y", "p", "_"]


def callee() -> Function:
    """``def pair(s, t): return s * t, (s - t,)``, which prints what it does."""
    s, t = Value(FLOAT, "s"), Value(FLOAT, "t")
    b = Builder(Block(), registry.infer)
    b.call("builtins.print", s)
    b.block.yields = [b.call("operator.mul", s, t), b.call("operator.sub", s, t)]
    return Function(
        "pair", [Param(s), Param(t)], b.block, Structure("tuple", (LEAF, Structure("tuple", (LEAF,))))
    )


def smooth() -> Function:
    """``def smooth(s): return 0.5 * s``, without effects."""
    s = Value(FLOAT, "s")
    b = Builder(Block(), registry.infer)
    b.block.yields = [b.call("operator.mul", 0.5, s)]
    return Function("smooth", [Param(s)], b.block)


class Generator:
    """Builds one function of two numbers, two arrays, and whatever comes of them."""

    def __init__(self, choose: Choose, length: int = 10) -> None:
        self.choose = choose
        self.length = length
        self.builder = Builder(Block(), registry.infer)
        self.pair, self.smooth = callee(), smooth()

    def function(self) -> Function:
        """A function that returns two numbers and an array."""
        params = [Value(FLOAT, "x"), Value(FLOAT, "y"), Value(VECTOR, "u"), Value(VECTOR, "w")]
        scope = list(params)
        body = self.builder.block
        self.block(scope, self.length, 3)
        body.yields = [self.number(scope), self.number(scope), self.vector(scope)]
        returns = Structure("tuple", (LEAF, Structure("tuple", (LEAF, LEAF))))
        reverse_at = self.choose([None, None, len(body.ops) // 2])
        return Function("f", [Param(v) for v in params], body, returns, reverse_at=reverse_at)

    # --- operands

    def name(self) -> str | None:
        """One of few names, or none."""
        found: str | None = self.choose(NAMES)
        return found

    def pick(self, scope: list[Value], kind: Kind) -> Value:
        """A value of a kind; new ones are likelier."""
        fitting = [v for v in scope if v.kind == kind]
        found: Value = self.choose(fitting[-4:] + fitting)
        return found

    def number(self, scope: list[Value]) -> Value:
        """A number that is a variable, or now and then a literal."""
        return (
            Const(self.choose([0.5, -1.25, 2.0])) if self.choose(range(6)) == 5 else self.pick(scope, FLOAT)
        )

    def count(self, scope: list[Value]) -> Value:
        """A small integer."""
        known = [v for v in scope if v.kind == INT]
        found: Value = self.choose([Const(0), Const(1), Const(3), *known])
        return found

    def value(self, scope: list[Value], kind: Kind) -> Value:
        """A value of a kind."""
        return {FLOAT: self.number, INT: self.count, VECTOR: self.vector}[kind](scope)

    def vector(self, scope: list[Value]) -> Value:
        """An array."""
        return self.pick(scope, VECTOR)

    def place(self, scope: list[Value]) -> Value:
        """A subscript of a number."""
        indices = [v for v in scope if v.kind == INT]
        if not indices or self.choose([True, False]):
            return Const(self.choose([0, 1, 2]))
        index = self.choose(indices)
        offset = self.choose([0, 1, -1])
        return self.builder.call("operator.add", index, offset) if offset else index

    def call(self, scope: list[Value], target: str, *args: Any) -> Value:
        """A call whose result may be used from now on."""
        made = self.builder.call(target, *args, name=self.name())
        if made.kind in (FLOAT, VECTOR):
            scope.append(made)
        elif isinstance(made.kind, Scalar) and made.kind.dtype == "float64":
            made.kind = FLOAT
            scope.append(made)
        return made

    # --- statements

    def block(self, scope: list[Value], length: int, depth: int) -> None:
        """Some statements."""
        simple = (
            [self.arithmetic] * 5
            + [self.load] * 3
            + [self.store] * 2
            + [self.rescale, self.race, self.race, self.arrays, self.window, self.say]
        )
        simple += [self.tuples, self.user_call, self.choice, self.choice, self.tape]
        nested = [self.branch, self.loop, self.loop, self.while_loop, self.guarded] if depth else []
        for _ in range(self.choose(range(1, length))):
            self.depth = depth
            self.choose(simple + nested * 2)(scope)

    def arithmetic(self, scope: list[Value]) -> None:
        """On numbers."""
        operator = self.choose(["add", "sub", "mul", "neg"])
        args = [self.number(scope) for _ in range(1 if operator == "neg" else 2)]
        self.call(scope, f"operator.{operator}", *args)

    def arrays(self, scope: list[Value]) -> None:
        """On arrays, in new memory."""
        self.call(
            scope, self.choose(["operator.add", "operator.mul"]), self.vector(scope), self.vector(scope)
        )

    def load(self, scope: list[Value]) -> None:
        """A number of an array."""
        self.call(scope, "operator.getitem", self.vector(scope), self.place(scope))

    def store(self, scope: list[Value]) -> None:
        """A number into an array, or an array into a window."""
        target = self.choose(["operator.setitem", "s2sad.additem", "s2sad.subitem"])
        if self.choose([True, True, False]):
            self.builder.call(target, self.vector(scope), self.place(scope), self.number(scope))
        else:
            self.builder.call(target, self.vector(scope), self.choose([..., slice(None)]), self.vector(scope))

    def rescale(self, scope: list[Value]) -> None:
        """``a[i] = a[i] * e``, with something in between now and then."""
        base = self.vector(scope)
        index: Any = self.place(scope) if self.choose([True, False]) else slice(1, -1)
        old = self.builder.call("operator.getitem", base, index)
        if self.choose([True, False, False]):
            self.store(scope)
        new = self.builder.call(self.choose(["operator.mul", "operator.sub"]), old, self.number(scope))
        self.builder.call("operator.setitem", base, index, new)

    def race(self, scope: list[Value]) -> None:
        """A number that is read before a store and used behind it."""
        base = self.vector(scope)
        index = self.choose([0, 1, slice(1, -1)])
        old = self.builder.call("operator.getitem", base, index)
        if not isinstance(old.kind, Scalar):
            old = self.builder.call("numpy.sum", old)
        self.store(scope)
        self.call(scope, "operator.add", old, self.number(scope))

    def window(self, scope: list[Value]) -> None:
        """A window, and what is read through it later."""
        base = self.vector(scope)
        part = self.builder.call(
            "operator.getitem", base, self.choose([slice(None), slice(None, None, -1)]), name=self.name()
        )
        part.kind = VECTOR
        scope.append(part)

    def say(self, scope: list[Value]) -> None:
        """An effect whose place matters."""
        self.builder.call("builtins.print", self.number(scope))

    def tuples(self, scope: list[Value]) -> None:
        """Through a tuple and back."""
        pair = self.builder.call("builtins.tuple", self.number(scope), self.vector(scope))
        results = self.builder.unpack(pair, [FLOAT, VECTOR])
        for value in results:
            value.name = self.name()
        scope += results

    def user_call(self, scope: list[Value]) -> None:
        """A user's function, with two results or one."""
        if self.choose([True, False]):
            results = self.builder.call_function(
                self.pair, [self.number(scope), self.number(scope)], [FLOAT, FLOAT]
            )
        else:
            results = self.builder.call_function(self.smooth, [self.number(scope)], [FLOAT])
        for value in results:
            value.name = self.name()
        scope += results

    def tape(self, scope: list[Value]) -> None:
        """Push two values, pop them again."""
        items = self.builder.call("builtins.list", name=self.choose(["x_tape", None]))
        for _ in range(2):
            self.builder.call("list.append", items, self.number(scope))
            self.arithmetic(scope)
        for _ in range(2):
            popped = self.builder.call("list.pop", items, name=self.name())
            popped.kind = FLOAT
            if self.choose([True, False, False]):
                self.builder.call("operator.setitem", self.vector(scope), self.place(scope), popped)
            else:
                scope.append(popped)

    # --- branches

    def less(self, scope: list[Value]) -> Value:
        """A condition."""
        return self.builder.call(
            "operator.lt", self.number(scope), self.number(scope), name=self.choose([None, None, "c"])
        )

    def choice(self, scope: list[Value]) -> None:
        """A number or a condition that a branch chooses without doing anything else."""
        op = If(cond=self.less(scope))
        kind = self.choose(["and", "or", "number"])
        for block, keeps in ((op.then, kind == "or"), (op.orelse, kind == "and")):
            with self.builder.inside(block):
                inner = list(scope)
                self.arithmetic(inner)
                value = (
                    self.pick(inner, FLOAT) if kind == "number" else op.cond if keeps else self.less(inner)
                )
            block.yields = [value]
        result = Value(FLOAT if kind == "number" else op.cond.kind, self.choose([None, None, "x"]))
        op.results = [result]
        self.builder.append(op)
        if self.choose([True, False, False]):
            self.store(scope)
        if kind == "number":
            scope.append(result)
        else:
            self.builder.call("builtins.print", result)

    def branch(self, scope: list[Value]) -> None:
        """An ``if`` that merges values."""
        op = If(cond=self.less(scope))
        kinds = self.choose([[FLOAT], [FLOAT, FLOAT], [VECTOR, FLOAT], []])
        for block in op.blocks():
            inner = list(scope)
            with self.builder.inside(block):
                if self.choose([True, True, False]):
                    self.nested(inner)
            block.yields = [self.number(inner) if kind == FLOAT else self.vector(inner) for kind in kinds]
        op.results = [Value(kind, self.name()) for kind in kinds]
        self.builder.append(op)
        scope += op.results

    def guarded(self, scope: list[Value]) -> None:
        """A value that only one path binds, read only there."""
        cond = self.less(scope)
        first, second = If(cond=cond), If(cond=cond)
        with self.builder.inside(first.then):
            inner = list(scope)
            self.arithmetic(inner)
            first.then.yields = [self.pick(inner, FLOAT)]
        first.orelse.yields = [Undef()]
        first.results = [Value(FLOAT, self.name())]
        self.builder.append(first)
        self.arithmetic(scope)
        with self.builder.inside(second.then):
            second.then.yields = [self.builder.call("operator.add", first.results[0], self.number(scope))]
        second.orelse.yields = [self.number(scope)]
        second.results = [Value(FLOAT, self.name())]
        self.builder.append(second)
        scope += second.results

    # --- loops

    def nested(self, scope: list[Value]) -> None:
        """The statements of a nested block."""
        depth = self.depth
        self.block(scope, 5, depth - 1)
        self.depth = depth

    def slots(self, scope: list[Value]) -> tuple[list[Value], list[Value], list[Value]]:
        """What a loop carries: where it starts, the parameters, the results."""
        kinds = self.choose(
            [[FLOAT], [FLOAT, FLOAT], [FLOAT, FLOAT, FLOAT], [VECTOR, VECTOR, FLOAT], [INT, FLOAT]]
        )
        names = [self.name() for _ in kinds]
        init = [self.value(scope, kind) for kind in kinds]
        results = [Value(kind, self.choose([name, None])) for kind, name in zip(kinds, names, strict=True)]
        return init, [Value(kind, name) for kind, name in zip(kinds, names, strict=True)], results

    def handed_on(self, scope: list[Value], params: list[Value]) -> list[Value]:
        """What an iteration hands to the next: crosswise, unchanged, or computed."""
        found = []
        for param in params:
            kept = self.choose([v for v in params if v.kind == param.kind])
            new = self.value(scope, param.kind)
            found.append(self.choose([kept, new, new]))
        return found

    def stop(self, scope: list[Value], params: list[Value]) -> list[Value]:
        """The flag that ends a loop early: computed, constant, or itself carried."""
        return [self.choose([self.less(scope), Const(False), *[v for v in params if v.kind == FLOAT]])]

    def loop(self, scope: list[Value]) -> None:
        """A ``for`` loop."""
        op = For(iterable=self.builder.call("builtins.range", self.count(scope)))
        if self.choose([True, False, False]):
            op.iterable = self.builder.call("builtins.reversed", op.iterable)
        op.init, params, op.results = self.slots(scope)
        item = Value(INT, self.choose(["i", "i", None, "x"]))
        op.body.params = [item, *params]
        inner = [*scope, item, *params]
        with self.builder.inside(op.body):
            self.nested(inner)
            op.body.yields = self.handed_on(inner, params)
            if self.choose([True, False, False]):
                op.breaks = True
                op.body.yields = self.stop(inner, params) + op.body.yields
        self.builder.append(op)
        scope += op.results

    def while_loop(self, scope: list[Value]) -> None:
        """A ``while`` loop that counts, and may test something else besides."""
        op = While()
        op.init, params, op.results = self.slots(scope)
        op.init.append(Const(self.choose([0, 1, 3])))
        tested = [Value(v.kind, v.name) for v in params]
        op.test.params = [*tested, Value(INT, "k")]
        op.body.params = [*params, Value(INT, "k")]
        op.results.append(Value(INT, self.choose(["k", None])))
        with self.builder.inside(op.test):
            self.test(op, [*scope, *tested])
        inner = [*scope, *params, op.body.params[-1]]
        with self.builder.inside(op.body):
            self.nested(inner)
            left = self.builder.call("operator.sub", op.body.params[-1], 1, name=self.choose(["k", None]))
            op.body.yields = [*self.handed_on(inner, params), left]
            if self.choose([True, False, False]):
                op.breaks = True
                op.body.yields = self.stop(inner, params) + op.body.yields
        self.builder.append(op)
        scope += op.results[:-1]

    def test(self, op: While, scope: list[Value]) -> None:
        """The test of a while loop: one comparison, or two with ``and``."""
        counting = self.builder.call("operator.gt", op.test.params[-1], 0)
        op.test.yields = [counting]
        if self.choose([True, False]):
            both = If(cond=counting)
            both.orelse.yields = [counting]
            with self.builder.inside(both.then):
                both.then.yields = [self.less(scope)]
            both.results = [Value(counting.kind)]
            self.builder.append(both)
            op.test.yields = both.results
        if self.choose([True, False, False]):
            self.say(scope)
