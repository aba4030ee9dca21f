"""Programs as people write them: each has a derivative in both modes, or is refused by name."""

from __future__ import annotations

import collections
import copy
import dataclasses
import decimal
import enum
import functools
import inspect
import logging
import struct
import time
import warnings
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from verdicts import arguments, assert_refused, assert_right

from s2sad import check_grads, differentiate, grad, jvp, vjp

# --- NumPy's numbers in globals and closures

ANGLE, TINY, TURN, THREE = np.deg2rad(45), np.finfo(float).tiny, np.complex128(1 + 2j), np.float64(3.0)


def numbers_of_numpy(s):
    return s * ANGLE + THREE * s * s + TINY + (s * TURN).real + abs(TURN * s)


def closed_over():
    scale, angle = np.float64(2.5), np.deg2rad(30.0)

    def f(s):
        return s * scale * np.sin(angle * s)

    return f


# --- objects, containers, what a call gives


class Permissive:
    def __init__(self, v):
        self.v = v

    def __getattr__(self, name):
        return lambda *_: 2.0


PERMISSIVE = Permissive(2.0)


def any_attribute(s):
    return PERMISSIVE.v * s * PERMISSIVE.whatever() + Permissive(s).v * s


def one_part(x):
    return np.sum(np.split(x, 1)[0] ** 2)


def shortened_on_the_way(s):
    items = [s, s * s, s * 3]
    total = 0.0
    for v in items:
        total += v
        items.pop()
    return total


def results(s, return_all=False):
    square = s * s
    if return_all:
        return s, square, square
    return square


def results_by_flag(s):
    a, b, c = results(s, True)
    return a * b * c + results(s)


def dead_branch(x, pdf=1.0, normed=True):
    if normed and len(np.shape(pdf)) > 0:
        pdf = pdf / np.sum(pdf)
    return np.sum(x * x) * pdf


class Lazy:
    def __init__(self):
        self.is_initialized = False

    def _init(self):
        self.k = 3.0
        self.is_initialized = True

    def __call__(self, s):
        if not self.is_initialized:
            self._init()
        return self.k * s * s


def initialised_when_called(s):
    lazy = Lazy()
    other = copy.deepcopy(lazy)
    other.k, other.is_initialized = s, True
    return lazy(s) + lazy(s) * other(s)


def copied(x):
    a = copy.copy(x)
    a[0] = 2.0
    b = copy.deepcopy([x, a])
    b[0][1] = 3.0
    return np.sum(a * x) + np.sum(b[0] * x)


def on_the_diagonal(v):
    d = np.diag(v)
    d[0, 1] = v[1] ** 2
    return d


def written_diagonals(x):
    d = on_the_diagonal(np.asarray(x) * 2.0)
    return np.sum(d @ d)


def tuples_of_constants(x):
    total = 0.0
    for k in range(3):
        total += (1.0, 5.0, 7.0)[k] * x[k]
    part = (x[0], x[1], 3.0)[1:] + (x[2],)
    return total * part[0] * part[-1]


def weights(*args):
    args = list(args)
    args[0] = args[0] * 2
    return args[0] * args[1]


def arguments_passed_on(s):
    def call(f, *args, **options):
        return f(*args, **options)

    return call(weights, s, s * s) + call(lambda a, b=1.0: a * b, s, b=s)


def array_namespace(*_):
    return np


def a_namespace(x):
    xp = array_namespace(x)
    return xp.sum(xp.sin(x))


class Node:
    def __init__(self, v, left=None, right=None):
        self.v, self.left, self.right = v, left, right


def total(node, s):
    if node is None:
        return 0.0
    return node.v * s * s + total(node.left, s) + total(node.right, s)


TREE = Node(1.0, Node(2.0), Node(3.0, None, Node(4.0)))


def trees(s):
    return total(TREE, s) + total(Node(s, Node(2.0), Node(s * s, None, Node(4.0))), s)


def over(a):
    def g(x):
        return np.sum(a * x * x)

    return g


LONG, SHORT = over(np.array([1.0, 2.0, 3.0])), over(np.array([1.0, 2.0]))


def closures_over_other_arrays(x):
    row, column = np.ones(3), np.ones((2, 1))
    return LONG(x) + SHORT(x[:2]) + (lambda x, w=row: np.sum(w * x))(x) + (lambda x, w=column: np.sum(w * x))(x)


