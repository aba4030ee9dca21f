"""Operations on numbers: what Numba's native numbers compute as Python's and NumPy's do, and what helpers must look after.

    x / y        of Python's floats       ->   quotient(x, y), which refuses zero as Python does
    n * n        of Python's integers     ->   product_of(n, n), unless it surely fits into 64 bits
    math.exp(x)                           ->   within(math.exp(x), x): Python refuses to overflow

NumPy's own numbers (float64, int64) overflow and divide as the machine does: these stay operators.
"""

from __future__ import annotations

from s2sad.ir.builder import Builder
from s2sad.ir.kinds import FLOAT, Scalar
from s2sad.ir.nodes import Call, Const, For, Function, If, Op, Value
from s2sad.ir.walk import ops_of
from s2sad.loops.refusal import refuse

DTYPES = ("float64", "int64", "bool", "complex128")
COMPLEX = {f"operator.{name}" for name in ("add", "sub", "mul", "neg", "pos", "eq", "ne")}  # of complex numbers
LOOPS = "s2sad.loop_runtime."
FEW = 31  # bits of an integer argument, which is looked at when the program is called
SIZE = 47  # bits of a size or a place in an array
WORD = 62  # bits that surely fit
EXACT = 53  # bits of the whole numbers that floats hold, one by one

SAME_MEANING = {
    *(f"operator.{name}" for name in ("eq", "ne", "lt", "le", "gt", "ge", "not_", "pos")),
    *(
        f"numpy.{name}"
        for name in (
            "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh",
            "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "cbrt", "floor", "ceil", "trunc", "rint",
            "arctan2", "hypot", "copysign", "maximum", "minimum", "fmax", "fmin", "isnan", "isinf", "isfinite",
            "greater", "greater_equal", "less", "less_equal", "equal", "not_equal",
            "logical_and", "logical_or", "logical_not", "deg2rad", "rad2deg", "degrees", "radians",
        )
    ),
}  # fmt: skip
# Functions of NumPy that are operators: of its own numbers, whichever is given.
OPERATORS = {
    "numpy.add": "operator.add", "numpy.subtract": "operator.sub", "numpy.multiply": "operator.mul",
    "numpy.divide": "operator.truediv", "numpy.true_divide": "operator.truediv", "numpy.negative": "operator.neg",
    "numpy.power": "operator.pow", "numpy.absolute": "builtins.abs", "numpy.abs": "builtins.abs", "numpy.fabs": "builtins.abs",
    "numpy.positive": "operator.pos",
}  # fmt: skip
MATH = {
    f"math.{name}"
    for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "expm1",
                 "log", "log2", "log10", "log1p", "sqrt", "atan2", "hypot", "pow", "copysign", "fabs")
}  # fmt: skip
HELPERS = {
    f"s2sad.runtime.{name}": LOOPS + name
    for name in ("strong_zero", "sign", "ge_share", "safe_divide", "ratio", "power_dx", "power_dy", "sech2")
} | {"numpy.sign": LOOPS + "sign", "numpy.where": LOOPS + "select", "numpy.heaviside": LOOPS + "heaviside"}
# Of an array's items, which LLVM computes several of at once.
TOGETHER = {f"numpy.{name}": LOOPS + name for name in ("exp", "log", "tanh")}
INTEGERS = {"add": "sum_of", "sub": "difference_of", "mul": "product_of"}
COMPARISONS = {f"operator.{name}" for name in ("eq", "ne", "lt", "le", "gt", "ge")}
BITWISE = {"operator.and_", "operator.or_", "operator.xor"}


def is_weak(value: Value) -> bool:
    """Possibility of a number of Python, and none of NumPy's."""
    return not isinstance(value.kind, Scalar) or value.kind.weak or value.kind.mixed


def dtype(value: Value) -> str | None:
    """The dtype of a number; None of anything else."""
    return value.kind.widest if isinstance(value.kind, Scalar) else None


