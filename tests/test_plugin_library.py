"""A library that s2sad does not know is one folder of another distribution, found by an entry point (``tests/plugin``).

``tinyoptics`` is the library, ``s2sad_tinyoptics`` its room: rules with effects, a prelude, helpers, and samples;
``installed`` holds what an installer writes, the entry point.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from s2sad.errors import S2sadError
from s2sad.rules import rooms
from s2sad.rules.rooms import GROUP, Room

PLUGIN = Path(__file__).with_name("plugin")


def tried(plugin: Path, cache: Path, *words: str, installed: bool = True) -> dict[str, Any]:
    """What a fresh process says in which the library can be imported."""
    paths = [Path(__file__).parent.parent, plugin, *([plugin / "installed"] if installed else [])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths)), "S2SAD_CACHE_DIR": str(cache)}
    command = [sys.executable, str(plugin / "try_room.py"), *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return tried(PLUGIN, tmp_path_factory.mktemp("cache"))


def test_its_programs_and_rules_have_derivatives(found: dict[str, Any]) -> None:
    assert found["traced"] is None
    assert found["through_a_window"] is None  # what the effects say of a view is a view
    assert len(found["samples"]) == 8
    assert set(found["samples"]) == {None}


def test_every_rule_has_a_sample(found: dict[str, Any]) -> None:
    assert found["without samples"] == []


def test_what_the_room_does_not_say_is_refused(found: dict[str, Any]) -> None:
    assert "blurred has no derivative rule by its argument 'weight'" in found["by_weight"]


def test_generated_programs_call_the_helpers_and_show_the_prelude(found: dict[str, Any]) -> None:
    assert "from s2sad_tinyoptics.runtime import bending, blurred_back\n" in found["text"]
    assert "np.absolute(" in found["text"]  # of defocus


NEW = {  # an elementwise function and a view: a line of a table and one of the samples for each
    "rules/lenses.py": """
elementwise("tinyoptics.focused(x, p)", x="g * (1 - p * x) * exp(-p * x)", p="-g * x * out", facts=SCOPE)
linear("tinyoptics.turned(x) -> view(x)", x="turned(g)", kind=kind_rules.like("x"), facts=SCOPE)
""",
    "samples.py": """
SAMPLES["tinyoptics.focused"] = [(tinyoptics.focused, X, 0.7), (tinyoptics.focused, 0.4, Y)]
SAMPLES["tinyoptics.turned"] = [(tinyoptics.turned, X)]
""",
}


def test_one_more_function_or_view_takes_two_places(found: dict[str, Any], tmp_path: Path) -> None:
    assert "the method 'writelines'" in found["through_a_new_window"]
    told = tmp_path / "plugin"
    shutil.copytree(PLUGIN, told)
    for place, lines in NEW.items():
        with (told / "s2sad_tinyoptics" / place).open("a") as file:
            file.writelines([lines])
    more = tried(told, tmp_path / "cache")
    assert more["through_a_new_window"] is None  # the store through the view, too
    assert len(more["samples"]) == len(found["samples"]) + 3
    assert set(more["samples"]) == {None}
    assert more["without samples"] == []


def test_rooms_are_entered_by_programs_that_use_the_library(found: dict[str, Any]) -> None:
    ours = [f"s2sad.libraries.{name}" for name in ("numpy", "python")]
    assert found["loaded before use"] == ours


def test_without_the_entry_point_nothing_is_known(tmp_path: Path) -> None:
    found = tried(PLUGIN, tmp_path, installed=False)
    assert all("the method 'writelines'" in found[name] for name in ("traced", "through_a_window", "by_weight"))
    assert "samples" not in found


def test_programs_that_are_kept_are_of_the_room_as_it_was(tmp_path: Path) -> None:
    """They are used again in another process; another version of the room makes them anew."""
    changed = tmp_path / "plugin"
    shutil.copytree(PLUGIN, changed)
    first, second = (tried(changed, tmp_path / "cache", "value") for _ in range(2))
    assert (first["made"], second["made"]) == (1, 0)
    assert first["value"] == second["value"]
    table = changed / "s2sad_tinyoptics/rules/lenses.py"
    table.write_text(table.read_text().replace('angle="g * bending(angle, ratio)"', 'angle="2 * g * bending(angle, ratio)"'))
    third = tried(changed, tmp_path / "cache", "value")
    assert third["made"] == 1
    assert third["value"] != first["value"]


def test_a_room_that_cannot_be_imported_is_told_by_its_name() -> None:
    with pytest.raises(S2sadError, match="what missing_room knows of mylib cannot be imported"):
        Room("mylib", "missing_room").corner("rules")


def test_entry_points_are_read_where_a_distribution_may_have_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Finder:
        """It finds distributions that lie nowhere."""

        def find_distributions(self, context: object) -> list[object]:
            return []

    for name, text in (("other", "[console_scripts]\nother = other:main\n"), ("ours", f"[{GROUP}]\nmylib = mylib_room\n")):
        place = tmp_path / name / f"{name}-1.dist-info"
        place.mkdir(parents=True)
        (place / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        (place / "entry_points.txt").write_text(text)
    (tmp_path / "other" / "old.egg-info").write_text("a file")
    archive = tmp_path / "archive.zip"
    archive.write_bytes(b"")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "absent"), str(tmp_path / "other")])
    assert not rooms._may_be_named()
    assert rooms._named_by_others() == []
    for more in (archive, tmp_path / "ours"):
        with monkeypatch.context() as patched:
            patched.setattr(sys, "path", [*sys.path, str(more)])
            assert rooms._may_be_named()
            assert rooms._named_by_others() == [("mylib", "mylib_room")] * (more.name == "ours")
    monkeypatch.setattr(sys, "meta_path", [Finder(), *sys.meta_path])
    assert rooms._may_be_named()
