"""Correlations and properties as engineering libraries write them: methods by name, checks, units, solvers that may fail."""

import copy
import logging
import math
import warnings

import numpy as np

R = 8.314462618
METHODS = ["Haaland", "Swamee", "Clamond"]
TRANSITION = 2040.0
logger = logging.getLogger(__name__)


class Unconverged(Exception):
    def __init__(self, message, iterations=None, err=None, point=None):
        super().__init__(message)
        self.iterations, self.err, self.point = iterations, err, point


class PhaseError(ValueError):
    """Raised where nothing is known."""


def laminar(Re):
    return 64.0 / Re


def haaland(Re, eD):
    return (-1.8 * math.log10(6.9 / Re + (eD / 3.7) ** 1.11)) ** -2


def swamee(Re, eD):
    return 0.25 / math.log10(eD / 3.7 + 5.74 / Re**0.9) ** 2


def colebrook(Re, eD, tol=1e-13):
    f = swamee(Re, eD)
    for i in range(50):
        g = 1.0 / math.sqrt(f) + 2.0 * math.log10(eD / 3.7 + 2.51 / (Re * math.sqrt(f)))
        slope = -0.5 * f**-1.5 * (1.0 + 2.0 * 2.51 / math.log(10.0) / (Re * (eD / 3.7 + 2.51 / (Re * math.sqrt(f)))))
        step = g / slope
        f -= step
        if abs(step) < tol:
            return f
    raise Unconverged("friction factor did not converge", iterations=i, err=step, point=f)


CHOICES = {"Haaland": (haaland, {"Re": True}), "Swamee": (swamee, {"Re": True}), "Colebrook": (colebrook, {})}


def friction(Re, eD=0.0, Method="Haaland", Darcy=True, AvailableMethods=False):
    if AvailableMethods:
        return [name for name in CHOICES] + (["laminar"] if Re < TRANSITION else [])
    if Re < TRANSITION:
        f = laminar(Re)
    else:
        try:
            f = CHOICES[Method][0](Re=Re, eD=eD)
        except KeyError:
            raise Exception("Failure in friction: method %s is unknown" % Method) from None  # noqa: UP031
    if not Darcy:
        f *= 0.25
    return f


def friction_by_the_default(s):
    return friction(s * 1e4, 1e-3) * 10.0


def friction_by_name(s, Method="Swamee", Darcy=False):
    return friction(s * 1e4, eD=1e-3 * s, Method=Method, Darcy=Darcy) * 10.0


def friction_that_is_solved_for(s):
    return friction(s * 1e5, 2e-4, Method="Colebrook") * 10.0


def friction_that_is_laminar(s):
    return friction(s * 100.0)


def structure_by_a_flag(x, full=False):
    mean = x.mean()
    if full:
        return mean, x.std(), len(x)
    return mean * x[0]


def structure_by_a_number(s, order=3):
    if order == 2:
        return 1.0 - s**2, (1.0 - s) ** 2
    if order == 3:
        return 1.0 - s**3, 1.5 * (1.0 - s**2) * (1.0 - s), 0.5 * (1.0 - s) ** 3
    raise ValueError(f"bad order specified {order}")


def structure_by_a_name(s, kind="both"):
    if kind == "value":
        return s**2
    elif kind == "both":
        return s**2, 2.0 * s
    raise NotImplementedError(kind)


def slices_by_a_number(s, terms=3):
    a = 0.0
    for coefficient in (0.5, -0.2, 1.3, 2.0)[-terms + 1 :]:
        a = (a + coefficient) * s
    return a


def shapes_by_an_argument(x, shape=(3, 1), keep=True):
    table = np.zeros(shape) + x
    return table.sum(axis=0, keepdims=keep)[0] * 0.5 if keep else table.sum(axis=0)


def numbers_of_derivatives(s, order=2):
    out = [s**3]
    for k in range(order):
        out.append(out[-1] * (3 - k) / s)
    return out[-1] if order < 3 else tuple(out)


def normed_if_it_is_an_array(s, mean=0.3, var=2.0, normed=True):
    pdf = np.exp(-0.5 * (s - mean) ** 2 / var)
    if normed and len(np.shape(pdf)) > 0:
        pdf = pdf / sum(pdf)
    return pdf


