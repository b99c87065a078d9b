"""Errors of counts that hide a person with all rows, from exact laws: the benchmark against sums over whole laws.

Source: people.md, sections 2.2 and 2.3 (the figures), and R2T as published (Dong and others, SIGMOD 2022).
"""

from fractions import Fraction
from itertools import count
from math import exp, log

import numpy as np
import pytest

from benchmarks.people import EPSILONS, over_hindsight, targets
from benchmarks.people_laws import (
    CAP_100,
    CAP_1000,
    CHANCES,
    HINDSIGHT,
    LAWS,
    R2T,
    RACE,
    SCAN,
    People,
    RacedLaw,
    error_point,
    errors_of,
    fixed_law,
    mechanism_law,
    r2t_law,
)
from dampen.errors import ParameterError
from dampen.mechanisms import CapRace, CapScan
from dampen.mechanisms.caps.base import CapMechanism

FEW = People("few", np.array([0, 1, 1, 2, 3, 3, 9]))
MANY = People("many", np.sort(np.arange(300) % 7 * (np.arange(300) % 11)))
MECHANISMS = [CapRace(Fraction(1, 2)), CapRace(3), CapScan(Fraction(1, 2)), CapScan(3)]


def point_by_sum(people: People, mechanism: CapMechanism, chance: float) -> int:
    """Answer by answer, from the nearest one on, until enough of the law is inside."""
    frame, inside = people.problem.frame, 0.0
    chances = mechanism.log_cap_probabilities(people.problem)
    for off in count():
        for answer in {people.sum - off, people.sum + off}:
            for cap, log_chance in zip(frame.caps, chances, strict=True):
                lost = int(np.minimum(people.totals, cap).sum())
                inside += exp(log_chance + float(mechanism.noise(frame, cap).log_probabilities(answer - lost)))
        if inside >= chance:
            return off
    raise AssertionError


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
@pytest.mark.parametrize("people", [FEW, MANY], ids=lambda people: people.name)
@pytest.mark.parametrize("chance", [0.1, 0.5, 0.8])
def test_points_of_the_error_are_those_of_the_whole_law(people: People, mechanism: CapMechanism, chance: float) -> None:
    assert error_point(mechanism_law(people, mechanism), chance) == point_by_sum(people, mechanism, chance)


@pytest.mark.parametrize("cap", [1, 2, 100])
@pytest.mark.parametrize("chance", [0.5, 0.95])
def test_a_fixed_cap_has_discrete_laplace_noise(cap: int, chance: float) -> None:
    rate, lost = 0.5 / cap, int(FEW.totals.sum() - np.minimum(FEW.totals, cap).sum())
    answers = np.arange(-8000, 8001)
    law = np.tanh(rate / 2) * np.exp(-rate * np.abs(answers))
    off = np.abs(answers - lost)
    found = next(e for e in count() if law[off <= e].sum() >= chance)
    assert error_point(fixed_law(FEW, cap, Fraction(1, 2)), chance) == found


def test_totals_under_caps_are_those_of_the_definition() -> None:
    for people in (FEW, MANY):
        for cap in (1, 2, 3, 4, 8, 9, 64):
            assert people.above(cap) == sum(total > cap for total in people.totals.tolist())
            assert people.cut(cap) == sum(min(total, cap) for total in people.totals.tolist())


def test_the_best_cap_in_hindsight_is_the_best_of_all() -> None:
    assert FEW.known_caps() == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    each = [error_point(fixed_law(FEW, cap, Fraction(2)), 0.5) for cap in range(1, 10)]
    assert errors_of(FEW, Fraction(2), 0.5)[HINDSIGHT] == min(each) / 19


def test_r2t_against_a_sum_over_fine_points() -> None:
    """Two caps: both noises at a thousand points of equal chance each."""
    law = RacedLaw(50, np.array([30.0, 20.0]), np.array([10.0, 25.0]))
    ranks = (np.arange(1000) + 0.5) / 1000
    laplace = np.sign(ranks - 0.5) * -np.log(1 - 2 * np.abs(ranks - 0.5))
    answers = np.maximum(0, np.maximum((30 + 10 * laplace)[:, None], (20 + 25 * laplace)[None, :]))
    for off in (3, 20, 49, 50, 80):
        assert law.within(off) == pytest.approx(float((np.abs(answers - 50) <= off).mean()), abs=3e-3)


def test_r2t_is_as_published() -> None:
    law = r2t_law(FEW, Fraction(1, 2))
    assert len(law.scales) == 20
    assert law.scales[:2].tolist() == [2 * 20 / 0.5, 4 * 20 / 0.5]
    assert law.centres[0] == pytest.approx(10 - log(20 / 0.1) * 80)


KNOWN = {
    ("enron", "0.1"): {HINDSIGHT: (0.018, 0.058), RACE: (0.033, 0.092), SCAN: (0.060, 0.103), R2T: (0.425, 0.48)},
    ("enron", "1"): {HINDSIGHT: (0.0025, 0.010), RACE: (0.0053, 0.026), SCAN: (0.0052, 0.026), R2T: (0.140, 0.17)},
}
"""Of the right answer; the median and the 95 % point."""


@pytest.fixture(scope="module")
def enron() -> People:
    try:
        return People.load("enron")
    except ParameterError:
        pytest.skip("set DAMPEN_DATA to the folder of the data sets")


@pytest.mark.parametrize(("name", "epsilon"), KNOWN)
def test_known_errors(enron: People, name: str, epsilon: str) -> None:
    half, most = (errors_of(enron, Fraction(epsilon), chance) for chance in CHANCES.values())
    for who, known in KNOWN[name, epsilon].items():
        assert (half[who], most[who]) == pytest.approx(known, rel=0.02, abs=5e-5)
    assert half[CAP_100] == pytest.approx(0.179, abs=5e-4)
    assert half[CAP_1000] == pytest.approx({"0.1": 0.019, "1": 0.0051}[epsilon], rel=0.02)


def test_means_and_promises_are_those_of_the_cells() -> None:
    """Planted: the race at 2 and at 8 times the best cap, everybody else at 4."""
    rows = {"one": dict.fromkeys(LAWS, 4.0) | {HINDSIGHT: 1.0, RACE: 2.0}}
    rows["other"] = rows["one"] | {RACE: 8.0}
    cells = {(name, epsilon, point): row for name, row in rows.items() for epsilon in EPSILONS for point in CHANCES}
    assert [*over_hindsight(cells, RACE).values()] == pytest.approx([4.0] * 6)
    assert [target.met for target in targets(cells)] == [False, False, False]
    kept = {key: row | {RACE: 2.0} for key, row in cells.items()}
    assert [target.met for target in targets(kept)] == [True, True, True]
