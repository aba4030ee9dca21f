"""Programs that no program for all sizes stands for: lists of objects as long as an array, and what depends on lengths.

Each is made anew for other sizes, and its text refuses arrays of another size.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from thinning import thinned

from s2sad import S2sadError, check_grads, differentiate, grad, hessian, jvp, value_and_grad
from s2sad.runtime import assert_sizes
from s2sad.runtime.guards import MOST_ITEMS, SizeError, sizes_of

X = np.array([0.5, 0.7, 1.1, 1.3, 0.9])
MASSES, PLACES = np.array([1.0, 2.0, 0.5]), np.array([[0.0, 1.0], [1.0, 0.2], [-0.3, 0.4]])


class Particle:
    def __init__(self, mass):
        self.mass = mass
        self.speed = 0.0

    def kick(self, force):
        self.speed += force * self.mass


def fields_assigned(x):
    particles = [Particle(m) for m in x]
    for _ in range(2):
        for p in particles:
            p.speed = p.speed + p.mass * 2
        for p in particles:
            p.kick(2.0)
    return sum(p.speed * p.mass for p in particles)


def appended_and_indexed(x):
    particles = []
    for i in range(len(x)):
        particles.append(Particle(x[i]))
    t = 0.0
    while t < 1.0:
        for i in range(len(particles)):
            for j in range(len(particles)):
                if i != j:
                    particles[i].kick(particles[j].mass - particles[i].speed)
        t += 0.3
    return sum(p.speed * p.mass for p in particles)


def beside_an_array(x):
    particles = [Particle(m) for m in x]
    for p, v in zip(particles, x[::-1], strict=True):
        p.speed = v * p.mass
    for a, b in zip(particles, particles[1:], strict=False):  # noqa: RUF007 - as people write it
        b.kick(a.speed)
    return sum(p.speed for p in particles)


def numbered(x):
    particles = [Particle(m) for m in x if x.shape[0] > 1]
    for k, p in enumerate(particles):
        p.speed = k * p.mass + x[k - 1]
    return max(p.speed for p in particles) * particles[-1].mass


def as_many_parts_as_pairs(x):
    return sum(np.prod(part) for part in np.split(x[: len(x) // 2 * 2], len(x) // 2))


def first_and_rest(x):
    first, *rest = x
    return first * sum(rest) + rest[-1]


def by_length(x):
    if len(x) > 3:
        found = {"wide": x * 2.0, "count": 1.0}
    else:
        found = {"narrow": x, "scale": (x[0], 3.0)}
    return sum(np.sum(v) for v in found.values())


def copies_of_items(x):
    """``list(x)`` is what x was when it was asked for."""
    a, total = x * 1.0, 0.0
    for v in list(a):
        total += v
        a[2] = v * v
    return total + a[2] + sum(p.mass for p in [Particle(v) for v in list(a)])


class Node:
    def __init__(self, weight):
        self.weight = weight
        self.children = []

    def total(self):
        return self.weight + sum(c.total() for c in self.children)


def star(x):
    root = Node(x[0])
    for v in x[1:]:
        root.children.append(Node(v * v))
    return root.total()


def chain(x):
    nodes = [Node(v) for v in x]
    for a, b in zip(nodes, nodes[1:], strict=False):  # noqa: RUF007 - as people write it
        a.children.append(b)
    return nodes[0].total() * nodes[-1].weight


def places_taken(x):
    nodes = [Node(v) for v in x]
    same, first = nodes, nodes[0]
    nodes[0], nodes[-1] = nodes[-1], nodes[0]
    first.weight = first.weight * 3
    for i in range(len(nodes) - 1):
        same[i] = Node(nodes[i].weight + nodes[i + 1].weight)
    return np.prod([n.weight for n in nodes]) + first.weight


class Body:
    def __init__(self, mass, place):
        self.mass, self.place, self.speed, self.force = mass, np.array(place), np.array([0.0, 0.1]), np.zeros(2)


class System:
    def __init__(self, bodies):
        self.bodies, self.time = bodies, 0.0

    def pull(self):
        for body in self.bodies:
            body.force = np.zeros(2)
        for i, one in enumerate(self.bodies):
            for other in self.bodies[i + 1 :]:
                apart = other.place - one.place
                pull = apart / (np.sum(apart**2) + 0.1) ** 1.5
                one.force += other.mass * pull
                other.force -= one.mass * pull

    def step(self, dt):
        self.pull()
        for body in self.bodies:
            body.speed += dt * body.force
            body.place += dt * body.speed
        self.time += dt


def bodies(masses, places):
    system = System([Body(m, r) for m, r in zip(masses, places, strict=True)])
    while system.time < 0.25:
        system.step(0.1)
    return sum(0.5 * b.mass * np.sum(b.speed**2) for b in system.bodies) + system.time


VECTORS = [fields_assigned, appended_and_indexed, beside_an_array, numbered, as_many_parts_as_pairs, first_and_rest, by_length,
           copies_of_items, star, places_taken]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "count"), thinned(itertools.product(VECTORS, [5, 3]), 3, lambda case: f"{case[0].__name__}-{case[1]}")
)
def test_right(function: Callable[..., Any], count: int) -> None:
    check_grads(function, (X[:count],), order=2)


def test_what_refers_to_one_another() -> None:
    check_grads(chain, (X,))


def test_one_derivative_for_many_sizes() -> None:
    derivative = value_and_grad(fields_assigned)
    for count in (5, 3, 5, 2, 3):
        value, gradient = derivative(X[:count])
        np.testing.assert_allclose(value, fields_assigned(X[:count]))
        np.testing.assert_allclose(gradient, 16.0 * X[:count])
    np.testing.assert_allclose(hessian(fields_assigned)(X[:3]), 16.0 * np.eye(3))


def test_bodies() -> None:
    check_grads(bodies, (MASSES, PLACES))
    check_grads(bodies, (MASSES[:2], PLACES[:2]))
    value, tangent = jvp(bodies, (MASSES, PLACES), (MASSES, PLACES))
    np.testing.assert_allclose(value, bodies(MASSES, PLACES))
    assert np.isfinite(tangent)


def test_a_list_of_numbers() -> None:
    np.testing.assert_allclose(grad(fields_assigned)(list(X)), 16.0 * X)
    np.testing.assert_allclose(grad(fields_assigned)([2.0, 3.0]), [32.0, 48.0])


WEIGHTS = np.array([1.0, 2.0, 3.0])


def of_a_global(t):
    particles = [Particle(m) for m in WEIGHTS]
    for p in particles:
        p.speed = p.speed + p.mass * t
    return sum(p.speed**2 for p in particles)


def test_arrays_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another array under the name, or of other sizes, is another program."""
    derivative = grad(of_a_global)
    np.testing.assert_allclose(derivative(2.0), 4.0 * 14.0)
    for weights in (np.array([1.0, 2.0]), np.arange(5.0), np.arange(3.0)):
        monkeypatch.setitem(globals(), "WEIGHTS", weights)
        np.testing.assert_allclose(derivative(2.0), 4.0 * np.sum(weights**2))
    weights.resize(2, refcheck=False)
    np.testing.assert_allclose(derivative(2.0), 4.0 * np.sum(weights**2))
    monkeypatch.setitem(globals(), "WEIGHTS", np.arange(MOST_ITEMS + 1.0))
    with pytest.raises(S2sadError, match="known only at run time"):
        derivative(2.0)


