"""Derived and optimised programs become programs for compilation: what may stand in them, and what is rewritten.

    for i in reversed(range(1, n)):         for i in range(n - 1, 0, -1):
        v = tape.pop()                ==>       v = tape.pop()
        u[1:-1] += 0.5 * v[2:]                  v2 = u[1:-1]
                                                for k in range(v2.shape[0]): v2[k] += 0.5 * v3[k]

Only what is listed here is compiled, for kinds that are known: numbers and arrays of float64, int64 and bool, tuples of them,
and lists that the program makes itself. Anything else raises ``NotCompiled``: silence means that nobody has made sure.
"""

from __future__ import annotations

import numpy as np

from s2sad.emit.motion import Motion
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import NONE, RANGE, Array, Kind, List, Map, Other, Scalar, Slice, Tuple
from s2sad.ir.nodes import SAME, Block, Call, Const, For, Function, Global, If, Op, Param, Undef, Value, While
from s2sad.ir.walk import clone_function, ops_of, substitute_all, use_counts
from s2sad.loops.arrays import Arrays
from s2sad.loops.numbers import DTYPES, LOOPS, Bits, Numbers
from s2sad.loops.refusal import refuse
from s2sad.rules import registry

GUARDS = {f"s2sad.runtime.{name}" for name in ("assert_distinct", "assert_own_memory", "assert_apart", "assert_separate")}
CONTAINERS = {SAME, "builtins.tuple", "builtins.slice", "s2sad.unpack", "builtins.len", "list.append", "list.pop",
              "builtins.list", "ndarray.shape", "ndarray.size", "ndarray.ndim"}  # fmt: skip
TYPES = [int, float, bool, np.int64, np.float64, np.bool_]  # as dtypes, which the kinds of results tell, too
SUFFIX = "_loops"


def as_loops(functions: list[Function]) -> list[Function]:
    """Programs for compilation, of functions that call only each other, the main one last; behind it the function that is
    called from outside: it makes the checks of the arguments that NumPy's memory needs, and gives NumPy's numbers back.

    Raises NotCompiled.
    """
    copies = {function: clone_function(function)[0] for function in functions}
    main = functions[-1]
    guards: list[Call] = []
    for function, copy in copies.items():
        for op in ops_of(copy.body):
            if isinstance(op, Call) and op.callee is not None:
                op.callee = copies[op.callee]
        _Lowering(copy, guards if function is main else None).run()
    body = copies[main]
    return [*copies.values(), _entry(body, guards, main.name)]


def _entry(body: Function, guards: list[Call], name: str) -> Function:
    """``f_adjoint``, which calls ``f_adjoint_loops``."""
    params = [Param(Value(p.value.kind, p.value.name), p.default, p.keyword_only) for p in body.params]
    if any(p.keyword_only for p in params):
        refuse("a parameter that is given by its name alone")
    table: dict[Value, Value] = dict(zip(body.values, (p.value for p in params), strict=True))
    block = Block()
    for guard in guards:
        guard.args = [table.get(v, v) for v in guard.args]
        block.ops.append(guard)
    end = Builder(block, registry.infer)
    results = end.call_function(body, [p.value for p in params], [v.kind for v in body.body.yields])
    block.yields = [_as_numpy(v, end) for v in results]
    doc, body.doc, body.name = body.doc, "", name + SUFFIX
    for p in body.params:
        p.default = None
    return Function(name, params, block, body.returns, doc, body.file)


def _as_numpy(value: Value, b: Builder) -> Value:
    """A result that NumPy would compute, if only on some paths, is a number of NumPy's."""
    kind = value.kind
    if isinstance(kind, Scalar) and not kind.weak:
        return b.call("numpy.bool_" if kind.dtype == "bool" else f"numpy.{kind.dtype}", value)
    return value


def _alike(kind: Kind) -> object:
    """What kinds of items have in common for Numba."""
    return (kind.dtype, kind.rank if isinstance(kind, Array) else 0) if isinstance(kind, Scalar | Array) else kind


