"""One answer for each group, audited exactly: the joint law of all groups' draws, on all small tables.

``table.by(...)`` is asked as users ask it. Under ``ADD_REMOVE`` the loss of all groups together is epsilon, under
``REPLACE`` at most epsilon, whether a record changes its value, its group or the filter. Proof: docs/proofs/groups.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import inf
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, Budget, Category, Flag, Number, Release, Table
from dampen.audit import add_remove_neighbours, multisets, replace_neighbours
from dampen.front import groups
from dampen.questions import by_group, histograms
from dampen.tables import groups as table_groups
from dampen.tables.counts import Total
from tests.audit.joint import Audit, Draw, loss_between

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
BOTH = pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE], ids=lambda adjacency: adjacency.value)
NAMES = ("g", "v", "f")
COLUMNS: dict[str, Any] = {"g": Category("a", "b", "c"), "v": Number(0, 10, step=5), "f": Flag()}
VALUES = (-3, 4, 25)
"""Below, inside and above the bounds; rounded down to the grid they are its three points."""
BY_VALUE = list(product("abc", VALUES, [True]))
"""Three groups and three values; the filter leaves all."""
FILTERED = list(product("ab", (-3, 25), [False, True]))
"""Two groups, two values, inside and outside of a filter; the third group never has a record."""

EXACT: dict[str, Callable[[Table], Release]] = {
    "mean": lambda table: table.by("g").mean("v", epsilon=1),
    "sum": lambda table: table.by("g").sum("v", epsilon=1),
    "count": lambda table: table.by("g").count(epsilon=1),
    "histogram": lambda table: table.by("g").histogram("v", epsilon=1),
    "cross-tab": lambda table: table.by("g", "f").count(epsilon=1),
    "mean of a cross-tab": lambda table: table.by("f", "g").mean("v", epsilon=1),
    "non-negative count": lambda table: table.by("g").count(epsilon=1, non_negative=True),
    "consistent count": lambda table: table.by("g").count(epsilon=1, consistent=True),
}
"""Noise fitted to what one record moves: somebody's loss is epsilon exactly."""
CHOSEN: dict[str, Callable[[Table], Release]] = {
    "median": lambda table: table.by("g").median("v", epsilon=1),
    "percentile": lambda table: table.by("g").percentile("v", 90, epsilon=1, method="rank"),
    "percentiles": lambda table: table.by("g").percentiles("v", (25, 75), epsilon=1),
    "most_common": lambda table: table.by("g").most_common("f", epsilon=1),
}
"""Choices lose epsilon only where the stakes are high; on small tables a good part of it."""
EVERY = EXACT | CHOSEN
ABOUT_THE_FILTER = ("cross-tab", "mean of a cross-tab", "most_common")
"""They ask about the column of the filter."""


def audited(name: str, adjacency: Adjacency, *, filtered: bool = False, **more: Any) -> Audit:
    ask = EVERY[name]
    return Audit((lambda table: ask(table.where(f=True))) if filtered else ask, NAMES, COLUMNS, adjacency, **more)


def worst(audit: Audit, adjacency: Adjacency, kinds: Sequence[Any], largest: int = 3) -> float:
    if adjacency is REPLACE:
        return audit.worst(multisets(kinds, largest=largest, smallest=1), replace_neighbours(kinds))
    return audit.worst(multisets(kinds, largest=largest - 1), add_remove_neighbours(kinds))


of_few_records = pytest.mark.parametrize(
    ("adjacency", "largest"),
    [(ADD_REMOVE, 3), (REPLACE, 2), pytest.param(REPLACE, 3, marks=pytest.mark.long)],
    ids=str,
)


@of_few_records
@pytest.mark.parametrize("name", EXACT)
def test_all_groups_together_lose_epsilon_and_no_more(name: str, adjacency: Adjacency, largest: int) -> None:
    """Tables of up to three records, replaced ones two by default: all of their values, groups and neighbours."""
    audit = audited(name, adjacency)
    kinds = BY_VALUE if name in ("mean", "sum", "histogram") else FILTERED
    assert audit.claim() == 1
    assert worst(audit, adjacency, kinds, largest) == pytest.approx(1, rel=1e-9)


@of_few_records
@pytest.mark.parametrize("name", CHOSEN)
def test_choices_of_all_groups_together_lose_no_more_than_epsilon(
    name: str, adjacency: Adjacency, largest: int
) -> None:
    audit = audited(name, adjacency)
    kinds = FILTERED if name == "most_common" else [kind for kind in BY_VALUE if kind[0] != "c"]
    assert audit.claim() == 1
    assert 0.3 < worst(audit, adjacency, kinds, largest) <= 1 + 1e-9


