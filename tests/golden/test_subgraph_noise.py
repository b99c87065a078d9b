"""Noise on the subgraph counts of ego_facebook, relative to the count, at delta 1e-6.

Theory: numeric.md, section 3.5. Laws decide, nothing is drawn.
"""

import os
from collections.abc import Callable
from functools import cache

import pytest

from dampen import Graph, NumericProblem, datasets
from dampen.mechanisms import (
    ExactPairLaplace,
    Ladder,
    Laplace,
    NoisyLocalSensitivity,
    NumericMechanism,
    PolyPlace,
    SmoothLaplace,
)
from dampen.queries import k_star_problem, k_triangle_problem, triangle_problem

pytestmark = pytest.mark.skipif(
    not os.environ.get("DAMPEN_DATA"), reason="DAMPEN_DATA does not name a folder of the real data sets"
)

MECHANISMS: dict[str, Callable[[str], NumericMechanism]] = {
    "exact pair": lambda epsilon: ExactPairLaplace(epsilon, "1e-6"),
    "PolyPlace": PolyPlace,
    "ladder": Ladder,
    "smooth": lambda epsilon: SmoothLaplace(epsilon, "1e-6"),
    "Laplace": Laplace,
    "noisy local": lambda epsilon: NoisyLocalSensitivity(epsilon, "1e-6"),
}
PROBLEMS: dict[str, Callable[[Graph], NumericProblem]] = {
    "triangles": triangle_problem,
    "3-stars": lambda graph: k_star_problem(graph, 3),
    "2-triangles": k_triangle_problem,
}
TABLE = {
    ("triangles", "0.1"): (0.0022, 0.0028, 0.0041, 0.0036, 0.025),
    ("triangles", "1"): (0.00019, 0.00025, 0.00038, 0.00036, 0.0025),
    ("3-stars", "0.1"): (0.0126, 0.0177, 0.0247, 0.0236, 0.224),
    ("2-triangles", "0.1"): (0.0094, 0.0083, 0.0151, 0.0202, 1.78, 0.169),
    ("2-triangles", "1"): (0.00055, 0.00070, 0.00107, 0.00101, 0.178, 0.0023),
}
"""In the order of the mechanisms; noisy local sensitivity is for k-triangles."""


@cache
def problem(name: str) -> NumericProblem:
    return PROBLEMS[name](datasets.load_facebook()).as_public()


@pytest.mark.parametrize(("name", "epsilon"), TABLE)
def test_relative_noise_on_facebook(name: str, epsilon: str) -> None:
    given = problem(name)
    for (who, make), expected in zip(MECHANISMS.items(), TABLE[name, epsilon], strict=False):
        noise = make(epsilon).expected_absolute_noise(given) / float(given.value)
        assert noise == pytest.approx(expected, rel=0.05), who
