"""Queues, stocks, agents, graphs, trees, filters, options, orbits, networks: programs as engineers write them."""

import heapq
import math
import random
from collections import defaultdict, deque, namedtuple
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np


class Customer:
    def __init__(self, arrival, service):
        self.arrival = arrival
        self.service = service
        self.start = 0.0
        self.wait = 0.0


def mm1_queue(x):
    rng = np.random.default_rng(1)
    customers = []
    t = 0.0
    for _ in range(8):
        t += rng.exponential() * x[0]
        customers.append(Customer(t, rng.exponential() * x[1]))
    free = 0.0
    for c in customers:
        c.start = max(c.arrival, free)
        c.wait = c.start - c.arrival
        free = c.start + c.service
    return sum(c.wait for c in customers) * x[2] + free


@dataclass
class Item:
    name: str
    stock: float
    demand: float
    price: float
    lost: float = 0.0
    history: list = field(default_factory=list)

    def sell(self):
        sold = min(self.stock, self.demand)
        self.lost += self.demand - sold
        self.stock -= sold
        self.history.append(sold)
        return sold * self.price

    def restock(self, q):
        self.stock += q


def inventory(x):
    items = [Item("a", 5.0 * x[0], 2.0, 3.0), Item("b", 4.0, 1.5 * x[1], 2.0), Item("c", 3.0, 1.0, x[2])]
    revenue = 0.0
    for day in range(5):
        for item in items:
            revenue += item.sell()
            if item.stock < 1.0:
                item.restock(3.0 * x[0])
    return revenue - sum(i.lost**2 for i in items) + sum(sum(i.history) for i in items)


class Warehouse:
    def __init__(self, s, S):
        self.s, self.S = (s, S)
        self.level = S
        self.on_order = []
        self.cost = 0.0

    def step(self, demand):
        arrived = [q for due, q in self.on_order if due <= 0]
        self.on_order = [(due - 1, q) for due, q in self.on_order if due > 0]
        self.level += sum(arrived)
        self.level -= demand
        if self.level < 0:
            self.cost += -4.0 * self.level
            self.level = 0.0
        self.cost += 0.5 * self.level
        if self.level < self.s and (not self.on_order):
            q = self.S - self.level
            self.on_order.append((2, q))
            self.cost += 1.0 + 0.3 * q


def warehouse(x):
    w = Warehouse(2.0 * x[0], 6.0 * x[1])
    rng = random.Random(4)
    for _ in range(12):
        w.step(rng.random() * 2 * x[2])
    return w.cost


class Particle:
    def __init__(self, pos, vel, mass):
        self.pos = pos
        self.vel = vel
        self.mass = mass
        self.force = np.zeros(2)


class World:
    def __init__(self, n, x):
        self.particles = []
        for i in range(n):
            self.particles.append(
                Particle(np.array([i * x[0], i * i * 0.3]), np.array([0.0, x[1] * 0.1]), 1.0 + i)
            )

    def forces(self):
        for p in self.particles:
            p.force = np.zeros(2)
        for i, p in enumerate(self.particles):
            for q in self.particles[i + 1 :]:
                d = q.pos - p.pos
                f = p.mass * q.mass * d / (np.dot(d, d) + 0.1) ** 1.5
                p.force = p.force + f
                q.force -= f

    def step(self, dt):
        self.forces()
        for p in self.particles:
            p.vel += dt * p.force / p.mass
            p.pos += dt * p.vel

    def energy(self):
        return sum(0.5 * p.mass * np.dot(p.vel, p.vel) for p in self.particles)


def nbody_world(x):
    w = World(3, x)
    for _ in range(3):
        w.step(0.1)
    return w.energy() * x[2]


class Event:
    def __init__(self, time, kind, value):
        self.time, self.kind, self.value = (time, kind, value)

    def __lt__(self, other):
        return self.time < other.time


