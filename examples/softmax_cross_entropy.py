"""Softmax with cross-entropy: the gradient of the logits is softmax(logits) - onehot, whatever their size.

The loss subtracts the maximum before it exponentiates, as one writes it by hand; the derived program inherits that, and
so neither of them overflows. Run it::

    python examples/softmax_cross_entropy.py
"""

from __future__ import annotations

import numpy as np

from s2sad import differentiate


@differentiate
def loss(logits: np.ndarray, onehot: np.ndarray) -> float:
    """The summed cross-entropy of a batch."""
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    log_norm = np.log(np.sum(np.exp(shifted), axis=1))
    return np.sum(log_norm - np.sum(shifted * onehot, axis=1))


def softmax(logits: np.ndarray) -> np.ndarray:
    """Probabilities, row by row."""
    weights = np.exp(logits - np.max(logits, axis=1, keepdims=True))
    return weights / np.sum(weights, axis=1, keepdims=True)


def data(scale: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Random logits of the given size, and labels as one-hot rows."""
    rng = np.random.default_rng(0)
    return scale * rng.normal(size=(5, 4)), np.eye(4)[rng.integers(0, 4, size=5)]


def main() -> None:
    """Print how far the gradient is from softmax - onehot, for small and for huge logits."""
    for scale in (1.0, 1e2, 1e4):
        logits, onehot = data(scale)
        value, gradient = loss.value_and_grad(logits, onehot)
        error = np.max(np.abs(gradient - (softmax(logits) - onehot)))
        print(f"logits of size {scale:7.0f}: loss {value:12.6g}, |gradient - (softmax - onehot)| = {error:.1e}")


if __name__ == "__main__":
    main()
