"""Syntax trees as text that reads as if a person had written it.

    BinOp(Name("x"), Mult(), BinOp(Name("y"), Add(), Name("z")))    ->    x * (y + z)
    Subscript(Name("x"), Tuple([Slice(), Name("i")]))               ->    x[:, i]

``Text`` is astunparse's printer, taught precedence, slices, docstrings, comments and line breaks. It writes
pieces of logical lines; ``layout`` sets them on the page. Every text parses back to the tree that went in.
"""

from __future__ import annotations

import ast
import io
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import gast

from s2sad.emit.comments import comment_after, comment_lines, leading, to_ast, trailing
from s2sad.emit.layout import SOFT_CLOSE, SOFT_OPEN, Line, flat, page
from s2sad.emit.match_patterns import MatchPatterns
from s2sad.emit.precedence import BINARY, Level, level_of, needs_parentheses
from s2sad.emit.spelling import constant, docstring, escape
from s2sad.errors import CompilerError

__all__ = ["leading", "render", "render_expression", "render_statement", "trailing"]

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# Values that may need parentheses of their own when they have to be broken into lines.
_BREAKABLE = (ast.Tuple, ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp)
# The quotation marks of an f-string, and those to prefer inside it.
_FSTRING_QUOTES = (('"', "'"), ("'", '"'), ('"""', "'"), ("'''", '"'))
_NESTED_QUOTES = sys.version_info >= (3, 12)


def render(module: gast.Module) -> str:
    """The text of a whole module; it ends with one line break."""
    return page(Text(to_ast(module)).lines) + "\n"


def render_statement(node: gast.stmt) -> str:
    """The text of one statement and its comments, without a line break at the end."""
    return page(Text(to_ast(node)).lines).strip("\n")


def render_expression(node: gast.expr) -> str:
    """The text of an expression, on one line."""
    return _expression_text(to_ast(node), Level.TEST)


def _expression_text(node: Any, place: Level, quote: str = '"') -> str:
    return flat(Text(ast.Expression(node), place, quote).lines[0].pieces)


_METHODS: dict[type[ast.AST], Callable[[Text, Any], None]] = {}  # of ``Text``, by what they write, as they were found


