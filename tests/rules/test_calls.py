"""Calls of library functions in every form, with every option: each mode on its own against differences.

``calls.txt`` holds one-line programs. Of each: both modes agree with differences of the program, and with each other in what
they refuse; value, tangent and gradient have the dtypes and shapes that belong to them; nothing but an S2sadError is raised
where the program runs. Lines that start with ``refused:`` are refused, in both modes; those with ``deep:`` take seconds, and
others like them are tried by default.
"""

from __future__ import annotations

import ast
import copy
import inspect
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

pytest.importorskip("scipy")

from calls import MODULES, same_values, trial
from interpreter import function_named
from product import FORMS, Case, Program
from samples import SAMPLES
from sampling import options_of
from test_product import test_every_rule_of_the_libraries_has_a_case as every_rule
from thinning import thinned

from s2sad.libraries.scipy import calls as scipy_calls
from s2sad.libraries.scipy.prelude import PRELUDE
from s2sad.rules import registry
from s2sad.rules.functionals import Functional
from s2sad.rules.language import Derivative
from s2sad.rules.preludes import names

LINES = Path(__file__).with_name("calls.txt").read_text(encoding="utf-8").splitlines()
DEEP, REFUSED = "deep: ", "refused: "
ALL = [line.removeprefix(DEEP) for line in LINES if line and not line.startswith("#")]
CALLS = [line for line in LINES if line and not line.startswith(("#", DEEP))]
ALONE = 16  # one line of so many is differentiated by each argument alone, too

PACKAGE = "s2sad.libraries.scipy.prelude"


@pytest.mark.parametrize("line", thinned(CALLS, 16))
def test_call(line: str) -> None:
    of(line, alone=crc32(line.encode()) % ALONE == 0)


@pytest.mark.deep
@pytest.mark.parametrize("line", ALL)
def test_call_by_each_argument_alone(line: str) -> None:
    of(line, alone=True)


def of(line: str, alone: bool) -> None:
    """Try one line; ``alone`` by each argument in a program of its own."""
    tried = trial(line.removeprefix(REFUSED))
    assert list(tried.problems(alone)) == []
    if line.startswith(REFUSED):
        assert tried.refused["tangent"], "it is not refused any more"
    else:
        assert not tried.refused["tangent"], "it is refused"


# Options that say how a result is computed or stored, and not what it is: each is tried with this value.
NEUTRAL: dict[str, Any] = {
    **dict.fromkeys(("check_finite", "balanced", "disp", "copy", "subok", "use_umfpack", "store_outer_Av"), False),
    **dict.fromkeys(("overwrite_a", "overwrite_b", "overwrite_x", "overwrite_ab", "prepend_outer_v", "optimize"), True),
    **dict.fromkeys(("rtol", "atol", "tol", "xtol"), 1e-13),
    "workers": 2, "lapack_driver": "gesvd", "driver": "ev", "casting": "same_kind", "kind": "stable",
    "permc_spec": "NATURAL", "maxiter": 60, "restart": 15, "inner_m": 20, "outer_k": 2,
}  # fmt: skip
OTHER_VALUES: dict[str, Any] = {
    "scipy.linalg.eigvalsh_tridiagonal(lapack_driver)": "stemr",
    "numpy.real_if_close(tol)": 50,
    "numpy.array(copy)": None,  # with no other option
    **{f"scipy.linalg.{name}(lapack_driver)": None for name in ("svd", "eigh_tridiagonal")},  # it decides signs
    **{f"{name}(order)": "F" for name in ("numpy.array", "numpy.asarray", "numpy.asanyarray", "numpy.asarray_chkfinite",
       "numpy.copy", "ndarray.copy", "ndarray.astype", "numpy.full", "numpy.full_like")},
}  # fmt: skip
ONLY = {"plan", "numpy.partition(kind)", "numpy.partition(order)", "numpy.sort(order)"}  # for which libraries take one value


def neutral() -> dict[str, list[Any]]:
    """By rule, samples with all the options that change nothing, each once."""
    found: dict[str, list[Any]] = {}
    for name, samples in SAMPLES.items():
        primitive = registry.lookup(name)
        if primitive is None or not name.startswith(("numpy.", "ndarray.", "scipy.")):
            continue
        values = {p: OTHER_VALUES.get(f"{name}({p})", NEUTRAL.get(p)) for p, optional, _ in primitive.parameters if optional}
        options = {p: value for p, value in values.items() if value is not None and f"{name}({p})" not in ONLY}
        sample = next((s for s in samples if _takes(primitive, s, options)), None) if options else None
        if sample is not None:
            found[name] = [sample, options]
    return found


def _takes(primitive: Any, sample: Any, options: dict[str, Any]) -> bool:
    """Whether a sample has room for options, and the library accepts them."""
    places = [p for p, _, _ in primitive.parameters if p not in primitive.keyword_only]
    if options.keys() & {*places[: len(sample.args)], *sample.kwargs}:
        return False
    args, kwargs = sample.fresh()
    function_named(primitive.name)(*args, **kwargs, **options)
    return True


WITHOUT_EFFECT = neutral()


@pytest.mark.parametrize("name", WITHOUT_EFFECT)
def test_options_that_change_nothing(name: str) -> None:
    """They change neither the value nor the derivatives, which agree with differences of the call that has them."""
    sample, options = WITHOUT_EFFECT[name]
    args, kwargs = sample.fresh()
    plain, other = (function_named(name)(*copy.deepcopy(args), **kwargs, **more) for more in ({}, options))
    assert list(same_values("the value", other, plain)) == []
    program = Program(name, sample._replace(kwargs={**sample.kwargs, **options}, fixed=sample.fixed | options.keys()))
    case = Case(program, FORMS["as it is"])
    assert list(case.problems()) == []
    assert case.refused == {}


