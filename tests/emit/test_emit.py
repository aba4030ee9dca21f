"""Golden texts of small programs, which are run as well."""

from __future__ import annotations

import numpy as np
import pytest
from emit_building import BOOL, FLOAT, INT, PAIR, VECTOR, Program, body_of, check, execute, expected
from ir_interpreter import run

from s2sad.emit.module import emit_module
from s2sad.errors import CompilerError
from s2sad.ir.kinds import UNKNOWN, List
from s2sad.ir.nodes import LEAF, Call, Const, Function, If, Structure, Undef, Value

# --- folding


def worked() -> Function:
    p = Program("worked")
    w1, w2 = p.param("w1"), p.param("w2")
    v1 = p.call("numpy.log", w1, name="v1")
    v2 = p.mul(w2, v1, name="v2")
    return p.returns(p.add(v2, p.call("numpy.sqrt", v2)))


def test_unnamed_values_fold_and_named_ones_stay() -> None:
    golden = """
        def worked(w1, w2):
            v1 = np.log(w1)
            v2 = w2 * v1
            return v2 + np.sqrt(v2)
    """
    check(worked(), golden, 2.0, 3.0)


def test_style_ssa_has_one_operation_a_line() -> None:
    golden = """
        def worked(w1, w2):
            v1 = np.log(w1)
            v2 = w2 * v1
            v3 = np.sqrt(v2)
            v4 = v2 + v3
            return v4
    """
    assert body_of(worked(), style="ssa") == expected(golden)


def test_an_unknown_style_is_refused() -> None:
    with pytest.raises(CompilerError, match="no style 'terse'"):
        emit_module([worked()], style="terse")


def test_a_load_stays_before_a_store_that_changes_it() -> None:
    p = Program()
    u = p.param("u", VECTOR)
    old = p.load(u, 0)
    p.store(u, 0, 5.0)
    golden = """
        def f(u):
            v1 = u[0]
            u[0] = 5.0
            return v1 + u[0]
    """
    check(p.returns(p.add(old, p.load(u, 0))), golden, [1.0, 2.0])


def test_a_load_passes_a_store_into_other_memory() -> None:
    p = Program()
    u = p.param("u", VECTOR)
    w = p.call("numpy.zeros_like", u, name="w")
    old = p.load(u, 0)
    p.store(w, 0, 5.0)
    golden = """
        def f(u):
            w = np.zeros_like(u)
            w[0] = 5.0
            return u[0] + w[0]
    """
    check(p.returns(p.add(old, p.load(w, 0))), golden, np.array([1.0, 2.0]))


def test_a_window_reads_where_it_is_used() -> None:
    p = Program()
    u = p.param("u", VECTOR)
    inner = p.load(u, slice(1, None))
    p.store(u, 1, 5.0)
    golden = """
        def f(u):
            u[1] = 5.0
            return np.sum(u[1:])
    """
    check(p.returns(p.call("numpy.sum", inner)), golden, np.array([1.0, 2.0, 3.0]))


def test_what_may_be_a_copy_is_taken_before_the_store() -> None:
    p = Program()
    u = p.param("u", UNKNOWN)
    part = p.load(u, 0)  # a number or a row
    p.store(u, 0, 5.0)
    assert "v1 = u[0]\n    u[0] = 5.0\n    return v1" in body_of(p.returns(part))


def test_nothing_moves_past_an_effect() -> None:
    p = Program()
    x = p.param("x")
    quotient = p.call("operator.truediv", 1.0, x)
    p.call("s2sad.assert", p.less(0.0, x), "x must be positive")
    golden = """
        def f(x):
            v1 = 1.0 / x
            assert 0.0 < x, "x must be positive"
            return v1
    """
    check(p.returns(quotient), golden, 2.0)


def test_nothing_moves_past_a_new_binding_of_a_name_it_reads() -> None:
    p = Program()
    x = p.param("x")
    square = p.mul(x, x)
    p.add(x, 1.0, name="x")
    again = p.add(x, 2.0, name="x")
    text = body_of(p.returns(p.add(square, again)))
    assert "v1 = x * x" in text


