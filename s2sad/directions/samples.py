"""A function of one sample as one of many at once: values with one axis more, in front, where they depend on the sample.

    def f(w, x):                          def f_samples(w, x):                  x: one sample a row
        h = np.tanh(w @ x)        ==>         h = np.tanh(x @ w.T)
        return np.sum(h)                      return np.sum(h, axis=1)

As several directions go through a derivative program (``lifting``), but what depends need not carry a derivative, and need not
be linear. Raises Unstated wherever one sample could have another effect than many: control flow, sizes and subscripts in stores
that depend on the sample, whole numbers (which Python's own do not overflow), memory that the samples share and write, draws.
"""

from __future__ import annotations

from s2sad.analysis.alias import Aliases
from s2sad.directions.dependence import Dependence, looked_at
from s2sad.directions.lifting import DIRECTIONS, EVERY, Lifter, Lifts, Statement, Unstated
from s2sad.directions.statements import TABLE as DIRECTED
from s2sad.directions.statements import Table, along, elementwise, only, sequence, zeros
from s2sad.ir.kinds import (
    NONE,
    UNKNOWN,
    Array,
    Kind,
    List,
    Other,
    Scalar,
    Slice,
    dtype_of,
    is_differentiable,
)
from s2sad.ir.nodes import Call, Const, Function, Loop, Op, Straight, Undef, Value, With
from s2sad.ir.walk import calls_within
from s2sad.rules.effects import effects
from s2sad.rules.language import Primitive

WIDE = ("float64", "complex128", "bool", "int64")  # what a number of Python's leaves as it is
NARROW = ("float16", "float32", "complex64")  # what it is narrowed to, where it stands beside that


class Sampled(Dependence):
    """Dependence on the sample: of numbers of any kind."""

    def carries(self, kind: Kind) -> bool:
        """Values that exist once for each sample; what else depends is refused where it is made."""
        return isinstance(kind, Scalar | Array) or kind.container or kind == UNKNOWN


def sampled_kind(kind: Kind) -> Kind:
    """The kind of as many values as there are samples."""
    if isinstance(kind, Scalar):
        return Array(kind.dtype, (DIRECTIONS,))
    if isinstance(kind, Array) and kind.shape is not None:
        return Array(kind.dtype, (DIRECTIONS, *kind.shape))
    if kind.container:
        return kind.mapped(sampled_kind)
    if isinstance(kind, Other | Slice) and kind != UNKNOWN:
        return kind
    raise Unstated(f"a value of kind {kind} of many samples at once")


class Sampler(Lifter):
    """Rewrites a copy of one function."""

    facts_of = Sampled

    @staticmethod
    def name_of(function: Function) -> str:
        """The name of a function as it is called for many samples."""
        return f"{function.name}_samples"

    def raised(self, kind: Kind) -> Kind:
        """The kind of what stands for a value that depends."""
        return sampled_kind(kind)

    def lifted(self, value: Value) -> Value:
        """A value as one that depends on the sample: the same for each, in new memory and of its own type."""
        if self.has(value):
            return self.get(value)
        if isinstance(value, Undef) or value.kind == NONE or (isinstance(value, Const) and value.payload is None):
            return self.get(value)
        value = self.get(value)
        if isinstance(value.kind, Scalar):
            made = self.builder.call("numpy.full", self.count(), value)
            made.kind = sampled_kind(value.kind)
            return made
        return self.repeated(value)

    def primitive(self, op: Call) -> None:
        """A call of a primitive: refused where what it gives is no number, or a whole one of Python's."""
        operands = [v for v in op.operands() if self.has(v) and v not in looked_at(op)]
        if operands:
            for value in op.results:
                self._check(op, value, operands)
        super().primitive(op)

    def _check(self, op: Call, value: Value, operands: list[Value]) -> None:
        kind = self.kind(value)
        if not self.has(value) and kind != NONE:
            self.refuse(f"{op.target}, which depends on the sample and gives a {kind}")
        if isinstance(kind, Scalar) and kind.dtype != "bool" and not is_differentiable(kind):
            self.refuse(f"{op.target}, which gives a whole number that depends on the sample")
        weak = any(isinstance(k := self.kind(v), Scalar) and k.weak for v in operands)
        if weak and isinstance(kind, Array) and dtype_of(kind) not in (*WIDE, *NARROW):
            self.refuse(f"{op.target} of a number and an array of {dtype_of(kind) or 'unknown dtype'}")

    def region(self, op: Op) -> None:
        """Control flow is the same for all samples, and runs in surroundings of its own."""
        if isinstance(op, With):
            self.refuse("a with statement")
        tests = [op.head] if isinstance(op, Straight) else op.flags if isinstance(op, Loop) else []
        if any(map(self.has, tests)):
            self.refuse("a condition that depends on the sample")
        super().region(op)


TABLE = Table(DIRECTED)
states = TABLE.states
del TABLE["builtins.isinstance"]  # of one sample
for name in ("max", "amax", "min", "amin", "prod", "all", "any", "std", "var", "cumprod"):
    TABLE[f"numpy.{name}"] = along("a", "flat" if name == "cumprod" else "all", "axis")


def check(function: Function, positions: frozenset[int]) -> None:
    """Raise Unstated for a function that does more than compute, or writes into what the samples share."""
    for op in calls_within(function.body):
        if op.callee is None and effects(op).once:
            raise Unstated(f"{op.target}, which does more than compute", location=op.primal or op.loc)
    shared = Aliases(function).written_parameters() - positions
    if shared:
        raise Unstated(f"{function.values[min(shared)].name}, which all samples share, is written")


