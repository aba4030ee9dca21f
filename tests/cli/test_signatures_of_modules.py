"""The signatures of derivative modules: defaults are kept where the file shows them, and no argument changes its place."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from s2sad.cli import main

HEAD = "import numpy as np\nK = np.array([1.0, 2.0])\nN = 4\n\ndef one():\n    return 1.0\n\n\n"
# The parameters of a function and of its adjoint and tangent by x.
SIGNATURES = [
    ("x, p=2.0", "x, p=2.0, out_bar=1.0", "x, p=2.0, *, x_dot"),
    ("x, p=-1e-3, q=3", "x, p=-0.001, q=3, out_bar=1.0", "x, p=-0.001, q=3, *, x_dot"),
    ("x, n=N", "x, n=4, out_bar=1.0", "x, n=4, *, x_dot"),
    ("x, p=2 * N", "x, p=8, out_bar=1.0", "x, p=8, *, x_dot"),
    ("x, p=2 ** 3", "x, p=8, out_bar=1.0", "x, p=8, *, x_dot"),
    ("x, p=np.pi / 2", "x, p=1.5707963267948966, out_bar=1.0", "x, p=1.5707963267948966, *, x_dot"),
    ("x, p=float('inf')", "x, p=inf, out_bar=1.0", "x, p=inf, *, x_dot"),
    ("x, p=1 + 2j", "x, p=(1+2j), out_bar=1.0", "x, p=(1+2j), *, x_dot"),
    ("x, w=K", "x, w=array([1., 2.]), out_bar=1.0", "x, w=array([1., 2.]), *, x_dot"),
    ("x, w=np.ones(2)", "x, w=array([1., 1.]), out_bar=1.0", "x, w=array([1., 1.]), *, x_dot"),
    ("x, w=np.array([[1.0, -2.0]], dtype=np.float32)",) + tuple(
        f"x, w=array([[ 1., -2.]], dtype=float32), {rest}" for rest in ("out_bar=1.0", "*, x_dot")
    ),
    ("x=np.zeros(2), p=2.0", "x=array([0., 0.]), p=2.0, out_bar=1.0", "x=array([0., 0.]), p=2.0, *, x_dot=array([0., 0.])"),
    ("x, w=None", "x, w=None, out_bar=1.0", "x, w=None, *, x_dot"),
    ("x, *, p=2.0", "x, out_bar=1.0, *, p=2.0", "x, x_dot, *, p=2.0"),
    ("x=1.5, y=2.5", "x=1.5, y=2.5, out_bar=1.0", "x=1.5, y=2.5, *, x_dot=0.0"),
]
# Defaults that are computed, perhaps without end, when the file runs: arguments stay where they are, and the head tells it.
COMPUTED = [
    ("x, w=np.ones(N)", "x, w, out_bar=1.0", "x, w, x_dot", "w"),
    ("x, w=np.ones(2) + np.random.rand()", "x, w, out_bar=1.0", "x, w, x_dot", "w"),
    ("x, p=one()", "x, p, out_bar=1.0", "x, p, x_dot", "p"),
    ("x, p=1 / 0.0", "x, p, out_bar=1.0", "x, p, x_dot", "p"),
    ("x, p=9 ** 9 ** 9", "x, p, out_bar=1.0", "x, p, x_dot", "p"),
    ("x, axis=-1, eps=np.finfo(float).eps", "x, axis, eps, out_bar=1.0", "x, axis, eps, x_dot", "eps"),
    ("x, p=one(), q=2.0", "x, p, q=2.0, out_bar=1.0", "x, p, q=2.0, *, x_dot", "p"),
]  # fmt: skip


def signatures(folder: Path, parameters: str, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], str]:
    """The parameters of the adjoint and of the tangent, and what is said of them."""
    (folder / "defaults.py").write_text(f"{HEAD}def f({parameters}):\n    return np.sum(np.sin(x)) * 2.0\n")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "defaults", raising=False)
    argv = ["transform", str(folder / "defaults.py"), "--function", "f", "--wrt", "x", "--mode", "both"]
    result = CliRunner().invoke(main, [*argv, "-o", str(folder / "out")])
    assert result.exit_code == 0, result.output
    found, texts = [], ""
    for mode in ("adjoint", "tangent"):
        path = folder / "out" / f"defaults_f_{mode}.py"
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found.append(str(inspect.signature(getattr(module, f"f_{mode}")))[1:-1])
        texts += path.read_text()
    return found, texts


@pytest.mark.parametrize(("parameters", "adjoint", "tangent"), SIGNATURES)
def test_defaults_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parameters: str, adjoint: str, tangent: str
) -> None:
    found, text = signatures(tmp_path, parameters, monkeypatch)
    assert found == [adjoint, tangent]
    assert "The default of" not in text


@pytest.mark.parametrize(("parameters", "adjoint", "tangent", "lost"), COMPUTED)
def test_what_only_the_running_file_shows_has_to_be_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parameters: str, adjoint: str, tangent: str, lost: str
) -> None:
    found, text = signatures(tmp_path, parameters, monkeypatch)
    assert found == [adjoint, tangent]
    assert f"# The default of {lost} is computed when the file runs" in text
