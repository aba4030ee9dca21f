# ruff: noqa: F821, F841  (readings of which nobody makes use are among them)
"""Programs that read what no statement on their way has bound: Python raises, and so do their derivatives."""

import contextlib

import numpy as np

X = np.array([0.7, -0.4, 1.3, 0.9])
CASES = []


class Point:
    pass


def case(x):
    def add(function):
        CASES.append((function, x))
        return function

    return add


@case(X)
def item_of_no_loop(x):
    for i in range(0):
        pass
    return np.sum(x[i])


@case(X)
def factor_of_no_loop(x):
    for i in range(0):
        pass
    return x[0] * i


@case(X)
def item_of_a_short_loop(x):
    for i in range(len(x) - 4):
        pass
    return np.sum(x[i])


@case(X)
def item(x):
    if x[0] < 0:
        i = 1
    return np.sum(x[i])


@case(X)
def end_of_a_slice(x):
    while x[0] < 0:
        i = 1
    return np.sum(x[:i])


@case(X)
def truth(x):
    if x[0] < 0:
        b = True
    return x[0] ** 2 if b else x[1]


@case(X)
def is_none(x):
    if x[0] < 0:
        b = 1.0
    return x[0] ** 2 if b is None else x[0]


@case(X)
def or_(x):
    if x[0] < 0:
        b = 1.0
    y = b or x[0]
    return y * y


@case(X)
def argument(x):
    if x[0] < 0:
        b = 1.0

    def h(v, q=None):
        return v * v if q is None else v

    return h(x[0], b)


@case(X)
def axis(x):
    if x[0] < 0:
        k = 0
    return np.mean(x, k) ** 2


@case(X)
def axis_kw(x):
    if x[0] < 0:
        k = 0
    return np.sum(x, axis=k) ** 2


@case(X)
def store(x):
    if x[0] < 0:
        b = 1
    y = x * 1.0
    y[b] = 3.0
    return np.sum(y * x)


@case(11.0)
def dead(x):
    if x < 10.0:
        n = 1
    y = n
    return x * x


@case(11.0)
def dead_array(x):
    if x < 10.0:
        n = np.ones(2)
    pair = (n, x)
    return x * pair[1]


@case(11.0)
def deleted(x):
    if x < 10.0:
        n = x
    del n
    return x * x


@case(11.0)
def loop_dead(x):
    for k in range(int(11.0 - x)):
        n = k
    y = n
    return x * x


@case(11.0)
def again(x):
    if x < 10.0:
        n = x
    if x > 5.0:
        y = n
    return x * x


@case(11.0)
def maybe_none(x):
    if x < 5.0:
        n = None
    elif x < 10.0:
        n = x
    return x * x if n is None else n


@case(11.0)
def unknown_kind(x, o=None):
    if x < 10.0:
        n = o
    return x * x if n is None else x


@case(11.0)
def carried(x):
    s = x
    for k in range(3):
        if k > 0 and x < 10:
            s = s * w
        if x > 10 and k == 1:
            s = s + (w or 1.0)
        if x < 10:
            w = s
    return s


@case(11.0)
def nested_fn(x):
    def inner(y):
        return y * q if q is not None else y

    if x < 10:
        q = 2.0
    return inner(x)


@case(11.0)
def helper_level(x):
    return _helper(x) * x


def _helper(x):
    if x < 10:
        k = 0
    return np.sum(np.array([x, x]), k)


@case(11.0)
def in_list(x):
    if x < 10:
        b = x
    l = [b, x]
    return l[1] * x


@case(11.0)
def raise_while(x):
    s = x
    while s > 0:
        if x < 10:
            b = 1
        s = s - 1.0
        s = s - (b or 2)
    return s


@case(11.0)
def attribute(x):
    o = Point()
    if x < 10:
        o.k = 1.0
    return x * x if o.k is None else x


@case(11.0)
def attribute_dead(x):
    o = Point()
    if x < 10:
        o.k = 1.0
    y = o.k
    return x * x


@case(11.0)
def key(x):
    d = {}
    if x < 10:
        d["k"] = 1.0
    return x * x if d["k"] is None else x


@case(11.0)
def key_dead(x):
    d = {}
    if x < 10:
        d["k"] = 1.0
    y = d["k"]
    return x * x


@case(11.0)
def del_loop(x):
    n = 1
    s = x
    for k in range(2):
        s = s * n
        del n
    return s


@case(11.0)
def walrus(x):
    if x < 10 and (w := x) > 1:
        pass
    y = w
    return x * x


@case(11.0)
def walrus_none(x):
    if x < 10 and (w := x) > 1:
        pass
    return x * x if w is None else x


@case(11.0)
def with_name(x):
    if x < 10:
        with np.errstate(all="ignore") as f:
            pass
    y = f
    return x * x


