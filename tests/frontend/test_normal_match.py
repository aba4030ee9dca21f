"""`match` statements: what they become, and that this matches what Python matches."""

from __future__ import annotations

import itertools
import math
import re
import textwrap
from dataclasses import dataclass
from enum import Enum
from typing import Any

import pytest
from normal_support import normal_text, parse, run, tidy

from s2sad.errors import UnsupportedSyntaxError
from s2sad.frontend.normal import normalise


@dataclass
class Point:
    x: Any = 0
    y: Any = 0


@dataclass
class Named(Point):
    name: str = "p"


class Color(Enum):
    RED = 1
    BLUE = 2


SCOPE = {"Point": Point, "Named": Named, "Color": Color, "print": print}
ITEMS = [0, 1, 2, -1, 2.5, True, None, "on", math.nan, Color.RED, b"ab"]
SUBJECTS = [
    *ITEMS,
    *([a] for a in ITEMS[:5]),
    *itertools.product([0, 1, 2], [1, 2, "on"]),
    *([a, *rest] for a in (0, 1, "on") for rest in ([1, 2], [2, 1], [0, 0, 1], [(1, 2)])),
    [],
    (),
    "onoff",
    {},
    {"kind": 1},
    {"kind": 1, "size": (1, 2)},
    {"kind": 2, "size": [3], "other": None},
    {"kind": Point(1, 2), -1: 0},
    {1, 2},
    Point(),
    Point(1, 2),
    Point(2, [1, 2]),
    Named(1, 2),
    Named(0, 0, "on"),
]

STATEMENTS = {
    "values": """
        case 0 | 1:
            r = "small"
        case -1 | 2.5:
            r = "odd"
        case "on" | b"ab":
            r = "text"
        case Color.RED:
            r = "red"
    """,
    "singletons": """
        case None:
            r = 0
        case True:
            r = 1
        case False:
            r = 2
        case _:
            r = 3
    """,
    "captures": """
        case 1:
            r = "one"
        case other:
            r = other
    """,
    "guards": """
        case (int() | float()) as n if n > 1:
            r = n
        case int(n) if n < 0:
            r = -n
        case n if n == 0:
            r = "zero"
        case str(s):
            r = s
        case None if s is None:
            r = "none"
    """,
    "the subject's own name": """
        case [subject, 1] if subject == 2:
            r = "first", subject
        case [1, subject]:
            r = "second", subject
        case subject:
            r = "third", subject
    """,
    "sequences": """
        case []:
            r = "empty"
        case [1]:
            r = "one"
        case (a, 1):
            r = a
        case [a, b] if a == b:
            r = "same"
        case [a, (b, c)]:
            r = a, b, c
        case [0, *rest]:
            r = rest
        case [*rest, 2]:
            r = "2", rest
        case [first, *_, last]:
            r = first, last
        case [*everything]:
            r = everything
    """,
    "mappings": """
        case {"kind": 1, "size": (w, h)}:
            r = w, h
        case {"kind": 1, **rest}:
            r = rest
        case {"kind": int(k), "size": [s], **rest}:
            r = k, s, rest
        case {-1: n, "kind": Point(x=x)} if x:
            r = n, x
        case {**everything}:
            r = everything
    """,
    "classes": """
        case Point(x=0, y=0, name=n):
            r = "origin", n
        case Named(x=x) as p if p.y > x:
            r = p, x
        case Point(x=1 | 2 as x, y=[a, b]):
            r = x, a, b
        case Point(y=y):
            r = y
        case dict() | set():
            r = "unordered"
    """,
    "alternatives that capture": """
        case [a, 1] | [1, a] | {"kind": a}:
            r = a
        case (Point(x=a, y=[b, _]) | [a, b]) as c if a:
            r = a, b, c
        case Point(x=1 as k) | Point(y=2 as k):
            r = k
        case (1 as k) | (2 as k):
            r = k
    """,
    "jumps": """
        case 0:
            return "returned"
        case [a, *_]:
            for a in (1, 2, a):
                match a:
                    case 2:
                        continue
                    case "on":
                        break
                    case 0:
                        return a
                r = a
        case _ if subject:
            raise KeyError(str(subject))
    """,
}

TUPLES = {
    "pairs": """
        case (0, y) if y:
            r = y
        case (x, 1 | 2):
            r = x
        case (y, x) if x != y:
            r = x, y
        case [_, _, _]:
            r = "never"
        case pair:
            r = pair
    """,
    "stars": """
        case (1, *rest):
            r = rest
        case (*rest, [1, *_]):
            r = rest
        case [*rest, _, _, _]:
            r = "never"
        case tuple() as pair if pair[0] is None:
            r = pair
        case (_, _) | 3:
            r = "any"
    """,
}


