"""A table with a person: what it refuses, in one sentence and before anything is charged. It never answers by row."""

import inspect
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import dampen
from dampen import Adjacency, Budget, Category, Flag, Number, Table
from dampen.describe.description import Description
from dampen.errors import DampenError, ParameterError
from dampen.front.checking import check
from dampen.front.groups import GroupedTable

if TYPE_CHECKING:
    from tests.conftest import Refused

VISITS: dict[str, list[Any]] = {
    "patient": ["ann", "ann", "bob", "cid", "cid", "cid"],
    "cost": [10, 20, 30, 40, 50, 60],
    "ward": ["a", "b", "a", "b", "b", "a"],
    "ill": [True, False, True, False, True, False],
}
COLUMNS: dict[str, Any] = {"cost": Number(0, 100, step=10), "ward": Category("a", "b"), "ill": Flag()}
pytestmark = pytest.mark.filterwarnings("ignore::dampen.errors.CutOffWarning")
ARGUMENTS: dict[str, Any] = {"p": 90, "ps": (25, 75), "k": 1, "id": "patient", "by": "ward", "epsilon": 1}
OF_LABELS = ("most_common", "top_categories")


def visits(budget: Any, **more: Any) -> Table:
    return Table(VISITS, columns=COLUMNS, budget=budget, **{"person": "patient", **more})


def questions_of(kind: type) -> list[str]:
    """The methods that take an epsilon."""
    public = {name: method for name, method in vars(kind).items() if inspect.isfunction(method) and name[0] != "_"}
    return sorted(name for name, method in public.items() if "epsilon" in inspect.signature(method).parameters)


@pytest.mark.parametrize("adjacency", [Adjacency.ADD_REMOVE, Adjacency.REPLACE])
@pytest.mark.parametrize(
    ("grouped", "name"),
    [*((False, name) for name in questions_of(Table)), *((True, name) for name in questions_of(GroupedTable))],
)
def test_every_method_charges_per_person_or_refuses_before_it_charges(
    grouped: bool, name: str, adjacency: Adjacency
) -> None:
    budget = Budget(epsilon=10)
    table = visits(budget, adjacency=adjacency)
    method = getattr(table.by("ill") if grouped else table, name)
    given = ARGUMENTS | {"column": "ward" if name in OF_LABELS else "cost"}
    known = inspect.signature(method).parameters.items()
    needed = [word for word, each in known if each.default is each.empty or word == "epsilon"]
    release = None
    with suppress(ParameterError):
        release = method(**{word: given[word] for word in needed})
    if release is None:
        assert budget.unit is None
        assert budget.spent.epsilon == 0
    else:
        assert release.loss.unit == budget.unit == "patient"
        assert release.loss.adjacency is adjacency
        assert release.loss.epsilon == budget.spent.epsilon == 1


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"person": 3}, "person must be one line of text"),
        ({"person": ""}, "person must name a column"),
        ({"person": "row"}, "row, edge or node"),
        ({"person": "x" * 101}, "at most 100 characters"),
        ({"person": "patient", "person_missing": "other"}, "person_missing must be one of 'drop', 'refuse'"),
        ({"person": None, "person_missing": "refuse"}, "person_missing must come with person"),
    ],
)
def test_a_person_is_a_column(given: dict[str, Any], shown: str, untouched: Budget, refused: "Refused") -> None:
    with refused(ParameterError, shown):
        visits(untouched, **given)
    with refused(ParameterError, shown):
        Description(COLUMNS, **given)


def test_a_graph_has_no_person(refused: "Refused") -> None:
    with refused(ParameterError, "person must be left out of the description of a graph"):
        Description({}, graph={"nodes": 3}, person="patient")


def test_a_file_says_whose_rows_are(tmp_path: Path) -> None:
    written = 'data = "visits.csv"\nperson = "patient"\nperson_missing = "refuse"\n[columns.ill]\nkind = "flag"\n'
    (tmp_path / "visits.toml").write_text(written)
    found = Description.read(tmp_path / "visits.toml")
    assert (found.person, found.person_missing) == ("patient", "refuse")
    assert Description.parse(found.to_toml()) == found
    table = dampen.open(tmp_path / "visits.toml", budget=Budget(epsilon=1))
    assert isinstance(table, Table)
    assert table.person == "patient"
    assert "per patient" in repr(table)
    assert Description(COLUMNS).person is None
    assert "person" not in Description(COLUMNS).to_toml()


def checked(folder: Path, rows: str, **more: Any) -> list[str]:
    (folder / "visits.csv").write_text(rows)
    return check(Description({"ill": Flag()}, data=str(folder / "visits.csv"), person="patient", **more))


@pytest.mark.parametrize("engine", [None, "arrays"])
def test_the_curator_is_told_of_rows_without_a_person(engine: str | None, tmp_path: Path) -> None:
    whole, gap = "patient,ill\nann,true\nbob,false\n", "patient,ill\nann,true\n,false\n"
    assert checked(tmp_path, whole, person_missing="refuse", engine=engine) == []
    assert checked(tmp_path, gap, engine=engine) == []
    assert checked(tmp_path, gap, person_missing="refuse", engine=engine) == [
        "column 'patient' must have no missing values, or person_missing = \"drop\""
    ]


def test_the_curator_is_told_of_a_column_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DampenError, match="patient"):
        checked(tmp_path, "person,ill\nann,true\n")
