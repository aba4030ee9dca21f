"""Calls of which there is no form in loops: functions of their own, which Python runs in the midst of machine code.

    w = np.linalg.solve(a, b)       ==>     @loop_runtime.by_numpy("float64[:]")
                                            def solve(a, b):
                                                return np.linalg.solve(a, b)
                                            ...
                                            w = solve(a, b)

It is the same call of the same library, on the same memory; what it gives is held to the type that was inferred. What draws
random numbers or acts otherwise is not called so: a program that stops runs from the start again, by NumPy.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping

from s2sad.ir.builder import Builder
from s2sad.ir.kinds import NONE, Array, Kind, List, Other, Scalar, Tuple
from s2sad.ir.nodes import LITERALS, Block, Call, Const, Function, Global, Op, Param, Undef, Value, is_literal
from s2sad.loops.numbers import COMPARISONS, DTYPES, LOOPS
from s2sad.loops.refusal import refuse
from s2sad.rules import registry
from s2sad.rules.effects import effects
from s2sad.rules.traits import having

ACTS = ("numpy.random.", "builtins.")  # of the built-ins only these:
BUILT_IN = {f"builtins.{name}" for name in ("int", "float", "bool", "complex", "round", "abs", "min", "max", "sum", "pow")}

COMPARE_ITEMS = {*COMPARISONS, "operator.contains", "list.count", "list.index"}

Type = str | tuple["Type", ...]


def told(kind: Kind) -> Type | None:
    """A kind as ``loop_runtime.by_numpy`` is told it; None of one that machine code cannot take over."""
    if isinstance(kind, Scalar) and kind.widest in DTYPES:
        return kind.widest
    if isinstance(kind, Array) and kind.dtype in DTYPES and kind.rank:
        return f"{kind.dtype}[{', '.join(':' * kind.rank)}]"
    if isinstance(kind, Tuple) and kind.cls is None and not kind.listed and kind.items:
        items = [item for item in map(told, kind.items) if item is not None]
        return tuple(items) if len(items) == len(kind.items) else None
    return "none" if kind == NONE else None


def _passes(kind: Kind) -> bool:
    """Ability of machine code to hand a value of this kind to Python."""
    if isinstance(kind, Tuple) and kind.cls is None:
        return all(map(_passes, kind.items))
    if isinstance(kind, List) and not kind.keyed:
        return isinstance(kind.item, Scalar) and told(kind.item) is not None
    return kind == Other("ellipsis") or told(kind) is not None


def _tells_apart(op: Call) -> bool:
    """Test for a call that asks which objects it is given: Python is handed new ones, but for the few of which there is one.

    Containers ask first whether items are one object, as a NaN equals itself there.
    """
    singular = any(isinstance(v, Const) and (v.payload is None or isinstance(v.payload, bool)) for v in op.args)
    compared = [v.kind for v in op.args if v.kind.container] if op.target in COMPARE_ITEMS else []
    within = bool(compared) and not isinstance(op.result.kind, Array) and all(map(_holds_more_than_integers, compared))
    return within or op.target in having("tells apart") and not singular


def _holds_more_than_integers(kind: Kind) -> bool:
    """Possibility of an item that differs from itself."""
    if kind.container:
        return any(map(_holds_more_than_integers, kind.inner))
    return not isinstance(kind, Scalar) or not kind.is_of("ib")


def _build(value: Value, made: Mapping[Value, Op]) -> Call | None:
    """The maker of a value that only Python can hold, of parts that machine code can hand over: an index with slices."""
    op = made.get(value)
    build = isinstance(op, Call) and op.target in ("builtins.tuple", "builtins.slice") and not _passes(value.kind)
    return op if build and isinstance(op, Call) else None


def _handed(values: Iterable[Value], made: Mapping[Value, Op]) -> Iterator[Value]:
    """The values that are handed over in place of these."""
    for value in values:
        build = _build(value, made)
        if build is None:
            yield value
        else:
            yield from _handed(build.args, made)


class Outlined:
    """The functions that calls of a program have become, by what they are called for: ``made``, and the type of each."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.made: dict[Function, Type] = {}
        self._known: dict[Hashable, Function] = {}

    def call(self, op: Call, b: Builder, made: Mapping[Value, Op]) -> None:
        """Append what calls Python for this call; ``made``: what makes each value. Raises NotCompiled."""
        does = effects(op)
        result = self._type(op, does.frozen)
        library = registry.lookup(op.target) is not None and (not op.target.startswith(ACTS) or op.target in BUILT_IN)
        if not library or does.world or op.callee is not None or _tells_apart(op):
            refuse(f"{op.target} of {', '.join(str(v.kind) for v in op.args)} is not compiled yet", op)
        if any(not isinstance(v.kind, Array) for v in (*does.writes, *does.changes)) or does.puts:
            refuse(f"{op.target} writes into what is no array", op)
        given: list[Value] = []
        for value in _handed(op.operands(), made):
            if isinstance(value, Global) and not (value.resolved and (is_literal(value.payload) or type(value.payload) is type)):
                refuse(f"{op.target} of {value.path}", op, "machine code would keep what it finds there first")
            if isinstance(value, Undef) or not (isinstance(value, LITERALS) or _passes(value.kind)):
                refuse(f"{op.target} of {value.kind}", op, "machine code cannot hand it to Python")
            if not isinstance(value, LITERALS) and value not in given:
                given.append(value)
        function = self._function(op, given, result, made)
        given = [b.call(f"{LOOPS}gathered", v) if isinstance(v.kind, List) else v for v in given]
        b.append(Call(target=function.name, args=given, callee=function, results=op.results, loc=op.loc, primal=op.primal))

    @staticmethod
    def _type(op: Call, frozen: bool) -> Type:
        if len(op.results) != 1:
            refuse(f"{op.target}, which gives several results", op)
        result = told(op.result.kind)
        if result is None:
            refuse(f"{op.target} gives {op.result.kind}", op, "its type is not known, or not one that is compiled")
        return f"readonly {result}" if frozen and isinstance(result, str) else result

    def _function(self, op: Call, given: list[Value], result: Type, made: Mapping[Value, Op]) -> Function:
        def place(value: Value) -> Hashable:
            build = _build(value, made)
            if build is not None:
                return build.target, *map(place, build.args)
            return given.index(value) if value in given else _identity(value)

        places = [place(v) for v in op.operands()]
        key = (op.target, tuple(places), tuple(op.kwargs), len(op.args), tuple(v.kind for v in given), result)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._written(op, given, made)
            self.made[found] = result
        return found

    def _written(self, op: Call, given: list[Value], made: Mapping[Value, Op]) -> Function:
        params = [Param(Value(v.kind, v.name or f"a{k}")) for k, v in enumerate(given)]
        names = [p.name for p in params]
        for k, p in enumerate(params):
            if p.name in names[:k]:
                p.value.name = f"{p.name}_{k}"
        table = {v: p.value for v, p in zip(given, params, strict=True)}
        block = Block()
        inside = Builder(block, registry.infer)

        def known(value: Value) -> Value:
            build = _build(value, made)
            if build is not None:
                return inside.call(build.target, *map(known, build.args))
            return value if isinstance(value, LITERALS) else _as_python(table[value], inside)

        args, kwargs = [known(v) for v in op.args], {k: known(v) for k, v in op.kwargs.items()}
        result = Value(op.result.kind)
        inside.append(Call(target=op.target, args=args, kwargs=kwargs, results=[result], loc=op.loc, primal=op.primal))
        block.yields = [Const(None) if op.result.kind == NONE else result]
        part = op.target.rpartition(".")[2].strip("_")
        return Function(f"{self.name}_{part}_{len(self.made) + 1}", params, block)


def _as_python(value: Value, b: Builder) -> Value:
    """A parameter as the program has it: machine code does not tell NumPy's numbers from Python's, nor lists from tuples."""
    kind = value.kind
    if isinstance(kind, Scalar):
        return value if kind.weak else b.call(f"numpy.{'bool_' if kind.widest == 'bool' else kind.widest}", value)
    if isinstance(kind, List):
        return b.call("ndarray.tolist" if isinstance(kind.item, Scalar) and kind.item.weak else LOOPS + "of_numpy", value)
    if isinstance(kind, Tuple) and (kind.listed or any(isinstance(i, Scalar | Tuple) for i in kind.items)):
        items = [_as_python(b.call("operator.getitem", value, Const(k)), b) for k in range(len(kind.items))]
        return b.call("builtins.list" if kind.listed else "builtins.tuple", *items)
    return value


def _identity(value: Value) -> Hashable:
    if isinstance(value, Global):
        return value.identity
    return repr(value.payload) if isinstance(value, Const) else value
