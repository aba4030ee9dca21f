"""Objects in dicts under computed keys: open and closed sets of searches, tables of nodes."""

import math


class Node:
    def __init__(self, x, y, cost, parent):
        self.x, self.y, self.cost, self.parent = x, y, cost, parent


class AStarPlanner:
    def __init__(self, weight, size):
        self.weight, self.size, self.motion = weight, size, self.get_motion_model()

    def planning(self, goal):
        end = Node(goal[0], goal[1], 0.0, -1)
        start = Node(0, 0, 0.0, -1)
        open_set, closed_set = {}, {}
        open_set[self.index_of(start)] = start
        while True:
            if len(open_set) == 0:
                break
            at = min(open_set, key=lambda k: open_set[k].cost + self.heuristic(end, open_set[k]))
            current = open_set[at]
            if current.x == end.x and current.y == end.y:
                end.parent, end.cost = current.parent, current.cost
                break
            del open_set[at]
            closed_set[at] = current
            for i, _ in enumerate(self.motion):
                x, y = current.x + self.motion[i][0], current.y + self.motion[i][1]
                node = Node(x, y, current.cost + self.weight * self.motion[i][2], at)
                index = self.index_of(node)
                if not self.verify(node) or index in closed_set:
                    continue
                if index not in open_set or open_set[index].cost > node.cost:
                    open_set[index] = node
        return end.cost + len(closed_set) + end.parent

    def index_of(self, node):
        return node.y * self.size + node.x

    def verify(self, node):
        return 0 <= node.x < self.size and 0 <= node.y < self.size

    @staticmethod
    def heuristic(a, b):
        return 0.5 * math.hypot(a.x - b.x, a.y - b.y)

    @staticmethod
    def get_motion_model():
        return [[1, 0, 1], [0, 1, 1], [1, 1, math.sqrt(2)]]


def a_star(s):
    return AStarPlanner(s, 3).planning((1, 2))


def the_dearest_node(s, n=4):
    table = {0: Node(0, 0, 0.0, -1)}
    for i in range(n):
        table[i * 2] = Node(i, 0, s**i, -1)
    at = max(table, key=lambda k: table[k].cost)
    return table[at].cost * at


def a_chain(s):
    table = {0: Node(0, 0, 0.0, -1)}
    for _ in range(3):
        at = max(table)
        last = table[at].cost
        node = Node(at + 1, 0, last**2 + s, at)
        if node.x not in table or table[node.x].cost > node.cost:
            table[node.x] = node
        del table[at]
    return last


def every_way_to_read(s):
    table, total, best = {}, 0.0, None
    for i in range(3):
        table[i * 2] = Node(i, 0, s * i + s, -1)
    for k, node in table.items():
        total = total + node.cost * (k + 1) + node.x
    for node in table.values():
        total = total + node.cost**2
    taken, found, other = table.pop(4), table.get(2), table.get(7, Node(1, 0, s**2, -1))
    k, last = table.popitem()
    for node in table.values():
        if best is None or node.cost < best.cost:
            best = node
    table[9], table[10] = taken, best
    return total + taken.cost * found.cost + other.cost + last.cost * k + table[9].cost + table[10].cost
