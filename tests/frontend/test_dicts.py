"""Dicts whose keys are computed: their methods, what they share with others, what they hold; differences in both modes."""
# ruff: noqa: C404, C420, UP031  (what people post)

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from thinning import thinned

from s2sad import S2sadError, check_grads, differentiate, grad, hessian, hvp, jvp, value_and_grad, vjp

ONE = np.array([1.0, 2.0])


def other_shape(x: Any, n: Any) -> Any:
    d: dict[int, Any] = {}
    for k in range(n):
        d[k] = x * np.ones(1)
        s = np.sum(d[k])
        d[k] = x * x * np.ones(3)
        d[k] = s * d[k][:2]
    return np.sum(d[0]) * np.sum(d[n - 1] ** 2)


def never_read(x: Any, n: Any) -> Any:
    d = {}
    for k in range(n):
        d[k % 2] = x * np.arange(1.0, k + 2.0)
    return np.sum(d[0]) + np.sum(d[1] ** 2)


def comes_back(x: Any, n: Any) -> Any:
    d = {}
    for k in range(n):
        d[k] = x * k
    del d[1]
    d[1] = x * x
    total = 0.0
    for place, (k, v) in enumerate(d.items()):
        total = total * 1.5 + v * (place + 2 * k)
    taken = d.pop(2)
    return total * len(d) + taken * sum(d.values()) + d.pop(99, x)


def seen_through_both(x: Any, n: Any) -> Any:
    v = x * np.ones(2)
    d = {}
    for k in range(n):
        d[k] = v
    v[0] = x * x
    d[0][1] *= x
    return np.sum(d[n - 1] * np.array([2.0, 3.0])) + v[1]


def chosen_dict(x: Any, n: Any) -> Any:
    a: dict[int, Any] = {}
    b: dict[int, Any] = {}
    for k in range(n):
        a[k] = x * k
        b[k] = x**k
    c = a if x > 0.5 else b
    c[0] = x * 7
    return c[1] * c[2] + a[0] + b[0] * b[1]


def swapped(x: Any, n: Any) -> Any:
    old = {k: x * (k + 1) for k in range(n)}
    new: dict[int, Any] = {}
    for _ in range(3):
        for k in range(n):
            new[k] = old[k] * old[(k + 1) % n]
        old, new = new, old
    return sum(old.values()) + new[0]


def fill(d: Any, k: Any, v: Any) -> None:
    d[k] = v * v
    d[k] += v


def filled_by_another(x: Any, n: Any) -> Any:
    d = {}
    d[n] = x
    for k in range(n):
        fill(d, k, x + k)
    return sum(v * k for k, v in d.items())


def made_in_a_loop(x: Any, n: Any) -> Any:
    total = 0.0
    for i in range(n):
        row: dict[int, Any] = {}
        for k in range(i + 1):
            row[k] = row.get(k - 1, x) * x
        total += row[i] * len(row)
    return total


def defaults_of_arrays(x: Any, n: Any) -> Any:
    d = {}
    for k in range(n):
        d[k % 3] = d.get(k % 3, np.zeros(2)) + x * np.array([k, 1.0])
    return np.sum(d[0] * d[1] * d.get(7, ONE))


def holds_tuples(x: Any, n: Any) -> Any:
    d = {}
    for k in range(n):
        d[k] = (x * k, x * np.ones(2))
    total = 0.0
    for a, b in d.values():
        total += a * np.sum(b)
    first, second = d[n - 1]
    return total + first * second[0]


def holds_lists(x: Any, n: Any) -> Any:
    d: dict[int, list[Any]] = {}
    for k in range(n):
        d.setdefault(k % 2, []).append(x * k)
        d.setdefault(9, [x]).append(x)
    d[0][0] = x**3
    return sum(sum(xs) * (k + 1) for k, xs in d.items()) * len(d[1]) + d[1].pop()


