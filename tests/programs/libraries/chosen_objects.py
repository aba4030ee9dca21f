"""Objects of which a program chooses one as it runs (the best, the poorest, the last, a random one), and then changes it."""

import copy
import math

import numpy as np


class Particle:
    def __init__(self, x, v):
        self.x = x
        self.v = v
        self.friend = None

    def push(self, k):
        self.x = self.x * k + self.v


class Body:
    def __init__(self, position):
        self.position = position * 1.0
        self.log = []


class Circle:
    def __init__(self, r):
        self.r = r

    def area(self):
        return math.pi * self.r**2

    def grow(self, k):
        self.r *= k


class Rectangle:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def area(self):
        return self.a * self.b

    def grow(self, k):
        self.a *= k
        self.b += k


class Swarm:
    def __init__(self, particles):
        self.particles = particles
        self.leader = None

    def step(self):
        self.leader = max(self.particles, key=lambda p: p.x * p.v)
        self.leader.x *= 0.7
        for p in self.particles:
            p.x += 0.1 * self.leader.v


def _made(x):
    return [Particle(x[i], x[2 - i] * 0.3) for i in range(3)]


def _bodies(x):
    return [Body(x), Body(x[::-1] * 1.1), Body(x**2)]


def _total(particles):
    return sum(p.x**2 * (i + 1) + p.v for i, p in enumerate(particles))


def best_is_moved(x):
    particles = _made(x)
    best = max(particles, key=lambda p: p.x)
    best.x += x[0] ** 2
    return _total(particles)


def ranked_are_changed(x):
    particles = _made(x)
    ranked = sorted(particles, key=lambda p: p.x * p.v + p.x, reverse=True)
    ranked[0].x += x[1]
    for k, p in enumerate(ranked):
        p.v += k * p.x
    return _total(particles)


def by_computed_index(x):
    particles = _made(x)
    k = max(range(3), key=lambda k: particles[k].x)
    particles[k].x += x[0]
    particles[int(np.argmin([p.x for p in particles]))].push(x[2])
    return _total(particles)


def of_two_classes(x):
    shapes = [Circle(x[0]), Rectangle(x[1], x[2]), Circle(x[2])]
    max(shapes, key=lambda s: s.area()).grow(x[0])
    return sum(s.area() for s in shapes)


def rich_pay_the_poor(x):
    particles = _made(x)
    n = 0
    while max(p.x for p in particles) - min(p.x for p in particles) > 0.5 and n < 20:
        rich, poor = max(particles, key=lambda p: p.x), min(particles, key=lambda p: p.x)
        part = 0.2 * (rich.x - poor.x)
        rich.x -= part
        poor.x += part
        n += 1
    return _total(particles)


def best_in_a_branch(x):
    particles = _made(x)
    best = None
    for p in particles:
        if best is None or p.x > best.x:
            best = p
    best.x = best.x * x[0]
    return _total(particles)


def best_so_far(x, n=7):
    particles = _made(x)
    best = particles[0]
    for k in range(n):
        for p in particles:
            p.x = np.sin(p.x + k * 0.1) + p.v
            if p.x > best.x:
                best = p
        best.x -= 0.5 * x[0]
        best.v *= 0.9
    return _total(particles) + best.x


def best_so_far_none_at_first(x, n=6):
    particles = _made(x)
    best = None
    for k in range(n):
        for p in particles:
            p.x = np.sin(p.x + k * 0.1) + p.v
        top = max(particles, key=lambda p: p.x)
        if best is None or top.x > best.x:
            best = top
        top.v = top.v * 0.8
    best.x = best.x * 3.0
    return _total(particles)


def swapped_in_a_branch(x):
    a, b = Particle(x[0], x[1]), Particle(x[1], x[2])
    first, second = a, b
    if x[0] < x[1]:
        first, second = second, first
    first.x = first.x**2
    second.push(x[2])
    return a.x * 2 + b.x * b.v


def made_in_a_branch(x):
    shape = Circle(x[0]) if x[1] > 1 else Rectangle(x[1], x[2])
    shape.r = shape.r * x[2]
    return shape.area()


def all_but_the_best(x):
    particles = _made(x)
    best = max(particles, key=lambda p: p.x)
    for p in particles:
        if p is best:
            p.x *= x[0]
        else:
            p.v += best.x
    return _total(particles) + sum(p.x * p.v for p in particles if p is not best)


