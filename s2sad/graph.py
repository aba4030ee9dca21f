"""Computational graphs as pictures: operations as nodes, values on the edges, loops and branches as frames.

    v3 = np.log(x1)        (x1)  (x2)
    v4 = x1 * x2      ==>    | \\ / |         as SVG, without any program or package besides
    y = v3 + v4            [log] [×]
                              \\   /
                               [+]

A graph is laid out in layers: each node stands below what it reads, and is drawn where the nodes that it reads from are
(Sugiyama, Tagawa & Toda 1981: layers by longest paths, order within a layer by barycentres). What belongs to a loop or a
branch stands in a frame, which is a node of the graph around it.
"""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from s2sad.errors import S2sadError
from s2sad.ir.nodes import (
    LITERALS,
    SAME,
    Block,
    Call,
    Const,
    Function,
    Global,
    If,
    Loop,
    Op,
    Value,
)
from s2sad.trace import Row, shown

SYMBOLS = {
    "add": "+", "sub": "−", "mul": "×", "truediv": "÷", "pow": "^", "neg": "−", "matmul": "@", "mod": "mod", "floordiv": "//",
    "lt": "<", "le": "≤", "gt": ">", "ge": "≥", "eq": "=", "ne": "≠", "getitem": "[ ]", "setitem": "[ ] =",
}  # fmt: skip
LETTER, LINE = 7.2, 18.0  # the width of a character and the height of a line, in pixels
GAP, STEP, MARGIN = 26.0, 46.0, 16.0  # between neighbours, between layers, around a frame
INK = {"input": "#dbeafe", "operation": "#f8fafc", "adjoint": "#fef3c7", "output": "#dcfce7"}
REVERSE = {"adjoint", "adjoint frame", "output"}


@dataclass(eq=False)
class Node:
    """Something drawn: an input, an operation, an output, or a frame with nodes of its own.

    ``role``: "input", "operation", "output" or "frame", or "adjoint" and "adjoint frame" in the reverse sweep.
    """

    label: str
    role: str
    inner: list[Node] = field(default_factory=list)
    around: Node | None = None
    x: float = 0.0  # the middle, and the upper edge
    y: float = 0.0
    width: float = 0.0
    height: float = 0.0
    room: float = 0.0  # the width that it needs among its neighbours


@dataclass(frozen=True)
class Edge:
    """A value that one node hands to another; ``label`` is its name, with its value where that is known."""

    source: Node
    target: Node
    label: str


