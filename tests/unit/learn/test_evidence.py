"""Evidence of random trees: what a leaf says, how it is added up, and who chooses its weight."""

from fractions import Fraction
from math import exp, log

import numpy as np
import pytest

from dampen import entropy
from dampen.learn.evidence import EvidenceForest, HeldOut, draw_held_out, draw_weight, evidence_shares, weights_for
from dampen.learn.random_trees import NOTHING, RandomTrees

SURE = Fraction(10**6)


def two_trees() -> RandomTrees:
    """The first asks for the one attribute, the second asks nothing."""
    attributes = np.array([[0], [NOTHING]], dtype=np.int32)
    return RandomTrees(1, np.array([False]), attributes, np.zeros((2, 1)), np.array([[[False, True]]] * 2))


def test_leaves_speak_by_their_odds_against_those_of_all() -> None:
    counts = np.array([[[6, 2], [-5, 3]], [[4, 4], [0, 0]]])
    model = EvidenceForest(two_trees(), counts, (3, 1), 1, Fraction(1))
    prior, smooth = (0.75, 0.25), 2.0

    def said(leaf: tuple[int, int], label: int) -> float:
        seen = [max(count, 0) for count in leaf]
        return log((seen[label] + smooth * prior[label]) / (sum(seen) + smooth) / prior[label])

    for value, leaf in enumerate([(6, 2), (-5, 3)]):
        for weight in (1, 2):
            scores = [log(prior[c]) + weight / 2 * (said(leaf, c) + said((4, 4), c)) for c in (0, 1)]
            expected = exp(scores[1]) / (exp(scores[0]) + exp(scores[1]))
            of_weight = EvidenceForest(model.trees, counts, (3, 1), weight, Fraction(1))
            assert evidence_shares(of_weight, np.array([[float(value)]]))[0, 1] == pytest.approx(expected)


def test_totals_below_one_count_as_one() -> None:
    model = EvidenceForest(two_trees(), np.zeros((2, 2, 2), dtype=np.int64), (-7, 0), 2, Fraction(1))
    assert evidence_shares(model, np.array([[0.0, 1.0]])).tolist() == [[0.5, 0.5]] * 2


@pytest.mark.parametrize("believed", [True, False])
def test_held_out_records_choose_the_weight_that_is_right_most_often(believed: bool) -> None:
    """One leaf hints at class 1, weakly; only at the larger weight it prevails over six of seven records of class 0."""
    counts = np.array([[[30, 1], [3, 7]], [[600, 100], [0, 0]]])
    values, found = np.array([[0.0] * 60 + [1.0] * 10]), np.array([0] * 60 + [1] * 10)
    classes = found if believed else found[::-1]
    held = HeldOut(values, classes, np.ones(len(classes), dtype=np.int64))
    model = draw_weight(two_trees(), counts, held, SURE, entropy.system_entropy())
    assert model.totals == (60, 10)
    assert model.weight == (2 if believed else 1)


def test_weights_go_from_the_mean_to_at_most_the_sum() -> None:
    assert weights_for(1) == (1,)
    assert weights_for(32) == (1, 2, 4, 8, 16, 32)


def test_one_record_in_eight_is_held_out() -> None:
    class Counting:
        def bits(self, count: int) -> int:
            raise AssertionError

        def words(self, count: int, width: int) -> np.typing.NDArray[np.uint16]:
            return np.arange(count, dtype=np.uint16) % np.uint16(1 << width)

    assert draw_held_out(80, Counting()).sum() == 10