def event_heap(x):
    heap = []
    for k in range(3):
        heapq.heappush(heap, Event(x[k] + 0.1 * k, "start", x[2 - k]))
    total, n = (0.0, 0)
    while heap and n < 10:
        e = heapq.heappop(heap)
        n += 1
        total += e.time * e.value
        if e.kind == "start" and n < 5:
            heapq.heappush(heap, Event(e.time + 0.7 * x[0], "end", e.value**2))
    return total


class Account:
    def __init__(self, owner, balance):
        self.owner = owner
        self.balance = balance


class Bank:
    def __init__(self):
        self.accounts = {}

    def open(self, name, amount):
        self.accounts[name] = Account(name, amount)

    def transfer(self, a, b, amount):
        if self.accounts[a].balance >= amount:
            self.accounts[a].balance -= amount
            self.accounts[b].balance += amount
            return True
        return False

    def interest(self, rate):
        for acc in self.accounts.values():
            acc.balance *= 1 + rate


def bank(x):
    b = Bank()
    for name, amount in zip(("ann", "bob", "cy"), x):
        b.open(name, amount * 2)
    b.transfer("ann", "bob", x[0] * 0.5)
    b.interest(0.1 * x[1])
    for a, c in (("bob", "cy"), ("cy", "ann"), ("bob", "ann")):
        b.transfer(a, c, x[2] * 0.3)
    return sum(acc.balance**2 for acc in b.accounts.values())


class Agent:
    def __init__(self, wealth):
        self.wealth = wealth


def agents_random_pairs(x):
    rng = np.random.default_rng(0)
    agents = [Agent(w) for w in x]
    for _ in range(5):
        i, j = rng.choice(3, 2, replace=False)
        delta = 0.1 * agents[i].wealth
        agents[i].wealth -= delta
        agents[j].wealth += delta
    return sum((a.wealth**2 * (k + 1) for k, a in enumerate(agents)))


def richest_pays(x):
    agents = [Agent(w) for w in x]
    for _ in range(4):
        rich = max(agents, key=lambda a: a.wealth)
        poor = min(agents, key=lambda a: a.wealth)
        t = 0.3 * rich.wealth
        rich.wealth -= t
        poor.wealth += t * x[0]
    return sum((a.wealth**2 * (k + 1) for k, a in enumerate(agents)))


def best_by_loop(x):
    agents = [Agent(w) for w in x]
    best = None
    for a in agents:
        if best is None or a.wealth > best.wealth:
            best = a
    best.wealth = best.wealth * x[0]
    return sum((a.wealth**2 * (k + 1) for k, a in enumerate(agents)))


def n_given(x, n=4):
    agents = [Agent(x[k % 3] + k) for k in range(n)]
    for a in agents:
        a.wealth *= x[0]
    agents[n - 1].wealth += 1.0
    return sum(a.wealth**2 for a in agents)


class Node:
    def __init__(self, key, val):
        self.key = key
        self.val = val
        self.left = None
        self.right = None


class Bst:
    def __init__(self):
        self.root = None

    def insert(self, key, val):
        if self.root is None:
            self.root = Node(key, val)
            return
        n = self.root
        while True:
            if key < n.key:
                if n.left is None:
                    n.left = Node(key, val)
                    return
                n = n.left
            else:
                if n.right is None:
                    n.right = Node(key, val)
                    return
                n = n.right

    def total(self, n):
        return 0.0 if n is None else n.val + 2 * self.total(n.left) + 3 * self.total(n.right)


def bst(x):
    t = Bst()
    for k, v in ((4, x[0]), (2, x[1]), (6, x[2]), (1, x[0] * x[1])):
        t.insert(k, v**2)
    return t.total(t.root)


class LNode:
    def __init__(self, v, nxt=None):
        self.v = v
        self.next = nxt


class LinkedList:
    def __init__(self):
        self.head = None
        self.size = 0

    def push(self, v):
        self.head = LNode(v, self.head)
        self.size += 1

    def reverse(self):
        prev, cur = (None, self.head)
        while cur is not None:
            cur.next, prev, cur = (prev, cur, cur.next)
        self.head = prev

    def __iter__(self):
        n = self.head
        while n:
            yield n.v
            n = n.next


