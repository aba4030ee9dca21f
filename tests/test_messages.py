"""What users are told: what was passed, what was probably meant, and where it went wrong."""

import dataclasses
import decimal
import fractions

import numpy as np
import pytest
from click.testing import CliRunner

from s2sad import S2sadError, check_grads, differentiate, grad, jacobian, jvp, rule, sparse_hessian, vjp, vmap
from s2sad.cli.transform import transform


def f(x, a=1.0):
    return x * a


class Column:
    """Stands for a column of a table: pandas need not be there."""

    def __init__(self):
        self.values = np.ones(2)


Column.__module__ = "pandas.core.series"


@pytest.mark.parametrize(("value", "advice"), [
    ("1", r"float\(x\)"), (None, r"x=2\.0"), (3, r"x=2\.0"), (True, r"x=2\.0"), ([1, 2], r"np\.asarray\(x, float\)"),
    (np.array([1, 2]), r"np\.asarray\(x, float\)"), (np.array([1.0, None], dtype=object), r"np\.asarray\(x, float\)"),
    (Column(), r"x\.to_numpy\(\)"), (decimal.Decimal(2), r"float\(x\)"), (fractions.Fraction(1, 2), r"float\(x\)"),
    ({"a": 1}, "floats in it"), ({1.0}, "a list of floats"), (np.array(["2020-01-01"], dtype="M8[D]"), "numbers, as floats"),
], ids=lambda v: type(v).__name__)  # fmt: skip
def test_what_has_no_derivative_says_what_to_pass(value, advice):
    with pytest.raises(S2sadError, match=f"instead: .*{advice}"):
        grad(f)(value)


def misspells_a_function(x):
    return np.summ(x)


def misspells_a_method(x):
    return x.summ()


def scaled(x, scale):
    return x * scale


def misspells_a_keyword(x):
    return scaled(x, sclae=2.0)


def misses_an_argument(x):
    return scaled(x)


@pytest.mark.parametrize(("function", "text"), [
    (misspells_a_function, "did you mean 'sum'"), (misspells_a_method, "did you mean 'sum'"),
    (misspells_a_keyword, "call of scaled .*'sclae'.*did you mean 'scale'"),
    (misses_an_argument, "call of scaled .*'scale' is missing"),
], ids=lambda v: getattr(v, "__name__", ""))  # fmt: skip
def test_names_inside(function, text):
    with pytest.raises(S2sadError, match=f"(?s){text}"):
        grad(function)(np.ones(2))


def test_names_of_parameters_and_options():
    with pytest.raises(S2sadError, match="did you mean 'a'"):
        grad(f, "aa")
    with pytest.raises(S2sadError, match="did you mean 'a'"):
        differentiate(f, wrt="aa")
    with pytest.raises(TypeError, match="did you mean 'style'"):
        grad(f, sytle="ssa")
    with pytest.raises(TypeError, match="'mode'.* jvp is forward mode; jacobian"):
        grad(f, mode="tangent")


@pytest.mark.parametrize("whole", [lambda a: a, lambda a: {"a": a}], ids=["alone", "within"])
def test_masked_arrays(whole):
    masked = np.ma.masked_array([1.0, 2.0], [False, True])
    for args in ((whole(masked),), (1.0, whole(masked))):
        with pytest.raises(S2sadError, match=r"instead: x\.filled\(0\.0\), and weights"):
            grad(f)(*args)


@pytest.mark.parametrize(("call", "text"), [
    (lambda: grad(f)(), r"f\(\): missing a required argument: 'x'"),
    (lambda: grad(f)(1.0, aa=2.0), r"f\(\): .*'aa'; did you mean 'a'"),
    (lambda: jvp(f, (1.0, 2.0, 3.0), (1.0, 2.0, 3.0)), r"f\(\): too many"),
], ids=["missing", "misspelt", "many"])  # fmt: skip
def test_calls_name_the_function(call, text):
    with pytest.raises(TypeError, match=text):
        call()


@pytest.mark.parametrize("function", [lambda x: x * np.ones(3), lambda x: (x, x)])
def test_a_result_that_is_no_number(function):
    with pytest.raises(S2sadError, match="vjp.*jacobian"):
        grad(function)(2.0)


@rule(vjp=lambda out_bar, out, v: (out_bar / (v - v),))
def without_a_slope(v):
    return v * 2.0


def slope_that_fails(s):
    u = s * 3.0
    v = u * 2.0
    return without_a_slope(v) + s


def test_errors_in_the_reverse_sweep_say_where():
    with pytest.raises(ZeroDivisionError) as caught:
        grad(slope_that_fails)(1.0)
    line = slope_that_fails.__code__.co_firstlineno + 3
    assert caught.value.__notes__ == [
        f'in the reverse sweep of slope_that_fails, File "{__file__}", line {line}: return without_a_slope(v) + s'
    ]


def fails_by_itself(s):
    return s / (s - s)


def test_errors_of_the_function_itself_pass_as_they_are():
    with pytest.raises(ZeroDivisionError) as caught:
        grad(fails_by_itself)(1.0)
    assert not hasattr(caught.value, "__notes__")


def test_a_generated_file_says_what_it_was_made_from(tmp_path):
    grad(f, cache_dir=tmp_path)(1.0)
    (file,) = tmp_path.glob("*.py")
    line = f.__code__.co_firstlineno
    assert file.read_text().splitlines()[3] == f"# made from: f in 'test_messages.py', line {line}"


