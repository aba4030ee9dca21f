"""Every entry point with odd arguments: an error of ours, a result, or what the user's own function raises; never another error.

The calls are read off the signatures: a new entry point, or a new setting, is tried as soon as it is there.
"""

from __future__ import annotations

import enum
import functools
import inspect
import itertools
from dataclasses import fields

import numpy as np
import pytest

import s2sad
from s2sad import ActivityError, Differentiable, S2sadError, differentiate, grad, jvp, vjp
from s2sad.options import Options
from s2sad.testing import check_rule, dot_product_test, taylor_test


class Level(enum.Enum):
    LOW = "low"


X = np.array([1.0, 2.0, 3.0])
ODD = [
    None, -1, 2.5, True, "zz", (), [1.0], {"a": 0}, 1j, np.ones(2), np.array([None]), Level.LOW, object(), np,
]  # fmt: skip
OPTIONS = [each.name for each in fields(Options)]


def number(x):
    return np.sum(x**2)


def many(x):
    return x * x


def plain(x):
    return 1.0 * x


def residual(y, a=2.0):
    return y * y - a


def contraction(y, a=2.0):
    return 0.5 * (y + a / y)


linear = s2sad.linearize(many, X)[1]
coloring = s2sad.color(np.eye(3))
decorated = differentiate(number)
# What is called, with what, and what is done with what comes.
CALLS = {
    "adjoint_of": (s2sad.adjoint_of, (2.0,), lambda made: made.__enter__()),
    "argmin": (s2sad.argmin, (number, 1.0), None),
    "as_linear_operator": (s2sad.as_linear_operator, (linear,), None),
    "check_grads": (s2sad.check_grads, (number, (X,)), None),
    "checkpoint": (s2sad.checkpoint, (number,), lambda made: made(X)),
    "checkpointed": (functools.wraps(s2sad.checkpointed)(lambda *a, **k: s2sad.checkpointed(*a, **k)), (range(3),), None),
    "color": (s2sad.color, (np.eye(3),), None),
    "differentiate": (differentiate, (number,), lambda made: isinstance(made, Differentiable) and made.grad(X)),
    "fixed_point": (s2sad.fixed_point, (contraction, 1.0), None),
    "grad": (grad, (number,), lambda made: made(X)),
    "hessian": (s2sad.hessian, (number,), lambda made: made(X)),
    "hessian_sparsity": (s2sad.hessian_sparsity, (number, X), None),
    "hvp": (s2sad.hvp, (number, (X,), (X,)), None),
    "jacfwd": (s2sad.jacfwd, (many,), lambda made: made(X)),
    "jacobian": (s2sad.jacobian, (many,), lambda made: made(X)),
    "jacobian_sparsity": (s2sad.jacobian_sparsity, (many, X), None),
    "jacrev": (s2sad.jacrev, (many,), lambda made: made(X)),
    "jvp": (jvp, (many, (X,), (X,)), None),
    "linearize": (s2sad.linearize, (many, X), lambda made: made[1](X)),
    "nondifferentiable": (s2sad.nondifferentiable, (plain,), lambda made: None),
    "ravel": (s2sad.ravel, (X,), lambda made: made[1](made[0])),
    "root": (s2sad.root, (residual, 1.0), None),
    "rule": (s2sad.rule, (plain,), None),
    "sparse_hessian": (s2sad.sparse_hessian, (number,), lambda made: made(X)),
    "sparse_jacobian": (s2sad.sparse_jacobian, (many,), lambda made: made(X)),
    "value_and_grad": (s2sad.value_and_grad, (number,), lambda made: made(X)),
    "value_and_jacobian": (s2sad.value_and_jacobian, (many,), lambda made: made(X)),
    "vjp": (vjp, (many, X), lambda made: made[1](X)),
    "vmap": (s2sad.vmap, (many,), lambda made: made(X)),
    # what they make
    "pullback": (vjp(many, X)[1], (X,), None),
    "map": (linear, (X,), None),
    "unravel": (s2sad.ravel(X)[1], (X,), None),
    "compress": (coloring.compress, (np.eye(3),), None),
    "decompress": (coloring.decompress, (np.ones((1, 3)),), None),
    "seeds": (coloring.seeds, (), None),
    # methods
    ".jvp": (decorated.jvp, ((X,), (X,)), None),
    ".vjp": (decorated.vjp, (X,), None),
    ".hvp": (decorated.hvp, ((X,), (X,)), None),
    ".source": (decorated.source, ("adjoint", X), None),
    ".path": (decorated.path, ("adjoint", X), None),
    ".trace": (decorated.trace, (X,), None),
    ".graph": (decorated.graph, (X,), None),
    ".tape": (decorated.tape, (X,), None),
    ".cost": (decorated.cost, (X,), None),
    # of the testing module
    "check_rule": (check_rule, ("numpy.sin", X), None),
    "dot_product_test": (dot_product_test, (number, (X,)), None),
    "taylor_test": (taylor_test, (number, (X,)), None),
}
ANY = {"stop_gradient"}  # takes whatever there is
TOLD = {  # by the docstrings
    "root": ArithmeticError, "fixed_point": ArithmeticError, "argmin": ArithmeticError, "check_grads": AssertionError,
    "dot_product_test": AssertionError, "check_rule": AssertionError, "taylor_test": AssertionError,
}  # fmt: skip


