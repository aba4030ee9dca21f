"""Fields that share what they hold: parameters that are kept, views of arrays, what was last."""

import numpy as np


class KeepsDict:
    def __init__(self, params):
        self.params = params

    def step(self, g):
        self.params["w"] = self.params["w"] - 0.1 * g


def kept_dict_read_by_caller(x):
    p = {"w": x[0] * 1.0, "b": x[1]}
    m = KeepsDict(p)
    m.step(x[2] * p["w"])
    return p["w"] ** 2 * p["b"]


def kept_dict_written_by_caller(x):
    p = {"w": x[0] * 1.0, "b": x[1]}
    m = KeepsDict(p)
    p["w"] = x[2] ** 2
    m.step(x[0])
    return m.params["w"] ** 2 * p["b"] + p["w"]


class KeepsLater:
    def __init__(self):
        self.params = None

    def fit(self, params, x):
        self.params = params
        for k in range(3):
            self.params[k % 2] = self.params[k % 2] * x[k]
        return self


def kept_list_later(x):
    p = [x[0], x[1] * 2]
    m = KeepsLater()
    m.fit(p, x)
    p[0] *= x[1]
    return m.params[0] * p[1] + p[0] ** 2


class Sgd:
    def __init__(self, params, lr=0.1):
        self.params = params
        self.lr = lr
        self.velocity = [np.zeros_like(p) for p in params]

    def step(self, grads):
        for i, g in enumerate(grads):
            self.velocity[i] = 0.9 * self.velocity[i] + g
            self.params[i] -= self.lr * self.velocity[i]


def sgd_shared_list(x):
    params = [x[:2] * 1.0, x[1:] ** 2]
    opt = Sgd(params)
    for _ in range(4):
        opt.step([2 * params[0] * x[2], np.cos(params[1])])
    return np.sum(params[0] ** 2) + np.sum(params[1])


class SgdDict:
    def __init__(self, params, lr=0.1):
        self.params = params
        self.lr = lr
        self.m = {k: np.zeros_like(v) for k, v in params.items()}

    def step(self, grads):
        for k in self.params:
            self.m[k] = 0.9 * self.m[k] + grads[k]
            self.params[k] -= self.lr * self.m[k]


def sgd_shared_dict(x):
    params = {"W": np.outer(x, x), "b": x * 1.0}
    opt = SgdDict(params)
    for _ in range(3):
        y = params["W"] @ x + params["b"]
        opt.step({"W": np.outer(2 * y, x), "b": 2 * y})
    return np.sum((params["W"] @ x + params["b"]) ** 2)


PARAMS = {"gain": 2.0, "tau": 0.5}


class Kept:
    params = None

    def configure(self, params):
        self.params = params

    def f(self, x):
        return self.params["gain"] * x**2 + self.params["tau"]


OBJ = Kept()


def global_object_keeps_global_dict(x):
    OBJ.configure(PARAMS)
    PARAMS["gain"] = PARAMS["gain"] * x[0]
    return np.sum(OBJ.f(x))


STATE = [0.0, 0.0]


class Holder:
    def __init__(self):
        self.data = [1.0]


H = Holder()


def global_object_keeps_global_list(x):
    H.data = STATE
    STATE[0] = STATE[0] + x[0] ** 2
    H.data[1] = x[1] * H.data[0]
    return STATE[1] * x[2] + H.data[0]


def global_object_keeps_local_dict(x):
    p = {"gain": x[0] ** 2, "tau": x[1]}
    OBJ.configure(p)
    p["gain"] = p["gain"] * 3.0
    out = np.sum(OBJ.f(x))
    OBJ.params["tau"] = x[2] ** 2
    return out + p["tau"]


class Layer:
    def __init__(self, params, name):
        self.params = params
        self.name = name

    def __call__(self, v):
        return np.tanh(self.params[self.name + "_W"] @ v + self.params[self.name + "_b"])


