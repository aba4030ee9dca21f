"""One call under differentiation: what a rule can ask for while its formulas are turned into operations."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from s2sad.errors import CompilerError, NoRuleError, S2sadError
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import NARROW, UNKNOWN, Array, Kind, Scalar, Tuple, all_equal, dtype_of, is_many, rank_of
from s2sad.ir.nodes import Block, Call, Const, Function, Value
from s2sad.rules import registry
from s2sad.rules.language import CallFormula, Elementwise, Formula, Primitive, Spec
from s2sad.rules.singular import is_singular, passes_share

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "operator.add", ast.Sub: "operator.sub", ast.Mult: "operator.mul", ast.Div: "operator.truediv",
    ast.Pow: "operator.pow", ast.MatMult: "operator.matmul", ast.FloorDiv: "operator.floordiv", ast.Mod: "operator.mod",
    ast.USub: "operator.neg", ast.UAdd: "operator.pos", ast.Not: "operator.not_", ast.Invert: "operator.invert",
    ast.Eq: "operator.eq", ast.NotEq: "operator.ne", ast.Lt: "operator.lt", ast.LtE: "operator.le",
    ast.Gt: "operator.gt", ast.GtE: "operator.ge", ast.BitAnd: "operator.and_", ast.BitOr: "operator.or_",
}  # fmt: skip

Derived = Callable[[Function, tuple[str, ...], tuple[int, ...]], Function]


ONE = Const(1.0)


class Application:
    """A primal call and a builder for the derivative program.

    ``get`` maps a primal value to the value that stands for it in the derivative program (recording it if need be).
    ``derived`` gives the derivative function of a function that is an operand, with respect to the named parameters, of the
    numbered leaves of what it returns: its tangent function, or its adjoint function. ``steep``: tangents and adjoints may be
    infinite (``rules/singular.py``). ``endless``: whether a primal may be (``analysis/endless.py``).
    """

    def __init__(
        self,
        call: Call,
        primitive: Primitive,
        builder: Builder,
        get: Callable[[Value], Value],
        derived: Derived | None = None,
        steep: bool = False,
        endless: Callable[[Value], bool] = lambda value: False,
    ) -> None:
        self.call = call
        self.primitive = primitive
        self.builder = builder
        self.get = get
        self.derived = derived
        self.steep = steep
        self.endless = endless
        self.bound = primitive.bind(call.args, call.kwargs)
        if primitive.refuses is not None:
            primitive.refuses(self)

    # --- static facts

    def kind(self, param: str) -> Kind:
        """The kind of an argument, or of ``out``."""
        return self.call.results[0].kind if param == "out" else self.bound[param].kind

    def rank(self, param: str) -> int | None:
        """The rank of an argument, None where unknown."""
        return rank_of(self.kind(param))

    def given(self, param: str) -> bool:
        """Presence of an argument that is not None."""
        value = self.bound.get(param)
        return value is not None and not (isinstance(value, Const) and value.payload is None)

    def contents(self, specs: Iterable[Spec]) -> frozenset[str]:
        """The parameter names (and ``out``) whose contents the formulas read."""
        names: set[str] = set()
        for spec in specs:
            names |= self.formula(spec).contents
        return frozenset(names & (set(self.bound) | {"out"}))

    # --- building

    def value(self, param: str) -> Value:
        """The primal value of an argument or of ``out`` in the derivative program."""
        return self.get(self.call.results[0] if param == "out" else self.bound[param])

    def formula(self, spec: Spec) -> Formula:
        """The formula that is chosen for this call."""
        if not isinstance(spec, CallFormula):
            return spec
        with self._answers():
            return spec.formula(self)

    @contextmanager
    def _answers(self) -> Iterator[None]:
        """An answer of the rule. Raises NoRuleError where it fails: on arguments that the rule does not know."""
        try:
            yield
        except (S2sadError, RecursionError, MemoryError):
            raise
        except Exception as error:
            raise NoRuleError(
                f"no derivative rule is known for {self.primitive.name} with these arguments", location=self.call.loc,
                why=f"{type(error).__name__}: {error}", instead="arguments of the types and numbers that it takes",
            ) from error  # fmt: skip

    def expand(self, spec: Spec, g: Value) -> Value:
        """Turn a formula into operations."""
        formula = self.formula(spec)
        with self._answers():
            return _Expansion(self, g).visit(formula.tree)

    def agree(self, others: Iterable[Spec]) -> None:
        """Raise NoRuleError where the other mode's formulas refuse the call: neither mode has what one refuses."""
        for spec in others:
            self.formula(spec)

    def strong(self, contribution: Value, spec: Spec, g: Value, param: str) -> Value:
        """A contribution that is zero where ``g`` is, also where the slope is infinite; or where its share in a choice is."""
        if self.steep and passes_share(self.primitive.name, param, self.bound):
            return self.builder.call("s2sad.runtime.strong_zero", contribution, self._share(spec))
        weak = isinstance(contribution.kind, Scalar) and contribution.kind.weak
        singular = not weak and is_singular(self.primitive.name, param, self.bound) or self._meets_infinity(spec)
        if isinstance(g, Const) or not singular:
            return contribution
        return self.builder.call("s2sad.runtime.strong_zero", contribution, g)

    def _meets_infinity(self, spec: Spec) -> bool:
        """Possibility of an infinite slope since an argument is infinite."""
        return any(map(self.endless, self.bound.values())) and bool(self.contents((spec,)))

    def _share(self, spec: Spec) -> Value:
        """The factor in a formula that multiplies what reaches the argument."""
        found = self.expand(spec, ONE)
        last = self.builder.block.ops[-1] if self.builder.block.ops else None
        if isinstance(last, Call) and found in last.results and last.target == OPERATORS[ast.Mult] and last.args[0] is ONE:
            self.builder.block.ops.pop()
            return last.args[1]
        return found

    def add(self, terms: list[Value]) -> Value:
        """The sum of the terms."""
        total = terms[0]
        for term in terms[1:]:
            total = self.builder.call("operator.add", total, term)
        return total

    def again(self, replaced: Mapping[str, Value]) -> Value:
        """The primal call again, with some arguments replaced."""
        places = self.primitive.places(self.call.args, self.call.kwargs)
        args: list[Value] = list(self.call.args)
        kwargs = dict(self.call.kwargs)
        done = set()
        for param, value in replaced.items():
            place = places[param]
            done.add(place)
            if isinstance(place, int):
                args[place] = value
            else:
                kwargs[place] = value
        final = [v if k in done else self.get(v) for k, v in enumerate(args)]
        named = {k: v if k in done else self.get(v) for k, v in kwargs.items()}
        return self.builder.call(self.call.target, *final, **named)

    def zeros(self, param: str) -> Value:
        """A zero of the shape of an argument."""
        value = self.bound[param]
        if isinstance(value.kind, Scalar):
            return Const(0.0)
        target = "numpy.zeros_like" if isinstance(value.kind, Array) else "s2sad.runtime.zeros"
        return self.builder.call(target, self.get(value))

    def unbroadcast(self, contribution: Value, param: str) -> Value:
        """Sum a contribution over the axes along which the argument was stretched, where it may have been."""
        if self.alone(param) and _lasts(self.primitive, self.call, param):
            return contribution
        stretched = isinstance(self.primitive.derivative, Elementwise)
        if stretched and self._has_shape_of(contribution, param):
            return typed(self.builder, contribution, self.kind(param))
        return unbroadcast(self.builder, contribution, self.bound[param], self.get, stretched)

    def _has_shape_of(self, contribution: Value, param: str) -> bool:
        """Certainty that an elementwise formula of the adjoint, which has the shape of the result, has made an array of that of
        an argument: of the only one that has axes, or by the sizes of the result."""
        out, kind = self.kind("out"), self.kind(param)
        ranks = {rank_of(each) if isinstance(each, Array) else None for each in (contribution.kind, out, kind)}
        if len(ranks) > 1 or not all(ranks) or may_be_complex(contribution, self.bound[param]):
            return False
        alone = all(isinstance(v.kind, Scalar) for name, v in self.bound.items() if name != param)
        return alone or fits_stretched(out, kind)

    def alone(self, param: str) -> bool:
        """Test for an argument of unknown shape that has the shape of the result: all others are literal numbers."""
        kind = self.bound[param].kind
        unknown = kind == UNKNOWN or isinstance(kind, Array) and dtype_of(kind) is None
        others = (value for name, value in self.bound.items() if name != param)
        return unknown and all(isinstance(v, Const) and type(v.payload) in (int, float) for v in others)

    def mended(self, contribution: Value, param: str) -> Value:
        """A contribution in the dtype of its argument."""
        argument = self.bound[param]
        number = isinstance(argument.kind, Scalar)
        stretched = number and isinstance(contribution.kind, Array)  # a number, seen as a vector
        untold = number and dtype_of(contribution.kind) is None and self.narrow() and not isinstance(contribution, Const)
        if stretched or untold or may_be_complex(contribution, argument):
            contribution = self.builder.call("s2sad.runtime.unbroadcast", contribution, self.get(argument))
        self._tell_sizes(contribution, argument.kind)
        return typed(self.builder, contribution, argument.kind)

    def _tell_sizes(self, contribution: Value, kind: Kind) -> None:
        """Tell the sizes of what a formula has made of an adjoint where nothing is stretched: those of the argument, as those of
        ``x`` in ``g @ w.T``, where the program would have failed for others."""
        made = self.builder.block.ops[-1] if self.builder.block.ops else None
        mine, own = contribution.kind, kind
        if made is None or contribution not in made.results or not isinstance(mine, Array) or not isinstance(own, Array):
            return
        if own.shape and mine.shape and mine.rank == own.rank:
            sizes = zip(own.shape, mine.shape, strict=True)
            contribution.kind = replace(mine, shape=tuple(n if m is None else m for m, n in sizes))

    def narrow(self) -> bool:
        """Presence of an argument in another precision than that of Python's numbers."""
        return any(dtype_of(value.kind) in NARROW for value in self.bound.values())

    def stretch(self, dot: Value) -> Value:
        """Give a tangent the shape of the result, where an active argument was stretched by an inactive one."""
        out = self.call.results[0].kind
        if not isinstance(out, Scalar) and not fits(dot.kind, out):
            return self.builder.call("s2sad.runtime.broadcast_like", dot, self.value("out"))
        return dot

    def tangent(self, dot: Value) -> Value:
        """A tangent in the dtype of the result, and with its axes where that has some and all arguments are numbers."""
        out = self.call.results[0].kind
        if isinstance(out, Array) and isinstance(dot.kind, Scalar):
            dot = self.builder.call("s2sad.runtime.broadcast_like", dot, self.value("out"))
        plain = isinstance(dot.kind, Array | Scalar) or dot.kind == UNKNOWN
        untold = dtype_of(out) is None and not isinstance(out, Tuple) and plain
        if untold and self.narrow():
            return self.builder.call("s2sad.runtime.unbroadcast", dot, self.value("out"))
        return typed(self.builder, dot, out)