def linked_list(x):
    l = LinkedList()
    for v in x:
        l.push(v * v)
    l.reverse()
    return sum((v * (k + 1) for k, v in enumerate(l)))


def dijkstra(x):
    g = {
        "a": [("b", x[0]), ("c", x[1] * 2)],
        "b": [("c", x[2] * 0.1), ("d", x[1] * 3)],
        "c": [("d", x[0])],
        "d": [],
    }
    dist = dict.fromkeys(g, math.inf)
    dist["a"] = 0.0
    heap = [(0.0, "a")]
    while heap:
        d, u = heapq.heappop(heap)
        if d > dist[u]:
            continue
        for v, w in g[u]:
            if d + w < dist[v]:
                dist[v] = d + w
                heapq.heappush(heap, (dist[v], v))
    return dist["d"] ** 2 + dist["c"]


class Graph:
    def __init__(self):
        self.edges = defaultdict(list)

    def add(self, u, v, w):
        self.edges[u].append((v, w))
        self.edges[v].append((u, w))

    def bellman(self, s, n):
        d = [1000000000.0] * n
        d[s] = 0.0
        for _ in range(n - 1):
            for u in range(n):
                for v, w in self.edges[u]:
                    if d[u] + w < d[v]:
                        d[v] = d[u] + w
        return d


def bellman_ford(x):
    g = Graph()
    for (u, v), w in zip([(0, 1), (1, 2), (0, 2), (2, 3)], [x[0], x[1], x[2] * 2, x[0] * x[1]]):
        g.add(u, v, w)
    return sum(v**2 for v in g.bellman(0, 4))


def pagerank(x):
    links = {0: [1, 2], 1: [2], 2: [0], 3: [0, 2]}
    n = 4
    d = 0.85 * x[0] / (1 + x[0])
    r = [1.0 / n] * n
    for _ in range(6):
        new = [(1 - d) / n] * n
        for u, vs in links.items():
            for v in vs:
                new[v] += d * r[u] / len(vs)
        r = new
    return r[0] * x[1] + r[2] ** 2 * x[2]


def knapsack(x):
    w = [1, 3, 4]
    W = 5
    dp = [0.0] * (W + 1)
    for i, wi in enumerate(w):
        for c in range(W, wi - 1, -1):
            dp[c] = max(dp[c], dp[c - wi] + x[i] ** 2)
    return dp[W]


def edit_distance(x):
    a, b = ("kitten", "sitting")
    D = np.zeros((len(a) + 1, len(b) + 1))
    for i in range(1, len(a) + 1):
        D[i, 0] = D[i - 1, 0] + x[0]
    for j in range(1, len(b) + 1):
        D[0, j] = D[0, j - 1] + x[1]
    for i, ca in enumerate(a, 1):
        for j, cb in enumerate(b, 1):
            D[i, j] = min(
                D[i - 1, j] + x[0], D[i, j - 1] + x[1], D[i - 1, j - 1] + (0.0 if ca == cb else x[2])
            )
    return D[-1, -1] ** 2


def matrix_chain_memo(x):
    dims = [x[0], x[1], x[2], x[0] * x[1], 2.0]
    memo = {}

    def best(i, j):
        if j - i < 2:
            return 0.0
        if (i, j) in memo:
            return memo[i, j]
        out = math.inf
        for k in range(i + 1, j):
            out = min(out, best(i, k) + best(k, j) + dims[i] * dims[k] * dims[j])
        memo[i, j] = out
        return out

    return best(0, 4)


