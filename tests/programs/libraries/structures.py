"""Recursive and linked structures, lists of functions, tables by name, nested containers."""

import itertools
import math
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass
from enum import Enum

import numpy as np


class Node:
    def __init__(self, value, left=None, right=None):
        self.value, self.left, self.right = value, left, right


def total(node):
    return 0.0 if node is None else node.value + total(node.left) + total(node.right)


def depth_weighted(node, depth=1):
    if node is None:
        return 0.0
    return depth * node.value**2 + depth_weighted(node.left, depth + 1) + depth_weighted(node.right, depth + 1)


def a_binary_tree(s):
    return total(Node(s, Node(s * s), Node(2.0 * s, Node(3.0 * s), None))) ** 2


def a_tree_by_depth(s):
    return depth_weighted(Node(s, Node(s, Node(s)), Node(1.0)))


TREE = Node(2.0, Node(1.0, None, Node(0.5)), Node(3.0))


def a_tree_outside(s):
    return total(TREE) * s * s


def evaluate(expr, env):
    if isinstance(expr, str):
        return env[expr]
    if isinstance(expr, (int, float)):
        return expr
    op, *args = expr
    values = [evaluate(a, env) for a in args]
    if op == "add":
        return values[0] + values[1]
    if op == "mul":
        return values[0] * values[1]
    return math.sin(values[0])


def an_expression_tree(s):
    return evaluate(("add", ("mul", "x", "x"), ("sin", ("mul", 2.0, "x"))), {"x": s})


class Op:
    def __add__(self, other):
        return Add(self, other)

    def __mul__(self, other):
        return Mul(self, other)


class Var(Op):
    def eval(self, v):
        return v


class Num(Op):
    def __init__(self, n):
        self.n = n

    def eval(self, v):
        return self.n


class Add(Op):
    def __init__(self, a, b):
        self.a, self.b = a, b

    def eval(self, v):
        return self.a.eval(v) + self.b.eval(v)


class Mul(Add):
    def eval(self, v):
        return self.a.eval(v) * self.b.eval(v)


def symbolic_expression(s):
    x = Var()
    return (x * x + Num(3.0) * x + Num(1.0)).eval(s)


class Linked:
    def __init__(self):
        self.head = None
        self.size = 0

    def push(self, v):
        self.head = (v, self.head)
        self.size += 1

    def sum(self):
        cell, out = self.head, 0.0
        while cell is not None:
            out += cell[0]
            cell = cell[1]
        return out


def a_linked_list(s):
    xs = Linked()
    for k in range(4):
        xs.push(s * (k + 1))
    return xs.sum() * xs.size


def nested_tuples(s):
    t = (s, (s * s, (s**3, None)))
    out = 0.0
    while t is not None:
        out += t[0]
        t = t[1]
    return out


def flatten(v):
    if isinstance(v, list):
        return [leaf for item in v for leaf in flatten(item)]
    return [v]


def flattens_lists(s):
    return sum(leaf * leaf for leaf in flatten([s, [s, [2.0 * s]], [[[s]]]]))


def pairwise_products(x):
    out = 0.0
    for a, b in itertools.combinations(range(3), 2):
        out += x[a] * x[b]
    return out


def a_graph(s):
    edges = {"a": ["b", "c"], "b": ["c"], "c": []}
    weight = {"a": s, "b": s * s, "c": 1.0}
    out = 0.0
    for u, vs in edges.items():
        for v in vs:
            out += weight[u] * weight[v] + s
    return out


def longest_path(s):
    order, edges = ["a", "b", "c", "d"], {"a": [("b", 1.0), ("c", s)], "b": [("d", s)], "c": [("d", 3.0)], "d": []}
    best = dict.fromkeys(order, 0.0)
    for u in order:
        for v, w in edges[u]:
            best[v] = max(best[v], best[u] + w * s)
    return best["d"]


