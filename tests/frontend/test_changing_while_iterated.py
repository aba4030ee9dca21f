"""Lists, dicts and arrays that change while a program runs over them, and iterators that are used later than they are made."""
# ruff: noqa: C417, PLC0206  (what people post)

import itertools
from dataclasses import dataclass, field

import numpy as np
import pytest
from verdicts import assert_refused, assert_right

from s2sad import grad, jvp


def _glob(v, acc=[]):
    acc.append(v)
    return sum(acc)


def _ga(v, acc=np.zeros(2)):
    acc[0] += v
    return acc[0]


@dataclass
class DF:
    w: list = field(default_factory=list)
    n: float = 0.0


@dataclass
class DG:
    w: np.ndarray = field(default_factory=lambda: np.zeros(3))


_count = [0]


def _mk():
    _count[0] += 1
    return float(_count[0])


@dataclass
class DH:
    w: float = field(default_factory=_mk)


def _grow(l, s):
    l.append(s * s)


def _mk_gen(l):
    return (a * a for a in l)


def _visit(q):
    t = 0.0
    for a in q:
        t += a
        if len(q) < 5:
            q.append(a * 0.5)
    return t


def list_append_in_loop(s):
    l = [s, 2 * s]
    t = 0.0
    for a in l:
        t += a * a
        if len(l) < 5:
            l.append(a * s)
    return t


def list_insert_in_loop(s):
    l = [s, 2 * s, 3 * s]
    t = 0.0
    for a in l:
        t += a * a
        if len(l) < 6:
            l.insert(0, s)
    return t


def list_remove_in_loop(s):
    l = [s, 2 * s, 3 * s, 4 * s]
    t = 0.0
    for a in l:
        t += a * a
        if len(l) > 2:
            l.pop()
    return t


def list_pop0_in_loop(s):
    l = [s, 2 * s, 3 * s, 4 * s]
    t = 0.0
    for a in l:
        t += a * a
        l.pop(0)
    return t


def list_set_in_loop(s):
    l = [s, 2 * s, 3 * s, 4 * s]
    t = 0.0
    for i, a in enumerate(l):
        t += a * a
        if i < 3:
            l[i + 1] = a * s
    return t


def rebind_in_loop(s):
    l = [s, 2 * s, 3 * s, 4 * s]
    t = 0.0
    for a in l:
        t += a * a
        l = [a]
    return t + l[0]


def array_set_in_loop(x):
    a = x * 1.0
    t = 0.0
    for i, v in enumerate(a):
        t += v * v
        if i < 2:
            a[i + 1] = v * 3
    return t


def rows_set_in_loop(x):
    a = np.outer(x, x)
    t = 0.0
    for i, v in enumerate(a):
        t += np.sum(v * v)
        if i < 2:
            a[i + 1] = v * 0.3
        a[i] = 0.1 * a[i]
        t += v[0]
    return t


def dict_items_store(s):
    d = {"a": s, "b": 2 * s}
    t = 0.0
    for k, v in d.items():
        t += v
        d["b"] = s * s * s
    return t


def dict_keys_view_grow(s):
    d = {"a": s, "b": 2 * s}
    ks = d.keys()
    d["c"] = s * s
    t = 0.0
    for k in ks:
        t += d[k]
    return t


def dict_values_view_change(s):
    d = {"a": s, "b": 2 * s}
    vs = d.values()
    d["b"] = s * s
    t = 0.0
    for k in vs:
        t += k
    return t


def dict_items_view_change(s):
    d = {"a": s, "b": 2 * s}
    vs = d.items()
    d["b"] = s * s
    d["z"] = s * s * s
    t = 0.0
    for k, v in vs:
        t += v
    return t


def dict_values_sum_change(s):
    d = {"a": s, "b": 2 * s}
    vs = d.values()
    d["b"] = s * s
    return sum(vs)


def computed_dict_store(s):
    d = {}
    for i in range(3):
        d[i] = s * i
    t = 0.0
    for k, v in d.items():
        t += v
        if k == 0:
            d[2] = s * s * s
    return t


def computed_values_view(s):
    d = {}
    for i in range(3):
        d[i] = s * i
    vs = d.values()
    d[5] = s * s
    d[1] = s * s * s
    return sum(vs)


