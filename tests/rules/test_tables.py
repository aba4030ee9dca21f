"""Facts about whole tables: signatures are NumPy's, formulas stay in the language and read well."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np
import pytest
from interpreter import Machine, fits, function_named, prepared
from samples import STEPS, arr, call
from samples_scipy import SCIPY_NAMES
from test_formulas import Trial

from s2sad.ir.kinds import UNKNOWN
from s2sad.rules import registry
from s2sad.rules.call_formulas import Written
from s2sad.rules.language import CallFormula


def numpy_signature(name: str) -> inspect.Signature | None:
    found = registry.find_object(name)
    assert found is not None, name
    try:
        return None if isinstance(found, np.ufunc) else inspect.signature(found)
    except ValueError:
        return None


ALIKE = [
    name
    for name in registry.all_primitives()
    if name.startswith(("numpy.", "math.", *SCIPY_NAMES)) and numpy_signature(name) is not None
]


def test_parameters_are_named_and_placed_as_in_the_library() -> None:
    for name in ALIKE:
        signature = numpy_signature(name)
        assert signature is not None
        theirs = list(signature.parameters.values())
        if any(p.kind is p.VAR_POSITIONAL for p in theirs):
            continue
        by_name = {p.name: p for p in theirs}
        takes_any = any(p.kind is p.VAR_KEYWORD for p in theirs)
        primitive = registry.all_primitives()[name]
        keyword_only = primitive.signature.partition("*")[2]
        for position, (ours, _, _) in enumerate(primitive.parameters):
            if ours.startswith("*"):  # spelled as an argument of this name
                assert ours[1:] in by_name or takes_any, (name, ours)
            elif f" {ours}" in keyword_only:
                assert ours in by_name or takes_any, (name, ours)
            elif theirs[position].kind is not inspect.Parameter.POSITIONAL_ONLY:
                assert theirs[position].name == ours, (name, ours)


@pytest.mark.parametrize("name", STEPS)
def test_kinds_of_functions_without_a_derivative(name: str) -> None:
    for sample in STEPS[name]:
        machine = Machine()
        args, kwargs = prepared(machine, sample)
        made = machine.builder.call(name, *args, **kwargs)
        for value in args:
            machine.run(value)
        found = function_named(name)(*map(machine.read, args), **{k: machine.read(v) for k, v in kwargs.items()})
        assert made.kind != UNKNOWN, sample
        assert fits(made.kind, found), f"{made.kind!r} but {found!r} of {sample}"


def specs() -> list[tuple[str, Any]]:
    found = []
    for name, primitive in registry.all_primitives().items():
        derivative = primitive.derivative
        for table in ("partials", "adjoints", "pushes", "pulls"):
            found += [(f"{name}.{table}.{p}", spec) for p, spec in getattr(derivative, table, {}).items()]
    return found


def test_formulas_are_expressions_that_mention_what_is_propagated() -> None:
    for place, spec in specs():
        formulas = spec.formulas.values() if isinstance(spec, CallFormula) else [spec]
        for formula in formulas:
            written = isinstance(spec, Written)
            assert "g" in formula.names or written, place


def pull_text(name: str, param: str, *args: Any, **kwargs: Any) -> str:
    trial = Trial(name, call(*args, **kwargs))
    spec = getattr(trial.derivative, "adjoints", getattr(trial.derivative, "pulls", {}))[param]
    return spec.formula(trial.app).text if isinstance(spec, CallFormula) else spec.text


A, M, T = arr(3), arr(2, 3), arr(2, 3, 4)
READS = [
    (("numpy.sum", "a", M), "full_like(a, g)"),
    (("numpy.sum", "a", M, 0), "full_like(a, g)"),
    (("numpy.sum", "a", M, 1), "full_like(a, g[:, None])"),
    (("numpy.sum", "a", T, 1), "full_like(a, g[:, None])"),
    (("numpy.sum", "a", T, (0, 2)), "full_like(a, g[:, None])"),
    (("numpy.sum", "a", T, (1, 2)), "full_like(a, g[:, None, None])"),
    (("numpy.sum", "a", 0.5), "g"),
    (("numpy.mean", "a", A), "full_like(a, g / builtins.max(a.size, 1))"),
    (("numpy.mean", "a", M, 1), "full_like(a, g[:, None] / a.shape[1])"),
    (("numpy.mean", "a", T, (0, 1)), "full_like(a, g / (a.shape[0] * a.shape[1]))"),
    (("numpy.max", "a", A), "g * ties(a, out)"),
    (("numpy.max", "a", M, 1), "g[:, None] * ties(a, out, axis=axis)"),
    (("numpy.var", "a", A), "2 * g / builtins.max(a.size, 1) * (a - mean(a))"),
    (("numpy.std", "a", M, 0), "safe_divide(g, out) / a.shape[0] * (a - mean(a, axis=axis, keepdims=True))"),
    (("numpy.prod", "a", A), "g * prod_of_others(a)"),
    (("numpy.cumsum", "a", A), "cumsum(g[::-1])[::-1]"),
    (("numpy.reshape", "a", A, (3, 1)), "reshape(g, a.shape)"),
    (("numpy.transpose", "a", M), "g.T"),
    (("numpy.transpose", "a", T, (2, 0, 1)), "transpose(g, (1, 2, 0))"),
    (("numpy.roll", "a", A, 2), "roll(g, -2, axis)"),
    (("numpy.pad", "array", A, 1), "g[1:-1]"),
    (("numpy.pad", "array", M, ((1, 0), (0, 2))), "g[1:, :-2]"),
    (("numpy.stack", "arrays", (A, A)), "g"),
    (("numpy.array", "object", [0.1, 0.2]), "g"),
    (("numpy.concatenate", "arrays", (A, A)), "(g[:arrays[0].shape[0]], g[arrays[0].shape[0]:])"),
    (("numpy.dot", "a", M, A), "outer(g, b)"),
    (("numpy.dot", "b", M, A), "a.T @ g"),
    (("numpy.einsum", "operands0", "ij,jk->ik", M, arr(3, 4)), "einsum('ik,jk->ij', g, operands1)"),
    (("numpy.einsum", "operands1", "ij,jk->ik", M, arr(3, 4)), "einsum('ik,ij->jk', g, operands0)"),
    (("numpy.linalg.solve", "b", arr(3, 3), A), "linalg.solve(a.T, g)"),
    (("numpy.linalg.norm", "x", A), "safe_divide(g, out) * x"),
    (("numpy.linalg.norm", "x", M, None, 1), "safe_divide(g, out)[:, None] * x"),
    (("numpy.sort", "a", A), "g[argsort(argsort(a))]"),
    (("numpy.diff", "a", A), "-diff(pad(g, 1))"),
    (("numpy.linspace", "stop", 0.1, 0.9, 5), "sum(g * linspace(0.0, 1.0, num, endpoint))"),
]


@pytest.mark.parametrize(("made", "text"), READS, ids=[f"{m[0]}-{k}" for k, (m, _) in enumerate(READS)])
def test_formulas_read_well(made: tuple[Any, ...], text: str) -> None:
    name, param, *args = made
    assert pull_text(name, param, *args) == text


def test_names_that_numpy_has_twice_are_one_rule() -> None:
    primitives = registry.all_primitives()
    for first, second in (
        ("numpy.absolute", "numpy.abs"),
        ("numpy.max", "numpy.amax"),
        ("numpy.arcsin", "numpy.asin"),
    ):
        assert primitives[first].derivative is primitives[second].derivative
    assert registry.name_of(math.sin) == "math.sin"
