"""A picture of a table of ratios: one line a program, one dot a candidate, on a logarithmic scale; SVG as text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

COLOURS = ("#4c72b0", "#dd8452", "#c44e52", "#8172b3", "#937860", "#55a868")
LEFT, STEP, WIDTH, TOP = 250, 18, 560, 46


def dots(rows: Mapping[str, Mapping[str, float]], series: Sequence[str]) -> str:
    """An SVG. ``rows``: the ratios of each program, by what they are of."""
    found = [ratio for row in rows.values() for ratio in row.values()]
    low, high = math.floor(math.log10(min(found))), math.ceil(math.log10(max(found)))

    def across(ratio: float) -> float:
        return LEFT + WIDTH * (math.log10(ratio) - low) / (high - low)

    height = TOP + STEP * len(rows) + 30
    size = f'width="{LEFT + WIDTH + 40}" height="{height}"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="11">',
             '<rect width="100%" height="100%" fill="white"/>']  # fmt: skip
    for k, name in enumerate(series):
        x = LEFT + k * WIDTH / len(series)
        parts.append(f'<circle cx="{x:.1f}" cy="14" r="4" fill="{COLOURS[k]}"/>')
        parts.append(f'<text x="{x + 8:.1f}" y="18">{escape(name)}</text>')
    for power in range(low, high + 1):
        x, strong = across(10.0**power), "#444" if power == 0 else "#ddd"
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 12}" y2="{height - 28}" stroke="{strong}"/>')
        parts.append(f'<text x="{x:.1f}" y="{height - 12}" text-anchor="middle">{10.0**power:g} x</text>')
    for line, (name, row) in enumerate(rows.items()):
        y = TOP + STEP * line
        parts.append(f'<text x="{LEFT - 10}" y="{y + 4}" text-anchor="end">{escape(name)}</text>')
        parts += [f'<circle cx="{across(ratio):.1f}" cy="{y}" r="4" fill="{COLOURS[series.index(k)]}" fill-opacity="0.8"/>'
                  for k, ratio in row.items()]  # fmt: skip
    return "\n".join([*parts, "</svg>"]) + "\n"
