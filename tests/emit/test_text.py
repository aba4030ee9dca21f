"""Text that parses back to its tree, and reads as one would have typed it."""

from __future__ import annotations

import ast
import copy
import functools
import importlib
import inspect
import math
import re

import gast
import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from s2sad.emit.text import leading, render, render_expression, render_statement, trailing
from s2sad.errors import CompilerError

# Library source with every kind of statement, and much of NumPy's own style.
CORPORA = [
    "argparse",
    "asyncio.tasks",
    "dataclasses",
    "heapq",
    "numpy.lib._function_base_impl",
    "numpy.linalg._linalg",
    "statistics",
    "textwrap",
]


class Normal(ast.NodeTransformer):
    """The same tree for texts that differ in a docstring's indentation or in who applies a minus sign."""

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        operand = node.operand
        negative = isinstance(node.op, ast.USub) and isinstance(operand, ast.Constant)
        if negative and type(operand.value) in (int, float, complex):
            return ast.Constant(-operand.value)
        return node

    def visit_Documented(self, node: ast.AST) -> ast.AST:
        self.generic_visit(node)
        doc = ast.get_docstring(node)
        if doc is not None:
            node.body[0].value.value = doc
        return node

    visit_Module = visit_ClassDef = visit_FunctionDef = visit_AsyncFunctionDef = visit_Documented


def normal(tree: ast.AST) -> str:
    return ast.dump(Normal().visit(copy.deepcopy(tree)))


def source_of(name: str) -> str:
    return inspect.getsource(importlib.import_module(name))


def rendered(source: str) -> str:
    """The text of a module, which is known to be the same program."""
    text = render(gast.parse(source))
    assert normal(ast.parse(text)) == normal(ast.parse(source))
    return text


def retyped(source: str) -> str:
    """The text of an expression, which is known to be the same expression."""
    text = render_expression(gast.ast_to_gast(ast.parse(source, mode="eval")).body)
    assert normal(ast.parse(text, mode="eval")) == normal(ast.parse(source, mode="eval"))
    return text


def body_of(source: str) -> list[gast.stmt]:
    return gast.parse(inspect.cleandoc(source)).body


# ---------------------------------------------------------------------------------------------- whole modules


@pytest.mark.parametrize("name", CORPORA)
def test_library_source_round_trips(name: str) -> None:
    text = rendered(source_of(name))
    assert text.endswith("\n") and not text.endswith("\n\n")
    assert not [line for line in text.splitlines() if line.endswith(" ")]


@pytest.mark.parametrize("name", CORPORA)
def test_rendering_is_stable(name: str) -> None:
    text = render(gast.parse(source_of(name)))
    assert render(gast.parse(text)) == text


@pytest.mark.parametrize("name", ["argparse", "numpy.linalg._linalg"])
def test_only_strings_make_a_line_too_long(name: str) -> None:
    tree = ast.parse(source_of(name))
    for node in ast.walk(tree):
        if ast.get_docstring(node) if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) else None:
            node.body[0] = ast.Pass()
    long_lines = [line for line in render(gast.ast_to_gast(tree)).splitlines() if len(line) > 120]
    assert [line for line in long_lines if '"' not in line] == []


@pytest.mark.parametrize("name", ["heapq", "argparse"])
def test_comments_may_stand_on_every_statement(name: str) -> None:
    source = source_of(name)
    tree = gast.parse(source)
    statements = [node for node in gast.walk(tree) if isinstance(node, gast.stmt)]
    for number, node in enumerate(statements):
        leading(node, "", f"above {number};")
        trailing(node, f"after {number}; {'long ' * (number % 17)}")
    text = render(tree)
    assert normal(ast.parse(text)) == normal(ast.parse(source))
    assert sorted(map(int, re.findall(r"^ *# above (\d+);$", text, re.MULTILINE))) == list(
        range(len(statements))
    )
    assert sorted(map(int, re.findall(r"# after (\d+);", text))) == list(range(len(statements)))


# ------------------------------------------------------------------------------------------------ expressions


