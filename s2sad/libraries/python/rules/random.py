"""Draws of ``random`` and of ``random.Random``: methods of a source, which is an object, or the module itself.

Here stands what is drawn without a derivative. Draws with parameters that may vary are programs of these
(``libraries.python.prelude.random``): ``random.gauss(mu, sigma)`` is ``mu + sigma * random.gauss(0.0, 1.0)`` in Python, too.
"""

from __future__ import annotations

from typing import Any

from s2sad.ir.kinds import FLOAT, INT, NONE, RANDOM, List
from s2sad.rules.registry import nothing

DRAW: dict[str, Any] = {"effects": "fresh; world", "spelling": "method", "zero": True}  # each call moves the state of its source
BY_REJECTION = "no path of the draw by its parameters is known: use the score function of its density"

nothing(["random.Random(seed=None)"], kind=lambda _: RANDOM, zero=True, effects="fresh; world")
nothing(["source.seed(source, a=None, version=2)"], kind=lambda _: NONE, **DRAW)
nothing(
    ["source.random(source)", "source.gauss(source, mu=0.0, sigma=1.0)",
     "source.normalvariate(source, mu=0.0, sigma=1.0)"],
    kind=lambda _: FLOAT, **DRAW,
)  # fmt: skip
nothing(
    [f"source.{head})" for head in ("betavariate(source, alpha, beta", "gammavariate(source, alpha, beta",
                                           "vonmisesvariate(source, mu, kappa")],
    kind=lambda _: FLOAT, why=BY_REJECTION, **{**DRAW, "zero": False},
)  # fmt: skip
nothing(
    ["source.randrange(source, start, stop=None, step=1)", "source.randint(source, a, b)",
     "source.getrandbits(source, k)"],
    kind=lambda _: INT, **DRAW,
)  # fmt: skip
nothing(
    ["source.sample(source, population, k, *, counts=None)",
     "source.choices(source, population, weights=None, *, cum_weights=None, k=1)"],
    kind=lambda _: List(INT), **DRAW,
)  # fmt: skip
