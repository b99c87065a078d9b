"""Graph statistics as their definitions read: slow, exact, and sharing nothing with the library."""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from dampen.graphs.graph import Graph


def random_graph(nodes: int, probability: float, seed: int) -> Graph:
    rng = np.random.default_rng(seed)
    src, dst = np.triu_indices(nodes, 1)
    kept = rng.random(len(src)) < probability
    return Graph.from_edges(src[kept], dst[kept], nodes=nodes)


def hubs_and_cliques(seed: int) -> Graph:
    """Cliques with holes, hubs over them, leaves and isolated nodes: ego networks of very different density."""
    rng = np.random.default_rng(seed)
    edges = [pair for first in range(0, 240, 80) for pair in combinations(range(first, first + 80), 2)]
    edges = [edge for edge in edges if rng.random() < 0.9]
    edges += [(hub, int(node)) for hub in range(240, 250) for node in rng.integers(0, 300, 150)]
    src, dst = zip(*edges, strict=True)
    return Graph.from_edges(src, dst, nodes=310)


def clique_beside_hub(clique: int, around: int, apart: int) -> Graph:
    """A clique, and a hub over a ring of nodes that are joined with the next few; leaves raise these above the hub."""
    hub, first = clique, clique + 1 + around
    ring, leaves = np.arange(hub + 1, first), around - 2 * apart
    tails, heads = np.triu_indices(clique, 1)
    further = [np.roll(ring, step) for step in range(1, apart + 1)]
    last = first + around * leaves
    src = [tails, np.full(around, hub), np.tile(ring, apart), np.repeat(ring, leaves)]
    dst = [heads, ring, *further, np.arange(first, last)]
    return Graph.from_edges(np.concatenate(src), np.concatenate(dst), nodes=last)


def hubs_over_few_edges(seed: int) -> Graph:
    """Hubs of 99 neighbours each, of which at most 65 have edges: about as many as one word of bits holds."""
    src, dst = list[int](), list[int]()
    for place, linked in enumerate((2, 63, 64, 65)):
        hub, ends = 100 * place, random_graph(linked, 0.3, seed + place).edges()
        src += [*(hub + 1 + ends[0]), *[hub] * 99]
        dst += [*(hub + 1 + ends[1]), *range(hub + 1, hub + 100)]
    return Graph.from_edges(src, dst, nodes=400)


def sets_of(graph: Graph) -> list[set[int]]:
    return [set(graph.neighbours[a:b].tolist()) for a, b in zip(graph.offsets[:-1], graph.offsets[1:], strict=True)]


def ego_betweenness(joined: list[set[int]], centre: int) -> Fraction:
    """Over pairs of neighbours without an edge: 1 / (1 + common neighbours inside the ego network)."""
    ego = joined[centre]
    return sum(
        (Fraction(1, 1 + len(joined[x] & joined[y] & ego)) for x, y in combinations(ego, 2) if y not in joined[x]),
        Fraction(0),
    )


def ego_betweenness_by_matrix(graph: Graph, centre: int) -> Fraction:
    """The same from the adjacency matrix of the ego network and its square."""
    ego = graph.neighbours[graph.offsets[centre] : graph.offsets[centre + 1]]
    matrix = np.zeros((len(ego), len(ego)), dtype=np.float32)
    for place, node in enumerate(ego):
        row: NDArray[np.int32] = graph.neighbours[graph.offsets[node] : graph.offsets[node + 1]]
        matrix[place, np.isin(ego, row)] = 1
    shared = (matrix @ matrix).astype(np.int64)
    upper = np.triu(matrix == 0, 1)
    counts = np.bincount(shared[upper])
    return sum((Fraction(count, 1 + b) for b, count in enumerate(counts.tolist())), Fraction(0))


def edge_supports(joined: list[set[int]]) -> list[int]:
    return [len(joined[a] & joined[b]) for a in range(len(joined)) for b in sorted(joined[a]) if a < b]


def max_codegree(joined: list[set[int]]) -> int:
    return max((len(a & b) for a, b in combinations(joined, 2)), default=0)


def triangles(joined: list[set[int]]) -> int:
    return sum(b in joined[a] for c in range(len(joined)) for a, b in combinations(joined[c], 2)) // 3


def codegrees(joined: list[set[int]]) -> list[int]:
    nodes = range(len(joined))
    return [max((len(joined[a] & joined[b]) for b in nodes if b != a), default=0) for a in nodes]


def distance_two(joined: list[set[int]], weights: list[int]) -> list[int]:
    """Over pairs of neighbours without an edge: the weight of how many neighbours they share, the last for more."""
    return [
        sum(
            weights[min(len(joined[x] & joined[y]), len(weights) - 1)]
            for x, y in combinations(joined[v], 2)
            if y not in joined[x]
        )
        for v in range(len(joined))
    ]


Row = tuple[int, int]


def rows_kept(rows: Iterable[Row], cap: int) -> int:
    """Rows whose ends have kept fewer than the cap so far, in the order given; one to oneself needs room once."""
    kept: Counter[int] = Counter()
    found = 0
    for row in rows:
        if all(kept[end] < cap for end in row):
            kept.update(set(row))
            found += 1
    return found


def public_place(row: Row) -> int:
    """Where a row stands in the public order: SplitMix64's finaliser of both ids, xor the binary places of pi."""
    x = (min(row) << 32 | max(row)) ^ 0x243F6A8885A308D3
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
    return x ^ x >> 31


def without(rows: Iterable[Row], node: int) -> tuple[Row, ...]:
    return tuple(row for row in rows if node not in row)
