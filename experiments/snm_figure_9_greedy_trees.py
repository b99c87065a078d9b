"""Figure 9 of the Smooth Noisy Max thesis: greedy trees whose attributes are chosen by noise scaled to the data.

Run ``python -m experiments.snm_figure_9_greedy_trees`` from the project's root with ``DAMPEN_DATA`` set
(``--synthetic``: on tables of the same shape, made up). It writes three CSV files and, where matplotlib is installed, a
picture; all is seeded, so that they come out the same again. What came out stands in docs/reproductions.md.

NOT PRIVATE. Smooth noisy max as printed loses many times what is claimed (:func:`losses`); with the lead of the whole
data set, as the thesis's experiments have it, the loss has no limit. Nothing is released here.
"""

from collections.abc import Sequence
from math import log

import numpy as np

from dampen.learn import PrivateClassifier, PrivateTreeClassifier
from experiments import tree_choices as choices
from experiments.figure_11_id3 import EPSILONS, NAMES
from experiments.refuted import SmoothNoisyMaxLaplace, SmoothNoisyMaxStudent
from experiments.refuted.sensitivity_of_the_whole import lead, winner_with_lead
from experiments.refuted.smooth_noisy_max import SmoothNoisyMax
from experiments.tree_figures import (
    Curve,
    Row,
    collected,
    compared,
    counted,
    draw,
    markdown,
    our_curve,
    parsed,
    published,
    write,
)

RUNS = 1
CANDIDATES = 15
"""As many attributes as NLTCS has: among so many the loss of a choice is told."""
CURVES = {
    "exponential": Curve("EM", ("tab:blue", "o", "--"), published(lambda *_: choices.exponential)),
    "permute_and_flip": Curve("PF", ("tab:orange", "^", "--"), published(lambda *_: choices.permute_and_flip)),
    "shifted": Curve("SLD", ("tab:red", "D", "--"), published(lambda *_: choices.shifted_dampening)),
    "log_normal": Curve(
        "SNM-LLN", ("tab:cyan", "x", "-"), published(lambda *_: choices.smooth_noisy_max("log_normal"))
    ),
    "student": Curve("SNM-T", ("tab:purple", "P", "-"), published(lambda *_: choices.smooth_noisy_max("student"))),
    "laplace": Curve("SNM-LAP", ("tab:pink", "v", "-"), published(lambda *_: choices.smooth_noisy_max("laplace"))),
    "student_whole": Curve(
        "SNM-T, S of the whole data set",
        ("tab:brown", "s", ":"),
        published(lambda table, e: choices.smooth_noisy_max_of_the_whole(choices.whole_lead(table), float(e))),
    ),
    "tree_stable": our_curve(
        "tree, StableArgmax (ours)",
        ("tab:gray", "d", "-"),
        lambda e, d, n: PrivateTreeClassifier(e, d, "max", "stable"),
    ),
    "tree": our_curve("tree, default (ours)", ("tab:olive", "<", "-"), lambda e, d, n: PrivateTreeClassifier(e, d)),
    "classifier": our_curve(
        "PrivateClassifier (ours)", ("tab:green", "*", "-"), lambda e, d, n: PrivateClassifier(e, expected_records=n)
    ),
}
RIVALS = ("exponential", "permute_and_flip", "shifted")
CLAIMS = {
    "SNM-T > EM, PF and SLD": ("student", RIVALS),
    "SNM-LLN > EM, PF and SLD": ("log_normal", RIVALS),
    "SNM-T > tree, default (ours)": ("student", ("tree",)),
}
"""The first two are the thesis's. The third is no fair race: the one is private, the other is not."""


def worst_of(mechanism: SmoothNoisyMax, candidates: int, delta_at: float | None = None) -> float:
    """The largest loss of one choice, or its exact delta at an epsilon: another winner, and a lead that grows by one.

    The lead is the thesis's: the difference of the first and the second, whatever their order. Leads are tried at which
    the noise is as large as the utility, and a half, a quarter ... of it.
    """
    steps = [max(0, int(log(2**power / mechanism.alpha) / mechanism.beta)) for power in range(6)]
    zeros = [0] * (candidates - 1)
    pairs = [([0, *zeros], [0, 1, *zeros[1:]]), *(([k, *zeros], [k + 1, *zeros]) for k in steps)]
    worst = 0.0
    for pair in pairs:
        one, other = (
            mechanism.log_probabilities(winner_with_lead(np.array(scores), lead(scores)).as_public()) for scores in pair
        )
        if delta_at is None:
            worst = max(worst, float(np.abs(one - other).max()))
        else:
            p, q, factor = np.exp(one), np.exp(other), np.exp(delta_at)
            worst = max(worst, float(np.maximum(p - factor * q, 0).sum()), float(np.maximum(q - factor * p, 0).sum()))
    return worst


def losses(depth: int, epsilons: Sequence[str], candidates: int) -> list[Row]:
    """What one choice of a tree loses: claimed, and true with noise as printed; two numbers for each epsilon."""
    rows = []
    for epsilon in epsilons:
        share = float(epsilon) / (2 * (depth + 1))
        true = worst_of(SmoothNoisyMaxStudent(share), candidates)
        delta = worst_of(SmoothNoisyMaxLaplace(share), candidates, share)
        rows.append(
            {
                "depth": str(depth),
                "epsilon": epsilon,
                "claimed": f"{share:.5f}",
                "student": f"{true:.4f}",
                "times": f"{true / share:.1f}",
                "laplace_delta": f"{delta:.1e}",
            }
        )
    return rows


def shown(rows: Sequence[Row]) -> str:
    """The losses as a Markdown table."""
    lines = [
        "| depth | epsilon of the tree | one choice, claimed | SNM-T, true | times | SNM-LAP, delta (claimed 1e-6) |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    return "\n".join([*lines, *("| " + " | ".join(row.values()) + " |" for row in rows)])


def main(given: list[str] | None = None) -> None:
    """Measure, write and show."""
    options = parsed(__doc__, given, names=NAMES, epsilons=EPSILONS, runs=RUNS, seed=9)
    rows, seen = collected(options, CURVES, "SNM Figure 9")
    claims = compared(seen, CLAIMS)
    true = [row for depth in options.depths for row in losses(depth, options.epsilons, CANDIDATES)]
    write(rows, options.out / "snm_figure_9_greedy_trees.csv")
    write(claims, options.out / "snm_figure_9_greedy_trees_claims.csv")
    write(true, options.out / "snm_figure_9_greedy_trees_losses.csv")
    draw(rows, CURVES, 2 * len(options.depths), options.out / "snm_figure_9_greedy_trees.png")
    print(f"NOT PRIVATE: what one choice among {CANDIDATES} attributes loses.")
    print(shown(true))
    print(markdown(rows, CURVES))
    print(counted(claims))


if __name__ == "__main__":
    main()
