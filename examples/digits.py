"""Softmax regression and a two-layer network, trained by stochastic gradient descent on real handwritten digits.

The images are the 1,797 of scikit-learn (of the extra ``examples``; nothing is downloaded): 8 by 8 pixels, ten classes, the
last 360 of them for testing. The gradients are those of the NumPy programs below. Run it::

    python examples/digits.py
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pictures
from rich.progress import track

from s2sad import differentiate

CLASSES, TESTING, BATCH = 10, 360, 32
Weights = tuple[np.ndarray, ...]


def cross_entropy(logits: np.ndarray, labels: np.ndarray) -> float:
    """The mean negative logarithm of the probability of the labels."""
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    chosen = shifted[np.arange(labels.size), labels]
    return np.mean(np.log(np.sum(np.exp(shifted), axis=1)) - chosen)


def linear(weights: Weights, images: np.ndarray) -> np.ndarray:
    """Softmax regression: one matrix."""
    return images @ weights[0] + weights[1]


def two_layers(weights: Weights, images: np.ndarray) -> np.ndarray:
    """A hidden layer with rectifiers."""
    hidden = np.maximum(images @ weights[0] + weights[1], 0.0)
    return hidden @ weights[2] + weights[3]


@differentiate
def linear_loss(weights: Weights, images: np.ndarray, labels: np.ndarray) -> float:
    """The loss of softmax regression."""
    return cross_entropy(linear(weights, images), labels)


@differentiate
def two_layer_loss(weights: Weights, images: np.ndarray, labels: np.ndarray) -> float:
    """The loss of the network."""
    return cross_entropy(two_layers(weights, images), labels)


class Data(NamedTuple):
    """Images as rows of 64 numbers between 0 and 1, and what they show."""

    images: np.ndarray
    labels: np.ndarray


def data() -> tuple[Data, Data]:
    """For training, and for testing."""
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(labels))
    images, labels = images[order] / 16.0, labels[order]
    return Data(images[:-TESTING], labels[:-TESTING]), Data(images[-TESTING:], labels[-TESTING:])


def start(*sizes: int) -> Weights:
    """Random weights and zero offsets for layers of these sizes."""
    rng = np.random.default_rng(1)
    layers = [(rng.normal(size=(n, m)) * np.sqrt(2.0 / n), np.zeros(m)) for n, m in itertools.pairwise(sizes)]
    return tuple(part for layer in layers for part in layer)


def batches(known: Data, rng: np.random.Generator) -> Iterator[Data]:
    """One pass through the images, in a random order."""
    order = rng.permutation(len(known.labels))
    for k in range(0, len(order) - BATCH + 1, BATCH):
        part = order[k : k + BATCH]
        yield Data(known.images[part], known.labels[part])


def train(loss: Any, weights: Weights, known: Data, epochs: int = 30, rate: float = 0.2) -> tuple[Weights, list[float]]:
    """Stochastic gradient descent; the weights and the mean loss of each pass."""
    rng, curve = np.random.default_rng(2), []
    for _ in track(range(epochs), description=f"{loss.__name__:15}", transient=True):
        losses = []
        for batch in batches(known, rng):
            value, gradient = loss.value_and_grad(weights, *batch)
            weights = tuple(w - rate * g for w, g in zip(weights, gradient, strict=True))
            losses.append(value)
        curve.append(float(np.mean(losses)))
    return weights, curve


def accuracy(logits: np.ndarray, labels: np.ndarray) -> float:
    """The part of the images that is recognised."""
    return float(np.mean(np.argmax(logits, axis=1) == labels))


@functools.cache
def results() -> dict[str, tuple[list[float], float]]:
    """The learning curve and the test accuracy of both models."""
    known, unseen = data()
    one, one_curve = train(linear_loss, start(64, CLASSES), known)
    two, two_curve = train(two_layer_loss, start(64, 64, CLASSES), known)
    return {
        "softmax regression": (one_curve, accuracy(linear(one, unseen.images), unseen.labels)),
        "two layers": (two_curve, accuracy(two_layers(two, unseen.images), unseen.labels)),
    }


def picture() -> Path:
    """Learning curves."""
    plot = pictures.axes("digits: training loss", "pass through the images", "cross-entropy", y="log")
    for name, (curve, tested) in results().items():
        plot.plot(range(1, len(curve) + 1), curve, label=f"{name}, test accuracy {100 * tested:.1f} %")
    return pictures.save(plot, "digits")


def main() -> None:
    """Train both and print their test accuracies."""
    try:
        found = results()
        print(f"trained on the digits of scikit-learn but the last {TESTING}, tested on those")
        for name, (curve, tested) in found.items():
            print(f"{name:18}: loss {curve[0]:.3f} to {curve[-1]:.3f}, test accuracy {100 * tested:.1f} %")
    except ModuleNotFoundError as missing:
        print(f"{missing.name} is not installed (pip install 's2sad[examples]')")


if __name__ == "__main__":
    main()