def zip_lazy(s):
    l = [s, 2 * s]
    z = zip(l, l)
    l.append(s * s)
    t = 0.0
    for a, b in z:
        t += a * b
    return t


def map_lazy(s):
    l = [s, 2 * s]
    z = map(lambda a: a * a, l)
    l.append(s * s)
    return sum(z)


def filter_lazy(s):
    l = [s, 2 * s]
    k = 100.0
    z = filter(lambda a: a < k, l)
    k = 2.0
    return sum(z)


def enumerate_lazy(s):
    l = [s, 2 * s]
    z = enumerate(l)
    l.append(s * s)
    t = 0.0
    for i, a in z:
        t += i * a
    return t


def reversed_lazy(s):
    l = [s, 2 * s]
    z = reversed(l)
    l.append(s * s)
    l[0] = s * s * s
    t = 0.0
    for i, a in enumerate(z):
        t += (i + 1) * a
    return t


def iter_lazy(s):
    l = [s, 2 * s]
    z = iter(l)
    t = next(z)
    l.append(s * s)
    l[1] = s * s * s
    for a in z:
        t += a
    return t


def genexp_late(s):
    l = [s, 2 * s]
    k = 2.0
    g = (a * k for a in l)
    k = s
    l.append(s * s)
    return sum(g)


def genexp_rebind(s):
    l = [s, 2 * s]
    g = (a * 3 for a in l)
    l = [s]
    return sum(g) + l[0]


def genexp_array_late(x):
    a = x * 1.0
    g = (v * v for v in a)
    a[0] = 5.0
    return sum(g)


def genexp_nested(s):
    l = [s, 2 * s]
    m = [s]
    g = (a * b for a in l for b in m)
    m.append(s * s)
    l = [1.0]
    m = [1.0, 2.0]
    return sum(g)


def zip_arrays_late(x):
    a = x * 1.0
    z = zip(a, a)
    a[0] = 5.0
    t = 0.0
    for u, v in z:
        t += u * v
    return t


def default_mutated(s):
    def f(v, acc=[]):
        acc.append(v)
        return sum(acc)

    return f(s) * 2 + f(s * s)


def default_array_mutated(s):
    def f(v, acc=np.zeros(2)):
        acc[0] += v
        return acc[0]

    return f(s) * 2 + f(s * s)


def dc_factory(s):
    a = DF()
    b = DF()
    a.w.append(s)
    b.w.append(s * s)
    return sum(a.w) * 2 + sum(b.w)


def dc_factory_arr(s):
    a = DG()
    b = DG()
    a.w[0] = s
    b.w[0] = s * s
    return a.w[0] * 2 + b.w[0]


def list_comp_grow(s):
    l = [s, 2 * s]
    m = [l.append(a * s) or a if len(l) < 4 else a for a in l]
    return sum(m)


def sum_grow(s):
    l = [s, 2 * s]

    def g(a):
        if len(l) < 4:
            l.append(a * s)
        return a

    return sum(g(a) for a in l)


def nested_same_list(s):
    l = [s, 2 * s]
    t = 0.0
    for a in l:
        for b in l:
            if len(l) < 4:
                l.append(a * b)
            t += a * b
    return t


def callee_appends(s):
    l = [s, 2 * s]

    def grow():
        l.append(s * s * s)

    t = 0.0
    for a in l:
        t += a
        if len(l) < 4:
            grow()
    return t


def callee_appends2(s):
    l = [s, 2 * s]
    t = 0.0
    for a in l:
        t += a
        if len(l) < 4:
            _grow(l, s)
    return t


def for_over_alias(s):
    l = [s, 2 * s]
    m = l
    t = 0.0
    for a in l:
        t += a
        if len(m) < 4:
            m.append(s * a)
    return t


def slice_delete_in_loop(s):
    l = [s, 2 * s, 3 * s]
    t = 0.0
    for a in l:
        t += a
        del l[-1]
    return t


def clear_in_loop(s):
    l = [s, 2 * s, 3 * s]
    t = 0.0
    for a in l:
        t += a
        l.clear()
    return t


