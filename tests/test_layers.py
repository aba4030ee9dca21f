"""The architecture, stated as data: which layer may import which, and what the package may import from outside."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from import_graph import Import, cycles, imports, layer, modules

BELOW = {"errors", "ir", "rules"}  # what everything from the front end to the back end stands on
# Each layer, and the layers of ours that it may import. A layer may always import itself.
LAYERS: dict[str, set[str]] = {
    "errors": set(),
    "options": {"errors"},
    "runtime": set(),
    "libraries/runtime": {"libraries", "runtime"},  # imported by generated code of programs that use a library
    "loop_runtime": set(),  # imported by generated code that Numba compiles
    "libraries/prelude": {"errors", "rules", "libraries", "libraries/runtime", "runtime"},  # looked up by the front end
    "libraries/rules": BELOW | {"libraries"},  # found by the registry, imported by nobody
    "libraries/calls": BELOW | {"frontend", "libraries", "libraries/prelude", "libraries/rules"},  # found by the front end
    "libraries/not_written": {"rules", "libraries", "libraries/rules"},
    "libraries": set(),
    # What values are known to be; left of `ir`, whose values carry facts. What counts as an object with fields is told by the
    # helpers of generated code.
    "facts": {"errors", "runtime"},
    "ir": {"errors", "facts"},
    "rules": {"errors", "options", "ir", "runtime"},  # users' derivatives are checked as generated code is
    "frontend": BELOW | {"runtime"},  # what counts as an object with fields
    "analysis": BELOW | {"runtime"},  # what a generated module asks of its arguments
    "ad": BELOW | {"analysis"},
    "optimize": BELOW | {"analysis"},
    "storage": BELOW | {"analysis", "optimize"},  # it edits programs with the same helpers
    "directions": BELOW | {"analysis"},
    "patterns": BELOW | {"analysis", "directions"},
    "checked": {"errors"},
    "emit": BELOW | {"analysis", "checked"},  # `motion` asks what may share memory before it moves a statement
    "loops": BELOW | {"analysis", "emit"},  # as `emit`, it asks before it moves something
    "pipeline": BELOW
    | {"options", "frontend", "analysis", "ad", "directions", "patterns", "optimize", "storage", "emit", "loops"},
    "store": set(),
    "native": {"ir", "runtime", "store"},
    "expecting": {"runtime"},
    "cache": {"errors", "options", "store"},
    "trees": {"errors", "runtime"},
    "moments": {"errors", "ir", "trees"},
    "faults": {"errors", "rules", "frontend", "cache"},
    "seeds": {"errors", "ir", "trees"},
    "portable": BELOW | {"frontend", "runtime", "trees"},
    "specialise": BELOW | {"options", "frontend", "runtime", "trees"},
    "derivatives": BELOW
    | {
        "options", "checked", "cache", "specialise", "expecting", "frontend", "ad", "loops", "native", "pipeline", "runtime",
        "seeds", "trees", "moments", "faults",
    },
    "vector_mode": {"errors", "derivatives", "directions", "moments", "runtime", "seeds", "trees"},
    "api": BELOW | {"options", "runtime", "cache", "derivatives", "moments", "portable", "seeds", "vector_mode", "trees"},
    "jacobians": {"errors", "rules", "options", "runtime", "trees", "derivatives", "moments", "vector_mode", "api"},
    "trace": {"errors", "runtime", "trees"},
    "costs": {"trace"},
    "graph": {"errors", "ir", "trace"},
    "linear": {"errors", "options", "rules", "seeds", "portable", "trees", "vectors", "derivatives", "api"},
    "vectors": {"errors", "options", "ir", "rules", "runtime", "trees"},
    "checkpoints": {"errors", "options", "ir", "rules", "portable"},
    "implicit": {"runtime", "errors", "options", "rules", "libraries/runtime", "api"},
    "batching": {"ir", "errors", "options", "rules", "derivatives", "trees", "api"},
    "differentiable": {
        "rules", "specialise",
        "expecting", "native",
        "errors", "options", "ir", "cache", "derivatives", "portable", "trees", "api", "jacobians", "trace", "graph", "costs",
        "written",
    },
    "written": {"errors"},
    "sparse": {"errors", "options", "derivatives", "runtime", "trees", "api", "vector_mode"},  # on top of the API
    "testing": {"errors", "options", "ir", "derivatives", "moments", "api", "trees"},
    "cli": BELOW
    | {
        "options",
        "cache",
        "specialise",
        "frontend",
        "analysis",
        "ad",
        "emit",
        "pipeline",
        "runtime",  # what a program asks of its arguments is read here as it is there
        "derivatives",
        "api",
        "testing",
        "trace",
        "graph",
        "trees",
    },
    # s2sad/__init__.py: the public names
    "": {"errors", "options", "implicit", "rules", "runtime", "trees", "vectors", "api", "jacobians", "linear", "batching",
         "checkpoints",
         "differentiable",
         "sparse", "testing"},
    "__main__": {"cli"},
}
# What a layer may import besides the standard library.
OUTSIDE: dict[str, set[str]] = {
    "errors": set(),
    "options": set(),
    "runtime": {"numpy"},
    "libraries": set(),
    "libraries/runtime": {"numpy", "scipy"},
    "libraries/rules": {"numpy"},
    "libraries/calls": {"numpy", "gast"},  # as the front end
    "libraries/not_written": set(),
    "loop_runtime": {"numpy", "numba"},
    "libraries/prelude": {"numpy", "scipy"},
    "facts": {"numpy"},
    "ir": {"numpy"},
    "rules": {"numpy"},
    "frontend": {"numpy", "gast"},
    "analysis": {"numpy"},
    "ad": {"numpy"},
    "optimize": {"numpy"},
    "directions": {"numpy"},
    "patterns": set(),
    "checked": {"numpy"},
    "loops": {"numpy"},
    "emit": {"numpy", "gast", "astunparse"},
    "pipeline": set(),
    "cache": set(),
    "cli": {"numpy", "gast", "click", "rich"},
}
HEAVY = {"scipy", "numba", "matplotlib", "autograd", "hypothesis", "pytest"}

IMPORTS = imports()
OURS = [edge for edge in IMPORTS if edge.imported.partition(".")[0] == "s2sad"]
OTHERS = [
    edge for edge in IMPORTS if edge.imported.partition(".")[0] not in {"s2sad", *sys.stdlib_module_names}
]


def crossings(edges: list[Import]) -> list[str]:
    """The imports that go against the directions in LAYERS."""
    return [
        f"{edge.importer} imports {edge.imported}"
        for edge in edges
        if layer(edge.imported) != layer(edge.importer)
        and layer(edge.imported) not in LAYERS[layer(edge.importer)]
    ]


def test_every_module_has_a_layer() -> None:
    assert {layer(name) for name in modules()} <= set(LAYERS)


def test_layers_import_only_what_stands_below_them() -> None:
    assert crossings(OURS) == []


def test_a_wrong_direction_would_be_seen() -> None:
    assert crossings([Import("s2sad.ad.adjoint", "s2sad.optimize.sums", late=True)])
    assert crossings([Import("s2sad.ir.nodes", "s2sad.frontend.source", late=False)])


def test_directions_have_no_circle() -> None:
    assert (
        cycles([Import(upper, lower, late=False) for upper, below in LAYERS.items() for lower in below]) == []
    )


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_layer_imports_few_things_from_outside(name: str) -> None:
    found = {edge.imported.partition(".")[0] for edge in OTHERS if layer(edge.importer) == name}
    assert found <= OUTSIDE[name]


def test_nothing_heavy_is_imported_at_import_time() -> None:
    found = [
        edge
        for edge in OTHERS
        if not edge.late
        and edge.imported.partition(".")[0] in HEAVY - OUTSIDE.get(layer(edge.importer), set())
    ]
    assert found == []


def test_modules_do_not_import_each_other() -> None:
    """No circles, nor ones hidden by imports inside functions."""
    assert cycles(OURS) == []


def test_a_circle_would_be_found(tmp_path: Path) -> None:
    package = tmp_path / "s2sad"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "a.py").write_text("from s2sad.b import f\n")
    (package / "b.py").write_text("def f():\n    from . import c\n")
    (package / "c.py").write_text("import s2sad.a\n")
    found = imports(package)
    assert [edge.late for edge in found] == [False, True, False]
    assert cycles([edge for edge in found if not edge.late]) == []
    assert cycles(found) == [["s2sad.a", "s2sad.b", "s2sad.c"]]
