"""Imports inside of functions, of modules that have been imported already."""

import importlib
import math
import sys

import pytest

from s2sad import S2sadError, grad, hvp, jvp

FILES = {
    "__init__.py": "",
    "laws.py": """
        RATE = 3.0
        chosen = "two"
        PLACES = {"two": "imported_inside.laws"}
        FACTORS = {"two": 2.0, "three": 3.0}
        def decay(x): return x * x * RATE
        """,
    "sub/__init__.py": "",
    "sub/users.py": """
        def by_name(x):
            from ..laws import decay as d, RATE
            return d(x) * RATE
        def by_package(x):
            from .. import laws
            return laws.decay(x)
        def by_path(x):
            import imported_inside.laws as other
            return other.decay(x)
        def by_root(x):
            import imported_inside.laws
            return imported_inside.laws.decay(x)
        def in_a_helper(x):
            from . import users
            return users.by_root(x) + users.by_name(x)
        def in_a_loop(x):
            for _ in range(2):
                from ..laws import decay
                x = decay(x)
            return x
        def by_a_call(x):
            import importlib
            return importlib.import_module("imported_inside.laws").decay(x)
        def by_a_table(x):
            import importlib
            from ..laws import PLACES, chosen
            return importlib.import_module(PLACES[chosen]).decay(x)
        def by_a_table_elsewhere(x):
            import importlib
            from imported_inside import laws
            return getattr(importlib.import_module(laws.PLACES[laws.chosen]), "decay")(x)
        def by_a_number(x):
            import importlib
            return importlib.import_module(f"imported_inside.laws{int(x)}").decay(x)
        def chosen_by_text(x):
            from imported_inside.laws import FACTORS, chosen
            return FACTORS[chosen] * x
        def never_imported(x):
            from ..never import z
            return z(x)
        def beyond(x):
            from ....laws import decay
            return decay(x)
        def no_such_name(x):
            from ..laws import nothing
            return nothing(x)
        """,
}
GIVEN = {"by_name": 18.0, "by_package": 6.0, "by_path": 6.0, "by_root": 6.0, "in_a_helper": 24.0, "in_a_loop": 108.0,
         "by_a_call": 6.0, "by_a_table": 6.0, "by_a_table_elsewhere": 6.0}  # fmt: skip
REFUSED = {
    "by_a_number": "which module it is, is not known",
    "never_imported": "the module would be executed", "beyond": "beyond top-level package", "no_such_name": "would be executed",
}  # fmt: skip


@pytest.fixture
def users(tmp_path, monkeypatch):
    root = tmp_path / "imported_inside"
    (root / "sub").mkdir(parents=True)
    for name, text in FILES.items():
        (root / name).write_text("\n".join(line[8:] for line in text.split("\n")))
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("imported_inside.sub.users")
    for name in [name for name in sys.modules if name.partition(".")[0] == "imported_inside"]:
        del sys.modules[name]


@pytest.mark.parametrize("name", GIVEN)
def test_a_module_that_is_there_is_looked_up(users, name):
    importlib.import_module("imported_inside.laws")
    f = getattr(users, name)
    assert math.isclose(grad(f)(1.0), GIVEN[name])
    assert math.isclose(jvp(f, (1.0,), (2.0,))[1], 2 * GIVEN[name])
    assert math.isclose(float(hvp(f, (1.0,), (1.0,))[1]), 324.0 if name == "in_a_loop" else GIVEN[name])


@pytest.mark.parametrize("name", REFUSED)
def test_nothing_is_executed_to_know_its_names(users, name):
    importlib.import_module("imported_inside.laws")
    with pytest.raises(S2sadError) as caught:
        grad(getattr(users, name))(1.0)
    assert REFUSED[name] in str(caught.value)
    assert "imported_inside.never" not in sys.modules


def test_what_has_not_been_imported_yet_is_refused_and_then_not(users):
    with pytest.raises(S2sadError, match="would be executed"):
        grad(users.by_path)(1.0)
    importlib.import_module("imported_inside.laws")
    assert grad(users.by_path)(1.0) == 6.0


def test_a_derivative_is_of_what_the_module_says_now(users):
    laws = importlib.import_module("imported_inside.laws")
    assert (grad(users.chosen_by_text)(1.0), grad(users.by_name)(1.0)) == (2.0, 18.0)
    laws.chosen = "three"
    laws.RATE = 1.0
    assert (grad(users.chosen_by_text)(1.0), grad(users.by_name)(1.0)) == (3.0, 2.0)
    laws.decay = users.chosen_by_text
    assert [grad(getattr(users, name))(1.0) for name in ("by_name", "by_package", "by_path")] == [3.0, 3.0, 3.0]


def test_a_table_of_modules_may_change(users):
    laws = importlib.import_module("imported_inside.laws")
    assert grad(users.by_a_table)(1.0) == 6.0
    laws.PLACES["two"] = "imported_inside.sub.users"
    users.decay = users.chosen_by_text
    assert grad(users.by_a_table)(1.0) == 2.0
    laws.chosen, laws.PLACES["three"] = "three", "imported_inside.laws"
    assert grad(users.by_a_table)(1.0) == 6.0
