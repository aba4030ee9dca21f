"""Objects that may be None, or of which only the run tells which they are: what their fields are set to, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from s2sad import UnsupportedSyntaxError, grad, jvp


class Node:
    """A node of a tree."""

    def __init__(self, v: Any) -> None:
        self.v, self.left, self.right = v, None, None


def insert(node: Any, v: Any) -> Any:
    if node is None:
        return Node(v)
    if v < node.v:
        node.left = insert(node.left, v)
    else:
        node.right = insert(node.right, v)
    return node


def test_none_has_no_fields_to_be_set() -> None:
    def f(s: Any) -> Any:
        best = None
        if s > 1:
            best = Node(s)
        best.v = s * s
        return best.v * s

    assert grad(f)(2.0) == 12.0
    for derive in (grad(f), lambda s: jvp(f, (s,), (1.0,))):
        with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'v'"):
            derive(0.5)


def test_what_to_write_in_place_of_trees_that_grow_by_comparisons() -> None:
    def f(s: Any) -> Any:
        root = None
        for v in (s, 2.0, s * s):
            root = insert(root, v)
        return root.v

    with pytest.raises(UnsupportedSyntaxError, match="nodes by their numbers") as caught:
        grad(f)(3.0)
    assert "node.left = insert(node.left, v)" in str(caught.value)
