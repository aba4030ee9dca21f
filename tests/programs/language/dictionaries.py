"""Programs that keep their values in dicts: by time step, by cell, by word, by name put together as the program runs."""
# ruff: noqa: C420, PLC0206, RUF007, RUF015, RUF046, UP031  (what people post)

import math
from collections import Counter, OrderedDict, defaultdict

import numpy as np

from ..case import case

# --- networks


def rnn_with_history(wxh, whh, why, xs, targets, h0):
    """Karpathy's style: hidden states and probabilities by time step, the first under -1."""
    hs, ps = {}, {}
    hs[-1] = np.copy(h0)
    loss = 0.0
    for t in range(len(xs)):
        hs[t] = np.tanh(wxh @ xs[t] + whh @ hs[t - 1])
        scores = why @ hs[t]
        ps[t] = np.exp(scores) / np.sum(np.exp(scores))
        loss += -np.log(ps[t][targets[t]])
    return loss


def lstm_caches(x, w, b, h):
    """Gates by name and time."""
    gates = {}
    state = {"h": h, "c": np.zeros_like(h)}
    n = len(h)
    for t in range(x.shape[0]):
        z = w @ np.concatenate([state["h"], x[t]]) + b
        for k, name in enumerate(("i", "f", "o", "g")):
            part = z[k * n : (k + 1) * n]
            gates[name, t] = np.tanh(part) if name == "g" else 1.0 / (1.0 + np.exp(-part))
        state["c"] = gates["f", t] * state["c"] + gates["i", t] * gates["g", t]
        state["h"] = gates["o", t] * np.tanh(state["c"])
    return np.sum(state["h"] ** 2) + np.sum(gates["i", 0])


def deep_network(params, x, y, depth):
    """Andrew Ng's course: weights and caches under names with the layer's number."""
    cache = {"A0": x}
    for l in range(1, depth + 1):
        cache["Z" + str(l)] = params["W" + str(l)] @ cache["A" + str(l - 1)] + params["b" + str(l)]
        cache["A" + str(l)] = np.tanh(cache["Z" + str(l)])
    return np.mean((cache["A" + str(depth)] - y) ** 2)


def formatted_layers(params, x):
    """f-strings for keys, and a penalty on all weights."""
    n_layers = len(params) // 2
    out = x
    for k in range(n_layers):
        out = params[f"w{k}"] @ out + params[f"b{k}"]
        if k < n_layers - 1:
            out = np.maximum(out, 0.1 * out)
    penalty = 0.0
    for k in range(n_layers):
        penalty = penalty + np.sum(params["w%d" % k] ** 2)
    return np.sum(out**2) + 0.01 * penalty


def hand_backprop(params, x, y):
    """A gradient step written by hand, differentiated: gradients and velocities by name."""
    grads = {}
    hidden = np.tanh(params["w1"] @ x)
    out = params["w2"] @ hidden
    delta = out - y
    grads["w2"] = np.outer(delta, hidden)
    grads["w1"] = np.outer((params["w2"].T @ delta) * (1.0 - hidden**2), x)
    updated = {}
    for key in params:
        updated[key] = params[key] - 0.1 * grads[key]
    return np.sum((updated["w2"] @ np.tanh(updated["w1"] @ x) - y) ** 2)


def momentum_by_name(params, target, steps):
    velocity = {name: np.zeros_like(value) for name, value in params.items()}
    state = dict(params)
    for _ in range(steps):
        for name in ("u", "v"):
            slope = 2.0 * (state[name] - target)
            velocity[name] = 0.8 * velocity[name] - 0.05 * slope
            state[name] = state[name] + velocity[name]
    return np.sum(state["u"] * state["v"])


# --- dynamic programming


def edit_cost(a, b, gap, scale):
    """Weighted edit distance with a table under pairs."""
    cost = {(0, 0): 0.0}
    for i in range(1, len(a) + 1):
        cost[i, 0] = cost[i - 1, 0] + gap
    for j in range(1, len(b) + 1):
        cost[0, j] = cost[0, j - 1] + gap
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            swap = cost[i - 1, j - 1] + scale * (a[i - 1] - b[j - 1]) ** 2
            cost[i, j] = min(swap, cost[i - 1, j] + gap, cost[i, j - 1] + gap)
    return cost[len(a), len(b)]