class _Lowering:
    """Rewrites one function in place. ``guards`` collects checks of arguments; None: there may be none."""

    def __init__(self, function: Function, guards: list[Call] | None) -> None:
        self.function = function
        self.guards = guards
        self.numbers = Numbers(Bits(function, outermost=guards is not None))
        self.arrays = Arrays(function, self.numbers, Motion(function), use_counts(function))

    def run(self) -> None:
        """Rewrite the function. Raises NotCompiled."""
        for param in self.function.params:
            self._kind(param.value.kind, f"the argument {param.name}: {param.value.kind}", None)
            if isinstance(param.value.kind, List):
                refuse(f"the argument {param.name}, a list")
        self._returns()
        self._block(self.function.body)
        substitute_all(self.function.body, self.arrays.table)

    def _returns(self) -> None:
        pending = [self.function.returns]
        while pending:
            structure = pending.pop()
            if structure.kind not in ("leaf", "tuple") or structure.cls is not None:
                refuse(f"{self.function.name} returns a {structure.kind}")
            pending += structure.items
        for value in self.function.body.yields:
            if isinstance(value.kind, List) and self.guards is not None:
                refuse(f"{self.function.name} returns a list")

    # --- kinds

    def _kind(self, kind: Kind, what: str, op: Op | None) -> None:
        """Refuse what is not of a kind that Numba has the same of."""
        if isinstance(kind, Scalar) and kind.dtype in DTYPES:
            return
        if isinstance(kind, Array) and kind.dtype in DTYPES and kind.rank is not None:
            if kind.rank == 0:
                refuse(f"{what}, an array without axes", op)
            return
        if isinstance(kind, Tuple) and kind.cls is None and not (kind.listed and op is None):
            for item in kind.items:
                self._kind(item, what, op)
            return
        if isinstance(kind, List) and not isinstance(kind, Map):
            self._kind(kind.item, what, op)
            return
        if isinstance(kind, Slice) or kind in (RANGE, NONE) or (isinstance(kind, Other) and kind.name in ("ellipsis", "bottom")):
            return
        refuse(f"{what}: its type is not known, or not one that is compiled", op)

    # --- blocks

    def _block(self, block: Block) -> None:
        found = Block()
        b = Builder(found, registry.infer)
        turn = self.function.reverse_at if block is self.function.body else None
        for at, op in enumerate(block.ops):
            if at == turn:
                self.function.reverse_at = len(found.ops)
            b.loc, b.primal = op.loc, op.primal
            self._op(op, b, top=block is self.function.body)
        block.ops = found.ops
        for value in block.yields:
            self._operand(value, None)

    def _operand(self, value: Value, op: Op | None) -> None:
        if isinstance(value, Global):
            payload = value.payload
            if value.resolved and any(payload is t for t in TYPES):
                return
            if not (value.resolved and type(payload) in (int, float, bool) and isinstance(value.kind, Scalar)):
                refuse(f"the global {value.path}", op, "compiled code would keep its first value")
        elif isinstance(value, Const) and not isinstance(value.payload, (int, float, slice, tuple, type(None), type(...))):
            refuse(f"the constant {value.payload!r}", op)
        elif not isinstance(value, (Const, Undef)):
            self._kind(value.kind, f"{value.name or 'a value'}: {value.kind}", op)

    def _op(self, op: Op, b: Builder, top: bool) -> None:
        if isinstance(op, Call):
            self._call(op, b, top)
            return
        for value in op.operands():
            if not isinstance(value, Undef):
                self._operand(value, op)
        for value in op.results:
            self._kind(value.kind, f"{value.name or 'a value'}: {value.kind}", op)
        if isinstance(op, If):
            op.cond = self._truth(op.cond, op, b)
            self._block(op.then)
            self._block(op.orelse)
        elif isinstance(op, For):
            self._iterable(op, b)
            self._block(op.body)
        elif isinstance(op, While):
            self._block(op.test)
            test = Builder(op.test, registry.infer)
            op.test.yields = [self._truth(op.test.yields[0], op, test)]
            self._block(op.body)
        else:
            refuse("with", op)
        if isinstance(op, For | While) and op.breaks:
            end = Builder(op.body, registry.infer)
            op.body.yields[0] = self._truth(op.body.yields[0], op, end)
        b.append(op)

    def _truth(self, value: Value, op: Op, b: Builder) -> Value:
        if isinstance(value.kind, List):
            return b.call("operator.gt", b.call("builtins.len", value), 0)
        if not isinstance(value.kind, Scalar):
            refuse(f"a condition that is {value.kind}", op)
        return value

    def _iterable(self, op: For, b: Builder) -> None:
        kind = op.iterable.kind
        if kind != RANGE and not isinstance(kind, Array | List):
            refuse(f"a loop over {kind}", op)
        if isinstance(kind, List) and any(i.target.startswith("list.") for i in ops_of(op.body) if isinstance(i, Call)):
            refuse("a loop over a list whose body may change lists", op)

    # --- calls

    def _call(self, op: Call, b: Builder, top: bool) -> None:
        if op.callee is not None:
            for value in [*op.operands(), *op.results]:
                self._operand(value, op)
            b.append(op)
        elif op.target in GUARDS:
            if self.guards is None or not top or not all(isinstance(v, Const) or v in self.function.values for v in op.args):
                refuse(f"{op.target.rpartition('.')[2]} of what is not an argument", op)
            self.guards.append(op)
        elif op.target == "s2sad.raise":
            error = b.call("builtins.RuntimeError")
            op.args = [error]
            b.append(op)
        elif op.target == "s2sad.assert":
            self._operand(op.args[0], op)
            op.args, op.kwargs = [self._truth(op.args[0], op, b)], {}
            b.append(op)
        elif op.target == "s2sad.fstring" or (op.target.startswith("builtins.") and op.target.endswith("Error")):
            pass  # what is raised, and its text, is made again by NumPy's program; nothing else takes texts here
        else:
            for value in [*op.operands(), *op.results]:
                self._operand(value, op)
            self._computed(op, b)

    def _computed(self, op: Call, b: Builder) -> None:
        if op.target == "builtins.reversed":
            self._reversed(op, b)
        elif op.target == "builtins.range":
            if any(not isinstance(v.kind, Scalar) or v.kind.dtype != "int64" for v in op.args):
                refuse("a range of what are no integers", op)
            b.append(op)
        elif op.target == "s2sad.items":
            kinds = {v.kind.dtype for v in op.args if isinstance(v.kind, Scalar)}
            if len(kinds) != 1 or not all(isinstance(v.kind, Scalar) for v in op.args):
                refuse("a list of different things", op)
            b.append(op)
        elif op.target in CONTAINERS:
            if op.target == "builtins.list" and len({_alike(v.kind) for v in op.args}) > 1:
                refuse("a list of different things", op)
            b.append(op)
        elif self.arrays.concern(op):
            self.arrays.call(op, b)
        elif all(isinstance(v.kind, Scalar) for v in [*op.args, *op.results]):
            self.numbers.call(op, b)
        elif op.target == "operator.getitem" and isinstance(op.args[0].kind, Tuple | List):
            if not isinstance(op.args[1].kind, Scalar):
                refuse("a part of a list", op)
            b.append(op)
        elif op.target == "operator.setitem" and isinstance(op.args[0].kind, List) and isinstance(op.args[1].kind, Scalar):
            b.append(op)
        elif op.target == "s2sad.runtime.zeros" and isinstance(op.args[0].kind, Scalar):
            self.arrays.table[op.result] = Const(0.0)
        elif op.target in ("s2sad.runtime.unbroadcast", "s2sad.runtime.broadcast_like", "s2sad.runtime.seed"):
            self.arrays.table[op.result] = op.args[0]
        else:
            refuse(f"{op.target} of {', '.join(str(v.kind) for v in op.args)} is not compiled yet", op)

    def _reversed(self, op: Call, b: Builder) -> None:
        """The same range backwards."""
        items = op.args[0]
        if isinstance(items.kind, Array):
            b.append(Call(target="operator.getitem", args=[items, Const(slice(None, None, -1))], results=op.results))
            return
        made = next((o for o in reversed(b.block.ops) if items in o.results), None)
        if items.kind != RANGE:
            refuse(f"reversed({items.kind})", op)
        if isinstance(made, Call) and made.target == "builtins.range" and len(made.args) < 3:
            start, stop = ([Const(0), *made.args])[-2:]
            b.append(Call(target="builtins.range", args=[self._less_one(stop, b), self._less_one(start, b), Const(-1)],
                          results=op.results))  # fmt: skip
        else:
            b.append(Call(target=LOOPS + "backwards", args=[items], results=op.results))

    @staticmethod
    def _less_one(value: Value, b: Builder) -> Value:
        return Const(value.payload - 1) if isinstance(value, Const) else b.call("operator.sub", value, 1)
