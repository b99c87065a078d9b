"""Figure 10 of the Smooth Noisy Max thesis: random forests whose leaves are labelled by a private mechanism.

Run ``python -m experiments.snm_figure_10_random_forests`` from the project's root with ``DAMPEN_DATA`` set
(``--synthetic``: on tables of the same shape, made up). It writes two CSV files and, where matplotlib is installed, a
picture; all is seeded, so that they come out the same again. What came out stands in docs/reproductions.md.

NOT PRIVATE. The noise at every leaf is that of the whole data set: at epsilon 1 there is none, except on pen-digits
(``experiments.refuted.LeafLabelBySensitivityOfTheWhole``). Bounds of numbers are read off the data where no others are
known. Nothing is released here.
"""

import argparse
from collections.abc import Iterator
from math import log

import numpy as np
from rich.progress import Progress

from dampen.learn import PrivateClassifier, PrivateForestClassifier
from dampen.learn.estimator import PaidClassifier
from dampen.vectors import Floats, Integers
from experiments import published_forests as forests
from experiments.coded_tables import LABELS, Coded, accuracy_of, load
from experiments.refuted.sensitivity_of_the_whole import lead
from experiments.tree_figures import Curve, Row, as_row, draw, markdown, parsed, write

DEPTHS = {"adult_full": 9, "compas": 5, "wine_white": 10, "mushroom": 11, "pendigits": 12, "wall_following": 4}
"""As the thesis states them (p. 72)."""
EPSILONS = ("0.01", "0.05", "0.1", "1", "2")
RUNS = 10
PUBLISHED: dict[str, tuple[Curve, forests.Labels]] = {
    "majority": (Curve("WDP, no privacy", ("black", ".", ":")), forests.majority),
    "exponential": (Curve("EM", ("tab:blue", "o", "--")), forests.exponential),
    "permute_and_flip": (Curve("PF", ("tab:orange", "^", "--")), forests.permute_and_flip),
    "local_dampening": (Curve("LD", ("tab:gray", "s", "--")), forests.local_dampening),
    "log_normal": (Curve("SNM-LLN", ("tab:cyan", "x", "-")), forests.smooth_noisy_max_of_the_whole("log_normal")),
    "student": (Curve("SNM-T", ("tab:purple", "P", "-")), forests.smooth_noisy_max_of_the_whole("student")),
    "laplace": (Curve("SNM-LAP", ("tab:pink", "v", "-")), forests.smooth_noisy_max_of_the_whole("laplace")),
    "student_leaf": (Curve("SNM-T, S of the leaf", ("tab:brown", "d", ":")), forests.smooth_noisy_max_of_the_leaf),
    "stable": (Curve("StableArgmax (ours)", ("tab:red", "D", "-")), forests.stable),
    "flip_counts": (Curve("PF on counts (ours)", ("tab:olive", "<", "-")), forests.flip_counts),
}
OURS = {
    "forest": Curve("PrivateForestClassifier (ours)", ("darkgreen", ">", "--")),
    "classifier": Curve("PrivateClassifier (ours)", ("tab:green", "*", "-")),
}
RIVALS = ("exponential", "permute_and_flip", "local_dampening")
CURVES = {**{method: curve for method, (curve, _) in PUBLISHED.items()}, **OURS}