def dtw_in_a_table(x, y, gamma):
    table = {}
    n, m = len(x), len(y)
    for i in range(n + 1):
        for j in range(m + 1):
            table[i, j] = 0.0 if i == 0 and j == 0 else 50.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            options = np.array([table[i - 1, j - 1], table[i - 1, j], table[i, j - 1]])
            low = np.min(options)
            soft = low - gamma * np.log(np.sum(np.exp(-(options - low) / gamma)))
            table[(i, j)] = (x[i - 1] - y[j - 1]) ** 2 + soft
    return table[(n, m)]


def memo_recurrence(a, b, n):
    """A three-term recurrence that looks before it computes."""
    memo = {0: 1.0, 1: a}
    total = 0.0
    for k in list(range(n)) + list(range(n)):
        if k in memo:
            value = memo[k]
        else:
            value = a * memo[k - 1] + b * memo[k - 2]
            memo[k] = value
        total += value * (k + 1)
    return total


def knapsack_layers(values, weights, capacity):
    """A smooth knapsack: the best value for each load reached, by load."""
    best = {0: 0.0}
    for value, weight in zip(values, weights):
        fresh = dict(best)
        for load, worth in best.items():
            new = load + weight
            if new <= capacity:
                fresh[new] = np.logaddexp(fresh.get(new, -5.0), worth + value)
        best = fresh
    return sum(worth * worth for worth in best.values())


def memoised_matrix_chain(dims):
    """The smoothed cost of multiplying matrices of these (real) sizes."""
    n = len(dims) - 1
    cost = {}
    for i in range(n):
        cost[(i, i)] = 0.0
    for span in range(1, n):
        for i in range(n - span):
            j = i + span
            options = [
                cost[(i, k)] + cost[(k + 1, j)] + dims[i] * dims[k + 1] * dims[j + 1] for k in range(i, j)
            ]
            cost[(i, j)] = min(options)
    return cost[(0, n - 1)]


# --- sparse matrices and graphs


def sparse_product(entries, rows, cols, x):
    """A matrix as a dict of its entries."""
    matrix = {}
    for k in range(len(entries)):
        matrix[rows[k], cols[k]] = entries[k]
    y = np.zeros(len(x))
    for (i, j), value in matrix.items():
        y[i] += value * x[j]
    return np.sum(y**2)


def assembled_stiffness(k, lengths, loads):
    """Finite elements: element matrices are added into a dict of keys."""
    stiffness = defaultdict(float)
    n = len(lengths) + 1
    for e in range(len(lengths)):
        s = k[e] / lengths[e]
        stiffness[e, e] += s
        stiffness[e + 1, e + 1] += s
        stiffness[e, e + 1] -= s
        stiffness[e + 1, e] -= s
    dense = np.zeros((n, n))
    for (i, j), value in stiffness.items():
        dense[i, j] = value
    u = np.linalg.solve(dense[1:, 1:], loads)
    return u[-1]


def sparse_gram(values, index):
    """The product of two sparse rows, looked up with defaults."""
    row, other = {}, {}
    for k, v in zip(index, values):
        row[k] = row.get(k, 0.0) + v
        other[k + 1] = other.get(k + 1, 1.0) * v
    return sum(row[k] * other.get(k, 0.5) for k in row)


def dijkstra_costs(lengths):
    """Shortest paths in a small graph whose neighbours are listed in a dict."""
    graph = {0: [(1, 0), (2, 1)], 1: [(2, 2), (3, 3)], 2: [(3, 4)], 3: []}
    dist = {0: 0.0}
    todo = [0, 1, 2]
    for u in todo:
        for v, edge in graph[u]:
            reached = dist[u] + lengths[edge]
            if v not in dist or reached < dist[v]:
                dist[v] = reached
    return dist[3] + 0.5 * dist[2]


def message_passing(weights, edges, h, rounds):
    """Neighbours collected in a defaultdict of lists; messages summed along them."""
    neighbours = defaultdict(list)
    for k in range(len(edges)):
        a, b = edges[k]
        neighbours[a].append((b, weights[k]))
        neighbours[b].append((a, weights[k]))
    for _ in range(rounds):
        fresh = np.zeros(len(h))
        for node in range(len(h)):
            total = h[node]
            for other, weight in neighbours[node]:
                total = total + weight * h[other]
            fresh[node] = np.tanh(total)
        h = fresh
    return np.sum(h)