def test_long_lines_keep_a_variable() -> None:
    p = Program()
    terms = [p.param(f"a_rather_long_parameter_{k}") for k in range(8)]
    total = terms[0]
    for term in terms[1:]:
        total = p.add(total, p.mul(term, term))
    function = p.returns(total)
    text = body_of(function)
    assert all(len(line) <= 100 for line in text.splitlines() if line.startswith(("    v", "    return")))
    assert execute(text)(*map(float, range(8))) == run(function, *map(float, range(8)))


def test_subscripts_are_written_out_wherever_they_are_used() -> None:
    p = Program()
    u, n = p.param("u", VECTOR), p.param("n", INT)
    with p.loop(p.range(n), [], []):
        window = p.call("builtins.slice", None, p.add(p.block.params[0], 1), None)
        p.store(u, window, p.mul(p.load(u, window), p.load(u, window)))
        p.store(u, p.add(p.block.params[0], 1), 0.5, "s2sad.additem")
    golden = """
        def f(u, n):
            for i in range(n):
                u[:i + 1] *= u[:i + 1]
                u[i + 1] += 0.5
    """
    function = p.returns(None)
    text = body_of(function)
    assert text == expected(golden)
    mine, other = np.arange(1.0, 5.0), np.arange(1.0, 5.0)
    execute(text)(mine, 3)
    run(function, other, 3)
    assert np.array_equal(mine, other)


# --- stores


@pytest.mark.parametrize(("operator", "symbol"), [("mul", "*="), ("truediv", "/="), ("add", "+=")])
def test_a_store_of_an_operation_on_the_same_place(operator: str, symbol: str) -> None:
    p = Program()
    u, x = p.param("u", VECTOR), p.param("x")
    p.store(u, 1, p.call(f"operator.{operator}", p.load(u, 1), x))
    p.store(u, slice(1, None), p.call(f"operator.{operator}", p.load(u, slice(1, None)), x))
    p.store(u, ..., p.call(f"operator.{operator}", u, x))
    text = body_of(p.returns(None))
    assert text.splitlines()[1:] == [f"    u[1] {symbol} x", f"    u[1:] {symbol} x", f"    u {symbol} x"]


def test_a_store_of_another_type_is_no_operation_in_place() -> None:
    p = Program()
    u = p.param("u", VECTOR.__class__("float32", (None,)))
    w = p.param("w", VECTOR)
    p.store(u, slice(None), p.mul(p.load(u, slice(None)), w))
    assert "u[:] = u[:] * w" in body_of(p.returns(None))


def test_a_store_whose_place_changed_meanwhile_is_no_operation_in_place() -> None:
    p = Program()
    u = p.param("u", VECTOR)
    old = p.load(u, 0)
    p.store(u, 0, 7.0)
    p.store(u, 0, p.mul(old, 3.0))
    assert "v1 = u[0]\n    u[0] = 7.0\n    u[0] = v1 * 3.0" in body_of(p.returns(None))


def test_an_array_in_a_list_is_replaced_not_changed() -> None:
    p = Program()
    items = p.param("items", List(VECTOR))
    p.store(items, 0, p.mul(p.load(items, 0), 2.0))
    assert "items[0] = items[0] * 2.0" in body_of(p.returns(None))


def test_whole_arrays_and_windows_change_in_place() -> None:
    p = Program()
    u, w = p.param("u", VECTOR), p.param("w", VECTOR)
    p.store(u, ..., w, "s2sad.additem")
    p.store(p.load(u, slice(1, None)), ..., 1.0, "s2sad.subitem")
    p.store(p.call("ndarray.T", u), ..., 2.0, "s2sad.additem")
    p.store(u, ..., 0.0)
    text = body_of(p.returns(None))
    lines = ["u += w", "u[1:] -= 1.0", "u.T[...] += 2.0", "u[...] = 0.0"]
    assert [line.strip() for line in text.splitlines()[1:]] == lines


def test_numbers_are_augmented_and_arrays_are_not() -> None:
    p = Program()
    x, u = p.param("x"), p.param("u", VECTOR)
    p.add(1.0, x, name="x")
    x = p.call("operator.sub", x, 1.0, name="x")
    u = p.add(u, 1.0, name="u")
    text = body_of(p.returns(x, u))
    assert "x -= 1.0" in text
    assert "u = u + 1.0" in text


