"""Old faults of reading by name: each pair of neighbours once moved the true counts by many records at once."""

from collections.abc import Callable
from contextlib import closing
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import partial
from io import StringIO
from math import inf
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import dampen
from dampen import Category
from dampen.errors import DataError
from dampen.learn import PrivateClassifier, PrivateTreeClassifier, Schema
from dampen.queries import count_problem, row_count_problem
from dampen.tables import count_categories, count_on_grid
from dampen.tables.counts import total
from dampen.tables.engines import Source, open_engine
from dampen.tables.reading import MISSING, OTHER
from tests.audit.reading.entries import VAST, posed
from tests.audit.reading.forms import FORMS, Form, new_path
from tests.audit.reading.pool import BERLIN, FINE, NOON
from tests.estimators import ESTIMATORS, small

N = 20
ADD_REMOVE, REPLACE = dampen.Adjacency.ADD_REMOVE, dampen.Adjacency.REPLACE
ONES, ONE_TRUE_MORE = [1] * N, [True, *[1] * N]


def rows_with(values: Any, column: str, wanted: Any) -> int:
    """How many rows a filter leaves."""
    return int(row_count_problem({column: values}, where={column: wanted}, adjacency=ADD_REMOVE).value)


def counted(values: Any, labels: tuple[Any, ...], **named: Any) -> list[int]:
    """The counts of categories; what is none of them is left out."""
    return count_categories(values, labels, other="drop", missing="drop", **named).tolist()  # type: ignore[no-any-return]


def test_true_beside_ones_in_a_filter() -> None:
    assert rows_with(ONES, "smoker", "true") == N
    assert rows_with(ONE_TRUE_MORE, "smoker", "true") == N + 1


def test_true_beside_ones_in_most_common() -> None:
    for values in (ONES, ONE_TRUE_MORE):
        named: dict[str, Any] = {"categories": ("true", "false", "maybe")}
        asked = partial(dampen.most_common, values, epsilon=1, **named)
        *_, same = posed(lambda till, asked=asked: asked(budget=till))
        for problem in (same, count_problem(values, adjacency=ADD_REMOVE, **named)):
            assert np.asarray(problem.utilities).tolist() == [len(values), 0, 0]


@pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE])
def test_true_beside_ones_in_group_counts(adjacency: dampen.Adjacency) -> None:
    for values in (ONES, ONE_TRUE_MORE, [True, *[1] * (N - 1)]):
        table = dampen.Table(
            {"smoker": values}, columns={"smoker": Category("0", "1", "other", other="other")},
            budget=dampen.Budget(epsilon=VAST), adjacency=adjacency,
        )  # fmt: skip
        assert table.by("smoker").count(epsilon=VAST).value == {"0": 0, "1": len(values), "other": 0}


def people(values: Any, label: Any) -> list[list[int]]:
    """How many people each group has, of a table and of lists."""
    ids, budget = list(range(len(values))), dampen.Budget(epsilon=2 * VAST)
    table = dampen.Table(
        pd.DataFrame({"id": ids, "kind": pd.Series(values, dtype=object)}),
        columns={"kind": Category(label, "other", other="other")}, budget=budget,
    )  # fmt: skip
    of_table = table.release_group_members("id", "kind", epsilon=VAST)
    of_lists = dampen.release_group_members(ids, values, categories=(label, "other"), epsilon=VAST, budget=budget)
    return [[len(group) for group in told.value.values()] for told in (of_table, of_lists)]


def test_equal_moments_in_different_zones_in_groups() -> None:
    utc, berlin = NOON.replace(tzinfo=UTC), datetime(2024, 2, 29, 13, 30, tzinfo=BERLIN)
    for moments in ([berlin] * N, [utc, *[berlin] * N], [*[berlin] * N, utc]):
        for label in (str(utc), utc, berlin):
            assert people(moments, label) == [[len(moments), 0]] * 2


def test_true_beside_ones_in_groups() -> None:
    for values in (ONES, ONE_TRUE_MORE):
        assert people(values, "1") == [[len(values), 0]] * 2


