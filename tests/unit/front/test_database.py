"""A database of linked tables: described once, then asked; refusals come in one sentence, and nothing is charged."""

from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import polars as pl
import pytest

import dampen
from dampen import Adjacency, Budget, Category, Database, FileReading, Flag, Number, Table
from dampen.describe.description import Description
from dampen.errors import BudgetError, DataError, EngineError, ParameterError
from dampen.front.opening import database_of, table_of
from tests.contracts.linked import write_workbook

if TYPE_CHECKING:
    from tests.conftest import Refused

TABLES: dict[str, dict[str, list[Any]]] = {
    "customers": {"id": [1, 2, 3], "age": [30, 40, 50]},
    "orders": {"id": [10, 11, 12, 13], "customer": [1, 1, 2, 9], "day": [1, 2, 3, 4]},
    "items": {
        "order": [10, 10, 11, 12, 13, None],
        "product": ["a", "b", "b", "a", "a", "b"],
        "price": [5, 20, 30, 7, 1, 1],
    },
    "products": {"id": ["a", "b"], "kind": ["book", "toy"]},
}
LINKS = {"orders.customer": "customers.id", "items.order": "orders.id", "items.product": "products.id"}
COLUMNS: dict[str, Any] = {
    "items.price": Number(0, 100, step=1),
    "products.kind": Category("book", "toy"),
    "orders.day": Number(0, 10),
    "customers.age": Number(0, 100, step=1),
}
SURE = 4000
"""At such an epsilon an answer is the truth, but for what is cut at a cap."""


def shop(data: Any = TABLES, **more: Any) -> Database:
    given: dict[str, Any] = {
        "person": "customers.id", "links": LINKS, "public": ["products"], "columns": COLUMNS,
        "budget": Budget(epsilon=10**6),
    }  # fmt: skip
    return Database(data, **given | more)


def stored(folder: Path) -> Path:
    path = folder / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        for name, columns in TABLES.items():
            frame = pl.DataFrame(columns).to_arrow()
            connection.register("frame", frame)
            connection.execute(f"create table {name} as from frame")
    return path


def test_the_example_of_the_guide_is_answered() -> None:
    found = shop()
    assert found.tables == ("customers", "orders", "items")
    assert found.person == "customers.id"
    assert found.adjacency is Adjacency.ADD_REMOVE
    assert found.columns == COLUMNS
    items = found.table("items")
    assert isinstance(items, Table)
    assert [*items.columns] == ["price", "kind", "day", "age"]
    books = items.where(kind="book").sum("price", epsilon=SURE)
    assert books.value == 12
    assert books.loss.unit == found.budget.unit == "customers.id"  # type: ignore[attr-defined]
    assert items.count(of="persons", epsilon=SURE).value == 2
    assert found.table("orders").count(of="persons", epsilon=SURE).value == 2
    assert found.table("customers").median("age", epsilon=SURE).value == 40
    assert dict(items.by("kind").count(of="persons", epsilon=SURE)) == {"book": 2, "toy": 1}


def test_every_table_charges_the_same_person(tmp_path: Path) -> None:
    ledger = Budget.open(tmp_path / "shop.db", epsilon=10, unit="customers.id")
    found = shop(budget=ledger)
    for name in found.tables:
        found.table(name).count(of="persons", epsilon=1)
    assert ledger.spent.epsilon == 3


def test_a_budget_of_rows_refuses_it() -> None:
    ledger = Budget(epsilon=10)
    Table(TABLES["items"], columns={"price": Number(0, 100)}, budget=ledger).count(epsilon=1)
    with pytest.raises(BudgetError, match="unit"):
        shop(budget=ledger).table("items").count(epsilon=1)
    assert ledger.spent.epsilon == 1


def test_columns_may_be_described_table_by_table() -> None:
    nested = {"items": {"price": COLUMNS["items.price"]}, "products": {"kind": COLUMNS["products.kind"]}}
    assert [*shop(columns=nested).table("items").columns] == ["price", "kind"]
    assert [*shop(columns={}).table("items").columns] == []
    assert shop(columns={}).table("items").count(of="persons", epsilon=SURE).value == 2


def test_what_it_is_called_tells_no_data(tmp_path: Path) -> None:
    assert repr(shop()) == "Database(customers, orders, items per customers.id)"
    assert repr(shop().table("items")) == "Table(items: price, kind, day, age per customers.id)"
    named = shop(name="shop")
    assert repr(named) == "Database(shop: customers, orders, items per customers.id)"
    assert named.table("items").count(of="persons", epsilon=1).note.endswith("per customers.id in items of shop")
    with shop(stored(tmp_path)) as found:
        assert repr(found.table("items")).startswith(f"Table(items of {tmp_path}")


