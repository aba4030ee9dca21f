"""Search trees of lists (``[value, left, right]``) that grow in a loop: right in forward mode, refused in reverse mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import S2sadError, jvp, vjp

X = np.array([0.6, 0.3, 0.9])


class Tree:
    def __init__(self):
        self.root = None

    def insert(self, v):
        if self.root is None:
            self.root = [v, None, None]
            return
        node = self.root
        while True:
            k = 1 if v < node[0] else 2
            if node[k] is None:
                node[k] = [v, None, None]
                return
            node = node[k]


def in_order(node):
    return [] if node is None else in_order(node[1]) + [node[0]] + in_order(node[2])


def beside_the_root(x):
    tree = Tree()
    for v in x:
        tree.insert(v)
    return tree.root[0] * 2.0 + (tree.root[1][0] if tree.root[1] is not None else 0.0)


def walked(x):
    tree = Tree()
    for v in x:
        tree.insert(v)
    return sum((i + 1) * v * v for i, v in enumerate(in_order(tree.root)))


@pytest.mark.parametrize("f", [beside_the_root, walked], ids=lambda f: f.__name__)
def test_grown(f: Callable[..., Any]) -> None:
    value, tangent = jvp(f, (X,), (X,))
    assert value == f(X)
    step = 1e-6 * X
    np.testing.assert_allclose(tangent, (f(X + step) - f(X - step)) / 2e-6, rtol=1e-8)
    with pytest.raises(S2sadError, match="writing into this list|lists and other items"):
        vjp(f, X)