def test_true_beside_ones_in_a_filter_of_edges() -> None:
    for flags in (ONES, ONE_TRUE_MORE):
        edges = {"a": [0] * len(flags), "b": list(range(1, len(flags) + 1)), "open": flags}
        rows = Source(edges, {"open": "true"})
        graph = dampen.Graph.from_frame(rows, src="a", dst="b", nodes=len(flags) + 1)
        asked = partial(dampen.count_subgraphs, graph, "edge", epsilon=1)
        *_, problem = posed(lambda till, asked=asked: asked(budget=till))
        assert problem.value == len(flags)


def children(schema: Schema, table: Any, classes: Any) -> list[int]:
    """How many records have each value of the one attribute that a tree tests."""
    tree = PrivateTreeClassifier(VAST, 1, schema=schema, budget=dampen.Budget(epsilon=VAST)).fit(table, classes)
    return [sum(child.counts) for child in tree.model_.children]


def answers(schema: Schema, table: Any, classes: Any) -> list[int]:
    """How many records have each value of an attribute of three, by the cells of a decision table."""
    model = PrivateClassifier(VAST, schema=schema, budget=dampen.Budget(epsilon=VAST), expected_records=N, kind="table")
    counts = np.array(model.fit(table, classes).model_.counts).sum(axis=1)
    assert counts.sum() == counts[[4, 2, 1]].sum()
    return counts[[4, 2, 1]].tolist()  # type: ignore[no-any-return]


LEARNERS = [children, answers]
HALVES = [1.0] * N + [2.0] * N
DIGITS = Schema({"a": Category([1, 2, 9], other=9, missing="other")}, classes=["yes"])


@pytest.mark.parametrize("count", LEARNERS)
def test_a_text_among_numbers_in_a_classifier(count: Callable[..., list[int]]) -> None:
    assert count(DIGITS, {"a": HALVES}, ["yes"] * 2 * N) == [N, N, 0]
    assert count(DIGITS, {"a": [*HALVES, "x"]}, ["yes"] * (2 * N + 1)) == [N, N, 1]


@pytest.mark.parametrize("count", LEARNERS)
def test_a_text_in_another_column_of_rows(count: Callable[..., list[int]]) -> None:
    """The tree tests ``a`` alone: ``b`` has one value."""
    schema = Schema(
        {"a": Category([1, 2, 9], other=9, missing="other"), "b": Category(["?"], other="?", missing="other")},
        classes=["yes"],
    )
    rows = [[value, 7] for value in HALVES]
    assert count(schema, rows, ["yes"] * 2 * N) == [N, N, 0]
    assert count(schema, [*rows, [1.0, "x"]], ["yes"] * (2 * N + 1)) == [N + 1, N, 0]


@pytest.mark.parametrize("count", LEARNERS)
def test_a_text_in_a_file_that_pandas_read(count: Callable[..., list[int]]) -> None:
    """One text makes the whole column texts."""
    lines = "a\n" + "1.0\n" * N + "2.0\n" * N
    for text, counts in ((lines, [N, N, 0]), (lines + "x\n", [N, N, 1])):
        frame = pd.read_csv(StringIO(text))
        assert count(DIGITS, frame, ["yes"] * len(frame)) == counts


@pytest.mark.parametrize("count", LEARNERS)
def test_a_text_among_truth_values_in_a_classifier(count: Callable[..., list[int]]) -> None:
    schema = Schema({"a": Category(["True", "False", "?"], other="?", missing="other")}, classes=["yes"])
    values: list[Any] = [True] * N + [False] * N
    assert count(schema, {"a": values}, ["yes"] * 2 * N) == [N, N, 0]
    assert count(schema, {"a": [*values, "x"]}, ["yes"] * (2 * N + 1)) == [N, N, 1]


FAR = [2**53] * N + [2**53 + 1] * N
FAR_AND_NONE = [*FAR, None]
NULLABLE: dict[str, Callable[[list[Any]], Any]] = {
    "polars": lambda values: pl.DataFrame({"a": pl.Series(values, dtype=pl.Int64)}),
    "pandas": lambda values: pd.DataFrame({"a": pd.array(values, dtype="Int64")}),
    "pyarrow": lambda values: pa.table({"a": pa.array(values, type=pa.int64())}),
}


