"""Generators: consumed by loops, folds, lists and each other, in Python's order, as differences of the programs say."""

# ruff: noqa: C400, C417, UP028  (as people wrote them)
import functools
import itertools
import zlib

import numpy as np
import pytest

from s2sad import S2sadError, check_grads, grad
from s2sad.errors import CompilerError

MODES = ("tangent", "adjoint")


def squares(xs):
    for x in xs:
        yield x * x


def two(x):
    yield x[0]
    yield x[1] * x[2]


def evens(x, n):
    k = 0
    while True:
        if k >= n:
            return
        if k % 2 == 0:
            yield x[k] * k
        k += 1


def p_loop(x):
    s = 0.0
    for y in squares(x):
        s += y * np.sin(y)
    return s


def p_sum(x):
    return sum(squares(x))


def p_list(x):
    return np.array(list(squares(x)))


def p_unpack(x):
    a, b = two(x)
    return a * b


def p_break(x):
    s = 0.0
    for y in squares(x):
        if y > 2:
            break
        s += y
    return s


def p_return(x):
    for y in squares(x):
        if y > 1.0:
            return y * 2
    return x[0]


def p_two(x):
    s = 1.0
    for v in two(x):
        s *= v
    return s


def p_evens(x):
    s = 0.0
    for v in evens(x, 3):
        s += v * v
    return s


def p_nested(x):
    s = 0.0
    for a in squares(x):
        for b in squares(x):
            s += a * b
    return s


def p_comp(x):
    return np.array([a * 2 for a in squares(x)])


def p_max(x):
    return max(squares(x))


def infinite(x):
    while True:
        yield x
        x = np.sin(x)


def p_inf(x):
    s = 0.0
    for k, v in enumerate(infinite(x)):
        s += np.sum(v)
        if k == 3:
            break
    return s


def p_zip(x):
    s = 0.0
    for v, w in zip(infinite(x), [1.0, 2.0, 3.0]):
        s += np.sum(v) * w
    return s


def p_zip2(x):
    s = 0.0
    for w, v in zip(x, infinite(x)):
        s += np.sum(v) * w
    return s


def yf(x):
    yield x[0]
    yield from squares(x)
    yield from (v * 3 for v in x)


def p_yf(x):
    s = 0.0
    for k in yf(x):
        s = s * 0.5 + k
    return s


class Tree:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        for v in self.x:
            yield v * v

    def items(self):
        for i, v in enumerate(self.x):
            yield i, v


def p_cls(x):
    t = Tree(x)
    s = 0.0
    for v in t:
        s += v
    for i, v in t.items():
        s += i * v * v
    return s


class Count:
    def __init__(self, x, n):
        self.x = x
        self.k = 0
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.k >= self.n:
            raise StopIteration
        self.k += 1
        self.x = np.sin(self.x)
        return self.x * self.k


def p_next(x):
    c = Count(x, 3)
    s = 0.0
    for v in c:
        s += np.sum(v)
    return s + np.sum(c.x)


def state(x, log):
    for v in x:
        log.append(v)
        yield v * log[0]
        log[0] = log[0] * 0.5


def p_state(x):
    log = []
    s = 0.0
    for v in state(x, log):
        s += v * len(log)
        log[0] = log[0] + v
    return s + log[0]


def early(x):
    for v in x:
        if v > 2:
            return
        yield v


def p_early(x):
    return sum(early(x))


def fin(x):
    k = 1.0
    try:
        for v in x:
            yield v * k
    finally:
        k = 2.0


def p_fin(x):
    s = 0.0
    for v in fin(x):
        if v > 1.0:
            break
        s += v
    return s


def p_next1(x):
    return next(squares(x))


def p_closure(x):
    n = x[0]

    def g():
        for v in x:
            yield v * n

    s = 0.0
    for v in g():
        s += v
        n = n * 1.5
    return s


def p_fmap(x):
    return sum(map(lambda v: v * 2, squares(x)))


def p_arr(x):
    s = 0.0
    for row in (np.outer(x, x)[i] for i in range(3)):
        s = s + row * row
    return s


