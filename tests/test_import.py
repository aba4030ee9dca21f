"""What a plain import costs: ``import s2sad`` and a generated module load nothing heavy."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
HEAVY = {"scipy", "numba", "matplotlib", "autograd", "hypothesis", "pytest", "click", "rich"}


def loaded(statement: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after one statement."""
    code = f"import json, sys; {statement}; print(json.dumps(list(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120)
    return set(json.loads(result.stdout))


@pytest.mark.parametrize("statement", ["import s2sad", "import s2sad.testing", "import s2sad.runtime"])
def test_the_import_is_light(statement: str) -> None:
    assert loaded(statement) & HEAVY == set()


def test_the_probe_sees_what_is_loaded() -> None:
    assert loaded("import rich") & HEAVY == {"rich"}


def test_public_names_exist() -> None:
    import s2sad

    assert [name for name in s2sad.__all__ if not hasattr(s2sad, name)] == []