def enumerate_append(s):
    l = [s, 2 * s]
    t = 0.0
    for i, a in enumerate(l):
        t += a * i
        if i < 3:
            l.append(s * s)
    return t


def zip_append(s):
    l = [s, 2 * s]
    t = 0.0
    for i, a in zip(range(5), l):
        t += a * i
        l.append(s * s)
    return t


def list_of_lists_grow(s):
    l = [[s], [2 * s]]
    t = 0.0
    for r in l:
        t += r[0]
        l[-1].append(s * s)
    return t + len(l[-1]) * s


def sort_in_loop(s):
    l = [3 * s, 2 * s, s]
    t = 0.0
    for i, a in enumerate(l):
        t += a * (i + 1)
        l.sort()
    return t


def while_iter(s):
    l = [s, 2 * s]
    it = iter(l)
    t = next(it)
    l.insert(0, 5.0)
    t += next(it) * 10
    return t


def object_field_list(s):
    o = DF()
    o.w.append(s)
    t = 0.0
    for a in o.w:
        t += a
        if len(o.w) < 3:
            o.w.append(a * s)
    return t


def break_then_rest_dyn(x):
    it = iter(list(x))
    t = 0.0
    for a in it:
        t += a
        if t > 1.5:
            break
    for b in it:
        t += 10 * b * b
    return t


def next_in_loop_dyn(x):
    l = [v for v in x] + [x[0] * x[1]]
    it = iter(l)
    t = 0.0
    for a in it:
        t += a * next(it)
    return t


def list_copy_loop(s):
    l = [s, 2 * s]
    for a in list(l):
        l.append(a * a)
    return sum(l)


def list_copy_loop2(s):
    l = [s, 2 * s, 3 * s]
    t = 0.0
    for a in list(l):
        t += a
        l[2] = s * s
    return t + l[2]


def list_copy_arr(x):
    a = x * 1.0
    t = 0.0
    for v in list(a):
        t += v
        a[2] = v * v
    return t + a[2]


def list_items_pop(s):
    d = {}
    for i in range(4):
        d[i] = s * (i + 1)
    t = 0.0
    for k, v in list(d.items()):
        if k % 2:
            d.pop(k)
        else:
            t += v
    return t + sum(d.values())


def list_keys_pop(s):
    d = {}
    for i in range(4):
        d[i] = s * (i + 1)
    t = 0.0
    for k in list(d):
        t += d.pop(k) * k
    return t + len(d)


def list_keys_add_const(s):
    d = {"a": s, "b": 2 * s}
    for k in list(d):
        d[k + "2"] = d[k] * s
    return sum(d.values())


def zip_closure(s):
    k = 2.0
    z = map(lambda a: a * k, (s, 2 * s))
    k = 3.0 * s
    return sum(z)


def filter_dyn(x):
    l = list(x)
    z = filter(lambda v: v > 1.0, l)
    l.append(x[0] * x[0])
    return sum(z)


def chain_late(s):
    a = [s]
    b = [2 * s]
    c = itertools.chain(a, b)
    a.append(s * s)
    return sum(c)


def product_late(s):
    a = [s]
    b = [2 * s]
    c = itertools.product(a, b)
    a.append(s * s)
    b[0] = s**3
    return sum(u * v for u, v in c)


def comb_late(x):
    a = list(x)
    c = itertools.combinations(a, 2)
    a.append(x[0] * x[0])
    a[0] = 5.0
    return sum(u * v for u, v in c)


def acc_late(s):
    a = [s, 2 * s]
    c = itertools.accumulate(a)
    a.append(s * s)
    return sum(c)


def cycle(s):
    a = [s, 2 * s]
    c = itertools.cycle(a)
    return sum(u * v for u, v in zip(c, [1.0, 2.0, 3.0]))


def reversed_grow(s):
    l = [s, 2 * s]
    t = 0.0
    for a in reversed(l):
        t += a
        l.append(a)
    return t * l[-1]


def reversed_shrink(s):
    l = [s, 2 * s, 3 * s, 4 * s]
    t = 0.0
    for a in reversed(l):
        t += a
        l.pop(0)
    return t


