"""The options that all ufuncs share, on every ufunc that has a derivative: right, or refused by name."""

from __future__ import annotations

import importlib.util
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from samples import SAMPLES

from s2sad import check_grads, grad, vjp
from s2sad.errors import S2sadError
from s2sad.rules import registry
from s2sad.rules.language import Derivative

MASK = np.array([True, False, True, True])
HEADER = "import numpy as np\n\n\n"


def vectors(name: str) -> tuple[Any, ...] | None:
    """Operands of the ufunc, vectors of one size, where a sample has some."""
    for sample in SAMPLES.get(name, []):
        if sample.args and not sample.kwargs and all(np.shape(a) in ((3,), (4,)) for a in sample.args):
            if all(np.asarray(a).dtype == "float64" for a in sample.args):
                return sample.args
    return None


def ufuncs() -> list[str]:
    """All ufuncs with a derivative, once each."""
    found: dict[int, str] = {}
    for name, primitive in registry.all_primitives().items():
        function = registry.find_object(name)
        elementary = isinstance(function, np.ufunc) and function.nout == 1 and function.signature is None
        if (
            elementary
            and name.startswith("numpy.")
            and isinstance(primitive.derivative, Derivative)
            and vectors(name)
        ):
            found.setdefault(id(function), name)
    return list(found.values())


NAMES = ufuncs()


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """For each ufunc a program with ``where`` and ``out``, and one with ``dtype``."""
    path = tmp_path_factory.mktemp("options") / "ufunc_options_written_out.py"
    bodies = []
    for name in NAMES:
        short, function = name.removeprefix("numpy."), registry.find_object(name)
        operands = ", ".join("xyz"[: function.nin])
        bodies.append(
            f"def masked_{short}({operands}, mask, base):\n"
            f"    out = base * 2.0\n"
            f"    np.{short}({operands}, where=mask, out=out, casting='same_kind')\n"
            f"    return out * out\n"
        )
        bodies.append(
            f"def cast_{short}({operands}):\n    return np.{short}({operands}, dtype=np.float64) * 3.0\n"
        )
        bodies.append(f"def plain_{short}({operands}):\n    return np.{short}({operands}) * 3.0\n")
    path.write_text(HEADER + "\n\n".join(bodies))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def program(programs: Any, kind: str, name: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(programs, f"{kind}_{name.removeprefix('numpy.')}")
    return found


def test_there_are_many() -> None:
    assert len(NAMES) > 40


@pytest.mark.parametrize("name", NAMES)
def test_items_that_a_mask_leaves_out_keep_what_was_there(programs: Any, name: str) -> None:
    """Also where the ufunc does not exist: nothing of the NaN there is seen."""
    operands = vectors(name)
    assert operands is not None
    mask = MASK[: len(operands[0])]
    moving = [np.where(mask, a, np.nan) for a in operands]
    base = np.linspace(0.3, 0.9, len(mask))
    function = program(programs, "masked", name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_grads(function, (*moving, mask, base), wrt=["xyz"[k] for k in range(len(moving))] + ["base"])
        value, pullback = vjp(function, *moving, mask, base)
        bars = pullback(np.ones(len(mask)))
    np.testing.assert_allclose(value, function(*moving, mask, base))
    for bar in bars[: len(moving)]:
        np.testing.assert_array_equal(bar[~mask], 0.0)


@pytest.mark.parametrize("name", NAMES)
def test_a_wider_dtype_computes_in_it(programs: Any, name: str) -> None:
    operands = vectors(name)
    assert operands is not None
    single = [a.astype("float32") for a in operands]
    double = [a.astype("float64") for a in single]
    bars = []
    for kind, args in (("cast", single), ("plain", double)):
        value, pullback = vjp(program(programs, kind, name), *args)
        assert value.dtype == np.float64
        bars.append(pullback(np.ones(value.shape)))
    for narrow, wide in zip(*bars, strict=True):
        if isinstance(narrow, np.ndarray):
            assert narrow.dtype == np.float32
            np.testing.assert_allclose(narrow, wide, rtol=2e-7, atol=1e-30)


def in_place(x: Any) -> Any:
    y = x * 2.0
    np.exp(y, out=y, where=y > 0.0, subok=True)
    np.multiply(y, x, out=(y,))
    return np.sum(np.sqrt(y + 3.0, order="K"))


def test_options_in_one_program() -> None:
    check_grads(in_place, (np.array([0.3, -0.7, 1.1]),))


def without_out(x: Any) -> Any:
    return np.sum(np.sin(x, where=x > 0.0))


def in_order(x: Any) -> Any:
    return np.sum(np.sin(x, order="F"))


def with_signature(x: Any) -> Any:
    return np.sum(np.sin(x, signature="d->d"))


def masked_statistic(x: Any) -> Any:
    out = np.zeros(())
    np.nansum(x, where=x > 0.0, out=out)
    return out * 1.0


def multiplied_at(x: Any) -> Any:
    y = x * 1.0
    np.power.at(y, [[0, 0]], x[:2])
    return np.sum(y)


def two_results(x: Any) -> Any:
    quotient, rest = np.divmod(x, 0.3, dtype=np.float64)
    return np.sum(rest)


def three_factors(x: Any) -> Any:
    return np.sum(np.multiply.outer(x))


REFUSED = [
    (without_out, "where= without out="),
    (in_order, "order="),
    (with_signature, "signature"),
    (masked_statistic, "where= of numpy.nansum"),
    (multiplied_at, "numpy.power.at"),
    (two_results, "options of a function with two results"),
    (three_factors, "outer"),
]


@pytest.mark.parametrize(("function", "named"), REFUSED, ids=[f.__name__ for f, _ in REFUSED])
def test_other_options_are_refused_by_name(function: Callable[..., Any], named: str) -> None:
    with pytest.raises(S2sadError) as caught:
        grad(function)(np.array([0.3, 0.7]))
    assert named in str(caught.value)
    assert caught.value.location is not None
    assert Path(caught.value.location.file).name == Path(__file__).name


def test_methods_of_ufuncs_are_found_though_they_are_made_anew_at_each_look() -> None:
    assert np.add.reduce is not np.add.reduce
    assert registry.name_of(np.add.reduce) == "numpy.add.reduce"
    assert registry.name_of(np.true_divide.at) is None
    assert registry.name_of("text".upper) is None
