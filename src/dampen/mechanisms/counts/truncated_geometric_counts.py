"""Groups that nobody listed, and how many people they have: noise that ends, and counts shown above its end."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dampen._validate import Number, positive, probability, render, whole
from dampen.certified import arithmetic, ball
from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.mechanisms.base import Mechanism
from dampen.mechanisms.counts.truncated_geometric import (
    TruncatedGeometric,
    least_last,
    needed_bits,
    whole_delta,
)
from dampen.privacy import CONFIDENCE, Accuracy, GroupRelease, PrivacyLoss, miss_chance
from dampen.problem.unknown_groups import UnknownGroupsFrame, UnknownGroupsProblem
from dampen.sampling.discrete_laplace import truncated_laplace_batch
from dampen.vectors import Floats, Integers
from dampen.writing import percent

LARGEST_SIMULATED = 10**6
"""Noise that may be larger is not simulated."""
Shown = dict[str, int]
"""Groups by name, and the count that is told of each."""


@dataclass(frozen=True)
class ShownAccuracy(Accuracy):
    """How far the count of a group is off that is shown at all: small groups are shown only where noise is large.

    ``last``: noise is never larger. ``least``: the smallest count that is told.
    """

    rate: Fraction
    last: int
    least: int
    bits: int
    unit: str = "people"

    def bound(self, confidence: Number = CONFIDENCE) -> float:
        """A group is shown with a count further off with probability at most 1 - confidence."""
        chance = miss_chance(confidence)
        low, high = -1, self.last
        with arithmetic(self.bits + 2 * chance.denominator.bit_length()) as flint:
            noise, allowed = TruncatedGeometric(ball(flint, self.rate).exp(), self.last), ball(flint, chance)
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (low, middle) if noise.tail(middle) <= allowed else (middle, high)
        return float(high)

    def statement(self, confidence: Number = CONFIDENCE) -> str:
        """The same in words, and how far it can be off at all."""
        usual = (
            f"off by more than {self.amount(confidence)} with probability at most {percent(miss_chance(confidence))}"
        )
        return f"shown with a count {usual}, never by more than {self.last}; counts near {self.least} are too high"


@dataclass(frozen=True, init=False, repr=False)
class TruncatedGeometricCounts(Mechanism[UnknownGroupsFrame, UnknownGroupsProblem, GroupRelease]):
    """Shows groups that nobody listed before, each with the number of its people plus noise; small ones it hides.

    Definition
    ----------
    With W the number of counts that one step moves (``frame.moved``), r = exp(epsilon / W) and the least k with

        1 - (1 - delta_k)^W <= delta,    delta_k = (r - 1) / ((r + 1) r^k - 2),

    every group with n people has an independent Z on -k, ..., k, P(Z = z) proportional to r^-|z|, and (name, n + Z) is
    shown if n + Z > k. Nothing is said of all others. With ``at_least`` = m, n' = max(0, n - m + 1) takes the place of
    n, and n' + Z + m - 1 is told: a group of fewer than m people is never shown.

    Guarantee
    ---------
    (epsilon, delta)-differential privacy for a person in at most ``most`` groups (docs/proofs/
    truncated_geometric_counts.md). A group nobody is in never appears. No rule with the same guarantee for one count
    shows a group with larger probability, whether it tells a count or not. Delta is lost even where nothing is shown.

    Differs from the paper
    ----------------------
    The paper states the law of being shown for one group; here the counts are told at no extra price, and W counts lose
    exactly 1 - (1 - delta_k)^W together, not the sum of their deltas.

    Numerics
    --------
    k is found in certified arithmetic. Noises are exact two-sided geometric numbers, drawn again where they are beyond
    k. No noise is ever a float.

    Cost
    ----
    O(n) for n groups that occur, and O(s log s) for s that are shown. Both are private: keep the time to yourself.

    Example
    -------
    >>> import dampen
    >>> frame = dampen.UnknownGroupsFrame(dampen.Adjacency.ADD_REMOVE, most=4)
    >>> mechanism = TruncatedGeometricCounts(epsilon=1, delta="1e-5")
    >>> mechanism.last(frame), [round(mechanism.chance_shown(frame, people), 2) for people in (20, 45, 54, 200)]
    (44, [0.0, 0.56, 0.95, 1.0])

    References
    ----------
    Desfontaines, Voss, Gipson and Mandayam, Differentially private partition selection, PoPETs 2022. Ghosh,
    Roughgarden and Sundararajan, Universally utility-maximizing privacy mechanisms, STOC 2009.
    """

    delta: Fraction

    takes = UnknownGroupsProblem

    def __init__(self, epsilon: Number, delta: Number) -> None:
        super().__init__(epsilon)
        positive(delta=delta)
        object.__setattr__(self, "delta", probability(delta=delta))

    def privacy(self, frame: UnknownGroupsFrame) -> PrivacyLoss:
        """Epsilon and delta, whatever is shown."""
        return PrivacyLoss(self.epsilon, self.delta, adjacency=frame.adjacency, unit=frame.unit)

    def rate(self, frame: UnknownGroupsFrame) -> Fraction:
        """Ln r: what one count loses."""
        return self.epsilon / frame.moved

    def last(self, frame: UnknownGroupsFrame) -> int:
        """k: no noise is larger, and none but counts above it is shown. Public."""
        return least_last(self.rate(frame), frame.moved, self.delta)

    def least_told(self, frame: UnknownGroupsFrame) -> int:
        """The smallest count that is told, k + m. Public."""
        return self.last(frame) + frame.at_least

    def exact_delta(self, frame: UnknownGroupsFrame) -> float:
        """1 - (1 - delta_k)^W, which is lost of the delta that is charged."""
        return float(self._certified(frame, lambda noise: whole_delta(noise.delta, frame.moved)))

    def chance_shown(self, frame: UnknownGroupsFrame, people: int) -> float:
        """How likely a group with so many people is shown. Public: it is the law, and no data."""
        beyond = max(0, whole(people=people, least=0) - frame.at_least + 1)
        return float(self._certified(frame, lambda noise: noise.chance(beyond)))

    def expected_absolute_noise(self, frame: UnknownGroupsFrame) -> float:
        """E |Z| of one group, shown or not."""
        return float(self._certified(frame, TruncatedGeometric.mean_size))

    def _certified(self, frame: UnknownGroupsFrame, function: Any) -> Any:
        with arithmetic(self._bits(frame)) as flint:
            return function(TruncatedGeometric(ball(flint, self.rate(frame)).exp(), self.last(frame)))

    def _bits(self, frame: UnknownGroupsFrame) -> int:
        return needed_bits(self.rate(frame), frame.moved, self.delta)

    def law(self, problem: UnknownGroupsProblem) -> dict[str, dict[int | None, float]]:
        """Not private. The chance of everything that may be told of each group; ``None``: that it is not shown."""
        beyond = problem.beyond.tolist()
        laws = self._certified(problem.frame, lambda noise: {people: noise.law(people) for people in {*beyond}})
        off = problem.frame.at_least - 1
        told = {
            people: {None if count is None else count + off: float(chance) for count, chance in law.items()}
            for people, law in laws.items()
        }
        return {name: told[people] for name, people in zip(problem.names, beyond, strict=True)}

    def log_probabilities(self, problem: UnknownGroupsProblem, answer: Mapping[str, int]) -> float:
        """Not private. Ln P of an answer, the shown groups with their counts."""
        law = self.law(problem)
        chances = [each.get(answer.get(name), 0.0) for name, each in law.items()]
        known = all(name in law for name in answer)
        with np.errstate(divide="ignore"):
            return float(np.log(chances).sum()) if known else -np.inf

    def draw(self, problem: UnknownGroupsProblem, source: Entropy) -> Shown:
        """The shown groups, sorted by name. Nobody has paid for it here."""
        frame, beyond = problem.frame, problem.beyond
        last = self.last(frame)
        here = np.flatnonzero(beyond)
        told = beyond[here] + truncated_laplace_batch(self.rate(frame), last, len(here), source)
        shown = told > last
        counts: Integers = told[shown] + frame.at_least - 1
        pairs = zip((problem.names[place] for place in here[shown].tolist()), counts.tolist(), strict=True)
        return dict(sorted(pairs))

    def simulate(self, problem: UnknownGroupsProblem, rng: np.random.Generator, size: int) -> Integers:
        """Rows of counts drawn by a seeded generator, 0 where a group is not shown: free, for public problems only."""
        problem.require_public("simulate")
        frame, last = problem.frame, self.last(problem.frame)
        if last > LARGEST_SIMULATED:
            raise ParameterError(f"epsilon must be larger to be simulated; got {render(self.epsilon)}")
        steps = np.arange(-last, last + 1)
        weights: Floats = np.exp(-float(self.rate(frame)) * np.abs(steps))
        shape = whole(size=size, least=0), len(problem.names)
        told = problem.beyond + rng.choice(steps, size=shape, p=weights / weights.sum())
        return np.where(told > last, told + frame.at_least - 1, 0)

    def answer(self, frame: UnknownGroupsFrame, drawn: Shown) -> Shown:
        """The groups as they are."""
        return drawn

    def accuracy(self, frame: UnknownGroupsFrame) -> ShownAccuracy:
        """The same for every group."""
        return ShownAccuracy(self.rate(frame), self.last(frame), self.least_told(frame), self._bits(frame))
