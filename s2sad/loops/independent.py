"""Loops whose iterations may run at the same time (``parallel=True``): each writes places of its own, and reads none of others.

    for i in range(n):                  def f_loops_spread_1(n, x, y):
        v = 2.0 * x[i]          ==>         for p in prange(n):
        y[i] = v                                i = np.int64(p)
                                                v = 2.0 * x[i]
                                                y[i] = v

                                        f_loops_spread_1(n, x, y)

The loop is a function of its own, which alone Numba makes parallel: in all that it compiles so it leaves out stores into arrays
that it takes for unread, among them those that come out of lists; of what a function is given it leaves out none.

This is proved, or the loop stays as it is: nothing is carried from one iteration to the next (a sum is), nothing in the body
raises an exception (what looks at sizes alone is looked at before the loop), and an array that is written was made by this
function, all of whose accesses in the body go through one window of it, and have the loop's own counter at the same axis, with
the same number added. A loop that others start again and again is spread where it runs long enough, as is looked at each time:
small ones would wait for threads most of the time. What each iteration computes is the same as before, to the last bit.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from s2sad.ir.builder import Builder
from s2sad.ir.kinds import INT, NONE, RANGE, Array, Kind, Other, Scalar, Slice, Tuple, index_parts
from s2sad.ir.nodes import LITERALS, SAME, Block, Call, Const, For, Function, If, Loop, Op, Param, Value
from s2sad.ir.walk import blocks_of, clone_op, definers, ops_of, reads_of, substitute_each
from s2sad.loops.fusion import offset_of
from s2sad.loops.numbers import HELPERS, LOOPS, SAME_MEANING, TOGETHER
from s2sad.loops.paths import insert
from s2sad.rules import registry

# What is made of its arguments, in memory of its own that nothing else reaches.
FRESH = {f"numpy.{name}" for name in (
    "zeros", "empty", "ones", "full", "eye", "arange", "zeros_like", "empty_like", "ones_like", "full_like", "copy", "array",
)} | {"ndarray.copy"} | {f"{LOOPS}{name}" for name in ("product", "gathered", "stacked", "ties")}  # fmt: skip
WINDOWS = {"ndarray.T", "numpy.transpose", SAME}  # of an array, besides subscripts: each place of it once
# What computes numbers of numbers, raises nothing and acts on nothing.
QUIET = (
    {f"operator.{name}" for name in ("add", "sub", "mul", "truediv", "neg", "invert", "and_", "or_", "xor")}
    | SAME_MEANING
    | set(HELPERS.values())
    | set(TOGETHER.values())
    | {"builtins.abs", "builtins.float", "numpy.float64", "numpy.int64", "numpy.bool_", f"{LOOPS}least", f"{LOOPS}greatest", SAME}
)
LOOKS = {f"{LOOPS}{name}" for name in ("inside", "at", "ahead", "common", "stretched", "step")}  # may raise, as numbers tell
STORES = {"operator.setitem", "s2sad.additem", "s2sad.subitem"}

ENOUGH = 10_000  # iterations: to start threads takes as long as some thousands of them

ACCESSES = {*STORES, "operator.getitem"}


@dataclass(frozen=True)
class Access:
    """A loop body's use of an array: ``base`` is the window from outside that it starts at, ``index`` its first subscript
    there, ``root`` what made the memory; ``written`` whether it stores."""

    root: Op | Param
    base: Value
    index: Value
    written: bool


def spread(function: Function) -> list[Function]:
    """Have the outermost loops of a function whose iterations are independent run on several threads: the functions of these,
    which it calls now."""
    found: list[Function] = []
    made = definers(function)
    params = {p.value: p for p in function.params}
    pending = [(function.body, False)]
    while pending:
        block, repeated = pending.pop()
        for op in list(block.ops):
            early = _same_each_time(op) if isinstance(op, For) else []
            if isinstance(op, For) and _is_independent(op, made, params, early):
                for inner in blocks_of(op.body):
                    inner.ops = [o for o in inner.ops if o not in early]
                for one in early:
                    insert(function, block, op, one)
                where = _if_long(op, made, block, function) if repeated else block
                if where is not None:
                    found.append(_apart(op, made, where, f"{function.name}_spread_{len(found) + 1}"))
            else:
                pending += [(inner, repeated or isinstance(op, Loop)) for inner in op.blocks()]
    return found


def _if_long(loop: For, made: Mapping[Value, Op], block: Block, function: Function) -> Block | None:
    """Have a loop that is started again and again spread only where it has enough to do: the block where it is, then. None of
    one that never has.
    """
    before = Builder(Block(), registry.infer)
    count, level = _length(loop, made, before), loop
    while (inner := next((o for o in level.body.ops if isinstance(o, For)), None)) is not None and _is_known(inner, made, loop):
        count, level = before.call("operator.mul", count, _length(inner, made, before)), inner
    if isinstance(count, Const) and count.payload < ENOUGH:
        return None
    choice = If(then=Block([], [loop]), orelse=Block([], [clone_op(loop, {})]), loc=loop.loc, primal=loop.primal)
    choice.cond = before.call("operator.ge", count, ENOUGH)
    for op in before.block.ops:
        insert(function, block, loop, op)
    block.ops[block.ops.index(loop)] = choice
    return choice.then


def _is_known(inner: For, made: Mapping[Value, Op], outer: For) -> bool:
    """Test for an inner loop of which it is known before the outer one how often it runs."""
    ends = _ends(inner, made)
    own = {v for b in blocks_of(outer.body) for v in (*b.params, *(r for op in b.ops for r in op.results))}
    return ends is not None and own.isdisjoint(ends[:2])


def _length(loop: For, made: Mapping[Value, Op], b: Builder) -> Value:
    """The number of turns of a loop, if there are any."""
    ends = _ends(loop, made)
    assert ends is not None
    start, stop = ends[:2] if ends[2] == 1 else (ends[1], ends[0])
    return stop if isinstance(start, Const) and start.payload == 0 else b.call("operator.sub", stop, start)


def _same_each_time(loop: For) -> list[Op]:
    """The computations of a loop's body with numbers and sizes that are the same in each iteration, in order; without those that
    only some iterations make."""
    inside = {value for block in blocks_of(loop.body) for value in block.params}
    inside |= {value for op in ops_of(loop.body) for value in op.results}
    found: list[Op] = []
    pending = list(loop.body.ops)
    while pending:
        op = pending.pop(0)
        if isinstance(op, For):
            pending[:0] = op.body.ops
        elif isinstance(op, Call) and _is_of_sizes(op) and inside.isdisjoint(op.operands()):
            found.append(op)
            inside.difference_update(op.results)
    return found


def _is_of_sizes(op: Call) -> bool:
    if op.target in LOOKS or op.target == "ndarray.shape":
        return True
    of_tuple = op.target == "operator.getitem" and isinstance(op.args[0].kind, Tuple)
    summed = op.target in ("operator.add", "operator.sub") and all(isinstance(v.kind, Scalar) for v in op.args)
    return (of_tuple or summed) and _is_number(op.result.kind)


def _is_independent(loop: For, made: Mapping[Value, Op], params: Mapping[Value, Param], early: Collection[Op]) -> bool:
    if loop.breaks or loop.init or loop.snapshots is not None or _ends(loop, made) is None:
        return False
    inner = set(ops_of(loop.body)).difference(early)
    if not all(_is_quiet(op) for op in inner):
        return False
    accesses: list[Access] = []
    for op in inner:
        if isinstance(op, Call) and op.target in ACCESSES and isinstance(op.args[0].kind, Array):
            found = _access(op, made, params, inner)
            if found is None:
                return False
            accesses.append(found)
    written = {a.root for a in accesses if a.written}
    for root in written:
        if not isinstance(root, Call) or root.target not in FRESH or root in inner:
            return False
        touching = [a for a in accesses if a.root is root]
        axes = [_axes(a.index, loop.body.params[0], made) for a in touching]
        if len({a.base for a in touching}) != 1 or not frozenset.intersection(*axes):
            return False
    return bool(written)


def _is_quiet(op: Op) -> bool:
    """Test for an operation that, apart from its blocks, may run in any order with those of other iterations."""
    if isinstance(op, If | For):
        plain = not isinstance(op, For) or (not op.breaks and op.snapshots is None and op.iterable.kind == RANGE)
        return plain and all(isinstance(v.kind, Scalar) for v in op.results)
    if not isinstance(op, Call) or op.callee is not None or op.kwargs:
        return False
    if op.target in STORES:
        return isinstance(op.args[0].kind, Array) and isinstance(op.args[2].kind, Scalar) and _is_place(op.args[1], op.args[0])
    if op.target == "operator.getitem":
        of_array = isinstance(op.args[0].kind, Array) and isinstance(op.result.kind, Array | Scalar)
        return of_array or (isinstance(op.args[0].kind, Tuple) and isinstance(op.result.kind, Scalar))
    if op.target in ("builtins.tuple", "builtins.range", "builtins.slice", "ndarray.shape", f"{LOOPS}step"):
        return True
    numbers = all(isinstance(v.kind, Scalar) or isinstance(v, Const) for v in [*op.args, *op.results])
    floats = any(isinstance(v.kind, Scalar) and v.kind.dtype == "float64" for v in op.args[:1])
    return numbers and (op.target in QUIET or op.target == "operator.pow" and floats)


def _is_place(index: Value, array: Value) -> bool:
    """Test for an index of integers, one for each axis."""
    rank = array.kind.rank if isinstance(array.kind, Array) else None
    kinds = index_parts(index.kind)
    return len(kinds) == rank and all(map(_is_number, kinds))


def _access(op: Call, made: Mapping[Value, Op], params: Mapping[Value, Param], inner: set[Op]) -> Access | None:
    """An operation's use of an array in the body; None where it is not known which memory that is."""
    base, index = op.args[0], op.args[1]
    while isinstance(step := made.get(base), Call) and step in inner:
        if step.target == "operator.getitem" and isinstance(step.args[0].kind, Array):
            base, index = step.args[0], step.args[1]
        else:
            return None
    root: Value = base
    while isinstance(step := made.get(root), Call) and (step.target in WINDOWS or _is_window(step)):
        root = step.args[0]
    source = params.get(root) or made.get(root)
    known = isinstance(source, Param) or isinstance(source, Call) and source.target in FRESH
    return Access(source, base, index, op.target in STORES) if known and source is not None else None


