"""Counts on a grid: a bisection by Python's exact comparisons judges every engine."""

import tracemalloc
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import inf, nan, nextafter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dampen.errors import DampenError, DataError, ParameterError
from dampen.tables import Grid, GridCounts, as_grid, count_on_grid
from dampen.tables import grid as grid_module

if TYPE_CHECKING:
    from tests.conftest import Refused, RunPython

GRIDS = {
    "tenths": as_grid(bounds=(-1, 2), step=0.1),
    "sevenths": as_grid(bounds=(0, 10), bins=7),
    "very many": as_grid(bounds=(0, 1000), bins=3 * 10**9),
    "whole": as_grid(range(-3, 40, 4)),
    "whole and very many": as_grid(range(-(10**12), 10**12, 7)),
    "nanoseconds": as_grid(range(17 * 10**17, 18 * 10**17, 10**15)),
    "listed wholes": as_grid([-5, 0, 1, 2**53, 2**53 + 1, 2**60]),
    "listed reals": as_grid([-1e300, -(2.0**53), -0.5, 0.1, 0.3, 2.0**53, 2.0**53 + 4, 2.0**63, 2.0**64, 1e300]),
    "one point": as_grid([0.1]),
    "one whole point": as_grid([7]),
}


def judged(values: Sequence[float], grid: Grid) -> GridCounts:
    places = Counter(max(bisect_right(grid, value) - 1, 0) for value in values)
    return GridCounts(grid, sorted(places), [places[place] for place in sorted(places)])


def written(folder: Path, values: Sequence[Any]) -> Path:
    path = folder / "values.csv"
    path.write_text("id,v\n" + "".join(f"{place},{value!r}\n" for place, value in enumerate(values)))
    return path


def parquet(folder: Path, values: str, kind: str) -> Path:
    path = folder / "values.parquet"
    with duckdb.connect() as connection:
        rows = f"select cast(unnest([{values}]) as {kind}) as v"
        connection.execute(f"copy ({rows}) to '{path}' (format parquet)")
    return path


@st.composite
def values_near(draw: st.DrawFn, grid: Grid) -> list[float]:
    """Floats at and one ulp beside grid points, and far from them."""
    points = st.integers(0, len(grid) - 1).map(lambda place: float(grid[place]))
    beside = st.tuples(points, st.sampled_from([-inf, inf])).map(lambda pair: nextafter(*pair))
    return draw(st.lists(st.one_of(points, beside, beside, st.floats(allow_nan=False)), max_size=40))


FEW, MANY = (settings(max_examples=n, suppress_health_check=[HealthCheck.function_scoped_fixture]) for n in (4, 12))


def require_the_same_floats(values: list[float], grid: Grid, folder: Path) -> None:
    expected = judged(values, grid)
    assert expected.n == len(values)
    frame = pl.DataFrame({"v": pl.Series(values, dtype=pl.Float64)})
    assert count_on_grid(values, grid) == expected
    assert count_on_grid(np.array(values, dtype=np.float64), grid) == expected
    assert count_on_grid(pd.DataFrame({"v": np.array(values, dtype=np.float64)}), grid, column="v") == expected
    assert count_on_grid(frame, grid, column="v") == expected
    assert count_on_grid(written(folder, values), grid, column="v") == expected
    frame.write_parquet(folder / "values.parquet")
    assert count_on_grid(folder / "values.parquet", grid, column="v") == expected


