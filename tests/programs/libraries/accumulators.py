"""Sums and products that begin as another sort of number than they end: integers that become floats, complex numbers, arrays."""

import math

import numpy as np


def horner_from_an_integer(s):
    z = complex(s, 1.0)
    r = 0
    for c in [1.0, 2.0, 3.0]:
        r = r * z + c
    return abs(r)


def horner_from_a_float(s):
    z = complex(s, 1.0)
    r = 0.0
    for c in [1.0, 2.0, 3.0]:
        r = r * z + c
    return abs(r)


def horner_of_numpys(s):
    z = np.exp(1j * s)
    r = 0
    for c in (1, -2, 3):
        r = r * z + c
    return np.abs(r) * s


def parts_of_horner(s):
    z = s * (1 + 1j)
    r = 0
    for c in (1, 2, 3):
        r = r * z + c
    return r.real**2 + r.imag


def phasors(x):
    total = 0
    for k in range(3):
        total += x[k] * np.exp(1j * x[k] * k)
    return np.abs(total) ** 2 + np.angle(total)


def scaled_by_its_modulus(s):
    r = 0
    for k in range(3):
        r = r + complex(s * k, s)
    q = r / abs(r)
    return abs(q + 2) * s


def modulus_within(s):
    r = 1
    for _ in range(2):
        r = r * complex(s, 0.5)
        r = r / (1 + abs(r))
    return abs(r)


def logarithm_of_its_modulus(s):
    r = 0
    for c in [1.0, 2.0]:
        r = r * complex(s, 1.0) + c
    return math.log(abs(r)) + math.hypot(abs(r), s)


def array_from_an_integer(x):
    t = 0
    for i in range(3):
        t = t + x * i
    return np.sum(t * t)


def powers_from_an_integer(s):
    t, p = 0, 1
    for i in range(4):
        t += p
        p *= s
    return t
