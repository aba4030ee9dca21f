"""Adjoints of products with sliding windows are added up item by item of a window: there is no array of all windows.

Before::

    v1 = numpy.einsum("ij,kl->ijkl", out_bar, kernel)
    x_bar = s2sad.runtime.windows_adjoint(v1, x, shape, None)

After::

    x_bar = s2sad.runtime.einsum_windows_adjoint(x, shape, None, "ij,kl->ijkl", out_bar, kernel)

The same of ``numpy.tensordot``. An item of the image has as many windows over it as a window has items, so the array would be
that many times as large as the image.
"""

from __future__ import annotations

from string import ascii_letters

from s2sad.ir.kinds import rank_of
from s2sad.ir.nodes import Block, Call, Const, Function, Value
from s2sad.ir.walk import blocks_of, definers, use_counts
from s2sad.optimize.memory_effects import Memory
from s2sad.optimize.rewriting import drop, keeps_border
from s2sad.rules.traits import having

WINDOWS = "s2sad.runtime.windows_adjoint"
SLID = "s2sad.runtime.einsum_windows_adjoint"
TENSORDOT = ("s2sad.runtime.tensordot_adjoint_x", "s2sad.runtime.tensordot_adjoint_y")

Product = tuple[str, list[Value]]  # subscripts and operands


@keeps_border
def run(function: Function, memory: Memory | None = None) -> bool:
    """Leave out arrays of all windows."""
    blocks = [block for block in blocks_of(function.body) if any(_is_slid(op) for op in block.ops)]
    if not blocks:
        return False
    memory = memory or Memory(function)
    maker, uses = definers(function), use_counts(function)
    gone: set[Call] = set()
    for block in blocks:
        for op in block.ops:
            made = maker.get(op.args[0]) if isinstance(op, Call) and _is_slid(op) else None
            if isinstance(op, Call) and isinstance(made, Call) and uses[made.result] == 1 and _may_move(block, made, op, memory):
                product = _product(made)
                if product is not None:
                    subscripts, operands = product
                    rest = [*op.args[1:], *op.kwargs.values()]
                    op.args = [*rest, *[Const(None)] * (3 - len(rest)), Const(subscripts), *operands]
                    op.target, op.kwargs = SLID, {}
                    gone.add(made)
    drop(function, {*gone})
    return bool(gone)


def _is_slid(op: object) -> bool:
    return isinstance(op, Call) and op.target == WINDOWS and [*op.kwargs] in ([], ["axis"])


def _may_move(block: Block, made: Call, op: Call, memory: Memory) -> bool:
    """Certainty that a product may be computed where its adjoint is: nothing is written on the way that it reads."""
    if made not in block.ops:
        return False
    between = block.ops[block.ops.index(made) : block.ops.index(op)]
    read = memory.own_reads(made)
    return all(read.isdisjoint(memory.writes(other)) for other in between)


def _product(op: Call) -> Product | None:
    """A product of arrays as ``einsum``, with subscripts that name all axes."""
    if op.kwargs or op.callee is not None:
        return None
    if op.target in having("contracts") and isinstance(op.args[0], Const) and isinstance(op.args[0].payload, str):
        subscripts = op.args[0].payload
        return (subscripts, op.args[1:]) if "->" in subscripts and "." not in subscripts else None
    return _of_tensordot(op) if op.target in TENSORDOT else None


def _of_tensordot(op: Call) -> Product | None:
    bar, x, y, axes = op.args if len(op.args) == 4 else (*op.args, Const(2))
    ranks = rank_of(x.kind), rank_of(y.kind)
    if not isinstance(axes, Const) or None in ranks or sum(map(int, ranks)) > len(ascii_letters):  # type: ignore[arg-type]
        return None
    of_x, of_y = _summed(axes.payload, ranks[0] or 0)
    mine = [*ascii_letters[: ranks[0]]]
    theirs = [*ascii_letters[ranks[0] :][: ranks[1]]]
    for a, b in zip(of_x, of_y, strict=True):
        theirs[b] = mine[a]
    result = "".join(c for c in mine if c not in theirs) + "".join(c for c in theirs if c not in mine)
    own, other, factor = (mine, theirs, y) if op.target == TENSORDOT[0] else (theirs, mine, x)
    return f"{result},{''.join(other)}->{''.join(own)}", [bar, factor]


def _summed(axes: object, rank: int) -> tuple[list[int], list[int]]:
    """The axes of two arrays over which ``tensordot`` sums."""
    if isinstance(axes, int):
        return [*range(rank - axes, rank)], [*range(axes)]
    assert isinstance(axes, tuple | list)
    first, second = ([part] if isinstance(part, int) else [*part] for part in axes)
    return first, second
