"""Random programs that share memory in all the ways that derivatives got wrong: see ``program_generator`` for the rest.

Helpers make buffers, write into them and return them: whole, as windows, several at once, in lists and objects; some are drawn
at random themselves, and call each other; conditions store; terms stand for their only operand; closures write into what they
see; lists are handed to NumPy; arrays of the module and of a function around ``f`` are read. Arguments are strided, of Fortran's
order, reversed or read-only, and may share memory. From ``FIRST_WIDER`` on programs have containers, objects and attempts as well,
from ``FIRST_PASSED`` on windows that are handed about, from ``FIRST_RENAMED`` on names that regions bind to other arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from program_generator import HELPERS, SCALAR, Generator, Variable

WILD_HELPERS = """
SHARED = np.array([0.3, -0.6, 0.8, 0.45])


def buffer(n):
    return np.zeros(n)


def table(n, k):
    q = np.empty((n, k))
    q[...] = 0.25
    return q


def pair(p):
    b = np.sin(p)
    return b, b[1:]


def twice(n):
    b = np.ones(n)
    b[0] = 0.5
    return b, b


def parts(p, u):
    b = 0.5 * p
    b[1] += u
    return b[:-1], b[1:], b


def filled(p, u):
    b = np.zeros(len(p))
    for k in range(len(p)):
        b[k] = p[k] * u + b[k - 1]
    b *= 0.5
    return b


def taped(p):
    b = np.sin(p)
    y = b[:3] ** 3
    b *= 0.7
    z = b[:3] ** 2
    b *= 1.2
    return np.sum(y * z) + 0.1 * np.sum(b**3)


def listed(p, n):
    items = []
    for k in range(n):
        items.append(p * (0.3 + 0.2 * k))
    return items


def ones_listed(n):
    return [np.ones(4) for _ in range(n)]


def bump(p, u):
    p[0] = 0.5 * p[0] + 0.1 * u
    return p[0]


def through(p):
    return p


def nested(p, u):
    def inner(q):
        q[0] = 0.6 * q[0] + 0.2 * u
        return q[::-1]

    return inner(inner(p)), p


def twofold(p, u):
    q, r = pair(through(p))
    damp(q, u)
    r[1] += 0.3 * bump(q, u)
    return r, through(q)


def descend(p, n):
    if n == 0:
        return p[0]
    p[n] *= 0.5 + 0.1 * p[n - 1]
    return 0.6 * descend(p, n - 1) + 0.2 * p[n]


class Cell:
    def __init__(self, p):
        self.b = np.sin(p)
        self.c = self.b[1:]

    def push(self, u):
        self.b[0] += 0.3 * u
        self.c[0] *= 0.8
        return self.b[1]


class Empty:
    def __init__(self, n):
        self.b = np.zeros(n)
        self.c = self.b[1:]


"""


AROUND = """
def around():
    held = np.array([0.7, -0.2, 0.4, 0.9])
    grid = np.asfortranarray(0.1 * np.arange(12.0).reshape(3, 4))
    part = held[::-1]
