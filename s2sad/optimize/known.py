"""Products, inverses, determinants and reciprocals that the primal has computed are not computed again by the derivatives.

Before (S is an array with two axes, and v is recorded, as K is)::

    v = numpy.linalg.inv(S)                       forward sweep
    K = operator.matmul(b, v)
    d = numpy.linalg.det(S)
    ...
    c = operator.matmul(b.1.T, K_bar)             reverse sweep
    e = operator.matmul(v.1.T, c)
    h = numpy.linalg.solve(S.1.T, y)
    f = operator.truediv(g, d.1)                  of log(d)
    S_bar = operator.mul(f, cofactor(S.1))

After::

    e = operator.matmul(K.1.T, K_bar)
    h = operator.matmul(v.1.T, y)
    S_bar = operator.mul(g, v.1.T)

and of a reciprocal ``r = 1.0 / z``, which is recorded, ``x / z * r`` is ``x * r * r``.

In derivatives only, and where nobody writes into any of these: results change by no more than rounding, and an inverse that
the primal takes has no more digits elsewhere. What was recorded for nothing else needs no tape.
"""

from __future__ import annotations

from collections.abc import Hashable

from s2sad.analysis.tapes import tapes_of
from s2sad.ir.kinds import Scalar, dtype_of, rank_of
from s2sad.ir.nodes import Block, Call, Const, Function, Op, Value
from s2sad.ir.walk import ops_of, use_counts
from s2sad.optimize.algebra import DIV, MATMUL, MUL, T
from s2sad.optimize.memory_effects import Memory
from s2sad.optimize.rewriting import insert, is_derivative, keeps_border
from s2sad.rules import registry
from s2sad.rules.traits import having


@keeps_border
def run(function: Function, memory: Memory | None = None) -> bool:
    """Use what the primal has computed."""
    calls = [op for op in ops_of(function.body) if isinstance(op, Call) and op.callee is None]
    if function.reverse_at is None or not any(op.target == MATMUL or inverts(op) for op in calls):
        return False
    found = _Known(function, memory or Memory(function), calls)
    found.block(function.body)
    insert(function, found.before)
    return bool(found.changed)