class Bits:
    """The number of bits that the integers of a function need at most, as far as that is known before it runs.

    ``outermost``: its arguments are looked at when it is called.
    """

    def __init__(self, function: Function, outermost: bool) -> None:
        self.known: dict[Value, int] = {p.value: FEW if outermost else 64 for p in function.params}
        self.from_: dict[Value, Op] = {}
        for op in ops_of(function.body):
            self.from_.update(dict.fromkeys(op.results, op))
            if isinstance(op, For):
                self.from_[op.body.params[0]] = op

    def of(self, value: Value, depth: int = 24) -> int:
        """The bits of a number; 64 of what may be larger."""
        if isinstance(value, Const):
            return value.payload.bit_length() if isinstance(value.payload, int) else 64
        if dtype(value) == "bool":
            return 1
        if value not in self.known:
            self.known[value] = 64  # what is carried around a loop
            op = self.from_.get(value)
            if op is not None and depth:
                self.known[value] = self._computed(op, value, depth - 1)
        return self.known[value]

    def _computed(self, op: Op, value: Value, depth: int) -> int:
        if isinstance(op, For) and value is op.body.params[0]:
            return self._item(op, depth)
        if isinstance(op, If):
            at = op.results.index(value)
            return max(self.of(block.yields[at], depth) for block in op.blocks())
        if not isinstance(op, Call) or op.callee is not None:
            return 64
        bits = [self.of(v, depth) for v in op.args]
        match op.target:
            case "operator.add" | "operator.sub":
                return max(bits) + 1
            case "operator.mul":
                return sum(bits)
            case "operator.floordiv" | "operator.neg" | "builtins.abs":
                return bits[0]
            case "operator.mod" | "operator.rshift":
                return bits[op.target == "operator.mod"]
            case "builtins.min" | "builtins.max":
                return max(bits, default=64)
            case "builtins.len" | "ndarray.size" | "s2sad.unpack" | "operator.getitem":
                base = op.args[0]
                shape = self.from_.get(base)
                sized = isinstance(shape, Call) and shape.target == "ndarray.shape"
                return SIZE if op.target in ("builtins.len", "ndarray.size") or sized else 64
        return 64

    def _item(self, op: For, depth: int) -> int:
        items = self.from_.get(op.iterable)
        if isinstance(items, Call) and items.target == "builtins.reversed":
            items = self.from_.get(items.args[0])
        if isinstance(items, Call) and items.target == "builtins.range":
            return max(self.of(v, depth) for v in items.args) + 1
        return 64