def a_store_within_try(x):
    y = np.zeros(3)
    try:
        y[0] = x[0] ** 2
    except IndexError:
        y[1] = 1.0
    return np.sum(y)


# --- singular points that programs step over


def attraction(x):
    d = x[:, None] - x[None, :]
    r = np.sqrt(d**2)
    r[r > 0] = 1 / r[r > 0]
    return np.sum(np.sum(d * r**2, axis=1) ** 2)


def above_the_diagonal(x):
    return np.sum(np.triu(np.sqrt((x[:, None] - x[None, :]) ** 2), 1))


def where_they_are_apart(x):
    d = x[:, None] - x[None, :]
    r = np.sqrt(d**2)
    return np.sum(np.where(r > 0, r, 0.0)) + np.sum((np.abs(d) ** 0.5)[d > 0])


def other_lengths(x):
    d = x[:, None] - x[None, :]
    r, angle = np.hypot(d, 0.0), np.arctan2(d, d.T * 0.0)
    return np.sum(r[r > 0]) + np.sum(angle[d > 0] * x[1])


def norms_apart(x):
    p = np.stack([x, x * x, x])
    r = np.linalg.norm(p[:, :, None] - p[:, None, :], axis=0)
    return np.sum(1 / r[~np.eye(3, dtype=bool)])


def inside_the_domain(x):
    d = np.clip(x / x.max(), -1, 1)
    return np.sum(np.where(d < 1, np.arcsin(d), 0.0))


RIGHT = [
    numbers_of_numpy, closed_over(), any_attribute, one_part, shortened_on_the_way, results_by_flag, dead_branch,
    initialised_when_called, copied, written_diagonals, tuples_of_constants, arguments_passed_on, a_namespace, trees,
    closures_over_other_arrays, a_store_within_try,
]  # fmt: skip
SINGULAR = [attraction, above_the_diagonal, where_they_are_apart, other_lengths, norms_apart, inside_the_domain]


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_right(function: Callable[..., Any]) -> None:
    assert_right(function)


@pytest.mark.parametrize("function", SINGULAR, ids=lambda f: f.__name__)
def test_singular_points_are_stepped_over(function: Callable[..., Any]) -> None:
    with np.errstate(all="ignore"):  # NumPy warns of what is divided by zero, and then not used
        assert_right(function)


# --- numbers and questions


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 3


def members_of_enumerations_are_numbers(s):
    return s**Level.HIGH + Level.LOW * s if Level.HIGH > Level.LOW else s


def asks_what_it_is_given(s):
    def used(f, *args):
        return f(*args) if callable(f) and not isinstance(f, float) else f * 1.0

    return used(np.sin, s) + used(lambda v: v * v, s) + used(s) + used(Lazy(), s)


WEIGHTS = np.array([0.5, 1.0, 2.0])


def weighed_exponentials(x):
    from scipy import special

    return special.logsumexp(x, b=WEIGHTS) + special.logsumexp(x * 2.0, b=WEIGHTS, axis=0)


def many_terms():
    text = " + ".join(f"s * {k}.0" for k in range(300))
    return _defined("many_terms", f"    return {text}\n")


def many_signs():
    return _defined("many_signs", f"    return {'-' * 2000}s * s\n")


def many_returns():
    lines = "".join(f"    if s < {k / 200 - 1}:\n        return s * {k}.0\n" for k in range(200))
    return _defined("many_returns", lines + "    return s * s\n")


def _defined(name: str, body: str) -> Any:
    """A function whose source is no file."""
    import linecache

    text = f"def {name}(s):\n{body}"
    file = f"<{name} of {__name__}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope: dict[str, Any] = {}
    exec(compile(text, file, "exec"), scope)
    return scope[name]


def derivatives_inside(s):
    value, pullback = vjp(lambda v: v * v * s, s)
    slope = jvp(np.sin, (s,), (2.0,))[1]
    return value * pullback(1.0)[0] * slope + GRADIENTS.grad(s)


class Gradients:
    def __init__(self, k):
        self.k = k

    @differentiate
    def plain(self, s):
        return self.k * s * s

    def grad(self, s):
        return grad(lambda v: self.k * v**3)(s) * s


GRADIENTS = Gradients(2.0)
KERNEL = np.array([[1.0, 2.0], [0.5, -1.0]])


