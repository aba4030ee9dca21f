"""``scipy.spatial.distance``: distances of vectors, and matrices of distances. Equal points have distances of slope 0."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy import special

__all__ = [
    "braycurtis",
    "canberra",
    "cdist",
    "chebyshev",
    "cityblock",
    "correlation",
    "cosine",
    "euclidean",
    "jensenshannon",
    "mahalanobis",
    "minkowski",
    "pdist",
    "seuclidean",
    "sqeuclidean",
    "squareform",
]

METRICS = Literal[
    "euclidean",
    "sqeuclidean",
    "cityblock",
    "chebyshev",
    "cosine",
    "correlation",
    "canberra",
    "braycurtis",
    "minkowski",
]


# --- of two vectors


def euclidean(u: Any, v: Any) -> Any:
    """The length of the difference."""
    return np.linalg.norm(np.asarray(u) - v)


def sqeuclidean(u: Any, v: Any) -> Any:
    """Its square."""
    return np.sum((np.asarray(u) - v) ** 2)


def cityblock(u: Any, v: Any) -> Any:
    """The sum of the absolute differences."""
    return np.sum(np.abs(np.asarray(u) - v))


def chebyshev(u: Any, v: Any) -> Any:
    """The largest of them."""
    return np.max(np.abs(np.asarray(u) - v))


def minkowski(u: Any, v: Any, p: Any = 2) -> Any:
    """The root of the sum of their powers."""
    return euclidean(u, v) if p == 2 else np.linalg.norm(np.asarray(u) - v, ord=p)


def seuclidean(u: Any, v: Any, V: Any) -> Any:
    """The distance in units of the standard deviations, whose squares are given."""
    return np.linalg.norm((np.asarray(u) - v) / np.sqrt(V))


def mahalanobis(u: Any, v: Any, VI: Any) -> Any:
    """The distance in the metric of an inverse covariance."""
    away = np.asarray(u) - v
    return np.sqrt(away @ VI @ away)


def cosine(u: Any, v: Any) -> Any:
    """1 less the cosine of the angle."""
    return 1.0 - np.dot(u, v) / np.sqrt(np.dot(u, u) * np.dot(v, v))


def correlation(u: Any, v: Any) -> Any:
    """1 less the coefficient of correlation."""
    return cosine(u - np.mean(u), v - np.mean(v))


def canberra(u: Any, v: Any) -> Any:
    """The sum of the differences, each over the sum of the absolute values; 0 where both are 0."""
    away, size = np.abs(np.asarray(u) - v), np.abs(u) + np.abs(v)
    return np.sum(away / np.where(size == 0, 1.0, size))


def braycurtis(u: Any, v: Any) -> Any:
    """The sum of the differences over that of the sums."""
    return np.sum(np.abs(np.asarray(u) - v)) / np.sum(np.abs(np.asarray(u) + v))


def jensenshannon(p: Any, q: Any, base: Any = None, *, axis: Any = 0, keepdims: Any = False) -> Any:
    """The root of the mean entropy of two distributions relative to their mean."""
    left = np.asarray(p) / np.sum(p, axis=axis, keepdims=True)
    right = np.asarray(q) / np.sum(q, axis=axis, keepdims=True)
    middle = 0.5 * (left + right)
    terms = special.rel_entr(left, middle) + special.rel_entr(right, middle)
    total = np.sum(terms, axis=axis, keepdims=keepdims)
    mean = 0.5 * total if base is None else 0.5 * total / np.log(base)
    same = mean == 0  # a distance has the slope 0 there
    return np.where(same, 0.0, np.sqrt(np.where(same, 1.0, mean)))[()]


# --- of all pairs of rows


def cdist(XA: Any, XB: Any, metric: METRICS = "euclidean", *, p: Any = 2) -> Any:
    """The distances of the rows of two matrices."""
    a, b = np.asarray(XA), np.asarray(XB)
    if metric == "correlation":
        a, b = a - np.mean(a, axis=1, keepdims=True), b - np.mean(b, axis=1, keepdims=True)
    if metric == "cosine" or metric == "correlation":
        return 1.0 - a @ b.T / np.outer(np.sqrt(np.sum(a**2, axis=1)), np.sqrt(np.sum(b**2, axis=1)))
    away = a[:, None, :] - b[None, :, :]
    if metric == "euclidean":
        return np.linalg.norm(away, axis=2)
    if metric == "minkowski":
        return np.linalg.norm(away, ord=p, axis=2)
    if metric == "sqeuclidean":
        return np.sum(away**2, axis=2)
    if metric == "cityblock":
        return np.sum(np.abs(away), axis=2)
    if metric == "chebyshev":
        return np.max(np.abs(away), axis=2)
    if metric == "canberra":
        size = np.abs(a)[:, None, :] + np.abs(b)[None, :, :]
        return np.sum(np.abs(away) / np.where(size == 0, 1.0, size), axis=2)
    return np.sum(np.abs(away), axis=2) / np.sum(np.abs(a[:, None, :] + b[None, :, :]), axis=2)


def pdist(X: Any, metric: METRICS = "euclidean", *, p: Any = 2) -> Any:
    """The distances of the rows of a matrix, each pair once."""
    left, right = np.triu_indices(len(X), 1)
    return cdist(X, X, metric, p=p)[left, right]


def squareform(X: Any, force: Literal["no"] = "no", checks: Any = True) -> Any:
    """The matrix of distances from those of all pairs, or these from the matrix."""
    x = np.asarray(X)
    if x.ndim == 2:
        left, right = np.triu_indices(len(x), 1)
        return x[left, right]
    count = round((1 + np.sqrt(1 + 8 * len(x))) / 2)
    left, right = np.triu_indices(count, 1)
    place = np.zeros((count, count), dtype=int)
    place[left, right] = np.arange(len(x))
    return np.where(np.eye(count, dtype=bool), 0.0, x[place + place.T])