def gen_returned(s):
    l = [s]
    g = _mk_gen(l)
    l.append(2 * s)
    return sum(g)


def dict_of_lists_grow(s):
    d = {"a": [s], "b": [2 * s]}
    t = 0.0
    for k, l in d.items():
        for a in l:
            t += a
            if len(l) < 3:
                d["b"].append(a * s)
    return t


def enumerate_while_pop(s):
    l = [s, 2 * s, 3 * s, 4 * s, 5 * s]
    t = 0.0
    for i, a in enumerate(l):
        t += i * a
        del l[i]
    return t


def two_funcs_grow(s):
    def visit(q):
        t = 0.0
        for a in q:
            t += a
            if len(q) < 5:
                q.append(a * 0.5)
        return t

    return visit([s]) + visit([s, s * s])


def global_grow(s):
    return _visit([s]) + _visit([s, s * s])


def bfs(x):
    adj = {0: [1, 2], 1: [2], 2: []}
    order = [0]
    t = 0.0
    for n in order:
        t += x[n] * len(order)
        for m in adj[n]:
            if m not in order:
                order.append(m)
    return t


def values_after(s):
    d = {"a": s}
    v = d.values()
    if s > 0:
        d["a"] = s * s
    return sum(v)


def views_in_loop(s):
    d = {"a": s, "b": 2.0 * s}
    v = d.values()
    for i in range(3):
        d["a"] = d["a"] * s
    return sum(v) + len(d.keys())


def items_unpack(s):
    d = {"a": s, "b": 2.0 * s}
    (k, v), w = d.items()
    return v * w[1]


def list_values(s):
    d = {"a": s, "b": 2.0 * s}
    v = list(d.values())
    d["a"] = 5.0
    return sum(v)


def enumerate_items(s):
    d = {"b": s, "a": 2.0 * s}
    t = 0.0
    for i, (k, v) in enumerate(d.items()):
        t += i * v
        d["a"] = s**3
    return t


def double_eval(s):
    n = [0.0]

    def mk():
        n[0] += s
        return {"a": n[0]}

    t = 0.0
    for k, v in mk().items():
        t += v
    return t + n[0]


def dict_keys_grow(s):
    d = {"a": s, "b": 2 * s}
    t = 0.0
    for k in d:
        t += d[k]
        d["c"] = s * s
    return t


def two_iters(s):
    l = [s, 2 * s, 3 * s, 4 * s]
    it = iter(l)
    t = 0.0
    for a, b in zip(it, it):
        t += a * b
    return t


def default_mutated_global(s):
    return _glob(s) * 2 + _glob(s * s)


def default_array_mutated_global(s):
    return _ga(s) * 2 + _ga(s * s)


def own_default(s, acc=[]):
    acc.append(s)
    return s * len(acc)


def set_grow_iter(s):
    z = {1, 2}
    t = 0.0
    for k in z:
        t += k * s
        z.add(3)
    return t


def islice_then_rest(s):
    it = iter([s, 2 * s, 3 * s, 4 * s])
    t = 0.0
    for a in itertools.islice(it, 2):
        t += a
    return t * sum(it)


def break_then_rest(s):
    it = iter([s, 2 * s, 3 * s, 4 * s])
    t = 0.0
    for a in it:
        t += a
        if t > 2 * s:
            break
    return t * sum(it)


def iter_in_loop_twice(s):
    z = zip([s, 2 * s], [1.0, 2.0])
    t = 0.0
    for i in range(2):
        for a, b in z:
            t += a * b
    return t


def map_in_loop_twice(s):
    z = map(lambda a: a * a, [s, 2 * s])
    t = 0.0
    for i in range(2):
        t += sum(z)
    return t


def gen_in_loop_twice(s):
    z = (a * a for a in [s, 2 * s])
    t = 0.0
    for i in range(2):
        t += sum(z)
    return t


def pairwise_grow(s):
    a = [s, 2 * s]
    t = 0.0
    for u, v in itertools.pairwise(a):
        t += u * v
        if len(a) < 4:
            a.append(u * s)
    return t


def dc_factory_count(s):
    a = DH()
    b = DH()
    return s * (a.w - b.w)


