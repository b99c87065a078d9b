"""What is told of totals that were cut: the words, the figures, and the exact chance that they fail."""

from fractions import Fraction
from math import ceil, log
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency
from dampen.mechanisms import CapMechanism, CapRace, CapScan, EdgeRace, LimitRace, SignedCapRace
from dampen.mechanisms.caps.errors import Beyond, EdgeAccuracy, in_words
from dampen.privacy import NumericRelease, PrivacyLoss
from dampen.problem import CapFrame, CapProblem

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
FRAME = CapFrame(ADD_REMOVE)


def test_the_words_of_a_race() -> None:
    """People: (kappa (J - j) + ln((J + 1) / 0.05)) / epsilon_1 = (3/2 14 + ln 420) 4 = 108.2 at epsilon 1."""
    assert CapRace(1).capped_accuracy(FRAME, 64).statement() == (
        "totals above 64 were cut; the noise is at most 256, and at most 108 people lie between the cap and 2^20, "
        "each with probability 95 %; what was cut off is not known"
    )


def test_the_words_of_signed_totals() -> None:
    known = SignedCapRace(1).capped_accuracy(FRAME, (-8, 64))
    assert known.statement("0.9") == (
        "totals above 64 and below -8 were cut; the noise is at most 196, and at most 105 people lie between 64 and "
        "2^20 and 123 between -8 and -2^20, each with probability 90 %; what was cut off is not known"
    )
    above, below = known.sides
    assert known.at_stake() == above.people() * 64 + below.people() * 8
    replaced = SignedCapRace(1).capped_accuracy(CapFrame(REPLACE), (-8, 64))
    assert replaced.sides[0].people() == 216
    assert replaced.noise.step == 72  # type: ignore[attr-defined]


def test_the_words_of_rows_of_two_people() -> None:
    known = EdgeRace(1).capped_accuracy(CapFrame(ADD_REMOVE, spread=3), 64)
    assert isinstance(known, EdgeAccuracy)
    assert known.rows() == int(64 * (14 + log(420)) / (0.4 / 3)) == 9619
    assert known.statement() == (
        "at most 64 rows of a person were kept; the noise is at most 320, and twice the cap would keep at most 9,619 "
        "rows more if nobody has more than 2^20, each with probability 95 %; what was left out is not known"
    )
    assert known.at_stake() == 9619


def test_amounts_are_told_in_units() -> None:
    cents = CapRace(1).capped_accuracy(CapFrame(ADD_REMOVE, resolution="1/100"), 64)
    assert "totals above 0.64 were cut; the noise is at most 2.56" in cents.statement()
    assert "between the cap and 10,490," in cents.statement()
    assert [in_words(Fraction(x)) for x in (1, 64, 16384, 32768, 2**20, 2**20 + 1)] == [
        "1", "64", "16,384", "2^15", "2^20", "1,048,577",
    ]  # fmt: skip


def test_beyond_the_last_cap_nobody_is_counted() -> None:
    for kind in (CapRace, CapScan):
        [side] = kind(1).capped_accuracy(FRAME, 2**20).sides
        assert side.people() == 0
    [side] = CapRace(1).capped_accuracy(CapFrame(ADD_REMOVE, caps=1), 1).sides
    assert side.people("0.999") == 0


def test_a_threshold_is_added_to_the_people_who_may_have_more() -> None:
    plain, few = (CapRace(1, threshold=t).capped_accuracy(FRAME, 64).sides[0] for t in (0, 60))
    assert few.people() == plain.people() + 60


def test_an_answer_is_doubtful_where_more_may_be_missing_than_it_has() -> None:
    loss = PrivacyLoss(1, adjacency=ADD_REMOVE, unit="person")
    known = CapRace(1).capped_accuracy(FRAME, 64)
    for value, doubtful in ((108 * 64 - 1, True), (108 * 64, False), (-108 * 64, False), (3, True)):
        assert NumericRelease(value, loss, "", "", known, 64, known.at_stake()).doubtful is doubtful


# The exact chance of a miss, on data made to be missed


def people_missed(mechanism: Any, problem: CapProblem, confidence: str) -> float:
    """The chance of caps that leave more people between themselves and the last than is said."""
    frame, missed = problem.frame, 0.0
    law = np.exp(
        mechanism.log_probabilities(problem)
        if isinstance(mechanism, LimitRace)
        else mechanism.log_cap_probabilities(problem)
    )
    for cap, chance, above in zip(frame.caps, law, problem.above, strict=True):
        side: Beyond = (
            mechanism.beyond(frame, cap)
            if isinstance(mechanism, LimitRace)
            else mechanism.capped_accuracy(frame, cap).sides[0]
        )
        missed += chance * (above - problem.above[-1] > side.people(confidence))
    return float(missed)


def worst_counts(mechanism: Any, frame: CapFrame, confidence: str) -> list[int]:
    """One person more than is said above every cap but the last: each alone is nearly as likely as it may be."""
    sides = [
        (
            mechanism.beyond(frame, cap)
            if isinstance(mechanism, LimitRace)
            else mechanism.capped_accuracy(frame, cap).sides[0]
        )
        for cap in frame.caps
    ]
    return [*(side.people(confidence) + 1 for side in sides[:-1]), 0]


@pytest.mark.parametrize("confidence", ["0.5", "0.95"])
@pytest.mark.parametrize("mechanism", [CapRace(1), CapRace(3, threshold=5), CapScan(1), LimitRace("1/2")], ids=repr)
def test_more_people_than_said_are_as_rare_as_said(mechanism: CapMechanism, confidence: str) -> None:
    for caps in (2, 8, 2**12):
        frame = CapFrame(ADD_REMOVE, caps=caps)
        counts = worst_counts(mechanism, frame, confidence)
        rng = np.random.default_rng(0)
        assert people_missed(mechanism, CapProblem(frame, counts, [0] * len(counts)), confidence) <= 1 - float(
            confidence
        )
        for _ in range(5):
            some = sorted(rng.integers(0, 2 * max(counts), len(counts)).tolist(), reverse=True)
            missed = people_missed(mechanism, CapProblem(frame, some, [0] * len(some)), confidence)
            assert missed <= 1 - float(confidence)


def test_fewer_people_would_not_do() -> None:
    """With two caps, half of the people less leaves the miss above its chance: the bound is no idle one."""
    frame, race = CapFrame(ADD_REMOVE, caps=2), LimitRace(1)
    told = race.beyond(frame, 1).people("0.5")
    lower = CapProblem(frame, [ceil(told / 2), 0])
    assert told == 2
    assert np.exp(race.log_probabilities(lower))[0] > 0.5