@pytest.mark.parametrize("library", NULLABLE)
@pytest.mark.parametrize("count", LEARNERS)
def test_a_null_among_whole_numbers_in_a_classifier(count: Callable[..., list[int]], library: str) -> None:
    schema = Schema({"a": Category([2**53, 2**53 + 1, -1], other=-1, missing="other")}, classes=["yes"])
    assert count(schema, NULLABLE[library](FAR), ["yes"] * 2 * N) == [N, N, 0]
    assert count(schema, NULLABLE[library](FAR_AND_NONE), ["yes"] * (2 * N + 1)) == [N, N, 1]


@pytest.mark.parametrize("model", ESTIMATORS)
@pytest.mark.parametrize("values", [["x", "y", None], [None, None]])
def test_nulls_of_a_dictionary_are_refused(model: str, values: list[Any]) -> None:
    column = pa.array(values, type=pa.dictionary(pa.int32(), pa.string()))
    schema = Schema({"a": Category(["x", "y"])}, classes=["yes"])
    fresh = small(model, VAST, schema=schema, budget=dampen.Budget(epsilon=VAST))
    with pytest.raises(DataError):
        fresh.fit(pa.table({"a": column}), ["yes"] * len(values))


@pytest.mark.parametrize("count", LEARNERS)
def test_nulls_of_a_dictionary_go_to_other(count: Callable[..., list[int]]) -> None:
    schema = Schema({"a": Category(["x", "y", "?"], other="?", missing="other")}, classes=["yes"])
    for values, counts in ((["x", "x", "y", None], [2, 1, 1]), ([None, None], [0, 0, 2])):
        column = pa.array(values, type=pa.dictionary(pa.int32(), pa.string()))
        assert count(schema, pa.table({"a": column}), ["yes"] * len(values)) == counts


UNCLOSED = 'id,drink\n1,tea\n2,"tea\n3,milk\n4,milk\n'


@pytest.mark.parametrize("engine", ["duckdb", "arrays", pytest.param("spark", marks=pytest.mark.long)])
def test_a_quote_that_is_not_closed_is_refused(engine: str, tmp_path: Path) -> None:
    if engine == "spark":
        from tests.contracts.engines import spark_session

        spark_session()
    path = tmp_path / "drinks.csv"
    path.write_text(UNCLOSED)
    with pytest.raises(DataError):
        row_count_problem(Source(path, engine=engine), adjacency=ADD_REMOVE)
    with pytest.raises(DataError):
        counted(Source(path, engine=engine), ("tea", "milk"), column="drink")


TEXT_COLUMNS = [
    (form, kind)
    for form in FORMS
    if form.family != "spark" and not form.name.startswith("learn")
    for kind in form.kinds
    if kind.name in ("list", "array of texts", "pandas str", "arrow string", "polars from arrow string", "csv")
]


def held(form: Form, kind: Any, values: list[Any]) -> tuple[Any, str | None]:
    """One column of a container, and its name."""
    return form.hold(["v"], [kind], [(value,) for value in values]).named("v")


@pytest.mark.parametrize(("form", "kind"), TEXT_COLUMNS, ids=str)
def test_texts_of_numbers_count_everywhere(form: Form, kind: Any) -> None:
    data, column = held(form, kind, ["1", " 2.5", "4\t", "1e1"])
    found = count_on_grid(data, range(9), column=column)
    assert dict(zip(found.places.tolist(), found.counts.tolist(), strict=True)) == {1: 1, 2: 1, 4: 1, 8: 1}
    assert float(total(data, (0, 10), column=column).sum) == 17.5


@pytest.mark.parametrize(("form", "kind"), TEXT_COLUMNS, ids=str)
def test_a_line_end_makes_no_number(form: Form, kind: Any) -> None:
    data, column = held(form, kind, ["4\n", "4", "\n4"])
    assert counted(data, (4,), column=column) == [1]
    with pytest.raises(DataError):
        count_on_grid(data, range(9), column=column)