def _lasts(primitive: Primitive, call: Call, param: str) -> bool:
    """Test for an elementwise function of one argument, and literals, that keeps its dtype, whichever that is, as does what its
    formula makes of an adjoint of the result."""
    place = primitive.places(call.args, call.kwargs)[param]
    if not isinstance(primitive.derivative, Elementwise) or not isinstance(place, int) or call.kwargs:
        return False
    literals = tuple((type(v.payload), v.payload) for v in call.args if isinstance(v, Const))
    key = primitive.name, call.target, place, literals
    if key not in _lasting:
        _lasting[key] = all(_lasts_as(primitive, call, param, place, dtype) for dtype in PRECISIONS)
    return _lasting[key]


PRECISIONS = ("float32", "float64", "complex64", "complex128")
_lasting: dict[Hashable, bool] = {}


def _lasts_as(primitive: Primitive, call: Call, param: str, place: int, dtype: str) -> bool:
    assert isinstance(primitive.derivative, Elementwise)
    probe = Call(target=call.target, args=[*call.args], loc=call.loc)
    probe.args[place] = Value(Array(dtype))
    probe.results = [Value(registry.infer(probe))]
    if dtype_of(probe.result.kind) != dtype:
        return False
    app = Application(probe, primitive, Builder(Block(), registry.infer), lambda value: value)
    try:
        made = app.expand(primitive.derivative.partials[param], Value(Array(dtype)))
    except NoRuleError:
        return False
    return isinstance(made.kind, Array) and made.kind.dtype == dtype


