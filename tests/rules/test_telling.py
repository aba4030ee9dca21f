"""What tells people something, and what acts, stands in the lines of effects: of libraries' functions, and of users'."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad.ir.kinds import UNKNOWN
from s2sad.ir.nodes import Call, Const, Value
from s2sad.rules import registry
from s2sad.rules.effects import acts, effects, parsed

LOG = logging.getLogger("s2sad.tests.telling")
HEARD: list[str] = []


def watched(x):
    HEARD.append(f"{x}")
    return 1.0 * x


s2sad.rule(watched, x="g", effects="fresh; tells")


def test_what_tells_is_told_by_its_line() -> None:
    telling = {name for name, p in registry.all_primitives().items() if p.effects and parsed(p.effects).tells}
    named = {name for name in telling if name.startswith(("builtins.", "warnings.", "numpy.", "scipy.", "time."))}
    assert named == {"builtins.print", "warnings.warn"}
    assert {"logging.info", "logging.Logger.exception"} <= telling
    assert not {"logging.getLogger", "logging.Logger.isEnabledFor"} & telling


@pytest.mark.parametrize(
    ("target", "world", "once", "tells"),
    [
        ("builtins.print", True, True, True),
        ("warnings.warn", True, True, True),
        ("time.time", True, True, False),
        ("s2sad.assert", True, False, False),
        ("logging.getLogger", True, False, False),
        ("math.sin", False, False, False),
        ("unheard.of", True, True, False),
    ],
)
def test_what_lines_say(target: str, world: bool, once: bool, tells: bool) -> None:
    args = {"time.time": [], "logging.getLogger": []}.get(target, [Const("a")])
    does = effects(Call(target=target, args=args, results=[Value(UNKNOWN)]))
    assert (does.world, does.once, does.tells) == (world, once, tells)
    assert acts(target) == once


def asks_a_logger(x):
    try:
        log = logging.getLogger("s2sad.tests.telling")
        log.debug("at %s", x)
        y = 2 * x if log.isEnabledFor(logging.DEBUG) else x * x
        return y * np.sqrt(x)
    except ValueError:
        return x


def asks_one_outside(x):
    try:
        y = 2 * x if LOG.isEnabledFor(logging.DEBUG) else x * x
        return y * float(x)
    except ValueError:
        return x


@pytest.mark.parametrize("program", [asks_a_logger, asks_one_outside], ids=lambda f: f.__name__)
@pytest.mark.parametrize("level", [logging.DEBUG, logging.ERROR])
def test_an_attempt_asks_what_it_does_not_tell(program: Callable[[Any], Any], level: int) -> None:
    LOG.setLevel(level)
    s2sad.check_grads(program, (2.0,))


class Counter:
    def __init__(self):
        self.calls = 0

    def loss(self, x):
        self.calls += 1
        watched(x)
        print("loss")
        LOG.error("loss")
        warnings.warn("loss", stacklevel=1)
        return x * x


def test_what_one_call_tells_is_told_once(capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    """A derivative of a method that changes its object runs it once plainly, and once more without telling anything."""
    HEARD.clear()
    counter = Counter()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        assert s2sad.grad(counter.loss)(3.0) == 6.0
    assert (counter.calls, HEARD, capsys.readouterr().out) == (1, ["3.0"], "loss\n")
    assert [record.message for record in caplog.records] == ["loss"]
    assert [str(w.message) for w in warned] == ["loss"]