@pytest.mark.parametrize(("text", "wanted"), [("1.0", "1"), ("1.0", 1), ("True", "true"), ("true", True), ("1", True)])
def test_filters_of_files_read_as_filters_of_lists(text: str, wanted: Any) -> None:
    path = new_path("csv")
    path.write_text(f"s\n{text}\n")
    assert row_count_problem(path, where={"s": wanted}, adjacency=ADD_REMOVE).value == 1
    assert rows_with([text], "s", wanted) == 1


def columns(kinds: tuple[str, ...]) -> list[Any]:
    """Containers with columns of these types; those of Spark take their time."""
    return [
        pytest.param(form, kind, marks=pytest.mark.long) if form.family == "spark" else (form, kind)
        for form in FORMS
        if not form.name.startswith("learn")
        for kind in form.kinds
        if kind.name in kinds
    ]


FAR_TYPES = (
    "array of uint64",
    "pandas UInt64",
    "arrow uint64",
    "polars from arrow uint64",
    "polars Int128",
    "duckdb HUGEINT",
)


@pytest.mark.parametrize(("form", "kind"), columns(FAR_TYPES), ids=str)
def test_whole_numbers_beyond_64_bits_with_a_sign(form: Form, kind: Any) -> None:
    data, column = held(form, kind, [2**63, 2**63 + 1, 2**64 - 1, 1])
    assert counted(data, (2**63, 2**63 + 1, 2**64 - 1), column=column) == [1, 1, 1]
    assert counted(data, ("9223372036854775808",), column=column) == [1]
    found = count_on_grid(data, (0.0, 2.0**63, 2.0**64), column=column)
    assert found.counts.tolist() == [1, 3]


TIME_TYPES = (
    "list", "array of datetime64[ns]", "pandas datetime64[ns]", "pandas object", "arrow timestamp[us]",
    "arrow timestamp[ns]", "polars from arrow timestamp[us]", "duckdb TIMESTAMP_S",
)  # fmt: skip


@pytest.mark.parametrize(("form", "kind"), columns(TIME_TYPES), ids=str)
def test_moments_are_categories_and_filters(form: Form, kind: Any) -> None:
    data, column = held(form, kind, [NOON, NOON, datetime(2024, 2, 29)])
    for label in (NOON, "2024-02-29 12:30:00", "2024-02-29T12:30:00", pd.Timestamp(NOON)):
        assert counted(data, (label, "x"), column=column) == [2, 0]
    assert counted(data, (date(2024, 2, 29),), column=column) == [1]
    if column is not None:
        assert row_count_problem(data, where={column: NOON}, adjacency=ADD_REMOVE).value == 2


FINE_TYPES = (
    "array of datetime64[ns]", "pandas datetime64[ns]", "pandas object", "arrow timestamp[ns]",
    "polars from arrow timestamp[ns]",
)  # fmt: skip


@pytest.mark.parametrize(("form", "kind"), columns(FINE_TYPES), ids=str)
def test_a_null_among_nanoseconds(form: Form, kind: Any) -> None:
    """It once made all of them whole microseconds."""
    fine = pd.Timestamp(FINE) if "arrow" in kind.name else FINE
    for values in ([fine] * N, [*[fine] * N, np.datetime64("NaT") if "array" in kind.name else None]):
        data, column = held(form, kind, values)
        assert counted(data, (NOON, "x"), column=column) == [0, 0]


ZONED_TYPES = ("list", "pandas datetime64[us, Berlin]", "arrow timestamp[us, tz=Europe/Berlin]")


@pytest.mark.parametrize(("form", "kind"), columns(ZONED_TYPES), ids=str)
def test_instants_are_categories_and_filters(form: Form, kind: Any) -> None:
    utc, berlin = NOON.replace(tzinfo=UTC), datetime(2024, 2, 29, 13, 30, tzinfo=BERLIN)
    data, column = held(form, kind, [utc, berlin, datetime(2024, 2, 29, tzinfo=UTC)])
    for label in (utc, berlin, "2024-02-29 12:30:00+00:00", "2024-02-29T13:30:00+01:00"):
        assert counted(data, (label, "x"), column=column) == [2, 0]
    assert counted(data, (NOON, date(2024, 2, 29)), column=column) == [0, 0]