def used() -> dict[int, set[str]]:
    """The options that samples, calls and programs give values other than their defaults, by rule."""
    found: dict[int, set[str]] = {}
    for name, samples in SAMPLES.items():
        for sample in samples:
            _note(found, name, list(sample.args), sample.kwargs)
    for name, (_, options) in WITHOUT_EFFECT.items():
        _note(found, name, [], options)
    for line in ALL:
        for node in ast.walk(ast.parse(line.removeprefix(REFUSED))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                keywords = {k.arg: k.value for k in node.keywords if k.arg}
                for name in _names(node.func):
                    _note(found, name, list(node.args), keywords)
    return found


def _names(node: ast.Attribute) -> list[str]:
    """The canonical names that a function of a line may have."""
    path = ast.unparse(node)
    root, _, rest = path.partition(".")
    if root in MODULES and all(part.isidentifier() for part in rest.split(".")):
        return [f"{MODULES[root].__name__}.{rest}"]
    return [f"ndarray.{node.attr}"]


def _note(found: dict[int, set[str]], name: str, args: list[Any], kwargs: dict[str, Any]) -> None:
    primitive = registry.lookup(name)
    if primitive is None:
        return
    places = [p for p, _, _ in primitive.parameters if p not in primitive.keyword_only]
    given = {**dict(zip(places, args, strict=False)), **kwargs}
    defaults = {p: default for p, _, default in primitive.parameters}
    options = found.setdefault(id(primitive.derivative), set())
    for p, value in given.items():
        plain = ast.unparse(value) if isinstance(value, ast.AST) else repr(value)
        if p in defaults and plain != repr(defaults[p]):
            options.add(p)


def test_every_option_has_a_call() -> None:
    """Also of those without an effect on derivatives; functions of functions have a test of their own."""
    found = used()
    missing = [
        f"{name}({option})"
        for name, primitive in registry.all_primitives().items()
        if name.startswith(("numpy.", "ndarray.", "scipy."))
        if isinstance(primitive.derivative, Derivative) and not isinstance(primitive.derivative, Functional)
        for option, optional, _ in primitive.parameters
        if optional and not option.startswith("*") and not {option, f"{name}({option})"} & ONLY
        if option not in found.get(id(primitive.derivative), set())
    ]
    assert missing == []


# --- functions of functions, and what is written as a program: their programs stand in modules

PROGRAMS = ("functional_programs", "scipy_form_programs", "scipy_signal_programs", "scipy_programs", "test_functionals")


def library_names() -> list[str]:
    """The functions and classes of SciPy that take functions, or that are written as programs."""
    forms = (
        next(f"{owner}.{name}" for owner in PRELUDE.topics[topic] if registry.find_object(f"{owner}.{name}") is not None)
        for topic in PRELUDE.topics
        for name in sorted(names(PACKAGE, topic))
    )
    return [*(name for name in scipy_calls.CALLS.table if name.startswith("scipy.")), *forms]


def given_in_programs() -> dict[str, set[str]]:
    """The options that calls in the modules of programs and in ``calls.txt`` give, by the last name of what is called."""
    texts = [line.removeprefix(REFUSED) for line in ALL]
    texts += [Path(__file__).with_name(f"{module}.py").read_text(encoding="utf-8") for module in PROGRAMS]
    signatures: dict[str, list[list[str]]] = {}
    for name in library_names():
        parameters = inspect.signature(registry.find_object(name)).parameters.values()
        signatures.setdefault(name.rpartition(".")[2], []).append([p.name for p in parameters if p.kind is not p.KEYWORD_ONLY])
    found: dict[str, set[str]] = {}
    for node in (node for text in texts for node in ast.walk(ast.parse(text))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
            options = found.setdefault(name, set())
            options |= {k.arg for k in node.keywords if k.arg}
            for places in signatures.get(name, ()):
                options |= {p for p, _ in zip(places, node.args, strict=False)}
    return found


def test_every_option_of_what_takes_functions_or_is_written_as_a_program_has_a_call() -> None:
    """Right or refused: each option stands in a program that is tried."""
    given = given_in_programs()
    missing = [
        f"{name}({p.name})"
        for name in library_names()
        for p in inspect.signature(registry.find_object(name)).parameters.values()
        if p.default is not p.empty and p.kind is not p.VAR_KEYWORD and p.name not in given.get(name.rpartition(".")[2], set())
    ]
    assert missing == []


def test_a_rule_or_an_option_without_samples_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is taken out of the tables is missed: an option's samples and calls, those of a form, a rule's samples."""
    trace = registry.lookup("numpy.trace")
    assert trace is not None
    for name in [n for n in SAMPLES if (p := registry.lookup(n)) is not None and p.derivative is trace.derivative]:
        monkeypatch.setitem(SAMPLES, name, [s for s in SAMPLES[name] if "offset" not in options_of(trace, s.args, s.kwargs)])
    monkeypatch.setattr(f"{__name__}.ALL", [line for line in ALL if "trace(" not in line and "maxprint" not in line])
    with pytest.raises(AssertionError):
        test_every_option_has_a_call()
    with pytest.raises(AssertionError):
        test_every_option_of_what_takes_functions_or_is_written_as_a_program_has_a_call()
    monkeypatch.delitem(SAMPLES, "numpy.tanh")
    with pytest.raises(AssertionError):
        every_rule()