def arrays_from_a_factory(x: Any, n: Any) -> Any:
    d: Any = defaultdict(lambda: np.zeros(2))
    for k in range(n):
        d[k % 2] += x * k
        d[k % 2][0] += x * x
    return np.sum(d[0] * d[1]) + np.sum(d[5]) + len(d)


def nested_factories(x: Any, n: Any) -> Any:
    d: Any = defaultdict(lambda: defaultdict(float))
    for k in range(n):
        d[k % 2][k % 3] += x * k
    return sum(sum(row.values()) ** 2 for row in d.values()) + d[1][7] + x * len(d[1])


def float_factory_of_arrays(x: Any, n: Any) -> Any:
    d: Any = defaultdict(float)
    for k in range(n):
        d[k % 2] += x * k * ONE
    return np.sum(d[0] * d[1])


def until_empty(x: Any, n: Any) -> Any:
    todo = {k: x * (k + 1) for k in range(n)}
    total = 0.0
    while todo:
        k = max(todo)
        v = todo.pop(k)
        total = total * x + v
        if k > 3 and k - 3 in todo:
            todo[k - 3] = v * todo[k - 3]
    return total


def changed_on_the_way(x: Any, n: Any) -> Any:
    d = {k: x * (k + 1) for k in range(n)}
    for k in d:
        d[k] *= d[(k + 1) % n]
    for k, v in d.items():
        d[k] = v + d[0]
    for v in list(d.values()):
        d[0] += v
    return sum(d.values())


def stale_view(x: Any, n: Any) -> Any:
    d = {k: x * k for k in range(n)}
    values, keys = d.values(), d.keys()
    d[n] = x * x
    return sum(values) * len(keys) + sum(keys)


def copies(x: Any, n: Any) -> Any:
    d = {k: x * k for k in range(n)}
    same, other, third = d, d.copy(), dict(d)
    same[1] = x * x
    other[2] = x**3
    third[0] = 5.0 * x
    return d[1] * other[1] + d[2] * other[2] + third[0] * d[0] + third[1]


def given_dict(p: Any, n: Any) -> Any:
    for k in range(n):
        p["w" + str(k)] = p["w" + str(k)] * (k + 2)
    p["extra" + str(n)] = p["w0"] * p["w1"]
    return sum(v * v for v in p.values())


def given_arrays(p: Any, n: Any) -> Any:
    for _ in range(n):
        for name in list(p):
            p[name] -= 0.1 * p[name] ** 2
    total = 0.0
    for k in range(2):
        total += np.sum(p[f"w{k}"] * (k + 1))
    return total


def counts(x: Any, n: Any) -> Any:
    words = Counter("abracadabra")
    more: Any = Counter()
    for k in range(n):
        more[k % 2] += 1
    more["none"]
    d: Any = defaultdict(float)
    if 3 in d:
        x = x * 2
    return x ** words["a"] * words["missing"] + x * words["b"] + x ** more[0] + len(d) + len(more) * x


class Cached:
    def __init__(self, x: Any) -> None:
        self.x = x
        self.cache: dict[int, Any] = {}

    def power(self, k: Any) -> Any:
        if k in self.cache:
            return self.cache[k]
        result = self.x**k
        self.cache[k] = result
        return result


def cached_method(x: Any, n: Any) -> Any:
    c = Cached(x)
    total = 0.0
    for k in range(n):
        total += c.power(k) * c.power(k % 2)
    return total + len(c.cache)


def layers_in_a_list(x: Any, n: Any) -> Any:
    net = {"layer0": {"w": x, "b": 2 * x}, "layer1": {"w": x * x, "b": x}}
    out = x
    for k in range(n):
        layer = net["layer%d" % (k % 2)]
        out = out * layer["w"] + net[f"layer{k % 2}"]["b"]
    return out


def pairs_for_keys(x: Any, n: Any) -> Any:
    p = {("w", 0): x, ("w", 1): x * x, ("b", 0): x * ONE}
    total = 0.0
    for k in range(n):
        total += p["w", k % 2] * p[("w", 0)]
    return total + np.sum(p["b", 0])


