"""Each rule is held to its line of effects: what shares memory, what is written, what cannot be written.

Every primitive runs on its samples, in all memory layouts and types, and with the options at which functions hand back their
argument (``n=0``, ``copy=False``, no axes). A line may admit more than happens, and never less.
"""

from __future__ import annotations

import copy
import operator
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from interpreter import Machine, function_named, prepared
from samples import SAMPLES, STEPS, Sample, arr, call
from test_layouts import of_sample, strided

from s2sad.errors import S2sadError
from s2sad.ir.kinds import UNKNOWN, DictOf, List, Scalar, Tuple, kind_of
from s2sad.ir.nodes import Call, Const, Value
from s2sad.rules import registry
from s2sad.rules.effects import Effects, effects, parsed

# Of these nothing is known, as no program calls them: the front end writes them as others.
WRITTEN_OTHERWISE = {"scipy.integrate.solve_ivp", "scipy.optimize.root", "scipy.optimize.root_scalar", "scipy.optimize.minimize",
                     "scipy.optimize.minimize_scalar", "scipy.optimize.least_squares", "scipy.optimize.curve_fit"}  # fmt: skip


def typed(dtype: str) -> Callable[[Any], Any]:
    return lambda x: (10 * x if dtype == "int64" else x).astype(dtype) if x.dtype.kind == "f" else x


def column(x: Any) -> Any:
    """The same items as those at one place of the last axis of another array."""
    return np.stack([x, x], -1)[..., 1]


def turned(x: Any) -> Any:
    """The same items as an array that is seen from its end."""
    return np.flip(np.flip(x).copy())


def on_a_diagonal(x: Any) -> Any:
    """The same items as diagonals of planes."""
    whole = np.zeros((x.shape[-1], *x.shape), x.dtype)
    np.einsum("i...i->...i", whole)[...] = x
    return np.einsum("i...i->...i", whole)


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "C": lambda x: x,
    "F": np.asfortranarray,
    "strided": strided,
    "diagonal": on_a_diagonal,
    "column": column,
    "turned": turned,
    "every other": lambda x: x.repeat(2, -1)[..., ::2],
    "one": lambda x: x[(slice(0, 1),) * x.ndim].copy(),
    "complex128": typed("complex128"),
    "float32": typed("float32"),
    "int64": typed("int64"),
}
# The values of options at which a function may have nothing to do.
OPTIONS: dict[str, list[Any]] = {
    **{name: [0, 1] for name in ("n", "m", "k", "shift", "decimals", "t")},
    **{name: [(), None] for name in ("axis", "axes")},
    **{f"overwrite_{name}": [True] for name in ("a", "b", "x", "input", "ab")},
    "copy": [False, None],
    "order": ["F", "A", "K"],
    "reps": [1, (1, 1)],
    "repeats": [1],
    "ndmin": [0, 3],
    "pad_width": [0],
}
S, V, M = arr(3, 3) + 3 * np.eye(3), arr(4), arr(2, 3)
EDGES: dict[str, list[Sample]] = {
    "numpy.einsum": [call("i", V), call("ij,jk", M, S), *(call(t, M) for t in ("ij", "ji", "ij->ij", "ij->i", "...i->...i"))],
    "numpy.ix_": [call(np.array([0, 1]), np.array([2, 0])), call(np.array([True, False]))],
    "numpy.linalg.matrix_power": [call(S, n) for n in (-1, 0, 1, 2)],
    "ndarray.astype": [call(V, "float64"), call(V, "float64", copy=False), call(V, "float64", order="F", copy=False)],
    "numpy.array": [call(V, copy=None), call(M, order="F", copy=None), call(V, copy=None, ndmin=2)],
    "numpy.fft.fftn": [call(M + 0j, axes=())],
    "numpy.fft.ifftn": [call(M + 0j, axes=())],
    "numpy.round": [call(np.arange(3)), call(V)],
    "numpy.diag": [call(V), call(M), call(M, 1)],
    "numpy.unique": [call(V)],
    "numpy.union1d": [call(V, V + 1)],
    "numpy.zeros": [call(3)],
    "numpy.zeros_like": [call(M)],
    "numpy.copyto": [call(V, V + 1)],
    "numpy.add.at": [call(V, np.array([0, 0]), np.array([1.0, 2.0]))],
    "numpy.subtract.at": [call(V, np.array([0, 0]), np.array([1.0, 2.0]))],
    "operator.pos": [call(V)],
    "operator.add": [call(V, 0.0)],
    "operator.mul": [call(V, 1.0)],
    "operator.pow": [call(V, 1), call(V, 0)],
    "builtins.abs": [call(np.abs(V))],
    "builtins.float": [call(np.array(0.5))],
    "numpy.finfo": [call("float64")],
    "s2sad.runtime.stop_gradient": [call(V)],
    "s2sad.runtime.window_as": [call(V, V, V, M)],
    "s2sad.runtime.shadow_of": [call(V, M, M), call(V, 0.5, M)],
    "s2sad.runtime.buffer_for": [call(V)],
    "s2sad.runtime.assert_number": [call(0.5)],
    "s2sad.runtime.typed": [call(V, V), call(1.5, np.float64(0.5))],
    "s2sad.runtime.unboxed": [call(V, V), call(np.zeros(()), 0.5)],
    "s2sad.runtime.buffered": [call(0.5)],
    "s2sad.runtime.assert_distinct": [call("x, y", V, M)],
    "ndarray.flat": [call(M)],
}


