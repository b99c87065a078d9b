"""Questions at a rho, audited exactly: the divergences of all that one answer draws, on all small tables.

Gaussian noise has no largest loss, so divergences are summed up at eleven orders: rho bounds each of them over its
order. Proofs: docs/proofs/gaussian.md, gaussian_counts.md, groups.md, exponential.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dampen import Adjacency, Number, Release, Table
from dampen.audit import add_remove_neighbours, multisets, replace_neighbours
from dampen.questions import by_group, histograms
from dampen.questions.record import Price
from tests.audit.joint import Audit
from tests.audit.test_by_group import BOTH, BY_VALUE, COLUMNS, FILTERED, NAMES

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
RHO = Fraction(1, 2)

EXACT: dict[str, Callable[[Table], Release]] = {
    "count": lambda table: table.where(f=True).count(rho=RHO),
    "sum": lambda table: table.sum("v", rho=RHO),
    "mean": lambda table: table.mean("v", rho=RHO),
    "histogram": lambda table: table.histogram("v", rho=RHO),
    "histogram of a category": lambda table: table.histogram("g", rho=RHO),
    "count by group": lambda table: table.by("g").count(rho=RHO),
    "consistent count by group": lambda table: table.by("g").count(rho=RHO, consistent=True),
    "cross-tab": lambda table: table.by("g", "f").count(rho=RHO),
    "sum by group": lambda table: table.by("g").sum("v", rho=RHO),
    "mean by group": lambda table: table.by("g").mean("v", rho=RHO),
    "histogram by group": lambda table: table.by("g").histogram("v", rho=RHO),
}
"""Noise fitted to what one record moves: somebody's divergence is rho exactly."""
CHOSEN: dict[str, Callable[[Table], Release]] = {
    "variance": lambda table: table.variance("v", rho=RHO),
    "median": lambda table: table.median("v", rho=RHO),
    "percentile by rank": lambda table: table.percentile("v", 90, rho=RHO, method="rank"),
    "most_common": lambda table: table.most_common("g", rho=RHO),
    "median by group": lambda table: table.by("g").median("v", rho=RHO),
    "most_common by group": lambda table: table.by("g").most_common("f", rho=RHO),
}
"""A record moves the parts of a variance by less than each could move; choices lose rho where the stakes are high."""
EVERY = EXACT | CHOSEN


def audited(name: str, adjacency: Adjacency, columns: dict[str, Any] = COLUMNS) -> Audit:
    return Audit(EVERY[name], NAMES, columns, adjacency, by_rho=True)


def worst(audit: Audit, adjacency: Adjacency, kinds: Sequence[Any], largest: int = 2) -> float:
    if adjacency is REPLACE:
        return audit.worst(multisets(kinds, largest=largest, smallest=1), replace_neighbours(kinds))
    return audit.worst(multisets(kinds, largest=largest - 1), add_remove_neighbours(kinds))


AT_THE_ENDS = [kind for kind in BY_VALUE if kind[0] != "c" and kind[1] != 4]
IN_AND_OUT = [kind for kind in FILTERED if kind[1] == 25]
"""Two groups, and two values or the two sides of a filter: what moves most."""


def kinds_for(name: str, *, every: bool = False) -> list[Any]:
    filtered = name in ("count", "cross-tab", "most_common by group")
    return (FILTERED if filtered else BY_VALUE) if every else IN_AND_OUT if filtered else AT_THE_ENDS


of_few_records = pytest.mark.parametrize("largest", [2, pytest.param(3, marks=pytest.mark.long)])
"""By default two records of few kinds, in full runs three of all."""


@of_few_records
@BOTH
@pytest.mark.parametrize("name", EXACT)
def test_an_answer_loses_rho_and_no_more(name: str, adjacency: Adjacency, largest: int) -> None:
    audit = audited(name, adjacency)
    one_record = ((*kinds_for(name)[0],),)
    assert audit.claim(one_record) == pytest.approx(float(RHO), rel=1e-12)
    kinds = kinds_for(name, every=largest > 2)
    assert worst(audit, adjacency, kinds, largest) == pytest.approx(float(RHO), rel=1e-6)


@of_few_records
@BOTH
@pytest.mark.parametrize("name", CHOSEN)
def test_choices_and_variances_lose_no_more_than_rho(name: str, adjacency: Adjacency, largest: int) -> None:
    audit = audited(name, adjacency)
    assert float(RHO) * (1 - 2**-50) < audit.claim(((*kinds_for(name)[0],),)) <= float(RHO)
    kinds = kinds_for(name, every=largest > 2)
    assert 0.1 * float(RHO) < worst(audit, adjacency, kinds, largest) <= float(RHO) * (1 + 1e-9)


def test_sums_by_group_of_both_signs_cost_what_a_value_in_its_group_may_move() -> None:
    """From -10 to 10 inside a group is four times the square of one record more, which is more than to leave it."""
    columns = COLUMNS | {"v": Number(-10, 10, step=5)}
    kinds = [(group, value, True) for group in "ab" for value in (-25, 25)]
    assert by_group.times_replaced("sum", bounds=(-10, 10), unit=1) == 4
    assert by_group.times_replaced("sum", bounds=(0, 10), unit=1) == 2
    assert by_group.times_replaced("sum", bounds=(-1, 10), unit=1) == 2
    assert worst(audited("sum by group", REPLACE, columns), REPLACE, kinds) == pytest.approx(float(RHO), rel=1e-6)


# Planted faults


@pytest.mark.parametrize("name", ["sum by group", "mean by group", "histogram by group", "median by group"])
def test_every_group_at_the_full_rho_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A replaced record leaves one group and enters another: both tell of it."""
    monkeypatch.setattr(by_group, "price_of_group", lambda price, adjacency, times=4: price)
    monkeypatch.setattr(by_group, "times_replaced", lambda question, **public: Fraction(1))
    audit = audited(name, REPLACE)
    assert worst(audit, REPLACE, AT_THE_ENDS) > 1.5 * float(RHO)
    if name != "median by group":
        assert audit.claim() == pytest.approx(float(RHO))


def test_sums_of_both_signs_as_if_all_left_their_group_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = COLUMNS | {"v": Number(-10, 10, step=5)}
    kinds = [(group, value, True) for group in "ab" for value in (-25, 25)]
    monkeypatch.setattr(by_group, "times_replaced", lambda question, **public: Fraction(2))
    assert worst(audited("sum by group", REPLACE, columns), REPLACE, kinds) == pytest.approx(2 * float(RHO), rel=1e-6)


def test_counts_with_the_noise_of_one_moved_count_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    frame_of = histograms.frame_of_counts
    monkeypatch.setattr(
        histograms,
        "frame_of_counts",
        lambda size, adjacency: replace(frame_of(size, ADD_REMOVE), adjacency=REPLACE),
    )
    assert worst(audited("count by group", REPLACE), REPLACE, AT_THE_ENDS) == pytest.approx(2 * float(RHO), rel=1e-6)


def test_a_mean_that_spends_rho_twice_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Price, "part", lambda self, count: self)
    audit = audited("mean", ADD_REMOVE)
    assert worst(audit, ADD_REMOVE, AT_THE_ENDS) == pytest.approx(2 * float(RHO), rel=1e-6)
