"""Modules of functions without annotations, given dicts in dicts and lists of dicts: adjoints are structures like them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from test_unannotated import loaded

from s2sad.cli import main

PROGRAM = """
import numpy as np

def layer(p, x):
    return np.tanh(p["w"] * x + p["b"])

def through_a_call(net, x):
    h = net["one"]["w"] * x + net["one"]["b"]
    return np.sum(layer(net["two"], h) ** 2)

def under_names(net, x):
    p = net["one"]
    q = net["two"]
    return np.sum(p["w"] * x * q["w"]) + p["b"]

def in_a_loop(net, x):
    for p in net["layers"]:
        x = layer(p, x)
    return np.sum(x)

def by_places(net, x):
    for k in range(len(net["layers"])):
        x = np.tanh(net["layers"][k]["w"] * x + net["layers"][k]["b"])
    return np.sum(x)

def by_names(net, x):
    total = 0.0
    for name in net["order"]:
        total = total + np.sum(net[name]["w"] * x) * net[name]["b"]
    return total

def by_one_name(net, x):
    name = net["order"][0]
    part = net[name]
    return np.sum(part["w"] * x) * net[name]["b"]
"""


def net() -> dict[str, Any]:
    one, two = ({"w": np.array([0.2, 0.7 * k]), "b": 0.1 * k} for k in (1, 2))
    return {
        "one": one,
        "two": two,
        "layers": [two, {"w": np.array([0.3, 0.4]), "b": -0.2}],
        "order": ("two", "one", "two"),
    }


def sum_of_products(bar: Any, dot: Any) -> float:
    if isinstance(dot, dict):
        assert isinstance(bar, dict) and bar.keys() == dot.keys()
        return sum(sum_of_products(bar[key], dot[key]) for key in dot)
    if isinstance(dot, list | tuple):
        assert type(bar) is type(dot) and len(bar) == len(dot)
        return sum(map(sum_of_products, bar, dot))
    return 0.0 if isinstance(dot, str) else float(np.sum(bar * dot))


def each(change: Callable[[Any], Any], value: Any) -> Any:
    """A structure with its numbers and arrays changed."""
    if isinstance(value, dict):
        return {key: each(change, item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(each(change, item) for item in value)
    return value if isinstance(value, str) else change(value)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("nets")
    (found / "nets.py").write_text(PROGRAM)
    result = CliRunner().invoke(main, ["transform", str(found / "nets.py"), "-o", str(found)])
    assert result.exit_code == 0, result.output
    return found


@pytest.mark.parametrize(
    "name", ["through_a_call", "under_names", "in_a_loop", "by_places", "by_names", "by_one_name"]
)
def test_adjoints_of_dicts_in_dicts(folder: Path, name: str) -> None:
    function = getattr(loaded(folder / "nets.py"), name)
    x, given = np.array([0.3, 0.5]), net()
    value, (net_bar, x_bar) = getattr(loaded(folder / f"nets_{name}_adjoint.py"), f"{name}_adjoint")(given, x)
    assert value == function(net(), x)
    there, back = (
        function(*each(lambda item, h=h: item + h * np.cos(item), (given, x))) for h in (1e-6, -1e-6)
    )
    slope = sum_of_products((net_bar, x_bar), each(np.cos, (given, x)))
    assert slope == pytest.approx((there - back) / 2e-6, rel=1e-6)
