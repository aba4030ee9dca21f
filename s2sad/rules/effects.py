"""The effects of a call on memory, and besides computing: one line beside each rule, and the one query that reads it.

    numpy.sin(x) -> fresh                                the result is memory of its own (or no memory at all)
    numpy.reshape(a, shape) -> view(a)?                  a window of ``a``, or fresh: strides decide
    ndarray.conj(a) -> fresh if a.complex else same(a)   conditions are decided by kinds; undecided, both may be
    numpy.diag(v) -> fresh if v.ndim == 1 else view(v); frozen         NumPy does not let one write into it
    list.append(items, value) -> none; writes items; puts value in items; longer at end
    list.pop(items, index=-1) -> item(items); writes items; shorter at index
    numpy.random.normal() -> fresh; world                must be neither dropped, nor moved, nor repeated
    builtins.print(*args) -> none; tells                 so must this, which only tells people something: once is enough
    s2sad.assert(test) -> none; stays                    this must not be dropped or moved; to repeat it changes nothing

Results: ``none``, ``fresh``, ``same(p)`` (the argument itself), ``view(p)`` (a window of it), ``item(p)`` (what it holds),
``part(p)`` (a container of its own, with what ``p`` holds), ``holds(p)`` (one with ``p`` in it), ``unknown``; after commas, any
of these. A sequence or a number that stands for an array has no windows: what NumPy makes of it is new. Clauses: ``writes p``
(but not what it holds), ``changes p`` (and all that it holds), ``puts p in q``, all three also ``if`` something, ``looks p`` (at
shape and dtype only), ``casts p`` (its items get the dtype of another argument), ``world``, ``tells``, ``stays``, ``frozen``.

**No line means unknown**: the result may share memory with every argument, the call must run where it stands, and it may write
into its arguments (all but functions with users' rules: that these do not is checked as they run). Tests hold each rule to its
line: it may say more than happens, and never less (``tests/rules/test_effects.py``).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from s2sad.ir.kinds import (
    UNKNOWN,
    Array,
    List,
    Other,
    Scalar,
    Slice,
    Tuple,
    dtype_of,
    index_parts,
    is_number,
    may_refer,
    rank_of,
)
from s2sad.ir.nodes import Call, Const, Value
from s2sad.rules import registry
from s2sad.rules.language import Primitive

HOWS = ("same", "view", "item", "part", "holds")
WORDS = (*HOWS, "none", "fresh", "unknown")
CLAUSES = ("writes", "changes", "puts", "looks", "casts", "world", "tells", "stays", "frozen")
BARE = ("world", "tells", "stays", "frozen")  # clauses that name no argument
AT = re.compile(r"(?:(longer|shorter|back) |adds (-?\w+) )?at (\w+)")
# What these write into without a rule is refused by name where it is lowered (``np.place``, ``out=`` ...).
LIBRARIES = ("numpy.", "scipy.", "math.")
DESTINATIONS = ("out", "output", "distances", "indices")


@dataclass(frozen=True, slots=True)
class Share:
    """A way to share memory with an argument: as itself, a window, what it holds, a part of it, or what holds it."""

    how: str
    value: Value


@dataclass(frozen=True, slots=True)
class Effects:
    """The effects of a call.

    ``shares``: with what the result may share memory; ``certain``: it does so with one of them, and is not fresh.
    ``writes``: the arguments whose contents change, ``changes``: those, and what they hold. ``puts``: (item, container).
    ``looks``: the arguments of which only shape and dtype are read, ``casts``: those whose items get another one's dtype.
    ``world``: it does more, or nobody knows: it stays where it is. It ``tells`` people something, it ``acts`` otherwise, or
    only raises, or asks, and may do so again. ``frozen``: NumPy lets nobody write into the result. ``unknown``: nothing is known
    of the result.
    """

    shares: tuple[Share, ...] = ()
    certain: bool = False
    writes: tuple[Value, ...] = ()
    changes: tuple[Value, ...] = ()
    puts: tuple[tuple[Value, Value], ...] = ()
    looks: tuple[Value, ...] = ()
    casts: tuple[Value, ...] = ()
    world: bool = False
    acts: bool = False
    tells: bool = False
    frozen: bool = False
    unknown: bool = False

    @property
    def once(self) -> bool:
        """True if to do it twice is something else than to do it once."""
        return self.acts or self.tells


NOTHING = Effects()


@dataclass(frozen=True, slots=True)
class Line:
    """A parsed line: alternatives by condition, and clauses by parameter names."""

    result: ast.expr
    writes: tuple[tuple[str, ast.expr | None], ...] = ()  # under a condition
    changes: tuple[tuple[str, ast.expr | None], ...] = ()  # under a condition
    puts: tuple[tuple[str, str, ast.expr | None], ...] = ()  # under a condition
    looks: tuple[str, ...] = ()
    casts: tuple[str, ...] = ()
    world: bool = False
    tells: bool = False
    stays: bool = False
    frozen: bool = False
    at: str = ""  # of containers: in which of their places
    how: str = ""  # that makes it longer, or shorter, or puts back what was there
    adds: str = ""  # what is added to an item, or subtracted from it: "-value"


@cache
def parsed(text: str) -> Line:
    """The line in a form that can be asked. Raises ValueError where it cannot be read."""
    first, *clauses = (part.strip() for part in text.split(";"))
    result = ast.parse(re.sub(r"(\w+\(\w+\))\?", r"(\1, fresh)", first), mode="eval").body
    _check(result, text)
    found: dict[str, list[str]] = {word: [] for word in CLAUSES}
    conditions: dict[str, ast.expr] = {}
    place = [match for match in map(AT.fullmatch, clauses) if match]
    for whole in clauses:
        if len(place) == 1 and whole == place[0][0]:
            continue
        clause, _, test = whole.partition(" if ")
        word, *names = clause.replace(",", " ").split()
        if test and (word not in ("writes", "changes", "puts") or found[word]) or word in conditions:
            raise ValueError(f"{whole!r} in {text!r}: only writing and putting have conditions, one for all that is written")
        if test:
            conditions[word] = ast.parse(test, mode="eval").body
        if word not in found or (word == "puts" and names[1::3] != ["in"]) or bool(names) == (word in BARE):
            raise ValueError(f"{clause!r} in {text!r} is no clause of effects")
        found[word] += names or [word]
    return Line(
        result,
        tuple((name, conditions.get("writes")) for name in found["writes"]),
        tuple((name, conditions.get("changes")) for name in found["changes"]),
        tuple((name, into, conditions.get("puts")) for name, into in zip(found["puts"][::3], found["puts"][2::3], strict=True)),
        tuple(found["looks"]),
        tuple(found["casts"]),
        bool(found["world"]),
        bool(found["tells"]),
        bool(found["stays"]),
        bool(found["frozen"]),
        *((place[0][3], place[0][1] or "", place[0][2] or "") if place else ()),
    )


def _check(node: ast.expr, text: str) -> None:
    if isinstance(node, ast.IfExp):
        _check(node.body, text)
        _check(node.orelse, text)
    elif isinstance(node, ast.Tuple):
        for part in node.elts:
            _check(part, text)
    elif isinstance(node, ast.Call):
        if not (isinstance(node.func, ast.Name) and node.func.id in HOWS and all(isinstance(a, ast.Name) for a in node.args)):
            raise ValueError(f"{ast.unparse(node)!r} in {text!r} is no result of effects")
    elif not (isinstance(node, ast.Name) and node.id in ("none", "fresh", "unknown")):
        raise ValueError(f"{ast.unparse(node)!r} in {text!r} is no result of effects")


def effects(call: Call) -> Effects:
    """The effects of a call of a primitive, or of something unknown. Of users' functions, ``analysis`` knows."""
    primitive = registry.lookup(call.target)
    if primitive is None:
        return _unknown(call)
    if primitive.quiet and not call.kwargs:
        return NOTHING
    operands = (*call.args, *call.kwargs.values()) if call.kwargs else call.args
    question = (primitive, *call.kwargs, *operands, *[v.kind for v in operands], *[r.kind for r in call.results])
    if call.asked is None or call.asked[0] != question:  # passes ask again and again, and change calls in between
        call.asked = question, _effects(primitive, call)
    found: Effects = call.asked[1]
    return found


