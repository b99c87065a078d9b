"""Fits to tables with a person: every engine counts the votes that loops do, and learns what they say.

So it does of rows, for the models that are drawn from whole rows: scorecards and joint models.
"""

from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

from dampen import Budget, Category, Number, Table
from dampen.errors import ParameterError
from dampen.tables.engines import Bins, CodedTable, Labels, Source, open_engine
from dampen.tables.vote_cells import count_votes
from tests.contracts.engines import EVERY, lying
from tests.contracts.people_by_hand import Row, shares_by_hand
from tests.estimators import small

SURE = 10**6
COLUMNS: dict[str, Any] = {
    "age": Number(0, 100, bins=4),
    "job": Category("office", "field"),
    "leaves": Category("no", "yes"),
}
CODED = CodedTable(
    {"age": Bins(0, 100, (25.0, 50.0, 75.0)), "job": Labels(("office", "field"))}, "leaves", Labels(("no", "yes"))
)
SEEN = {"age": [20, 80], "job": ["field", "field"]}
MODELS: dict[str, tuple[str, dict[str, str]]] = {
    "table": ("PrivateClassifier", {"kind": "table"}),
    "joint": ("PrivateClassifier", {"kind": "joint"}),
    "scorecard": ("PrivateScorecard", {}),
    "tree": ("PrivateTreeClassifier", {}),
    "forest": ("PrivateForestClassifier", {}),
}


def random_rows(seed: str, rows: int = 80) -> pl.DataFrame:
    """Few persons have most rows, and some rows have nobody."""
    rng = Random(seed)
    return pl.DataFrame(
        {
            "who": pl.Series(rng.choices(["ann", "Ann", "bob", "7", "cy", None], (9, 1, 4, 3, 1, 2), k=rows)),
            "age": pl.Series([rng.uniform(0, 100) for _ in range(rows)]),
            "job": rng.choices(["office", "field"], k=rows),
            "leaves": rng.choices(["no", "yes"], k=rows),
        }
    )


def crowd() -> pl.DataFrame:
    """Forty people with one row each, who leave if young; one old person with two hundred leaves in all of them."""
    rows: list[tuple[Any, ...]] = [
        (f"p{i}", 20.0 if i % 2 else 80.0, "field" if i % 3 else "office", "yes" if i % 2 else "no") for i in range(40)
    ]
    rows += [("heavy", 80.0, "field", "yes")] * 200
    return pl.DataFrame(rows, schema=["who", "age", "job", "leaves"], orient="row")


def votes_by_hand(frame: pl.DataFrame, bits: int) -> dict[tuple[int, ...], int]:
    rows: list[Row] = [
        (who, (min(int(age // 25), 3), ("office", "field").index(job), ("no", "yes").index(leaves)), 1)
        for who, age, job, leaves in frame.iter_rows()
    ]
    return {cell: weight for cell, (weight,) in shares_by_hand(rows, (1,), bits).weights.items()}


def votes_agree(form: str, folder: Path) -> None:
    frame = random_rows(form)
    for bits in (12,) if form == "spark" else (2, 12):
        with open_engine(lying(frame, form, folder)) as engine:
            found = count_votes(engine, "who", CODED, bits)
        places = zip(*(codes.tolist() for codes in (*found.codes, found.classes)), strict=True)
        assert dict(zip(places, found.weights.tolist(), strict=True)) == votes_by_hand(frame, bits)


def fit(form: str, folder: Path, model: str, *, person: str | None = "who") -> Any:
    name, own = MODELS[model]
    data = lying(crowd(), form, folder)
    table = Table(
        data.data if isinstance(data, Source) else data, columns=COLUMNS, budget=Budget(epsilon=10**9), person=person
    )
    return small(name, SURE, expected_records=100, structure=3, max_depth=2, **own).fit(table, "leaves")


@pytest.mark.parametrize("form", EVERY)
def test_votes_of_random_tables(form: str, tmp_path: Path) -> None:
    votes_agree(form, tmp_path)


@pytest.mark.parametrize("model", ["table", "joint", "scorecard", "tree"])
@pytest.mark.parametrize("form", EVERY)
def test_a_person_has_one_vote_whatever_the_rows(form: str, model: str, tmp_path: Path) -> None:
    made = fit(form, tmp_path, model)
    assert made.predict(SEEN).tolist() == ["yes", "no"]
    assert made.terms_["unit"] == "who"


@pytest.mark.parametrize("model", ["joint", "scorecard"])
@pytest.mark.parametrize("form", EVERY)
def test_by_row_the_heavy_person_decides(form: str, model: str, tmp_path: Path) -> None:
    assert fit(form, tmp_path, model, person=None).predict(SEEN).tolist() == ["yes", "yes"]


def test_by_row_the_heavy_person_decides_in_a_table(tmp_path: Path) -> None:
    assert fit("ibis", tmp_path, "table", person=None).predict(SEEN).tolist() == ["yes", "yes"]


@pytest.mark.parametrize("form", ["relation", "ibis"])
def test_a_forest_takes_rows_that_leave(form: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="takes rows in memory or files"):
        fit(form, tmp_path, "forest")


def test_spark_in_one_session(tmp_path: Path) -> None:
    """The joint model of persons and the scorecard of rows: between them they ask for all that either does."""
    votes_agree("spark", tmp_path)
    assert fit("spark", tmp_path, "joint").predict(SEEN).tolist() == ["yes", "no"]
    assert fit("spark", tmp_path, "scorecard", person=None).predict(SEEN).tolist() == ["yes", "yes"]
