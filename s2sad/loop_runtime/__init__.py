"""The functions that programs for compilation call besides NumPy and ``math``, compiled, too. Imports NumPy and Numba alone.

The meaning is Python's and NumPy's. Where compiled code would silently do something else (integers of Python that outgrow 64
bits, a division by zero that Python refuses), an exception stops it; whoever called it runs the program by NumPy then
(``s2sad.native``), which gives the right result or the right error.
"""

from __future__ import annotations

import functools
import math
import types
import warnings
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import prange as prange  # of loops whose iterations are independent
from numba.extending import intrinsic, overload

# Indices go by ``at`` where they are not known to lie within. Divisions of NumPy's numbers by zero are infinite; Python's go
# by ``quotient``.
SETTINGS: dict[str, Any] = {"error_model": "numpy", "boundscheck": False}
# Loops over ``prange`` alone: Numba would take apart what is called of NumPy, too.
LOOPS_ALONE = {"prange": True} | dict.fromkeys(
    ("comprehension", "reduction", "inplace_binop", "setitem", "numpy", "stencil", "fusion"), False
)
# Not nnan and ninf: slopes tell infinities and NaNs from numbers.
ANY_ORDER = {"reassoc", "contract", "arcp", "nsz", "afn"}


READONLY = "readonly "
PYTHONS = {"float64": (float, np.float64), "bool": (bool, np.bool_), "complex128": (complex, np.complex128)}


