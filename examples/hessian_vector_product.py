"""Hessian-vector products without the Hessian: the derivative of the gradient along v, two ways, and Newton's method by them.

Forward over reverse is the tangent program of the gradient; reverse over reverse is the gradient of its product with v. Both
come from generated source, for the price of about two gradients, whatever the number of variables is. Run it::

    python examples/hessian_vector_product.py
"""

from __future__ import annotations

import numpy as np

from s2sad import grad, hessian, hvp


def rosenbrock(x: np.ndarray) -> float:
    """The valley of Rosenbrock; its only minimum is at ones."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def products(x: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The product forward over reverse, reverse over reverse, and by the full Hessian."""
    forward = hvp(rosenbrock, (x,), (v,), mode="fwd")[1]
    reverse = hvp(rosenbrock, (x,), (v,), mode="rev")[1]
    return forward, reverse, hessian(rosenbrock)(x) @ v


def newton_cg(x: np.ndarray, steps: int = 200, goal: float = 1e-10) -> tuple[np.ndarray, int]:
    """Newton's method; each step is found by conjugate gradients, which ask for products with the Hessian only.

    Stops at negative curvature, halves steps that do not lead down (Nocedal & Wright, "Numerical Optimization", algorithm 7.1).
    """
    gradient = grad(rosenbrock)
    for count in range(steps):
        slope = gradient(x)
        size = np.linalg.norm(slope)
        if size < goal:
            return x, count
        step, left = np.zeros_like(x), -slope
        direction = left.copy()
        while np.linalg.norm(left) > min(0.5, np.sqrt(size)) * size:
            bent = hvp(rosenbrock, (x,), (direction,))[1]
            curvature = direction @ bent
            if curvature <= 0:
                step = step if step.any() else -slope
                break
            length = (left @ left) / curvature
            step, rest = step + length * direction, left - length * bent
            direction = rest + (rest @ rest) / (left @ left) * direction
            left = rest
        scale = 1.0
        while rosenbrock(x + scale * step) > rosenbrock(x) + 1e-4 * scale * (slope @ step):
            scale /= 2
        x = x + scale * step
    return x, steps


def main() -> None:
    """Print how far the three products are apart, and what Newton's method finds."""
    rng = np.random.default_rng(0)
    x, v = rng.normal(size=20), rng.normal(size=20)
    forward, reverse, full = products(x, v)
    print(f"forward over reverse against the Hessian: {np.max(np.abs(forward - full)):.1e}")
    print(f"reverse over reverse against the Hessian: {np.max(np.abs(reverse - full)):.1e}")
    found, steps = newton_cg(np.zeros(50))
    print(f"Newton-CG in 50 variables: {steps} steps, |x - 1| = {np.max(np.abs(found - 1)):.1e}")


if __name__ == "__main__":
    main()