"""


@dataclass
class MemoryGenerator(Generator):
    """Draws one program."""

    own: list[tuple[str, list[tuple[int, ...]], bool]] = field(default_factory=list)
    captured: dict[tuple[int, ...], list[str]] = field(default_factory=dict)

    def program(self, length: int = 8) -> tuple[str, str | None]:
        """The text of a module that defines ``f``; its result is what is differentiated."""
        text = HELPERS + WILD_HELPERS + self.more_helpers()
        self.captured = {(4,): ["SHARED", "SHARED[::-1]"]}
        for _ in range(self.random.randrange(3)):
            text += self.helper(length)
        closure = self.chance(0.3)
        if closure:
            self.captured = {(4,): ["SHARED", "held", "part", "held"], (3, 4): ["grid"]}
        lines = self.function("f(a, b, m, x, y)", length)
        if closure:
            lines = [*AROUND.split("\n")[1:-1], "", *("    " + line for line in lines), "", "    return f", "", "", "f = around()"]
        return text + "\n".join(lines) + "\n", None

    def more_helpers(self) -> str:
        """Helpers besides those that all programs have."""
        return ""

    def function(self, head: str, length: int) -> list[str]:
        """The lines of a function of two vectors, a matrix and two numbers."""
        names = head[head.index("(") + 1 : -1].split(", ")
        shapes: list[tuple[int, ...]] = [(4,), (4,), (3, 4), (), ()]
        self.variables = [Variable(n, s) for n, s in zip(names, shapes, strict=True)]
        self.lines = [f"def {head}:"]
        with self.block():
            self.statements(length)
            self.line(f"return {self.result() if head.startswith('f(') else self.results(head)}")
        return self.lines

    def helper(self, length: int) -> str:
        """A function drawn at random, which may call those before it."""
        name = f"h{len(self.own)}"
        lines = self.function(f"{name}(p, q, t, u, w)", self.random.randrange(1, max(2, length - 1)))
        return "\n".join(lines) + "\n\n\n"

    def results(self, head: str) -> str:
        """What a helper returns: some of what it has at hand, or a number."""
        taken = [self.pick(self.known()) for _ in range(self.random.randrange(1, 4))]
        listed = self.chance(0.2) and len({v.shape for v in taken}) == 1
        self.own.append((head[: head.index("(")], [v.shape for v in taken], listed))
        texts = ", ".join(v.name if v.shape or self.chance(0.5) else f"np.tanh({v.name})" for v in taken)
        return f"[{texts}]" if listed else texts

    def call_own(self) -> None:
        """A call of a helper that was drawn."""
        if not self.own:
            return self.made()
        name, shapes, listed = self.pick(self.own)
        arguments = [self.vector(4, 1), self.some((4,)), self.array((3, 4), 0), self.scalar(1), self.leaf()]
        if self.chance(0.3):
            arguments[0] = arguments[1]
        targets = ", ".join(self.new(shape) for shape in shapes) + "," * (len(shapes) == 1 and listed)
        call = f"{name}({', '.join(arguments)})"
        self.line(f"{targets} = {call}")
        return None

    def stores(self) -> list[Callable[[], None]]:
        """The statements that change memory, and those that make windows into it."""
        return [
            *super().stores(), self.made, self.made, self.several, self.several, self.object, self.listed, self.condition_stores,
            self.identity, self.identity, self.reshaped, self.reshaped, self.items, self.loaded, self.closure, self.seen,
            self.nests, *[self.call_own] * (6 if self.own else 0),
        ]  # fmt: skip

    def name(self) -> str:
        """A name of its own for what is no variable that others may use."""
        self.count += 1
        return f"w{self.count}"

    def some(self, shape: tuple[int, ...]) -> str:
        """A variable of a shape."""
        return str(self.pick(self.known(shape)).name)

    # --- what helpers make

    def made(self) -> None:
        """A buffer that a helper has made, filled here."""
        if self.chance(0.3):
            self.line(f"{self.new((3, 4))} = table(3, 4)")
            return
        text = self.pick(
            ["buffer(4)", f"filled({self.some((4,))}, {self.leaf()})", f"0.5 * pair({self.some((4,))})[0]"]
        )
        name = self.new((4,))
        self.line(f"{name} = {text}")
        if self.chance(0.7):
            self.line(f"{name} += {self.pick(['', '0.4 * '])}({self.vector(4, 1)})")

    def several(self) -> None:
        """Several results that share memory."""
        choice = self.random.randrange(4)
        if choice == 0:
            text = f"pair({self.vector(4, 1)})"
            self.line(f"{self.new((4,))}, {self.new((3,))} = {text}")
        elif choice == 1:
            self.line(f"{self.new((4,))}, {self.new((4,))} = twice(4)")
        elif choice == 2:
            text = f"parts({self.vector(4, 1)}, {self.leaf()})"
            self.line(f"{self.new((3,))}, {self.new((3,))}, {self.new((4,))} = {text}")
        else:
            text = f"np.tanh(taped({self.vector(4, 1)}))"
            self.line(f"{self.new(SCALAR)} = {text}")

    def object(self) -> None:
        """An object with windows of its own buffer."""
        name = self.name()
        self.line(f"{name} = {self.pick([f'Cell({self.vector(4, 1)})', 'Empty(4)'])}")
        if self.lines[-1].endswith("Empty(4)"):
            self.line(f"{name}.b += 0.5 * {self.some((4,))}")
        elif self.chance(0.6):
            text = f"{name}.push({self.scalar(1)})"
            self.line(f"{self.new(SCALAR)} = {text}")
        if self.chance(0.6):
            self.line(f"{name}.c[{self.index(3)}] {self.operator()} {self.scalar(1)}")
        self.line(f"{self.new((4,))} = {name}.b")
        self.line(f"{self.new((3,))} = {name}.c{self.pick(['', ' * 1.0', ' + 0.0'])}")

    def listed(self) -> None:
        """A list of arrays that a helper has made."""
        name = self.name()
        self.line(f"{name} = {self.pick([f'listed({self.some((4,))}, 2)', 'ones_listed(2)'])}")
        self.line(f"{name}[{self.random.randrange(2)}][{self.index(4)}] {self.operator()} {self.scalar(1)}")
        if self.chance(0.4):
            self.line(f"{name}[1] *= {self.leaf()}")
        self.line(
            f"{self.new((4,))} = {self.pick([f'{name}[0]', f'{name}.pop()', f'{name}[0] * {name}[1]', f'sum({name})'])}"
        )

    # --- what is easily overlooked

    def condition_stores(self) -> None:
        """A branch or a loop whose condition stores."""
        if self.loops >= 2:
            return self.branch()
        name, v = self.name(), self.some((4,))
        if self.chance(0.4):
            self.line(f"if bump({v}, {self.leaf()}) {self.pick(['>', '<'])} {self.number()}37:")
            with self.block():
                self.inner()
            return None
        self.line(f"{name} = 0")
        self.line(f"while bump({v}, {self.leaf()}) < 9.0 and {name} < {self.random.randrange(1, 3)}:")
        with self.looped(name, 3):
            self.line(f"{name} += 1")
            self.inner()
        return None

    def identity(self) -> None:
        """A new array whose tangent is that of an old one."""
        shape = self.pick([(4,), (4,), (3, 4)])
        v = self.some(shape)
        text = self.pick([
            f"{v} + 0.5", f"{v} - 0.25", f"+{v}", f"{v}**1", f"{v} % 7.0", f"np.conj({v})", f"1.0 + {v}", f"np.asarray({v}) + 0.0",
            f"np.add({v}, 0.5)", f"np.where({v} > -99.0, {v}, 0.0)", f"{v} + np.zeros({shape})", f"np.positive({v})",
            f"np.array({v})", f"{v} - SHARED", f"np.maximum({v}, -99.0)", f"{v}.copy()",
        ])  # fmt: skip
        olds = self.known(shape)
        self.line(f"{self.pick(olds).name if self.chance(0.3) else self.new(shape)} = {text}")

    def reshaped(self) -> None:
        """A window or a copy, as strides decide."""
        if self.chance(0.5):
            m = self.some((3, 4))
            text = self.pick(
                [
                    f"{m}.ravel()[2:6]",
                    f"{m}.reshape(-1)[:4]",
                    f"np.reshape({m}, (4, 3))[:, 0]",
                    f"{m}.T.ravel()[4:8]",
                ]
            )
            self.line(f"{self.new((4,))} = {text}")
        else:
            v = self.some((4,))
            texts = [
                f"{v}.reshape(2, 2).ravel()",
                f"np.asarray({v})",
                f"np.ravel({v})",
                f"np.squeeze({v})",
                f"{v}[::-1].reshape(4)",
            ]
            self.line(f"{self.new((4,))} = {self.pick(texts)}")

    def items(self) -> None:
        """A list that is handed to NumPy."""
        v = self.some((4,))
        text = self.pick([
            f"np.array([0.8 * u for u in {v}])", f"np.stack([{v} * u for u in {v}])[1]", f"np.concatenate([{v}[:2], {v}[2:]])",
            f"np.array([{v}, np.sin({v})]).sum(axis=0)", f"np.fromiter((np.sin(u) for u in {v}), float)",
            f"np.mean([{v}, {self.some((4,))}], axis=0)",
        ])  # fmt: skip
        self.line(f"{self.new((4,))} = {text}")

    def loaded(self) -> None:
        """``v[i] op= g(v)``, where Python loads ``v[i]`` first."""
        v = self.some((4,))
        other = v if self.chance(0.7) else self.some((4,))
        place = self.pick([self.index(4), self.index(4), "1:3", "[0, 2]"])
        self.line(f"{v}[{place}] {self.pick(['+=', '-=', '*='])} bump({other}, {self.leaf()})")

    def closure(self) -> None:
        """A function that writes into what it sees around it, called several times."""
        name, v = self.name(), self.some((4,))
        self.line(f"def {name}(u):")
        self.line(f"    {v}[{self.random.randrange(4)}] {self.operator()} 0.3 * u")
        self.line(f"    return {v}[{self.random.randrange(4)}] * 0.5")
        if self.chance(0.5) and self.loops < 2:
            self.line(f"for {self.name()} in range(2):")
            self.line(f"    {v}[{self.random.randrange(4)}] += {name}({self.leaf()})")
        u = self.leaf()
        self.line(f"{self.new(SCALAR)} = {name}({u})")

    def seen(self) -> None:
        """An array of the module, or of the function around this one, beside one's own, bound to one name."""
        shape = self.pick(list(self.captured))
        v, c = self.some(shape), self.pick(self.captured[shape])
        self.line(
            f"{self.new(shape)} = {self.pick([f'{c} * {v}', f'{c} + {v}', f'{v} - {c}', f'({v} if {self.condition()} else {c}) * 1.0', f'{c} + 0.0', f'{c}.copy()'])}"
        )

    def nests(self) -> None:
        """Helpers that call helpers, and themselves."""
        text, shapes = self.pick([
            (f"nested({self.vector(4, 1)}, {self.leaf()})", [(4,), (4,)]),
            (f"twofold({self.some((4,))}, {self.leaf()})", [(3,), (4,)]),
            (f"descend({self.some((4,))}, {self.random.randrange(1, 4)})", [SCALAR]),
            (f"through({self.pick([self.some((4,)), self.vector(4, 0)])})", [(4,)]),
        ])  # fmt: skip
        self.line(f"{', '.join(self.new(shape) for shape in shapes)} = {text}")