def windows_by_the_shape_of_what_is_made(x):
    grid = np.outer(x, x)
    out = np.zeros((2, 2))
    for i in range(2):
        for j in range(2):
            out += KERNEL[i, j] * grid[i : i + out.shape[0], j : j + 2]
    return np.sum(out**2)


def slices_in_lists(x):
    parts = [slice(n, n + 2) for n in range(2)]
    return sum(np.prod(x[part]) for part in parts)


# --- state, options, structures


class Solver:
    def __init__(self, f):
        self.f, self.nfev, self.__scale = f, 0, 2.0
        self.X = []

    def __call__(self, s):
        self.nfev += 1
        return self.__scaled(self.f(s))

    def __scaled(self, v):
        return v * self.__scale

    def keeps(self, v):
        self.X.append(v)
        return sum(self.X)


SOLVER = Solver(lambda s: s * s)


def counts_on_an_object_outside(s):
    return SOLVER(s) + SOLVER(s * s)


def keeps_in_a_list_of_its_own(s):
    solver = Solver(np.sin)
    return solver.keeps(s) + solver.keeps(solver(s)) * solver.nfev


def into_the_list_of_the_caller(s):
    found: list[Any] = []

    def keep(items, v):
        items.append(v)
        return v * v

    total = keep(found, s) + keep(found, s * s)
    return total * found[0] + found[1]


def blocks_on_the_diagonal(x):
    from scipy import linalg

    return np.sum(linalg.block_diag(*[np.outer(x, x)] * 2) @ np.ones(6))


COPIES = 2


def as_many_blocks_as_a_global_says(x):
    from scipy import linalg

    return np.sum(linalg.block_diag(*[np.outer(x, x)] * COPIES, *COPIES * [x]) @ np.ones(3 * COPIES + 3 * COPIES))


def library_functions_by_name(x):
    from scipy import optimize

    return optimize.rosen(x) * 1e-2


LOG = logging.getLogger(__name__)


def clocks_and_logs(s):
    start = time.time()
    LOG.debug("at %s", s)
    own = logging.getLogger(f"{__name__}.own")
    if not own.isEnabledFor(logging.DEBUG):
        logging.getLogger("s2sad.tests").info("at %s", s)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.warn("slow", stacklevel=1)
    passed = time.time() - start
    (one,) = struct.unpack("<d", struct.pack("<d", 2.5))
    return s * s * one * float(decimal.Decimal("1.5")) if passed >= 0 else s


SUBSCRIPTS = "ij,j->i"
CONDITIONS = np.array([True, False, False]), np.array([False, True, False])
STEPS, RULE = range(1, 4), {"sin": np.sin, "cos": np.cos}


def sums_of_einstein(x):
    matrix = np.outer(x, WEIGHTS)
    return np.einsum(matrix, [0, 1], x, [1], [0])[1] + np.sum(np.einsum(SUBSCRIPTS, matrix, x))


def selections_and_ranges(x):
    total = np.sum(np.select(CONDITIONS, [x * x, x**3], default=1.0))
    for i in STEPS:
        total += x[i - 1] * i
    return total


def densities_with_options(s):
    from scipy import stats

    return stats.norm.logpdf(s, loc=0.5, scale=2.0) + stats.gamma.logpdf(s, 2.0, scale=1.5)


class Cube:
    def __init__(self, k):
        self.k = k

    def __call__(self, s):
        return self.k * s**3


CUBE = Cube(2.0)
HALVED = functools.partial(lambda k, s: k * s**3, 0.5)


def derivatives_of_functions_that_are_no_def(s):
    return grad(np.sin)(s) + grad(HALVED)(s) + grad(CUBE)(s)


def along(tree, s):
    if tree is None:
        return 0.0
    if isinstance(tree, tuple | list):
        return sum(along(part, s) for part in tree)
    return tree * s * s


def trees_of_tuples_and_lists(s):
    return along((1.0, [2.0, (s, None)], ()), s) + along([s, (1.0,)], s)


def what_a_try_does_not_reach(x):
    kept = []
    try:
        kept.append(x[0])
        kept.append(x[7])
        kept.append(x[1])
    except IndexError:
        kept.append(x[2] ** 2)
    return sum(kept) * len(kept)


@dataclasses.dataclass(order=True)
class Candidate:
    cost: float
    at: float = dataclasses.field(compare=False, default=0.0)


