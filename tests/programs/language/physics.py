"""Energies, orbits, circuits and lattices: small physical models in many handwritings."""

import math

import numpy as np

from ..case import case

G = 6.674e-3  # scaled so that the numbers stay near one
kB, EV = 1.0, 2.5
BARS = {"bottom": (0, 1), "left": (0, 2), "right": (1, 2), "top": (2, 3), "brace": (1, 3)}


def orbital_elements(position, velocity, mu=1.0):
    """Semi-major axis and eccentricity from a planar state."""
    x, y = position
    vx, vy = velocity
    r = math.sqrt(x**2 + y**2)
    v2 = vx**2 + vy**2
    a = 1 / (2 / r - v2 / mu)
    rv = x * vx + y * vy
    ex = ((v2 - mu / r) * x - rv * vx) / mu
    ey = ((v2 - mu / r) * y - rv * vy) / mu
    return a + 3 * math.sqrt(ex * ex + ey * ey)


def n_body_energy(masses, positions, softening=0.1):
    energy = 0.0
    for i, (mi, ri) in enumerate(zip(masses, positions)):
        for mj, rj in zip(masses[:i], positions[:i]):
            d = ri - rj
            energy -= G * mi * mj / np.sqrt(d @ d + softening**2)
    return energy


def two_body_verlet(r, v, mu):
    def acc(r):
        x, y = r
        d3 = (x * x + y * y) ** 1.5
        return [-mu * x / d3, -mu * y / d3]

    dt, a = 0.05, acc(r)
    for _ in range(12):
        r = [p + dt * q + dt**2 / 2 * s for p, q, s in zip(r, v, a)]
        a_new = acc(r)
        v = [q + dt / 2 * (s + t) for q, s, t in zip(v, a, a_new)]
        a = a_new
    return r[0] * v[1] - r[1] * v[0] + math.hypot(*r)


def lennard_jones(coords, epsilon, sigma, cutoff=2.5):
    n = len(coords)
    total = 0.0
    for i in range(n - 1):
        for j in range(i + 1, n):
            r2 = sum((coords[i][k] - coords[j][k]) ** 2 for k in range(3))
            if r2 > (cutoff * sigma) ** 2:
                continue
            s6 = (sigma**2 / r2) ** 3
            total += 4 * epsilon * (s6**2 - s6)
    return total


def spring_chain(x, k, rest=0.8):
    stretch = x[1:] - x[:-1] - rest
    energy = 0.5 * k * (stretch**2).sum()
    return energy + sum(0.1 * xi**4 for xi in x)


def truss_energy(free, stiffness):
    nodes = [np.zeros(2), np.array([1.0, 0.0]), free[:2], free[2:]]
    energy = 0.0
    for name, (a, b) in BARS.items():
        length = np.linalg.norm(nodes[b] - nodes[a])
        energy += 0.5 * stiffness[name] * (length - 1.0) ** 2
    return energy + 0.2 * nodes[3][1]


def cantilever_deflection(load, E, I, length, pieces=8):
    # integrate the curvature twice; the load sits at the tip
    h = length / pieces
    slope = deflection = 0.0
    for i in range(pieces):
        x = (i + 0.5) * h
        curvature = load * (length - x) / (E * I)
        deflection += h * (slope + 0.5 * h * curvature)
        slope += h * curvature
    return deflection


def heisenberg_chain(theta, phi, J, field):
    spins = [(math.sin(t) * math.cos(p), math.sin(t) * math.sin(p), math.cos(t)) for t, p in zip(theta, phi)]
    n = len(spins)
    bonds = sum(a * b for i in range(n) for a, b in zip(spins[i], spins[(i + 1) % n]))
    return -J * bonds - field * sum(s[2] for s in spins)


def ising_mean_field(T, J, h, z=4):
    m = 0.5
    for sweep in range(500):
        new = math.tanh((z * J * m + h) / (kB * T))
        if abs(new - m) < 1e-14:
            break
        m = new
    return m


def partition_function(levels, beta):
    Z = sum(math.exp(-beta * e) for e in levels)
    mean = sum(e * math.exp(-beta * e) for e in levels) / Z
    var = sum((e - mean) ** 2 * math.exp(-beta * e) for e in levels) / Z
    return math.log(Z) + beta**2 * var


def transfer_matrix_ising(J, h, T, n=6):
    b = 1 / T
    M = np.array([[np.exp(b * (J + h)), np.exp(-b * J)], [np.exp(-b * J), np.exp(b * (J - h))]])
    P = M
    for _ in range(n - 1):
        P = P @ M
    return -T * np.log(np.trace(P))


def rlc_gain(R, L, C, omega):
    s = 1j * omega
    z_par = 1 / (1 / (s * L) + s * C)
    return abs(z_par / (R + z_par))


def fabry_perot(thickness, index, wavelengths):
    total = 0.0
    for lam in wavelengths:
        phase = np.exp(2j * np.pi * index * thickness / lam)
        r = (1 - index) / (1 + index)
        t = (1 - r**2) * phase / (1 - r**2 * phase**2)
        total += abs(t) ** 2
    return total


def wave_packet(x0, k0, width):
    x = np.linspace(-4.0, 4.0, 33)
    psi = np.exp(-((x - x0) ** 2) / (4 * width**2) + 1j * k0 * x)
    norm = np.sum(np.abs(psi) ** 2)
    dpsi = (psi[2:] - psi[:-2]) / (x[2] - x[0])
    momentum = np.sum((np.conj(psi[1:-1]) * -1j * dpsi).real)
    return momentum / norm


