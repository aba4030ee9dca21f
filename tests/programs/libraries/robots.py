"""Filters, vehicles and arms as robotics code writes them: objects with matrices and histories, options that may be functions."""

import math
from collections import namedtuple

import numpy as np


class Filter:
    """A linear filter with its matrices, a likelihood that is computed when it is asked for, and what it saw last."""

    def __init__(self, dim_x, dim_z, alpha=1.0):
        self.dim_x, self.dim_z = dim_x, dim_z
        self.x = np.zeros(dim_x)
        self.P, self.Q, self.F = np.eye(dim_x), np.eye(dim_x) * 0.1, np.eye(dim_x)
        self.H, self.R = np.zeros((dim_z, dim_x)), np.eye(dim_z)
        self._alpha_sq = alpha**2
        self._log_likelihood = None
        self.y, self.S = np.zeros(dim_z), np.eye(dim_z)
        self.inv = np.linalg.inv

    def predict(self, u=None, B=None, F=None, Q=None):
        F = self.F if F is None else F
        if Q is None:
            Q = self.Q
        elif np.isscalar(Q):
            Q = np.eye(self.dim_x) * Q
        if B is not None and u is not None:
            self.x = np.dot(F, self.x) + np.dot(B, u)
        else:
            self.x = np.dot(F, self.x)
        self.P = self._alpha_sq * np.dot(np.dot(F, self.P), F.T) + Q

    def update(self, z, R=None, H=None):
        self._log_likelihood = None
        if z is None:
            return
        if R is None:
            R = self.R
        elif np.isscalar(R):
            R = np.eye(self.dim_z) * R
        H = self.H if H is None else H
        self.y = z - np.dot(H, self.x)
        PHT = np.dot(self.P, H.T)
        self.S = np.dot(H, PHT) + R
        K = np.dot(PHT, self.inv(self.S))
        self.x = self.x + np.dot(K, self.y)
        I_KH = np.eye(self.dim_x) - np.dot(K, H)
        self.P = np.dot(np.dot(I_KH, self.P), I_KH.T) + np.dot(np.dot(K, R), K.T)

    @property
    def log_likelihood(self):
        if self._log_likelihood is None:
            d = len(self.y)
            fit = np.dot(self.y, np.linalg.solve(self.S, self.y))
            self._log_likelihood = -0.5 * (fit + np.log(np.linalg.det(self.S)) + d * math.log(2 * math.pi))
        return self._log_likelihood

    def batch(self, zs, Rs=None, smooth=False):
        n = np.size(zs, 0)
        if Rs is None:
            Rs = [self.R] * n
        means, covariances = np.zeros((n, self.dim_x)), np.zeros((n, self.dim_x, self.dim_x))
        for i, (z, R) in enumerate(zip(zs, Rs)):
            self.predict()
            self.update(z, R=R)
            means[i, :] = self.x
            covariances[i, :, :] = self.P
        if smooth:
            for k in range(n - 2, -1, -1):
                gain = np.dot(covariances[k], np.linalg.inv(covariances[k] + self.Q))
                means[k] += np.dot(gain, means[k + 1] - means[k])
            return means
        return means


def tracker(q=0.1):
    kf = Filter(2, 1)
    kf.F = np.array([[1.0, 0.5], [0.0, 1.0]])
    kf.H[0, 0] = 1.0
    kf.Q *= q
    return kf


def filters_once(s):
    kf = tracker()
    kf.predict()
    kf.update(np.array([s]))
    return kf.log_likelihood + kf.x[1]


def filters_with_noise_that_is_a_number(s):
    kf = tracker()
    kf.predict(Q=s * s)
    kf.update(np.array([0.4]), R=s)
    return kf.x[0] + kf.P[1, 1]


def filters_that_miss_a_measurement(x):
    kf, total = tracker(), 0.0
    for z in (x[:1], None, x[1:2], x[2:]):
        kf.predict()
        kf.update(z)
        total += kf.log_likelihood
    return total


def filters_with_a_control(x):
    kf = tracker()
    for k in range(3):
        kf.predict(u=x[k : k + 1], B=np.array([[0.1], [1.0]]))
        kf.update(x[:1] * 0.5)
    return kf.x @ kf.P @ kf.x


def filters_in_batches(x, smooth=False):
    return np.sum(tracker().batch(x.reshape(3, 1), smooth=smooth)[:, 0] ** 2)


def filters_that_smooth(x, smooth=True):
    return np.sum(tracker().batch(x.reshape(3, 1), smooth=smooth)[:, 0] ** 2)


def filters_with_noise_of_their_own(x):
    return tracker(0.3).batch(x.reshape(3, 1), Rs=[1.0, 2.0, 0.5])[-1, 0]