@pytest.mark.parametrize(
    "source",
    [
        # arithmetic
        "a + b * c",
        "(a + b) * c",
        "a - (b - c)",
        "a - b - c",
        "a / (b * c)",
        "a / b * c",
        "a @ b @ c",
        "a @ (b @ c)",
        "a % b // c",
        "a * -b",
        "a - -b",
        "-a * b",
        "-(a * b)",
        "-(a + b)",
        "-(-a)",
        "~a & b",
        "(a | b) & c",
        "a | b & c ^ d",
        "a << (b << c)",
        # powers
        "x**2",
        "-x**2",
        "(-x)**2",
        "x**-2",
        "x**-y**2",
        "(x**y)**z",
        "x**y**z",
        "x**(n - 1)",
        "(x + y)**0.5",
        "(-1)**k",
        "x[i]**2 + f(x)**2",
        "2.0**k",
        "(await a).x",
        "await a**2",
        # comparisons, logic, choices
        "a < b <= c",
        "(a < b) < c",
        "a < (b < c)",
        "(a < b) + c",
        "a + b < c | d",
        "not a",
        "not a == b",
        "(not a) == b",
        "not not a",
        "a and b or c",
        "a and (b or c)",
        "(a and b) and c",
        "not (a or b)",
        "a is not None and b not in c",
        "a if b else c",
        "a if b else c if d else e",
        "(a if b else c) if d else e",
        "(a if b else c) + d",
        "(lambda x: x)(1)",
        "lambda: 0",
        "lambda x, *args, y=1, **kwargs: x + y",
        "lambda x, /, *, y: (x, y)",
        "(lambda: a) if b else lambda: c",
        "f((y := x))",
        "(yield)",
        # calls and attributes
        "f(a, axis=0)",
        "f(a, *b, c=1, **d)",
        "f(x for x in y)",
        "f((x for x in y), 1)",
        "(a + b).T",
        "(1).real",
        "1.5.real",
        "(-1.5).real",
        "x.T[0](1).y",
        '"%s" % x',
        # displays
        "()",
        "(a,)",
        "(a, b)",
        "(a, (b, c))",
        "[*a, b]",
        "{**a, b: c}",
        "{a, b}",
        "[i for i, x in y if x if i]",
        "{k: v for k, v in (lambda: x)().items()}",
        "[x async for x in y]",
        "[(a, b) for a in b for b in (c if d else e)]",
        # subscripts
        "x[:, i]",
        "x[i, :i]",
        "x[..., None]",
        "x[1:-1, ::2]",
        "x[()]",
        "x[(1,)]",
        "x[1:,]",
        "x[:]",
        "x[i + 1:]",
        "x[a:b:c]",
        "x[::-1]",
        "x[a, (b, c)]",
        "x[(y := 1)]",
        "x[i][j]",
        "x[*a, b]",
        "x[(*a,)]",
        # constants
        '"it\'s"',
        "'say \"hi\"'",
        '"both \' and \\""',
        '"a\\tb\\n\\\\"',
        'b"ab\\x00"',
        'b"it\'s"',
        'u"a"',
        "1e-7",
        "1.5e300",
        "5e-324",
        "1e16",
        "0.1",
        "-2.0",
        "2j",
        "1.5j",
        "1.0 + 2j",
        "123456789012345678901234567890",
        "None is not True",
        # f-strings
        'f"{x}"',
        'f"{x!r:>{width}.3f} of {{y}}"',
        "f\"{d['k']}\"",
        'f"it\'s {x}"',
        'f"a\\n{x}"',
        "f\"{f('its')}\"",
        'f"{(lambda: 1)()}"',
        'f"{a if b else d}"',
        'f"{ {a: b}[c]}"',
        'f"{(a, b)}"',
    ],
)
def test_expression_is_printed_as_it_was_typed(source: str) -> None:
    assert retyped(source) == source


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("((a) * (b)) + (c)", "a * b + c"),
        ("x[(1, 2)]", "x[1, 2]"),
        ("x[1,]", "x[(1,)]"),
        ("x[*a]", "x[(*a,)]"),
        ("1E+20", "1e20"),
        ("0x10", "16"),
        ("'a'", '"a"'),
        ("--x", "-(-x)"),
        ("a, b", "(a, b)"),
        ("f'{1}' \"'\"", 'f"{1}\'"'),
        ('f"{x=}"', 'f"x={x!r}"'),
        ("f'''{f(\"'\")}'''", 'f"""{f("\'")}"""'),
        ("f'{a!s:{b}{c}}'", 'f"{a!s:{b}{c}}"'),
        ("f'''{f'{f\"{x}\"}'}'''", 'f"""{f\'{f"{x}"}\'}"""'),
        ("f'{(x if x else lambda: 1)}'", 'f"{(x if x else lambda: 1)}"'),
    ],
)
def test_expression_is_simplified(source: str, expected: str) -> None:
    assert retyped(source) == expected


