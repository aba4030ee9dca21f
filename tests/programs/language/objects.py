"""Programs with classes: records, stateful modules, properties, inheritance, iterators."""

import math
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import NamedTuple

import numpy as np

from ..case import case
from .overloading import Vec2


class State(NamedTuple):
    position: float
    velocity: float
    energy: float = 0.0

    def advance(self, k, dt):
        v = self.velocity - dt * k * self.position
        x = self.position + dt * v
        return State(x, v, self.energy + dt * (0.5 * v * v + 0.5 * k * x * x))


def named_tuple_oscillator(x, v, k):
    s = State(x, v)
    for _ in range(10):
        s = s.advance(k, 0.1)
    position, *_ = s
    return s.energy + position - s[1]


def replace_fields(x, k):
    s = State(x, 1.0)._replace(energy=k * x)
    p = replace(Particle(1.0, x, 0.5), mass=k)
    return s.energy * s.velocity + p.kinetic() + p.x


@dataclass
class Particle:
    mass: float
    x: float
    v: float
    trail: list = field(default_factory=list)

    def kick(self, force, dt):
        self.trail.append(self.x)
        self.v += dt * force / self.mass
        self.x += dt * self.v

    def kinetic(self):
        return 0.5 * self.mass * self.v**2


def mutable_particles(m, x0, k):
    left, right = Particle(m, -x0, 0.1), Particle(1.0, x0, -0.2)
    for _ in range(8):
        stretch = right.x - left.x - 1.0
        left.kick(k * stretch, 0.1)
        right.kick(-k * stretch, 0.1)
    return left.kinetic() + right.kinetic() + sum(right.trail) / len(right.trail)


class Linear:
    def __init__(self, W, b):
        self.W = W
        self.b = b

    def __call__(self, x):
        return x @ self.W + self.b


class Tanh:
    def __call__(self, x):
        return np.tanh(x)


class Sequential:
    def __init__(self, *layers):
        self.layers = list(layers)

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def __len__(self):
        return len(self.layers)


def callable_layers(W1, b1, W2, b2, x):
    net = Sequential(Linear(W1, b1), Tanh(), Linear(W2, b2))
    return np.sum(net(x) ** 2) / len(net)


class Thermostat:
    """Mutable attributes and a property with a setter."""

    GAIN = 0.6

    def __init__(self, setpoint):
        self._setpoint = setpoint
        self.integral = 0.0

    @property
    def setpoint(self):
        return self._setpoint

    @setpoint.setter
    def setpoint(self, value):
        self._setpoint = value
        self.integral = 0.5 * self.integral

    def control(self, temperature):
        error = self.setpoint - temperature
        self.integral += 0.1 * error
        return self.GAIN * error + 0.2 * self.integral


def thermostat_run(target, leak):
    device, temperature = Thermostat(target), 0.0
    for step in range(10):
        if step == 5:
            device.setpoint = 0.8 * target
        temperature += 0.5 * device.control(temperature) - leak * temperature
    return temperature


class Shape:
    def area(self):
        raise NotImplementedError

    def scaled_area(self, k):
        return k**2 * self.area()


class Disk(Shape):
    def __init__(self, r):
        self.r = r

    def area(self):
        return math.pi * self.r**2


class Box(Shape):
    def __init__(self, w, h):
        self.w, self.h = w, h

    def area(self):
        return self.w * self.h


class RoundedBox(Box):
    def __init__(self, w, h, r):
        super().__init__(w, h)
        self.r = r

    def area(self):
        return super().area() - (4 - math.pi) * self.r**2


def inherited_areas(r, w, h):
    shapes = [Disk(r), Box(w, h), RoundedBox(w, h, 0.1 * r)]
    return sum(s.scaled_area(i + 1) for i, s in enumerate(shapes))


def particle_argument(particle, k):
    """The argument is an object; the derivative is with respect to its stiffness."""
    x, v = particle.x, particle.v
    for _ in range(5):
        v -= 0.1 * k * x / particle.mass
        x += 0.1 * v
    return x * x + v * v


class Lattice:
    def __init__(self, sites):
        self.sites = sites

    def __iter__(self):
        for i in range(len(self.sites)):
            yield self.sites[i], self.sites[(i + 1) % len(self.sites)]


def lattice_energy(sites, coupling):
    return -coupling * sum(math.cos(a - b) for a, b in Lattice(sites))


class Phase(Enum):
    SOLID = 1
    LIQUID = 2


def enthalpy(temperature, latent):
    phase = Phase.LIQUID if temperature > 1.0 else Phase.SOLID
    match phase:
        case Phase.SOLID:
            return 2.0 * temperature
        case Phase.LIQUID:
            return 2.0 + latent + 4.2 * (temperature - 1.0) ** 2


def class_pattern(x, y):
    total = 0.0
    for item in (Vec2(x, y), State(x, y), Disk(y)):
        match item:
            case Vec2(x=a, y=b):
                total += a * b
            case State(p, v):
                total += p**2 - v
            case Shape():
                total += item.area()
    return total


class Adam:
    def __init__(self, lr):
        self.lr, self.m, self.v, self.t = lr, 0.0, 0.0, 0

    def step(self, w, g):
        self.t += 1
        self.m = 0.9 * self.m + 0.1 * g
        self.v = 0.99 * self.v + 0.01 * g * g
        m_hat, v_hat = self.m / (1 - 0.9**self.t), self.v / (1 - 0.99**self.t)
        return w - self.lr * m_hat / (np.sqrt(v_hat) + 1e-8)


def optimizer_object(w, lr):
    opt = Adam(lr)
    for _ in range(6):
        w = opt.step(w, 2 * (w - 1.0) + np.sin(w))
    return w


CASES = (
    case(named_tuple_oscillator, lambda rng: (1.0, 0.2, 1.5), wrt=(0, 1, 2)),
    case(replace_fields, lambda rng: (1.2, 0.8), wrt=(0, 1)),
    case(mutable_particles, lambda rng: (1.3, 0.8, 2.0), wrt=(0, 1, 2)),
    case(callable_layers,
         lambda rng: (rng.normal(size=(3, 4)), rng.normal(size=4), rng.normal(size=(4, 2)), rng.normal(size=2),
                      rng.normal(size=(2, 3))), wrt=(0, 1, 2, 3, 4)),
    case(thermostat_run, lambda rng: (2.0, 0.1), wrt=(0, 1)),
    case(inherited_areas, lambda rng: (0.7, 1.2, 0.9), wrt=(0, 1, 2)),
    case(particle_argument, lambda rng: (Particle(1.2, 0.9, 0.1), 1.7), wrt=(1,)),
    case(lattice_energy, lambda rng: (rng.uniform(0, 6, size=5), 0.8), wrt=(0, 1)),
    case(enthalpy, lambda rng: (1.4, 3.3), wrt=(0, 1)),
    case(class_pattern, lambda rng: (0.8, 1.3), wrt=(0, 1)),
    case(optimizer_object, lambda rng: (rng.normal(size=3), 0.2), wrt=(0, 1)),
)
