"""Lists that grow, shrink and move: stacks, queues, heaps, windows, trajectories, and lists of tuples."""
# ruff: noqa: RUF007  (`zip(xs, xs[1:])` is what people post)

import bisect
import heapq
import math
from collections import deque, namedtuple

import numpy as np

from ..case import case

Edge = namedtuple("Edge", "start end weight")


def phase_space_path(x, v, steps=8, dt=0.1):
    path, t = [], 0.0
    for _ in range(steps):
        path.append((t, x, v))
        x, v, t = x + dt * v, v - dt * math.sin(x), t + dt
    action = 0.0
    for (t0, x0, v0), (t1, x1, v1) in zip(path, path[1:]):
        action += (t1 - t0) * (0.25 * (v0 * v0 + v1 * v1) + math.cos(0.5 * (x0 + x1)))
    return action


def adaptive_simpson_stack(a, b, tol=1e-3):
    f = lambda x: math.exp(-x * x) + 0.1 * x
    stack, total = [(a, b, 0)], 0.0
    while stack:
        lo, hi, depth = stack.pop()
        mid, h = (lo + hi) / 2, hi - lo
        coarse = h / 6 * (f(lo) + 4 * f(mid) + f(hi))
        fine = h / 12 * (f(lo) + 4 * f((lo + mid) / 2) + 2 * f(mid) + 4 * f((mid + hi) / 2) + f(hi))
        if abs(fine - coarse) < tol or depth > 6:
            total += fine
        else:
            stack.append((lo, mid, depth + 1))
            stack.append((mid, hi, depth + 1))
    return total


def postfix(tokens, x, y):
    stack = []
    for token in tokens:
        if token == "x":
            stack.append(x)
        elif token == "y":
            stack.append(y)
        elif token == "dup":
            stack.append(stack[-1])
        elif token == "sin":
            stack.append(math.sin(stack.pop()))
        elif token in ("+", "*", "-"):
            b, a = stack.pop(), stack.pop()
            stack.append(a + b if token == "+" else a * b if token == "*" else a - b)
        else:
            stack.append(float(token))
    (result,) = stack
    return result


def stack_machine(program, x):
    stack = [x]
    for step in program:
        match step:
            case ("push", value):
                stack.append(value)
            case ("mul",):
                stack.append(stack.pop() * stack.pop())
            case ("axpy", a):
                u, w = stack.pop(), stack.pop()
                stack.append(a * u + w)
            case ("swap",):
                stack[-1], stack[-2] = stack[-2], stack[-1]
    return stack.pop()


def moving_average(signal, width):
    window, out = deque(maxlen=width), []
    for s in signal:
        window.append(s)
        out.append(sum(window) / len(window))
    return sum(o * o for o in out)


def moving_maximum(signal, width):
    """The monotone queue: candidates for the maximum of a window, largest first."""
    queue, total = deque(), 0.0
    for i, s in enumerate(signal):
        while queue and queue[-1][1] <= s:
            queue.pop()
        queue.append((i, s))
        if queue[0][0] <= i - width:
            queue.popleft()
        total += queue[0][1] ** 2
    return total


def echo(signal, delay, feedback):
    line = deque([0.0] * delay)
    out = 0.0
    for s in signal:
        wet = s + feedback * line.popleft()
        line.append(wet)
        out = 0.9 * out + wet * wet
    return out


def ring_rotation(values, weight):
    ring, total = deque(values), 0.0
    for k in range(2 * len(values)):
        total += ring[0] * ring[-1] * weight**k
        ring.rotate(k % 3 - 1)
    ring.extendleft([weight, total])
    return total + ring[0] * ring[2]


def bank_queue(arrivals, services):
    """Customers at one desk: the sum of the waiting times."""
    waiting, free, total = deque(zip(arrivals, services)), 0.0, 0.0
    while waiting:
        came, needs = waiting.popleft()
        start = max(free, came)
        total += start - came
        free = start + needs
    return total + 0.1 * free


def breadth_first(edges, source, count, damping):
    neighbours = [[] for _ in range(count)]
    for u, v, w in edges:
        neighbours[u].append((v, w))
        neighbours[v].append((u, w))
    level, heat = [-1] * count, [0.0] * count
    level[source], heat[source] = 0, 1.0
    queue = deque([source])
    while queue:
        u = queue.popleft()
        for v, w in neighbours[u]:
            if level[v] < 0:
                level[v] = level[u] + 1
                queue.append(v)
            if level[v] == level[u] + 1:
                heat[v] += damping * w * heat[u]
    return sum(h * (d + 1) for h, d in zip(heat, level))


def dijkstra(edges, count):
    neighbours = [[] for _ in range(count)]
    for edge in [Edge(*e) for e in edges]:
        neighbours[edge.start].append((edge.end, edge.weight))
    best = [math.inf] * count
    best[0] = 0.0
    heap = [(0.0, 0)]
    while heap:
        distance, u = heapq.heappop(heap)
        if distance > best[u]:
            continue
        for v, weight in neighbours[u]:
            if distance + weight < best[v]:
                best[v] = distance + weight
                heapq.heappush(heap, (best[v], v))
    return sum(b * b for b in best)


