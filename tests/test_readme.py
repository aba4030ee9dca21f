"""README.md keeps its word: its example runs and prints what is shown, and the names in its tables exist."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import numpy as np
import regenerate

import s2sad

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_worked_example_prints_what_is_shown() -> None:
    assert regenerate.readme_is_current()
    stale = README.replace("u_bar[1:-1] -= 2.0 * ", "u_bar[1:-1] -= 3.0 * ")
    assert regenerate.readme(stale) == README != stale


def test_only_what_is_read_is_recorded(tmp_path: Path) -> None:
    program = re.findall(r"```python\n(.*?)```", README, re.DOTALL)[0]
    file = tmp_path / "worked_example.py"
    file.write_text(program.replace("print(", "str("))
    spec = importlib.util.spec_from_file_location("worked_example", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert np.array_equal(module.u, np.linspace(0.0, 1.0, 5) ** 2)
    assert "_tape" in module.heat.source("adjoint")
    assert "_tape" not in s2sad.differentiate(module.heat.function, wrt="u").source("adjoint", module.u, 0.1, 3)


def test_names_in_the_tables_exist() -> None:
    names = re.findall(r"^\| `(\w+)[`(]", README, re.MULTILINE)
    assert len(names) >= 9
    assert [name for name in names if not hasattr(s2sad, name)] == []
    scripts = re.findall(r"^\| `(\w+\.py)` \|", README, re.MULTILINE)
    present = {path.name for path in (ROOT / "examples").glob("*.py")}
    assert set(scripts) <= present
    assert len(scripts) >= 6
