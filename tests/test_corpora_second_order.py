"""Second derivatives of the corpora: Hessians times vectors, by both orders of the modes, against differences of the gradient.

For a program ``heat(u, alpha)`` the number that is differentiated twice is of all that it returns, and leaves in its arguments::

    def loss(u, alpha):
        result = program(u, alpha)
        return np.sum(result + 0.5 * result * result) + 1.1 * np.sum(u + 0.5 * u * u)

By default every 131st program is examined, and those that were mended; ``-m deep`` examines all.
``python tests/test_corpora_second_order.py FILE`` (in ``tests/``) writes one line a program.
"""

from __future__ import annotations

import itertools
import linecache
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from programs.case import Case, all_cases
from programs.language import language_cases
from test_corpus import REFUSED as REFUSED_AT_ALL
from test_corpus import SEED
from test_corpus_losses import is_float, names_of

from s2sad import S2sadError, grad, hvp
from s2sad.errors import CompilerError
from s2sad.testing import _combined, _direction, _dot, _epsilon, _leaves, _moved, _size, _vector
from s2sad.trees import copied, parts, rebuilt

CASES = {f"{case.function.__module__.rpartition('.')[2]}.{case.name}": case for case in [*all_cases(), *language_cases()]}
STEPS = (1e-4, 1e-5, 1e-6)


def terms_of(value: Any, name: str) -> Iterator[str]:
    """The expressions that reach the floating numbers and arrays in a value."""
    inner = parts(value)
    if inner is not None:
        plain = isinstance(value, list | dict) or (isinstance(value, tuple) and not hasattr(value, "_fields"))
        for key, item in inner.items():
            yield from terms_of(item, f"{name}[{key!r}]" if plain else f"{name}.{key}")
    elif value is not None and is_float(value):
        yield name


def loss_of(case: Case) -> Callable[..., Any] | None:
    """A number made of all that a program gives, in which second derivatives do not cancel."""
    args = case.make(np.random.default_rng(SEED))
    names = names_of(case)
    result = case.function(*args)
    terms = [*terms_of(result, "result"), *(t for n, a in zip(names, args, strict=True) for t in terms_of(a, n))]
    if not terms:
        return None
    total = " + ".join(f"{1.0 + 0.1 * k:.1f} * np.sum({t} + 0.5 * {t} * {t})" for k, t in enumerate(terms))
    text = f"def loss({', '.join(names)}):\n    result = program({', '.join(names)})\n    return {total}\n"
    file = f"<loss of {case.function.__module__}.{case.name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope: dict[str, Any] = {"np": np, "program": case.function, "__name__": f"loss_of_{case.name}"}
    exec(compile(text, file, "exec"), scope)
    function: Callable[..., Any] = scope["loss"]
    return function


def in_order(value: Any) -> Any:
    """The same with the keys of each dict in the order of their texts: which was put in first says nothing of a derivative."""
    inner = parts(value)
    if inner is None:
        return value
    keys = sorted(inner, key=repr) if isinstance(value, dict) else list(inner)
    return rebuilt(value, {key: in_order(inner[key]) for key in keys})


def examine(case: Case) -> str:
    """``agrees``, or ``no fair judge``. Raises AssertionError where a second derivative is wrong."""
    loss = loss_of(case)
    if loss is None:
        return "no fair judge"
    args = case.make(np.random.default_rng(SEED))
    rng = np.random.default_rng(1)
    first, second = ([_direction(args[k], rng) for k in case.wrt] for _ in range(2))
    gradient = grad(loss, case.wrt)

    def moved(step: float) -> Any:
        given = list(copied(args))
        for k, along in zip(case.wrt, first, strict=True):
            given[k] = _moved(given[k], along, step)
        return gradient(*given)

    with np.errstate(all="ignore"):
        slopes = [_vector(in_order(_combined(moved(h), moved(-h), 2 * h))) for h in STEPS]
        (_, product), (_, other), (_, again) = (
            hvp(loss, copied(args), along, wrt=case.wrt, mode=mode)
            for along, mode in ((first, "fwd"), (second, "fwd"), (first, "rev"))
        )
    fine = 100 * max([_epsilon(leaf) for k in case.wrt for leaf in _leaves(args[k])])  # of single precision more than 1e-10
    found, backward = _vector(in_order(product)), _vector(in_order(again))
    assert found.shape == backward.shape == slopes[0].shape
    scale = 1.0 + float(np.max(np.abs(slopes[1]), initial=0.0))
    apart = min(float(np.max(np.abs(a - b), initial=0.0)) for a, b in itertools.pairwise(slopes))
    fair = bool(np.all(np.isfinite(slopes))) and apart < 1e-4 * scale
    if not fair:
        return "no fair judge"
    miss = min(float(np.max(np.abs(found - slope), initial=0.0)) for slope in slopes)
    assert miss <= 2e-4 * scale, f"forward over reverse: {found}, differences {slopes[1]}"
    miss = min(float(np.max(np.abs(backward - slope), initial=0.0)) for slope in slopes)
    assert miss <= 2e-4 * scale, f"reverse over reverse: {backward}, differences {slopes[1]}"
    size = float(np.max(np.abs(found), initial=0.0)) + float(np.max(np.abs(backward), initial=0.0)) + 1.0
    assert np.max(np.abs(found - backward), initial=0.0) <= max(1e-9, fine) * size, f"the two orders differ: {found}, {backward}"
    # symmetric: v H u = u H v
    left, right = _dot(second, product), _dot(first, other)
    most = 1.0 + _size(second, product) + _size(first, other)
    assert abs(left - right) <= max(1e-10, fine) * most * max(found.size, 1), f"not symmetric: {left!r} and {right!r}"
    return "agrees"


MENDED = (  # each crashed, had another structure, or was refused
    "containers.unit_sum", "dictionaries.codon_usage", "containers.grouped", "lists_of_lists.de_casteljau_rows",
)  # fmt: skip
ASKED = [
    pytest.param(name, marks=[] if number % 131 == 0 or name in MENDED else pytest.mark.deep)
    for number, name in enumerate(sorted(set(CASES) - set(REFUSED_AT_ALL)))
]


@pytest.mark.parametrize("name", ASKED)
def test_second_derivative_is_right_or_refused(name: str) -> None:
    try:
        found = examine(CASES[name])
    except CompilerError:
        raise
    except S2sadError:
        found = "refused"
    assert found in ("agrees", "no fair judge", "refused")


def main(file: str, names: list[str]) -> None:
    """Examine programs, and write down what is found."""
    import time

    with open(file, "a", encoding="utf-8") as out:
        every = sorted(set(CASES) - set(REFUSED_AT_ALL))
        for name in names or [n for k in range(29) for n in every[k::29]]:
            start = time.perf_counter()
            try:
                found = examine(CASES[name])
            except CompilerError as error:
                found = f"COMPILER {error}"
            except S2sadError as error:
                found = f"refused {type(error).__name__}: {error}"
            except AssertionError as error:
                found = f"WRONG {error}"
            except Exception as error:
                found = f"ERROR {type(error).__name__}: {error}"
            line = " ".join(found.split())[:400]
            out.write(f"{time.perf_counter() - start:.1f}\t{name}\t{line}\n")
            out.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
