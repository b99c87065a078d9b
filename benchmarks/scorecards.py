"""A private scorecard and a joint model on Adult beside scikit-learn's logistic regression on the same indicators.

python -m benchmarks.scorecards
"""

import argparse
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import OneHotEncoder

from benchmarks.coded_tables import CodedTable, coded
from benchmarks.targets import Target
from benchmarks.timing import Run, interleaved_medians
from dampen import Budget, Number
from dampen.learn import PrivateClassifier, PrivateScorecard
from dampen.learn.scorecard_model import with_bins
from dampen.vectors import Integers

SLOWEST, MOST_SCORECARD, MOST_JOINT = 3.0, 0.3, 1.0
"""How many times as long as the peer a scorecard may take; seconds of a scorecard and of a joint model."""


def processor_time(action: Callable[[], object]) -> Run:
    """A run that counts the processor's seconds, which other processes do not lengthen."""

    def run() -> float:
        start = process_time()
        action()
        return process_time() - start

    return run


def places(table: CodedTable) -> Integers:
    """The places of all values in the scorecard's own bins."""
    schema = with_bins(table.schema)
    edges = schema.edges()
    return np.column_stack([
        np.searchsorted(edges[name], column, side="right") if isinstance(found, Number) else column
        for (name, found), column in zip(schema.attributes.items(), table.values.T, strict=True)
    ]).astype(np.int64)  # fmt: skip


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    table = coded("adult")
    public: dict[str, Any] = {
        "schema": table.schema,
        "budget": Budget(epsilon=10**6),
        "expected_records": len(table.values),
    }
    found = places(table)

    def peer() -> None:
        LogisticRegression(max_iter=1000).fit(OneHotEncoder().fit_transform(found), table.classes)

    runs: dict[str, Callable[[], object]] = {
        "scorecard": lambda: PrivateScorecard(1, **public).fit(table.values, table.classes),
        "joint model": lambda: PrivateClassifier(1, kind="joint", **public).fit(table.values, table.classes),
        "scikit-learn": peer,
    }
    for run in runs.values():
        run()
    seconds = interleaved_medians(
        {name: processor_time(run) for name, run in runs.items()}, rounds=rounds, allowance=60
    )
    for name, measured in seconds.items():
        print(f"{name}: {measured.seconds:.3f} s, median of {measured.runs}")
    ratio = seconds["scorecard"].seconds / seconds["scikit-learn"].seconds
    print(Target("scorecard beside LogisticRegression", SLOWEST, {"adult": ratio}).line())
    print(Target("seconds of a scorecard", MOST_SCORECARD, {"adult": seconds["scorecard"].seconds}).line())
    print(Target("seconds of a joint model", MOST_JOINT, {"adult": seconds["joint model"].seconds}).line())


if __name__ == "__main__":
    main()