def fits(source: Kind, target: Kind, checked: bool = False) -> bool:
    """Certainty that a value of one kind has the shape of the other; ``checked``: also where it need not fit, and may raise.

    What derivatives add up fits, so that sizes of which neither is 1 are the same.
    """
    if isinstance(target, Scalar):
        return isinstance(source, Scalar)
    if not (isinstance(target, Array) and isinstance(source, Array)):
        return False
    if source.shape is None or target.shape is None or len(source.shape) != len(target.shape):
        return False
    pairs = zip(source.shape, target.shape, strict=True)
    return all_equal((m, n) for m, n in pairs if checked or not (is_many(m) and is_many(n)))


def fits_stretched(source: Kind, target: Kind) -> bool:
    """Certainty that a value has the shape of another one, which has been stretched to that of the value at most.

    A size that is known not to be 1 has not been stretched, and nothing but 1 has been stretched to 1.
    """
    if isinstance(target, Scalar):
        return isinstance(source, Scalar)
    if isinstance(target, Tuple) and target.items and all(isinstance(item, Scalar) for item in target.items):
        return isinstance(source, Array) and source.shape == (len(target.items),)
    if not (isinstance(target, Array) and isinstance(source, Array)):
        return False
    if source.shape is None or target.shape is None or len(source.shape) != len(target.shape):
        return False
    pairs = zip(source.shape, target.shape, strict=True)
    return all_equal(((m, n) for m, n in pairs if m != 1 and not is_many(n)), met=True)


