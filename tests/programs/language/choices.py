"""Functions and objects that are chosen while the program runs: by a flag, a name, an index, a loop, a dispatcher."""

import functools
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial, reduce
from typing import Protocol

import numpy as np

from ..case import case


def relu(x):
    return np.maximum(x, 0.0)


def leaky(slope):
    return lambda x: np.where(x > 0, x, slope * x)


def elu(x, alpha=1.0):
    return np.where(x > 0, x, alpha * (np.exp(x) - 1))


# --- activations


def dense_layer(x, w, b, use_tanh):
    act = np.tanh if use_tanh > 0 else relu
    return np.sum(act(w @ x + b))


ACTIVATIONS = {
    "relu": relu,
    "tanh": np.tanh,
    "elu": partial(elu, alpha=0.7),
    "softplus": lambda v: np.log1p(np.exp(v)),
}


def two_layer_network(x, w1, w2, names):
    h = x
    for w, name in zip((w1, w2), names, strict=True):
        h = ACTIVATIONS[name](w @ h)
    return h @ h


def leaky_or_elu(x, slope, alpha, is_leaky):
    act = leaky(slope) if is_leaky else partial(elu, alpha=alpha)
    return np.mean(act(x)) + np.sum(act(-x) ** 2)


def activation_switch(x, kind):
    if kind == "sigmoid":
        def act(v):
            return 1 / (1 + np.exp(-v))
    elif kind == "swish":
        def act(v):
            return v / (1 + np.exp(-v))
    else:
        act = np.arctan
    return np.sum(act(x) * act(2 * x))


# --- solvers


def euler_step(f, t, y, h):
    return y + h * f(t, y)


def midpoint_step(f, t, y, h):
    return y + h * f(t + h / 2, y + h / 2 * f(t, y))


