"""Calls and loops that are computed again: the derivatives of the same programs without, and what is refused."""

from __future__ import annotations

import importlib.util
import pickle
import re
import subprocess
import sys
import types
from collections.abc import Callable
from functools import cache
from math import comb
from pathlib import Path

import checkpoint_programs
import checkpointed_loops
import numpy as np
import pytest
from checkpoint_programs import W, X

import s2sad
from s2sad import (
    S2sadError,
    check_grads,
    checkpoint,
    checkpointed,
    differentiate,
    grad,
    hessian,
    rule,
    value_and_grad,
)
from s2sad.errors import CompilerError
from s2sad.runtime import is_due, stale, stops

MODULES = (checkpoint_programs, checkpointed_loops)
CASES = [pytest.param(m, p.__name__, id=f"{m.__name__}-{p.__name__}") for m in MODULES for p in m.PROGRAMS]
ANOTHER_ORDER = (
    "buffers_swapped",
    "inner_descent",
    "derivatives_of_it",
)  # sums of contributions are added in another order
PLAIN = """from s2sad import grad, jvp, vjp


def checkpoint(function):
    return function


def checkpointed(steps, snapshots):
    return steps
"""
SECOND = [
    (checkpoint_programs, ("input_overwritten", "filled_in_place", "closure", "buffers_swapped")),
    (checkpointed_loops, ("rebound", "while_loop")),
]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[types.ModuleType, types.ModuleType]:
    """The same programs with a ``checkpoint`` and a ``checkpointed`` that do nothing."""
    folder = tmp_path_factory.mktemp("plain")
    found: dict[types.ModuleType, types.ModuleType] = {}
    for module in MODULES:
        text = Path(str(module.__file__)).read_text(encoding="utf-8")
        text, count = re.subn(r"from s2sad import .*\n", PLAIN, text)
        assert count == 1
        path = folder / f"plain_{module.__name__}.py"
        path.write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        found[module] = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = found[module]
        spec.loader.exec_module(found[module])
    return found


def _arguments(program: Callable[..., object]) -> tuple[np.ndarray, ...]:
    return (X.copy(), W.copy())[: program.__code__.co_argcount]


@pytest.mark.parametrize(("module", "name"), CASES)
def test_derivatives_are_those_without_it(
    module: types.ModuleType, name: str, plain: dict[types.ModuleType, types.ModuleType]
) -> None:
    program, same = getattr(module, name), getattr(plain[module], name)
    wrt = tuple(range(len(_arguments(program))))
    value, found = value_and_grad(program, wrt)(*_arguments(program))
    expected_value, expected = value_and_grad(same, wrt)(*_arguments(program))
    assert value == expected_value == program(*_arguments(program))
    for a, b in zip(found, expected, strict=True):
        if name in ANOTHER_ORDER:
            np.testing.assert_allclose(a, b, rtol=1e-13)
        else:
            assert np.array_equal(a, b)


@pytest.mark.parametrize(("module", "name"), CASES)
def test_derivatives_are_those_of_differences(module: types.ModuleType, name: str) -> None:
    check_grads(getattr(module, name), _arguments(getattr(module, name)))


@pytest.mark.parametrize(("module", "name"), [(m, name) for m, names in SECOND for name in names])
def test_second_order(module: types.ModuleType, name: str) -> None:
    check_grads(getattr(module, name), _arguments(getattr(module, name)), order=2)


# --- what is recorded


@checkpoint
def deep(x, w):
    for _ in range(20):
        x = np.tanh(w @ x) + x
    return x


@differentiate
def chain(x, w, n):
    for _ in range(n):
        x = deep(x, w)
    return np.sum(x)


def test_only_inputs_are_recorded() -> None:
    text = chain.source("adjoint", X, W, 3)
    main = text[text.index("def chain_adjoint") :]
    assert main.count("_tape = []") == 1
    assert "x_tape.append(x)" in main
    assert "deep(x, w)" in main
    assert "deep_adjoint(x, w, x_bar)" in main


def test_forward_mode_ignores_it() -> None:
    assert "def deep" not in chain.source("tangent", X, W, 3)


# --- the function itself


def test_it_is_the_function() -> None:
    assert np.array_equal(deep(X, W), deep.__wrapped__(X, W))
    assert deep.__name__ == "deep"
    assert pickle.loads(pickle.dumps(deep)) is deep
    assert np.allclose(
        grad(lambda x: np.sum(deep(x, W)))(X), grad(lambda x: np.sum(deep.__wrapped__(x, W)))(X)
    )


def test_as_the_function_that_is_differentiated() -> None:
    assert np.allclose(hessian(checkpoint(lambda x: np.sum(x**3)))(X), np.diag(6 * X))


