"""How far counts of rows are off that hide a person with all rows: ``python -m benchmarks.people``.

From exact laws (``benchmarks/people_laws.py``), so that nothing depends on the machine or on luck. Nine sequences of
degrees and three histograms are read from the folder ``DAMPEN_DATA``; a degree or a count is how many rows one person
has. ``--only`` takes some of them.
"""

import argparse
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from statistics import geometric_mean

from benchmarks.people_laws import CAP_100, CHANCES, HINDSIGHT, LAWS, NAMES, R2T, RACE, People, errors_of
from benchmarks.targets import Target
from dampen.errors import ParameterError

EPSILONS = ("0.1", "1", "3")
RESULTS = Path(__file__).resolve().parent / "results" / "people.json"

Key = tuple[str, str, str]
"""A data set, an epsilon, and a point of the error: the median or 95 %."""
Errors = Mapping[Key, Mapping[str, float]]


def measure(names: Iterable[str]) -> dict[Key, dict[str, float]]:
    """Everybody's errors in every cell."""
    found = dict[Key, dict[str, float]]()
    for name in names:
        people = People.load(name)
        for epsilon in EPSILONS:
            for point, chance in CHANCES.items():
                found[name, epsilon, point] = errors_of(people, Fraction(epsilon), chance)
    return found


def over_hindsight(errors: Errors, who: str) -> dict[str, float]:
    """Geometric means over the data sets of the error over that of the best cap."""
    cells = {(epsilon, point) for _, epsilon, point in errors}
    return {
        f"epsilon {epsilon}, {point}": geometric_mean(
            row[who] / row[HINDSIGHT] for (_, *cell), row in errors.items() if cell == [epsilon, point]
        )
        for epsilon, point in sorted(cells)
    }


def error_table(errors: Errors) -> list[str]:
    """A table in Markdown: medians with 95 % points in parentheses, in per cent of the right answer."""
    who = (HINDSIGHT, *LAWS)
    rows = [["data", "epsilon", *who], ["---", "---:", *("---:" for _ in who)]]
    for name, epsilon in dict.fromkeys((name, epsilon) for name, epsilon, _ in errors):
        half, most = (errors[name, epsilon, point] for point in CHANCES)
        rows.append([name, epsilon, *(f"{_percent(half[one])} ({_percent(most[one])})" for one in who)])
    return [f"| {' | '.join(row)} |" for row in rows]


def mean_table(errors: Errors) -> list[str]:
    """A table in Markdown: errors over those of the best cap in hindsight."""
    rows = [["epsilon", *LAWS], ["---:", *("---:" for _ in LAWS)]]
    means = {who: over_hindsight(errors, who) for who in LAWS}
    for epsilon in EPSILONS:
        spots = [f"epsilon {epsilon}, {point}" for point in CHANCES]
        rows.append([epsilon, *("{:.3g} ({:.3g})".format(*(means[who][spot] for spot in spots)) for who in LAWS)])
    return [f"| {' | '.join(row)} |" for row in rows]


def targets(errors: Errors) -> list[Target]:
    """The promises of the cap race, which answers where nobody says a mechanism."""
    raced = {", ".join(key): row[RACE] / row[R2T] for key, row in errors.items()}
    beaten = sum(row[RACE] < row[CAP_100] for row in errors.values()) / len(errors)
    return [
        Target(f"{RACE}: geometric mean of error over hindsight, each epsilon", 2.2, over_hindsight(errors, RACE)),
        Target(f"{RACE} below {R2T} in every cell", 1, raced),
        Target(f"{RACE} below {CAP_100} in 80 % of the cells", 0.8, {"all cells": beaten}, at_least=True),
    ]


def main() -> None:
    """Compute, print the tables and the verdicts, and write them as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.people", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, help="some of the data sets")
    try:
        errors = measure(parser.parse_args().only)
    except ParameterError as reason:
        print(f"Skipped: {reason}.")
        return
    print("\n".join(error_table(errors)), end="\n\n")
    print("\n".join(mean_table(errors)), end="\n\n")
    lost = [", ".join(key) for key, row in errors.items() if row[RACE] >= row[CAP_100]]
    print(f"{CAP_100} errs less than the {RACE}: {'; '.join(lost) or 'nowhere'}")
    promises = targets(errors)
    print(*(target.line() for target in promises), sep="\n")
    content = {
        "errors": {", ".join(key): row for key, row in errors.items()},
        "targets": [{**asdict(target), "met": target.met} for target in promises],
    }
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(content, indent=1) + "\n")


def _percent(share: float) -> str:
    return f"{100 * share:.2g}" if share < 0.995 else f"{100 * share:.0f}"


if __name__ == "__main__":
    main()
