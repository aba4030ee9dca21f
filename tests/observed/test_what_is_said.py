"""What functions and objects say of themselves is not believed: what they run counts."""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any

import pytest

from s2sad import ActivityError, CompilerError, S2sadError, check_grads, grad, hessian, jvp, vjp


def thrice(g):
    @functools.wraps(g)
    def wrapper(*args, **kwargs):
        return 3.0 * g(*args, **kwargs)

    return wrapper


@thrice
def product(x, y=2.0, *, k=1.0):
    return x * x * y * y * k


class Net:
    w = 2.0

    @thrice
    def loss(self, x, y=1.0):
        return self.w * x * x * y


def counting(*args, **kwargs):
    """What it is given, and how: parameters that it only says that it has are passed otherwise, and defaults are not its own."""
    return args[0] ** len(args) * kwargs.get("y", 5.0)


def two(x, y=2.0):
    return x * y


counting.__wrapped__ = two  # type: ignore[attr-defined]
counting.__signature__ = inspect.signature(two)  # type: ignore[attr-defined]


def test_a_wrapper_has_the_parameters_of_its_code() -> None:
    assert grad(product)(1.0, 3.0) == 54.0
    assert grad(product)(1.0) == 24.0
    assert grad(product, 1)(1.0, 3.0) == 18.0
    assert grad(product, (0, "k"))(1.0, 3.0, k=2.0) == (108.0, 27.0)
    assert grad(product, "y")(1.0, y=3.0) == 18.0
    with pytest.raises(ActivityError, match="no keyword of that name"):
        grad(product, "y")(1.0, 3.0)
    assert hessian(product)(1.0, 3.0) == 54.0
    assert jvp(product, (1.0, 3.0), (1.0, 0.5)) == (27.0, 63.0)
    assert vjp(product, 1.0, 3.0)[1](1.0) == (54.0, 18.0)
    check_grads(product, (1.0, 3.0), order=2)
    assert (grad(Net().loss)(1.5), grad(Net().loss, 1)(1.5, 2.0), grad(Net().loss, "y")(1.5, y=2.0)) == (18.0, 13.5, 13.5)
    assert grad(Net.loss, 1)(Net(), 1.5) == 18.0


@pytest.mark.parametrize(("args", "kwargs"), [((2.0,), {}), ((2.0,), {"y": 7.0}), ((2.0, 1.0), {}), ((2.0, 1.0), {"y": 7.0})])
def test_a_wrapper_that_lies(args: Any, kwargs: Any) -> None:
    def program(x):
        return grad(counting)(x) + counting(x, x)

    step = 1e-6
    slope = (counting(2.0 + step, *args[1:], **kwargs) - counting(2.0 - step, *args[1:], **kwargs)) / (2 * step)
    assert grad(counting)(*args, **kwargs) == pytest.approx(slope, rel=1e-8)
    assert grad(program)(1.2) == pytest.approx((program(1.2 + step) - program(1.2 - step)) / (2 * step), rel=1e-8)


class Finds:
    def __init__(self) -> None:
        vars(self)["w"] = 2.0

    def __getattribute__(self, name):
        return 5.0 if name == "w" else object.__getattribute__(self, name)


class Fails:
    def __getattribute__(self, name):
        raise TypeError("nobody may look")


class Missing:
    def __init__(self) -> None:
        self.k = 2.0

    def __getattr__(self, name):
        raise TypeError("never")


class Slots:
    __slots__ = ("__k", "unset", "w")

    def __init__(self, k):
        self.__k, self.w = k, 2.0

    def __getattribute__(self, name):
        return 7.0 if name == "w" else object.__getattribute__(self, name)


class Table:
    def __init__(self) -> None:
        object.__setattr__(self, "w", 2.0)

    __dict__ = property(lambda self: {"w": 3.0})  # type: ignore[assignment]


class Disguised:
    w = 2.0
    __class__ = property(lambda self: dict)  # type: ignore[assignment]


class Meta(type):
    def __getattribute__(cls, name):
        return 9.0 if name == "w" else type.__getattribute__(cls, name)


class Made(metaclass=Meta):
    w = 1.0


class Module(types.ModuleType):
    def __getattribute__(self, name):
        return 11.0 if name == "w" else super().__getattribute__(name)


THINGS: dict[str, Any] = {  # by name: pytest itself asks what its parameters are
    "Finds": Finds(), "Fails": Fails(), "Slots": Slots(1.0), "Table": Table(), "Disguised": Disguised(), "Meta": Made,
    "Module": Module("m"),
}  # fmt: skip


@pytest.mark.parametrize("name", THINGS)
def test_an_object_that_decides_what_its_attributes_are_is_refused_by_name(name: str) -> None:
    thing = THINGS[name]

    def loss(x, owner):
        return owner.w * x

    held = [thing, 1.0]
    for function, args in ((lambda x: thing.w * x, ()), (lambda x: held[0].w * x, ()), (loss, (thing,))):
        with pytest.raises(S2sadError, match=name) as caught:
            grad(function)(1.0, *args)
        assert not isinstance(caught.value, CompilerError)


def test_what_raises_when_it_is_looked_at_is_no_mistake_of_ours() -> None:
    thing = Missing()
    for function in (lambda x: thing.q * x, lambda x: x if hasattr(thing, "q") else x * x):
        with pytest.raises(TypeError, match="never"):
            grad(function)(1.0)
    with pytest.raises(S2sadError) as caught:
        grad(lambda x: thing.k * x)(1.0)
    assert not isinstance(caught.value, CompilerError)


class Sparse:
    __slots__ = ("__k", "unset")

    def __init__(self, k):
        self.__k = k

    def get(self):
        return self.__k

    @property
    def fails(self):
        raise AttributeError


def test_what_an_object_has() -> None:
    """Names of slots that are private, slots with nothing in them, properties that raise, methods of containers."""
    known = Sparse(3.0)
    assert grad(lambda x: known.get() * x)(2.0) == 3.0
    assert grad(lambda x: Sparse(x).get() * x)(2.0) == 4.0
    assert grad(lambda s, x: s.get() * x, 1)(known, 2.0) == 3.0
    assert grad(lambda x: x if hasattr(known, "unset") else x * x)(2.0) == 4.0
    assert grad(lambda x: x if hasattr((x, x), "shape") else x * x)(2.0) == 4.0
    assert grad(lambda x: x if hasattr({"a": x}, "a") else x * x)(2.0) == 4.0
    assert grad(lambda x: x if hasattr(known, "fails") else x * x)(2.0) == 4.0
    for function in (
        lambda x: getattr(x, "shape", 3.0) * x, lambda x: x * x if hasattr({1, 2}, "add") else x,
    ):  # fmt: skip
        with pytest.raises(S2sadError) as caught:
            grad(function)(2.0)
        assert not isinstance(caught.value, CompilerError)