def page_rank(links, damping, rounds):
    rank = {"a": 0.25, "b": 0.25, "c": 0.25, "d": 0.25}
    for _ in range(rounds):
        fresh = {name: (1.0 - damping) / 4.0 for name in rank}
        for source, target, share in links:
            fresh[target] += damping * share * rank[source]
        rank = fresh
    return rank["a"] + 2.0 * rank["d"]


# --- physics


def finite_volume(u, kappa, dx, steps):
    """Fluxes through faces, by face number."""
    n = len(u)
    for _ in range(steps):
        flux = {}
        for face in range(n + 1):
            left = u[face - 1] if face > 0 else u[0]
            right = u[face] if face < n else u[n - 1]
            flux[face] = -kappa * (right - left) / dx
        u = np.array([u[c] - 0.1 * (flux[c + 1] - flux[c]) / dx for c in range(n)])
    return np.sum(u**2)


def pair_forces(pos, strength):
    """Forces on particles, accumulated under their numbers."""
    force = {i: np.zeros(2) for i in range(len(pos))}
    energy = 0.0
    for i in range(len(pos)):
        for j in range(i):
            d = pos[i] - pos[j]
            r2 = np.dot(d, d) + 0.1
            f = strength * d / r2**2
            force[i] = force[i] + f
            force[j] = force[j] - f
            energy += strength / r2
    return energy + sum(np.dot(f, f) for f in force.values())


def cell_lists(xs, width, eps):
    """Neighbour search by cell; the cells hold positions."""
    cells = {}
    for x in xs:
        cell = int(math.floor(x / width))
        cells.setdefault(cell, []).append(x)
    energy = 0.0
    for cell in cells:
        for x in cells[cell]:
            for other in cells.get(cell + 1, []):
                energy += eps * np.exp(-((x - other) ** 2))
    return energy


def reaction_network(rates, c0, dt, steps):
    """Species by name; reactions name them in tuples."""
    reactions = [("A", "B", 0), ("B", "C", 1), ("C", "A", 2)]
    conc = {"A": c0[0], "B": c0[1], "C": c0[2]}
    for _ in range(steps):
        change = {name: 0.0 for name in conc}
        for source, target, k in reactions:
            r = rates[k] * conc[source]
            change[source] -= r
            change[target] += r
        for name in conc:
            conc[name] = conc[name] + dt * change[name]
    return conc["A"] * conc["C"]


def circuit_nodes(g, v_in):
    """Currents out of named nodes; the names come from a list that is walked at run time."""
    names = ["in", "mid", "out"]
    voltage = {}
    level = v_in
    for k in range(len(names)):
        level = level * g[k] / (1.0 + g[k])
        voltage[names[k]] = level
    power = 0.0
    for name in names:
        power += voltage[name] ** 2
    return power


# --- words and symbols


def word_scores(weights, text):
    """Word counts are data; what they weigh is differentiated."""
    counts = Counter(text.split())
    vocabulary = {"so": 0, "it": 1, "goes": 2}
    score = 0.0
    for word, count in counts.items():
        score += count * weights[vocabulary[word]] ** 2
    return score


def codon_usage(mass, sequence):
    """Masses by letter as an argument that is a dict."""
    total = 0.0
    for letter in sequence:
        total = total * 1.1 + mass[letter]
    return total**2


def bigram_model(table, tokens):
    """Log likelihood of a chain whose transition scores are kept by pair of symbols."""
    scores = {}
    for i in range(3):
        for j in range(3):
            scores[(i, j)] = table[i, j]
    total = 0.0
    for a, b in zip(tokens[:-1], tokens[1:]):
        row = np.array([scores[(a, k)] for k in range(3)])
        total += scores[(a, b)] - np.log(np.sum(np.exp(row)))
    return total


def forward_algorithm(start, trans, emit, observed):
    """A hidden Markov model with tables by state name, as in Wikipedia's program."""
    states = ("rain", "sun")
    alpha = [{}]
    for s in states:
        alpha[0][s] = start[s] * emit[s][observed[0]]
    previous = alpha[0]
    for t in range(1, len(observed)):
        current = {}
        for s in states:
            current[s] = emit[s][observed[t]] * sum(previous[r] * trans[r][s] for r in states)
        previous = current
    return np.log(sum(previous[s] for s in states))


