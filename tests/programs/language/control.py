"""Control flow: early exits, else clauses on loops, nested loops, matches, walruses, guards, failures that are caught."""

import math
import warnings

import numpy as np

from ..case import case

LIMITS = (0.0, 10.0)
VERBOSE = False


def first_crossing(xs, level):
    """Where the polyline first crosses the level; falls through to the end."""
    for i in range(1, len(xs)):
        lo, hi = xs[i - 1], xs[i]
        if lo < level <= hi:
            return i - 1 + (level - lo) / (hi - lo)
    return len(xs) - 1 + 0.0 * level


def search_then_scale(xs, limit):
    for x in xs:
        if x * x > limit:
            found = x
            break
    else:
        found = limit
    return found * found * limit


def while_else(x, floor):
    steps = 0
    while x > floor:
        x = 0.7 * x
        steps += 1
        if steps == 6:
            break
    else:
        return x * steps + floor
    return x * floor


def nested_break(grid, budget):
    spent = 0.0
    for row in grid:
        for cost in row:
            if spent + abs(cost) > budget:
                break
            spent += cost**2
        else:
            spent *= 1.1
            continue
        spent -= 0.05 * budget
    return spent


def skip_and_stop(values):
    total = 0.0
    for index, v in enumerate(values):
        if index % 3 == 1:
            continue
        if v > 2.5:
            total += 10 * v
            break
        total += math.sqrt(1 + v * v)
    return total


def clamp_chain(x, y):
    if LIMITS[0] < x < y < LIMITS[1]:
        z = x * y
    elif x >= y:
        z = x - y
    else:
        z = x + y
    a = b = z * z
    a += x
    return a * b


def boolean_values(x, default):
    gain = None or default
    scale = gain and x
    flag = x > 0 and default > 0 or not x < 5
    return scale * (2.0 if flag else 3.0) + (x or 1.0)


def walrus_filter(xs, scale):
    return sum(y * y for x in xs if (y := math.tanh(scale * x)) > -0.5)


def walrus_countdown(x, a):
    n = 5
    while (n := n - 1) and (x := 0.5 * (x + a / x)) > 0:
        if (gap := x - math.sqrt(a)) < 1e-3:
            return x + gap
    return x


def swap_bubble(a, b, c):
    if a > b:
        a, b = b, a
    if b > c:
        b, c = c, b
    if a > b:
        a, b = b, a
    return a + 2 * b + 4 * c * a


def gcd_scaled(x, m, n):
    while n:
        q, r = divmod(m, n)
        x = x * math.cos(q / 10) + r / 100
        m, n = n, r
    return x * m


def staircase(x):
    table = [(-math.inf, "low"), (1.0, "mid"), (3.0, "high")]
    label = "none"
    for bound, name in reversed(table):
        if x >= bound:
            label = name
            break
    match label:
        case "low":
            return 0.5 * x
        case "mid" | "middle":
            return x**2
        case "high":
            return 9 + 6 * (x - 3)
    raise AssertionError(label)


def shape_area(shapes):
    area = 0.0
    for shape in shapes:
        match shape:
            case ("circle", r):
                area += math.pi * r**2
            case ("rect", w, h) if w > h:
                area += w * h
            case ("rect", w, h):
                area += 2 * w * h
            case ("poly", *sides):
                area += sum(s**1.5 for s in sides)
            case {"kind": "ring", "outer": R, "inner": r}:
                area += math.pi * (R * R - r * r)
            case _:
                raise TypeError(shape)
    return area


def parse_and_apply(program, x):
    for line in program.split(";"):
        op, *rest = line.split()
        try:
            k = int(rest[0])
        except (IndexError, ValueError):
            k = 2
        finally:
            x = x + 0.01
        if op == "scale":
            x = x * k
        elif op == "pow":
            x = x**k
        else:
            x = getattr(np, op)(x)
    return x


def lookup_or_default(x, settings):
    try:
        exponent = settings["exponent"]
    except KeyError as missing:
        assert str(missing) == "'exponent'"
        exponent = 3
    else:
        exponent = exponent + 1
    return x**exponent


def guarded(x, mode="strict"):
    if mode not in ("strict", "loose"):
        raise ValueError(f"mode {mode!r} is not one of strict, loose")
    assert np.all(x > 0), "needs positive entries"
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.log(x) / (x - x.mean())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = y + np.sqrt(x)
    return y.sum()