# --- loops


def test_values_swap_places() -> None:
    p = Program()
    n = p.param("n", INT)
    with p.loop(p.range(n), [0.0, 1.0], ["a", "b"]) as op:
        _, a, b = op.body.params
        op.body.yields = [b, p.add(a, b)]
    golden = """
        def f(n):
            a = 0.0
            b = 1.0
            for i in range(n):
                a, b = b, a + b
            return a, b
    """
    check(p.returns(*op.results), golden, 9)


def test_a_rotation_is_one_assignment() -> None:
    p = Program()
    x, y, z = (p.param(name) for name in "xyz")
    with p.loop(p.range(4), [x, y, z], ["x", "y", "z"], item=None) as op:
        op.body.yields = [op.body.params[2], op.body.params[3], op.body.params[1]]
    golden = """
        def f(x, y, z):
            for _ in range(4):
                x, y, z = y, z, x
            return x, y, z
    """
    check(p.returns(*op.results), golden, 1.0, 2.0, 3.0)


def test_the_value_before_the_last_is_not_lost() -> None:
    p = Program()
    x = p.param("x")
    with p.loop(p.range(3), [x, 0.0], ["x", "old"], item=None) as op:
        _, current, _ = op.body.params
        op.body.yields = [p.mul(current, 2.0, name="x"), current]
    golden = """
        def f(x):
            old = 0.0
            for _ in range(3):
                old = x
                x *= 2.0
            return x, old
    """
    function = p.returns(*op.results)
    text = body_of(function)
    assert execute(text)(1.0) == run(function, 1.0) == (8.0, 4.0)
    assert "old" in expected(golden)


def test_a_parameter_that_is_read_later_keeps_its_value() -> None:
    p = Program()
    x = p.param("x")
    with p.loop(p.range(3), [x], ["x"], item=None) as op:
        op.body.yields = [p.mul(op.body.params[1], 2.0, name="x")]
    golden = """
        def f(x):
            x_1 = x
            for _ in range(3):
                x_1 *= 2.0
            return x_1 + x
    """
    check(p.returns(p.add(op.results[0], x)), golden, 1.5)


def test_values_with_different_names_are_copied() -> None:
    p = Program()
    a = p.param("a")
    with p.loop(p.range(2), [a], ["x"], item=None) as op:
        op.body.yields = [p.mul(op.body.params[1], 2.0, name="x")]
    golden = """
        def f(a):
            x = a
            for _ in range(2):
                x *= 2.0
            return x
    """
    check(p.returns(*op.results), golden, 1.5)


def test_nested_loops_share_their_variables() -> None:
    p = Program()
    n = p.param("n", INT)
    with p.loop(p.range(n), [0.0], ["total"]) as outer:
        i, total = outer.body.params
        with p.loop(p.range(i), [total], ["total"], item="j") as inner:
            j = inner.body.params[0]
            inner.body.yields = [p.add(inner.body.params[1], p.mul(i, j), name="total")]
        outer.body.yields = [p.add(inner.results[0], 1.0, name="total")]
    golden = """
        def f(n):
            total = 0.0
            for i in range(n):
                for j in range(i):
                    total += i * j
                total += 1.0
            return total
    """
    check(p.returns(*outer.results), golden, 5)


def test_a_copy_does_not_compute_with_what_came_after() -> None:
    p = Program()
    with p.loop(p.range(4), [1.0, 2.0], ["a", "c"], item=None) as op:
        _, a, c = op.body.params
        v = p.add(a, c)
        op.body.yields = [v, p.mul(c, a, name="c")]
    golden = """
        def f():
            a = 1.0
            c = 2.0
            for _ in range(4):
                v1 = a + c
                c *= a
                a = v1
            return a, c
    """
    check(p.returns(*op.results), golden)


def test_a_copy_does_not_compute_with_a_variable_that_was_bound_again() -> None:
    p = Program()
    with p.loop(p.range(4), [1.0, 2.0], ["a", "b"], item=None) as op:
        _, a, b = op.body.params
        v = p.add(a, p.mul(b, 2.0, name="x"))
        op.body.yields = [v, p.mul(a, 3.0, name="x")]
    function = p.returns(*op.results)
    assert execute(body_of(function))() == run(function)


