"""Robots, cameras and rays: matrices built from scalars, chains of transforms, quaternions, branches on geometry."""

import math

import numpy as np
from numpy import array, cos, sin

from ..case import case

# joint name -> (length, twist); insertion order is the chain's order
LINKS = {"shoulder": (0.4, 0.0), "elbow": (0.35, 0.5), "wrist": (0.1, -0.3)}


def rot_z(a):
    return array([[cos(a), -sin(a), 0.0], [sin(a), cos(a), 0.0], [0.0, 0.0, 1.0]])


def rot_y(a):
    return array([[cos(a), 0.0, sin(a)], [0.0, 1.0, 0.0], [-sin(a), 0.0, cos(a)]])


def planar_arm(angles, lengths):
    x = y = heading = 0.0
    for q, length in zip(angles, lengths):
        heading += q
        x, y = x + length * math.cos(heading), y + length * math.sin(heading)
    return (x - 1.0) ** 2 + (y - 0.5) ** 2


def euler_zyz(angles, v):
    a, b, c = angles
    return rot_z(a) @ rot_y(b) @ rot_z(c) @ v


def dh_transform(theta, d, a, alpha):
    ct, st, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array([
        [ct, -st * ca, st * sa, a * ct],
        [st, ct * ca, -ct * sa, a * st],
        [0.0, sa, ca, d],
        [0.0, 0.0, 0.0, 1.0],
    ])


def forward_kinematics(q, offset):
    T = np.eye(4)
    for qi, (name, (length, twist)) in zip(q, LINKS.items()):
        d = offset if name == "elbow" else 0.05
        T = T @ dh_transform(qi, d, length, twist)
    tip = T @ np.array([0.0, 0.0, 0.1, 1.0])
    return np.sqrt(tip[:3] @ tip[:3])


def qmul(p, q):
    a1, b1, c1, d1 = p
    a2, b2, c2, d2 = q
    return (a1 * a2 - b1 * b2 - c1 * c2 - d1 * d2,
            a1 * b2 + b1 * a2 + c1 * d2 - d1 * c2,
            a1 * c2 - b1 * d2 + c1 * a2 + d1 * b2,
            a1 * d2 + b1 * c2 - c1 * b2 + d1 * a2)


def quaternion_rotate(q, v):
    norm = math.sqrt(sum(c * c for c in q))
    w, x, y, z = (c / norm for c in q)
    _, *rotated = qmul(qmul((w, x, y, z), (0.0, *v)), (w, -x, -y, -z))
    return rotated[0] + 2 * rotated[1] - rotated[2]


def slerp(q0, q1, t):
    dot = sum(a * b for a, b in zip(q0, q1))
    if dot < 0:
        q1 = [-c for c in q1]
        dot = -dot
    if dot > 0.9995:
        out = [a + t * (b - a) for a, b in zip(q0, q1)]
    else:
        angle = math.acos(dot)
        wa, wb = math.sin((1 - t) * angle) / math.sin(angle), math.sin(t * angle) / math.sin(angle)
        out = [wa * a + wb * b for a, b in zip(q0, q1)]
    return out[0] * out[1] + out[2] * out[3]


def rodrigues(w, v):
    """Rotate v by the axis-angle vector w."""
    theta = np.linalg.norm(w)
    if theta < 1e-8:
        return v + np.cross(w, v)
    k = w / theta
    return v * np.cos(theta) + np.cross(k, v) * np.sin(theta) + k * np.dot(k, v) * (1 - np.cos(theta))


def reprojection_error(pose, points, pixels, focal=2.0, k1=-0.05):
    rx, ry, tx, ty, tz = pose
    Rx = np.array([[1.0, 0.0, 0.0], [0.0, np.cos(rx), -np.sin(rx)], [0.0, np.sin(rx), np.cos(rx)]])
    R = rot_y(ry) @ Rx
    err = 0.0
    for P, uv in zip(points, pixels):
        X, Y, Z = R @ P + np.array([tx, ty, tz])
        if Z <= 0.1:
            continue  # behind the camera
        x, y = X / Z, Y / Z
        r2 = x * x + y * y
        distortion = 1 + k1 * r2
        err += (focal * distortion * x - uv[0]) ** 2 + (focal * distortion * y - uv[1]) ** 2
    return err


def ray_sphere(origin, direction, center, radius):
    d = direction / np.sqrt(direction @ direction)
    oc = origin - center
    b = oc @ d
    disc = b * b - (oc @ oc - radius**2)
    if disc < 0:
        return 1e3 + 0.0 * disc
    t = -b - np.sqrt(disc)
    if t < 0:
        t = -b + np.sqrt(disc)
    return t


def render_pixel(eye, look, spheres, light):
    best, color = math.inf, 0.0
    for cx, cy, cz, r, albedo in spheres:
        c = np.array([cx, cy, cz])
        t = ray_sphere(eye, look, c, r)
        if 0 < t < best:
            best = t
            hit = eye + t * look / np.linalg.norm(look)
            normal = (hit - c) / r
            shade = max(0.0, normal @ light)
            color = albedo * (0.1 + 0.9 * shade)
    return color


def triangle_hit(origin, direction, triangle):
    # Moeller-Trumbore
    v0, v1, v2 = triangle
    e1, e2 = v1 - v0, v2 - v0
    h = np.cross(direction, e2)
    det = np.dot(e1, h)
    if abs(det) < 1e-12:
        return 0.0
    s = origin - v0
    u = np.dot(s, h) / det
    q = np.cross(s, e1)
    v = np.dot(direction, q) / det
    inside = u > 0 and v > 0 and u + v < 1
    return np.dot(e2, q) / det if inside else -1.0