def methods() -> dict[str, tuple[Callable[..., Any], list[list[Any]]]]:
    """What the machinery knows by name, as functions; with arguments, of which lists and dicts are those of a program."""

    ADDED = [[[V, M], slice(None), [V, M]], [[None], slice(None), [V]], [[[V], [M]], slice(None), [[V], [M]]]]

    def added(a: Any, index: Any, value: Any) -> None:
        a[index] += value

    def made_map(keys: Any, *items: Any) -> Any:
        return dict(zip(keys, items, strict=True))

    return {
        "builtins.tuple": (lambda *items: tuple(items), [[V, M], [V]]),
        "builtins.list": (lambda *items: list(items), [[V, M], [V]]),
        "s2sad.items": (lambda *items: list(items), [[V, M]]),
        "s2sad.dict": (made_map, [[("a", "b"), V, M]]),
        "s2sad.map": (made_map, [[("a", "b"), V, M]]),
        "s2sad.unpack": (lambda value: tuple(value), [[(V, M)], [[V, M]]]),
        "s2sad.additem": (added, [[V, 0, 1.0], [[V, M], 0, 1.0]]),
        "s2sad.runtime.add_at": (
            function_named("s2sad.runtime.add_at"), [[V, 0, 1.0], [[V, M], 0, 1.0], [{"a": V}, "a", V]],
        ),
        "s2sad.subitem": (lambda a, index, value: added(a, index, -value), [[V, slice(1, 3), 1.0]]),
        "operator.setitem": (operator.setitem, [[V, 0, 1.0], [V, ..., V + 1], [[V, M], 0, S], [[V, M], slice(0, 1), [S]]]),
        "operator.getitem": (
            operator.getitem,
            [[V, 0], [M, 0], [V, slice(1, 3)], [M, (slice(None), 1)], [V, np.array([0, 1])], [V, V > 0], [M, (0, slice(None))],
             [M, ...], [M, (None, slice(None))], [[V, M], 0], [[V, M], slice(0, 1)], [(V, M), 1], [{"a": V}, "a"], [M, [0, 1]]],
        ),
        "list.append": (lambda items, value: items.append(value), [[[V], M]]),
        "list.insert": (lambda items, k, value: items.insert(k, value), [[[V], 0, M]]),
        "list.pop": (lambda items, *k: items.pop(*k), [[[V, M]], [[V, M], 0]]),
        "dict.get": (lambda items, key, default: items.get(key, default), [[{"a": V}, "a", M], [{"a": V}, "b", M]]),
        "dict.pop": (lambda items, key, default: items.pop(key, default), [[{"a": V}, "a", M], [{"a": V}, "b", M]]),
        "s2sad.runtime.tuple_of": (function_named("s2sad.runtime.tuple_of"), [[[V, M]]]),
        "s2sad.runtime.gathered": (function_named("s2sad.runtime.gathered"), [[deque([V, M])], [{1.0, 2.0}]]),
        "s2sad.runtime.add_items": (function_named("s2sad.runtime.add_items"), ADDED),
        "s2sad.runtime.add_into_items": (function_named("s2sad.runtime.add_into_items"), ADDED),
        "s2sad.runtime.take_out": (function_named("s2sad.runtime.take_out"), [[{"a": V}, "a", V], [{"a": V}, "b", V]]),
        "s2sad.runtime.give_back": (
            function_named("s2sad.runtime.give_back"),
            [[{"a": V}, "a", V + 1, V], [{"a": V}, "a", None, V]],
        ),
        "s2sad.runtime.put_back": (function_named("s2sad.runtime.put_back"), [[{"a": V}, "a", V + 1]]),
        "s2sad.runtime.add": (function_named("s2sad.runtime.add"), [[V, V + 1], [None, V], [V, None]]),
    }