def chatty(x, y):
    if VERBOSE:
        print("starting")
    z = x * math.exp(-y)
    print(f"z = {z:.3f} from x={x!r}, y={y:>8.2f}")
    return f"{z:.0f}".startswith("nan") and math.nan or z * z


def zigzag(x, n=6):
    direction = 1
    for i in range(n, 0, -2):
        for j in range(i):
            x += direction * math.sin(x) / (i + j)
            if j == 2:
                direction = -direction
                break
        else:
            x *= 1.05
    return x


def triangular_sweep(A):
    n = A.shape[0]
    s = 0.0
    for i in range(n):
        for j in range(i + 1):
            if i == j:
                s += A[i, j] ** 3
            elif (i + j) & 1:
                s += A[i, j] * A[j, i]
            else:
                s -= A[i, j]
    return s


def countdown_state(x, plan="abba"):
    state = "a"
    for symbol in plan + "ab":
        if symbol == state == "a":
            x, state = x * 1.1, "b"
        elif symbol != state:
            x = x - 0.05
        else:
            x, state = math.log(1 + x * x), "a"
    return x


def returns_none_branch(x, y):
    def overlap(a, b):
        if a[1] < b[0] or b[1] < a[0]:
            return None
        return max(a[0], b[0]), min(a[1], b[1])

    common = overlap((x, x + 1.0), (y, y + 1.5))
    if common is None:
        return 0.0 * x
    lo, hi = common
    return (hi - lo) * (hi + lo)


def del_and_pass(x):
    temporary = x * 3.0
    y = temporary + 1.0
    del temporary
    for _ in range(3):
        pass
    if y > 100.0:
        pass
    else:
        y = y * x
    return y


CASES = (
    case(first_crossing, lambda rng: (np.array([0.1, -0.4, 0.9, 1.3]), 0.5), wrt=(0, 1)),
    case(search_then_scale, lambda rng: ([0.3, -0.6, 1.4, 2.0], 1.3), wrt=(0, 1)),
    case(while_else, lambda rng: (2.0, 0.75), wrt=(0, 1)),
    case(nested_break, lambda rng: (np.array([[0.5, 0.4], [0.9, 1.3], [0.2, 0.1]]), 1.9), wrt=(0, 1)),
    case(skip_and_stop, lambda rng: ([0.4, 9.0, -1.2, 2.9, 1.0],)),
    case(clamp_chain, lambda rng: (1.2, 2.3), wrt=(0, 1)),
    case(boolean_values, lambda rng: (1.7, 0.6), wrt=(0, 1)),
    case(walrus_filter, lambda rng: ([0.3, -1.4, 0.8, -0.2], 0.9), wrt=(0, 1)),
    case(walrus_countdown, lambda rng: (4.0, 2.3), wrt=(0, 1)),
    case(swap_bubble, lambda rng: (2.1, 0.4, 1.3), wrt=(0, 1, 2)),
    case(gcd_scaled, lambda rng: (1.4, 84, 30)),
    case(staircase, lambda rng: (2.2,)),
    case(shape_area,
         lambda rng: ([("circle", 0.7), ("rect", 2.0, 1.1), ("rect", 0.4, 0.9), ("poly", 1.0, 2.0, 1.5),
                       {"kind": "ring", "outer": 1.4, "inner": 0.6}],), wrt=(0,)),
    case(parse_and_apply, lambda rng: ("scale 3;tanh;pow;scale x;sin", 0.4), wrt=(1,)),
    case(lookup_or_default, lambda rng: (1.3, {"tolerance": 5})),
    case(guarded, lambda rng: (np.array([0.3, 1.9, 2.4, 0.8]),)),
    case(chatty, lambda rng: (1.5, 0.3), wrt=(0, 1)),
    case(zigzag, lambda rng: (0.9,)),
    case(triangular_sweep, lambda rng: (rng.normal(size=(4, 4)),)),
    case(countdown_state, lambda rng: (0.8,)),
    case(returns_none_branch, lambda rng: (0.2, 0.5), wrt=(0, 1)),
    case(del_and_pass, lambda rng: (1.1,)),
)