def viterbi(x):
    obs = [0, 1, 1, 0]
    A = np.array([[0.7, 0.3], [0.4, 0.6]]) * x[0]
    B = np.array([[0.9, 0.1], [0.2, 0.8]]) * x[1]
    V = [np.log(np.array([0.5, 0.5])) + np.log(B[:, obs[0]])]
    path = []
    for o in obs[1:]:
        s = V[-1][:, None] + np.log(A)
        path.append(np.argmax(s, axis=0))
        V.append(np.max(s, axis=0) + np.log(B[:, o]))
    last = int(np.argmax(V[-1]))
    states = [last]
    for p in reversed(path):
        states.append(p[states[-1]])
    return V[-1][last] * x[2] + sum(states)


class UnionFind:
    def __init__(self, n):
        self.parent = list(range(n))
        self.rank = [0] * n

    def find(self, i):
        while self.parent[i] != i:
            self.parent[i] = self.parent[self.parent[i]]
            i = self.parent[i]
        return i

    def union(self, a, b):
        a, b = (self.find(a), self.find(b))
        if a == b:
            return False
        if self.rank[a] < self.rank[b]:
            a, b = (b, a)
        self.parent[b] = a
        if self.rank[a] == self.rank[b]:
            self.rank[a] += 1
        return True


def kruskal(x):
    edges = [(x[0], 0, 1), (x[1], 1, 2), (x[2], 0, 2), (x[0] * x[1], 2, 3)]
    edges.sort(key=lambda e: e[0])
    uf = UnionFind(4)
    total = 0.0
    for w, u, v in edges:
        if uf.union(u, v):
            total += w**2
    return total


class Tree:
    def __init__(self, value, children=None):
        self.value = value
        self.children = children or []

    def add(self, c):
        self.children.append(c)
        return self

    def total(self, depth=1):
        return self.value * depth + sum(c.total(depth + 1) for c in self.children)

    def scale(self, k):
        self.value *= k
        for c in self.children:
            c.scale(k)


def tree(x):
    t = Tree(x[0]).add(Tree(x[1]).add(Tree(x[2]))).add(Tree(x[1] * x[2]))
    t.scale(x[0])
    return t.total() ** 2


class V:
    def __init__(self, data, children=(), op=""):
        self.data = data
        self.grad = 0.0
        self._prev = children
        self._backward = lambda: None

    def __add__(self, o):
        out = V(self.data + o.data, (self, o))

        def back():
            self.grad += out.grad
            o.grad += out.grad

        out._backward = back
        return out

    def __mul__(self, o):
        out = V(self.data * o.data, (self, o))

        def back():
            self.grad += o.data * out.grad
            o.grad += self.data * out.grad

        out._backward = back
        return out

    def backward(self):
        topo, seen = ([], set())

        def build(v):
            if v not in seen:
                seen.add(v)
                for c in v._prev:
                    build(c)
                topo.append(v)

        build(self)
        self.grad = 1.0
        for v in reversed(topo):
            v._backward()


def micrograd(x):
    a, b, c = (V(x[0]), V(x[1]), V(x[2]))
    d = a * b + c * a
    e = d * d
    e.backward()
    return a.grad * 2 + b.grad + c.grad**2


def flood(x):
    grid = np.outer(x, x)
    seen = set()
    stack = [(0, 0)]
    total = 0.0
    while stack:
        i, j = stack.pop()
        if (i, j) in seen or not (0 <= i < 3 and 0 <= j < 3):
            continue
        if grid[i, j] > 3.0:
            continue
        seen.add((i, j))
        total += grid[i, j]
        stack.extend([(i + 1, j), (i, j + 1), (i - 1, j), (i, j - 1)])
    return total**2


@lru_cache(None)
def binom(n, k):
    return 1 if k in (0, n) else binom(n - 1, k - 1) + binom(n - 1, k)


def bernstein(x):
    t = x[0] / 3
    return sum(
        (binom(3, k) * t**k * (1 - t) ** (3 - k) * v for k, v in enumerate([x[0], x[1], x[2], x[1] * x[2]]))
    )


