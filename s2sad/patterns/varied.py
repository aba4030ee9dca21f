"""The part of a program that depends on the values of these parameters, in any way: through numbers that carry no derivative,
through conditions, through sizes.

    k = np.argmax(x)          varied          y = np.zeros(x.size)      not: only the size of x is looked at
    if x[0] > 0:              what is stored, or bound, in either arm is varied
    z = x[x > 0]              varied, and so is its size: len(z) is

A pattern is the same for all points if the program that finds it does not depend on the point in any of these ways.
"""

from __future__ import annotations

from s2sad.analysis.alias import Node
from s2sad.directions.dependence import MAKERS, Dependence, Summaries, flows
from s2sad.ir.kinds import Array, Kind, List, Other, Scalar, index_parts, is_differentiable
from s2sad.ir.nodes import LITERALS, Block, Call, Const, Function, Loop, Op, Straight, Value, With
from s2sad.ir.walk import definers, ops_of, reads_of
from s2sad.rules import registry
from s2sad.rules.containers import GIVING, MAKES, move_of
from s2sad.rules.effects import effects
from s2sad.rules.language import Elementwise, Nothing

RESIZING = {"numpy.unique", "numpy.trim_zeros", "numpy.extract", "numpy.compress"}  # what gives as many as there are
KEEPING = {
    f"numpy.{name}" for name in (
        "where", "argmax", "argmin", "argsort", "sort", "isnan", "isfinite", "isinf", "sign", "floor", "ceil", "rint", "digitize",
        "searchsorted", "less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "logical_and", "logical_or",
        "logical_not", "copy", "zeros_like", "ones_like", "empty_like",
    )
}  # fmt: skip
KEEPING |= {f"operator.{name}" for name in ("lt", "le", "gt", "ge", "eq", "ne", "and_", "or_", "xor", "invert")}
KEEPING |= {f"s2sad.runtime.{name}" for name in (
    "union", "united", "union_at", "union_anywhere", "joined_sets",
    "sets_like", "narrowed_sets", "einsum_sets", "all_of", "without_sets", "running_sets",
    "neighbouring_sets", "outer_sets", "matmul_sets", "zeros_for", "window_as", "shadow_of",
)}  # fmt: skip
PRODUCTS = {"s2sad.runtime.outer_sets", "s2sad.runtime.matmul_sets"}


def _unset(flag: Value) -> bool:
    return isinstance(flag, Const) and not flag.payload


