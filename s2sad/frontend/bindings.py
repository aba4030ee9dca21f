"""The names of a module in its file's text: how often, where and how each is bound, and what is written into it.

Python binds names in many ways, at any time. A name has one meaning only if a single statement at the top level binds it,
whatever happens; all other ways are found here, so that they can be refused by name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

# What can bind any name of a module, or change any function, without saying which.
REFLECTION = {"exec", "eval", "globals", "__builtins__"}
OF_THE_MODULE = {"vars", "locals"}  # the same, where they are called at the top level
OF_FUNCTIONS = {"__code__", "__defaults__", "__kwdefaults__", "__closure__", "__globals__", "__builtins__", "f_globals"}
OF_MODULES = {"__dict__", "modules"}  # the same, of anything but what a function has of its own: self.__dict__
TEACHING = {"rule", "nondifferentiable"}  # functions of ours that say what the derivative of another function is
STORING = {"__setattr__", "__delattr__", "__setitem__", "__delitem__"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True)
class Binding:
    """A statement that binds a name; ``obstacle`` says why it does not count, if it does not."""

    line: int
    statement: ast.stmt | None = None
    obstacle: str = ""


@dataclass
class Names:
    """The names of a module."""

    bound: dict[str, list[Binding]] = field(default_factory=dict)
    written: dict[str, int] = field(default_factory=dict)  # names into whose objects something is stored, and the line
    teachers: set[str] = field(default_factory=lambda: {*TEACHING})  # the names of what gives rules to functions
    obstacle: str = ""  # why no name can be trusted

    def bind(self, name: str, line: int, statement: ast.stmt | None = None, obstacle: str = "") -> None:
        self.bound.setdefault(name, []).append(Binding(line, statement, obstacle))

    def distrust(self, line: int, what: str) -> None:
        self.obstacle = self.obstacle or f"{what} on line {line} may bind any name"


def names_of(tree: ast.Module) -> Names:
    """All that a module's text says about its names."""
    names = Names()
    for node in ast.walk(tree):
        names.teachers.update(_renamed(node))
    for statement in tree.body:
        plain = list(_plainly_bound(statement))
        for name, obstacle in plain:
            names.bind(name, statement.lineno, statement, obstacle)
        _Walk(names, [name for name, _ in plain]).visit(statement)
    _follow(names)
    return names


def _follow(names: Names) -> None:
    """The spread of writes: into one name they are into the others, too: those that it was made of, and all imports."""
    imported = [n for n, found in names.bound.items() if isinstance(found[0].statement, ast.Import | ast.ImportFrom)]
    waiting = list(names.written)
    while waiting:
        name = waiting.pop()
        statements = [binding.statement for binding in names.bound.get(name, [])]
        values = [s.value for s in statements if isinstance(s, ast.Assign | ast.AnnAssign) and s.value is not None]
        others = [root.id for root in map(_root, values) if isinstance(root, ast.Name)]
        if any(isinstance(s, ast.Import | ast.ImportFrom) for s in statements):
            others += imported
            imported = []
        for other in others:
            if other not in names.written:
                names.written[other] = names.written[name]
                waiting.append(other)


def _root(node: ast.expr) -> ast.expr:
    """The owner of an attribute or item in the end."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node


def _plainly_bound(statement: ast.stmt) -> Iterator[tuple[str, str]]:
    """The names that a statement of the top level binds whatever happens, and why that does not count."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        for item in statement.names:
            yield item.asname or item.name.partition(".")[0], ""
    elif isinstance(statement, ast.FunctionDef):
        yield statement.name, ""
    elif isinstance(statement, ast.AsyncFunctionDef):
        yield statement.name, "an async function"
    elif isinstance(statement, ast.ClassDef):
        yield statement.name, "a class, whose body would have to be executed"
    elif isinstance(statement, ast.Assign) and all(isinstance(t, ast.Name) for t in statement.targets):
        for target in statement.targets:
            yield target.id, ""  # type: ignore[attr-defined]
    elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        yield statement.target.id, "" if statement.value is not None else "declared and not bound"


