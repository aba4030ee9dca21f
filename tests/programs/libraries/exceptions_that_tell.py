"""Exceptions that hold numbers with derivatives, texts and several arguments, which their handlers read."""

import numpy as np

LOG = []


class Diverged(Exception):
    def __init__(self, step, x, tol=1e-3):
        self.step = step
        self.x = x
        self.tol = tol
        super().__init__(f"diverged at {step}")


class NoConvergence(RuntimeError):
    def __init__(self, message, best, *, residual=None):
        super().__init__(message)
        self.best = best
        self.residual = residual


class Worse(NoConvergence):
    def __init__(self, best, name="worse"):
        super().__init__(name, best, residual=0.5)
        self.name = name


class Plain(ValueError):
    pass


def squared(v, times):
    x = v
    for k in range(times):
        x = x * x
        if x > 3:
            raise Diverged(k, x)
    return x


def newton(start, most):
    x = start
    for k in range(most):
        step = (x * x - 2) / (2 * x)
        x = x - step
        if abs(step) < 1e-9:
            return x
    raise NoConvergence(f"no root after {most}", x, residual=x * x - 2)


def checked(given):
    if np.sum(given) > 3:
        raise Worse(given * 2.0)
    return given


def last_iterate(s):
    try:
        return squared(s * 1.2, 6)
    except Diverged as e:
        return e.x * s


def best_so_far(s):
    try:
        return newton(s, 2)
    except NoConvergence as e:
        return e.best + 0.1 * e.residual


def best_if_it_converges(s):
    try:
        x = newton(s, 50)
    except NoConvergence as e:
        x = e.best
    return x * s


def an_array(x):
    try:
        y = checked(x)
    except Worse as e:
        y = e.best * e.residual
        LOG.append(e.name)
    return np.sum(y * x)


def as_text(s):
    try:
        return squared(s * 1.2, 6)
    except Diverged as e:
        LOG.append(f"{e.x:.2f} {e.tol} {e.step}")
        return s * s * e.tol


def arguments(s):
    try:
        if s > 0:
            raise ValueError("bad", 3)
        return s
    except ValueError as e:
        message, code = e.args
        LOG.append(message)
        return s**code if message == "bad" else s


def one_argument(s):
    try:
        if s > 0:
            raise ValueError(s * 2)
        return s
    except ValueError as e:
        return s * e.args[0] + len(e.args)


def argument_of_a_plain_class(s):
    try:
        for k in range(5):
            s = s * 1.5
            if s > 4:
                raise Plain(s, k)
        return s
    except Plain as e:
        return e.args[0] * e.args[1] * s


def text_of_the_class(s):
    try:
        return squared(s * 1.2, 6)
    except Diverged as e:
        LOG.append(e.args[0])
        LOG.append(f"{e} {len(e.args)}")
        return s * s


def from_several_statements(s):
    total = 0.0
    for c in (0.5, 1.2, 3.0):
        try:
            if c > 2:
                raise Diverged(7, s * c)
            total += squared(s * c, 4)
        except Diverged as e:
            total += e.x * c + e.step
    return total


def handed_to_a_helper(s):
    def report(error):
        LOG.append(f"{error}")
        return error.x

    try:
        return squared(s * 1.2, 6)
    except Diverged as e:
        return report(e) * s


def one_of_two_classes(s):
    try:
        return newton(squared(s * 0.9, 2), 1)
    except Diverged as e:
        return e.x
    except NoConvergence as e:
        return e.best * 3.0


def where_it_is_used_for_a_test(s):
    try:
        return squared(s * 1.2, 6)
    except Diverged as e:
        return s * s if e.x > 3.5 else s


def handed_on(s):
    try:
        try:
            return squared(s * 1.2, 6)
        except ValueError:
            return s
    except Diverged as e:
        return e.x * s


def raised_again(s):
    try:
        try:
            return squared(s * 1.2, 6)
        except Diverged:
            LOG.append("again")
            raise
    except Diverged as e:
        return e.x * s


def from_another(s):
    try:
        try:
            return squared(s * 1.2, 6)
        except Diverged as e:
            raise NoConvergence("no", e.x * 2) from e
    except NoConvergence as e:
        return e.best * s


def written_in_place(x):
    y = x * 1.0
    try:
        for k in range(4):
            y *= 1.5
            if y[0] > 2:
                raise Diverged(k, y, tol=np.linalg.norm(x))
    except Diverged as e:
        return np.sum(e.x * x) * e.step * e.tol
    return np.sum(y)


def structures(s):
    try:
        if s > 0:
            raise Plain({"a": s, "b": 2.0}, (s, s * s))
        return s
    except Plain as e:
        first, second = e.args[1]
        return e.args[0]["a"] * first * second


def kept_for_later(s):
    last = None
    for c in (1.0, 2.0):
        try:
            squared(s * c, 3)
        except Diverged as e:
            last = e.x
    return last * s


def name_of_the_class(s):
    try:
        return squared(s * 1.2, 6)
    except Exception as e:
        LOG.append(f"{type(e).__name__}: {e}")
        LOG.append(type(e).__qualname__ + e.__class__.__name__)
        return s * s if type(e).__name__ == "Diverged" else s


def class_by_class(s):
    try:
        return squared(s * 1.2, 6)
    except Exception as e:
        if type(e) is ValueError:
            return s
        return s * s if issubclass(type(e), Diverged) and isinstance(e, (Plain, Diverged)) else s


class Stopped(RuntimeError):
    def __init__(self, step, x):
        super().__init__(f"stopped at {step}")
        self.step, self.x = step, x


class Simulation:
    def __init__(self):
        self.runs = 0

    def run(self, a):
        for k in range(3):
            self.runs += 1
            if a * k > 2.0:
                raise Stopped(k, a * a)
        return a * a

    def safely(self, a):
        try:
            return self.run(a)
        except Stopped as e:
            return e.x * e.step * a


SIMULATION = Simulation()


def fields_in_one_statement(s):
    own = Simulation()
    return own.safely(s) * own.runs + SIMULATION.safely(0.5 * s) * SIMULATION.runs
