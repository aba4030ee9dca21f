"""Calls of each primitive for several directions at once. A statement answers a call that has an argument, or a result,
that depends on the direction: with what stands for the result. Nothing here has to be linear, and all of it has to be exact;
what is not stated is called for one direction after the other (``Lifter.one_by_one``).

    elementwise   u_dot * c           arrays with fewer axes than the result get theirs behind the first: s_dot[:, None]
    subscripts    u_dot[:, 1:-1]
    along axes    np.sum(u_dot, axis=1)
    products      u_dot @ A.T         for A @ u_dot
"""

from __future__ import annotations

import string
from collections.abc import Callable
from typing import Any, TypeVar, cast

from s2sad.directions.dependence import MAKERS
from s2sad.directions.lifting import EVERY, Lifter, Lifts, Statement
from s2sad.ir.kinds import (
    Array,
    Kind,
    List,
    Other,
    Scalar,
    Slice,
    StructKind,
    Tuple,
    dtype_of,
    index_parts,
    is_differentiable,
    rank_of,
)
from s2sad.ir.nodes import SAME, Call, Const, Value
from s2sad.rules import registry
from s2sad.rules.application import fits
from s2sad.rules.containers import EACH, INSERTS, MAKES, READS, REMOVES, move_by, move_of
from s2sad.rules.effects import parsed
from s2sad.rules.kind_rules import as_array_kind, index_items, subscript
from s2sad.rules.language import Elementwise, Primitive

Stated = TypeVar("Stated", bound=Callable[..., Value | None])


class Table(dict[str, Statement]):
    """Statements, by the primitives that they are made for; those for containers, by what is done to these."""

    def __init__(self, *of: Table) -> None:
        super().__init__(*of)
        self.of_moves: dict[str, Statement] = {}
        for table in of:
            self.of_moves |= table.of_moves

    def states(self, *targets: str) -> Callable[[Stated], Stated]:
        """Enter a statement for these primitives."""

        def enter(statement: Stated) -> Stated:
            self.update(dict.fromkeys(targets, cast(Statement, statement)))
            return statement

        return enter

    def statement_of(self, target: str, broadcast: Statement) -> Statement | None:
        """The statement for a primitive, if there is one: ``broadcast`` for all others that work entry by entry."""
        found = self.get(target)
        primitive = registry.lookup(target)
        if found is None and primitive is not None:
            move = move_by(primitive)
            if move is not None and not parsed(primitive.effects).looks:
                return self.of_moves.get(move.does)
        if found is None and target.startswith(("numpy.", "operator.", "s2sad.runtime.")):
            return broadcast if primitive is not None and isinstance(primitive.derivative, Elementwise) else None
        return found


TABLE = Table()
states = TABLE.states


def lifts() -> Lifts:
    """A new request."""
    return Lifts(lambda target: TABLE.statement_of(target, elementwise), frozenset({zeros, sequence}))


def literal(value: Value | None) -> Any:
    """The payload of a literal; Ellipsis for what is none."""
    return value.payload if isinstance(value, Const) else ...


def only(s: Lifter, bound: dict[str, Value], *params: str) -> bool:
    """Test that no other argument than these depends on the direction."""
    return not any(s.has(v) for p, v in bound.items() if p not in params)


# --- elementwise


@states("numpy.where", "numpy.real", "numpy.imag", "numpy.conj", "numpy.conjugate", "ndarray.conj", "ndarray.conjugate",
        "ndarray.real", "ndarray.imag", "ndarray.astype", "numpy.copy", "ndarray.copy", "numpy.nan_to_num",
        "numpy.ascontiguousarray", "s2sad.runtime.copy_if_any")  # fmt: skip