class Text(MatchPatterns):
    """The printer. A method ``_X`` writes a node of class X; ``dispatch`` adds parentheses where needed."""

    def __init__(self, tree: ast.AST, place: Level = Level.TEST, quote: str = '"') -> None:
        self.lines: list[Line] = [] if isinstance(tree, ast.Module | ast.stmt) else [Line()]
        self._place = place
        self._quote = quote
        self._comment = ""
        super().__init__(tree, io.StringIO())

    # -- lines -----------------------------------------------------------------------------------------------

    def fill(self, text: str = "") -> None:
        self.lines.append(Line(self._indent, [text] if text else []))

    def write(self, text: str) -> None:
        self.lines[-1].pieces.append(text)

    def enter(self) -> None:
        super().enter()
        self.lines[-1].simple = False
        self._hang_comment()

    def _hang_comment(self) -> None:
        """The trailing comment of the statement in hand goes to this line, unless its header has it."""
        if self._comment:
            self.lines[-1].comment, self._comment = self._comment, ""

    def _comments_above(self, node: ast.AST, blanks: int = 0) -> None:
        """The comment lines of a statement after so many blank lines at least; none on top of the text."""
        comments = comment_lines(node)
        asked = next((i for i, text in enumerate(comments) if text), len(comments))
        for _ in range(max(asked, blanks) if self.lines else 0):
            self.lines.append(Line())
        for text in comments[asked:]:
            self.lines.append(Line(self._indent if text else 0, comment=text, simple=False))

    # -- dispatch --------------------------------------------------------------------------------------------

    def dispatch(self, tree: Any, place: Level = Level.TEST) -> None:
        """Write a node; ``place`` is how tightly an expression must bind there."""
        if isinstance(tree, list):
            for node in tree:
                self.dispatch(node)
        elif isinstance(tree, ast.stmt):
            self._statement(tree)
        elif type(tree) is ast.Name:
            self.lines[-1].pieces.append(tree.id)  # most of what is written
        elif isinstance(tree, ast.expr):
            bare = not needs_parentheses(tree, place)
            if not bare:
                self.write("(")
            self._node(tree)
            if not bare:
                self.write(")")
        else:
            self._node(tree)

    def _node(self, tree: ast.AST) -> None:
        method = _METHODS.get(type(tree))
        if method is None:
            method = getattr(Text, f"_{type(tree).__name__}", None)
            if method is None:
                raise CompilerError(f"no text for a {type(tree).__name__} node", node=tree)
            _METHODS[type(tree)] = method
        method(self, tree)

    def _statement(self, node: ast.stmt, blanks: int = 0) -> None:
        self._comments_above(node, blanks)
        self._comment = comment_after(node)
        self._node(node)
        self._hang_comment()

    def _bracketed(self, brackets: Sequence[str], content: Callable[[], None]) -> None:
        """Write content between an opening and a closing bracket, or between none."""
        if brackets:
            self.write(brackets[0])
        content()
        if brackets:
            self.write(brackets[1])

    def _listed(self, items: Iterable[ast.AST]) -> None:
        """Write nodes with commas between."""
        for position, item in enumerate(items):
            if position:
                self.write(", ")
            self.dispatch(item)

    def _value(self, node: ast.expr, place: Level) -> None:
        """Write an expression that ends its line and may be parenthesised where the line is too long."""
        breakable = isinstance(node, _BREAKABLE) and not needs_parentheses(node, place)
        self._bracketed((SOFT_OPEN, SOFT_CLOSE) if breakable else "", lambda: self.dispatch(node, place))

    def _flat(self, node: ast.AST, place: Level = Level.TEST) -> None:
        """Write an expression as one piece, so that no line is broken at its commas."""
        self.write(_expression_text(node, place, self._quote))

    # -- blocks ----------------------------------------------------------------------------------------------

    def _Module(self, t: ast.Module) -> None:
        previous: ast.stmt | None = None
        for node in self._after_docstring(t.body):
            apart = isinstance(node, _DEFINITIONS) or isinstance(previous, _DEFINITIONS)
            self._statement(node, blanks=2 if apart else 0)
            previous = node

    def _Expression(self, t: ast.Expression) -> None:
        self.dispatch(t.body, self._place)

    def _after_docstring(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Write the docstring if the block has one; the rest of the block."""
        match body:
            case [ast.Expr(value=ast.Constant(value=str() as text)) as first, *rest]:
                self._comments_above(first)
                self.fill(docstring(text, "    " * self._indent))
                self.lines[-1].comment = comment_after(first)
                return rest
        return body

    def _block(self, body: list[ast.stmt], documented: bool = False) -> None:
        self.enter()
        self.dispatch(self._after_docstring(body) if documented else body)
        self.leave()

    def _else(self, body: list[ast.stmt]) -> None:
        if body:
            self.fill("else")
            self._block(body)

    def _FunctionDef(self, t: ast.FunctionDef | ast.AsyncFunctionDef, keyword: str = "def ") -> None:
        self._decorators(t.decorator_list)
        self.fill(keyword + t.name)
        self._bracketed("()", lambda: self.dispatch(t.args))
        if t.returns:
            self.write(" -> ")
            self.dispatch(t.returns)
        self._block(t.body, documented=True)

    def _AsyncFunctionDef(self, t: ast.AsyncFunctionDef) -> None:
        self._FunctionDef(t, "async def ")

    def _ClassDef(self, t: ast.ClassDef) -> None:
        self._decorators(t.decorator_list)
        self.fill("class " + t.name)
        if t.bases or t.keywords:
            self._bracketed("()", lambda: self._listed([*t.bases, *t.keywords]))
        self._block(t.body, documented=True)

    def _decorators(self, decorators: list[ast.expr]) -> None:
        for decorator in decorators:
            self.fill("@")
            self.dispatch(decorator)

    def _If(self, t: ast.If) -> None:
        self._branch("if ", t)
        while len(t.orelse) == 1 and isinstance(t.orelse[0], ast.If):
            t = t.orelse[0]
            self._comments_above(t)
            self._comment = comment_after(t)
            self._branch("elif ", t)
        self._else(t.orelse)

    def _While(self, t: ast.While) -> None:
        self._branch("while ", t)
        self._else(t.orelse)

    def _branch(self, keyword: str, t: ast.If | ast.While) -> None:
        self.fill(keyword)
        self._value(t.test, Level.WALRUS)
        self._block(t.body)

    def _For(self, t: ast.For | ast.AsyncFor, keyword: str = "for ") -> None:
        self.fill(keyword)
        self.dispatch(t.target, Level.TUPLE)
        self.write(" in ")
        self.dispatch(t.iter)
        self._block(t.body)
        self._else(t.orelse)

    def _AsyncFor(self, t: ast.AsyncFor) -> None:
        self._For(t, "async for ")

    def _withitem(self, t: ast.withitem) -> None:
        # The parentheses of a lone tuple would be taken for those around a list of items.
        lone = isinstance(t.context_expr, ast.Tuple) and not t.optional_vars
        self._bracketed("()" if lone else "", lambda: self.dispatch(t.context_expr))
        if t.optional_vars:
            self.write(" as ")
            self.dispatch(t.optional_vars)

    # -- simple statements -----------------------------------------------------------------------------------

    def _Expr(self, t: ast.Expr) -> None:
        self.fill()
        self._value(t.value, Level.YIELD)

    def _Return(self, t: ast.Return) -> None:
        self.fill("return")
        if t.value:
            self.write(" ")
            self._value(t.value, Level.TUPLE)

    def _Assign(self, t: ast.Assign) -> None:
        self.fill()
        for target in t.targets:
            # a, b = c, d = e is legal, and nobody reads it at a glance
            self.dispatch(target, Level.TUPLE if len(t.targets) == 1 else Level.TEST)
            self.write(" = ")
        self._value(t.value, Level.YIELD)

    def _AugAssign(self, t: ast.AugAssign) -> None:
        self.fill()
        self.dispatch(t.target)
        self.write(f" {self.binop[type(t.op).__name__]}= ")
        self._value(t.value, Level.TEST)

    def _AnnAssign(self, t: ast.AnnAssign) -> None:
        self.fill()
        lone = isinstance(t.target, ast.Name) and not t.simple
        self._bracketed("()" if lone else "", lambda: self.dispatch(t.target))
        self.write(": ")
        self.dispatch(t.annotation)
        if t.value:
            self.write(" = ")
            self._value(t.value, Level.TEST)

    def _ImportFrom(self, t: ast.ImportFrom) -> None:
        self.fill(f"from {'.' * t.level}{t.module or ''} import ")
        self._bracketed((SOFT_OPEN, SOFT_CLOSE), lambda: self._listed(t.names))

    # -- operators -------------------------------------------------------------------------------------------

    def _BinOp(self, t: ast.BinOp) -> None:
        level, symbol = BINARY[type(t.op)], self.binop[type(t.op).__name__]
        if level is Level.POWER:
            # A power binds to the right, more tightly than a sign before it and less than one behind it.
            self.dispatch(t.left, Level.AWAIT)
            self.write(symbol)
            self.dispatch(t.right, Level.SIGN)
            return
        self.dispatch(t.left, level)
        self.write(f" {symbol} ")
        self.dispatch(t.right, level.tighter)

    def _UnaryOp(self, t: ast.UnaryOp) -> None:
        symbol = self.unop[type(t.op).__name__]
        self.write(f"{symbol} " if symbol == "not" else symbol)
        # One sign after another would be legal: --x.
        self.dispatch(t.operand, level_of(t) if symbol in ("not", "~") else Level.POWER)

    def _BoolOp(self, t: ast.BoolOp) -> None:
        level = level_of(t)
        for position, value in enumerate(t.values):
            if position:
                self.write(f" {self.boolops[type(t.op)]} ")
            self.dispatch(value, level.tighter)

    def _Compare(self, t: ast.Compare) -> None:
        self.dispatch(t.left, Level.BIT_OR)
        for op, operand in zip(t.ops, t.comparators, strict=True):
            self.write(f" {self.cmpops[type(op).__name__]} ")
            self.dispatch(operand, Level.BIT_OR)

    def _IfExp(self, t: ast.IfExp) -> None:
        self.dispatch(t.body, Level.OR)
        self.write(" if ")
        self.dispatch(t.test, Level.OR)
        self.write(" else ")
        self.dispatch(t.orelse)

    def _Lambda(self, t: ast.Lambda) -> None:
        parameters = flat(Text(t.args, quote=self._quote).lines[0].pieces)
        self.write(f"lambda {parameters}: " if parameters else "lambda: ")
        self.dispatch(t.body)

    def _NamedExpr(self, t: ast.NamedExpr) -> None:
        self.dispatch(t.target)
        self.write(" := ")
        self.dispatch(t.value)

    def _Await(self, t: ast.Await) -> None:
        self.write("await ")
        self.dispatch(t.value, Level.ATOM)

    def _Yield(self, t: ast.Yield) -> None:
        self.write("yield")
        if t.value:
            self.write(" ")
            self.dispatch(t.value, Level.TUPLE)

    def _YieldFrom(self, t: ast.YieldFrom) -> None:
        self.write("yield from ")
        self.dispatch(t.value)

    # -- calls, subscripts, displays -------------------------------------------------------------------------

    def _Attribute(self, t: ast.Attribute) -> None:
        self.dispatch(t.value, Level.DOTTED)
        self.write("." + t.attr)

    def _Call(self, t: ast.Call) -> None:
        self.dispatch(t.func, Level.ATOM)
        if len(t.args) == 1 and not t.keywords and isinstance(t.args[0], ast.GeneratorExp):
            self.dispatch(t.args[0])
        else:
            self._bracketed("()", lambda: self._listed([*t.args, *t.keywords]))

    def _Subscript(self, t: ast.Subscript) -> None:
        self.dispatch(t.value, Level.ATOM)
        self._bracketed("[]", lambda: self._index(t.slice))

    def _index(self, index: ast.expr) -> None:
        elements = index.elts if isinstance(index, ast.Tuple) else []
        sliced = any(isinstance(element, ast.Slice) for element in elements)
        # x[(1,)] is clearer than x[1,], but a slice may not stand in parentheses.
        self.dispatch(index, Level.TUPLE if len(elements) > 1 or sliced else Level.TEST)

    def _Slice(self, t: ast.Slice) -> None:
        if t.lower:
            self.dispatch(t.lower)
        self.write(":")
        if t.upper:
            self.dispatch(t.upper)
        if t.step:
            self.write(":")
            self.dispatch(t.step)

    def _Starred(self, t: ast.Starred) -> None:
        self.write("*")
        self.dispatch(t.value, Level.BIT_OR)

    def _Tuple(self, t: ast.Tuple) -> None:
        if not t.elts:
            self._bracketed("()", lambda: None)
        self._listed(t.elts)
        if len(t.elts) == 1:
            self.write(",")

    def _Dict(self, t: ast.Dict) -> None:
        def item(key: ast.expr | None, value: ast.expr) -> None:
            if key is None:
                self.write("**")
                self.dispatch(value, Level.BIT_OR)
            else:
                self.dispatch(key)
                self.write(": ")
                self.dispatch(value)

        def content() -> None:
            for position, (key, value) in enumerate(zip(t.keys, t.values, strict=True)):
                if position:
                    self.write(", ")
                item(key, value)

        self._bracketed("{}", content)

    def _comprehension(self, t: ast.comprehension) -> None:
        self.write(" async for " if t.is_async else " for ")
        self._flat(t.target, Level.TUPLE)
        self.write(" in ")
        self.dispatch(t.iter, Level.OR)
        for condition in t.ifs:
            self.write(" if ")
            self.dispatch(condition, Level.OR)

    # -- parameters ------------------------------------------------------------------------------------------

    def _arguments(self, t: ast.arguments) -> None:
        """The parameters of a definition: tol=1e-12, and with an annotation tol: float = 1e-12."""
        for position, parameter in enumerate(_parameters(t)):
            if position:
                self.write(", ")
            self._parameter(*parameter)

    def _parameter(self, mark: str, parameter: ast.arg | None, default: ast.expr | None) -> None:
        self.write(mark)
        if parameter is None:
            return
        self.dispatch(parameter)
        if default is not None:
            self.write(" = " if parameter.annotation else "=")
            self.dispatch(default)

    # -- literals --------------------------------------------------------------------------------------------

    def _Constant(self, t: ast.Constant) -> None:
        self.write(("u" if t.kind == "u" else "") + constant(t.value, self._quote))

    def _FormattedValue(self, t: ast.FormattedValue) -> None:
        self._JoinedStr(ast.JoinedStr([t]))

    def _JoinedStr(self, t: ast.JoinedStr) -> None:
        """An f-string, in quotation marks that do not occur in its expressions."""
        for quote, inner in _FSTRING_QUOTES:
            texts = [_fstring_part(value, quote, inner) for value in t.values]
            if None not in texts:
                self.write(f"f{quote}{''.join(text for text in texts if text)}{quote}")
                return
        raise CompilerError(
            "this f-string cannot be written in the Python that is running",
            node=t,
            why="before Python 3.12 its expressions may hold no backslash and not all quotation marks",
        )


def _parameters(t: ast.arguments) -> list[tuple[str, ast.arg | None, ast.expr | None]]:
    """Each parameter with its stars and its default; the lone marks / and * without a parameter."""
    plain = [*t.posonlyargs, *t.args]
    defaults = [None] * (len(plain) - len(t.defaults)) + t.defaults
    items: list[tuple[str, ast.arg | None, ast.expr | None]] = [
        ("", parameter, default) for parameter, default in zip(plain, defaults, strict=True)
    ]
    if t.posonlyargs:
        items.insert(len(t.posonlyargs), ("/", None, None))
    if t.vararg or t.kwonlyargs:
        items.append(("*", t.vararg, None))
    items += [("", *pair) for pair in zip(t.kwonlyargs, t.kw_defaults, strict=True)]
    if t.kwarg:
        items.append(("**", t.kwarg, None))
    return items


def _fstring_part(node: ast.expr, quote: str, inner: str) -> str | None:
    """A part of an f-string, literal or replaced, in these quotation marks; None if they do not do."""
    if isinstance(node, ast.Constant):
        return escape(str(node.value), quote).replace("{", "{{").replace("}", "}}")
    assert isinstance(node, ast.FormattedValue)
    # The colon of a lambda would start the format.
    bare = not any(isinstance(part, ast.Lambda) for part in ast.walk(node.value))
    text = _expression_text(node.value, Level.TEST if bare else Level.OR, inner)
    if quote in text or ("\\" in text and not _NESTED_QUOTES):
        return None
    conversion = f"!{chr(node.conversion)}" if node.conversion != -1 else ""
    formats = node.format_spec.values if isinstance(node.format_spec, ast.JoinedStr) else []
    parts = [_fstring_part(part, quote, inner) for part in formats]
    if None in parts:
        return None
    colon = ":" if node.format_spec else ""
    return f"{{{' ' if text.startswith('{') else ''}{text}{conversion}{colon}{''.join(filter(None, parts))}}}"