def test_the_range_of_a_loop_is_that_of_the_old_value() -> None:
    p = Program()
    n = p.param("n", INT)
    with p.loop(p.range(n), [Const(7)], ["n"], item=None) as op:
        op.body.yields = [p.add(op.body.params[1], 1, name="n")]
    golden = """
        def f(n):
            n_1 = 7
            for _ in range(n):
                n_1 += 1
            return n_1
    """
    check(p.returns(*op.results), golden, 3)


def test_an_inner_loop_that_begins_with_an_outer_value_again() -> None:
    p = Program()
    x = p.param("x")
    with p.loop(p.range(3), [x, 0.0], ["x", "y"], item=None) as outer:
        _, start, total = outer.body.params
        with p.loop(p.range(2), [start], ["x"], item=None) as inner:
            inner.body.yields = [p.mul(inner.body.params[1], 2.0, name="x")]
        outer.body.yields = [p.add(start, 1.0, name="x"), p.add(total, inner.results[0], name="y")]
    function = p.returns(*outer.results)
    assert execute(body_of(function))(1.0) == run(function, 1.0) == (4.0, 24.0)


def test_an_item_that_is_read_after_the_loop() -> None:
    p = Program()
    with p.loop(p.range(3), [Const(-1)], ["i"]) as op:
        op.body.yields = [op.body.params[0]]
    function = p.returns(*op.results)
    assert execute(body_of(function))() == run(function) == 2


def test_what_nobody_reads_is_not_handed_over() -> None:
    p = Program()
    x = p.param("x")
    with p.loop(p.range(3), [x, Undef(), 1.0], ["x", "t", "unread"], item=None) as op:
        t = p.mul(op.body.params[1], 2.0, name="t")
        op.body.yields = [t, t, op.body.params[3]]
    golden = """
        def f(x):
            for _ in range(3):
                t = x * 2.0
                x = t
            return x
    """
    check(p.returns(op.results[0]), golden, 1.0)


def test_loops_that_the_user_did_not_write_count_with_i() -> None:
    p = Program()
    u = p.param("u", VECTOR)
    with p.loop(p.range(p.call("builtins.len", u)), [0.0], ["s"], item=None) as op:
        op.body.yields = [p.add(op.body.params[1], p.load(u, op.body.params[0]), name="s")]
    backwards = p.call("builtins.reversed", op.iterable)
    with p.loop(backwards, [op.results[0]], ["s"], item=None) as back:
        back.body.yields = [p.mul(back.body.params[1], p.load(u, back.body.params[0]), name="s")]
    golden = """
        def f(u):
            s = 0.0
            for i in range(len(u)):
                s += u[i]
            for i in reversed(range(len(u))):
                s *= u[i]
            return s
    """
    check(p.returns(*back.results), golden, np.array([2.0, 3.0]))


def test_the_order_of_items_that_nobody_looks_at_does_not_matter() -> None:
    p = Program()
    x = p.param("x")
    backwards = p.call("builtins.reversed", p.range(3))
    with p.loop(backwards, [x], ["x"], item="_") as op:
        op.body.yields = [p.mul(op.body.params[1], 2.0, name="x")]
    assert "for _ in range(3):" in body_of(p.returns(*op.results))


def test_a_while_loop_whose_test_is_an_expression() -> None:
    p = Program()
    a, tol = p.param("a"), p.param("tol", default=1e-12)
    op = p.while_loop([a], ["x"])
    with p.inside(op.test):
        x = op.test.params[0]
        op.test.yields = [
            p.call("operator.gt", p.call("builtins.abs", p.call("operator.sub", p.mul(x, x), a)), tol)
        ]
    with p.inside(op.body):
        x = op.body.params[0]
        op.body.yields = [p.mul(0.5, p.add(x, p.call("operator.truediv", a, x)))]
    p.append(op)
    golden = """
        def f(a, tol=1e-12):
            x = a
            while abs(x * x - a) > tol:
                x = 0.5 * (x + a / x)
            return x
    """
    check(p.returns(*op.results), golden, 2.0)


