"""Models of physics, finance and learning, written as classes with private methods, properties and helper functions."""

import math
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Body:
    mass: float
    position: np.ndarray
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))

    def kinetic(self):
        return 0.5 * self.mass * np.sum(self.velocity**2)


class World:
    G = 1.0

    def __init__(self, bodies, softening=0.1):
        self.bodies, self._eps, self.time = bodies, softening, 0.0

    def _force(self, a, b):
        d = b.position - a.position
        r2 = np.sum(d * d) + self._eps**2
        return self.G * a.mass * b.mass * d / r2**1.5

    def step(self, dt):
        for a in self.bodies:
            total = np.zeros(3)
            for b in self.bodies:
                if b is not a:
                    total = total + self._force(a, b)
            a.velocity = a.velocity + dt * total / a.mass
        for a in self.bodies:
            a.position = a.position + dt * a.velocity
        self.time += dt

    @property
    def energy(self):
        return sum(b.kinetic() for b in self.bodies)


def two_bodies_by_mass(s):
    w = World([Body(s, np.array([0.0, 0.0, 0.0])), Body(1.0, np.array([1.0, 0.5, 0.0]))])
    for _ in range(2):
        w.step(0.1)
    return w.energy * w.time


def two_bodies_by_place(x):
    w = World([Body(1.0, x), Body(2.0, x * 0.0)])
    w.step(0.1)
    return w.energy + w.bodies[0].position[0]


class Spring:
    def __init__(self, k, rest=1.0, damping=0.0):
        self.k, self.rest, self.damping = k, rest, damping

    def force(self, stretch, speed=0.0):
        return -self.k * (stretch - self.rest) - self.damping * speed

    def energy(self, stretch):
        return 0.5 * self.k * (stretch - self.rest) ** 2


class Chain:
    def __init__(self, springs):
        self.springs = springs

    def __iter__(self):
        return iter(self.springs)

    def __len__(self):
        return len(self.springs)

    def energy(self, xs):
        return sum(sp.energy(b - a) for sp, a, b in zip(self.springs, xs[:-1], xs[1:]))


def a_chain_of_springs(x):
    return Chain([Spring(2.0), Spring(3.0, rest=0.5)]).energy(x)


def a_chain_by_stiffness(s):
    chain = Chain([Spring(s), Spring(2.0 * s)])
    return sum(sp.k for sp in chain) * len(chain) + chain.energy([0.0, 1.5, 2.0])


def a_damped_spring(s):
    sp, x, v = Spring(3.0, damping=s), 1.5, 0.0
    for _ in range(6):
        v += 0.1 * sp.force(x, speed=v)
        x += 0.1 * v
    return x


def a_pendulum(s):
    theta, omega = 0.5, 0.0
    for _ in range(6):
        omega -= 0.1 * 9.81 / s * math.sin(theta)
        theta += 0.1 * omega
    return theta


def a_projectile(s):
    x, y, vx, vy, steps = 0.0, 1.0, s, 2.0, 0
    while y > 0.0 and steps < 50:
        drag = 0.05 * math.hypot(vx, vy)
        vx -= 0.1 * drag * vx
        vy -= 0.1 * (9.81 + drag * vy)
        x += 0.1 * vx
        y += 0.1 * vy
        steps += 1
    return x


class Orbit:
    def __init__(self, a, e, mu=1.0):
        self.a, self.e, self.mu = a, e, mu

    @property
    def mean_motion(self):
        return math.sqrt(self.mu / self.a**3)

    def eccentric_anomaly(self, t):
        m = self.mean_motion * t
        u = m
        for _ in range(8):
            u = u - (u - self.e * math.sin(u) - m) / (1 - self.e * math.cos(u))
        return u

    def position(self, t):
        u = self.eccentric_anomaly(t)
        return self.a * (math.cos(u) - self.e), self.a * math.sqrt(1 - self.e**2) * math.sin(u)


def an_orbit_by_axis(s):
    x, y = Orbit(s, 0.3).position(1.0)
    return x * y


def an_orbit_by_eccentricity(s):
    return sum(Orbit(1.0, 0.2 * s).position(0.7))


def rotation(axis, angle):
    c, q = np.cos(angle), np.sin(angle)
    if axis == "x":
        return np.array([[1.0, 0.0, 0.0], [0.0, c, -q], [0.0, q, c]])
    if axis == "y":
        return np.array([[c, 0.0, q], [0.0, 1.0, 0.0], [-q, 0.0, c]])
    return np.array([[c, -q, 0.0], [q, c, 0.0], [0.0, 0.0, 1.0]])