RIGHT = [
    list_append_in_loop,
    list_insert_in_loop,
    list_remove_in_loop,
    list_pop0_in_loop,
    list_set_in_loop,
    rebind_in_loop,
    array_set_in_loop,
    rows_set_in_loop,
    dict_items_store,
    dict_keys_view_grow,
    dict_values_view_change,
    dict_items_view_change,
    dict_values_sum_change,
    computed_dict_store,
    computed_values_view,
    zip_lazy,
    map_lazy,
    filter_lazy,
    enumerate_lazy,
    reversed_lazy,
    iter_lazy,
    genexp_late,
    genexp_rebind,
    genexp_array_late,
    genexp_nested,
    zip_arrays_late,
    default_mutated,
    default_array_mutated,
    dc_factory,
    dc_factory_arr,
    list_comp_grow,
    sum_grow,
    nested_same_list,
    callee_appends,
    callee_appends2,
    for_over_alias,
    slice_delete_in_loop,
    clear_in_loop,
    enumerate_append,
    zip_append,
    list_of_lists_grow,
    sort_in_loop,
    while_iter,
    object_field_list,
    break_then_rest_dyn,
    next_in_loop_dyn,
    list_copy_loop,
    list_copy_loop2,
    list_copy_arr,
    list_items_pop,
    list_keys_pop,
    list_keys_add_const,
    zip_closure,
    filter_dyn,
    chain_late,
    product_late,
    comb_late,
    acc_late,
    cycle,
    reversed_grow,
    reversed_shrink,
    gen_returned,
    dict_of_lists_grow,
    enumerate_while_pop,
    two_funcs_grow,
    global_grow,
    bfs,
    values_after,
    views_in_loop,
    items_unpack,
    list_values,
    enumerate_items,
    double_eval,
]
REFUSED = [
    dict_keys_grow,
    two_iters,
    own_default,
    set_grow_iter,
    islice_then_rest,
    break_then_rest,
    iter_in_loop_twice,
    map_in_loop_twice,
    gen_in_loop_twice,
    pairwise_grow,
]


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_is_right(function):
    assert_right(function)


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_is_refused(function):
    assert_refused(function, "adjoint")


CHANGED = [default_mutated_global, default_array_mutated_global, dc_factory_count]


@pytest.mark.parametrize("mode", ["adjoint", "tangent"])
@pytest.mark.parametrize("function", CHANGED, ids=lambda f: f.__name__)
def test_a_default_that_changes_is_left_as_a_call_leaves_it(function, mode):
    kept = (_glob.__defaults__[0], _ga.__defaults__[0], _count)

    def forget():
        kept[0][:], kept[1][:], kept[2][:] = [], 0.0, [0]
        return kept

    def value(s):
        forget()
        return function(s)

    s, step = 1.7, 1e-4
    value(s)
    wanted = repr(kept)
    forget()
    found = grad(function)(s) if mode == "adjoint" else jvp(function, (s,), (1.0,))[1]
    assert repr(kept) == wanted
    assert abs(found - (value(s + step) - value(s - step)) / (2 * step)) < 1e-5


def growing_dict(s):
    d = {}
    for i in range(3):
        d[i] = s * i
    t = 0.0
    for k in d:
        t += d[k]
        if k == 0:
            d[7] = s
    return t


def test_a_dict_that_grows_on_the_way_fails_as_in_python():
    for call in (growing_dict, grad(growing_dict)):
        with pytest.raises(RuntimeError, match="changed size"):
            call(1.7)


def through_a_call(x):
    items = [x[0] * 1.0, x[1]]
    return _visit(items) * items[-1]


@pytest.mark.parametrize("function", [nested_same_list, global_grow, through_a_call], ids=lambda f: f.__name__)
def test_second_derivatives(function):
    at, along = (np.array([1.2, 0.7]), np.array([1.0, 2.0])) if function is through_a_call else (1.2, 1.0)
    gradient = grad(function)
    _, second = jvp(gradient, (at,), (along,))
    h = 1e-5
    np.testing.assert_allclose(second, (gradient(at + h * along) - gradient(at - h * along)) / (2 * h), rtol=1e-6, atol=1e-8)
