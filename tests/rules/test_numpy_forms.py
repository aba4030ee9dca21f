"""NumPy's functions that are written as programs: what they give is NumPy's, with its shapes, dtypes and errors.

Their derivatives are compared with differences in ``test_numpy_programs.py``.
"""

from __future__ import annotations

import importlib
import inspect
import typing
import warnings
from typing import Any

import numpy as np
import pytest
from test_numpy_programs import program

from s2sad import grad
from s2sad.errors import S2sadError
from s2sad.libraries.numpy.prelude import PRELUDE
from s2sad.rules import registry
from s2sad.rules.preludes import form_of, names

PACKAGE = "s2sad.libraries.numpy.prelude"
F = np.array([0.3, -1.2, 0.7, 2.1, -0.4])
S, Z, K, E = F.astype("float32"), F * (1 + 2j), np.array([3, -1, 2, 0, 4]), np.zeros(0)
M, T = np.arange(6.0).reshape(2, 3) / 7, np.arange(24.0).reshape(2, 3, 4) / 7
N = np.array([[0.3, np.nan, 0.5], [-0.2, 0.7, np.nan]])
W = np.array([0.2, 0.5, 0.1, 0.9, 0.3])
SPD = np.array([[4.0, 1.0, 0.5], [1.0, -3.0, -0.2], [0.5, -0.2, 2.0]])
L = [0.5, 1.5, -0.25]
MASK = np.array([True, False, True])
CALLS: dict[str, list[tuple[tuple[Any, ...], dict[str, Any]]]] = {
    "polynomials.vander": [
        *(((x,), {}) for x in (F, S, Z, K, E, L, M, 2.0)), ((F, 3), {}), ((K, 0, True), {}), ((L,), {"increasing": True, "N": 2}),
    ],
    "polynomials.polyfit": [
        ((F, W, 2), {}), ((S, S, 1), {}), ((L, L, 1), {"w": [1, 2, 3]}), ((F, np.stack((F, W), 1), 2), {"w": W}), ((K, W, 0), {}),
        ((F, Z, 2), {}), ((M, W, 1), {}), ((F, W, 2), {"full": True}), ((S, S, 4), {"full": True}), ((K, Z, 1), {"full": True}),
        ((F, np.stack((F, W), 1), 1), {"full": True, "w": W}), ((F, W, 2), {"cov": True}),
        ((F, W, 1), {"cov": "unscaled", "w": W}),
        ((F, np.stack((F, W), 1), 1), {"cov": True}), ((F, W, 4), {"cov": True}), ((M, W, 1), {"full": True}),
    ],
    "polynomials.poly": [((x,), {}) for x in (F, S, K * 1.0, L)],
    "polynomials.polydiv": [((F, W[:2]), {}), ((S, S[:3]), {}), ((Z, F[:2]), {}), ((L, F), {}), ((K, [1, 2]), {}),
                            ((F, [2]), {})],
    "polynomials.polyval": [((M, 2.0), {}), ((M, W[:3]), {}), ((M.tolist(), 0.5), {})],
    "polynomials.correlate": [
        *(((a, v, mode), {}) for a in (F, S, Z, K, L) for v in (W[:2], Z[:3], L) for mode in ("valid", "same", "full")),
        ((F, E), {}), ((M, F), {}), ((F[:2], F), {"mode": "same"}),
    ],
    "polynomials.kaiser": [((1, 8.0), {}), ((5, 8.0), {}), ((6, 14), {})],
    **{f"powers.{name}": [((F, W[:2]), {}), ((S, L), {}), ((K, Z), {}), ((2.0, F), {}), ((M, F), {})]
       for name in ("polyadd", "polysub", "polymul")},
    "powers.polyval": [((0.5, F), {}), ((M, L), {}), ((Z, K), {})],
    "powers.polyder": [((F,), {}), ((F, 2), {}), ((S,), {"m": 0})],
    "powers.polyfromroots": [((F,), {}), ((Z,), {}), ((L,), {})],
    "powers.polyvander": [((F, 3), {}), ((L, 0), {})],
    "powers.polyfit": [((F, W, 2), {}), ((F, W, 1), {"w": W}), ((F, W, 1), {"full": True})],
    **{f"series.{name}": [((x, c), {}) for x in (0.5, F, M, K) for c in (F, S, Z, K, F[:1], F[:2], 2.0)]
       for name in ("chebval", "legval", "lagval", "hermval", "hermeval")},
    **{f"series.{name}": [((F, W, 2), {}), ((L, L, 1), {}), ((S, S, 1), {}), ((K, Z, 2), {"w": W}), ((M, W, 1), {}),
                          ((F, np.stack((F, W), 1), 1), {"full": True})]
       for name in ("chebfit", "legfit", "lagfit", "hermfit", "hermefit")},
    "statistics.average": [
        ((F,), {}), ((S,), {}), ((K,), {}), ((M, 1), {}), ((M, 0, [1, 2]), {}), ((S, None, K + 2), {}), ((F,), {"weights": W}),
        ((M,), {"axis": 1, "keepdims": True}), ((M, 1, [1.0, 2, 3]), {"keepdims": True}), ((T, (0, 2)), {}), ((L,), {}),
    ],
    "statistics.histogram": [
        ((F,), {"weights": W}), ((F, 3, (-1, 1)), {"weights": W, "density": True}),
        ((L, [-1, 0, 1]), {"weights": [1.0, 2.0, 3.0]}),
        ((F, "auto"), {"weights": W}), ((F, np.linspace(-1, 2, 4), None, True, W), {}),
        ((F,), {}), ((S, 3), {}), ((F, 3, (-1, 1)), {"density": True}), ((K, 2), {}), ((L, [-1, 0, 1]), {}), ((M, 4), {}),
        ((E, 3), {}), ((F, 3, (1, -1)), {}), ((F, 0), {}), ((F, 2, (0, np.inf)), {}), ((F[:1], 2), {}),
    ],
    "statistics.histogram_bin_edges": [
        ((F,), {}), ((S, 3), {}), ((K, 2), {}), ((L, 3, (0, 1)), {}), ((E, 3), {}), ((F, 3, (1, -1)), {}), ((F[:1], 2), {}),
    ],
    **{f"statistics.{name}": [
        ((N,), {"initial": 0.5}), ((N, 1), {"initial": 0.5, "keepdims": True}), ((N, 1), {"initial": 2.0, "where": MASK}),
        ((N, 0), {"initial": 0.1, "where": np.array([[True], [False]])}), ((N.astype("float32"),), {"initial": 0.5}),
        ((N.tolist(),), {"initial": 2.0}),
    ] for name in ("nansum", "nanprod", "nanmax", "nanmin")},
    "statistics.nanmean": [((N, axis), {"where": MASK, "keepdims": keep}) for axis in (None, 0, 1) for keep in (False, True)],
    **{f"statistics.{name}": [
        ((F, np.array([0.2, 0.6]) * factor), {"weights": W, "method": "inverted_cdf"}),
        ((M, [0.3 * factor]), {"axis": 1, "weights": M + 1, "method": "inverted_cdf", "keepdims": True}),
    ] for name, factor in (("quantile", 1), ("percentile", 100), ("nanquantile", 1), ("nanpercentile", 100))},
    "linalg.svd": [((SPD,), {}), ((SPD, True, False), {}), ((np.stack((SPD, SPD + 1)),), {}), ((SPD * (1 + 0j),), {})],
    "ranges.logspace": [((0.1, 2.0, 4), {"dtype": "float32"}), ((L, F[:3], 4), {"axis": 1}), ((0, 1), {"base": 2.0, "axis": 0})],
    "ranges.geomspace": [((W, W + 1, 4), {"axis": -1}), ((1, 8, 4), {"dtype": int}), ((1.0, 2.0, 3, False), {"axis": 0})],
    **{f"pieces.{name}": [((x, cuts), {}) for x in (F[:4], M, T, np.array(1.0)) for cuts in (1, [1], (1, 2), 2)]
       for name in ("hsplit", "vsplit", "dsplit")},
    "pieces.unstack": [((M,), {}), ((T,), {"axis": -1})],
    "pieces.append": [
        *(((a, v), {}) for a in (F, S, K, Z, E, M, L, range(3), 2) for v in (1.5, 2, K, L, M, [], range(2))),
        ((M, M), {"axis": 0}), ((M, M, 1), {}), ((M, F), {"axis": 0}),
    ],
    "pieces.dstack": [(((F, W),), {}), (([M, M],), {}), ((T,), {}), (([1.0, 2.0],), {}), ((T.tolist(),), {})],
    **{f"pieces.atleast_{n}d": [((x,), {}) for x in (1.0, F, M, T, L)] + [((1.0, F, L), {})] for n in (1, 2, 3)},
    "pieces.rollaxis": [((T, axis, start), {}) for axis in (-3, -1, 0, 1, 2) for start in (-1, 0, 1, 2, 3)] + [((T, 3), {})],
    "pieces.astype": [((F, "float32"), {}), ((K, complex), {})],
    "pieces.diagflat": [((L,), {}), ((M, 1), {}), ((2.0, -1), {})],
    "pieces.broadcast_arrays": [((F, 1.0), {}), ((M, L), {}), ((M[:, None], L, K[:2, None]), {}), ((F, M), {})],
    "functions.apply_over_axes": [((np.sum, T, [0, 2]), {}), ((np.mean, M, 1), {}), ((np.cumsum, M, (0, -1)), {})],
    "functions.fromfunction": [((lambda i, j: i + 2 * j, (2, 3)), {}), ((lambda i: 2.0, (2,)), {}),
                               ((lambda i, k: i * k, (3,)), {"k": 2}), ((lambda i: i, (3,)), {"dtype": int})],
    "functions.select": [
        (([F > 0, F < -1], [F, F**2]), {}), (([F > 0], [1], 2.5), {}), (([F > 0, F > 1], [S, K]), {"default": 1}),
        (([F > 0], [F, F]), {}), (([M > 0.2, MASK], [1.0, L]), {}),
    ],
    "functions.piecewise": [
        ((F, [F > 0, F < -1], [np.sin, 2.0]), {}), ((F, [F > 0], [lambda x, k: x * k, -1.0], 3.0), {}),
        ((M, [M > 0.2, M <= 0.2], [lambda x, k=1: x**k, np.cos]), {}), ((K, [K > 0], [0.5, np.square]), {}),
    ],
}  # fmt: skip


