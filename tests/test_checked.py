"""The checked mode, in which the whole suite runs: that it sees what is not as it was taken to be, and that it is at work."""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad import checked, grad, jvp, trees, vjp
from s2sad.errors import CompilerError
from s2sad.runtime import guards

X = np.array([0.3, 0.5, 0.7, 1.1])


def turned(a):
    """A window, whatever its rule says."""
    return a[::-1]


def doubling(a):
    """Writes into its argument, whatever its rule says."""
    a *= 2.0
    return np.sum(a)


def spoiling(a):
    """The same, where nothing is differentiated."""
    b = a
    b[0] += 1.0
    return 1.0


def itself(a):
    """Its argument, whatever its rule says."""
    return a


def apart(a):
    """New memory, whatever its rule says."""
    return a[1:].copy()


NAMES = [f"{__name__}.{f.__name__}" for f in (turned, doubling, spoiling, itself, apart)]
s2sad.rule(itself, linear=True, a="g", effects="fresh")
s2sad.rule(apart, linear=True, a="concatenate((zeros(1), g))", effects="view(a)")
s2sad.rule(turned, linear=True, a="g[::-1]", effects="fresh")
s2sad.rule(doubling, linear=True, a="2.0 * g * ones_like(a)", effects="fresh")
s2sad.nondifferentiable(spoiling)


def a_window_that_is_called_new(x):
    a = 2.0 * x
    b = turned(a)
    b[0] = 5.0
    return np.sum(a**2) * np.sum(b)


def one_array_that_is_called_two(x):
    a = 2.0 * x
    b = itself(a)
    b[0] = 5.0
    return np.sum(a**2) * np.sum(b)


def a_tape_that_is_written(x):
    a = np.sin(x)
    y = np.sum(a**2)
    b = turned(a)
    b[1] = 5.0
    return y * np.sum(a * x) * np.sum(b)


def an_argument_that_is_written(x):
    return doubling(x) * np.sum(x**2)


def a_value_that_is_written(x):
    a = np.sin(x)
    return doubling(a) * np.sum(a**2)


def a_constant_that_is_written(x):
    c = np.ones(4)
    y = np.sum(c * x**2)
    return y * spoiling(c) * np.sum(c * x)


def new_memory_that_is_called_a_window(x):
    a = np.sin(x)
    b = apart(a)
    b[0] = 5.0
    return np.sum(a**2) + np.sum(b)


LIES: list[tuple[Callable[..., Any], str]] = [
    (a_window_that_is_called_new, "share memory"),
    (one_array_that_is_called_two, "one array"),
    (a_tape_that_is_written, "share memory"),
    (an_argument_that_is_written, "has been written|has changed"),
    (a_value_that_is_written, "has changed"),
    (a_constant_that_is_written, "has changed"),
    (new_memory_that_is_called_a_window, "memory of its own"),
]