@pytest.mark.parametrize("name", GRIDS)
@FEW
@given(data=st.data())
def test_list_array_frame_and_file_agree_at_and_beside_grid_points(
    name: str, tmp_path: Path, data: st.DataObject
) -> None:
    require_the_same_floats(data.draw(values_near(GRIDS[name])), GRIDS[name], tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", GRIDS)
@MANY
@given(data=st.data())
def test_they_agree_at_and_beside_grid_points_at_length(name: str, tmp_path: Path, data: st.DataObject) -> None:
    require_the_same_floats(data.draw(values_near(GRIDS[name])), GRIDS[name], tmp_path)


@st.composite
def wholes_near(draw: st.DrawFn, grid: Grid) -> list[int]:
    """Whole numbers around powers of 2 and the ends of a grid, and anywhere in 64 bits."""
    ends = [max(-(2**63), min(int(end), 2**63)) for end in (grid[0], grid[-1])]
    powers = st.sampled_from([0, 2**53, 2**60, 2**63, -(2**63), -(2**53), *ends])
    near = st.tuples(powers, st.integers(-3, 3)).map(sum)
    return draw(st.lists(st.one_of(near, st.integers(-(2**63), 2**63)), max_size=40))


def require_the_same_wholes(values: list[int], grid: Grid, folder: Path) -> None:
    expected = judged(values, grid)
    assert count_on_grid(values, grid) == expected
    assert count_on_grid(written(folder, values), grid, column="v") == expected
    small = [value for value in values if -(2**63) <= value < 2**63]
    signed, expected = np.array(small, dtype=np.int64), judged(small, grid)
    assert count_on_grid(signed, grid) == expected
    assert count_on_grid(pl.Series(signed), grid) == expected
    pl.DataFrame({"v": signed}).write_parquet(folder / "values.parquet")
    assert count_on_grid(folder / "values.parquet", grid, column="v") == expected
    positive = [value for value in values if value >= 0]
    unsigned, expected = np.array(positive, dtype=np.uint64), judged(positive, grid)
    assert count_on_grid(unsigned, grid) == expected
    pl.DataFrame({"v": unsigned}).write_parquet(folder / "values.parquet")
    assert count_on_grid(folder / "values.parquet", grid, column="v") == expected


@pytest.mark.parametrize("name", GRIDS)
@FEW
@given(data=st.data())
def test_whole_numbers_are_compared_exactly_in_every_engine(name: str, tmp_path: Path, data: st.DataObject) -> None:
    require_the_same_wholes(data.draw(wholes_near(GRIDS[name])), GRIDS[name], tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", GRIDS)
@MANY
@given(data=st.data())
def test_whole_numbers_are_compared_exactly_at_length(name: str, tmp_path: Path, data: st.DataObject) -> None:
    require_the_same_wholes(data.draw(wholes_near(GRIDS[name])), GRIDS[name], tmp_path)


@pytest.mark.parametrize("name", GRIDS)
def test_whole_numbers_beyond_64_bits_are_exact_in_memory_and_the_nearest_floats_as_text(
    name: str, tmp_path: Path
) -> None:
    ends = [10**38 - 1, -(10**38) + 1, 2**126 + 1, 2**126 - 1, 2**100 + 2**46 + 1]
    random = np.random.default_rng(5)
    values = [*ends, *(int(random.integers(2**62)) * int(random.integers(2**62)) for _ in range(200))]
    fine = as_grid(sorted({float(value) for value in values}))
    for grid in (GRIDS[name], fine):
        assert count_on_grid(values, grid) == judged(values, grid)
        nearest = judged([float(value) for value in values], grid)
        assert count_on_grid(written(tmp_path, values), grid, column="v") == nearest
        assert count_on_grid([str(value) for value in values], grid) == nearest


@pytest.mark.parametrize("name", ["tenths", "whole", "listed reals", "very many"])
def test_many_values_take_the_same_places_as_few(name: str) -> None:
    """Few values are located one by one, many by walking through the grid."""
    grid = GRIDS[name]
    values = np.random.default_rng(3).normal(0, 30, size=40_000).round(1)
    expected = judged(values[:500].tolist(), grid)
    assert count_on_grid(values[:500], grid) == expected
    whole = count_on_grid(values, grid)
    parts = [count_on_grid(values[start : start + 10], grid) for start in range(0, len(values), 10)]
    total: Counter[int] = Counter()
    for part in parts:
        total.update(dict(zip(part.places.tolist(), part.counts.tolist(), strict=True)))
    assert dict(zip(whole.places.tolist(), whole.counts.tolist(), strict=True)) == total


def test_mixed_numbers_count_each_as_it_is() -> None:
    values = [2**53 + 1, float(2**53), Decimal("0.1"), Fraction(1, 2), np.float32(2.5), np.int8(3), 10**400, -(10**400)]
    grid = as_grid([0, 1, 2, 3, 2**53, 2**53 + 1])
    assert count_on_grid(values, grid).counts.tolist() == [3, 1, 1, 1, 2]
    assert count_on_grid(values, grid).places.tolist() == [0, 2, 3, 4, 5]
    reals = as_grid([-1.7e308, 0.1, 0.5, 1.7e308])
    assert count_on_grid(values, reals).counts.tolist() == [1, 1, 5, 1]


def test_infinities_count_at_the_ends(tmp_path: Path) -> None:
    for grid in GRIDS.values():
        expected = judged([inf, -inf, inf], grid)
        assert count_on_grid([inf, -inf, inf], grid) == expected
        assert count_on_grid(written(tmp_path, [inf, -inf, inf]), grid, column="v") == expected


@pytest.mark.parametrize(
    "values",
    [
        np.array([1, 2, 2], dtype=np.int8),
        np.array([1, 2, 2], dtype=">i4"),
        np.array([1, 2, 2.5], dtype=np.float16),
        np.array([1, 2, 2.5], dtype=object),
        np.ma.masked_array([1, 2, 2], mask=[False, False, False]),
        (1, 2, 2.0),
        range(1, 3),
        pd.Series([1, 2, 2], index=[5, 5, 9]),
        pd.Series([1, 2, 2], dtype="Int64"),
        pd.Series([1, 2, 2.5], dtype="Float32"),
        pd.Series([1, Decimal("2.5"), 2.0], dtype=object),
        pl.Series([1, 2, 2], dtype=pl.UInt16),
        pl.Series([Decimal("1"), Decimal("2.50"), Decimal("2")]),
        pl.Series([1, 2, 2], dtype=pl.Int128),
        nw.from_native(pl.Series([1, 2, 2]), series_only=True),
    ],
    ids=lambda values: f"{type(values).__module__}-{getattr(values, 'dtype', '')}",
)
def test_columns_of_many_types(values: Any) -> None:
    expected = [1, 1] if isinstance(values, range) else [1, 2]
    assert count_on_grid(values, range(5)).places.tolist() == [1, 2]
    assert count_on_grid(values, range(5)).counts.tolist() == expected


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"v": [1, 2, 2], "w": ["a", "b", "c"]}),
        pl.DataFrame({"v": [1, 2, 2], "w": ["a", "b", "c"]}),
        pl.LazyFrame({"v": [1, 2, 2], "w": ["a", "b", "c"]}),
        {"v": [1, 2, 2], "w": ["a", "b", "c"]},
    ],
    ids=["pandas", "polars", "lazy", "mapping"],
)
def test_columns_of_frames(frame: Any, refused: "Refused") -> None:
    assert count_on_grid(frame, range(5), column="v").counts.tolist() == [1, 2]
    with refused(DataError, "numbers", hidden=("'a'",)):
        count_on_grid(frame, range(5), column="w")
    for column in ("x", None):
        with refused(ParameterError, "column must be one of the columns"):
            count_on_grid(frame, range(5), column=column)


