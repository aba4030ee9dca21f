"""``del obj[k]`` of an object is a call of its method."""

import pytest
from verdicts import assert_refused, assert_right


class Parameters:
    def __init__(self, **given):
        self.table = dict(given)
        self.deleted = 0

    def __getitem__(self, key):
        return self.table[key]

    def __delitem__(self, key):
        self.deleted += 1
        del self.table[key]


def deleted(s):
    p = Parameters(a=s, b=s * s)
    del p["a"]
    return p["b"] * s + len(p.table) + p.deleted * s


def deleted_in_a_loop(s):
    p = Parameters(a=s, b=s * s, c=s**3)
    for key in ("a", "c"):
        s = s * p[key]
        del p[key]
    return s * p.deleted


class Locked:
    def __init__(self, s):
        self.s = s


def no_way_to_delete(s):
    o = Locked(s)
    del o["s"]
    return o.s


def missing(s):
    p = Parameters(a=s)
    del p["zz"]
    return p["a"]


@pytest.mark.parametrize("program", [deleted, deleted_in_a_loop], ids=lambda f: f.__name__)
def test_right(program):
    assert_right(program)


@pytest.mark.parametrize("mode", ["tangent", "adjoint"])
@pytest.mark.parametrize("program", [no_way_to_delete, missing], ids=lambda f: f.__name__)
def test_refused(program, mode):
    assert_refused(program, mode)