def euler_angles(x):
    return np.sum(rotation("z", x[0]) @ rotation("y", x[1]) @ rotation("x", x[2]) @ np.arange(3.0))


class Arm:
    def __init__(self, lengths):
        self.lengths = lengths

    def tip(self, angles):
        x = y = heading = 0.0
        for length, angle in zip(self.lengths, angles):
            heading = heading + angle
            x = x + length * np.cos(heading)
            y = y + length * np.sin(heading)
        return x, y


def a_robot_arm(x):
    px, py = Arm([1.0, 0.8, 0.5]).tip(x)
    return px**2 + py


def steering(s, wheelbase=2.0):
    x = y = yaw = 0.0
    for delta in (0.1, 0.2, -0.1):
        yaw += s / wheelbase * math.tan(delta) * 0.5
        x += s * math.cos(yaw) * 0.5
        y += s * math.sin(yaw) * 0.5
    return x * y


class Kalman:
    def __init__(self, f, h, q, r):
        self.f, self.h, self.q, self.r = f, h, q, r
        self.x, self.p = np.zeros(len(f)), np.eye(len(f))
        self.innovations = []

    def predict(self):
        self.x = self.f @ self.x
        self.p = self.f @ self.p @ self.f.T + self.q
        return self

    def update(self, z):
        s = self.h @ self.p @ self.h.T + self.r
        k = self.p @ self.h.T @ np.linalg.inv(s)
        y = z - self.h @ self.x
        self.innovations.append(np.sum(y * y))
        self.x = self.x + k @ y
        self.p = (np.eye(len(self.x)) - k @ self.h) @ self.p
        return self


def kalman_by_noise(s):
    f = Kalman(np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[1.0, 0.0]]), 0.1 * np.eye(2), s * np.eye(1))
    for z in (0.5, 0.9, 1.2):
        f.predict().update(np.array([z]))
    return np.sum(f.x) + sum(f.innovations)


def kalman_by_data(x):
    f = Kalman(np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[1.0, 0.0]]), 0.1 * np.eye(2), np.eye(1))
    for z in x:
        f.predict().update(np.array([z]))
    return f.x[0] * f.p[0, 0] + f.x[1]


def black_scholes(s, k=1.0, r=0.05, sigma=0.2, t=1.0):
    d1 = (math.log(s / k) + (r + sigma**2 / 2) * t) / (sigma * math.sqrt(t))
    d2 = d1 - sigma * math.sqrt(t)
    n = lambda z: 0.5 * (1 + math.erf(z / math.sqrt(2)))
    return s * n(d1) - k * math.exp(-r * t) * n(d2)


class Tree:
    def __init__(self, u, d, r, steps):
        self.u, self.d, self.r, self.steps = u, d, r, steps
        self._p = (math.exp(r) - d) / (u - d)

    def _payoff(self, spot):
        return max(spot - 1.0, 0.0)

    def price(self, spot):
        values = [self._payoff(spot * self.u**j * self.d ** (self.steps - j)) for j in range(self.steps + 1)]
        for _ in range(self.steps):
            values = [math.exp(-self.r) * (self._p * b + (1 - self._p) * a) for a, b in zip(values[:-1], values[1:])]
        return values[0]


class American(Tree):
    def __init__(self, *args, strike=1.0, **kwargs):
        super().__init__(*args, **kwargs)
        self.strike = strike

    def _payoff(self, spot):
        return max(self.strike - spot, 0.0)


def a_binomial_tree(s):
    return Tree(1.1, 0.9, 0.01, 4).price(s)


def a_put_by_strike(s):
    return American(1.1, 0.9, 0.01, 3, strike=s).price(1.05)


def a_bond(s):
    return sum(5.0 * (1 + 0.01 * s) ** -k for k in range(1, 6)) + 100.0 * (1 + 0.01 * s) ** -5


def a_yield(s):
    y = 0.05
    for _ in range(8):
        price = sum(5.0 / (1 + y) ** k for k in range(1, 4)) + 100.0 / (1 + y) ** 3
        slope = sum(-k * 5.0 / (1 + y) ** (k + 1) for k in range(1, 4)) - 300.0 / (1 + y) ** 4
        y = y - (price - 100.0 * s) / slope
    return y


def sharpe_ratio(x):
    return np.mean(x) / np.std(x)


def drawdown(x):
    peak, worst = x[0], 0.0 * x[0]
    for v in x[1:]:
        peak = max(peak, v)
        worst = max(worst, peak - v * 0.5)
    return worst


ACTIVATIONS = {"relu": lambda v: np.maximum(v, 0.0), "tanh": np.tanh, "id": lambda v: v}


