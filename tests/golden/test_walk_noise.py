"""Noise of LadderWalk on the subgraph counts of eight real graphs, in units of the local sensitivity over epsilon.

Theory: ladder_walk.md, section 4. Laws decide, nothing is drawn.
"""

import os
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from dampen import Graph, NumericProblem, datasets
from dampen.mechanisms import LadderWalk, NumericMechanism, PolyPlace
from dampen.queries import k_star_problem, k_triangle_problem, triangle_problem

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        not os.environ.get("DAMPEN_DATA"), reason="DAMPEN_DATA does not name a folder of the real data sets"
    ),
]

GRAPHS: dict[str, Callable[[], Graph]] = {
    "Enron": datasets.load_enron,
    "DBLP": datasets.load_dblp,
    "GitHub": datasets.load_github,
    "Facebook": datasets.load_facebook,
    "GrQc": datasets.load_ca_grqc,
    "HepTh": datasets.load_ca_hepth,
    "Gowalla": datasets.load_gowalla,
    "Amazon": datasets.load_amazon,
}
PROBLEMS: dict[str, Callable[[Graph], NumericProblem]] = {
    "triangles": triangle_problem,
    "3-stars": lambda graph: k_star_problem(graph, 3),
    "2-triangles": k_triangle_problem,
}
MOST = {
    ("triangles", "0.1"): 1.22,
    ("triangles", "1"): 1.03,
    ("3-stars", "0.1"): 1.20,
    ("3-stars", "1"): 1.03,
    ("2-triangles", "0.1"): 2.0,
    ("2-triangles", "1"): 1.16,
}
"""The geometric mean over the graphs."""


@cache
def problems(name: str) -> list[NumericProblem]:
    return [PROBLEMS[name](load()).as_public() for load in GRAPHS.values()]


def noise_in_ideals(mechanism: NumericMechanism, problem: NumericProblem) -> float:
    return mechanism.expected_absolute_noise(problem) * float(mechanism.epsilon) / problem.rungs(1)[0]


@pytest.mark.parametrize(("name", "epsilon"), MOST)
def test_noise_is_close_to_the_local_sensitivity_over_epsilon(name: str, epsilon: str) -> None:
    found = [noise_in_ideals(LadderWalk(epsilon), problem) for problem in problems(name)]
    others = [noise_in_ideals(PolyPlace(epsilon), problem) for problem in problems(name)]
    means = [float(np.exp(np.log(noises).mean())) for noises in (found, others)]
    print(name, epsilon, dict(zip(GRAPHS, np.round(found, 3).tolist(), strict=True)), np.round(means, 3).tolist())
    assert means[0] <= MOST[name, epsilon]
    assert means[0] < means[1]
