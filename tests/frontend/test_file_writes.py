"""Writing into files: once, in the forward sweep, as printing; what else files can do is refused with what to write."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from s2sad import grad, hvp, jvp
from s2sad.errors import UnsupportedSyntaxError

LOG = io.StringIO()


def told(s: Any) -> Any:
    count = LOG.write("x\n")
    return s * s * count


def into_a_file(s: Any, path: Any) -> Any:
    with open(path, "a", encoding="utf-8") as file:
        file.write("one")
        file.write(f"{2}\n")
    return s * s


def never_closed(s: Any, path: Any) -> Any:
    file = open(path, "a", encoding="utf-8")
    file.write("one")
    return s * s


def flushed(s: Any, path: Any) -> Any:
    with open(path, "a", encoding="utf-8") as file:
        file.flush()
    return s * s


def test_a_file_outside_is_written_once() -> None:
    assert grad(told)(3.0) == 12.0
    assert jvp(told, (3.0,), (1.0,))[1] == 12.0
    assert hvp(told, (3.0,), (1.0,))[1] == 4.0
    assert LOG.getvalue() == "x\n" * 3


def test_a_file_is_written_once(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    assert grad(into_a_file)(3.0, str(path)) == 6.0
    assert path.read_text() == "one2\n"


@pytest.mark.parametrize(("program", "instead"), [(never_closed, "with open"), (flushed, "nondifferentiable")])
def test_what_is_refused(program: Any, instead: str, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedSyntaxError) as caught:
        grad(program)(3.0, str(tmp_path / "log.txt"))
    assert instead in str(caught.value)