def evaluated(value: object) -> object:
    return eval(render_expression(gast.Constant(value, None)))  # own text


@pytest.mark.parametrize(
    "value",
    [
        *(0.0, -0.0, 1e308, -5e-324, 1e22, math.inf, -math.inf, 10**40, -7, True),
        *(2j, -2j, complex(0.0, -2.0), complex(-0.0, 2.0), 1 + 2j, -1 - 2.5j),
        *(complex(1, 0.0), complex(1, -0.0), complex(-0.0, -0.0), complex(math.inf, -1.0), 1e300 + 1e-300j),
        *(b"\x00'\"", "\ud800 \x7f é \U0001f600", (1, (2.0, "a")), ()),
    ],
)
def test_constant_evaluates_to_itself(value: object) -> None:
    again = evaluated(value)
    assert type(again) is type(value)
    assert repr(again) == repr(value)


def test_nan_is_written_as_a_call() -> None:
    assert render_expression(gast.Constant(math.nan, None)) == 'float("nan")'
    assert math.isnan(evaluated(math.nan))


def test_negative_constants_are_parenthesised_like_negations() -> None:
    x = gast.Constant(-2.0, None)
    assert render_expression(gast.BinOp(x, gast.Pow(), x)) == "(-2.0)**-2.0"
    infinite = gast.Constant(-math.inf, None)
    assert render_expression(gast.BinOp(infinite, gast.Pow(), x)) == '(-float("inf"))**-2.0'
    sum_ = gast.Constant(1 + 2j, None)
    assert render_expression(gast.BinOp(sum_, gast.Mult(), sum_)) == "(1.0 + 2j) * (1.0 + 2j)"


def test_numpy_floats_are_written_as_numbers() -> None:
    assert render_expression(gast.Constant(np.float64(0.5), None)) == "0.5"


def test_other_constants_are_refused() -> None:
    with pytest.raises(CompilerError, match="ndarray"):
        render_expression(gast.Constant(np.zeros(2), None))


def test_unknown_nodes_are_refused() -> None:
    with pytest.raises(CompilerError, match="TryStar"):
        render(gast.parse("try:\n    pass\nexcept* E:\n    pass"))


# ---------------------------------------------------------------------------------------- random expressions

