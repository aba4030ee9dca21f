"""The examples: the figures of the texts that they come from, and their committed derivative modules."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import evaluation_trace
import feed_forward
import mini_pytorch
import needle_operators
import numpy as np
import pytest
import regenerate
import softmax_cross_entropy
import worked_graph
from numpy.testing import assert_allclose

from s2sad import grad
from s2sad.testing import check_grads, dot_product_test

TOOLS = {"__main__", "pictures", "regenerate"}
EXAMPLES = sorted(path.stem for path in (regenerate.FOLDER.parent / "examples").glob("*.py") if path.stem not in TOOLS)


def tangents(*direction: float) -> dict[str, float]:
    trace = evaluation_trace.y.trace(2.0, 5.0, mode="tangent", tangents=direction)
    return {row.name: row.value for row in trace.column("tangent")}


# --- the evaluation trace of y = ln(x1) + x1 x2 - sin(x2)


def test_primal_trace() -> None:
    trace = evaluation_trace.y.trace(2.0, 5.0).column("primal")
    assert [(step.name, step.formula) for step in trace] == [
        ("v3", "np.log(x1)"), ("v4", "x1 * x2"), ("v5", "np.sin(x2)"), ("v6", "v3 + v4"), ("y", "v6 - v5"),
    ]  # fmt: skip
    assert_allclose([step.value for step in trace], [0.693, 10.0, -0.959, 10.693, 11.652], atol=5e-4)


def test_tangent_traces() -> None:
    along_x1 = tangents(1.0, 0.0)
    assert_allclose([along_x1[f"{v}_dot"] for v in ("v3", "v4", "v5", "v6", "y")], [0.5, 5.0, 0.0, 5.5, 5.5])
    along_x2 = tangents(0.0, 1.0)
    assert_allclose([along_x2[f"{v}_dot"] for v in ("v3", "v4", "v5", "v6", "y")], [0, 2, 0.284, 2, 1.716], atol=5e-4)


def test_adjoint_trace() -> None:
    rows = evaluation_trace.y.trace(2.0, 5.0).column("adjoint")
    assert [row.name for row in rows] == [
        "y_bar", "v5_bar", "v6_bar", "x2_bar", "v4_bar", "x1_bar", "x2_bar", "v3_bar", "x1_bar",
    ]  # fmt: skip
    assert_allclose([row.value for row in rows], [1, -1, 1, -0.284, 1, 5, 1.716, 1, 5.5], atol=5e-4)


def test_gradient_of_the_trace() -> None:
    value, gradient = evaluation_trace.y.value_and_grad(2.0, 5.0)
    assert_allclose(value, 11.652, atol=5e-4)
    assert_allclose(gradient, (5.5, 1.716), atol=5e-4)


# --- the worked graph


@pytest.mark.parametrize("point", [(3.0, 2.0), (1.5, 0.5), (10.0, 7.0)])
def test_worked_graph(point: tuple[float, float]) -> None:
    w1, w2 = point
    fan_out = 1 + 1 / (2 * np.sqrt(w2 * np.log(w1)))
    expected = (w2 / w1 * fan_out, np.log(w1) * fan_out)
    assert_allclose(worked_graph.loss.grad(w1, w2), expected, rtol=1e-14)
    assert_allclose(worked_graph.by_hand(w1, w2), expected, rtol=1e-14)
    for direction, slope in zip(((1.0, 0.0), (0.0, 1.0)), expected, strict=True):
        assert_allclose(worked_graph.loss.jvp(point, direction)[1], slope, rtol=1e-14)


def test_the_adjoint_of_v2_is_summed_over_its_uses() -> None:
    text = worked_graph.loss.source("adjoint", 3.0, 2.0)
    (statement,) = (line for line in text.splitlines() if line.strip().startswith("v2_bar = "))
    summands = statement.partition("#")[0].partition("=")[2].split("+")
    assert sorted("v3" in summand for summand in summands) == [False, True]


# --- the feed-forward network


def test_every_layer_has_its_gradient() -> None:
    weights, x, target = feed_forward.data()
    gradient = feed_forward.loss.grad(weights, x, target)
    assert [w_bar.shape for w_bar in gradient] == [(4, 6), (6, 5), (5, 2)]
    for k, w_bar in enumerate(gradient):
        expected = np.zeros_like(w_bar)
        for index in np.ndindex(w_bar.shape):
            sides = []
            for step in (1e-6, -1e-6):
                moved = [w.copy() for w in weights]
                moved[k][index] += step
                sides.append(feed_forward.loss(moved, x, target))
            expected[index] = (sides[0] - sides[1]) / 2e-6
        assert_allclose(w_bar, expected, rtol=1e-6, atol=1e-9)


def test_training_lowers_the_loss() -> None:
    losses = feed_forward.train(steps=50)
    assert losses[-1] < 0.6 * losses[0]


# --- needle's operators


@pytest.mark.parametrize(
    ("operator", "args"),
    [
        pytest.param(operator, args, id=f"{operator.__name__}-{'-'.join(str(np.shape(a)) for a in args)}")
        for operator, args in needle_operators.cases()
    ],
)
def test_operator(operator: Callable[..., Any], args: tuple[Any, ...]) -> None:
    bars, out_bar = needle_operators.adjoints(operator, args)
    assert [np.shape(bar) for bar in bars] == [np.shape(arg) for arg in args]
    for k, bar in enumerate(bars):
        assert_allclose(bar, needle_operators.differences(operator, args, k, out_bar), rtol=1e-6, atol=1e-7)
    check_grads(operator, args, modes=("tangent",))
    dot_product_test(operator, args)


# --- mini-PyTorch


def test_chain_of_products() -> None:
    value, (m_bar, n_bar, v_bar) = mini_pytorch.chain.value_and_grad(*mini_pytorch.chain_point())
    assert value == 9.0
    assert v_bar.tolist() == [6.0, 6.0]
    assert m_bar.tolist() == [[3.0, 3.0], [6.0, 6.0]]
    assert n_bar.tolist() == [[1.0, 2.0], [2.0, 4.0]]


def test_square_and_sine() -> None:
    assert_allclose(mini_pytorch.z.grad(4.0, np.pi), (8.0, 2.0), rtol=1e-14)


def test_activations_with_broadcasting() -> None:
    point = mini_pytorch.layers_point()
    check_grads(mini_pytorch.layers.function, point)
    assert grad(mini_pytorch.layers.function, "b")(*point).shape == (4,)


# --- softmax with cross-entropy


@pytest.mark.parametrize("scale", [1.0, 1e2, 1e4, 1e8])
def test_gradient_is_softmax_minus_onehot(scale: float) -> None:
    logits, onehot = softmax_cross_entropy.data(scale)
    value, gradient = softmax_cross_entropy.loss.value_and_grad(logits, onehot)
    assert np.isfinite(value)
    assert_allclose(gradient, softmax_cross_entropy.softmax(logits) - onehot, atol=1e-14)


def test_gradient_of_one_row_by_hand() -> None:
    gradient = softmax_cross_entropy.loss.grad(np.log(np.array([[1.0, 2.0, 5.0]])), np.array([[0.0, 1.0, 0.0]]))
    assert_allclose(gradient, [[0.125, 0.25 - 1.0, 0.625]], atol=1e-15)


# --- the scripts and the committed modules


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    if name == "digits":
        pytest.importorskip("sklearn")  # of the extra "examples", with which .ci/run runs it, too
    importlib.import_module(name).main()
    assert len(capsys.readouterr().out.splitlines()) >= 3


def test_committed_modules_are_current() -> None:
    assert regenerate.faults() == []


def test_stale_missing_and_surplus_modules_are_found(tmp_path: Path) -> None:
    assert regenerate.write(tmp_path) == 2 * len(regenerate.PROGRAMS)
    (tmp_path / "left.over-0123abcd.py").write_text("a file of the cache")
    assert regenerate.faults(tmp_path) == []
    edited = tmp_path / "worked_graph_loss_adjoint.py"
    edited.write_text(edited.read_text() + "# changed\n")
    (tmp_path / "worked_graph_loss_tangent.py").unlink()
    (tmp_path / "stray.py").write_text("")
    assert regenerate.faults(tmp_path) == [
        "stray.py has no source", "worked_graph_loss_adjoint.py is stale", "worked_graph_loss_tangent.py is missing",
    ]  # fmt: skip


def committed(name: str) -> ModuleType:
    """A module of generated/, imported as any other file is."""
    spec = importlib.util.spec_from_file_location(name, regenerate.FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_committed_modules_give_the_figures() -> None:
    trace = committed("evaluation_trace_y_adjoint").y_adjoint(2.0, 5.0)
    assert_allclose([trace[0], *trace[1]], [11.652, 5.5, 1.716], atol=5e-4)
    chain = committed("mini_pytorch_chain_adjoint").chain_adjoint(*mini_pytorch.chain_point())
    assert chain[0] == 9.0
    assert chain[1][2].tolist() == [6.0, 6.0]
    value, tangent = committed("mini_pytorch_z_tangent").z_tangent(4.0, np.pi, 0.0, 1.0)
    assert_allclose((value, tangent), (16.0, 2.0), rtol=1e-14)