class _Walk(ast.NodeVisitor):
    """Visits one statement of the top level with all that is in it. ``plain``: what it binds plainly itself.

    ``hidden`` are the names that the functions around bind themselves: what is done to those does not concern the module.
    """

    def __init__(self, names: Names, plain: list[str]) -> None:
        self.names = names
        self.plain = plain
        self.hidden: frozenset[str] = frozenset()
        self.inside = False  # of a function or class

    def _bind(self, name: str, line: int, how: str) -> None:
        if name in self.plain:
            self.plain.remove(name)  # seen already; a second time in the same statement counts
        elif name not in self.hidden and not self.inside:
            self.names.bind(name, line, None, how)

    # --- binding

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._bind(node.id, node.lineno, "bound by something else than a statement of its own")
        elif node.id in REFLECTION or node.id in OF_THE_MODULE and not self.inside:
            self.names.distrust(node.lineno, node.id)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for item in node.names:
            if item.name == "*":
                self.names.distrust(node.lineno, "the star import")
            self._bind(item.asname or item.name.partition(".")[0], node.lineno, "imported in a statement that need not run")

    visit_ImportFrom = visit_Import

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._bind(node.name, node.lineno, "bound to an exception")
        self.generic_visit(node)

    def _visit_capture(self, node: ast.MatchAs | ast.MatchStar) -> None:
        if node.name:
            self._bind(node.name, node.lineno, "bound by a pattern")
        self.generic_visit(node)

    visit_MatchAs = visit_MatchStar = _visit_capture

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self._bind(node.rest, node.lineno, "bound by a pattern")
        self.generic_visit(node)

    # --- writing into objects

    def _visit_place(self, node: ast.Attribute | ast.Subscript) -> None:
        root = _root(node)
        of_function = isinstance(root, ast.Name) and root.id in self.hidden
        if isinstance(node, ast.Attribute) and (node.attr in OF_FUNCTIONS or node.attr in OF_MODULES and not of_function):
            self.names.distrust(node.lineno, f".{node.attr}")
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            self._write(node)

    visit_Attribute = visit_Subscript = _visit_place

    def visit_Call(self, node: ast.Call) -> None:
        """``setattr(x, ...)``, ``x.__setattr__(...)`` and ``object.__setattr__(x, ...)`` write into x, as ``rule(x, ...)``."""
        if isinstance(node.func, ast.Name) and node.func.id in ("setattr", "delattr") and node.args:
            self._write(node.args[0])
        if isinstance(node.func, ast.Attribute) and node.func.attr in STORING:
            for part in (node.func.value, *node.args[:1]):
                self._write(part)
        called = node.func
        while isinstance(called, ast.Call):  # rule(vjp=...)(x)
            called = called.func
        teaches = getattr(called, "attr", getattr(called, "id", "")) in self.names.teachers
        if teaches and node.args and isinstance(_root(node.args[0]), ast.Name):
            self._write(node.args[0])
        self.generic_visit(node)

    def _write(self, node: ast.expr) -> None:
        root = _root(node)
        if not isinstance(root, ast.Name):
            if not self.inside:
                self.names.distrust(node.lineno, "the assignment to what an expression gives")
        elif root.id not in self.hidden:
            self.names.written.setdefault(root.id, node.lineno)

    # --- scopes

    def _visit_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        if not isinstance(node, ast.Lambda):
            self._bind(node.name, node.lineno, "defined in a statement that need not run")
            for decorator in node.decorator_list:
                self.visit(decorator)
            if node.returns is not None:
                self.visit(node.returns)
        self.visit(node.args)
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        own = _bound_within(body)
        asked = _declared(body)
        parameters = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
        for name in sorted(own & asked):
            self.names.bind(name, node.lineno, None, "bound by a function that declares it global")
        self._within(body, (own - asked) | parameters)

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _visit_function

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._bind(node.name, node.lineno, "a class")
        for part in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(part)
        own, asked = _bound_within(node.body), _declared(node.body)
        for name in sorted(own & asked):
            self.names.bind(name, node.lineno, None, "bound by a class that declares it global")
        self._within(node.body, set())  # its own names hide nothing from its methods

    def _visit_comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        targets = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        walruses = [n for n in ast.walk(node) if isinstance(n, ast.NamedExpr)]
        for walrus in walruses:
            self._bind(walrus.target.id, walrus.lineno, "bound by := in a comprehension")
        self._within([*node.generators, *_items(node)], targets - {w.target.id for w in walruses})

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension

    def _within(self, parts: Iterable[ast.AST], hidden: set[str]) -> None:
        saved = self.hidden, self.inside
        self.hidden, self.inside = self.hidden | hidden, True
        for part in parts:
            self.visit(part)
        self.hidden, self.inside = saved


def _renamed(node: ast.AST) -> Iterator[str]:
    """Further names for what gives rules: ``from s2sad import rule as teach``, ``teach = s2sad.rule``."""
    if isinstance(node, ast.ImportFrom):
        yield from (item.asname for item in node.names if item.asname and item.name in TEACHING)
    if isinstance(node, ast.Assign) and getattr(node.value, "attr", getattr(node.value, "id", "")) in TEACHING:
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _items(node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> list[ast.expr]:
    return [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]


def _own_nodes(body: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """The nodes of a function's body that belong to its own scope; definitions themselves, but not what is in them."""
    stack: list[ast.AST] = list(body)
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, COMPREHENSIONS):
            stack += [n for n in ast.walk(node) if isinstance(n, ast.NamedExpr)]
            continue
        stack += ast.iter_child_nodes(node)


def _bound_within(body: Sequence[ast.AST]) -> set[str]:
    """The names that a function's body binds, those that it declares global included."""
    found: set[str] = set()
    for node in _own_nodes(body):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.NamedExpr):
            found.add(node.target.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {item.asname or item.name.partition(".")[0] for item in node.names}
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.add(node.rest)
    return found


def _declared(body: Sequence[ast.AST]) -> set[str]:
    return {name for node in _own_nodes(body) if isinstance(node, ast.Global) for name in node.names}
