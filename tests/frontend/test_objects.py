"""Objects, named tuples, dicts and lists as arguments, results and captured values, against differences in both modes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, astuple, dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pytest

from s2sad import S2sadError, check_grads, differentiate, errors, grad, jvp, value_and_grad, vjp

ONE = np.array([1.0, 2.0, 3.0])


class Model:
    SCALE = np.array([1.0, 2.0])
    GAIN = 1.5

    def __init__(self, w: Any, b: Any, layers: int = 2) -> None:
        self.w, self.b, self.layers, self.title = w, b, layers, "model"

    def loss(self, x: Any) -> Any:
        return np.sum(np.tanh(self.w @ x + self.b) * self.SCALE) * self.layers * self.GAIN

    @differentiate(wrt="self.w")
    def derived(self, x: Any) -> Any:
        return self.loss(x)

    def __call__(self, x: Any) -> Any:
        return self.loss(x)

    @classmethod
    def doubled(cls, w: Any, b: Any) -> Any:
        return cls(2.0 * w, b)

    @property
    def size(self) -> Any:
        return np.sum(self.w**2)


class Wide(Model):
    def __init__(self, w: Any, b: Any) -> None:
        super().__init__(w, b, 3)
        self.k = 0.5

    def loss(self, x: Any) -> Any:
        return self.k * super().loss(x) + self.size


@dataclass(frozen=True)
class Nested:
    model: Model
    k: float
    tags: tuple[Any, ...]
    options: dict[str, Any]


class State(NamedTuple):
    x: float
    v: Any

    def energy(self) -> Any:
        return self.x * np.sum(self.v**2)


@dataclass
class Trail:
    x: float
    seen: list[Any] = field(default_factory=list)
    twice: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self.twice = 2.0 * self.x

    def push(self, v: Any) -> None:
        self.seen.append(v)

    def __len__(self) -> int:
        return len(self.seen)

    def __getitem__(self, k: int) -> Any:
        return self.seen[k]

    def __iadd__(self, v: Any) -> Any:
        self.x = self.x + v
        return self

    def __lt__(self, other: Any) -> Any:
        return self.x < other.x

    def __rsub__(self, k: Any) -> Any:
        return Trail(k - self.x)


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b


def model() -> Model:
    return Model(np.arange(6.0).reshape(2, 3) * 0.1, np.array([0.1, -0.2]))


def nested() -> Nested:
    return Nested(model(), 2.0, (1.5, "a", 3), {"eps": 0.3, "n": 4})


def loss(m: Any, x: Any) -> Any:
    return m.loss(x) + m.size


def nested_loss(n: Any, x: Any) -> Any:
    return n.model.loss(x) * n.k + n.tags[0] ** 2 + n.options["eps"] * n.options["n"]


def tuple_loss(s: Any) -> Any:
    return s.energy() * s.x + s[1][0] + s._replace(x=2.0 * s.x).energy()


def slotted_loss(s: Any) -> Any:
    return np.sum(s.a * s.b)


def trails(x: Any, y: Any) -> Any:
    t = Trail(x)
    t.push(x * y)
    t.push(y)
    t += y
    other = 3.0 - t
    if t < other:
        return t[0] * len(t) + t.twice
    return t[1] * t.x + asdict(t)["twice"] + astuple(other)[0] * replace(other, x=y).twice


def construct(x: Any, w: Any) -> Any:
    m = Model.doubled(w, x[:2]) if w[0, 0] > 0 else Model(w, x[1:])
    return m(x) + Wide(w, x[:2])(x)


def best_of(x: Any, y: Any) -> Any:
    p, q = Slotted(x, y), Slotted(y * y, x)
    best = p if x > y else q
    for k in range(3):
        best = Slotted(best.a * y + k, best.b * x)
    return best.a * best.b**2


def history(x: Any, y: Any) -> Any:
    s = State(x, y * ONE)
    total = 0.0
    while s.x < 5.0:
        s = State(s.x + y * y, s.v * 0.9)
        total += s.energy()
    return total


def remade(m: Any, x: Any) -> Any:
    return Model(m.w * x[0], m.b + x[:2], 3)


def remade_pair(s: Any) -> Any:
    return s._replace(x=2.0 * s.x), {"energy": s.energy()}


def assigned(m: Any, x: Any) -> Any:
    m.b = m.b * x[:2]
    m.w[0] = m.w[1] * x
    m.layers = m.layers + 1
    return m.loss(x)


def inner(x: Any, p: Any, *, gain: float = 2.0) -> Any:
    return np.tanh(x * gain) * p["w"] * p["v"][0]


def gradient_inside(x: Any, w: Any) -> Any:
    return grad(inner, "p")(x, {"w": w, "v": (w, 2.0)}, gain=3.0)["v"][0] * x


def object_gradient_inside(m: Any, x: Any) -> Any:
    g = grad(loss)(m, x)
    return np.sum(g.w * m.w) + np.sum(g.b)


PARAMS = Model(np.ones((2, 3)), np.ones(2))
TABLE = {"a": 1.5, "rows": [np.ones(2), 2.0 * np.ones(2)], "by": {"k": 3.0}}
LAYERS = [Slotted(1.0, 2.0), Slotted(3.0, 4.0)]
BOUND = PARAMS.loss


def captured(x: Any) -> Any:
    total = PARAMS(x) + TABLE["a"] * np.sum(x) * TABLE["by"]["k"] + BOUND(2.0 * x)
    for layer in LAYERS:
        total = total * layer.a + layer.b * x[0]
    return total + np.sum(TABLE["rows"][1] * x[:2])


@dataclass
class Held:
    first: Any
    rest: Any
    count: int = 2


def contents_are_copies(x: Any) -> Any:
    t = Held(Held(x * 2, {"a": x[0]}), [x * 1, Held(x**2, x[0])])
    d, (inner, rest, _) = asdict(t), astuple(t)
    d["first"]["first"][0], d["first"]["rest"]["a"], d["rest"][1]["first"][1] = 5.0, 7.0, x[2]
    inner[0][2], t.rest[0][0] = x[0], 3.0
    kept = np.sum(t.first.first * d["first"]["first"]) + t.first.rest["a"] * d["first"]["rest"]["a"]
    return kept + np.sum(t.rest[1].first * d["rest"][1]["first"]) + np.sum(inner[0] * rest[0] * t.rest[0]) * d["count"]


PROGRAMS: list[tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = [
    (contents_are_copies, lambda: (ONE,)),
    (loss, lambda: (model(), ONE)),
    (loss, lambda: (Wide(model().w, model().b), ONE)),
    (nested_loss, lambda: (nested(), ONE)),
    (tuple_loss, lambda: (State(2.0, ONE),)),
    (slotted_loss, lambda: (Slotted(ONE, 2.0),)),
    (trails, lambda: (0.3, 0.4)),
    (trails, lambda: (2.0, 1.0)),
    (construct, lambda: (ONE, model().w + 0.1)),
    (construct, lambda: (ONE, model().w - 0.1)),
    (best_of, lambda: (1.2, 0.7)),
    (best_of, lambda: (0.7, 1.2)),
    (history, lambda: (0.5, 1.3)),
    (remade, lambda: (model(), ONE)),
    (remade_pair, lambda: (State(2.0, ONE),)),
    (assigned, lambda: (model(), ONE)),
    (gradient_inside, lambda: (0.3, 0.4)),
    (object_gradient_inside, lambda: (model(), ONE)),
    (captured, lambda: (ONE,)),
]


@pytest.mark.parametrize(("function", "make"), PROGRAMS)
def test_gradient(function: Callable[..., Any], make: Callable[[], tuple[Any, ...]]) -> None:
    check_grads(function, make(), rtol=2e-5)


def test_a_gradient_is_an_object_of_the_class() -> None:
    g = grad(nested_loss)(nested(), ONE)
    assert type(g) is Nested and type(g.model) is Model
    assert (g.model.layers, g.model.title, g.tags[1:], g.options["n"]) == (0.0, None, (None, 0.0), 0.0)
    np.testing.assert_allclose(g.tags[0], 3.0)
    value, tangent = jvp(tuple_loss, (State(2.0, ONE),), (State(1.0, 0.0 * ONE),))
    assert value == tuple_loss(State(2.0, ONE))
    np.testing.assert_allclose(tangent, grad(tuple_loss)(State(2.0, ONE)).x)


def test_returned_objects() -> None:
    seed = Model(np.ones((2, 3)), np.zeros(2))
    value, pullback = vjp(remade, model(), ONE)
    assert type(value) is Model and value.title == "model"
    np.testing.assert_allclose(pullback(seed)[1], [np.sum(model().w), 0.0, 0.0])
    gradient, aux = grad(lambda s: (s.energy(), s._replace(x=3.0 * s.x)), has_aux=True)(State(2.0, ONE))
    assert type(gradient) is State and aux.x == 6.0


def test_paths_into_arguments() -> None:
    m = model()
    whole = grad(Model.loss)(m, ONE).w
    for found in (
        grad(Model.loss, "self.w")(m, ONE),
        grad(m.loss, "self.w")(ONE),
        m.derived.grad(ONE),
        grad(nested_loss, "n.model.w")(nested(), ONE) / 2.0,
    ):
        np.testing.assert_allclose(found, whole)
    both = grad(nested_loss, ("n.tags[0]", "n.options['eps']"))(nested(), ONE)
    np.testing.assert_allclose(both, (3.0, 4.0))
    assert "def derived_adjoint(self, x, out_bar=1.0, *, self_w):" in m.derived.source("adjoint")


@pytest.mark.parametrize("path", ["m.nothing", "q.w", "m.w +", "m.title"])
def test_paths_that_lead_nowhere(path: str) -> None:
    with pytest.raises(errors.ActivityError):
        grad(loss, path)(model(), ONE)


def changing(m: Any) -> Any:
    m.w = m.w * 2.0
    m.b[:] = m.b**2
    return np.sum(m.w) + np.sum(m.b)


def test_the_callers_objects_stay_as_they_were() -> None:
    m = model()
    value_and_grad(changing)(m)
    jvp(changing, (m,), (m,))
    vjp(changing, m)[1](1.0)
    np.testing.assert_array_equal(m.w, model().w)
    np.testing.assert_array_equal(m.b, model().b)


def settings(x: Any) -> Any:
    return np.sum(x) * PLACE["model"].GAIN * PLACE["a"] + PLACE["model"].b[0] * x[0]


PLACE: dict[str, Any] = {"model": model(), "a": 2.0}


def test_changes_of_captured_objects_are_noticed() -> None:
    gradient = grad(settings)
    assert gradient(ONE)[1] == 3.0
    PLACE["a"] = 4
    assert gradient(ONE)[1] == 6.0
    PLACE["model"].b = np.array([5, 6])
    assert gradient(ONE)[0] == 11.0


BUFFER = np.ones(3)
PAIR = Slotted(1.0, 2.0)


def writes_outside(x: Any) -> Any:
    BUFFER[0] = x
    return BUFFER.sum()


def writes_a_captured_array(x: Any) -> Any:
    TABLE["rows"][0][0] = x
    return TABLE["rows"][0][0] * x


def objects_by_numpy(x: Any) -> Any:
    return np.sum(Slotted(x, x))  # type: ignore[call-overload]


def changes_a_named_tuple(x: Any) -> Any:
    s = State(x, ONE)
    s.x = 2.0 * x  # type: ignore[misc]
    return s.x


REFUSED = [
    (objects_by_numpy, "UnsupportedSyntaxError", "an object as an argument"),
    (changes_a_named_tuple, "UnsupportedSyntaxError", "a named tuple cannot be changed"),
]


@pytest.mark.parametrize(("function", "error", "text"), REFUSED)
def test_refused(function: Callable[..., Any], error: str, text: str) -> None:
    with pytest.raises(S2sadError, match=text) as caught:
        grad(function)(0.5)
    assert type(caught.value) is getattr(errors, error)


def test_what_is_written_outside_is_left_as_a_call_leaves_it() -> None:
    rows = TABLE["rows"]
    assert (grad(writes_outside)(0.5), BUFFER.tolist()) == (1.0, [0.5, 1.0, 1.0])
    assert (grad(writes_a_captured_array)(0.5), rows[0].tolist()) == (1.0, [0.5, 1.0])  # type: ignore[index]
    BUFFER[0] = rows[0][0] = 1.0  # type: ignore[index]


def shared_child(p: Any) -> Any:
    p.a.a = p.a.a * 2.0
    return p.a.a * p.b.a


def test_an_object_in_two_places() -> None:
    check_grads(shared_child, (Slotted(Slotted(2.0, 0.0), Slotted(3.0, 0.0)),))
    child = Slotted(2.0, 0.0)
    with pytest.raises(errors.AliasError, match="two parts"):
        grad(shared_child)(Slotted(child, child))


class Branch:
    def __init__(self, value: Any) -> None:
        self.value, self.parent, self.children = value, None, []  # type: ignore[var-annotated]


def put_below(s: float, turns: int | None) -> Any:
    root, child = Branch(s), Branch(s * s)
    child.parent = root  # type: ignore[assignment]
    for _ in range(2 if turns is None else turns):
        root.children.append(child)
    return root.children[0].value * child.parent.value  # type: ignore[attr-defined]


def test_objects_in_lists_of_what_they_hold_are_put_there_turn_by_turn() -> None:
    for turns in (None, 2, 3):
        assert math.isclose(grad(put_below)(1.3, turns), 3 * 1.3**2)


def test_an_object_that_holds_itself() -> None:
    m = model()
    m.parent = m  # type: ignore[attr-defined]
    with pytest.raises(errors.ActivityError, match="itself"):
        grad(loss)(m, ONE)


def test_methods_are_part_of_what_a_program_is_made_of() -> None:
    assert math.isclose(grad(slotted_method)(Kept(2.0)).a, 3.0)
    Kept.slope = lambda self: 5.0 * self.a  # type: ignore[method-assign]
    try:
        assert math.isclose(grad(slotted_method)(Kept(2.0)).a, 5.0)
    finally:
        Kept.slope = original  # type: ignore[method-assign]


class Kept:
    def __init__(self, a: float) -> None:
        self.a = a

    def slope(self) -> Any:
        return 3.0 * self.a


original = Kept.slope


def slotted_method(k: Any) -> Any:
    return k.slope()