class Dense:
    def __init__(self, w, b, activation="tanh"):
        self.w, self.b, self.activation = w, b, ACTIVATIONS[activation]

    def __call__(self, v):
        return self.activation(v @ self.w + self.b)


class Sequential:
    def __init__(self, *layers):
        self.layers = layers

    def __call__(self, v):
        for layer in self.layers:
            v = layer(v)
        return v


def dense_layers(x):
    net = Sequential(Dense(np.outer(x, x) * 0.1, x), Dense(np.diag(x), 0.1, "id"), np.sum)
    return net(np.array([0.5, -0.3, 0.8]))


class Module:
    def __init__(self):
        self._parameters = {}

    def __setitem__(self, name, v):
        self._parameters[name] = v

    def __getitem__(self, name):
        return self._parameters[name]

    def parameters(self):
        return list(self._parameters.values())


class Regressor(Module):
    def __init__(self, w):
        super().__init__()
        self["w"] = w
        self["b"] = w[0] * 0.5

    def loss(self, data, targets, penalty=0.1):
        residual = data @ self["w"] + self["b"] - targets
        return np.mean(residual**2) + penalty * sum(np.sum(p**2) for p in self.parameters())


def a_module_with_parameters(x):
    return Regressor(x).loss(np.arange(6.0).reshape(2, 3), np.array([1.0, 2.0]))


def gradient_descent_by_rate(s):
    w = np.array([1.0, -1.0])
    for _ in range(4):
        w = w - 0.1 * s * (np.array([[2.0, 0.5], [0.5, 1.0]]) @ w)
    return np.sum(w**2)


def batch_norm(x, eps=1e-3):
    z = (x - x.mean()) / np.sqrt(x.var() + eps)
    return np.sum(z * np.arange(3.0))


def attention(x):
    q, k, v = np.outer(x, [1.0, 0.5]), np.outer(x**2, [0.3, 1.0]), np.outer(np.ones(3), [1.0, 2.0]) * x[:, None]
    scores = q @ k.T / math.sqrt(2.0)
    w = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.sum((w / w.sum(axis=1, keepdims=True)) @ v)


class Cell:
    def __init__(self, w):
        self.w, self.h = w, 0.0

    def __call__(self, v):
        gate = 1 / (1 + math.exp(-self.w * v))
        self.h = gate * self.h + (1 - gate) * math.tanh(v + self.h)
        return self.h

    def reset(self):
        self.h = 0.0


def a_recurrent_cell(s):
    cell = Cell(s)
    first = [cell(v) for v in (0.5, -0.2, 0.9)]
    cell.reset()
    return sum(first) * cell(0.3)


class Bandit:
    def __init__(self, n, rate):
        self.values, self.counts, self.rate = [0.0] * n, [0] * n, rate

    def update(self, k, reward):
        self.counts[k] += 1
        self.values[k] += self.rate * (reward - self.values[k])


def a_bandit(s):
    b = Bandit(3, 0.1 * s)
    for k, r in ((0, 1.0), (1, 0.5), (0, 0.2), (2, 1.0)):
        b.update(k, r)
    return sum(v * c for v, c in zip(b.values, b.counts))


def value_iteration(s):
    values, rewards = [0.0, 0.0, 0.0], [1.0, -0.5, 2.0]
    for _ in range(3):
        values = [r + 0.3 * s * max(values[(k + 1) % 3], values[k]) for k, r in enumerate(rewards)]
    return sum(values)


def forward_algorithm(s):
    a, b = np.array([[0.7, 0.3], [0.4, 0.6]]), np.array([[0.9, 0.1], [0.2, 0.8]])
    alpha = np.array([0.5, 0.5]) * b[:, 0] * s
    for o in (1, 0):
        alpha = (alpha @ a) * b[:, o] * s
    return np.log(np.sum(alpha))


def naive_bayes(x):
    means, out = ((0.0, 1.0, 2.0), (1.0, 0.5, 1.5)), []
    for mean in means:
        out.append(-0.5 * np.sum((x - np.array(mean)) ** 2))
    return out[0] - np.log(np.exp(out[0]) + np.exp(out[1]))


def soft_k_means(x):
    centres = [0.5, 2.0]
    for _ in range(2):
        w = [np.exp(-((x - c) ** 2)) for c in centres]
        total = w[0] + w[1]
        centres = [np.sum(v / total * x) / np.sum(v / total) for v in w]
    return centres[0] * centres[1]


