"""Calls that are better computed again in the reverse sweep than recorded, without being asked to be.

    def growth(x, a):                     numbers, with few operations: their adjoints read the arguments alone, or almost
        return a * x * (1.0 - x)

    def attraction(q):                    n points, and arrays of n * n items to record at each call
        apart = q[None, :] - q[:, None]
        return np.sum(apart / (apart**2 + 1.0), axis=1)

    def rates(z, p):                      few items, and numbers computed of them, or items of what is there anyway
        return np.array([p[0] * z[0] - p[1] * z[0] * z[1], p[2] * z[0] * z[1] - p[3] * z[1]])

A tape of such a call holds its arguments, or far more memory than they take.
"""

from __future__ import annotations

import math

from s2sad.analysis.alias import is_droppable
from s2sad.analysis.at_calls import AtCalls
from s2sad.analysis.views import is_window
from s2sad.ir.kinds import Array, Kind, Scalar, Tuple, may_refer
from s2sad.ir.nodes import LITERALS, Call, Const, Function, If, Op, Value
from s2sad.ir.size_names import Naming
from s2sad.rules import registry
from s2sad.rules.language import Elementwise
from s2sad.rules.traits import having

MOST_NUMBERS = 16  # operations on numbers
MOST_ARRAYS = 32  # operations on arrays
FEW = 16  # items of an array that takes less memory than numbers do that are computed of it


def repeated(callee: Function) -> bool:
    """Choice to compute calls of a function again in the reverse sweep: as the user asks, or as it pays."""
    return callee.checkpointed or pays(callee)


def pays(callee: Function) -> bool:
    """Test for a call that costs no more to compute again than to record, or far less memory."""
    ops = callee.body.ops
    if len(ops) > MOST_ARRAYS or not all(isinstance(op, Call) and is_light(op) for op in ops):
        return False
    params = callee.values
    made = [value for op in ops for value in op.results]
    if all(isinstance(value.kind, Scalar) for value in (*params, *made)):
        return len(ops) <= MOST_NUMBERS and all(isinstance(op, Call) and _is_cheap(op) for op in ops)
    given = [_rank(value) for value in params]
    grown = max((_rank(op.result) or 0 for op in ops if isinstance(op, Call) and not is_window(op)), default=0)
    return all(rank is not None and rank < grown for rank in given) and all(_rank(value) is not None for value in made)


def is_brief(callee: Function) -> bool:
    """Test for a function that computes numbers and arrays of few items from numbers, and does nothing else."""
    ops = [op for op in callee.body.ops if not _only_raises(op)]
    return all(isinstance(op, Call) and _is_of_numbers(op, Naming((), ())) for op in ops)


def pays_at_calls(callee: Function, at_calls: AtCalls) -> bool:
    """The same by what is known of the arguments: a call computes few numbers, of few items or of what is there anyway."""
    ops = [op for op in callee.body.ops if not _only_raises(op)]
    if not at_calls.calls.get(callee) or len(ops) > MOST_ARRAYS:
        return False
    naming = at_calls.naming(callee)
    given = [*enumerate(callee.values)]
    if not any(isinstance(v.kind, Array) for _, v in given):
        return False
    if not all(_is_small(naming.kind(v.kind)) or isinstance(v.kind, Array) and at_calls.lasts(callee, k) for k, v in given):
        return False
    return all(isinstance(op, Call) and _is_of_numbers(op, naming) for op in ops)


def _is_of_numbers(op: Call, naming: Naming) -> bool:
    """Test for a call that computes a number, or a few, and takes no longer than to look at its arguments; or that puts numbers
    into an array."""
    if op.callee is not None or len(op.results) != 1 or not is_droppable(op):
        return False
    kind = naming.kind(op.result.kind)
    if isinstance(kind, Tuple):
        return all(isinstance(item, Scalar) for item in kind.items)
    puts = op.target in having("puts into an array") and isinstance(op.args[0].kind, Tuple)
    return _is_small(kind) and (_is_cheap(op) or is_window(op) or puts)


def _only_raises(op: Op) -> bool:
    """Test for a branch that raises an exception, or does nothing: where numbers are unpacked (``x, y = z``)."""
    if isinstance(op, If):
        inside = [inner for block in op.blocks() for inner in block.ops]
        return not op.results and all(_only_raises(inner) or isinstance(inner, Call) and is_droppable(inner) for inner in inside)
    return isinstance(op, Call) and op.target == "s2sad.raise"


def _is_small(kind: Kind) -> bool:
    """Test for numbers, and arrays of few items."""
    if isinstance(kind, Scalar):
        return True
    sizes = kind.shape if isinstance(kind, Array) else None
    return sizes is not None and all(isinstance(n, int) for n in sizes) and math.prod(map(int, sizes)) <= FEW  # type: ignore[arg-type]


def is_light(op: Call) -> bool:
    """Test for a call that makes one value, does nothing else, and takes no longer than to look at its arguments."""
    if op.callee is not None or len(op.results) != 1 or not is_droppable(op):
        return False
    primitive = registry.lookup(op.target)
    elementwise = primitive is not None and isinstance(primitive.derivative, Elementwise)
    return elementwise or is_window(op) or _is_cheap(op) or op.target in having("sums") or _looks_once(op)


def _looks_once(op: Call) -> bool:
    """Test for a contraction over the items of one of its operands, each once (``einsum("ijk,ik->ij", d, g)``)."""
    text = op.args[0].payload if op.target in having("contracts") and isinstance(op.args[0], Const) else None
    if not isinstance(text, str) or "..." in text:
        return False
    terms = text.replace(" ", "").partition("->")[0].split(",")
    return any({*term} == {*"".join(terms)} for term in terms)


def _is_cheap(op: Call) -> bool:
    primitive = registry.lookup(op.target)
    return primitive is not None and primitive.cheap


def _rank(value: Value) -> int | None:
    """The number of axes, None where that is not known."""
    return 0 if isinstance(value, LITERALS) else _axes(value.kind)


def _axes(kind: Kind) -> int | None:
    """The same of a kind; those of a structure are the most of its items (an index ``np.newaxis, :`` has none)."""
    if isinstance(kind, Array):
        return kind.rank
    axes = [*map(_axes, kind.inner)] if kind.fixed else []
    return None if None in axes or may_refer(kind) and not kind.fixed else max((n for n in axes if n is not None), default=0)