def unicycle_rollout(start, controls, goal, dt=0.1):
    x, y, th = start
    cost = 0.0
    for v, w in controls:
        x += dt * v * math.cos(th)
        y += dt * v * math.sin(th)
        th += dt * w
        gap = math.hypot(x - goal[0], y - goal[1])
        cost += dt * (gap + 0.01 * v**2 + 0.01 * w**2)
        if gap < 0.05:
            break
    return cost + 10 * (1 - math.cos(math.atan2(goal[1] - y, goal[0] - x) - th))


def inverse_kinematics(target, q1, q2, iterations=5, damping=0.1):
    """Damped least squares on a two-link arm; the 2x2 system is solved by hand."""
    tx, ty = target
    for _ in range(iterations):
        s1, c1, s12, c12 = math.sin(q1), math.cos(q1), math.sin(q1 + q2), math.cos(q1 + q2)
        ex, ey = tx - (c1 + 0.8 * c12), ty - (s1 + 0.8 * s12)
        j11, j12, j21, j22 = -s1 - 0.8 * s12, -0.8 * s12, c1 + 0.8 * c12, 0.8 * c12
        a, b, d = j11 * j11 + j21 * j21 + damping, j11 * j12 + j21 * j22, j12**2 + j22**2 + damping
        g1, g2 = j11 * ex + j21 * ey, j12 * ex + j22 * ey
        det = a * d - b * b
        q1, q2 = q1 + (d * g1 - b * g2) / det, q2 + (a * g2 - b * g1) / det
    return q1 * q2


def signed_distance_scene(p):
    x, y, z = p
    sphere = math.sqrt(x * x + y * y + z * z) - 1.0
    dx, dy, dz = (max(abs(c) - 0.7, 0.0) for c in p)
    box = math.sqrt(dx**2 + dy**2 + dz**2) - 0.1
    plane = y + 1.2
    k = 8.0
    return -math.log(math.exp(-k * max(sphere, -box)) + math.exp(-k * plane)) / k


def screw_jacobian(q, axes, points):
    columns = []
    R = np.eye(3)
    for angle, axis, p in zip(q, axes, points):
        w = R @ axis
        columns.append(np.concatenate([w, -np.cross(w, R @ p)]))
        R = R @ (rot_z(angle) if axis[2] == 1 else rot_y(angle))
    J = np.stack(columns, axis=1)
    return np.sqrt(np.linalg.det(J.T @ J))


_AXES = [np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([0, 0, 1])]

CASES = (
    case(planar_arm, lambda rng: (np.array([0.3, 0.7, -0.4]), [0.6, 0.5, 0.2]), wrt=(0, 1)),
    case(euler_zyz, lambda rng: (rng.normal(size=3), rng.normal(size=3)), wrt=(0, 1)),
    case(forward_kinematics, lambda rng: (np.array([0.2, -0.7, 1.1]), 0.12), wrt=(0, 1)),
    case(quaternion_rotate, lambda rng: (rng.normal(size=4), rng.normal(size=3)), wrt=(0, 1)),
    case(slerp, lambda rng: ([0.8, 0.0, 0.6, 0.0], [-0.6, 0.0, 0.0, 0.8], 0.35), wrt=(0, 1, 2)),
    case(rodrigues, lambda rng: (rng.normal(size=3), rng.normal(size=3)), wrt=(0, 1)),
    case(reprojection_error,
         lambda rng: (np.array([0.1, -0.2, 0.05, 0.1, 4.0]), rng.normal(size=(4, 3)), rng.normal(size=(4, 2))),
         wrt=(0, 1, 2)),
    case(ray_sphere,
         lambda rng: (np.array([0.1, 0.2, -3.0]), np.array([0.05, -0.1, 1.0]), np.array([0.0, 0.1, 0.3]), 1.0),
         wrt=(0, 1, 2, 3)),
    case(render_pixel,
         lambda rng: (np.array([0.0, 0.0, -3.0]), np.array([0.1, 0.12, 1.0]),
                      [(0.0, 0.0, 2.0, 1.0, 0.5), (0.3, 0.1, 0.0, 0.7, 0.9)], np.array([0.48, 0.6, -0.64])),
         wrt=(0, 1, 2, 3)),
    case(triangle_hit,
         lambda rng: (np.array([0.2, 0.3, -2.0]), np.array([0.05, -0.02, 1.0]),
                      np.array([[0.0, 0.0, 0.1], [1.0, 0.1, 0.0], [0.0, 1.2, 0.3]])), wrt=(0, 1, 2)),
    case(unicycle_rollout,
         lambda rng: ((0.0, 0.1, 0.4), [(1.0, 0.2), (1.2, -0.4), (0.9, 0.3)], (1.0, 0.6)), wrt=(0, 1, 2)),
    case(inverse_kinematics, lambda rng: ((1.1, 0.6), 0.3, 0.9), wrt=(0, 1, 2)),
    case(signed_distance_scene, lambda rng: (np.array([0.93, 0.41, -0.88]),)),
    case(screw_jacobian, lambda rng: (np.array([0.4, -0.6, 0.3]), _AXES, list(rng.normal(size=(3, 3)))), wrt=(0, 2)),
)
