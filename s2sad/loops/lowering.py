"""Derived and optimised programs become programs for compilation: what may stand in them, and what is rewritten.

    for i in reversed(range(1, n)):         for i in range(n - 1, 0, -1):
        v = tape.pop()                ==>       v = tape.pop()
        u[1:-1] += 0.5 * v[2:]                  v2 = u[1:-1]
                                                for k in range(v2.shape[0]): v2[k] += 0.5 * v3[k]

Only what is listed here is compiled, for kinds that are known: numbers and arrays of float64, int64 and bool, tuples of them,
and lists that the program makes itself. Anything else raises ``NotCompiled``: silence means that nobody has made sure.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from s2sad.emit.motion import Motion
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import (
    INT,
    NONE,
    RANGE,
    Array,
    Kind,
    List,
    Other,
    Scalar,
    Slice,
    StructKind,
    Tuple,
)
from s2sad.ir.nodes import (
    SAME,
    Block,
    Call,
    Const,
    For,
    Function,
    Global,
    If,
    Loop,
    Op,
    Param,
    Structure,
    Undef,
    Value,
    While,
)
from s2sad.ir.walk import (
    blocks_of,
    clone_function,
    ops_of,
    raises,
    reads_of,
    substitute_all,
    substitute_each,
    use_counts,
)
from s2sad.loops.arrays import Arrays
from s2sad.loops.layouts import check_layouts
from s2sad.loops.numbers import DTYPES, EXACT, LOOPS, Bits, Numbers
from s2sad.loops.outlined import Outlined, Type
from s2sad.loops.paths import Bound, check_types, entering, insert, maybe_whole, placed, turns_into
from s2sad.loops.recursion import Records
from s2sad.loops.refusal import NotCompiled, refuse
from s2sad.rules import registry
from s2sad.rules.effects import effects
from s2sad.rules.structures import take_item

GUARDS = {f"s2sad.runtime.assert_{name}" for name in ("distinct", "own_memory", "apart", "separate", "sizes")}
CONTAINERS = {SAME, "builtins.tuple", "builtins.slice", "s2sad.unpack", "builtins.len", "list.append", "list.pop",
              "builtins.list", "ndarray.shape", "ndarray.size", "ndarray.ndim"}  # fmt: skip
TYPES = [int, float, bool, np.int64, np.float64, np.bool_]  # as dtypes, which the kinds of results tell, too
SUFFIX = "_loops"
LIST_STORES = ("operator.setitem", "s2sad.additem", "s2sad.subitem")
TRUTHS = {"operator.not_": "operator.eq", "builtins.bool": "operator.gt"}  # of lists: how their lengths compare with 0
NEW_AXIS = Global("numpy.newaxis", NONE, None, resolved=True).identity
PARTS = ("operator.getitem", "s2sad.attribute")
LEADING = {"s2sad.dict": 1, "s2sad.runtime.record": 2}  # what stands in front of the items


@dataclass(frozen=True)
class Loops:
    """Programs for compilation. ``compiled``: those that Numba is to compile, and those that Python runs for them, with the
    types of what these give; ``entry`` is what is called from outside."""

    compiled: dict[Function, Type]
    entry: Function


def as_loops(functions: list[Function]) -> Loops:
    """Programs for compilation, of functions that call only each other, the main one last. The function that is called from
    outside makes the checks of the arguments that NumPy's memory needs, and gives NumPy's numbers back.

    Raises NotCompiled.
    """
    copies = {function: clone_function(function)[0] for function in functions}
    main = functions[-1]
    guards: list[Call] = []
    outlined = Outlined(main.name)
    for copy in copies.values():
        for op in ops_of(copy.body):
            if isinstance(op, Call) and op.callee is not None:
                op.callee = copies[op.callee]
    records = Records(list(copies.values()), copies[main])
    for copy in copies.values():
        Bound(copy, records.made_by()).watch()
    records.rewrite()
    outside = _hand_over(list(copies.values()), copies[main])
    whole = maybe_whole(copies.values())
    for copy in copies.values():
        _Lowering(copy, guards if copy is copies[main] else None, outlined, whole).run()
    entry = _entry(copies[main], guards, main.name, copies.values(), outside)
    for copy in copies.values():
        _retype(copy)
    _count_calls([*copies.values(), entry])
    return Loops({**outlined.made, **dict.fromkeys(copies.values(), "")}, entry)


def _hand_over(functions: list[Function], main: Function) -> list[Value]:
    """Have arrays that stand outside handed over at each call, as further arguments: machine code would keep the first ones.

    What the main function is handed.
    """
    needed: dict[Function, dict[Hashable, Global]] = {function: {} for function in functions}
    for _ in functions:
        for function in functions:
            for op in ops_of(function.body):
                found = [v for v in reads_of(op) if isinstance(v, Global) and isinstance(v.kind, Array)]
                needed[function].update((v.identity, v) for v in found)
                if isinstance(op, Call) and op.callee is not None:
                    needed[function].update(needed[op.callee])
            found = [v for v in function.body.yields if isinstance(v, Global) and isinstance(v.kind, Array)]
            needed[function].update((v.identity, v) for v in found)
    outside: list[Value] = list(needed[main].values())
    for function, wanted in needed.items():
        params = {identity: Value(v.kind, v.name) for identity, v in wanted.items()}
        function.params += map(Param, params.values())
        for op in ops_of(function.body):
            if isinstance(op, Call) and op.callee is not None:
                op.args += needed[op.callee].values()
        substitute_each(function.body, partial(_handed_over, params))
    return outside


def _handed_over(params: Mapping[Hashable, Value], value: Value) -> Value:
    return params.get(value.identity, value) if isinstance(value, Global) else value


def _count_calls(functions: Iterable[Function]) -> None:
    """Have recursive functions count how deep they are."""
    calls = {f: [(op, op.callee) for op in ops_of(f.body) if isinstance(op, Call) and op.callee is not None] for f in functions}
    reached = {function: {callee for _, callee in found} for function, found in calls.items()}
    for _ in calls:
        reached = {function: found.union(*(reached.get(f, ()) for f in found)) for function, found in reached.items()}
    depths: dict[Function, Value] = {}
    for function in [f for f, found in reached.items() if f in found]:
        depth, inner = Value(INT, "depth"), Value(INT, "depth")
        function.params.append(Param(depth))
        insert(function, function.body, function.body.ops[0], Call(target=f"{LOOPS}deeper", args=[depth], results=[inner]))
        depths[function] = inner
    for function, found in calls.items():
        for op, callee in found:
            if callee in depths:
                op.args.append(depths.get(function, Const(0)))


def _entry(body: Function, guards: list[Call], name: str, inner: Iterable[Function], outside: list[Value]) -> Function:
    """``f_adjoint``, which calls ``f_adjoint_loops``. ``outside``: the last arguments of the latter."""
    given = body.params[: len(body.params) - len(outside)]
    params = [Param(Value(p.value.kind, p.value.name), p.default, p.keyword_only) for p in given]
    if any(p.keyword_only for p in params):
        refuse("a parameter that is given by its name alone")
    table: dict[Value, Value] = dict(zip([p.value for p in given], (p.value for p in params), strict=True))
    table |= dict(zip([p.value for p in body.params[len(given) :]], outside, strict=True))
    block = Block()
    for guard in guards:
        guard.args = [table.get(v, v) for v in guard.args]
        block.ops.append(guard)
    end = Builder(block, registry.infer)
    for p in params:
        _check_lists(p.value, end)
    handed = [_as_float(p.value, end) for p in params]
    results = end.call_function(body, [*(_as_tuple(v, end) for v in handed), *outside], [v.kind for v in body.body.yields])
    block.yields = [_as_numpy(v, end) for v in results]
    doc, body.doc, body.name = body.doc, "", name + SUFFIX
    for p in body.params:
        p.default = None
    returns = body.returns
    for function in inner:
        function.returns = flat(function.returns)
    return Function(name, params, block, returns, doc, body.file)


def flat(structure: Structure) -> Structure:
    """A tuple of the leaves, in place of whatever they stand in."""
    return structure if structure.kind == "leaf" else Structure("tuple", (Structure(),) * structure.leaves())


def _as_float(value: Value, b: Builder) -> Value:
    """An argument that is said to be a float, as one: of an integer, machine code would be made for integers of 64 bits."""
    return b.call("builtins.float", value) if isinstance(value.kind, Scalar) and value.kind.widest == "float64" else value


def _check_lists(value: Value, b: Builder) -> None:
    """Look at lists that are said to hold floats: machine code would be made for what they hold, and store integers then."""
    kind = value.kind
    if kind.fixed:
        for key, item in zip(kind.keys, kind.inner, strict=True):
            if _holds_floats(item):
                _check_lists(take_item(b, value, key), b)
    elif _holds_floats(kind):
        b.call(f"{LOOPS}check_floats", value)


def _holds_floats(kind: Kind) -> bool:
    """Presence of lists of floats in values of a kind."""
    if isinstance(kind, List) and isinstance(kind.item, Scalar):
        return kind.item.dtype == "float64"
    return any(map(_holds_floats, kind.inner))


def _retype(function: Function) -> None:
    """Have kinds say what machine code has: analyses follow the parts by their places."""
    made = [v for block in blocks_of(function.body) for v in (*block.params, *(r for op in block.ops for r in op.results))]
    for value in (*(p.value for p in function.params), *made):
        value.kind = _tuple_kind(value.kind)


def _tuple_kind(kind: Kind) -> Kind:
    if kind.fixed:
        return Tuple(tuple(map(_tuple_kind, kind.inner)))
    return kind if kind.keyed else kind.mapped(_tuple_kind)


def _as_tuple(value: Value, b: Builder) -> Value:
    """The tuple that machine code has in place of a dict, an object, a named tuple or a list of different things."""
    kind = value.kind
    listed = isinstance(kind, Tuple) and (kind.listed or kind.cls or any(item.fixed for item in kind.items))
    if not listed and not isinstance(kind, StructKind):
        return value
    parts = [take_item(b, value, key) for key in kind.keys]
    return b.call("builtins.tuple", *[_as_tuple(part, b) for part in parts])


def _as_numpy(value: Value, b: Builder) -> Value:
    """A result that NumPy would compute, if only on some paths, is a number of NumPy's."""
    kind = value.kind
    if isinstance(kind, Scalar) and not kind.weak:
        return b.call("numpy.bool_" if kind.widest == "bool" else f"numpy.{kind.widest}", value)
    if isinstance(kind, Tuple | StructKind) and kind.cls is not None:
        refuse(f"a result that is a {kind.cls.__name__}")
    if isinstance(kind, StructKind):
        items = [_as_numpy(part, b) for part in b.unpack(value, list(kind.items))]
        return b.call("s2sad.dict", Const(tuple(kind.keys)), *items)
    if isinstance(kind, Tuple):
        items = [_as_numpy(b.call("operator.getitem", value, Const(k)), b) for k in range(len(kind.items))]
        return b.call("builtins.list" if kind.listed else "builtins.tuple", *items)
    if isinstance(kind, List) and isinstance(kind.item, Scalar) and not kind.item.weak:
        made = b.call(LOOPS + "of_numpy", value)
        made.kind = kind  # a tuple's, where the program makes one of the list
        return made
    if isinstance(kind, List) and not isinstance(kind.item, Array | Scalar):
        refuse(f"a result that is {kind}")
    return value


