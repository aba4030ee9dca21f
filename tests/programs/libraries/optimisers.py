"""Optimisers with state in dicts, by the names of parameters: of their own and outside, differentiated by rates and starts."""

import math
from collections import Counter, defaultdict

import numpy as np

HISTORY = {"loss": [], "rate": []}
FOUND = {}
LISTS = defaultdict(list)


class Adam:
    def __init__(self, params, lr=0.1, b1=0.9, b2=0.99, eps=1e-3):
        self.params = params
        self.lr, self.b1, self.b2, self.eps = lr, b1, b2, eps
        self.m = {k: np.zeros_like(v) for k, v in params.items()}
        self.v = {k: np.zeros_like(v) for k, v in params.items()}
        self.t = 0

    def step(self, grads):
        self.t += 1
        for k, g in grads.items():
            self.m[k] = self.b1 * self.m[k] + (1 - self.b1) * g
            self.v[k] = self.b2 * self.v[k] + (1 - self.b2) * g * g
            m_hat = self.m[k] / (1 - self.b1**self.t)
            v_hat = self.v[k] / (1 - self.b2**self.t)
            self.params[k] -= self.lr * m_hat / (np.sqrt(v_hat) + self.eps)

    def state_dict(self):
        return {"t": self.t, "m": dict(self.m), "lr": self.lr}

    def load_state_dict(self, state):
        self.t = state["t"]
        self.m = state["m"]
        self.lr = state["lr"]


class Sgd:
    def __init__(self, params, lr, momentum=0.0, nesterov=False):
        self.groups = [{"params": params, "lr": lr, "momentum": momentum}]
        self.state = defaultdict(dict)
        self.nesterov = nesterov

    def step(self, grads):
        for group in self.groups:
            for name in group["params"]:
                state = self.state[name]
                buffer = state.get("momentum_buffer")
                if buffer is None:
                    buffer = state["momentum_buffer"] = grads[name] * 1.0
                else:
                    buffer = state["momentum_buffer"] = group["momentum"] * buffer + grads[name]
                d = grads[name] + group["momentum"] * buffer if self.nesterov else buffer
                group["params"][name] = group["params"][name] - group["lr"] * d


class Rms:
    def __init__(self):
        self.cache = {}
        self.history = defaultdict(list)
        self.count = Counter()

    def update(self, params, grads):
        for k in params:
            self.cache[k] = 0.9 * self.cache.get(k, 0) + 0.1 * grads[k] ** 2
            self.history[k].append(params[k])
            self.count[k] += 1
            params[k] = params[k] - 0.1 * grads[k] / (math.sqrt(self.cache[k]) + 1e-2)
        return params


class Momentum:
    def __init__(self):
        self.v = {}

    def step(self, params, grads):
        for k, g in grads.items():
            if k not in self.v:
                self.v[k] = np.zeros_like(g)
            self.v[k] = 0.9 * self.v[k] + g
            params[k] = params[k] - 0.1 * self.v[k]


class Nested:
    def __init__(self):
        self.state = {}

    def step(self, params, grads, lr):
        for name in params:
            state = self.state.setdefault(name, {"m": 0.0, "n": 0})
            state["m"] = 0.9 * state["m"] + grads[name]
            state["n"] += 1
            params[name] = params[name] - lr * self.state[name]["m"] / state["n"]


class EarlyStopping:
    def __init__(self, patience):
        self.patience = patience
        self.best = float("inf")
        self.bad = 0
        self.best_params = None

    def __call__(self, loss, params):
        if loss < self.best:
            self.best = loss
            self.bad = 0
            self.best_params = {k: v for k, v in params.items()}
        else:
            self.bad += 1
        return self.bad >= self.patience


RMS, MOMENTUM = Rms(), Momentum()


def forward(p, inputs):
    return np.tanh(inputs @ p["W1"] + p["b1"]) @ p["W2"]


