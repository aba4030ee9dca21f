"""The compiler asks what functions are like: how many names of library functions stand in its passes may only fall."""

from __future__ import annotations

import ast
import re
from collections import Counter

import pytest
from import_graph import PACKAGE

from s2sad.rules import registry
from s2sad.rules.traits import TRAITS, having

PASSES = ("ad", "analysis", "optimize", "emit")
FRONT_END = "frontend"
LIBRARIES = re.compile(r"(numpy|scipy|math|cmath|itertools|functools|heapq|ndarray)(\.\w+)+")
MOST_OF_FRONT_END = {"functions": 28, "mentions": 40}  # 73 and 148 before NumPy had a room for calls: what is left is emitted
MOST = {"functions": 8, "mentions": 9}  # 52 and 121 before there were traits, 132 and 578 with Python's own at the start


def mentions(text: str) -> Counter[str]:
    """The functions of libraries that string literals of a module name, docstrings apart."""
    tree = ast.parse(text)
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    literals = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in said)
    return Counter(text for text in literals if isinstance(text, str) and LIBRARIES.fullmatch(text))


@pytest.mark.parametrize(("layers", "most"), [(PASSES, MOST), ((FRONT_END,), MOST_OF_FRONT_END)])
def test_few_functions_of_libraries_are_named(layers: tuple[str, ...], most: dict[str, int]) -> None:
    found: Counter[str] = Counter()
    for layer in layers:
        for path in sorted((PACKAGE / layer).rglob("*.py")):
            found += mentions(path.read_text(encoding="utf-8"))
    assert {"functions": len(found), "mentions": found.total()} == most, "fewer: lower the numbers; more: have a trait say it"


def test_the_count_sees_names() -> None:
    assert mentions('"""numpy.copy"""\nX = {"numpy.sin": 1}\nf("ndarray.T", "numpy.sin", "of numpy.cos")') == {
        "numpy.sin": 2, "ndarray.T": 1,
    }  # fmt: skip


@pytest.mark.parametrize("trait", TRAITS)
def test_a_trait_is_stated_and_asked_for(trait: str) -> None:
    """Of functions that there are; ``odd by 0`` and its like are asked for by their numbers."""
    known = ("numpy", "math", "cmath", "scipy", "operator", "builtins", "ndarray", "list", "dict", "s2sad")
    assert having(trait)
    assert {name.partition(".")[0] for name in having(trait)} <= {*known}
    numbered = re.fullmatch(r"(odd by|shaped as) \d", trait)
    asked = f'having(f"{numbered[1]} {{k}}")' if numbered else f'having("{trait}")'
    files = (path for layer in (*PASSES, FRONT_END, "rules") for path in (PACKAGE / layer).rglob("*.py"))
    assert any(asked in path.read_text(encoding="utf-8") for path in files)


def test_functions_with_traits_exist() -> None:
    unknown = [name for trait in TRAITS for name in having(trait) if registry.lookup(name) is None and "." in name]
    live = [name for name in unknown if registry.find_object(name) is None]
    assert live == []
