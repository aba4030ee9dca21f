"""The readings of local names that some path to them has not bound: Python raises UnboundLocalError there.

A forward data-flow analysis of definite assignment (Aho, Lam, Sethi, Ullman, "Compilers", 9.2.5) over a function as it is
written. What it finds is only asked about: where lowering knows that the name is bound, no question is left in the program.

Arithmetic on an unbound name fails by itself, as it stands for None in the program: such readings are not among them, but of
names that are deleted, which may be there in what the program becomes, and of those in a ``try``, where it counts what fails.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import NamedTuple

import gast

FAILS_ON_NONE = (gast.Add, gast.Sub, gast.Mult, gast.Div, gast.FloorDiv, gast.Pow, gast.MatMult)
ORDERED = (gast.Lt, gast.LtE, gast.Gt, gast.GtE)
COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
DEFINITIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)

Bound = frozenset[str] | None  # the names that are certainly bound; None where no path comes to


class Reading(NamedTuple):
    """A reading of a name, by its place in the source."""

    name: str
    line: int
    column: int


def reading(node: gast.Name) -> Reading:
    """The place of a name in an expression."""
    return Reading(node.id, getattr(node, "lineno", 0), getattr(node, "col_offset", 0))


@functools.lru_cache(maxsize=4096)
def loose_readings(definition: gast.FunctionDef) -> frozenset[Reading]:
    """The readings of a function's own names, in it and in functions within it, of names that some path has not bound."""
    return frozenset(_Flow(definition).found)


def _meet(states: Iterable[Bound]) -> Bound:
    known = [state for state in states if state is not None]
    return frozenset.intersection(*known) if known else None


def _stored(tree: gast.AST) -> Iterable[str]:
    """The names that a function binds or deletes, functions within it apart."""
    for child in gast.iter_child_nodes(tree):
        if isinstance(child, gast.Name) and not isinstance(child.ctx, gast.Load):
            yield child.id
        if isinstance(child, gast.pattern):
            yield from _captured(child)
        if isinstance(child, DEFINITIONS):
            yield child.name
        elif isinstance(child, gast.alias):
            yield (child.asname or child.name).partition(".")[0]
        elif not isinstance(child, gast.Lambda):
            yield from _stored(child)


def _declarations(tree: gast.AST) -> Iterable[gast.Global | gast.Nonlocal]:
    """What says that names are another function's; in functions within, that one's names may be this one's."""
    if isinstance(tree, gast.Global | gast.Nonlocal):
        yield tree
    elif not isinstance(tree, DEFINITIONS):
        for child in gast.iter_child_nodes(tree):
            yield from _declarations(child)


def _deleted(body: list[gast.stmt]) -> Iterable[str]:
    """The names that statements delete."""
    for node in (inner for statement in body for inner in gast.walk(statement)):
        if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Del):
            yield node.id


def _captured(pattern: gast.pattern) -> list[str]:
    """The names that a pattern binds itself."""
    return [name for field in ("name", "rest") if isinstance(name := getattr(pattern, field, None), str)]


def _iterates(node: gast.expr) -> bool:
    """Test for what a loop certainly takes an item from."""
    if isinstance(node, gast.Tuple | gast.List):
        return any(not isinstance(item, gast.Starred) for item in node.elts)
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id == "range" and len(node.args) == 1:
        count = node.args[0]
        return isinstance(count, gast.Constant) and isinstance(count.value, int) and count.value > 0
    return False


