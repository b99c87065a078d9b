"""Figure 11 of the local dampening paper: how often a private ID3 tree is right, by three choices of its attributes.

Run ``python -m experiments.figure_11_id3`` from the project's root with ``DAMPEN_DATA`` set (``--synthetic``: on tables
of the same shape, made up). It writes two CSV files and, where matplotlib is installed, a picture; all is seeded, so
that they come out the same again. What came out stands in docs/reproductions.md.

NOT PRIVATE. GlobalDiffPID3 and ShiftedLocalDiffPID3 read a global sensitivity off the private number of records, and
numbers are cut into bins between the least and the largest of the data. Nothing is released here.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.progress import Progress

from dampen.learn import PrivateClassifier, PrivateTreeClassifier
from dampen.vectors import Floats
from experiments import tree_choices as choices
from experiments.coded_tables import load
from experiments.tree_figures import Curve, Row, draw, grid, markdown, measured, our_curve, published, write

NAMES = ("nltcs", "adult", "acs")
DEPTHS = (2, 5)
EPSILONS = ("0.01", "0.05", "0.1", "0.5", "1", "2")
RUNS, PARTS = 2, 10
MOST_RECORDS = 2**20
"""Public: no table of this kind has more records."""
RESULTS = Path(__file__).resolve().parent / "results"
CURVES = {
    "global": Curve("GlobalDiffPID3", ("tab:blue", "o", "--"), published(lambda *_: choices.exponential)),
    "local": Curve("LocalDiffPID3", ("tab:gray", "s", "--"), published(lambda *_: choices.local_dampening)),
    "shifted": Curve("ShiftedLocalDiffPID3", ("tab:red", "D", "-"), published(lambda *_: choices.shifted_dampening)),
    "noisy_counts": Curve("SuLQ", ("tab:brown", "v", ":"), published(lambda *_: choices.noisy_counts)),
    "tree_exponential": our_curve(
        "tree, exponential, public bound (ours)",
        ("tab:cyan", "x", ":"),
        lambda e, d, n: PrivateTreeClassifier(e, d, "information_gain", "exponential", MOST_RECORDS),
    ),
    "tree_pairwise": our_curve(
        "tree, pairwise dampening (ours)",
        ("tab:purple", "P", "-"),
        lambda e, d, n: PrivateTreeClassifier(e, d, "information_gain"),
    ),
    "tree": our_curve("tree, default (ours)", ("tab:olive", "^", "-"), lambda e, d, n: PrivateTreeClassifier(e, d)),
    "classifier": our_curve(
        "PrivateClassifier (ours)", ("tab:green", "*", "-"), lambda e, d, n: PrivateClassifier(e, expected_records=n)
    ),
}
CLAIMS = (("local", "global"), ("shifted", "local"))
"""The text: the first of each pair is more accurate than the second, almost everywhere."""


def compared(seen: dict[tuple[str, str, str], Floats]) -> list[Row]:
    """For each claim, panel and epsilon the mean difference, fold by fold, and its standard error."""
    rows = []
    for better, worse in CLAIMS:
        for panel, epsilon in dict.fromkeys((panel, epsilon) for panel, _, epsilon in seen):
            gaps = seen[panel, better, epsilon] - seen[panel, worse, epsilon]
            error = float(gaps.std(ddof=1)) / len(gaps) ** 0.5 if len(gaps) > 1 else 0.0
            rows.append(
                {
                    "claim": f"{better} > {worse}, {panel.rsplit(', ', 1)[1]}",
                    "panel": panel,
                    "epsilon": epsilon,
                    "gain": f"{gaps.mean():.4f}",
                    "error": f"{error:.4f}",
                }
            )
    return rows


def counted(pairs: Sequence[Row]) -> str:
    """How many points bear each claim out: by sign, and beyond two standard errors."""
    lines = ["| claim | points | higher | lower | higher by 2 errors | lower by 2 errors | most | least |"]
    lines.append("|---|" + "---:|" * 7)
    for claim in dict.fromkeys(row["claim"] for row in pairs):
        own = [row for row in pairs if row["claim"] == claim]
        gains = np.array([float(row["gain"]) for row in own])
        errors = np.array([float(row["error"]) for row in own])
        numbers = (
            len(own),
            (gains > 0).sum(),
            (gains < 0).sum(),
            (gains > 2 * errors).sum(),
            (gains < -2 * errors).sum(),
        )
        lines.append(f"| {claim} | " + " | ".join(map(str, numbers)) + f" | {gains.max():+.3f} | {gains.min():+.3f} |")
    return "\n".join(lines)


def main(given: list[str] | None = None) -> None:
    """Measure, write and show."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", nargs="+", choices=NAMES, default=list(NAMES))
    parser.add_argument("--epsilons", nargs="+", default=list(EPSILONS))
    parser.add_argument("--depths", nargs="+", type=int, default=list(DEPTHS))
    parser.add_argument("--runs", type=int, default=RUNS, help=f"of {PARTS}-fold cross-validation; the paper has 10")
    parser.add_argument("--synthetic", action="store_true", help="made-up tables of the same shape")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the CSV files and the picture")
    options = parser.parse_args(given)
    rows: list[Row] = []
    seen: dict[tuple[str, str, str], Floats] = {}
    with Progress(transient=True) as progress:
        points = grid(options.depths, options.epsilons)
        task = progress.add_task("Figure 11", total=len(options.data) * len(points) * len(CURVES))
        for row, accuracies in measured(
            options.data, points, CURVES, lambda name: load(name, made_up=options.synthetic), runs=options.runs,
            parts=PARTS, seed=options.seed,
        ):  # fmt: skip
            rows.append(row)
            seen[row["panel"], row["method"], row["epsilon"]] = accuracies
            progress.update(task, advance=1, description=f"{row['panel']}, epsilon {row['epsilon']}")
    options.out.mkdir(parents=True, exist_ok=True)
    write(rows, options.out / "figure_11_id3.csv")
    write(compared(seen), options.out / "figure_11_id3_claims.csv")
    draw(rows, CURVES, 2 * len(options.depths), options.out / "figure_11_id3.png")
    print("NOT PRIVATE: bounds and bins are read off the data, as in the paper.")
    print(markdown(rows, CURVES))
    print(counted(compared(seen)))


if __name__ == "__main__":
    main()
