"""What stands behind the fence for trees and forests, by number."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency
from dampen.queries import information_gain_problem
from experiments.refuted import (
    DampeningByGuardedCandidates,
    InformationGainWithPrivateSize,
    LeafLabelBySensitivityOfTheWhole,
    SplitBySensitivityOfTheWhole,
)
from experiments.refuted.base import is_refuted, measured_admissibility, measured_leak, measured_loss
from experiments.refuted.guarded_candidates import RUNGS, rungs_by_algorithm_5
from experiments.refuted.private_size import gain_problem_of_size, sensitivity_for
from experiments.refuted.sensitivity_of_the_whole import max_operators, winner_with_lead


def test_the_less_noise_at_a_leaf_the_more_its_data_set_leads() -> None:
    """Five records of each class, and one more of the second: 24 times what was claimed, and no end to it."""
    mechanism, evidence = LeafLabelBySensitivityOfTheWhole.as_claimed(), LeafLabelBySensitivityOfTheWhole.evidence
    assert measured_loss(mechanism, evidence) == pytest.approx(23.698, abs=5e-4)
    leads = [replace(evidence, pair=(((5, 5), (0, j)), ((5, 6), (0, j)))) for j in (0, 4, 12, 20)]
    assert [measured_loss(mechanism, each) for each in leads] == pytest.approx(
        [0.851, 11.695, 35.698, 59.698], abs=5e-4
    )


def test_the_smooth_sensitivity_of_the_whole_is_no_bound_at_the_leaf() -> None:
    """One record unseats the winner of (5, 5), so its local sensitivity is 1, where exp(-8) is said."""
    evidence = LeafLabelBySensitivityOfTheWhole.evidence
    one, other = (evidence.problem_of(x) for x in evidence.pair)
    assert np.abs(np.asarray(one.utilities) - np.asarray(other.utilities)).max() == 1
    assert one.sensitivity.smooth(1).tolist() == pytest.approx([np.exp(-8)] * 2)


def test_with_the_leaf_s_own_lead_the_loss_is_that_of_smooth_noisy_max() -> None:
    """So the loss above is the whole data set's doing."""
    evidence = LeafLabelBySensitivityOfTheWhole.evidence
    own = replace(evidence, problem_of=lambda counts: winner_with_lead(np.array(counts), 0), pair=((5, 5), (5, 6)))
    assert measured_loss(LeafLabelBySensitivityOfTheWhole.as_claimed(), own) == pytest.approx(0.397334, abs=1e-6)


def test_a_node_is_no_better_off_than_a_leaf() -> None:
    inside, outside = SplitBySensitivityOfTheWhole.evidence.pair[1]
    assert (max_operators(inside).tolist(), max_operators(inside + outside).tolist()) == ([1, 2], [5, 10])
    mechanism, evidence = SplitBySensitivityOfTheWhole.as_claimed(), SplitBySensitivityOfTheWhole.evidence
    assert measured_loss(mechanism, evidence) == pytest.approx(11.695, abs=5e-4)


def test_the_private_size_leaks_through_the_bound() -> None:
    evidence = InformationGainWithPrivateSize.evidence
    assert measured_leak(evidence).startswith("bound must be public")
    bounds = [float(evidence.problem_of(x).frame.bound or 0) for x in evidence.pair]
    assert bounds == pytest.approx([sensitivity_for(7), sensitivity_for(8)])
    assert bounds == pytest.approx([3 + 1 / np.log(2), np.log2(9) + 1 / np.log(2)])
    known = replace(
        evidence, problem_of=lambda x: information_gain_problem(x, adjacency=Adjacency.ADD_REMOVE, max_records=8)
    )
    assert measured_leak(known) == ""
    assert not is_refuted(InformationGainWithPrivateSize.as_claimed(), known)


def test_the_law_with_a_private_size_keeps_to_epsilon_on_small_tables() -> None:
    """Two binary attributes, two classes, up to four records: a quarter of epsilon. It is the frame that leaks."""
    mechanism, worst = InformationGainWithPrivateSize.as_claimed(), 0.0
    for counts in _counts(8, largest=3):
        law = mechanism.log_probabilities(gain_problem_of_size(_tables(counts)).as_public())
        for place in range(8):
            more = [n + (k == place) for k, n in enumerate(counts)]
            other = mechanism.log_probabilities(gain_problem_of_size(_tables(more)).as_public())
            worst = max(worst, float(np.abs(law - other).max()))
    assert worst == pytest.approx(0.23854, abs=5e-6)


def test_the_guard_keeps_rungs_from_growing() -> None:
    """Counts (0, 4): 3.61, 3.90, 4.14, ..., where the guard stays at 3.61."""
    report = measured_admissibility(DampeningByGuardedCandidates.evidence)
    assert (report.worst_condition, report.worst_candidate) == ("next rung", 0)
    assert report.worst_shortfall == pytest.approx(0.290, abs=5e-4)
    assert rungs_by_algorithm_5([[0, 4]])[:3] == pytest.approx([3.610] * 3, abs=5e-4)
    assert rungs_by_algorithm_5([[0, 4]], guarded=False)[:3] == pytest.approx([3.610, 3.900, 4.142], abs=5e-4)


def test_without_its_guard_algorithm_5_is_exact() -> None:
    """All tables of two values, two classes and up to four records; the guard is too low on most of them."""
    low, tables = 0, list(_counts(4, largest=4))
    for counts in tables:
        table = np.array(counts).reshape(2, 2)
        sensitivity = information_gain_problem([table], adjacency=Adjacency.ADD_REMOVE).sensitivity
        exact = [float(sensitivity.at(t)[0]) for t in range(RUNGS)]
        assert rungs_by_algorithm_5(table.tolist(), guarded=False) == pytest.approx(exact, abs=1e-12)
        low += min(np.array(rungs_by_algorithm_5(table.tolist())) - exact) < -1e-9
    assert (low, len(tables)) == (70, 70)


def _counts(cells: int, largest: int) -> Iterator[tuple[int, ...]]:
    return (counts for counts in product(range(largest + 1), repeat=cells) if sum(counts) <= largest)


def _tables(counts: Any) -> Any:
    """The tables of two binary attributes, from the counts of (first, second, class)."""
    joint = np.array(counts).reshape(2, 2, 2)
    return [joint.sum(axis=1), joint.sum(axis=0)]