def elementwise(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """Operands with fewer axes than the result get new ones behind the directions."""
    core = s.kind(op.result)
    if isinstance(core, List | Tuple):
        return sequence(s, op, primitive)
    bound = primitive.bind(op.args, op.kwargs)
    operands = [v for v in bound.values() if s.has(v) or isinstance(v.kind, Array | Scalar | List | Tuple)]
    if any(isinstance(s.kind(v), List | Tuple) for v in operands) or literal(bound.get("out", Const(None))) is not None:
        return s.one_by_one(op, primitive)
    rank = max(s.rank(v) for v in operands)
    return s.again(op, {p: narrowed(s, v, core, rank) for p, v in bound.items() if s.has(v)})


def narrowed(s: Lifter, value: Value, result: Kind, rank: int) -> Value:
    """An operand with this many axes; one of Python's numbers in the precision of the result, which it does not raise."""
    raised = s.up(value, rank)
    own, want = s.kind(value), dtype_of(result)
    if isinstance(own, Scalar) and own.weak and want in ("float16", "float32", "complex64"):
        raised = s.builder.call("ndarray.astype", raised, Const(want))
    return raised


@states("builtins.float", "builtins.complex", "operator.pos", "numpy.positive", "numpy.float64")
def itself(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """A conversion: one that makes a number of a number leaves an array of them."""
    (value, *rest) = op.operands()
    number = isinstance(s.kind(op.result), Scalar) and s.rank(value) == 0  # float() takes arrays of one item, too
    if rest or not number or op.target == "builtins.complex":
        return s.one_by_one(op, primitive)
    if op.target == "builtins.float" and dtype_of(s.kind(value)) != "float64":
        return s.builder.call("ndarray.astype", s.get(value), Const("float64"))
    return s.fresh(s.get(value))


# --- containers


def sequence(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """Items that depend beside such that do not: all of them do."""
    move = move_of(op)
    if move is None:  # lists joined, or repeated
        args = [s.lifted(v) if isinstance(s.kind(v), List | Tuple) else s.get(v) for v in op.args]
    else:
        items = {k for k, v in enumerate(op.args) if k >= (move.items or 0) and is_differentiable(s.kind(v))}
        args = [s.lifted(v) if k in items else s.get(v) for k, v in enumerate(op.args)]
    made = s.builder.call(op.target, *args)
    made.kind = s.raised(s.kind(op.result))
    return made


def put_in(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """An operation on a list of values that depend: the item that is put there is made to depend, too."""
    move = move_of(op)
    assert move is not None
    return s.builder.call(op.target, *(s.lifted(v) if k == move.items else s.get(v) for k, v in enumerate(op.args)))


def taken(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """An item of a container, or all of them."""
    move = move_of(op)
    assert move is not None
    if move.place == EACH:
        return unpacked(s, op)
    zero = move.default if s.has(op.result) else None
    args = [s.lifted(v) if k == zero and literal(v) == 0.0 else s.get(v) for k, v in enumerate(op.args)]
    made = s.builder.call(op.target, *args)
    made.kind = s.raised(s.kind(op.result)) if s.has(op.result) else op.result.kind
    return made


def unpacked(s: Lifter, op: Call) -> Value | None:
    """``a, b = pair``."""
    kinds = [s.raised(s.kind(v)) if s.has(v) else v.kind for v in op.results]
    for old, new in zip(op.results, s.builder.unpack(s.get(op.args[0]), kinds), strict=True):
        s.replace(old, new)
    return None


TABLE.of_moves |= {MAKES: sequence, INSERTS: put_in, READS: taken, REMOVES: taken}


# --- subscripts


def shifted(s: Lifter, index: Value) -> Value | None:
    """The subscript behind one more axis; None where NumPy would put the axis of arrays among the indices elsewhere."""
    kind = index.kind
    parts = index_parts(kind)
    if any(not isinstance(k, Slice | Scalar | Array | List | Tuple | Other) for k in parts):
        return None
    chosen = [isinstance(k, Array | List | Tuple) or (isinstance(k, Scalar) and k.dtype == "bool") for k in parts]
    if any(chosen):
        fixed = [k for k, part in enumerate(parts) if chosen[k] or isinstance(part, Scalar)]
        if fixed != list(range(fixed[0], fixed[-1] + 1)):
            return None
    many = isinstance(kind, Tuple) and not kind.listed
    if isinstance(index, Const):
        if (index.payload[:1] if many else (index.payload,)) == (...,):
            return index  # the axes in front are among those that it leaves alone
        return Const((EVERY, *(index.payload if many else (index.payload,))))
    if not many:
        return s.builder.call("builtins.tuple", Const(EVERY), s.get(index))
    maker = s.definer.get(index)
    if isinstance(maker, Call) and maker.target == "builtins.tuple":
        return s.builder.call("builtins.tuple", Const(EVERY), *map(s.get, maker.args))
    made = s.builder.call("operator.add", Const((EVERY,)), s.get(index))
    made.kind = Tuple((Slice(), *parts))
    return made


@states("operator.getitem")
def item(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """An item of a list; a number, a window or a gathered copy of an array."""
    base, index = op.args
    kind = s.kind(base)
    if kind.container:
        return taken(s, op, primitive)
    if isinstance(s.kind(op.result), List | Tuple):  # a row of an array that was made of a list of lists
        s.core[op.result] = as_array_kind(s.kind(op.result))
    place = shifted(s, index)
    if place is None:
        return s.one_by_one(op, primitive)
    made = s.builder.call("operator.getitem", s.get(base), place)
    made.kind = s.raised(s.kind(op.result))
    number = isinstance(s.kind(op.result), Scalar)
    return s.fresh(made) if number and s.facts.aliases.mutable(base) else made


@states("operator.setitem", "s2sad.additem", "s2sad.subitem", "numpy.add.at", "numpy.subtract.at")
def store(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """A store: of an item of a list, or into a window that has the directions in front."""
    base, index, value = op.args
    kind = s.kind(base)
    if isinstance(kind, List | StructKind):
        if op.target == "operator.setitem":
            s.builder.call(op.target, s.get(base), s.get(index), s.lifted(value))
            return None
        if not isinstance(kind, List) or not isinstance(kind.item, Scalar):
            s.builder.call(op.target, s.get(base), s.get(index), s.lifted(value))
            return None
        old = s.builder.call("operator.getitem", s.get(base), s.get(index))  # a number, which is replaced and not changed
        old.kind = s.raised(kind.item)
        sign = "operator.add" if op.target in ("s2sad.additem", "numpy.add.at") else "operator.sub"
        s.builder.call("operator.setitem", s.get(base), s.get(index), s.builder.call(sign, old, s.get(value)))
        return None
    place = shifted(s, index)
    window = subscript(kind, index_items(index.kind))
    rank = rank_of(window)
    if place is None or rank is None or s.rank(value) > rank:
        s.refuse("a store by this subscript, for several directions at once")
    s.builder.call(op.target, s.get(base), place, s.up(value, rank))
    return None


@states("numpy.copyto")
def copied_to(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """Into a whole array."""
    bound = primitive.bind(op.args, op.kwargs)
    s.again(op, {"src": s.up(bound["src"], s.rank(bound["dst"]))})
    return None


@states(SAME, "numpy.may_share_memory", "s2sad.runtime.window_as", "s2sad.runtime.shadow_of", "s2sad.runtime.assert_window",
        "builtins.isinstance")  # fmt: skip
def as_it_is(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """A question about the memory behind the arguments, asked of them as they are."""
    return s.again(op)


@states(*MAKERS, "numpy.zeros")
def zeros(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """As many zeros, of the shape of what depends on the direction or not."""
    value, core = op.args[0], s.kind(op.result)
    if s.has(value):
        return s.again(op)
    options = len(op.args) + len(op.kwargs) > 1 and not op.target.startswith("s2sad")
    if options or op.target in ("numpy.ones_like", "numpy.empty_like"):
        return s.spread_out(op)
    if op.target == "numpy.zeros":
        made = s.builder.call(op.target, counted(s, value))
    elif isinstance(core, Array) and core.dtype is not None and (core.rank == 1 or not s.asserts_windows):
        made = s.builder.call("numpy.zeros", s.shape(value), *([] if core.dtype == "float64" else [Const(core.dtype)]))
    else:
        made = s.builder.call("s2sad.runtime.zeros_each", s.get(value), s.count())
    made.kind = s.raised(core)
    return made


@states("numpy.full_like")
def filled_like(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """``np.full_like(a, g)``: an array of the shape and dtype of ``a``."""
    bound = primitive.bind(op.args, op.kwargs)
    like, fill = bound["a"], bound["fill_value"]
    core = s.kind(op.result)
    if not only(s, bound, "fill_value") or literal(bound.get("dtype", Const(None))) is not None:
        return s.one_by_one(op, primitive)
    if not isinstance(core, Array) or not core.shape or core.dtype is None:
        return s.one_by_one(op, primitive)
    made = s.builder.call("numpy.full", s.shape(like), s.up(fill, len(core.shape)), Const(core.dtype))
    made.kind = s.raised(core)
    return made


# --- shapes looked at


@states("ndarray.shape", "numpy.shape", "ndarray.size", "numpy.size", "ndarray.ndim", "numpy.ndim", "builtins.len",
        "ndarray.dtype", "s2sad.runtime.size_along", "s2sad.runtime.keys_of")  # fmt: skip
def looked_at(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """The shape is that of one direction; containers hold as many items."""
    value, *rest = op.operands()
    whole = s.kind(value).container
    made = s.builder.call(op.target, s.get(value) if whole else s.single(value), *map(s.get, rest))
    made.kind = op.result.kind
    return made


# --- along axes


def behind(axis: Any) -> Any:
    """An axis, or several, behind one more; those counted from the end stay."""
    if isinstance(axis, tuple):
        return tuple(map(behind, axis))
    return axis + 1 if axis >= 0 else axis


def all_axes(rank: int) -> Any:
    """All axes but the first."""
    return 1 if rank == 1 else tuple(range(1, rank + 1))


def along(param: str, none: str, *names: str) -> Statement:
    """A function of an array with axes by these names; ``axis=None`` means "all" axes, the "flat" array, or is "left" alone."""

    def statement(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
        bound = primitive.bind(op.args, op.kwargs)
        rank = s.rank(bound[param])
        axes = {name: literal(bound[name]) for name in names}
        known = all(isinstance(a, int | tuple | None) for a in axes.values())
        ends = any(literal(bound.get(p, Const(None))) is not None for p in ("prepend", "append"))
        if not known or ends or not only(s, bound, param) or rank == 0:
            return s.one_by_one(op, primitive)
        changed: dict[str, Value] = {}
        for name, axis in axes.items():
            if axis is not None:
                changed[name] = Const(behind(axis))
            elif none == "all":
                changed[name] = Const(all_axes(rank))
            elif none == "flat" and rank == 1:
                changed[name] = Const(1)
            else:
                return s.one_by_one(op, primitive)
        return s.again(op, changed)

    return statement


TABLE |= {f"numpy.{name}": along("a", "all", "axis") for name in ("sum", "mean", "nansum")}
TABLE |= {"numpy.cumsum": along("a", "flat", "axis"), "numpy.roll": along("a", "flat", "axis")}
TABLE |= {"numpy.repeat": along("a", "flat", "axis"), "numpy.take": along("a", "flat", "axis")}
TABLE |= {"numpy.flip": along("m", "all", "axis"), "numpy.diff": along("a", "left", "axis")}
TABLE |= {"s2sad.runtime.diff_adjoint": along("bar", "left", "axis")}
TABLE |= {f"numpy.{name}": along("a", "left", "axis1", "axis2") for name in ("trace", "diagonal", "swapaxes")}
TABLE["s2sad.runtime.diagonal_window"] = TABLE["numpy.diagonal"]
TABLE |= {"ndarray.swapaxes": TABLE["numpy.swapaxes"], "numpy.moveaxis": along("a", "left", "source", "destination")}
TABLE |= {"numpy.expand_dims": along("a", "left", "axis"), "numpy.squeeze": along("a", "left", "axis")}
TABLE |= {"ndarray.squeeze": TABLE["numpy.squeeze"]}
TABLE |= {f"numpy.fft.{name}": along("a", "left", "axis") for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")}


@states("numpy.tril", "numpy.triu")
def last_two(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """Functions of the last two axes."""
    value = op.args[0]
    return s.again(op) if s.rank(value) >= 2 else s.one_by_one(op, primitive)


# --- shapes


@states("ndarray.T", "numpy.transpose", "numpy.permute_dims")
def transposed(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """The axes but the first, in another order."""
    bound = primitive.bind(op.args, op.kwargs)
    value = bound["a"]
    rank, axes = s.rank(value), literal(bound.get("axes", Const(None)))
    if rank < 2:
        return s.get(value)
    if axes is ...:
        return s.one_by_one(op, primitive)
    order = tuple(range(rank))[::-1] if axes is None else tuple(k % rank for k in axes)
    made = s.builder.call("numpy.transpose", s.get(value), Const((0, *(k + 1 for k in order))))
    made.kind = s.raised(s.kind(op.result))
    return made


@states("numpy.reshape", "numpy.ravel", "ndarray.ravel", "ndarray.flatten")
def reshaped(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """The shape that is asked for, behind the directions."""
    bound = primitive.bind(op.args, op.kwargs)
    value, shape = bound["a"], bound.get("shape", Const(-1))
    if literal(bound.get("order", Const("C"))) != "C" or not isinstance(s.kind(value), Array):
        return s.one_by_one(op, primitive)
    if s.rank(value) == 1 and op.target != "ndarray.flatten" and literal(shape) in (-1, (-1,)):
        return s.get(value)
    made = s.builder.call("numpy.reshape", s.get(value), counted(s, shape))
    made.kind = s.raised(s.kind(op.result))
    return s.fresh(made) if op.target == "ndarray.flatten" else made


def counted(s: Lifter, shape: Value) -> Value:
    """A shape behind the number of directions."""
    if s.has(shape):
        s.refuse("a shape that depends")
    if isinstance(shape, Const):
        sizes = shape.payload if isinstance(shape.payload, tuple) else (shape.payload,)
        return s.builder.call("builtins.tuple", s.count(), *map(Const, sizes))
    if isinstance(shape.kind, Scalar):
        return s.builder.call("builtins.tuple", s.count(), s.get(shape))
    maker = s.definer.get(shape)
    if isinstance(maker, Call) and maker.target == "builtins.tuple":
        return s.builder.call("builtins.tuple", s.count(), *map(s.get, maker.args))
    if isinstance(shape.kind, Tuple) and not shape.kind.listed:
        return s.behind_count(s.get(shape))
    if isinstance(shape.kind, List) or (isinstance(shape.kind, Array) and shape.kind.rank == 1):
        return s.behind_count(s.builder.call("s2sad.runtime.tuple_of", s.get(shape)))
    s.refuse(f"a shape that is no tuple ({shape.kind})")


@states("numpy.broadcast_to")
def stretched_to(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """To a shape."""
    value, shape = op.args
    core = s.kind(op.result)
    if not isinstance(core, Array) or core.shape is None:
        return s.one_by_one(op, primitive)
    made = s.builder.call(op.target, s.up(value, len(core.shape)), counted(s, shape))
    made.kind = s.raised(core)
    return made


@states("s2sad.runtime.broadcast_like", "s2sad.runtime.unbroadcast")
def like_another(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """To the shape of another value, which may depend on the direction itself."""
    value, like = op.args
    if not s.has(value):
        return s.one_by_one(op, primitive)
    core, target = s.kind(value), s.kind(like)
    narrow = op.target.endswith("unbroadcast")
    if fits(core, target) and (dtype_of(core) == dtype_of(target) or not narrow) and dtype_of(core):
        return s.fresh(s.get(value)) if isinstance(core, Scalar) else s.get(value)
    rank = s.rank(like)
    if narrow and rank == 0 and (dtype_of(core) or "?").startswith("float") and dtype_of(target) in (None, dtype_of(core)):
        total = s.builder.call("numpy.sum", s.get(value), axis=Const(all_axes(s.rank(value))))
        total.kind = s.raised(s.kind(op.result))
        return total
    given = s.get(value) if narrow else s.up(value, rank)
    made = s.builder.call(f"{op.target}_each", given, s.single(like) if s.has(like) else s.get(like))
    made.kind = s.raised(s.kind(op.result))
    return made


@states("s2sad.runtime.seed")
def seeds(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """The seeds have the shape of the result, each."""
    bar, out = op.args
    made = s.builder.call("s2sad.runtime.seeds", s.get(bar), s.get(out))
    made.kind = s.raised(s.kind(op.result))
    return made


# --- products


@states("operator.matmul", "numpy.matmul", "numpy.dot", "ndarray.dot", "numpy.inner", "numpy.vdot")
def product(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """A product of vectors and matrices, one of which depends on the direction; the directions are further rows."""
    a, b = op.args
    if s.has(a) and s.has(b) or not all(isinstance(s.kind(v), Array | Scalar) for v in (a, b)):
        return s.one_by_one(op, primitive)
    ranks = s.rank(a), s.rank(b)
    matrices = op.target in ("operator.matmul", "numpy.matmul")
    result = s.raised(s.kind(op.result))

    def made(x: Value, y: Value, target: str = "operator.matmul") -> Value:
        value = s.builder.call(target, x, y)
        value.kind = result
        return value

    if 0 in ranks and op.target in ("numpy.dot", "ndarray.dot"):
        rank = max(ranks)
        return made(s.up(a, rank), s.up(b, rank), "operator.mul")
    real = all((dtype_of(s.kind(v)) or "complex").startswith("float") for v in (a, b))
    if 0 in ranks or (op.target == "numpy.vdot" and not (real and ranks == (1, 1))):
        return s.one_by_one(op, primitive)
    if op.target == "numpy.inner" and ranks != (1, 1):
        return s.one_by_one(op, primitive)
    if not matrices and max(ranks) > 2:
        return s.one_by_one(op, primitive)
    x, y = s.get(a), s.get(b)
    if s.has(a):
        if ranks[0] == 1:
            return made(x, y) if ranks[1] <= 2 else s.one_by_one(op, primitive)
        return made(s.up(a, ranks[1]), y)
    if ranks[1] == 1:
        if ranks[0] == 1:
            return made(y, x)
        return made(y, turned(s, a)) if ranks[0] == 2 else s.one_by_one(op, primitive)
    return made(x, s.up(b, ranks[0]))


def turned(s: Lifter, matrix: Value) -> Value:
    """The transpose of a matrix."""
    maker = s.definer.get(matrix)
    if isinstance(maker, Call) and maker.target == "ndarray.T":
        return s.get(maker.args[0])
    return s.builder.call("ndarray.T", s.get(matrix))


@states("numpy.outer")
def outer(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """The outer product of two vectors."""
    a, b = op.args
    if s.has(a) and s.has(b) or (s.rank(a), s.rank(b)) != (1, 1):
        return s.one_by_one(op, primitive)
    column = s.builder.call("operator.getitem", s.get(a), Const((EVERY, EVERY, None) if s.has(a) else (EVERY, None)))
    row = s.builder.call("operator.getitem", s.get(b), Const((EVERY, None))) if s.has(b) else s.get(b)
    made = s.builder.call("operator.mul", column, row)
    made.kind = s.raised(s.kind(op.result))
    return made


@states("numpy.einsum")
def einsum(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """One more letter, in front of the factor and of the result."""
    text = literal(op.args[0])
    factors = op.args[1:]
    depends = [s.has(v) for v in factors]
    if not isinstance(text, str) or "->" not in text or "." in text or depends.count(True) != 1 or op.kwargs:
        return s.one_by_one(op, primitive)
    letter = next(c for c in string.ascii_letters[::-1] if c not in text)
    terms, result = text.replace(" ", "").split("->")
    pieces = [letter + t if d else t for t, d in zip(terms.split(","), depends, strict=True)]
    made = s.builder.call(op.target, Const(f"{','.join(pieces)}->{letter}{result}"), *map(s.get, factors))
    made.kind = s.raised(s.kind(op.result))
    return made


@states("numpy.linalg.solve")
def solve(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """One matrix for all right-hand sides."""
    a, b = op.args
    if s.has(a) or s.rank(a) != 2:
        return s.one_by_one(op, primitive)
    if s.rank(b) != 1:
        return s.again(op)
    made = s.builder.call(op.target, s.get(a), s.builder.call("ndarray.T", s.get(b)))
    turned = s.builder.call("ndarray.T", made)
    turned.kind = s.raised(s.kind(op.result))
    return turned


# --- pieces


def _pieces(s: Lifter, value: Value) -> Value | None:
    """Arrays that are put together, all of which depend then: those of whole numbers, too."""
    kind = s.kind(value)
    if not isinstance(kind, Tuple) or not all(isinstance(k, Array | Scalar) for k in kind.items):
        return None
    pieces = s.get(value)
    if all(map(is_differentiable, kind.items)):
        return pieces
    items = [s.builder.call("operator.getitem", pieces, Const(k)) for k in range(len(kind.items))]
    items = [v if is_differentiable(k) else s.lifted(v) for v, k in zip(items, kind.items, strict=True)]
    return s.builder.call("builtins.tuple", *items)


@states("numpy.concatenate", "numpy.stack")
def joined(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """Along an axis behind the directions."""
    bound = primitive.bind(op.args, op.kwargs)
    axis = literal(bound["axis"])
    pieces = _pieces(s, bound["arrays"])
    if pieces is None or not isinstance(axis, int) or not only(s, bound, "arrays"):
        return s.one_by_one(op, primitive)
    return s.again(op, {"arrays": pieces, "axis": Const(behind(axis))})


@states("numpy.array", "numpy.asarray")
def array(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """An array of an array; of numbers, a stack of them behind the directions."""
    value = op.args[0]
    kind = s.kind(value)
    if isinstance(kind, Array):
        return s.again(op)
    items = kind.items if isinstance(kind, Tuple) else ()
    core = s.kind(op.result)
    if not items or len({k.rank if isinstance(k, Array) else 0 for k in items if isinstance(k, Array | Scalar)}) != 1:
        return s.one_by_one(op, primitive)
    if not all(isinstance(k, Array | Scalar) for k in items) or len(op.args) + len(op.kwargs) > 1:
        return s.one_by_one(op, primitive)
    made = s.builder.call("numpy.stack", s.get(value), axis=Const(1))
    made.kind = s.raised(core)
    return made

