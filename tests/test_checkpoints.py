"""Calls that are computed again: the derivatives of the same programs without, and what is refused."""

from __future__ import annotations

import importlib.util
import pickle
import subprocess
import sys
import types
from pathlib import Path

import checkpoint_programs
import numpy as np
import pytest
from checkpoint_programs import PROGRAMS, W, X

import s2sad
from s2sad import S2sadError, check_grads, checkpoint, differentiate, grad, hessian, rule, value_and_grad
from s2sad.errors import CompilerError

NAMES = [program.__name__ for program in PROGRAMS]
ANOTHER_ORDER = ("buffers_swapped", "inner_descent")  # sums of contributions are added in another order


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> types.ModuleType:
    """The same programs with a ``checkpoint`` that does nothing."""
    text = Path(checkpoint_programs.__file__).read_text(encoding="utf-8")
    imported = "from s2sad import checkpoint, grad, jvp, vjp\n"
    assert text.count(imported) == 1
    text = text.replace(
        imported, "from s2sad import grad, jvp, vjp\n\n\ndef checkpoint(function):\n    return function\n"
    )
    path = tmp_path_factory.mktemp("plain") / "programs_without_checkpoint.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _arguments(name: str) -> tuple[np.ndarray, ...]:
    return (X.copy(), W.copy())[: getattr(checkpoint_programs, name).__code__.co_argcount]


@pytest.mark.parametrize("name", NAMES)
def test_derivatives_are_those_without_checkpoint(name: str, plain: types.ModuleType) -> None:
    wrt = tuple(range(len(_arguments(name))))
    value, found = value_and_grad(getattr(checkpoint_programs, name), wrt)(*_arguments(name))
    expected_value, expected = value_and_grad(getattr(plain, name), wrt)(*_arguments(name))
    assert value == expected_value == getattr(checkpoint_programs, name)(*_arguments(name))
    for a, b in zip(found, expected, strict=True):
        if name in ANOTHER_ORDER:
            np.testing.assert_allclose(a, b, rtol=1e-14)
        else:
            assert np.array_equal(a, b)


@pytest.mark.parametrize("name", NAMES)
def test_derivatives_are_those_of_differences(name: str) -> None:
    check_grads(getattr(checkpoint_programs, name), _arguments(name))


@pytest.mark.parametrize(
    "name",
    ["input_overwritten", "filled_in_place", "closure", "buffers_swapped"],
)
def test_second_order(name: str) -> None:
    check_grads(getattr(checkpoint_programs, name), _arguments(name), order=2)


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


def grows(xs, x):
    xs.append(x)


@pytest.mark.parametrize(
    ("program", "what"),
    [
        (lambda x: np.sum(checkpoint(draws)(x)), "normal in the checkpointed call of draws"),
        (lambda x: np.sum(checkpoint(prints)(x)), "print in the checkpointed call of prints"),
        (lambda x: np.sum(checkpoint(of_unknown)(x)), "unknown in the checkpointed call of of_unknown"),
        (lambda x: np.sum(checkpoint(window)(x.copy())), "a part of an array that it writes into"),
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