NAMES = st.sampled_from("abc").map(lambda name: ast.Name(name, ast.Load()))
NUMBERS = st.one_of(
    st.integers(-3, 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(0, 1e300).map(lambda x: complex(0.0, x)),
)
TEXTS = st.text(alphabet="ab {}'\"\\\n#é", max_size=5)
CONSTANTS = st.one_of(NUMBERS, TEXTS, TEXTS.map(str.encode), st.sampled_from([None, True, ...]))
LEAVES = st.one_of(NAMES, NAMES, CONSTANTS.map(ast.Constant))


def stored(name: str) -> ast.Name:
    return ast.Name(name, ast.Store())


def operators(kind: type[ast.AST]) -> st.SearchStrategy[ast.AST]:
    return st.sampled_from([operator() for operator in kind.__subclasses__() if operator.__module__ == "ast"])


def subscripts(inner: st.SearchStrategy[ast.expr]) -> st.SearchStrategy[ast.expr]:
    part = st.one_of(st.none(), inner)
    index = st.one_of(inner, st.builds(ast.Slice, part, part, part))
    indices = st.lists(index, max_size=3).map(lambda elements: ast.Tuple(elements, ast.Load()))
    return st.builds(ast.Subscript, inner, st.one_of(index, indices), st.just(ast.Load()))


def comprehensions(inner: st.SearchStrategy[ast.expr]) -> st.SearchStrategy[ast.expr]:
    pair = ast.Tuple([stored("i"), stored("x")], ast.Store())
    target = st.sampled_from([stored("i"), pair])
    loop = st.builds(ast.comprehension, target, inner, st.lists(inner, max_size=2), st.just(0))
    loops = st.lists(loop, min_size=1, max_size=2)
    kinds = [st.builds(kind, inner, loops) for kind in (ast.ListComp, ast.SetComp, ast.GeneratorExp)]
    return st.one_of(*kinds, st.builds(ast.DictComp, inner, inner, loops))


def calls(inner: st.SearchStrategy[ast.expr]) -> st.SearchStrategy[ast.expr]:
    starred = st.builds(ast.Starred, inner, st.just(ast.Load()))
    keyword = st.builds(ast.keyword, st.sampled_from(["k", None]), inner)
    # Python puts positional arguments behind keywords only where they are starred: here they come first.
    return st.builds(
        ast.Call, inner, st.lists(st.one_of(inner, starred), max_size=3), st.lists(keyword, max_size=1)
    )


def lambdas(inner: st.SearchStrategy[ast.expr]) -> st.SearchStrategy[ast.expr]:
    def build(default: ast.expr, body: ast.expr) -> ast.Lambda:
        x, y = ast.arg("x"), ast.arg("y")
        return ast.Lambda(ast.arguments([], [x, y], None, [], [], None, [default]), body)

    nothing = ast.arguments([], [], None, [], [], None, [])
    return st.one_of(st.builds(build, inner, inner), st.builds(ast.Lambda, st.just(nothing), inner))


def fstrings(inner: st.SearchStrategy[ast.expr]) -> st.SearchStrategy[ast.expr]:
    formats = st.sampled_from([None, ast.JoinedStr([ast.Constant(">3")])])
    field = st.builds(ast.FormattedValue, inner, st.sampled_from([-1, ord("r")]), formats)
    text = TEXTS.filter(bool).map(ast.Constant)
    return st.one_of(
        st.builds(lambda a, b, c: ast.JoinedStr([a, b, c]), text, field, text),
        st.builds(lambda a, b: ast.JoinedStr([a, b]), field, field),
    )


def displays(inner: st.SearchStrategy[ast.expr]) -> st.SearchStrategy[ast.expr]:
    some = st.lists(inner, max_size=3)
    item = st.tuples(st.one_of(st.none(), inner), inner)
    return st.one_of(
        st.builds(ast.Tuple, some, st.just(ast.Load())),
        st.builds(ast.List, some, st.just(ast.Load())),
        st.builds(ast.Set, some.filter(bool)),
        st.lists(item, max_size=2).map(lambda items: ast.Dict([k for k, _ in items], [v for _, v in items])),
    )


def composed(inner: st.SearchStrategy[ast.expr]) -> st.SearchStrategy[ast.expr]:
    two = st.lists(inner, min_size=2, max_size=3)
    return st.one_of(
        LEAVES,
        st.builds(ast.BinOp, inner, operators(ast.operator), inner),
        st.builds(ast.UnaryOp, operators(ast.unaryop), inner),
        st.builds(ast.BoolOp, operators(ast.boolop), two),
        st.builds(
            lambda a, op, b, p, c: ast.Compare(a, [op, p], [b, c]),
            inner,
            operators(ast.cmpop),
            inner,
            operators(ast.cmpop),
            inner,
        ),
        st.builds(ast.IfExp, inner, inner, inner),
        st.builds(ast.NamedExpr, st.just(stored("n")), inner),
        st.builds(ast.Attribute, inner, st.just("real"), st.just(ast.Load())),
        st.builds(ast.Await, inner),
        st.builds(ast.Yield, st.one_of(st.none(), inner)),
        st.builds(ast.YieldFrom, inner),
        displays(inner),
        subscripts(inner),
        comprehensions(inner),
        calls(inner),
        lambdas(inner),
        fstrings(inner),
    )


@functools.cache
def expressions(depth: int = 3) -> st.SearchStrategy[ast.expr]:
    """Expressions of so many levels at most; each level is built once."""
    return st.deferred(lambda: composed(expressions(depth - 1)) if depth else LEAVES)


@settings(max_examples=300, deadline=None)
@given(expressions())
def test_random_expressions_round_trip(tree: ast.expr) -> None:
    node = gast.ast_to_gast(copy.deepcopy(tree))
    try:
        text = render_expression(node)
    except CompilerError:
        # An f-string around a backslash, which Python 3.11 cannot express.
        assert any(isinstance(part, ast.JoinedStr) for part in ast.walk(tree))
        reject()
    assert normal(ast.parse(text, mode="eval").body) == normal(tree)
    assign = gast.Assign([gast.Name("y", gast.Store(), None, None)], node, None)
    again = ast.parse(render_statement(assign)).body[0]
    assert normal(again.value) == normal(tree)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ab \t\n\"'\\é\r\x0c\0", max_size=30), st.booleans())