def of(name: str) -> tuple[Any, Any]:
    """A form, and the function of NumPy that it stands for."""
    topic, _, function = name.partition(".")
    owners = (registry.find_object(f"{owner}.{function}") for owner in PRELUDE.topics[topic])
    return vars(importlib.import_module(f"{PACKAGE}.{topic}"))[function], next((f for f in owners if f is not None), None)


def result(function: Any, args: Any, kwargs: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*args, **kwargs)
        except Exception as error:
            return type(error)


def same(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, type):
        assert ours is theirs
    elif isinstance(theirs, tuple | list):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            same(one, other)
    else:
        assert np.asarray(ours).dtype == np.asarray(theirs).dtype
        assert np.shape(ours) == np.shape(theirs)
        np.testing.assert_allclose(ours, theirs, rtol=2e-4 if np.asarray(ours).dtype.itemsize == 4 else 1e-7, atol=1e-6)


@pytest.mark.parametrize("name", CALLS)
def test_what_a_form_gives_is_numpys(name: str) -> None:
    form, function = of(name)
    if function is None:
        pytest.skip("this NumPy does not have it")
    extra = {"average": {"returned": True}, "svd": {"hermitian": True}}.get(name.partition(".")[2], {})
    for args, kwargs in CALLS[name]:
        same(result(form, args, {**kwargs, **extra}), result(function, args, {**kwargs, **extra}))


