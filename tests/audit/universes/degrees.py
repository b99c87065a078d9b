"""Degrees of the nodes of a graph: monotone under EDGE."""

from dampen import Adjacency, Frame, SelectionProblem
from dampen.audit import edge_neighbours, graphs
from dampen.audit.neighbours import Graph
from tests.audit.universes.base import Universe


def degrees(largest: int) -> Universe:
    def problem_of(x: Graph) -> SelectionProblem:
        nodes, edges = x
        frame = Frame(range(nodes), bound=1, adjacency=Adjacency.EDGE, monotone=True)
        return SelectionProblem(frame, [sum(node in edge for edge in edges) for node in range(nodes)])

    return Universe(f"degrees, graphs up to {largest} nodes", problem_of, graphs(largest=largest), edge_neighbours)