class Graph:
    """The graph of one function; ``svg`` draws it, and notebooks show it."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.nodes: list[Node] = []
        self.edges: list[Edge] = []

    def all_nodes(self) -> list[Node]:
        """All nodes, those in frames included."""
        found: list[Node] = []
        waiting = list(reversed(self.nodes))
        while waiting:
            node = waiting.pop()
            found.append(node)
            waiting += reversed(node.inner)
        return found

    def count(self, role: str) -> int:
        """The number of nodes with a role."""
        return sum(node.role == role for node in self.all_nodes())

    def svg(self) -> str:
        """The picture, as the text of an SVG file: the same graph gives the same bytes."""
        width, height = _lay_out(self.nodes, self.edges)
        width, height = max(width, LETTER * len(self.title)) + 2 * MARGIN, height + 2 * MARGIN + 1.5 * LINE
        body: list[str] = []
        for node in self.nodes:
            _shift(node, MARGIN, MARGIN + 1.5 * LINE)
        frames, others = ([n for n in self.all_nodes() if n.role.endswith("frame") is frame] for frame in (True, False))
        body += [part for node in frames for part in _drawn(node)]
        body += [_line(edge) for edge in self.edges]  # they pass behind what they do not meet
        body += [part for node in others for part in _drawn(node)]
        body += _labels(self.edges)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="monospace" font-size="12">\n'
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            '<path d="M0 0L8 4L0 8z" fill="#475569"/></marker></defs>\n'
            '<rect width="100%" height="100%" fill="white"/>\n'
            f'<text x="{MARGIN:.0f}" y="{MARGIN + 4:.0f}" font-weight="bold">{html.escape(self.title)}</text>\n'
            + "\n".join(body)
            + "\n</svg>\n"
        )

    def save(self, path: str | Path) -> None:
        """Write the picture to a file. Raises S2sadError for a name that says that it is no SVG."""
        path = Path(path)
        if path.suffix.lower() not in ("", ".svg"):
            raise S2sadError(f"pictures are SVG, and {path.name} would be none", instead=path.with_suffix(".svg").name)
        path.write_text(self.svg(), encoding="utf-8", newline="\n")

    def _repr_svg_(self) -> str:
        return self.svg()


# --- from a program


def graph_of(function: Function, title: str, rows: Iterable[Row] = ()) -> Graph:
    """The graph of a function in SSA form. ``rows``: of its evaluation trace, for the values that the edges carry.

    Of a loop it is what the last iteration has computed.
    """
    return _Reading(function, title, rows).graph


class _Reading:
    """One walk over a function, which notes what makes each value."""

    def __init__(self, function: Function, title: str, rows: Iterable[Row]) -> None:
        self.graph = Graph(title)
        self.values = _values(function, rows)
        self.maker: dict[Value, Node] = {}
        self.turn = len(function.body.ops) if function.reverse_at is None else function.reverse_at
        used = {value for block in _blocks(function.body) for op in block.ops for value in _reads(op)} | set(function.body.yields)
        for parameter in function.params:
            if parameter.value in used:
                self.maker[parameter.value] = self._node(parameter.name or "input", "input", None)
        self._block(function.body, None, top=True)
        for k, value in enumerate(function.body.yields):
            if not isinstance(value, LITERALS):
                name = value.name or (f"result {k}" if len(function.body.yields) > 1 else "result")
                self._edge(value, self._node(name, "output", None))

    def _node(self, label: str, role: str, frame: Node | None) -> Node:
        node = Node(label, role, around=frame)
        (self.graph.nodes if frame is None else frame.inner).append(node)
        return node

    def _edge(self, value: Value, target: Node) -> None:
        source = self.maker.get(value)
        if source is not None and source is not target:
            name = value.name or ""
            text = f"{name} = {shown(self.values[value])}" if value in self.values else name
            self.graph.edges.append(Edge(source, target, text))

    def _block(self, block: Block, frame: Node | None, role: str = "operation", top: bool = False) -> None:
        for at, op in enumerate(block.ops):
            role = "adjoint" if top and at >= self.turn else role
            if isinstance(op, Call):
                if op.target == SAME and op.args[0] in self.maker:
                    self.maker[op.result] = self.maker[op.args[0]]
                    continue
                node = self._node(_label(op), role, frame)
                for value in op.operands():
                    self._edge(value, node)
                self.maker.update(dict.fromkeys(op.results, node))
            else:
                self._region(op, role, frame)

    def _region(self, op: Op, role: str, frame: Node | None) -> None:
        what = type(op).__name__.lower()
        kind = "adjoint frame" if role == "adjoint" else "frame"
        box = self._node(what, kind, frame)
        for value in op.operands():
            self._edge(value, box)
        names = ["then", "else"] if isinstance(op, If) else [""] * len(list(op.blocks()))
        for block, name in zip(op.blocks(), names, strict=True):
            inner = self._node(name, kind, box) if name and block.ops else box
            carried = dict(zip(reversed(block.params), reversed(_initial(op)), strict=False))
            for value in block.params:
                start = carried.get(value)
                if start is not None and start in self.maker:
                    self.maker[value] = self.maker[start]
                else:
                    self.maker[value] = self._node(value.name or "item", "input", inner)
            self._block(block, inner, role)
            for result, value in zip(reversed(op.results), reversed(block.yields), strict=False):
                if value in self.maker and _within(self.maker[value], box):
                    self.maker[result] = self.maker[value]
        for result in op.results:
            self.maker.setdefault(result, box)


def _values(function: Function, rows: Iterable[Row]) -> dict[Value, Any]:
    """The values of a function at run time: a name that is bound several times tells them apart by the order of its rows."""
    executed: dict[str, list[Any]] = {}
    for row in rows:
        if row.function == function.name:
            executed.setdefault(row.name, []).append(row.value)
    bound: dict[str, list[Value]] = {}
    for block in _blocks(function.body):
        for value in [*block.params, *(v for op in block.ops for v in op.results)]:
            if value.name in executed:
                bound.setdefault(value.name, []).append(value)
    found: dict[Value, Any] = {}
    for name, values in bound.items():
        each = executed[name] if len(executed[name]) == len(values) else [executed[name][-1]] * len(values)
        found.update(zip(values, each, strict=True))
    return found


def _initial(op: Op) -> list[Value]:
    return op.init if isinstance(op, Loop) else []


def _within(node: Node, frame: Node) -> bool:
    step: Node | None = node
    while step is not None:
        if step is frame:
            return True
        step = step.around
    return False


def _blocks(block: Block) -> Iterable[Block]:
    yield block
    for op in block.ops:
        for inner in op.blocks():
            yield from _blocks(inner)


def _reads(op: Op) -> Iterable[Value]:
    yield from op.operands()
    for block in op.blocks():
        yield from block.yields


def _label(op: Call) -> str:
    """The label of an operation in the picture, with the constants that it is given."""
    leaf = op.target.rpartition(".")[2]
    symbol = SYMBOLS.get(leaf, leaf) if op.target.startswith("operator.") else leaf
    constants = [_constant(value) for value in op.operands() if isinstance(value, Const | Global)]
    if op.target.startswith("operator.") and constants and len(op.args) == 2:
        first = isinstance(op.args[0], LITERALS)
        return f"{constants[0]} {symbol}" if first else f"{symbol} {constants[0]}"
    return f"{symbol} {', '.join(constants)}".strip()


def _constant(value: Value) -> str:
    payload = value.payload if isinstance(value, Const) else getattr(value, "name", None)
    text = "..." if payload is ... else str(payload)
    return text if len(text) <= 12 else f"{text[:9]}..."


# --- layout


def _lay_out(nodes: list[Node], edges: list[Edge]) -> tuple[float, float]:
    """Place nodes of one frame (from its upper left corner), frames inside first; the width and height that they take."""
    for node in nodes:
        if node.inner:
            width, height = _lay_out(node.inner, edges)
            node.width = max(width + 2 * MARGIN, LETTER * len(node.label) + 2 * MARGIN)
            node.height = height + MARGIN + 1.5 * LINE
            node.room = node.width
        else:
            beside = max((len(label) for label in _leaving(node, edges)), default=0)  # what is written to the right below
            node.width, node.height = LETTER * len(node.label) + 22.0, LINE + 8.0
            node.room = max(node.width, 12.0 + 2 * 0.85 * LETTER * beside)
    before = _predecessors(nodes, edges)
    layers: list[list[Node]] = []
    depth: dict[Node, int] = {}
    turn = -1  # the reverse sweep stands below all of the forward sweep
    for node in nodes:  # programs list what is read before what reads it
        depth[node] = 1 + max((depth[p] for p in before[node] if p in depth), default=-1)
        if node.role in REVERSE:
            depth[node] = max(depth[node], turn + 1)
        else:
            turn = max(turn, depth[node])
        while len(layers) <= depth[node]:
            layers.append([])
        layers[depth[node]].append(node)
    y, widest = 0.0, max((_row_width(layer) for layer in layers), default=0.0)
    for layer in layers:
        middle = {n: sum(p.x for p in before[n]) / len(before[n]) if before[n] else None for n in layer}
        ranked = sorted(enumerate(layer), key=lambda item: (middle[item[1]] if middle[item[1]] is not None else 0.0, item[0]))
        x = (widest - _row_width(layer)) / 2
        for _, node in ranked:
            node.x, node.y = x + node.room / 2, y
            x += node.room + GAP
        y += max(node.height for node in layer) + STEP
    return widest, max(y - STEP, 0.0)


def _row_width(layer: list[Node]) -> float:
    return sum(node.room for node in layer) + GAP * (len(layer) - 1)


def _predecessors(nodes: list[Node], edges: list[Edge]) -> dict[Node, list[Node]]:
    """The nodes that each node of a frame reads from, edges into and out of inner frames counting as the frames'."""
    here = set(nodes)

    def holder(node: Node | None) -> Node | None:
        while node is not None and node not in here:
            node = node.around
        return node

    found: dict[Node, dict[Node, None]] = {node: {} for node in nodes}
    for edge in edges:
        source, target = holder(edge.source), holder(edge.target)
        if source is not None and target is not None and source is not target:
            found[target][source] = None
    return {node: list(sources) for node, sources in found.items()}


