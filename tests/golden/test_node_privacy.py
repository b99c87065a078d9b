"""The figures of docs/graphs.md on node privacy, from exact laws, and the way they are computed."""

import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dampen.mechanisms import EdgeRace
from dampen.mechanisms.numeric.noises import Geometric
from dampen.queries import kept_edges_problem
from experiments.node_privacy import EPSILONS, GRAPHS, chance_within, noise_errors, race_errors, row
from tests.unit.graphs import judges

PAGE = (Path(__file__).parents[2] / "docs" / "graphs.md").read_text()
needs_data = pytest.mark.skipif(
    not os.environ.get("DAMPEN_DATA"), reason="DAMPEN_DATA does not name a folder of the real data sets"
)


@needs_data
@pytest.mark.parametrize("name", ["Facebook", *(pytest.param(name, marks=pytest.mark.long) for name in GRAPHS)])
def test_the_page_has_the_errors_of_the_exact_laws(name: str) -> None:
    assert row(name) in PAGE


def test_the_page_has_the_errors_under_edge_privacy() -> None:
    (a, x), (b, y), (c, z) = map(noise_errors, EPSILONS)
    assert f"off by {a}, {b} and {c} edges (95 %: {x}, {y} and {z})" in " ".join(PAGE.split())


@pytest.mark.parametrize("off", [-7, 0, 3])
def test_chances_are_sums_of_the_law(off: int) -> None:
    noise, reach = Geometric(Fraction(1, 3)), np.arange(-200, 201)
    for error in (0, 1, 6, 7, 20):
        near = np.abs(off + reach) <= error
        assert chance_within(noise, off, error) == pytest.approx(np.exp(noise.log_probabilities(reach[near])).sum())


def test_errors_of_the_race_are_those_of_its_draws() -> None:
    """The ranks of the errors in a sample; errors that are 30 % larger have other ranks."""
    problem = kept_edges_problem(judges.hubs_and_cliques(3)).as_public()
    _, answers = EdgeRace(1).simulate(problem, np.random.default_rng(0), 200_000)
    off = np.abs(answers - (problem.sums or ())[-1])
    for error, chance in zip(race_errors(problem, Fraction(1)), (0.5, 0.95), strict=True):
        assert (off <= error).mean() == pytest.approx(chance, abs=0.01)
        assert abs((off <= 1.3 * error).mean() - chance) > 0.01
