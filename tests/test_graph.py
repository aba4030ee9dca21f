"""Computational graphs: what is drawn, which values the edges carry, and that the pictures are well-formed."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
from click.testing import CliRunner
from test_trace import TEXTBOOK, arrays, looped, textbook

from s2sad.cli import main


def labels(picture: str) -> list[str]:
    root = ET.fromstring(picture)
    return [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]


def test_the_textbook_graph_has_two_inputs_and_five_operations() -> None:
    graph = textbook.graph(2.0, 5.0)
    assert (graph.count("input"), graph.count("operation"), graph.count("output")) == (2, 5, 1)
    assert [node.label for node in graph.nodes] == ["x1", "x2", "log", "×", "+", "sin", "−", "v5"]


def test_the_adjoint_graph_extends_the_primal_graph() -> None:
    graph = textbook.graph(2.0, 5.0, mode="adjoint")
    assert graph.count("operation") == 5
    assert graph.count("adjoint") > 5
    shown = labels(graph.svg())
    assert "x1_bar = 5.500" in shown and "x2_bar = 1.716" in shown and "x2_bar = -0.284" in shown


def test_edges_join_what_computes_with_what_reads() -> None:
    graph = textbook.graph(2.0, 5.0, values=False)
    pairs = {(edge.source.label, edge.target.label) for edge in graph.edges}
    assert {("x1", "log"), ("x1", "×"), ("x2", "×"), ("x2", "sin"), ("log", "+"), ("×", "+"), ("+", "−"), ("sin", "−")} <= pairs


def test_loops_and_branches_are_frames() -> None:
    graph = looped.graph(1.3, 4)
    assert graph.count("frame") >= 3  # for, if, then
    inside = [node for node in graph.all_nodes() if node.around is not None and node.label == "sin"]
    assert len(inside) == 1


def test_pictures_are_the_same_each_time_and_nothing_stands_outside() -> None:
    graph = arrays.graph(np.array([0.3, -0.2]), np.eye(2), mode="adjoint")
    picture = graph.svg()
    assert picture == arrays.graph(np.array([0.3, -0.2]), np.eye(2), mode="adjoint").svg() == graph.svg()
    width, height = (float(ET.fromstring(picture).get(side, "0")) for side in ("width", "height"))
    for node in graph.all_nodes():
        assert 0 <= node.x - node.width / 2 and node.x + node.width / 2 <= width
        assert 0 <= node.y and node.y + node.height <= height


def test_names_are_escaped() -> None:
    graph = textbook.graph(2.0, 5.0)
    graph.title = "<script>&"
    assert "<script>&" in labels(graph.svg())


def test_the_command_line(tmp_path: Path) -> None:
    file, picture = tmp_path / "program.py", tmp_path / "y.svg"
    file.write_text(TEXTBOOK + "raise SystemExit('the file is executed')\n", encoding="utf-8")
    done = CliRunner().invoke(main, ["graph", f"{file}:y", "-o", str(picture), "--at", "x1=2,x2=5"])
    assert done.exit_code == 0, done.output
    assert "v1 = 0.693" in labels(picture.read_text(encoding="utf-8"))
    picture.write_text("mine", encoding="utf-8")
    assert CliRunner().invoke(main, ["graph", f"{file}:y", "-o", str(picture)]).exit_code == 1
    assert picture.read_text(encoding="utf-8") == "mine"
    assert "log" in labels(CliRunner().invoke(main, ["graph", f"{file}:y"]).output)