def may_be_pythons(value: Value) -> bool:
    """Possibility of a number of Python's own, whose operators raise where NumPy's give infinities."""
    return isinstance(value.kind, Scalar) and (value.kind.weak or value.kind.mixed)


def unbroadcast(
    builder: Builder, contribution: Value, argument: Value, get: Callable[[Value], Value], stretched: bool
) -> Value:
    """Sum ``contribution`` to the shape of ``argument`` unless kinds prove that it has it; mend the dtype likewise.

    ``stretched``: by broadcasting alone, the shape of the argument became that of the contribution. A size that is a literal 1
    or unknown may have been stretched. Other formulas may make items of an array that has none, as that of ``diff`` does.
    """
    sure = fits_stretched if stretched else fits
    if not sure(contribution.kind, argument.kind) or may_be_complex(contribution, argument):
        contribution = builder.call("s2sad.runtime.unbroadcast", contribution, get(argument))
    return typed(builder, contribution, argument.kind)


def may_be_complex(contribution: Value, argument: Value) -> bool:
    """Possibility of complex arrays of known rank that only the run time tells: ``linalg.eig`` decides by value.

    So it is with the precision of a contribution of unknown dtype to what is not in double precision.
    """
    have, want = dtype_of(contribution.kind), dtype_of(argument.kind)
    narrow = isinstance(argument.kind, Array | Scalar) and want in NARROW
    known = have is not None and want is not None or want == "complex128" or _are_real(contribution.kind, argument.kind)
    ranked = isinstance(argument.kind, Array) and argument.kind.shape is not None
    return not known and not isinstance(contribution, Const) and (narrow or ranked)


