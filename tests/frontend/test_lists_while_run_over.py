# ruff: noqa: C417, RUF007, F841 - as people write it
"""Lists whose items are known one by one, run over by loops and iterators while they, or what they hold, change.

What Python's iterators see on the way is followed, or refused: never what was there at the beginning.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import pytest

from s2sad import S2sadError, check_grads, grad, jvp


class Item:
    def __init__(self, v):
        self.v = v


class Box:
    def __init__(self, v):
        self.items = [Item(v), Item(2 * v)]


def growing_pair(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    for u, v in itertools.pairwise(a):
        t += u.v * v.v
        if len(a) < 4:
            a.append(Item(u.v * s))
    return t


def growing_plain(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    for u in a:
        t += u.v
        if len(a) < 4:
            a.append(Item(u.v * s))
    return t


def growing_zip(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    for u, v in zip(a, a):
        t += u.v * v.v
        if len(a) < 4:
            a.append(Item(u.v * s))
    return t


def growing_zip2(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    for u, k in zip(a, range(10)):
        t += u.v * k
        if len(a) < 4:
            a.append(Item(u.v * s))
    return t


def growing_enum(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    for k, u in enumerate(a):
        t += u.v * k
        if len(a) < 4:
            a.append(Item(u.v * s))
    return t


def growing_map(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    for u in map(lambda o: o.v**2, a):
        t += u
        if len(a) < 4:
            a.append(Item(u * s))
    return t


def growing_rev(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    for u in reversed(a):
        t += u.v
        if len(a) < 4:
            a.append(Item(u.v * s))
    return t


def growing_gen(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    for u in (o.v for o in a):
        t += u
        if len(a) < 4:
            a.append(Item(u * s))
    return t


def growing_filter(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    for u in filter(lambda o: True, a):
        t += u.v
        if len(a) < 4:
            a.append(Item(u.v * s))
    return t


def growing_chain(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    for u in itertools.chain(a, [Item(s)]):
        t += u.v
        if len(a) < 4:
            a.append(Item(u.v * s))
    return t


def growing_islice(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    for u in itertools.islice(a, 3):
        t += u.v
        if len(a) < 4:
            a.append(Item(u.v * s))
    return t


def growing_iter(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    it = iter(a)
    for u in it:
        t += u.v
        if len(a) < 4:
            a.append(Item(u.v * s))
    return t


def growing_pop(s):
    a = [Item(s), Item(2 * s), Item(s * s), Item(1.0)]
    t = 0.0
    for u in a:
        t += u.v
        if len(a) > 2:
            a.pop()
    return t


def growing_acc(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    for u in itertools.accumulate(a, lambda p, q: Item(p.v + q.v)):
        t += u.v
        if len(a) < 4:
            a.append(Item(u.v * s))
    return t


def growing_star(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    for u in map(lambda o, k: o.v * k, a, [1, 2, 3, 4, 5]):
        t += u
        if len(a) < 4:
            a.append(Item(u * s))
    return t


def growing_zl(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    for u, k in itertools.zip_longest(a, [1, 2, 3]):
        t += (u.v if u is not None else 1.0) * (k or 1)
        if len(a) < 4:
            a.append(Item(t * s))
    return t


def growing_prod(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    for u, v in itertools.product(a, a):
        t += u.v * v.v
        if len(a) < 4:
            a.append(Item(t * s))
    return t


def growing_comb(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    for u, v in itertools.combinations(a, 2):
        t += u.v * v.v
        if len(a) < 4:
            a.append(Item(t * s))
    return t


def growing_cyc(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    for k, u in zip(range(5), itertools.cycle(a)):
        t += u.v * k
        if len(a) < 4:
            a.append(Item(t * s))
    return t


def growing_tw(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    for u in itertools.takewhile(lambda o: o.v < 100, a):
        t += u.v
        if len(a) < 4:
            a.append(Item(t * s))
    return t


def growing_sorted(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    for u in list(a):
        t += u.v
        if len(a) < 4:
            a.append(Item(t * s))
    return t * a[-1].v


def growing_set(s):
    a = [Item(s), Item(2 * s), Item(3 * s)]
    t = 0.0
    for k, u in enumerate(a):
        t += u.v * (k + 1)
        a[2] = Item(u.v * s)
    return t


def growing_setz(s):
    a = [Item(s), Item(2 * s), Item(3 * s)]
    t = 0.0
    for u, v in itertools.pairwise(a):
        t += u.v * v.v
        a[2] = Item(u.v * s)
        a[0] = Item(s**3)
    return t


def growing_setzip(s):
    a = [Item(s), Item(2 * s), Item(3 * s)]
    t = 0.0
    for u, v in zip(a, a[1:]):
        t += u.v * v.v
        a[1] = Item(u.v * s)
    return t


def growing_setrev(s):
    a = [Item(s), Item(2 * s), Item(3 * s)]
    t = 0.0
    for u in reversed(a):
        t += u.v
        a[0] = Item(t * s)
    return t


def growing_setmap(s):
    a = [Item(s), Item(2 * s), Item(3 * s)]
    t = 0.0
    for u in map(lambda o: o.v**2, a):
        t += u
        a[2] = Item(t * s)
    return t


def growing_ins(s):
    a = [Item(s), Item(2 * s), Item(3 * s)]
    t = 0.0
    for u in a:
        t += u.v
        if len(a) < 5:
            a.insert(0, Item(t))
    return t


def growing_del(s):
    a = [Item(s), Item(2 * s), Item(3 * s)]
    t = 0.0
    for u in a:
        t += u.v
        if len(a) > 2:
            del a[0]
    return t


def changing_mapfield(s):
    a = [Item(s), Item(2 * s), Item(3 * s)]
    t = 0.0
    for u in map(lambda o: o.v**2, a):
        t += u
        a[2].v = u * s
    return t


def changing_starfield(s):
    a = [Item(s), Item(2 * s), Item(3 * s)]
    t = 0.0
    for u in map(lambda o, k: o.v**2 * k, a, [1, 2, 3]):
        t += u
        a[2].v = u * s
    return t


def changing_genfield(s):
    a = [Item(s), Item(2 * s), Item(3 * s)]
    t = 0.0
    for u in (o.v**2 for o in a):
        t += u
        a[2].v = u * s
    return t


def changing_filterfield(s):
    a = [Item(s), Item(2 * s), Item(3 * s)]
    t = 0.0
    for u in filter(lambda o: o.v < 5, a):
        t += u.v
        a[2].v = u.v * s + 4
    return t


def changing_accfield(s):
    a = [Item(s), Item(2 * s), Item(3 * s)]
    t = 0.0
    for u in itertools.accumulate(a, lambda p, q: Item(p.v + q.v)):
        t += u.v
        a[2].v = u.v * s
    return t


def changing_enumfield(s):
    a = [Item(s), Item(2 * s), Item(3 * s)]
    t = 0.0
    for k, u in enumerate(a):
        t += u.v * k
        a[2].v = u.v * s + t
    return t


def changing_zipfield(s):
    a = [Item(s), Item(2 * s), Item(3 * s)]
    t = 0.0
    for p, u in zip(a, a[1:]):
        t += u.v * p.v
        a[2].v = u.v * s + t
    return t


def changing_named(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    z = itertools.pairwise(a)
    a.append(Item(s * s))
    for u, v in z:
        t += u.v * v.v
    return t


def changing_named2(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    z = zip(a, range(5))
    a.append(Item(s * s))
    for u, k in z:
        t += u.v * (k + 1)
    return t


def changing_named3(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    it = iter(a)
    a.append(Item(s * s))
    for u in it:
        t += u.v
    return t


def changing_named4(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    it = iter(a)
    t += next(it).v
    a.append(Item(s * s))
    for u in it:
        t += u.v * t
    return t


def changing_named5(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    it = iter(a)
    t += next(it).v
    a[1] = Item(s * s)
    t += next(it).v * t
    return t


def changing_named6(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    it = iter(a)
    a = [Item(s * s)]
    for u in it:
        t += u.v
    return t * a[0].v


def changing_named7(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    it = map(lambda o: o.v**2, a)
    a.append(Item(s**3))
    return sum(it)


def changing_named8(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    it = map(lambda o: o.v**2, a)
    a[0].v = s**3
    return sum(it)


def changing_named9(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    it = enumerate(a)
    a[0] = Item(s**3)
    return sum(o.v * (k + 1) for k, o in it)


def changing_islice2(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    it = itertools.islice(a, 5)
    a.append(Item(s**3))
    return sum(o.v for o in it)


def changing_rev2(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    it = reversed(a)
    a.append(Item(s**3))
    return sum(o.v for o in it)


def changing_rev3(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    it = reversed(a)
    a[0] = Item(s**3)
    return sum(o.v for o in it)


def changing_nested(s):
    rows = [[Item(s)], [Item(2 * s)]]
    t = 0.0
    for o in rows[0]:
        t += o.v
        if len(rows[0]) < 3:
            rows[0].append(Item(t * s))
    return t


def changing_obj(s):
    b = Box(s)
    t = 0.0
    for o in b.items:
        t += o.v
        if len(b.items) < 4:
            b.items.append(Item(t * s))
    return t


def changing_obj2(s):
    b = Box(s)
    t = 0.0
    for o, p in zip(b.items, b.items[1:]):
        t += o.v * p.v
        b.items.append(Item(t * s)) if len(b.items) < 4 else None
    return t


def changing_fn(s):
    fs = [lambda x: x * s, lambda x: x + s]
    t = s
    for f in fs:
        t = f(t)
        if len(fs) < 4:
            fs.append(lambda x: x * x)
    return t


def changing_fnmap(s):
    fs = [lambda x: x * s, lambda x: x + s]
    t = s
    for u in map(lambda f: f(t), fs):
        t += u
    return t


def changing_red(s):
    a = [Item(s), Item(2 * s)]

    def f(p, q):
        if len(a) < 4:
            a.append(Item(s**3))
        return p + q.v

    return functools.reduce(f, a, 0.0)


def changing_sum(s):
    a = [Item(s), Item(2 * s)]

    def f(o):
        if len(a) < 4:
            a.append(Item(s**3))
        return o.v

    return sum(f(o) for o in a)


def changing_comp(s):
    a = [Item(s), Item(2 * s)]

    def f(o):
        if len(a) < 4:
            a.append(Item(s**3))
        return o.v

    return sum([f(o) for o in a])


def changing_mapf(s):
    a = [Item(s), Item(2 * s)]

    def f(o):
        if len(a) < 4:
            a.append(Item(s**3))
        return o.v

    return sum(map(f, a))


def changing_sortkey(s):
    a = [Item(s), Item(-s)]

    def f(o):
        o.v += 1
        return 1

    b = sorted(a, key=f)
    return sum(k * o.v for k, o in enumerate(b))


def changing_copyloop(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    for u in zip(list(a), a[:]):
        t += u[0].v * u[1].v
        a.append(Item(t))
    return t + a[-1].v


def changing_copyloop2(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    for k, u in enumerate(tuple(a)):
        t += u.v * k
        a.append(Item(t))
    return t + a[-1].v


def changing_copyloop3(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    for u in sorted(a, key=lambda o: 0):
        t += u.v
        a.append(Item(t))
    return t + a[-1].v


def changing_copyloop4(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    for u in a + a:
        t += u.v
        a.append(Item(t))
    return t + a[-1].v


def changing_prod2(s):
    a = [Item(s), Item(2 * s)]
    t = 0.0
    for u, v in itertools.product(a, repeat=2):
        t += u.v * v.v
        a.append(Item(t))
    return t + a[-1].v


def changing_two(s):
    a = [Item(s), Item(2 * s)]
    b = [Item(s**2), Item(s)]
    t = 0.0
    for u, v in zip(a, b):
        t += u.v * v.v
        b[1] = Item(t)
    return t


def changing_ret(s):
    a = [Item(s), Item(2 * s), Item(3 * s)]

    def find():
        for u in a:
            if u.v > s:
                a.append(Item(u.v))
                return u.v
        return 0.0

    return find() * a[-1].v


def changing_brk(s):
    a = [Item(s), Item(2 * s), Item(3 * s)]
    t = 0.0
    for u in a:
        t += u.v
        if u.v > s:
            a.append(Item(t))
            break
    return t * a[-1].v


RIGHT = [
    growing_prod,
    growing_comb,
    growing_sorted,
    changing_mapfield,
    changing_starfield,
    changing_genfield,
    changing_filterfield,
    changing_accfield,
    changing_enumfield,
    changing_zipfield,
    changing_named3,
    changing_named4,
    changing_named5,
    changing_named6,
    changing_named8,
    changing_fnmap,
    changing_sortkey,
    changing_copyloop,
    changing_copyloop2,
    changing_copyloop3,
    changing_copyloop4,
    changing_prod2,
]
REFUSED = [
    growing_pair,
    growing_plain,
    growing_zip,
    growing_zip2,
    growing_enum,
    growing_map,
    growing_rev,
    growing_gen,
    growing_filter,
    growing_chain,
    growing_islice,
    growing_iter,
    growing_pop,
    growing_acc,
    growing_star,
    growing_zl,
    growing_cyc,
    growing_tw,
    growing_set,
    growing_setz,
    growing_setzip,
    growing_setrev,
    growing_setmap,
    growing_ins,
    growing_del,
    changing_named,
    changing_named2,
    changing_named7,
    changing_named9,
    changing_islice2,
    changing_rev2,
    changing_rev3,
    changing_nested,
    changing_obj,
    changing_obj2,
    changing_fn,
    changing_red,
    changing_sum,
    changing_comp,
    changing_mapf,
    changing_two,
    changing_ret,
    changing_brk,
]


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_is_right(function: Callable[..., Any]) -> None:
    check_grads(function, (1.3,))


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_is_refused(function: Callable[..., Any]) -> None:
    function(1.3)
    for derive in (lambda: grad(function)(1.3), lambda: jvp(function, (1.3,), (1.0,))):
        with pytest.raises(S2sadError):
            derive()
