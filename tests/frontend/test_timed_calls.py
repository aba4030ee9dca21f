"""Functions that look at a clock in a finally block, and note what it says outside: also where they raise."""

import functools
import time

import pytest

from s2sad import S2sadError, grad, hvp, jvp, vjp

TIMES = []


def timed(f):
    @functools.wraps(f)
    def inner(*args, **kwargs):
        start = time.perf_counter()
        try:
            return f(*args, **kwargs)
        finally:
            TIMES.append(time.perf_counter() - start)

    return inner


@timed
def cubed(x):
    return x**3


@timed
def refusing(x):
    if x > 0.0:
        raise ValueError("not positive")
    return x**3


class Statistics:
    def __init__(self):
        self.seconds, self.runs = 0.0, 0

    def run(self, x):
        start = time.monotonic()
        try:
            if x > 2.0:
                raise ValueError("too large")
            return x**3
        finally:
            self.seconds += time.monotonic() - start
            self.runs += 1


def caught(x):
    try:
        return refusing(x)
    except ValueError:
        return x**3


MODES = {
    "grad": lambda f, x: grad(f)(x), "jvp": lambda f, x: jvp(f, (x,), (1.0,))[1], "vjp": lambda f, x: vjp(f, x)[1](1.0)[0],
    "hvp": lambda f, x: hvp(f, (x,), (1.0,))[0], "tangent of a gradient": lambda f, x: jvp(grad(f), (x,), (1.0,))[0],
    "twice": lambda f, x: grad(lambda y: grad(f)(y) * x / 2)(x),
}  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_what_is_noted_is_noted_once(mode):
    TIMES.clear()
    assert MODES[mode](cubed, 1.3) == pytest.approx(3 * 1.3**2)
    assert len(TIMES) == 1
    statistics = Statistics()
    assert MODES[mode](statistics.run, 1.3) == pytest.approx(3 * 1.3**2)
    assert statistics.runs == 1


@pytest.mark.parametrize("mode", MODES)
def test_where_it_raises_it_is_noted_as_well(mode):
    TIMES.clear()
    with pytest.raises(ValueError, match="not positive"):
        MODES[mode](refusing, 1.3)
    assert len(TIMES) == 1
    statistics = Statistics()
    with pytest.raises(ValueError, match="too large"):
        MODES[mode](statistics.run, 2.3)
    assert statistics.runs == 1


@pytest.mark.parametrize("mode", MODES)
def test_in_an_attempt_a_clock_is_refused(mode):
    TIMES.clear()
    with pytest.raises(S2sadError, match="perf_counter"):
        MODES[mode](caught, 1.3)
    assert not TIMES
