"""Walks of two steps in threads: the same numbers whoever counts them, and an ear for interrupts."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dampen.errors import ParameterError
from dampen.graphs import level_kernels
from dampen.graphs import threads as graph_threads
from dampen.graphs.graph import Graph
from dampen.graphs.node_scores import WALK_PARTS, codegrees, distance_two_sums
from dampen.vectors import Integers
from tests.unit.graphs import judges

WEIGHTS = np.array([99, 720, 360, 240, 180, 144, 120, 7])
STATISTICS: dict[str, Callable[..., Integers]] = {
    "distance_two": lambda graph, **how: distance_two_sums(graph.offsets, graph.neighbours, WEIGHTS, **how),
    "largest_shared": lambda graph, **how: codegrees(graph.offsets, graph.neighbours, **how),
}
GRAPHS: dict[str, Callable[[], Graph]] = {
    "no edges": lambda: Graph.from_edges([], [], nodes=3),
    "two centres": lambda: Graph.from_edges([0] * 9 + [1] * 9, [*range(2, 11)] * 2, nodes=12),
    "sparse": lambda: judges.random_graph(200, 0.03, 1),
    "dense": lambda: judges.random_graph(60, 0.6, 2),
    "hubs and cliques": lambda: judges.hubs_and_cliques(3),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_they_are_their_definitions(name: str) -> None:
    """Where more than seven are shared the last weight counts, and a pair with an edge weighs nothing."""
    graph = GRAPHS[name]()
    joined = judges.sets_of(graph)
    assert STATISTICS["largest_shared"](graph).tolist() == judges.codegrees(joined)
    assert STATISTICS["distance_two"](graph).tolist() == judges.distance_two(joined, WEIGHTS.tolist())


@pytest.mark.parametrize("statistic", STATISTICS)
def test_the_number_of_threads_does_not_matter(statistic: str) -> None:
    graph = GRAPHS["hubs and cliques"]()
    alone = STATISTICS[statistic](graph, threads=1)
    assert alone.dtype == np.int64
    for threads in (2, 3, 8):
        assert STATISTICS[statistic](graph, threads=threads).tolist() == alone.tolist()
    with pytest.raises(ParameterError, match="threads must be"):
        STATISTICS[statistic](graph, threads=0)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_an_interrupt_stops_the_walks(statistic: str, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[int] = []

    def interrupted(_: Any, timeout: float) -> None:
        raise KeyboardInterrupt

    def slow(first: int, *_: Any) -> None:
        time.sleep(0.001)
        done.append(first)

    monkeypatch.setattr(graph_threads, "wait", interrupted)
    monkeypatch.setattr(level_kernels, statistic, slow)
    with pytest.raises(KeyboardInterrupt):
        STATISTICS[statistic](GRAPHS["hubs and cliques"](), threads=2)
    assert len(done) < WALK_PARTS // 2