class RK45:
    A = [
        [],
        [1 / 4],
        [3 / 32, 9 / 32],
        [1932 / 2197, -7200 / 2197, 7296 / 2197],
        [439 / 216, -8, 3680 / 513, -845 / 4104],
        [-8 / 27, 2, -3544 / 2565, 1859 / 4104, -11 / 40],
    ]
    C = [0, 1 / 4, 3 / 8, 12 / 13, 1, 1 / 2]
    B5 = [16 / 135, 0, 6656 / 12825, 28561 / 56430, -9 / 50, 2 / 55]
    B4 = [25 / 216, 0, 1408 / 2565, 2197 / 4104, -1 / 5, 0]

    def __init__(self, f, tol=0.0001):
        self.f = f
        self.tol = tol
        self.nfev = 0
        self.rejected = 0
        self.ts = []

    def step(self, t, y, h):
        k = []
        for i in range(6):
            yi = y + h * sum((a * kj for a, kj in zip(self.A[i], k)), np.zeros_like(y))
            k.append(self.f(t + self.C[i] * h, yi))
            self.nfev += 1
        y5 = y + h * sum((b * kj for b, kj in zip(self.B5, k)))
        y4 = y + h * sum((b * kj for b, kj in zip(self.B4, k)))
        return (y5, np.max(np.abs(y5 - y4)))

    def solve(self, y, t1):
        t, h = (0.0, 0.2)
        while t < t1:
            h = min(h, t1 - t)
            new, err = self.step(t, y, h)
            if err <= self.tol:
                t += h
                y = new
                self.ts.append(t)
            else:
                self.rejected += 1
        return y


def rk45(x):
    s = RK45(lambda t, y: np.array([y[1] * x[0], -x[1] * y[0] + 0.1 * np.sin(t)]))
    y = s.solve(np.array([1.0, x[2]]), 1.0)
    return np.sum(y**2) + 0 * s.nfev


class Kalman:
    def __init__(self, F, H, Q, R, x0, P0):
        self.F, self.H, self.Q, self.R = (F, H, Q, R)
        self.x, self.P = (x0, P0)
        self.log_likelihood = 0.0
        self.history = []

    def predict(self):
        self.x = self.F @ self.x
        self.P = self.F @ self.P @ self.F.T + self.Q

    def update(self, z):
        y = z - self.H @ self.x
        S = self.H @ self.P @ self.H.T + self.R
        K = self.P @ self.H.T @ np.linalg.inv(S)
        self.x += K @ y
        self.P = (np.eye(len(self.x)) - K @ self.H) @ self.P
        self.log_likelihood -= 0.5 * (y @ np.linalg.solve(S, y) + np.log(np.linalg.det(S)))
        self.history.append({"x": self.x.copy(), "S": S})


def kalman(x):
    k = Kalman(
        np.array([[1.0, x[0]], [0.0, 1.0]]),
        np.array([[1.0, 0.0]]),
        np.eye(2) * x[1] * 0.1,
        np.array([[x[2]]]),
        np.zeros(2),
        np.eye(2),
    )
    for z in ([0.5], [1.1], [1.4]):
        k.predict()
        k.update(np.array(z))
    return k.log_likelihood + sum(h["x"][0] for h in k.history)


class ParticleFilter:
    def __init__(self, n, seed):
        self.rng = np.random.default_rng(seed)
        self.p = self.rng.normal(size=n)
        self.w = np.ones(n) / n

    def predict(self, u, s):
        self.p = self.p + u + s * self.rng.normal(size=self.p.size)

    def update(self, z, r):
        self.w = self.w * np.exp(-0.5 * ((z - self.p) / r) ** 2)
        self.w /= np.sum(self.w)
        if 1.0 / np.sum(self.w**2) < self.p.size / 2:
            idx = np.searchsorted(np.cumsum(self.w), (np.arange(self.p.size) + 0.5) / self.p.size)
            self.p = self.p[np.minimum(idx, self.p.size - 1)]
            self.w = np.ones(self.p.size) / self.p.size

    def mean(self):
        return np.sum(self.w * self.p)


