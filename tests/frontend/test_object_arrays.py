"""Dicts, and views of them, that NumPy takes for one object each: refused, as their items have no derivatives there."""

import pytest
from mode_pairs import load

from s2sad import S2sadError, grad, jacobian, jvp
from s2sad.errors import UnsupportedSyntaxError

MADE = [
    'np.max({"a": x})["a"]', 'np.min([{"a": x}])["a"]', 'np.sum({"a": x})["a"]', 'np.prod([{"a": x}])["a"]',
    'np.array([{"a": x}, {"a": 2 * x}])[1]["a"]', 'np.asarray({"a": x}).item()["a"]', 'np.copy({"a": x}).item()["a"]',
    'np.where(True, {"a": x}, {"a": x}).item()["a"]', 'np.reshape({"a": x}, (1,))[0]["a"]', 'np.array({"a": 1}).item()["a"] * x',
    'np.ravel({str(k): x for k in range(2)})[0]["1"]', "np.sum({x: 1})[x] * x", 'len(np.array({"a": x}.values()).shape) * x',
    'len(np.array([{"a": x}.keys()]).shape) * x', "len(np.array({str(k): x for k in range(2)}.items()).shape) * x",
]  # fmt: skip


@pytest.mark.parametrize("text", MADE)
def test_what_is_made_of_a_dict_is_refused(text: str) -> None:
    function = load(f"import numpy as np\n\ndef f(x):\n    return {text}\n")
    assert float(function(3.0)) in (0.0, 1.0, 3.0, 6.0)
    for derivative in (grad(function), lambda x: jvp(function, (x,), (1.0,))):
        with pytest.raises(UnsupportedSyntaxError, match="a dict, or a view of one, as an argument of numpy"):
            derivative(3.0)


@pytest.mark.parametrize("name", ["max", "min", "prod", "sum", "cumsum", "asarray", "ravel", "stack", "real"])
def test_a_dict_that_is_given(name: str) -> None:
    function = load(f"import numpy as np\n\ndef f(d):\n    return np.{name}(d)\n")
    given = {"a": 1.0}
    function(given)
    for derivative in (grad(function), jacobian(function), lambda d: jvp(function, (d,), (d,))):
        with pytest.raises(S2sadError, match="a dict, or a view of one"):
            derivative(given)


def test_numpys_own_exceptions_and_answers() -> None:
    roots = load("import numpy as np\n\ndef f(d):\n    return np.sqrt(d)\n")
    with pytest.raises(TypeError, match="no callable sqrt method"):
        jvp(roots, ({"a": 1.0},), ({"a": 1.0},))
    counted = load("import numpy as np\n\ndef f(d):\n    return np.ndim(d) + d['a'] * np.size(d)\n")
    assert grad(counted)({"a": 2.0}) == {"a": 1.0}