class Numbers:
    """Rewrites calls whose arguments and results are numbers."""

    def __init__(self, bits: Bits) -> None:
        self.bits = bits

    def call(self, op: Call, b: Builder) -> None:
        """Append what computes a number of numbers. Raises NotCompiled."""
        target = OPERATORS.get(op.target, op.target)
        if target != op.target:
            if all(map(is_weak, op.args)) and op.target == "numpy.power" and dtype(op.args[0]) != "float64":
                refuse(f"{op.target} of integers", op)
            op.target = target
            if target in ("operator.pow", "operator.truediv") and dtype(op.result) == "float64":
                b.append(op)  # NumPy's own meaning, whatever it is given
                return
        self._check(op)
        if any(dtype(v) == "complex128" for v in [*op.args, *op.results]) and op.target not in COMPLEX:
            refuse(f"{op.target} of complex numbers", op)
        if op.target in COMPARISONS and {dtype(v) for v in op.args} == {"int64", "float64"} and all(map(is_weak, op.args)):
            op.args = [self._exact(v, b) for v in op.args]
        if op.target in SAME_MEANING:
            b.append(op)
        elif op.target in HELPERS:
            op.target = HELPERS[op.target]
            b.append(op)
        elif op.target in MATH:
            self._within(op, b)
        elif op.target.startswith("operator."):
            self._operator(op, op.target.removeprefix("operator."), b)
        else:
            self._other(op, b)

    def _check(self, op: Call) -> None:
        for value in [*op.args, *op.results]:
            if dtype(value) not in DTYPES:
                refuse(f"{op.target} of {value.kind}", op)
        if op.kwargs:
            refuse(f"{op.target} with {', '.join(op.kwargs)}", op)

    def _exact(self, value: Value, b: Builder) -> Value:
        """A number that Python compares with a float as it is, and machine code as a float."""
        return value if dtype(value) == "float64" or self.bits.of(value) <= EXACT else b.call(f"{LOOPS}exact", value)

    def _within(self, op: Call, b: Builder) -> None:
        """``within(f(x), x)``."""
        value = Value(FLOAT)
        b.append(Call(target=op.target, args=op.args, results=[value], loc=op.loc, primal=op.primal))
        b.append(Call(target=LOOPS + "within", args=[value, *op.args[:2]], results=op.results, loc=op.loc, primal=op.primal))

    def _operator(self, op: Call, name: str, b: Builder) -> None:
        kinds = [dtype(v) for v in op.args]
        weak = all(map(is_weak, op.args))
        arithmetic = name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "neg")
        if arithmetic and set(kinds) == {"bool"}:
            refuse("arithmetic of truth values", op)
        if name in INTEGERS:
            if dtype(op.result) == "int64" and weak and self._bits(op, name) > WORD:
                op.target = LOOPS + INTEGERS[name]
            b.append(op)
        elif name == "neg" and dtype(op.result) == "int64" and weak and self.bits.of(op.args[0]) > WORD:
            op.target, op.args = LOOPS + "difference_of", [Const(0), *op.args]
            b.append(op)
        elif name == "neg" or f"operator.{name}" in BITWISE and len(set(kinds)) == 1 and kinds[0] in ("int64", "bool"):
            b.append(op)
        elif name == "invert" and kinds == ["bool"] and not weak:
            op.target = "operator.not_"
            b.append(op)
        elif name == "invert" and kinds == ["int64"]:
            b.append(op)
        elif name == "truediv":
            safe = isinstance(op.args[1], Const) and op.args[1].payload != 0
            op.target = LOOPS + "quotient" if weak and not safe else op.target
            b.append(op)
        elif name in ("floordiv", "mod"):
            op.target = LOOPS + ("floor_quotient" if name == "floordiv" else "remainder")
            b.append(op)
        elif name == "pow":
            self._power(op, weak, b)
        elif name in ("lshift", "rshift") and kinds == ["int64", "int64"] and weak:
            amount = op.args[1]
            if name == "rshift" and not (isinstance(amount, Const) and 0 <= amount.payload < 63):
                refuse("a shift by a computed number", op)
            op.target = LOOPS + "shifted" if name == "lshift" else op.target
            b.append(op)
        else:
            refuse(f"{op.target} of {', '.join(str(v.kind) for v in op.args)}", op)

    def _bits(self, op: Call, name: str) -> int:
        bits = [self.bits.of(v) for v in op.args]
        return sum(bits) if name == "mul" else max(bits) + 1

    def _power(self, op: Call, weak: bool, b: Builder) -> None:
        base, exponent = op.args
        if dtype(op.result) == "int64":
            if not (isinstance(exponent, Const) and exponent.payload >= 0) or not weak:
                refuse("a power of integers", op)
            op.target = LOOPS + "power_of"
            b.append(op)
        elif dtype(op.result) != "float64" or dtype(base) != "float64":
            refuse("a power of integers", op)
        elif is_weak(base):
            self._within(op, b)
        else:
            b.append(op)

    def _other(self, op: Call, b: Builder) -> None:
        kinds = [dtype(v) for v in op.args]
        match op.target:
            case "builtins.abs" | "builtins.bool":
                if op.target == "builtins.abs" and (kinds == ["bool"] or kinds == ["int64"] and self.bits.of(op.args[0]) > WORD):
                    refuse(f"{op.target} of {op.args[0].kind}", op)
                b.append(op)
            case "builtins.float" | "numpy.float64" if kinds == ["bool"]:  # of which Numba makes none
                op.target, op.args = f"{LOOPS}select", [*op.args, Const(1.0), Const(0.0)]
                b.append(op)
            case "builtins.float" | "numpy.float64" if len(kinds) == 1:
                op.target = "builtins.float"
                b.append(op)
            case "builtins.int" if kinds in (["int64"], ["float64"]):
                op.target = LOOPS + "whole" if kinds == ["float64"] else op.target
                b.append(op)
            case "builtins.min" | "builtins.max" if len(op.args) > 1 and set(kinds) <= {"float64", "int64"}:
                if "float64" in kinds:  # of the integers among them, Python gives the very one
                    op.args = [self._exact(v, b) for v in op.args]
                self._chain(op, LOOPS + ("least" if op.target == "builtins.min" else "greatest"), b)
            case "numpy.square" if kinds == ["float64"]:
                b.append(Call(target="operator.mul", args=op.args * 2, results=op.results, loc=op.loc, primal=op.primal))
            case "numpy.reciprocal" if kinds == ["float64"]:
                b.append(Call(target="operator.truediv", args=[Const(1.0), *op.args], results=op.results, loc=op.loc,
                              primal=op.primal))  # fmt: skip
            case _:
                refuse(f"{op.target} is not compiled yet", op)

    def _chain(self, op: Call, helper: str, b: Builder) -> None:
        value = op.args[0]
        for k, other in enumerate(op.args[1:], 2):
            last = k == len(op.args)
            result = op.result if last else Value(op.result.kind)
            b.append(Call(target=helper, args=[value, other], results=[result], loc=op.loc, primal=op.primal))
            value = result