def _alike(kind: Kind) -> object:
    """A key that kinds of items share if Numba can hold them in one list."""
    if isinstance(kind, Scalar):
        return kind.widest, 0
    return (kind.dtype, kind.rank) if isinstance(kind, Array) else kind


class _Lowering:
    """Rewrites one function in place. ``guards`` collects checks of arguments; None: there may be none.

    ``whole``: the floats that may be integers of Python's.
    """

    def __init__(self, function: Function, guards: list[Call] | None, outlined: Outlined, whole: set[Value]) -> None:
        self.function = function
        self.guards = guards
        self.outlined = outlined
        self.whole = whole
        self.numbers = Numbers(Bits(function, outermost=guards is not None))
        uses = use_counts(function)
        self.arrays = Arrays(function, self.numbers, Motion(function), uses)
        self.unread = {value for op in ops_of(function.body) for value in op.results if not uses.get(value)}

    def run(self) -> None:
        """Rewrite the function. Raises NotCompiled."""
        for param in self.function.params:
            self._kind(param.value.kind, f"the argument {param.name}: {param.value.kind}", None)
        self._returns()
        check_layouts(self.function, self.guards is not None)
        check_types(self.function)
        for block in list(blocks_of(self.function.body)):
            for op in list(block.ops):
                self._entering(op, block)
                self._placed(op, block)
        self._block(self.function.body)
        substitute_all(self.function.body, self.arrays.table)

    def _returns(self) -> None:
        pending = [self.function.returns]
        while pending:
            structure = pending.pop()
            if structure.cls is not None:
                refuse(f"{self.function.name} returns a {structure.cls.__name__}")
            pending += structure.items

    def _entering(self, op: Op, around: Block) -> None:
        """Look at the integers that become floats where paths meet, if floats might skip them."""
        for values, k, block in entering(op):
            if self.numbers.bits.of(values[k]) > EXACT and not (block and raises(block)):
                call = Call(target=f"{LOOPS}exact", args=[values[k]], results=[Value(values[k].kind, values[k].name)], loc=op.loc)
                values[k] = call.result
                insert(self.function, block or around, None if block else op, call)

    def _placed(self, op: Op, around: Block) -> None:
        """Make floats of the integers that are put into a list of floats: Numba takes a list's type from what it is made of."""
        if not isinstance(op, Call):
            return
        item, values = placed(op)
        for k, value in enumerate(values, len(op.args) - len(values)):
            if item is None or not turns_into(item, value):
                continue
            if isinstance(value, Const) and abs(value.payload) <= 2**EXACT:
                op.args[k] = Const(float(value.payload))
                continue
            for target in (f"{LOOPS}exact", "builtins.float")[self.numbers.bits.of(value) <= EXACT :]:
                kind = item if target == "builtins.float" else value.kind
                call = Call(target=target, args=[value], results=[Value(kind, value.name)], loc=op.loc, primal=op.primal)
                insert(self.function, around, op, call)
                value = call.result
            op.args[k] = value

    # --- kinds

    def _kind(self, kind: Kind, what: str, op: Op | None) -> None:
        """Refuse what is not of a kind that Numba has the same of."""
        if isinstance(kind, Scalar) and kind.widest in DTYPES:
            return
        if isinstance(kind, Array) and kind.dtype in DTYPES and kind.rank is not None:
            if kind.rank == 0:
                refuse(f"{what}, an array without axes", op)
            return
        called = isinstance(kind, StructKind) and callable(kind.cls and kind.cls.__dict__.get("__call__"))
        if isinstance(kind, Tuple | StructKind) and not called:
            for item in kind.items:
                self._kind(item, what, op)
            return
        if isinstance(kind, List) and not kind.keyed:
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
            self.arrays.in_bounds.here = block
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
            self._iterable(op)
            self._block(op.body)
            self.arrays.in_bounds.look(op, b)
        elif isinstance(op, While):
            self._block(op.test)
            test = Builder(op.test, registry.infer)
            op.test.yields = [self._truth(op.test.yields[0], op, test)]
            self._block(op.body)
        else:
            refuse(type(op).__name__.lower(), op)
        if isinstance(op, Loop) and op.breaks:
            end = Builder(op.body, registry.infer)
            op.body.yields[0] = self._truth(op.body.yields[0], op, end)
        b.append(op)

    def _truth(self, value: Value, op: Op, b: Builder) -> Value:
        if isinstance(value.kind, List):
            return b.call("operator.gt", b.call("builtins.len", value), 0)
        if not isinstance(value.kind, Scalar):
            refuse(f"a condition that is {value.kind}", op)
        return value

    def _iterable(self, op: For) -> None:
        kind = op.iterable.kind
        alike = isinstance(kind, Tuple) and len({_alike(item) for item in kind.items}) == 1
        if kind != RANGE and not isinstance(kind, Array | List) and not alike:
            refuse(f"a loop over {kind}", op)
        if isinstance(kind, List) and any(i.target.startswith("list.") for i in ops_of(op.body) if isinstance(i, Call)):
            refuse("a loop over a list whose body may change lists", op)

    # --- calls

    def _call(self, op: Call, b: Builder, top: bool) -> None:
        if op.callee is not None:
            for value in [*op.operands(), *op.results]:
                self._operand(value, op)
            b.append(op)
        elif op.target.startswith(LOOPS):
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
        elif op.target in ("s2sad.fstring", "s2sad.error") or (op.target.startswith("builtins.") and op.target.endswith("Error")):
            pass  # what is raised, and its text, is made again by NumPy's program; nothing else takes texts here
        elif op.check:
            self._checked(op, b)
        else:
            self._tried(op, b)

    def _checked(self, op: Call, b: Builder) -> None:
        """A call that is there for what it may raise; where nobody reads its result, it is of numbers, or made by Python."""
        before, unread = len(b.block.ops), self.unread.issuperset(op.results)
        if unread and not effects(op).writes and any(not isinstance(v.kind, Scalar) for v in [*op.operands(), *op.results]):
            self._outlined(op, b)
        else:
            self._tried(op, b)
        for made in b.block.ops[before:]:
            if isinstance(made, Call):
                made.check = unread or made.callee is not None

    def _outlined(self, op: Call, b: Builder) -> None:
        """A call by Python, of arrays that have been computed."""
        for value in [v for v in op.operands() if v in self.arrays.made]:
            self._tried(self.arrays.made.pop(value), b)
        self.outlined.call(op, b, self.numbers.bits.from_)

    def _tried(self, op: Call, b: Builder) -> None:
        """A call as loops; where there is no such form, what Python calls. Raises NotCompiled of the former."""
        before = len(b.block.ops), op.target, list(op.args), dict(op.kwargs), op.results, self.arrays.state()
        try:
            op.args = [Const(None) if isinstance(v, Global) and v.identity == NEW_AXIS else v for v in op.args]
            named = op.target in PARTS and op.args[0].kind.fixed
            for value in [*op.operands(), *op.results]:
                if not (named and value is op.args[1]) and not (op.target in LEADING and value in op.args[: LEADING[op.target]]):
                    self._operand(value, op)
            self._computed(op, b)
        except NotCompiled as error:
            count, op.target, op.args, op.kwargs, op.results, state = before
            del b.block.ops[count:]
            self.arrays.restore(state)
            try:
                self._outlined(op, b)
            except NotCompiled:
                raise error from None

    def _computed(self, op: Call, b: Builder) -> None:
        if op.target == "builtins.reversed":
            self._reversed(op, b)
        elif op.target == "builtins.range":
            if any(not isinstance(v.kind, Scalar) or v.kind.dtype != "int64" for v in op.args):
                refuse("a range of what are no integers", op)
            b.append(op)
        elif op.target in ("s2sad.items", "builtins.list") and isinstance(op.result.kind, Tuple):
            op.target = "builtins.tuple"  # nothing is ever written into it
            b.append(op)
        elif op.target == "s2sad.items":
            kinds = {v.kind.widest for v in op.args if isinstance(v.kind, Scalar)}
            if len(kinds) != 1 or not all(isinstance(v.kind, Scalar) for v in op.args):
                refuse("a list of different things", op)
            b.append(op)
        elif op.target in LEADING and op.target not in CONTAINERS:
            b.append(Call(target="builtins.tuple", args=op.args[LEADING[op.target] :], results=op.results))
        elif op.target in PARTS and op.args[0].kind.fixed:
            self._part(op, b)
        elif op.target in TRUTHS and isinstance(op.args[0].kind, List):
            count = b.call("builtins.len", op.args[0])
            b.append(Call(target=TRUTHS[op.target], args=[count, Const(0)], results=op.results))
        elif op.target == "list.pop" and len(op.args) > 1:
            b.append(Call(target=f"{LOOPS}popped", args=op.args, results=op.results))
        elif op.target in CONTAINERS:
            if op.target == "builtins.list" and len({_alike(v.kind) for v in op.args}) > 1:
                refuse("a list of different things", op)
            b.append(op)
        elif op.target == "operator.getitem" and isinstance(op.args[0].kind, List):
            if not isinstance(op.args[1].kind, Scalar):
                refuse("a part of a list", op)
            b.append(op)
        elif op.target in LIST_STORES and isinstance(op.args[0].kind, List) and isinstance(op.args[1].kind, Scalar):
            if op.target != "operator.setitem" and not isinstance(op.args[0].kind.item, Scalar):
                refuse("a sum within a list of arrays", op)
            b.append(op)
        elif op.target == "s2sad.runtime.zeros" and isinstance(op.args[0].kind, List):
            self._zeros(op, b)
        elif op.target == "s2sad.runtime.add_items" and isinstance(op.args[0].kind, List):
            self._add_items(op, b)
        elif op.target == "numpy.stack" and isinstance(op.args[0].kind, List):
            self._stack(op, b)
        elif op.target == "s2sad.runtime.stand_in":
            self.arrays.table[op.result] = op.args[0]
        elif self.arrays.concern(op):
            self.arrays.call(op, b)
        elif all(isinstance(v.kind, Scalar) for v in [*op.args, *op.results]):
            self._number(op, b)
        elif op.target == "operator.getitem" and op.args[0].kind == RANGE:
            helper = "part_of" if isinstance(op.args[1].kind, Slice) else "counted"
            b.append(Call(target=LOOPS + helper, args=op.args, results=op.results))
        elif op.target == "s2sad.runtime.zeros" and isinstance(op.args[0].kind, Scalar):
            self.arrays.table[op.result] = Const(0.0)
        elif op.target in ("s2sad.runtime.unbroadcast", "s2sad.runtime.broadcast_like", "s2sad.runtime.seed"):
            self.arrays.table[op.result] = op.args[0]
        else:
            refuse(f"{op.target} of {', '.join(str(v.kind) for v in op.args)} is not compiled yet", op)

    def _number(self, op: Call, b: Builder) -> None:
        """A number computed of numbers; one that may be an integer of Python's has to be one of machine code's, too."""
        result = op.result
        if result not in self.whole or op.target == SAME:
            self.numbers.call(op, b)
            return
        op.results = [Value(result.kind, result.name)]
        self.numbers.call(op, b)
        b.append(Call(target=f"{LOOPS}exact", args=op.results, results=[result], loc=op.loc, primal=op.primal))

    @staticmethod
    def _zeros(op: Call, b: Builder) -> None:
        """A list of zeros."""
        item = op.args[0].kind.item  # type: ignore[attr-defined]
        if getattr(item, "dtype", "") != "float64":
            refuse(f"zeros like {op.args[0].kind}", op)
        helper = "no_arrays" if isinstance(item, Array) else "no_numbers"
        b.append(Call(target=LOOPS + helper, args=op.args, results=op.results))

    @staticmethod
    def _add_items(op: Call, b: Builder) -> None:
        """``items[2:] += bars``, place by place."""
        items, part, bars = (v.kind for v in op.args)
        numbers = isinstance(items, List) and isinstance(items.item, Scalar) and items.item.widest == "float64"
        if not numbers or not isinstance(part, Slice) or not isinstance(bars, Array) or bars.rank != 1 or bars.dtype != "float64":
            refuse(f"sums of {items} and {bars}", op)
        b.append(Call(target=LOOPS + "add_items", args=op.args, results=op.results))

    @staticmethod
    def _stack(op: Call, b: Builder) -> None:
        """``np.stack(rows)``."""
        items = op.args[0].kind
        if len(op.args) > 1 or op.kwargs or not isinstance(items, List) or not isinstance(items.item, Array):
            refuse(f"{op.target} with options", op)
        if items.item.dtype != "float64" or items.item.rank not in (1, 2):
            refuse(f"{op.target} of {items}", op)
        b.append(Call(target=LOOPS + "stacked", args=op.args, results=op.results))

    def _part(self, op: Call, b: Builder) -> None:
        """A part under a key, a name or a place."""
        base, key = op.args
        if isinstance(base.kind, StructKind) or op.target == "s2sad.attribute":
            names = base.kind.names if isinstance(base.kind, Tuple) else ()
            keys = base.kind.keys if isinstance(base.kind, StructKind) else names
            if not isinstance(key, Const) or key.payload not in keys:
                refuse(f"a part of {base.kind} that is not known", op)
            op.target, op.args = "operator.getitem", [base, Const(keys.index(key.payload))]
        elif not isinstance(key.kind, Scalar):
            refuse("a part of a tuple", op)
        b.append(op)

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