def the_best_candidate(x):
    best = min([Candidate(v * v, v) for v in (x[0], x[1], x[2])])
    return best.cost * best.at + sorted([Candidate(x[0]), Candidate(x[1])])[1].cost


def functions_in_lists(s):
    chosen = [np.sin, HALVED, Lazy()]
    chosen.append(lambda v: v * s)
    return sum(f(s) for f in chosen) * chosen[-1](2.0)


def stages_on_conditions(x, centred=True, scaled=False):
    stages = [("square", lambda v: v**2)]
    if centred:
        stages.append(("centre", lambda v: v - np.mean(v)))
    if scaled:
        stages.append(("scale", lambda v: v / np.max(v)))
    stages.append(("exp", np.exp))
    for _, stage in stages:
        x = stage(x)
    return x[0] * len(stages)


def functions_added_on_conditions(x):
    stages = []
    if x[2] > 1.0:
        stages.append(np.exp)
    stages += [np.tanh]
    for stage in stages:
        x = stage(x) * x
    return np.sum(x) * len(stages)


def tuples_of_other_lengths(x):
    found = (x[0], x[1]) if x[0] > 1.0 else (x[2],)
    return sum(v * v for v in found) * len(found)


def names_that_are_computed(s):
    settings, total = Node(s, 2.0, 3.0), 0.0
    for side in ("left", "right"):
        total += getattr(settings, side) * getattr(settings, "v")
    return total + sum(getattr(np, name)(s) for name in ("sin", "cos")) + RULE["sin"](s)


def items_of_generators(x):
    def squares(items):
        for v in items:
            yield v * v

    total = 0.0
    for a, b in zip(squares(x), x * 2.0):
        total += a * b
    return total + sum(squares(x)) * list(squares(x))[1] + max(v for v in squares(x))


WRITTEN = [
    members_of_enumerations_are_numbers, asks_what_it_is_given, weighed_exponentials, many_terms(),
    derivatives_inside, windows_by_the_shape_of_what_is_made, slices_in_lists, counts_on_an_object_outside,
    keeps_in_a_list_of_its_own, into_the_list_of_the_caller, blocks_on_the_diagonal, as_many_blocks_as_a_global_says,
    library_functions_by_name, clocks_and_logs,
    sums_of_einstein, selections_and_ranges, densities_with_options, derivatives_of_functions_that_are_no_def,
    trees_of_tuples_and_lists, what_a_try_does_not_reach, the_best_candidate, functions_in_lists, stages_on_conditions,
    functions_added_on_conditions,
    tuples_of_other_lengths, names_that_are_computed, items_of_generators,
]  # fmt: skip


class Layer:
    def set_input_shape(self, shape):
        self.input_shape = shape


class Dense(Layer):
    def __init__(self, units, input_shape=None):
        self.units, self.input_shape, self.seen = units, input_shape, None

    def initialize(self):
        self.weights = np.linspace(-0.5, 0.5, self.input_shape[0] * self.units).reshape(self.input_shape[0], self.units)

    def forward(self, inputs):
        self.seen = inputs
        return inputs @ self.weights

    def output_shape(self):
        return (self.units,)


class Activation(Layer):
    functions = {"tanh": np.tanh, "square": lambda x: x * x}  # noqa: RUF012 - as people write it

    def __init__(self, description):
        name, _, scale = description.partition("*")
        self.function, self.scale = self.functions[name[:6]], float(scale[1:] or 1.0)

    def forward(self, inputs):
        self.seen = inputs
        return self.scale * self.function(inputs)

    def output_shape(self):
        return self.input_shape


class Network:
    def __init__(self):
        self.layers = []

    def add(self, layer):
        if self.layers:
            layer.set_input_shape(shape=self.layers[-1].output_shape())
        if hasattr(layer, "initialize"):
            layer.initialize()
        self.layers.append(layer)

    def forward(self, outputs):
        for layer in self.layers:
            outputs = layer.forward(outputs)
        return outputs


def layers_of_several_classes(x):
    network = Network()
    network.add(Dense(2, input_shape=(3,)))
    network.add(Activation("tanh* 0.5"))
    network.add(Dense(3))
    network.add(Activation("square"))
    return np.sum(network.forward(x)) + np.sum(network.layers[2].seen)


