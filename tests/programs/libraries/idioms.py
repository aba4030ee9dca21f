"""Idioms of the language: named tuples, descriptors, fields as dicts, iterators that have begun, text, and classes as in
libraries for filters, networks, robots and algorithms."""

import abc
import collections
import contextlib
import copy
import functools
import math
from abc import ABC, abstractmethod
from collections import defaultdict, deque
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np


class P(NamedTuple):
    x: float
    y: float = 2.0

    def norm(self):
        return math.sqrt(self.x**2 + self.y**2)

    @property
    def area(self):
        return self.x * self.y

    def __add__(self, o):
        return P(self.x + o.x, self.y + o.y)


def a_named_tuple_with_methods(s):
    p = P(s)._replace(y=s * s)
    return p.norm() * p.area


def named_tuples_added(s):
    q = P(s) + P(s * s, 1.0)
    return q[0] * q[-1] + len(q) + max(q)


def a_named_tuple_made_within(s):
    Q = collections.namedtuple("Q", "a b")
    q = Q(s, s * s)
    return q.a * q.b


@dataclass
class D:
    a: float
    b: list = field(default_factory=list)
    c: float = 1.0

    def add(self, v):
        self.b.append(v)
        return self

    def __post_init__(self):
        self.n = 2 * self.a


def a_dataclass_that_appends(s):
    d = D(s).add(s * s).add(3.0)
    return sum(d.b) * d.n


def a_dataclass_replaced(s):
    d = replace(D(s), c=s**3)
    return d.c * d.a * d.n