def test_answers_are_remembered_for_the_same_links_alone(tmp_path: Path) -> None:
    ledger = Budget.open(tmp_path / "shop.db", epsilon=10, unit="customers.id", remember=True)
    first = shop(name="shop", budget=ledger).table("items").count(of="persons", epsilon=1)
    again = shop(name="shop", budget=ledger).table("items").count(of="persons", epsilon=1)
    assert again.value == first.value
    assert ledger.spent.epsilon == 1
    shop(name="shop", budget=ledger).table("orders").count(of="persons", epsilon=1)
    assert ledger.spent.epsilon == 2
    others = {**LINKS, "items.order": "orders.number"}
    tables = {**TABLES, "orders": {**TABLES["orders"], "number": [13, 12, 11, 10]}}
    shop(tables, name="shop", links=others, budget=ledger).table("items").count(of="persons", epsilon=1)
    assert ledger.spent.epsilon == 3


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"person": "id"}, "person must name a table and a column"),
        ({"person": "row"}, "person must name a table and a column"),
        ({"links": {"orders.customer": "customers.id"}}, 'not "items"'),
        ({"links": {**LINKS, "logs.product": "products.id"}}, 'from "logs" none leads to "customers"'),
        ({"links": {**LINKS, "items.buyer": "customers.id"}}, "items.order -> orders.customer -> customers and"),
        ({"links": {**LINKS, "customers.item": "items.id"}}, "links must never lead back"),
        ({"links": {**LINKS, "products.owner": "customers.id"}}, "a public table must link to public tables alone"),
        ({"public": []}, 'from "products" none leads to "customers"'),
        ({"columns": {**COLUMNS, "logs.day": Flag()}}, "columns must be of tables that person, links or public name"),
        ({"columns": {"price": Number(0, 1)}}, "columns must be by table and column"),
        ({"columns": {"items.price": 3}}, "columns must map names to Number"),
        ({"columns": [1]}, "columns must be by table and column"),
        ({"person_missing": "other"}, "person_missing must be one of 'drop', 'refuse'"),
        ({"adjacency": "edge"}, "adjacency must be one of"),
        ({"budget": 3}, "budget"),
        ({"name": 3}, "name must be one line of text"),
        ({"reading": FileReading(decimal=",")}, "reading is for files"),
        ({"data": {name: TABLES[name] for name in ("customers", "orders", "items")}}, "lacks 'products'"),
        ({"data": [1, 2]}, "data must be a DuckDB file, a folder"),
        ({"data": "nowhere.duckdb"}, "there is no 'nowhere.duckdb'"),
    ],
)
def test_what_is_said_wrongly_is_refused_before_data_are_read(
    given: dict[str, Any], shown: str, untouched: Budget, refused: "Refused"
) -> None:
    data = given.pop("data", dict.fromkeys(TABLES, object()))
    with refused(ParameterError, shown):
        shop(data, **{"budget": untouched} | given)


def test_tables_that_cannot_be_asked_are_refused(untouched: Budget, refused: "Refused") -> None:
    found = shop(budget=untouched)
    with refused(ParameterError, 'did you mean "items"'):
        found.table("item")
    with refused(ParameterError, '"products" is public'):
        found.table("products")


def test_tables_of_different_kinds_are_refused(untouched: Budget, refused: "Refused") -> None:
    mixed = {**TABLES, "orders": duckdb.connect().sql("select 1 as id, 2 as customer")}
    with refused(ParameterError, "data must be of one kind in all tables", "arrays, duckdb"):
        shop(mixed, budget=untouched).table("items").count(epsilon=1)


def test_relations_of_two_connections_are_refused(untouched: Budget, refused: "Refused") -> None:
    relations = {
        name: duckdb.connect().from_arrow(pl.DataFrame(columns).to_arrow()) for name, columns in TABLES.items()
    }
    with refused(ParameterError, "data must be relations of one connection"):
        shop(relations, budget=untouched).table("items").count(epsilon=1)


def test_columns_of_different_lengths_are_refused(untouched: Budget, refused: "Refused") -> None:
    short = {**TABLES, "orders": {**TABLES["orders"], "customer": [1, 1, 2]}}
    with refused(DataError, "equally many rows (orders)"):
        shop(short, budget=untouched).table("items").count(epsilon=1)


