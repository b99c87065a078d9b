"""Pairs that are proposed are neighbours, and the worst of them is found."""

from collections import Counter
from itertools import count
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, PrivacyLoss
from dampen.audit import Pair, SearchReport, pairs, search
from dampen.audit.pair_search import FIRST, _affordable
from dampen.audit.search_report import Look
from dampen.errors import ParameterError
from tests.audit.planted import factor_two_forgotten, half_the_noise, list_from_the_data, pure, whole_noise

LOOKED = 100
KINDS = ("numbers", "categories", "table", "graph", "scores")


def distance(kind: str, unit: str, x: Any, y: Any) -> tuple[float, bool]:
    """How many records, persons, edges or units of a score lie between two data sets; whether their sizes agree."""
    if kind == "graph":
        return len(x[1] ^ y[1]), x[0] == y[0]
    if kind == "scores":
        return max(abs(a - b) for a, b in zip(x, y, strict=True)), True
    one, other = (Counter(row[unit] if unit != "row" else repr(row) for row in rows) for rows in (x, y))
    if unit != "row":
        rows = {repr(row) for row in x} ^ {repr(row) for row in y}
        moved = {row[unit] for row in (*x, *y) if repr(row) in rows or one[row[unit]] != other[row[unit]]}
        return len(moved), len(one) == len(other)
    return max((one - other).total(), (other - one).total()), len(x) == len(y)


RECORDS = (Adjacency.ADD_REMOVE, Adjacency.REPLACE)
NEIGHBOURS = [
    *((kind, adjacency, "row") for kind in ("numbers", "categories", "table") for adjacency in RECORDS),
    *(("table", adjacency, "patient") for adjacency in RECORDS),
    ("graph", Adjacency.EDGE, "row"),
    *(("scores", adjacency, "row") for adjacency in Adjacency),
]


@pytest.mark.parametrize(("kind", "adjacency", "unit"), NEIGHBOURS)
def test_proposed_pairs_are_neighbours(kind: str, adjacency: Adjacency, unit: str) -> None:
    proposed = pairs(kind, adjacency=adjacency, unit=unit)
    assert len({each.name for each in proposed}) == len(proposed) >= 6
    for each in proposed:
        apart, same_size = distance(kind, unit, each.x, each.y)
        assert apart <= 1, each.name
        assert same_size or adjacency is Adjacency.ADD_REMOVE, each.name


def test_every_kind_has_what_mechanisms_failed_on() -> None:
    names = {kind: " ".join(each.name for each in pairs(kind)) for kind in KINDS}
    for word in ("empty and one", "extreme", "ties", "outlier", "a text among"):
        assert word in names["numbers"]
    person = pairs("table", unit="patient")
    [many] = [each for each in person if each.name == "one person with many rows"]
    assert len(many.x) - len(many.y) > 10
    assert all("patient" in row for row in many.x)


def test_monotone_scores_move_in_one_direction() -> None:
    for each in pairs("scores", monotone=True):
        assert all(a <= b for a, b in zip(each.x, each.y, strict=True))


