"""Channels through which a number could pass unseen: text, keys, objects, built-in functions that see the names around them."""
# ruff: noqa: PLW0603, RUF015, UP031  (what people post)

import ast
import functools
import io
import json
import math
import operator
import os
import pickle
import struct
import types
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from verdicts import assert_refused, assert_right

G = 0.0


def _setg(v):
    globals()["G"] = v


class OO:
    k = 0.0

    def __init__(self, v):
        self.v = v


def _fn():
    return 1.0


MOD = types.ModuleType("mm")
MOD.k = 0.0


NS = types.SimpleNamespace(k=0.0)


class E(Exception):
    def __init__(self, v):
        self.v = v


LL = []


DD = {}


AA = np.zeros(3)


def with_fsum(x):
    return math.fsum(x) * x[0]


def with_popitem(s):
    d = {"a": s, "b": s * s}
    k, v = d.popitem()
    return v * d["a"]


def with_popitem_comp(s):
    d = {}
    for i in range(3):
        d[i] = s * i
    k, v = d.popitem()
    return v * k


def with_enum_index(x):
    l = list(x)
    return l.index(l[1]) * x[0] + x[1]


def with_setattr(s):
    o = OO(s)
    setattr(o, "v", s * s)
    return o.v


def with_attrset(s):
    o = OO(s)
    object.__setattr__(o, "v", s * s)
    return o.v


def with_bound_append(s):
    l = [s]
    push = l.append
    push(s * s)
    return sum(l)


def with_tolist(x):
    l = x.tolist()
    return l[0] * l[1]


def with_view_same(x):
    return np.sum(x.view() * x)


def with_fromiter(x):
    return np.sum(np.fromiter((a * a for a in x), float))


def with_eval(s):
    return eval("s * s")


def with_eval2(s):
    t = s * s
    return eval("t", {"t": t})


def with_exec(s):
    ns = {}
    exec("r = s * s", {"s": s}, ns)
    return ns["r"]


def with_exec2(s):
    r = s
    exec("r = s * s")
    return r


def with_locals(s):
    t = s * s
    return locals()["t"]


def with_locals_set(s):
    t = s * s
    locals()["t"] = 1.0
    return t


def with_globals_set(s):
    globals()["G"] = s * s
    return G


def with_globals_get(s):
    globals()["G"] = s * s
    return globals()["G"]


def with_globals_set_helper(s):
    _setg(s * s)
    return G + s


def with_globals_update(s):
    globals().update(G=s * s)
    return G


def with_vars_set(s):
    o = OO(s)
    vars(o)["v"] = s * s
    return o.v


def with_dict_set(s):
    o = OO(s)
    o.__dict__["v"] = s * s
    return o.v


def with_setattr_comp(s):
    o = OO(s)
    for n in ("v", "w"):
        setattr(o, n, s * s)
    return o.v + o.w


def with_setattr_class(s):
    OO.k = s * s
    return OO.k


def with_setattr_class2(s):
    setattr(OO, "k", s * s)
    return OO(s).k


def with_setattr_func(s):
    def f():
        return 1.0

    f.v = s * s
    return f.v


def with_setattr_mod(s):
    MOD.k = s * s
    return MOD.k


def with_setattr_mod2(s):
    setattr(MOD, "k", s * s)
    return MOD.k


def with_set_ns(s):
    NS.k = s * s
    return NS.k


def with_float_str(s):
    return float(str(s))


def with_float_repr(s):
    return float(repr(s)) * s


def with_float_fmt(s):
    return float(f"{s!r}") * s


def with_float_fmt2(s):
    return float(f"{s:.17g}") * s


def with_float_pct(s):
    return float("%r" % s) * s


def with_float_pct2(s):
    return float("%.17g" % s) * s


def with_float_format(s):
    return float(f"{s}") * s


def with_float_format2(s):
    return float(format(s, ".17g")) * s


def with_float_hex(s):
    return float.fromhex(s.hex()) * s


def with_eval_repr(s):
    return eval(repr(s)) * s


def with_literal(s):
    return ast.literal_eval(repr(s)) * s


def with_np_fromstring(s):
    return np.fromstring(str(s), sep=" ")[0] * s


def with_np_float_str(s):
    return np.float64(str(s)) * s


def with_np_array_str(s):
    return float(np.array([str(s)]).astype(float)[0]) * s


def with_np_array_str2(s):
    return float(np.array(str(s)).astype(float)) * s


def with_complex_str(s):
    return complex(str(s)).real * s


def with_decimal(s):
    return float(Decimal(s)) * s


def with_fraction(s):
    return float(Fraction(s)) * s


def with_int_ratio(s):
    a, b = s.as_integer_ratio()
    return a / b * s


def with_struct(s):
    return struct.unpack("d", struct.pack("d", s))[0] * s


def with_json(s):
    return json.loads(json.dumps(s)) * s


