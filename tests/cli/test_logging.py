"""Files that log and take times: what they do is done by the modules made of them, and what they look at is not baked in."""

from __future__ import annotations

import importlib
import logging
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from s2sad.cli import main

HEAD = """import contextlib
import logging
import time
import numpy as np

logger = logging.getLogger(__name__)
"""
TOLD = '''

def told(x: np.ndarray) -> float:
    if logger.isEnabledFor(logging.INFO):
        logger.info("norm %s", np.linalg.norm(x))
    logger.debug("%d items", len(x))
    logging.warning("total %.1f", np.sum(x))
    start = time.perf_counter()
    with contextlib.suppress(ZeroDivisionError):
        x = x * 2.0
    took = time.perf_counter() - start
    return np.sum(x**2) if took >= 0.0 else 0.0
'''


def transformed(tmp_path: Path, name: str, text: str) -> str:
    path = tmp_path / f"{name}.py"
    path.write_text(HEAD + text)
    return CliRunner().invoke(main, ["transform", str(path), "--mode", "both", "-o", str(tmp_path)]).output


def test_modules_log_as_their_file_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    transformed(tmp_path, "telling", TOLD)
    monkeypatch.syspath_prepend(str(tmp_path))
    x = np.array([3.0, 4.0])
    with caplog.at_level(logging.INFO):
        _, x_bar = importlib.import_module("telling_told_adjoint").told_adjoint(x)
        _, out_dot = importlib.import_module("telling_told_tangent").told_tangent(x, np.ones(2))
    np.testing.assert_allclose(x_bar, 8 * x)
    np.testing.assert_allclose(out_dot, np.sum(8 * x))
    assert [(r.name, r.getMessage()) for r in caplog.records] == [("telling", "norm 5.0"), ("root", "total 7.0")] * 2


@pytest.mark.parametrize(
    "read", ["logger.level", "logger.name == 'a'", "len(logger.handlers)", "logging.raiseExceptions", "time.timezone",
             "logger.getEffectiveLevel()", "time.sleep(1e9)", "len(logging.FileHandler('CANARY').baseFilename)"],
)  # fmt: skip
def test_settings_are_not_baked_in(tmp_path: Path, read: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    output = transformed(tmp_path, "reading", f"\n\ndef f(x: float) -> float:\n    return x * (2.0 if {read} else 3.0)\n")
    assert "def f_" not in output and not list(tmp_path.glob("reading_*")) and not (tmp_path / "CANARY").exists(), output
