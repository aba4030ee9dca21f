"""A list literal that is handed from function to function is one list: what the innermost one changes, all of them see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, value_and_grad

X = np.array([0.7, 1.3])


def put(items: Any) -> None:
    items[0] = items[0] * 5.0


def add(items: Any, item: Any) -> None:
    items.append(item)


def put_and_read(items: Any) -> Any:
    put(items)
    return items[0]


def add_and_count(items: Any) -> Any:
    for k in range(3):
        add(items, k * items[0])
    return len(items) * items[-1]


def both(first: Any, second: Any) -> Any:
    add(first, 2.0)
    add(second, 3.0)
    return len(first) * first[1] * second[2]


def deeper(items: Any) -> Any:
    return put_and_read(items) * items[0]


def deeper_still(items: Any) -> Any:
    return deeper(items) + len(items) * items[0] + add_and_count(items) + len(items)


def within(pair: Any) -> Any:
    return put_and_read(pair[0]) + pair[0][0] * pair[1]


def of_lists(rows: Any) -> Any:
    put(rows[0])
    return rows[0][0] * rows[1][0]


class Holder:
    def __init__(self, items: Any) -> None:
        self.items = items
        put(items)

    def put(self, items: Any) -> Any:
        put(items)
        put(self.items)
        return items[0] * self.items[0]


def held(holder: Any) -> Any:
    return put_and_read(holder.items) * holder.items[0]


def handed_on(items: Any, change: Any) -> Any:
    change(items)
    return items[0]


def on_one_path(items: Any) -> Any:
    if items[0] > 0:
        put(items)
    return items[0]


def generated(items: Any) -> Any:
    put(items)
    yield items[0]


CALLS = {
    "one": lambda x: put_and_read([x[0]]),
    "constants": lambda x: put_and_read([2.0]) * x[1],
    "two levels": lambda x: deeper([x[0]]) + x[1],
    "three levels": lambda x: deeper_still([x[0]]) * x[1],
    "appended": lambda x: add_and_count([x[0]]) * x[1],
    "one list twice": lambda x: (lambda items: both(items, items))([x[0]]) * x[1] + both([x[0]], [x[0], x[1]] + [x[1]]),
    "in a tuple": lambda x: within(([x[0]], x[1])),
    "of lists": lambda x: of_lists([[x[0]], [x[1]]]),
    "method": lambda x: Holder([x[0]]).put([x[1]]),
    "field": lambda x: held(Holder([x[0]])) * x[1],
    "function beside it": lambda x: handed_on([x[0]], put) * x[1],
    "path": lambda x: on_one_path([x[0]]) * x[1],
    "generator": lambda x: sum(generated([x[0]])) * x[1],
    "lambda": lambda x: (lambda items: (put(items), items[0])[1])([x[0]]) * x[1],
    "map": lambda x: sum(map(put_and_read, [[x[0]], [x[1]]])) * x[1],
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_right(call: Callable[[Any], Any]) -> None:
    assert value_and_grad(call)(X)[0] == pytest.approx(call(X))
    check_grads(call, (X,), order=2)
