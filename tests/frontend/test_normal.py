"""The normal form, program by program: what the passes write, and where it comes from."""

from __future__ import annotations

import copy
import importlib
import inspect
import re
from collections.abc import Callable
from typing import Any

import gast
import pytest
from normal_support import is_normal, normal_text, own_nodes, parse, text, tidy

from s2sad.errors import UnsupportedSyntaxError
from s2sad.frontend.normal import normalise
from s2sad.frontend.normal.early_returns import shorten_returns
from s2sad.frontend.normal.matching import replace_matches
from s2sad.frontend.normal.names import FreshNames
from s2sad.frontend.normal.targets import tidy_targets
from s2sad.frontend.normal.unreachable import drop_unreachable


def on_body(
    step: Callable[[list[gast.stmt]], list[gast.stmt]],
) -> Callable[[gast.FunctionDef], gast.FunctionDef]:
    def run(func: gast.FunctionDef) -> gast.FunctionDef:
        func.body = step(func.body)
        return func

    return run


def in_place(
    step: Callable[[gast.FunctionDef, FreshNames], None],
) -> Callable[[gast.FunctionDef], gast.FunctionDef]:
    def run(func: gast.FunctionDef) -> gast.FunctionDef:
        step(func, FreshNames(func))
        return func

    return run


@pytest.mark.parametrize(
    ("module", "step"),
    [
        ("normal", normalise),
        ("normal.exits", normalise),
        ("normal.loop_else", normalise),
        ("normal.matching", in_place(replace_matches)),
        ("normal.targets", in_place(tidy_targets)),
        ("normal.unreachable", on_body(drop_unreachable)),
        ("normal.early_returns", on_body(shorten_returns)),
    ],
)
def test_the_example_in_the_docstring_is_what_the_pass_does(module: str, step: Any) -> None:
    explanation = inspect.getdoc(importlib.import_module("s2sad.frontend." + module))
    before, after = re.findall(r"::\n\n((?:    .*\n|\n)+)", (explanation or "") + "\n")
    assert text(step(parse(before))) == tidy(after)


