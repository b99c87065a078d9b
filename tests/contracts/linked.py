"""Small databases of customers, orders, items and products with every fault of keys, and their judge: plain loops."""

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import polars as pl
import pytest

from tests.contracts.engines import spark_session

LINKS = {"orders.customer": "customers.id", "items.order": "orders.id", "items.product": "products.id"}
PUBLIC = ["products"]
FORMS = ("arrays", "polars", "pandas", "relation", "stored", "parquet", "csv", "parts", "json", "arrow", "xlsx", "ibis")
"""All that several tables may be handed over as, but for Spark, whose tests are ``long``."""
Row = dict[str, Any]
Tables = dict[str, list[Row]]
SCHEMAS = {
    "customers": ("id", "age"),
    "orders": ("id", "customer", "day"),
    "items": ("order", "product", "price"),
    "products": ("id", "kind"),
}


def random_tables(seed: int, *, texts: bool = False, faults: bool = True) -> Tables:
    """Few rows, few keys. With faults keys are missing, lead nowhere, and in some databases occur twice."""
    rng = Random(seed)
    sure = not faults
    twice = faults and rng.random() < 0.3

    def key(among: list[int]) -> Any:
        lost = [] if sure else [None, 99]
        found = rng.choice([*among, *among, *lost] or [None])
        return f"k{found}" if texts and found is not None else rng.choice(["", "  ", None]) if texts else found

    def ids(count: int) -> list[int]:
        return [rng.randrange(count) for _ in range(count)] if twice else rng.sample(range(2 * count), count)

    people, orders, products = ids(rng.randint(sure, 4)), ids(rng.randint(sure, 5)), ids(rng.randint(1, 3))
    named = (lambda number: f"k{number}") if texts else (lambda number: number)
    gap: list[Any] = [] if sure else [{"id": None}]
    return {
        "customers": [{"id": named(n), "age": rng.randint(0, 9)} for n in people] + [{**g, "age": 5} for g in gap],
        "orders": [{"id": named(n), "customer": key(people), "day": rng.randint(0, 9)} for n in orders]
        + [{**g, "customer": key(people), "day": 3} for g in gap],
        "items": [
            {"order": key(orders), "product": key(products), "price": rng.randint(0, 50)}
            for _ in range(rng.randint(1, 12))
        ],
        "products": [{"id": named(n), "kind": rng.choice(["book", "toy"])} for n in products],
    }


def is_gone(key: Any) -> bool:
    return key is None or (isinstance(key, str) and not key.strip())


def find(rows: list[Row], key: Any) -> Row:
    """The row that a key names; one without values where there is none."""
    found = [] if is_gone(key) else [row for row in rows if row["id"] == key]
    assert len(found) < 2
    return found[0] if found else dict.fromkeys(("id", "customer", "kind"))


def has_twice(tables: Tables, *names: str) -> bool:
    held = {name: [row["id"] for row in tables[name] if not is_gone(row["id"])] for name in names}
    return any(len(set(keys)) < len(keys) for keys in held.values())


@dataclass(frozen=True)
class ItemRow:
    """A row of the items, with its person and kind; ``None`` where it has none."""

    person: Any
    kind: Any
    price: int


def items_by_hand(tables: Tables) -> list[ItemRow]:
    """Row by row, link by link."""
    found = []
    for item in tables["items"]:
        customer = find(tables["customers"], find(tables["orders"], item["order"])["customer"])
        kind = find(tables["products"], item["product"])["kind"]
        found.append(ItemRow(None if is_gone(customer["id"]) else str(customer["id"]), kind, item["price"]))
    return found


def frames_of(tables: Tables, *, texts: bool = False) -> dict[str, pl.DataFrame]:
    keys = pl.String if texts else pl.Int64
    kinds = {"price": pl.Int64, "age": pl.Int64, "day": pl.Int64, "kind": pl.String}
    return {
        name: pl.DataFrame(rows, schema={column: kinds.get(column, keys) for column in SCHEMAS[name]})
        for name, rows in tables.items()
    }


def lying(frames: dict[str, pl.DataFrame], form: str, folder: Path) -> Any:
    """The tables in one of FORMS, or as data frames of Spark."""
    if form == "arrays":
        return {name: frame.to_dict(as_series=False) for name, frame in frames.items()}
    if form == "polars":
        return frames
    if form == "pandas":
        return {name: frame.to_pandas() for name, frame in frames.items()}
    if form in ("csv", "parts"):
        return _write_parts(frames, folder) if form == "parts" else _write_texts(frames, folder)
    if form in ("json", "arrow", "xlsx"):
        return _write_others(frames, form, folder)
    for name, frame in frames.items():
        frame.write_parquet(folder / f"{name}.parquet")
    paths = {name: str(folder / f"{name}.parquet") for name in frames}
    if form == "stored":
        with duckdb.connect(str(folder / "shop.duckdb")) as connection:
            for name, path in paths.items():
                connection.execute(f"create table {name} as from read_parquet('{path}')")
        return folder / "shop.duckdb"
    if form == "relation":
        own = duckdb.connect()
        return {name: own.read_parquet(path) for name, path in paths.items()}
    if form == "ibis":
        backend = pytest.importorskip("ibis").duckdb.connect()
        return {name: backend.read_parquet(path) for name, path in paths.items()}
    if form == "spark":
        return {name: spark_session().read.parquet(path) for name, path in paths.items()}
    return paths


def _write_texts(frames: dict[str, pl.DataFrame], folder: Path) -> Path:
    for name, frame in frames.items():
        frame.write_csv(folder / f"{name}.csv", separator=";" if name == "orders" else ",")
    return folder


def _write_others(frames: dict[str, pl.DataFrame], form: str, folder: Path) -> Path:
    for name, frame in frames.items():
        path = folder / f"{name}.{form}"
        if form == "json":
            frame.write_json(path)
        elif form == "arrow":
            frame.write_ipc(path)
        else:
            pytest.importorskip("openpyxl")
            write_workbook(frame, path)
    return folder


def write_workbook(frame: pl.DataFrame, path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    for row in [tuple(frame.columns), *frame.iter_rows()]:
        book.active.append(row)
    book.save(path)


def _write_parts(frames: dict[str, pl.DataFrame], folder: Path) -> Path:
    """Every table in two files, in a folder of its own."""
    for name, frame in frames.items():
        (folder / name).mkdir()
        half = len(frame) // 2
        frame[:half].write_parquet(folder / name / "a.parquet")
        frame[half:].write_parquet(folder / name / "b.parquet")
    return folder