def test_a_while_loop_with_two_conditions() -> None:
    p = Program()
    x, n = p.param("x"), p.param("n", INT)
    op = p.while_loop([x, Const(0)], ["x", "k"])
    with p.inside(op.test):
        counting = p.less(op.test.params[1], n)
        with p.branch(counting, [None], BOOL) as both:
            with p.inside(both.then):
                both.then.yields = [p.less(op.test.params[0], 100.0)]
            both.orelse.yields = [counting]
        op.test.yields = both.results
    with p.inside(op.body):
        op.body.yields = [p.mul(op.body.params[0], 3.0, name="x"), p.add(op.body.params[1], 1, name="k")]
    p.append(op)
    golden = """
        def f(x, n):
            k = 0
            while k < n and x < 100.0:
                x *= 3.0
                k += 1
            return x, k
    """
    check(p.returns(*op.results), golden, 2.0, 10)


def test_a_while_loop_whose_test_takes_statements() -> None:
    p = Program()
    x = p.param("x")
    op = p.while_loop([x], ["x"])
    with p.inside(op.test):
        y = p.mul(op.test.params[0], 2.0, name="y")
        op.test.yields = [p.less(p.mul(y, y), 50.0)]
    with p.inside(op.body):
        op.body.yields = [p.add(op.body.params[0], 1.0, name="x")]
    p.append(op)
    golden = """
        def f(x):
            while True:
                y = x * 2.0
                if not y * y < 50.0:
                    break
                x += 1.0
            return x
    """
    check(p.returns(*op.results), golden, 1.0)


def test_a_loop_that_ends_after_an_iteration() -> None:
    p = Program()
    n = p.param("n", INT)
    with p.loop(p.range(n), [1.0], ["x"], item=None) as op:
        new = p.mul(op.body.params[1], 2.0, name="x")
        op.breaks = True
        op.body.yields = [p.less(10.0, new), new]
    golden = """
        def f(n):
            x = 1.0
            for _ in range(n):
                x *= 2.0
                if 10.0 < x:
                    break
            return x
    """
    check(p.returns(*op.results), golden, 10)


def test_a_flag_that_reads_what_the_next_iteration_overwrites() -> None:
    p = Program()
    x = p.param("x")
    with p.loop(p.range(50), [x], ["x"], item=None) as op:
        old = op.body.params[1]
        new = p.mul(0.5, old, name="x")
        op.breaks = True
        op.body.yields = [p.less(p.call("operator.sub", old, new), 1e-3), new]
    function = p.returns(*op.results)
    assert execute(body_of(function))(1.0) == run(function, 1.0)


def test_a_flag_that_is_known_early_is_kept() -> None:
    p = Program()
    x = p.param("x")
    with p.loop(p.range(5), [x], ["x"], item=None) as op:
        value = op.body.params[1]
        flag = p.less(5.0, value, name="c")
        other = p.less(value, 5.0, name="c")
        p.call("builtins.bool", other)
        op.breaks = True
        op.body.yields = [flag, p.mul(value, 2.0, name="x")]
    function = p.returns(*op.results)
    for style in ("compact", "ssa"):
        assert execute(body_of(function, style=style))(1.0) == run(function, 1.0) == 16.0


def test_a_flag_that_is_carried_itself() -> None:
    p = Program()
    x = p.param("x")
    with p.loop(p.range(5), [x, 0.0], ["x", "stop"], item=None) as op:
        _, value, stop = op.body.params
        op.breaks = True
        op.body.yields = [stop, p.mul(value, 2.0, name="x"), value]
    function = p.returns(*op.results)
    for start in (0.0, 1.0):
        assert execute(body_of(function))(start) == run(function, start)


# --- branches


def test_branches_merge_under_the_users_name() -> None:
    p = Program()
    x = p.param("x")
    with p.branch(p.less(x, 0.0), ["y"]) as op:
        with p.inside(op.then):
            op.then.yields = [p.mul(x, x)]
        op.orelse.yields = [Const(1.0)]
    golden = """
        def f(x):
            if x < 0.0:
                y = x * x
            else:
                y = 1.0
            return y
    """
    check(p.returns(*op.results), golden, -2.0)


