"""Small changes of programs, as data: each makes another program of one, which nobody has written and somebody might.

``mutate(random, tree, functions)`` changes some functions of a module in place and says what it did. Templates have ``{}`` where
the expression stood, ``{a}`` and ``{b}`` for names of the function, and ``{body}`` for statements.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

Function = ast.FunctionDef
HELPER = "def handed(v):\n    return v\n\n\ndef written_once(v):\n    w = v\n    w *= 1.5\n    return w\n"
# What an expression becomes.
WRAPPED = (
    "[{}][0]", "({}, 1.0)[0]", "[1.0, {}][-1]", "{{'k': {}}}['k']", "(lambda v: v)({})", "(lambda: {})()", "handed({})",
    "written_once({})", "[{}]", "({},)", "np.asarray({})", "np.array([{}, {}])", "({} + 0.0)", "float({})", "list({})",
    "tuple({})",
    "np.copy({})", "({}).copy()", "(-({}))", "(not {})", "({})[0]", "({})[-1]", "({})[1:]", "({})[::-1]", "({})[:, None]",
    "({})[None]",
    "({}).T", "np.sum({})", "np.ravel({})", "np.atleast_1d({})", "abs({})", "max({}, {a})", "({} if {a} is not None else {b})",
    "({a} if {a} is {b} else {})", "({} or {a})", "({} and {a})", "(w_ := {})", "[v for v in {}]", "sum([{}, {a}])",
    "next(iter([{}]))",
    "int({})", "np.float32({})", "np.where({} > 0.3, {}, {a})", "(*[{}],)[0]", "dict(k={})['k']", "[{}, {a}].pop(0)",
    "np.real({})",
    "[[{}], [{a}]][0][0]", "(lambda v, w={a}: v)({})", "(lambda *v: v[0])({}, {b})", "np.squeeze({})", "({}).tolist()",
    "({}).astype(np.float32)",
    "list(map(handed, [{}]))[0]", "(({}) * {a})", "(({}) @ {a})", "(1j * {}).imag", "np.clip({}, -0.8, 0.9)",
    "sorted([{}, {a}])[0]",
)  # fmt: skip
# What stands in place of an expression.
LITERALS = ("0", "1", "2", "-1", "0.0", "1.5", "None", "True", "[]", "()", "{{}}", "''", "2j", "np.zeros(3)", "np.zeros(0)",
            "np.int64(2)",
            "np.float32(0.7)", "np.array(0.7)", "slice(None)", "...", "np.nan", "[1.0, 2.0, 3.0]", "{a}", "{b}", "len({a})",
            "{a}[0]")  # fmt: skip
INDICES = (
    "0", "-1", "1", "2", ":", "1:", ":-1", "::-1", "::2", "...", "None", "[0, 0]", "[1, 0]", "5", "{a}", "{a} > 0.4", "0.0",
    "True", "(0, 1)", "'k'",
)  # fmt: skip
STATEMENTS = (
    "{a} = {b}", "{a} = {b} = {b} * 2.0", "{a} *= 2.0", "{a} += {b}", "{a} = {a} + {b}", "{a}[0] = {b}", "{a}[:] = {b}",
    "{a}[0] += 0.5",
    "{a}[1:] *= {b}", "{a}.append({b})", "{a}.pop()", "del {a}", "return {a}", "return", "return {a}, {b}",
    "raise ValueError('stop')",
    "if {a} is None:\n    return {b}", "{a}, {b} = {b}, {a}", "{a} = {a}[1:]", "{a} = [{a}, {b}]", "np.sin({a}, out={a})",
    "assert {a} is not {b}",
    "break", "continue", "{a} = None", "{a} = {a}.copy()", "{a}.sort()", "{a}[-1], {a}[0] = {a}[0], {a}[-1]",
    "{a}[:] = {a}[::-1]",
    "def inner_():\n    nonlocal {a}\n    {a} = {a} * 1.5\n\ninner_()",
    "def inner_(v):\n    v += {b}\n    return v\n\n{a} = inner_({a})",
    "for q_ in {a}:\n    {b} = {b} + q_", "for k_ in range(2):\n    {a} = {a} * {b}",
    "while np.sum({a}) < 2.0:\n    {a} = {a} + 0.7",
    "kept_ = {a}\n{a} *= 1.1\n{b} = kept_", "{a} = {{'u': {a}, 'v': {b}}}",
    "with np.errstate(all='ignore'):\n    {a} = np.sqrt({a})",
    "try:\n    {a} = {b}[7]\nexcept (IndexError, TypeError):\n    {a} = {b} * 3.0", "print({a})", "{a}.fill({b})",
    "{a}.update({b})", "{a}.extend([{b}])",
    "{a}.insert(0, {b})", "np.add.at({a}, [0, 0], 0.5)", "{a} -= {a}", "{a} = {a} if {b} is None else {b}",
    "{a} = np.atleast_1d({a})",
)  # fmt: skip
# Where statements stand.
AROUND = (
    "if True:\n{body}", "if {a} is not None:\n{body}", "if np.sum({a}) > 0.5:\n{body}",
    "if np.sum({a}) > 0.5:\n    pass\nelse:\n{body}",
    "for _ in range(1):\n{body}", "for _ in range(2):\n{body}", "for a_ in [{a}, {b}]:\n{body}", "while True:\n{body}\n    break",
    "try:\n{body}\nexcept ValueError:\n    pass", "try:\n{body}\nexcept Exception:\n    {a} = {b}",
    "try:\n{body}\nfinally:\n    {a} = {a}",
    "for _ in []:\n{body}", "with np.errstate(all='ignore'):\n{body}", "for _ in range(2):\n{body}\nelse:\n    {a} = {b}",
    "match {a}:\n    case None:\n        pass\n    case _:\n{body2}",
    "for k_ in range(3):\n    if k_ == 1:\n        continue\n{body}",
    "def inner_():\n{body}\n\ninner_()",
)  # fmt: skip
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.MatMult, ast.Mod, ast.FloorDiv)
COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)
# Names that may stand for each other: of functions, methods and attributes.
FAMILIES = (
    ("sin", "cos", "tanh", "exp", "log", "sqrt", "abs", "negative", "square", "sign", "floor"),
    ("sum", "mean", "max", "min", "prod", "cumsum", "std", "any", "argmax", "linalg.norm"),
    ("zeros", "ones", "empty"), ("zeros_like", "ones_like", "empty_like", "copy", "asarray", "array", "ravel", "atleast_1d"),
    ("maximum", "minimum", "add", "multiply", "hypot", "arctan2", "subtract", "power"),
    ("dot", "outer", "inner", "vdot", "matmul", "cross"),
    ("append", "remove", "extend", "insert", "count", "index"), ("pop", "popleft", "clear", "copy", "reverse", "sort"),
    ("keys", "values", "items", "copy"), ("T", "real", "imag", "shape", "size", "ndim", "flat"),
    ("concatenate", "stack", "hstack", "vstack"),
    ("ravel", "flatten", "copy", "squeeze", "transpose", "tolist"),
    ("range", "list", "tuple", "sorted", "reversed", "enumerate", "len", "iter"),
)  # fmt: skip


@dataclass
class Place:
    """Where a node stands in a tree."""

    holder: Any
    name: str
    at: int | None

    @property
    def node(self) -> Any:
        value = getattr(self.holder, self.name)
        return value if self.at is None else value[self.at]

    def put(self, node: ast.AST) -> None:
        if self.at is None:
            setattr(self.holder, self.name, node)
        else:
            getattr(self.holder, self.name)[self.at] = node


def places(tree: ast.AST) -> Iterator[Place]:
    """All nodes under one, but for annotations, decorators, patterns and parts of texts."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "pattern", "ops", "op", "ctx", "type"):
            continue
        for at, item in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(item, ast.AST):
                yield Place(tree, name, at)
                if not isinstance(item, ast.JoinedStr):
                    yield from places(item)


