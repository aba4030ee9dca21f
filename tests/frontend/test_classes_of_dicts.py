"""What a dict gives for a key that is missing depends on its class, wherever it comes from; differences in both modes."""
# ruff: noqa: C408  (what people post)

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from s2sad import S2sadError, check_grads, grad, hvp

COUNTS = Counter(b=2)
ORDERED = OrderedDict(a=1.0)
MAKING: defaultdict[str, float] = defaultdict(float, a=1.0)
HELD = {"inner": [Counter(b=2), dict(b=2.0)]}


def missing(d: Any, x: Any) -> Any:
    try:
        v = d["zz"]
    except KeyError:
        v = 5.0 * x
    return (v + 1) * x + len(d) * x * x


def in_place(d: Any, x: Any) -> Any:
    d["zz"] += x
    return d["zz"] * x + len(d) * x + (x if "zz" in d else 7.0 * x) + d.get("yy", 3.0) * x


def computed(d: Any, x: Any) -> Any:
    total = 0.0
    for k in range(4):
        key = "abzz"[k]
        total = total + (d[key] + k) * x
    return total * x + len(d) * x


def updated(d: Any, x: Any) -> Any:
    d.update({"a": x * x})
    return d["a"] * x


def classes(d: Any, x: Any) -> Any:
    which = 2.0 if isinstance(d, Counter) else 3.0 if isinstance(d, defaultdict) else 4.0 if isinstance(d, OrderedDict) else 5.0
    return x * x * which + (x if type(d) is dict else 0.0)


def copied(d: Any, x: Any) -> Any:
    return looked_up(d.copy(), "zz", x) * x + looked_up({**d}, "zz", x) * x + looked_up(dict(d), "zz", x) * x


GIVEN: dict[str, Callable[[], Any]] = {
    "dict": lambda: dict(a=1.0), "Counter": lambda: Counter(a=2), "OrderedDict": lambda: OrderedDict(a=1.0),
    "float": lambda: defaultdict(float, a=1.0), "lambda": lambda: defaultdict(lambda: 3.0, a=1.0),
    "None": lambda: defaultdict(None, a=1.0),
}  # fmt: skip
RAISES = ("dict", "OrderedDict", "None")


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("program", [missing, updated, classes, copied, in_place, computed])
def test_given(program: Callable[..., Any], given: str) -> None:
    make, h = GIVEN[given], 1e-5
    if program in (in_place, computed) and given in RAISES:
        with pytest.raises((KeyError, S2sadError)):
            grad(program, 1)(make(), 2.0)
        return
    difference = (program(make(), 2.0 + h) - program(make(), 2.0 - h)) / (2 * h)
    assert grad(program, 1)(make(), 2.0) == pytest.approx(difference, rel=1e-6)
    second = (grad(program, 1)(make(), 2.0 + h) - grad(program, 1)(make(), 2.0 - h)) / (2 * h)
    assert hvp(program, (make(), 2.0), (1.0,), wrt=1)[1] == pytest.approx(second, rel=1e-5)


@pytest.mark.parametrize("given", GIVEN)
def test_held(given: str) -> None:
    def of_field(o: Any, x: Any) -> Any:
        return looked_up(o.d, "zz", x) * x

    def of_item(items: Any, x: Any) -> Any:
        return looked_up(items[0], "zz", x) * x

    h, make = 1e-5, GIVEN[given]
    for f, hold in ((of_field, lambda d: SimpleNamespace(d=d)), (of_item, lambda d: [d, {}]), (of_item, lambda d: (d,))):
        difference = (f(hold(make()), 2.0 + h) - f(hold(make()), 2.0 - h)) / (2 * h)
        assert grad(f, 1)(hold(make()), 2.0) == pytest.approx(difference, rel=1e-6)


def outside(x: Any) -> Any:
    return missing(COUNTS, x) + missing(ORDERED, x) + missing(HELD["inner"][0], x) + missing(HELD["inner"][1], x)


def made_here(x: Any) -> Any:
    def made() -> Any:
        d: dict[str, Any] = defaultdict(float)
        d["a"] = x * x
        return d

    return missing(made(), x)


def through_functions(x: Any) -> Any:
    d: dict[int, Any] = defaultdict(float)
    for k in range(3):
        d[k] += x * k
    return looked_up(d, 5, x) * x + deep(d, 4, 3, x) + x


def looked_up(d: Any, key: int, x: Any) -> Any:
    try:
        v = d[key]
    except KeyError:
        v = 5.0 * x
    return v


def deep(d: Any, key: int, n: int, x: Any) -> Any:
    return deep(d, key + 1, n - 1, x) + x if n > 0 else d[key] * x + x


def of_a_list(x: Any) -> Any:
    found = []
    for k in range(3):
        d: dict[int, Any] = defaultdict(float)
        d[k] = x
        found.append(d)
    return looked_up(found[1], 7, x) * x + x


def united(x: Any) -> Any:
    d: dict[int, Any] = defaultdict(float)
    for k in range(3):
        d[k] += x * k
    return looked_up(d | {77: x}, 7, x) * x + looked_up({77: x} | d, 7, x) + x


@pytest.mark.parametrize("program", [outside, made_here, through_functions, of_a_list, united])
def test_made_or_found(program: Callable[..., Any]) -> None:
    check_grads(program, (2.0,))


def test_left_outside() -> None:
    """A defaultdict outside keeps what it has made, as after a call of the function."""

    def f(x: Any) -> Any:
        MAKING["zz"] += x
        return MAKING["zz"] * x

    assert grad(f)(2.0) == pytest.approx(4.0)
    assert MAKING.pop("zz") == 2.0


def one_of_two(x: Any) -> Any:
    d: dict[str, Any] = {"a": x}
    if x > 1.0:
        d = defaultdict(float)
        d["a"] = x
    return missing(d, x)


def either(d: Any, e: Any, n: int, x: Any) -> Any:
    return missing(d if n > 0 else e, x)


def counted_or(x: Any) -> Any:
    c = Counter(a=2)
    c |= {"a": 3}
    return c["a"] * x


def test_refused() -> None:
    """Where it is not known which of them it is, a key that is missing is refused as the program comes there, or before."""
    with pytest.raises(S2sadError, match="missing"):
        grad(one_of_two)(2.0)
    with pytest.raises(S2sadError, match="missing"):
        grad(either, 3)(defaultdict(float, a=1.0), dict(a=1.0), 1, 2.0)
    with pytest.raises(S2sadError, match="Counter"):
        grad(counted_or)(2.0)


def attempts(items: Any, x: Any) -> Any:
    total = 0.0
    for d in items:
        try:
            v = d["zz"]
            d["q"] = x
        except KeyError:
            v = x
        total = total + v * x + x
    return total


def test_attempt_that_certainly_fails() -> None:
    """A ``try`` whose statements are followed for the first dict fails at once for the second: a CompilerError once."""
    h = 1e-5
    for make in (lambda: [dict(zz=2.0), dict(a=1.0)], lambda: [defaultdict(float), Counter(a=1), dict(a=1.0)]):
        difference = (attempts(make(), 2.0 + h) - attempts(make(), 2.0 - h)) / (2 * h)
        assert grad(attempts, 1)(make(), 2.0) == pytest.approx(difference, rel=1e-6)
