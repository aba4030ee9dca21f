"""``place op= value`` loads, changes in place, and stores: through setters, ``__setitem__``, and over what has been put there."""

import numpy as np
import pytest
from mode_pairs import load

import s2sad
from s2sad import S2sadError, jvp, vjp
from s2sad.testing import check_grads

X = np.array([0.7, 1.1, 0.9])


class Fresh:
    def __init__(self, d):
        self._d = d

    @property
    def v(self):
        return self._d * 1.0

    @v.setter
    def v(self, z):
        self._d = z * 2


class Again(Fresh):
    @Fresh.v.setter
    def v(self, z):
        self._d = z * 5


class Itself:
    def __init__(self, d):
        self._d, self.n = d, 1.0

    @property
    def v(self):
        return self._d

    @v.setter
    def v(self, z):
        self._d, self.n = z, self.n + np.sum(z)


class Items:
    def __init__(self, d):
        self.d, self.n = d, 0.0

    def __getitem__(self, k):
        self.n = self.n + 1.0
        return self.d[k]

    def __setitem__(self, k, z):
        self.n = self.n + 10.0
        self.d[k] = z * 3


class More(Items):
    def __setitem__(self, k, z):
        super().__setitem__(k, z)
        self.d[k] += 1.0 * z


class Held:
    def __init__(self, v):
        self.v = v

    def put(self, z):
        self.v = z * 2
        return z


class Declines:
    def __init__(self, d):
        self.d = d

    def __iadd__(self, z):
        return NotImplemented

    def __add__(self, z):
        return Declines(self.d * 2 + z)


class Triples:
    def __init__(self, d):
        object.__setattr__(self, "v", d)

    def __setattr__(self, k, z):
        object.__setattr__(self, k, z * 3)


class Doubling:
    def __get__(self, o, cls):
        return o.__dict__["v"] * 2

    def __set__(self, o, z):
        o.__dict__["v"] = z * 3


class Described:
    v = Doubling()


class Writing:
    def __set__(self, o, z):
        o.__dict__["v"] = z * 3


class Written:
    v = Writing()


class Own(property):
    def __get__(self, o, cls=None):
        return o._d * 11


class Odd:
    def __init__(self, d):
        self._d = d

    v = Own(lambda self: self._d)


OUTSIDE = Described()
OUTSIDE.v = 2.0


def setter(x):
    o = Fresh(x)
    o.v *= 2.0
    o.v -= x[0]
    return np.sum(o._d**2)


def overridden_setter(x):
    o = Again(x)
    o.v *= x[1]
    return np.sum(o._d)


def setter_in_a_loop(x):
    o = Fresh(x)
    while np.sum(o._d) < 50.0:
        o.v *= 1 + x[0]
    return np.sum(o._d)


def setter_of_an_argument(x):
    def change(p):
        p.v *= x[0]

    o = Fresh(x)
    change(o)
    change(o)
    return np.sum(o._d)


def getter_of_the_array(x):
    o = Itself(x.copy())
    o.v *= x[0]
    return np.sum(o._d) * o.n


def slice_of_items(x):
    o = Items(x.copy())
    o[1:] *= 2.0
    return np.sum(o.d) * o.n


def chosen_items(x):
    o = Items(x.copy())
    o[[0, 1]] += x[2]
    return np.sum(o.d**2)


def whole_items(x):
    o = Items(x.copy())
    o[:] += x[0]
    return np.sum(o.d**2)


def inherited_items(x):
    o = More(x.copy())
    o[1:] *= x[0]
    return np.sum(o.d)


def inner_items(x):
    o = Held(Items(x.copy()))
    o.v[1:] += x[0]
    return np.sum(o.v.d**2)


def keyed_items(x):
    o = Items({"a": x.copy()})
    o["a"] *= x[0]
    return np.sum(o.d["a"])


def maybe_items(x):
    o = None
    if x[0] > 0:
        o = Items(x.copy())
    o[1:] *= x[0]
    return np.sum(o.d)


def index_once(x):
    o, count = Items(x.copy()), [0]

    def index():
        count[0] = count[0] + 1
        return slice(count[0], None)

    o[index()] *= x[0]
    return np.sum(o.d) * o.n * count[0]


def field_put_by_the_right_side(x):
    o = Held(x.copy())
    o.v += o.put(x.copy())
    return np.sum(o.v**2)


def name_bound_by_the_right_side(x):
    y = x.copy()

    def other():
        nonlocal y
        if x[0] > 0:
            y = x * 7
        return x * 2

    y += other()
    return np.sum(y**2)


def key_put_by_the_right_side(x):
    d = {"k": x.copy()}

    def other():
        d["k"] = x * 7
        return x * 2

    d["k"] += other()
    return np.sum(d["k"] ** 2)


def item_put_by_the_right_side(x):
    rows = [x.copy(), x.copy()]

    def other():
        rows[0] = x * 7
        return x * 2

    rows[0] += other()
    return np.sum(rows[0] ** 2)


def plain_field(x):
    o = Held(x.copy())
    w = o.v
    o.v *= x[0]
    w[0] = 5 * x[1]
    return np.sum(o.v**2)




