"""Random programs with stores, windows, loops, branches, lists and calls, whose meaning optimisation must keep.

``choose`` picks one item of a sequence; it is the only source of chance, so that hypothesis can steer and shrink it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from s2sad.errors import Location
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import FLOAT, INT, RANGE, Array, Dim, List, Scalar
from s2sad.ir.nodes import LEAF, Block, Call, Const, For, Function, If, Op, Param, Structure, Value, While
from s2sad.rules import registry

Choose = Callable[[Sequence[Any]], Any]

N = Dim("n", many=True)
VECTOR = Array("float64", (N,))
MATRIX = Array("float64", (N, N))
NUMBERS = [0.0, 1.0, -1.0, 0.5, 2.0, -2.0, 0, 1, -1, 2, -0.25]
INSIDE, BACKWARD, FIRST, WHOLE = slice(1, -1), slice(None, None, -1), slice(None, 2), ...
REVERSE = Location("<reverse>", 1)
SIZE = 4


class Scope:
    """The values that may be used, by kind."""

    def __init__(self, outer: Scope | None = None) -> None:
        self.values: list[Value] = list(outer.values) if outer else []

    def of(self, test: Callable[[Value], bool]) -> list[Value]:
        """All values that pass a test, the newest ones first."""
        return [v for v in reversed(self.values) if test(v)]


class Generator:
    """Builds one function from choices."""

    def __init__(self, choose: Choose, length: int = 12) -> None:
        self.choose = choose
        self.length = length
        self.builder = Builder(Block(), registry.infer)
        self.names = iter(f"u{k}" for k in range(10**6))

    def function(self) -> Function:
        """A function of two vectors, a matrix, two numbers and an integer."""
        kinds = {"x": VECTOR, "y": VECTOR, "m": MATRIX, "a": FLOAT, "b": FLOAT, "k": INT}
        params = [Param(Value(kind, name)) for name, kind in kinds.items()]
        body = Block()
        scope = Scope()
        scope.values += [p.value for p in params]
        with self.builder.inside(body):
            self.block(scope, self.length, depth=2)
            outputs = [self.vector(scope), self.number(scope), self.any_array(scope)]
        body.yields = outputs
        reverse_at = self.choose([None, len(body.ops) // 2])
        return Function("f", params, body, Structure("tuple", (LEAF,) * 3), reverse_at=reverse_at)

    # --- operands

    def number(self, scope: Scope) -> Value:
        """A float, or a literal."""
        if self.choose([True, False, False]):
            return Const(self.choose(NUMBERS))
        return self.choose(scope.of(lambda v: v.kind in (FLOAT, Scalar("float64", weak=False))))

    def vector(self, scope: Scope) -> Value:
        """An array of n numbers."""
        return self.choose(scope.of(lambda v: v.kind == VECTOR))

    def any_array(self, scope: Scope) -> Value:
        """An array of any shape."""
        return self.choose(scope.of(lambda v: isinstance(v.kind, Array) and v.kind.shape != ()))

    def like(self, scope: Scope, value: Value) -> Value:
        """A value of the same kind, or None."""
        return self.choose(scope.of(lambda v: v.kind == value.kind))

    def call(self, target: str, *args: Any) -> Value:
        """A call, as the user's or as a derivative's."""
        self.builder.primal = self.choose([None, REVERSE])
        suffix = self.choose([None, None, "", "_bar"])
        name = None if suffix is None else next(self.names) + suffix
        return self.builder.call(target, *args, name=name)

    # --- statements

    def block(self, scope: Scope, length: int, depth: int) -> None:
        """Some statements."""
        for _ in range(self.choose(range(1, length))):
            plain = [self.arithmetic] * 4 + [self.array_arithmetic] * 4 + [self.store] * 5 + [self.zero_then_add] * 2
            plain += [self.window] * 3 + [self.load] * 2 + [self.allocate] * 2 + [self.copy] * 3 + [self.first_addition] * 2
            plain += [self.use_list] * 2 + [self.tuples, self.user_call, self.gather, self.repeat]
            plain += [self.fill] * 2 + [self.total]
            nested = [self.branch, self.loop, self.loop, self.recording, self.while_loop] if depth else []
            self.depth = depth
            self.choose(plain + nested)(scope)

    def arithmetic(self, scope: Scope) -> None:
        """On numbers."""
        operator = self.choose(["add", "sub", "mul", "add", "mul", "neg"])
        args = [self.number(scope) for _ in range(1 if operator == "neg" else 2)]
        scope.values.append(self.call(f"operator.{operator}", *args))

    def array_arithmetic(self, scope: Scope) -> None:
        """On arrays."""
        first = self.any_array(scope)
        operator = self.choose(["add", "sub", "mul", "neg", "neg", "sin", "sum"])
        if operator in ("sin", "sum"):
            scope.values.append(self.call(f"numpy.{operator}", first))
            return
        second = self.like(scope, first) if self.choose([True, False]) else self.number(scope)
        args = [first] if operator == "neg" else [second, first] if self.choose([True, False]) else [first, second]
        scope.values.append(self.call(f"operator.{operator}", *args))

    def window(self, scope: Scope) -> None:
        """A window of an array."""
        index = self.choose([INSIDE, BACKWARD, FIRST, WHOLE])
        scope.values.append(self.call("operator.getitem", self.any_array(scope), index))

    def load(self, scope: Scope) -> None:
        """A number of an array."""
        scope.values.append(self.call("operator.getitem", self.vector(scope), self.place(scope)))

    def place(self, scope: Scope) -> Value:
        """An index of one number."""
        indices = scope.of(lambda v: v.kind == INT)
        if self.choose([True, False]) or not indices:
            return Const(self.choose([0, 1, -1]))
        index = self.choose(indices)
        return self.builder.call("operator.sub", index, 1) if self.choose([True, False]) else index

    def gather(self, scope: Scope) -> None:
        """An advanced index."""
        index = self.builder.call("s2sad.items", 0, 2, 0)
        scope.values.append(self.call("operator.getitem", self.vector(scope), index))

    def store(self, scope: Scope) -> None:
        """Into a cell, a window or all of an array."""
        target = self.choose(["operator.setitem", "s2sad.additem", "s2sad.subitem"])
        if self.choose([True, False]):
            self.call(target, self.vector(scope), self.place(scope), self.number(scope))
            return
        base = self.any_array(scope)
        index = self.choose([INSIDE, BACKWARD, FIRST, WHOLE])
        part = registry.infer(Call(target="operator.getitem", args=[base, Const(index)]))
        fitting = scope.of(lambda v: v.kind == part)
        value = self.choose(fitting) if fitting and self.choose([True, True, False]) else self.number(scope)
        self.call(target, base, index, value)

    def zero_then_add(self, scope: Scope) -> None:
        """The adjoint of a store: read, zero, add."""
        base, place = self.vector(scope), self.place(scope)
        old = self.call("operator.getitem", base, place)
        self.call("operator.setitem", base, place, 0.0)
        new = self.call("operator.mul", old, self.number(scope))
        if self.choose([True, False]):
            self.arithmetic(scope)
        self.call("s2sad.additem", base, place, new)

    def allocate(self, scope: Scope) -> None:
        """Zeros."""
        scope.values.append(self.call("numpy.zeros_like", self.any_array(scope)))

    def first_addition(self, scope: Scope) -> None:
        """Zeros, and an addition to all of it."""
        value = self.any_array(scope)
        if self.choose([True, False]):
            value = self.call("operator.mul", value, self.number(scope))
        zeros = self.call("numpy.zeros_like", value)
        if self.choose([True, False]):
            self.store(scope)
        self.call(self.choose(["s2sad.additem", "s2sad.subitem", "operator.setitem"]), zeros, ..., value)
        scope.values.append(zeros)

    def fill(self, scope: Scope) -> None:
        """An array filled with one number."""
        scope.values.append(self.call("numpy.full_like", self.any_array(scope), self.number(scope)))

    def total(self, scope: Scope) -> None:
        """What a number that was stretched to an array collects."""
        array = self.any_array(scope)
        if self.choose([True, False]):
            array = self.call("operator.mul", array, self.like(scope, array))
        number = self.choose(scope.of(lambda v: v.kind == FLOAT))
        scope.values.append(self.call("s2sad.runtime.unbroadcast", array, number))

    def copy(self, scope: Scope) -> None:
        """A copy of an array or a window, perhaps used at once."""
        source = self.any_array(scope)
        if self.choose([True, False]):
            source = self.call("operator.getitem", source, self.choose([INSIDE, BACKWARD]))
        made = self.call("numpy.copy", source)
        scope.values.append(made)

    def repeat(self, scope: Scope) -> None:
        """An operation again."""
        calls = [op for op in self.builder.block.ops if isinstance(op, Call) and op.callee is None and len(op.results) == 1]
        calls = [op for op in calls if op.results[0].kind == FLOAT or isinstance(op.results[0].kind, Array)]
        if calls:
            op = self.choose(calls)
            scope.values.append(self.call(op.target, *op.args, *op.kwargs.values()))

    def tuples(self, scope: Scope) -> None:
        """Values that go through a tuple."""
        pair = self.call("builtins.tuple", self.vector(scope), self.number(scope))
        if self.choose([True, False]):
            scope.values.append(self.call("operator.getitem", pair, 0))
        else:
            scope.values += self.builder.unpack(pair, [VECTOR, pair.kind.items[1]])

    def use_list(self, scope: Scope) -> None:
        """Arrays in a list."""
        items = self.call("builtins.list", self.vector(scope), self.vector(scope))
        for _ in range(self.choose([0, 1, 2])):
            self.call("list.append", items, self.vector(scope))
        if self.choose([True, False]):
            self.call("operator.setitem", items, 0, self.vector(scope))
        self.store(scope)
        what = self.choose(["pop", "item", "len", "nothing"])
        if what == "pop":
            scope.values.append(self.call("list.pop", items))
        elif what == "item":
            scope.values.append(self.call("operator.getitem", items, self.choose([0, -1])))
        elif what == "len":
            size = self.call("builtins.len", items)
            scope.values.append(self.call("operator.mul", 1.0, size))

    def user_call(self, scope: Scope) -> None:
        """A function that writes its argument, or one that hands back a window of it."""
        callee = self.choose([WRITER, WINDOWER, PURE])
        scope.values += self.builder.call_function(callee, [self.vector(scope)], [v.kind for v in callee.body.yields])

    # --- control flow

    def inner(self, scope: Scope, block: Block, more: Sequence[Value] = ()) -> Scope:
        """Statements in a nested block."""
        inside = Scope(scope)
        inside.values += more
        depth = self.depth
        with self.builder.inside(block):
            self.block(inside, 6, depth - 1)
        self.depth = depth
        return inside

    def append(self, op: Op, scope: Scope, kinds: Sequence[Any]) -> None:
        """Append an operation whose results have these kinds."""
        op.results = [Value(kind, next(self.names) if self.choose([True, False]) else None) for kind in kinds]
        self.builder.append(op)
        scope.values += op.results

    def branch(self, scope: Scope) -> None:
        """An ``if`` that yields a number and a vector."""
        less: Value = Const(True)
        if self.choose([True, True, False]):
            less = self.call("operator.lt", self.number(scope), self.number(scope))
        op = If(cond=less)
        for block in op.blocks():
            inside = self.inner(scope, block)
            block.yields = [self.number(inside), self.vector(inside)]
        self.append(op, scope, [Scalar("float64"), VECTOR])

    def loop(self, scope: Scope) -> None:
        """A ``for`` that carries a number and two vectors."""
        spans = scope.of(lambda v: v.kind == RANGE)
        if not spans or self.choose([True, False]):
            spans = [self.builder.call("builtins.range", self.choose([0, 1, 2, 3]))]
            scope.values += spans
        span = self.choose(spans)
        if self.choose([True, False]):
            span = self.builder.call("builtins.reversed", span)
        op = For(iterable=span, init=[self.number(scope), self.vector(scope), self.vector(scope)])
        carried = [Value(FLOAT, "s"), Value(VECTOR, "p"), Value(VECTOR)]
        op.body.params = [Value(INT, "i"), *carried]
        inside = self.inner(scope, op.body, op.body.params)
        yields = [self.number(inside), self.vector(inside), self.vector(inside)]
        op.body.yields = [p if self.choose([True, False, False]) else v for p, v in zip(carried, yields, strict=True)]
        if self.choose([True, False, False]):
            op.body.yields[1:] = carried[:0:-1]
        if self.choose([True, False, False]):
            op.breaks = True
            with self.builder.inside(op.body):
                op.body.yields.insert(0, self.call("operator.lt", self.number(inside), self.number(inside)))
        self.append(op, scope, [FLOAT, VECTOR, VECTOR])

    def while_loop(self, scope: Scope) -> None:
        """A ``while`` that counts down."""
        op = While(init=[Const(self.choose([0, 1, 2])), self.number(scope), self.vector(scope)])
        op.test.params = [Value(INT), Value(FLOAT), Value(VECTOR)]
        op.body.params = [Value(INT, "left"), Value(FLOAT), Value(VECTOR)]
        with self.builder.inside(op.test):
            op.test.yields = [self.builder.call("operator.gt", op.test.params[0], 0)]
        inside = self.inner(scope, op.body, op.body.params)
        with self.builder.inside(op.body):
            left = self.builder.call("operator.sub", op.body.params[0], 1)
        op.body.yields = [left, self.number(inside), self.vector(inside)]
        self.append(op, scope, [INT, FLOAT, VECTOR])
        scope.values.remove(op.results[0])

    def recording(self, scope: Scope) -> None:
        """A loop that pushes to a tape, and one that pops from it."""
        tape = self.call("builtins.list")
        steps = Const(self.choose([1, 2, 3]))
        recorded: Any = self.choose([FLOAT, VECTOR])
        tape.kind = List(recorded)
        forward = For(iterable=self.builder.call("builtins.range", steps), init=[self.number(scope)])
        forward.body.params = [Value(INT, "i"), Value(FLOAT)]
        inside = self.inner(scope, forward.body, forward.body.params)
        with self.builder.inside(forward.body):
            self.call("list.append", tape, self.vector(inside) if recorded == VECTOR else self.number(inside))
        forward.body.yields = [self.number(inside)]
        self.append(forward, scope, [FLOAT])
        if self.choose([True, True, False]):
            self.store(scope)
            reverse = For(iterable=self.builder.call("builtins.range", steps), init=[self.number(scope)])
            reverse.body.params = [Value(INT, "j"), Value(FLOAT)]
            with self.builder.inside(reverse.body):
                popped = self.call("list.pop", tape)
                popped.kind = recorded
            inside = self.inner(scope, reverse.body, [*reverse.body.params, popped])
            reverse.body.yields = [self.number(inside)]
            self.append(reverse, scope, [FLOAT])


def _callee(name: str, fill: Callable[[Builder, Value], list[Value]]) -> Function:
    param = Value(VECTOR, "z")
    body = Block()
    body.yields = fill(Builder(body, registry.infer), param)
    return Function(name, [Param(param)], body, Structure("tuple", (LEAF,) * len(body.yields)))


def _write(b: Builder, z: Value) -> list[Value]:
    b.call("s2sad.additem", z, 0, 1.5)
    return [b.call("numpy.sum", z)]


WRITER = _callee("writer", _write)
WINDOWER = _callee("windower", lambda b, z: [b.call("operator.getitem", z, BACKWARD)])
PURE = _callee("pure", lambda b, z: [b.call("operator.mul", z, 2.0)])
