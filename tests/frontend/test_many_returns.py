"""Functions with more early returns than Python has levels of indentation: refused at once, by the line."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from s2sad import grad
from s2sad.errors import UnsupportedSyntaxError


def returns(count: int, path: Path) -> Any:
    lines = "".join(f"    if x < {k}.5:\n        return x * {k + 1}.0 * x\n" for k in range(count))
    file = path / f"returns_{count}.py"
    file.write_text(f"def f(x):\n{lines}    return x\n")
    names: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    return names["f"]


def test_a_hundred_returns(tmp_path: Path) -> None:
    assert grad(returns(100, tmp_path))(3.7) == 37.0


def test_more_are_refused_at_once(tmp_path: Path) -> None:
    before = time.process_time()
    with pytest.raises(UnsupportedSyntaxError, match="nested too deeply") as caught:
        grad(returns(250, tmp_path))(3.7)
    assert time.process_time() - before < 5
    assert caught.value.location is not None
    assert caught.value.location.text.strip().startswith("if x <")