def _is_window(op: Call) -> bool:
    """Test for a subscript of an array that gives a part of it: by integers and slices."""
    if op.target != "operator.getitem" or not isinstance(op.args[0].kind, Array):
        return False
    index = op.args[1].kind
    kinds = index_parts(index)
    return all(_is_number(k) or isinstance(k, Slice) or k in (NONE, Other("ellipsis")) for k in kinds)


def _is_number(kind: Kind) -> bool:
    return isinstance(kind, Scalar) and kind.dtype == "int64"


def _axes(index: Value, counter: Value, made: Mapping[Value, Op]) -> frozenset[tuple[int, int]]:
    """The axes along which an index stands where the loop's counter does, and how far behind."""
    step = made.get(index)
    parts = list(step.args) if isinstance(step, Call) and step.target == "builtins.tuple" else [index]
    found = set()
    for k, part in enumerate(parts):  # as long as each part of the index stands for one axis
        if not (_is_number(part.kind) or isinstance(part.kind, Slice)):
            break
        root, offset = offset_of(part, made) if _is_number(part.kind) else (None, 0)
        if root is counter:
            found.add((k, offset))
    return frozenset(found)


def _ends(loop: For, made: Mapping[Value, Op]) -> tuple[Value, Value, int] | None:
    """Start, stop and step, 1 or -1, of the range that a loop counts; None of others."""
    items = made.get(loop.iterable)
    if not isinstance(items, Call) or items.target != "builtins.range" or items.kwargs:
        return None
    start, stop = items.args[:2] if len(items.args) > 1 else (Const(0), items.args[0])
    step = items.args[2] if len(items.args) > 2 else Const(1)
    return (start, stop, step.payload) if isinstance(step, Const) and step.payload in (1, -1) else None