def program(subject: str, cases: str, parameters: str = "subject") -> str:
    """A function around the cases, which gives its local variables too."""
    body = tidy(f"match {subject}:\n" + textwrap.indent(textwrap.dedent(cases), "    ")).replace(
        "\n", "\n    "
    )
    return f"def f({parameters}):\n    r = s = None\n    {body}\n    return dict(locals())"


def outcome(program: str, source: str, *args: object) -> str:
    """What a program gives, of the local variables those that the source has too."""
    try:
        result = run(program, SCOPE)(*args)
    except KeyError as error:
        return repr(error)
    if isinstance(result, dict):
        own = set(re.findall(r"\w+", source))
        result = sorted((name, value) for name, value in result.items() if name in own)
    return repr(result)


@pytest.mark.parametrize("name", STATEMENTS)
def test_matches_what_python_matches(name: str) -> None:
    source = program("subject", STATEMENTS[name])
    after = normal_text(source)
    results = {outcome(source, source, subject) for subject in SUBJECTS}
    assert len(results) > 3, "the subjects tell the cases apart"
    for subject in SUBJECTS:
        assert outcome(after, source, subject) == outcome(source, source, subject), f"{subject}\n{after}"


@pytest.mark.parametrize("name", TUPLES)
@pytest.mark.parametrize("subject", ["(x, y)", "(x, abs(1), y)[::2]", "x, (y)", "(x, *[y])", "((x := x), y)"])
def test_written_tuples(name: str, subject: str) -> None:
    source = program(subject, TUPLES[name], "x, y")
    after = normal_text(source)
    for x, y in itertools.product([0, 1, 2, None, [1, 2], "on"], repeat=2):
        assert outcome(after, source, x, y) == outcome(source, source, x, y), f"{x}, {y}\n{after}"


def test_an_expression_is_evaluated_once() -> None:
    source = program("g()", "case 1: r = 'a'\ncase [x, y] if x: r = y\ncase 2 | 3: r = 'b'", "g")
    for value in (1, [1, 5], 3):
        calls: list[int] = []

        def g(value: object = value, calls: list[int] = calls) -> object:
            calls.append(1)
            return value

        assert outcome(normal_text(source), source, g) == outcome(source, source, g)
        assert len(calls) == 2


GOLDEN = {
    "a local name needs no temporary, a global one does": (
        """
        def f(x):
            match x:
                case 1:
                    y = x
            match MODE:
                case "fast":
                    y = 2
                case _:
                    pass
            return y
        """,
        """
        def f(x):
            if x == 1:
                y = x
            subject = MODE
            if subject == 'fast':
                y = 2
            return y
        """,
    ),
    "a tuple is compared item by item": (
        """
        def f(x, y):
            match x, g(y):
                case 0, 0:
                    return x
                case 0, b:
                    return b
        """,
        """
        def f(x, y):
            subject = g(y)
            if x == 0 and subject == 0:
                out = x
            elif x == 0:
                b = subject
                out = b
            else:
                out = None
            return out
        """,
    ),
    "the guard of the last case needs no flag": (
        """
        def f(x):
            match x:
                case [a, *rest] if a > 0:
                    return rest
            return x
        """,
        """
        def f(x):
            done = False
            if isinstance(x, (list, tuple)) and len(x) >= 1:
                a = x[0]
                rest = list(x[1:])
                if a > 0:
                    out = rest
                    done = True
            if not done:
                out = x
            return out
        """,
    ),
    "the rest of a mapping": (
        """
        def f(x):
            match x:
                case {"a": 1, **others}:
                    x = others
            return x
        """,
        """
        def f(x):
            if isinstance(x, dict) and 'a' in x and x['a'] == 1:
                others = {key: value for key, value in x.items() if key not in ('a',)}
                x = others
            return x
        """,
    ),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden(name: str) -> None:
    before, after = GOLDEN[name]
    assert normal_text(before) == tidy(after)


@pytest.mark.parametrize(
    ("cases", "message"),
    [
        ("case [1, {Color.RED: 2}]: pass", "key is not a constant"),
        ("case [1, 2]: len = 3", "has its own 'len'"),
    ],
)
def test_what_cannot_be_tested_plainly_is_refused(cases: str, message: str) -> None:
    with pytest.raises(UnsupportedSyntaxError, match=message) as caught:
        normalise(parse(f"def f(x):\n match x:\n  {cases}"))
    assert caught.value.node.lineno in (2, 3)
    assert caught.value.why
    assert caught.value.instead