def trained_at_a_rate(s):
    p = {"W1": np.array([[0.1, 0.2], [0.3, -0.1]]), "b1": np.zeros(2), "W2": np.array([0.5, -0.4])}
    optimiser = Adam(p, lr=s * 0.1)
    inputs, wanted = np.array([[1.0, 2.0], [0.5, -1.0]]), np.array([1.0, 0.0])
    for _ in range(3):
        h = np.tanh(inputs @ p["W1"] + p["b1"])
        r = h @ p["W2"] - wanted
        dh = np.outer(r, p["W2"]) * (1 - h * h)
        optimiser.step({"W1": inputs.T @ dh, "b1": dh.sum(axis=0), "W2": h.T @ r})
    return np.sum((forward(p, inputs) - wanted) ** 2)


def trained_from_a_start(x):
    p = {"w": x * 1.0, "b": np.array([0.5])}
    optimiser = Adam(p)
    for _ in range(3):
        optimiser.step({"w": 2 * p["w"], "b": np.cos(p["b"])})
    state = optimiser.state_dict()
    return np.sum(p["w"] ** 2) + p["b"][0] * state["t"] + np.sum(state["m"]["w"])


def restored(s):
    p = {"w": np.array([s, 1.0])}
    first = Adam(p)
    first.step({"w": p["w"] ** 2})
    second = Adam(p, lr=0.5)
    second.load_state_dict(first.state_dict())
    second.step({"w": p["w"]})
    return np.sum(p["w"] ** 2)


def in_groups(s):
    p = {"a": s, "b": 2.0}
    optimiser = Sgd(p, 0.1 * s, 0.9)
    for _ in range(3):
        optimiser.step({"a": 2 * p["a"], "b": p["b"] * s})
    return p["a"] * p["b"]


def with_nesterovs_momentum(x):
    p = {"w": x * 1.0}
    optimiser = Sgd(p, 0.1, 0.5, nesterov=True)
    for _ in range(3):
        optimiser.step({k: 2 * v for k, v in p.items()})
    return np.sum(p["w"] ** 3)


def in_nested_dicts(s):
    optimiser = Nested()
    p = {"a": s, "b": 2 * s}
    for _ in range(3):
        optimiser.step(p, {"a": 2 * p["a"], "b": np.sin(p["b"])}, 0.1 * s)
    return p["a"] * p["b"]


def with_a_history(s):
    optimiser = Rms()
    p = {"a": s, "b": s * s}
    for _ in range(3):
        p = optimiser.update(p, {k: v * s for k, v in p.items()})
    return sum(sum(h) for h in optimiser.history.values()) * p["a"] + optimiser.count["a"] * p["b"]


def with_a_history_outside(s):
    p = {"a": s, "b": s * s}
    for _ in range(2):
        p = RMS.update(p, {k: v * s for k, v in p.items()})
    return p["a"] * p["b"] + RMS.cache["a"] + sum(RMS.history["b"])


def with_momentum_outside(x):
    p = {"w": x * 1.0}
    for _ in range(2):
        MOMENTUM.step(p, {"w": p["w"] ** 2})
    return np.sum(p["w"] ** 2)


def losses_outside(s):
    w = s
    for _ in range(3):
        HISTORY["loss"].append((w - 2) ** 2)
        HISTORY["rate"].append(0.1)
        w = w - 0.1 * 2 * (w - 2)
    return HISTORY["loss"][-1] + HISTORY["loss"][0] * w


def stopped_early(s):
    stopping = EarlyStopping(2)
    p = {"a": s, "b": 1.0}
    for k in range(6):
        if stopping(p["a"] ** 2 * (1 if k < 3 else k), p):
            break
        p["a"] = p["a"] * 0.8
        p["b"] = p["b"] + p["a"]
    return stopping.best * stopping.best_params["b"]


def a_list_that_is_left(s):
    FOUND["x"] = [s, s * s]
    return FOUND["x"][1] * s


def a_list_that_the_dict_makes(s):
    LISTS["h"].append(s * s)
    return LISTS["h"][-1] * s