def test_arrays_of_closures() -> None:
    def made(w):
        return grad(lambda t: fields_assigned(w * t))

    for w in (X, X[:2], X[:3]):
        np.testing.assert_allclose(made(w)(2.0), 32.0 * np.sum(w**2))


def test_the_text_refuses_other_sizes(tmp_path: Any) -> None:
    path = differentiate(fields_assigned).write("adjoint", tmp_path / "made.py", X, standalone=True)
    made: dict[str, Any] = {}
    exec(path.read_text(), made)
    np.testing.assert_allclose(made["fields_assigned_adjoint"](X)[1], 16.0 * X)
    with pytest.raises(ValueError, match=r"x has sizes \(3,\), and this program was made for \(5,\)"):
        made["fields_assigned_adjoint"](X[:3])


def test_programs_for_all_sizes_stay() -> None:
    for function in (lambda x: np.sum(x[1:] * x[:-1]), lambda x: sum(v * v for v in x)):
        assert "assert_sizes" not in differentiate(function).source("adjoint", X)


def test_long_arrays_are_refused_as_before() -> None:
    with pytest.raises(S2sadError, match="which one it is, is known only at run time"):
        grad(fields_assigned)(np.linspace(0.1, 1.0, MOST_ITEMS + 1))


def test_sizes() -> None:
    given = {"a": np.zeros((2, 3)), "b": (1.0, [np.zeros(4), np.zeros(MOST_ITEMS + 1)]), "c": Particle(np.zeros(()))}
    assert sizes_of(given) == ((2, 3), (2,), (4,), None, ())
    assert_sizes("given", sizes_of(given), given)
    with pytest.raises(SizeError):
        assert_sizes("given", ((2, 3),), given)