def test_pyarrow_columns() -> None:
    pa = pytest.importorskip("pyarrow")
    for values in (
        pa.array([1, 2, 2]),
        pa.chunked_array([[1], [2, 2]]),
        pa.array([1, 2.5, 2]),
        pa.array([Decimal("1.0"), Decimal("2.5"), Decimal("2.0")]),
    ):
        assert count_on_grid(values, range(5)).counts.tolist() == [1, 2]
    table = pa.table({"v": pa.chunked_array([[1], [2, None]])})
    assert count_on_grid(table, range(5), column="v", missing="drop").counts.tolist() == [1, 1]
    with pytest.raises(DataError):
        count_on_grid(table, range(5), column="v")


@pytest.mark.parametrize(
    "values",
    [
        [1.0, nan],
        [1, None],
        [1, Decimal("nan")],
        np.array([1.0, nan]),
        np.ma.masked_array([1, 2], mask=[False, True]),
        pd.Series([1, None], dtype="Int64"),
        pd.Series([1, None]),
        pd.Series([1, pd.NA], dtype=object),
        pl.Series([1, None]),
        pl.Series([1.0, nan]),
    ],
    ids=lambda values: f"{type(values).__module__}-{getattr(values, 'dtype', values)}",
)
def test_missing_values_are_refused_or_dropped(values: Any, refused: "Refused") -> None:
    with refused(DataError, "values must have no missing values", "missing='drop'"):
        count_on_grid(values, range(5))
    assert count_on_grid(values, range(5), missing="drop") == GridCounts(range(5), [1], [1])