def expressions(f: Function) -> list[Place]:
    """The expressions of a function that are read."""
    return [
        p for p in places(f)
        if isinstance(p.node, ast.expr) and not isinstance(p.node, ast.Slice | ast.Starred)
        and isinstance(getattr(p.node, "ctx", ast.Load()), ast.Load)
        and not (isinstance(p.node, ast.Tuple) and any(isinstance(item, ast.Slice) for item in p.node.elts))
    ]  # fmt: skip


def blocks(f: Function) -> list[list[ast.stmt]]:
    """The lists of statements of a function."""
    found = [f.body]
    for node in ast.walk(f):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and block is not f.body:
                found.append(block)
    return found


def names(f: Function) -> list[str]:
    """The names of a function's parameters and variables."""
    stored = [n.id for n in ast.walk(f) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return sorted({*(a.arg for a in ast.walk(f) if isinstance(a, ast.arg)), *stored})


def filled(template: str, random: Random, f: Function, *nodes: ast.AST, **texts: str) -> str:
    """A template with an expression, names and statements in it."""
    a, b = (random.choice(names(f) or ["x"]) for _ in range(2))
    text = ast.unparse(nodes[0]) if nodes else ""
    return template.format(*[text] * template.count("{}"), a=a, b=b, **texts)


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def put_in(random: Random, f: Function, templates: tuple[str, ...], kinds: Any = ast.expr) -> bool:
    """One expression of these kinds, replaced by what a template makes of it."""
    found = [p for p in expressions(f) if isinstance(p.node, kinds)]
    if not found:
        return False
    place = random.choice(found)
    place.put(expression(filled(random.choice(templates), random, f, place.node)))
    return True


def block_of(random: Random, f: Function, least: int = 1) -> list[ast.stmt] | None:
    found = [block for block in blocks(f) if len(block) >= least]
    return random.choice(found) if found else None


# --- the mutations


def swap_statements(random: Random, f: Function) -> bool:
    block = block_of(random, f, 2)
    if block is None:
        return False
    k = random.randrange(len(block) - 1)
    block[k], block[k + 1] = block[k + 1], block[k]
    return True


def delete_statement(random: Random, f: Function) -> bool:
    block = block_of(random, f)
    assert block is not None
    block[random.randrange(len(block))] = ast.Pass()
    return True


def duplicate_statement(random: Random, f: Function) -> bool:
    block = block_of(random, f)
    assert block is not None
    k = random.randrange(len(block))
    block.insert(random.randrange(len(block) + 1), ast.parse(ast.unparse(block[k])).body[0])
    return True


def insert_statement(random: Random, f: Function) -> bool:
    block = block_of(random, f)
    assert block is not None
    k = random.randrange(len(block) + 1)
    block[k:k] = ast.parse(filled(random.choice(STATEMENTS), random, f)).body
    return True


def surround(random: Random, f: Function) -> bool:
    """Statements, moved into an ``if``, a loop or an attempt."""
    block = block_of(random, f)
    assert block is not None
    k = random.randrange(len(block))
    end = random.randrange(k + 1, min(len(block), k + 3) + 1)
    text = "\n".join(map(ast.unparse, block[k:end]))
    inside = {"body": textwrap.indent(text, "    "), "body2": textwrap.indent(text, " " * 8)}
    block[k:end] = ast.parse(filled(random.choice(AROUND), random, f, **inside)).body
    return True


def move_out(random: Random, f: Function) -> bool:
    """A statement of an inner block, moved before or behind what holds it."""
    found = [
        (block, k, inner)
        for block in blocks(f) for k, s in enumerate(block) if not isinstance(s, Function | ast.ClassDef)
        for name in ("body", "orelse") if (inner := getattr(s, name, None))
    ]  # fmt: skip
    if not found:
        return False
    block, k, inner = random.choice(found)
    at = random.randrange(len(inner))
    statement, inner[at] = inner[at], ast.Pass()
    block.insert(k + random.randrange(2), statement)
    return True


def drop_return(random: Random, f: Function) -> bool:
    found = [(block, k) for block in blocks(f) for k, s in enumerate(block) if isinstance(s, ast.Return)]
    if not found:
        return False
    block, k = random.choice(found)
    value = getattr(block[k], "value", None)
    block[k] = ast.Expr(value) if value is not None else ast.Pass()
    return True


def rename(random: Random, f: Function) -> bool:
    return put_in(random, f, ("{a}",), ast.Name)


def rename_target(random: Random, f: Function) -> bool:
    found = [n for n in ast.walk(f) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    if not found:
        return False
    random.choice(found).id = random.choice(names(f))
    return True


def change_operator(random: Random, f: Function) -> bool:
    found = [n for n in ast.walk(f) if isinstance(n, ast.BinOp | ast.AugAssign | ast.Compare | ast.BoolOp)]
    if not found:
        return False
    node: Any = random.choice(found)
    if isinstance(node, ast.Compare):
        node.ops[random.randrange(len(node.ops))] = random.choice(COMPARISONS)()
    else:
        node.op = random.choice((ast.And, ast.Or) if isinstance(node, ast.BoolOp) else ARITHMETIC)()
    return True


def change_constant(random: Random, f: Function) -> bool:
    return put_in(random, f, ("({} + 1)", "(-{})", "({} * 0.5)", "({} - 1)", "{a}", *LITERALS), ast.Constant)


def change_index(random: Random, f: Function) -> bool:
    found = [n for n in ast.walk(f) if isinstance(n, ast.Subscript)]
    if not found:
        return False
    node = random.choice(found)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) and node.slice.elts else None
    made: Any = expression(f"x[{filled(random.choice(INDICES), random, f)}]")
    if parts is not None and random.random() < 0.7:
        parts[random.randrange(len(parts))] = made.slice
    else:
        node.slice = made.slice
    return True


def change_bound(random: Random, f: Function) -> bool:
    found = [n for n in ast.walk(f) if isinstance(n, ast.Slice)]
    if not found:
        return False
    bounds: Any = (None, "0", "1", "-1", "2", "-2", "{a}", "len({a})", "1.0")
    chosen = random.choice(bounds)
    setattr(random.choice(found), random.choice(("lower", "upper", "step")), chosen and expression(filled(chosen, random, f)))
    return True


def change_argument(random: Random, f: Function) -> bool:
    found = [n for n in ast.walk(f) if isinstance(n, ast.Call) and n.args]
    if not found:
        return False
    node = random.choice(found)
    k = random.randrange(len(node.args))
    way = random.randrange(4)
    if way == 0:
        del node.args[k]
    elif way == 1:
        node.args.insert(k, expression(filled(random.choice(LITERALS), random, f)))
    elif way == 2:
        node.args[k], node.args[0] = node.args[0], node.args[k]
    else:
        node.args[k] = expression(filled(random.choice(LITERALS), random, f))
    return True


def change_callee(random: Random, f: Function) -> bool:
    """A function, method or attribute, replaced by another of its family."""
    found = [
        (n, family) for n in ast.walk(f) for family in FAMILIES
        if (n.attr if isinstance(n, ast.Attribute) else n.id if isinstance(n, ast.Name) else "") in family
    ]  # fmt: skip
    if not found:
        return False
    node, family = random.choice(found)
    setattr(node, "attr" if isinstance(node, ast.Attribute) else "id", random.choice(family))
    return True


def augment(random: Random, f: Function) -> bool:
    """``x = x + y`` to ``x += y``."""
    found = [
        (block, k) for block in blocks(f) for k, s in enumerate(block)
        if isinstance(s, ast.Assign) and isinstance(s.value, ast.BinOp) and len(s.targets) == 1
        and not isinstance(s.targets[0], ast.Tuple | ast.List | ast.Starred)
    ]  # fmt: skip
    if not found:
        return False
    block, k = random.choice(found)
    statement: Any = block[k]
    block[k] = ast.AugAssign(statement.targets[0], statement.value.op, statement.value.right)
    return True


def unaugment(random: Random, f: Function) -> bool:
    """``x += y`` to ``x = x + y``."""
    found = [(block, k) for block in blocks(f) for k, s in enumerate(block) if isinstance(s, ast.AugAssign)]
    if not found:
        return False
    block, k = random.choice(found)
    statement: Any = block[k]
    read = expression(ast.unparse(statement.target))
    block[k] = ast.Assign([statement.target], ast.BinOp(read, statement.op, statement.value), lineno=0)
    return True


def alias(random: Random, f: Function) -> bool:
    """A second name of a variable, which is read in place of it somewhere behind."""
    name = random.choice(names(f) or ["x"])
    block = block_of(random, f)
    assert block is not None
    k = random.randrange(len(block))
    block.insert(k, ast.parse(f"twin_ = {name}").body[0])
    found = [p for p in expressions(f) if isinstance(p.node, ast.Name) and p.node.id == name and p.holder is not block[k]]
    if found:
        random.choice(found).put(ast.Name("twin_", ast.Load()))
    return True


def wrap(random: Random, f: Function) -> bool:
    return put_in(random, f, WRAPPED)


def replace(random: Random, f: Function) -> bool:
    return put_in(random, f, LITERALS)


def exchange(random: Random, f: Function) -> bool:
    """Two expressions, exchanged."""
    found = [p for p in expressions(f) if not isinstance(p.node, ast.Constant)]
    if len(found) < 2:
        return False
    one, other = random.sample(found, 2)
    first, second = expression(ast.unparse(one.node)), expression(ast.unparse(other.node))
    one.put(second)
    other.put(first)
    return True


MUTATIONS: tuple[tuple[Callable[[Random, Function], bool], int], ...] = (  # with how often each is made
    (swap_statements, 3), (delete_statement, 3), (duplicate_statement, 3), (insert_statement, 6), (surround, 5), (move_out, 3),
    (drop_return, 1), (rename, 4), (rename_target, 2), (change_operator, 2), (change_constant, 2), (change_index, 4),
    (change_bound, 2),
    (change_argument, 3), (change_callee, 2), (augment, 3), (unaugment, 2), (alias, 4), (wrap, 8), (replace, 3), (exchange, 2),
)  # fmt: skip


def mutate(random: Random, tree: ast.Module, functions: list[Function], count: int) -> list[str]:
    """What was changed in a module: so many mutations of some of its functions."""
    made: list[str] = []
    ways, weights = zip(*MUTATIONS, strict=True)
    while len(made) < count:
        f, way = random.choice(functions), random.choices(ways, weights)[0]
        if way(random, f):
            made.append(f"{way.__name__} in {f.name}")
    return made