def layers_share_params(x):
    params = {"a_W": np.outer(x, x), "a_b": x * 1.0, "b_W": np.outer(x, np.ones(3)), "b_b": x**2}
    layers = [Layer(params, "a"), Layer(params, "b")]
    v = x
    for l in layers:
        v = l(v)
    params["a_b"] = params["a_b"] - 0.1 * v
    params["b_W"] *= 0.5
    for l in layers:
        v = l(v)
    return np.sum(v)


class Model:
    def __init__(self, params):
        self.params = params

    def set_params(self, params):
        self.params = params

    def loss(self, x):
        return np.sum((self.params["W"] @ x - self.params["y"]) ** 2)


def model_set_params_in_loop(x):
    m = Model({"W": np.eye(3), "y": np.ones(3)})
    total = 0.0
    for k in range(3):
        p = {"W": np.outer(x, x) * (k + 1), "y": x**k}
        m.set_params(p)
        total += m.loss(x)
        p["y"] = p["y"] * 2.0
        total += m.loss(x)
    return total


class Wave:
    def __init__(self, u):
        self.u = u
        self.inner = self.u[1:-1]

    def step(self, c):
        self.inner += c * (self.u[2:] - 2 * self.inner + self.u[:-2])


def view_attribute_augmented(x):
    w = Wave(np.concatenate([x, x**2, [1.0]]))
    for _ in range(3):
        w.step(0.1 * x[0])
    return np.sum(w.u**2)


class Wave2:
    def __init__(self, n):
        self.u = np.zeros(n)
        self.inner = self.u[1:-1]
        self.left = self.u[:-2]
        self.right = self.u[2:]

    def set(self, v):
        self.u[:] = v

    def step(self, c):
        self.inner[:] = self.inner + c * (self.left - 2 * self.inner + self.right)


def view_attribute_assigned(x):
    w = Wave2(5)
    w.set(np.concatenate([x, x[:2] ** 2]))
    for _ in range(3):
        w.step(0.1 * x[0])
    return np.sum(w.u**2)


class Grid:
    def __init__(self, nx, ny):
        self.data = np.zeros((nx, ny))
        self.core = self.data[1:-1, 1:-1]
        self.top = self.data[0]

    def apply(self, x):
        self.top[:] = x[0]
        for _ in range(4):
            self.core[...] = (
                0.25
                * (self.data[:-2, 1:-1] + self.data[2:, 1:-1] + self.data[1:-1, :-2] + self.data[1:-1, 2:])
                * x[1]
            )
        return np.sum(self.data * x[2])


def grid_views(x):
    g = Grid(4, 5)
    return g.apply(x)


class State:
    def __init__(self, n):
        self.y = np.zeros(2 * n)
        self.pos = self.y[:n]
        self.vel = self.y[n:]


def state_views(x):
    s = State(3)
    s.pos[:] = x
    s.vel[:] = x[::-1]
    for _ in range(5):
        s.vel -= 0.1 * s.pos * x[0]
        s.pos += 0.1 * s.vel
    return np.sum(s.y**2)


class Net:
    def __init__(self, theta):
        self.theta = theta
        self.W = theta[:4].reshape(2, 2)
        self.b = theta[4:6]

    def __call__(self, v):
        return np.tanh(self.W @ v + self.b)

    def update(self, g):
        self.theta -= 0.1 * g


def net_views_into_theta(x):
    net = Net(np.concatenate([x, x**2]))
    out = 0.0
    for _ in range(3):
        y = net(x[:2])
        out += np.sum(y)
        net.update(np.concatenate([x, x]) * y[0])
    return out + np.sum(net.W**2)


class Swap:
    def __init__(self, u):
        self.a = u.copy()
        self.b = u * 0.5
        self.ai = self.a[1:-1]
        self.bi = self.b[1:-1]

    def step(self):
        self.bi[:] = self.ai * 0.9 + 0.1 * self.a[2:] * self.a[:-2]
        self.a, self.b = (self.b, self.a)
        self.ai, self.bi = (self.bi, self.ai)


def swapped_views(x):
    s = Swap(np.concatenate([x, x]))
    for _ in range(4):
        s.step()
    return np.sum(s.a**2 + s.b)