class _Known:
    """One walk, in order; ``visible``: what the operation in hand may mention, by what it is in the forward sweep."""

    def __init__(self, function: Function, memory: Memory, calls: list[Call]) -> None:
        self.memory = memory
        self.recorded = {tape.pop.result: tape.recorded for tape in tapes_of(function)}
        self.uses = use_counts(function)
        self.maker = {op.result: op for op in calls if len(op.results) == 1}
        primal = [op for op in calls if not is_derivative(op) and len(op.results) == 1]
        self.made: dict[Hashable, Value] = {}
        for op in primal:
            if is_reciprocal(op):
                self.made.setdefault(("reciprocal", self.origin(op.args[1])), op.result)
            elif op.target == MATMUL or inverts(op):
                self.made.setdefault((op.target == MATMUL, *map(self.origin, op.args)), op.result)
        self.visible: dict[Value, Value] = {}
        self.before: dict[Op, list[Op]] = {}
        self.changed = False

    def block(self, block: Block) -> None:
        """Rewrite the calls of a block and of those nested in it."""
        outside = self.visible
        self.visible = dict(outside)
        for op in block.ops:
            if isinstance(op, Call) and op.callee is None and is_derivative(op):
                self.call(op)
            for inner in op.blocks():
                self.block(inner)
            for value in op.results:
                self.visible[self.origin(value)] = value
        self.visible = outside

    def call(self, op: Call) -> None:
        """Rewrite one call of a derivative."""
        if op.target == MATMUL:
            self.changed |= self.product(op)
        elif op.target in having("solves") and len(op.args) == 2 and not op.kwargs:
            self.changed |= self.solved(op)
        elif op.target == MUL:
            for pair in (op.args, op.args[::-1]):
                self.changed |= self.cofactors(op, *pair) or self.divided(op, *pair)

    # --- what there is

    def origin(self, value: Value) -> Value:
        """The value of the forward sweep that a value is."""
        return self.recorded.get(value, value)

    def known(self, product: bool, *args: Value) -> Value | None:
        """A product, or an inverse, of matrices that nobody writes into, if it is there."""
        origins = [*map(self.origin, args)]
        found = self.made.get((product, *origins))
        here = self.visible.get(found) if found is not None else None
        if found is None or here is None:
            return None
        matrices = all(rank_of(v.kind) == 2 for v in (found, *origins))
        return here if matrices and not any(map(self.memory.mutable, (found, here, *args, *origins))) else None

    def transposed(self, value: Value) -> Value | None:
        """The value of which this is the transpose."""
        op = self.maker.get(value)
        return op.args[0] if op is not None and op.target == T else None

    def transpose(self, value: Value, user: Call) -> Value:
        """A transpose for a call."""
        op = Call(target=T, args=[value], loc=user.loc, primal=user.primal)
        op.results = [Value(registry.infer(op))]
        self.before.setdefault(user, []).append(op)
        self.maker[op.result] = op
        return op.result

    # --- what is computed from it

    def product(self, op: Call) -> bool:
        """``b.T @ (a.T @ x)`` is ``(a @ b).T @ x``, and ``(x @ b.T) @ a.T`` is ``x @ (a @ b).T``."""
        for k in (0, 1):
            outer, inner = self.transposed(op.args[k]), self.maker.get(op.args[1 - k])
            if outer is None or inner is None or inner.target != MATMUL or not is_derivative(inner):
                continue
            x, nested = inner.args[1 - k], self.transposed(inner.args[k])
            pair = (nested, outer) if k == 0 else (outer, nested)
            whole = self.known(True, *pair) if nested is not None else None
            if whole is not None and not self.memory.mutable(x):
                turned = self.transpose(whole, op)
                op.args = [turned, x] if k == 0 else [x, turned]
                return True
        return False

    def solved(self, op: Call) -> bool:
        """``solve(s, y)`` and ``solve(s.T, y)``, of which the inverse is known; ``y`` is a vector, or has two axes."""
        matrix = self.transposed(op.args[0])
        inverse = self.known(False, op.args[0] if matrix is None else matrix)
        if inverse is None or rank_of(op.args[1].kind) not in (1, 2):
            return False
        op.args[0] = inverse if matrix is None else self.transpose(inverse, op)
        op.target = MATMUL
        return True

    def divided(self, user: Call, quotient: Value, factor: Value) -> bool:
        """``x / z * r`` is ``x * r * r``, if ``r`` is the reciprocal of ``z``: both are infinite where that is."""
        op = self.maker.get(quotient)
        if op is None or op.target != DIV or not is_derivative(op) or self.uses[quotient] != 1:
            return False
        z, reciprocal = op.args[1], self.origin(factor)
        read = (op.args[0], factor, reciprocal, z, self.origin(z))
        if self.made.get(("reciprocal", self.origin(z))) is not reciprocal or any(map(self.memory.mutable, read)):
            return False
        if dtype_of(reciprocal.kind) != "float64" or dtype_of(self.origin(z).kind) != "float64":
            return False
        share = Call(target=MUL, args=[op.args[0], factor], loc=op.loc, primal=op.primal)
        share.results = [Value(quotient.kind, quotient.name)]
        self.before.setdefault(user, []).append(share)
        self.maker[share.result] = share
        user.args = [share.result, factor]
        return True

    def cofactors(self, op: Call, quotient: Value, minors: Value) -> bool:
        """``g / det(s) * cofactor(s)`` is ``g * inv(s).T``, of real matrices."""
        divided, cofactor = self.maker.get(quotient), self.maker.get(minors)
        if divided is None or cofactor is None or divided.target != DIV or cofactor.target not in having("cofactors"):
            return False
        determinant = self.maker.get(self.origin(divided.args[1]))
        matrix = cofactor.args[0]
        if determinant is None or determinant.target not in having("determinant") or not isinstance(divided.args[0].kind, Scalar):
            return False
        inverse = self.known(False, matrix)
        if inverse is None or self.origin(determinant.args[0]) is not self.origin(matrix) or dtype_of(matrix.kind) != "float64":
            return False
        op.args = [divided.args[0], self.transpose(inverse, op)]
        return True


def inverts(op: Call) -> bool:
    """Test for a call that computes an inverse."""
    return op.target in having("inverse") or is_reciprocal(op)


def is_reciprocal(op: Call) -> bool:
    """Test for a call that divides 1 by something."""
    one = op.args[0] if op.target == DIV else None
    return isinstance(one, Const) and type(one.payload) in (int, float) and one.payload == 1
