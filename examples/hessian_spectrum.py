"""The Hessian of a network, looked at through its products: Hutchinson's trace, and its extreme eigenvalues by Lanczos.

The mean of v'Hv over random signs v is the trace of H (Hutchinson 1990), and Lanczos' method (SciPy's ``eigsh`` on a
``LinearOperator``) needs no more than products either. The Hessian itself is never formed. Run it::

    python examples/hessian_spectrum.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pictures

from s2sad import hessian, hvp

SHAPE = (3, 5)  # of the first layer; the second gives one number


def network_loss(weights: np.ndarray, x: np.ndarray, target: np.ndarray) -> float:
    """The mean squared error of a small network whose weights are one vector."""
    first = weights[: SHAPE[0] * SHAPE[1]].reshape(SHAPE)
    last = weights[SHAPE[0] * SHAPE[1] :]
    return np.mean((np.tanh(x @ first) @ last - target) ** 2)


def data() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights, inputs and targets."""
    rng = np.random.default_rng(0)
    return rng.normal(size=SHAPE[0] * SHAPE[1] + SHAPE[1]), rng.normal(size=(40, SHAPE[0])), rng.normal(size=40)


def product(v: np.ndarray) -> np.ndarray:
    """The Hessian of the loss by the weights, times v."""
    weights, x, target = data()
    return hvp(network_loss, (weights, x, target), (v,), wrt=(0,))[1][0]


def hutchinson(samples: int) -> np.ndarray:
    """The estimates of the trace after 1, 2, ... samples."""
    rng = np.random.default_rng(1)
    size = data()[0].size
    signs = rng.choice([-1.0, 1.0], size=(samples, size))
    return np.cumsum([v @ product(v) for v in signs]) / np.arange(1, samples + 1)


def extremes() -> np.ndarray:
    """The smallest and the largest eigenvalue, by Lanczos' method (needs SciPy)."""
    from scipy.sparse.linalg import LinearOperator, eigsh

    size = data()[0].size
    operator = LinearOperator((size, size), matvec=product, dtype=np.float64)
    start = np.random.default_rng(0).normal(size=size)
    return np.sort(eigsh(operator, k=2, which="BE", v0=start, return_eigenvectors=False))


def full() -> np.ndarray:
    """The Hessian itself, for comparison."""
    return hessian(network_loss)(*data())


def picture() -> Path:
    """The estimate over the number of samples."""
    estimates = hutchinson(2000)
    plot = pictures.axes("Hutchinson's estimate of the trace", "samples", "trace", x="log")
    plot.plot(np.arange(1, 2001), estimates, label="mean of v'Hv over random signs")
    plot.axhline(np.trace(full()), color="black", linestyle="--", label="trace of the full Hessian")
    return pictures.save(plot, "hessian_spectrum")


def main() -> None:
    """Print the estimates beside the full Hessian's figures."""
    whole = full()
    for samples in (1, 10, 100, 1000, 2000):
        print(f"{samples:4} samples: trace {hutchinson(samples)[-1]:8.4f}")
    print(f"full Hessian: trace {np.trace(whole):8.4f}")
    low, high = extremes()
    exact = np.linalg.eigvalsh(whole)
    print(f"eigenvalues by Lanczos {low:.6f} ... {high:.6f}, of the full Hessian {exact[0]:.6f} ... {exact[-1]:.6f}")


if __name__ == "__main__":
    main()
