"""Ordered top-k."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from math import perm
from typing import Any

import numpy as np

from dampen import laws
from dampen._validate import whole
from dampen.errors import ParameterError
from dampen.mechanisms.base import ExponentMechanism, SelectionMechanism
from dampen.mechanisms.exponential import Exponential
from dampen.mechanisms.pairwise_dampening import PairwiseDampening
from dampen.mechanisms.permute_and_flip import PermuteAndFlip
from dampen.mechanisms.report_noisy_max import ReportNoisyMax
from dampen.mechanisms.scored import ScoredMechanism
from dampen.privacy import BudgetLike, PrivacyLoss, Release
from dampen.problem import Frame, SelectionProblem, count_candidates
from dampen.sampling import entropy
from dampen.sampling.buckets import BucketSampler
from dampen.sampling.entropy import Entropy
from dampen.sampling.exponents import DEEPEST, Exponents
from dampen.sampling.race import ExponentialNoise, draw_first
from dampen.vectors import Floats, Integers

LARGEST_LAW = 10**6
"""Up to so many ordered outcomes the law is written out."""


@dataclass(frozen=True, init=False, repr=False)
class TopK(SelectionMechanism):
    """The k best candidates, best first.

    Definition
    ----------
    With a base of the exponential type: k picks of the base, each from the candidates not yet picked, which is the same
    as adding Gumbel noise once and naming the k largest. With a base of the permute-and-flip type: add standard
    exponential noise once and name the k largest.

    Guarantee
    ---------
    k times the base's epsilon, which is the price of each pick (docs/proofs/top_k.md). No bounded range is claimed: the
    joint law of k picks does not have it.

    Differs from the paper
    ----------------------
    One-shot exponential noise is not k permute-and-flips in a row, but costs the same and is proved on its own. Its
    exponents are raised to one level below the k-th best, not below the best.

    Numerics
    --------
    As the base's; with exponential noise bits are revealed until the first k places are certain.

    Cost
    ----
    O(k n) with exponential bases, O(n) with permute-and-flip bases. The law has n! / (n - k)! entries and is refused
    beyond a million.

    Example
    -------
    >>> import numpy as np, dampen
    >>> from dampen.mechanisms import Exponential
    >>> frame = dampen.Frame(("tea", "coffee", "milk"), bound=1, adjacency=dampen.Adjacency.ADD_REMOVE, monotone=True)
    >>> problem = dampen.SelectionProblem(frame, [9, 7, 0]).as_public()
    >>> top = TopK(2, Exponential(epsilon=1))
    >>> float(top.privacy(frame).epsilon)
    2.0
    >>> law = dict(zip(top.outcomes(frame), np.exp(top.log_probabilities(problem)).round(3).tolist()))
    >>> law["tea", "coffee"], law["coffee", "tea"]
    (0.88, 0.119)
    >>> top.simulate(problem, np.random.default_rng(0), size=3).shape
    (3, 2)

    References
    ----------
    Durfee and Rogers, Practical differentially private top-k selection with pay-what-you-get composition, NeurIPS 2019.
    """

    k: int
    base: ExponentMechanism

    def __init__(self, k: int, base: ExponentMechanism) -> None:
        if not isinstance(base, ExponentMechanism) or one_shot_noise(base) is None:
            raise ParameterError(f"base must be of the exponential or permute-and-flip type; got {str(base)[:80]}")
        super().__init__(base.epsilon)
        object.__setattr__(self, "k", whole(k=k, least=1))
        object.__setattr__(self, "base", base)

    def privacy(self, frame: Frame) -> PrivacyLoss:
        """K times the base's epsilon."""
        size = count_candidates(frame.candidates)
        if self.k > size:
            raise ParameterError(f"k must not exceed the number of candidates, {size}; got {self.k}")
        single = self.base.privacy(frame)
        return replace(single, epsilon=self.k * single.epsilon, bounded_range=None)

    def release(self, problem: SelectionProblem, *, budget: BudgetLike, note: str = "") -> Release:
        """Pay for and draw an ordered k-tuple; refuses problems with runs before anything is spent."""
        self._require_plain(problem)
        return super().release(problem, budget=budget, note=note)

    def outcomes(self, frame: Frame) -> Sequence[Any]:
        """All ordered k-tuples of candidates."""
        self._require_writable(count_candidates(frame.candidates))
        return list(permutations(frame.candidates, self.k))

    def log_probabilities(self, problem: SelectionProblem) -> Floats:
        """Not private. Ln P of every ordered k-tuple, as ``outcomes`` lists them."""
        self.privacy(problem.frame)
        self._require_plain(problem)
        self._require_writable(len(problem.groups))
        exponents = self._exponents(problem)
        x = exponents.approximate()
        if one_shot_noise(self.base) == "exponential":
            return laws.ordered_exponential(x, self.k)
        return laws.peeled_softmax(x, self.k, float(DEEPEST // exponents.unit * exponents.unit))

    def simulate(self, problem: SelectionProblem, rng: np.random.Generator, size: int) -> Integers:
        """Indices of candidates, one row of k for each of ``size`` draws; seeded, free, for public problems only."""
        problem.require_public("simulate")
        self._require_plain(problem)
        x = self._exponents(problem).approximate()
        shape = (whole(size=size, least=0), len(x))
        noise = rng.gumbel(size=shape) if one_shot_noise(self.base) == "gumbel" else rng.exponential(size=shape)
        return np.argsort(x - noise, axis=1)[:, : self.k].astype(np.int64)

    def _exponents(self, problem: SelectionProblem) -> Exponents:
        return self.base.exponents(problem).keeping(self.k)

    def _group_law(self, problem: SelectionProblem) -> Floats:
        return self.log_probabilities(problem)

    def _pick(self, problem: SelectionProblem, source: Entropy) -> tuple[int, int]:
        return self._first(problem, source)[0], 0

    def _drawn(self, problem: SelectionProblem) -> tuple[object] | None:
        try:
            with np.errstate(all="ignore"):
                chosen = self._first(problem, entropy.system_entropy())
            return (tuple(problem.frame.candidates[place] for place in chosen),)
        except Exception:
            return None

    def _first(self, problem: SelectionProblem, source: Entropy) -> list[int]:
        exponents = self._exponents(problem)
        if one_shot_noise(self.base) == "exponential":
            return draw_first(exponents, ExponentialNoise(), self.k, source)
        units = exponents.units().astype(np.int64)
        left, chosen = np.arange(len(units)), []
        for _ in range(self.k):
            rest = Exponents.of_whole(-units[left], exponents.unit)
            place = BucketSampler(rest).draw(source)[0]
            chosen.append(int(left[place]))
            left = np.delete(left, place)
        return chosen

    def __repr__(self) -> str:
        return f"TopK(k={self.k}, base={self.base!r})"

    def _require_plain(self, problem: SelectionProblem) -> None:
        if problem.sizes is not None:
            raise ParameterError("TopK needs a problem without runs: one utility per candidate")

    def _require_writable(self, size: int) -> None:
        if perm(size, self.k) > LARGEST_LAW:
            raise ParameterError(f"the law of TopK is not written out beyond {LARGEST_LAW} ordered outcomes")


def one_shot_noise(base: ExponentMechanism, *, clipped: bool = False) -> str | None:
    """The noise whose largest sums are the base's law: Gumbel or exponential; ``None`` where it is neither.

    Pairwise dampening's clipped score is left out unless asked for: its better rate is proved for one pick only.
    """
    law: type[ExponentMechanism] = type(base)
    if isinstance(base, PairwiseDampening) and base.score == "clipped" and not clipped:
        return None
    if isinstance(base, ReportNoisyMax):
        return {"gumbel": "gumbel", "exponential": "exponential"}.get(base.noise)
    if isinstance(base, ScoredMechanism):
        law = base.law
    if law is Exponential:
        return "gumbel"
    return "exponential" if law is PermuteAndFlip else None
