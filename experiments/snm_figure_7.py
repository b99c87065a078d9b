"""Fig. 7 of the Smooth Noisy Max thesis: private percentiles by utilities of 0 and 1. Exact laws by quadrature.

The candidates are the 4096 positions of the sorted records, as in the thesis. The smooth sensitivity is
exp(-(2 j + 1) epsilon), with j equal records on the shorter side of the percentile (Lemma 5.4), and the noise has the
parameters that are printed (``experiments.refuted``). Our methods answer with a value of a public grid.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import exp
from typing import Any, ClassVar

import numpy as np

from dampen import Adjacency, Frame, SelectionProblem
from dampen.mechanisms import Exponential, LocalDampening, ParetoNoisyMax, PermuteAndFlip, StableArgmax
from experiments.percentile_answers import (
    DATA,
    Answers,
    default_answers,
    grid_answers,
    label_answers,
    positions_answers,
    probabilities,
    rank_answers,
    smooth_noisy_max_chance,
    ties,
)
from experiments.pictures import curves, grid, legend
from experiments.refuted import SmoothNoisyMaxLaplace, SmoothNoisyMaxStudent, StableArgmaxByLemma53
from experiments.refuted.base import measured_delta, measured_loss
from experiments.refuted.smooth_noisy_max import SmoothNoisyMax
from experiments.reproduction import (
    SNM,
    Cell,
    Claim,
    Findings,
    Losses,
    Reproduction,
    Row,
    distinct,
    markdown,
    number,
    one,
    rounded,
    shown,
    where,
)

PERCENTS = (50, 90, 99)
EPSILONS = tuple(float(epsilon) for epsilon in np.logspace(-1, 2, 31))
METHODS = {
    "em": ("EM", "exponential"),
    "pf": ("PF", "permute_and_flip"),
    "ld": ("LD", "local_dampening"),
    "ld2": ("LD2", "sound_too"),
    "snm_lap": ("SNM-LAP", "published_too"),
    "snm_t": ("SNM-T", "published"),
    "pareto": ("ParetoNoisyMax", "sound_third"),
    "stable": ("StableArgmax", "sound"),
    "rank": ("ranks (straw man)", "straw_man"),
    "default": ("dampen.percentile", "default"),
}
PAPERS = ("em", "pf", "ld", "ld2", "snm_lap", "snm_t")
RIVALS = ("em", "pf", "ld", "ld2")
PRINTED_TIES = {"PATENT": 0, "HEPTH": 2, "INCOME": 10}
"""The j of each median."""
PRINTED_SAVINGS = {
    "ld": {
        ("HEPTH", 50): 69,
        ("HEPTH", 90): 51,
        ("HEPTH", 99): 51,
        **{("PATENT", p): s for p, s in ((50, 51), (90, 70), (99, 70))},
    },
    "ld2": {
        **{("HEPTH", p): s for p, s in ((50, 85), (90, 76), (99, 76))},
        **{("PATENT", p): 70 for p in (90, 99)},
    },
}
"""By how many percent less budget SNM-T needs than LD and LD2 to come within 5 of the percentile."""
NEAR = 5


@lru_cache(maxsize=2)
def two_kinds(right: int, wrong: int) -> SelectionProblem:
    """So many candidates of utility 1 and so many of 0."""
    frame = Frame(range(right + wrong), bound=1, adjacency=Adjacency.ADD_REMOVE)
    return SelectionProblem(frame, [1] * right + [0] * wrong)


def classical(mechanism: Exponential | PermuteAndFlip) -> Callable[[int, int], float]:
    """The chance of a right position by a classical mechanism."""
    return lambda right, wrong: float(probabilities(mechanism, two_kinds(right, wrong))[:right].sum())


def dampened(epsilon: float, steps: int) -> Callable[[int, int], float]:
    """By local dampening with the flat part resolved to 0: a score of ``steps`` for right positions."""

    def chance(right: int, wrong: int) -> float:
        return right / (right + wrong * exp(-min(epsilon * steps / 2, 700)))

    return chance


def noisy(noise: SmoothNoisyMax, j: int) -> Callable[[int, int], float]:
    """By smooth noisy max: the lead is alpha / (2 S), cut where no noise reaches."""
    lead = min(noise.alpha / 2 * exp(min((2 * j + 1) * noise.epsilon, 600)), 1e100)
    return lambda right, wrong: smooth_noisy_max_chance(noise, lead, right, wrong)


def answers(method: str, name: str, p: int, epsilon: float) -> Answers:
    """The law of every method."""
    j = ties(name, p)
    forms: dict[str, Callable[[], Answers]] = {
        "em": lambda: positions_answers(name, p, classical(Exponential(epsilon))),
        "pf": lambda: positions_answers(name, p, classical(PermuteAndFlip(epsilon))),
        "ld": lambda: positions_answers(name, p, dampened(epsilon, 2 * j + 2)),
        "ld2": lambda: label_answers(name, p, LocalDampening(epsilon, Exponential)),
        "snm_lap": lambda: positions_answers(name, p, noisy(SmoothNoisyMaxLaplace(epsilon), j)),
        "snm_t": lambda: positions_answers(name, p, noisy(SmoothNoisyMaxStudent(epsilon), j)),
        "stable": lambda: grid_answers("hit", name, p, StableArgmax(epsilon)),
        "pareto": lambda: grid_answers("hit", name, p, ParetoNoisyMax(epsilon, indicator=True)),
        "rank": lambda: rank_answers(name, p, epsilon),
        "default": lambda: default_answers(name, p, epsilon),
    }
    return forms[method]()


def needed(rows: Sequence[Row], name: str, p: int, method: str) -> float | None:
    """The least epsilon from which on the expected answer is within 5 of the percentile."""
    curve = [(number(r, "epsilon"), number(r, "bias")) for r in where(rows, data=name, p=p, method=method)]
    far = [epsilon for epsilon, bias in curve if bias > NEAR]
    return min((epsilon for epsilon, _ in curve if not far or epsilon > max(far)), default=None)


def saving(rows: Sequence[Row], name: str, p: int, rival: str) -> float | None:
    """By how many percent less budget SNM-T needs than a rival; None where one of them never gets there."""
    ours, theirs = (needed(rows, name, p, method) for method in ("snm_t", rival))
    return None if ours is None or theirs is None else 100 * (1 - ours / theirs)


def nearest(epsilon: float) -> float:
    """The epsilon of the figure that is nearest to this, as the file has it."""
    return rounded(min(EPSILONS, key=lambda value: abs(np.log(value / epsilon))))


def points_won(rows: Sequence[Row], column: str) -> tuple[int, int]:
    """At how many points both smooth noisy max methods are at least as good as all four rivals, of how many."""
    won = total = 0
    for name in DATA:
        for p in PERCENTS:
            table = {m: [number(r, column) for r in where(rows, data=name, p=p, method=m)] for m in PAPERS}
            for place in range(len(EPSILONS)):
                ours = max(table[m][place] for m in ("snm_lap", "snm_t"))
                won += ours <= min(table[m][place] for m in RIVALS) + 1e-6
                total += 1
    return won, total


class SnmFigure7(Reproduction):
    """Percentiles by smooth noisy max."""

    id = "snm_figure_7"
    paper = SNM
    title = "Fig. 7"
    subject = "percentiles of three histograms by Smooth Noisy Max"
    needs = DATA
    parameters: ClassVar[Mapping[str, Any]] = {
        "percents": PERCENTS,
        "epsilons": "logspace(-1, 2, 31)",
        "methods": tuple(METHODS),
    }

    def cells(self) -> Sequence[Cell]:
        """One for each curve."""
        return [(name, p, method) for name in DATA for p in PERCENTS for method in METHODS]

    def measure(self, cell: Cell) -> list[Row]:
        """How far the expected answer is away (the thesis's measure), the expected error, the chance to be right."""
        name, p, method = str(cell[0]), int(cell[1]), str(cell[2])
        rows: list[Row] = []
        for epsilon in EPSILONS:
            found = answers(method, name, p, epsilon)
            measures = {"bias": found.bias, "error": found.error, "right": found.hit}
            head: Row = {"data": name, "p": p, "method": method, "epsilon": rounded(epsilon)}
            rows.append({**head, **{key: rounded(value, 5) for key, value in measures.items()}})
        return rows

    def claims(self, rows: Sequence[Row]) -> list[Claim]:
        """Pages 58 and 59."""
        won, total = points_won(rows, "bias")
        claims = [
            Claim(
                "SNM-LAP and SNM-T have lower absolute expected errors than EM, PF, LD and LD2 for any epsilon",
                "p. 59, caption",
                f"both at {won} of {total} points",
                won == total,
            )
        ]
        for rival, table in PRINTED_SAVINGS.items():
            for name in dict.fromkeys(name for name, _ in table):
                printed = {p: saved for (held, p), saved in table.items() if held == name}
                found = {p: saving(rows, name, p, rival) for p in printed}
                claims.append(
                    Claim(
                        f"{name}: SNM-T needs {', '.join(map(str, printed.values()))} % less budget than "
                        f"{METHODS[rival][0]}, for p = {', '.join(map(str, printed))}",
                        "p. 58",
                        ", ".join(
                            f"{METHODS[rival][0]} does not stay within {NEAR}" if value is None else f"{value:.0f} %"
                            for value in found.values()
                        ),
                        all(v is not None and abs(v - printed[p]) <= 5 for p, v in found.items()),
                    )
                )
        apart = max(
            abs(number(a, "bias") - number(b, "bias")) / number(first, "bias")
            for name in DATA
            for p in PERCENTS
            for first in where(rows, data=name, p=p, method="em")[:1]
            for a, b in zip(
                where(rows, data=name, p=p, method="pf"), where(rows, data=name, p=p, method="em"), strict=True
            )
        )
        claims.append(
            Claim(
                "EM and PF are similar in all scenarios",
                "p. 58",
                f"at most {100 * apart:.0f} % of a blind guess apart",
                apart < 0.2,
            )
        )
        return claims

    def private(self, rows: Sequence[Row], losses: Losses) -> bool:
        """Losses against their claims."""
        return losses["snm_t"] <= 1 and losses["snm_lap_delta"] <= 1e-6

    def losses(self) -> dict[str, float]:
        """At epsilon 1 on the stored pairs of the fence."""
        student, laplace, lemma = SmoothNoisyMaxStudent, SmoothNoisyMaxLaplace, StableArgmaxByLemma53
        return {
            "snm_t": measured_loss(student.as_claimed(), student.evidence),
            "snm_lap_delta": measured_delta(laplace.as_claimed(), laplace.evidence),
            "lemma_5_3": measured_loss(lemma.as_claimed(), lemma.evidence),
        }

    def findings(self, rows: Sequence[Row], losses: Losses) -> Findings:
        """HEPTH's median at epsilon 1."""
        at = {m: number(one(rows, data="HEPTH", p=50, method=m, epsilon=nearest(1)), "error") for m in METHODS}
        return Findings(
            published=f"HEPTH's median at epsilon 1: an expected error of {shown(at['snm_t'])} by SNM-T and "
            f"{shown(at['snm_lap'])} by SNM-LAP, {shown(at['ld'])} by LD and {shown(at['em'])} by EM",
            privacy=f"no. At epsilon 1 SNM-T loses {losses['snm_t']:.2f} on a pair "
            "of neighbours with two candidates, SNM-LAP needs a delta of "
            f"{losses['snm_lap_delta']:.2f} where 1e-6 is claimed. The distance 2 j + 1 is "
            "too long by one step or more (best law with it: loss "
            f"{losses['lemma_5_3']:.2f}), and the candidates are positions of the data",
            sound=f"with exact distances on a public grid `ParetoNoisyMax` errs by {shown(at['pareto'])}, and "
            f"`StableArgmax`, the best that utilities of 0 and 1 allow, by {shown(at['stable'])}",
            default=f"`dampen.percentile`: {shown(at['default'])}",
            straw_man=f"permute-and-flip on ranks: {shown(at['rank'])}",
        )

    def details(self, rows: Sequence[Row], losses: Losses) -> str:
        """Expected errors at epsilon 1."""
        lines = [
            [
                f"{name} {p}",
                *(shown(one(rows, data=name, p=p, method=m, epsilon=nearest(1))["error"]) for m in METHODS),
            ]
            for name in DATA
            for p in PERCENTS
        ]
        table = markdown(["data, p", *(label for label, _ in METHODS.values())], lines)
        won, total = points_won(rows, "error")
        return (
            f"Expected errors at epsilon 1:\n\n{table}\n\n"
            "The thesis measures the distance of the *expected answer* from the percentile, which can be 0 while every "
            f"answer is far away (Fig. 8). By the expected distance both SNM methods lead at {won} of {total} "
            "points. LD "
            "here resolves flat parts of the sensitivity to 0; resolved upwards, as its definition reads, it is EM."
        )

    def draw(self, rows: Sequence[Row], plt: Any) -> Any:
        """The thesis's measure, one panel for each histogram and percentile."""
        figure, axes = grid(plt, len(DATA), len(PERCENTS))
        for line, name in zip(axes, distinct(rows, "data"), strict=True):
            for panel, p in zip(line, PERCENTS, strict=True):
                held = [{**row, "bias": max(number(row, "bias"), 1e-3)} for row in where(rows, data=name, p=p)]
                curves(panel, held, "epsilon", "bias", METHODS)
                panel.set_xscale("log")
                panel.set_yscale("log")
                panel.set_title(f"{name}, p = {p}", fontsize=10)
            line[0].set_ylabel("|x_k - E(answer)|, cut at 0.001")
        for panel in axes[-1]:
            panel.set_xlabel("epsilon")
        legend(figure, axes, columns=5)
        return figure
