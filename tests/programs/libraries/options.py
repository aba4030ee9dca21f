"""Options by flags, defaults and keywords, `*args` and `**kwargs` passed on; results that depend on a known flag."""

import functools
import math
from dataclasses import dataclass, field

import numpy as np


def smooth_filter(v, return_all=False, normalise=True):
    y = np.convolve(v, [0.25, 0.5, 0.25], mode="same")
    if normalise:
        y = y / np.sum(v)
    if return_all:
        return y, v, {"normalised": normalise}
    return y


def without_return_all(x):
    return np.sum(smooth_filter(x) ** 2)


def with_return_all(x):
    y, raw, info = smooth_filter(x, return_all=True, normalise=False)
    return np.sum(y * raw) if not info["normalised"] else 0.0


def solve(f, x0, *args, tol=1e-6, full_output=False, **kwargs):
    v = x0
    for k in range(4):
        v = f(v, *args, **kwargs)
    return (v, {"iterations": k + 1}) if full_output else v


def arguments_are_passed_on(s):
    return solve(lambda v, a, b=1.0: 0.5 * (v + a / v) * b, 1.0, s)


def keywords_are_passed_on(s):
    v, info = solve(lambda v, a, b: 0.5 * (v + a / v) * b, 1.0, s, b=1.01, full_output=True)
    return v * info["iterations"]


def variadic_sum(*args):
    total = 0.0
    for a in args:
        total = total + a * a
    return total


def counts_its_arguments(s):
    return variadic_sum(s, 2.0, s * s) + variadic_sum(*[s, s])


def merge(**options):
    settings = {"rate": 1.0, "power": 2, **options}
    return settings


def settings_are_merged(s):
    opts = merge(rate=s)
    return opts["rate"] ** opts["power"]


def settings_by_name(s, method="quadratic"):
    methods = {"linear": lambda v: v, "quadratic": lambda v: v * v, "sine": math.sin}
    return methods[method](s)


def a_default_that_is_none(x, weights=None):
    if weights is None:
        weights = np.ones_like(x) / len(x)
    return np.sum(weights * x**2)


def an_axis_by_option(x, axis=None):
    m = np.outer(x, x)
    r = np.sum(m, axis=axis) if axis is not None else np.sum(m)
    return np.sum(r)


def a_mode_by_text(x, mode="reflect"):
    if mode == "reflect":
        padded = np.concatenate([x[:1], x, x[-1:]])
    elif mode == "wrap":
        padded = np.concatenate([x[-1:], x, x[:1]])
    else:
        raise ValueError(f"unknown mode {mode!r}")
    return np.sum(padded[2:] * padded[:-2])


def checks_its_input(x):
    x = np.asarray(x, dtype=float)
    if x.ndim != 1:
        raise ValueError("one axis, please")
    if not np.all(np.isfinite(x)):
        raise ValueError("finite numbers, please")
    return np.sum(np.log(x))


def a_dead_branch(x, normed=False, pdf=3.0):
    if normed and len(np.shape(pdf)) > 0:
        return np.sum(x / pdf[0])
    return np.sum(x * pdf)


@dataclass
class Options:
    rate: float = 0.1
    steps: int = 3
    nesterov: bool = False
    history: list = field(default_factory=list)


def a_dataclass_of_options(s):
    opt = Options(rate=s * 0.1, nesterov=True)
    w, v = 1.0, 0.0
    for _ in range(opt.steps):
        v = 0.9 * v - opt.rate * w
        w = w + (0.9 * v - opt.rate * w if opt.nesterov else v)
    return w


def timed(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        result = f(*args, **kwargs)
        return result

    return wrapper


def scaled(factor):
    def decorate(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            return factor * f(*args, **kwargs)

        return wrapper

    return decorate


@timed
def decorated(s):
    return s * s + 1.0


@scaled(3.0)
def decorated_with_arguments(s):
    return math.exp(s) * s


@timed
@scaled(0.5)
def decorated_twice(x):
    return np.sum(x**3)


def a_partial(s):
    f = functools.partial(pow_of, power=3)
    return f(s) + f(2.0, power=s)


def pow_of(base, power):
    return base**power


def reduce_with_a_function(x):
    return functools.reduce(lambda a, b: a * b + 1.0, [x[0], x[1], x[2]])


def composed(*functions):
    def run(v):
        for f in functions:
            v = f(v)
        return v

    return run


def a_pipeline(s):
    return composed(math.sin, lambda v: v * 2.0, np.exp)(s)


def a_pipeline_with_a_conditional_stage(s, twice=True):
    stages = [math.sin, math.exp]
    if twice:
        stages = stages + [math.sin]
    for f in stages:
        s = f(s)
    return s


def unpacks_a_tuple_of_options(s):
    rate, (low, high) = 0.3, (0.0, 2.0)
    return min(max(s * rate, low), high) * s


def keyword_only(v, *, scale=1.0, shift=0.0):
    return np.sum(v * scale + shift)


def calls_keyword_only(s):
    return keyword_only(np.ones(3) * s, scale=s, shift=s)


def swapped_keywords(s):
    return pow_of(power=2.0, base=s)


def returns_a_dict(v, full=True):
    out = {"sum": np.sum(v)}
    if full:
        out["norm"] = np.sqrt(np.sum(v * v))
    return out


def reads_a_dict_of_results(x):
    r = returns_a_dict(x)
    return r["sum"] * r["norm"] if "norm" in r else r["sum"]


def get_with_a_default(s):
    opts = {"a": s}
    return opts.get("a", 1.0) * opts.get("b", 2.0) + opts.setdefault("c", s)


def pops_an_option(s):
    opts = {"scale": s, "shift": 1.0}
    scale = opts.pop("scale", 1.0)
    return scale * s + sum(opts.values())


def verbosity(s, verbose=0):
    trace = []
    for k in range(3):
        s = s * 1.1
        if verbose > 1:
            trace.append(s)
    return s + len(trace)


def dispatch_on_the_type(v):
    if isinstance(v, (list, tuple)):
        return sum(dispatch_on_the_type(item) for item in v)
    if isinstance(v, dict):
        return sum(dispatch_on_the_type(item) for item in v.values())
    return v * v


def a_tree_of_parameters(s):
    return dispatch_on_the_type({"a": s, "b": [s, 2.0 * s], "c": (s, {"d": s})})


def broadcast_options(x, scale=2.0, offset=(1.0, 2.0, 3.0)):
    return np.sum(scale * x * np.array(offset))


def an_enumeration_of_names(s):
    total = 0.0
    for k, name in enumerate(("sin", "cos", "exp")):
        total += getattr(math, name)(s) * (k + 1)
    return total


def early_exits(s):
    if s < 0:
        return -s
    if s < 1:
        return s
    if s < 2:
        return s * s
    return 2.0 * s


def assertion_of_a_shape(x):
    assert x.shape == (3,), "three numbers"
    return np.sum(x * np.arange(3.0))


def a_chain_of_comparisons(s):
    return s * s if 0.0 < s <= 2.0 else s


def optional_pair(s, pair=None):
    a, b = pair or (s, 2.0)
    return a**b


def flags_in_a_set(s):
    flags = {"square", "shift"}
    if "square" in flags:
        s = s * s
    if "scale" in flags:
        s = s * 100.0
    return s + (1.0 if "shift" in flags else 0.0)


def a_string_of_operations(s):
    for op in "+*-":
        if op == "+":
            s = s + 1.0
        elif op == "*":
            s = s * s
        else:
            s = s - 0.5
    return s