@pytest.mark.parametrize("keys", [[True, False, True, True], [b"a", b"b", b"a", b"a"], [1, "b", 2, 3], [object()] * 4])
def test_keys_must_be_numbers_texts_or_days(keys: list[Any], untouched: Budget, refused: "Refused") -> None:
    strange = {**TABLES, "orders": {**TABLES["orders"], "customer": keys}}
    with refused(DataError, "column 'orders.customer' and column 'customers.id'"):
        shop(strange, budget=untouched).table("items").count(epsilon=1)


@pytest.mark.parametrize("links", [{"items.odrer": "orders.id"}, {"items.order": "orders.number"}], ids=str)
@pytest.mark.parametrize("form", ["memory", "files", "stored"])
def test_links_that_do_not_exist_are_refused(
    links: dict[str, str], form: str, untouched: Budget, refused: "Refused", tmp_path: Path
) -> None:
    for name, columns in TABLES.items():
        pl.DataFrame(columns).write_parquet(tmp_path / f"{name}.parquet")
    data = {"memory": TABLES, "files": tmp_path}.get(form) or stored(tmp_path)
    others = {key: to for key, to in LINKS.items() if key != "items.order"}
    found = shop(data, links={**others, **links}, budget=untouched)
    word = "items.odrer" if "items.odrer" in links else "orders.number"
    with refused(ParameterError, f"links must name columns that are there; got '{word}'"):
        found.table("items").count(epsilon=1)
    found.close()


def test_days_and_wide_numbers_are_keys_too() -> None:
    days = np.array(["2020-01-01", "2020-01-02", "2020-01-03"], dtype="datetime64[D]")
    wide = np.array([2**63, 2**63 + 1, 5], dtype=np.uint64)
    for ids in (days, wide):
        tables = {**TABLES, "customers": {**TABLES["customers"], "id": ids}}
        tables["orders"] = {**TABLES["orders"], "customer": ids[[0, 0, 1, 1]]}
        assert shop(tables).table("items").count(of="persons", epsilon=SURE).value == 2
    tables["orders"] = {**TABLES["orders"], "customer": [5, 5, 5, 2]}
    assert shop(tables).table("items").count(of="persons", epsilon=SURE).value == 1


def test_a_row_without_a_person_makes_no_other_value_missing() -> None:
    """Its order has no day, but it is left out before that is asked for."""
    assert shop().table("items").where(day=3).sum("price", epsilon=SURE).value == 7


def test_a_database_file_is_read_only_kept_open_and_closed(tmp_path: Path, refused: "Refused") -> None:
    path = stored(tmp_path)
    with shop(path) as found:
        items = found.table("items")
        assert items.where(kind="book").sum("price", epsilon=SURE).value == 12
        with pytest.raises(duckdb.Error):
            found._data["items"].connection.execute("create table more as select 1")
        assert shop(path).table("items").count(of="persons", epsilon=SURE).value == 2
    with refused(EngineError, "the database is closed"):
        items.count(epsilon=1)
    assert duckdb.connect(str(path), read_only=True).sql("select count(*) from items").fetchone() == (6,)