def particle_filter(x):
    f = ParticleFilter(6, 1)
    out = 0.0
    for z in (0.4, 0.9):
        f.predict(x[0], x[1] * 0.1)
        f.update(z, x[2])
        out += f.mean() ** 2
    return out


def asian_option(x):
    s0, vol, r = (x[0] * 100, 0.1 + 0.1 * x[1], 0.01 * x[2])
    rng = np.random.default_rng(7)
    n, m = (6, 4)
    dt = 0.25
    pay = 0.0
    for i in range(n):
        s, path = (s0, [])
        for z in rng.standard_normal(m):
            s *= math.exp((r - vol**2 / 2) * dt + vol * math.sqrt(dt) * z)
            path.append(s)
        pay += max(sum(path) / m - 70.0, 0.0)
    return math.exp(-r) * pay / n


def binomial_american(x):
    S, K, r, s, T, n = (100 * x[0], 80.0, 0.03, 0.2 * x[1], x[2], 6)
    dt = T / n
    u = math.exp(s * math.sqrt(dt))
    d = 1 / u
    p = (math.exp(r * dt) - d) / (u - d)
    values = [max(K - S * u**j * d ** (n - j), 0.0) for j in range(n + 1)]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1):
            values[j] = max(
                math.exp(-r * dt) * (p * values[j + 1] + (1 - p) * values[j]), K - S * u**j * d ** (i - j)
            )
    return values[0]


def fem_1d(x):
    n = 5
    K = np.zeros((n, n))
    f = np.zeros(n)
    h = 1.0 / (n + 1)
    for e in range(n + 1):
        k = x[e % 3] / h * np.array([[1.0, -1.0], [-1.0, 1.0]])
        for a in range(2):
            i = e - 1 + a
            if not 0 <= i < n:
                continue
            f[i] += h / 2 * x[1]
            for b in range(2):
                j = e - 1 + b
                if 0 <= j < n:
                    K[i, j] += k[a, b]
    return np.sum(np.linalg.solve(K, f)) * x[2]


class Dense:
    def __init__(self, w, b, act):
        self.w, self.b, self.act = (w, b, act)
        self.cache = None

    def __call__(self, v):
        self.cache = v
        return self.act(v @ self.w + self.b)

    def params(self):
        return [self.w, self.b]


class Mlp:
    def __init__(self, *layers):
        self.layers = list(layers)

    def __call__(self, v):
        for l in self.layers:
            v = l(v)
        return v

    def params(self):
        return [p for l in self.layers for p in l.params()]


class Adam:
    def __init__(self, params, lr=0.01):
        self.params = params
        self.lr = lr
        self.t = 0
        self.m = [np.zeros_like(p) for p in params]
        self.v = [np.zeros_like(p) for p in params]

    def step(self, grads):
        self.t += 1
        for i, (p, g) in enumerate(zip(self.params, grads)):
            self.m[i] = 0.9 * self.m[i] + 0.1 * g
            self.v[i] = 0.99 * self.v[i] + 0.01 * g**2
            p -= self.lr * (self.m[i] / (1 - 0.9**self.t)) / (np.sqrt(self.v[i] / (1 - 0.99**self.t)) + 1e-08)


def mlp_adam(x):
    net = Mlp(
        Dense(np.outer(x, x[:2]), x[:2] * 0.1, np.tanh), Dense(np.outer(x[:2], x), x * 0.2, lambda v: v)
    )
    opt = Adam(net.params())
    for _ in range(3):
        y = net(x)
        opt.step([p * np.sum(y) for p in net.params()])
    return np.sum(net(x) ** 2)


class Conv:
    def __init__(self, k):
        self.k = k

    def __call__(self, im):
        n, m = im.shape
        a, b = self.k.shape
        out = np.zeros((n - a + 1, m - b + 1))
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                out[i, j] = np.sum(im[i : i + a, j : j + b] * self.k)
        return out