@pytest.mark.parametrize(("function", "what"), LIES, ids=[f.__name__ for f, _ in LIES])
def test_wrong_lines_of_effects_are_seen(function: Callable[..., Any], what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for derivative in (grad(function), lambda x: jvp(function, (x,), (X,))):
        monkeypatch.setattr(guards, "_calls", dict.fromkeys(NAMES, 2))  # of the third call not even contents are compared
        with pytest.raises(CompilerError, match=what):
            derivative(X.copy())


def sized(a):
    """What is made for arrays of several sizes is one function of generated code."""
    b = 2.0 * a
    c = turned(b)
    c[0] = 5.0
    return np.sum(b**2) * np.sum(c)


def test_functions_that_are_written_alike_are_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    plain = checked.run

    def run(function: Any, claims: Any, *rest: Any) -> Any:
        seen.append(len(claims["sized_forward"]))
        return plain(function, claims, *rest)

    monkeypatch.setattr(checked, "run", run)
    monkeypatch.setattr(guards, "_calls", dict.fromkeys(NAMES, 2))
    with pytest.raises(CompilerError, match="sized_forward.* share memory"):
        grad(lambda x: sized(np.outer(x, x)) + sized(x[1:]))(X)
    assert seen == [2]


def test_programs_run_under_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[set[str]] = []
    plain = checked.run

    def run(function: Any, claims: Any, *rest: Any) -> Any:
        seen.append(set(claims))
        return plain(function, claims, *rest)

    def helper(a):
        a[0] *= 2.0
        b = a.copy()
        return np.sum(b)

    def program(x):
        t = 0.0
        for k in range(3):
            t += helper(x * k) ** 2
        return t

    monkeypatch.setattr(checked, "run", run)
    vjp(program, X)[1](1.0)
    assert seen and all(any(name.startswith("program") for name in claims) for claims in seen)


def test_an_array_is_held_to_every_claim() -> None:
    """By its names, and by the places of containers; of places that no claim mentions, nothing is claimed."""
    buffer = np.random.default_rng(0).uniform(0.5, 1.5, 4)
    names = {"a": frozenset({1}), "b": frozenset({2}), "tape": frozenset({3})}

    def program(a: Any, b: Any) -> Any:
        tape = (np.zeros(2), [b])
        return np.sum(a) + len(tape)

    for inside in ({4: {"*": 2}}, {}):  # what is read stands in one container with what is written
        claims = checked.Claims(names, {3: {0: 6, 1: 4}, **inside}, frozenset({6}))
        checked.run(program, {"program": (claims,)}, (buffer, buffer[::-1]), {})
    wrong = checked.Claims(names, {3: {0: 5, 1: 4}, 4: {"*": 6}}, frozenset({6}))
    with pytest.raises(CompilerError, match="one array"):
        checked.run(program, {"program": (wrong,)}, (buffer, buffer[::-1]), {})


def test_of_what_a_folded_tape_holds_nothing_is_claimed_but_of_variables_and_other_tapes() -> None:
    """A class that stands for a tape and all that it holds is written in parts; of one with a place for each, all is known."""
    names = {"a": frozenset({1}), "tape": frozenset({2}), "item": frozenset({3})}
    folded, apart = {2: {0: 3, 1: 3}, 3: {"*": 3}}, {2: {0: 3, 1: 2}}

    def program(a: Any, b: Any) -> Any:
        tape = (b, (b, ()))
        return np.sum(a) + len(tape)

    def named(a: Any, b: Any) -> Any:
        item = b
        return np.sum(a) + np.sum(item)

    checked.run(program, {"program": (checked.Claims(names, folded, frozenset({3})),)}, (X, X[::-1]), {})
    for function, held in ((named, folded), (program, apart)):
        claims = checked.Claims(names, held, frozenset({3}))
        with pytest.raises(CompilerError, match="share memory"):
            checked.run(function, {function.__name__: (claims,)}, (X, X[::-1]), {})


def test_arguments_that_are_only_read_may_share_memory() -> None:
    """The name of one of them may be that of a written copy later on."""

    def program(a: Any, b: Any) -> Any:
        c = a + b
        a = np.copy(a)
        a += c
        return np.sum(a)

    claims = checked.Claims({"a": frozenset({1, 3}), "b": frozenset({2}), "c": frozenset({4})}, {}, frozenset({3}))
    for arguments in ((X, X), (X, X[::-1])):
        checked.run(program, {"program": (claims,)}, arguments, {})


class _Spoiled(ast.NodeTransformer):
    """One mistake in a generated program: the copy, or the window, of this number is the array itself, or a copy."""

    def __init__(self, number: int) -> None:
        self.left = number

    def _turn(self) -> bool:
        self.left -= 1
        return self.left == -1

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        of_numpy = ast.unparse(node.func) == "np.copy"
        copies = of_numpy or (isinstance(node.func, ast.Attribute) and node.func.attr == "copy")
        if copies and self._turn():
            return node.args[0] if of_numpy else node.func.value  # type: ignore[attr-defined]
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        window = isinstance(node.value, ast.Subscript) and ":" in ast.unparse(node.value.slice)
        if window and isinstance(node.targets[0], ast.Name) and self._turn():
            node.value = ast.parse(f"np.copy({ast.unparse(node.value)})", mode="eval").body
        return node


def diffused(u, k):
    for _ in range(2):
        inner = u[1:-1]
        inner += k * (u[2:] - 2.0 * inner + u[:-2])
        inner *= inner
    return np.sum(u**3)


def halves_swapped(u, k):
    v = np.sin(u)
    left, right = v[:2], v[2:]
    kept = left.copy()
    left[:] = right * k
    right[:] = kept * left
    v *= v
    return np.sum(v[:2] * kept) * np.sum(u)


def helped(u, k):
    def halve(w):
        w[0] *= 0.5 * k
        return w[0] * w[1]

    t = halve(u)
    for j in range(2):
        t += halve(u[j:]) ** 2
    return t * np.sum(u)


@pytest.mark.parametrize("mode", ["tangent", "adjoint"])
@pytest.mark.parametrize("function", [diffused, halves_swapped, helped])
def test_mistakes_in_programs_are_seen(function: Callable[..., Any], mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies that are left out and windows that are copies, one at a time: the numbers are right, or it is told."""
    plain, told, made = checked.run, 0, 0

    def numbers(found: Any) -> Any:
        return np.concatenate([np.ravel(part) for part in trees.leaves(found)])

    def run(program: Any, claims: Any, args: Any, keywords: Any) -> Any:
        nonlocal told, made
        text = inspect.getsource(inspect.getmodule(program) or program)
        right = numbers(plain(program, claims, copy.deepcopy(args), keywords))
        while True:
            spoiled = _Spoiled(made)
            tree = spoiled.visit(ast.parse(text))
            if spoiled.left >= 0:
                break
            space = dict(program.__globals__)
            exec(compile(ast.fix_missing_locations(tree), "spoiled", "exec"), space)
            made += 1
            try:
                found = numbers(plain(space[program.__name__], claims, copy.deepcopy(args), keywords))
            except CompilerError:
                told += 1
            else:
                assert np.allclose(found, right), ast.unparse(tree)
        return plain(program, claims, args, keywords)

    monkeypatch.setattr(checked, "run", run)
    if mode == "adjoint":
        grad(function, (0, 1))(X.copy(), 0.7)
    else:
        jvp(function, (X.copy(), 0.7), (X, 0.3))
    assert told > 1


def test_without_the_variable_nothing_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_VERIFY", "0")
    monkeypatch.setattr(checked, "run", None)
    assert np.allclose(grad(lambda x: np.sum(x**3))(X), 3 * X**2)
