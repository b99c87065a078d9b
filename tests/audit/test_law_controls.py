"""Planted laws that are none. The auditor must refuse every one of them, for whatever ratios they show."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, Frame, NumericFrame, NumericProblem, Runs, SelectionProblem
from dampen.audit import AuditReport, audit_draw, audit_numeric, audit_selection
from dampen.errors import DataError, ParameterError
from dampen.mechanisms import Exponential, Laplace, PermuteAndFlip, SelectionMechanism, TopK
from dampen.vectors import Floats
from tests.audit.universes.counts import counts_add_remove
from tests.conftest import Refused

ONE_AND_THREE = (0, 1)
"""Two neighbours, posed as candidates or as runs."""


def posed(x: int) -> SelectionProblem:
    frame = Frame(range(4), bound=1, adjacency=Adjacency.ADD_REMOVE)
    return SelectionProblem(frame, [2 + x, 1, 1, 1])


def posed_as_runs(x: int) -> SelectionProblem:
    return SelectionProblem(posed(x).frame, Runs([2 + x, 1], [1, 3]))


def audited(mechanism: SelectionMechanism, problem_of: Callable[[int], SelectionProblem] = posed) -> AuditReport:
    return audit_selection(mechanism, problem_of, ONE_AND_THREE, lambda x: (1 - x,))


class TwiceTheRate(Exponential):
    """An honest law that costs nearly twice what is claimed."""

    def _rate(self, frame: Frame) -> Fraction:
        return 2 * super()._rate(frame)


class Flattered(TwiceTheRate):
    """The same, and its law has half the logarithms: half the loss, and no sum of 1."""

    def _log_law(self, x: Floats, sizes: Floats) -> Floats:
        return super()._log_law(x, sizes) / 2


def test_a_law_that_is_too_flat_would_hide_half_the_loss(refused: Refused) -> None:
    universe = counts_add_remove()
    honest = universe.audit(TwiceTheRate(1))
    assert honest.breaches[0] == "epsilon"
    assert honest.worst_log_ratio > 1.98
    with refused(ParameterError, "log_probabilities", "sum to 1;"):
        universe.audit(Flattered(1))


@pytest.mark.parametrize("share", [0.5, 1 - 1e-8, 1 + 1e-8, 1.5])
@pytest.mark.parametrize("problem_of", [posed, posed_as_runs], ids=["candidates", "runs"])
def test_a_sum_other_than_1(share: float, problem_of: Callable[[int], SelectionProblem], refused: Refused) -> None:
    class Scaled(PermuteAndFlip):
        def _log_law(self, x: Floats, sizes: Floats) -> Floats:
            return np.asarray(super()._log_law(x, sizes) + np.log(share))

    with refused(ParameterError, "log_probabilities", f"{share:.10g}"):
        audited(Scaled(1), problem_of)
    with refused(ParameterError, "log_probabilities", f"{share:.10g}"):
        audit_draw(Scaled(1), problem_of(0).as_public())


def test_a_rounding_error_is_none() -> None:
    class Rounded(PermuteAndFlip):
        def _log_law(self, x: Floats, sizes: Floats) -> Floats:
            return super()._log_law(x, sizes) + 1e-10

    assert audited(Rounded(1)).passed
    assert audited(Rounded(1), posed_as_runs).passed


def test_groups_that_are_counted_once(refused: Refused) -> None:
    """A law of groups, as if each had one member: it sums to 1 over the groups, and to more over the candidates."""

    class Grouped(Exponential):
        def _log_law(self, x: Floats, sizes: Floats) -> Floats:
            return super()._log_law(x, np.ones(len(x)))

    assert audited(Grouped(1)).passed
    with refused(ParameterError, "sum to 1;"):
        audited(Grouped(1), posed_as_runs)


def test_groups_of_more_members_than_floats_can_count() -> None:
    """Two groups of 2^900 are judged by their sizes; written out they would not fit."""

    class Many:
        total = 2**901

        def __len__(self) -> int:
            raise OverflowError

        def __getitem__(self, index: int) -> int:
            return index

    many: Any = Many()
    frame = Frame(many, bound=1, adjacency=Adjacency.ADD_REMOVE)
    problem = SelectionProblem(frame, Runs([1, 0], [2**900, 2**900])).as_public()
    with pytest.raises(ParameterError, match="not written out"):
        audit_draw(Exponential(1), problem)


def test_one_data_set_of_many_is_enough(refused: Refused) -> None:
    """Every data set is looked at, not the first one alone; the message names which."""

    class Sometimes(Exponential):
        def _group_law(self, problem: SelectionProblem) -> Floats:
            return np.asarray(super()._group_law(problem) - 0.01 * (problem.groups[0] == 3))

    with refused(ParameterError, "at 1 ", "0.9900498337"):
        audited(Sometimes(1))


WRONG: dict[str, tuple[Any, str]] = {
    "NaN": ([np.nan, -1, -1, -1], "NaN"),
    "above 1": ([0.25, -np.inf, -np.inf, -np.inf], "at most 0"),
    "infinite": ([np.inf, -1, -1, -1], "at most 0"),
    "one number for all": ([0.0], "one number for each of 4 outcomes"),
    "a single number": (0.0, "one number for each of 4 outcomes"),
    "too many": ([-np.log(5)] * 5, "one number for each of 4 outcomes"),
    "a table": ([[-np.log(4)] * 2] * 2, "one number for each of 4 outcomes"),
    "words": (["a", "b", "c", "d"], "must be numbers"),
    "complex": ([0j, 0j, 0j, 0j], "must be numbers"),
}


@pytest.mark.parametrize(("law", "said"), WRONG.values(), ids=WRONG)
def test_what_is_no_list_of_probabilities(law: Any, said: str, refused: Refused) -> None:
    class Broken(Exponential):
        def _group_law(self, problem: SelectionProblem) -> Any:
            return np.array(law)

    with refused(ParameterError, "log_probabilities", said):
        audited(Broken(1))


def test_groups_of_no_number() -> None:
    class Broken(Exponential):
        def _log_law(self, x: Floats, sizes: Floats) -> Floats:
            return np.full(len(x), np.nan)

    with pytest.raises(DataError, match="NaN"):
        audited(Broken(1), posed_as_runs)


def test_an_impossible_outcome_is_none_the_less_part_of_a_law() -> None:
    """Probability 0 is a probability; where it is 0 on one side only, the loss has no end."""

    class Argmax(Exponential):
        def _group_law(self, problem: SelectionProblem) -> Floats:
            with np.errstate(divide="ignore"):
                return np.asarray(np.log(np.arange(len(problem.groups)) == problem.groups.argmax(), dtype=float))

    frame = Frame(range(2), bound=1, adjacency=Adjacency.ADD_REMOVE)
    same = audit_selection(Argmax(1), lambda x: SelectionProblem(frame, [3 + x, 1]), (0,), lambda x: (1,))
    other = audit_selection(Argmax(1), lambda x: SelectionProblem(frame, [1 + x, 1 - x]), (-1,), lambda x: (1,))
    assert (same.passed, same.worst_log_ratio) == (True, 0)
    assert (other.breaches[0], other.worst_log_ratio) == ("epsilon", np.inf)


def test_a_law_of_lists_that_leaves_one_out(refused: Refused) -> None:
    class Short(TopK):
        def log_probabilities(self, problem: SelectionProblem) -> Floats:
            return super().log_probabilities(problem)[:-1]

    with refused(ParameterError, "one number for each of 12 outcomes"):
        audited(Short(2, Exponential(1)))


# Numbers


class Wrong(Laplace):
    """Laplace noise whose law and tail are changed by functions of the distance."""

    near: Callable[[Floats], Floats] = staticmethod(lambda distance: 0.0 * distance)
    beyond: Callable[[Floats], Floats] = staticmethod(lambda distance: 0.0 * distance)

    def log_probabilities(self, problem: NumericProblem, steps: Any) -> Floats:
        distance = np.abs(np.asarray(steps, dtype=np.float64) - problem.steps)
        return super().log_probabilities(problem, steps) + self.near(distance)

    def log_tail(self, problem: NumericProblem, distance: Any) -> Floats:
        return super().log_tail(problem, distance) + self.beyond(np.asarray(distance, dtype=np.float64))


def wrong(
    near: Callable[[Floats], Floats] | None = None, beyond: Callable[[Floats], Floats] | None = None
) -> type[Wrong]:
    changes = {"near": near, "beyond": beyond}
    return type("Wrong", (Wrong,), {name: staticmethod(change) for name, change in changes.items() if change})


NO_NUMBERS: dict[str, tuple[type[Wrong], tuple[str, ...]]] = {
    "half of everything": (wrong(near=lambda d: 0 * d - np.log(2)), ("sum to 1;", "0.5")),
    "a little too much": (wrong(near=lambda d: 0 * d + 1e-8), ("sum to 1;", "1.00000001")),
    "half a tail": (wrong(beyond=lambda d: 0 * d - np.log(2)), ("sum to 1;",)),
    "half of both": (wrong(lambda d: 0 * d - 1e-6, lambda d: 0 * d - 1e-6), ("sum to 1;", "0.999999")),
    "another law inside": (wrong(near=lambda d: np.where(d < 20, 0.1, 0)), ("sum to 1;",)),
    "no number": (wrong(near=lambda d: np.full_like(d, np.nan)), ("log_probabilities", "NaN")),
    "no tail": (wrong(beyond=lambda d: np.full_like(d, np.nan)), ("log_tail", "NaN")),
    "more than 1": (wrong(near=lambda d: np.where(d > 0, 0, 5.0)), ("at most 0",)),
    "too large a tail": (wrong(beyond=lambda d: 0 * d + 10_000), ("log_tail", "at most 0")),
    "a tail that grows": (wrong(beyond=lambda d: np.where(d > 600, 20.0, 0)), ("log_tail", "not grow")),
    "far answers beyond their tail": (wrong(near=lambda d: np.where(d > 500, 10.0, 0)), ("log_tail", "likelier")),
}


@pytest.mark.parametrize(("kind", "said"), NO_NUMBERS.values(), ids=NO_NUMBERS)
def test_a_number_whose_law_is_none(kind: type[Wrong], said: tuple[str, ...], refused: Refused) -> None:
    def problem_of(x: int) -> NumericProblem:
        return NumericProblem(NumericFrame(1, Adjacency.EDGE), x)

    assert audit_numeric(Wrong("1/20"), problem_of, (0, 1), lambda x: (1 - x,)).passed
    with refused(ParameterError, *said):
        audit_numeric(kind("1/20"), problem_of, (0, 1), lambda x: (1 - x,))
    with refused(ParameterError, *said):
        audit_draw(kind("1/20"), problem_of(0).as_public())
