"""Trees, linked lists and graphs of objects: back pointers, heads and tails, nodes by number, objects that may be None."""


class Node:
    def __init__(self, v):
        self.v = v
        self.next = None


class Tree:
    def __init__(self, v):
        self.v = v
        self.parent = None
        self.children = []

    def add(self, child):
        child.parent = self
        self.children.append(child)
        return child

    def total(self):
        return self.v + sum(child.total() for child in self.children)


class Chain:
    def __init__(self):
        self.head = None
        self.tail = None

    def append(self, v):
        node = Node(v)
        if self.head is None:
            self.head = node
        else:
            self.tail.next = node
        self.tail = node


class Stack:
    def __init__(self):
        self.head = None
        self.size = 0

    def push(self, v):
        self.head = (v, self.head)
        self.size += 1

    def total(self):
        total, rest = 0.0, self.head
        while rest is not None:
            total += rest[0] ** 2
            rest = rest[1]
        return total


class Holder:
    def __init__(self):
        self.current = None

    def feed(self, v):
        if v > 0:
            self.current = Node(v)
        else:
            self.current = None
        if self.current is not None:
            self.current.v = self.current.v * v
        return 0.0 if self.current is None else self.current.v


def back_pointers(s):
    root = Tree(s)
    child = root.add(Tree(s * s))
    grandchild = child.add(Tree(2.0))
    return child.parent.v * root.children[0].v * grandchild.parent.parent.v


def a_tree_in_total(s):
    root = Tree(s)
    child = root.add(Tree(s * s))
    child.add(Tree(2.0 * s))
    return root.total() * s


def pushed(s):
    stack = Stack()
    for k in range(4):
        stack.push(s * k)
    return stack.total() * stack.size


def appended(s):
    chain = Chain()
    for v in (s, s * s, 2.0):
        chain.append(v)
    total, node = 0.0, chain.head
    while node is not None:
        total += node.v**2
        node = node.next
    return total


def sorted_by_numbers(x):
    count = len(x)
    left, right = [-1] * count, [-1] * count
    for i in range(1, count):
        j = 0
        while True:
            if x[i] < x[j]:
                if left[j] < 0:
                    left[j] = i
                    break
                j = left[j]
            else:
                if right[j] < 0:
                    right[j] = i
                    break
                j = right[j]

    def total(j, w):
        if j < 0:
            return 0.0
        return w * x[j] ** 2 + total(left[j], 2 * w) + total(right[j], 3 * w)

    return total(0, 1.0)


def set_where_it_may_be_none(s):
    best = None
    for k in range(3):
        if k == 1:
            best = Node(s * k)
    best.v = best.v * s
    return best.v * s


def held_or_not(s):
    holder = Holder()
    return holder.feed(s) * holder.feed(s * s) + holder.feed(-s)
