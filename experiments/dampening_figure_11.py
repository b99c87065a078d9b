"""Fig. 11 of the local dampening paper: how often a private ID3 tree is right, by three choices of its attributes.

NOT PRIVATE. GlobalDiffPID3 and ShiftedLocalDiffPID3 read a global sensitivity off the private number of records, and
numbers are cut into bins between the least and the largest of the data. Nothing is released here; all is seeded.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from dampen.learn import PrivateClassifier, PrivateTreeClassifier
from experiments import tree_choices as choices
from experiments.refuted import InformationGainWithPrivateSize
from experiments.refuted.base import is_refuted
from experiments.reproduction import DAMPENING, Claim, Findings, Losses, Row, number, where
from experiments.tree_figures import Count, Curve, TreeFigure, above, as_printed, catalogued, our_curve, published

NAMES = ("nltcs", "adult", "acs")
EPSILONS = ("0.01", "0.05", "0.1", "0.5", "1", "2")
RUNS = 10
MOST_RECORDS = 2**20
"""Public: no table of this kind has more records."""
CURVES = {
    "global": Curve("GlobalDiffPID3", "exponential", published(lambda *_: choices.exponential)),
    "local": Curve("LocalDiffPID3", "local_dampening", published(lambda *_: choices.local_dampening)),
    "shifted": Curve("ShiftedLocalDiffPID3", "shifted", published(lambda *_: choices.shifted_dampening)),
    "noisy_counts": Curve("SuLQ", "published_too", published(lambda *_: choices.noisy_counts)),
    "tree_exponential": our_curve(
        "tree, exponential, public bound (ours)",
        "sound_third",
        lambda e, d, n: PrivateTreeClassifier(e, d, "information_gain", "exponential", MOST_RECORDS),
    ),
    "tree_pairwise": our_curve(
        "tree, pairwise dampening (ours)", "sound", lambda e, d, n: PrivateTreeClassifier(e, d, "information_gain")
    ),
    "tree": our_curve("tree, max operator (ours)", "straw_man", lambda e, d, n: PrivateTreeClassifier(e, d)),
    "classifier": our_curve(
        "PrivateClassifier (ours)", "default", lambda e, d, n: PrivateClassifier(e, expected_records=n)
    ),
}
CLAIMS = {
    "Local > Global": ("local", ("global",)),
    "Shifted > Local": ("shifted", ("local",)),
    "Shifted > Global": ("shifted", ("global",)),
}
"""The text: the first is more accurate than the second, almost everywhere."""
PAPERS = ("global", "local", "shifted")


class DampeningFigure11(TreeFigure):
    """ID3."""

    id = "dampening_figure_11"
    paper = DAMPENING
    title = "Fig. 11"
    subject = "ID3 trees of depth 2 and 5 on three tables"
    needs = catalogued(NAMES)
    tables, epsilons, runs, seed, methods, pairs = NAMES, EPSILONS, RUNS, 11, CURVES, CLAIMS
    parameters: ClassVar[Mapping[str, Any]] = {
        "tables": NAMES,
        "epsilons": EPSILONS,
        "runs": RUNS,
        "seed": 11,
        "folds": 10,
    }

    def claims(self, rows: Sequence[Row]) -> list[Claim]:
        """Section 7.4, counted over the 36 points with the rule as printed."""
        local, shifted = (Count.of(rows, claim, "printed") for claim in ("Local > Global", "Shifted > Local"))
        acs = [
            row for row in as_printed(rows) if row["panel"] == "ACS, depth 2, printed stop" and row["epsilon"] == 2.0
        ]
        last = {str(row["method"]): number(row, "accuracy") for row in acs}
        gain = Count.of(rows, "Shifted > Global", "printed")
        return [
            Claim(
                "Local is above Global at almost every epsilon, by up to 5 %",
                "section 7.4",
                f"at {local.higher} of {local.points} points, by up to {100 * local.most:.1f} %; below it at "
                f"{local.lower}, "
                f"beyond two standard errors at {local.clearly_lower}",
                local.higher > 0.8 * local.points,
            ),
            Claim(
                "Shifted is a little above Local, by up to 1 %",
                "section 7.4",
                f"above it at {shifted.higher} of {shifted.points} points and below at {shifted.lower}, by up to "
                f"{100 * shifted.most:.1f} %; beyond two standard errors above at {shifted.clearly_higher}, below at "
                f"{shifted.clearly_lower}",
                shifted.higher > shifted.points / 2 and shifted.clearly_lower == 0,
            ),
            Claim(
                "Shifted is above Global by up to 8 % on ACS and 4 % on Adult",
                "section 7.4",
                f"by up to {100 * self._most(rows, 'ACS'):.1f} % on ACS and {100 * self._most(rows, 'Adult'):.1f} % "
                "on Adult "
                f"({100 * gain.most:.1f} % at most anywhere)",
                self._most(rows, "ACS") > 0.07 and self._most(rows, "Adult") > 0.03,
            ),
            Claim(
                "on ACS at depth 2 Local picks a worse attribute however large epsilon is",
                "section 7.4",
                f"at epsilon 2 Local is right in {last['local']:.3f}, Global in {last['global']:.3f}",
                last["local"] < last["global"],
            ),
        ]

    def _most(self, rows: Sequence[Row], table: str) -> float:
        """The largest gain of Shifted over Global on a table, by the printed rule."""
        means = {
            (row["panel"], row["epsilon"], row["method"]): number(row, "accuracy")
            for row in as_printed(rows)
            if str(row["panel"]).startswith(table)
        }
        return max(value - means[p, e, "global"] for (p, e, m), value in means.items() if m == "shifted")

    def losses(self) -> dict[str, float]:
        """1 where the stored pair of the fence disagrees on something public."""
        kind = InformationGainWithPrivateSize
        return {"frame_leaks": float(is_refuted(kind.as_claimed(), kind.evidence))}

    def private(self, rows: Sequence[Row], losses: Losses) -> bool:
        """Global and Shifted take a private number for public."""
        return losses["frame_leaks"] == 0

    def findings(self, rows: Sequence[Row], losses: Losses) -> Findings:
        """Counted over the 36 points with the rule as printed."""
        held = as_printed(rows)
        points = len(where(held, method="global"))
        ours = {method: above(held, method, *PAPERS) for method in ("tree_pairwise", "tree", "classifier")}
        return Findings(
            published="see the counts; dampening changes the order of attributes, so Local stays behind on NLTCS "
            "and ACS as "
            "epsilon grows",
            privacy="Local is, with the sensitivity function used here; with the guard of Algorithm 5 it is not "
            "admissible "
            "(`DampeningByGuardedCandidates`). Global and Shifted are not: they read their bound off the number of "
            "records "
            "of the node, which is private, and the frame leaks (`InformationGainWithPrivateSize`). SuLQ is. The "
            "bins of "
            "numbers are the data's own",
            sound="the exponential mechanism with a public bound is above Global at "
            f"{above(held, 'tree_exponential', 'global')} "
            f"of {points} points, pairwise dampening, which needs none, above all three at {ours['tree_pairwise']}",
            default=f"`PrivateClassifier` is above all three at {ours['classifier']} of {points} points",
            straw_man="permute-and-flip on the max operator with all of epsilon (`PrivateTreeClassifier`): above "
            "all three "
            f"at {ours['tree']}",
        )

    def remarks(self) -> Sequence[str]:
        """What differs from the paper."""
        return (
            f"{RUNS} runs of ten folds, the same folds and random numbers for all methods.",
            "The global sensitivity is that of the node's own number of records; the paper writes N, the size of "
            "the data "
            "set.",
            "Adult has 7 categories and 5 numbers (the paper says 8 and 4), and numbers are cut into 20 bins, which "
            "the "
            "paper does not tell. Our classifiers have the same 20 bins, between public bounds.",
            "The sign of the printed utility, which would choose the worst attribute, is turned.",
            "Only nodes that test records reach are grown, which changes nothing for them.",
        )