GOLDEN = {
    "a single return stays as it is": (
        """
        def f(x, y):
            return x * y
        """,
        """
        def f(x, y):
            return x * y
        """,
    ),
    "falling off the end returns None": (
        """
        def f(a, x):
            a[0] = x
        """,
        """
        def f(a, x):
            a[0] = x
            return None
        """,
    ),
    "early returns become branches, without flags": (
        """
        def f(x):
            if x > 2:
                return x
            if x > 1:
                y = x * x
            elif x > 0:
                return -x
            else:
                return 0.0
            return y + 1
        """,
        """
        def f(x):
            if x > 2:
                out = x
            elif x > 1:
                y = x * x
                out = y + 1
            elif x > 0:
                out = -x
            else:
                out = 0.0
            return out
        """,
    ),
    "returns of None in a kernel need no result": (
        """
        def f(a, n):
            if n == 0:
                return
            a[0] = n
            if n == 1:
                return None
            a[1] = n
        """,
        """
        def f(a, n):
            if not n == 0:
                a[0] = n
                if not n == 1:
                    a[1] = n
            return None
        """,
    ),
    "a flag only where both branches may go on": (
        """
        def f(x, y):
            if x > 0:
                if y > 0:
                    return x
                x = y
            z = x * y
            return z
        """,
        """
        def f(x, y):
            done = False
            if x > 0:
                if y > 0:
                    out = x
                    done = True
                else:
                    x = y
            if not done:
                z = x * y
                out = z
            return out
        """,
    ),
    "a break at the end of the body": (
        """
        def f(x, tol):
            while True:
                x = x / 2
                if x < tol:
                    break
            return x
        """,
        """
        def f(x, tol):
            while True:
                x = x / 2
                stop = x < tol
                if stop:
                    break
            return x
        """,
    ),
    "breaks one after the other": (
        """
        def f(xs, s):
            for x in xs:
                if x < 0:
                    break
                s += x
                if s > 10:
                    break
                s *= 2
            return s
        """,
        """
        def f(xs, s):
            for x in xs:
                stop = x < 0
                if not stop:
                    s += x
                    stop = s > 10
                    if not stop:
                        s *= 2
                if stop:
                    break
            return s
        """,
    ),
    "a break beside other statements": (
        """
        def f(xs, s):
            for x in xs:
                if x is None:
                    s = 0
                    break
                s += x
            return s
        """,
        """
        def f(xs, s):
            for x in xs:
                stop = False
                if x is None:
                    s = 0
                    stop = True
                else:
                    s += x
                if stop:
                    break
            return s
        """,
    ),
    "continue turns the condition around": (
        """
        def f(xs, s):
            for x in xs:
                if x is None:
                    continue
                if not x:
                    continue
                s += x
            return s
        """,
        """
        def f(xs, s):
            for x in xs:
                if x is not None:
                    if x:
                        s += x
            return s
        """,
    ),
    "continue where both branches may go on": (
        """
        def f(xs, s):
            for x in xs:
                if x > 0:
                    if x > 5:
                        continue
                    s += 1
                s += x
            return s
        """,
        """
        def f(xs, s):
            for x in xs:
                skip = False
                if x > 0:
                    if x > 5:
                        skip = True
                    else:
                        s += 1
                if not skip:
                    s += x
            return s
        """,
    ),
    "a search: a constant result is given first, the return is a break": (
        """
        def f(xs):
            for x in xs:
                if x > 3:
                    return True
            return False
        """,
        """
        def f(xs):
            out = False
            for x in xs:
                stop = False
                if x > 3:
                    out = True
                    stop = True
                if stop:
                    break
            return out
        """,
    ),
    "a return out of two loops": (
        """
        def f(rows):
            for row in rows:
                for x in row:
                    if x > 3:
                        return x
                rows = row
            return len(rows)
        """,
        """
        def f(rows):
            done = False
            for row in rows:
                for x in row:
                    if x > 3:
                        out = x
                        done = True
                    if done:
                        break
                if not done:
                    rows = row
                if done:
                    break
            if not done:
                out = len(rows)
            return out
        """,
    ),
    "break and return in one loop": (
        """
        def f(xs, s):
            for x in xs:
                if x < 0:
                    return x
                if x > s:
                    break
                s += x
            return s + 1
        """,
        """
        def f(xs, s):
            done = False
            for x in xs:
                stop = False
                if x < 0:
                    out = x
                    done = True
                elif x > s:
                    stop = True
                else:
                    s += x
                stop = stop or done
                if stop:
                    break
            if not done:
                out = s + 1
            return out
        """,
    ),
    "the else of an inner loop leaves the outer one": (
        """
        def f(rows):
            for row in rows:
                for x in row:
                    if x:
                        break
                else:
                    break
                rows = x
            return rows
        """,
        """
        def f(rows):
            for row in rows:
                stop_1 = False
                for x in row:
                    stop_1 = x
                    if stop_1:
                        break
                stop = not stop_1
                if not stop:
                    rows = x
                if stop:
                    break
            return rows
        """,
    ),
    "an else without a break just follows": (
        """
        def f(n):
            while n > 0:
                n -= 2
            else:
                n = -n
            return n
        """,
        """
        def f(n):
            while n > 0:
                n -= 2
            n = -n
            return n
        """,
    ),
    "what comes after a jump is dropped": (
        """
        def f(xs):
            for x in xs:
                continue
                x = 1
            if xs:
                raise ValueError
                xs = 1
            return xs
            return 3
        """,
        """
        def f(xs):
            for x in xs:
                pass
            if xs:
                raise ValueError
            return xs
        """,
    ),
    "a branch that raises stays where it is": (
        """
        def f(x):
            if x < 0:
                raise ValueError
            y = x * x
            if y > 1:
                return y
            return 1
        """,
        """
        def f(x):
            if x < 0:
                raise ValueError
            y = x * x
            if y > 1:
                out = y
            else:
                out = 1
            return out
        """,
    ),
    "a return in a with statement, which may swallow exceptions": (
        """
        def f(x):
            with quiet():
                return 1 / x
        """,
        """
        def f(x):
            out = None
            with quiet():
                out = 1 / x
            return out
        """,
    ),
    "returns in a try statement": (
        """
        def f(x):
            try:
                return 1 / x
            except ZeroDivisionError:
                x = 1
            finally:
                close()
            return -x
        """,
        """
        def f(x):
            done = False
            try:
                out = 1 / x
                done = True
            except ZeroDivisionError:
                x = 1
            finally:
                close()
            if not done:
                out = -x
            return out
        """,
    ),
    "the else of a try statement is skipped too": (
        """
        def f(xs, s):
            for x in xs:
                try:
                    if s / x > 1:
                        continue
                except ZeroDivisionError:
                    break
                else:
                    s += 1
                s += 2
            return s
        """,
        """
        def f(xs, s):
            for x in xs:
                stop = False
                skip = False
                try:
                    if s / x > 1:
                        skip = True
                except ZeroDivisionError:
                    stop = True
                else:
                    if not skip:
                        s += 1
                if not (skip or stop):
                    s += 2
                if stop:
                    break
            return s
        """,
    ),
    "an exit that may fail on the way: the jump in two steps": (
        """
        def f(x):
            try:
                with lock():
                    return x
            except ValueError:
                x = 0
            return x + 1
        """,
        """
        def f(x):
            done = False
            try:
                leave = False
                with lock():
                    value = x
                    leave = True
                if leave:
                    out = value
                    done = True
            except ValueError:
                x = 0
            if not done:
                out = x + 1
            return out
        """,
    ),
    "new names keep clear of the user's": (
        """
        def f(xs, out, stop_1):
            stop = lambda done: out_1
            for x in xs:
                if x < 0:
                    return x
                if x > 1:
                    return stop
        """,
        """
        def f(xs, out, stop_1):
            stop = lambda done: out_1
            out_2 = None
            for x in xs:
                stop_2 = False
                if x < 0:
                    out_2 = x
                    stop_2 = True
                elif x > 1:
                    out_2 = stop
                    stop_2 = True
                if stop_2:
                    break
            return out_2
        """,
    ),
    "a name that changes while a finally runs is kept": (
        """
        def f(x):
            if x:
                try:
                    return x
                finally:
                    x = 3
            return x
        """,
        """
        def f(x):
            if x:
                try:
                    out = x
                finally:
                    x = 3
            else:
                out = x
            return out
        """,
    ),
    "chained and annotated assignments": (
        """
        def f(x):
            'A docstring.'
            a = b = 1
            c = d = x
            (x, y) = e = x
            p.q = p.r = x + 1
            g = h[0] = x + 2
            i = (i, j) = k = x + 3
            m: float = 2.0
            n: float
            p.q: float
            p.f()[x]: float
            ...
            return x
        """,
        """
        def f(x):
            a = 1
            b = 1
            c = x
            d = x
            value = x
            (x, y) = value
            e = value
            value_1 = x + 1
            p.q = value_1
            p.r = value_1
            g = x + 2
            h[0] = g
            value_2 = x + 3
            i = value_2
            (i, j) = value_2
            k = value_2
            m = 2.0
            p
            p.f()
            x
            return x
        """,
    ),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden(name: str) -> None:
    before, after = GOLDEN[name]
    assert normal_text(before) == tidy(after)


@pytest.mark.parametrize("name", GOLDEN)
def test_a_normal_program_is_left_as_it_is(name: str) -> None:
    once = normal_text(GOLDEN[name][0])
    assert normal_text(once) == once


@pytest.mark.parametrize("name", GOLDEN)
def test_new_nodes_have_a_place_inside_the_function(name: str) -> None:
    func = parse(GOLDEN[name][0])
    for node in own_nodes(normalise(func).body):
        if "lineno" in node._attributes:
            assert func.lineno < node.lineno <= node.end_lineno <= func.end_lineno
            assert (node.lineno, node.col_offset) <= (node.end_lineno, node.end_col_offset)


def test_a_new_statement_has_the_place_of_the_jump_it_stands_for() -> None:
    func = normalise(parse("def f(xs):\n  for x in xs:\n    if x:\n      g(x)\n      break\n  return xs"))
    *_, leave = func.body[0].body
    assert isinstance(leave.body[0], gast.Break)
    assert (leave.lineno, leave.body[0].lineno) == (5, 5)
    assert func.body[0].body[1].body[-1].lineno == 5, "stop = True"


def test_annotations_stay_on_the_name() -> None:
    target = normalise(parse("def f(x):\n  y: float = x\n  return y")).body[0].targets[0]
    assert target.annotation.id == "float"


def test_the_argument_is_left_alone() -> None:
    func = parse(GOLDEN["break and return in one loop"][0])
    before = copy.deepcopy(func)
    normalise(func)
    assert gast.dump(func) == gast.dump(before)


def test_nested_functions_and_classes_are_left_alone() -> None:
    source = """
        def f(xs):
            def g(x):
                'Nested.'
                if x:
                    return 1
                return 2
            class C:
                for i in range(3):
                    if i:
                        continue
                    pass
            for x in xs:
                pass
                if g(x):
                    return x
    """
    func = normalise(parse(source))
    original = parse(source)
    assert gast.dump(func.body[0]) == gast.dump(original.body[0])
    assert gast.dump(func.body[1]) == gast.dump(original.body[1])
    assert is_normal(func)


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("def f(x):\n  try:\n    g()\n  finally:\n    return x", 5, "jump out of a finally block"),
        (
            "def f(x):\n  for i in x:\n    try:\n      g()\n    finally:\n      if i: break",
            6,
            "jump out of a finally",
        ),
        (
            "def f(x):\n  try:\n    return x\n  finally:\n    raise KeyError",
            3,
            "finally block never ends normally",
        ),
    ],
)
def test_what_is_not_exact_is_refused(source: str, line: int, message: str) -> None:
    with pytest.raises(UnsupportedSyntaxError, match=message) as caught:
        normalise(parse(source))
    assert caught.value.node.lineno == line
    assert caught.value.why
    assert caught.value.instead


