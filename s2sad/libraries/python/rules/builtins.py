"""Python's operators and builtins."""

from __future__ import annotations

from typing import Any

from s2sad.errors import KindError
from s2sad.ir.kinds import (
    BOOL,
    BOTTOM,
    INT,
    OBJECT,
    RANGE,
    STR,
    UNKNOWN,
    Kind,
    List,
    Other,
    Scalar,
    StructKind,
    Tuple,
    dtype_of,
    join,
)
from s2sad.ir.nodes import Const, Value
from s2sad.rules import kind_rules
from s2sad.rules.application import Application, may_be_pythons
from s2sad.rules.call_formulas import by_field, written
from s2sad.rules.kind_rules import Bound
from s2sad.rules.language import CallFormula, Partial, by_rank
from s2sad.rules.registry import elementwise, general, linear, multilinear, nothing, plain

OPERATOR: dict[str, Any] = {"kind": kind_rules.broadcast, "facts": {"spelling": "operator", "cheap": True}}


def _exponent(app: Application) -> object:
    y = app.bound["y"]
    pythons = may_be_pythons(app.call.results[0])  # whose powers raise where others are infinite
    if not isinstance(y, Const):
        return "computed" if pythons and dtype_of(y.kind) == "float64" else None
    if pythons and type(y.payload) in (int, float) and y.payload < 1 and y.payload not in (0, 0.5):
        return "falling" if y.payload < 0 else "root"
    return {2: 2, 1: 1, 0: 0, 3: 3, -1: -1, 0.5: 0.5}.get(y.payload, "literal")


def _of_positive(app: Application) -> object:
    base = app.bound["x"]
    return isinstance(base, Const) and isinstance(base.payload, int | float) and base.payload > 0


POWER_X = CallFormula(
    _exponent,
    {
        0: "0.0 * g",
        1: "g",
        2: "2 * g * x",
        3: "3 * g * operator.pow(x, 2)",  # where a number's overflows, its third power has raised OverflowError
        -1: "-g * out ** 2",
        0.5: "0.5 * g / out",
        "literal": "g * y * x ** (y - 1)",
        "falling": "g * y * out / x",  # of a number that is not 0
        "root": "g * y / x ** (1 - y)",
        "computed": "strong_zero(g * power_dx(x, y), g)",
    },
    otherwise="g * power_dx(x, y)",
)
# Of a negative base the slope is NaN, and an exponent that does not vary may have a zero tangent: one of a helper's tape.
POWER_Y = CallFormula(_of_positive, {True: "g * power_dy(x, out)"}, otherwise="strong_zero(g * power_dy(x, out), g)")

# --- arithmetic

elementwise("operator.add(x, y)", x="g", y="g", kind=kind_rules.counted(1), facts=OPERATOR["facts"])
elementwise("operator.sub(x, y)", x="g", y="-g", kind=kind_rules.counted(-1), facts=OPERATOR["facts"])
elementwise("operator.mul(x, y)", x="g * y", y="g * x", kind=kind_rules.multiplied, facts=OPERATOR["facts"])
elementwise(
    "operator.truediv(x, y)",
    x="g / y",
    y="-(g / y) * out",
    kind=kind_rules.divide,
    facts=OPERATOR["facts"],
)
elementwise("operator.pow(x, y)", x=POWER_X, y=POWER_Y, kind=kind_rules.python_power, facts=OPERATOR["facts"])
elementwise("operator.mod(x, y)", x="g", y="-g * floor(x / y)", **OPERATOR)
elementwise("operator.neg(x)", x="-g", kind=kind_rules.negated, facts=OPERATOR["facts"])
elementwise("operator.pos(x)", x="g", **OPERATOR)


def _unless_object(other: str, formula: str, choice: CallFormula) -> Partial:
    """A product with an object that is no array, as a sparse matrix, knows nothing of it but its transpose."""
    return written(lambda app: formula if app.kind(other) == OBJECT else choice.formula(app).text)