def breadth_first(s):
    queue, out = deque([(s, 0)]), 0.0
    while queue:
        v, level = queue.popleft()
        out += v
        if level < 2:
            queue.append((v * 0.5, level + 1))
            queue.append((v * v * 0.1, level + 1))
    return out


def a_default_dict(s):
    groups = defaultdict(float)
    for k in range(6):
        groups[k % 3] += s * k
    return groups[0] * groups[1] + groups[2]


def an_ordered_dict(s):
    d = OrderedDict()
    d["a"], d["b"] = s, s * s
    out = 1.0
    for v in d.values():
        out = out * v
    return out


Point = namedtuple("Point", "x y")


def named_points(s):
    p, q = Point(s, 1.0), Point(2.0, s * s)
    q = q._replace(x=q.x + p.y)
    return math.hypot(p.x - q.x, p.y - q.y)


@dataclass(order=True)
class Item:
    cost: float
    name: str = "item"


def ordered_dataclasses(s):
    a, b = Item(s, "a"), Item(s * s + 1.0, "b")
    best = a if a < b else b
    return best.cost * 2.0


@dataclass
class Params:
    w: float
    b: float

    def __iter__(self):
        yield self.w
        yield self.b


def unpacks_a_dataclass(s):
    p = Params(s, s * s)
    return p.w * 3.0 + p.b


def a_matrix_of_lists(s):
    m = [[s * (i + j) for j in range(3)] for i in range(3)]
    return sum(m[i][i] for i in range(3)) + m[0][2] * m[2][0]


def transposed_rows(s):
    rows = [(1.0, s), (s, 2.0), (3.0, s * s)]
    firsts, seconds = zip(*rows)
    return sum(firsts) * sum(seconds)


def sorted_by_key(s):
    items = [("b", s * s), ("a", s), ("c", 2.0)]
    return sum((k + 1) * v for k, (_, v) in enumerate(sorted(items, key=lambda item: item[0])))


def a_table_of_functions(s):
    table = {"sin": math.sin, "square": lambda v: v * v, "id": lambda v: v}
    return sum(f(s) for f in table.values())


def a_list_of_functions(s):
    fs = [math.sin, math.cos, lambda v: v**3]
    out = s
    for f in fs:
        out = f(out) + out
    return out


def functions_by_index(s):
    fs = (math.sin, math.exp)
    return fs[0](s) * fs[1](s) + fs[-1](1.0)


def appended_functions(s):
    fs = []
    for k in range(3):
        fs.append(lambda v, k=k: v * (k + 1.0))
    return sum(f(s) ** 2 for f in fs)


def closures_in_a_list(s):
    fs = [lambda v, k=k: v**k for k in range(1, 4)]
    return sum(f(s) for f in fs)


def chained_maps(s):
    c = ChainMap({"a": s}, {"a": 1.0, "b": 2.0})
    return c["a"] * c["b"]


def counted_words(s):
    words = Counter("abracadabra")
    return s ** words["a"] + words["b"] * s


def slices_of_tuples(s):
    t = (s, 2.0, s * s, 4.0)
    head, tail = t[:2], t[2:]
    return sum(head) * sum(tail + head)


def concatenated_tuples(s):
    t = ()
    for k in range(3):
        t = t + (s * k,)
    return t[0] + t[1] * t[2]


def swapped_halves(s):
    t = (1.0, s, 2.0, s * s)
    n = len(t) // 2
    a, b, c, d = t[n:] + t[:n]
    return a * b + c * d


def star_in_the_middle(s):
    first, *middle, last = [s, s * s, 2.0, s**3]
    return first * last + sum(middle)


def block_rows(s):
    q = np.array([[s, 1.0], [0.0, s]])
    return np.sum(np.block([[q, np.zeros((2, 2))], [np.zeros((2, 2)), q]]) ** 2)


def a_dict_of_arrays(x):
    params = {"w": x, "b": np.sum(x)}
    grads = {k: v * 2.0 for k, v in params.items()}
    return np.sum(grads["w"]) + grads["b"] ** 2


