"""Array statements as loops over their items.

    u[1:-1] += c * (u2[2:] - v)     ==>     v1 = u[1:-1]
                                            v2 = u2[2:]
                                            for k in range(common(v1.shape[0], v2.shape[0])):
                                                v1[k] += c * (v2[k] - v[k])

An elementwise expression is one loop nest over its items; what is read once, by the next such operation, needs no array of its
own. A statement that writes into memory that its right-hand side reads elsewhere computes that side first. Sizes that are not
known to be equal are compared when the program runs; axes that may be of one item do not advance.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from s2sad.emit.motion import Motion
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import (
    FUNCTION,
    INT,
    NONE,
    Array,
    Kind,
    List,
    Other,
    Scalar,
    Size,
    Slice,
    Tuple,
    index_parts,
    is_many,
    rank_of,
    same_size,
)
from s2sad.ir.nodes import Block, Call, Const, For, Function, Global, Op, Value
from s2sad.ir.walk import blocks_of
from s2sad.loops.in_bounds import InBounds
from s2sad.loops.numbers import HELPERS, LOOPS, OPERATORS, SAME_MEANING, TOGETHER, Numbers
from s2sad.loops.refusal import refuse

ELEMENTWISE = (
    {f"operator.{name}" for name in (
        "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "neg", "pos", "eq", "ne", "lt", "le", "gt", "ge", "and_", "or_",
        "xor", "invert",
    )} | {name for name in SAME_MEANING if name.startswith("numpy.")} | set(HELPERS) | set(OPERATORS)
    | {"numpy.square", "numpy.reciprocal", "builtins.abs"}
)  # fmt: skip
STORES = {"operator.setitem": None, "s2sad.additem": "operator.add", "s2sad.subitem": "operator.sub"}
SUMS = {"numpy.sum", "ndarray.sum", "numpy.mean", "ndarray.mean", "numpy.vdot"}
# What Numba has of NumPy with the same meaning, for arrays of float64 in any layout.
NATIVE = {"numpy.zeros_like", "numpy.copy", "ndarray.copy", "numpy.ones_like", "numpy.empty_like", "ndarray.T", "numpy.zeros",
          "numpy.ones", "numpy.empty", "numpy.eye", "numpy.arange", "numpy.transpose"}  # fmt: skip
EXTREMES = {f"{owner}.{name}": f"numpy.{name}" for owner in ("numpy", "ndarray")
            for name in ("max", "min", "argmax", "argmin", "any", "all")}  # fmt: skip
EXTREMES |= {f"s2sad.runtime.{name}_item": f"{LOOPS}{name}_item" for name in ("largest", "smallest")}
FILLED = {"numpy.zeros", "numpy.ones", "numpy.empty"}
SIMPLE = {
    "numpy.linalg.norm": "_norm", "numpy.diff": "_differences", "numpy.flip": "_flipped", "numpy.full": "_full",
    "numpy.array": "_gathered", "numpy.concatenate": "_joined", "numpy.add.at": "_at", "numpy.subtract.at": "_at",
    "s2sad.runtime.ties": "_ties",
}  # fmt: skip
PRODUCTS = {"operator.matmul", "numpy.dot", "ndarray.dot", "numpy.matmul"}
WIDER = {("float64", "int64"), ("float64", "bool"), ("complex128", "float64"), ("complex128", "int64")}  # what stores convert
ZERO = {"float64": 0.0, "int64": 0, "bool": False}
NAMED = {"int64": ("numpy.int64", np.int64), "bool": ("numpy.bool_", np.bool_), "complex128": ("numpy.complex128", np.complex128)}
FLOATS = Scalar("float64", weak=False)
PLUS = f"{LOOPS}plus"
Index = list[Value]


def dtype_told(kind: Array) -> dict[str, Value]:
    """The argument that tells a function of NumPy's the dtype of its result, unless that is the usual one."""
    if kind.dtype == "float64":
        return {}
    path, found = NAMED[kind.dtype or ""]
    return {"dtype": Global(path, FUNCTION, found, resolved=True)}


def is_array(value: Value) -> bool:
    """Test for an array."""
    return isinstance(value.kind, Array)