def test_all_entry_points_are_tried():
    functions = {name for name in s2sad.__all__ if not isinstance(getattr(s2sad, name), type)}
    assert functions - ANY <= set(CALLS)


def parameters(called):
    return inspect.signature(called).parameters.values()


def changed(name):
    """The calls with one argument in another's place, or one setting more."""
    called, args, _ = CALLS[name]
    places = [p for p in parameters(called) if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    for odd in ODD:
        for k in range(len(places)):
            if k < len(args):
                yield f"argument {k}", (*args[:k], odd, *args[k + 1 :]), {}
            elif places[k].kind is not inspect.Parameter.POSITIONAL_ONLY:
                yield places[k].name, args, {places[k].name: odd}
        for p in parameters(called):
            if p.kind is p.KEYWORD_ONLY:
                yield p.name, args, {p.name: odd}
            elif p.kind is p.VAR_KEYWORD and p.name == "options" and name in ("grad", "vjp"):  # all share what reads them
                for option in OPTIONS:
                    yield option, args, {option: odd}
            elif p.kind is p.VAR_KEYWORD and p.name == "partials":
                yield "x", args, {"x": odd}


def outcome(name, args, kwargs):
    """What is wrong with how a call ends; None if nothing is."""
    called, _, then = CALLS[name]
    try:
        made = called(*args, **kwargs)
        if then is not None:
            then(made)
    except s2sad.CompilerError as error:
        return f"CompilerError: {error}"
    except (S2sadError, TOLD.get(name, S2sadError), ModuleNotFoundError):
        return None
    except Exception as error:  # any other is a mistake of ours
        return f"{type(error).__name__}: {error}"
    return None


def of_the_function(name, place, args):
    """Whether the function itself is called with the odd argument: what it raises is its own."""
    return (name, place) in {("jvp", "argument 1"), (".jvp", "argument 0"), ("hvp", "argument 1"), (".hvp", "argument 0")} and (
        isinstance(args[name in ("jvp", "hvp")], tuple | list)
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_odd_arguments(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # folders of programs by odd names
    wrong = {}
    for place, args, kwargs in changed(name):
        if not of_the_function(name, place, args) and (found := outcome(name, args, kwargs)):
            wrong.setdefault(f"{place}: {found}", (args, kwargs))
    assert not wrong


@pytest.mark.parametrize("name", sorted(CALLS))
def test_calls_that_do_not_fit(name):
    called, args, _ = CALLS[name]
    own = list(parameters(called))
    needed = [p for p in own if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if needed:
        with pytest.raises(S2sadError, match="missing a required argument"):
            called()
    if all(p.kind is not p.VAR_POSITIONAL for p in own):
        with pytest.raises(S2sadError, match="too many positional arguments|is expected"):
            called(*args, *[0] * 9)
    misspelt = next((p.name for p in own if p.kind is p.KEYWORD_ONLY), None)
    if misspelt is not None and name not in (".trace", ".graph", ".tape", ".cost", "rule"):
        with pytest.raises(S2sadError, match=f"did you mean '{misspelt}'") as raised:
            called(*args, **{misspelt + "_": 1})
        assert isinstance(raised.value, TypeError)
        assert raised.value.message.split("(")[0].split(".")[-1] in (name.strip("."), "Pullback", "jacobian")


@pytest.mark.parametrize(("call", "text"), [
    (lambda: grad(number, sytle="ssa"), r"grad\(\): .*did you mean 'style'"),
    (lambda: s2sad.vmap(many, inaxes=0), r"vmap\(\): .*did you mean 'in_axes'"),
    (lambda: jvp(many), r"jvp\(\): missing .*it is jvp\(function, primals, tangents,"),
    (lambda: vjp(many, X)[1](), r"Pullback\(\): missing a required argument: 'seed'; it is Pullback\(seed,"),
    (lambda: s2sad.rule(lambda x: x, vjp=5), r"rule\(\): vjp=5, but a function or None is expected"),
    (lambda: differentiate(Level), r"differentiate\(\): .*a function"),
    (lambda: differentiate(wrt=0)(5), r"differentiate\(\): function=5"),
    (lambda: s2sad.checkpoint(int), "a function is expected"),
    (lambda: decorated.sourc, "did you mean 'source'"),
    (lambda: s2sad.vmap(many)([1.0, 2.0]), r"holds the number 1.0.*np\.asarray"),
    (lambda: s2sad.jacfwd(many, mode="rev"), "the mode is 'fwd'"),
    (lambda: s2sad.jacobian(many, of="y"), "has no parameter 'y'"),
    (lambda: s2sad.hvp(number, (X,), (X,), of="x"), "(?s)gradient of number.*final contents of 'x' are no number"),
    (lambda: s2sad.color(5), "a pattern is a matrix"),
], ids=itertools.count())  # fmt: skip
def test_messages(call, text):
    with pytest.raises(S2sadError, match=f"(?s){text}"):
        call()


def test_a_missing_attribute_is_one_for_python_too():
    assert not hasattr(decorated, "sourc")
    with pytest.raises(AttributeError, match="did you mean 'source'"):
        decorated.sourc


def test_wrt_of_another_kind():
    for wrt in ({}, {"x": 0}, [[0]], ([0],), np.ones(2), 1.0, True, None):
        for call in (lambda w: grad(number, w)(X), lambda w: s2sad.hvp(number, (X,), (X,), wrt=w)):
            if wrt is not None:
                with pytest.raises(ActivityError, match="wrt="):
                    call(wrt)


def test_what_has_no_derivative_may_stand_beside():
    def f(x, level, wanted):
        return x * x * (3.0 if level is Level.LOW else 1.0) + len(wanted)

    for args in ((2.0, Level.LOW, range(3)), (2.0, Level.LOW, b"ab")):
        assert vjp(f, *args)[1](1.0) == (12.0, None, None)
        assert jvp(f, args, (1.0, None, None))[1] == 12.0
        assert s2sad.linearize(f, *args)[1](1.0, None, None) == 12.0


def test_functions_as_arguments_that_have_no_name_to_be_written():
    def f(x, g):
        return 2 * x if g is None else x * 3.0 + (g == 3)

    assert vjp(f, 1.0, lambda: 1)[1](1.0) == (3.0, None)


def test_keywords_reach_the_function():
    def f(x, y=2.0, *, k=1.0, **more):
        return np.sum(x * y) * k * more.get("z", 1.0)

    bound = functools.partial(f, k=3.0)
    for kwargs in ({}, {"k": 2.0}, {"y": 3.0}, {"k": 2.0, "z": 5.0}):
        slope = np.full(3, kwargs.get("y", 2.0) * kwargs.get("k", 1.0) * kwargs.get("z", 1.0))
        for derived in (grad(f), s2sad.jacobian(f), s2sad.jacfwd(f), differentiate(f).grad):
            np.testing.assert_allclose(derived(X, **kwargs), slope)
        np.testing.assert_allclose(grad(bound)(X, **kwargs), slope if "k" in kwargs else 3.0 * slope)
        assert differentiate(bound).tape(X, **kwargs) is not None
        assert "adjoint" in differentiate(bound).cost(X, repeats=1, **kwargs).__dataclass_fields__


@pytest.mark.parametrize("name", [n for n in vars(Differentiable) if not n.startswith("_")])
def test_methods_are_tried(name):
    made_by_arguments = {"grad", "value_and_grad", "jacobian", "hessian", "compiled"}  # those of the function
    assert f".{name}" in CALLS or name in made_by_arguments | {"write", "settings_for", "derivatives"}