def _are_real(*kinds: Kind) -> bool:
    """Certainty of arrays of real numbers, whichever of several dtypes they have; none is in single precision."""
    among = [kind.among if isinstance(kind, Array) else None for kind in kinds]
    return all(found and not any(d in NARROW or d.startswith("complex") for d in found) for found in among)


def typed(builder: Builder, value: Value, target: Kind) -> Value:
    """A derivative in the dtype of what it belongs to: of complex numbers the real part for real ones; item by item in tuples."""
    if isinstance(target, Tuple) and isinstance(value.kind, Tuple | Array):  # an array holds what is due to its rows
        if not _differs(value.kind, target):
            return value
        items = [builder.call("operator.getitem", value, Const(k)) for k in range(len(target.items))]
        made = "s2sad.items" if target.listed else "builtins.tuple"
        return builder.call(made, *(typed(builder, item, kind) for item, kind in zip(items, target.items, strict=True)))
    if isinstance(value, Const):
        return value
    if _may_exceed(value.kind, target):
        value = builder.call("numpy.real", value)
    if not _differs(value.kind, target):
        return value
    have, want = dtype_of(value.kind), dtype_of(target)
    assert want is not None
    if have is None:
        return builder.call("ndarray.astype", value, Const(want))
    if isinstance(target, Array) and isinstance(value.kind, Scalar):
        return builder.call("numpy.asarray", value, Const(want))
    if isinstance(value.kind, Scalar):  # it may be one of Python's, and as a real number counts as a complex one
        return builder.call(f"numpy.{want}", value) if have in NARROW or want in NARROW else value
    return builder.call("ndarray.astype", value, Const(want))


def _may_exceed(have: Kind, want: Kind) -> bool:
    """Possibility of a complex derivative of what is certainly real: either may be a number of one of several types."""
    real = want.is_of("biuf") if isinstance(want, Scalar) else (dtype_of(want) or "").startswith("float")
    return real and any(dtype.startswith("complex") for dtype in known_dtypes(have))


def known_dtypes(kind: Kind) -> list[str]:
    """The dtypes that a number or an array is known to be of."""
    if isinstance(kind, Scalar):
        return [dtype for dtype, _ in kind.types or ()]
    return [dtype for dtype in (dtype_of(kind),) if dtype is not None]


def _differs(have: Kind, want: Kind) -> bool:
    """Difference in dtype of a derivative from what it belongs to; Python's numbers count as double precision."""
    if isinstance(want, Tuple):
        items = have.items if isinstance(have, Tuple) else (have,) * len(want.items)
        return len(items) == len(want.items) and any(map(_differs, items, want.items))
    a, b = dtype_of(have), dtype_of(want)
    if a is None:
        return isinstance(have, Array) and b in NARROW
    return b is not None and a != b and b.startswith(("float", "complex"))


def _dotted(node: ast.expr) -> str:
    """A name with its dots, as a formula writes it."""
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ast.unparse(node)


