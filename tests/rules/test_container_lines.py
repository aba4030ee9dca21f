"""What lines of effects say of the places of containers: it is what happens, and one line is all that a new operation needs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from mode_pairs import MODES, check, check_pair, load
from test_effects import METHODS, separate

from s2sad.ir.kinds import NONE
from s2sad.ir.nodes import Call, Const, Value
from s2sad.rules import kind_rules, registry
from s2sad.rules.containers import (
    ADDS,
    EACH,
    INSERTS,
    MAKES,
    READS,
    REMOVES,
    WRITES,
    Move,
    move_by,
    taken,
)
from s2sad.rules.effects import parsed
from s2sad.rules.registry import plain

MOVES = {name: move for name, p in registry.all_primitives().items() if (move := move_by(p)) is not None}
CASES = [(name, k) for name in MOVES if name in METHODS for k in range(len(METHODS[name][1]))]


def same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(np.array_equal(a, b) if isinstance(a, np.ndarray) else np.all(a == b))


def stands_at(items: Any, place: Any) -> Any:
    """What stands at a place of a list, dict or array; None if nothing."""
    return items.get(place) if isinstance(items, dict) else items[place]


def holds(move: Move, name: str, k: int) -> bool:
    """Whether a call does with places what its line says."""
    function, cases = METHODS[name]
    args = [separate(a) for a in cases[k]]
    put = args[move.items :] if move.does == MAKES else [] if move.items is None else [args[move.items]]
    if move.does == MAKES:
        result = function(*args)
        items = list(result.values() if isinstance(result, dict) else result)
        return len(items) == len(put) and all(map(same, items, put))
    assert move.container is not None
    items = args[move.container]
    before = separate(items)
    place = args[move.place] if isinstance(move.place, int) and move.place < len(args) else getattr(move.otherwise, "payload", -1)
    given = function(*args)
    longer = len(items) - len(before) if isinstance(items, list) else 0
    if move.place == EACH or (isinstance(place, slice) and move.does != ADDS):
        return longer == 0
    stood = None if move.does == INSERTS else stands_at(before, place)
    if move.does == READS:
        return longer == 0 and (stood is None or same(given, stood))
    if move.does == REMOVES:
        gone = place not in items if isinstance(items, dict) else longer == -1
        return gone and (stood is None or same(given, stood))
    if move.does == INSERTS:
        return longer == 1 and any(item is put[0] for item in items)
    now = stands_at(items, place)
    if move.does == WRITES:
        return longer == 0 and (now is None if move.back and put[0] is None else bool(np.all(now == put[0])))
    sign = -1.0 if move.negated else 1.0
    if isinstance(now, np.ndarray | float):
        return bool(np.allclose(now, stood + sign * put[0]))
    return longer == 0 and bool(np.isclose(total(now) - total(stood), sign * total(put[0])))


def total(value: Any) -> float:
    """The sum of all numbers in a structure."""
    if isinstance(value, list | tuple | dict):
        return sum(map(total, value.values() if isinstance(value, dict) else value))
    return 0.0 if value is None else float(np.sum(value))


@pytest.mark.parametrize(("name", "k"), CASES)
def test_a_line_says_what_happens_to_places(name: str, k: int) -> None:
    assert holds(MOVES[name], name, k)


def test_every_operation_has_a_sample() -> None:
    others = {"s2sad.attribute", "s2sad.runtime.record", "numpy.add.at", "numpy.subtract.at"}  # run in programs
    assert set(MOVES) - set(METHODS) == others


@pytest.mark.parametrize(("name", "does"), [("list.append", WRITES), ("list.pop", READS), ("operator.setitem", INSERTS)])
def test_a_wrong_line_is_found(name: str, does: str) -> None:
    move = MOVES[name]
    wrong = replace(move, does=does)
    assert not all(holds(wrong, name, k) for k in range(len(METHODS[name][1])))


@pytest.mark.parametrize("line", ["none; at", "none; longer items", "none; at a; at b", "none; adds at index"])
def test_lines_that_cannot_be_read(line: str) -> None:
    with pytest.raises(ValueError, match="effects"):
        parsed(line)


def test_what_is_read_from_known_items() -> None:
    pair, items = Value(NONE), [Const(1.0), Const(2.0)]
    read = Call(target="operator.getitem", args=[pair, Const(-1)], results=[Value(NONE)])
    assert taken(read, dict(enumerate(items))) == [items[1]]
    assert taken(Call(target="s2sad.unpack", args=[pair], results=[Value(NONE), Value(NONE)]), dict(enumerate(items))) == items
    assert taken(Call(target="operator.getitem", args=[pair, Value(NONE)], results=[Value(NONE)]), dict(enumerate(items))) is None


# --- a new operation is a line


EXCHANGE = """
import numpy as np
from new_operations import put_in, taken_from

def f(x):
    rows = [x, np.sin(x)]
    for k in range(3):
        put_in(rows, k, x * x[k] + rows[0])
    out = x
    for k in range(3):
        out = out * taken_from(rows, k % 2) + rows[0]
    return out * rows[1]
"""


@pytest.fixture
def new_operations() -> Iterator[None]:
    """Functions of a library that put into lists, and take out of them, with a line each."""
    before = dict(registry._primitives)
    plain(
        "new_operations.put_in(items, place, value) -> none; writes items; puts value in items; longer at place",
        kind=lambda _: NONE,
    )
    plain(
        "new_operations.taken_from(items, place) -> item(items); writes items; shorter at place",
        kind=lambda bound: kind_rules.item_of(bound["items"].kind),
    )
    yield
    for name in set(registry._primitives) - set(before):
        del registry._primitives[name]


@pytest.mark.usefixtures("new_operations")
def test_a_new_operation_needs_a_line_and_nothing_else() -> None:
    x = np.array([0.7, 0.4, 1.1])
    function = load(EXCHANGE)
    for mode in MODES:
        check(function, (x,), mode)
    for outer, inner in itertools.product(MODES, MODES):
        check_pair(function, (x,), outer, inner)
