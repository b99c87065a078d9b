"""The ladder mechanism: rings, their exact weights, and all graphs on five nodes."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

from dampen import Adjacency, Budget, NumericFrame, NumericProblem
from dampen.audit import law_by_enumeration
from dampen.entropy import system_entropy
from dampen.errors import ParameterError
from dampen.mechanisms import Ladder
from dampen.mechanisms.numeric.ladder import LadderNoise
from dampen.mechanisms.numeric.rungs import MOST_RUNGS
from dampen.sampling import exact
from dampen.sensitivity import RungTable
from tests.unit.mechanisms.numeric.judges import pvalue_of_simulation
from tests.unit.mechanisms.selection.five_nodes import distinct_pairs, problem

NOISES = {
    "empty first ring": LadderNoise((0, 2, 5), 7, Fraction(1, 3)),
    "no rungs": LadderNoise((), 3, Fraction(1, 2)),
    "flat": LadderNoise((4, 4), 4, Fraction(1)),
}
WINDOW = np.arange(-1500, 1501)


def rings_one_by_one(noise: LadderNoise, count: int) -> list[int]:
    """The ring of distances 0, 1, ..., counted out."""
    rings, ring = [0], 0
    while len(rings) < count:
        rings += [ring + 1] * (noise.rungs[ring] if ring < len(noise.rungs) else noise.reach)
        ring += 1
    return rings[:count]


@pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)
def test_the_law_is_the_exponential_mechanism_on_rings(noise: LadderNoise) -> None:
    weights = np.exp(-float(noise.rate) * np.array(rings_one_by_one(noise, 1501)))
    total = weights[0] + 2 * weights[1:].sum()
    assert np.exp(noise.log_probabilities(np.arange(1501))) == pytest.approx(weights / total, rel=1e-12)
    assert np.array_equal(noise.log_probabilities(-np.arange(1501)), noise.log_probabilities(np.arange(1501)))
    for k in range(1, 40):
        assert np.exp(noise.log_tail(k)) == pytest.approx(2 * weights[k:].sum() / total, rel=1e-9)
    assert noise.mean_size() == pytest.approx(2 * (weights @ np.arange(1501)) / total, rel=1e-12)


def losses_on_five_nodes(epsilon: str | int, k: int) -> list[np.ndarray]:
    mechanism, steps = Ladder(epsilon), np.arange(-200, 300)
    laws = {
        x: mechanism.log_probabilities(problem(x, k), steps) for x in {x for pair in distinct_pairs(k) for x in pair}
    }
    return [laws[x] - laws[y] for x, y in distinct_pairs(k)]


@pytest.mark.parametrize("k", [1, 2], ids=["triangles", "2-triangles"])
@pytest.mark.parametrize("epsilon", ["1/5", 1, 3])
def test_no_two_graphs_on_five_nodes_differ_by_more_than_epsilon(k: int, epsilon: str | int) -> None:
    """Nor does the loss of any pair range over more than epsilon; and more than half of epsilon is used."""
    losses, limit = losses_on_five_nodes(epsilon, k), float(Fraction(epsilon))
    assert limit / 2 < max(loss.max() for loss in losses) <= limit * (1 + 1e-9)
    assert max(loss.max() - loss.min() for loss in losses) == pytest.approx(limit, rel=1e-9)


@pytest.mark.parametrize("k", [1, 2], ids=["triangles", "2-triangles"])
@pytest.mark.parametrize("most", [0, 1, 2])
def test_few_rungs_read_are_as_private(k: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dampen.mechanisms.numeric.ladder.MOST_RUNGS", most)
    losses = losses_on_five_nodes(1, k)
    assert 1 / 2 <= max(loss.max() for loss in losses) <= 1 + 1e-9
    assert max(loss.max() - loss.min() for loss in losses) <= 1 + 1e-9


def test_bits_give_the_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every ring, near and far, its first and last place, and both signs."""
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    noise = LadderNoise((0, 2), 1, Fraction(1))
    law, undecided = law_by_enumeration(noise.draw, depth=17)
    assert undecided < Fraction(1, 4)
    weights = [1.0, *[np.exp(-2)] * 4, *[np.exp(-3)] * 2, *[np.exp(-4)] * 2]
    total = 1 + 4 * np.exp(-2) + 2 * np.exp(-3) / (1 - np.exp(-1))
    for k, weight in zip((0, 1, -1, 2, -2, 3, -3, 4, -4), weights, strict=True):
        assert float(law[k]) <= weight / total <= float(law[k] + undecided)
        assert float(law[k]) > weight / total / 4
    assert law[2] == law[-2]


