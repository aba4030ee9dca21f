"""Random Python programs over floats, vectors, matrices and lists: what the compiler promises to differentiate.

``Generator(random).program()`` gives the text of a module with helper functions and a function ``f(a, b, m, x, y)`` of
two vectors, a matrix and two numbers. All values stay bounded and no division comes near zero, so that differences are
a fair judge. Every program is valid Python; what it does to memory is as wild as its author could think of: views of
views, aliases, exchanged buffers, overlapping windows, stores under branches, in loops and in callees.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

HELPERS = '''import numpy as np


def bend(u, v):
    return np.tanh(u * v) + 0.3 * u


def blend(p, u):
    q = 0.5 * p
    q[0] = q[0] * u
    return np.sin(q)


def damp(p, u):
    p *= 0.9
    p[0] += 0.2 * u


def shift(p, u):
    for k in range(1, len(p)):
        p[k] = 0.5 * p[k] + 0.4 * p[k - 1] * np.sin(u)
    return p[-1]


def row_of(q, k):
    return q[k]


def steps(u, n):
    if n == 0:
        return np.sin(u)
    return 0.7 * steps(u, n - 1) + 0.1 * u * u


'''
SCALAR = ()
Shape = tuple[int, ...]


@dataclass
class Variable:
    """A name, and the shape of what it holds: () is a float; ``kind`` "list" is a list of values of that shape."""

    name: str
    shape: Shape
    kind: str = "value"


@dataclass
class Generator:
    """Draws one program. ``memory`` is the share of statements that write into arrays."""

    random: Random | Any
    memory: float = 0.6
    variables: list[Variable] = field(default_factory=list)
    indices: list[tuple[str, int]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    depth: int = 0
    loops: int = 0
    count: int = 0

    # --- the program

    def program(self, length: int = 8) -> tuple[str, str | None]:
        """The text of a module that defines ``f``, and the name of the argument to differentiate (None: the result)."""
        self.variables = [Variable(n, s) for n, s in (("a", (4,)), ("b", (4,)), ("m", (3, 4)), ("x", ()), ("y", ()))]
        self.lines = ["def f(a, b, m, x, y):"]
        with self.block():
            self.statements(length)
            of = self.pick([None, None, None, "a", "m"])
            if of is None or self.chance(0.5):
                self.line(f"return {self.result()}")
        return HELPERS + "\n".join(self.lines) + "\n", of

    def result(self) -> str:
        """The returned value: mostly everything that is in sight, as one number."""
        if self.chance(0.2):
            return f"{self.vector(4)}, {self.scalar()}"
        if self.chance(0.15):
            return self.array((3, 4))
        terms = []
        for v in self.variables:
            if v.kind == "value":
                terms.append(v.name if v.shape == () else f"np.sum(np.sin({v.name}))")
        return " + ".join(terms)

    def statements(self, length: int) -> None:
        """Some statements."""
        for _ in range(max(1, length)):
            compound = self.depth < 4 and self.chance(0.28)
            if compound:
                self.pick([self.branch, self.for_range, self.for_range, self.while_loop, self.for_rows, self.for_items])()
            elif self.chance(self.memory):
                self.pick(self.stores())()
            else:
                self.pick([self.assign, self.assign, self.fresh, self.bind, self.bind, self.lists, self.update])()

    def stores(self) -> list[Callable[[], None]]:
        """The statements that change memory, and those that make windows into it."""
        return [
            self.store_item, self.store_item, self.store_window, self.store_window, self.whole, self.whole, self.view,
            self.view, self.alias, self.swap, self.overlap, self.call_writer, self.numpy_store, self.row_store,
            self.keep, self.guarded,
        ]  # fmt: skip

    # --- drawing

    def chance(self, p: float) -> bool:
        """True with this probability."""
        return self.random.random() < p

    def pick(self, items: list[Any]) -> Any:
        """One of the items."""
        return items[self.random.randrange(len(items))]

    def new(self, shape: Shape, kind: str = "value") -> str:
        """A fresh name."""
        self.count += 1
        name = f"{'s' if shape == () else 'v' if len(shape) == 1 else 'q'}{self.count}"
        self.variables.append(Variable(name, shape, kind))
        return name

    def line(self, text: str) -> None:
        """Append a line at the current depth."""
        self.lines.append("    " * self.depth + text)

    @contextmanager
    def block(self) -> Iterator[None]:
        """A nested block; what it defines is not seen behind it."""
        variables, indices = list(self.variables), list(self.indices)
        self.depth += 1
        yield
        self.depth -= 1
        self.variables, self.indices = variables, indices

    def known(self, shape: Shape | None = None, rank: int | None = None) -> list[Variable]:
        """The variables of a shape, or rank, in sight."""
        return [
            v for v in self.variables
            if v.kind == "value" and (shape is None or v.shape == shape) and (rank is None or len(v.shape) == rank)
        ]  # fmt: skip

    # --- expressions

    def number(self) -> str:
        """A literal."""
        return str(self.random.randrange(-9, 10) / 10 + 0.05)

    def index(self, n: int) -> str:
        """An index into an axis of n items: a literal or a loop variable."""
        usable = [name for name, bound in self.indices if bound <= n]
        if usable and self.chance(0.6):
            name = self.pick(usable)
            return self.pick([name, name, f"-{name} - 1", f"{n - 1} - {name}"])
        return str(self.random.randrange(-n, n))

    def scalar(self, depth: int = 2) -> str:
        """An expression for a number."""
        if depth == 0 or self.chance(0.25):
            return self.leaf()
        u, v = self.scalar(depth - 1), self.scalar(depth - 1)
        v1 = self.pick(self.known(rank=1))
        return self.pick([
            f"0.5 * ({u}) - 0.4 * ({v})", f"np.sin({u})", f"np.tanh(({u}) * ({v}))", f"({u}) / (1.5 + ({v}) ** 2)",
            f"bend({u}, {v})", f"np.tanh({v1.name}.sum())", f"np.sin({self.vector(4, 0)} @ {self.vector(4, 0)})",
            f"steps(np.sin({u}), {self.random.randrange(3)})", f"np.tanh(np.mean({v1.name}) * ({u}))",
            f"np.exp(-({u}) ** 2)", f"max({u}, {v})" if self.chance(0.3) else f"np.cos({u})",
        ])  # fmt: skip

    def leaf(self) -> str:
        """A number that is at hand."""
        choice = self.random.randrange(8)
        if choice == 0:
            return self.number()
        if choice < 4:
            return self.pick(self.known(SCALAR)).name
        if choice < 7:
            v = self.pick(self.known(rank=1))
            return f"{v.name}[{self.index(v.shape[0])}]"
        m = self.pick(self.known(rank=2))
        return f"{m.name}[{self.index(m.shape[0])}, {self.index(m.shape[1])}]"

    def vector(self, n: int, depth: int = 2) -> str:
        """An expression for a vector of n items."""
        windows = self.windows((n,))
        if windows and (depth == 0 or self.chance(0.35)):
            return self.pick(windows)
        if depth == 0:
            return f"np.full({n}, {self.leaf()})"
        p, q, u = self.vector(n, depth - 1), self.vector(n, depth - 1), self.scalar(depth - 1)
        choices = [
            f"({u}) * {p}", f"0.6 * ({p}) - 0.4 * {q}", f"np.sin({p})", f"np.tanh(({p}) * ({q}))", f"({p})[::-1]",
            f"np.where({p} > 0.137, {q}, 0.5 * {p})", f"np.array([{', '.join(self.leaf() for _ in range(n))}])",
            f"({p}).copy()", f"np.roll({p}, 1)", f"blend({p}, {u})", f"({p}) / (1.2 + ({q}) ** 2)",
        ]  # fmt: skip
        for m in self.known(rank=2):
            if m.shape[0] == n:
                choices.append(f"0.3 * ({m.name} @ {self.vector(m.shape[1], 0)})")
        return self.pick(choices)

    def array(self, shape: Shape, depth: int = 1) -> str:
        """An expression for an array of a shape."""
        if shape == SCALAR:
            return self.scalar()
        if len(shape) == 1:
            return self.vector(shape[0], depth + 1)
        windows = self.windows(shape)
        if windows and (depth == 0 or self.chance(0.4)):
            return self.pick(windows)
        if depth == 0:
            return f"np.full({shape}, {self.leaf()})"
        p, q = self.array(shape, depth - 1), self.array(shape, depth - 1)
        return self.pick([
            f"np.sin({p})", f"0.5 * ({p}) + 0.3 * {q}", f"({self.leaf()}) * {p}", f"np.tanh(({p}) * ({q}))",
            f"({p}) * {self.vector(shape[1], 1)}", f"0.7 * np.outer({self.vector(shape[0], 0)}, {self.vector(shape[1], 0)})",
        ])  # fmt: skip

    def windows(self, shape: Shape, only: str = "") -> list[str]:
        """Windows of that shape into the arrays in sight, whole arrays included."""
        found = []
        for v in self.known():
            if only and v.name != only or v.shape == ():
                continue
            if v.shape == shape:
                found += [v.name] * 2
            if len(shape) == len(v.shape) == 1:
                found += self.slices(v.name, v.shape[0], shape[0])
            if len(shape) == 1 and len(v.shape) == 2:
                if v.shape[1] == shape[0]:
                    found += [f"{v.name}[{self.index(v.shape[0])}]"] * 2
                if v.shape[0] == shape[0]:
                    found.append(f"{v.name}[:, {self.index(v.shape[1])}]")
                if v.shape[1] == shape[0] + 1:
                    found.append(f"{v.name}[{self.index(v.shape[0])}, 1:]")
            if len(shape) == len(v.shape) == 2:
                if v.shape == shape[::-1]:
                    found.append(f"{v.name}.T")
                if v.shape == shape:
                    found.append(f"{v.name}[::-1]")
                if v.shape == (shape[0] + 1, shape[1]):
                    found += [f"{v.name}[1:]", f"{v.name}[:-1]"]
        return found

    @staticmethod
    def slices(name: str, have: int, want: int) -> list[str]:
        """The slices of ``have`` items that give ``want``."""
        texts = {
            0: ["[:]", "[::-1]"], 1: ["[1:]", "[:-1]", "[:0:-1]"], 2: ["[1:-1]", "[2:]", "[:-2]"],
        }.get(have - want, [])  # fmt: skip
        if want == (have + 1) // 2 and have > 2:
            texts = [*texts, "[::2]"]
        return [name + text for text in texts]

    @staticmethod
    def apart(value: str) -> str:
        """A vector to be stored in a window. NumPy copies a window of another stride item by item, also where it
        overlaps the target (one axis is taken to need no buffer), which is not what the statement says."""
        window = re.fullmatch(r"\w+(\[[^()]*\])*(\.T)?(\[[^()]*\])*", value)
        return f"({value}).copy()" if window else value

    def condition(self) -> str:
        """A test."""
        tests = [f"{self.leaf()} > {self.number()}37", f"{self.leaf()} < {self.leaf()}"]
        if self.indices:
            name = self.pick(self.indices)[0]
            tests += [f"{name} > 0", f"{name} % 2 == 0"]
        return self.pick(tests)

    # --- plain statements

    def assign(self) -> None:
        """``s = ...`` to an old or a new name."""
        text = self.scalar()
        olds = self.known(SCALAR)
        self.line(f"{self.pick(olds).name if self.chance(0.6) else self.new(SCALAR)} = {text}")

    def update(self) -> None:
        """``s = s * 0.5 + ...``."""
        s = self.pick(self.known(SCALAR)).name
        self.line(self.pick([f"{s} += 0.3 * ({self.scalar(1)})", f"{s} *= np.cos({self.leaf()})", f"{s} -= 0.1 * {self.leaf()}"]))

    def fresh(self) -> None:
        """A new array of its own."""
        shape = self.pick([(4,), (4,), (3,), (3, 4)])
        text = self.pick([f"np.zeros({shape})", f"np.sin({self.array(shape)})", f"0.5 * {self.array(shape)}"])
        self.line(f"{self.new(shape)} = {text}")

    def bind(self) -> None:
        """An array expression, maybe a window, to an old name of the same shape or a new one."""
        shape = self.pick([(4,), (4,), (3,), (3, 4)])
        text = self.array(shape)
        olds = self.known(shape)
        self.line(f"{self.pick(olds).name if olds and self.chance(0.5) else self.new(shape)} = {text}")

    def lists(self) -> None:
        """Make a list, append to one, take from one."""
        name = f"l{self.count}"
        self.count += 1
        if self.chance(0.5):
            self.line(f"{name} = [{self.leaf()}]")
            with_loop = self.chance(0.6)
            if with_loop:
                self.line(f"for k{name} in range({self.random.randrange(1, 4)}):")
                self.line(f"    {name}.append(np.sin({name}[-1] + {self.leaf()}))")
            self.line(f"{self.new(SCALAR)} = {self.pick([f'{name}.pop()', f'{name}[0]', f'sum({name})', f'{name}[-1]'])}")
            return
        text = self.pick([self.vector(4), f"({self.pick(self.known((4,))).name}).copy()", self.pick(self.known((4,))).name])
        self.line(f"{name} = []")
        self.line(f"{name}.append({text})")
        self.line(f"{name}.append({self.vector(4, 1)})")
        if self.chance(0.5):
            self.line(f"{name}[{self.random.randrange(2)}][{self.index(4)}] *= {self.leaf()}")
        self.line(f"{self.new((4,))} = {self.pick([f'{name}.pop()', f'{name}[0]', f'{name}[0] * {name}[1]', f'{name}[-1]'])}")

    # --- memory

    def store_item(self) -> None:
        """``v[i] = s``, ``m[i, j] += s``."""
        v = self.pick([v for v in self.known() if v.shape])
        place = ", ".join(self.index(n) for n in v.shape)
        self.line(f"{v.name}[{place}] {self.operator()} {self.scalar()}")

    def operator(self) -> str:
        """An assignment operator."""
        return self.pick(["=", "=", "+=", "-=", "*="])

    def store_window(self) -> None:
        """``v[1:] += ...``, fancy indices and masks."""
        v = self.pick(self.known(rank=1))
        n = v.shape[0]
        k = max(1, n - self.random.randrange(3))
        if n > 2 and self.chance(0.2):
            place = f"{v.name}[[{self.random.randrange(n)}, -1]]" if self.chance(0.5) else f"{v.name}[[0, 2]]"
            self.line(f"{place} {self.pick(['=', '*='])} {self.scalar()}")
        elif self.chance(0.15):
            self.line(f"{v.name}[{v.name} > {self.number()}37] {self.operator()} {self.scalar(1)}")
        else:
            places = self.slices(v.name, n, k) or [f"{v.name}[:]"]
            k = k if places != [f"{v.name}[:]"] else n
            value = self.apart(self.vector(k))
            self.line(f"{self.pick(places)} {self.operator()} {value if self.chance(0.8) else self.scalar()}")

    def whole(self) -> None:
        """``v *= ...``: into the memory of ``v``, whoever else looks at it."""
        v = self.pick([v for v in self.known() if v.shape])
        value = self.array(v.shape) if self.chance(0.6) else self.scalar(1)
        place = v.name if self.chance(0.8) else f"{v.name}[...]"
        self.line(f"{place} {self.pick(['+=', '-=', '*='])} {self.pick(['', '0.4 * '])}({value})")

    def view(self) -> None:
        """A name for a window, sometimes an old name."""
        shape = self.pick([(4,), (4,), (3,), (2, 4), (4, 3)])
        windows = self.windows(shape)
        if not windows:
            return self.alias()
        text = self.pick(windows)
        olds = self.known(shape)
        self.line(f"{self.pick(olds).name if olds and self.chance(0.3) else self.new(shape)} = {text}")
        return None

    def alias(self) -> None:
        """A second name."""
        v = self.pick([v for v in self.known() if v.shape])
        olds = [o for o in self.known(v.shape) if o.name != v.name]
        self.line(f"{self.pick(olds).name if olds and self.chance(0.4) else self.new(v.shape)} = {v.name}")

    def swap(self) -> None:
        """Exchange items, rows, or the names of two arrays."""
        v = self.pick(self.known(rank=1))
        i, j = self.index(v.shape[0]), self.index(v.shape[0])
        texts = [f"{v.name}[{i}], {v.name}[{j}] = {v.name}[{j}], {v.name}[{i}]"]
        others = [o.name for o in self.known(v.shape) if o.name != v.name]
        if others:
            other = self.pick(others)
            texts.append(f"{v.name}, {other} = {other}, {v.name}")
        m = self.pick(self.known(rank=2))
        texts.append(f"{m.name}[[0, 1]] = {m.name}[[1, 0]]")
        self.line(self.pick(texts))

    def overlap(self) -> None:
        """A window stored from another window of the same array."""
        v = self.pick(self.known(rank=1))
        n = v.shape[0]
        if n < 3:
            return self.whole()
        k = self.random.randrange(2)
        places, sources = self.slices(v.name, n, n - k), self.slices(v.name, n, n - k)
        factor = self.pick(["", f" * np.sin({self.leaf()})", " * 0.8", f" + 0.2 * {self.leaf()}"])
        self.line(f"{self.pick(places)} {self.operator()} {self.pick(sources)}{factor}")
        return None

    def call_writer(self) -> None:
        """Call a function that writes into its argument, or returns a window of it."""
        v = self.pick(self.known(rank=1))
        target = self.pick([v.name, *self.windows(v.shape)])
        kind = self.random.randrange(4)
        if kind == 0:
            self.line(f"damp({target}, {self.scalar(1)})")
        elif kind == 1:
            value = self.scalar(1)
            self.line(f"{self.new(SCALAR)} = shift({target}, {value})")
        elif kind == 2:
            m = self.pick(self.known(rank=2))
            self.line(f"{self.new((m.shape[1],))} = row_of({m.name}, {self.index(m.shape[0])})")
        else:
            m = self.pick(self.known(rank=2))
            self.line(f"damp({m.name}[{self.index(m.shape[0])}], {self.leaf()})")

    def numpy_store(self) -> None:
        """NumPy's own ways to write."""
        v = self.pick(self.known(rank=1))
        n = v.shape[0]
        self.line(self.pick([
            f"np.multiply({self.vector(n, 1)}, {self.leaf()}, out={v.name})",
            f"np.add({v.name}, {self.vector(n, 1)}, out={v.name})",
            f"np.add.at({v.name}, [0, {n - 1}, 0], {self.scalar(1)})",
            f"{v.name}.fill({self.scalar(1)})",
            f"np.copyto({v.name}, {self.apart(self.vector(n, 1))})",
            f"{v.name}[:] = {self.apart(self.vector(n))}",
        ]))  # fmt: skip

    def row_store(self) -> None:
        """Rows, columns and blocks of a matrix."""
        m = self.pick(self.known(rank=2))
        r, c = m.shape
        row, column = f"{m.name}[{self.index(r)}]", f"{m.name}[:, {self.index(c)}]"
        self.line(self.pick([
            f"{row} {self.operator()} {self.apart(self.vector(c))}",
            f"{column} {self.operator()} {self.apart(self.vector(r))}",
            f"{row} {self.operator()} {self.scalar(1)}", f"{m.name}[1:] {self.operator()} 0.5 * {m.name}[:-1]",
            f"{m.name}[:, 1:] -= 0.3 * {m.name}[:, :-1]", f"{m.name}.T[{self.index(c)}] *= {self.leaf()}",
        ]))  # fmt: skip

    def keep(self) -> None:
        """A number that is stored, perhaps only under a condition, and used afterwards."""
        v = self.pick(self.known(rank=1))
        i, j = self.index(v.shape[0]), self.index(v.shape[0])
        value = self.scalar()
        name = self.new(SCALAR)
        self.line(f"{name} = {value}")
        if self.chance(0.5):
            self.line(f"{v.name}[{i}] = {self.pick([name, f'0.5 * {name}'])}")
        self.line(f"if {self.condition()}:")
        self.line(f"    {v.name}[{j}] = {name}")
        if self.chance(0.5):
            self.line("else:")
            self.line(f"    {v.name}[{j}] = {self.pick([name, f'{v.name}[{i}] + {name}'])}")

    def guarded(self) -> None:
        """A name that one path leaves unbound, and a flag that says so."""
        self.count += 1
        name, flag = f"w{self.count}", f"flag{self.count}"
        if self.chance(0.5):
            v = self.pick(self.known(rank=1))
            value, use = self.vector(v.shape[0]), f"{v.name}[:] = 0.5 * {name} + 0.3 * {v.name}"
        else:
            v = self.pick([v for v in self.known() if v.shape])
            place = f"{v.name}[{', '.join(self.index(n) for n in v.shape)}]"
            value, use = self.scalar(), f"{place} = np.sin({name}) * {place}"
        self.line(f"{flag} = {self.condition()}")
        self.line(f"if {flag}:")
        self.line(f"    {name} = {value}")
        if self.chance(0.5):
            self.store_item()
        self.line(f"if {flag}:")
        self.line(f"    {use}")

    # --- compound statements

    def inner(self) -> None:
        """The body of a compound statement."""
        self.statements(self.random.randrange(1, 4))

    def branch(self) -> None:
        """``if``, maybe with ``else``."""
        self.line(f"if {self.condition()}:")
        with self.block():
            self.inner()
        if self.chance(0.5):
            self.line("else:")
            with self.block():
                self.inner()

    def leave(self) -> None:
        """Sometimes leave the loop, or this turn of it."""
        if self.chance(0.15):
            self.line(f"if {self.condition()}:")
            self.line(f"    {self.pick(['break', 'continue'])}")
            self.inner()

    def for_range(self) -> None:
        """A counted loop."""
        if self.loops >= 2:
            return self.branch()
        self.count += 1
        name, n = f"i{self.count}", self.random.randrange(1, 5)
        v = self.pick(self.known((4,))).name
        span = self.pick([f"range({n})", f"range({n})", f"range({n - 1}, -1, -1)", f"range(len({v}))"])
        self.line(f"for {name} in {span}:")
        with self.looped(name, 4 if "len" in span else n):
            self.inner()
            self.leave()
        return None

    @contextmanager
    def looped(self, name: str = "", bound: int = 0) -> Iterator[None]:
        """A block that is repeated."""
        self.loops += 1
        with self.block():
            if name:
                self.indices.append((name, bound))
            yield
        self.loops -= 1

    def while_loop(self) -> None:
        """A loop with a count, and maybe a test of data."""
        if self.loops >= 2:
            return self.branch()
        self.count += 1
        name, n = f"w{self.count}", self.random.randrange(1, 4)
        self.line(f"{name} = 0")
        data = f" and {self.condition()}" if self.chance(0.3) else ""
        self.line(f"while {name} < {n}{data}:")
        with self.looped(name, n + 1):
            self.line(f"{name} += 1")
            self.inner()
        return None

    def for_rows(self) -> None:
        """A loop over the rows of a matrix, which are windows."""
        if self.loops >= 2:
            return self.branch()
        m = self.pick(self.known(rank=2))
        self.count += 1
        with self.looped():
            self.depth -= 1
            name = self.new((m.shape[1],))
            self.line(f"for {name} in {m.name}:")
            self.depth += 1
            self.inner()
        return None

    def for_items(self) -> None:
        """A loop over the items of a vector, with their number."""
        if self.loops >= 2:
            return self.branch()
        v = self.pick(self.known(rank=1))
        self.count += 1
        index = f"i{self.count}"
        with self.looped(index, v.shape[0]):
            self.depth -= 1
            self.line(f"for {index}, {self.new(SCALAR)} in enumerate({v.name}):")
            self.depth += 1
            self.inner()
        return None


def arguments(seed: int) -> tuple[Any, ...]:
    """Arguments for ``f``."""
    rng = np.random.default_rng(seed)
    return rng.uniform(-1, 1, 4), rng.uniform(-1, 1, 4), rng.uniform(-1, 1, (3, 4)), float(rng.uniform()), float(-rng.uniform())
