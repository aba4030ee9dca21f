"""Random programs that share memory in all the ways that derivatives got wrong: see ``program_generator`` for the rest.

Helpers make buffers, write into them and return them: whole, as windows, several at once, in lists and objects; conditions of
loops store; terms stand for their only operand; closures write into what they see; lists are handed to NumPy; arguments are
strided, of Fortran's order or reversed, and arrays of the module are read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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


@dataclass
class MemoryGenerator(Generator):
    """Draws one program."""

    def program(self, length: int = 8) -> tuple[str, str | None]:
        """The text of a module that defines ``f``; its result is what is differentiated."""
        self.variables = [
            Variable(n, s) for n, s in (("a", (4,)), ("b", (4,)), ("m", (3, 4)), ("x", ()), ("y", ()))
        ]
        self.lines = ["def f(a, b, m, x, y):"]
        with self.block():
            self.statements(length)
            self.line(f"return {self.result()}")
        return HELPERS + WILD_HELPERS + "\n".join(self.lines) + "\n", None

    def stores(self) -> list[Callable[[], None]]:
        """The statements that change memory, and those that make windows into it."""
        return [
            *super().stores(), self.made, self.made, self.several, self.several, self.object, self.listed, self.condition_stores,
            self.identity, self.identity, self.reshaped, self.reshaped, self.items, self.loaded, self.closure, self.shared,
        ]  # fmt: skip

    def statements(self, length: int) -> None:
        """Some statements; in a while, a helper of one's own that is called in a loop comes of itself."""
        super().statements(length)

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
            self.line(f"{self.new(SCALAR)} = np.tanh(taped({self.vector(4, 1)}))")

    def object(self) -> None:
        """An object with windows of its own buffer."""
        name = self.name()
        self.line(f"{name} = {self.pick([f'Cell({self.vector(4, 1)})', 'Empty(4)'])}")
        if self.lines[-1].endswith("Empty(4)"):
            self.line(f"{name}.b += 0.5 * {self.some((4,))}")
        elif self.chance(0.6):
            self.line(f"{self.new(SCALAR)} = {name}.push({self.scalar(1)})")
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
        """A loop whose condition stores."""
        if self.loops >= 2:
            return self.branch()
        name, v = self.name(), self.some((4,))
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
        self.line(f"{self.new(SCALAR)} = {name}({self.leaf()})")

    def shared(self) -> None:
        """An array of the module beside one's own, bound to one name."""
        v = self.some((4,))
        self.line(
            f"{self.new((4,))} = {self.pick([f'SHARED * {v}', f'SHARED + {v}', f'({v} if {self.condition()} else SHARED) * 1.0'])}"
        )


def laid_out(seed: int) -> tuple[Any, ...]:
    """Arguments for ``f``, in several layouts."""
    rng, pick = np.random.default_rng(seed), Random(seed)
    a, b, m = rng.uniform(-1, 1, 8), rng.uniform(-1, 1, 8), rng.uniform(-1, 1, (6, 8))
    vectors = [a[:4].copy(), a[::2], a[3::-1]]
    matrices = [m[:3, :4].copy(), m[::2, ::2], np.asfortranarray(m[:3, :4]), m[:4, :3].T, m[2::-1, 4:]]
    return (
        pick.choice(vectors),
        b[:4].copy(),
        pick.choice(matrices),
        float(rng.uniform()),
        float(-rng.uniform()),
    )