def rk4_step(f, t, y, h):
    k1 = f(t, y)
    k2 = f(t + h / 2, y + h / 2 * k1)
    k3 = f(t + h / 2, y + h / 2 * k2)
    k4 = f(t + h, y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


STEPPERS = {"euler": euler_step, "midpoint": midpoint_step, "rk4": rk4_step}


def van_der_pol(mu, y0, method):
    step = STEPPERS[method]

    def field(t, y):
        return np.array([y[1], mu * (1 - y[0] ** 2) * y[1] - y[0] + 0.1 * np.cos(t)])

    t, y, h = 0.0, y0, 0.05
    for _ in range(8):
        y = step(field, t, y, h)
        t += h
    return y @ y


def multistep_bootstrap(y0, rate, n):
    """Start with a cheap step, go on with a better one."""
    step = euler_step
    y, t = y0, 0.0
    for k in range(n):
        y = step(lambda t, y: -rate * y + np.sin(t), t, y, 0.1)
        t = t + 0.1
        step = rk4_step if k % 3 else midpoint_step
    return y**2


def by_order(orders, y0, rate):
    solvers = [euler_step, midpoint_step, rk4_step]
    y = y0
    for k, order in enumerate(orders):
        y = solvers[order](lambda t, y: rate * y * (1 - y) + t, 0.1 * k, y, 0.1)
    return y


# --- boundary conditions


def dirichlet(left, right):
    def apply(u):
        v = u.copy()
        v[0], v[-1] = left, right
        return v

    return apply


def neumann(u):
    v = u.copy()
    v[0], v[-1] = u[1], u[-2]
    return v


def heat_with_boundary(u, alpha, left, right, insulated):
    boundary = neumann if insulated else dirichlet(left, right)
    for _ in range(4):
        u = boundary(u + alpha * (np.roll(u, 1) - 2 * u + np.roll(u, -1)))
    return np.sum(u**2)


# --- payoffs


def call_payoff(s, k):
    return max(s - k, 0.0)


def put_payoff(s, k):
    return max(k - s, 0.0)


PAYOFFS = {"call": call_payoff, "put": put_payoff, "digital": lambda s, k: 1 / (1 + math.exp(-20 * (s - k)))}


def option_by_name(spot, strike, vol, kind, shocks):
    payoff = PAYOFFS.get(kind, call_payoff)
    total = 0.0
    for z in shocks:
        total += payoff(spot * math.exp(vol * z - vol**2 / 2), strike)
    return total / len(shocks)


def chosen_straddle(spot, strike, legs):
    book = [call_payoff, put_payoff, lambda s, k: (s - k) ** 2]
    return sum((j + 1.0) * book[leg](spot, strike) for j, leg in enumerate(legs))


# --- force fields and strategies


def gravity(x, v):
    return np.array([0.0, -9.81])


def drag(c):
    return lambda x, v: -c * np.linalg.norm(v) * v


def spring(k, anchor):
    return lambda x, v: -k * (x - anchor)


def forces_in_a_list(x, v, c, k):
    forces = [gravity, drag(c), spring(k, np.array([0.0, 1.0]))]
    for _ in range(6):
        a = sum(force(x, v) for force in forces)
        v = v + 0.02 * a
        x = x + 0.02 * v
    return x @ x + v @ v


@dataclass
class FixedStep:
    rate: float

    def update(self, x, g, k):
        return x - self.rate * g


@dataclass
class Decay:
    rate: float
    half: float

    def update(self, x, g, k):
        return x - self.rate / (1 + k / self.half) * g


def strategy_object(x, rate, decaying):
    rule = Decay(rate, 3.0) if decaying else FixedStep(rate)
    for k in range(5):
        rule_step = rule.update(x, 4 * x**3 - 2 * x, k)
        x = rule_step
    return x**2 + rule.rate


class Momentum:
    def __init__(self, rate, memory=0.9):
        self.rate, self.memory, self.velocity = rate, memory, 0.0

    def update(self, x, g, k):
        self.velocity = self.memory * self.velocity - self.rate * g
        return x + self.velocity


def optimizer_with_state(x, rate, name):
    optimizer = Momentum(rate) if name == "momentum" else FixedStep(rate)
    for k in range(4):
        x = optimizer.update(x, 4 * x**3 - 2 * x, k)
    return x**2


class Circle:
    def __init__(self, r):
        self.r = r

    def area(self):
        return math.pi * self.r**2

    @property
    def width(self):
        return 2 * self.r


class Rectangle:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def area(self):
        return self.a * self.b

    @property
    def width(self):
        return self.a


def shape_by_size(r, threshold):
    shape = Circle(r) if r > threshold else Rectangle(r, 2 * r)
    return shape.area() * shape.width + (shape.r if isinstance(shape, Circle) else shape.b)


def shapes_by_name(kinds, size):
    total = 0.0
    for k, kind in enumerate(kinds):
        shape = {"circle": Circle(size), "square": Rectangle(size, size + k)}[kind]
        total += shape.area() / shape.width
    return total


class Model:
    def __init__(self, w, activation, scale=1.0):
        self.w, self.activation, self.scale = w, activation, scale

    def __call__(self, x):
        return self.scale * self.activation(self.w @ x)


def function_in_a_field(model, x):
    return np.sum(model(x) ** 2)


def functions_in_a_structure(x, config):
    h = config["pre"](x)
    for layer in config["layers"]:
        h = layer(h)
    return config["reduce"](h)


def callback_argument(f, x, callback):
    y = f(x)
    return callback(y) if callback is not None else y


def optional_callback(x, transform=None, every=2):
    if every > 3:
        transform = np.sinh
    for k in range(4):
        if transform is not None and k % every == 0:
            x = transform(x)
        x = x + 0.1
    return x


class Phase(Enum):
    SOLID = 0.9
    LIQUID = 4.2
    GAS = 2.0


def heating_curve(energy, latent):
    temperature, phase = -10.0, Phase.SOLID
    for _ in range(6):
        temperature += energy / phase.value
        if phase is Phase.SOLID and temperature > 0:
            temperature, phase = temperature * 0.5 - latent, Phase.LIQUID
        elif phase == Phase.LIQUID and temperature > 20:
            phase = Phase.GAS
    return temperature + 2.0 * (phase is Phase.GAS)


# --- callbacks made in loops, decorators, dispatchers, the operator module


def lambdas_in_a_loop(x, y):
    late = [lambda v: v * y + k for k in range(3)]
    early = [lambda v, k=k: v * y + k for k in range(3)]
    return late[0](x) + sum(f(x) for f in early) * late[2](y)


def partials_in_a_loop(x, weights):
    def blend(w, k, v):
        return w * v**k

    terms = [partial(blend, w, k + 1) for k, w in enumerate(weights)]
    return sum(term(x) for term in terms)


def scaled(factor, power=1):
    def decorate(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            return factor * f(*args, **kwargs) ** power
        return wrapper
    return decorate


@scaled(2.0, power=2)
@scaled(0.5)
def decorated_energy(x, k=1.0):
    return k * x**2 + math.sin(x)


def uses_decorated(x, k):
    return decorated_energy(x) + decorated_energy(x, k=k)


OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


def reverse_polish(x, y, ops):
    acc = x
    for op in ops:
        acc = OPERATORS[op](acc, y)
    return acc


def operator_choice(x, y, k):
    combine = operator.mul if k > 1 else operator.pow
    return reduce(combine, [x, y, 1.5])


class Stepper(Protocol):
    def __call__(self, y: float) -> float: ...


def make_stepper(order: int, rate: float) -> Stepper:
    if order == 1:
        return lambda y: y + 0.1 * rate * y
    if order == 2:
        def second(y):
            return y + 0.1 * rate * y + 0.005 * rate**2 * y
        return second
    raise ValueError(f"no stepper of order {order}")


def chosen_in_a_factory(y, rate, order):
    step: Callable[[float], float] = make_stepper(order, rate)
    other = make_stepper(3 - order, y)
    for _ in range(3):
        y = step(y)
    return y * other(rate)


# --- objects of users' classes that meet


class Vec3:
    def __init__(self, x, y, z):
        self.x, self.y, self.z = x, y, z

    def __add__(self, other):
        return Vec3(self.x + other.x, self.y + other.y, self.z + other.z)

    def __radd__(self, other):
        return self if other == 0 else NotImplemented

    def __mul__(self, k):
        return Vec3(self.x * k, self.y * k, self.z * k)

    __rmul__ = __mul__

    def dot(self, other):
        return self.x * other.x + self.y * other.y + self.z * other.z


def sum_of_vectors(a, b):
    vectors = [Vec3(a, b, 1.0), Vec3(b, a * b, 2.0), Vec3(1.0, a, b)]
    total = sum(vectors, start=Vec3(0, 0, 0))
    return total.dot(total) + sum(vectors).dot(vectors[0])


def centre_of_mass(masses, xs):
    total, mass = 0, 0.0
    for m, x in zip(masses, xs, strict=True):
        total = total + m * Vec3(x, x**2, 1.0)
        mass += m
    centre = total * (1 / mass)
    return centre.dot(centre)


class Quaternion:
    def __init__(self, w, x, y, z):
        self.w, self.x, self.y, self.z = w, x, y, z

    def __mul__(self, o):
        return Quaternion(
            self.w * o.w - self.x * o.x - self.y * o.y - self.z * o.z,
            self.w * o.x + self.x * o.w + self.y * o.z - self.z * o.y,
            self.w * o.y - self.x * o.z + self.y * o.w + self.z * o.x,
            self.w * o.z + self.x * o.y - self.y * o.x + self.z * o.w,
        )

    def conjugate(self):
        return Quaternion(self.w, -self.x, -self.y, -self.z)


def spinning(angle, rate, n):
    r = Quaternion(math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2))
    q = Quaternion(1.0, 0.0, 0.0, 0.0)
    for k in range(n):
        q = q * r if k % 2 else r.conjugate() * q * Quaternion(1.0, rate, 0.0, 0.0)
    return q.w + 2 * q.x + 3 * q.z


class Dual:
    def __init__(self, value, slope=0.0):
        self.value, self.slope = value, slope

    def __add__(self, o):
        o = o if isinstance(o, Dual) else Dual(o)
        return Dual(self.value + o.value, self.slope + o.slope)

    def __mul__(self, o):
        o = o if isinstance(o, Dual) else Dual(o)
        return Dual(self.value * o.value, self.value * o.slope + self.slope * o.value)

    __radd__, __rmul__ = __add__, __mul__


def dual_horner(coefficients, x):
    acc = 0.0
    for c in coefficients:
        acc = acc * Dual(x, 1.0) + c
    return acc.value + acc.slope


def reduced_quaternions(angles):
    turns = [Quaternion(math.cos(a), math.sin(a), 0.0, 0.1) for a in (angles[0], angles[1], angles[2])]
    q = reduce(operator.mul, turns)
    return q.w**2 + q.x * q.z


def priority_schedule(x, y):
    """Jobs with a priority each, the most urgent first."""
    jobs = [(x, math.sin), (y, math.cosh), (x * y, lambda v: v * x)]
    for weight, job in sorted(jobs, key=operator.itemgetter(0), reverse=True):
        x = weight * job(x) + 0.1
    return x


@dataclass
class Candidate:
    cost: float
    gain: float

    def __lt__(self, other):
        return self.cost / self.gain < other.cost / other.gain

    def __bool__(self):
        return self.gain > 0.5


def best_candidates(a, b):
    pool = [Candidate(a, b), Candidate(b, a * b), Candidate(a * b, a), Candidate(1.0, 0.3)]
    first, second, *_ = sorted(pool)
    worst = max(pool)
    return first.cost * second.gain + (worst.cost if not worst else worst.gain)


def unpacked_table(x, names):
    table = {"log": (math.log, 2.0), "exp": (math.exp, x), "root": (math.sqrt, x * x)}
    total = 0.0
    for name in names:
        f, weight = table[name]
        total += weight * f(x)
    return total


@functools.singledispatch
def stiffness(part):
    return 1.0


@stiffness.register
def _(part: Circle):
    return math.pi * part.r**4 / 4


@stiffness.register
def _(part: Rectangle):
    return part.a * part.b**3 / 12


def beam(load, size, hollow):
    section = Circle(size) if hollow else Rectangle(size, 1.5 * size)
    return load / stiffness(section) * stiffness(None)


def _pair(rng):
    return rng.normal(size=(3, 3)), rng.normal(size=(2, 3))


CASES = (
    case(dense_layer, lambda rng: (rng.normal(size=3), rng.normal(size=(2, 3)), rng.normal(size=2), 1.0), wrt=(0, 1, 2)),
    case(two_layer_network, lambda rng: (rng.normal(size=3), *_pair(rng), ("softplus", "elu")), wrt=(0, 1, 2)),
    case(leaky_or_elu, lambda rng: (rng.normal(size=4), 0.1, 0.8, True), wrt=(0, 1, 2)),
    case(activation_switch, lambda rng: (rng.normal(size=4), "swish")),
    case(van_der_pol, lambda rng: (1.2, np.array([1.5, -0.3]), "rk4"), wrt=(0, 1)),
    case(multistep_bootstrap, lambda rng: (0.8, 1.3, 7), wrt=(0, 1)),
    case(by_order, lambda rng: ([2, 0, 1, -1], 0.3, 1.7), wrt=(1, 2)),
    case(heat_with_boundary, lambda rng: (rng.normal(size=6), 0.2, 0.5, 1.5, False), wrt=(0, 1, 2, 3)),
    case(option_by_name, lambda rng: (1.1, 1.0, 0.3, "put", rng.normal(size=9)), wrt=(0, 1, 2)),
    case(chosen_straddle, lambda rng: (1.1, 0.9, [2, 0, 1, 2]), wrt=(0, 1)),
    case(forces_in_a_list, lambda rng: (rng.normal(size=2), rng.normal(size=2), 0.3, 1.4), wrt=(0, 1, 2, 3)),
    case(strategy_object, lambda rng: (0.9, 0.05, True), wrt=(0, 1)),
    case(optimizer_with_state, lambda rng: (0.9, 0.05, "momentum"), wrt=(0, 1)),
    case(shape_by_size, lambda rng: (1.3, 2.0), wrt=(0,)),
    case(shapes_by_name, lambda rng: (["circle", "square", "square"], 1.3), wrt=(1,)),
    case(function_in_a_field, lambda rng: (Model(rng.normal(size=(2, 3)), np.tanh, 1.5), rng.normal(size=3)), wrt=(1,)),
    case(
        functions_in_a_structure,
        lambda rng: (np.array([0.7, -0.9, 1.2]), {"pre": np.sin, "layers": [relu, np.exp, math.sqrt][:2], "reduce": np.mean}),
        wrt=(0,),
    ),
    case(callback_argument, lambda rng: (np.sin, 0.7, partial(math.pow, 2.0)), wrt=(1,)),
    case(optional_callback, lambda rng: (0.4, np.tanh), wrt=(0,)),
    case(heating_curve, lambda rng: (12.0, 1.5)),
    case(lambdas_in_a_loop, lambda rng: (0.7, 1.3)),
    case(partials_in_a_loop, lambda rng: (1.2, (0.5, -0.3, 0.8))),
    case(uses_decorated, lambda rng: (0.7, 1.4)),
    case(reverse_polish, lambda rng: (0.7, 1.4, "+*-/*"), wrt=(0, 1)),
    case(operator_choice, lambda rng: (1.2, 1.4, 1), wrt=(0, 1)),
    case(chosen_in_a_factory, lambda rng: (0.7, 1.4, 2), wrt=(0, 1)),
    case(sum_of_vectors, lambda rng: (0.7, 1.4)),
    case(centre_of_mass, lambda rng: (np.array([1.0, 2.0, 0.5]), rng.normal(size=3))),
    case(spinning, lambda rng: (0.6, 0.2, 5), wrt=(0, 1)),
    case(dual_horner, lambda rng: (rng.normal(size=4), 0.7)),
    case(priority_schedule, lambda rng: (0.7, 1.4)),
    case(best_candidates, lambda rng: (0.7, 1.4)),
    case(unpacked_table, lambda rng: (1.4, ["exp", "root", "log", "exp"]), wrt=(0,)),
    case(beam, lambda rng: (2.0, 0.7, False), wrt=(0, 1)),
    case(reduced_quaternions, lambda rng: (rng.normal(size=3),)),
)