def inside_parse(rule_weights, words):
    """The inside algorithm of a tiny grammar: charts under (begin, end, symbol)."""
    rules = [("S", "S", "S", 0), ("S", "A", "S", 1), ("A", "S", "A", 2)]
    n = len(words)
    chart = defaultdict(float)
    for k in range(n):
        chart[k, k + 1, "S"] = words[k]
        chart[k, k + 1, "A"] = 0.5 * words[k]
    for span in range(2, n + 1):
        for i in range(n - span + 1):
            for parent, left, right, r in rules:
                for m in range(i + 1, i + span):
                    chart[i, i + span, parent] += rule_weights[r] * chart[i, m, left] * chart[m, i + span, right]
    return np.log(chart[0, n, "S"])


def value_iteration(rewards, gamma, sweeps):
    """Q values in a dict of dicts."""
    states = [0, 1, 2]
    q = {}
    for s in states:
        q[s] = {}
        for a in (0, 1):
            q[s][a] = 0.0
    for _ in range(sweeps):
        for s in states:
            for a in (0, 1):
                following = (s + a + 1) % 3
                best = max(q[following][0], q[following][1])
                q[s][a] = rewards[s, a] + gamma * best
    return q[0][1] + q[2][0]


# --- the methods of dicts


def pending_events(times, rate):
    """Events that are taken out as they are due."""
    queue = {}
    for k in range(len(times)):
        queue[k] = times[k] * rate
    total = 0.0
    while len(queue) > 0:
        first = min(queue, key=queue.get)
        due = queue.pop(first)
        total = total * 0.9 + due**2
        if first + 10 in queue:
            del queue[first + 10]
    return total


def cache_with_eviction(x, keys):
    """A cache of two entries: the oldest is thrown out."""
    cache = OrderedDict()
    total = 0.0
    for k in keys:
        if k not in cache:
            cache[k] = np.sin(k * x)
            if len(cache) > 2:
                oldest = list(cache)[0]
                del cache[oldest]
        total += cache[k] * (k + 1.0)
    return total


def histogram_moments(xs, bins):
    """Sums by bin, with keys, values and items each walked once."""
    sums = {}
    for x in xs:
        b = int(x * bins)
        sums[b] = sums.get(b, 0.0) + x
    widest = max(sums.values())
    centre = sum(k * v for k, v in sums.items()) / sum(sums.values())
    ordered = [sums[k] for k in sorted(sums)]
    return widest * centre + ordered[0] * len(sums)


def merged_tables(a, b, n):
    first = {k: a * k for k in range(n)}
    second = dict(zip(range(2, n + 2), [b * k for k in range(n)]))
    both = {**first, **second}
    both.update({0: a * b})
    return sum(v**2 for v in both.values()) + both.pop(1) * both.setdefault(50, a)


def scaled_in_place(arrays, factor):
    """Arrays in a dict, changed in place under computed keys."""
    table = {}
    for k in range(len(arrays)):
        table[k] = arrays[k] * 2.0
    for k in range(len(arrays)):
        table[k] *= factor
        table[k][0] += k * factor
    return np.sum(table[0] * table[len(arrays) - 1])


def returned_table(x, n):
    """A helper that returns a dict, another that reads it."""
    table = _powers(x, n)
    return _weigh(table, n)


def _powers(x, n):
    powers = {0: 1.0}
    for k in range(1, n):
        powers[k] = powers[k - 1] * x
    return powers


def _weigh(table, n):
    total = 0.0
    for k in range(n):
        total += table[k] / (k + 1.0)
    return total


def _network(rng, sizes, w="W", b="b", first=1, column=True):
    params = {}
    for k in range(1, len(sizes)):
        params[f"{w}{k - 1 + first}"] = rng.normal(size=(sizes[k], sizes[k - 1]))
        params[f"{b}{k - 1 + first}"] = rng.normal(size=(sizes[k], 1) if column else sizes[k])
    return params


def _weather(rng):
    start = {"rain": 0.6, "sun": 0.4}
    trans = {"rain": {"rain": 0.7, "sun": 0.3}, "sun": {"rain": 0.4, "sun": 0.6}}
    emit = {"rain": {"walk": 0.1, "shop": 0.9}, "sun": {"walk": 0.6, "shop": 0.4}}
    return start, trans, emit, ["walk", "shop", "shop"]


