"""Figure 11 of the local dampening paper: how often a private ID3 tree is right, by three choices of its attributes.

Run ``python -m experiments.figure_11_id3`` from the project's root with ``DAMPEN_DATA`` set (``--synthetic``: on tables
of the same shape, made up). It writes two CSV files and, where matplotlib is installed, a picture; all is seeded, so
that they come out the same again. What came out stands in docs/reproductions.md.

NOT PRIVATE. GlobalDiffPID3 and ShiftedLocalDiffPID3 read a global sensitivity off the private number of records, and
numbers are cut into bins between the least and the largest of the data. Nothing is released here.
"""

from dampen.learn import PrivateClassifier, PrivateTreeClassifier
from experiments import tree_choices as choices
from experiments.tree_figures import (
    Curve,
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

NAMES = ("nltcs", "adult", "acs")
EPSILONS = ("0.01", "0.05", "0.1", "0.5", "1", "2")
RUNS = 1
MOST_RECORDS = 2**20
"""Public: no table of this kind has more records."""
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
CLAIMS = {"Local > Global": ("local", ("global",)), "Shifted > Local": ("shifted", ("local",))}
"""The text: the first is more accurate than the second, almost everywhere."""


def main(given: list[str] | None = None) -> None:
    """Measure, write and show."""
    options = parsed(__doc__, given, names=NAMES, epsilons=EPSILONS, runs=RUNS, seed=11)
    rows, seen = collected(options, CURVES, "Figure 11")
    claims = compared(seen, CLAIMS)
    write(rows, options.out / "figure_11_id3.csv")
    write(claims, options.out / "figure_11_id3_claims.csv")
    draw(rows, CURVES, 2 * len(options.depths), options.out / "figure_11_id3.png")
    print("NOT PRIVATE: bounds and bins are read off the data, as in the paper.")
    print(markdown(rows, CURVES))
    print(counted(claims))


if __name__ == "__main__":
    main()