@dataclass(frozen=True, order=True)
class V:
    x: float
    y: float

    def __mul__(self, k):
        return V(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __add__(self, o):
        return V(self.x + o.x, self.y + o.y)

    def __neg__(self):
        return V(-self.x, -self.y)

    def __sub__(self, o):
        return self + -o

    def __matmul__(self, o):
        return self.x * o.x + self.y * o.y

    def __abs__(self):
        return math.hypot(self.x, self.y)

    def __iter__(self):
        yield self.x
        yield self.y

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def __len__(self):
        return 2

    def __contains__(self, v):
        return v in (self.x, self.y)

    def __bool__(self):
        return self.x != 0

    def __call__(self, t):
        return self.x + t * self.y

    @classmethod
    def of(cls, seq):
        return cls(*seq)

    @staticmethod
    def unit(t):
        return V(math.cos(t), math.sin(t))


def vectors_with_operators(s):
    return abs(2 * V(s, 1.0) - V.unit(s) * 3)


def the_truth_of_a_vector(s):
    return s * s if 1.0 in V(s, 1.0) and V(s, 2.0) else s**3


def vectors_sorted_and_compared(s):
    return max([V(s, 1.0), V(1.0, 5.0)], key=abs).x + sorted([V(s, 1.0), V(0.0, 1.0)])[1].x * s


def a_match_of_a_named_tuple(s):
    match P(s, 2.0):
        case P(x=0.0):
            return s
        case P(x, y) if y > 1:
            return x * x * y
        case _:
            return s**3


def an_evaluator_by_match(s):
    def ev(e):
        match e:
            case ("add", a, b):
                return ev(a) + ev(b)
            case ("mul", a, *rest):
                r = ev(a)
                for q in rest:
                    r = r * ev(q)
                return r
            case float() | int():
                return e
            case str():
                return s
            case {"neg": a}:
                return -ev(a)
            case [a]:
                return ev(a)

    return ev(("add", ("mul", "x", "x", 2.0), {"neg": ["x"]}))


class Prop:
    def __init__(self, r):
        self.r = r

    @property
    def r(self):
        return self._r

    @r.setter
    def r(self, v):
        if v < 0:
            raise ValueError(f"bad {v}")
        self._r = v
        self._area = None

    @property
    def area(self):
        if self._area is None:
            self._area = math.pi * self._r**2
        return self._area

    @r.deleter
    def r(self):
        del self._r


def a_property_with_a_cache(s):
    p = Prop(s)
    a = p.area
    p.r = s * 2
    p.r += 1
    return a * p.area


class Base(abc.ABC):
    registry = {}
    scale = 2.0

    def __init_subclass__(cls, **k):
        super().__init_subclass__(**k)
        Base.registry[cls.__name__] = cls

    @abc.abstractmethod
    def f(self, x): ...
    def __call__(self, x):
        return self.f(x) * self.scale


class Sq(Base):
    def f(self, x):
        return x * x


class Cu(Sq):
    scale = 3.0

    def f(self, x):
        return super().f(x) * x


class Mixin:
    def twice(self, x):
        return self(self(x))


class Both(Mixin, Cu):
    def __init__(self, k=1.0, **kw):
        super().__init__(**kw)
        self.k = k

    def f(self, x):
        return self.k * super().f(x)


def classes_mixed(s):
    return Sq()(s) + Cu()(s) + Both(k=s).twice(s)


def a_registry_of_classes(s):
    return Base.registry["Cu"]()(s) * Base.registry.get("Sq")()(s)


class Ctx:
    def __init__(self, v):
        self.v = v
        self.log = []

    def __enter__(self):
        self.v = self.v * 2
        return self

    def __exit__(self, *a):
        self.v = self.v / 2
        self.log.append(self.v)
        return False


def a_context_manager_with_a_log(s):
    c = Ctx(s)
    with c as d:
        r = d.v * s
    return r * c.v + sum(c.log)


@contextlib.contextmanager
def scaled(d, k):
    old = d["g"]
    d["g"] = old * k
    try:
        yield d
    finally:
        d["g"] = old


def a_context_by_a_generator(s):
    d = {"g": s}
    with scaled(d, s) as e:
        r = e["g"]
    return r * d["g"]


class Gen:
    def __init__(self, xs):
        self.xs = xs
        self.n = 0

    def items(self):
        for x in self.xs:
            self.n += 1
            yield x * self.n

    def __iter__(self):
        return self.items()

    def pairs(self):
        yield from zip(self.xs, self.items())


def a_generator_that_counts(x):
    g = Gen(x)
    return sum(g.items()) * g.n


def generators_that_delegate(x):
    return sum(a * b for a, b in Gen(x).pairs())


class MyErr(Exception):
    def __init__(self, v):
        super().__init__("msg")
        self.v = v


def text_of_constants(s):
    return s * len(f"{3:>5}{'a'!r}{2.5:.2f}")


def a_template_with_names(s):
    return s * len("{a!r}|{:>4}".format("b", a=1))


class Conf:
    gain = 1.0

    def __init__(self, **kw):
        self.__dict__.update(kw)


def a_config_of_keywords(s):
    return Conf(gain=s).gain * s


def fields_updated_as_a_dict(s):
    c = Conf()
    vars(c).update(gain=s, b=s * s)
    return c.gain * c.b


def fields_seen_through_vars(s):
    c = Conf(a=s)
    d = vars(c)
    c.a = s * s
    d["z"] = 3 * s
    return d["a"] * c.z * len(d)


class Pos:
    def __set_name__(self, o, n):
        self.n = "_" + n

    def __get__(self, o, t=None):
        if o is None:
            return self
        return getattr(o, self.n)

    def __set__(self, o, v):
        if v <= 0:
            raise ValueError("must be positive")
        setattr(o, self.n, v)


class Gas:
    T = Pos()
    p = Pos()

    def __init__(self, T, p):
        self.T = T
        self.p = p


def a_descriptor_that_checks(s):
    g = Gas(s, 2.0)
    g.T = g.T * s
    g.p += s
    return g.T * g.p


class Lazy:
    def __init__(self, f):
        self.f = f
        self.name = f.__name__

    def __get__(self, o, t=None):
        v = self.f(o)
        o.__dict__[self.name] = v
        return v


class UsesLazy:
    def __init__(self, a):
        self.a = a

    @Lazy
    def sq(self):
        return self.a**2


def a_descriptor_that_caches(s):
    u = UsesLazy(s)
    return u.sq * u.sq


LOW = 0.5


class Bounded:
    def __init__(self, lo, k):
        self.lo = lo
        self.k = k

    def __set_name__(self, o, n):
        self.n = "_" + n

    def __get__(self, o, t=None):
        return getattr(o, self.n) * self.k

    def __set__(self, o, v):
        setattr(o, self.n, max(v, self.lo))


class Tank:
    h = Bounded(1.0, 2.0)
    w = Bounded(0.0, 3.0)

    def __init__(self, h, w):
        self.h = h
        self.w = w

    def grow(self, f):
        self.h *= f
        self.w += 1.0
        return self


def a_descriptor_that_scales(s):
    t = Tank(s, s * s).grow(0.6)
    return t.h * t.w


class Sub(Tank):
    pass


def a_descriptor_inherited(x):
    t = Sub(x[0], x[1])
    for v in x:
        t.h = t.h + v if v > 1 else t.h * v
    return t.h * t.w


def fields_counted_as_a_dict(x):
    c = Conf()
    for v in x:
        c.__dict__["a"] = v * c.__dict__.get("a", 1.0)
    return c.a


def fields_set_by_default(s):
    c = Conf()
    c.__dict__.setdefault("q", s)
    if s > 1:
        vars(c)["q"] = s * s
    return c.q * vars(c)["q"]


def a_field_deleted_as_an_item(s):
    c = Conf(a=s, b=2.0)
    del c.__dict__["b"]
    return c.a * len(vars(c)) * ("a" in vars(c))


def defaults_of_a_named_tuple_made_within(s):
    Q = collections.namedtuple("Q", ["a", "b"], defaults=(2.0,))
    q = Q(s) if s > 1 else Q(s * s, s)
    return q._replace(a=s * s).a * q.b


def a_list_of_named_tuples_made_within(x):
    Q = collections.namedtuple("Q", "a, b")
    l = [Q(v, v * v) for v in x]
    m = max(l, key=lambda q: q.b)
    return sum(q.a * q.b for q in l) + m.a


def a_template_with_specifications(s):
    return s * len("{x:.3f} and {0!r} {{}} {name}".format("q", x=2.5, name=3))


def a_template_filled_with_numbers(s):
    return s * (len(f"{s:.3f}") > 3)


def an_enumeration_begun(x):
    e = enumerate(x)
    i, first = next(e)
    return first + sum(j * w for j, w in e)


def pairs_begun(x):
    z = zip(x, x[1:])
    a, b = next(z)
    t = a * b
    for u, v in z:
        t += u * v * a
    return t


def reversed_begun(x):
    r = reversed(x)
    a = next(r)
    b = next(r)
    return a * b * b + sum(r)


def reversed_taken_apart(x):
    r = reversed([x[0], x[1], x[2]])
    a = next(r)
    b, *c = r
    return a * b * b + sum(c) ** 2


def an_enumeration_begun_on_one_path(x):
    z = enumerate(x)
    if x[0] > 0.5:
        next(z)
    t = 0.0
    for k, v in z:
        t += k * v * v
    return t


def items_asked_for_until_none(x):
    z = enumerate(x)
    t = 0.0
    while True:
        item = next(z, None)
        if item is None:
            break
        t += item[0] * item[1] ** 2
    return t


def pairs_begun_in_a_loop(x):
    z = zip(x, x)
    t = 0.0
    for k in range(2):
        a, b = next(z)
        t += a * b * k
    return t + sum(a for a, b in z)


def a_map_begun(x):
    m = map(lambda v: v * v, x)
    a = next(m)
    return a + 2 * sum(m)


def items_asked_for_until_they_end(x):
    z = enumerate(x)
    try:
        while True:
            i, v = next(z)
    except StopIteration:
        pass
    return v * i


def powers(base, n):
    t = 1.0
    for k in range(n):
        yield t
        t = t * base


def generators_side_by_side_in_a_sum(x):
    return sum(a * b for a, b in zip(powers(x[0], 3), powers(x[1], 3)))


_M = object()


def getv(d, k, default=_M):
    try:
        return d[k]
    except KeyError:
        if default is _M:
            raise
        return default


def a_default_by_a_sentinel(s):
    d = {"a": s * 2}
    return getv(d, "a") * getv(d, "c", s)


def a_sentinel_that_raises_again(s):
    d = {"a": s * 2}
    try:
        return getv(d, "q")
    except KeyError:
        return s * s


def an_exception_raised_again_under_a_condition(s):
    try:
        try:
            if s > 1:
                raise ValueError("x")
            r = s
        except ValueError:
            if s < 2:
                raise
            r = s * 2
    except ValueError:
        r = s**3
    return r


class ActivationBase(ABC):
    def __init__(self, **kwargs):
        super().__init__()

    def __call__(self, z):
        if z.ndim == 1:
            z = z.reshape(1, -1)
        return self.fn(z)

    @abstractmethod
    def fn(self, z):
        raise NotImplementedError


class ReLU(ActivationBase):
    def __str__(self):
        return "ReLU"

    def fn(self, z):
        return np.clip(z, 0, np.inf)

    def grad(self, x):
        return (x > 0).astype(int)


class LeakyReLU(ActivationBase):
    def __init__(self, alpha=0.3):
        self.alpha = alpha
        super().__init__()

    def __str__(self):
        return f"Leaky ReLU(alpha={self.alpha})"

    def fn(self, z):
        _z = z.copy()
        _z[z < 0] = _z[z < 0] * self.alpha
        return _z


class Tanh(ActivationBase):
    def fn(self, z):
        return np.tanh(z)


class Initializer:
    def __init__(self, param=None):
        self.param = param

    def __call__(self):
        p = self.param
        if p is None:
            act = ReLU()
        elif isinstance(p, ActivationBase):
            act = p
        elif isinstance(p, str):
            act = self.init_from_str(p)
        else:
            raise ValueError(f"Unknown activation: {p}")
        return act

    def init_from_str(self, s):
        s = s.lower()
        if s == "relu":
            return ReLU()
        elif s == "tanh":
            return Tanh()
        elif "leaky" in s:
            return LeakyReLU(alpha=float(s.split("=")[1]))
        raise ValueError(f"Unknown activation: {s}")


class LayerBase(ABC):
    def __init__(self, optimizer=None):
        self.X = []
        self.act_fn = None
        self.trainable = True
        self.gradients = {}
        self.parameters = {}
        self.derived_variables = {}
        super().__init__()

    @abstractmethod
    def _init_params(self, **kw):
        raise NotImplementedError

    def flush_gradients(self):
        self.X = []
        for k, v in self.derived_variables.items():
            self.derived_variables[k] = []
        for k, v in self.gradients.items():
            self.gradients[k] = np.zeros_like(v)

    def set_params(self, d):
        for k, v in d.items():
            if k in self.parameters:
                self.parameters[k] = v
        return self

    @property
    def hyperparameters(self):
        return {"n_out": self.n_out, "act": str(self.act_fn)}


class FC(LayerBase):
    def __init__(self, n_out, act_fn=None):
        super().__init__(None)
        self.n_in = None
        self.n_out = n_out
        self.act_fn = Initializer(act_fn)()
        self.parameters = {"W": None, "b": None}
        self.is_initialized = False

    def _init_params(self):
        self.parameters = {
            "W": np.linspace(-1, 1, self.n_in * self.n_out).reshape(self.n_in, self.n_out),
            "b": np.zeros((1, self.n_out)),
        }
        self.derived_variables = {"Z": []}
        self.gradients = {"W": np.zeros_like(self.parameters["W"]), "b": np.zeros_like(self.parameters["b"])}
        self.is_initialized = True

    def forward(self, X, retain_derived=True):
        if not self.is_initialized:
            self.n_in = X.shape[1]
            self._init_params()
        Y, Z = self._fwd(X)
        if retain_derived:
            self.X.append(X)
            self.derived_variables["Z"].append(Z)
        return Y

    def _fwd(self, X):
        W = self.parameters["W"]
        b = self.parameters["b"]
        Z = X @ W + b
        return self.act_fn(Z), Z


def a_layer_that_keeps_what_it_sees(x):
    l = FC(3, LeakyReLU(0.1))
    a = l.forward(x.reshape(1, -1))
    l.flush_gradients()
    b = l.forward(2 * x.reshape(1, -1), retain_derived=False)
    return np.sum(a * b) + len(l.X) + len(l.hyperparameters["act"])


class OptimizerBase(ABC):
    def __init__(self, lr, scheduler=None):
        self.cache = {}
        self.cur_step = 0
        self.hyperparameters = {}
        self.lr_scheduler = scheduler or (lambda s, c: lr)

    def __call__(self, param, g, name, loss=None):
        return self.update(param, g, name, loss)

    def step(self):
        self.cur_step += 1


class SGD(OptimizerBase):
    def __init__(self, lr=0.01, momentum=0.0, clip_norm=None, **kwargs):
        super().__init__(lr)
        self.hyperparameters = {"id": "SGD", "lr": lr, "momentum": momentum, "clip_norm": clip_norm}

    def update(self, param, g, name, loss=None):
        C = self.cache
        H = self.hyperparameters
        momentum, clip_norm = H["momentum"], H["clip_norm"]
        lr = self.lr_scheduler(self.cur_step, loss)
        if name not in C:
            C[name] = np.zeros_like(g)
        t = np.inf if clip_norm is None else clip_norm
        if np.linalg.norm(g) > t:
            g = g * t / np.linalg.norm(g)
        upd = momentum * C[name] + lr * g
        self.cache[name] = upd
        return param - upd


class Adam(OptimizerBase):
    def __init__(self, lr=0.001, decay1=0.9, decay2=0.999, eps=1e-7):
        super().__init__(lr)
        self.hyperparameters = {"eps": eps, "lr": lr, "d1": decay1, "d2": decay2}

    def update(self, param, g, name, loss=None):
        C, H = self.cache, self.hyperparameters
        if name not in C:
            C[name] = {"t": 0, "mean": np.zeros_like(g), "var": np.zeros_like(g)}
        t = C[name]["t"] + 1
        mean = C[name]["mean"]
        var = C[name]["var"]
        C[name]["t"] = t
        C[name]["mean"] = H["d1"] * mean + (1 - H["d1"]) * g
        C[name]["var"] = H["d2"] * var + (1 - H["d2"]) * g**2
        self.cache = C
        m = C[name]["mean"] / (1 - H["d1"] ** t)
        v = C[name]["var"] / (1 - H["d2"] ** t)
        return param - H["lr"] * m / (np.sqrt(v) + H["eps"])


def momentum_with_clipping(x):
    o = SGD(0.1, momentum=0.9, clip_norm=1.0)
    w = x
    for _ in range(3):
        w = o(w, 2 * w, "W")
        o.step()
    return np.sum(w**2) * o.cur_step


def adam_with_a_cache_of_dicts(x):
    o = Adam(0.1)
    w = x
    for i in range(3):
        w = o(w, w**3, "W")
    return np.sum(w**2)


class KF:
    def __init__(self, dim_x, dim_z, dim_u=0):
        if dim_x < 1:
            raise ValueError("dim_x must be 1 or greater")
        self.dim_x, self.dim_z, self.dim_u = dim_x, dim_z, dim_u
        self.x = np.zeros((dim_x, 1))
        self.P = np.eye(dim_x)
        self.Q = np.eye(dim_x)
        self.B = None
        self.F = np.eye(dim_x)
        self.H = np.zeros((dim_z, dim_x))
        self.R = np.eye(dim_z)
        self._alpha_sq = 1.0
        self.M = np.zeros((dim_x, dim_z))
        self.z = np.array([[None] * dim_z]).T
        self.K = np.zeros((dim_x, dim_z))
        self.y = np.zeros((dim_z, 1))
        self.S = np.zeros((dim_z, dim_z))
        self.SI = np.zeros((dim_z, dim_z))
        self._I = np.eye(dim_x)
        self.x_prior = self.x.copy()
        self.P_prior = self.P.copy()
        self._log_likelihood = math.log(1e-300)
        self._likelihood = None
        self._mahalanobis = None
        self.inv = np.linalg.inv

    def predict(self, u=None, B=None, F=None, Q=None):
        if B is None:
            B = self.B
        if F is None:
            F = self.F
        if Q is None:
            Q = self.Q
        elif np.isscalar(Q):
            Q = np.eye(self.dim_x) * Q
        if B is not None and u is not None:
            self.x = np.dot(F, self.x) + np.dot(B, u)
        else:
            self.x = np.dot(F, self.x)
        self.P = self._alpha_sq * np.dot(np.dot(F, self.P), F.T) + Q
        self.x_prior = self.x.copy()
        self.P_prior = self.P.copy()

    def update(self, z, R=None, H=None):
        self._log_likelihood = None
        self._likelihood = None
        self._mahalanobis = None
        if z is None:
            self.y = np.zeros((self.dim_z, 1))
            return
        z = np.atleast_2d(z)
        if R is None:
            R = self.R
        elif np.isscalar(R):
            R = np.eye(self.dim_z) * R
        if H is None:
            H = self.H
        self.y = z - np.dot(H, self.x)
        PHT = np.dot(self.P, H.T)
        self.S = np.dot(H, PHT) + R
        self.SI = self.inv(self.S)
        self.K = PHT.dot(self.SI)
        self.x = self.x + np.dot(self.K, self.y)
        I_KH = self._I - np.dot(self.K, H)
        self.P = np.dot(np.dot(I_KH, self.P), I_KH.T) + np.dot(np.dot(self.K, R), self.K.T)
        self.x_post = self.x.copy()

    @property
    def mahalanobis(self):
        if self._mahalanobis is None:
            self._mahalanobis = math.sqrt(float(np.dot(np.dot(self.y.T, self.SI), self.y)[0, 0]))
        return self._mahalanobis

    @property
    def alpha(self):
        return self._alpha_sq**0.5

    @alpha.setter
    def alpha(self, v):
        if not np.isscalar(v) or v < 1:
            raise ValueError("alpha must be a float greater than 1")
        self._alpha_sq = v**2

    def batch(self, zs, Rs=None, saver=None):
        n = np.size(zs, 0)
        if Rs is None:
            Rs = [self.R] * n
        means = np.zeros((n, self.dim_x, 1))
        covs = np.zeros((n, self.dim_x, self.dim_x))
        for i, (z, R) in enumerate(zip(zs, Rs)):
            self.predict()
            self.update(z, R=R)
            means[i, :] = self.x
            covs[i, :, :] = self.P
            if saver is not None:
                saver.save()
        return means, covs


class Saver:
    def __init__(self, kf, save_current=False):
        self._kf = kf
        self._DL = defaultdict(list)
        self._skip = None
        self._len = 0
        if save_current:
            self.save()

    def save(self):
        self._DL["x"].append(copy.deepcopy(self._kf.x))
        self._DL["y"].append(copy.deepcopy(self._kf.y))
        self._len += 1

    def __getitem__(self, k):
        return self._DL[k]

    def __len__(self):
        return self._len


def mk():
    k = KF(2, 1)
    k.F = np.array([[1.0, 1.0], [0.0, 1.0]])
    k.H = np.array([[1.0, 0.0]])
    k.R *= 0.5
    k.Q = np.eye(2) * 0.1
    k.alpha = 1.02
    return k


def a_filter_with_lazy_properties(x):
    k = mk()
    for z in x:
        k.predict()
        k.update(z)
    return k.x[0, 0] * k.mahalanobis + k.P[0, 1]


def a_filter_with_a_saver(x):
    k = mk()
    s = Saver(k)
    m, c = k.batch(x, saver=s)
    return np.sum(m[:, 0] ** 2) + np.sum(c) + sum(v[0, 0] for v in s["x"]) * len(s)


def a_filter_with_options(x):
    k = mk()
    k.predict(u=x[0], B=np.array([[0.5], [1.0]]), Q=x[1] ** 2)
    k.update(x[2], R=x[0])
    k.update(None)
    return np.sum(k.x) + np.trace(k.P) + k.alpha


class State:
    WB = 2.9

    def __init__(self, x=0.0, y=0.0, yaw=0.0, v=0.0):
        self.x = x
        self.y = y
        self.yaw = yaw
        self.v = v
        self.rear_x = self.x - ((self.WB / 2) * math.cos(self.yaw))

    def update(self, a, delta, dt=0.1):
        self.x += self.v * math.cos(self.yaw) * dt
        self.y += self.v * math.sin(self.yaw) * dt
        self.yaw += self.v / self.WB * math.tan(delta) * dt
        self.v += a * dt
        self.rear_x = self.x - ((self.WB / 2) * math.cos(self.yaw))

    def calc_distance(self, px, py):
        return math.hypot(self.x - px, self.y - py)


class States:
    def __init__(self):
        self.x = []
        self.y = []
        self.t = []

    def append(self, t, state):
        self.x.append(state.x)
        self.y.append(state.y)
        self.t.append(t)


class TargetCourse:
    def __init__(self, cx, cy):
        self.cx = cx
        self.cy = cy
        self.old_nearest_point_index = None

    def search_target_index(self, state):
        if self.old_nearest_point_index is None:
            dx = [state.x - icx for icx in self.cx]
            dy = [state.y - icy for icy in self.cy]
            d = np.hypot(dx, dy)
            ind = np.argmin(d)
            self.old_nearest_point_index = ind
        else:
            ind = self.old_nearest_point_index
            d0 = state.calc_distance(self.cx[ind], self.cy[ind])
            while True:
                if ind + 1 >= len(self.cx):
                    break
                d1 = state.calc_distance(self.cx[ind + 1], self.cy[ind + 1])
                if d0 < d1:
                    break
                ind = ind + 1 if (ind + 1) < len(self.cx) else ind
                d0 = d1
            self.old_nearest_point_index = ind
        Lf = 0.1 * state.v + 1.0
        while Lf > state.calc_distance(self.cx[ind], self.cy[ind]):
            if (ind + 1) >= len(self.cx):
                break
            ind += 1
        return ind, Lf


def pure_pursuit_with_an_index(s):
    cx = list(np.arange(0, 8, 0.5))
    cy = [math.sin(ix / 5.0) * ix / 2.0 for ix in cx]
    st = State(x=0.0, y=-0.5 * s, yaw=0.0, v=s)
    states = States()
    states.append(0, st)
    tc = TargetCourse(cx, cy)
    t = 0.0
    ti, _ = tc.search_target_index(st)
    while t < 1.0:
        ai = 1.0 * (3.0 - st.v)
        ind, Lf = tc.search_target_index(st)
        if ti >= ind:
            ind = ti
        tx, ty = cx[ind], cy[ind]
        alpha = math.atan2(ty - st.y, tx - st.rear_x) - st.yaw
        delta = math.atan2(2.0 * State.WB * math.sin(alpha) / Lf, 1.0)
        st.update(ai, delta)
        t += 0.1
        states.append(t, st)
    return sum(states.x) + states.y[-1] ** 2


class QuinticPolynomial:
    def __init__(self, xs, vxs, axs, xe, vxe, axe, time):
        self.a0 = xs
        self.a1 = vxs
        self.a2 = axs / 2.0
        A = np.array(
            [
                [time**3, time**4, time**5],
                [3 * time**2, 4 * time**3, 5 * time**4],
                [6 * time, 12 * time**2, 20 * time**3],
            ]
        )
        b = np.array(
            [
                xe - self.a0 - self.a1 * time - self.a2 * time**2,
                vxe - self.a1 - 2 * self.a2 * time,
                axe - 2 * self.a2,
            ]
        )
        x = np.linalg.solve(A, b)
        self.a3, self.a4, self.a5 = x[0], x[1], x[2]

    def calc_point(self, t):
        return self.a0 + self.a1 * t + self.a2 * t**2 + self.a3 * t**3 + self.a4 * t**4 + self.a5 * t**5


class FrenetPath:
    def __init__(self):
        self.t = []
        self.d = []
        self.cd = 0.0
        self.c = []


class Matrix:
    def __init__(self, row, column, default_value=0.0):
        self.row, self.column = row, column
        self.array = [[default_value for _ in range(column)] for _ in range(row)]

    def validate_indices(self, loc):
        if not (isinstance(loc, (list, tuple)) and len(loc) == 2):
            return False
        return not (not (0 <= loc[0] < self.row and 0 <= loc[1] < self.column))

    def __getitem__(self, loc):
        assert self.validate_indices(loc)
        return self.array[loc[0]][loc[1]]

    def __setitem__(self, loc, value):
        assert self.validate_indices(loc)
        self.array[loc[0]][loc[1]] = value

    def __add__(self, o):
        assert isinstance(o, Matrix)
        r = Matrix(self.row, self.column)
        for i in range(self.row):
            for j in range(self.column):
                r[i, j] = self[i, j] + o[i, j]
        return r

    def __neg__(self):
        r = Matrix(self.row, self.column)
        for i in range(self.row):
            for j in range(self.column):
                r[i, j] = -self[i, j]
        return r

    def __sub__(self, o):
        return self + (-o)

    def __mul__(self, o):
        if isinstance(o, (int, float)):
            r = Matrix(self.row, self.column)
            for i in range(self.row):
                for j in range(self.column):
                    r[i, j] = self[i, j] * o
            return r
        elif isinstance(o, Matrix):
            assert self.column == o.row
            r = Matrix(self.row, o.column)
            for i in range(self.row):
                for j in range(o.column):
                    for k in range(self.column):
                        r[i, j] += self[i, k] * o[k, j]
            return r
        raise TypeError(f"Unsupported type given for another ({type(o)})")

    def transpose(self):
        r = Matrix(self.column, self.row)
        for i in range(self.row):
            for j in range(self.column):
                r[j, i] = self[i, j]
        return r


def a_matrix_class_with_assertions(s):
    a = Matrix(2, 2, s)
    a[0, 1] = s * s
    b = a * a.transpose() - a * 2.0
    return b[0, 0] * b[1, 0] + b[0, 1]


class Vector:
    def __init__(self, components=None):
        self.__components = list(components or [])

    def __len__(self):
        return len(self.__components)

    def __str__(self):
        return "(" + ",".join(map(str, self.__components)) + ")"

    def __add__(self, o):
        if len(self) == len(o):
            return Vector([self.__components[i] + o.component(i) for i in range(len(self))])
        raise Exception("must have the same size")

    def __mul__(self, o):
        if isinstance(o, (float, int)):
            return Vector([c * o for c in self.__components])
        if isinstance(o, Vector) and len(self) == len(o):
            return sum(self.__components[i] * o.component(i) for i in range(len(self)))
        raise Exception("invalid operand!")

    def component(self, i):
        if isinstance(i, int) and -len(self.__components) <= i < len(self.__components):
            return self.__components[i]
        raise Exception("index out of range")

    def change_component(self, pos, value):
        assert -len(self.__components) <= pos < len(self.__components)
        self.__components[pos] = value

    def euclidean_length(self):
        if len(self.__components) == 0:
            raise Exception("Vector is empty")
        return math.sqrt(sum(c**2 for c in self.__components))

    def angle(self, o, deg=False):
        num = self * o
        den = self.euclidean_length() * o.euclidean_length()
        return math.degrees(math.acos(num / den)) if deg else math.acos(num / den)


def a_vector_class_with_private_items(s):
    v = Vector([s, 1.0, 2.0])
    w = v * 2.0 + Vector([1.0, s, 0.0])
    w.change_component(2, s * s)
    return v.angle(w) + w.euclidean_length()


class Polynomial:
    def __init__(self, degree, coefficients):
        if len(coefficients) != degree + 1:
            raise ValueError("bad")
        self.coefficients = list(coefficients)
        self.degree = degree

    def __add__(self, p2):
        if self.degree > p2.degree:
            c = self.coefficients[:]
            for i in range(p2.degree + 1):
                c[i] += p2.coefficients[i]
            return Polynomial(self.degree, c)
        c = p2.coefficients[:]
        for i in range(self.degree + 1):
            c[i] += self.coefficients[i]
        return Polynomial(p2.degree, c)

    def __mul__(self, p2):
        c = [0.0] * (self.degree + p2.degree + 1)
        for i in range(self.degree + 1):
            for j in range(p2.degree + 1):
                c[i + j] += self.coefficients[i] * p2.coefficients[j]
        return Polynomial(self.degree + p2.degree, c)

    def evaluate(self, x):
        r = 0
        for i in range(self.degree + 1):
            r += self.coefficients[i] * (x**i)
        return r

    def derivative(self):
        c = [0.0] * self.degree
        for i in range(self.degree):
            c[i] = self.coefficients[i + 1] * (i + 1)
        return Polynomial(self.degree - 1, c)


def polynomials_as_objects(s):
    p = Polynomial(2, [s, 1.0, 2.0])
    q = Polynomial(1, [1.0, s])
    return ((p * q) + q).derivative().evaluate(s)


class LRU:
    def __init__(self, cap):
        self.d = {}
        self.cap = cap
        self.hits = 0
        self.order = deque()

    def get(self, k, f):
        if k in self.d:
            self.hits += 1
            return self.d[k]
        v = f(k)
        self.d[k] = v
        self.order.append(k)
        if len(self.order) > self.cap:
            del self.d[self.order.popleft()]
        return v


def a_cache_that_forgets(s):
    c = LRU(2)
    t = 0.0
    for k in [1, 2, 1, 3, 1, 2]:
        t += c.get(k, lambda q: s**q)
    return t * c.hits


def a_memo_in_a_closure(s):
    memo = {}

    def fib(n):
        if n in memo:
            return memo[n]
        r = s if n < 2 else fib(n - 1) + fib(n - 2) * s
        memo[n] = r
        return r

    return fib(6)


def timed(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        wrapper.n = getattr(wrapper, "n", 0)
        return fn(*args, **kwargs)

    return wrapper


def check(*types):
    def deco(fn):
        @functools.wraps(fn)
        def inner(*a, **k):
            if not all(isinstance(v, t) for v, t in zip(a, types)):
                raise TypeError("bad")
            return fn(*a, **k)

        return inner

    return deco


@check(float, float)
def area(a, b=2.0, *rest, scale=1.0):
    return a * b * scale + sum(rest)


def decorators_that_check_types(s):
    return area(s, s, 3.0, scale=s)


class PID:
    def __init__(self, kp, ki=0.0, kd=0.0, limits=(None, None), fn=None):
        self.kp, self.ki, self.kd = kp, ki, kd
        self._min, self._max = limits
        self._integral = 0
        self._last = None
        self.fn = fn

    def _clamp(self, v):
        lo, hi = self._min, self._max
        if v is None:
            return None
        elif hi is not None and v > hi:
            return hi
        elif lo is not None and v < lo:
            return lo
        return v

    def __call__(self, err, dt=0.1):
        self._integral += self.ki * err * dt
        self._integral = self._clamp(self._integral)
        d = (err - (self._last if self._last is not None else err)) / dt
        self._last = err
        out = self._clamp(self.kp * err + self._integral + self.kd * d)
        return self.fn(out) if self.fn else out

    @property
    def tunings(self):
        return self.kp, self.ki, self.kd

    @tunings.setter
    def tunings(self, t):
        self.kp, self.ki, self.kd = t


def a_controller_with_limits(s):
    p = PID(s, 0.5, 0.1, limits=(-3, 3), fn=math.tanh)
    x = 0.0
    for i in range(5):
        if i == 3:
            p.tunings = (s * 2, 0.1, 0.0)
        x += 0.1 * p(1.5 - x)
    return x


class Numbered:
    def __init__(self, k):
        self.k = k

    def __str__(self):
        return f"A{self.k}"


class Shown(Numbered):
    def __repr__(self):
        return f"B({self.k!r})"


class Rounded:
    def __init__(self, v):
        self.v = v

    def __repr__(self):
        return f"C<{self.v:.2f}>"


def what_objects_say_of_themselves(s):
    return s * len(str(Numbered(3))) + s * len(repr(Shown(4))) + len(f"{Shown(5)}{Shown(5)!r}") * s * s


def an_object_in_a_template(s):
    c = Rounded(s)
    t = str(c)
    print(c, end="") if s > 1e9 else None
    return s * (len(t) + len(f"{c} {Numbered(2)}"))


def objects_joined_as_text(s):
    return s * len(", ".join(map(str, [Numbered(1), Numbered(2)])))


def an_object_as_a_key_of_text(s):
    names = {str(Numbered(1)): s, "x": 2.0}
    return names["A1"] * s


def an_object_in_a_message(s):
    if s < 0:
        raise ValueError(f"bad {Rounded(s)} {Numbered(1)}")
    return s * s
