"""Lists that recursive functions make longer or shorter: which of their parameters these are, or hold."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from s2sad.analysis.resizing import Resizing
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import BOOL, FLOAT, INT, List
from s2sad.ir.nodes import Block, Const, For, Function, If, Param, Value
from s2sad.rules import registry

ROW = List(FLOAT)
ROWS = List(ROW)


class _Body:
    """The body of ``go(m, w, n)``: m is a list of lists, w a list, n a number."""

    def __init__(self) -> None:
        self.m, self.w, self.n = Value(ROWS, "m"), Value(ROW, "w"), Value(INT, "n")
        self.builder = Builder(Block(), registry.infer)

    def call(self, target: str, *args: object, kind: List | None = None) -> Value:
        found = self.builder.call(target, *args)
        found.kind = kind or found.kind
        return found

    def row(self) -> Value:
        return self.call("builtins.list", kind=ROW)

    def append(self, items: Value, item: Value | None = None) -> None:
        self.call("list.append", items, self.call("operator.getitem", self.w, 0) if item is None else item)

    def put(self, row: Value) -> None:
        self.call("operator.setitem", self.m, 0, row)

    def loop(self, init: list[Value], params: list[Value]) -> Block:
        over = self.call("builtins.range", self.n)
        body = Block([Value(INT, "k"), *params])
        self.builder.append(For([Value(p.kind) for p in params], iterable=over, init=init, body=body))
        return body

    def function(self) -> Function:
        block = self.builder.block
        block.yields = [Const(0.0)]
        return Function("go", [Param(self.m), Param(self.w), Param(self.n)], block)


def filled_then_put(go: _Body) -> None:
    row = go.row()
    go.append(row)
    go.put(row)


def filled_in_a_loop_then_put(go: _Body) -> None:
    row = go.row()
    with go.builder.inside(go.loop([], [])):
        go.append(row)
    go.put(row)


def made_in_each_turn(go: _Body) -> None:
    with go.builder.inside(go.loop([], [])):
        filled_then_put(go)


def a_part(go: _Body) -> None:
    row = go.call("operator.getitem", go.w, slice(1, None), kind=ROW)
    go.append(row)
    go.put(row)


def put_then_filled(go: _Body) -> None:
    row = go.row()
    go.put(row)
    go.append(row)


def put_and_filled_in_turns(go: _Body) -> None:
    row = go.row()
    with go.builder.inside(go.loop([], [])):
        go.append(row)
        go.put(row)


def put_on_some_paths(go: _Body) -> None:
    row = go.row()
    branch = If([], cond=Value(BOOL, "asked"))
    go.builder.append(branch)
    with go.builder.inside(branch.then):
        go.put(row)
    go.append(row)


def either(go: _Body) -> None:
    row = go.row()
    branch = If([Value(ROW, "v")], cond=Value(BOOL, "asked"))
    branch.then.yields, branch.orelse.yields = [row], [go.w]
    go.builder.append(branch)
    go.append(branch.result)
    go.append(row)


def put_by_another_name(go: _Body) -> None:
    row = go.row()
    branch = If([Value(ROW, "v")], cond=Value(BOOL, "asked"))
    branch.then.yields, branch.orelse.yields = [row], [go.row()]
    go.builder.append(branch)
    go.put(branch.result)
    go.append(row)


def carried(go: _Body) -> None:
    row, v = go.row(), Value(ROW, "v")
    body = go.loop([row], [v])
    with go.builder.inside(body):
        go.append(v)
        body.yields = [go.w]
    go.append(row)


def handed_to_a_function(go: _Body) -> None:
    m, row = Value(ROWS, "m"), Value(ROW, "row")
    put = Function("put", [Param(m), Param(row)], Block())
    Builder(put.body, registry.infer).call("operator.setitem", m, 0, row)
    made = go.row()
    go.builder.call_function(put, [go.m, made], [])
    go.append(made)


def an_item_of_a_part(go: _Body) -> None:
    rows = go.call("operator.getitem", go.m, slice(1, None), kind=ROWS)
    go.append(rows, go.w)
    go.append(go.call("operator.getitem", rows, 0, kind=ROW))


def a_parameter(go: _Body) -> None:
    go.call("list.pop", go.w)


MADE = [filled_then_put, filled_in_a_loop_then_put, made_in_each_turn, a_part]
GIVEN: list[tuple[Callable[[_Body], None], list[str]]] = [
    (put_then_filled, ["m"]), (put_and_filled_in_turns, ["m"]), (put_on_some_paths, ["m"]), (either, ["w"]),
    (put_by_another_name, ["m"]), (carried, ["w"]), (handed_to_a_function, ["m"]),
    (an_item_of_a_part, ["m", "w"]), (a_parameter, ["w"]),
]  # fmt: skip


@pytest.mark.parametrize(("build", "names"), [*((f, []) for f in MADE), *GIVEN])
def test_lists_that_are_made_are_no_parameters_until_given_away(build: Callable[[_Body], None], names: list[str]) -> None:
    go = _Body()
    build(go)
    function = go.function()
    assert [function.values[k].name for k in sorted(Resizing().positions(function))] == names