@pytest.mark.parametrize("content", ['v\n1\n""\n', "v,w\n1,\n,2\n", "v\n1\nnan\n", "v\n1\n NaN \n", "w;v\n1;1\n2;\n"])
def test_missing_values_in_files(content: str, tmp_path: Path, refused: "Refused") -> None:
    path = tmp_path / "values.csv"
    path.write_text(content)
    with refused(DataError, "column 'v' must have no missing values"):
        count_on_grid(path, range(5), column="v")
    assert count_on_grid(str(path), range(5), column="v", missing="drop") == GridCounts(range(5), [1], [1])


@pytest.mark.parametrize("kind", ["integer", "double", "decimal(9, 2)"])
def test_missing_values_in_parquet(kind: str, tmp_path: Path, refused: "Refused") -> None:
    path = parquet(tmp_path, "1, null", kind)
    with refused(DataError, "column 'v' must have no missing values"):
        count_on_grid(path, range(5), column="v")
    assert count_on_grid(path, range(5), column="v", missing="drop") == GridCounts(range(5), [1], [1])


def test_blank_lines_are_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "values.csv"
    for content in ("v\n1\n\n2\n\n", "v,w\n1,1\n\n2,1\n\n"):
        path.write_text(content)
        assert count_on_grid(path, range(5), column="v").n == 2


def test_decimals_count_as_their_nearest_float(tmp_path: Path) -> None:
    random = np.random.default_rng(6)
    digits = ["".join(map(str, random.integers(1, 10, size=30))) for _ in range(300)]
    decimals = [Decimal("29483191389641107654.7038484208"), *(Decimal(f"{text[:20]}.{text[20:]}") for text in digits)]
    values = [float(decimal) for decimal in decimals]
    grid = as_grid(sorted({near for value in values for near in (value, nextafter(value, inf))}))
    path = parquet(tmp_path, ", ".join(f"'{decimal}'" for decimal in decimals), "decimal(38, 10)")
    assert count_on_grid(path, grid, column="v") == judged(values, grid)
    assert count_on_grid(decimals, grid) == judged(values, grid)
    assert count_on_grid(pl.Series(decimals), grid) == judged(values, grid)


@pytest.mark.parametrize("tries", [5, pytest.param(20, marks=pytest.mark.long)])
def test_ends_with_many_digits_reach_the_database_unrounded(tries: int, tmp_path: Path) -> None:
    random = np.random.default_rng(7)
    for size in (1.0, 1e-6, 1e9, 1e200):
        for low in (random.uniform(0, size, tries)).tolist():
            grid = as_grid([low, nextafter(low, inf)])
            values = [0.0, low, nextafter(low, 0), nextafter(low, inf), inf]
            assert count_on_grid(written(tmp_path, values), grid, column="v") == judged(values, grid)


NUMBERS = ["1", "+1", " 1 ", "01", "1.", "1.0", "1e0", "10E-1", "\t1", "+1.5", ".15e1", "1.7976931348623157e0"]
OTHERS = ["x98765", "1_0", "0x1", "1 2", "--1", "1e", ".", "e5", "true", "2020-01-01", "infinit", "1,5", "NULL", "-"]


@pytest.mark.parametrize("text", NUMBERS)
def test_texts_that_are_numbers(text: str, tmp_path: Path) -> None:
    path = tmp_path / "values.csv"
    path.write_text(f"v,w\n{text},0\n")
    assert count_on_grid(path, range(5), column="v").places.tolist() == [int(float(text))]


@pytest.mark.parametrize("text", OTHERS)
def test_texts_that_are_none(text: str, tmp_path: Path, refused: "Refused") -> None:
    path = tmp_path / "values.csv"
    path.write_text(f'v,w\n1,0\n"{text}",0\n')
    with refused(DataError, "column 'v' must hold numbers", hidden=(text,) if len(text) > 1 else ()):
        count_on_grid(path, range(5), column="v")


