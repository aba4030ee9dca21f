"""Where programs that are compiled might lie in memory otherwise than NumPy's, and where that would be seen.

NumPy lays out what is computed item by item, and copies, as its operands lie (order "K"); the loops that are compiled make arrays
in C's order. What a program computes shows the difference in one place only: a reshape is a window of an array or a copy, as its
strides tell, and one of both is written.
"""

from __future__ import annotations

from s2sad.analysis.alias import Aliases
from s2sad.analysis.views import is_unsure
from s2sad.ir.kinds import Array
from s2sad.ir.nodes import Call, Function, Op, Value
from s2sad.ir.walk import definers, ops_of
from s2sad.loops.refusal import refuse

IN_C_ORDER = {"numpy.zeros", "numpy.ones", "numpy.empty", "numpy.full", "numpy.eye", "numpy.arange"}
ALIKE = {"numpy.zeros_like", "numpy.ones_like", "numpy.empty_like", "numpy.full_like", "numpy.copy", "ndarray.copy"}


def check_layouts(function: Function, outermost: bool) -> None:
    """Raise NotCompiled where strides decide about memory that is written, and might be others than NumPy's.

    ``outermost``: the arrays that the function is given are the caller's own.
    """
    unsure = [op for op in ops_of(function.body) if is_unsure(op) and _is_numpys(op) and not _shadows(op, function)]
    if not unsure:
        return
    aliases, made = Aliases(function), definers(function)
    params = {p.value for p in function.params} if outermost else set()

    def is_as_in_numpy(root: Value | None) -> bool:
        op = made.get(root) if root is not None else None
        if root in params:
            return True
        if not isinstance(op, Call) or "order" in op.kwargs:
            return False
        if op.target in ALIKE and op.args[0] not in params:
            return is_as_in_numpy(op.args[0])
        return op.target in IN_C_ORDER

    for op in unsure:
        for base in op.operands():
            flat = not isinstance(base.kind, Array) or base.kind.rank == 1
            if not flat and aliases.mutable(base) and not is_as_in_numpy(aliases.static_root(base)):
                assert isinstance(op, Call)
                refuse(f"{op.target} of an array that is written", op, "it is a window or a copy, as the array lies in memory")


def _is_numpys(op: Op) -> bool:
    """Of NumPy's functions and methods, in contrast with subscripts, and with helpers that look at the windows they are given."""
    return isinstance(op, Call) and op.target.startswith(("numpy.", "ndarray."))


def _shadows(op: Op, function: Function) -> bool:
    """Test for the making of a window of a shadow, which is laid out as the primal's when the program runs."""
    readers = [reader for reader in ops_of(function.body) if op.results[0] in reader.operands()]
    return bool(readers) and all(isinstance(r, Call) and r.target == "s2sad.runtime.shadow_of" and r.args[0] is op.results[0]
                                 and op.results[0] not in r.args[1:] for r in readers)  # fmt: skip
