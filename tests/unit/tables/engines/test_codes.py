"""Declared values of every type find their places, whatever their order."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dampen.tables.engines import CodedTable, Labels, open_engine
from tests.contracts.engines import lying

ROWS: dict[str, list[Any]] = {
    "n": [3, 4, 5, 7, 5, 3],
    "x": [0.5, 0.1, 0.5, 2.0, 0.1, 0.1],
    "s": ["b", "a", "b", "c", "a", "b"],
    "y": [0] * 6,
    "m": [1, 0, 2, 1, 1, 0],
}


@pytest.mark.parametrize("form", ["arrays", "polars", "csv", "parquet", "loaded", "relation", "ibis"])
@pytest.mark.parametrize(
    ("column", "labels"),
    [
        ("n", Labels((3, 4, 5, 7))),
        ("n", Labels((7, 3, 5, 4))),
        ("n", Labels((3, 4, 5), other=1)),
        ("n", Labels((5, 4), other=0)),
        ("m", Labels((0, 1, 2))),
        ("m", Labels((1, 0, 2))),
        ("x", Labels((2.0, 0.5, 0.1))),
        ("s", Labels(("c", "b"), other=1)),
    ],
    ids=["shifted", "permuted", "in a row", "few", "as they are", "swapped", "floats", "texts"],
)
def test_places_of_values(form: str, column: str, labels: Labels, tmp_path: Path) -> None:
    if form == "csv" and column == "x":
        pytest.skip("a float may be written in several ways")
    wanted: list[Any] = [
        labels.values.index(value) if value in labels.values else labels.other for value in ROWS[column]
    ]
    with open_engine(lying(pl.DataFrame(ROWS), form, tmp_path), column, "y") as engine:
        counts = engine.contingency(CodedTable({column: labels}, "y", Labels((0,))))
    assert counts[0, :, 0].tolist() == [wanted.count(place) for place in range(labels.size)]