def orders(x: Any, n: Any) -> Any:
    d = {}
    for k in range(n):
        d[(7 * k) % 5] = x ** ((3 * k) % 4)
    by_value = sorted(d.items(), key=lambda pair: pair[1])
    smallest = min(d, key=lambda k: d[k])
    ordered = [d[k] * j for j, k in enumerate(sorted(d))]
    backwards = [d[k] for k in reversed(list(d))]
    odd = sum(d[k] for k in d if k % 2)
    return by_value[0][1] * d[smallest] + sum(ordered) + backwards[0] * odd + max(d.values())


def zipped(x: Any, n: Any) -> Any:
    d = dict(zip(["a", "b", "c"], x * np.arange(1.0, 4.0)))
    e = dict([(k, x * k) for k in range(n)])
    f = {i + j: x * i * j for i in range(n) for j in range(n) if i != j}
    f |= {100: x}
    g = f | e
    both = {**e, "b": d["b"]}
    return d["c"] * e[1] + sum(f.values()) + len(both) * both["b"] + g[0] * g[n] + g[100]


def uncertain_keys(x: Any, n: Any) -> Any:
    d = {}
    if x > 0.1:
        d["a"] = x
    if x > 5.0:
        d["b"] = x
    for k in range(n):
        if k == 2:
            d["c"] = x * k
    return x * len(d) + sum(v * v for v in d.values()) + d.get("b", x**3)


def caught(x: Any, n: Any) -> Any:
    d = {k: x * k for k in range(n)}
    total = 0.0
    for k in range(n + 2):
        try:
            v = d[k]
        except KeyError:
            v = x * x
        total += v * v
    return total


def memo_in_a_closure(x: Any, n: Any) -> Any:
    memo: dict[int, Any] = {}

    def value(k: Any) -> Any:
        if k not in memo:
            memo[k] = x**k * (k + 1)
        return memo[k]

    return sum(value(k % 3) for k in range(n))


def starts_with_an_integer(x: Any, n: Any) -> Any:
    d = {k: 0 for k in range(n)}
    for k in range(n):
        d[k] += x * k
        d[0] = d[0] + d[k] * 2
    return d[0] * d[n - 1]


def half_computed(x: Any, n: Any) -> Any:
    total = {"a": x, "b": 2 * x}
    for name in ("a", "b"):
        total[name] *= 2
    for k in range(n):
        name = "a" if k % 2 else "b"
        total[name] += x * k
    return total["a"] * total["b"]


def rebuilt(x: Any, n: Any) -> Any:
    d = {0: x, 1: 2 * x}
    for _ in range(n):
        d = {k + 1: v * x for k, v in d.items()}
    return sum(d.values()) * max(d)


def mixed_items(x: Any, n: Any) -> Any:
    d = {"rate": x, "name": ONE * x}
    for k in range(n):
        d["rate" + str(k)] = x * k
        d["name" + str(k)] = x * ONE
    return d["name"][0] * d["rate"] + d["rate1"] * np.sum(d["name" + str(n - 1)])


def holds_records(x: Any, n: Any) -> Any:
    table = {}
    for k in range(n):
        table[k] = {"m": x * k, "p": x * ONE}
    total = 0.0
    for k, record in table.items():
        total += record["m"] * np.sum(record["p"]) * k
    return total + table[1]["m"]


def in_a_list(x: Any, n: Any) -> Any:
    ds = []
    for k in range(n):
        ds.append({j: x * j for j in range(k + 1)})
    ds[1][0] = x**3
    return sum(d[0] + d[len(d) - 1] for d in ds)


def none_at_first(x: Any, n: Any) -> Any:
    best: dict[int, Any] = {}
    for k in range(n):
        best[k] = None
    for k in range(n):
        if best[k] is None or x * k > best[k]:
            best[k] = x * k
    return sum(best.values())


