"""Data sets: the catalogue, where files are looked for, what is checked; and the real files where they are at hand."""

import dataclasses
import hashlib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import pytest

from dampen import datasets
from dampen.datasets import CATALOGUE, Dataset, Description, loading
from dampen.errors import DataError, ParameterError
from dampen.graphs.graph import Graph
from dampen.tables import count_on_grid

if TYPE_CHECKING:
    from tests.conftest import Refused, RunPython

LOADERS = {
    "adult": datasets.load_adult,
    "adult_clean": lambda **arguments: datasets.load_adult(clean=True, **arguments),
    **{name: getattr(datasets, f"load_{name}") for name in CATALOGUE if hasattr(datasets, f"load_{name}")},
    **{
        name: lambda name=name, **arguments: datasets.load_dpbench(name, **arguments)
        for name in ("PATENT", "HEPTH", "INCOME")
    },
}
REAL = os.environ.get("DAMPEN_DATA")
needs_data = pytest.mark.skipif(not REAL, reason="DAMPEN_DATA does not name a folder of the real data sets")

COLOURS = Description(
    "colours",
    "colours/colours.parquet",
    3,
    {"name": "category", "share": "real", "count": "whole"},
    "nowhere",
    "none",
    "",
)
ROWS = "('red', 0.5::double, 1), ('blue', 0.25, 2), ('green', 0.25, 3)"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder, and no other in reach."""
    monkeypatch.setenv("DAMPEN_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "data"


def place(file: Path, rows: str = ROWS, columns: str = "name, share, count") -> Description:
    file.parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as connection:
        connection.execute(f"copy (select * from (values {rows}) t({columns})) to '{file}' (format parquet)")
    return dataclasses.replace(COLOURS, sha256=hashlib.sha256(file.read_bytes()).hexdigest())


def test_every_data_set_has_a_loader_and_a_whole_description() -> None:
    assert LOADERS.keys() == CATALOGUE.keys()
    assert len({known.sha256 for known in CATALOGUE.values()}) == len(CATALOGUE)
    for name, known in CATALOGUE.items():
        assert known.name == name
        assert known.rows > 0
        assert set(known.columns.values()) <= {"whole", "real", "category"}
        assert len(known.sha256) == 64
        assert known.source
        assert known.licence


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_data_set_that_is_not_here_says_where_to_get_it(name: str, folder: Path, refused: "Refused") -> None:
    known = CATALOGUE[name]
    with refused(ParameterError, name, known.source, known.file, "DAMPEN_DATA", ".cache/dampen", "docs/datasets.md"):
        LOADERS[name]()


def test_a_table_is_a_mapping_of_read_only_columns(folder: Path) -> None:
    known = place(folder / COLOURS.file)
    table = loading.load_table(known)
    assert isinstance(table, Dataset)
    assert list(table) == ["name", "share", "count"]
    assert table["name"].tolist() == ["red", "blue", "green"]
    assert {name: column.dtype.kind for name, column in table.items()} == {"name": "O", "share": "f", "count": "i"}
    assert (len(table), table.rows, table.description) == (3, 3, known)
    assert repr(table) == "Dataset('colours', 3 rows, 3 columns)"
    assert pd.DataFrame(dict(table)).shape == (3, 3)
    assert count_on_grid(table, range(5), column="count").n == 3
    for column in table.values():
        with pytest.raises(ValueError, match="read-only"):
            column[0] = column[1]


def test_the_named_folder_comes_before_the_cache(folder: Path, tmp_path: Path, refused: "Refused") -> None:
    cached = tmp_path / "cache" / "dampen" / COLOURS.file
    in_cache = place(cached, ROWS.replace("red", "black"))
    assert loading.load_table(in_cache)["name"][0] == "black"
    named = place(folder / COLOURS.file)
    assert loading.load_table(named)["name"][0] == "red"
    with refused(DataError, "colours.parquet", "checksum"):
        loading.load_table(in_cache)


def test_without_settings_the_cache_is_in_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DAMPEN_DATA", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    known = place(tmp_path / ".cache" / "dampen" / COLOURS.file)
    assert loading.load_table(known).rows == 3


def test_another_file_is_refused_unless_it_need_not_be_verified(folder: Path, refused: "Refused") -> None:
    known = dataclasses.replace(place(folder / COLOURS.file), sha256="0" * 64)
    with refused(DataError, "colours.parquet", "checksum", "000000000000", hidden=("red",)):
        loading.load_table(known)
    assert loading.load_table(known, verify=False).rows == 3


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        (ROWS, "name, share, number"),
        (ROWS, "name, count, share"),
        (ROWS.rpartition(", (")[0], "name, share, count"),
        (ROWS.replace("1)", "1.5::double)"), "name, share, count"),
        (ROWS.replace("'red'", "null"), "name, share, count"),
        (ROWS.replace("0.5", "null"), "name, share, count"),
    ],
    ids=["name", "order", "rows", "kind", "missing label", "missing number"],
)
def test_another_table_is_refused_even_then(rows: str, columns: str, folder: Path, refused: "Refused") -> None:
    known = place(folder / COLOURS.file, rows, columns)
    for verify in (True, False):
        with refused(DataError, "colours.parquet", "rows and columns", hidden=("red",)):
            loading.load_table(known, verify)


@pytest.mark.parametrize("content", [b"secret", np.zeros(3), np.zeros(4, dtype=np.int64), [{"secret": 1}]], ids=str)
def test_another_histogram_is_refused(content: Any, folder: Path, refused: "Refused") -> None:
    known = dataclasses.replace(COLOURS, file="h.npy", rows=3)
    folder.mkdir()
    if isinstance(content, bytes):
        (folder / "h.npy").write_bytes(content)
    else:
        np.save(folder / "h.npy", np.array(content), allow_pickle=True)
    with refused(DataError, "h.npy", "array of 3", hidden=("secret",)):
        loading.load_histogram(known, verify=False)


@pytest.mark.parametrize(
    "rows", ["(0, 1), (1, 2)", "(0, 1), (1, 2), (1, 0)", "(0, 1), (1, 2), (2, 2)", "(0, 1), (1, 2), (0, 2), (0, 2)"]
)
def test_another_graph_is_refused_even_then(rows: str, folder: Path, refused: "Refused") -> None:
    known = dataclasses.replace(COLOURS, file="g/edges.parquet", nodes=3)
    place(folder / known.file, rows, "src, dst")
    with refused(DataError, "edges.parquet", "edges that are described for colours"):
        loading.load_graph(known, verify=False)


def test_a_graph_is_loaded_with_its_public_nodes(folder: Path) -> None:
    known = dataclasses.replace(COLOURS, file="g/edges.parquet", nodes=5)
    place(folder / known.file, "(0, 1), (1, 2), (0, 3)", "src, dst")
    graph = loading.load_graph(known, verify=False)
    assert (graph.nodes, graph.degrees().tolist()) == (5, [2, 2, 1, 1, 0])


def test_unknown_names_and_flags_are_refused(refused: "Refused") -> None:
    with refused(ParameterError, "name must be one of", "'HEPTH'", "'hepth'"):
        datasets.load_dpbench("hepth")
    with refused(ParameterError, "clean must be True or False"):
        datasets.load_adult(clean="yes")  # type: ignore[arg-type]


def test_tables_need_no_data_frame_library(folder: Path, run_python: "RunPython") -> None:
    known = place(folder / COLOURS.file)
    code = """
        import sys
        sys.modules.update(dict.fromkeys(("pandas", "polars", "pyarrow")))
        from dampen.datasets import Description, loading
        known = Description("colours", "colours/colours.parquet", 3,
                            {"name": "category", "share": "real", "count": "whole"}, "", "", sys.argv[1])
        print(loading.load_table(known)["name"].tolist())
    """
    done = run_python(code, known.sha256)
    assert (done.stdout, done.stderr) == ("['red', 'blue', 'green']\n", "")


@needs_data
@pytest.mark.parametrize("name", CATALOGUE)
def test_the_real_file_is_what_the_catalogue_says(name: str) -> None:
    loaded, known = LOADERS[name](), CATALOGUE[name]
    if isinstance(loaded, Graph):
        assert (loaded.nodes, len(loaded.edges()[0])) == (known.nodes, known.rows)
    else:
        assert (len(loaded) if isinstance(loaded, np.ndarray) else loaded.rows) == known.rows


@needs_data
def test_a_real_file_with_one_byte_changed_is_refused(folder: Path, refused: "Refused") -> None:
    copied = folder / CATALOGUE["nltcs"].file
    copied.parent.mkdir(parents=True)
    shutil.copyfile(Path(REAL or "") / CATALOGUE["nltcs"].file, copied)
    assert datasets.load_nltcs().rows == 21_574
    changed = bytearray(copied.read_bytes())
    changed[100] ^= 1
    copied.write_bytes(changed)
    with refused(DataError, "nltcs.parquet", "checksum"):
        datasets.load_nltcs()


@needs_data
def test_facts_about_the_real_data() -> None:
    """Figures stated with the data sets."""
    assert {name: int(datasets.load_dpbench(name).sum()) for name in ("PATENT", "HEPTH", "INCOME")} == {
        "PATENT": 27_948_226,
        "HEPTH": 347_414,
        "INCOME": 20_787_122,
    }
    assert int(np.median(datasets.load_dpbench("HEPTH"))) == 41
    assert int((datasets.load_nltcs()["15"] == 1).sum()) == 11_965
    assert int((datasets.load_acs()["22"] == 1).sum()) == 3_416
    adult = datasets.load_adult()
    assert int((adult["income"] == ">50K").sum()) == 11_687
    assert (
        int(((adult["workclass"] == "?") | (adult["occupation"] == "?") | (adult["native-country"] == "?")).sum())
        == 3_620
    )
    pay = datasets.load_sf_salaries()
    assert round(float(np.median(pay["TotalPay"])), 2) == 71_426.61
    assert count_on_grid(pay, range(0, 600_001, 100), column="TotalPay").n == 148_654


def test_the_page_and_the_catalogue_say_the_same() -> None:
    page = (Path(__file__).parents[3] / "docs" / "datasets.md").read_text()
    for known in CATALOGUE.values():
        [row] = [line for line in page.splitlines() if f"`{known.file}`" in line]
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert cells[2:4] == [f"{known.rows:,}", str(len(known.columns))]
        assert cells[5] == known.licence
