"""Sets: options that are checked by name, what has been visited, sets under two names, sets in dicts and lists."""

import warnings


def checked_options(s, **options):
    allowed = {"maxiter": 3, "rate": 0.1}
    unknown = set(options) - set(allowed)
    if unknown:
        warnings.warn(", ".join(unknown), stacklevel=2)
    allowed.update(options)
    for _ in range(allowed["maxiter"]):
        s = s - allowed["rate"] * s**2
    return s


def unknown_options_are_refused(s):
    options = {"rate": 0.2}
    if not set(options) <= {"rate", "maxiter"} or {"rate"}.isdisjoint(options):
        raise TypeError("unknown options")
    return s * options["rate"] + len(set(options) | {"a"}) * s


def two_names(s):
    p = {1, 2}
    q = p
    q.add(3)
    return s**2 if 3 in p else 2 * s


def two_names_at_once(s):
    p = q = {1}
    p.add(3)
    return s**2 if 3 in q else 2 * s


def in_a_dict(s):
    p = {1, 2}
    d = {"a": p, "b": {5}}
    d["a"].add(3)
    for v in d.values():
        v.discard(5)
    return (s**2 if 3 in p else 2 * s) * (1 + s if 5 in d["b"] else s)


def in_a_list(s):
    p = {1, 2}
    q = [p]
    q[0].add(3)
    return s**2 if 3 in p else 2 * s


def by_a_nested_function(s):
    p = {1, 2}

    def more():
        p.add(3)

    more()
    return s**2 if 3 in p else 2 * s


def operators_and_methods(s):
    few = (1, 2)
    a = {1, 2, 3} & set(few)
    c = set("ab") - set("b")
    d = {i for i in range(3)} ^ {1}
    return s * len(a) + s**2 * len(c) + s**3 * len(d) + s * len({1, 2}.union((5,))) + s * {1}.issubset({0, 1})


def visited(s):
    edges = {0: {1: s, 2: 2 * s}, 1: {2: s**2}, 2: {0: s**3}}
    seen, total, open_ = {0}, 0.0, [0]
    while open_:
        at = open_.pop()
        for to, w in edges[at].items():
            if to not in seen:
                seen.add(to)
                open_.append(to)
                total = total + w
    return total * len(seen)