def heat_equation(x, steps=3):
    u = np.concatenate([[0.0], x, [0.0]])
    for _ in range(steps):
        u[1:-1] = u[1:-1] + 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def advection(x):
    u = x
    for _ in range(3):
        flux = 0.5 * u**2
        u = u - 0.1 * (flux - np.roll(flux, 1))
    return np.sum(u * np.arange(3.0))


def predator_and_prey(s):
    a, b = 1.0, 0.5
    for _ in range(6):
        a, b = a + 0.1 * a * (s - b), b + 0.1 * b * (a - 1.0)
    return a * b


def logistic_map(s):
    v = 0.3
    for _ in range(4):
        v = 2.0 * s * v * (1 - v)
    return v


class Circuit:
    def __init__(self, **parts):
        self.parts = parts

    def series(self, *names):
        return sum(self.parts[n] for n in names)

    def parallel(self, *names):
        return 1.0 / sum(1.0 / self.parts[n] for n in names)


def resistors(s):
    c = Circuit(a=s, b=2.0, c=3.0 * s)
    return c.series("a", "b") * c.parallel("a", "b", "c")


def lennard_jones(x):
    out = 0.0
    for i in range(3):
        for j in range(i):
            r6 = (1.0 / (x[i] - x[j]) ** 2) ** 3
            out += 4.0 * (r6 * r6 - r6) * 1e-6
    return out


def planck(s):
    return s**3 / math.expm1(s)


class Refraction:
    def __init__(self, indices):
        self.indices = indices

    def exit_angle(self, angle):
        for a, b in zip(self.indices, self.indices[1:]):
            angle = math.asin(a / b * math.sin(angle))
        return angle


def refraction(s):
    return Refraction([1.0, s, 1.5]).exit_angle(0.5)


def lens(s, focal=(2.0, -3.0)):
    v = s
    for f in focal:
        v = 1.0 / (1.0 / f - 1.0 / (v + 5.0))
    return v


class Series:
    def __init__(self, coefficients):
        self.c = list(coefficients)

    def __mul__(self, other):
        n = len(self.c)
        return Series(sum(self.c[j] * other.c[k - j] for j in range(k + 1)) for k in range(n))

    def derivative(self):
        return Series([k * v for k, v in enumerate(self.c)][1:] + [0.0])

    def __call__(self, t):
        return sum(v * t**k for k, v in enumerate(self.c))


def power_series(s):
    e = Series([1.0, s, s * s / 2])
    return (e * e).derivative()(0.3) + e(s)


class Registry:
    def __init__(self):
        self._table = {}

    def register(self, name):
        def decorate(f):
            self._table[name] = f
            return f

        return decorate

    def __getitem__(self, name):
        return self._table[name]


REGISTRY = Registry()


@REGISTRY.register("square")
def _square(v):
    return v * v


@REGISTRY.register("cube")
def _cube(v):
    return v**3


def registered_functions(s):
    return REGISTRY["square"](s) + REGISTRY["cube"](s)


def a_registry_made_here(s):
    table = {}

    def register(f):
        table["f"] = f
        return f

    register(lambda v: v * s)
    return table["f"](s)


class Event:
    def __init__(self):
        self.handlers = [self._log]
        self.seen = 0

    def _log(self, v):
        self.seen += 1
        return v

    def fire(self, v):
        return sum(h(v) for h in self.handlers)


def event_handlers(s):
    e = Event()
    return e.fire(s * s) + e.seen


class Vector:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __neg__(self):
        return self * -1.0

    def __abs__(self):
        return math.hypot(self.x, self.y)

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    def __hash__(self):
        return 0

    def __bool__(self):
        return self.x != 0.0


def vectors_with_slots(s):
    v = 2.0 * Vector(s, 1.0) + -Vector(0.5, s)
    return abs(v) if v else 0.0


def sum_of_vectors(s):
    total = Vector(0.0, 0.0)
    for k in range(3):
        total = total + Vector(s * k, s**k)
    return total.x * total.y


class Countdown:
    def __init__(self, n, v):
        self.n, self.v = n, v

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        self.v = self.v * 0.5
        return self.v


def an_iterator_of_ones_own(s):
    return sum(v * v for v in Countdown(3, s))


def numbers(n, v):
    for k in range(n):
        yield v * k


def a_generator_in_a_loop(s):
    total = 0.0
    for v in numbers(4, s):
        total += v * v
    return total


def a_generator_in_a_sum(s):
    return sum(numbers(4, s)) * s


def a_generator_in_a_list(s):
    vs = list(numbers(3, s))
    return vs[1] * vs[2]


def a_generator_in_zip(s):
    return sum(a * b for a, b in zip(numbers(3, s), (1.0, 2.0, 3.0)))
