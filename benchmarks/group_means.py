"""Exact sums and counts of fifty groups in one scan, against a plain grouped ``avg`` of DuckDB on the same rows.

Every question opens a database of its own, so the plain queries do too. The processor's time is told.

Run ``python -m benchmarks.group_means`` from the project's root. Rows are made on the fly in a temporary folder.
benchmarks/README.md says what is timed.
"""

import argparse
import json
from collections.abc import Callable
from functools import partial
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import duckdb

from benchmarks.targets import Target
from benchmarks.timing import Measured, interleaved_medians, stopwatch
from dampen.tables.groups import GroupColumn, total_by_group

GROUPS = 50
COLUMNS = {
    "whole": "whole numbers",
    "cents": "floats with two digits behind the point",
    "inside": "floats, all between the bounds",
    "gaps": "floats, a third of them null",
    "nans": "floats, a third of them NaN",
}
BOUNDS = (0, 9_000)
"""A tenth of the values is above them, where it is not said otherwise."""
PLAIN = "plain query"
RESULTS = Path(__file__).resolve().parent / "results" / "group_means.json"


def make_rows(path: Path, rows: int) -> None:
    """A team as text and as a number, and pay as a whole number and as floats."""
    fields = "'team ' || (hash(i) % 50) as team, (hash(i) % 50)::integer as number"
    pay = "(hash(i * 7) % 10000)::integer as whole, (hash(i * 7 + 1) % 1000000) / 100.0 as cents"
    more = "(hash(i * 7 + 1) % 900000) / 100.0 as inside, hash(i * 3) % 3 = 0 as gone"
    lost = "if(gone, null, cents) as gaps, if(gone, 'nan'::double, cents) as nans"
    made = f"select * exclude (gone), {lost} from (select {fields}, {pay}, {more} from range({rows}) t(i))"
    with duckdb.connect() as connection:
        connection.execute("set enable_progress_bar = false")
        connection.execute(f"copy ({made}) to '{path}' (format parquet)")


def by_team(column: str) -> list[GroupColumn]:
    """The groups, by name or by number."""
    return [GroupColumn(column, tuple(f"team {n}" if column == "team" else n for n in range(GROUPS)))]


def actions(path: Path) -> dict[tuple[str, str], Callable[[], object]]:
    """What runs in every round: who, and on which column."""
    with duckdb.connect() as connection:
        arrays = connection.read_parquet(str(path)).select("number, whole, cents, inside, nans").fetchnumpy()
    found: dict[tuple[str, str], Callable[[], object]] = {}
    for column in COLUMNS:
        asked = partial(total_by_group, bounds=BOUNDS, column=column, missing="drop")
        for team in ("team", "number"):
            query = f"select {team}, avg({column}) from read_parquet('{path}') group by {team}"
            found[f"{PLAIN} by {team}", column] = partial(_run, query)
            found[f"DuckDB by {team}", column] = partial(asked, path, by=by_team(team))
        if column in arrays:
            found["arrays by number", column] = partial(asked, arrays, by=by_team("number"))
    return found


def _run(query: str) -> object:
    with duckdb.connect() as connection:
        connection.execute("set enable_progress_bar = false")
        return connection.sql(query).fetchall()


def measure(rows: int, rounds: int) -> dict[tuple[str, str], Measured]:
    """Median seconds of the processor of everybody; compiled code and files are warm."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        make_rows(path, rows)
        runs = {key: stopwatch(action, process_time) for key, action in actions(path).items()}
        interleaved_medians(runs, rounds=1, allowance=inf)
        return interleaved_medians(runs, rounds=rounds, allowance=inf)


def ratios(found: dict[tuple[str, str], Measured]) -> dict[tuple[str, str], float]:
    """How many times a plain query's seconds everybody takes."""
    return {
        (who, column): taken.seconds / found[f"{PLAIN} by {who.split()[-1]}", column].seconds
        for (who, column), taken in found.items()
    }


def targets(found: dict[tuple[str, str], Measured], rows: int) -> list[Target]:
    """What was promised for 1e7 rows."""

    def of(start: str) -> dict[str, float]:
        seen = ratios(found) if rows >= 10**7 else {}
        return {f"{who}, {COLUMNS[name]}": ratio for (who, name), ratio in seen.items() if who.startswith(start)}

    return [
        Target("sums of groups over a plain grouped avg, DuckDB", 2, of("DuckDB")),
        Target("sums in arrays over a plain grouped avg of the file", 2, of("arrays")),
    ]


def main() -> None:
    """Measure, print a table and the verdicts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1e7, help="how many rows")
    parser.add_argument("--quick", action="store_true", help="five rounds instead of fifteen")
    given = parser.parse_args()
    found = measure(int(given.rows), 5 if given.quick else 15)
    for (who, column), ratio in ratios(found).items():
        seconds = found[who, column].seconds
        print(f"{who:<22} {COLUMNS[column]:<40} {1000 * seconds:6.0f} ms {ratio:6.2f} times the plain query")
    for target in targets(found, int(given.rows)):
        print(target.line())
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(
        json.dumps({f"{who}, {column}": taken.seconds for (who, column), taken in found.items()}, indent=2)
    )


if __name__ == "__main__":
    main()