def normed_since_it_is_an_array(x, mean=0.3, var=2.0, normed=True):
    pdf = np.exp(-0.5 * (x - mean) ** 2 / var)
    if normed and len(np.shape(pdf)) > 0:
        pdf = pdf / sum(pdf)
    return pdf[0] - pdf[2]


def dimensions_that_a_number_has(s):
    if getattr(s, "shape", ()):
        return s[:, 0]
    return s * (2.0 if getattr(s, "ndim", 0) == 0 else 3.0)


def dimensions_that_an_array_has(x):
    if len(getattr(x, "shape", ())) > 1:
        x = x.reshape((3, 1))
    return np.sum(x**2) + np.ndim(x) * x[0]


def numbers_where_arrays_are_written(s):
    y = np.abs(s) * 3.0
    try:
        y[y > 3.0] = 3.0 + 0.1 * y
    except TypeError:
        if y > 3.0:
            y = 3.0 + 0.1 * y
    return y


def warnings_that_are_recorded(s):
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("error")
        ratio = np.sin(s) / s
    return ratio


def failures_with_details(s):
    def solve(f, df, x0, maxiter=30):
        x = x0
        for i in range(maxiter):
            step = f(x) / df(x)
            x = x - step
            if abs(step) < 1e-13:
                return x
        raise Unconverged(f"Failed to converge after {maxiter} iterations", iterations=maxiter, err=step, point=x)

    return solve(lambda t: t**3 - s, lambda t: 3.0 * t**2, 1.0)


def failures_of_a_class_of_its_own(s, phase="l"):
    if phase not in ("l", "g"):
        raise PhaseError("phase is not known", phase, s)
    if s > 100.0:
        raise PhaseError(s)
    return math.log(s) if phase == "l" else s


def callbacks_that_may_be_numpys(s, transform=None):
    if transform is np.exp or transform is None:
        return np.exp(s)
    return transform(s)


def callbacks_that_are_not_numpys(s):
    given = callbacks_that_may_be_numpys
    return given(s, np.log) + given(s, lambda t: t**2) + given(s, np.exp)


class Antoine:
    units = {"Pa": 1.0, "bar": 1e-5}

    def __init__(self, A, B, C, Tmin=None, Tmax=None, extrapolation="clip"):
        self.A, self.B, self.C = A, B, C
        self.Tmin, self.Tmax, self.extrapolation = Tmin, Tmax, extrapolation
        self.calls = 0
        self.method = "ANTOINE"

    def calculate(self, T, method):
        self.calls += 1
        if method == "ANTOINE":
            return 10.0 ** (self.A - self.B / (T + self.C))
        elif method == "CLAPEYRON":
            return math.exp(self.A - self.B / T)
        raise ValueError("Method not valid")

    def __call__(self, T, unit="bar"):
        if self.extrapolation == "clip":
            if self.Tmin is not None and T < self.Tmin:
                T = self.Tmin
            if self.Tmax is not None and T > self.Tmax:
                T = self.Tmax
        try:
            P = self.calculate(T, self.method)
        except Exception as e:
            logger.warning("failed: %s", e)
            return None
        return P * self.units[unit]


WATER = Antoine(10.196, 1730.6, -39.72, Tmin=280.0)


def vapour_pressures(s):
    return WATER(s * 260.0)


def vapour_pressures_in_other_units(s):
    return WATER(300.0 * s, unit="Pa") * 1e-5 + WATER(100.0 + s)


def vapour_pressures_by_another_way(s):
    curve = Antoine(12.0, 3800.0, 0.0, Tmax=500.0)
    curve.method = "CLAPEYRON"
    other = copy.copy(curve)
    other.extrapolation = None
    return curve(s * 300.0) + other(s * 300.0)


class Mixture:
    def __init__(self, zs, Ms, kijs=None):
        self.zs, self.Ms, self.N = zs, Ms, len(zs)
        self.kijs = kijs if kijs is not None else [[0.0] * self.N for _ in range(self.N)]

    def MW(self):
        try:
            return self._MW
        except AttributeError:
            pass
        self._MW = sum(z * M for z, M in zip(self.zs, self.Ms))
        return self._MW

    def ws(self):
        return [z * M / self.MW() for z, M in zip(self.zs, self.Ms)]

    def a_mix(self, ais):
        total = 0.0
        for i in range(self.N):
            row = self.kijs[i]
            for j in range(self.N):
                total += self.zs[i] * self.zs[j] * (1.0 - row[j]) * math.sqrt(ais[i] * ais[j])
        return total