@pytest.mark.parametrize(("text", "value"), [("1e400", inf), ("-1e400", -inf), ("1e-400", 0.0), ("-Infinity", -inf)])
def test_texts_beyond_floats(text: str, value: float, tmp_path: Path) -> None:
    path = tmp_path / "values.csv"
    path.write_text(f"v,w\n{text},0\n")
    assert count_on_grid(path, range(-1, 5), column="v") == judged([value], as_grid(range(-1, 5)))


@pytest.mark.parametrize(
    "values",
    [
        [True, False],
        [1, True],
        ["one"],
        [1j],
        [[1], [2]],
        [date(2020, 1, 1)],
        np.array([True]),
        np.array(["one"]),
        np.array([1j]),
        np.array(["2020-01-01"], dtype="M8[D]"),
        np.array([np.bool_(True)], dtype=object),
        np.zeros((2, 2)),
        np.array(5),
        pd.Series([True]),
        pd.Series(["98765x"]),
        pd.Series(["a"], dtype="category"),
        pd.Series(pd.to_datetime(["2020-01-01"])),
        pl.Series([True]),
        pl.Series(["98765x"]),
        pl.Series([date(2020, 1, 1)]),
        pl.Series([[1]]),
    ],
    ids=lambda values: f"{type(values).__module__}-{getattr(values, 'dtype', values)}",
)
def test_what_is_no_column_of_numbers_is_refused(values: Any, refused: "Refused") -> None:
    with refused(DataError, "values must", hidden=("98765", "2020")):
        count_on_grid(values, range(5))


@pytest.mark.parametrize("values", [{1, 2}, 5, None, object(), iter([1])], ids=lambda values: type(values).__name__)
def test_what_is_no_column_at_all_is_refused(values: Any, refused: "Refused") -> None:
    with refused(ParameterError, "values must be a list", type(values).__name__):
        count_on_grid(values, range(5))


@pytest.mark.parametrize("kind", ["boolean", "varchar", "date", "timestamp", "blob"])
def test_what_is_no_number_in_parquet_is_refused(kind: str, tmp_path: Path, refused: "Refused") -> None:
    literal = {"boolean": "true", "blob": "'98765'::blob"}.get(kind, "'2020-01-01'")
    with refused(DataError, "column 'v' must hold numbers", hidden=("98765", "2020")):
        count_on_grid(parquet(tmp_path, literal, kind), range(5), column="v")


@pytest.mark.parametrize(
    ("values", "arguments", "error", "shown"),
    [
        ([1], {"column": "v"}, ParameterError, ["column must be left out"]),
        (np.array([1]), {"column": "v"}, ParameterError, ["column must be left out"]),
        (pl.Series([1]), {"column": "v"}, ParameterError, ["column must be left out"]),
        ([1], {"missing": "ignore"}, ParameterError, ["missing", "'drop'", "'ignore'"]),
        ("none.csv", {"column": "v"}, ParameterError, ["file must exist", "none.csv"]),
    ],
)
def test_wrong_arguments(
    values: Any, arguments: dict[str, Any], error: type[DampenError], shown: list[str], refused: "Refused"
) -> None:
    with refused(error, *shown):
        count_on_grid(values, range(5), **arguments)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_unknown_and_undeclared_columns_of_files(kind: str, tmp_path: Path, refused: "Refused") -> None:
    path = written(tmp_path, [98765]) if kind == "csv" else parquet(tmp_path, "98765", "bigint")
    with refused(ParameterError, "column must be a column of", "'w'", hidden=("98765",)):
        count_on_grid(path, range(5), column="w")
    with refused(ParameterError, "column must name the column of", hidden=("98765",)):
        count_on_grid(path, range(5))


@pytest.mark.parametrize(
    "content",
    [
        b"v,w\n1,2\nsecret\n",
        b"v,w\n1,2\n1,2,secret\n",
        b'v,w\n1,2\n"secret,2\n3,4\n',
        b'v,w\n1,2\n"secret"x,2\n',
        "v,w\n1,secr\xe9t\n".encode("latin-1"),
        b"v,w\n1,2\n" * 1 + b"".join(b"%d,1\n" % place for place in range(30_000)) + b"secret\n",
        bytes(range(256)) * 10,
    ],
)
def test_a_broken_file_is_refused_without_a_value(content: bytes, tmp_path: Path, refused: "Refused") -> None:
    path = tmp_path / "values.csv"
    path.write_bytes(content)
    with refused(DampenError, "values.csv", hidden=("secr",)):
        count_on_grid(path, range(5), column="v")