CASES = (
    case(
        rnn_with_history,
        lambda rng: (
            *(rng.normal(size=s) for s in ((3, 2), (3, 3), (4, 3), (5, 2))),
            np.array([0, 3, 1, 2, 0]),
            rng.normal(size=3),
        ),
    ),
    case(lstm_caches, lambda rng: (rng.normal(size=(3, 2)), rng.normal(size=(12, 5)), rng.normal(size=12), rng.normal(size=3))),
    case(deep_network, lambda rng: (_network(rng, (3, 4, 2)), rng.normal(size=(3, 5)), rng.normal(size=(2, 5)), 2)),
    case(formatted_layers, lambda rng: (_network(rng, (3, 4, 2), "w", "b", 0, column=False), rng.normal(size=3))),
    case(
        hand_backprop,
        lambda rng: ({"w1": rng.normal(size=(4, 3)), "w2": rng.normal(size=(2, 4))}, rng.normal(size=3), rng.normal(size=2)),
    ),
    case(momentum_by_name, lambda rng: ({"u": rng.normal(size=3), "v": rng.normal(size=3)}, 0.3, 3)),
    case(edit_cost, lambda rng: (rng.normal(size=4), rng.normal(size=3), 0.7, 1.3)),
    case(dtw_in_a_table, lambda rng: (rng.normal(size=4), rng.normal(size=3), 0.8)),
    case(memo_recurrence, lambda rng: (0.7, 0.4, 6)),
    case(knapsack_layers, lambda rng: (rng.uniform(0.5, 1.0, size=4), [1, 2, 3, 2], 5)),
    case(memoised_matrix_chain, lambda rng: (rng.uniform(1.0, 4.0, size=5),)),
    case(sparse_product, lambda rng: (rng.normal(size=4), np.array([0, 1, 2, 2]), np.array([1, 2, 0, 2]), rng.normal(size=3))),
    case(assembled_stiffness, lambda rng: (rng.uniform(1.0, 2.0, size=3), rng.uniform(1.0, 2.0, size=3), rng.normal(size=3))),
    case(sparse_gram, lambda rng: (rng.normal(size=5), [0, 1, 1, 3, 2])),
    case(dijkstra_costs, lambda rng: (np.array([1.0, 2.5, 1.2, 4.0, 0.9]),)),
    case(message_passing, lambda rng: (rng.normal(size=4), [(0, 1), (1, 2), (2, 3), (3, 0)], rng.normal(size=4), 2)),
    case(page_rank, lambda rng: ([("a", "b", 1.0), ("b", "c", 0.5), ("b", "d", 0.5), ("c", "a", 1.0), ("d", "a", 1.0)], 0.85, 3)),
    case(finite_volume, lambda rng: (rng.normal(size=5), 0.3, 0.9, 2)),
    case(pair_forces, lambda rng: (rng.normal(size=(4, 2)), 0.7)),
    case(cell_lists, lambda rng: (np.array([0.1, 0.4, 1.2, 1.7, 2.3]), 1.0, 0.6), wrt=(0, 2)),
    case(reaction_network, lambda rng: (rng.uniform(size=3), rng.uniform(size=3), 0.1, 4)),
    case(circuit_nodes, lambda rng: (rng.uniform(1.0, 2.0, size=3), 5.0)),
    case(word_scores, lambda rng: (rng.normal(size=3), "so it goes so it so")),
    case(codon_usage, lambda rng: ({letter: 1.0 + k for k, letter in enumerate("ACGTUNWSKMBD")}, "GATTACA")),
    case(bigram_model, lambda rng: (rng.normal(size=(3, 3)), [0, 2, 1, 1, 0])),
    case(forward_algorithm, _weather),
    case(inside_parse, lambda rng: (rng.uniform(0.5, 1.5, size=3), rng.uniform(0.5, 1.5, size=4))),
    case(value_iteration, lambda rng: (rng.normal(size=(3, 2)), 0.8, 2)),
    case(pending_events, lambda rng: (rng.uniform(1.0, 2.0, size=4), 1.5)),
    case(cache_with_eviction, lambda rng: (0.4, [1, 2, 1, 3, 2, 4, 1])),
    case(histogram_moments, lambda rng: (rng.uniform(size=6), 4), wrt=(0,)),
    case(merged_tables, lambda rng: (0.6, 1.4, 5)),
    case(scaled_in_place, lambda rng: (rng.normal(size=(3, 2)), 1.2)),
    case(returned_table, lambda rng: (0.8, 5)),
)
