"""The piecewise Laplace noise as it is published, on the reals: a straw man for the noise of the wheel.

Source: Durfee, Unifying Laplace mechanism with instance optimality in differential privacy, 2025 (arXiv 2505.02798), as
its abstract and definition have it; its proofs were not read. An answer at distance d of the value has a density
proportional to exp(-rate phi(d)), phi the number of rungs, laid end to end, that reach as far, a part of the last one.

It is private with epsilon = 2 rate, on every ladder, and needs that: a ladder 1, 1, R, R, ... beside 1, R, R, ... loses
1.955 times the rate at R = 100. ``dampen.mechanisms.PiecewiseLaplace`` smooths its normaliser and needs about half of
its noise where ladders are nearly flat. Run ``python -m experiments.published_piecewise_laplace`` for the sums of the k
smallest salaries (:mod:`experiments.prefix_sum`): at its price the published noise is about that of ``Ladder`` up to
epsilon 1, and more than that of ``PolyPlace`` throughout.
"""

from dataclasses import dataclass
from math import exp, expm1, fsum, log

import numpy as np

from dampen import NumericProblem
from dampen.mechanisms import Ladder, NumericMechanism, PiecewiseLaplace, PolyPlace
from dampen.vectors import Floats
from experiments import data
from experiments.prefix_sum import prefix_sum_problem
from experiments.reproduction import markdown

NEGLIGIBLE = 60.0
"""Rungs whose weight has fallen by exp(-60) and more are left out."""
SIZES = (1_000, 50_000, 140_000)
EPSILONS = ("1/10", "1", "4")


@dataclass(frozen=True)
class PublishedPiecewiseLaplace:
    """The law of one ladder; the rungs after those given are the bound."""

    rungs: tuple[float, ...]
    bound: float
    rate: float

    @classmethod
    def of(cls, problem: NumericProblem, rate: float) -> "PublishedPiecewiseLaplace":
        """The law of a public problem."""
        problem.require_public("the published noise")
        count = int((NEGLIGIBLE + 2 * log(float(problem.frame.bound))) / rate)
        return cls(tuple(problem.sensitivity.ladder(count)[:, 0].tolist()), float(problem.frame.bound), rate)

    @property
    def total(self) -> float:
        """The integral of exp(-rate phi)."""
        weights = [rung * exp(-self.rate * t) for t, rung in enumerate(self.rungs)]
        beyond = self.bound * exp(-self.rate * len(self.rungs)) / -expm1(-self.rate)
        return 2 * -expm1(-self.rate) / self.rate * (fsum(weights) + beyond)

    def log_density(self, distances: Floats) -> Floats:
        """At so many distances from the value."""
        ends = np.concatenate([[0.0], np.cumsum(self.rungs)])
        sizes = np.abs(distances)
        places = np.minimum(np.searchsorted(ends, sizes, side="right") - 1, len(self.rungs))
        climbed = places + (sizes - ends[places]) / np.array([*self.rungs, self.bound])[places]
        return np.asarray(-self.rate * climbed - log(self.total))

    def mean_size(self) -> float:
        """The rungs by their weights; on a rung of length 1 the mean place is 1 / rate - 1 / (exp(rate) - 1)."""
        lengths = np.array([*self.rungs, *[self.bound] * int(NEGLIGIBLE / self.rate)])
        weights = lengths * np.exp(-self.rate * np.arange(len(lengths)))
        places = np.cumsum(lengths) - lengths + lengths * (1 / self.rate - 1 / expm1(self.rate))
        return float(weights @ places / weights.sum())


def loss_of_pair(one: PublishedPiecewiseLaplace, other: PublishedPiecewiseLaplace, apart: float) -> float:
    """The largest log-ratio of two laws so far apart: at ends of rungs, where the ratio has its kinks."""
    ends = [np.concatenate([[0.0], np.cumsum(law.rungs), [sum(law.rungs) + 9 * law.bound]]) for law in (one, other)]
    kinks: Floats = np.concatenate([ends[0], -ends[0], apart + ends[1], apart - ends[1]])
    return float(np.abs(one.log_density(kinks) - other.log_density(kinks - apart)).max())


def noise_in_ideals(problem: NumericProblem, epsilon: str) -> list[float]:
    """Mean noise over the first rung / epsilon: the published one, Ladder, PolyPlace, and the one of the wheel."""
    kinds: list[NumericMechanism] = [Ladder(epsilon), PolyPlace(epsilon), PiecewiseLaplace(epsilon)]
    price = float(kinds[0].epsilon)
    published = PublishedPiecewiseLaplace.of(problem, price / 2).mean_size()
    ideal = float(problem.sensitivity.at(0)[0]) / price
    return [noise / ideal for noise in (published, *(kind.expected_absolute_noise(problem) for kind in kinds))]


def salary_sums() -> list[tuple[int, NumericProblem]]:
    """The sums of the k smallest salaries."""
    return [(k, prefix_sum_problem(data.salaries(), k).as_public()) for k in SIZES]


def table() -> str:
    """All of it, as Markdown."""
    lines = [
        [f"{k:,}", epsilon, *(f"{noise:.2f}" for noise in noise_in_ideals(problem, epsilon))]
        for k, problem in salary_sums()
        for epsilon in EPSILONS
    ]
    return markdown(["k", "epsilon", "published", "`Ladder`", "`PolyPlace`", "`PiecewiseLaplace`"], lines, left=0)


if __name__ == "__main__":
    print(table())