def from_both_ends(x: Any, n: Any) -> Any:
    d = OrderedDict((k, x**k) for k in range(n))
    last, value = d.popitem()
    first, other = d.popitem(last=False)
    record = {"a": x, "b": x * x}
    total = value * last + other * (first + 1) + record.popitem()[1] * next(iter(d.values())) + next(iter(d))
    for k in dict.fromkeys([1, 2, 1], 0.5):
        total += d[k]
    sums = dict.fromkeys(range(n), 0.0)
    for k in range(n):
        sums[k] += total * k
    return sum(sums.values())


def squares(d: Any, n: Any) -> Any:
    total = 0.0
    for k in range(n):
        total += np.sum(d[k] ** 2)
    return total


def times(d: Any, factor: Any) -> Any:
    return {k: v * factor for k, v in d.items()}


def put_more(d: Any, k: Any, v: Any) -> None:
    if k not in d:
        d[k] = v * 0.0
    d[k] = d[k] + v


def calls_between(x: Any, n: Any) -> Any:
    d = {k: x * k * np.ones(2) for k in range(n)}
    a = squares(d, n)
    d[0] = a * x * np.ones(2)
    d[n + 1] = d[1] * a
    b = squares(d, n)
    e = times(d, 0.01 * b)
    put_more(e, 99, a * np.ones(2))
    put_more(e, 0, b * np.ones(2))
    return a * b + np.sum(d[n + 1]) + squares(e, n) + np.sum(e[99])


def keys_of_two_kinds(x: Any, n: Any) -> Any:
    d: dict[Any, Any] = {}
    for k in range(n):
        if k % 3 == 0:
            d[k] = x * k
        elif k - 1 in d:
            v = d.pop(k - 1)
            d[f"p{k}"] = v * v
            d[k] = v + x
        else:
            d[k] = d.setdefault("first", x**2) * k
    return sum(v * (i + 1) for i, v in enumerate(d.values()))


