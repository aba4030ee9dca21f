"""What a plain import costs: ``import s2sad`` and a generated module load nothing heavy."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
UNASKED = {  # which NumPy and Python import only for who asks for them
    "numpy.f2py", "numpy.ma", "numpy.polynomial", "numpy.random", "numpy.testing", "unittest", "importlib.metadata", "tempfile",
    "difflib", "logging", "statistics", "tracemalloc", "html",
}  # fmt: skip
HEAVY = {"scipy", "numba", "matplotlib", "autograd", "hypothesis", "pytest", "click", "rich"}


def loaded(statement: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after one statement."""
    code = f"import json, sys; {statement}; print(json.dumps(list(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120)
    return set(json.loads(result.stdout))


@pytest.mark.parametrize("statement", ["import s2sad", "import s2sad.testing", "import s2sad.runtime"])
def test_the_import_is_light(statement: str) -> None:
    assert loaded(statement) & HEAVY == set()


def test_a_first_gradient_imports_nothing_that_nobody_asks_for(tmp_path: Path) -> None:
    """What NumPy has imported itself, and a plain program, apart."""
    (tmp_path / "plain.py").write_text("import numpy as np\ndef f(x):\n    return np.sum(np.sin(x) * x)\n")
    first = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import numpy as np, plain"
    settings = f"cache_dir={str(tmp_path / 'cache')!r}"
    made = loaded(f"{first}; import s2sad; s2sad.grad(plain.f, {settings})(np.ones(3))") - loaded(first)
    assert "s2sad.pipeline" in made
    assert made & UNASKED == {"logging"}  # frontend.files has one for modules that make a logger
    again = loaded(f"{first}; import s2sad; s2sad.grad(plain.f, {settings})(np.ones(3))") - loaded(first)
    assert "s2sad.pipeline" not in again  # it comes from the disk
    assert again & UNASKED == set()


def test_the_probe_sees_what_is_loaded() -> None:
    assert loaded("import rich") & HEAVY == {"rich"}


def test_public_names_exist() -> None:
    import s2sad

    assert [name for name in s2sad.__all__ if not hasattr(s2sad, name)] == []