def bellman_ford(edges, count, source=0):
    distance = [1e3] * count
    distance[source] = 0
    for _ in range(count - 1):
        for u, v, w in edges:
            distance[v] = min(distance[v], distance[u] + w)
    return distance[-1] + 0.5 * distance[1]


def event_simulation(rates, horizon):
    """Events in the order of their times; each schedules the next of its kind."""
    events = []
    for kind, rate in enumerate(rates):
        heapq.heappush(events, (1.0 / rate, kind))
    level, last, area = 1.0, 0.0, 0.0
    while events[0][0] < horizon:
        time, kind = heapq.heappop(events)
        area += level * (time - last)
        level, last = (level * 0.8 if kind == 0 else level + 0.3 * rates[kind]), time
        heapq.heappush(events, (time + 1.0 / rates[kind], kind))
    return area + level * (horizon - last)


def huffman_cost(frequencies):
    heap = [f * f for f in frequencies]
    heapq.heapify(heap)
    cost = 0.0
    while len(heap) > 1:
        merged = heapq.heappop(heap) + heapq.heappop(heap)
        cost += merged * math.log(merged + 1)
        heapq.heappush(heap, merged)
    return cost


def running_median(values):
    ordered, total = [], 0.0
    for v in values:
        bisect.insort(ordered, v)
        n = len(ordered)
        total += ordered[n // 2] if n % 2 else 0.5 * (ordered[n // 2 - 1] + ordered[n // 2])
    return total + ordered[0] * ordered[-1]


def trimmed_mean(values, cut=1):
    ordered = sorted(values)
    del ordered[:cut]
    del ordered[-cut:]
    return sum(x * x for x in ordered) / len(ordered)


def top_contributions(values, k=2):
    return (
        sum(r * v for r, v in enumerate(heapq.nlargest(k, [v * v for v in values]), 1))
        + heapq.nsmallest(1, values)[0]
    )


def insertion_sort_energy(values):
    values = list(values)
    for i in range(1, len(values)):
        item, j = values[i], i
        while j > 0 and values[j - 1] > item:
            values[j] = values[j - 1]
            j -= 1
        values[j] = item
    return sum((k + 1) * v * v for k, v in enumerate(values))


def sort_in_place(points):
    pairs = []
    for x, y in points:
        pairs.append((x * y, math.hypot(x, y)))
    pairs.sort(key=lambda p: p[1], reverse=True)
    products, lengths = zip(*pairs)
    return sum(p * n for p, n in zip(products, lengths[1:])) + products[0]


def convex_hull_area(points):
    """Andrew's monotone chain, and the shoelace formula."""
    ordered = sorted(points)
    hull = []
    for chain in (ordered, ordered[::-1]):
        start = len(hull)
        for x, y in chain:
            while len(hull) - start >= 2:
                (ax, ay), (bx, by) = hull[-2], hull[-1]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                    break
                hull.pop()
            hull.append((x, y))
        hull.pop()
    area = 0.0
    for k, (x, y) in enumerate(hull):
        nx, ny = hull[(k + 1) % len(hull)]
        area += x * ny - nx * y
    return 0.5 * area


def clipped_polygon_area(polygon, level):
    """Sutherland and Hodgman: the part of a polygon to the left of a line."""
    kept = []
    for k in range(len(polygon)):
        (x0, y0), (x1, y1) = polygon[k - 1], polygon[k]
        if (x0 < level) != (x1 < level):
            s = (level - x0) / (x1 - x0)
            kept.append((level, y0 + s * (y1 - y0)))
        if x1 < level:
            kept.append((x1, y1))
    return 0.5 * sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(kept, kept[1:] + kept[:1]))


def grouped_means(pairs, groups):
    buckets = [[] for _ in range(groups)]
    for key, value in pairs:
        buckets[key].append(value)
    means = [sum(b) / len(b) for b in buckets if b]
    return sum(m * m for m in means) * len(means)


def simplex_step(simplex):
    """One step of Nelder and Mead on points with their values."""

    def value(p):
        return (p[0] - 1.0) ** 2 + 3.0 * (p[1] + 0.5) ** 2

    rated = sorted([(value(p), p[0], p[1]) for p in simplex])
    _, wx, wy = rated.pop()
    cx, cy = sum(r[1] for r in rated) / 2, sum(r[2] for r in rated) / 2
    rated.insert(0, (value((2 * cx - wx, 2 * cy - wy)), 2 * cx - wx, 2 * cy - wy))
    return rated[0][0] + rated[1][0] * rated[2][1] + rated[0][2]


def table_of_samples(xs):
    rows = []
    for x in xs:
        rows.append((x, x * x, math.exp(-x)))
    table = np.array(rows)
    return (table[:, 0] * table[:, 2]).sum() + table[:, 1].max()


def undo_and_redo(values, factor):
    done, undone, x = [], [], 1.0
    for v in values:
        done.append(x)
        x = x * v if v > 0 else x + factor * v
        if x > 2.0 and done:
            undone.append(x)
            x = done.pop()
    while undone:
        x += factor * undone.pop(0)
    return x * x


