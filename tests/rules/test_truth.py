"""What rules say of kinds is true of what the functions return, and stays true where less is known of the arguments.

Each sample is called in all forms (single precision, integers, numbers in the place of arrays, lists, stacks ...), and the
rule asked for the kind of its result: from all that can be known of the arguments, and from kinds above those, which may
not lead to a claim that is false of the result, nor to one that says more.
"""

from __future__ import annotations

import copy
import itertools
import random
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from interpreter import function_named
from product import FORMS
from samples import SAMPLES, STEPS, Sample, arr, call
from sampling import Literal, spread
from truth import below, exact, higher, holds_reals, true_of

from s2sad.ir.kinds import NONE, UNKNOWN, Array, Dim, Kind, Scalar, Tuple
from s2sad.ir.nodes import Call, Const, Value
from s2sad.rules import registry

REAL = lambda x: isinstance(x, np.ndarray) and x.dtype.kind == "f"
TYPED = {
    "integers": lambda x, k: x.astype(int) if REAL(x) else int(x) if type(x) is float else x,
    "truths": lambda x, k: x > 0 if REAL(x) or type(x) is float else x,
    "int32": lambda x, k: (10 * x).astype("int32") if REAL(x) else x,
    "uint8": lambda x, k: abs(10 * x).astype("uint8") if REAL(x) else x,
    "list": lambda x, k: x.tolist() if isinstance(x, np.ndarray) else x,
    "tuple": lambda x, k: tuple(x.tolist()) if isinstance(x, np.ndarray) and x.ndim == 1 else x,
    "list of arrays": lambda x, k: list(x) if isinstance(x, np.ndarray) and x.ndim == 2 else x,
    "first of integers": lambda x, k: x.astype(int) if REAL(x) and not k else x,
    "first in a stack": lambda x, k: np.stack([x, x]) if isinstance(x, np.ndarray) and not k else x,
    "NumPy's single numbers": lambda x, k: np.float32(x) if type(x) is float else x,
}  # fmt: skip
ALL = {**FORMS, **TYPED, "long": lambda x, k: np.concatenate([x] * 9) if isinstance(x, np.ndarray) and x.ndim else x}
# Helpers of generated code are called with adjoints and tangents, which are floats, and of the shapes that they belong to.
OF_HELPERS = {form: ALL[form] for form in ("as it is", "strided", "single", "no axes")}
ROOMS = ("numpy.", "ndarray.", "scipy.", "s2sad.", "")
EXCEPT = {
    ("numpy.nanpercentile", "empty"): "NumPy leaves an axis out where there are neither items nor levels",
    ("numpy.nanquantile", "empty"): "the same",
    ("numpy.cov", "empty"): "of nothing, NumPy's covariance is real",
    **dict.fromkeys(
        (("ndarray.copy", form) for form in ("NumPy number for array", "single number", "list", "list of arrays")),
        "what nothing is known of counts as an array, which programs without annotations need: not proved, and not refused",
    ),
    ("numpy.polyval", "empty"): "NumPy makes an array of zero where there are no coefficients",
    ("numpy.bincount", "empty"): "of nothing, the sums of weights are integers",
    ("scipy.linalg.lu", "empty"): "SciPy's rows of nothing",
    ("scipy.signal.fftconvolve", "empty"): "SciPy's product of nothing is a vector of nothing",
    **dict.fromkeys(
        (("scipy.stats.multinomial.logpmf", form) for form in ("integers", "truths", "int32", "uint8", "long")),
        "shares that do not add up to 1",
    ),
}


def in_form(sample: Sample, form: str) -> Sample:
    """A sample with its arguments in a form."""
    count = itertools.count()

    def changed(value: Any) -> Any:
        if isinstance(value, tuple | list):
            return type(value)(map(changed, value))
        return ALL[form](value, next(count))

    args, kwargs = sample.fresh()
    return Sample(tuple(map(changed, args)), {p: changed(v) for p, v in kwargs.items()}, sample.fixed)


def value_for(actual: Any) -> Value:
    """What holds no real numbers is a literal, unless it is an array."""
    if isinstance(actual, Literal):
        return Const(float(actual))
    known = holds_reals(actual) or isinstance(actual, np.ndarray | np.generic)
    return Value(exact(actual)) if known or isinstance(actual, list) else Const(actual)