def conv_pool(x):
    im = np.outer(np.concatenate([x, x**2]), np.arange(1.0, 7.0)) * 0.1
    c = Conv(np.outer(x[:2], x[1:]))
    y = np.maximum(c(im), 0.5)
    y = y[:4, :4].reshape(2, 2, 2, 2).max(axis=(1, 3))
    return np.sum(np.tanh(y))


def gauss_seidel(x):
    A = np.array([[4.0, x[0], 0], [1, 5, x[1]], [0, 1, 6]])
    b = x * 2
    u = np.zeros(3)
    for it in range(50):
        old = u.copy()
        for i in range(3):
            s = 0.0
            for j in range(3):
                if j != i:
                    s += A[i, j] * u[j]
            u[i] = (b[i] - s) / A[i, i]
        if np.linalg.norm(u - old) < 1e-12:
            break
    return np.sum(u**2) * x[2]


def simpson_adaptive(x):

    def f(t):
        return math.exp(-x[0] * t) * math.sin(x[1] * t + x[2])

    def simp(a, b):
        return (b - a) / 6 * (f(a) + 4 * f((a + b) / 2) + f(b))

    def rec(a, b, whole, eps, depth):
        m = (a + b) / 2
        l, r = (simp(a, m), simp(m, b))
        if depth <= 0 or abs(l + r - whole) <= 15 * eps:
            return l + r + (l + r - whole) / 15
        return rec(a, m, l, eps / 2, depth - 1) + rec(m, b, r, eps / 2, depth - 1)

    return rec(0.0, 2.0, simp(0.0, 2.0), 1e-06, 8)


def brent_like(x):
    a, b = (0.0, 3.0)
    f = lambda t: t**3 - x[0] * t - x[1]
    while b - a > 0.001:
        m = 0.5 * (a + b)
        if f(a) * f(m) <= 0:
            b = m
        else:
            a = m
    for _ in range(4):
        a = a - f(a) / (3 * a * a - x[0])
    return a * x[2]


Body = namedtuple("Body", "r v m")


def orbit(x):
    bodies = [
        Body(np.array([0.0, 0.0]), np.zeros(2), x[0] * 3),
        Body(np.array([1.0, 0.0]), np.array([0.0, x[1]]), 0.01),
        Body(np.array([0.0, 2.0]), np.array([x[2] * 0.3, 0.0]), 0.01),
    ]
    for _ in range(5):
        new = []
        for i, b in enumerate(bodies):
            a = sum(
                (c.m * (c.r - b.r) / np.linalg.norm(c.r - b.r) ** 3 for j, c in enumerate(bodies) if j != i),
                np.zeros(2),
            )
            v = b.v + 0.05 * a
            new.append(b._replace(r=b.r + 0.05 * v, v=v))
        bodies = new
    return sum(b.m * np.dot(b.v, b.v) for b in bodies) + bodies[1].r[0]


@dataclass
class State:
    t: float
    y: np.ndarray
    log: list = field(default_factory=list)

    def copy(self):
        return State(self.t, self.y.copy(), list(self.log))


def dataclass_states(x):
    s = State(0.0, x * 1.0)
    saved = []
    for k in range(3):
        saved.append(s.copy())
        s.y[:] = s.y + 0.1 * np.cos(s.y * s.t)
        s.t += x[0]
        s.log.append(s.y[0])
    return sum(np.sum(q.y) * q.t for q in saved) + sum(s.log) + len(saved[-1].log)


def sir_events(x):
    S, I, R = (10.0, 1.0, 0.0)
    peak = 0.0
    day = 0
    log = deque(maxlen=3)
    while I > 0.5 and day < 30:
        new = x[0] * 0.1 * S * I / 11
        rec = x[1] * 0.2 * I
        S, I, R = (S - new, I + new - rec, R + rec)
        if I > peak:
            peak, when = (I, day)
        log.append(I)
        day += 1
    return peak * x[2] + sum(log) + when
