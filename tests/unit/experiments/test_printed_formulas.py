"""What the reproductions compute on their own, against definitions by brute force and against the fence."""

from math import log

import numpy as np
import pytest

from dampen import Adjacency, Frame, Graph, SelectionProblem
from dampen.audit import laplace_pair
from dampen.mechanisms import Exponential, LocalDampening, PermuteAndFlip
from dampen.sensitivity import Step
from experiments import lls_figure_2, snm_figure_7
from experiments.example_graph import EXAMPLE, NODES, SHARED, element_sensitivities, neighbours, scores
from experiments.lls_printed import (
    TwoTriangles,
    printed_delta,
    printed_ladder,
    printed_rates,
    printed_scale,
    ratio,
)
from experiments.percentile_answers import Answers, smooth_noisy_max_chance
from experiments.refuted import SmoothNoisyMaxLaplace, SmoothNoisyMaxStudent, TwoTrianglesByTheSmallBound
from experiments.refuted import two_triangle_bound as judge
from experiments.refuted.exponential_smooth_sensitivity import winner_problem
from experiments.refuted.numbers import measured_pair
from tests.unit.graphs.judges import ego_betweenness_by_matrix


def random_graphs(count: int) -> list[frozenset[tuple[int, int]]]:
    rng = np.random.default_rng(0)
    shares = rng.uniform(0.2, 1, size=count)
    return [frozenset(pair for pair in judge.ALL if rng.random() < share) for share in shares]


def dense(edges: frozenset[tuple[int, int]]) -> TwoTriangles:
    first, second = ([edge[end] for edge in sorted(edges)] for end in (0, 1))
    return TwoTriangles.of(Graph.from_edges(first, second, nodes=judge.NODES))


@pytest.mark.parametrize("edges", random_graphs(40), ids=range(40))
def test_dense_counts_of_two_triangles(edges: frozenset[tuple[int, int]]) -> None:
    counts, before = dense(edges), judge.two_triangles((judge.NODES, edges))
    for i, j in judge.ALL:
        after = judge.two_triangles((judge.NODES, edges ^ {(i, j)}))
        assert counts.changes()[i, j] == abs(after - before)
    if len(edges) < len(judge.ALL):
        assert counts.level() == judge.largest_support((judge.NODES, edges))
    other, distance = counts.worst_neighbour()
    assert distance == counts.changes().max()
    assert np.abs(other.adjacency - counts.adjacency).sum() == 2


def test_the_printed_rates_by_hand() -> None:
    step = ratio(5, 1 / 2000)
    assert step == pytest.approx(1 + 5 / (2 * log(2000)))
    assert printed_rates([2.5, 5, 7.5, 10], 5, 1 / 2000) == pytest.approx(
        [0.25 * step**3, 0.25 * step**2, 0.25 * step, 0.25]
    )
    close = [9.0, 9.9, 10.0]
    assert printed_rates(close, 5, 1 / 2000) == pytest.approx([0.25] * 3)
    assert printed_rates(close, 5, 1 / 2000, gap_rule=False) == pytest.approx([5 / 18, 5 / 19.8, 0.25])


def test_the_exact_delta_of_the_printed_noise_is_the_fence_s() -> None:
    kind = TwoTrianglesByTheSmallBound
    counts = dense(judge.COMPLETE[1] - {(0, 1)})
    found = printed_delta(counts, 5, 1 / 2000)
    assert found == pytest.approx(float(measured_pair(kind.as_claimed(), kind.evidence).delta), rel=1e-9)
    assert printed_scale(3, 6, 5, 1 / 2000) == pytest.approx(
        kind.as_claimed().scale(judge.problem_of(judge.OF_SECTION_5_3).as_public())
    )


def test_the_printed_ladder_of_section_5_3() -> None:
    assert printed_ladder(3, 2, 6).rungs(3) == (8, 10, 10)
    assert printed_ladder(19, 17, 100).rungs(3) == (48, 116, 188)


@pytest.mark.parametrize("kind", [SmoothNoisyMaxStudent, SmoothNoisyMaxLaplace])
@pytest.mark.parametrize("votes", [(3, 0), (2, 0, 0, 0, 0), (6, 1, 1)])
def test_chances_of_smooth_noisy_max_are_the_fence_s(
    kind: type[SmoothNoisyMaxStudent] | type[SmoothNoisyMaxLaplace], votes: tuple[int, ...]
) -> None:
    noise, problem = kind(1.0), winner_problem(votes).as_public()
    smooth = float(problem.sensitivity.smooth(noise.beta).max())
    law = np.exp(noise.log_probabilities(problem))
    chance = smooth_noisy_max_chance(noise, noise.alpha / (2 * smooth), 1, len(votes) - 1)
    assert chance == pytest.approx(law[0], abs=1e-9)


@pytest.mark.parametrize("right", [1, 3, 7])
def test_equal_best_candidates_share_the_chance(right: int) -> None:
    noise = SmoothNoisyMaxLaplace(1.0)
    assert smooth_noisy_max_chance(noise, 0.0, right, 5) == pytest.approx(right / (right + 5), abs=1e-9)
    assert smooth_noisy_max_chance(noise, 1e100, right, 5) == pytest.approx(1)


def test_chances_of_classical_and_dampened_scores() -> None:
    frame = Frame(range(9), bound=1, adjacency=Adjacency.ADD_REMOVE)
    problem = SelectionProblem(frame, [1, 1, *[0] * 7], Step([5] * 9, bound=1, floor="1e-9"))
    for mechanism in (Exponential(2), PermuteAndFlip(2)):
        law = np.exp(np.asarray(mechanism.log_probabilities(problem)))
        assert snm_figure_7.classical(mechanism)(2, 7) == pytest.approx(law[:2].sum(), rel=1e-6)
    dampened = np.exp(np.asarray(LocalDampening(2, law=Exponential).log_probabilities(problem)))
    assert snm_figure_7.dampened(2, 6)(2, 7) == pytest.approx(dampened[:2].sum(), rel=1e-5)


def test_bias_can_vanish_where_no_answer_is_near() -> None:
    answers = Answers(np.array([0.0, 10.0, 20.0]), np.array([0.5, 0.0, 0.5]), 10.0)
    assert (answers.bias, answers.error, answers.hit) == (0, 10, 0)


def test_scores_of_the_example_graphs_by_definition() -> None:
    for edges in (EXAMPLE, SHARED, *neighbours(EXAMPLE)[:6]):
        first, second = ([edge[end] for edge in sorted(edges)] for end in (0, 1))
        graph = Graph.from_edges(first, second, nodes=NODES)
        assert scores(edges) == pytest.approx([float(ego_betweenness_by_matrix(graph, node)) for node in range(NODES)])
    near = [element_sensitivities(other, 0) for other in (EXAMPLE, *neighbours(EXAMPLE))]
    assert element_sensitivities(EXAMPLE, 1) == tuple(max(values) for values in zip(*near, strict=True))


@pytest.mark.parametrize("t", [0.01, 0.2])
def test_where_the_published_noise_is_worth_it(t: float) -> None:
    depth = lls_figure_2.worth_from(t)
    assert lls_figure_2.published(t, depth) <= 1 < lls_figure_2.published(t, depth - 1)
    epsilon = lls_figure_2.epsilon_of(t)
    pair = laplace_pair(
        epsilon=epsilon,
        distance=1 / ratio(epsilon, 1e-6),
        scale=2 / epsilon,
        other_scale=2 / epsilon / ratio(epsilon, 1e-6),
    )
    assert float(pair.delta) / 1e-6 <= lls_figure_2.worst_delta(t) * (1 + 1e-12)
