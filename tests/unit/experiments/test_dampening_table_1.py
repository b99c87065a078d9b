"""Table 1 of the dampening paper: samples, counts and noise of the PrivateSQL baseline, on small graphs."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from dampen import Graph
from experiments import dampening_table_1 as table


def random_graph(n: int, edges: int, seed: int) -> Graph:
    rng = np.random.default_rng(seed)
    pairs = np.array(list(combinations(range(n), 2)))[rng.permutation(n * (n - 1) // 2)[:edges]]
    return Graph.from_edges(pairs[:, 0], pairs[:, 1], nodes=n)


def test_the_sensitivity_is_the_one_the_paper_names() -> None:
    assert table.private_sql_sensitivity(10) == 1448
    assert [table.private_sql_sensitivity(d) for d in (1, 49)] == [728, 4568]
    assert table.joined(table.Relation(2, 3), table.Relation(5, 7)) == 3 * 5 + 7 * 2 + 10


@pytest.mark.parametrize("seed", range(4))
def test_counts_without_noise_give_ego_betweenness(seed: int) -> None:
    graph = random_graph(12, 25, seed)
    counts = table.path_counts(graph)
    assert counts.shape == (12, 66)
    worth = np.where(counts > 0, 1 / np.maximum(counts, 1), 0).sum(axis=1)
    assert worth == pytest.approx(graph.ego_betweenness(), abs=1e-12)


def test_a_huge_epsilon_orders_by_ego_betweenness_and_a_small_one_by_chance() -> None:
    graph = random_graph(30, 70, 3)
    counts, rng = table.path_counts(graph), np.random.default_rng(0)
    values = graph.ego_betweenness()
    noiseless = table.private_sql_tops(counts, Fraction(10**12), 1448, rng)
    assert values[noiseless].tolist() == sorted(values.tolist(), reverse=True)
    first = [int(table.private_sql_tops(counts, Fraction(1), 1448, rng)[0]) for _ in range(300)]
    assert np.bincount(first, minlength=30).max() < 40


def test_a_sample_is_connected_and_keeps_all_edges_among_its_nodes() -> None:
    graph = random_graph(200, 500, 1)
    for seed in range(3):
        small = table.breadth_first_sample(graph, 50, np.random.default_rng(seed))
        assert small.nodes == 50
        reached = table._breadth_first(small, 0, 50, np.random.default_rng(0))
        assert sorted(reached) == list(range(50))
    nodes = [5, 9, 0, 17, 33]
    src, dst = graph.edges()
    among = sum(a in nodes and b in nodes for a, b in zip(src.tolist(), dst.tolist(), strict=True))
    assert len(table.induced(graph, nodes).edges()[0]) == among


def test_a_start_in_a_small_component_is_drawn_again() -> None:
    graph = Graph.from_edges([0, *range(2, 60)], [1, *range(3, 61)], nodes=62)
    assert table.breadth_first_sample(graph, 50, np.random.default_rng(0)).nodes == 50


def test_the_table_shows_ours_beside_the_paper_s() -> None:
    rows = [
        row
        for name in ("enron", "dblp", "github")
        for sample in range(2)
        for row in table.sample_rows(name, random_graph(80, 300, sample), sample, 1, 0)
    ]
    assert len(rows) == 3 * 2 * len(table.CONTESTANTS) * len(table.EPSILONS)
    assert rows == [*table.sample_rows("enron", random_graph(80, 300, 0), 0, 1, 0), *rows[25:]]
    shown = table.table(rows)
    assert "(0.88)" in shown
    assert f"{table.means(rows, 'enron', 'level')[0]:.2f}" in shown
    assert table.deviations(rows, "github", "private_sql").shape == (5,)