def lies(name: str, sample: Sample, rng: random.Random, trials: int) -> Iterator[str]:
    """What a rule says of a call that is not so; nothing where the library refuses the call."""
    args, kwargs = copy.deepcopy(sample.args), copy.deepcopy(sample.kwargs)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            out = function_named(name)(*args, **kwargs)
        except Exception:  # the library's own
            return
    least = Call(
        target=name, args=list(map(value_for, sample.args)), kwargs={p: value_for(v) for p, v in sample.kwargs.items()}
    )
    said = inferred(least)
    if isinstance(said, str):
        yield said
        return
    if not true_of(said, out):
        yield f"{kinds(least)}: {said!r}, but {exact(out)!r}"
        return
    for _ in range(trials):
        raised = lambda value: Value(higher(value.kind, rng)) if rng.random() < 0.65 else value
        call = Call(target=name, args=list(map(raised, least.args)), kwargs={p: raised(v) for p, v in least.kwargs.items()})
        more = inferred(call)
        if isinstance(more, str):
            yield more
        elif not true_of(more, out):
            yield f"{kinds(call)}: {more!r}, but {exact(out)!r}"
        elif not below(said, more):
            yield f"{kinds(call)}: {more!r}, but where more is known {said!r}"


def inferred(call: Call) -> Kind | str:
    """What is said of a call, or that nothing is."""
    try:
        return registry.infer(call)
    except Exception as error:
        return f"{kinds(call)}: {error!r}"


def kinds(call: Call) -> str:
    """The arguments of a call, for messages."""
    given = {**dict(enumerate(call.args)), **call.kwargs}
    return ", ".join(f"{p}={v.payload if isinstance(v, Const) else repr(v.kind)}" for p, v in given.items())


def of_room(room: str, count: int, trials: int, seed: int = 0) -> dict[str, str]:
    """The lies of the rules whose names begin so; of the last room, all that none of the others has."""
    rng = random.Random(seed)
    found: dict[str, str] = {}
    for name in {**SAMPLES, **STEPS}:
        if next(known for known in ROOMS if name.startswith(known)) != room or registry.lookup(name) is None:
            continue
        for k, sample in spread([*SAMPLES.get(name, ()), *STEPS.get(name, ())], count):
            for form in OF_HELPERS if room == "s2sad." else ALL:
                if (name, form) not in EXCEPT:
                    found |= {f"{name} #{k} {form}": lie for lie in lies(name, in_form(sample, form), rng, trials)}
    return found


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
@pytest.mark.parametrize("room", ROOMS)
def test_what_rules_say_of_kinds_is_true(room: str) -> None:
    assert of_room(room, 2, 2) == {}


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("room", ROOMS)
def test_all_that_rules_say_of_kinds_is_true(room: str, seed: int) -> None:
    assert of_room(room, 100, 8, seed + 1) == {}


def test_lies_are_seen() -> None:
    assert not true_of(Scalar("float64"), 1) and not true_of(Scalar("float64"), np.float64(1.0))
    assert not true_of(Array("float64", (Dim(("size", 3)),)), np.ones(4)) and not true_of(Array("float64", None), 1.0)
    assert true_of(Array(None, (Dim(("size", 3)), None)), np.ones((3, 4)))
    rng = random.Random(0)
    known = registry.lookup("numpy.tanh")
    assert known is not None and not list(lies("numpy.tanh", call(arr(3)), rng, 3))
    true = known.kind
    object.__setattr__(known, "kind", lambda _: Array("float64", (None,)))
    try:
        assert all(list(lies("numpy.tanh", call(x), rng, 0)) for x in (arr(2, 3), arr(3, dtype="float32")))
    finally:
        object.__setattr__(known, "kind", true)


REFUSED = [
    Array("float64", ()), Scalar("float64"), Scalar("int64"), Array("float64", (0,)), Array("float64", (2, 3)),
    Array("float64", (2, 2, 2)), Array(None, None), Tuple(()), NONE, UNKNOWN,
]  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED, ids=repr)
def test_rules_answer_of_calls_that_the_library_refuses(kind: Kind) -> None:
    """On a path that is not taken, or where the run raises, an argument may be anything."""
    failed = {}
    for name, samples in SAMPLES.items():
        for sample in samples if registry.lookup(name) is not None else ():
            call = Call(
                target=name, args=list(map(value_for, sample.args)), kwargs={p: value_for(v) for p, v in sample.kwargs.items()}
            )
            for k, given in enumerate(call.args):
                if not isinstance(given, Const):
                    args = [*call.args[:k], Value(kind), *call.args[k + 1 :]]
                    said = inferred(Call(target=name, args=args, kwargs=call.kwargs))
                    failed |= {name: said} if isinstance(said, str) else {}
    assert failed == {}