PROGRAMS = [
    other_shape, never_read, comes_back, seen_through_both, chosen_dict, swapped, filled_by_another, made_in_a_loop,
    defaults_of_arrays, holds_tuples, holds_lists, arrays_from_a_factory, nested_factories, float_factory_of_arrays,
    until_empty, changed_on_the_way, stale_view, copies, counts, cached_method, layers_in_a_list, pairs_for_keys, orders,
    zipped, uncertain_keys, caught, memo_in_a_closure, starts_with_an_integer, half_computed, rebuilt,
    mixed_items, holds_records, in_a_list, none_at_first, from_both_ends,
    calls_between, keys_of_two_kinds,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_program(program: Callable[..., Any]) -> None:
    value, _ = value_and_grad(program)(0.7, 5)
    assert value == pytest.approx(program(0.7, 5), rel=1e-14)
    assert jvp(lambda x: program(x, 5), (0.7,), (1.0,))[0] == pytest.approx(program(0.7, 5), rel=1e-14)
    check_grads(program, (0.7, 5), wrt=0, modes=("tangent",))
    check_grads(program, (0.7, 5), wrt=0, modes=("adjoint",))


@pytest.mark.parametrize("program", [given_dict, given_arrays], ids=lambda program: program.__name__)
def test_given_dict(program: Callable[..., Any]) -> None:
    def make() -> dict[str, Any]:
        return {"w0": ONE.copy(), "w1": 3 * ONE} if program is given_arrays else {"w0": 0.5, "w1": 2.0}

    given = make()
    gradient = grad(program)(given, 2)
    assert list(gradient) == ["w0", "w1"]
    np.testing.assert_equal(given, make())
    for mode in ("tangent", "adjoint"):
        check_grads(program, (make(), 2), wrt=0, modes=(mode,))


def same_dict_twice(p: Any, q: Any, n: Any) -> Any:
    for k in range(n):
        p[f"w{k}"] = q[f"w{k}"] * 2.0
    return q["w0"] * p["w1"]


def test_the_same_dict_twice() -> None:
    p = {"w0": 0.5, "w1": 2.0}
    with pytest.raises(S2sadError, match="p and q share memory"):
        grad(same_dict_twice)(p, p, 2)


def table_of_powers(x: Any, n: Any) -> Any:
    return {k: x**k * ONE for k in range(n)}


def test_a_dict_as_result() -> None:
    value, tangent = jvp(lambda x: table_of_powers(x, 3), (2.0,), (1.0,))
    assert list(value) == list(tangent) == [0, 1, 2]
    np.testing.assert_allclose(tangent[2], 4.0 * ONE)
    value, pullback = vjp(lambda x: table_of_powers(x, 3), 2.0)
    seeds = {0: ONE, 1: ONE, 2: 0.5 * ONE}
    assert float(np.squeeze(pullback(seeds))) == pytest.approx(5.0 + 10.0)
    assert list(seeds) == [0, 1, 2]


def recurrence(x: Any, n: Any) -> Any:
    d: Any = defaultdict(float)
    d[0] = x
    for k in range(1, n):
        d[k] += d[k - 1] ** 2 * x
        d[k % 2] += d[k]
    taken = d.pop(1)
    return taken * sum(d.values())


def test_second_derivatives() -> None:
    def slope(x: Any) -> Any:
        return grad(recurrence)(x, 4)

    h = 1e-5
    expected = (slope(0.6 + h) - slope(0.6 - h)) / (2 * h)
    assert grad(lambda x: grad(recurrence)(x, 4))(0.6) == pytest.approx(expected, rel=1e-6)
    assert jvp(lambda x: grad(recurrence)(x, 4), (0.6,), (1.0,))[1] == pytest.approx(expected, rel=1e-6)


def made_where_missing(x: Any) -> Any:
    d: Any = {}
    for i in range(3):
        if i % 2 not in d:
            d[i % 2] = np.zeros(2)
        d[i % 2] += x * x
    return np.sum(d[0] * d[1])


def written_again(x: Any) -> Any:
    d: Any = {}
    total = 0.0
    for i in range(4):
        old = d.get(i % 2, None)
        d[i % 2] = x * (1.0 + i)
        d[i % 2] *= x
        if old is not None:
            total = total + np.sum(old**3)
    return total + np.sum(d[0] * d[1])


def number_where_missing(x: Any) -> Any:
    d: Any = {}
    total = 0.0
    for i in range(4):
        total = total + np.sum(d.get(i % 2, 3.0) * x)
        d[i % 2] = x * (i + 1.0)
        w = d[i % 2]
        w *= x
    return total + np.sum(d[0] * d[1])


def variable_where_missing(x: Any) -> Any:
    d: Any = {}
    total, s = 0.0, x[0] * x[1]
    for i in range(4):
        total = total + np.sum(d.get(i % 2, s) * x)
        d[i % 2] = x * (i + 1.0)
        w = d[i % 2]
        w *= x
    return total + np.sum(d[0] * d[1])


def taken_out_and_made_again(x: Any) -> Any:
    d: Any = {}
    total = 0.0
    for i in range(4):
        if i % 2 not in d:
            d[i % 2] = x * (1.0 + i)
        d[i % 2] *= x
        if i == 1:
            a = d.pop(0)
            a *= x
            total = total + np.sum(a * x)
    return total + np.sum(d[0] * d[1])


def lists_of_arrays(x: Any) -> Any:
    d: Any = {0: [x * 1.5]}
    z = np.zeros(2)
    for i in range(2):
        if i not in d:
            d[i] = [x]
        d[i].append(x * d[i][0])
        d[i][1] *= x
        z += d[i][1]
    return np.sum(z**2) + np.sum(d[0][1] * x)


ARRAYS_IN_DICTS = [
    made_where_missing, written_again, number_where_missing, variable_where_missing, taken_out_and_made_again, lists_of_arrays,
]  # fmt: skip


@pytest.mark.parametrize("program", thinned(ARRAYS_IN_DICTS, 3, lambda f: f.__name__))
def test_second_derivatives_of_arrays_that_are_written(program: Callable[..., Any]) -> None:
    x, v, h = np.array([0.7, 1.1]), np.array([0.3, -0.8]), 1e-6
    expected = [(grad(program)(x + step) - grad(program)(x - step)) / (2 * h) for step in h * np.eye(2)]
    for mode in ("fwd", "rev"):
        np.testing.assert_allclose(hessian(program, mode=mode)(x), expected, rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(hvp(program, (x,), (v,), mode=mode)[1], np.array(expected) @ v, rtol=1e-6, atol=1e-7)


def missing_key(x: Any, n: Any) -> Any:
    d = {k: x for k in range(n)}
    return d[n] * x


def missing_name(x: Any, n: Any) -> Any:
    d = {"w0": x, "w1": x * x}
    return d[f"w{n}"]


@pytest.mark.parametrize("program", [missing_key, missing_name], ids=lambda program: program.__name__)
def test_a_missing_key_is_an_error_when_the_program_runs(program: Callable[..., Any]) -> None:
    with pytest.raises(KeyError):
        grad(program)(0.5, 2)
    with pytest.raises(KeyError):
        jvp(lambda x: program(x, 2), (0.5,), (1.0,))


def float_keys(x: Any) -> Any:
    d = {}
    for k in range(3):
        d[x * k] = x
    return sum(k * v for k, v in d.items())


def moved_key(x: Any, n: Any) -> Any:
    d = OrderedDict((k, x) for k in range(n))
    d.move_to_end(2, last=False)
    return sum(k * v for k, v in enumerate(d.values()))


def added(x: Any) -> Any:
    d = {k: x for k in range(3)}
    return (d * 2)[0]


REFUSED = [
    (float_keys, (0.5,), "a key carries no derivative"),
    (moved_key, (0.5, 100), "this move_to_end"),
    (added, (0.5,), "this operator on a dict"),
]


@pytest.mark.parametrize(
    ("program", "args", "text"), REFUSED, ids=[program.__name__ for program, _, _ in REFUSED]
)
def test_refused(program: Callable[..., Any], args: tuple[Any, ...], text: str) -> None:
    with pytest.raises(S2sadError, match=text) as caught:
        grad(program)(*args)
    assert "test_dicts.py" in str(caught.value)


def test_known_keys_stay_variables() -> None:
    """A dict whose keys are known leaves no dict behind."""

    def known(x: Any) -> Any:
        d = {"a": x}
        for name in ("b", "c"):
            d[name] = d["a"] * x
        return d["b"] * d["c"]

    text = differentiate(known).source("adjoint", 0.5)
    assert "{" not in text and "get(" not in text


# --- keys as a set


def keys_compared(x: Any) -> Any:
    d = {"a": x, "b": 1.0}
    total = x**2 if d.keys() == {"a", "b"} else x
    total += x**3 if {"a", "b"} <= d.keys() and not d.keys() > {"a", "b"} else 0.0
    return total + x * len(d.keys() & {"a", "q"}) + (x if not d.keys() - {"a", "b"} else 0.0)


def keys_of_both(x: Any) -> Any:
    d, e = {"a": x**2, "b": 1.0}, {"a": 2.0, "c": x}
    return sum(d[k] * e[k] for k in d.keys() & e.keys()) + len(d.keys() | e.keys()) * x


def made_in_a_try(x: Any) -> Any:
    items = []
    try:
        items.append({"a": x**2, "b": 1 / x})
    except ZeroDivisionError:
        pass
    return items[0]["a"] * items[0]["b"] + x**3


@pytest.mark.parametrize("program", [keys_compared, keys_of_both, made_in_a_try])
def test_keys_are_sets(program: Callable[..., Any]) -> None:
    check_grads(program, (1.2,), order=2)


def test_keys_that_come_are_not_compared() -> None:
    def program(x: Any) -> Any:
        d: dict[Any, Any] = {}
        for k in range(int(x * 100)):
            d[k] = x
        return x**2 if {0, 1} <= d.keys() else x

    with pytest.raises(S2sadError, match="this view of a dict"):
        grad(program)(0.5)