@case(11.0)
def function_name(x):
    if x < 10:
        h = np.sin
    y = h
    return x * x


class P:
    def __init__(self, x):
        self.x = x

    def set(self, v):
        if v < 10:
            self.k = v

    def use(self):
        return self.x if self.k is None else self.x * 2


@case(11.0)
def method(x):
    p = P(x)
    p.set(x)
    return p.use()


@case(11.0)
def try_(x):
    try:
        if x > 10:
            raise ValueError
        k = 1
    except ValueError:
        pass
    return x * x if k is None else x


@case(11.0)
def try_else(x):
    try:
        y = x * 2
        if y > 5:
            raise ValueError
        k = None
    except ValueError:
        y = x
    return (k or x) * y


@case(11.0)
def suppressed(x):
    with contextlib.suppress(ValueError):
        if x > 10:
            raise ValueError
        k = 0
    return np.sum(np.array([x, x]), axis=k)


@case(11.0)
def matched(x):
    n = 3 if x > 10 else 1
    match n:
        case 1:
            k = 0
        case 2:
            k = None
    return np.sum(np.array([x, x]), axis=k)


@case(11.0)
def comp(x):
    if x < 10:
        k = None
    return sum([x if k is None else 2 * x for _ in range(2)])


@case(11.0)
def lam(x):
    if x < 10:
        k = None
    f = lambda v: v if k is None else 2 * v
    return f(x)


@case(11.0)
def gen(x):
    def g():
        if x < 10:
            k = None
        yield x if k is None else 2 * x
        yield x

    return sum(g())


@case(11.0)
def deep_loop(x):
    s = x
    for i in range(2):
        for j in range(2):
            if x < 10:
                k = j
        s = s + (0.5 if k is None else 1.0) * x
    return s


@case(11.0)
def while_(x):
    s, i = x, 0
    while i < 3:
        if x < 10:
            k = i
        i += 1
        s = s * (2.0 if k is None else 3.0)
    return s


@case(11.0)
def rebound_after_del(x):
    k = 1
    if x > 10:
        del k
    return x if k is None else 2 * x


@case(11.0)
def del_twice(x):
    k = 1
    if x > 10:
        del k
    del k
    return x * x


@case(11.0)
def nested_if(x):
    if x > 5:
        if x < 10:
            k = None
    else:
        k = 1
    return x if k is None else x * x


@case(11.0)
def tuple_target(x):
    if x < 10:
        a, b = None, 1
    return x if a is None else x * b


@case(11.0)
def function_def(x):
    if x < 10:

        def h(v):
            return v

    return x if h is None else h(x) * x


@case(11.0)
def passed(x):
    if x < 10:
        d = {"a": 1}
    return _takes(x, d)


def _takes(x, d):
    return x if d is None else x * 2


@case(11.0)
def fstring(x):
    if x < 10:
        k = 1
    s = f"{k}"
    return x * x


@case(11.0)
def key_get(x):
    d = {"a": x}
    if x < 10:
        d["k"] = None
    v = d["k"]
    return x if v is None else x * x


@case(11.0)
def key_loop(x):
    d = {"a": x}
    for i in range(3):
        if x < 10:
            d["k"] = None
    return x if d["k"] is None else x * x


@case(11.0)
def attr_loop(x):
    o = Point()
    for i in range(3):
        if x < 10:
            o.k = None
    return x if o.k is None else x * x


@case(11.0)
def attr_zero_rounds(x):
    o = Point()
    for i in range(int(11.0 - x)):
        o.k = None
    return x if o.k is None else x * x


@case(11.0)
def attr_dead_in_helper(x):
    o = Point()
    if x < 10:
        o.k = x
    _reads(o)
    return x * x


def _reads(o):
    return o.k


@case(11.0)
def attr_aug(x):
    o = Point()
    if x < 10:
        o.k = x
    o.k += x
    return x * x


@case(11.0)
def key_aug(x):
    d = {}
    if x < 10:
        d["k"] = x
    d["k"] += x
    return x * x


@case(11.0)
def key_deleted(x):
    d = {"k": None, "b": x}
    if x > 10:
        del d["k"]
    return x if d["k"] is None else d["b"] * x


@case(11.0)
def key_popped(x):
    d = {"k": None, "b": x}
    if x > 10:
        d.pop("k")
    v = d.pop("k")
    return x if v is None else d["b"] * x


@case(11.0)
def attr_of_item(x):
    os = [Point(), Point()]
    if x < 10:
        os[0].k = None
    return x if os[0].k is None else x * x


@case(11.0)
def inner_dict(x):
    d = {"a": {}}
    if x < 10:
        d["a"]["k"] = None
    return x if d["a"]["k"] is None else x * x


@case(11.0)
def slice_(x):
    a = np.array([x, 2 * x, 3 * x])
    if x < 10:
        k = 1
    return np.sum(a[:k])