def with_pickle(s):
    return pickle.loads(pickle.dumps(s)) * s


def with_tobytes(x):
    return np.sum(np.frombuffer(x.tobytes()) * x)


def with_view_int(x):
    return np.sum(x.view(np.int64).view(np.float64) * x)


def with_data(x):
    return np.sum(np.frombuffer(x.data) * x)


def with_memoryview(x):
    return memoryview(x)[0] * x[0]


def with_asobj(x):
    return np.sum(x.astype(object) * x)


def with_asstr(x):
    return np.sum(x.astype(str).astype(float) * x)


def with_hash(s):
    return hash(s) * s


def with_popitem_active(s):
    d = {}
    for i in range(2):
        d[s * i] = s
    k, v = d.popitem()
    return k * v


def with_popitem_active2(s):
    d = {s: 2.0}
    k, v = d.popitem()
    return k * v


def with_next_iter_key(s):
    d = {s: 2.0}
    return next(iter(d)) * s


def with_string_key(s):
    d = {str(s): s}
    return float(list(d)[0]) * s


def with_stringio(s):
    f = io.StringIO()
    f.write(str(s))
    return float(f.getvalue()) * s


def with_environ(s):
    os.environ["X_TMP"] = str(s)
    return float(os.environ["X_TMP"]) * s


def with_split(s):
    return float(str(s).split()[0]) * s


def with_join(s):
    return float("".join([str(s)])) * s


def with_strip(s):
    return float((" " + str(s)).strip()) * s


def with_replace(s):
    return float(str(s).replace("x", "")) * s


def with_encode(s):
    return float(str(s).encode().decode()) * s


def with_chained_text(s):
    a = f"{s}"
    b = a + "1"
    return float(b) * s


def with_text_list(s):
    return sum(float(t) for t in f"{s} {2 * s}".split()) * s


def with_genfromtxt(s):
    return np.genfromtxt([str(s)]) * s


def with_sum_str(x):
    return sum(map(float, map(str, x))) * x[0]


def with_except_str(s):
    try:
        raise ValueError(s)
    except ValueError as e:
        return float(str(e)) * s


def with_except_arg(s):
    try:
        raise ValueError(s * s)
    except ValueError as e:
        return e.args[0] * s


def with_global_stmt(s):
    global G
    G = s * s
    return G


def with_global_list(s):
    LL.append(s * s)
    return LL[-1] * s


def with_global_dict(s):
    DD["a"] = s * s
    return DD["a"]


def with_global_arr(s):
    AA[0] = s * s
    return AA[0]


def with_partialmethod(s):
    f = functools.partial(setattr, NS)
    f("k", s * s)
    return NS.k


def with_iadd(x):
    y = x * 1.0
    operator.iadd(y, x)
    return np.sum(y * x)


def with_delitem(s):
    l = [s, 2 * s]
    operator.delitem(l, 0)
    return l[0] * s


RIGHT = [
    with_global_stmt,
    with_global_list,
    with_global_arr,
    with_vars_set,
    with_dict_set,
    with_global_dict,
    with_setattr_comp,
    with_fsum,
    with_popitem,
    with_popitem_comp,
    with_enum_index,
    with_setattr,
    with_attrset,
    with_bound_append,
    with_tolist,
    with_view_same,
    with_fromiter,
    with_setattr_class,
    with_set_ns,
    with_partialmethod,
    with_except_arg,
]
REFUSED = [
    with_eval,
    with_eval2,
    with_exec,
    with_exec2,
    with_locals,
    with_locals_set,
    with_globals_set,
    with_globals_get,
    with_globals_set_helper,
    with_globals_update,
    with_setattr_class2,
    with_setattr_func,
    with_setattr_mod,
    with_setattr_mod2,
    with_float_str,
    with_float_repr,
    with_float_fmt,
    with_float_fmt2,
    with_float_pct,
    with_float_pct2,
    with_float_format,
    with_float_format2,
    with_float_hex,
    with_eval_repr,
    with_literal,
    with_np_fromstring,
    with_np_float_str,
    with_np_array_str,
    with_np_array_str2,
    with_complex_str,
    with_decimal,
    with_fraction,
    with_int_ratio,
    with_struct,
    with_json,
    with_pickle,
    with_tobytes,
    with_view_int,
    with_data,
    with_memoryview,
    with_asobj,
    with_asstr,
    with_hash,
    with_popitem_active,
    with_popitem_active2,
    with_next_iter_key,
    with_string_key,
    with_stringio,
    with_environ,
    with_split,
    with_join,
    with_strip,
    with_replace,
    with_encode,
    with_chained_text,
    with_text_list,
    with_genfromtxt,
    with_sum_str,
    with_except_str,
    with_iadd,
    with_delitem,
]


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_is_right(function):
    assert_right(function)


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
@pytest.mark.parametrize("mode", ["tangent", "adjoint"])
def test_is_refused(function, mode):
    assert_refused(function, mode)
