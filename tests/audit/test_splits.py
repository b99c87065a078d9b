"""The choices at a node of a tree, with every mechanism that a tree may use, over all small tables."""

from fractions import Fraction
from typing import Any

import pytest

from dampen import SelectionProblem
from dampen.learn.split_choice import DEFAULTS, MECHANISMS, SplitChoice
from dampen.queries.splits.attribute import InformationGainRungs
from dampen.vectors import Floats
from tests.audit.universes import Universe
from tests.audit.universes.information_gain import information_gain, max_operator, replaced_gain, tables_of

LARGEST = 4
COUNTS = max_operator(attributes=2, largest=LARGEST)
WINNERS = max_operator(attributes=3, largest=3, winner=True)
FEW_WINNERS = max_operator(attributes=2, largest=LARGEST, winner=True)
BOUNDED = information_gain(attributes=2, largest=LARGEST, bounded=True)
UNBOUNDED = information_gain(attributes=2, largest=LARGEST, bounded=False)
REPLACED = replaced_gain(attributes=2, records=3)


def cases() -> list[tuple[str, str, Universe]]:
    by_max = [("max", name, FEW_WINNERS if name in ("pareto", "stable") else COUNTS) for name in MECHANISMS]
    by_gain = [("information_gain", name, BOUNDED) for name in MECHANISMS if name not in ("pareto", "stable")]
    free = [("information_gain", name, UNBOUNDED) for name in ("local_dampening", "pairwise")]
    return [*by_max, ("max", "pareto", WINNERS), ("max", "stable", WINNERS), *by_gain, *free]


@pytest.mark.parametrize("epsilon", ["1/2", pytest.param("3", marks=pytest.mark.long)])
@pytest.mark.parametrize(("criterion", "mechanism", "universe"), cases(), ids=lambda case: getattr(case, "name", case))
def test_no_choice_loses_more_than_it_claims(criterion: str, mechanism: str, universe: Universe, epsilon: str) -> None:
    chosen = SplitChoice.of(criterion, mechanism, LARGEST).build(Fraction(epsilon))
    report = universe.audit(chosen)
    assert report.passed, str(report)
    assert report.pairs >= 150
    assert report.worst_log_ratio > 0.05 * float(Fraction(epsilon))


@pytest.mark.parametrize(
    "universe", [WINNERS, FEW_WINNERS, BOUNDED, UNBOUNDED, REPLACED], ids=lambda universe: universe.name
)
def test_rungs_are_admissible(universe: Universe) -> None:
    report = universe.audit_admissibility()
    assert report.passed, str(report)


def test_the_default_for_counts_comes_close_to_its_claim() -> None:
    assert COUNTS.audit(SplitChoice.of("max", DEFAULTS["max"], None).build(Fraction(1))).worst_log_ratio > 0.9


class Frozen(InformationGainRungs):
    """Rungs that do not grow, as with the guard of the published algorithm."""

    def at(self, t: int) -> Floats:
        return super().at(0)


def test_the_gain_with_rungs_that_do_not_grow_is_caught() -> None:
    def frozen(x: Any) -> SelectionProblem:
        problem = UNBOUNDED.problem_of(x)
        return SelectionProblem(problem.frame, problem.utilities, Frozen(tables_of(x, 2), None))

    universe = Universe("frozen rungs", frozen, UNBOUNDED.data_sets, UNBOUNDED.neighbours, horizon=LARGEST)
    assert not universe.audit_admissibility().passed
