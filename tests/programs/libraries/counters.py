"""Objects with state: counters, caches, flags, histories, models that learn. They are reached from outside, or made here."""

import numpy as np


class Counter:
    def __init__(self):
        self.nfev = 0
        self.njev = 0
        self.last = None
        self.total = 0.0

    def __call__(self, v):
        self.nfev += 1
        return v * v

    def wrap(self, f):
        def wrapped(*args):
            self.nfev += 1
            return f(*args)

        return wrapped


class Problem:
    def __init__(self):
        self.counter = Counter()
        self.bounds = (0.0, 10.0)
        self.initialized = False
        self.verbose = False
        self.stats = {"calls": 0, "best": 1e9}
        self.__secret = 2.0

    def _init(self):
        self.scale = 3.0
        self.initialized = True

    def __value(self, v):
        return self.__secret * v

    def evaluate(self, v):
        if not self.initialized:
            self._init()
        self.counter.nfev += 1
        self.stats["calls"] += 1
        if self.verbose:
            print("evaluating", v)
        return self.scale * self.__value(v) ** 2

    def feasible(self, v):
        low, high = self.bounds
        return low <= v <= high


COUNTER, PROBLEM, TALLY = Counter(), Problem(), {"f": 0, "g": 0}


def counts_on_a_global(s):
    COUNTER.nfev += 1
    return s**3


def counts_by_calling(s):
    return COUNTER(s) + COUNTER(2.0 * s)


def counts_in_a_dict(s):
    TALLY["f"] += 1
    TALLY["g"] += 2
    return np.sin(s)


def counts_in_a_loop(x):
    total = 0.0
    for v in x:
        COUNTER.nfev += 1
        total += v**2
    return total


def counts_on_one_branch(s):
    if s > 1.0:
        COUNTER.njev += 1
        return s * s
    return s


def keeps_the_last_value(s):
    COUNTER.last = s
    return COUNTER.last * COUNTER.last


def keeps_a_running_total(s):
    COUNTER.total = 0.0
    for k in range(4):
        COUNTER.total += s * k
    return COUNTER.total * s


def evaluates_a_problem(s):
    return PROBLEM.evaluate(s)


def evaluates_it_twice(s):
    return PROBLEM.evaluate(s) * PROBLEM.evaluate(s + 1.0)


def penalises_what_is_not_feasible(s):
    v = PROBLEM.evaluate(s)
    return v if PROBLEM.feasible(s) else v + 1e3 * (s - 10.0) ** 2


def counts_through_a_wrapper(s):
    f = COUNTER.wrap(lambda a, b: a * b)
    return f(s, 2.0) + f(s, s)


def a_fresh_counter(s):
    c = Counter()
    out = c(s) + c(s * 2.0)
    return out * c.nfev


def a_counter_in_a_closure(s):
    c = Counter()

    def f(v):
        c.nfev += 1
        return v * c.nfev

    return f(s) + f(s) + f(s)


class Momentum:
    def __init__(self, rate=0.1, beta=0.9):
        self.rate, self.beta, self.velocity, self.steps = rate, beta, None, 0

    def update(self, w, g):
        if self.velocity is None:
            self.velocity = np.zeros_like(w)
        self.velocity = self.beta * self.velocity + g
        self.steps += 1
        return w - self.rate * self.velocity


class Adam:
    def __init__(self, rate=0.1, b1=0.9, b2=0.999):
        self.rate, self.b1, self.b2, self.t = rate, b1, b2, 0
        self.m = self.v = 0.0

    def update(self, w, g):
        self.t += 1
        self.m = self.b1 * self.m + (1 - self.b1) * g
        self.v = self.b2 * self.v + (1 - self.b2) * g**2
        m, v = self.m / (1 - self.b1**self.t), self.v / (1 - self.b2**self.t)
        return w - self.rate * m / (np.sqrt(v) + 1e-8)


def momentum_descent(x):
    opt, w = Momentum(), x
    for _ in range(3):
        w = opt.update(w, 2.0 * w + np.sin(w))
    return np.sum(w**2)


def adam_descent(x):
    opt, w = Adam(), x
    for _ in range(3):
        w = opt.update(w, 2.0 * w)
    return np.sum(w * x)


def steps_of_an_optimiser_scale(x):
    opt = Momentum(rate=0.2)
    w = opt.update(opt.update(x, x), x)
    return np.sum(w) * opt.steps


class RunningStats:
    def __init__(self):
        self.n, self.mean, self.m2 = 0, 0.0, 0.0

    def push(self, v):
        self.n += 1
        delta = v - self.mean
        self.mean += delta / self.n
        self.m2 += delta * (v - self.mean)

    @property
    def variance(self):
        return self.m2 / (self.n - 1) if self.n > 1 else 0.0


def welford(x):
    stats = RunningStats()
    for v in x:
        stats.push(v)
    return stats.variance + stats.mean


class Ewma:
    def __init__(self, alpha):
        self.alpha, self.value, self.warm = alpha, None, False

    def __call__(self, v):
        if not self.warm:
            self.value, self.warm = v, True
        else:
            self.value = self.alpha * v + (1 - self.alpha) * self.value
        return self.value


def smoothed(x):
    filt = Ewma(0.3)
    out = 0.0
    for v in x:
        out = out + filt(v) ** 2
    return out


class Pid:
    def __init__(self, kp, ki, kd):
        self.kp, self.ki, self.kd = kp, ki, kd
        self.integral, self.previous = 0.0, 0.0

    def control(self, error, dt=0.1):
        self.integral += error * dt
        derivative = (error - self.previous) / dt
        self.previous = error
        return self.kp * error + self.ki * self.integral + self.kd * derivative