@BOTH
def test_numbers_of_all_groups_whose_noise_follows_the_data(adjacency: Adjacency) -> None:
    def ask(table: Table) -> Release:
        return table.by("g").median("v", epsilon=1, method="number")

    kinds = [kind for kind in FILTERED if kind[2]]
    assert 0.3 < worst(Audit(ask, NAMES, COLUMNS, adjacency), adjacency, kinds, largest=2) <= 1 + 1e-9


@BOTH
@pytest.mark.parametrize("name", [name for name in EVERY if name not in ABOUT_THE_FILTER])
def test_a_filter_costs_nothing(name: str, adjacency: Adjacency) -> None:
    """A record may enter the filter or leave it, and under ``REPLACE`` change its group at the same time."""
    found = worst(audited(name, adjacency, filtered=True), adjacency, FILTERED, largest=2)
    assert (0.3 if name in CHOSEN else 1 - 1e-9) < found <= 1 + 1e-9


@BOTH
def test_four_records_in_two_groups(adjacency: Adjacency) -> None:
    kinds = [kind for kind in BY_VALUE if kind[0] != "c" and kind[1] != 4]
    assert worst(audited("mean", adjacency), adjacency, kinds, largest=4) == pytest.approx(1, rel=1e-9)


@BOTH
@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("decision", [1, 2])
def test_what_is_told_knows_the_draws_alone(name: str, decision: int, adjacency: Adjacency) -> None:
    """Other draws than those above: values, errors and labels are the same for all tables of one public size."""
    audit = audited(name, adjacency, decision=decision)
    for size in (1, 2):
        first, *others = multisets(FILTERED, largest=size, smallest=size)[::3]
        assert all(audit.hear(first).told == audit.hear(x).told for x in others)
    if adjacency is ADD_REMOVE:
        assert audit.hear(()).told == audit.hear((("a", 25, True),)).told


def test_every_group_is_drawn_once_whoever_is_in_it() -> None:
    for x in ((), (("a", 4, True),), (("a", 4, True), ("b", 4, True))):
        assert len(audited("mean", ADD_REMOVE).hear(x).draws) == 6
        assert len(audited("median", ADD_REMOVE).hear(x).draws) == 3
        [counts] = audited("cross-tab", ADD_REMOVE).hear(x).draws
        assert len(counts.problem.counts) == 6


@BOTH
def test_the_sum_over_draws_is_the_worst_of_the_law_written_out(adjacency: Adjacency) -> None:
    """Every output that matters, group by group: the ends of all windows, and the values themselves."""
    audit = audited("mean", adjacency)
    one = audit.hear((("a", 25, True), ("b", -3, True)))
    other = audit.hear((("a", 25, True), ("c", 4, True)) if adjacency is REPLACE else (("a", 25, True),))
    steps = [_around(mine, theirs) for mine, theirs in zip(one.draws, other.draws, strict=True)]
    written = max(
        abs(sum(_log_ratio(mine, theirs, y) for mine, theirs, y in zip(one.draws, other.draws, answer, strict=True)))
        for answer in product(*steps)
    )
    assert written == pytest.approx(loss_between(one, other), rel=1e-12)
    assert written > 0.7


def _around(mine: Draw, theirs: Draw) -> list[int]:
    low, high = sorted((mine.problem.steps, theirs.problem.steps))
    return [low - 5000, low, high, high + 5000] if low < high else [low]


def _log_ratio(mine: Draw, theirs: Draw, step: int) -> float:
    return float(mine.log_law([step])[0] - theirs.log_law([step])[0])


# A record is in one group


@pytest.mark.parametrize(
    "labels", [(1, "1"), (1, "1.0"), (True, "true"), ("true", "True"), ("1", "1.0"), (0.1, "0.10"), ("a", "A")], ids=str
)
def test_a_record_is_never_in_two_groups_however_alike_labels_are(labels: tuple[Any, ...]) -> None:
    column = Category(*labels, "rest", other="rest")
    kinds = [(value, 25, True) for value in (1, "1", "1.0", 1.0, True, "true", "True", 0.1, "0.10", "a", "A", "?")]
    audit = Audit(EXACT["count"], NAMES, COLUMNS | {"g": column}, ADD_REMOVE)
    nobody = audit.hear(())
    assert all(loss_between(nobody, audit.hear((kind,))) == pytest.approx(1) for kind in kinds)


# Planted faults


