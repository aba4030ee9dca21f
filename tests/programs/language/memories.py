"""What programs remember under keys of several parts: solved cells of a table, pairs that were seen, costs of edges."""

import numpy as np

from ..case import case


def lattice_paths(x):
    solved = {}

    def paths(i, j):
        if (i, j) in solved:
            return solved[i, j]
        found = x[i] * x[j] if i == 0 or j == 0 else paths(i - 1, j) + paths(i, j - 1) * x[i]
        solved[i, j] = found
        return found

    return paths(2, 2)


def cheapest_route(toll, length):
    roads = {"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}
    price = {("a", "b"): toll[0], ("a", "c"): toll[1] * length, ("b", "d"): toll[2], ("c", "d"): toll[0] * toll[1]}
    best = {}

    def cost(place):
        if place in best:
            return best[place]
        found = min([price[place, other] + cost(other) for other in roads[place]]) if roads[place] else 0.0
        best[place] = found
        return found

    return cost("a")


def first_meetings(x):
    met = set()
    total = 0.0
    for one, other in [(0, 1), (1, 0), (0, 1), (2, 0)]:
        if (one, other) in met:
            continue
        met.add((one, other))
        total += x[one] * x[other] ** 2
    return total


def marked_cells(x):
    total = 0.0
    for i in range(3):
        for j in range(3):
            if (i, j) in [(0, 1), (1, 2)]:
                total += x[i] * x[j]
            if (i, j) not in ((0, 0), (2, (2,))):
                total += np.sin(x[i])
    return total


def symmetric_table(x):
    table = {}
    for i in range(3):
        for j in range(i, 3):
            table[i, j] = x[i] * x[j] ** 2
            if (j, i) not in table:
                table[(j, i)] = table[i, j] * 2.0
    return sum(table.values()) + table[2, 0] * len(table)


CASES = (
    case(lattice_paths, lambda rng: (rng.uniform(0.5, 1.5, size=3),)),
    case(cheapest_route, lambda rng: (rng.uniform(0.5, 1.5, size=3), 1.3)),
    case(first_meetings, lambda rng: (rng.normal(size=3),)),
    case(marked_cells, lambda rng: (rng.normal(size=3),)),
    case(symmetric_table, lambda rng: (rng.normal(size=3),)),
)
