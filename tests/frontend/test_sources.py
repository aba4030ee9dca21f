"""The text that is read is that of the function which runs, and arguments are of exactly the types that are followed."""

from __future__ import annotations

import importlib
import inspect
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import KindError, SourceError, grad
from s2sad.frontend.source import _lines_of as lines_of
from s2sad.frontend.source import source_of

X = 0.7


def nested(x: float) -> Any:
    return lambda x: lambda x: x * 7


# fmt: off
PAIR = (lambda x: x**2), (lambda x: x**3)
TABLE = {"sin": lambda x: np.sin(x), "cos": lambda x: (np.cos(x)), "inner": lambda x: (lambda x: x * 5)(x), "same": lambda x: x}
# fmt: on


def test_lambdas_on_one_line_are_told_apart() -> None:
    assert [grad(f)(3.0) for f in PAIR] == [6.0, 27.0]
    assert {k: grad(f)(X) for k, f in TABLE.items()} == {"sin": np.cos(X), "cos": -np.sin(X), "inner": 5.0, "same": 1.0}
    assert grad(nested(1.0)(1.0))(X) == 7.0


EDITS = {
    "a constant": ("2.0 * x", "3.0 * x"),
    "an operator": ("2.0 * x", "2.0 + x"),
    "a function": ("np.sin", "np.cos"),
    "a line before it": ("import numpy as np", "import numpy as np\n"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_file_that_was_edited_and_not_reloaded_is_refused(
    edit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "import numpy as np\n\n\ndef f(x, k=1.0):\n    return np.sin(2.0 * x) * k\n"
    name = f"edited_{tmp_path.name}"
    file = tmp_path / f"{name}.py"
    file.write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module(name)
    file.write_text(text.replace(*EDITS[edit]) + "# edited\n")
    with pytest.raises(SourceError, match="not what the function runs"):
        grad(module.f)(X)
    importlib.invalidate_caches()
    file.write_text(text + "# what the function runs\n")
    assert grad(module.f)(X) == pytest.approx(2 * np.cos(2 * X))


class Reversed(list):
    def __getitem__(self, key: Any) -> Any:
        return list.__getitem__(self, -key - 1)


class Doubled(float):
    def __mul__(self, other: Any) -> Any:
        return 2 * float(self) * other


class Quiet(dict):
    def __getitem__(self, key: Any) -> Any:
        return 0.0


class Swapped(tuple):
    def __getitem__(self, key: Any) -> Any:
        return tuple.__getitem__(self, 1 - key)


class Shouted(np.ndarray):
    pass


STRANGE = {
    "matrix": np.ones((2, 2)).view(np.matrix),
    "masked array": np.ma.array([1.0, 2.0]),
    "subclass of ndarray": np.ones(2).view(Shouted),
    "subclass of list": Reversed([1.0, 2.0]),
    "subclass of float": Doubled(2.0),
    "subclass of dict": Quiet(a=1.0),
    "subclass of tuple": Swapped((1.0, 2.0)),
    "within a list": [np.ones(2), np.ones((1, 2)).view(np.matrix)],
    "within a dict": {"a": Doubled(1.0)},
}


@pytest.mark.parametrize("what", STRANGE)
def test_subclasses_with_operators_of_their_own_are_refused(what: str) -> None:
    def f(a: Any, x: float) -> Any:
        return x * 2.0

    with pytest.raises(KindError, match="subclass"):
        grad(f, 1)(STRANGE[what], 1.0)


def test_first_calls_from_many_threads_at_once(tmp_path: Path) -> None:
    script = tmp_path / "threads.py"
    script.write_text(
        textwrap.dedent("""
        import threading
        import numpy as np
        from s2sad import grad

        def make(k):
            def f(x):
                return np.sum(np.sin(x) * k)
            return f

        found = [None] * 32
        start = threading.Barrier(32)

        def work(k):
            start.wait()
            found[k] = grad(make(float(k)))(np.array([0.3]))[0]

        threads = [threading.Thread(target=work, args=(k,)) for k in range(32)]
        for t in threads: t.start()
        for t in threads: t.join()
        assert found == [k * np.cos(0.3) for k in range(32)], found
        """)
    )
    done = subprocess.run(
        [sys.executable, str(script)], check=False, capture_output=True, text=True, timeout=120,
        env={**os.environ, "S2SAD_CACHE_DIR": str(tmp_path / "cache")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "text",
    [
        "def made():\n    def inner(x):\n        return x * 2\n    return inner\nfound = made()\n",
        "def kept(f):\n    return f\n@kept\n@kept\ndef found(x):\n    return x\n",
        "found = lambda x: (\n    x * 2)\n",
        "found = (lambda\n    x: x * 2)\n",
        "found = [0, lambda*x: x[0]][1]\n",
        "class C:\n    def found(self, x):\n        return x\nfound = C.found\n",
    ],
)
def test_the_lines_of_a_function_are_those_that_inspect_finds(text: str, tmp_path: Path) -> None:
    file = tmp_path / "written.py"
    file.write_text(f"# first\n\n{text}")
    scope: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    code = scope["found"].__code__
    assert lines_of(code) == (str(file), *inspect.getsourcelines(code))


def test_no_module_is_asked_for_the_lines_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python asks all modules of a process where they stand, once."""
    (tmp_path / "stands_in_a_file.py").write_text("def f(x):\n    return x * x\n")
    monkeypatch.syspath_prepend(tmp_path)
    found = importlib.import_module("stands_in_a_file")
    monkeypatch.setattr(inspect, "getmodule", None)
    assert source_of(found.f).text == "def f(x):\n    return x * x\n"
