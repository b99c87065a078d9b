"""Linked tables, wherever they lie: every row finds the person that plain loops find, and bad keys are refused."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from dampen import Budget, Category, Database, Number
from dampen.errors import DataError, ParameterError
from dampen.tables.engines import Source, open_engine
from dampen.tables.engines.base import PersonAsk, RowForm
from dampen.tables.people_counts import person_shares
from tests.contracts.engines import SPARK
from tests.contracts.linked import (
    FORMS,
    LINKS,
    PUBLIC,
    Tables,
    frames_of,
    has_twice,
    is_gone,
    items_by_hand,
    lying,
    random_tables,
)
from tests.contracts.people_by_hand import shares_by_hand, told

if TYPE_CHECKING:
    from tests.conftest import Refused

BRIEF = ("arrays", "relation", "parquet", "ibis")
EVERY: list[Any] = [*(form if form in BRIEF else pytest.param(form, marks=pytest.mark.long) for form in FORMS), SPARK]


def without(*forms: str) -> list[Any]:
    return [form for form in EVERY if getattr(form, "values", [form])[0] not in forms]


TYPED = without("csv", "json")
"""Where columns have a type; keys of the others are compared as they are written."""
COUNTED = ("arrays", "relation", "stored", "csv", "ibis", SPARK)
"""Whose totals per person are counted here; the rows of all others are looked at."""
PERSON = "customers.id"
WHOLE: Tables = {
    "customers": [{"id": 1, "age": 30}, {"id": 2, "age": 40}],
    "orders": [{"id": 10, "customer": 1, "day": 1}, {"id": 11, "customer": 2, "day": 2}],
    "items": [
        {"order": 10, "product": 5, "price": 7},
        {"order": 10, "product": 6, "price": 8},
        {"order": 11, "product": 5, "price": 9},
    ],
    "products": [{"id": 5, "kind": "book"}, {"id": 6, "kind": "toy"}],
}


def database(data: Any, budget: Any = None, *, missing: str = "drop", kinds: str = "drop") -> Database:
    return Database(
        data, person=PERSON, links=LINKS, public=PUBLIC, person_missing=missing,
        columns={"items.price": Number(0, 100), "products.kind": Category("book", "toy", missing=kinds)},
        budget=Budget(epsilon=100) if budget is None else budget,
    )  # fmt: skip


def joined_rows(data: Any, *names: str) -> "Counter[tuple[Any, ...]]":
    """All rows of the items, as texts; nothing where a value is missing."""
    with database(data) as shop:
        source = Source(shop.table("items").view.data)
        with open_engine(source, *names) as engine:
            found = engine.rows(dict.fromkeys(names, RowForm.AS_IT_IS))
    return Counter(zip(*(map(_as_text, found[name]) for name in names), strict=True))


def _as_text(value: Any) -> str | None:
    """A whole number is one also where a library holds it as a float, since others are missing."""
    if is_gone(value) or value != value:
        return None
    return str(int(value) if isinstance(value, float) else value).strip()  # numbers of JSON have blanks before them


def try_all(form: str, seeds: range, folder: Path) -> Counter[str]:
    """Random databases, held against the judge; how many were joined, and how many refused."""
    seen: Counter[str] = Counter()
    for seed in seeds:
        texts = seed % 2 == 1
        tables = random_tables(seed, texts=texts)
        (place := folder / str(seed)).mkdir()
        data = lying(frames_of(tables, texts=texts), form, place)
        if has_twice(tables, "customers", "orders", "products"):
            with pytest.raises(DataError, match="must hold each value once"):
                joined_rows(data, PERSON, "kind", "price")
            seen["refused"] += 1
            continue
        wanted = Counter((row.person, row.kind, str(row.price)) for row in items_by_hand(tables))
        assert joined_rows(data, PERSON, "kind", "price") == wanted, seed
        seen["lost"] += any(person is None for person, _, _ in wanted)
        seen["joined"] += 1
    return seen


@pytest.mark.parametrize("form", FORMS)
def test_every_row_has_the_person_that_loops_find(form: str, tmp_path: Path) -> None:
    seen = try_all(form, range(7), tmp_path)
    assert min(seen["refused"], seen["lost"], seen["joined"]) > 0


@pytest.mark.long
@pytest.mark.parametrize("form", [*FORMS, "spark"])
def test_many_random_databases_are_joined_as_by_loops(form: str, tmp_path: Path) -> None:
    seen = try_all(form, range(100, 112 if form == "spark" else 300), tmp_path)
    assert min(seen["refused"], seen["lost"], seen["joined"]) > 1


@pytest.mark.parametrize("form", COUNTED)
def test_totals_of_persons_through_links_are_those_by_loops(form: str, tmp_path: Path) -> None:
    tried = 0
    for seed in range(40, 46):
        tables = random_tables(seed, texts=seed % 2 == 1)
        if has_twice(tables, "customers", "orders", "products"):
            continue
        (place := tmp_path / str(seed)).mkdir()
        with database(lying(frames_of(tables, texts=seed % 2 == 1), form, place)) as shop:
            view = shop.table("items").where(kind="book").view
            ask = PersonAsk(PERSON, caps=(1, 2, 4))
            found = person_shares(view.person_source(), ask)
        rows = [(row.person, (), 1) for row in items_by_hand(tables) if row.kind == "book"]
        assert told(found) == shares_by_hand(rows, ask.caps), seed
        tried += 1
    assert tried > 2


@pytest.mark.parametrize("form", EVERY)
def test_only_tables_that_are_needed_are_joined(form: str, tmp_path: Path) -> None:
    """A table that a question does not need may hold anything."""
    products = [{"id": 5, "kind": "book"}, {"id": 5, "kind": "toy"}]
    data = lying(frames_of({**WHOLE, "products": products}), form, tmp_path)
    assert joined_rows(data, PERSON) == {("1",): 2, ("2",): 1}
    with pytest.raises(DataError, match=r"column 'products.id' must hold each value once"):
        joined_rows(data, PERSON, "kind")


@pytest.mark.parametrize("form", EVERY)
@pytest.mark.parametrize("table", ["customers", "orders", "products"])
def test_a_key_that_occurs_twice_is_refused_before_anything_is_paid(
    form: str, table: str, tmp_path: Path, untouched: Budget, refused: "Refused"
) -> None:
    """Even where no row names it."""
    more = {"id": 77, "customer": 1, "day": 7, "age": 9, "kind": "toy"}
    row = {name: more[name] for name in WHOLE[table][0]}
    data = lying(frames_of({**WHOLE, table: [*WHOLE[table], row, row]}), form, tmp_path)
    with (
        database(data, untouched) as shop,
        refused(DataError, f"column '{table}.id' must hold each value once", hidden=("77",)),
    ):
        shop.table("items").where(kind="toy").sum("price", epsilon=1)


@pytest.mark.parametrize("form", EVERY)
@pytest.mark.parametrize(
    ("table", "row", "link"),
    [
        ("items", {"order": 99, "product": 5, "price": 1}, "items.order"),
        ("items", {"order": None, "product": 5, "price": 1}, "items.order"),
        ("orders", {"id": 12, "customer": 99, "day": 1}, "orders.customer"),
        ("orders", {"id": 12, "customer": None, "day": 1}, "orders.customer"),
    ],
)
def test_rows_without_a_person_are_refused_where_none_may_be(
    form: str, table: str, row: dict[str, Any], link: str, tmp_path: Path, untouched: Budget, refused: "Refused"
) -> None:
    data = lying(frames_of({**WHOLE, table: [*WHOLE[table], row]}), form, tmp_path)
    with (
        database(data, untouched, missing="refuse") as shop,
        refused(DataError, f"column '{link}' must name a row of", hidden=("99",)),
    ):
        shop.table("items").count(epsilon=1)


@pytest.mark.parametrize("form", EVERY)
@pytest.mark.parametrize("key", [99, None])
def test_a_key_that_names_nothing_public_is_a_missing_value(
    form: str, key: Any, tmp_path: Path, untouched: Budget, refused: "Refused"
) -> None:
    lost = {"order": 10, "product": key, "price": 50}
    data = lying(frames_of({**WHOLE, "items": [*WHOLE["items"], lost]}), form, tmp_path)
    with (
        database(data, untouched, kinds="refuse") as shop,
        refused(DataError, "column 'kind' must have no missing values"),
    ):
        shop.table("items").by("kind").count(epsilon=1)
    assert joined_rows(data, PERSON, "kind")["1", None] == 1


@pytest.mark.parametrize("form", TYPED)
def test_keys_of_different_kinds_are_refused(form: str, tmp_path: Path, untouched: Budget, refused: "Refused") -> None:
    frames = frames_of(WHOLE)
    frames["orders"] = frames["orders"].with_columns(pl.col("customer").cast(pl.String))
    with (
        database(lying(frames, form, tmp_path), untouched) as shop,
        refused(DataError, "column 'orders.customer' and column 'customers.id'", "both hold numbers"),
    ):
        shop.table("items").count(epsilon=1)


@pytest.mark.parametrize("form", TYPED)
@pytest.mark.parametrize("kind", [pl.Float64, pl.Int8, pl.UInt64, pl.Decimal(12, 0)])
def test_numbers_of_different_types_are_one_number(form: str, kind: Any, tmp_path: Path) -> None:
    """A column of whole numbers in which some are missing is often one of floats."""
    frames = frames_of(WHOLE)
    frames["orders"] = frames["orders"].with_columns(pl.col("customer").cast(kind))
    assert joined_rows(lying(frames, form, tmp_path), PERSON) == {("1",): 2, ("2",): 1}


@pytest.mark.parametrize("form", TYPED)
def test_floats_that_are_no_whole_numbers_name_no_row(form: str, tmp_path: Path) -> None:
    frames = frames_of(WHOLE)
    near = pl.Series("customer", [1.5, float("nan")], dtype=pl.Float64)
    frames["orders"] = frames["orders"].with_columns(near)
    assert joined_rows(lying(frames, form, tmp_path), PERSON) == {(None,): 3}


@pytest.mark.parametrize("form", without("csv", "xlsx"))
def test_large_keys_are_never_rounded(form: str, tmp_path: Path) -> None:
    large = 2**53
    tables: Tables = {
        **WHOLE,
        "customers": [{"id": large, "age": 1}, {"id": large + 1, "age": 1}],
        "orders": [{"id": 10, "customer": large + 1, "day": 1}, {"id": 11, "customer": large, "day": 1}],
    }
    assert joined_rows(lying(frames_of(tables), form, tmp_path), PERSON) == {(str(large + 1),): 2, (str(large),): 1}


@pytest.mark.parametrize("form", without("json"))
def test_columns_that_are_not_there_are_refused(form: str, tmp_path: Path, untouched: Budget) -> None:
    data = lying({**frames_of(WHOLE), "orders": frames_of(WHOLE)["orders"].drop("customer")}, form, tmp_path)
    named = "links must name columns that are there; got 'orders.customer'"
    with database(data, untouched) as shop, pytest.raises(ParameterError, match=named):
        shop.table("items").count(epsilon=1)