def test_threads_may_ask_a_database_file_at_once(tmp_path: Path) -> None:
    with shop(stored(tmp_path)) as found:
        items, answers = found.table("items"), list[Any]()
        threads = [
            Thread(target=lambda: answers.append(items.where(kind="book").sum("price", epsilon=SURE).value))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert answers == [12] * 4


def test_a_database_file_is_checked_once_and_its_views_every_time(tmp_path: Path) -> None:
    path = stored(tmp_path)
    with duckdb.connect(str(path)) as connection:
        connection.execute("alter table customers rename to people; create view customers as from people")
    with shop(path) as found:
        found.table("items").count(of="persons", epsilon=1)
        assert {str(link.to) for link in found._checked} == {"orders.id"}


def test_files_that_are_no_database_are_refused(tmp_path: Path, refused: "Refused") -> None:
    (tmp_path / "shop.duckdb").write_text("no database")
    with refused(ParameterError, "'shop.duckdb' is no DuckDB file"):
        shop(tmp_path / "shop.duckdb")
    path = tmp_path / "own.duckdb"
    own = duckdb.connect(str(path))
    with refused(EngineError, "hand over the relations of that connection"):
        shop(path)
    own.close()
    with refused(ParameterError, "data must hold every declared table once"):
        shop(path)


def test_a_folder_has_one_file_for_each_table(tmp_path: Path, refused: "Refused") -> None:
    for name, columns in TABLES.items():
        pl.DataFrame(columns).write_csv(tmp_path / f"{name}.csv")
    (tmp_path / "orders.txt").write_text("not meant")
    assert shop(tmp_path).table("items").where(kind="book").sum("price", epsilon=SURE).value == 12
    pl.DataFrame(TABLES["orders"]).write_parquet(tmp_path / "orders.parquet")
    with refused(ParameterError, "for 'orders' there is more than one"):
        shop(tmp_path)
    (tmp_path / "orders.parquet").unlink()
    (tmp_path / "orders.csv").unlink()
    with refused(ParameterError, "for 'orders' there is none"):
        shop(tmp_path)


def test_workbooks_are_linked_to_workbooks_alone(tmp_path: Path, untouched: Budget, refused: "Refused") -> None:
    pytest.importorskip("openpyxl")
    paths = {name: tmp_path / f"{name}.json" for name in TABLES} | {"items": tmp_path / "items.xlsx"}
    for name, columns in TABLES.items():
        if name == "items":
            write_workbook(pl.DataFrame(columns), paths[name])
        else:
            pl.DataFrame(columns).write_json(paths[name])
    with refused(ParameterError, "data must be of one kind in all tables", "files, workbooks"):
        shop(paths, budget=untouched).table("items").count(epsilon=1)
    books = dict.fromkeys(TABLES, tmp_path / "items.x*")
    with refused(ParameterError, "tables that are linked must all be workbooks, or none", "items.xlsx"):
        shop(books, budget=untouched).table("items").count(epsilon=1)


def test_files_of_several_formats_are_linked(tmp_path: Path) -> None:
    frames = {name: pl.DataFrame(columns) for name, columns in TABLES.items()}
    frames["items"].write_json(tmp_path / "items.json")
    frames["orders"].write_json(tmp_path / "orders.json")
    frames["customers"].write_json(tmp_path / "customers.json")
    frames["products"].write_ipc(tmp_path / "products.arrow")
    assert shop(tmp_path).table("items").where(kind="book").sum("price", epsilon=SURE).value == 12


def test_how_files_are_written_is_said_for_all(tmp_path: Path) -> None:
    for name, columns in TABLES.items():
        pl.DataFrame(columns).write_csv(tmp_path / f"{name}.csv", separator="|", null_value="none")
    found = shop(tmp_path, reading=FileReading(delimiter="|", na=("none",)))
    assert found.table("items").where(kind="book").sum("price", epsilon=SURE).value == 12


WRITTEN = """\
data = "shop.duckdb"
adjacency = "add_remove"
person = "customers.id"
public = ["products"]

[links]
"orders.customer" = "customers.id"
"items.order" = "orders.id"
"items.product" = "products.id"

[columns.items.price]
kind = "number"
bounds = [0, 100]
step = 1

[columns.products.kind]
kind = "category"
values = ["book", "toy"]
"""


def test_a_file_says_it_all(tmp_path: Path) -> None:
    stored(tmp_path)
    (tmp_path / "shop.toml").write_text(WRITTEN)
    description = Description.read(tmp_path / "shop.toml")
    assert description.to_toml() == WRITTEN
    assert Description.parse(WRITTEN) == description
    dotted = WRITTEN.replace('"orders.customer"', "orders.customer").replace(".items.price", '."items.price"')
    assert Description.parse(dotted) == description
    found = dampen.open(tmp_path / "shop.toml", budget=Budget(epsilon=10**6))
    assert isinstance(found, Database)
    assert found.table("items").where(kind="book").sum("price", epsilon=SURE).value == 12
    assert repr(found) == "Database(shop.duckdb: customers, orders, items per customers.id)"


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("[links]", "[lines]", "knows no key"),
        ('"orders.customer" = "customers.id"\n', "", "every table must lead to the person"),
        ('person = "customers.id"\n', "", "person must name a table and a column"),
        ("[columns.items.price]", "[columns.item.price]", "columns must be of tables that person, links or public"),
        ('adjacency = "add_remove"', 'engine = "duckdb"', "engine must be left out of a description with links"),
        ('public = ["products"]', "public = 3", "public must be a list"),
    ],
)
def test_a_file_that_is_wrong_is_refused(old: str, new: str, shown: str, refused: "Refused") -> None:
    with refused(ParameterError, shown):
        Description.parse(WRITTEN.replace(old, new))


def test_one_table_and_several_are_not_mistaken(untouched: Budget, refused: "Refused") -> None:
    several, one = Description.parse(WRITTEN), Description({"pay": Number(0, 1)}, data="staff.csv")
    with refused(ParameterError, "table must be named", '"customers", "orders", "items"'):
        table_of(several, untouched)
    with refused(ParameterError, "engine must be left out"):
        table_of(several, untouched, engine="duckdb", table="items")
    with refused(ParameterError, "table must be left out"):
        table_of(one, untouched, table="items")
    with refused(ParameterError, "tells of one table"):
        database_of(one, untouched)
