"""What is said to whoever asks a table with a person amiss: the argument at fault, and what to do."""

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from dampen import Budget, Category, Number, Table, Text
from dampen.errors import DataError, ParameterError
from dampen.mechanisms.caps.errors import Beyond, CapAccuracy, EdgeAccuracy
from dampen.mechanisms.numeric.noises import Geometric
from dampen.privacy import Adjacency, GroupRelease, PrivacyLoss
from dampen.questions.people.limits import LimitedAccuracy

if TYPE_CHECKING:
    from tests.conftest import Refused

VISITS = {"who": ["ann", "bob"], "cost": [1, 2], "ward": ["a", "b"], "term": ["flu", "gout"]}
COLUMNS: dict[str, Any] = {"cost": Number(unit=1), "ward": Category("a", "b"), "term": Text()}
NOBODY = GroupRelease({}, PrivacyLoss(1, adjacency=Adjacency.ADD_REMOVE), "a mechanism", "", None)


def visits(budget: Any) -> Table:
    return Table(VISITS, columns=COLUMNS, budget=budget, person="who")


@pytest.mark.parametrize(
    ("ask", "shown"),
    [
        (lambda t: t.by("term", groups="private").sum("cost", epsilon=1), "groups must be listed for this: count with"),
        (lambda t: t.by("ward").variance("cost", epsilon=1), "variance must be asked of the whole table"),
        (lambda t: t.per_person("sum", "cost", bounds=(0, 9)), "lo and hi, those of one row, for 'sum'"),
        (lambda t: t.by("term", groups=NOBODY), "groups must be some that were shown; this release shows none"),
        (lambda t: t.by("term", groups=["a", "a"]), "groups must be different from each other"),
        (lambda t: t.by("term", groups={"a", "b"}), "groups must be in an order, as a list or a tuple is; got a set"),
        (lambda t: t.by("term", "ward", groups="private"), "where groups='private'; got 'term' and 'ward'"),
        (lambda t: t.where(term="flu"), "where must leave out column 'term': it is a text"),
    ],
)
def test_the_argument_at_fault_is_named(
    ask: Callable[[Table], object], shown: str, untouched: Budget, refused: "Refused"
) -> None:
    with refused(ParameterError, shown):
        ask(visits(untouched))


def test_other_attributes_are_missing_as_usual() -> None:
    table = visits(Budget(epsilon=1))
    assert not hasattr(table.by("ward"), "nonsense")
    assert not hasattr(table.by("term", groups="private"), "nonsense")


@pytest.mark.parametrize("data", [VISITS, "frame"])
def test_a_column_of_persons_that_is_not_there(data: Any, untouched: Budget, refused: "Refused") -> None:
    if data == "frame":
        data = pytest.importorskip("polars").DataFrame(VISITS)
    with refused(ParameterError, "person must be one of the columns of the data"):
        Table(data, columns={}, budget=untouched, person="nix").count(epsilon=1)
    with refused(ParameterError, "each of persons must be one of the columns of the data"):
        Table(data, columns={}, budget=untouched, persons=("who", "nix")).count(epsilon=1)
    with refused(ParameterError, 'such as ("from", "to"); got \'who\''):
        Table(data, columns={}, budget=untouched, persons=("who",))


def test_rows_without_a_person_are_refused_by_the_right_word(untouched: Budget, refused: "Refused") -> None:
    table = Table({"who": ["ann", None]}, columns={}, budget=untouched, person="who", person_missing="refuse")
    with refused(DataError, "leave them out with person_missing='drop' (--person-missing drop)"):
        table.count(epsilon=1)


def test_a_long_grid_of_persons_on_ibis(untouched: Budget, refused: "Refused") -> None:
    connection = pytest.importorskip("ibis").duckdb.connect()
    connection.raw_sql("create table visits as select 'ann' as who, 1 as cost")
    rows = connection.table("visits")
    with refused(ParameterError, "without bounds ask with leading_bits=5"):
        Table(rows, columns={"cost": Number(unit=1)}, budget=untouched, person="who").median("cost", epsilon=1)


def beyond(people: int) -> Beyond:
    """So many may have more, with any confidence."""
    return Beyond(Fraction(4), Fraction(8), 1, Fraction(0), Fraction(10**9), people)


def test_one_is_not_several() -> None:
    noise = Geometric(Fraction(1))
    cut = CapAccuracy(noise, Fraction(1), (beyond(1),))
    assert "at most 1 person lies between the cap and 8" in cut.statement()
    assert "at most 2 people lie between the cap and 8" in CapAccuracy(noise, Fraction(1), (beyond(2),)).statement()
    limited = LimitedAccuracy(cut, Fraction(4), "rows", beyond(1))
    assert "at most 1 person has more, up to 8" in limited.statement()
    assert "at most 3 people have more" in LimitedAccuracy(cut, Fraction(4), "rows", beyond(3)).statement()
    for what, told in {"rows": "1 row", "groups": "1 group", "in size": "1 in size", "": "1"}.items():
        assert LimitedAccuracy(cut, Fraction(1), what).statement().endswith(f"nobody counts for more than {told}")


def test_edges_of_a_node_are_no_rows() -> None:
    told = EdgeAccuracy(Geometric(Fraction(1)), Fraction(1), (beyond(2),), person="node").statement()
    assert "at most 4 edges of a node were kept" in told
    assert "rows" not in told
