"""Parts of lists of which only the running program knows whether an item is a number or an array: sums of arrays that may be
none, simplices, stages of integrators, histories."""

import numpy as np


def nelder_mead(x, count=4):
    sim = [x] + [x + 0.3 * e for e in np.eye(len(x))]

    def fun(v):
        return (v[0] - 0.3) ** 2 + 2 * (v[1] + 0.4) ** 2 + v[2] ** 2

    for _ in range(count):
        sim.sort(key=fun)
        middle = sum(sim[:-1]) / len(x)
        reflected = middle + 1.0 * (middle - sim[-1])
        if fun(reflected) < fun(sim[0]):
            expanded = middle + 2.0 * (middle - sim[-1])
            sim[-1] = expanded if fun(expanded) < fun(reflected) else reflected
        elif fun(reflected) < fun(sim[-2]):
            sim[-1] = reflected
        else:
            contracted = middle + 0.5 * (sim[-1] - middle)
            if fun(contracted) < fun(sim[-1]):
                sim[-1] = contracted
            else:
                sim = [sim[0]] + [0.5 * (s + sim[0]) for s in sim[1:]]
    return fun(sim[0]) + sim[0].sum()


def a_centroid_that_replaces_the_worst(x):
    sim = [x] + [x + 0.3 * e for e in np.eye(2, len(x))]
    for _ in range(3):
        sim[-1] = sum(sim[:-1]) / 2
    return np.sum(sim[1] * x)


def numbers_and_arrays(x):
    kept = [v * 2 if v > 1 else np.ones(2) * v**2 for v in x]
    part = kept[:2]
    return np.sum(part[0] * 3) + np.sum(part[1] * x[0]) + np.sum(kept[1] ** 2)


def parts_that_are_changed(x):
    kept = []
    for v in [*x, *(x / 3)]:
        if v > 1:
            kept.append(v * 2)
        else:
            kept.append(np.ones(2) * v**2)
    part = kept[1:4]
    other = part[:]
    other[0], part[1] = other[0] * x[1], x[2]
    joined, total = kept + part, 0.0
    for v in joined[1:]:
        total = total + np.sum(v * v)
    joined[2] = x[0]
    joined.append(x[0] * np.ones(2))
    back = joined[::-1]
    del back[0]
    back.pop()
    back.insert(1, back[3] * 2)
    total = total + np.sum(other[0]) + np.sum(kept[2] * part[1]) + np.sum(back[1]) * np.sum(back[2])
    return total + sum(np.sum(v) for v in back[2:5])


def sums_that_may_be_of_nothing(x):
    kept = [x * 1.0]
    for i in range(len(x)):
        kept.append(kept[-1] * 0.5 + sum(kept[:i]))
    first, *rest = kept
    kept[1:2] = [first, sum(rest)]
    del kept[0]
    return np.sum(kept[-1]) + np.sum(sum(kept[::-1])) + np.sum(kept[0] ** 2)


def a_list_that_is_sorted_and_repeated(x):
    kept = [x * 1.0]
    for i in range(len(x)):
        kept.append(sum(kept[:i]) * x + 1)
    kept.sort(key=lambda v: -np.sum(v))
    kept.reverse()
    doubled = (kept[1:] + [x]) * 2
    return np.sum(doubled[-2] * doubled[1]) + np.sum(doubled[-1] * doubled[0])


def tails(x):
    kept = [v * 2 if v > 1 else np.ones(2) * v for v in [*x, *x]]
    total = 0.0
    while len(kept) > 1:
        total, kept = total + np.sum(kept[0]) * np.sum(kept[1]), kept[1:]
    return total


def means_of_the_others(x):
    kept = [x * 1.0, x**2]
    for _ in range(3):
        mean = sum(kept[:-1]) / len(kept)
        kept = [kept[0]] + [0.5 * (v + mean) for v in kept[1:]]
        kept.append(mean)
    whole, other = kept[:], list(kept)
    other[0] = x[0]
    return np.sum(kept[-1]) + np.sum(whole[0] ** 2) + np.sum(other[1]) * other[0]