def _effects(primitive: Primitive, call: Call) -> Effects:
    if "out" in call.kwargs and "out," not in f"{primitive.signature},".replace("=", ","):
        return Effects((Share("same", call.kwargs["out"]),), certain=True, writes=(call.kwargs["out"],))
    if not primitive.effects:
        return _unknown(call, written=not primitive.watched)
    if primitive.writes_by_request:
        given = primitive.bind(call.args, call.kwargs)
        if spoiled := _overwritten(given):
            return Effects(tuple(Share("same", v) for v in spoiled), writes=spoiled, frozen=True)
        if filled := _destinations(given):
            return Effects(tuple(Share("same", v) for v in filled), certain=True, writes=filled)
    if primitive.effects in ("fresh", "none"):
        looks = _only(_shape_only(primitive, call), call.args)
        return Effects(looks=looks) if looks else NOTHING
    line = parsed(primitive.effects)
    bound = primitive.bind(call.args, call.kwargs)
    found, fresh = _shares(line.result, bound, call)
    looked = _shape_only(primitive, call)
    looked.update((k, v) for k, (p, v) in enumerate(bound.items()) if p in line.looks or p.rstrip("0123456789") in line.looks)
    numbers = all(is_number(r.kind) for r in call.results)
    shares = tuple(share for share in found if not numbers or share.how == "item")  # a number shares nothing
    return Effects(
        shares,
        bool(shares) and not fresh,
        _written(line.writes, bound, call),
        _written(line.changes, bound, call),
        _put(line, bound, call),
        _only(looked, [*bound.values()]),
        tuple(bound[p] for p in line.casts),
        line.world or line.tells or line.stays,
        line.world,
        line.tells,
        line.frozen and bool(shares),
    )


