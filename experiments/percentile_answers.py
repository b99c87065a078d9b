"""Private percentiles of the DPBench histograms as laws over answers, for the figures of two papers.

The 4096 counts of a histogram are the records, as in both papers. An answer is a value, and the law says how likely it
is; errors follow from the law without any draw.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from dampen import Adjacency, SelectionProblem
from dampen.mechanisms import PermuteAndFlip, SelectionMechanism
from dampen.queries import (
    percentile_hit_problem,
    percentile_label_problem,
    percentile_rank_problem,
    percentile_value_problem,
)
from dampen.vectors import Floats, Integers
from experiments import data
from experiments.refuted.smooth_noisy_max import PANEL_STEPS, SmoothNoisyMax, panels

DATA = ("PATENT", "HEPTH", "INCOME")
STEPS = {"PATENT": 1, "HEPTH": 1, "INCOME": 100}
"""How far the points of each public grid are apart."""


@dataclass(frozen=True, eq=False)
class Answers:
    """Values, how likely each is, and the right one."""

    values: Floats
    law: Floats
    truth: float

    @property
    def error(self) -> float:
        """The expected distance from the right answer."""
        return float(self.law @ np.abs(self.values - self.truth))

    @property
    def bias(self) -> float:
        """The distance of the expected answer from the right one, which the thesis calls absolute expected error."""
        return float(abs(self.law @ self.values - self.truth))

    @property
    def hit(self) -> float:
        """The chance of the right answer."""
        return float(self.law[self.values == self.truth].sum())


def probabilities(mechanism: Any, problem: SelectionProblem) -> Floats:
    """The law of a mechanism, ours or a refuted one."""
    return np.exp(np.asarray(mechanism.log_probabilities(problem), dtype=np.float64))


@lru_cache(maxsize=4)
def label_problem(name: str, p: int) -> SelectionProblem:
    """The dampening paper's: which label holds the percentile? The bound is the largest count, as in the paper."""
    counts = data.histogram(name)
    return percentile_label_problem(counts, p, bound=int(counts.max())).as_public()


def label_answers(name: str, p: int, mechanism: SelectionMechanism) -> Answers:
    """The value of the chosen label."""
    counts, problem = data.histogram(name).astype(np.float64), label_problem(name, p)
    truth = counts[int(np.argmax(np.asarray(problem.utilities)))]
    return Answers(counts, probabilities(mechanism, problem), float(truth))


@lru_cache(maxsize=4)
def records_and_grid(name: str) -> tuple[Integers, range]:
    """The sorted records at points of a public grid, from 0 to the first point not below the largest."""
    counts, step = data.histogram(name), STEPS[name]
    return np.sort(counts) // step * step, range(0, -(-int(counts.max()) // step) * step + 1, step)


@lru_cache(maxsize=8)
def grid_problem(kind: str, name: str, p: int) -> SelectionProblem:
    """A public grid's question: ``value`` (our default), ``rank`` or ``hit`` (0 and 1)."""
    records, grid = records_and_grid(name)
    makers: dict[str, Callable[..., SelectionProblem]] = {
        "value": percentile_value_problem,
        "rank": percentile_rank_problem,
        "hit": percentile_hit_problem,
    }
    return makers[kind](records, p, grid=grid, adjacency=Adjacency.ADD_REMOVE)


def grid_answers(kind: str, name: str, p: int, mechanism: SelectionMechanism) -> Answers:
    """A point of the grid."""
    records, grid = records_and_grid(name)
    truth = float(records[p * len(records) // 100])
    law = probabilities(mechanism, grid_problem(kind, name, p))
    return Answers(np.asarray(grid, dtype=np.float64), law, truth)


def default_answers(name: str, p: int, epsilon: float) -> Answers:
    """What ``dampen.percentile`` gives."""
    return grid_answers("value", name, p, PermuteAndFlip(epsilon))


def rank_answers(name: str, p: int, epsilon: float) -> Answers:
    """The straw man: permute-and-flip on ranks."""
    return grid_answers("rank", name, p, PermuteAndFlip(epsilon))


def positions_answers(name: str, p: int, chance_of_right: Callable[[int, int], float]) -> Answers:
    """The thesis's candidates: all positions of the sorted records; 1 for those that hold the percentile, else 0.

    ``chance_of_right`` gives the chance of any right position, from how many are right and how many are wrong.
    """
    ordered = np.sort(data.histogram(name)).astype(np.float64)
    truth = ordered[p * len(ordered) // 100]
    right = ordered == truth
    chance = chance_of_right(int(right.sum()), int((~right).sum()))
    law = np.where(right, chance / right.sum(), (1 - chance) / max((~right).sum(), 1))
    return Answers(ordered, law, float(truth))


def ties(name: str, p: int) -> int:
    """The thesis's j: equal records on the shorter side of the percentile."""
    ordered = np.sort(data.histogram(name))
    place = p * len(ordered) // 100
    same = ordered == ordered[place]
    return int(min(same[:place].sum(), same[place + 1 :].sum()))


def smooth_noisy_max_chance(noise: SmoothNoisyMax, lead: float, right: int, wrong: int) -> float:
    """The chance that one of ``right`` equal best candidates wins, ``lead`` units of noise ahead of the others."""
    ends = [kink + side * PANEL_STEPS for kink in (0.0, -lead) for side in (-1, 1)]
    z, weights = panels(np.unique(np.clip(ends, -1e300, 1e300)))
    others = noise.below(z) ** (right - 1) * noise.below(z + lead) ** wrong
    return min(float(right * (weights * noise.density(z) * others).sum()), 1.0)
