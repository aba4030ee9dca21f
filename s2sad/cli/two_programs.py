"""The module of a function of a file: where annotations do not tell the kinds of arguments, the program for likely ones, and
behind it the one for all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from s2sad import pipeline
from s2sad.ad.request import Request, outputs_of, parameter
from s2sad.analysis.activity import Activity
from s2sad.analysis.alias import Aliases
from s2sad.analysis.guesses import guess
from s2sad.cli.target import Target
from s2sad.ir.kinds import FLOAT, INT, Assumptions, Kind, Scalar, assuming, is_differentiable, join
from s2sad.ir.nodes import Call, DerivativeName, Function
from s2sad.ir.size_names import Told
from s2sad.ir.walk import ops_of, program_of, values_read
from s2sad.options import Machine
from s2sad.runtime.arguments import LIST, names_in, told_of

MENDS = ("s2sad.runtime.unbroadcast", "s2sad.runtime.stand_in", "s2sad.runtime.broadcast_like")  # for shapes that may differ
EITHER = (join(FLOAT, INT), FLOAT)  # numbers of which a float is one
REFUSES = "s2sad.runtime.assert_"
SHARED = "s2sad.runtime.assert_distinct"  # asked where arrays are written in their place: a program for all kinds may do without
ASKED = re.compile(r"float|int|bool|complex|str|\w+\[[^?]+\]")  # kinds that a program can ask for


def module(
    target: Target, mode: str, wrt: str | None, of: str | None, style: str, standalone: bool, machine: Machine | None
) -> str:
    """The text of a derivative module, without its head."""
    function, homes = target.lower(wrt, of), target.scope.program.homes
    wanted = target.wanted(function, wrt, of)
    if machine is not None:
        return pipeline.differentiate(function, mode, wanted, style, standalone, homes, machine).text
    likely = _likely(function, wanted)
    general = pipeline.derived(function, mode, wanted, homes)
    lean, told = _lean(target, mode, wrt, of, likely, general) if likely and _mended(general) else (None, "")
    if lean is None and _mended(general):
        lean = _looking(function, mode, wanted, homes, general)
    if lean is None:
        return pipeline.finished(general, style, standalone, homes).text
    return pipeline.guarded(lean, general, told, [name for name, _, _ in told_of(told)[0]], style, standalone, homes).text


def _likely(function: Function, wanted: Request) -> dict[str, Kind]:
    """The likely kinds of parameters; of one by which the function varies none that has no derivative."""
    found = guess(function, wanted.inputs)
    whole = [name for name in wanted.inputs if name in found and not is_differentiable(found[name])]
    if whole:
        given = [parameter(function, name) for name in wanted.inputs]
        activity = Activity(function, Aliases(function, split=True), given, outputs_of(function, wanted, {}))
        found = {n: kind for n, kind in found.items() if n not in whole or not activity.active(parameter(function, n))}
    return found


def _lean(
    target: Target, mode: str, wrt: str | None, of: str | None, likely: Mapping[str, Kind], general: Function
) -> tuple[Function | None, str]:
    """The program for likely kinds, and what it asks for; None where that is no better, refuses more, or is not possible."""
    lost = target.lost
    assumed = Assumptions(lambda symbol: None, supposes=True)
    with assuming(assumed):
        try:
            function = target.lower(wrt, of, likely)
            wanted = target.wanted(function, wrt, of)
            main, looks = pipeline.expecting(function, mode, wanted, target.scope.program.homes)
            told = _told(main, general)
            if looks and LIST in told:  # the other program may refuse lists
                main = pipeline.derived(function, mode, wanted, target.scope.program.homes)
                told = _told(main, general)
        except Exception:  # whatever is wrong with it, there is a program
            return None, ""
        finally:
            target.lost = lost
        main.doc = pipeline.describe(function, mode, wanted)
    known = {p.name: p for p in general.params}
    alike = main.returns == general.returns and {p.name for p in main.params} == known.keys()
    if not told or not alike or _mended(main) >= _mended(general) or _refusals(main) - _refusals(general):
        return None, ""
    main.params.sort(key=lambda p: [*known].index(p.name))
    for p in main.params:
        p.default, p.keyword_only = known[p.name].default, known[p.name].keyword_only
    return main, told


def _looking(
    function: Function, mode: str, wanted: Request, homes: Mapping[str, tuple[str, str]], general: Function
) -> Function | None:
    """The program for the same kinds that looks whether shapes are equal; None where that spares nothing."""
    main, looks = pipeline.expecting(function, mode, wanted, homes)
    main.doc = pipeline.describe(function, mode, wanted)
    return main if looks and _mended(main) < _mended(general) else None


def _calls(main: Function) -> Iterator[str]:
    return (op.target for f in program_of(main) for op in ops_of(f.body) if isinstance(op, Call))


def _mended(main: Function) -> int:
    """How often a program does something for shapes that may differ."""
    return sum(called in MENDS for called in _calls(main))


def _refusals(main: Function) -> set[str]:
    """The checks for which a program may refuse arguments as it runs."""
    return {called for called in _calls(main) if called.startswith(REFUSES) and called != SHARED}


def _told(main: Function, general: Function) -> str:
    """The question about arguments: their kinds where the other program knows less, and their sizes; empty if there is none."""
    told = Told(p.name for p in main.params)
    known = {p.name: p.value.kind for p in general.params}
    groups: dict[str, list[str]] = {}
    read = {*values_read(main.body)}
    for p in main.params:
        kind = p.value.kind
        if p.value not in read and isinstance(p.value.name, DerivativeName):
            continue  # the direction of what has no derivative
        if kind != known.get(p.name) or (isinstance(kind, Scalar) and kind.size is not None):
            groups.setdefault("float" if kind in EITHER else str(told.kind(kind)), []).append(p.name)
    if not all(map(ASKED.fullmatch, groups)):
        return ""
    text = "; ".join([*(f"{', '.join(names)}: {kind}" for kind, names in groups.items()), *told.reader.conditions()])
    return text if _is_complete(text) else ""


def _is_complete(text: str) -> bool:
    """Test for a question in which each size that is mentioned is that of an axis, or an argument."""
    arguments, conditions = told_of(text)
    axes = [axis for _, _, sizes in arguments for axis in sizes or () if axis is not None]
    bound = {"", *(name for name, _, sizes in arguments if sizes is None)}
    bound |= {axis[0][0] for axis in axes if len(axis) == 1 and axis[0][1] == 1}
    mentioned: list[Any] = [*axes, *(side for _, one, other in conditions for side in (one, other))]
    return all(name in bound for terms in mentioned for name in names_in(terms))
