"""How many of the k nodes of highest ego betweenness could any edge-private method find?

Let len(v) edges suffice to bring a node v outside the top k into it. A method that finds every member of the top k with
probability p, on this graph and on those, names v with probability p exp(-epsilon len(v)) at least; and it names k (1 -
p) others at most. So p <= k / (k + sum of exp(-epsilon len(v))). It bounds the worst member on the worst of these
graphs, so the mean overlap on one graph may exceed it.

Any attack gives a len(v). For the nodes that follow the top k it is greedy: take away the neighbour whose loss gains
most, or add one that knows nobody else, until v is in the top k of the changed graph. For all others neighbours are
only added.
"""

from collections.abc import Collection
from typing import Any

import numpy as np
from numba import njit

from dampen import Graph
from dampen.vectors import Floats, Integers

NEAR = 15
"""The greedy attack is made on so many nodes after the top k."""


def recall_bound(lengths: Any, *, k: int, epsilon: float) -> float:
    """The bound, from the attack lengths of all nodes outside the top k.

    >>> recall_bound([0, 0], k=2, epsilon=1)
    0.5
    """
    return float(k / (k + np.exp(-epsilon * np.asarray(lengths, dtype=np.float64)).sum()))


def attack_lengths(graph: Graph, k: int, *, right: Collection[int] | None = None, near: int = NEAR) -> Integers:
    """Edges that suffice to bring each node into the top k, by falling ego betweenness of the nodes.

    ``right``: the nodes that count as members; the top k where left out.
    """
    values, degrees = graph.ego_betweenness(), graph.degrees()
    order = np.argsort(-values, kind="stable")
    members = set(order[:k].tolist()) if right is None else set(right)
    target = values[order[k - 1]]
    outside = np.array([v for v in order.tolist() if v not in members])
    lengths = added_neighbours(degrees[outside], target - values[outside])
    for place, v in enumerate(outside[:near].tolist()):
        lengths[place] = min(lengths[place], greedy_length(graph, v, k, float(target)))
    return lengths


def added_neighbours(degrees: Any, deficits: Any) -> Integers:
    """The least t >= 1 with t d + t (t - 1) / 2 >= deficit: each new neighbour is linked with all others by v alone."""
    wide = 2 * np.asarray(degrees, dtype=np.float64) - 1
    t = np.ceil((np.sqrt(wide * wide + 8 * np.maximum(deficits, 0)) - wide) / 2)
    return np.asarray(np.maximum(t, 1), dtype=np.int64)


def greedy_length(graph: Graph, v: int, k: int, target: float) -> int:
    """How many edges the greedy attack needs; the goal is raised until v is in the top k of the changed graph."""
    while True:
        removed, added = attack(graph, v, target)
        values = changed(graph, v, removed, added).ego_betweenness()
        rivals = np.delete(values, v)
        best = float(np.partition(rivals, len(rivals) - k)[len(rivals) - k])
        if values[v] >= best:
            return max(1, len(removed) + added)
        target = max(best, target + 0.5)


def attack(graph: Graph, v: int, target: float) -> tuple[list[int], int]:
    """The neighbours to take away and how many to add, until the ego betweenness of v reaches the target."""
    near = graph.neighbours[graph.offsets[v] : graph.offsets[v + 1]].astype(np.int64)
    joined = np.zeros((len(near), len(near)), dtype=np.bool_)
    for place, u in enumerate(near.tolist()):
        known = graph.neighbours[graph.offsets[u] : graph.offsets[u + 1]]
        joined[place] = np.isin(near, known, assume_unique=True)
    removed, added = _greedy(joined, target)
    return near[removed].tolist(), int(added)


def changed(graph: Graph, v: int, removed: list[int], added: int) -> Graph:
    """The graph after the attack. New neighbours are nodes of the least degree whose neighbours v does not know."""
    src, dst = graph.edges()
    at_v = (src == v) | (dst == v)
    kept = ~(at_v & np.isin(src + dst - v, removed))
    near = np.unique(np.append((src + dst - v)[at_v], v))
    linked = np.concatenate([src[np.isin(dst, near)], dst[np.isin(src, near)], near])
    strangers = np.setdiff1d(np.arange(graph.nodes), linked)
    fresh = strangers[np.argsort(graph.degrees()[strangers], kind="stable")][:added]
    ends = np.concatenate([src[kept], np.full(len(fresh), v)]), np.concatenate([dst[kept], fresh])
    return Graph.from_edges(*ends, nodes=graph.nodes)


@njit(cache=True)
def _greedy(joined: Any, target: float) -> Any:
    """Places of the neighbours that are taken away, and how many are added; ``joined``: the edges between neighbours.

    One that knows f of the others links f (f - 1) / 2 pairs, and each gains 1 / 2 at most by its loss.
    """
    d = len(joined)
    paths = _paths(joined)
    alive = np.ones(d, dtype=np.bool_)
    removed = np.empty(0, dtype=np.int64)
    added, left = 0, d
    friends = joined.sum(axis=1)
    value = _value(joined, paths)
    while value < target:
        best, gain = -1, float(left + added)
        for u in range(d):
            if alive[u] and friends[u] * (friends[u] - 1) / 4 > gain:
                change = _change(u, joined, paths, alive) - added
                if change > gain:
                    best, gain = u, change
        value += gain
        if best < 0:
            added += 1
            continue
        alive[best] = False
        left -= 1
        removed = np.append(removed, best)
        know = np.flatnonzero(joined[best] & alive)
        for x in know:
            friends[x] -= 1
            for y in know:
                paths[x, y] -= 1
    return removed, added


@njit(cache=True)
def _paths(joined: Any) -> Any:
    """1 + the common neighbours of each pair of neighbours, within the neighbours."""
    paths = np.ones(joined.shape, dtype=np.int32)
    for u in range(len(joined)):
        know = np.flatnonzero(joined[u])
        for x in know:
            for y in know:
                paths[x, y] += 1
    return paths


@njit(cache=True)
def _value(joined: Any, paths: Any) -> float:
    """The ego betweenness."""
    total = 0.0
    for x in range(len(joined)):
        for y in range(x):
            if not joined[x, y]:
                total += 1 / paths[x, y]
    return total


@njit(cache=True)
def _change(u: int, joined: Any, paths: Any, alive: Any) -> float:
    """How the ego betweenness changes when u is no neighbour any more: its pairs are lost, pairs it linked gain."""
    total = 0.0
    for y in range(len(joined)):
        if alive[y] and y != u and not joined[u, y]:
            total -= 1 / paths[u, y]
    know = np.flatnonzero(joined[u] & alive)
    for i in range(len(know)):
        for j in range(i):
            if not joined[know[i], know[j]]:
                g = paths[know[i], know[j]]
                total += 1 / (g * (g - 1))
    return total


def bounds(lengths: Integers, k: int, epsilons: Collection[float]) -> Floats:
    """The bound at each epsilon."""
    return np.array([recall_bound(lengths, k=k, epsilon=epsilon) for epsilon in epsilons])