def pid_by_gain(s):
    pid, y = Pid(s, 0.5, 0.05), 0.0
    for _ in range(5):
        y += 0.1 * pid.control(1.0 - y)
    return y


class Cache:
    def __init__(self):
        self.store = {}
        self.hits = 0

    def get(self, key, make):
        if key in self.store:
            self.hits += 1
            return self.store[key]
        self.store[key] = make()
        return self.store[key]


def a_cache_with_known_keys(s):
    c = Cache()
    a = c.get("square", lambda: s * s)
    b = c.get("square", lambda: s * 100.0)
    return a + b + c.hits


def a_cache_with_computed_keys(s):
    memo = {}
    for k in range(6):
        memo[k] = s if k < 2 else memo[k - 1] * 0.5 + memo[k - 2] * s
    return memo[5]


class Lazy:
    def __init__(self, v):
        self.v = v
        self._norm = None

    @property
    def norm(self):
        if self._norm is None:
            self._norm = np.sqrt(np.sum(self.v**2))
        return self._norm


def a_lazy_property(x):
    z = Lazy(x)
    return z.norm + z.norm**2


class Kalman1d:
    def __init__(self, q, r):
        self.q, self.r, self.x, self.p = q, r, 0.0, 1.0
        self.log_likelihood = 0.0

    def predict(self):
        self.p += self.q

    def update(self, z):
        s = self.p + self.r
        k = self.p / s
        y = z - self.x
        self.x += k * y
        self.p *= 1 - k
        self.log_likelihood += -0.5 * (y * y / s + np.log(s))


def kalman_likelihood(s):
    f = Kalman1d(0.1, s)
    for z in (0.3, 0.9, 1.4, 1.1):
        f.predict()
        f.update(z)
    return f.log_likelihood


class Clamped:
    instances = 0
    low = 0.0

    def __init__(self, v):
        self._v = v

    @property
    def value(self):
        return self._v

    @value.setter
    def value(self, v):
        self._v = v if v > self.low else self.low


def a_setter_that_clamps(s):
    c = Clamped(s)
    c.value = c.value * 2.0
    c.value = c.value - 1.0
    return c.value**2


class History:
    def __init__(self):
        self.items = []
        self.best = None

    def add(self, v):
        self.items.append(v)
        if self.best is None or v < self.best:
            self.best = v


def a_history_of_values(s):
    h = History()
    for k in range(4):
        h.add(s**k)
    return sum(h.items) + h.best


def the_best_of_a_history(x):
    h = History()
    for v in x:
        h.add((v - 1.1) ** 2)
    return h.best * len(h.items)


def swaps_fields(s):
    c = Counter()
    c.last, c.total = s, s * s
    for _ in range(3):
        c.last, c.total = c.total, c.last
    return c.last - 2.0 * c.total


def counts_exceptions(s):
    failures = 0
    out = 0.0
    for k in range(3):
        try:
            if k == 1:
                raise ValueError("no")
            out = out + s * k
        except ValueError:
            failures += 1
    return out * failures


def a_flag_that_is_set_once(x):
    started = False
    total = 0.0
    for v in x:
        if not started and v > 1.0:
            started = True
        if started:
            total += v * v
    return total


def patience(x):
    best, wait = 1e9, 0
    for v in x:
        if v < best:
            best, wait = v, 0
        else:
            wait += 1
            if wait >= 2:
                break
    return best**2


class Tape:
    def __init__(self):
        self.ops = []

    def record(self, name, v):
        self.ops.append((name, v))
        return v


def records_pairs(s):
    t = Tape()
    a = t.record("a", s * 2.0)
    t.record("b", a * s)
    return sum(v for _, v in t.ops)


class Stack:
    def __init__(self):
        self.data = []

    def push(self, v):
        self.data.append(v)

    def pop(self):
        return self.data.pop()

    def __len__(self):
        return len(self.data)


def reverse_polish(s):
    st = Stack()
    for token in (s, 2.0, "*", 3.0, "+", s, "*"):
        if isinstance(token, str):
            b, a = st.pop(), st.pop()
            st.push(a * b if token == "*" else a + b)
        else:
            st.push(token)
    return st.pop()


class Bank:
    def __init__(self, rate):
        self.rate = rate
        self.balance = 100.0
        self.log = []

    def step(self):
        self.balance *= 1 + self.rate
        self.log.append(self.balance)

    def run(self, n):
        for _ in range(n):
            self.step()
        return self


def compound_interest(s):
    return Bank(0.01 * s).run(5).balance


def the_log_of_a_bank(s):
    return sum(Bank(0.01 * s).run(3).log)


class Layer:
    count = 0

    def __init__(self, w, name=None):
        self.w = w
        self.calls = 0
        self.name = name or f"layer{self.count}"

    def forward(self, v):
        self.calls += 1
        self.out = np.tanh(self.w * v)
        return self.out


class Net:
    def __init__(self, ws):
        self.layers = [Layer(w) for w in ws]
        self.training = True

    def forward(self, v):
        for layer in self.layers:
            v = layer.forward(v)
        return v

    def penalty(self):
        return sum(layer.w**2 for layer in self.layers) if self.training else 0.0


NET = Net([0.5, -0.3, 0.8])


def a_net_made_here(s):
    net = Net([s, 2.0 * s])
    return net.forward(0.7) + net.penalty() + net.layers[0].out


def a_net_outside(s):
    return NET.forward(s) * NET.layers[0].calls / NET.layers[0].calls


def evaluation_mode(s):
    net = Net([s])
    net.training = False
    return net.forward(s) + net.penalty()
