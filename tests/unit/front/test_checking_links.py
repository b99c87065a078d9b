"""``check`` of several tables: which table, column or link breaks which rule, and nothing else."""

from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from dampen import Category, Number, Text
from dampen.describe.description import Description
from dampen.front.checking import check
from tests.contracts.linked import write_workbook

HIDDEN = ("4711", "secret", "4712")
TABLES: dict[str, dict[str, list[Any]]] = {
    "customers": {"id": [1, 2, 4711]},
    "orders": {"id": [10, 11], "customer": [1, 4711]},
    "items": {"order": [10, 11], "product": ["a", "secret"], "price": [5, 20], "remark": ["x", "secret"]},
    "products": {"id": ["a", "secret"], "kind": ["book", "toy"], "maker": ["m", "m"]},
    "makers": {"id": ["m"], "size": [3]},
}
LINKS = {
    "orders.customer": "customers.id",
    "items.order": "orders.id",
    "items.product": "products.id",
    "products.maker": "makers.id",
}
COLUMNS: dict[str, Any] = {
    "items.price": Number(0, 100),
    "items.remark": Text(),
    "products.kind": Category("book", "toy"),
    "makers.size": Number(0, 9),
}
FORMS = ("parquet", "csv", "json", "duckdb", "xlsx")
EVERY: list[Any] = ["parquet", *(pytest.param(form, marks=pytest.mark.long) for form in FORMS[1:])]


def lying(tables: dict[str, dict[str, list[Any]]], form: str, folder: Path) -> str:
    frames = {name: pl.DataFrame(columns, strict=False) for name, columns in tables.items()}
    if form == "duckdb":
        with duckdb.connect(str(folder / "shop.duckdb")) as connection:
            for name, frame in frames.items():
                connection.register("frame", frame.to_arrow())
                connection.execute(f"create table {name} as from frame")
        return str(folder / "shop.duckdb")
    for name, frame in frames.items():
        path = folder / f"{name}.{form}"
        if form == "xlsx":
            pytest.importorskip("openpyxl")
            write_workbook(frame, path)
        else:
            getattr(frame, f"write_{form}")(path)
    return str(folder)


def told(
    folder: Path, changed: dict[str, dict[str, list[Any]]] | None = None, form: str = "parquet", **more: Any
) -> list[str]:
    tables = {name: {**columns, **(changed or {}).get(name, {})} for name, columns in TABLES.items()}
    given: dict[str, Any] = {"person": "customers.id", "links": LINKS, "public": ["products", "makers"]}
    found = Description(more.pop("columns", COLUMNS), data=lying(tables, form, folder), **given | more)
    sentences = check(found)
    for sentence in sentences:
        assert len(sentence.splitlines()) == 1
        assert not [part for part in HIDDEN if part in sentence], sentence
    return sentences


@pytest.mark.parametrize("form", EVERY)
def test_nothing_is_said_where_all_is_well(form: str, tmp_path: Path) -> None:
    assert told(tmp_path, form=form) == []
    (tmp_path / "refuse").mkdir()
    assert told(tmp_path / "refuse", form=form, person_missing="refuse") == []


BROKEN: dict[str, tuple[dict[str, dict[str, list[Any]]], list[str]]] = {
    "a value": (
        {"items": {"price": ["5", "secret"]}, "products": {"kind": ["book", None]}},
        [
            "column 'items.price' must hold only numbers",
            "column 'products.kind' must have no missing values, or missing = \"drop\" in its description",
        ],
    ),
    "a unit": (
        {"items": {"price": [4711, 4712]}},
        ["column 'items.price' must have values between its bounds: all lie outside; is its unit another one?"],
    ),
    "a key twice": (
        {"customers": {"id": [1, 4711, 4711]}},
        ["column 'customers.id' must hold each value once: by orders.customer a row would belong to two"],
    ),
    "two kinds": (
        {"orders": {"customer": ["1", "4711"]}},
        [
            "column 'orders.customer' and column 'customers.id' must both hold numbers, both texts or both days, "
            "to be linked"
        ],
    ),
    "a public key that names no row": (
        {"items": {"product": ["a", "4711"]}},
        [
            "column 'items.product' must name a row of 'products' in every row, "
            'or missing = "drop" in the description of products.kind, makers.size'
        ],
    ),
    "several": (
        {"customers": {"id": [1, 1, 4711]}, "products": {"id": ["a", "a"]}, "items": {"price": ["x", "5"]}},
        [
            "column 'items.price' must hold only numbers",
            "column 'customers.id' must hold each value once: by orders.customer a row would belong to two",
            "column 'products.id' must hold each value once: by items.product a row would belong to two",
        ],
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_breaks_which_rule(name: str, tmp_path: Path) -> None:
    changed, sentences = BROKEN[name]
    assert told(tmp_path, changed) == sentences


@pytest.mark.parametrize("form", ["duckdb", *(form for form in EVERY[1:] if form.values != ("duckdb",))])
def test_wherever_the_tables_lie(form: str, tmp_path: Path) -> None:
    changed, sentences = BROKEN["several"]
    assert told(tmp_path, changed, form) == sentences


def test_a_row_may_lack_a_person_or_not(tmp_path: Path) -> None:
    lost: dict[str, dict[str, list[Any]]] = {"orders": {"customer": [1, 4712]}, "customers": {"id": [1, None, 2]}}
    assert told(tmp_path, lost) == []
    assert told(tmp_path, lost, person_missing="refuse") == [
        "column 'customers.id' must have no missing values, or person_missing = \"drop\"",
        "column 'orders.customer' must name a row of 'customers' in every row, or person_missing = \"drop\"",
    ]


def test_columns_beyond_a_public_link_may_be_missing(tmp_path: Path) -> None:
    columns = {"products.kind": Category("book", "toy", missing="drop"), "makers.size": Number(0, 9, missing="drop")}
    assert told(tmp_path, {"items": {"product": ["a", "4711"]}}, columns=columns) == []


@pytest.mark.parametrize("form", EVERY[:2])
def test_columns_that_are_not_there_are_told_each(form: str, tmp_path: Path) -> None:
    links = {**LINKS, "orders.buyer": LINKS["orders.customer"]}
    del links["orders.customer"]
    sentences = told(tmp_path, form=form, links=links, columns={**COLUMNS, "makers.sise": Number(0, 9)})
    assert len(sentences) == 2
    assert "makers" in sentences[0]
    assert "'sise'" in sentences[0]
    assert "orders" in sentences[1]
    assert "'orders.buyer'" in sentences[1]