def test_unnamed_functions_travel_as_text() -> None:
    twice = checkpoint(_local())
    assert pickle.loads(pickle.dumps(twice))(2.0) == twice(2.0)


def _local():
    def function(x):
        return x * x

    return function


# --- what is refused


def draws(x):
    return x * np.random.normal()


def prints(x):
    print(x)
    return x * x


@rule(x="g * 2.0")
def unknown(x):
    return x * 2.0


def of_unknown(x):
    return unknown(x) * x


def window(x):
    x[0] = 1.0
    return x[1:]


def with_a_window(x):
    y = x * 2.0
    return y, y[:2]


def window_of_a_result(x):
    y, window = checkpoint(with_a_window)(x)
    window *= x[:2]
    return np.sum(y**2)


def grows(xs, x):
    xs.append(x)


@pytest.mark.parametrize(
    ("program", "what"),
    [
        (lambda x: np.sum(checkpoint(draws)(x)), "normal in the checkpointed call of draws"),
        (lambda x: np.sum(checkpoint(prints)(x)), "print in the checkpointed call of prints"),
        (lambda x: np.sum(checkpoint(of_unknown)(x)), "unknown in the checkpointed call of of_unknown"),
        (lambda x: np.sum(checkpoint(window)(x.copy())), "a part of an array that it writes into"),
        (window_of_a_result, "the results of a checkpointed function have an adjoint each"),
    ],
)
def test_what_cannot_be_done_twice_is_refused(program, what: str) -> None:
    with pytest.raises(S2sadError, match=what) as caught:
        grad(program)(X)
    assert not isinstance(caught.value, CompilerError)


def test_lists_that_a_call_changes_are_refused() -> None:
    def program(x):
        xs = [x[0]]
        checkpoint(grows)(xs, x[1])
        return xs[0] * xs[1]

    with pytest.raises(S2sadError, match="copies are kept of arrays alone"):
        grad(program)(X)


# --- loops


def long_loop(x, n, snapshots):
    for _ in checkpointed(range(n), snapshots=snapshots):
        x = x * (1.0 - 1e-4 * x)
    return np.sum(x)


def test_steps_and_states_are_those_of_the_theory() -> None:
    derived = differentiate(long_loop)
    namespace: dict[str, object] = {}
    exec(derived.source("adjoint", X, 5, 2), namespace)
    step, copies = namespace["long_loop_step"], []

    def counting(*args):
        copies.append(None)
        return step(*args)

    namespace["long_loop_step"] = counting
    for n, snapshots in ((1, 1), (5, 1), (10, 3), (200, 5), (1000, 10)):
        copies.clear()
        value, bar = namespace["long_loop_adjoint"](X, n, snapshots)
        assert len(copies) == fewest(n + 1, snapshots)
        assert value == long_loop(X, n, snapshots)
        assert np.array_equal(bar, derived.grad(X, n, snapshots))


def fewest(steps: int, snapshots: int) -> int:
    """The least number of steps forward (Griewank & Walther 2000, proposition 1)."""
    again = 0
    while comb(snapshots + again, again) < steps:
        again += 1
    return again * steps - comb(snapshots + again, again - 1) if again else 0


@cache
def least(steps: int, snapshots: int) -> int:
    """The same by trying all places of the first snapshot."""
    if steps <= 1 or snapshots == 1:
        return steps * (steps - 1) // 2
    return min(m + least(steps - m, snapshots - 1) + least(m, snapshots) for m in range(1, steps))


def reversal(n: int, snapshots: int, known: bool) -> tuple[int, int]:
    """Steps forward, and the most states at a time, of the loop that is emitted."""
    kept: list[int] = []
    done = most = 0
    if known:
        marks = stops(0, n + 1, snapshots)
        kept, done = marks[: max(len(marks) - 1, 1)], n
    else:
        for step in range(n):
            if is_due(step, snapshots):
                for k in stale(step, snapshots, kept):
                    del kept[k]
                kept.append(step)
                most = max(most, len(kept))
        done = n
    for k in reversed(range(n)):
        marks = stops(kept[-1], k + 1, snapshots - len(kept) + 1)
        kept += marks[1:-1]
        done += marks[-1] - marks[0]
        most = max(most, len(kept))
        if kept[-1] == k:
            kept.pop()
    return done, most


@pytest.mark.parametrize("snapshots", [1, 2, 3, 5, 8])
def test_the_schedule_is_the_best_there_is(snapshots: int) -> None:
    for n in range(1, 50):
        done, most = reversal(n, snapshots, known=True)
        assert done == least(n + 1, snapshots) == fewest(n + 1, snapshots)
        assert most <= snapshots


@pytest.mark.parametrize("snapshots", [1, 2, 3, 10, 50])
def test_loops_of_unknown_length_keep_as_many_states(snapshots: int) -> None:
    for n in (1, 2, 7, 10, 50, 100, 400):
        done, most = reversal(n, snapshots, known=False)
        assert most <= snapshots
        assert done <= 1.5 * fewest(n + 1, snapshots)