class Varied(Dependence):
    """The values of one function that depend on those of these of its parameters."""

    def __init__(self, *args: object) -> None:
        self.makers = definers(args[0])  # type: ignore[arg-type]
        self.lists: set[Node] = set()  # the classes of lists that may have other lengths, or items of other sizes
        super().__init__(*args)  # type: ignore[arg-type]

    def carries(self, kind: Kind) -> bool:
        """Everything counts."""
        return True

    def looks(self, op: Call) -> list[Value]:
        """Zeros of the shape of something are zeros; of dense factors that are no sets, the sizes count."""
        found = list(effects(op).looks)
        if op.target in MAKERS:
            found.append(op.args[0])
        if op.target in PRODUCTS:
            _, a, b, *flags = op.args
            found += [v for v, flag in zip((a, b), flags, strict=True) if _unset(flag) and isinstance(v.kind, Array)]
        if op.target == "s2sad.runtime.einsum_sets":
            found += [v for v, flag in zip(op.args[3::2], op.args[2::2], strict=True) if _unset(flag)]
        return found

    def find(self) -> None:
        """Go over the function until nothing changes."""
        self.changed = True
        while self.changed:
            self.changed = False
            self._walk(self.function.body, False)

    def is_resized(self, value: Value) -> bool:
        """Dependence of a size on the values: of the value itself, or of what a list holds."""
        if value in self.resized:
            return True
        return isinstance(value.kind, List) and not isinstance(value, LITERALS) and self.aliases.node(value) in self.lists

    def _resize(self, value: Value) -> None:
        if self.is_resized(value) or isinstance(value, LITERALS) or isinstance(value.kind, Scalar):
            return
        self.changed = True
        self.resized.add(value)
        if isinstance(value.kind, List):
            self.lists.add(self.aliases.node(value))
        self.mark(value)

    def _walk(self, block: Block, controlled: bool) -> None:
        for op in block.ops:
            self._visit(op)
            if isinstance(op, Call):
                self._sized(op)
                if controlled:
                    self._stored(op)
                continue
            chosen = self._chosen(op)
            if chosen:
                bound = [*op.results, *(op.carried if isinstance(op, Loop) else ())]
                for value in bound:
                    self.mark(value)
                    self._resize(value)
            for group in flows(op):
                if any(map(self.is_resized, group)):
                    for value in group:
                        self._resize(value)
            for param in op.given if isinstance(op, Loop) and any(map(self.is_resized, op.over)) else ():
                self._resize(param)
            for inner in op.blocks():
                self._walk(inner, controlled or chosen)

    def _chosen(self, op: Op) -> bool:
        """Dependence of the way that control goes on the values."""
        if isinstance(op, Loop):
            return any(map(self.has, op.flags)) or any(
                self.is_resized(v) or (self.has(v) and not isinstance(v.kind, Array | List)) for v in op.over
            )
        if isinstance(op, With):  # what is attempted may end anywhere, as the values tell
            maker = self.makers.get(op.context)
            quiet = isinstance(maker, Call) and maker.target == "numpy.errstate"
            if not quiet and any(map(self.has, reads_of(op))):
                self.mark(op.context)
                return True
            return False
        return isinstance(op, Straight) and self.has(op.head)

    def _stored(self, op: Call) -> None:
        """Marks on all that is written where control depends on the values."""
        if op.callee is not None:
            written = [v for v in op.args if not isinstance(v.kind, Scalar | Other)]
        else:
            done = effects(op)
            written = [*done.writes, *done.changes, *(container for _, container in done.puts)]
        for value in written:
            self.mark(value)
            if not isinstance(value.kind, Array):
                self._resize(value)

    def _sized(self, op: Call) -> None:
        operands = list(op.operands())
        looks = self.looks(op) if op.callee is None else []
        for item, container in effects(op).puts if op.callee is None else ():
            if self.is_resized(item):
                self._resize(container)
        if any(map(self.is_resized, operands)):
            for value in op.results:
                self.mark(value)
                self._resize(value)
            return
        if op.callee is not None:
            positions = frozenset(k for k, arg in enumerate(op.args) if self.has(arg))
            if positions:
                *_, params, results = self.summaries.of(op.callee, positions)
                for value in (*(op.args[k] for k in params), *(op.results[k] for k in results)):
                    self._resize(value)
            return
        varied = [v for v in operands if v not in looks and self.has(v)]
        if varied and not _keeps(op, varied):
            for value in op.results:
                self._resize(value)


def _keeps(op: Call, varied: list[Value]) -> bool:
    """Test for a result of the same size, whatever these arguments hold (in arrays of the same size)."""
    move = move_of(op)
    if op.target in KEEPING or move is not None and move.does == MAKES:
        return True
    if move is not None and move.does in GIVING and move.at(op) not in varied:  # where what stands there keeps its size
        return True
    primitive = registry.lookup(op.target)
    if primitive is None or op.target in RESIZING:
        return False
    if isinstance(primitive.derivative, Elementwise):
        return True
    if op.target in ("operator.getitem", "numpy.take"):
        index = op.args[1]
        parts = index_parts(index.kind)
        whole = all(isinstance(k, Scalar | Array) and (k.dtype or "bool") != "bool" for k in parts)
        return index not in varied or whole
    known = primitive.derivative is not None and not isinstance(primitive.derivative, Nothing)
    return known and all(is_differentiable(v.kind) or v.kind == op.args[0].kind for v in varied)


def varied_parameters(function: Function, positions: frozenset[int]) -> dict[Function, frozenset[int]]:
    """The parameters that vary somewhere, of a function whose parameters at these positions do, and of all that it calls."""
    found, rest = {function: positions}, [function]
    while rest:
        caller = rest.pop()
        facts = varied(caller, found[caller])
        for op in ops_of(caller.body):
            if isinstance(op, Call) and op.callee is not None:
                given = frozenset(k for k, arg in enumerate(op.args) if facts.has(arg))
                known = found.get(op.callee)
                if known is None or not given <= known:
                    found[op.callee] = given | (known or frozenset())
                    rest.append(op.callee)
    return found


def varied(function: Function, positions: frozenset[int]) -> Varied:
    """The facts of a function whose parameters at these positions vary."""
    summaries = Summaries(make=Varied)
    summaries.settle(function, positions)
    found = Varied(function, [function.values[k] for k in positions], summaries)
    found.find()
    return found
