"""The prefix data space of the largest-local-sensitivities paper, judged by walking its chain of prefixes.

Theory: numeric.md, section 4 (the ladder is s_(k + 1 + t)).
"""

import os
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import dampen
from dampen import Adjacency, GrowthLaw, NumericFrame, NumericProblem, datasets
from dampen.errors import DataError, ParameterError
from dampen.mechanisms import LadderWalk, PiecewiseLaplace
from experiments import published_piecewise_laplace
from experiments.prefix_sum import PrefixLadder, prefix_sum_problem
from experiments.published_piecewise_laplace import PublishedPiecewiseLaplace, loss_of_pair
from tests.conftest import Refused
from tests.every_numeric import EVERY

VALUES = [0.0, 1.0, 1.0, 2.5, 4.0, 9.0]
DOCS = Path(__file__).parents[2] / "docs"
needs_data = pytest.mark.skipif(
    not os.environ.get("DAMPEN_DATA"), reason="DAMPEN_DATA does not name a folder of the real data sets"
)


def test_the_ladder_is_exact() -> None:
    sums = np.concatenate([[0.0], np.cumsum(VALUES)])
    steps = np.diff(sums)
    rungs = [max(steps[max(k - 1, 0) : k + 1]) for k in range(len(sums))]
    problems = [prefix_sum_problem(VALUES[::-1], k, resolution="0.5") for k in range(len(sums))]
    for t in range(8):
        for k, problem in enumerate(problems):
            assert problem.value == sums[k]
            assert problem.sensitivity.at(t)[0] == rungs[k]
        rungs = [max(rungs[max(k - 1, 0) : k + 2]) for k in range(len(rungs))]


@pytest.mark.parametrize("beta", [0.01, 0.3, 3])
def test_smooth_in_one_pass(beta: float) -> None:
    for k in range(len(VALUES) + 1):
        ladder = PrefixLadder(np.array(VALUES), k)
        rungs = ladder.ladder(20)[:, 0]
        assert ladder.smooth(beta)[0] == pytest.approx((rungs * np.exp(-beta * np.arange(20))).max(), rel=1e-12)


def test_what_is_protected_is_called_a_prefix(refused: Refused) -> None:
    assert prefix_sum_problem(VALUES, 2).frame.unit == "prefix"
    for values in ([], [-1.0, 2.0], [0.0]):
        with refused(DataError, "values"):
            prefix_sum_problem(values, 0)
    with refused(DataError, "k must not exceed"):
        prefix_sum_problem(VALUES, 7)
    with refused(ParameterError, "k must be a whole number"):
        prefix_sum_problem(VALUES, -1)


@needs_data
def test_on_the_salaries_the_smooth_sensitivity_is_the_local_one() -> None:
    """The sorted salaries grow too slowly to matter: at epsilon 1 and delta 1e-6 the first rung is the largest."""
    pay = np.maximum(datasets.load_sf_salaries()["TotalPay"], 0)
    problem = prefix_sum_problem(pay, 50_000, resolution="0.01")
    beta = 1 / (2 * np.log(2e6))
    assert problem.sensitivity.smooth(beta)[0] == problem.sensitivity.at(0)[0]


# Noise on nearly flat ladders


@cache
def rising() -> NumericProblem:
    """The 2,000 smallest of 10,000 values that rise by 10."""
    return prefix_sum_problem(20_000 + 10 * np.arange(10_000.0), 2000).as_public()


def test_the_table_of_the_numbers_page_is_that_of_the_laws() -> None:
    rows = (DOCS / "numbers.md").read_text().split("| nearly flat |")[1].split("\n\n")[0].splitlines()[2:]
    names = ("PiecewiseLaplace", "ExactPairLaplace", "PolyPlace", "Ladder", "Laplace")
    for name, row in zip(names, rows, strict=True):
        cells = [
            f"{EVERY[name](epsilon, '1e-6').expected_absolute_noise(rising()) * float(Fraction(epsilon)) / 40_000:.2f}"
            for epsilon in ("1/10", "1", "4")
        ]
        assert [cell.strip() for cell in row.split("|")[1:-1]] == [f"`{name}`", *cells]


def walk_in_ideals(given: NumericProblem, alpha: int, epsilon: str) -> float:
    """The mean noise of a walk by this law of growth, in units of the first rung over epsilon."""
    frame = NumericFrame(given.frame.bound, Adjacency.ADD_REMOVE, growth=GrowthLaw(2, alpha))
    walked = NumericProblem(frame, given.value, given.sensitivity).as_public()
    return LadderWalk(epsilon).expected_absolute_noise(walked) * float(Fraction(epsilon)) / given.rungs(1)[0]


def test_a_walk_with_the_right_law_of_growth_has_less_noise_there() -> None:
    assert [round(walk_in_ideals(rising(), 10, epsilon), 2) for epsilon in ("1/10", "1", "4")] == [1.01, 1.0, 1.0]


@needs_data
def test_a_walk_with_a_wrong_law_of_growth_has_much_more() -> None:
    given = prefix_sum_problem(np.maximum(datasets.load_sf_salaries()["TotalPay"], 0), 1000)
    assert [round(walk_in_ideals(given, alpha, "1"), 2) for alpha in (10, 1)] == [1.13, 2799.63]


def test_of_the_pure_ones_piecewise_laplace_is_to_be_taken_up_to_epsilon_three_and_a_half() -> None:
    found = dampen.compare(rising(), epsilons=("1/10", 1, 3, 5))
    assert [name for _, name in found.crossings] == ["PiecewiseLaplace", "PolyPlace"]
    assert found.crossings[1][0] == Fraction("3.4")


@needs_data
def test_the_table_of_the_proof_page_is_that_of_the_laws() -> None:
    page = (DOCS / "proofs" / "piecewise_laplace.md").read_text()
    head, _, *rows = published_piecewise_laplace.table().splitlines()
    assert head in page
    assert all(row in page for row in rows)


def test_the_published_noise_needs_twice_its_rate() -> None:
    """As it stands on reals: 1, 1, 100, ... beside 1, 100, ..., a step apart; and its price on the law of the wheel."""
    one, other = (PublishedPiecewiseLaplace((1.0,) * count, 100.0, 1.0) for count in (2, 1))
    assert loss_of_pair(one, other, 1.0) == pytest.approx(1.955, abs=5e-4)
    half = PublishedPiecewiseLaplace.of(rising(), 0.5).mean_size()
    assert half == pytest.approx(PiecewiseLaplace(1, share="1/2").expected_absolute_noise(rising()), rel=1e-6)


def test_the_published_density_is_one() -> None:
    law = PublishedPiecewiseLaplace((1.0, 3.0), 7.0, 0.5)
    places = np.linspace(0, 400, 400_001)
    density = np.exp(law.log_density(places))
    assert 2 * np.trapezoid(density, places) == pytest.approx(1, abs=1e-6)
    assert 2 * np.trapezoid(density * places, places) == pytest.approx(law.mean_size(), rel=1e-5)