FORMS = [f"{topic}.{name}" for topic in PRELUDE.topics for name in sorted(names(PACKAGE, topic))]
OF_COEFFICIENTS = {"poly1d", "Polynomial", "Chebyshev", "Legendre", "Laguerre", "Hermite", "HermiteE"}


def test_each_form_is_called() -> None:
    assert {name for name in FORMS if name.partition(".")[2] not in {*OF_COEFFICIENTS, "broadcast"}} == set(CALLS)


@pytest.mark.parametrize("name", FORMS)
def test_forms_stand_for_what_there_is(name: str) -> None:
    """Each has the parameters of a function of NumPy, in the same order, and the same defaults."""
    form, function = of(name)
    if function is None:
        pytest.skip("this NumPy does not have it")
    assert form_of(function) is form
    known = inspect.signature(function).parameters
    ours = inspect.signature(form).parameters
    for parameter in ours.values():
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            assert parameter.name in known, parameter.name
            assert parameter.default in (known[parameter.name].default, None, False), parameter
    positional = [p.name for p in ours.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert positional == [p for p in known][: len(positional)]
    hints = typing.get_type_hints(vars(form)["__init__"] if isinstance(form, type) else form, include_extras=True)
    assert set(ours) <= set(hints)
    assert form.__doc__


@pytest.mark.parametrize(
    ("line", "why"),
    [("np.poly(x)", "eigenvalues"), ("np.hsplit(x, np.argmax(x))[0]", "computed sections"),
     ("np.polynomial.Polynomial(x[0], domain=[0, 2])(x)", "a domain")],
)
def test_what_is_refused_in_a_form_is_refused_where_it_is_called(line: str, why: str) -> None:
    with pytest.raises(S2sadError, match=why) as refused:
        grad(program(line))(SPD)
    assert "prelude" not in str(refused.value)
    assert line in str(refused.value)
