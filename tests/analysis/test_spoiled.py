"""``overwrite_a=True``: what may be destroyed must not be read afterwards; where nobody does, nothing is destroyed."""

from __future__ import annotations

import numpy as np
import pytest
from mode_pairs import MODES, check, load

from s2sad.errors import AliasError

X = np.array([0.7, 1.1, 0.3])
HEAD = """import numpy as np
import scipy.linalg as sl

G = np.asfortranarray(np.eye(3))


def mat(x):
    return np.outer(x, x) + 4.0 * np.eye(3)


def solved(a, b):
    return sl.solve(a, b, overwrite_a=True)


"""
READ = {
    "as a statement": "a = mat(x)\nsl.solve(a, x, overwrite_a=True)\nreturn np.sum(a**2)",
    "right-hand side": "b = x * 1.0\ny = sl.solve(mat(x), b, overwrite_b=True)\nreturn np.sum(b**2) + np.sum(y)",
    "a window": "a = mat(x)\nw = a[1:]\nc = sl.cho_factor(a, overwrite_a=True)\nreturn np.sum(w**2) + np.sum(c[0])",
    "in a list": "a = mat(x)\nheld = [a]\nsl.lu_factor(a, overwrite_a=True)\nreturn np.sum(held[0] ** 2)",
    "in a helper": "a = mat(x)\ny = solved(a, x)\nreturn np.sum(a) * y[0]",
    "in the next round": "a, s = mat(x), 0.0\nfor k in range(2):\n    s += sl.solve(a, x * k, overwrite_a=True)[0]\nreturn s",
    "written out": "a = mat(x)\nq, r = sl.qr(a, overwrite_a=True)\nreturn np.sum(a**2) + np.sum(r**2)",
    "returned": "a = mat(x)\ny = sl.solve(a, x, overwrite_a=True)\nreturn a",
    "of the module": "return np.sum(sl.solve(G, x, overwrite_a=True))",
    "perhaps": "a = mat(x)\ny = sl.solve(a, x, overwrite_a=x[0] > 0.0)\nreturn np.sum(y) + a[0, 0]",
}
UNREAD = {
    "last use": "a = mat(x)\ns = np.trace(a)\nreturn s * np.sum(sl.solve(a, x, overwrite_a=True))",
    "in rounds": "s = x\nfor k in range(2):\n    a = mat(x) * k + G\n    s = s + sl.inv(a, overwrite_a=True)[0]\nreturn s",
    "in a helper": "return np.sum(solved(mat(x), x) * solved(mat(x), x * x))",
    "in one arm": "a = mat(x)\nif x[0] > 0.0:\n    s = sl.solve(a, x, overwrite_a=True)[0]\nelse:\n    s = np.sum(a)\nreturn s",
    "not allowed": "a = mat(x)\ny = sl.solve(a, x, overwrite_a=False)\nreturn np.sum(a**2) * y[0]",
    "the argument": "return np.sum(sl.solve_triangular(np.eye(3) * 2.0, x, overwrite_b=True) ** 2)",
}


def program(body: str):
    return load(HEAD + "def f(x):\n" + "".join(f"    {line}\n" for line in body.split("\n")))


@pytest.mark.parametrize("name", READ)
def test_what_may_be_destroyed_is_not_read(name: str) -> None:
    for mode in MODES:
        with pytest.raises(AliasError, match="is read after a function that may destroy it"):
            check(program(READ[name]), (X,), mode)


@pytest.mark.parametrize("name", UNREAD)
def test_what_nobody_reads_may_be_destroyed(name: str) -> None:
    for mode in MODES:
        check(program(UNREAD[name]), (X,), mode)