def test_a_merged_value_that_is_still_needed_is_copied() -> None:
    p = Program()
    x, y = p.param("x"), p.param("y")
    with p.branch(p.less(x, y), ["x"]) as op:
        op.then.yields = [y]
        op.orelse.yields = [x]
    golden = """
        def f(x, y):
            if x < y:
                x_1 = y
            else:
                x_1 = x
            return x_1 + x * y
    """
    check(p.returns(p.add(op.results[0], p.mul(x, y))), golden, 1.0, 2.0)


def test_an_empty_branch_and_a_chain() -> None:
    p = Program()
    x = p.param("x")
    with p.branch(p.less(x, 0.0), ["x"]) as op:
        op.then.yields = [x]
        with p.inside(op.orelse):
            with p.branch(p.less(x, 1.0), ["x"]) as second:
                with p.inside(second.then):
                    second.then.yields = [p.mul(x, 2.0, name="x")]
                with p.inside(second.orelse):
                    second.orelse.yields = [p.mul(x, 3.0, name="x")]
            op.orelse.yields = second.results
    with p.branch(p.less(5.0, op.results[0]), ["x"]) as last:
        with p.inside(last.then):
            last.then.yields = [p.add(op.results[0], 1.0, name="x")]
        with p.inside(last.orelse):
            with p.branch(p.less(4.0, op.results[0]), ["x"]) as third:
                with p.inside(third.then):
                    third.then.yields = [p.add(op.results[0], 2.0, name="x")]
                third.orelse.yields = [op.results[0]]
            last.orelse.yields = third.results
    golden = """
        def f(x):
            if not x < 0.0:
                if x < 1.0:
                    x *= 2.0
                else:
                    x *= 3.0
            if 5.0 < x:
                x += 1.0
            elif 4.0 < x:
                x += 2.0
            return x
    """
    for start in (-1.0, 0.5, 1.5, 2.0):
        check(p.returns(*last.results), golden, start)


def test_a_choice_is_an_expression() -> None:
    p = Program()
    x = p.param("x")
    with p.branch(p.less(x, 0.0), [None]) as op:
        with p.inside(op.then):
            op.then.yields = [p.call("operator.neg", x)]
        op.orelse.yields = [x]
    golden = """
        def f(x):
            return 1.0 + (-x if x < 0.0 else x)
    """
    check(p.returns(p.add(1.0, op.results[0])), golden, -3.0)


def test_a_choice_does_not_move_past_a_store_that_one_arm_reads() -> None:
    p = Program()
    x, u = p.param("x"), p.param("u", VECTOR)
    with p.branch(p.less(x, 0.0), [None]) as op:
        with p.inside(op.then):
            op.then.yields = [p.load(u, 0)]
        op.orelse.yields = [x]
    p.store(u, 0, 9.0)
    function = p.returns(p.add(1.0, op.results[0]))
    assert execute(body_of(function))(-1.0, [5.0]) == run(function, -1.0, [5.0]) == 6.0


def test_a_value_that_only_one_path_binds() -> None:
    p = Program()
    x = p.param("x")
    positive = p.less(0.0, x, name="positive")
    with p.branch(positive, ["root"]) as op:
        with p.inside(op.then):
            op.then.yields = [p.call("math.sqrt", x, name="root")]
        op.orelse.yields = [Undef()]
    with p.branch(positive, ["y"]) as second:
        with p.inside(second.then):
            second.then.yields = [p.mul(op.results[0], 2.0, name="y")]
        second.orelse.yields = [Const(0.0)]
    golden = """
        def f(x):
            positive = 0.0 < x
            if positive:
                root = math.sqrt(x)
            if positive:
                y = root * 2.0
            else:
                y = 0.0
            return y
    """
    check(p.returns(*second.results), golden, 4.0)


def test_a_branch_that_does_nothing_is_not_printed() -> None:
    p = Program()
    x = p.param("x")
    p.append(If(cond=p.less(x, 0.0)))
    assert body_of(p.returns(x)) == "def f(x):\n    return x\n"


# --- calls