WIDER_HELPERS = """
def windows(p):
    for k in range(len(p) - 1):
        yield p[k : k + 2]


def filling(p, u):
    b = np.zeros(len(p))
    for k in range(len(p)):
        b[k] = p[k] * u
        yield b


def shrink(p, u):
    if len(p) < 2:
        return p[0] * u
    p[1] += 0.3 * p[0]
    return 0.5 * shrink(p[1:], u) + p[0]


def either(p, u, flag):
    if flag:
        return u
    return p


class Ring:
    def __init__(self, p):
        self.b = p
        self.w = p[:2]
        self.n = 0

    def step(self, u):
        self.w[0] = 0.5 * self.w[0] + 0.2 * u
        self.n = (self.n + 1) % 3
        self.w = self.b[self.n : self.n + 2]
        return self.w[1]


class Link:
    def __init__(self, p, other=None):
        self.p = p
        self.tail = p[1:]
        self.other = other

    def push(self, u):
        self.tail[0] += 0.2 * u
        if self.other is not None:
            self.other.p[1] *= 0.5 + 0.2 * self.tail[1]
        return self.p[1]


"""


@dataclass
class WiderGenerator(MemoryGenerator):
    """Draws one program that also has dicts, objects that hold windows of one another, parts of complex arrays, diagonals,
    broadcasts, generators, bodies of ``try``, numbers where arrays may stand, and NumPy's ways to write."""

    def more_helpers(self) -> str:
        """Helpers of these programs alone."""
        return WIDER_HELPERS

    def stores(self) -> list[Callable[[], None]]:
        """The statements that change memory, and those that make windows into it."""
        return [
            *super().stores(), self.keyed, self.keyed, self.linked, self.stepped, self.complex_parts, self.complex_parts,
            self.unwritable, self.unwritable, self.yielded, self.attempted, self.attempted, self.mixed, self.mixed, self.in_place,
            self.in_place, self.rebound, self.descending, self.put_at,
        ]  # fmt: skip

    def keyed(self) -> None:
        """A dict of arrays, some of which are windows of others, by constant or by computed keys."""
        name, v = self.name(), self.some((4,))
        if self.chance(0.5):
            self.line(f"{name} = {{'u': {self.pick([v, f'0.5 * {v}'])}}}")
            self.line(f"{name}['w'] = {name}['u'][{self.pick(['1:', '::-1', ':3'])}]")
            self.line(f"{name}['w'][{self.index(3)}] {self.operator()} {self.scalar(1)}")
            self.line(f"{self.new((4,))} = {name}['u']{self.pick(['', ' * 1.0'])}")
            return
        k = self.name()
        self.line(f"{name} = {{}}")
        self.line(f"for {k} in range(3):")
        with self.block():
            self.line(f"{name}[{k} % 2] = {self.pick([f'{v} * (0.5 + 0.2 * {k})', f'{name}.get({k} % 2, {v}) * 0.8'])}")
            self.line(f"{name}[{k} % 2][{k}] {self.operator()} {self.leaf()}")
            if self.chance(0.4):
                self.line(f"{name}[0] *= {self.some((4,))}")
        self.line(f"{self.new((4,))} = {self.pick([f'{name}[1]', f'{name}.pop(0)', f'{name}[0] * {name}[1]', f'sum({name}.values())'])}")

    def linked(self) -> None:
        """Objects that hold windows of one another."""
        one, two = self.name(), self.name()
        self.line(f"{one} = Link({self.pick([self.some((4,)), self.vector(4, 1)])})")
        self.line(f"{two} = Link({one}.p[::-1]{self.pick(['', ' * 0.5'])}, {one})")
        if self.chance(0.5):
            self.line(f"{one}.other = {two}")
        text = f"{self.pick([one, two])}.push({self.leaf()}) + 0.5 * {two}.push({self.leaf()})"
        self.line(f"{self.new(SCALAR)} = {text}")
        self.line(f"{self.new((3,))} = {self.pick([one, two])}.tail{self.pick(['', ' * 1.0'])}")

    def stepped(self) -> None:
        """An object that keeps another window from step to step."""
        name, t, u = self.name(), self.new(SCALAR), self.leaf()
        self.line(f"{name} = Ring({self.pick([self.some((4,)), f'0.7 * {self.some((4,))}'])})")
        self.line(f"{t} = 0.0")
        self.line(f"for {self.name()} in range({self.random.randrange(1, 4)}):")
        with self.block():
            self.line(f"{t} += {name}.step({u})")
        self.line(f"{t} = np.tanh({t} + np.sum({name}.w))")

    def complex_parts(self) -> None:
        """Windows into the real and the imaginary part."""
        z, w, v = self.name(), self.name(), self.some((4,))
        self.line(f"{z} = {v} * (0.4 - 0.7j) + {self.pick(['0.3j', f'0.2j * {self.some((4,))}'])}")
        self.line(f"{w} = {z}.{self.pick(['real', 'imag', 'real[::-1]', 'imag[1:]', 'real[:2]'])}")
        texts = [
            f"{z}.real[{self.index(4)}] {self.operator()} {self.leaf()}", f"{z}.imag {self.pick(['+=', '*='])} {v}",
            f"{z} *= 0.5 + 0.5j", f"{z}[1] = {self.leaf()} * 1j", f"{w}[0] *= {self.leaf()}", f"{z}.imag = {v}",
        ]  # fmt: skip
        for _ in range(self.random.randrange(1, 3)):
            self.line(self.pick(texts))
        self.line(f"{self.new((4,))} = {self.pick([f'{z}.real * {z}.imag', f'np.abs({z} + 2.0)', f'({z} * {z}.conj()).real'])}")
        self.line(f"{self.new(SCALAR)} = np.tanh(np.sum({w}))")

    def unwritable(self) -> None:
        """Diagonals and broadcasts, of what is written afterwards."""
        w, m, v = self.name(), self.some((3, 4)), self.some((4,))
        if self.chance(0.5):
            self.line(f"{w} = {self.pick([f'np.diagonal({m})', f'{m}.diagonal(1)', f'np.diag({m}[:, :3])'])}")
            self.line(f"{m}[{self.random.randrange(3)}, {self.random.randrange(4)}] {self.operator()} {self.scalar(1)}")
            self.line(f"{self.new((3,))} = {w} * {self.leaf()}")
            return
        self.line(f"{w} = {self.pick([f'np.broadcast_to({v}, (3, 4))', f'np.broadcast_arrays({v}, {m})[0]'])}")
        self.line(f"{v}[{self.index(4)}] {self.operator()} {self.scalar(1)}")
        self.line(f"{self.new((3, 4))} = {w} * {m}")

    def yielded(self) -> None:
        """What a generator yields, written where it is consumed."""
        w, v, t = self.name(), self.some((4,)), self.new(SCALAR)
        self.line(f"{t} = 0.0")
        if self.chance(0.5):
            self.line(f"for {w} in windows({v}):")
            with self.block():
                self.line(f"{w}[0] = 0.5 * {w}[0] + 0.2 * {w}[1]")
                self.line(f"{t} += np.sum({w})")
        else:
            self.line(f"for {w} in filling({v}, {self.leaf()}):")
            with self.block():
                self.line(f"{t} += {w}[0] * {w}[-1]")
                self.line(f"{w}[0] *= 0.7")
        self.line(f"{t} = np.tanh({t})")

    def attempted(self) -> None:
        """The body of a ``try`` that writes and may fail on the way."""
        v, k = self.some((4,)), self.name()
        self.line(f"for {k} in range({self.random.randrange(1, 3)}):")
        with self.block():
            self.line("try:")
            with self.block():
                self.line(f"{v}[{self.random.randrange(4)}] = 0.5 * {v}[{self.index(4)}] + 0.2 * {self.leaf()}")
                self.line(f"{v}[{k} + {self.pick([2, 3, 4])}] *= {self.leaf()}")
            self.line("except IndexError:")
            with self.block():
                self.line(f"{v}[0] += 0.1 * {self.leaf()}")

    def mixed(self) -> None:
        """A number in the place of an array that is written."""
        c, v, t, s = self.name(), self.some((4,)), self.new(SCALAR), self.leaf()
        choice = self.random.randrange(4)
        self.line(f"{t} = 0.0")
        if choice == 0:
            self.line(f"{c} = {s} if {self.condition()} else {v}")
            self.line(f"{v}[1] *= 0.8")
            self.line(f"{t} = {t} + np.sum({c} * {v})")
        elif choice == 1:
            self.line(f"{c} = [{v}, {s}, {self.number()}]")
            self.line(f"{v} *= 0.9")
            self.line(f"for {c}i in {c}:")
            self.line(f"    {t} = {t} + np.sum({c}i * {v})")
        elif choice == 2:
            self.line(f"{c} = either({v}, {s}, {self.condition()})")
            self.line(f"{v}[2] += {self.leaf()}")
            self.line(f"{t} = {t} + np.sum({c} * {self.some((4,))})")
        else:
            self.line(f"{c} = {s}")
            self.line(f"for {c}i in range(2):")
            self.line(f"    {t} = {t} + np.sum({c} * {v})")
            self.line(f"    {c} = {v}")
            self.line(f"    {v}[{c}i] *= 0.6")
        self.line(f"{t} = np.tanh({t})")

    def in_place(self) -> None:
        """NumPy's ways to write."""
        v, w = self.some((4,)), self.some((4,))
        self.line(self.pick([
            f"{v}.sort()", f"{v}.fill({self.leaf()})", f"np.copyto({v}, 0.5 * {w})", f"np.copyto({v}, {w}, where={w} > 0.137)",
            f"{v}.put([0, 2], {w}[:2])", f"np.putmask({v}, {v} > 0.237, 0.4 * {w})", f"np.add.at({v}, [1, 1, 2], {w}[:3])",
            f"np.multiply({v}, {w}, out={v})", f"np.add({v}[1:], {w}[:-1], out={v}[:-1])", f"{v}[::-1][1:3] = {w}[::2]",
            f"np.sin({v}, out={v}, where={w} > 0.137)", f"{v}[{v} > 0.137] *= 0.5", f"{v}[[0, 1]] = {w}[[1, 0]]", f"{v}[...] = {w}[::-1]",
        ]))  # fmt: skip

    def rebound(self) -> None:
        """A name of the function around that a nested one makes another window, and a default that is one."""
        cur, name, v = self.name(), self.name(), self.some((4,))
        if self.chance(0.5):
            self.line(f"def {name}(u, buf={v}[::-1]):")
            self.line("    buf[0] = 0.5 * buf[0] + 0.2 * u")
            self.line("    return buf[1] * u")
            text = f"{name}({self.leaf()}) + {name}({self.leaf()})"
            self.line(f"{self.new(SCALAR)} = {text}")
            return
        self.line(f"{cur} = [{v}, {v}[1:], {v}[2:]]")
        self.line(f"def {name}(k, u):")
        self.line(f"    {cur}[k][0] = 0.5 * {cur}[k][-1] + 0.1 * u")
        self.line(f"    {cur}[k] = {cur}[k - 1]")
        self.line(f"    return {cur}[k][0]")
        text = f"{name}({self.random.randrange(3)}, {self.leaf()}) + {name}(1, {self.leaf()})"
        self.line(f"{self.new(SCALAR)} = {text}")

    def descending(self) -> None:
        """A recursion over windows."""
        text = f"shrink({self.pick([self.some((4,)), self.some((4,)) + '[::-1]', self.vector(4, 1)])}, {self.leaf()})"
        self.line(f"{self.new(SCALAR)} = {text}")

    def put_at(self) -> None:
        """Lists of windows that change places, and are written one after another."""
        name, v, k = self.name(), self.some((4,)), self.name()
        self.line(f"{name} = [{v}[{k} : {k} + 2] for {k} in range(3)]")
        self.line(f"{name}[{self.random.randrange(3)}], {name}[0] = {name}[0], {name}[{self.random.randrange(3)}]")
        self.line(f"for {k}, {name}i in enumerate({name}):")
        self.line(f"    {name}i[{k} % 2] = 0.5 * {name}i[0] + 0.2 * {name}[0][1]")
        self.line(f"{self.new(SCALAR)} = np.sum({name}[1] * {name}[2])")