def _apart(loop: For, made: Mapping[Value, Op], block: Block, name: str) -> Function:
    """Have a loop of a block run by a function of its own, which is handed all that it reads."""
    at, before = block.ops.index(loop), Builder(Block(), registry.infer)
    _start(loop, made, before)
    before.append(loop)
    body = before.block
    inside = {v for b in blocks_of(body) for v in (*b.params, *(r for op in b.ops for r in op.results))}
    read = [v for op in body.ops for v in reads_of(op) if not isinstance(v, LITERALS) and v not in inside]
    table = {v: Value(v.kind, v.name) for v in dict.fromkeys(read)}
    substitute_each(body, lambda v: table.get(v, v))
    body.yields = [Const(None)]
    function = Function(name, list(map(Param, table.values())), body)
    call = Call(target=name, args=list(table), callee=function, results=[Value(NONE)], loc=loop.loc, primal=loop.primal)
    block.ops[at] = call
    return function


def _start(loop: For, made: Mapping[Value, Op], before: Builder) -> None:
    """Have a loop counted by ``prange``, upwards: its order is of no matter. Numba's counter may be without a sign."""
    ends = _ends(loop, made)
    assert ends is not None
    start, stop, step = ends
    if step == -1:
        start, stop = _next(stop, before), _next(start, before)
    loop.iterable = Value(RANGE)
    ends_given = [stop] if isinstance(start, Const) and start.payload == 0 else [start, stop]
    before.append(Call(target=f"{LOOPS}prange", args=ends_given, results=[loop.iterable]))
    counter = loop.body.params[0]
    loop.body.params[0] = Value(INT, "p")  # a name of its own: others are assigned in loops inside
    loop.body.ops.insert(0, Call(target="numpy.int64", args=[loop.body.params[0]], results=[counter]))


def _next(value: Value, b: Builder) -> Value:
    return Const(value.payload + 1) if isinstance(value, Const) else b.call("operator.add", value, 1)
