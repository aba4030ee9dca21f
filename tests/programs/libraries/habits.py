"""Habits of those who write libraries: namespaces, bound methods kept for later, enumerations that act, iterators in pairs."""

import bisect
import dataclasses
import enum
import functools
import itertools
import types

import numpy as np


class Op(enum.Enum):
    ADD = "+"
    SIN = "s"

    def apply(self, *args):
        return args[0] + args[1] if self is Op.ADD else np.sin(args[0])


class Term:
    def __init__(self, op, kids, name=None):
        self.op, self.kids, self.name = op, kids, name

    def eval(self, env):
        return env[self.name] if self.op is None else self.op.apply(*[k.eval(env) for k in self.kids])


TREE = Term(Op.ADD, (Term(Op.SIN, (Term(None, (), "a"),)), Term(None, (), "b")))


def enumeration_members_act(s):
    return TREE.eval({"a": s, "b": s * s}) * Op.SIN.apply(s)


class Lens:
    def __init__(self, w):
        self.w, self.callback = w, None

    def bend(self, a, s):
        return self.w * a * s * s


LENS, OTHER, THIRD = Lens(3.0), Lens(2.0), Lens(1.0)
BENT = functools.partial(LENS.bend, 2.0)
OTHER.callback, THIRD.bent = LENS.bend, BENT
BENDERS, BY_NAME = [LENS.bend, OTHER.bend], {"first": LENS.bend}


def partials_of_bound_methods(s):
    return BENT(s) + BENT(s=s * s)


def bound_methods_in_fields(s):
    return OTHER.callback(s, s) * OTHER.w + THIRD.bent(s)


def bound_methods_in_containers(s):
    return sum(f(1.0, s) for f in BENDERS) + BY_NAME["first"](2.0, s)


SETTINGS = types.SimpleNamespace(power=3, rate=2.0, act=np.tanh)


def namespaces(s):
    state = types.SimpleNamespace(x=s * 2.0, k=SETTINGS.power)
    state.x += s
    state.v = SETTINGS.act(state.x) * SETTINGS.rate**state.k
    return state.v * state.k


def namespaces_that_may_be_missing(s, options=None):
    options = options or types.SimpleNamespace(rate=2.0, tol=1e-3)
    return options.rate * s * s


def namespaces_that_are_returned(s):
    def step(p):
        return types.SimpleNamespace(x=p.x * 2.0, v=p.v + p.x)

    p = types.SimpleNamespace(x=s, v=0.0)
    for _ in range(3):
        p = step(p)
    return p.x * p.v


@dataclasses.dataclass
class Settings:
    a: float
    b: float = 2.0
    name: str = "plain"

    def norm(self):
        return sum(getattr(self, f.name) ** 2 for f in dataclasses.fields(self) if f.name != "name")


def fields_of_dataclasses(s):
    made, total = Settings(s, s * s), 0.0
    for f in dataclasses.fields(made):
        value = getattr(made, f.name)
        if not isinstance(value, str):
            total += value**3
    return total + made.norm() * len(dataclasses.fields(Settings))


def dataclasses_taken_apart(s):
    made = dataclasses.replace(Settings(s), b=s * 3.0)
    table = dataclasses.asdict(made)
    return table["b"] * dataclasses.astuple(made)[0] + sum(v for k, v in table.items() if k != "name")


def longest_pairs(x):
    total = 0.0
    for a, b in itertools.zip_longest(x, x[:2] ** 2, fillvalue=0.5):
        total += a * b
    for a, b, c in itertools.zip_longest((x[0], 2.0), [x[1]], x, fillvalue=1.0):
        total += a * b * c
    return total


def groups_by_a_key(x):
    total = 0.0
    for k, group in itertools.groupby(range(3), key=lambda i: i // 2):
        total += (k + 1) * np.sum(x[list(group)]) ** 2
    for above, group in itertools.groupby(x, lambda v: v > 1.0):
        total += (3.0 if above else 1.0) * sum(v * v for v in group)
    return total


def quadratic(a, b=2.0, c=3.0):
    return a * b + c * a * a


def starred_with_defaults(x):
    return quadratic(*x) + quadratic(*x[:2]) + quadratic(*x[:1])


def names_of_functions(s):
    return sum(getattr(np, name)(s) for name in ["sin", "cos", "exp"]) + getattr(LENS, "bend")(s, s)


class Shape:
    def __new__(cls, kind, *args):
        if cls is Shape:
            return {"square": Square, "disk": Disk}[kind](kind, *args)
        return super().__new__(cls)

    def __init__(self, kind, size):
        self.kind, self.size = kind, size


class Square(Shape):
    def area(self):
        return self.size**2


class Disk(Shape):
    def area(self):
        return np.pi * self.size**2 / 4.0


def factories_in_new(s):
    return Shape("square", s).area() * Shape("disk", s * 2.0).area() + Disk("disk", s).area()


def nested(tree, s):
    if isinstance(tree, tuple | list):
        return sum(nested(part, s) for part in tree)
    return tree * s * s


def unions_of_classes(s):
    return nested((1.0, [2.0, (s,)]), s) + nested([s], s)


def places_in_a_table(s):
    table = [0.0, 1.0, 2.0, 4.0]
    k = bisect.bisect(table, s) - 1
    return table[k] + (s - table[k]) ** 2 * (bisect.bisect_left(table, 2.0) + 1)


class Chain:
    def __init__(self, *stages, centred=True):
        self.stages = []
        for stage in stages:
            self.add(stage)
        if centred:
            self.add(lambda v: v - np.mean(v))

    def add(self, stage):
        self.stages.append(stage)
        return self

    def __call__(self, x):
        for stage in self.stages:
            x = stage(x)
        return x


def chains_of_stages(x, centred=True, tail=False):
    chain = Chain(np.sin, lambda v: v * x, centred=centred)
    if tail:
        chain.add(np.tanh)
    return np.sum(chain.add(np.exp)(x)) * len(chain.stages)


def groups_that_are_kept(x):
    kept, total = [(k, group) for k, group in itertools.groupby(range(3), key=lambda i: i // 2)], x[0]
    for _, group in kept:  # whose items are gone
        total += sum(x[i] * 10.0 for i in group)
    before = None
    for _, group in itertools.groupby(x, key=lambda v: v > 1.0):
        if before is not None:
            total += sum(v * 100.0 for v in before)
        before, total = group, total + next(group) ** 2
    return total
