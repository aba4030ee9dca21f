"""Lists and dicts that are changed, written containers as arguments, complex numbers: differences in both modes."""

from __future__ import annotations

import cmath
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, errors, grad, jvp, vjp

ONE = np.array([1.0, 2.0])


def moved(x: Any) -> Any:
    xs = [x, 2 * x, x * x]
    first = xs.pop(0)
    xs.insert(1, first * x)
    xs.insert(-1, x**3)
    xs.insert(9, 5.0 * x)
    xs.reverse()
    xs[0], xs[2] = xs[2], xs[0]
    return xs[0] * 3 + xs[1] * 5 + xs[2] * 7 + xs[3] * xs[4]


def drained(x: Any) -> Any:
    xs, total = [x, 2 * x, 3 * x], 0.0
    while xs:
        total += total * xs.pop(0) + x
    xs.append(x * total)
    xs.clear()
    xs.append(3 * x)
    return total * xs[0]


def slices(x: Any) -> Any:
    xs = [x, 2 * x, 3 * x, 4 * x]
    xs[1:3] = [x * x, x]
    xs[2:] = xs[:2]
    return xs[0] + xs[1] * xs[2] * xs[3]


def fronts(x: Any) -> Any:
    xs: list[Any] = []
    for i in range(3):
        xs.insert(0, x * i)
    del xs[1]
    return xs[0] * 2 + xs[1] * x


def nested_lists(x: Any) -> Any:
    xs = [[x, 2 * x], [x * x]]
    xs[0].append(x**3)
    xs.append([x])
    return sum(sum(row) * (k + 1) for k, row in enumerate(xs))


def dicts(x: Any) -> Any:
    d = {"a": x}
    d.setdefault("b", 2 * x)
    d.update({"c": x * x}, e=x)
    v = d.pop("a") * d.pop("none", 2.0)
    total = 0.0
    for key, value in d.items():
        total += value * len(key)
    return total * v if "b" in d and "a" not in d else total + d.get("q", x)


def nested_dicts(x: Any) -> Any:
    d = {"a": [x], "n": {"k": x * x}}
    d["a"].append(2 * x)
    d["n"]["j"] = x
    d["n"]["k"] *= x
    return d["a"][1] * d["n"]["k"] + sum(d["n"].values())


def grouped(x: Any) -> Any:
    groups: dict[str, list[Any]] = defaultdict(list)
    for key, value in (("a", x), ("b", 2 * x), ("a", x * x)):
        groups[key].append(value)
    ordered = OrderedDict(groups, last=[x])
    return sum(sum(values) * len(values) for values in ordered.values())


def written_dict(params: Any, x: Any) -> Any:
    params["w"] += x
    params["b"][0] *= 2.0
    params["k"] = params["k"] * x
    return np.sum(params["w"] ** 2) * params["b"][0] + params["k"]


def written_tuple(state: Any, x: Any) -> Any:
    state[0][:] = state[0] * x
    for m in state:
        m *= 0.9
    return np.sum(state[0] * state[1])


def written_list(buffer: Any, x: Any) -> Any:
    buffer.append(x)
    buffer[0] = buffer[1] * x
    return buffer[0] * buffer[2] * x


def written_arrays(buffers: Any, x: Any) -> Any:
    for k in range(len(buffers)):
        buffers[k] *= x
    buffers.append(x * np.ones(2))
    return np.sum(buffers[0] * buffers[1]) * buffers[2][0]


def deep(state: Any, x: Any) -> Any:
    state["layers"][0]["w"][0] = x * state["layers"][1]["w"][1]
    return np.sum(state["layers"][0]["w"] ** 2)


def analytic(z: Any) -> Any:
    return abs(cmath.exp(z) * z.conjugate()) + z.real * z.imag + cmath.phase(z)


def polar(x: Any, c: Any) -> Any:
    w = cmath.rect(x, c) + complex(x, 2 * c)
    r, phi = cmath.polar(w)
    return r * phi + (w * w).real + cmath.sqrt(w).imag


def polynomial(c: Any, t: Any) -> Any:
    z, total = cmath.exp(1j * t), 0j
    for k in range(len(c)):
        total += c[k] * z**k
    return abs(total) ** 2