def test_docstrings_keep_their_clean_text(text: str, inside: bool) -> None:
    body: list[gast.stmt] = [gast.Expr(gast.Constant(text, None))]
    if inside:
        body = [gast.ClassDef("C", [], [], body, [], [])]
    tree = ast.parse(render(gast.Module(body, [])))
    assert ast.get_docstring(tree.body[0] if inside else tree) == inspect.cleandoc(text)


@given(TEXTS)
def test_strings_are_kept_exactly(text: str) -> None:
    assert ast.literal_eval(render_expression(gast.Constant(text, None))) == text


# ------------------------------------------------------------------------------------------------- statements


@pytest.mark.parametrize(
    "source",
    [
        "a, b = f(x)",
        "a = (b, c) = d",
        "a = b = c",
        "a, = b",
        "a, *b = c, d",
        "(a, b), c = d",
        "x[i], x[j] = x[j], x[i]",
        "x: float = 1.0",
        "(x): int",
        "self.x: tuple[int, ...] = (a, b)",
        "x[1:-1] += a * (b - c)",
        "x += (1, 2)",
        "x @= y",
        "y = yield x",
        "y = yield a, b",
        "await x",
        "del x, y[0]",
        'assert x, f"{x} is false"',
        'raise ValueError("no") from None',
        "raise",
        "import numpy as np, os.path",
        "from ..a import b as c, d",
        "from . import *",
        "def f(x, /, y: int = 1, *args, tol=1e-12, **kwargs) -> tuple[int, ...]:\n    return x, (y, tol)",
        "def f(*, n):\n    global a, b\n    return",
        "def f():\n    def g():\n        nonlocal x\n        return *a, b\n    return g",
        "async def f():\n    async for i, x in y:\n        async with a as b:\n            yield i, x",
        "@a.b(c)\n@d\nclass C(A, metaclass=M):\n    x = 1",
        "class C:\n    pass",
        "for i, x in enumerate(y):\n    continue\nelse:\n    pass",
        "for x in (a, b):\n    break",
        "while (n := f(n)) > 3:\n    pass\nelse:\n    pass",
        "while n := f():\n    pass",
        "if a:\n    pass\nelif b:\n    pass\nelif c:\n    pass\nelse:\n    pass",
        "if a:\n    pass\nelse:\n    if b:\n        pass\n    c",
        "if (a, b):\n    pass",
        "with a as (b, c), d:\n    pass",
        "with ((a, b)):\n    pass",
        (
            "try:\n    pass\nexcept (A, B) as e:\n    pass\nexcept C:\n    pass\nexcept:\n    raise\n"
            "else:\n    pass\nfinally:\n    pass"
        ),
        (
            "match a:\n    case 1 | (C(x, y=[_, *z]) as c) if c:\n        pass\n"
            '    case {-1: None, **rest} | (A.b | "s") as d:\n        pass\n'
            "    case (x as y) as z:\n        pass"
        ),
    ],
)
def test_statement_is_printed_as_it_was_typed(source: str) -> None:
    assert rendered(source) == source + "\n"
    assert render_statement(gast.parse(source).body[0]) == source


def test_top_level_definitions_stand_two_lines_apart() -> None:
    source = (
        '"""Doc."""\nimport a\ndef f():\n    def g():\n        pass\n    x = 1\nclass C:\n    def m(self):\n'
        "        pass\n    def n(self):\n        pass\ny = 1\nz = 2"
    )
    assert rendered(source) == (
        '"""Doc."""\nimport a\n\n\ndef f():\n    def g():\n        pass\n    x = 1\n\n\nclass C:\n'
        "    def m(self):\n        pass\n    def n(self):\n        pass\n\n\ny = 1\nz = 2\n"
    )


@pytest.mark.parametrize(
    ("doc", "expected"),
    [
        ("One line.", '    """One line."""'),
        ("  One line.  \n", '    """One line.  """'),
        ("First.\n\n  Second:\n    more\n  ", '    """First.\n\n    Second:\n      more\n    """'),
        ("\n  a\n    b\n", '    """\n    a\n      b\n    """'),
        ('Ends with "quotes"', '    """Ends with "quotes\\""""'),
        ('A """ and a \\', '    """A \\"\\"\\" and a \\\\"""'),
    ],
)
def test_docstring_layout(doc: str, expected: str) -> None:
    tree = gast.parse("def f():\n    ''")
    tree.body[0].body[0].value.value = doc
    assert render(tree) == f"def f():\n{expected}\n"