def test_users_functions_and_their_structures() -> None:
    q = Program("helper")
    s, t = q.param("s"), q.param("t")
    nested = Structure("tuple", (LEAF, Structure("tuple", (LEAF, LEAF))))
    helper = q.returns(q.mul(s, t), s, t, structure=nested)
    p = Program()
    x = p.param("x")
    a, b, c = p.call_function(helper, [x, p.add(x, 1.0)], [FLOAT] * 3)
    a.name, b.name = "a", "b"
    del c
    golden = """
        def f(x):
            a, (b, _) = helper(x, x + 1.0)
            return a + b
    """
    check(p.returns(p.add(a, b)), golden, 2.0, callees=(helper,))


def test_results_in_a_dictionary() -> None:
    q = Program("helper")
    s = q.param("s")
    helper = q.returns(q.mul(s, s), s, structure=Structure("dict", (LEAF, LEAF), ("square", "same")))
    p = Program()
    x = p.param("x")
    square, same = p.call_function(helper, [x], [FLOAT, FLOAT])
    function = p.returns(p.add(square, same), structure=Structure("dict", (LEAF,), ("y",)))
    text = emit_module([helper, function])
    assert execute(text)(3.0) == {"y": 12.0}


def test_pure_functions_fold_and_others_do_not() -> None:
    q = Program("double")
    pure = q.returns(q.mul(q.param("s"), 2.0))
    r = Program("speak")
    value = r.param("s")
    r.call("builtins.print", value)
    loud = r.returns(value)
    p = Program()
    x = p.param("x")
    (a,) = p.call_function(pure, [x], [FLOAT])
    (b,) = p.call_function(loud, [x], [FLOAT])
    text = emit_module([pure, loud, p.returns(p.add(a, b))])
    assert "v1 = double(x)\n    v2 = speak(x)\n    return v1 + v2" in text


def test_tuples_lists_dictionaries_and_text() -> None:
    p = Program()
    x, y = p.param("x"), p.param("y")
    a, b = p.unpack(p.call("builtins.tuple", x, y), [FLOAT, FLOAT])
    a.name = "a"
    del b
    items = p.call("builtins.list", a, y, name="items")
    p.call("list.append", items, p.mul(a, 2.0))
    last = p.call("list.pop", items, name="last")
    p.call("builtins.print", p.call("s2sad.fstring", "last {is} ", last, "!"))
    table = p.call("s2sad.dict", Const(("k", 2)), last, items)
    text = body_of(p.returns(table, p.call("s2sad.items", a, 1)))
    golden = """
        def f(x, y):
            a, _ = x, y
            items = [a, y]
            items.append(a * 2.0)
            last = items.pop()
            print(f"last {{is}} {last}!")
            return {"k": last, 2: items}, [a, 1]
    """
    assert text == expected(golden)
    assert execute(text)(1.0, 2.0) == ({"k": 2.0, 2: [1.0, 2.0]}, [1.0, 1])


def test_operators_methods_and_attributes() -> None:
    p = Program()
    u, x = p.param("u", VECTOR), p.param("x")
    inside = p.call("operator.not_", p.call("operator.contains", p.call("builtins.list", x), 2.0))
    p.call("builtins.print", inside)
    cast = p.call("ndarray.astype", p.call("ndarray.T", u), "float32")
    powers = p.call("operator.pow", p.call("operator.neg", x), 2)
    solved = p.call("numpy.linalg.norm", cast, axis=0)
    golden = """
        def f(u, x):
            print(2.0 not in [x])
            return np.linalg.norm(u.T.astype("float32"), axis=0), (-x)**2, x**-1.0
    """
    assert body_of(p.returns(solved, powers, p.call("operator.pow", x, -1.0))) == expected(golden)


def test_an_exception_is_raised_where_it_is_made() -> None:
    p = Program()
    x = p.param("x")
    with p.branch(p.less(x, 0.0), []) as op, p.inside(op.then):
        message = p.call("s2sad.fstring", "negative: ", x)
        error = Call(target="ValueError", args=[message], results=[Value(UNKNOWN)])
        p.append(error)
        p.call("s2sad.raise", error.result)
    text = body_of(p.returns(x))
    assert 'raise ValueError(f"negative: {x}")' in text
    with pytest.raises(ValueError, match="negative: -1.0"):
        execute(text)(-1.0)