def arrhenius_chain(temperature, activations, hours=10):
    A, B, C = 1.0, 0.0, 0.0
    k1, k2 = (5.0 * math.exp(-Ea / temperature) for Ea in activations)
    for _ in range(hours):
        r1, r2 = k1 * A, k2 * B
        A -= 0.1 * r1
        B += 0.1 * (r1 - r2)
        C += 0.1 * r2
    return B + 2 * C


def diode_current(voltage, i_sat, r_series):
    """Shockley with a series resistance; Newton on the junction voltage, damped."""
    vt = 0.15
    vj = 0.6 * voltage
    for _ in range(50):
        g = vj + r_series * i_sat * (math.exp(vj / vt) - 1) - voltage
        dg = 1 + r_series * i_sat / vt * math.exp(vj / vt)
        step = g / dg
        vj = vj - max(-0.2, min(0.2, step))
        if abs(step) < 1e-14:
            break
    return i_sat * (math.exp(vj / vt) - 1)


def snell_stack(angle, indices):
    # refract through layers; total reflection ends the walk
    s = math.sin(angle) * indices[0]
    path = 0.0
    for n in indices[1:]:
        if s >= n:
            break
        path += math.tan(math.asin(s / n)) / n
    return path


def drag_fall(mass, area, height=50.0, *, rho=1.2, dt=0.05):
    v, y, steps = 0.0, height, 0
    while y > height - 20.0 and steps < 200:
        drag = 0.5 * rho * v * abs(v) * area / mass
        v += dt * (9.81 - drag)
        y -= dt * v
        steps += 1
    return v


def pid_controller(gains, setpoint, plant_gain=0.8):
    kp, ki, kd = gains
    temp, integral, last = 0.0, 0.0, setpoint
    cost = 0.0
    for _ in range(15):
        error = setpoint - temp
        integral += 0.1 * error
        u = kp * error + ki * integral + kd * (error - last) / 0.1
        u = min(max(u, -2.0), 2.0)
        last = error
        temp += 0.1 * (plant_gain * u - 0.5 * temp)
        cost += error**2 + 0.01 * u**2
    return cost


def tight_binding(hoppings, onsite):
    n = len(onsite)
    H = np.diag(onsite)
    for i, t in enumerate(hoppings):
        shift = np.zeros((n, n))
        shift[i, i + 1] = shift[i + 1, i] = 1.0
        H = H - t * shift
    resolvent = np.linalg.inv(EV * np.eye(n) - H)
    return resolvent[0, n - 1]


CASES = (
    case(orbital_elements, lambda rng: ((1.0, 0.2), [0.1, 0.9]), wrt=(0, 1)),
    case(n_body_energy, lambda rng: ([1.0, 2.0, 0.5], rng.normal(size=(3, 3))), wrt=(0, 1)),
    case(two_body_verlet, lambda rng: ([1.0, 0.1], [0.0, 0.9], 1.1), wrt=(0, 1, 2)),
    case(lennard_jones,
         lambda rng: (np.array([[0.0, 0, 0], [1.1, 0.1, 0], [0.2, 1.3, 0.1], [4.5, 0, 0]]), 0.9, 1.05), wrt=(0, 1, 2)),
    case(spring_chain, lambda rng: (np.arange(5) * 0.9 + 0.1 * rng.normal(size=5), 2.0), wrt=(0, 1)),
    case(truss_energy,
         lambda rng: (np.array([0.4, 0.9, 0.9, 1.3]), {name: 1.0 + 0.2 * i for i, name in enumerate(BARS)}),
         wrt=(0, 1)),
    case(cantilever_deflection, lambda rng: (2.0, 5.0, 0.8, 1.5), wrt=(0, 1, 2, 3)),
    case(heisenberg_chain, lambda rng: (rng.uniform(0, 3, size=4), rng.uniform(0, 6, size=4), 0.8, 0.3),
         wrt=(0, 1, 2, 3)),
    case(ising_mean_field, lambda rng: (2.5, 1.0, 0.2), wrt=(0, 1, 2)),
    case(partition_function, lambda rng: ([0.0, 0.7, 1.1, 2.0], 0.9), wrt=(0, 1)),
    case(transfer_matrix_ising, lambda rng: (0.8, 0.1, 1.7), wrt=(0, 1, 2)),
    case(rlc_gain, lambda rng: (1.0, 0.5, 0.4, 1.8), wrt=(0, 1, 2, 3)),
    case(fabry_perot, lambda rng: (1.1, 1.5, [0.5, 0.62, 0.7]), wrt=(0, 1, 2)),
    case(wave_packet, lambda rng: (0.3, 1.2, 0.8), wrt=(0, 1, 2)),
    case(arrhenius_chain, lambda rng: (1.3, (1.0, 2.2)), wrt=(0, 1)),
    case(diode_current, lambda rng: (1.2, 0.02, 0.5), wrt=(0, 1, 2)),
    case(snell_stack, lambda rng: (0.9, [1.5, 1.3, 1.22, 1.0, 1.4]), wrt=(0, 1)),
    case(drag_fall, lambda rng: (1.4, 0.05), wrt=(0, 1)),
    case(pid_controller, lambda rng: ((1.5, 0.4, 0.05), 1.1, 0.9), wrt=(0, 1, 2)),
    case(tight_binding, lambda rng: ([0.4, 0.7, 0.3], rng.normal(size=4)), wrt=(0, 1)),
)