def compiled(function: Callable[..., Any] | None = None, *, parallel: bool = False, fastmath: bool = False) -> Any:
    """A function to be compiled when it is called first, for the types that it is called with; or, of settings, what makes one.

    What Numba says of generated code (that it is slow here, or will be another in later versions) is no concern of its users.
    """
    if function is None:
        return functools.partial(compiled, parallel=parallel, fastmath=fastmath)
    function.__code__ = _told_apart(function.__code__)
    given = SETTINGS | ({"parallel": LOOPS_ALONE} if parallel else {}) | ({"fastmath": ANY_ORDER} if fastmath else {})
    machine: Any = numba.njit(**given)(function)
    made = machine.compile

    def quietly(signature: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", numba.errors.NumbaWarning)
            return made(signature)

    machine.compile = quietly
    return machine


def _told_apart(code: types.CodeType) -> types.CodeType:
    """The same code with no variable whose name ends with a digit: Numba puts a number behind names, and takes what it loads of
    ``v1`` at 1938 for what it loads of ``v11`` at 938."""
    names = set(code.co_varnames)

    def told(name: str) -> str:
        while name[-1].isdigit() or (name.endswith("_") and name in names):
            name += "_"
        return name

    return code.replace(co_varnames=tuple(told(n) if n[-1].isdigit() else n for n in code.co_varnames))


def by_numpy(result: str | tuple[Any, ...]) -> Callable[[Callable[..., Any]], Any]:
    """A function that Python runs, to be called from machine code; ``result`` is the type of what it gives, as Numba writes
    it, or a tuple of such.

    Where it gives anything else, or memory that may not be written into, a TypeError ends the machine code.
    """
    kind = _type(result)

    def decorated(function: Callable[..., Any]) -> Any:
        def checked(*args: Any) -> Any:
            found = function(*args)
            if not _is(found, result):
                raise TypeError(f"{function.__name__} was to give {result}")
            return found

        def call(*args):  # type: ignore[no-untyped-def]
            with numba.objmode(found=kind):
                found = checked(*args)
            return found

        return numba.njit(**SETTINGS)(call)

    return decorated


def _type(result: str | tuple[Any, ...]) -> Any:
    """A type as Numba has it."""
    if isinstance(result, tuple):
        return numba.types.Tuple([_type(item) for item in result])
    dtype, _, axes = result.removeprefix(READONLY).partition("[")
    kind = getattr(numba.types, "boolean" if dtype == "bool" else dtype)
    return numba.types.Array(kind, axes.count(":"), "A", readonly=result.startswith(READONLY)) if axes else kind


def _is(value: Any, result: str | tuple[Any, ...]) -> bool:
    """Membership of a value in a type."""
    if isinstance(result, tuple):
        return isinstance(value, tuple) and len(value) == len(result) and all(map(_is, value, result))
    dtype, _, axes = result.removeprefix(READONLY).partition("[")
    if axes:
        fits = type(value) is np.ndarray and value.dtype == dtype and value.ndim == axes.count(":") and value.flags.aligned
        return fits and (value.flags.writeable or result.startswith(READONLY))
    if dtype == "none":
        return value is None
    if dtype == "int64":
        return type(value) in (int, np.int64) and -(2**63) <= value < 2**63
    return type(value) in PYTHONS[dtype]


def _helper(function: Callable[..., Any]) -> Any:
    return numba.njit(inline="never", **SETTINGS)(function)


@_helper
def deeper(depth):  # type: ignore[no-untyped-def]
    """How many calls of recursive functions surround those that follow; machine code has no limit but the end of its stack."""
    if depth >= 900:
        raise RecursionError("maximum recursion depth exceeded")
    return depth + 1


# --- Python's numbers


@_helper
def quotient(x, y):  # type: ignore[no-untyped-def]
    """``x / y`` of Python's numbers."""
    if y == 0:
        raise ZeroDivisionError("division by zero")
    return x / y


@_helper
def floor_quotient(x, y):  # type: ignore[no-untyped-def]
    """``x // y`` of Python's numbers."""
    if y == 0:
        raise ZeroDivisionError("division by zero")
    return x // y


@_helper
def remainder(x, y):  # type: ignore[no-untyped-def]
    """``x % y`` of Python's numbers."""
    if y == 0:
        raise ZeroDivisionError("division by zero")
    return x % y


@_helper
def within(result, x, y=0.0):  # type: ignore[no-untyped-def]
    """``result``, a float that Python computes of x and y: finite where these are, and NaN only of NaN; else Python raises, or
    turns complex."""
    if result != result:
        if x == x and y == y:
            raise ValueError("math domain error")
    elif math.isinf(result) and math.isfinite(x) and math.isfinite(y):
        raise OverflowError("math range error")
    return result


@_helper
def exact(x):  # type: ignore[no-untyped-def]
    """``x``, a whole number where Python has an integer; refused where floats skip whole numbers."""
    if not -9007199254740992 <= x <= 9007199254740992:
        raise OverflowError("a whole number needs more than 53 bits")
    return x


@_helper
def sum_of(x, y):  # type: ignore[no-untyped-def]
    """``x + y`` of integers, in 64 bits."""
    result = x + y
    if ((x ^ result) & (y ^ result)) < 0:
        raise OverflowError("an integer needs more than 64 bits")
    return result


@_helper
def difference_of(x, y):  # type: ignore[no-untyped-def]
    """``x - y`` of integers, in 64 bits."""
    result = x - y
    if ((x ^ y) & (x ^ result)) < 0:
        raise OverflowError("an integer needs more than 64 bits")
    return result


@_helper
def product_of(x, y):  # type: ignore[no-untyped-def]
    """``x * y`` of integers, in 64 bits."""
    if abs(float(x) * float(y)) > 9.2e18:
        raise OverflowError("an integer needs more than 64 bits")
    return x * y


@_helper
def power_of(x, n):  # type: ignore[no-untyped-def]
    """``x ** n`` of integers, in 64 bits."""
    if n < 0 or n > 64:
        raise OverflowError("an integer needs more than 64 bits, or is no integer")
    result = 1
    for _ in range(n):
        if abs(float(result) * float(x)) > 9.2e18:
            raise OverflowError("an integer needs more than 64 bits")
        result *= x
    return result


@_helper
def shifted(x, n):  # type: ignore[no-untyped-def]
    """``x << n`` of integers, in 64 bits."""
    if n < 0 or n > 62 or (x << n) >> n != x:
        raise OverflowError("an integer needs more than 64 bits")
    return x << n


@_helper
def whole(x):  # type: ignore[no-untyped-def]
    """``int(x)``."""
    if not abs(x) < 9.2e18:
        raise OverflowError("an integer needs more than 64 bits")
    return int(x)


@_helper
def least(x, y):  # type: ignore[no-untyped-def]
    """``min(x, y)`` of Python: the first one where they do not compare."""
    return min(x, y)


@_helper
def greatest(x, y):  # type: ignore[no-untyped-def]
    """``max(x, y)`` of Python: the first one where they do not compare."""
    return max(x, y)


@_helper
def largest_item(items):  # type: ignore[no-untyped-def]
    """``max(items)`` of Python."""
    if len(items) == 0:
        raise ValueError("there is no item")
    found = items[0]
    for item in items[1:]:
        found = max(found, item)
    return found


@_helper
def smallest_item(items):  # type: ignore[no-untyped-def]
    """``min(items)`` of Python."""
    if len(items) == 0:
        raise ValueError("there is no item")
    found = items[0]
    for item in items[1:]:
        found = min(found, item)
    return found


@_helper
def select(c, x, y):  # type: ignore[no-untyped-def]
    """``np.where(c, x, y)`` of numbers."""
    return x if c else y


# --- loops


@_helper
def backwards(items):  # type: ignore[no-untyped-def]
    """``reversed(items)`` of a range."""
    return range(items.start + (len(items) - 1) * items.step, items.start - items.step, -items.step)


@_helper
def stretched(n, m):  # type: ignore[no-untyped-def]
    """The size of an axis that NumPy makes of axes of n and m items."""
    if n != m and n != 1 and m != 1:
        raise ValueError("operands could not be broadcast together")
    return m if n == 1 else n


@_helper
def common(n, m):  # type: ignore[no-untyped-def]
    """The number n, which has to be m."""
    if n != m:
        raise ValueError("shapes do not fit")
    return n


@_helper
def at(i, n):  # type: ignore[no-untyped-def]
    """The place that the index i, perhaps from the end, has in an axis of n items."""
    if i < -n or i >= n:
        raise IndexError("index out of bounds")
    return i + n if i < 0 else i


@_helper
def ahead(i, n, items):  # type: ignore[no-untyped-def]
    """``at(i, n)`` before a loop over a range in which each turn asks for it; 0 before one that is empty."""
    return at(i, n) if len(items) > 0 else 0


@_helper
def inside(i, n):  # type: ignore[no-untyped-def]
    """Check that i places exist in an axis of n items: one look before a loop, in place of its places."""
    if i > n:
        raise IndexError("index out of bounds")


@_helper
def step(n):  # type: ignore[no-untyped-def]
    """How far to go along an axis of n items at each step: nowhere on one that NumPy stretches."""
    return 0 if n == 1 else 1


@_helper
def part_of(items, part):  # type: ignore[no-untyped-def]
    """``items[part]`` of a range and a slice."""
    start, stop, step = part.indices(len(items))
    return range(items.start + start * items.step, items.start + stop * items.step, items.step * step)


@_helper
def counted(items, i):  # type: ignore[no-untyped-def]
    """``items[i]`` of a range."""
    return items.start + at(i, len(items)) * items.step


@_helper
def no_numbers(items):  # type: ignore[no-untyped-def]
    """A zero for each number of a list."""
    return [0.0 for _ in items]


@_helper
def no_arrays(items):  # type: ignore[no-untyped-def]
    """Arrays of zeros, one for each of a list."""
    return [np.zeros_like(item) for item in items]


@_helper
def none_of(sample):  # type: ignore[no-untyped-def]
    """An empty list for what is of the sample's type."""
    return [sample for _ in range(0)]


def strided(x: Any) -> Any:
    """``x``; for machine code an array whose axes may lie anyhow, so that a list of such takes all arrays."""
    return x


@overload(strided)
def _strided_typed(x):  # type: ignore[no-untyped-def]
    return {
        1: lambda x: x[::1], 2: lambda x: x[::1, ::1], 3: lambda x: x[::1, ::1, ::1], 4: lambda x: x[::1, ::1, ::1, ::1],
    }[x.ndim]  # fmt: skip


@_helper
def add_items(items, part, bars):  # type: ignore[no-untyped-def]
    """``bars`` added to the numbers of a list that a slice selects."""
    start, stop, step = part.indices(len(items))
    if len(range(start, stop, step)) != len(bars):
        raise ValueError("shapes do not fit")
    for k in range(len(bars)):
        items[start + k * step] += bars[k]


@_helper
def gathered(items):  # type: ignore[no-untyped-def]
    """``np.array(items)`` of a list of numbers. Where that stands behind a loop that fills the list, Numba makes an array that
    the loop fills, and leaves out what other loops put in."""
    return np.array(items)


@_helper
def stacked(items):  # type: ignore[no-untyped-def]
    """``np.stack(items)`` of a list of arrays."""
    found = np.empty((len(items), *items[0].shape))
    for k in range(len(items)):
        if items[k].shape != items[0].shape:
            raise ValueError("shapes do not fit")
        found[k] = items[k]
    return found


@_helper
def popped(items, i):  # type: ignore[no-untyped-def]
    """``items.pop(i)`` of a list; Numba's own forgets to count the arrays that it moves."""
    place = at(i, len(items))
    item = items[place]
    for k in range(place, len(items) - 1):
        items[k] = items[k + 1]
    items.pop()
    return item


def check_floats(items: list[Any]) -> None:
    """Raise TypeError if a list, or one within it, holds integers: of such, machine code would be made that stores integers."""
    for item in items:
        if isinstance(item, list):
            check_floats(item)
        elif not isinstance(item, float):
            raise TypeError(f"a list of floats is needed here, not one with {item!r}")


def of_numpy(items: list[Any]) -> list[Any]:
    """The numbers of a list, or of an array, as a list of NumPy's."""
    return list(np.array(items))


# --- slopes, as in ``s2sad.runtime``


@_helper
def strong_zero(x, seed):  # type: ignore[no-untyped-def]
    """``x``, the product of ``seed`` and a slope: 0 where the seed is 0 and the slope infinite, so that x would be NaN."""
    return x if x == x or seed != 0 else 0.0


@_helper
def sign(x):  # type: ignore[no-untyped-def]
    """-1.0, 0.0 or 1.0; NaN of NaN."""
    return x if x != x else 1.0 if x > 0 else -1.0 if x < 0 else 0.0


@_helper
def ge_share(x, y):  # type: ignore[no-untyped-def]
    """How much of ``max(x, y)`` is ``x``: 1.0 where x > y, 0.5 where they are equal, 0.0 elsewhere."""
    return 1.0 if x > y else 0.5 if x == y else 0.0


@_helper
def safe_divide(x, y):  # type: ignore[no-untyped-def]
    """``x / y``, and 0 where ``y`` is 0."""
    return x / y if y != 0 else 0.0


@_helper
def ratio(x, y):  # type: ignore[no-untyped-def]
    """``x / y``, infinite where ``y`` is 0, and 0 where both are."""
    return x / y if y != 0 or x != 0 else 0.0


@_helper
def power_dx(x, y):  # type: ignore[no-untyped-def]
    """The derivative of ``x ** y`` by ``x``: ``y * x ** (y - 1)``, and 0 where ``y`` is 0."""
    return 0.0 if y == 0 else y * float(x) ** (y - 1)


@_helper
def power_dy(x, p):  # type: ignore[no-untyped-def]
    """The derivative of ``p = x ** y`` by ``y``: ``p * log(x)``, and 0 where ``p`` is 0 or ``x`` and ``y`` are."""
    return 0.0 if p == 0 or (x == 0 and p == 1) else p * np.log(x)


@_helper
def heaviside(x, y):  # type: ignore[no-untyped-def]
    """``np.heaviside`` of numbers."""
    return x if x != x else y if x == 0 else 1.0 if x > 0 else 0.0


@_helper
def ties(x, extreme):  # type: ignore[no-untyped-def]
    """The share that each item of ``x`` has in its maximum or minimum ``extreme``: ties share evenly."""
    items, count = x.ravel(), 0
    found = np.empty(x.size)
    for k in range(x.size):
        found[k] = items[k] == extreme
        count += items[k] == extreme
    for k in range(x.size):
        found[k] /= count
    return found.reshape(x.shape)


# --- what LLVM computes for several items at once: functions that branch nowhere and call no library, and sums in any order


def _bits(x: float) -> int:
    """The bits of a float, as an integer."""
    return int(np.float64(x).view(np.int64))


def _of_bits(n: int) -> float:
    """The float that has the bits of an integer."""
    return float(np.int64(n).view(np.float64))


def _in_any_order(x: float, y: float) -> float:
    """``x + y``, where several such may be taken in any order."""
    return x + y


def _casting(to: Any) -> Any:
    def typed(context, x):  # type: ignore[no-untyped-def]
        def made(context, builder, signature, args):  # type: ignore[no-untyped-def]
            return builder.bitcast(args[0], context.get_value_type(to))

        return to(x), made

    return intrinsic(typed)


@intrinsic
def _add(context, x, y):  # type: ignore[no-untyped-def]
    def made(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.fadd(*args, flags=("reassoc",))

    return numba.float64(numba.float64, numba.float64), made


_as_bits, _as_float = _casting(numba.int64), _casting(numba.float64)
overload(_bits)(lambda x: lambda x: _as_bits(x))
overload(_of_bits)(lambda n: lambda n: _as_float(n))
overload(_in_any_order)(lambda x, y: lambda x, y: _add(x, y))


def _branchless(function: Callable[..., Any]) -> Any:
    return numba.njit(inline="never", forceinline=True, fastmath={"contract"}, **SETTINGS)(function)


ROUND = 6755399441055744.0  # 1.5 * 2**52: a sum with it is rounded to a whole number, which its last bits are
LN_2 = 0.6931471803691238, 1.9082149292705877e-10  # the former of few bits
SQRT_HALF = 0x3FE6A09E667F3BCD  # the bits of sqrt(1/2)


@_branchless
def plus(x, y):  # type: ignore[no-untyped-def]
    """``x + y`` in an array's sum, whose order nobody tells."""
    return _in_any_order(x, y)


@_branchless
def _whole_part(x):  # type: ignore[no-untyped-def]
    """The nearest whole number."""
    return (x + ROUND) - ROUND


@_branchless
def _power_of_two(k):  # type: ignore[no-untyped-def]
    """``2.0**k`` of a whole number between -1023 and 1024."""
    return _of_bits(_bits(k + (ROUND + 1023.0)) << 52)


@_branchless
def _exp_less_one(x, k):  # type: ignore[no-untyped-def]
    """``exp(r) - 1`` of what is left of ``x = k log(2) + r``, by its series."""
    r = (x - k * LN_2[0]) - k * LN_2[1]
    r2 = r * r
    r4 = r2 * r2
    low = (1 / 2 + r * (1 / 6)) + r2 * (1 / 24 + r * (1 / 120))
    middle = (1 / 720 + r * (1 / 5040)) + r2 * (1 / 40320 + r * (1 / 362880))
    high = (1 / 3628800 + r * (1 / 39916800)) + r2 * (1 / 479001600 + r * (1 / 6227020800))
    return r + r2 * (low + r4 * (middle + r4 * high))


@_branchless
def exp(x):  # type: ignore[no-untyped-def]
    """``np.exp``."""
    near = 710.0 if x > 710.0 else max(x, -746.0)
    k = _whole_part(near * (1 / math.log(2)))
    half = _whole_part(k * 0.5)
    return (1.0 + _exp_less_one(near, k)) * _power_of_two(half) * _power_of_two(k - half)


@_branchless
def tanh(x):  # type: ignore[no-untyped-def]
    """``np.tanh``."""
    twice = 44.0 if abs(x) > 22.0 else 2.0 * abs(x)
    k = _whole_part(twice * (1 / math.log(2)))
    power = _power_of_two(k)
    grown = power * _exp_less_one(twice, k) + (power - 1.0)  # exp(twice) - 1
    return math.copysign(grown / (grown + 2.0), x)


@_branchless
def sech2(x):  # type: ignore[no-untyped-def]
    """The derivative of ``tanh``."""
    decay = exp(-2.0 * abs(x))
    return 4.0 * decay / ((1.0 + decay) * (1.0 + decay))


@_branchless
def log(x):  # type: ignore[no-untyped-def]
    """``np.log``: that of a power of two, and of 1 + f between sqrt(1/2) and sqrt(2) by artanh(f / (2 + f))."""
    small = x < 2.2250738585072014e-308
    bits = _bits(x * 18014398509481984.0 if small else x) - SQRT_HALF  # 2**54
    k = float(bits >> 52) - (54.0 if small else 0.0)
    f = _of_bits((bits & 0xFFFFFFFFFFFFF) + SQRT_HALF) - 1.0
    s = f / (2.0 + f)
    z = s * s
    z2 = z * z
    z4 = z2 * z2
    low = (2 / 3 + z * (2 / 5)) + z2 * (2 / 7 + z * (2 / 9))
    middle = (2 / 11 + z * (2 / 13)) + z2 * (2 / 15 + z * (2 / 17))
    high = (2 / 19 + z * (2 / 21)) + z2 * (2 / 23)
    half = 0.5 * f * f
    found = k * LN_2[0] - ((half - (s * (half + z * (low + z4 * (middle + z4 * high))) + k * LN_2[1])) - f)
    found = x if x == math.inf else found
    return found if x > 0 else -math.inf if x == 0 else math.nan


# --- products


def _in_order(x: Any) -> Any:
    """``x``, or a copy, as BLAS takes it: by rows, or by columns."""
    return np.ascontiguousarray(x)


@overload(_in_order)
def _in_order_typed(x):  # type: ignore[no-untyped-def]
    return (lambda x: x) if x.layout in "CF" else (lambda x: np.ascontiguousarray(x))


@_helper
def product(x, y):  # type: ignore[no-untyped-def]
    """``x @ y`` of matrices and vectors, by BLAS."""
    return np.dot(_in_order(x), _in_order(y))
