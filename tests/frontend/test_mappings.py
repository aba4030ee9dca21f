"""Containers that users build upon ``collections.abc`` and ``UserDict``; iterators of dicts."""

import collections
from collections.abc import MutableMapping

import pytest
from verdicts import assert_refused, assert_right


class Parameters(MutableMapping):
    def __init__(self, **given):
        self.table = {}
        for key, value in given.items():
            self.table[key] = value

    def __getitem__(self, key):
        return self.table[key]

    def __setitem__(self, key, value):
        self.table[key] = value

    def __delitem__(self, key):
        del self.table[key]

    def __iter__(self):
        return iter(self.table)

    def __len__(self):
        return len(self.table)


def mixed_in(s):
    p = Parameters(a=s, b=s * s)
    p.update({"c": 3.0 * s})
    p.setdefault("d", s**3)
    return p.get("a") * p.get("nope", 2.0) + sum(v**2 for v in p.values()) + len(p)


def run_over(s):
    p = Parameters(a=s, b=s * s)
    total = 0.0
    for key, value in p.items():
        total += value**2 if key == "a" else value
    return total + (s if "b" in p else 1.0)


def user_dict(s):
    d = collections.UserDict(a=s)
    d["b"] = s * d["a"]
    del d["a"]
    return d["b"] ** 2 + d.get("b", s) + len(d)


def iterator_of_a_dict(s):
    d = {"a": s, "b": s * s}
    keys = iter(d)
    first = d[next(keys)]
    return first * sum(d[k] for k in keys)


def longer_since(s):
    d = {"a": s, "b": s * s}
    keys = iter(d)
    first = d[next(keys)]
    d["c"] = s
    return first * d[next(keys)]


def longer_before_the_rest(s):
    d = {"a": s, "b": s * s}
    keys = iter(d)
    d["c"] = s
    return sum(d[k] for k in keys)


def caught_when_longer(s):
    d = {"a": s, "b": s * s}
    keys = iter(d)
    d["c"] = s
    try:
        return d[next(keys)]
    except RuntimeError:
        return s**3


@pytest.mark.parametrize("program", [mixed_in, run_over, user_dict, iterator_of_a_dict], ids=lambda f: f.__name__)
def test_right(program):
    assert_right(program)


def test_a_dict_that_has_changed_gives_no_further_key() -> None:
    for program in (longer_since, longer_before_the_rest):
        with pytest.raises(RuntimeError):
            program(1.7)
        assert_refused(program, "adjoint")
    assert caught_when_longer(1.7) == 1.7**3
    assert_right(caught_when_longer)
