"""Tuples are taken apart before the reverse sweep is made: where they cross a border, stand in a list, or hold what is written.

    p = if c: yield q else: yield r  ==>          p0, p1 = if c: yield q[0], q[1] else: yield r[0], r[1]
                                                  p = (p0, p1)

    y, tape = layer_forward(x)                    y, v_tape, w = layer_forward(x); tape = (v_tape, w)
    x_bar = layer_reverse(tape, y_bar)   ==>      x_bar = layer_reverse(v_tape, w, y_bar)

    tape = []                                     a_tape, b_tape = [], []
    tape.append((a, b))                  ==>      a_tape.append(a); b_tape.append(b)
    a, b = tape.pop()                             a, b = a_tape.pop(), b_tape.pop()

    w, v = pair = eigh(a)                         pair = eigh(a); w = pair[0]
    for i in range(n):                   ==>      for i in range(n):
        s += pair[0][i]; t += f(pair)                 s += w[i]; t += f((w, v))

    t = eigh(a); t[0][0] = 2.0           ==>      t = eigh(a); w = t[0]; v = t[1]; w[0] = 2.0
    y = f(t) + t[0]                               y = f((w, v)) + w

Control flow carries the adjoints of numbers and arrays, lists of shadows stand beside lists, and a callee fills the shadow of a
list that it empties: with this none of them meets another structure. In straight-line code a tuple may stay whole while nothing
is written into its items: their adjoints are collected one by one. What is written has one adjoint, and so one name.

Calls pass tuples item by item that hold numbers, whose adjoints are numbers then, or lists: the tapes of derivative programs that
are differentiated again; but for those of recursive functions, of which only the run tells how deep they are: their reverse parts
pop from copies (``ad.pairs``), and lists that nobody changes have adjoints that are values. Lists are split that hold numbers
(``states.append((x, y))``), or what is written: tapes of the tapes of functions that are called in a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from s2sad.analysis.alias import Aliases, facts
from s2sad.analysis.references import is_recursive
from s2sad.analysis.views import holds_references
from s2sad.errors import UnsupportedSyntaxError
from s2sad.ir.kinds import Kind, List, Scalar, Tuple, is_differentiable
from s2sad.ir.nodes import (
    LEAF,
    LITERALS,
    Block,
    Call,
    Const,
    Function,
    Loop,
    Op,
    Param,
    Path,
    Straight,
    Structure,
    Value,
)
from s2sad.ir.walk import (
    blocks_of,
    clone_function,
    definers,
    ops_of,
    owners,
    substitute,
    substitute_all,
    use_counts,
)
from s2sad.rules.containers import EACH, GIVING, INSERTS, MAKES, made_items, makes_fixed, move_of, moves
from s2sad.rules.structures import Apart, Items, forward_items, made_of, parts, whole

Flat = dict[Function, Function]


def take_apart(function: Function, known: Flat) -> None:
    """Rewrite a function so that no tuple with a derivative crosses the border of a branch or loop, none that holds lists that of
    a call, and none stands in a list, or is used whole, that holds what is written. ``known``: callees rewritten before."""
    _rewrite(function, lambda op: _call(op, known) if isinstance(op, Call) else [op])
    forward_items(function, goes_by_items)
    _split_lists(function)
    _rewrite(function, lambda op: [op] if isinstance(op, Call) else _region(op))
    _Localise(function).run()


def _rewrite(function: Function, rewritten: Callable[[Op], list[Op]]) -> None:
    for block in [*blocks_of(function.body)]:
        block.ops = [new for op in block.ops for new in rewritten(op)]


def carries_derivative(kind: Kind) -> bool:
    """Test for tuples that may carry a derivative."""
    return isinstance(kind, Tuple) and is_differentiable(kind)


def holds_lists(kind: Kind) -> bool:
    """Test for a tuple with a list in it."""
    return isinstance(kind, Tuple) and any(isinstance(k, List) or holds_lists(k) for k in kind.items)


def of_numbers(kind: Kind) -> bool:
    """Test for a tuple of numbers alone."""
    return isinstance(kind, Tuple) and bool(kind.items) and all(isinstance(k, Scalar) for k in kind.items)


def goes_by_items(kind: Kind) -> bool:
    """Test for a tuple that calls pass item by item."""
    return of_numbers(kind) or holds_lists(kind)


def _sent(values: Sequence[Value], kinds: Sequence[Kind], apart: Apart, ops: list[Op]) -> list[Value]:
    return [part for value, kind in zip(values, kinds, strict=True) for part in parts(value, kind, apart, ops)]


def _received(values: Sequence[Value], kinds: Sequence[Kind], apart: Apart, ops: list[Op]) -> list[Value]:
    return [part for value, kind in zip(values, kinds, strict=True) for part in whole(value, kind, apart, ops)]


# --- the borders of branches and loops


def _region(op: Op) -> list[Op]:
    """A region that carries, and results in, items in place of tuples."""
    kinds = [result.kind for result in op.results]
    if not any(map(carries_derivative, kinds)):
        return [op]
    before: list[Op] = []
    after: list[Op] = []
    op.results = _received(op.results, kinds, carries_derivative, after)
    if isinstance(op, Loop):
        op.init = _sent(op.init, kinds, carries_derivative, before)
    for block in op.blocks():
        if not isinstance(op, Straight):
            start: list[Op] = []
            first = len(block.params) - len(kinds)
            block.params[first:] = _received(block.params[first:], kinds, carries_derivative, start)
            block.ops[:0] = start
        if not (isinstance(op, Loop) and block in op.tests):
            first = len(block.yields) - len(kinds)
            block.yields[first:] = _sent(block.yields[first:], kinds, carries_derivative, block.ops)
    return [*before, op, *after]


# --- the borders of calls


def _call(op: Call, known: Flat) -> list[Op]:
    """A call that passes, and gets, items in place of tuples that hold lists or numbers."""
    callee = op.callee
    if callee is None or not _concerns(callee):
        return [op]
    params, results = ([value.kind for value in values] for values in (callee.values, callee.body.yields))
    for kind, arg in zip(params, op.args, strict=True):
        if holds_lists(kind) and not isinstance(arg.kind, Tuple) and not isinstance(arg, LITERALS):
            raise UnsupportedSyntaxError(
                f"what is recorded in {callee.title} cannot be differentiated", location=op.primal or op.loc,
                why="how deep a recursion went is told by its tape alone, whose parts have no kinds of their own",
                instead="a loop, or hvp and hessian in forward mode (mode='fwd')",
            )  # fmt: skip
    before: list[Op] = []
    after: list[Op] = []
    args, results_now = _sent(op.args, params, goes_by_items, before), _received(op.results, results, goes_by_items, after)
    flat = known.get(callee) or _flattened(callee, known)
    return [*before, replace(op, args=args, results=results_now, callee=flat, target=flat.name), *after]


def _concerns(callee: Function) -> bool:
    """Test for tuples that go item by item: all but those of recursive functions which write into none of them."""
    given = {k for k, v in enumerate(callee.values) if goes_by_items(v.kind)}
    if not given and not any(goes_by_items(v.kind) for v in callee.body.yields):
        return False
    return not is_recursive(callee) or not given.isdisjoint(facts(callee).written_parameters())


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
        values = list(whole(p.value, p.value.kind, goes_by_items, start))
        params += [p] if values == [p.value] else map(Param, values)
    flat.params = params
    flat.body.ops[:0] = start
    forward_items(flat, goes_by_items)
    read = use_counts(flat)
    flat.body.ops = [op for op in flat.body.ops if op not in start or any(map(read.get, op.results))]
    yields = [list(parts(leaf, leaf.kind, goes_by_items, flat.body.ops)) for leaf in flat.body.yields]
    flat.returns = _widened(callee.returns, iter(map(len, yields)))
    flat.body.yields = [part for leaves in yields for part in leaves]
    return flat


def _places(callee: Function) -> Iterator[Path]:
    """Where in the parameters of a function those of its rewritten form stand, in their order."""

    def within(kind: Kind, path: Path) -> Iterator[Path]:
        if isinstance(kind, Tuple) and goes_by_items(kind):
            for k, inner in enumerate(kind.items):
                yield from within(inner, (*path, k))
        else:
            yield path

    for k, value in enumerate(callee.values):
        yield from within(value.kind, (k,))


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


# --- lists


def _split_lists(function: Function) -> None:
    """Split the lists of tuples that hold what is written, or numbers, are made here, and go nowhere else."""
    while candidates := list(_candidates(function)):
        aliases = Aliases(function)
        found = next((v for v in candidates if of_numbers(v.kind.inner[0]) or _holds_written(aliases, v)), None)
        if found is None:
            return
        _split(function, found)


def _candidates(function: Function) -> Iterator[Value]:
    """The lists of tuples that are made here, and only filled, emptied and looked at."""
    made = [op.result for op, move in moves(function, MAKES) if all(map(_is_row, move.put(op))) and _rows(op.result) is not None]
    if not made:
        return
    elsewhere = {v for block in blocks_of(function.body) for v in block.yields}
    for op in ops_of(function.body):
        for test in op.tests if isinstance(op, Loop) else ():
            elsewhere.difference_update(v for v in test.yields if v not in test.params)
    for op in ops_of(function.body):
        elsewhere.update(v for v in op.operands() if not (isinstance(op, Call) and _handled(op, v)))
    yield from (v for v in made if v not in elsewhere)


def _rows(items: Value) -> Tuple | None:
    kind = items.kind.item if isinstance(items.kind, List) and not items.kind.keyed else None
    if not isinstance(kind, Tuple) or kind.cls is not None or not kind.items:
        return None
    return kind if holds_references(Value(kind)) or of_numbers(kind) and is_differentiable(kind) else None


def _is_row(value: Value) -> bool:
    return isinstance(value.kind, Tuple) and (isinstance(value, Const) or not isinstance(value, LITERALS))


def _handled(op: Call, value: Value) -> bool:
    if op.callee is not None or not op.args or op.args[0] is not value or value in op.args[1:]:
        return False
    move = move_of(op)
    if move is None:
        return op.target == "builtins.len"
    if move.does == INSERTS:
        return all(map(_is_row, move.put(op)))
    return move.does in GIVING and move.place != EACH and isinstance(op.result.kind, Tuple)


def _holds_written(aliases: Aliases, items: Value) -> bool:
    node = aliases.node(items)
    return any(inner in aliases.written for inner in aliases.reach(node) - {node})


def _split(function: Function, items: Value) -> None:
    kind = _rows(items)
    assert kind is not None
    columns = [Value(List(k), f"{items.name}_{j}" if items.name else None) for j, k in enumerate(kind.items)]
    _rewrite(function, lambda op: _row(op, items, kind, columns) if isinstance(op, Call) and op.callee is None else [op])
    substitute_all(function.body, {items: columns[0]})  # how long they are, and whether there is anything
    forward_items(function)


def _row(op: Call, items: Value, kind: Tuple, columns: list[Value]) -> list[Op]:
    """The operations on a list of tuples, as they happen to the list of each of their items."""
    move = move_of(op)
    before: list[Op] = []
    after: list[Op] = []
    if op.results == [items]:
        assert move is not None
        rows = [_sent([row], [kind], lambda k: k is kind, before) for row in move.put(op)]
        return [*before, *(replace(op, args=[row[j] for row in rows], results=[column]) for j, column in enumerate(columns))]
    if move is None or not op.args or op.args[0] is not items:
        return [op]
    if move.does == INSERTS:
        taken = _sent(move.put(op), [kind], lambda k: k is kind, before)
        given: list[list[Value]] = [[Value(r.kind) for r in op.results] for _ in columns]
        args = [{0: column, move.items: value} for column, value in zip(columns, taken, strict=True)]
    else:
        given = [[value] for value in _received(op.results, [kind], lambda k: k is kind, after)]
        args = [{0: column} for column in columns]
    each = [replace(op, args=[t.get(k, v) for k, v in enumerate(op.args)], results=r) for t, r in zip(args, given, strict=True)]
    return [*before, *each, *after]


# --- what is used inside of branches and loops, and what is written


def _crosses(value: Value) -> bool:
    return carries_derivative(value.kind) and not isinstance(value, LITERALS)


def _written(function: Function) -> set[Value]:
    """The tuples that hold what the function writes into."""
    defined = [*function.values, *(v for block in blocks_of(function.body) for op in block.ops for v in op.results)]
    tuples = [v for v in defined if _crosses(v)]
    aliases = Aliases(function, split=True) if tuples else None
    return {v for v in tuples if aliases is not None and aliases.holds_written(v)}


class _Localise:
    """Gives each use inside a region, or of what is written, a tuple of its own, made of items from outside."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.written = _written(function)
        self.owner = owners(function)
        self.definer = definers(function)
        self.items: dict[Value, Items] = {}
        self.behind: dict[Op | Block, list[Op]] = {}  # what is inserted after an operation, or at the start of a block

    def run(self) -> None:
        """Rewrite all uses, then insert what takes the items out."""
        forward_items(self.function, lambda kind: False, self.known)
        for block in [*blocks_of(self.function.body)]:
            block.ops = [new for op in block.ops for new in self.rewritten(op, block)]
        body = self.function.body
        body.yields = [self.local(v, body, body.ops) for v in body.yields]
        for block in [*blocks_of(body)]:
            block.ops = [new for op in (*self.behind.get(block, []), *block.ops) for new in self.with_items(op)]

    def known(self, value: Value, op: Call) -> Items | None:
        """The items of a tuple that the block of an operation may only name the items of."""
        return self.items_of(value) if self.apart(value, self.owner[op.results[0]]) else None

    def with_items(self, op: Op) -> list[Op]:
        """An operation, and what takes its result apart; items that are tuples may be taken apart in turn."""
        return [op, *(new for inner in self.behind.get(op, []) for new in self.with_items(inner))]

    def rewritten(self, op: Op, block: Block) -> list[Op]:
        """An operation whose tuples from outside are replaced by local ones."""
        made: list[Op] = []
        local = {v: self.local(v, block, made) for v in op.operands()}
        substitute(op, lambda v: local[v])
        return [*made, op]

    def apart(self, value: Value, block: Block) -> bool:
        """Test for a tuple that a block may only name the items of."""
        return _crosses(value) and (self.owner[value] is not block or value in self.written)

    def local(self, value: Value, block: Block, made: list[Op]) -> Value:
        """A value, or a tuple of the same items, made in ``block``."""
        if not self.apart(value, block):
            return value
        assert isinstance(value.kind, Tuple)
        items = [self.local(v, block, made) for v in self.items_of(value).values()]
        made.append(made_of(value.kind, items, value.name))
        self.owner[made[-1].result] = block
        return made[-1].result

    def items_of(self, value: Value) -> Items:
        """The items of a tuple as values of the block that it belongs to."""
        if value not in self.items:
            definer = self.definer.get(value)
            if isinstance(definer, Call) and makes_fixed(definer):
                self.items[value] = made_items(definer)
            else:
                self.items[value] = self.taken(value, definer)
        return self.items[value]

    def taken(self, value: Value, definer: Op | None) -> Items:
        """The items that are taken out of a tuple behind what defines it."""
        assert isinstance(value.kind, Tuple)
        ops: list[Op] = []
        top = value.kind
        items = list(parts(value, top, lambda kind: kind is top, ops))
        self.behind.setdefault(definer or self.owner[value], []).extend(ops)
        self.owner.update(dict.fromkeys(items, self.owner[value]))
        self.definer.update(zip(items, ops, strict=True))
        if value in self.written:
            self.written.update(filter(_crosses, items))
        return dict(enumerate(items))
