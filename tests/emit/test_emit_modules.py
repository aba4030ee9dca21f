"""Names, imports, constants, comments, and modules that stand alone."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from emit_building import BOOL, FLOAT, INT, PAIR, VECTOR, Program, body_of, execute, expected
from ir_interpreter import run

from s2sad import runtime
from s2sad.emit.module import emit_module, injected_names
from s2sad.emit.standalone import helper_source
from s2sad.errors import Location
from s2sad.ir.kinds import UNKNOWN, Array, Kind, Other
from s2sad.ir.nodes import Call, Const, Function, Global, Structure, Value

# --- names


def test_variables_do_not_hide_what_the_function_calls() -> None:
    p = Program()
    u = p.param("u", VECTOR)
    with p.loop(p.range(p.call("builtins.len", u)), [0.0], ["range"]) as op:
        i, total = op.body.params
        op.body.yields = [
            p.add(total, p.call("numpy.sin", p.load(u, i, name="np"), name="len"), name="range")
        ]
    function = p.returns(*op.results)
    text = emit_module([function])
    assert text == expected("""
        import numpy as np


        def f(u):
            range_1 = 0.0
            for i in range(len(u)):
                np_1 = u[i]
                len_1 = np.sin(np_1)
                range_1 += len_1
            return range_1
    """)


def test_parameters_keep_their_names_and_the_module_looks_elsewhere() -> None:
    p = Program()
    n, numpy, sign, u = p.param("range", INT), p.param("np"), p.param("sign"), p.param("math", VECTOR)
    with p.loop(p.range(n), [numpy], ["x"], item=None) as op:
        op.body.yields = [p.add(p.call("numpy.sin", op.body.params[1]), p.call("math.cos", sign), name="x")]
    function = p.returns(p.mul(op.results[0], p.call("s2sad.runtime.sign", sign)), p.load(u, 0))
    for standalone in (False, True):
        text = emit_module([function], standalone=standalone)
        assert "def f(range, np, sign, math):" in text
        assert execute(text)(2, 0.5, -0.25, [1.0]) == run(function, 2, 0.5, -0.25, [1.0])
    assert "from s2sad.runtime import sign as sign_1" in emit_module([function])


def test_a_parameter_with_the_name_of_a_called_function() -> None:
    q = Program("helper")
    helper = q.returns(q.mul(q.param("s"), 3.0))
    p = Program()
    (made,) = p.call_function(helper, [p.param("helper")], [FLOAT])
    text = emit_module([helper, p.returns(made)])
    assert text.endswith("helper_1 = helper\n")
    assert execute(text)(2.0) == 6.0


def test_keywords_and_odd_names() -> None:
    p = Program()
    x = p.param("x")
    a = p.add(x, 1.0, name="lambda")
    b = p.add(a, 2.0, name="self.w")
    text = body_of(p.returns(p.mul(a, b)))
    assert "lambda_ = x + 1.0\n    self_w = lambda_ + 2.0" in text


def test_temporaries_avoid_the_users_names() -> None:
    p = Program()
    x = p.param("x")
    a = p.mul(x, x)
    b = p.add(a, a, name="v1")
    assert "v2 = x * x\n    v1 = v2 + v2" in body_of(p.returns(b))


def test_values_of_one_name_that_live_together() -> None:
    p = Program()
    x = p.param("x")
    values = [p.mul(x, float(k), name="t") for k in range(3)]
    p.add(x, x, name="t_1")
    text = body_of(p.returns(p.add(values[0], p.add(values[1], values[2]))))
    assert [line.split()[0] for line in text.splitlines()[1:5]] == ["t", "t_2", "t_3", "t_1"]


# --- what comes from outside


def module_of(*values: Value, **options: Any) -> str:
    """A module with a function that returns some values."""
    return emit_module([Program().returns(*values)], **options)


def constant(path: str, payload: Any, kind: Kind = FLOAT) -> Global:
    return Global(path, kind, payload, resolved=True)


def test_globals() -> None:
    weights = np.ones(2)
    values = [
        constant("np.pi", np.pi),
        constant("math.e", math.e),
        constant("DT", 0.01),
        constant("config.rate", 0.5),
        constant("SHAPE", (2, (3, "a"))),
        constant("WEIGHTS", weights, VECTOR),
        constant("settings.start", weights, VECTOR),
        constant("float32", np.float32, Other("dtype")),
        constant("len", len, Other("function")),
        Global("LATER", UNKNOWN),
    ]
    text = module_of(*values)
    assert text == expected("""
        import math
        import numpy as np

        # LATER is bound when the module is loaded
        # WEIGHTS is bound when the module is loaded
        # settings_start is bound when the module is loaded

        DT = 0.01
        config_rate = 0.5
        SHAPE = 2, (3, "a")


        def f():
            return np.pi, math.e, DT, config_rate, SHAPE, WEIGHTS, settings_start, np.float32, len, LATER
    """)
    bound = injected_names([Program().returns(*values)])
    assert bound.keys() == {"WEIGHTS", "settings_start"}
    assert bound["WEIGHTS"] is weights


def test_a_constant_and_a_variable_of_the_same_name() -> None:
    p = Program()
    x = p.param("x")
    p.function.params[0].default = constant("RATE", 0.5)
    made = p.mul(x, constant("RATE", 0.5), name="RATE")
    text = emit_module([p.returns(p.add(made, x))])
    assert "def f(x=RATE):\n    RATE_1 = x * RATE" in text
    assert execute(text)() == 0.75


def test_further_constants_and_headers() -> None:
    text = module_of(Const(1), header="# made by hand\n# key: 7", constants={"TOL": 1e-9, "skipped": [1]})
    assert text.startswith("# made by hand\n# key: 7\n\nTOL = 1e-09\n\n\ndef f():") or text.startswith(
        "# made by hand\n# key: 7\n\nTOL = 1e-9\n\n\ndef f():"
    )
    assert module_of(Const(1), header="Derivatives of f.").startswith('"""Derivatives of f."""\n\n\ndef f():')


@pytest.mark.parametrize(
    "payload",
    [0, -3, -0.5, -0.0, 1e300, float("inf"), -float("inf"), 2j, 1.5 - 2j, -2j, "it's", b"x", None, True, ...,
     (), (1,), (1, (-2.0, None)), np.float32(0.1), np.int64(-4), np.dtype("float32"), slice(1, None, -1)],
)  # fmt: skip
def test_literals(payload: Any) -> None:
    found = execute(module_of(Const(payload), Const(1)))()[0]
    assert type(found) is type(payload)
    assert found == payload
    assert str(found) == str(payload)


def test_not_a_number() -> None:
    assert np.isnan(execute(module_of(Const(float("nan"))))())


def test_libraries() -> None:
    pytest.importorskip("scipy.special")  # who calls it has imported it
    p = Program()
    x = p.param("x")
    p.block.ops.append(Call(target="scipy.special.gammaln", args=[x], results=[Value(FLOAT)]))
    p.block.ops.append(Call(target="itertools.count", args=[x], results=[Value(UNKNOWN)]))
    p.call("numpy.add.at", p.param("u", VECTOR), Const(0), x)
    text = emit_module([p.returns(p.call("math.sin", x))])
    assert "import itertools\nimport math\nimport numpy as np\nimport scipy.special\n" in text
    for line in (
        "scipy.special.gammaln(x)",
        "itertools.count(x)",
        "np.add.at(u, 0, x)",
        "return math.sin(x)",
    ):
        assert f"    {line}\n" in text


# --- modules that stand alone


def helped() -> Function:
    p = Program()
    x, u = p.param("x"), p.param("u", VECTOR)
    return p.returns(p.call("s2sad.runtime.sign", x), p.call("s2sad.runtime.unbroadcast", u, x))


def test_helpers_are_imported_or_written_out() -> None:
    assert "from s2sad.runtime import sign, unbroadcast\n" in emit_module([helped()])
    text = emit_module([helped()], standalone=True)
    assert "s2sad" not in text
    assert execute(text)(-2.0, np.ones(3)) == (-1.0, 3.0)


def test_every_helper_can_be_written_out() -> None:
    imports, text = helper_source({"s2sad.runtime": {name: name for name in runtime.__all__}}, {}, set())
    namespace: dict[str, Any] = {}
    exec("\n".join([*imports, text]), namespace)
    assert all(callable(namespace[name]) for name in runtime.__all__)
    known = "numpy|math|itertools|functools|typing|collections|enum|sys|types|copy|tempfile|datetime"
    allowed = re.compile(rf"(import|from) ({known})\b")
    assert all(allowed.match(line) for line in imports)
    assert "s2sad" not in text


def test_helpers_make_way_for_the_modules_own_names() -> None:
    p = Program("_sum_to")
    u, x = p.param("u", VECTOR), p.param("x")
    text = emit_module([p.returns(p.call("s2sad.runtime.unbroadcast", u, x))], standalone=True)
    assert "def _sum_to_1(" in text
    assert execute(text, "_sum_to")(np.ones(3), 1.0) == 3.0


# --- comments

FILE = "model.py"


def at(line: int, text: str = "", function: str = "f") -> Location:
    return Location(FILE, line, 4, text, function)


def commented() -> Function:
    p = Program("f_adjoint")
    p.function.file = FILE
    p.function.comments = {2: ["# the square"], 3: ["#the last", "# step"], -3: ["# beside"]}
    x, out_bar = p.param("x"), p.param("out_bar")
    p.loc = at(2)
    y = p.mul(x, x, name="y")
    p.loc = at(40, function="inlined")
    z = p.add(y, 1.0, name="z")
    p.loc = at(4)
    p.function.comments[4] = p.function.comments.pop(3)
    p.function.comments[-4] = p.function.comments.pop(-3)
    out = p.mul(z, y, name="w")
    p.function.reverse_at = len(p.block.ops)
    p.primal = p.loc = at(4, "    w = z * y  # beside")
    y_bar = p.mul(out_bar, z, name="y_bar")
    z_bar = p.mul(out_bar, y, name="z_bar")
    p.primal = p.loc = at(3, "    z = f('#', " + "x, " * 30 + ")")
    y_bar = p.add(y_bar, z_bar, name="y_bar")
    p.primal = p.loc = at(2, "    y = x * x")
    return p.returns(out, p.mul(y_bar, p.mul(2.0, x), name="x_bar"), structure=PAIR)


def test_comments() -> None:
    text = body_of(commented())
    lines = [
        re.sub(r"\s+#", "  #", line) if not line.strip().startswith("#") else line
        for line in text.splitlines()
    ]
    assert lines == [
        "def f_adjoint(x, out_bar):",
        "    # forward sweep",
        "    # the square",
        "    y = x * x",
        "    z = y + 1.0",
        "    # the last",
        "    # step",
        "    w = z * y  # beside",
        "    # reverse sweep",
        "    y_bar = out_bar * z  # w = z * y",
        "    z_bar = out_bar * y",
        "    y_bar += z_bar  # z = f('#', x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, ...",
        "    x_bar = y_bar * (2.0 * x)  # y = x * x",
        "    return w, x_bar",
    ]


def test_a_comment_above_the_return() -> None:
    p = Program()
    p.function.file = FILE
    p.function.comments = {5: ["# done"]}
    p.loc = at(4)
    y = p.mul(p.param("x"), 2.0, name="y")
    p.returns(y)
    assert "    y = x * 2.0\n    # done\n    return y\n" in body_of(p.function)
    p.function.reverse_at = 1
    assert "done" not in body_of(p.function)


def test_the_statement_is_named_again_behind_a_loop() -> None:
    p = Program("f_adjoint")
    x, out_bar = p.param("x"), p.param("out_bar")
    p.function.reverse_at = 0
    p.primal = at(2, "    y = x * x")
    a = p.mul(x, out_bar, name="a")
    with p.loop(p.range(2), [a], ["a"], item=None) as op:
        op.body.yields = [p.mul(op.body.params[1], x, name="a")]
    b = p.mul(op.results[0], 2.0, name="b")
    text = body_of(p.returns(0.0, b, structure=Structure("tuple", PAIR.items)))
    assert text.count("# y = x * x") == 3
    assert "# forward sweep" not in text


def test_documentation() -> None:
    p = Program()
    p.function.doc = "What it computes.\n\nx: a float"
    text = body_of(p.returns(p.param("x")))
    assert execute(text).__doc__.split() == ["What", "it", "computes.", "x:", "a", "float"]


def test_arrays_and_flags_in_one_program() -> None:
    p = Program()
    u = p.param("u", Array("float64", (None,)))
    flag = p.param("flag", BOOL)
    with p.branch(flag, ["w"], VECTOR) as op:
        with p.inside(op.then):
            op.then.yields = [p.mul(u, 2.0)]
        op.orelse.yields = [u]
    p.store(op.results[0], 0, 7.0)
    function = p.returns(op.results[0], u)
    for chosen in (True, False):
        found, given = execute(emit_module([function]))(np.ones(2), chosen)
        expected_found, expected_given = run(function, np.ones(2), chosen)
        assert np.array_equal(found, expected_found)
        assert np.array_equal(given, expected_given)
