"""A plan for twenty questions, by epsilon and by rho, and comparisons on a million public rows.

Run ``python -m benchmarks.plans`` from the project's root. Nothing is asked: plans read descriptions, and the rows of
the comparison are made up. benchmarks/README.md says what is timed.
"""

import argparse
import json
from math import inf
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

import dampen
from benchmarks.targets import Target

LONGEST_PLAN, LONGEST_COMPARISON = 2.0, 5.0
"""In seconds."""
QUESTIONS = (
    *(f"percentile {p} of pay" for p in (5, 10, 25, 50, 75, 90, 95)),
    *("median pay by team", "percentiles 25,50,75 of pay", "histogram pay", "histogram team", "most_common team"),
    *("count", "count by team", "count where team=lab", "sum pay", "sum pay by team", "mean pay", "mean pay by team"),
    "variance pay",
)
COMPARED = ("median", "mean", "variance", "histogram")
RESULTS = Path(__file__).resolve().parent / "results" / "plans.json"


def plan_all(measure: str) -> None:
    """Twenty questions, half of them with an error that is wished for, in epsilon or in rho."""
    whole: dict[str, Any] = {measure: 20}
    staff = dampen.Table(
        "none.csv",
        columns={"pay": dampen.Number(0, 10_000, step=50), "team": dampen.Category("sales", "lab", "board")},
        budget=dampen.Budget(**whole),
    )
    wished = {**dict.fromkeys(QUESTIONS[:7], 60), "count": "2%", "mean pay": 50, "mean pay by team": 120}
    dampen.plan(staff, QUESTIONS, error=wished, size=10_000, **whole)


def compare_all(question: str, rows: int) -> None:
    """All mechanisms of a question, at the usual epsilons."""
    pay = np.clip(np.random.default_rng(1).lognormal(7.8, 0.5, rows), 0, 10_000).astype(np.int64)
    dampen.compare(dampen.StandIn(pay).as_public(), question, bounds=(0, 10_000))


def timed(action: object, *arguments: object, rounds: int) -> float:
    """The shortest of several rounds, in seconds of the processor, after one that loads what is compiled."""
    assert callable(action)
    action(*arguments)
    best = inf
    for _ in range(rounds):
        start = process_time()
        action(*arguments)
        best = min(best, process_time() - start)
    return best


def main() -> None:
    """Time all and tell whether they were quick enough."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=10**6)
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    plans = {f"in {each}": timed(plan_all, each, rounds=given.rounds) for each in ("epsilon", "rho")}
    compared = {each: timed(compare_all, each, given.rows, rounds=given.rounds) for each in COMPARED}
    print(Target(f"{len(QUESTIONS)} questions are planned in {LONGEST_PLAN:g} s", LONGEST_PLAN, plans).line())
    title = f"a comparison on {given.rows} rows takes {LONGEST_COMPARISON:g} s"
    print(Target(title, LONGEST_COMPARISON, compared).line())
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({"plan": plans, "compare": compared, "rows": given.rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