PASSED_HELPERS = """
class Track:
    def __init__(self, p):
        self.b = p
        self.kept = []
        self.named = {}

    @property
    def tail(self):
        return self.b[1:]

    def cut(self, k):
        self.kept.append(self.b[k : k + 2])
        return self

    def name(self, key, p):
        self.named[key] = p
        return p

    def mix(self, u):
        for w in self.kept:
            w[0] = 0.5 * w[0] + 0.3 * w[1] * u
        return self.b[1]

    def turn(self):
        self.kept[0], self.kept[-1] = self.kept[-1], self.kept[0]
        self.b = self.b[::-1]

    def __getitem__(self, k):
        return self.b[k]

    def __setitem__(self, k, u):
        self.b[k] = u

    def __iadd__(self, other):
        self.b += other
        return self


class Sub(Track):
    def __init__(self, p, q):
        super().__init__(p)
        self.q = q

    def mix(self, u):
        self.q[0] += 0.2 * super().mix(u)
        return self.q[0]


def writer(p, k):
    def write(u):
        p[k] = 0.5 * p[k] + 0.3 * u
        return p[k - 1]

    return write


def counter(p):
    where = 0
    seen = p[:2]

    def step(u):
        nonlocal where, seen
        seen[0] = 0.6 * seen[1] + 0.2 * u
        where = (where + 1) % 3
        seen = p[where : where + 2]
        return seen[0]

    return step


def both(p, q):
    p[1] = 0.5 * q[0] + 0.2 * p[1]
    q[1] *= 0.7 + 0.1 * p[0]
    return p[0] * q[-1]


def many(*ps, u=0.3, **named):
    for k, p in enumerate(ps):
        p[k % 2] = 0.5 * p[k % 2] + 0.2 * u
    for p in named.values():
        p[0] *= 0.8
    return ps[0], ps[-1]


def gathered(d, u):
    for key in d:
        d[key][0] = 0.6 * d[key][0] + 0.1 * u
    return d


def cuts(p, n):
    return {k: p[k : k + 2] for k in range(n)}


def sliding(p, u):
    w = p[:2]
    for k in range(len(p) - 1):
        w[0] += 0.2 * u
        yield w, p[k]
        w = p[k : k + 2]


def chained(p):
    yield from windows(p)
    p[0] *= 0.5
    yield p[1:3]


def folded(ps, u):
    if len(ps) == 0:
        return u
    ps[0][0] = 0.5 * ps[0][0] + 0.2 * u
    return 0.5 * folded(ps[1:], ps[0][1])


"""