def test_a_jump_inside_a_finally_block_is_fine() -> None:
    source = "def f(x):\n  try:\n    g()\n  finally:\n    for i in x:\n      if i: break"
    assert is_normal(normalise(parse(source)))


def test_many_branches() -> None:
    lines = [f"    if x == {i}: return {i} * x" for i in range(60)]
    func = normalise(parse("\n".join(["def f(x):", *lines])))
    assert is_normal(func)
    assert text(func).count("elif") == 59


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n  x += 1",
        "def f(x):\n  if x: return 1\n  return 2",
        "def f(x):\n  for i in x:\n    continue\n  return x",
        "def f(x):\n  for i in x:\n    s = i\n    if s: break\n    t = s\n  return x",
        "def f(x):\n  for i in x:\n    t = s\n    if s: break\n  return x",
        "def f(x):\n  for i in x:\n    s = i\n    if not s: break\n  return x",
        "def f(x):\n  for i in x:\n    pass\n  else:\n    x = 1\n  return x",
        "def f(x):\n  a = b = x\n  return x",
        "def f(x):\n  a: int = x\n  return x",
        "def f(x):\n  'text'\n  return x",
        "def f(x):\n  if x:\n    pass\n    x = 1\n  return x",
        "def f(x):\n  return",
        "def f(x):\n  match x:\n    case 1: x = 2\n  return x",
    ],
)
def test_the_checker_finds_what_is_not_normal(source: str) -> None:
    assert not is_normal(parse(source))
    assert is_normal(normalise(parse(source)))