def split(rows: int, run: int, seed: int) -> tuple[Integers, Integers]:
    """Four fifths to train on, and the rest."""
    order = np.random.default_rng([seed, rows, run]).permutation(rows)
    return order[: rows * 4 // 5], order[rows * 4 // 5 :]


def accuracies(
    table: Coded, depth: int, epsilons: list[str], runs: int, seed: list[int]
) -> Iterator[dict[tuple[str, str], float]]:
    """For each run, method and epsilon how often a forest is right; one forest for all published methods of a run."""
    whole = lead(np.bincount(table.labels, minlength=table.layout.classes))
    for run in range(runs):
        train, test = split(table.rows, run, seed[0])
        leaves = forests.leaves_of(table, train, test, depth, np.random.default_rng([*seed, run]))
        found: dict[tuple[str, str], float] = {}
        for at, epsilon in enumerate(epsilons):
            for method, (_, labels) in PUBLISHED.items():
                rng = np.random.default_rng([*seed, run, at])
                told = forests.votes(leaves, labels(leaves, float(epsilon), whole, rng), rng)
                found[method, epsilon] = float((told == table.labels[test]).mean())
            made: dict[str, PaidClassifier] = {
                "forest": PrivateForestClassifier(epsilon),
                "classifier": PrivateClassifier(epsilon, expected_records=len(train)),
            }
            for method, model in made.items():
                found[method, epsilon] = accuracy_of(model, table, train, test, epsilon, [*seed, run, at])
        yield found


def noiseless(table: Coded, epsilon: str) -> Row:
    """What is known without a forest: the lead j, S = exp(-j epsilon) in powers of ten, and the largest class."""
    counts = np.bincount(table.labels, minlength=table.layout.classes)
    return {
        "lead": str(lead(counts)),
        "epsilon": epsilon,
        "log10_smooth": f"{-lead(counts) * float(epsilon) / log(10):.1f}",
        "largest_class": f"{counts.max() / counts.sum():.4f}",
    }


def measured(options: argparse.Namespace) -> Iterator[tuple[list[Row], list[Row]]]:
    """The rows of each table, and what is known of it without a forest."""
    for name in options.data:
        table, seen = load(name, made_up=options.synthetic), dict[tuple[str, str], list[float]]()
        seed = [options.seed, options.places[name]]
        for found in accuracies(table, DEPTHS[name], options.epsilons, options.runs, seed):
            for key, value in found.items():
                seen.setdefault(key, []).append(value)
        panel = f"{LABELS[name]}, depth {DEPTHS[name]}"
        rows = [as_row(panel, method, e, _array(seen[method, e])) for method in CURVES for e in options.epsilons]
        yield rows, [{"table": LABELS[name], **noiseless(table, epsilon)} for epsilon in options.epsilons]


def _array(values: list[float]) -> Floats:
    return np.array(values)


def counted(rows: list[Row]) -> str:
    """At how many points the three smooth noisy max curves reach what the thesis says of them, and what ours reach."""
    means = {(row["panel"], row["method"], row["epsilon"]): float(row["accuracy"]) for row in rows}
    points = list(dict.fromkeys((row["panel"], row["epsilon"]) for row in rows))

    def above(method: str, point: tuple[str, str], rivals: tuple[str, ...], slack: float = 0) -> bool:
        panel, epsilon = point
        return means[panel, method, epsilon] > max(means[panel, rival, epsilon] for rival in rivals) - slack

    questions = {
        "above EM, PF and LD": (RIVALS, 0.0),
        "not more than 0.01 below WDP": (("majority",), 0.01),
        "above PF on counts (ours)": (("flip_counts",), 0.0),
        "above PrivateClassifier (ours)": (("classifier",), 0.0),
    }
    asked = ("log_normal", "student", "laplace", "student_leaf", "stable", "flip_counts")
    lines = [f"| of {len(points)} points | " + " | ".join(CURVES[m].label for m in asked) + " |"]
    lines.append("|---|" + "---:|" * len(asked))
    for name, rule in questions.items():
        lines.append(f"| {name} | " + " | ".join(str(sum(above(m, at, *rule) for at in points)) for m in asked) + " |")
    return "\n".join(lines)


def main(given: list[str] | None = None) -> None:
    """Measure, write and show."""
    options = parsed(__doc__, given, names=tuple(DEPTHS), epsilons=EPSILONS, runs=RUNS, seed=10)
    rows, known = list[Row](), list[Row]()
    with Progress(transient=True) as progress:
        task = progress.add_task("SNM Figure 10", total=len(options.data))
        for more, facts in measured(options):
            rows += more
            known += facts
            progress.advance(task)
    write(rows, options.out / "snm_figure_10_random_forests.csv")
    write(known, options.out / "snm_figure_10_random_forests_noise.csv")
    draw(rows, CURVES, 3, options.out / "snm_figure_10_random_forests.png")
    print("NOT PRIVATE: the noise of all leaves is that of the whole data set.")
    print(markdown(rows, CURVES))
    print(counted(rows))


if __name__ == "__main__":
    main()