@dataclass
class PassedGenerator(WiderGenerator):
    """Draws one program in which windows are handed about: kept by objects with methods, in dicts and lists that change, captured by
    functions that write them, yielded, given to one helper twice."""

    def more_helpers(self) -> str:
        """Helpers of these programs alone."""
        return super().more_helpers() + PASSED_HELPERS

    def stores(self) -> list[Callable[[], None]]:
        """The statements that change memory, and those that make windows into it."""
        own = [
            self.tracked, self.tracked, self.tracked, self.inherited, self.maker, self.maker, self.writers, self.twice_given,
            self.starred, self.dict_of_windows, self.dict_of_windows, self.dict_given, self.generated, self.generated,
            self.targets, self.targets, self.chosen, self.list_moves, self.list_moves, self.rows, self.rare_windows, self.rare_windows,
            self.reduced, self.nested_recursion, self.copied, self.folds,
        ]  # fmt: skip
        return [*super().stores(), *own, *own]

    def window(self) -> str:
        """A window of two items of a vector in sight, by its text."""
        v = self.some((4,))
        return str(self.pick([f"{v}[:2]", f"{v}[1:3]", f"{v}[2:]", f"{v}[::2]", f"{v}[::-1][:2]", f"{v}[1::2]"]))

    def write(self, text: str) -> None:
        """A write into an array of two items at least."""
        u = self.leaf()
        self.line(self.pick([
            f"{text}[0] = 0.5 * {text}[1] + 0.2 * {u}", f"{text}[1] *= {u}", f"{text}[-1] += 0.3 * {u}", f"{text}[:] = {text}[::-1].copy()",
            f"{text}[...] *= 0.8", f"{text}[0] -= 0.2 * {text}[1] ** 2",
        ]))  # fmt: skip

    def tracked(self) -> None:
        """An object whose methods keep windows of its array, and write them."""
        name, u = self.name(), self.leaf()
        self.line(f"{name} = Track({self.pick([self.some((4,)), '0.6 * ' + self.some((4,)), self.vector(4, 1)])})")
        if self.chance(0.5) and self.loops < 2:
            k = self.name()
            self.line(f"for {k} in range({self.random.randrange(1, 4)}):")
            self.line(f"    {name}.cut({k})")
            if self.chance(0.5):
                self.line(f"    {name}.mix({u})")
        else:
            self.line(f"{name}.cut(0).cut({self.random.randrange(3)})")
        for _ in range(self.random.randrange(1, 4)):
            choice = self.random.randrange(8)
            if choice == 0:
                self.line(f"{name}.turn()")
            elif choice == 1:
                self.write(f"{name}.tail")
            elif choice == 2:
                self.line(f"{name}[{self.index(4)}] {self.operator()} {self.leaf()}")
            elif choice == 3:
                self.line(f"{name} += 0.2 * {self.some((4,))}")
            elif choice == 4:
                self.write(f"{name}.name('k', {self.window()})")
                self.write(f"{name}.named['k']")
            elif choice == 5:
                self.write(f"{name}.kept[{self.pick([0, -1])}]")
            else:
                text = f"{name}.mix({self.leaf()})"
                self.line(f"{self.new(SCALAR)} = {text}")
        self.line(f"{self.new((4,))} = {name}.b{self.pick(['', ' * 1.0', '[::-1]'])}")
        self.line(f"{self.new(SCALAR)} = np.tanh({name}.kept[{self.pick([0, -1])}][0] * {name}[1])")

    def inherited(self) -> None:
        """An object of a class with a base, that holds a window of another array."""
        name = self.name()
        self.line(f"{name} = Sub({self.some((4,))}, {self.pick([self.window(), self.some((4,))])})")
        self.line(f"{name}.cut({self.random.randrange(3)}){self.pick(['', '.cut(1)'])}")
        text = f"{name}.mix({self.leaf()}) + {name}.mix({self.leaf()})"
        self.line(f"{self.new(SCALAR)} = np.tanh({text})")
        self.write(f"{name}.q")

    def maker(self) -> None:
        """Functions that a helper returns, which write what they have captured."""
        name, k = self.name(), self.name()
        self.line(f"{name} = {self.pick([f'writer({self.some((4,))}, {self.random.randrange(4)})', f'counter({self.some((4,))})', f'counter({self.vector(4, 1)})'])}")
        text = f"{name}({self.leaf()}) + 0.5 * {name}({self.leaf()})"
        t = self.new(SCALAR)
        self.line(f"{t} = {text}")
        if self.chance(0.5):
            self.line(f"for {k} in range({self.random.randrange(1, 4)}):")
            self.line(f"    {t} = np.tanh({t} + {name}({self.leaf()}))")

    def writers(self) -> None:
        """Functions in a list, and a name that all of them see change."""
        name, cur, k = self.name(), self.name(), self.name()
        v, w = self.some((4,)), self.some((4,))
        if self.chance(0.5):
            self.line(f"{name} = [writer({v}, 1), writer({w}, 2)]")
            self.line(f"{self.new(SCALAR)} = sum(g({self.leaf()}) for g in {name})")
            return
        self.line(f"{cur} = {v}")
        self.line(f"def {name}(u):")
        self.line(f"    nonlocal_seen = {cur}")
        self.line("    nonlocal_seen[0] = 0.5 * nonlocal_seen[1] + 0.2 * u")
        self.line(f"    return {cur}[2]")
        t = self.new(SCALAR)
        self.line(f"{t} = {name}(0.3)")
        self.line(f"{cur} = {self.pick([w, f'{w}[::-1]', f'{v}[1:]', f'0.5 * {w}'])}")
        self.line(f"{t} += {name}({t})")
        self.line(f"for {k} in range(2):")
        self.line(f"    {t} += {name}(0.1 * {k})")
        self.line(f"    {cur} = {self.pick([v, w])}")
        self.line(f"{t} = np.tanh({t})")

    def twice_given(self) -> None:
        """One array given to a helper twice, as windows of it."""
        v = self.some((4,))
        other = self.pick([v, f"{v}[::-1]", f"{v}[1:]", f"{v}[2:]", f"{v}[::2]", self.some((4,)), f"{v}.copy()"])
        text = self.pick([f"both({v}, {other})", f"both({other}, {v})", f"shift({other}, {self.leaf()})"])
        self.line(f"{self.new(SCALAR)} = np.tanh({text})")

    def starred(self) -> None:
        """Windows by ``*args`` and ``**kwargs``."""
        v, w, p, q = self.some((4,)), self.some((4,)), self.name(), self.name()
        given = self.pick([f"{v}, {w}", f"*[{v}, {w}[1:], {v}[2:]]", f"{v}[1:], {v}", f"{v}, u={self.leaf()}, at={w}[1:]", f"{v}, {w}, **{{'at': {v}[::-1]}}"])
        self.line(f"{p}, {q} = many({given})")
        self.write(self.pick([p, q]))
        self.line(f"{self.new(SCALAR)} = np.sum(np.sin({p})) * {q}[0]")

    def dict_of_windows(self) -> None:
        """A dict of windows that are written, replaced and read by loops."""
        d, k, w, v = self.name(), self.name(), self.name(), self.some((4,))
        self.line(f"{d} = {self.pick([f'cuts({v}, 3)', f'{{{k}: {v}[{k}:{k} + 2] for {k} in range(3)}}', f'{{0: {v}[:2], 1: {v}[1:3], 2: {self.window()}}}'])}")
        for _ in range(self.random.randrange(1, 4)):
            choice = self.random.randrange(8)
            if choice == 0:
                self.line(f"for {k}, {w} in {d}.items():")
                self.line(f"    {w}[{k} % 2] = 0.5 * {w}[0] + 0.2 * {d}[0][1]")
            elif choice == 1:
                self.write(f"{d}[{self.random.randrange(3)}]")
            elif choice == 2:
                self.line(f"{d}[{self.random.randrange(3)}] = {self.pick([self.window(), f'{d}[1]', f'{d}[2] * 1.0'])}")
            elif choice == 3:
                self.write(f"{d}.setdefault({self.random.randrange(2, 5)}, {self.window()})")
            elif choice == 4:
                self.line(f"{d}.update({{1: {self.window()}}})")
            elif choice == 5:
                self.line(f"{d}[0], {d}[1] = {d}[1], {d}[0]")
            elif choice == 6:
                self.write(f"{d}.get(7, {self.some((4,))})")
            else:
                self.line(f"for {w} in {d}.values():")
                self.line(f"    {w} *= 0.8")
        self.line(f"{self.new(SCALAR)} = np.tanh({self.pick([f'sum({w}[0] for {w} in {d}.values())', f'{d}[0][1] * {d}[2][0]', f'np.sum({d}.pop(1))', f'np.sum(list({d}.values())[1])'])})")

    def dict_given(self) -> None:
        """A dict of windows that a helper writes and returns."""
        d, e, v, w = self.name(), self.name(), self.some((4,)), self.some((4,))
        self.line(f"{d} = {{'p': {v}, 'q': {w}[1:], 'r': {self.pick([f'{v}[::-1]', f'{v}[2:]', f'0.5 * {w}'])}}}")
        self.line(f"{e} = gathered({self.pick([d, f'dict({d})', f'{d}.copy()', f'{{**{d}}}'])}, {self.leaf()})")
        self.write(f"{e}['{self.pick(['p', 'q', 'r'])}']")
        self.line(f"{self.new((4,))} = {e}['p']{self.pick(['', ' * 1.0'])}")
        self.line(f"{self.new(SCALAR)} = {d}['q'][0] * {e}['r'][1]")

    def generated(self) -> None:
        """Generators that are consumed by more than a loop."""
        v, t, w, k = self.some((4,)), self.new(SCALAR), self.name(), self.name()
        self.line(f"{t} = 0.0")
        choice = self.random.randrange(6)
        if choice == 0:
            self.line(f"for {w}, {k} in sliding({v}, {self.leaf()}):")
            self.line(f"    {w}[1] = 0.5 * {w}[0] + 0.3 * {k}")
            self.line(f"    {t} += {k} * {w}[0]")
        elif choice == 1:
            self.line(f"for {k}, {w} in enumerate(windows({v})):")
            self.line(f"    {w}[{k} % 2] *= 0.5 + 0.1 * {k}")
            self.line(f"    {t} += {w}[0]")
        elif choice == 2:
            self.line(f"for {w}, {k} in zip(windows({v}), {self.some((4,))}):")
            self.line(f"    {w}[0] += 0.3 * {k}")
            self.line(f"    {t} += {w}[1] * {k}")
        elif choice == 3:
            self.line(f"{w} = list(windows({v}))")
            self.line(f"{w}[1][0] = 0.5 * {w}[0][1] + 0.2 * {self.leaf()}")
            self.line(f"{t} = {w}[0][0] * {w}[2][1] + {w}[0][1]")
        elif choice == 4:
            self.line(f"for {w} in chained({v}):")
            self.line(f"    {w}[0] = 0.5 * {w}[0] + 0.2 * {w}[1]")
            self.line(f"    {t} += {w}[1] * {v}[0]")
        else:
            self.line(f"{w} = ({k}[0] * {v}[2] for {k} in windows({v}))")
            self.line(f"{v}[1] = 0.5 * {v}[1] + {self.leaf()}")
            self.line(f"{t} = sum({w})")
        self.line(f"{t} = np.tanh({t})")

    def targets(self) -> None:
        """Places that are targets of more than an assignment."""
        v, w, k = self.some((4,)), self.some((4,)), self.name()
        u, t = self.leaf(), self.new(SCALAR)
        self.line(f"{t} = {u}")
        self.line(self.pick([
            f"{v}[0] = {w}[1] = 0.5 * {u}", f"{v}[0], {v}[1], *{k} = {w}", f"({v}[0], {w}[1]), {t} = ({w}[1], {v}[0]), {v}[2]",
            f"{v}[0], {v} = {w}[1], {v}[::-1]", f"{v}[:2], {w}[2:] = {w}[2:].copy(), {v}[:2].copy()", f"{k} = {v}[1:] = {w}[:3] * 0.5",
            f"{t} = ({k} := {v}[1:])[0] * {w}[0]", f"{k} = {v}[1:]; {k} += 0.2 * {u}; {t} = {k}[0]",
            f"{t}, {v}[1] = {v}[1], {t}", f"({v} if {self.condition()} else {w})[1] = 0.5 * {u}",
            f"({v} if {self.condition()} else {w})[1:] *= 0.7", f"{v}[0] = {v}[1] = {v}[0] * {u}", f"{v}[1:], {t} = {v}[:-1].copy(), {v}[0]",
        ]))  # fmt: skip
        if self.chance(0.3):
            self.line(f"for {v}[{self.random.randrange(4)}] in {self.pick([w, f'{w}[1:]', f'({u}, 0.3)'])}:")
            self.line(f"    {t} = np.tanh({t} + {v}[1] * {v}[0])")

    def chosen(self) -> None:
        """A window that is chosen when the program runs, from a tuple, a list or by a branch."""
        p, k, v, w = self.name(), self.name(), self.some((4,)), self.some((4,))
        self.line(f"for {k} in range(3):")
        with self.block():
            self.line(f"{p} = {self.pick([f'({v}, {w}, {v}[::-1])[{k}]', f'[{v}[1:], {w}[:3]][{k} % 2]', f'{v} if {k} % 2 else {w}', f'{v} if {v}[0] > {w}[0] + 0.0137 else {w}[1:]'])}")
            self.write(p)
            self.line(f"{v}[3] *= 0.9 + 0.1 * {p}[0]")

    def list_moves(self) -> None:
        """A list of windows whose items change places."""
        l, k, v, w = self.name(), self.name(), self.some((4,)), self.some((4,))
        self.line(f"{l} = [{v}[:2], {self.window()}, {w}[1:3]]")
        for _ in range(self.random.randrange(1, 5)):
            text = self.pick([
                f"{l}.reverse()", f"{l}.insert(0, {self.window()})", f"{l}.insert(1, {l}[-1])", f"{l}.append({l}[0])", f"{l} += [{self.window()}]",
                f"{l}[1:] = [{l}[-1], {l}[0], {v}[2:]]", f"{l} = {l}[::-1]", f"{l} = {l} + {l}", f"{l} = {l} * 2", f"{l}[0] = {l}[1]", f"{l} = list({l})", "write", "write", "write",
                f"{l}.append({l}.pop(0))", f"del {l}[0]; {l}.append({self.window()})", f"{l}.extend({l}[:2])", "loop", f"{l} = sorted({l}, key=lambda {k}: {k}[0])",
            ])  # fmt: skip
            if text == "write":
                self.write(f"{l}[{self.pick([0, 1, -1])}]")
            elif text == "loop":
                self.line(f"for {k} in {l}:")
                self.line(f"    {k}[0] = 0.5 * {k}[0] + 0.2 * {l}[0][1]")
            else:
                self.line(text)
        self.line(f"{self.new(SCALAR)} = np.tanh({self.pick([f'{l}[0][0] * {l}[-1][1]', f'sum({k}[0] * {k}[1] for {k} in {l})', f'np.sum({l}.pop())', f'np.sum(np.array({l}))'])})")

    def rows(self) -> None:
        """Rows, written as they are passed."""
        m, r, k, v = self.some((3, 4)), self.name(), self.name(), self.some((4,))
        choice = self.random.randrange(5)
        if choice == 0:
            self.line(f"for {r} in {m}{self.pick(['', '.T', '[::-1]'])}:")
            self.line(f"    {r} *= {self.pick([f'{r}[0]', self.leaf()])}")
            self.line(f"    {r}[0] += 0.2 * {v}[1]")
        elif choice == 1:
            self.line(f"for {r}, {k} in zip({m}, {v}):")
            self.line(f"    {r}[1:] += 0.2 * {k} * {r}[:-1]")
            self.line(f"    {v}[0] *= 0.8")
        elif choice == 2:
            self.line(f"for {r}, {k} in zip({m}[:-1], {m}[1:]):")
            self.line(f"    {k}[1] += 0.4 * {r}[0] * {r}[1]")
        elif choice == 3:
            self.line(f"{r}, {k}, _ = {m}")
            self.line(f"{r}[1] = 0.5 * {k}[2] + {self.leaf()}")
            self.line(f"{k} *= {r}")
        else:
            self.line(f"for {r} in [{m}[0], {m}[:, 1], {v}]:")
            self.line(f"    {r}[0] = 0.5 * {r}[1] + 0.2 * {m}[0, 0]")

    def rare_windows(self) -> None:
        """Windows that are seldom made."""
        m, w, v = self.some((3, 4)), self.name(), self.some((4,))
        text = self.pick([
            f"np.split({v}, 2)[1]", f"np.array_split({v}, [1])[1]", f"np.hsplit({m}, 2)[1][0]", f"np.vsplit({m}, 3)[2][0]", f"np.swapaxes({m}, 0, 1)[1]",
            f"np.moveaxis({m}, 0, 1)[2]", f"np.atleast_2d({v})[0]", f"{v}[None][0]", f"{v}[:, None][1:, 0]", f"np.expand_dims({v}, 0)[0]", f"{m}[..., 1]",
            f"{m}[1:, 2:][::-1, 0]", f"np.asarray({m})[1]", f"np.rot90({m})[0]", f"np.flip({v})", f"np.fliplr({m})[0]", f"{v}.view()", f"{m}.transpose()[1]",
            f"{m}.swapaxes(0, 1)[1]", f"np.atleast_1d({v})", f"{v}[slice(1, 3)]", f"{v}[1:][1:]", f"np.roll({v}, 1)", f"np.take({v}, [0, 1, 2])",
            f"np.squeeze({v}[None])", f"{v}.squeeze()", f"np.require({v})", f"np.ascontiguousarray({v})", f"np.nan_to_num({v})", f"{v}.astype(float)", f"np.trim_zeros({v})",
            f"{v}.reshape(2, 2)[1]", f"{v}.reshape(2, 2).T[0]", f"{v}.real", f"np.real({v})", f"np.unstack({m})[1]", f"np.array({v}, copy=None)", f"{v}.__getitem__(slice(1, None))",
        ])  # fmt: skip
        self.line(f"{w} = {text}")
        if self.chance(0.7):
            self.write(w)
        self.line(f"{v}[2] = 0.5 * {v}[2] + 0.3 * {w}[1]")
        self.line(f"{self.new(SCALAR)} = np.tanh({w}[0] * {w}[1])")

    def reduced(self) -> None:
        """Functions over windows that write as they go."""
        v, k, w = self.some((4,)), self.name(), self.some((4,))
        text = self.pick([
            f"sum(bump({v}, u) for u in {w})", f"sum(map(lambda u: bump({v}, u), {w}))", f"sum([bump({k}, 0.3) for {k} in [{v}, {w}, {v}[1:]]])",
            f"max(bump({v}, 0.2), bump({w}, 0.3))", f"bump({v}, bump({v}, {v}[0]))", f"{v}[0] * bump({v}, 0.3) + {v}[0]", f"bump({v}, 0.4) * {v}[0] + np.sum({v} * bump({v}, 0.1))",
            f"(lambda p, u: bump(p, u) + p[0])({v}[1:], {w}[0])", f"min([bump({v}, u) for u in ({w}[0], 0.3)])", f"len([bump({v}, u) for u in {w}]) * {v}[0] * 0.1",
            f"[bump({v}, u) for u in {w}][1] * {v}[0]", f"any([bump({v}, u) > 5.0 for u in {w}]) + {v}[0]",
        ])  # fmt: skip
        self.line(f"{self.new(SCALAR)} = np.tanh({text})")

    def nested_recursion(self) -> None:
        """A nested function that calls itself and writes what it has captured."""
        name, v, n = self.name(), self.some((4,)), self.random.randrange(1, 4)
        self.line(f"def {name}(k, u):")
        self.line("    if k == 0:")
        self.line(f"        return {v}[0] * u")
        self.line(f"    {v}[k] = 0.5 * {v}[k] + 0.2 * {v}[k - 1] * u")
        self.line(f"    return 0.6 * {name}(k - 1, {self.pick([f'{v}[k]', 'u', '0.5 * u'])}) + {v}[k]")
        text = f"{name}({n}, {self.leaf()})"
        self.line(f"{self.new(SCALAR)} = np.tanh({text})")

    def copied(self) -> None:
        """Copies of containers, which share their arrays or do not."""
        c, d, v = self.name(), self.name(), self.some((4,))
        self.line(f"{c} = {self.pick([f'[{v}, {v}[1:]]', f'({v}, {v}[::-1])', f'Track({v}).cut(1).kept', f'[{v}.copy(), {v}]'])}")
        self.line(f"{d} = {self.pick([f'list({c})', f'{c}[:]', f'[*{c}]', f'[p * 1.0 for p in {c}]', f'tuple({c})', f'[p for p in {c}]', f'[p[::-1] for p in {c}]'])}")
        self.write(f"{d}[{self.pick([0, -1])}]")
        self.write(f"{c}[0]")
        self.line(f"{self.new(SCALAR)} = np.tanh(np.sum({d}[0]) * {c}[-1][0])")

    def folds(self) -> None:
        """A recursion over a list of windows."""
        v, w = self.some((4,)), self.some((4,))
        text = f"folded([{self.window()}, {v}[1:], {w}], {self.leaf()})"
        self.line(f"{self.new(SCALAR)} = np.tanh({text})")


