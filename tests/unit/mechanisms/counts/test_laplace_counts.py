"""Many counts at once: the problem, the law, the price, the release."""

import pickle
from fractions import Fraction

import numpy as np
import pytest

import dampen
from dampen import Adjacency, Budget, CountsFrame, CountsProblem, entropy
from dampen.errors import BudgetExceeded, DataError, NotPublic, ParameterError, ReleaseFailed
from dampen.mechanisms import Laplace, LaplaceCounts
from tests.every_counts import EVERY

FRAME = CountsFrame(3, 2, Adjacency.REPLACE, largest=1, unit="patient")
PROBLEM = CountsProblem(FRAME, [50, 7, 0])


def test_every_mechanism_of_counts_is_found() -> None:
    assert set(EVERY) == {"GaussianCounts", "LaplaceCounts"}


# The problem


@pytest.mark.parametrize(
    ("counts", "rule"),
    [
        ([1, 2], "exactly one per entry of the frame: 3 are needed"),
        ([[1, 2, 3]], "exactly one per entry"),
        ([1.0, 2.0, 3.0], "whole numbers below"),
        (["a", "b", "c"], "whole numbers below"),
        ([True, False, True], "whole numbers below"),
        ([2**62, 0, 0], "whole numbers below"),
        ([0, -(2**62), 0], "whole numbers below"),
        ([[1], [1, 2], 3], "exactly one per entry"),
        (None, "exactly one per entry"),
    ],
)
def test_counts_that_are_none(counts: object, rule: str) -> None:
    with pytest.raises(DataError, match=rule):
        CountsProblem(FRAME, counts)


def test_frames_that_are_none() -> None:
    for wrong in ({"size": 0}, {"l1": 0}, {"l1": 1, "largest": 2}, {"adjacency": "replace"}):
        with pytest.raises(ParameterError):
            CountsFrame(**{"size": 3, "l1": 1, "adjacency": Adjacency.EDGE, **wrong})  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="frame must be a CountsFrame; got int"):
        CountsProblem(3, [1])  # type: ignore[arg-type]


def test_a_problem_shows_its_frame_alone_and_keeps_its_counts() -> None:
    assert "50" not in repr(PROBLEM)
    assert repr(PROBLEM) == f"CountsProblem({FRAME!r})"
    assert repr(FRAME) == "CountsFrame(size=3, l1=2, largest=1, Adjacency.REPLACE, unit='patient')"
    given = np.array([1, 2, 3])
    problem = CountsProblem(FRAME, given)
    given[0] = 9
    assert problem.counts.tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="read-only"):
        problem.counts[0] = 5
    assert pickle.loads(pickle.dumps(problem)).counts.tolist() == [1, 2, 3]
    assert dampen.CountsFrame is CountsFrame


# The law


def test_one_count_is_a_number() -> None:
    steps = np.arange(-40, 60)
    number = dampen.NumericProblem(dampen.NumericFrame(3, Adjacency.EDGE), 5)
    counts = CountsProblem(CountsFrame(1, 3, Adjacency.EDGE), [5])
    one, other = Laplace("1/2").log_probabilities(number, steps), LaplaceCounts("1/2")
    assert other.log_probabilities(counts, steps[:, None]).tolist() == one.tolist()


def test_the_ends_hold_all_that_lies_beyond() -> None:
    mechanism, frame = LaplaceCounts(Fraction(1, 2**60)), CountsFrame(1, 1, Adjacency.EDGE)
    problem = CountsProblem(frame, [2**61])
    ends = np.exp(mechanism.log_probabilities(problem, [[2**62], [-(2**62)]]))
    tail = np.exp(mechanism.noise(frame).log_tail(np.array([2.0**61, 3 * 2.0**61]))) / 2
    assert ends == pytest.approx(tail, rel=1e-9)


def test_answers_of_another_size_are_refused() -> None:
    with pytest.raises(DataError, match="3 counts each"):
        LaplaceCounts(1).log_probabilities(PROBLEM, [[1, 2]])


def test_simulation_follows_the_law_and_needs_public_counts() -> None:
    with pytest.raises(NotPublic):
        LaplaceCounts(1).simulate(PROBLEM, np.random.default_rng(0), 2)
    rows = LaplaceCounts(1).simulate(PROBLEM.as_public(), np.random.default_rng(0), 20_000)
    assert rows.shape == (20_000, 3)
    off = np.abs(rows - PROBLEM.counts)
    assert off.mean() == pytest.approx(LaplaceCounts(1).expected_absolute_noise(PROBLEM), rel=0.02)
    assert off.mean() == pytest.approx(1 / np.sinh(0.5), rel=0.02)


# The release


def test_a_release_pays_first_and_tells_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    budget = Budget(epsilon=1)
    release = LaplaceCounts("1/2").release(PROBLEM, budget=budget, note="beds")
    assert len(release.value) == 3
    assert all(isinstance(count, int) for count in release.value)
    alone = Laplace("1/2").noise(dampen.NumericProblem(dampen.NumericFrame(2, Adjacency.REPLACE), 0))
    assert release.error("0.95") == float(alone.size_exceeded_with(Fraction(1, 20)))
    assert (release.loss.epsilon, release.loss.unit, release.note) == (Fraction(1, 2), "patient", "beds")
    assert budget.spent.epsilon == Fraction(1, 2)
    monkeypatch.setattr(entropy, "system_entropy", lambda: pytest.fail("drawn before it was paid"))
    with pytest.raises(BudgetExceeded):
        LaplaceCounts(1).release(PROBLEM, budget=budget)
    with pytest.raises(ParameterError, match="problem must be a CountsProblem; got list"):
        LaplaceCounts(1).release([1, 2, 3], budget=budget)  # type: ignore[arg-type]


def test_a_failing_draw_keeps_the_charge_and_shows_no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError("no entropy for 50")

    monkeypatch.setattr(entropy, "system_entropy", fail)
    budget = Budget(epsilon=1)
    with pytest.raises(ReleaseFailed) as caught:
        LaplaceCounts(1).release(PROBLEM, budget=budget)
    assert caught.value.__context__ is None
    assert "50" not in str(caught.value)
    assert budget.spent.epsilon == 1