def _written(clauses: Iterable[tuple[str, ast.expr | None]], bound: Mapping[str, Value], call: Call) -> tuple[Value, ...]:
    """The arguments that are written, or may be."""
    named = [p for p, test in clauses if test is None or decide(test, bound, call) is not False]
    return tuple(v for p in named for v in _named(p, bound))


def _put(line: Line, bound: Mapping[str, Value], call: Call) -> tuple[tuple[Value, Value], ...]:
    """What is put into containers, or may be."""
    clauses = [(p, q) for p, q, test in line.puts if test is None or decide(test, bound, call) is not False]
    return tuple((item, bound[q]) for p, q in clauses for item in _named(p, bound) if not isinstance(bound[q].kind, Array))


def acts(target: str) -> bool:
    """Test for a primitive that does more than to compute, to write into its arguments and to raise; or that nobody knows."""
    primitive = registry.lookup(target)
    line = None if primitive is None or not primitive.effects else parsed(primitive.effects)
    return line is None or line.world or line.tells


def _unknown(call: Call, written: bool = True) -> Effects:
    """Of a user's rule, which writes into no argument, or of a function without one (``written``)."""
    operands = tuple(call.operands())
    shared = () if all(is_number(r.kind) for r in call.results) else operands
    changed = operands if written else ()
    if call.target.startswith(LIBRARIES):
        changed = _destinations(call.kwargs)
    return Effects(tuple(Share("same", v) for v in shared), changes=changed, world=True, acts=True, unknown=True)


