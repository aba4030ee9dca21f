"""The meaning of a ``match`` pattern: tests on the subject, and names captured from it.

=======================  ==================================================  =========================
pattern                  tests                                               captures
=======================  ==================================================  =========================
``0``, ``"a"``, ``A.B``  ``s == 0``
``None``, ``True``       ``s is None``
``name``, ``p as name``  (those of ``p``)                                    ``name = s``
``p | q``                ``(tests of p) or (tests of q)``                    by conditional expression
``[p, *rest, q]``        ``isinstance(s, (list, tuple))``, ``len(s) >= 2``,  ``rest = list(s[1:-1])``
                         those of ``p`` on ``s[0]``, of ``q`` on ``s[-1]``
``{"k": p, **rest}``     ``isinstance(s, dict)``, ``"k" in s``,              ``rest = {...}``
                         those of ``p`` on ``s["k"]``
``C(attr=p)``            ``isinstance(s, C)``, ``hasattr(s, "attr")``,
                         those of ``p`` on ``s.attr``
``C(p, q)``              the same, ``s`` having ``C.__match_args__[0]`` ...
``float(p)``             ``isinstance(s, float)``, those of ``p`` on ``s``
=======================  ==================================================  =========================

Sequences are lists and tuples here, mappings are dictionaries; Python's ``match`` would take other types too
that are registered as such. Attributes are read wherever a test or a capture needs them, Python reads them
once.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field

import gast

from s2sad.errors import UnsupportedSyntaxError

from .syntax import all_of, any_of, constant, load

_SELF_MATCHING = frozenset(
    {"bool", "bytearray", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple"}
)
"""The types whose one positional pattern is matched by the object itself."""

HELPERS = _SELF_MATCHING | {"isinstance", "len", "hasattr", "getattr"}
"""Python's own functions and types that tests and captures rely on."""


@dataclass(slots=True)
class Plan:
    """A pattern read: it matches if all tests hold, in this order; the captures follow."""

    tests: list[gast.expr] = field(default_factory=list)
    captures: list[tuple[str, gast.expr]] = field(default_factory=list)

    def also(self, other: Plan | None) -> Plan | None:
        """This and then the other; None, which stands for a pattern that can't match, wins."""
        if other is None:
            return None
        return Plan(self.tests + other.tests, self.captures + other.captures)


def read_pattern(pattern: gast.pattern, subject: gast.expr) -> Plan | None:
    """The plan of a pattern for a subject that may be evaluated repeatedly; None if it never matches."""
    match pattern:
        case gast.MatchValue():
            return Plan([gast.Compare(_again(subject), [gast.Eq()], [pattern.value])])
        case gast.MatchSingleton():
            return Plan([gast.Compare(_again(subject), [gast.Is()], [constant(pattern.value)])])
        case gast.MatchAs():
            return _capture(pattern, subject)
        case gast.MatchOr():
            return _alternatives(pattern, subject)
        case gast.MatchSequence():
            return _sequence(pattern, subject)
        case gast.MatchMapping():
            return _mapping(pattern, subject)
        case gast.MatchClass():
            return _class(pattern, subject)
    raise UnsupportedSyntaxError(f"the pattern {type(pattern).__name__}", node=pattern)


def _again(subject: gast.expr) -> gast.expr:
    return copy.deepcopy(subject)


def _call(function: str, *args: gast.expr) -> gast.expr:
    return gast.Call(load(function), list(args), [])


def _item(subject: gast.expr, index: gast.expr) -> gast.expr:
    return gast.Subscript(_again(subject), index, gast.Load())


def _number(value: int) -> gast.expr:
    return constant(value) if value >= 0 else gast.UnaryOp(gast.USub(), constant(-value))


def _read_all(parts: list[tuple[gast.pattern, gast.expr]], plan: Plan) -> Plan | None:
    """The plan, and then those of the parts of a subject."""
    result: Plan | None = plan
    for pattern, subject in parts:
        result = result.also(read_pattern(pattern, subject)) if result is not None else None
    return result


def _capture(pattern: gast.MatchAs, subject: gast.expr) -> Plan | None:
    plan = read_pattern(pattern.pattern, subject) if pattern.pattern is not None else Plan()
    return plan.also(Plan([], [(pattern.name, _again(subject))] if pattern.name else [])) if plan else None


def _alternatives(pattern: gast.MatchOr, subject: gast.expr) -> Plan | None:
    """One of several patterns; all capture the same names, each from where its own pattern has them."""
    plans = [plan for part in pattern.patterns if (plan := read_pattern(part, subject)) is not None]
    if not plans:
        return None
    *first, last = plans
    captures = dict(last.captures)
    for plan in reversed(first):
        for name, value in plan.captures:
            if gast.dump(value) != gast.dump(captures[name]):
                test = copy.deepcopy(all_of(plan.tests))
                captures[name] = gast.IfExp(test, value, captures[name])
    always = any(not plan.tests for plan in plans)
    return Plan([] if always else [any_of([all_of(plan.tests) for plan in plans])], list(captures.items()))


