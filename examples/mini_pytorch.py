"""The mini-PyTorch of the textbook, as plain NumPy: products of matrices and vectors, activations, broadcasting.

No tensors, no ``requires_grad``: the functions below are all that there is. Run it::

    python examples/mini_pytorch.py
"""

from __future__ import annotations

import numpy as np

from s2sad import differentiate, grad


@differentiate(wrt=("m", "n", "v"))
def chain(m: np.ndarray, n: np.ndarray, v: np.ndarray) -> float:
    """``m.mm(n).mv(v).dot(v)``."""
    return ((m @ n) @ v) @ v


@differentiate(wrt=("x", "y"))
def z(x: float, y: float) -> float:
    """x² + sin(2y)."""
    return x * x + np.sin(2 * y)


@differentiate(wrt=("x", "w", "b"))
def layers(x: np.ndarray, w: np.ndarray, b: np.ndarray) -> float:
    """Relu, sigmoid and tanh of ``x w + b``, (n, m) + (m,), summed over an axis and multiplied up."""
    a = x @ w + b
    relu = np.sum(np.maximum(a, 0.0), axis=0)
    sigmoid = np.sum(1.0 / (1.0 + np.exp(-a)), axis=0)
    tanh = np.sum(np.tanh(a), axis=0)
    return np.dot(relu * sigmoid, tanh - 1.0)


def chain_point() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The point at which the textbook evaluates ``chain``."""
    return np.eye(2), np.ones((2, 2)), np.array([1.0, 2.0])


def layers_point() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three inputs of two entries for a layer of width four."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(3, 2)), rng.normal(size=(2, 4)), rng.normal(size=4)


def main() -> None:
    """Print the textbook's figures."""
    value, (m_bar, n_bar, v_bar) = chain.value_and_grad(*chain_point())
    print(f"m.mm(n).mv(v).dot(v) = {value}")
    print(f"  v_bar = {v_bar.tolist()}\n  m_bar = {m_bar.tolist()}\n  n_bar = {n_bar.tolist()}")
    x_bar, y_bar = z.grad(4.0, np.pi)
    print(f"z = x*x + sin(2y) at (4, pi): dz/dx = {x_bar}, dz/dy = {y_bar}")
    x, w, b = layers_point()
    print(f"(n, m) + (m,): the gradient of b has the shape {grad(layers.function, 'b')(x, w, b).shape}")


if __name__ == "__main__":
    main()