def _overwritten(bound: Mapping[str, Value]) -> tuple[Value, ...]:
    """The arguments that a function of SciPy's is allowed to destroy, by ``overwrite_a=True``."""
    allowed = (p for p, v in bound.items() if p.startswith("overwrite_") and not (isinstance(v, Const) and not v.payload))
    return tuple(bound[p.removeprefix("overwrite_")] for p in allowed if p.removeprefix("overwrite_") in bound)


def _destinations(bound: Mapping[str, Value]) -> tuple[Value, ...]:
    """The arrays that a function of NumPy's or SciPy's is told to put its results into."""
    given = ((p, v) for p, v in bound.items() if not isinstance(v, Const))
    return tuple(v for p, v in given if p in DESTINATIONS and may_refer(v.kind))


def _shape_only(primitive: Primitive, call: Call) -> dict[int, Value]:
    """The arguments of which a function of formulas looks at shape and dtype alone, by position: arrays, numbers, no lists."""
    places = () if call.kwargs else primitive.looks_at
    return {k: call.args[k] for k in places if k < len(call.args) and isinstance(call.args[k].kind, Array | Scalar)}


def looked_at(primitive: Primitive) -> set[str]:
    """The parameters of which a primitive looks at shape and dtype alone: these carry no derivative."""
    names = [name for name, _, _ in primitive.parameters]
    told = parsed(primitive.effects).looks if primitive.effects else ()
    return {*(names[k] for k in primitive.looks_at if k < len(names)), *told}


def _only(looked: Mapping[int, Value], given: Sequence[Value]) -> tuple[Value, ...]:
    """The looked at that are not given a second time at a place where contents are read (``take_adjoint(x, x, ...)``)."""
    if not looked:
        return ()
    read = [v for k, v in enumerate(given) if k not in looked]
    return tuple(v for v in looked.values() if not any(v is other for other in read))


def _named(name: str, bound: Mapping[str, Value]) -> list[Value]:
    """The arguments of a parameter; of one with a star, all of them."""
    return [bound[name]] if name in bound else [v for p, v in bound.items() if p.rstrip("0123456789") == name]


# --- results


def _shares(node: ast.expr, bound: Mapping[str, Value], call: Call) -> tuple[list[Share], bool]:
    """The memory that a result may share, and whether it may be fresh."""
    if isinstance(node, ast.IfExp):
        known = decide(node.test, bound, call)
        if known is not None:
            return _shares(node.body if known else node.orelse, bound, call)
        (some, fresh), (more, fresh_too) = _shares(node.body, bound, call), _shares(node.orelse, bound, call)
        viewed = {share.value for share in (*some, *more) if share.how == "view"}  # which may be all of it
        joined = dict.fromkeys(share for share in (*some, *more) if share.how != "same" or share.value not in viewed)
        return [*joined], fresh or fresh_too
    if isinstance(node, ast.Tuple):
        parts = [_shares(part, bound, call) for part in node.elts]
        return [share for found, _ in parts for share in found], any(fresh for _, fresh in parts)
    if isinstance(node, ast.Call):
        assert isinstance(node.func, ast.Name)
        names = [a.id for a in node.args if isinstance(a, ast.Name)]
        found = [Share(node.func.id, v) for name in names for v in _named(name, bound) if _has_windows(node.func.id, v)]
        return found, not found
    assert isinstance(node, ast.Name)
    return ([Share("same", v) for v in bound.values()], True) if node.id == "unknown" else ([], True)


def _has_windows(how: str, value: Value) -> bool:
    """Ability to share memory in this way: of a sequence or number, NumPy makes a new array."""
    return how != "view" or not isinstance(value.kind, List | Tuple | Scalar)


# --- conditions: true, false, or None where only running the program tells