def checked(function):
    @functools.wraps(function)
    def wrapper(*args, **options):
        args = [np.atleast_1d(a) for a in args]
        if any(a.size == 0 for a in args):
            raise ValueError("empty")
        return function(*args, **{name: option for name, option in options.items() if option is not None})

    return wrapper


@checked
def distance(u, v, p=2, w=None):
    apart = np.abs(u - v)
    return np.sum(apart**p if w is None else w * apart**p) ** (1 / p)


def arguments_made_into_arrays(x):
    return distance(x, x[::-1] + 2.0, p=3) + distance(x, x + 1.0, w=None) + distance(x, 2 * x, w=np.abs(x))


class Method(enum.Enum):
    EULER = "euler"
    MIDPOINT = "midpoint"


@dataclasses.dataclass
class Settings:
    rate: float = 0.1
    schedule: Callable[[int], float] = lambda t: 1 / (t + 1)
    activation: Any = np.tanh
    method: Method = Method.MIDPOINT
    weights: tuple[Any, ...] = (1.0, (2.0, 3.0))

    def step(self, t: int) -> float:
        return self.rate * self.schedule(t) if self.method is Method.MIDPOINT else self.rate


def defaults_that_nobody_can_change(x):
    usual = Settings(rate=x[0])
    other = Settings(activation=np.sin, method=Method("euler"), schedule=lambda t, k=x[1]: k * t)
    total = np.sum(usual.activation(x) * usual.step(2) + other.activation(x) * other.step(1))
    return total * usual.weights[1][0] + other.schedule(3)


def as_many_arguments_as_needed(x):
    apart = x[:2] - x[1:]
    rows = np.outer(x, x)
    return np.hypot(*apart) + np.arctan2(*apart[::-1]) + sum(np.hypot(*row[:2]) for row in rows) + np.dot(*rows[:2])


def asked_by_their_methods(x):
    scores = [v * v for v in x]
    best = max(range(3), key=scores.__getitem__)
    named = {"a": x[0], "b": x[1]}
    order = sorted(range(len(x)), key=x.__getitem__)
    return scores[best] * x.__len__() + named.__getitem__(max(named, key=named.get)) + sum(k * x[i] for k, i in enumerate(order))


def two_generators(x):
    def filled(rain):
        level = 0.5
        for p in rain:
            level += p
            over = max(0.0, level - 1.1)
            level -= over
            yield over + 0.3 * level

    def delayed(flows):
        waiting = collections.deque([0.0] * 2)
        for v in flows:
            waiting.append(v)
            yield 0.6 * waiting.popleft() + 0.4 * waiting[-1]

    found = list(delayed(filled(x)))
    return sum((a - b) ** 2 for a, b in zip(found, x, strict=True))


WRITTEN += [layers_of_several_classes, arguments_made_into_arrays, defaults_that_nobody_can_change, as_many_arguments_as_needed,
            asked_by_their_methods, two_generators]  # fmt: skip


@pytest.mark.parametrize("function", WRITTEN, ids=lambda f: f.__name__)
def test_written_so(function: Callable[..., Any]) -> None:
    mode = ("tangent", "adjoint")[zlib.crc32(function.__name__.encode()) % 2]
    check_grads(function, arguments(function), modes=(mode,))


def test_second_order_with_defaults() -> None:
    check_grads(dead_branch, (np.array([1.3, 0.7, 2.1]),), order=2, wrt=0)


def test_a_part_of_an_array_as_the_result() -> None:
    value, pullback = vjp(lambda x: np.split(x, 1), np.array([1.0, 2.0]))
    assert [v.tolist() for v in value] == [[1.0, 2.0]]
    assert pullback([np.array([3.0, 4.0])])[0].tolist() == [3.0, 4.0]


# --- what is refused


def a_power_that_is_complex(s):
    return abs((s - 3) ** 1.5)


REFUSED = [a_power_that_is_complex, many_signs(), many_returns()]


@pytest.mark.parametrize("mode", ["adjoint", "tangent"])
@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_refused(function: Callable[..., Any], mode: str) -> None:
    assert_refused(function, mode)


def test_signatures_are_kept() -> None:
    assert inspect.signature(grad(results)) == inspect.signature(results)
    assert inspect.signature(differentiate(results)) == inspect.signature(results)
    assert arguments(results) == (1.7,)