multilinear(
    "operator.matmul(x, y)",
    x=_unless_object(
        "y",
        "g @ y.T",
        by_rank(
            "x",
            "y",
            table={(1, 1): "g * y", (2, 1): "outer(g, y)", (1, 2): "y @ g", (2, 2): "g @ y.T"},
            otherwise="matmul_adjoint_x(g, x, y)",
        ),
    ),
    y=_unless_object(
        "x",
        "x.T @ g",
        by_rank(
            "x",
            "y",
            table={(1, 1): "g * x", (2, 1): "x.T @ g", (1, 2): "outer(x, g)", (2, 2): "x.T @ g"},
            otherwise="matmul_adjoint_y(g, x, y)",
        ),
    ),
    kind=kind_rules.matmul,
    facts={"spelling": "operator"},
)

# --- builtins

general(
    "builtins.abs(x)",
    push={"x": by_field("x", real="g * sign(x)", complex="real(g * safe_divide(conj(x), out))")},
    pull={"x": by_field("x", real="g * sign(x)", complex="g * safe_divide(conj(x), out)")},
    kind=kind_rules.magnitude,
    facts={"cheap": True, "scope": ("s2sad.runtime", "numpy")},
)
elementwise("builtins.float(x)", x="g", kind=kind_rules.weak_float, facts={"cheap": True})
elementwise("s2sad.runtime.python_number(x)", x="g", kind=kind_rules.own_number, facts={"cheap": True})
elementwise(
    "builtins.complex(real, imag=0.0)",
    real="g",
    imag="1j * g",
    kind=lambda _: Scalar("complex128"),
    facts={"cheap": True},
)
elementwise(
    "builtins.max(x, y)",
    x="g * (1.0 - ge_share(y, x))",  # the first one where they do not compare
    y="g * ge_share(y, x)",
    kind=kind_rules.one_of,
    facts={"cheap": True},
)
elementwise(
    "builtins.min(x, y)",
    x="g * (1.0 - ge_share(x, y))",
    y="g * ge_share(x, y)",
    kind=kind_rules.one_of,
    facts={"cheap": True},
)


def _sized(value: Value) -> Kind:
    """The kind of an item, with a literal integer that is a size as its size: ``zeros((n, 2))`` has two columns."""
    size = value.payload if isinstance(value, Const) and type(value.payload) is int and value.kind == INT else -1
    return Scalar("int64", size=size) if size >= 0 else value.kind


elementwise("builtins.pow(x, y)", x=POWER_X, y=POWER_Y, kind=kind_rules.python_power)
linear(
    "builtins.tuple(*items)",
    kind=lambda bound: Tuple(tuple(map(_sized, bound.values()))),
    facts={"cheap": True, "effects": "holds(items); at each"},
)
linear(
    "s2sad.items(*items)",  # a list literal that nothing can write into: np.array([a, b])
    kind=lambda bound: Tuple(tuple(v.kind for v in bound.values()), listed=True),
    facts={"cheap": True, "spelling": "list", "effects": "holds(items); at each"},
)


def _dict_kind(bound: Bound) -> Kind:
    values = list(bound.values())
    keys = values[0].payload if isinstance(values[0], Const) else ()
    return StructKind(keys, tuple(v.kind for v in values[1:]))


linear("s2sad.dict(keys, *items)", kind=_dict_kind, facts={"cheap": True, "spelling": "dict", "effects": "holds(items); at each"})

# --- what carries no derivative


def _compared(bound: Bound) -> Kind:
    """Python's own sequences and texts are compared as a whole; NumPy compares items."""
    whole = all(isinstance(value.kind, List | Tuple) or value.kind == STR for value in bound.values())
    return BOOL if whole else kind_rules.broadcast_bool(bound)


