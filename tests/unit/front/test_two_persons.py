"""A table whose rows have two persons each, as a user asks it; what it refuses costs nothing."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import dampen
from dampen import Adjacency, Budget, Category, Number, Table
from dampen.describe.description import Description
from dampen.errors import BudgetError, CutOffWarning, DampenError, DataError, ParameterError
from dampen.front.checking import check
from dampen.learn import PrivateClassifier, private_score
from dampen.mechanisms import EdgeRace, Staircase
from dampen.questions.people.rows_of_two import kept_under
from dampen.tables.person_pairs import person_pairs

if TYPE_CHECKING:
    from tests.conftest import Refused

SURE = 10**9
"""So large an epsilon that noise is 0 and the cap hardly ever too small; it may be larger."""
CALLS: dict[str, list[Any]] = {
    "from": [f"p{place % 30}" for place in range(90)] + ["p0"] * 60 + [None, "p1"],
    "to": [f"p{(place + 1) % 30}" for place in range(90)] + [f"p{place % 30}" for place in range(60)] + ["p1", ""],
    "kind": ["a", "b"] * 76,
    "minutes": [3] * 152,
}
COLUMNS: dict[str, Any] = {"kind": Category("a", "b"), "minutes": Number(0, 60, step=1)}
BOTH = ("from", "to")
pytestmark = pytest.mark.filterwarnings("ignore::dampen.errors.CutOffWarning")
ARGUMENTS: dict[str, Any] = {"p": 90, "ps": (25, 75), "k": 1, "id": "from", "by": "kind", "epsilon": 1}


def calls(budget: Any, **more: Any) -> Table:
    return Table(CALLS, columns=COLUMNS, budget=budget, **{"persons": BOTH, **more})


def test_the_cap_is_told_with_the_answer() -> None:
    budget = Budget(epsilon=SURE)
    release = calls(budget).count(epsilon=SURE)
    assert release.value == 150
    assert release.cap in [2**power for power in range(7, 21)]
    assert str(release.loss) == f"epsilon {SURE} per from or to (ADD_REMOVE)"
    assert budget.unit == "from or to"
    assert budget.spent.epsilon == SURE
    assert release.mechanism == repr(EdgeRace(SURE))
    assert f"at most {release.cap} rows of a person were kept" in str(release.error())


@pytest.mark.parametrize("adjacency", [Adjacency.ADD_REMOVE, Adjacency.REPLACE])
@pytest.mark.parametrize("cap", [1, 3, 8])
def test_a_public_cap_takes_all_of_epsilon(cap: int, adjacency: Adjacency) -> None:
    release = calls(Budget(epsilon=SURE), adjacency=adjacency).where(kind="a").count(cap=cap, epsilon=SURE)
    rows = {name: column[::2] for name, column in CALLS.items()}
    assert (release.value, release.cap) == (kept_under(person_pairs(rows, BOTH), (cap,))[0], cap)
    assert release.mechanism == repr(Staircase(SURE))
    assert release.loss.adjacency is adjacency
    assert str(release.error()).startswith(f"at most {cap} rows of a person were kept; the noise is at most")


def test_a_person_with_other_rows_costs_no_more() -> None:
    """The scores move twice as far, and the choice has half the rate; the price is the same."""
    asked = calls(Budget(epsilon=1), adjacency="replace")
    release = asked.count(epsilon=1)
    assert release.loss.epsilon == 1
    assert release.loss.adjacency is Adjacency.REPLACE


def test_a_table_says_whose_its_rows_are() -> None:
    table = calls(Budget(epsilon=1))
    assert (table.persons, table.person, table.unit) == (BOTH, None, "from or to")
    assert repr(table) == "Table(dict: kind, minutes per from or to)"
    plain = Table(CALLS, columns=COLUMNS, budget=Budget(epsilon=1))
    assert (plain.persons, plain.person, plain.unit) == (None, None, "row")
    assert "per from or to where kind = 'a'" in table.where(kind="a").count(epsilon=1).note


def test_too_few_rows_to_find_a_cap_are_told() -> None:
    with pytest.warns(CutOffWarning, match="what was cut off may exceed the answer"):
        Table({"from": [1], "to": [2]}, columns={}, budget=Budget(epsilon=1), persons=BOTH).count(epsilon="1/10")


def test_answers_are_remembered_by_whose_rows_are(tmp_path: Path) -> None:
    (tmp_path / "calls.csv").write_text("from,to,via\na,b,c\nb,a,c\n")

    ledger = Budget.open(tmp_path / "calls.db", epsilon=10, remember=True)

    def ask(persons: tuple[str, str]) -> Any:
        table = Table(tmp_path / "calls.csv", columns={}, budget=ledger, persons=persons)
        return table.count(epsilon=1).value

    assert ask(BOTH) == ask(BOTH)
    assert ledger.spent.epsilon == 1
    with pytest.raises(BudgetError, match="units of 'from or to'"):
        ask(("from", "via"))


QUESTIONS = sorted(
    name
    for name, method in vars(Table).items()
    if inspect.isfunction(method) and name[0] != "_" and "epsilon" in inspect.signature(method).parameters
)


@pytest.mark.parametrize("name", [name for name in QUESTIONS if name != "count"])
@pytest.mark.parametrize("column", ["kind", "minutes"])
def test_nothing_but_counts_is_answered(name: str, column: str, untouched: Budget, refused: "Refused") -> None:
    method = getattr(calls(untouched), name)
    known = inspect.signature(method).parameters.items()
    needed = [word for word, each in known if each.default is each.empty or word == "epsilon"]
    with refused(ParameterError, "two persons" if name != "release_group_members" else "without a person"):
        method(**{word: (ARGUMENTS | {"column": column})[word] for word in needed})


ASKED: dict[str, tuple[Callable[[Table], Any], str]] = {
    "groups": (lambda table: table.by("kind"), "asked for count alone"),
    "persons": (lambda table: table.count(of="persons", epsilon=1), "of must be 'rows' where rows have two persons"),
    "per person": (lambda table: table.per_person("count", bounds=(0, 9), step=1), "one person in each row"),
    "a sum per person": (lambda table: table.per_person("max", "minutes"), "one person in each row"),
    "no cap": (lambda table: table.count(cap=0, epsilon=1), "cap must be a whole number"),
    "no epsilon": (lambda table: table.count(epsilon=0), "epsilon"),
    "a model": (lambda table: PrivateClassifier(epsilon=1).fit(table, "kind"), "'from or to'"),
    "a score": (lambda table: private_score(object(), table, "kind", epsilon=1, budget=table.budget), "person"),
}


@pytest.mark.parametrize("name", ASKED)
def test_what_cannot_be_asked_is_one_sentence(name: str, untouched: Budget, refused: "Refused") -> None:
    ask, shown = ASKED[name]
    with refused(ParameterError, shown):
        ask(calls(untouched))


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"persons": "from,to"}, "persons must name two columns"),
        ({"persons": ("from",)}, "persons must name two columns"),
        ({"persons": ("from", "to", "via")}, "persons must name two columns"),
        ({"persons": ("from", "from")}, "one for each person; got 'from' and 'from'"),
        ({"persons": ("from", "")}, "persons must name two columns"),
        ({"persons": ("x" * 60, "y" * 60)}, "at most 100 characters together"),
        ({"persons": ("from", 3)}, "persons must be one line of text"),
        ({"persons": {"from": 1, "to": 2}}, "persons must name two columns"),
        ({"person": "from"}, "person must be left out beside persons"),
        ({"person_missing": "other"}, "person_missing must be one of 'drop', 'refuse'"),
    ],
    ids=str,
)
def test_persons_are_two_columns(given: dict[str, Any], shown: str, untouched: Budget, refused: "Refused") -> None:
    with refused(ParameterError, shown):
        calls(untouched, **given)
    with refused(ParameterError, shown):
        Description(COLUMNS, **{"persons": BOTH, **given})


@pytest.mark.parametrize(
    ("data", "more", "shown"),
    [
        ({"from": ["a"]}, {}, "'to'"),
        ({"from": ["a", None], "to": ["b", "a"]}, {"person_missing": "refuse"}, "column 'from' must have no missing"),
        ({"from": ["a"], "to": [""]}, {"person_missing": "refuse"}, "column 'to' must have no missing values"),
        ({"from": ["a"], "to": [["b"]]}, {}, "column 'to' must hold numbers, texts or days"),
        ({"from": ["a"], "to": ["b", "c"]}, {}, "equally many rows"),
    ],
    ids=str,
)
def test_bad_data_cost_nothing(data: Any, more: Any, shown: str, untouched: Budget, refused: "Refused") -> None:
    with refused(DampenError, shown):
        Table(data, columns={}, budget=untouched, persons=BOTH, **more).count(epsilon=1)


@pytest.mark.parametrize(
    "other",
    [{"unit": "row"}, {"unit": "edge", "adjacency": Adjacency.EDGE}, {"unit": "from"}, {"unit": "node"}],
    ids=str,
)
def test_other_budgets_do_not_pay_and_say_which_does(other: dict[str, Any]) -> None:
    budget = Budget(epsilon=1, **other)
    with pytest.raises(BudgetError) as caught:
        calls(budget).count(epsilon=1)
    assert "Budget.open(..., unit='from or to')" in str(caught.value)
    assert budget.spent.epsilon == 0
    calls(Budget(epsilon=1, unit="from or to")).count(epsilon=1)


def test_a_file_says_whose_rows_are(tmp_path: Path) -> None:
    written = 'data = "calls.csv"\npersons = ["from", "to"]\nperson_missing = "refuse"\n[columns.ill]\nkind = "flag"\n'
    (tmp_path / "calls.toml").write_text(written)
    found = Description.read(tmp_path / "calls.toml")
    assert (found.persons, found.person, found.person_missing) == (BOTH, None, "refuse")
    assert Description.parse(found.to_toml()) == found
    (tmp_path / "calls.csv").write_text("from,to,ill\na,b,true\nb,,false\n")
    assert check(found) == ["column 'to' must have no missing values, or person_missing = \"drop\""]
    table = dampen.open(tmp_path / "calls.toml", budget=Budget(epsilon=1))
    assert isinstance(table, Table)
    assert table.persons == BOTH
    with pytest.raises(DataError, match="'to'"):
        table.count(epsilon=1)
    assert "persons" not in Description(COLUMNS).to_toml()
    (tmp_path / "calls.csv").write_text("from,ill\na,true\n")
    with pytest.raises(DampenError, match="to"):
        check(found)


def test_neither_graphs_nor_links_have_two_persons(refused: "Refused") -> None:
    with refused(ParameterError, "person must be left out of the description of a graph"):
        Description({}, graph={"nodes": 3}, persons=BOTH)
    with refused(ParameterError, "persons must be left out of a description with links"):
        Description({"orders.day": Number(0, 9)}, persons=BOTH, links={"orders.who": "people.id"})
