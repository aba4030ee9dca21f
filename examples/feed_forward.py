"""A feed-forward network v_k = sigmoid(v_{k-1} w_k) on a batch: the gradients of all layers' weights in one call.

The number of layers is that of the list: the loop over it is differentiated as a loop. Run it::

    python examples/feed_forward.py
"""

from __future__ import annotations

import itertools

import numpy as np

from s2sad import differentiate

SIZES = (4, 6, 5, 2)
BATCH = 8


def sigmoid(z: np.ndarray) -> np.ndarray:
    """The logistic function."""
    return 1.0 / (1.0 + np.exp(-z))


@differentiate(wrt="weights")
def loss(weights: list[np.ndarray], x: np.ndarray, target: np.ndarray) -> float:
    """Half the mean squared error of the network's output."""
    v = x
    for w in weights:
        v = sigmoid(v @ w)
    return 0.5 * np.mean((v - target) ** 2)


def data(seed: int = 0) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Random weights, inputs and targets."""
    rng = np.random.default_rng(seed)
    weights = [rng.normal(size=shape) for shape in itertools.pairwise(SIZES)]
    return weights, rng.normal(size=(BATCH, SIZES[0])), rng.uniform(size=(BATCH, SIZES[-1]))


def train(steps: int = 200, rate: float = 5.0) -> list[float]:
    """Gradient descent; the losses on the way."""
    weights, x, target = data()
    losses = []
    for _ in range(steps):
        value, gradient = loss.value_and_grad(weights, x, target)
        weights = [w - rate * w_bar for w, w_bar in zip(weights, gradient, strict=True)]
        losses.append(float(value))
    return losses


def main() -> None:
    """Print the shapes of the gradients, and how the loss falls."""
    weights, x, target = data()
    value, gradient = loss.value_and_grad(weights, x, target)
    print(f"loss {value:.6f} of a batch of {BATCH}")
    for k, (w, w_bar) in enumerate(zip(weights, gradient, strict=True), start=1):
        print(f"  w{k}: {w.shape}, its gradient: {w_bar.shape}, norm {np.linalg.norm(w_bar):.6f}")
    losses = train()
    print(f"after {len(losses)} steps of gradient descent: {losses[-1]:.6f}")


if __name__ == "__main__":
    main()