class Verlet:
    def __init__(self, acc):
        self.acc = acc
        self.last = None

    def step(self, q, v, dt):
        if self.last is None:
            self.last = self.acc(q)
        a = self.last
        q = q + dt * v + 0.5 * dt * dt * a
        new = self.acc(q)
        v = v + 0.5 * dt * (a + new)
        self.last = new
        return (q, v)


def verlet_inside(x):
    ver = Verlet(lambda q: -np.sin(q) * x[0])
    q, v = (x, x[::-1])
    for _ in range(4):
        q, v = ver.step(q, v, 0.1)
    return np.sum(q**2 + v)


V = Verlet(lambda q: -np.sin(q))


def verlet_outside(x):
    q, v = (x, x[::-1])
    for _ in range(4):
        q, v = V.step(q, v, 0.1)
    return np.sum(q**2 + v)


class Body:
    def __init__(self, m, r, v):
        self.m = m
        self.r = r
        self.v = v
        self.a_prev = None


def accelerate(bodies):
    out = []
    for b in bodies:
        a = np.zeros(2)
        for c in bodies:
            if c is not b:
                d = c.r - b.r
                a = a + c.m * d / (np.dot(d, d) + 0.01) ** 1.5
        out.append(a)
    return out


def nbody(x):
    bodies = [
        Body(x[0], np.array([0.0, 0.0]), np.array([0.0, 0.1])),
        Body(x[1], np.array([1.0, 0.0]), np.array([0.0, 1.0])),
        Body(x[2], np.array([0.0, 2.0]), np.array([-0.7, 0.0])),
    ]
    for _ in range(3):
        acc = accelerate(bodies)
        for b, a in zip(bodies, acc):
            if b.a_prev is None:
                b.a_prev = a
            b.r = b.r + 0.1 * b.v + 0.5 * 0.01 * b.a_prev
            b.v = b.v + 0.05 * (a + b.a_prev)
            b.a_prev = a
    return sum(np.sum(b.r**2) for b in bodies)


class Sim:
    def __init__(self):
        self.a = np.zeros(3)
        self.t = 0.0

    def run(self, x):
        q = x
        v = np.zeros(3)
        for _ in range(3):
            q = q + 0.1 * v + 0.005 * self.a
            new = -q * x
            v = v + 0.05 * (self.a + new)
            self.a = new
            self.t += 0.1
        return np.sum(q)


SIM = Sim()


def sim_outside(x):
    return SIM.run(x)


class Filter:
    def __init__(self, alpha):
        self.alpha = alpha
        self.y = None

    def __call__(self, v):
        if self.y is None:
            self.y = v
        else:
            self.y = self.alpha * v + (1 - self.alpha) * self.y
        return self.y


FIL = Filter(0.3)


def filter_outside(x):
    return sum(FIL(v) ** 2 for v in x)


class Pid:
    def __init__(self):
        self.i = 0.0
        self.prev = None

    def __call__(self, e, dt=0.1):
        self.i += e * dt
        d = 0.0 if self.prev is None else (e - self.prev) / dt
        self.prev = e
        return 2 * e + 0.5 * self.i + 0.1 * d


PID = Pid()


def pid_outside(x):
    y = x[0]
    for k in range(4):
        y = y + 0.1 * PID(x[1] - y) * x[2]
    return y**2


class Multi:
    order = 0

    def __init__(self):
        self.f = []

    def step(self, y, h):
        self.f.append(-(y**2))
        if len(self.f) > 3:
            self.f.pop(0)
        if len(self.f) == 1:
            return y + h * self.f[0]
        if len(self.f) == 2:
            return y + h * (1.5 * self.f[-1] - 0.5 * self.f[-2])
        return y + h * (23 * self.f[-1] - 16 * self.f[-2] + 5 * self.f[-3]) / 12


def adams_inside(x):
    m = Multi()
    y = x
    for _ in range(5):
        y = m.step(y, 0.1 * x[0])
    return np.sum(y)


AB = Multi()


def adams_outside(x):
    y = x
    for _ in range(5):
        y = AB.step(y, 0.1)
    return np.sum(y)