def mixtures_with_values_kept(s):
    m = Mixture([0.3, s / 4.0, 0.7 - s / 4.0], [18.0, 44.0, 28.0])
    return m.MW() * sum(w * k for k, w in enumerate(m.ws()))


def mixtures_of_pairs(x):
    m = Mixture(list(x / x.sum()), [1.0, 2.0, 3.0], [[0.0, 0.1, 0.2], [0.1, 0.0, 0.05], [0.2, 0.05, 0.0]])
    return m.a_mix([xi**2 for xi in x]) + m.MW()


def rachford_rice(zs, Ks, guess=None):
    Kmin, Kmax = min(Ks), max(Ks)
    low, high = 1.0 / (1.0 - Kmax), 1.0 / (1.0 - Kmin)
    V = guess if guess is not None else 0.5 * (low + high)
    for _ in range(30):
        F, dF = 0.0, 0.0
        for K, z in zip(Ks, zs):
            t = z * (K - 1.0) / (1.0 + V * (K - 1.0))
            F += t
            dF -= t * (K - 1.0) / (1.0 + V * (K - 1.0))
        new = V - F / dF
        if new <= low or new >= high:
            new = 0.5 * (V + (high if new >= high else low))
        if abs(new - V) < 1e-14:
            break
        V = new
    liquid = [z / (1.0 + V * (K - 1.0)) for K, z in zip(Ks, zs)]
    return V, liquid, [K * xi for K, xi in zip(Ks, liquid)]


def flashes(x):
    V, xs, ys = rachford_rice([0.5, 0.3, 0.2], [x[2] * 1.5, x[1], x[0] * 0.3])
    return V + xs[0] * 2.0 + ys[1]


def flashes_with_a_guess(s):
    return rachford_rice([0.5, 0.3, 0.2], [2.0 * s, 0.8, 0.3], guess=0.4)[0]


def horner(coefficients, x):
    tot = 0.0
    for c in coefficients:
        tot = tot * x + c
    return tot


def horner_and_its_slopes(coefficients, x, order=1):
    f, der = 0.0, [0.0] * order
    for a in coefficients:
        for k in range(order - 1, 0, -1):
            der[k] = x * der[k] + der[k - 1] * (k + 1)
        der[0] = x * der[0] + f
        f = x * f + a
    return (f, *der)


def polynomials_and_slopes(s, order=2):
    f, *slopes = horner_and_its_slopes((1.5, -0.3, 2.0, 0.1), s, order)
    return f + sum(d * (k + 2) for k, d in enumerate(slopes))


def quantities_by_two_of_three(s, V=None, T=300.0, P=None):
    def state(T=None, P=None, V=None):
        if T is not None and P is not None:
            V = R * T / P
        elif T is not None and V is not None:
            P = R * T / V
        elif P is not None and V is not None:
            T = P * V / R
        else:
            raise ValueError("two of three are needed")
        return {"T": T, "P": P, "V": V}

    first = state(T=T, V=s)
    second = state(P=first["P"] * 0.5, V=first["V"] * s)
    return state(T=second["T"], P=1e3 * s)["V"]


def regions_that_are_looked_up(s):
    regions = {"low": (0.0, 1.0, lambda t: t**2), "middle": (1.0, 2.0, lambda t: 2.0 * t - 1.0), "high": (2.0, 9.0, np.sqrt)}
    for name, (low, high, f) in regions.items():
        if low <= s < high:
            return f(s) * (len(name) + 1.0)
    raise ValueError("out of all regions")


ATMOSPHERE = [(0.0, 288.15, -6.5e-3), (11e3, 216.65, 0.0), (20e3, 216.65, 1e-3)]


def layers_of_an_atmosphere(s):
    h, P = s * 9e3, 101325.0
    for k, (base, T, lapse) in enumerate(ATMOSPHERE):
        top = ATMOSPHERE[k + 1][0] if k + 1 < len(ATMOSPHERE) else 32e3
        dh = min(h, top) - base
        if lapse:
            P *= (1.0 + lapse * dh / T) ** (-9.80665 / (lapse * 287.05))
        else:
            P *= math.exp(-9.80665 * dh / (287.05 * T))
        if h <= top:
            break
    return P / 1e4