# --------------------------------------------------------------------------------------------------- comments


def test_leading_comments_and_blank_lines() -> None:
    [f] = body_of(
        """
        def f(x):
            y = x
            return y
        """
    )
    leading(f, "adjoint of f")
    leading(f.body[0], "forward sweep")
    leading(f.body[1], "", "reverse sweep")
    leading(f.body[1], "second line")
    text = (
        "# adjoint of f\ndef f(x):\n    # forward sweep\n    y = x\n\n    # reverse sweep\n"
        "    # second line\n    return y"
    )
    assert render_statement(f) == text
    assert render(gast.Module([f], [])) == text + "\n"


def test_leading_comments_belong_to_the_definition_below() -> None:
    tree = gast.parse("x = 1\n@d\ndef f():\n    pass\ny = 1")
    leading(tree.body[0], "", "first")
    leading(tree.body[1], "", "about f")
    leading(tree.body[2], "", "", "", "far", "", "near")
    assert render(tree) == (
        "# first\nx = 1\n\n\n# about f\n@d\ndef f():\n    pass\n\n\n\n# far\n\n# near\ny = 1\n"
    )


def test_comments_cannot_become_code() -> None:
    [x] = body_of("x = 1")
    leading(x, "one\ntwo\r\nthree")
    trailing(x, "four\nfive\x0csix")
    assert render_statement(x) == "# one\n# two\n# three\nx = 1  # four five six"


def test_trailing_comments_of_a_block_share_a_column() -> None:
    statements = body_of(
        """
        v2_bar = out_bar + 0.5 * out_bar / v3
        w2_bar = v2_bar * v1
        v1_bar = v2_bar * w2
        w1_bar = v1_bar / w1
        for x in y:
            a = b
        c = d
        """
    )
    for statement, text in zip(
        statements, ["v3 = np.sqrt(v2)", "v2 = w2 * v1", "", "v1 = np.log(w1)", "loop", "last"], strict=True
    ):
        trailing(statement, text)
    trailing(statements[4].body[0], "inner")
    assert render(gast.Module(statements, [])) == (
        "v2_bar = out_bar + 0.5 * out_bar / v3  # v3 = np.sqrt(v2)\n"
        "w2_bar = v2_bar * v1                   # v2 = w2 * v1\n"
        "v1_bar = v2_bar * w2\n"
        "w1_bar = v1_bar / w1                   # v1 = np.log(w1)\n"
        "for x in y:  # loop\n"
        "    a = b  # inner\n"
        "c = d  # last\n"
    )


def test_long_statements_do_not_push_the_column() -> None:
    statements = body_of(f"a = b\n{'x' * 70} = y\ncc = d")
    for statement in statements:
        trailing(statement, "why")
    assert [line.index("#") for line in render(gast.Module(statements, [])).splitlines()] == [8, 76, 8]


def test_a_blank_line_or_comment_starts_a_new_column() -> None:
    statements = body_of("a = b\nccc = d\nlonger = e\nf = g")
    for statement in statements:
        trailing(statement, "why")
    leading(statements[1], "")
    leading(statements[2], "now")
    text = "a = b  # why\n\nccc = d  # why\n# now\nlonger = e  # why\nf = g       # why\n"
    assert render(gast.Module(statements, [])) == text


def test_a_comment_without_room_goes_above() -> None:
    name = "x" * 60
    [short, wide, header] = body_of(f"x = y\n{name} = y\nif {name}:\n    pass")
    trailing(short, "s")
    trailing(wide, "w" * 60)
    trailing(header, "h" * 60)
    assert render(gast.Module([short, wide, header], [])) == (
        f"x = y  # s\n# {'w' * 60}\n{name} = y\n# {'h' * 60}\nif {name}:\n    pass\n"
    )


def test_alignment_never_makes_a_line_too_long() -> None:
    statements = body_of(f"x = y\n{'z' * 50} = y")
    trailing(statements[0], "c" * 100)
    trailing(statements[1], "short")
    assert render(gast.Module(statements, [])) == f"x = y  # {'c' * 100}\n{'z' * 50} = y  # short\n"