def declined(x):
    o = Held(Declines(x))
    o.v += x[0]
    return np.sum(o.v.d**2)


def chosen_object(x):
    o = Fresh(x.copy()) if x[0] > 0 else Again(x.copy())
    o.v *= x[0]
    return np.sum(o._d)


def own_setattr(x):
    o = Triples(x.copy())
    o.v *= x[0]
    return np.sum(o.v)


def descriptor(x):
    o = Described()
    o.v = x
    return np.sum(o.v)


def descriptor_outside(x):
    return np.sum(OUTSIDE.v * x)


def descriptor_that_only_sets(x):
    o = Written()
    o.v = x
    return np.sum(o.v)


def bare_setattr_of_a_descriptor(x):
    o = Described()
    object.__setattr__(o, "v", x)
    return np.sum(o.v)


def kind_of_property(x):
    return np.sum(Odd(x).v)


def item_of_a_tuple(x):
    t = (x.copy(), 2.0)
    t[0] *= x[0]
    return np.sum(t[0])


def list_with_two_names(x):
    o = Held([x, x])
    rows = o.v
    o.v += [x * 3]
    return np.sum(rows[-1])


def repeated_list_with_two_names(x):
    o = Held([x, x])
    rows = o.v
    o.v *= 2
    return np.sum(rows[-1]) * len(rows)


def halved(a):
    a[0] *= 0.5
    return a[0]


def folded(parts, y):
    """A recursion that needs the sizes to be known: lists of numbers are known item by item then."""
    if len(parts) == 0:
        return y
    parts[0][0] = 0.5 * y
    return folded(parts[1:], parts[0][1])


def chosen_by_a_list_before_the_right_side(x):
    b = x * 1.0
    b[[0, 2]] -= halved(b)
    return np.sum(b**2) * folded([b[1:], x], b[0])


def chosen_by_a_list_as_rows(x):
    c = np.outer(x, x)
    c[[0, 1]] += halved(c[0]) * x
    c[[1, 1]] -= x
    c[[2, 2], 0] += x[1]
    return np.sum(c**2) * folded([x[1:], c[0]], c[1, 1])


FOLLOWED = [chosen_object, chosen_by_a_list_before_the_right_side, chosen_by_a_list_as_rows,
            setter, overridden_setter, setter_in_a_loop, setter_of_an_argument, getter_of_the_array, slice_of_items,
            chosen_items, whole_items, inherited_items, inner_items, keyed_items, maybe_items, index_once,
            field_put_by_the_right_side, name_bound_by_the_right_side, key_put_by_the_right_side, item_put_by_the_right_side,
            plain_field, declined, own_setattr, list_with_two_names, descriptor,
            descriptor_that_only_sets, kind_of_property]  # fmt: skip
REFUSED = [descriptor_outside,
           bare_setattr_of_a_descriptor, item_of_a_tuple, repeated_list_with_two_names]  # fmt: skip


@pytest.mark.parametrize("function", FOLLOWED, ids=lambda f: f.__name__)
def test_stores_are_those_of_python(function):
    assert s2sad.jvp(function, (X.copy(),), (X,))[0] == pytest.approx(function(X.copy()))
    assert s2sad.value_and_grad(function)(X.copy())[0] == pytest.approx(function(X.copy()))
    check_grads(function, (X.copy(),))


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_other_ways_to_store_are_refused(function):
    with pytest.raises(s2sad.UnsupportedSyntaxError):
        s2sad.grad(function)(X.copy())


@pytest.mark.parametrize("store", ["x[1:] *= w", "x[[0, 1]] *= w", "x[x < 5.0] *= w", "k[1:] *= x[0]", "k[[0, 1]] /= 2.0",
                                   "m[0] *= w", "x[1:] -= w", "x *= w"])  # fmt: skip
def test_what_numpy_does_not_cast_in_place_is_not_cast(store):
    f = load(f"import numpy as np\n\n\ndef f(x, w):\n    k, m = np.arange(4), np.zeros((3, 2))\n    {store}\n"
             "    return np.sum(x) * (k[1] + m[0, 0])\n")  # fmt: skip
    x, w = np.array([0.7, 1.3, 2.1]), 0.5 + 1.0j
    with pytest.raises(TypeError, match="Cannot cast"):
        f(x.copy(), w)
    for derivative in (lambda: jvp(f, (x, w), (x, None)), lambda: vjp(f, x, w)):
        with pytest.raises((S2sadError, TypeError), match="cast"):
            derivative()


SLICES = ("rows[:] *= x", "rows[1:] *= 2", "rows[:] += [x * x]", "rows[:2] -= x * x", "rows[1:] += rows[:1]")


@pytest.mark.parametrize("store", SLICES)
def test_a_slice_of_a_list_is_a_list_of_its_own(store):
    function = load(
        f"import numpy as np\n\n\ndef f(x):\n    rows = [x * 1.0, np.sin(x), np.cos(x)]\n    {store}\n"
        "    return np.sum(np.concatenate(rows)) * np.sum(rows[-1] * rows[0]) + rows[1][0]\n"
    )
    check_grads(function, (X,))
