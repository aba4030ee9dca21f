"""Loops over what a function gives of which nothing is known: its items are those that indices name, or it is refused."""

import pytest
from mode_pairs import load

import s2sad
from s2sad.errors import UnsupportedSyntaxError

HEAD = """
import collections
import numpy as np

class Own:
    def __iter__(self):
        return iter([1.0, 2.0])

class Indexed:
    def __getitem__(self, k):
        if k > 1:
            raise IndexError
        return float(k)

class Sized(Indexed):
    def __len__(self):
        return 5

def made(x):
    {made}

def f(x):
    {body}
"""
SEQUENCES = [
    "return [x, 2.0]", "return (x, 2.0)", "return np.array([x, 2.0])", "return range(1, 3)", "return collections.deque([x, 2.0])",
]  # fmt: skip
OTHERS = [
    "yield x; yield 3.0", "return iter([x, 2.0])", "return map(float, [x, 2.0])", "return {1.0, 2.0}",
    "return {1.0: 5.0, 2.0: 6.0}", "return {0: 5.0, 1: 7.0}", "return {1: x, 2: x}.values()", "return Own()",
    "return Indexed()", "return Sized()",
]  # fmt: skip
BODIES = [
    "return sum(made(x)) * x", "s = x\n    for v in made(x):\n        s = s * v + x\n    return s",
    "return sum([v * x for v in made(x)])", "return max(made(x)) * x", "a = list(made(x))\n    return a[0] * x",
    "a, b = made(x)\n    return (a + b) * x", "i = iter(made(x))\n    return next(i) * x", "a, *b = made(x)\n    return a * x",
    "return sum(v * w * x for v, w in zip(made(x), [1.0, 2.0]))", "return sum(k * v * x for k, v in enumerate(made(x)))",
    "return sorted(made(x))[0] * x",
]  # fmt: skip
MODES = (lambda f: s2sad.grad(f)(3.0), lambda f: s2sad.jvp(f, (3.0,), (1.0,))[1])


def program(made, body):
    function = load(HEAD.format(made=made, body=body))
    s2sad.nondifferentiable(function.__globals__["made"])
    return function


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("made", OTHERS)
def test_what_has_no_indices_in_order_is_refused(made: str, body: str) -> None:
    function = program(made, body)
    for mode in MODES:
        with pytest.raises(UnsupportedSyntaxError):
            mode(function)


@pytest.mark.parametrize("body", [body for body in BODIES if "*b" not in body])
@pytest.mark.parametrize("made", SEQUENCES)
def test_sequences_are_run_over(made: str, body: str) -> None:
    function = program(made, body)
    step = 1e-6
    made_at_3 = function.__globals__["made"](3.0)
    constant = load(HEAD.format(made="return frozen", body=body))
    constant.__globals__["frozen"] = made_at_3
    slope = (constant(3.0 + step) - constant(3.0 - step)) / (2 * step)
    for mode in MODES:
        assert mode(function) == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("made", ["return x", "return None", "return np.float64(x)", "return np.array(x)"])
def test_what_has_no_items_raises_as_in_python(made: str) -> None:
    function = program(made, "return sum([v * x for v in made(x)])")
    with pytest.raises(TypeError) as plain:
        function(3.0)
    for mode in MODES:
        with pytest.raises(TypeError) as ours:
            mode(function)
        assert str(ours.value) == str(plain.value)