def p_tuple(x):
    return np.array(tuple(squares(x)))


def p_any(x):
    return x * (2.0 if any(v > 2 for v in squares(x)) else 1.0)


def p_anyg(x):
    return x * (2.0 if any(early(x)) else 1.0)


def pairs(x):
    for i in range(3):
        for j in range(i):
            yield i, j, x[i] * x[j]


def p_pairs(x):
    s = 0.0
    for i, j, v in pairs(x):
        s += (i + 2 * j + 1) * v
    return s


def p_dict(x):
    d = {k: v for k, v in Tree(x).items()}
    return d[0] * d[1] * d[2]


def p_dict2(x):
    d = dict(Tree(x).items())
    return d[0] * d[1] * d[2]


def p_sorted(x):
    return np.array(sorted(squares(x)))


def p_stack(x):
    return np.stack(list(v * x for v in squares(x)))


def naturals(n=0):
    while True:
        yield n
        n += 1


def p_zip_two(x):
    s = 0.0
    for a, b in zip(squares(x), naturals(1)):
        s += a * b
    return s


def p_zip_two_lists(x):
    out = []
    for a, b in zip(squares(x), squares(x[::-1])):
        out.append(a * b)
    return np.array(out)


def p_zip_disturbed(x):
    a = x * 1.0
    s = 0.0
    for u, v in zip(squares(x), squares(a)):
        s += u * v
        a[:] = a * 0.5
    return s


def walk(t):
    if isinstance(t, tuple):
        for u in t:
            yield from walk(u)
    else:
        yield t


def p_tree(x):
    t = ((x[0], x[1]), (x[2], (x[0] * x[1],)))
    s = 1.0
    for k, v in enumerate(walk(t)):
        s = s * 0.9 + v * k
    return s


def p_recur_dyn(x):
    def rec(n):
        if n > 0:
            yield x[n - 1]
            yield from rec(n - 1)

    return sum(rec(3))


def p_islice(x):
    return sum(v * x[k] for k, v in enumerate(itertools.islice(naturals(), 1, 4)))


def p_takewhile(x):
    return sum(itertools.takewhile(lambda v: v < 3, squares(x)))


def p_accum(x):
    s = 0.0
    for v in itertools.accumulate(squares(x), lambda a, b: a * b + 1):
        s += v * v
    return s


def p_accum2(x):
    return np.array(list(itertools.accumulate(x)))


def p_chain(x):
    s = 0.0
    for v in itertools.chain(squares(x), x, [x[0] * x[1]]):
        s = s * 0.7 + v
    return s


def helper(it, w):
    t = 0.0
    for v in it:
        t += v * w
    return t


def p_pass(x):
    return helper(squares(x), x[0])


def p_late(x):
    n = 2.0
    g = (v * n for v in x)
    n = x[0]
    return sum(g)


def p_early_args(x):
    y = x
    g = squares(y)
    y = x * 2
    return sum(g) + np.sum(y)


def p_mut(x):
    a = x * 1.0
    g = squares(a)
    a[0] = x[1] * 5
    return sum(g)


def p_grow(x):
    xs = [x[0], x[1]]
    s = 0.0
    for v in squares(xs):
        s += v
        if len(xs) < 5:
            xs.append(v * 0.3)
    return s


def p_try(x):
    s = 0.0
    try:
        for v in squares(x):
            if v > 4:
                raise ValueError
            s += v
    except ValueError:
        s = s * x[0]
    return s


def roots(xs):
    for v in xs:
        try:
            yield v * 2
        except ValueError:
            yield v


def p_roots(x):
    return sum(roots(x))


def p_twice(x):
    g = squares(x)
    return sum(g) + sum(g)


def p_partial_use(x):
    g = squares(x)
    a = next(g)
    return a * sum(g)


def p_hess(x):
    return grad(p_inner)(x)


def p_inner(x):
    s = 0.0
    for v in squares(x):
        s += v * v
    return s


class Grid:
    def __init__(self, x):
        self.x = x
        self.calls = 0

    @property
    def cells(self):
        for i in range(len(self.x)):
            self.calls += 1
            yield i, self.x[i]

    def total(self):
        return sum(v * i for i, v in self.cells)