@dataclass
class RenamedGenerator(PassedGenerator):
    """Draws one program in which loops, branches and attempts within each other bind names of arrays to other ones, and write."""

    def stores(self) -> list[Callable[[], None]]:
        """The statements that change memory, and those that make windows into it."""
        return [*super().stores(), *[self.renamed] * 30]

    def renamed(self) -> None:
        """Names of two arrays that are bound to each other's within some regions."""
        self.regions(self.some((4,)), self.some((4,)), self.random.randrange(1, 4))

    def regions(self, v: str, w: str, depth: int) -> None:
        """A region in as many others, with writes before, in and after it."""
        if self.chance(0.4):
            self.write(self.pick([v, w]))
        if not depth:
            self.line(self.pick([f"{v}, {w} = {w}, {v}", f"{v} = {w}", f"{v} = {w}[::-1]", f"{w} = {v} * 0.7", f"{v} = SHARED * 1.0"]))
        elif (kind := self.random.randrange(5)) == 0:
            self.line(f"for {self.name()} in range({self.random.randrange(1, 3)}):")
            with self.block():
                self.regions(v, w, depth - 1)
        elif kind == 1:
            self.line(f"if {self.condition()}:")
            with self.block():
                self.regions(v, w, depth - 1)
        else:
            self.attempt_at(v, w, depth)
        if self.chance(0.6):
            i, j = self.random.sample(range(4), 2)
            self.line(self.pick([f"{v}[{i}], {v}[{j}] = {v}[{j}], {v}[{i}]", f"{w}[{i}] = 0.6 * {v}[{j}]", f"{v}[1:] = {w}[:-1] * 0.9"]))

    def attempt_at(self, v: str, w: str, depth: int) -> None:
        """A region in an attempt, which may fail behind it."""
        self.line("try:")
        with self.block():
            self.regions(v, w, depth - 1)
            if self.chance(0.4):
                self.line(f"{self.pick([v, w])}[{self.pick([1, 9])}] *= {self.leaf()}")
        self.line("except IndexError:")
        with self.block():
            self.line(self.pick(["pass", f"{v}[0] += 0.1 * {self.leaf()}", f"{w} = {v}"]))


