"""Primitives on index sets. A statement answers a call that has an argument, or a result, that depends.

    elementwise   union(unions, u_set, v_set)             what depends on nothing is left out, but for its shape
    moves         np.roll(u_set, 1)                       by the call itself
    along axes    united(unions, u_set, axis=1)
    products      matmul_sets(unions, A, u_set, False, True)
    stores        a_set[w] = union(unions, a_set[w], v_set)   for a_dot[w] += v_dot
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from s2sad.directions.dependence import MAKERS
from s2sad.directions.lifting import Lifter, Lifts, Statement
from s2sad.directions.statements import TABLE as DIRECTED
from s2sad.directions.statements import Table, as_it_is, literal, looked_at, only, sequence, taken
from s2sad.ir.kinds import UNKNOWN, Array, List, Scalar, StructKind, Tuple, is_differentiable
from s2sad.ir.nodes import SAME, Call, Const, Value
from s2sad.patterns.carrying import Carrier
from s2sad.rules.application import fits
from s2sad.rules.language import Primitive

Sets = Callable[[Carrier, Call, Primitive], Value | None]
TABLE = Table()
states = TABLE.states


def patterns() -> Lifts:
    """A new request."""
    broadcast = cast(Statement, elementwise)
    return Lifts(lambda target: TABLE.statement_of(target, broadcast), frozenset({cast(Statement, empty), sequence}), Carrier)


@states("numpy.copy", "ndarray.copy", "numpy.ascontiguousarray")
def copied(s: Carrier, op: Call, primitive: Primitive) -> Value | None:
    """A copy, which lies in memory as that of the numbers does."""
    plain = not op.kwargs and len(op.args) == 1 and isinstance(s.kind(op.args[0]), Array)
    return s.again(op) if plain else elementwise(s, op, primitive)


@states("numpy.real", "numpy.imag", "numpy.conj", "numpy.conjugate", "ndarray.conj", "ndarray.conjugate", "ndarray.real",
        "ndarray.imag", "ndarray.astype", "numpy.nan_to_num",
        "s2sad.runtime.copy_if_any", "builtins.float", "builtins.complex", "operator.pos", "numpy.positive",
        "numpy.float64", "s2sad.runtime.broadcast_like", "s2sad.runtime.python_number")  # fmt: skip
def elementwise(s: Carrier, op: Call, primitive: Primitive) -> Value | None:
    """Each entry depends on what the entries that meet in it depend on."""
    core = s.kind(op.result)
    if isinstance(core, List | Tuple):
        return sequence(s, op, primitive)
    bound = primitive.bind(op.args, op.kwargs)
    operands = [v for v in bound.values() if s.has(v)]
    plain = all(isinstance(s.kind(v), Array | Scalar) or s.kind(v) == UNKNOWN for v in operands)
    if not plain or literal(bound.get("out", Const(None))) is not None:
        return s.one_by_one(op, primitive)
    known: frozenset[Any] = frozenset().union(*map(s.shapes.of, operands))
    given = {v: s.shapes.of(v) for v in bound.values() if not s.has(v)}
    made = s.union(operands, op.result)
    if isinstance(core, Scalar) or any(fits(s.kind(v), core) for v in operands):
        return made
    others = [s.get(v) for v, shape in given.items() if not shape <= known]
    return s.build("sets_like", made, *others, of=op.result) if others else made


@states("numpy.where")
def where(s: Carrier, op: Call, primitive: Primitive) -> Value | None:
    """The sets of the side that is taken."""
    bound = primitive.bind(op.args, op.kwargs)
    if "x" not in bound or literal(bound["x"]) is None:
        return s.one_by_one(op, primitive)
    if s.chosen(bound["condition"]):
        sides = [bound[p] for p in ("x", "y")]
        others = [s.get(v) for v in bound.values() if not s.has(v)]
        return s.build("sets_like", s.union([v for v in sides if s.has(v)], op.result), *others, of=op.result)
    return s.again(op, {"x": s.lifted(bound["x"]), "y": s.lifted(bound["y"])})


TABLE.of_moves |= DIRECTED.of_moves  # containers of sets
TABLE |= dict.fromkeys((SAME, "numpy.may_share_memory", "s2sad.runtime.window_as", "s2sad.runtime.shadow_of",
                        "s2sad.runtime.assert_window", "builtins.isinstance"), as_it_is)  # fmt: skip
TABLE |= dict.fromkeys(("ndarray.shape", "numpy.shape", "ndarray.size", "numpy.size", "ndarray.ndim", "numpy.ndim",
                        "builtins.len", "s2sad.runtime.size_along", "s2sad.runtime.keys_of"), looked_at)  # fmt: skip


# --- windows and stores


@states("operator.getitem")
def item(s: Carrier, op: Call, primitive: Primitive) -> Value | None:
    """An item of a container; a set, a window or a gathered copy of an array of sets."""
    if s.kind(op.args[0]).container:
        return taken(s, op, primitive)
    return s.one_by_one(op, primitive) if s.chosen(op.args[1]) else s.again(op)


@states("operator.setitem", "s2sad.additem", "s2sad.subitem")
def store(s: Carrier, op: Call, primitive: Primitive) -> Value | None:
    """A store, or an addition in place, which unites."""
    base, index, value = op.args
    container = isinstance(s.kind(base), List | StructKind)
    if s.chosen(index) and not container:
        if s.has(value):
            s.builder.call("s2sad.runtime.union_anywhere", s.unions, s.get(base), s.get(value))
        return None
    if op.target == "operator.setitem" and s.doubts and not container:
        if not s.has(value):
            return None
        old = s.builder.call("operator.getitem", s.get(base), s.get(index))
        given = s.builder.call("s2sad.runtime.union", s.unions, old, s.get(value))
    elif op.target == "operator.setitem":
        given = s.get(value) if container and not is_differentiable(s.kind(value)) else s.lifted(value)
    elif not s.has(value):
        return None
    elif container and not isinstance(getattr(s.kind(base), "item", None), Scalar):
        s.refuse("what is added to the items of a list, for index sets")
    else:
        old = s.builder.call("operator.getitem", s.get(base), s.get(index))
        given = s.builder.call("s2sad.runtime.union", s.unions, old, s.get(value))
    s.builder.call("operator.setitem", s.get(base), s.get(index), given)
    return None


@states("numpy.add.at", "numpy.subtract.at")
def store_at(s: Carrier, op: Call, primitive: Primitive) -> Value | None:
    """A store that adds to one entry several times: the union with what is there."""
    base, index, value = op.args
    if s.has(value) and s.chosen(index):
        s.builder.call("s2sad.runtime.union_anywhere", s.unions, s.get(base), s.get(value))
    elif s.has(value):
        s.builder.call("s2sad.runtime.union_at", s.unions, s.get(base), s.get(index), s.get(value))
    return None


@states("numpy.copyto")
def copied_to(s: Carrier, op: Call, primitive: Primitive) -> Value | None:
    """Into a whole array."""
    bound = primitive.bind(op.args, op.kwargs)
    source = s.lifted(bound["src"])
    if s.doubts:
        source = s.builder.call("s2sad.runtime.union", s.unions, s.get(bound["dst"]), source)
    s.again(op, {"src": source})
    return None


@states(*MAKERS, "numpy.zeros", "numpy.empty", "numpy.full_like", "numpy.full", "numpy.ones")
def empty(s: Carrier, op: Call, primitive: Primitive) -> Value | None:
    """Empty sets, of the shape of what depends or not."""
    core, first = s.kind(op.result), op.args[0]
    if op.target in ("numpy.full_like", "numpy.full"):
        fill = primitive.bind(op.args, op.kwargs)["fill_value"]
        if s.has(fill):
            return s.one_by_one(op, primitive) if not isinstance(s.kind(fill), Scalar) else _filled(s, op, fill)
    if isinstance(core, Scalar):
        return Const(0)
    if op.target in ("numpy.zeros", "numpy.empty", "numpy.ones", "numpy.full"):
        made = s.builder.call("numpy.zeros", s.get(first), Const("int64"))
    elif isinstance(core, Array) and isinstance(first.kind, Array):
        made = s.builder.call("numpy.zeros_like", s.get(first), Const("int64"))
    else:
        return s.build("without_sets", s.get(first), of=op.result)
    made.kind = s.raised(core)
    return made


def _filled(s: Carrier, op: Call, fill: Value) -> Value:
    made = s.builder.call(op.target, s.get(op.args[0]), s.get(fill), Const("int64"))
    made.kind = s.raised(s.kind(op.result))
    return made


# --- moves


def moving(*params: str, free: tuple[str, ...] = ()) -> Sets:
    """A function that puts numbers to other places, and zeros between them; the parameters ``free`` are left out."""

    def statement(s: Carrier, op: Call, primitive: Primitive) -> Value | None:
        bound = primitive.bind(op.args, op.kwargs)
        chosen = any(s.chosen(v) for p, v in bound.items() if p not in params)
        if chosen or not only(s, bound, *params) or literal(bound.get("out", Const(None))) is not None:
            return s.one_by_one(op, primitive)
        if free:
            op.kwargs = {k: v for k, v in op.kwargs.items() if k not in free}
            given = len([v for p, v in bound.items() if p not in free])
            op.args = op.args[:given]
        return s.again(op, {p: s.lifted(bound[p]) for p in params})

    return statement


def _move(scope: str, names: str, *params: str, free: tuple[str, ...] = ()) -> None:
    statement = cast(Statement, moving(*params, free=free))
    TABLE.update({f"{scope}.{name}": statement for name in names.split()})


_move("numpy", "transpose permute_dims reshape ravel swapaxes moveaxis expand_dims squeeze take repeat roll diagonal", "a")
_move("ndarray", "T ravel flatten swapaxes squeeze reshape transpose", "a")
_move("numpy", "flip flipud fliplr rot90 tril triu", "m")
_move("numpy", "broadcast_to", "array")
_move("s2sad.runtime", "diagonal_window", "a")
_move("numpy", "diag diagflat", "v")
_move("numpy", "tile", "A")
_move("numpy", "take_along_axis", "arr")
_move("numpy", "concatenate stack", "arrays")
_move("numpy", "hstack vstack", "tup")
_move("numpy", "atleast_1d atleast_2d", "arys")
_move("numpy", "array asarray", "object", free=("dtype", "copy"))


@states("numpy.pad")
def padded(s: Carrier, op: Call, primitive: Primitive) -> Value | None:
    """With zeros, or with copies."""
    bound = primitive.bind(op.args, op.kwargs)
    moves = literal(bound.get("mode", Const("constant"))) in ("constant", "edge", "reflect", "symmetric", "wrap")
    if not moves or "constant_values" in op.kwargs or not only(s, bound, "array"):
        return s.one_by_one(op, primitive)
    return s.again(op)


@states("s2sad.runtime.seed")
def seeds(s: Carrier, op: Call, primitive: Primitive) -> Value | None:
    """The seed has the shape of the result."""
    return s.again(op) if s.has(op.args[0]) else s.lifted(op.args[0])


# --- along axes, and products


@states("numpy.sum", "numpy.mean", "numpy.nansum", "ndarray.sum", "ndarray.mean")
def united(s: Carrier, op: Call, primitive: Primitive) -> Value | None:
    """Along axes."""
    bound = primitive.bind(op.args, op.kwargs)
    if not only(s, bound, "a") or literal(bound.get("out", Const(None))) is not None:
        return s.one_by_one(op, primitive)
    if not isinstance(s.kind(bound["a"]), Array | Scalar) and s.kind(bound["a"]) != UNKNOWN:
        return s.one_by_one(op, primitive)
    args = [s.get(bound["a"])]
    axis, keep = bound.get("axis", Const(None)), bound.get("keepdims", Const(False))
    kept = literal(keep) not in (False, None) and not (literal(keep) is ... and not isinstance(keep.kind, Scalar))
    if literal(axis) is not None or kept:
        args.append(s.get(axis))
    return s.build("united", s.unions, *args, *([s.get(keep)] if kept else []), of=op.result)


@states("numpy.cumsum")
def running(s: Carrier, op: Call, primitive: Primitive) -> Value | None:
    """Each depends on what the one before depends on, too."""
    bound = primitive.bind(op.args, op.kwargs)
    axis = bound.get("axis", Const(None))
    return s.build("running_sets", s.unions, s.get(bound["a"]), s.get(axis), of=op.result)


@states("numpy.diff")
def differences(s: Carrier, op: Call, primitive: Primitive) -> Value | None:
    """Neighbours."""
    bound = primitive.bind(op.args, op.kwargs)
    ends = any(literal(bound.get(p, Const(None))) is not None for p in ("prepend", "append"))
    if ends or literal(bound["n"]) != 1 or not only(s, bound, "a"):
        return s.one_by_one(op, primitive)
    return s.build("neighbouring_sets", s.unions, s.get(bound["a"]), s.get(bound["axis"]), of=op.result)


@states("s2sad.runtime.unbroadcast")
def narrowed(s: Carrier, op: Call, primitive: Primitive) -> Value | None:
    """United over the axes that were stretched."""
    value, like = op.args
    if not s.has(value) or not isinstance(s.kind(value), Array | Scalar):
        return s.one_by_one(op, primitive)
    if fits(s.kind(value), s.kind(like)):
        return s.union([value], op.result)
    return s.build("narrowed_sets", s.unions, s.get(value), s.get(like), of=op.result)


@states("operator.matmul", "numpy.matmul", "numpy.dot", "ndarray.dot", "numpy.inner", "numpy.vdot", "numpy.outer")
def product(s: Carrier, op: Call, primitive: Primitive) -> Value | None:
    """Of vectors and matrices, with what depends on the left, on the right, or both."""
    a, b = op.args
    ranks = [getattr(s.kind(v), "rank", None) for v in (a, b)]
    if op.target == "numpy.outer":
        helper = "outer_sets"
    elif op.target in ("operator.matmul", "numpy.matmul") or (ranks[0] in (1, 2) and ranks[1] in (1, 2)):
        if op.target in ("numpy.inner", "numpy.vdot") and ranks != [1, 1]:
            return s.one_by_one(op, primitive)
        helper = "matmul_sets"
    else:
        return s.one_by_one(op, primitive)
    if op.kwargs:
        return s.one_by_one(op, primitive)
    return s.build(helper, s.unions, s.get(a), s.get(b), Const(s.has(a)), Const(s.has(b)), of=op.result)


@states("numpy.einsum")
def einsum(s: Carrier, op: Call, primitive: Primitive) -> Value | None:
    """Over the letters that the result does not have."""
    text: Any = literal(op.args[0])
    if not isinstance(text, str) or "->" not in text or "." in text or op.kwargs:
        return s.one_by_one(op, primitive)
    pairs = [v for f in op.args[1:] for v in (Const(s.has(f)), s.get(f))]
    return s.build("einsum_sets", s.unions, op.args[0], *pairs, of=op.result)


__all__ = ["Lifter", "patterns"]
