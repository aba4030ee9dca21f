"""Names, fields and keys that some path leaves unbound."""

import contextlib
import random
import textwrap

import gast
import numpy as np
import pytest
from unbound_programs import CASES

from s2sad import S2sadError, grad, hvp, jvp, value_and_grad
from s2sad.frontend.loose_names import FAILS_ON_NONE, loose_readings


def ones(x):
    return np.ones_like(x) if isinstance(x, np.ndarray) else 1.0


MODES = {
    "value": lambda f, x: value_and_grad(f)(x),
    "grad": lambda f, x: grad(f)(x),
    "jvp": lambda f, x: jvp(f, (x,), (ones(x),)),
    "hvp": lambda f, x: hvp(f, (x,), (ones(x),)),
    "tangent of a gradient": lambda f, x: jvp(grad(f), (x,), (ones(x),)),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("function", "x"), CASES, ids=lambda one: getattr(one, "__name__", ""))
def test_what_python_raises(function, x, mode):
    with pytest.raises((NameError, AttributeError, KeyError)) as plain:
        function(x)
    with pytest.raises(type(plain.value)) as ours:
        MODES[mode](function, x)
    assert str(ours.value) == str(plain.value)


def counted_after_a_deletion(x):
    n = 0
    try:
        v = x * x
        del n
    finally:
        n += 1  # noqa: F821
    return v * n


@pytest.mark.parametrize("mode", MODES)
def test_what_is_deleted_is_not_counted_on(mode):
    with pytest.raises(S2sadError, match="reading 'n'|carries no derivative"):
        MODES[mode](counted_after_a_deletion, 1.3)


class Point:
    pass


def name_caught(x):
    if x < 10:
        k = None
    try:
        return x if k is None else x * x
    except NameError:
        return x**3


def key_caught(x):
    table = {}
    if x < 10:
        table["k"] = None
    try:
        return x if table["k"] is None else x * x
    except KeyError:
        return x**3


def field_caught(x):
    point = Point()
    if x < 10:
        point.k = None
    try:
        return x if point.k is None else x * x
    except AttributeError:
        return x**3


def field_asked_for(x):
    point = Point()
    if x < 10:
        point.k = x
    return x if hasattr(point, "k") else x**3


def field_or_another(x):
    point = Point()
    if x < 10:
        point.k = x
    return getattr(point, "k", x**3)


def deleted_and_bound_again(x):
    s = x
    for k in range(3):
        t = s * x
        if k:
            s = s + t
            del t
            t = s
    return s if x > 10 else t


def deleted_in_turn(x):
    s = x
    for k in range(3):
        if k:
            del t  # noqa: F821
        t = (s * x, k)
        s = s + t[0]
    return s


def bound_in_each_iteration(x):
    for k in range(3):
        v = x * (k + 1)
    return np.sum(v) * x


RIGHT = [
    name_caught, key_caught, field_caught, field_asked_for, field_or_another, deleted_and_bound_again, deleted_in_turn,
    bound_in_each_iteration,
]  # fmt: skip


@pytest.mark.parametrize("x", [11.0, 9.0])
@pytest.mark.parametrize("function", RIGHT)
def test_what_is_bound_or_caught_is_right(function, x):
    step = 1e-5
    slope = (function(x + step) - function(x - step)) / (2 * step)
    value, gradient = value_and_grad(function)(x)
    assert value == pytest.approx(function(x))
    assert gradient == pytest.approx(slope, rel=1e-6)
    assert jvp(function, (x,), (1.0,))[1] == pytest.approx(slope, rel=1e-6)



def over_a_range_of_its_own(x, range=lambda n: ()):
    for k in range(3):
        i = k
    return x if i is None else x * x


def test_a_range_of_ones_own_may_give_nothing():
    with pytest.raises(UnboundLocalError):
        over_a_range_of_its_own(0.7)
    with pytest.raises((UnboundLocalError, S2sadError)):
        grad(over_a_range_of_its_own)(0.7)


# --- the analysis


NAMES = "abc"
KINDS = ["bind", "bind", "read", "read", "del", "if", "for", "while", "try", "with", "leave", "inner", "match"]