def nested_settings(s):
    cfg = {"model": {"layers": [{"n": 2, "w": s}, {"n": 3, "w": s * s}]}, "scale": 2.0}
    return cfg["scale"] * sum(layer["n"] * layer["w"] for layer in cfg["model"]["layers"])


def matches_a_pattern(s):
    shape = ("circle", s)
    match shape:
        case ("square", side):
            return side * side
        case ("circle", radius):
            return math.pi * radius**2
        case _:
            return 0.0


def a_polynomial_by_dict(s):
    poly = {0: 1.0, 2: 3.0, 5: -0.5}
    return sum(c * s**k for k, c in poly.items())


def multiplied_polynomials(s):
    a, b = [1.0, s], [s, 0.0, 2.0]
    out = [0.0] * (len(a) + len(b) - 1)
    for i, u in enumerate(a):
        for j, v in enumerate(b):
            out[i + j] += u * v
    return sum(out)


def a_pascal_triangle(s):
    row = [1.0]
    for _ in range(4):
        row = [a + b * s for a, b in zip([0.0] + row, row + [0.0])]
    return sum(row)


def removes_while_it_looks(s):
    todo, out = [s, 2.0 * s, 3.0], 0.0
    while len(todo) > 1:
        a, b = todo.pop(0), todo.pop(0)
        out += a * b
        if len(todo) < 2:
            break
        todo.append(a + b)
    return out


def recursion_on_slices(x):
    def go(v):
        return v[0] if len(v) == 1 else v[0] * go(v[1:]) + 1.0

    return go(x)


def hanoi_weights(s):
    def move(n, w):
        return 0.0 if n == 0 else move(n - 1, w * 0.5) + w * w + move(n - 1, w)

    return move(3, s)


def accumulates(s):
    out = 0.0
    for v in itertools.accumulate([s, 2.0, s * s]):
        out += v
    return out


def a_product_of_ranges(s):
    return sum(s ** (i + j) for i, j in itertools.product(range(2), range(2)))


def grouped_pairs(s):
    xs = [s, 2.0 * s, 3.0 * s, 4.0]
    return sum(a * b for a, b in zip(xs[::2], xs[1::2]))


def cycles_through_weights(s):
    out, weights = 0.0, itertools.cycle((1.0, -0.5))
    for k in range(4):
        out += next(weights) * s ** (k + 1)
    return out


def partial_sums_are_kept(x):
    total, sums = 0.0, []
    for k in range(len(x)):
        total += np.sin(x * k)
        sums.append(total)  # one array from the first iteration on
    return np.sum(sums[0] * sums[-1])


def partial_sums_of_nested_loops(x):
    total, sums = 0, []
    for i in range(2):
        for j in range(3):
            total += x * (i + j + 1)
            sums.append(total)
    return np.sum(sums[0] * sums[-1])


def partial_sums_in_a_while_loop(x):
    total, sums, k = 0, {}, 0
    while k < 3:
        total += x * (k + 1)
        sums[k] = total
        k += 1
    return np.sum(sums[0] * sums[2])


class RunningTotal:
    def __init__(self):
        self.total, self.history = 0.0, []

    def add(self, v):
        self.total += v
        self.history.append(self.total)


def a_running_total(x):
    running = RunningTotal()
    for k in range(3):
        running.add(x * k)
    return np.sum(running.history[0] * running.history[1] + running.history[-1])


def a_simplex_of_points_and_values(x):
    f = lambda p: np.sum((p - 1) ** 2)
    points = [[p, f(p)] for p in (x, x * 1.1, x * 0.9)]
    for _ in range(3):
        points.sort(key=lambda p: p[1])
        centre = (points[0][0] + points[1][0]) / 2
        reflected = centre + (centre - points[-1][0])
        value = f(reflected)
        if value < points[-1][1]:
            del points[-1]
            points.append([reflected, value])
    return points[0][1] + np.sum(points[-1][0])


