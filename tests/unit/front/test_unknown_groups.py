"""Groups that nobody listed, through a table: asked, paid for, shown, and then asked about as public ones."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import dampen
from dampen import Adjacency, Budget, Category, Number, Table, Text, entropy
from dampen.errors import BudgetExceeded, DataError, ParameterError
from dampen.privacy import GroupRelease

SURE = 400
"""So much epsilon that noise is 0 and groups of two are shown; of one they are with a chance of delta."""
COLUMNS: dict[str, Any] = {"term": Text(), "cost": Number(0, 10, step=1, unit=1), "ward": Category("a", "b")}
VISITS: dict[str, list[Any]] = {
    "who": ["ann", "ann", "bob", "cid", "cid", "dan", None, "eve", "eve"],
    "term": ["flu", "flu", "flu", "gout", "flu", "gout", "flu", None, "rare"],
    "cost": [1, 2, 3, 4, 5, 6, 7, 8, 9],
    "ward": ["a", "a", "b", "a", "b", "a", "a", "b", "b"],
}


def table(person: str | None = "who", budget: Budget | None = None, **more: Any) -> Table:
    payer = Budget(epsilon=10**6, delta="1/2") if budget is None else budget
    return Table(VISITS, columns=COLUMNS, budget=payer, person=person, **more)


def shown(asked: Table, **more: Any) -> dict[str, int]:
    release = asked.by("term", groups="private").count(epsilon=SURE, delta="1e-30", **more)
    assert isinstance(release, GroupRelease)
    found: dict[str, int] = release.value
    return found


def test_people_are_counted_once_in_each_group_and_names_are_sorted() -> None:
    assert shown(table(), most=2) == {"flu": 3, "gout": 2}
    assert list(shown(table(), most=2)) == ["flu", "gout"]
    assert shown(table(person=None)) == {"flu": 5, "gout": 2}
    assert shown(table().where(ward="a"), most=2) == {"gout": 2}
    assert shown(table(), most=2, at_least=3) == {}
    assert shown(table(adjacency=Adjacency.REPLACE), most=2) == {"flu": 3, "gout": 2}


def test_a_person_is_counted_in_no_more_groups_than_is_said() -> None:
    """Whom the one group of cid is, the key decides, which is drawn anew."""
    rows = {"who": [f"p{spot // 4}" for spot in range(800)], "term": [f"g{spot % 4}" for spot in range(800)]}
    asked = Table(rows, columns={"term": Text()}, budget=Budget(epsilon=10**5, delta="1/2"), person="who")
    counts = [tuple(shown(asked, most=1).values()) for _ in range(5)]
    assert {sum(each) for each in counts} == {200}
    assert len({*counts}) > 1, "every question has its own key"
    assert all(20 < count < 80 for each in counts for count in each), "each of four groups has a fair share"
    assert sum(shown(asked, most=3).values()) == 600
    assert shown(asked, most=9) == {f"g{spot}": 200 for spot in range(4)}


def test_the_whole_loss_is_charged_even_where_nothing_is_shown() -> None:
    budget = Budget(epsilon=2, delta="1e-5")
    asked = table(budget=budget)
    release = asked.by("term", groups="private").count(epsilon=1, delta="1e-6", most=3)
    assert release.value == {}
    assert (release.loss.epsilon, release.loss.delta, release.loss.unit) == (Fraction(1), Fraction(1, 10**6), "who")
    assert (budget.spent.epsilon, budget.spent.delta) == (Fraction(1), Fraction(1, 10**6))
    assert release.note == "count groups='private' delta='1e-6' most=3 at_least=1 by term per who in dict"
    with pytest.raises(BudgetExceeded):
        asked.by("term", groups="private").count(epsilon=1, delta="1e-4", most=3)


def test_answers_are_remembered_by_all_that_is_asked(tmp_path: Path) -> None:
    ledger = Budget.open(tmp_path / "l.db", epsilon=9000, delta="1/2", remember=True)
    asked = Table(VISITS, columns=COLUMNS, budget=ledger, person="who", name="visits")
    ask = asked.by("term", groups="private").count
    first = ask(epsilon=SURE, delta="1e-30", most=2)
    again = ask(epsilon=SURE, delta=Fraction(1, 10**30), most=2)
    assert (again.value, again.error()) == (first.value, first.error())
    assert ledger.spent.epsilon == SURE
    for other in (
        {"delta": "1e-29", "most": 2},
        {"delta": "1e-30", "most": 3},
        {"delta": "1e-30", "most": 2, "at_least": 2},
    ):
        before = ledger.spent.epsilon
        ask(epsilon=SURE, **other)  # type: ignore[arg-type]
        assert ledger.spent.epsilon == before + SURE


def test_nothing_is_drawn_before_it_is_paid_but_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []

    class Listening(entropy.SystemEntropy):
        def bits(self, count: int) -> int:
            drawn.append(count)
            return super().bits(count)

        def words(self, count: int, width: int) -> Any:
            drawn.append(count)
            return super().words(count, width)

    monkeypatch.setattr(entropy, "system_entropy", Listening)
    with pytest.raises(BudgetExceeded):
        table(budget=Budget(epsilon=1)).by("term", groups="private").count(epsilon=1, delta="1e-6", most=3)
    assert drawn == [128]
    drawn.clear()
    with pytest.raises(BudgetExceeded):
        table(None, Budget(epsilon=1)).by("term", groups="private").count(epsilon=1, delta="1e-6")
    assert drawn == []


# Then, of the groups that were shown


@pytest.mark.parametrize("person", ["who", None])
def test_shown_groups_are_asked_as_public_ones_and_all_others_are_left_out(person: str | None) -> None:
    most, of, cap = ({"most": 2}, {"of": "persons"}, {"cap": 16}) if person else ({}, {}, {})
    asked = table(person)
    said: dict[str, Any] = {"epsilon": SURE, "delta": "1e-30", **most}
    then = asked.by("term", groups=asked.by("term", groups="private").count(**said))
    means = {"flu": (1.5 + 3 + 2.5) / 2.5, "gout": (2 + 6) / 1.5} if person else {"flu": 3.6, "gout": 5}
    assert then.mean("cost", epsilon=SURE * 20).value == pytest.approx(means, abs=0.1)
    sums = {"flu": 11, "gout": 10} if person else {"flu": 18, "gout": 10}
    capped: dict[str, Any] = {"epsilon": SURE * 20, **cap}
    assert then.sum("cost", **capped).value == pytest.approx(sums, abs=0.2)
    counted: dict[str, Any] = {"epsilon": SURE, **of}
    told = then.count(**counted)
    assert told.value == ({"flu": 3, "gout": 2} if person else {"flu": 5, "gout": 2})
    assert told.loss.delta == 0
    assert list(then.median("cost", epsilon=1)) == ["flu", "gout"]
    assert asked.by("term", groups=["gout"]).count(**counted).value == {"gout": 2}


def test_shown_groups_beside_declared_ones() -> None:
    both = table(None).by("ward", "term", groups=["flu"]).count(epsilon=SURE)
    assert both.value == {("a", "flu"): 3, ("b", "flu"): 2}


@pytest.mark.parametrize("form", ["duckdb", "ibis"])
def test_the_same_in_databases(form: str) -> None:
    import duckdb
    import pyarrow as pa

    frame = pa.table(VISITS)
    data = duckdb.connect().from_arrow(frame) if form == "duckdb" else pytest.importorskip("ibis").memtable(frame)
    for person in ("who", None):
        asked = Table(data, columns=COLUMNS, budget=Budget(epsilon=10**6, delta="1/2"), person=person)
        assert shown(asked, **({"most": 2} if person else {})) == shown(
            table(person), **({"most": 2} if person else {})
        )
        said: dict[str, Any] = {"epsilon": SURE, **({"of": "persons"} if person else {})}
        then = asked.by("term", groups=["flu"]).count(**said)
        assert then.value == {"flu": 3 if person else 5}


# Refusals


def count(**said: Any) -> Any:
    return lambda table: table.by("term", groups="private").count(**{"epsilon": 1, "delta": "1e-6", "most": 1, **said})


REFUSED: list[tuple[Any, str]] = [
    (lambda t: t.by("cost", groups="private"), "column must be a text where groups='private'; 'cost' is described"),
    (lambda t: t.by("ward", groups="private"), "'ward' is described as a category"),
    (lambda t: t.by("term", "ward", groups="private"), "by must name one column where groups='private'"),
    (lambda t: t.by(groups="private"), "by must name one column where groups='private'"),
    (lambda t: t.by("term", groups="public"), "groups must be 'private', or the names"),
    (lambda t: t.by("term", groups=[]), "groups must be 'private', or the names"),
    (lambda t: t.by("term", groups=[1]), "groups must be 'private', or the names"),
    (lambda t: t.by("term", groups=7), "groups must be 'private', or the names"),
    (lambda t: t.by("ward", groups=["a"]), "by must name one text where groups are given"),
    (lambda t: t.by("term"), "column must not be a text, which is asked about by groups='private' alone"),
    (lambda t: t.by("turm", groups="private"), "Declared"),
    (count(most=None), "most must be given for a table with a person"),
    (count(delta=0), "delta must be positive"),
    (count(delta=1), "delta must be below 1"),
    (count(epsilon=0), "epsilon must be positive"),
    (count(most=0), "most must be a whole number"),
    (count(at_least=0), "at_least must be a whole number"),
]


@pytest.mark.parametrize(("ask", "rule"), REFUSED, ids=[rule for _, rule in REFUSED])
def test_what_is_refused_before_data_are_read(ask: Any, rule: str) -> None:
    budget = Budget(epsilon=1, delta="1/2")
    unread = Table("nowhere.csv", columns=COLUMNS, budget=budget, person="who")
    with pytest.raises(ParameterError, match=rule):
        ask(unread)
    assert budget.spent.epsilon == 0


def test_most_is_for_persons() -> None:
    with pytest.raises(ParameterError, match="most must be left out for a table without a person"):
        table(None).by("term", groups="private").count(epsilon=1, delta="1e-6", most=1)


def test_what_is_no_name_is_refused_in_all_rows_whatever_the_filter() -> None:
    budget = Budget(epsilon=1, delta="1/2")
    odd = {**VISITS, "term": [*VISITS["term"][:-1], 1.5]}
    asked = Table(odd, columns=COLUMNS, budget=budget, person="who").where(ward="a")
    with pytest.raises(DataError, match="column 'term' must hold texts or whole numbers") as caught:
        asked.by("term", groups="private").count(epsilon=1, delta="1e-6", most=1)
    assert "1.5" not in str(caught.value)
    assert budget.spent.epsilon == 0


def test_it_says_what_it_is() -> None:
    assert (
        repr(table().by("term", groups="private"))
        == "Table(dict: term, cost, ward per who).by('term', groups='private')"
    )
    assert dampen.Text().kind == "text"