@pytest.mark.parametrize("name", ["mean", "sum", "histogram", "mean of a cross-tab"])
def test_every_group_at_the_full_epsilon_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A replaced record leaves one group and enters another: both tell of it."""
    monkeypatch.setattr(by_group, "share_of_group", lambda epsilon, adjacency: Fraction(epsilon))
    monkeypatch.setattr(by_group, "converted", lambda loss, adjacency, unit: replace_adjacency(loss, adjacency))
    audit = audited(name, REPLACE)
    assert audit.claim() == 1
    assert worst(audit, REPLACE, FILTERED, largest=2) == pytest.approx(2)


@pytest.mark.parametrize("name", ["median", "percentiles", "most_common"])
def test_every_choice_at_the_full_epsilon_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_group, "share_of_group", lambda epsilon, adjacency: Fraction(epsilon))
    monkeypatch.setattr(by_group, "converted", lambda loss, adjacency, unit: replace_adjacency(loss, adjacency))
    kinds = FILTERED if name == "most_common" else [kind for kind in FILTERED if kind[2]]
    assert worst(audited(name, REPLACE), REPLACE, kinds) > 1.1


def replace_adjacency(loss: Any, adjacency: Adjacency) -> Any:
    return type(loss)(loss.epsilon, adjacency=adjacency)


@pytest.mark.parametrize("name", ["count", "cross-tab"])
def test_counts_with_the_noise_of_one_group_are_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    frame_of = histograms.frame_of_counts
    monkeypatch.setattr(
        histograms,
        "frame_of_counts",
        lambda size, adjacency: replace(frame_of(size, ADD_REMOVE), adjacency=REPLACE),
    )
    audit = audited(name, REPLACE)
    assert audit.claim() == 1
    assert worst(audit, REPLACE, FILTERED, largest=2) == pytest.approx(2)


def count_first_group_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records of the first group are in the second too."""
    totals, rows = table_groups.total_by_group, table_groups.rows_by_groups

    def doubled_totals(*given: Any, **more: Any) -> list[Total]:
        first, second, *others = totals(*given, **more)
        return [first, Total(first.count + second.count, first.sum + second.sum), *others]

    def doubled_rows(*given: Any, **more: Any) -> Any:
        counts = rows(*given, **more)
        counts[1] += counts[0]
        return counts

    monkeypatch.setattr(groups, "total_by_group", doubled_totals)
    monkeypatch.setattr(groups, "rows_by_groups", doubled_rows)


@BOTH
@pytest.mark.parametrize("name", ["mean", "sum", "count"])
def test_a_record_in_two_groups_is_caught(name: str, adjacency: Adjacency, monkeypatch: pytest.MonkeyPatch) -> None:
    count_first_group_twice(monkeypatch)
    found = worst(audited(name, adjacency), adjacency, BY_VALUE, largest=2)
    assert found == pytest.approx(2 if adjacency is ADD_REMOVE else 1.5)


def test_answers_of_occupied_groups_alone_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    each = by_group.pose_each

    def occupied(question: str, counted: Any, labels: Any, *asked: Any, **public: Any) -> Any:
        kept = [place for place, total in enumerate(counted) if total.count] or [0]
        return each(question, [counted[place] for place in kept], [labels[place] for place in kept], *asked, **public)

    monkeypatch.setattr(groups, "pose_each", occupied)
    assert worst(audited("mean", ADD_REMOVE), ADD_REMOVE, FILTERED, largest=2) == inf


@BOTH
def test_counts_made_consistent_with_a_private_number_are_caught(
    adjacency: Adjacency, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under ``ADD_REMOVE`` the number of rows is private, and that of filtered rows under ``REPLACE`` too."""
    pose = histograms.pose_counts
    monkeypatch.setattr(
        groups,
        "pose_counts",
        lambda counts, *given, **more: pose(counts, *given, **more | {"records": int(counts.sum())}),
    )
    filtered = adjacency is REPLACE
    assert worst(audited("consistent count", adjacency, filtered=filtered), adjacency, FILTERED, largest=2) == inf


@BOTH
def test_dropped_rows_are_no_public_number(adjacency: Adjacency) -> None:
    """A record whose group is missing is in none: consistent counts must not add up to the number of the others."""
    columns = COLUMNS | {"g": Category("a", "b", "c", missing="drop")}
    audit = Audit(EXACT["consistent count"], NAMES, columns, adjacency)
    one, other = audit.hear((("a", 4, True), ("b", 4, True))), audit.hear((("a", 4, True), (None, 4, True)))
    assert loss_between(one, other) == pytest.approx(0.5 if adjacency is REPLACE else 1)


def test_consistent_counts_of_all_rows_add_up_to_their_public_number() -> None:
    data = {"g": ["a", "a", "b"], "v": [1, 2, 3], "f": [True, False, True]}
    table = Table(data, columns=COLUMNS, budget=Budget(epsilon=10), adjacency=REPLACE)
    assert sum(table.by("g").count(epsilon=1, consistent=True).value.values()) == 3
    noisy = [sum(table.where(f=True).by("g").count(epsilon="1/10", consistent=True).value.values()) for _ in range(40)]
    assert len(set(noisy)) > 1
    assert np.all(np.array(noisy) >= 0)