def random_in_a_loop(x):
    for _ in checkpointed(range(3), snapshots=2):
        x = x * np.random.normal()
    return np.sum(x)


def list_in_a_loop(x):
    xs = []
    for i in checkpointed(range(3), snapshots=2):
        xs.append(x[i])
    return sum(xs)


def new_arrays_written_elsewhere(x):
    u = x.copy()
    u[0] = 2.0 * x[1]
    for _ in checkpointed(range(3), snapshots=2):
        new = np.empty_like(u)
        new[:] = np.sin(u)
        u = new
    return np.sum(u)


def no_snapshots(x):
    for _ in checkpointed(range(3), snapshots=0):
        x = np.sin(x)
    return np.sum(x)


def over_a_tuple(x):
    for k in checkpointed((1.0, "a"), snapshots=2):
        x = np.sin(x)
    return np.sum(x)


def elsewhere(x):
    steps = checkpointed(range(3), snapshots=2)
    for _ in steps:
        x = np.sin(x)
    return np.sum(x)


@pytest.mark.parametrize(
    ("program", "what"),
    [
        (random_in_a_loop, "normal in a checkpointed loop"),
        (list_in_a_loop, "copies are kept of arrays alone"),
        (new_arrays_written_elsewhere, "which array its adjoint belongs to is not kept"),
        (no_snapshots, "no positive integer"),
        (over_a_tuple, "checkpointed over this"),
        (elsewhere, "checkpointed is not supported in a differentiated function"),
    ],
)
def test_loops_that_are_refused(program, what: str) -> None:
    with pytest.raises(S2sadError, match=what) as caught:
        grad(program)(X)
    assert not isinstance(caught.value, CompilerError)


def test_less_than_one_snapshot_is_told_when_it_runs() -> None:
    with pytest.raises(ValueError, match="snapshots=0, but at least one state is kept"):
        grad(long_loop)(X, 3, 0)


def test_it_is_what_the_loop_runs_over() -> None:
    steps = range(3)
    assert checkpointed(steps, snapshots=2) is steps


# --- the command line


def test_transform(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(
        "import numpy as np\nimport s2sad\nfrom s2sad import checkpoint\n\n\n"
        "@checkpoint\ndef layer(x: np.ndarray) -> np.ndarray:\n    return np.sin(x) * x\n\n\n"
        "def loss(x: np.ndarray, n: int) -> float:\n    for _ in range(n):\n        x = layer(x)\n"
        "    return np.sum(s2sad.checkpoint(np.cos)(x))\n"
    )  # fmt: skip
    command = [sys.executable, "-m", "s2sad", "transform", "model.py", "--function", "loss", "-o", "-"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "x_tape.append(" in done.stdout
    assert "x_bar = layer_adjoint(" in done.stdout
    module: dict[str, object] = {}
    exec(done.stdout, module)
    spec = importlib.util.spec_from_file_location("model_of_checkpoints", tmp_path / "model.py")
    assert spec is not None and spec.loader is not None
    model = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(model)
    _, found = module["loss_adjoint"](X, 3)
    assert np.array_equal(found, s2sad.grad(model.loss)(X, 3))


def a_window_from_before(x):
    a = x * 1.0
    w = a[1:]
    for _ in checkpointed(range(5), snapshots=2):
        w *= 1 + a[0]
        a[0] *= 0.9
    return np.sum(a**2)


def a_window_of_each_turn(x):
    a = x * 1.0
    for _ in checkpointed(range(5), snapshots=2):
        w = a[1:]
        w *= 1 + a[0]
        a[0] *= 0.9
    return np.sum(a**2)


def grown(a, w):
    w *= 1 + a[0]
    return np.sum(a**2)


def array_and_window(x):
    a = x * 1.0
    w = a[1:]
    return checkpoint(grown)(a, w)


def tail(a):
    return a[1:]


def window_of_a_checkpoint(x):
    a = x * 1.0
    w = checkpoint(tail)(a)
    w *= 2.0
    return np.sum(a**3)


@pytest.mark.parametrize(("program", "what"), [
    (a_window_from_before, "^a and w share memory, and the body of a checkpointed loop writes into one"),
    (array_and_window, "^a and w share memory, and grown writes into one"),
    (window_of_a_checkpoint, "itself, or a part of it, and is written here(.|\n)*or call it without checkpoint"),
])  # fmt: skip
def test_windows_that_are_written_are_refused_by_their_names(program, what: str) -> None:
    for derivative in (grad(program), hessian(program)):
        with pytest.raises(S2sadError, match=what):
            derivative(X)
    check_grads(a_window_of_each_turn, (X,))