class _Expansion(ast.NodeVisitor):
    """Lowers the expression of a formula."""

    def __init__(self, app: Application, g: Value) -> None:
        self.app = app
        self.g = g
        self.b = app.builder

    def visit(self, node: ast.AST) -> Value:
        result: Value = super().visit(node)
        return result

    def generic_visit(self, node: ast.AST) -> Any:
        raise CompilerError(f"a formula of {self.app.primitive.name} uses {type(node).__name__}")

    def visit_Name(self, node: ast.Name) -> Value:
        if node.id == "g":
            return self.g
        if node.id == "out" or node.id in self.app.bound:
            return self.app.value(node.id)
        raise CompilerError(f"a formula of {self.app.primitive.name} mentions {node.id}, which is no argument")

    def visit_Constant(self, node: ast.Constant) -> Value:
        return Const(node.value)

    def visit_BinOp(self, node: ast.BinOp) -> Value:
        left, right = self.visit(node.left), self.visit(node.right)
        squared = isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Constant) and node.right.value == 2
        if squared and isinstance(left.kind, Scalar) and left.kind.weak:
            return self.b.call("operator.mul", left, left)  # powers of Python's numbers raise OverflowError
        if isinstance(node.op, ast.Div | ast.FloorDiv | ast.Pow) and may_be_pythons(left) and may_be_pythons(right):
            return self.of_pythons_numbers(node, left, right)
        return self.b.call(OPERATORS[type(node.op)], left, right)

    def of_pythons_numbers(self, node: ast.BinOp, left: Value, right: Value) -> Value:
        """A quotient or a power that is infinite (or NaN) where Python's raises ZeroDivisionError or OverflowError.

        Functions of Python's own refuse a 0 that their slope divides by, if that is an argument, and powers that are too large.
        """
        pythons = may_be_pythons(self.app.call.results[0])
        names = {n.id for n in ast.walk(node.right) if isinstance(n, ast.Name)} & {"g", "out", *self.app.bound}
        if isinstance(node.op, ast.Pow):
            constant = isinstance(right, Const) and type(right.payload) is int and 0 <= right.payload <= 1  # it is exact
            return self.b.call("operator.pow" if pythons or constant else "numpy.float_power", left, right)
        if isinstance(node.op, ast.FloorDiv):
            return self.b.call("operator.floordiv" if pythons else "numpy.floor_divide", left, right)
        argument = isinstance(node.right, ast.Name) and node.right.id in self.app.bound
        counts = not argument and dtype_of(right.kind) == "int64"  # of items
        if not names or counts or pythons and argument:
            return self.b.call("operator.truediv", left, right)
        seeded = any(isinstance(n, ast.Name) and n.id == "g" for n in ast.walk(node.left))
        return self.b.call("s2sad.runtime.ratio" if seeded or pythons else "numpy.divide", left, right)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Value:
        operand = self.visit(node.operand)
        if isinstance(operand, Const) and isinstance(node.op, ast.USub):
            return Const(-operand.payload)
        return self.b.call(OPERATORS[type(node.op)], operand)

    def visit_Compare(self, node: ast.Compare) -> Value:
        (op,), (right,) = node.ops, node.comparators
        return self.b.call(OPERATORS[type(op)], self.visit(node.left), self.visit(right))

    def visit_Tuple(self, node: ast.Tuple) -> Value:
        items = [self.visit(item) for item in node.elts]
        if all(isinstance(item, Const) for item in items):
            return Const(tuple(item.payload for item in items if isinstance(item, Const)))
        return self.b.call("builtins.tuple", *items)

    def visit_Attribute(self, node: ast.Attribute) -> Value:
        return self.b.call(f"ndarray.{node.attr}", self.visit(node.value))

    def visit_Slice(self, node: ast.Slice) -> Value:
        parts = [self.visit(p) if p else Const(None) for p in (node.lower, node.upper, node.step)]
        if all(isinstance(p, Const) for p in parts):
            return Const(slice(*(p.payload for p in parts if isinstance(p, Const))))
        return self.b.call("builtins.slice", *parts)

    def visit_Subscript(self, node: ast.Subscript) -> Value:
        return self.b.call("operator.getitem", self.visit(node.value), self.visit(node.slice))

    def visit_Call(self, node: ast.Call) -> Value:
        args = [self.visit(a) for a in node.args]
        kwargs = {str(k.arg): self.visit(k.value) for k in node.keywords}
        return self.b.call(self.function(_dotted(node.func)), *args, **kwargs)

    def function(self, name: str) -> str:
        """The canonical name of a function that a formula mentions."""
        for scope in ("", *(f"{s}." for s in self.app.primitive.scope)):
            if registry.lookup(scope + name) is not None:
                return scope + name
        raise CompilerError(f"a formula of {self.app.primitive.name} mentions {name}, which is no primitive")