PROGRAMS: list[tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = [
    *((f, lambda: (0.7,)) for f in (moved, drained, slices, fronts, nested_lists, dicts, nested_dicts, grouped)),
    (written_dict, lambda: ({"w": ONE.copy(), "b": 3 * ONE, "k": 2.0}, 0.3)),
    (written_tuple, lambda: ((ONE.copy(), 2 * ONE), 0.7)),
    (written_list, lambda: ([1.0, 2.0], 0.7)),
    (written_arrays, lambda: ([ONE.copy(), 2 * ONE], 0.7)),
    (deep, lambda: ({"layers": [{"w": ONE.copy()}, {"w": 3 * ONE}]}, 0.7)),
    (analytic, lambda: (0.4 + 0.7j,)),
    (polar, lambda: (1.3, 0.4)),
    (polynomial, lambda: (np.array([1.0, 2.0, 0.5]), 0.9)),
]


@pytest.mark.parametrize(("function", "make"), PROGRAMS)
def test_gradient(function: Callable[..., Any], make: Callable[[], tuple[Any, ...]]) -> None:
    check_grads(function, make(), rtol=2e-5)


def test_complex_gradients_follow_jax() -> None:
    z = 0.4 + 0.7j
    gradient = grad(lambda z: abs(z) ** 2)(z)  # of |z|^2 it is 2 conj(z)
    np.testing.assert_allclose(gradient, 2 * np.conj(z))
    assert isinstance(gradient, complex)


def test_types_are_kept() -> None:
    single = np.arange(3, dtype=np.float32)
    assert grad(lambda a: np.sum(a * a) * 2.0)(single).dtype == np.float32
    assert type(grad(lambda x: x * x * 3)(2.0)) is float
    found = grad(lambda d: d["a"] * np.sum(d["b"]))({"a": np.float32(2), "b": single})
    assert found["a"].dtype == found["b"].dtype == np.float32


@pytest.mark.parametrize(
    ("value", "instead"),
    [
        (2, "pass a float"),
        (True, "pass a float"),
        (np.arange(3), "np.asarray\\(x, float\\)"),
        ([1, 2], "a list of floats"),
        ({"n": 1}, "floats in it"),
        ("text", "float\\(x\\)"),
    ],
)
def test_what_is_no_float_has_no_gradient(value: Any, instead: str) -> None:
    with pytest.raises(errors.ActivityError, match=instead):
        grad(lambda x: 1.0)(value)


def test_shared_parts_of_a_written_container() -> None:
    with pytest.raises(errors.AliasError, match="share memory"):
        grad(written_tuple)((ONE, ONE), 0.7)


def test_the_callers_containers_stay_as_they_were() -> None:
    for function, make in PROGRAMS:
        if function.__name__.startswith(("written", "deep")):
            given, fresh = make(), make()
            grad(function)(*given)
            jvp(function, given, make())
            vjp(function, *given)[1](1.0)
            assert repr(given) == repr(fresh)


def test_final_contents_of_a_dict_are_not_an_output() -> None:
    with pytest.raises(errors.ActivityError, match="final contents"):
        jvp(written_dict, ({"w": ONE, "b": ONE, "k": 2.0}, 0.3), ({"w": ONE, "b": ONE, "k": 0.0}, 1.0), of="params")


def lengthened(x: Any) -> Any:
    xs = [x, 2 * x, 3 * x]
    xs[1:3] = [x]
    return xs[1] * xs[0] + len(xs)


def test_a_slice_of_another_length() -> None:
    for mode in ("tangent", "adjoint"):
        check_grads(lengthened, (0.7,), modes=(mode,))


def bounded_in_a_list(x: Any) -> Any:
    queues = []
    queues.append(deque([x], maxlen=2))
    return queues[0][0]


def mixed_append(x: Any) -> Any:
    xs = [x, np.ones(2)]
    xs.append(x)
    return xs[0]


@pytest.mark.parametrize("mode", ["tangent", "adjoint"])
@pytest.mark.parametrize("function", [bounded_in_a_list, mixed_append])
def test_lists_of_what_is_known_one_by_one(function: Callable[..., Any], mode: str) -> None:
    check_grads(function, (0.7,), modes=(mode,))


def keyword_only(x: Any, *, gain: float = 2.0) -> Any:
    return x * x * gain


def test_keyword_only_parameters() -> None:
    assert grad(keyword_only)(3.0, gain=5.0) == 30.0
    assert grad(keyword_only, "gain")(3.0, gain=5.0) == 9.0
    assert grad(lambda x: grad(keyword_only)(x, gain=x))(3.0) == 12.0