LABEL_TYPES = ("list", "array of bool", "pandas bool", "arrow bool", "polars from arrow bool")


@pytest.mark.parametrize(("form", "kind"), columns(LABEL_TYPES), ids=str)
def test_a_truth_value_and_its_name_are_two_labels(form: Form, kind: Any) -> None:
    data, column = held(form, kind, [True, True, False])
    assert counted(data, (True, "true"), column=column) == [2, 0]
    assert counted(data, ("true", "1"), column=column) == [2, 0]
    assert counted(data, ("1", "x"), column=column) == [2, 0]


@pytest.mark.parametrize(("form", "kind"), TEXT_COLUMNS, ids=str)
def test_texts_find_the_label_that_is_their_own(form: Form, kind: Any) -> None:
    data, column = held(form, kind, ["true", "True", "1", "1.0"])
    assert counted(data, (True, "true"), column=column) == [3, 1]
    assert counted(data, (1, "1"), column=column) == [3, 1]


DECIMAL_TYPES = ("list", "arrow decimal128(20, 2)", "polars from arrow decimal128(20, 2)")


@pytest.mark.parametrize(("form", "kind"), columns(DECIMAL_TYPES), ids=str)
def test_decimals_are_labels_and_values(form: Form, kind: Any) -> None:
    data, column = held(form, kind, [Decimal("0.10"), Decimal("2.50"), Decimal("1.00")])
    assert counted(data, (Decimal("0.1"), Decimal("2.5"), Decimal(1)), column=column) == [1, 1, 1]
    assert counted(data, (0.1, "2.5", 1), column=column) == [1, 1, 1]


EMPTY_TYPES = (
    "array of bool",
    "array of datetime64[D]",
    "pandas bool",
    "arrow bool",
    "arrow date32[day]",
    "arrow null",
)


@pytest.mark.parametrize(("form", "kind"), columns(EMPTY_TYPES), ids=str)
def test_an_empty_column_of_any_type_is_never_refused(form: Form, kind: Any) -> None:
    data, column = held(form, kind, [])
    assert counted(data, ("x",), column=column) == [0]
    assert count_on_grid(data, range(3), column=column).n == 0
    assert total(data, (0, 1), column=column).count == 0


def test_stored_entries_at_one_place_add_up() -> None:
    matrix = sparse.coo_array(([1, -1, 1], ([0, 0, 1], [1, 1, 2])), shape=(3, 3))
    assert dampen.Graph.from_scipy(matrix).degrees().tolist() == [0, 1, 1]


# What longer runs found


def test_ends_of_edges_of_two_widths_know_the_same_labels() -> None:
    with closing(duckdb.connect()) as connection:
        edges = connection.sql("select 18446744073709551616::hugeint as a, 1::tinyint as b")
        graph = dampen.Graph.from_frame(edges, src="a", dst="b", nodes=["1", 2**64])
    assert graph.degrees().tolist() == [1, 1]


@pytest.mark.parametrize("target", [[inf], [inf, "1e0"], ["1e0", np.float64(-inf)]])
def test_an_infinite_class_is_refused_among_texts_too(target: list[Any]) -> None:
    schema = Schema.any(0, 1, 2, classes=("1e0", "inf"))
    model = PrivateTreeClassifier(1, 1, schema=schema, budget=dampen.Budget(epsilon=1))
    with pytest.raises(DataError):
        model.fit(np.zeros((len(target), 1)), target)


def test_durations_leave_ibis_as_nothing_that_has_a_label() -> None:
    import ibis

    connection = ibis.duckdb.connect()
    connection.raw_sql("create table t as select interval 1 month as v union all select null")
    with open_engine(connection.table("t")) as engine:
        [read] = engine.rows({"v": ("1", "-")}).values()
    assert sorted(read.tolist()) == [OTHER, MISSING]
