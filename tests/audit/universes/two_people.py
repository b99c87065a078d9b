"""Rows of two people each: all labelled graphs of few nodes, and how many rows a public order keeps under each cap.

A graph is a frozenset of pairs of people. The greedy is the plainest there is: row by row in the public order, a row
is kept if both its people have kept fewer than the cap.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations

import numpy as np

from dampen import Adjacency
from dampen.problem import CapFrame, CapProblem
from dampen.problem.caps import SPREADS

Edge = tuple[int, int]
Rows = frozenset[Edge]
Kept = tuple[int, ...]
"""How many rows are kept under each cap, and under twice the last one."""


def every_edge(nodes: int) -> list[Edge]:
    return list(combinations(range(nodes), 2))


def every_graph(nodes: int) -> list[Rows]:
    edges = every_edge(nodes)
    return [frozenset(e for bit, e in enumerate(edges) if code >> bit & 1) for code in range(1 << len(edges))]


def public_orders(nodes: int, count: int) -> list[list[Edge]]:
    """As they are listed, backwards, and shuffled."""
    edges, rng = every_edge(nodes), np.random.default_rng(0)
    shuffled = [[edges[place] for place in rng.permutation(len(edges))] for _ in range(count - 2)]
    return [edges, edges[::-1], *shuffled][:count]


def without(rows: Rows, person: int) -> Rows:
    return frozenset(edge for edge in rows if person not in edge)


def rows_kept(rows: Rows, order: Sequence[Edge], cap: int) -> int:
    kept: dict[int, int] = {}
    found = 0
    for one, other in order:
        if (one, other) in rows and max(kept.get(one, 0), kept.get(other, 0)) < cap:
            kept[one], kept[other] = kept.get(one, 0) + 1, kept.get(other, 0) + 1
            found += 1
    return found


class KeptRows:
    """All graphs of so many nodes in one order: what is kept of each, and of each after somebody left."""

    def __init__(self, nodes: int, order: Sequence[Edge], caps: Sequence[int]) -> None:
        graphs = every_graph(nodes)
        levels = (*caps, 2 * caps[-1])
        self.kept = {rows: tuple(rows_kept(rows, order, cap) for cap in levels) for rows in graphs}
        self._nodes, self._after = nodes, dict[Kept, set[Kept]]()
        for rows, kept in self.kept.items():
            self._after.setdefault(kept, set()).update(self.kept[without(rows, v)] for v in range(nodes))

    def removals(self) -> int:
        """How many pairs of a graph and one of its people there are, where that person has rows."""
        return sum(without(rows, v) != rows for rows in self.kept for v in range(self._nodes))

    @property
    def universe(self) -> list[Kept]:
        """All that is ever kept: a law depends on nothing else."""
        return sorted(self._after)

    def after_leaving(self, kept: Kept) -> Iterator[Kept]:
        """What may be kept after one person left."""
        yield from sorted(self._after[kept])

    def after_rewiring(self, kept: Kept) -> Iterator[Kept]:
        """What may be kept after one person got other rows: both graphs are the same without that person."""
        yield from sorted(self._rewired[kept])

    @cached_property
    def _rewired(self) -> dict[Kept, set[Kept]]:
        alike: dict[tuple[int, Rows], set[Kept]] = {}
        for rows, kept in self.kept.items():
            for v in range(self._nodes):
                alike.setdefault((v, without(rows, v)), set()).add(kept)
        rewired: dict[Kept, set[Kept]] = {}
        for group in alike.values():
            for kept in group:
                rewired.setdefault(kept, set()).update(group)
        return rewired


def scores(kept: Kept, caps: Sequence[int]) -> list[Fraction]:
    """q_j = (E_2t - E_t) / t."""
    return [Fraction(more - now, cap) for now, more, cap in zip(kept, kept[1:], caps, strict=False)]


def edge_problem(kept: Kept, caps: Sequence[int], adjacency: Adjacency) -> CapProblem:
    frame = CapFrame(adjacency, caps, spread=SPREADS[adjacency])
    return CapProblem(frame, scores(kept, caps), kept[:-1])