class _Flow:
    """One function; ``bound`` holds at the point that the walk has reached."""

    def __init__(self, definition: gast.FunctionDef) -> None:
        declared = [node for statement in definition.body for node in _declarations(statement)]
        mine = {name for statement in definition.body for name in _stored(gast.Module([statement], []))}
        self.names = mine - {name for node in declared for name in node.names}
        self.deleted = set(_deleted(definition.body))
        functions = (node for statement in definition.body for node in gast.walk(statement) if isinstance(node, DEFINITIONS))
        self.unsure = {name for function in functions for name in _deleted(function.body)}  # by calls that the walk does not see
        self.found: set[Reading] = set()
        self.tried = 0  # how many attempts are around
        self.loops: list[tuple[list[Bound], list[Bound]]] = []  # where continue and break come from
        a = definition.args
        every = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, [a.vararg, a.kwarg])]
        self.bound: Bound = frozenset(p.id for p in every)
        self.own = self.names | self.bound
        if self.names:
            self.block(definition.body)

    # --- names

    def bind(self, *names: str) -> None:
        if self.bound is not None:
            self.bound |= {*names}

    def read(self, node: gast.Name, fails: bool = False) -> None:
        """A reading; behind it the name is bound, or nobody comes there."""
        if node.id in self.names and self.bound is not None and (node.id not in self.bound or node.id in self.unsure):
            if not fails or node.id in self.deleted or self.tried:
                self.found.add(reading(node))
            self.bind(node.id)

    # --- expressions

    def expression(self, node: gast.AST | None, fails: bool = False) -> None:
        """An expression; ``fails``: what is done with it fails where it is None."""
        if node is None:
            return
        method = getattr(self, f"_{type(node).__name__}", None)
        if isinstance(node, gast.Name):
            self.target(node) if not isinstance(node.ctx, gast.Load) else self.read(node, fails)
        elif isinstance(node, COMPREHENSIONS):
            self.comprehension(node)
        elif method is not None:
            method(node)
        else:
            for child in gast.iter_child_nodes(node):
                self.expression(child)

    def one_of(self, *ways: Iterable[gast.AST | None]) -> None:
        """Expressions of which those of one way are evaluated."""
        before, ends = self.bound, []
        for way in ways:
            self.bound = before
            for node in way:
                self.expression(node)
            ends.append(self.bound)
        self.bound = _meet(ends)

    def _BinOp(self, node: gast.BinOp) -> None:
        fails = isinstance(node.op, FAILS_ON_NONE)
        self.expression(node.left, fails)
        self.expression(node.right, fails)

    def _UnaryOp(self, node: gast.UnaryOp) -> None:
        self.expression(node.operand, not isinstance(node.op, gast.Not))

    def _Compare(self, node: gast.Compare) -> None:
        fails = isinstance(node.ops[0], ORDERED)
        self.expression(node.left, fails)
        self.expression(node.comparators[0], fails)
        self.one_of(node.comparators[1:], ())

    def _BoolOp(self, node: gast.BoolOp) -> None:
        self.expression(node.values[0])
        self.one_of(node.values[1:], ())

    def _IfExp(self, node: gast.IfExp) -> None:
        self.expression(node.test)
        self.one_of([node.body], [node.orelse])

    def _Subscript(self, node: gast.Subscript) -> None:
        self.expression(node.value, True)
        self.expression(node.slice)

    def _NamedExpr(self, node: gast.NamedExpr) -> None:
        self.expression(node.value)
        self.target(node.target)

    def _Lambda(self, node: gast.Lambda) -> None:
        self.function(node, [node.body])

    def comprehension(self, node: gast.AST) -> None:
        """A comprehension: its variables are its own, and so is what it reads but for the first iterable."""
        self.expression(node.generators[0].iter, True)
        before = self.bound
        for generator in node.generators:
            self.target(generator.target)
            if generator is not node.generators[0]:
                self.expression(generator.iter, True)
            for test in generator.ifs:
                self.expression(test)
        for field in ("key", "value", "elt"):
            self.expression(getattr(node, field, None))
        self.bound = before

    def function(self, node: gast.AST, body: list[gast.AST]) -> None:
        """A function within this one: what it reads of this one's names is asked for where it is called."""
        self.arguments(node.args)
        own = {p.id for p in gast.walk(node.args) if isinstance(p, gast.Name) and isinstance(p.ctx, gast.Param)}
        own |= {name for part in body for name in _stored(gast.Module([part], []))}
        for part in (inner for statement in body for inner in gast.walk(statement)):
            if isinstance(part, gast.Name) and isinstance(part.ctx, gast.Load) and part.id not in own:
                before = self.bound
                self.read(part)
                self.bound = before

    def arguments(self, node: gast.arguments) -> None:
        for default in [*node.defaults, *node.kw_defaults]:
            self.expression(default)

    def target(self, node: gast.AST) -> None:
        """What is assigned to, or deleted."""
        if not isinstance(node, gast.Name):
            self.expression(node)
        elif isinstance(node.ctx, gast.Del):
            self.read(node)
            self.bound = None if self.bound is None else self.bound - {node.id}
        else:
            self.bind(node.id)

    # --- statements

    def block(self, body: list[gast.stmt]) -> None:
        for statement in body:
            if self.bound is None:
                return
            getattr(self, f"_{type(statement).__name__}", self.expression)(statement)

    def _Assign(self, node: gast.Assign) -> None:
        self.expression(node.value)
        for target in node.targets:
            self.target(target)

    def _AnnAssign(self, node: gast.AnnAssign) -> None:
        if node.value is not None:
            self.expression(node.value)
            self.target(node.target)

    def _AugAssign(self, node: gast.AugAssign) -> None:
        fails = isinstance(node.op, FAILS_ON_NONE)
        self.read(node.target, fails) if isinstance(node.target, gast.Name) else self.expression(node.target)
        self.expression(node.value, fails)

    def _If(self, node: gast.If) -> None:
        self.expression(node.test)
        before = self.bound
        self.block(node.body)
        then, self.bound = self.bound, before
        self.block(node.orelse)
        self.bound = _meet([then, self.bound])

    def _For(self, node: gast.For) -> None:
        self.expression(node.iter, True)
        self.loop(node, lambda: self.target(node.target), endless=False)

    def _While(self, node: gast.While) -> None:
        endless = isinstance(node.test, gast.Constant) and bool(node.test.value)
        self.loop(node, lambda: self.expression(node.test), endless)

    def loop(self, node: gast.For | gast.While, begin: Callable[[], None], endless: bool) -> None:
        """A loop: an iteration begins as the program comes to it, or as another one ends."""
        entry = self.bound
        while True:
            self.loops.append(([], []))
            self.bound = entry
            begin()
            asked = self.bound
            self.block(node.body)
            continues, breaks = self.loops.pop()
            again = _meet([entry, self.bound, *continues])
            if again == entry:
                break
            entry = again
        if isinstance(node, gast.For):
            certain = _iterates(node.iter) and "range" not in self.own
            self.bound = _meet([self.bound, *continues]) if certain else entry
        else:
            self.bound = None if endless else asked
        self.block(node.orelse)
        self.bound = _meet([self.bound, *breaks])

    def _Continue(self, node: gast.Continue) -> None:
        self.leave(0)

    def _Break(self, node: gast.Break) -> None:
        self.leave(1)

    def leave(self, way: int) -> None:
        if self.loops:
            self.loops[-1][way].append(self.bound)
        self.bound = None

    def _Return(self, node: gast.Return) -> None:
        self.expression(node.value)
        self.bound = None

    def _Raise(self, node: gast.Raise) -> None:
        self.expression(node.exc)
        self.expression(node.cause)
        self.bound = None

    def _With(self, node: gast.With) -> None:
        """A context, which may go on behind an exception of its body."""
        for item in node.items:
            self.expression(item.context_expr)
            if item.optional_vars is not None:
                self.target(item.optional_vars)
        before = self.partly(node.body)
        self.block(node.body)
        self.bound = before if self.bound is None else _meet([before, self.bound])

    def partly(self, body: list[gast.stmt]) -> Bound:
        """The names bound wherever statements that follow are left."""
        return None if self.bound is None else self.bound.difference(_deleted(body))

    def _Try(self, node: gast.Try) -> None:
        failed = self.partly(node.body)
        self.tried += bool(node.handlers)
        self.block(node.body)
        self.tried -= bool(node.handlers)
        self.block(node.orelse)
        ends = [self.bound]
        for handler in node.handlers:
            self.bound = failed
            self.expression(handler.type)
            own = {handler.name.id} if isinstance(handler.name, gast.Name) else set[str]()
            self.bind(*own)
            self.block(handler.body)
            ends.append(None if self.bound is None else self.bound - own)
        end, self.bound = _meet(ends), failed
        self.block(node.finalbody)
        behind = self.bound
        self.bound = None if end is None or behind is None else end | behind

    _TryStar = _Try

    def _FunctionDef(self, node: gast.FunctionDef) -> None:
        for decorator in node.decorator_list:
            self.expression(decorator)
        self.function(node, node.body)
        self.bind(node.name)

    _AsyncFunctionDef = _FunctionDef

    def _ClassDef(self, node: gast.ClassDef) -> None:
        for base in [*node.decorator_list, *node.bases]:
            self.expression(base)
        self.bind(node.name)

    def _Import(self, node: gast.Import) -> None:
        self.bind(*((item.asname or item.name).partition(".")[0] for item in node.names))

    _ImportFrom = _Import

    def _Match(self, node: gast.Match) -> None:
        self.expression(node.subject)
        before, ends = self.bound, []
        for case in node.cases:
            self.bound = before
            for part in gast.walk(case.pattern):
                self.bind(*_captured(part))
            self.expression(case.guard)
            self.block(case.body)
            ends.append(self.bound)
        last = node.cases[-1]
        anyway = isinstance(last.pattern, gast.MatchAs) and last.pattern.pattern is None and last.guard is None
        self.bound = _meet(ends if anyway else [before, *ends])