class Sigmas:
    def __init__(self, n, alpha=0.5, beta=2.0, kappa=0.0, sqrt_method=None, subtract=None):
        self.n, self.alpha, self.beta, self.kappa = n, alpha, beta, kappa
        self.sqrt = np.linalg.cholesky if sqrt_method is None else sqrt_method
        self.subtract = np.subtract if subtract is None else subtract
        self._weights()

    def _weights(self):
        lambda_ = self.alpha**2 * (self.n + self.kappa) - self.n
        self.Wc = np.full(2 * self.n + 1, 0.5 / (self.n + lambda_))
        self.Wm = np.full(2 * self.n + 1, 0.5 / (self.n + lambda_))
        self.Wc[0] = lambda_ / (self.n + lambda_) + (1 - self.alpha**2 + self.beta)
        self.Wm[0] = lambda_ / (self.n + lambda_)

    def points(self, x, P):
        n = self.n
        if np.isscalar(P):
            P = np.eye(n) * P
        U = self.sqrt((self.alpha**2 * (n + self.kappa)) * P)
        out = np.zeros((2 * n + 1, n))
        out[0] = x
        for k in range(n):
            out[k + 1] = self.subtract(x, -U[k])
            out[n + k + 1] = self.subtract(x, U[k])
        return out


def unscented(sigmas, Wm, Wc, noise=None, mean_fn=None, residual_fn=None):
    kmax, n = sigmas.shape
    try:
        if mean_fn is None:
            mean = np.dot(Wm, sigmas)
        else:
            mean = mean_fn(sigmas, Wm)
    except Exception:
        print(sigmas)
        raise
    if residual_fn is np.subtract or residual_fn is None:
        y = sigmas - mean[np.newaxis, :]
        P = np.dot(y.T, np.dot(np.diag(Wc), y))
    else:
        P = np.zeros((n, n))
        for k in range(kmax):
            y = residual_fn(sigmas[k], mean)
            P += Wc[k] * np.outer(y, y)
    if noise is not None:
        P += noise
    return mean, P


def points_around_a_mean(x):
    s = Sigmas(3)
    return np.sum(np.sin(s.points(x, np.diag(x))) * s.Wm[:, np.newaxis])


def points_of_a_variance(s):
    return np.sum(Sigmas(2).points(np.array([s, 1.0]), s) ** 3)


def transforms_that_take_the_fast_way(x):
    s = Sigmas(3)
    mean, P = unscented(np.sin(s.points(x, 0.3)), s.Wm, s.Wc)
    return mean.sum() + P[0, 1] + P[2, 2]


def transforms_with_a_function_of_numpys(x):
    s = Sigmas(3)
    mean, P = unscented(np.tanh(s.points(x, 0.3)), s.Wm, s.Wc, noise=np.eye(3), residual_fn=np.subtract)
    return mean @ P @ mean


def wrapped(a, b):
    y = a - b
    y[0] = (y[0] + np.pi) % (2 * np.pi) - np.pi
    return y


def transforms_with_functions_of_their_own(x):
    s = Sigmas(3)
    heading = lambda sigmas, w: np.array([np.arctan2(w @ np.sin(sigmas[:, 0]), w @ np.cos(sigmas[:, 0])), *(w @ sigmas[:, 1:])])
    mean, P = unscented(s.points(x, 0.1), s.Wm, s.Wc, 0.01 * np.eye(3), heading, wrapped)
    return mean.sum() + np.trace(P)


class State:
    def __init__(self, x=0.0, y=0.0, yaw=0.0, v=0.0):
        self.x, self.y, self.yaw, self.v = x, y, yaw, v
        self.rear_x = self.x - (WB / 2) * math.cos(self.yaw)
        self.rear_y = self.y - (WB / 2) * math.sin(self.yaw)

    def update(self, a, delta):
        delta = max(-MAX_STEER, min(MAX_STEER, delta))
        self.x += self.v * math.cos(self.yaw) * DT
        self.y += self.v * math.sin(self.yaw) * DT
        self.yaw += self.v / WB * math.tan(delta) * DT
        self.yaw = pi_2_pi(self.yaw)
        self.v += a * DT
        self.rear_x = self.x - (WB / 2) * math.cos(self.yaw)
        self.rear_y = self.y - (WB / 2) * math.sin(self.yaw)

    def calc_distance(self, point_x, point_y):
        return math.hypot(self.rear_x - point_x, self.rear_y - point_y)


class States:
    def __init__(self):
        self.x, self.y, self.yaw, self.v, self.t = [], [], [], [], []

    def append(self, t, state):
        self.x.append(state.x)
        self.y.append(state.y)
        self.yaw.append(state.yaw)
        self.v.append(state.v)
        self.t.append(t)


