"""Sets and dicts of objects: refused where which objects are in them hangs on numbers, or on the turn of a loop."""

from __future__ import annotations

from typing import Any

import pytest

from s2sad import CompilerError, S2sadError, grad, jvp


class Node:
    def __init__(self, v: Any) -> None:
        self.v = v


def put_in_on_one_path(s: Any) -> Any:
    a, visited = Node(s), set()
    if s > 0.8:
        visited.add(a)
    return s * s if a in visited else s


def another_on_each_path(s: Any) -> Any:
    a, b, visited = Node(s), Node(s), set()
    if s > 0.8:
        visited.add(a)
    else:
        visited.add(b)
    return s * s if a in visited else s


def taken_out_on_one_path(s: Any) -> Any:
    a, b = Node(s), Node(2 * s)
    visited = {a, b}
    if s > 0.1:
        visited.discard(a)
    return s * s if a in visited else s


def another_in_each_turn(s: Any, turns: Any) -> Any:
    visited = set()
    for k in range(turns):
        node = Node(s * k)
        if node not in visited:
            visited.add(node)
            s = s + node.v * node.v
    return s


def one_of_two(s: Any) -> Any:
    a, b = Node(s), Node(2 * s)
    visited = {a}
    c = a if s > 0.1 else b
    return s * s if c in visited else s


def as_a_result(s: Any) -> Any:
    a = Node(s)
    return {a: s}


PROGRAMS = (put_in_on_one_path, another_on_each_path, taken_out_on_one_path, one_of_two, as_a_result)


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_numbers_decide_is_refused(program: Any) -> None:
    with pytest.raises(S2sadError) as caught:
        grad(program)(0.5)
    assert not isinstance(caught.value, CompilerError)


def test_loops_of_unknown_length_are_refused() -> None:
    with pytest.raises(S2sadError) as caught:
        grad(another_in_each_turn)(0.5, 100_000)
    assert not isinstance(caught.value, CompilerError)


class Plain:
    def __init__(self, v):
        self.v = v


def chain_without_links(x):
    nodes, parent = [Plain(x), Plain(2 * x)], {}
    here = nodes[0]
    while here in parent:
        here = parent[here]
    return here.v * x


def caught_key(x):
    node, table = Plain(x), {}
    try:
        return table[node] * x
    except KeyError:
        return node.v * x


@pytest.mark.parametrize("function", [chain_without_links, caught_key])
def test_a_dict_that_nobody_fills(function):
    assert function(3.0) == 9.0
    assert grad(function)(3.0) == 6.0
    assert jvp(function, (3.0,), (1.0,)) == (9.0, 6.0)