def nearest_in_a_field(x):
    particles = _made(x)
    for p in particles:
        p.friend = min((q for q in particles if q is not p), key=lambda q: abs(q.x - p.x))
    for p in particles:
        p.friend.v += 0.1 * p.x
    return _total(particles)


def leader_in_a_field(x, n=5):
    swarm = Swarm(_made(x))
    for _ in range(n):
        swarm.step()
    swarm.leader.v += x[0]
    return _total(swarm.particles) + swarm.leader.x


def arrays_in_place(x):
    bodies = _bodies(x)
    far = max(bodies, key=lambda b: np.sum(b.position))
    kept = far.position
    far.position += x * 2
    far.position[0] = x[1] ** 2
    near = min(bodies, key=lambda b: np.sum(b.position))
    near.position *= far.position
    far.position = far.position * 2
    kept[1] = x[0] ** 3
    return np.sum(kept) + sum(np.sum(b.position**2) * (i + 1) for i, b in enumerate(bodies))


def lists_in_place(x):
    bodies = _bodies(x)
    for k in range(3):
        far = max(bodies, key=lambda b: np.sum(b.position) - 3 * len(b.log))
        far.log.append(x[k] ** 2)
    return sum(sum(b.log) * (i + 1) for i, b in enumerate(bodies))


def _given(a, b, k):
    if a.x > b.x:
        a.x -= k
        return a
    b.x += k
    return b


def given_by_a_helper(x):
    particles = _made(x)
    winner = _given(_given(particles[0], particles[1], x[0] * 0.1), particles[2], x[1] * 0.2)
    winner.v = winner.x**2
    return _total(particles)


def copies_of_the_best(x):
    particles = _made(x)
    best = copy.copy(max(particles, key=lambda p: p.x))
    best.x = 5.0 * x[0]
    worst = copy.deepcopy(min(particles, key=lambda p: p.x))
    worst.v = x[1]
    max(particles, key=lambda p: p.x).v *= x[2]
    return _total(particles) + best.x * best.v + worst.x * worst.v


def in_tuples(x):
    particles = _made(x)
    ranked = sorted([(p.x, i, p) for i, p in enumerate(particles)], key=lambda t: t[0])
    ranked[0][2].x = x[0] * 4
    for f, i, p in ranked:
        p.v += f * i
    return _total(particles)


def under_computed_keys(x):
    named = {n: Particle(v, 0.1) for n, v in zip("abc", x, strict=True)}
    best = max(named, key=lambda n: named[n].x)
    named[best].x = named[best].x ** 2
    min(named.values(), key=lambda p: p.x).v = x[2]
    return _total(list(named.values()))


def tournament(x, rounds=4):
    rng = np.random.default_rng(2)
    particles = _made(x)
    for _ in range(rounds):
        i, j = rng.choice(3, 2, replace=False)
        a, b = particles[i], particles[j]
        winner, loser = (a, b) if a.x > b.x else (b, a)
        loser.x += 0.5 * (winner.x - loser.x)
        winner.v += 0.1
    return _total(particles)


def sorted_in_place(x, n=4):
    particles = [Particle(x[i % 3] * (1 + 0.1 * i), 0.2 * i) for i in range(4)]
    for _ in range(n):
        particles.sort(key=lambda p: p.x**2 + p.v)
        best = particles[0]
        for p in particles[1:]:
            p.x += 0.3 * (best.x - p.x)
            p.v *= 0.9
    return _total(particles)


def sorted_under_two_names(x, n=3):
    particles = _made(x)
    swarm, first = Swarm(particles), particles[0]
    for _ in range(n):
        swarm.particles.sort(key=lambda p: p.x)
        particles[0].x += x[1]
        first.v *= 1.1
    return _total(particles) + _total(swarm.particles)


def sorted_in_a_branch(x):
    particles = _made(x)
    if x[0] < 1:
        particles.sort(key=lambda p: -p.x)
    particles[0].x *= 3
    return _total(particles)


def _one_twice(x):
    p = Particle(x[0], x[1])
    return p, Particle(p, x[2]), [p]


def returned_in_two_places(x):
    p, holder, alone = _one_twice(x)
    p.x = x[2] * 5
    alone[0].v = x[0] ** 2
    return holder.x.x * holder.v * p.v