nothing(
    [f"operator.{name}(x, y)" for name in ("eq", "ne", "lt", "le", "gt", "ge")],
    kind=_compared,
    zero=True,
    spelling="operator",
    cheap=True,
)
nothing(
    [f"operator.{name}(x, y)" for name in ("and_", "or_", "xor")],
    kind=kind_rules.bitwise,
    zero=True,
    spelling="operator",
    cheap=True,
)
nothing(
    [f"operator.{name}(x, y)" for name in ("lshift", "rshift")],
    kind=kind_rules.broadcast,
    zero=True,
    spelling="operator",
    cheap=True,
)
nothing(["operator.floordiv(x, y)"], kind=kind_rules.quotient_of, zero=True, spelling="operator", cheap=True)
nothing(["operator.invert(x)"], kind=kind_rules.inverted, zero=True, spelling="operator", cheap=True)
nothing(
    [f"operator.{name}(x, y)" for name in ("is_", "is_not", "contains")],
    kind=lambda _: BOOL,
    zero=True,
    spelling="operator",
    cheap=True,
)
nothing(
    ["operator.not_(x)", "builtins.bool(x)"], kind=lambda _: BOOL, zero=True, spelling="operator", cheap=True
)
nothing(["builtins.bool(x)"], kind=lambda _: BOOL, zero=True, cheap=True)
nothing(["builtins.int(x)"], kind=lambda _: INT, zero=True, cheap=True)
nothing(
    ["builtins.round(x, ndigits=None)"],
    kind=kind_rules.rounded,
    zero=True,
    cheap=True,
)
nothing(["builtins.len(x)"], kind=kind_rules.length, zero=True, cheap=True, effects="none; looks x")
nothing(["builtins.range(start, stop=None, step=None)"], kind=lambda _: RANGE, zero=True, cheap=True)
nothing(["builtins.reversed(x)"], kind=kind_rules.like("x"), zero=True, cheap=True, effects="same(x)")
nothing(
    ["builtins.slice(start, stop, step)"], kind=kind_rules.slice_kind, zero=True, spelling="slice", cheap=True
)
nothing(["builtins.str(x)", "builtins.repr(x)", "s2sad.fstring(*parts)"], kind=lambda _: STR, zero=True)
nothing(["builtins.isinstance(x, cls)", "builtins.callable(x)"], kind=lambda _: BOOL, zero=True)
nothing(["builtins.print(*args, sep=None, end=None, file=None, flush=None)"], zero=True, effects="none; tells")
nothing(
    ["s2sad.assert(test, message=None)", "s2sad.raise(error, cause=None)", "s2sad.otherwise(test, function, *arguments)",
     "s2sad.expected(lean, general, *arguments)"],
    zero=True,
    effects="none; stays",
    spelling="statement",
)
nothing(["s2sad.error(cls, names, *args)"], kind=lambda _: OBJECT, zero=True)
nothing(["builtins.type(x)", "builtins.id(x)"], zero=True)


def _hash_kind(bound: Bound) -> Kind:
    if isinstance(bound["x"].kind, List):
        raise KindError(
            "the hash of a tuple of unknown length is not supported",
            why="while the program runs it is a list, which has no hash",
            instead="that of its bytes, np.asarray(x).tobytes()",
        )
    return UNKNOWN  # and no integer, whose derivative would be taken for zero


nothing(["builtins.hash(x)"], kind=_hash_kind, why="it jumps everywhere")


# --- lists, whose memory the machinery knows


def _list_kind(bound: Bound) -> Kind:
    item: Kind = BOTTOM
    for value in bound.values():
        item = join(item, value.kind)
    return List(item)


plain("builtins.list(*items)", kind=_list_kind, effects="holds(items); at each", spelling="list")
plain(
    "list.append(items, value)",
    kind=lambda _: Other("none"),
    effects="none; writes items; puts value in items; longer at end",
    spelling="method",
)
nothing(["list.index(items, value, *bounds)", "list.count(items, value)"], kind=lambda _: INT, zero=True, spelling="method")
plain(
    "list.insert(items, index, value)",
    kind=lambda _: Other("none"),
    effects="none; writes items; puts value in items; longer at index",
    spelling="method",
)
plain(
    "list.pop(items, index=-1)",
    kind=lambda b: kind_rules.item_of(b["items"].kind),
    effects="item(items); writes items; shorter at index",
    spelling="method",
)