def many(function: Function, positions: frozenset[int], name: str) -> Function:
    """A function of one sample as one of many: these parameters, and all results, get the axis. Raises Unstated."""
    request = Lifts(lambda target: TABLE.statement_of(target, elementwise), frozenset({zeros, sequence}), Sampler)
    return request.main(function, positions, list(range(len(function.body.yields))), name)


COMPARED = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "logical_and", "logical_or", "logical_not",
            "logical_xor", "isnan", "isfinite", "isinf", "sign", "floor", "ceil", "rint", "trunc")  # fmt: skip
TABLE |= {f"numpy.{name}": elementwise for name in COMPARED}
TABLE |= {f"operator.{name}": elementwise for name in ("lt", "le", "gt", "ge", "eq", "ne")}


# --- what is another thing where subscripts and both factors may depend


@states("operator.getitem")
def item(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """By a subscript that depends on the sample, one sample after the other."""
    if s.has(op.args[1]):
        return s.one_by_one(op, primitive)
    return DIRECTED["operator.getitem"](s, op, primitive)


@states("operator.setitem", "s2sad.additem", "s2sad.subitem", "numpy.add.at", "numpy.subtract.at")
def store(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """By a subscript that is the same for all samples."""
    if s.has(op.args[1]):
        s.refuse("a store by a subscript that depends on the sample")
    return DIRECTED[op.target](s, op, primitive)


@states("numpy.where", "numpy.copyto")
def masked(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """``np.where`` of three; of a mask alone, what it gives has another size for each sample."""
    bound = primitive.bind(op.args, op.kwargs)
    if op.target == "numpy.copyto" and only(s, bound, "dst", "src"):
        return DIRECTED[op.target](s, op, primitive)
    if op.target == "numpy.where" and isinstance(s.kind(op.result), Array | Scalar) and "x" in bound:
        return elementwise(s, op, primitive)
    return s.one_by_one(op, primitive)


@states("operator.matmul", "numpy.matmul", "numpy.dot", "ndarray.dot", "numpy.inner", "numpy.vdot")
def product(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """Of two that depend, as matrices: a stack of them."""
    a, b = op.args
    ranks = s.rank(a), s.rank(b)
    real = all((dtype_of(s.kind(v)) or "complex").startswith("float") for v in (a, b))
    if not (s.has(a) and s.has(b)):
        return DIRECTED[op.target](s, op, primitive)
    if not set(ranks) <= {1, 2} or (op.target in ("numpy.inner", "numpy.vdot") and not (real and ranks == (1, 1))):
        return s.one_by_one(op, primitive)
    left = s.get(a) if ranks[0] == 2 else s.builder.call("operator.getitem", s.get(a), Const((EVERY, None)))
    right = s.get(b) if ranks[1] == 2 else s.builder.call("operator.getitem", s.get(b), Const((EVERY, EVERY, None)))
    made = s.builder.call("operator.matmul", left, right)
    if 1 in ranks:
        index = (EVERY, *([0] if ranks[0] == 1 else [EVERY]), *([0] if ranks[1] == 1 else []))
        made = s.builder.call("operator.getitem", made, Const(index))
        made = made if ranks != (1, 1) else s.fresh(made)
    made.kind = s.raised(s.kind(op.result))
    return made


@states("numpy.linalg.solve", "numpy.linalg.inv", "numpy.linalg.det", "numpy.linalg.cholesky")
def stacks(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """NumPy takes stacks of matrices."""
    matrix, *rest = op.args
    if s.rank(matrix) != 2 or not s.has(matrix) or op.kwargs:
        return DIRECTED[op.target](s, op, primitive) if op.target in DIRECTED else s.one_by_one(op, primitive)
    if not rest:
        return s.again(op)
    right = s.lifted(rest[0])
    if s.rank(rest[0]) != 1:
        return s.again(op, {"b": right})
    column = s.builder.call("operator.getitem", right, Const((..., None)))
    made = s.builder.call("operator.getitem", s.builder.call(op.target, s.get(matrix), column), Const((..., 0)))
    made.kind = s.raised(s.kind(op.result))
    return made


@states("numpy.array", "numpy.asarray")
def array(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
    """An array of a list of numbers or arrays: they are stacked behind the samples."""
    kind = s.kind(op.args[0])
    if not isinstance(kind, List) or not isinstance(kind.item, Scalar | Array) or len(op.args) + len(op.kwargs) > 1:
        return DIRECTED[op.target](s, op, primitive)
    made = s.builder.call("numpy.stack", s.get(op.args[0]), axis=Const(1))
    made.kind = s.raised(s.kind(op.result))
    return made


def _by_numpy(target: str) -> Statement:
    def statement(s: Lifter, op: Call, primitive: Primitive) -> Value | None:
        """A function of Python's numbers: NumPy's of the same name, whose errors are raised as Python raises its own."""
        if any(isinstance(s.kind(v), Array) for v in op.args) or op.kwargs:
            return s.one_by_one(op, primitive)
        made = s.builder.call(target, *map(s.get, op.args))
        made.kind = s.raised(s.kind(op.result))
        return made

    return statement


SPELLED = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "asinh": "arcsinh", "acosh": "arccosh",
           "atanh": "arctanh", "fabs": "absolute"}  # fmt: skip
for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", *SPELLED):
    TABLE[f"math.{name}"] = _by_numpy(f"numpy.{SPELLED.get(name, name)}")