def statements(draw, depth, in_loop):
    """Random statements that bind, delete, read and branch."""
    lines = []
    for _ in range(draw.randint(1, 3)):
        kind = draw.choice(KINDS)
        name = draw.choice(NAMES)
        if depth == 0 and kind in ("if", "for", "while", "try", "with", "match"):
            kind = "bind"

        def inside(loop=in_loop):
            return textwrap.indent("\n".join(statements(draw, depth - 1, loop)), "    ")

        if kind == "bind":
            lines.append(draw.choice([f"{name} = 1", f"{name} = use({draw.choice(NAMES)})", f"({name} := 2)",
                                      f"coin() and ({name} := 2)"]))
        elif kind == "read":
            other = draw.choice(NAMES)
            lines.append(draw.choice([
                f"use({name})", f"use({name} if coin() else {other})", f"coin() or use({name}, {other})",
                f"[use({name}, v) for v in range(2) if coin()]", f"x = {name} + {other}", f"{name} += 1",
            ]))
        elif kind == "del":
            lines.append(f"del {name}")
        elif kind == "if":
            lines.append(f"if coin():\n{inside()}\nelse:\n{inside()}")
        elif kind == "for":
            target = draw.choice([name, "i"])
            more = f"\nelse:\n{inside()}" if coin(draw) else ""
            lines.append(f"for {target} in range({draw.choice(['2', 'few()'])}):\n{inside(True)}{more}")
        elif kind == "while":
            lines.append(f"while coin():\n{inside(True)}")
        elif kind == "try":
            lines.append(f"try:\n{inside()}\n    fail()\nexcept ValueError as {name}:\n{inside()}"
                         + (f"\nfinally:\n{inside(False)}" if coin(draw) else ""))
        elif kind == "with":
            lines.append(f"with suppress(ValueError):\n{inside()}\n    fail()\n    {name} = 3")
        elif kind == "match":
            lines.append(f"match few():\n    case 0:\n{textwrap.indent(inside(), '    ')}\n"
                         f"    case {draw.choice(['1', name])}:\n{textwrap.indent(inside(), '    ')}")
        elif kind == "inner":
            lines.append(f"def inner():\n    use({name})\nif coin():\n    inner()")
        elif in_loop:
            lines.append(f"if coin():\n    {draw.choice(['break', 'continue'])}")
        else:
            lines.append("fail()")
    return lines


def coin(draw):
    return draw.random() < 0.5


def text_of(seed):
    draw = random.Random(seed)
    lines = [*statements(draw, 2, False), "a = b = c = 0"]
    return "def program(coin, few, fail, use, suppress):\n" + textwrap.indent("\n".join(lines), "    ")


def failing(run, source):
    """The readings at which runs of a program fail: names, and their lines."""
    definition = gast.parse(source).body[0]
    space = {}
    exec(compile(source, "program", "exec"), space)
    draw = random.Random(run)

    def fail():
        if coin(draw):
            raise ValueError

    left = [40]

    def toss():
        left[0] -= 1
        return left[0] > 0 and coin(draw)

    try:
        space["program"](toss, lambda: draw.randrange(3), fail, lambda *values: 1, contextlib.suppress)
    except NameError as error:
        trace = error.__traceback__
        while trace.tb_next is not None:
            trace = trace.tb_next
        return definition, (error.name or str(error).split("'")[1], trace.tb_lineno)
    except (ValueError, TypeError):
        pass
    return definition, None


def test_all_readings_that_fail_are_found():
    """A law: where Python raises NameError, the analysis has said that the reading may be of what is unbound."""
    failed = 0
    for seed in range(200):
        source = text_of(seed)
        for run in range(8):
            definition, found = failing(run, source)
            if found is None:
                continue
            failed += 1
            loose = {(one.name, one.line) for one in loose_readings(definition)}
            arithmetic = {
                (node.id, part.lineno)
                for part in gast.walk(definition)
                if isinstance(part, gast.BinOp) and isinstance(part.op, FAILS_ON_NONE) or isinstance(part, gast.AugAssign)
                for node in gast.walk(part)
                if isinstance(node, gast.Name)
            }
            assert found in loose | arithmetic, source
    assert failed > 200