def test_comments_of_headers() -> None:
    [f, if_] = body_of("def f():\n    'Doc.'\nif a:\n    pass\nelif b:\n    pass")
    trailing(f, "header")
    trailing(f.body[0], "doc")
    inner = if_.orelse[0]
    leading(inner, "above")
    trailing(if_, "first")
    trailing(inner, "second")
    assert render(gast.Module([f, if_], [])) == (
        'def f():  # header\n    """Doc."""  # doc\n\n\n'
        "if a:  # first\n    pass\n# above\nelif b:  # second\n    pass\n"
    )


def test_comments_follow_copies_of_a_node() -> None:
    [x] = body_of("x = 1")
    leading(x, "above")
    trailing(x, "after")
    twin = copy.deepcopy(x)
    trailing(twin, "changed")
    leading(twin, "more")
    assert render_statement(x) == "# above\nx = 1  # after"
    assert render_statement(twin) == "# above\n# more\nx = 1  # changed"


# --------------------------------------------------------------------------------------------------- wrapping


NAMED = [f"argument_{letter}" for letter in "abcdefghijkl"]
ARGUMENTS = ", ".join(NAMED)
TERMS = [f"first_term_{i} * second_{i}" for i in range(6)]
SUM = " + ".join(TERMS)
TEXT = "a " * 70


def filled(pad: str) -> str:
    """The arguments as they stand inside an opened bracket."""
    return f"{pad}{', '.join(NAMED[:9])},\n{pad}{', '.join(NAMED[9:])}"


def added(pad: str) -> str:
    """The terms of the sum as they stand inside an opened bracket."""
    return f"{pad}{' + '.join(TERMS[:4])}\n{pad}+ {' + '.join(TERMS[4:])}"


STEP = "    "


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (f"y = f({ARGUMENTS})", f"y = f(\n{filled(STEP)}\n)"),
        (f"y = {ARGUMENTS}", f"y = (\n{filled(STEP)}\n)"),
        (f"y[i, j] = g({ARGUMENTS}).sum()", f"y[i, j] = g(\n{filled(STEP)}\n).sum()"),
        (
            f"def f({ARGUMENTS}):\n    return {ARGUMENTS}",
            f"def f(\n{filled(STEP)}\n):\n    return (\n{filled(STEP * 2)}\n    )",
        ),
        (f"@f({ARGUMENTS})\nclass C:\n    pass", f"@f(\n{filled(STEP)}\n)\nclass C:\n    pass"),
        (f"f(g({ARGUMENTS}), h)", f"f(\n    g(\n{filled(STEP * 2)}\n    ),\n    h\n)"),
        (f"f(x[i, j], {', '.join(NAMED[:9])}, h)", f"f(\n    x[i, j], {', '.join(NAMED[:9])},\n    h\n)"),
        (f"y = {SUM}", f"y = (\n{added(STEP)}\n)"),
        (f"f({SUM}, y)", f"f(\n{added(STEP)},\n    y\n)"),
        (f"if {SUM}:\n    pass", f"if (\n{added(STEP)}\n):\n    pass"),
        (f"from a import {ARGUMENTS}", f"from a import (\n{filled(STEP)}\n)"),
        (f'raise E("{TEXT}", a)', f'raise E(\n    "{TEXT}",\n    a\n)'),
        (f'x = "{TEXT}"', f'x = "{TEXT}"'),
        (f"x = {'y' * 130}", f"x = {'y' * 130}"),
        (f"f({'y' * 130})", f"f({'y' * 130})"),
    ],
    ids=range(15),
)
def test_long_lines_are_wrapped_in_brackets(source: str, expected: str) -> None:
    assert rendered(source) == expected + "\n"


def test_the_comment_of_a_wrapped_statement_goes_above() -> None:
    [statement] = body_of(f"y = f({ARGUMENTS})")
    trailing(statement, "why")
    assert render_statement(statement).startswith("# why\ny = f(\n")


def test_a_line_of_full_width_is_left_alone() -> None:
    name = "x" * (120 - len("f(, )") - 1)
    assert rendered(f"f({name}, y)") == f"f({name}, y)\n"
    assert rendered(f"f({name}, yy)") == f"f(\n    {name},\n    yy\n)\n"
