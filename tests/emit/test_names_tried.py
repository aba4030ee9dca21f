"""How many names are tried for the variables of a program in which many values of one name are alive together."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import growing_programs as grown
import pytest

from s2sad import differentiate
from s2sad.emit.naming import Names


def test_a_variable_tries_few_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: Counter[str] = Counter()

    def counting(method: str) -> Any:
        plain = getattr(Names, method)

        def counted(self: Names, *args: Any) -> Any:
            tried[method] += 1
            return plain(self, *args)

        return counted

    for method in ("_choose", "_free", "_holder"):
        monkeypatch.setattr(Names, method, counting(method))
    f = grown.program(grown.straight_line(200), tmp_path, "many_of_one_name")
    text = differentiate(f).source("adjoint", 0.3, 0.4)
    assert "a_99 = " in text
    assert tried["_choose"] > 400
    assert tried["_free"] + tried["_holder"] < 4 * tried["_choose"]
