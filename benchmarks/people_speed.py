"""What a question per person costs over the plain grouped query of DuckDB: ``python -m benchmarks.people_speed``.

Tables as in TPC-H, made by DuckDB itself: items name orders, and orders name customers, who are the persons. A third of
the customers have no orders, an order has one to seven items, and the keys of orders have gaps. ``--rows 6e7`` has the
60 million items of scale 10; the default is a tenth of it.

Every measurement is a process of its own, so that its peak memory is its own, and both sides take turns; what is told
is the median of each. Where others use the machine too, the time of the processor tells more than the clock. dampen
looks at all rows first, keys included, joins, groups, and counts for every cap.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

from benchmarks.targets import Target

LINKS = {"orders.customer": "customers.id", "items.order": "orders.id"}
JOIN = 'items join orders on items."order" = orders.id join customers on orders.customer = customers.id'
PLAIN = {
    "count": f"select count(*), sum(n) from (select customers.id, count(*) as n from {JOIN} group by 1)",
    "sum": f"select count(*), sum(n) from (select customers.id, sum(price) as n from {JOIN} group by 1)",
    "by": f"select sum(n) from (select customers.id, flag, count(*) as n from {JOIN} group by all)",
}
"""The same work without privacy: one number for each person, or for each person and group."""
FLAGS = ("A", "N", "R")


def make_tables(folder: Path, rows: int, form: str) -> Path:
    """Some ``rows`` items in a DuckDB file, or a Parquet file for each table."""
    import duckdb

    orders, customers = max(rows // 4, 1), max(rows // 40, 3)
    tables = {
        "customers": f"select i as id, (i % 5)::tinyint as segment from range(1, {customers + 1}) t(i)",
        "orders": (
            "select i // 8 * 32 + i % 8 as id, "
            f"(hash(i) % {customers // 3} * 3 + hash(i + 7) % 2 + 1)::bigint as customer from range({orders}) t(i)"
        ),
        "items": (
            'select i // 8 * 32 + i % 8 as "order", (hash(i * 8 + n) % 100000)::integer as price, '
            "case hash(i * 8 + n + 3) % 3 when 0 then 'A' when 1 then 'N' else 'R' end as flag "
            f"from (select i, unnest(range(1 + (hash(i + 1) % 7)::bigint)) as n from range({orders}) t(i))"
        ),
    }
    place = folder if form == "parquet" else folder / "shop.duckdb"
    with duckdb.connect(":memory:" if form == "parquet" else str(place)) as connection:
        connection.execute("set enable_progress_bar = false")
        for name, query in tables.items():
            as_file, as_table = f"copy ({query}) to '{folder / name}.parquet'", f"create table {name} as {query}"
            connection.execute(as_file if form == "parquet" else as_table)
    return place


def ask_plainly(place: Path, question: str) -> Callable[[], object]:
    """The grouped query of DuckDB."""
    import duckdb

    connection = duckdb.connect(str(place), read_only=True) if place.is_file() else duckdb.connect()
    connection.execute("set enable_progress_bar = false")
    if place.is_dir():
        for name in ("customers", "orders", "items"):
            connection.execute(f"create view {name} as from read_parquet('{place / name}.parquet')")
    return lambda: connection.sql(PLAIN[question]).fetchall()


def ask_privately(place: Path, question: str) -> Callable[[], object]:
    """The question of dampen, from a database that was opened just now."""
    import dampen

    shop = dampen.Database(
        place, person="customers.id", links=LINKS, budget=dampen.Budget(epsilon=10),
        columns={"items.price": dampen.Number(0, 100_000), "items.flag": dampen.Category(*FLAGS)},
    )  # fmt: skip
    items = shop.table("items")
    asked: dict[str, Callable[[], Any]] = {
        "count": lambda: items.count(epsilon=1),
        "sum": lambda: items.sum("price", epsilon=1),
        "by": lambda: items.by("flag").count(epsilon=1),
    }
    return asked[question]


def measure(who: str, question: str, place: Path) -> dict[str, float]:
    """One measurement in this process."""
    ask = {"duckdb": ask_plainly, "dampen": ask_privately}[who](place, question)
    start, used = perf_counter(), process_time()
    ask()
    seconds, processor = perf_counter() - start, process_time() - used
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "processor": processor, "megabytes": peak}


def measure_apart(who: str, question: str, place: Path) -> dict[str, float]:
    """One measurement in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.people_speed", "--one", who, question, str(place)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def compare(question: str, place: Path, rounds: int) -> dict[str, dict[str, float]]:
    """Both sides in turns; the median of each figure."""
    runs: dict[str, list[dict[str, float]]] = {"duckdb": [], "dampen": []}
    for _ in range(rounds):
        for who, own in runs.items():
            own.append(measure_apart(who, question, place))
    return {
        who: {figure: median(run[figure] for run in own) for figure in ("seconds", "processor", "megabytes")}
        for who, own in runs.items()
    }


def main() -> None:
    """Make the tables, compare, print a line for each question and the verdicts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", nargs=3, metavar=("WHO", "QUESTION", "PLACE"), help="measure one thing and stop")
    parser.add_argument("--rows", type=float, default=6e6, help="items, about")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each side")
    parser.add_argument("--form", choices=("stored", "parquet"), default="stored", help="a DuckDB file, or Parquet")
    parser.add_argument("--questions", default=",".join(PLAIN), help="which questions")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measure(given.one[0], given.one[1], Path(given.one[2]))))
        return
    ratios, sizes = dict[str, float](), dict[str, float]()
    with TemporaryDirectory() as folder:
        place = make_tables(Path(folder), int(given.rows), given.form)
        for question in given.questions.split(","):
            found = compare(question, place, given.rounds)
            plain, own = found["duckdb"], found["dampen"]
            ratios[question], sizes[question] = own["seconds"] / plain["seconds"], own["megabytes"]
            told = [
                f"{who} {one['seconds']:.2f} s, {one['processor']:.2f} s of the processor, {one['megabytes']:.0f} MB"
                for who, one in found.items()
            ]
            work = own["processor"] / plain["processor"]
            print(f"{question:<6} {'; '.join(told)}; ratios {ratios[question]:.2f}, {work:.2f}", flush=True)
    full = given.rows >= 6e7
    print(Target("seconds over those of the plain grouped query", 2, ratios if full else {}).line())
    print(Target("peak memory, MB", 1024, sizes if full else {}).line())


if __name__ == "__main__":
    main()