FIRST_WIDER = 500_000  # the seed from which on programs are drawn by the wider generator
FIRST_PASSED = 10_000_000  # and that by the one that hands windows about
FIRST_RENAMED = 50_000_000  # and that by the one whose regions bind names to other arrays


def program_of(seed: int, length: int) -> str:
    """The text of the program of a seed."""
    tiers = {FIRST_RENAMED: RenamedGenerator, FIRST_PASSED: PassedGenerator, FIRST_WIDER: WiderGenerator}
    generator = next((drawn for first, drawn in tiers.items() if seed >= first), MemoryGenerator)
    return generator(Random(seed), 0.8).program(length)[0]


def laid_out(seed: int) -> tuple[Any, ...]:
    """Arguments for ``f``, in several layouts; some share memory, some are read-only."""
    rng, pick = np.random.default_rng(seed), Random(seed)
    a, b, m = rng.uniform(-1, 1, 8), rng.uniform(-1, 1, 8), rng.uniform(-1, 1, (6, 8))
    vectors = [a[:4].copy(), a[::2], a[3::-1]]
    matrices = [m[:3, :4].copy(), m[::2, ::2], np.asfortranarray(m[:3, :4]), m[:4, :3].T, m[2::-1, 4:]]
    first, matrix = pick.choice(vectors), pick.choice(matrices)
    second = pick.choice([b[:4].copy(), b[:4].copy(), b[4:0:-1], b[::2]])
    if pick.random() < 0.12:
        second = pick.choice([first, first[::-1], a[1:5], a[:4], matrix[0], matrix[1, ::-1]])
    for array in (first, second, matrix):
        if pick.random() <= 0.15:
            array.flags.writeable = False
    return first, second, matrix, float(rng.uniform()), float(-rng.uniform())


def share(args: tuple[Any, ...]) -> bool:
    """Whether some of the arguments share memory."""
    first, second, matrix = args[:3]
    return bool(np.shares_memory(first, second) or np.shares_memory(second, matrix))
