"""Tuples that hold lists are passed item by item, so that a list that a callee empties has a shadow that it fills.

    y, tape = layer_forward(x)                 y, v_tape, w = layer_forward(x)
    x_bar = layer_reverse(tape, y_bar)   ==>   x_bar = layer_reverse(v_tape, w, y_bar)

Such are the tapes of derivative programs that are differentiated again; but for those of recursive functions, of which only the
run tells how deep they are: their reverse parts pop from copies (``ad.pairs``), and lists that nobody changes have adjoints that
are values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from s2sad.ad.tuples import item, made_of
from s2sad.analysis.alias import facts
from s2sad.analysis.references import is_recursive
from s2sad.errors import UnsupportedSyntaxError
from s2sad.ir.kinds import DictOf, Kind, List, Tuple
from s2sad.ir.nodes import LEAF, LITERALS, Block, Call, Function, Op, Param, Path, Structure, Value
from s2sad.ir.walk import blocks_of, clone_function
from s2sad.rules.containers import MAKES, forward_items, made_items, moves

Flat = dict[Function, Function]


def pass_items(function: Function, known: Flat) -> None:
    """Have all calls in a function pass the items of tuples that hold lists; ``known``: callees rewritten before."""
    for block in [*blocks_of(function.body)]:
        block.ops = [new for op in block.ops for new in _rewritten(op, known)]
    forward_items(function, {op.result: made_items(op) for op, _ in moves(function, MAKES) if holds_lists(op.result.kind)})


def holds_lists(kind: Kind) -> bool:
    """Test for a tuple with a list in it."""
    return isinstance(kind, Tuple) and any(isinstance(k, List | DictOf) or holds_lists(k) for k in kind.items)


def _splits(value: Value) -> bool:
    return holds_lists(value.kind) and not isinstance(value, LITERALS)


# --- calls


def _rewritten(op: Op, known: Flat) -> list[Op]:
    if not isinstance(op, Call) or op.callee is None or not _concerns(op.callee):
        return [op]
    callee = op.callee
    flat = known.get(callee) or _flattened(callee, known)
    before: list[Op] = []
    after: list[Op] = []
    for p, arg in zip(callee.params, op.args, strict=True):
        if holds_lists(p.value.kind) and not isinstance(arg.kind, Tuple) and not isinstance(arg, LITERALS):
            raise UnsupportedSyntaxError(
                f"what is recorded in {callee.title} cannot be differentiated", location=op.primal or op.loc,
                why="how deep a recursion went is told by its tape alone, whose parts have no kinds of their own",
                instead="a loop, or hvp and hessian in forward mode (mode='fwd')",
            )  # fmt: skip
    args = [part for p, arg in zip(callee.params, op.args, strict=True) for part in _parts(p.value, arg, before)]
    results = [part for leaf, result in zip(callee.body.yields, op.results, strict=True) for part in _made(leaf, result, after)]
    call = replace(op, args=args, results=results, callee=flat, target=flat.name)
    return [*before, call, *after]


def _concerns(callee: Function) -> bool:
    """Test for tuples that go item by item: all but those of recursive functions which write into none of them."""
    given = {k for k, v in enumerate(callee.values) if _splits(v)}
    if not given and not any(map(_splits, callee.body.yields)):
        return False
    return not is_recursive(callee) or not given.isdisjoint(facts(callee).written_parameters())


def _parts(param: Value, arg: Value, before: list[Op]) -> Iterator[Value]:
    """The values that are passed for an argument: the items of a tuple, in turn."""
    if not holds_lists(param.kind):
        yield arg
        return
    assert isinstance(param.kind, Tuple)
    for k, kind in enumerate(param.kind.items):
        taken = item(Value(param.kind) if isinstance(arg, LITERALS) else arg, k)
        taken.args[0] = arg
        before.append(taken)
        yield from _parts(Value(kind), taken.result, before)


def _made(leaf: Value, result: Value, after: list[Op]) -> Iterator[Value]:
    """The results of a call in place of a tuple: its items, of which the tuple is made."""
    if not _splits(leaf):
        yield result
        return
    assert isinstance(leaf.kind, Tuple)
    fresh = [Value(kind, f"{result.name}_{k}" if result.name else None) for k, kind in enumerate(leaf.kind.items)]
    for kind, value in zip(leaf.kind.items, fresh, strict=True):
        yield from _made(Value(kind), value, after)
    made = made_of(fresh, leaf.kind, result.name)
    made.results = [result]
    after.append(made)


# --- callees


def _flattened(callee: Function, known: Flat) -> Function:
    """The callee, with parameters and results for the items."""
    flat, _, _ = clone_function(callee)
    known[callee] = flat
    flat.writes = None
    places = {path: k for k, path in enumerate(_places(callee))}
    groups = ([_moved(path, places) for path in group] for group in callee.sharing)
    flat.sharing = tuple(tuple(path for path in group if path) for group in groups)
    start: list[Op] = []
    params: list[Param] = []
    for p in flat.params:
        params += [Param(value) for value in _made(p.value, p.value, start)] if _splits(p.value) else [p]
    flat.params = params
    flat.body.ops[:0] = start
    taken = Block()
    yields = [list(_parts(leaf, leaf, taken.ops)) for leaf in flat.body.yields]
    flat.returns = _widened(callee.returns, iter(map(len, yields)))
    flat.body.yields = [part for parts in yields for part in parts]
    flat.body.ops += taken.ops
    return flat


def _places(callee: Function) -> Iterator[Path]:
    """Where in the parameters of a function those of its rewritten form stand, in their order."""

    def within(kind: Kind, path: Path) -> Iterator[Path]:
        if holds_lists(kind):
            assert isinstance(kind, Tuple)
            for k, item in enumerate(kind.items):
                yield from within(item, (*path, k))
        else:
            yield path

    for k, value in enumerate(callee.values):
        yield from within(value.kind, (k,)) if _splits(value) else ((k,),)


def _moved(path: Path, places: dict[Path, int]) -> Path:
    """A place in the parameters of a function as one in those of its rewritten form."""
    cut = next((n for n in range(1, len(path) + 1) if path[:n] in places), None)
    return () if cut is None else (places[path[:cut]], *path[cut:])  # what is taken apart is no place any more


def _widened(structure: Structure, counts: Iterator[int]) -> Structure:
    """A returned structure with a tuple in place of each leaf that has become several."""
    if structure.kind == "leaf":
        count = next(counts)
        return LEAF if count == 1 else Structure("tuple", (LEAF,) * count)
    return replace(structure, items=tuple(_widened(inner, counts) for inner in structure.items))