@pytest.mark.parametrize("value", ["xx", None, [1], {}, np.ones(2), object()], ids=lambda v: type(v).__name__)
@pytest.mark.parametrize("name", ["style", "backend", "cache_dir", "of", "has_aux"])
def test_values_of_settings_that_mean_nothing(name, value):
    if name in ("of", "cache_dir") and value is None or name == "cache_dir" and isinstance(value, str):
        return
    with pytest.raises(S2sadError, match=name if name != "of" else "of=|'xx'"):
        grad(f, **{name: value})(1.0)
    if name not in ("of", "has_aux"):
        with pytest.raises(ValueError, match=name):
            vjp(f, 1.0, **{name: value})


@pytest.mark.parametrize("value", ["sideways", 1, [1], np.ones(2)], ids=["str", "int", "list", "array"])
def test_modes_that_there_are_not(value):
    with pytest.raises(S2sadError, match="mode.* (is unknown|is expected)"):
        jacobian(f, mode=value)


@pytest.mark.parametrize("call", [
    lambda: grad(f)(), lambda: grad(f, sytle="ssa"), lambda: jvp(f, (1.0, 2.0, 3.0), (1.0, 2.0, 3.0)),
    lambda: check_grads(f, ("a", None)), lambda: check_grads(f, (1.0,), modes=("sideways",)),
    lambda: vmap(f)(np.array([1.0, "a"], dtype=object)),
])  # fmt: skip
def test_calls_that_mean_nothing_are_our_errors(call):
    with pytest.raises(S2sadError):
        call()


def test_options_of_functions_of_libraries():
    with pytest.raises(S2sadError, match=r"too many positional arguments; lambda a: sum\(a, axis=\.\.\.\)"):
        vjp(np.sum, np.ones(2), 0)


def test_gradients_of_big_endian_arguments_pass_their_check():
    check_grads(lambda x: np.sum(x**2), (np.array([1.0, 2.0], dtype=">f8"),))


def reads_what_was_raised(x):
    try:
        if x > 1.0:
            raise ValueError("large", 2.0)
        return x
    except ValueError as error:
        return x if error.__cause__ is None else x * x


def test_what_an_exception_holds_is_refused_by_its_name():
    with pytest.raises(S2sadError, match="'__cause__' of an exception"):
        grad(reads_what_was_raised)(1.3)


@dataclasses.dataclass
class Pair:
    a: float
    b: float = 1.0


def makes_it_of_a_part(x):
    pair = Pair(*x[:2])
    return pair.a * pair.b


def makes_it_of_two_parts(x):
    pair = Pair(*x[:1], *x[1:2])
    return pair.a * pair.b


def makes_it_of_what_is_chosen(x):
    pair = Pair(*x[x > 0.5], *x[x > 2.0])
    return pair.a * pair.b


def test_fields_of_unknown_number_are_refused_where_the_object_is_made():
    np.testing.assert_array_equal(grad(makes_it_of_a_part)(np.array([2.0, 3.0, 5.0])), [3.0, 2.0, 0.0])
    np.testing.assert_array_equal(grad(makes_it_of_a_part)(np.array([2.0])), [1.0])
    with pytest.raises(S2sadError, match=r"this call of Pair .*\n.*\n.*pair = Pair"):
        grad(makes_it_of_what_is_chosen)(np.ones(2))
    np.testing.assert_array_equal(grad(makes_it_of_two_parts)(np.array([2.0, 3.0, 4.0])), [3.0, 2.0, 0.0])


def meets_itself_backwards(x):
    items = list(x)
    return sum(a * b for a, b in zip(items, items[::-1], strict=True))


def test_patterns_name_nothing_of_ours():
    with pytest.raises(S2sadError) as caught:
        sparse_hessian(meets_itself_backwards)(np.ones(3))
    assert "s2sad.runtime" not in str(caught.value) and "what is computed here" in str(caught.value)


def scales_the_first(items):
    items[0][0] *= 2.0
    return np.sum(items[0] * items[1])


def test_what_shares_memory_in_a_list_is_copied_itself():
    whole = np.arange(1.0, 6.0)
    with pytest.raises(S2sadError, match=r"pass a copy of one: array\.copy\(\), of an array in items"):
        grad(scales_the_first)([whole[:3], whole[2:]])
    np.testing.assert_array_equal(grad(scales_the_first)([whole[:3], whole[2:].copy()])[0], [6.0, 4.0, 5.0])


def adds_to_an_item_of_a_tuple(x):
    parts = (x[:2], x[2:])
    parts[0] += 1.0
    return np.sum(parts[0])


def test_tuples_are_not_written_into():
    with pytest.raises(S2sadError, match="writing into a tuple .*\n.*\n.*\n.*\n.*TypeError: 'tuple' object does not support"):
        grad(adds_to_an_item_of_a_tuple)(np.ones(4))


def test_the_command_line_says_what_to_do_with_classes(tmp_path):
    path = tmp_path / "with_a_class.py"
    path.write_text("class P:\n    def __init__(self, a):\n        self.a = a\n\n\ndef f(x: float):\n    return P(x).a * x\n")
    done = CliRunner().invoke(transform, [str(path), "-o", str(tmp_path)])
    assert done.exit_code == 1
    assert "differentiate(f).write('adjoint', path)" in done.output