def test_a_file_that_is_no_parquet_is_refused(tmp_path: Path, refused: "Refused") -> None:
    path = tmp_path / "values.parquet"
    path.write_text("v\nsecret\n")
    with refused(DataError, "values.parquet", hidden=("secret",)):
        count_on_grid(path, range(5), column="v")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_the_header_alone_tells_the_delimiter(delimiter: str, end: str, mark: str, tmp_path: Path) -> None:
    path = tmp_path / "values.csv"
    rows = [["name", "v", "w"], ['"a, b; c | d\t"', "1", "0"], ['"the ""best"""', '"2"', "0"]]
    path.write_bytes((mark + "".join(delimiter.join(row) + end for row in rows)).encode())
    assert count_on_grid(path, range(5), column="v").places.tolist() == [1, 2]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("column", ["it's; drop table data --", 'the "best"', "a\nb", "value", "c1", "Ä ö"])
def test_names_are_never_read_as_sql(kind: str, column: str, tmp_path: Path) -> None:
    name = "it's [1]*? ('x').csv" if kind == "csv" else "it's [1]*? ('x').parquet"
    frame = pl.DataFrame({"id": [7, 8], column: [1, 2]})
    frame.write_csv(tmp_path / name) if kind == "csv" else frame.write_parquet(tmp_path / name)
    assert count_on_grid(tmp_path / name, range(5), column=column).places.tolist() == [1, 2]


@pytest.mark.parametrize("name", ["tenths", "whole"])
def test_blocks_in_several_threads(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid_module, "BLOCK", 7)
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    values = np.random.default_rng(2).normal(0, 10, size=1000)
    assert count_on_grid(values, GRIDS[name]) == judged(values.tolist(), GRIDS[name])


def test_places_of_many_values_are_never_all_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid_module, "BLOCK", 2**15)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    values = np.arange(2**20, dtype=np.float64)
    tracemalloc.start()
    try:
        count_on_grid(values, range(100))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < values.nbytes / 2


class Spy:
    """A DuckDB connection that notes every row that leaves it."""

    def __init__(self, connection: Any, rows: list[dict[str, Any]]) -> None:
        self.connection, self.rows = connection, rows

    def __getattr__(self, name: str) -> Any:
        assert name in ("execute", "sql", "register", "read_parquet"), f"{name} could let rows out"
        return getattr(self.connection, name)

    def execute(self, query: str) -> "Spy":
        return Spy(self.connection.execute(query), self.rows)

    def sql(self, query: str) -> "Spy":
        return Spy(self.connection.sql(query), self.rows)

    def fetchnumpy(self) -> Any:
        self.rows.append(self.connection.fetchnumpy())
        return self.rows[-1]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("name", ["tenths", "whole", "listed reals"])
