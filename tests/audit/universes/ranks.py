"""Graphs of the atlas with the ranks of their nodes: one-hop PageRank, PageRank, core numbers."""

from collections.abc import Callable

from dampen import SelectionProblem
from dampen.audit import graphs
from dampen.audit.neighbours import Graph
from dampen.graphs.rank_scores import core_numbers
from dampen.queries.graph.rank_problems import core_problem, one_hop_problem, pagerank_problem
from tests.audit.universes.atlas import neighbours_up_to_names
from tests.audit.universes.base import Universe
from tests.unit.queries.graph import judges as judge


def one_hop_ranks(*, largest: int, smallest: int = 2) -> Universe:
    return _on_the_atlas("one-hop PageRank", lambda x: one_hop_problem(*judge.csr(x)).problem, largest, smallest)


def pageranks(*, largest: int, smallest: int = 2) -> Universe:
    return _on_the_atlas("PageRank", lambda x: pagerank_problem(*judge.csr(x)).problem, largest, smallest)


def cores(*, largest: int, smallest: int = 2) -> Universe:
    return _on_the_atlas("core numbers", lambda x: core_problem(core_numbers(*judge.csr(x))), largest, smallest)


def _on_the_atlas(name: str, problem_of: Callable[[Graph], SelectionProblem], largest: int, smallest: int) -> Universe:
    label = f"{name}, graphs of {smallest} to {largest} nodes"
    return Universe(label, problem_of, graphs(largest=largest, smallest=smallest), neighbours_up_to_names)