METHODS = methods()


# --- what happens


def leaves(value: Any) -> list[Any]:
    """The arrays in a structure. (Of one without axes, kinds may say that it is a number.)"""
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in leaves(item)]
    if isinstance(value, tuple | list):
        return [leaf for item in value for leaf in leaves(item)]
    return [value] if isinstance(value, np.ndarray) and value.ndim else [value.base] if isinstance(value, np.flatiter) else []


def touches(a: Any, b: Any) -> bool:
    return a is b or bool(a.size and b.size and np.shares_memory(a, b))


def separate(value: Any) -> Any:
    """A copy in which no array stands twice, in the same layout."""
    if isinstance(value, dict):
        return {key: separate(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(map(separate, value)) if not hasattr(value, "_fields") else value
    return copy.deepcopy(value) if isinstance(value, np.ndarray) and value.flags.c_contiguous else value


def violations(op: Call, does: Effects, actual: dict[Value, Any], function: Callable[..., Any]) -> Iterator[str]:
    """What a call does, and its line does not admit."""
    read: Callable[[Value], Any] = lambda v: v.payload if isinstance(v, Const) else actual[v]
    given = {v: read(v) for v in op.operands()}
    before = {v: [(leaf, leaf.copy()) for leaf in leaves(item)] for v, item in given.items()}
    held = {v: [id(item) for item in leaves(x)] for v, x in given.items() if isinstance(x, list | dict)}
    lists = {v: [part for part in item if isinstance(part, list)] for v, item in given.items() if isinstance(item, list)}
    inside = {v: [(part, [*map(id, leaves(part))]) for part in parts] for v, parts in lists.items()}
    np.random.seed(0)
    out = function(*(given[a] for a in op.args), **{k: given[v] for k, v in op.kwargs.items()})
    shared = {share.value: share.how for share in does.shares}
    for value, item in given.items():
        mine = [leaf for leaf, _ in before[value] if any(touches(leaf, found) for found in leaves(out))]
        if mine and value not in shared:
            yield f"the result shares memory with {op.target}'s argument of shape {mine[0].shape}"
        frozen = any(touches(leaf, f) and leaf.flags.writeable and not f.flags.writeable for leaf in mine for f in leaves(out))
        if frozen and not does.frozen:
            yield "the result cannot be written"
        array = isinstance(item, np.ndarray) and item.size > 0 and sum(x.size for x in leaves(out))
        if does.certain and len(does.shares) == 1 and array and shared.get(value) in ("same", "view") and not mine:
            yield "the result is no window of what it should be one of"
        changed = any(not np.array_equal(a, b, equal_nan=a.dtype.kind in "fc") for a, b in before[value])
        if changed and value not in (*does.writes, *does.changes):
            yield "an argument is written"
        replaced = any(ids != [*map(id, leaves(part))] for part, ids in inside.get(value, ()))
        if (replaced or changed and isinstance(item, list | dict | tuple)) and value not in does.changes:
            yield "what an argument holds is written"
        if value in held and held[value] != [id(leaf) for leaf in leaves(item)]:
            if value not in (*does.writes, *does.changes):
                yield "a list or dict is changed"
            arrived = [leaf for leaf in leaves(item) if id(leaf) not in held[value]]
            for other, theirs in given.items():
                kept = any(touches(x, y) for x in arrived for y in leaves(theirs))
                if kept and other is not value and (other, value) not in does.puts:
                    yield "a container keeps an argument"


REFUSED = (ValueError, TypeError, IndexError, ArithmeticError, AssertionError, AttributeError, KeyError, RuntimeError, S2sadError)


def of_call(name: str, sample: Sample, described: bool, line: str | None = None) -> list[str]:
    """The violations of a call; none where the function refuses the arguments."""
    machine = Machine(described)
    try:
        with np.errstate(all="ignore"):
            args, kwargs = prepared(machine, Sample(separate(sample.args), separate(sample.kwargs), sample.fixed))
            for value in (*args, *kwargs.values()):
                machine.run(value)
            machine.builder.call(name, *args, **kwargs)
            op = machine.block.ops[-1]
            assert isinstance(op, Call)
            return list(violations(op, lined(op, line), machine.actual, function_named(name)))
    except REFUSED:
        return []  # NumPy or the rule has another idea of these arguments


def lined(op: Call, line: str | None) -> Effects:
    """The effects of a call, by another line if one is given."""
    known = registry.lookup(op.target)
    if line is None or known is None:
        return effects(op)
    registry._primitives[op.target] = replace(known, effects=line)
    try:
        return effects(op)
    finally:
        registry._primitives[op.target] = known


def with_options(name: str, sample: Sample) -> Iterator[Sample]:
    """The sample, and it with options at which there may be nothing to do."""
    yield sample
    primitive = registry.lookup(name)
    assert primitive is not None
    for position, (param, _, _) in enumerate(primitive.parameters):
        for value in OPTIONS.get(param, ()):
            if position >= len(sample.args) and param in [p for p, _, _ in primitive.parameters]:
                yield sample._replace(kwargs={**sample.kwargs, param: value})
            elif 0 < position < len(sample.args):
                yield sample._replace(args=(*sample.args[:position], value, *sample.args[position + 1 :]))


def samples_of(name: str) -> list[Sample]:
    """The samples of a primitive, or of the one that it is another name of."""
    found = [*SAMPLES.get(name, []), *STEPS.get(name, []), *EDGES.get(name, [])]
    if found:
        return found
    table = registry.all_primitives()
    known = [n for n in (*SAMPLES, *STEPS) if n in table]
    twins = (n for n in known if table[n].derivative is table[name].derivative and table[n].kind is table[name].kind)
    twin = next(twins, None)
    return [] if twin is None else [*SAMPLES.get(twin, []), *STEPS.get(twin, [])]


NAMES = [name for name in registry.all_primitives() if name not in METHODS and samples_of(name)]


@pytest.mark.parametrize("name", NAMES)
def test_lines_admit_all_that_happens(name: str) -> None:
    found: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        samples = samples_of(name)
        for k, sample in enumerate(samples):
            cases = [(sample, True, "C")]
            if k in (0, len(samples) - 1):
                cases += [(sample, False, "kinds unknown")]
                cases += [(of_sample(sample, change), True, layout) for layout, change in LAYOUTS.items()]
            if k == 0:
                cases += [(more, True, f"{more.kwargs}") for more in with_options(name, sample)]
            for case, described, label in cases:
                for broken in of_call(name, case, described):
                    found.setdefault(broken, f"sample {k}, {label}")
    assert not found, (name, registry.all_primitives()[name].effects, found)


def program_value(actual: Any) -> Value:
    """A value as a program has it: lists and dicts of any length."""
    if isinstance(actual, int | float | str | slice | type(...)) or actual is None:
        return Const(actual)
    if isinstance(actual, tuple) and any(isinstance(item, str | slice | int) or item is None for item in actual):
        return Const(actual)
    if isinstance(actual, list) and any(isinstance(item, np.ndarray | list) for item in actual):
        return Value(List(program_value(actual[0]).kind))
    if isinstance(actual, dict):
        return Value(DictOf(kind_of(next(iter(actual.values()))), kind_of(next(iter(actual)))))
    if isinstance(actual, tuple):
        return Value(Tuple(tuple(map(kind_of, actual))))
    return Value(kind_of(actual))


METHOD_CASES = [pytest.param(name, k, id=f"{name}-{k}") for name, (_, cases) in METHODS.items() for k in range(len(cases))]


def of_method(name: str, k: int, line: str | None = None) -> list[str]:
    function, cases = METHODS[name]
    given = [separate(item) for item in cases[k]]
    values = [program_value(item) for item in given]
    out = Value(UNKNOWN)
    op = Call(target=name, args=values, results=[out])
    found = registry.infer(op)
    out.kind = UNKNOWN if isinstance(found, Scalar) else found
    return list(violations(op, lined(op, line), dict(zip(values, given, strict=True)), function))


@pytest.mark.parametrize(("name", "k"), METHOD_CASES)
def test_lines_of_what_containers_and_memory_do(name: str, k: int) -> None:
    assert not of_method(name, k)


# --- the lines themselves


def test_every_line_can_be_read_and_names_parameters() -> None:
    for name, primitive in registry.all_primitives().items():
        if primitive.effects:
            line = parsed(primitive.effects)
            known = {p.lstrip("*") for p, _, _ in primitive.parameters}
            places = (p for item, into, _ in line.puts for p in (item, into))
            named = {*(p for p, _ in (*line.writes, *line.changes)), *line.looks, *places}
            assert named <= known, (name, primitive.effects)


def test_nothing_is_unknown_of_our_rules_without_a_reason() -> None:
    unknown = {name for name, primitive in registry.all_primitives().items() if not primitive.effects}
    assert unknown - WRITTEN_OTHERWISE - {n for n in unknown if "." not in n or n.startswith("test_")} == set()


WRONG = [
    ("numpy.reshape", "fresh"),
    ("numpy.reshape", "view(a)"),
    ("ndarray.conj", "fresh"),
    ("ndarray.conj", "same(x)"),
    ("numpy.broadcast_to", "view(array)"),
    ("numpy.linalg.matrix_power", "fresh"),
    ("numpy.einsum", "fresh"),
    ("numpy.diff", "fresh"),
    ("numpy.diff", "same(a)"),
    ("numpy.sin", "view(x)"),
    ("numpy.add.at", "none"),
    ("ndarray.astype", "fresh"),
]


@pytest.mark.parametrize(("name", "line"), WRONG)
def test_a_wrong_line_fails(name: str, line: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = [of_sample(s, change) for s in samples_of(name) for change in LAYOUTS.values()]
        cases += [more for s in samples_of(name) for more in with_options(name, s)]
        assert any(of_call(name, case, True, line) for case in cases)


WRONG_METHODS = [
    ("list.append", "none"),
    ("list.append", "none; writes items"),
    ("list.pop", "fresh; writes items"),
    ("s2sad.additem", "none"),
    ("s2sad.runtime.add_into_items", "none; writes items; puts bars in items"),
    ("s2sad.runtime.add_items", "none; writes items; puts bars in items"),  # what lists in it hold, too
    ("builtins.tuple", "fresh"),
    ("operator.getitem", "fresh"),
    ("operator.getitem", "view(a)"),
    ("dict.get", "item(items)"),
]


@pytest.mark.parametrize(("name", "line"), WRONG_METHODS)
def test_a_wrong_line_of_a_method_fails(name: str, line: str) -> None:
    assert any(of_method(name, k, line) for k in range(len(METHODS[name][1])))