def _shift(node: Node, dx: float, dy: float) -> None:
    """Move a node to where it stands in the whole picture; what it holds comes along."""
    node.x, node.y = node.x + dx, node.y + dy
    for inner in node.inner:
        _shift(inner, node.x - node.width / 2 + MARGIN, node.y + 1.5 * LINE)


# --- drawing


def _drawn(node: Node) -> list[str]:
    left = node.x - node.width / 2
    frame = node.role.endswith("frame")
    style = 'stroke="#94a3b8" stroke-dasharray="4 3"' if frame else 'stroke="#475569"'
    radius = 4 if frame else 12
    box = (
        f'<rect x="{left:.1f}" y="{node.y:.1f}" width="{node.width:.1f}" height="{node.height:.1f}" rx="{radius}" '
        f'fill="{INK.get(node.role, "none")}" {style}/>'
    )
    x, y, anchor = (left + 8, node.y + 14, "start") if frame else (node.x, node.y + node.height / 2 + 4, "middle")
    return [box, f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(node.label)}</text>']


def _line(edge: Edge) -> str:
    a, b = edge.source, edge.target
    x1, y1, x2, y2 = a.x, a.y + a.height, b.x, b.y
    if _within(b, a):
        y1 = a.y
    bend = max((y2 - y1) / 2, 12.0)
    path = f"M{x1:.1f} {y1:.1f}C{x1:.1f} {y1 + bend:.1f} {x2:.1f} {y2 - bend:.1f} {x2:.1f} {y2:.1f}"
    return f'<path d="{path}" fill="none" stroke="#475569" marker-end="url(#tip)"/>'


def _labels(edges: list[Edge]) -> list[str]:
    """The labels of what leaves each node, once, where its edges begin; edges are faint behind it."""
    style = 'font-size="10" fill="#1d4ed8"'
    behind = 'height="11" fill="white" fill-opacity="0.8"'
    return [
        f'<rect x="{node.x + 4:.1f}" y="{node.y + node.height + 11 * k - 9:.1f}" width="{6 * len(label) + 2}" {behind}/>'
        f'<text x="{node.x + 5:.1f}" y="{node.y + node.height + 11 * k:.1f}" {style}>{html.escape(label)}</text>'
        for node in dict.fromkeys(edge.source for edge in edges)
        for k, label in enumerate(_leaving(node, edges), 1)
    ]


def _leaving(node: Node, edges: list[Edge]) -> list[str]:
    """The values that leave a node, unless its own label says it all."""
    return list(dict.fromkeys(e.label for e in edges if e.source is node and e.label not in ("", node.label)))