class Arrays:
    """Rewrites the calls of one function that concern arrays. ``table``: what stands for results that need no operation."""

    def __init__(self, function: Function, numbers: Numbers, motion: Motion, counts: dict[Value, int]) -> None:
        self.numbers = numbers
        self.motion = motion
        self.counts = counts
        self.table: dict[Value, Value] = {}
        self.steps: dict[tuple[Value, int], Value] = {}  # how far to go along an axis that may be stretched
        self.made: dict[Value, Call] = {}  # what is computed item by item, where it is read
        self.place: dict[Op, int] = {}
        self.in_bounds = InBounds(function, numbers.bits)
        for block in blocks_of(function.body):
            self._defer(block)

    def state(self) -> tuple[dict[Value, Value], dict[tuple[Value, int], Value], dict[Value, Call]]:
        """A copy of all that is known so far, to be gone back to."""
        return dict(self.table), dict(self.steps), dict(self.made)

    def restore(self, state: tuple[dict[Value, Value], dict[tuple[Value, int], Value], dict[Value, Call]]) -> None:
        """Go back to a state: nothing was appended since."""
        self.table, self.steps, self.made = state

    @staticmethod
    def concern(op: Call) -> bool:
        """Test for a call that takes or gives arrays."""
        return any(map(is_array, [*op.operands(), *op.results]))

    # --- what needs no array of its own

    def _defer(self, block: Block) -> None:
        """Find the elementwise operations whose only reader can compute their items; readers come before what they read."""
        readers: dict[Value, tuple[Call, int]] = {}
        for at, op in reversed(list(enumerate(block.ops))):
            if not isinstance(op, Call) or op.callee is not None:
                continue
            where = self.place.get(op, at)
            if len(op.results) == 1 and op.target in ELEMENTWISE and is_array(op.result) and op.result in readers:
                reader, where_read = readers[op.result]
                free = self.counts.get(op.result) == 1 and self._same_axes(op, reader)
                if free and self.motion.may_move(op, block, at, where_read, lambda o: o in self.place):
                    self.made[op.result] = op
                    where = self.place[op] = where_read
            for k, value in enumerate(op.args):
                if self._pulls(op, k):
                    readers[value] = (op, where)

    @staticmethod
    def _pulls(op: Call, k: int) -> bool:
        """Test for an operation that reads its k-th argument item by item."""
        stored = op.target in STORES and k == 2 and all(map(is_array, op.args[::2]))
        return op.target in ELEMENTWISE or op.target in SUMS or stored

    @staticmethod
    def _same_axes(op: Call, reader: Call) -> bool:
        """Test that each item is read once: none of the axes is stretched by the reader."""
        mine = op.result.kind
        if reader.target in SUMS:
            return True
        other = reader.result.kind if reader.target in ELEMENTWISE else None
        if other is None:
            return True
        if not isinstance(mine, Array) or not isinstance(other, Array) or mine.shape is None or other.shape is None:
            return False
        return len(mine.shape) == len(other.shape) and all(map(same_size, mine.shape, other.shape))

    # --- calls

    def call(self, op: Call, b: Builder) -> None:
        """Append what a call becomes. Raises NotCompiled."""
        if len(op.results) == 1 and op.result in self.made:
            return
        rank = rank_of(op.result.kind) if len(op.results) == 1 else None
        if op.target in STORES:
            self._store(op, b)
        elif op.target == "operator.getitem":
            self._read(op, b)
        elif op.target in SUMS:
            self._sum(op, b)
        elif op.target in ELEMENTWISE and rank:
            self._whole(op, b)
        elif op.target in PRODUCTS:
            self._product(op, b)
        elif op.target == "s2sad.runtime.unbroadcast":
            self._unbroadcast(op, b)
        elif op.target in ("s2sad.runtime.broadcast_like", "numpy.full_like"):
            self._stretched(op, b)
        elif op.target == "s2sad.runtime.zeros" and self.number(op.args[0].kind).dtype == "float64":
            b.append(Call(target="numpy.zeros_like", args=op.args, results=op.results))
        elif op.target == "s2sad.runtime.seed":
            self._seed(op, b)
        elif op.target == "numpy.outer":
            self._outer(op, b)
        elif op.target in FILLED and len(op.args) == 1 and set(op.kwargs) <= {"dtype"} and self._native(op):
            assert isinstance(op.result.kind, Array)
            op.kwargs = dtype_told(op.result.kind)
            b.append(op)
        elif op.target in SIMPLE:
            getattr(self, SIMPLE[op.target])(op, b)
        elif op.target in EXTREMES and rank and EXTREMES[op.target] in ("numpy.max", "numpy.min"):
            axis, keep = self._axes(op)
            self._along(op, op.args[0], axis, keep, b)
        elif op.target in EXTREMES and len(op.args) == 1 and not op.kwargs and not rank and self._compares(op):
            op.target = EXTREMES[op.target]
            b.append(op)
        elif op.target in NATIVE and not op.kwargs and self._native(op):
            b.append(op)
        else:
            what = ", ".join([*(str(v.kind) for v in op.args), *(f"{k}={v.kind}" for k, v in op.kwargs.items())])
            refuse(f"{op.target} of {what} is not compiled yet", op)

    @staticmethod
    def _compares(op: Call) -> bool:
        kind, truth = op.args[0].kind, op.target.endswith((".any", ".all"))
        return isinstance(kind, Array) and (kind.dtype in ("float64", "int64") or truth and kind.dtype == "bool")

    @staticmethod
    def _native(op: Call) -> bool:
        kind = op.result.kind
        if not isinstance(kind, Array) or kind.dtype not in ZERO:
            return False
        if op.target in ("numpy.zeros", "numpy.ones", "numpy.empty", "numpy.arange", "numpy.eye", "numpy.transpose"):
            return len(op.args) == 1 or op.target == "numpy.arange"
        return True

    # --- loops

    def nest(
        self, sizes: Index, b: Builder, body: Callable[[Index, list[Value]], list[Value]], init: list[Value],
        name: str | None = None,
    ) -> list[Value]:  # fmt: skip
        """Append a loop for each size, the first one outermost; ``body`` gives, at an index, what is carried on."""

        def level(index: Index, carried: list[Value]) -> list[Value]:
            if len(index) == len(sizes):
                return body(index, carried)
            items = b.call("builtins.range", sizes[len(index)])
            i, params = Value(INT), [Value(Scalar(v.kind.widest, weak=False), name) for v in carried]  # type: ignore[attr-defined]
            block = Block([i, *params])
            with b.inside(block):
                block.yields = level([*index, i], list(params))
            loop = For(iterable=items, init=list(carried), body=block, results=[Value(p.kind, p.name) for p in params])
            b.append(loop)
            return loop.results

        return level([], init)

    @staticmethod
    def size(array: Value, axis: int, b: Builder) -> Value:
        """The number of items along an axis."""
        return b.call("operator.getitem", b.call("ndarray.shape", array), axis)

    def leaves(self, value: Value) -> list[Value]:
        """The arrays that the items of a value are computed of."""
        op = self.made.get(value)
        if op is None:
            return [value] if is_array(value) else []
        return [leaf for arg in op.args for leaf in self.leaves(arg)]

    def sizes(self, values: list[Value], rank: int, b: Builder) -> Index:
        """The sizes of what is computed of values, item by item; each axis of theirs gets its steps."""
        leaves = list(dict.fromkeys(leaf for value in values for leaf in self.leaves(value)))
        return [self._axis(leaves, k, rank, b) for k in range(rank)]

    def _axis(self, leaves: list[Value], k: int, rank: int, b: Builder) -> Value:
        groups: list[tuple[Size, list[tuple[Value, int]]]] = []
        for leaf in leaves:
            assert isinstance(leaf.kind, Array) and leaf.kind.shape is not None
            axis = k - rank + len(leaf.kind.shape)
            if axis < 0:
                continue
            size = leaf.kind.shape[axis]
            group = next((g for g in groups if same_size(g[0], size)), None)
            if group is None:
                groups.append((size, [(leaf, axis)]))
            else:
                group[1].append((leaf, axis))
        for group in groups:
            for place in group[1]:
                self.steps.pop(place, None)
            for place in group[1][1:] if group[0] != 1 else ():
                b.call(f"{LOOPS}common", self.size(*group[1][0], b), self.size(*place, b))
        if len(groups) == 1:
            return self.size(*groups[0][1][0], b)
        found: Value | None = None
        for size, places in sorted(groups, key=lambda g: not is_many(g[0])):
            n = Const(1) if size == 1 else self.size(*places[0], b)
            if size == 1 or not is_many(size):
                for place in places:
                    self.steps[place] = Const(0) if size == 1 else b.call(f"{LOOPS}step", n)
            if size != 1:
                found = n if found is None else b.call(f"{LOOPS}{'common' if is_many(size) else 'stretched'}", found, n)
        return found if found is not None else Const(1)

    # --- items

    def item(self, value: Value, index: Index, b: Builder) -> Value:
        """The item of a value at an index, whose last parts are those of its axes; a number is the same everywhere."""
        op = self.made.get(value)
        if op is not None:
            return self.computed(op, index, b)
        if not isinstance(value.kind, Array):
            return value
        assert value.kind.shape is not None
        rank = len(value.kind.shape)
        parts: Index = []
        for axis, i in enumerate(index[len(index) - rank :]):
            step = self.steps.get((value, axis))
            parts.append(i if step is None else Const(0) if isinstance(step, Const) else b.call("operator.mul", i, step))
        got = b.call("operator.getitem", value, parts[0] if rank == 1 else b.call("builtins.tuple", *parts))
        got.kind = self.number(value.kind)
        return got

    @staticmethod
    def number(kind: Kind) -> Scalar:
        """The kind of an item."""
        assert isinstance(kind, Array) and kind.dtype is not None
        return Scalar(kind.dtype, weak=False)

    def computed(self, op: Call, index: Index, b: Builder) -> Value:
        """The item that an elementwise operation has at an index."""
        args = [self.item(v, index, b) for v in op.args]
        result = Value(self.number(op.result.kind))
        if op.kwargs:
            refuse(f"{op.target} with {', '.join(op.kwargs)}", op)
        call = Call(target=op.target, args=args, results=[result], loc=op.loc, primal=op.primal)
        if op.target in TOGETHER and [v.kind for v in args] == [result.kind] == [FLOATS]:
            call.target = TOGETHER[op.target]
            b.append(call)
        else:
            self.numbers.call(call, b)
        return result

    def store(self, array: Value, index: Index, value: Value, b: Builder, target: str = "operator.setitem") -> None:
        """Append a store of a number."""
        place = index[0] if len(index) == 1 else b.call("builtins.tuple", *index)
        b.append(Call(target=target, args=[array, place, value], results=[Value(Other("none"))]))

    # --- arrays of their own

    @staticmethod
    def _new(sizes: Index, b: Builder, result: Value, zero: bool = False) -> None:
        """Append an array of these sizes, of the kind of a result."""
        if not isinstance(result.kind, Array) or result.kind.dtype is None:
            refuse("an array whose dtype is not known")
        shape = sizes[0] if len(sizes) == 1 else b.call("builtins.tuple", *sizes)
        made = Call(target="numpy.zeros" if zero else "numpy.empty", args=[shape], results=[result])
        made.kwargs = dtype_told(result.kind)
        b.append(made)

    def _whole(self, op: Call, b: Builder) -> None:
        """An elementwise operation whose result is read more than once, or elsewhere."""
        rank = rank_of(op.result.kind)
        assert rank is not None
        sizes = self.sizes(op.args, rank, b)
        self._new(sizes, b, op.result)

        def body(index: Index, _: list[Value]) -> list[Value]:
            self.store(op.result, index, self.computed(op, index, b), b)
            return []

        self.nest(sizes, b, body, [])

    def held(self, value: Value, b: Builder) -> Value:
        """A value as an array of its own, if it is computed item by item."""
        if value in self.made:
            self._whole(self.made.pop(value), b)
        return value

    def _stretched(self, op: Call, b: Builder) -> None:
        """``broadcast_like(x, like)``, and ``full_like(like, x)``."""
        like, x = op.args[:2] if op.target == "numpy.full_like" else op.args[1::-1]
        if len(op.args) != 2 or op.kwargs or not is_array(like):
            refuse(f"{op.target} of {op.args[0].kind} and {op.args[1].kind}", op)
        rank = rank_of(like.kind)
        assert rank is not None
        if op.target != "numpy.full_like" and is_array(x) and self._equal(x.kind, like.kind):
            self.table[op.result] = x
            return
        sizes = [self.size(like, k, b) for k in range(rank)]
        self._fit(x, like, sizes, b)
        self._new(sizes, b, op.result)

        def body(index: Index, _: list[Value]) -> list[Value]:
            self.store(op.result, index, self.item(x, index, b), b)
            return []

        self.nest(sizes, b, body, [])

    def _fit(self, x: Value, like: Value, sizes: Index, b: Builder) -> None:
        """Give the axes of x the steps for a nest of these sizes, which x may not exceed."""
        for leaf in dict.fromkeys(self.leaves(x)):
            assert isinstance(leaf.kind, Array) and leaf.kind.shape is not None
            assert isinstance(like.kind, Array) and like.kind.shape is not None
            extra = len(sizes) - len(leaf.kind.shape)
            if extra < 0:
                refuse("an array with more axes than the place that it goes to")
            for axis, size in enumerate(leaf.kind.shape):
                self.steps.pop((leaf, axis), None)
                if leaf is like:
                    continue
                n = self.size(leaf, axis, b)
                if is_many(size) or same_size(size, like.kind.shape[axis + extra]):
                    b.call(f"{LOOPS}common", n, sizes[axis + extra])
                    continue
                b.call(f"{LOOPS}common", b.call(f"{LOOPS}stretched", sizes[axis + extra], n), sizes[axis + extra])
                self.steps[leaf, axis] = b.call(f"{LOOPS}step", n)

    @staticmethod
    def _equal(a: Kind, b: Kind) -> bool:
        if not isinstance(a, Array) or not isinstance(b, Array) or a.shape is None or b.shape is None:
            return False
        return len(a.shape) == len(b.shape) and all(map(same_size, a.shape, b.shape))

    def _unbroadcast(self, op: Call, b: Builder) -> None:
        """The sum over axes that were stretched."""
        bar, like = op.args
        if not is_array(bar):
            refuse(f"unbroadcast of {bar.kind}", op)
        if is_array(like) and self._equal(bar.kind, like.kind):
            self.table[op.result] = self.held(bar, b)
            return
        rank = rank_of(bar.kind)
        assert rank is not None
        if isinstance(like.kind, Scalar):
            self.table[op.result] = self._total(op, bar, b)
            return
        if not is_array(like):
            refuse(f"unbroadcast of {bar.kind} and {like.kind}", op)
        inner = rank_of(like.kind)
        assert inner is not None
        self.held(bar, b)
        sizes = [self.size(bar, k, b) for k in range(rank)]
        own = [self.size(like, k, b) for k in range(inner)]
        self._new(own, b, op.result, zero=True)
        first, extra = max(inner - rank, 0), max(rank - inner, 0)  # a store leaves out axes of size 1 in front
        steps = [b.call(f"{LOOPS}step", n) for n in own[first:]]
        for n in own[:first]:
            b.call(f"{LOOPS}common", n, Const(1))
        for n, m in zip(sizes[extra:], own[first:], strict=True):
            b.call(f"{LOOPS}common", b.call(f"{LOOPS}stretched", n, m), n)

        def body(index: Index, _: list[Value]) -> list[Value]:
            there = [b.call("operator.mul", i, s) for i, s in zip(index[extra:], steps, strict=True)]
            self.store(op.result, [Const(0)] * first + there, self.item(bar, index, b), b, "s2sad.additem")
            return []

        self.nest(sizes, b, body, [])

    def _seed(self, op: Call, b: Builder) -> None:
        bar, out = op.args
        rank, other = rank_of(bar.kind), rank_of(out.kind)
        if rank is None or rank != other:
            refuse(f"a seed that is {bar.kind} of {out.kind}", op)
        for k in range(rank):
            b.call(f"{LOOPS}common", self.size(bar, k, b), self.size(out, k, b))
        self.table[op.result] = bar

    # --- sums

    def _total(self, op: Call, value: Value, b: Builder, other: Value | None = None) -> Value:
        """The sum of all items, or of the products of two values' items."""
        rank, dtype = rank_of(value.kind), self.number(value.kind).dtype
        if dtype not in ZERO:
            refuse(f"a sum of {value.kind}", op)
        assert rank is not None
        sizes = self.sizes([value] if other is None else [value, other], rank, b)

        def body(index: Index, carried: list[Value]) -> list[Value]:
            term = self.item(value, index, b)
            if other is not None:
                term = b.call("operator.mul", term, self.item(other, index, b))
            return [b.call(PLUS if dtype == "float64" else "operator.add", carried[0], term)]

        (total,) = self.nest(sizes, b, body, [Const(ZERO[dtype])], op.result.name)
        return total

    def _sum(self, op: Call, b: Builder) -> None:
        value = op.args[0]
        if op.target == "numpy.vdot":
            other = op.args[1]
            if {getattr(v.kind, "dtype", None) for v in (value, other)} != {"float64"}:
                refuse(f"vdot of {value.kind} and {other.kind}", op)
            if not is_array(value) or not is_array(other) or rank_of(value.kind) != rank_of(other.kind):
                refuse(f"vdot of {value.kind} and {other.kind}", op)
            self._alike(value, other, b)
            self.table[op.result] = self._total(op, value, b, other)
            return
        if not is_array(value) or self.number(value.kind).dtype != "float64":
            refuse(f"{op.target} of {value.kind}", op)
        axis, keep = self._axes(op)
        if axis is None and not keep:
            total = self._total(op, value, b)
            if op.target.endswith("mean"):
                total = self._mean(total, [b.call("ndarray.size", v) for v in self.leaves(value)[:1]], value, b)
            self.table[op.result] = total
        else:
            self._along(op, value, axis, keep, b)

    def _alike(self, value: Value, other: Value, b: Builder) -> None:
        """See to it that both have the same shape."""
        if self._equal(value.kind, other.kind):
            return
        self.held(value, b)
        self.held(other, b)
        for k, (n, m) in enumerate(zip(value.kind.shape, other.kind.shape, strict=True)):  # type: ignore[attr-defined]
            if not same_size(n, m):
                b.call(f"{LOOPS}common", self.size(value, k, b), self.size(other, k, b))

    def _mean(self, total: Value, sizes: Index, value: Value, b: Builder) -> Value:
        if value in self.made:
            rank = rank_of(value.kind)
            assert rank is not None
            sizes = self.sizes([value], rank, b)
        count = sizes[0]
        for n in sizes[1:]:
            count = b.call("operator.mul", count, n)
        result = Value(Scalar("float64", weak=False))
        b.append(Call(target="operator.truediv", args=[total, count], results=[result]))
        return result

    @staticmethod
    def _axes(op: Call) -> tuple[int | None, bool]:
        """The axis and whether it is kept. Raises NotCompiled for several, and for those that are not known."""
        given = dict(zip(("axis",), op.args[1:], strict=False)) | op.kwargs
        unknown = set(given) - {"axis", "keepdims"}
        axis, keep = given.get("axis", Const(None)), given.get("keepdims", Const(False))
        if unknown or len(op.args) > 2 or not isinstance(axis, Const) or not isinstance(keep, Const):
            refuse(f"{op.target} with {', '.join(given)}", op)
        if axis.payload is not None and not isinstance(axis.payload, int):
            refuse(f"{op.target} along several axes", op)
        return axis.payload, bool(keep.payload)

    def _along(self, op: Call, value: Value, axis: int | None, keep: bool, b: Builder) -> None:
        rank = rank_of(value.kind)
        assert rank is not None
        if axis is None or not -rank <= axis < rank:
            refuse(f"{op.target} of all items that keeps axes", op)
        axis %= rank
        sizes = self.sizes([value], rank, b)
        outer = [n for k, n in enumerate(sizes) if k != axis]
        extreme = EXTREMES.get(op.target, "")
        combine = {"numpy.max": "numpy.maximum", "numpy.min": "numpy.minimum"}.get(extreme, PLUS)
        if extreme and self.number(value.kind).dtype != "float64":
            refuse(f"{op.target} of {value.kind}", op)
        kept = [Const(1) if k == axis else n for k, n in enumerate(sizes)] if keep else outer
        self._new(kept, b, op.result)

        def body(index: Index, _: list[Value]) -> list[Value]:
            def term(inner: Index, carried: list[Value]) -> list[Value]:
                return [b.call(combine, carried[0], self.item(value, [*index[:axis], inner[0], *index[axis:]], b))]

            start: Value = b.call(f"{LOOPS}at", 0, sizes[axis]) if extreme else Const(0)  # there is no largest of no items
            first = self.item(value, [*index[:axis], start, *index[axis:]], b) if extreme else Const(0.0)
            (total,) = self.nest([sizes[axis]], b, term, [first])
            if op.target.endswith("mean"):
                total = self._mean(total, [sizes[axis]], op.result, b)
            place = [*index[:axis], Const(0), *index[axis:]] if keep else index
            self.store(op.result, place, total, b)
            return []

        self.nest(outer, b, body, [])

    # --- products

    def _product(self, op: Call, b: Builder) -> None:
        x, y = op.args[:2]
        ranks = rank_of(x.kind), rank_of(y.kind)
        if len(op.args) != 2 or op.kwargs or any(v.kind.dtype != "float64" for v in (x, y) if isinstance(v.kind, Array)):
            refuse(f"{op.target} of {x.kind} and {y.kind}", op)
        if ranks == (1, 1):
            self._alike(x, y, b)
            self.table[op.result] = self._total(op, x, b, y)
        elif ranks in ((1, 2), (2, 1), (2, 2)):
            n, m = self.size(x, ranks[0] - 1, b), self.size(y, 0, b)
            b.call(f"{LOOPS}common", n, m)
            b.append(Call(target=f"{LOOPS}product", args=[x, y], results=op.results))
        else:
            refuse(f"{op.target} of {x.kind} and {y.kind}", op)

    def _outer(self, op: Call, b: Builder) -> None:
        x, y = op.args
        if rank_of(x.kind) != 1 or rank_of(y.kind) != 1:
            refuse(f"{op.target} of {x.kind} and {y.kind}", op)
        sizes = [self.size(x, 0, b), self.size(y, 0, b)]
        self._new(sizes, b, op.result)
        for v in (x, y):
            self.steps.pop((v, 0), None)

        def body(index: Index, _: list[Value]) -> list[Value]:
            product = b.call("operator.mul", self.item(x, index[:1], b), self.item(y, index[1:], b))
            self.store(op.result, index, product, b)
            return []

        self.nest(sizes, b, body, [])

    # --- reading and writing places

    @staticmethod
    def _is_basic(index: Value) -> bool:
        """Test for an index of integers and slices."""
        parts = index_parts(index.kind)
        return all(
            isinstance(p, Slice) or (isinstance(p, Scalar) and p.dtype == "int64") or p in (Other("ellipsis"), NONE)
            for p in parts
        )

    def _within(self, base: Value, index: Value, b: Builder) -> Value:
        """An index of integers and slices whose integers lie within their axes: machine code does not look."""
        if isinstance(index.kind, Scalar):
            return self._at_axis(index, base, 0, b)
        if not isinstance(index.kind, Tuple) or not any(isinstance(k, Scalar) for k in index_parts(index.kind)):
            return index
        made = self.numbers.bits.from_.get(index)
        if isinstance(index, Const):
            parts: Index = [Const(part) for part in index.payload]
        elif isinstance(made, Call) and made.target == "builtins.tuple":
            parts = [Const(None) if isinstance(v, Global) else v for v in made.args]
        else:
            parts = [b.call("operator.getitem", index, k) for k in range(len(index.kind.items))]
        kinds = index.kind.items
        takes = [not (k == NONE or k == Other("ellipsis")) for k in kinds]
        axis, found = 0, []
        for k, part in enumerate(parts):
            if kinds[k] == Other("ellipsis"):
                axis = (rank_of(base.kind) or 0) - sum(takes[k:])
            found.append(self._at_axis(part, base, axis, b) if isinstance(kinds[k], Scalar) else part)
            axis += takes[k]
        return b.call("builtins.tuple", *found)

    def _at_axis(self, i: Value, base: Value, axis: int, b: Builder) -> Value:
        if self.in_bounds.inside(i, base, axis):
            return i
        return b.call(f"{LOOPS}at", i, self.size(base, axis, b))

    def _read(self, op: Call, b: Builder) -> None:
        base, index = op.args
        if isinstance(index, Const) and index.payload is ... and is_array(base):
            self.table[op.result] = base
            return
        if self._is_basic(index) and not isinstance(base.kind, List):
            op.args = [base, self._within(base, index, b)]
            b.append(op)
            return
        self._chosen(op, b)

    def _store(self, op: Call, b: Builder) -> None:
        base, index, value = op.args
        if is_array(base) and not self._is_basic(index) and op.target == "operator.setitem":
            self._scatter(op, base, index, value, op.target, b)
            return
        if not is_array(base) or not self._is_basic(index):
            refuse(f"a store by an index that is {index.kind}", op)
        whole = isinstance(index, Const) and index.payload is ...
        place = index if whole else self._within(base, index, b)
        window = base if whole else b.call("operator.getitem", base, place)
        if isinstance(window.kind, Scalar):
            b.block.ops.pop()
            if is_array(value):
                refuse("a store of an array into one place", op)
            op.args = [base, place, value]
            b.append(op)
            return
        if not isinstance(window.kind, Array) or window.kind.rank is None:
            refuse(f"a store by an index that is {index.kind}", op)
        self._fill(op, window, base, index, value, b)

    def _fill(self, op: Call, window: Value, base: Value, index: Value, value: Value, b: Builder) -> None:
        assert isinstance(window.kind, Array) and window.kind.rank
        if not isinstance(value.kind, Array | Scalar):
            refuse(f"a store of {value.kind}", op)
        kinds = [v.kind.dtype for v in (window, value) if isinstance(v.kind, Array | Scalar)]
        if kinds[0] != kinds[-1] and tuple(kinds) not in WIDER:
            refuse(f"a store of {value.kind} into {base.kind}", op)
        if self._overlaps(op, base, index, value):
            value = self._copied(value, b)
        sizes = [self.size(window, k, b) for k in range(window.kind.rank)]
        self._fit(value, window, sizes, b)
        symbol = STORES[op.target]
        for k in range(window.kind.rank):
            self.steps.pop((window, k), None) if window not in self.leaves(value) else None

        def body(at: Index, _: list[Value]) -> list[Value]:
            self.store(window, at, self.item(value, at, b), b, op.target if symbol else "operator.setitem")
            return []

        self.nest(sizes, b, body, [])

    def _overlaps(self, op: Call, base: Value, index: Value, value: Value) -> bool:
        """Possibility that the right-hand side reads, at other places, memory that is written."""
        written = {node.find() for node in self.motion.writes(op)}
        aliases = self.motion.aliases
        for leaf in self.leaves(value):
            if leaf is base and isinstance(index, Const) and index.payload is ...:
                continue
            if aliases.node(leaf).find() in written:
                return True
        return False

    def _copied(self, value: Value, b: Builder) -> Value:
        if value in self.made:
            return self.held(value, b)
        return b.call("numpy.copy", value)

    # --- by index arrays

    def _places(self, base: Value, index: Value, b: Builder) -> tuple[Index, Callable[[Index], Index]] | None:
        """The sizes of what an index chooses along its first axes, and the place of each; None of what is not known.

        The index is an array of integers with one axis, or a tuple of such and of integers.
        """
        made = next((o for o in reversed(b.block.ops) if index in o.results), None) if isinstance(index.kind, Tuple) else None
        parts = list(made.args) if isinstance(made, Call) and made.target == "builtins.tuple" else [index]
        listed = index.kind.items if isinstance(index.kind, Tuple) and index.kind.listed else ()
        numbers = listed or ((index.kind.item,) if isinstance(index.kind, List) else ())
        if numbers and all(isinstance(k, Scalar) and k.dtype == "int64" for k in numbers):
            parts = [b.call(f"{LOOPS}gathered" if not listed else "numpy.array", index)]
            parts[0].kind = Array("int64", (None,))
        elif listed:
            return None
        arrays = [p for p in parts if isinstance(p.kind, Array) and p.kind.dtype == "int64" and p.kind.rank == 1]
        fine = all(p in arrays or (isinstance(p.kind, Scalar) and p.kind.dtype == "int64") for p in parts)
        if not arrays or not fine or len(parts) > (rank_of(base.kind) or 0):
            return None
        n = self.size(arrays[0], 0, b)
        for other in arrays[1:]:
            b.call(f"{LOOPS}common", n, self.size(other, 0, b))

        def place(at: Index) -> Index:
            chosen = [b.call("operator.getitem", p, at[0]) if p in arrays else p for p in parts]
            return [*(self._at_axis(i, base, axis, b) for axis, i in enumerate(chosen)), *at[1:]]

        rest = range(len(parts), rank_of(base.kind) or 0)
        return [n, *(self.size(base, k, b) for k in rest)], place

    def _chosen(self, op: Call, b: Builder) -> None:
        """``a[idx]``, ``a[i, j]``."""
        base, index = op.args
        found = self._places(base, index, b)
        if found is None or rank_of(op.result.kind) != len(found[0]):
            refuse(f"an index that is {index.kind}", op)
        sizes, place = found
        self._new(sizes, b, op.result)

        def body(at: Index, _: list[Value]) -> list[Value]:
            self.store(op.result, at, self._at_place(base, place(at), b), b)
            return []

        self.nest(sizes, b, body, [])

    def _at_place(self, base: Value, place: Index, b: Builder) -> Value:
        got = b.call("operator.getitem", base, place[0] if len(place) == 1 else b.call("builtins.tuple", *place))
        got.kind = self.number(base.kind)
        return got

    def _at(self, op: Call, b: Builder) -> None:
        """``np.add.at(a, idx, v)``: each place as often as it is named."""
        base, index, value = op.args[:3]
        self._scatter(op, base, index, value, "s2sad.additem" if op.target == "numpy.add.at" else "s2sad.subitem", b)

    def _scatter(self, op: Call, base: Value, index: Value, value: Value, target: str, b: Builder) -> None:
        found = self._places(base, index, b)
        kinds = [v.kind.dtype for v in (base, value) if isinstance(v.kind, Array | Scalar)]
        if found is None or len(op.args) != 3 or kinds != ["float64", "float64"]:
            refuse(f"a store by an index that is {index.kind}", op)
        sizes, place = found
        if is_array(value):
            value = self._copied(value, b)
            if rank_of(value.kind) != len(sizes):
                refuse(f"a store of {value.kind} by an index that is {index.kind}", op)
            for k, n in enumerate(sizes):
                b.call(f"{LOOPS}common", self.size(value, k, b), n)
                self.steps.pop((value, k), None)

        def body(at: Index, _: list[Value]) -> list[Value]:
            self.store(base, place(at), self.item(value, at, b), b, target)
            return []

        self.nest(sizes, b, body, [])

    # --- short forms

    def _norm(self, op: Call, b: Builder) -> None:
        value = op.args[0]
        if len(op.args) > 1 or op.kwargs or self.number(value.kind).dtype != "float64" or (rank_of(value.kind) or 3) > 2:
            refuse(f"{op.target} of {value.kind}, or with options", op)
        b.append(Call(target="numpy.sqrt", args=[self._total(op, value, b, value)], results=op.results))

    @staticmethod
    def _ties(op: Call, b: Builder) -> None:
        x, *extreme = op.args
        kinds = [v.kind for v in extreme]
        if op.kwargs or len(kinds) != 1 or not isinstance(kinds[0], Scalar) or {x.kind.dtype, kinds[0].dtype} != {"float64"}:  # type: ignore[attr-defined]
            refuse(f"{op.target} of {x.kind}, or with options", op)
        b.append(Call(target=f"{LOOPS}ties", args=op.args, results=op.results))

    def _differences(self, op: Call, b: Builder) -> None:
        x = op.args[0]
        if len(op.args) > 1 or op.kwargs or rank_of(x.kind) != 1 or self.number(x.kind).dtype != "float64":
            refuse(f"{op.target} of {x.kind}, or with options", op)
        high, low = (b.call("operator.getitem", x, slice(*part)) for part in ((1, None), (None, -1)))
        high.kind = low.kind = op.result.kind
        self._whole(Call(target="operator.sub", args=[high, low], results=op.results, loc=op.loc, primal=op.primal), b)

    def _flipped(self, op: Call, b: Builder) -> None:
        axes = [v.payload if isinstance(v, Const) else v for v in [*op.args[1:], *op.kwargs.values()]]
        if any(axis not in (None, 0, -1) for axis in axes) or rank_of(op.args[0].kind) != 1:
            refuse(f"{op.target} of {op.args[0].kind}, or with options", op)
        b.append(Call(target="operator.getitem", args=[op.args[0], Const(slice(None, None, -1))], results=op.results))

    def _full(self, op: Call, b: Builder) -> None:
        if len(op.args) != 2 or op.kwargs or not isinstance(op.args[1].kind, Scalar):
            refuse(f"{op.target} with options", op)
        if op.args[1].kind.dtype != "float64" or self.number(op.result.kind).dtype != "float64":
            refuse(f"{op.target} of {op.args[1].kind}", op)
        b.append(op)

    def _gathered(self, op: Call, b: Builder) -> None:
        """``np.array([a, b])``."""
        kind = op.args[0].kind
        items = kind.items if isinstance(kind, Tuple) else ()
        if isinstance(kind, List) and not kind.keyed:
            items = (kind.item,)
        if len(op.args) != 1 or op.kwargs or not items or not isinstance(op.result.kind, Array):
            refuse(f"{op.target} of {kind}", op)
        if any(not isinstance(k, Scalar) or k.widest != "float64" for k in items) or op.result.kind.dtype != "float64":
            refuse(f"{op.target} of {kind}", op)
        op.target = f"{LOOPS}gathered" if isinstance(kind, List) else op.target
        b.append(op)

    def _joined(self, op: Call, b: Builder) -> None:
        """``np.concatenate((a, b))`` of vectors."""
        kind = op.args[0].kind
        items = kind.items if isinstance(kind, Tuple) else ()
        if len(op.args) != 1 or set(op.kwargs) - {"axis"} or not items:
            refuse(f"{op.target} of {kind}, or with options", op)
        if any(not isinstance(k, Array) or k.rank != 1 or k.dtype != "float64" for k in items):
            refuse(f"{op.target} of {kind}", op)
        axis = op.kwargs.pop("axis", Const(0))
        if not isinstance(axis, Const) or axis.payload not in (0, -1, None):
            refuse(f"{op.target} along an axis that is not known", op)
        b.append(op)
