"""``cached_property`` and ``lru_cache``: what Python keeps is what a derivative is about, or the function is refused."""

import functools
import math
import types
from functools import cache, lru_cache

import kept_programs as programs
import numpy as np
import pytest

import s2sad


def refused(f, *args):
    with pytest.raises(s2sad.S2sadError, match="a cache keeps|a cached property has read it") as found:
        s2sad.grad(f)(*args)
    assert not isinstance(found.value, s2sad.CompilerError)


@pytest.mark.parametrize("f", programs.PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [0.7, 1.5])
def test_kept_values_are_those_of_python(f, x):
    value, gradient = s2sad.value_and_grad(f)(x)
    difference = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
    assert math.isclose(value, f(x)) and math.isclose(gradient, difference, rel_tol=1e-6)
    assert math.isclose(s2sad.jvp(f, (x,), (1.0,))[1], difference, rel_tol=1e-6)


@pytest.mark.parametrize("name", programs.OUTSIDE)
def test_what_a_cache_would_not_see_is_refused(name):
    kept = cache(programs.OUTSIDE[name])
    refused(lambda x: kept(3) * x, 1.5)


@pytest.mark.parametrize("name", programs.TELLING)
def test_what_equal_numbers_of_other_types_have_left_in_a_cache(name):
    kept, own = cache(programs.TELLING[name]), programs.TELLING[name]
    refused(lambda x: kept(3, 2.0) * x, 1.5)
    refused(lambda x: kept(k=2.0, n=x), 1.5)
    refused(lambda x: functools.lru_cache(maxsize=None)(own)(3, x), 1.5)


def test_a_cache_that_says_it_tells_types_apart_is_asked():
    kept = lru_cache(programs.TELLING["an f-string"])
    kept.cache_parameters = lambda: {"maxsize": 128, "typed": True}
    refused(lambda x: kept(3, 2.0) * x, 1.5)
    taken_over = lru_cache(lru_cache(typed=True)(programs.TELLING["NumPy, of a bool"]))
    assert taken_over.cache_parameters()["typed"]
    refused(lambda x: taken_over(3, 2.0) * x, 1.5)


@pytest.mark.parametrize("name", ["the sign of zero", "the sign of an infinity", "the side of a cut"])
def test_a_cache_that_tells_types_apart_takes_zeros_for_one(name):
    signed = lru_cache(typed=True)(programs.TELLING[name])
    refused(lambda x: signed(3.0, x), 1.5)


def test_functions_that_are_made_in_a_loop():
    def powers(x):
        total = 0.0
        for n in range(int(abs(x)) + 2):
            @lru_cache(typed=True)
            def kept(k):
                return float(k * k)

            total = total + kept(n) * x
        return total * kept(3)

    def once(x):
        while True:
            @cache
            def doubled(k):
                return 1.0 if k == 0 else 2.0 * doubled(k - 1)
            break
        return x * doubled(3)

    assert s2sad.grad(powers)(1.5) == 45.0
    assert s2sad.hvp(powers, (1.5,), (1.0,)) == (45.0, 0.0)
    refused(once, 1.5)


def test_of_text_a_cache_finds_only_text():
    assert [s2sad.grad(programs.power_by_name)(2.0, name) for name in ("SQUARE", "Cube")] == [4.0, 12.0]
    assert s2sad.hvp(lambda x: programs.power_by_name(x, "cube"), (2.0,), (1.0,))[1] == 12.0
    with pytest.raises(ValueError, match="'Root' is none of"):
        s2sad.grad(programs.power_by_name)(2.0, "Root")
    refused(lambda x: x * len(programs.spelled_or_number("a", 1)), 1.5)
    refused(lambda x: x * len(programs.spelled("a", ("a", "b"), lower=1)), 1.5)


@pytest.mark.parametrize("name", programs.ARGUMENTS)
def test_arguments_that_a_cache_does_not_find_by_value_are_refused(name):
    refused(lambda x: programs.ARGUMENTS[name](programs.itself, x), 1.5)


@pytest.mark.parametrize("name", programs.ROUTES)
def test_a_cache_is_found_wherever_it_is(name):
    refused(programs.ROUTES[name], 1.5)


def test_a_cache_in_an_object_outside_is_not_called():
    for holder in (programs.space, programs.Holding(programs.reads)):
        with pytest.raises(s2sad.UnsupportedSyntaxError, match="only at run time"):
            s2sad.grad(lambda x, holder=holder: holder.g(3) * x)(1.5)


def test_functions_that_are_differentiated_themselves():
    assert s2sad.grad(cache(programs.square))(1.5) == 3.0
    difference = (programs.of_libraries(0.7 + 1e-6, 3) - programs.of_libraries(0.7 - 1e-6, 3)) / 2e-6
    assert math.isclose(s2sad.grad(programs.of_libraries)(0.7, 3), difference, rel_tol=1e-6)
    refused(cache(programs.scaled_by_global), 1.5)
    refused(cache(programs.square), np.ones(2))
    refused(lru_cache(lambda x: np.array([x])), 1.5)
    refused(cache(programs.with_cell(2.0)), 1.5)
    refused(programs.Counted.of_class, 1.5)


def test_a_function_that_was_replaced_is_not_taken_for_what_the_cache_has_seen(monkeypatch):
    assert s2sad.grad(programs.through_a_cache)(1.5) == 6.0
    with monkeypatch.context() as patch:
        patch.setattr(programs.helper, "__defaults__", (7.0,))  # nobody asks for it
        assert s2sad.grad(programs.through_a_cache)(1.5) == 6.0
    renamed = types.FunctionType(programs.square.__code__, vars(programs), "helper")
    for other in (programs.scaled_by_default, programs.square, renamed):
        monkeypatch.setitem(programs.through_another.__wrapped__.__globals__, "helper", other)
        refused(programs.through_a_cache, 1.5)
    monkeypatch.undo()
    monkeypatch.setattr(programs.helper, "__code__", programs.square.__code__)
    refused(programs.through_a_cache, 1.5)


@pytest.mark.parametrize("f", programs.NESTED, ids=lambda f: f.__name__)
def test_a_nested_function_reads_what_is_bound_once(f):
    refused(f, 1.5)


def test_methods():
    plain, method = programs.WithMethods, programs.WithMethods.method
    thing, kept, of_class = programs.thing, programs.itself, programs.Counted.of_class
    assert s2sad.grad(lambda x: plain.of_nothing(x) * x)(1.5) == 6.0
    for f in (lambda x: of_class(3) * x, lambda x: method(thing, 3) * x):
        refused(f, 1.5)
    for f in (lambda x: plain().method(x), lambda x: kept(x) * kept.cache_info().hits, lambda x: kept.cache_clear()):
        with pytest.raises(s2sad.UnsupportedSyntaxError):
            s2sad.grad(f)(1.5)


def test_what_asks_for_types_is_refused_in_caches_of_one_run():
    def halved(n, k):
        return type(n)(n / 2) * k

    def twice(x):
        kept = lru_cache(maxsize=None)(halved)
        return kept(3.0, x) + 10 * kept(3, x)

    refused(twice, 1.5)
