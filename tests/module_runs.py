"""The corpora's adjoint modules as the command line makes them, called with the programs' own arguments: which of a module's two
programs answers, and what it does for shapes that turn out equal."""

from __future__ import annotations

import copy
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from typing import Any

import numpy as np
from programs.case import Case, all_cases
from programs.language import language_cases

from s2sad import S2sadError, runtime
from s2sad.cli import two_programs
from s2sad.cli.target import Target, open_scope
from s2sad.runtime.guards import SequenceError

SEED = 20240301


@dataclass
class Run:
    """A module and its call: whether there are ``two`` programs, whether the first has answered (``lean``), whether it agrees
    with the second, and the places of ``unbroadcast`` that were come to, with whether shapes were equal each time."""

    case: Case
    text: str
    two: bool = False
    lean: bool = False
    agrees: bool = True
    places: dict[Any, bool] = field(default_factory=dict)


def runs(step: int = 1) -> Iterator[Run]:
    """The runs of every ``step``-th program whose module is made."""
    scopes: dict[str, Any] = {}
    for case in [*all_cases(), *language_cases()][::step]:
        file = str(inspect.getsourcefile(case.function))
        names = list(inspect.signature(case.function).parameters)
        if max(case.wrt) >= len(names):  # some of ``*xs``
            continue
        try:
            target = Target(scopes.setdefault(file, open_scope(file)), case.function.__name__)
            wrt = ",".join(names[k] for k in case.wrt)
            text = two_programs.module(target, "adjoint", wrt, case.of, "compact", False, None)
        except S2sadError:
            continue
        with redirect_stdout(StringIO()):
            run = _run(case, names, text)
        yield run


def _run(case: Case, names: list[str], text: str) -> Run:
    found = Run(case, text)
    module = _loaded(text, case)
    name = f"{case.function.__name__}_adjoint"
    lean, general = module[name], module.get(f"{name}_general")
    if general is None:
        return found
    found.two = True
    given = _arguments(case, names, lean)
    handed: list[bool] = []
    module[f"{name}_general"] = lambda *args, **kwargs: handed.append(True) or general(*args, **kwargs)
    module["unbroadcast"] = _watched(found.places)
    answer = outcome(lean, given)
    found.lean = not handed
    module["unbroadcast"] = runtime.unbroadcast
    found.agrees = alike(answer, expected(general, given, found.lean))
    return found


def _loaded(text: str, case: Case) -> dict[str, Any]:
    folder = str(inspect.getsourcefile(case.function)).rpartition("/")[0]
    module: dict[str, Any] = {"__name__": case.name}
    sys.path.insert(0, folder)
    try:
        exec(compile(text, f"<{case.name}>", "exec"), module)
    finally:
        sys.path.remove(folder)
    return module


def _arguments(case: Case, names: list[str], function: Callable[..., Any]) -> dict[str, Any]:
    """The arguments of an adjoint by name, with seeds of the shapes of results."""
    args = case.make(np.random.default_rng(SEED))
    called = copy.deepcopy(args)
    result = case.function(*called)
    if case.of is not None:
        result = called[names.index(case.of)]
    parameters = inspect.signature(function).parameters
    seeds = [p for p in parameters if p.endswith("_bar") and p not in names]
    given = {name: x for name, x in zip(names, args, strict=False) if name in parameters}
    bars = (np.full(np.shape(x), 0.7) if np.shape(x) else 0.7 for x in _inexact(result))
    return given | dict(zip(seeds, bars, strict=False))


def _inexact(result: Any) -> Iterator[Any]:
    if isinstance(result, tuple | list):
        for item in result:
            yield from _inexact(item)
    elif isinstance(result, dict):
        yield from _inexact(list(result.values()))
    elif isinstance(result, float | np.inexact) or (isinstance(result, np.ndarray) and result.dtype.kind in "fc"):
        yield result


def _watched(places: dict[Any, bool]) -> Callable[[Any, Any], Any]:
    plain = runtime.unbroadcast

    def watched(bar: Any, like: Any) -> Any:
        frame = sys._getframe(1)
        at = frame.f_code.co_name, frame.f_lasti
        places[at] = places.get(at, True) and np.shape(bar) == np.shape(like)
        return plain(bar, like)

    return watched


def outcome(function: Callable[..., Any], given: Mapping[str, Any]) -> Any:
    """What a call with copies gives, or the error that it raises."""
    try:
        with np.errstate(all="ignore"):
            return function(**copy.deepcopy(dict(given)))
    except Exception as error:
        return error


def expected(general: Callable[..., Any], given: Mapping[str, Any], lean: bool) -> Any:
    """What the program for all arguments gives; for lists, which it refuses, and of which the other one may know, of arrays."""
    found = outcome(general, given)
    if lean and isinstance(found, SequenceError):
        arrays = {name: _as_array(x) for name, x in given.items()}
        return outcome(general, {name: given[name] if x is None else x for name, x in arrays.items()})
    return found


def _as_array(x: Any) -> Any:
    try:
        return np.asarray(x) if isinstance(x, list) else x
    except ValueError:
        return None


def alike(one: Any, other: Any) -> bool:
    """Equal numbers in equal structures, or errors of one class. A list of numbers is as good as an array."""
    if isinstance(one, Exception) or isinstance(other, Exception):
        return type(one) is type(other)
    if isinstance(one, list) and isinstance(other, np.ndarray):
        return bool(np.allclose(np.asarray(one), other, rtol=1e-6, atol=1e-9, equal_nan=True))
    if isinstance(one, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if one is None or isinstance(one, str):
        return bool(one == other)
    same = np.shape(one) == np.shape(other) and np.result_type(one) == np.result_type(other)
    return same and bool(np.allclose(one, other, rtol=1e-6, atol=1e-9, equal_nan=True))