def spliced(values, x):
    chain = [v * x for v in values]
    chain[1:3] = [x, x * x, x**3]
    chain[::2] = [c + 1.0 for c in chain[::2]]
    del chain[-2:]
    chain += [chain[0] * chain[1]]
    chain.reverse()
    chain.remove(chain[2])
    chain.extend(c * 0.5 for c in chain[:2])
    return sum((k + 1) * c for k, c in enumerate(chain)) + chain.index(chain[1]) * x


def ancestors(parents, weights, node):
    """A path to the root, and what is collected on the way back."""
    path = [node]
    while parents[path[-1]] >= 0:
        path.append(parents[path[-1]])
    product, total = 1.0, 0.0
    while path:
        product *= weights[path.pop()]
        total += product
    return total


def topological_values(inputs, edges, count):
    incoming, users = [0] * count, [[] for _ in range(count)]
    for u, v, _ in edges:
        incoming[v] += 1
        users[u].append(v)
    value = [*inputs, *[0] * (count - len(inputs))]
    ready = deque(k for k in range(count) if incoming[k] == 0)
    while ready:
        u = ready.popleft()
        for a, v, w in edges:
            if a == u:
                value[v] += w * math.tanh(value[u])
        for v in users[u]:
            incoming[v] -= 1
            if incoming[v] == 0:
                ready.append(v)
    return value[-1]


_GRAPH = lambda rng: [(0, 1, 0.7), (0, 2, 1.9), (1, 2, 0.6), (2, 3, 1.1), (1, 3, 2.5)]
_POINTS = lambda rng: [(0.1, 0.2), (2.1, 0.0), (1.9, 1.7), (0.3, 1.4), (1.1, 0.8)]
_PROGRAM = (("push", 2.0), ("mul",), ("push", 3.0), ("swap",), ("axpy", 0.5), ("push", 1.5), ("mul",))

CASES = (
    case(phase_space_path, lambda rng: (0.8, 0.3), wrt=(0, 1)),
    case(adaptive_simpson_stack, lambda rng: (-0.7, 1.9), wrt=(0, 1)),
    case(postfix, lambda rng: ("x dup * y sin + 3.5 x - *".split(), 1.3, 0.4), wrt=(1, 2)),
    case(stack_machine, lambda rng: (_PROGRAM, 1.7), wrt=(1,)),
    case(moving_average, lambda rng: (list(rng.normal(size=7)), 3), wrt=(0,)),
    case(moving_maximum, lambda rng: (list(rng.normal(size=8)), 3), wrt=(0,)),
    case(echo, lambda rng: (list(rng.normal(size=9)), 3, 0.6), wrt=(0, 2)),
    case(ring_rotation, lambda rng: ([0.5, 1.2, -0.7, 2.0], 0.9), wrt=(0, 1)),
    case(bank_queue, lambda rng: ([0.1, 0.4, 2.9, 3.0], [1.1, 0.9, 0.5, 0.7]), wrt=(0, 1)),
    case(breadth_first, lambda rng: (_GRAPH(rng), 0, 4, 0.8), wrt=(0, 3)),
    case(dijkstra, lambda rng: (_GRAPH(rng), 4), wrt=(0,)),
    case(bellman_ford, lambda rng: (_GRAPH(rng), 4), wrt=(0,)),
    case(event_simulation, lambda rng: ([1.1, 0.7, 0.45], 4.0), wrt=(0, 1)),
    case(huffman_cost, lambda rng: ([0.9, 0.3, 1.4, 0.5, 0.7],)),
    case(running_median, lambda rng: (list(rng.normal(size=6)),)),
    case(trimmed_mean, lambda rng: (list(rng.normal(size=6)),)),
    case(top_contributions, lambda rng: ([0.4, -1.9, 1.1, 0.2],)),
    case(insertion_sort_energy, lambda rng: (rng.normal(size=5),)),
    case(sort_in_place, lambda rng: (_POINTS(rng),)),
    case(convex_hull_area, lambda rng: (_POINTS(rng),)),
    case(clipped_polygon_area, lambda rng: (_POINTS(rng)[:4], 1.2), wrt=(0, 1)),
    case(grouped_means, lambda rng: ([(0, 0.4), (2, 1.1), (0, -0.3), (2, 0.8)], 3), wrt=(0,)),
    case(simplex_step, lambda rng: ([(0.0, 0.1), (1.2, 0.3), (0.4, -0.9)],)),
    case(table_of_samples, lambda rng: ([0.3, 1.2, -0.4],)),
    case(undo_and_redo, lambda rng: ([1.5, -0.4, 1.9, 1.2, -0.3], 0.7), wrt=(0, 1)),
    case(spliced, lambda rng: ([0.4, 1.3, -0.8, 0.6], 1.4), wrt=(0, 1)),
    case(ancestors, lambda rng: ([-1, 0, 1, 1], [0.9, 1.4, 0.3, 0.8], 3), wrt=(1,)),
    case(
        topological_values,
        lambda rng: ([0.4, -0.7], [(0, 2, 1.2), (1, 2, 0.8), (2, 3, 0.9), (0, 3, -0.4)], 4),
        wrt=(0, 1),
    ),
)
