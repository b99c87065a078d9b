"""Pairs of edges at a node: a sensitivity that depends on the private degree and grows with the distance."""

from math import comb

from dampen import Adjacency, Frame, SelectionProblem
from dampen.audit import edge_neighbours, graphs
from dampen.audit.neighbours import Graph
from dampen.sensitivity import DegreeLike
from tests.audit.universes.base import Universe


def two_stars(nodes: int, *, monotone: bool) -> Universe:
    """The utility of node v is C(d_v, 2): an edge at v moves it by at most d_v, and by n - 2 when v is full.

    With ``monotone=False`` the edges elsewhere are subtracted, so that utilities have both signs and one edge moves
    them in both directions; then a rung is at least 1. All graphs have the same number of nodes, on which the claims of
    some mechanisms depend.
    """

    def problem_of(x: Graph) -> SelectionProblem:
        edges = x[1]
        degrees = [sum(node in edge for edge in edges) for node in range(nodes)]
        elsewhere = [0 if monotone else len(edges) - degree for degree in degrees]
        least = 0 if monotone else 1
        values = [max(least, height) for height in range(nodes - 1)]
        frame = Frame(range(nodes), bound=nodes - 2, adjacency=Adjacency.EDGE, monotone=monotone)
        utilities = [comb(degree, 2) - other for degree, other in zip(degrees, elsewhere, strict=True)]
        return SelectionProblem(frame, utilities, DegreeLike(degrees, values, bound=nodes - 2))

    label = "" if monotone else " less edges elsewhere"
    return Universe(
        f"two-stars{label}, graphs of {nodes} nodes",
        problem_of,
        graphs(largest=nodes, smallest=nodes),
        edge_neighbours,
        horizon=nodes,
    )
