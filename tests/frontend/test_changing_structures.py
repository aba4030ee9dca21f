"""Names whose structure shrinks or grows from one iteration to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mode_pairs import MODES, check, load

from s2sad import UnsupportedSyntaxError, check_grads, grad

HEAD = """import numpy as np


class Link:
    def __init__(self, v, rest):
        self.v = v
        self.rest = rest


def f(a):
"""
CHAIN = "p = Link(a[0], Link(a[1], Link(a[2], None)))\n"
BODIES = {
    "until none": CHAIN + "t = 0.0\nwhile p is not None:\n    t += p.v**2\n    p = p.rest\nreturn t",
    "until the last": CHAIN + "t = 0.0\nwhile p.rest is not None:\n    t += p.v**2\n    p = p.rest\nreturn t",
    "while true": CHAIN + "t = 0.0\nwhile p:\n    t += p.v**2\n    p = p.rest\nreturn t",
    "counted": CHAIN + "for k in range(2):\n    p = p.rest\nreturn p.v * a[0]",
    "made in a loop": "p = None\nfor k in range(3):\n    p = Link(a[k] * a[0], p)\nreturn p.v + p.rest.v",
    "tuples": "p = (a[0], (a[1], (a[2], None)))\nt = 0.0\nwhile p is not None:\n    t += p[0] ** 2\n    p = p[1]\nreturn t",
    "growing tuples": "p = None\nfor k in range(3):\n    p = (a[k] * a[0], p)\nreturn p[0] * p[1][0]",
}


def program(body: str) -> Callable[..., Any]:
    return load(HEAD + "".join(f"    {line}\n" for line in body.split("\n")))


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_right(body: str) -> None:
    for mode in MODES:
        check(program(body), (np.array([0.3, 0.7, 1.1]),), mode)


def test_a_number_and_a_list() -> None:
    check_grads(program("s = [a[0]]\nreturn np.sum(np.sum(a) + s)"), (np.ones(3),))
    check_grads(program("s = []\nfor v in a:\n    s.append(v)\nreturn np.sum(np.sum(a) + s)"), (np.ones(40),))
    with pytest.raises(UnsupportedSyntaxError, match="Python raises a TypeError"):
        grad(program("s = []\nfor v in a:\n    s.append(v)\nreturn np.sum(1.0 + s)"))(np.ones(40))
