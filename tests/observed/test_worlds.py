"""What a program depends on is looked at in one place: whatever becomes something else, no old program answers."""

from __future__ import annotations

import importlib
import json
import linecache
import os
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from observed.worlds import HEAD, WORLDS, World
from s2sad import CompilerError, S2sadError, derivatives, grad

X = 0.7
SAME = {  # worlds in which something else is not what the function uses
    "a number that is equal", "a new keyword default", "what it says it wraps", "a field's factory",
    "a special name on an object", "what a function in a cache calls", "the code of what a function in a cache calls",
    "a default of what a function in a cache calls", "a library function that another one of its name replaces",
}  # fmt: skip


def slope(f: Any) -> float | None:
    """The derivative by differences of the function as it is; None where it fails."""
    try:
        return float((np.sum(f(X + 1e-6)) - np.sum(f(X - 1e-6))) / 2e-6)
    except Exception:
        return None


def derivative(function: Any, make: Any = grad) -> float | None:
    """What we say; None where we refuse, or the function itself fails."""
    try:
        return float(make(function)(X))
    except CompilerError:
        raise
    except S2sadError:
        return None
    except Exception:
        if slope(function) is not None:
            raise
        return None


def right(expected: float | None, found: float | None) -> bool:
    """Whether a derivative is the right one, or none."""
    return found is None or (expected is not None and abs(found - expected) < 1e-6 * max(1.0, abs(expected)))


def load(folder: Path, name: str, world: World, edited: bool) -> types.ModuleType:
    """The module of a world, imported from its files."""
    other = f"{name}_other"
    for file, text in ((name, world.text.replace("OTHER", other)), (other, world.other)):
        if edited and world.edit[0] in text:
            text = text.replace(*world.edit, 1)
            edited = False
        (folder / f"{file}.py").write_text(HEAD + text)
        sys.modules.pop(file, None)
        linecache.cache.pop(str(folder / f"{file}.py"), None)  # of these only: texts that have no file are not read again
    importlib.invalidate_caches()
    return importlib.import_module(name)


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # a text that is edited within a second looks as old as it was
    yield
    for name in [name for name in sys.modules if name.startswith("world_")]:
        del sys.modules[name]


def names(kind: str) -> list[str]:
    """The worlds with a change, or with an edit."""
    return [name for name, world in WORLDS.items() if (world.change if kind == "change" else world.edit[0])]


def test_there_are_many() -> None:
    assert len(names("change")) >= 60
    assert len(names("edit")) >= 60


@pytest.mark.parametrize("name", names("change"))
def test_a_change_of_the_living_world(name: str, tmp_path: Path) -> None:
    world = WORLDS[name]
    module = load(tmp_path, f"world_{list(WORLDS).index(name)}", world, edited=False)
    derived = grad(module.f)
    for _ in range(3):  # from the second time on the shortest way is taken
        before, old = derivative(module.f, lambda _: derived), slope(module.f)
    assert before is not None
    assert right(old, before)
    try:
        exec(compile(world.change, "<change>", "exec"), vars(module))
        new, fresh = slope(module.f), derivative(module.f)
        kept, function = derivative(derived.function, lambda _: derived), slope(derived.function)
    finally:
        for owner, attribute, value in module.undo:
            setattr(owner, attribute, value)
    assert new != old or name in SAME
    assert right(new, fresh)
    assert right(function, kept)


@pytest.mark.parametrize("name", names("edit"))
def test_an_edit_of_the_text_in_another_process(name: str, tmp_path: Path) -> None:
    """The second process is this one, without what it keeps in memory; all of the disk is there."""
    world, label = WORLDS[name], f"world_{list(WORLDS).index(name)}"
    module = load(tmp_path, label, world, edited=False)
    before = derivative(module.f)
    assert before is not None
    old = slope(module.f)
    derivatives._kept.clear()
    module = load(tmp_path, label, world, edited=True)
    assert slope(module.f) != old or name in SAME
    assert right(slope(module.f), derivative(module.f))
    derivatives._kept.clear()
    module = load(tmp_path, label, world, edited=False)
    assert derivative(module.f) == before


@pytest.mark.deep
def test_processes_over_one_cache(tmp_path: Path) -> None:
    """What one process has kept answers in another one only where its world is the same; edits and changes come in between."""
    for folder in ("modules", "cache"):
        (tmp_path / folder).mkdir()
    stored = {}
    for mode in ("original", "edited", "original", "changed", "edited"):
        done = subprocess.run(
            [sys.executable, str(Path(__file__).parent / "in_processes.py"), str(tmp_path / "modules"), mode],
            capture_output=True, text=True, check=True, env={**os.environ, "S2SAD_CACHE_DIR": str(tmp_path / "cache")},
        )  # fmt: skip
        found = json.loads(done.stdout.splitlines()[-1])
        assert found["wrong"] == []
        stored[mode] = found["stored"]
    assert min(stored["original"], stored["edited"]) > 0.8 * len(WORLDS)  # of the last of each: they were found again