class Course:
    def __init__(self, cx, cy):
        self.cx, self.cy = cx, cy
        self.old_nearest = None

    def search(self, state):
        if self.old_nearest is None:
            d = np.hypot([state.rear_x - a for a in self.cx], [state.rear_y - b for b in self.cy])
            ind = np.argmin(d)
            self.old_nearest = ind
        else:
            ind = self.old_nearest
            while ind + 1 < len(self.cx) and state.calc_distance(self.cx[ind + 1], self.cy[ind + 1]) < state.calc_distance(
                self.cx[ind], self.cy[ind]
            ):
                ind += 1
            self.old_nearest = ind
        ahead = 0.1 * state.v + 1.0
        while ahead > state.calc_distance(self.cx[ind], self.cy[ind]):
            if ind + 1 >= len(self.cx):
                break
            ind += 1
        return ind, ahead


WB, DT, MAX_STEER, KP = 2.9, 0.1, math.radians(45.0), 1.0


def pi_2_pi(angle):
    return (angle + math.pi) % (2 * math.pi) - math.pi


def pursue(state, course, pind):
    ind, ahead = course.search(state)
    ind = max(pind, ind)
    tx, ty = (course.cx[ind], course.cy[ind]) if ind < len(course.cx) else (course.cx[-1], course.cy[-1])
    alpha = math.atan2(ty - state.rear_y, tx - state.rear_x) - state.yaw
    return math.atan2(2.0 * WB * math.sin(alpha) / ahead, 1.0), ind