def test_draws_follow_the_law_and_not_the_published_slips() -> None:
    """Slips of public code: far rings counted from 1, places counted from 0 in every ring, the last ring left out."""
    noise, source = LadderNoise((1, 2), 3, Fraction(1, 2)), system_entropy()
    drawn = np.abs([noise.draw(source) for _ in range(4000)])
    shares = np.exp(noise.log_probabilities(np.arange(13))) * np.where(np.arange(13) > 0, 2, 1)

    def pvalue(of: np.ndarray) -> float:
        counts = np.append(np.bincount(drawn, minlength=13)[:13], (drawn > 12).sum())
        return float(chisquare(counts, np.append(of, 1 - of.sum()) * len(drawn)).pvalue)

    assert pvalue(shares) > 1e-6
    skipped_ring, wrong_offset = shares.copy(), shares.copy()
    skipped_ring[4:7], skipped_ring[7:10], skipped_ring[10:] = 1e-9, shares[4:7], shares[7:10]
    wrong_offset[2:4] = shares[2:4].sum() / 3
    wrong_offset[1] += shares[2:4].sum() / 3
    last_left_out = shares.copy()
    last_left_out[2:4] = 1e-9
    for wrong in (skipped_ring, wrong_offset, last_left_out / last_left_out.sum() * shares.sum()):
        assert pvalue(wrong) < 1e-6


@pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)
def test_simulations_follow_the_law(noise: LadderNoise) -> None:
    assert pvalue_of_simulation(noise) > 1e-6


def test_distances_beyond_64_bits() -> None:
    noise = LadderNoise((2**70, 2**70), 2**70, Fraction(1))
    sizes = [0, 1, 2**70, 2**70 + 1, 2**71, 2**71 + 1, 3 * 2**70, 3 * 2**70 + 1]
    law = noise.log_probabilities(np.array(sizes, dtype=object))
    assert law - law[0] == pytest.approx([0, -1, -1, -2, -2, -3, -3, -4])


def test_the_number_of_rungs_is_public_and_enough() -> None:
    frame = NumericFrame(10**10, Adjacency.EDGE)
    ladder = RungTable([[float(min(5 + t, 1000))] for t in range(3000)], bound=10**10)
    noise = Ladder("1/10").noise(NumericProblem(frame, 0, ladder))
    assert len(noise.rungs) == Ladder("1/10").rungs_read(frame) == 1624
    assert noise._shares[-1] * 1e10 < 1e-9
    assert Ladder("1e-9").rungs_read(frame) == MOST_RUNGS


def test_the_price_and_the_refusal() -> None:
    loss = Ladder("1/2").privacy(NumericFrame(3, Adjacency.EDGE))
    assert loss.epsilon == loss.bounded_range == Fraction(1, 2)
    assert loss.delta == 0
    with pytest.raises(ParameterError, match=r"^epsilon must be at most 600 for Ladder; got 601$"):
        Ladder(601).privacy(NumericFrame(3, Adjacency.EDGE))


def test_extreme_parameters_still_release() -> None:
    problem = NumericProblem(NumericFrame(2**100, Adjacency.EDGE), 5)
    for epsilon in ("1e-30", 600):
        assert isinstance(Ladder(epsilon).release(problem, budget=Budget(epsilon=600)).value, int)


def test_nothing_of_the_ladder_is_shown() -> None:
    assert repr(LadderNoise((17,), 23, Fraction(1))) == "LadderNoise(...)"