def decide(node: ast.expr, bound: Mapping[str, Value], call: Call) -> bool | None:
    """The answer to a condition for the arguments of a call; None where kinds do not decide."""
    if isinstance(node, ast.UnaryOp):
        found = decide(node.operand, bound, call)
        return None if found is None else not found
    if isinstance(node, ast.BoolOp):
        parts = [decide(part, bound, call) for part in node.values]
        absorbing = isinstance(node.op, ast.Or)
        return absorbing if absorbing in parts else None if None in parts else not absorbing
    if isinstance(node, ast.Compare):
        return _compared(node, bound)
    assert isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    answer: bool | None = FACTS[node.attr](bound[node.value.id], call)
    return answer


def _compared(node: ast.Compare, bound: Mapping[str, Value]) -> bool | None:
    left, (operator,), (right,) = node.left, node.ops, node.comparators
    wanted = ast.literal_eval(right)
    if isinstance(left, ast.Attribute):
        assert isinstance(left.value, ast.Name) and left.attr == "ndim"
        kind = bound[left.value.id].kind
        known = rank_of(kind) is not None and isinstance(kind, Array | Scalar)
        found: object = rank_of(kind)
    else:
        assert isinstance(left, ast.Name)
        value = bound[left.id]
        if isinstance(operator, ast.Is):
            none = isinstance(value, Const) and value.payload is None
            return True if none or value.kind == Other("none") else None if value.kind == UNKNOWN else False
        known, found = isinstance(value, Const), getattr(value, "payload", None)
    if not known:
        return None
    return bool(found == wanted) == isinstance(operator, ast.Eq)


def _complex(value: Value, _: Call) -> bool | None:
    dtype = dtype_of(value.kind)
    return None if dtype is None else dtype.startswith("complex")


def _kept(value: Value, call: Call) -> bool | None:
    """Test for an array whose dtype is that of the result, if both are known."""
    dtype, made = dtype_of(value.kind), dtype_of(call.results[0].kind)
    known = isinstance(value.kind, Array) and not is_number(value.kind) and dtype is not None and made is not None
    return dtype == made if known else None


def _container(value: Value, _: Call) -> bool | None:
    return value.kind.container


def _nested(value: Value, _: Call) -> bool | None:
    """Test for a container of containers."""
    item = value.kind.item if isinstance(value.kind, List) else UNKNOWN
    return None if item == UNKNOWN else item.container


def _of_arrays(value: Value, _: Call) -> bool | None:
    """Test for a list of arrays that have axes."""
    item = value.kind.item if isinstance(value.kind, List) else UNKNOWN
    return isinstance(item, Array) and bool(item.shape) or None


def _number(value: Value, _: Call) -> bool | None:
    return None if value.kind == UNKNOWN else isinstance(value.kind, Scalar)


def _basic(value: Value, call: Call) -> bool | None:
    """Test for an index that makes a window (or a number), and gathers nothing; None: the array's rank decides."""
    parts = index_parts(value.kind)
    sliced = any(isinstance(k, Slice) for k in parts)
    if call.results[0].kind == UNKNOWN and not sliced:
        return None
    return all(isinstance(k, Slice | Other) or (isinstance(k, Scalar) and k.dtype != "bool") for k in parts)


def _sliced(value: Value, _: Call) -> bool | None:
    return isinstance(value.kind, Slice)


def _rearranges(value: Value, _: Call) -> bool | None:
    """Test for subscripts of ``numpy.einsum`` that only put the axes of one array into another order, or take a diagonal."""
    if not isinstance(value, Const):
        return None
    taken, arrow, given = value.payload.replace(" ", "").partition("->")
    before, after = taken.replace("...", ""), given.replace("...", "")
    return "," not in taken and (set(before) == set(after) if arrow else len(set(before)) == len(before))


FACTS = {
    "complex": _complex,
    "kept": _kept,
    "container": _container,
    "nested": _nested,
    "of_arrays": _of_arrays,
    "number": _number,
    "basic": _basic,
    "sliced": _sliced,
    "rearranges": _rearranges,
}