def pairs_change_places(x):
    pairs = [[x, x[0]], [x * 1.1, x[1] * 2]]
    pairs[0], pairs[1] = pairs[1], pairs[0]
    return pairs[0][1] + np.sum(pairs[-1][0] ** 2)


def functions_beside_numbers(x):
    out = np.zeros(3)
    for i, (f, v) in enumerate(zip([np.sin, np.exp, lambda v: v * v], x)):
        out[i] = f(v) * x[i]
    return np.sum(out * out)


def a_zip_that_is_left(x):
    total = 0.0
    for f, v in zip([math.sin, math.exp, math.cos, math.tan], x):
        if v > 2:
            break
        total += f(v) * x[0]
    return total


def weights_in_turn(s):
    weights = itertools.cycle((s, s * s, 2.0))
    first, total = next(weights) * next(weights), 0.0
    while total < 30:
        total += first * next(weights) + 1
    return total


def numbered_on_demand(s):
    numbers, total = itertools.count(1), 0.0
    for k in range(3):
        if s * k > 1:
            total += next(numbers) * s**k
    return total * next(numbers)


class Shade(Enum):
    RED = 1
    BLUE = 2

    @property
    def weight(self):
        return 2.0 if self is Shade.RED else 3.0


def members_of_an_enumeration(s):
    return sum(shade.weight * s**shade.value for shade in Shade)


def a_determinant_by_permutations(x):
    A, out = np.outer(x, x) + np.diag(x), 0.0
    for p in itertools.permutations(range(3)):
        sign = 1
        for i in range(3):
            for j in range(i):
                sign *= 1 if p[j] < p[i] else -1
        out += sign * math.prod(A[i, p[i]] for i in range(3))
    return out


class Split:
    def __init__(self, threshold=None, left=None, right=None, value=None):
        self.threshold, self.left, self.right, self.value = threshold, left, right, value

    def is_leaf(self):
        return self.value is not None


class RegressionTree:
    def __init__(self, depth):
        self.depth, self.root, self.nodes = depth, None, 0

    def fit(self, X, y):
        self.root = self._grow(X, y, 0)
        return self

    def _grow(self, X, y, depth):
        self.nodes += 1
        if depth >= self.depth or len(y) < 2:
            return Split(value=np.mean(y))
        threshold = np.median(X)
        below = X <= threshold
        return Split(
            threshold, self._grow(X[below], y[below], depth + 1), self._grow(X[~below], y[~below], depth + 1)
        )

    def _walk(self, v, node):
        if node.is_leaf():
            return node.value
        return self._walk(v, node.left if v <= node.threshold else node.right)

    def predict(self, X):
        return np.array([self._walk(v, self.root) for v in X])


def a_regression_tree(x):
    tree = RegressionTree(2).fit(np.array([1.0, 2.0, 3.0]), x)
    return np.sum(tree.predict(np.array([1.0, 2.5, 3.0])) ** 2) + tree.nodes


class Pooling:
    def __init__(self, widths):
        self.widths = widths

    def __call__(self, images):
        shape, cells = images.shape[:2], 1.0
        for i in [0, 1]:
            width, size = self.widths[i], images.shape[i + 2]  # which size, the loop says
            shape += (size // width, width)
            cells *= size / width
        return np.max(np.max(images.reshape(shape), axis=3), axis=4) / cells


def pooling_by_sizes(x):
    corners = np.concatenate([x, x[:1] * x[1:2]])
    return np.sum(Pooling((2, 4))(np.outer(corners, np.arange(8.0)).reshape(2, 2, 2, 4) ** 2))


def largest_size(x):
    images, best = np.outer(x, x[:2]), 0
    for k in range(1, 2):
        if images.shape[k] < images.shape[best]:
            best = k
    return np.sum(images * images.shape[best])