def vehicles_that_pursue(s):
    course = Course([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [math.sin(k / 3.0) * s for k in range(6)])
    state, states, target = State(x=-0.5, y=0.1, v=2.0), States(), 0
    for k in range(5):
        steer, target = pursue(state, course, target)
        state.update(KP * (s * 2.0 - state.v), steer)
        states.append(k * DT, state)
    return states.x[-1] + states.y[-1] * 2.0 + sum(states.yaw)


def vehicles_that_steer_too_far(x):
    state = State(v=x[0])
    for k in range(4):
        state.update(x[1], x[2] * (k - 1.5))
    return state.x**2 + state.y + state.yaw


class Arm:
    def __init__(self, links, angles, goal):
        self.n_links = len(links)
        self.links, self.angles, self.goal = np.array(links), np.array(angles), np.array(goal)
        self.points = [[0, 0] for _ in range(self.n_links + 1)]
        self.lim = sum(links)
        self.update_points()

    def update_points(self):
        for i in range(1, self.n_links + 1):
            self.points[i][0] = self.points[i - 1][0] + self.links[i - 1] * np.cos(np.sum(self.angles[:i]))
            self.points[i][1] = self.points[i - 1][1] + self.links[i - 1] * np.sin(np.sum(self.angles[:i]))
        self.end = np.array(self.points[self.n_links])

    def jacobian(self):
        J = np.zeros((2, self.n_links))
        for i in range(self.n_links):
            J[0, i] = 0
            J[1, i] = 0
            for j in range(i, self.n_links):
                J[0, i] -= self.links[j] * np.sin(np.sum(self.angles[:j]))
                J[1, i] += self.links[j] * np.cos(np.sum(self.angles[:j]))
        return J

    def step(self, rate):
        self.angles = self.angles + rate * (np.linalg.pinv(self.jacobian()) @ (self.goal - self.end))
        self.update_points()


def arms_that_reach(x):
    arm = Arm([1.0, 0.8, 0.5], x, [1.2, 0.6])
    for _ in range(3):
        arm.step(0.3)
    return np.sum((arm.end - arm.goal) ** 2) + arm.angles[0]


class Polynomial:
    """A quintic between two ends, and its derivatives."""

    def __init__(self, xs, vxs, axs, xe, vxe, axe, time):
        self.a0, self.a1, self.a2 = xs, vxs, axs / 2.0
        A = np.array([
            [time**3, time**4, time**5],
            [3 * time**2, 4 * time**3, 5 * time**4],
            [6 * time, 12 * time**2, 20 * time**3],
        ])  # fmt: skip
        b = np.array([xe - self.a0 - self.a1 * time - self.a2 * time**2, vxe - self.a1 - 2 * self.a2 * time, axe - 2 * self.a2])
        self.a3, self.a4, self.a5 = np.linalg.solve(A, b)

    def calc_point(self, t):
        return self.a0 + self.a1 * t + self.a2 * t**2 + self.a3 * t**3 + self.a4 * t**4 + self.a5 * t**5

    def calc_third_derivative(self, t):
        return 6 * self.a3 + 24 * self.a4 * t + 60 * self.a5 * t**2


def quintics_of_least_jerk(s):
    best = (float("inf"), 0.0)
    for T in np.arange(2.0, 4.0, 0.5):
        qp = Polynomial(0.0, s, 0.1, 5.0 * s, 1.0, 0.0, T)
        cost = sum(qp.calc_third_derivative(t) ** 2 for t in np.arange(0.0, T, 0.5)) + 0.1 * T**2
        if cost < best[0]:
            best = (cost, qp.calc_point(T / 2))
    return best[0] * 0.1 + best[1]


class Spline:
    def __init__(self, x, y):
        h = np.diff(x)
        if np.any(h < 0):
            raise ValueError("x coordinates must be sorted in ascending order")
        self.a, self.b, self.c, self.d = [], [], [], []
        self.x, self.y, self.nx = x, y, len(x)
        self.a = [iy for iy in y]
        A, B = self.__calc_A(h), self.__calc_B(h, self.a)
        self.c = np.linalg.solve(A, B)
        for i in range(self.nx - 1):
            d = (self.c[i + 1] - self.c[i]) / (3.0 * h[i])
            b = 1.0 / h[i] * (self.a[i + 1] - self.a[i]) - h[i] / 3.0 * (2.0 * self.c[i] + self.c[i + 1])
            self.d.append(d)
            self.b.append(b)

    def calc_position(self, x):
        if x < self.x[0]:
            return None
        elif x > self.x[-1]:
            return None
        i = self.__search_index(x)
        dx = x - self.x[i]
        return self.a[i] + self.b[i] * dx + self.c[i] * dx**2.0 + self.d[i] * dx**3.0

    def __search_index(self, x):
        for k in range(self.nx - 1):
            if x < self.x[k + 1]:
                return k
        return self.nx - 2

    def __calc_A(self, h):
        A = np.zeros((self.nx, self.nx))
        A[0, 0] = 1.0
        for i in range(self.nx - 1):
            if i != (self.nx - 2):
                A[i + 1, i + 1] = 2.0 * (h[i] + h[i + 1])
            A[i + 1, i] = h[i]
            A[i, i + 1] = h[i]
        A[0, 1] = 0.0
        A[self.nx - 1, self.nx - 2] = 0.0
        A[self.nx - 1, self.nx - 1] = 1.0
        return A

    def __calc_B(self, h, a):
        B = np.zeros(self.nx)
        for i in range(self.nx - 2):
            B[i + 1] = 3.0 * (a[i + 2] - a[i + 1]) / h[i + 1] - 3.0 * (a[i + 1] - a[i]) / h[i]
        return B


def splines_with_private_methods(x):
    sp = Spline([0.0, 1.0, 2.5, 4.0], [x[0], x[1], x[2], 0.5])
    return sum(sp.calc_position(t) for t in (0.3, 1.4, 3.9))


def splines_over_knots_that_move(x):
    sp = Spline(np.cumsum(x), np.sin(x))
    return sp.calc_position(1.0) + sp.calc_position(3.0)


Pose = namedtuple("Pose", ["x", "y", "theta"])


def compose(a, b):
    c, s = math.cos(a.theta), math.sin(a.theta)
    return Pose(a.x + c * b.x - s * b.y, a.y + s * b.x + c * b.y, pi_2_pi(a.theta + b.theta))


def poses_that_are_composed(s):
    pose = Pose(0.0, 0.0, 0.0)
    for k in range(4):
        pose = compose(pose, Pose(x=s, y=0.1 * k, theta=s / 3.0))
    return pose.x + 2.0 * pose.y + pose._replace(theta=pose.theta * s).theta


def resample(weights, particles):
    total, cumulative = np.sum(weights), np.cumsum(weights)
    base, inds, ind = np.arange(0.0, 1.0, 1 / len(weights)) + 0.01, [], 0
    for ip in range(len(weights)):
        while base[ip] > cumulative[ind] / total:
            ind += 1
        inds.append(ind)
    return particles[inds], np.full(len(weights), 1.0 / len(weights))


def particles_that_are_drawn_again(x):
    px, pw = np.stack([x, x**2, 1.0 / x]).T, np.exp(-x)
    for z in (1.0, 1.4):
        for ip in range(3):
            d = math.hypot(px[ip, 0] - z, px[ip, 1])
            pw[ip] = pw[ip] * math.exp(-(d**2) / 8.0)
        pw = pw / pw.sum()
        if 1.0 / (pw.dot(pw.T)) < 2.0:
            px, pw = resample(pw, px)
    return pw @ px[:, 0] + px[:, 2].sum()