def test_bounds_and_labels_are_the_callers() -> None:
    inside = [each for each in pairs("numbers", bounds=(5, 7)) if not each.mixed and "outlier" not in each.name]
    assert {low <= value <= high for each in inside for value in each.x for low, high in [(5, 7)]} == {True}
    assert any("east" in each.x for each in pairs("categories", labels=("east", "west")))


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ({"kind": "tables"}, "kind must be one of 'numbers'"),
        ({"kind": "graph", "adjacency": Adjacency.REPLACE}, "adjacency must be Adjacency.EDGE"),
        ({"kind": "numbers", "adjacency": Adjacency.EDGE}, "adjacency must be Adjacency.ADD_REMOVE"),
        ({"kind": "numbers", "bounds": (1, 1)}, "lo < hi"),
        ({"kind": "categories", "labels": ("a", "a")}, "two different"),
    ],
)
def test_what_cannot_be_proposed_is_refused(named: dict[str, Any], told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        pairs(**named)


# The search


@pytest.fixture(autouse=True)
def fixed_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """However fast this machine is: so many draws for a look, and so many for a verdict."""
    for name, draws in (("FEWEST", LOOKED), ("MOST", LOOKED), ("FEWEST_MEASURED", 4_000), ("MOST_MEASURED", 4_000)):
        monkeypatch.setattr(f"dampen.audit.pair_search.{name}", draws)


def test_a_fault_is_found_on_the_pair_that_shows_it() -> None:
    rng = np.random.default_rng(1)
    report = search(list_from_the_data(rng), "categories", claim=pure(1), seconds=0.4)
    assert report.refuted
    assert not report
    assert {"empty and one record", "one record beside one other"} & {report.pair.name}
    assert report.worst.epsilon is not None
    assert report.worst.epsilon > 3


def test_scores_that_move_in_opposite_directions_are_tried() -> None:
    draw = factor_two_forgotten(np.random.default_rng(1))
    some = [each for each in pairs("scores") if len(each.x) == 3]
    report = search(draw, some, claim=pure(1), seconds=0.5)
    assert report.refuted
    assert report.pair.name == "the last one down, all others up"


def test_a_sound_subject_is_not_accused_and_the_report_says_all() -> None:
    noise = whole_noise(np.random.default_rng(1), 1)
    report = search(lambda values: len(values) + noise(), "numbers", claim=pure(1), seconds=0.5, confidence=1 - 1e-6)
    assert report
    assert isinstance(report, SearchReport)
    assert len(report.reports) == 3
    for word in ("not refuted", report.pair.name, "99.9999 %, of all", "14 pairs"):
        assert word in str(report)
    assert report.as_dict()["reports"][0]["name"] == report.reports[0][0].name
    assert "<table>" in report._repr_html_()
    assert report.to_json().startswith("{")


def test_the_error_rate_is_divided_among_the_pairs_that_are_measured() -> None:
    noise = whole_noise(np.random.default_rng(1), 1)
    report = search(lambda text: len(text) + noise(), [("ab", "a"), ("a", "")], claim=pure(1), seconds=0.1)
    assert [float(1 - each.confidence) for _, each in report.reports] == pytest.approx([0.005, 0.005])
    assert {pair.name for pair, _ in report.reports} == {"pair 1", "pair 2"}


def test_the_verdict_takes_draws_of_its_own() -> None:
    """A subject that gives itself away while it is looked at, and never after, is not accused."""
    turn = count()
    noise = whole_noise(np.random.default_rng(1), 1)
    looks = 2 * (FIRST + 2 * LOOKED)

    def draw(people: str) -> int:
        return 1000 * len(people) if next(turn) < looks else len(people) + noise()

    report = search(draw, [("ab", "a")], claim=pure(1), seconds=0.2)
    assert report.looks[0].suspicion > 1
    assert not report.refuted


def test_time_is_kept_at_the_pace_that_was_seen() -> None:
    looks = [Look(Pair(name, "ab", "a"), draws=10, suspicion=0.0, seconds=0.1) for name in ("one", "other")]
    assert _affordable(looks, 6.0, 100, 4_000) == 300
    assert _affordable(looks[:1], 6.0, 100, 4_000) == 600
    assert _affordable(looks, 0.1, 100, 4_000) == 100
    assert _affordable(looks, 900.0, 100, 4_000) == 4_000


def test_odd_records_may_be_refused_and_empty_data_may_not() -> None:
    noise = whole_noise(np.random.default_rng(1), 1)

    def draw(values: list[float]) -> float:
        if any(not isinstance(value, float) or value != value for value in values):
            raise TypeError("numbers, please")
        return 1 / len(values) * 0 + noise() + len(values)

    report = search(draw, "numbers", claim=pure(1), seconds=0.3)
    assert {look.pair.name for look in report.set_aside} == {
        "not a number among numbers",
        "nothing among numbers",
        "a text among numbers",
        "a truth value among numbers",
    }
    assert "it always raised a TypeError" in str(report)
    assert report.refuted
    assert report.pair.y == []


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ({"kind": 7}, "kind must be a name such as 'numbers', or a list"),
        ({"kind": []}, "kind must be a name"),
        ({"kind": [("a", "b", "c")]}, r"kind must be a list of pairs \(x, y\); entry 1"),
        ({"seconds": 0}, "seconds must be positive"),
        ({"draw": 3}, "draw must be a function"),
        ({"claim": 1}, "claim must be a PrivacyLoss"),
        ({"kind": [("a", "b")]}, "draw must return an output on one of the pairs"),
    ],
)
def test_what_cannot_be_searched_is_refused(named: dict[str, Any], told: str) -> None:
    given: dict[str, Any] = {"draw": lambda data: 1 / 0, "kind": "numbers", "claim": pure(1), "seconds": 0.1} | named
    with pytest.raises(ParameterError, match=told):
        search(given.pop("draw"), given.pop("kind"), **given)


def test_a_batch_is_drawn_at_once() -> None:
    rng = np.random.default_rng(1)

    def batch(people: str, size: int) -> list[int]:
        return (len(people) + rng.geometric(0.9, size) - rng.geometric(0.9, size)).tolist()  # type: ignore[no-any-return]

    own = [Pair("one more", "ab", "a")]
    report = search(half_the_noise(rng), own, claim=pure(1), seconds=0.2, batch=batch)
    assert report.refuted
    assert report.worst.epsilon is not None
    assert report.worst.epsilon > 1.9
    claim = PrivacyLoss(5, adjacency=Adjacency.ADD_REMOVE)
    assert search(half_the_noise(rng), own, claim=claim, seconds=0.2, batch=batch)