def _sequence(pattern: gast.MatchSequence, subject: gast.expr) -> Plan | None:
    parts = pattern.patterns
    starred = [index for index, part in enumerate(parts) if isinstance(part, gast.MatchStar)]
    before = starred[0] if starred else len(parts)
    after = len(parts) - before - 1 if starred else 0
    star = parts[before].name if starred else None
    if isinstance(subject, gast.Tuple):
        return _written_tuple(parts, subject.elts, before, after, star, bool(starred))
    plan = Plan(
        [_call("isinstance", _again(subject), gast.Tuple([load("list"), load("tuple")], gast.Load()))]
    )
    if before + after or not starred:
        compare = gast.GtE() if starred else gast.Eq()
        plan.tests.append(gast.Compare(_call("len", _again(subject)), [compare], [_number(before + after)]))
    indices = [*range(before), *range(-after, 0)]
    fixed = [part for part in parts if not isinstance(part, gast.MatchStar)]
    rest = Plan([], [(star, _middle(subject, before, after))] if star else [])
    read = _read_all(
        [(part, _item(subject, _number(index))) for part, index in zip(fixed, indices, strict=True)], plan
    )
    return read.also(rest) if read else None


def _written_tuple(
    parts: list[gast.pattern],
    items: list[gast.expr],
    before: int,
    after: int,
    star: str | None,
    open_end: bool,
) -> Plan | None:
    """A subject written as ``(x, y)``: its length is known, and its items are compared where they stand."""
    extra = len(items) - before - after
    if extra < 0 or (extra > 0 and not open_end):
        return None
    middle = items[before : before + extra]
    rest = Plan([], [(star, gast.List([_again(item) for item in middle], gast.Load()))] if star else [])
    fixed = [part for part in parts if not isinstance(part, gast.MatchStar)]
    read = _read_all(list(zip(fixed, items[:before] + items[before + extra :], strict=True)), Plan())
    return read.also(rest) if read else None


def _middle(subject: gast.expr, before: int, after: int) -> gast.expr:
    """The capture of a starred pattern: always a list."""
    if not before and not after:
        return _call("list", _again(subject))
    lower = _number(before) if before else None
    upper = _number(-after) if after else None
    return _call("list", _item(subject, gast.Slice(lower, upper, None)))


def _mapping(pattern: gast.MatchMapping, subject: gast.expr) -> Plan | None:
    for key in pattern.keys:
        if not all(isinstance(part, (gast.Constant, gast.UnaryOp, gast.unaryop)) for part in gast.walk(key)):
            raise UnsupportedSyntaxError(
                "a mapping pattern whose key is not a constant",
                node=pattern,
                why="the key is known only when the program runs",
                instead="use if with `in`, or write the key as a constant",
            )
    plan = Plan([_call("isinstance", _again(subject), load("dict"))])
    plan.tests += [gast.Compare(_again(key), [gast.In()], [_again(subject)]) for key in pattern.keys]
    parts = [
        (part, _item(subject, _again(key))) for key, part in zip(pattern.keys, pattern.patterns, strict=True)
    ]
    rest = Plan([], [(pattern.rest, _others(subject, pattern.keys))] if pattern.rest else [])
    read = _read_all(parts, plan)
    return read.also(rest) if read else None


def _others(subject: gast.expr, keys: list[gast.expr]) -> gast.expr:
    """``{key: value for key, value in s.items() if key not in (...)}``: what ``**rest`` captures."""
    target = gast.Tuple(
        [gast.Name(name, gast.Store(), None, None) for name in ("key", "value")], gast.Store()
    )
    known = gast.Tuple([_again(key) for key in keys], gast.Load())
    skip = [gast.Compare(load("key"), [gast.NotIn()], [known])] if keys else []
    items = gast.Call(gast.Attribute(_again(subject), "items", gast.Load()), [], [])
    return gast.DictComp(load("key"), load("value"), [gast.comprehension(target, items, skip, 0)])


def _class(pattern: gast.MatchClass, subject: gast.expr) -> Plan | None:
    plan = Plan([_call("isinstance", _again(subject), _again(pattern.cls))])
    name = pattern.cls.id if isinstance(pattern.cls, gast.Name) else None
    parts: list[tuple[gast.pattern, gast.expr]] = []
    if name in _SELF_MATCHING and len(pattern.patterns) == 1:
        parts.append((pattern.patterns[0], _again(subject)))
    else:
        for index, part in enumerate(pattern.patterns):
            plan.tests.append(_call("hasattr", _again(subject), _attribute_name(pattern, index)))
            parts.append((part, _call("getattr", _again(subject), _attribute_name(pattern, index))))
    plan.tests += [_call("hasattr", _again(subject), constant(attr)) for attr in pattern.kwd_attrs]
    parts += [
        (part, gast.Attribute(_again(subject), attr, gast.Load()))
        for attr, part in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True)
    ]
    return _read_all(parts, plan)


def _attribute_name(pattern: gast.MatchClass, index: int) -> gast.expr:
    """``C.__match_args__[0]``: the attribute for which a pattern by position stands."""
    names = gast.Attribute(_again(pattern.cls), "__match_args__", gast.Load())
    return gast.Subscript(names, constant(index), gast.Load())