def p_grid(x):
    g = Grid(x)
    s = 0.0
    for i, v in g.cells:
        s += v * (i + 1) * g.calls
    return s + g.total() * g.calls


def p_walrus(x):
    s = [y := 0.0, *[y := y + v for v in x]]
    t = sum((z := v * v) for v in x)
    return t * z + s[-1]


def p_nestedgen(x):
    return sum(a * b for a in x for b in squares(x) if b > a)


def gen_ret(x):
    for v in x:
        yield v
    return x[0]


def p_ret(x):
    def g():
        r = yield from gen_ret(x)
        yield r

    return sum(g())


def p_send(x):
    def g():
        k = 1.0
        while True:
            y = yield k * x[0]
            if y is None:
                return

    return sum(g())


def p_while_next(x):
    g = squares(x)
    s = 0.0
    while True:
        v = next(g, None)
        if v is None:
            break
        s += v
    return s


def p_iter_sentinel(x):
    it = iter(x)
    s = 0.0
    for v in it:
        s += v * next(it, 1.0)
    return s


def p_multi(x):
    def g():
        yield x[0], "a"
        yield x[1], "b"

    d = {}
    for v, k in g():
        d[k] = v
    return d["a"] * d["b"]


def p_fns(x):
    def layers():
        yield np.sin
        yield lambda v: v * v

    y = x
    for f in layers():
        y = f(y)
    return y


def p_fnlist(x):
    def layers():
        yield np.sin
        yield lambda v: v * v

    y = x
    for f in list(layers()):
        y = f(y)
    return y


def windows(x, n):
    buf = []
    for v in x:
        buf.append(v)
        if len(buf) == n:
            yield buf
            buf.pop(0)


def p_windows(x):
    s = 0.0
    for w in windows(x, 2):
        s += w[0] * w[1]
    return s


def p_windows_list(x):
    s = 0.0
    for w in list(windows(x, 2)):
        s += w[0]
    return s


def batches(X, n):
    for k in range(0, len(X), n):
        yield X[k : k + n]


def p_batches(x):
    s = 0.0
    for b in batches(x, 2):
        b *= 2.0
        s += np.sum(b * b)
    return s


def p_newton(x):
    def it(v):
        while abs(v * v - x[0]) > 1e-12:
            v = 0.5 * (v + x[0] / v)
            yield v

    for v in it(x[0]):
        pass
    return v


def p_reduce(x):
    return functools.reduce(lambda a, b: a * b, squares(x))


def p_minmax(x):
    return max(squares(x)) * min(v for v in x)


def p_star(x):
    a, *b = squares(x)
    return a * b[0] * b[1]


def p_call_star(x):
    def f(a, b, c):
        return a * b + c

    return f(*squares(x))


def p_call_star2(x):
    def g():
        yield x[0]
        yield x[1]

    def f(a, b):
        return a * b

    return f(*g())


def p_else(x):
    for v in squares(x):
        if v > 100:
            break
    else:
        return x[0] * x[1]
    return v


def p_cycle(x):
    s = 0.0
    for k, v in zip(range(7), itertools.cycle(squares(x))):
        s += k * v
    return s


def p_pairwise(x):
    return sum(b * a for a, b in itertools.pairwise(squares(x)))


def p_starmap(x):
    return sum(map(lambda a, b: a * b, squares(x), x))


def p_filter(x):
    return sum(filter(lambda v: v > 1, squares(x)))


def p_cont(x):
    s = 0.0
    for v in squares(x):
        if v < 1:
            continue
        s += v
    return s


def p_genexp_break(x):
    s = 0.0
    for v in (a * b for a in x for b in x):
        s += v
        if s > 5:
            break
    return s


def p_print_order(x):
    order = []

    def g():
        for v in x:
            order.append(v)
            yield v
            order.append(-v)

    for v in g():
        order.append(v * v)
        if v > 1:
            break
    return np.array(order)


def p_dictgen(x):
    d = {"a": x[0], "b": x[1]}

    def items():
        for k, v in d.items():
            yield k, v * 2

    return sum(v * len(k) for k, v in items())