@case(11.0)
def loop_var_none(x):
    a = np.array([x, 2 * x, 3 * x])
    n = int(x) - 11
    for i in range(n):
        pass
    return np.sum(a[i])


@case(11.0)
def enumerate_(x):
    a = np.array([x, 2 * x, 3 * x])
    for i, v in enumerate(a[: int(x) - 11]):
        pass
    return np.sum(a[i])


@case(11.0)
def for_else(x):
    for i in range(3):
        if x > 10 + i:
            break
    else:
        k = None
    return x if k is None else x * x


@case(11.0)
def printed(x):
    if x < 10:
        k = 1
    print(end=str(k)[:0])
    return x * x


@case(11.0)
def equal(x):
    if x < 10:
        k = 1
    return x if k == 1 else x * x


@case(11.0)
def contained(x):
    if x < 10:
        k = 1
    return x if k in (1, 2) else x * x


@case(11.0)
def is_instance(x):
    if x < 10:
        k = 1
    return x if isinstance(k, int) else x * x


@case(11.0)
def and_(x):
    if x < 10:
        k = True
    return x if x > 5 and k else x * x


@case(11.0)
def while_test(x):
    s, i = x, 0
    if x < 10:
        k = True
    while k and i < 3:
        s *= 2
        i += 1
    return s


@case(11.0)
def store_index(x):
    a = np.array([x, 2 * x, 3 * x])
    b = np.zeros(3)
    if x < 10:
        k = 0
    b[k] = x
    return np.sum(a * b)


@case(11.0)
def returned_inner(x):
    def h():
        if x < 10:
            k = 1
        return k

    r = h()
    return x if r is None else x * x


@case(11.0)
def default_argument(x):
    if x < 10:
        k = None

    def h(v, q=k):
        return v if q is None else v * v

    return h(x)


@case(11.0)
def with_in_loop(x):
    s = x
    for i in range(2):
        with np.errstate(all="ignore"):
            if x < 10:
                k = None
            s = s * (1.0 if k is None else 2.0)
    return s


@case(11.0)
def raise_arm(x):
    if x < 5:
        raise ValueError("a")
    if x < 10:
        k = None
    else:
        if x < 0:
            raise ValueError("b")
    return x if k is None else x * x


@case(11.0)
def early(x):
    if x < 10:
        k = None
        if x < 5:
            return x
    return x if k is None else x * x


@case(X)
def factor_of_zero_after_a_context(x):
    with np.errstate(invalid="ignore"):
        if x[0] < 0:
            y = np.sum(np.sqrt(x))
    return x[1] ** 2 + 0 * y


@case(X)
def unread_square_after_a_context(x):
    with np.errstate(invalid="ignore"):
        if x[0] < 0:
            y = np.sum(np.sqrt(x))
    z = y**2
    return x[1] ** 2


@case(X)
def of_an_iteration_before(x):
    s = 0.0
    for i in range(len(x)):
        if i > 1:
            s += before * x[i]
        if i > 5:
            before = x[i]
    return s


@case(X)
def never_bound_in_its_loop(x):
    s = 0.0
    for i in range(len(x)):
        s = s + x[i] if i < 2 else before
        if i > 5:
            before = s
    return s


@case(X)
def of_the_function_around_in_a_loop(x):
    def step(i):
        return before * x[i]

    s = 0.0
    for i in range(len(x)):
        if i > 1:
            s += step(i)
        if i > 5:
            before = x[i]
    return s


@case(1.3)
def added_to_of_one_path(x):
    if x > 2.0:
        v = x
    v += x
    return v


@case(1.3)
def multiplied_after_a_conditional_deletion(x):
    v = x * x
    if x > 0.0:
        del v
    v *= 2.0
    return v


@case(X)
def an_array_added_to_of_no_loop(x):
    for _ in range(len(x) - 4):
        v = np.zeros(4)
    v += x
    return np.sum(v)


@case(1.3)
def added_to_by_a_function_within(x):
    def add():
        nonlocal v
        v += x

    if x > 2.0:
        v = 1.0
    add()
    return v


@case(X)
def deleted_after_a_function_within_has_bound_it(x):
    v = x[0]
    v = x * v

    def double():
        nonlocal v
        v *= 2.0

    double()
    if x[1] > 0.0:
        v = 1.0
    else:
        del v
    return np.sum(v)


@case(1.3)
def bound_and_deleted_in_turn(x):
    v = x

    def again():
        nonlocal v
        v = x

    for k in range(3):
        if k == 1:
            del v
        if k < 1:
            again()
    return v * v


@case(1.3)
def deleted_by_a_function_within(x):
    v = x * x

    def drop():
        nonlocal v
        del v

    if x > 0.0:
        drop()
    return v