def test_what_a_tape_restores_is_stored_at_once() -> None:
    p = Program()
    u, tape = p.param("u", VECTOR), p.param("tape", List(FLOAT))
    p.store(u, 0, p.call("list.pop", tape))
    size = p.call("builtins.len", tape)
    p.store(u, size, p.call("list.pop", tape))
    golden = """
        def f(u, tape):
            u[0] = tape.pop()
            v1 = len(tape)
            u[v1] = tape.pop()
            return u
    """
    check(p.returns(u), golden, [1.0, 2.0, 3.0], [4.0, 5.0])


def test_tapes_of_temporaries_are_called_after_them() -> None:
    p = Program()
    x = p.param("x")
    tape = p.call("builtins.list", name="v_tape")
    with p.loop(p.range(3), [x], ["x"], item=None) as op:
        square = p.mul(op.body.params[1], op.body.params[1])
        p.call("list.append", tape, square)
        op.body.yields = [p.add(square, 1.0, name="x")]
    with p.loop(p.range(3), [0.0], ["s"], item=None) as back:
        popped = p.call("list.pop", tape)
        popped.kind = FLOAT
        back.body.yields = [p.add(back.body.params[1], p.mul(popped, popped), name="s")]
    golden = """
        def f(x):
            v1_tape = []
            for _ in range(3):
                v1 = x * x
                v1_tape.append(v1)
                x = v1 + 1.0
            s = 0.0
            for _ in range(3):
                v1 = v1_tape.pop()
                s += v1 * v1
            return s
    """
    check(p.returns(*back.results), golden, 1.0)


def test_pushes_come_before_their_name_is_bound_again() -> None:
    p = Program()
    a = p.param("a")
    tape = p.call("builtins.list", name="x_tape")
    with p.loop(p.range(3), [a], ["x"], item=None) as op:
        x = op.body.params[1]
        op.body.yields = [p.mul(x, 2.0, name="x")]
        p.call("list.append", tape, x)
    golden = """
        def f(a):
            x_tape = []
            x = a
            for _ in range(3):
                x_tape.append(x)
                x *= 2.0
            return x, x_tape
    """
    check(p.returns(op.results[0], tape), golden, 1.0)


def test_pushes_stay_behind_other_uses_of_their_tape() -> None:
    p = Program()
    x, tape = p.param("x"), p.param("tape", List(FLOAT))
    new = p.mul(x, 2.0, name="x")
    count = p.call("builtins.len", tape, name="count")
    p.call("list.append", tape, x)
    function = p.returns(new, count)
    assert execute(body_of(function))(1.0, []) == run(function, 1.0, []) == (2.0, 0)


def test_signatures() -> None:
    p = Program()
    x = p.param("x")
    p.param("n", INT, default=3)
    p.param("must")
    p.param("last", default=2.0)
    p.param("scale", default=-0.5, keyword_only=True)
    p.param("flag", BOOL, keyword_only=True)
    assert body_of(p.returns(x)).startswith("def f(x, n, must, last=2.0, *, scale=-0.5, flag):\n")


def test_structures_of_results() -> None:
    p = Program()
    x = p.param("x")
    shape = Structure(
        "tuple", (Structure("list", (LEAF, LEAF)), Structure("dict", (LEAF,), ("k",)), Structure("tuple", ()))
    )
    function = p.returns(x, 1.0, None, structure=shape)
    assert execute(body_of(function))(2.0) == ([2.0, 1.0], {"k": None}, ())


def test_a_function_without_a_result() -> None:
    p = Program()
    p.param("x")
    assert body_of(p.returns(None)) == "def f(x):\n    pass\n"


def test_adjoints_name_their_result_and_free_the_users_name() -> None:
    p = Program("f_adjoint")
    x, out_bar = p.param("x"), p.param("out_bar", default=1.0)
    tape = p.call("builtins.list", name="x_tape")
    p.call("list.append", tape, x)
    final = p.mul(x, x, name="x")
    p.function.reverse_at = len(p.block.ops)
    old = p.call("list.pop", tape, name="x")
    golden = """
        def f_adjoint(x, out_bar=1.0):
            # forward sweep
            x_tape = []
            x_tape.append(x)
            x *= x
            out = x
            # reverse sweep
            x = x_tape.pop()
            return out, out_bar * x
    """
    check(p.returns(final, p.mul(out_bar, old), structure=PAIR), golden, 3.0, 2.0)
