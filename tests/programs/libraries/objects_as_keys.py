"""Programs whose sets and dicts have objects for members and keys: graphs that are walked, values with a way back."""

import math


class Node:
    def __init__(self, v, before=()):
        self.v = v
        self.before = set(before)


def members_once(s):
    a = Node(s)
    b = Node(2 * s, [a])
    c = Node(s * s, [a, b])
    visited = set()
    total = 0.0
    for node in [a, b, c, b]:
        if node not in visited:
            visited.add(node)
            for other in node.before:
                total = total + other.v * node.v
    return total * len(visited)


def members_that_are_dropped(s):
    a, b = Node(s), Node(2 * s)
    some = {a, b}
    some.discard(a)
    some.discard(a)
    total = 0.0
    for node in [a, b]:
        if node in some:
            total = total + node.v * node.v
    return total * len(some)


def items_by_object(s):
    a, b, c = Node(s), Node(2 * s), Node(s * s)
    weights = {a: s}
    weights[b] = s * s
    total = weights.get(c, 3.0 * s)
    for node, weight in weights.items():
        total = total + node.v * weight
    weights[b] += 1.0
    del weights[a]
    return total * weights[b] if a not in weights else total


def squares_by_object(s):
    nodes = [Node(s * k) for k in range(4)]
    squares = {}
    for node in nodes:
        squares[node] = node.v * node.v
    return sum(squares[node] * node.v for node in nodes)


def up_to_the_root(s):
    nodes = [Node(s * k) for k in range(1, 4)]
    parent = {}
    for above, below in zip(nodes, nodes[1:]):
        parent[below] = above
    node, total = nodes[-1], s
    while node in parent:
        total = total * node.v
        node = parent[node]
    return total


class Remembering:
    def __init__(self):
        self.known = {}

    def __call__(self, node):
        if node not in self.known:
            self.known[node] = node.v**2
        return self.known[node]


def remembered_by_object(s):
    square, a, b = Remembering(), Node(s), Node(2 * s)
    return square(a) + square(b) * square(a)


def depth_first(s):
    a = Node(s)
    b = Node(2 * s, (a,))
    c = Node(s * s, (a, b))
    order = []
    visited = set()

    def visit(node):
        if node not in visited:
            visited.add(node)
            for other in node.before:
                visit(other)
            order.append(node)

    visit(c)
    total = s
    for node in order:
        total = total * node.v + 1.0
    return total


class Value:
    def __init__(self, data, children=()):
        self.data = data
        self.grad = 0.0
        self._backward = lambda: None
        self._prev = set(children)

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,))

        def _backward():
            self.grad += (1 - t**2) * out.grad

        out._backward = _backward
        return out

    def backward(self):
        topo = []
        visited = set()

        def build_topo(v):
            if v not in visited:
                visited.add(v)
                for child in v._prev:
                    build_topo(child)
                topo.append(v)

        build_topo(self)
        self.grad = 1.0
        for node in reversed(topo):
            node._backward()


def a_way_back_of_its_own(s):
    a, b = Value(s), Value(2.0 * s)
    c = (a * b + a).tanh()
    c.backward()
    return a.grad * b.grad + c.data


def once_in_a_loop(s, turns=5):
    a = Node(s)
    visited = set()
    total = s
    for _ in range(turns):
        if a not in visited:
            visited.add(a)
            total = total + a.v * a.v
        total = total * 1.1
    return total


def another_object_each_time(s):
    visited = set()
    total = s
    for k in range(3):
        node = Node(s * k)
        if node not in visited:
            visited.add(node)
            total = total + node.v * node.v
    return total * len(visited)


def a_set_for_each_step(s):
    for _ in range(3):
        a, b = Node(s), Node(2 * s)
        visited = set()
        for node in [a, b, a]:
            if node not in visited:
                visited.add(node)
                s = s - 0.1 * node.v
    return s * s


def a_dict_for_each_step(s):
    for _ in range(3):
        a, b = Node(s), Node(2 * s)
        items = {a: s * s}
        items[b] = s
        s = s - 0.1 * items[a] * items[b]
    return s * s


def two_objects_of_one_function(s):
    def make(v):
        return Node(v)

    a, b = make(s), make(s)
    visited = set()
    visited.add(a)
    return s if b in visited else s * s
