"""Exceptions of users' classes that hold whole numbers, which their handlers read: steps, codes, orders."""

LOG = []
BOX = {"runs": 0}


class Diverged(Exception):
    def __init__(self, step, x):
        self.step = step
        self.x = x
        super().__init__(f"diverged at {step}")


class Failed(Exception):
    def __init__(self, message, *, order=0, code=1):
        super().__init__(message)
        self.order = order
        self.code = code


def squared(v, times):
    for k in range(times):
        v = v * v
        if v > 3:
            raise Diverged(k, v)
    return v


def fails(v):
    if v > 0:
        raise Failed("no", order=4)
    return v


def step_of_a_helper(s):
    try:
        return squared(s * 1.2, 6)
    except Diverged as e:
        return e.step * s * s


def loop_as_long_as_the_exception_says(s):
    try:
        return squared(s * 1.2, 6)
    except Diverged as e:
        LOG.append(f"{e} {e.step}")
        t = s
        for _ in range(e.step + 1):
            t = t * s
        return t


def options_of_the_exception(s):
    try:
        return fails(s)
    except Failed as e:
        return s**e.order * e.code


def raised_in_the_body(s):
    try:
        if s > 0:
            raise Failed("no", order=3)
        return s
    except Failed as e:
        return s**e.order * e.code


def raised_for_certain(s):
    try:
        raise Failed("no", order=3)
    except Failed as e:
        return s**e.order * e.code


def caught_in_a_loop(s):
    total = 0.0
    for c in (1.2, 1.0, 3.0):
        try:
            total += squared(s * c, 2)
        except Diverged as e:
            total += (e.step + 2) * s**3
        finally:
            BOX["runs"] += 1
    return total


def one_from_another(s):
    try:
        try:
            return fails(s)
        except Failed as e:
            raise Diverged(e.order, 0.0) from e
    except Diverged as d:
        return d.step * s * s
