"""Checkpointed loops by the schedules of checkpoint_schedules, an optional package: the derivatives of the same loop without."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import S2sadError, checkpointed, differentiate, grad, hessian
from s2sad.errors import CompilerError
from s2sad.runtime import planned, schedules, stops

cs = pytest.importorskip("checkpoint_schedules")

STEPS = 12
X = np.linspace(0.1, 1.0, 6)
FIXED = cs.MultistageCheckpointSchedule(STEPS, 3, 0)
ON_DISK = cs.MultistageCheckpointSchedule(STEPS, 1, 2)


def make(n: int) -> Any:
    """A schedule for a number of steps; the tests bind others."""
    return cs.Revolve(n, 2)


def body(u, x, s, i):
    u[1:-1] += 0.1 * u[1:-1] * (u[2:] - u[:-2]) * s
    return np.sin(x) + 0.01 * i, s * np.sum(x) * 0.3


def recorded(x, n):
    u, s = x.copy(), 1.0
    for i in range(n):
        x, s = body(u, x, s, i)
    return np.sum(u**2) * s + np.sum(x)


def by_object(x):
    u, s = x.copy(), 1.0
    for i in checkpointed(range(STEPS), schedule=FIXED):
        x, s = body(u, x, s, i)
    return np.sum(u**2) * s + np.sum(x)


def on_disk(x):
    u, s = x.copy(), 1.0
    for i in checkpointed(range(STEPS), schedule=ON_DISK):
        x, s = body(u, x, s, i)
    return np.sum(u**2) * s + np.sum(x)


def by_function(x, n):
    u, s = x.copy(), 1.0
    for i in checkpointed(range(n), schedule=make):
        x, s = body(u, x, s, i)
    return np.sum(u**2) * s + np.sum(x)


def of_unknown_length(x):
    while checkpointed(np.sum(x) > 0.1, schedule=FIXED):
        x = x * 0.5
    return np.sum(x)


def ends_early(x):
    for i in checkpointed(range(STEPS), schedule=FIXED):
        x = x * 0.5
        if x[0] < 0.01:
            break
    return np.sum(x)


def given(x, schedule):
    for _ in checkpointed(range(STEPS), schedule=schedule):
        x = np.sin(x)
    return np.sum(x)


def both(x):
    for _ in checkpointed(range(STEPS), snapshots=3, schedule=FIXED):
        x = np.sin(x)
    return np.sum(x)


def neither(x):
    for _ in checkpointed(range(STEPS)):
        x = np.sin(x)
    return np.sum(x)


SCHEDULES: dict[str, Callable[[int], Any]] = {
    "multistage": lambda n: cs.MultistageCheckpointSchedule(n, 2, 1),
    "revolve": lambda n: cs.Revolve(n, 3),
    "disk": lambda n: cs.DiskRevolve(n, 2),
    "hierarchical": lambda n: cs.HRevolve(n, 2, 1),
    "mixed": lambda n: cs.MixedCheckpointSchedule(n, 3),
    "two_levels": lambda n: cs.TwoLevelCheckpointSchedule(4, 2),
    "all": lambda n: cs.SingleMemoryStorageSchedule(),
    "all_on_disk": lambda n: cs.SingleDiskStorageSchedule(),
    "all_moved": lambda n: cs.SingleDiskStorageSchedule(move_data=True),
}


@pytest.mark.parametrize("name", SCHEDULES)
def test_gradients(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(__import__(__name__), "make", SCHEDULES[name])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Numba not available")
        for n in (2, 3, 13):
            np.testing.assert_allclose(grad(by_function)(X, n), grad(recorded)(X, n), rtol=1e-13)


def test_an_object_serves_again() -> None:
    wanted = grad(recorded)(X, STEPS)
    for _ in range(2):
        np.testing.assert_allclose(grad(by_object)(X), wanted, rtol=1e-13)
    np.testing.assert_allclose(hessian(by_object)(X), hessian(recorded)(X, STEPS), rtol=1e-10, atol=1e-12)
    assert by_object(X) == recorded(X, STEPS)
    assert "placed(" in differentiate(by_object).source("adjoint", X)


def test_states_are_kept_in_files(monkeypatch: pytest.MonkeyPatch) -> None:
    files, held = [], np.memmap

    def counted(*args: Any, **kwargs: Any) -> Any:
        files.append(kwargs["shape"])
        return held(*args, **kwargs)

    monkeypatch.setattr(schedules.np, "memmap", counted)
    np.testing.assert_allclose(grad(on_disk)(X), grad(recorded)(X, STEPS), rtol=1e-13)
    assert files
    assert set(files) == {X.shape}


@pytest.mark.parametrize("n", [2, 7, 40, 200])
def test_as_few_steps_as_the_schedule(n: int) -> None:
    """The runs that the generated program does, beside those of the schedule."""
    schedule = cs.MultistageCheckpointSchedule(n, 4, 0)
    plan = planned(schedule, n)
    kept, steps = [], n
    kept += stops(0, n + 1, plan)[:-1]
    for k in reversed(range(n)):
        marks = stops(kept[-1], k + 1, plan)
        kept += marks[1:-1]
        assert len(kept) <= 4
        steps += marks[-1] - marks[0] + 1  # and the step itself, in both directions
        if kept[-1] == k:
            kept.pop()
    theirs = 0
    for action in schedule:
        if isinstance(action, cs.Forward):
            theirs += action.n1 - action.n0
        if isinstance(action, cs.EndReverse):
            break
    assert theirs <= steps <= theirs + n  # the last step is not differentiated in the forward sweep


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: grad(of_unknown_length)(X), "how many steps"),
        (lambda: grad(ends_early)(X), "how many steps"),
        (lambda: grad(given)(X, FIXED), "this schedule"),
        (lambda: grad(both)(X), "arguments are not known"),
        (lambda: grad(neither)(X), "arguments are not known"),
    ],
)
def test_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(S2sadError, match=message) as caught:
        call()
    assert not isinstance(caught.value, CompilerError)


def test_what_the_schedule_says_when_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    started = cs.Revolve(7, 2)
    next(started)
    for found, message in [
        (cs.Revolve(7, 2), "of 7 steps, and the loop has 8"), (started, "has been started"),
        (lambda n: cs.NoneCheckpointSchedule(), "not reversed"), (lambda n: [], "no schedule"),
    ]:  # fmt: skip
        monkeypatch.setattr(__import__(__name__), "make", found)
        with pytest.raises(ValueError, match=message):
            grad(by_function)(X, 8)
    assert grad(by_function)(X, 0).shape == X.shape
    for snapshots, schedule in [(None, None), (3, FIXED)]:
        with pytest.raises(TypeError, match="either"):
            checkpointed(range(3), snapshots=snapshots, schedule=schedule)
