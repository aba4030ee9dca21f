"""Every construct of Python's grammar is classified; what is accepted works, what is refused says where, why, what to do."""

from __future__ import annotations

import importlib.util
import inspect
import re
import textwrap
from pathlib import Path
from types import ModuleType

import gast
import pytest
from grammar_programs import PROGRAMS

from s2sad import S2sadError, grad
from s2sad.errors import UnsupportedSyntaxError
from s2sad.frontend.fence import refuse
from s2sad.frontend.grammar import GRAMMAR, Absent, Accepted, Refused, table
from s2sad.frontend.lower import dispatch, language
from s2sad.frontend.source import make_source
from s2sad.testing import check_grads

CLASSES = {
    name: item for name, item in vars(gast).items() if isinstance(item, type) and issubclass(item, gast.AST)
}
# Only classes that nothing else is a case of: gast.expr, gast.stmt and their like are no constructs.
CONSTRUCTS = {
    name
    for name, item in CLASSES.items()
    if not any(other.__bases__[0] is item for other in CLASSES.values())
}
ACCEPTED = sorted(name for name, entry in GRAMMAR.items() if isinstance(entry, Accepted))
REFUSED = sorted(name for name, entry in GRAMMAR.items() if isinstance(entry, Refused))
# Expressions and statements that the normal form takes away before anything is lowered, or that others lower with them.
NORMALISED = {"Match", "AnnAssign", "Break", "Continue", "YieldFrom"}

# A program for each refused construct that Python 3.11 can parse; `f` is differentiated.
REFUSALS = {
    "AsyncFunctionDef": "def f(x):\n    async def g():\n        return x\n    return x\n",
    "AsyncFor": "async def f(x):\n    async for y in x:\n        pass\n",
    "AsyncWith": "async def f(x):\n    async with x:\n        pass\n",
    "Await": "async def f(x):\n    return await x\n",
    "ClassDef": "def f(x):\n    class C:\n        pass\n    return x\n",
    "TryStar": "def f(x):\n    try:\n        y = x\n    except* ValueError:\n        y = 2 * x\n    return y\n",
}
UNPARSED = set(REFUSED) - set(REFUSALS)


def load(folder: Path, text: str) -> ModuleType:
    file = folder / "refused.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location(f"refused_{abs(hash(text))}", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_construct_is_left_out() -> None:
    assert CONSTRUCTS == set(GRAMMAR)


def test_accepted_is_what_is_lowered() -> None:
    assert language.lower_function is not None  # which fills the tables
    lowered = set(dispatch.EXPRESSIONS) | set(dispatch.STATEMENTS)
    grammatical = {n for n in ACCEPTED if issubclass(CLASSES[n], gast.expr | gast.stmt) or n == "Slice"}
    assert grammatical - NORMALISED == lowered


@pytest.mark.parametrize("name", ACCEPTED)
def test_every_accepted_construct_has_a_program(name: str) -> None:
    sources = [gast.parse(textwrap.dedent(inspect.getsource(program))) for program in PROGRAMS]
    assert any(isinstance(node, CLASSES[name]) for tree in sources for node in gast.walk(tree))


@pytest.mark.parametrize("mode", ["tangent", "adjoint"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_accepted_programs(program: object, mode: str) -> None:
    check_grads(program, (1.3,), modes=(mode,))


@pytest.mark.parametrize("name", sorted(REFUSALS))
def test_refusals_say_where_why_and_what_to_do(name: str, tmp_path: Path) -> None:
    text = REFUSALS[name]
    with pytest.raises(UnsupportedSyntaxError) as caught:
        grad(load(tmp_path, text).f)(1.3)
    error, (definition,) = caught.value, gast.parse(text).body
    outer = "AsyncFunctionDef" if isinstance(definition, gast.AsyncFunctionDef) else name
    node = next(n for n in gast.walk(definition) if type(n).__name__ == outer)
    check(error, outer, str(tmp_path / "refused.py"), node, text.splitlines()[node.lineno - 1])


@pytest.mark.parametrize("name", REFUSED)
def test_the_fence_knows_every_refused_construct(name: str) -> None:
    """Also those inside what is refused as a whole, and those of later Pythons."""
    text = REFUSALS.get(name, "def f(x):\n    return x\n")
    tree = gast.parse(text).body[0]
    source = make_source(tree, "program.py", text, 1)
    node = next((n for n in gast.walk(tree) if type(n).__name__ == name), None)
    assert (node is None) == (name in UNPARSED)
    if node is None:
        node = CLASSES[name]()
        node.lineno, node.col_offset = 2, 4
    with pytest.raises(UnsupportedSyntaxError) as caught:
        refuse(source, node)
    check(caught.value, name, "program.py", node, text.splitlines()[node.lineno - 1])


def check(error: S2sadError, name: str, file: str, node: gast.AST, line: str) -> None:
    entry, shown = GRAMMAR[name], str(error).splitlines()
    assert isinstance(entry, Refused)
    assert shown[0] == f"{entry.what} is not supported in a differentiated function"
    assert shown[1] == f'  File "{file}", line {node.lineno}, column {node.col_offset + 1}'
    assert shown[2].strip() == line.strip()
    indent = len(line) - len(line.lstrip())
    assert shown[3] == " " * (4 + node.col_offset - indent) + "^"
    assert shown[4:] == [f"  why: {entry.why}", f"  instead: {entry.instead}"]


def test_absent_constructs_say_why() -> None:
    assert all(entry.note for entry in GRAMMAR.values() if isinstance(entry, Absent))


def test_the_table_in_the_documentation() -> None:
    text = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text()
    found = re.search(r"<!-- grammar -->\n(.*)<!-- end of grammar -->", text, re.DOTALL)
    assert found is not None and found.group(1) == table(), "run: python -m s2sad.frontend.grammar"