def p_in_fn(x):
    def total():
        return sum(squares(x))

    return total() ** 2


def p_errstate(x):
    def g():
        with np.errstate(all="ignore"):
            for v in x:
                yield np.sqrt(v)

    s = 0.0
    for v in g():
        s += v
        if s > 2:
            break
    return s


def p_genexp_lazy(x):
    a = np.array([1.0, 2.0, 3.0]) * x
    s = 0.0
    for v in (a[i] * 2 for i in range(3)):
        s += v
        a[:] = a * x
    return s


def p_filter_lazy(x):
    a = np.array([1.0, 2.0, 3.0]) * x
    s = 0.0
    for i in filter(lambda i: a[i] > 1.0, range(3)):
        s += a[i]
        a[:] = -a * x
    return s


def p_chain_lazy(x):
    a = [1.0 * x[0], 2.0 * x[1]]
    s = 0.0
    for v in itertools.chain(a, (y * 2 for y in a)):
        s += v
        a[1] = s * x[2]
    return s


def p_late_finally(x):
    log = []

    def g():
        try:
            yield from x
        finally:
            log.append(1.0)

    s = 0.0
    for v in g():
        s += v
        if v > 1.0:
            break
    return s * len(log)


def p_suspended(x):
    g = squares(x)
    s = 0.0
    for _ in range(2):
        s += next(g)
    return s


def p_itself(x):
    def forever(y):
        yield y
        yield from forever(y)

    return sum(itertools.islice(forever(x[0]), 3))


def p_exit_code(x):
    closed = 1.0

    def g():
        nonlocal closed
        try:
            yield from x
        finally:
            closed = x[0]

    total = sum(g())
    return total * closed


def p_method_in_order(x):
    """The generator reads what its consumer has written since."""
    state = {"scale": 1.0}

    def g():
        for v in x:
            yield v * state["scale"]

    s = 0.0
    for v in g():
        s += v
        state["scale"] = s
    return s


def p_straight_with_a_way_out(x):
    def g():
        yield x[0]
        yield x[1] * 2.0
        yield x[2] * 3.0

    s = 0.0
    for v in g():
        s += v
        if s > 3.0:
            break
    return s


def p_zip_ends_first(x):
    """What stands before the generator is asked first, so that the generator goes no further."""
    steps = []

    def g():
        for v in x:
            steps.append(v)
            yield v

    s = 0.0
    for a, b in zip([1.0, 2.0], g()):
        s += a * b
    return s * len(steps)


def p_zip_ends_last(x):
    steps = []

    def g():
        for v in x:
            steps.append(v)
            yield v

    s = 0.0
    for b, a in zip(g(), [1.0, 2.0]):
        s += a * b
    return s * len(steps)


REFUSED = {
    p_zip_disturbed: "two generators side by side",
    p_try: "the name 's'",
    p_twice: "a second use of this iterator",
    p_partial_use: "a second use of this iterator",
    p_while_next: "a second use of this iterator",
    p_ret: "yield as a part of an expression",
    p_roots: "yield inside try with except",
    p_late_finally: "leaving this generator early",
    p_suspended: "a second use of this iterator",
    p_itself: "the generator forever, which runs through itself",
    two: "a generator function here",
}
RIGHT = [f for name, f in sorted(globals().items()) if name.startswith("p_") and f not in REFUSED]
POINT = np.array([0.7, 1.3, 2.1])


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__[2:])
def test_is_right(function):
    check_grads(
        function, (POINT,), modes=(MODES[zlib.crc32(function.__name__.encode()) % 2],), rtol=2e-4, atol=2e-7
    )


@pytest.mark.deep
@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__[2:])
def test_is_right_in_both_modes(function):
    check_grads(function, (POINT,), rtol=2e-4, atol=2e-7)


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_is_refused_by_name(function):
    with pytest.raises(S2sadError) as caught:
        check_grads(function, (POINT,))
    assert not isinstance(caught.value, CompilerError)
    assert REFUSED[function] in str(caught.value)
    assert __file__ in str(caught.value)