def test_only_places_and_counts_leave_duckdb(
    kind: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = np.random.default_rng(1).normal(0, 10, size=5000).tolist()
    rows: list[dict[str, Any]] = []
    connect = duckdb.connect

    @contextmanager
    def spied(**arguments: Any) -> Iterator[Spy]:
        with connect(**arguments) as connection:
            yield Spy(connection, rows)

    path = written(tmp_path, values)
    if kind == "parquet":
        path = tmp_path / "values.parquet"
        pl.DataFrame({"v": values}).write_parquet(path)
    monkeypatch.setattr(duckdb, "connect", spied)
    counted = count_on_grid(path, GRIDS[name], column="v")
    [left] = rows
    assert set(left) == {"half", "count", "odd"}
    assert {str(column.dtype) for column in left.values()} <= {"int64", "uint16"}
    assert len(left["half"]) <= len(counted.places) <= len(GRIDS[name])
    assert left["count"].sum() == 5000


def test_nothing_heavy_is_loaded_for_arrays(run_python: "RunPython") -> None:
    code = """
        import sys, numpy
        from dampen.tables import count_categories, count_on_grid
        count_on_grid(numpy.arange(5.0), range(3)); count_on_grid([1, 2], range(3)); count_categories([1], [1, 2])
        print([name for name in ("duckdb", "narwhals", "pandas", "polars", "numba", "scipy") if name in sys.modules])
    """
    assert run_python(code).stdout.strip() == "[]"


def test_files_need_no_data_frame_library(run_python: "RunPython", tmp_path: Path) -> None:
    code = """
        import sys
        sys.modules.update(dict.fromkeys(("pandas", "polars", "pyarrow")))
        from dampen.tables import count_on_grid
        print(count_on_grid(sys.argv[1], [0.0, 0.1, 5.0], column="v").counts)
    """
    done = run_python(code, str(written(tmp_path, [0.1, 7])))
    assert (done.stdout, done.stderr) == ("[1 1]\n", "")


@pytest.mark.parametrize("kind", ["array", "file"])
@pytest.mark.parametrize("arguments", [{"grid": range(10**9)}, {"bounds": (0, 1000), "bins": 10**9}])
def test_a_grid_of_a_billion_points_stays_small(arguments: dict[str, Any], kind: str, tmp_path: Path) -> None:
    values = np.random.default_rng(2).uniform(0, 1000, size=20_000)
    data: Any = values if kind == "array" else written(tmp_path, values.tolist())
    tracemalloc.start()
    try:
        counted = count_on_grid(data, as_grid(**arguments), column=None if kind == "array" else "v")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert counted.n == 20_000
    assert peak < 20 * 10**6


@pytest.mark.parametrize("grid", [as_grid(range(100_000)), as_grid(bounds=(0, 1000), step=0.01)], ids=["whole", "real"])
def test_counting_on_an_even_grid_sorts_nothing(grid: Grid, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cause of its speed: one pass of arithmetic and one of counting."""

    def reached(*args: object, **kwargs: object) -> None:
        raise AssertionError("values were sorted")

    values = np.random.default_rng(4).uniform(0, float(grid[-1]), size=10**5)
    for name in ("sort", "argsort", "unique", "searchsorted"):
        monkeypatch.setattr(np, name, reached)
    assert count_on_grid(values, grid).n == 10**5


def test_counts_pass_through_on_their_own_grid(refused: "Refused") -> None:
    counted = count_on_grid([1, 2, 2], range(5))
    assert count_on_grid(counted, [0, 1, 2, 3, 4]) is counted
    with refused(ParameterError, "grid must be the one"):
        count_on_grid(counted, range(6))
    with refused(ParameterError, "column must be left out"):
        count_on_grid(counted, range(5), column="v")


def test_counts_hide_the_data_and_cannot_be_changed() -> None:
    counted = count_on_grid([98765], [0, 98765])
    assert repr(counted) == "GridCounts(Grid(2 points from 0 to 98765))"
    for entries in (counted.places, counted.counts):
        with pytest.raises(ValueError, match="read-only"):
            entries[0] = 0
    with pytest.raises(AttributeError):
        counted.counts = counted.places  # type: ignore[misc]
    assert counted != count_on_grid([0], [0, 98765])
    assert counted != count_on_grid([98765, 98765], [0, 98765])
    assert counted != count_on_grid([1], range(2))
    assert counted != "counts"


def test_no_values_have_no_places(tmp_path: Path) -> None:
    empty = GridCounts(range(5), [], [])
    assert empty.n == 0
    columns: list[Any] = [[], np.array([]), pd.Series([], dtype=float), pl.Series([], dtype=pl.Int64)]
    for values in columns:
        assert count_on_grid(values, range(5)) == empty
    assert count_on_grid(written(tmp_path, []), range(5), column="v") == empty


@pytest.mark.parametrize(
    ("places", "counts"),
    [
        ([0, 0], [1, 1]),
        ([1, 0], [1, 1]),
        ([-1], [1]),
        ([5], [1]),
        ([0], [0]),
        ([0], [1, 1]),
        ([0.5], [1]),
        ([0], [1.0]),
    ],
)
def test_counts_that_cannot_be(places: list[Any], counts: list[Any], refused: "Refused") -> None:
    with refused(DataError):
        GridCounts(range(5), places, counts)
