"""Where should ``PrivateClassifier`` take the joint model, and where the decision table? On tables it was not tuned on.

Run ``python -m experiments.joint_threshold`` from the project's root with ``DAMPEN_DATA`` set. Every run holds out a
random tenth of the rows of a table of :mod:`experiments.made_tables`, fits table and joint model on the others, and
counts right answers on the tenth; differences are paired. Fits draw from the system's entropy. What was seen stands in
docs/classifier.md.
"""

import argparse
from fractions import Fraction
from math import sqrt

import numpy as np
from rich.progress import Progress

from dampen import Budget
from dampen.learn import PrivateClassifier, PrivateScorecard
from dampen.learn.joint_model import schema_noise_share
from dampen.vectors import Floats
from experiments.made_tables import MADE, MadeTable
from experiments.private_classifier import split

EPSILONS = ("0.1", "0.3", "1")
RUNS = 5
WAYS = ("table", "joint", "scorecard")


def accuracies(made: MadeTable, epsilon: str, run: int) -> Floats:
    """The shares of right answers of decision table, joint model and scorecard on the same hold-out."""
    kept, held = split(made.rows, run)
    known = {name: column[kept] for name, column in made.columns.items()}
    asked = {name: column[held] for name, column in made.columns.items()}
    found = []
    for way in WAYS:
        budget = Budget(epsilon=epsilon)
        if way == "scorecard":
            model = PrivateScorecard(epsilon, schema=made.schema, budget=budget, expected_records=len(kept))
        else:
            model = PrivateClassifier(epsilon, made.schema, budget, len(kept), kind=way)
        told = model.fit(known, made.classes[kept]).predict(asked)
        found.append(float((told == made.classes[held]).mean()))
    return np.array(found)


def main() -> None:
    """Print a row for each table and epsilon."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", nargs="+", default=list(MADE), choices=list(MADE))
    parser.add_argument("--epsilons", nargs="+", default=list(EPSILONS))
    parser.add_argument("--runs", type=int, default=RUNS)
    chosen = parser.parse_args()
    print("| table | epsilon | rho | decision table | joint model | scorecard |\n|---|---|---|---|---|---|")
    with Progress(transient=True) as progress:
        bar = progress.add_task("fits", total=len(chosen.data) * len(chosen.epsilons) * chosen.runs)
        for name in chosen.data:
            made = MADE[name]()
            for epsilon in chosen.epsilons:
                rows = []
                for run in range(chosen.runs):
                    rows.append(accuracies(made, epsilon, run))
                    progress.advance(bar)
                print(f"| {name} | {epsilon} | {_row(made, epsilon, np.array(rows))} |", flush=True)


def _row(made: MadeTable, epsilon: str, found: Floats) -> str:
    rho = float(schema_noise_share(made.schema, Fraction(epsilon), made.rows * 9 // 10))
    parts = [f"{rho:.4f}", f"{found[:, 0].mean():.4f}"]
    for place in (1, 2):
        ahead = found[:, place] - found[:, 0]
        parts.append(f"{ahead.mean():+.4f} ±{ahead.std(ddof=min(1, len(ahead) - 1)) / sqrt(len(ahead)):.4f}")
    return " | ".join(parts)


if __name__ == "__main__":
    main()
