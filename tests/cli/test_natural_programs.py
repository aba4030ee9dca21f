"""Modules of natural programs: those of the corpora that nothing has to be executed for."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from programs.libraries import library_programs

from s2sad.cli import main

FOLDER = Path(__file__).parents[1] / "programs" / "libraries"
PROGRAMS = library_programs()
OF_PREVIOUS = [name.removeprefix("previous.") for name in PROGRAMS if name.startswith("previous.")]
ASKED = {
    "previous": OF_PREVIOUS,
    "sentinels": ["one_that_is_left_out", "by_default", "the_largest_so_far", "folded"],
}
X, ALONG = np.array([0.7, 1.3, 2.1]), np.array([1.0, -0.5, 0.3])


@pytest.fixture(scope="module", params=ASKED)
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A topic, and the folder with the modules of its programs."""
    out = tmp_path_factory.mktemp("out")
    file, names = FOLDER / f"{request.param}.py", ASKED[request.param]
    command = ["transform", str(file), "--wrt", "x", "--mode", "both", "-o", str(out)]
    result = CliRunner().invoke(main, [*command, *(part for name in names for part in ("--function", name))])
    assert result.exit_code == 0, result.output
    return request.param, out


def made(path: Path, name: str) -> Any:
    """A derivative, from its module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        spec.loader.exec_module(module)
    return getattr(module, name)


def test_modules_agree_with_differences(written: tuple[str, Path]) -> None:
    topic, out = written
    for name in ASKED[topic]:
        function: Any = PROGRAMS[f"{topic}.{name}"]
        slope = (function(X + 1e-6 * ALONG) - function(X - 1e-6 * ALONG)) / 2e-6
        tangent, adjoint = (made(out / f"{topic}_{name}_{mode}.py", f"{name}_{mode}") for mode in ("tangent", "adjoint"))
        (value, along), (again, x_bar) = tangent(X.copy(), x_dot=ALONG.copy()), adjoint(X.copy())
        assert value == again == pytest.approx(function(X)), name
        assert along == pytest.approx(slope, rel=1e-6), name
        assert np.vdot(x_bar, ALONG) == pytest.approx(slope, rel=1e-6), name
