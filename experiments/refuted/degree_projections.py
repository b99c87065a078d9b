"""Two ways to cut a graph down to a largest degree that cost more than three edges."""

import numpy as np

from dampen import Adjacency, Frame, SelectionProblem
from dampen.audit.neighbours import Graph
from dampen.mechanisms import Exponential
from dampen.vectors import Floats
from experiments.refuted.base import Evidence, Kind, RefutedMechanism

PATH = (20, frozenset((i, i + 1) for i in range(1, 19)))
STAR = (8, frozenset((0, leaf) for leaf in range(1, 7)))


def greedy_edges(graph: Graph, max_degree: int) -> list[tuple[int, int]]:
    """Add edges in order while both ends have room."""
    room, kept = [max_degree] * graph[0], []
    for a, b in sorted(graph[1]):
        if room[a] and room[b]:
            kept.append((a, b))
            room[a], room[b] = room[a] - 1, room[b] - 1
    return kept


def greedy_problem(graph: Graph) -> SelectionProblem:
    """Do more edges begin at even nodes or at odd ones? Counted after greedy projection to degree 1."""
    kept = greedy_edges(graph, 1)
    frame = Frame(("even", "odd"), 1, Adjacency.EDGE, monotone=True)
    return SelectionProblem(frame, [sum(a % 2 == parity for a, _ in kept) for parity in (0, 1)])


def sometimes_projected_problem(graph: Graph) -> SelectionProblem:
    """Degrees, cut at 6 and at a third of the rate only if some degree exceeds 6: that is a factor of 3 elsewhere."""
    degrees = np.array([sum(node in edge for edge in graph[1]) for node in range(graph[0])])
    exceeded = degrees.max() > 6
    frame = Frame(range(graph[0]), 1, Adjacency.EDGE, monotone=True)
    return SelectionProblem(frame, np.minimum(degrees, 6) if exceeded else 3 * degrees)


class AtAThirdOfEpsilon(RefutedMechanism):
    """The exponential mechanism at epsilon / 3."""

    def __init__(self, epsilon: float) -> None:
        self.epsilon = epsilon

    def log_probabilities(self, problem: SelectionProblem) -> Floats:
        """Its law."""
        problem.require_public("log_probabilities")
        return np.asarray(Exponential(self.epsilon / 3).log_probabilities(problem))


class GreedyProjection(AtAThirdOfEpsilon):
    """One edge at the end of a path changes every edge of the outcome. ``queries.projection`` ranks instead."""

    evidence = Evidence(
        kind=Kind.LOSS,
        claim="after greedy projection to a largest degree, epsilon / 3 on the outcome costs epsilon",
        source="folklore (edges added in order while both ends have room): a path of 19 nodes and one edge more",
        claimed_epsilon=1,
        problem_of=greedy_problem,
        pair=(PATH, (20, PATH[1] | {(0, 1)})),
    )

    @classmethod
    def as_claimed(cls) -> "GreedyProjection":
        """With epsilon = 1."""
        return cls(1)


class ProjectionWhenExceeded(AtAThirdOfEpsilon):
    """Whether the degree is exceeded is private, and so is then the rate."""

    evidence = Evidence(
        kind=Kind.LOSS,
        claim="a graph within the largest degree may be used as it is, at the whole epsilon",
        source="an implementation shortcut: a star of 6 leaves and one edge more",
        claimed_epsilon=1,
        problem_of=sometimes_projected_problem,
        pair=(STAR, (8, STAR[1] | {(0, 7)})),
    )

    @classmethod
    def as_claimed(cls) -> "ProjectionWhenExceeded":
        """With epsilon = 1."""
        return cls(1)
